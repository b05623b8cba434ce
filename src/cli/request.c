/*
 * request.c: a row of the table, asked and printed.
 * Long lists come in pages, and each is printed as soon as it is there: whoever lists a million
 * reminders sees the first at once, and they never stand in memory together.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/probe.h"

static const char *const array_keys[] = {"reminders", "messages", "slots",
					 "fires",     "agents",	  "missions"};

/* People read times in their own zone, unless a reminder has another. */
static const struct zone *reader_zone(const struct cli *c)
{
	const struct zone *zone;
	struct error unknown = {0};

	if (c->zone && zone_get(c->zone, &zone, &unknown) == 0)
		return zone;
	return zone_of_machine(&(const char *){NULL});
}

struct view cli_view(const struct cli *c, struct buf *out)
{
	const char *agent = json_string_value(json_object_get(c->args, "agent"));

	return (struct view){.style = &c->style,
			     .now = clock_now(),
			     .zone = reader_zone(c),
			     .one_agent = agent != NULL,
			     .verbose = json_is_true(json_object_get(c->args, "verbose")),
			     .out = out};
}

/* Warnings are for whoever typed it, also when a program reads the result. */
static void print_warning(const json_t *text)
{
	AUTO_BUF struct buf line = {0};

	if (!json_is_string(text))
		return;
	visible_line(&line, json_string_value(text));
	fprintf(stderr, "warning: %s\n", buf_text(&line));
}

static void print_warnings(const json_t *result)
{
	const json_t *warnings = json_object_get(result, "warnings");

	print_warning(json_object_get(result, "warning"));
	for (size_t i = 0; i < json_array_size(warnings); i++)
		print_warning(json_array_get(warnings, i));
}

void cli_print(const struct cli *c, const char *request, const json_t *result)
{
	const json_t *many = json_object_get(result, "results");
	AUTO_BUF struct buf out = {0};
	struct view v = cli_view(c, &out);

	if (c->json) {
		cli_write_json(many ? many : result);
		return;
	}
	for (size_t i = 0; i < json_array_size(many); i++)
		view_of(request)(&v, json_array_get(many, i));
	if (!many)
		view_of(request)(&v, result);
	cli_write(&out);
	for (size_t i = 0; i < json_array_size(many); i++)
		print_warnings(json_array_get(many, i));
	print_warnings(result);
}

/* --- lists --- */

struct list_out {
	const struct cli *c;
	const struct view_list *list;
	struct view view;
	struct table *table;
	size_t count;
	size_t most;  /* that are shown */
	size_t total; /* that there are; 0: nobody says */
	bool cut;     /* there are more than are shown */
};

#define SHOWN_MOST 50 /* by default, to a person */
#define ENOUGH 1      /* no page more */

static void write_item(struct list_out *o, const json_t *item)
{
	AUTO_BUF struct buf out = {0};

	buf_add_str(&out, o->count ? ",\n  " : "[\n  ");
	cli_add_json(item, 1, &out);
	cli_write(&out);
}

static void write_rows(struct list_out *o)
{
	if (o->c->json || !o->count)
		return;
	table_print(o->table, &o->c->style, o->view.out);
	cli_write(o->view.out);
	buf_clear(o->view.out);
}

static int on_list_page(const json_t *result, void *data, struct error *err)
{
	struct list_out *o = data;
	const json_t *items = json_object_get(result, o->list->key);

	if (!json_is_array(items))
		return error_set(err, ERR_SYSTEM, "the answer has no '%s'", o->list->key);
	if (json_object_get(result, "total"))
		o->total = (size_t)view_int(result, "total");
	for (size_t i = 0; i < json_array_size(items); i++) {
		o->cut = o->count == o->most;
		if (o->cut)
			return ENOUGH;
		if (o->c->json)
			write_item(o, json_array_get(items, i));
		else
			o->list->add(&o->view, json_array_get(items, i), o->table);
		o->count++;
	}
	write_rows(o);
	fflush(stdout); /* the next page may take a while */
	o->cut = o->count == o->most && json_is_integer(json_object_get(result, "more"));
	return o->cut ? ENOUGH : 0;
}

/* It stands last, and is what is shown of a long list. */
static bool ends_with_newest(const struct request_row *row)
{
	return args_find_flag(row, "newest", strlen("newest")) != NULL;
}

