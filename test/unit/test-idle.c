/*
 * test-idle.c: reminders that wait for their agent to be idle, and what becomes of one whose agent
 * has no session. See story.h for the language. ada can have a session, mute cannot.
 */
#include "story-rows.h"

#define IDLE "yaml # ; add agent=ada idle=5m"

/* clang-format off */
static const struct story_row arming[] = {
	{"H26 without a session it waits", IDLE "; @1+10:00:00", "r active, 0 fired\n"},
	{"H26 idle: due after its span",
	 IDLE "; @10:01:00; presence ada idle",
	 "r active, 0 fired, due 10:06:00\n"},
	{"H26 fires after its span, once, however long it stays idle",
	 IDLE "; @10:01:00; presence ada idle; @10:05:59; @10:06:00; @11:00:00; presence ada idle 10:01:00; @1+10:00:00",
	 "r active, 1 fired\n"
	 "  10:06:00 fired: fired on time\n"
	 "> ada idle queued: hello\n"},
	{"H26 not a second too early",
	 IDLE "; @10:01:00; presence ada idle; @10:05:59",
	 "r active, 0 fired, due 10:06:00\n"},
	{"H26 activity disarms", IDLE "; presence ada idle; @10:04:59; presence ada busy; @11:00:00", "r active, 0 fired\n"},
	{"H26 a permission prompt disarms", IDLE "; presence ada idle; @10:04:59; presence ada blocked; @11:00:00", "r active, 0 fired\n"},
	{"H26 an end disarms", IDLE "; presence ada idle; @10:04:59; presence ada gone; @11:00:00", "r active, 0 fired\n"},
	{"H26 a break begins the count anew",
	 IDLE "; presence ada idle; @10:04:00; presence ada busy; @10:04:01; presence ada idle",
	 "r active, 0 fired, due 10:09:01\n"},
	{"H26 a break that nobody saw, but for its end",
	 IDLE "; presence ada idle; @10:04:30; presence ada idle 10:04:00",
	 "r active, 0 fired, due 10:09:00\n"},
	{"H26 activity re-arms",
	 IDLE "; presence ada idle; @10:05:00; presence ada busy; @10:06:00; presence ada idle; @10:11:00; presence ada busy; @10:12:00; presence ada idle",
	 "r active, 2 fired, due 10:17:00\n"
	 "  10:05:00 fired: fired on time\n"
	 "  10:11:00 fired: fired on time\n"
	 "> ada idle queued: hello\n"
	 "> ada idle queued: hello\n"},
	{"L12 a heartbeat that nothing else follows gets rarer, and another message brings it back",
	 "yaml # ; add agent=ada name=heartbeat-ada idle=5m; presence ada idle; @10:05:00; presence ada busy; presence ada idle; @10:10:00; "
	 "presence ada busy; presence ada idle; @10:15:00; presence ada busy; presence ada idle; @10:24:59; @10:25:00; presence ada busy; "
	 "presence ada idle; @10:44:59; live send ada text=tea; presence ada busy; presence ada idle; @10:49:59",
	 "heartbeat-ada active, 5 fired\n"
	 "  10:05:00 fired: fired on time\n"
	 "  10:10:00 fired: fired on time\n"
	 "  10:15:00 fired: fired on time\n"
	 "  10:25:00 fired: fired on time\n"
	 "  10:49:59 fired: fired on time\n"
	 "> ada idle queued: hello\n"
	 "> ada idle queued: hello\n"
	 "> ada idle queued: hello\n"
	 "> ada idle queued: hello\n"
	 "> ada normal queued: tea\n"
	 "> ada idle queued: hello\n"},
	{"H26 another agent's idleness is nothing to it", IDLE "; presence bob idle; @11:00:00", "r active, 0 fired\n"},
	{"H26 added while it is idle: counts from then",
	 "yaml # ; presence ada idle 09:00:00; add agent=ada idle=5m",
	 "r active, 0 fired, due 10:05:00\n"},
	{"H26 several of one agent, each by its own span",
	 IDLE "; add agent=ada name=s idle=10m; presence ada idle; @10:05:00",
	 "r active, 1 fired\n"
	 "  10:05:00 fired: fired on time\n"
	 "s active, 0 fired, due 10:10:00\n"
	 "> ada idle queued: hello\n"},
	{"H26 --now fires at once, and then as ever",
	 "yaml # ; presence ada idle; add agent=ada idle=5m now; @10:05:00",
	 "r active, 2 fired\n"
	 "  10:00:00 fired: fired on time\n"
	 "  10:05:00 fired: fired on time\n"
	 "> ada idle queued: hello\n"
	 "> ada idle queued: hello\n"},
	{"H26 one that runs its agent runs it",
	 "yaml # ; add agent=ada idle=5m run; presence ada idle; @10:05:00",
	 "r active, 1 fired\n"
	 "  10:05:00 running: runs as mission m1\n"
	 "= m1 starting 1/1\n"
	 "  #1 attempt begins\n"
	 "$ start m1/1\n"},
};

