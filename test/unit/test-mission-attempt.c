/*
 * test-mission-attempt.c: stories of missions that fail: attempts, pauses, what is kept, and clocks
 * that are set.
 * See story.h for the language.
 */
#include "story-rows.h"

/* clang-format off */
static const struct story_row retries[] = {
	{"B4 a failure is retried after a back-off that doubles",
	 "yaml; work every=1d attempts=4; @1+10:00:00; start; end error m1 'exit status 3'; "
	 "@1+10:00:29; @1+10:00:40; start; end error; @1+10:02:00; start; end error; @1+10:05:00; "
	 "start; end success",
	 "w active, 1 fired, due 2+10:00:00\n"
	 "  1+10:00:00 ran: ran for 0s\n"
	 "= m1 ended 4/4: ran for 0s\n"
	 "  #1 attempt error: exit status 3\n"
	 "  #2 attempt error\n"
	 "  #3 attempt error\n"
	 "  #4 attempt success\n"
	 "* go m1/1\n"
	 "* go m1/2\n"
	 "* go m1/3\n"
	 "* go m1/4\n"},
	{"N3 a retry that waits while the store is away comes when it is back",
	 "yaml; work door=task in=10m attempts=2; @10:10:00; start; end error m1 'no'; reopen; "
	 "@10:10:40; start; end success",
	 "w completed, 1 fired: its only time has come\n"
	 "  10:10:00 ran: ran for 0s\n"
	 "= m1 ended 2/2: ran for 0s\n"
	 "  #1 attempt error: no\n"
	 "  #2 attempt success\n"
	 "* go m1/1\n"
	 "* go m1/2\n"},
	{"B5 after the last attempt it stays failed, and the person gets the text",
	 "yaml; work door=task in=10m attempts=2 prompt='water the plants'; @10:10:00; start; "
	 "end error m1 'no water'; @10:11:00; start; end error m1 'no plants'; @10:30:00",
	 "w completed, 1 fired: its only time has come\n"
	 "  10:10:00 failed: no plants\n"
	 "= m1 ended 2/2: no plants\n"
	 "  #1 attempt error: no water\n"
	 "  #2 attempt error: no plants\n"
	 "> me normal queued: task 'w' failed: no plants\n"
	 "\n"
	 "It was mission m1 of agent 'cyd', attempt 2 of 2; see: belfry mission show m1\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "water the plants\n"
	 "* go m1/1\n"
	 "* go m1/2\n"},
	{"B6 a failure is not retried when that is switched off",
	 "yaml; work every=10m attempts=3 retry=timeout,lost; @10:10:00; start; end error",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 failed: it failed without a word\n"
	 "= m1 ended 1/3: it failed without a word\n"
	 "  #1 attempt error\n"
	 "> me normal queued: reminder 'w' failed: it failed without a word\n"
	 "\n"
	 "It was mission m1 of agent 'cyd', attempt 1 of 3; see: belfry mission show m1\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "do it\n"
	 "* go m1/1\n"},
	{"B6 a timeout is retried",
	 "yaml; work every=10m attempts=2 limit=2m; @10:10:00; start; end timeout",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 running: attempt 1 of 2 failed: no end within 2m, so it was ended; the next one "
	 "follows after 30s\n"
	 "= m1 waiting 1/2 from 10:10:30: attempt 1 of 2 failed: no end within 2m, so it was ended; "
	 "the next one follows after 30s\n"
	 "  #1 attempt timeout\n"
	 "* go m1/1\n"},
	{"B6 a timeout is not retried when that is switched off",
	 "yaml; work every=10m attempts=2 retry=failure,lost; @10:10:00; start; end timeout",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 failed: no end within 1h, so it was ended\n"
	 "= m1 ended 1/2: no end within 1h, so it was ended\n"
	 "  #1 attempt timeout\n"
	 "> me normal queued: reminder 'w' failed: no end within 1h, so it was ended\n"
	 "\n"
	 "It was mission m1 of agent 'cyd', attempt 1 of 2; see: belfry mission show m1\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "do it\n"
	 "* go m1/1\n"},
	{"B6 a lost run is retried when what it left is gone",
	 "yaml; work every=10m attempts=2; @10:10:00; start; gone; exit 0",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 running: attempt 1 of 2 failed: its wrapper was killed, or the machine went "
	 "down; the next one follows after 30s\n"
	 "= m1 waiting 1/2 from 10:10:30: attempt 1 of 2 failed: its wrapper was killed, or the "
	 "machine went down; the next one follows after 30s\n"
	 "  #1 attempt orphaned: its wrapper was killed, or the machine went down\n"
	 "* go m1/1\n"},
	{"B6 a lost run is not retried when that is switched off",
	 "yaml; work every=10m attempts=2 retry=failure,timeout; @10:10:00; start; gone; exit 0",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 failed: its wrapper was killed, or the machine went down\n"
	 "= m1 ended 1/2: its wrapper was killed, or the machine went down\n"
	 "  #1 attempt orphaned: its wrapper was killed, or the machine went down\n"
	 "> me normal queued: reminder 'w' failed: its wrapper was killed, or the machine went down\n"
	 "\n"
	 "It was mission m1 of agent 'cyd', attempt 1 of 2; see: belfry mission show m1\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "do it\n"
	 "* go m1/1\n"},
	{"B6 a sweep that fails is told and does not stop the rest",
	 "yaml; work every=10m attempts=2; @10:10:00; start; gone; exit 1",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 running: attempt 1 of 2 failed: its wrapper was killed, or the machine went "
	 "down; the next one follows after 30s\n"
	 "= m1 waiting 1/2 from 10:10:30: attempt 1 of 2 failed: its wrapper was killed, or the "
	 "machine went down; the next one follows after 30s\n"
	 "  #1 attempt orphaned: its wrapper was killed, or the machine went down\n"
	 "* go m1/1\n"},
	{"A14 the daemon was stopped: retried as lost",
	 "yaml; work every=10m attempts=2; @10:10:00; start; end daemon_shutdown; crash; @10:11:00",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 running: runs as mission m1\n"
	 "= m1 starting 2/2\n"
	 "  #1 attempt daemon_shutdown\n"
	 "  #2 attempt begins\n"
	 "$ start m1/2\n"
	 "* go m1/1\n"},
	{"A14 the daemon was stopped, and that was the only attempt",
	 "yaml; work every=10m; @10:10:00; start; end daemon_shutdown",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 failed: the daemon was stopped while it ran\n"
	 "= m1 ended 1/1: the daemon was stopped while it ran\n"
	 "  #1 attempt daemon_shutdown\n"
	 "> me normal queued: reminder 'w' failed: the daemon was stopped while it ran\n"
	 "\n"
	 "It was mission m1 of agent 'cyd', attempt 1 of 1; see: belfry mission show m1\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "do it\n"
	 "* go m1/1\n"},
	{"A14 killed by a daemon that stops, and swept by the next one",
	 "yaml; work every=10m attempts=2; @10:10:00; start; gone m1 shutdown; crash; gone; exit 0",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 running: attempt 1 of 2 failed: the daemon was stopped while it ran; the next "
	 "one follows after 30s\n"
	 "= m1 waiting 1/2 from 10:10:30: attempt 1 of 2 failed: the daemon was stopped while it ran; "
	 "the next one follows after 30s\n"
	 "  #1 attempt daemon_shutdown: it did not end when the daemon was stopped, and was killed\n"
	 "* go m1/1\n"
	 "* adopt m1/1, process 101\n"},
	{"killed by somebody: cancelled, not retried",
	 "yaml; work every=10m attempts=3; @10:10:00; start; end killed",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 cancelled: its wrapper was told to end (SIGTERM)\n"
	 "= m1 ended 1/3: its wrapper was told to end (SIGTERM)\n"
	 "  #1 attempt killed\n"
	 "* go m1/1\n"},
	{"no wrapper can be started: a failure",
	 "yaml; work every=10m attempts=2; @10:10:00; nowrapper; @10:11:00; start; end success",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 ran: ran for 0s\n"
	 "= m1 ended 2/2: ran for 0s\n"
	 "  #1 attempt error: no more processes\n"
	 "  #2 attempt success\n"
	 "* go m1/2\n"},
	{"B3 one that fails does not stop the other",
	 "yaml; work door=task in=10m name=a attempts=1; work door=task in=10m name=b; @10:10:00; "
	 "start 2; end error m1; end success m2",
	 "a completed, 1 fired: its only time has come\n"
	 "  10:10:00 failed: it failed without a word\n"
	 "b completed, 1 fired: its only time has come\n"
	 "  10:10:00 ran: ran for 0s\n"
	 "= m1 ended 1/1: it failed without a word\n"
	 "  #1 attempt error\n"
	 "= m2 ended 1/3: ran for 0s\n"
	 "  #1 attempt success\n"
	 "> me normal queued: task 'a' failed: it failed without a word\n"
	 "\n"
	 "It was mission m1 of agent 'cyd', attempt 1 of 1; see: belfry mission show m1\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "do it\n"
	 "* go m1/1\n"
	 "* go m2/1\n"},
	{"B4 the attempt is in the environment",
	 "yaml; work door=reminder in=10m attempts=2; @10:10:00; start; end error; @10:11:00; order",
	 "w completed, 1 fired: its only time has come\n"
	 "  10:10:00 running: runs as mission m1\n"
	 "= m1 starting 2/2\n"
	 "  #1 attempt error\n"
	 "  #2 attempt begins\n"
	 "$ start m1/2\n"
	 "* go m1/1\n"
	 "* order m1/2 headless in its folder for 3600s\n"
	 "CI=1\n"
	 "BELFRY_AGENT=cyd\n"
	 "BELFRY_ATTEMPT=2\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "BELFRY_REMINDER_ID=r-57ublw\n"
	 "BELFRY_REMINDER_NAME=w\n"
	 "BELFRY_SCHEDULED_AT=2026-03-02T10:10:00+00:00\n"
	 "BELFRY_LATE_BY=0s\n"
	 "BELFRY_MISSED_COUNT=0\n"
	 "do it\n"},
	{"the back-off survives a crash",
	 "yaml; work every=1h attempts=2 backoff=10m; @11:00:00; start; end error; crash; @11:09:00; "
	 "@11:12:00; start",
	 "w active, 1 fired, due 12:00:00\n"
	 "  11:00:00 running: runs as mission m1\n"
	 "= m1 running 2/2\n"
	 "  #1 attempt error\n"
	 "  #2 attempt runs\n"
	 "* go m1/1\n"
	 "* go m1/2\n"},
	{"the back-off is an hour at most",
	 "yaml; work in=1h attempts=9 backoff=50m; @11:00:00; start; end error; @12:00:00; start; "
	 "end error; @13:20:00; start; end error",
	 "w completed, 1 fired: its only time has come\n"
	 "  11:00:00 running: attempt 3 of 9 failed: it failed without a word; the next one follows "
	 "after 1h 5m\n"
	 "= m1 waiting 3/9 from 14:25:49: attempt 3 of 9 failed: it failed without a word; the next "
	 "one follows after 1h 5m\n"
	 "  #1 attempt error\n"
	 "  #2 attempt error\n"
	 "  #3 attempt error\n"
	 "* go m1/1\n"
	 "* go m1/2\n"
	 "* go m1/3\n"},
	{"a mission by hand that fails tells the person",
	 "yaml; mission new prompt='paint the fence'; start; end error m1 'no paint'",
	 "= m1 ended 1/1: no paint\n"
	 "  #1 attempt error: no paint\n"
	 "> me normal queued: mission m1 failed: no paint\n"
	 "\n"
	 "It was mission m1 of agent 'cyd', attempt 1 of 1; see: belfry mission show m1\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "paint the fence\n"
	 "* go m1/1\n"},
	{"one that is stopped tells nobody",
	 "yaml; mission new; start; mission stop m1; end error",
	 "= m1 ended 1/1: stopped by hand\n"
	 "  #1 attempt error\n"
	 "* go m1/1\n"
	 "* signal 15 to m1/1\n"},
};

