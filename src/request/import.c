/*
 * import.c: reminders by the thousand. A row is either what `add` takes, under the names of its
 * long flags, or an object that `export` (or show, or list) printed. Rows are added to a batch,
 * which becomes visible as a whole or not at all.
 */
#include "engine/change.h"
#include "engine/declared.h"
#include "engine/mission.h"
#include "engine/trust.h"
#include "request/json.h"
#include "request/read.h"
#include "request/rows.h"
#include "schedule/instant.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define LINES_MAX INT64_C(1000000000000) /* of one file */

/* Keys of an exported object beside add's flags; those people get derived are left alone. */
static const char *const state_keys[] = {
	"id",
	"schedule",
	"tz_source",
	"source",
	"status",
	"fire_count",
	"created_at",
	"updated_at",
	"ended_at",
	"last_fired_at",
	"end_reason",
	"anchor",
	"cursor",
	"label",
	"describe",
	"next_fire",
	"understood",
	"scheduler_running",
	"warnings",
	"last",
	"action",
	"policy",
	"user",
	"trust",
	"delivery",
	"transcript",
	"fire_at",
	"made_by",
	"source_session",
};

static bool is_known(const char *key)
{
	for (size_t i = 0; i < sizeof(state_keys) / sizeof(state_keys[0]); i++)
		if (strcmp(state_keys[i], key) == 0)
			return true;
	for (const struct request_arg *arg = reminder_add_row.args; arg->name; arg++) {
		size_t i = 0;

		while (arg->name[i] &&
		       (arg->name[i] == key[i] || (arg->name[i] == '-' && key[i] == '_')))
			i++;
		if (arg->name[i] == key[i])
			return strcmp(key, "now") != 0 && strcmp(arg->name, "if-absent") != 0;
	}
	return false;
}

static int check_keys(const json_t *row, struct error *err)
{
	const char *key;
	json_t *value;

	if (!json_is_object(row))
		return error_set(err, ERR_INVALID, "not a JSON object");
	json_object_foreach((json_t *)row, key, value)
	{
		if (!is_known(key))
			return error_set(err, ERR_INVALID, "unknown key '%s'", key);
	}
	return 0;
}

/* {"schedule": {"cron": "…"}, "condition": {"command": "…", "mode": "each"}} as add's flags. */
static json_t *flatten(const json_t *row)
{
	static const char *const condition_keys[][2] = {
		{"command", "condition"},
		{"prompt", "condition_prompt"},
		{"mode", "mode"},
		{"timeout", "condition_timeout"},
	};
	const json_t *schedule = json_object_get(row, "schedule");
	const json_t *condition = json_object_get(row, "condition");
	json_t *flat = json_plain_keys(row), *value;
	const char *key;

	json_object_foreach((json_t *)schedule, key, value)
	{
		json_object_set(flat, key, value);
	}
	if (json_is_object(condition)) {
		json_object_del(flat, "condition");
		for (size_t i = 0; i < 4; i++) {
			value = json_object_get(condition, condition_keys[i][0]);
			if (value)
				json_object_set(flat, condition_keys[i][1], value);
		}
	}
	return flat;
}

static int read_instant(const json_t *row, const char *key, const struct zone *zone, usec_t *ret,
			struct error *err)
{
	const char *text = NULL;
	int rc = json_get_text(row, key, &text, err);

	if (rc < 0 || !text)
		return rc;
	rc = instant_parse(text, zone, ret, err);
	return rc < 0 ? error_prefix(err, "'%s'", key) : 1;
}

static int read_instants(const json_t *row, struct reminder *r, struct error *err)
{
	const struct zone *zone = reminder_zone(r);
	struct {
		const char *key;
		usec_t *slot;
	} instants[] = {
		{"created_at", &r->created_at},
		{"updated_at", &r->updated_at},
		{"last_fired_at", &r->last_fired_at},
		{"ended_at", &r->ended_at},
		{"anchor", &r->anchor},
		{"cursor", &r->cursor},
	};

	for (size_t i = 0; i < sizeof(instants) / sizeof(instants[0]); i++) {
		int rc = read_instant(row, instants[i].key, zone, instants[i].slot, err);

		if (rc < 0)
			return rc;
	}
	return 0;
}

