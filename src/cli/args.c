/*
 * args.c: argv to a row and its JSON arguments.
 * First the command: words are joined for as long as some row begins with them. Then, in one pass,
 * flags and operands in any order, until "--" ends the flags. Values are put into the JSON object
 * as they are met and checked only for what no surface could accept (not UTF-8, not a number, not
 * one of the choices); what they mean is the request's business. Standard input is read last, so
 * that a mistake in the flags is told before anybody has to type a body.
 */
#include "cli/args.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/words.h"

#define CANDIDATES_MAX 128

struct parse {
	const struct request_row *const *rows;
	const struct request_row *row;
	char *const *argv; /* what is left: argv[at] is next */
	int argc, at;
	size_t operands;		/* seen so far */
	const struct request_arg *body; /* the argument that is to be read from standard input */
	struct command *ret;
	struct error *err;
};

void command_fini(struct command *c)
{
	free(c->group);
	json_decref(c->args);
	*c = (struct command){0};
}

/* --- looking things up in rows --- */

const struct request_row *args_find_row(const struct request_row *const *rows, const char *name)
{
	for (; *rows; rows++)
		if (strcmp((*rows)->name, name) == 0)
			return *rows;
	return NULL;
}

bool args_is_group(const struct request_row *const *rows, const char *words)
{
	size_t len = strlen(words);

	for (; *rows; rows++)
		if (strncmp((*rows)->name, words, len) == 0 &&
		    ((*rows)->name[len] == ' ' || (*rows)->name[len] == '\0'))
			return true;
	return false;
}

const struct request_arg *args_find_flag(const struct request_row *row, const char *name,
					 size_t len)
{
	for (const struct request_arg *a = row->args; a && a->name; a++)
		if (!a->operand && strlen(a->name) == len && memcmp(a->name, name, len) == 0)
			return a;
	return NULL;
}

const struct request_arg *args_find_letter(const struct request_row *row, char letter)
{
	for (const struct request_arg *a = row->args; a && a->name; a++)
		if (!a->operand && a->letter == letter)
			return a;
	return NULL;
}

bool args_repeats(const struct request_arg *arg)
{
	return arg->type == ARG_WORDS || arg->many;
}

const struct request_arg *args_operand(const struct request_row *row, size_t position)
{
	for (const struct request_arg *a = row->args; a && a->name; a++)
		if (a->operand && (position-- == 0 || args_repeats(a)))
			return a;
	return NULL;
}

bool args_is_shown(const struct request_arg *arg)
{
	return arg->help != NULL;
}

char *args_value_name(const struct request_arg *arg)
{
	char *name = mem_strdup(arg->value ? arg->value : arg->name);

	if (!arg->value)
		for (char *p = name; *p; p++)
			*p = (char)toupper((unsigned char)*p);
	return name;
}

/* How messages call an argument: "--message", or "AGENT". Caller frees. */
static char *spoken_name(const struct request_arg *arg)
{
	return arg->operand ? args_value_name(arg) : mem_printf("--%s", arg->name);
}

static bool has_optional_flags(const struct request_row *row)
{
	for (const struct request_arg *a = row->args; a && a->name; a++)
		if (!a->operand && !a->required && args_is_shown(a))
			return true;
	return false;
}

void args_usage(const struct request_row *row, struct buf *ret)
{
	buf_printf(ret, "belfry %s", row->name);
	for (const struct request_arg *a = row->args; a && a->name; a++) {
		AUTO(free) char *value = args_value_name(a);

		if (a->operand)
			buf_printf(ret, a->required ? " %s%s" : " [%s%s]", value,
				   args_repeats(a) ? "..." : "");
		else if (a->required)
			buf_printf(ret, " --%s %s", a->name, value);
	}
	if (has_optional_flags(row))
		buf_add_str(ret, " [FLAGS]");
}

/* --- saying what is wrong --- */

static int hint_usage(struct parse *p)
{
	AUTO_BUF struct buf usage = {0};

	args_usage(p->row, &usage);
	return error_hint(p->err, "usage: %s", buf_text(&usage));
}

