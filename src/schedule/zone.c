/*
 * zone.c: from instants to the clock on a wall and back.
 * A zone is a sorted table of edges, and behind the table a rule that computes its edges. Both
 * answer with a whole stretch of one offset, and most questions fall into the stretch of the
 * question before: each zone keeps two answers. That memory inside an otherwise constant
 * object is why zones are for one thread.
 *
 * The way back, from local time to an instant, walks the stretches from the earliest that could
 * hold it. The first that does is the answer, so a repeated time gets its first pass. One that is
 * past the end of a stretch and before the start of the next, and in no other, was skipped, and
 * the older offset puts it as far behind the edge as it lies in the gap.
 */
#include "schedule/zone.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "schedule/quote.h"
#include "schedule/zone-file.h"
#include "schedule/zone-name.h"

#define RULE_MAX 80
#define RULE_BEGINS ((int64_t)-2208988800) /* 1900 */
#define FILE_MAX ((size_t)1 << 20)
#define OFFSET_LIMIT ((int64_t)26 * 3600) /* no clock is further from UTC */
#define OVERLAP_LIMIT (2 * OFFSET_LIMIT)  /* nor can two clocks be further apart */

/* Every zone that was asked for, sorted by name. */
static struct zone **cache;
static size_t cache_count;
static struct zone **retired;
static size_t retired_count;

static struct zone_type utc_type = {.offset = 0, .dst = false, .abbreviation = "UTC"};
static struct zone_edge utc_edge = {.at = INT64_MIN, .type = &utc_type};
static char utc_name[] = "UTC";
static struct zone utc_zone = {
	.name = utc_name,
	.edges = &utc_edge,
	.edge_count = 1,
	.types = &utc_type,
	.rule_from = INT64_MAX,
};

const struct zone *zone_utc(void)
{
	return &utc_zone;
}

const char *zone_name(const struct zone *zone)
{
	return zone->name;
}

