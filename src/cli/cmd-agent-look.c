/*
 * cmd-agent-look.c: who is there, and what it shows: `agent ls`, `agent peek`, `agent attach`.
 * The list is the daemon's; a screen is asked of tmux, by this process.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/agent.h"
#include "cli/observe.h"
#include "terminal/watch.h"

#define FRAME_LINES 4 /* the header, an empty line, the titles, the footer */
#define LINES_MOST 100000

/* --- ls ------------------------------------------------------------------------------------ */

static void add_table(const struct view *v, const json_t *agents, size_t most)
{
	const struct view_list *list = view_list_of(v, "agent ls");
	AUTO(table_free) struct table *t = table_new(list->columns, list->column_count);

	for (size_t i = 0; i < json_array_size(agents) && i < most; i++)
		list->add(v, json_array_get(agents, i), t);
	if (table_rows(t))
		table_print(t, v->style, v->out);
	else
		buf_printf(v->out, "%s\n", list->empty);
}

static int print_list(const struct cli *c, struct error *err)
{
	AUTO(json_decref) json_t *all = NULL;
	AUTO_BUF struct buf out = {0};
	struct view v = cli_view(c, &out);
	int r = cli_ask(c, "agent list", NULL, &all, err);

	if (r < 0)
		return r;
	if (c->json) {
		cli_write_json(json_object_get(all, "agents"));
		return 0;
	}
	add_table(&v, json_object_get(all, "agents"), SIZE_MAX);
	cli_write(&out);
	return 0;
}

struct picture {
	const struct cli *c;
	struct observer observer;
	json_t *agents; /* as last seen */
	bool reached;	/* a daemon answers */
};

static int look(void *data, size_t lines, struct error *err)
{
	struct picture *p = data;
	AUTO(json_decref) json_t *all = NULL;
	json_t *agents;
	bool news;
	int r = observer_ask(&p->observer, "agent list", NULL, &all, err);

	(void)lines;
	if (r < 0)
		return r;
	agents = json_object_get(all, "agents");
	news = p->reached != (r > 0) || (r > 0 && !json_equal(agents, p->agents));
	p->reached = r > 0;
	if (r > 0) {
		json_decref(p->agents);
		p->agents = json_incref(agents);
	}
	return news;
}

/* "2 idle, 1 busy, 1 blocked" */
static void count_states(const json_t *agents, struct buf *out)
{
	static const char *const states[] = {"idle", "busy", "blocked", "starting"};

	for (size_t s = 0; s < sizeof(states) / sizeof(states[0]); s++) {
		size_t count = 0;

		for (size_t i = 0; i < json_array_size(agents); i++)
			count += strcmp(view_text(json_array_get(agents, i), "state"), states[s]) ==
				 0;
		if (count)
			buf_printf(out, "%s%zu %s", out->len ? ", " : "", count, states[s]);
	}
	if (!out->len)
		buf_add_str(out, "none has a session");
}

static void draw_header(const struct picture *p, const struct view *v)
{
	AUTO_BUF struct buf words = {0};
	char now[INSTANT_TEXT_MAX];
	size_t used, pad;

	if (p->reached)
		count_states(p->agents, &words);
	else
		buf_add_str(&words, "no daemon is running (belfry daemon start)");
	instant_format_near(v->now, v->now, v->zone, now);
	used = strlen("agents  ") + text_width(buf_text(&words));
	pad = used + strlen(now) + 2 > v->style->width ? 2 : v->style->width - used - strlen(now);
	style_add(v->out, v->style, TINT_BOLD, "agents");
	buf_add_str(v->out, "  ");
	style_add(v->out, v->style, p->reached ? TINT_NONE : TINT_WARN, buf_text(&words));
	buf_printf(v->out, "%*s", (int)pad, "");
	style_add(v->out, v->style, TINT_DIM, now);
	buf_add_str(v->out, "\n\n");
}

static void draw(void *data, const struct style *style, size_t lines, struct buf *out)
{
	const struct picture *p = data;
	struct view v = cli_view(p->c, out);

	v.style = style;
	draw_header(p, &v);
	add_table(&v, p->agents, lines > FRAME_LINES ? lines - FRAME_LINES : 1);
	style_add(out, style, TINT_DIM, "q leaves");
}

