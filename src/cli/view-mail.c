/* view-mail.c: a thread as people read it. Texts come from outside and are made harmless here. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/view.h"
#include "terminal/markdown.h"

#define RULE "───"
#define BODY "    " /* what its lines begin with */

static void add_subject(const struct view *v, const json_t *t)
{
	const json_t *mission = json_object_get(t, "mission");

	visible_line(v->out, view_text(t, "title"));
	if (json_is_object(mission))
		buf_printf(v->out, " (mission %s, %s)", view_text(mission, "id"),
			   view_thread_state(t));
	else
		buf_printf(v->out, " (%s)", view_text(t, "id"));
}

void view_thread_head(const struct view *v, const json_t *t)
{
	AUTO_BUF struct buf line = {0}, cut = {0};
	struct view inner = *v;
	size_t room = v->style->width > 30 ? v->style->width - 8 : 22;

	inner.out = &line;
	add_subject(&inner, t);
	text_cut(&cut, buf_text(&line), v->style->terminal ? room : line.len);
	style_printf(v->out, v->style, TINT_BOLD, RULE " %s " RULE, buf_text(&cut));
	buf_add_char(v->out, '\n');
	if (view_int(t, "asks"))
		style_printf(v->out, v->style, TINT_WARN,
			     "%" PRId64 " question%s wait%s for an answer\n", view_int(t, "asks"),
			     view_int(t, "asks") == 1 ? "" : "s",
			     view_int(t, "asks") == 1 ? "s" : "");
}

const char *view_author(const json_t *m)
{
	const char *sender = view_text(m, "sender"), *author = view_text(m, "author");

	if (strcmp(sender, "person") == 0)
		return "You";
	return strcmp(sender, "agent") == 0 && *author ? author : "Belfry";
}

bool view_question(const struct view *v, const json_t *m)
{
	const char *state = view_text(m, "ask");
	usec_t until = view_instant(m, "ask_until");
	bool open = strcmp(state, "open") == 0;
	char when[INSTANT_TEXT_MAX];

	if (!*state)
		return false;
	/* Its number names it in: inbox reply THREAD#SEQ. */
	if (open)
		buf_printf(v->out, "#%" PRId64 " ", view_int(m, "seq"));
	buf_add_str(v->out, open ? "asks, and waits for an answer"
			    : strcmp(state, "answered") == 0
				    ? "asked, and was answered"
				    : "asked, and nobody answered in time");
	if (!open && view_int(m, "answered_by"))
		buf_printf(v->out, " (message %" PRId64 ")", view_int(m, "answered_by"));
	if (open && until != USEC_NONE) {
		instant_format_near(until, v->now, v->zone, when);
		buf_printf(v->out, " until %s", when);
	}
	if (*view_text(m, "ask_default")) {
		buf_add_str(v->out, open ? "; then the answer is: " : "; the default was: ");
		visible_line(v->out, view_text(m, "ask_default"));
	}
	return open;
}

static void print_question(const struct view *v, const json_t *m)
{
	AUTO_BUF struct buf line = {0};
	struct view inner = *v;
	bool open;

	inner.out = &line;
	open = view_question(&inner, m);
	if (!line.len)
		return;
	buf_add_str(v->out, "  ");
	style_add(v->out, v->style, open ? TINT_WARN : TINT_DIM, buf_text(&line));
	buf_add_char(v->out, '\n');
}

void view_mail_head(const struct view *v, const json_t *m)
{
	AUTO_BUF struct buf name = {0}, title = {0};
	char when[INSTANT_TEXT_MAX];

	view_minute(v, view_instant(m, "at"), when);
	style_printf(v->out, v->style, TINT_DIM, "[%s]", when);
	buf_add_char(v->out, ' ');
	visible_line(&name, view_author(m));
	style_printf(v->out, v->style, TINT_BOLD, "%s:", buf_text(&name));
	visible_line(&title, view_text(m, "title"));
	if (title.len) {
		buf_add_char(v->out, ' ');
		style_add(v->out, v->style, TINT_BOLD, buf_text(&title));
	}
	buf_add_char(v->out, '\n');
	print_question(v, m);
}

/* "12 bytes", "3.4 kB", "25.0 MB" */
void view_size(int64_t size, char *ret, size_t max)
{
	static const char *const units[] = {"kB", "MB", "GB", "TB"};
	double value = (double)size / 1000;
	size_t i = 0;

	if (size < 1000) {
		snprintf(ret, max, "%" PRId64 " byte%s", size, size == 1 ? "" : "s");
		return;
	}
	for (; value >= 1000 && i + 1 < sizeof(units) / sizeof(units[0]); i++)
		value /= 1000;
	snprintf(ret, max, "%.1f %s", value, units[i]);
}

static void print_attachment(const struct view *v, const json_t *a)
{
	char size[32];

	view_size(view_int(a, "size"), size, sizeof(size));
	buf_add_str(v->out, "  attached: ");
	visible_line(v->out, view_text(a, "name"));
	buf_printf(v->out, " (%s), ", size);
	visible_line(v->out, view_text(a, "file"));
	buf_add_char(v->out, '\n');
}

const char *view_reply(const json_t *m, enum tint *ret_tint)
{
	bool mission = strncmp(view_text(m, "thread"), "mis-", 4) == 0;
	const char *state = view_text(m, "reply");

	*ret_tint = strcmp(state, "delivered") == 0 ? TINT_GOOD : TINT_WARN;
	if (!*state)
		return NULL;
	if (strcmp(state, "waiting") == 0 && json_is_true(json_object_get(m, "on_request")))
		return "waiting until the session asks for replies";
	if (strcmp(state, "waiting") == 0)
		return mission ? "waiting: goes with the next resume"
			       : "waiting in the agent's queue";
	return strcmp(state, "offered") == 0 ? "on its way to the agent" : "delivered";
}

void view_mail_foot(const struct view *v, const json_t *m)
{
	const json_t *files = json_object_get(m, "attachments"), *file;
	enum tint tint;
	const char *reply = view_reply(m, &tint);
	size_t i;

	json_array_foreach(files, i, file)
	{
		print_attachment(v, file);
	}
	if (reply) {
		buf_add_str(v->out, "  ");
		style_add(v->out, v->style, tint, reply);
		buf_add_char(v->out, '\n');
	}
}

static void print_cut(const struct view *v, const json_t *m)
{
	char size[32];

	if (json_is_true(json_object_get(m, "whole")) || !*view_text(m, "file"))
		return;
	view_size(view_int(m, "size"), size, sizeof(size));
	style_printf(v->out, v->style, TINT_WARN,
		     "  … the beginning of %s; all of it: belfry inbox show %s --message %" PRId64,
		     size, view_text(m, "thread"), view_int(m, "seq"));
	buf_add_char(v->out, '\n');
}

/* Deeper than anything we say ourselves: no body can pose as a heading, an answer, or what became of one. */
static void print_body(const struct view *v, const char *text)
{
	if (v->style->terminal) {
		markdown_render(text, strlen(text), v->style, strlen(BODY), v->out);
	} else if (*text) {
		buf_add_str(v->out, BODY);
		visible_block(v->out, text, BODY);
	}
	if (v->out->len && v->out->data[v->out->len - 1] != '\n')
		buf_add_char(v->out, '\n');
}

void view_mail(const struct view *v, const json_t *m)
{
	view_mail_head(v, m);
	print_body(v, view_text(m, "text"));
	print_cut(v, m);
	view_mail_foot(v, m);
}
