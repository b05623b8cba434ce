/*
 * lesson.c: lessons and workflows: Markdown that agents are told to read when it matters.
 * They are files beside config.yml (config/library.h), read when somebody asks: what a person has just
 * written is what the next agent is told.
 */
#include <string.h>

#include "base/mem.h"
#include "config/library.h"
#include "engine/engine.h"
#include "request/rows.h"
#include "request/tool.h"

/* The folder of config.yml. The caller frees. */
static char *config_folder(const struct request *rq)
{
	const char *path = engine_config(rq->engine)->path;
	const char *slash = strrchr(path, '/');

	return slash ? mem_strndup(path, (size_t)(slash - path)) : mem_strdup(".");
}

static json_t *json_page(const struct library_page *page, const char *key)
{
	json_t *o = json_object();

	json_put_text(o, key, page->id);
	json_put_text(o, "title", page->title);
	json_put_text(o, "summary", page->summary);
	return o;
}

static json_t *json_pages(const struct library *l, const char *key)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < l->count; i++) {
		json_t *row = json_page(&l->pages[i], key);

		json_put_text(row, "problem", l->pages[i].problem);
		json_array_append_new(rows, row);
	}
	return rows;
}

char *lesson_missing(const struct request *rq, const char *ids)
{
	AUTO(free) char *folder = config_folder(rq);
	AUTO(json_decref) json_t *list = ids ? json_loads(ids, 0, NULL) : NULL;
	AUTO_BUF struct buf missing = {0};
	const json_t *id;
	size_t i;

	json_array_foreach(list, i, id)
	{
		AUTO_PAGE struct library_page page = {0};
		struct error err = {0};

		if (library_lesson(folder, json_string_value(id), &page, &err) == ERR_NOT_FOUND)
			buf_printf(&missing, "%s'%s'", missing.len ? ", " : "",
				   json_string_value(id));
	}
	return missing.len ? mem_printf("there is no lesson %s now; it is kept, for it may be "
					"written until then",
					buf_text(&missing))
			   : NULL;
}

/* --- lessons ------------------------------------------------------------------------------ */

static int exec_lessons(const struct request *rq, const json_t *args, json_t **ret,
			struct error *err)
{
	AUTO(free) char *folder = config_folder(rq);
	AUTO_LIBRARY struct library all = {0};
	int rc = library_lessons(folder, false, &all, err);

	(void)args;
	if (rc < 0)
		return rc;
	*ret = json_object();
	json_put(*ret, "lessons", json_pages(&all, "id"));
	return 0;
}

const struct request_row lesson_list_row = {
	.name = "lesson list",
	.summary = "list the lessons: what agents can be told to read",
	.details = "A lesson is a file of Markdown, lessons/ID.md beside config.yml. Its first "
		   "heading is its title, its first paragraph the summary.",
	.args = (const struct request_arg[]){{0}},
	.flags = REQUEST_READS | REQUEST_OWN,
	.exec = exec_lessons,
};

static int exec_lesson(const struct request *rq, const json_t *args, json_t **ret,
		       struct error *err)
{
	AUTO(free) char *folder = config_folder(rq);
	AUTO_PAGE struct library_page page = {0};
	int rc = library_lesson(folder, json_string_value(json_object_get(args, "id")), &page, err);

	if (rc < 0)
		return rc;
	*ret = json_page(&page, "id");
	json_put_text(*ret, "text", page.text);
	return 0;
}

const struct request_row lesson_show_row = {
	.name = "lesson show",
	.summary = "print a lesson, as agents read it",
	.examples = "belfry lesson show error-handling",
	.args = (const struct request_arg[]){{"id", 0, ARG_LESSON, "ID",
					      "which one: lessons/ID.md without its folder and "
					      "'.md'",
					      NULL, true, true},
					     {0}},
	.flags = REQUEST_READS | REQUEST_OWN,
	.exec = exec_lesson,
};

static void say_text(const json_t *result, struct buf *out)
{
	buf_add_str(out, json_string_value(json_object_get(result, "text")));
}

const struct request_row tool_get_lesson_row = {
	.name = "tool get_lesson",
	.summary = "read a lesson",
	.args = (const struct request_arg[]){{"id", 0, ARG_LESSON, "ID",
					      "the lesson's id, as a reminder names it: "
					      "\"error-handling\"",
					      NULL, false, true},
					     {0}},
	.flags = REQUEST_READS | REQUEST_HIDDEN,
	.exec = exec_lesson,
	.tool =
		&(const struct request_tool){
			.name = "get_lesson",
			.title = "Read a lesson",
			.description =
				"Read a lesson: advice in Markdown that the person keeps for "
				"agents "
				"under lessons/. Call it when a reminder names one, as in "
				"get_lesson(\"error-handling\"), and follow what it says. An "
				"unknown id is answered with the nearest ones.",
			.trust = TRUST_INNER,
			.hints = TOOL_READS | TOOL_IDEMPOTENT,
			.output = "{\"type\":\"object\",\"properties\":{"
				  "\"id\":{\"type\":\"string\"},"
				  "\"title\":{\"type\":\"string\"},"
				  "\"summary\":{\"type\":\"string\",\"description\":\"its first "
				  "paragraph\"},"
				  "\"text\":{\"type\":\"string\",\"description\":\"all of it, "
				  "Markdown\"}},"
				  "\"required\":[\"id\",\"title\",\"summary\",\"text\"],"
				  "\"additionalProperties\":false}",
			.say = say_text},
};

/* --- workflows ---------------------------------------------------------------------------- */

static int exec_workflows(const struct request *rq, const json_t *args, json_t **ret,
			  struct error *err)
{
	AUTO(free) char *folder = config_folder(rq);
	AUTO_LIBRARY struct library all = {0};
	json_t *rows;
	int rc = library_workflows(folder, false, &all, err);

