#pragma once
/* One alarm on the wall clock, for everything that waits for a time. */
#include <uv.h>

#include "base/clock.h"
#include "base/error.h"

struct timer {
	int fd;
	usec_t armed; /* the alarm that is set; 0: none, or it has rung */
	uv_poll_t poll;
	void (*on_wake)(void *data); /* the instant came, or somebody set the clock */
	void *data;
};

int timer_init(struct timer *t, uv_loop_t *loop, void (*on_wake)(void *data), void *data,
	       struct error *err);
/* Replaces the alarm before it. An instant that has passed wakes at once. */
void timer_arm(struct timer *t, usec_t at);
void timer_close(struct timer *t); /* the memory is the caller's, until the loop has run */