static int read_id(const json_t *row, struct reminder *r, struct error *err)
{
	const char *id = NULL;
	int rc = json_get_text(row, "id", &id, err);

	if (rc < 0 || !id)
		return rc;
	if (strlen(id) >= sizeof(r->id) || strlen(id) < 3 ||
	    strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789_-") != strlen(id) ||
	    strncmp(id, REMINDER_REPLACES, strlen(REMINDER_REPLACES)) == 0)
		return error_set(err, ERR_INVALID, "'%s' cannot be an id", id);
	strcpy(r->id, id);
	return 0;
}

static int read_words(const json_t *row, struct reminder *r, struct error *err)
{
	const char *status = "active", *source = "import", *tz_source = NULL, *end_reason = NULL;
	int rc;

	if ((rc = json_get_text(row, "status", &status, err)) < 0 ||
	    (rc = json_get_text(row, "source", &source, err)) < 0 ||
	    (rc = json_get_text(row, "tz_source", &tz_source, err)) < 0 ||
	    (rc = json_get_text(row, "end_reason", &end_reason, err)) < 0 ||
	    (rc = json_get_int(row, "fire_count", &r->fire_count, err)) < 0)
		return rc;
	if (status_of(status) < 0 || source_of(source) < 0 || r->fire_count < 0)
		return error_set(err, ERR_INVALID, "'%s', '%s' or the fire count makes no sense",
				 status, source);
	r->status = (enum status)status_of(status);
	r->source = (enum source)source_of(source);
	if (tz_source)
		mem_replace(&r->zone_source, tz_source);
	mem_replace(&r->end_reason, end_reason);
	return 0;
}

/* A condition that a run has set is not the person's, also when its mission is not there. */
static int read_maker(const struct request *rq, const json_t *row, struct reminder *r,
		      struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	const char *maker = NULL;
	int rc = json_get_text(row, "made_by", &maker, err);

	if (rc < 0 || !maker)
		return rc;
	rc = mission_of_id(engine_db(rq->engine), maker, &m, err);
	if (rc < 0 && rc != ERR_NOT_FOUND)
		return rc;
	r->made_by = m && strcmp(m->owner, r->owner) == 0 ? m->key : MADE_BY_SOME;
	return 0;
}

/* "channel:target" and nothing else, as config.yml has them. */
static int read_targets(const json_t *row, struct reminder *r, struct error *err)
{
	const json_t *list = json_object_get(row, "delivery");
	bool texts = !list || json_is_null(list) || json_is_array(list);

	for (size_t i = 0; texts && i < json_array_size(list); i++) {
		const char *address = json_string_value(json_array_get(list, i));

		texts = address && strchr(address, ':') && !text_find_control(address);
	}
	if (!texts) {
		error_set(err, ERR_INVALID, "'delivery' must be a list of CHANNEL:TARGET");
		return error_hint(err, "as in [\"signal:alice-id\"]");
	}
	r->targets = json_array_size(list) ? json_text(list) : NULL;
	return 0;
}

/* Whose it is. A line can keep trust, or lose it; it cannot bring more than its user has. */
static int read_whose(const struct request *rq, const json_t *row, struct reminder *r,
		      struct error *err)
{
	const char *user = "me", *trust = NULL, *session = NULL, *transcript = NULL;
	int rc;