	(void)args;
	if (rc < 0)
		return rc;
	rows = json_pages(&all, "name");
	for (size_t i = 0; i < all.count; i++)
		json_put_int(json_array_get(rows, i), "steps", (int64_t)all.pages[i].step_count);
	*ret = json_object();
	json_put(*ret, "workflows", rows);
	return 0;
}

const struct request_row workflow_list_row = {
	.name = "workflow list",
	.summary = "list the workflows, and how many steps each has",
	.details = "A workflow is a file of Markdown, workflows/NAME.md beside config.yml, whose "
		   "headings of the second level ('## Plan') begin its steps; or a folder, "
		   "workflows/NAME/, with a file for each step, in the order of their names "
		   "(01-plan.md is the step 'plan').",
	.args = (const struct request_arg[]){{0}},
	.flags = REQUEST_READS | REQUEST_OWN,
	.exec = exec_workflows,
};

static void put_neighbour(json_t *o, const char *key, const struct library *steps, size_t at)
{
	json_put_text(o, key, at < steps->count ? steps->pages[at].id : NULL);
}

static int exec_step(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	const char *id = json_string_value(json_object_get(args, "step"));
	AUTO(free) char *folder = config_folder(rq);
	AUTO_PAGE struct library_page page = {0};
	AUTO_LIBRARY struct library steps = {0};
	size_t at = 0;
	int rc = library_step(folder, id, &page, &steps, &at, err);

	if (rc < 0)
		return rc;
	*ret = json_page(&page, "step");
	json_put(*ret, "workflow", json_stringn(id, strcspn(id, "/")));
	json_put_text(*ret, "text", page.text);
	json_put_int(*ret, "number", (int64_t)at + 1);
	json_put_int(*ret, "count", (int64_t)steps.count);
	put_neighbour(*ret, "next", &steps, at + 1);
	return 0;
}

static int exec_workflow(const struct request *rq, const json_t *args, json_t **ret,
			 struct error *err)
{
	const char *name = json_string_value(json_object_get(args, "step"));
	AUTO(free) char *folder = NULL;
	AUTO_PAGE struct library_page page = {0};
	AUTO_LIBRARY struct library steps = {0};
	int rc;

	if (strchr(name, '/'))
		return exec_step(rq, args, ret, err);
	folder = config_folder(rq);
	rc = library_workflow(folder, name, &page, &steps, err);
	if (rc < 0)
		return rc;
	*ret = json_page(&page, "name");
	json_put_text(*ret, "text", page.text);
	json_put(*ret, "steps", json_pages(&steps, "step"));
	return 0;
}

const struct request_row workflow_show_row = {
	.name = "workflow show",
	.summary = "print a workflow and its steps, or one step, as agents read it",
	.examples = "belfry workflow show bug-fix\nbelfry workflow show bug-fix/investigate",
	.args = (const struct request_arg[]){{"step", 0, ARG_WORKFLOW, "NAME[/STEP]",
					      "which one, and which of its steps", NULL, true,
					      true},
					     {0}},
	.flags = REQUEST_READS | REQUEST_OWN,
	.exec = exec_workflow,
};

static void say_step(const json_t *result, struct buf *out)
{
	const char *next = json_string_value(json_object_get(result, "next"));
	const char *text = json_string_value(json_object_get(result, "text"));
	size_t len = strlen(text);

	while (len && strchr("\r\n", text[len - 1]))
		len--;
	buf_add(out, text, len);
	if (next)
		buf_printf(out, "\n\nnext: %s", next);
	else
		buf_printf(out, "\n\nThis is the last step of %s.",
			   json_string_value(json_object_get(result, "workflow")));
}

const struct request_row tool_get_workflow_step_row = {
	.name = "tool get_workflow_step",
	.summary = "read a step of a workflow",
	.args = (const struct request_arg[]){{"step", 0, ARG_WORKFLOW, "NAME/STEP",
					      "workflow and step, as a reminder names them: "
					      "\"feature-development/plan\"",
					      NULL, false, true},
					     {0}},
	.flags = REQUEST_READS | REQUEST_HIDDEN,
	.exec = exec_step,
	.tool =
		&(const struct request_tool){
			.name = "get_workflow_step",
			.title = "Read a step of a workflow",
			.description =
				"Read one step of a workflow that the person keeps for agents "
				"under "
				"workflows/. Call it when a reminder names one, as in "
				"get_workflow_step(\"feature-development/plan\"), do what it says, "
				"then go on with the step named as next. A workflow's name alone, "
				"or "
				"an unknown step, is answered with the names there are.",
			.trust = TRUST_INNER,
			.hints = TOOL_READS | TOOL_IDEMPOTENT,
			.output =
				"{\"type\":\"object\",\"properties\":{"
				"\"step\":{\"type\":\"string\"},"
				"\"workflow\":{\"type\":\"string\"},"
				"\"title\":{\"type\":\"string\"},"
				"\"summary\":{\"type\":\"string\"},"
				"\"text\":{\"type\":\"string\",\"description\":\"all of it, "
				"Markdown\"},"
				"\"number\":{\"type\":\"integer\",\"description\":\"which step it "
				"is, from 1\"},"
				"\"count\":{\"type\":\"integer\",\"description\":\"how many there "
				"are\"},"
				"\"next\":{\"type\":[\"string\",\"null\"],\"description\":\"the "
				"step after it; null: it is the last\"}},"
				"\"required\":[\"step\",\"workflow\",\"title\",\"summary\","
				"\"text\","
				"\"number\",\"count\",\"next\"],"
				"\"additionalProperties\":false}",
			.say = say_step},
};
