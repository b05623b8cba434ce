/*
 * replies.c: from the person to the agent of a mission. A reply waits until the mission goes on:
 *
 *	waiting ──a resume begins──▶ offered ──it ended in success──▶ delivered
 *	   ▲                            │
 *	   └───────── any other end ◀───┘  and the person is told why
 *
 * An answer to a question is taken along again by itself after a failure, a few times with longer
 * and longer waits. When that is no use, or somebody or its time limit ended the run, the question
 * is open again: no answer is lost in silence.
 * On a terminal success says nothing of what the agent was told: there its hooks have to say that it
 * worked on its prompt.
 *
 * The run that carries them is committed together with `offered`, and its prompt has them all, so
 * that one which provably never ran begins again with the same words. A default that stands in for
 * an answer nobody gave goes the same way.
 *
 * While the mission is the conversation of a live agent's session, replies are rows of its queue
 * instead, and what waits when the session is started becomes such rows: typed text has an id, so
 * that it is known when the agent has it, also when the session goes on for weeks or is killed.
 */
#include "engine/inbox.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "engine/internal.h"

/* Some agents get their prompt as an argument, which may have 128 KiB. */
#define INLINE_MAX ((size_t)96 * 1024)
#define QUESTION_BYTES 120
/*
 * Before what a person wrote: a prompt that begins with their words may be a command to the client ("/clear", "!ls",
 * "#", "-x"), which it obeys instead of telling its model. What they give as a prompt may be meant so, and is not touched.
 */
#define SAID "The person writes:\n\n"

/* How long an answer waits before it goes again, by how often it has failed. */
static const usec_t waits[] = {USEC_PER_MINUTE, 5 * USEC_PER_MINUTE, 20 * USEC_PER_MINUTE};
#define TRIES_MOST ((int64_t)(sizeof(waits) / sizeof(waits[0])))

static bool is_blank(const char *text)
{
	return !text || text[strspn(text, " \t\r\n")] == '\0';
}

static void put_path(const struct engine *e, const char *file, struct buf *out)
{
	if (e->state_dir)
		buf_printf(out, "%s/", e->state_dir);
	buf_add_str(out, file);
}

static void put_attachments(const struct engine *e, const struct mail *m, struct buf *out)
{
	size_t i;
	json_t *one;

	if (json_array_size(m->attachments))
		buf_add_str(out, "\n\nFiles that came with it:");
	json_array_foreach(m->attachments, i, one)
	{
		const char *file = json_string_value(json_object_get(one, "file"));

		buf_add_str(out, "\n- ");
		put_path(e, file ? file : "?", out);
	}
}

static size_t trimmed(const char *text)
{
	size_t len = strlen(text);

	while (len && strchr(" \t\r\n", text[len - 1]))
		len--;
	return len;
}

static void put_reply(const struct engine *e, const struct mail *m, size_t room, struct buf *out)
{
	size_t len = trimmed(m->text);

	/* Cleaning shortens a text by a few bytes: only what is beyond the row was cut. */
	if (m->file && (m->size > (int64_t)MAIL_TEXT_MAX || len > room)) {
		buf_printf(out,
			   "The person's answer has no room here (%lld bytes). Read all of it, it "
			   "is in the file ",
			   (long long)m->size);
		put_path(e, m->file, out);
	} else {
		buf_add(out, m->text, len);
	}
	put_attachments(e, m, out);
}

/* What was written for a question whose time was over by then. */
static int put_late(struct engine *e, const struct mail *m, const char *otherwise, struct buf *out,
		    struct error *err)
{
	AUTO_MAILS struct mail_list over = {0};
	AUTO(free) char *words = NULL;
	const struct mail *last;
	int rc = mail_overtaken(e->db, m->thread, m->seq, &over, err);

	if (rc < 0)
		return rc;
	if (!over.count) {
		buf_add_str(out, otherwise);
		return 0;
	}
	last = over.items[over.count - 1];
	words = excerpt_text(last->title, last->text, QUESTION_BYTES);
	buf_printf(out, "The person writes, too late for your question \"%s\"", words);
	if (last->ask_default)
		buf_printf(out, " (its default was given: %s)", last->ask_default);
	buf_add_str(out, ":\n\n");
	return 0;
}

