/*
 * json-cron.c: crons and tasks as every surface shows them.
 * A cron's state has three sources: config.yml, which is the wish; its reminder, which is armed and
 * follows the file; and its newest mission and slot, which are what happened. What is told of the
 * future is what the reminder will do, never what the file alone says; where they differ the file's
 * wish is beside it ("file"), with a sentence ("differs"). Without a daemon nothing is armed: then
 * the file tells what the next daemon will do.
 */
#include "request/json-cron.h"

#include <string.h>

#include "base/mem.h"
#include "engine/mission.h"
#include "engine/preview.h"
#include "request/read.h"
#include "schedule/instant.h"
#include "store/slot.h"

static json_t *json_retry_on(int64_t bits)
{
	static const struct {
		int64_t bit;
		const char *word;
	} words[] = {{RETRY_FAILURE, "failure"}, {RETRY_TIMEOUT, "timeout"}, {RETRY_LOST, "lost"}};
	json_t *list = json_array();

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (bits & words[i].bit)
			json_array_append_new(list, json_string(words[i].word));
	return list;
}

static json_t *json_limit(int64_t count)
{
	return count > 0 ? json_integer(count) : json_null();
}

json_t *json_policy(const struct policy *p)
{
	json_t *o = json_object();

	json_put_text(o, "door", door_word(p->door));
	json_put_text(o, "overlap", overlap_word(p->overlap));
	json_put(o, "timeout", json_duration(p->time_limit));
	json_put_int(o, "max_attempts", p->max_attempts);
	json_put(o, "retry_on", json_retry_on(p->retry_on));
	json_put(o, "backoff", json_duration(p->backoff));
	json_put(o, "wait_limit", json_duration(p->wait_limit));
	json_put(o, "retention", json_limit(p->retention));
	json_put(o, "pause_after", json_limit(p->pause_after));
	json_put_int(o, "failures", p->failures);
	return o;
}

/* --- what became of it --- */

static const char *ending_status(enum ending ending)
{
	return ending == ENDING_ERROR ? "failed" : ending_word(ending);
}

int mission_status(struct db *db, const struct mission *m, const char **ret, struct error *err)
{
	AUTO(slot_free) struct slot *slot = NULL;
	int rc;

	if (m->phase == PHASE_BEHIND || m->phase == PHASE_WAITING) {
		*ret = "waiting";
		return 0;
	}
	if (m->phase == PHASE_STARTING || m->phase == PHASE_RUNNING) {
		*ret = "running";
		return 0;
	}
	*ret = ending_status(m->outcome);
	if (m->outcome != ENDING_NONE)
		return 0;
	/* It never began: only the ledger knows why. */
	*ret = "failed";
	rc = m->slot ? slot_get(db, m->slot, &slot, err) : 0;
	if (rc < 0 && rc != ERR_NOT_FOUND)
		return rc;
	if (slot)
		*ret = outcome_word(slot->outcome);
	return 0;
}

int cron_mission(struct db *db, const char *name, struct mission **ret, struct error *err)
{
	AUTO_MISSIONS struct mission_list newest = {0};
	const struct mission_filter filter = {
		.origin = name, .door = DOOR_CRON, .archived = true, .limit = 1};
	int rc = mission_list(db, &filter, &newest, err);

	if (rc >= 0)
		*ret = newest.count ? steal_ptr(&newest.items[0]) : NULL;
	return rc < 0 ? rc : 0;
}

/* What the store knows of a cron; each may be NULL. */
struct cron_state {
	struct reminder *reminder;
	struct policy *policy;
	struct mission *mission; /* the newest */
	struct slot *slot;	 /* the newest decision */
};

static void cron_state_fini(struct cron_state *s)
{
	reminder_free(s->reminder);
	policy_free(s->policy);
	mission_free(s->mission);
	slot_free(s->slot);
}
#define AUTO_STATE __attribute__((cleanup(cron_state_fini)))

