/*
 * config-users.c: who agents act for, and how far they are trusted.
 * A pattern belongs to one user: who asks from there must not depend on the order of the file. `me` is
 * the person at this machine, who may say where they are found, and whom nobody can trust less.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "config/read.h"

#define PATTERN_MAX 256

void config_user_fini(struct config_user *user)
{
	free(user->name);
	free(user->trust);
	mem_free_list(user->match);
	free(user->timezone);
}

static int set_trust(struct reader *r, const struct yaml_node *value, void *target)
{
	static const char *const words[] = {"public", "familiar", "inner", "full", NULL};
	struct config_user *user = target;
	int which = read_word(r, value, "trust", words);

	if (which < 0)
		return which;
	if (strcmp(user->name, "me") == 0 && strcmp(words[which], "full") != 0) {
		read_fail(r, value, "'me' cannot have trust '%s'", value->text);
		return error_hint(r->err, "'me' is the person at this machine: leave 'trust' out");
	}
	mem_replace(&user->trust, words[which]);
	return 0;
}

/* "signal:alice-id": the channel is a word of ours, the target whatever that channel calls it. */
static bool is_pattern(const char *text)
{
	size_t channel = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-");
	const char *target = text + channel + 1;

	if (channel == 0 || text[channel] != ':' || !*target || strlen(text) > PATTERN_MAX)
		return false;
	return !text_find_control(text) && !strpbrk(text, " \t\n");
}

static int check_pattern(struct reader *r, const struct yaml_node *item, const char *user)
{
	const struct config_user *other;

	if (!is_pattern(item->text)) {
		read_fail(r, item, "'%.60s' is not a pattern for a user", item->text);
		return error_hint(r->err, "CHANNEL:TARGET, as in signal:alice-id or "
					  "terminal:default");
	}
	other = config_user_matching(r->config, item->text);
	if (!other)
		return 0;
	read_fail(r, item, "'%s' is a pattern of user '%s' already", item->text, other->name);
	return error_hint(r->err,
			  "whoever asks from there is one user: leave it with '%.40s' or "
			  "'%.40s'",
			  other->name, user);
}

/* It is this user's only when all of the list is right: until then it has none. */
static int set_match(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config_user *user = target;
	AUTO(mem_free_list) char **list = NULL;
	int result = read_texts(r, value, "match", &list);

	for (size_t i = 0; result >= 0 && i < value->count; i++)
		result = check_pattern(r, value->items[i], user->name);
	if (result < 0)
		return result;
	mem_free_list(user->match);
	user->match = steal_ptr(&list);
	return 0;
}

static int set_timezone(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config_user *user = target;

	if (read_timezone(r, value) < 0)
		return r->err->code;
	mem_replace(&user->timezone, value->text);
	return 0;
}

/* clang-format off */
static const struct key user_keys[] = {
	{"trust",    TAKES_TEXT, set_trust},
	{"match",    TAKES_LIST, set_match},
	{"timezone", TAKES_TEXT, set_timezone},
};
/* clang-format on */
PUBLISH_KEYS(user_keys);

static int read_user(struct reader *r, const struct yaml_node *name, const struct yaml_node *value)
{
	struct config *c = r->config;
	struct config_user *user;

	if (!text_is_name(name->text)) {
		read_fail(r, name, "'%s' is not a name for a user", name->text);
		return error_hint(r->err, "1 to 64 letters, digits, '.', '_' and '-', "
					  "beginning with a letter, a digit or '_'");
	}
	user = &c->users[c->user_count++];
	user->name = mem_strdup(name->text);
	user->trust = mem_strdup(strcmp(name->text, "me") == 0 ? "full" : "public");
	if (value->kind == YAML_EMPTY)
		return 0;
	if (read_kind(r, name->text, name, value, TAKES_MAP) < 0)
		return r->err->code;
	return read_mapping(r, value, KEYS(user_keys), user);
}

int read_users(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config *c = target;
	int result = 0;

	c->users = mem_array(value->count / 2 + 1, sizeof(*c->users));
	for (size_t i = 0; result >= 0 && i < value->count; i += 2)
		result = read_user(r, value->items[i], value->items[i + 1]);
	return result;
}

const struct config_user *config_user(const struct config *c, const char *name)
{
	for (size_t i = 0; i < c->user_count; i++)
		if (strcmp(c->users[i].name, name) == 0)
			return &c->users[i];
	return NULL;
}

const struct config_user *config_user_matching(const struct config *c, const char *address)
{
	for (size_t i = 0; i < c->user_count; i++)
		for (char **p = c->users[i].match; p && *p; p++)
			if (strcmp(*p, address) == 0)
				return &c->users[i];
	return NULL;
}