static void put_questions(const struct mail_list *asked, struct buf *out)
{
	buf_add_str(out, asked->count == 1 ? "To your question " : "To your questions ");
	for (size_t i = 0; i < asked->count; i++) {
		const struct mail *m = asked->items[i];
		AUTO(free) char *words = excerpt_text(m->title, m->text, QUESTION_BYTES);

		buf_printf(out, "%s\"%s\"",
			   !i			   ? ""
			   : i + 1 == asked->count ? " and "
						   : ", ",
			   words);
	}
	buf_add_str(out, ":\n\n");
}

/*
 * Which question it answers, where the agent could not know; else what else is given, or nothing. A default names
 * its question itself.
 */
static int put_question(struct engine *e, const struct mail *m, const char *otherwise,
			struct buf *out, struct error *err)
{
	AUTO_MAILS struct mail_list asked = {0}, over = {0};
	bool several;
	int rc;

	if (m->sender != SENDER_PERSON)
		return 0;
	if ((rc = mail_answered_by(e->db, m->thread, m->seq, &asked, err)) < 0)
		return rc;
	if (!asked.count)
		return put_late(e, m, otherwise, out, err);
	several = asked.count > 1;
	if (!several &&
	    ((rc = mail_was_one_of_several(e->db, asked.items[0], m->seq, &several, err)) < 0 ||
	     (rc = mail_overtaken(e->db, m->thread, m->seq, &over, err)) < 0))
		return rc;
	several |= over.count > 0;
	if (several)
		put_questions(&asked, out);
	else
		buf_add_str(out, otherwise);
	return 0;
}

int replies_text(struct engine *e, const struct mail *m, char **ret, struct error *err)
{
	AUTO_BUF struct buf out = {0};
	int rc = put_question(e, m, "", &out, err);

	if (rc < 0)
		return rc;
	put_reply(e, m, MAIL_TEXT_MAX, &out);
	*ret = buf_steal(&out);
	return 0;
}

static int find_thread(struct engine *e, const struct mission *m, struct thread **ret,
		       struct error *err)
{
	AUTO(free) char *place = mem_printf("mission:%s", m->id);

	return thread_at(e->db, place, ret, err);
}

int replies_prompt(struct engine *e, const struct mission *m, const char *prompt, char **ret,
		   struct error *err)
{
	AUTO(thread_free) struct thread *t = NULL;
	AUTO_MAILS struct mail_list waiting = {0};
	AUTO_BUF struct buf out = {0};
	const char *said;
	bool person = false;
	int rc = find_thread(e, m, &t, err);

	if (rc < 0 ||
	    (rc = t && t->waiting ? mail_undelivered(e->db, t->key, &waiting, err) : 0) < 0)
		return rc;
	for (size_t i = 0; i < waiting.count; i++) {
		if (waiting.items[i]->queue)
			continue;
		buf_add_str(&out, out.len ? "\n\n" : "");
		/* Behind a default it would read as a part of that. */
		said = person ? "" : SAID;
		person = waiting.items[i]->sender == SENDER_PERSON;
		if ((rc = put_question(e, waiting.items[i], said, &out, err)) < 0)
			return rc;
		put_reply(e, waiting.items[i], out.len < INLINE_MAX ? INLINE_MAX - out.len : 0,
			  &out);
	}
	*ret = NULL;
	if (!is_blank(prompt))
		buf_printf(&out, "%s%s", out.len ? "\n\n" : "", prompt);
	if (out.len)
		*ret = buf_steal(&out);
	return 0;
}

/* --- the queue ---------------------------------------------------------------------------- */

static int enqueue(struct engine *e, const struct mission *m, struct mail *reply, usec_t now,
		   struct error *err)
{
	AUTO(free) char *body = NULL;
	AUTO(message_free) struct message *queued = NULL;
	int rc = replies_text(e, reply, &body, err);

	if (rc < 0 ||
	    (rc = deliver_send(e, m->agent, NULL, body, PRIORITY_NORMAL, now, &queued, err)) < 0)
		return rc;
	reply->queue = queued->key;
	return mail_update(e->db, reply, err);
}

