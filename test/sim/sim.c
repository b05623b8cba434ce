/*
 * sim.c: the simulation's command line. Seeds are dealt to two workers; a worker that dies (a
 * sanitizer, an assertion) is noticed by the seed it did not answer for.
 *
 *	sim [--seeds FROM..TO]      that many worlds (default 1..1000)
 *	sim --seed N [--verbose]    one, in this process
 *	sim --selftest              deliberate faults: the oracle has to object to each
 *	sim --year                  a year of crons, against the clock on the wall
 *	sim --idle [--seed N]       reminders that wait for an idle agent
 */
#include "sim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/log.h"
#include "base/mem.h"

#define WORKERS 2
#define SELFTEST_TRIES 150
#define IDLE_WORLDS 40

struct answer {
	uint64_t seed;
	bool fine;
	char broken[500]; /* small enough that one write() is one record */
};

struct tally {
	uint64_t passed, failed;
};

static void report(uint64_t seed, const char *broken)
{
	printf("seed %llu: %s\n  replay: sim --seed %llu --verbose\n", (unsigned long long)seed,
	       broken, (unsigned long long)seed);
}

static struct answer run_one(uint64_t seed, bool verbose)
{
	AUTO(free) char *broken = NULL;
	struct answer a = {.seed = seed};
	bool mutated;

	a.fine = world_run(seed, MUTANT_NONE, verbose, &mutated, &broken);
	snprintf(a.broken, sizeof(a.broken), "%s", broken ? broken : "");
	return a;
}

static void work(uint64_t from, uint64_t to, int fd)
{
	for (uint64_t seed = from; seed <= to; seed += WORKERS) {
		struct answer a = run_one(seed, false);

		if (write(fd, &a, sizeof(a)) != sizeof(a))
			_exit(2);
	}
	_exit(0);
}

static void show_progress(const struct tally *t, uint64_t total)
{
	if (isatty(STDOUT_FILENO) && (t->passed + t->failed) % 20 == 0) {
		printf("\r%llu of %llu", (unsigned long long)(t->passed + t->failed),
		       (unsigned long long)total);
		fflush(stdout);
	}
}

/* Both workers write into one pipe: records are smaller than PIPE_BUF and arrive whole. */
static void collect(int fd, uint64_t from, uint64_t to, struct tally *t)
{
	AUTO(free) char *seen = mem_zalloc(to - from + 1);
	struct answer a;

	while (read(fd, &a, sizeof(a)) == sizeof(a)) {
		seen[a.seed - from] = 1;
		t->passed += a.fine;
		t->failed += !a.fine;
		if (!a.fine)
			report(a.seed, a.broken);
		show_progress(t, to - from + 1);
	}
	for (uint64_t first = from; first < from + WORKERS; first++)
		for (uint64_t seed = first; seed <= to; seed += WORKERS)
			if (!seen[seed - from]) {
				report(seed, "the simulation itself died");
				t->failed++;
				break;
			}
}

static int run_seeds(uint64_t from, uint64_t to, struct tally *t)
{
	int ends[2];

	if (pipe(ends) < 0) {
		fprintf(stderr, "sim: cannot make a pipe: %s\n", strerror(errno));
		return 2;
	}
	fflush(stdout);
	for (uint64_t i = 0; i < WORKERS; i++)
		if (fork() == 0) {
			close(ends[0]);
			work(from + i, to, ends[1]);
		}
	close(ends[1]);
	collect(ends[0], from, to, t);
	close(ends[0]);
	while (wait(NULL) > 0)
		;
	return 0;
}

/* A mutant counts as caught when a world that it damaged was objected to. */
static bool is_caught(enum mutant mutant)
{
	for (uint64_t seed = 1; seed <= SELFTEST_TRIES; seed++) {
		AUTO(free) char *broken = NULL;
		bool mutated = false;

		if (!world_run(seed, mutant, false, &mutated, &broken) && mutated) {
			printf("caught: %s (seed %llu: %s)\n", mutant_words[mutant],
			       (unsigned long long)seed, broken);
			return true;
		}
	}
	printf("NOT caught: %s\n", mutant_words[mutant]);
	return false;
}

static void selftest(struct tally *t)
{
	for (int mutant = MUTANT_NONE + 1; mutant < MUTANT_COUNT; mutant++) {
		bool caught = is_caught((enum mutant)mutant);

		t->passed += caught;
		t->failed += !caught;
	}
}

static void run_idle(uint64_t from, uint64_t to, bool verbose, struct tally *t)
{
	for (uint64_t seed = from; seed <= to; seed++) {
		AUTO(free) char *broken = NULL;
		bool fine = idle_run(seed, verbose, &broken);

		t->passed += fine;
		t->failed += !fine;
		if (!fine)
			printf("idle, seed %llu: %s\n", (unsigned long long)seed, broken);
	}
}

static int usage(void)
{
	fprintf(stderr,
		"usage: sim [--seeds FROM..TO | --seed N [--verbose] | --selftest | --year |"
		" --idle [--seed N]]\n");
	return 2;
}

struct options {
	unsigned long long from, to;
	bool one, verbose, self, year, idle;
};

static bool read_options(int argc, char **argv, struct options *o)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--verbose") == 0)
			o->verbose = true;
		else if (strcmp(argv[i], "--selftest") == 0)
			o->self = true;
		else if (strcmp(argv[i], "--year") == 0)
			o->year = true;
		else if (strcmp(argv[i], "--idle") == 0)
			o->idle = true;
		else if (strcmp(argv[i], "--seed") == 0 && ++i < argc)
			o->one = sscanf(argv[i], "%llu", &o->from) == 1;
		else if (strcmp(argv[i], "--seeds") != 0 || ++i == argc ||
			 sscanf(argv[i], "%llu..%llu", &o->from, &o->to) != 2 || o->to < o->from)
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	struct options o = {.from = 1, .to = 1000};
	struct tally t = {0};
	struct answer a;

	log_set_level(LOG_LEVEL_ERROR + 1);
	if (!read_options(argc, argv, &o))
		return usage();
	if (o.year) {
		t.passed = year_run(o.verbose);
		t.failed = !t.passed;
	} else if (o.idle) {
		run_idle(o.from, o.one ? o.from : o.from + IDLE_WORLDS - 1, o.verbose, &t);
	} else if (o.self) {
		selftest(&t);
	} else if (o.one) {
		a = run_one(o.from, o.verbose);
		t.passed = a.fine;
		t.failed = !a.fine;
		if (!a.fine)
			report(a.seed, a.broken);
	} else if (run_seeds(o.from, o.to, &t) != 0) {
		return 2;
	}
	printf("%s%llu passed, %llu failed\n", isatty(STDOUT_FILENO) ? "\r" : "",
	       (unsigned long long)t.passed, (unsigned long long)t.failed);
	return t.failed ? 1 : 0;
}
