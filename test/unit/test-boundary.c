/*
 * test-boundary.c: what agents set for themselves, and what hooks bring into a session. See story.h for the
 * language. ada works in /a, bob and cyd both in /bc.
 */
#include "story-rows.h"

#define YAML                                                                                       \
	"yaml agents: {ada: {adapter: claude, directory: /a}, bob: {directory: /bc}, cyd: "        \
	"{directory: /bc}}"
#define PATTERNS                                                                                   \
	YAML "\npromptReminders: [{match: 'fix|implement', say: test first}, {match: deploy, "     \
	     "say: "                                                                               \
	     "ask before}, {match: fix, say: for ada, agent: ada}]"
#define TITLE "🔔 REMINDER YOU SET FOR YOURSELF (b)"

/* clang-format off */
static const struct story_row calls[] = {
	{"M3: with 2 it comes with the second prompt, whatever that says, and once",
	 YAML "; boundary s calls=2 message=plan; prompt s; prompt s prompt=x; prompt s; bounds s",
	 "* s: nothing\n* s: " TITLE " / Message: plan\n* s: nothing\n"},
	{"M3: the first prompts of the session do not count",
	 YAML "; prompt s; prompt s; boundary s calls=1 message=plan; bounds s; prompt s",
	 "* s: nothing\n* s: nothing\n% waiting until call 3: plan\n* s: " TITLE " / Message: plan\n"},
	{"M3: no other event is a call",
	 YAML "; boundary s calls=1 message=plan; hook s PreToolUse; hook s PostToolUse; hook s Stop; hook s Notification; bounds s",
	 "* s: nothing\n* s: nothing\n* s: nothing\n* s: nothing\n% waiting until call 1: plan\n"},
	{"M3: another session's prompts are none of it",
	 YAML "; boundary s calls=1 message=plan; prompt t; prompt t; bounds s",
	 "* t: nothing\n* t: nothing\n% waiting until call 1: plan\n"},
	{"M4: minutes: at the first prompt after them",
	 YAML "; boundary s minutes=5 message=plan; prompt s; @10:04:59; prompt s; @10:05:00; prompt s; prompt s",
	 "* s: nothing\n* s: nothing\n* s: " TITLE " / Message: plan\n* s: nothing\n"},
	{"M1: both: whichever comes first, the calls",
	 YAML "; boundary s minutes=5 calls=1 message=plan; prompt s; @10:06:00; prompt s",
	 "* s: " TITLE " / Message: plan\n* s: nothing\n"},
	{"M1: both: whichever comes first, the minutes",
	 YAML "; boundary s minutes=5 calls=9 message=plan; @10:06:00; prompt s; prompt s",
	 "* s: " TITLE " / Message: plan\n* s: nothing\n"},
	{"M7: several are pending, and none overwrites another; oldest first",
	 YAML "; boundary s calls=2 message=one; boundary s calls=1 message=two; boundary s calls=2 message=three; prompt s; prompt s; prompt s",
	 "* s: " TITLE " / Message: two\n* s: " TITLE " / Message: one / " TITLE " / Message: three\n* s: nothing\n"},
	{"M8: never immediate",
	 YAML "; boundary s calls=0 message=x; boundary s calls=-3 message=x; boundary s minutes=0 message=x; boundary s message=x; boundary s minutes=0 calls=1 message=x",
	 "! a boundary needs at least one call, or more than 0 minutes (give --suppress-for-calls (1 or more), --suppress-for-minutes, or both)\n"
	 "! a boundary needs at least one call, or more than 0 minutes (give --suppress-for-calls (1 or more), --suppress-for-minutes, or both)\n"
	 "! a boundary needs at least one call, or more than 0 minutes (give --suppress-for-calls (1 or more), --suppress-for-minutes, or both)\n"
	 "! a boundary needs at least one call, or more than 0 minutes (give --suppress-for-calls (1 or more), --suppress-for-minutes, or both)\n"
	 "! a boundary needs at least one call, or more than 0 minutes (give --suppress-for-calls (1 or more), --suppress-for-minutes, or both)\n"},
	{"M9: the block: title, message, step, lessons, note",
	 YAML "; boundary s calls=1 message=plan step=w/plan lessons=errors note=auth; prompt s",
	 "* s: " TITLE " / Message: plan / Workflow step to do now: /   - call get_workflow_step(\"w/plan\") / "
	 "Lessons to read: /   - call get_lesson(\"errors\") / Your note: auth\n"},
	{"M11: with nothing to say it only passes",
	 YAML "; boundary s calls=2 note=x; prompt s; bounds s; prompt s; bounds s; boundary s minutes=1; @10:01:00; hook s Stop; bounds s",
	 "* s: nothing\n% waiting until call 2: \n* s: nothing\n* s: nothing\n"},
	{"M10: a crash forgets nothing",
	 YAML "; boundary s calls=2 message=plan; prompt s; crash; prompt s; crash; prompt s",
	 "* s: nothing\n* s: " TITLE " / Message: plan\n* s: nothing\n"},
	{"taken back",
	 YAML "; boundary s calls=2 message=plan; boundary s minutes=2 message=x; clear s; clear s; prompt s; prompt s",
	 "* 2 cleared\n* 0 cleared\n* s: nothing\n* s: nothing\n"},
	{"a hundred are enough",
	 YAML "; times 100 boundary s calls=2; boundary s calls=2 message=more",
	 "! 100 boundaries are pending in this session already (belfry boundary clear --session s)\n"},
};