int replies_to_queue(struct engine *e, const struct mission *m, usec_t now, struct error *err)
{
	AUTO(thread_free) struct thread *t = NULL;
	AUTO_MAILS struct mail_list list = {0};
	int rc = find_thread(e, m, &t, err);

	if (rc < 0 || !t || !t->waiting || (rc = mail_undelivered(e->db, t->key, &list, err)) < 0)
		return rc;
	for (size_t i = 0; rc >= 0 && i < list.count; i++)
		if (list.items[i]->reply == HANDOVER_WAITING && !list.items[i]->queue)
			rc = enqueue(e, m, list.items[i], now, err);
	t->wanted = false;
	return rc < 0 ? rc : thread_update(e->db, t, err);
}

int replies_withdraw(struct engine *e, struct mail *reply, const char *why, usec_t now,
		     struct error *err)
{
	AUTO(message_free) struct message *queued = NULL;
	int rc = queue_get(e->db, reply->queue, &queued, err);

	if (rc < 0 && rc != ERR_NOT_FOUND)
		return rc;
	if (queued && queued->state == DELIVERY_OFFERED)
		return 0;
	if (queued && queued->state == DELIVERY_QUEUED) {
		queued->state = DELIVERY_DELIVERED;
		queued->attempt_at = USEC_NONE;
		queued->done_at = now;
		mem_replace(&queued->last_error, why);
		if ((rc = queue_update(e->db, queued, err)) < 0)
			return rc;
	}
	reply->queue = 0;
	return mail_update(e->db, reply, err);
}

int replies_from_queue(struct engine *e, const struct mission *m, usec_t now, struct error *err)
{
	AUTO(thread_free) struct thread *t = NULL;
	AUTO_MAILS struct mail_list list = {0};
	int rc = find_thread(e, m, &t, err);

	if (rc < 0 || !t || !t->waiting || (rc = mail_undelivered(e->db, t->key, &list, err)) < 0)
		return rc;
	for (size_t i = 0; rc >= 0 && i < list.count; i++)
		if (list.items[i]->queue)
			rc = replies_withdraw(e, list.items[i],
					      "it went with a resume of its mission", now, err);
	return rc;
}

/* --- runs that carry them ------------------------------------------------------------------ */

/* All of them, or those that this run carries. */
static int change(struct engine *e, const struct thread *t, int64_t carrier, enum handover to,
		  int64_t new_carrier, int64_t *ret, struct error *err)
{
	AUTO_MAILS struct mail_list list = {0};
	int rc = mail_undelivered(e->db, t->key, &list, err);

	*ret = 0;
	for (size_t i = 0; rc >= 0 && i < list.count; i++) {
		struct mail *m = list.items[i];

		if (m->queue || (carrier && m->carrier != carrier))
			continue;
		m->reply = to;
		m->carrier = new_carrier;
		++*ret;
		rc = mail_update(e->db, m, err);
	}
	return rc;
}

int replies_offer(struct engine *e, const struct mission *m, const struct run *run,
		  struct error *err)
{
	AUTO(thread_free) struct thread *t = NULL;
	int64_t offered = 0;
	int rc = find_thread(e, m, &t, err);

	if (rc < 0 || !t || !t->waiting)
		return rc;
	rc = change(e, t, 0, HANDOVER_OFFERED, run->key, &offered, err);
	/* Now it goes on. Whoever answers from here on may want it again. */
	t->wanted = false;
	t->retry_at = USEC_NONE;
	return rc < 0 ? rc : thread_update(e->db, t, err);
}

int replies_hold(struct engine *e, const struct mission *m, struct error *err)
{
	AUTO(thread_free) struct thread *t = NULL;
	int rc = find_thread(e, m, &t, err);

	if (rc < 0 || !t || !t->wanted)
		return rc;
	t->wanted = false;
	return thread_update(e->db, t, err);
}

