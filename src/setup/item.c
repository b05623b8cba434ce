/*
 * item.c: how each kind of thing is recognised, put in and taken out.
 * A server is ours when a program called belfry is started with "mcp", a hook when one is called with
 * "hook EVENT"; whatever else the person wrote beside it (variables, a matcher) stays. Permissions are
 * ours by their text.
 */
#include "setup/item.h"

#include <fnmatch.h>
#include <string.h>

#include "base/mem.h"
#include "config/config.h"
#include "config/edit.h"
#include "config/yaml.h"
#include "setup/jsonc.h"
#include "setup/toml.h"

#define PROGRAM "belfry"

/* Recognising */

static bool is_named_belfry(const char *path, size_t len)
{
	size_t name = strlen(PROGRAM);

	return len >= name && memcmp(path + len - name, PROGRAM, name) == 0 &&
	       (len == name || path[len - name - 1] == '/');
}

/* "'/usr/bin/belfry' hook Stop", quoted or not, and perhaps flags behind it. */
static bool is_our_hook(const char *command, const char *event)
{
	AUTO(free) char *middle = mem_printf(" hook %s", event);
	const char *at = strstr(command, middle);
	size_t len;

	if (!at)
		return false;
	len = (size_t)(at - command);
	at += strlen(middle);
	if (*at && *at != ' ')
		return false;
	if (len > 2 && (command[0] == '\'' || command[0] == '"') && command[len - 1] == command[0])
		return is_named_belfry(command + 1, len - 2);
	return !memchr(command, ' ', len) && is_named_belfry(command, len);
}

/* The text that says which program a server starts, and what follows it; NULL: it is no such entry. */
static const struct jsonc_node *server_program(const struct jsonc_node *entry)
{
	const struct jsonc_node *command = jsonc_get(entry, "command"), *arg = NULL;
	const struct jsonc_node *args = jsonc_get(entry, "args");

	if (command && command->kind == JSONC_ARRAY && command->count >= 2) {
		arg = command->items[1];
		command = command->items[0];
	} else if (args && args->kind == JSONC_ARRAY && args->count >= 1) {
		arg = args->items[0];
	}
	if (!command || command->kind != JSONC_STRING || !jsonc_is(arg, "mcp"))
		return NULL;
	return is_named_belfry(command->text, command->text_len) ? command : NULL;
}

static const struct jsonc_node *walk(const struct jsonc_node *n, const char *const *path)
{
	for (; n && *path; path++)
		n = jsonc_get(n, *path);
	return n;
}

/* Where our hook is: the group of its event, and the place in that. */
struct found {
	const struct jsonc_node *list, *group, *hooks, *command;
	size_t group_at, at;
};

static bool find_hook(const struct jsonc_node *root, const struct item *i, const char *exact,
		      struct found *ret)
{
	const struct jsonc_node *list = walk(root, i->path);

	for (size_t g = 0; list && list->kind == JSONC_ARRAY && g < list->count; g++) {
		const struct jsonc_node *hooks = jsonc_get(list->items[g], "hooks");

		for (size_t h = 0; hooks && hooks->kind == JSONC_ARRAY && h < hooks->count; h++) {
			const struct jsonc_node *command = jsonc_get(hooks->items[h], "command");

			if (!command || command->kind != JSONC_STRING ||
			    !is_our_hook(command->text, i->event) ||
			    (exact && !jsonc_is(command, exact)))
				continue;
			*ret = (struct found){list, list->items[g], hooks, command, g, h};
			return true;
		}
	}
	return false;
}

static const char *hook_command(const struct item *i)
{
	const json_t *hook = json_array_get(json_object_get(i->value, "hooks"), 0);

	return json_string_value(json_object_get(hook, "command"));
}

static const char *server_wanted(const struct item *i)
{
	const json_t *command = json_object_get(i->value, "command");

	return json_string_value(json_is_array(command) ? json_array_get(command, 0) : command);
}

static bool find_rule(const struct jsonc_node *list, const struct item *i, size_t *ret)
{
	for (size_t k = 0; list && list->kind == JSONC_ARRAY && k < list->count; k++)
		if (jsonc_is(list->items[k], json_string_value(i->value))) {
			*ret = k;
			return true;
		}
	return false;
}