	if ((rc = json_get_text(row, "user", &user, err)) < 0 ||
	    (rc = json_get_text(row, "trust", &trust, err)) < 0 ||
	    (rc = json_get_text(row, "source_session", &session, err)) < 0 ||
	    (rc = json_get_text(row, "transcript", &transcript, err)) < 0)
		return rc;
	if (!text_is_name(user))
		return error_set(err, ERR_INVALID, "'%.80s' is not a name for a user", user);
	if (trust && trust_of(trust) < 0) {
		error_set(err, ERR_INVALID, "'trust' cannot be '%.40s'", trust);
		return error_hint(err, "public, familiar, inner or full");
	}
	r->owner = mem_strdup(user);
	r->trust = trust_in(engine_config(rq->engine), user);
	if (trust)
		r->trust = trust_least(r->trust, (enum trust)trust_of(trust));
	r->session = mem_strdup(session);
	r->transcript = mem_strdup(transcript);
	return read_targets(row, r, err);
}

/* Whether its fires run the agent: as `add` is told so, or as an export says it. */
static bool is_run(const json_t *row)
{
	const char *action = json_string_value(json_object_get(row, "action"));

	return json_is_true(json_object_get(row, "run")) || (action && strcmp(action, "run") == 0);
}

/* What was put in by SQL may name nobody: whoever does what names nobody does it. */
static int name_agent(const struct request *rq, const json_t *row, json_t *flat, struct error *err)
{
	const char *named = json_string_value(json_object_get(row, "agent"));
	const struct config_agent *agent;

	if (!is_run(row) || !named || *named)
		return 0;
	if (!(agent = config_default_agent(engine_config(rq->engine), err)))
		return err->code;
	json_put_text(flat, "agent", agent->name);
	return 0;
}

static int read_row(const struct request *rq, const json_t *row, struct reminder *r,
		    struct error *err)
{
	AUTO(json_decref) json_t *flat = NULL;
	int rc = check_keys(row, err);

	if (rc < 0)
		return rc;
	flat = flatten(row);
	if ((rc = name_agent(rq, row, flat, err)) < 0)
		return rc;
	r->created_at = r->updated_at = rq->now;
	r->last_fired_at = r->ended_at = r->cursor = USEC_NONE;
	if ((rc = read_new_reminder(rq, flat, r, err)) < 0 || (rc = read_id(row, r, err)) < 0 ||
	    (rc = read_words(row, r, err)) < 0 || (rc = read_whose(rq, row, r, err)) < 0 ||
	    (rc = read_maker(rq, row, r, err)) < 0)
		return rc;
	return read_instants(row, r, err);
}

/* How it is run: an export's policy, or the flags beside it. */
static int read_run(const struct request *rq, const json_t *row, struct reminder *r,
		    struct policy *ret, struct error *err)
{
	const struct config *config = engine_config(rq->engine);
	const json_t *policy = json_object_get(row, "policy");
	const char *door = json_string_value(json_object_get(policy, "door"));
	const struct config_agent *agent = config_agent(config, r->agent, err);

	if (!agent)
		return err->code;
	if (!agent->adapter)
		return read_refuse_agent(config, agent, err);
	if (door && strcmp(door, "reminder") != 0 && strcmp(door, "task") != 0) {
		error_set(err, ERR_INVALID, "a %s is declared in config.yml, not imported", door);
		return error_hint(err, "leave the line out");
	}
	r->action = ACTION_RUN;
	engine_policy_defaults(rq->engine, (enum door)(door ? door_of(door) : DOOR_REMINDER),
			       r->agent, ret);
	return read_policy(json_is_object(policy) ? policy : row, ret, err);
}

static int restore(const struct request *rq, const json_t *row, struct reminder *r,
		   struct error *err)
{
	struct policy p = {0};
	int rc = is_run(row) ? read_run(rq, row, r, &p, err) : 0;

	if (rc < 0 || (rc = engine_restore(rq->engine, r, rq->now, err)) < 0 ||
	    r->action != ACTION_RUN)
		return rc;
	p.reminder = r->key;
	return policy_insert(engine_db(rq->engine), &p, err);
}

/* What an import does with a line whose reminder is there already. */
struct import {
	int64_t batch;
	bool if_absent, replace;
	int64_t skipped, replaced;
	json_t *names; /* of the lines of this request; the index has visible rows alone */
};

