/*
 * rrule-parse.c: recurrence as iCalendar writes it.
 * People and agents paste rules in many wrappings: one bare rule, lines as in a calendar file, the
 * same on one line, or with "\n" spelled out inside JSON. So the text is first brought to one form,
 * one property a line, remembering for each byte the column it came from. DTSTART and RRULE are
 *read first, since the zone of DTSTART decides what the dates of the others mean.
 *
 * Choices where RFC 5545 leaves room or is commonly broken:
 *	DTSTART:…Z             the rule lives in UTC
 *	DTSTART as a date      midnight; BYHOUR and finer still count
 *	UNTIL as a date        through the end of that day
 *	RDATE as a date        at DTSTART's time of day
 *	EXDATE as a date       takes away the whole day
 *	no RRULE               RDATE's dates, and a DTSTART of the text's own
 *	several RRULE, EXRULE, RDATE of periods    refused
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "schedule/quote.h"
#include "schedule/rrule-internal.h"

enum property { DTSTART, RRULE, RDATE, EXDATE, EXRULE }; /* as in rrule_property_names */
#define PROPERTIES RRULE_PROPERTIES

/* One property of the text. */
struct line {
	enum property property;
	bool is_date;		 /* VALUE=DATE */
	const struct zone *zone; /* TZID, or NULL */
	struct rrule_slice value;
};

struct parser {
	struct rrule_text text;
	struct rrule *rule;
	struct rrule_parts parts;
	bool seen[PROPERTIES];
};

/* A time on another zone's clock, or of UTC, as the rule's zone shows it. */
static local_t stamp_local(const struct parser *p, const struct rrule_stamp *s,
			   const struct zone *zone)
{
	local_t local = s->local;

	if (s->is_utc)
		zone = zone_utc();
	if (!s->is_date && zone && zone != p->rule->zone)
		local = zone_local(p->rule->zone, zone_instant(zone, local));
	return local > LOCAL_MAX ? LOCAL_MAX : local;
}

/* TZID=Europe/Berlin, also in double quotes. */
static int parse_zone(const struct rrule_text *t, struct rrule_slice value, const struct zone **ret)
{
	bool quoted = value.len >= 2 && value.at[0] == '"' && value.at[value.len - 1] == '"';
	AUTO(free) char *name = mem_strndup(value.at + quoted, value.len - 2 * (size_t)quoted);

	if (zone_get(name, ret, t->err) < 0)
		return error_prefix(t->err, "rrule: TZID at column %d", rrule_column(t, value.at));
	return 0;
}

static int parse_parameter(const struct rrule_text *t, struct rrule_slice param, struct line *line)
{
	static const char tzid[] = "TZID=", value[] = "VALUE=";
	const size_t tzid_len = sizeof(tzid) - 1, value_len = sizeof(value) - 1;
	struct rrule_slice rest = {param.at + value_len, param.len - value_len};

	if (line->property == RRULE || line->property == EXRULE)
		return rrule_bad(t, "unexpected parameter", param,
				 "write 'RRULE:FREQ=…', with a colon");
	if (param.len > tzid_len && strncasecmp(param.at, tzid, tzid_len) == 0 && !line->zone)
		return parse_zone(t,
				  (struct rrule_slice){param.at + tzid_len, param.len - tzid_len},
				  &line->zone);
	if (param.len <= value_len || strncasecmp(param.at, value, value_len) != 0)
		return rrule_bad(t, "unexpected parameter", param,
				 "TZID=ZONE and VALUE=DATE are known");
	if (rest.len == 9 && strncasecmp(rest.at, "DATE-TIME", 9) == 0)
		return 0;
	if (rest.len == 6 && strncasecmp(rest.at, "PERIOD", 6) == 0)
		return rrule_bad(t, "unsupported parameter", param,
				 "periods are not supported: list their starts");
	if (rest.len != 4 || strncasecmp(rest.at, "DATE", 4) != 0)
		return rrule_bad(t, "unexpected parameter", param, "VALUE is DATE or DATE-TIME");
	line->is_date = true;
	return 0;
}

