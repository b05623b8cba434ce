/*
 * test-config.c: config.yml, good and bad.
 * A good text is compared by a dump of what was read, a bad one by the whole message and hint: the
 * place in the file is a promise.
 */
#include "rows.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "config/config.h"
#include "config/reference.h"
#include "schedule/duration.h"
#include "store/mission.h"

#define DEFAULTS "retention=12w6d\nme timeout=30s attempts=5\n"
/* One agent that can run, in one line, and one cron of it in the next. */
#define RUNNER "agents: {b: {command: [x]}}\n"
#define RUNNER_DUMP DEFAULTS "b adapter=command/none/text headless=[x] timeout=30s attempts=5\n"
#define GOOD "schedule: 0 9 * * *, agent: b, prompt: p, "
#define CRON(keys) "crons: {c: {" GOOD keys "}}\n"
#define CRON_DUMP(zone, rest)                                                                      \
	"cron c at 2:9 schedule=<0 9 * * *>" zone " agent=<b> prompt=<p>" rest "\n"

/* The store has the same bits, and lies above us. */
_Static_assert((int)CONFIG_RETRY_FAILURE == RETRY_FAILURE, "retry_on");
_Static_assert((int)CONFIG_RETRY_TIMEOUT == RETRY_TIMEOUT, "retry_on");
_Static_assert((int)CONFIG_RETRY_LOST == RETRY_LOST, "retry_on");