/* Tasks share names, and so do reminders that one role gives to several agents; what ended needs none. */
static bool needs_its_name(const json_t *row, const struct reminder *r)
{
	const char *door =
		json_string_value(json_object_get(json_object_get(row, "policy"), "door"));

	return r->name && r->source != SOURCE_ROLE && r->source != SOURCE_CONFIG &&
	       (r->status == STATUS_ACTIVE || r->status == STATUS_PAUSED) &&
	       (!door || strcmp(door, "task") != 0);
}

/* The one with its id, or else with its name. A line with an id is one of an export, whole as it was. */
static int find_twin(const struct request *rq, const json_t *row, const struct reminder *r,
		     struct reminder **ret, struct error *err)
{
	struct db *db = engine_db(rq->engine);
	int rc = r->id[0] ? reminder_find_id(db, r->id, ret, err) : 0;

	if (rc < 0 || *ret || !needs_its_name(row, r))
		return rc;
	return reminder_find_named(db, r->owner, r->name, ret, err);
}

/* The row waits under the key of the one whose place it takes. */
static int take_place(const struct reminder *twin, const json_t *row, struct reminder *r,
		      struct error *err)
{
	bool runs = is_run(row);

	if ((twin->action == ACTION_RUN) != runs || strcmp(twin->owner, r->owner) != 0) {
		error_set(err, ERR_CONFLICT, "'%s' %s, and the line %s", twin->id,
			  strcmp(twin->owner, r->owner) != 0 ? "is another user's"
			  : runs			     ? "tells its agent"
							     : "runs its agent",
			  strcmp(twin->owner, r->owner) != 0 ? "is not"
			  : runs			     ? "runs it"
							     : "does not");
		return error_hint(err, "remove it first: belfry reminder remove %s", twin->id);
	}
	/* A line that does not say who made it, as those of older exports, makes nothing the person's. */
	if (!json_object_get(row, "made_by"))
		r->made_by = twin->made_by;
	snprintf(r->id, sizeof(r->id), REMINDER_REPLACES "%lld", (long long)twin->key);
	return 0;
}

/* Two lines of one name and owner: returns 1 when the second one is skipped. */
static int note_name(struct import *im, const struct reminder *r, struct error *err)
{
	AUTO(free) char *key = mem_printf("%s/%s", r->owner, r->name);

	if (!json_object_get(im->names, key)) {
		json_put_bool(im->names, key, true);
		return 0;
	}
	if (im->if_absent) {
		im->skipped++;
		return 1;
	}
	error_set(err, ERR_CONFLICT, "a line before it is '%s' already", r->name);
	return error_hint(err, "leave one of them out");
}

/* What a file here declares comes from the file: a line of another home's export is skipped. */
static int meet_file(const struct request *rq, struct import *im, const struct reminder *r,
		     struct error *err)
{
	struct declared d;
	int rc = engine_declared(rq->engine, r, &d, err);

	if (rc < 0 || d.as == DECLARED_NOT)
		return rc;
	im->skipped++;
	return 1;
}

/* Returns 1 when the line is done with. */
static int meet_twin(const struct request *rq, const json_t *row, struct import *im,
		     struct reminder *r, struct error *err)
{
	AUTO(reminder_free) struct reminder *twin = NULL;
	int rc = find_twin(rq, row, r, &twin, err);

	if (rc < 0)
		return rc;
	if (!twin)
		return r->id[0] || !needs_its_name(row, r) ? 0 : note_name(im, r, err);
	if (im->if_absent) {
		im->skipped++;
		return 1;
	}
	if (twin->batch) {
		error_set(err, ERR_CONFLICT, "a line before it is '%s' already",
			  r->name ? r->name : r->id);
		return error_hint(err, "leave one of them out");
	}
	if (im->replace) {
		struct declared d;

		if ((rc = engine_declared(rq->engine, twin, &d, err)) < 0)
			return rc;
		if (d.as != DECLARED_NOT) {
			im->skipped++;
			return 1;
		}
		im->replaced++;
		return take_place(twin, row, r, err);
	}
	if (strcmp(twin->id, r->id) == 0)
		error_set(err, ERR_CONFLICT, "reminder '%s' already exists", r->id);
	else
		error_set(err, ERR_CONFLICT, "there is a reminder '%s' already: %s", r->name,
			  twin->id);
	return error_hint(err, "--if-absent skips such lines, --replace changes what is there");
}

