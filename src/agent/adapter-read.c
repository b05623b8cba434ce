/*
 * adapter-read.c: what a run said, read from its standard output.
 * The output is nobody's friend: it may be cut, mixed with warnings, not UTF-8, or made to mislead.
 * So one pass over it, whole objects only, and a value counts when it is of the right type. What
 * stands inside a broken or endless object is no result.
 */
#include <ctype.h>
#include <string.h>

#include "agent/adapter.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"

#define SESSION_LEN_MAX 200
#define ERROR_LEN_MAX 2048
#define CALL_LEN_MAX 80
#define COST_MAX 1e9 /* dollars: more is no cost */

/*
 * Numbers are read as reals: a counter beyond 64 bits somewhere is no reason to lose an answer. An
 * escaped NUL is let through to the cleaning for the same reason.
 */
#define LOAD_FLAGS (JSON_DISABLE_EOF_CHECK | JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL)

#define BLOCKED "UserPromptSubmit operation blocked by hook" /* Claude Code's whole answer, then */

/* The values the paths found, each owned; the last object that has one wins. */
struct found {
	json_t *session, *answer, *error, *cost, *denials;
};

static void found_fini(struct found *f)
{
	json_decref(f->session);
	json_decref(f->answer);
	json_decref(f->error);
	json_decref(f->cost);
	json_decref(f->denials);
}

/* One step down: a member of an object, or an element of an array by its number. */
static const json_t *step(const json_t *node, const char *name, size_t len)
{
	size_t index = 0;

	if (json_is_object(node))
		return json_object_getn(node, name, len);
	if (!json_is_array(node) || len == 0 || len > 9)
		return NULL;
	for (size_t i = 0; i < len; i++) {
		if (!isdigit((unsigned char)name[i]))
			return NULL;
		index = index * 10 + (size_t)(name[i] - '0');
	}
	return json_array_get(node, index);
}

static const json_t *walk(const json_t *node, const char *path, size_t len)
{
	while (node && len) {
		const char *dot = memchr(path, '.', len);
		size_t part = dot ? (size_t)(dot - path) : len;

		node = step(node, path, part);
		part += dot ? 1 : 0;
		path += part;
		len -= part;
	}
	return node;
}

/* Follow "a.b" or "filter.path=text:a.b"; NULL when it leads nowhere or to null. */
static const json_t *look_up(const json_t *object, const char *path)
{
	const char *equals = strchr(path, '='), *colon = equals ? strchr(equals, ':') : NULL;
	const json_t *node;

	if (colon) {
		size_t len = (size_t)(colon - equals) - 1;

		node = walk(object, path, (size_t)(equals - path));
		if (!json_is_string(node) || json_string_length(node) != len ||
		    memcmp(json_string_value(node), equals + 1, len) != 0)
			return NULL;
		path = colon + 1;
	}
	node = walk(object, path, strlen(path));
	return json_is_null(node) ? NULL : node;
}

static void take(json_t **slot, const json_t *object, const char *path)
{
	const json_t *value = path ? look_up(object, path) : NULL;

	if (!value)
		return;
	json_decref(*slot);
	*slot = json_incref((json_t *)(uintptr_t)value);
}

static bool has_any(const struct found *f)
{
	return f->session || f->answer || f->error || f->cost;
}

/*
 * With OUTPUT_JSON the last object that says anything is the whole story; with OUTPUT_LINES every
 * line may add to it.
 */
static void take_object(const struct adapter *a, const json_t *object, struct found *f)
{
	struct found here = {0}, *to = a->output == OUTPUT_LINES ? f : &here;

	take(&to->session, object, a->session_path);
	take(&to->answer, object, a->answer_path);
	take(&to->error, object, a->error_path);
	take(&to->cost, object, a->cost_path);
	take(&to->denials, object, a->denials_path);
	if (to == &here && has_any(&here)) {
		found_fini(f);
		*f = here;
	}
}

/* Whether an object may begin here: spares the parser most brackets of prose and code. */
static bool may_begin(const char *p, const char *end)
{
	for (p++; p < end && strchr(" \t\r\n", *p) && *p; p++)
		;
	return p == end || *p == '"' || *p == '}';
}

/*
 * Objects one after another, with any text between them. After a broken one the search goes on
 * behind the place where it broke, never inside it: that also keeps it one pass.
 */