/* Not among the lines that a program gets. */
static void tell_cut(const struct list_out *o)
{
	FILE *to = o->c->style.terminal ? stdout : stderr;

	if (o->total > o->count)
		fprintf(to, "… and %zu %s", o->total - o->count,
			ends_with_newest(o->c->row) ? "older" : "more");
	else
		fputs("… and more", to);
	fprintf(to, ": --limit %zu, or --limit 0 for all\n", o->count * 4);
}

static void end_list(struct list_out *o)
{
	if (o->c->json) {
		puts(o->count ? "\n]" : "[]");
	} else if (o->count) {
		write_rows(o);
		if (o->cut)
			tell_cut(o);
	} else {
		puts(o->list->empty);
	}
}

/* Whether its pages end where the face says, which may be told how many there are. */
static bool is_bounded(const struct request_row *row)
{
	const struct request_arg *count = args_find_flag(row, "count", strlen("count"));

	return count && !args_is_shown(count);
}

/* A person's list has a few columns: where the daemon can leave out the rest, it may. */
static json_t *list_args(const struct cli *c, size_t most)
{
	json_t *args = json_copy((json_t *)(uintptr_t)c->args);

	for (const struct request_arg *arg = c->row->args; !c->json && arg->name; arg++)
		if (strcmp(arg->name, "brief") == 0)
			json_put_bool(args, "brief", true);
	/* How many is the face's business: the daemon's pages have the size they have. */
	if (is_bounded(c->row))
		json_object_del(args, "limit");
	if (is_bounded(c->row) && !c->json)
		json_put_bool(args, "count", true);
	/* Where the newest stand last, they are what is shown of a long list. */
	if (ends_with_newest(c->row) && most < INT32_MAX)
		json_put_int(args, "newest", (int64_t)most);
	return args;
}

/* As many as were asked for, or as a person can look through; a program gets all. */
static int read_most(const struct cli *c, size_t *ret, struct error *err)
{
	bool bounded = is_bounded(c->row);
	int64_t limit = bounded && !c->json ? SHOWN_MOST : 0;
	int r = bounded ? json_get_int(c->args, "limit", &limit, err) : 0;

	if (r < 0)
		return r;
	if (limit < 0) {
		error_set(err, ERR_INVALID, "--limit cannot be %lld", (long long)limit);
		return error_hint(err, "at least 1, or 0 for all");
	}
	*ret = limit ? (size_t)limit : SIZE_MAX;
	return 0;
}

static int print_list(const struct cli *c, struct session *s, struct error *err)
{
	AUTO(json_decref) json_t *args = NULL;
	AUTO_BUF struct buf out = {0};
	struct list_out o = {.c = c, .view = cli_view(c, &out)};
	AUTO(table_free) struct table *table = NULL;
	int r = read_most(c, &o.most, err);

	if (r < 0)
		return r;
	args = list_args(c, o.most);
	o.list = view_list_of(&o.view, c->row->name);
	table = o.table = table_new(o.list->columns, o.list->column_count);
	r = session_ask_pages(s, c->row->name, args, on_list_page, &o, err);
	if (r < 0)
		return r;
	if (ends_with_newest(c->row))
		o.cut = o.total > o.count;
	end_list(&o);
	return 0;
}

/* --- everything else --- */

/* The first page, with the arrays of the following ones appended to its own. */
static int on_page(const json_t *result, void *data, struct error *err)
{
	json_t **all = data;

	(void)err;
	if (!*all) {
		*all = json_incref((json_t *)(uintptr_t)result);
		return 0;
	}
	for (size_t i = 0; i < sizeof(array_keys) / sizeof(array_keys[0]); i++) {
		json_t *to = json_object_get(*all, array_keys[i]);
		json_t *from = json_object_get(result, array_keys[i]);

		if (json_is_array(to) && json_is_array(from))
			json_array_extend(to, from);
	}
	return 0;
}

/*
 * A person wants the end of a long story, a program all of it. Of the inbox both get what they
 * asked for: it has a limit and a cursor. What changes something has one answer.
 */
static bool wants_one_page(const struct cli *c)
{
	return (c->row->flags & REQUEST_WRITES) || strncmp(c->row->name, "inbox ", 6) == 0 ||
	       (!c->json && strcmp(c->row->name, "why") == 0);
}

