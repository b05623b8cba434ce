/*
 * read.c: the walk over mappings by their tables, and the kinds of value that come often.
 */
#include "config/read.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"
#include "schedule/duration.h"
#include "schedule/zone.h"

int read_fail(struct reader *r, const struct yaml_node *node, const char *fmt, ...)
{
	char message[sizeof(r->err->message)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	return error_set(r->err, ERR_INVALID, "%s:%d:%d: %s", r->path, node->line, node->column,
			 message);
}

int read_place(struct reader *r, const struct yaml_node *node)
{
	return error_prefix(r->err, "%s:%d:%d", r->path, node->line, node->column);
}

int read_fail_unknown(struct reader *r, const struct yaml_node *node, const char *what,
		      const char *const *names, size_t count)
{
	const char *near = text_nearest(node->text, names, count);
	AUTO_BUF struct buf all = {0};

	read_fail(r, node, "unknown %s '%s'", what, node->text);
	if (near)
		return error_hint(r->err, "did you mean '%s'?", near);
	for (size_t i = 0; i < count; i++)
		buf_printf(&all, "%s%s", i ? ", " : "", names[i]);
	/* A list that would be cut off says less than none. */
	if (all.len + 32 > sizeof(r->err->hint))
		return r->err->code;
	if (strcmp(what, "key") == 0)
		return error_hint(r->err, "keys here: %s", buf_text(&all));
	if (!count && strcmp(what, "agent") == 0)
		return error_hint(r->err,
				  "no agent can be run yet: declare one under 'agents:', or "
				  "'belfry setup CLIENT' does");
	return error_hint(r->err, count ? "there are: %s" : "there is none", buf_text(&all));
}

/* "a text", "a list or a mapping" */
static void name_kinds(unsigned takes, char *ret, size_t size)
{
	static const char *const words[] = {"nothing", "a text", "a list", "a mapping"};
	size_t len = 0;

	ret[0] = '\0';
	for (int kind = YAML_EMPTY; kind <= YAML_MAP; kind++)
		if (takes & KIND(kind))
			len += (size_t)snprintf(ret + len, size - len, "%s%s", len ? " or " : "",
						words[kind]);
}

int read_kind(struct reader *r, const char *name, const struct yaml_node *key,
	      const struct yaml_node *value, unsigned takes)
{
	char want[64], is[64];

	if (takes & KIND(value->kind))
		return 0;
	name_kinds(takes, want, sizeof(want));
	name_kinds(KIND(value->kind), is, sizeof(is));
	return read_fail(r, value->kind == YAML_EMPTY ? key : value, "'%s' needs %s, not %s", name,
			 want, is);
}

static const struct key *find_key(const char *name, struct keys keys)
{
	for (size_t i = 0; i < keys.count; i++)
		if (keys.rows[i].name && strcmp(keys.rows[i].name, name) == 0)
			return keys.rows + i;
	return NULL;
}

static int fail_key(struct reader *r, const struct yaml_node *name, struct keys keys)
{
	const char **names = mem_array(keys.count, sizeof(char *));
	size_t count = 0;

	for (size_t i = 0; i < keys.count; i++)
		if (keys.rows[i].name)
			names[count++] = keys.rows[i].name;
	read_fail_unknown(r, name, "key", names, count);
	free(names);
	return r->err->code;
}

/* Whether a pair belongs here at all. */
static int check_pair(struct reader *r, const struct yaml_node *name, const struct yaml_node *value,
		      struct keys keys)
{
	const struct key *key = find_key(name->text, keys);

	if (!key)
		return fail_key(r, name, keys);
	if (value->kind == YAML_EMPTY && (key->takes & TAKES_MAP))
		return 0;
	return read_kind(r, key->name, name, value, key->takes);
}

static int set_pair(struct reader *r, const struct yaml_node *value, const struct key *key,
		    void *target)
{
	if (value->kind == YAML_EMPTY) /* a mapping that says nothing */
		return 0;
	return key->set(r, value, target);
}

int read_pair(struct reader *r, const struct yaml_node *name, const struct yaml_node *value,
	      struct keys keys, void *target)
{
	int result = check_pair(r, name, value, keys);

	return result < 0 ? result : set_pair(r, value, find_key(name->text, keys), target);
}

int read_mapping(struct reader *r, const struct yaml_node *map, struct keys keys, void *target)
{
	int result = 0;

	for (size_t i = 0; i < map->count && result >= 0; i += 2)
		result = read_pair(r, map->items[i], map->items[i + 1], keys, target);
	return result;
}

int read_in_order(struct reader *r, const struct yaml_node *map, struct keys keys, void *target)
{
	int result = 0;

	for (size_t i = 0; i < map->count && result >= 0; i += 2)
		result = check_pair(r, map->items[i], map->items[i + 1], keys);
	for (size_t k = 0; k < keys.count && result >= 0; k++) {
		const struct key *key = &keys.rows[k];

		if (!key->name)
			result = key->set(r, NULL, target);
		for (size_t i = 0; key->name && i < map->count && result >= 0; i += 2)
			if (strcmp(map->items[i]->text, key->name) == 0)
				result = set_pair(r, map->items[i + 1], key, target);
	}
	return result;
}

int read_timezone(struct reader *r, const struct yaml_node *value)
{
	const struct zone *zone;

	if (zone_get(value->text, &zone, r->err) >= 0)
		return 0;
	if (!r->kept_roles)
		return read_place(r, value);
	*r->err = (struct error){0};
	return 0;
}

int read_duration(struct reader *r, const struct yaml_node *value, usec_t least, usec_t most,
		  usec_t *ret)
{
	char low[DURATION_TEXT_MAX], high[DURATION_TEXT_MAX];
	usec_t got;

	if (duration_parse(value->text, &got, r->err) < 0)
		return read_place(r, value);
	if (got >= least && got <= most) {
		*ret = got;
		return 0;
	}
	duration_format(least, low);
	duration_format(most, high);
	if (got < least)
		return read_fail(r, value, "'%s' is shorter than %s", value->text, low);
	return read_fail(r, value, "'%s' is longer than %s", value->text, high);
}

int read_number(struct reader *r, const struct yaml_node *value, const char *name, long least,
		long most, int *ret)
{
	size_t digits = strspn(value->text, "0123456789");
	long number = strtol(value->text, NULL, 10);

	if (digits == 0 || value->text[digits])
		return read_fail(r, value, "'%s' needs a whole number, not '%s'", name,
				 value->text);
	if (number < least || number > most) /* LONG_MAX when there were too many digits */
		return read_fail(r, value, "'%s' runs from %ld to %ld, not '%s'", name, least, most,
				 value->text);
	*ret = (int)number;
	return 0;
}

int read_word(struct reader *r, const struct yaml_node *value, const char *name,
	      const char *const *words)
{
	AUTO_BUF struct buf all = {0};

	for (int i = 0; words[i]; i++) {
		if (strcmp(value->text, words[i]) == 0)
			return i;
		buf_printf(&all, "%s%s", !i ? "" : words[i + 1] ? ", " : " or ", words[i]);
	}
	return read_fail(r, value, "'%s' is %s, not '%s'", name, buf_text(&all), value->text);
}

int read_bool(struct reader *r, const struct yaml_node *value, const char *name, bool *ret)
{
	static const char *const words[] = {"false", "true", NULL};
	int which = read_word(r, value, name, words);

	if (which < 0)
		return which;
	*ret = which == 1;
	return 0;
}

int read_texts(struct reader *r, const struct yaml_node *value, const char *name, char ***ret)
{
	mem_free_list(*ret);
	*ret = mem_array(value->count + 1, sizeof(char *));
	for (size_t i = 0; i < value->count; i++) {
		const struct yaml_node *item = value->items[i];

		if (item->kind != YAML_TEXT)
			return read_fail(r, item, "'%s' is a list of texts", name);
		(*ret)[i] = mem_strdup(item->text);
	}
	return 0;
}

/* "NAME" or "PREFIX_*" */
static bool is_variable(const char *name)
{
	size_t len =
		strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");

	return len && (!name[len] || strcmp(name + len, "*") == 0);
}

int read_inherit(struct reader *r, const struct yaml_node *value, char **ret)
{
	AUTO_BUF struct buf names = {0};
	bool word = value->kind == YAML_TEXT;

	if (word && strcmp(value->text, "all") != 0 && strcmp(value->text, "none") != 0) {
		read_fail(r, value, "'inheritEnvironment' cannot be '%s'", value->text);
		return error_hint(r->err, "all, none, or a list: [SSH_AUTH_SOCK, MY_*]");
	}
	for (size_t i = 0; !word && i < value->count; i++) {
		const struct yaml_node *item = value->items[i];

		if (item->kind != YAML_TEXT || !is_variable(item->text)) {
			read_fail(r, item, "'inheritEnvironment' is a list of names of variables");
			return error_hint(r->err, "NAME, or PREFIX_* for all that begin so");
		}
		buf_printf(&names, "%s%s", names.len ? "," : "", item->text);
	}
	mem_replace(ret, word ? value->text : buf_text(&names));
	return 0;
}

int read_command(struct reader *r, const struct yaml_node *value, const char *name, char ***ret)
{
	int result;

	if (value->count == 0) {
		read_fail(r, value, "'%s' is an empty list", name);
		return error_hint(r->err,
				  "the program and its arguments: [notify, --from, belfry]");
	}
	result = read_texts(r, value, name, ret);
	if (result >= 0 && !(*ret)[0][0])
		return read_fail(r, value->items[0], "'%s' names no program", name);
	return result;
}
