/*
 * test-mission.c: stories of missions that meet: overlap with the one before, and the line they
 * wait in.
 * See story.h for the language.
 */
#include "story-rows.h"

/* clang-format off */
static const struct story_row overlap[] = {
	{"A10 skip: the one before it still runs",
	 "yaml; work every=10m; @10:10:00; start; @10:20:00; @10:25:00; end success; @10:30:00",
	 "w active, 2 fired, due 10:40:00\n"
	 "  10:10:00 ran: ran for 15m\n"
	 "  10:20:00 skipped: the one before it was still going (mission m1)\n"
	 "  10:30:00 running: runs as mission m2\n"
	 "= m1 ended 1/1: ran for 15m\n"
	 "  #1 attempt success\n"
	 "= m2 starting 1/1\n"
	 "  #1 attempt begins\n"
	 "$ start m2/1\n"
	 "* go m1/1\n"},
	{"A10 skip: one that waits for its next attempt still goes on",
	 "yaml; work every=10m attempts=2 backoff=15m; @10:10:00; start; end error; @10:20:00",
	 "w active, 1 fired, due 10:30:00\n"
	 "  10:10:00 running: attempt 1 of 2 failed: it failed without a word; the next one follows "
	 "after 15m 48s\n"
	 "  10:20:00 skipped: the one before it was still going (mission m1)\n"
	 "= m1 waiting 1/2 from 10:25:48: attempt 1 of 2 failed: it failed without a word; the next "
	 "one follows after 15m 48s\n"
	 "  #1 attempt error\n"
	 "* go m1/1\n"},
	{"A10 skip: one that waits in line still goes on",
	 "yaml crons: {maxConcurrent: 1}; mission new; start; work every=10m; @10:10:00; @10:20:00",
	 "w active, 1 fired, due 10:30:00\n"
	 "  10:10:00 running: waits for its turn\n"
	 "  10:20:00 skipped: the one before it was still going (mission m2)\n"
	 "= m1 running 1/1\n"
	 "  #1 attempt runs\n"
	 "= m2 waiting\n"
	 "* go m1/1\n"},
	{"A10 queue: one waits behind it, a second does not",
	 "yaml; work every=10m overlap=queue; @10:10:00; start; @10:20:00; @10:30:00; @10:35:00; "
	 "end success; start; @10:40:00",
	 "w active, 3 fired, due 10:50:00\n"
	 "  10:10:00 ran: ran for 25m\n"
	 "  10:20:00 running: runs as mission m2\n"
	 "  10:30:00 skipped: one was waiting already (mission m2)\n"
	 "  10:40:00 running: waits for the one before it to end\n"
	 "= m1 ended 1/1: ran for 25m\n"
	 "  #1 attempt success\n"
	 "= m2 running 1/1\n"
	 "  #1 attempt runs\n"
	 "= m3 behind\n"
	 "* go m1/1\n"
	 "* go m2/1\n"},
	{"A10 queue: the one behind survives a crash",
	 "yaml; work every=10m overlap=queue; @10:10:00; start; @10:20:00; crash; end success; start; "
	 "crash; end success",
	 "w active, 2 fired, due 10:30:00\n"
	 "  10:10:00 ran: ran for 10m\n"
	 "  10:20:00 ran: ran for 0s\n"
	 "= m1 ended 1/1: ran for 10m\n"
	 "  #1 attempt success\n"
	 "= m2 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "* go m1/1\n"
	 "* adopt m1/1, process 101\n"
	 "* go m2/1\n"
	 "* adopt m2/1, process 102\n"},
	{"A10 queue: the one behind waits for all attempts",
	 "yaml; work every=10m overlap=queue attempts=2 backoff=2m; @10:10:00; start; @10:20:00; "
	 "end error; @10:23:00; start; @10:24:00; end success; start",
	 "w active, 2 fired, due 10:30:00\n"
	 "  10:10:00 ran: ran for 1m\n"
	 "  10:20:00 running: runs as mission m2\n"
	 "= m1 ended 2/2: ran for 1m\n"
	 "  #1 attempt error\n"
	 "  #2 attempt success\n"
	 "= m2 running 1/2\n"
	 "  #1 attempt runs\n"
	 "* go m1/1\n"
	 "* go m1/2\n"
	 "* go m2/1\n"},
	{"A10 queue: the one behind gives up at its deadline",
	 "yaml; work every=10m overlap=queue deadline=5m; @10:10:00; start; @10:20:00; @10:24:00; "
	 "@10:25:01; end success",
	 "w active, 2 fired, due 10:30:00\n"
	 "  10:10:00 ran: ran for 15m 1s\n"
	 "  10:20:00 missed: waited 5m 1s for the one before it, and its deadline passed\n"
	 "= m1 ended 1/1: ran for 15m 1s\n"
	 "  #1 attempt success\n"
	 "= m2 ended: waited 5m 1s for the one before it, and its deadline passed\n"
	 "* go m1/1\n"},
	{"A10 queue: what is behind moves up when the one in front is stopped",
	 "yaml; work every=10m overlap=queue; @10:10:00; start; @10:20:00; mission stop m1; "
	 "end killed; start",
	 "w active, 2 fired, due 10:30:00\n"
	 "  10:10:00 cancelled: stopped by hand\n"
	 "  10:20:00 running: runs as mission m2\n"
	 "= m1 ended 1/1: stopped by hand\n"
	 "  #1 attempt killed: it was asked to end: stopped by hand\n"
	 "= m2 running 1/1\n"
	 "  #1 attempt runs\n"
	 "* go m1/1\n"
	 "* signal 15 to m1/1\n"
	 "* go m2/1\n"},
	{"A10 queue: what is behind can be stopped",
	 "yaml; work every=10m overlap=queue; @10:10:00; start; @10:20:00; mission stop m2; @10:30:00",
	 "w active, 3 fired, due 10:40:00\n"
	 "  10:10:00 running: runs as mission m1\n"
	 "  10:20:00 cancelled: stopped by hand\n"
	 "  10:30:00 running: waits for the one before it to end\n"
	 "= m1 running 1/1\n"
	 "  #1 attempt runs\n"
	 "= m2 ended: stopped by hand\n"
	 "= m3 behind\n"
	 "* go m1/1\n"},
	{"A10 allow: both run",
	 "yaml; work every=10m overlap=allow; @10:10:00; start; @10:20:00; start; end success m2; "
	 "end success m1",
	 "w active, 2 fired, due 10:30:00\n"
	 "  10:10:00 ran: ran for 10m\n"
	 "  10:20:00 ran: ran for 0s\n"
	 "= m1 ended 1/1: ran for 10m\n"
	 "  #1 attempt success\n"
	 "= m2 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "* go m1/1\n"
	 "* go m2/1\n"},
	{"A10 N16 replace: the new one starts when the old one is gone, and the old one says what ended it",
	 "yaml; work every=10m overlap=replace; @10:10:00; start; @10:20:00; @10:20:05; end killed; "
	 "start",
	 "w active, 2 fired, due 10:30:00\n"
	 "  10:10:00 cancelled: replaced by the next occurrence\n"
	 "  10:20:00 running: runs as mission m2\n"
	 "= m1 ended 1/1: replaced by the next occurrence\n"
	 "  #1 attempt killed: it was asked to end: replaced by the next occurrence\n"
	 "= m2 running 1/1\n"
	 "  #1 attempt runs\n"
	 "* go m1/1\n"
	 "* signal 15 to m1/1\n"
	 "* go m2/1\n"},
	{"A10 replace: the newest of three runs",
	 "yaml; work every=10m overlap=replace; @10:10:00; start; @10:20:00; @10:30:00; end killed; "
	 "start",
	 "w active, 3 fired, due 10:40:00\n"
	 "  10:10:00 cancelled: replaced by the next occurrence\n"
	 "  10:20:00 cancelled: replaced by the next occurrence\n"
	 "  10:30:00 running: runs as mission m3\n"
	 "= m1 ended 1/1: replaced by the next occurrence\n"
	 "  #1 attempt killed: it was asked to end: replaced by the next occurrence\n"
	 "= m2 ended: replaced by the next occurrence\n"
	 "= m3 running 1/1\n"
	 "  #1 attempt runs\n"
	 "* go m1/1\n"
	 "* signal 15 to m1/1\n"
	 "* signal 15 to m1/1\n"
	 "* go m3/1\n"},
	{"A10 replace: one that waits in line is replaced at once",
	 "yaml crons: {maxConcurrent: 1}; mission new; start; work every=10m overlap=replace; "
	 "@10:10:00; @10:20:00",
	 "w active, 2 fired, due 10:30:00\n"
	 "  10:10:00 cancelled: replaced by the next occurrence\n"
	 "  10:20:00 running: waits for its turn\n"
	 "= m1 running 1/1\n"
	 "  #1 attempt runs\n"
	 "= m2 ended: replaced by the next occurrence\n"
	 "= m3 waiting\n"
	 "* go m1/1\n"},
	{"A10 replace: one that has no process yet is told at its gate",
	 "yaml; work every=10m overlap=replace; @10:10:00; @10:20:00; start; start",
	 "w active, 2 fired, due 10:30:00\n"
	 "  10:10:00 cancelled: replaced by the next occurrence\n"
	 "  10:20:00 running: runs as mission m2\n"
	 "= m1 ended 1/1: replaced by the next occurrence\n"
	 "  #1 attempt killed\n"
	 "= m2 running 1/1\n"
	 "  #1 attempt runs\n"
	 "* no-go m1/1\n"
	 "* go m2/1\n"},
	{"A10 replace: one that dies without an end is swept first",
	 "yaml; work every=10m overlap=replace; @10:10:00; start; @10:20:00; gone; exit 0; start",
	 "w active, 2 fired, due 10:30:00\n"
	 "  10:10:00 cancelled: replaced by the next occurrence\n"
	 "  10:20:00 running: runs as mission m2\n"
	 "= m1 ended 1/1: replaced by the next occurrence\n"
	 "  #1 attempt killed: its wrapper was killed, or the machine went down\n"
	 "= m2 running 1/1\n"
	 "  #1 attempt runs\n"
	 "* go m1/1\n"
	 "* signal 15 to m1/1\n"
	 "* go m2/1\n"},
	{"A10 replace: a crash in between",
	 "yaml; work every=10m overlap=replace; @10:10:00; start; @10:20:00; crash; end killed; "
	 "crash; start",
	 "w active, 2 fired, due 10:30:00\n"
	 "  10:10:00 cancelled: replaced by the next occurrence\n"
	 "  10:20:00 running: runs as mission m2\n"
	 "= m1 ended 1/1: replaced by the next occurrence\n"
	 "  #1 attempt killed: it was asked to end: replaced by the next occurrence\n"
	 "= m2 running 1/1\n"
	 "  #1 attempt runs\n"
	 "* go m1/1\n"
	 "* signal 15 to m1/1\n"
	 "* adopt m1/1, process 101\n"
	 "* signal 15 to m1/1\n"
	 "* go m2/1\n"},
	{"A10 replace: one that succeeds after all has run",
	 "yaml; work every=10m overlap=replace; @10:10:00; start; @10:20:00; end success; start",
	 "w active, 2 fired, due 10:30:00\n"
	 "  10:10:00 ran: ran for 10m\n"
	 "  10:20:00 running: runs as mission m2\n"
	 "= m1 ended 1/1: ran for 10m\n"
	 "  #1 attempt success\n"
	 "= m2 running 1/1\n"
	 "  #1 attempt runs\n"
	 "* go m1/1\n"
	 "* signal 15 to m1/1\n"
	 "* go m2/1\n"},
	{"A10 an ended mission that a person goes on with is not the one before it",
	 "yaml; work every=10m agent=ada overlap=replace; @10:10:00; start; end success; "
	 "mission attach m1; @10:20:00; start",
	 "w active, 2 fired, due 10:30:00\n"
	 "  10:10:00 ran: ran for 0s\n"
	 "  10:20:00 running: runs as mission m2\n"
	 "= m1 running 1/1\n"
	 "  #1 attempt success\n"
	 "  #2 interactive runs\n"
	 "= m2 running 1/1\n"
	 "  #1 attempt runs\n"
	 "* go m1/1\n"
	 "* order m1/2 resume_interactive, with a session, in /srv/ada for 0s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "BELFRY_REMINDER_ID=r-57ublw\n"
	 "BELFRY_REMINDER_NAME=w\n"
	 "BELFRY_SCHEDULED_AT=2026-03-02T10:10:00+00:00\n"
	 "BELFRY_LATE_BY=0s\n"
	 "BELFRY_MISSED_COUNT=0\n"
	 "\n"
	 "* adopt m1/2, process 900\n"
	 "* go m2/1\n"},
	{"A10 nor does it make others wait",
	 "yaml; work every=10m agent=ada overlap=skip; @10:10:00; start; end success; "
	 "mission resume m1 'and then?'; @10:20:00; start; start",
	 "w active, 2 fired, due 10:30:00\n"
	 "  10:10:00 ran: ran for 0s\n"
	 "  10:20:00 running: runs as mission m2\n"
	 "= m1 running 1/1\n"
	 "  #1 attempt success\n"
	 "  #2 resume runs\n"
	 "= m2 running 1/1\n"
	 "  #1 attempt runs\n"
	 "* go m1/1\n"
	 "* go m1/2\n"
	 "* go m2/1\n"},
	{"catch-up all with skip: one goes on",
	 "yaml; work every=10m catchup=all; @10:35:00",
	 "w active, 1 fired, due 10:40:00\n"
	 "  10:10:00 running: runs as mission m1\n"
	 "  10:20:00 skipped: the one before it was still going (mission m1)\n"
	 "  10:30:00 skipped: the one before it was still going (mission m1)\n"
	 "= m1 starting 1/1\n"
	 "  #1 attempt begins\n"
	 "$ start m1/1\n"},
	{"catch-up all with queue: one goes on, one waits",
	 "yaml; work every=10m catchup=all overlap=queue; @10:35:00",
	 "w active, 2 fired, due 10:40:00\n"
	 "  10:10:00 running: runs as mission m1\n"
	 "  10:20:00 running: waits for the one before it to end\n"
	 "  10:30:00 skipped: one was waiting already (mission m2)\n"
	 "= m1 starting 1/1\n"
	 "  #1 attempt begins\n"
	 "= m2 behind\n"
	 "$ start m1/1\n"},
	{"catch-up all with allow: all go on",
	 "yaml; work every=10m catchup=all overlap=allow; @10:35:00",
	 "w active, 3 fired, due 10:40:00\n"
	 "  10:10:00 running: runs as mission m1\n"
	 "  10:20:00 running: runs as mission m2\n"
	 "  10:30:00 running: runs as mission m3\n"
	 "= m1 starting 1/1\n"
	 "  #1 attempt begins\n"
	 "= m2 starting 1/1\n"
	 "  #1 attempt begins\n"
	 "= m3 starting 1/1\n"
	 "  #1 attempt begins\n"
	 "$ start m1/1\n"
	 "$ start m2/1\n"
	 "$ start m3/1\n"},
	{"catch-up all with replace: the last goes on",
	 "yaml; work every=10m catchup=all overlap=replace; @10:35:00",
	 "w active, 3 fired, due 10:40:00\n"
	 "  10:10:00 cancelled: replaced by the next occurrence\n"
	 "  10:20:00 cancelled: replaced by the next occurrence\n"
	 "  10:30:00 running: runs as mission m3\n"
	 "= m1 ended: replaced by the next occurrence\n"
	 "= m2 ended: replaced by the next occurrence\n"
	 "= m3 starting 1/1\n"
	 "  #1 attempt begins\n"
	 "$ start m3/1\n"},
	{"a condition comes first",
	 "yaml; work every=10m condition=look; @10:10:00; exit 0; start; @10:20:00; exit 0; "
	 "end success; @10:30:00; exit 1",
	 "w active, 1 fired, due 10:40:00\n"
	 "  10:10:00 ran: ran for 10m [true: exit status 0: its last words]\n"
	 "  10:20:00 skipped: the one before it was still going (mission m1) [true: exit status 0: "
	 "its last words]\n"
	 "  10:30:00 skipped: the condition was false [false: exit status 1: its last words]\n"
	 "= m1 ended 1/1: ran for 10m\n"
	 "  #1 attempt success\n"
	 "* go m1/1\n"},
};

