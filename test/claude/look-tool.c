/*
 * look-tool.c: what Belfry sees on a screen of Claude Code, for its tests.
 *	tmux capture-pane -e -p | look-tool TITLE X Y [MESSAGE]
 * prints what it looks like and what is typed; with MESSAGE, where that one is.
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/presence.h"
#include "base/file.h"

static const char *const looks[] = {[LOOK_UNKNOWN] = "unknown",
				    [LOOK_IDLE] = "idle",
				    [LOOK_TYPED] = "typed",
				    [LOOK_BUSY] = "busy",
				    [LOOK_BLOCKED] = "blocked"};
static const char *const places[] = {[WHERE_NOT] = "nowhere",
				     [WHERE_TYPED] = "typed",
				     [WHERE_MIXED] = "mixed",
				     [WHERE_SENT] = "sent"};

int main(int argc, char **argv)
{
	AUTO(adapter_free) struct adapter *a = adapter_built_in("claude");
	AUTO_BUF struct buf screen = {0};
	struct error err = {0};
	struct look look;
	int x, y;

	setlocale(LC_CTYPE, "C.UTF-8");
	if (argc < 4 || fd_read(STDIN_FILENO, "standard input", LOOK_MAX, &screen, &err) < 0)
		return 2;
	x = (int)strtol(argv[2], NULL, 10);
	y = (int)strtol(argv[3], NULL, 10);
	if (argc > 4) {
		puts(places[look_find(&a->live, buf_text(&screen), 0, y, argv[4])]);
		return 0;
	}
	look_read(&a->live, argv[1], buf_text(&screen), x, y, &look);
	printf("%s %s\n", looks[look.look], look.typed ? look.typed : "-");
	look_fini(&look);
	return 0;
}
