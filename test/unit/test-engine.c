/*
 * test-engine.c: stories of the engine, each a script and everything that came of it: the state of
 * the reminders, the whole ledger with its reasons, the queue. See story.h for the language.
 */
#include "story-rows.h"

/* clang-format off */
static const struct story_row conditions[] = {
	{"H7 each, true fires",
	 "add every=1h condition=look; @11:00:00; exit 0",
	 "r active, 1 fired, due 12:00:00\n"
	 "  11:00:00 fired: fired on time [true: exit status 0: its last words]\n"
	 "> me idle queued: hello\n"},
	{"H7 each, false skips and keeps",
	 "add every=1h condition=look mode=each; @11:00:00; exit 1",
	 "r active, 0 fired, due 12:00:00\n"
	 "  11:00:00 skipped: the condition was false [false: exit status 1: its last words]\n"},
	{"H7 each, an error fires nothing and keeps",
	 "add every=1h condition=look; @11:00:00; exit 127",
	 "r active, 0 fired, due 12:00:00\n"
	 "  11:00:00 failed: the condition could not be checked: exit status 127: its last words [error: exit status 127: its last words]\n"
	 "> me normal queued: The condition of reminder 'r' cannot be checked: exit status 127: its last words\n"
	 "\n"
	 "    look\n"
	 "\n"
	 "It does not fire as long as that is so.\n"
	 "This is told once a day while it lasts. What became of each time: belfry why r-57ublw\n"},
	{"H7 until, false fires",
	 "add every=1h condition=look mode=until; @11:00:00; exit 3",
	 "r active, 1 fired, due 12:00:00\n"
	 "  11:00:00 fired: fired on time [false: exit status 3: its last words]\n"
	 "> me idle queued: hello\n"},
	{"H7 until, true completes without firing",
	 "add every=1h condition=look mode=until; @11:00:00; exit 0",
	 "r completed, 0 fired: condition met\n"
	 "  11:00:00 skipped: the condition was met: completed [true: exit status 0: its last "
	 "words]\n"},
	{"H7 until, an error is not true",
	 "add every=1h condition=look mode=until; @11:00:00; signal 9",
	 "r active, 0 fired, due 12:00:00\n"
	 "  11:00:00 failed: the condition could not be checked: ended by signal 9 (Killed): its last words [error: ended by signal 9 (Killed): its last words]\n"
	 "> me normal queued: The condition of reminder 'r' cannot be checked: ended by signal 9 (Killed): its last words\n"
	 "\n"
	 "    look\n"
	 "\n"
	 "It does not fire as long as that is so.\n"
	 "This is told once a day while it lasts. What became of each time: belfry why r-57ublw\n"},
	{"H7 once, true fires and completes",
	 "add every=1h condition=look mode=once; @11:00:00; exit 0",
	 "r completed, 1 fired: condition met\n"
	 "  11:00:00 fired: fired on time [true: exit status 0: its last words]\n"
	 "> me idle queued: hello\n"},
	{"H7 once, false keeps waiting",
	 "add every=1h condition=look mode=once; @11:00:00; exit 1; @12:00:00",
	 "r active, 0 fired, due 13:00:00\n"
	 "  11:00:00 skipped: the condition was not met yet [false: exit status 1: its last "
	 "words]\n"
	 "  12:00:00 checking: its condition is being checked\n"
	 "$ look\n"},
	{"H7 once, an error is not true",
	 "add every=1h condition=look mode=once; @11:00:00; timeout",
	 "r active, 0 fired, due 12:00:00\n"
	 "  11:00:00 failed: the condition could not be checked: no end within 30s, so it was killed: its last words [error: no end within 30s, so it was killed: its last words]\n"
	 "> me normal queued: The condition of reminder 'r' cannot be checked: no end within 30s, so it was killed: its last words\n"
	 "\n"
	 "    look\n"
	 "\n"
	 "It does not fire as long as that is so.\n"
	 "This is told once a day while it lasts. What became of each time: belfry why r-57ublw\n"},
	{"H8 exit 125 is false",
	 "add every=1h condition=look; @11:00:00; exit 125",
	 "r active, 0 fired, due 12:00:00\n"
	 "  11:00:00 skipped: the condition was false [false: exit status 125: its last words]\n"},
	{"H8 exit 126 is an error with the tail of stderr",
	 "add every=1h condition=look; @11:00:00; exit 126",
	 "r active, 0 fired, due 12:00:00\n"
	 "  11:00:00 failed: the condition could not be checked: exit status 126: its last words [error: exit status 126: its last words]\n"
	 "> me normal queued: The condition of reminder 'r' cannot be checked: exit status 126: its last words\n"
	 "\n"
	 "    look\n"
	 "\n"
	 "It does not fire as long as that is so.\n"
	 "This is told once a day while it lasts. What became of each time: belfry why r-57ublw\n"},
	{"H8 a signal is an error",
	 "add every=1h condition=look; @11:00:00; signal 15",
	 "r active, 0 fired, due 12:00:00\n"
	 "  11:00:00 failed: the condition could not be checked: ended by signal 15 (Terminated): its last words [error: ended by signal 15 (Terminated): its last words]\n"
	 "> me normal queued: The condition of reminder 'r' cannot be checked: ended by signal 15 (Terminated): its last words\n"
	 "\n"
	 "    look\n"
	 "\n"
	 "It does not fire as long as that is so.\n"
	 "This is told once a day while it lasts. What became of each time: belfry why r-57ublw\n"},
	{"H8 the time limit is an error",
	 "add every=1h condition=look condition_timeout=5s; @11:00:00; timeout",
	 "r active, 0 fired, due 12:00:00\n"
	 "  11:00:00 failed: the condition could not be checked: no end within 5s, so it was killed: its last words [error: no end within 5s, so it was killed: its last words]\n"
	 "> me normal queued: The condition of reminder 'r' cannot be checked: no end within 5s, so it was killed: its last words\n"
	 "\n"
	 "    look\n"
	 "\n"
	 "It does not fire as long as that is so.\n"
	 "This is told once a day while it lasts. What became of each time: belfry why r-57ublw\n"},
	{"H8 no start is an error",
	 "add every=1h condition=look; @11:00:00; nostart",
	 "r active, 0 fired, due 12:00:00\n"
	 "  11:00:00 failed: the condition could not be checked: no such folder [error: no such folder]\n"
	 "> me normal queued: The condition of reminder 'r' cannot be checked: no such folder\n"
	 "\n"
	 "    look\n"
	 "\n"
	 "It does not fire as long as that is so.\n"
	 "This is told once a day while it lasts. What became of each time: belfry why r-57ublw\n"},
	{"K5 a condition that cannot be checked is told, and again after a day",
	 "add every=1d condition=look; @1+10:00:00; nostart; @2+10:00:00; nostart",
	 "r active, 0 fired, due 3+10:00:00\n"
	 "  1+10:00:00 failed: the condition could not be checked: no such folder [error: no such folder]\n"
	 "  2+10:00:00 failed: the condition could not be checked: no such folder [error: no such folder]\n"
	 "> me normal queued: The condition of reminder 'r' cannot be checked: no such folder\n"
	 "\n"
	 "    look\n"
	 "\n"
	 "It does not fire as long as that is so.\n"
	 "This is told once a day while it lasts. What became of each time: belfry why r-57ublw\n"
	 "> me normal queued: The condition of reminder 'r' cannot be checked: no such folder\n"
	 "\n"
	 "    look\n"
	 "\n"
	 "It does not fire as long as that is so.\n"
	 "This is told once a day while it lasts. What became of each time: belfry why r-57ublw\n"},
	{"K5 a condition that cannot be checked now and then is told once an hour at most",
	 "add every=10m condition=look; @10:10:00; nostart; @10:20:00; nostart; @10:30:00; exit 1; "
	 "@10:40:00; nostart",
	 "r active, 0 fired, due 10:50:00\n"
	 "  10:10:00 failed: the condition could not be checked: no such folder [error: no such folder]\n"
	 "  10:20:00 failed: the condition could not be checked: no such folder [error: no such folder]\n"
	 "  10:30:00 skipped: the condition was false [false: exit status 1: its last words]\n"
	 "  10:40:00 failed: the condition could not be checked: no such folder [error: no such folder]\n"
	 "> me normal queued: The condition of reminder 'r' cannot be checked: no such folder\n"
	 "\n"
	 "    look\n"
	 "\n"
	 "It does not fire as long as that is so.\n"
	 "This is told once a day while it lasts. What became of each time: belfry why r-57ublw\n"},
	{"K5 a single time whose condition cannot be checked is looked at again",
	 "add in=1h condition=look; @11:00:00; timeout; @11:00:10; exit 0",
	 "r completed, 1 fired: its only time has come\n"
	 "  11:00:00 fired: fired 10s late [true: exit status 0: its last words]\n"
	 "> me normal queued: The condition of reminder 'r' cannot be checked: no end within 30s, so it was killed: its last words\n"
	 "\n"
	 "    look\n"
	 "\n"
	 "It is looked at again. When that does not help, the reminder fires all the same, for it has no later time.\n"
	 "This is told once a day while it lasts. What became of each time: belfry why r-57ublw\n"
	 "> me idle queued: hello\n"},
	{"K5 a single time that can never be checked fires, and says so",
	 "add in=1h condition=look; @11:00:00; timeout; @11:00:10; exit 127; @11:00:30; crash; exit 127; "
	 "@11:04:00; nostart",
	 "r completed, 1 fired: its only time has come\n"
	 "  11:00:00 fired: fired 4m late [error: no such folder]\n"
	 "> me normal queued: The condition of reminder 'r' cannot be checked: no end within 30s, so it was killed: its last words\n"
	 "\n"
	 "    look\n"
	 "\n"
	 "It is looked at again. When that does not help, the reminder fires all the same, for it has no later time.\n"
	 "This is told once a day while it lasts. What became of each time: belfry why r-57ublw\n"
	 "> me idle queued: hello\n"
	 "\n"
	 "(this one is 4m late)\n"
	 "\n"
	 "(whether its condition holds is not known, so it fires all the same: no such folder)\n"},
	{"H8 a crash asks again, and fires once",
	 "add every=1h condition=look; @11:00:00; crash; exit 0; crash",
	 "r active, 1 fired, due 12:00:00\n"
	 "  11:00:00 fired: fired on time [true: exit status 0: its last words]\n"
	 "> me idle queued: hello\n"},
	{"a condition overlaps with its next occurrence",
	 "add every=1h condition=look; @11:00:00; @12:00:00; exit 0; @13:00:00",
	 "r active, 1 fired, due 14:00:00\n"
	 "  11:00:00 fired: fired on time [true: exit status 0: its last words]\n"
	 "  12:00:00 skipped: the condition was still being checked for an earlier occurrence\n"
	 "  13:00:00 checking: its condition is being checked\n"
	 "> me idle queued: hello\n"
	 "$ look\n"},
	{"paused while its condition is checked",
	 "add every=1h condition=look; @11:00:00; pause; exit 0",
	 "r paused, 0 fired: paused by hand\n"
	 "  11:00:00 skipped: paused while its condition was being checked [true: exit status 0: "
	 "its last words]\n"},
	{"removed while its condition is checked",
	 "add every=1h condition=look; @11:00:00; remove; exit 0",
	 "r cancelled, 0 fired: removed by hand\n"
	 "  11:00:00 cancelled: cancelled while its condition was being checked [true: exit "
	 "status 0: its last words]\n"},
	{"edited while its condition is checked",
	 "add every=1h condition=look; @11:00:00; edit every=2h; exit 0",
	 "r active, 0 fired, due 13:00:00\n"
	 "  11:00:00 cancelled: edited while its condition was being checked [true: exit status "
	 "0: its last words]\n"},
	{"its condition is taken away while it is checked, then a crash",
	 "add every=1h condition=look; @11:00:00; edit condition=''; crash",
	 "r active, 0 fired, due 12:00:00\n"
	 "  11:00:00 cancelled: edited while its condition was being checked\n"},
	{"the last occurrence waits for its condition before it ends",
	 "add at=11:00 condition=look; @11:00:00; exit 1",
	 "r completed, 0 fired: its only time has come\n"
	 "  11:00:00 skipped: the condition was false [false: exit status 1: its last words]\n"},
	{"H9 a prompt condition is in the text",
	 "add every=1h condition_prompt='the build is red' message='fix it'; @11:00:00",
	 "r active, 1 fired, due 12:00:00\n"
	 "  11:00:00 fired: fired on time\n"
	 "> me idle queued: [Reminder: r]\n"
	 "First look whether this condition holds: \"the build is red\"\n"
	 "If the condition is NOT met, reply with \"[skip]\" and do nothing else.\n"
	 "If the condition IS met, proceed with the following task:\n"
	 "---\n"
	 "fix it\n"},
	{"H10 a prompt with until names the closing call",
	 "add every=1h name=watch condition_prompt='it is green' mode=until count=2; @11:00:00",
	 "watch active, 1 fired, due 12:00:00\n"
	 "  11:00:00 fired: fired on time\n"
	 "> me idle queued: [Reminder: watch]\n"
	 "First look whether this condition holds: \"it is green\"\n"
	 "If the condition IS met, reply with \"[skip]\", leave the task alone, and close this "
	 "reminder with: belfry reminder complete r-57ublw\n"
	 "or with the tool reminder_complete.\n"
	 "If the condition is NOT met, proceed with the following task:\n"
	 "---\n"
	 "hello\n"},
	{"H10 a prompt with once is capped",
	 "add every=1h condition_prompt='it is green' mode=once count=1; @11:00:00",
	 "r completed, 1 fired: fired as many times as asked\n"
	 "  11:00:00 fired: fired on time\n"
	 "> me idle queued: [Reminder: r]\n"
	 "First look whether this condition holds: \"it is green\"\n"
	 "If the condition is NOT met, reply with \"[skip]\" and do nothing else.\n"
	 "If the condition IS met, close this reminder with: belfry reminder complete r-57ublw\n"
	 "or with the tool reminder_complete, and proceed with the following task:\n"
	 "---\n"
	 "hello\n"},
	{"H8 what a check is given",
	 "add agent=bot every=10m name=tea condition='test -f x' condition_timeout=5s; @10:25:00; "
	 "show",
	 "tea active, 0 fired, due 10:30:00\n"
	 "  10:10:00 missed: its time passed unseen (daemon down, suspend or clock change); a "
	 "later one fired in its place\n"
	 "  10:20:00 checking: its condition is being checked\n"
	 "$ test -f x\n"
	 "/bin/sh -c test -f x in /srv for 5s\n"
	 "CI=1\n"
	 "BELFRY_AGENT=bot\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_REMINDER_ID=r-57ublw\n"
	 "BELFRY_REMINDER_NAME=tea\n"
	 "BELFRY_SCHEDULED_AT=2026-03-02T10:20:00+00:00\n"
	 "BELFRY_LATE_BY=5m\n"
	 "BELFRY_MISSED_COUNT=1\n"},
};

