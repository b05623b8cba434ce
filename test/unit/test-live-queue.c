/*
 * test-live-queue.c: stories of what sessions are told, and when; and the words that are typed. See
 * story.h for the language.
 */
#include "story-rows.h"

#include "base/mem.h"
#include "engine/internal.h"
#include "engine/live.h"

/* clang-format off */
static const struct story_row rule[] = {
	{"H5 H15: idle: interrupt, normal, idle-first newest first, idle",
	 "yaml; up ada; live send ada text=first; hush; live send ada text=i1 priority=idle; live "
	 "send ada text=f1 priority=idle-first; live send ada text=f2 priority=idle-first; live send "
	 "ada text=n1 priority=normal; live send ada text=x1 priority=interrupt; typed; seen ada "
	 "idle; typed; seen ada idle; typed; seen ada idle; typed; seen ada idle; typed; seen ada "
	 "idle; typed",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada busy in %1: got q2\n"
	 "> ada normal delivered x1: first\n"
	 "> ada idle delivered x1: i1\n"
	 "> ada idle-first delivered x1: f1\n"
	 "> ada idle-first delivered x1: f2\n"
	 "> ada normal delivered x1: n1\n"
	 "> ada interrupt delivered x1: x1\n"
	 "* yield ada in %1 of m1\n"
	 "* type to ada, interrupting: [belfry q6] x1\n"
	 "* type to ada: [belfry q5] n1\n"
	 "* type to ada: [belfry q4] f2\n"
	 "* type to ada: [belfry q3] f1\n"
	 "* type to ada: [belfry q2] i1\n"},
	{"H5 H15: busy: interrupt and normal; the others wait until it is idle",
	 "yaml; up ada; seen ada busy; hush; live send ada text=i1 priority=idle; live send ada "
	 "text=f1 priority=idle-first; live send ada text=n1; typed; live send ada text=x1 "
	 "priority=interrupt; typed; seen ada busy; @10:00:05; seen ada idle",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada idle in %1: screen\n"
	 "> ada idle queued: i1\n"
	 "> ada idle-first offered x1: f1\n"
	 "> ada normal delivered x1: n1\n"
	 "> ada interrupt delivered x1: x1\n"
	 "* type to ada: [belfry q3] n1\n"
	 "* type to ada, interrupting: [belfry q4] x1\n"
	 "* type to ada: [belfry q2] f1\n"},
	{"H5 H15: blocked: nothing but an interrupt",
	 "yaml; up ada; seen ada blocked 'asks for a permission'; hush; live send ada text=i1 "
	 "priority=idle; live send ada text=n1; @3+10:00:00; live send ada text=x1 "
	 "priority=interrupt; typed; live send ada text=n2",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada blocked in %1: got q3\n"
	 "> ada idle queued: i1\n"
	 "> ada normal queued: n1\n"
	 "> ada interrupt delivered x1: x1\n"
	 "> ada normal queued: n2\n"
	 "* type to ada, interrupting: [belfry q3] x1\n"},
	{"H5 H15: … until it is known to be at work again, whatever it was told",
	 "yaml; up ada; seen ada blocked 'asks for a permission'; live send ada text=x1 "
	 "priority=interrupt; live send ada text=n1; typed; hush; seen ada busy",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada busy in %1: screen\n"
	 "> ada interrupt delivered x1: x1\n"
	 "> ada normal offered x1: n1\n"
	 "* type to ada: [belfry q2] n1\n"},
	{"L6 a more urgent one takes the place of what only waits, and that is no attempt",
	 "yaml; up ada; hush; live send ada text=i1 priority=idle; live send ada text=i2 priority=idle; live "
	 "send ada text=x1 priority=interrupt; typed 'not typed: a more urgent one goes first'; typed; @10:00:09; "
	 "seen ada idle 'hook Stop'; typed",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada busy in %1: got q1\n"
	 "> ada idle delivered x1: i1\n"
	 "> ada idle queued: i2\n"
	 "> ada interrupt delivered x1: x1\n"
	 "* type to ada: [belfry q1] i1\n"
	 "* yield ada in %1 of m1\n"
	 "* type to ada, interrupting: [belfry q3] x1\n"
	 "* type to ada: [belfry q1] i1\n"},
	{"A15 what is typed and not shown waits long, and the person is told once",
	 "yaml; up ada; hush; live send ada text=n1; typed 'not sent: its screen does not show what is typed'; "
	 "@10:04:00; inbox",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada idle in %1: screen\n"
	 "> ada normal queued (not sent: its screen does not show what is typed): n1\n"
	 "> me normal queued: Enter was not pressed: it may be asking something. What is for it waits. Look at it: belfry "
	 "agent attach ada\n"
	 "* type to ada: [belfry q1] n1\n"
	 "@ belfry 'Belfry' of nobody, 1 unread: 'ada' does not show what is typed into it: Enter was not pressed: it may "
	 "be asking something. What is for it waits. Look at it: belfry agent attach ada\n"
	 "  1 belfry, unread, in a queue: ['ada' does not show what is typed into it] Enter was not pressed: it may be "
	 "asking something. What is for it waits. Look at it: belfry agent attach ada\n"},
	{"L1 what a question keeps from being typed waits, and is no attempt",
	 "yaml; up ada; hush; live send ada text=n1; typed 'not typed: it asks something'; seen ada blocked "
	 "'screen: it asks something'; @10:05:00; seen ada idle; typed 'not sent: it asks something'; @10:06:00",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada idle in %1: screen\n"
	 "> ada normal offered x1 (not sent: it asks something): n1\n"
	 "* type to ada: [belfry q1] n1\n"
	 "* type to ada: [belfry q1] n1\n"
	 "* type to ada, again: [belfry q1] n1\n"},
	{"L1 the person is told once that it waits for an answer, and again when it is another one",
	 "yaml; up ada; seen ada blocked 'screen: it asks something'; hush; asks ada 'Allow once?'; asks ada "
	 "'Allow once?'; @10:05:00; seen ada idle; asks ada late; seen ada blocked 'screen: it asks something'; asks "
	 "ada 'Trust this?'; inbox",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada blocked in %1: screen: it asks something\n"
	 "@ mission 'live session of ada' of ada, 2 unread: 'ada' waits for an answer on its screen. What is for it "
	 "waits until it has one: belfry agent attach ada Trust this?\n"
	 "  1 belfry, unread: 'ada' waits for an answer on its screen. What is for it waits until it has one: belfry "
	 "agent attach ada\n\n```\nAllow once?\n```\n"
	 "  2 belfry, unread: 'ada' waits for an answer on its screen. What is for it waits until it has one: belfry "
	 "agent attach ada\n\n```\nTrust this?\n```\n"},
	{"L5 a message that an interrupt took back is queued again",
	 "yaml; up ada; hush; live send ada text=first; typed; live send ada text=urgent priority=interrupt; "
	 "returned ada q1; typed; returned bob q2; returned ada q9",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada busy in %1: got q2\n"
	 "> ada normal offered x1 (an interrupt took it back before it was read): first\n"
	 "> ada interrupt delivered x1: urgent\n"
	 "* type to ada: [belfry q1] first\n"
	 "* type to ada, interrupting: [belfry q2] urgent\n"
	 "* type to ada: [belfry q1] first\n"},
	{"L2 F1 what was typed while it works is delivered when it has taken it up, and the next one need not wait",
	 "yaml; up ada; seen ada busy; hush; live send ada text=n1; live send ada text=n2; typed line; typed "
	 "line; taken bob q2; taken ada q1",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada busy in %1: got q2\n"
	 "> ada normal delivered x1: n1\n"
	 "> ada normal offered x1: n2\n"
	 "* type to ada: [belfry q1] n1\n"
	 "* type to ada: [belfry q2] n2\n"},
	{"L2 F1 … and goes back when its session ends before; what says later that it had it counts",
	 "yaml; up ada; seen ada busy; live send ada text=n1; live send ada text=n2; typed line; typed "
	 "line; end killed; taken ada q2; live start ada; opened ada %2; host ada; hush; @10:00:09; seen ada idle; typed",
	 "= m1 running\n"
	 "  #1 interactive killed\n"
	 "  #2 interactive runs\n"
	 "~ ada busy in %2: got q1\n"
	 "> ada normal delivered x1 (its session ended before it was seen to take this up; it may know it already): "
	 "n1\n"
	 "> ada normal delivered x1: n2\n"
	 "* type to ada, again: [belfry q1] n1\n"},
	{"L2 F1 … after a restart of the daemon, too: it is still in that line",
	 "yaml; up ada; seen ada busy; live send ada text=n1; typed line; crash; hush; opened ada %1; seen ada "
	 "busy; taken ada q1",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada busy in %1: screen\n"
	 "> ada normal delivered x1: n1\n"},
	{"L2 F1 … and an interrupt that puts it into the input line takes it back",
	 "yaml; up ada; seen ada busy; live send ada text=n1; typed line; hush; live send ada text=x1 "
	 "priority=interrupt; returned ada q1; typed",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada busy in %1: got q2\n"
	 "> ada normal offered x1 (an interrupt took it back before it was read): n1\n"
	 "> ada interrupt delivered x1: x1\n"
	 "* type to ada, interrupting: [belfry q2] x1\n"
	 "* type to ada: [belfry q1] n1\n"},
	{"R3 an interrupt that another one took back goes in without interrupting",
	 "yaml; up ada; seen ada busy; hush; live send ada text=x1 priority=interrupt; typed line; live send ada text=x2 "
	 "priority=interrupt; returned ada q1; typed line; typed line; taken ada q2; taken ada q1",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada busy in %1: got q1\n"
	 "> ada interrupt delivered x1: x1\n"
	 "> ada interrupt delivered x1: x2\n"
	 "* type to ada, interrupting: [belfry q1] x1\n"
	 "* type to ada, interrupting: [belfry q2] x2\n"
	 "* type to ada: [belfry q1] x1\n"},
	{"R2 what its client did not take up is typed again, as if for the first time; after three times the person is told",
	 "yaml; up ada; hush; live send ada text=n1; typed line; untaken bob q1; untaken ada q1; @10:01:00; typed line; untaken ada q1; "
	 "@10:05:00; typed line; untaken ada q1; untaken ada q1",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada busy in %1: got q1\n"
	 "> ada normal failed x3 (a hook blocked it): n1\n"
	 "> me normal queued: A message for 'ada' could not be handed over, after 3 attempts: a hook blocked it\n\nWhat it says:\n\nn1\n"
	 "* type to ada: [belfry q1] n1\n"
	 "* type to ada: [belfry q1] n1\n"
	 "* type to ada: [belfry q1] n1\n"},
	{"H5 H15: starting: nothing; gone: nothing",
	 "yaml; live send ada text=x1 priority=interrupt; live start ada; opened ada %1; host ada; "
	 "hush; live send ada text=n1; seen ada idle; end success",
	 "= m1 ended: ran for 0s\n"
	 "  #1 interactive success\n"
	 "~ ada gone, not wanted: it ended by itself\n"
	 "> ada interrupt queued (its session ended while it was being typed): x1\n"
	 "> ada normal queued: n1\n"
	 "* type to ada, interrupting: [belfry q1] x1\n"
	 "* close ada in %1 of m1\n"},
	{"H15: a reminder fires on time whatever its agent does, and is told when it may be",
	 "yaml; add agent=ada every=1h count=2 message=tea; up ada; seen ada busy; hush; @11:00:00; "
	 "@12:00:00; @12:30:00; seen ada idle 'hook Stop'",
	 "r completed, 2 fired: fired as many times as asked\n"
	 "  11:00:00 fired: fired on time\n"
	 "  12:00:00 fired: fired on time\n"
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada idle in %1: hook Stop\n"
	 "> ada idle offered x1: tea\n"
	 "> ada idle queued: tea\n"
	 "* type to ada: [belfry q1] tea\n"},
	{"one at a time, and what was told a moment ago is not idleness",
	 "yaml; up ada; hush; live send ada text=i1 priority=idle; live send ada text=i2 "
	 "priority=idle; @10:00:05; typed; seen ada idle 'screen' 60; @10:00:09; seen ada idle 'hook "
	 "Stop'",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada idle in %1: hook Stop\n"
	 "> ada idle delivered x1: i1\n"
	 "> ada idle offered x1: i2\n"
	 "* type to ada: [belfry q1] i1\n"
	 "* type to ada: [belfry q2] i2\n"},
	{"a quick one may have been idle again before anybody saw that it got it",
	 "yaml; up ada; hush; live send ada text=i1 priority=idle; live send ada text=i2 "
	 "priority=idle; @10:00:05; typed; seen ada idle 'hook Stop' 4",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada idle in %1: hook Stop\n"
	 "> ada idle delivered x1: i1\n"
	 "> ada idle offered x1: i2\n"
	 "* type to ada: [belfry q1] i1\n"
	 "* type to ada: [belfry q2] i2\n"},
	{"two agents are told at the same time",
	 "yaml agents: {ada: {adapter: claude}, eve: {adapter: claude}}; up ada; up eve; hush; live "
	 "send ada text=one; live send eve text=two",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "= m2 running\n"
	 "  #1 interactive runs\n"
	 "~ ada idle in %1: screen\n"
	 "~ eve idle in %1: screen\n"
	 "> ada normal offered x1: one\n"
	 "> eve normal offered x1: two\n"
	 "* type to ada: [belfry q1] one\n"
	 "* type to eve: [belfry q2] two\n"},
	{"one that is being stopped is told nothing",
	 "yaml; up ada; live stop ada; hush; live send ada text=one priority=interrupt; end killed",
	 "= m1 ended: stopped by hand\n"
	 "  #1 interactive killed: it was asked to end: stopped by hand\n"
	 "~ ada gone, not wanted: stopped by hand\n"
	 "> ada interrupt queued: one\n"
	 "* close ada in %1 of m1\n"},
};

