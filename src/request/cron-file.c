/*
 * cron-file.c: config.yml under the hands of a command.
 * An editor is shown one cron, put together from its settings, and what comes back is compared with
 * the file setting by setting: only what somebody changed is touched, so the comments between them
 * stay, although the editor never showed them.
 */
#include "request/cron-file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

#define FILE_MAX ((size_t)1024 * 1024)
#define MODE_NEW 0600

void cron_file_fini(struct cron_file *f)
{
	free(f->name);
	free(f->target);
	buf_fini(&f->text);
	buf_fini(&f->edited);
	config_free(f->before);
	config_free(f->after);
}

/* The other end of a link is what is replaced: a link into a repository of dotfiles stays one. */
static int find_target(struct cron_file *f, struct error *err)
{
	struct stat st;

	f->mode = MODE_NEW;
	if (lstat(f->name, &st) < 0) {
		if (errno != ENOENT)
			return error_set_errno(err, errno, "cannot look at '%s'", f->name);
		f->target = mem_strdup(f->name);
		return 0;
	}
	f->target = realpath(f->name, NULL);
	if (!f->target && S_ISLNK(st.st_mode) && errno == ENOENT) {
		error_set(err, ERR_UNAVAILABLE, "'%s' is a link to a file that is not there",
			  f->name);
		return error_hint(err, "make that file, or remove the link");
	}
	if (!f->target || stat(f->target, &st) < 0)
		return error_set_errno(err, errno, "cannot look at '%s'", f->name);
	f->mode = st.st_mode & 07777;
	return 0;
}

int cron_file_read(struct cron_file *f, const char *path, struct error *err)
{
	int rc;

	f->name = mem_strdup(path);
	if ((rc = find_target(f, err)) < 0)
		return rc;
	rc = file_read(f->target, FILE_MAX, &f->text, err);
	if (rc < 0 && rc != ERR_NOT_FOUND)
		return rc;
	rc = config_parse(buf_text(&f->text), f->text.len, f->name, &f->before, err);
	if (rc >= 0)
		return 0;
	error_prefix(err, "the file cannot be used as it is, nothing was changed");
	return *err->hint ? rc : error_hint(err, "mend it, then look: belfry config check");
}

int cron_file_find(const struct cron_file *f, const char *name, struct error *err)
{
	const struct config *c = f->before;
	const char **names, *near;

	if (config_cron(c, name))
		return 0;
	names = mem_array(c->cron_count + 1, sizeof(char *));
	for (size_t i = 0; i < c->cron_count; i++)
		names[i] = c->crons[i].name;
	near = text_nearest(name, names, c->cron_count);
	free(names);
	error_set(err, ERR_NOT_FOUND, "no cron '%s'", name);
	if (near)
		return error_hint(err, "did you mean '%s'?", near);
	return error_hint(err, c->cron_count ? "'belfry cron ls' lists them"
					     : "there are none yet; add one: belfry cron add");
}

static int make_folder(const char *path, struct error *err)
{
	AUTO(free) char *folder = mem_strdup(path);
	char *slash = strrchr(folder, '/');
	struct stat st;

	if (!slash || slash == folder)
		return 0;
	*slash = '\0';
	return stat(folder, &st) == 0 ? 0 : dir_make_private(folder, err);
}

int cron_file_write(const struct cron_file *f, struct error *err)
{
	int rc = make_folder(f->target, err);

	if (rc >= 0)
		rc = file_write(f->target, buf_text(&f->edited), f->edited.len, err);
	if (rc < 0) {
		if (!*err->hint)
			error_hint(err, "nothing was changed; the daemon must be able to write it");
		return rc;
	}
	/* It is written already, and stays private when this fails. */
	if (f->mode != MODE_NEW && chmod(f->target, f->mode) < 0)
		return error_set_errno(err, errno, "'%s' was written, but not given its mode %04o",
				       f->target, f->mode);
	return 0;
}

/* --- one cron as a text --- */

static const struct yaml_node *value_of(const struct yaml_node *map, const char *key)
{
	if (!map || map->kind != YAML_MAP)
		return NULL;
	for (size_t i = 0; i + 1 < map->count; i += 2)
		if (strcmp(map->items[i]->text, key) == 0)
			return map->items[i + 1];
	return NULL;
}

const struct yaml_node *cron_node(const struct yaml *yaml, const char *name)
{
	const struct yaml_node *cron = value_of(value_of(yaml_root(yaml), "crons"), name);

	return cron && cron->kind == YAML_MAP ? cron : NULL;
}

/* A list as it can stand in one line. Texts in it are words. */
static char *list_text(const struct yaml_node *list)
{
	struct buf text = {0};

	buf_add_char(&text, '[');
	for (size_t i = 0; i < list->count; i++)
		buf_printf(&text, "%s%s", i ? ", " : "",
			   list->items[i]->kind == YAML_TEXT ? list->items[i]->text : "?");
	buf_add_char(&text, ']');
	return buf_steal(&text);
}