static const struct story_row times[] = {
	{"H12 a time in the past fires at once and is completed",
	 "add at=2026-03-02T09:00:00Z",
	 "r completed, 1 fired: its only time has come\n"
	 "  09:00:00 fired: fired 1h late\n"
	 "> me idle queued: hello\n"
	 "\n"
	 "(this one is 1h late)\n"},
	{"H12 in becomes an instant at creation",
	 "add in=90s; @10:01:29; @10:01:30",
	 "r completed, 1 fired: its only time has come\n"
	 "  10:01:30 fired: fired on time\n"
	 "> me idle queued: hello\n"},
	{"H13 every is a grid from creation, now also fires at once",
	 "add every=1h now; @10:30:00; @11:00:01",
	 "r active, 2 fired, due 12:00:00\n"
	 "  10:00:00 fired: fired on time\n"
	 "  11:00:00 fired: fired 1s late\n"
	 "> me idle queued: hello\n"
	 "> me idle queued: hello\n"},
	{"H14 missed ones collapse into one fire",
	 "add every=10m; @11:05:00",
	 "r active, 1 fired, due 11:10:00\n"
	 "  10:10:00-10:50:00 x5 missed: its time passed unseen (daemon down, suspend or clock "
	 "change); a later one fired in its place\n"
	 "  11:00:00 fired: fired 5m late\n"
	 "> me idle queued: hello\n"
	 "\n"
	 "(5 earlier ones were missed; this one is 5m late)\n"},
	{"H14 one missed, on time otherwise",
	 "add every=10m; @10:20:00",
	 "r active, 1 fired, due 10:30:00\n"
	 "  10:10:00 missed: its time passed unseen (daemon down, suspend or clock change); a "
	 "later one fired in its place\n"
	 "  10:20:00 fired: fired on time\n"
	 "> me idle queued: hello\n"
	 "\n"
	 "(1 earlier one was missed; this one is 0s late)\n"},
	{"H14 many are counted exactly on a grid",
	 "add every=1s; @1+10:00:00",
	 "r active, 1 fired, due 1+10:00:01\n"
	 "  10:00:01-1+09:59:59 x86399 missed: its time passed unseen (daemon down, suspend or "
	 "clock change); a later one fired in its place\n"
	 "  1+10:00:00 fired: fired on time\n"
	 "> me idle queued: hello\n"
	 "\n"
	 "(86399 earlier ones were missed; this one is 0s late)\n"},
	{"catch-up skip fires nothing late",
	 "add every=10m catchup=skip; @11:05:00; @11:10:00",
	 "r active, 1 fired, due 11:20:00\n"
	 "  10:10:00-11:00:00 x6 missed: its time passed unseen (daemon down, suspend or clock "
	 "change), and catch-up is skip\n"
	 "  11:10:00 fired: fired on time\n"
	 "> me idle queued: hello\n"},
	{"catch-up skip bears a minute",
	 "add every=10m catchup=skip; @11:11:00",
	 "r active, 1 fired, due 11:20:00\n"
	 "  10:10:00-11:00:00 x6 missed: its time passed unseen (daemon down, suspend or clock "
	 "change); a later one fired in its place\n"
	 "  11:10:00 fired: fired 1m late\n"
	 "> me idle queued: hello\n"
	 "\n"
	 "(6 earlier ones were missed; this one is 1m late)\n"},
	{"catch-up all fires the newest ones, oldest first",
	 "add every=10m catchup=all:3; @11:05:00",
	 "r active, 3 fired, due 11:10:00\n"
	 "  10:10:00-10:30:00 x3 missed: its time passed unseen (daemon down, suspend or clock "
	 "change); a later one fired in its place\n"
	 "  10:40:00 fired: fired 25m late\n"
	 "  10:50:00 fired: fired 15m late\n"
	 "  11:00:00 fired: fired 5m late\n"
	 "> me idle queued: hello\n"
	 "\n"
	 "(3 earlier ones were missed; this one is 25m late)\n"
	 "> me idle queued: hello\n"
	 "\n"
	 "(this one is 15m late)\n"
	 "> me idle queued: hello\n"
	 "\n"
	 "(this one is 5m late)\n"},
	{"a cron line skips by default (A12)",
	 "add cron='0 * * * *'; @13:30:00",
	 "r active, 0 fired, due 14:00:00\n"
	 "  11:00:00-13:00:00 x3 missed: its time passed unseen (daemon down, suspend or clock "
	 "change), and catch-up is skip\n"},
	{"catch-up all ends with the count",
	 "add every=10m catchup=all:5 count=2; @11:05:00",
	 "r completed, 2 fired: fired as many times as asked\n"
	 "  10:10:00 missed: its time passed unseen (daemon down, suspend or clock change); a later "
	 "one fired in its place\n"
	 "  10:20:00 fired: fired 45m late\n"
	 "  10:30:00 fired: fired 35m late\n"
	 "  10:40:00-11:00:00 x3 cancelled: it was over by then: fired as many times as asked\n"
	 "> me idle queued: hello\n"
	 "\n"
	 "(1 earlier one was missed; this one is 45m late)\n"
	 "> me idle queued: hello\n"
	 "\n"
	 "(this one is 35m late)\n"},
	{"start deadline passed",
	 "add every=10m start_deadline=2m; @11:05:00",
	 "r active, 0 fired, due 11:10:00\n"
	 "  10:10:00-11:00:00 x6 missed: later than its start deadline of 2m\n"},
	{"start deadline kept",
	 "add every=10m start_deadline=6m; @11:05:00",
	 "r active, 1 fired, due 11:10:00\n"
	 "  10:10:00-10:50:00 x5 missed: its time passed unseen (daemon down, suspend or clock "
	 "change); a later one fired in its place\n"
	 "  11:00:00 fired: fired 5m late\n"
	 "> me idle queued: hello\n"
	 "\n"
	 "(5 earlier ones were missed; this one is 5m late)\n"},
	{"start deadline bounds catch-up all",
	 "add every=10m catchup=all:5 start_deadline=20m; @11:05:00",
	 "r active, 2 fired, due 11:10:00\n"
	 "  10:10:00-10:40:00 x4 missed: its time passed unseen (daemon down, suspend or clock "
	 "change); a later one fired in its place\n"
	 "  10:50:00 fired: fired 15m late\n"
	 "  11:00:00 fired: fired 5m late\n"
	 "> me idle queued: hello\n"
	 "\n"
	 "(4 earlier ones were missed; this one is 15m late)\n"
	 "> me idle queued: hello\n"
	 "\n"
	 "(this one is 5m late)\n"},
	{"H27 count",
	 "add every=1h count=2; @11:00:00; @12:00:00; @13:00:00",
	 "r completed, 2 fired: fired as many times as asked\n"
	 "  11:00:00 fired: fired on time\n"
	 "  12:00:00 fired: fired on time\n"
	 "> me idle queued: hello\n"
	 "> me idle queued: hello\n"},
	{"H27 until",
	 "add every=1h until=2026-03-02T12:00:00Z; @11:00:00; @12:00:00; @13:00:00",
	 "r completed, 2 fired: no occurrence is left\n"
	 "  11:00:00 fired: fired on time\n"
	 "  12:00:00 fired: fired on time\n"
	 "> me idle queued: hello\n"
	 "> me idle queued: hello\n"},
	{"H27 variables",
	 "add every=10m name=tea message='{{name}} {{fire_count}} {{missed}} {{late_by}} {{now}} "
	 "{{other}} {'; @10:35:00",
	 "tea active, 1 fired, due 10:40:00\n"
	 "  10:10:00-10:20:00 x2 missed: its time passed unseen (daemon down, suspend or clock "
	 "change); a later one fired in its place\n"
	 "  10:30:00 fired: fired 5m late\n"
	 "> me idle queued: tea 1 2 5m Mar 2, 2026 10:35 AM UTC {{other}} {\n"
	 "\n"
	 "(2 earlier ones were missed; this one is 5m late)\n"},
	{"clock set back: nothing fires again",
	 "add every=1h; @11:00:00; @10:30:00; @11:00:00; @12:00:00",
	 "r active, 2 fired, due 13:00:00\n"
	 "  11:00:00 fired: fired on time (early)\n"
	 "  12:00:00 fired: fired on time\n"
	 "> me idle queued: hello\n"
	 "> me idle queued: hello\n"},
	{"clock set back while a condition is checked",
	 "add every=1h condition=look; @11:00:00; @10:00:00; exit 0; @11:00:00",
	 "r active, 1 fired, due 12:00:00\n"
	 "  11:00:00 fired: fired on time (early) [true: exit status 0: its last words]\n"
	 "> me idle queued: hello\n"},
	{"H14 a cron line is counted up to a limit, and says so",
	 "add cron='* * * * *' catchup=once; @20+10:00:00",
	 "r active, 1 fired, due 20+10:01:00\n"
	 "  10:01:00-20+09:59:00 x10000+ missed: its time passed unseen (daemon down, suspend or "
	 "clock change); a later one fired in its place\n"
	 "  20+10:00:00 fired: fired on time\n"
	 "> me idle queued: hello\n"
	 "\n"
	 "(at least 10000 earlier ones were missed; this one is 0s late)\n"},
	{"jitter is the reminder's own, and the same after a crash and an edit",
	 "add name=a every=1h jitter=30m; add name=b every=1h jitter=30m; crash; edit reminder=a "
	 "message=x; edit reminder=b message=x",
	 "a active, 0 fired, due 11:03:28\n"
	 "b active, 0 fired, due 11:15:38\n"},
	{"jitter never reaches the next occurrence",
	 "add every=1m jitter=1d; @10:05:00; @10:06:00",
	 "r active, 2 fired, due 10:06:12\n"
	 "  10:01:00-10:03:00 x3 missed: its time passed unseen (daemon down, suspend or clock "
	 "change); a later one fired in its place\n"
	 "  10:04:00 fired: fired 22s late\n"
	 "  10:05:00 fired: fired 42s late\n"
	 "> me idle queued: hello\n"
	 "\n"
	 "(3 earlier ones were missed; this one is 22s late)\n"
	 "> me idle queued: hello\n"},
	{"H13 a rule added before a gap keeps its time of day",
	 "@5+07:30:00; add rrule='FREQ=DAILY' tz=America/New_York; @6+07:30:00; @7+06:29:59; "
	 "@7+06:30:00",
	 "r active, 2 fired, due 8+06:30:00\n"
	 "  6+07:30:00 fired: fired on time\n"
	 "  7+06:30:00 fired: fired on time\n"
	 "> me idle queued: hello\n"
	 "> me idle queued: hello\n"},
};

