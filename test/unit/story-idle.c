/* story-idle.c: the step of a story that says what a live agent does. */
#include "story-parts.h"

#include <string.h>

#include "base/mem.h"
#include "engine/internal.h"
#include "store/live.h"

/* ada idle [since 10:00:00]: as if somebody had looked, with nothing else of a session. */
static int set_presence(struct story *s, char *rest, struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	const char *agent = story_word(&rest), *state = story_word(&rest);
	const char *since = story_word(&rest);
	int rc = live_find(s->db, agent, &l, err);

	if (rc >= 0 && !l) {
		l = mem_zalloc(sizeof(*l));
		l->agent = mem_strdup(agent);
		l->evidence = mem_strdup(STORY_PRESENCE);
		l->pane = mem_strdup("%1");
		l->wanted = true;
		l->created_at = l->started_at = s->now;
		l->ended_at = USEC_NONE;
	}
	if (rc < 0)
		return rc;
	l->state = (enum presence)presence_of(state);
	l->since = since ? story_time(since) : s->now;
	l->idle_at = l->state == PRESENCE_IDLE ? l->since : USEC_NONE;
	rc = live_put(s->db, l, err);
	return rc < 0 ? rc : idle_changed(s->engine, l, s->now, err);
}

bool story_idle_step(struct story *s, const char *verb, char *rest)
{
	if (strcmp(verb, "presence") != 0)
		return false;
	story_ask(s, set_presence, rest);
	return true;
}
