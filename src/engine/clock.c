/*
 * clock.c: a wall clock that was wrong for a while. An empty battery, a bad answer of a time server or
 * a machine that was frozen can put it ahead, by hours or by years, and back a moment later. What is
 * due meanwhile is due, as far as anybody can tell; so everything that was decided then lies behind
 * the cursors, and nothing would fire until the wrong time comes again.
 *
 * When the clock is more than TOLERANCE behind what has been seen of it, every reminder is looked at,
 * a page a turn. What was decided of occurrences that are still to come counts no more where nothing
 * was done (missed, skipped), and is kept and marked where something was: an occurrence never fires
 * twice. The cursor comes back to the moment at which the clock did, and a reminder that had come to
 * its end only because its times had passed goes on. The person is told once.
 *
 * Which of both times is the right one cannot be known, so this must also be right when it was the
 * first: when that time comes again, rows that exist already are stepped over one by one
 * (clock_pass_decided()). A clock that shows a time before this program existed is certainly
 * wrong: nothing is brought back for it, and what was made under it counts from the day on which
 * the clock is right.
 *
 * A single time that was said by its distance (`--in 1h`) under such a clock is as far from the moment it was said
 * when the clock leaps to the right time: so how far it leapt is noted, by a counter that nobody sets. After a
 * restart in between, that moment is the last one that was noted.
 *
 * Facts in kv: "clock.seen" is the latest time that was seen when something was decided, at starts,
 * and after a leap; "clock.ahead" up to when there may be rows in front of a cursor; "clock.mend" is
 * "KEY NOW SEEN" while reminders are brought back: the last one that was, and both times. "clock.low" is a clock that
 * is not set, now and then, and "clock.leap" how far the last one leapt.
 */
#include "engine/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "schedule/duration.h"
#include "schedule/start.h"
#include "store/kv.h"

#define SEEN "clock.seen"
#define AHEAD "clock.ahead"
#define MEND "clock.mend"
#define LOW "clock.low"
#define LEAP "clock.leap"
#define TOLERANCE (5 * USEC_PER_MINUTE) /* corrections up to here only pause what was fired */
#define SEEN_EVERY (5 * USEC_PER_MINUTE)
#define PAGE_ROWS 500
#define STEPS_MAX 2000 /* rows that one reminder steps over in one turn */
#define NAMES_TOLD 20

static int put_time(struct engine *e, const char *name, usec_t t, struct error *err)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, t);
	return kv_set(e->db, name, t == USEC_NONE ? NULL : text, err);
}

static int get_time(struct engine *e, const char *name, usec_t *ret, struct error *err)
{
	AUTO(free) char *text = NULL;
	int rc = kv_get(e->db, name, &text, err);

	*ret = text ? strtoll(text, NULL, 10) : USEC_NONE;
	return rc;
}

/* After a start, and after a turn that was rolled back. */
static int load(struct engine *e, struct error *err)
{
	AUTO(free) char *mend = NULL;
	int rc;

	if ((rc = get_time(e, SEEN, &e->clock_seen, err)) < 0 ||
	    (rc = get_time(e, AHEAD, &e->clock_ahead, err)) < 0 ||
	    (rc = get_time(e, LOW, &e->clock_low_noted, err)) < 0 ||
	    (rc = get_time(e, LEAP, &e->clock_leap, err)) < 0 ||
	    (rc = kv_get(e->db, MEND, &mend, err)) < 0)
		return rc;
	/* A store from before this was noted. */
	if (e->clock_seen == USEC_NONE)
		rc = slot_latest_decision(e->db, &e->clock_seen, err);
	e->clock_mending = mend != NULL;
	e->clock_known = rc >= 0;
	return rc;
}

static int see(struct engine *e, usec_t now, struct error *err)
{
	e->clock_seen = now;
	return put_time(e, SEEN, now, err);
}

/* --- bringing back ------------------------------------------------------------------------ */

struct mending {
	int64_t key; /* of the last reminder that was looked at */
	usec_t now, seen;
};

