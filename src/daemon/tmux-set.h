#pragma once
/* tmux-set.c: how our tmux server is set up, and what the processes in it find around them. */

/* The commands, each a NULL-terminated list of words. The table ends with NULL. */
#define TMUX_SETTING_WORDS 6
extern const char *const tmux_settings[][TMUX_SETTING_WORDS];
/* A terminal that this machine knows and tmux can be. */
const char *tmux_terminal(void);
/* Ours, but for what belongs to another tmux, terminal or run. The caller frees the list only. */
char **tmux_environment(void);