/* clang-format off */
static const struct good_case {
	const char *name, *text, *want;
} good_cases[] = {
	{"empty", "", DEFAULTS},
	{"comments only", "# nothing\n\n# yet\n", DEFAULTS},
	{"document marks", "---\n...\n", DEFAULTS},
	{"an empty mapping", "{}", DEFAULTS},
	{"B10 timezone", "timezone: Europe/Berlin\n", "timezone=Europe/Berlin\n" DEFAULTS},
	{"C6 users: nothing said", "users: {alice: , bob: {}, me: }\n",
	 DEFAULTS "user alice public\nuser bob public\nuser me full\n"},
	{"C6 C10 users: everything said",
	 "users:\n  alice: {trust: inner, match: [\"signal:alice-id\", \"matrix:@a:b.org\"], "
	 "timezone: Europe/Berlin}\n  me: {trust: full, match: [\"terminal:default\"]}\n",
	 DEFAULTS "user alice inner match=[signal:alice-id][matrix:@a:b.org] "
		  "timezone=<Europe/Berlin>\nuser me full match=[terminal:default]\n"},
	{"quoted, and with crlf", "timezone: 'Europe/Berlin'\r\nretention: \"1d\"\r\n",
	 "timezone=Europe/Berlin\nretention=1d\nme timeout=30s attempts=5\n"},
	{"byte order mark", "\xef\xbb\xbf" "timezone: UTC\n", "timezone=UTC\n" DEFAULTS},
	{"store postgres", "store: postgres://belfry@db/belfry\n",
	 "store=postgres://belfry@db/belfry\n" DEFAULTS},
	{"store postgresql", "store: 'postgresql:///x?host=/run'\n",
	 "store=postgresql:///x?host=/run\n" DEFAULTS},
	{"store sqlite", "store: sqlite:/var/b.db\n", "store=sqlite:/var/b.db\n" DEFAULTS},
	{"store path under the config's folder", "store: data//b.db\n",
	 "store=sqlite:/etc/belfry/data/b.db\n" DEFAULTS},
	{"store under home", "store: sqlite:~/b.db\n", "store=sqlite:/home/ann/b.db\n" DEFAULTS},
	{"store in memory", "store: 'sqlite::memory:'\n", "store=sqlite::memory:\n" DEFAULTS},
	{"the header's example, all of it",
	 "timezone: Europe/Berlin\n"
	 "defaultAgent: builder                   # who runs tasks that name nobody\n"
	 "agents:\n"
	 "  builder:\n"
	 "    adapter: claude                     # how it is run\n"
	 "    args: [--model, opus]               # further arguments\n"
	 "    directory: ~/src/app\n"
	 "    environment: {CI: \"1\"}\n"
	 "    secrets: [op, run, --env-file, secrets.env, --]  # put in front of its command\n"
	 "    timeout: 1h\n"
	 "    maxConcurrent: 2\n"
	 "    heartbeat: {every: 30m, prompt: \"Look around.\"}\n"
	 "agentTemplates:                         # each is also an agent of that name\n"
	 "  github.com/me/builder: {source: https://github.com/me/builder, adapter: claude}\n"
	 "  local-one: {source: ~/templates/one}\n"
	 "syncedRepos:                            # or a list of names\n"
	 "  github.com/me/lib: {source: https://github.com/me/lib}\n"
	 "adapters:\n"
	 "  mine: {headless: [mine, -p], resume: [mine, -r, \"{session}\"], session: read, output: json,\n"
	 "         session_path: session_id, answer_path: result, error_path: is_error, cost_path: cost}\n"
	 "crons:\n"
	 "  maxConcurrent: 5                      # of all headless runs at once; default 10\n"
	 "  nightly: {schedule: \"0 9 * * *\", agent: builder, prompt: \"Check all repositories\"}\n",
	 "timezone=Europe/Berlin\n" DEFAULTS
	 "github.com/me/builder adapter=claude/chosen/json template=github.com/me/builder "
	 "timeout=30s attempts=5\n"
	 "local-one adapter=claude/chosen/json template=local-one timeout=30s attempts=5\n"
	 "builder adapter=claude/chosen/json args=[--model][opus] "
	 "secrets=[op][run][--env-file][secrets.env][--] limit=1h concurrent=2 "
	 "heartbeat=30m(Look around.) directory=/home/ann/src/app environment=[CI=1] timeout=30s "
	 "attempts=5\n"
	 "template github.com/me/builder git=https://github.com/me/builder\n"
	 "template local-one folder=/home/ann/templates/one\n"
	 "repo github.com/me/lib git=https://github.com/me/lib\n"
	 "default=builder\nconcurrent=5\n"
	 "cron nightly at 23:3 schedule=<0 9 * * *> agent=<builder> prompt=<Check all repositories>\n"},
	{"the header's example",
	 "timezone: Europe/Berlin\n"
	 "store: postgres://belfry@db/belfry      # default: sqlite in the state folder\n"
	 "retention: 90d                          # how long ended history is kept\n"
	 "agents:\n"
	 "  builder:\n"
	 "    directory: ~/src/app\n"
	 "    environment: {CI: \"1\"}\n"
	 "    deliver:\n"
	 "      command: [notify, --from, belfry]\n"
	 "      timeout: 30s\n"
	 "      attempts: 5\n",
	 "timezone=Europe/Berlin\nstore=postgres://belfry@db/belfry\n" DEFAULTS
	 "builder directory=/home/ann/src/app environment=[CI=1] "
	 "deliver=[notify][--from][belfry] timeout=30s attempts=5\n"},
	{"empty mappings are fine", "agents:\n  a:\n  b: {}\n  c: {environment: {}, deliver: }\n",
	 DEFAULTS "a timeout=30s attempts=5\nb timeout=30s attempts=5\nc timeout=30s attempts=5\n"},
	{"no agents", "agents:\n", DEFAULTS},
	{"me can be declared, and stays first",
	 "agents:\n  zed:\n  me: {directory: /tmp, deliver: {command: [cat]}}\n",
	 "retention=12w6d\nme directory=/tmp deliver=[cat] timeout=30s attempts=5\n"
	 "zed timeout=30s attempts=5\n"},
	{"directory ~", "agents: {a: {directory: \"~\"}}",
	 DEFAULTS "a directory=/home/ann timeout=30s attempts=5\n"},
	{"directory ~/", "agents: {a: {directory: ~/}}",
	 DEFAULTS "a directory=/home/ann timeout=30s attempts=5\n"},
	{"directory .", "agents: {a: {directory: .}}",
	 DEFAULTS "a directory=/etc/belfry timeout=30s attempts=5\n"},
	{"directory relative", "agents: {a: {directory: ../x/./y/}}",
	 DEFAULTS "a directory=/etc/belfry/../x/y timeout=30s attempts=5\n"},
	{"directory /", "agents: {a: {directory: //}}",
	 DEFAULTS "a directory=/ timeout=30s attempts=5\n"},
	{"values keep their text",
	 "agents:\n  a:\n    environment:\n      N: 007\n      B: yes\n      F: 1.50\n"
	 "      E: \"\"\n      Q: 'it''s'\n      _x1: a=b\n      T: \"null\"\n"
	 "      M: |\n        one\n        two\n",
	 DEFAULTS "a environment=[N=007][B=yes][F=1.50][E=][Q=it's][_x1=a=b][T=null][M=one\ntwo\n] "
	 "timeout=30s attempts=5\n"},
	{"limits of timeout and attempts",
	 "agents:\n  a: {deliver: {command: [x], timeout: 1s, attempts: 1}}\n"
	 "  b: {deliver: {command: [x], timeout: 60m, attempts: 20}}\n",
	 DEFAULTS "a deliver=[x] timeout=1s attempts=1\nb deliver=[x] timeout=1h attempts=20\n"},
	{"numbers in a command are texts", "agents: {a: {deliver: {command: [sleep, 1, true]}}}",
	 DEFAULTS "a deliver=[sleep][1][true] timeout=30s attempts=5\n"},
	{"aliases", "agents:\n  a: &one {directory: /x}\n  b: *one\n",
	 DEFAULTS "a directory=/x timeout=30s attempts=5\nb directory=/x timeout=30s attempts=5\n"},
	{"merge keys, own keys win",
	 "agents:\n  a: &one\n    directory: /x\n    deliver: {command: [c]}\n"
	 "  b:\n    <<: *one\n    directory: /y\n",
	 DEFAULTS "a directory=/x deliver=[c] timeout=30s attempts=5\n"
	 "b directory=/y deliver=[c] timeout=30s attempts=5\n"},
	{"merge of several, the first wins",
	 "agents:\n  a: &a {directory: /a}\n  b: &b {directory: /b, environment: {E: 1}}\n"
	 "  c: {<<: [*a, *b]}\n",
	 DEFAULTS "a directory=/a timeout=30s attempts=5\n"
	 "b directory=/b environment=[E=1] timeout=30s attempts=5\n"
	 "c directory=/a environment=[E=1] timeout=30s attempts=5\n"},
	/* agents that run */
	{"A15 an agent with an adapter and everything",
	 "agents:\n  b:\n    adapter: claude\n    args: [--model, opus]\n    directory: /x\n"
	 "    secrets: [op, run, --]\n    timeout: 2h\n    maxConcurrent: 2\n"
	 "    heartbeat: {every: 45m, prompt: Look around.}\n",
	 DEFAULTS "b adapter=claude/chosen/json args=[--model][opus] secrets=[op][run][--] limit=2h "
	 "concurrent=2 heartbeat=45m(Look around.) directory=/x timeout=30s attempts=5\n"},
	{"A15 an agent with a command", "agents: {b: {command: [my-agent, --quick]}}",
	 DEFAULTS "b adapter=command/none/text headless=[my-agent][--quick] timeout=30s attempts=5\n"},
	{"a command with conversations and arguments",
	 "agents: {b: {args: [-v], command: [x, \"{session}\", \"{args}\"]}}",
	 DEFAULTS "b adapter=command/chosen/text headless=[x][{session}][{args}] "
	 "resume=[x][{session}][{args}] args=[-v] timeout=30s attempts=5\n"},
	{"no args", "agents: {b: {command: [x], args: []}}",
	 DEFAULTS "b adapter=command/none/text headless=[x] timeout=30s attempts=5\n"},
	{"B9 a heartbeat in short", "agents: {b: {command: [x], heartbeat: 10m}}",
	 DEFAULTS "b adapter=command/none/text headless=[x] heartbeat=10m timeout=30s attempts=5\n"},
	{"B9 a heartbeat every 30 minutes unless it says", "agents: {b: {heartbeat: {prompt: p}, command: [x]}}",
	 DEFAULTS "b adapter=command/none/text headless=[x] heartbeat=30m(p) timeout=30s attempts=5\n"},
	{"no heartbeat", "agents: {b: {heartbeat: }}", DEFAULTS "b timeout=30s attempts=5\n"},
	{"default agent, before it is declared", "defaultAgent: b\nagents: {b: {adapter: codex}}",
	 DEFAULTS "b adapter=codex/read/lines timeout=30s attempts=5\ndefault=b\n"},

	/* adapters */
	{"an adapter of its own",
	 "agents: {b: {adapter: mine}}\n"
	 "adapters:\n  mine: {headless: [mine, -p], resume: [mine, -r, \"{session}\"], session: read,\n"
	 "         output: json, session_path: session_id, answer_path: result, error_path: is_error,\n"
	 "         cost_path: cost}\n",
	 DEFAULTS "b adapter=mine/read/json headless=[mine][-p] resume=[mine][-r][{session}] "
	 "timeout=30s attempts=5\n"},
	{"a built-in adapter, changed in part",
	 "adapters: {claude: {interactive: [], resume_interactive: [c, \"{session}\"]}}\n"
	 "agents: {b: {adapter: claude}, c: {adapter: codex}}",
	 DEFAULTS "b adapter=claude/chosen/json (taken away) resume_interactive=[c][{session}] "
	 "timeout=30s attempts=5\nc adapter=codex/read/lines timeout=30s attempts=5\n"},
	{"H15 how a live one is watched",
	 "adapters: {mine: {headless: [x], interactive: [x, -i], live: {busy: \"esc to interrupt\", blocked: \"Allow .*\\\\?\",\n"
	 "  input: \"^> (.*)$\", hooks: claude, transcript: \"/t/{session}.log\", paste: true, quiet: 500ms}}}\n"
	 "agents: {b: {adapter: mine}}",
	 DEFAULTS "b adapter=mine/none/text headless=[x] interactive=[x][-i] live=<esc to interrupt|Allow .*\\?|^> (.*)$|"
	 "claude|/t/{session}.log|paste|500ms> timeout=30s attempts=5\n"},
	{"H15 parts of a built-in one's taken away",
	 "adapters: {claude: {live: {busy: \"\", blocked: \"\", input: \"\", hooks: \"\", paste: false, quiet: 1h}}}\n"
	 "agents: {b: {adapter: claude}}",
	 DEFAULTS "b adapter=claude/chosen/json live=<||||||1h> timeout=30s attempts=5\n"},
	{"H15 a live that changes nothing", "adapters: {claude: {live: }}\nagents: {b: {adapter: claude}}",
	 DEFAULTS "b adapter=claude/chosen/json timeout=30s attempts=5\n"},
	{"an adapter that changes nothing", "adapters: {claude: }\nagents: {b: {adapter: claude}}",
	 DEFAULTS "b adapter=claude/chosen/json timeout=30s attempts=5\n"},

	/* templates and repositories */
	{"A8 templates are agents too",
	 "agentTemplates:\n  github.com/me/builder:\n"
	 "  local-one: {source: ~/templates/one, adapter: gemini, timeout: 5m}\n"
	 "  rel: {source: ./rel, command: [x]}\n",
	 DEFAULTS "github.com/me/builder adapter=claude/chosen/json template=github.com/me/builder "
	 "timeout=30s attempts=5\n"
	 "local-one adapter=gemini/chosen/json template=local-one limit=5m timeout=30s attempts=5\n"
	 "rel adapter=command/none/text headless=[x] template=rel timeout=30s attempts=5\n"
	 "template github.com/me/builder git=https://github.com/me/builder\n"
	 "template local-one folder=/home/ann/templates/one\n"
	 "template rel folder=/etc/belfry/rel\n"},
	{"an agent of a template is run as the template is",
	 "agents: {a: {template: t}, b: {template: t, adapter: codex}}\n"
	 "agentTemplates: {t: {source: /t, adapter: gemini}}\n",
	 DEFAULTS "t adapter=gemini/chosen/json template=t timeout=30s attempts=5\n"
	 "a adapter=gemini/chosen/json template=t timeout=30s attempts=5\n"
	 "b adapter=codex/read/lines template=t timeout=30s attempts=5\ntemplate t folder=/t\n"},
	{"where sources come from",
	 "syncedRepos:\n  github.com/me/lib:\n  a: {source: git@host:me/a.git}\n"
	 "  b: {source: ssh://h/b}\n  c: {source: /srv/c.git}\n  d: {source: /srv/d, git: true}\n"
	 "  e: {source: /srv/e}\n  f: {source: gitlab.com/x/f}\n  g: {source: file:///srv/g}\n"
	 "  h/.github: {source: ../h, git: false}\n",
	 DEFAULTS "repo github.com/me/lib git=https://github.com/me/lib\nrepo a git=git@host:me/a.git\n"
	 "repo b git=ssh://h/b\nrepo c git=/srv/c.git\nrepo d git=/srv/d\nrepo e folder=/srv/e\n"
	 "repo f git=https://gitlab.com/x/f\nrepo g git=file:///srv/g\n"
	 "repo h/.github folder=/etc/belfry/../h\n"},
	{"repositories as a list", "syncedRepos: [github.com/a/b, example.org/c]\n",
	 DEFAULTS "repo github.com/a/b git=https://github.com/a/b\n"
	 "repo example.org/c git=https://example.org/c\n"},
	{"no repositories", "syncedRepos:\n", DEFAULTS},

	/* crons */
	{"A2 a cron, and how many at once",
	 RUNNER "crons:\n  maxConcurrent: 5\n  nightly:\n    schedule: \"0 9 * * *\"\n    agent: b\n"
	 "    prompt: Check all repositories\n",
	 RUNNER_DUMP "concurrent=5\n"
	 "cron nightly at 4:3 schedule=<0 9 * * *> agent=<b> prompt=<Check all repositories>\n"},
	{"A3 a cron with everything the document has",
	 RUNNER "syncedRepos: [github.com/me/lib]\ncrons:\n  weekly-inbox_0:\n"
	 "    description: \"Organize the inbox\"\n    schedule: '0 10 * * 1'\n    agent: b\n"
	 "    prompt: |\n      Clear it.\n        Then rest.\n    git: github.com/me/lib\n"
	 "    timeout: 1h30m\n    overlap: queue\n    retention: 7\n    enabled: false\n",
	 RUNNER_DUMP "repo github.com/me/lib git=https://github.com/me/lib\n"
	 "cron weekly-inbox_0 at 4:3 off schedule=<0 10 * * 1> agent=<b> "
	 "prompt=<Clear it.\n  Then rest.\n> description=<Organize the inbox> git=<github.com/me/lib> "
	 "timeout=1h30m overlap=<queue> retention=7\n"},
	{"A4 a cron with Belfry's own",
	 RUNNER CRON("timezone: Europe/Berlin, catchup: \"all:3\", start_deadline: 10m, jitter: 30s, "
	 "max_attempts: 3, retry_on: [failure, timeout], on_lost: retry, backoff: 1m, pause_after: 0"),
	 RUNNER_DUMP CRON_DUMP(" timezone=<Europe/Berlin>", " catchup=<all:3> start_deadline=10m "
	 "jitter=30s max_attempts=3 retry_on=7 backoff=1m pause_after=0")},
	{"A4 no time limit", RUNNER CRON("timeout: none"), RUNNER_DUMP CRON_DUMP("", " timeout=0s")},
	{"A4 the longest time limit", RUNNER CRON("timeout: 30d"),
	 RUNNER_DUMP CRON_DUMP("", " timeout=4w2d")},
	{"A4 retry on nothing", RUNNER CRON("retry_on: none"), RUNNER_DUMP CRON_DUMP("", " retry_on=0")},
	{"A4 retry on an empty list", RUNNER CRON("retry_on: []"), RUNNER_DUMP CRON_DUMP("", " retry_on=0")},
	{"A4 on_lost adds to retry_on", RUNNER CRON("on_lost: retry, retry_on: none"),
	 RUNNER_DUMP CRON_DUMP("", " retry_on=4")},
	{"A4 on_lost alone", RUNNER CRON("on_lost: skip"), RUNNER_DUMP CRON_DUMP("", " retry_on=3")},
	{"A4 a named schedule", RUNNER "crons: {c: {schedule: \"@daily\", agent: b, prompt: p}}\n",
	 RUNNER_DUMP "cron c at 2:9 schedule=<@daily> agent=<b> prompt=<p>\n"},
	{"a cron before its agent", "crons: {c: {schedule: 0 9 * * *, agent: b, prompt: p}}\n" RUNNER,
	 RUNNER_DUMP "cron c at 1:9 schedule=<0 9 * * *> agent=<b> prompt=<p>\n"},
	{"a cron of the default agent", RUNNER "defaultAgent: b\ncrons: {c: {schedule: 0 9 * * *, prompt: p}}",
	 RUNNER_DUMP "default=b\ncron c at 3:9 schedule=<0 9 * * *> agent=<b> prompt=<p>\n"},
	{"A8 a cron of a template",
	 "agentTemplates: {github.com/o/t: }\ncrons: {c: {schedule: 0 9 * * *, agent: github.com/o/t, prompt: p}}",
	 DEFAULTS "github.com/o/t adapter=claude/chosen/json template=github.com/o/t timeout=30s attempts=5\n"
	 "template github.com/o/t git=https://github.com/o/t\n"
	 "cron c at 2:9 schedule=<0 9 * * *> agent=<github.com/o/t> prompt=<p>\n"},
	{"no crons", "crons:\n", DEFAULTS},
	{"A8 one bad cron, and the others as if it were not there",
	 RUNNER "crons:\n  one: {schedule: 0 9 * * *, agent: b, prompt: p}\n"
	 "  two: {schedule: 0 25 * * *, agent: c, prompt: p, colour: red, retention: 3}\n"
	 "  three: {schedule: 0 9 * * *, agent: b, prompt: p}\n",
	 RUNNER_DUMP "cron one at 3:3 schedule=<0 9 * * *> agent=<b> prompt=<p>\n"
	 "cron two at 4:3 schedule=<0 25 * * *> agent=<c> prompt=<p> retention=3\n"
	 "  problem /etc/belfry/config.yml:4:19: cron line '0 25 * * *': bad hour '25' at column 3; hours run from 0 to 23\n"
	 "cron three at 5:3 schedule=<0 9 * * *> agent=<b> prompt=<p>\n"},
};

