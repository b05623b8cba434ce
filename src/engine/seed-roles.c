/*
 * seed-roles.c: the reminders of roles, for every agent that has one, and what agents are told when
 * they are idle.
 *
 * A reminder that ended stays ended: it fired as often as it should, or its condition closed it. It
 * comes back when its declaration changes; not because the role, or its file, was away for a while.
 * (One that a person removed, as they could once, comes back at the next start: N32.) To know that, also after its row was pruned, one entry of kv has what was
 * last seeded: {AGENT: {"role": ROLE, "seen": {NAME: HASH}, "ended": {NAME: HASH}}}. What is in "seen"
 * and declared no longer is dropped; what had ended by then goes to "ended".
 *
 * Of a role that cannot be read nothing is known, so everything of it is left as it is. Likewise the
 * reminders of an agent that is not there any more: removing an agent leaves them (H11), and only
 * what is taken out of its role goes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/random.h"
#include "engine/mission.h"
#include "engine/seed-parts.h"
#include "schedule/duration.h"
#include "schedule/start.h"
#include "store/kv.h"

#define SEEN_NAME "roles"
#define HASH_MAX 17
#define DISABLED "disabled in its role"
#define CONDITION_LIMIT_DEFAULT (30 * USEC_PER_SEC)
/* An agent that is asked to close a reminder and never does must not be asked for ever (H10). */
#define PROMPT_COUNT_DEFAULT 100
#define IDLE_MESSAGE                                                                               \
	"You have been idle for a while. Look whether something needs you, and do it; else wait."

/* The reminders of one agent, while they are seeded. */
struct agent_seeding {
	struct seeding *s;
	const struct config_agent *agent;
	const json_t *before; /* what was seen last time; NULL: nothing */
	const json_t *ended;  /* what had ended before it was declared no longer; likewise */
	json_t *seen;	      /* what is seen now */
};

/* --- the wish ----------------------------------------------------------------------------- */

/* Equal declarations have equal hashes, on every machine and version. */
static void hash_of(const struct config_reminder *d, char ret[HASH_MAX])
{
	const char *const texts[] = {d->message,  d->kind,     d->schedule,  d->timezone,
				     d->priority, d->fallback, d->condition, d->condition_prompt,
				     d->mode,	  d->catchup};
	AUTO_BUF struct buf all = {0};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		buf_printf(&all, "%s\x1f", texts[i] ? texts[i] : "");
	buf_printf(&all, "%d\x1f%" PRId64, d->count, (int64_t)d->condition_timeout);
	snprintf(ret, HASH_MAX, "%016" PRIx64, hash_bytes(all.data, all.len, 0));
}

static void set_condition(const struct config_reminder *d, struct reminder *r)
{
	r->condition_limit = d->condition_timeout ? d->condition_timeout : CONDITION_LIMIT_DEFAULT;
	r->count_max = d->count;
	if (!d->condition && !d->condition_prompt)
		return;
	r->condition_kind = d->condition ? CONDITION_COMMAND : CONDITION_PROMPT;
	r->condition = mem_strdup(d->condition ? d->condition : d->condition_prompt);
	r->mode = d->mode ? (enum mode)mode_of(d->mode) : MODE_EACH;
	if (d->condition_prompt && r->mode != MODE_EACH && !r->count_max)
		r->count_max = PROMPT_COUNT_DEFAULT;
}

/* As `reminder add` would keep it: see request/read.c. */
static int set_schedule(const struct config_reminder *d, usec_t now, struct wish *w,
			struct error *err)
{
	AUTO(schedule_free) struct schedule *s = NULL;
	struct reminder *r = w->r;
	char at[INSTANT_TEXT_MAX];
	const struct zone *zone;
	usec_t instant;
	int rc = zone_get(r->zone, &zone, err);

