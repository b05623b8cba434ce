/*
 * ask.c: random requests through the request table, as a person or a program would send them, and
 * what each that succeeded means to the oracle. Requests that are refused must leave nothing.
 */
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "request/request.h"

#define GRACE_OF_SKIP (60 * USEC_PER_SEC)

struct memory *model_find(struct world *w, const char *id)
{
	for (size_t i = 0; i < w->model.count; i++)
		if (strcmp(w->model.reminders[i].id, id) == 0)
			return &w->model.reminders[i];
	return NULL;
}

static struct generation *current(struct memory *m)
{
	return &m->generations[m->generation_count - 1];
}

static int serve(struct world *w, const struct request_row *row, const json_t *args, json_t **ret,
		 struct error *err)
{
	struct request rq = {.engine = w->engine,
			     .now = w->now,
			     .scheduler_running = true,
			     .caller = {.user = "me", .trust = TRUST_FULL}};
	bool writes = row->flags & REQUEST_WRITES;
	struct error undo = {0};
	int rc;

	if (writes && db_savepoint(w->db, &undo) < 0)
		broke(w, "savepoint: %s", undo.message);
	rc = request_run(row, &rq, args, ret, err);
	if (writes && (rc < 0 ? db_rollback_to(w->db, &undo) : db_release(w->db, &undo)) < 0)
		broke(w, "savepoint: %s", undo.message);
	return rc;
}

/* Without `ret` the answer is thrown away. Errors other than refusals are faults. */
int ask_run(struct world *w, const char *name, json_t *stolen_args, json_t **ret)
{
	AUTO(json_decref) json_t *args = stolen_args;
	AUTO(json_decref) json_t *answer = NULL;
	AUTO(free) char *text = json_text(args);
	struct error err = {0};
	int rc = serve(w, request_find(name), args, &answer, &err);

	tell(w, "%s %s%s%s", name, text, rc < 0 ? ": " : "", rc < 0 ? err.message : "");
	if (rc < 0 && (err.code == ERR_SYSTEM || err.code == ERR_UNAVAILABLE))
		broke(w, "'%s' %s: %s", name, text, err.message);
	if (rc >= 0 && ret)
		*ret = json_incref(answer);
	return rc;
}

/* Bounds and policies */

static usec_t grace_of(const struct memory *m)
{
	if (m->deadline)
		return m->deadline;
	return m->catchup == CATCHUP_SKIP ? GRACE_OF_SKIP : DURATION_FOREVER;
}

static void put_seconds(json_t *args, const char *key, usec_t span)
{
	char text[40];

	snprintf(text, sizeof(text), "%llds", (long long)(span / USEC_PER_SEC));
	json_put_text(args, key, text);
}

static void choose_catchup(struct chance *c, json_t *args, struct memory *m)
{
	char text[20];
	int64_t most;

	if (!chance_percent(c, 60))
		return;
	m->catchup = (enum catchup)chance_below(c, 3);
	if (m->catchup != CATCHUP_ALL) {
		json_put_text(args, "catchup", catchup_word(m->catchup));
		return;
	}
	most = chance_between(c, 1, 6);
	snprintf(text, sizeof(text), "all:%d", (int)most);
	json_put_text(args, "catchup", text);
	if (most > m->catch_most)
		m->catch_most = most;
}

static void choose_until(struct world *w, json_t *args, struct memory *m)
{
	char text[INSTANT_TEXT_MAX];
	usec_t until = w->now + chance_between(&w->chance, 60, 20 * 86400) * USEC_PER_SEC;

	if (!chance_percent(&w->chance, 15))
		return;
	instant_format(until, zone_utc(), text);
	json_put_text(args, "until", text);
	m->until_now = until;
	m->until_least = until < m->until_least ? until : m->until_least;
	m->until_most = until > m->until_most ? until : m->until_most;
}

static void choose_spans(struct chance *c, json_t *args, struct memory *m)
{
	static const int deadlines[] = {5, 90, 1800, 86400};
	static const int jitters[] = {10, 600, 7200};

	if (chance_percent(c, 15)) {
		m->deadline = deadlines[chance_below(c, 4)] * USEC_PER_SEC;
		put_seconds(args, "start_deadline", m->deadline);
	}
	if (chance_percent(c, 15)) {
		usec_t jitter = jitters[chance_below(c, 3)] * USEC_PER_SEC;

		put_seconds(args, "jitter", jitter);
		m->jitter_most = jitter > m->jitter_most ? jitter : m->jitter_most;
	}
}

