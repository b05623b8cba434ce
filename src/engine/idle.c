/*
 * idle.c: reminders that wait for their agent to be idle. Such a one has no due time of its own: it
 * gets one when its agent becomes idle, loses it when the agent is at work again, and after it has
 * fired waits for the next time the agent was at work and became idle.
 */
#include "engine/internal.h"

#include "store/live.h"

int idle_changed(struct engine *e, const struct live *l, usec_t now, struct error *err)
{
	(void)e, (void)l, (void)now, (void)err;
	return 0;
}
