/*
 * cmd-mission-watch.c: `mission ls --watch`.
 * Those that are open come first, newest first, since they are what one watches; the rest of the
 * screen shows the newest that have ended. No more is asked for than fits.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/observe.h"
#include "terminal/watch.h"

#define FRAME_LINES 4 /* the header, an empty line, the titles, the footer */

struct picture {
	const struct cli *c;
	struct observer observer;
	json_t *missions; /* as last seen */
	json_t *status;	  /* NULL: no daemon answers */
};

static int ask_list(struct picture *p, bool open, size_t lines, json_t **ret, struct error *err)
{
	AUTO(json_decref) json_t *args = json_copy((json_t *)(uintptr_t)p->c->args), *all = NULL;
	int r;

	json_object_del(args, "watch");
	json_put_bool(args, "brief", true);
	json_put_bool(args, "open", open);
	json_put_int(args, "limit", lines > FRAME_LINES ? (int64_t)(lines - FRAME_LINES) : 1);
	r = observer_ask(&p->observer, "mission ls", args, &all, err);
	if (r > 0)
		*ret = json_incref(json_object_get(all, "missions"));
	return r;
}

/* Returns as observer_ask(): the open ones, then those that have ended. */
static int ask_missions(struct picture *p, size_t lines, json_t **ret, struct error *err)
{
	AUTO(json_decref) json_t *all = NULL;
	int r = ask_list(p, true, lines, ret, err);

	if (r > 0)
		r = ask_list(p, false, lines, &all, err);
	for (size_t i = 0; r > 0 && i < json_array_size(all); i++)
		if (json_is_string(json_object_get(json_array_get(all, i), "ended_at")))
			json_array_append(*ret, json_array_get(all, i));
	return r;
}

static bool same(const json_t *a, const json_t *b)
{
	return a && b && json_equal(a, b);
}

/* Uptime alone is no news. */
static bool same_status(const json_t *a, const json_t *b)
{
	return !a == !b &&
	       (!a || json_equal(json_object_get(a, "missions"), json_object_get(b, "missions")));
}

static int look(void *data, size_t lines, struct error *err)
{
	struct picture *p = data;
	AUTO(json_decref) json_t *missions = NULL, *status = NULL;
	bool news;
	int r = ask_missions(p, lines, &missions, err);

	if (r > 0)
		r = observer_ask(&p->observer, "status", NULL, &status, err);
	if (r < 0)
		return r;
	news = !same_status(p->status, status) || (r > 0 && !same(p->missions, missions));
	json_decref(p->status);
	p->status = json_incref(status);
	if (r > 0) {
		json_decref(p->missions);
		p->missions = json_incref(missions);
	}
	return news;
}

/* "missions  2 of 10 running, 3 waiting                                    12:30:05 PM" */
static void draw_header(const struct picture *p, const struct view *v)
{
	const json_t *m = json_object_get(p->status, "missions");
	AUTO(free)
	char *counts = mem_printf("%" PRId64 " of %" PRId64 " running, %" PRId64 " waiting",
				  view_int(m, "running"), view_int(m, "max_concurrent"),
				  view_int(m, "waiting"));
	const char *words = p->status ? counts : "no daemon is running (belfry daemon start)";
	size_t used = strlen("missions  ") + text_width(words), pad;
	char now[INSTANT_TEXT_MAX];

	instant_format_near(v->now, v->now, v->zone, now);
	pad = used + strlen(now) + 2 > v->style->width ? 2 : v->style->width - used - strlen(now);
	style_add(v->out, v->style, TINT_BOLD, "missions");
	buf_add_str(v->out, "  ");
	style_add(v->out, v->style, p->status ? TINT_NONE : TINT_WARN, words);
	buf_printf(v->out, "%*s", (int)pad, "");
	style_add(v->out, v->style, TINT_DIM, now);
	buf_add_str(v->out, "\n\n");
}

static void draw(void *data, const struct style *style, size_t lines, struct buf *out)
{
	const struct picture *p = data;
	AUTO(table_free) struct table *t = NULL;
	struct view v = cli_view(p->c, out);
	size_t room = lines > FRAME_LINES ? lines - FRAME_LINES : 1;

	v.style = style;
	draw_header(p, &v);
	t = table_new(view_missions.columns, view_missions.column_count);
	for (size_t i = 0; i < json_array_size(p->missions) && i < room; i++)
		view_missions.add(&v, json_array_get(p->missions, i), t);
	if (table_rows(t))
		table_print(t, style, out);
	else
		buf_printf(out, "%s\n", view_missions.empty);
	style_add(out, style, TINT_DIM, "q leaves");
}

/* A daemon is started for whoever wants to watch, as for everybody else; but only once. */
static int start(const struct cli *c, struct error *err)
{
	AUTO(session_free) struct session *s = NULL;

	return session_open(c->home, c->zone, true, &s, err);
}

int cmd_mission_watch(const struct cli *c, struct error *err)
{
	struct picture p = {.c = c, .observer = {c->home, c->zone, NULL}};
	const struct watch w = {&p, look, draw};
	int r;

	if (c->json) {
		error_set(err, ERR_INVALID, "--watch and --json do not go together");
		return error_hint(err, "ask again and again: belfry mission ls --json");
	}
	r = c->style.terminal ? start(c, err) : 0;
	if (r == 0)
		r = watch_run(&w, err);
	observer_fini(&p.observer);
	json_decref(p.missions);
	json_decref(p.status);
	return r;
}