static enum item_state look_server(const struct jsonc_node *root, const struct item *i)
{
	const struct jsonc_node *entry = walk(root, i->path), *command;

	if (!entry)
		return STATE_ABSENT;
	command = server_program(entry);
	if (!command)
		return STATE_FOREIGN;
	return jsonc_is(command, server_wanted(i)) ? STATE_SAME : STATE_OURS;
}

static enum item_state look_hook(const struct jsonc_node *root, const struct item *i)
{
	struct found f;

	if (find_hook(root, i, hook_command(i), &f))
		return STATE_SAME;
	return find_hook(root, i, NULL, &f) ? STATE_OURS : STATE_ABSENT;
}

/* A member of an object that is there, or of no use. */
static enum item_state look_option(const struct jsonc_node *root, const struct item *i)
{
	const char *outer[PATH_KEYS + 1] = {i->path[0], i->path[1]};
	const struct jsonc_node *in = walk(root, outer), *member;

	if (!in || in->kind != JSONC_OBJECT)
		return STATE_NEEDLESS;
	member = jsonc_get(in, i->path[2]);
	if (!member)
		return STATE_ABSENT;
	/* What the person decided about it is theirs. */
	return jsonc_is(member, json_string_value(i->value)) ? STATE_SAME : STATE_NEEDLESS;
}

/* Keys may be patterns; of several that fit, the last one counts. */
static const struct jsonc_node *last_fit(const struct jsonc_node *in, const char *name)
{
	for (size_t k = in && in->kind == JSONC_OBJECT ? in->count : 0; k-- > 0;)
		if (fnmatch(in->items[k]->key, name, 0) == 0)
			return in->items[k];
	return NULL;
}

/* A rule of the person's own about this tool stays as it is; so does one about all that already asks, or denies. */
static enum item_state look_ask(const struct jsonc_node *root, const struct item *i)
{
	const struct jsonc_node *in = jsonc_get(root, i->path[0]), *rule;

	if (!in)
		return STATE_ABSENT;
	rule = jsonc_get(in, i->path[1]);
	if (rule)
		return jsonc_is(rule, json_string_value(i->value)) ? STATE_SAME : STATE_NEEDLESS;
	if (in->kind != JSONC_OBJECT)
		return STATE_NEEDLESS;
	rule = last_fit(in, i->path[1]);
	return !rule || (strcmp(rule->key, "*") == 0 && jsonc_is(rule, "allow")) ? STATE_ABSENT
										 : STATE_NEEDLESS;
}

char *item_word(const char *const *path, const struct buf *text)
{
	AUTO(jsonc_free) struct jsonc_node *root = NULL;
	const struct jsonc_node *n;
	struct error err = {0};

	if (jsonc_parse(buf_text(text), text->len, &root, &err) < 0)
		return NULL;
	n = jsonc_get(root, *path);
	while (n && n->kind == JSONC_OBJECT && *++path)
		n = last_fit(n, *path);
	return n && n->kind == JSONC_STRING ? mem_strdup(n->text) : NULL;
}

static int look_json(const struct item *i, const struct buf *text, enum item_state *ret,
		     struct error *err)
{
	AUTO(jsonc_free) struct jsonc_node *root = NULL;
	size_t at;
	int r = jsonc_parse(buf_text(text), text->len, &root, err);

	if (r < 0)
		return r;
	if (i->kind == ITEM_SERVER)
		*ret = look_server(root, i);
	else if (i->kind == ITEM_HOOK)
		*ret = look_hook(root, i);
	else if (i->kind == ITEM_OPTION)
		*ret = look_option(root, i);
	else if (i->kind == ITEM_ASK)
		*ret = look_ask(root, i);
	else
		*ret = find_rule(walk(root, i->path), i, &at) ? STATE_SAME : STATE_ABSENT;
	return 0;
}

/* The agent in config.yml */

static int parse_config(const struct plan *p, const struct item *i, const struct buf *text,
			struct config **ret, struct error *err)
{
	return config_parse(buf_text(text), text->len, p->files[i->file].path, ret, err);
}

