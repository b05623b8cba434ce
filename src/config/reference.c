/* reference.c: see reference.h. */
#include "config/reference.h"

#include <string.h>

#include "config/read.h"

struct description {
	const char *name, *help;
};

/* clang-format off */
static const struct description of_file[] = {
	{"timezone", "whose local times are meant, as Europe/Berlin; default: $TZ (for crons that of the daemon), else the machine's"},
	{"store", "where the data is: postgres://USER@HOST/DATABASE; default: the file belfry.db in the state folder"},
	{"retention", "how long ended history is kept, at least 1d; default 90d"},
	{"adapters", "how agents are run: kinds of your own, or changes to claude, codex, gemini, opencode"},
	{"agentTemplates", "folders and repositories of which a mission gets a copy; each is also an agent of that name"},
	{"syncedRepos", "repositories that a cron's `git` may name: a list of names, or names with their sources"},
	{"agents", "who there is besides `me`"},
	{"defaultAgent", "who does what names nobody; default: the only agent that can run"},
	{"crons", "agents run by the clock; `maxConcurrent` in it bounds all headless runs at once, default 10"},
	{"http", "the tools of MCP over HTTP on loopback; off when not given"},
	{"users", "who agents act for; `me` is the person at this machine"},
	{"inheritEnvironment", "which variables of the daemon agents get besides the usual ones: a list of NAME or PREFIX_*, all, or none"},
	{"promptReminders", "what hooks tell an agent whose prompt matches, at most 100"},
	{0},
};
#define RUN_DESCRIPTIONS \
	{"adapter", "how it is run: claude, codex, gemini, opencode, command, or a name of `adapters`"}, \
	{"command", "instead of an adapter: a program, which gets the prompt on standard input"}, \
	{"args", "further arguments, where the adapter has {args}"}, \
	{"environment", "variables of its runs, NAME: VALUE"}, \
	{"inheritEnvironment", "which variables of the daemon it gets: as at the top, which holds where nothing is said here"}, \
	{"secrets", "words put in front of its command, as [op, run, --]: a program that adds secrets"}, \
	{"timeout", "of its runs, where nothing else says so: 1s to 30d; default 1h"}, \
	{"maxConcurrent", "how many of its runs at once, 1 to 1000; default: as many as there is room"}, \
	{"heartbeat", "run again and again, or told something when idle: a duration, a mapping, or none"}, \
	{"deliver", "a command that gets its messages; without one they wait in its queue"}