static const struct story_row offers[] = {
	{"M7: what was not printed is told again, once its hook must have given up",
	 YAML "; boundary s calls=1 message=plan; prompt s drop; prompt s; bounds s; @10:00:03; prompt s; bounds s; prompt s; bounds s",
	 "* s: " TITLE " / Message: plan (dropped)\n* s: nothing\n% offered until call 1: plan\n"
	 "* s: " TITLE " / Message: plan\n% offered, printed until call 1: plan\n* s: nothing\n"},
	{"M7: … also after a crash",
	 YAML "; boundary s calls=1 message=plan; prompt s drop; crash; @11:00:00; prompt s; crash; prompt s",
	 "* s: " TITLE " / Message: plan (dropped)\n* s: " TITLE " / Message: plan\n* s: nothing\n"},
	{"R2: a prompt after a prompt: nothing was seen of its turn, so it is told again; its transcript may know better",
	 YAML "; boundary s calls=1 message=plan; prompt s; prompt s unseen; hook s Notification; bounds s; @10:00:01; prompt s unseen replied; bounds s",
	 "* s: " TITLE " / Message: plan\n* s: " TITLE " / Message: plan\n* s: nothing\n% offered, printed until call 1: plan\n* s: nothing\n"},
	{"R2: … a further one of the same turn shows that there is one",
	 YAML "; boundary s calls=1 message=plan; prompt s id=p prompt=a; prompt s id=p prompt=b unseen; bounds s",
	 "* s: " TITLE " / Message: plan\n* s: nothing\n"},
	{"R2: … and the transcript may say that it was blocked",
	 YAML "; boundary s calls=1 message=plan; prompt s; hook s Stop blocked; bounds s; @10:00:01; prompt s unseen; hook s Stop; bounds s",
	 "* s: " TITLE " / Message: plan\n* s: nothing\n% waiting until call 1: plan\n* s: " TITLE " / Message: plan\n* s: nothing\n"},
	{"M7: any event acknowledges what was printed",
	 YAML "; boundary s calls=1 message=plan; prompt s; bounds s; hook s PostToolUse; bounds s",
	 "* s: " TITLE " / Message: plan\n% offered, printed until call 1: plan\n* s: nothing\n"},
	{"M7: a session that never comes back keeps it",
	 YAML "; boundary s calls=1 message=plan; prompt s; @30+10:00:00; bounds s",
	 "* s: " TITLE " / Message: plan\n% offered, printed until call 1: plan\n"},
	{"M7: the clock is set back: what was dropped is told again",
	 YAML "; boundary s calls=1 message=plan; prompt s drop; @09:00:00; prompt s",
	 "* s: " TITLE " / Message: plan (dropped)\n* s: " TITLE " / Message: plan\n"},
};

