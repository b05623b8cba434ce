#pragma once
/*
 * A picture on the whole terminal that is kept up to date, until q or Ctrl-C. The terminal is as it
 * was afterwards, however the watching ended.
 */
#include "terminal/style.h"

#include "base/error.h"

struct watch {
	void *data;
	/* Look again; 1 when there is something new to draw, 0 when not, negative to leave. */
	int (*look)(void *data, size_t lines, struct error *err);
	/* The whole picture, `lines` lines at most. */
	void (*draw)(void *data, const struct style *style, size_t lines, struct buf *out);
};

/* Returns 0 when the person left. ERR_INVALID when there is no terminal that can do it. */
int watch_run(const struct watch *w, struct error *err);
