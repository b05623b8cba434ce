/*
 * inbox.c: threads, and what is written into them. Every message goes through put(), which numbers
 * it and keeps the thread's counts, so that nobody else has to think of them.
 *
 * A message that is also a row of a queue has that row's key as long as it waits there, and no
 * longer: rows of queues are deleted when they are old, and their keys are given out again.
 */
#include "engine/inbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "engine/internal.h"

#define TITLE_BYTES 80
#define PROMPT_TERMS ((size_t)32 * 1024) /* bytes of a prompt that are found */
#define QUESTIONS_NAMED 5

/* --- which thread ------------------------------------------------------------------------- */

/* The thread at that place; made like this when there is none yet. Takes over the texts. */
static int open_thread(struct engine *e, struct thread *stolen, usec_t now, struct thread **ret,
		       struct error *err)
{
	AUTO(thread_free) struct thread *t = stolen;
	int rc = thread_at(e->db, t->place, ret, err);

	if (rc < 0 || *ret)
		return rc;
	t->preview = mem_strdup("");
	t->last_at = now;
	t->last_sender = SENDER_BELFRY;
	t->archived_at = t->retry_at = USEC_NONE;
	rc = thread_insert(e->db, t, err);
	if (rc >= 0)
		*ret = steal_ptr(&t);
	return rc;
}

/* A name that a person gave, not an id. */
static const char *given_name(const struct mission *m)
{
	static const char *const ids[] = {"r-", "rem_"};

	for (size_t i = 0; m->origin && i < sizeof(ids) / sizeof(ids[0]); i++)
		if (strncmp(m->origin, ids[i], strlen(ids[i])) == 0)
			return NULL;
	return m->origin;
}

int engine_thread_of_mission(struct engine *e, const struct mission *m, usec_t now,
			     struct thread **ret, struct error *err)
{
	struct thread *t = mem_zalloc(sizeof(*t));
	const char *name = given_name(m);

	memcpy(t->id, m->id, sizeof(t->id) < sizeof(m->id) ? sizeof(t->id) : sizeof(m->id));
	t->place = mem_printf("mission:%s", m->id);
	t->mission = m->key;
	t->agent = mem_strdup(m->agent);
	t->title = name ? mem_strdup(name) : excerpt_text(NULL, m->prompt, TITLE_BYTES);
	return open_thread(e, t, now, ret, err);
}

int engine_thread_of_agent(struct engine *e, const char *agent, usec_t now, struct thread **ret,
			   struct error *err)
{
	struct thread *t = mem_zalloc(sizeof(*t));

	t->place = mem_printf("agent:%s", agent);
	t->agent = strcmp(agent, "me") ? mem_strdup(agent) : NULL; /* nobody answers oneself */
	t->title = mem_strdup(agent);
	return open_thread(e, t, now, ret, err);
}

#define SESSION_PLACE "session:"
#define SOMEBODY "session" /* who answers there when it is no agent that we know */

static char *session_place(const char *owner, const char *session)
{
	return mem_printf(SESSION_PLACE "%s:%s", owner, session);
}

bool engine_is_of_session(const struct thread *t)
{
	return strncmp(t->place, SESSION_PLACE, strlen(SESSION_PLACE)) == 0;
}

char *engine_session_owner(const struct thread *t)
{
	const char *owner = t->place + strlen(SESSION_PLACE);

	return engine_is_of_session(t) ? mem_strndup(owner, strcspn(owner, ":")) : NULL;
}

int engine_thread_of_session(struct engine *e, const char *owner, const char *session,
			     const char *agent, const char *title, usec_t now, struct thread **ret,
			     struct error *err)
{
	struct thread *t = mem_zalloc(sizeof(*t));

	t->place = session_place(owner, session);
	t->agent = mem_strdup(agent ? agent : SOMEBODY);
	t->title = excerpt_text(NULL, title, TITLE_BYTES);
	return open_thread(e, t, now, ret, err);
}

int engine_thread_of_clients(struct engine *e, const char *owner, usec_t now, struct thread **ret,
			     struct error *err)
{
	struct thread *t = mem_zalloc(sizeof(*t));