static const struct story_row offers[] = {
	{"not seen to arrive: again after a pause, then it has failed and the person is told",
	 "yaml; up ada; add agent=ada in=1h priority=normal message=tea; @11:00:00; hush; typed 'not "
	 "confirmed'; @11:00:03; typed 'not confirmed'; @11:01:00; typed 'not confirmed'; inbox",
	 "r completed, 1 fired: its only time has come\n"
	 "  11:00:00 fired: fired on time\n"
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada idle in %1: screen\n"
	 "> ada normal failed x3 (not confirmed): tea\n"
	 "> me normal queued: A message for 'ada' could not be handed over, after 3 attempts: not "
	 "confirmed\n"
	 "\n"
	 "What it says:\n"
	 "\n"
	 "tea\n"
	 "* type to ada, again: [belfry q1] tea\n"
	 "* type to ada, again: [belfry q1] tea\n"
	 "@ reminder 'r' of nobody, 1 unread: it was not delivered: A message for 'ada' could not be "
	 "handed over, after 3 attempts: not confirmed What it says: tea\n"
	 "  1 belfry, unread, in a queue: [it was not delivered] A message for 'ada' could not be "
	 "handed over, after 3 attempts: not confirmed\n"
	 "\n"
	 "What it says:\n"
	 "\n"
	 "tea\n"},
	{"those behind it wait for it, but for an interrupt",
	 "yaml; up ada; live send ada text=one; hush; typed 'not confirmed'; live send ada text=two; "
	 "live send ada text=now priority=interrupt; typed; @10:00:03; typed; typed",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada busy in %1: got q2\n"
	 "> ada normal delivered x2 (not confirmed): one\n"
	 "> ada normal delivered x1: two\n"
	 "> ada interrupt delivered x1: now\n"
	 "* type to ada, interrupting: [belfry q3] now\n"
	 "* type to ada, again: [belfry q1] one\n"
	 "* type to ada: [belfry q2] two\n"},
	{"what a person or an agent sent is not lost silently",
	 "yaml; up ada; live send ada text=one from=bob; typed no; @10:00:03; typed no; @10:01:00; "
	 "hush; typed no; inbox",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada idle in %1: screen\n"
	 "> ada normal failed x3 (no): one\n"
	 "> me normal queued: A message from 'bob' for 'ada' could not be handed over, after 3 "
	 "attempts: no\n"
	 "\n"
	 "What it says:\n"
	 "\n"
	 "one\n"
	 "@ belfry 'Belfry' of nobody, 1 unread: it was not delivered: A message from 'bob' for 'ada' "
	 "could not be handed over, after 3 attempts: no What it says: one\n"
	 "  1 belfry, unread, in a queue: [it was not delivered] A message from 'bob' for 'ada' could "
	 "not be handed over, after 3 attempts: no\n"
	 "\n"
	 "What it says:\n"
	 "\n"
	 "one\n"},
	{"died while it was being typed: it waits for the next session, the first time uncounted",
	 "yaml; up ada; live send ada text=one; hush; end error m1 'exit status 1'; @10:01:00; up "
	 "ada; end error m1; @10:05:00; up ada; end error m1; @10:10:00; up ada; hush; end error m1",
	 "= m1 ended: it failed without a word\n"
	 "  #1 interactive error: exit status 1\n"
	 "  #2 interactive error\n"
	 "  #3 interactive error\n"
	 "  #4 interactive error\n"
	 "~ ada gone: exit status 1\n"
	 "> ada normal failed x3 (its session ended while it was being typed): one\n"
	 "> me normal queued: A message for 'ada' could not be handed over, after 3 attempts: its "
	 "session ended while it was being typed\n"
	 "\n"
	 "What it says:\n"
	 "\n"
	 "one\n"
	 "* close ada in %1 of m1\n"},
	{"it got it and ended, and that is heard of in the other order: it is not told again",
	 "yaml; up ada; live send ada text=one; hush; end success; typed; @10:01:00; up ada",
	 "= m1 running\n"
	 "  #1 interactive success\n"
	 "  #2 interactive runs\n"
	 "~ ada idle in %1: screen\n"
	 "> ada normal delivered x1: one\n"
	 "* close ada in %1 of m1\n"
	 "* open ada of m1\n"
	 "* m1/2 resume_interactive\n"
	 "  BELFRY_AGENT=ada\n"
	 "  BELFRY_MISSION_ID=m1\n"
	 "* adopt m1/2, process 900\n"},
	{"queue take takes what is not being typed",
	 "yaml; up ada; live send ada text=one; live send ada text=two; hush; take agent=ada; typed",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada busy in %1: got q1\n"
	 "> ada normal delivered x1: one\n"
	 "> ada normal delivered x1: two\n"},
};

