/*
 * test-seed.c: stories of what config.yml declares, what is missed, and what agents are told.
 * See story.h for the language.
 */
#include "story-rows.h"

/* clang-format off */
static const struct story_row seeding[] = {
	{"A5 absent: created",
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; seed",
	 "tidy active, 0 fired, due 11:00:00\n"
	 "* seeding changed 0\n"},
	{"A5 changed: text and schedule, counters stay",
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; @11:00:00; start; "
	 "end success; @11:10:00; "
	 "yaml crons: {tidy: {schedule: \"30 * * * *\", agent: ada, prompt: do more}}; seed; "
	 "@11:30:00; order",
	 "tidy active, 2 fired, due 12:30:00\n"
	 "  11:00:00 ran: ran for 0s\n"
	 "  11:30:00 running: runs as mission m2\n"
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "= m2 starting 1/1\n"
	 "  #1 attempt begins\n"
	 "$ start m2/1\n"
	 "* go m1/1\n"
	 "* seeding changed 0\n"
	 "* order m2/1 headless, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m2\n"
	 "BELFRY_REMINDER_ID=r-57ublw\n"
	 "BELFRY_REMINDER_NAME=tidy\n"
	 "BELFRY_SCHEDULED_AT=2026-03-02T11:30:00+00:00\n"
	 "BELFRY_LATE_BY=0s\n"
	 "BELFRY_MISSED_COUNT=0\n"
	 "do more\n"},
	{"A5 changed text alone leaves the next time alone",
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; @10:59:59; "
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do more}}; seed; @11:00:00",
	 "tidy active, 1 fired, due 12:00:00\n"
	 "  11:00:00 running: runs as mission m1\n"
	 "= m1 starting 1/1\n"
	 "  #1 attempt begins\n"
	 "$ start m1/1\n"
	 "* seeding changed 0\n"},
	{"A5 unchanged: untouched, and twice changes nothing",
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; crash; seed; "
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; seed",
	 "tidy active, 0 fired, due 11:00:00\n"
	 "* seeding changed 0\n"
	 "* seeding changed 0\n"},
	{"A5 changed policy alone",
	 "yaml crons: {tidy: {schedule: \"*/10 * * * *\", agent: cyd, prompt: do it}}; @10:10:00; "
	 "start; "
	 "yaml crons: {tidy: {schedule: \"*/10 * * * *\", agent: cyd, prompt: do it, overlap: "
	 "allow}}; "
	 "seed; @10:20:00; start",
	 "tidy active, 2 fired, due 10:30:00\n"
	 "  10:10:00 running: runs as mission m1\n"
	 "  10:20:00 running: runs as mission m2\n"
	 "= m1 running 1/1\n"
	 "  #1 attempt runs\n"
	 "= m2 running 1/1\n"
	 "  #1 attempt runs\n"
	 "* go m1/1\n"
	 "* seeding changed 0\n"
	 "* go m2/1\n"},
	{"A5 dropped: completed, its mission goes on",
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; @11:00:00; start; "
	 "yaml; end success; seed",
	 "tidy completed, 1 fired: taken out of config.yml\n"
	 "  11:00:00 ran: ran for 0s\n"
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "* go m1/1\n"
	 "* seeding changed 0\n"},
	{"A5 dropped while disabled",
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it, enabled: false}}; "
	 "yaml; seed",
	 "tidy cancelled, 0 fired: taken out of config.yml\n"
	 "* seeding changed 0\n"},
	{"N35 dropped and back: the same one, from now on",
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; @11:00:00; start; "
	 "end success; yaml; @13:30:00; "
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; seed",
	 "tidy active, 1 fired, due 14:00:00\n"
	 "  11:00:00 ran: ran for 0s\n"
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "* go m1/1\n"
	 "* seeding changed 0\n"},
	{"N35 paused by hand, dropped and back: still paused",
	 "yaml crons: {r: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; pause; yaml; "
	 "yaml crons: {r: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; seed",
	 "r paused, 0 fired: paused by hand\n"
	 "* seeding changed 0\n"},
	{"N35 dropped while paused: its end says so",
	 "yaml crons: {r: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; pause; yaml; seed",
	 "r cancelled, 0 fired: taken out of config.yml while paused: paused by hand\n"
	 "* seeding changed 0\n"},
	{"N35 disabled, dropped and back enabled: it fires",
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it, enabled: false}}; "
	 "yaml; yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; seed",
	 "tidy active, 0 fired, due 11:00:00\n"
	 "* seeding changed 0\n"},
	{"N35 dropped and back while it runs: overlap skip still skips",
	 "yaml crons: {tidy: {schedule: \"*/10 * * * *\", agent: cyd, prompt: do it}}; @10:10:00; "
	 "start; yaml; "
	 "yaml crons: {tidy: {schedule: \"*/10 * * * *\", agent: cyd, prompt: do it}}; @10:20:00; seed",
	 "tidy active, 1 fired, due 10:30:00\n"
	 "  10:10:00 running: runs as mission m1\n"
	 "  10:20:00 skipped: the one before it was still going (mission m1)\n"
	 "= m1 running 1/1\n"
	 "  #1 attempt runs\n"
	 "* go m1/1\n"
	 "* seeding changed 0\n"},
	{"A6 disabled: held",
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; "
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it, enabled: false}}; "
	 "seed; @11:00:00; yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; "
	 "@12:00:00",
	 "tidy active, 1 fired, due 13:00:00\n"
	 "  11:00:00 skipped: paused\n"
	 "  12:00:00 running: runs as mission m1\n"
	 "= m1 starting 1/1\n"
	 "  #1 attempt begins\n"
	 "$ start m1/1\n"
	 "* seeding changed 0\n"},
	{"A8 N27 broken from the start: not there, and told",
	 "yaml crons: {tidy: {schedule: \"0 * * *\", agent: cyd, prompt: do it}, fine: {schedule: \"0 "
	 "* * * *\", agent: cyd, prompt: do it}}; "
	 "seed",
	 "fine active, 0 fired, due 11:00:00\n"
	 "> me normal queued: The cron 'tidy' cannot work, so it does not fire:\n\nconfig.yml:7:26: cron line '0 * * *': 4 fields instead of five; minute, hour, day of month, month, day of week: '30 9 * * 1-5'\n\n"
	 "It fires again once config.yml is right; 'belfry cron ls' marks it.\n"
	 "* seeding changed 0\n"},
	{"A8 broken, then mended",
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; "
	 "yaml crons: {tidy: {schedule: \"61 * * * *\", agent: cyd, prompt: do it}}; seed; "
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; seed",
	 "tidy active, 0 fired, due 11:00:00\n"
	 "> me normal queued: The cron 'tidy' cannot work, so it does not fire:\n\nconfig.yml:7:26: cron line '61 * * * *': bad minute '61' at column 1; minutes run from 0 to 59\n\n"
	 "It fires again once config.yml is right; 'belfry cron ls' marks it.\n"
	 "* seeding changed 0\n"
	 "* seeding changed 0\n"},
	{"A8 N27 an agent that is gone is told once",
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; "
	 "yaml agents: {ada: {adapter: claude}}\ncrons: {tidy: {schedule: \"0 * * * *\", agent: cyd, "
	 "prompt: do it}}; "
	 "@11:00:00; seed; @12:00:00; seed",
	 "tidy paused, 0 fired: cannot work: config.yml:3:46: unknown agent 'cyd'; there are: ada\n"
	 "> me normal queued: The cron 'tidy' cannot work, so it does not fire:\n\nconfig.yml:3:46: unknown agent 'cyd'; there are: ada\n\n"
	 "It fires again once config.yml is right; 'belfry cron ls' marks it.\n"
	 "* seeding changed 0\n"
	 "* seeding changed 0\n"},
	{"N52 another mistake of a cron is told, one that only moved is not, and one that is back is",
	 "yaml crons: {tidy: {schedule: \"61 * * * *\", agent: cyd, prompt: do it}}; "
	 "yaml \n\ncrons: {tidy: {schedule: \"61 * * * *\", agent: cyd, prompt: do it}}; hush; "
	 "yaml crons: {tidy: {schedule: \"62 * * * *\", agent: cyd, prompt: do it}}; "
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; "
	 "yaml crons: {tidy: {schedule: \"62 * * * *\", agent: cyd, prompt: do it}}",
	 "tidy paused, 0 fired: cannot work: config.yml:7:26: cron line '62 * * * *': bad minute '62' at column 1; minutes run from 0 to 59\n"
	 "> me normal queued: The cron 'tidy' cannot work, so it does not fire:\n\nconfig.yml:7:26: cron line '61 * * * *': bad minute '61' at column 1; minutes run from 0 to 59\n\n"
	 "It fires again once config.yml is right; 'belfry cron ls' marks it.\n"
	 "> me normal queued: The cron 'tidy' cannot work, so it does not fire:\n\nconfig.yml:7:26: cron line '62 * * * *': bad minute '62' at column 1; minutes run from 0 to 59\n\n"
	 "It fires again once config.yml is right; 'belfry cron ls' marks it.\n"
	 "> me normal queued: The cron 'tidy' cannot work, so it does not fire:\n\nconfig.yml:7:26: cron line '62 * * * *': bad minute '62' at column 1; minutes run from 0 to 59\n\n"
	 "It fires again once config.yml is right; 'belfry cron ls' marks it.\n"},
	{"N54 an agent that nobody declares any more is told once, and again when it goes again",
	 "yaml agents: {ada: {adapter: claude}}; add agent=ada every=1d; add agent=me every=1d name=tea; "
	 "yaml agents: {adda: {adapter: claude}}; seed; yaml agents: {ada: {adapter: claude}}; "
	 "yaml agents: {adda: {adapter: claude}}",
	 "r active, 0 fired, due 1+10:00:00\n"
	 "tea active, 0 fired, due 1+10:00:00\n"
	 "> me normal queued: 1 reminder is for 'ada', whom nobody declares: what fires reaches nobody.\n\n"
	 "Declare 'ada' in config.yml, or remove the reminder: belfry reminder list ada\n"
	 "> me normal queued: 1 reminder is for 'ada', whom nobody declares: what fires reaches nobody.\n\n"
	 "Declare 'ada' in config.yml, or remove the reminder: belfry reminder list ada\n"
	 "* seeding changed 0\n"},
	{"A8 disabled and broken, then enabled and mended",
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it, enabled: false}}; "
	 "yaml crons: {tidy: {schedule: \"61 * * * *\", agent: cyd, prompt: do it, enabled: false}}; "
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; seed",
	 "tidy active, 0 fired, due 11:00:00\n"
	 "* seeding changed 0\n"},
	{"paused by hand stays paused",
	 "yaml crons: {r: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; pause; "
	 "yaml crons: {r: {schedule: \"0 * * * *\", agent: cyd, prompt: do it, enabled: false}}; "
	 "yaml crons: {r: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; crash; seed",
	 "r paused, 0 fired: paused by hand\n"
	 "* seeding changed 0\n"},
	{"paused after failures stays paused when the file changes",
	 "yaml crons: {tidy: {schedule: \"*/10 * * * *\", agent: cyd, prompt: do it, pause_after: "
	 "1}}; "
	 "@10:10:00; start; end error; "
	 "yaml crons: {tidy: {schedule: \"*/20 * * * *\", agent: cyd, prompt: do it, pause_after: "
	 "1}}; "
	 "@10:20:00; seed",
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
	 "* go m1/1\n"
	 "* seeding changed 0\n"},
	{"N30 removed by hand: refused, and it stays",
	 "yaml crons: {r: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; remove; crash",
	 "r active, 0 fired, due 11:00:00\n"
	 "! 'r' is declared in a file: 'config.yml' line 7 (change the file: belfry cron rm r)\n"},
	{"N30 edited by hand: refused, and it stays",
	 "yaml crons: {r: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; "
	 "edit every=5m count=3 message=mine; crash; seed",
	 "r active, 0 fired, due 11:00:00\n"
	 "! 'r' is declared in a file: 'config.yml' line 7 (change the file: belfry cron edit r)\n"
	 "* seeding changed 0\n"},
	{"N31 disabled in the file: not resumed",
	 "yaml crons: {r: {schedule: \"0 * * * *\", agent: cyd, prompt: do it, enabled: false}}; "
	 "resume; crash; seed",
	 "r paused, 0 fired: disabled in config.yml\n"
	 "! 'r' is disabled in a file: 'config.yml' line 7 (change the file: belfry cron enable r)\n"
	 "* seeding changed 0\n"},
	{"a schedule that never comes",
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; "
	 "yaml crons: {tidy: {schedule: \"0 0 30 2 *\", agent: cyd, prompt: do it}}; crash; seed",
	 "tidy paused, 0 fired: cannot work: config.yml:7:26: schedule '0 0 30 2 *' never fires\n"
	 "> me normal queued: The cron 'tidy' cannot work, so it does not fire:\n\nconfig.yml:7:26: schedule '0 0 30 2 *' never fires\n\n"
	 "It fires again once config.yml is right; 'belfry cron ls' marks it.\n"
	 "* seeding changed 0\n"},
	{"the zone of the file",
	 "yaml timezone: America/New_York\ncrons: {tidy: {schedule: \"0 9 * * *\", agent: cyd, "
	 "prompt: do it}}; "
	 "seed",
	 "tidy active, 0 fired, due 14:00:00\n"
	 "* seeding changed 0\n"},
	{"B9 a heartbeat is made, changed and dropped",
	 "yaml agents: {ada: {adapter: claude, heartbeat: 30m}}; seed; @10:30:00; start; "
	 "yaml agents: {ada: {adapter: claude, heartbeat: {every: 1h, prompt: \"Well?\"}}}; seed; "
	 "yaml agents: {ada: {adapter: claude}}; end success; seed",
	 "heartbeat-ada completed, 1 fired: taken out of config.yml\n"
	 "  10:30:00 ran: ran for 0s\n"
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "* seeding changed 0\n"
	 "* go m1/1\n"
	 "* seeding changed 0\n"
	 "* seeding changed 0\n"},
};

