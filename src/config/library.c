/*
 * library.c: lessons, and what workflows share with them; see library.h. Lists are bounded
 * (LIBRARY_PAGES_MAX names, LIBRARY_HEAD_MAX bytes of each file), since the daemon answers nobody else
 * meanwhile.
 */
#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "config/library-parts.h"

#define DEPTH_MAX 4
#define NAMES_TOLD 8

void library_page_fini(struct library_page *p)
{
	free(p->id);
	free(p->title);
	free(p->summary);
	free(p->text);
	free(p->problem);
	*p = (struct library_page){0};
}

void library_fini(struct library *l)
{
	for (size_t i = 0; i < l->count; i++)
		library_page_fini(&l->pages[i]);
	free(l->pages);
	*l = (struct library){0};
}

struct library_page *library_add(struct library *l, const char *id)
{
	l->pages = mem_grow(l->pages, l->count + 1, sizeof(*l->pages));
	l->pages[l->count] = (struct library_page){.id = mem_strdup(id)};
	return &l->pages[l->count++];
}

/* --- names -------------------------------------------------------------------------------- */

/* How much of a text is a part of a name. */
static size_t part_len(const char *text)
{
	size_t len = 0;

	while (islower((unsigned char)text[len]) || isdigit((unsigned char)text[len]) ||
	       text[len] == '-' || text[len] == '_')
		len++;
	return len;
}

int library_check_id(const char *what, const char *id, struct error *err)
{
	const char *p = id;
	int depth = 0;

	for (; strlen(id) <= LIBRARY_ID_MAX && depth < DEPTH_MAX; p++, depth++) {
		size_t len = part_len(p);

		if (!len || (p[len] && p[len] != '/'))
			break;
		p += len;
		if (!*p)
			return 0;
	}
	error_set(err, ERR_INVALID, "'%.80s' is no name of a %s", id, what);
	return error_hint(err, "names have a-z, 0-9, '-' and '_', and '/' between their parts");
}

/* "plan.md" is "plan"; NULL: it is no page of ours. The caller frees. */
char *library_page_name(const char *file)
{
	size_t len = strlen(file), tail = strlen(SUFFIX);

	if (len <= tail || file[0] == '.' || strcmp(file + len - tail, SUFFIX) != 0 ||
	    strcmp(file, "README" SUFFIX) == 0)
		return NULL;
	return mem_strndup(file, len - tail);
}

/* --- lists -------------------------------------------------------------------------------- */

char *library_problem(const struct error *err)
{
	return mem_printf("%s%s%s%s", err->message, *err->hint ? " (" : "", err->hint,
			  *err->hint ? ")" : "");
}

/* The page's head, or its problem. */
void library_look_at(int top, const char *path, size_t most, struct library_page *page)
{
	AUTO_BUF struct buf text = {0};
	struct error err = {0};

	if (library_check_id("page", page->id, &err) < 0 ||
	    shelf_read(top, path, most, &text, &err) < 0)
		page->problem = library_problem(&err);
	else
		library_head(buf_text(&text), text.len, page->id, page);
}

static size_t depth_of(const char *path)
{
	size_t depth = 0;

	for (; *path; path++)
		depth += *path == '/';
	return depth;
}

static int add_lessons(int top, const char *prefix, size_t most, struct library *ret,
		       struct error *err)
{
	AUTO_NAMES struct names names = {0};
	int fd = shelf_open_below(top, *prefix ? prefix : ".", O_DIRECTORY, err);
	int r = fd < 0 ? fd : shelf_list(fd, *prefix ? prefix : "lessons", &names, err);

	for (size_t i = 0; r == 0 && i < names.count; i++) {
		AUTO(free)
		char *path = mem_printf("%s%s%s", prefix, *prefix ? "/" : "", names.items[i]);
		AUTO(free) char *id = library_page_name(path);

		if (id && strcmp(names.items[i], "README" SUFFIX) != 0) {
			if (ret->count >= LIBRARY_PAGES_MAX)
				return error_set(err, ERR_INVALID, "there are more than %d lessons",
						 LIBRARY_PAGES_MAX);
			library_look_at(top, path, most, library_add(ret, id));
		} else if (shelf_is_folder(top, path) && depth_of(path) + 1 < DEPTH_MAX) {
			r = add_lessons(top, path, most, ret, err);
		}
	}
	return r;
}

int library_lessons(const char *config_dir, bool thorough, struct library *ret, struct error *err)
{
	AUTO_CLOSE int top = -1;
	int r = shelf_open(config_dir, "lessons", &top, err);

	if (r < 0 || top < 0)
		return r;
	return add_lessons(top, "", thorough ? LIBRARY_PAGE_MAX + 1 : LIBRARY_HEAD_MAX, ret, err);
}

/* --- what is not there -------------------------------------------------------------------- */

static const char *last_part(const char *id)
{
	const char *slash = strrchr(id, '/');

	return slash ? slash + 1 : id;
}

void library_tell_names(const struct library *all, struct buf *out)
{
	for (size_t i = 0; i < all->count && i < NAMES_TOLD; i++)
		buf_printf(out, "%s%.60s", i ? ", " : "", all->pages[i].id);
	if (all->count > NAMES_TOLD)
		buf_printf(out, " and %zu more", all->count - NAMES_TOLD);
}

/* Somebody named what is not there: the nearest name, or all of them, or where it would have to be. */
int library_not_found(const char *what, const char *id, const struct library *all,
		      const char *where, struct error *err)
{
	const char **names = mem_array(all->count + 1, sizeof(char *));
	AUTO_BUF struct buf known = {0};
	const char *near;

	for (size_t i = 0; i < all->count; i++)
		names[i] = all->pages[i].id;
	near = text_nearest(id, names, all->count);
	/* The folder may be what was left out. */
	for (size_t i = 0; !near && i < all->count; i++)
		if (strcmp(last_part(names[i]), last_part(id)) == 0)
			near = names[i];
	free(names);
	library_tell_names(all, &known);
	error_set(err, ERR_NOT_FOUND, "no %s '%.80s'", what, id);
	if (near)
		return error_hint(err, "did you mean '%s'?", near);
	if (all->count)
		return error_hint(err, "there is: %s", buf_text(&known));
	return error_hint(err, "it would be the file '%s'", where);
}

/* --- one lesson --------------------------------------------------------------------------- */

static int no_lesson(const char *config_dir, const char *id, struct error *err)
{
	AUTO(free) char *where = mem_printf("%s/lessons/%s" SUFFIX, config_dir, id);
	AUTO_LIBRARY struct library all = {0};
	struct error none = {0};

	library_lessons(config_dir, false, &all, &none);
	return library_not_found("lesson", id, &all, where, err);
}

int library_lesson(const char *config_dir, const char *id, struct library_page *ret,
		   struct error *err)
{
	AUTO(free) char *path = mem_printf("%s" SUFFIX, id);
	AUTO_CLOSE int top = -1;
	AUTO_BUF struct buf text = {0};
	int r;

	if ((r = library_check_id("lesson", id, err)) < 0 ||
	    (r = shelf_open(config_dir, "lessons", &top, err)) < 0)
		return r;
	r = top < 0 ? ERR_NOT_FOUND : shelf_read(top, path, LIBRARY_PAGE_MAX + 1, &text, err);
	if (r == ERR_NOT_FOUND)
		return no_lesson(config_dir, id, err);
	if (r < 0)
		return error_prefix(err, "lesson '%s'", id);
	library_head(buf_text(&text), text.len, id, ret);
	ret->id = mem_strdup(id);
	ret->text = buf_steal(&text);
	return 0;
}