static const struct story_row changes[] = {
	{"H4 pause and resume",
	 "add every=1h; pause; @12:30:00; resume; @13:00:00",
	 "r active, 1 fired, due 14:00:00\n"
	 "  11:00:00-12:00:00 x2 skipped: paused\n"
	 "  13:00:00 fired: fired on time\n"
	 "> me idle queued: hello\n"},
	{"H4 pausing twice",
	 "add every=1h; pause; pause",
	 "r paused, 0 fired: paused by hand\n"
	 "! cannot pause reminder 'r-57ublw': it is paused (only active reminders can be paused)\n"},
	{"H4 resuming an active one",
	 "add every=1h; resume",
	 "r active, 0 fired, due 11:00:00\n"
	 "! cannot resume reminder 'r-57ublw': it is active (only paused reminders can be "
	 "resumed)\n"},
	{"H4 completing",
	 "add every=1h; complete",
	 "r completed, 0 fired: completed by hand\n"},
	{"H4 completing a paused one",
	 "add every=1h; pause; complete",
	 "r paused, 0 fired: paused by hand\n"
	 "! cannot complete reminder 'r-57ublw': it is paused (only active reminders can be "
	 "completed)\n"},
	{"H4 removing a paused one",
	 "add every=1h; pause; @11:30:00; remove",
	 "r cancelled, 0 fired: removed by hand\n"
	 "  11:00:00 skipped: paused\n"},
	{"H4 nothing leaves cancelled",
	 "add every=1h; remove; resume; pause; complete; remove; run; edit count=3",
	 "r cancelled, 0 fired: removed by hand\n"
	 "! cannot resume reminder 'r-57ublw': it is cancelled (only paused reminders can be "
	 "resumed)\n"
	 "! cannot pause reminder 'r-57ublw': it is cancelled (only active reminders can be "
	 "paused)\n"
	 "! cannot complete reminder 'r-57ublw': it is cancelled (only active reminders can be "
	 "completed)\n"
	 "! cannot remove reminder 'r-57ublw': it is cancelled (only active and paused reminders "
	 "can be removed)\n"
	 "! cannot run reminder 'r-57ublw': it is cancelled (only active and paused reminders can "
	 "be run)\n"
	 "! cannot edit reminder 'r-57ublw': it is cancelled (add a new one)\n"},
	{"H4 nothing leaves completed",
	 "add in=1s; @10:00:01; resume; pause; complete; remove",
	 "r completed, 1 fired: its only time has come\n"
	 "  10:00:01 fired: fired on time\n"
	 "> me idle queued: hello\n"
	 "! cannot resume reminder 'r-57ublw': it is completed (only paused reminders can be "
	 "resumed)\n"
	 "! cannot pause reminder 'r-57ublw': it is completed (only active reminders can be "
	 "paused)\n"
	 "! cannot complete reminder 'r-57ublw': it is completed (only active reminders can be "
	 "completed)\n"
	 "! cannot remove reminder 'r-57ublw': it is completed (only active and paused reminders "
	 "can be removed)\n"},
	{"a single time that passed while paused fires on resume",
	 "add in=1h; pause; @12:00:00; resume",
	 "r completed, 1 fired: its only time has come\n"
	 "  11:00:00 fired: fired 1h late\n"
	 "> me idle queued: hello\n"
	 "\n"
	 "(this one is 1h late)\n"},
	{"H16 a lost turn leaves nothing, and the next does it once",
	 "add every=1h; add name=c every=1h condition=look; damage UPDATE reminders SET due_at = "
	 "due_at - 3600000000, nominal_at = nominal_at - 3600000000, cursor = cursor - "
	 "3600000000; lost; @10:00:00",
	 "r active, 1 fired, due 11:00:00\n"
	 "  10:00:00 fired: fired on time\n"
	 "c active, 0 fired, due 11:00:00\n"
	 "  10:00:00 checking: its condition is being checked\n"
	 "> me idle queued: hello\n"
	 "$ look\n"},
	{"H16 a crash after the fire does not fire again",
	 "add every=1h; @11:00:00; crash; crash",
	 "r active, 1 fired, due 12:00:00\n"
	 "  11:00:00 fired: fired on time\n"
	 "> me idle queued: hello\n"},
	{"a run by hand leaves schedule and counters alone",
	 "add every=1h count=1; run; run; @10:30:00; run",
	 "r active, 0 fired, due 11:00:00\n"
	 "  10:00:00 fired: run by hand\n"
	 "  10:00:00 fired: run by hand\n"
	 "  10:30:00 fired: run by hand\n"
	 "> me idle queued: hello\n"
	 "> me idle queued: hello\n"
	 "> me idle queued: hello\n"},
	{"a run by hand does not ask the condition",
	 "add every=1h condition=look; run",
	 "r active, 0 fired, due 11:00:00\n"
	 "  10:00:00 fired: run by hand\n"
	 "> me idle queued: hello\n"},
	{"an edit of the schedule counts from now",
	 "add every=1h; @10:30:00; edit every=2h; @11:30:00; @12:30:00",
	 "r active, 1 fired, due 14:30:00\n"
	 "  12:30:00 fired: fired on time\n"
	 "> me idle queued: hello\n"},
	{"an edit of the text leaves the schedule alone",
	 "add every=1h; @10:30:00; edit message=new; @11:00:00",
	 "r active, 1 fired, due 12:00:00\n"
	 "  11:00:00 fired: fired on time\n"
	 "> me idle queued: new\n"},
	{"an edit accounts for what was due",
	 "add every=1h; pause; @12:30:00; edit every=1d",
	 "r paused, 0 fired: paused by hand\n"
	 "  11:00:00-12:00:00 x2 skipped: paused\n"},
	{"an edit of the count can end it",
	 "add every=1h; @11:00:00; edit count=1",
	 "r completed, 1 fired: fired as many times as asked\n"
	 "  11:00:00 fired: fired on time\n"
	 "> me idle queued: hello\n"},
	{"C9 K15 a damaged row is set aside and told, the others go on",
	 "add every=1h name=bad; add every=1h; damage UPDATE reminders SET schedule = 'rubbish' "
	 "WHERE name = 'bad'; @11:00:00; @12:00:00; resume reminder=bad",
	 "bad paused, 0 fired: set aside: 'rubbish' is no duration: it begins with a number, as 5m\n"
	 "r active, 2 fired, due 13:00:00\n"
	 "  11:00:00 fired: fired on time\n"
	 "  12:00:00 fired: fired on time\n"
	 "> me normal queued: Reminder 'bad' was due and cannot be read: 'rubbish' is no duration: it begins with a number, as 5m\n"
	 "\n"
	 "It is set aside, and does not fire. When that is mended: belfry reminder resume r-57ublw\n"
	 "> me idle queued: hello\n"
	 "> me idle queued: hello\n"
	 "! 'rubbish' is no duration: it begins with a number, as 5m (durations look like '90s', '30m', '1h30m', '2d' or '1w')\n"},
	{"a schedule that never fires is refused",
	 "add cron='0 0 31 2 *'; add every=1h until=2026-03-02T10:30:00Z",
	 "! cron '0 0 31 2 *' never fires after now (look at it with: belfry next --cron '...')\n"
	 "! nothing would fire before its --until (choose a later --until)\n"},
	{"a refused request takes its check with it",
	 "add rrule='DTSTART:20260101T090000Z RRULE:FREQ=DAILY;COUNT=1' now condition=look; add "
	 "every=1h condition=other; @11:00:00",
	 "r active, 0 fired, due 12:00:00\n"
	 "  11:00:00 checking: its condition is being checked\n"
	 "$ other\n"
	 "! rrule 'DTSTART:20260101T090000Z RRULE:FREQ=DAILY;COUNT=1' never fires after now (look "
	 "at it with: belfry next --rrule '...')\n"},
};

