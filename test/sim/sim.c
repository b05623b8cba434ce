/*
 * sim.c: the simulation's command line. Seeds are dealt to the workers; a worker that dies (a
 * sanitizer, an assertion) is noticed by the seed it did not answer for.
 *
 *	sim [--seeds FROM..TO]      that many worlds (default 1..1000), by --workers N (default 2)
 *	sim --seed N,… [--verbose]  these, in this process; --keep FILE: the store of one that broke
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

static struct answer run_one(const struct plan *plan)
{
	AUTO(free) char *broken = NULL;
	struct answer a = {.seed = plan->seed};
	bool mutated;

	a.fine = world_run(plan, &mutated, &broken);
	snprintf(a.broken, sizeof(a.broken), "%s", broken ? broken : "");
	return a;
}

struct options {
	unsigned long long from, to, workers;
	bool verbose, self, year, idle;
	const char *keep, *list; /* the list of --seed */
};

static void work(uint64_t from, const struct options *o, int fd)
{
	for (uint64_t seed = from; seed <= o->to; seed += o->workers) {
		struct answer a = run_one(&(struct plan){.seed = seed});

		if (write(fd, &a, sizeof(a)) != sizeof(a))
			_exit(2);
	}
	world_stores_free();
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
static void collect(int fd, const struct options *o, struct tally *t)
{
	AUTO(free) char *seen = mem_zalloc(o->to - o->from + 1);
	struct answer a;

	while (read(fd, &a, sizeof(a)) == sizeof(a)) {
		seen[a.seed - o->from] = 1;
		t->passed += a.fine;
		t->failed += !a.fine;
		if (!a.fine)
			report(a.seed, a.broken);
		show_progress(t, o->to - o->from + 1);
	}
	for (uint64_t first = o->from; first < o->from + o->workers; first++)
		for (uint64_t seed = first; seed <= o->to; seed += o->workers)
			if (!seen[seed - o->from]) {
				report(seed, "the simulation itself died");
				t->failed++;
				break;
			}
}

static int run_seeds(const struct options *o, struct tally *t)
{
	int ends[2];

	if (pipe(ends) < 0) {
		fprintf(stderr, "sim: cannot make a pipe: %s\n", strerror(errno));
		return 2;
	}
	fflush(stdout);
	for (uint64_t i = 0; i < o->workers; i++)
		if (fork() == 0) {
			close(ends[0]);
			work(o->from + i, o, ends[1]);
		}
	close(ends[1]);
	collect(ends[0], o, t);
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
		struct plan plan = {.seed = seed, .mutant = mutant};
		bool mutated = false;

		if (!world_run(&plan, &mutated, &broken) && mutated) {
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
		"usage: sim [--seeds FROM..TO [--workers N] | --seed N,… [--verbose] [--keep FILE]"
		" | --selftest | --year | --idle [--seed N]]\n");
	return 2;
}

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
			o->list = argv[i];
		else if (strcmp(argv[i], "--keep") == 0 && ++i < argc)
			o->keep = argv[i];
		else if (strcmp(argv[i], "--workers") == 0 && ++i < argc &&
			 sscanf(argv[i], "%llu", &o->workers) == 1 && o->workers)
			continue;
		else if (strcmp(argv[i], "--seeds") != 0 || ++i == argc ||
			 sscanf(argv[i], "%llu..%llu", &o->from, &o->to) != 2 || o->to < o->from)
			return false;
	}
	return !o->list || sscanf(o->list, "%llu", &o->from) == 1;
}

static void run_these(const struct options *o, struct tally *t)
{
	const char *next = o->list;

	while (next) {
		struct plan plan = {.seed = strtoull(next, NULL, 10), .verbose = o->verbose};
		struct answer a;

		plan.keep = o->keep;
		a = run_one(&plan);
		t->passed += a.fine;
		t->failed += !a.fine;
		if (!a.fine)
			report(a.seed, a.broken);
		next = strchr(next, ',');
		next += next != NULL;
	}
}

int main(int argc, char **argv)
{
	struct options o = {.from = 1, .to = 1000, .workers = 2};
	struct tally t = {0};

	log_set_level(LOG_LEVEL_ERROR + 1);
	if (!read_options(argc, argv, &o))
		return usage();
	if (o.year) {
		t.passed = year_run(o.verbose);
		t.failed = !t.passed;
	} else if (o.idle) {
		run_idle(o.from, o.list ? o.from : o.from + IDLE_WORLDS - 1, o.verbose, &t);
	} else if (o.self) {
		selftest(&t);
	} else if (o.list) {
		run_these(&o, &t);
	} else if (run_seeds(&o, &t) != 0) {
		return 2;
	}
	world_stores_free();
	printf("%s%llu passed, %llu failed\n", isatty(STDOUT_FILENO) ? "\r" : "",
	       (unsigned long long)t.passed, (unsigned long long)t.failed);
	return t.failed ? 1 : 0;
}
