/* test-live.c: stories of sessions, from their start to their end. See story.h for the language. */
#include "story-rows.h"

/* clang-format off */
static const struct story_row sessions[] = {
	{"a session is opened, hosted, seen, and ends with its run",
	 "yaml; live start ada; opened ada %1; host ada; seen ada idle 'hook SessionStart'; inbox; "
	 "end success; inbox",
	 "= m1 ended: ran for 0s\n"
	 "  #1 interactive success\n"
	 "~ ada gone, not wanted: it ended by itself\n"
	 "* open ada of m1\n"
	 "* m1/1 interactive\n"
	 "  BELFRY_AGENT=ada\n"
	 "  BELFRY_MISSION_ID=m1\n"
	 "* adopt m1/1, process 900\n"
	 "* close ada in %1 of m1\n"},
	{"what is there is not started again; what is not there is not stopped",
	 "yaml; live stop ada; up ada; hush; live start ada; host ada; live stop ada; live start ada; "
	 "end killed; live stop ada",
	 "= m1 ended: stopped by hand\n"
	 "  #1 interactive killed: it was asked to end: stopped by hand\n"
	 "~ ada gone, not wanted: stopped by hand\n"
	 "! agent 'ada' has a session: it is idle (belfry agent attach ada)\n"
	 "! agent 'ada' has a session: it is idle (belfry agent attach ada)\n"
	 "* signal 15 to m1/1\n"
	 "! the session of agent 'ada' is still ending (belfry agent restart ada)\n"
	 "* close ada in %1 of m1\n"
	 "! agent 'ada' has no session: stopped by hand (belfry agent start ada)\n"},
	{"only who can be interactive is started",
	 "yaml agents: {mute: {}, dumb: {adapter: mine}}\nadapters: {mine: {headless: [mine], session: "
	 "none, output: text}}; live start mute; live start nobody; live start me; live start dumb",
	 "! agent 'mute' cannot be started: it has no adapter (give it 'adapter: claude' or 'command: "
	 "[...]' in config.yml)\n"
	 "! no agent 'nobody' (declare it under 'agents:' in 'config.yml')\n"
	 "! 'me' is the person, not an agent (belfry agent ls lists the agents)\n"
	 "! agent 'dumb' cannot be started: its adapter has no 'interactive' (give it 'adapter: "
	 "claude' or 'command: [...]' in config.yml)\n"},
	{"stopped before its host came: the window is closed, and a host that comes late is refused",
	 "yaml; live start ada; opened ada %1; live stop ada; host ada; opened ada %2",
	 "= m1 ended: not begun yet\n"
	 "~ ada gone, not wanted: stopped by hand\n"
	 "* open ada of m1\n"
	 "* close ada in %1 of m1\n"
	 "! agent 'ada' has no session: stopped by hand (belfry agent start ada)\n"
	 "* close ada in %2\n"},
	{"the same conversation goes on, unless a new one is asked for",
	 "yaml; up ada; end success; hush; up ada; end success; live start ada fresh; opened ada %1; "
	 "host ada",
	 "= m1 ended: ran for 0s\n"
	 "  #1 interactive success\n"
	 "  #2 interactive success\n"
	 "= m2 running\n"
	 "  #1 interactive runs\n"
	 "~ ada starting in %1: its process was started\n"
	 "* open ada of m1\n"
	 "* m1/2 resume_interactive\n"
	 "  BELFRY_AGENT=ada\n"
	 "  BELFRY_MISSION_ID=m1\n"
	 "* adopt m1/2, process 900\n"
	 "* close ada in %1 of m1\n"
	 "* open ada of m2\n"
	 "* m2/1 interactive\n"
	 "  BELFRY_AGENT=ada\n"
	 "  BELFRY_MISSION_ID=m2\n"
	 "* adopt m2/1, process 900\n"},
	{"restart: it is stopped, and started in the same conversation when it has gone",
	 "yaml; up ada; hush; live restart ada; inbox; end killed; opened ada %2; host ada; inbox",
	 "= m1 running\n"
	 "  #1 interactive killed: it was asked to end: it is being restarted\n"
	 "  #2 interactive runs\n"
	 "~ ada starting in %2: its process was started\n"
	 "* signal 15 to m1/1\n"
	 "* close ada in %1 of m1\n"
	 "* open ada of m1\n"
	 "* m1/2 resume_interactive\n"
	 "  BELFRY_AGENT=ada\n"
	 "  BELFRY_MISSION_ID=m1\n"
	 "* adopt m1/2, process 900\n"},
	{"restart while it is being stopped, while it starts, and when it is gone",
	 "yaml; up ada; hush; live stop ada; live restart ada; end killed; live restart ada; live "
	 "stop ada; live restart ada",
	 "= m1 ended: stopped by hand\n"
	 "  #1 interactive killed: it was asked to end: stopped by hand\n"
	 "~ ada starting: its window is being opened\n"
	 "* signal 15 to m1/1\n"
	 "* signal 15 to m1/1\n"
	 "* close ada in %1 of m1\n"
	 "* open ada of m1\n"
	 "* close ada of m1\n"
	 "* open ada of m1\n"},
	{"a death is told once, in its thread",
	 "yaml; up ada; hush; end error m1 'exit status 3'; inbox",
	 "= m1 ended: exit status 3\n"
	 "  #1 interactive error: exit status 3\n"
	 "~ ada gone: exit status 3\n"
	 "* close ada in %1 of m1\n"
	 "@ mission 'live session of ada' of ada, 1 unread: The session of 'ada' is gone: exit status "
	 "3 What is for it waits until it is there again: belfry agent start ada\n"
	 "  1 belfry, unread: The session of 'ada' is gone: exit status 3\n"
	 "\n"
	 "What is for it waits until it is there again: belfry agent start ada\n"},
	{"a mission that is stopped by hand is its session stopped",
	 "yaml; up ada; hush; mission stop m1; end killed; inbox",
	 "= m1 ended: stopped by hand\n"
	 "  #1 interactive killed: it was asked to end: stopped by hand\n"
	 "~ ada gone, not wanted: stopped by hand\n"
	 "* signal 15 to m1/1\n"
	 "* close ada in %1 of m1\n"},
	{"F13 one that cannot go on with its conversation begins a new one at once, and it is told",
	 "yaml; up ada; end success; live start ada; opened ada %1; host ada; hush; end error m1 'No "
	 "conversation found'; inbox",
	 "= m1 ended: No conversation found\n"
	 "  #1 interactive success\n"
	 "  #2 interactive error: No conversation found\n"
	 "= m2 ended: not begun yet\n"
	 "~ ada starting: its window is being opened\n"
	 "* close ada in %1 of m1\n"
	 "* open ada of m2\n"
	 "@ mission 'live session of ada' of ada, 1 unread: 'ada' could not go on with its conversation, and "
	 "begins a new conversation: it does not know what it was told before. It said: No conversation found\n"
	 "  1 belfry, unread: 'ada' could not go on with its conversation, and begins a new conversation: it does "
	 "not know what it was told before.\n"
	 "\n"
	 "It said: No conversation found\n"},
	{"what is told of it",
	 "yaml agents: {ada: {adapter: claude, directory: /srv}}; add agent=ada every=1h; up ada; "
	 "live send ada text=x; live send ada text=y; agents; yaml agents: {bob: {}}; end error m1 "
	 "'it broke'; hush; agents",
	 "r active, 0 fired, due 11:00:00\n"
	 "= m1 ended: it broke\n"
	 "  #1 interactive error: it broke\n"
	 "~ ada gone: it broke\n"
	 "> ada normal queued (its session ended while it was being typed): x\n"
	 "> ada normal queued: y\n"
	 "> me normal queued: 1 reminder is for 'ada', whom nobody declares: what fires reaches nobody.\n\n"
	 "Declare 'ada' in config.yml, or remove the reminder: belfry reminder list ada\n"
	 "{\"name\":\"ada\",\"adapter\":null,\"interrupt\":null,\"can_run\":false,\"deliver\":\"queue\",\"command\":null,\"directory\":null,\"role\":null,\"state\":\"gone\",\"evidence\":\"it "
	 "broke\",\"mission\":\"m1\",\"pane\":null,\"wanted\":true,\"end_reason\":\"it "
	 "broke\",\"unconfirmed\":0,\"queued\":2,\"reminders\":1}\n"},
	{"a mission of its own that a person attends meanwhile is not the session",
	 "yaml; live start ada; opened ada %1; mission attach m1; hush; host ada; end success; host "
	 "ada",
	 "= m1 running\n"
	 "  #1 interactive success\n"
	 "  #2 interactive runs\n"
	 "~ ada starting in %1: its process was started\n"
	 "! cannot go on with mission 'm1': it is running (wait for its end, or: belfry mission stop "
	 "m1)\n"
	 "* m1/2 resume_interactive\n"
	 "  BELFRY_AGENT=ada\n"
	 "  BELFRY_MISSION_ID=m1\n"
	 "* adopt m1/2, process 900\n"},
};

