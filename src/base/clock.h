#pragma once
/*
 * Instants are microseconds of UTC since 1970, spans are microseconds too. The engine never reads
 * a clock: `now` is handed to it, so that the same code runs under a virtual one.
 */
#include <stdint.h>

typedef int64_t usec_t;

#define USEC_NONE INT64_MIN /* "no instant": SQL NULL, JSON null */

#define USEC_PER_MSEC ((usec_t)1000)
#define USEC_PER_SEC ((usec_t)1000000)
#define USEC_PER_MINUTE (60 * USEC_PER_SEC)
#define USEC_PER_HOUR (60 * USEC_PER_MINUTE)
#define USEC_PER_DAY (24 * USEC_PER_HOUR)
#define USEC_PER_WEEK (7 * USEC_PER_DAY)

#define CLOCK_FLOOR ((usec_t)1767225600 * USEC_PER_SEC) /* 2026: no clock is right before it */

usec_t clock_now(void);	      /* the wall clock */
usec_t clock_monotonic(void); /* for measuring spans; counts suspend (CLOCK_BOOTTIME) */