/* What was meant: the only candidate that begins with the word, else the nearest one, or NULL. */
static const char *meant(const char *word, const char *const *candidates, size_t count)
{
	const char *longer = NULL;

	for (size_t i = 0; i < count && *word; i++) {
		if (strncmp(candidates[i], word, strlen(word)) != 0)
			continue;
		if (longer)
			return text_nearest(word, candidates, count);
		longer = candidates[i];
	}
	return longer ? longer : text_nearest(word, candidates, count);
}

static int unknown_flag(struct parse *p, const char *name, size_t len)
{
	const char *candidates[CANDIDATES_MAX] = {"json", "help"};
	AUTO(free) char *word = mem_strndup(name, len);
	const char *nearest;
	size_t count = 2;

	for (const struct request_arg *a = p->row->args; a && a->name; a++)
		if (!a->operand && args_is_shown(a) && count < CANDIDATES_MAX)
			candidates[count++] = a->name;
	error_set(p->err, ERR_INVALID, "unknown flag '--%s' for '%s'", word, p->row->name);
	nearest = meant(word, candidates, count);
	if (nearest)
		return error_hint(p->err, "did you mean '--%s'?", nearest);
	return hint_usage(p);
}

static int hint_words(struct parse *p, char *const *words, size_t count)
{
	AUTO_BUF struct buf list = {0};

	for (size_t i = 0; i < count; i++)
		buf_printf(&list, "%s%s", i ? ", " : "", words[i]);
	return error_hint(p->err, "one of: %s", buf_text(&list));
}

/* "thr-k3f9x2", "mis-k3f9x2": somebody wants to see it. */
static bool looks_like_id(const char *word)
{
	const char *dash = strchr(word, '-');

	return dash && dash > word && dash - word <= 3 && dash[1];
}

static int unknown_command(struct parse *p, const char *word)
{
	const char *group = p->ret->group, *space = *group ? " " : "", *nearest;
	AUTO(free) char *show = mem_printf("%s show", group), *other = NULL;
	char *words[WORDS_AFTER_MAX];
	size_t count = words_after(p->rows, group, words);

	error_set(p->err, ERR_INVALID, "unknown command '%s%s%s'", group, space, word);
	other = words_other_way(p->rows, group, word);
	nearest = other ? NULL : words_guess(word, (const char *const *)words, count);
	if (other)
		error_hint(p->err, "%s", other);
	else if (nearest)
		error_hint(p->err, "did you mean '%s%s%s'?", group, space, nearest);
	else if (looks_like_id(word) && args_find_row(p->rows, show))
		error_hint(p->err, "did you mean 'belfry %s %s'?", show, word);
	else if (*group)
		hint_words(p, words, count);
	else
		error_hint(p->err, "'belfry help' lists the commands");
	words_free(words, count);
	return p->err->code;
}

static int unfinished_command(struct parse *p)
{
	char *words[WORDS_AFTER_MAX];
	size_t count = words_after(p->rows, p->ret->group, words);

	error_set(p->err, ERR_INVALID, "'%s' needs a command after it", p->ret->group);
	hint_words(p, words, count);
	words_free(words, count);
	return p->err->code;
}

/* --- values --- */

static char *json_key(const struct request_arg *arg)
{
	char *key = mem_strdup(arg->name);

	for (char *p = key; *p; p++)
		if (*p == '-')
			*p = '_';
	return key;
}

static int read_int(struct parse *p, const char *spoken, const char *text, json_t **ret)
{
	char *end = NULL;
	bool is_number;
	long long value;

	errno = 0;
	value = strtoll(text, &end, 10);
	is_number = isdigit((unsigned char)text[text[0] == '-']) && *end == '\0';
	if (is_number && errno != ERANGE) {
		*ret = json_integer(value);
		return 0;
	}
	if (is_number)
		error_set(p->err, ERR_INVALID, "the number '%s' of %s is too large", text, spoken);
	else
		error_set(p->err, ERR_INVALID, "%s takes a whole number, not '%s'", spoken, text);
	return error_hint(p->err, "give a whole number, as in '%s 3'", spoken);
}

