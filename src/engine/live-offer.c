/*
 * live-offer.c: what a session is told, when, and in which words.
 *
 * One message at a time: it is `offered` before anybody types it, and `delivered` when it was seen
 * to be there. What could not be seen is offered again, a few times, under the same id; whoever
 * types it again looks first. After a crash that is the same, and nobody's failure. What was typed
 * while it worked waits in its client's own line first (live-line.c).
 *
 * Everything typed begins with the message's id. That makes its delivery provable, and keeps a text
 * from being a command of the client ("/clear"), whoever wrote it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "engine/inbox.h"
#include "engine/internal.h"
#include "engine/live-parts.h"
#include "schedule/duration.h"

#define DIED "its session ended while it was being typed"
#define SENDS_TO_ALL 4 /* times LIVE_SENDS_MAX */
#define WAITING_MAX 1000

/* --- words -------------------------------------------------------------------------------- */

static char *mark_of(const struct message *m)
{
	return m->sender ? mem_printf("[belfry %s from %s]", m->id, m->sender)
			 : mem_printf("[belfry %s]", m->id);
}

/*
 * Clients complete a last word that begins with one of these, and take the Enter behind it for the
 * choice; behind a backslash it makes a new line. A blank ends the word.
 */
static const char *ending(const char *text)
{
	size_t len = strlen(text), word = len;

	while (word > 0 && !strchr(" \n\t", text[word - 1]))
		word--;
	if (!len || word == len)
		return "";
	return text[len - 1] == '\\' || strchr("@$", text[word]) ? " " : "";
}

/* Typed key by key, a tab would complete something. */
static void replace_tabs(char *text)
{
	for (; *text; text++)
		if (*text == '\t')
			*text = ' ';
}

static bool is_long(const char *body, const struct adapter *a)
{
	int lines = 1;

	if (a->live.whole && a->live.paste)
		return strlen(body) > LIVE_WHOLE_MAX;
	for (const char *p = body; (p = strchr(p, '\n')); p++)
		lines++;
	return strlen(body) > LIVE_TYPED_MAX || lines > (a->live.paste ? LIVE_TYPED_LINES : 1);
}

char *live_words(const struct message *m, const struct adapter *a, const char *folder,
		 char **ret_file, char **ret_body)
{
	AUTO(free) char *clean = text_clean(m->body, strlen(m->body));
	/* What an agent wrote must not look like a word of the person, or of ours. */
	AUTO(free) char *body = m->sender ? text_indent(clean) : steal_ptr(&clean);
	AUTO(free) char *mark = mark_of(m);

	if (is_long(body, a)) {
		*ret_file = mem_printf("%s.md", m->id);
		*ret_body = steal_ptr(&body);
		return mem_printf("%s Read %s/%s", mark, folder, *ret_file);
	}
	if (!a->live.paste)
		replace_tabs(body);
	return mem_printf("%s%s%s%s", mark, *body ? " " : "", body, ending(body));
}

/* --- offers ------------------------------------------------------------------------------- */

/* The least urgent that may be told, by what it does; see live.h. */
static const int lowest[] = {
	[PRESENCE_STARTING] = -1,
	[PRESENCE_IDLE] = PRIORITY_IDLE,
	[PRESENCE_BUSY] = PRIORITY_NORMAL,
	[PRESENCE_BLOCKED] = PRIORITY_INTERRUPT,
	[PRESENCE_GONE] = -1,
};

static int offer(struct engine *e, const struct live *l, const struct mission *mission,
		 struct message *m, usec_t now, struct error *err)
{
	struct job *job = live_job(e, JOB_TYPE, l, mission);
	AUTO(free)
	char *folder = mem_printf("%s%smissions/%s/inbox", e->state_dir ? e->state_dir : "",
				  e->state_dir ? "/" : "", mission->id);

	job->key = m->key;
	job->live->message = mem_strdup(m->id);
	/* One that was taken back must not take back the one that did it. */
	job->live->interrupt = m->priority == PRIORITY_INTERRUPT && m->returned_at == USEC_NONE;
	job->live->again = m->offered_at != USEC_NONE;
	job->live->queued_at = m->returned_at == USEC_NONE ? 0 : m->returned_at;
	job->live->text = live_words(m, job->live->adapter, folder, &job->live->file, &job->input);
	engine_add_job(e, job);
	m->state = DELIVERY_OFFERED;
	m->offered_at = now;
	m->attempt_at = USEC_NONE;
	m->attempts++;
	return queue_update(e->db, m, err);
}