static const struct story_row twice[] = {
	{"the same prompt, told by two hooks, is one call; the second is told nothing",
	 PATTERNS "; boundary s calls=2 message=plan; prompt s prompt=fix; prompt s prompt=fix again; prompt s prompt=fix; prompt s prompt=fix again; bounds s; prompt s; bounds s",
	 "* s: nothing\n* s: nothing\n* s: " TITLE " / Message: plan / Reminder: test first\n* s: nothing\n"
	 "% offered, printed until call 2: plan\n* s: nothing\n"},
	{"… also when a crash, or a while, is between them",
	 YAML "; boundary s calls=2 message=plan; prompt s; crash; prompt s again; @10:00:30; prompt s again; bounds s",
	 "* s: nothing\n* s: nothing\n* s: nothing\n% waiting until call 2: plan\n"},
	{"… and when the first one's output was dropped: then it is told later",
	 YAML "; boundary s calls=1 message=plan; prompt s drop; prompt s again; @10:00:03; prompt s",
	 "* s: " TITLE " / Message: plan (dropped)\n* s: nothing\n* s: " TITLE " / Message: plan\n"},
	{"the same words are another prompt when their ids differ; another session's are its own",
	 YAML "; boundary s calls=2 message=plan; prompt s prompt=x; prompt t prompt=x again; prompt s prompt=x",
	 "* s: nothing\n* t: nothing\n* s: " TITLE " / Message: plan\n"},
	{"the same id with other words is another prompt",
	 YAML "; boundary s calls=2 message=plan; prompt s id=p prompt=x; prompt s id=p prompt=y; prompt s id=p prompt=y",
	 "* s: nothing\n* s: " TITLE " / Message: plan\n* s: nothing\n"},
	{"without ids the same words within two seconds are the same prompt",
	 YAML "; boundary s calls=3 message=plan; prompt s id=none prompt=x; @10:00:01; prompt s id=none prompt=x; prompt s id=none prompt=y; bounds s; @10:00:02; prompt s id=none prompt=x",
	 "* s: nothing\n* s: nothing\n* s: nothing\n% waiting until call 3: plan\n* s: " TITLE " / Message: plan\n"},
	{"a session that starts is told once; resumed a while later, again",
	 YAML "; boundary s calls=3 message=plan; hook s SessionStart id=none source=startup; hook s SessionStart id=none source=startup; "
	 "hook s SessionStart id=none source=compact; @10:00:02; hook s SessionStart id=none source=startup",
	 "* s: Belfry has for this session (each comes by itself when it is due): / - a reminder you set for yourself, due in 3 prompts\n* s: nothing\n"
	 "* s: Belfry has for this session (each comes by itself when it is due): / - a reminder you set for yourself, due in 3 prompts\n"
	 "* s: Belfry has for this session (each comes by itself when it is due): / - a reminder you set for yourself, due in 3 prompts\n"},
	{"a tool's end is told once, and does not confirm what it was just told",
	 YAML "; prompt s dir=/a; live send ada text=a priority=interrupt; hook s PostToolUse; live send ada text=b priority=interrupt; hook s PostToolUse again; hook s PostToolUse; hook s Stop",
	 "> ada interrupt delivered x1: a\n> ada interrupt delivered x1: b\n"
	 "* s: nothing\n* s: [belfry m] a\n* s: nothing\n* s: [belfry m] b\n* s: nothing\n"},
	{"a stop is held back once, and the stop after it is another, of the same prompt",
	 YAML "; prompt s dir=/a; live send ada text=a priority=interrupt; hook s Stop id=p; hook s Stop id=p; hook s Stop id=p active",
	 "> ada interrupt delivered x1: a\n* s: nothing\n* s goes on: [belfry m] a\n* s: nothing\n* s: nothing\n"},
	{"the clock is set back by an hour: the same id is another prompt",
	 YAML "; boundary s calls=2 message=plan; prompt s; @09:00:00; prompt s again",
	 "* s: nothing\n* s: " TITLE " / Message: plan\n"},
	{"twenty tools at once",
	 YAML "; boundary s calls=2 message=plan; prompt s id=p; times 20 hook s PostToolUse; prompt s id=p; bounds s",
	 "* s: nothing\n"
	 "* s: nothing\n* s: nothing\n* s: nothing\n* s: nothing\n* s: nothing\n* s: nothing\n* s: nothing\n* s: nothing\n* s: nothing\n* s: nothing\n"
	 "* s: nothing\n* s: nothing\n* s: nothing\n* s: nothing\n* s: nothing\n* s: nothing\n* s: nothing\n* s: nothing\n* s: nothing\n* s: nothing\n"
	 "* s: nothing\n% waiting until call 2: plan\n"},
};