/* Nobody needs ours who has an agent that can be run. */
static int look_agent(const struct plan *p, const struct item *i, const struct buf *text,
		      enum item_state *ret, struct error *err)
{
	AUTO(config_free) struct config *config = NULL;
	int r = parse_config(p, i, text, &config, err);

	if (r < 0)
		return r;
	*ret = STATE_ABSENT;
	for (size_t k = 0; k < config->agent_count; k++)
		if (config->agents[k].adapter ||
		    strcmp(config->agents[k].name, p->client->name) == 0)
			*ret = STATE_NEEDLESS;
	return 0;
}

/* agents.NAME says what we wrote, and nothing else. */
static bool is_our_agent(const struct plan *p, const struct buf *text)
{
	AUTO(yaml_free) struct yaml *yaml = NULL;
	struct error ignored = {0};
	const char *const path[] = {"agents", p->client->name, "adapter"};
	const struct yaml_node *n;

	if (yaml_parse(buf_text(text), text->len, "", &yaml, &ignored) < 0)
		return false;
	n = yaml_root(yaml);
	for (size_t k = 0; n && k < 3; k++) {
		const struct yaml_node *next = NULL;

		for (size_t at = 0;
		     n->kind == YAML_MAP && at < n->count && (k < 2 || n->count == 2); at += 2)
			if (strcmp(n->items[at]->text, path[k]) == 0)
				next = n->items[at + 1];
		n = next;
	}
	return n && n->kind == YAML_TEXT && strcmp(n->text, p->client->name) == 0;
}

/* One step from the old text to the new: what is between their common begin and end. */
static void take_over(struct draft *d, const struct buf *new)
{
	const char *a = buf_text(&d->text), *b = buf_text(new);
	size_t head = 0, tail = 0, least = d->text.len < new->len ? d->text.len : new->len;

	while (head < least && a[head] == b[head])
		head++;
	while (tail < least - head && a[d->text.len - 1 - tail] == b[new->len - 1 - tail])
		tail++;
	draft_replace(d, head, d->text.len - head - tail, b + head, new->len - head - tail);
}

static int put_agent(const struct plan *p, const struct item *i, struct draft *d, struct error *err)
{
	AUTO(config_free) struct config *config = NULL;
	struct edit_setting adapter = {"adapter", p->client->name, false};
	AUTO_BUF struct buf new = {0};
	int r = edit_agent_add(buf_text(&d->text), d->text.len, p->client->name, &adapter, 1, &new,
			       err);

	if (r == 0)
		r = parse_config(p, i, &new, &config, err);
	if (r == 0)
		take_over(d, &new);
	return r;
}

static int take_agent(const struct plan *p, struct draft *d, struct error *err)
{
	AUTO_BUF struct buf new = {0};
	int r;

	if (!is_our_agent(p, &d->text))
		return 0;
	r = edit_agent_remove(buf_text(&d->text), d->text.len, p->client->name, &new, err);
	if (r == 0)
		take_over(d, &new);
	return r;
}

/* TOML */

static int look_table(const struct plan *p, const struct buf *text, enum item_state *ret,
		      struct error *err)
{
	static const enum item_state states[] = {
		[TOML_ABSENT] = STATE_ABSENT,
		[TOML_SAME] = STATE_SAME,
		[TOML_OURS] = STATE_OURS,
		[TOML_FOREIGN] = STATE_FOREIGN,
	};
	enum toml_server state = TOML_ABSENT;
	int r = toml_look(buf_text(text), text->len, p->program, p->runs, &state, err);

	*ret = states[state];
	return r;
}

/* A file of our own */

/* Whether it says what ours does, however it is written: the lines of ours, but for comments and blanks. */
static bool says_the_same(const char *text, const char *ours)
{
	AUTO_BUF struct buf all = {0};
	AUTO_BUF struct buf wanted = {0};

	for (; *text; text++)
		if (!strchr(" \t\r\n,", *text))
			buf_add_char(&all, *text);
	ours += strcspn(ours, "\n"); /* the mark */
	for (; *ours; ours++)
		if (!strchr(" \t\r\n,", *ours))
			buf_add_char(&wanted, *ours);
	return strstr(buf_text(&all), buf_text(&wanted)) != NULL;
}