	t->place = mem_printf("clients:%s", owner);
	t->title = strcmp(owner, "me") ? mem_printf("Clients of %s that have no name", owner)
				       : mem_strdup("Clients that have no name");
	return open_thread(e, t, now, ret, err);
}

int engine_find_session(struct engine *e, const char *owner, const char *session,
			struct thread **ret, struct error *err)
{
	AUTO(free) char *place = session_place(owner, session);

	return thread_at(e->db, place, ret, err);
}

static int thread_of_reminder(struct engine *e, const struct reminder *r, usec_t now,
			      struct thread **ret, struct error *err)
{
	struct thread *t = mem_zalloc(sizeof(*t));

	t->place = mem_printf("reminder:%s", r->id);
	t->title = r->name ? mem_strdup(r->name) : excerpt_text(NULL, r->message, TITLE_BYTES);
	return open_thread(e, t, now, ret, err);
}

int inbox_thread_of_belfry(struct engine *e, const char *place, const char *title, usec_t now,
			   struct thread **ret, struct error *err)
{
	struct thread *t = mem_zalloc(sizeof(*t));

	t->place = mem_strdup(place);
	t->title = mem_strdup(title);
	return open_thread(e, t, now, ret, err);
}

static int thread_for(struct engine *e, const struct reminder *r, const struct mission *m,
		      usec_t now, struct thread **ret, struct error *err)
{
	if (m)
		return engine_thread_of_mission(e, m, now, ret, err);
	if (r)
		return thread_of_reminder(e, r, now, ret, err);
	return inbox_thread_of_belfry(e, "belfry", "Belfry", now, ret, err);
}

/* --- writing ------------------------------------------------------------------------------ */

/*
 * What people look for and no message says: the title, and what the mission was told. Retention
 * deletes no message of a mission, so its first one is there for all of them.
 */
static int add_terms(struct engine *e, const struct thread *t, struct mail *m, struct error *err)
{
	AUTO(mission_free) struct mission *mission = NULL;
	AUTO(free) char *rest = steal_ptr(&m->terms);
	int rc;

	if (t->mission && m->seq > 1) {
		m->terms = steal_ptr(&rest);
		return 0;
	}
	rc = t->mission ? mission_get(e->db, t->mission, &mission, err) : 0;
	if (rc < 0)
		return rc;
	m->terms = mem_printf("%s %.*s %s", t->title,
			      mission ? (int)text_fit(mission->prompt, PROMPT_TERMS) : 0,
			      mission ? mission->prompt : "", rest ? rest : "");
	return 0;
}

/*
 * The command of `me` is handed everything that is new for the person. A reply that waits has its
 * agent's queue in that column, or is about to.
 */
static int push(struct engine *e, struct mail *m, usec_t now, struct error *err)
{
	AUTO(message_free) struct message *queued = NULL;
	int rc;

	if (m->sender == SENDER_PERSON || !deliver_has_command(e, "me"))
		return 0;
	if (m->queue && m->reply == HANDOVER_NONE)
		return 0; /* a fire for `me`, or a notice: it is in that line already */
	rc = deliver_send(e, "me", NULL, m->text, PRIORITY_NORMAL, now, &queued, err);
	if (rc >= 0 && m->reply == HANDOVER_NONE)
		m->queue = queued->key;
	return rc;
}

static int put(struct engine *e, struct thread *t, struct mail *m, usec_t now, struct error *err)
{
	int rc;

	m->thread = t->key;
	m->seq = ++t->messages;
	m->created_at = now;
	m->read_at = m->sender == SENDER_PERSON ? now : USEC_NONE;
	if (m->ask != ASKING_OPEN)
		m->ask_until = USEC_NONE;
	t->unread += m->read_at == USEC_NONE;
	t->asks += m->ask == ASKING_OPEN;
	t->waiting += m->reply == HANDOVER_WAITING;
	t->last_at = now;
	t->last_sender = m->sender;
	t->archived_at = USEC_NONE;
	free(t->preview);
	t->preview = excerpt_text(m->title, m->text, MAIL_PREVIEW_MAX);
	if (m->ask_until != USEC_NONE)
		e->asks_at = usec_earlier(e->asks_at, m->ask_until);
	if ((rc = add_terms(e, t, m, err)) < 0 || (rc = push(e, m, now, err)) < 0 ||
	    (rc = mail_insert(e->db, m, err)) < 0)
		return rc;
	return thread_update(e->db, t, err);
}