static int put_mending(struct engine *e, const struct mending *m, struct error *err)
{
	char text[80];

	snprintf(text, sizeof(text), "%" PRId64 " %" PRId64 " %" PRId64, m->key, m->now, m->seen);
	return kv_set(e->db, MEND, text, err);
}

static int begin(struct engine *e, usec_t seen, usec_t now, struct error *err)
{
	struct mending m = {.now = now, .seen = seen};
	char span[DURATION_TEXT_MAX];
	int rc;

	duration_format_short(seen - now, span);
	log_warning("the clock was set back by %s: what it made wait until then is planned anew",
		    span);
	/* What was seen is noted now and then only. */
	if (e->clock_ahead == USEC_NONE || e->clock_ahead < seen + 2 * SEEN_EVERY)
		e->clock_ahead = seen + 2 * SEEN_EVERY;
	e->clock_mending = true;
	if ((rc = put_time(e, AHEAD, e->clock_ahead, err)) < 0 ||
	    (rc = put_mending(e, &m, err)) < 0)
		return rc;
	return see(e, now, err);
}

/* A row that explains a run of occurrences up to some that are still to come ends at now. */
static int cut(struct engine *e, const struct reminder *r, const struct schedule *s, usec_t now,
	       struct error *err)
{
	AUTO(slot_free) struct slot *slot = NULL;
	int rc = slot_cut(e->db, r->key, r->generation, now, &slot, err);

	if (rc < 0 || !slot || !schedule_prev(s, slot->first_nominal - 1, now, &slot->nominal))
		return rc;
	slot->occurrences = schedule_count(s, slot->first_nominal - 1, slot->nominal, COUNT_LIMIT);
	slot->more = slot->occurrences >= COUNT_LIMIT && schedule_kind(s) != SCHEDULE_EVERY;
	slot->lateness = now - slot->nominal;
	return slot_shorten(e->db, slot, err);
}

/* Of a rule whose start nobody said; the text holds it where a clock change skips that time. */
static void bring_start(struct reminder *r, const struct zone *zone, usec_t now)
{
	AUTO(free) char *rule = start_said(r->schedule, zone, r->anchor);

	if (strcasestr(rule, "DTSTART"))
		return;
	free(r->schedule);
	r->schedule = start_rule(rule, zone, now, &r->anchor);
}

/* Made by that clock, it would begin when that time comes again. */
static void bring_anchor(struct reminder *r, const struct schedule *s, usec_t now)
{
	if (r->anchor <= now)
		return;
	if (schedule_kind(s) == SCHEDULE_EVERY) {
		usec_t interval = schedule_span(s);

		r->anchor -= (r->anchor - now + interval - 1) / interval * interval;
	} else if (schedule_kind(s) == SCHEDULE_RRULE && r->created_at > now)
		bring_start(r, schedule_zone(s), now);
}

static bool ended_by_time(const struct reminder *r, usec_t now)
{
	return r->status == STATUS_COMPLETED && r->ended_at > now && r->end_reason &&
	       (strcmp(r->end_reason, PLAN_ONLY_TIME) == 0 ||
		strcmp(r->end_reason, PLAN_NONE_LEFT) == 0);
}

/* Whether one is left that has no row yet. Rows ahead are few: what that clock fired. */
static int has_more(struct engine *e, const struct reminder *r, const struct schedule *s,
		    usec_t now, bool *ret, struct error *err)
{
	usec_t at = now, row;
	int rc;

	for (*ret = false; schedule_next(s, at, &at);) {
		if (r->until != USEC_NONE && at > r->until)
			return 0;
		rc = slot_first_after(e->db, r->key, r->generation, at - 1, &row, err);
		if (rc < 0)
			return rc;
		if ((*ret = row != at))
			return 0;
	}
	return 0;
}

static int take_back(struct engine *e, const struct reminder *r, const struct schedule *s,
		     const struct mending *m, struct error *err)
{
	int rc = slot_take_back(e->db, r->key, r->generation, m->now, m->seen - m->now, err);

	if (rc >= 0)
		rc = cut(e, r, s, m->now, err);
	return rc < 0 ? rc
		      : slot_mark_early(e->db, r->key, r->generation, m->now, m->seen - m->now,
					err);
}

