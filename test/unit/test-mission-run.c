/*
 * test-mission-run.c: stories of the processes of missions: the gate and crashes at every step of it,
 * stopping, running by hand, going on.
 * See story.h for the language.
 */
#include "story-rows.h"

/* clang-format off */
static const struct story_row gate[] = {
	{"A13 a crash before the wrapper is there: the same attempt again",
	 "yaml; work every=10m attempts=2; @10:10:00; crash; start; end success",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 ran: ran for 0s\n"
	 "= m1 ended 1/2: ran for 0s\n"
	 "  #1 attempt success\n"
	 "* go m1/1\n"},
	{"A13 a crash before its process is committed: the same attempt again",
	 "yaml; work every=10m; @10:10:00; crash; crash; start; double; end success",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 ran: ran for 0s\n"
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "* go m1/1\n"
	 "* a second one: no-go\n"},
	{"A13 a crash after that: adopted, and collected",
	 "yaml; work every=10m; @10:10:00; start; crash; @10:15:00; end success",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 ran: ran for 5m\n"
	 "= m1 ended 1/1: ran for 5m\n"
	 "  #1 attempt success\n"
	 "* go m1/1\n"
	 "* adopt m1/1, process 101\n"},
	{"A13 a crash after that: it ended meanwhile",
	 "yaml; work every=10m attempts=2; @10:10:00; start; crash; end error; crash",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 running: attempt 1 of 2 failed: it failed without a word; the next one follows "
	 "after 30s\n"
	 "= m1 waiting 1/2 from 10:10:30: attempt 1 of 2 failed: it failed without a word; the next "
	 "one follows after 30s\n"
	 "  #1 attempt error\n"
	 "* go m1/1\n"
	 "* adopt m1/1, process 101\n"},
	{"A13 a crash after that: gone without an end is orphaned",
	 "yaml; work every=10m; @10:10:00; start; crash; gone; exit 0",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 failed: its wrapper was killed, or the machine went down\n"
	 "= m1 ended 1/1: its wrapper was killed, or the machine went down\n"
	 "  #1 attempt orphaned: its wrapper was killed, or the machine went down\n"
	 "> me normal queued: reminder 'w' failed: its wrapper was killed, or the machine went down\n"
	 "\n"
	 "It was mission m1 of agent 'cyd', attempt 1 of 1; see: belfry mission show m1\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "do it\n"
	 "* go m1/1\n"
	 "* adopt m1/1, process 101\n"},
	{"A13 a crash while it is swept: swept again",
	 "yaml; work every=10m; @10:10:00; start; gone; crash; gone; exit 0",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 failed: its wrapper was killed, or the machine went down\n"
	 "= m1 ended 1/1: its wrapper was killed, or the machine went down\n"
	 "  #1 attempt orphaned: its wrapper was killed, or the machine went down\n"
	 "> me normal queued: reminder 'w' failed: its wrapper was killed, or the machine went down\n"
	 "\n"
	 "It was mission m1 of agent 'cyd', attempt 1 of 1; see: belfry mission show m1\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "do it\n"
	 "* go m1/1\n"
	 "* adopt m1/1, process 101\n"},
	{"A13 a crash before its gate opened: it never ran, the same attempt again",
	 "yaml; work every=10m; @10:10:00; start; crash; neverran; start; end success",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 ran: ran for 0s\n"
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "* go m1/1\n"
	 "* adopt m1/1, process 101\n"
	 "* go m1/1\n"},
	{"A13 a second wrapper of one run is turned away",
	 "yaml; work every=10m; @10:10:00; start; double; end success; double",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 ran: ran for 0s\n"
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "* go m1/1\n"
	 "* a second one: no-go\n"
	 "* a second one: no-go\n"},
	{"A13 a turn that is rolled back starts nothing",
	 "yaml; work every=10m; @10:09:00; lost; @10:10:00; lost; start",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 running: runs as mission m1\n"
	 "= m1 running 1/1\n"
	 "  #1 attempt runs\n"
	 "* go m1/1\n"},
	{"A13 a wrapper that says not_started: the same attempt again",
	 "yaml; work every=10m; @10:10:00; start; crash; end not_started; start; end success",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 ran: ran for 0s\n"
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "* go m1/1\n"
	 "* adopt m1/1, process 101\n"
	 "* go m1/1\n"},
};