static const struct story_row conversations[] = {
	{"L7 a conversation that its hooks told goes on",
	 "yaml agents: {cod: {adapter: codex}}; up cod; session cod thread-1; live stop cod; end killed; hush; live "
	 "start cod; opened cod %2; host cod",
	 "= m1 running\n"
	 "  #1 interactive killed: it was asked to end: stopped by hand\n"
	 "  #2 interactive runs\n"
	 "~ cod starting in %2: its process was started\n"
	 "* open cod of m1\n"
	 "* m1/2 resume_interactive\n"
	 "  BELFRY_AGENT=cod\n"
	 "  BELFRY_MISSION_ID=m1\n"
	 "* adopt m1/2, process 900\n"},
	{"L7 one that nobody told is a new one",
	 "yaml agents: {cod: {adapter: codex}}; up cod; live stop cod; end killed; hush; live start cod; opened cod %2; "
	 "host cod",
	 "= m1 ended: stopped by hand\n"
	 "  #1 interactive killed: it was asked to end: stopped by hand\n"
	 "= m2 running\n"
	 "  #1 interactive runs\n"
	 "~ cod starting in %2: its process was started\n"
	 "* open cod of m2\n"
	 "* m2/1 interactive\n"
	 "  BELFRY_AGENT=cod\n"
	 "  BELFRY_MISSION_ID=m2\n"
	 "* adopt m2/1, process 900\n"},
	{"L17 nobody here asked it to end",
	 "yaml; up ada; hush; end killed; inbox",
	 "= m1 ended: its wrapper was told to end (SIGTERM)\n"
	 "  #1 interactive killed\n"
	 "~ ada gone: its window was closed, tmux ended, or somebody killed it\n"
	 "* close ada in %1 of m1\n"
	 "@ mission 'live session of ada' of ada, 1 unread: The session of 'ada' is gone: its window was closed, tmux ended, or somebody killed it What is for it waits until it is there again: belfry agent start ada\n"
	 "  1 belfry, unread: The session of 'ada' is gone: its window was closed, tmux ended, or somebody killed it\n"
	 "\n"
	 "What is for it waits until it is there again: belfry agent start ada\n"},
};