static int read_state(struct db *db, const char *name, struct cron_state *ret, struct error *err)
{
	AUTO_SLOTS struct slot_list last = {0};
	int rc;

	if ((rc = policy_find(db, DOOR_CRON, name, &ret->reminder, err)) < 0 ||
	    (rc = cron_mission(db, name, &ret->mission, err)) < 0 || !ret->reminder)
		return rc;
	if ((rc = policy_get(db, ret->reminder->key, &ret->policy, err)) < 0 ||
	    (rc = slot_list(db, ret->reminder->key, 0, 1, &last, err)) < 0)
		return rc;
	ret->slot = last.count ? steal_ptr(&last.items[0]) : NULL;
	return 0;
}

static bool is_open(const struct mission *m)
{
	return m && m->phase != PHASE_ENDED && m->phase != PHASE_REMOVING;
}

/* The newest decision started nothing: it was skipped, missed, or failed before a mission was. */
static bool slot_is_last(const struct cron_state *s)
{
	if (!s->slot || is_open(s->mission) || s->slot->outcome == OUTCOME_RAN ||
	    s->slot->outcome == OUTCOME_RUNNING || s->slot->outcome == OUTCOME_FIRED)
		return false;
	return !s->mission ||
	       (s->mission->slot != s->slot->key && s->slot->decided_at > s->mission->created_at);
}

/* When it last ran or should have, how that went, and why. */
static int put_last(struct db *db, json_t *o, const struct cron_state *s, const struct zone *zone,
		    struct error *err)
{
	const struct mission *m = s->mission;
	const char *status = NULL;
	usec_t at = USEC_NONE;
	json_t *last = NULL;
	int rc = 0;

	if (slot_is_last(s)) {
		status = outcome_word(s->slot->outcome);
		at = s->slot->nominal;
	} else if (m) {
		rc = mission_status(db, m, &status, err);
		at = m->started_at != USEC_NONE ? m->started_at : m->nominal;
	}
	if (rc < 0)
		return rc;
	if (status) {
		last = json_object();
		json_put(last, "at", json_instant(at, zone));
		json_put_text(last, "status", status);
		json_put_text(last, "reason", slot_is_last(s) ? s->slot->reason : m->reason);
	}
	json_put(o, "last_run", last ? last : json_null());
	json_put_text(o, "mission", m ? m->id : NULL);
	return 0;
}

/* --- crons --- */

/* What it will be run by: the engine's defaults, and over them what the file says. */
static void wished_policy(const struct request *rq, const struct config_cron *c, struct policy *ret)
{
	int overlap = c->overlap ? overlap_of(c->overlap) : -1;

	*ret = (struct policy){0};
	engine_policy_defaults(rq->engine, DOOR_CRON, c->agent, ret);
	ret->overlap = overlap >= 0 ? (enum overlap)overlap : ret->overlap;
	ret->time_limit = c->timeout >= 0 ? c->timeout : ret->time_limit;
	ret->max_attempts = c->max_attempts >= 0 ? c->max_attempts : ret->max_attempts;
	ret->retry_on = c->retry_on >= 0 ? c->retry_on : ret->retry_on;
	ret->backoff = c->backoff >= 0 ? c->backoff : ret->backoff;
	ret->retention = c->retention >= 0 ? c->retention : ret->retention;
	ret->pause_after = c->pause_after >= 0 ? c->pause_after : ret->pause_after;
}

static void put_wish(const struct request *rq, json_t *o, const struct config_cron *c)
{
	struct policy policy;
	AUTO(json_decref) json_t *how = NULL;

	json_put_text(o, "name", c->name);
	json_put_text(o, "description", c->description);
	json_put_text(o, "schedule", c->schedule);
	json_put_text(o, "agent", c->agent);
	json_put_text(o, "prompt", c->prompt);
	json_put_text(o, "git", c->git);
	json_put_text(o, "catchup", c->catchup ? c->catchup : "skip");
	json_put(o, "start_deadline", json_duration(c->start_deadline));
	json_put(o, "jitter", json_duration(c->jitter));
	wished_policy(rq, c, &policy);
	how = json_policy(&policy);
	json_object_del(how, "door");
	json_object_update(o, how);
	json_put_text(o, "problem", c->problem);
	json_put_int(o, "line", c->line);
}