/* One cron with one mistake: the file is good, and the problem is told with its place. */
static const struct cron_case {
	const char *name, *keys, *problem;
} cron_cases[] = {
	{"A8 schedule of four fields", "schedule: '0 9 * *', agent: b, prompt: p",
	 "2:23: cron line '0 9 * *': ?"},
	{"A8 schedule that is a phrase", "schedule: every day, agent: b, prompt: p", "2:23: ?"},
	{"A8 schedule that never fires", "schedule: '0 0 31 2 *', agent: b, prompt: p",
	 "2:23: schedule '0 0 31 2 *' never fires"},
	{"A8 schedule @reboot", "schedule: '@reboot', agent: b, prompt: p", "2:23: ?"},
	{"A8 schedule missing", "agent: b, prompt: p", "2:9: cron 'c' has no schedule"},
	{"A8 agent missing", "schedule: 0 9 * * *, prompt: p", "2:9: cron 'c' has no agent"},
	{"A8 prompt missing", "schedule: 0 9 * * *, agent: b", "2:9: cron 'c' has no prompt"},
	{"A8 prompt empty", "schedule: 0 9 * * *, agent: b, prompt: ''", "2:52: 'prompt' is empty"},
	{"A8 prompt of nothing", "schedule: 0 9 * * *, agent: b, prompt:",
	 "2:44: 'prompt' needs a text, not nothing"},
	{"A8 agent unknown", "schedule: 0 9 * * *, agent: bb, prompt: p",
	 "2:41: unknown agent 'bb'; did you mean 'b'?"},
	{"A8 agent unknown, far from any", "schedule: 0 9 * * *, agent: wanderer, prompt: p",
	 "2:41: unknown agent 'wanderer'; there are: b"},
	{"A8 agent that cannot be run", "schedule: 0 9 * * *, agent: me, prompt: p",
	 "2:41: agent 'me' cannot be run; give it an 'adapter' or a 'command'"},
	{"A8 repository unknown", GOOD "git: github.com/o/r",
	 "2:60: unknown repository 'github.com/o/r'; add it to 'syncedRepos'"},
	{"A8 timeout zero", GOOD "timeout: 0s", "2:64: '0s' is shorter than 1s"},
	{"A8 timeout long", GOOD "timeout: 31d", "2:64: '31d' is longer than 4w2d"},
	{"A8 timeout bare", GOOD "timeout: 30", "2:64: ?"},
	{"A8 overlap", GOOD "overlap: wait",
	 "2:64: 'overlap' is skip, queue, allow or replace, not 'wait'"},
	{"A8 retention zero", GOOD "retention: 0", "2:66: 'retention' runs from 1 to 1000000, not '0'"},
	{"A8 retention a span", GOOD "retention: 7d", "2:66: 'retention' needs a whole number, not '7d'"},
	{"A8 enabled", GOOD "enabled: yes", "2:64: 'enabled' is false or true, not 'yes'"},
	{"A8 zone", GOOD "timezone: Europe/Berlni",
	 "2:65: unknown time zone 'Europe/Berlni'; did you mean 'Europe/Berlin'?"},
	{"A8 catchup", GOOD "catchup: never",
	 "2:64: 'catchup' is once, skip, all or all:N, not 'never'; N runs from 1 to 1000"},
	{"A8 catchup of none", GOOD "catchup: 'all:0'",
	 "2:64: 'catchup' is once, skip, all or all:N, not 'all:0'; N runs from 1 to 1000"},
	{"A8 catchup of many", GOOD "catchup: 'all:1001'",
	 "2:64: 'catchup' is once, skip, all or all:N, not 'all:1001'; N runs from 1 to 1000"},
	{"A8 jitter", GOOD "jitter: 8d", "2:63: '8d' is longer than 1w"},
	{"A8 start_deadline", GOOD "start_deadline: soon", "2:71: ?"},
	{"A8 max_attempts none", GOOD "max_attempts: 0", "2:69: 'max_attempts' runs from 1 to 20, not '0'"},
	{"A8 max_attempts many", GOOD "max_attempts: 21",
	 "2:69: 'max_attempts' runs from 1 to 20, not '21'"},
	{"A8 retry_on a word", GOOD "retry_on: lost",
	 "2:65: 'retry_on' is none, not 'lost'; or a list of failure, timeout and lost"},
	{"A8 retry_on another word", GOOD "retry_on: [lost, killed]",
	 "2:72: 'retry_on' is failure, timeout or lost, not 'killed'"},
	{"A8 retry_on a list of lists", GOOD "retry_on: [[lost]]", "2:66: 'retry_on' is a list of texts"},
	{"A8 on_lost", GOOD "on_lost: again", "2:64: 'on_lost' is skip or retry, not 'again'"},
	{"A8 on_lost against retry_on", GOOD "on_lost: skip, retry_on: [lost]",
	 "2:64: 'on_lost: skip', but retry_on has 'lost'"},
	{"A8 pause_after", GOOD "pause_after: -1", "2:68: 'pause_after' needs a whole number, not '-1'"},
	{"A8 unknown key", GOOD "promt: q", "2:55: unknown key 'promt'; did you mean 'prompt'?"},
	{"A8 the other spelling", GOOD "maxAttempts: 3",
	 "2:55: unknown key 'maxAttempts'; did you mean 'max_attempts'?"},
	{"A8 a list for a text", GOOD "description: [x]",
	 "2:68: 'description' needs a text, not a list"},
};

