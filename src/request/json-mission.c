/*
 * json-mission.c: missions and their runs, as every surface shows them.
 * A mission's `state` is the one word people want: where it is while it is open, how it ended
 * afterwards. Costs are dollars here, though the store counts millionths.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "agent/order.h"
#include "base/mem.h"
#include "request/json.h"
#include "schedule/zone.h"

#define MILLIONTHS 1e6
#define BEGINNING_MAX ((size_t)600) /* bytes; a terminal is narrower */

const char *mission_state(const struct mission *m)
{
	if (m->phase == PHASE_ENDED)
		return m->outcome == ENDING_NONE ? "not_run" : ending_word(m->outcome);
	if (m->phase == PHASE_BEHIND) /* behind another or in line: it waits */
		return phase_word(PHASE_WAITING);
	if (m->stop_reason && (m->phase == PHASE_STARTING || m->phase == PHASE_RUNNING))
		return "stopping";
	return phase_word(m->phase);
}

static const struct zone *own_zone(void)
{
	return zone_of_machine(&(const char *){NULL});
}

/* Nobody pays nothing for a run: 0 of a mission means that no run told. */
static json_t *json_cost(int64_t millionths)
{
	return millionths > 0 ? json_real((double)millionths / MILLIONTHS) : json_null();
}

/* When the time of a run that goes on is up. */
static usec_t limit_at(const struct mission *m, const struct run *last)
{
	usec_t started = last ? last->started_at : m->started_at;
	bool interactive = last && last->kind == RUN_INTERACTIVE;

	if (m->phase != PHASE_RUNNING || !m->time_limit || interactive || started == USEC_NONE)
		return USEC_NONE;
	return started + m->time_limit;
}

static void put_times(json_t *o, const struct mission *m, const struct run *last)
{
	const struct zone *zone = own_zone();

	json_put(o, "started_at", json_instant(m->started_at, zone));
	json_put(o, "run_started_at", json_instant(last ? last->started_at : m->started_at, zone));
	json_put(o, "ended_at", json_instant(m->ended_at, zone));
	json_put(o, "limit_at", json_instant(limit_at(m, last), zone));
}

static void put_instants(json_t *o, const struct mission *m, const struct run *last)
{
	const struct zone *zone = own_zone();

	put_times(o, m, last);
	json_put(o, "nominal", json_instant(m->nominal, zone));
	json_put(o, "ready_at", json_instant(m->ready_at, zone));
	json_put(o, "wait_until", json_instant(m->wait_until, zone));
	json_put(o, "created_at", json_instant(m->created_at, zone));
	json_put(o, "archived_at", json_instant(m->archived_at, zone));
}

static json_t *json_retry_on(int64_t bits)
{
	/* clang-format off */
	static const struct { int64_t bit; const char *word; } words[] = {
		{RETRY_FAILURE, "failure"}, {RETRY_TIMEOUT, "timeout"}, {RETRY_LOST, "lost"},
	};
	/* clang-format on */
	json_t *list = json_array();

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (bits & words[i].bit)
			json_array_append_new(list, json_string(words[i].word));
	return list;
}

static void put_policy(json_t *o, const struct mission *m)
{
	json_put(o, "timeout", json_duration(m->time_limit));
	json_put_int(o, "attempts", m->attempts);
	json_put_int(o, "max_attempts", m->max_attempts);
	json_put(o, "retry_on", json_retry_on(m->retry_on));
	json_put(o, "backoff", json_duration(m->backoff));
}

static void put_folders(json_t *o, const struct mission *m, const char *state_dir)
{
	AUTO(free) char *folder = mem_printf("%s/missions/%s", state_dir, m->id);
	AUTO(free)
	char *log =
		mem_printf("%s/runs/%lld/output.log", folder, (long long)(m->runs ? m->runs : 1));

	json_put_text(o, "folder", folder);
	json_put_text(o, "log", log);
}

/* How a prompt begins: a page of long ones would be megabytes that nobody looks at. */
static json_t *json_beginning(const char *text)
{
	size_t len = strnlen(text, BEGINNING_MAX);

	while (text[len] && len && ((unsigned char)text[len] & 0xc0) == 0x80)
		len--;
	return json_stringn(text, len);
}

static json_t *json_head(const struct mission *m)
{
	json_t *o = json_object();

	json_put_text(o, "id", m->id);
	json_put_text(o, "agent", m->agent);
	json_put_text(o, "door", door_word(m->door));
	json_put_text(o, "origin", m->origin);
	json_put_text(o, "state", mission_state(m));
	json_put(o, "cost_usd", json_cost(m->cost));
	json_put_int(o, "denied", m->denied);
	return o;
}

json_t *json_mission_brief(const struct mission *m, const struct run *last)
{
	json_t *o = json_head(m);

	json_put(o, "prompt", json_beginning(m->prompt));
	put_times(o, m, last);
	return o;
}

