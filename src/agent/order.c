/*
 * order.c: orders as JSON.
 * The wrapper acts on an order without asking anybody, so an order is either whole or refused: no
 * field has a default, and names that become paths cannot lead out of the mission's folder.
 */
#include "agent/order.h"

#include <string.h>

#include "agent/fields.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"

/* clang-format off */
#define ADAPTER(member) offsetof(struct adapter, member)
static const struct field adapter_fields[] = {
	{"name",               FIELD_TEXT,     ADAPTER(name)},
	{"headless",           FIELD_LIST,     ADAPTER(templates[USE_HEADLESS])},
	{"resume",             FIELD_LIST,     ADAPTER(templates[USE_RESUME])},
	{"interactive",        FIELD_LIST,     ADAPTER(templates[USE_INTERACTIVE])},
	{"resume_interactive", FIELD_LIST,     ADAPTER(templates[USE_RESUME_INTERACTIVE])},
	{"session",            FIELD_WORD,     ADAPTER(session), .words = adapter_session_words},
	{"output",             FIELD_WORD,     ADAPTER(output), .words = adapter_output_words},
	{"session_path",       FIELD_TEXT_OPT, ADAPTER(session_path)},
	{"answer_path",        FIELD_TEXT_OPT, ADAPTER(answer_path)},
	{"error_path",         FIELD_TEXT_OPT, ADAPTER(error_path)},
	{"cost_path",          FIELD_TEXT_OPT, ADAPTER(cost_path)},
	{"cost_total",         FIELD_BOOL,     ADAPTER(cost_total)},
	{"denials_path",       FIELD_TEXT_OPT, ADAPTER(denials_path)},
	{"denial_line",        FIELD_TEXT_OPT, ADAPTER(denial_line)},
	{"may",                FIELD_TEXT_OPT, ADAPTER(may)},
	{"may_beside",         FIELD_TEXT_OPT, ADAPTER(may_beside)},
	{"instructions",       FIELD_LIST,     ADAPTER(instructions)},
	{"hooks",              FIELD_TEXT_OPT, ADAPTER(live.hooks)},
	{NULL},
};

#define SOURCE(member) offsetof(struct order_source, member)
static const struct field source_fields[] = {
	{"name",   FIELD_TEXT, SOURCE(name)},
	{"origin", FIELD_TEXT, SOURCE(origin)},
	{"is_git", FIELD_BOOL, SOURCE(is_git)},
	{NULL},
};

#define OF(what) .size = what##_size, .fields = what##_fields
enum { adapter_size = sizeof(struct adapter), source_size = sizeof(struct order_source) };

#define ORDER(member) offsetof(struct order, member)
static const struct field order_fields[] = {
	{"mission",     FIELD_TEXT,       ORDER(mission)},
	{"number",      FIELD_INT64,      ORDER(number), .least = 1},
	{"interactive", FIELD_BOOL,       ORDER(interactive)},
	{"adapter",     FIELD_OBJECT,     ORDER(adapter), OF(adapter)},
	{"use",         FIELD_WORD,       ORDER(use), .words = adapter_use_words},
	{"args",        FIELD_LIST,       ORDER(args)},
	{"prompt",      FIELD_TEXT,       ORDER(prompt)},
	{"instructions", FIELD_TEXT_OPT,  ORDER(instructions)},
	{"session",     FIELD_TEXT_OPT,   ORDER(session)},
	{"environment", FIELD_LIST,       ORDER(environment)},
	{"secrets",     FIELD_LIST,       ORDER(secrets)},
	{"directory",   FIELD_TEXT_OPT,   ORDER(directory)},
	{"template",    FIELD_OBJECT_OPT, ORDER(template), OF(source)},
	{"git",         FIELD_OBJECT_OPT, ORDER(git), OF(source)},
	{"time_limit",  FIELD_INT64,      ORDER(time_limit)},
	{"grace",       FIELD_INT64,      ORDER(grace)},
	{NULL},
};