static int add_row(const struct request *rq, const json_t *row, struct import *im,
		   struct error *err)
{
	AUTO(reminder_free) struct reminder *r = mem_zalloc(sizeof(*r));
	int rc = read_row(rq, row, r, err);

	if (rc < 0 || (rc = meet_file(rq, im, r, err)) != 0 ||
	    (rc = meet_twin(rq, row, im, r, err)) != 0)
		return rc < 0 ? rc : 0;
	r->batch = im->batch;
	rc = restore(rq, row, r, err);
	if (rc == ERR_CONFLICT && strstr(r->id, REMINDER_REPLACES)) {
		error_set(err, ERR_CONFLICT, "a line before it changes the same reminder");
		return error_hint(err, "leave one of them out");
	}
	if (rc < 0 || r->status != STATUS_ACTIVE || r->nominal_at != USEC_NONE ||
	    reminder_is_idle(r))
		return rc;
	return error_set(err, ERR_INVALID, "%s '%s' never fires", r->schedule_kind, r->schedule);
}

static int exec_begin(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	int64_t batch = 0;
	int rc = engine_import_begin(rq->engine, rq->now, &batch, err);

	(void)args;
	if (rc >= 0)
		*ret = json_pack("{s:I}", "batch", (json_int_t)batch);
	return rc;
}

static int exec_rows(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	const json_t *rows = json_object_get(args, "rows");
	AUTO(json_decref) json_t *names = json_object();
	struct import im = {.names = names};
	int64_t line = 1;
	int rc;

	if ((rc = json_get_int(args, "batch", &im.batch, err)) < 0 ||
	    (rc = json_get_int(args, "first_line", &line, err)) < 0 ||
	    (rc = json_get_bool(args, "if_absent", &im.if_absent, err)) < 0 ||
	    (rc = json_get_bool(args, "replace", &im.replace, err)) < 0)
		return rc;
	if (line < 1 || line > LINES_MAX) {
		error_set(err, ERR_INVALID, "'first_line' is a number from 1 to %lld",
			  (long long)LINES_MAX);
		return error_hint(err, "leave it out, or number the lines of the file from 1");
	}
	if ((rc = engine_import_hear(rq->engine, im.batch, rq->now, err)) < 0)
		return rc;
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);
		int64_t at = line + (int64_t)i;

		/* blank lines are not sent, so a row may bring its own number */
		if (json_is_array(row)) {
			at = json_integer_value(json_array_get(row, 0));
			row = json_array_get(row, 1);
		}
		rc = add_row(rq, row, &im, err);
		if (rc < 0)
			return error_prefix(err, "line %lld", (long long)at);
	}
	*ret = json_pack("{s:I,s:I,s:I}", "count",
			 (json_int_t)json_array_size(rows) - im.skipped - im.replaced, "skipped",
			 (json_int_t)im.skipped, "replaced", (json_int_t)im.replaced);
	return 0;
}

static int exec_commit(const struct request *rq, const json_t *args, json_t **ret,
		       struct error *err)
{
	int64_t batch = 0;
	int rc = json_get_int(args, "batch", &batch, err);

	if (rc < 0 || (rc = engine_import_commit(rq->engine, batch, err)) < 0)
		return rc;
	*ret = json_object();
	return 0;
}

static int exec_abort(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	int64_t batch = 0;
	int rc = json_get_int(args, "batch", &batch, err);

	if (rc < 0 || (rc = engine_import_abort(rq->engine, batch, err)) < 0)
		return rc;
	*ret = json_object();
	return 0;
}

static int exec_status(const struct request *rq, const json_t *args, json_t **ret,
		       struct error *err)
{
	int64_t batch = 0;
	bool done = false;
	int rc = json_get_int(args, "batch", &batch, err);

