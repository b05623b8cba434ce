/*
 * cmd-inbox.c: `inbox list`, `inbox search`, `inbox read`, `inbox archive`.
 * A daemon answers by pages, so that no list keeps it from its other work. Whoever wants more than
 * one page gets them as one list, as long as --limit says.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "terminal/ask.h"

#define PAGE_MOST 500

/* The next page, behind what is there. Its cursor and its sums are those that count. */
static void add_page(json_t **all, json_t *page, const char *rows)
{
	json_t *to = json_object_get(*all, rows);

	if (!*all) {
		*all = json_incref(page);
		return;
	}
	json_array_extend(to, json_object_get(page, rows));
	json_put(page, rows, json_incref(to));
	json_object_update(*all, page);
}

static int ask_pages(const struct cli *c, const char *rows, json_t **ret, struct error *err)
{
	AUTO(session_free) struct session *s = NULL;
	AUTO(json_decref) json_t *args = json_copy((json_t *)(uintptr_t)c->args), *all = NULL;
	const json_t *limit = json_object_get(args, "limit");
	/* 0 is all, as in other lists; without a limit it is one page. */
	json_int_t left = json_is_integer(limit) && !json_integer_value(limit)
				  ? INT64_MAX
				  : json_integer_value(limit);
	int r = session_open(c->home, c->zone, true, &s, err);

	while (r == 0) {
		AUTO(json_decref) json_t *page = NULL;

		if (left > 0)
			json_put_int(args, "limit", left < PAGE_MOST ? left : PAGE_MOST);
		r = session_ask(s, c->row->name, args, &page, err);
		if (r < 0)
			break;
		left -= (json_int_t)json_array_size(json_object_get(page, rows));
		add_page(&all, page, rows);
		if (left <= 0 || json_is_null(json_object_get(all, "more")))
			break;
		json_put(args, "after", json_incref(json_object_get(all, "more")));
	}
	if (r == 0)
		*ret = steal_ptr(&all);
	return r;
}

static int print_pages(const struct cli *c, const char *rows, struct error *err)
{
	AUTO(json_decref) json_t *all = NULL;
	int r = ask_pages(c, rows, &all, err);

	if (r == 0)
		cli_print(c, c->row->name, all);
	return r;
}

int cmd_inbox_list(const struct cli *c, struct error *err)
{
	return print_pages(c, "threads", err);
}

int cmd_inbox_search(const struct cli *c, struct error *err)
{
	return print_pages(c, "messages", err);
}

bool cli_may_force(const struct cli *c, const struct error *refused, const char *question)
{
	AUTO_BUF struct buf line = {0};
	bool yes = false;

	/* Of several, only the first that is in the way is known. */
	if (refused->code != ERR_CONFLICT || c->json ||
	    json_is_array(json_object_get(c->args, "thread")) ||
	    json_is_array(json_object_get(c->args, "mission")) || !isatty(STDIN_FILENO) ||
	    !isatty(STDOUT_FILENO) || json_is_true(json_object_get(c->args, "force")))
		return false;
	visible_line(&line, refused->message);
	printf("%s\n", buf_text(&line));
	ask_begin();
	return ask_yes(question, false, &yes) == 0 && yes;
}

static bool is_set(const struct cli *c, const char *flag)
{
	return json_is_true(json_object_get(c->args, flag));
}

/* The daemon changes so many at a time, and does its other work in between. */
static int change_all(const struct cli *c, struct error *err)
{
	AUTO(session_free) struct session *s = NULL;
	AUTO(json_decref) json_t *sum = json_object();
	int64_t threads = 0, messages = 0;
	bool more = true;
	int r = session_open(c->home, c->zone, true, &s, err);

	while (r == 0 && more) {
		AUTO(json_decref) json_t *part = NULL;

		r = session_ask(s, c->row->name, c->args, &part, err);
		threads += view_int(part, "threads");
		messages += view_int(part, "messages");
		more = json_is_true(json_object_get(part, "more"));
		json_put_text(sum, "done", view_text(part, "done"));
		json_put_int(sum, "asks", view_int(part, "asks"));
	}
	if (r < 0)
		return r;
	json_put_int(sum, "threads", threads);
	json_put_int(sum, "messages", messages);
	cli_print(c, c->row->name, sum);
	session_warn(s);
	return 0;
}

int cmd_inbox_read(const struct cli *c, struct error *err)
{
	return is_set(c, "all") ? change_all(c, err) : cmd_request(c, err);
}

int cmd_inbox_archive(const struct cli *c, struct error *err)
{
	AUTO(json_decref) json_t *args = json_copy((json_t *)(uintptr_t)c->args), *result = NULL;
	int r;

	if (is_set(c, "read"))
		return change_all(c, err);
	r = cli_ask(c, c->row->name, args, &result, err);
	if (r < 0 && cli_may_force(c, err, "Put it away all the same")) {
		json_put_bool(args, "force", true);
		r = cli_ask(c, c->row->name, args, &result, err);
	}
	if (r == 0)
		cli_print(c, c->row->name, result);
	return r;
}