/* What the agent said in the end, unless it wrote here itself. */
static int post_answer(struct engine *e, struct thread *t, const struct mission *m,
		       const struct run *run, usec_t now, struct error *err)
{
	AUTO(mail_free) struct mail *mail = NULL;
	bool wrote = false;
	int rc = mail_run_wrote(e->db, t->key, run->number, &wrote, err);

	if (rc < 0 || wrote || is_blank(run->answer))
		return rc;
	mail = mem_zalloc(sizeof(*mail));
	mail->sender = SENDER_AGENT;
	mail->author = mem_strdup(m->agent);
	mail->text = mem_strdup(run->answer);
	mail->size = (int64_t)strlen(run->answer);
	mail->run = run->number;
	/* It was cut, by no more than a character: how long all of it is, only the file knows. */
	if (mail->size > (int64_t)END_ANSWER_MAX - 4) {
		mail->file = mem_printf("missions/%s/runs/%lld/answer.md", m->id,
					(long long)run->number);
		mail->size++;
	}
	return engine_post(e, t, mail, now, err);
}

/* An answer that cannot go where it belongs says so before it is read as if it had. */
static int say_unserved(struct engine *e, struct thread *t, const struct reminder *r, usec_t now,
			struct error *err)
{
	AUTO(free) char *text = context_unserved(r);

	if (!text)
		return 0;
	log_warning("reminder '%s': nothing serves the channel of user '%s': its answer is in the "
		    "inbox",
		    r->id, r->owner ? r->owner : "me");
	return inbox_say(e, t, text, now, err);
}

int replies_announce(struct engine *e, const struct mission *m, const struct run *run, usec_t now,
		     struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(thread_free) struct thread *t = NULL;
	int rc = m->reminder ? reminder_get(e->db, m->reminder, &r, err) : ERR_NOT_FOUND;

	/* An empty answer has nothing to tell. */
	if (rc < 0 || !context_is_for_inbox(m, r) || is_blank(run->answer))
		return rc == ERR_NOT_FOUND ? 0 : rc;
	rc = engine_thread_of_mission(e, m, now, &t, err);
	if (rc >= 0)
		rc = say_unserved(e, t, r, now, err);
	return rc < 0 ? rc : post_answer(e, t, m, run, now, err);
}

int replies_announce_failed(struct engine *e, const struct mission *m, usec_t now,
			    struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(thread_free) struct thread *t = NULL;
	AUTO(free) char *text = NULL;
	int rc = m->reminder ? reminder_get(e->db, m->reminder, &r, err) : ERR_NOT_FOUND;

	if (rc < 0 || !context_is_for_inbox(m, r))
		return rc == ERR_NOT_FOUND ? 0 : rc;
	text = mem_printf("Reminder: %s", r->message);
	rc = engine_thread_of_mission(e, m, now, &t, err);
	if (rc >= 0)
		rc = say_unserved(e, t, r, now, err);
	return rc < 0 ? rc : inbox_say(e, t, text, now, err);
}

int replies_give_back(struct engine *e, struct thread *t, int64_t carrier, int64_t *ret,
		      struct error *err)
{
	AUTO_MAILS struct mail_list list = {0};
	int rc = mail_undelivered(e->db, t->key, &list, err);

	*ret = 0;
	for (size_t i = 0; rc >= 0 && i < list.count; i++)
		if (!list.items[i]->queue && (!carrier || list.items[i]->carrier == carrier))
			rc = inbox_reopen(e, t, list.items[i], ret, err);
	t->tries = 0;
	t->retry_at = USEC_NONE;
	return rc;
}

/*
 * Whether to take them along again by itself. Not after a run that somebody sat at, that was ended
 * by hand, or that had all its time: the agent may well have heard the answer.
 */
static bool goes_again(const struct thread *t, const struct run *run)
{
	return t->tries < TRIES_MOST && run->kind == RUN_RESUME &&
	       (run->ending == ENDING_ERROR || run->ending == ENDING_ORPHANED ||
		run->ending == ENDING_DAEMON_SHUTDOWN);
}

