/*
 * config-adapters.c: the adapters of config.yml, over the built-in ones.
 * An adapter of a built-in name begins as that one, and the file changes parts of it; another name
 * begins empty and needs at least `headless`. What would only fail in the night, at the first
 * resume, is refused here: a conversation that is continued must be named.
 */
#include <stdlib.h>
#include <string.h>

#include "agent/presence.h"
#include "base/mem.h"
#include "base/text.h"
#include "config/read.h"

#define QUIET_LEAST (100 * USEC_PER_MSEC)
#define QUIET_MOST USEC_PER_HOUR

static int set_session(struct reader *r, const struct yaml_node *value, void *target)
{
	struct adapter *a = target;
	const char *words[SESSION_READ + 2] = {NULL};
	int which;

	for (int i = SESSION_NONE; i <= SESSION_READ; i++)
		words[i] = adapter_session_word((enum adapter_session)i);
	which = read_word(r, value, "session", words);
	if (which < 0)
		return which;
	a->session = (enum adapter_session)which;
	return 0;
}

static int set_output(struct reader *r, const struct yaml_node *value, void *target)
{
	struct adapter *a = target;
	const char *words[OUTPUT_LINES + 2] = {NULL};
	int which;

	for (int i = OUTPUT_TEXT; i <= OUTPUT_LINES; i++)
		words[i] = adapter_output_word((enum adapter_output)i);
	which = read_word(r, value, "output", words);
	if (which < 0)
		return which;
	a->output = (enum adapter_output)which;
	return 0;
}

/* An empty list takes a template of the built-in adapter away. */
static int set_template(struct reader *r, const struct yaml_node *value, struct adapter *a,
			enum adapter_use use)
{
	if (value->count > 0 || use == USE_HEADLESS)
		return read_command(r, value, adapter_use_words[use], &a->templates[use]);
	mem_free_list(a->templates[use]);
	a->templates[use] = NULL;
	return 0;
}

static int set_headless(struct reader *r, const struct yaml_node *value, void *target)
{
	return set_template(r, value, target, USE_HEADLESS);
}

static int set_resume(struct reader *r, const struct yaml_node *value, void *target)
{
	return set_template(r, value, target, USE_RESUME);
}

static int set_interactive(struct reader *r, const struct yaml_node *value, void *target)
{
	return set_template(r, value, target, USE_INTERACTIVE);
}

static int set_resume_interactive(struct reader *r, const struct yaml_node *value, void *target)
{
	return set_template(r, value, target, USE_RESUME_INTERACTIVE);
}

/* "" takes a path of the built-in adapter away. */
static int set_path(const struct yaml_node *value, char **path)
{
	mem_replace(path, value->text[0] ? value->text : NULL);
	return 0;
}

static int set_session_path(struct reader *r, const struct yaml_node *value, void *target)
{
	(void)r;
	return set_path(value, &((struct adapter *)target)->session_path);
}

static int set_answer_path(struct reader *r, const struct yaml_node *value, void *target)
{
	(void)r;
	return set_path(value, &((struct adapter *)target)->answer_path);
}

static int set_error_path(struct reader *r, const struct yaml_node *value, void *target)
{
	(void)r;
	return set_path(value, &((struct adapter *)target)->error_path);
}

static int set_cost_path(struct reader *r, const struct yaml_node *value, void *target)
{
	(void)r;
	return set_path(value, &((struct adapter *)target)->cost_path);
}

static int set_cost_total(struct reader *r, const struct yaml_node *value, void *target)
{
	return read_bool(r, value, "cost_total", &((struct adapter *)target)->cost_total);
}

/* --- live: how one in a session of its own is watched and typed to --- */

static int set_pattern(struct reader *r, const struct yaml_node *value, char **pattern)
{
	if (value->text[0] && look_check(value->text, r->err) < 0)
		return read_place(r, value);
	return set_path(value, pattern);
}

static int set_busy(struct reader *r, const struct yaml_node *value, void *target)
{
	return set_pattern(r, value, &((struct adapter_live *)target)->busy);
}

static int set_blocked(struct reader *r, const struct yaml_node *value, void *target)
{
	return set_pattern(r, value, &((struct adapter_live *)target)->blocked);
}

static int set_input(struct reader *r, const struct yaml_node *value, void *target)
{
	if (value->text[0] && !strchr(value->text, '(')) {
		read_fail(r, value, "'%s' does not say what is typed", value->text);
		return error_hint(r->err, "put that part in parentheses: '^> (.*)$'");
	}
	return set_pattern(r, value, &((struct adapter_live *)target)->input);
}

static int set_hooks(struct reader *r, const struct yaml_node *value, void *target)
{
	struct adapter_live *live = target;
	int which = value->text[0] ? read_word(r, value, "hooks", hooks_words) : 0;

	return which < 0 ? which : set_path(value, &live->hooks);
}

