#pragma once
/* The panes that are known to be there, so that it is noticed when one is there no more. */
#include <stddef.h>

struct tmux_pane;
struct tmux_panes {
	struct tmux_pane *first;
};
/* What is no name of a pane, or is known, changes nothing. */
void tmux_panes_add(struct tmux_panes *p, const char *id, size_t len);
/*
 * `list` is everything that is there, one a line, beginning with its id and a space. New ones are known
 * from then on; for those that are there no more `on_gone` is called, last of all: it may ask for
 * anything but the end of `p`.
 */
void tmux_panes_compare(struct tmux_panes *p, const char *list,
			void (*on_gone)(const char *id, void *data), void *data);
void tmux_panes_fini(struct tmux_panes *p);
