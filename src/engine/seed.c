/*
 * seed.c: what config.yml and the roles declare becomes reminders: crons, heartbeats, and (in
 * seed-roles.c) the reminders of roles. It is done after every start and every change of a file.
 * How a wish is compared with what is there, and what then changes, is in seed-plan.c.
 */
#include "engine/seed.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "engine/change.h"
#include "engine/mission.h"
#include "engine/seed-parts.h"
#include "schedule/duration.h"
#include "store/live.h"

#define PAGE_ROWS 500
#define DISABLED "disabled in config.yml"

#define HEARTBEAT_PROMPT                                                                           \
	"This is your regular heartbeat. Look at the board and at the messages above, do what is " \
	"due, and say in a few words what you did. If nothing needs you, answer [skip]."

/* --- crons and heartbeats ----------------------------------------------------------------- */

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
	w->what = "cron";
	w->r = wish_reminder(e, c->name, c->agent, c->prompt, c->timezone);
	w->r->schedule_kind = mem_strdup("cron");
	w->r->schedule = mem_strdup(c->schedule);
	wish_catchup(w->r, c->catchup ? c->catchup : "skip");
	w->r->start_deadline = c->start_deadline;
	w->r->jitter = c->jitter;
	set_cron_policy(e, c, &w->p);
	w->held = c->enabled ? NULL : DISABLED;
}

static void wish_heartbeat(const struct engine *e, const struct config_agent *a, usec_t now,
			   struct wish *w)
{
	char every[DURATION_TEXT_MAX];
	AUTO(free) char *name = mem_printf("heartbeat-%s", a->name);

	duration_format(a->heartbeat, every);
	w->what = "heartbeat";
	w->r = wish_reminder(e, name, a->name,
			     a->heartbeat_prompt ? a->heartbeat_prompt : HEARTBEAT_PROMPT, NULL);
	w->r->schedule_kind = mem_strdup("every");
	w->r->schedule = mem_strdup(every);
	w->r->anchor = now;
	w->r->catchup = CATCHUP_ONCE;
	engine_policy_defaults(e, DOOR_HEARTBEAT, a->name, &w->p);
}

/* A cron and a heartbeat may have the same name: the door tells them apart. */
static int is_of_door(struct seeding *s, const struct reminder *ended, enum door door, bool *ret)
{
	AUTO(policy_free) struct policy *p = NULL;
	int rc = policy_get(s->e->db, ended->key, &p, s->err);

	*ret = rc >= 0 && p->door == door;
	if (rc == ERR_NOT_FOUND)
		*s->err = (struct error){0};
	return rc == ERR_NOT_FOUND ? 0 : rc;
}

static int seed_run(struct seeding *s, struct wish *w)
{
	AUTO(reminder_free) struct reminder *found = NULL;
	AUTO(reminder_free) struct reminder *ended = NULL;
	bool same = false;
	int rc = policy_find(s->e->db, w->p.door, w->r->name, &found, s->err);

	if (rc >= 0 && !found)
		rc = reminder_find_ended(s->e->db, w->r, &ended, s->err);
	if (rc >= 0 && ended)
		rc = is_of_door(s, ended, w->p.door, &same);
	if (rc < 0)
		return rc;
	if (!seed_was_dropped(ended, NULL))
		w->ended = ended ? ended->end_reason : NULL;
	else if (same)
		w->back = ended;
	return seed_wish(s, w, found);
}

/* One that cannot work: what is there of it is held, and nothing is created. */
static int seed_broken_cron(struct seeding *s, const struct config_cron *c)
{
	AUTO(reminder_free) struct reminder *found = NULL;
	const struct seed_change broken = {
		.what = "cron", .name = c->name, .agent = c->agent, .detail = c->problem};
	int rc = policy_find(s->e->db, DOOR_CRON, c->name, &found, s->err);

	if (rc >= 0)
		rc = seed_broken(s, &broken, c->enabled ? NULL : DISABLED, found);
	return rc < 0 || !c->enabled ? rc : seed_tell_cron(s, c);
}

static int seed_cron(struct seeding *s, const struct config_cron *c)
{
	AUTO_WISH struct wish w = {0};

	if (c->problem)
		return seed_broken_cron(s, c);
	wish_cron(s->e, c, &w);
	return seed_run(s, &w);
}

int engine_seed_cron(struct engine *e, const struct config_cron *c, usec_t now, struct error *err)
{
	AUTO_REPORT struct seed_report report = {0};
	struct seeding s = {.e = e, .now = now, .report = &report, .err = err};
	int rc = seed_cron(&s, c);

	return rc < 0 ? error_prefix(err, "cron '%s'", c->name) : 0;
}

static int seed_heartbeat(struct seeding *s, const struct config_agent *a)
{
	AUTO_WISH struct wish w = {0};

	wish_heartbeat(s->e, a, s->now, &w);
	return seed_run(s, &w);
}

static int seed_declared(struct seeding *s)
{
	const struct config *c = s->e->config;
	int rc = 0;

	for (size_t i = 0; rc >= 0 && i < c->cron_count; i++) {
		rc = seed_cron(s, &c->crons[i]);
		if (rc < 0)
			return error_prefix(s->err, "cron '%s'", c->crons[i].name);
	}
	for (size_t i = 0; rc >= 0 && i < c->agent_count; i++)
		if (c->agents[i].heartbeat)
			rc = seed_heartbeat(s, &c->agents[i]);
	return rc;
}

/* --- dropping ----------------------------------------------------------------------------- */