const struct zone *cron_zone(const struct config *config, const struct config_cron *c,
			     const char **ret_source)
{
	const struct zone *zone;
	struct error unknown = {0};

	*ret_source = "item";
	if (c && c->timezone && zone_get(c->timezone, &zone, &unknown) == 0)
		return zone;
	*ret_source = "config";
	if (config->timezone && zone_get(config->timezone, &zone, &unknown) == 0)
		return zone;
	return zone_of_machine(ret_source);
}

/* Whether it has the times that the file says. */
static bool has_times(const struct reminder *r, const struct config_cron *c,
		      const struct zone *zone)
{
	return c->schedule && strcmp(r->schedule_kind, "cron") == 0 &&
	       strcmp(r->schedule, c->schedule) == 0 && strcmp(r->zone, zone_name(zone)) == 0;
}

/* After failures, or by `reminder pause`: what the file itself holds back follows the file. */
static bool is_paused(const struct reminder *r)
{
	return r && r->status == STATUS_PAUSED && !engine_is_held(r);
}

/* How the reminder and the file differ, for people; NULL when they do not, or nothing is armed yet. */
static char *how_they_differ(const struct request *rq, const struct config_cron *c,
			     const struct zone *zone, const struct reminder *r)
{
	if (!rq->scheduler_running || c->problem)
		return NULL;
	if (!r)
		return mem_strdup("config.yml declares it, but it is not armed");
	if (r->status == STATUS_ACTIVE && !c->enabled)
		return mem_strdup("config.yml disables it, but it is armed");
	if (engine_is_held(r) && c->enabled)
		return mem_strdup("config.yml enables it, but it is not armed");
	if (r->status == STATUS_ACTIVE && !has_times(r, c, zone))
		return mem_printf("config.yml says '%s', but it runs by '%s' in %s", c->schedule,
				  r->schedule, r->zone);
	return NULL;
}

/* The next fires of what is armed, or else by the file's schedule. */
static json_t *list_fires(const struct request *rq, const struct reminder *armed,
			  const struct schedule *s, int count)
{
	AUTO_PREVIEW struct preview ahead = {0};
	json_t *fires = json_array();
	usec_t at = rq->now;

	if (armed)
		preview_begin(&ahead, armed, armed->cursor);
	for (int i = 0; i < count; i++) {
		if (armed ? !preview_next(&ahead, &at) : !schedule_next(s, at, &at))
			break;
		json_array_append_new(
			fires, json_instant(at, armed ? reminder_zone(armed) : schedule_zone(s)));
	}
	return fires;
}

/* Whether it is meant to fire: by its reminder, and by the file where there is none that tells. */
static bool is_enabled(const struct request *rq, const struct config_cron *c,
		       const struct reminder *r)
{
	if (!rq->scheduler_running || c->problem)
		return c->enabled;
	return r && (r->status == STATUS_ACTIVE || (c->enabled && !engine_is_held(r)));
}

/* The fires to come; NULL when there are none. */
static json_t *fires_ahead(const struct request *rq, const struct config_cron *c,
			   const struct zone *zone, const struct reminder *r,
			   const struct schedule *s, int count)
{
	if (c->problem || is_paused(r))
		return NULL;
	if (rq->scheduler_running)
		return r && r->status == STATUS_ACTIVE ? list_fires(rq, r, NULL, count) : NULL;
	if (!c->enabled || !s)
		return NULL;
	return list_fires(rq, r && r->status == STATUS_ACTIVE && has_times(r, c, zone) ? r : NULL,
			  s, count);
}

static json_t *first_of(json_t *fires)
{
	return json_array_size(fires) ? json_incref(json_array_get(fires, 0)) : json_null();
}