int engine_post(struct engine *e, struct thread *t, struct mail *m, usec_t now, struct error *err)
{
	m->reply = HANDOVER_NONE;
	m->carrier = m->queue = 0;
	return put(e, t, m, now, err);
}

/* Of Belfry itself: short, and only in the row. */
static struct mail *new_mail(const char *title, const char *text)
{
	struct mail *m = mem_zalloc(sizeof(*m));

	m->sender = SENDER_BELFRY;
	m->title = mem_strdup(title);
	m->text = mem_strdup(text);
	m->size = (int64_t)strlen(text);
	return m;
}

int inbox_say(struct engine *e, struct thread *t, const char *text, usec_t now, struct error *err)
{
	AUTO(mail_free) struct mail *m = new_mail(NULL, text);

	return engine_post(e, t, m, now, err);
}

int engine_tell(struct engine *e, const char *text, usec_t now, struct error *err)
{
	AUTO(thread_free) struct thread *t = NULL;
	int rc = thread_for(e, NULL, NULL, now, &t, err);

	return rc < 0 ? rc : inbox_say(e, t, text, now, err);
}

/* --- answering ---------------------------------------------------------------------------- */

/* It goes into the queue of the agent, like everything that is told to one who lives. */
static int queue_reply(struct engine *e, const struct thread *t, struct mail *m,
		       enum priority priority, usec_t now, struct error *err)
{
	AUTO(free) char *body = NULL;
	AUTO(message_free) struct message *queued = NULL;
	int rc = replies_text(e, m, &body, err);

	if (rc < 0 || (rc = deliver_send(e, t->agent, NULL, body, priority, now, &queued, err)) < 0)
		return rc;
	m->queue = queued->key;
	return 0;
}

/* Whether the agent of the thread is told by its queue: outside of any mission, or while that is
 * the conversation of its session. */
static int has_queue(struct engine *e, const struct thread *t, bool *ret, struct error *err)
{
	*ret = !t->mission && !engine_is_of_session(t);
	return t->mission ? live_hears(e, t->mission, ret, err) : 0;
}

int inbox_put_reply(struct engine *e, struct thread *t, struct mail *m, enum priority priority,
		    usec_t now, struct error *err)
{
	bool queued = false;
	int rc = has_queue(e, t, &queued, err);

	m->thread = t->key;
	m->seq = t->messages + 1;
	m->reply = HANDOVER_WAITING;
	m->carrier = m->queue = 0;
	t->tries = 0;
	t->retry_at = USEC_NONE;
	e->inbox_stale = true;
	if (rc >= 0 && queued) {
		t->wanted = false; /* nothing has to go on for it */
		rc = queue_reply(e, t, m, priority, now, err);
	}
	return rc < 0 ? rc : put(e, t, m, now, err);
}

/* --- which question --- */

static char *question_words(const struct mail *m)
{
	return m->title ? mem_strdup(m->title) : excerpt_text(NULL, m->text, TITLE_BYTES / 2);
}

static int refuse_several(const struct thread *t, const struct mail_list *open, struct error *err)
{
	AUTO_BUF struct buf names = {0};

	for (size_t i = 0; i < open->count && i < QUESTIONS_NAMED; i++) {
		AUTO(free) char *words = question_words(open->items[i]);

		buf_printf(&names, "%s#%lld \"%s\"", i ? ", " : "", (long long)open->items[i]->seq,
			   words);
	}
	error_set(err, ERR_CONFLICT, "%zu questions are open in thread '%s': %s%s", open->count,
		  t->id, buf_text(&names), open->count > QUESTIONS_NAMED ? ", …" : "");
	return error_hint(err, "say which: belfry inbox reply %s#%lld; or --all", t->id,
			  (long long)open->items[0]->seq);
}

/*
 * A question that ran out of time may be the one that was meant: what was asked for to delete must not be
 * answered by what was written to deploy.
 */
