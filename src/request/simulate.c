/*
 * simulate.c: every fire of every active reminder in a span, in order, touching nothing.
 * A page holds the earliest fires after the last one of the page before. While reminders are read
 * one after another, a heap keeps the earliest PAGE_FIRES seen so far, its latest on top: memory
 * stays the same whatever the span, and a reminder is followed only while it can still matter.
 * What lies ahead is read in the order of when it is next due, and only as far as that can matter:
 * the reminders that are due later cost nothing, were they a million.
 */
#include "engine/engine.h"
#include "engine/preview.h"
#include "request/caller.h"
#include "request/json.h"
#include "request/read.h"
#include "request/rows.h"
#include "schedule/instant.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define PAGE_FIRES 2000
#define READ_ROWS 500
#define STEPS_MAX 500000 /* a few hundred milliseconds; beyond that the loop would notice */
#define ROW_STEPS 4	 /* what reading and parsing a reminder is worth in fires */

struct fire {
	usec_t at;
	int64_t key; /* the reminder's; breaks ties */
};

struct page {
	struct fire fires[PAGE_FIRES];
	size_t count;
	bool overflowed;
	int64_t steps;
};

static bool is_before(struct fire a, struct fire b)
{
	return a.at < b.at || (a.at == b.at && a.key < b.key);
}

static void swap(struct fire *a, struct fire *b)
{
	struct fire held = *a;

	*a = *b;
	*b = held;
}

static void sift_up(struct page *p, size_t i)
{
	for (; i && is_before(p->fires[(i - 1) / 2], p->fires[i]); i = (i - 1) / 2)
		swap(&p->fires[(i - 1) / 2], &p->fires[i]);
}

static void sift_down(struct page *p)
{
	for (size_t i = 0, child; (child = 2 * i + 1) < p->count; i = child) {
		if (child + 1 < p->count && is_before(p->fires[child], p->fires[child + 1]))
			child++;
		if (!is_before(p->fires[i], p->fires[child]))
			return;
		swap(&p->fires[i], &p->fires[child]);
	}
}

/* False when the page is full of earlier ones: nothing later of the same reminder fits either. */
static bool offer(struct page *p, struct fire fire)
{
	if (p->count < PAGE_FIRES) {
		p->fires[p->count++] = fire;
		sift_up(p, p->count - 1);
		return true;
	}
	p->overflowed = true;
	if (!is_before(fire, p->fires[0]))
		return false;
	p->fires[0] = fire;
	sift_down(p);
	return true;
}

struct span {
	usec_t from, to;
	struct fire after; /* the last fire of the page before */
	const char *agent;
	const char *owner; /* whose; NULL: everybody's */
	bool whole; /* it begins with a day, and so with its midnight; else strictly after `from` */
	bool ahead; /* it has not begun yet: what is due next says what can fire in it */
};

static int spend(struct page *p, int steps, struct error *err)
{
	p->steps += steps;
	if (p->steps <= STEPS_MAX)
		return 0;
	error_set(err, ERR_INVALID, "too many reminders or fires to simulate at once");
	return error_hint(err, "name an agent, or choose a shorter span");
}

static bool is_seen(const struct span *span, const struct reminder *r)
{
	return !span->owner || strcmp(span->owner, r->owner ? r->owner : "me") == 0;
}

/* The fires of one reminder, as long as they can still matter. */
static int follow(const struct reminder *r, const struct span *span, struct page *p,
		  struct error *err)
{
	AUTO_PREVIEW struct preview ahead = {0};
	usec_t from = span->from - span->whole;
	usec_t begin = from > r->created_at ? from : r->created_at;
	struct fire fire = {.key = r->key};
	int rc = spend(p, ROW_STEPS, err);

	if (!is_seen(span, r))
		return rc;
	if (strcmp(r->schedule_kind, "at") == 0)
		begin = from;
	/* Jitter may carry an occurrence from before the last page into this one. */
	if (span->after.at != USEC_NONE && span->after.at - r->jitter > begin)
		begin = span->after.at - r->jitter - 1;
	preview_begin(&ahead, r, begin);
	while (rc >= 0 && preview_next(&ahead, &fire.at) && fire.at <= span->to) {
		rc = spend(p, 1, err);
		if (span->after.at != USEC_NONE && !is_before(span->after, fire))
			continue;
		if (!offer(p, fire))
			break;
	}
	return rc;
}

/* No fire of a reminder comes before it is due next. */
static bool is_too_late(const struct page *p, const struct reminder *r)
{
	const struct fire first = {r->due_at, r->key};

	return p->count == PAGE_FIRES && !is_before(first, p->fires[0]);
}

static int fill_ahead(struct db *db, const struct span *span, struct page *p, struct error *err)
{
	struct reminder_span due = {.agent = span->agent,
				    .by = span->to,
				    .since = span->after.at,
				    .after_due = INT64_MIN,
				    .limit = READ_ROWS};

	for (;;) {
		AUTO_REMINDERS struct reminder_list rows = {0};
		int rc = reminder_list_due(db, &due, &rows, err);

		for (size_t i = 0; rc >= 0 && i < rows.count; i++) {
			if (is_too_late(p, rows.items[i])) {
				p->overflowed = true;
				return 0;
			}
			rc = follow(rows.items[i], span, p, err);
		}
		if (rc < 0 || rows.count < READ_ROWS)
			return rc;
		due.after_due = rows.items[rows.count - 1]->due_at;
		due.after = rows.items[rows.count - 1]->key;
	}
}