static bool read_objects(const struct adapter *a, const char *text, size_t len, struct found *f)
{
	const char *end = text + len;
	bool seen = false;

	while ((text = memchr(text, '{', (size_t)(end - text)))) {
		json_error_t why = {0};
		json_t *object = may_begin(text, end)
					 ? json_loadb(text, (size_t)(end - text), LOAD_FLAGS, &why)
					 : NULL;
		enum json_error_code code = object ? json_error_unknown : json_error_code(&why);
		size_t used = why.position > 1 ? (size_t)why.position : 1;

		if (object) {
			take_object(a, object, f);
			json_decref(object);
			seen = true;
		} else if (used > 1) {
			used--; /* the byte that broke it may begin the next */
		}
		if (code == json_error_premature_end_of_input || code == json_error_stack_overflow)
			break;
		text += used < (size_t)(end - text) ? used : (size_t)(end - text);
	}
	return seen;
}

static bool read_lines(const struct adapter *a, const char *text, size_t len, struct found *f)
{
	bool seen = false;

	while (len) {
		const char *newline = memchr(text, '\n', len);
		size_t line = newline ? (size_t)(newline - text) : len;
		json_t *object =
			json_loadb(text, line, LOAD_FLAGS & ~(size_t)JSON_DISABLE_EOF_CHECK, NULL);

		if (json_is_object(object)) {
			take_object(a, object, f);
			seen = true;
		}
		json_decref(object);
		line += newline ? 1 : 0;
		text += line;
		len -= line;
	}
	return seen;
}

/* The value of "\uXXXX" at p, or -1. */
static long escape_at(const char *p, const char *end)
{
	long value = 0;

	if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
		return -1;
	for (int i = 2; i < 6; i++) {
		if (!isxdigit((unsigned char)p[i]))
			return -1;
		value = value * 16 +
			(isdigit((unsigned char)p[i]) ? p[i] - '0' : (p[i] | 32) - 'a' + 10);
	}
	return value;
}

/*
 * Programs that cut their texts at a number of UTF-16 units write half a character now and then, as
 * an escape that no strict reader takes. The mark for a lost character has the same length.
 */
static void mend_escapes(char *text, size_t len)
{
	static const char lost[4] = {'f', 'f', 'f', 'd'};
	const char *end = text + len;

	for (char *p = text; (p = memchr(p, '\\', (size_t)(end - p)));) {
		long unit = escape_at(p, end), next = unit < 0 ? -1 : escape_at(p + 6, end);
		bool high = unit >= 0xd800 && unit <= 0xdbff,
		     low = unit >= 0xdc00 && unit <= 0xdfff;
		bool pair = high && next >= 0xdc00 && next <= 0xdfff;

		if ((high || low) && !pair)
			memcpy(p + 2, lost, sizeof(lost));
		p += unit < 0 ? 2 : pair ? 12 : 6;
		if (p >= end)
			break;
	}
}

/* A copy that is UTF-8 of the same length: what is no character becomes '?'. */
static char *mend(const char *bytes, size_t len)
{
	char *copy = mem_alloc(len + 1);

	if (len)
		memcpy(copy, bytes, len);
	copy[len] = '\0';
	text_mend_utf8(copy, len);
	mend_escapes(copy, len);
	return copy;
}

/* Clean text, or NULL when nothing is left of it. */
static char *clean(const char *text, size_t len)
{
	char *answer = text_clean(text, len);

	if (!*answer) {
		free(answer);
		return NULL;
	}
	return answer;
}

/* As it was said, but UTF-8 and a text; NULL as clean(). */
static char *keep_raw(const char *bytes, size_t len)
{
	char *raw;

	while (len && strchr(" \t\r\n", bytes[len - 1]))
		len--;
	while (len && strchr(" \t\r\n", *bytes)) {
		bytes++;
		len--;
	}
	if (!len)
		return NULL;
	raw = mem_alloc(len + 1);
	memcpy(raw, bytes, len);
	raw[len] = '\0';
	text_mend_utf8(raw, len);
	for (size_t i = 0; i < len; i++)
		if (!raw[i])
			raw[i] = '?';
	return raw;
}

/* Of an error, which its client may have made for a terminal, in colour. */
static char *clean_start(const char *text, size_t len)
{
	AUTO(free) char *all = text_clean_output(text, len);

	if (!*all)
		return NULL;
	all[text_fit(all, ERROR_LEN_MAX)] = '\0';
	return steal_ptr(&all);
}

static char *clean_string(const json_t *value)
{
	return json_is_string(value) ? clean(json_string_value(value), json_string_length(value))
				     : NULL;
}

/* What a server said, quoted whole by the agent as its error: the words in it, when there are any. */
static const char *inner_words(const json_t *error, json_t **ret)
{
	*ret = json_loadb(json_string_value(error), json_string_length(error), 0, NULL);
	return json_string_value(look_up(*ret, "error.message"));
}

