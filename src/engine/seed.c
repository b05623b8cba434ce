/*
 * seed.c: what config.yml declares becomes reminders: its crons, and the heartbeats of its agents.
 * By name: absent ones are created, changed ones get the new text and schedule, unchanged ones are
 * not touched, dropped ones are completed. Counters and history always stay. Doing it twice changes
 * nothing, so it is done after every start and every change of the file.
 *
 * A cron that is disabled or cannot work is held: paused, with the reason. A pause for any other
 * reason (by hand, after failures) is the person's to lift, and seeding leaves it alone.
 */
#include "engine/mission.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "engine/change.h"
#include "engine/internal.h"
#include "schedule/duration.h"
#include "schedule/zone.h"

#define HELD_DISABLED "disabled in config.yml"
#define HELD_PROBLEM "cannot work: "
#define DROPPED "taken out of config.yml"
#define CATCHUP_ALL_DEFAULT 10
#define PAGE_ROWS 500

#define HEARTBEAT_PROMPT                                                                           \
	"This is your regular heartbeat. Look at the board and at the messages above, do what is " \
	"due, and say in a few words what you did. If nothing needs you, answer [skip]."

/* What the file asks for, before it is compared with what is there. */
struct wish {
	struct reminder *r;
	struct policy p;
	const char *held; /* why it must not fire; NULL: it may */
};

static void wish_fini(struct wish *w)
{
	reminder_free(w->r);
	free(w->p.description);
	free(w->p.git);
}
#define AUTO_WISH __attribute__((cleanup(wish_fini)))

static void choose_zone(const struct engine *e, const char *item, struct reminder *r)
{
	const char *source = "item";
	const char *name = item;

	if (!name) {
		name = e->config->timezone;
		source = "config";
	}
	if (!name)
		name = zone_name(zone_of_machine(&source));
	r->zone = mem_strdup(name);
	r->zone_source = mem_strdup(source);
}

static struct reminder *new_reminder(const char *name, const char *agent, const char *message)
{
	struct reminder *r = mem_zalloc(sizeof(*r));

	r->name = mem_strdup(name);
	r->agent = mem_strdup(agent);
	r->message = mem_strdup(message);
	r->priority = PRIORITY_NORMAL;
	r->source = SOURCE_CONFIG;
	r->action = ACTION_RUN;
	r->anchor = r->until = USEC_NONE;
	r->catchup_max = CATCHUP_ALL_DEFAULT;
	return r;
}

/* "once", "skip", "all" or "all:N", checked when the file was read. */
static void set_catchup(struct reminder *r, const char *text)
{
	r->catchup = CATCHUP_SKIP;
	if (!text)
		return;
	if (strncmp(text, "all", 3) == 0) {
		r->catchup = CATCHUP_ALL;
		if (text[3] == ':')
			r->catchup_max = strtol(text + 4, NULL, 10);
		return;
	}
	r->catchup = (enum catchup)catchup_of(text);
}

static void set_cron_policy(const struct engine *e, const struct config_cron *c, struct policy *p)
{
	engine_policy_defaults(e, DOOR_CRON, c->agent, p);
	p->description = mem_strdup(c->description);
	p->git = mem_strdup(c->git);
	if (c->timeout >= 0)
		p->time_limit = c->timeout;
	if (c->overlap)
		p->overlap = (enum overlap)overlap_of(c->overlap);
	if (c->retention >= 0)
		p->retention = c->retention;
	if (c->max_attempts >= 0)
		p->max_attempts = c->max_attempts;
	if (c->pause_after >= 0)
		p->pause_after = c->pause_after;
	if (c->retry_on >= 0)
		p->retry_on = c->retry_on;
	if (c->backoff >= 0)
		p->backoff = c->backoff;
}

static void wish_cron(const struct engine *e, const struct config_cron *c, struct wish *w)
{
	w->r = new_reminder(c->name, c->agent, c->prompt);
	w->r->schedule_kind = mem_strdup("cron");
	w->r->schedule = mem_strdup(c->schedule);
	choose_zone(e, c->timezone, w->r);
	set_catchup(w->r, c->catchup);
	w->r->start_deadline = c->start_deadline;
	w->r->jitter = c->jitter;
	set_cron_policy(e, c, &w->p);
	w->held = c->enabled ? NULL : HELD_DISABLED;
}

static void wish_heartbeat(const struct engine *e, const struct config_agent *a, usec_t now,
			   struct wish *w)
{
	char every[DURATION_TEXT_MAX];
	AUTO(free) char *name = mem_printf("heartbeat-%s", a->name);