static const struct story_row stops[] = {
	{"stop while it waits",
	 "yaml crons: {maxConcurrent: 1}; times 2 mission new; mission stop m2 'not today'",
	 "= m1 starting 1/1\n"
	 "  #1 attempt begins\n"
	 "= m2 ended: not today\n"
	 "$ start m1/1\n"},
	{"stop before it has a process",
	 "yaml; mission new; mission stop m1; start; mission stop m1",
	 "= m1 ended 1/1: stopped by hand\n"
	 "  #1 attempt killed\n"
	 "* no-go m1/1\n"
	 "! cannot stop mission 'm1': it is ended (see how it ended: belfry mission show)\n"},
	{"stop before it has a process, then a crash",
	 "yaml; work every=10m attempts=3; @10:10:00; mission stop m1; crash",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 cancelled: stopped by hand\n"
	 "= m1 ended 1/3: stopped by hand\n"
	 "  #1 attempt killed\n"},
	{"stop while it runs: asked first",
	 "yaml; work every=10m attempts=3; @10:10:00; start; mission stop m1; end killed",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 cancelled: stopped by hand\n"
	 "= m1 ended 1/3: stopped by hand\n"
	 "  #1 attempt killed: it was asked to end: stopped by hand\n"
	 "* go m1/1\n"
	 "* signal 15 to m1/1\n"},
	{"stop while it runs, and it fails by itself",
	 "yaml; work every=10m attempts=3; @10:10:00; start; mission stop m1; end error m1 'oops'",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 cancelled: stopped by hand\n"
	 "= m1 ended 1/3: stopped by hand\n"
	 "  #1 attempt error: oops\n"
	 "* go m1/1\n"
	 "* signal 15 to m1/1\n"},
	{"stop while it runs, and its wrapper dies",
	 "yaml; work every=10m attempts=3; @10:10:00; start; mission stop m1; gone; exit 0",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 cancelled: stopped by hand\n"
	 "= m1 ended 1/3: stopped by hand\n"
	 "  #1 attempt killed: its wrapper was killed, or the machine went down\n"
	 "* go m1/1\n"
	 "* signal 15 to m1/1\n"},
	{"stop while it runs, then a crash",
	 "yaml; work every=10m attempts=3; @10:10:00; start; mission stop m1; crash; gone; exit 0",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 cancelled: stopped by hand\n"
	 "= m1 ended 1/3: stopped by hand\n"
	 "  #1 attempt killed: its wrapper was killed, or the machine went down\n"
	 "* go m1/1\n"
	 "* signal 15 to m1/1\n"
	 "* adopt m1/1, process 101\n"
	 "* signal 15 to m1/1\n"},
	{"stop during a back-off",
	 "yaml; work every=10m attempts=3; @10:10:00; start; end error; mission stop m1",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 cancelled: stopped by hand\n"
	 "= m1 ended 1/3: stopped by hand\n"
	 "  #1 attempt error\n"
	 "* go m1/1\n"},
	{"stop a resume",
	 "yaml; mission new agent=ada; start; end success; mission resume m1; start; mission stop m1; "
	 "end killed",
	 "= m1 ended 1/1: stopped by hand\n"
	 "  #1 attempt success\n"
	 "  #2 resume killed: it was asked to end: stopped by hand\n"
	 "* go m1/1\n"
	 "* go m1/2\n"
	 "* signal 15 to m1/2\n"},
	{"stop a resume before it has a process",
	 "yaml; mission new agent=ada; start; end success; mission resume m1; mission stop m1; start",
	 "= m1 ended 1/1: stopped by hand\n"
	 "  #1 attempt success\n"
	 "  #2 resume killed\n"
	 "* go m1/1\n"
	 "* no-go m1/2\n"},
	{"stop when no wrapper could be started",
	 "yaml; work every=10m attempts=3; @10:10:00; mission stop m1; nowrapper",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 cancelled: stopped by hand\n"
	 "= m1 ended 1/3: stopped by hand\n"
	 "  #1 attempt error: no more processes\n"},
};