static const struct story_row deliveries[] = {
	{"K6 what waits for an agent that is not there is one message, with how many it stands for",
	 "yaml; add agent=ada every=30m; @10:30:00; @11:00:00; @11:30:00; @12:00:00; take agent=ada; @12:30:00",
	 "r active, 5 fired, due 13:00:00\n"
	 "  10:30:00 fired: fired on time; nobody had got it when the next one took its place\n"
	 "  11:00:00 fired: fired on time; nobody had got it when the next one took its place\n"
	 "  11:30:00 fired: fired on time; nobody had got it when the next one took its place\n"
	 "  12:00:00 fired: fired on time\n"
	 "  12:30:00 fired: fired on time\n"
	 "> ada idle delivered x1: hello\n"
	 "\n"
	 "(3 earlier ones waited for 'ada' too, from Mar 2, 2026 10:30 AM UTC to Mar 2, 2026 11:30 AM UTC)\n"
	 "> ada idle queued: hello\n"},
	{"K6 what was tried keeps its words, and those behind it are one message",
	 "config deliver; add agent=bot every=30m; @10:30:00; @11:00:00; @11:30:00",
	 "r active, 3 fired, due 12:00:00\n"
	 "  10:30:00 fired: fired on time\n"
	 "  11:00:00 fired: fired on time; nobody had got it when the next one took its place\n"
	 "  11:30:00 fired: fired on time\n"
	 "> bot idle offered x1: hello\n"
	 "> bot idle queued: hello\n"
	 "\n"
	 "(1 earlier one waited for 'bot' too, from Mar 2, 2026 11:00 AM UTC)\n"
	 "$ hand\n"},
	{"K6 whoever asked for all of them gets all of them",
	 "yaml; add agent=ada every=30m catchup=all; @10:30:00; @11:00:00",
	 "r active, 2 fired, due 11:30:00\n"
	 "  10:30:00 fired: fired on time\n"
	 "  11:00:00 fired: fired on time\n"
	 "> ada idle queued: hello\n"
	 "> ada idle queued: hello\n"},
	{"delivered by command",
	 "config deliver; add agent=bot every=1h; @11:00:00; exit 0",
	 "r active, 1 fired, due 12:00:00\n"
	 "  11:00:00 fired: fired on time\n"
	 "> bot idle delivered x1: hello\n"},
	{"failed deliveries are tried again, later and later",
	 "config deliver; add agent=bot in=1h; @11:00:00; exit 1; @11:00:01; @11:00:02; exit 1; "
	 "@11:00:05; @11:00:07",
	 "r completed, 1 fired: its only time has come\n"
	 "  11:00:00 fired: fired on time\n"
	 "> bot idle offered x3 (exit status 1: its last words): hello\n"
	 "$ hand\n"},
	{"a delivery fails after its attempts",
	 "config deliver; add agent=bot in=1h; @11:00:00; exit 1; @11:00:02; signal 9; @11:00:07; "
	 "timeout; @12:00:00",
	 "r completed, 1 fired: its only time has come\n"
	 "  11:00:00 fired: fired on time\n"
	 "> bot idle failed x3 (no end within 20s, so it was killed: its last words): hello\n"
	 "> me normal queued: A message for 'bot' could not be handed over, after 3 attempts: no end "
	 "within 20s, so it was killed: its last words\n"
	 "\n"
	 "What it says:\n"
	 "\n"
	 "hello\n"},
	{"one at a time: the next waits for the head",
	 "config deliver; add agent=bot name=a message=a in=1h; add agent=bot name=b message=b "
	 "in=1h; @11:00:00; exit 0",
	 "a completed, 1 fired: its only time has come\n"
	 "  11:00:00 fired: fired on time\n"
	 "b completed, 1 fired: its only time has come\n"
	 "  11:00:00 fired: fired on time\n"
	 "> bot idle delivered x1: a\n"
	 "> bot idle offered x1: b\n"
	 "$ hand\n"},
	{"a crash offers again under the same id",
	 "config deliver; add agent=bot in=1h; @11:00:00; crash; exit 0",
	 "r completed, 1 fired: its only time has come\n"
	 "  11:00:00 fired: fired on time\n"
	 "> bot idle delivered x2: hello\n"},
	{"an attempt planned before the clock was set back",
	 "config deliver; add agent=bot in=1h; @11:00:00; exit 1; @-1+11:00:00",
	 "r completed, 1 fired: its only time has come\n"
	 "  11:00:00 fired: fired on time (early)\n"
	 "> bot idle offered x2 (exit status 1: its last words): hello\n"
	 "$ hand\n"},
	{"H5 the line goes by priority, idle-first newest first",
	 "add agent=bot name=a message=a in=1h priority=idle; add agent=bot name=b message=b "
	 "in=1h priority=idle-first; add agent=bot name=c message=c in=1h priority=idle-first; "
	 "add agent=bot name=d message=d in=1h priority=interrupt; add agent=bot name=e message=e "
	 "in=1h priority=normal; @11:00:00; take agent=bot; @11:01:00; take agent=bot; @11:02:00; "
	 "take agent=bot; take agent=me",
	 "a completed, 1 fired: its only time has come\n"
	 "  11:00:00 fired: fired on time\n"
	 "b completed, 1 fired: its only time has come\n"
	 "  11:00:00 fired: fired on time\n"
	 "c completed, 1 fired: its only time has come\n"
	 "  11:00:00 fired: fired on time\n"
	 "d completed, 1 fired: its only time has come\n"
	 "  11:00:00 fired: fired on time\n"
	 "e completed, 1 fired: its only time has come\n"
	 "  11:00:00 fired: fired on time\n"
	 "> bot idle queued: a\n"
	 "> bot idle-first queued: b\n"
	 "> bot idle-first delivered x1: c\n"
	 "> bot interrupt delivered x1: d\n"
	 "> bot normal delivered x1: e\n"
	 "! nothing is queued for 'me'\n"},
	{"taking the head brings the next to the front",
	 "config deliver; add agent=bot name=a message=a in=1h; add agent=bot name=b message=b "
	 "in=1h; @11:00:00; exit 1; take agent=bot; exit 0",
	 "a completed, 1 fired: its only time has come\n"
	 "  11:00:00 fired: fired on time\n"
	 "b completed, 1 fired: its only time has come\n"
	 "  11:00:00 fired: fired on time\n"
	 "> bot idle delivered x2 (exit status 1: its last words): a\n"
	 "> bot idle delivered x1: b\n"},
	{"an agent that gets a command gets its line, oldest first",
	 "add agent=bot name=a message=a in=1h; add agent=bot name=b message=b in=2h; @11:00:00; "
	 "config deliver; @12:00:00; exit 0",
	 "a completed, 1 fired: its only time has come\n"
	 "  11:00:00 fired: fired on time\n"
	 "b completed, 1 fired: its only time has come\n"
	 "  12:00:00 fired: fired on time\n"
	 "> bot idle delivered x1: a\n"
	 "> bot idle offered x1: b\n"
	 "$ hand\n"},
	{"an agent that loses its command keeps its messages",
	 "config deliver; add agent=bot in=1h; @11:00:00; config plain; exit 1; @12:00:00",
	 "r completed, 1 fired: its only time has come\n"
	 "  11:00:00 fired: fired on time\n"
	 "> bot idle queued x1 (exit status 1: its last words): hello\n"},
	{"what a delivery is given",
	 "config deliver; add agent=bot every=10m name=tea priority=normal; @10:25:00; exit 1; "
	 "@10:25:02; show",
	 "tea active, 1 fired, due 10:30:00\n"
	 "  10:10:00 missed: its time passed unseen (daemon down, suspend or clock change); a "
	 "later one fired in its place\n"
	 "  10:20:00 fired: fired 5m late\n"
	 "> bot normal offered x2 (exit status 1: its last words): hello\n"
	 "\n"
	 "(1 earlier one was missed; this one is 5m late)\n"
	 "$ hand\n"
	 "hand over in /srv for 20s\n"
	 "CI=1\n"
	 "BELFRY_AGENT=bot\n"
	 "BELFRY_ATTEMPT=2\n"
	 "BELFRY_MESSAGE_ID=m-9l0axyka\n"
	 "BELFRY_PRIORITY=normal\n"
	 "BELFRY_REMINDER_ID=r-57ublw\n"
	 "BELFRY_REMINDER_NAME=tea\n"
	 "BELFRY_SCHEDULED_AT=2026-03-02T10:20:00+00:00\n"
	 "BELFRY_LATE_BY=5m\n"
	 "BELFRY_MISSED_COUNT=1\n"
	 "< hello\n"
	 "\n"
	 "(1 earlier one was missed; this one is 5m late)\n"},
};