static int find_property(const struct rrule_text *t, struct rrule_slice name, enum property *ret)
{
	char word[QUOTE_MAX + 1] = "";
	const char *near = NULL;

	memcpy(word, name.at, (size_t)quote_len(name.at, name.len));
	for (int i = 0; i < PROPERTIES; i++)
		if (strcasecmp(word, rrule_property_names[i]) == 0) {
			*ret = (enum property)i;
			return 0;
		}
	rrule_bad(t, "unknown property", name, "DTSTART, RRULE, RDATE and EXDATE are known");
	near = text_nearest(word, rrule_property_names, PROPERTIES - 1);
	return near ? error_hint(t->err, "did you mean '%s'?", near) : t->err->code;
}

/* NAME[;PARAMETER=VALUE…]:VALUE, or a rule without its name. */
static int parse_line(const struct rrule_text *t, struct rrule_slice text, struct line *ret)
{
	size_t n = strcspn(text.at, ":;=\n");
	struct rrule_slice name = {text.at, n};
	int r = 0;

	*ret = (struct line){.property = RRULE, .value = text};
	if (text.at[n] == '=')
		return 0;
	if (n == text.len)
		return rrule_bad(t, "no property in", text,
				 "a rule looks like 'FREQ=WEEKLY;BYDAY=MO,FR;BYHOUR=9'");
	r = find_property(t, name, &ret->property);
	while (r == 0 && n < text.len && text.at[n] == ';') {
		struct rrule_slice param = {text.at + n + 1, strcspn(text.at + n + 1, ":;\n")};

		r = parse_parameter(t, param, ret);
		n += param.len + 1;
	}
	if (r < 0)
		return r;
	if (n >= text.len || text.at[n] != ':')
		return rrule_bad(t, "no ':' in", text, "write 'NAME:VALUE'");
	ret->value = (struct rrule_slice){text.at + n + 1, text.len - n - 1};
	return 0;
}

static int parse_dtstart(struct parser *p, const struct line *line)
{
	const struct rrule_text *t = &p->text;
	struct rrule_stamp stamp = {0};

	if (p->seen[DTSTART])
		return rrule_bad(t, "second DTSTART", line->value, "one rule has one start");
	if (rrule_stamp_parse(t, "DTSTART", line->value, &stamp) < 0)
		return t->err->code;
	if (line->is_date && !stamp.is_date)
		return rrule_bad(t, "bad DTSTART", line->value, "VALUE=DATE wants a date alone");
	if (line->zone && stamp.is_utc)
		return rrule_bad(t, "bad DTSTART", line->value,
				 "a TZID and a Z contradict each other");
	if (stamp.is_utc)
		p->rule->zone = zone_utc();
	else if (line->zone)
		p->rule->zone = line->zone;
	p->rule->dtstart = stamp.local;
	return 0;
}

static int parse_rule(struct parser *p, const struct line *line)
{
	if (p->seen[RRULE])
		return rrule_bad(
			&p->text, "second rule", line->value,
			"one rule at a time: join its parts with ';', or make two reminders");
	return rrule_parts_parse(&p->text, line->value, &p->parts);
}

static void dates_add(struct parser *p, const struct line *line, const struct rrule_stamp *s)
{
	struct rrule *r = p->rule;
	local_t local = stamp_local(p, s, line->zone);

	if (line->property == RDATE) {
		if (s->is_date)
			local += floor_mod(r->dtstart, DAY_SECONDS);
		r->added = mem_grow(r->added, r->added_len + 1, sizeof(*r->added));
		r->added[r->added_len++] = local;
		return;
	}
	r->excluded = mem_grow(r->excluded, r->excluded_len + 1, sizeof(*r->excluded));
	r->excluded[r->excluded_len++] = (struct rrule_span){
		local,
		s->is_date ? local + DAY_SECONDS - 1 : local,
	};
}