static const struct story_row windows[] = {
	{"a window that cannot be opened",
	 "yaml; live start ada; vanish ada 'tmux is missing'; inbox; live start ada",
	 "= m1 ended: not begun yet\n"
	 "~ ada starting: its window is being opened\n"
	 "* open ada of m1\n"
	 "* close ada of m1\n"
	 "@ mission 'live session of ada' of ada, 1 unread: The session of 'ada' is gone: tmux is "
	 "missing What is for it waits until it is there again: belfry agent start ada\n"
	 "  1 belfry, unread: The session of 'ada' is gone: tmux is missing\n"
	 "\n"
	 "What is for it waits until it is there again: belfry agent start ada\n"
	 "* open ada of m1\n"},
	{"no host within 30 seconds: the window is closed",
	 "yaml; live start ada; @10:00:20; opened ada %1; @10:00:49; hush; @10:00:50; host ada",
	 "= m1 ended: not begun yet\n"
	 "~ ada gone: nothing came up in its window within 30s\n"
	 "* close ada in %1 of m1\n"
	 "! agent 'ada' has no session: nothing came up in its window within 30s (belfry agent start "
	 "ada)\n"},
	{"a clock that is set back does not make the wait longer",
	 "yaml; live start ada; @09:00:00; hush; @09:00:29; @09:00:30",
	 "= m1 ended: not begun yet\n"
	 "~ ada gone: nothing came up in its window within 30s\n"
	 "* close ada of m1\n"},
	{"a window that is closed ends its run",
	 "yaml; up ada; hush; vanish ada 'its window was closed'; end killed; inbox",
	 "= m1 ended: its wrapper was told to end (SIGTERM)\n"
	 "  #1 interactive killed\n"
	 "~ ada gone: its window was closed\n"
	 "* signal 15 to m1/1\n"
	 "* close ada of m1\n"
	 "@ mission 'live session of ada' of ada, 1 unread: The session of 'ada' is gone: its window "
	 "was closed What is for it waits until it is there again: belfry agent start ada\n"
	 "  1 belfry, unread: The session of 'ada' is gone: its window was closed\n"
	 "\n"
	 "What is for it waits until it is there again: belfry agent start ada\n"},
	{"a window of nobody is closed",
	 "yaml; opened ada %7; vanish ada 'gone'; seen ada idle; up ada; end success; hush; opened "
	 "ada %7; seen ada idle",
	 "= m1 ended: ran for 0s\n"
	 "  #1 interactive success\n"
	 "~ ada gone, not wanted: it ended by itself\n"
	 "* close ada in %7\n"},
	{"its host was seen before it was there: that does not count",
	 "yaml; live start ada; opened ada %1; seen ada idle; live send ada text=hello",
	 "= m1 ended: not begun yet\n"
	 "~ ada starting in %1: its window is open\n"
	 "> ada normal queued: hello\n"
	 "* open ada of m1\n"},
};

