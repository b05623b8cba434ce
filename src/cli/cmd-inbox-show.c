/*
 * cmd-inbox-show.c: a thread, printed. It comes in pages, oldest first, so that a thread of any
 * length stands in nobody's memory; a single message is read from its file, as far as it goes.
 * What was printed is marked read, but only once it got where it was sent.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/observe.h"
#include "terminal/markdown.h"

#define JSON_MESSAGES 1000		     /* a program gets so many when it does not say */
#define RENDER_MAX ((size_t)4 * 1024 * 1024) /* longer ones are shown as they are written */
#define JSON_MAX ((size_t)64 * 1024 * 1024)
#define CHUNK ((size_t)64 * 1024)

struct show {
	const struct cli *c;
	struct session *session;
	json_t *thread; /* as it was when we began */
	json_t *all;	/* --json: the messages */
	int64_t last;	/* number of the last one that was shown */
	bool older;	/* there are some before the first one that is shown */
	bool raw;
};

static void show_fini(struct show *s)
{
	session_free(s->session);
	json_decref(s->thread);
	json_decref(s->all);
}
#define AUTO_SHOW __attribute__((cleanup(show_fini)))

static bool flag(const struct cli *c, const char *name)
{
	return json_is_true(json_object_get(c->args, name));
}

/* --- bodies from their files --- */

/* A file of ours: never through a link, never anything but a file. */
static int open_body(const json_t *m, struct error *err)
{
	const char *path = view_text(m, "file");
	int fd = file_open(path, O_RDONLY | O_NOFOLLOW, err);

	if (fd >= 0)
		return fd;
	return error_hint(err,
			  "its beginning is kept elsewhere too: leave out --message and --raw");
}

typedef int body_chunk(const char *bytes, size_t len, void *data);