static int parse_dates(struct parser *p, const struct line *line)
{
	const char *name = rrule_property_names[line->property];
	const char *end = line->value.at + line->value.len;
	struct rrule_slice item = {line->value.at, 0};

	for (;; item.at += item.len + 1) {
		struct rrule_stamp stamp = {0};

		item.len = strcspn(item.at, ",\n");
		if (rrule_stamp_parse(&p->text, name, item, &stamp) < 0)
			return p->text.err->code;
		if (line->is_date && !stamp.is_date)
			return rrule_bad(&p->text, "bad date", item,
					 "VALUE=DATE wants a date alone");
		if (line->zone && stamp.is_utc)
			return rrule_bad(&p->text, "bad date", item,
					 "a TZID and a Z contradict each other");
		dates_add(p, line, &stamp);
		if (item.at + item.len == end)
			return 0;
	}
}

/* DTSTART and RRULE in the first pass; the dates, which need them, in the second. */
static int parse_property(struct parser *p, const struct line *line, bool dates)
{
	int r = 0;

	if (line->property == EXRULE)
		return rrule_bad(&p->text, "unsupported EXRULE", line->value,
				 "RFC 5545 dropped it: list the dates in EXDATE");
	if (line->property == RDATE || line->property == EXDATE)
		r = dates ? parse_dates(p, line) : 0;
	else if (!dates)
		r = line->property == DTSTART ? parse_dtstart(p, line) : parse_rule(p, line);
	p->seen[line->property] = true;
	return r;
}

static int parse_pass(struct parser *p, bool dates)
{
	for (const char *at = p->text.text; *at; at += *at == '\n') {
		struct rrule_slice text = {at, strcspn(at, "\n")};
		struct line line;
		int r = parse_line(&p->text, text, &line);

		if (r == 0)
			r = parse_property(p, &line, dates);
		if (r < 0)
			return r;
		at += text.len;
	}
	return 0;
}