static const struct story_row catchup[] = {
	{"A12 a cron skips what it missed, and the ledger says so",
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; @13:30:00; "
	 "@14:00:00",
	 "tidy active, 1 fired, due 15:00:00\n"
	 "  11:00:00-13:00:00 x3 missed: its time passed unseen (daemon down, suspend or clock "
	 "change), and catch-up is skip\n"
	 "  14:00:00 running: runs as mission m1\n"
	 "= m1 starting 1/1\n"
	 "  #1 attempt begins\n"
	 "$ start m1/1\n"},
	{"A12 within a minute it still runs",
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; @11:00:59",
	 "tidy active, 1 fired, due 12:00:00\n"
	 "  11:00:00 running: runs as mission m1\n"
	 "= m1 starting 1/1\n"
	 "  #1 attempt begins\n"
	 "$ start m1/1\n"},
	{"A12 catchup once runs the last of them",
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it, catchup: once}}; "
	 "@13:30:00",
	 "tidy active, 1 fired, due 14:00:00\n"
	 "  11:00:00-12:00:00 x2 missed: its time passed unseen (daemon down, suspend or clock "
	 "change); a later one fired in its place\n"
	 "  13:00:00 running: runs as mission m1\n"
	 "= m1 starting 1/1\n"
	 "  #1 attempt begins\n"
	 "$ start m1/1\n"},
	{"B7 an overdue task runs after a restart",
	 "yaml; work door=task in=10m; crash; @2+10:00:00; start; end success",
	 "w completed, 1 fired: its only time has come\n"
	 "  10:10:00 ran: ran for 0s\n"
	 "= m1 ended 1/3: ran for 0s\n"
	 "  #1 attempt success\n"
	 "* go m1/1\n"},
};