/* From the moment at which the clock came back, or the last that was decided ahead by then. */
static int plan_from(struct engine *e, struct reminder *r, const struct mending *m,
		     struct error *err)
{
	AUTO(schedule_free) struct schedule *s = NULL;
	usec_t decided;
	int rc;

	if ((rc = slot_last_ahead(e->db, r->key, r->generation, m->now, &decided, err)) < 0 ||
	    (rc = engine_schedule(r, &s, err)) < 0)
		return rc;
	bring_anchor(r, s, m->now);
	r->cursor = decided != USEC_NONE ? decided : m->now;
	schedule_free(steal_ptr(&s)); /* its anchor may be another */
	if ((rc = engine_schedule(r, &s, err)) < 0)
		return rc;
	plan_next(r, s);
	plan_end_if_spent(r, m->now);
	return reminder_update(e->db, r, err);
}

static int bring_back(struct engine *e, struct reminder *r, const struct mending *m,
		      struct error *err)
{
	AUTO(schedule_free) struct schedule *s = NULL;
	struct error unreadable = {0};
	bool lives = r->status == STATUS_ACTIVE || r->status == STATUS_PAUSED;
	bool ended = ended_by_time(r, m->now), more = false;
	int rc;

	if (r->cursor <= m->now || engine_schedule(r, &s, &unreadable) < 0)
		return 0;
	if (reminder_is_idle(r) || !(lives || ended)) /* the one has no times, the other no more */
		return slot_mark_early(e->db, r->key, r->generation, m->now, m->seen - m->now, err);
	if ((rc = take_back(e, r, s, m, err)) < 0)
		return rc;
	if (ended && (rc = has_more(e, r, s, m->now, &more, err)) < 0)
		return rc;
	if (ended && !more)
		return 0;
	if (ended) {
		r->status = STATUS_ACTIVE;
		r->ended_at = USEC_NONE;
		mem_replace(&r->end_reason, NULL);
	}
	if (r->last_fired_at > m->now)
		r->last_fired_at = m->now;
	return plan_from(e, r, m, err);
}

struct early {
	struct buf names;
	size_t count;
};

static void add_name(const char *name, void *data)
{
	struct early *early = data;

	if (early->count++ < NAMES_TOLD)
		buf_printf(&early->names, "- %s\n", name);
}

static int tell(struct engine *e, const struct mending *m, usec_t now, struct error *err)
{
	AUTO(thread_free) struct thread *t = NULL;
	AUTO(free) char *text = NULL;
	struct early early = {0};
	char span[DURATION_TEXT_MAX], to[INSTANT_TEXT_MAX], from[INSTANT_TEXT_MAX];
	usec_t latest;
	int rc = slot_latest_decision(e->db, &latest, err);

	if (rc >= 0)
		rc = slot_each_early(e->db, m->now, add_name, &early, err);
	if (rc < 0 || (!early.count && (latest == USEC_NONE || latest <= m->now))) {
		buf_fini(&early.names);
		return rc;
	}
	duration_format_short(m->seen - m->now, span);
	instant_format_long(m->seen, context_zone(e, NULL), from);
	instant_format_long(m->now, context_zone(e, NULL), to);
	if (early.count > NAMES_TOLD)
		buf_printf(&early.names, "- and %zu more\n", early.count - NAMES_TOLD);
	text = mem_printf(
		"The clock was set back by %s, from %s to %s. Reminders go on from there.%s%s",
		span, from, to,
		early.count ? "\n\nThese had fired before their time and do not fire for "
			      "it again ('belfry why' tells which):\n\n"
			    : "",
		buf_text(&early.names));
	buf_fini(&early.names);
	rc = inbox_thread_of_belfry(e, "belfry:clock", "Clock", now, &t, err);
	return rc < 0 ? rc : inbox_say(e, t, text, now, err);
}

