/* look.c: what a captured screen shows. */
#include <stdlib.h>

#include "agent/presence.h"
#include "base/mem.h"

void look_read(const struct adapter_live *rules, const char *title, const char *screen,
	       int cursor_x, int cursor_y, struct look *ret)
{
	(void)rules, (void)title, (void)screen, (void)cursor_x, (void)cursor_y;
	*ret = (struct look){.look = LOOK_UNKNOWN};
}

void look_fini(struct look *l)
{
	free(l->typed);
}

char *look_plain(const char *screen)
{
	return mem_strdup(screen);
}

enum look_where look_find(const struct adapter_live *rules, const char *screen, int cursor_y,
			  const char *message_id)
{
	(void)rules, (void)screen, (void)cursor_y, (void)message_id;
	return WHERE_NOT;
}
