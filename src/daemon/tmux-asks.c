/*
 * tmux-asks.c: lists of what tmux is asked. tmux answers in the order in which it was asked, so the
 * first of those that were sent is always the one that an answer is for.
 */
#include "daemon/tmux-asks.h"

#include <stdlib.h>

#include "base/mem.h"

struct tmux_asked *tmux_asked_new(enum tmux_ask_kind kind, tmux_on_answer *on_answer, void *data)
{
	struct tmux_asked *ask = mem_zalloc(sizeof(*ask));

	ask->kind = kind;
	ask->on_answer = on_answer;
	ask->data = data;
	return ask;
}

void tmux_asked_free(struct tmux_asked *ask)
{
	mem_free_list(ask->words);
	free(ask);
}

void tmux_asked_answer(struct tmux_asked *ask, const char *output, size_t len, const char *error)
{
	if (ask->on_answer)
		ask->on_answer(output, len, error, ask->data);
	tmux_asked_free(ask);
}

void tmux_asked_nobody(const char *output, size_t len, const char *error, void *data)
{
	(void)output, (void)len, (void)error, (void)data;
}

void tmux_asked_cancel(struct tmux_asked *ask, const void *data)
{
	if (ask && ask->on_answer && ask->data == data)
		ask->on_answer = tmux_asked_nobody;
}

void tmux_asks_init(struct tmux_asks *a)
{
	a->first = NULL;
	a->end = &a->first;
}

void tmux_asks_add(struct tmux_asks *a, struct tmux_asked *ask)
{
	ask->next = NULL;
	*a->end = ask;
	a->end = &ask->next;
}

struct tmux_asked *tmux_asks_take(struct tmux_asks *a)
{
	struct tmux_asked *ask = a->first;

	if (!ask)
		return NULL;
	a->first = ask->next;
	if (!a->first)
		a->end = &a->first;
	return ask;
}

struct tmux_asked *tmux_asks_take_open(struct tmux_asks *a)
{
	struct tmux_asked **slot = &a->first, *ask;

	while (*slot && (*slot)->kind != ASK_OPEN)
		slot = &(*slot)->next;
	ask = *slot;
	if (!ask)
		return NULL;
	*slot = ask->next;
	if (!*slot)
		a->end = slot;
	return ask;
}

void tmux_asks_move(struct tmux_asks *from, struct tmux_asks *to)
{
	struct tmux_asked *ask;

	while ((ask = tmux_asks_take(from)))
		tmux_asks_add(to, ask);
}

void tmux_asks_cancel(struct tmux_asks *a, const void *data)
{
	for (struct tmux_asked *ask = a->first; ask; ask = ask->next)
		tmux_asked_cancel(ask, data);
}

void tmux_asks_fini(struct tmux_asks *a)
{
	struct tmux_asked *ask;

	while ((ask = tmux_asks_take(a)))
		tmux_asked_free(ask);
}