static int set_transcript(struct reader *r, const struct yaml_node *value, void *target)
{
	struct adapter_live *live = target;

	if (value->text[0] && value->text[0] != '/') {
		read_fail(r, value, "'%s' is not absolute", value->text);
		return error_hint(r->err, "write it from / on, with {session} where its id is");
	}
	return set_path(value, &live->transcript);
}

static int set_paste(struct reader *r, const struct yaml_node *value, void *target)
{
	return read_bool(r, value, "paste", &((struct adapter_live *)target)->paste);
}

static int set_quiet(struct reader *r, const struct yaml_node *value, void *target)
{
	return read_duration(r, value, QUIET_LEAST, QUIET_MOST,
			     &((struct adapter_live *)target)->quiet);
}

static int set_interrupt(struct reader *r, const struct yaml_node *value, void *target)
{
	int which = value->text[0] ? read_word(r, value, "interrupt", adapter_key_words) : 0;

	if (which >= 0) {
		((struct adapter_live *)target)->interrupt = adapter_key(which);
		((struct adapter_live *)target)->forgets = false; /* the person has said it */
	}
	return which < 0 ? which : 0;
}

/* clang-format off */
static const struct key live_keys[] = {
	{"busy",       TAKES_TEXT, set_busy},
	{"blocked",    TAKES_TEXT, set_blocked},
	{"input",      TAKES_TEXT, set_input},
	{"hooks",      TAKES_TEXT, set_hooks},
	{"transcript", TAKES_TEXT, set_transcript},
	{"paste",      TAKES_TEXT, set_paste},
	{"quiet",      TAKES_TEXT, set_quiet},
	{"interrupt",  TAKES_TEXT, set_interrupt},
};
/* clang-format on */
PUBLISH_KEYS(live_keys);

static int set_live(struct reader *r, const struct yaml_node *value, void *target)
{
	return read_mapping(r, value, KEYS(live_keys), &((struct adapter *)target)->live);
}

/* An empty list takes the words of the built-in adapter away. */
static int set_instructions(struct reader *r, const struct yaml_node *value, void *target)
{
	struct adapter *a = target;
	int result = read_texts(r, value, "instructions", &a->instructions);

	if (result < 0)
		return result;
	if (value->count == 0) {
		mem_free_list(a->instructions);
		a->instructions = NULL;
		return 0;
	}
	for (char *const *word = a->instructions; *word; word++)
		if (strstr(*word, "{instructions}"))
			return 0;
	read_fail(r, value, "'instructions' of adapter '%s' do not carry them", a->name);
	return error_hint(r->err, "add \"{instructions}\" where they belong");
}

/* clang-format off */
static const struct key adapter_keys[] = {
	{"headless",           TAKES_LIST, set_headless},
	{"resume",             TAKES_LIST, set_resume},
	{"interactive",        TAKES_LIST, set_interactive},
	{"resume_interactive", TAKES_LIST, set_resume_interactive},
	{"session",            TAKES_TEXT, set_session},
	{"output",             TAKES_TEXT, set_output},
	{"session_path",       TAKES_TEXT, set_session_path},
	{"answer_path",        TAKES_TEXT, set_answer_path},
	{"error_path",         TAKES_TEXT, set_error_path},
	{"cost_path",          TAKES_TEXT, set_cost_path},
	{"cost_total",         TAKES_TEXT, set_cost_total},
	{"instructions",       TAKES_LIST, set_instructions},
	{"live",               TAKES_MAP,  set_live},
};
/* clang-format on */
PUBLISH_KEYS(adapter_keys);

static bool is_built_in(const char *name)
{
	for (const char *const *known = adapter_names; *known; known++)
		if (strcmp(*known, name) == 0)
			return true;
	return false;
}

static bool has_word(char *const *words, const char *part)
{
	for (; words && *words; words++)
		if (strstr(*words, part))
			return true;
	return false;
}

/* A conversation is continued by its name, never as "the latest". */
static int check_resume(struct reader *r, const struct yaml_node *name, const struct adapter *a,
			enum adapter_use use)
{
	if (!a->templates[use])
		return 0;
	if (a->session == SESSION_NONE) {
		read_fail(r, name, "adapter '%s' has '%s' but no session", a->name,
			  adapter_use_words[use]);
		return error_hint(r->err, "add 'session: chosen' or 'session: read'");
	}
	if (!has_word(a->templates[use], "{session}")) {
		read_fail(r, name, "'%s' of adapter '%s' does not name the session",
			  adapter_use_words[use], a->name);
		return error_hint(r->err, "add \"{session}\" where its id belongs");
	}
	return 0;
}

/* A conversation that begins has a name only when we choose it, and then it must be told. */
static int check_begin(struct reader *r, const struct yaml_node *name, const struct adapter *a,
		       enum adapter_use use)
{
	bool told = has_word(a->templates[use], "{session}");

