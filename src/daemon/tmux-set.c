/*
 * tmux-set.c: the settings of our tmux server.
 * They are given as commands, when the server is started and again at each connection: no file of
 * ours has to be there, none of the person's is read, and a newer Belfry's settings reach a server
 * that an older one started. Nothing in it may wake up by itself: 200 sleeping agents sleep.
 */
#include "daemon/tmux-set.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "daemon/tmux.h"

/* A terminal that comes to show a window leaves a mark there (live-unsent.c). Our own connection is no terminal. */
#define NOTE_VIEW                                                                                  \
	"if-shell -F '#{==:#{session_name}," TMUX_SESSION "}' '' 'set-option -pa @belfry_views x'"

/* clang-format off */
const char *const tmux_settings[][TMUX_SETTING_WORDS] = {
	{"set-option", "-s", "exit-empty", "on"},
	{"set-option", "-s", "escape-time", "10"},
	{"set-option", "-g", "history-limit", "5000"},
	{"set-option", "-g", "default-size", "120x40"},
	{"set-option", "-g", "destroy-unattached", "off"},
	{"set-option", "-g", "update-environment", ""},
	{"set-option", "-g", "set-titles", "off"},
	{"set-option", "-g", "bell-action", "none"},
	{"set-option", "-g", "activity-action", "none"},
	{"set-option", "-g", "silence-action", "none"},
	{"set-option", "-g", "lock-after-time", "0"},
	{"set-option", "-g", "status", "on"},
	{"set-option", "-g", "status-interval", "0"}, /* drawn when something changes */
	{"set-option", "-g", "status-left", " belfry  "},
	{"set-option", "-g", "status-left-length", "20"},
	{"set-option", "-g", "status-right", " leave it running: Ctrl-b d "},
	{"set-option", "-gw", "window-size", "latest"},
	{"set-option", "-gw", "aggressive-resize", "on"}, /* only what a terminal shows is as small as it */
	{"set-option", "-gw", "window-status-format", " #W "},
	{"set-option", "-gw", "window-status-current-format", "[#W]"},
	{"set-option", "-gw", "remain-on-exit", "off"},
	{"set-option", "-gw", "automatic-rename", "off"},
	{"set-option", "-gw", "allow-rename", "off"},
	{"set-option", "-gw", "monitor-activity", "off"},
	{"set-hook", "-g", "client-session-changed", NOTE_VIEW},
	{"set-hook", "-g", "session-window-changed", NOTE_VIEW},
	{NULL},
};
/* clang-format on */

static bool has_terminal(const char *name)
{
	static const char *const folders[] = {"/etc/terminfo", "/lib/terminfo",
					      "/usr/share/terminfo", "/usr/lib/terminfo"};

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		AUTO(free) char *file = mem_printf("%s/%c/%s", folders[i], name[0], name);

		if (access(file, R_OK) == 0)
			return true;
	}
	return false;
}

/* A terminal that this machine knows and tmux can be. */
static const char *tmux_terminal(void)
{
	static const char *const names[] = {"tmux-256color", "screen-256color"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (has_terminal(names[i]))
			return names[i];
	return "screen";
}

/*
 * What belongs to another tmux or terminal; and what belongs to a run: a daemon that was started from
 * within one has its names, by which the server would count as left over from it.
 */
static bool is_foreign(const char *variable)
{
	static const char *const starts[] = {
		"TMUX=",
		"TMUX_PANE=",
		"TERM=",
		"TERM_PROGRAM",
		"COLUMNS=",
		"LINES=",
		"STY=",
		"WINDOW=",
		"BELFRY_AGENT=",
		"BELFRY_RUN=",
		"BELFRY_MISSION",
		"BELFRY_WORKSPACE=",
		"BELFRY_HOOKS=",
		"BELFRY_REMINDER",
		"BELFRY_MESSAGE",
		"BELFRY_PRIORITY",
		"BELFRY_SCHEDULED_AT=",
		"BELFRY_LATE_BY=",
		"BELFRY_MISSED_",
		"BELFRY_ATTEMPT=",
		"BELFRY_USER=",
		"BELFRY_TRUST=",
		"BELFRY_SESSION=",
	};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (strncmp(variable, starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
}

char **tmux_environment(void)
{
	size_t count = 0, n = 0;
	char **list;

	for (char **p = environ; *p; p++)
		count++;
	list = mem_array(count + 1, sizeof(*list));
	for (char **p = environ; *p; p++)
		if (!is_foreign(*p))
			list[n++] = *p;
	return list;
}

/* --- the command that starts it ----------------------------------------------------------- */

#define WORDS_MAX 512 /* of ours there are some 150, and those of a window are counted before */

struct words {
	char **list; /* zeroed, of WORDS_MAX */
	size_t count;
};

static void add_word(struct words *w, const char *word)
{
	if (w->count + 1 < WORDS_MAX)
		w->list[w->count++] = mem_strdup(word);
}

static void add_words(struct words *w, const char *const *words)
{
	for (; *words; words++)
		add_word(w, *words);
}

/* In arguments of the program itself, a semicolon at the end of one would end the command. */
static char *guarded(const char *word)
{
	size_t len = strlen(word);

	if (!len || word[len - 1] != ';' || strcmp(word, ";") == 0)
		return mem_strdup(word);
	return mem_printf("%.*s\\;", (int)(len - 1), word);
}

char **tmux_create_command(const char *socket, char *const *window)
{
	const char *const begin[] = {TMUX_PROGRAM, "-u", "-S", socket, "-f", "/dev/null", NULL};
	const char *const terminal[] = {"set-option", "-s", "default-terminal", tmux_terminal(),
					NULL};
	static const char *const session[] = {";", "new-session", "-d", "-s", TMUX_SESSION, NULL};
	struct words w = {.list = mem_array(WORDS_MAX, sizeof(char *))};

	add_words(&w, begin);
	add_words(&w, terminal);
	for (size_t i = 0; tmux_settings[i][0]; i++) {
		add_word(&w, ";");
		add_words(&w, tmux_settings[i]);
	}
	add_words(&w, session);
	for (; *window; window++) {
		AUTO(free) char *word = guarded(*window);

		add_word(&w, word);
	}
	return w.list;
}