/* What the file says, where something else will happen. */
static void put_difference(const struct request *rq, json_t *o, const struct config_cron *c,
			   const struct zone *zone, const struct reminder *r,
			   const struct schedule *s)
{
	AUTO(free) char *differs = how_they_differ(rq, c, zone, r);
	AUTO(json_decref) json_t *wished = NULL;
	json_t *file = differs ? json_object() : json_null();

	json_put_text(o, "differs", differs);
	json_put(o, "file", file);
	if (!differs)
		return;
	if (c->enabled && s)
		wished = list_fires(rq, NULL, s, 1);
	json_put_bool(file, "enabled", c->enabled);
	json_put(file, "next_run", first_of(wished));
}

/* "9 AM every day", and when: nothing of it for a schedule that cannot be read. */
static void put_schedule(const struct request *rq, json_t *o, const struct config_cron *c,
			 const struct zone *zone, const struct reminder *r, int count)
{
	AUTO(schedule_free) struct schedule *s = NULL;
	AUTO(free) char *words = NULL;
	struct schedule_spec spec = {SCHEDULE_CRON, c->schedule, zone, rq->now};
	struct error unreadable = {0};
	json_t *next;

	if (c->schedule && schedule_parse(&spec, &s, &unreadable) == 0)
		words = schedule_describe(s);
	next = fires_ahead(rq, c, zone, r, s, count);
	json_put_text(o, "describe", words);
	json_put_bool(o, "enabled", is_enabled(rq, c, r));
	json_put(o, "next", next ? next : json_array());
	json_put(o, "next_run", first_of(next));
	put_difference(rq, o, c, zone, r, s);
}

static void put_pause(json_t *o, const struct config_cron *c, const struct cron_state *s)
{
	const struct reminder *r = s->reminder;
	bool paused = r && c->enabled && is_paused(r);

	json_put_bool(o, "paused", paused);
	json_put_int(o, "failures", s->policy ? s->policy->failures : 0);
	json_put_text(o, "pause_reason", paused ? r->end_reason : NULL);
	json_put_text(o, "reminder", r ? r->id : NULL);
}

/* One word for the list: what a person has to know of it now. */
static void put_status(json_t *o)
{
	const json_t *last = json_object_get(o, "last_run");
	const char *status = json_string_value(json_object_get(last, "status"));

	if (json_is_string(json_object_get(o, "problem")))
		status = "invalid";
	else if (json_is_true(json_object_get(o, "paused")))
		status = "paused";
	json_put_text(o, "status", status);
}

int json_cron(const struct request *rq, const struct config *config, const struct config_cron *c,
	      int fires, json_t **ret, struct error *err)
{
	AUTO(json_decref) json_t *o = json_object();
	AUTO_STATE struct cron_state state = {0};
	const char *source = NULL;
	const struct zone *zone = cron_zone(config, c, &source);
	int rc = read_state(engine_db(rq->engine), c->name, &state, err);

	if (rc < 0)
		return rc;
	put_wish(rq, o, c);
	json_put_text(o, "tz", zone_name(zone));
	json_put_text(o, "tz_source", source);
	put_schedule(rq, o, c, zone, state.reminder, fires > 0 ? fires : 1);
	put_pause(o, c, &state);
	rc = put_last(engine_db(rq->engine), o, &state, zone, err);
	if (rc < 0)
		return rc;
	put_status(o);
	*ret = json_incref(o);
	return 0;
}

/* --- tasks --- */

int task_mission(struct db *db, const struct reminder *r, struct mission **ret, struct error *err)
{
	AUTO_MISSIONS struct mission_list newest = {0};
	const struct mission_filter filter = {
		.reminder = r->key, .door = -1, .archived = true, .limit = 1};
	int rc = mission_list(db, &filter, &newest, err);

	if (rc >= 0)
		*ret = newest.count ? steal_ptr(&newest.items[0]) : NULL;
	return rc < 0 ? rc : 0;
}

/* One that was stopped between two attempts ended as its last run did; the ledger knows better. */
static int was_cancelled(struct db *db, const struct mission *m, bool *ret, struct error *err)
{
	AUTO(slot_free) struct slot *slot = NULL;
	int rc = m && m->slot ? slot_get(db, m->slot, &slot, err) : 0;

	*ret = slot && slot->outcome == OUTCOME_CANCELLED;
	return rc < 0 && rc != ERR_NOT_FOUND ? rc : 0;
}

