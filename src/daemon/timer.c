/*
 * timer.c: an absolute timerfd of CLOCK_REALTIME.
 * The kernel keeps the alarm, so a suspended machine wakes late but wakes; and cancel-on-set tells
 * us when somebody moves the clock, so that an alarm set for a wall time is never an hour off.
 */
#include "daemon/timer.h"

#include <assert.h>
#include <errno.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void on_readable(uv_poll_t *poll, int status, int events)
{
	struct timer *t = poll->data;
	uint64_t expirations;
	ssize_t n = read(t->fd, &expirations, sizeof(expirations));

	(void)status;
	(void)events;
	t->armed = 0;
	/* ECANCELED: the clock was set. Whether that made something due is for the turn to see. */
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	t->on_wake(t->data);
}

int timer_init(struct timer *t, uv_loop_t *loop, void (*on_wake)(void *data), void *data,
	       struct error *err)
{
	t->fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
	if (t->fd < 0)
		return error_set_errno(err, errno, "cannot create the timer");
	t->on_wake = on_wake;
	t->data = data;
	uv_poll_init(loop, &t->poll, t->fd);
	t->poll.data = t;
	uv_poll_start(&t->poll, UV_READABLE, on_readable);
	return 0;
}

void timer_arm(struct timer *t, usec_t at)
{
	struct itimerspec spec = {0};
	int rc;

	/* All zero would disarm it. */
	if (at < 1)
		at = 1;
	/* It stands as it is, also when somebody has set the clock: then it rings by itself. */
	if (at == t->armed)
		return;
	t->armed = at;
	spec.it_value.tv_sec = at / USEC_PER_SEC;
	spec.it_value.tv_nsec = at % USEC_PER_SEC * 1000;
	rc = timerfd_settime(t->fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &spec, NULL);
	/*
	 * The clock was set since the last look: the alarm holds, but the caller's idea of "now"
	 * is of the old clock, and nothing else would tell it.
	 */
	if (rc < 0 && errno == ECANCELED)
		t->on_wake(t->data);
	else
		assert(rc == 0);
}

static void on_closed(uv_handle_t *handle)
{
	struct timer *t = handle->data;

	close(t->fd);
}

void timer_close(struct timer *t)
{
	uv_close((uv_handle_t *)&t->poll, on_closed);
}
