/*
 * tool.c: what the rows for agents share. Two rules hold for all of them: whoever asks reaches only what
 * belongs to its user, and no model has to do arithmetic with times, neither to ask nor to understand.
 */
#include "request/tool.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "engine/engine.h"
#include "request/caller.h"
#include "request/json.h"
#include "request/read.h"
#include "schedule/duration.h"
#include "schedule/instant.h"
#include "schedule/phrase.h"

int tool_put_now(const struct request *rq, const char *item, json_t *result, struct error *err)
{
	const struct zone *zone;
	const char *source;
	int rc = read_zone(rq, item, &zone, &source, err);

	if (rc < 0)
		return rc;
	json_put(result, "now", json_instant(rq->now, zone));
	json_put_text(result, "timezone", zone_name(zone));
	json_put_text(result, "timezone_source", source);
	json_put_bool(result, "scheduler_running", rq->scheduler_running);
	return 0;
}

void tool_say_scheduler(const json_t *result, struct buf *out)
{
	if (json_is_false(json_object_get(result, "scheduler_running")))
		buf_add_str(out,
			    "\nNo scheduler is running: this is saved, but nothing fires until "
			    "'belfry daemon start'. Tell the user.");
}

/* --- times --- */

char *tool_span_words(usec_t span)
{
	static const struct {
		const char *word;
		usec_t size;
	} units[] = {{"day", USEC_PER_DAY},
		     {"hour", USEC_PER_HOUR},
		     {"minute", USEC_PER_MINUTE},
		     {"second", USEC_PER_SEC}};
	struct buf out = {0};
	size_t i = 0;

	while (i < 3 && span < units[i].size)
		i++;
	for (size_t end = i + 2; i < end && i < 4; i++) {
		long long n = span / units[i].size;

		span %= units[i].size;
		if (n || (i == 3 && !out.len))
			buf_printf(&out, "%s%lld %s%s", out.len ? " " : "", n, units[i].word,
				   n == 1 ? "" : "s");
	}
	return buf_steal(&out);
}

void tool_put_when(const struct request *rq, usec_t at, const struct zone *zone, json_t *o)
{
	char local[INSTANT_TEXT_MAX];

	json_put(o, "fire_at", json_instant(at, zone));
	json_put(o, "local_time", json_null());
	json_put(o, "relative", json_null());
	if (at == USEC_NONE)
		return;
	AUTO(free) char *span = tool_span_words(at > rq->now ? at - rq->now : rq->now - at);

	instant_format_long(at, zone, local);
	json_put_text(o, "local_time", local);
	json_put(o, "relative", json_sprintf(at > rq->now ? "in %s" : "%s ago", span));
}

void tool_say_when(const json_t *o, struct buf *out)
{
	const char *local = json_string_value(json_object_get(o, "local_time"));

	if (!local)
		buf_add_str(out, "no time");
	else
		buf_printf(out, "%s (%s)", local,
			   json_string_value(json_object_get(o, "relative")));
}

void tool_note_gap(const struct request *rq, const json_t *args, const char *key,
		   const struct zone *zone, json_t *o)
{
	const char *before = json_string_value(json_object_get(o, "note"));
	AUTO(free) char *gap = read_gap(rq, args, key, zone);

	if (gap)
		json_put(o, "note",
			 json_sprintf("%s%s%s.", before ? before : "", before ? " " : "", gap));
}

void tool_say_note(const json_t *o, struct buf *out)
{
	const char *note = json_string_value(json_object_get(o, "note"));

	if (note)
		buf_printf(out, "\n%s", note);
}

void tool_say_line(const char *text, struct buf *out)
{
	AUTO(free) char *line = text_one_line(text ? text : "");

	buf_add_str(out, line);
}

int tool_read_zone(const struct request *rq, const json_t *args, const struct zone **ret,
		   struct error *err)
{
	const char *item = json_string_value(json_object_get(args, "timezone")), *source;
	int rc = read_zone(rq, item, ret, &source, err);

	return rc < 0 && item ? error_prefix(err, "invalid timezone") : rc;
}

static int refuse_past(const struct request *rq, const char *key, usec_t at,
		       const struct zone *zone, struct error *err)
{
	char then[INSTANT_TEXT_MAX], now[INSTANT_TEXT_MAX];

	instant_format_long(at, zone, then);
	instant_format_long(rq->now, zone, now);
	error_set(err, ERR_INVALID, "'%s' must be in the future: %s has passed, it is %s now", key,
		  then, now);
	return error_hint(err,
			  "ask the user for a later time, or give a span from now: in \"30m\"");
}