/* Of a span that has begun nobody has noted what would have fired in it: all of them are read. */
static int fill_all(struct db *db, const struct span *span, struct page *p, struct error *err)
{
	struct reminder_filter filter = {.agent = span->agent,
					 .owner = span->owner,
					 .active_only = true,
					 .limit = READ_ROWS};

	for (;;) {
		AUTO_REMINDERS struct reminder_list rows = {0};
		int rc = reminder_list(db, &filter, &rows, err);

		for (size_t i = 0; rc >= 0 && i < rows.count; i++)
			rc = follow(rows.items[i], span, p, err);
		if (rc < 0 || rows.count < READ_ROWS)
			return rc;
		filter.after = rows.items[rows.count - 1]->key;
	}
}

static int fill(struct db *db, const struct span *span, struct page *p, struct error *err)
{
	return (span->ahead ? fill_ahead : fill_all)(db, span, p, err);
}

static int compare(const void *a, const void *b)
{
	return is_before(*(const struct fire *)a, *(const struct fire *)b) ? -1 : 1;
}

static int put_fires(struct db *db, struct page *p, json_t *fires, struct error *err)
{
	qsort(p->fires, p->count, sizeof(p->fires[0]), compare);
	for (size_t i = 0; i < p->count; i++) {
		AUTO(reminder_free) struct reminder *r = NULL;
		json_t *o;
		int rc = reminder_get(db, p->fires[i].key, &r, err);

		if (rc < 0)
			return rc;
		o = json_object();
		json_put(o, "at", json_instant(p->fires[i].at, reminder_zone(r)));
		json_put_text(o, "id", r->id);
		json_put_text(o, "name", r->name);
		if (!r->name)
			json_put_text(o, "message", r->message);
		json_put_text(o, "agent", r->agent);
		json_array_append_new(fires, o);
	}
	return 0;
}

static int read_span(const struct request *rq, const json_t *args, const struct zone *zone,
		     struct span *ret, struct error *err)
{
	const struct read_bound from = {"from", PHRASE_BEGIN, zone}, to = {"to", PHRASE_END, zone};
	const json_t *after = json_object_get(args, "after");
	int rc;

	*ret = (struct span){
		.from = rq->now, .after = {.at = USEC_NONE}, .owner = caller_scope(&rq->caller)};
	if ((rc = json_get_text(args, "agent", &ret->agent, err)) < 0 ||
	    (rc = read_bound(rq, args, &from, &ret->from, err)) < 0)
		return rc;
	ret->whole = rc > 0;
	ret->to = ret->from + USEC_PER_DAY - ret->whole;
	if ((rc = read_bound(rq, args, &to, &ret->to, err)) < 0)
		return rc;
	if (ret->to < ret->from) {
		error_set(err, ERR_INVALID, "--to lies before --from");
		return error_hint(err, "without --to it is a day from --from");
	}
	if (ret->agent && !config_agent(engine_config(rq->engine), ret->agent, err))
		return err->code;
	if (json_is_array(after)) {
		ret->after.at = json_integer_value(json_array_get(after, 0));
		ret->after.key = json_integer_value(json_array_get(after, 1));
	}
	/* USEC_NONE is before everything. */
	ret->ahead = ret->from >= rq->now || ret->after.at >= rq->now;
	return 0;
}

static int exec_simulate(const struct request *rq, const json_t *args, json_t **ret,
			 struct error *err)
{
	AUTO(json_decref) json_t *fires = json_array();
	AUTO(free) char *memory = mem_zalloc(sizeof(struct page));
	struct page *p = (struct page *)(void *)memory;
	const struct zone *zone = NULL;
	const char *item = NULL, *source;
	struct span span;
	int rc;

	if ((rc = json_get_text(args, "tz", &item, err)) < 0 ||
	    (rc = read_zone(rq, item, &zone, &source, err)) < 0 ||
	    (rc = read_span(rq, args, zone, &span, err)) < 0 ||
	    (rc = fill(engine_db(rq->engine), &span, p, err)) < 0 ||
	    (rc = put_fires(engine_db(rq->engine), p, fires, err)) < 0)
		return rc;
	*ret = json_object();
	json_put(*ret, "from", json_instant(span.from, zone));
	json_put(*ret, "to", json_instant(span.to, zone));
	json_put(*ret, "fires", json_incref(fires));
	json_put(*ret, "more",
		 p->overflowed ? json_pack("[I,I]", (json_int_t)p->fires[p->count - 1].at,
					   (json_int_t)p->fires[p->count - 1].key)
			       : json_null());
	return 0;
}

const struct request_row simulate_row = {
	.name = "simulate",
	.summary = "list every fire of every active reminder in a span, without touching anything",
	.details = "Conditions are taken as true: nobody can know what they will say. What waits "
		   "for an agent to be "
		   "idle (--idle) is told only while that agent is.",
	.examples = "belfry simulate --to 'tomorrow 9am'\n"
		    "belfry simulate --from 2026-03-07 --to 2026-03-09 --json",
	.args =
		(const struct request_arg[]){
			{"agent", 0, ARG_AGENT, "AGENT", "only this agent's", NULL, true, false},
			{"from", 0, ARG_TIME, "TIME",
			 "strictly after TIME (default: now); a day is all of it", NULL, false,
			 false},
			{"to", 0, ARG_TIME, "TIME",
			 "up to TIME (default: a day after --from); a day is all of it", NULL,
			 false, false},
			{"tz", 0, ARG_ZONE, "ZONE", "the zone --from and --to are read in", NULL,
			 false, false},
			{"after", 0, ARG_TEXT, "CURSOR", NULL, NULL, false, false},
			{0}},
	.flags = REQUEST_READS,
	.exec = exec_simulate,
};