	if (!a->templates[use] || told == (a->session == SESSION_CHOSEN))
		return 0;
	if (told) {
		read_fail(r, name, "'%s' of adapter '%s' names a session that is not chosen",
			  adapter_use_words[use], a->name);
		return error_hint(r->err, "add 'session: chosen'");
	}
	read_fail(r, name, "'%s' of adapter '%s' does not name the session", adapter_use_words[use],
		  a->name);
	return error_hint(r->err, "add \"{session}\" where its id belongs");
}

/* Words for instructions that no template has a place for would never be said. */
static int check_instructions(struct reader *r, const struct yaml_node *name,
			      const struct adapter *a)
{
	for (int use = 0; use < USE_COUNT; use++)
		for (char *const *word = a->templates[use]; word && *word; word++)
			if (strcmp(*word, "{role}") == 0)
				return 0;
	/* Those of a built-in adapter stay behind when all its templates are replaced. */
	if (!a->instructions || is_built_in(a->name))
		return 0;
	read_fail(r, name, "adapter '%s' has 'instructions' but no place for them", a->name);
	return error_hint(r->err, "add the word \"{role}\" to its templates");
}

static int check_adapter(struct reader *r, const struct yaml_node *name, const struct adapter *a)
{
	int result;

	if (!a->templates[USE_HEADLESS]) {
		read_fail(r, name, "adapter '%s' has no headless", a->name);
		return error_hint(r->err, "add 'headless: [PROGRAM, ARGUMENT...]'");
	}
	if (a->session == SESSION_READ && (a->output == OUTPUT_TEXT || !a->session_path)) {
		read_fail(r, name, "adapter '%s' cannot read its session", a->name);
		return error_hint(r->err, "add 'output: json' (or lines) and 'session_path'");
	}
	if ((result = check_begin(r, name, a, USE_HEADLESS)) < 0 ||
	    (result = check_begin(r, name, a, USE_INTERACTIVE)) < 0 ||
	    (result = check_resume(r, name, a, USE_RESUME)) < 0 ||
	    (result = check_resume(r, name, a, USE_RESUME_INTERACTIVE)) < 0 ||
	    (result = check_instructions(r, name, a)) < 0)
		return result;
	return 0;
}

static struct adapter *new_adapter(const char *name)
{
	struct adapter *a = adapter_built_in(name);

	if (a)
		return a;
	a = mem_zalloc(sizeof(*a));
	a->name = mem_strdup(name);
	return a;
}

static int read_one(struct reader *r, const struct yaml_node *name, const struct yaml_node *value)
{
	struct config *c = r->config;
	struct adapter *a;
	int result;

	if (!text_is_name(name->text)) {
		read_fail(r, name, "'%s' is not a name for an adapter", name->text);
		return error_hint(r->err, "1 to 64 letters, digits, '.', '_' and '-', "
					  "beginning with a letter, a digit or '_'");
	}
	if (value->kind != YAML_EMPTY && read_kind(r, name->text, name, value, TAKES_MAP) < 0)
		return r->err->code;
	a = c->adapters[c->adapter_count++] = new_adapter(name->text);
	result = read_mapping(r, value, KEYS(adapter_keys), a);
	return result < 0 ? result : check_adapter(r, name, a);
}

int read_adapters(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config *c = target;
	int result = 0;

	c->adapters = mem_array(value->count / 2, sizeof(struct adapter *));
	for (size_t i = 0; i < value->count && result >= 0; i += 2)
		result = read_one(r, value->items[i], value->items[i + 1]);
	return result;
}

/* Names of the file's adapters and then the built-in ones, for the nearest. */
static int fail_adapter(struct reader *r, const struct yaml_node *value)
{
	const struct config *c = r->config;
	size_t count = c->adapter_count, built_in = 0;
	const char **names;

	while (adapter_names[built_in])
		built_in++;
	names = mem_array(count + built_in, sizeof(char *));
	for (size_t i = 0; i < count; i++)
		names[i] = c->adapters[i]->name;
	for (size_t i = 0; i < built_in; i++)
		names[count + i] = adapter_names[i];
	read_fail_unknown(r, value, "adapter", names, count + built_in);
	free(names);
	return r->err->code;
}

struct adapter *config_adapter(const struct config *c, const char *name)
{
	for (size_t i = 0; i < c->adapter_count; i++)
		if (strcmp(c->adapters[i]->name, name) == 0)
			return adapter_copy(c->adapters[i]);
	return adapter_built_in(name);
}

struct adapter *read_adapter(struct reader *r, const struct yaml_node *value)
{
	struct adapter *a = config_adapter(r->config, value->text);

	if (!a)
		fail_adapter(r, value);
	return a;
}