static char *read_error(const json_t *error, const char *answer)
{
	AUTO(json_decref) json_t *inner = NULL;
	AUTO(free) char *text = NULL;
	const char *words;

	if (!error || json_is_false(error))
		return NULL;
	if (json_is_number(error) && json_number_value(error) == 0)
		return NULL;
	if (json_is_string(error) && (words = inner_words(error, &inner)))
		return clean_start(words, strlen(words));
	if (json_is_string(error))
		return clean_start(json_string_value(error), json_string_length(error));
	if (json_is_true(error))
		return answer ? clean_start(answer, strlen(answer))
			      : mem_strdup("the agent reported an error, without a word");
	text = json_text(error);
	return clean_start(text, strlen(text));
}

static int64_t read_cost(const json_t *cost)
{
	double dollars = json_is_number(cost) ? json_number_value(cost) : -1;

	return dollars >= 0 && dollars <= COST_MAX ? (int64_t)(dollars * 1e6 + 0.5) : -1;
}

bool adapter_session_ok(const char *session)
{
	size_t len = strlen(session);

	if (len == 0 || len > SESSION_LEN_MAX || session[0] == '-')
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isgraph((unsigned char)session[i]) || (unsigned char)session[i] >= 0x80)
			return false;
	return true;
}

static char *read_session(const json_t *session)
{
	const char *text = json_string_value(session);

	if (!text || strlen(text) != json_string_length(session) || !adapter_session_ok(text))
		return NULL;
	return mem_strdup(text);
}

char *adapter_line_session(const struct adapter *a, const char *line, size_t len)
{
	AUTO(free) char *text = mend(line, len);
	AUTO(json_decref) json_t *object = json_loadb(text, len, LOAD_FLAGS, NULL);

	return json_is_object(object) && a->session_path
		       ? read_session(look_up(object, a->session_path))
		       : NULL;
}

/* "Bash(make test)": what it was to do is the first text of its input. */
static void deny_one(const json_t *call, struct adapter_denials *ret)
{
	const char *tool = json_string_value(json_object_get(call, "tool_name"));
	const json_t *input = json_object_get(call, "tool_input"), *value;
	AUTO(free) char *words = NULL;
	const char *key, *what = NULL;

	json_object_foreach((json_t *)(uintptr_t)input, key, value) if (!what) what =
		json_string_value(value);
	words = what ? mem_printf("%s(%.*s)", tool ? tool : "?", (int)text_fit(what, CALL_LEN_MAX),
				  what)
		     : mem_strdup(tool ? tool : "?");
	adapter_deny(ret, words);
}

static void read_denials(const json_t *list, struct adapter_denials *ret)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		deny_one(json_array_get(list, i), ret);
}

/* It said nothing that can be read where its answer would be: perhaps beside it. */
static void read_errors(const struct adapter *a, const struct adapter_said *said,
			struct adapter_reading *ret)
{
	AUTO(free) char *text = mend(said->errors, said->errors_len);
	struct found f = {0};

	read_objects(a, text, said->errors_len, &f);
	ret->session = read_session(f.session);
	ret->error = read_error(f.error, NULL);
	found_fini(&f);
}

void adapter_read(const struct adapter *a, const char *output, size_t len,
		  struct adapter_reading *ret)
{
	adapter_read_both(a, &(struct adapter_said){.output = output, .output_len = len}, ret);
}

void adapter_read_both(const struct adapter *a, const struct adapter_said *said,
		       struct adapter_reading *ret)
{
	size_t len = said->output_len;
	AUTO(free) char *text = NULL;
	struct found f = {0};
	bool seen;

	*ret = (struct adapter_reading){.cost = -1};
	if (a->output == OUTPUT_TEXT) {
		ret->answer = clean(said->output, len);
		ret->raw = keep_raw(said->output, len);
		return;
	}
	text = mend(said->output, len);
	seen = (a->output == OUTPUT_JSON ? read_objects : read_lines)(a, text, len, &f);
	ret->answer = clean_string(f.answer);
	if (ret->answer)
		ret->raw = keep_raw(json_string_value(f.answer), json_string_length(f.answer));
	ret->session = read_session(f.session);
	ret->error = read_error(f.error, ret->answer);
	/* No error to the client: but its model was not asked, and nothing was done. */
	if (!ret->error && ret->answer && strncmp(ret->answer, BLOCKED, strlen(BLOCKED)) == 0)
		ret->error = mem_strdup(ret->answer);
	ret->cost = read_cost(f.cost);
	read_denials(f.denials, &ret->denials);
	if (!seen && a->output == OUTPUT_JSON && said->errors_len)
		read_errors(a, said, ret);
	/* "Execution error" and status 0 is how one of them answers SIGINT: no result, no success. */
	if (!seen && !ret->error)
		ret->error = clean_start(text, len);
	found_fini(&f);
}

void adapter_reading_fini(struct adapter_reading *r)
{
	free(r->answer);
	free(r->raw);
	free(r->session);
	free(r->error);
	buf_fini(&r->denials.calls);
	*r = (struct adapter_reading){.cost = -1};
}