/* The place of a name in the cache, or where it belongs. */
static size_t cache_place(const char *name, bool *ret_found)
{
	size_t low = 0, high = cache_count;

	*ret_found = false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(name, cache[middle]->name);

		*ret_found = order == 0;
		if (order == 0)
			return middle;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static const struct zone *cache_insert(size_t place, struct zone *zone)
{
	cache = mem_grow(cache, cache_count + 1, sizeof(*cache));
	memmove(&cache[place + 1], &cache[place], (cache_count - place) * sizeof(*cache));
	cache[place] = zone;
	cache_count++;
	return zone;
}

static int unknown(const char *name, struct error *err)
{
	return error_set(err, ERR_NOT_FOUND, "unknown time zone '%.*s'",
			 quote_len(name, strlen(name)), name);
}

/* When the file of a zone was last replaced or written; zero where there is none. */
static struct timespec changed_at(const char *name)
{
	AUTO(free) char *path = mem_printf("%s/%s", zone_folder(), name);
	struct stat st;

	return stat(path, &st) == 0 ? st.st_ctim : (struct timespec){0};
}

static int load(const char *name, struct zone **ret, struct error *err)
{
	AUTO(free) char *path = mem_printf("%s/%s", zone_folder(), name);
	AUTO_BUF struct buf bytes = {0};
	struct timespec changed = changed_at(name);
	int r;

	if (file_read(path, FILE_MAX, &bytes, err) == 0) {
		r = zone_parse(bytes.data, bytes.len, name, ret, err);
		if (r == 0)
			(*ret)->changed = changed;
		return r;
	}
	if (err->os_errno == ENOENT || err->os_errno == ENOTDIR || err->os_errno == EISDIR)
		return unknown(name, err);
	return error_prefix(err, "cannot read time zone '%s'", name);
}

/* "CET-1CEST,M3.5.0,M10.5.0/3", as TZ may say it: nothing but a rule. */
static int load_rule(const char *name, struct zone **ret)
{
	struct zone *zone = mem_zalloc(sizeof(*zone));
	size_t len = strlen(name);
	struct error why = {0};
	struct zone_rule_span span;

	zone->abbreviations = mem_zalloc(len + 2);
	if (!strpbrk(name, "0123456789") || strchr(name, '/') == name ||
	    zone_rule_parse(name, len, zone->abbreviations, &zone->rule, &why) < 0) {
		free(zone->abbreviations);
		free(zone);
		return ERR_NOT_FOUND;
	}
	zone->name = mem_strdup(name);
	zone->types = mem_zalloc(sizeof(*zone->types));
	zone->edges = mem_array(1, sizeof(*zone->edges));
	span = zone_rule_span_at(&zone->rule, RULE_BEGINS);
	zone->edges[0] = (struct zone_edge){
		.at = INT64_MIN, .type = span.dst ? &zone->rule.dst : &zone->rule.standard};
	zone->edge_count = 1;
	zone->rule_from = span.end;
	*ret = zone;
	return 0;
}

/* As zone_get(), but an unknown name is ERR_NOT_FOUND, at no further cost. */
static int find(const char *name, const struct zone **ret, struct error *err)
{
	struct zone *zone = NULL;
	bool found;
	size_t place;
	int r;

	if (strcmp(name, utc_name) == 0) {
		*ret = &utc_zone;
		return 0;
	}
	place = cache_place(name, &found);
	if (found) {
		*ret = cache[place];
		return 0;
	}
	r = zone_name_is_plain(name) ? load(name, &zone, err) : unknown(name, err);
	if (r == ERR_NOT_FOUND && strlen(name) <= RULE_MAX && load_rule(name, &zone) == 0)
		r = 0;
	if (r < 0)
		return r;
	*ret = cache_insert(place, zone);
	return 0;
}

int zone_get(const char *name, const struct zone **ret, struct error *err)
{
	int r = find(name, ret, err);

	if (r == ERR_NOT_FOUND)
		zone_name_hint(name, err);
	if (r < 0)
		err->code = ERR_INVALID; /* whoever asked gave the name of no zone we can use */
	return r < 0 ? err->code : 0;
}

/* One that was replaced may still be in use: it stays where it is, but nobody is given it again. */
static void retire(size_t place)
{
	retired = mem_grow(retired, retired_count + 1, sizeof(*retired));
	retired[retired_count++] = cache[place];
	memmove(&cache[place], &cache[place + 1], (--cache_count - place) * sizeof(*cache));
}

bool zone_refresh(void)
{
	bool any = false;

	for (size_t i = cache_count; i-- > 0;) {
		struct timespec now = changed_at(cache[i]->name);

		/* A file that is gone for a moment is being replaced. */
		if (!now.tv_sec || (now.tv_sec == cache[i]->changed.tv_sec &&
				    now.tv_nsec == cache[i]->changed.tv_nsec))
			continue;
		retire(i);
		any = true;
	}
	return any;
}

size_t zone_known_count(void)
{
	return cache_count;
}

const struct zone *zone_known(size_t i)
{
	return cache[i];
}

static void set_span(struct zone_span *span, int64_t start, int64_t end,
		     const struct zone_type *type)
{
	*span = (struct zone_span){start, end, type->offset, type->dst, type->abbreviation};
}

static void span_by_rule(const struct zone *zone, int64_t t, struct zone_span *ret)
{
	struct zone_rule_span s = zone_rule_span_at(&zone->rule, t);

	set_span(ret, s.start > zone->rule_from ? s.start : zone->rule_from, s.end,
		 s.dst ? &zone->rule.dst : &zone->rule.standard);
}

static void span_by_table(const struct zone *zone, int64_t t, struct zone_span *ret)
{
	size_t low = 0, high = zone->edge_count;
	int64_t end = zone->rule_from;

	/* edges[low] is at or before t, edges[high] (if any) after it. */
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (zone->edges[middle].at <= t)
			low = middle;
		else
			high = middle;
	}
	if (high < zone->edge_count)
		end = zone->edges[high].at;
	set_span(ret, zone->edges[low].at, end, zone->edges[low].type);
}

static inline bool span_has(const struct zone_span *span, int64_t t)
{
	return t >= span->start && t < span->end;
}

/* Find the span and remember it instead of the older of the two. */
static __attribute__((noinline)) const struct zone_span *find_span(struct zone *zone, int64_t t)
{
	struct zone_span *span = &zone->recent[zone->recent_older];

	zone->recent_older ^= 1;
	if (t >= zone->rule_from && zone->rule_from != INT64_MAX)
		span_by_rule(zone, t, span);
	else
		span_by_table(zone, t, span);
	return span;
}

static inline const struct zone_span *span_at(const struct zone *zone, int64_t t)
{
	if (span_has(&zone->recent[0], t))
		return &zone->recent[0];
	if (span_has(&zone->recent[1], t))
		return &zone->recent[1];
	/* No zone is a constant object: they come from malloc, or from utc_zone. */
	return find_span((struct zone *)zone, t);
}