static int each_chunk(int fd, body_chunk *each, void *data, struct error *err)
{
	AUTO(free) char *chunk = mem_alloc(CHUNK);
	ssize_t n;

	while ((n = read(fd, chunk, CHUNK)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_set_errno(err, errno, "cannot read the message");
		each(chunk, (size_t)n, data);
		/* Nobody reads any more: main() says so. */
		if (ferror(stdout))
			return 0;
	}
	return 0;
}

static int write_raw(const char *bytes, size_t len, void *data)
{
	(void)data;
	return fwrite(bytes, 1, len, stdout) == len ? 0 : -1;
}

/* How many bytes at the end have to wait for those that follow: half a character, a CR. */
static size_t unfinished(const struct buf *b)
{
	size_t back = 1;
	unsigned char c;

	while (back < 4 && back < b->len && ((unsigned char)b->data[b->len - back] & 0xc0) == 0x80)
		back++;
	c = b->len ? (unsigned char)b->data[b->len - back] : 0;
	if (c == '\r' && back == 1)
		return 1;
	return c >= 0xc0 && back < (c < 0xe0 ? 2U : c < 0xf0 ? 3U : 4U) ? back : 0;
}

static void print_visible(struct buf *left, size_t used)
{
	AUTO_BUF struct buf text = {0}, out = {0};

	for (size_t i = 0; i < used; i++) {
		char c = left->data[i];

		if (c != '\r' || i + 1 == left->len || left->data[i + 1] != '\n')
			buf_add_char(&text, c ? c : '?');
	}
	visible_block(&out, buf_text(&text), "");
	buf_drop_front(left, used);
	cli_write(&out);
}

static int write_visible(const char *bytes, size_t len, void *data)
{
	struct buf *left = data;

	buf_add(left, bytes, len);
	print_visible(left, left->len - unfinished(left));
	return 0;
}

/* --- one message --- */

static void end_line(const struct buf *text)
{
	if (text->len && text->data[text->len - 1] != '\n')
		putchar('\n');
}

/* As it was written, from its file, or what Belfry itself said. */
static int print_raw(const json_t *m, struct error *err)
{
	AUTO_CLOSE int fd = -1;

	if (!*view_text(m, "file")) {
		puts(view_text(m, "text"));
		return 0;
	}
	fd = open_body(m, err);
	return fd < 0 ? fd : each_chunk(fd, write_raw, NULL, err);
}

/* All of it rendered, where there is a terminal and it is not enormous. */
static int print_rendered(const struct cli *c, int fd, int64_t size, struct error *err)
{
	AUTO_BUF struct buf body = {0}, out = {0};
	AUTO(free) char *clean = NULL;

	while (body.len < (size_t)size) {
		ssize_t n;

		buf_reserve(&body, CHUNK);
		n = read(fd, body.data + body.len, CHUNK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_set_errno(err, errno, "cannot read the message");
		if (n == 0)
			break;
		body.len += (size_t)n;
	}
	clean = text_clean_block(buf_text(&body), body.len);
	markdown_render(clean, strlen(clean), &c->style, 0, &out);
	cli_write(&out);
	end_line(&out);
	return 0;
}

static int print_streamed(int fd, struct error *err)
{
	AUTO_BUF struct buf left = {0};
	int r = each_chunk(fd, write_visible, &left, err);

	if (r == 0)
		print_visible(&left, left.len);
	putchar('\n');
	return r;
}

/* From its file, however long it is. */
static int print_whole(const struct cli *c, const json_t *m, struct error *err)
{
	AUTO_BUF struct buf out = {0};
	struct view v = cli_view(c, &out);
	int64_t size = view_int(m, "size");
	AUTO_CLOSE int fd = open_body(m, err);
	int r;

	if (fd < 0)
		return fd;
	view_mail_head(&v, m);
	cli_write(&out);
	buf_clear(&out);
	if (c->style.terminal && size <= (int64_t)RENDER_MAX)
		r = print_rendered(c, fd, size, err);
	else
		r = print_streamed(fd, err);
	view_mail_foot(&v, m);
	cli_write(&out);
	return r;
}

/* A program gets the whole text too, as long as it can be held. */
static int load_whole(json_t *m, struct error *err)
{
	AUTO_BUF struct buf body = {0};
	AUTO(free) char *clean = NULL;
	int r;

	if (json_is_true(json_object_get(m, "whole")) || view_int(m, "size") > (int64_t)JSON_MAX)
		return 0;
	r = file_read(view_text(m, "file"), JSON_MAX, &body, err);
	if (r < 0)
		return r;
	clean = text_clean_block(buf_text(&body), body.len);
	json_put_text(m, "text", clean);
	json_put_bool(m, "whole", true);
	return 0;
}

static int show_one(struct show *s, json_t *shown, struct error *err)
{
	json_t *m = json_array_get(json_object_get(shown, "messages"), 0);
	AUTO_BUF struct buf out = {0};
	struct view v = cli_view(s->c, &out);
	int r;

	if (s->raw)
		return print_raw(m, err);
	if (s->c->json) {
		r = load_whole(m, err);
		if (r == 0)
			cli_write_json(shown);
		return r;
	}
	if (!json_is_true(json_object_get(m, "whole")))
		return print_whole(s->c, m, err);
	view_mail(&v, m);
	cli_write(&out);
	return 0;
}

/* --- all of them --- */

static int print_message(struct show *s, const json_t *m, bool first, struct error *err)
{
	AUTO_BUF struct buf out = {0};
	struct view v = cli_view(s->c, &out);

	s->last = view_int(m, "seq");
	if (s->all) {
		json_array_append(s->all, (json_t *)(uintptr_t)m);
		return 0;
	}
	if (s->raw) {
		if (!first)
			printf("\n<!-- message %" PRId64 " -->\n\n", s->last);
		return print_raw(m, err);
	}
	if (!first)
		buf_add_char(&out, '\n');
	view_mail(&v, m);
	cli_write(&out);
	return 0;
}

struct pages {
	struct show *show;
	int64_t up_to; /* what is written meanwhile is not waited for */
	bool first;
};

static int on_page(const json_t *result, void *data, struct error *err)
{
	struct pages *p = data;
	const json_t *messages = json_object_get(result, "messages"), *m;
	size_t i;

	json_array_foreach(messages, i, m)
	{
		int r = view_int(m, "seq") > p->up_to ? 0
						      : print_message(p->show, m, p->first, err);

		p->first = false;
		if (r < 0)
			return r;
	}
	/* Nobody reads any more. */
	return ferror(stdout) ? error_set(err, ERR_SYSTEM, "cannot write to standard output") : 0;
}

static int64_t wanted_count(const struct cli *c, int64_t all)
{
	int64_t last = view_int(c->args, "last");

	if (last)
		return last < all ? last : all;
	return c->json && all > JSON_MESSAGES ? JSON_MESSAGES : all;
}

static void print_json(struct show *s)
{
	const json_t *first = json_array_get(s->all, 0);
	AUTO(json_decref) json_t *o = json_object();

	json_put(o, "thread", json_incref(s->thread));
	json_put(o, "messages", json_incref(s->all));
	json_put(o, "more", first && s->older ? json_integer(view_int(first, "seq")) : json_null());
	cli_write_json(o);
}

static void print_head(const struct show *s)
{
	AUTO_BUF struct buf out = {0};
	struct view v = cli_view(s->c, &out);

	view_thread_head(&v, s->thread);
	buf_add_char(&out, '\n');
	cli_write(&out);
}

/* The number before the last `wanted` ones. They are counted from the end: some may be gone. */
static int find_start(struct show *s, int64_t wanted, int64_t *ret, struct error *err)
{
	AUTO(json_decref) json_t *args = observer_args("thread", view_text(s->thread, "id"));

	json_put_int(args, "before", view_int(s->thread, "messages") + 1);
	do {
		AUTO(json_decref) json_t *page = NULL;
		const json_t *messages, *more;

		json_put_int(args, "last", wanted);
		if (session_ask(s->session, "inbox show", args, &page, err) < 0)
			return err->code;
		messages = json_object_get(page, "messages");
		more = json_object_get(page, "more");
		wanted -= (int64_t)json_array_size(messages);
		*ret = view_int(json_array_get(messages, 0), "seq") - 1;
		s->older = json_is_integer(more);
		json_put_int(args, "before", *ret + 1);
	} while (wanted > 0 && s->older);
	return 0;
}

static int show_all(struct show *s, struct error *err)
{
	int64_t count = view_int(s->thread, "messages"), wanted = wanted_count(s->c, count);
	AUTO(json_decref) json_t *args = observer_args("thread", view_text(s->thread, "id"));
	struct pages p = {s, count, true};
	int64_t after = 0;
	int r = wanted < count ? find_start(s, wanted, &after, err) : 0;

	if (r < 0)
		return r;
	json_put_int(args, "after", after);
	if (s->c->json)
		s->all = json_array();
	else if (!s->raw)
		print_head(s);
	r = session_ask_pages(s->session, "inbox show", args, on_page, &p, err);
	if (r == 0 && s->c->json)
		print_json(s);
	return r;
}

/* Pages as a program asked for them, with the cursors of the request itself. */
static int show_page(struct show *s, struct error *err)
{
	AUTO(json_decref) json_t *result = NULL;
	int r = session_ask(s->session, "inbox show", s->c->args, &result, err);
	struct pages p = {s, INT64_MAX, true};

	if (r < 0)
		return r;
	json_decref(s->thread);
	s->thread = json_incref(json_object_get(result, "thread"));
	if (!s->c->json)
		return on_page(result, &p, err);
	cli_write_json(result);
	return 0;
}

/* --- afterwards --- */

static int mark_read(struct show *s, struct error *err)
{
	AUTO(json_decref) json_t *args = NULL, *result = NULL;
	int r;

	if (flag(s->c, "peek") || !s->last || !view_int(s->thread, "unread"))
		return 0;
	if (fflush(stdout) != 0 || ferror(stdout))
		return 0;
	args = json_object();
	json_put_text(args, "thread", view_text(s->thread, "id"));
	json_put_int(args, "up_to", s->last);
	r = session_ask(s->session, "inbox read", args, &result, err);
	/* A run may look; that it did is not that the person has read it. */
	return r == ERR_DENIED ? 0 : r;
}

static int check_flags(const struct cli *c, struct error *err)
{
	const json_t *last = json_object_get(c->args, "last");

	if (last && json_integer_value(last) < 1) {
		error_set(err, ERR_INVALID, "--last cannot be %" PRId64, view_int(c->args, "last"));
		return error_hint(err, "at least 1");
	}
	if (!flag(c, "raw"))
		return 0;
	if (c->json)
		error_set(err, ERR_INVALID, "--raw and --json exclude each other");
	else if (c->style.terminal)
		error_set(
			err, ERR_INVALID,
			"--raw is for pipes and files: a terminal would obey what it finds in it");
	else
		return 0;
	return error_hint(err, "belfry inbox show %s --raw > FILE", view_text(c->args, "thread"));
}

static json_t *first_args(const struct cli *c)
{
	const json_t *seq = json_object_get(c->args, "message");
	json_t *args = json_object();

	json_put_text(args, "thread", view_text(c->args, "thread"));
	if (seq)
		json_put(args, "message", json_incref((json_t *)(uintptr_t)seq));
	else
		json_put_int(args, "last", 1);
	return args;
}

int cmd_inbox_show(const struct cli *c, struct error *err)
{
	AUTO_SHOW struct show s = {.c = c, .raw = flag(c, "raw")};
	AUTO(json_decref) json_t *args = first_args(c), *first = NULL;
	int r = check_flags(c, err);

	if (r < 0 || (r = session_open(c->home, c->zone, true, &s.session, err)) < 0)
		return r;
	if (json_object_get(c->args, "before") || json_object_get(c->args, "after"))
		return show_page(&s, err);
	r = session_ask(s.session, "inbox show", args, &first, err);
	if (r < 0)
		return r;
	if (json_object_get(c->args, "message"))
		return show_one(&s, first, err);
	s.thread = json_incref(json_object_get(first, "thread"));
	r = show_all(&s, err);
	return r < 0 ? r : mark_read(&s, err);
}
