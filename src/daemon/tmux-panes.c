/* tmux-panes.c: which panes are there, by the lists that tmux gives of them. */
#include "daemon/tmux-panes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct tmux_pane {
	struct tmux_pane *next;
	char id[16];
};

void tmux_panes_add(struct tmux_panes *known, const char *id, size_t len)
{
	struct tmux_pane *p = known->first;

	if (len == 0 || len >= sizeof(p->id) || id[0] != '%')
		return;
	while (p && (strncmp(p->id, id, len) != 0 || p->id[len]))
		p = p->next;
	if (p)
		return;
	p = mem_zalloc(sizeof(*p));
	memcpy(p->id, id, len);
	p->next = known->first;
	known->first = p;
}

static bool is_listed(const char *id, const char *list)
{
	size_t len = strlen(id);

	for (const char *line = list; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, id, len) == 0 && line[len] == ' ')
			return true;
	}
	return false;
}

void tmux_panes_compare(struct tmux_panes *known, const char *list,
			void (*on_gone)(const char *id, void *data), void *data)
{
	struct tmux_pane *gone = NULL, *p;

	for (struct tmux_pane **slot = &known->first; (p = *slot);) {
		if (is_listed(p->id, list)) {
			slot = &p->next;
			continue;
		}
		*slot = p->next;
		p->next = gone;
		gone = p;
	}
	for (const char *line = list; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		tmux_panes_add(known, line, strcspn(line, " \n"));
	}
	while ((p = gone)) {
		gone = p->next;
		on_gone(p->id, data);
		free(p);
	}
}

void tmux_panes_fini(struct tmux_panes *known)
{
	struct tmux_pane *p;

	while ((p = known->first)) {
		known->first = p->next;
		free(p);
	}
}
