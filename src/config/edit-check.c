/*
 * edit-check.c: whether a changed text says what was asked for, and everything else as before.
 * Both are compared as what they mean, by their trees: this is the net below edit.c.
 */
#include <string.h>

#include "config/edit-parts.h"

#define COMPARE_MAX 1000000

size_t edit_find(const struct yaml_node *map, const char *name)
{
	size_t i = 0;

	while (map && map->kind == YAML_MAP && i < map->count &&
	       strcmp(map->items[i]->text, name) != 0)
		i += 2;
	return i;
}

bool edit_has(const struct yaml_node *map, size_t at)
{
	return map && map->kind == YAML_MAP && at < map->count;
}

/* The value of a key, or NULL. */
static const struct yaml_node *inside(const struct yaml_node *map, const char *name)
{
	size_t at = edit_find(map, name);

	return edit_has(map, at) ? map->items[at + 1] : NULL;
}

/* `left` bounds the work: aliases can make a small file into a large tree. */
static bool same(const struct yaml_node *a, const struct yaml_node *b, size_t *left)
{
	if (*left == 0 || a->kind != b->kind || a->count != b->count)
		return false;
	--*left;
	if (a->kind == YAML_TEXT)
		return strcmp(a->text, b->text) == 0;
	for (size_t i = 0; i < a->count; i++)
		if (!same(a->items[i], b->items[i], left))
			return false;
	return true;
}

/* The pairs of both but one, in their order. NULL and an empty value are mappings of nothing. */
static bool same_but(const struct yaml_node *a, const struct yaml_node *b, const char *but,
		     size_t *left)
{
	size_t i = 0, j = 0, na = a ? a->count : 0, nb = b ? b->count : 0;

	for (;;) {
		if (i < na && strcmp(a->items[i]->text, but) == 0)
			i += 2;
		if (j < nb && strcmp(b->items[j]->text, but) == 0)
			j += 2;
		if (i == na || j == nb)
			return i == na && j == nb;
		if (!same(a->items[i], b->items[j], left) ||
		    !same(a->items[i + 1], b->items[j + 1], left))
			return false;
		i += 2;
		j += 2;
	}
}

static bool says(const struct yaml_node *value, const struct edit_setting *s, size_t *left)
{
	AUTO(yaml_free) struct yaml *want = NULL;
	struct error err = {0};

	if (!s->plain)
		return value->kind == YAML_TEXT && strcmp(value->text, s->value) == 0;
	return yaml_parse(s->value, strlen(s->value), "", &want, &err) == 0 &&
	       same(yaml_root(want), value, left);
}

/* After an addition: all its settings, and nothing else. */
static bool says_all(const struct yaml_node *cron, const struct edit_setting *settings,
		     size_t count, size_t *left)
{
	size_t at = 0;

	if (!cron || cron->kind != YAML_MAP)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!settings[i].value)
			continue;
		if (at >= cron->count || strcmp(cron->items[at]->text, settings[i].key) != 0 ||
		    !says(cron->items[at + 1], &settings[i], left))
			return false;
		at += 2;
	}
	return at == cron->count;
}

/* After a change: this setting, and the others as before. */
static bool says_one(const struct yaml_node *old, const struct yaml_node *new,
		     const struct edit_setting *s, size_t *left)
{
	const struct yaml_node *value = inside(new, s->key);

	if (!new || !same_but(old, new, s->key, left))
		return false;
	return s->value ? value && says(value, s, left) : !value;
}

bool edit_is_right(const struct yaml_node *old, const struct yaml_node *new,
		   const struct edit_wish *wish)
{
	const char *key = wish->section->key;
	const struct yaml_node *old_crons = inside(old, key), *crons = inside(new, key);
	const struct yaml_node *cron = inside(crons, wish->name);
	size_t left = COMPARE_MAX;

	if (!same_but(old, new, key, &left) || !same_but(old_crons, crons, wish->name, &left))
		return false;
	if (wish->what == EDIT_REMOVE)
		return !cron;
	if (wish->what == EDIT_ADD)
		return says_all(cron, wish->settings, wish->count, &left);
	return says_one(inside(old_crons, wish->name), cron, wish->settings, &left);
}