	if (rc < 0 || (rc = engine_import_is_done(rq->engine, batch, &done, err)) < 0)
		return rc;
	*ret = json_pack("{s:i}", "remaining", done ? 0 : 1);
	return 0;
}

#define BATCH_ARG                                                                                  \
	{                                                                                          \
		"batch", 0, ARG_INT, "BATCH", NULL, NULL, false, true                              \
	}

const struct request_row import_begin_row = {
	.name = "import begin",
	.summary = "open a batch",
	.args = (const struct request_arg[]){{0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN | REQUEST_ADMIN,
	.exec = exec_begin,
};
const struct request_row import_rows_row = {
	.name = "import rows",
	.summary = "add rows to a batch",
	.args =
		(const struct request_arg[]){
			BATCH_ARG,
			{"first-line", 0, ARG_INT, "N", NULL, NULL, false, false},
			{"rows", 0, ARG_TEXT, "ROWS", NULL, NULL, false, true},
			{"if-absent", 0, ARG_FLAG, NULL, NULL, NULL, false, false},
			{"replace", 0, ARG_FLAG, NULL, NULL, NULL, false, false},
			{0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN | REQUEST_ADMIN,
	.exec = exec_rows,
};
const struct request_row import_commit_row = {
	.name = "import commit",
	.summary = "let a batch become visible",
	.args = (const struct request_arg[]){BATCH_ARG, {0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN | REQUEST_ADMIN,
	.exec = exec_commit,
};
const struct request_row import_abort_row = {
	.name = "import abort",
	.summary = "throw a batch away",
	.args = (const struct request_arg[]){BATCH_ARG, {0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN | REQUEST_ADMIN,
	.exec = exec_abort,
};
const struct request_row import_status_row = {
	.name = "import status",
	.summary = "say whether a batch is visible as a whole",
	.args = (const struct request_arg[]){BATCH_ARG, {0}},
	.flags = REQUEST_READS | REQUEST_HIDDEN | REQUEST_ADMIN,
	.exec = exec_status,
};

const struct request_row reminder_export_row = {
	.name = "reminder export",
	.summary = "print reminders as JSON, one object a line, for import",
	.examples = "belfry reminder export --all > reminders.jsonl",
	.args =
		(const struct request_arg[]){
			{"agent", 0, ARG_AGENT, "AGENT", "only this agent's", NULL, true, false},
			{"all", 'a', ARG_FLAG, NULL, "completed and cancelled ones too", NULL,
			 false, false},
			{0}},
	.flags = REQUEST_READS | REQUEST_LOCAL,
};
const struct request_row reminder_import_row = {
	.name = "reminder import",
	.summary = "add reminders from JSON lines, all of them or none",
	.details =
		"Each line is an object with the keys of `reminder add`'s long flags (agent, "
		"message, name, one of at, in, every, cron, rrule, idle; tz, …), or one that "
		"`reminder export` printed. A bad line is named and nothing is added.\n\n"
		"A line whose id or name is there already is refused, too. With --if-absent it is "
		"skipped. With --replace the reminder becomes as the line says; it keeps its id, "
		"its "
		"counters and its history, and stays paused if it is. One whose only time has come "
		"stays as it is: nothing fires twice.",
	.examples = "belfry reminder import reminders.jsonl\n"
		    "echo '{\"agent\":\"me\",\"message\":\"tea\",\"in\":\"4m\"}' | belfry reminder "
		    "import -",
	.args =
		(const struct request_arg[]){
			{"file", 0, ARG_FILE, "FILE", "JSON lines; - reads standard input", NULL,
			 true, true},
			{"if-absent", 0, ARG_FLAG, NULL,
			 "skip lines whose id or name is there already", NULL, false, false},
			{"replace", 0, ARG_FLAG, NULL, "change what has the id or name of a line",
			 NULL, false, false},
			{0}},
	.flags = REQUEST_WRITES | REQUEST_LOCAL,
};