static const struct story_row changes[] = {
	{"H26 paused it is not armed", IDLE "; pause; presence ada idle; @11:00:00", "r paused, 0 fired: paused by hand\n"},
	{"H26 a pause disarms", IDLE "; presence ada idle; @10:04:00; pause; @11:00:00", "r paused, 0 fired: paused by hand\n"},
	{"H26 a resume counts from then",
	 IDLE "; presence ada idle; @10:04:00; pause; @10:30:00; resume",
	 "r active, 0 fired, due 10:35:00\n"},
	{"H26 a pause is no activity: what has fired waits on",
	 IDLE "; presence ada idle; @10:05:00; pause; resume; @11:00:00; presence ada busy; presence ada idle",
	 "r active, 1 fired, due 11:05:00\n"
	 "  10:05:00 fired: fired on time\n"
	 "> ada idle queued: hello\n"},
	{"H26 a new span counts from then, also of one that has fired",
	 IDLE "; presence ada idle; @10:05:00; edit idle=10m",
	 "r active, 1 fired, due 10:15:00\n"
	 "  10:05:00 fired: fired on time\n"
	 "> ada idle queued: hello\n"},
	{"H26 another text leaves the count alone",
	 IDLE "; presence ada idle; @10:04:00; edit message=new; @10:05:00",
	 "r active, 1 fired\n"
	 "  10:05:00 fired: fired on time\n"
	 "> ada idle queued: new\n"},
	{"H26 another agent: its idleness counts from then",
	 "yaml agents: {ada: {adapter: claude}, eve: {adapter: codex}}; add agent=ada idle=5m; presence ada idle; presence eve idle 08:00:00; @10:04:00; edit agent=eve",
	 "r active, 0 fired, due 10:09:00\n"},
	{"H26 idle becomes cron",
	 IDLE "; presence ada idle; edit 'cron=0 11 * * *'; presence ada busy; presence ada idle",
	 "r active, 0 fired, due 11:00:00\n"},
	{"H26 every becomes idle",
	 "yaml # ; presence ada idle; add agent=ada every=1h; @10:10:00; edit idle=5m",
	 "r active, 0 fired, due 10:15:00\n"},
	{"H26 complete, and nothing more", IDLE "; presence ada idle; complete; @11:00:00", "r completed, 0 fired: completed by hand\n"},
	{"H26 remove, and nothing more", IDLE "; presence ada idle; remove; presence ada busy; presence ada idle; @11:00:00", "r cancelled, 0 fired: removed by hand\n"},
	{"H26 by hand leaves the count alone",
	 IDLE "; presence ada idle; @10:03:00; run; @10:05:00",
	 "r active, 1 fired\n"
	 "  10:03:00 fired: run by hand\n"
	 "  10:05:00 fired: fired on time\n"
	 "> ada idle queued: hello\n"
	 "> ada idle queued: hello\n"},
	{"H26 count bounds it",
	 IDLE " count=1; presence ada idle; @10:05:00",
	 "r completed, 1 fired: fired as many times as asked\n"
	 "  10:05:00 fired: fired on time\n"
	 "> ada idle queued: hello\n"},
	{"H26 until: not after it",
	 IDLE " until=10:30; @10:26:00; presence ada idle; @10:40:00",
	 "r completed, 0 fired: no occurrence is left\n"},
	{"H26 until: at it",
	 IDLE " until=10:30; @10:25:00; presence ada idle; @10:30:00",
	 "r active, 1 fired\n"
	 "  10:30:00 fired: fired on time\n"
	 "> ada idle queued: hello\n"},
	{"H26 until passes while it works",
	 IDLE " until=10:30; presence ada busy; @10:31:00; presence ada blocked",
	 "r completed, 0 fired: no occurrence is left\n"},
	{"H26 until: too soon to ever fire",
	 "yaml # ; add agent=ada idle=5m until=10:04",
	 "! nothing would fire before its --until (choose a later --until)\n"},
	{"H26 jitter moves it, never to an earlier time",
	 "yaml # ; presence ada idle; add agent=ada idle=5m jitter=10m; @10:05:00",
	 "r active, 0 fired, due 10:12:17\n"},
};

