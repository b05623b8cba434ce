/*
 * test-replies.c: stories of answers on their way to the agent of a mission, and of questions that
 * wait for them. See story.h for the language.
 */
#include "base/mem.h"
#include "story-rows.h"

/* clang-format off */
static const struct story_row answers[] = {
	{"A25: asked, ended, answered: it goes on, and what it says in the end is in the thread",
	 "yaml; mission new agent=ada; start; send m1 'Deploy now?' ask run=1; end success; reply m1 "
	 "'yes'; order; inbox; start; answer 'Deployed.'; end success; inbox",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "  #2 resume success\n"
	 "* go m1/1\n"
	 "* order m1/2 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "yes\n"
	 "@ mission 'by hand' of ada, 1 unread, 1 waiting: yes\n"
	 "  1 ada, unread, answered: Deploy now?\n"
	 "  2 tim, offered, carried: yes\n"
	 "* go m1/2\n"
	 "@ mission 'by hand' of ada, 2 unread: Deployed.\n"
	 "  1 ada, unread, answered: Deploy now?\n"
	 "  2 tim, delivered, carried: yes\n"
	 "  3 ada, unread: Deployed.\n"},
	{"A25: answered while it still runs: it goes on after its end",
	 "yaml; mission new agent=ada; start; send m1 'Deploy now?' ask run=1; reply m1 'yes'; inbox; "
	 "end success; order; start; end success; inbox",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "  #2 resume success\n"
	 "* go m1/1\n"
	 "@ mission 'by hand' of ada, 1 unread, 1 waiting, wanted: yes\n"
	 "  1 ada, unread, answered: Deploy now?\n"
	 "  2 tim, waiting: yes\n"
	 "* order m1/2 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "yes\n"
	 "* go m1/2\n"
	 "@ mission 'by hand' of ada, 1 unread: yes\n"
	 "  1 ada, unread, answered: Deploy now?\n"
	 "  2 tim, delivered, carried: yes\n"},
	{"A25: the agent asks for it while it runs: it has it when that ended well, and does not go on",
	 "yaml; mission new agent=ada; start; send m1 'Deploy now?' ask run=1; reply m1 'yes'; pull m1; "
	 "inbox; pull m1; end success; inbox",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "* go m1/1\n"
	 "* got: yes\n"
	 "@ mission 'by hand' of ada, 1 unread, 1 waiting, wanted: yes\n"
	 "  1 ada, unread, answered: Deploy now?\n"
	 "  2 tim, offered: yes\n"
	 "* got\n"
	 "@ mission 'by hand' of ada, 1 unread: yes\n"
	 "  1 ada, unread, answered: Deploy now?\n"
	 "  2 tim, delivered: yes\n"},
	{"A25: the agent asked for it, and its run failed: it waits for the next resume",
	 "yaml; mission new agent=ada; start; send m1 'hm'; reply m1 'yes'; reply m1 'or no'; reply m1 'perhaps'; "
	 "pull m1; got m1; pull m1; end killed; inbox; hush; mission resume m1 'go on'; order; start; pull m1; end success; inbox",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt killed\n"
	 "  #2 resume success\n"
	 "* order m1/2 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "perhaps\n"
	 "\n"
	 "go on\n"
	 "* go m1/2\n"
	 "* got\n"
	 "@ mission 'by hand' of ada, 1 unread: perhaps\n"
	 "  1 ada, unread: hm\n"
	 "  2 tim, delivered: yes\n"
	 "  3 tim, delivered: or no\n"
	 "  4 tim, delivered, carried: perhaps\n"},
	{"A25: the agent of a live session asks before it is typed, and it is not typed then",
	 "yaml; up ada; seen ada blocked x; send m1 'hm'; reply m1 'yes'; pull m1; inbox; got m1; inbox",
	 "= m1 running\n"
	 "  #1 interactive runs\n"
	 "~ ada blocked in %1: x\n"
	 "> ada normal delivered (the agent asked for it): yes\n"
	 "* open ada of m1\n"
	 "* m1/1 interactive\n"
	 "  BELFRY_AGENT=ada\n"
	 "  BELFRY_MISSION_ID=m1\n"
	 "* adopt m1/1, process 900\n"
	 "* got: yes\n"
	 "@ mission 'live session of ada' of ada, 1 unread, 1 waiting: yes\n"
	 "  1 ada, unread: hm\n"
	 "  2 tim, offered: yes\n"
	 "@ mission 'live session of ada' of ada, 1 unread: yes\n"
	 "  1 ada, unread: hm\n"
	 "  2 tim, delivered: yes\n"},
	{"A25: what nobody asked for waits for the next resume",
	 "yaml; mission new agent=ada; start; end success; send m1 'done'; reply m1 'thanks'; inbox; "
	 "mission resume m1 'and now the tests'; order; start; end success; inbox",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "  #2 resume success\n"
	 "* go m1/1\n"
	 "@ mission 'by hand' of ada, 1 unread, 1 waiting: thanks\n"
	 "  1 ada, unread: done\n"
	 "  2 tim, waiting: thanks\n"
	 "* order m1/2 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "thanks\n"
	 "\n"
	 "and now the tests\n"
	 "* go m1/2\n"
	 "@ mission 'by hand' of ada, 1 unread: thanks\n"
	 "  1 ada, unread: done\n"
	 "  2 tim, delivered, carried: thanks\n"},
	{"A25: reply --run goes on at once, or after the end",
	 "yaml; mission new agent=ada; start; send m1 'done'; reply m1 'first' run; end success; start; "
	 "end success; reply m1 'second' run; order",
	 "= m1 starting 1/1\n"
	 "  #1 attempt success\n"
	 "  #2 resume success\n"
	 "  #3 resume begins\n"
	 "$ start m1/3\n"
	 "* go m1/1\n"
	 "* go m1/2\n"
	 "* order m1/3 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "second\n"},
	{"A25: several replies go with one resume, oldest first, then the prompt",
	 "yaml; mission new agent=ada; start; end success; send m1 'done'; reply m1 'one'; reply m1 "
	 "'two\n'; mission resume m1 three; order; start; answer 'ok'; end success; inbox",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "  #2 resume success\n"
	 "* go m1/1\n"
	 "* order m1/2 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "one\n"
	 "\n"
	 "two\n"
	 "\n"
	 "three\n"
	 "* go m1/2\n"
	 "@ mission 'by hand' of ada, 2 unread: ok\n"
	 "  1 ada, unread: done\n"
	 "  2 tim, delivered, carried: one\n"
	 "  3 tim, delivered, carried: two\n"
	 "\n"
	 "  4 ada, unread: ok\n"},
	{"A25: a resume needs a prompt only when no reply waits",
	 "yaml; mission new agent=ada; start; end success; send m1 'done'; mission resume m1 ' '; reply "
	 "m1 'on'; mission resume m1 ' '; order",
	 "= m1 starting 1/1\n"
	 "  #1 attempt success\n"
	 "  #2 resume begins\n"
	 "$ start m1/2\n"
	 "* go m1/1\n"
	 "! the prompt is empty, and no reply waits for 'm1' (say how it is to go on)\n"
	 "* order m1/2 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "on\n"},
	{"N1 on a terminal it is delivered when a hook said that the agent got a prompt, and not before",
	 "yaml; mission new agent=ada; start; end success; send m1 'done'; reply m1 'one'; mission attach m1 'look "
	 "here'; hush; hook s SessionStart mission=1; inbox; prompt s mission=1; inbox; end success",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "  #2 interactive success\n"
	 "* s: nothing\n"
	 "@ mission 'by hand' of ada, 1 unread, 1 waiting: one\n"
	 "  1 ada, unread: done\n"
	 "  2 tim, offered, carried: one\n"
	 "* s: nothing\n"
	 "@ mission 'by hand' of ada, 1 unread: one\n"
	 "  1 ada, unread: done\n"
	 "  2 tim, delivered, carried: one\n"},
	{"A25: on a terminal too",
	 "yaml; mission new agent=ada; start; end success; send m1 'done'; reply m1 'one'; mission "
	 "attach m1 'look here'; told; end success; inbox",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "  #2 interactive success\n"
	 "* go m1/1\n"
	 "* order m1/2 resume_interactive, with a session, in /srv/ada for 0s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "one\n"
	 "\n"
	 "look here\n"
	 "* adopt m1/2, process 900\n"
	 "@ mission 'by hand' of ada, 1 unread: one\n"
	 "  1 ada, unread: done\n"
	 "  2 tim, delivered, carried: one\n"},
	{"N1 on a terminal a reply that no hook saw arrive waits on",
	 "yaml; mission new agent=ada; start; end success; send m1 'done'; reply m1 'one'; mission "
	 "attach m1 'look here'; end success; inbox",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "  #2 interactive success\n"
	 "* go m1/1\n"
	 "* order m1/2 resume_interactive, with a session, in /srv/ada for 0s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "one\n"
	 "\n"
	 "look here\n"
	 "* adopt m1/2, process 900\n"
	 "@ mission 'by hand' of ada, 2 unread, 1 waiting: The answer cannot be seen to have reached the agent: no hook of its client told that it got a prompt. It waits on, for the next belfry mission resume m1.\n"
	 "  1 ada, unread: done\n"
	 "  2 tim, waiting: one\n"
	 "  3 belfry, unread: The answer cannot be seen to have reached the agent: no hook of its client told that it got a prompt.\n"
	 "\n"
	 "It waits on, for the next `belfry mission resume m1`.\n"},
	{"A25: an agent that wrote itself is not quoted",
	 "yaml; mission new agent=ada; start; send m1 'ok?' ask run=1; end success; reply m1 'yes'; "
	 "start; send m1 'here you are' run=2; answer 'I wrote it.'; end success; inbox",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "  #2 resume success\n"
	 "* go m1/1\n"
	 "* go m1/2\n"
	 "@ mission 'by hand' of ada, 2 unread: here you are\n"
	 "  1 ada, unread, answered: ok?\n"
	 "  2 tim, delivered, carried: yes\n"
	 "  3 ada, unread: here you are\n"},
	{"A25: a long last answer is named by its file",
	 "yaml; mission new agent=ada; start; send m1 'ok?' ask run=1; end success; reply m1 'yes'; "
	 "start; answer-long 16384; end success; damage UPDATE messages SET text = substr(text, 1, 5) "
	 "|| size; inbox",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "  #2 resume success\n"
	 "* go m1/1\n"
	 "* go m1/2\n"
	 "@ mission 'by hand' of ada, 2 unread: "
	 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	 "xxxxxxxxx…\n"
	 "  1 ada, unread, answered: ok?3\n"
	 "  2 tim, delivered, carried: yes3\n"
	 "  3 ada, unread: xxxxx16385 < missions/m1/runs/2/answer.md\n"},
	{"A25: a long reply is told by its file, and so are attachments",
	 "yaml; mission new agent=ada; start; end success; send m1 'done'; reply m1 'the beginning' "
	 "file=missions/x/messages/2.md; reply m1 'short' attach=missions/x/messages/3.files/a.png run; "
	 "order",
	 "= m1 starting 1/1\n"
	 "  #1 attempt success\n"
	 "  #2 resume begins\n"
	 "$ start m1/2\n"
	 "* go m1/1\n"
	 "* order m1/2 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "The person's answer has no room here (100000 bytes). Read all of it, it is in the file "
	 "missions/x/messages/2.md\n"
	 "\n"
	 "short\n"
	 "\n"
	 "Files that came with it:\n"
	 "- missions/x/messages/3.files/a.png\n"},
	{"A25: the other replies of the day are one mission's business",
	 "yaml; mission new agent=ada; mission new agent=ada; start 2; end success m1; end success m2; "
	 "send m1 'a'; send m2 'b'; reply m1 'for one'; reply m2 'for two' run; order; inbox",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "= m2 starting 1/1\n"
	 "  #1 attempt success\n"
	 "  #2 resume begins\n"
	 "$ start m2/2\n"
	 "* go m1/1\n"
	 "* go m2/1\n"
	 "* order m2/2 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m2\n"
	 "for two\n"
	 "@ mission 'by hand' of ada, 1 unread, 1 waiting: for two\n"
	 "  1 ada, unread: b\n"
	 "  2 tim, offered, carried: for two\n"
	 "@ mission 'by hand' of ada, 1 unread, 1 waiting: for one\n"
	 "  1 ada, unread: a\n"
	 "  2 tim, waiting: for one\n"},
};

static const struct story_row failures[] = {
	{"A25: a resume that fails leaves the answer waiting, tells why, and goes again",
	 "yaml; mission new agent=ada; start; send m1 'ok?' ask run=1; end success; reply m1 'yes'; "
	 "start; end error m1 'rate limit'; @10:00:59; inbox; @10:01:00; order; start; end success; "
	 "inbox",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "  #2 resume error: rate limit\n"
	 "  #3 resume success\n"
	 "* go m1/1\n"
	 "* go m1/2\n"
	 "@ mission 'by hand' of ada, 2 unread, 1 waiting, wanted: The answer did not reach the agent: "
	 "rate limit It goes again by itself, three times at most.\n"
	 "  1 ada, unread, answered: ok?\n"
	 "  2 tim, waiting: yes\n"
	 "  3 belfry, unread: The answer did not reach the agent: rate limit\n"
	 "\n"
	 "It goes again by itself, three times at most.\n"
	 "* order m1/3 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "yes\n"
	 "* go m1/3\n"
	 "@ mission 'by hand' of ada, 2 unread: The answer did not reach the agent: rate limit It goes "
	 "again by itself, three times at most.\n"
	 "  1 ada, unread, answered: ok?\n"
	 "  2 tim, delivered, carried: yes\n"
	 "  3 belfry, unread: The answer did not reach the agent: rate limit\n"
	 "\n"
	 "It goes again by itself, three times at most.\n"},
	{"A25: no wrapper, a timeout, a lost one",
	 "yaml; mission new agent=ada; start; send m1 'a'; end success; reply m1 'yes' run; nowrapper; "
	 "reply m1 'yes!' run; start; end timeout; reply m1 'now' run; start; gone; exit 0; inbox",
	 "= m1 ended 1/1: its wrapper was killed, or the machine went down\n"
	 "  #1 attempt success\n"
	 "  #2 resume error: no more processes\n"
	 "  #3 resume timeout\n"
	 "  #4 resume orphaned: its wrapper was killed, or the machine went down\n"
	 "* go m1/1\n"
	 "* go m1/3\n"
	 "* go m1/4\n"
	 "@ mission 'by hand' of ada, 4 unread, 3 waiting: The answers did not reach the agent: its "
	 "wrapper was killed, or the machine went down They wait on, for the next belfry mission resume "
	 "m1.\n"
	 "  1 ada, unread: a\n"
	 "  2 tim, waiting: yes\n"
	 "  3 belfry, unread: The answer did not reach the agent: no more processes\n"
	 "\n"
	 "It waits on, for the next `belfry mission resume m1`.\n"
	 "  4 tim, waiting: yes!\n"
	 "  5 belfry, unread: The answers did not reach the agent: no end within 1h, so it was ended\n"
	 "\n"
	 "They wait on, for the next `belfry mission resume m1`.\n"
	 "  6 tim, waiting: now\n"
	 "  7 belfry, unread: The answers did not reach the agent: its wrapper was killed, or the "
	 "machine went down\n"
	 "\n"
	 "They wait on, for the next `belfry mission resume m1`.\n"},
	{"A25: a reply while the resume runs goes with the next one",
	 "yaml; mission new agent=ada; start; send m1 'a'; end success; reply m1 'one' run; start; "
	 "reply m1 'two'; end success; inbox; reply m1 'three' run; order; start; end success; inbox",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "  #2 resume success\n"
	 "  #3 resume success\n"
	 "* go m1/1\n"
	 "* go m1/2\n"
	 "@ mission 'by hand' of ada, 1 unread, 1 waiting: two\n"
	 "  1 ada, unread: a\n"
	 "  2 tim, delivered, carried: one\n"
	 "  3 tim, waiting: two\n"
	 "* order m1/3 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "two\n"
	 "\n"
	 "three\n"
	 "* go m1/3\n"
	 "@ mission 'by hand' of ada, 1 unread: three\n"
	 "  1 ada, unread: a\n"
	 "  2 tim, delivered, carried: one\n"
	 "  3 tim, delivered, carried: two\n"
	 "  4 tim, delivered, carried: three\n"},
	{"A25: another --run while one that fails runs",
	 "yaml; mission new agent=ada; start; send m1 'a'; end success; reply m1 'one' run; start; "
	 "reply m1 'two' run; end error; order; start; end error; inbox",
	 "= m1 ended 1/1: it failed without a word\n"
	 "  #1 attempt success\n"
	 "  #2 resume error\n"
	 "  #3 resume error\n"
	 "* go m1/1\n"
	 "* go m1/2\n"
	 "* order m1/3 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "one\n"
	 "\n"
	 "two\n"
	 "* go m1/3\n"
	 "@ mission 'by hand' of ada, 3 unread, 2 waiting: The answers did not reach the agent: it "
	 "failed without a word They wait on, for the next belfry mission resume m1.\n"
	 "  1 ada, unread: a\n"
	 "  2 tim, waiting: one\n"
	 "  3 tim, waiting: two\n"
	 "  4 belfry, unread: The answer did not reach the agent: it failed without a word\n"
	 "\n"
	 "It goes again now, with what was written since.\n"
	 "  5 belfry, unread: The answers did not reach the agent: it failed without a word\n"
	 "\n"
	 "They wait on, for the next `belfry mission resume m1`.\n"},
	{"A25: stopped before it began, the replies wait on",
	 "yaml; mission new agent=ada; start; send m1 'a'; end success; reply m1 'one' run; mission "
	 "stop m1; start; inbox",
	 "= m1 ended 1/1: stopped by hand\n"
	 "  #1 attempt success\n"
	 "  #2 resume killed\n"
	 "* go m1/1\n"
	 "* no-go m1/2\n"
	 "@ mission 'by hand' of ada, 2 unread, 1 waiting: The answer did not reach the agent: stopped "
	 "by hand It waits on, for the next belfry mission resume m1.\n"
	 "  1 ada, unread: a\n"
	 "  2 tim, waiting: one\n"
	 "  3 belfry, unread: The answer did not reach the agent: stopped by hand\n"
	 "\n"
	 "It waits on, for the next `belfry mission resume m1`.\n"},
	{"A25: no conversation: asked for by hand it is refused, else the person is told",
	 "yaml; mission new agent=cyd; start; send m1 'ok?' ask; end success; reply m1 'yes' run; reply "
	 "m1 'yes'; inbox",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "* go m1/1\n"
	 "! mission 'm1' has no conversation to go on with (its agent told no session id; begin with: "
	 "belfry mission new)\n"
	 "@ mission 'by hand' of cyd, 2 unread, 1 asked, 1 waiting: The agent cannot be told: mission "
	 "'m1' has no conversation to go on with (its agent told no session id; begin with: belfry "
	 "mission new) The question is open again.\n"
	 "  1 cyd, unread, open: ok?\n"
	 "  2 tim, waiting: yes\n"
	 "  3 belfry, unread: The agent cannot be told: mission 'm1' has no conversation to go on with "
	 "(its agent told no session id; begin with: belfry mission new)\n"
	 "\n"
	 "The question is open again.\n"},
	{"A25: an agent that is gone from the file",
	 "yaml; mission new agent=ada; start; send m1 'ok?' ask; end success; yaml agents: {bob: "
	 "{command: [work]}}; reply m1 'yes' run; reply m1 'yes'; inbox",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "* go m1/1\n"
	 "! no agent 'ada' (declare it under 'agents:' in 'config.yml')\n"
	 "@ mission 'by hand' of ada, 2 unread, 1 asked, 1 waiting: The agent cannot be told: no agent "
	 "'ada' (declare it under 'agents:' in 'config.yml') The question is open again.\n"
	 "  1 ada, unread, open: ok?\n"
	 "  2 tim, waiting: yes\n"
	 "  3 belfry, unread: The agent cannot be told: no agent 'ada' (declare it under 'agents:' in "
	 "'config.yml')\n"
	 "\n"
	 "The question is open again.\n"},
	{"A25: a mission that is being removed",
	 "yaml; mission new agent=ada; start; send m1 'ok?' ask; reply m1 'yes'; mission stop m1; end "
	 "killed; mission rm m1; reply m1 'still' run; inbox; exit 0; inbox",
	 "* go m?/1\n"
	 "* signal 15 to m?/1\n"
	 "! mission 'm?' has been removed\n"
	 "@ mission 'by hand' of ada, 1 unread, 1 waiting: yes\n"
	 "  1 ada, unread, answered: ok?\n"
	 "  2 tim, waiting: yes\n"},
	{"A25: stopped by hand it does not go on by itself, until somebody wants it to",
	 "yaml; mission new agent=ada; start; send m1 'ok?' ask; reply m1 'yes'; mission stop m1; end "
	 "killed; inbox; reply m1 'now' run; order",
	 "= m1 starting 1/1\n"
	 "  #1 attempt killed: it was asked to end: stopped by hand\n"
	 "  #2 resume begins\n"
	 "$ start m1/2\n"
	 "* go m1/1\n"
	 "* signal 15 to m1/1\n"
	 "@ mission 'by hand' of ada, 1 unread, 1 waiting: yes\n"
	 "  1 ada, unread, answered: ok?\n"
	 "  2 tim, waiting: yes\n"
	 "* order m1/2 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "yes\n"
	 "\n"
	 "now\n"},
};

static const struct story_row crashes[] = {
	{"A25: a crash before its process is there: the same words once",
	 "yaml; mission new agent=ada; start; send m1 'ok?' ask run=1; end success; reply m1 'yes'; "
	 "crash; order; inbox; start; crash; end success; inbox",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "  #2 resume success\n"
	 "* go m1/1\n"
	 "* order m1/2 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "yes\n"
	 "@ mission 'by hand' of ada, 1 unread, 1 waiting: yes\n"
	 "  1 ada, unread, answered: ok?\n"
	 "  2 tim, offered, carried: yes\n"
	 "* go m1/2\n"
	 "* adopt m1/2, process 102\n"
	 "@ mission 'by hand' of ada, 1 unread: yes\n"
	 "  1 ada, unread, answered: ok?\n"
	 "  2 tim, delivered, carried: yes\n"},
	{"A25: a crash between the answer and the resume's end",
	 "yaml; mission new agent=ada; start; send m1 'ok?' ask run=1; reply m1 'yes'; crash; end "
	 "success; start; crash; gone; exit 0; inbox",
	 "= m1 ended 1/1: its wrapper was killed, or the machine went down\n"
	 "  #1 attempt success\n"
	 "  #2 resume orphaned: its wrapper was killed, or the machine went down\n"
	 "* go m1/1\n"
	 "* adopt m1/1, process 101\n"
	 "* go m1/2\n"
	 "* adopt m1/2, process 102\n"
	 "@ mission 'by hand' of ada, 2 unread, 1 waiting, wanted: The answer did not reach the agent: "
	 "its wrapper was killed, or the machine went down It goes again by itself, three times at "
	 "most.\n"
	 "  1 ada, unread, answered: ok?\n"
	 "  2 tim, waiting: yes\n"
	 "  3 belfry, unread: The answer did not reach the agent: its wrapper was killed, or the machine "
	 "went down\n"
	 "\n"
	 "It goes again by itself, three times at most.\n"},
	{"A25: a wrapper that never ran keeps them",
	 "yaml; mission new agent=ada; start; send m1 'ok?' ask run=1; end success; reply m1 'yes'; "
	 "start; crash; neverran; order; start; end success; inbox",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "  #2 resume success\n"
	 "* go m1/1\n"
	 "* go m1/2\n"
	 "* adopt m1/2, process 102\n"
	 "* order m1/2 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "yes\n"
	 "* go m1/2\n"
	 "@ mission 'by hand' of ada, 1 unread: yes\n"
	 "  1 ada, unread, answered: ok?\n"
	 "  2 tim, delivered, carried: yes\n"},
	{"A25: a turn that is rolled back begins nothing",
	 "yaml; mission new agent=ada; start; send m1 'ok?' ask timeout=1h default=no run=1; end "
	 "success; lost 11:00:00; inbox; @11:00:00; order",
	 "= m1 starting 1/1\n"
	 "  #1 attempt success\n"
	 "  #2 resume begins\n"
	 "$ start m1/2\n"
	 "* go m1/1\n"
	 "@ mission 'by hand' of ada, 1 unread, 1 asked: ok?\n"
	 "  1 ada, unread, open until 11:00:00: ok?\n"
	 "* order m1/2 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "Nobody answered \"ok?\" within 1h, so the answer is the default:\n"
	 "\n"
	 "no\n"},
};

static const struct story_row questions[] = {
	{"A25: nobody answered: the default goes to the agent",
	 "yaml; mission new agent=ada; start; send m1 'Deploy now?' ask timeout=2h default=no run=1; "
	 "end success; @11:59:59; inbox; @12:00:00; order; start; answer 'Then not.'; end success; inbox",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "  #2 resume success\n"
	 "* go m1/1\n"
	 "@ mission 'by hand' of ada, 1 unread, 1 asked: Deploy now?\n"
	 "  1 ada, unread, open until 12:00:00: Deploy now?\n"
	 "* order m1/2 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "Nobody answered \"Deploy now?\" within 2h, so the answer is the default:\n"
	 "\n"
	 "no\n"
	 "* go m1/2\n"
	 "@ mission 'by hand' of ada, 3 unread: Then not.\n"
	 "  1 ada, unread, expired until 12:00:00: Deploy now?\n"
	 "  2 belfry, unread, delivered, carried: Nobody answered \"Deploy now?\" within 2h, so the "
	 "answer is the default:\n"
	 "\n"
	 "no\n"
	 "  3 ada, unread: Then not.\n"},
	{"A25: the default waits for the end too",
	 "yaml; mission new agent=ada limit=0; start; send m1 'Deploy now?' ask timeout=2h default=no; "
	 "@12:00:00; inbox; @12:30:00; end success; order",
	 "= m1 starting 1/1\n"
	 "  #1 attempt success\n"
	 "  #2 resume begins\n"
	 "$ start m1/2\n"
	 "* go m1/1\n"
	 "@ mission 'by hand' of ada, 2 unread, 1 waiting, wanted: Nobody answered \"Deploy now?\" "
	 "within 2h, so the answer is the default: no\n"
	 "  1 ada, unread, expired until 12:00:00: Deploy now?\n"
	 "  2 belfry, unread, waiting: Nobody answered \"Deploy now?\" within 2h, so the answer is the "
	 "default:\n"
	 "\n"
	 "no\n"
	 "* order m1/2 resume, with a session, in /srv/ada for 0s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "Nobody answered \"Deploy now?\" within 2h, so the answer is the default:\n"
	 "\n"
	 "no\n"},
	{"I11 without a default the agent is told that nobody answered",
	 "yaml; mission new agent=ada; start; send m1 'Anybody?' title='A question' ask timeout=30m; "
	 "end success; @11:00:00; order; start; end success; inbox; reply m1 'late'; inbox",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "  #2 resume success\n"
	 "* go m1/1\n"
	 "* order m1/2 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "Nobody answered \"A question\" within 30m. There is no default: go on without an answer, or "
	 "ask again.\n"
	 "* go m1/2\n"
	 "@ mission 'by hand' of ada, 2 unread: Nobody answered \"A question\" within 30m. There is no "
	 "default: go on without an answer, or ask again.\n"
	 "  1 ada, unread, expired until 10:30:00: [A question] Anybody?\n"
	 "  2 belfry, unread, delivered, carried: Nobody answered \"A question\" within 30m. There is no "
	 "default: go on without an answer, or ask again.\n"
	 "@ mission 'by hand' of ada, 2 unread, 1 waiting: late\n"
	 "  1 ada, unread, expired until 10:30:00: [A question] Anybody?\n"
	 "  2 belfry, unread, delivered, carried: Nobody answered \"A question\" within 30m. There is no "
	 "default: go on without an answer, or ask again.\n"
	 "  3 tim, waiting: late\n"},
	{"A25: answered in time, the default is not used",
	 "yaml; mission new agent=ada; start; send m1 'ok?' ask timeout=1h default=no; end success; "
	 "@10:30:00; reply m1 'yes'; start; end success; @12:00:00; inbox",
	 "= m1 ended 1/1: ran for 0s\n"
	 "  #1 attempt success\n"
	 "  #2 resume success\n"
	 "* go m1/1\n"
	 "* go m1/2\n"
	 "@ mission 'by hand' of ada, 1 unread: yes\n"
	 "  1 ada, unread, answered until 11:00:00: ok?\n"
	 "  2 tim, delivered, carried: yes\n"},
	{"A25: one answer answers all questions of a thread, if that is wished",
	 "yaml; mission new agent=ada; start; send m1 'a?' ask; send m1 'b?' ask timeout=1h default=no; "
	 "end success; reply m1 'yes to both' all; @12:00:00; inbox",
	 "= m1 starting 1/1\n"
	 "  #1 attempt success\n"
	 "  #2 resume begins\n"
	 "$ start m1/2\n"
	 "* go m1/1\n"
	 "@ mission 'by hand' of ada, 2 unread, 1 waiting: yes to both\n"
	 "  1 ada, unread, answered: a?\n"
	 "  2 ada, unread, answered until 11:00:00: b?\n"
	 "  3 tim, offered, carried: yes to both\n"},
	{"A25: it expired while nobody ran",
	 "yaml; mission new agent=ada; start; send m1 'ok?' ask timeout=1h default=no; end success; "
	 "lost 20:00:00; crash; order; inbox",
	 "= m1 starting 1/1\n"
	 "  #1 attempt success\n"
	 "  #2 resume begins\n"
	 "$ start m1/2\n"
	 "* go m1/1\n"
	 "* order m1/2 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "Nobody answered \"ok?\" within 1h, so the answer is the default:\n"
	 "\n"
	 "no\n"
	 "@ mission 'by hand' of ada, 2 unread, 1 waiting: Nobody answered \"ok?\" within 1h, so the "
	 "answer is the default: no\n"
	 "  1 ada, unread, expired until 11:00:00: ok?\n"
	 "  2 belfry, unread, offered, carried: Nobody answered \"ok?\" within 1h, so the answer is the "
	 "default:\n"
	 "\n"
	 "no\n"},
	{"A25: the clock jumps ahead",
	 "yaml; mission new agent=ada; start; send m1 'ok?' ask timeout=1h default=no; end success; "
	 "@3+10:00:00; order",
	 "= m1 starting 1/1\n"
	 "  #1 attempt success\n"
	 "  #2 resume begins\n"
	 "$ start m1/2\n"
	 "* go m1/1\n"
	 "* order m1/2 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "Nobody answered \"ok?\" within 1h, so the answer is the default:\n"
	 "\n"
	 "no\n"},
	{"A25: the clock is set back: not early, and not never",
	 "yaml; @9+10:00:00; mission new agent=ada; start; send m1 'ok?' ask timeout=1h default=no; end "
	 "success; @10:00:00; inbox; @10:59:59; inbox; @11:00:00; order",
	 "= m1 starting 1/1\n"
	 "  #1 attempt success\n"
	 "  #2 resume begins\n"
	 "$ start m1/2\n"
	 "* go m1/1\n"
	 "@ mission 'by hand' of ada, 1 unread, 1 asked: ok?\n"
	 "  1 ada, unread, open until 11:00:00: ok?\n"
	 "@ mission 'by hand' of ada, 1 unread, 1 asked: ok?\n"
	 "  1 ada, unread, open until 11:00:00: ok?\n"
	 "* order m1/2 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "Nobody answered \"ok?\" in time, so the answer is the default:\n"
	 "\n"
	 "no\n"},
	{"A25: an agent without a mission gets its default in the queue",
	 "yaml; send agent:ada 'ok?' ask timeout=1h default=no; @11:00:00; inbox; take agent=ada; inbox",
	 "> ada normal delivered x1: Nobody answered \"ok?\" within 1h, so the answer is the default:\n"
	 "\n"
	 "no\n"
	 "@ agent 'ada' of ada, 2 unread, 1 waiting: Nobody answered \"ok?\" within 1h, so the answer "
	 "is the default: no\n"
	 "  1 ada, unread, expired until 11:00:00: ok?\n"
	 "  2 belfry, unread, waiting, in a queue: Nobody answered \"ok?\" within 1h, so the answer is "
	 "the default:\n"
	 "\n"
	 "no\n"
	 "@ agent 'ada' of ada, 2 unread: Nobody answered \"ok?\" within 1h, so the answer is the "
	 "default: no\n"
	 "  1 ada, unread, expired until 11:00:00: ok?\n"
	 "  2 belfry, unread, delivered: Nobody answered \"ok?\" within 1h, so the answer is the "
	 "default:\n"
	 "\n"
	 "no\n"},
};
static const struct story_row kept[] = {
	{"I10 an answer that does not arrive goes again three times, then its question is open again",
	 "yaml; mission new agent=ada; start; send m1 'ok?' ask timeout=1h default=no run=1; end success; "
	 "reply m1 'yes'; start; end error m1 'api down'; @10:01:00; start; end error m1 'api down'; "
	 "@10:06:00; start; end error m1 'api down'; @10:26:00; start; end error m1 'still down'; "
	 "@12:00:00; inbox; reply m1 'yes, now'; order",
	 "= m1 starting 1/1\n"
	 "  #1 attempt success\n"
	 "  #2 resume error: api down\n"
	 "  #3 resume error: api down\n"
	 "  #4 resume error: api down\n"
	 "  #5 resume error: still down\n"
	 "  #6 resume begins\n"
	 "$ start m1/6\n"
	 "* go m1/1\n"
	 "* go m1/2\n"
	 "* go m1/3\n"
	 "* go m1/4\n"
	 "* go m1/5\n"
	 "@ mission 'by hand' of ada, 3 unread, 1 asked, 1 waiting: The answer did not reach the agent: "
	 "still down The question is open again. What was answered waits, and goes with your next answer "
	 "or belfry mission resume m1.\n"
	 "  1 ada, unread, open: ok?\n"
	 "  2 tim, waiting: yes\n"
	 "  3 belfry, unread: The answer did not reach the agent: api down\n"
	 "\n"
	 "It goes again by itself, three times at most.\n"
	 "  4 belfry, unread: The answer did not reach the agent: still down\n"
	 "\n"
	 "The question is open again. What was answered waits, and goes with your next answer or `belfry "
	 "mission resume m1`.\n"
	 "* order m1/6 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "yes\n"
	 "\n"
	 "yes, now\n"},
	{"I10 a daemon that was restarted takes the answer along again, and so does a clock set back",
	 "yaml; mission new agent=ada; start; send m1 'ok?' ask run=1; end success; reply m1 'yes'; "
	 "start; end error; crash; @3+10:00:00; start; end error; @10:00:00; order",
	 "= m1 starting 1/1\n"
	 "  #1 attempt success\n"
	 "  #2 resume error\n"
	 "  #3 resume error\n"
	 "  #4 resume begins\n"
	 "$ start m1/4\n"
	 "* go m1/1\n"
	 "* go m1/2\n"
	 "* go m1/3\n"
	 "* order m1/4 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "yes\n"},
	{"I10 ended by hand, or by its time limit: the question is open again at once",
	 "yaml; mission new agent=ada; start; send m1 'ok?' ask run=1; end success; reply m1 'yes'; "
	 "start; end killed; inbox; reply m1 'yes!'; start; end timeout; inbox",
	 "= m1 ended 1/1: no end within 1h, so it was ended\n"
	 "  #1 attempt success\n"
	 "  #2 resume killed\n"
	 "  #3 resume timeout\n"
	 "* go m1/1\n"
	 "* go m1/2\n"
	 "@ mission 'by hand' of ada, 2 unread, 1 asked, 1 waiting: The answer did not reach the agent: "
	 "its wrapper was told to end (SIGTERM) The question is open again. What was answered waits, and "
	 "goes with your next answer or belfry mission resume m1.\n"
	 "  1 ada, unread, open: ok?\n"
	 "  2 tim, waiting: yes\n"
	 "  3 belfry, unread: The answer did not reach the agent: its wrapper was told to end (SIGTERM)\n"
	 "\n"
	 "The question is open again. What was answered waits, and goes with your next answer or `belfry "
	 "mission resume m1`.\n"
	 "* go m1/3\n"
	 "@ mission 'by hand' of ada, 3 unread, 1 asked, 2 waiting: The answers did not reach the agent: "
	 "no end within 1h, so it was ended The question is open again. What was answered waits, and "
	 "goes with your next answer or belfry mission resume m1.\n"
	 "  1 ada, unread, open: ok?\n"
	 "  2 tim, waiting: yes\n"
	 "  3 belfry, unread: The answer did not reach the agent: its wrapper was told to end (SIGTERM)\n"
	 "\n"
	 "The question is open again. What was answered waits, and goes with your next answer or `belfry "
	 "mission resume m1`.\n"
	 "  4 tim, waiting: yes!\n"
	 "  5 belfry, unread: The answers did not reach the agent: no end within 1h, so it was ended\n"
	 "\n"
	 "The question is open again. What was answered waits, and goes with your next answer or `belfry "
	 "mission resume m1`.\n"},
	{"I10 a correction during the run that answers begins another one",
	 "yaml; mission new agent=ada; start; send m1 'ok?' ask run=1; end success; reply m1 'yes'; "
	 "start; reply m1 'no, wait'; end success; order; inbox",
	 "= m1 starting 1/1\n"
	 "  #1 attempt success\n"
	 "  #2 resume success\n"
	 "  #3 resume begins\n"
	 "$ start m1/3\n"
	 "* go m1/1\n"
	 "* go m1/2\n"
	 "* order m1/3 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "no, wait\n"
	 "@ mission 'by hand' of ada, 1 unread, 1 waiting: no, wait\n"
	 "  1 ada, unread, answered: ok?\n"
	 "  2 tim, delivered, carried: yes\n"
	 "  3 tim, offered, carried: no, wait\n"},
	{"I10 a default that does not arrive is the person's question again",
	 "yaml; mission new agent=ada; start; send m1 'ok?' ask timeout=1h default=no run=1; end success; "
	 "@11:00:00; start; end killed; inbox",
	 "= m1 ended 1/1: its wrapper was told to end (SIGTERM)\n"
	 "  #1 attempt success\n"
	 "  #2 resume killed\n"
	 "* go m1/1\n"
	 "* go m1/2\n"
	 "@ mission 'by hand' of ada, 3 unread, 1 asked, 1 waiting: The answer did not reach the agent: "
	 "its wrapper was told to end (SIGTERM) The question is open again. What was answered waits, and "
	 "goes with your next answer or belfry mission resume m1.\n"
	 "  1 ada, unread, open: ok?\n"
	 "  2 belfry, unread, waiting: Nobody answered \"ok?\" within 1h, so the answer is the default:\n"
	 "\n"
	 "no\n"
	 "  3 belfry, unread: The answer did not reach the agent: its wrapper was told to end (SIGTERM)\n"
	 "\n"
	 "The question is open again. What was answered waits, and goes with your next answer or `belfry "
	 "mission resume m1`.\n"},
	{"I12 one of several questions is answered, and the others stay open",
	 "yaml; mission new agent=ada; start; send m1 'a?' ask; send m1 'b?' ask timeout=1h default=no; "
	 "send m1 'c?' title='The third' ask; end success; reply m1 'yes' to=3; order; inbox; start; "
	 "end success; @11:00:00; order; start; end success; reply m1 'and yes'; order; inbox",
	 "= m1 starting 1/1\n"
	 "  #1 attempt success\n"
	 "  #2 resume success\n"
	 "  #3 resume success\n"
	 "  #4 resume begins\n"
	 "$ start m1/4\n"
	 "* go m1/1\n"
	 "* order m1/2 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "To your question \"The third: c?\":\n"
	 "\n"
	 "yes\n"
	 "@ mission 'by hand' of ada, 3 unread, 2 asked, 1 waiting: yes\n"
	 "  1 ada, unread, open: a?\n"
	 "  2 ada, unread, open until 11:00:00: b?\n"
	 "  3 ada, unread, answered: [The third] c?\n"
	 "  4 tim, offered, carried: yes\n"
	 "* go m1/2\n"
	 "* order m1/3 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "Nobody answered \"b?\" within 1h, so the answer is the default:\n"
	 "\n"
	 "no\n"
	 "* go m1/3\n"
	 "* order m1/4 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "To your question \"a?\":\n"
	 "\n"
	 "and yes\n"
	 "@ mission 'by hand' of ada, 4 unread, 1 waiting: and yes\n"
	 "  1 ada, unread, answered: a?\n"
	 "  2 ada, unread, expired until 11:00:00: b?\n"
	 "  3 ada, unread, answered: [The third] c?\n"
	 "  4 tim, delivered, carried: yes\n"
	 "  5 belfry, unread, delivered, carried: Nobody answered \"b?\" within 1h, so the answer is the "
	 "default:\n"
	 "\n"
	 "no\n"
	 "  6 tim, offered, carried: and yes\n"},
	{"I12 which one is asked for; a closed one, or none, is refused",
	 "yaml; mission new agent=ada; start; send m1 'a?' ask; send m1 'b?' ask timeout=1h default=no; "
	 "send m1 'hm'; end success; reply m1 'yes'; reply m1 'yes' to=3; reply m1 'yes' to=9; "
	 "reply m1 'aside' to=-2; reply m1 'one' to=1; reply m1 'again' to=1; @11:00:00; reply m1 'late' to=2; inbox",
	 "= m1 starting 1/1\n"
	 "  #1 attempt success\n"
	 "  #2 resume begins\n"
	 "$ start m1/2\n"
	 "* go m1/1\n"
	 "! 2 questions are open in thread 'm1': #1 \"a?\", #2 \"b?\" (say which: belfry inbox reply "
	 "m1#1; or --all)\n"
	 "! message 3 of thread 'm1' is no question (to write without answering a question: belfry inbox reply m1#0 TEXT)\n"
	 "! message 9 of thread 'm1' is not there (to write without answering a question: belfry inbox reply m1#0 TEXT)\n"
	 "! message 1 of thread 'm1' is answered already (to write without answering a question: belfry inbox reply m1#0 TEXT)\n"
	 "! message 2 of thread 'm1' is not open any more: its default was given (to write without answering a question: "
	 "belfry inbox reply m1#0 TEXT)\n"
	 "@ mission 'by hand' of ada, 4 unread, 3 waiting, wanted: Nobody answered \"b?\" within 1h, so "
	 "the answer is the default: no\n"
	 "  1 ada, unread, answered: a?\n"
	 "  2 ada, unread, expired until 11:00:00: b?\n"
	 "  3 ada, unread: hm\n"
	 "  4 tim, offered, carried: aside\n"
	 "  5 tim, offered, carried: one\n"
	 "  6 belfry, unread, waiting: Nobody answered \"b?\" within 1h, so the answer is the default:\n"
	 "\n"
	 "no\n"},
	{"I12 answers to two questions in one resume say which is which",
	 "yaml; mission new agent=ada; start; send m1 'a?' ask; send m1 'b?' ask; reply m1 'yes' to=2; "
	 "reply m1 'no' to=1; end success; order",
	 "= m1 starting 1/1\n"
	 "  #1 attempt success\n"
	 "  #2 resume begins\n"
	 "$ start m1/2\n"
	 "* go m1/1\n"
	 "* order m1/2 resume, with a session, in /srv/ada for 3600s\n"
	 "BELFRY_AGENT=ada\n"
	 "BELFRY_ATTEMPT=1\n"
	 "BELFRY_MISSION_ID=m1\n"
	 "To your question \"b?\":\n"
	 "\n"
	 "yes\n"
	 "\n"
	 "To your question \"a?\":\n"
	 "\n"
	 "no\n"},
};
/* clang-format on */

/* The ids of messages differ from day to day, so this looks only at what the command is told. */
static void test_me_is_told_everything(void **state)
{
	static const char script[] =
		"yaml agents: {me: {deliver: {command: [push]}}, ada: {adapter: claude}}; "
		"mission new agent=ada; start; send m1 'done' title='Report' run=1; show; exit 0; "
		"send m1 'Deploy?' ask timeout=1h default=no run=1; show; exit 0; "
		"add in=1m agent=me message=tea; @10:01:00; show; exit 0; "
		"end error m1 'api down'; show; exit 3; @10:02:00; show; exit 0; "
		"reply m1 'yes'";
	static const char *const told[] = {
		"BELFRY_KIND=message\nBELFRY_THREAD=m1\nBELFRY_SEQ=1\nBELFRY_FROM=ada\n"
		"BELFRY_TITLE=Report\n< done\n",
		"BELFRY_KIND=question\nBELFRY_THREAD=m1\nBELFRY_SEQ=2\nBELFRY_FROM=ada\n"
		"BELFRY_TITLE=by hand\n< Deploy?\n",
		"BELFRY_KIND=reminder\n",
		"< tea\n",
		"BELFRY_ATTEMPT=1\n",
		"BELFRY_KIND=notice\nBELFRY_THREAD=m1\nBELFRY_SEQ=3\n",
		"BELFRY_ATTEMPT=2\n",
		"BELFRY_KIND=notice\nBELFRY_THREAD=m1\nBELFRY_SEQ=3\n",
	};
	AUTO(free) char *text = story_tell(script);
	const char *at = text;

	(void)state;
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		const char *next = strstr(at, told[i]);

		if (!next)
			fail_msg("'%s' is not told behind:\n%s", told[i], at);
		at = next + strlen(told[i]);
	}
	if (strstr(at, "BELFRY_KIND"))
		fail_msg("more is told:\n%s", at);
	assert_null(strstr(text, "> me normal queued"));
}

int main(void)
{
	add_table(test_story, answers);
	add_table(test_story, failures);
	add_table(test_story, crashes);
	add_table(test_story, questions);
	add_table(test_story, kept);
	add_row("I7 the command of me is handed what agents write, too, with its kind, once each",
		test_me_is_told_everything, NULL);
	return run_rows("replies");
}
