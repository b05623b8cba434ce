/*
 * inbox.c: the inbox on a terminal: which of its faces, and what follows what.
 * A daemon is started for whoever opens it, as for every other command, but only then: one that is
 * stopped while the inbox is open was meant to be, and the inbox waits until there is one again.
 */
#include "inbox/inbox.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "inbox/parts.h"
#include "terminal/program.h"

/* Without somebody to show it to it is the plain command. */
static int as_command(const struct cli *c, const char *thread, struct error *err)
{
	AUTO(json_decref) json_t *args = thread ? observer_args("thread", thread) : json_object();
	struct cli plain = *c;
	cli_command *own;

	plain.row = request_find(thread ? "inbox show" : "inbox list");
	plain.args = args;
	own = cli_own_command(&plain);
	return own ? own(&plain, err) : cmd_request(&plain, err);
}

/* The whole id of a thread that a person named, or why there is none. */
static int find_thread(const struct cli *c, const char *ref, char **ret, struct error *err)
{
	AUTO(json_decref) json_t *args = observer_args("thread", ref), *answer = NULL;
	int r;

	json_put_bool(args, "peek", true);
	json_put_int(args, "last", 1);
	r = cli_ask(c, "inbox show", args, &answer, err);
	if (r == 0)
		*ret = mem_strdup(view_text(json_object_get(answer, "thread"), "id"));
	return r;
}

static int start(const struct cli *c, struct error *err)
{
	AUTO(session_free) struct session *s = NULL;

	return session_open(c->home, c->zone, true, &s, err);
}

/* One thread, and then the list; or just the one, where another program shows the list. */
static int on_screen(const struct cli *c, const char *thread, bool list, enum face_end *end,
		     struct error *err)
{
	struct face f;
	int r = face_open(c, &f, err);

	if (r < 0)
		return r;
	*end = thread ? thread_screen(&f, thread, 0) : FACE_BACK;
	if (*end == FACE_BACK && list)
		*end = list_screen(&f);
	face_close(&f);
	return 0;
}

/* fzf where it is installed and works, since whoever has it knows its keys; else a list of our own. */
static int show(const struct cli *c, const char *thread, struct error *err)
{
	bool own = !program_is_installed("fzf");
	enum face_end end = FACE_BACK;
	int r = 0;

	if (own || thread)
		r = on_screen(c, thread, own, &end, err);
	while (r == 0 && end == FACE_BACK) {
		AUTO(free) char *next = NULL;

		r = list_by_fzf(c, &next, err);
		if (r == INBOX_UNUSABLE)
			return on_screen(c, NULL, true, &end, err);
		if (r <= 0)
			return r;
		r = on_screen(c, next, false, &end, err);
	}
	return r;
}

int cmd_inbox(const struct cli *c, struct error *err)
{
	const char *ref = json_string_value(json_object_get(c->args, "thread"));
	AUTO(free) char *thread = NULL;
	int r;

	if (c->json || !isatty(0) || !isatty(1))
		return as_command(c, ref, err);
	r = start(c, err);
	if (r == 0 && ref)
		r = find_thread(c, ref, &thread, err);
	if (r < 0)
		return r;
	if (json_is_true(json_object_get(c->args, "plain")) || !screen_is_possible())
		return inbox_plain(c, thread, err);
	return show(c, thread, err);
}
