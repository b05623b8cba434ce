/*
 * trouble.c: what is wrong is told once. A condition that cannot be checked every second would be
 * 86,400 messages a day; nobody would read any. So a person is told when it begins, once a day while
 * it lasts, and when it comes back, but not more often than once an hour.
 * A mistake in a file is made by a hand, which no second repeats: another one, or one that is back, is
 * told at once.
 */
#include "engine/internal.h"

#include <string.h>

#include "base/mem.h"
#include "store/trouble.h"

#define AGAIN_WHILE_IT_LASTS USEC_PER_DAY
#define AGAIN_WHEN_IT_IS_BACK USEC_PER_HOUR

static bool is_to_be_told(const struct trouble *t, usec_t now)
{
	usec_t pause = t->over ? AGAIN_WHEN_IT_IS_BACK : AGAIN_WHILE_IT_LASTS;

	/* A clock that was set back has not told anybody yet. */
	return now < t->told_at || now - t->told_at >= pause;
}

/* `t` is what was known of it; NULL: nothing. */
static int note(struct engine *e, const struct trouble *t, struct trouble *is, bool tells,
		usec_t now, struct error *err)
{
	is->since = !t || t->over ? now : t->since;
	is->told_at = tells ? now : t->told_at;
	return trouble_put(e->db, is, err);
}

int trouble_tell(struct engine *e, const char *name, const struct reminder *r, const char *what,
		 const char *text, usec_t now, struct error *err)
{
	AUTO(trouble_free) struct trouble *t = NULL;
	struct trouble is;
	bool tells;
	int rc = trouble_find(e->db, name, &t, err);

	if (rc < 0)
		return rc;
	tells = !t || is_to_be_told(t, now);
	if (t && !tells && !t->over && strcmp(t->what, what) == 0)
		return 0;
	is = (struct trouble){.name = (char *)(uintptr_t)name,
			      .reminder = r ? r->key : 0,
			      .what = (char *)(uintptr_t)what};
	rc = note(e, t, &is, tells, now, err);
	return rc < 0 || !tells ? rc : deliver_notice(e, r, NULL, what, text, now, err);
}

int trouble_tell_mistake(struct engine *e, const struct mistake *m, usec_t now, struct error *err)
{
	AUTO(trouble_free) struct trouble *t = NULL;
	struct trouble is = {.name = (char *)(uintptr_t)m->name,
			     .what = (char *)(uintptr_t)m->what};
	int rc = trouble_find(e->db, m->name, &t, err);

	if (rc < 0 || (t && !t->over && strcmp(t->what, m->what) == 0 && !is_to_be_told(t, now)))
		return rc;
	rc = note(e, t, &is, true, now, err);
	return rc < 0 ? rc : deliver_notice(e, NULL, NULL, m->title, m->text, now, err);
}

int trouble_over(struct engine *e, const char *name, struct error *err)
{
	AUTO(trouble_free) struct trouble *t = NULL;
	int rc = trouble_find(e->db, name, &t, err);

	if (rc < 0 || !t || t->over)
		return rc;
	t->over = true;
	return trouble_put(e->db, t, err);
}