static int check_meant(struct engine *e, const struct thread *t, const struct mail *open,
		       struct error *err)
{
	AUTO_MAILS struct mail_list over = {0};
	AUTO(free) char *words = question_words(open);
	AUTO(free) char *other = NULL;
	int rc = mail_overtaken(e->db, t->key, t->messages + 1, &over, err);

	if (rc < 0 || !over.count)
		return rc;
	other = question_words(over.items[over.count - 1]);
	error_set(err, ERR_CONFLICT,
		  "in thread '%s' only #%lld \"%s\" is open; the time for #%lld \"%s\" is over",
		  t->id, (long long)open->seq, words, (long long)over.items[over.count - 1]->seq,
		  other);
	return error_hint(err,
			  "to answer the open one: belfry inbox reply %s#%lld; to write without "
			  "answering it: %s#0",
			  t->id, (long long)open->seq, t->id);
}

static int refuse_closed(struct engine *e, const struct thread *t, int64_t seq, struct error *err)
{
	AUTO(mail_free) struct mail *m = NULL;
	struct error none = {0};
	const char *why = "no question";

	if (mail_get(e->db, t->key, seq, &m, &none) < 0)
		why = "not there";
	else if (m->ask == ASKING_ANSWERED)
		why = "answered already";
	else if (m->ask == ASKING_EXPIRED)
		why = m->ask_default ? "not open any more: its default was given"
				     : "not open any more: its time is over";
	error_set(err, ERR_CONFLICT, "message %lld of thread '%s' is %s", (long long)seq, t->id,
		  why);
	return error_hint(
		err, "to write without answering a question: belfry inbox reply %s#0 TEXT", t->id);
}

/* Closes what the reply is for, by the number that it will get. */
static int answer_asks(struct engine *e, struct thread *t, int64_t question, struct error *err)
{
	AUTO_MAILS struct mail_list open = {0};
	int64_t closed = 0;
	int rc = t->asks && question != ANSWER_NONE ? mail_open_asks(e->db, t->key, &open, err) : 0;

	if (rc < 0)
		return rc;
	if (question == ANSWER_ONE && open.count > 1)
		return refuse_several(t, &open, err);
	if (question == ANSWER_ONE && open.count == 1 &&
	    (rc = check_meant(e, t, open.items[0], err)) < 0)
		return rc;
	for (size_t i = 0; rc >= 0 && i < open.count; i++) {
		if (question > 0 && open.items[i]->seq != question)
			continue;
		open.items[i]->ask = ASKING_ANSWERED;
		open.items[i]->answered_by = t->messages + 1;
		closed++;
		rc = mail_update(e->db, open.items[i], err);
	}
	t->asks -= closed;
	if (rc >= 0 && question > 0 && !closed)
		return refuse_closed(e, t, question, err);
	return rc;
}

int inbox_reopen(struct engine *e, struct thread *t, const struct mail *reply, int64_t *ret,
		 struct error *err)
{
	AUTO_MAILS struct mail_list asked = {0};
	int rc = mail_answered_by(e->db, t->key, reply->seq, &asked, err);

	for (size_t i = 0; rc >= 0 && i < asked.count; i++) {
		struct mail *m = asked.items[i];

		if (m->ask == ASKING_OPEN)
			continue;
		m->ask = ASKING_OPEN;
		m->ask_until = USEC_NONE; /* somebody has answered: no default may overrule that */
		m->answered_by = 0;
		t->asks++;
		++*ret;
		rc = mail_update(e->db, m, err);
	}
	return rc;
}

static int refuse_deaf(const struct thread *t, struct error *err)
{
	error_set(err, ERR_CONFLICT, "nobody would hear an answer in thread '%s' (%s)", t->id,
		  t->title);
	return error_hint(err, "only agents answer: belfry inbox list");
}

static int refuse_no_mission(const struct thread *t, struct error *err)
{
	error_set(err, ERR_CONFLICT, "thread '%s' has no mission to go on with", t->id);
	return error_hint(err, "without --run it waits for '%s'", t->agent);
}

