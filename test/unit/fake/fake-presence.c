/*
 * fake-presence.c: presence.h in a few lines, for screens like that of test-typing.c: "> " before what
 * is typed, "esc to interrupt" while it works. Tests that link this are about who asks, and when.
 */
#include "agent/presence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void presence_judge(const struct adapter_live *rules, const struct presence_facts *f,
		    struct presence_verdict *ret)
{
	bool looked = f->look_at != USEC_NONE && f->look_at >= f->output_at;

	(void)rules;
	*ret = (struct presence_verdict){.again_at = USEC_NONE, .since = f->started_at};
	ret->wants_look = !looked;
	ret->is = f->look == LOOK_BUSY				  ? IS_BUSY
		  : f->look == LOOK_IDLE || f->look == LOOK_TYPED ? IS_IDLE
		  : f->look == LOOK_BLOCKED			  ? IS_BLOCKED
								  : IS_STARTING;
	if (f->look == LOOK_UNKNOWN && f->event != EVENT_NONE)
		ret->is = f->event == EVENT_PROMPT ? IS_BUSY : IS_IDLE;
	ret->since = f->look_at == USEC_NONE ? f->started_at : f->look_at;
	snprintf(ret->evidence, sizeof(ret->evidence), "look %d", f->look);
}

static const char *line_at(const char *screen, int row)
{
	for (; row > 0 && screen; row--) {
		screen = strchr(screen, '\n');
		screen += screen != NULL;
	}
	return screen ? screen : "";
}

void look_read(const struct adapter_live *rules, const char *title, const char *screen,
	       int cursor_x, int cursor_y, struct look *ret)
{
	const char *line = line_at(screen, cursor_y);

	(void)rules, (void)title, (void)cursor_x;
	*ret = (struct look){0};
	if (strncmp(line, ">", 1) == 0) {
		size_t len = strcspn(line, "\n");

		ret->typed = len > 2 ? mem_strndup(line + 2, len - 2) : mem_strdup("");
		for (len = strlen(ret->typed); len && ret->typed[len - 1] == ' ';)
			ret->typed[--len] = '\0';
		ret->look = *ret->typed ? LOOK_TYPED : LOOK_IDLE;
	}
	if (strstr(screen, "esc to interrupt"))
		ret->look = LOOK_BUSY;
}

void look_fini(struct look *l)
{
	free(l->typed);
	l->typed = NULL;
}

char *look_plain(const char *screen)
{
	return mem_strdup(screen);
}

enum look_where look_find(const struct adapter_live *rules, const char *screen, int cursor_y,
			  const char *message_id)
{
	AUTO(free) char *wanted = mem_printf("[belfry %s", message_id);
	const char *line = line_at(screen, cursor_y);
	const char *found = strstr(screen, wanted);

	(void)rules;
	if (line[0] == '>' && memmem(line, strcspn(line, "\n"), wanted, strlen(wanted)))
		return WHERE_TYPED;
	return found ? WHERE_SENT : WHERE_NOT;
}

void event_fini(struct event *e)
{
	free(e->transcript);
	e->transcript = NULL;
}

static bool has(const char *line, const char *text)
{
	return strstr(line, text) != NULL;
}

int event_parse(const char *line, size_t len, struct event *ret, struct error *err)
{
	AUTO(free) char *text = mem_strndup(line, len);
	const char *message = strstr(text, "\"m-");
	const char *at = strstr(text, "\"at\":");

	*ret = (struct event){0};
	if (!at)
		return error_set(err, ERR_INVALID, "no event");
	ret->event = has(text, "UserPromptSubmit") ? EVENT_PROMPT : EVENT_STOPPED;
	ret->at = strtoll(at + 5, NULL, 10);
	if (message)
		snprintf(ret->message, sizeof(ret->message), "%.10s", message + 1);
	return 0;
}
