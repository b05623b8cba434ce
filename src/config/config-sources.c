/*
 * config-sources.c: agentTemplates and syncedRepos, what missions get a copy of.
 * A source is a folder or something git clones. Folders are told by how they are written, or by
 * being there; a repository in a folder says so by its name (.git), by being bare, or by `git: true`,
 * because most folders people work in are repositories too and should be copied as they are.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "config/path.h"
#include "config/read.h"

#define NAME_MAX_LEN 200

void config_source_fini(struct config_source *source)
{
	free(source->name);
	free(source->origin);
}

/* One part of a name: it becomes a folder inside a mission, so it must not lead out of it. */
static bool is_part(const char *part, size_t len)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789._-";

	if (len == 0 || part[0] == '-' || strspn(part, allowed) < len)
		return false;
	return !(len == 1 && part[0] == '.') && !(len == 2 && memcmp(part, "..", 2) == 0) &&
	       !(len == 4 && memcmp(part, ".git", 4) == 0);
}

static bool is_source_name(const char *name)
{
	if (strlen(name) > NAME_MAX_LEN)
		return false;
	for (;;) {
		size_t len = strcspn(name, "/");

		if (!is_part(name, len))
			return false;
		if (!name[len])
			return true;
		name += len + 1;
	}
}

int read_source_name(struct reader *r, const struct yaml_node *name, const char *what)
{
	if (is_source_name(name->text) && strcmp(name->text, "me") != 0)
		return 0;
	read_fail(r, name, "'%s' is not a name for a %s", name->text, what);
	return error_hint(r->err, "letters, digits, '.', '_' and '-', in parts with '/' between, "
				  "as in github.com/owner/name");
}

/* Something like "github.com/owner/name": a host with a dot, and a path. */
static bool is_host_path(const char *text)
{
	size_t host = strcspn(text, "/:@");
	const char *dot = memchr(text, '.', host);

	return text[host] == '/' && text[host + 1] && dot && dot > text;
}

/* What git takes as it is: a URL, or "host:path". */
static bool is_url(const char *text)
{
	const char *colon = strchr(text, ':');

	return colon && colon > text && colon[1] && !memchr(text, '/', (size_t)(colon - text));
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_bare(const char *folder)
{
	AUTO(free) char *objects = mem_printf("%s/objects", folder);
	AUTO(free) char *refs = mem_printf("%s/refs", folder);
	AUTO(free) char *head = mem_printf("%s/HEAD", folder);
	struct stat st;

	return is_folder(objects) && is_folder(refs) && stat(head, &st) == 0 && S_ISREG(st.st_mode);
}

static bool ends_in_git(const char *path)
{
	size_t len = strlen(path);

	return len > 4 && strcmp(path + len - 4, ".git") == 0;
}

/* A folder of this machine. */
static void set_folder(struct config_source *ret, char *path, bool is_git)
{
	ret->is_git = is_git || ends_in_git(path) || is_bare(path);
	ret->origin = path;
}

static int read_origin(struct reader *r, const struct yaml_node *node, bool is_git,
		       struct config_source *ret)
{
	AUTO(free) char *path = NULL;
	const char *text = node->text;

	if (text[0] == '-') /* git would take it for an option */
		return read_fail(r, node, "'%s' is not a source", text);
	if (!is_url(text) && path_absolute(text, r->folder, &path, r->err) < 0)
		return read_place(r, node);
	if (path && (strchr("/~.", text[0]) || is_folder(path))) {
		set_folder(ret, steal_ptr(&path), is_git);
		return 0;
	}
	ret->is_git = true;
	if (is_url(text))
		ret->origin = mem_strdup(text);
	else if (is_host_path(text))
		ret->origin = mem_printf("https://%s", text);
	if (ret->origin)
		return 0;
	read_fail(r, node, "source '%s' is neither a folder nor a repository", text);
	return error_hint(r->err, "a URL, or a folder that begins with '/', '~/' or './'");
}

int read_source(struct reader *r, const struct yaml_node *name, const struct source_reading *from,
		struct config_source *ret)
{
	ret->name = mem_strdup(name->text);
	if (from->source)
		return read_origin(r, from->source, from->is_git, ret);
	if (!is_host_path(name->text)) {
		read_fail(r, name, "'%s' has no source", name->text);
		return error_hint(r->err, "add 'source:' with a URL or a folder; only a name like "
					  "github.com/owner/name needs none");
	}
	ret->origin = mem_printf("https://%s", name->text);
	ret->is_git = true;
	return 0;
}

int read_set_source(struct reader *r, const struct yaml_node *value, void *target)
{
	(void)r;
	((struct source_reading *)target)->source = value;
	return 0;
}

int read_set_git(struct reader *r, const struct yaml_node *value, void *target)
{
	return read_bool(r, value, "git", &((struct source_reading *)target)->is_git);
}

/* clang-format off */
static const struct key repo_keys[] = {
	{"source", TAKES_TEXT, read_set_source},
	{"git",    TAKES_TEXT, read_set_git},
};
/* clang-format on */
PUBLISH_KEYS(repo_keys);

/* `value` NULL: it stands in a list, by its name alone. */
static int read_repo(struct reader *r, const struct yaml_node *name, const struct yaml_node *value)
{
	struct config *c = r->config;
	struct source_reading reading = {0};

	if (name->kind != YAML_TEXT)
		return read_fail(r, name, "'syncedRepos' is a list of names, or a mapping");
	if (read_source_name(r, name, "repository") < 0)
		return r->err->code;
	if (config_repo(c, name->text))
		return read_fail(r, name, "repository '%s' stands twice", name->text);
	if (value && value->kind != YAML_EMPTY &&
	    (read_kind(r, name->text, name, value, TAKES_MAP) < 0 ||
	     read_mapping(r, value, KEYS(repo_keys), &reading) < 0))
		return r->err->code;
	return read_source(r, name, &reading, &c->repos[c->repo_count++]);
}

int read_repos(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config *c = target;
	bool map = value->kind == YAML_MAP;
	int result = 0;

	c->repos = mem_array(value->count, sizeof(*c->repos));
	for (size_t i = 0; i < value->count && result >= 0; i += map ? 2 : 1)
		result = read_repo(r, value->items[i], map ? value->items[i + 1] : NULL);
	return result;
}