/* One of the five words a task's status has (B1). Waiting for a further attempt is pending. */
static const char *task_status(const struct reminder *r, const struct mission *m, bool cancelled)
{
	if (!m)
		return r->status == STATUS_CANCELLED   ? "cancelled"
		       : r->status == STATUS_COMPLETED ? "failed"
						       : "pending";
	if (m->phase == PHASE_STARTING || m->phase == PHASE_RUNNING)
		return "running";
	if (is_open(m))
		return "pending";
	if (m->outcome == ENDING_SUCCESS)
		return "completed";
	return m->outcome == ENDING_KILLED || cancelled ? "cancelled" : "failed";
}

/* Its time came and no mission did: the ledger says why. */
static int ledger_error(struct db *db, const struct reminder *r, char **ret, struct error *err)
{
	AUTO_SLOTS struct slot_list last = {0};
	int rc = slot_list(db, r->key, 0, 1, &last, err);

	if (rc >= 0 && last.count && r->status == STATUS_COMPLETED)
		*ret = mem_strdup(last.items[0]->reason);
	return rc < 0 ? rc : 0;
}

/* The error of its newest run that ended badly; NULL when none did. */
static int task_error(struct db *db, const struct reminder *r, const struct mission *m, char **ret,
		      struct error *err)
{
	AUTO_RUNS struct run_list runs = {0};
	int rc = m ? run_list(db, m->key, &runs, err) : ledger_error(db, r, ret, err);

	for (size_t i = 0; rc >= 0 && i < runs.count; i++) {
		const struct run *run = runs.items[i];

		if (run->finished_at == USEC_NONE)
			continue;
		if (run->ending != ENDING_SUCCESS)
			*ret = mem_strdup(run->error ? run->error : ending_word(run->ending));
		return 0;
	}
	return rc < 0 ? rc : 0;
}

int json_task(const struct request *rq, const struct reminder *r, json_t **ret, struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	AUTO(policy_free) struct policy *p = NULL;
	AUTO(free) char *error = NULL;
	AUTO(schedule_free) struct schedule *s = NULL;
	struct db *db = engine_db(rq->engine);
	usec_t at = USEC_NONE;
	const struct config_agent *usual = NULL;
	bool cancelled = false;
	json_t *o;
	int rc;

	if ((rc = policy_get(db, r->key, &p, err)) < 0 || (rc = task_mission(db, r, &m, err)) < 0 ||
	    (rc = was_cancelled(db, m, &cancelled, err)) < 0 ||
	    (rc = task_error(db, r, m, &error, err)) < 0)
		return rc;
	if (engine_schedule(r, &s, &(struct error){0}) == 0)
		schedule_next(s, INSTANT_MIN, &at);
	o = json_object();
	json_put_text(o, "id", r->id);
	json_put_text(o, "name", r->name);
	/* One that came by SQL names nobody, and the default agent runs it. */
	if (!*r->agent)
		usual = config_default_agent(engine_config(rq->engine), &(struct error){0});
	json_put_text(o, "agent", usual ? usual->name : r->agent);
	json_put_text(o, "user", r->owner);
	json_put_text(o, "prompt", r->message);
	json_put(o, "fire_at", json_instant(at, reminder_zone(r)));
	json_put_text(o, "tz", r->zone);
	json_put_text(o, "status", task_status(r, m, cancelled));
	json_put_bool(o, "paused", r->status == STATUS_PAUSED && !m);
	json_put_int(o, "attempts", m ? m->attempts : 0);
	json_put_int(o, "max_attempts", p->max_attempts);
	json_put(o, "timeout", json_duration(p->time_limit));
	json_put_text(o, "last_error", error);
	json_put_text(o, "mission", m ? m->id : NULL);
	json_put(o, "next_try",
		 json_instant(m && m->phase == PHASE_WAITING && m->attempts ? m->ready_at
									    : USEC_NONE,
			      reminder_zone(r)));
	json_put(o, "created_at", json_instant(r->created_at, reminder_zone(r)));
	*ret = o;
	return 0;
}