	if (rc < 0)
		return rc;
	r->schedule_kind = mem_strdup(d->kind);
	r->anchor = now;
	if (strcmp(d->kind, "rrule") == 0) {
		w->declared = d->schedule;
		r->schedule = start_rule(d->schedule, zone, now, &r->anchor);
	} else if (strcmp(d->kind, "at") == 0) {
		if ((rc = instant_parse(d->schedule, zone, &instant, err)) < 0)
			return rc;
		instant_format(instant, zone, at);
		r->schedule = mem_strdup(at);
	} else {
		r->schedule = mem_strdup(d->schedule);
	}
	if ((rc = engine_schedule(r, &s, err)) < 0)
		return rc;
	/* A rule may name its own zone. */
	if (strcmp(zone_name(schedule_zone(s)), r->zone) != 0) {
		mem_replace(&r->zone, zone_name(schedule_zone(s)));
		mem_replace(&r->zone_source, "item");
	}
	return 0;
}

static int set_fallback(const struct engine *e, const struct config_agent *agent,
			const struct config_reminder *d, struct wish *w, struct error *err)
{
	if (d->fallback)
		w->r->fallback = (enum fallback)fallback_of(d->fallback);
	if (w->r->fallback != FALLBACK_RUN)
		return 0;
	if (!agent->adapter)
		return error_set(err, ERR_INVALID,
				 "'fallback: run', but agent '%s' cannot be run: it has no adapter",
				 agent->name);
	engine_policy_defaults(e, DOOR_REMINDER, agent->name, &w->p);
	return 0;
}

static int wish_declared(const struct agent_seeding *a, const struct config_reminder *d,
			 const char *what, struct wish *w, struct error *err)
{
	const struct engine *e = a->s->e;
	int rc;

	w->what = what;
	w->r = wish_reminder(e, d->name, a->agent->name, d->message, d->timezone);
	w->r->source = a->agent->role ? SOURCE_ROLE : SOURCE_CONFIG;
	w->r->action = ACTION_DELIVER;
	w->r->priority = d->priority ? (enum priority)priority_of(d->priority) : PRIORITY_IDLE;
	/* A cron line names moments that matter: one that was missed is not made up for later. */
	wish_catchup(w->r, d->catchup			  ? d->catchup
			   : strcmp(d->kind, "cron") == 0 ? "skip"
							  : "once");
	w->held = d->enabled ? NULL : DISABLED;
	set_condition(d, w->r);
	if ((rc = set_schedule(d, a->s->now, w, err)) < 0)
		return rc;
	return set_fallback(e, a->agent, d, w, err);
}

/* --- one of them -------------------------------------------------------------------------- */

/* Whether it could still fire, were it created now. */
static bool is_over(const struct wish *w, usec_t now)
{
	AUTO(schedule_free) struct schedule *s = NULL;
	struct error parsed = {0};
	bool has_end =
		strcmp(w->r->schedule_kind, "at") == 0 || strcmp(w->r->schedule_kind, "rrule") == 0;
	usec_t next;

	return has_end && engine_schedule(w->r, &s, &parsed) == 0 && !schedule_next(s, now, &next);
}

static int tell_broken(const struct agent_seeding *a, const struct config_reminder *d,
		       const char *what, const char *why, struct reminder *found)
{
	const struct seed_change broken = {
		.what = what,
		.name = d->name,
		.agent = a->agent->name,
		.detail = (char *)(uintptr_t)why,
	};

	return seed_broken(a->s, &broken, d->enabled ? NULL : DISABLED, found);
}

/* It is right as it stands, and this agent cannot have it: told where it fired before. */
static int hold_broken(const struct agent_seeding *a, const struct config_reminder *d,
		       const char *what, const char *why, struct reminder *found)
{
	AUTO(free) char *whose = mem_printf("agent '%s'", a->agent->name);
	int rc = tell_broken(a, d, what, why, found);

	if (rc < 0 || !found || !d->enabled)
		return rc;
	return seed_tell_reminder(a->s, d->name, whose, NULL, why);
}

static bool begins(const char *text, const char *with)
{
	return text && strncmp(text, with, strlen(with)) == 0;
}

/*
 * Whether somebody ended what its role declares, as older versions let them: caller_did() has the words.
 * Whoever closes one that asked them to look at a condition does what the role says.
 */