static const struct story_row pauses[] = {
	{"N6 what was denied is told once, until it changes",
	 "yaml; work every=10m; @10:10:00; start; denied 'Bash(make test), Edit(a.c)'; end success; "
	 "@10:20:00; start; denied 'Bash(make test), Edit(a.c)'; end success; @10:30:00; start; end "
	 "success",
	 "w active, 3 fired, due 10:40:00\n"
	 "  10:10:00 ran: ran for 0s; 2 tool calls were denied: Bash(make test), Edit(a.c)\n"
	 "  10:20:00 ran: ran for 0s; 2 tool calls were denied: Bash(make test), Edit(a.c)\n"
	 "  10:30:00 ran: ran for 0s\n"
	 "= m1 ended 1/1: ran for 0s; 2 tool calls were denied: Bash(make test), Edit(a.c)\n"
	 "  #1 attempt success\n"
	 "= m2 ended 1/1: ran for 0s; 2 tool calls were denied: Bash(make test), Edit(a.c)\n"
	 "  #1 attempt success\n"
	 "= m3 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "> me normal queued: reminder 'w' ran, but 2 tool calls were denied: Bash(make test), Edit(a.c)\n"
	 "\n"
	 "It was mission m1 of agent 'cyd'. What an agent may do without being asked is said by its `args` in config.yml, or by the settings of its client.\n"
	 "\n"
	 "You are told again when this changes; see: belfry mission show m1\n"
	 "* go m1/1\n"
	 "* go m2/1\n"
	 "* go m3/1\n"},
	{"repeated failure pauses, and says so",
	 "yaml; work every=10m pause=2; @10:10:00; start; end error; @10:20:00; start; end error; "
	 "@10:30:00",
	 "w paused, 2 fired: paused after 2 failures in a row\n"
	 "  10:10:00 failed: it failed without a word\n"
	 "  10:20:00 failed: it failed without a word\n"
	 "= m1 ended 1/1: it failed without a word\n"
	 "  #1 attempt error\n"
	 "= m2 ended 1/1: it failed without a word\n"
	 "  #1 attempt error\n"
	 "> me normal queued: reminder 'w' failed: it failed without a word\n"
	 "\n"
	 "It was mission m1 of agent 'cyd', attempt 1 of 1; see: belfry mission show m1\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "do it\n"
	 "> me normal queued: reminder 'w' failed: it failed without a word\n"
	 "\n"
	 "It was mission m2 of agent 'cyd', attempt 1 of 1; see: belfry mission show m2\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "do it\n"
	 "> me normal queued: reminder 'w' is paused after 2 failures in a row.\n"
	 "\n"
	 "When it is mended, let it go on with: belfry reminder resume w\n"
	 "* go m1/1\n"
	 "* go m2/1\n"},
	{"a success begins the count anew",
	 "yaml; work every=10m pause=2; @10:10:00; start; end error; @10:20:00; start; end success; "
	 "@10:30:00; start; end error",
	 "w active, 3 fired, due 10:40:00\n"
	 "  10:10:00 failed: it failed without a word\n"
	 "  10:20:00 ran: ran for 0s\n"
	 "  10:30:00 failed: it failed without a word\n"
	 "= m1 ended 1/1: it failed without a word\n"
	 "  #1 attempt error\n"
	 "= m2 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "= m3 ended 1/1: it failed without a word\n"
	 "  #1 attempt error\n"
	 "> me normal queued: reminder 'w' failed: it failed without a word\n"
	 "\n"
	 "It was mission m1 of agent 'cyd', attempt 1 of 1; see: belfry mission show m1\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "do it\n"
	 "> me normal queued: reminder 'w' failed: it failed without a word\n"
	 "\n"
	 "It was mission m3 of agent 'cyd', attempt 1 of 1; see: belfry mission show m3\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "do it\n"
	 "* go m1/1\n"
	 "* go m2/1\n"
	 "* go m3/1\n"},
	{"stopped, missed and skipped ones are no failures",
	 "yaml; work every=10m pause=1; @10:10:00; start; @10:20:00; mission stop m1; end killed",
	 "w active, 1 fired, due 10:30:00\n"
	 "  10:10:00 cancelled: stopped by hand\n"
	 "  10:20:00 skipped: the one before it was still going (mission m1)\n"
	 "= m1 ended 1/1: stopped by hand\n"
	 "  #1 attempt killed: it was asked to end: stopped by hand\n"
	 "* go m1/1\n"
	 "* signal 15 to m1/1\n"},
	{"pause=0 never pauses",
	 "yaml; work every=10m pause=0; @10:10:00; start; end error; @10:20:00; start; end error",
	 "w active, 2 fired, due 10:30:00\n"
	 "  10:10:00 failed: it failed without a word\n"
	 "  10:20:00 failed: it failed without a word\n"
	 "= m1 ended 1/1: it failed without a word\n"
	 "  #1 attempt error\n"
	 "= m2 ended 1/1: it failed without a word\n"
	 "  #1 attempt error\n"
	 "> me normal queued: reminder 'w' failed: it failed without a word\n"
	 "\n"
	 "It was mission m1 of agent 'cyd', attempt 1 of 1; see: belfry mission show m1\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "do it\n"
	 "> me normal queued: reminder 'w' failed: it failed without a word\n"
	 "\n"
	 "It was mission m2 of agent 'cyd', attempt 1 of 1; see: belfry mission show m2\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "do it\n"
	 "* go m1/1\n"
	 "* go m2/1\n"},
	{"resumed by hand it goes on, and one more failure pauses it again",
	 "yaml; work name=r every=10m pause=2; @10:10:00; start; end error; @10:20:00; start; "
	 "end error; resume; @10:30:00; start; end error",
	 "r paused, 3 fired: paused after 3 failures in a row\n"
	 "  10:10:00 failed: it failed without a word\n"
	 "  10:20:00 failed: it failed without a word\n"
	 "  10:30:00 failed: it failed without a word\n"
	 "= m1 ended 1/1: it failed without a word\n"
	 "  #1 attempt error\n"
	 "= m2 ended 1/1: it failed without a word\n"
	 "  #1 attempt error\n"
	 "= m3 ended 1/1: it failed without a word\n"
	 "  #1 attempt error\n"
	 "> me normal queued: reminder 'r' failed: it failed without a word\n"
	 "\n"
	 "It was mission m1 of agent 'cyd', attempt 1 of 1; see: belfry mission show m1\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "do it\n"
	 "> me normal queued: reminder 'r' failed: it failed without a word\n"
	 "\n"
	 "It was mission m2 of agent 'cyd', attempt 1 of 1; see: belfry mission show m2\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "do it\n"
	 "> me normal queued: reminder 'r' is paused after 2 failures in a row.\n"
	 "\n"
	 "When it is mended, let it go on with: belfry reminder resume r\n"
	 "> me normal queued: reminder 'r' failed: it failed without a word\n"
	 "\n"
	 "It was mission m3 of agent 'cyd', attempt 1 of 1; see: belfry mission show m3\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "do it\n"
	 "> me normal queued: reminder 'r' is paused after 3 failures in a row.\n"
	 "\n"
	 "When it is mended, let it go on with: belfry reminder resume r\n"
	 "* go m1/1\n"
	 "* go m2/1\n"
	 "* go m3/1\n"},
	{"a cron says how it is let go on",
	 "yaml crons: {tidy: {schedule: \"*/10 * * * *\", agent: cyd, prompt: do it, pause_after: "
	 "1}}; "
	 "@10:10:00; start; end error; @10:20:00; crash",
	 "tidy paused, 1 fired: paused after a failure\n"
	 "  10:10:00 failed: it failed without a word\n"
	 "= m1 ended 1/1: it failed without a word\n"
	 "  #1 attempt error\n"
	 "> me normal queued: cron 'tidy' failed: it failed without a word\n"
	 "\n"
	 "It was mission m1 of agent 'cyd', attempt 1 of 1; see: belfry mission show m1\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "do it\n"
	 "> me normal queued: cron 'tidy' is paused after a failure.\n"
	 "\n"
	 "When it is mended, let it go on with: belfry cron enable tidy\n"
	 "* go m1/1\n"},
};

