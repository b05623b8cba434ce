/* next.c: when would this fire? A pure question: no store, no daemon. */
#include "request/json.h"
#include "request/read.h"
#include "request/rows.h"
#include "schedule/instant.h"
#include "schedule/phrase.h"

#include <stdlib.h>

#include "base/mem.h"

#define FIRES_DEFAULT 5
#define FIRES_MAX 100000

char *read_gap(const struct request *rq, const json_t *args, const char *key,
	       const struct zone *zone)
{
	const char *text = json_string_value(json_object_get(args, key));

	return text ? phrase_gap(text, rq->now, zone) : NULL;
}

static void add_warning(json_t *answer, json_t *text)
{
	if (!json_object_get(answer, "warnings"))
		json_put(answer, "warnings", json_array());
	json_array_append_new(json_object_get(answer, "warnings"), text);
}

void read_warn_gap(const struct request *rq, const json_t *args, const struct zone *zone,
		   json_t *answer)
{
	static const char *const keys[] = {"at", "until", "from"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		AUTO(free) char *note = read_gap(rq, args, keys[i], zone);

		if (note)
			add_warning(answer, json_sprintf("--%s: %s", keys[i], note));
	}
}

void read_warn_clock(const struct request *rq, json_t *answer)
{
	if (rq->now < CLOCK_FLOOR)
		add_warning(
			answer,
			json_string("the clock of this machine is not set: a time of the day or "
				    "a date means another moment until it is; --in counts from "
				    "now"));
}

/* *ret_after: fires are strictly after that. A day begins with its midnight, which is part of it. */
static int read_from(const struct request *rq, const json_t *args, const struct zone *zone,
		     usec_t *ret, usec_t *ret_after, struct error *err)
{
	const struct read_bound from = {"from", PHRASE_BEGIN, zone};
	int rc;

	*ret = rq->now;
	rc = read_bound(rq, args, &from, ret, err);
	*ret_after = rc > 0 ? *ret - 1 : *ret;
	return rc;
}

static int read_n(const json_t *args, int64_t *ret, struct error *err)
{
	int rc = json_get_int(args, "n", ret, err);

	if (rc < 0 || (*ret >= 1 && *ret <= FIRES_MAX))
		return rc;
	error_set(err, ERR_INVALID, "-n %lld is outside 1 to %d", (long long)*ret, FIRES_MAX);
	return error_hint(err, "for more, ask again with --from the last one");
}

static json_t *list_fires(const struct schedule *s, usec_t from, int64_t count)
{
	json_t *fires = json_array();
	usec_t at = from;

	for (int64_t i = 0; i < count && schedule_next(s, at, &at); i++)
		json_array_append_new(fires, json_instant(at, schedule_zone(s)));
	return fires;
}

static int exec_next(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(schedule_free) struct schedule *s = NULL;
	struct read_schedule read = {0};
	struct request then = *rq; /* everything is seen from --from */
	const struct zone *zone = NULL;
	const char *item = NULL, *source;
	int64_t count = FIRES_DEFAULT;
	usec_t after = 0;
	int rc;

	if ((rc = json_get_text(args, "tz", &item, err)) < 0 ||
	    (rc = read_zone(rq, item, &zone, &source, err)) < 0 ||
	    (rc = read_from(rq, args, zone, &then.now, &after, err)) < 0 ||
	    (rc = read_n(args, &count, err)) < 0 ||
	    (rc = read_schedule(&then, args, zone, false, &read, err)) < 0)
		return rc;
	struct schedule_spec spec = {read.kind, read.text, zone, read.anchor};
	if (read.kind == SCHEDULE_IDLE) {
		free(read.text);
		error_set(err, ERR_INVALID, "--idle has no times of its own: its agent decides");
		return error_hint(err, "'belfry why' tells what became of a reminder, and "
				       "'belfry agent ls' who is idle");
	}
	rc = schedule_parse(&spec, &s, err);
	free(read.text);
	if (rc < 0)
		return error_prefix(err, "--%s", schedule_kind_word(read.kind));
	AUTO(free) char *words = schedule_describe(s);
	*ret = json_object();
	json_put_text(*ret, "zone", zone_name(schedule_zone(s)));
	json_put_text(*ret, "describe", words);
	json_put(*ret, "fires", list_fires(s, after, count));
	/* It is no time to come, but a reminder would not miss it. */
	if (read.kind == SCHEDULE_AT && !json_array_size(json_object_get(*ret, "fires")))
		json_put_bool(*ret, "passed", true);
	read_warn_gap(&then, args, zone, *ret);
	return 0;
}

const struct request_row next_row = {
	.name = "next",
	.summary = "show when a schedule would fire, without saving anything",
	.details = "With --batch, one JSON object a line is read from standard input (cron, rrule, "
		   "every or at; tz, from, n; for rrule also dtstart, a local time) and answered "
		   "by one line each.",
	.examples = "belfry next --cron '30 2 * * *' --tz America/New_York --from 2026-03-07 -n 3\n"
		    "belfry next --rrule 'FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=17'",
	.args =
		(const struct request_arg[]){
			{"cron", 0, ARG_TEXT, "LINE", "a cron line", NULL, false, false},
			{"rrule", 0, ARG_TEXT, "RULE", "an RFC 5545 rule", NULL, false, false},
			{"every", 0, ARG_DURATION, "DURATION", "a grid that starts at --from", NULL,
			 false, false},
			{"at", 0, ARG_TIME, "TIME", "one point in time", NULL, false, false},
			{"in", 0, ARG_DURATION, "DURATION", "one point in time after --from", NULL,
			 false, false},
			/* known, to say why it cannot be answered */
			{"idle", 0, ARG_DURATION, "DURATION", NULL, NULL, false, false},
			{"dtstart", 0, ARG_TEXT, "TIME", "the rule's start, a local time", NULL,
			 false, false},
			{"from", 0, ARG_TIME, "TIME",
			 "strictly after TIME (default: now); a day is all of it", NULL, false,
			 false},
			{"tz", 0, ARG_ZONE, "ZONE", "the time zone", NULL, false, false},
			{"n", 'n', ARG_INT, "N", "how many (default 5)", NULL, false, false},
			{"batch", 0, ARG_FLAG, NULL, "answer JSON lines from standard input", NULL,
			 false, false},
			{0}},
	.flags = REQUEST_READS | REQUEST_PURE,
	.exec = exec_next,
};