	duration_format(a->heartbeat, every);
	w->r = new_reminder(name, a->name,
			    a->heartbeat_prompt ? a->heartbeat_prompt : HEARTBEAT_PROMPT);
	w->r->schedule_kind = mem_strdup("every");
	w->r->schedule = mem_strdup(every);
	w->r->anchor = now;
	w->r->catchup = CATCHUP_ONCE;
	choose_zone(e, NULL, w->r);
	engine_policy_defaults(e, DOOR_HEARTBEAT, a->name, &w->p);
}

/* --- comparing ---------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_schedule(const struct reminder *a, const struct reminder *b)
{
	return same_text(a->schedule_kind, b->schedule_kind) &&
	       same_text(a->schedule, b->schedule) && same_text(a->zone, b->zone) &&
	       a->jitter == b->jitter;
}

static bool same_reminder(const struct reminder *a, const struct reminder *b)
{
	return same_schedule(a, b) && same_text(a->agent, b->agent) &&
	       same_text(a->message, b->message) && same_text(a->zone_source, b->zone_source) &&
	       a->catchup == b->catchup && a->catchup_max == b->catchup_max &&
	       a->start_deadline == b->start_deadline;
}

static bool same_policy(const struct policy *a, const struct policy *b)
{
	return same_text(a->description, b->description) && same_text(a->git, b->git) &&
	       a->overlap == b->overlap && a->time_limit == b->time_limit &&
	       a->max_attempts == b->max_attempts && a->retry_on == b->retry_on &&
	       a->backoff == b->backoff && a->wait_limit == b->wait_limit &&
	       a->retention == b->retention && a->pause_after == b->pause_after;
}

static void take_wish(struct reminder *r, const struct reminder *wanted, bool reschedule)
{
	mem_replace(&r->agent, wanted->agent);
	mem_replace(&r->message, wanted->message);
	mem_replace(&r->schedule_kind, wanted->schedule_kind);
	mem_replace(&r->schedule, wanted->schedule);
	mem_replace(&r->zone, wanted->zone);
	mem_replace(&r->zone_source, wanted->zone_source);
	r->catchup = wanted->catchup;
	r->catchup_max = wanted->catchup_max;
	r->start_deadline = wanted->start_deadline;
	r->jitter = wanted->jitter;
	if (reschedule)
		r->anchor = wanted->anchor;
}

/* --- changing ----------------------------------------------------------------------------- */

bool engine_is_held(const struct reminder *r)
{
	const char *why = r->end_reason ? r->end_reason : "";

	return r->status == STATUS_PAUSED &&
	       (strcmp(why, HELD_DISABLED) == 0 ||
		strncmp(why, HELD_PROBLEM, strlen(HELD_PROBLEM)) == 0);
}

/* Returns 1 when it changed. */
static int hold(struct engine *e, struct reminder *r, const char *why, usec_t now,
		struct error *err)
{
	int rc;

	if (!why) {
		if (!engine_is_held(r))
			return 0;
		rc = engine_resume(e, r, now, err);
		return rc < 0 ? rc : 1;
	}
	if (r->status == STATUS_PAUSED && (!engine_is_held(r) || same_text(r->end_reason, why)))
		return 0;
	rc = engine_hold(e, r, why, now, err);
	return rc < 0 ? rc : 1;
}

static int update_policy(struct engine *e, const struct reminder *r, struct policy *wanted,
			 struct error *err)
{
	AUTO(policy_free) struct policy *p = NULL;
	int rc = policy_get(e->db, r->key, &p, err);

	if (rc < 0 || same_policy(p, wanted))
		return rc;
	wanted->reminder = r->key;
	wanted->failures = p->failures;
	rc = policy_update(e->db, wanted, err);
	return rc < 0 ? rc : 1;
}

static int update(struct engine *e, struct reminder *r, struct wish *w, usec_t now,
		  struct error *err)
{
	bool reschedule = !same_schedule(r, w->r);
	int changed = 0, rc = 0;

	if (!same_reminder(r, w->r)) {
		take_wish(r, w->r, reschedule);
		rc = engine_edit(e, r, reschedule, now, err);
		changed = 1;
	}
	if (rc >= 0 && (rc = update_policy(e, r, &w->p, err)) > 0)
		changed = 1;
	if (rc >= 0 && (rc = hold(e, r, w->held, now, err)) > 0)
		changed = 1;
	return rc < 0 ? rc : changed;
}

static int apply(struct engine *e, struct wish *w, usec_t now, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	int rc = policy_find(e->db, w->p.door, w->r->name, &r, err);

	if (rc < 0)
		return rc;
	if (r)
		return update(e, r, w, now, err);
	rc = engine_add_run(e, w->r, &w->p, now, false, err);
	if (rc >= 0)
		rc = hold(e, w->r, w->held, now, err);
	return rc < 0 ? rc : 1;
}