static const struct story_row byhand[] = {
	{"A7 cron run leaves the schedule alone",
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; @10:30:00; "
	 "cron-run tidy; start; end success",
	 "tidy active, 0 fired, due 11:00:00\n"
	 "  10:30:00 ran: ran for 0s\n"
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "* go m1/1\n"},
	{"A7 cron run ignores disabled",
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it, enabled: false}}; "
	 "cron-run tidy; start; end success; @11:00:00",
	 "tidy paused, 0 fired: disabled in config.yml\n"
	 "  10:00:00 ran: ran for 0s\n"
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "* go m1/1\n"},
	{"A7 cron run does not wait for the one before it",
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; @11:00:00; start; "
	 "cron-run tidy; cron-run tidy; start 2",
	 "tidy active, 1 fired, due 12:00:00\n"
	 "  11:00:00 running: runs as mission m1\n"
	 "  11:00:00 running: runs as mission m2\n"
	 "  11:00:00 running: runs as mission m3\n"
	 "= m1 running 1/1\n"
	 "  #1 attempt runs\n"
	 "= m2 running 1/1\n"
	 "  #1 attempt runs\n"
	 "= m3 running 1/1\n"
	 "  #1 attempt runs\n"
	 "* go m1/1\n"
	 "* go m2/1\n"
	 "* go m3/1\n"},
	{"A7 cron run waits in line without a deadline",
	 "yaml crons: {maxConcurrent: 1, tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; "
	 "mission new limit=0; start; cron-run tidy; @10:50:00; @5+10:30:00; end success",
	 "tidy active, 0 fired, due 5+11:00:00\n"
	 "  10:00:00 running: runs as mission m2\n"
	 "  11:00:00-5+10:00:00 x120 missed: its time passed unseen (daemon down, suspend or clock "
	 "change), and catch-up is skip\n"
	 "= m1 ended 1/1: ran for 5d\n"
	 "  #1 attempt success\n"
	 "= m2 starting 1/1\n"
	 "  #1 attempt begins\n"
	 "$ start m2/1\n"
	 "* go m1/1\n"},
	{"A7 no such cron",
	 "yaml crons: {tidy: {schedule: \"0 * * * *\", agent: cyd, prompt: do it}}; cron-run tidi; "
	 "cron-run zzzzzz",
	 "tidy active, 0 fired, due 11:00:00\n"
	 "! no cron 'tidi' (did you mean 'tidy'?)\n"
	 "! no cron 'zzzzzz' (see: belfry cron ls)\n"},
	{"reminder run of one that runs",
	 "yaml; work name=r every=1h; run; start; end error",
	 "r active, 0 fired, due 11:00:00\n"
	 "  10:00:00 failed: it failed without a word\n"
	 "= m1 ended 1/1: it failed without a word\n"
	 "  #1 attempt error\n"
	 "> me normal queued: reminder 'r' failed: it failed without a word\n"
	 "\n"
	 "It was mission m1 of agent 'cyd', attempt 1 of 1; see: belfry mission show m1\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "do it\n"
	 "* go m1/1\n"},
};

