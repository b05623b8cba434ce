/*
 * late-bench.c: how long after its due instant a fire is durable, seen from outside.
 *
 *	late-bench DATABASE FIRST STEP COUNT     instants of due fires, in seconds since 1970
 *
 * SQLite publishes a transaction in the header of its WAL index, which is shared memory, right
 *after the fsync returned; no reader can see it before. So this watches the header's change counter
 * (the 32-bit number at byte 8) in a loop around every due instant, and prints p50 and p99 of the
 * lateness in microseconds, and how many fires were not seen in time. Every fire must be a
 * transaction of its own, and nothing else may write meanwhile.
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "measure.h"

#define HEADER 136
#define CHANGE_COUNTER 2 /* as an index of 32-bit words */
#define SAMPLES_MAX 10000
#define AHEAD 0.001
#define PATIENCE 0.25

static const _Atomic uint32_t *map_index(const char *database)
{
	char path[4096];
	void *map;
	int fd;

	snprintf(path, sizeof(path), "%s-shm", database);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die("late-bench: no '%s': is the daemon running?", path);
	map = mmap(NULL, HEADER, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		die("late-bench: '%s' cannot be mapped", path);
	close(fd);
	return map;
}

/*
 * The lateness of the fire that is due then, or a negative number. It is the transaction with this
 * number, also when a busy machine wakes us only after it.
 */
static double watch_one(const _Atomic uint32_t *header, double due, uint32_t number)
{
	double now;

	sleep_until(due - AHEAD);
	while ((now = seconds_of(CLOCK_REALTIME)) < due + PATIENCE)
		if ((int32_t)(atomic_load(&header[CHANGE_COUNTER]) - number) >= 0)
			return now - due;
	return -1;
}

int main(int argc, char **argv)
{
	static double late[SAMPLES_MAX];
	const _Atomic uint32_t *header;
	uint32_t before;
	double first, step;
	size_t count, seen = 0;

	if (argc != 5)
		die("usage: late-bench DATABASE FIRST STEP COUNT");
	header = map_index(argv[1]);
	first = atof(argv[2]);
	step = atof(argv[3]);
	count = strtoul(argv[4], NULL, 10);
	before = atomic_load(&header[CHANGE_COUNTER]);
	for (size_t i = 0; i < count && seen < SAMPLES_MAX; i++) {
		double took = watch_one(header, first + (double)i * step, before + 1 + (uint32_t)i);

		if (took > 0)
			late[seen++] = took;
	}
	if (!seen)
		die("late-bench: nothing was fired");
	printf("%.1f %.1f %zu\n", percentile(late, seen, 50) * 1e6,
	       percentile(late, seen, 99) * 1e6, count - seen);
	return 0;
}