static const struct story_row line[] = {
	{"A11 at maxConcurrent the line is by nominal time",
	 "yaml crons: {maxConcurrent: 1}; work name=late every=20m; "
	 "work name=early every=10m overlap=queue; mission new; start; @10:10:00; @10:20:00; "
	 "end success; start; end success; start",
	 "late active, 1 fired, due 10:40:00\n"
	 "  10:20:00 running: runs as mission m3\n"
	 "early active, 2 fired, due 10:30:00\n"
	 "  10:10:00 ran: ran for 0s\n"
	 "  10:20:00 running: waits for the one before it to end\n"
	 "= m1 ended 1/1: ran for 20m\n"
	 "  #1 attempt success\n"
	 "= m2 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "= m3 running 1/1\n"
	 "  #1 attempt runs\n"
	 "= m4 waiting\n"
	 "* go m1/1\n"
	 "* go m2/1\n"
	 "* go m3/1\n"},
	{"A11 the wait has its deadline",
	 "yaml crons: {maxConcurrent: 1}; mission new; start; work every=10m deadline=2m; @10:10:00; "
	 "@10:11:59; @10:13:00; end success m1",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 missed: waited 3m in line, and its deadline passed\n"
	 "= m1 ended 1/1: ran for 13m\n"
	 "  #1 attempt success\n"
	 "= m2 ended: waited 3m in line, and its deadline passed\n"
	 "* go m1/1\n"},
	{"A11 the wait is an hour when nothing is said",
	 "yaml crons: {maxConcurrent: 1}; mission new; start; work every=50m; @10:50:00; @11:49:59; "
	 "@11:50:01",
	 "w active, 1 fired, due 12:30:00\n"
	 "  10:50:00 missed: waited 1h in line, and its deadline passed\n"
	 "  11:40:00 skipped: the one before it was still going (mission m2)\n"
	 "= m1 running 1/1\n"
	 "  #1 attempt runs\n"
	 "= m2 ended: waited 1h in line, and its deadline passed\n"
	 "* go m1/1\n"},
	{"A11 a task waits for ever",
	 "yaml crons: {maxConcurrent: 1}; mission new limit=0; start; work door=task in=10m; "
	 "@10:10:00; @5+10:00:00; end success; start",
	 "w completed, 1 fired: its only time has come\n"
	 "  10:10:00 running: runs as mission m2\n"
	 "= m1 ended 1/1: ran for 5d\n"
	 "  #1 attempt success\n"
	 "= m2 running 1/3\n"
	 "  #1 attempt runs\n"
	 "* go m1/1\n"
	 "* go m2/1\n"},
	{"A11 its deadline is met when it starts at that very moment",
	 "yaml crons: {maxConcurrent: 1}; work every=10m deadline=2m; @10:12:00; start",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 running: runs as mission m1\n"
	 "= m1 running 1/1\n"
	 "  #1 attempt runs\n"
	 "* go m1/1\n"},
	{"A11 a deadline counts from when it was due, with its jitter",
	 "yaml; work every=10m deadline=1s jitter=9m; @10:18:35; start",
	 "w active, 1 fired, due 10:23:14\n"
	 "  10:10:00 running: runs as mission m1\n"
	 "= m1 running 1/1\n"
	 "  #1 attempt runs\n"
	 "* go m1/1\n"},
	{"A11 a higher maxConcurrent lets the line move",
	 "yaml crons: {maxConcurrent: 1}; times 3 mission new; yaml crons: {maxConcurrent: 2}",
	 "= m1 starting 1/1\n"
	 "  #1 attempt begins\n"
	 "= m2 starting 1/1\n"
	 "  #1 attempt begins\n"
	 "= m3 waiting\n"
	 "$ start m1/1\n"
	 "$ start m2/1\n"},
	{"A11 a lower maxConcurrent ends nobody",
	 "yaml; times 2 mission new; start 2; yaml crons: {maxConcurrent: 1}; mission new; "
	 "end success m1; end success m2; start",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "= m2 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "= m3 running 1/1\n"
	 "  #1 attempt runs\n"
	 "* go m1/1\n"
	 "* go m2/1\n"
	 "* go m3/1\n"},
	{"A11 an agent has a maxConcurrent of its own",
	 "yaml; times 2 mission new agent=bob; mission new agent=cyd; start 2; end success m1",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "= m2 starting 1/1\n"
	 "  #1 attempt begins\n"
	 "= m3 running 1/1\n"
	 "  #1 attempt runs\n"
	 "$ start m2/1\n"
	 "* go m1/1\n"
	 "* go m3/1\n"},
	{"A11 the agent of a task that names none has it too",
	 "yaml defaultAgent: bob; work door=task agent= in=10m; work door=task name=v agent= in=10m; "
	 "@10:10:00",
	 "w completed, 1 fired: its only time has come\n"
	 "  10:10:00 running: runs as mission m1\n"
	 "v completed, 1 fired: its only time has come\n"
	 "  10:10:00 running: waits for its turn\n"
	 "= m1 starting 1/3\n"
	 "  #1 attempt begins\n"
	 "= m2 waiting\n"
	 "$ start m1/1\n"},
	{"A11 a retry is not forgotten while another agent's mission waits",
	 "yaml; times 2 mission new agent=bob; mission new agent=cyd attempts=2; start 2; "
	 "end error m3; @10:00:40",
	 "= m1 running 1/1\n"
	 "  #1 attempt runs\n"
	 "= m2 waiting\n"
	 "= m3 starting 2/2\n"
	 "  #1 attempt error\n"
	 "  #2 attempt begins\n"
	 "$ start m3/2\n"
	 "* go m1/1\n"
	 "* go m3/1\n"},
	{"A11 many of a busy agent do not hold up the others",
	 "yaml; times 70 mission new agent=bob; mission new agent=cyd; start 2",
	 "= m1 running 1/1\n"
	 "  #1 attempt runs\n"
	 "= m2 waiting\n"
	 "= m3 waiting\n"
	 "= m4 waiting\n"
	 "= m5 waiting\n"
	 "= m6 waiting\n"
	 "= m7 waiting\n"
	 "= m8 waiting\n"
	 "= m9 waiting\n"
	 "= m10 waiting\n"
	 "= m11 waiting\n"
	 "= m12 waiting\n"
	 "= m13 waiting\n"
	 "= m14 waiting\n"
	 "= m15 waiting\n"
	 "= m16 waiting\n"
	 "= m17 waiting\n"
	 "= m18 waiting\n"
	 "= m19 waiting\n"
	 "= m20 waiting\n"
	 "= m21 waiting\n"
	 "= m22 waiting\n"
	 "= m23 waiting\n"
	 "= m24 waiting\n"
	 "= m25 waiting\n"
	 "= m26 waiting\n"
	 "= m27 waiting\n"
	 "= m28 waiting\n"
	 "= m29 waiting\n"
	 "= m30 waiting\n"
	 "= m31 waiting\n"
	 "= m32 waiting\n"
	 "= m33 waiting\n"
	 "= m34 waiting\n"
	 "= m35 waiting\n"
	 "= m36 waiting\n"
	 "= m37 waiting\n"
	 "= m38 waiting\n"
	 "= m39 waiting\n"
	 "= m40 waiting\n"
	 "= m41 waiting\n"
	 "= m42 waiting\n"
	 "= m43 waiting\n"
	 "= m44 waiting\n"
	 "= m45 waiting\n"
	 "= m46 waiting\n"
	 "= m47 waiting\n"
	 "= m48 waiting\n"
	 "= m49 waiting\n"
	 "= m50 waiting\n"
	 "= m51 waiting\n"
	 "= m52 waiting\n"
	 "= m53 waiting\n"
	 "= m54 waiting\n"
	 "= m55 waiting\n"
	 "= m56 waiting\n"
	 "= m57 waiting\n"
	 "= m58 waiting\n"
	 "= m59 waiting\n"
	 "= m60 waiting\n"
	 "= m61 waiting\n"
	 "= m62 waiting\n"
	 "= m63 waiting\n"
	 "= m64 waiting\n"
	 "= m65 waiting\n"
	 "= m66 waiting\n"
	 "= m67 waiting\n"
	 "= m68 waiting\n"
	 "= m69 waiting\n"
	 "= m70 waiting\n"
	 "= m71 running 1/1\n"
	 "  #1 attempt runs\n"
	 "* go m1/1\n"
	 "* go m71/1\n"},
	{"A11 an interactive run takes no place in line",
	 "yaml crons: {maxConcurrent: 1}; mission open agent=ada; mission new",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "= m2 starting 1/1\n"
	 "  #1 attempt begins\n"
	 "$ start m2/1\n"
	 "* order m1/1 interactive, with a session, in /srv/ada for 0s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "by hand\n"
	 "* adopt m1/1, process 900\n"},
	{"A11 a resume starts at once",
	 "yaml crons: {maxConcurrent: 1}; mission new agent=ada; start; end success; mission new; "
	 "mission resume m1 'more'",
	 "= m1 starting 1/1\n"
	 "  #1 attempt success\n"
	 "  #2 resume begins\n"
	 "= m2 starting 1/1\n"
	 "  #1 attempt begins\n"
	 "$ start m2/1\n"
	 "$ start m1/2\n"
	 "* go m1/1\n"},
	{"A9 a bad reference at fire time is a recorded failure",
	 "yaml; work every=10m attempts=2; yaml agents: {ada: {adapter: claude}}; @10:10:00; @10:11:00",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 failed: no agent 'cyd'\n"
	 "= m1 ended 2/2: no agent 'cyd'\n"
	 "  #1 attempt error: no agent 'cyd'\n"
	 "  #2 attempt error: no agent 'cyd'\n"
	 "> me normal queued: 1 reminder is for 'cyd', whom nobody declares: what fires reaches nobody.\n\n"
	 "Declare 'cyd' in config.yml, or remove the reminder: belfry reminder list cyd\n"
	 "> me normal queued: reminder 'w' failed: no agent 'cyd'\n"
	 "\n"
	 "It was mission m1 of agent 'cyd', attempt 2 of 2; see: belfry mission show m1\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "do it\n"},
	{"A9 and whoever was behind it moves up",
	 "yaml crons: {maxConcurrent: 1}; mission new agent=ada; start; work every=10m overlap=queue; "
	 "@10:10:00; @10:20:00; yaml agents: {ada: {adapter: claude}}",
	 "w active, 2 fired, due 10:30:00\n"
	 "  10:10:00 failed: no agent 'cyd'\n"
	 "  10:20:00 failed: no agent 'cyd'\n"
	 "= m1 running 1/1\n"
	 "  #1 attempt runs\n"
	 "= m2 ended 1/1: no agent 'cyd'\n"
	 "  #1 attempt error: no agent 'cyd'\n"
	 "= m3 ended 1/1: no agent 'cyd'\n"
	 "  #1 attempt error: no agent 'cyd'\n"
	 "> me normal queued: 1 reminder is for 'cyd', whom nobody declares: what fires reaches nobody.\n\n"
	 "Declare 'cyd' in config.yml, or remove the reminder: belfry reminder list cyd\n"
	 "> me normal queued: reminder 'w' failed: no agent 'cyd'\n"
	 "\n"
	 "It was mission m2 of agent 'cyd', attempt 1 of 1; see: belfry mission show m2\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "do it\n"
	 "> me normal queued: reminder 'w' failed: no agent 'cyd'\n"
	 "\n"
	 "It was mission m3 of agent 'cyd', attempt 1 of 1; see: belfry mission show m3\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "do it\n"
	 "* go m1/1\n"},
	{"A9 a mission by hand is refused at once",
	 "yaml; mission new agent=nobody; mission new agent=mute; mission new git=nowhere",
	 "! no agent 'nobody' (declare it under 'agents:' in 'config.yml')\n"
	 "! agent 'mute' cannot run: it has no adapter (give it 'adapter: claude' or 'command: [...]' "
	 "in config.yml)\n"
	 "! unknown repository 'nowhere' (add it to 'syncedRepos' in config.yml)\n"},
	{"A9 a repository that is gone",
	 "yaml syncedRepos: {lib: {source: /srv/lib}}; mission new git=lib attempts=2; nowrapper; "
	 "yaml; @10:01:00",
	 "= m1 ended 2/2: unknown repository 'lib'\n"
	 "  #1 attempt error: no more processes\n"
	 "  #2 attempt error: unknown repository 'lib'\n"
	 "> me normal queued: mission m1 failed: unknown repository 'lib'\n"
	 "\n"
	 "It was mission m1 of agent 'cyd', attempt 2 of 2; see: belfry mission show m1\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "by hand\n"},
};
/* clang-format on */

int main(void)
{
	add_table(test_story, overlap);
	add_table(test_story, line);
	return run_rows("mission");
}
