/* tmux.c: the private tmux server, in control mode. */
#include "daemon/tmux.h"

#include <stdlib.h>

#include "base/mem.h"

struct tmux {
	const struct tmux_calls *calls;
	void *data;
};

struct tmux *tmux_new(uv_loop_t *loop, const char *socket, mode_t mask,
		      const struct tmux_calls *calls, void *data)
{
	struct tmux *t = mem_zalloc(sizeof(*t));

	(void)loop, (void)socket, (void)mask;
	t->calls = calls;
	t->data = data;
	return t;
}

void tmux_close(struct tmux *t)
{
	(void)t;
}

void tmux_free(struct tmux *t)
{
	free(t);
}

void tmux_open(struct tmux *t, const char *name, const char *directory, char *const *argv,
	       tmux_on_answer *on_answer, void *data)
{
	(void)t, (void)name, (void)directory, (void)argv;
	on_answer(NULL, 0, "not there yet", data);
}

void tmux_ask(struct tmux *t, char *const *words, tmux_on_answer *on_answer, void *data)
{
	(void)t, (void)words;
	on_answer(NULL, 0, "not there yet", data);
}

void tmux_panes(struct tmux *t, tmux_on_answer *on_answer, void *data)
{
	(void)t;
	on_answer("", 0, NULL, data);
}