static const struct story_row transports[] = {
	{"a session wins over a deliver command, which takes over when it is gone",
	 "yaml agents: {ada: {adapter: claude, deliver: {command: [hand]}}}; live send ada text=zero; "
	 "exit 0; up ada; hush; live send ada text=one; typed; live send ada text=two priority=idle; "
	 "end success",
	 "= m1 ended: ran for 0s\n"
	 "  #1 interactive success\n"
	 "~ ada gone, not wanted: it ended by itself\n"
	 "> ada normal delivered x1: zero\n"
	 "> ada normal delivered x1: one\n"
	 "> ada idle offered x1: two\n"
	 "$ hand\n"
	 "* type to ada: [belfry q2] one\n"
	 "* close ada in %1 of m1\n"},
	{"what its command has in hand stays there",
	 "yaml agents: {ada: {adapter: claude, deliver: {command: [hand]}}}; live send ada text=zero; "
	 "@10:00:05; up ada; live send ada text=one; hush; @10:00:10; end error m1; exit 0; exit 0",
	 "= m1 ended: it failed without a word\n"
	 "  #1 interactive error\n"
	 "~ ada gone: exit status 1\n"
	 "> ada normal delivered x1: zero\n"
	 "> ada normal delivered x1: one\n"
	 "* close ada in %1 of m1\n"},
	{"a start that is given up leaves the line to the command",
	 "yaml agents: {ada: {adapter: claude, deliver: {command: [hand]}}}; live start ada; live "
	 "send ada text=one; hush; @10:00:30",
	 "= m1 ended: not begun yet\n"
	 "~ ada gone: nothing came up in its window within 30s\n"
	 "> ada normal offered x1: one\n"
	 "$ hand\n"
	 "* close ada of m1\n"},
};