static const struct story_row answers[] = {
	{"what a person answers a session comes with its next prompt, once",
	 YAML "; send session:s 'Deploy?' ask; prompt s; reply session:s yes; prompt s; prompt s; inbox",
	 "* s: nothing\n* s: [belfry thread t, message 2] tim: yes\n* s: nothing\n"
	 "@ session 'a session' of session, 1 unread: yes\n  1 session, unread, answered: Deploy?\n  2 tim, delivered: yes\n"},
	{"… or in the middle of a turn, or with its end",
	 YAML "; send session:s 'Deploy?' ask; prompt s; reply session:s yes; hook s PostToolUse; reply session:s really; hook s Stop; hook s Stop active; prompt s",
	 "* s: nothing\n* s: [belfry thread t, message 2] tim: yes\n* s goes on: [belfry thread t, message 3] tim: really\n* s: nothing\n* s: nothing\n"},
	{"… not to another session",
	 YAML "; send session:s 'Deploy?' ask; reply session:s yes; prompt t; prompt s",
	 "* t: nothing\n* s: [belfry thread t, message 2] tim: yes\n"},
	{"… of two hooks to one, and that does not confirm it",
	 YAML "; send session:s 'Deploy?' ask; reply session:s yes; prompt s; prompt s again; inbox; hook s Stop; inbox",
	 "* s: [belfry thread t, message 2] tim: yes\n* s: nothing\n"
	 "@ session 'a session' of session, 1 unread, 1 waiting: yes\n  1 session, unread, answered: Deploy?\n  2 tim, offered: yes\n"
	 "* s: nothing\n"
	 "@ session 'a session' of session, 1 unread: yes\n  1 session, unread, answered: Deploy?\n  2 tim, delivered: yes\n"},
	{"what was not printed is told again, by whoever comes then; a crash forgets nothing",
	 YAML "; send session:s 'Deploy?' ask; reply session:s yes; prompt s drop; prompt s; pull session:s; crash; @10:00:03; prompt s; prompt s",
	 "* s: [belfry thread t, message 2] tim: yes (dropped)\n* s: nothing\n* got\n* s: [belfry thread t, message 2] tim: yes\n* s: nothing\n"},
	{"… or is asked for",
	 YAML "; send session:s 'Deploy?' ask; reply session:s yes; prompt s drop; @10:00:03; pull session:s; prompt s; @10:01:00; prompt s",
	 "* s: [belfry thread t, message 2] tim: yes (dropped)\n* got: yes\n* s: nothing\n* s: nothing\n"},
	{"what was asked for is not told again, and its next event confirms it",
	 YAML "; send session:s 'Deploy?' ask; reply session:s yes; pull session:s; hook s PostToolUse; inbox",
	 "* got: yes\n* s: nothing\n@ session 'a session' of session, 1 unread: yes\n  1 session, unread, answered: Deploy?\n  2 tim, delivered: yes\n"},
	{"a session that starts is told that there are answers",
	 YAML "; send session:s 'Deploy?' ask; reply session:s yes; hook s SessionStart; prompt s",
	 "* s: Belfry has for this session (each comes by itself when it is due): / - 1 answer of people to what you wrote, which comes with the next prompt\n"
	 "* s: [belfry thread t, message 2] tim: yes\n"},
	{"a default that nobody prevented comes the same way",
	 YAML "; send session:s 'Deploy?' ask timeout=1h default=no; @11:00:00; prompt s; prompt s",
	 "* s: [belfry thread t, message 2] Belfry: Nobody answered \"Deploy?\" within 1h, so the answer is the default: / no\n* s: nothing\n"},
	{"a mission's answers go with its resume, not by hooks",
	 YAML "; mission new agent=ada; start; hush; send m1 'Deploy?' ask run=1; reply m1 yes; prompt s mission=1; hook s Stop mission=1; inbox",
	 "= m1 running 1/1\n  #1 attempt runs\n* s: nothing\n* s: nothing\n"
	 "@ mission 'by hand' of ada, 1 unread, 1 waiting, wanted: yes\n  1 ada, unread, answered: Deploy?\n  2 tim, waiting: yes\n"},
	{"… but one that asked for them has them when it is heard of again",
	 YAML "; mission new agent=ada; start; hush; send m1 'Deploy?' ask run=1; reply m1 yes; pull m1; hook s PostToolUse mission=1; end killed; inbox",
	 "= m1 ended 1/1: its wrapper was told to end (SIGTERM)\n  #1 attempt killed\n* got: yes\n* s: nothing\n"
	 "@ mission 'by hand' of ada, 1 unread: yes\n  1 ada, unread, answered: Deploy?\n  2 tim, delivered: yes\n"},
};