/* A clock that is wrong for a while. */
static const struct story_row clocks[] = {
	{"K1 a clock that jumped ahead and came back silences nothing",
	 "add every=10m; @365+10:05:00; @10:06:00; @10:10:00; @10:20:00",
	 "r active, 3 fired, due 10:30:00\n"
	 "  10:10:00-365+09:50:00 x52559 missed: its time passed unseen (daemon down, suspend or clock change); a later one fired in its place (counts no more)\n"
	 "  365+10:00:00 fired: fired 5m late (early)\n"
	 "  10:10:00 fired: fired on time\n"
	 "  10:20:00 fired: fired on time\n"
	 "> me idle queued: hello\n"
	 "\n"
	 "(52559 earlier ones were missed; this one is 5m late)\n"
	 "> me idle queued: hello\n"
	 "> me idle queued: hello\n"},
	{"K1 what fired early does not fire again, and what was missed then does",
	 "add every=1h catchup=all:1; @12:30:00; @10:30:00; @11:00:00; @12:00:00; @13:00:00",
	 "r active, 3 fired, due 14:00:00\n"
	 "  11:00:00 missed: its time passed unseen (daemon down, suspend or clock change); a later one fired in its place (counts no more)\n"
	 "  12:00:00 fired: fired 30m late (early)\n"
	 "  11:00:00 fired: fired on time\n"
	 "  13:00:00 fired: fired on time\n"
	 "> me idle queued: hello\n"
	 "\n"
	 "(1 earlier one was missed; this one is 30m late)\n"
	 "> me idle queued: hello\n"
	 "> me idle queued: hello\n"},
	{"K1 a cron and a rule come back, too",
	 "add cron='0 * * * *'; @30+10:05:00; @10:06:00; @11:00:00",
	 "r active, 1 fired, due 12:00:00\n"
	 "  11:00:00-30+10:00:00 x720 missed: its time passed unseen (daemon down, suspend or clock change), and catch-up is skip (counts no more)\n"
	 "  11:00:00 fired: fired on time\n"
	 "> me idle queued: hello\n"},
	{"K1 a single time that a wrong clock gave up comes back",
	 "add at=11:00 start_deadline=5m; @9+10:00:00; @10:30:00; @11:00:00",
	 "r completed, 1 fired: its only time has come\n"
	 "  11:00:00 missed: later than its start deadline of 5m (counts no more)\n"
	 "  11:00:00 fired: fired on time\n"
	 "> me idle queued: hello\n"},
	{"K1 a single time that fired early does not fire again",
	 "add at=11:00; @9+10:00:00; @10:30:00; @11:00:00",
	 "r completed, 1 fired: its only time has come\n"
	 "  11:00:00 fired: fired 8d 23h late (early)\n"
	 "> me idle queued: hello\n"
	 "\n"
	 "(this one is 8d 23h late)\n"},
	{"K1 a daemon that was down meanwhile notices at its start",
	 "add every=10m; @365+10:05:00; crash; @10:06:00; @10:10:00",
	 "r active, 2 fired, due 10:20:00\n"
	 "  10:10:00-365+09:50:00 x52559 missed: its time passed unseen (daemon down, suspend or clock change); a later one fired in its place (counts no more)\n"
	 "  365+10:00:00 fired: fired 5m late (early)\n"
	 "  10:10:00 fired: fired on time\n"
	 "> me idle queued: hello\n"
	 "\n"
	 "(52559 earlier ones were missed; this one is 5m late)\n"
	 "> me idle queued: hello\n"},
	{"K1 a small correction fires nothing twice",
	 "add every=1m; @10:01:00; @10:00:30; @10:01:00; @10:02:00",
	 "r active, 2 fired, due 10:03:00\n"
	 "  10:01:00 fired: fired on time\n"
	 "  10:02:00 fired: fired on time\n"
	 "> me idle queued: hello\n"
	 "> me idle queued: hello\n"},
	{"K1 what was made by a wrong clock goes on by the right one",
	 "@365+10:00:00; add every=10m; @10:06:00; @10:15:00; @10:16:00",
	 "r active, 1 fired, due 10:20:00\n"
	 "  10:10:00 fired: fired 5m late\n"
	 "> me idle queued: hello\n"
	 "\n"
	 "(this one is 5m late)\n"},
	{"JO42 what was set for in an hour by a clock that was not set follows it when it is",
	 "@-20514+10:00:00; add in=1h; @-20514+10:30:00; @12:00:00; lost 12:29:59; @12:29:59; @12:31:00",
	 "r completed, 1 fired: its only time has come\n"
	 "  12:30:00 fired: fired 1m late\n"
	 "> me idle queued: hello\n"
	 "\n"
	 "(this one is 1m late)\n"},
	{"JO42 the same when the clock is set while no daemon runs: from the last moment that was seen",
	 "@-20514+10:00:00; add in=1h; crash; @12:00:00; @13:00:00",
	 "r completed, 1 fired: its only time has come\n"
	 "  13:00:00 fired: fired on time\n"
	 "> me idle queued: hello\n"},
	{"JO42 a turn that is rolled back when the clock is set changes nothing of it",
	 "@-20514+10:00:00; add in=1h; @-20514+10:30:00; lost 12:00:00; @12:00:00",
	 "r active, 0 fired, due 12:30:00\n"},
	{"K1 a clock that is a year ahead for a moment makes nothing old",
	 "add every=1h; @11:00:00; remove; @400+11:00:00; @11:01:00; @11:02:00",
	 "r cancelled, 1 fired: removed by hand\n"
	 "  11:00:00 fired: fired on time\n"
	 "> me idle queued: hello\n"},
	{"K36 a verdict after a small step back is no snooze",
	 "add every=1m condition=look; @10:04:00; @10:00:30; exit 1; @10:10:00; exit 1; @10:02:30; "
	 "@10:03:00; exit 0",
	 "r active, 1 fired, due 10:04:00\n"
	 "  10:01:00-10:02:00 x2 missed: its time passed unseen (daemon down, suspend or clock change); a later one fired in its place\n"
	 "  10:04:00 skipped: the condition was false (counts no more) [false: exit status 1: its last words]\n"
	 "  10:05:00-10:09:00 x5 missed: its time passed unseen (daemon down, suspend or clock change); a later one fired in its place (counts no more)\n"
	 "  10:10:00 skipped: the condition was false (counts no more) [false: exit status 1: its last words]\n"
	 "  10:03:00 fired: fired on time [true: exit status 0: its last words]\n"
	 "> me idle queued: hello\n"},
	{"K36 a count that an edit made too small ends it, also while its condition is checked",
	 "add every=1h condition=look; @11:00:00; exit 0; @12:00:00; edit count=1; @13:00:00; exit 0",
	 "r completed, 1 fired: fired as many times as asked\n"
	 "  11:00:00 fired: fired on time [true: exit status 0: its last words]\n"
	 "  12:00:00 cancelled: completed while its condition was being checked [true: exit status 0: its last words]\n"
	 "> me idle queued: hello\n"},
	{"K36 a rule that a wrong clock began in a gap begins by the right one",
	 "@26+12:00:00; add rrule='FREQ=DAILY;BYHOUR=2' tz=Europe/Berlin; @10:06:00; @1+01:00:00",
	 "r active, 1 fired, due 2+01:00:00\n"
	 "  1+01:00:00 fired: fired on time\n"
	 "> me idle queued: hello\n"},
	{"K36 a rule that begins in a gap by the right clock leaves nothing out",
	 "@60+12:00:00; add rrule='FREQ=WEEKLY;BYDAY=SU;BYHOUR=2' tz=Europe/Berlin; @26+12:00:00; "
	 "@27+01:00:00",
	 "r active, 1 fired, due 34+00:00:00\n"
	 "  27+01:00:00 fired: fired on time\n"
	 "> me idle queued: hello\n"},
	{"K36 a start in a gap that somebody said stays",
	 "@26+12:00:00; add rrule='DTSTART;TZID=Europe/Berlin:20260329T020000 "
	 "RRULE:FREQ=DAILY;BYHOUR=2' tz=Europe/Berlin; @10:06:00; @1+01:00:00",
	 "r active, 0 fired, due 27+01:00:00\n"},
	{"K20 a catch-up that nobody chose follows the new kind",
	 "add cron='0 * * * *'; edit every=10m; @10:35:00",
	 "r active, 1 fired, due 10:40:00\n"
	 "  10:10:00-10:20:00 x2 missed: its time passed unseen (daemon down, suspend or clock change); a later one fired in its place\n"
	 "  10:30:00 fired: fired 5m late\n"
	 "> me idle queued: hello\n"
	 "\n"
	 "(2 earlier ones were missed; this one is 5m late)\n"},
	{"K20 one that was chosen stays",
	 "add every=1h catchup=skip; edit every=10m; @10:35:00",
	 "r active, 0 fired, due 10:40:00\n"
	 "  10:10:00-10:30:00 x3 missed: its time passed unseen (daemon down, suspend or clock change), and catch-up is skip\n"},
	{"K7 what new zone files move into the past is caught up with",
	 "zone Etc/UTC; add cron='30 10 * * *' tz=Moved catchup=once; @10:05:00; zone Etc/GMT-1; @10:06:05",
	 "r active, 1 fired, due 1+09:30:00\n"
	 "  09:30:00 fired: fired 36m 5s late\n"
	 "> me idle queued: hello\n\n(this one is 36m 5s late)\n"},
	{"K7 and is missed, where it is not to be",
	 "zone Etc/UTC; add cron='30 10 * * *' tz=Moved; @10:05:00; zone Etc/GMT-1; @10:06:05",
	 "r active, 0 fired, due 1+09:30:00\n"
	 "  09:30:00 missed: its time passed unseen (new zone files say that it has passed), and catch-up is skip\n"},
	{"K7 what they move away does not come twice",
	 "zone Etc/UTC; add cron='10 10 * * *' tz=Moved; @10:10:00; zone Etc/GMT+1; @10:12:00; @12:00:00",
	 "r active, 1 fired, due 1+11:10:00\n"
	 "  10:10:00 fired: fired on time\n"
	 "> me idle queued: hello\n"},
	{"K7 what has a row stays, and what is between them comes",
	 "zone Etc/UTC; add cron='*/20 * * * *' tz=Moved; @10:20:00; @10:40:00; zone Etc/GMT-1; @10:42:00; @11:00:00",
	 "r active, 3 fired, due 11:20:00\n"
	 "  10:20:00 fired: fired on time\n"
	 "  10:40:00 fired: fired on time\n"
	 "  10:00:00 missed: its time passed unseen (new zone files say that it has passed); a later one fired in its place\n"
	 "  11:00:00 fired: fired on time\n"
	 "> me idle queued: hello\n> me idle queued: hello\n> me idle queued: hello\n"},
	{"K7 also when the new files come with a restart, and once",
	 "zone Etc/UTC; add cron='30 10 * * *' tz=Moved catchup=once; @10:05:00; zone Etc/GMT-1; crash; @10:06:05; @10:08:00; @10:10:00",
	 "r active, 1 fired, due 1+09:30:00\n"
	 "  09:30:00 fired: fired 35m late\n"
	 "> me idle queued: hello\n\n(this one is 35m late)\n"},
	{"K22 without a zone of its own a reminder follows timezone:",
	 "yaml timezone: UTC; add cron='0 12 * * *'; yaml timezone: Asia/Kolkata; @10:01:00",
	 "r active, 0 fired, due 1+06:30:00\n"},
	{"K22 one with a zone of its own does not",
	 "yaml timezone: UTC; add cron='0 12 * * *' tz=UTC; yaml timezone: Asia/Kolkata; @10:01:00",
	 "r active, 0 fired, due 12:00:00\n"},
	{"K36 a rule that begins in a gap follows timezone:, too",
	 "yaml timezone: Europe/Berlin; @26+12:00:00; add rrule='FREQ=DAILY;BYHOUR=2'; "
	 "yaml timezone: UTC; @26+12:01:00",
	 "r active, 0 fired, due 27+02:00:00\n"},
	{"K36 and one that has begun there",
	 "yaml timezone: Europe/Berlin; @26+12:00:00; add rrule='FREQ=DAILY;BYHOUR=2'; "
	 "@27+01:00:00; yaml timezone: UTC; @27+01:01:00; yaml timezone: Asia/Kolkata; "
	 "@27+01:02:00",
	 "r active, 1 fired, due 27+20:30:00\n"
	 "  27+01:00:00 fired: fired on time\n"
	 "> me idle queued: hello\n"},
	{"K36 and an edit of its zone",
	 "@26+12:00:00; add rrule='FREQ=DAILY;BYHOUR=2' tz=Europe/Berlin; edit tz=UTC",
	 "r active, 0 fired, due 27+02:00:00\n"},
	{"K27 a punctual fire is 0s late",
	 "add every=1h message='{{late_by}}'; @11:00:00",
	 "r active, 1 fired, due 12:00:00\n"
	 "  11:00:00 fired: fired on time\n"
	 "> me idle queued: 0s\n"},
	{"K29 at least one fire",
	 "add every=1h count=0",
	 "! --count 0 is outside 1 to 1000000000: at least 1 (leave it out for no limit)\n"},
};
/* clang-format on */

int main(void)
{
	add_table(test_story, conditions);
	add_table(test_story, clocks);
	add_table(test_story, times);
	add_table(test_story, changes);
	add_table(test_story, deliveries);
	return run_rows("engine");
}