int tool_read_when(const struct request *rq, const json_t *args, const char *key,
		   const struct zone *zone, json_t *plain, struct error *err)
{
	const char *time = json_string_value(json_object_get(args, key));
	const char *in = json_string_value(json_object_get(args, "in"));
	usec_t at, span;
	int rc;

	if (!time && !in)
		return 0;
	if (time && in) {
		error_set(err, ERR_INVALID, "two times: '%s' and 'in'", key);
		return error_hint(
			err, "give one: 'in' for a span from now, '%s' for a point in time", key);
	}
	rc = time ? phrase_parse(time, rq->now, zone, &at, err) : duration_parse(in, &span, err);
	if (rc < 0)
		return error_prefix(err, "invalid %s", time ? key : "in");
	if (in)
		at = rq->now + span;
	if (at <= rq->now)
		return refuse_past(rq, time ? key : "in", at, zone, err);
	json_put(plain, "at", json_instant(at, zone));
	return 1;
}

/* --- arguments --- */

json_t *tool_excerpt(const char *text, size_t max)
{
	size_t fit;

	if (strlen(text) <= max)
		return json_string(text);
	fit = text_fit(text, max);
	return json_sprintf("%.*s…", (int)fit, text);
}

json_t *tool_given(const json_t *args)
{
	json_t *given = json_object(), *value;
	const char *key;

	json_object_foreach((json_t *)args, key, value)
	{
		if (!json_is_null(value))
			json_object_set(given, key, value);
	}
	return given;
}

void tool_copy(const json_t *args, const struct tool_key *keys, json_t *into)
{
	for (; keys->from; keys++)
		if (json_object_get(args, keys->from))
			json_object_set(into, keys->to, json_object_get(args, keys->from));
}

int tool_refuse_missing(const char *key, const char *hint, struct error *err)
{
	error_set(err, ERR_INVALID, "missing required parameter: %s", key);
	return error_hint(err, "%s", hint);
}

int tool_read_limit(const json_t *args, const char *key, int64_t most, int64_t *ret,
		    struct error *err)
{
	int rc = json_get_int(args, key, ret, err);

	if (rc < 0 || (*ret >= 1 && *ret <= most))
		return rc;
	error_set(err, ERR_INVALID, "'%s' %lld is outside 1 to %lld", key, (long long)*ret,
		  (long long)most);
	return error_hint(err, "leave it out for the default");
}

const struct config_agent *tool_agent(const struct request *rq, const json_t *args,
				      struct error *err)
{
	const struct config *config = engine_config(rq->engine);
	const char *name = json_string_value(json_object_get(args, "agent"));
	const struct config_agent *agent;
	struct error unknown = {0};

	if (!name && rq->caller.agent) {
		agent = config_agent(config, rq->caller.agent, &unknown);
		if (agent && agent->adapter)
			return agent;
	}
	agent = name ? config_agent(config, name, err) : config_default_agent(config, err);
	if (agent && !agent->adapter) {
		read_refuse_agent(config, agent, err);
		return NULL;
	}
	return agent;
}

/* --- what is there --- */

static int not_found(const char *what, const char *id, struct error *err)
{
	if (!*id)
		return error_set(err, ERR_INVALID, "The id is empty.");
	error_set(err, ERR_NOT_FOUND, "%s %.*s not found.", what, 100, id);
	return error_hint(err, "list those there are, and use an id from there");
}

int tool_find_own(const struct request *rq, const char *what, const char *id, struct reminder **ret,
		  struct error *err)
{
	int rc = reminder_find_of(engine_db(rq->engine), caller_scope(&rq->caller), id, ret, err);

	if (rc == ERR_NOT_FOUND)
		return not_found(what, id, err);
	return rc < 0 ? rc : 0;
}

/* --- errors --- */

/* In place: it only gets shorter. */
static void plain_words(char *text)
{
	char *out = text;
	bool flag = false;

	if (strstr(text, "belfry "))
		return;
	for (const char *p = text; *p; p++) {
		bool begins = p == text || strchr(" '(", p[-1]);

		if (begins && p[0] == '-' && p[1] == '-' && islower((unsigned char)p[2])) {
			flag = true;
			p++;
			continue;
		}
		flag = flag && (islower((unsigned char)*p) || *p == '-');
		*out++ = flag && *p == '-' ? '_' : *p;
	}
	*out = '\0';
}

void tool_plain_error(struct error *err)
{
	plain_words(err->message);
	plain_words(err->hint);
}

int tool_hint_args(const struct request_row *row, struct error *err)
{
	AUTO_BUF struct buf names = {0};

	for (const struct request_arg *arg = row->args; arg->name; arg++) {
		if (arg->for_people)
			continue;
		buf_add_str(&names, names.len ? ", " : "");
		for (const char *p = arg->name; *p; p++)
			buf_add(&names, *p == '-' ? "_" : p, 1);
	}
	if (!names.len)
		return error_hint(err, "it takes no arguments");
	return error_hint(err, "it takes: %s", buf_text(&names));
}