static const struct story_row sends[] = {
	{"the sender is named; nobody sends nothing, to nobody, or to the person",
	 "yaml; up ada; hush; live send ada text='ready?' from=bob; live send ada text=' \n\t '; live "
	 "send nobody text=x; live send me text=x; live send ada text=x from='a b'",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada idle in %1: screen\n"
	 "> ada normal offered x1: ready?\n"
	 "* type to ada: [belfry q1 from bob] ready?\n"
	 "! the message for 'ada' is empty (white space alone is no message: belfry agent send ada TEXT)\n"
	 "! no agent 'nobody' (declare it under 'agents:' in 'config.yml')\n"
	 "! 'me' is the person, not an agent (agents write to the person by: belfry message send; a person to themselves: belfry reminder add me)\n"
	 "! 'a b' is no name of an agent\n"},
	{"two that answer each other end somewhen",
	 "yaml; times 60 live send ada text=x from=bob; hush; @10:04:00; live send ada text=x "
	 "from=bob; live send cyd text=x from=bob; live send ada text=x from=cyd; live send ada "
	 "text=x; @10:10:00; live send ada text=y from=bob; damage DELETE FROM queue",
	 "! 'bob' has sent 60 messages to 'ada' within 10m (do two agents answer each other without "
	 "end? Wait 6m)\n"},
	{"L11 and the person is told of it, once",
	 "yaml; times 60 live send ada text=x from=bob; hush; live send ada text=x from=bob; live send ada "
	 "text=x from=bob; damage DELETE FROM queue WHERE agent <> 'me'",
	 "> me normal queued: 'bob' has sent 60 messages to 'ada' within 10m. Further ones are refused for 10m. Do two agents answer each other without end? See: belfry queue list --all\n"
	 "! 'bob' has sent 60 messages to 'ada' within 10m (do two agents answer each other without end? Wait 10m)\n"
	 "! 'bob' has sent 60 messages to 'ada' within 10m (do two agents answer each other without end? Wait 10m)\n"},
	{"and so does one that writes to all",
	 "yaml; times 59 live send ada text=x from=bob; times 59 live send cyd text=x from=bob; times "
	 "59 live send mute text=x from=bob; times 59 live send bob text=x from=bob; live send ada "
	 "text=x from=bob; live send cyd text=x from=bob; live send mute text=x from=bob; live send "
	 "bob text=x from=bob; hush; yaml agents: {ada: {adapter: claude}, eve: {adapter: claude}}; "
	 "live send eve text=x from=bob; damage DELETE FROM queue",
	 "! 'bob' has sent 240 messages within 10m (do two agents answer each other without end? Wait "
	 "10m)\n"},
};

