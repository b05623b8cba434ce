/*
 * ask-inbox.c: agents write, people read, answer and put away. Every answer has words of its own, by
 * which the oracle finds it again in what runs were told.
 */
#include "sim.h"

#include <string.h>

#include "base/mem.h"
#include "engine/inbox.h"

static struct mail *new_mail(struct world *w, const char *what)
{
	struct mail *m = mem_zalloc(sizeof(*m));

	m->text = mem_printf("%s %lld.", what, (long long)++w->model.names);
	m->size = (int64_t)strlen(m->text);
	m->author = mem_strdup("somebody");
	m->ask_until = USEC_NONE;
	return m;
}

/* The run that is at work writes; also one that nobody knows to have ended. */
static int send(struct world *w, const struct mission *mission, struct error *err)
{
	AUTO(mail_free) struct mail *m = new_mail(w, "message");
	AUTO(thread_free) struct thread *t = NULL;
	int rc = engine_thread_of_mission(w->engine, mission, w->now, &t, err);

	if (rc < 0)
		return rc;
	m->sender = SENDER_AGENT;
	m->run = mission->runs;
	m->ask = chance_percent(&w->chance, 50) ? ASKING_OPEN : ASKING_NONE;
	if (m->ask == ASKING_OPEN && chance_percent(&w->chance, 50))
		m->ask_until = w->now + chance_between(&w->chance, 1, 7200) * USEC_PER_SEC;
	if (m->ask_until != USEC_NONE && chance_percent(&w->chance, 70))
		m->ask_default = mem_strdup("no");
	return engine_post(w->engine, t, m, w->now, err);
}

static int answer(struct world *w, struct thread *t, struct error *err)
{
	AUTO(mail_free) struct mail *m = new_mail(w, "answer");

	return engine_reply(w->engine, t, m,
			    chance_percent(&w->chance, 70) ? ANSWER_ALL : ANSWER_ONE,
			    PRIORITY_NORMAL, chance_percent(&w->chance, 30), w->now, err);
}

static int look(struct world *w, struct thread *t, int64_t what, struct error *err)
{
	int64_t changed = 0;

	if (what < 70)
		return engine_thread_mark(w->engine, t, true, 0, w->now, &changed, err);
	if (what < 85)
		return engine_thread_mark(w->engine, t, false, 0, w->now, &changed, err);
	return engine_thread_archive(w->engine, t, chance_percent(&w->chance, 70), w->now, err);
}

/* One of the newest. */
static int pick(struct world *w, struct thread **ret, struct error *err)
{
	AUTO_THREADS struct thread_list newest = {0};
	struct thread_filter all = {.archived = true, .before_at = USEC_NONE, .limit = 8};
	int rc = thread_list(w->db, &all, &newest, err);

	if (rc >= 0 && newest.count)
		*ret = steal_ptr(&newest.items[chance_below(&w->chance, (int64_t)newest.count)]);
	return rc;
}

int ask_inbox(struct world *w, const struct mission *m, struct error *err)
{
	AUTO(thread_free) struct thread *t = NULL;
	int64_t what = chance_below(&w->chance, 100);
	int rc;

	if (m && what < 30)
		return send(w, m, err);
	rc = pick(w, &t, err);
	if (rc < 0 || !t)
		return rc;
	tell(w, "thread %s, %d", t->id, (int)what);
	return what < 65 ? answer(w, t, err) : look(w, t, chance_below(&w->chance, 100), err);
}