static const struct bad_case {
	const char *name, *text, *message, *hint;
} bad_cases[] = {
	/* what does not belong */
	{"unknown key", "# a\ntiemzone: UTC\n", "2:1: unknown key 'tiemzone'",
	 "did you mean 'timezone'?"},
	{"unknown key, far from any", "zzzzzz: 1\n", "1:1: unknown key 'zzzzzz'",
	 "keys here: timezone, store, retention, inheritEnvironment, adapters, agentTemplates, syncedRepos, agents, "
	 "defaultAgent, crons, http, users, promptReminders"},
	{"C6 users: unknown trust", "users: {alice: {trust: close}}",
	 "1:24: 'trust' is public, familiar, inner or full, not 'close'", ""},
	{"C6 users: less trust in the person", "users: {me: {trust: inner}}",
	 "1:21: 'me' cannot have trust 'inner'",
	 "'me' is the person at this machine: leave 'trust' out"},
	{"C6 users: a name that is none", "users: {\"a b\": {}}",
	 "1:9: 'a b' is not a name for a user",
	 "1 to 64 letters, digits, '.', '_' and '-', beginning with a letter, a digit or '_'"},
	{"C10 users: no pattern", "users:\n  alice: {match: [signal]}\n",
	 "2:19: 'signal' is not a pattern for a user",
	 "CHANNEL:TARGET, as in signal:alice-id or terminal:default"},
	{"C10 users: a pattern without a target", "users: {alice: {match: [\"signal:\"]}}",
	 "1:25: 'signal:' is not a pattern for a user",
	 "CHANNEL:TARGET, as in signal:alice-id or terminal:default"},
	{"C10 users: a blank in a pattern", "users: {alice: {match: [\"signal: x\"]}}",
	 "1:25: 'signal: x' is not a pattern for a user",
	 "CHANNEL:TARGET, as in signal:alice-id or terminal:default"},
	{"C10 users: one place, two users",
	 "users:\n  a: {match: [\"signal:x\"]}\n  b: {match: [\"signal:y\", \"signal:x\"]}\n",
	 "3:27: 'signal:x' is a pattern of user 'a' already",
	 "whoever asks from there is one user: leave it with 'a' or 'b'"},
	{"C10 users: patterns that are no texts", "users: {a: {match: [[x]]}}",
	 "1:21: 'match' is a list of texts", ""},
	{"B10 users: no zone", "users: {a: {timezone: Europe/Berlim}}", "1:23: ", NULL},
	{"C6 users: unknown key", "users: {a: {trsut: full}}", "1:13: unknown key 'trsut'",
	 "did you mean 'trust'?"},
	{"C6 users: a list", "users: [a]", "1:8: 'users' needs a mapping, not a list", ""},
	{"unknown key of an agent", "agents:\n  a:\n    dierctory: /\n",
	 "3:5: unknown key 'dierctory'", "did you mean 'directory'?"},
	{"unknown key of deliver", "agents: {a: {deliver: {command: [x], attempt: 2}}}",
	 "1:38: unknown key 'attempt'", "did you mean 'attempts'?"},
	{"keys are exact", "Timezone: UTC\n", "1:1: unknown key 'Timezone'",
	 "did you mean 'timezone'?"},
	{"unknown key after wide characters", "agents: {a: {environment: {X: \"äöü\"}, y: 1}}",
	 "1:39: unknown key 'y'",
	 "keys here: directory, template, role, adapter, command, args, environment, inheritEnvironment, secrets, timeout, "
	 "maxConcurrent, heartbeat, deliver"},
	{"duplicate key", "timezone: UTC\nretention: 1d\ntimezone: UTC\n",
	 "3:1: duplicate key 'timezone'", "it stands in line 1 already; keep one of them"},
	{"duplicate, quoted", "agents:\n  a:\n  \"a\":\n", "3:3: duplicate key 'a'",
	 "it stands in line 2 already; keep one of them"},
	{"the first duplicate is named", "b: 1\na: 1\na: 1\nb: 1\n", "3:1: duplicate key 'a'",
	 "it stands in line 2 already; keep one of them"},
	{"duplicate variable", "agents: {a: {environment: {X: 1, X: 2}}}",
	 "1:34: duplicate key 'X'", "it stands in line 1 already; keep one of them"},
	{"a key that is a list", "[a]: 1\n", "1:1: a key must be a text", "expected 'key: value'"},
	{"an empty key", ": 1\n", "1:1: a key must be a text", "expected 'key: value'"},

	/* kinds */
	{"the whole is a list", "- timezone\n", "1:1: a configuration is a mapping",
	 "expected 'key: value', as in 'timezone: Europe/Berlin'"},
	{"the whole is a text", "\nhello\n", "2:1: a configuration is a mapping",
	 "expected 'key: value', as in 'timezone: Europe/Berlin'"},
	{"text wanted, list given", "timezone: [UTC]\n", "1:11: 'timezone' needs a text, not a list",
	 ""},
	{"text wanted, nothing given", "store:\nretention: 1d\n",
	 "1:1: 'store' needs a text, not nothing", ""},
	{"text wanted, null given", "store: ~\n", "1:1: 'store' needs a text, not nothing", ""},
	{"mapping wanted, text given", "agents: builder\n",
	 "1:9: 'agents' needs a mapping, not a text", ""},
	{"mapping wanted, list given", "agents:\n  - builder\n",
	 "2:3: 'agents' needs a mapping, not a list", ""},
	{"an agent that is a text", "agents:\n  a: \"x\"\n",
	 "2:6: 'a' needs a mapping, not a text", ""},
	{"list wanted, text given", "agents: {a: {deliver: {command: notify me}}}",
	 "1:33: 'command' needs a list, not a text", ""},

	/* values */
	{"B10 a zone mistyped", "timezone: Europe/Berlni\n",
	 "1:11: unknown time zone 'Europe/Berlni'", "did you mean 'Europe/Berlin'?"},
	{"B10 no such zone", "timezone: Mars/Olympus\n", "1:11: unknown time zone ", NULL},
	{"zone out of its folder", "timezone: ../../etc/passwd\n", "1:11: ", NULL},
	{"zone empty", "timezone: ''\n", "1:11: ", NULL},
	{"bad duration", "retention: soon\n", "1:12: ", NULL},
	{"bare number", "retention: 90\n", "1:12: ", NULL},
	{"retention too short", "retention: 23h\n", "1:12: '23h' is shorter than 1d", ""},
	{"store of another kind", "store: mysql://root:secret@h/x\n",
	 "1:8: cannot keep a store in 'mysql://'",
	 "a store is 'sqlite:PATH', a path, or 'postgres://...'"},
	{"store without a path", "store: 'sqlite:'\n", "1:8: an empty path", ""},
	{"agent name", "agents:\n  my agent:\n", "2:3: 'my agent' is not a name for an agent",
	 "1 to 64 letters, digits, '.', '_' and '-', beginning with a letter, a digit or '_'"},
	{"agent name, path", "agents:\n  ../x:\n", "2:3: '../x' is not a name for an agent",
	 "1 to 64 letters, digits, '.', '_' and '-', beginning with a letter, a digit or '_'"},
	{"directory empty", "agents: {a: {directory: ''}}", "1:25: an empty path", ""},
	{"directory of another person", "agents: {a: {directory: ~bob/x}}",
	 "1:25: cannot expand '~bob/x'", "only '~/' is known; write the folder out, or './~...'"},
	{"variable with a dash", "agents: {a: {environment: {A-B: 1}}}",
	 "1:28: 'A-B' is not a name for an environment variable",
	 "letters, digits and '_', not beginning with a digit"},
	{"variable with a digit first", "agents: {a: {environment: {1A: 1}}}",
	 "1:28: '1A' is not a name for an environment variable",
	 "letters, digits and '_', not beginning with a digit"},
	{"variable empty", "agents: {a: {environment: {'': 1}}}",
	 "1:28: '' is not a name for an environment variable",
	 "letters, digits and '_', not beginning with a digit"},
	{"variable of belfry", "agents:\n  a:\n    environment:\n      BELFRY_HOME: /x\n",
	 "4:7: 'BELFRY_HOME' cannot be set here",
	 "variables that begin with BELFRY_ are belfry's own"},
	{"variable without value", "agents:\n  a:\n    environment:\n      X:\n",
	 "4:7: 'X' has no value", "write \"\" for an empty one"},
	{"variable with a list", "agents: {a: {environment: {X: [1]}}}",
	 "1:31: 'X' needs a text, not a list", ""},
	{"deliver without command", "agents:\n  b:\n    deliver:\n      timeout: 5s\n",
	 "4:7: 'deliver' of agent 'b' has no command",
	 "add 'command: [PROGRAM, ARGUMENT...]', or leave 'deliver' out"},
	{"command empty", "agents: {a: {deliver: {command: []}}}",
	 "1:33: 'command' is an empty list", "the program and its arguments: [notify, --from, belfry]"},
	{"command of nothing", "agents: {a: {deliver: {command: ['', x]}}}",
	 "1:34: 'command' names no program", ""},
	{"command with a list inside", "agents: {a: {deliver: {command: [x, [y]]}}}",
	 "1:37: 'command' is a list of texts", ""},
	{"command with nothing inside", "agents: {a: {deliver: {command: [x, ~]}}}",
	 "1:37: 'command' is a list of texts", ""},
	{"timeout too short", "agents: {a: {deliver: {command: [x], timeout: 999ms}}}",
	 "1:47: '999ms' is shorter than 1s", ""},
	{"timeout too long", "agents: {a: {deliver: {command: [x], timeout: 61m}}}",
	 "1:47: '61m' is longer than 1h", ""},
	{"attempts zero", "agents: {a: {deliver: {command: [x], attempts: 0}}}",
	 "1:48: 'attempts' runs from 1 to 20, not '0'", ""},
	{"attempts many", "agents: {a: {deliver: {command: [x], attempts: 99999999999999999999}}}",
	 "1:48: 'attempts' runs from 1 to 20, not '99999999999999999999'", ""},
	{"attempts negative", "agents: {a: {deliver: {command: [x], attempts: -1}}}",
	 "1:48: 'attempts' needs a whole number, not '-1'", ""},
	{"attempts with a tail", "agents: {a: {deliver: {command: [x], attempts: 5x}}}",
	 "1:48: 'attempts' needs a whole number, not '5x'", ""},

	/* prompt reminders */
	{"M2 a pattern that is a text", "promptReminders: [fix]", "1:19: a prompt reminder is a mapping",
	 "{match: \"fix|implement\", say: \"Test first.\"}"},
	{"M2 a bad expression", "promptReminders:\n  - {match: \"fix(\", say: x}",
	 "2:13: 'match' is no regular expression: Unmatched ( or \\(", "POSIX extended, as grep -E reads it: \"fix|implement\""},
	{"M2 an empty expression", "promptReminders: [{match: '', say: x}]", "1:27: 'match' is empty",
	 "\".\" matches every prompt"},
	{"M2 a back reference", "promptReminders: [{match: '(a*)\\1', say: x}]",
	 "1:27: 'match' has a back reference, which may take for ever", ""},
	{"M2 nothing to say", "promptReminders: [{match: fix}]", "1:19: a prompt reminder needs 'say'", ""},
	{"M2 nothing but blanks to say", "promptReminders: [{match: fix, say: ' '}]", "1:37: 'say' is empty", ""},
	{"M2 no expression", "promptReminders: [{say: x}]", "1:19: a prompt reminder needs 'match'", ""},
	{"M2 unknown agent of a pattern", "agents: {ada: }\npromptReminders: [{match: x, say: y, agent: adda}]",
	 "2:45: unknown agent 'adda'", "did you mean 'ada'?"},
	{"M2 unknown key of a pattern", "promptReminders: [{match: x, say: y, agnet: a}]",
	 "1:38: unknown key 'agnet'", "did you mean 'agent'?"},
	{"M2 patterns in a mapping", "promptReminders: {match: x}",
	 "1:18: 'promptReminders' needs a list, not a mapping", ""},

	/* agents that run, adapters, templates, repositories, crons */
	{"A8 adapter unknown", "agents: {a: {adapter: cluade}}", "1:23: unknown adapter 'cluade'",
	 "did you mean 'claude'?"},
	{"A8 adapter unknown, far from any", "agents: {a: {adapter: zzzzzz}}",
	 "1:23: unknown adapter 'zzzzzz'", "there are: claude, codex, gemini, opencode, command"},
	{"adapter and command", "agents: {a: {command: [x], adapter: claude}}",
	 "1:23: agent 'a' has an adapter and a command",
	 "keep one of them; further arguments are 'args'"},
	{"adapter command", "agents: {a: {adapter: command}}", "1:23: adapter 'command' names no program",
	 "write 'command: [PROGRAM, ARGUMENT...]' instead"},
	{"agent's command empty", "agents: {a: {command: []}}", "1:23: 'command' is an empty list",
	 "the program and its arguments: [notify, --from, belfry]"},
	{"agent's command a text", "agents: {a: {command: x y}}",
	 "1:23: 'command' needs a list, not a text", ""},
	{"template and directory", "agents: {a: {directory: /x, template: t}}\nagentTemplates: {t: {source: /t}}",
	 "1:25: agent 'a' has a template and a directory",
	 "a template is copied into every mission, which is where it runs; keep one of them"},
	{"template unknown", "agents: {a: {template: githbu.com/o/t}}\nagentTemplates: {github.com/o/t: }",
	 "1:24: unknown template 'githbu.com/o/t'", "did you mean 'github.com/o/t'?"},
	{"template unknown, of none", "agents: {a: {template: t}}", "1:24: unknown template 't'",
	 "there is none"},
	{"args without a place", "agents: {a: {command: [x], args: [y]}}",
	 "1:34: nothing of agent 'a' takes 'args'",
	 "its command needs the word \"{args}\" where they belong"},
	{"args of somebody who cannot run", "agents: {a: {args: [y]}}",
	 "1:20: nothing of agent 'a' takes 'args'",
	 "its command needs the word \"{args}\" where they belong"},
	{"heartbeat of somebody who cannot run", "agents: {a: {heartbeat: 5m}}",
	 "1:25: agent 'a' has a heartbeat but cannot be run", "add 'adapter:' or 'command:'"},
	{"heartbeat too fast", "agents: {a: {command: [x], heartbeat: 10ms}}",
	 "1:39: '10ms' is shorter than 1s", ""},
	{"heartbeat of another kind", "agents: {a: {command: [x], heartbeat: [5m]}}",
	 "1:39: 'heartbeat' needs a text or a mapping, not a list", ""},
	{"heartbeat, unknown key", "agents: {a: {command: [x], heartbeat: {evry: 5m}}}",
	 "1:40: unknown key 'evry'", "did you mean 'every'?"},
	{"heartbeat, empty prompt", "agents: {a: {command: [x], heartbeat: {prompt: ''}}}",
	 "1:48: 'prompt' is empty", ""},
	{"secrets empty", "agents: {a: {secrets: []}}", "1:23: 'secrets' is an empty list",
	 "the program and its arguments: [notify, --from, belfry]"},
	{"agent's timeout", "agents: {a: {timeout: 31d}}", "1:23: '31d' is longer than 4w2d", ""},
	{"agent's maxConcurrent", "agents: {a: {maxConcurrent: 0}}",
	 "1:29: 'maxConcurrent' runs from 1 to 1000, not '0'", ""},
	{"default agent unknown", "defaultAgent: bulider\nagents: {builder: {adapter: claude}}",
	 "1:15: unknown agent 'bulider'", "did you mean 'builder'?"},
	{"default agent that cannot be run", "defaultAgent: me\n", "1:15: agent 'me' cannot be run",
	 "give it an 'adapter' or a 'command'"},
	{"an agent that is a template", "agents: {t: }\nagentTemplates: {t: {source: /t}}",
	 "1:10: agent 't' is a template already",
	 "each of 'agentTemplates' is also an agent of that name"},
	{"a template in a directory", "agentTemplates: {t: {source: /t, directory: /x}}",
	 "1:34: unknown key 'directory'",
	 "keys here: source, git, adapter, command, args, environment, inheritEnvironment, secrets, timeout, "
	 "maxConcurrent, heartbeat, deliver"},
	{"a template out of its folder", "agentTemplates: {a/../../b: }",
	 "1:18: 'a/../../b' is not a name for a template",
	 "letters, digits, '.', '_' and '-', in parts with '/' between, as in github.com/owner/name"},
	{"a template without source", "agentTemplates: {local-one: }", "1:18: 'local-one' has no source",
	 "add 'source:' with a URL or a folder; only a name like github.com/owner/name needs none"},
	{"a template of another kind", "agentTemplates: {t: /x}", "1:21: 't' needs a mapping, not a text", ""},
	{"a template named me", "agentTemplates: {me: {source: /x}}",
	 "1:18: 'me' is not a name for a template",
	 "letters, digits, '.', '_' and '-', in parts with '/' between, as in github.com/owner/name"},
	{"a repository that is absolute", "syncedRepos: [/etc]", "1:15: '/etc' is not a name for a repository",
	 "letters, digits, '.', '_' and '-', in parts with '/' between, as in github.com/owner/name"},
	{"a repository's inside", "syncedRepos: {a/.git: {source: /x}}",
	 "1:15: 'a/.git' is not a name for a repository",
	 "letters, digits, '.', '_' and '-', in parts with '/' between, as in github.com/owner/name"},
	{"a repository twice", "syncedRepos: [a.b/c, a.b/c]", "1:22: repository 'a.b/c' stands twice", ""},
	{"repositories of another kind", "syncedRepos: a.b/c", "1:14: 'syncedRepos' needs a list or a mapping, not a text", ""},
	{"repositories in a list of lists", "syncedRepos: [[a.b/c]]",
	 "1:15: 'syncedRepos' is a list of names, or a mapping", ""},
	{"a source that is nothing", "syncedRepos: {a: {source: nowhere/b}}",
	 "1:27: source 'nowhere/b' is neither a folder nor a repository",
	 "a URL, or a folder that begins with '/', '~/' or './'"},
	{"a source that is an option", "syncedRepos: {a: {source: --upload-pack=x}}",
	 "1:27: '--upload-pack=x' is not a source", ""},
	{"a source that is empty", "syncedRepos: {a: {source: ''}}", "1:27: an empty path", ""},
	{"git of another word", "syncedRepos: {a: {source: /x, git: yes}}",
	 "1:36: 'git' is false or true, not 'yes'", ""},
	{"an adapter without headless", "adapters: {mine: {output: json}}",
	 "1:12: adapter 'mine' has no headless", "add 'headless: [PROGRAM, ARGUMENT...]'"},
	{"an adapter's headless taken away", "adapters: {claude: {headless: []}}",
	 "1:31: 'headless' is an empty list", "the program and its arguments: [notify, --from, belfry]"},
	{"an adapter's session", "adapters: {mine: {headless: [x], session: some}}",
	 "1:43: 'session' is none, chosen or read, not 'some'", ""},
	{"an adapter's output", "adapters: {mine: {headless: [x], output: xml}}",
	 "1:42: 'output' is text, json or lines, not 'xml'", ""},
	{"an adapter that resumes nothing", "adapters: {mine: {headless: [x], resume: [x, \"{session}\"]}}",
	 "1:12: adapter 'mine' has 'resume' but no session", "add 'session: chosen' or 'session: read'"},
	{"A26 an adapter that resumes the latest",
	 "adapters: {mine: {headless: [x, \"{session}\"], session: chosen, resume: [x, -c]}}",
	 "1:12: 'resume' of adapter 'mine' does not name the session",
	 "add \"{session}\" where its id belongs"},
	{"an adapter that is not told its session", "adapters: {mine: {headless: [x], session: chosen}}",
	 "1:12: 'headless' of adapter 'mine' does not name the session",
	 "add \"{session}\" where its id belongs"},
	{"an adapter that is told none", "adapters: {mine: {headless: [x, \"{session}\"]}}",
	 "1:12: 'headless' of adapter 'mine' names a session that is not chosen", "add 'session: chosen'"},
	{"an adapter that cannot read its session", "adapters: {mine: {headless: [x], session: read}}",
	 "1:12: adapter 'mine' cannot read its session",
	 "add 'output: json' (or lines) and 'session_path'"},
	{"H15 a pattern that is none", "adapters: {claude: {live: {busy: \"(a\"}}}",
	 "1:34: '(a' is no extended regular expression: Unmatched ( or \\(", ""},
	{"H15 a pattern with a back reference", "adapters: {claude: {live: {blocked: '(a)\\1'}}}",
	 "1:37: '(a)\\1' has a back reference", "matching one can take for ever; write it out"},
	{"H15 an input line without what is typed", "adapters: {claude: {live: {input: '^> '}}}",
	 "1:35: '^> ' does not say what is typed", "put that part in parentheses: '^> (.*)$'"},
	{"H15 hooks that nobody has", "adapters: {claude: {live: {hooks: codex}}}",
	 "1:35: 'hooks' is claude, not 'codex'", ""},
	{"H15 a transcript somewhere", "adapters: {claude: {live: {transcript: x.log}}}",
	 "1:40: 'x.log' is not absolute", "write it from / on, with {session} where its id is"},
	{"H15 quiet for too short", "adapters: {claude: {live: {quiet: 1ms}}}",
	 "1:35: '1ms' is shorter than 100ms", ""},
	{"H15 an unknown key of live", "adapters: {claude: {live: {bussy: x}}}",
	 "1:28: unknown key 'bussy'", "did you mean 'busy'?"},
	{"an adapter's unknown key", "adapters: {mine: {headles: [x]}}", "1:19: unknown key 'headles'",
	 "did you mean 'headless'?"},
	{"A2 crons a list", "crons: [a]", "1:8: 'crons' needs a mapping, not a list", ""},
	{"A2 a cron that is a text", "crons:\n  nightly: 0 9 * * *\n",
	 "2:12: 'nightly' needs a mapping, not a text", ""},
	{"A2 a cron that is nothing", "crons:\n  nightly:\n", "2:3: 'nightly' needs a mapping, not nothing", ""},
	{"A4 maxConcurrent zero", "crons: {maxConcurrent: 0}",
	 "1:24: 'maxConcurrent' runs from 1 to 1000, not '0'", ""},
	{"A4 maxConcurrent many", "crons: {maxConcurrent: 1001}",
	 "1:24: 'maxConcurrent' runs from 1 to 1000, not '1001'", ""},
	{"A4 maxConcurrent a mapping", "crons: {maxConcurrent: {schedule: x}}",
	 "1:24: 'maxConcurrent' needs a text, not a mapping", ""},

	/* YAML itself */
	{"wrong bracket", "timezone: UTC\nagents: {x: [1, 2}\n", "2:18: mismatched flow mapping end",
	 "expected ',' or ']' for the '[' of line 2, column 13"},
	{"open bracket", "agents: {a: {\n", "2:1: did not find expected node content",
	 "expected ',' or '}' for the '{' of line 1, column 13"},
	{"tab", "agents:\n\ta:\n", "2:1: tab character may not be used as indentation",
	 "indent with spaces"},
	{"open quote", "store: 'x\n", "1:9: single-quoted scalar without closing quote",
	 "expected the same quote at the end of the text"},
	{"bad escape", "store: \"a\\q\"\n", "1:10: invalid escape 'q' in double-quoted string",
	 "in double quotes a backslash is written \\\\"},
	{"two colons", "store: a: b\n", "1:9: invalid nested block mapping on the same line",
	 "put a text that holds ': ' in quotes"},
	{"reserved sign", "store: @x\n", "1:8: plain scalar cannot start with '@'",
	 "put the text in quotes"},
	{"crooked indentation", "agents:\n    a:\n  b:\n", "3:3: invalid indentation in mapping",
	 "keys of one mapping begin in the same column"},
	{"a list that ends in a key", "- a\nb: c\n", "2:1: invalid scalar at the end of block sequence",
	 "expected '- item' in column 1, as in line 1"},
	{"another version", "%YAML 3.0\n---\ntimezone: UTC\n", "1:1: this is not YAML",
	 "expected 'key: value'"},
	{"second document", "timezone: UTC\n---\nretention: 1d\n",
	 "2:1: a second document; one file is one configuration", ""},
	{"tag", "timezone: !zone UTC\n", "1:17: tags ('!...') have no meaning here", ""},
	{"unknown alias", "store: *here\n", "1:8: unknown alias '*here'",
	 "name it before with '&here', or quote the text"},
	{"an alias of itself", "agents: &a {x: *a}\n", "1:16: unknown alias '*a'",
	 "name it before with '&a', or quote the text"},
	{"merge of a text", "agents: {a: {<<: x}}\n", "1:18: '<<' merges mappings only", ""},
	{"not utf-8", "timezone: UTC\nstore: /\xff\n", "2:1: this line is not UTF-8", ""},
	{"control character", "store: \"\033[2J\"\n", "1:1: a control character in this line", ""},
	{"escaped control character", "store: \"\\e[2J\"\n", "1:8: a control character in a text", ""},
	{"escaped nul", "store: \"/x\\0y\"\n", "1:8: a control character in a text", ""},
	{"deep", "a: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\n", "1:35: nested too deeply", ""},
};
/* clang-format on */