static enum item_state look_file(const struct item *i, const struct buf *text)
{
	if (text->len == 0)
		return STATE_ABSENT;
	if (strcmp(buf_text(text), i->text) == 0)
		return STATE_SAME;
	/* A rule that the person has written themselves does as well. */
	if (strncmp(buf_text(text), OWN_MARK, strlen(OWN_MARK)) != 0 &&
	    says_the_same(buf_text(text), i->text))
		return STATE_NEEDLESS;
	return strncmp(buf_text(text), OWN_MARK, strlen(OWN_MARK)) == 0 ? STATE_OURS
									: STATE_FOREIGN;
}

static void take_file(const struct item *i, struct draft *d)
{
	enum item_state state = look_file(i, &d->text);

	if (state == STATE_SAME || state == STATE_OURS)
		draft_replace(d, 0, d->text.len, "", 0);
}

int item_look(const struct plan *p, const struct item *i, const struct buf *text,
	      enum item_state *ret, struct error *err)
{
	if (i->kind == ITEM_TABLE)
		return look_table(p, text, ret, err);
	if (i->kind == ITEM_AGENT)
		return look_agent(p, i, text, ret, err);
	if (i->kind == ITEM_FILE) {
		*ret = look_file(i, text);
		return 0;
	}
	return look_json(i, text, ret, err);
}

/* Putting in */

static int put_json(const struct item *i, struct draft *d, struct error *err)
{
	AUTO(jsonc_free) struct jsonc_node *root = NULL;
	AUTO(json_decref) json_t *text = NULL;
	const struct jsonc_node *entry, *command;
	struct found f;
	int r = jsonc_parse(buf_text(&d->text), d->text.len, &root, err);

	if (r < 0)
		return r;
	if (i->kind == ITEM_HOOK && find_hook(root, i, NULL, &f)) {
		text = json_string(hook_command(i));
		return jsonc_replace(d, f.command, text, err);
	}
	if (i->kind == ITEM_HOOK || i->kind == ITEM_RULE)
		return jsonc_append(d, i->path, i->value, err);
	entry = walk(root, i->path);
	if (!entry)
		return jsonc_add(d, i->path, i->value, err);
	command = server_program(entry);
	if (!command)
		return jsonc_replace(d, entry, i->value, err);
	text = json_string(server_wanted(i));
	return jsonc_replace(d, command, text, err);
}

int item_put(const struct plan *p, const struct item *i, struct draft *d, struct error *err)
{
	if (i->kind == ITEM_TABLE)
		return toml_set(d, p->program, p->runs, err);
	if (i->kind == ITEM_AGENT)
		return put_agent(p, i, d, err);
	if (i->kind == ITEM_FILE) {
		draft_replace(d, 0, d->text.len, i->text, strlen(i->text));
		return 0;
	}
	return put_json(i, d, err);
}

/* Taking out */

static char *path_name(const char *const *path, size_t depth)
{
	struct buf name = {0};

	for (size_t k = 0; k < depth; k++)
		buf_printf(&name, "%s%s", k ? "." : "", path[k]);
	return buf_steal(&name);
}

static bool names(const json_t *list, const char *text)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		if (strcmp(json_string_value(json_array_get(list, i)), text) == 0)
			return true;
	return false;
}

static bool is_member(const struct item *i)
{
	return i->kind == ITEM_SERVER || i->kind == ITEM_OPTION || i->kind == ITEM_ASK;
}

/* How many keys of the path lead to containers. */
static size_t container_depth(const struct item *i)
{
	size_t depth = 0;

	while (i->path[depth])
		depth++;
	return is_member(i) ? depth - 1 : depth;
}

/* The container at `depth`, if it is empty and ours to remove. */
static int take_container(const struct item *i, size_t depth, const json_t *made, struct draft *d,
			  struct error *err)
{
	AUTO(jsonc_free) struct jsonc_node *root = NULL;
	AUTO(free) char *name = path_name(i->path, depth);
	const char *outer[PATH_KEYS + 1] = {0}, *inner[PATH_KEYS + 1] = {0};
	const struct jsonc_node *in, *container;
	int r = jsonc_parse(buf_text(&d->text), d->text.len, &root, err);

