/*
 * seed-plan.c: comparing what is declared with what is there.
 * Every change is first noted in the report and then made, unless the seeding is a dry one: so what
 * a dry one says is what the real one does.
 *
 * What is disabled or cannot work is held: paused, with the reason. A pause for any other reason (by
 * hand, after failures) is the person's to lift, and seeding leaves it alone.
 *
 * What is declared no longer is completed, or cancelled if it was paused; why it was is kept in the
 * words of its end. So when it is declared again it goes on as the same one (N35): a file may be away
 * for a moment, and nobody meant anything by that.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/change.h"
#include "engine/mission.h"
#include "engine/seed-parts.h"
#include "schedule/start.h"
#include "schedule/zone.h"
#include "store/trouble.h"

#define CATCHUP_ALL_DEFAULT 10
#define LOGGED_MAX 20 /* changes of one seeding; `belfry apply` tells them all */
#define HELD_DISABLED "disabled in "
#define WHILE_PAUSED " while paused"

void wish_fini(struct wish *w)
{
	reminder_free(w->r);
	free(w->p.description);
	free(w->p.git);
}

void seed_report_fini(struct seed_report *report)
{
	for (size_t i = 0; i < report->count; i++) {
		free(report->items[i].name);
		free(report->items[i].agent);
		free(report->items[i].id);
		free(report->items[i].detail);
	}
	free(report->items);
	*report = (struct seed_report){0};
}

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

struct reminder *wish_reminder(const struct engine *e, const char *name, const char *agent,
			       const char *message, const char *zone)
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
	choose_zone(e, zone, r);
	return r;
}

void wish_catchup(struct reminder *r, const char *text)
{
	if (strncmp(text, "all", 3) == 0) {
		r->catchup = CATCHUP_ALL;
		if (text[3] == ':')
			r->catchup_max = strtol(text + 4, NULL, 10);
		return;
	}
	r->catchup = (enum catchup)catchup_of(text);
}

/* --- comparing ---------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_times(const struct reminder *r, const struct wish *w)
{
	if (!same_text(r->schedule_kind, w->r->schedule_kind))
		return false;
	return w->declared ? start_is_of_rule(r->schedule, w->declared)
			   : same_text(r->schedule, w->r->schedule);
}

static bool same_schedule(const struct reminder *r, const struct wish *w)
{
	return same_times(r, w) && same_text(r->zone, w->r->zone) && r->jitter == w->r->jitter;
}

static bool same_condition(const struct reminder *a, const struct reminder *b)
{
	return a->condition_kind == b->condition_kind && same_text(a->condition, b->condition) &&
	       a->mode == b->mode && a->condition_limit == b->condition_limit;
}

static bool same_policy(const struct policy *a, const struct policy *b)
{
	return same_text(a->description, b->description) && same_text(a->git, b->git) &&
	       a->overlap == b->overlap && a->time_limit == b->time_limit &&
	       a->max_attempts == b->max_attempts && a->retry_on == b->retry_on &&
	       a->backoff == b->backoff && a->wait_limit == b->wait_limit &&
	       a->retention == b->retention && a->pause_after == b->pause_after;
}

static void add_word(struct buf *words, bool same, const char *word)
{
	if (!same)
		buf_printf(words, "%s%s", words->len ? ", " : "", word);
}

/* What of the reminder itself differs, for people; nothing when it is as wished. */
static void compare(const struct reminder *r, const struct wish *w, struct buf *ret)
{
	const struct reminder *to = w->r;

	add_word(ret, same_text(r->agent, to->agent), "agent");
	add_word(ret, same_text(r->message, to->message), "text");
	add_word(ret, same_schedule(r, w), "schedule");
	add_word(ret, same_text(r->zone_source, to->zone_source), "time zone");
	add_word(ret, r->catchup == to->catchup && r->catchup_max == to->catchup_max, "catch-up");
	add_word(ret, r->start_deadline == to->start_deadline, "start deadline");
	add_word(ret, r->priority == to->priority, "priority");
	add_word(ret, same_condition(r, to), "condition");
	add_word(ret, r->count_max == to->count_max, "count");
	add_word(ret, r->until == to->until, "until");
	add_word(ret, r->fallback == to->fallback, "fallback");
}

