#pragma once
/*
 * Stories of the engine, told in lines. A script is a list of steps separated by '; ', and what
 * came of it is a text of reminders, slots, missions and messages, which a test compares as a whole.
 *
 *	@10:00:00, @3+09:00:00          it is that time (three days on); turns run until none is due
 *	add every=1h message='tea'      a request; agent me, name r and message hello unless given
 *	edit count=3, pause, resume, complete, remove, run, take agent=bot
 *	exit 0, signal 9, timeout, nostart
 *	                                the oldest running job ends so, in a turn of its own
 *	config deliver, config plain    the agent bot has a deliver command, or not
 *	zone Asia/Tokyo                 from now on the file of the zone Moved is this one
 *	crash                           a new process on the same store
 *	reopen                          the store was away, and the same process is on it again
 *	show                            the oldest running job, with its environment
 *	lost, lost 11:00:00             a turn that is rolled back; it must leave nothing behind
 *	damage SQL                      somebody writes into the store
 *
 * Missions, most of them after a `yaml`, which is config.yml from now on; where it names no agents
 * there are ada (claude), bob (one at a time), cyd (any number) and mute (cannot be run):
 *
 *	yaml crons: {maxConcurrent: 1}
 *	work every=10m overlap=queue    a reminder that runs cyd; also cron= in= door= name= agent=
 *	                                prompt= tz= condition= catchup= deadline= jitter= limit=
 *	                                attempts= retry=failure,timeout,lost backoff= wait= keep= pause=
 *	cron-run NAME, seed, board agent=ada status=busy detail='tests'
 *	mission new agent=ada, mission open (interactive)
 *	mission stop m1 WHY, resume m1 PROMPT, attach m1, archive m1, unarchive m1, rm m1
 *	order                           what the oldest wrapper that is wished for is told
 *	start, start 3                  the oldest comes to its gate: "go" or "no-go"
 *	double                          a second process for the run that was started last
 *	nowrapper                       the oldest cannot be started
 *	end success [m2] [ERROR]        the oldest wrapper, or that of m2, leaves its end
 *	gone, neverran                  … leaves nothing; did not come as far as its agent
 *	gone m1 shutdown                … since the daemon killed it when it was stopped itself
 *	times 70 STEP
 *
 *	presence ada idle 09:55:00      somebody sees what a live agent does (since when; else now)
 *
 * Threads are called by what they are about: a mission m1, a reminder r, agent:ada, missed, belfry.
 *
 *	send m1 TEXT title= ask timeout=2h default=no run=2    an agent writes
 *	reply m1 TEXT run priority=idle to=SEQ all file=PATH size=7 attach=PATH  a person answers
 *	pull m1, got m1                 its agent asks for replies, two at most; is heard of again
 *	read m1 [SEQ], unread m1, shelve m1, unshelve m1       (shelve: archive)
 *	answer TEXT, answer-long 20000  what the next run that ends says
 *	inbox                           all threads with their messages, as they are now
 *
 * Live agents; their mission is one of the above, and its wrapper ends as above:
 *
 *	live start ada fresh            a request: also stop, restart, remove ada with-reminders,
 *	                                send ada text='tea?' priority=idle from=bob
 *	opened ada %1, host ada, seen ada busy 'hook Prompt' 5, vanish ada 'its window was closed'
 *	                                what the daemon sees; 5 seconds ago
 *	up ada                          started, opened, hosted, seen idle
 *	typed, typed 'not confirmed'    the oldest message that is being typed
 *	fallback r                      that reminder's agent is started for it
 *	agents                          what `agent list` tells of those with a session
 *	hush                            forget what was told so far
 *
 * Sessions with hooks, hosted by nobody unless a mission is named by its key:
 *
 *	boundary s calls=2 minutes=5 message= lessons= step= note= mission=1
 *	clear s, bounds s               taken back; what is pending
 *	hook s Stop dir=/a agent= mission=1 prompt= source= active drop
 *	                                an event; what is told is printed, unless it is dropped
 *	prompt s …                      the event UserPromptSubmit
 *
 * The day is Monday, 2 March 2026; zones are UTC unless given. In the answer, a reminder is
 * "r active, 1 fired, due 11:00:00", a slot "10:00:00 fired: REASON [VERDICT: DETAIL]", a mission
 * "= m1 waiting 1/3 from 10:00:30: REASON" with its runs "  #1 attempt error: ERROR", a message
 * "> AGENT PRIORITY STATE xATTEMPTS: BODY", a refused request "! MESSAGE (HINT)", a job that is
 * still running "$ COMMAND", and what was heard on the way "* go m1/1". A thread is "@ mission 'TITLE'
 * of AGENT, 1 unread: PREVIEW", and below it its messages. A live agent is
 * "~ ada idle in %1: EVIDENCE"; messages are called q1 by their row in the queue.
 */
char *story_tell(const char *script); /* the caller frees */
