/*
 * library.c: the folders of lessons and workflows; see library.h.
 * A name that an agent gives is walked from the folder on, one part at a time, through folders and plain
 * files only. Lists are bounded (LIBRARY_PAGES_MAX names, LIBRARY_HEAD_MAX bytes of each file), since the
 * daemon answers nobody else meanwhile.
 */
#include "config/library.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"

#define SUFFIX ".md"
#define DEPTH_MAX 4
#define LIBRARY_HEAD_MAX ((size_t)4096)
#define NAMES_TOLD 8
#define WORKFLOWS_MAX 200
#define STEPS_MAX 100

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

static struct library_page *add_page(struct library *l, const char *id)
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

static int check_id(const char *what, const char *id, struct error *err)
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
static char *page_name(const char *file)
{
	size_t len = strlen(file), tail = strlen(SUFFIX);

	if (len <= tail || file[0] == '.' || strcmp(file + len - tail, SUFFIX) != 0 ||
	    strcmp(file, "README" SUFFIX) == 0)
		return NULL;
	return mem_strndup(file, len - tail);
}

/* "01-plan" is the step "plan". */
static const char *without_number(const char *name)
{
	size_t digits = strspn(name, "0123456789");

	return digits && name[digits] == '-' && name[digits + 1] ? name + digits + 1 : name;
}

/* --- files -------------------------------------------------------------------------------- */

static int refuse(const char *path, const char *why, const char *remedy, struct error *err)
{
	error_set(err, ERR_INVALID, "'%s' %s", path, why);
	return error_hint(err, "%s", remedy);
}

/* The folder itself may be a link: it is the person's to say where it is. -1 and 0: it is not there. */
static int open_shelf(const char *config_dir, const char *shelf, int *ret, struct error *err)
{
	AUTO(free) char *path = mem_printf("%s/%s", config_dir, shelf);

	*ret = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*ret >= 0 || errno == ENOENT)
		return 0;
	return error_set_errno(err, errno, "cannot read the folder '%s'", path);
}

/* A folder or a plain file below an open folder, by a path without links. */
static int open_below(int top, const char *path, int flags, struct error *err)
{
	AUTO_CLOSE int at = dup(top);
	AUTO(free) char *parts = mem_strdup(path);
	char *part = parts, *slash;

	for (; at >= 0; part = slash + 1) {
		int next;

		slash = strchr(part, '/');
		if (slash)
			*slash = '\0';
		next = openat(at, part,
			      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC |
				      (slash ? O_DIRECTORY : flags));
		if (next < 0 || !slash) {
			if (next < 0 && (errno == ELOOP || (errno == ENOTDIR && slash)))
				return refuse(path, "is a link, or below one",
					      "put the file itself into the folder", err);
			return next >= 0 ? next
			       : errno == ENOENT
				       ? error_set(err, ERR_NOT_FOUND, "no file '%s'", path)
				       : error_set_errno(err, errno, "cannot open '%s'", path);
		}
		close(at);
		at = next;
	}
	return error_set_errno(err, errno, "cannot open '%s'", path);
}

static int check_size(const char *path, off_t size, struct error *err)
{
	if (size <= (off_t)LIBRARY_PAGE_MAX)
		return 0;
	error_set(err, ERR_INVALID, "'%s' is too long: %lld bytes, at most %zu", path,
		  (long long)size, LIBRARY_PAGE_MAX);
	return error_hint(err, "make several of it; an agent reads all of one at once");
}

