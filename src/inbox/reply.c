/* reply.c: `inbox reply`: the answer is an argument, standard input, or written in an editor. */
#include <unistd.h>

#include "cli/mail.h"
#include "inbox/inbox.h"

#define TEMPLATE_MESSAGES 20

/* Returns 1 when there is an answer in the arguments, 0 when the person thought better of it. */
static int compose(const struct cli *c, struct spool *s, json_t *args, struct error *err)
{
	AUTO(json_decref) json_t *shown = NULL, *about = json_object();
	AUTO_BUF struct buf text = {0};
	int r;

	json_put_text(about, "thread", view_text(args, "thread"));
	json_put_int(about, "last", TEMPLATE_MESSAGES);
	r = cli_ask(c, "inbox show", about, &shown, err);
	if (r == 0)
		r = compose_reply(c, shown, &text, err);
	if (r <= 0)
		return r;
	json_put_text(args, "thread", view_text(json_object_get(shown, "thread"), "id"));
	r = spool_text(s, buf_text(&text), text.len, args, err);
	return r < 0 ? r : 1;
}

static int reply_by_editor(const struct cli *c, struct spool *s, json_t *args, struct error *err)
{
	AUTO(json_decref) json_t *result = NULL;
	int r = compose(c, s, args, err);

	if (r < 0)
		return r;
	if (r == 0) {
		puts("nothing written, nothing sent");
		return 0;
	}
	r = mail_post(c, s, args, &result, err);
	if (r == 0)
		compose_sent(c, view_text(args, "thread"));
	return r;
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
	r = mail_read_body(s, args, err);
	return r < 0 ? r : mail_post(c, s, args, &result, err);
}