static const struct description of_agent[] = {
	{"directory", "where it runs, and its conditions and commands; default: your home"},
	{"template", "instead of a directory: a name of `agentTemplates`, copied into every mission"},
	{"role", "a name of roles/: what that says holds where nothing is said here"},
	RUN_DESCRIPTIONS,
	{0},
};
static const struct description of_heartbeat[] = {
	{"every", "so often it is run; default 30m"},
	{"prompt", "what it is told then, besides the time and the board"},
	{"idle", "instead, for a live agent: idle for so long, it is told `message`"},
	{"message", "what; default: to look around"},
	{0},
};
static const struct description of_deliver[] = {
	{"command", "a list of words; gets one message on standard input, and is done when it exits with 0"},
	{"timeout", "1s to 1h; default 30s"},
	{"attempts", "how often a message is tried, 1 to 20; default 5"},
	{0},
};
static const struct description of_template[] = {
	{"source", "a folder, or what git clones; default: the name itself, as a repository"},
	{"git", "whether the source is a repository of git: true or false"},
	RUN_DESCRIPTIONS,
	{0},
};
static const struct description of_repo[] = {
	{"source", "a folder, or what git clones; default: the name itself, as a repository"},
	{"git", "whether the source is a repository of git: true or false"},
	{0},
};
static const struct description of_adapter[] = {
	{"headless", "argv of a run. {prompt}, {session}, {args}, {hooks} and {role} are replaced; without {prompt} it comes on standard input"},
	{"resume", "argv that goes on with a conversation; needs {session}"},
	{"interactive", "argv on a terminal"},
	{"resume_interactive", "argv that goes on with a conversation on a terminal"},
	{"session", "none: no conversation can be continued; chosen: Belfry makes up its id; read: it says its id in its output"},
	{"output", "text: standard output is the answer; json: the last JSON object there; lines: one JSON object a line"},
	{"session_path", "where the id is in that JSON, as a.b.c"},
	{"answer_path", "where the answer is"},
	{"error_path", "what is true, or there at all, when it failed"},
	{"cost_path", "where the cost is, in dollars"},
	{"cost_total", "true: that cost is of the whole conversation, not of one run"},
	{"instructions", "argv that carries {instructions} of a role, put where a template has {role}"},
	{"live", "how a live one is watched and typed to"},
	{0},
};
static const struct description of_live[] = {
	{"busy", "pattern of a line that is on its screen, or its title, only while it works"},
	{"interrupt", "the key that ends what it is doing: esc, ctrl-c, or none where no key does so and leaves it alive"},
	{"blocked", "pattern of a line that is there only while it asks for a permission"},
	{"input", "pattern of the line that one types in; its first group is what was typed"},
	{"hooks", "which hooks it has: claude; empty: none"},
	{"transcript", "the file that grows while it works, with {session}"},
	{"paste", "whether several lines can be pasted as one message: true or false"},
	{"quiet", "silent for so long it counts as idle, when nothing better is known: 100ms to 1h"},
	{0},
};
static const struct description of_cron[] = {
	{"schedule", "a cron line, as \"0 9 * * 1-5\", or @hourly, @daily and so on"},
	{"timezone", "of the schedule; default: the file's"},
	{"agent", "who runs; default: defaultAgent"},
	{"prompt", "what it is told"},
	{"description", "what it is for, in one line"},
	{"git", "a name of `syncedRepos`: the mission gets a copy of it"},
	{"timeout", "of a run: 1s to 30d, or none; default: the agent's, else 1h"},
	{"overlap", "while the one before still runs: skip (default), queue, allow, replace"},
	{"retention", "how many ended missions of it are kept before older ones are archived; default: all"},
	{"enabled", "true (default) or false"},
	{"catchup", "what was missed: skip (default), once, all (the newest 10), all:N (at most 1000)"},
	{"start_deadline", "an occurrence that could not start for so long is missed"},
	{"jitter", "each fire is later by up to so long, at most 1w"},
	{"max_attempts", "runs of one mission, 1 to 20; default 1: no second try"},
	{"retry_on", "what is tried again: failure, timeout, lost, a list of them, or none; default: all three"},
	{"on_lost", "a run that was lost with the machine: retry or skip; the same as `lost` in retry_on"},
	{"backoff", "the wait before the second try, which doubles; default 30s"},
	{"pause_after", "failures in a row after which it is paused; 0: never; default 5"},
	{0},
};
static const struct description of_http[] = {
	{"port", "0 to 65535; 0: any free one, which `belfry status` tells"},
	{0},
};
static const struct description of_user[] = {
	{"trust", "what their agents may do: public, familiar, inner, full"},
	{"match", "where they write from, as \"signal:alice-id\": CHANNEL:TARGET"},
	{"timezone", "of their times; default: the file's"},
	{0},
};
static const struct description of_pattern[] = {
	{"match", "an extended regular expression, in any case, at most 500 bytes"},
	{"say", "what the agent is told, at most 2000 bytes"},
	{"agent", "only this one's prompts; default: everybody's"},
	{0},
};
static const struct description of_role[] = {
	{"name", "if given, that of the file"},
	{"description", "what kind of agent it is, in one line"},
	{"instructions", "what it is told once, before anything else"},
	{"reminders", "what every agent with this role is reminded of"},
	{"directory", "where it runs, and its conditions and commands"},
	{"template", "instead of a directory: a name of `agentTemplates`"},
	RUN_DESCRIPTIONS,
	{0},
};
static const struct description of_reminder[] = {
	{"name", "one that no other reminder of the role has"},
	{"message", "what the agent is told"},
	{"schedule", "when"},
	{"priority", "interrupt, normal, idle-first, idle"},
	{"condition", "only if"},
	{"catchup", "what was missed: once, skip, all (the newest 10), all:N (at most 1000)"},
	{"count", "so many fires and no more; 0: without end"},
	{"fallback", "when its agent has no session: wait, run, start"},
	{"enabled", "true (default) or false"},
	{0},
};
static const struct description of_schedule[] = {
	{"every", "a duration, as 30m"},
	{"at", "an instant, or a local time"},
	{"in", "not in a role: from when would it count?"},
	{"cron", "a cron line"},
	{"rrule", "a rule of RFC 5545, as FREQ=WEEKLY;BYDAY=MO"},
	{"idle", "when its agent has been idle for so long"},
	{"timezone", "of the schedule; default: the file's"},
	{0},
};
static const struct description of_condition[] = {
	{"command", "a shell command: it fires when that exits with 0"},
	{"prompt", "a question that the agent answers itself"},
	{"mode", "each: asked every time; until: fires until it is true; once: fires the first time it is true"},
	{"timeout", "of the command, 1s to 10m"},
	{0},
};