static void take_condition(struct reminder *r, const struct reminder *wanted)
{
	r->condition_kind = wanted->condition_kind;
	mem_replace(&r->condition, wanted->condition);
	r->mode = wanted->mode;
	r->condition_limit = wanted->condition_limit;
}

static void take_wish(struct reminder *r, const struct reminder *wanted, bool reschedule)
{
	mem_replace(&r->agent, wanted->agent);
	mem_replace(&r->message, wanted->message);
	mem_replace(&r->zone_source, wanted->zone_source);
	r->catchup = wanted->catchup;
	r->catchup_max = wanted->catchup_max;
	r->start_deadline = wanted->start_deadline;
	r->priority = wanted->priority;
	r->count_max = wanted->count_max;
	r->until = wanted->until;
	r->fallback = wanted->fallback;
	take_condition(r, wanted);
	if (!reschedule)
		return;
	mem_replace(&r->schedule_kind, wanted->schedule_kind);
	mem_replace(&r->schedule, wanted->schedule);
	mem_replace(&r->zone, wanted->zone);
	r->jitter = wanted->jitter;
	r->anchor = wanted->anchor;
}

/* --- noting ------------------------------------------------------------------------------- */

static struct seed_change *note(struct seeding *s, const struct seed_change *change)
{
	struct seed_report *report = s->report;
	struct seed_change *item;

	report->items = mem_grow(report->items, report->count + 1, sizeof(*report->items));
	item = &report->items[report->count++];
	*item = (struct seed_change){
		.kind = change->kind,
		.what = change->what,
		.name = mem_strdup(change->name),
		.agent = mem_strdup(change->agent),
		.id = change->id && *change->id ? mem_strdup(change->id) : NULL,
		.detail = mem_strdup(change->detail),
	};
	return item;
}

static struct seed_change *note_reminder(struct seeding *s, enum seed_kind kind, const char *what,
					 const struct reminder *r, const char *detail)
{
	return note(s, &(struct seed_change){
			       .kind = kind,
			       .what = what,
			       .name = r->name,
			       .agent = r->agent,
			       .id = (char *)r->id,
			       .detail = (char *)(uintptr_t)detail,
		       });
}

/* What a start or a changed file did, for whoever wonders where their own change has gone. */
static bool may_log(struct seeding *s)
{
	if (!s->log || s->dry || s->logged > LOGGED_MAX)
		return false;
	if (s->logged++ < LOGGED_MAX)
		return true;
	log_info("more reminders changed with the files; 'belfry apply' tells them all");
	return false;
}

static void log_change(struct seeding *s, const struct wish *w, const char *words)
{
	if (may_log(s))
		log_info("%s '%s' of agent '%s' is now as its file says: %s", w->what, w->r->name,
			 w->r->agent, words);
}

static void log_return(struct seeding *s, const struct wish *w)
{
	if (w->ended && may_log(s))
		log_warning("%s '%s' of agent '%s' had ended (%s), but its file declares it: it is "
			    "back",
			    w->what, w->r->name, w->r->agent, w->ended);
}

/* --- making ------------------------------------------------------------------------------- */

bool engine_is_held(const struct reminder *r)
{
	const char *why = r->end_reason ? r->end_reason : "";

	return r->status == STATUS_PAUSED &&
	       (strncmp(why, HELD_DISABLED, strlen(HELD_DISABLED)) == 0 ||
		strncmp(why, TROUBLE_HELD, strlen(TROUBLE_HELD)) == 0);
}

/* Whether it has to be paused or resumed for that reason. */
static bool must_hold(const struct reminder *r, const char *why)
{
	if (!why)
		return engine_is_held(r);
	return r->status != STATUS_PAUSED || (engine_is_held(r) && !same_text(r->end_reason, why));
}

