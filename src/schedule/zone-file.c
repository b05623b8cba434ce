/*
 * zone-file.c: reads zone files, RFC 9636 (TZif) versions 1 to 4.
 * A file is a header of counts, then arrays whose sizes follow from the counts. From version 2 on
 * all of that comes twice, first with 32-bit times (skipped here), then with 64-bit times and,
 * last, the POSIX rule between two newlines. Every count is checked against the bytes that are
 * there before anything is read through it, and every index before it is followed. The edges that
 * come out are maximal stretches: a change that changes nothing is dropped, and the stretch in
 * which the table ends and the rule begins is one stretch.
 */
#include "schedule/zone-file.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"

#define HEADER_LEN 44
#define TYPES_MAX 256
#define OFFSET_MIN (-25 * 3600 + 1)
#define OFFSET_MAX (26 * 3600 - 1)

struct reader {
	const unsigned char *p;
	size_t left;
	const char *name;
	struct error *err;
};

/* One header with the arrays that follow it. */
struct block {
	size_t utc_count, standard_count, leap_count, time_count, type_count, char_count;
	size_t time_size; /* of one instant: 4 or 8 bytes */
	char version;
	const unsigned char *times, *indices, *types, *chars;
};

static int damaged(const struct reader *r, const char *why)
{
	return error_set(r->err, ERR_INVALID, "zone '%s' has a damaged file: %s", r->name, why);
}

static int64_t read_big_endian(const unsigned char *p, size_t size)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value = value << 8 | p[i];
	return size == 4 ? (int32_t)(uint32_t)value : (int64_t)value;
}

static int read_header(struct reader *r, size_t time_size, struct block *ret)
{
	size_t counts[6];

	if (r->left < HEADER_LEN || memcmp(r->p, "TZif", 4) != 0)
		return damaged(r, "no header");
	for (size_t i = 0; i < 6; i++)
		counts[i] = (size_t)(uint32_t)read_big_endian(r->p + 20 + i * 4, 4);
	*ret = (struct block){
		.utc_count = counts[0],
		.standard_count = counts[1],
		.leap_count = counts[2],
		.time_count = counts[3],
		.type_count = counts[4],
		.char_count = counts[5],
		.time_size = time_size,
		.version = (char)r->p[4],
	};
	r->p += HEADER_LEN;
	r->left -= HEADER_LEN;
	return 0;
}

/* Find the arrays behind a header and step over them. Counts are 32 bits: no sum overflows. */
static int read_arrays(struct reader *r, struct block *b)
{
	size_t leap_size = b->time_size + 4;
	size_t len = b->time_count * (b->time_size + 1) + b->type_count * 6 + b->char_count +
		     b->leap_count * leap_size + b->standard_count + b->utc_count;

	if (r->left < len)
		return damaged(r, "shorter than its header says");
	b->times = r->p;
	b->indices = b->times + b->time_count * b->time_size;
	b->types = b->indices + b->time_count;
	b->chars = b->types + b->type_count * 6;
	r->p += len;
	r->left -= len;
	return 0;
}

static int check_counts(const struct reader *r, const struct block *b)
{
	if (b->type_count < 1 || b->type_count > TYPES_MAX || b->char_count < 1)
		return damaged(r, "no types of local time");
	if ((b->utc_count && b->utc_count != b->type_count) ||
	    (b->standard_count && b->standard_count != b->type_count))
		return damaged(r, "counts that disagree");
	if (b->leap_count) {
		error_set(r->err, ERR_INVALID, "zone '%s' counts leap seconds", r->name);
		return error_hint(r->err, "use the zone of the same name outside 'right/'");
	}
	return 0;
}

/* The block that counts: the second one from version 2 on. */
static int read_block(struct reader *r, struct block *ret)
{
	int result = read_header(r, 4, ret);

	if (result == 0)
		result = read_arrays(r, ret);
	if (result == 0 && ret->version >= '2') {
		result = read_header(r, 8, ret);
		if (result == 0)
			result = read_arrays(r, ret);
	}
	return result < 0 ? result : check_counts(r, ret);
}

/* It will be shown on terminals. */
static bool abbreviation_is_plain(const unsigned char *text)
{
	for (; *text; text++)
		if (!isalnum(*text) && *text != '+' && *text != '-')
			return false;
	return true;
}

