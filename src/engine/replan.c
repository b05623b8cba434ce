/*
 * replan.c: governments change clocks, and with the next release of the zone files "nine o'clock in
 * Berlin" may be another instant. due_at was worked out from the old ones. When the installed release
 * is not the one the store remembers, every reminder that can still fire is planned anew from its
 * cursor, a page a turn, so that the clock does not stop meanwhile.
 *
 * A daemon that runs looks at the files of the zones it uses, too. And a reminder without a zone of
 * its own follows `timezone:` when that changes.
 *
 * Local times stay local: those of cron lines and rules anyway, and one that was said so of a single
 * time. A rule that has not begun yet begins anew from its cursor.
 *
 * A cursor is an instant, and stands for the local time that was decided last. Files may be installed when what
 * they change has happened already: then that local time is another instant, and the cursor goes there. Else what
 * came nearer would be lost, and what moved away would come twice. So the clock of each zone is noted as it was.
 *
 * Facts in kv: "zones.release" is what the plans were made with, "zones.replan" the key of the last
 * reminder that was planned anew, while that goes on; "zones.config" is `timezone:` then;
 * "zones.clock NAME" the offset that is in force there, from when, and until when.
 */
#include "engine/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "schedule/start.h"
#include "store/kv.h"
#include "store/trouble.h"

#define PAGE_ROWS 500
#define RELEASE "zones.release"
#define REPLAN "zones.replan"
#define TIMEZONE "zones.config"
#define CLOCK "zones.clock "
#define LOOK_EVERY USEC_PER_MINUTE
#define LOOKED_AT 5000 /* of those that are due next; the others are set aside when they are due */
#define NAMES_TOLD 20

int replan_recover(struct engine *e, struct error *err)
{
	AUTO(free) char *known = NULL;
	char installed[ZONE_RELEASE_MAX];
	int rc = kv_get(e->db, RELEASE, &known, err);

	e->replanning = true; /* one that a crash cut short goes on */
	if (rc < 0 || !zone_release(installed) || (known && strcmp(known, installed) == 0))
		return rc;
	if (known) {
		log_info("zone files changed from '%s' to '%s'", known, installed);
		rc = kv_set(e->db, REPLAN, "0", err);
	}
	return rc < 0 ? rc : kv_set(e->db, RELEASE, installed, err);
}

/* --- zones that are gone ------------------------------------------------------------------- */

struct lost_zone {
	char *zone, *why;
	struct buf names;
	size_t count;
};

struct lost_zones {
	struct lost_zone *items;
	size_t count;
	char *fine; /* the last one that can be read */
};

/* They come by zone: each is looked for once. */
static void note_zone(const char *name_of_zone, const char *reminder, void *data)
{
	struct lost_zones *lost = data;
	struct lost_zone *last = lost->count ? &lost->items[lost->count - 1] : NULL;
	const struct zone *zone;
	struct error err = {0};

	if (lost->fine && strcmp(lost->fine, name_of_zone) == 0)
		return;
	if (!last || strcmp(last->zone, name_of_zone) != 0) {
		if (zone_get(name_of_zone, &zone, &err) == 0) {
			mem_replace(&lost->fine, name_of_zone);
			return;
		}
		lost->items = mem_grow(lost->items, lost->count + 1, sizeof(*lost->items));
		last = &lost->items[lost->count++];
		*last = (struct lost_zone){.zone = mem_strdup(name_of_zone),
					   .why = mem_strdup(err.message)};
	}
	if (last->count++ < NAMES_TOLD)
		buf_printf(&last->names, "\n- %s", reminder);
}

static int tell_lost(struct engine *e, const struct lost_zone *z, usec_t now, struct error *err)
{
	AUTO(free) char *name = mem_printf("zone %s", z->zone);
	AUTO_BUF struct buf text = {0};

	buf_printf(&text,
		   "%zu reminder%s cannot fire: %s\n\nUntil due it is enough to mend the zone; "
		   "what is due before that is set aside.\n%s",
		   z->count, z->count == 1 ? "" : "s", z->why, buf_text(&z->names));
	if (z->count > NAMES_TOLD)
		buf_printf(&text, "\n- and %zu more", z->count - NAMES_TOLD);
	return trouble_tell(e, name, NULL, "a zone cannot be read", buf_text(&text), now, err);
}