static const struct story_row gates[] = {
	{"H26 H7 a condition is asked, once for each time of idleness",
	 IDLE " condition=look; presence ada idle; @10:05:00; exit 1; @10:20:00; presence ada busy; presence ada idle; @10:25:00; exit 0",
	 "r active, 1 fired\n"
	 "  10:05:00 skipped: the condition was false [false: exit status 1: its last words]\n"
	 "  10:25:00 fired: fired on time [true: exit status 0: its last words]\n"
	 "> ada idle queued: hello\n"},
	{"H26 H7 until: true completes",
	 IDLE " condition=look mode=until; presence ada idle; @10:05:00; exit 0",
	 "r completed, 0 fired: condition met\n"
	 "  10:05:00 skipped: the condition was met: completed [true: exit status 0: its last words]\n"},
	{"H26 at work while the condition is looked at",
	 IDLE " condition=look; presence ada idle; @10:05:00; presence ada busy; presence ada idle; exit 0",
	 "r active, 1 fired, due 10:10:00\n"
	 "  10:05:00 fired: fired on time [true: exit status 0: its last words]\n"
	 "> ada idle queued: hello\n"},
	{"H26 later than its start deadline",
	 IDLE " start_deadline=1m; presence ada idle; lost 10:03:00; @10:10:00",
	 "r active, 0 fired\n"
	 "  10:05:00 missed: later than its start deadline of 1m\n"},
};