void zone_span_at(const struct zone *zone, int64_t utc_seconds, struct zone_span *ret)
{
	*ret = *span_at(zone, utc_seconds);
}

local_t zone_local(const struct zone *zone, usec_t instant)
{
	int64_t t = floor_div(instant, USEC_PER_SEC);

	return t + span_at(zone, t)->offset;
}

/* Whether `local` is in this stretch, and so far behind its start that no other has it earlier. */
static inline bool is_clear(const struct zone_span *span, local_t local)
{
	int64_t t = local - span->offset;

	return t < span->end && (span->start == INT64_MIN || t - OVERLAP_LIMIT >= span->start);
}

static int64_t walk_spans(const struct zone *zone, local_t local)
{
	const struct zone_span *span = span_at(zone, local - OFFSET_LIMIT);
	int64_t before = INT64_MIN, skipped = INT64_MIN;

	for (;;) {
		int64_t t = local - span->offset;

		if (t >= span->start && t < span->end)
			return t;
		if (t < span->start && skipped == INT64_MIN)
			skipped = before;
		/* The last that could hold it ends behind every t, so by now it was skipped. */
		if (span->end > local + OFFSET_LIMIT)
			return skipped;
		before = t;
		span = span_at(zone, span->end);
	}
}

usec_t zone_instant(const struct zone *zone, local_t local)
{
	const struct zone_span *span = &zone->recent[0];

	local = local < LOCAL_MIN ? LOCAL_MIN : local > LOCAL_MAX ? LOCAL_MAX : local;
	if (!span_has(span, local - span->offset))
		span = span_at(zone, local);
	if (is_clear(span, local))
		return (local - span->offset) * USEC_PER_SEC;
	return walk_spans(zone, local) * USEC_PER_SEC;
}

static const struct zone *zone_if_known(const char *name)
{
	const struct zone *zone = NULL;
	struct error err;

	return find(name, &zone, &err) == 0 ? zone : NULL;
}

static const struct zone *zone_of_environment(void)
{
	const char *tz = getenv("TZ");

	if (!tz)
		return NULL;
	tz += *tz == ':';
	if (*tz == '/')
		tz = zone_name_in_path(tz);
	return tz && *tz ? zone_if_known(tz) : NULL;
}

static const struct zone *zone_of_localtime_link(void)
{
	char target[PATH_MAX];
	ssize_t len = readlink("/etc/localtime", target, sizeof(target) - 1);
	const char *name;

	if (len <= 0)
		return NULL;
	target[len] = '\0';
	name = zone_name_in_path(target);
	return name ? zone_if_known(name) : NULL;
}

static const struct zone *zone_of_timezone_file(void)
{
	AUTO_BUF struct buf text = {0};
	struct error err;

	if (file_read("/etc/timezone", PATH_MAX, &text, &err) < 0 || text.len == 0)
		return NULL;
	text.data[strcspn(text.data, " \t\r\n")] = '\0';
	return *text.data ? zone_if_known(text.data) : NULL;
}

const struct zone *zone_of_machine(const char **ret_source)
{
	const struct zone *zone = zone_of_environment();

	*ret_source = "TZ";
	return zone ? zone : zone_of_system(ret_source);
}

const char *zone_unknown_tz(void)
{
	const char *tz = getenv("TZ");

	return tz && *tz && strcmp(tz, ":") != 0 && !zone_of_environment() ? tz : NULL;
}

const struct zone *zone_of_system(const char **ret_source)
{
	const struct zone *zone = zone_of_localtime_link();

	*ret_source = "system";
	if (!zone)
		zone = zone_of_timezone_file();
	if (zone)
		return zone;
	*ret_source = "default";
	return &utc_zone;
}

bool zone_release(char ret[ZONE_RELEASE_MAX])
{
	AUTO(free) char *path = mem_printf("%s/tzdata.zi", zone_folder());
	struct error none = {0};
	int fd = file_open(path, O_RDONLY, &none);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (!file || !fgets(ret, ZONE_RELEASE_MAX, file))
		ret[0] = '\0';
	if (file)
		fclose(file);
	ret[strcspn(ret, "\n")] = '\0';
	return file || none.code == ERR_NOT_FOUND;
}