	if (r < 0 || (made && !names(made, name)))
		return r < 0 ? r : 0;
	memcpy(outer, i->path, (depth - 1) * sizeof(*outer));
	memcpy(inner, i->path, depth * sizeof(*inner));
	in = walk(root, outer);
	container = walk(root, inner);
	if (!container || container->count || container->end - container->begin != 2)
		return 0; /* something is in it, be it a comment */
	for (size_t k = 0; k < in->count; k++)
		if (in->items[k] == container)
			return jsonc_remove(d, in, k, err);
	return 0;
}

static int take_containers(const struct item *i, const json_t *made, struct draft *d,
			   struct error *err)
{
	int r = 0;

	for (size_t depth = container_depth(i); depth > 0 && r == 0; depth--)
		r = take_container(i, depth, made, d, err);
	return r;
}

static int take_hook(const struct item *i, const struct jsonc_node *root, struct draft *d,
		     struct error *err)
{
	struct found f;

	if (!find_hook(root, i, NULL, &f))
		return 0;
	return f.hooks->count > 1 ? jsonc_remove(d, f.hooks, f.at, err)
				  : jsonc_remove(d, f.list, f.group_at, err);
}

static int take_member(const struct item *i, const struct jsonc_node *root, struct draft *d,
		       struct error *err)
{
	const char *outer[PATH_KEYS + 1] = {0};
	const struct jsonc_node *in, *member = walk(root, i->path);

	memcpy(outer, i->path, container_depth(i) * sizeof(*outer));
	in = walk(root, outer);
	if (!member || (i->kind == ITEM_SERVER && !server_program(member)) ||
	    (i->kind != ITEM_SERVER && !jsonc_is(member, json_string_value(i->value))))
		return 0;
	for (size_t k = 0; k < in->count; k++)
		if (in->items[k] == member)
			return jsonc_remove(d, in, k, err);
	return 0;
}

static int take_json(const struct item *i, const json_t *made, struct draft *d, struct error *err)
{
	AUTO(jsonc_free) struct jsonc_node *root = NULL;
	const struct jsonc_node *list;
	size_t at, count = d->count;
	int r = jsonc_parse(buf_text(&d->text), d->text.len, &root, err);

	if (r < 0)
		return r;
	if (i->kind == ITEM_HOOK) {
		r = take_hook(i, root, d, err);
	} else if (i->kind == ITEM_RULE) {
		list = walk(root, i->path);
		if (find_rule(list, i, &at))
			r = jsonc_remove(d, list, at, err);
	} else {
		r = take_member(i, root, d, err);
	}
	return r < 0 || d->count == count ? r : take_containers(i, made, d, err);
}

int item_take(const struct plan *p, const struct item *i, const json_t *made, struct draft *d,
	      struct error *err)
{
	enum item_state state = STATE_ABSENT;
	int r;

	if (i->kind == ITEM_TABLE) {
		r = look_table(p, &d->text, &state, err);
		return r < 0 || state == STATE_ABSENT || state == STATE_FOREIGN
			       ? r
			       : toml_remove(d, err);
	}
	if (i->kind == ITEM_AGENT)
		return take_agent(p, d, err);
	if (i->kind == ITEM_FILE) {
		take_file(i, d);
		return 0;
	}
	return take_json(i, made, d, err);
}

void item_missing(const struct item *i, const struct buf *text, json_t *made)
{
	AUTO(jsonc_free) struct jsonc_node *root = NULL;
	struct error ignored = {0};

	if (i->kind == ITEM_TABLE || i->kind == ITEM_AGENT || i->kind == ITEM_FILE ||
	    jsonc_parse(buf_text(text), text->len, &root, &ignored) < 0)
		return;
	for (size_t depth = 1; depth <= container_depth(i); depth++) {
		const char *path[PATH_KEYS + 1] = {0};
		AUTO(free) char *name = path_name(i->path, depth);

		memcpy(path, i->path, depth * sizeof(*path));
		if (!walk(root, path) && !names(made, name))
			json_array_append_new(made, json_string(name));
	}
}
