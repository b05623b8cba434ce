/*
 * test-inbox.c: stories of threads: what is written into them, who has read it, what was missed.
 * See story.h for the language.
 */
#include "story-rows.h"

/* clang-format off */
static const struct story_row fires[] = {
	{"A22: a fire for me is a message in its reminder's thread, and in the queue",
	 "add every=1h message='# Tea\n\nNow, **please**.'; @11:00:00; @12:00:00; inbox",
	 "r active, 2 fired, due 13:00:00\n"
	 "  11:00:00 fired: fired on time\n"
	 "  12:00:00 fired: fired on time\n"
	 "> me idle queued: # Tea\n"
	 "\n"
	 "Now, **please**.\n"
	 "> me idle queued: # Tea\n"
	 "\n"
	 "Now, **please**.\n"
	 "@ reminder 'r' of nobody, 2 unread: Tea Now, please.\n"
	 "  1 belfry, unread, in a queue: # Tea\n"
	 "\n"
	 "Now, **please**.\n"
	 "  2 belfry, unread, in a queue: # Tea\n"
	 "\n"
	 "Now, **please**.\n"},
	{"A22: a reminder without a name is called by how its message begins",
	 "add every=1h name= message='Water the plants in the hall'; @11:00:00; inbox",
	 "? active, 1 fired, due 12:00:00\n"
	 "  11:00:00 fired: fired on time\n"
	 "> me idle queued: Water the plants in the hall\n"
	 "@ reminder 'Water the plants in the hall' of nobody, 1 unread: Water the plants in the hall\n"
	 "  1 belfry, unread, in a queue: Water the plants in the hall\n"},
	{"A22: a fire for an agent is none",
	 "add every=1h agent=bot; @11:00:00; take agent=bot; inbox",
	 "r active, 1 fired, due 12:00:00\n"
	 "  11:00:00 fired: fired on time\n"
	 "> bot idle delivered x1: hello\n"},
	{"A22: taking it from the queue marks it read",
	 "add every=1h; @11:00:00; @12:00:00; take agent=me; inbox",
	 "r active, 2 fired, due 13:00:00\n"
	 "  11:00:00 fired: fired on time\n"
	 "  12:00:00 fired: fired on time\n"
	 "> me idle delivered x1: hello\n"
	 "> me idle queued: hello\n"
	 "@ reminder 'r' of nobody, 1 unread: hello\n"
	 "  1 belfry: hello\n"
	 "  2 belfry, unread, in a queue: hello\n"},
	{"A22: reading it takes it from the queue",
	 "add every=1h; @11:00:00; @12:00:00; read r 1; take agent=me; inbox; take agent=me",
	 "r active, 2 fired, due 13:00:00\n"
	 "  11:00:00 fired: fired on time\n"
	 "  12:00:00 fired: fired on time\n"
	 "> me idle delivered x1: hello\n"
	 "> me idle delivered x1: hello\n"
	 "* read 1\n"
	 "@ reminder 'r' of nobody: hello\n"
	 "  1 belfry: hello\n"
	 "  2 belfry: hello\n"
	 "! nothing is queued for 'me'\n"},
	{"A22: read twice, and unread again: the queue stays empty",
	 "add every=1h; @11:00:00; read r; read r; unread r; take agent=me; inbox",
	 "r active, 1 fired, due 12:00:00\n"
	 "  11:00:00 fired: fired on time\n"
	 "> me idle delivered x1: hello\n"
	 "* read 1\n"
	 "* read 0\n"
	 "* unread 1\n"
	 "! nothing is queued for 'me'\n"
	 "@ reminder 'r' of nobody, 1 unread: hello\n"
	 "  1 belfry, unread: hello\n"},
	{"A22: with a deliver command for me, reading leaves the queue alone",
	 "yaml agents: {me: {deliver: {command: [hand, over]}}}; add every=1h; @11:00:00; read r; "
	 "inbox; exit 0; inbox",
	 "r active, 1 fired, due 12:00:00\n"
	 "  11:00:00 fired: fired on time\n"
	 "> me idle delivered x1: hello\n"
	 "* read 1\n"
	 "@ reminder 'r' of nobody: hello\n"
	 "  1 belfry, in a queue: hello\n"
	 "@ reminder 'r' of nobody: hello\n"
	 "  1 belfry: hello\n"},
	{"A22: what a command handed over is still unread",
	 "yaml agents: {me: {deliver: {command: [hand, over]}}}; add every=1h; @11:00:00; exit 0; inbox",
	 "r active, 1 fired, due 12:00:00\n"
	 "  11:00:00 fired: fired on time\n"
	 "> me idle delivered x1: hello\n"
	 "@ reminder 'r' of nobody, 1 unread: hello\n"
	 "  1 belfry, unread: hello\n"},
	{"A22: a new message brings a thread back from the archive",
	 "add every=1h; @11:00:00; shelve r; inbox; unshelve r; shelve r; @12:00:00; inbox",
	 "r active, 2 fired, due 13:00:00\n"
	 "  11:00:00 fired: fired on time\n"
	 "  12:00:00 fired: fired on time\n"
	 "> me idle queued: hello\n"
	 "> me idle queued: hello\n"
	 "@ reminder 'r' of nobody, 1 unread, archived: hello\n"
	 "  1 belfry, unread, in a queue: hello\n"
	 "@ reminder 'r' of nobody, 2 unread: hello\n"
	 "  1 belfry, unread, in a queue: hello\n"
	 "  2 belfry, unread, in a queue: hello\n"},
	{"A22: a turn that is rolled back leaves no message",
	 "add every=1h; lost 11:00:00; inbox; @11:00:01; inbox",
	 "r active, 1 fired, due 12:00:00\n"
	 "  11:00:00 fired: fired 1s late\n"
	 "> me idle queued: hello\n"
	 "@ reminder 'r' of nobody, 1 unread: hello\n"
	 "  1 belfry, unread, in a queue: hello\n"},
};

