#pragma once
/* tmux-set.c: how our tmux server is set up, and what the processes in it find around them. */

#define TMUX_PROGRAM "tmux"

/* The commands, each a NULL-terminated list of words. The table ends with NULL. */
#define TMUX_SETTING_WORDS 6
extern const char *const tmux_settings[][TMUX_SETTING_WORDS];
/*
 * The program and its arguments that start the server with a first window: those of new-session that
 * are in `window`. To be freed by mem_free_list().
 */
char **tmux_create_command(const char *socket, char *const *window);
/* Ours, but for what belongs to another tmux, terminal or run. The caller frees the list only. */
char **tmux_environment(void);