static int finish(struct engine *e, const struct mending *m, usec_t now, struct error *err)
{
	int rc = kv_set(e->db, MEND, NULL, err);

	e->clock_mending = false;
	return rc < 0 ? rc : tell(e, m, now, err);
}

/* Returns 1 when it did something. */
int clock_step(struct engine *e, usec_t now, struct error *err)
{
	AUTO_REMINDERS struct reminder_list page = {0};
	AUTO(free) char *text = NULL;
	struct mending m = {0};
	struct reminder_filter filter = {.hidden = true, .limit = PAGE_ROWS};
	int rc = e->clock_mending ? kv_get(e->db, MEND, &text, err) : 0;

	if (rc < 0 || !text ||
	    /* NOLINTNEXTLINE(cert-err34-c): we wrote it */
	    sscanf(text, "%" SCNd64 " %" SCNd64 " %" SCNd64, &m.key, &m.now, &m.seen) != 3) {
		e->clock_mending = false;
		return rc;
	}
	filter.after = m.key;
	rc = reminder_list(e->db, &filter, &page, err);
	for (size_t i = 0; rc >= 0 && i < page.count; i++)
		rc = bring_back(e, page.items[i], &m, err);
	if (rc < 0)
		return rc;
	if (page.count < PAGE_ROWS)
		rc = finish(e, &m, now, err);
	else {
		m.key = page.items[page.count - 1]->key;
		rc = put_mending(e, &m, err);
	}
	return rc < 0 ? rc : 1;
}

/* --- a clock that is not set yet ------------------------------------------------------------ */

static int note_low(struct engine *e, usec_t now, struct error *err)
{
	e->clock_low = now;
	e->clock_low_at = e->counter;
	if (e->clock_low_noted != USEC_NONE && llabs(now - e->clock_low_noted) < SEEN_EVERY)
		return 0;
	e->clock_low_noted = now;
	return put_time(e, LOW, now, err);
}

static int note_leap(struct engine *e, usec_t now, struct error *err)
{
	usec_t low = e->clock_low_noted;
	int rc;

	if (low == USEC_NONE)
		return 0;
	if (e->clock_low != USEC_NONE)
		low = e->clock_low + (e->counter - e->clock_low_at);
	log_info("the clock was set: what was to come some time after a moment before follows it");
	e->clock_leap = now - low;
	e->clock_low_noted = USEC_NONE;
	rc = put_time(e, LEAP, e->clock_leap, err);
	return rc < 0 ? rc : put_time(e, LOW, USEC_NONE, err);
}

/* "1970-01-01T01:00:00+00:00", and not a local time, which is said by a calendar. */
static bool is_instant(const char *text)
{
	const char *time = strchr(text, 'T');

	return time && strpbrk(time, "Z+-");
}

int clock_follow_leap(struct engine *e, struct reminder *r, struct schedule **s, usec_t now,
		      struct error *err)
{
	char text[INSTANT_TEXT_MAX];
	int rc;

	if (now < CLOCK_FLOOR || r->created_at >= CLOCK_FLOOR || r->nominal_at >= CLOCK_FLOOR ||
	    schedule_kind(*s) != SCHEDULE_AT || e->clock_leap == USEC_NONE ||
	    !is_instant(r->schedule))
		return 0;
	instant_format(r->nominal_at + e->clock_leap, schedule_zone(*s), text);
	mem_replace(&r->schedule, text);
	r->cursor += e->clock_leap;
	schedule_free(steal_ptr(s));
	if ((rc = engine_schedule(r, s, err)) < 0)
		return rc;
	plan_next(r, *s);
	return reminder_update(e->db, r, err);
}