static int compare_spans(const void *a, const void *b)
{
	const struct rrule_span *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

static int compare_locals(const void *a, const void *b)
{
	local_t x = *(const local_t *)a, y = *(const local_t *)b;

	return (x > y) - (x < y);
}

/* Sort EXDATE and join what overlaps, so that a search by halves finds the one that covers. */
static void sort_excluded(struct rrule *r)
{
	size_t kept = 0;

	if (r->excluded_len > 0)
		qsort(r->excluded, r->excluded_len, sizeof(*r->excluded), compare_spans);
	for (size_t i = 0; i < r->excluded_len; i++) {
		struct rrule_span *last = kept ? &r->excluded[kept - 1] : NULL;

		if (!last || r->excluded[i].first > last->last + 1)
			r->excluded[kept++] = r->excluded[i];
		else if (r->excluded[i].last > last->last)
			last->last = r->excluded[i].last;
	}
	r->excluded_len = kept;
}

/* Sort RDATE, dropping what is there twice and what EXDATE takes away. */
static void sort_added(struct rrule *r)
{
	size_t kept = 0, out = 0;

	if (r->added_len > 0)
		qsort(r->added, r->added_len, sizeof(*r->added), compare_locals);
	for (size_t i = 0; i < r->added_len; i++) {
		local_t local = r->added[i];

		while (out < r->excluded_len && r->excluded[out].last < local)
			out++;
		if (out < r->excluded_len && r->excluded[out].first <= local)
			continue;
		if (kept == 0 || r->added[kept - 1] != local)
			r->added[kept++] = local;
	}
	r->added_len = kept;
}

/* Where the rule ends: UNTIL, COUNT, or before it begins when it never matches. */
static int set_last(struct parser *p, bool possible)
{
	const struct rrule_parts *parts = &p->parts;
	struct rrule *r = p->rule;
	local_t limit = r->dtstart + RRULE_HORIZON, first = 0;
	int64_t steps = 0;

	r->last = LOCAL_MAX;
	if (possible && limit > LOCAL_MAX)
		limit = LOCAL_MAX;
	if (!possible || !rrule_expand(r, r->dtstart, limit, &steps, &first)) {
		r->last = INT64_MIN;
		return 0;
	}
	if (parts->column[RRULE_PART_UNTIL])
		r->last = stamp_local(p, &parts->until, NULL) +
			  (parts->until.is_date ? DAY_SECONDS - 1 : 0);
	if (parts->count == 0 || rrule_count_last(r, parts->count, &r->last))
		return 0;
	error_set(p->text.err, ERR_INVALID,
		  "rrule: COUNT '%" PRId64 "' at column %d is too far to count", parts->count,
		  parts->column[RRULE_PART_COUNT]);
	return error_hint(p->text.err, "use UNTIL with the last date instead");
}

/* Whether the text itself says at what time of day, down to what FREQ repeats by. */
static bool time_is_fixed(const struct parser *p)
{
	const int *has = p->parts.column;

	if (p->seen[DTSTART] || p->parts.freq == RRULE_SECONDLY)
		return true;
	if (p->parts.freq == RRULE_MINUTELY)
		return has[RRULE_BYSECOND] || has[RRULE_BYMINUTE] || has[RRULE_BYHOUR];
	if (p->parts.freq == RRULE_HOURLY)
		return has[RRULE_BYMINUTE] || has[RRULE_BYHOUR];
	return has[RRULE_BYHOUR];
}

static int parse_all(struct parser *p)
{
	struct rrule *r = p->rule;

	if (parse_pass(p, false) < 0)
		return p->text.err->code;
	if (!p->seen[RRULE] && !p->seen[RDATE]) {
		error_set(p->text.err, ERR_INVALID, "rrule: neither RRULE nor RDATE in the text");
		return error_hint(p->text.err,
				  "a rule looks like 'FREQ=WEEKLY;BYDAY=MO,FR;BYHOUR=9'");
	}
	if (parse_pass(p, true) < 0)
		return p->text.err->code;
	if (!p->seen[RRULE] && p->seen[DTSTART]) {
		r->added = mem_grow(r->added, r->added_len + 1, sizeof(*r->added));
		r->added[r->added_len++] = r->dtstart;
	}
	sort_excluded(r);
	sort_added(r);
	r->fixes_time = !p->seen[RRULE] || time_is_fixed(p);
	return p->seen[RRULE] ? set_last(p, rrule_build(r, &p->parts, p->seen[DTSTART])) : 0;
}

int rrule_parse(const char *text, const struct zone *zone, local_t dtstart, struct rrule **ret,
		struct error *err)
{
	AUTO(rrule_free) struct rrule *rule = mem_zalloc(sizeof(*rule));
	struct parser p = {.rule = rule};
	int r = 0;

	rule->zone = zone;
	rule->dtstart = dtstart;
	rule->freq = RRULE_DAILY;
	r = rrule_text_init(&p.text, text, err);
	if (r == 0)
		r = parse_all(&p);
	rrule_text_fini(&p.text);
	if (r == 0)
		*ret = steal_ptr(&rule);
	return r;
}

void rrule_free(struct rrule *rule)
{
	if (!rule)
		return;
	free(rule->year);
	free(rule->picks);
	free(rule->phases);
	free(rule->excluded);
	free(rule->added);
	free(rule);
}

const struct zone *rrule_zone(const struct rrule *rule)
{
	return rule->zone;
}

local_t rrule_dtstart(const struct rrule *rule)
{
	return rule->dtstart;
}

bool rrule_is_subdaily(const struct rrule *rule)
{
	return rule->has_rule && rule->freq <= RRULE_HOURLY;
}

const char *rrule_freq_word(const struct rrule *rule)
{
	static const char *const words[RRULE_FREQS] = {
		"secondly", "minutely", "hourly", "daily", "weekly", "monthly", "yearly",
	};

	return rule->has_rule ? words[rule->freq] : "dates";
}

bool rrule_fixes_time(const struct rrule *rule)
{
	return rule->fixes_time;
}