static const struct story_row patterns[] = {
	{"M2: what matches is told, each once, in any case",
	 PATTERNS "; prompt s prompt='FIX and fix it, then Deploy'; prompt s prompt='nothing'; prompt s dir=/a prompt='fix'",
	 "* s: Reminder: test first / Reminder: ask before\n* s: nothing\n* s: Reminder: test first / Reminder: for ada\n"},
	{"M2: while a boundary waits they are suppressed in that session alone",
	 PATTERNS "; boundary s calls=2; prompt s prompt=fix; prompt t prompt=fix; prompt s prompt=fix",
	 "* s: nothing\n* t: Reminder: test first\n* s: Reminder: test first\n"},
	{"M6: the boundary comes before what matches",
	 PATTERNS "; boundary s calls=1 message=plan; prompt s prompt=fix",
	 "* s: " TITLE " / Message: plan / Reminder: test first\n"},
	{"M2: … as long as any waits",
	 PATTERNS "; boundary s calls=1 message=plan; boundary s minutes=9; prompt s prompt=fix; @10:09:00; prompt s prompt=fix",
	 "* s: " TITLE " / Message: plan\n* s: Reminder: test first\n"},
};

static const struct story_row queue[] = {
	{"what is queued for the agent of the folder, by priority, and only once",
	 YAML "; live send ada text=low priority=idle; live send ada text=high priority=interrupt; prompt s dir=/a; prompt s dir=/a",
	 "> ada idle delivered x1: low\n> ada interrupt delivered x1: high\n"
	 "* s: [belfry m] high / [belfry m] low\n* s: nothing\n"},
	{"two sessions in one folder: neither gets what the other got",
	 YAML "; live send ada text=one; prompt s dir=/a; prompt t dir=/a; live send ada text=two; prompt t dir=/a/; prompt s dir=/a; prompt t dir=/a",
	 "> ada normal delivered x1: one\n> ada normal delivered x1: two\n"
	 "* s: [belfry m] one\n* t: nothing\n* t: [belfry m] two\n* s: nothing\n* t: nothing\n"},
	{"… nor while it has not been printed",
	 YAML "; live send ada text=one; prompt s dir=/a drop; @10:05:00; prompt t dir=/a; prompt s dir=/a",
	 "> ada normal offered x2: one\n* s: [belfry m] one (dropped)\n* t: nothing\n* s: [belfry m] one\n"},
	{"a folder of two agents is nobody's; a name is somebody's",
	 YAML "; live send bob text=one; prompt s dir=/bc; prompt s dir=/bc agent=bob",
	 "> bob normal offered x1: one\n* s: nothing\n* s: [belfry m] one\n"},
	{"a handful at once, the rest with the next prompts",
	 YAML "; times 7 live send ada text=x; prompt s dir=/a; prompt s dir=/a",
	 "> ada normal delivered x1: x\n> ada normal delivered x1: x\n> ada normal delivered x1: x\n> ada normal delivered x1: x\n"
	 "> ada normal delivered x1: x\n> ada normal offered x1: x\n> ada normal offered x1: x\n"
	 "* s: [belfry m] x / [belfry m] x / [belfry m] x / [belfry m] x / [belfry m] x\n* s: [belfry m] x / [belfry m] x\n"},
	{"its session ended without having printed it: it goes back",
	 YAML "; live send ada text=one; prompt s dir=/a drop; hook s SessionEnd; prompt t dir=/a",
	 "> ada normal offered x1: one\n* s: [belfry m] one (dropped)\n* s: nothing\n* t: [belfry m] one\n"},
	{"its session is silent for ten minutes: it goes back, also after a crash",
	 YAML "; live send ada text=one; prompt s dir=/a drop; crash; @10:09:59; prompt t dir=/a; @10:10:00; prompt t dir=/a; prompt s dir=/a",
	 "> ada normal offered x1: one\n* s: [belfry m] one (dropped)\n* t: nothing\n* t: [belfry m] one\n* s: nothing\n"},
	{"what was printed stays with its session",
	 YAML "; live send ada text=one; prompt s dir=/a; crash; @1+10:00:00; prompt t dir=/a; hook s Stop",
	 "> ada normal delivered x1: one\n* s: [belfry m] one\n* t: nothing\n* s: nothing\n"},
	{"a deliver command is its agent's way, not the hooks",
	 "yaml agents: {ada: {directory: /a, deliver: {command: [x]}}}; live send ada text=one; prompt s dir=/a; exit 0",
	 "> ada normal delivered x1: one\n* s: nothing\n"},
	{"PostToolUse: only what is urgent",
	 YAML "; prompt s dir=/a; live send ada text=low; hook s PostToolUse; live send ada text=high priority=interrupt; hook s PostToolUse; hook s PostToolUse",
	 "> ada normal queued: low\n> ada interrupt delivered x1: high\n* s: nothing\n* s: nothing\n* s: [belfry m] high\n* s: nothing\n"},
	{"Stop: goes on once for what is urgent, and not for ever",
	 YAML "; prompt s dir=/a; hook s Stop; live send ada text=a priority=interrupt; hook s Stop active; hook s Stop; hook s Stop active; hook s Stop",
	 "> ada interrupt delivered x1: a\n* s: nothing\n* s: nothing\n* s: nothing\n* s goes on: [belfry m] a\n* s: nothing\n* s: nothing\n"},
	{"from another agent, it says from whom",
	 YAML "; live send ada text=hi from=bob; prompt s dir=/a",
	 "> ada normal offered x1: hi\n* s: [belfry m from bob] hi\n"},
};