static const struct story_row resumes[] = {
	{"A26 a resume goes on with the mission's own session",
	 "yaml; mission new agent=ada; start; end success; mission resume m1 'and then?'; order; "
	 "start; end success",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "  #2 resume success\n"
	 "* go m1/1\n"
	 "* order m1/2 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "and then?\n"
	 "* go m1/2\n"},
	{"a resume of one that runs, or has no session, is refused",
	 "yaml; mission new agent=ada; mission resume m1; start; mission resume m1; "
	 "mission new agent=cyd; start; end success m2; mission resume m2; mission resume m1",
	 "= m1 running 1/1\n"
	 "  #1 attempt runs\n"
	 "= m2 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "! cannot resume mission 'm1': it is starting (wait for its end, or: belfry mission stop)\n"
	 "* go m1/1\n"
	 "! cannot resume mission 'm1': it is running (wait for its end, or: belfry mission stop)\n"
	 "* go m2/1\n"
	 "! mission 'm2' has no conversation to go on with (its agent told no session id; begin with: "
	 "belfry mission new)\n"
	 "! cannot resume mission 'm1': it is running (wait for its end, or: belfry mission stop)\n"},
	{"a resume that fails changes nothing but the mission",
	 "yaml; work every=10m agent=ada attempts=3; @10:10:00; start; end success; "
	 "mission resume m1; start; end error m1 'no'",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 ran: ran for 0s\n"
	 "= m1 ended 1/3: no\n"
	 "  #1 attempt success\n"
	 "  #2 resume error: no\n"
	 "* go m1/1\n"
	 "* go m1/2\n"},
	{"a resume that is lost, and a crash",
	 "yaml; mission new agent=ada; start; end success; mission resume m1; start; crash; gone; "
	 "exit 0",
	 "= m1 ended 1/1: its wrapper was killed, or the machine went down\n"
	 "  #1 attempt success\n"
	 "  #2 resume orphaned: its wrapper was killed, or the machine went down\n"
	 "* go m1/1\n"
	 "* go m1/2\n"
	 "* adopt m1/2, process 102\n"},
	{"attach: the caller is the wrapper",
	 "yaml; mission new agent=ada; start; end success; mission attach m1; end success",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "  #2 interactive success\n"
	 "* go m1/1\n"
	 "* order m1/2 resume_interactive, with a session, in /srv/ada for 0s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "\n"
	 "* adopt m1/2, process 900\n"},
#define CONV                                                                                       \
	"yaml adapters: {conv: {headless: [c, \"{session}\"], resume: [c, \"{session}\"], session: chosen}}\nagents: " \
	"{con: {adapter: conv}}; mission new agent=con; start; end success; "
	{"attach with an adapter that has no resume_interactive changes nothing",
	 CONV "mission attach m1",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "* go m1/1\n"
	 "! agent 'con' cannot go on with a conversation on a terminal: its adapter 'conv' has no "
	 "'resume_interactive' (without one: belfry mission resume m1 PROMPT; or give it one under "
	 "'adapters:' in config.yml)\n"},
	{"a new interactive mission with an adapter that has no interactive is refused",
	 CONV "mission open agent=con",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "* go m1/1\n"
	 "! agent 'con' cannot be run on a terminal: its adapter 'conv' has no 'interactive' (give it "
	 "one under 'adapters:' in config.yml)\n"},
	{"attach while it runs is refused",
	 "yaml; mission new agent=ada; mission attach m1",
	 "= m1 starting 1/1\n"
	 "  #1 attempt begins\n"
	 "$ start m1/1\n"
	 "! cannot go on with mission 'm1': it is starting (wait for its end, or: belfry mission stop "
	 "m1)\n"},
	{"attach twice is refused",
	 "yaml; mission new agent=ada; start; end success; mission attach m1; mission attach m1",
	 "= m1 running 1/1\n"
	 "  #1 attempt success\n"
	 "  #2 interactive runs\n"
	 "* go m1/1\n"
	 "* order m1/2 resume_interactive, with a session, in /srv/ada for 0s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "\n"
	 "* adopt m1/2, process 900\n"
	 "! cannot go on with mission 'm1': it is running (wait for its end, or: belfry mission stop "
	 "m1)\n"},
	{"a new interactive mission, whose person goes away",
	 "yaml; mission open agent=ada; crash; gone; exit 0",
	 "= m1 ended: its wrapper was killed, or the machine went down\n"
	 "  #1 interactive orphaned: its wrapper was killed, or the machine went down\n"
	 "* order m1/1 interactive, with a session, in /srv/ada for 0s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "by hand\n"
	 "* adopt m1/1, process 900\n"
	 "* adopt m1/1, process 900\n"},
	{"a new interactive mission that never began",
	 "yaml; mission open agent=ada; neverran",
	 "= m1 ended: it ended before it began\n"
	 "  #1 interactive orphaned: it ended before it began\n"
	 "* order m1/1 interactive, with a session, in /srv/ada for 0s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "by hand\n"
	 "* adopt m1/1, process 900\n"},
	{"an agent that cannot run",
	 "yaml; mission open agent=mute",
	 "! agent 'mute' cannot run: it has no adapter (give it 'adapter: claude' or 'command: [...]' "
	 "in config.yml)\n"},
};
/* clang-format on */

int main(void)
{
	add_table(test_story, gate);
	add_table(test_story, stops);
	add_table(test_story, byhand);
	add_table(test_story, resumes);
	return run_rows("mission-run");
}