static void dump_list(struct buf *b, const char *name, char *const *texts)
{
	if (!texts)
		return;
	buf_printf(b, " %s=", name);
	for (; *texts; texts++)
		buf_printf(b, "[%s]", *texts);
}

static bool is_same_list(char *const *a, char *const *b)
{
	AUTO_BUF struct buf one = {0}, other = {0};

	dump_list(&one, "", a);
	dump_list(&other, "", b);
	return strcmp(buf_text(&one), buf_text(&other)) == 0;
}

static void dump_live(struct buf *b, const struct adapter_live *live)
{
	char span[DURATION_TEXT_MAX];

	duration_format(live->quiet, span);
	buf_printf(b, " live=<%s|%s|%s|%s|%s|%s|%s>", live->busy ? live->busy : "",
		   live->blocked ? live->blocked : "", live->input ? live->input : "",
		   live->hooks ? live->hooks : "", live->transcript ? live->transcript : "",
		   live->paste ? "paste" : "", span);
}

static void dump_adapter(struct buf *b, const struct adapter *a)
{
	AUTO(adapter_free) struct adapter *built_in = adapter_built_in(a->name);
	AUTO_BUF struct buf live = {0}, built_in_live = {0};

	buf_printf(b, " adapter=%s/%s/%s", a->name, adapter_session_word(a->session),
		   adapter_output_word(a->output));
	/* What a built-in one is like is the adapters' own test: here only what differs. */
	for (int use = 0; use < USE_COUNT; use++) {
		AUTO(adapter_free) struct adapter *plain = adapter_built_in(a->name);
		AUTO_BUF struct buf mine = {0}, theirs = {0};

		/* A command is the same on a terminal. */
		if (use >= USE_INTERACTIVE &&
		    is_same_list(a->templates[use], a->templates[use - USE_INTERACTIVE]))
			continue;
		dump_list(&mine, adapter_use_words[use], a->templates[use]);
		dump_list(&theirs, adapter_use_words[use], plain ? plain->templates[use] : NULL);
		if (strcmp(buf_text(&mine), buf_text(&theirs)) != 0)
			buf_printf(b, "%s", mine.len ? buf_text(&mine) : " (taken away)");
	}
	dump_live(&live, &a->live);
	dump_live(&built_in_live, built_in ? &built_in->live : &(struct adapter_live){0});
	if (strcmp(live.data, built_in_live.data) != 0)
		buf_add_str(b, live.data);
}