static int ask_whole(const struct cli *c, struct session *s, json_t **ret, struct error *err)
{
	AUTO(json_decref) json_t *all = NULL;
	int r = session_ask_pages(s, c->row->name, c->args, on_page, &all, err);

	if (r < 0)
		return r;
	if (json_is_object(all))
		json_object_del(all, "more");
	*ret = steal_ptr(&all);
	return 0;
}

static int run_pure(const struct cli *c, struct error *err)
{
	struct request rq = {
		.now = clock_now(), .caller = {.user = "me", .trust = TRUST_FULL}, .zone = c->zone};
	AUTO(json_decref) json_t *result = NULL;
	int r = request_run(c->row, &rq, c->args, &result, err);

	if (r == 0)
		cli_print(c, c->row->name, result);
	return r;
}

int cli_ask(const struct cli *c, const char *request, const json_t *args, json_t **ret,
	    struct error *err)
{
	AUTO(session_free) struct session *s = NULL;
	const struct request_row *row = request_find(request);
	int r = session_open(c->home, c->zone, true, &s, err);

	if (r == 0)
		r = session_ask(s, request, args, ret, err);
	if (r == 0 && row && (row->flags & REQUEST_WRITES))
		session_warn(s);
	return r;
}

/*
 * How things stand is asked most when something is wrong: a daemon whose store is away still is one. Answers
 * the exit status, which is that of the error; or 0, when there is only that error to tell.
 */
static int tell_store_away(const struct cli *c, const struct session *s, const struct error *err)
{
	AUTO(json_decref) json_t *o = json_object(), *e = json_object();
	AUTO_BUF struct buf out = {0};
	struct view v = cli_view(c, &out);
	pid_t pid = 0;
	const char *since = session_store_away_since(s, &pid);

	if (!since || strcmp(c->row->name, "status") != 0)
		return 0;
	json_put_bool(o, "running", true);
	json_put_int(o, "pid", pid);
	json_put_text(o, "store_away_since", since);
	json_put_text(e, "code", error_word(err->code));
	json_put_text(e, "message", err->message);
	json_put_text(e, "hint", *err->hint ? err->hint : NULL);
	json_put(o, "error", json_incref(e));
	if (c->json) {
		cli_write_json(o);
	} else {
		view_store_away(&v, o);
		cli_write(&out);
	}
	return error_exit_status(err->code);
}

/* Who only looks, and finds a home that was not there, may have meant another one. */
static void say_new_home(const struct cli *c)
{
	AUTO_BUF struct buf line = {0};

	visible_line(&line, c->home->state_dir);
	fprintf(stderr, "belfry: a new home: %s\n", buf_text(&line));
}

int cmd_request(const struct cli *c, struct error *err)
{
	AUTO(session_free) struct session *s = NULL;
	AUTO(json_decref) json_t *result = NULL;
	AUTO_BUF struct buf unused = {0};
	struct view v = cli_view(c, &unused);
	bool tries, is_new;
	int r, status;

	if (c->row->flags & REQUEST_PURE)
		return run_pure(c, err);
	is_new = (c->row->flags & REQUEST_READS) && access(c->home->state_dir, F_OK) < 0;
	/* A daemon would do at its start what is only to be shown. */
	tries = json_is_true(json_object_get(c->args, "dry_run"));
	r = session_open(c->home, c->zone, !tries, &s, err);
	if (r < 0)
		return r;
	if (is_new && access(c->home->state_dir, F_OK) == 0)
		say_new_home(c);
	if (view_list_of(&v, c->row->name))
		return print_list(c, s, err);
	if (wants_one_page(c))
		r = session_ask(s, c->row->name, c->args, &result, err);
	else
		r = ask_whole(c, s, &result, err);
	if (r < 0 && (status = tell_store_away(c, s, err)) != 0)
		return status;
	if (r < 0)
		return r;
	if (strcmp(c->row->name, "reminder add") == 0)
		probe_condition(c->home, result);
	cli_print(c, c->row->name, result);
	if ((c->row->flags & REQUEST_WRITES) && !tries)
		session_warn(s);
	return strcmp(c->row->name, "status") == 0 && *view_text(result, "trouble")
		       ? error_exit_status(ERR_UNAVAILABLE)
		       : 0;
}