static const struct story_row replies[] = {
	{"a reply in the thread of a session is typed",
	 "yaml; up ada; send m1 'Deploy now?' ask run=1; hush; reply m1 yes; inbox; typed; inbox; end "
	 "success",
	 "= m1 ended: ran for 0s\n"
	 "  #1 interactive success\n"
	 "~ ada gone, not wanted: it ended by itself\n"
	 "> ada normal delivered x1: yes\n"
	 "* type to ada: [belfry q1] yes\n"
	 "@ mission 'live session of ada' of ada, 1 unread, 1 waiting: yes\n"
	 "  1 ada, unread, answered: Deploy now?\n"
	 "  2 tim, waiting, in a queue: yes\n"
	 "@ mission 'live session of ada' of ada, 1 unread: yes\n"
	 "  1 ada, unread, answered: Deploy now?\n"
	 "  2 tim, delivered: yes\n"
	 "* close ada in %1 of m1\n"},
	{"by its priority; `run` changes nothing",
	 "yaml; up ada; send m1 hello; seen ada busy; hush; reply m1 later priority=idle run; inbox; "
	 "seen ada idle",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada idle in %1: screen\n"
	 "> ada idle offered x1: later\n"
	 "@ mission 'live session of ada' of ada, 1 unread, 1 waiting: later\n"
	 "  1 ada, unread: hello\n"
	 "  2 tim, waiting, in a queue: later\n"
	 "* type to ada: [belfry q1] later\n"},
	{"the session ends first: it waits for the next one, and is told once",
	 "yaml; up ada; send m1 hello; seen ada blocked; reply m1 yes; end error m1; hush; up ada; "
	 "typed; inbox",
	 "= m1 running\n"
	 "  #1 interactive error\n"
	 "  #2 interactive runs\n"
	 "~ ada busy in %1: got q1\n"
	 "> ada normal delivered x1: yes\n"
	 "* open ada of m1\n"
	 "* m1/2 resume_interactive\n"
	 "  BELFRY_AGENT=ada\n"
	 "  BELFRY_MISSION_ID=m1\n"
	 "* adopt m1/2, process 900\n"
	 "* type to ada: [belfry q1] yes\n"
	 "@ mission 'live session of ada' of ada, 2 unread: The session of 'ada' is gone: exit status "
	 "1 What is for it waits until it is there again: belfry agent start ada\n"
	 "  1 ada, unread: hello\n"
	 "  2 tim, delivered: yes\n"
	 "  3 belfry, unread: The session of 'ada' is gone: exit status 1\n"
	 "\n"
	 "What is for it waits until it is there again: belfry agent start ada\n"},
	{"what was written while nobody was there is typed when it is there again",
	 "yaml; up ada; send m1 hello; end success; reply m1 one; reply m1 two; hush; live start ada; "
	 "inbox; opened ada %1; host ada; seen ada idle; typed; typed; inbox",
	 "= m1 running\n"
	 "  #1 interactive success\n"
	 "  #2 interactive runs\n"
	 "~ ada busy in %1: got q2\n"
	 "> ada normal delivered x1: one\n"
	 "> ada normal delivered x1: two\n"
	 "* open ada of m1\n"
	 "@ mission 'live session of ada' of ada, 1 unread, 2 waiting: two\n"
	 "  1 ada, unread: hello\n"
	 "  2 tim, waiting, in a queue: one\n"
	 "  3 tim, waiting, in a queue: two\n"
	 "* m1/2 resume_interactive\n"
	 "  BELFRY_AGENT=ada\n"
	 "  BELFRY_MISSION_ID=m1\n"
	 "* adopt m1/2, process 900\n"
	 "* type to ada: [belfry q1] one\n"
	 "* type to ada: [belfry q2] two\n"
	 "@ mission 'live session of ada' of ada, 1 unread: two\n"
	 "  1 ada, unread: hello\n"
	 "  2 tim, delivered: one\n"
	 "  3 tim, delivered: two\n"},
	{"I26 an answer of two lines is typed, not called long",
	 "yaml; up ada; send m1 'ok?' ask; hush; reply m1 'one\ntwo' file=missions/x/messages/2.md size=7",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada idle in %1: screen\n"
	 "> ada normal offered x1: one\n"
	 "two\n"
	 "* type to ada: [belfry q1] one\n"
	 "two\n"},
	{"a resume without the session takes along what was not typed",
	 "yaml; up ada; send m1 hello; seen ada blocked; reply m1 one; end success; reply m1 two; "
	 "hush; mission resume m1 three; order; start; end success m1; inbox",
	 "= m1 ended: ran for 0s\n"
	 "  #1 interactive success\n"
	 "  #2 resume success\n"
	 "~ ada gone, not wanted: it ended by itself\n"
	 "> ada normal delivered (it went with a resume of its mission): one\n"
	 "* order m1/2 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "The person writes:\n"
	 "\n"
	 "one\n"
	 "\n"
	 "two\n"
	 "\n"
	 "three\n"
	 "* go m1/2\n"
	 "@ mission 'live session of ada' of ada, 2 unread: two\n"
	 "  1 ada, unread: hello\n"
	 "  2 tim, delivered, carried: one\n"
	 "  3 belfry, unread: The session of 'ada' is gone: it ended by itself\n"
	 "\n"
	 "What is for it waits until it is there again: belfry agent start ada\n"
	 "  4 tim, delivered, carried: two\n"},
	{"an answer that was asked for, while it starts: nothing else goes on with the mission",
	 "yaml; up ada; send m1 'ok?' ask; end success; live start ada; hush; reply m1 yes; opened "
	 "ada %1; host ada; seen ada idle; typed; inbox",
	 "= m1 running\n"
	 "  #1 interactive success\n"
	 "  #2 interactive runs\n"
	 "~ ada busy in %1: got q1\n"
	 "> ada normal delivered x1: yes\n"
	 "* m1/2 resume_interactive\n"
	 "  BELFRY_AGENT=ada\n"
	 "  BELFRY_MISSION_ID=m1\n"
	 "* adopt m1/2, process 900\n"
	 "* type to ada: [belfry q1] yes\n"
	 "@ mission 'live session of ada' of ada, 1 unread: yes\n"
	 "  1 ada, unread, answered: ok?\n"
	 "  2 tim, delivered: yes\n"},
	{"one that never arrives is told in its thread",
	 "yaml; up ada; send m1 hello; reply m1 yes; typed no; @10:00:03; typed no; @10:01:00; hush; "
	 "typed no; inbox",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada idle in %1: screen\n"
	 "> ada normal failed x3 (no): yes\n"
	 "@ mission 'live session of ada' of ada, 2 unread, 1 waiting: The answer (message 2) could "
	 "not be handed to 'ada': no\n"
	 "  1 ada, unread: hello\n"
	 "  2 tim, waiting: yes\n"
	 "  3 belfry, unread: The answer (message 2) could not be handed to 'ada': no\n"},
	{"an agent's own thread, outside of any mission, is as before",
	 "yaml; send agent:ada hello; up ada; hush; reply agent:ada yes; typed; inbox",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada busy in %1: got q1\n"
	 "> ada normal delivered x1: yes\n"
	 "* type to ada: [belfry q1] yes\n"
	 "@ agent 'ada' of ada, 1 unread: yes\n"
	 "  1 ada, unread: hello\n"
	 "  2 tim, delivered: yes\n"},
};
/* clang-format on */

