/*
 * files.c: a limit that is too small is an error at the start, with words. Met in the middle of things it is a
 * different one each time: a lock that cannot be taken, a client that cannot be told from a run.
 */
#include "base/files.h"

#include <sys/resource.h>

/*
 * Clients, children, and two descriptors a mission: some hundreds of those fit. Children inherit
 * the limit, so it is not raised further.
 */
#define FILES_NEEDED 2048
#define FILES_OWN 40 /* the store, the log, the loop, and what a turn opens for a moment */

int files_check(struct error *err)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_max >= FILES_LEAST)
		return 0;
	error_set(err, ERR_UNAVAILABLE,
		  "too few open files are allowed: %d, and a daemon needs %d at least",
		  (int)limit.rlim_max, FILES_LEAST);
	return error_hint(err, "raise the limit (ulimit -Hn, LimitNOFILE= of a systemd unit): 1024 "
			       "is usual");
}

int files_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= FILES_NEEDED)
		return 0;
	limit.rlim_cur = limit.rlim_max < FILES_NEEDED ? limit.rlim_max : FILES_NEEDED;
	return setrlimit(RLIMIT_NOFILE, &limit);
}

size_t files_room(size_t files_of_one, size_t most)
{
	struct rlimit limit;
	size_t room;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= FILES_NEEDED)
		return most;
	room = limit.rlim_cur > FILES_OWN ? (limit.rlim_cur - FILES_OWN) / files_of_one : 1;
	return room < most ? room : most;
}
