/*
 * tool-preview.c: for agents: what a schedule would do. The work is that of `belfry next`; times are told in
 * words as well.
 */
#include <string.h>

#include "request/rows.h"
#include "request/tool.h"
#include "schedule/instant.h"

#define PREVIEW_DEFAULT 5
#define PREVIEW_MAX 100

static const char *text_of(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

static const struct tool_key preview_keys[] = {{"cron", "cron"},
					       {"rrule", "rrule"},
					       {"every", "every"},
					       {"at", "at"},
					       {"in", "in"},
					       {"timezone", "tz"},
					       {0}};

static int put_fires(const struct request *rq, const json_t *next, json_t *o, struct error *err)
{
	const json_t *times = json_object_get(next, "fires");
	json_t *fires = json_array();
	const struct zone *zone;
	int rc = zone_get(text_of(next, "zone"), &zone, err);

	json_put(o, "fires", fires);
	for (size_t i = 0; rc >= 0 && i < json_array_size(times); i++) {
		json_t *fire = json_object();
		usec_t at = USEC_NONE;

		rc = instant_parse(json_string_value(json_array_get(times, i)), zone, &at, err);
		tool_put_when(rq, at, zone, fire);
		json_array_append_new(fires, fire);
	}
	json_put_bool(o, "never", !json_array_size(times));
	return rc;
}

/* Exactly one; the words are those of a tool. */
static int check_schedule(const json_t *args, struct error *err)
{
	const char *first = NULL;

	for (const struct tool_key *k = preview_keys; strcmp(k->from, "timezone") != 0; k++) {
		if (!json_object_get(args, k->from))
			continue;
		if (first) {
			error_set(err, ERR_INVALID, "two schedules: '%s' and '%s'", first, k->from);
			return error_hint(err, "give exactly one of cron, rrule, every, at, in");
		}
		first = k->from;
	}
	return first ? 0
		     : tool_refuse_missing("cron", "give one of cron, rrule, every, at, in", err);
}

static int exec_preview(const struct request *rq, const json_t *args, json_t **ret,
			struct error *err)
{
	AUTO(json_decref) json_t *given = tool_given(args);
	AUTO(json_decref) json_t *plain = json_object();
	AUTO(json_decref) json_t *next = NULL;
	AUTO(json_decref) json_t *o = json_object();
	const struct zone *zone;
	int64_t count = PREVIEW_DEFAULT;
	int rc;

	if ((rc = check_schedule(given, err)) < 0 ||
	    (rc = tool_read_limit(given, "count", PREVIEW_MAX, &count, err)) < 0 ||
	    (rc = tool_read_zone(rq, given, &zone, err)) < 0)
		return rc;
	tool_copy(given, preview_keys, plain);
	json_put_int(plain, "n", count);
	if ((rc = next_row.exec(rq, plain, &next, err)) < 0 ||
	    (rc = tool_put_now(rq, json_string_value(json_object_get(given, "timezone")), o, err)) <
		    0 ||
	    (rc = put_fires(rq, next, o, err)) < 0)
		return rc;
	json_put_text(o, "schedule", text_of(next, "describe"));
	/* A rule may name a zone of its own. */
	if (strcmp(text_of(next, "zone"), text_of(o, "timezone")) != 0) {
		json_put_text(o, "timezone", text_of(next, "zone"));
		json_put_text(o, "timezone_source", "item");
	}
	tool_note_gap(rq, given, "at", zone, o);
	*ret = json_incref(o);
	return 0;
}

static void say_preview(const json_t *o, struct buf *out)
{
	const json_t *fires = json_object_get(o, "fires");

	if (json_is_true(json_object_get(o, "never"))) {
		buf_printf(out, "Never: %s does not fire after now.", text_of(o, "schedule"));
		return;
	}
	buf_printf(out, "%s:", text_of(o, "schedule"));
	for (size_t i = 0; i < json_array_size(fires); i++) {
		buf_add_str(out, "\n- ");
		tool_say_when(json_array_get(fires, i), out);
	}
	tool_say_note(o, out);
}

const struct request_row tool_schedule_preview_row = {
	.name = "tool schedule_preview",
	.summary = "tell when a schedule would fire, without saving anything",
	.args =
		(const struct request_arg[]){
			{"cron", 0, ARG_TEXT, "LINE", "a cron line: '0 9 * * 1-5'", NULL, false,
			 false},
			{"rrule", 0, ARG_TEXT, "RULE",
			 "an RFC 5545 rule: 'FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=17'", NULL, false,
			 false},
			{"every", 0, ARG_DURATION, "DURATION", "a span that repeats: '90m'", NULL,
			 false, false},
			{"at", 0, ARG_TIME, "TIME", "a point in time: 'next friday noon'", NULL,
			 false, false},
			{"in", 0, ARG_DURATION, "DURATION", "a span from now: '2h'", NULL, false,
			 false},
			{"count", 0, ARG_INT, "N", "how many, 1 to 100 (default 5)", NULL, false,
			 false},
			{"timezone", 0, ARG_ZONE, "ZONE",
			 "IANA zone of local times, like Europe/Berlin", NULL, false, false},
			{0}},
	.flags = REQUEST_READS | REQUEST_HIDDEN,
	.exec = exec_preview,
	.tool =
		&(const struct request_tool){
			.name = "schedule_preview",
			.title = "Preview a schedule",
			.description = "Tell when a schedule or a time would fire, without saving "
				       "anything. "
				       "Use it to check what you are about to set, or to answer a "
				       "question "
				       "about dates and times instead of working it out yourself.",
			.trust = TRUST_INNER,
			.hints = TOOL_READS | TOOL_IDEMPOTENT,
			.output =
				"{\"type\":\"object\",\"additionalProperties\":false,"
				"\"required\":[\"schedule\",\"fires\",\"never\"," TOOL_NOW_REQUIRED
				"],\"properties\":{\"schedule\":{\"type\":\"string\"},"
				"\"fires\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
				"\"additionalProperties\":false,\"required\":[" TOOL_WHEN_REQUIRED
				"],\"properties\":{" TOOL_WHEN_PROPERTIES "}}},"
				"\"never\":{\"type\":\"boolean\",\"description\":\"it does not "
				"fire "
				"after now\"}," TOOL_NOTE_PROPERTY "," TOOL_NOW_PROPERTIES "}}",
			.say = say_preview},
};