static const struct story_row notices[] = {
	{"A22: a failure is told in its mission's thread",
	 "yaml; work every=10m; @10:10:00; start; end error m1 'no more tokens'; inbox",
	 "w active, 1 fired, due 10:20:00\n"
	 "  10:10:00 failed: no more tokens\n"
	 "= m1 ended 1/1: no more tokens\n"
	 "  #1 attempt error: no more tokens\n"
	 "> me normal queued: reminder 'w' failed: no more tokens\n"
	 "\n"
	 "It was mission m1 of agent 'cyd', attempt 1 of 1; see: belfry mission show m1\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "do it\n"
	 "* go m1/1\n"
	 "@ mission 'w' of cyd, 1 unread: it failed: reminder 'w' failed: no more tokens It was mission "
	 "m1 of agent 'cyd', attempt 1 of 1; see: belfry mission show m1 What it was to do: do it\n"
	 "  1 belfry, unread, in a queue: [it failed] reminder 'w' failed: no more tokens\n"
	 "\n"
	 "It was mission m1 of agent 'cyd', attempt 1 of 1; see: belfry mission show m1\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "do it\n"},
	{"A22: a pause is told in the reminder's",
	 "yaml; work every=10m pause=1 door=cron name=nightly; @10:10:00; start; end error m1 'oops'; "
	 "inbox",
	 "nightly paused, 1 fired: paused after a failure\n"
	 "  10:10:00 failed: oops\n"
	 "= m1 ended 1/1: oops\n"
	 "  #1 attempt error: oops\n"
	 "> me normal queued: cron 'nightly' failed: oops\n"
	 "\n"
	 "It was mission m1 of agent 'cyd', attempt 1 of 1; see: belfry mission show m1\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "do it\n"
	 "> me normal queued: cron 'nightly' is paused after a failure.\n"
	 "\n"
	 "When it is mended, let it go on with: belfry cron enable nightly\n"
	 "* go m1/1\n"
	 "@ reminder 'nightly' of nobody, 1 unread: it is paused: cron 'nightly' is paused after a "
	 "failure. When it is mended, let it go on with: belfry cron enable nightly\n"
	 "  1 belfry, unread, in a queue: [it is paused] cron 'nightly' is paused after a failure.\n"
	 "\n"
	 "When it is mended, let it go on with: belfry cron enable nightly\n"
	 "@ mission 'nightly' of cyd, 1 unread: it failed: cron 'nightly' failed: oops It was mission "
	 "m1 of agent 'cyd', attempt 1 of 1; see: belfry mission show m1 What it was to do: do it\n"
	 "  1 belfry, unread, in a queue: [it failed] cron 'nightly' failed: oops\n"
	 "\n"
	 "It was mission m1 of agent 'cyd', attempt 1 of 1; see: belfry mission show m1\n"
	 "\n"
	 "What it was to do:\n"
	 "\n"
	 "do it\n"},
	{"A22: a text that could not be handed over is told in the reminder's, never one for me",
	 "yaml agents: {me: {deliver: {command: [hand], attempts: 1}}, bot: {deliver: {command: [hand], "
	 "attempts: 1}}}; add agent=bot in=1h message='to the bot'; @11:00:00; exit 1; exit 1; inbox",
	 "r completed, 1 fired: its only time has come\n"
	 "  11:00:00 fired: fired on time\n"
	 "> bot idle failed x1 (exit status 1: its last words): to the bot\n"
	 "> me normal failed x1 (exit status 1: its last words): A message for 'bot' could not be "
	 "handed over, after 1 attempt: exit status 1: its last words\n"
	 "\n"
	 "What it says:\n"
	 "\n"
	 "to the bot\n"
	 "@ reminder 'r' of nobody, 1 unread: it was not delivered: A message for 'bot' could not be "
	 "handed over, after 1 attempt: exit status 1: its last words What it says: to the bot\n"
	 "  1 belfry, unread: [it was not delivered] A message for 'bot' could not be handed over, "
	 "after 1 attempt: exit status 1: its last words\n"
	 "\n"
	 "What it says:\n"
	 "\n"
	 "to the bot\n"},
};

static const struct story_row missed[] = {
	{"A22: what was missed is told in one message that grows while it is unread",
	 "yaml; add every=1h catchup=skip name=a; add every=1h catchup=skip name=b; @13:30:00; add "
	 "cron='0 14 * * *' catchup=skip tz=Europe/Berlin name=c; @14:05:00; @14:12:00; inbox",
	 "a active, 0 fired, due 15:00:00\n"
	 "  11:00:00-13:00:00 x3 missed: its time passed unseen (daemon down, suspend or clock change), "
	 "and catch-up is skip\n"
	 "  14:00:00 missed: its time passed unseen (daemon down, suspend or clock change), and "
	 "catch-up is skip\n"
	 "b active, 0 fired, due 15:00:00\n"
	 "  11:00:00-13:00:00 x3 missed: its time passed unseen (daemon down, suspend or clock change), "
	 "and catch-up is skip\n"
	 "  14:00:00 missed: its time passed unseen (daemon down, suspend or clock change), and "
	 "catch-up is skip\n"
	 "c active, 0 fired, due 1+13:00:00\n"
	 "@ belfry 'Missed' of nobody, 1 unread: Nothing could fire when these were due, and now it is "
	 "too late for them: a: 3 times, Mar 2, 2026 11:00 AM UTC to Mar 2, 2026 1:00 PM UTC b: 3 "
	 "times, Mar 2, 2026 11:00 AM UTC to Mar 2, 2026 1:00 PM UTC\n"
	 "  1 belfry, unread: Nothing could fire when these were due, and now it is too late for them:\n"
	 "\n"
	 "- a: 3 times, Mar 2, 2026 11:00 AM UTC to Mar 2, 2026 1:00 PM UTC\n"
	 "- b: 3 times, Mar 2, 2026 11:00 AM UTC to Mar 2, 2026 1:00 PM UTC\n"
	 "- a: Mar 2, 2026 2:00 PM UTC\n"
	 "- b: Mar 2, 2026 2:00 PM UTC\n"
	 "\n"},
	{"A22: one that was read, or is older than an hour, does not grow",
	 "add every=1h catchup=skip; @12:30:00; read missed; @14:30:00; @18:30:00; inbox",
	 "r active, 0 fired, due 19:00:00\n"
	 "  11:00:00-12:00:00 x2 missed: its time passed unseen (daemon down, suspend or clock change), "
	 "and catch-up is skip\n"
	 "  13:00:00-14:00:00 x2 missed: its time passed unseen (daemon down, suspend or clock change), "
	 "and catch-up is skip\n"
	 "  15:00:00-18:00:00 x4 missed: its time passed unseen (daemon down, suspend or clock change), "
	 "and catch-up is skip\n"
	 "* read 1\n"
	 "@ belfry 'Missed' of nobody, 2 unread: Nothing could fire when these were due, and now it is "
	 "too late for them: r: 4 times, Mar 2, 2026 3:00 PM UTC to Mar 2, 2026 6:00 PM UTC\n"
	 "  1 belfry: Nothing could fire when these were due, and now it is too late for them:\n"
	 "\n"
	 "- r: 2 times, Mar 2, 2026 11:00 AM UTC to Mar 2, 2026 12:00 PM UTC\n"
	 "\n"
	 "  2 belfry, unread: Nothing could fire when these were due, and now it is too late for them:\n"
	 "\n"
	 "- r: 2 times, Mar 2, 2026 1:00 PM UTC to Mar 2, 2026 2:00 PM UTC\n"
	 "\n"
	 "  3 belfry, unread: Nothing could fire when these were due, and now it is too late for them:\n"
	 "\n"
	 "- r: 4 times, Mar 2, 2026 3:00 PM UTC to Mar 2, 2026 6:00 PM UTC\n"
	 "\n"},
	{"A22: a start deadline that passed",
	 "add every=1h start_deadline=5m; @13:30:00; inbox",
	 "r active, 0 fired, due 14:00:00\n"
	 "  11:00:00-13:00:00 x3 missed: later than its start deadline of 5m\n"
	 "@ belfry 'Missed' of nobody, 1 unread: Nothing could fire when these were due, and now it is "
	 "too late for them: r: 3 times, Mar 2, 2026 11:00 AM UTC to Mar 2, 2026 1:00 PM UTC\n"
	 "  1 belfry, unread: Nothing could fire when these were due, and now it is too late for them:\n"
	 "\n"
	 "- r: 3 times, Mar 2, 2026 11:00 AM UTC to Mar 2, 2026 1:00 PM UTC\n"
	 "\n"},
	{"A22: what was caught up is not told",
	 "add every=1h catchup=once; add every=1h name=all catchup=all:2 agent=bot; @14:30:00; inbox",
	 "r active, 1 fired, due 15:00:00\n"
	 "  11:00:00-13:00:00 x3 missed: its time passed unseen (daemon down, suspend or clock change); "
	 "a later one fired in its place\n"
	 "  14:00:00 fired: fired 30m late\n"
	 "all active, 2 fired, due 15:00:00\n"
	 "  11:00:00-12:00:00 x2 missed: its time passed unseen (daemon down, suspend or clock change); "
	 "a later one fired in its place\n"
	 "  13:00:00 fired: fired 1h 30m late\n"
	 "  14:00:00 fired: fired 30m late\n"
	 "> me idle queued: hello\n"
	 "\n"
	 "(3 earlier ones were missed; this one is 30m late)\n"
	 "> bot idle queued: hello\n"
	 "\n"
	 "(2 earlier ones were missed; this one is 1h 30m late)\n"
	 "> bot idle queued: hello\n"
	 "\n"
	 "(this one is 30m late)\n"
	 "@ reminder 'r' of nobody, 1 unread: hello (3 earlier ones were missed; this one is 30m late)\n"
	 "  1 belfry, unread, in a queue: hello\n"
	 "\n"
	 "(3 earlier ones were missed; this one is 30m late)\n"},
	{"A22: a mission that waited in line for too long",
	 "yaml crons: {maxConcurrent: 1}; work every=10m name=a; work cron='10 10 * * *' name=b "
	 "wait=5m; @10:10:00; start; @10:20:00; inbox",
	 "a active, 1 fired, due 10:30:00\n"
	 "  10:10:00 running: runs as mission m1\n"
	 "  10:20:00 skipped: the one before it was still going (mission m1)\n"
	 "b active, 1 fired, due 1+10:10:00\n"
	 "  10:10:00 missed: waited 10m in line, and its deadline passed\n"
	 "= m1 running 1/1\n"
	 "  #1 attempt runs\n"
	 "= m2 ended: waited 10m in line, and its deadline passed\n"
	 "* go m1/1\n"
	 "@ belfry 'Missed' of nobody, 1 unread: Nothing could fire when these were due, and now it is "
	 "too late for them: b: Mar 2, 2026 10:10 AM UTC\n"
	 "  1 belfry, unread: Nothing could fire when these were due, and now it is too late for them:\n"
	 "\n"
	 "- b: Mar 2, 2026 10:10 AM UTC\n"
	 "\n"},
	{"A22: a turn that is rolled back tells it once",
	 "add every=1h catchup=skip; lost 13:30:00; @13:30:01; inbox",
	 "r active, 0 fired, due 14:00:00\n"
	 "  11:00:00-13:00:00 x3 missed: its time passed unseen (daemon down, suspend or clock change), "
	 "and catch-up is skip\n"
	 "@ belfry 'Missed' of nobody, 1 unread: Nothing could fire when these were due, and now it is "
	 "too late for them: r: 3 times, Mar 2, 2026 11:00 AM UTC to Mar 2, 2026 1:00 PM UTC\n"
	 "  1 belfry, unread: Nothing could fire when these were due, and now it is too late for them:\n"
	 "\n"
	 "- r: 3 times, Mar 2, 2026 11:00 AM UTC to Mar 2, 2026 1:00 PM UTC\n"
	 "\n"},
	{"A22: a person who edits a schedule knows what passed",
	 "add every=1h catchup=skip; @10:59:00; lost 11:30:00; edit every=2h; inbox",
	 "r active, 0 fired, due 13:30:00\n"
	 "  11:00:00 missed: its schedule was edited before it could fire\n"},
};

static const struct story_row writing[] = {
	{"A19: messages are numbered, with title and preview",
	 "yaml; mission new agent=ada prompt='Look after\nthe build'; send m1 'one'; send m1 '> - "
	 "**two** `x`\n\n---\n\nthree' title='Weekly report'; inbox",
	 "= m1 starting 1/1\n"
	 "  #1 attempt begins\n"
	 "$ start m1/1\n"
	 "@ mission 'Look after the build' of ada, 2 unread: Weekly report: two x three\n"
	 "  1 ada, unread: one\n"
	 "  2 ada, unread: [Weekly report] > - **two** `x`\n"
	 "\n"
	 "---\n"
	 "\n"
	 "three\n"},
	{"A19: an agent outside of any mission has a thread of its own, and its queue the answer",
	 "yaml; send agent:ada 'hello'; reply agent:ada 'hi there' priority=interrupt; inbox; take "
	 "agent=ada; inbox",
	 "> ada interrupt delivered x1: hi there\n"
	 "@ agent 'ada' of ada, 1 unread, 1 waiting: hi there\n"
	 "  1 ada, unread: hello\n"
	 "  2 tim, waiting, in a queue: hi there\n"
	 "@ agent 'ada' of ada, 1 unread: hi there\n"
	 "  1 ada, unread: hello\n"
	 "  2 tim, delivered: hi there\n"},
	{"A24: an answer that a command hands over",
	 "config deliver; send agent:bot 'may I?' ask; reply agent:bot 'yes'; exit 0; inbox",
	 "> bot normal delivered x1: yes\n"
	 "@ agent 'bot' of bot, 1 unread: yes\n"
	 "  1 bot, unread, answered: may I?\n"
	 "  2 tim, delivered: yes\n"},
	{"A24: an answer that no command could hand over",
	 "config deliver; send agent:bot 'may I?' ask; reply agent:bot 'yes'; exit 1; @11:00:00; exit "
	 "1; @12:00:00; exit 1; inbox",
	 "> bot normal failed x3 (exit status 1: its last words): yes\n"
	 "@ agent 'bot' of bot, 2 unread, 1 asked, 1 waiting: The answer (message 2) could not be handed "
	 "to 'bot': exit status 1: its last words The question is open again.\n"
	 "  1 bot, unread, open: may I?\n"
	 "  2 tim, waiting: yes\n"
	 "  3 belfry, unread: The answer (message 2) could not be handed to 'bot': exit status 1: its "
	 "last words\n"
	 "\n"
	 "The question is open again.\n"},
	{"A24: nobody answers in a reminder's thread",
	 "add every=1h; @11:00:00; reply r 'thanks'",
	 "r active, 1 fired, due 12:00:00\n"
	 "  11:00:00 fired: fired on time\n"
	 "> me idle queued: hello\n"
	 "! nobody would hear an answer in thread 'thr-?' (r) (only agents answer: belfry inbox list)\n"},
	{"A22: read up to a message",
	 "yaml; mission new agent=ada; send m1 'one'; send m1 'two'; send m1 'three'; read m1 2; inbox; "
	 "unread m1; inbox",
	 "= m1 starting 1/1\n"
	 "  #1 attempt begins\n"
	 "$ start m1/1\n"
	 "* read 2\n"
	 "@ mission 'by hand' of ada, 1 unread: three\n"
	 "  1 ada: one\n"
	 "  2 ada: two\n"
	 "  3 ada, unread: three\n"
	 "* unread 2\n"
	 "@ mission 'by hand' of ada, 3 unread: three\n"
	 "  1 ada, unread: one\n"
	 "  2 ada, unread: two\n"
	 "  3 ada, unread: three\n"},
};

static const struct story_row retention[] = {
	{"A22: old threads that are read are gone, others stay",
	 "yaml retention: 1d; add in=1h name=a; add in=1h name=b; @11:00:00; read a; @4+12:00:00; "
	 "@5+12:00:00; inbox",
	 "> me idle queued: hello\n"
	 "* read 1\n"
	 "@ reminder 'b' of nobody, 1 unread: hello\n"
	 "  1 belfry, unread, in a queue: hello\n"},
	{"A22: … and the files of an agent's with it",
	 "yaml retention: 1d; add in=1h name=a; @11:00:00; read a; send agent:cyd one; "
	 "send agent:ada two; read agent:cyd; @4+12:00:00; @5+12:00:00; inbox",
	 "$ remove a thread\n"
	 "* read 1\n"
	 "* read 1\n"
	 "@ agent 'ada' of ada, 1 unread: two\n"
	 "  1 ada, unread: two\n"},
	{"A22: of a thread that lives, what was read is gone when it is old, and numbers stay",
	 "yaml retention: 2d; add every=1d name=a; @3+10:00:00; read a; @4+10:00:00; @5+10:00:00; "
	 "read a; @6+10:00:00; @7+10:00:00; @8+10:00:00; inbox",
	 "a active, 6 fired, due 9+10:00:00\n"
	 "  6+10:00:00 fired: fired on time\n"
	 "  7+10:00:00 fired: fired on time\n"
	 "  8+10:00:00 fired: fired on time\n"
	 "> me idle queued: hello\n"
	 "> me idle queued: hello\n"
	 "> me idle queued: hello\n"
	 "* read 1\n"
	 "* read 2\n"
	 "@ reminder 'a' of nobody, 3 unread: hello\n"
	 "  4 belfry, unread, in a queue: hello\n"
	 "  5 belfry, unread, in a queue: hello\n"
	 "  6 belfry, unread, in a queue: hello\n"},
};
/* clang-format on */

/* Too much to compare as a whole. */
/* clang-format off */
static const struct part_row {
	const char *name, *script, *want, *never;
} parts[] = {
	{"A22: many that were missed are a hundred lines and a number",
	 "yaml; times 70 work every=1h catchup=skip; @11:30:00; @12:01:30; inbox",
	 "- w: Mar 2, 2026 12:00 PM UTC\n- and 40 more\n", "and 70"},
	{"A22: … in one turn",
	 "yaml; times 150 work every=1h catchup=skip; @11:30:00; @12:01:30; inbox",
	 "- w: Mar 2, 2026 11:00 AM UTC\n- and 200 more\n", "12:00 PM"},
	{"A22: a preview ends at a character",
	 "yaml; mission new agent=ada; send m1 "
	 "'ééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé"
	 "éééééééééé'; inbox",
	 "ééééé…\n  1 ada", "\xc3…"},
	{"A19: a thread is called by how its prompt begins, in bounds",
	 "yaml; mission new agent=ada prompt='Look at all of the repositories, one after another, and "
	 "then write down what you found'; send m1 x; inbox",
	 "@ mission 'Look at all of the repositories, one after another, and then write down what…'",
	 "found'"},
};
/* clang-format on */

static void test_part(void **state)
{
	const struct part_row *row = *state;
	char *got = story_tell(row->script), *inbox = strstr(got, "\n@ ");

	if (!inbox || !strstr(inbox, row->want))
		fail_msg("'%s' is not in: %s", row->want, inbox ? inbox : got);
	assert_null(strstr(inbox, row->never));
	free(got);
}

int main(void)
{
	add_table(test_story, fires);
	add_table(test_story, notices);
	add_table(test_story, missed);
	add_table(test_story, writing);
	add_table(test_story, retention);
	add_table(test_part, parts);
	return run_rows("inbox");
}