/* One that cannot work: what is there of it is held, and nothing is created. */
static int hold_broken(struct engine *e, const struct config_cron *c, usec_t now, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(free) char *why = mem_printf(HELD_PROBLEM "%s", c->problem);
	int rc = policy_find(e->db, DOOR_CRON, c->name, &r, err);

	log_warning("cron '%s' is skipped: %s", c->name, c->problem);
	return rc < 0 || !r ? rc : hold(e, r, why, now, err);
}

static int seed_cron(struct engine *e, const struct config_cron *c, usec_t now, struct error *err)
{
	AUTO_WISH struct wish w = {0};

	if (c->problem)
		return hold_broken(e, c, now, err);
	wish_cron(e, c, &w);
	return apply(e, &w, now, err);
}

static int seed_heartbeat(struct engine *e, const struct config_agent *a, usec_t now,
			  struct error *err)
{
	AUTO_WISH struct wish w = {0};

	wish_heartbeat(e, a, now, &w);
	return apply(e, &w, now, err);
}

/* --- dropping ----------------------------------------------------------------------------- */

static bool is_declared(const struct config *c, enum door door, const struct reminder *r)
{
	if (door == DOOR_CRON)
		return r->name && config_cron(c, r->name);
	for (size_t i = 0; i < c->agent_count; i++)
		if (c->agents[i].heartbeat && strcmp(c->agents[i].name, r->agent) == 0)
			return true;
	return false;
}

static int drop(struct engine *e, struct reminder *r, usec_t now, struct error *err)
{
	if (r->status == STATUS_ACTIVE)
		return engine_complete(e, r, now, DROPPED, err);
	return engine_cancel(e, r, now, DROPPED, err);
}

/* Returns how many were dropped. */
static int drop_undeclared(struct engine *e, enum door door, usec_t now, struct error *err)
{
	int64_t after = 0;
	int dropped = 0, rc;
	size_t count;

	do {
		AUTO_REMINDERS struct reminder_list page = {0};

		rc = policy_reminders(e->db, door, false, after, PAGE_ROWS, &page, err);
		for (size_t i = 0; rc >= 0 && i < page.count; i++) {
			struct reminder *r = page.items[i];

			after = r->key;
			if (r->source != SOURCE_CONFIG || is_declared(e->config, door, r))
				continue;
			rc = drop(e, r, now, err);
			dropped++;
		}
		count = page.count;
	} while (rc >= 0 && count == PAGE_ROWS);
	return rc < 0 ? rc : dropped;
}

/* --- all of it ---------------------------------------------------------------------------- */

static int seed_declared(struct engine *e, usec_t now, struct error *err)
{
	const struct config *c = e->config;
	int changed = 0, rc = 0;

	for (size_t i = 0; rc >= 0 && i < c->cron_count; i++) {
		rc = seed_cron(e, &c->crons[i], now, err);
		if (rc < 0)
			return error_prefix(err, "cron '%s'", c->crons[i].name);
		changed += rc;
	}
	for (size_t i = 0; rc >= 0 && i < c->agent_count; i++) {
		if (!c->agents[i].heartbeat)
			continue;
		rc = seed_heartbeat(e, &c->agents[i], now, err);
		changed += rc > 0;
	}
	return rc < 0 ? rc : changed;
}

int engine_seed(struct engine *e, usec_t now, struct error *err)
{
	int changed = seed_declared(e, now, err);
	int crons = changed < 0 ? changed : drop_undeclared(e, DOOR_CRON, now, err);
	int beats = crons < 0 ? crons : drop_undeclared(e, DOOR_HEARTBEAT, now, err);

	if (beats < 0)
		return beats;
	e->seed_stale = false;
	return changed + crons + beats;
}

int engine_find_cron(struct engine *e, const char *name, struct reminder **ret, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	const struct config *c = e->config;
	const char **names, *near;
	int rc = policy_find(e->db, DOOR_CRON, name, &r, err);

	if (rc < 0)
		return rc;
	if (r) {
		*ret = steal_ptr(&r);
		return 0;
	}
	names = mem_array(c->cron_count + 1, sizeof(*names));
	for (size_t i = 0; i < c->cron_count; i++)
		names[i] = c->crons[i].name;
	near = text_nearest(name, names, c->cron_count);
	free(names);
	error_set(err, ERR_NOT_FOUND, "no cron '%s'", name);
	return near ? error_hint(err, "did you mean '%s'?", near)
		    : error_hint(err, "see: belfry cron ls");
}
