#pragma once
/*
 * Stories of the engine, told in lines. A script is a list of steps separated by '; ', and what
 *came of it is a text of reminders, slots and messages, which a test compares as a whole.
 *
 *	@10:00:00, @3+09:00:00          it is that time (three days on), and turns run until none is
 *due add every=1h message='tea'      a request; agent me, name r and message hello unless given
 *	edit count=3, pause, resume, complete, remove, run, take agent=bot
 *	exit 0, signal 9, timeout, nostart
 *	                                the oldest running job ends so, in a turn of its own
 *	config deliver, config plain    the agent bot has a deliver command, or not
 *	crash                           a new process on the same store
 *	show                            the oldest running job, with its environment
 *	lost                            a turn that is rolled back; it must leave nothing behind
 *	damage SQL                      somebody writes into the store
 *
 * The day is Monday, 2 March 2026; zones are UTC unless given. In the answer, a reminder is
 * "r active, 1 fired, due 11:00:00", a slot "10:00:00 fired: REASON [VERDICT: DETAIL]", a message
 * "> AGENT PRIORITY STATE xATTEMPTS: BODY", a refused request "! MESSAGE (HINT)", and a job that is
 * still running "$ COMMAND".
 */
char *story_tell(const char *script); /* the caller frees */