/* --- words -------------------------------------------------------------------------------- */

#define MARK "[belfry m-k3f9x2ab] "
#define READ MARK "Read /inbox/m-k3f9x2ab.md"

/* clang-format off */
static const struct words_row {
	const char *name, *body, *sender;
	bool paste;
	const char *want, *want_body; /* want_body: of the file; NULL: there is none */
	bool whole;
} words[] = {
	{"plain",                         "tea",               NULL,  true,  MARK "tea", NULL},
	{"L3 a backslash at its end",     "C:\\new\\",            NULL,  true,  MARK "C:\\new\\ ", NULL},
	{"L3 a name to complete at its end", "look at @slow",  NULL,  true,  MARK "look at @slow ", NULL},
	{"L3 a name within it",           "@slow is slow",     NULL,  true,  MARK "@slow is slow", NULL},
	{"from another agent",            "tea?",              "bob", true,  "[belfry m-k3f9x2ab from bob] tea?", NULL},
	{"never a command of the client", "/clear",            NULL,  false, MARK "/clear", NULL},
	{"escape sequences",              "a\033[201~b\033c",  NULL,  true,  MARK "a?[201~b?c", NULL},
	{"carriage returns",              "a\rb\r\nc\r\n",     NULL,  true,  MARK "a?b\nc", NULL},
	{"C1 controls",                   "a\xc2\x9b" "31m",   NULL,  true,  MARK "a?31m", NULL},
	{"bytes that are no characters",  "a\xff",             NULL,  true,  MARK "a?", NULL},
	{"blank lines around it",         "\n\n tea \n\n",     NULL,  false, MARK "tea", NULL},
	{"only white space",              " \n\t ",            NULL,  false, "[belfry m-k3f9x2ab]", NULL},
	{"lines are pasted",              "one\n\ttwo",        NULL,  true,  MARK "one\n\ttwo", NULL},
	{"three lines are pasted",        "one\n\nthree",      NULL,  true,  MARK "one\n\nthree", NULL},
	{"four are a file",               "1\n2\n\n4",         NULL,  true,  READ, "1\n2\n\n4"},
	{"F12 unless it may not read them", "1\n2\n\n4",       NULL,  true,  MARK "1\n2\n\n4", NULL, true},
	{"or are a file",                 "one\n\ttwo\033\n",  NULL,  false, READ, "one\n\ttwo?"},
	{"a tab that is typed",           "one\ttwo",          NULL,  false, MARK "one two", NULL},
	{"the sender of a file",          "one\ntwo",          "bob", false, "[belfry m-k3f9x2ab from bob] Read /inbox/m-k3f9x2ab.md", "one\n  two"},
};
/* clang-format on */