static const struct story_row keeping[] = {
	{"A11 retention archives the oldest",
	 "yaml; work every=10m keep=2; @10:10:00; start; end success; @10:20:00; start; end error; "
	 "@10:30:00; start; end success; @10:40:00; start; end success",
	 "w active, 4 fired, due 10:50:00\n"
	 "  10:10:00 ran: ran for 0s\n"
	 "  10:20:00 failed: it failed without a word\n"
	 "  10:30:00 ran: ran for 0s\n"
	 "  10:40:00 ran: ran for 0s\n"
	 "= m1 ended 1/1 archived: ran for 0s\n"
	 "  #1 attempt success\n"
	 "= m2 ended 1/1 archived: it failed without a word\n"
	 "  #1 attempt error\n"
	 "= m3 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "= m4 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "> me normal queued: reminder 'w' failed: it failed without a word\n"
	 "\n"
	 "It was mission m2 of agent 'cyd', attempt 1 of 1; see: belfry mission show m2\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "do it\n"
	 "* go m1/1\n"
	 "* go m2/1\n"
	 "* go m3/1\n"
	 "* go m4/1\n"},
	{"archive by hand and back, only when it has ended",
	 "yaml; mission new; mission archive m1; start; end success; mission archive m1; "
	 "mission unarchive m1",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "! cannot archive mission 'm1': it is starting (wait for its end, or: belfry mission stop)\n"
	 "* go m1/1\n"},
	{"remove: the row goes when its folder is gone",
	 "yaml; mission new; mission rm m1; start; end success; mission rm m1; crash; exit 0",
	 "! cannot remove mission 'm?': it is starting (stop it first: belfry mission stop)\n"
	 "* go m?/1\n"},
	{"remove: a folder that stays keeps its row",
	 "yaml; mission new; start; end success; mission rm m1; exit 1",
	 "= m1 ended 1/1 archived: its folder could not be removed\n"
	 "  #1 attempt success\n"
	 "* go m1/1\n"},
	{"N25 a daemon that is new removes old missions within minutes",
	 "yaml retention: 1d; mission new; start; end success; @3+10:00:00; crash; @3+10:00:01; @3+10:05:01",
	 "= m1 removing 1/1 archived: ran for 0s\n"
	 "  #1 attempt success\n"
	 "$ remove\n"
	 "* go m1/1\n"},
	{"retention removes old missions with their folders",
	 "yaml retention: 1d; mission new; start; end success; @3+10:00:00; @3+11:00:00; @4+10:00:00",
	 "= m1 removing 1/1 archived: ran for 0s\n"
	 "  #1 attempt success\n"
	 "$ remove\n"
	 "* go m1/1\n"},
};

