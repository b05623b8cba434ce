/* rest.c: the back-off of the turn, and its lines in the diary. */
#include "daemon/rest.h"

#include <string.h>

#include "base/log.h"

#define REST_FIRST (1 * USEC_PER_SEC)
#define REST_LONGEST (30 * USEC_PER_SEC)
#define TRY_LONGEST (3 * USEC_PER_SEC)
#define NAMES_MAX 4

void rest_note(struct rest *r, const struct error *err)
{
	bool renamed = strcmp(err->message, r->error.message) != 0;

	if ((r->named == 0 || renamed) && r->named < NAMES_MAX) {
		log_error("%s%s%s; trying again", err->message, *err->hint ? ": " : "", err->hint);
		r->named++;
	}
	r->error = *err;
}

void rest_begin(struct rest *r, const struct error *err)
{
	usec_t pause = 0;

	if (!r->since)
		r->since = clock_now();
	r->failures += r->failures == 0 || !r->early;
	r->early = false;
	rest_note(r, err);
	for (unsigned i = 1; i < r->failures && pause < REST_LONGEST; i++)
		pause = pause ? pause * 2 : REST_FIRST;
	r->until = clock_monotonic() + (pause < REST_LONGEST ? pause : REST_LONGEST);
}

bool rest_may_try(const struct rest *r)
{
	return clock_monotonic() >= r->try_at;
}

void rest_tried(struct rest *r, usec_t since)
{
	usec_t now = clock_monotonic(), span = now - since;

	span = span > REST_FIRST ? span : REST_FIRST;
	r->try_at = now + (span < TRY_LONGEST ? span : TRY_LONGEST);
}

void rest_hurry(struct rest *r)
{
	r->early = rest_left(r) > 0;
	r->until = clock_monotonic();
}

void rest_end(struct rest *r)
{
	if (r->failures)
		log_info("the store works again");
	*r = (struct rest){0};
}

usec_t rest_left(const struct rest *r)
{
	usec_t left = r->failures ? r->until - clock_monotonic() : 0;

	return left > 0 ? left : 0;
}

bool rest_is_over(const struct rest *r)
{
	return rest_left(r) == 0;
}