static bool is_by_hand(const struct reminder *r)
{
	if (!r)
		return false;
	return r->status == STATUS_CANCELLED ? begins(r->end_reason, "removed by ")
					     : begins(r->end_reason, "completed by ") &&
						       r->condition_kind != CONDITION_PROMPT;
}

static const char *last_hash(const struct agent_seeding *a, const char *name)
{
	const char *seen = json_string_value(json_object_get(a->before, name));

	return seen ? seen : json_string_value(json_object_get(a->ended, name));
}

static int seed_readable(const struct agent_seeding *a, const struct config_reminder *d,
			 const char *what, struct reminder *found)
{
	const char *last = last_hash(a, d->name);
	AUTO(reminder_free) struct reminder *ended = NULL;
	AUTO_WISH struct wish w = {0};
	struct error why = {0};
	char hash[HASH_MAX];
	int rc = 0;

	if (wish_declared(a, d, what, &w, &why) < 0)
		return hold_broken(a, d, what, why.message, found);
	hash_of(d, hash);
	json_put_text(a->seen, d->name, hash);
	if (!found)
		rc = reminder_find_ended(a->s->e->db, w.r, &ended, a->s->err);
	if (rc < 0)
		return rc;
	if (!found && last && strcmp(last, hash) == 0) {
		if (!is_by_hand(ended))
			return 0; /* it ended, as it should */
		w.ended = ended->end_reason;
	} else if (!last && seed_was_dropped(ended, a->agent->role) &&
		   ended->source == w.r->source) {
		w.back = ended;
	}
	if (!found && is_over(&w, a->s->now))
		return tell_broken(a, d, what, "all its times have passed", NULL);
	return seed_wish(a->s, &w, found);
}

static int seed_one(const struct agent_seeding *a, const struct config_reminder *d,
		    const char *what)
{
	const char *last = last_hash(a, d->name);
	AUTO(reminder_free) struct reminder *found = NULL;
	int rc = reminder_find_declared(a->s->e->db, a->agent->name, d->name, &found, a->s->err);

	if (rc < 0)
		return rc;
	/* Until it can be read, what is known about it is what was known before. */
	if (last)
		json_put_text(a->seen, d->name, last);
	if (d->problem)
		return tell_broken(a, d, what, d->problem, found);
	rc = seed_readable(a, d, what, found);
	return rc < 0 ? error_prefix(a->s->err, "reminder '%s' of agent '%s'", d->name,
				     a->agent->name)
		      : 0;
}

static char *heartbeat_name(const char *agent)
{
	return mem_printf("heartbeat-%s", agent);
}

static int seed_idle(const struct agent_seeding *a)
{
	AUTO(free) char *name = heartbeat_name(a->agent->name);
	char span[DURATION_TEXT_MAX];
	struct config_reminder d = {
		.name = name,
		.message = a->agent->idle_message ? a->agent->idle_message
						  : (char *)(uintptr_t)IDLE_MESSAGE,
		.kind = (char *)(uintptr_t) "idle",
		.schedule = span,
		.enabled = true,
	};

	duration_format(a->agent->idle_heartbeat, span);
	return seed_one(a, &d, "heartbeat");
}

/* --- dropping ----------------------------------------------------------------------------- */

static bool declares(const struct config_role *role, const char *name)
{
	for (size_t i = 0; role && i < role->reminder_count; i++)
		if (strcmp(role->reminders[i].name, name) == 0)
			return true;
	return false;
}

/* Returns 1, or 0 when it had ended. */
static int drop_one(struct seeding *s, const char *agent, const char *name, const char *role)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(free) char *own = heartbeat_name(agent);
	AUTO(free)
	char *why = role ? mem_printf(DROPPED_ROLE, role) : mem_strdup(DROPPED_CONFIG);
	int rc = reminder_find_declared(s->e->db, agent, name, &r, s->err);

	if (rc < 0 || !r)
		return rc;
	rc = seed_drop(s, strcmp(name, own) == 0 ? "heartbeat" : "reminder", r, why);
	return rc < 0 ? rc : 1;
}