int replan_tell_lost(struct engine *e, usec_t now, struct error *err)
{
	struct lost_zones lost = {0};
	int rc = trouble_each_soon(e->db, LOOKED_AT, note_zone, &lost, err);

	for (size_t i = 0; i < lost.count; i++) {
		if (rc >= 0)
			rc = tell_lost(e, &lost.items[i], now, err);
		free(lost.items[i].zone);
		free(lost.items[i].why);
		buf_fini(&lost.items[i].names);
	}
	free(lost.items);
	free(lost.fine);
	return rc;
}

/* --- plans that are old -------------------------------------------------------------------- */

/* Whether `timezone:` is another than when the plans were made. */
static int look_at_config(struct engine *e, struct error *err)
{
	AUTO(free) char *known = NULL;
	const char *configured = e->config->timezone ? e->config->timezone : "";
	int rc = kv_get(e->db, TIMEZONE, &known, err);

	if (rc < 0 || (known && strcmp(known, configured) == 0))
		return rc;
	if (known && *configured) {
		log_info("reminders without a zone of their own follow 'timezone: %s'", configured);
		e->replanning = true;
		rc = kv_set(e->db, REPLAN, "0", err);
	}
	return rc < 0 ? rc : kv_set(e->db, TIMEZONE, configured, err);
}

static struct zone_span span_of(const struct zone *zone, usec_t at)
{
	struct zone_span span;

	zone_span_at(zone, floor_div(at, USEC_PER_SEC), &span);
	return span;
}

/* Returns 1 when it was noted before. */
static int read_clock(struct engine *e, const char *zone, struct zone_span *ret, struct error *err)
{
	AUTO(free) char *name = mem_printf(CLOCK "%s", zone), *text = NULL;
	int rc = kv_get(e->db, name, &text, err);

	/* NOLINTNEXTLINE(cert-err34-c): we wrote it; half of it is none */
	return rc < 0 || !text ? rc
			       : sscanf(text, "%" SCNd32 " %" SCNd64 " %" SCNd64, &ret->offset,
					&ret->start, &ret->end) == 3;
}

static int note_clock(struct engine *e, const struct zone *zone, usec_t now, struct error *err)
{
	AUTO(free) char *name = mem_printf(CLOCK "%s", zone_name(zone)), *text = NULL;
	struct zone_span known, is = span_of(zone, now);
	int rc = read_clock(e, zone_name(zone), &known, err);

	if (rc < 0 ||
	    (rc && known.offset == is.offset && known.start == is.start && known.end == is.end))
		return rc;
	text = mem_printf("%" PRId32 " %" PRId64 " %" PRId64, is.offset, is.start, is.end);
	return kv_set(e->db, name, text, err);
}

/* Not while plans are old: they need what was noted before. */
static int note_clocks(struct engine *e, usec_t now, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; rc >= 0 && !e->replanning && i < zone_known_count(); i++)
		rc = note_clock(e, zone_known(i), now, err);
	return rc;
}

int replan_look(struct engine *e, usec_t now, struct error *err)
{
	char installed[ZONE_RELEASE_MAX];
	int rc = e->zone_stale ? look_at_config(e, err) : 0;

	if (rc < 0)
		return rc;
	e->zone_stale = false;
	if (e->zones_at != USEC_NONE && now >= e->zones_at && now < e->zones_at + LOOK_EVERY)
		return 0;
	e->zones_at = now;
	if (!zone_refresh())
		return note_clocks(e, now, err);
	log_info("zone files have changed: reminders are planned anew");
	e->replanning = true;
	rc = zone_release(installed) ? kv_set(e->db, RELEASE, installed, err) : 0;
	return rc < 0 ? rc : kv_set(e->db, REPLAN, "0", err);
}

static void move_start(struct reminder *r)
{
	const struct zone *zone = NULL;
	struct error unreadable = {0};
	char *moved;

	if (strcmp(r->schedule_kind, "rrule") != 0 || zone_get(r->zone, &zone, &unreadable) < 0)
		return;
	moved = start_move(r->schedule, zone, &r->anchor);
	free(r->schedule);
	r->schedule = moved;
}

/* Nobody chose its zone: it is that of the configuration. A single time was echoed, and stays. */
static void follow_timezone(const struct engine *e, struct reminder *r)
{
	if (!e->config->timezone || strcmp(r->zone_source, "item") == 0 ||
	    strcmp(r->zone_source, "user") == 0 || strcmp(r->schedule_kind, "at") == 0)
		return;
	if (strcmp(r->zone, e->config->timezone) != 0) {
		mem_replace(&r->zone, e->config->timezone);
		move_start(r);
	}
	mem_replace(&r->zone_source, "config");
}