static int offer_next(struct engine *e, const struct live *l, usec_t now, struct error *err)
{
	AUTO(message_free) struct message *m = NULL;
	AUTO(mission_free) struct mission *mission = NULL;
	int rc;

	if (lowest[l->state] < 0 || !l->wanted || l->again || !l->mission)
		return 0;
	rc = queue_head_of(e->db, l->agent, (enum priority)lowest[l->state], &m, err);
	/* One that could not be seen to arrive rests for a while, and those behind it wait. */
	if (rc < 0 || !m || (m->attempt_at != USEC_NONE && m->attempt_at > now))
		return rc;
	if (mission_get(e->db, l->mission, &mission, err) < 0)
		return err->code == ERR_NOT_FOUND ? 0 : err->code;
	return mission->phase == PHASE_RUNNING ? offer(e, l, mission, m, now, err) : 0;
}

/* What is offered and only waits, for a person who types, say, gives way to what is more urgent. */
static int give_way(struct engine *e, const struct live *l, usec_t now, struct error *err)
{
	AUTO(message_free) struct message *offered = NULL;
	AUTO(message_free) struct message *head = NULL;
	AUTO(mission_free) struct mission *mission = NULL;
	int rc = queue_offered_to(e->db, l->agent, &offered, err);

	if (rc < 0 || !offered || lowest[l->state] < 0)
		return rc;
	rc = queue_head_of(e->db, l->agent, (enum priority)lowest[l->state], &head, err);
	if (rc < 0 || !head || head->priority >= offered->priority ||
	    (head->attempt_at != USEC_NONE && head->attempt_at > now))
		return rc;
	if ((rc = live_load_mission(e, l, &mission, err)) >= 0)
		engine_add_job(e, live_job(e, JOB_YIELD, l, mission));
	return rc;
}

int live_offer(struct engine *e, usec_t now, struct error *err)
{
	AUTO_LIVES struct live_list waiting = {0};
	AUTO_LIVES struct live_list offered = {0};
	int rc = live_list_waiting(e->db, false, &waiting, err);

	if (rc >= 0)
		rc = live_list_waiting(e->db, true, &offered, err);
	for (size_t i = 0; rc >= 0 && i < waiting.count; i++)
		rc = offer_next(e, waiting.items[i], now, err);
	for (size_t i = 0; rc >= 0 && i < offered.count; i++)
		rc = give_way(e, offered.items[i], now, err);
	return rc;
}

/* --- instructions ------------------------------------------------------------------------- */

/* A session that ended before it heard them left them in the queue. */
static int waits_already(struct engine *e, const char *agent, const char *text, bool *ret,
			 struct error *err)
{
	const struct queue_filter filter = {.agent = agent, .limit = WAITING_MAX};
	AUTO_MESSAGES struct message_list waiting = {0};
	int rc = queue_list(e->db, &filter, &waiting, err);

	*ret = false;
	for (size_t i = 0; rc >= 0 && !*ret && i < waiting.count; i++)
		*ret = !waiting.items[i]->sender && strcmp(waiting.items[i]->body, text) == 0;
	return rc;
}

int live_instruct(struct engine *e, const struct live *l, const struct mission *m, usec_t now,
		  struct error *err)
{
	struct error unknown = {0};
	const struct config_agent *agent = config_agent(e->config, l->agent, &unknown);
	AUTO(message_free) struct message *first = NULL;
	AUTO(free) char *text = NULL;
	bool waits = false;
	int rc;

	if (m->runs != 1 || !agent || !agent->instructions || !agent->adapter ||
	    adapter_takes_instructions(agent->adapter, USE_INTERACTIVE))
		return 0;
	text = text_clean(agent->instructions, strlen(agent->instructions));
	rc = waits_already(e, l->agent, text, &waits, err);
	if (rc < 0 || waits)
		return rc;
	return deliver_send(e, l->agent, NULL, text, PRIORITY_NORMAL, now, &first, err);
}

/* --- what came of them -------------------------------------------------------------------- */