static const struct chapter {
	struct config_chapter words;
	const struct keys *keys;
	const struct description *descriptions;
} chapters[] = {
	{{"", "The file itself. A missing file is one that says nothing. Durations are texts as 30s, 5m, 2h, 90d."}, &published_config_keys, of_file},
	{{"agents: NAME:", "One agent. `me`, the person at this machine, may have `deliver` too."}, &published_agent_keys, of_agent},
	{{"agents: NAME: heartbeat:", "Either `every`, with a `prompt`, or `idle`, with a `message`."}, &published_heartbeat_keys, of_heartbeat},
	{{"agents: NAME: deliver:", "How messages reach an agent that Belfry does not host."}, &published_deliver_keys, of_deliver},
	{{"agentTemplates: NAME:", "What missions get a copy of."}, &published_template_keys, of_template},
	{{"syncedRepos: NAME:", "What is kept up to date for missions."}, &published_repo_keys, of_repo},
	{{"adapters: NAME:", "One way to run agents. One with the name of a built-in adapter begins as that; another needs `headless`."}, &published_adapter_keys, of_adapter},
	{{"adapters: NAME: live:", "Patterns are extended regular expressions on one line."}, &published_live_keys, of_live},
	{{"crons: NAME:", "One cron; `schedule` and `prompt` are needed. `crons: maxConcurrent:` is a number, 1 to 1000."}, &published_cron_keys, of_cron},
	{{"http:", "Where /mcp listens, on 127.0.0.1 and [::1]. Clients need a token: belfry token add."}, &published_http_keys, of_http},
	{{"users: NAME:", "Somebody agents act for."}, &published_user_keys, of_user},
	{{"promptReminders: -", "An item of the list."}, &published_pattern_keys, of_pattern},
	{{"roles/NAME.yml:", "A file a role, beside config.yml. An agent of the same name has it, and so have those with `role: NAME`."}, &published_role_keys, of_role},
	{{"roles/NAME.yml: reminders: -", "An item of the list."}, &published_reminder_keys, of_reminder},
	{{"roles/NAME.yml: reminders: - schedule:", "One of every, at, cron, rrule, idle; and a timezone."}, &published_schedule_keys, of_schedule},
	{{"roles/NAME.yml: reminders: - condition:", "Either a command or a prompt."}, &published_condition_keys, of_condition},
};
/* clang-format on */

#define CHAPTERS (sizeof(chapters) / sizeof(chapters[0]))

int config_reference_chapter(size_t chapter, struct config_chapter *ret)
{
	if (chapter >= CHAPTERS)
		return 0;
	*ret = chapters[chapter].words;
	return 1;
}

static const char *takes(unsigned kinds)
{
	static const char *const words[] = {
		"",	   "text",	    "list",	     "text, list",
		"mapping", "text, mapping", "list, mapping", "anything"};

	return words[(kinds & TAKES_TEXT ? 1 : 0) + (kinds & TAKES_LIST ? 2 : 0) +
		     (kinds & TAKES_MAP ? 4 : 0)];
}

int config_reference_key(size_t chapter, size_t nth, struct config_key *ret)
{
	const struct chapter *c = &chapters[chapter];

	for (size_t i = 0; i < c->keys->count; i++) {
		const struct key *key = &c->keys->rows[i];

		if (!key->name || nth-- > 0)
			continue;
		*ret = (struct config_key){.name = key->name, .takes = takes(key->takes)};
		for (const struct description *d = c->descriptions; d->name; d++)
			if (strcmp(d->name, key->name) == 0)
				ret->help = d->help;
		return 1;
	}
	return 0;
}

static bool has_key(const struct chapter *c, const char *name)
{
	for (size_t i = 0; i < c->keys->count; i++)
		if (c->keys->rows[i].name && strcmp(c->keys->rows[i].name, name) == 0)
			return true;
	return false;
}

const char *config_reference_stray(size_t nth)
{
	for (size_t i = 0; i < CHAPTERS; i++)
		for (const struct description *d = chapters[i].descriptions; d->name; d++)
			if (!has_key(&chapters[i], d->name) && nth-- == 0)
				return d->name;
	return NULL;
}