static const struct story_row trouble[] = {
	{"H26 H17 a restart changes nothing",
	 IDLE "; presence ada idle; @10:03:00; crash; @10:04:59; crash; @10:05:00; crash; @10:06:00",
	 "r active, 1 fired\n"
	 "  10:05:00 fired: fired on time\n"
	 "> ada idle queued: hello\n"},
	{"H26 H16 a turn that is rolled back",
	 IDLE "; presence ada idle; lost 10:05:00; lost 10:06:00; @10:07:00",
	 "r active, 1 fired\n"
	 "  10:05:00 fired: fired 2m late\n"
	 "> ada idle queued: hello\n\n"
	 "(this one is 2m late)\n"},
	{"H26 down while it was due: one fire, none missed",
	 IDLE "; presence ada idle; @10:01:00; crash; @13:05:00",
	 "r active, 1 fired\n"
	 "  10:05:00 fired: fired 3h late\n"
	 "> ada idle queued: hello\n\n"
	 "(this one is 3h late)\n"},
	{"H26 a plan that was lost is made again by a start",
	 IDLE "; presence ada idle; damage UPDATE reminders SET nominal_at = NULL, due_at = NULL; crash",
	 "r active, 0 fired, due 10:05:00\n"},
	{"H26 the clock is set forwards: it has been idle for so long by the clock",
	 IDLE "; presence ada idle; @1+10:00:00",
	 "r active, 1 fired\n"
	 "  10:05:00 fired: fired 23h 55m late\n"
	 "> ada idle queued: hello\n\n"
	 "(this one is 23h 55m late)\n"},
	{"H26 the clock is set back: it counts from then, and only once",
	 IDLE "; presence ada idle; @09:00:00; @09:02:00; @09:01:00; @09:05:00; crash; @10:05:00; crash; @11:00:00",
	 "r active, 1 fired\n"
	 "  09:05:00 fired: fired on time\n"
	 "> ada idle queued: hello\n"},
	{"H26 the clock is set back: what has fired waits on",
	 IDLE "; presence ada idle; @10:05:00; @09:00:00; @09:05:00; crash; @10:05:00; @11:00:00",
	 "r active, 1 fired\n"
	 "  10:05:00 fired: fired on time (early)\n"
	 "> ada idle queued: hello\n"},
	{"H26 the clock is set back a little: the next idleness counts",
	 IDLE "; presence ada idle; @10:05:00; @10:04:50; presence ada busy; @10:04:58; presence ada idle",
	 "r active, 1 fired, due 10:09:58\n"
	 "  10:05:00 fired: fired on time\n"
	 "> ada idle queued: hello\n"},
	{"H26 the clock is set back, and the end of the work is all that was seen",
	 IDLE "; presence ada idle; @10:05:00; @10:04:50; @10:04:58; presence ada idle 10:04:55",
	 "r active, 1 fired, due 10:09:55\n"
	 "  10:05:00 fired: fired on time\n"
	 "> ada idle queued: hello\n"},
	{"H26 the clock is set back while there is no session",
	 IDLE "; presence ada idle; @10:05:00; presence ada gone; @09:00:00; crash; presence ada starting; @09:01:00; presence ada idle",
	 "r active, 1 fired, due 09:06:00\n"
	 "  10:05:00 fired: fired on time (early)\n"
	 "> ada idle queued: hello\n"},
	{"H26 the clock is set back, and an instant comes again",
	 IDLE "; presence ada idle; @10:05:00; @09:59:00; presence ada busy; @10:00:00; presence ada idle; @10:05:00; @10:05:01",
	 "r active, 2 fired\n"
	 "  10:05:00 fired: fired on time (early)\n"
	 "  10:05:00 fired: fired on time\n"
	 "> ada idle queued: hello\n"
	 "> ada idle queued: hello\n"},
	{"H26 paused while the clock is set back",
	 IDLE "; presence ada idle; @10:05:00; presence ada busy; pause; @09:00:00; resume; @09:01:00; presence ada idle",
	 "r active, 1 fired, due 09:06:00\n"
	 "  10:05:00 fired: fired on time (early)\n"
	 "> ada idle queued: hello\n"},
	{"H26 set back behind a new idleness",
	 IDLE "; presence ada idle; @10:05:00; presence ada busy; @10:06:00; presence ada idle; @09:00:00; crash; @09:05:00; crash; @11:00:00",
	 "r active, 2 fired\n"
	 "  10:05:00 fired: fired on time (early)\n"
	 "  09:05:00 fired: fired on time\n"
	 "> ada idle queued: hello\n"
	 "> ada idle queued: hello\n"},
	{"H26 the clock is set back behind its creation",
	 IDLE "; @09:00:00; presence ada idle; @09:02:00; crash; @09:05:00; crash; @11:00:00; crash",
	 "r active, 1 fired\n"
	 "  09:05:00 fired: fired on time\n"
	 "> ada idle queued: hello\n"},
};