json_t *json_mission(const struct mission *m, const struct run *last, const char *state_dir)
{
	json_t *o = json_head(m);

	json_put_text(o, "prompt", m->prompt);
	json_put_text(o, "git", m->git);
	json_put_text(o, "user", m->owner);
	json_put_text(o, "trust", trust_word(m->trust));
	json_put_text(o, "phase", phase_word(m->phase));
	json_put_text(o, "outcome", m->outcome == ENDING_NONE ? NULL : ending_word(m->outcome));
	json_put_text(o, "reason", m->reason);
	json_put_text(o, "stop_reason", m->stop_reason);
	json_put_int(o, "run_count", m->runs);
	json_put_text(o, "session", m->session);
	put_policy(o, m);
	put_instants(o, m, last);
	put_folders(o, m, state_dir);
	return o;
}

/* The wrapper touches it every half a minute; a file that is not there tells nothing. */
static usec_t heartbeat_of(const char *folder)
{
	AUTO(free) char *path = mem_printf("%s/heartbeat", folder);
	struct stat st;

	if (stat(path, &st) < 0)
		return USEC_NONE;
	return (usec_t)st.st_mtim.tv_sec * USEC_PER_SEC + st.st_mtim.tv_nsec / 1000;
}

/* A long answer is stored in part: how long all of it is, its file says. */
static void put_answer_size(json_t *o, const struct run *r, const char *folder)
{
	AUTO(free) char *path = mem_printf("%s/answer.md", folder);
	struct stat st;

	if (r->answer &&
	    (strlen(r->answer) > END_ANSWER_MAX - 4 ||
	     strncmp(r->answer, END_ANSWER_CUT, strlen(END_ANSWER_CUT)) == 0) &&
	    stat(path, &st) == 0)
		json_put_int(o, "answer_size", st.st_size);
}

static void put_run_end(json_t *o, const struct run *r, const char *folder)
{
	json_put_text(o, "ending", r->ending == ENDING_NONE ? NULL : ending_word(r->ending));
	json_put(o, "exit_code",
		 r->finished_at != USEC_NONE && r->exit_code >= 0 ? json_integer(r->exit_code)
								  : json_null());
	json_put(o, "signal", r->signal ? json_integer(r->signal) : json_null());
	json_put_text(o, "answer", r->answer);
	put_answer_size(o, r, folder);
	json_put_text(o, "error", r->error);
	json_put_text(o, "denied", r->denied);
	json_put(o, "cost_usd", json_cost(r->cost));
}

json_t *json_run(const struct mission *m, const struct run *r, const char *state_dir)
{
	AUTO(free)
	char *folder =
		mem_printf("%s/missions/%s/runs/%lld", state_dir, m->id, (long long)r->number);
	const struct zone *zone = own_zone();
	bool open = r->finished_at == USEC_NONE;
	json_t *o = json_object();

	json_put_int(o, "number", r->number);
	json_put_text(o, "kind", run_kind_word(r->kind));
	json_put_int(o, "attempt", r->attempt);
	json_put_text(o, "prompt", r->prompt);
	json_put(o, "pid", r->pid && open ? json_integer(r->pid) : json_null());
	json_put(o, "begun_at", json_instant(r->begun_at, zone));
	json_put(o, "started_at", json_instant(r->started_at, zone));
	json_put(o, "finished_at", json_instant(r->finished_at, zone));
	json_put(o, "heartbeat_at", json_instant(open ? heartbeat_of(folder) : USEC_NONE, zone));
	put_run_end(o, r, folder);
	json_put_text(o, "session", r->session);
	json_put_text(o, "folder", folder);
	return o;
}

int json_put_slot_mission(struct db *db, const struct slot *slot, json_t *o, struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	bool may = slot->outcome == OUTCOME_RUNNING || slot->outcome == OUTCOME_RAN ||
		   slot->outcome == OUTCOME_FAILED || slot->outcome == OUTCOME_CANCELLED ||
		   slot->outcome == OUTCOME_MISSED; /* it waited in line for too long */
	json_t *of_slot;
	int rc = may ? mission_of_slot(db, slot->key, &m, err) : 0;

	if (rc < 0)
		return rc;
	if (!m) {
		json_put(o, "mission", json_null());
		return 0;
	}
	of_slot = json_object();
	json_put_text(of_slot, "id", m->id);
	json_put_text(of_slot, "state", mission_state(m));
	json_put_text(of_slot, "reason", m->reason);
	json_put_int(of_slot, "attempts", m->attempts);
	json_put(o, "mission", of_slot);
	return 0;
}

int json_put_maker(struct db *db, const struct reminder *r, json_t *o, struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	int rc = r->made_by ? mission_get(db, r->made_by, &m, err) : 0;

	if (rc < 0 && rc != ERR_NOT_FOUND)
		return rc;
	json_put_text(o, "made_by", m ? m->id : r->made_by ? "unknown" : NULL);
	return 0;
}