static void choose_count(struct chance *c, json_t *args, struct memory *m)
{
	if (!chance_percent(c, 15))
		return;
	m->count_now = chance_between(c, 1, 6);
	json_put_int(args, "count", m->count_now);
	if (m->count_most && m->count_now > m->count_most)
		m->count_most = m->count_now;
}

static void choose_condition(struct chance *c, json_t *args, struct memory *m)
{
	static const char *const modes[] = {"each", "until", "once"};
	int64_t mode = chance_below(c, 3);

	if (chance_percent(c, 30)) {
		json_put_text(args, "condition", "look");
		json_put_text(args, "mode", modes[mode]);
	} else if (chance_percent(c, 10)) {
		json_put_text(args, "condition_prompt", "is it so?");
		json_put_text(args, "mode", modes[mode]);
		if (mode && !m->count_now) /* H10: a cap bounds what the agent must close */
			m->count_now = 100;
	}
}

static void choose_rest(struct world *w, json_t *args, struct memory *m)
{
	static const char *const priorities[] = {"interrupt", "normal", "idle-first", "idle"};
	struct chance *c = &w->chance;

	if (chance_percent(c, 50))
		json_put_text(args, "priority", priorities[chance_below(c, 4)]);
	choose_catchup(c, args, m);
	choose_until(w, args, m);
	choose_spans(c, args, m);
	choose_count(c, args, m);
	m->grace_now = grace_of(m);
	m->grace_most = m->grace_now > m->grace_most ? m->grace_now : m->grace_most;
}

static const char *random_agent(struct chance *c)
{
	static const char *const agents[] = {"me", "builder", "builder", "helper"};

	return agents[chance_below(c, 4)];
}

/* Add and import */

static json_t *new_reminder(struct world *w, struct memory *m)
{
	struct generation *g = &m->generations[0];
	json_t *args = json_object();

	*m = (struct memory){
		.generation_count = 1,
		.created = w->now,
		.until_now = INSTANT_MAX,
		.until_least = INSTANT_MAX,
		.catch_most = 1,
		.wanted = STATUS_ACTIVE,
	};
	spec_random(&w->chance, w->now, !w->far, &g->spec);
	g->start = g->spec.kind == SCHEDULE_AT ? g->spec.at - 1 : w->now;
	g->extra = g->fire_seen = g->settled = g->reached = USEC_NONE;
	m->catchup = g->spec.kind == SCHEDULE_CRON ? CATCHUP_SKIP : CATCHUP_ONCE;
	json_put_text(args, "agent", random_agent(&w->chance));
	json_put(args, "message",
		 json_sprintf("text %d {{fire_count}} {{missed}}", (int)w->model.names++));
	json_put_text(args, g->spec.key, g->spec.text);
	json_put_text(args, "tz", g->spec.zone);
	choose_rest(w, args, m);
	choose_condition(&w->chance, args, m);
	/* A first choice is no change: the loosest bound is the only one. */
	m->count_most = m->count_now;
	m->until_most = m->until_now;
	m->grace_most = m->grace_now;
	return args;
}

static void remember(struct world *w, const struct memory *m, const char *id)
{
	struct memory *kept = &w->model.reminders[w->model.count++];

	*kept = *m;
	snprintf(kept->id, sizeof(kept->id), "%s", id);
}

static void ask_add(struct world *w)
{
	AUTO(json_decref) json_t *answer = NULL;
	AUTO(free) char *memory = mem_zalloc(sizeof(struct memory));
	struct memory *m = (void *)memory;
	bool runs = w->missions && chance_percent(&w->chance, 60);
	json_t *args;

	if (w->model.count == REMINDERS_MAX)
		return;
	args = new_reminder(w, m);
	if (!runs && m->generations[0].spec.kind != SCHEDULE_AT && chance_percent(&w->chance, 10)) {
		json_put_bool(args, "now", true);
		m->generations[0].extra = w->now;
	}
	if (ask_run(w, "reminder add", args, &answer) < 0)
		return;
	if (runs)
		ask_make_run(w, m, json_string_value(json_object_get(answer, "id")));
	remember(w, m, json_string_value(json_object_get(answer, "id")));
}