static int read_types(const struct reader *r, const struct block *b, struct zone *zone)
{
	memcpy(zone->abbreviations, b->chars, b->char_count);
	for (size_t i = 0; i < b->type_count; i++) {
		const unsigned char *p = b->types + i * 6;
		int64_t offset = read_big_endian(p, 4);

		if (offset < OFFSET_MIN || offset > OFFSET_MAX)
			return damaged(r, "an offset of more than a day");
		if (p[4] > 1)
			return damaged(r, "a type that is neither standard time nor DST");
		if (p[5] >= b->char_count || !memchr(b->chars + p[5], 0, b->char_count - p[5]))
			return damaged(r, "an abbreviation without end");
		if (!abbreviation_is_plain(b->chars + p[5]))
			return damaged(r, "an abbreviation with odd characters");
		zone->types[i] = (struct zone_type){
			.offset = (int32_t)offset,
			.dst = p[4],
			.abbreviation = zone->abbreviations + p[5],
		};
	}
	return 0;
}

static bool type_is_same(const struct zone_type *a, const struct zone_type *b)
{
	return a->offset == b->offset && a->dst == b->dst &&
	       strcmp(a->abbreviation, b->abbreviation) == 0;
}

static void add_edge(struct zone *zone, int64_t at, const struct zone_type *type)
{
	struct zone_edge *last = zone->edge_count ? &zone->edges[zone->edge_count - 1] : NULL;

	if (last && last->at == at)
		last->type = type;
	else if (!last || !type_is_same(last->type, type))
		zone->edges[zone->edge_count++] = (struct zone_edge){at, type};
}

static int read_edges(const struct reader *r, const struct block *b, struct zone *zone)
{
	int64_t before = INT64_MIN;

	add_edge(zone, INT64_MIN, &zone->types[0]);
	for (size_t i = 0; i < b->time_count; i++) {
		int64_t at = read_big_endian(b->times + i * b->time_size, b->time_size);

		if (i > 0 && at <= before)
			return damaged(r, "clock changes out of order");
		if (b->indices[i] >= b->type_count)
			return damaged(r, "a clock change to no known type");
		add_edge(zone, at, &zone->types[b->indices[i]]);
		before = at;
	}
	return 0;
}

/* Let the rule take over after the table's last change, at the first edge of its own. */
static int read_rule(struct reader *r, const struct block *b, struct zone *zone)
{
	const char *text, *newline = NULL;
	struct zone_rule_span span;
	int64_t from = INT64_MIN;

	zone->rule_from = INT64_MAX;
	if (b->version < '2')
		return 0;
	text = (const char *)r->p + (r->left > 0);
	if (r->left >= 2 && r->p[0] == '\n')
		newline = memchr(text, '\n', r->left - 1);
	if (!newline)
		return damaged(r, "no rule at its end");
	if (newline == text)
		return 0;
	if (zone_rule_parse(text, (size_t)(newline - text), zone->abbreviations + b->char_count,
			    &zone->rule, r->err) < 0)
		return error_prefix(r->err, "zone '%s' has a damaged file", r->name);
	if (b->time_count)
		from = read_big_endian(b->times + (b->time_count - 1) * 8, 8);
	span = zone_rule_span_at(&zone->rule, from);
	add_edge(zone, from, span.dst ? &zone->rule.dst : &zone->rule.standard);
	zone->rule_from = span.end;
	return 0;
}

int zone_parse(const void *bytes, size_t len, const char *name, struct zone **ret,
	       struct error *err)
{
	struct reader r = {.p = bytes, .left = len, .name = name, .err = err};
	AUTO(zone_free) struct zone *zone = NULL;
	struct block b;
	int result = read_block(&r, &b);

	if (result < 0)
		return result;
	zone = mem_zalloc(sizeof(*zone));
	zone->name = mem_strdup(name);
	zone->types = mem_array(b.type_count, sizeof(*zone->types));
	zone->edges = mem_array(b.time_count + 2, sizeof(*zone->edges));
	zone->abbreviations = mem_zalloc(b.char_count + r.left + 2); /* the rule's names as well */
	result = read_types(&r, &b, zone);
	if (result == 0)
		result = read_edges(&r, &b, zone);
	if (result == 0)
		result = read_rule(&r, &b, zone);
	if (result < 0)
		return result;
	*ret = steal_ptr(&zone);
	return 0;
}

void zone_free(struct zone *zone)
{
	if (!zone)
		return;
	free(zone->name);
	free(zone->edges);
	free(zone->types);
	free(zone->abbreviations);
	free(zone);
}
