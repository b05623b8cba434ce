#pragma once
/*
 * Why nothing was looked at for a while. Between two looks three clocks go on: the wall's, the one that
 * counts while the machine sleeps, and the one that does not. Where they differ is the reason; where they do
 * not, the daemon itself was in the way, and perhaps a request of its last turn.
 */
#include <stdbool.h>

#include "base/clock.h"
#include "config/home.h"
#include "daemon/rest.h"

struct absence_clocks {
	usec_t wall, boot, awake;
};

struct absence {
	struct absence_clocks last; /* the last turn that found nothing more to do looked then */
	struct absence_clocks look; /* and this turn */
	bool started;		    /* there was one */
	bool noted;		    /* that the store is away, for the next daemon */
	/* requests after the last look, and after this one: how long they took, and the longest of them */
	struct absence_busy {
		usec_t took, longest;
		const char *request; /* borrowed for ever; NULL: none */
	} busy, busy_now;
	char why[720];
};

/* At the beginning of a turn, before what is due is looked at. Answers the reason. */
const char *absence_look(struct absence *a, const struct rest *rest, const struct home *h);
/*
 * A turn failed. The next daemon of this home is to know that this one ran and had no store: it is noted in store.away,
 * or beside it (absence.c), until a turn is committed.
 */
void absence_note_away(struct absence *a, const struct rest *rest, const struct home *h);
/*
 * As db_on_wait(): the store does not answer, or does again. A long wait is noted there as well, since only another
 * daemon may live to tell it, and in the log.
 */
void absence_note_wait(const struct home *h, usec_t since);
/* What a daemon before us has noted of such a wait, and nobody has told yet; NULL: nothing. Caller frees. */
char *absence_untold(const struct home *h);
/* This daemon ends, in order. */
void absence_stop(const struct absence *a, const struct rest *rest, const struct home *h);
/* In this turn a request took so long. `name` is that of its row. */
void absence_note_request(struct absence *a, const char *name, usec_t took);
/* A turn was committed, and nothing is left to do that was due when it looked. */
void absence_end(struct absence *a, const struct home *h);