/* A row as an export has it: counters and a cursor in the past. */
static void put_state(struct world *w, json_t *row, struct memory *m)
{
	struct generation *g = &m->generations[0];
	char text[INSTANT_TEXT_MAX];

	if (g->spec.kind != SCHEDULE_EVERY || !chance_percent(&w->chance, 50))
		return;
	g->spec.anchor = w->now - chance_between(&w->chance, 10, 20) * USEC_PER_DAY;
	g->start = w->now - chance_between(&w->chance, 0, 5) * USEC_PER_DAY;
	instant_format(g->spec.anchor, zone_utc(), text);
	json_put_text(row, "anchor", text);
	instant_format(g->start, zone_utc(), text);
	json_put_text(row, "cursor", text);
	m->fires_before = chance_between(&w->chance, 0, 3);
	json_put_int(row, "fire_count", m->fires_before);
}

static void ask_import_row(struct world *w, int64_t batch)
{
	AUTO(free) char *memory = mem_zalloc(sizeof(struct memory));
	struct memory *m = (void *)memory;
	json_t *args = json_object(), *rows = json_array(), *row;
	char id[40];

	row = new_reminder(w, m);
	put_state(w, row, m);
	snprintf(id, sizeof(id), "i-%d", (int)w->model.names);
	json_put_text(row, "id", id);
	if (chance_percent(&w->chance, 10))
		json_put_text(row, "nonsense", "is refused");
	json_array_append_new(rows, row);
	json_put_int(args, "batch", batch);
	json_put(args, "rows", rows);
	m->batch = batch;
	m->batch_state = BATCH_LOADING;
	w->import_seen = w->now; /* also by a row that is refused */
	if (ask_run(w, "import rows", args, NULL) < 0)
		return;
	remember(w, m, id);
}

static void end_import(struct world *w, bool keep)
{
	json_t *args = json_object();

	json_put_int(args, "batch", w->model.batch);
	if (ask_run(w, keep ? "import commit" : "import abort", args, NULL) < 0) {
		broke(w, "an open import could not be ended");
		return;
	}
	for (size_t i = 0; i < w->model.count; i++)
		if (w->model.reminders[i].batch_state == BATCH_LOADING)
			w->model.reminders[i].batch_state = keep ? BATCH_SHOWING : BATCH_DROPPING;
	w->model.batch = 0;
}

static void ask_import(struct world *w)
{
	AUTO(json_decref) json_t *answer = NULL;

	if (!w->model.batch) {
		w->import_seen = w->now;
		if (ask_run(w, "import begin", json_object(), &answer) < 0)
			broke(w, "no import could be opened");
		w->model.batch = json_integer_value(json_object_get(answer, "batch"));
	} else if (w->model.count < REMINDERS_MAX && chance_percent(&w->chance, 60)) {
		ask_import_row(w, w->model.batch);
	} else {
		end_import(w, chance_percent(&w->chance, 70));
	}
}

/* Changes */

static struct memory *pick(struct world *w)
{
	struct memory *m;

	if (!w->model.count)
		return NULL;
	m = &w->model.reminders[chance_below(&w->chance, (int64_t)w->model.count)];
	return m->batch_state == BATCH_NONE && m->seen ? m : NULL;
}

static json_t *naming(const struct memory *m)
{
	return json_pack("{s:s}", "reminder", m->id);
}

static void settle(struct world *w, struct memory *m)
{
	struct generation *g = current(m);

	if (w->now > g->settled)
		g->settled = w->now;
}

static void reschedule(struct world *w, struct memory *m, const struct spec *spec)
{
	struct generation *g;

	settle(w, m);
	if (m->seen && m->generation == (int64_t)m->generation_count)
		current(m)->reached = m->cursor;
	g = &m->generations[m->generation_count++];
	*g = (struct generation){.spec = *spec, .extra = USEC_NONE};
	g->fire_seen = g->settled = g->reached = USEC_NONE;
	g->start = spec->kind == SCHEDULE_AT ? spec->at - 1 : w->now;
}