static const struct story_row begin[] = {
	{"SessionStart: nothing to tell, nothing told", YAML "; hook s SessionStart dir=/a source=startup", "* s: nothing\n"},
	{"T23 SessionStart: what is pending, queued and upcoming, and again after compaction",
	 YAML "; add agent=ada in=2h message=tea name=t; add agent=ada in=30h message=late name=l; add agent=bob in=1h message=other name=o; "
	 "live send ada text=x; boundary s calls=2 message=plan; boundary s minutes=5; hook s SessionStart dir=/a; hook s SessionStart dir=/a source=compact",
	 "t active, 0 fired, due 12:00:00\nl active, 0 fired, due 1+16:00:00\no active, 0 fired, due 11:00:00\n> ada normal queued: x\n"
	 "* s: Belfry has for this session (each comes by itself when it is due): / - a reminder you set for yourself, due in 2 prompts / "
	 "- you hold other reminders back; that ends at 10:05 AM / - 1 message for agent 'ada' is queued, and will come with the next prompts / "
	 "- reminder, due 12:00 PM: t: tea\n"
	 "* s: Belfry has for this session (each comes by itself when it is due): / - a reminder you set for yourself, due in 2 prompts / "
	 "- you hold other reminders back; that ends at 10:05 AM / - 1 message for agent 'ada' is queued, and will come with the next prompts / "
	 "- reminder, due 12:00 PM: t: tea\n"},
};

