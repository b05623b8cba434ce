#pragma once
/*
 * Children: the jobs of committed turns. Each runs below a keeper (agent/chore.c), which is asked of the
 * nursery: it has a time limit, ends with us, and is gone with everything it started when its end is reported.
 */
#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "daemon/nursery-client.h"
#include "engine/engine.h"

#define SUPERVISE_CHILDREN_MAX 32

/* How a job ended, with the texts it points at. */
struct child_end {
	struct child_end *next;
	struct job_end end;
	char *start_error, *output_tail;
};
void child_end_free(struct child_end *end);
DEFINE_AUTO(struct child_end, child_end_free)

struct supervise;
/* Takes the end. Called from supervise_start() itself when a job cannot be started. */
typedef void supervise_on_end(struct child_end *end, void *data);

/* The nursery is borrowed. What commands of this home have left is ended first. */
struct supervise *supervise_new(uv_loop_t *loop, const char *home, struct nursery *nursery,
				supervise_on_end *on_end, void *data);
/* Kill what is left; the memory is freed once the loop has run its last. */
void supervise_close(struct supervise *s);
void supervise_free(struct supervise *s);

/* Start a job, or let it wait in line while SUPERVISE_CHILDREN_MAX run. Takes it. */
void supervise_start(struct supervise *s, struct job *job);
/* The job whose keeper this process is; NULL: none that runs. */
const struct job *supervise_job(const struct supervise *s, pid_t pid, int64_t start);
/* How many run or wait. */
size_t supervise_count(const struct supervise *s);

/*
 * Begin to stop: nothing starts any more but sweeps, jobs in line are forgotten and conditions are killed. A
 * forgotten job's end is not reported, so that its row still says it is to be done.
 */
void supervise_drain(struct supervise *s);
/* Kill and forget the rest, but sweeps. */
void supervise_abandon(struct supervise *s);