static int check_choice(struct parse *p, const struct request_arg *arg, const char *spoken,
			const char *text)
{
	AUTO(free) char *copy = mem_strdup(arg->choices);
	const char *words[CANDIDATES_MAX], *nearest;
	size_t count = 0;
	char *save = NULL;

	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		if (strcmp(w, text) == 0)
			return 0;
		if (count < CANDIDATES_MAX)
			words[count++] = w;
	}
	error_set(p->err, ERR_INVALID, "%s cannot be '%s'", spoken, text);
	nearest = meant(text, words, count);
	if (nearest)
		return error_hint(p->err, "did you mean '%s'?", nearest);
	return error_hint(p->err, "one of: %s", arg->choices);
}

static int refuse_bytes(struct parse *p, const char *spoken)
{
	error_set(p->err, ERR_INVALID, "the value of %s is not valid UTF-8", spoken);
	return error_hint(p->err, "convert it: iconv -f latin1 -t utf-8");
}

static int read_value(struct parse *p, const struct request_arg *arg, const char *text,
		      json_t **ret)
{
	AUTO(free) char *spoken = spoken_name(arg);
	int r = 0;

	if (!text_is_utf8(text, strlen(text)))
		return refuse_bytes(p, spoken);
	if (!*text && !request_arg_may_be_empty(arg)) {
		error_set(p->err, ERR_INVALID, "%s is empty", spoken);
		return error_hint(p->err, arg->choices ? "one of: %s" : "leave it out, or say %s",
				  arg->choices ? arg->choices : arg->value);
	}
	if (arg->type == ARG_INT)
		return read_int(p, spoken, text, ret);
	if (arg->type == ARG_CHOICE)
		r = check_choice(p, arg, spoken, text);
	if (r == 0)
		*ret = json_string(text);
	return r;
}

/* One more of several: a file at the end of the list, a word at the end of the words. */
static int put_further(struct parse *p, const struct request_arg *arg, const char *key,
		       const char *text)
{
	json_t *before = json_object_get(p->ret->args, key), *value = NULL;
	int r = read_value(p, arg, text, &value);

	if (r < 0)
		return r;
	if (arg->type == ARG_WORDS) {
		if (before) {
			json_put(p->ret->args, key,
				 json_sprintf("%s %s", json_string_value(before), text));
			json_decref(value);
		} else {
			json_put(p->ret->args, key, value);
		}
		return 0;
	}
	/* One alone is that one. */
	if (!before && arg->many) {
		json_put(p->ret->args, key, value);
		return 0;
	}
	if (!json_is_array(before)) {
		json_t *list = json_array();

		if (before)
			json_array_append(list, before);
		json_put(p->ret->args, key, list);
	}
	json_array_append_new(json_object_get(p->ret->args, key), value);
	return 0;
}

static int put_value(struct parse *p, const struct request_arg *arg, const char *text)
{
	AUTO(free) char *key = json_key(arg);
	json_t *value = NULL;
	int r;

	if (arg->type == ARG_FILES || args_repeats(arg))
		return put_further(p, arg, key, text);
	if (json_object_get(p->ret->args, key)) {
		error_set(p->err, ERR_INVALID, "--%s is given twice", arg->name);
		return hint_usage(p);
	}
	if (arg->type == ARG_BODY && strcmp(text, "-") == 0) {
		if (p->body)
			return error_set(
				p->err, ERR_INVALID,
				"only one of --%s and --%s can be read from standard input",
				p->body->name, arg->name);
		p->body = arg;
	}
	r = read_value(p, arg, text, &value);
	if (r == 0)
		json_put(p->ret->args, key, value);
	return r;
}

static int put_flag(struct parse *p, const struct request_arg *arg)
{
	AUTO(free) char *key = json_key(arg);

	json_put_bool(p->ret->args, key, true);
	return 0;
}

/* --- flags and operands --- */

/* The flags every command has. Returns whether it was one. */
static bool take_common(struct command *c, const char *name, size_t len)
{
	if (len == 4 && memcmp(name, "json", len) == 0)
		c->json = true;
	else if (len == 4 && memcmp(name, "help", len) == 0)
		c->help = true;
	else
		return false;
	return true;
}

