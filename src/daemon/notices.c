/*
 * notices.c: a poll on the store's own descriptor.
 * Our commits make it readable too; the store tells them from those of others, so they cost a look
 * and no turn. Not even a look each: where one follows soon after another it rests before the next, so
 * that a thousand turns in a row pay for a few, and a turn that wrote nothing for none. A single commit
 * is looked at once, and nothing wakes us after it. A descriptor that cannot be asked is not polled again before the next turn has
 * found the store in order: it would be readable for ever.
 */
#include "daemon/notices.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"

#define REST_MS 30

struct notices {
	uv_loop_t *loop;
	struct db *db; /* NULL: none is listened to */
	uv_poll_t
		*poll; /* its own memory: it lives a turn of the loop longer than its descriptor */
	uv_timer_t rest;
	uint64_t looked; /* when it was last asked, by the loop's clock; 0: never */
	notices_on_change *on_change;
	void *data;
};

static void on_closed(uv_handle_t *handle)
{
	free(handle);
}

void notices_leave(struct notices *n)
{
	if (n->poll)
		uv_close((uv_handle_t *)n->poll, on_closed);
	uv_timer_stop(&n->rest);
	n->poll = NULL;
	n->db = NULL;
}

static void look(struct notices *n)
{
	struct error err = {0};
	bool changed = false;

	if (db_notices(n->db, &changed, &err) < 0) {
		log_debug("%s", err.message);
		notices_leave(n);
		changed = true;
	}
	uv_update_time(n->loop);
	n->looked = uv_now(n->loop);
	if (changed)
		n->on_change(n->data);
}

static void on_readable(uv_poll_t *poll, int status, int events);

static void on_rested(uv_timer_t *timer)
{
	struct notices *n = timer->data;

	uv_poll_start(n->poll, UV_READABLE, on_readable);
	look(n);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
	struct notices *n = poll->data;

	(void)status;
	(void)events;
	if (!n->looked || uv_now(n->loop) - n->looked >= REST_MS) {
		look(n);
		return;
	}
	db_rest_notices(n->db);
	uv_poll_stop(n->poll);
	uv_timer_start(&n->rest, on_rested, REST_MS, 0);
}

void notices_follow(struct notices *n, struct db *db)
{
	int fd;

	if (n->db == db)
		return;
	notices_leave(n);
	n->db = db;
	fd = db_notice_fd(db);
	if (fd < 0)
		return;
	n->poll = mem_zalloc(sizeof(*n->poll));
	uv_poll_init(n->loop, n->poll, fd);
	n->poll->data = n;
	uv_poll_start(n->poll, UV_READABLE, on_readable);
}

struct notices *notices_new(uv_loop_t *loop, notices_on_change *on_change, void *data)
{
	struct notices *n = mem_zalloc(sizeof(*n));

	n->loop = loop;
	n->on_change = on_change;
	n->data = data;
	uv_timer_init(loop, &n->rest);
	n->rest.data = n;
	return n;
}

void notices_close(struct notices *n)
{
	notices_leave(n);
	uv_close((uv_handle_t *)&n->rest, NULL);
}

void notices_free(struct notices *n)
{
	free(n);
}