static const struct story_row crashes[] = {
	{"after a crash it is looked for, and told nothing before it is found",
	 "yaml; up ada; live send ada text=one; hush; crash; opened ada %1",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada idle in %1: screen\n"
	 "> ada normal offered x1: one\n"
	 "* adopt m1/1, process 900\n"
	 "* watch ada in %1 of m1\n"
	 "* type to ada, again: [belfry q1] one\n"},
	{"what was being typed is offered again, and does not count as a failure",
	 "yaml; up ada; live send ada text=one; crash; opened ada %1; crash; opened ada %1; crash; "
	 "opened ada %1; crash; hush; opened ada %1; typed",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada busy in %1: got q1\n"
	 "> ada normal delivered x1: one\n"
	 "* type to ada, again: [belfry q1] one\n"},
	{"a start that was cut short: its window is there",
	 "yaml; live start ada; crash; opened ada %1; host ada",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada starting in %1: its process was started\n"
	 "* open ada of m1\n"
	 "* watch ada of m1\n"
	 "* m1/1 interactive\n"
	 "  BELFRY_AGENT=ada\n"
	 "  BELFRY_MISSION_ID=m1\n"
	 "* adopt m1/1, process 900\n"},
	{"… or is not: it is opened again, once",
	 "yaml; live start ada; crash; hush; vanish ada 'no such window'; vanish ada 'no such window'",
	 "= m1 ended: not begun yet\n"
	 "~ ada gone: no such window\n"
	 "* close ada of m1\n"
	 "* open ada of m1\n"
	 "* close ada of m1\n"},
	{"a session that ended meanwhile",
	 "yaml; up ada; live send ada text=one; hush; crash; vanish ada 'no such window'; gone m1; "
	 "exit 0",
	 "= m1 ended: its wrapper was killed, or the machine went down\n"
	 "  #1 interactive orphaned: its wrapper was killed, or the machine went down\n"
	 "~ ada gone: no such window\n"
	 "> ada normal queued: one\n"
	 "* adopt m1/1, process 900\n"
	 "* watch ada in %1 of m1\n"
	 "* signal 15 to m1/1\n"
	 "* close ada of m1\n"},
	{"a restart survives",
	 "yaml; up ada; live restart ada; crash; hush; opened ada %1; end killed",
	 "= m1 ended: it is being restarted\n"
	 "  #1 interactive killed: it was asked to end: it is being restarted\n"
	 "~ ada starting: its window is being opened\n"
	 "* close ada in %1 of m1\n"
	 "* open ada of m1\n"},
	{"a turn that is rolled back leaves nothing",
	 "yaml; up ada; live send ada text=one; typed no; hush; lost 10:00:05; @10:00:06; live stop "
	 "ada; end killed; live start ada; hush; lost 10:00:50; @10:00:51",
	 "= m1 ended: stopped by hand\n"
	 "  #1 interactive killed: it was asked to end: stopped by hand\n"
	 "~ ada gone: nothing came up in its window within 30s\n"
	 "> ada normal queued x1 (its session ended while it was being typed): one\n"
	 "* close ada of m1\n"},
};