static const struct story_row contexts[] = {
	{"B10 B12 a heartbeat begins with the moment",
	 "yaml timezone: America/Los_Angeles\nagents: {ada: {adapter: claude, heartbeat: {every: 30m, "
	 "prompt: \"Look around.\"}}, cyd: {command: [work]}}; "
	 "board agent=cyd status=building detail='release 3'; @10:20:00; board agent=ada status=idle; "
	 "board agent=ada status=hidden owner=bob; "
	 "add agent=ada name=m message='the build is red\nsee the log' in=5m; @10:25:00; @10:30:00; "
	 "order",
	 "heartbeat-ada active, 1 fired, due 11:00:00\n"
	 "  10:30:00 running: runs as mission m1\n"
	 "m completed, 1 fired: its only time has come\n"
	 "  10:25:00 fired: fired on time\n"
	 "= m1 starting 1/1\n"
	 "  #1 attempt begins\n"
	 "> ada idle queued: the build is red\n"
	 "see the log\n"
	 "$ start m1/1\n"
	 "* order m1/1 headless, with a session, in its folder for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "BELFRY_REMINDER_ID=r-57ublw\n"
	 "BELFRY_REMINDER_NAME=heartbeat-ada\n"
	 "BELFRY_SCHEDULED_AT=2026-03-02T02:30:00-08:00\n"
	 "BELFRY_LATE_BY=0s\n"
	 "BELFRY_MISSED_COUNT=0\n"
	 "Current time: Mar 2, 2026 2:30 AM PST\n"
	 "\n"
	 "## Status board\n"
	 "\n"
	 "- ada: idle, 10m ago\n"
	 "- cyd: building (release 3), 30m ago\n"
	 "\n"
	 "## Last messages\n"
	 "\n"
	 "- Mar 2, 2026 2:25 AM PST: the build is red …\n"
	 "\n"
	 "## Writing to the person\n"
	 "\n"
	 "- What the person should know: belfry message send 'TEXT'\n"
	 "- What you need an answer to: belfry message send --ask 'QUESTION'\n"
	 "\n"
	 "Once you have asked, end your run. The answer continues this conversation.\n"
	 "\n"
	 "## Heartbeat\n"
	 "\n"
	 "Look around.\n"},
	{"B12 a task is the same with its own section",
	 "yaml timezone: America/Los_Angeles; "
	 "work door=task agent=ada in=1h tz=America/Los_Angeles prompt='Water the plants.'; "
	 "@11:00:00; order",
	 "w completed, 1 fired: its only time has come\n"
	 "  11:00:00 running: runs as mission m1\n"
	 "= m1 starting 1/3\n"
	 "  #1 attempt begins\n"
	 "$ start m1/1\n"
	 "* order m1/1 headless, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "BELFRY_REMINDER_ID=r-57ublw\n"
	 "BELFRY_REMINDER_NAME=w\n"
	 "BELFRY_SCHEDULED_AT=2026-03-02T03:00:00-08:00\n"
	 "BELFRY_LATE_BY=0s\n"
	 "BELFRY_MISSED_COUNT=0\n"
	 "Current time: Mar 2, 2026 3:00 AM PST\n"
	 "\n"
	 "## Status board\n"
	 "\n"
	 "Nobody has written on it.\n"
	 "\n"
	 "## Last messages\n"
	 "\n"
	 "There are none.\n"
	 "\n"
	 "## Writing to the person\n"
	 "\n"
	 "- What the person should know: belfry message send 'TEXT'\n"
	 "- What you need an answer to: belfry message send --ask 'QUESTION'\n"
	 "\n"
	 "Once you have asked, end your run. The answer continues this conversation.\n"
	 "\n"
	 "## Scheduled Task\n"
	 "\n"
	 "Water the plants.\n"},
	{"B10 the zone of the task comes first",
	 "yaml timezone: America/Los_Angeles; work door=task agent=ada in=1h tz=Europe/Berlin; "
	 "@11:00:00; order",
	 "w completed, 1 fired: its only time has come\n"
	 "  11:00:00 running: runs as mission m1\n"
	 "= m1 starting 1/3\n"
	 "  #1 attempt begins\n"
	 "$ start m1/1\n"
	 "* order m1/1 headless, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "BELFRY_REMINDER_ID=r-57ublw\n"
	 "BELFRY_REMINDER_NAME=w\n"
	 "BELFRY_SCHEDULED_AT=2026-03-02T12:00:00+01:00\n"
	 "BELFRY_LATE_BY=0s\n"
	 "BELFRY_MISSED_COUNT=0\n"
	 "Current time: Mar 2, 2026 12:00 PM CET\n"
	 "\n"
	 "## Status board\n"
	 "\n"
	 "Nobody has written on it.\n"
	 "\n"
	 "## Last messages\n"
	 "\n"
	 "There are none.\n"
	 "\n"
	 "## Writing to the person\n"
	 "\n"
	 "- What the person should know: belfry message send 'TEXT'\n"
	 "- What you need an answer to: belfry message send --ask 'QUESTION'\n"
	 "\n"
	 "Once you have asked, end your run. The answer continues this conversation.\n"
	 "\n"
	 "## Scheduled Task\n"
	 "\n"
	 "do it\n"},
	{"B12 who keeps no conversation is not told to ask",
	 "yaml timezone: UTC; work door=task agent=cyd in=1h; @11:00:00; order",
	 "w completed, 1 fired: its only time has come\n"
	 "  11:00:00 running: runs as mission m1\n"
	 "= m1 starting 1/3\n"
	 "  #1 attempt begins\n"
	 "$ start m1/1\n"
	 "* order m1/1 headless in its folder for 3600s\n"
	 "CI=1\n"
	 "BELFRY_AGENT=cyd\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "BELFRY_REMINDER_ID=r-57ublw\n"
	 "BELFRY_REMINDER_NAME=w\n"
	 "BELFRY_SCHEDULED_AT=2026-03-02T11:00:00+00:00\n"
	 "BELFRY_LATE_BY=0s\n"
	 "BELFRY_MISSED_COUNT=0\n"
	 "Current time: Mar 2, 2026 11:00 AM UTC\n"
	 "\n"
	 "## Status board\n"
	 "\n"
	 "Nobody has written on it.\n"
	 "\n"
	 "## Last messages\n"
	 "\n"
	 "There are none.\n"
	 "\n"
	 "## Writing to the person\n"
	 "\n"
	 "- What the person should know: belfry message send 'TEXT'\n"
	 "\n"
	 "## Scheduled Task\n"
	 "\n"
	 "do it\n"},
	{"a cron gets its prompt byte for byte",
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; @11:00:30; order",
	 "tidy active, 1 fired, due 12:00:00\n"
	 "  11:00:00 running: runs as mission m1\n"
	 "= m1 starting 1/1\n"
	 "  #1 attempt begins\n"
	 "$ start m1/1\n"
	 "* order m1/1 headless in its folder for 3600s\n"
	 "CI=1\n"
	 "BELFRY_AGENT=cyd\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "BELFRY_REMINDER_ID=r-57ublw\n"
	 "BELFRY_REMINDER_NAME=tidy\n"
	 "BELFRY_SCHEDULED_AT=2026-03-02T11:00:00+00:00\n"
	 "BELFRY_LATE_BY=30s\n"
	 "BELFRY_MISSED_COUNT=0\n"
	 "do it\n"},
	{"a reminder that runs has its variables and its lateness",
	 "yaml; work every=10m prompt='the {{fire_count}}th {{name}}'; @10:25:00; order",
	 "w active, 1 fired, due 10:30:00\n"
	 "  10:10:00 missed: its time passed unseen (daemon down, suspend or clock change); a later "
	 "one fired in its place\n"
	 "  10:20:00 running: runs as mission m1\n"
	 "= m1 starting 1/1\n"
	 "  #1 attempt begins\n"
	 "$ start m1/1\n"
	 "* order m1/1 headless in its folder for 3600s\n"
	 "CI=1\n"
	 "BELFRY_AGENT=cyd\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "BELFRY_REMINDER_ID=r-57ublw\n"
	 "BELFRY_REMINDER_NAME=w\n"
	 "BELFRY_SCHEDULED_AT=2026-03-02T10:20:00+00:00\n"
	 "BELFRY_LATE_BY=5m\n"
	 "BELFRY_MISSED_COUNT=1\n"
	 "the 1th w\n"
	 "\n"
	 "(1 earlier one was missed; this one is 5m late)\n"},
	{"B9 heartbeat and task overlap freely",
	 "yaml agents: {ada: {adapter: claude, heartbeat: 30m}}; "
	 "work door=task name=a agent=ada in=30m; work door=task name=b agent=ada in=30m; @10:30:00; "
	 "start 3",
	 "heartbeat-ada active, 1 fired, due 11:00:00\n"
	 "  10:30:00 running: runs as mission m1\n"
	 "a completed, 1 fired: its only time has come\n"
	 "  10:30:00 running: runs as mission m2\n"
	 "b completed, 1 fired: its only time has come\n"
	 "  10:30:00 running: runs as mission m3\n"
	 "= m1 running 1/1\n"
	 "  #1 attempt runs\n"
	 "= m2 running 1/3\n"
	 "  #1 attempt runs\n"
	 "= m3 running 1/3\n"
	 "  #1 attempt runs\n"
	 "* go m1/1\n"
	 "* go m2/1\n"
	 "* go m3/1\n"},
};
/* clang-format on */

int main(void)
{
	add_table(test_story, seeding);
	add_table(test_story, catchup);
	add_table(test_story, contexts);
	return run_rows("seed");
}