static void dump_agent(struct buf *b, const struct config_agent *a)
{
	char span[DURATION_TEXT_MAX];

	buf_add_str(b, a->name);
	if (a->adapter)
		dump_adapter(b, a->adapter);
	dump_list(b, "args", a->args);
	if (a->template)
		buf_printf(b, " template=%s", a->template);
	dump_list(b, "secrets", a->secrets);
	duration_format(a->time_limit, span);
	if (a->time_limit)
		buf_printf(b, " limit=%s", span);
	if (a->max_concurrent)
		buf_printf(b, " concurrent=%d", a->max_concurrent);
	duration_format(a->heartbeat, span);
	if (a->heartbeat)
		buf_printf(b, " heartbeat=%s", span);
	if (a->heartbeat_prompt)
		buf_printf(b, "(%s)", a->heartbeat_prompt);
	if (a->directory)
		buf_printf(b, " directory=%s", a->directory);
	dump_list(b, "environment", a->environment);
	dump_list(b, "deliver", a->deliver);
	duration_format(a->deliver_timeout, span);
	buf_printf(b, " timeout=%s attempts=%d\n", span, a->deliver_attempts);
}

static void dump_span(struct buf *b, const char *name, usec_t span, usec_t absent)
{
	char text[DURATION_TEXT_MAX];

	if (span == absent)
		return;
	duration_format(span, text);
	buf_printf(b, " %s=%s", name, text);
}