static void test_words(void **state)
{
	const struct words_row *row = *state;
	AUTO(adapter_free) struct adapter *a = adapter_built_in("command");
	AUTO(free) char *text = NULL, *file = NULL, *body = NULL;
	struct message m = {.id = "m-k3f9x2ab",
			    .body = (char *)(uintptr_t)row->body,
			    .sender = (char *)(uintptr_t)row->sender};

	a->live.paste = row->paste;
	a->live.whole = row->whole;
	text = live_words(&m, a, "/inbox", &file, &body);
	assert_string_equal(text, row->want);
	assert_int_equal(file != NULL, row->want_body != NULL);
	assert_int_equal(body != NULL, row->want_body != NULL);
	if (row->want_body) {
		assert_string_equal(file, "m-k3f9x2ab.md");
		assert_string_equal(body, row->want_body);
	}
}

/* What is typed when so many bytes are sent. */
static char *tell_long(size_t len)
{
	AUTO(free) char *body = mem_zalloc(len + 1);
	AUTO(free) char *script = NULL;

	memset(body, 'x', len);
	script = mem_printf("yaml; up ada; hush; live send ada text=%s", body);
	return story_tell(script);
}

static void test_long(void **state)
{
	AUTO(free) char *typed = tell_long(LIVE_TYPED_MAX), *read = tell_long(LIVE_TYPED_MAX + 1);

	(void)state;
	assert_non_null(strstr(typed, "* type to ada: [belfry q1] xxx"));
	assert_non_null(
		strstr(read, "* type to ada: [belfry q1] Read missions/m1/inbox/q1.md < xxx"));
}

int main(void)
{
	add_table(test_story, rule);
	add_table(test_story, offers);
	add_table(test_story, transports);
	add_table(test_story, sends);
	add_table(test_story, replies);
	add_table(test_words, words);
	add_row("a long text is a file to read", test_long, NULL);
	return run_rows("live-queue");
}
