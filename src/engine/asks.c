/*
 * asks.c: what time does to threads. Questions whose time has come are answered by their default, or
 * by the word that nobody answered; and missions that a reply waits for go on as soon as they have
 * ended. Looked at only when something changed or the next question's time has come, as the line of
 * missions is.
 */
#include "engine/inbox.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/internal.h"
#include "engine/mission.h"
#include "schedule/duration.h"

#define EXPIRE_BATCH 64
#define WANTED_BATCH 1000
#define QUESTION_BYTES 80

/* --- questions ---------------------------------------------------------------------------- */

/*
 * A question from the future was asked by a clock that has been set back since: its time counts from
 * now, or it would wait for ever.
 */
static int mend_asks(struct engine *e, usec_t now, struct error *err)
{
	AUTO_MAILS struct mail_list open = {0};
	int rc = mail_expired_asks(e->db, INSTANT_MAX, INT_MAX, &open, err);

	for (size_t i = 0; rc >= 0 && i < open.count; i++) {
		struct mail *m = open.items[i];
		usec_t until = now + (m->ask_until - m->created_at);

		if (m->created_at <= now || until >= m->ask_until)
			continue;
		m->ask_until = until;
		rc = mail_update(e->db, m, err);
	}
	if (rc >= 0)
		rc = thread_mend_retries(e->db, now, now + REPLIES_RETRY_MAX, err);
	if (rc >= 0)
		e->asks_stale = false;
	return rc;
}

static char *expiry_words(const struct mail *m)
{
	AUTO(free)
	char *question =
		m->title ? mem_strdup(m->title) : excerpt_text(NULL, m->text, QUESTION_BYTES);
	char span[DURATION_TEXT_MAX];

	/* A clock that was set back leaves no span worth telling. */
	if (m->ask_until <= m->created_at)
		return mem_printf("Nobody answered \"%s\" in time", question);
	duration_format_short(m->ask_until - m->created_at, span);
	return mem_printf("Nobody answered \"%s\" within %s", question, span);
}

/* It goes the way of an answer, and the person sees it: an agent that asked waits for something. */
static int answer_by_default(struct engine *e, struct thread *t, const char *words,
			     const char *answer, usec_t now, struct error *err)
{
	AUTO(mail_free) struct mail *m = mem_zalloc(sizeof(*m));

	m->sender = SENDER_BELFRY;
	m->text = answer ? mem_printf("%s, so the answer is the default:\n\n%s", words, answer)
			 : mem_printf("%s. There is no default: go on without an answer, or ask "
				      "again.",
				      words);
	m->size = (int64_t)strlen(m->text);
	t->wanted |= t->mission != 0;
	return inbox_put_reply(e, t, m, PRIORITY_NORMAL, now, err);
}

static int expire(struct engine *e, struct mail *m, usec_t now, struct error *err)
{
	AUTO(thread_free) struct thread *t = NULL;
	AUTO(free) char *words = expiry_words(m);
	AUTO(free) char *text = NULL;
	int rc = thread_get(e->db, m->thread, &t, err);

	if (rc < 0)
		return rc;
	m->ask = ASKING_EXPIRED;
	t->asks--;
	m->answered_by = t->mission || t->agent ? t->messages + 1 : 0;
	rc = mail_update(e->db, m, err);
	if (rc < 0)
		return rc;
	if (m->answered_by)
		return answer_by_default(e, t, words, m->ask_default, now, err);
	text = mem_printf("%s: the question has expired.", words);
	return inbox_say(e, t, text, now, err);
}

static int expire_some(struct engine *e, usec_t now, struct error *err)
{
	AUTO_MAILS struct mail_list due = {0};
	int rc = mail_expired_asks(e->db, now, EXPIRE_BATCH, &due, err);

	for (size_t i = 0; rc >= 0 && i < due.count; i++)
		rc = expire(e, due.items[i], now, err);
	return rc;
}

/* --- missions that are to go on ----------------------------------------------------------- */

static int never_mind(struct engine *e, struct thread *t, struct error *err)
{
	t->wanted = false;
	return thread_update(e->db, t, err);
}

static int tell_stuck(struct engine *e, struct thread *t, const struct error *why, usec_t now,
		      struct error *err)
{
	AUTO(free) char *text = NULL;
	int64_t reopened = 0;
	int rc = replies_give_back(e, t, 0, &reopened, err);

	if (rc < 0)
		return rc;
	text = mem_printf("The agent cannot be told: %s%s%s%s%s", why->message,
			  *why->hint ? " (" : "", why->hint, *why->hint ? ")" : "",
			  reopened ? "\n\nThe question is open again." : "");
	t->wanted = false;
	return inbox_say(e, t, text, now, err);
}

static int go_on(struct engine *e, struct thread *t, usec_t now, struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	struct error why = {0};
	int rc = mission_get(e->db, t->mission, &m, err);

	if (rc < 0)
		return rc;
	if (m->phase == PHASE_REMOVING || !t->waiting)
		return never_mind(e, t, err);
	if (m->phase != PHASE_ENDED)
		return 0; /* its end brings us back */
	rc = engine_mission_resume(e, m, NULL, now, &why);
	if (rc == ERR_CONFLICT || rc == ERR_INVALID || rc == ERR_NOT_FOUND)
		return tell_stuck(e, t, &why, now, err);
	if (rc < 0)
		*err = why;
	return rc;
}

static int go_on_all(struct engine *e, usec_t now, struct error *err)
{
	AUTO_THREADS struct thread_list wanted = {0};
	int rc = thread_wanted(e->db, now, WANTED_BATCH, &wanted, err);

	for (size_t i = 0; rc >= 0 && i < wanted.count; i++)
		rc = go_on(e, wanted.items[i], now, err);
	return rc;
}

int inbox_dispatch(struct engine *e, usec_t now, struct error *err)
{
	bool due = e->asks_at != USEC_NONE && e->asks_at <= now;
	usec_t retry_at = USEC_NONE;
	int rc;

	if (e->inbox_stale || e->asks_stale || due) {
		e->inbox_stale = false;
		if ((rc = e->asks_stale ? mend_asks(e, now, err) : 0) < 0 ||
		    (rc = expire_some(e, now, err)) < 0 || (rc = go_on_all(e, now, err)) < 0 ||
		    (rc = mail_next_expiry(e->db, &e->asks_at, err)) < 0 ||
		    (rc = thread_next_retry(e->db, &retry_at, err)) < 0)
			return rc;
		/* One that is over waits for the end of its mission, which brings us back. */
		if (retry_at > now)
			e->asks_at = usec_earlier(e->asks_at, retry_at);
	}
	return missed_tell(e, now, err);
}

int inbox_next(struct engine *e, usec_t now, usec_t *ret, struct error *err)
{
	(void)err;
	*ret = e->inbox_stale || e->asks_stale ? now : e->asks_at;
	return 0;
}