/* Whoever got something is busy with it, since it was typed or before that shows. */
static int note_got(struct engine *e, const struct message *m, usec_t now, struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	int rc = live_find(e->db, m->agent, &l, err);

	if (rc < 0 || !l || l->state == PRESENCE_GONE)
		return rc;
	/* One that asked for a permission may still do so: what comes next must not answer it. */
	if (l->state != PRESENCE_BLOCKED)
		l->state = PRESENCE_BUSY;
	l->since = m->offered_at;
	l->idle_at = USEC_NONE;
	free(l->evidence);
	l->evidence = mem_printf(LIVE_GOT "%s", m->id);
	rc = live_put(e->db, l, err);
	return rc < 0 ? rc : idle_changed(e, l, now, err);
}

static bool was_put_back(const struct message *m)
{
	return m->state == DELIVERY_QUEUED && m->last_error && strcmp(m->last_error, DIED) == 0;
}

/* Nobody has failed: it was not the moment. */
static bool has_to_wait(const char *why)
{
	return strncmp(why, LIVE_NOT_NOW, strlen(LIVE_NOT_NOW)) == 0 ||
	       strncmp(why, LIVE_UNSENT, strlen(LIVE_UNSENT)) == 0;
}

static int tell_unshown(struct engine *e, const char *agent, usec_t now, struct error *err)
{
	AUTO(free) char *name = mem_printf("unshown:%s", agent);
	AUTO(free) char *what = mem_printf("'%s' does not show what is typed into it", agent);
	AUTO(free)
	char *text = mem_printf("Enter was not pressed: it may be asking something. What is for it "
				"waits. Look at it: belfry agent attach %s",
				agent);

	return trouble_tell(e, name, NULL, what, text, now, err);
}

static int shown_again(struct engine *e, const char *agent, struct error *err)
{
	AUTO(free) char *name = mem_printf("unshown:%s", agent);

	return trouble_over(e, name, err);
}

static int let_wait(struct engine *e, struct message *m, const char *why, usec_t now,
		    struct error *err)
{
	bool gave_way = strstr(why, LIVE_GIVES_WAY) != NULL;
	bool is_unshown = strstr(why, LIVE_UNSHOWN) != NULL;

	if (is_unshown && tell_unshown(e, m->agent, now, err) < 0)
		return err->code;
	m->state = DELIVERY_QUEUED;
	m->attempts -= m->attempts > 0;
	m->attempt_at = gave_way     ? USEC_NONE
			: is_unshown ? now + LIVE_REST_UNSHOWN
				     : now + LIVE_REST;
	if (strncmp(why, LIVE_NOT_NOW, strlen(LIVE_NOT_NOW)) == 0)
		m->offered_at = USEC_NONE;
	mem_replace(&m->last_error, why);
	return queue_update(e->db, m, err);
}

int engine_live_returned(struct engine *e, const char *agent, const char *message, usec_t now,
			 struct error *err)
{
	AUTO(message_free) struct message *m = NULL;

	if (queue_find(e->db, message, &m, err) < 0)
		return err->code == ERR_NOT_FOUND || err->code == ERR_CONFLICT ? 0 : err->code;
	if ((m->state != DELIVERY_DELIVERED && !engine_live_in_line(m)) ||
	    strcmp(m->agent, agent) != 0)
		return 0;
	live_line_leave(m);
	m->state = DELIVERY_QUEUED;
	m->attempts = 0;
	m->attempt_at = m->offered_at = m->done_at = USEC_NONE;
	m->returned_at = now;
	mem_replace(&m->last_error, "an interrupt took it back before it was read");
	live_touch(e);
	return queue_update(e->db, m, err);
}

static bool is_in_line(const struct job_end *end)
{
	return end->start_error && strcmp(end->start_error, LIVE_IN_LINE) == 0;
}

int live_typed(struct engine *e, usec_t now, const struct job_end *end, struct error *err)
{
	AUTO(message_free) struct message *m = NULL;
	AUTO(free) char *why = NULL;
	int rc;

	live_touch(e);
	if (queue_get(e->db, end->key, &m, err) < 0)
		return err->code == ERR_NOT_FOUND ? 0 : err->code;
	/* It had it, and then ended: that may be heard of in the other order. */
	if (job_succeeded(end) && was_put_back(m)) {
		m->attempts++;
		m->attempt_at = USEC_NONE;
		mem_replace(&m->last_error, NULL);
	} else if (m->state != DELIVERY_OFFERED || m->session) {
		return 0;
	}
	if (!job_succeeded(end) && !is_in_line(end)) {
		if (end->start_error && has_to_wait(end->start_error))
			return let_wait(e, m, end->start_error, now, err);
		why = job_end_words(end, 0);
	} else {
		if (m->last_error && has_to_wait(m->last_error))
			mem_replace(&m->last_error, NULL);
		if ((rc = shown_again(e, m->agent, err)) < 0 || (rc = note_got(e, m, now, err)) < 0)
			return rc;
		if (is_in_line(end))
			return live_line_join(e, m, err);
	}
	return deliver_settle(e, m, why, LIVE_OFFERS_MAX, now, err);
}

