/*
 * caller-process.c: whether the process that asks belongs to a run.
 * A run cannot leave its wrapper: that is a subreaper, so whoever loses its parent below it becomes its
 * child. The walk goes up from the process that connected, whose number the kernel gave, to the first
 * wrapper of an open run. A number may change hands while we walk: a parent that began after its child
 * is none, and the descriptor of the process says at the end whether all this was about it.
 */
#include <poll.h>
#include <stdio.h>

#include "agent/order.h"
#include "request/caller.h"
#include "store/mission.h"

#define STEPS_MAX 1024 /* parents above one another */
#define TRIES_MAX 5    /* each is spoiled only by a parent that ends in that very moment */

/* That of the wrapper; 0: it is none. */
static int64_t mission_of(const struct run_list *runs, pid_t pid, int64_t start)
{
	for (size_t i = 0; i < runs->count; i++) {
		const struct run *r = runs->items[i];
		struct process_id id = {.pid = (pid_t)r->pid, .start = r->pid_start};

		snprintf(id.boot, sizeof(id.boot), "%s", r->boot ? r->boot : "");
		if (id.pid == pid && id.start == start && process_is_of_this_boot(&id))
			return r->mission;
	}
	return 0;
}

/* Returns 0, or -1 when somebody on the way was gone. A wrapper itself is no part of its run. */
static int walk(const struct run_list *runs, pid_t pid, int64_t *ret)
{
	int64_t start = INT64_MAX, own;
	pid_t parent;

	for (int i = 0; i < STEPS_MAX && pid > 0; i++, pid = parent, start = own) {
		if (process_parent(pid, &parent, &own) < 0 || own > start)
			return -1;
		*ret = i ? mission_of(runs, pid, own) : 0;
		if (*ret)
			break;
	}
	return 0;
}

static bool has_ended(const struct caller_process *p)
{
	struct pollfd end = {.fd = p->pidfd, .events = POLLIN};

	return p->pidfd >= 0 && poll(&end, 1, 0) != 0;
}

int caller_process_look(struct db *db, struct caller_process *p, struct error *err)
{
	AUTO_RUNS struct run_list runs = {0};
	int r = p->known || p->pid <= 0 ? 0 : run_living(db, &runs, err);
	int found = 0;

	if (r < 0 || p->known)
		return r;
	if (runs.count) {
		found = -1;
		for (int i = 0; found < 0 && i < TRIES_MAX; i++)
			found = walk(&runs, p->pid, &p->mission);
	}
	p->gone = runs.count && (found < 0 || has_ended(p));
	p->known = true;
	return 0;
}
