#pragma once
/*
 * A brand: a sign that a process cannot take off, and that everything it starts has too, wherever that goes. Belfry
 * brands what it runs, so that nothing of a run is ever taken for the person, whoever of Belfry's processes is gone.
 */
#include <stdint.h>
#include <sys/types.h>

#define BRAND_NONE INT64_MAX

/* The deeper branded, the smaller. BRAND_NONE: it has none. 0: nobody can tell. */
int64_t brand_of(pid_t pid);
int64_t brand_of_self(void);
/* What a process that has `own` gives to what it starts. */
int64_t brand_below(int64_t own);
/* For good. Safe between vfork() and exec(). */
void brand_wear(int64_t brand);
