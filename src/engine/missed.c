/*
 * missed.c: occurrences that passed, and nothing came of them. After a night of sleep that may be
 * very many, so they are told in one message that grows while it is unread and young, a line each,
 * and from some length on as a number. Lines are gathered during a turn and written at its end: a
 * turn that is rolled back forgets them.
 */
#include "engine/inbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "engine/internal.h"

#define LINES_MAX 100
#define BYTES_MAX ((size_t)8 * 1024)
#define GROWS_FOR USEC_PER_HOUR
#define NAME_BYTES 60
#define MORE "- and "

static const char head[] = "Nothing could fire when these were due, and now it is too late for "
			   "them:\n";

static void put_line(const struct engine *e, const struct reminder *r, const struct slot *slot,
		     struct buf *out)
{
	const struct zone *zone = context_zone(e, r);
	AUTO(free)
	char *name = r->name ? mem_strdup(r->name) : excerpt_text(NULL, r->message, NAME_BYTES);
	char first[INSTANT_TEXT_MAX], last[INSTANT_TEXT_MAX];

	instant_format_long(slot->first_nominal, zone, first);
	instant_format_long(slot->nominal, zone, last);
	if (slot->occurrences == 1)
		buf_printf(out, "- %s: %s\n", name, last);
	else
		buf_printf(out, "- %s: %s%lld times, %s to %s\n", name,
			   slot->more ? "at least " : "", (long long)slot->occurrences, first,
			   last);
}

int inbox_missed(struct engine *e, const struct reminder *r, const struct slot *slot, usec_t now,
		 struct error *err)
{
	(void)now;
	(void)err;
	e->missed_count++;
	if (e->missed_count <= LINES_MAX)
		put_line(e, r, slot, &e->missed);
	return 0;
}

void missed_forget(struct engine *e)
{
	e->missed_count = 0;
	buf_clear(&e->missed);
}

/* How many lines there are already, and how many reminders the last one stands for. */
static size_t count_lines(const char *text, long long *ret_more, size_t *ret_len)
{
	size_t lines = 0;

	*ret_more = 0;
	*ret_len = strlen(text);
	for (const char *p = strstr(text, "\n- "); p; p = strstr(p + 1, "\n- ")) {
		bool more = strncmp(p + 1, MORE, strlen(MORE)) == 0;
		char *end = NULL;
		long long count = more ? strtoll(p + 1 + strlen(MORE), &end, 10) : 0;

		/* A reminder may have such a name, too. */
		if (!more || strcmp(end, " more\n") != 0) {
			lines++;
			continue;
		}
		*ret_more = count;
		*ret_len = (size_t)(p + 1 - text);
	}
	return lines;
}

static char *grown(const struct engine *e, const char *text)
{
	struct buf out = {0};
	long long more, put = 0;
	size_t len, lines = count_lines(text, &more, &len);

	buf_add(&out, text, len);
	for (const char *p = buf_text(&e->missed); *p && !more;) {
		size_t line = strcspn(p, "\n") + 1;

		if (lines + (size_t)put >= LINES_MAX || out.len + line > BYTES_MAX)
			break;
		buf_add(&out, p, line);
		p += line;
		put++;
	}
	more += (long long)e->missed_count - put;
	if (more)
		buf_printf(&out, MORE "%lld more\n", more);
	return buf_steal(&out);
}

static int start_message(struct engine *e, struct thread *t, usec_t now, struct error *err)
{
	AUTO(free) char *empty = mem_printf("%s\n", head);
	AUTO(free) char *text = grown(e, empty);

	return inbox_say(e, t, text, now, err);
}

static int grow_message(struct engine *e, struct thread *t, struct mail *m, usec_t now,
			struct error *err)
{
	char *text = grown(e, m->text);
	int rc;

	free(m->text);
	m->text = text;
	m->size = (int64_t)strlen(text);
	rc = mail_update(e->db, m, err);
	t->last_at = now;
	t->archived_at = USEC_NONE;
	return rc < 0 ? rc : thread_update(e->db, t, err);
}

static bool still_grows(const struct mail *m, usec_t now)
{
	return m->read_at == USEC_NONE && m->created_at <= now && now - m->created_at <= GROWS_FOR;
}

int missed_tell(struct engine *e, usec_t now, struct error *err)
{
	AUTO(thread_free) struct thread *t = NULL;
	AUTO(mail_free) struct mail *last = NULL;
	int rc;

	if (!e->missed_count)
		return 0;
	rc = inbox_thread_of_belfry(e, "belfry:missed", "Missed", now, &t, err);
	if (rc >= 0 && t->messages)
		rc = mail_get(e->db, t->key, t->messages, &last, err);
	if (rc >= 0)
		rc = last && still_grows(last, now) ? grow_message(e, t, last, now, err)
						    : start_message(e, t, now, err);
	if (rc >= 0)
		missed_forget(e);
	return rc;
}