int clock_look(struct engine *e, usec_t now, struct error *err)
{
	usec_t seen;
	int rc = e->clock_known ? 0 : load(e, err);
	bool first = e->clock_at == USEC_NONE;

	if (rc < 0 || (rc = now < CLOCK_FLOOR ? note_low(e, now, err) : note_leap(e, now, err)) < 0)
		return rc;
	/* The larger of what is in the store and what this process has seen itself. */
	seen = first || e->clock_seen > e->clock_at ? e->clock_seen : e->clock_at;
	e->clock_before = e->clock_at;
	if (seen != USEC_NONE && now < seen - TOLERANCE) {
		if (now < CLOCK_FLOOR) {
			if (!e->clock_warned)
				log_warning("the clock shows a time before this program existed");
			e->clock_warned = true;
			return 0;
		}
		e->clock_at = now;
		rc = begin(e, seen, now, err);
		return rc < 0 ? rc : clock_step(e, now, err);
	}
	e->clock_warned = false;
	if (first || now > e->clock_at + SEEN_EVERY)
		rc = now > seen ? see(e, now, err) : 0;
	if (first || now > e->clock_at)
		e->clock_at = now;
	return rc;
}

int clock_decides(struct engine *e, usec_t now, struct error *err)
{
	return e->clock_seen == USEC_NONE || now > e->clock_seen + SEEN_EVERY ? see(e, now, err)
									      : 0;
}

void clock_undo(struct engine *e)
{
	e->clock_known = false;
	e->clock_at = e->clock_before;
}

/* --- afterwards --------------------------------------------------------------------------- */

int clock_expect_rows(struct engine *e, usec_t until, struct error *err)
{
	int rc = e->clock_known ? 0 : load(e, err);

	if (rc < 0 || (e->clock_ahead != USEC_NONE && e->clock_ahead > until))
		return rc;
	e->clock_ahead = until + 1;
	return put_time(e, AHEAD, e->clock_ahead, err);
}

int clock_next_decided(struct engine *e, const struct reminder *r, usec_t after, usec_t *ret,
		       struct error *err)
{
	int rc = e->clock_known ? 0 : load(e, err);

	*ret = USEC_NONE;
	if (rc < 0)
		return rc;
	if (e->clock_ahead == USEC_NONE || after >= e->clock_ahead)
		return 0;
	return slot_first_after(e->db, r->key, r->generation, after, ret, err);
}

int clock_pass_decided(struct engine *e, struct reminder *r, const struct schedule *s, usec_t now,
		       usec_t *ret_upto, struct error *err)
{
	usec_t row;
	int rc;

	*ret_upto = now;
	/* Made when the clock was at its beginning: nothing was due in all those years. */
	if (r->created_at < CLOCK_FLOOR && r->cursor < CLOCK_FLOOR && now >= CLOCK_FLOOR &&
	    schedule_kind(s) != SCHEDULE_AT) {
		r->cursor = now;
		plan_next(r, s);
		return 1;
	}
	for (int i = 0; i < STEPS_MAX && r->due_at != USEC_NONE && r->due_at <= now; i++) {
		rc = clock_next_decided(e, r, r->cursor, &row, err);
		if (rc < 0 || row == USEC_NONE || row > now)
			return rc;
		if (row > r->nominal_at) {
			*ret_upto = row - 1;
			return 0;
		}
		/* One before it is no occurrence of the schedule: it was fired at its creation. */
		r->cursor = row;
		plan_next(r, s);
	}
	return 1;
}

int engine_clock_trouble(struct engine *e, usec_t now, char **ret, struct error *err)
{
	char span[DURATION_TEXT_MAX];
	usec_t seen = USEC_NONE;
	int64_t silent = 0;
	int rc;

	if ((rc = get_time(e, SEEN, &seen, err)) < 0 ||
	    (rc = slot_count_silent(e->db, now + TOLERANCE, &silent, err)) < 0)
		return rc;
	if (now < CLOCK_FLOOR) {
		*ret = mem_strdup("the clock is not set: it shows a time before 2026");
	} else if (seen != USEC_NONE && seen - TOLERANCE > now) {
		duration_format_short(seen - now, span);
		*ret = mem_printf("the clock is %s behind what has been seen of it", span);
	} else if (silent) {
		*ret = mem_printf("next fires are in the far future: %" PRId64 " reminder%s",
				  silent, silent == 1 ? " waits" : "s wait");
	}
	return 0;
}