static void dump_number(struct buf *b, const char *name, int number)
{
	if (number >= 0)
		buf_printf(b, " %s=%d", name, number);
}

static void dump_text(struct buf *b, const char *name, const char *text)
{
	if (text)
		buf_printf(b, " %s=<%s>", name, text);
}

static void dump_cron(struct buf *b, const struct config_cron *c)
{
	buf_printf(b, "cron %s at %d:%d%s", c->name, c->line, c->column, c->enabled ? "" : " off");
	dump_text(b, "schedule", c->schedule);
	dump_text(b, "timezone", c->timezone);
	dump_text(b, "agent", c->agent);
	dump_text(b, "prompt", c->prompt);
	dump_text(b, "description", c->description);
	dump_text(b, "git", c->git);
	dump_span(b, "timeout", c->timeout, -1);
	dump_text(b, "overlap", c->overlap);
	dump_text(b, "catchup", c->catchup);
	dump_span(b, "start_deadline", c->start_deadline, 0);
	dump_span(b, "jitter", c->jitter, 0);
	dump_number(b, "retention", c->retention);
	dump_number(b, "max_attempts", c->max_attempts);
	dump_number(b, "retry_on", c->retry_on);
	dump_span(b, "backoff", c->backoff, -1);
	dump_number(b, "pause_after", c->pause_after);
	buf_add_char(b, '\n');
	if (c->problem)
		buf_printf(b, "  problem %s\n", c->problem);
}

static void dump_sources(struct buf *b, const char *what, const struct config_source *s,
			 size_t count)
{
	for (size_t i = 0; i < count; i++)
		buf_printf(b, "%s %s %s=%s\n", what, s[i].name, s[i].is_git ? "git" : "folder",
			   s[i].origin);
}

static void dump_user(struct buf *b, const struct config_user *u)
{
	buf_printf(b, "user %s %s", u->name, u->trust);
	dump_list(b, "match", u->match);
	dump_text(b, "timezone", u->timezone);
	buf_add_char(b, '\n');
}

static void dump(struct buf *b, const struct config *c)
{
	char retention[DURATION_TEXT_MAX];

	if (c->timezone)
		buf_printf(b, "timezone=%s\n", c->timezone);
	if (c->store)
		buf_printf(b, "store=%s\n", c->store);
	duration_format(c->retention, retention);
	buf_printf(b, "retention=%s\n", retention);
	for (size_t i = 0; i < c->agent_count; i++)
		dump_agent(b, &c->agents[i]);
	dump_sources(b, "template", c->templates, c->template_count);
	dump_sources(b, "repo", c->repos, c->repo_count);
	if (c->default_agent)
		buf_printf(b, "default=%s\n", c->default_agent);
	if (c->max_concurrent != CONFIG_CONCURRENT_DEFAULT)
		buf_printf(b, "concurrent=%d\n", c->max_concurrent);
	for (size_t i = 0; i < c->cron_count; i++)
		dump_cron(b, &c->crons[i]);
	for (size_t i = 0; i < c->user_count; i++)
		dump_user(b, &c->users[i]);
}

static void test_good(void **state)
{
	const struct good_case *g = *state;
	AUTO(config_free) struct config *c = NULL;
	AUTO_BUF struct buf b = {0};
	struct error err = {0};

	if (config_parse(g->text, strlen(g->text), "/etc/belfry/config.yml", &c, &err) < 0)
		fail_msg("%s (%s)", err.message, err.hint);
	dump(&b, c);
	assert_string_equal(buf_text(&b), g->want);
}

/* Parse a text that is wrong, with stderr in a file: nothing may be printed there. */
static int parse_quietly(const char *text, size_t len, struct error *err)
{
	FILE *printed = tmpfile();
	struct config *c = NULL;
	int saved = dup(STDERR_FILENO), r;

	assert_non_null(printed);
	dup2(fileno(printed), STDERR_FILENO);
	r = config_parse(text, len, "config.yml", &c, err);
	dup2(saved, STDERR_FILENO);
	close(saved);
	assert_int_equal(lseek(fileno(printed), 0, SEEK_END), 0);
	fclose(printed);
	assert_null(c);
	return r;
}

static void test_bad(void **state)
{
	const struct bad_case *bad = *state;
	AUTO(free) char *want = mem_printf("config.yml:%s", bad->message);
	struct error err = {0};

	assert_int_equal(parse_quietly(bad->text, strlen(bad->text), &err), ERR_INVALID);
	/* Without a hint to compare, the words are another's: the place is ours. */
	if (!bad->hint) {
		assert_true(strlen(err.message) > strlen(want));
		err.message[strlen(want)] = '\0';
	}
	assert_string_equal(err.message, want);
	if (bad->hint)
		assert_string_equal(err.hint, bad->hint);
}

static void test_nul(void **state)
{
	static const char text[] = "timezone: UTC\nretention: 1d\0\n";
	struct error err = {0};

	(void)state;
	assert_int_equal(parse_quietly(text, sizeof(text) - 1, &err), ERR_INVALID);
	assert_string_equal(err.message, "config.yml:2:1: a control character in this line");
}