/* What has not begun yet: its beginning was worked out from local times, too. */
static void begin_anew(struct reminder *r, const struct schedule *s, usec_t now)
{
	usec_t only;

	if (schedule_kind(s) == SCHEDULE_AT && r->nominal_at != USEC_NONE &&
	    schedule_next(s, INSTANT_MIN, &only) && only <= r->cursor)
		r->cursor = only - 1;
	if (schedule_kind(s) == SCHEDULE_RRULE && r->anchor > now && r->cursor < r->anchor) {
		AUTO(free) char *rule = start_said(r->schedule, schedule_zone(s), r->anchor);

		if (strcasestr(rule, "DTSTART"))
			return;
		free(r->schedule);
		r->schedule = start_rule(rule, schedule_zone(s), r->cursor, &r->anchor);
	}
}

/* The local time that was decided last is another instant now. */
static int move_cursor(struct engine *e, struct reminder *r, const struct schedule *s, usec_t now,
		       struct error *err)
{
	const struct zone *zone = schedule_zone(s);
	int64_t at = floor_div(r->cursor, USEC_PER_SEC);
	usec_t cursor = r->cursor;
	struct zone_span was;
	int rc;

	if (schedule_kind(s) == SCHEDULE_EVERY || schedule_kind(s) == SCHEDULE_AT ||
	    cursor < INSTANT_MIN + USEC_PER_DAY)
		return 0;
	if ((rc = read_clock(e, r->zone, &was, err)) <= 0 || at < was.start || at >= was.end ||
	    span_of(zone, cursor).offset == was.offset)
		return rc < 0 ? rc : 0;
	r->cursor = zone_instant(zone, at + was.offset) + (cursor - at * USEC_PER_SEC);
	if (r->cursor >= cursor)
		return 0;
	e->moved_at = now;
	return clock_expect_rows(e, cursor, err);
}

static int replan(struct engine *e, struct reminder *r, usec_t now, struct error *err)
{
	AUTO(schedule_free) struct schedule *s = NULL;
	struct error unreadable = {0};
	usec_t due = r->due_at, nominal = r->nominal_at, cursor = r->cursor;
	AUTO(free) char *zone = mem_strdup(r->zone);
	int rc;

	follow_timezone(e, r);
	if (reminder_is_idle(r) || engine_schedule(r, &s, &unreadable) < 0)
		return 0; /* the one knows no zone, the other is set aside when it comes due */
	if (strcmp(r->zone, zone) == 0 && (rc = move_cursor(e, r, s, now, err)) < 0)
		return rc;
	begin_anew(r, s, now);
	schedule_free(steal_ptr(&s));
	if (engine_schedule(r, &s, err) < 0)
		return err->code;
	plan_next(r, s);
	plan_end_if_spent(r, now);
	if (r->due_at == due && r->nominal_at == nominal && r->cursor == cursor &&
	    strcmp(r->zone, zone) == 0)
		return 0;
	return reminder_update(e->db, r, err);
}

static int replan_page(struct engine *e, int64_t after, usec_t now, struct error *err)
{
	AUTO_REMINDERS struct reminder_list page = {0};
	struct reminder_filter filter = {.after = after, .limit = PAGE_ROWS};
	char last[24];
	int rc = reminder_list(e->db, &filter, &page, err);

	for (size_t i = 0; rc >= 0 && i < page.count; i++)
		rc = replan(e, page.items[i], now, err);
	if (rc < 0)
		return rc;
	e->replanning = page.count == PAGE_ROWS;
	if (e->replanning)
		snprintf(last, sizeof(last), "%lld", (long long)page.items[PAGE_ROWS - 1]->key);
	rc = kv_set(e->db, REPLAN, e->replanning ? last : NULL, err);
	if (rc >= 0)
		rc = note_clocks(e, now, err);
	return rc < 0 ? rc : 1;
}

/* Returns 1 when it did something. */
int replan_step(struct engine *e, usec_t now, struct error *err)
{
	AUTO(free) char *after = NULL;
	int rc;

	if (!e->replanning)
		return 0;
	rc = kv_get(e->db, REPLAN, &after, err);
	if (rc >= 0 && !after)
		e->replanning = false;
	return rc < 0 || !after ? rc : replan_page(e, strtoll(after, NULL, 10), now, err);
}