/* Whether it can go on at once, or will be able to when it has ended. */
static int check_run(struct engine *e, const struct thread *t, struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	int rc = mission_get(e->db, t->mission, &m, err);

	if (rc < 0)
		return rc;
	if (m->phase == PHASE_REMOVING)
		return error_set(err, ERR_CONFLICT, "mission '%s' has been removed", m->id);
	rc = mission_check_resume(e, m, m->phase == PHASE_ENDED, err);
	if (rc == ERR_INVALID || rc == ERR_NOT_FOUND)
		err->code = rc = ERR_CONFLICT;
	return rc;
}

int engine_reply(struct engine *e, struct thread *t, struct mail *m, int64_t question,
		 enum priority priority, bool run, usec_t now, struct error *err)
{
	bool asked = t->asks > 0 && question != ANSWER_NONE, queued = false;
	int rc;

	if (!t->mission && !t->agent)
		return refuse_deaf(t, err);
	if (run && !t->mission)
		return refuse_no_mission(t, err);
	if ((rc = has_queue(e, t, &queued, err)) < 0 ||
	    (rc = run && t->mission && !queued ? check_run(e, t, err) : 0) < 0)
		return rc;
	m->sender = SENDER_PERSON;
	m->ask = ASKING_NONE;
	/* Whoever says more about an answer that is still on its way does not want that to wait. */
	if ((rc = asked ? 0 : mail_has_unheard_answer(e->db, t->key, &asked, err)) < 0 ||
	    (rc = answer_asks(e, t, question, err)) < 0)
		return rc;
	t->wanted |= t->mission && (run || asked);
	return inbox_put_reply(e, t, m, priority, now, err);
}

/* --- reading ------------------------------------------------------------------------------ */

/* What is read here does not wait in the queue any more; a command hands over all it is given. */
static int take_from_queue(struct engine *e, struct mail *m, usec_t now, struct error *err)
{
	AUTO(message_free) struct message *queued = NULL;
	int rc = queue_get(e->db, m->queue, &queued, err);

	if (rc < 0 && rc != ERR_NOT_FOUND)
		return rc;
	if (queued && strcmp(queued->agent, "me") != 0)
		return 0;
	if (queued && (rc = deliver_read(e, queued, now, err)) <= 0)
		return rc;
	m->queue = 0;
	return mail_update(e->db, m, err);
}

static int take_all_from_queue(struct engine *e, const struct thread *t, int64_t up_to, usec_t now,
			       struct error *err)
{
	AUTO_MAILS struct mail_list queued = {0};
	int rc = mail_unread_queued(e->db, t->key, up_to, &queued, err);

	for (size_t i = 0; rc >= 0 && i < queued.count; i++)
		rc = take_from_queue(e, queued.items[i], now, err);
	return rc;
}

int engine_thread_mark(struct engine *e, struct thread *t, bool read, int64_t up_to, usec_t now,
		       int64_t *ret, struct error *err)
{
	int rc = read ? take_all_from_queue(e, t, up_to, now, err) : 0;

	if (rc < 0 || (rc = mail_mark(e->db, t->key, read, up_to, now, ret, err)) < 0)
		return rc;
	t->unread += read ? -*ret : *ret;
	return *ret ? thread_update(e->db, t, err) : 0;
}

int engine_thread_archive(struct engine *e, struct thread *t, bool archived, usec_t now,
			  struct error *err)
{
	t->archived_at = archived ? now : USEC_NONE;
	return thread_update(e->db, t, err);
}

/* --- rows of queues ----------------------------------------------------------------------- */

/* A fire may say up to a megabyte; a row of the inbox has the beginning. */
static char *kept_text(const struct message *queued)
{
	char tail[80];
	int len;

	if (strlen(queued->body) <= MAIL_TEXT_MAX)
		return mem_strdup(queued->body);
	len = snprintf(tail, sizeof(tail), "\n\n(cut; all of it: `belfry queue show %s`)",
		       queued->id);
	return mem_printf("%.*s%s", (int)text_fit(queued->body, MAIL_TEXT_MAX - (size_t)len),
			  queued->body, tail);
}