static int tell_undelivered(struct engine *e, struct thread *t, const struct mission *m,
			    const struct run *run, int64_t count, const char *prospect, usec_t now,
			    struct error *err)
{
	const char *what = count == 1 ? "answer" : "answers";
	AUTO(free)
	char *why = run->kind == RUN_INTERACTIVE
			    ? mem_strdup("cannot be seen to have reached the agent: no hook of its "
					 "client told that it got a prompt.")
			    : mem_printf("did not reach the agent: %s",
					 m->reason ? m->reason : "it failed");
	AUTO(free)
	char *text = mem_printf("The %s %s\n\n%s", what, why, prospect);

	return inbox_say(e, t, text, now, err);
}

/* It goes again after a while; only the first failure is told, and the last one (below). */
static int take_again(struct engine *e, struct thread *t, const struct mission *m,
		      const struct run *run, int64_t count, usec_t now, struct error *err)
{
	t->retry_at = now + waits[t->tries];
	t->wanted = true;
	e->inbox_stale = true;
	if (t->tries++)
		return thread_update(e->db, t, err);
	return tell_undelivered(e, t, m, run, count,
				"It goes again by itself, three times at most.", now, err);
}

/* The run that carried them failed. Called while they still have their carrier. */
static int put_back(struct engine *e, struct thread *t, const struct mission *m,
		    const struct run *run, usec_t now, struct error *err)
{
	AUTO(free) char *prospect = NULL;
	bool answer = false, wanted = t->wanted;
	int64_t count = 0, reopened = 0;
	int rc = mail_has_unheard_answer(e->db, t->key, &answer, err);

	if (rc < 0)
		return rc;
	answer = answer && !wanted && goes_again(t, run);
	if (!answer && !wanted && (rc = replies_give_back(e, t, run->key, &reopened, err)) < 0)
		return rc;
	if ((rc = change(e, t, run->key, HANDOVER_WAITING, 0, &count, err)) < 0 || !count)
		return rc;
	if (answer)
		return take_again(e, t, m, run, count, now, err);
	if (wanted)
		prospect = mem_strdup("It goes again now, with what was written since.");
	else if (reopened)
		prospect =
			mem_printf("The question is open again. What was answered waits, and goes "
				   "with your next answer or `belfry mission resume %s`.",
				   m->id);
	else
		prospect = mem_printf("%s on, for the next `belfry mission resume %s`.",
				      count == 1 ? "It waits" : "They wait", m->id);
	return tell_undelivered(e, t, m, run, count, prospect, now, err);
}

/* On a terminal nothing but its own hooks say that it was told: see replies_settle(). */
int replies_heard(struct engine *e, int64_t mission, usec_t blocked_at, struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	AUTO(thread_free) struct thread *t = NULL;
	AUTO(run_free) struct run *run = NULL;
	int64_t count = 0;
	int rc = mission_get(e->db, mission, &m, err);

	if (rc < 0 || (rc = find_thread(e, m, &t, err)) < 0 || !t || !t->waiting)
		return rc == ERR_NOT_FOUND ? 0 : rc;
	if ((rc = run_last(e->db, mission, &run, err)) < 0 || !run ||
	    run->kind != RUN_INTERACTIVE || blocked_at >= run->started_at)
		return rc;
	rc = change(e, t, run->key, HANDOVER_DELIVERED, run->key, &count, err);
	if (rc < 0 || !count)
		return rc;
	t->waiting -= count;
	return thread_update(e->db, t, err);
}

int replies_settle(struct engine *e, const struct mission *m, const struct run *run, usec_t now,
		   struct error *err)
{
	AUTO(thread_free) struct thread *t = NULL;
	bool success = run->kind == RUN_INTERACTIVE ? run->told : run->ending == ENDING_SUCCESS;
	int64_t count = 0;
	int rc = find_thread(e, m, &t, err);

	if (rc < 0 || !t || !t->waiting ||
	    (rc = pull_settle(e, t, run->ending == ENDING_SUCCESS, err)) < 0)
		return rc;
	if (!success)
		return put_back(e, t, m, run, now, err);
	rc = change(e, t, run->key, HANDOVER_DELIVERED, run->key, &count, err);
	if (rc < 0 || !count)
		return rc;
	t->waiting -= count;
	t->tries = 0;
	rc = thread_update(e->db, t, err);
	return rc < 0 ? rc : post_answer(e, t, m, run, now, err);
}