static int missing_value(struct parse *p, const struct request_arg *arg, const char *typed)
{
	AUTO(free) char *value = args_value_name(arg);

	error_set(p->err, ERR_INVALID, "%s needs a value: %s", typed, value);
	return hint_usage(p);
}

static int take_next_value(struct parse *p, const struct request_arg *arg, const char *typed)
{
	if (p->at == p->argc)
		return missing_value(p, arg, typed);
	return put_value(p, arg, p->argv[p->at++]);
}

static int take_long(struct parse *p, const char *typed)
{
	const char *name = typed + 2, *equals = strchr(name, '=');
	size_t len = equals ? (size_t)(equals - name) : strlen(name);
	const struct request_arg *arg = args_find_flag(p->row, name, len);
	bool common = (!arg || arg->type == ARG_FLAG) && take_common(p->ret, name, len);

	if (!arg && !common)
		return unknown_flag(p, name, len);
	if (common || arg->type == ARG_FLAG) {
		if (equals)
			return error_set(p->err, ERR_INVALID, "'--%.*s' takes no value", (int)len,
					 name);
		return common ? 0 : put_flag(p, arg);
	}
	return equals ? put_value(p, arg, equals + 1) : take_next_value(p, arg, typed);
}

/* "-va": letters without values may stand together; the first with one takes the rest. */
static int take_letters(struct parse *p, const char *typed)
{
	for (const char *c = typed + 1; *c; c++) {
		const struct request_arg *arg = args_find_letter(p->row, *c);
		char spoken[] = {'-', *c, '\0'};
		int r;

		if (!arg && *c == 'h') {
			p->ret->help = true;
			continue;
		}
		if (!arg) {
			error_set(p->err, ERR_INVALID, "unknown flag '-%c' for '%s'", *c,
				  p->row->name);
			return hint_usage(p);
		}
		if (arg->type != ARG_FLAG)
			return c[1] ? put_value(p, arg, c + 1) : take_next_value(p, arg, spoken);
		r = put_flag(p, arg);
		if (r < 0)
			return r;
	}
	return 0;
}

static int take_operand(struct parse *p, const char *text)
{
	const struct request_arg *arg = args_operand(p->row, p->operands);

	if (!arg) {
		error_set(p->err, ERR_INVALID, "unexpected argument '%s' for '%s'", text,
			  p->row->name);
		return hint_usage(p);
	}
	p->operands++;
	return put_value(p, arg, text);
}

static int take_all(struct parse *p)
{
	bool flags = true;
	int r = 0;

	while (r == 0 && p->at < p->argc) {
		const char *typed = p->argv[p->at++];

		if (!flags || typed[0] != '-' || typed[1] == '\0')
			r = take_operand(p, typed);
		else if (strcmp(typed, "--") == 0)
			flags = false;
		else
			r = typed[1] == '-' ? take_long(p, typed) : take_letters(p, typed);
	}
	return r;
}

static int check_required(struct parse *p)
{
	for (const struct request_arg *a = p->row->args; a && a->name; a++) {
		AUTO(free) char *key = json_key(a), *spoken = NULL;

		if (!a->required || json_object_get(p->ret->args, key))
			continue;
		spoken = spoken_name(a);
		error_set(p->err, ERR_INVALID, "%s is missing", spoken);
		return hint_usage(p);
	}
	return 0;
}

int args_read_text(int fd, const char *spoken, struct buf *ret, struct error *err)
{
	for (;;) {
		ssize_t n;

		buf_reserve(ret, 65536);
		n = read(fd, ret->data + ret->len, 65536);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_set_errno(err, errno, "cannot read standard input");
		if (n == 0)
			break;
		ret->len += (size_t)n;
		if (ret->len > ARGS_BODY_MAX) {
			error_set(err, ERR_INVALID, "%s: standard input is larger than 1 MiB",
				  spoken);
			return error_hint(err, "keep it in a file, and say where it is");
		}
	}
	ret->data[ret->len] = '\0';
	if (memchr(ret->data, '\0', ret->len) || !text_is_utf8(ret->data, ret->len)) {
		error_set(err, ERR_INVALID, "%s: standard input is not valid UTF-8 text", spoken);
		return error_hint(err, "convert it: iconv -f latin1 -t utf-8");
	}
	return 0;
}

