/* reply.c: `inbox reply`: the answer is an argument, standard input, or written in an editor. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/mail.h"
#include "inbox/inbox.h"
#include "terminal/ask.h"

#define SHOWN_MESSAGES 200 /* among them is every question that somebody may still mean */

static int ask_shown(const struct cli *c, const char *thread, int64_t message, json_t **ret,
		     struct error *err)
{
	AUTO(json_decref) json_t *about = json_object();

	json_put_text(about, "thread", thread);
	if (message > 0)
		json_put_int(about, "message", message);
	else
		json_put_int(about, "last", SHOWN_MESSAGES);
	return cli_ask(c, "inbox show", about, ret, err);
}

static bool is_given(const json_t *args)
{
	return strchr(view_text(args, "thread"), '#') || json_is_true(json_object_get(args, "all"));
}

/* Returns 1 with the question that is meant in the arguments, 0 when the person went away. */
static int choose(const json_t *shown, json_t *args, int64_t *ret)
{
	const json_t *thread = json_object_get(shown, "thread");
	AUTO(free) char *name = NULL;
	size_t open = question_count(shown, ret);

	if (open > 1 && question_ask(shown, ret) != 0)
		return 0;
	if (open && *ret == QUESTION_ALL)
		json_put_bool(args, "all", true);
	name = question_name(view_text(thread, "id"), open ? *ret : 0);
	json_put_text(args, "thread", name);
	return 1;
}

/* A default does not wait for an editor. Returns 1, or 0 when it is not to be sent then. */
static int check_open(const struct cli *c, const char *thread, int64_t question, json_t *args,
		      struct error *err)
{
	AUTO(json_decref) json_t *now = NULL;
	AUTO_BUF struct buf fate = {0}, line = {0};
	AUTO(free) char *name = NULL;
	bool yes = false, run = false;
	const json_t *m;
	int r = ask_shown(c, thread, question, &now, err);

	m = json_array_get(json_object_get(now, "messages"), 0);
	if (r < 0 || question_is_open(m))
		return r < 0 ? r : 1;
	question_fate(m, &fate);
	visible_line(&line, buf_text(&fate));
	printf("While you wrote, %s.\n", buf_text(&line));
	if (ask_yes("Send it all the same", false, &yes) != 0 || !yes ||
	    ask_yes("Go on with the mission at once", false, &run) != 0)
		return 0;
	name = question_name(thread, QUESTION_NONE);
	json_put_text(args, "thread", name);
	if (run)
		json_put_bool(args, "run", true);
	return 1;
}

/* Returns 1 when there is an answer in the arguments, 0 when the person thought better of it. */
static int compose(const struct cli *c, struct spool *s, json_t *args, char **ret_thread,
		   int64_t *ret_question, struct error *err)
{
	const char *given = view_text(args, "thread"), *mark = strchr(given, '#');
	AUTO(free) char *ref = mem_strndup(given, strcspn(given, "#"));
	AUTO(json_decref) json_t *shown = NULL;
	AUTO_BUF struct buf text = {0};
	int64_t question = mark ? strtoll(mark + 1, NULL, 10) : 0;
	int r = ask_shown(c, ref, 0, &shown, err);

	if (r < 0)
		return r;
	*ret_thread = mem_strdup(view_text(json_object_get(shown, "thread"), "id"));
	if (!is_given(args) && choose(shown, args, &question) == 0)
		return 0;
	if (json_is_true(json_object_get(args, "all")))
		question = QUESTION_ALL;
	question_put(shown, question);
	*ret_question = question;
	r = compose_reply(c, shown, &text, err);
	if (r > 0 && question > 0)
		r = check_open(c, *ret_thread, question, args, err);
	if (r <= 0)
		return r;
	r = spool_text(s, buf_text(&text), text.len, args, err);
	return r < 0 ? r : 1;
}

static int reply_by_editor(const struct cli *c, struct spool *s, json_t *args, struct error *err)
{
	AUTO(json_decref) json_t *result = NULL;
	AUTO(free) char *thread = NULL;
	int64_t question = 0;
	int r;

	ask_begin();
	r = compose(c, s, args, &thread, &question, err);
	if (r < 0)
		return r;
	if (r == 0) {
		puts(compose_has_draft(c, thread, question)
			     ? "nothing sent; the next answer begins with it"
			     : "nothing written, nothing sent");
		return 0;
	}
	r = mail_post(c, s, args, &result, err);
	if (r == 0)
		compose_sent(c, thread, question);
	return r;
}

/* Whoever types the answer can also be asked which question it is for. */
static int choose_on_terminal(const struct cli *c, json_t *args, struct error *err)
{
	AUTO(json_decref) json_t *shown = NULL;
	int64_t question = 0;
	struct error none = {0};

	/* A mission that said nothing has no thread yet: the request knows. */
	if (is_given(args) || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || c->json ||
	    ask_shown(c, view_text(args, "thread"), 0, &shown, &none) < 0 ||
	    view_int(json_object_get(shown, "thread"), "asks") < 2)
		return 0;
	ask_begin();
	if (choose(shown, args, &question))
		return 0;
	error_set(err, ERR_CONFLICT, "nothing was sent: no question was chosen");
	return error_hint(err, "belfry inbox reply THREAD#SEQ");
}

int cmd_inbox_reply(const struct cli *c, struct error *err)
{
	AUTO(json_decref) json_t *args = json_copy((json_t *)(uintptr_t)c->args), *result = NULL;
	AUTO(spool_free) struct spool *s = spool_new(c->home);
	int r;

	spool_sweep(c->home);
	if (!json_object_get(args, "body") && isatty(STDIN_FILENO)) {
		if (isatty(STDOUT_FILENO))
			return reply_by_editor(c, s, args, err);
		return mail_body_is_missing("give it, pipe it in, or write it on a terminal", err);
	}
	if ((r = choose_on_terminal(c, args, err)) < 0 || (r = mail_read_body(s, args, err)) < 0)
		return r;
	return mail_post(c, s, args, &result, err);
}
