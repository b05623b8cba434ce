/*
 * mcp-wire.c: messages as lines.
 * The other side may be anything: pipes that do not block, lines without an end, a reader that has gone. No more
 * of a line is kept than its limit allows.
 */
#include "cli/mcp-wire.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define READ_SIZE ((size_t)64 * 1024)

void wire_fini(struct wire *w)
{
	buf_fini(&w->read);
}

/* Whether the call that failed is to be made again, once the descriptor is ready. */
static bool may_retry(int fd, short events)
{
	struct pollfd ready = {.fd = fd, .events = events};

	if (errno == EINTR)
		return true;
	if (errno != EAGAIN && errno != EWOULDBLOCK)
		return false;
	return poll(&ready, 1, -1) >= 0 || errno == EINTR;
}

static int read_more(struct wire *w, struct error *err)
{
	ssize_t n;

	buf_drop_front(&w->read, w->at);
	w->at = 0;
	buf_reserve(&w->read, READ_SIZE);
	do
		n = read(w->in, w->read.data + w->read.len, READ_SIZE);
	while (n < 0 && may_retry(w->in, POLLIN));
	/* A terminal that was hung up, or a socket whose other end died, has ended too. */
	if (n < 0 && errno != EIO && errno != ECONNRESET)
		return error_set_errno(err, errno, "cannot read standard input");
	w->ended = n <= 0;
	if (n > 0)
		w->read.len += (size_t)n;
	return 0;
}

/* Drop what is too much of a line whose end is not there yet. */
static void shorten(struct wire *w, size_t max)
{
	if (w->read.len - w->at <= max)
		return;
	w->skipping = true;
	w->read.len = w->at + max + 1;
	w->scanned = max + 1;
}

/* The line up to `end`, which is its newline or the end of all. */
static void take(struct wire *w, size_t max, const char *end, const char **ret, size_t *ret_len)
{
	size_t len = (size_t)(end - (w->read.data + w->at));

	*ret = w->read.data + w->at;
	*ret_len = w->skipping || len > max ? max + 1 : len;
	w->at += len + (end < w->read.data + w->read.len);
	w->scanned = 0;
	w->skipping = false;
}

static int next_line(struct wire *w, size_t max, const char **ret, size_t *ret_len,
		     struct error *err)
{
	for (;;) {
		size_t held = w->read.len - w->at;
		const char *start = buf_text(&w->read) + w->at;
		const char *end = held > w->scanned
					  ? memchr(start + w->scanned, '\n', held - w->scanned)
					  : NULL;
		int r;

		if (!end && w->ended && held)
			end = start + held;
		if (end) {
			take(w, max, end, ret, ret_len);
			return 1;
		}
		if (w->ended)
			return 0;
		w->scanned = held;
		shorten(w, max);
		r = read_more(w, err);
		if (r < 0)
			return r;
	}
}

static bool is_blank(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!strchr(" \t\r", text[i]) || !text[i])
			return false;
	return true;
}

int wire_next(struct wire *w, size_t max, const char **ret, size_t *ret_len, struct error *err)
{
	int r;

	do
		r = next_line(w, max, ret, ret_len, err);
	while (r > 0 && is_blank(*ret, *ret_len));
	return r;
}

bool wire_is_busy(const struct wire *w, int timeout_ms)
{
	struct pollfd ready = {.fd = w->in, .events = POLLIN};

	return w->ended || w->read.len > w->at || poll(&ready, 1, timeout_ms) != 0;
}

int wire_send(struct wire *w, const json_t *message, struct error *err)
{
	AUTO_BUF struct buf text = {0};
	size_t sent = 0;

	json_add(message, &text);
	buf_add_char(&text, '\n');
	while (sent < text.len) {
		ssize_t n = write(w->out, text.data + sent, text.len - sent);

		if (n < 0 && may_retry(w->out, POLLOUT))
			continue;
		if (n < 0 && (errno == EPIPE || errno == ECONNRESET || errno == EIO))
			return 0;
		if (n < 0)
			return error_set_errno(err, errno, "cannot write to standard output");
		sent += (size_t)n;
	}
	return 1;
}