/* What of its last entry had ended before it was declared no longer; of another role nothing. */
static const json_t *ended_of(const json_t *entry, const char *role)
{
	const char *was = json_string_value(json_object_get(entry, "role"));

	return !role || (was && strcmp(role, was) == 0) ? json_object_get(entry, "ended") : NULL;
}

/* What was seen and is declared no longer, by the role and beyond it. */
static int drop_undeclared(struct seeding *s, const char *agent, const json_t *entry,
			   const struct config_role *role, bool heartbeat, json_t *ended)
{
	const char *was = json_string_value(json_object_get(entry, "role")), *name;
	json_t *seen = json_object_get(entry, "seen"), *hash;
	AUTO(free) char *own = heartbeat_name(agent);
	int rc = 0;

	json_object_foreach((json_t *)(uintptr_t)ended_of(entry, role ? role->name : NULL), name,
			    hash)
	{
		if (!declares(role, name))
			json_object_set(ended, name, hash);
	}
	json_object_foreach(seen, name, hash)
	{
		if (declares(role, name) || (heartbeat && strcmp(name, own) == 0))
			continue;
		if ((rc = drop_one(s, agent, name, was)) < 0)
			return rc;
		if (rc == 0)
			json_object_set(ended, name, hash);
	}
	return 0;
}

/* An entry in which nothing is left goes; else it knows of which role what had ended was. */
static void close_entry(json_t *all, const char *agent, const json_t *before, const json_t *ended)
{
	json_t *now = json_object_get(all, agent);
	const char *was = json_string_value(json_object_get(before, "role"));

	json_object_del(now, "ended");
	if (json_object_size(ended)) {
		json_put(now, "ended", json_deep_copy(ended));
		if (!json_string_value(json_object_get(now, "role")))
			json_put_text(now, "role", was);
	} else if (json_object_size(json_object_get(now, "seen")) == 0) {
		json_object_del(all, agent);
	}
}

/* --- all of them -------------------------------------------------------------------------- */

static int seed_agent(struct seeding *s, const struct config_agent *agent,
		      const struct config_role *role, const json_t *entry, json_t *all)
{
	struct agent_seeding a = {.s = s,
				  .agent = agent,
				  .before = json_object_get(entry, "seen"),
				  .ended = ended_of(entry, role ? role->name : NULL),
				  .seen = json_object()};
	AUTO(json_decref) json_t *ended = json_object();
	json_t *now = json_object();
	int rc = 0;

	json_put_text(now, "role", role ? role->name : NULL);
	json_put(now, "seen", a.seen);
	json_put(all, agent->name, now);
	for (size_t i = 0; role && rc >= 0 && i < role->reminder_count; i++)
		rc = seed_one(&a, &role->reminders[i], "reminder");
	if (rc >= 0 && agent->idle_heartbeat)
		rc = seed_idle(&a);
	if (rc >= 0)
		rc = drop_undeclared(s, agent->name, entry, role, agent->idle_heartbeat, ended);
	close_entry(all, agent->name, entry, ended);
	return rc;
}

/* Whether an agent has anything to seed, or had. */
static bool concerns(const struct config_agent *agent, const struct config_role *role,
		     const json_t *entry)
{
	return entry || agent->idle_heartbeat || (role && role->reminder_count);
}

static int seed_known(struct seeding *s, const json_t *before, json_t *all)
{
	const struct config *c = s->e->config;
	int rc = 0;

	for (size_t i = 0; rc >= 0 && i < c->agent_count; i++) {
		const struct config_agent *agent = &c->agents[i];
		struct error none = {0};
		const struct config_role *role =
			agent->role ? config_role(c, agent->role, &none) : NULL;
		json_t *entry = json_object_get(before, agent->name);

		if (role && role->problem) {
			if (entry)
				json_object_set(all, agent->name, entry);
		} else if (concerns(agent, role, entry)) {
			rc = seed_agent(s, agent, role, entry, all);
		}
	}
	return rc;
}