static int read_all(int fd, const char *path, size_t most, struct buf *out, struct error *err)
{
	buf_reserve(out, most);
	while (out->len < most) {
		ssize_t n = read(fd, out->data + out->len, most - out->len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_set_errno(err, errno, "cannot read '%s'", path);
		if (n == 0)
			break;
		out->len += (size_t)n;
		out->data[out->len] = '\0';
	}
	return 0;
}

/* At most `most` bytes of a page, never half a character. */
static int read_page(int top, const char *path, size_t most, struct buf *out, struct error *err)
{
	AUTO_CLOSE int fd = open_below(top, path, 0, err);
	struct stat st;
	int r;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return error_set_errno(err, errno, "cannot look at '%s'", path);
	if (!S_ISREG(st.st_mode))
		return refuse(path, "is no plain file", "a page is a file of Markdown", err);
	if ((r = check_size(path, st.st_size, err)) < 0 ||
	    (r = read_all(fd, path, most, out, err)) < 0)
		return r;
	if (out->len == most) {
		out->len = text_fit(buf_text(out), most - 1);
		out->data[out->len] = '\0';
	}
	if (text_is_utf8(buf_text(out), out->len) && !memchr(buf_text(out), '\0', out->len))
		return 0;
	return refuse(path, "is not UTF-8", "save it as UTF-8 text", err);
}

static char *problem_of(const struct error *err)
{
	return mem_printf("%s%s%s%s", err->message, *err->hint ? " (" : "", err->hint,
			  *err->hint ? ")" : "");
}

/* --- folders ------------------------------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct names {
	char **items;
	size_t count;
};

static void names_fini(struct names *n)
{
	for (size_t i = 0; i < n->count; i++)
		free(n->items[i]);
	free(n->items);
}
#define AUTO_NAMES __attribute__((cleanup(names_fini)))

/* What is in a folder, in order, but for hidden things. Takes over fd. */
static int list_folder(int fd, const char *path, struct names *ret, struct error *err)
{
	DIR *dir = fdopendir(fd);
	const struct dirent *e;
	int r = 0;

	if (!dir) {
		close(fd);
		return error_set_errno(err, errno, "cannot read the folder '%s'", path);
	}
	while (r == 0 && (e = readdir(dir))) {
		if (e->d_name[0] == '.')
			continue;
		if (ret->count >= LIBRARY_PAGES_MAX) {
			r = error_set(err, ERR_INVALID, "'%s' has more than %d files", path,
				      LIBRARY_PAGES_MAX);
			break;
		}
		ret->items = mem_grow(ret->items, ret->count + 1, sizeof(*ret->items));
		ret->items[ret->count++] = mem_strdup(e->d_name);
	}
	closedir(dir);
	if (ret->count)
		qsort(ret->items, ret->count, sizeof(*ret->items), by_name);
	return r;
}

static bool is_folder(int top, const char *path)
{
	struct stat st;

	return fstatat(top, path, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

/* The page's head, or its problem. */
static void look_at(int top, const char *path, size_t most, struct library_page *page)
{
	AUTO_BUF struct buf text = {0};
	struct error err = {0};

	if (check_id("page", page->id, &err) < 0 || read_page(top, path, most, &text, &err) < 0)
		page->problem = problem_of(&err);
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
	int fd = open_below(top, *prefix ? prefix : ".", O_DIRECTORY, err);
	int r = fd < 0 ? fd : list_folder(fd, *prefix ? prefix : "lessons", &names, err);

	for (size_t i = 0; r == 0 && i < names.count; i++) {
		AUTO(free)
		char *path = mem_printf("%s%s%s", prefix, *prefix ? "/" : "", names.items[i]);
		AUTO(free) char *id = page_name(path);

		if (id && strcmp(names.items[i], "README" SUFFIX) != 0) {
			if (ret->count >= LIBRARY_PAGES_MAX)
				return error_set(err, ERR_INVALID, "there are more than %d lessons",
						 LIBRARY_PAGES_MAX);
			look_at(top, path, most, add_page(ret, id));
		} else if (is_folder(top, path) && depth_of(path) + 1 < DEPTH_MAX) {
			r = add_lessons(top, path, most, ret, err);
		}
	}
	return r;
}

int library_lessons(const char *config_dir, bool thorough, struct library *ret, struct error *err)
{
	AUTO_CLOSE int top = -1;
	int r = open_shelf(config_dir, "lessons", &top, err);

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

static void tell_names(const struct library *all, struct buf *out)
{
	for (size_t i = 0; i < all->count && i < NAMES_TOLD; i++)
		buf_printf(out, "%s%.60s", i ? ", " : "", all->pages[i].id);
	if (all->count > NAMES_TOLD)
		buf_printf(out, " and %zu more", all->count - NAMES_TOLD);
}

/* Somebody named what is not there: the nearest name, or all of them, or where it would have to be. */
static int not_found(const char *what, const char *id, const struct library *all, const char *where,
		     struct error *err)
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
	tell_names(all, &known);
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
	return not_found("lesson", id, &all, where, err);
}

int library_lesson(const char *config_dir, const char *id, struct library_page *ret,
		   struct error *err)
{
	AUTO(free) char *path = mem_printf("%s" SUFFIX, id);
	AUTO_CLOSE int top = -1;
	AUTO_BUF struct buf text = {0};
	int r;

	if ((r = check_id("lesson", id, err)) < 0 ||
	    (r = open_shelf(config_dir, "lessons", &top, err)) < 0)
		return r;
	r = top < 0 ? ERR_NOT_FOUND : read_page(top, path, LIBRARY_PAGE_MAX + 1, &text, err);
	if (r == ERR_NOT_FOUND)
		return no_lesson(config_dir, id, err);
	if (r < 0)
		return error_prefix(err, "lesson '%s'", id);
	library_head(buf_text(&text), text.len, id, ret);
	ret->id = mem_strdup(id);
	ret->text = buf_steal(&text);
	return 0;
}

/* --- workflows ---------------------------------------------------------------------------- */

/* What of a workflow is to be read, beside the names of its steps. */
struct wanted {
	bool heads;	  /* what each step says about itself */
	const char *step; /* all of this one; NULL: none */
	struct library_page *page;
	size_t at; /* which of the steps that is */
	bool found;
};

static bool is_double(const struct library *steps, const char *id)
{
	for (size_t i = 0; i + 1 < steps->count; i++)
		if (strcmp(steps->pages[i].id, id) == 0)
			return true;
	return false;
}

static void found_step(struct wanted *w, const struct library *steps, const char *name,
		       const char *text, size_t len)
{
	if (!w->step || w->found || strcmp(w->step, name) != 0)
		return;
	w->found = true;
	w->at = steps->count - 1;
	w->page->text = mem_strndup(text, len);
}

static struct library_page *add_step(struct library *steps, const char *workflow, const char *name)
{
	AUTO(free) char *id = mem_printf("%s/%s", workflow, name);
	struct library_page *page = add_page(steps, id);

	if (is_double(steps, id))
		page->problem = mem_printf("two steps are called '%s' (rename one)", id);
	return page;
}

/* NAME.md: the steps are its headings. */
static int split_file(const char *workflow, const char *text, size_t len, struct library_page *head,
		      struct library *steps, struct wanted *w, struct error *err)
{
	size_t at = 0, next;
	char *name = NULL;
	bool more = library_next_step(text, len, &at, &name);

	head->text = mem_strndup(text, at);
	while (more) {
		AUTO(free) char *own = name;
		size_t line = at + strcspn(text + at, "\n");
		struct library_page *page;

		next = line;
		more = library_next_step(text, len, &next, &name);
		if (*own && steps->count < STEPS_MAX) {
			page = add_step(steps, workflow, own);
			library_head(text + at, next - at, own, page);
			found_step(w, steps, own, text + at, next - at);
		}
		at = next;
	}
	if (steps->count)
		return 0;
	error_set(err, ERR_INVALID, "'%s" SUFFIX "' has no steps", workflow);
	return error_hint(err, "a step begins with a heading like '## plan'");
}

/* NAME/STEP.md: a file each. */
static int read_folder(int top, const char *workflow, struct library *steps, struct wanted *w,
		       struct error *err)
{
	AUTO_NAMES struct names names = {0};
	int fd = open_below(top, workflow, O_DIRECTORY, err);
	int r = fd < 0 ? fd : list_folder(fd, workflow, &names, err);

	for (size_t i = 0; r == 0 && i < names.count; i++) {
		AUTO(free) char *file = page_name(names.items[i]);
		AUTO(free) char *path = mem_printf("%s/%s", workflow, names.items[i]);
		AUTO_BUF struct buf text = {0};
		const char *name = file ? without_number(file) : NULL;
		struct library_page *page;

		if (!file)
			continue;
		if (steps->count >= STEPS_MAX)
			return error_set(err, ERR_INVALID, "it has more than %d steps", STEPS_MAX);
		page = add_step(steps, workflow, name);
		if (w->heads && !page->problem)
			look_at(top, path, LIBRARY_HEAD_MAX, page);
		if (!w->step || w->found || strcmp(w->step, name) != 0)
			continue;
		r = read_page(top, path, LIBRARY_PAGE_MAX + 1, &text, err);
		if (r == 0)
			found_step(w, steps, name, buf_text(&text), text.len);
	}
	if (r < 0 || steps->count)
		return r;
	error_set(err, ERR_INVALID, "the folder '%s' has no steps", workflow);
	return error_hint(err, "a step is a file, as '%s/plan" SUFFIX "'", workflow);
}

static int read_workflow(int top, const char *name, struct library_page *head,
			 struct library *steps, struct wanted *w, struct error *err)
{
	AUTO(free) char *path = mem_printf("%s" SUFFIX, name);
	AUTO_BUF struct buf text = {0};
	int r = read_page(top, path, LIBRARY_PAGE_MAX + 1, &text, err);

	mem_replace(&head->id, name);
	if (r == ERR_NOT_FOUND && is_folder(top, name)) {
		r = read_folder(top, name, steps, w, err);
		head->title = mem_strdup(name);
		head->summary = mem_strdup("");
		head->text = mem_strdup("");
		return r;
	}
	if (r < 0)
		return r;
	library_head(buf_text(&text), text.len, name, head);
	return split_file(name, buf_text(&text), text.len, head, steps, w, err);
}

static void note_steps(const struct library *steps, struct library_page *page)
{
	for (size_t i = 0; !page->problem && i < steps->count; i++)
		page->problem = mem_strdup(steps->pages[i].problem);
}

/* "plan" for both plan.md and the folder plan; the file is what is read. */
static char *workflow_name(int top, const char *entry)
{
	return is_folder(top, entry) ? mem_strdup(entry) : page_name(entry);
}

static void add_workflow(int top, const char *name, bool thorough, struct library *ret)
{
	AUTO_LIBRARY struct library steps = {0};
	struct wanted w = {.heads = thorough};
	struct library_page *page = add_page(ret, name);
	struct error why = {0};

	if (check_id("workflow", name, &why) < 0 ||
	    read_workflow(top, name, page, &steps, &w, &why) < 0)
		page->problem = problem_of(&why);
	page->step_count = steps.count;
	note_steps(&steps, page);
}

static bool is_listed(const struct library *l, const char *name)
{
	for (size_t i = 0; i < l->count; i++)
		if (strcmp(l->pages[i].id, name) == 0)
			return true;
	return false;
}

int library_workflows(const char *config_dir, bool thorough, struct library *ret, struct error *err)
{
	AUTO_NAMES struct names names = {0};
	AUTO_CLOSE int top = -1;
	int r = open_shelf(config_dir, "workflows", &top, err), fd;

	if (r < 0 || top < 0)
		return r;
	fd = open_below(top, ".", O_DIRECTORY, err);
	r = fd < 0 ? fd : list_folder(fd, "workflows", &names, err);
	for (size_t i = 0; r == 0 && i < names.count; i++) {
		AUTO(free) char *name = workflow_name(top, names.items[i]);

		if (!name || is_listed(ret, name))
			continue;
		if (ret->count >= WORKFLOWS_MAX)
			return error_set(err, ERR_INVALID, "there are more than %d workflows",
					 WORKFLOWS_MAX);
		add_workflow(top, name, thorough, ret);
	}
	return r;
}

static int no_workflow(const char *config_dir, const char *name, struct error *err)
{
	AUTO(free) char *where = mem_printf("%s/workflows/%s" SUFFIX, config_dir, name);
	AUTO_LIBRARY struct library all = {0};
	struct error none = {0};

	library_workflows(config_dir, false, &all, &none);
	return not_found("workflow", name, &all, where, err);
}

static int find_workflow(const char *config_dir, const char *name, struct library_page *head,
			 struct library *steps, struct wanted *w, struct error *err)
{
	AUTO_CLOSE int top = -1;
	int r = open_shelf(config_dir, "workflows", &top, err);

	if (r < 0)
		return r;
	r = top < 0 ? ERR_NOT_FOUND : read_workflow(top, name, head, steps, w, err);
	if (r == ERR_NOT_FOUND)
		return no_workflow(config_dir, name, err);
	return r < 0 ? error_prefix(err, "workflow '%s'", name) : 0;
}

int library_workflow(const char *config_dir, const char *name, struct library_page *ret,
		     struct library *ret_steps, struct error *err)
{
	int r = check_id("workflow", name, err);

	if (r < 0)
		return r;
	if (strchr(name, '/'))
		return no_workflow(config_dir, name, err);
	return find_workflow(config_dir, name, ret, ret_steps, &(struct wanted){.heads = true},
			     err);
}

static int name_a_step(const char *config_dir, const char *name, struct error *err)
{
	AUTO_LIBRARY struct library steps = {0};
	AUTO_PAGE struct library_page head = {0};
	AUTO_BUF struct buf known = {0};
	int r = find_workflow(config_dir, name, &head, &steps, &(struct wanted){0}, err);

	if (r < 0)
		return r;
	tell_names(&steps, &known);
	error_set(err, ERR_INVALID, "'%s' is a workflow; name one of its steps", name);
	return error_hint(err, "there is: %s", buf_text(&known));
}

int library_step(const char *config_dir, const char *id, struct library_page *ret,
		 struct library *ret_steps, size_t *ret_at, struct error *err)
{
	AUTO_PAGE struct library_page head = {0};
	AUTO(free) char *name = NULL;
	struct wanted w = {.heads = true, .page = ret};
	int r = check_id("workflow's step", id, err);

	if (r < 0)
		return r;
	w.step = strchr(id, '/');
	if (!w.step++)
		return name_a_step(config_dir, id, err);
	name = mem_strndup(id, (size_t)(w.step - id) - 1);
	r = find_workflow(config_dir, name, &head, ret_steps, &w, err);
	if (r < 0)
		return r;
	if (!w.found)
		return not_found("step", id, ret_steps, name, err);
	library_head(ret->text, strlen(ret->text), w.step, ret);
	ret->id = mem_strdup(id);
	*ret_at = w.at;
	return 0;
}