static int read_body(struct parse *p, int fd)
{
	AUTO(free) char *key = json_key(p->body), *spoken = spoken_name(p->body);
	AUTO_BUF struct buf text = {0};
	int r = args_read_text(fd, spoken, &text, p->err);

	if (r == 0)
		json_put(p->ret->args, key, json_stringn(text.data, text.len));
	return r;
}

/* --- the command --- */

static bool take_early_flag(struct command *c, const char *typed)
{
	if (strcmp(typed, "-h") == 0)
		c->help = true;
	else if (strcmp(typed, "--version") == 0 || strcmp(typed, "-V") == 0)
		c->version = true;
	else
		return strncmp(typed, "--", 2) == 0 && take_common(c, typed + 2, strlen(typed + 2));
	return true;
}

static int unknown_early_flag(struct parse *p, const char *typed)
{
	error_set(p->err, ERR_INVALID, "unknown flag '%s'", typed);
	return error_hint(p->err, "flags of a command stand after it: 'belfry COMMAND %s'", typed);
}

/* A command that others begin with and that takes no words itself, as "inbox". */
static bool is_group_too(const struct parse *p)
{
	char *words[WORDS_AFTER_MAX];
	size_t count;

	if (!p->row || args_operand(p->row, 0))
		return false;
	count = words_after(p->rows, p->row->name, words);
	words_free(words, count);
	return count > 0;
}

/*
 * `belfry help reminder add` asks the same as `belfry reminder add --help`, and so does `belfry reminder help`;
 * `belfry version` the same as `belfry --version`.
 */
static bool take_word_for_flag(struct parse *p, const char *word)
{
	if (*p->ret->group && p->row && !is_group_too(p))
		return false;
	if (strcmp(word, "help") == 0 && !p->ret->help)
		return p->ret->help = true;
	if (strcmp(word, "version") == 0 && !*p->ret->group)
		return p->ret->version = true;
	return false;
}

static int take_command(struct parse *p)
{
	while (p->at < p->argc) {
		const char *typed = p->argv[p->at], *group = p->ret->group;
		AUTO(free) char *words = NULL;

		/* Once a row is found, flags are its own. */
		if (!p->row && typed[0] == '-') {
			if (!take_early_flag(p->ret, typed))
				return unknown_early_flag(p, typed);
			p->at++;
			continue;
		}
		words = words_step(p->rows, group, typed);
		if (!words && take_word_for_flag(p, typed)) {
			p->at++;
			continue;
		}
		if (!words) {
			if (p->row && (typed[0] == '-' || !is_group_too(p)))
				return 0;
			return unknown_command(p, typed);
		}
		p->at++;
		p->row = args_find_row(p->rows, words);
		free(p->ret->group);
		p->ret->group = steal_ptr(&words);
	}
	return 0;
}

/* Whatever else is wrong, --json decides how the error is told; so it is looked for ahead. */
static bool asks_json(int argc, char *const *argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--json") == 0)
			return true;
	return false;
}

int args_parse(const struct request_row *const *rows, int argc, char *const *argv, int input_fd,
	       struct command *ret, struct error *err)
{
	struct parse p = {rows, NULL, argv, argc, 1, 0, NULL, ret, err};
	int r;

	*ret = (struct command){.group = mem_strdup("")};
	r = take_command(&p);
	if (r == 0 && !p.row && !ret->help && !ret->version && *ret->group)
		r = unfinished_command(&p);
	ret->row = p.row;
	if (r == 0 && p.row) {
		ret->args = json_object();
		r = take_all(&p);
		if (r == 0 && !ret->help)
			r = check_required(&p);
		if (r == 0 && !ret->help && p.body)
			r = read_body(&p, input_fd);
	}
	if (r < 0 && asks_json(argc, argv))
		ret->json = true;
	return r;
}