/* Texts that would cost much if they were taken at their word. */
static void test_bombs(void **state)
{
	AUTO_BUF struct buf laughs = {0}, merges = {0}, keys = {0};
	struct error err = {0};

	(void)state;
	buf_add_str(&laughs, "a0: &a0 [x, x]\n");
	for (int i = 1; i < 40; i++)
		buf_printf(&laughs, "a%d: &a%d [*a%d, *a%d, *a%d]\n", i, i, i - 1, i - 1, i - 1);
	assert_int_equal(parse_quietly(laughs.data, laughs.len, &err), ERR_INVALID);
	assert_string_equal(err.message, "config.yml:1:1: unknown key 'a0'");

	buf_add_str(&merges, "m: &m {");
	for (int i = 0; i < 5000; i++)
		buf_printf(&merges, "k%d: 1, ", i);
	buf_add_str(&merges, "}\n");
	for (int i = 0; i < 5000; i++)
		buf_printf(&merges, "n%d: {<<: *m}\n", i);
	assert_int_equal(parse_quietly(merges.data, merges.len, &err), ERR_INVALID);
	assert_non_null(strstr(err.message, "too much is merged with '<<'"));

	for (int i = 0; i < 60000; i++)
		buf_printf(&keys, "k%d: 1\n", i);
	assert_int_equal(parse_quietly(keys.data, keys.len, &err), ERR_INVALID);
	assert_non_null(strstr(err.message, "too much in one file"));
}

static void test_too_large(void **state)
{
	AUTO_BUF struct buf b = {0};
	struct error err = {0};

	(void)state;
	while (b.len <= 1024 * 1024)
		buf_add_str(&b, "# a comment\n");
	assert_int_equal(parse_quietly(b.data, b.len, &err), ERR_INVALID);
	assert_string_equal(err.message, "'config.yml' is larger than 1048576 bytes");
}

static void test_load(void **state)
{
	char folder[] = "/tmp/test-config.XXXXXX";
	AUTO(free) char *path = NULL;
	AUTO(config_free) struct config *missing = NULL, *c = NULL;
	struct error err = {0};

	(void)state;
	assert_non_null(mkdtemp(folder));
	path = mem_printf("%s/config.yml", folder);
	assert_int_equal(config_load(path, &missing, &err), 0);
	assert_string_equal(missing->path, path);
	assert_int_equal(missing->agent_count, 1);
	assert_int_equal(missing->retention, 90 * USEC_PER_DAY);

	assert_int_equal(file_write(path, "agents: {a: {directory: x}}\n", 28, &err), 0);
	assert_int_equal(config_load(path, &c, &err), 0);
	assert_int_equal(c->agent_count, 2);
	assert_memory_equal(c->agents[1].directory, folder, strlen(folder));
	assert_string_equal(c->agents[1].directory + strlen(folder), "/x");
	unlink(path);
	assert_int_equal(config_load(folder, &c, &err), ERR_INVALID); /* a folder */
	rmdir(folder);
}

static void test_agent(void **state)
{
	static const char text[] = "agents: {builder: , reviewer: }";
	AUTO(config_free) struct config *c = NULL;
	struct error err = {0};

	(void)state;
	assert_int_equal(config_parse(text, strlen(text), "/c/config.yml", &c, &err), 0);
	assert_string_equal(config_agent(c, "me", &err)->name, "me");
	assert_string_equal(config_agent(c, "reviewer", &err)->name, "reviewer");
	assert_null(config_agent(c, "bulider", &err));
	assert_int_equal(err.code, ERR_NOT_FOUND);
	assert_string_equal(err.message, "no agent 'bulider'");
	assert_string_equal(err.hint,
			    "did you mean 'builder'? agents are declared in '/c/config.yml'");
	assert_null(config_agent(c, "tester", &err));
	assert_string_equal(err.hint, "declare it under 'agents:' in '/c/config.yml'");
}

static void test_cron(void **state)
{
	const struct cron_case *row = *state;
	AUTO(free) char *text = mem_printf(RUNNER "crons: {c: {%s}, d: {" GOOD "}}\n", row->keys);
	AUTO(free) char *want = mem_printf("config.yml:%s", row->problem);
	AUTO(config_free) struct config *c = NULL;
	size_t len = strlen(want);
	struct error err = {0};

	if (config_parse(text, strlen(text), "config.yml", &c, &err) < 0)
		fail_msg("%s (%s)", err.message, err.hint);
	assert_int_equal(c->cron_count, 2);
	assert_non_null(c->crons[0].problem);
	/* "?": the words are another's, the place is ours. */
	if (strcmp(want + len - 2, " ?") == 0) {
		assert_true(strlen(c->crons[0].problem) > len);
		want[len - 1] = c->crons[0].problem[len - 1] = '\0';
	}
	assert_string_equal(c->crons[0].problem, want);
	assert_null(config_cron(c, "d")->problem);
	assert_int_equal(err.code, 0);
}

/* Folders that are there, and repositories in them. */
static void test_sources_on_disk(void **state)
{
	static const char text[] =
		"syncedRepos:\n  plain: {source: plain}\n  bare: {source: bare}\n"
		"  work: {source: work}\n  forced: {source: work, git: true}\n";
	char folder[] = "/tmp/test-config.XXXXXX";
	AUTO(free) char *path = NULL, *make = NULL, *clean = NULL;
	AUTO(config_free) struct config *c = NULL;
	struct error err = {0};

	(void)state;
	assert_non_null(mkdtemp(folder));
	path = mem_printf("%s/config.yml", folder);
	make = mem_printf("cd %s && mkdir plain && git init -q --bare bare && git init -q work",
			  folder);
	clean = mem_printf("rm -r %s", folder);
	assert_int_equal(system(make), 0);
	if (config_parse(text, strlen(text), path, &c, &err) < 0)
		fail_msg("%s", err.message);
	assert_false(config_repo(c, "plain")->is_git);
	assert_true(config_repo(c, "bare")->is_git);
	assert_false(config_repo(c, "work")->is_git);
	assert_true(config_repo(c, "forced")->is_git);
	assert_memory_equal(config_repo(c, "forced")->origin, folder, strlen(folder));
	assert_null(config_repo(c, "other"));
	assert_int_equal(system(clean), 0);
}

static const struct default_case {
	const char *name, *text, *want, *message, *hint;
} default_cases[] = {
	{"B9 the default agent is the named one",
	 "defaultAgent: b\nagents: {a: {command: [x]}, b: {command: [y]}}", "b", NULL, NULL},
	{"B9 the default agent is the only one that can run", "agents: {a: , b: {command: [y]}}",
	 "b", NULL, NULL},
	{"B9 no agent can run", "agents: {a: }", NULL, "no agent that can be run",
	 "give one an 'adapter' or a 'command' in '/c/config.yml'"},
	{"B9 several can run", "agents: {a: {command: [x]}, b: {command: [y]}}", NULL,
	 "no agent is named, and 2 can be run",
	 "name one, or set 'defaultAgent' in '/c/config.yml'"},
};

static void test_default(void **state)
{
	const struct default_case *row = *state;
	AUTO(config_free) struct config *c = NULL;
	const struct config_agent *agent;
	struct error err = {0};

	assert_int_equal(config_parse(row->text, strlen(row->text), "/c/config.yml", &c, &err), 0);
	agent = config_default_agent(c, &err);
	assert_int_equal(agent != NULL, row->want != NULL);
	if (agent) {
		assert_string_equal(agent->name, row->want);
		return;
	}
	assert_string_equal(err.message, row->message);
	assert_string_equal(err.hint, row->hint);
}

/* --- the reference --- */

static void test_reference(void **state)
{
	struct config_chapter chapter;
	struct config_key key;
	size_t keys = 0;

	(void)state;
	for (size_t i = 0; config_reference_chapter(i, &chapter); i++)
		for (size_t k = 0; config_reference_key(i, k, &key); k++, keys++)
			if (!key.help)
				fail_msg("'%s %s' is in no reference: describe it in reference.c",
					 chapter.place, key.name);
	assert_true(keys > 100);
	if (config_reference_stray(0))
		fail_msg("the reference describes '%s', which is no key",
			 config_reference_stray(0));
}

int main(void)
{
	setenv("HOME", "/home/ann", 1);
	add_table(test_good, good_cases);
	add_table(test_bad, bad_cases);
	add_table(test_cron, cron_cases);
	add_table(test_default, default_cases);
	add_row("sources on the disk", test_sources_on_disk, NULL);
	add_row("a NUL byte", test_nul, NULL);
	add_row("texts that blow up", test_bombs, NULL);
	add_row("a file that is too large", test_too_large, NULL);
	add_row("from a file, and without one", test_load, NULL);
	add_row("agents by name", test_agent, NULL);
	add_row("I16 every key is in the reference, and nothing else", test_reference, NULL);
	return run_rows("config");
}
