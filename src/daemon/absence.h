#pragma once
/*
 * Why nothing was looked at for a while. Between two turns three clocks go on: the wall's, the one that
 * counts while the machine sleeps, and the one that does not. Where they differ is the reason.
 */
#include <stdbool.h>

#include "base/clock.h"
#include "daemon/rest.h"

struct absence {
	usec_t wall, boot, awake; /* at the end of the last turn that found nothing more to do */
	bool started;		  /* there was one */
	char why[200];
};

/* At the beginning of a turn. Answers the reason, or NULL when none is worth telling. */
const char *absence_look(struct absence *a, const struct rest *rest);
/* A turn was committed, and nothing is left to do now. */
void absence_end(struct absence *a);
