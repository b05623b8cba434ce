#pragma once
/* What the programs here share: a clock, percentiles, and giving up with a reason. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double seconds_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static inline void sleep_until(double instant)
{
	struct timespec t = {.tv_sec = (time_t)instant};

	t.tv_nsec = (long)((instant - (double)t.tv_sec) * 1e9);
	while (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL) != 0)
		;
}

static inline int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts the sample. */
static inline double percentile(double *sample, size_t count, double percent)
{
	size_t at = (size_t)((double)count * percent / 100);

	qsort(sample, count, sizeof(*sample), compare_doubles);
	return sample[at < count ? at : count - 1];
}

static inline _Noreturn void die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}