static bool is_number_or_word(const char *text)
{
	return *text && (!text[strspn(text, "0123456789")] || strcmp(text, "true") == 0 ||
			 strcmp(text, "false") == 0);
}

/* Keep a copy that lives as long as the changes. */
static const char *own(struct cron_changes *c, char *text)
{
	c->owned[c->owned_count++] = text;
	return text;
}

static int add_change(struct cron_changes *c, const struct yaml_node *key,
		      const struct yaml_node *value, struct error *err)
{
	struct edit_setting *item;

	if (c->count == CRON_CHANGES_MAX)
		return error_set(err, ERR_INVALID, "a cron with more than %d settings",
				 CRON_CHANGES_MAX);
	if (value && value->kind == YAML_MAP) {
		error_set(err, ERR_INVALID, "line %d: '%s' cannot be a mapping", value->line,
			  key->text);
		return error_hint(err, "settings of a cron are texts, numbers and lists");
	}
	item = &c->items[c->count++];
	item->key = own(c, mem_strdup(key->text));
	item->value = NULL;
	if (!value || value->kind == YAML_EMPTY)
		return 0;
	item->plain = value->kind == YAML_LIST || is_number_or_word(value->text);
	item->value = own(c, value->kind == YAML_LIST ? list_text(value) : mem_strdup(value->text));
	return 0;
}

void cron_changes_fini(struct cron_changes *c)
{
	for (size_t i = 0; i < c->owned_count; i++)
		free(c->owned[i]);
}

int cron_file_block(const struct cron_file *f, const char *name, struct buf *ret, struct error *err)
{
	AUTO(yaml_free) struct yaml *yaml = NULL;
	AUTO_CRON_CHANGES struct cron_changes all = {0};
	const struct yaml_node *cron;
	int rc = yaml_parse(buf_text(&f->text), f->text.len, f->name, &yaml, err);

	if (rc < 0)
		return rc;
	cron = cron_node(yaml, name);
	for (size_t i = 0; cron && i + 1 < cron->count && rc >= 0; i += 2)
		rc = add_change(&all, cron->items[i], cron->items[i + 1], err);
	return rc < 0 ? rc : edit_cron_add("", 0, name, all.items, all.count, ret, err);
}

static bool same_value(const struct yaml_node *a, const struct yaml_node *b)
{
	AUTO(free) char *one = NULL, *other = NULL;

	if (!a || !b || a->kind != b->kind)
		return false;
	if (a->kind == YAML_TEXT)
		return strcmp(a->text, b->text) == 0;
	if (a->kind != YAML_LIST)
		return a->kind == YAML_EMPTY;
	one = list_text(a);
	other = list_text(b);
	return strcmp(one, other) == 0;
}

/* The block must be that one cron and nothing else: other edits would be lost in silence. */
static int find_block(const struct yaml *yaml, const char *name, const struct yaml_node **ret,
		      struct error *err)
{
	const struct yaml_node *root = yaml_root(yaml), *crons = value_of(root, "crons");

	if (root->kind == YAML_EMPTY) {
		error_set(err, ERR_INVALID, "the text is empty");
		return error_hint(err, "to remove the cron: belfry cron rm %s", name);
	}
	*ret = cron_node(yaml, name);
	if (*ret && root->count == 2 && crons->count == 2)
		return 0;
	error_set(err, ERR_INVALID, "the text must be the cron '%s' and nothing else", name);
	return error_hint(err, "a cron keeps its name; others are edited on their own");
}

int cron_changes_read(const struct cron_file *f, const char *name, const char *block,
		      struct cron_changes *ret, struct error *err)
{
	AUTO(yaml_free) struct yaml *was = NULL, *is = NULL;
	const struct yaml_node *old, *new = NULL;
	int rc;

	if ((rc = yaml_parse(buf_text(&f->text), f->text.len, f->name, &was, err)) < 0 ||
	    (rc = yaml_parse(block, strlen(block), "text", &is, err)) < 0 ||
	    (rc = find_block(is, name, &new, err)) < 0)
		return rc;
	old = cron_node(was, name);
	for (size_t i = 0; i + 1 < new->count &&rc >= 0; i += 2)
		if (!same_value(value_of(old, new->items[i]->text), new->items[i + 1]))
			rc = add_change(ret, new->items[i], new->items[i + 1], err);
	for (size_t i = 0; old && i + 1 < old->count && rc >= 0; i += 2)
		if (!value_of(new, old->items[i]->text))
			rc = add_change(ret, old->items[i], NULL, err);
	return rc;
}
