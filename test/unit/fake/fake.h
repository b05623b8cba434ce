#pragma once
/*
 * An engine, store and request table of a few lines, for tests of the daemon around them. All state
 * is in memory and is asked about by requests, since the daemon under test is another process:
 *
 *	echo {…}            answers its arguments, and who asked
 *	save                counts one row, durable by the commit
 *	save-and-fail       the same, and then fails
 *	state               what was counted, and the ends of jobs
 *	job {kind,key,argv,directory,input,limit_ms,environment}
 *	wake {in_ms}        something is due then
 *	due {count}         so many batches are due
 *	break {step,count,code}   the next `count` calls of that step fail
 *	big {bytes}         a long answer
 *	start {key,order,again}   a wrapper for the run; again: a recovery wishes for it, too
 *	adopt {key,pid,start,boot,interactive}, stop run {key,signal}
 *	unwanted            from now on no gate is opened
 *	import begin|commit|abort, daemon halt
 */