int live_put_back(struct engine *e, const struct live *l, usec_t now, struct error *err)
{
	AUTO(message_free) struct message *m = NULL;
	int rc = live_line_put_back(e, l->agent, now, err);

	if (rc >= 0 && l->started_at != USEC_NONE)
		rc = queue_offered_to(e->db, l->agent, &m, err);
	/* What was offered before is in the hands of its deliver command. */
	if (rc < 0 || !m || m->offered_at < l->started_at)
		return rc;
	/* Sessions end for many reasons. One that ends by the same message again has one. */
	if (m->attempts && !(m->last_error && strcmp(m->last_error, DIED) == 0))
		m->attempts--; /* the first time is nobody's failure */
	return deliver_settle(e, m, DIED, LIVE_OFFERS_MAX, now, err);
}

/* --- from one agent to another ------------------------------------------------------------ */

/* `agent` NULL: to anybody. */
static int check_sends(struct engine *e, const char *sender, const char *agent, int most,
		       usec_t now, struct error *err)
{
	char wait[DURATION_TEXT_MAX], window[DURATION_TEXT_MAX];
	usec_t first = USEC_NONE, left;
	int rc = queue_nth_sent(e->db, sender, agent, now - LIVE_SENDS_WINDOW, most - 1, &first,
				err);

	if (rc < 0 || first == USEC_NONE)
		return rc;
	left = first + LIVE_SENDS_WINDOW - now;
	if (left > LIVE_SENDS_WINDOW) /* the clock was set back */
		left = LIVE_SENDS_WINDOW;
	duration_format_short(left < USEC_PER_SEC ? USEC_PER_SEC : left, wait);
	duration_format_short(LIVE_SENDS_WINDOW, window);
	error_set(err, ERR_CONFLICT, "'%s' has sent %d messages%s%s%s within %s", sender, most,
		  agent ? " to '" : "", agent ? agent : "", agent ? "'" : "", window);
	/* What is refused is undone: the person is told at the end of the turn. */
	free(e->looped);
	free(e->looped_who);
	e->looped_who = mem_printf("loop:%s>%s", sender, agent ? agent : "");
	e->looped =
		mem_printf("%s. Further ones are refused for %s. Do two agents answer each other "
			   "without end? See: belfry queue list --all",
			   err->message, wait);
	return error_hint(err, "do two agents answer each other without end? Wait %s", wait);
}

static int check_receiver(struct engine *e, const char *agent, struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	int rc;

	if (strcmp(agent, "me") == 0) {
		error_set(err, ERR_INVALID, "'me' is the person, not an agent");
		return error_hint(err, "agents write to the person by: belfry message send; a "
				       "person to themselves: belfry reminder add me");
	}
	if ((rc = live_find(e->db, agent, &l, err)) < 0 || l)
		return rc;
	return config_agent(e->config, agent, err) ? 0 : err->code;
}

int engine_live_send(struct engine *e, const char *agent, const char *sender, const char *text,
		     enum priority priority, usec_t now, struct message **ret, struct error *err)
{
	AUTO(free) char *clean = text_clean(text, strlen(text));
	int rc;

	if (!*clean) {
		error_set(err, ERR_INVALID, "the message for '%s' is empty", agent);
		return error_hint(err, "white space alone is no message: belfry agent send %s TEXT",
				  agent);
	}
	if ((rc = check_receiver(e, agent, err)) < 0)
		return rc;
	if (sender &&
	    ((rc = check_sends(e, sender, agent, LIVE_SENDS_MAX, now, err)) < 0 ||
	     (rc = check_sends(e, sender, NULL, SENDS_TO_ALL * LIVE_SENDS_MAX, now, err)) < 0))
		return rc;
	return deliver_send(e, agent, sender, clean, priority, now, ret, err);
}