static int hold(struct seeding *s, struct reminder *r, const char *why)
{
	if (s->dry || !must_hold(r, why))
		return 0;
	return why ? engine_hold(s->e, r, why, s->now, s->err)
		   : engine_resume(s->e, r, s->now, s->err);
}

/* Whether it needs a policy beside it. */
static bool runs(const struct reminder *r)
{
	return r->action == ACTION_RUN || r->fallback == FALLBACK_RUN;
}

/* One that only now has a fallback has none yet. */
static int get_policy(struct seeding *s, const struct reminder *r, struct policy **ret)
{
	int rc = policy_get(s->e->db, r->key, ret, s->err);

	return rc == ERR_NOT_FOUND ? 0 : rc;
}

/* Adding and editing give one with a fallback the usual policy: so what is there now is looked at. */
static int set_policy(struct seeding *s, const struct reminder *r, struct policy *wanted)
{
	AUTO(policy_free) struct policy *there = NULL;
	int rc = get_policy(s, r, &there);

	if (rc < 0)
		return rc;
	wanted->reminder = r->key;
	wanted->failures = there ? there->failures : 0;
	mem_replace(&wanted->denied, there ? there->denied : NULL);
	return there ? policy_update(s->e->db, wanted, s->err)
		     : policy_insert(s->e->db, wanted, s->err);
}

static int make_changes(struct seeding *s, struct wish *w, struct reminder *r, bool edit,
			bool new_policy)
{
	bool reschedule = !same_schedule(r, w);
	int rc = 0;

	if (s->dry)
		return 0;
	if (edit) {
		take_wish(r, w->r, reschedule);
		rc = engine_edit(s->e, r, reschedule, s->now, s->err);
	}
	if (rc >= 0 && new_policy)
		rc = set_policy(s, r, &w->p);
	/* A change may have been its end: it had fired as often as it may now. */
	if (rc >= 0 && (r->status == STATUS_ACTIVE || r->status == STATUS_PAUSED))
		rc = hold(s, r, w->held);
	return rc;
}

static int update(struct seeding *s, struct wish *w, struct reminder *r)
{
	AUTO(policy_free) struct policy *p = NULL;
	AUTO_BUF struct buf words = {0};
	bool edit, new_policy = false;
	int rc = runs(w->r) ? get_policy(s, r, &p) : 0;

	if (rc < 0)
		return rc;
	compare(r, w, &words);
	edit = words.len > 0;
	if (runs(w->r))
		new_policy = !p || !same_policy(p, &w->p);
	add_word(&words, !new_policy, "settings");
	add_word(&words, !must_hold(r, w->held), w->held ? "paused" : "resumed");
	if (!words.len)
		return 0;
	note_reminder(s, SEED_CHANGED, w->what, r, buf_text(&words));
	log_change(s, w, buf_text(&words));
	return make_changes(s, w, r, edit, new_policy);
}

static int create(struct seeding *s, struct wish *w)
{
	AUTO(schedule_free) struct schedule *schedule = NULL;
	AUTO(free) char *label = NULL;
	struct seed_change *change;
	int rc = engine_schedule(w->r, &schedule, s->err);

	if (rc < 0)
		return rc;
	label = schedule_label(schedule);
	log_return(s, w);
	change = note_reminder(s, SEED_CREATED, w->what, w->r, label);
	if (s->dry)
		return 0;
	if (w->r->action == ACTION_RUN)
		rc = engine_add_run(s->e, w->r, &w->p, s->now, false, s->err);
	else
		rc = engine_add(s->e, w->r, s->now, false, s->err);
	if (rc >= 0 && w->r->action != ACTION_RUN && runs(w->r))
		rc = set_policy(s, w->r, &w->p);
	if (rc >= 0)
		mem_replace(&change->id, w->r->id);
	return rc < 0 ? rc : hold(s, w->r, w->held);
}