static int watch_list(const struct cli *c, struct error *err)
{
	struct picture p = {.c = c, .observer = {c->home, c->zone, NULL}};
	const struct watch w = {&p, look, draw};
	AUTO(json_decref) json_t *first = NULL;
	int r = 0;

	if (c->json) {
		error_set(err, ERR_INVALID, "--watch and --json do not go together");
		return error_hint(err, "ask again and again: belfry agent ls --json");
	}
	/* A daemon is started for whoever wants to watch, as for everybody else; but only once. */
	if (c->style.terminal)
		r = cli_ask(c, "agent list", NULL, &first, err);
	if (r == 0)
		r = watch_run(&w, err);
	observer_fini(&p.observer);
	json_decref(p.agents);
	return r;
}

int cmd_agent_ls(const struct cli *c, struct error *err)
{
	return json_is_true(json_object_get(c->args, "watch")) ? watch_list(c, err)
							       : print_list(c, err);
}

/* --- peek ---------------------------------------------------------------------------------- */

/* The last so many lines of a text. */
static const char *last_lines(const char *text, size_t len, int64_t lines)
{
	for (const char *p = text + len; p > text; p--)
		if (p[-1] == '\n' && --lines == 0)
			return p;
	return text;
}

static json_t *lines_of(const char *text)
{
	json_t *lines = json_array();

	while (*text) {
		size_t len = strcspn(text, "\n");
		json_t *line = json_stringn(text, len);

		/* A terminal has characters; what is none after all is shown as nothing. */
		json_array_append_new(lines, line ? line : json_string(""));
		text += len + (text[len] == '\n');
	}
	return lines;
}

static void print_peek(const struct cli *c, const json_t *row, const char *text)
{
	AUTO_BUF struct buf out = {0};

	if (c->json) {
		AUTO(json_decref) json_t *o = json_object();

		json_put_text(o, "name", view_text(row, "name"));
		json_put_text(o, "state", view_text(row, "state"));
		json_put_text(o, "evidence", view_text(row, "evidence"));
		json_put(o, "lines", lines_of(text));
		cli_write_json(o);
		return;
	}
	if (c->style.terminal)
		visible_block(&out, text, "");
	else
		buf_add_str(&out, text);
	if (out.len)
		buf_add_char(&out, '\n');
	cli_write(&out);
}

int cmd_agent_peek(const struct cli *c, struct error *err)
{
	AUTO_WINDOW struct agent_window w = {0};
	AUTO(json_decref) json_t *row = NULL;
	AUTO_BUF struct buf text = {0};
	int64_t lines = 0;
	bool cut = json_object_get(c->args, "lines");
	int r = json_get_int(c->args, "lines", &lines, err);

	if (r == 0 && cut && (lines < 1 || lines > LINES_MOST)) {
		error_set(err, ERR_INVALID, "--lines cannot be %" PRId64, lines);
		return error_hint(err, "from 1 to %d; without it: what the screen shows",
				  LINES_MOST);
	}
	if (r == 0)
		r = agent_ask_window(c, view_text(c->args, "agent"), &row, err);
	if (r == 0)
		r = agent_window_find(c->home, row, &w, err);
	if (r == 0)
		r = agent_window_text(c->home, &w, lines, &text, err);
	if (r < 0)
		return r;
	print_peek(c, row, cut ? last_lines(buf_text(&text), text.len, lines) : buf_text(&text));
	return 0;
}

/* --- attach -------------------------------------------------------------------------------- */

int cmd_agent_attach(const struct cli *c, struct error *err)
{
	const char *name = view_text(c->args, "agent");
	AUTO(free) char *hint = mem_printf("belfry agent peek %s", name);
	AUTO(json_decref) json_t *row = NULL;
	int r = agent_need_terminal("'agent attach'", hint, err);

	if (r == 0)
		r = agent_ask_window(c, name, &row, err);
	if (r < 0)
		return r;
	return agent_attach(c, row, json_is_true(json_object_get(c->args, "read_only")), err);
}