static const struct story_row refusals[] = {
	{"H26 nobody has a session of me",
	 "add idle=5m",
	 "! 'me' is you, who has no session and is not run (--idle and --fallback are for agents; give 'me' a time, like --in 5m)\n"},
	{"H26 an agent without an adapter",
	 "yaml # ; add agent=mute idle=5m",
	 "! agent 'mute' cannot have a session: its adapter is not interactive (give it one that can, like 'adapter: claude', in config.yml)\n"},
	{"H26 too short", "yaml # ; add agent=ada idle=0s", "! --idle: '0s' of idleness is too short (from 1s to 52w)\n"},
	{"H26 too long", "yaml # ; add agent=ada idle=53w", "! --idle: '53w' of idleness is too long (from 1s to 52w)\n"},
	{"H26 H6 two schedules", "yaml # ; add agent=ada idle=5m every=1h", "! two schedules: --every and --idle (give exactly one of --at, --in, --every, --cron, --rrule, --idle)\n"},
	{"fallback: of one that runs", "yaml # ; add agent=ada in=1h run fallback=start", "! a reminder that runs its agent has no fallback (it needs no session: leave --fallback out)\n"},
	{"fallback: nobody to run", "yaml # ; add agent=mute in=1h fallback=run", "! agent 'mute' cannot have missions: it has no adapter (give it one that can, like 'adapter: claude', in config.yml)\n"},
	{"fallback: nobody to start", "yaml # ; add agent=mute in=1h fallback=start", "! agent 'mute' cannot have a session: its adapter is not interactive (give it one that can, like 'adapter: claude', in config.yml)\n"},
	{"fallback: edited to somebody who cannot",
	 "yaml # ; add agent=ada in=1h fallback=run; edit agent=mute",
	 "r active, 0 fired, due 11:00:00\n"
	 "! agent 'mute' cannot have missions: it has no adapter (give it one that can, like 'adapter: claude', in config.yml)\n"},
	{"fallback: no such word", "yaml # ; add agent=ada in=1h fallback=hide", "! 'fallback' cannot be 'hide' (one of: wait run start)\n"},
};

static const struct story_row fallbacks[] = {
	{"H15 by default it waits",
	 "yaml # ; add agent=ada in=1h; @11:00:00",
	 "r completed, 1 fired: its only time has come\n"
	 "  11:00:00 fired: fired on time\n"
	 "> ada idle queued: hello\n"},
	{"fallback run: a mission, and no message",
	 "yaml # ; add agent=cyd in=1h fallback=run; @11:00:00; start; end success",
	 "r completed, 1 fired: its only time has come\n"
	 "  11:00:00 ran: ran for 0s\n"
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "* go m1/1\n"},
	{"fallback run: the one before it still goes on",
	 "yaml # ; add agent=cyd every=1h fallback=run; @11:00:00; start; @12:00:00",
	 "r active, 1 fired, due 13:00:00\n"
	 "  11:00:00 running: runs as mission m1\n"
	 "  12:00:00 skipped: the one before it was still going (mission m1)\n"
	 "= m1 running 1/1\n"
	 "  #1 attempt runs\n"
	 "* go m1/1\n"},
	{"fallback run: by hand, too",
	 "yaml # ; add agent=cyd in=1h fallback=run; run; start; end success",
	 "r active, 0 fired, due 11:00:00\n"
	 "  10:00:00 ran: ran for 0s\n"
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "* go m1/1\n"},
	{"fallback run: edited in, edited out",
	 "yaml # ; add agent=cyd every=1h; edit fallback=run; @11:00:00; start; end success; edit fallback=wait; @12:00:00; edit fallback=run",
	 "r active, 2 fired, due 13:00:00\n"
	 "  11:00:00 ran: ran for 0s\n"
	 "  12:00:00 fired: fired on time\n"
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "> cyd idle queued: hello\n"
	 "* go m1/1\n"},
	{"fallback: a deliver command is somebody to tell",
	 "yaml agents: {bot: {adapter: claude, deliver: {command: [hand, over]}}}; add agent=bot in=1h fallback=run; @11:00:00",
	 "r completed, 1 fired: its only time has come\n"
	 "  11:00:00 fired: fired on time\n"
	 "> bot idle offered x1: hello\n"
	 "$ hand\n"},
};
/* clang-format on */

int main(void)
{
	add_table(test_story, arming);
	add_table(test_story, changes);
	add_table(test_story, gates);
	add_table(test_story, trouble);
	add_table(test_story, refusals);
	add_table(test_story, fallbacks);
	return run_rows("idle");
}