static const struct story_row clocks[] = {
	{"K36 a mission that was removed does not let its occurrence fire again",
	 "yaml; work every=1h; @12:30:00; start; mission stop m1 enough; end killed; mission rm m1; "
	 "exit 0; @10:30:00; @11:00:00; start; end success; @12:00:00",
	 "w active, 2 fired, due 13:00:00\n"
	 "  11:00:00 missed: its time passed unseen (daemon down, suspend or clock change); a later one fired in its place (counts no more)\n"
	 "  12:00:00 cancelled: enough (early)\n"
	 "  11:00:00 ran: ran for 0s\n"
	 "= m2 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "* go m?/1\n"
	 "* signal 15 to m?/1\n"
	 "* go m2/1\n"},
	{"an overdue wrapper is killed",
	 "yaml; work in=1h limit=10m attempts=2; @11:00:00; start; @11:11:00; @11:11:31; @11:12:40; "
	 "gone; exit 0",
	 "w completed, 1 fired: its only time has come\n"
	 "  11:00:00 running: attempt 1 of 2 failed: its wrapper was killed, or the machine went "
	 "down; the next one follows after 30s\n"
	 "= m1 waiting 1/2 from 11:13:10: attempt 1 of 2 failed: its wrapper was killed, or the "
	 "machine went down; the next one follows after 30s\n"
	 "  #1 attempt orphaned: its wrapper was killed, or the machine went down\n"
	 "* go m1/1\n"
	 "* signal 9 to m1/1\n"
	 "* signal 9 to m1/1\n"},
	{"a daemon that comes back late gives an overdue wrapper its time, then kills it",
	 "yaml; work in=1h limit=10m; @11:00:00; start; @13:00:00; crash; @13:11:31",
	 "w completed, 1 fired: its only time has come\n"
	 "  11:00:00 running: runs as mission m1\n"
	 "= m1 running 1/1\n"
	 "  #1 attempt runs\n"
	 "* go m1/1\n"
	 "* adopt m1/1, process 101\n"
	 "* signal 9 to m1/1\n"},
	{"a clock set forward kills nobody at once",
	 "yaml; work in=1h limit=10m; @11:00:00; start; @2+11:00:00; end success",
	 "w completed, 1 fired: its only time has come\n"
	 "  11:00:00 ran: ran for 2d\n"
	 "= m1 ended 1/1: ran for 2d\n"
	 "  #1 attempt success\n"
	 "* go m1/1\n"},
	{"a clock set back: a run has no negative length",
	 "yaml; work in=1h limit=10m; @11:00:00; start; @10:00:00; end success",
	 "w completed, 1 fired: its only time has come\n"
	 "  11:00:00 ran: ran; the clock was set back meanwhile (early)\n"
	 "= m1 ended 1/1: ran; the clock was set back meanwhile\n"
	 "  #1 attempt success\n"
	 "* go m1/1\n"},
	{"a clock set back: the back-off does not grow",
	 "yaml; work in=1h attempts=2; @11:00:00; start; end error; @09:00:00; @09:00:40; start",
	 "w completed, 1 fired: its only time has come\n"
	 "  11:00:00 running: runs as mission m1 (early)\n"
	 "= m1 running 2/2\n"
	 "  #1 attempt error\n"
	 "  #2 attempt runs\n"
	 "* go m1/1\n"
	 "* go m1/2\n"},
	{"a clock set back while it waits in line",
	 "yaml crons: {maxConcurrent: 1}; mission new; start; mission new; @08:00:00; end success; "
	 "start",
	 "= m1 ended 1/1: ran; the clock was set back meanwhile\n"
	 "  #1 attempt success\n"
	 "= m2 running 1/1\n"
	 "  #1 attempt runs\n"
	 "* go m1/1\n"
	 "* go m2/1\n"},
	{"a clock set back while nobody was there",
	 "yaml crons: {maxConcurrent: 1}; mission new; start; mission new; @08:00:00; crash; "
	 "end success; start",
	 "= m1 ended 1/1: ran; the clock was set back meanwhile\n"
	 "  #1 attempt success\n"
	 "= m2 running 1/1\n"
	 "  #1 attempt runs\n"
	 "* go m1/1\n"
	 "* adopt m1/1, process 101\n"
	 "* go m2/1\n"},
	{"a clock set back: what is behind moves up all the same",
	 "yaml; work every=10m overlap=queue; @10:10:00; start; @10:20:00; @09:00:00; end success; "
	 "start",
	 "w active, 2 fired, due 09:10:00\n"
	 "  10:10:00 ran: ran; the clock was set back meanwhile (early)\n"
	 "  10:20:00 running: runs as mission m2 (early)\n"
	 "= m1 ended 1/1: ran; the clock was set back meanwhile\n"
	 "  #1 attempt success\n"
	 "= m2 running 1/1\n"
	 "  #1 attempt runs\n"
	 "* go m1/1\n"
	 "* go m2/1\n"},
	{"a clock set forward: the line gives up what is too late",
	 "yaml crons: {maxConcurrent: 1}; mission new; start; work every=10m; @10:10:00; @1+10:10:00",
	 "w active, 1 fired, due 1+10:20:00\n"
	 "  10:10:00 missed: waited 1d in line, and its deadline passed\n"
	 "  10:20:00-1+10:00:00 x143 missed: its time passed unseen (daemon down, suspend or clock "
	 "change); a later one fired in its place\n"
	 "  1+10:10:00 skipped: the one before it was still going (mission m2)\n"
	 "= m1 running 1/1\n"
	 "  #1 attempt runs\n"
	 "= m2 ended: waited 1d in line, and its deadline passed\n"
	 "* go m1/1\n"},
};
/* clang-format on */

int main(void)
{
	add_table(test_story, retries);
	add_table(test_story, pauses);
	add_table(test_story, keeping);
	add_table(test_story, clocks);
	return run_rows("mission-attempt");
}