/* Of a role that cannot be read nobody knows what it declares: what is there stays. */
static bool may_be_declared(const struct config *c, const struct config_agent *a)
{
	struct error none = {0};
	const struct config_role *role = a->role ? config_role(c, a->role, &none) : NULL;

	return a->heartbeat || (role && role->problem);
}

static bool is_declared(const struct config *c, enum door door, const struct reminder *r)
{
	if (door == DOOR_CRON)
		return r->name && config_cron(c, r->name);
	for (size_t i = 0; i < c->agent_count; i++)
		if (strcmp(c->agents[i].name, r->agent) == 0)
			return may_be_declared(c, &c->agents[i]);
	return false;
}

static int drop_undeclared(struct seeding *s, enum door door)
{
	const char *what = door == DOOR_CRON ? "cron" : "heartbeat";
	int64_t after = 0;
	size_t count;
	int rc;

	do {
		AUTO_REMINDERS struct reminder_list page = {0};

		rc = policy_reminders(s->e->db, door, false, after, PAGE_ROWS, &page, s->err);
		for (size_t i = 0; rc >= 0 && i < page.count; i++) {
			struct reminder *r = page.items[i];

			after = r->key;
			if (r->source == SOURCE_CONFIG && !is_declared(s->e->config, door, r))
				rc = seed_drop(s, what, r, DROPPED_CONFIG);
		}
		count = page.count;
	} while (rc >= 0 && count == PAGE_ROWS);
	return rc;
}

/* --- all of it ---------------------------------------------------------------------------- */

static void bind_live(struct engine *e, const struct live *l)
{
	struct error why = {0}, ignored = {0};

	if (config_bind(e->config, l->agent, l->role, &why) == 0)
		return;
	log_warning("agent '%s' was started with a role it has not now: %s", l->agent, why.message);
	/* It is an agent all the same, which can be reminded. */
	config_bind(e->config, l->agent, NULL, &ignored);
}

/* Those that were bound by a row that is gone, or by a start that failed. */
static void unbind_others(struct engine *e, const struct live_list *lives)
{
	struct config *c = e->config;

	for (size_t i = c->agent_count; i-- > 0;) {
		bool found = c->agents[i].bound == BOUND_NOT;

		for (size_t j = 0; !found && j < lives->count; j++)
			found = lives->items[j]->role &&
				strcmp(lives->items[j]->agent, c->agents[i].name) == 0;
		if (!found)
			config_unbind(c, c->agents[i].name);
	}
}

int engine_bind(struct engine *e, struct error *err)
{
	AUTO_LIVES struct live_list lives = {0};
	int rc = live_list(e->db, false, &lives, err);

	if (rc >= 0)
		unbind_others(e, &lives);
	for (size_t i = 0; rc >= 0 && i < lives.count; i++)
		if (lives.items[i]->role)
			bind_live(e, lives.items[i]);
	return rc;
}

static int seed_all(struct seeding *s)
{
	AUTO(json_decref) json_t *told = json_object();
	int rc;

	s->report->at = s->now;
	s->told = told;
	if ((rc = engine_bind(s->e, s->err)) < 0 || (rc = seed_declared(s)) < 0 ||
	    (rc = drop_undeclared(s, DOOR_CRON)) < 0 ||
	    (rc = drop_undeclared(s, DOOR_HEARTBEAT)) < 0 || (rc = seed_roles(s)) < 0 ||
	    (rc = seed_tell_config(s)) < 0 || (rc = seed_tell_strangers(s)) < 0)
		return rc;
	return seed_tell_end(s);
}

int engine_apply(struct engine *e, bool dry, usec_t now, struct seed_report *ret, struct error *err)
{
	struct seeding s = {.e = e, .now = now, .dry = dry, .report = ret, .err = err};

	return seed_all(&s);
}

static int count_changes(const struct seed_report *report)
{
	int changes = 0;

	for (size_t i = 0; i < report->count; i++)
		changes += report->items[i].kind != SEED_BROKEN;
	return changes;
}

/* A file that is gone takes all its crons with it, and nobody may have meant that. */
static int tell_absent(struct engine *e, const struct seed_report *report, usec_t now,
		       struct error *err)
{
	AUTO(free) char *text = NULL;
	size_t ended = 0;

	for (size_t i = 0; i < report->count; i++)
		ended += report->items[i].kind == SEED_ENDED;
	if (!e->config->absent || !ended)
		return 0;
	text = mem_printf("'%s' is gone. %zu crons and reminders that it declared fire no more. "
			  "Put the file back: they go on as they were, with their counters and "
			  "pauses.",
			  e->config->path, ended);
	return deliver_notice(e, NULL, NULL, "config.yml is gone", text, now, err);
}

int engine_seed(struct engine *e, usec_t now, struct error *err)
{
	AUTO_REPORT struct seed_report report = {0};
	struct seeding s = {.e = e, .now = now, .log = true, .report = &report, .err = err};
	int rc = seed_all(&s), changes;

	if (rc < 0 || (rc = tell_absent(e, &report, now, err)) < 0)
		return rc;
	e->seed_stale = false;
	changes = count_changes(&report);
	if (changes == 0)
		return 0;
	if (e->seeded)
		seed_report_fini(e->seeded);
	else
		e->seeded = mem_zalloc(sizeof(*e->seeded));
	*e->seeded = report;
	report = (struct seed_report){0};
	return changes;
}

const struct seed_report *engine_seeded(const struct engine *e)
{
	return e->seeded;
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