/* What follows the words of a drop: nothing, or how it was paused. NULL: those are not the words. */
static const char *after_drop(const struct reminder *ended, const char *words)
{
	const char *why = ended->end_reason ? ended->end_reason : "";
	size_t len = strlen(words);

	if (strncmp(why, words, len) != 0)
		return NULL;
	why += len;
	return !*why || strncmp(why, WHILE_PAUSED, strlen(WHILE_PAUSED)) == 0 ? why : NULL;
}

bool seed_was_dropped(const struct reminder *ended, const char *role)
{
	AUTO(free) char *words = mem_printf(DROPPED_ROLE, role ? role : "");

	return ended && (after_drop(ended, DROPPED_CONFIG) || (role && after_drop(ended, words)));
}

/* Active or paused, as it was when it was dropped. */
static void wake(struct reminder *r)
{
	const char *paused = strstr(r->end_reason, WHILE_PAUSED);
	AUTO(free) char *why = NULL;

	if (paused && strncmp(paused + strlen(WHILE_PAUSED), ": ", 2) == 0)
		why = mem_strdup(paused + strlen(WHILE_PAUSED) + 2);
	r->status = paused ? STATUS_PAUSED : STATUS_ACTIVE;
	mem_replace(&r->end_reason, why);
}

static int take_up(struct seeding *s, struct wish *w)
{
	AUTO(schedule_free) struct schedule *schedule = NULL;
	AUTO(free) char *label = NULL;
	struct reminder *r = w->back;
	int rc = engine_schedule(w->r, &schedule, s->err);

	if (rc < 0)
		return rc;
	label = schedule_label(schedule);
	note_reminder(s, SEED_CREATED, w->what, r, label);
	if (may_log(s))
		log_info("%s '%s' of agent '%s' is declared again: %s goes on", w->what, r->name,
			 r->agent, r->id);
	if (s->dry)
		return 0;
	wake(r);
	take_wish(r, w->r, true);
	rc = engine_take_up(s->e, r, s->now, s->err);
	if (rc >= 0 && runs(r))
		rc = set_policy(s, r, &w->p);
	if (rc >= 0 && (r->status == STATUS_ACTIVE || r->status == STATUS_PAUSED))
		rc = hold(s, r, w->held);
	return rc;
}

int seed_wish(struct seeding *s, struct wish *w, struct reminder *found)
{
	if (found)
		return update(s, w, found);
	return w->back ? take_up(s, w) : create(s, w);
}

struct seed_change *seed_note_broken(struct seeding *s, const struct seed_change *what)
{
	struct seed_change *change = note(s, what);

	change->kind = SEED_BROKEN;
	return change;
}

int seed_broken(struct seeding *s, const struct seed_change *what, const char *disabled,
		struct reminder *found)
{
	AUTO(free) char *why = mem_printf(TROUBLE_HELD "%s", what->detail);
	struct seed_change *change = seed_note_broken(s, what);

	if (found)
		mem_replace(&change->id, found->id);
	if (s->log)
		log_warning("%s '%s' is skipped: %s", what->what, what->name, what->detail);
	return found ? hold(s, found, disabled ? disabled : why) : 0;
}

int seed_drop(struct seeding *s, const char *what, struct reminder *r, const char *why)
{
	AUTO(free) char *words = NULL;

	note_reminder(s, SEED_ENDED, what, r, why);
	if (s->dry)
		return 0;
	if (r->status == STATUS_ACTIVE)
		return engine_complete(s->e, r, s->now, why, s->err);
	/* One that its file held is held again, or not, as the file then says. */
	if (engine_is_held(r))
		return engine_cancel(s->e, r, s->now, why, s->err);
	words = mem_printf("%s" WHILE_PAUSED "%s%s", why, r->end_reason ? ": " : "",
			   r->end_reason ? r->end_reason : "");
	return engine_cancel(s->e, r, s->now, words, s->err);
}