int inbox_add_queued(struct engine *e, const struct reminder *r, const struct mission *m,
		     const char *title, const struct message *queued, usec_t now, struct error *err)
{
	AUTO(thread_free) struct thread *t = NULL;
	AUTO(free) char *text = kept_text(queued);
	AUTO(mail_free) struct mail *mail = new_mail(title, text);
	int rc = thread_for(e, r, m, now, &t, err);

	mail->queue = queued->key;
	return rc < 0 ? rc : put(e, t, mail, now, err);
}

/* Changes the message behind a row of a queue, which waits there no more, and its thread. */
static int leave_queue(struct engine *e, struct thread *t, struct mail *m, bool read,
		       bool delivered, usec_t now, struct error *err)
{
	int rc;

	m->queue = 0;
	if (read && m->read_at == USEC_NONE) {
		m->read_at = now;
		t->unread--;
	}
	if (delivered && m->reply == HANDOVER_WAITING) {
		m->reply = HANDOVER_DELIVERED;
		t->waiting--;
	}
	rc = mail_update(e->db, m, err);
	return rc < 0 ? rc : thread_update(e->db, t, err);
}

/* Fires for agents have none, and are not looked for. */
int inbox_linked(struct engine *e, const struct message *queued, struct mail **ret,
		 struct thread **ret_thread, struct error *err)
{
	bool mine = strcmp(queued->agent, "me") == 0;
	int rc = 0;

	if (mine || (!queued->slot && !queued->reminder))
		rc = mail_of_queue(e->db, queued->key, ret, err);
	return rc < 0 || !*ret ? rc : thread_get(e->db, (*ret)->thread, ret_thread, err);
}

int inbox_taken(struct engine *e, const struct message *queued, usec_t now, struct error *err)
{
	AUTO(mail_free) struct mail *m = NULL;
	AUTO(thread_free) struct thread *t = NULL;
	bool mine = strcmp(queued->agent, "me") == 0;
	int rc = inbox_linked(e, queued, &m, &t, err);

	return rc < 0 || !m ? rc : leave_queue(e, t, m, mine, !mine, now, err);
}

int inbox_handed(struct engine *e, const struct message *queued, usec_t now, struct error *err)
{
	AUTO(mail_free) struct mail *m = NULL;
	AUTO(thread_free) struct thread *t = NULL;
	AUTO(free) char *text = NULL;
	bool delivered = queued->state == DELIVERY_DELIVERED;
	int64_t reopened = 0;
	int rc = inbox_linked(e, queued, &m, &t, err);

	if (rc < 0 || !m)
		return rc;
	/* A command that shows it to the person is not the person who reads it. */
	rc = leave_queue(e, t, m, false, delivered, now, err);
	if (rc < 0 || delivered || m->reply == HANDOVER_NONE)
		return rc < 0 ? rc : 1;
	if ((rc = inbox_reopen(e, t, m, &reopened, err)) < 0)
		return rc;
	text = mem_printf("The answer (message %lld) could not be handed to '%s': %s%s",
			  (long long)m->seq, queued->agent, queued->last_error,
			  reopened ? "\n\nThe question is open again." : "");
	rc = inbox_say(e, t, text, now, err);
	return rc < 0 ? rc : 1;
}

/* --- retention ---------------------------------------------------------------------------- */

/* Files are of agents, and of those who answer them. */
static void remove_folder(struct engine *e, const struct thread *t)
{
	struct job *job;

	if (!t->agent)
		return;
	job = mem_zalloc(sizeof(*job));
	job->kind = JOB_REMOVE_THREAD;
	job->key = t->key;
	job->run = mem_strdup(t->id);
	engine_add_job(e, job);
}

int inbox_prune(struct engine *e, usec_t before, int limit, int64_t *ret, struct error *err)
{
	AUTO_THREADS struct thread_list gone = {0};
	int rc = thread_prune(e->db, before, limit, &gone, err);

	for (size_t i = 0; rc >= 0 && i < gone.count; i++)
		remove_folder(e, gone.items[i]);
	*ret = (int64_t)gone.count;
	return rc;
}

void inbox_removed(const struct job_end *end)
{
	AUTO(free) char *words = job_succeeded(end) ? NULL : job_end_words(end, 0);

	if (words)
		log_warning("the folder of an old thread could not be removed: %s", words);
}
