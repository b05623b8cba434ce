/*
 * hook-once.c: the same event, told twice.
 *
 * A client may have our hooks from several places: its own settings, a plugin, those of a session that Belfry
 * hosts. It runs them all at once and gives each the same input. The first one that is heard counts; the
 * others are answered with nothing, and settle nothing, for they prove only that the client is still at
 * the same event: what the first one was given cannot have been read yet.
 *
 * Events are known again by what their client calls them: the id of the prompt, of the turn, of the use of a
 * tool. Where there is none, or one that further events share, the same words within WINDOW are the same event.
 *
 * The last ones are kept with the session, so that a hook without a daemon, another node or a new daemon
 * knows them too. But not all: one that told nothing and counted nothing can be heard twice, and is not worth
 * a write.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sha256.h"
#include "engine/hook-parts.h"

#define WINDOW (2 * USEC_PER_SEC)
#define ID_WINDOW (1 * USEC_PER_MINUTE) /* a busy machine may be late with the second one */
#define KEPT_MAX 16			/* as many tools may run at once */
#define MARK_MAX 16			/* digits of a hash */
#define TURN 't' /* instead of the first digit: with which prompt something was told */

/* After a stop was held back, the next has the same id: so has the one after that. */
static bool has_own_id(const struct hook_event *ev)
{
	return ev->id && strcmp(ev->name, "Stop") != 0;
}

static void add_part(struct buf *out, const char *text)
{
	buf_add_str(out, text ? text : "");
	buf_add_char(out, '\n');
}

/* What the event is called here. */
static void mark_of(const struct hook_event *ev, char ret[static SHA256_HEX_MAX])
{
	AUTO_BUF struct buf all = {0};

	add_part(&all, ev->name);
	add_part(&all, ev->id);
	add_part(&all, ev->stop_hook_active ? "active" : NULL);
	/* Also beside an id: what is typed into a running turn might be told under that of the turn. */
	add_part(&all, ev->source);
	add_part(&all, ev->prompt);
	sha256_hex(all.data, all.len, ret);
	ret[MARK_MAX] = '\0';
}

/* "MARK@INSTANT MARK@INSTANT …", the newest first. Returns what follows the first one, or NULL. */
static const char *read_kept(const char *text, char ret_mark[static MARK_MAX + 1], usec_t *ret_at)
{
	char *end;

	text += strspn(text, " ");
	if (strcspn(text, "@") != MARK_MAX || !text[MARK_MAX])
		return NULL;
	memcpy(ret_mark, text, MARK_MAX);
	ret_mark[MARK_MAX] = '\0';
	*ret_at = strtoll(text + MARK_MAX + 1, &end, 10);
	return end;
}

static usec_t between(usec_t a, usec_t b)
{
	return a > b ? a - b : b - a; /* the clock may have been set back */
}

bool telling_is_repeated(const struct telling *t)
{
	usec_t window = has_own_id(t->event) ? ID_WINDOW : WINDOW, at;
	const char *rest = t->session->heard;
	char mark[SHA256_HEX_MAX], kept[MARK_MAX + 1];

	mark_of(t->event, mark);
	while (rest && (rest = read_kept(rest, kept, &at)))
		if (strcmp(kept, mark) == 0 && between(at, t->now) < window)
			return true;
	return false;
}

void telling_remember(struct telling *t)
{
	AUTO_BUF struct buf all = {0};
	const char *rest = t->session->heard;
	char mark[SHA256_HEX_MAX], kept[MARK_MAX + 1];
	usec_t at;

	mark_of(t->event, mark);
	buf_printf(&all, "%s@%" PRId64, mark, t->now);
	for (int i = 1; i < KEPT_MAX && rest && (rest = read_kept(rest, kept, &at)); i++)
		if (kept[0] == TURN || between(at, t->now) < ID_WINDOW)
			buf_printf(&all, " %s@%" PRId64, kept, at);
	mem_replace(&t->session->heard, buf_text(&all));
}

/* --- the turn that something was told with ------------------------------------------------- */

static void turn_of(const struct hook_event *ev, char ret[static SHA256_HEX_MAX])
{
	const char *id = ev->id ? ev->id : "";

	sha256_hex(id, strlen(id), ret);
	ret[0] = TURN;
	ret[MARK_MAX] = '\0';
}

void telling_read_turn(struct telling *t)
{
	const char *rest = t->session->heard;
	char turn[SHA256_HEX_MAX], kept[MARK_MAX + 1];
	usec_t at;

	turn_of(t->event, turn);
	t->turn = USEC_NONE;
	while (rest && (rest = read_kept(rest, kept, &at))) {
		if (kept[0] != TURN)
			continue;
		t->turn = at;
		t->same_turn = t->event->id && strcmp(kept, turn) == 0;
		return;
	}
}

/* It is the newest of all, so that it is never the one for which there is no room. */
void telling_note_turn(struct telling *t, bool set)
{
	AUTO_BUF struct buf all = {0};
	const char *rest = t->session->heard;
	char turn[SHA256_HEX_MAX], kept[MARK_MAX + 1];
	usec_t at;

	turn_of(t->event, turn);
	if (set)
		buf_printf(&all, "%s@%" PRId64, turn, t->offer);
	while (rest && (rest = read_kept(rest, kept, &at)))
		if (kept[0] != TURN)
			buf_printf(&all, "%s%s@%" PRId64, all.len ? " " : "", kept, at);
	mem_replace(&t->session->heard, buf_text(&all));
}