static const struct story_row hosted[] = {
	{"M4: hosted: minutes do not wait for a prompt",
	 YAML "; up ada; hush; boundary s minutes=5 message=plan mission=1; bounds s; @10:04:59; @10:05:00; typed; prompt s mission=1; bounds s",
	 "= m1 running\n  #1 interactive runs\n~ ada busy in %1: got q1\n> ada normal delivered x1: 🔔 REMINDER YOU SET FOR YOURSELF (b)\n\nMessage: plan\n"
	 "% waiting until 10:05:00 of ada: plan\n* type to ada: [belfry q1] 🔔 REMINDER YOU SET FOR YOURSELF (b)\n\nMessage: plan\n* s: nothing\n"},
	{"M3: hosted: calls are told by the hook",
	 YAML "; up ada; hush; boundary s calls=1 minutes=5 message=plan mission=1; prompt s mission=1; hook s Stop mission=1; @10:06:00; bounds s",
	 "= m1 running\n  #1 interactive runs\n~ ada idle in %1: screen\n* s: " TITLE " / Message: plan\n* s: nothing\n"},
	{"M4: a session that is gone is told when it comes back",
	 YAML "; up ada; hush; boundary s minutes=5 message=plan mission=1; session ada s; end success; @10:06:00; bounds s; @11:00:00; prompt s",
	 "= m1 ended: ran for 0s\n  #1 interactive success\n~ ada gone, not wanted: it ended by itself\n"
	 "* close ada in %1 of m1\n% waiting until 10:05:00: plan\n* s: " TITLE " / Message: plan\n"},
	{"M4: hosted: what was queued but not typed is not typed into a new conversation",
	 YAML "; up ada; seen ada blocked; hush; boundary s minutes=5 message=plan mission=1; session ada s; @10:05:00; end success; bounds s; live start ada fresh; opened ada %2; host ada; seen ada idle; hush; @10:30:00; prompt t mission=2; prompt s",
	 "= m1 ended: ran for 5m\n  #1 interactive success\n= m2 running\n  #1 interactive runs\n~ ada idle in %2: screen\n"
	 "> ada normal failed (the conversation that set it is gone; it is told when that comes back): 🔔 REMINDER YOU SET FOR YOURSELF (b)\n\nMessage: plan\n"
	 "* t: nothing\n* s: " TITLE " / Message: plan\n"},
	{"A27 a run's hook of a session that began in no run is not heard",
	 YAML "; up ada; hush; prompt s; boundary s calls=1 message=plan; prompt s mission=1; hook s SessionEnd mission=1; bounds s; prompt s",
	 "= m1 running\n  #1 interactive runs\n~ ada idle in %1: screen\n* s: nothing\n* s: nothing\n* s: nothing\n% waiting until call 2: plan\n* s: " TITLE " / Message: plan\n"},
	{"A27 … nor when its client tells that as the name of its conversation",
	 YAML "; up ada; hush; prompt s; boundary s calls=1 message=plan; session ada s; prompt s mission=1; end success; prompt s mission=1; bounds s; prompt s",
	 "= m1 ended: ran for 0s\n  #1 interactive success\n~ ada gone, not wanted: it ended by itself\n* s: nothing\n* s: nothing\n* close ada in %1 of m1\n* s: nothing\n% waiting until call 2: plan\n* s: " TITLE " / Message: plan\n"},
	{"A27 what a run set under a name that is not its conversation's is not told to whoever has that",
	 YAML "; up ada; hush; prompt s mission=1; boundary s calls=1 message=plan mission=1; session ada t; prompt s; bounds s",
	 "= m1 running\n  #1 interactive runs\n~ ada idle in %1: screen\n* s: nothing\n* s: nothing\n"},
	{"A27 a conversation changes hands and goes on counting, and back when its mission is resumed",
	 YAML "; up ada; hush; prompt s mission=1; boundary s calls=3 message=plan mission=1; session ada s; prompt s; bounds s; prompt s mission=1; prompt s",
	 "= m1 running\n  #1 interactive runs\n~ ada idle in %1: screen\n* s: nothing\n* s: nothing\n% waiting until call 4 of ada: plan\n* s: nothing\n* s: " TITLE " / Message: plan\n"},
	{"M4: hosted: … but into its own, when that goes on",
	 YAML "; up ada; seen ada blocked; hush; boundary s minutes=5 message=plan mission=1; @10:05:00; end success; up ada; hush; bounds s; typed; prompt s mission=1; bounds s",
	 "= m1 running\n  #1 interactive success\n  #2 interactive runs\n~ ada busy in %1: got q2\n"
	 "> ada normal failed (the conversation that set it is gone; it is told when that comes back): 🔔 REMINDER YOU SET FOR YOURSELF (b)\n\nMessage: plan\n"
	 "> ada normal delivered x1: 🔔 REMINDER YOU SET FOR YOURSELF (b)\n\nMessage: plan\n"
	 "% queued until 10:05:00 of ada: plan\n* s: nothing\n"},
	{"M4: hosted: cleared by its person: it waits for the conversation that set it",
	 YAML "; up ada; seen ada blocked; hush; boundary s minutes=5 message=plan mission=1; prompt s mission=1; @10:05:00; hook s SessionEnd mission=1; bounds s; prompt t mission=1; prompt s mission=1; bounds s",
	 "= m1 running\n  #1 interactive runs\n~ ada blocked in %1: screen\n"
	 "> ada normal failed (the conversation that set it is gone; it is told when that comes back): 🔔 REMINDER YOU SET FOR YOURSELF (b)\n\nMessage: plan\n"
	 "* s: nothing\n* s: nothing\n% waiting until 10:05:00: plan\n* t: nothing\n* s: " TITLE " / Message: plan\n% offered, printed until 10:05:00 of ada: plan\n"},
	{"hosted: what is queued is typed, and not told by the hook",
	 YAML "; up ada; seen ada blocked; hush; live send ada text=x; prompt s dir=/a mission=1; prompt t dir=/a",
	 "= m1 running\n  #1 interactive runs\n~ ada blocked in %1: screen\n> ada normal queued: x\n* s: nothing\n* t: nothing\n"},
	{"M4 M11: hosted: with nothing to say it passes by itself",
	 YAML "; up ada; hush; boundary s minutes=5 mission=1; @10:05:00; bounds s",
	 "= m1 running\n  #1 interactive runs\n~ ada idle in %1: screen\n"},
};
/* clang-format on */

int main(void)
{
	add_table(test_story, calls);
	add_table(test_story, offers);
	add_table(test_story, twice);
	add_table(test_story, answers);
	add_table(test_story, patterns);
	add_table(test_story, queue);
	add_table(test_story, begin);
	add_table(test_story, hosted);
	return run_rows("boundary");
}