/* An agent that nothing declares now: what its role still has stays. */
static int seed_gone(struct seeding *s, const char *agent, json_t *entry, json_t *all)
{
	const char *name = json_string_value(json_object_get(entry, "role")), *reminder;
	struct error none = {0};
	const struct config_role *role = name ? config_role(s->e->config, name, &none) : NULL;
	AUTO(free) char *own = heartbeat_name(agent);
	AUTO(json_decref) json_t *left = json_deep_copy(entry);
	AUTO(json_decref) json_t *ended = json_object();
	json_t *seen = json_object_get(left, "seen"), *hash;
	void *next;
	int rc;

	json_object_set(all, agent, left);
	if (role && role->problem)
		return 0;
	json_object_foreach_safe(seen, next, reminder, hash)
	{
		if (!role || (!declares(role, reminder) && strcmp(reminder, own) != 0))
			json_object_del(seen, reminder);
	}
	rc = drop_undeclared(s, agent, entry, role, role, ended);
	close_entry(all, agent, entry, ended);
	return rc;
}

/* Of each reminder once, however many agents have the role. */
static int tell_reminders(struct seeding *s, const struct config_role *role)
{
	AUTO(free) char *whose = mem_printf("role '%s'", role->name);
	int rc = 0;

	for (size_t i = 0; rc >= 0 && i < role->reminder_count; i++) {
		const struct config_reminder *d = &role->reminders[i];

		if (d->problem && d->enabled)
			rc = seed_tell_reminder(s, d->name, whose, role, d->problem);
	}
	return rc;
}

static int tell_problems(struct seeding *s)
{
	const struct config *c = s->e->config;
	int rc = 0;

	for (size_t i = 0; rc >= 0 && i < c->role_count; i++) {
		const struct config_role *role = &c->roles[i];
		const struct seed_change broken = {.what = "role",
						   .name = role->name,
						   .detail = role->problem ? role->problem
									   : role->mistake};

		rc = tell_reminders(s, role);
		if (rc >= 0 && broken.detail)
			rc = seed_tell_role(s, role, &broken);
	}
	return rc;
}

/* What a hand has spoilt is as good as nothing: all is then compared with the rows alone. */
static int load_seen(struct seeding *s, json_t **ret)
{
	AUTO(free) char *text = NULL;
	struct error spoilt = {0};
	int rc = kv_get(s->e->db, SEEN_NAME, &text, s->err);

	if (rc < 0)
		return rc;
	if (!text || json_parse(text, strlen(text), ret, &spoilt) < 0)
		*ret = json_object();
	return 0;
}

static int save_seen(struct seeding *s, const json_t *before, const json_t *all)
{
	AUTO(free) char *text = NULL;

	if (s->dry || json_equal(before, all))
		return 0;
	text = json_object_size(all) ? json_text(all) : NULL;
	return kv_set(s->e->db, SEEN_NAME, text, s->err);
}

int seed_forget(struct engine *e, const char *agent, struct error *err)
{
	struct seeding s = {.e = e, .err = err};
	AUTO(json_decref) json_t *before = NULL;
	AUTO(json_decref) json_t *all = NULL;
	int rc = load_seen(&s, &before);

	if (rc < 0)
		return rc;
	all = json_copy(before);
	json_object_del(all, agent);
	return save_seen(&s, before, all);
}

int seed_roles(struct seeding *s)
{
	AUTO(json_decref) json_t *before = NULL;
	AUTO(json_decref) json_t *all = json_object();
	const char *agent;
	json_t *entry;
	int rc = load_seen(s, &before);

	if (rc < 0)
		return rc;
	if ((rc = tell_problems(s)) < 0 || (rc = seed_known(s, before, all)) < 0)
		return rc;
	json_object_foreach(before, agent, entry)
	{
		struct error none = {0};

		if (rc >= 0 && !config_agent(s->e->config, agent, &none))
			rc = seed_gone(s, agent, entry, all);
	}
	return rc < 0 ? rc : save_seen(s, before, all);
}