static enum catchup catchup_of_spec(const struct spec *s)
{
	return s->kind == SCHEDULE_CRON ? CATCHUP_SKIP : CATCHUP_ONCE;
}

static void ask_edit(struct world *w, struct memory *m)
{
	AUTO(free) char *memory = mem_zalloc(sizeof(struct memory));
	struct memory *edited = (void *)memory;
	json_t *args = naming(m);
	struct spec spec;
	bool anew = m->generation_count < GENERATIONS_MAX && chance_percent(&w->chance, 50);

	*edited = *m;
	spec_random(&w->chance, w->now, !w->far, &spec);
	if (anew) {
		json_put_text(args, spec.key, spec.text);
		json_put_text(args, "tz", spec.zone);
		/* K20: what nobody chose follows the kind. */
		if (m->catchup == catchup_of_spec(&current(m)->spec))
			edited->catchup = catchup_of_spec(&spec);
	}
	choose_rest(w, args, edited);
	if (chance_percent(&w->chance, 10))
		json_put_text(args, "condition", chance_percent(&w->chance, 50) ? "" : "other");
	if (chance_percent(&w->chance, 20))
		json_put_text(args, "agent", random_agent(&w->chance));
	json_put_text(args, "name", "edited");
	if (ask_run(w, "reminder edit", args, NULL) < 0)
		return;
	*m = *edited;
	if (anew)
		reschedule(w, m, &spec);
}

static void ask_pause(struct world *w, struct memory *m)
{
	if (ask_run(w, "reminder pause", naming(m), NULL) >= 0)
		m->wanted = STATUS_PAUSED;
}

static void ask_resume(struct world *w, struct memory *m)
{
	if (ask_run(w, "reminder resume", naming(m), NULL) < 0)
		return;
	m->wanted = STATUS_ACTIVE;
	if (current(m)->spec.kind != SCHEDULE_AT)
		settle(w, m);
}

static void ask_end(struct world *w, struct memory *m)
{
	bool complete = chance_percent(&w->chance, 50);

	if (ask_run(w, complete ? "reminder complete" : "reminder remove", naming(m), NULL) < 0)
		return;
	m->wanted = complete ? STATUS_COMPLETED : STATUS_CANCELLED;
	m->ended_by_request = true;
	settle(w, m);
}

static void ask_by_hand(struct world *w, struct memory *m)
{
	if (ask_run(w, "reminder run", naming(m), NULL) >= 0)
		m->by_hand++;
}

static void ask_take(struct world *w)
{
	ask_run(w, "queue take", json_pack("{s:s}", "agent", random_agent(&w->chance)), NULL);
}

/* Reading must not change anything, nor fail. */
static void ask_read(struct world *w, struct memory *m)
{
	static const char *const rows[] = {"reminder list", "simulate", "status", "queue list",
					   "agent list"};
	uint64_t before = oracle_fingerprint(w);
	int64_t which = chance_below(&w->chance, 7);
	int rc;

	if (which < 5)
		rc = ask_run(w, rows[which], json_object(), NULL);
	else
		rc = m ? ask_run(w, which == 5 ? "why" : "reminder show", naming(m), NULL) : 0;
	if (rc < 0)
		broke(w, "a reader was refused");
	if (oracle_fingerprint(w) != before)
		broke(w, "a reader changed something");
}

void ask_random(struct world *w)
{
	struct memory *m = pick(w);
	int64_t what = chance_below(&w->chance, 100);

	if (w->missions && chance_percent(&w->chance, 42))
		ask_mission(w);
	else if (what < 22)
		ask_add(w);
	else if (what < 32)
		ask_import(w);
	else if (what < 40)
		ask_take(w);
	else if (what < 42)
		ask_read(w, m);
	else if (!m)
		return;
	else if (what < 58)
		ask_edit(w, m);
	else if (what < 70)
		ask_pause(w, m);
	else if (what < 88)
		ask_resume(w, m);
	else if (what < 93)
		ask_end(w, m);
	else
		ask_by_hand(w, m);
}

void ask_pause_all(struct world *w)
{
	for (size_t i = 0; i < w->model.count; i++) {
		struct memory *m = &w->model.reminders[i];

		if (m->batch_state == BATCH_NONE && m->seen && m->status == STATUS_ACTIVE)
			ask_pause(w, m);
	}
}
