#pragma once
/* One process of tmux with pipes to it: a command that ends, or the connection in control mode. */
#include <stddef.h>
#include <sys/types.h>
#include <uv.h>

#include "base/error.h"

struct tmux_link;
struct tmux_link_calls {
	void (*on_bytes)(const char *bytes, size_t len, void *data); /* of its standard output */
	/*
	 * It has ended, and all it said was read; `complaint` is the last of its standard error.
	 * The only thing to do with the link then is to close it.
	 */
	void (*on_end)(int exit_status, const char *complaint, void *data);
};
struct tmux_link_order {
	char *const *argv;
	char *const *environment; /* all of it */
	const char *folder;	  /* that it works in */
	mode_t mask;
};
/* *ret is closed by tmux_link_close(), also after its end. A missing program says what to do. */
int tmux_link_start(uv_loop_t *loop, const struct tmux_link_order *order,
		    const struct tmux_link_calls *calls, void *data, struct tmux_link **ret,
		    struct error *err);
pid_t tmux_link_pid(const struct tmux_link *l);
void tmux_link_write(struct tmux_link *l, const char *bytes, size_t len);
/* No more calls; what still runs is killed. It frees itself while the loop runs on; NULL is fine. */
void tmux_link_close(struct tmux_link *l);
