/*
 * library-workflow.c: workflows and their steps; see library.h. Which form a workflow has, a file or a
 * folder, nobody else needs to know.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "config/library-parts.h"

#define WORKFLOWS_MAX 200
#define STEPS_MAX 100

/* "01-plan" is the step "plan". */
static const char *without_number(const char *name)
{
	size_t digits = strspn(name, "0123456789");

	return digits && name[digits] == '-' && name[digits + 1] ? name + digits + 1 : name;
}

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
	struct library_page *page = library_add(steps, id);

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
	int fd = shelf_open_below(top, workflow, O_DIRECTORY, err);
	int r = fd < 0 ? fd : shelf_list(fd, workflow, &names, err);

	for (size_t i = 0; r == 0 && i < names.count; i++) {
		AUTO(free) char *file = library_page_name(names.items[i]);
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
			library_look_at(top, path, LIBRARY_HEAD_MAX, page);
		if (!w->step || w->found || strcmp(w->step, name) != 0)
			continue;
		r = shelf_read(top, path, LIBRARY_PAGE_MAX + 1, &text, err);
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
	int r = shelf_read(top, path, LIBRARY_PAGE_MAX + 1, &text, err);

	mem_replace(&head->id, name);
	if (r == ERR_NOT_FOUND && shelf_is_folder(top, name)) {
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
	return shelf_is_folder(top, entry) ? mem_strdup(entry) : library_page_name(entry);
}

static void add_workflow(int top, const char *name, bool thorough, struct library *ret)
{
	AUTO_LIBRARY struct library steps = {0};
	struct wanted w = {.heads = thorough};
	struct library_page *page = library_add(ret, name);
	struct error why = {0};

	if (library_check_id("workflow", name, &why) < 0 ||
	    read_workflow(top, name, page, &steps, &w, &why) < 0)
		page->problem = library_problem(&why);
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
	int r = shelf_open(config_dir, "workflows", &top, err), fd;

	if (r < 0 || top < 0)
		return r;
	fd = shelf_open_below(top, ".", O_DIRECTORY, err);
	r = fd < 0 ? fd : shelf_list(fd, "workflows", &names, err);
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
	return library_not_found("workflow", name, &all, where, err);
}

static int find_workflow(const char *config_dir, const char *name, struct library_page *head,
			 struct library *steps, struct wanted *w, struct error *err)
{
	AUTO_CLOSE int top = -1;
	int r = shelf_open(config_dir, "workflows", &top, err);

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
	int r = library_check_id("workflow", name, err);

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
	library_tell_names(&steps, &known);
	error_set(err, ERR_INVALID, "'%s' is a workflow; name one of its steps", name);
	return error_hint(err, "there is: %s", buf_text(&known));
}

int library_step(const char *config_dir, const char *id, struct library_page *ret,
		 struct library *ret_steps, size_t *ret_at, struct error *err)
{
	AUTO_PAGE struct library_page head = {0};
	AUTO(free) char *name = NULL;
	struct wanted w = {.heads = true, .page = ret};
	int r = library_check_id("workflow's step", id, err);

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
		return library_not_found("step", id, ret_steps, name, err);
	library_head(ret->text, strlen(ret->text), w.step, ret);
	ret->id = mem_strdup(id);
	*ret_at = w.at;
	return 0;
}
