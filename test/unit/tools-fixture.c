/* tools-fixture.c: see tools-fixture.h. */
#include "tools-fixture.h"

#include "base/log.h"
#include "request/session.h"

static void turn_end(struct world *w, struct order **ret_order)
{
	struct error err = {0};
	struct job *job;

	ok(engine_dispatch(w->engine, w->now, &err));
	ok(db_commit(w->db, &err));
	while ((job = engine_take_job(w->engine))) {
		if (job->kind == JOB_START && ret_order && !*ret_order)
			ok(order_parse(job->input, strlen(job->input), ret_order, &err));
		job_free(job);
	}
}

static void start(struct world *w)
{
	struct error err = {0};

	w->engine = engine_new(w->db, w->config);
	ok(db_begin(w->db, &err));
	ok(engine_recover(w->engine, w->now, &err));
	turn_end(w, NULL);
}

void world_open(struct world *w, struct db *db, const char *yaml)
{
	struct error err = {0};

	*w = (struct world){.db = db, .now = TOOLS_NOW};
	ok(config_parse(yaml, strlen(yaml), "config.yml", &w->config, &err));
	start(w);
}

void world_restart(struct world *w)
{
	engine_free(w->engine);
	start(w);
}

void world_close(struct world *w)
{
	engine_free(w->engine);
	config_free(w->config);
	*w = (struct world){0};
}

void world_at(struct world *w, usec_t now, struct order **ret_order)
{
	struct error err = {0};
	int more;

	w->now = now;
	do {
		ok(db_begin(w->db, &err));
		ok(more = engine_fire_due(w->engine, now, &err));
		turn_end(w, ret_order);
	} while (more);
}

/* --- calls --- */

static json_t *read_json(const char *text)
{
	AUTO(free) char *copy = mem_strdup(text);
	struct error err = {0};
	json_t *value = NULL;

	for (char *p = copy; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	if (json_parse(copy, strlen(copy), &value, &err) < 0)
		fail_msg("%s: %s", copy, err.message);
	return value;
}

static json_t *make_claim(const char *user)
{
	size_t len = strcspn(user, " ");
	AUTO(free)
	char *text = mem_printf("{'surface': 'mcp', 'user': '%.*s'%s%s}", (int)len, user,
				user[len] ? ", " : "", user + len);

	return read_json(text);
}

/* What a tool promises is what it answers. */
static void check_result(const struct request_row *row, struct reply *r)
{
	AUTO(json_decref) json_t *schema = NULL;
	AUTO(free) char *wrong = NULL;
	struct error err = {0};
	struct buf words = {0};

	ok(json_parse(row->tool->output, strlen(row->tool->output), &schema, &err));
	wrong = schema_mismatch(schema, r->result, row->tool->name);
	if (wrong)
		fail_msg("%s", wrong);
	row->tool->say(r->result, &words);
	r->text = buf_steal(&words);
	assert_true(*r->text);
}

struct reply world_call(struct world *w, const char *user, const char *tool, const char *args)
{
	const struct request_row *row = request_find_tool(tool);
	AUTO(json_decref) json_t *claim = make_claim(user);
	AUTO(json_decref) json_t *given = read_json(args);
	AUTO(json_decref) json_t *keep = NULL;
	struct request rq = {.engine = w->engine,
			     .now = w->now,
			     .scheduler_running = !w->stopped,
			     .caller = {.bound = true}}; /* their sessions are a token's */
	struct reply r = {0};
	struct error err = {0};

	assert_non_null(row);
	ok(db_begin(w->db, &err));
	ok(db_savepoint(w->db, &err));
	ok(caller_resolve(w->engine, claim, w->now, &keep, &rq.caller, &err));
	ok(session_restrict(w->engine, &rq.caller, &err));
	if (request_run(row, &rq, given, &r.result, &r.err) < 0) {
		assert_null(r.result);
		assert_true(*r.err.message);
		ok(db_rollback_to(w->db, &err));
	} else {
		ok(db_release(w->db, &err));
		check_result(row, &r);
	}
	turn_end(w, NULL);
	return r;
}

void reply_fini(struct reply *r)
{
	free(r->text);
	json_decref(r->result);
	*r = (struct reply){0};
}

void said(const struct reply *r, const char *text)
{
	if (!r->text)
		fail_msg("refused: %s (%s)", r->err.message, r->err.hint);
	if (!strstr(r->text, text))
		fail_msg("'%s' is not in '%s'", text, r->text);
}

void refused(const struct reply *r, const char *text)
{
	if (r->text)
		fail_msg("not refused: %s", r->text);
	if (!strstr(r->err.message, text) && !strstr(r->err.hint, text))
		fail_msg("'%s' is not in '%s (%s)'", text, r->err.message, r->err.hint);
}

const char *of(const struct reply *r, const char *key)
{
	const char *text = json_string_value(json_object_get(r->result, key));

	return text ? text : "";
}

/* --- schemas --- */

static bool is_type(const char *type, const json_t *value)
{
	return strcmp(type, "string") == 0    ? json_is_string(value)
	       : strcmp(type, "integer") == 0 ? json_is_integer(value)
	       : strcmp(type, "boolean") == 0 ? json_is_boolean(value)
	       : strcmp(type, "null") == 0    ? json_is_null(value)
	       : strcmp(type, "array") == 0   ? json_is_array(value)
	       : strcmp(type, "object") == 0  ? json_is_object(value)
					      : false;
}

static bool fits_type(const json_t *type, const json_t *value)
{
	if (json_is_string(type))
		return is_type(json_string_value(type), value);
	for (size_t i = 0; i < json_array_size(type); i++)
		if (is_type(json_string_value(json_array_get(type, i)), value))
			return true;
	return false;
}

static bool fits_enum(const json_t *words, const json_t *value)
{
	for (size_t i = 0; i < json_array_size(words); i++)
		if (json_equal(json_array_get(words, i), value))
			return true;
	return !words;
}

static char *object_mismatch(const json_t *schema, const json_t *value, const char *where)
{
	const json_t *properties = json_object_get(schema, "properties");
	const json_t *required = json_object_get(schema, "required");
	const char *key;
	json_t *part;

	/* An exact one names all there is. */
	if (!json_is_false(json_object_get(schema, "additionalProperties")))
		return mem_printf("%s: the schema lets in anything", where);
	for (size_t i = 0; i < json_array_size(required); i++)
		if (!json_object_get(value, json_string_value(json_array_get(required, i))))
			return mem_printf("%s: no '%s'", where,
					  json_string_value(json_array_get(required, i)));
	json_object_foreach((json_t *)value, key, part)
	{
		const json_t *known = json_object_get(properties, key);
		AUTO(free) char *path = mem_printf("%s.%s", where, key);
		char *wrong = known ? schema_mismatch(known, part, path)
				    : mem_printf("%s is not declared", path);

		if (wrong)
			return wrong;
	}
	return NULL;
}

char *schema_mismatch(const json_t *schema, const json_t *value, const char *where)
{
	if (!fits_type(json_object_get(schema, "type"), value))
		return mem_printf("%s has another type", where);
	if (!fits_enum(json_object_get(schema, "enum"), value))
		return mem_printf("%s is no word that is declared", where);
	if (json_is_object(value))
		return object_mismatch(schema, value, where);
	for (size_t i = 0; i < json_array_size(value); i++) {
		char *wrong = schema_mismatch(json_object_get(schema, "items"),
					      json_array_get(value, i), where);

		if (wrong)
			return wrong;
	}
	return NULL;
}