#define CHORE(member) offsetof(struct chore, member)
static const struct field chore_fields[] = {
	{"argv",        FIELD_LIST,     CHORE(argv)},
	{"environment", FIELD_LIST,     CHORE(environment)},
	{"directory",   FIELD_TEXT,     CHORE(directory)},
	{"input",       FIELD_TEXT_OPT, CHORE(input)},
	{"time_limit",  FIELD_INT64,    CHORE(time_limit), .least = 1},
	{"grace",       FIELD_INT64,    CHORE(grace)},
	{"leashed",     FIELD_BOOL,     CHORE(leashed)},
	{NULL},
};
/* clang-format on */

/* A word's field is read and written as an int. */
_Static_assert(sizeof(enum adapter_use) == sizeof(int), "enums are ints");

void order_free(struct order *o)
{
	if (!o)
		return;
	/* One that was not read from an order has more than an order says of it. */
	adapter_free(o->adapter);
	o->adapter = NULL;
	fields_fini(order_fields, o);
	free(o);
}

char *order_format(const struct order *o)
{
	AUTO(json_decref) json_t *object = fields_write(order_fields, o);

	return json_text(object);
}

/* "github.com/me/lib" is fine; what would lead out of the folder it is put into is not. */
static bool stays_inside(const char *name)
{
	while (*name) {
		size_t len = strcspn(name, "/");

		if (len == 0 || (len == 1 && name[0] == '.') ||
		    (len == 2 && name[0] == '.' && name[1] == '.'))
			return false;
		name += len;
		if (*name == '/' && !*++name)
			return false;
	}
	return true;
}

static int check_source(const char *what, const struct order_source *s, struct error *err)
{
	if (!s || (*s->name && *s->origin && stays_inside(s->name)))
		return 0;
	return error_set(err, ERR_INVALID,
			 "'%s': '%.100s' cannot be copied to a folder of a mission", what, s->name);
}

static int check_environment(char *const *environment, struct error *err)
{
	for (; environment && *environment; environment++) {
		const char *equals = strchr(*environment, '=');

		if (!equals || equals == *environment)
			return error_set(err, ERR_INVALID,
					 "'environment': '%.100s' is no NAME=VALUE", *environment);
	}
	return 0;
}

static int check(const struct order *o, struct error *err)
{
	int r;

	if (!text_is_name(o->mission))
		return error_set(err, ERR_INVALID, "'mission': '%.100s' is no id", o->mission);
	if (o->session && !adapter_session_ok(o->session))
		return error_set(err, ERR_INVALID, "'session': '%.100s' is none", o->session);
	if (o->directory && o->directory[0] != '/')
		return error_set(err, ERR_INVALID, "'directory': '%.100s' is not absolute",
				 o->directory);
	r = check_environment(o->environment, err);
	if (r == 0)
		r = check_source("template", o->template, err);
	if (r == 0)
		r = check_source("git", o->git, err);
	return r;
}

int order_parse(const char *text, size_t len, struct order **ret, struct error *err)
{
	AUTO(json_decref) json_t *object = NULL;
	AUTO(order_free) struct order *o = NULL;

	if (len > ORDER_MAX)
		return error_set(err, ERR_INVALID, "order: larger than %zu bytes", ORDER_MAX);
	o = mem_zalloc(sizeof(*o));
	if (json_parse(text, len, &object, err) < 0 ||
	    fields_read(order_fields, object, o, err) < 0 || check(o, err) < 0)
		return error_prefix(err, "order");
	*ret = steal_ptr(&o);
	return 0;
}

/* --- chores --- */

void chore_free(struct chore *c)
{
	if (!c)
		return;
	fields_fini(chore_fields, c);
	free(c);
}

char *chore_format(const struct chore *c)
{
	AUTO(json_decref) json_t *object = fields_write(chore_fields, c);

	return json_text(object);
}

int chore_parse(const char *text, size_t len, struct chore **ret, struct error *err)
{
	AUTO(json_decref) json_t *object = NULL;
	AUTO(chore_free) struct chore *c = mem_zalloc(sizeof(*c));

	if (json_parse(text, len, &object, err) < 0 ||
	    fields_read(chore_fields, object, c, err) < 0)
		return error_prefix(err, "chore");
	if (!c->argv)
		return error_set(err, ERR_INVALID, "chore: 'argv' is empty");
	*ret = steal_ptr(&c);
	return 0;
}