static const struct story_row removal[] = {
	{"H11: its reminders stay",
	 "yaml; add agent=ada every=1h; up ada; hush; live remove ada; live remove "
	 "ada; end killed; live remove ada",
	 "r active, 0 fired, due 11:00:00\n"
	 "= m1 ended: its agent was removed\n"
	 "  #1 interactive killed: it was asked to end: its agent was removed\n"
	 "* ending, cancelled 0, kept 1\n"
	 "* signal 15 to m1/1\n"
	 "* ending, cancelled 0, kept 1\n"
	 "* close ada in %1 of m1\n"
	 "* cancelled 0, kept 1\n"},
	{"one that is being removed does not run twice",
	 "yaml; up ada; hush; live remove ada; live start ada; end killed; live remove ada; hush; live "
	 "start ada",
	 "= m1 ended: its agent was removed\n"
	 "  #1 interactive killed: it was asked to end: its agent was removed\n"
	 "= m2 ended: not begun yet\n"
	 "~ ada starting: its window is being opened\n"
	 "* open ada of m2\n"},
	{"H11: or are cancelled, when that is asked for",
	 "yaml; add agent=ada every=1h; add agent=ada every=2h name=s; add agent=bob every=1h name=t; "
	 "up ada; live stop ada; end killed; hush; live remove ada with-reminders",
	 "r cancelled, 0 fired: its agent was removed\n"
	 "s cancelled, 0 fired: its agent was removed\n"
	 "t active, 0 fired, due 11:00:00\n"
	 "= m1 ended: stopped by hand\n"
	 "  #1 interactive killed: it was asked to end: stopped by hand\n"
	 "* cancelled 2, kept 0\n"},
	{"H11: what was being typed waits in the queue",
	 "yaml; up ada; live send ada text=one; hush; live remove ada; end killed; live "
	 "remove ada; live remove ada",
	 "= m1 ended: its agent was removed\n"
	 "  #1 interactive killed: it was asked to end: its agent was removed\n"
	 "> ada normal queued (its session ended while it was being typed): one\n"
	 "* ending, cancelled 0, kept 0\n"
	 "* signal 15 to m1/1\n"
	 "* close ada in %1 of m1\n"
	 "* cancelled 0, kept 0\n"
	 "! agent 'ada' never had a session (belfry agent list)\n"},
};

static const struct story_row fallback[] = {
	{"started for a reminder, a bounded number of times",
	 "yaml; add agent=ada every=1h; hush; fallback r; fallback r; vanish ada 'no tmux'; fallback "
	 "r; vanish ada 'no tmux'; fallback r; vanish ada 'no tmux'; hush; fallback r; fallback r",
	 "r active, 0 fired, due 11:00:00\n"
	 "= m1 ended: not begun yet\n"
	 "~ ada gone: no tmux\n"
	 "> me normal queued: Agent 'ada' was to be started for this, and was not: it was started "
	 "again and again, and never became idle\n"
	 "\n"
	 "What is for it waits in its queue.\n"},
	{"one that became idle is started again",
	 "yaml; add agent=ada every=1h; fallback r; opened ada %1; host ada; seen ada idle; end "
	 "error; fallback r; vanish ada x; fallback r; vanish ada x; fallback r; hush; vanish ada x; "
	 "live start ada; vanish ada x; hush; fallback r",
	 "r active, 0 fired, due 11:00:00\n"
	 "= m1 ended: it failed without a word\n"
	 "  #1 interactive error\n"
	 "~ ada starting: its window is being opened\n"
	 "* open ada of m1\n"},
	{"one that cannot be started is told once",
	 "yaml; add agent=mute every=1h; fallback r; fallback r; fallback r; inbox",
	 "r active, 0 fired, due 11:00:00\n"
	 "~ mute gone, not wanted: \n"
	 "> me normal queued: Agent 'mute' was to be started for this, and was not: agent 'mute' "
	 "cannot be started: it has no adapter\n"
	 "\n"
	 "What is for it waits in its queue.\n"
	 "@ reminder 'r' of nobody, 1 unread: its agent was not started: Agent 'mute' was to be "
	 "started for this, and was not: agent 'mute' cannot be started: it has no adapter What is "
	 "for it waits in its queue.\n"
	 "  1 belfry, unread, in a queue: [its agent was not started] Agent 'mute' was to be started "
	 "for this, and was not: agent 'mute' cannot be started: it has no adapter\n"
	 "\n"
	 "What is for it waits in its queue.\n"},
};
/* clang-format on */

int main(void)
{
	add_table(test_story, sessions);
	add_table(test_story, conversations);
	add_table(test_story, windows);
	add_table(test_story, crashes);
	add_table(test_story, removal);
	add_table(test_story, fallback);
	return run_rows("live");
}
