/*
 * tool-mail.c: for agents: messages to people and to each other. What came back: tool-replies.c.
 * An agent does not say who it is: that is the caller. So a message goes into the thread of the mission it
 * works on, or else of the session it is, each of which is answered in its own way.
 */
#include "request/tool-mail.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "engine/inbox.h"
#include "engine/live.h"
#include "engine/mission.h"
#include "request/caller.h"
#include "request/json-inbox.h"
#include "request/mail-file.h"
#include "request/message.h"
#include "request/rows.h"
#include "request/tool.h"
#include "schedule/duration.h"
#include "schedule/phrase.h"
#include "store/agent-session.h"

#define TEXT_MAX ((size_t)1024 * 1024)
#define SENDER_BYTES 8 /* of a session's id, in the name of one that is no agent */

static const struct message_words words = {"ask", "ask_until", "default", "\"2h\""};

/* --- where it is written ------------------------------------------------------------------ */

static int refuse_nobody(struct error *err)
{
	error_set(err, ERR_INVALID,
		  "no answer could reach you: Belfry does not know which session "
		  "or agent you are");
	return error_hint(err,
			  "the person starts it as: belfry mcp --session ID, or with BELFRY_AGENT");
}

/* "Claude Code session in /home/me/app", as far as it is known. The caller frees. */
static int session_title(const struct request *rq, const char *session, char **ret,
			 struct error *err)
{
	AUTO(agent_session_free) struct agent_session *s = NULL;
	const struct caller *c = &rq->caller;
	const char *transcript = c->transcript;
	int rc = agent_session_find(engine_db(rq->engine), session, c->user, &s, err);

	if (rc < 0)
		return rc;
	if (s) {
		transcript = transcript ? transcript : s->transcript;
		if (s->directory) {
			*ret = mem_printf("%s in %s",
					  transcript && strstr(transcript, "/.claude/")
						  ? "Claude Code session"
						  : "Session",
					  s->directory);
			return 0;
		}
	}
	*ret = c->agent ? mem_strdup(c->agent)
			: mem_printf("Session %.*s", (int)text_fit(session, 16), session);
	return 0;
}

static int session_thread(const struct request *rq, const char *session, bool make,
			  struct thread **ret, struct error *err)
{
	const struct caller *c = &rq->caller;
	AUTO(free) char *title = NULL;
	int rc = engine_find_session(rq->engine, c->user, session, ret, err);

	if (rc < 0 || *ret || !make || (rc = session_title(rq, session, &title, err)) < 0)
		return rc;
	return engine_thread_of_session(rq->engine, c->user, session, c->agent, title, rq->now, ret,
					err);
}

/* An agent's thread is between it and the person; with another user it has one of theirs. */
static int agent_thread(const struct request *rq, bool make, struct thread **ret, struct error *err)
{
	AUTO(free) char *session = mem_printf("agent:%s", rq->caller.agent);

	return session_thread(rq, session, make, ret, err);
}

static int thread_there(const struct request *rq, const char *kind, const char *name,
			struct thread **ret, struct error *err)
{
	AUTO(free) char *place = mem_printf("%s:%s", kind, name);

	return thread_at(engine_db(rq->engine), place, ret, err);
}

int tool_thread(const struct request *rq, bool make, struct mission **ret_m, struct thread **ret,
		struct error *err)
{
	const struct caller *c = &rq->caller;
	int rc;

	if (c->mission) {
		if ((rc = message_mission(rq, c->mission, ret_m, err)) < 0)
			return rc;
		return make ? engine_thread_of_mission(rq->engine, *ret_m, rq->now, ret, err)
			    : thread_there(rq, "mission", c->mission, ret, err);
	}
	if (c->session)
		return session_thread(rq, c->session, make, ret, err);
	if (!c->agent || strcmp(c->agent, "me") == 0)
		return refuse_nobody(err);
	if (!caller_is_person(c))
		return agent_thread(rq, make, ret, err);
	return make ? engine_thread_of_agent(rq->engine, c->agent, rq->now, ret, err)
		    : thread_there(rq, "agent", c->agent, ret, err);
}

/* --- what is written ---------------------------------------------------------------------- */

static bool is_blank(const char *text)
{
	return text[strspn(text, " \t\r\n")] == '\0';
}

static int check_text(const char *text, struct error *err)
{
	if (is_blank(text)) {
		error_set(err, ERR_INVALID, "'text' is empty");
		return error_hint(err, "say in it what the reader has to know");
	}
	if (strlen(text) <= TEXT_MAX)
		return 0;
	error_set(err, ERR_INVALID, "'text' is too long: %zu bytes, at most %zu", strlen(text),
		  TEXT_MAX);
	return error_hint(err, "put the long part into a file, and say where it is");
}

/* "2h" from now, or a point in time; both are worked out here, in the zone that applies. */
static int read_until(const struct request *rq, const json_t *args, struct mail *mail,
		      struct error *err)
{
	const char *text = NULL, *source;
	const struct zone *zone;
	struct error no_span = {0};
	usec_t span = 0;
	int rc = json_get_text(args, "ask_until", &text, err);

	mail->ask_until = USEC_NONE;
	if (rc < 0 || !text)
		return rc;
	if (duration_parse(text, &span, &no_span) == 0) {
		mail->ask_until = rq->now + span;
	} else if ((rc = read_zone(rq, NULL, &zone, &source, err)) < 0 ||
		   (rc = phrase_parse_bound(text, PHRASE_END, rq->now, zone, &mail->ask_until,
					    err)) < 0) {
		return error_prefix(err, "'ask_until'");
	}
	if (mail->ask_until >= rq->now + USEC_PER_SEC)
		return 0;
	error_set(err, ERR_INVALID, "'ask_until' \"%s\" is not in the future", text);
	return error_hint(err,
			  "say how long to wait, as \"2h\", or until when, as \"tomorrow 9am\"");
}

/* The run it is written from: of what that wrote, its end need not tell again. */
static int note_run(const struct request *rq, const struct mission *m, struct mail *mail,
		    bool *ret_attended, struct error *err)
{
	AUTO(run_free) struct run *last = NULL;
	int rc = run_last(engine_db(rq->engine), m->key, &last, err);

	if (rc < 0 || !last || last->finished_at != USEC_NONE)
		return rc;
	mail->run = last->number;
	*ret_attended = last->kind == RUN_INTERACTIVE;
	return 0;
}

/* --- to the person ------------------------------------------------------------------------ */

static const char *how_answered(const struct thread *t, bool attended)
{
	if (t->mission && !attended)
		return "End your run: the answer resumes this conversation. While you still work, "
		       "inbox_replies gets it.";
	if (t->mission)
		return "The answer is typed into this session; inbox_replies gets it sooner.";
	if (engine_is_of_session(t))
		return "Where Belfry's hooks are installed the answer comes into this conversation "
		       "by "
		       "itself; else call inbox_replies later to get it.";
	return "Call inbox_replies later to get the answer.";
}

static int answer_sent(const struct request *rq, const struct thread *t, const struct mail *mail,
		       bool attended, json_t **ret, struct error *err)
{
	bool asks = mail->ask == ASKING_OPEN;
	AUTO(json_decref) json_t *o = json_object();
	int rc;

	json_put_text(o, "to", "person");
	json_put_text(o, "thread", t->id);
	json_put_int(o, "seq", mail->seq);
	json_put_bool(o, "awaits_answer", asks);
	json_put_text(o, "how", asks ? how_answered(t, attended) : NULL);
	json_put(o, "ask_until", json_instant(mail->ask_until, read_own_zone(rq)));
	if ((rc = tool_put_now(rq, NULL, o, err)) < 0)
		return rc;
	*ret = json_incref(o);
	return 0;
}

/* Whom no answer could reach may still say something; only what asks needs to be heard again. */
static int thread_to(const struct request *rq, const struct mail *mail, struct mission **ret_m,
		     struct thread **ret, struct error *err)
{
	const struct caller *c = &rq->caller;
	bool nobody = !c->mission && !c->session && (!c->agent || strcmp(c->agent, "me") == 0);

	return nobody && mail->ask != ASKING_OPEN
		       ? engine_thread_of_clients(rq->engine, c->user, rq->now, ret, err)
		       : tool_thread(rq, true, ret_m, ret, err);
}

static int send_person(const struct request *rq, const json_t *args, const char *text, json_t **ret,
		       struct error *err)
{
	AUTO(json_decref) json_t *body = json_pack("{s:s}", "body", text);
	AUTO(mail_free) struct mail *mail = mem_zalloc(sizeof(*mail));
	AUTO(mission_free) struct mission *m = NULL;
	AUTO(thread_free) struct thread *t = NULL;
	bool attended = false;
	int rc;

	mail->sender = SENDER_AGENT;
	if ((rc = message_read_title(args, mail, err)) < 0 ||
	    (rc = read_until(rq, args, mail, err)) < 0 ||
	    (rc = message_read_ask(args, &words, mail, err)) < 0 ||
	    (rc = thread_to(rq, mail, &m, &t, err)) < 0 ||
	    (rc = m ? message_may_ask(rq, m, mail, &words, err) : 0) < 0 ||
	    (rc = m ? note_run(rq, m, mail, &attended, err) : 0) < 0 ||
	    (rc = engine_replies_got(rq->engine, t, err)) < 0)
		return rc;
	mail->author = mem_strdup(t->agent ? t->agent : "client");
	if ((rc = mail_file_place(rq->home, t, m, body, mail, err)) < 0 ||
	    (rc = engine_post(rq->engine, t, mail, rq->now, err)) < 0)
		return rc;
	return answer_sent(rq, t, mail, attended, ret, err);
}

/* --- to another agent --------------------------------------------------------------------- */

/* Whoever writes is bounded by its name, so nobody has none. The caller frees. */
static char *sender_name(const struct caller *c)
{
	char tail[SENDER_BYTES + 1] = "";
	size_t len = 0;

	if (c->agent)
		return mem_strdup(c->agent);
	for (const char *p = c->session ? c->session : ""; *p && len < SENDER_BYTES; p++)
		if (isascii(*p) && isalnum(*p))
			tail[len++] = *p;
	return len ? mem_printf("session-%s", tail) : mem_printf("session-of-%s", c->user);
}

static int refuse_self(const char *agent, struct error *err)
{
	error_set(err, ERR_INVALID, "'%s' is you", agent);
	return error_hint(err, "to remind yourself: the tools reminder and set_reminder_boundary");
}

static int refuse_person(struct error *err)
{
	error_set(err, ERR_INVALID, "'me' is the person, not an agent");
	return error_hint(err, "message_send writes to the person");
}

/* What an agent is told it does with its own rights, whoever the words came from. */
static int check_trust(const struct caller *c, struct error *err)
{
	if (c->trust >= TRUST_FULL)
		return 0;
	error_set(err, ERR_DENIED, "to write to other agents needs trust full, and '%s' has %s",
		  c->user, trust_word(c->trust));
	return error_hint(err, "tell the person with message_send, and let them decide; trust is "
			       "set under 'users:' in config.yml");
}

static int exec_agent_send(const struct request *rq, const json_t *args, json_t **ret,
			   struct error *err)
{
	const char *text = json_string_value(json_object_get(args, "text"));
	const char *to = json_string_value(json_object_get(args, "to"));
	AUTO(free) char *sender = sender_name(&rq->caller);
	AUTO(message_free) struct message *m = NULL;
	AUTO(json_decref) json_t *o = NULL;
	int rc;

	if ((rc = check_text(text, err)) < 0 || (rc = check_trust(&rq->caller, err)) < 0)
		return rc;
	if (strcmp(to, "me") == 0)
		return refuse_person(err);
	if (rq->caller.agent && strcmp(to, rq->caller.agent) == 0)
		return refuse_self(to, err);
	rc = engine_live_send(rq->engine, to, sender, text, PRIORITY_NORMAL, rq->now, &m, err);
	if (rc >= 0 && !caller_is_person(&rq->caller))
		rc = queue_give(engine_db(rq->engine), m, rq->caller.user, err);
	if (rc < 0)
		return rc;
	o = json_object();
	json_put_text(o, "to", to);
	json_put_text(o, "message", m->id);
	json_put_text(o, "delivery", delivery_word(m->state));
	if ((rc = tool_put_now(rq, NULL, o, err)) < 0)
		return rc;
	*ret = json_incref(o);
	return 0;
}

static void say_agent_sent(const json_t *result, struct buf *out)
{
	buf_printf(out, "Queued for agent '%s' as %s.",
		   json_string_value(json_object_get(result, "to")),
		   json_string_value(json_object_get(result, "message")));
}

/* A tool of its own, and not an argument of message_send: clients ask for a permission by the tool's name, and what
 * steers another agent is not what tells the person something. */
const struct request_row tool_agent_send_row = {
	.name = "tool agent_send",
	.summary = "write to another agent",
	.args =
		(const struct request_arg[]){
			{"to", 0, ARG_AGENT, "AGENT", "the other agent's name", NULL, false, true},
			{"text", 0, ARG_BODY, "TEXT",
			 "the message; it is read without this conversation at hand, so it says "
			 "all that is needed",
			 NULL, false, true},
			{0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_agent_send,
	.tool =
		&(const struct request_tool){
			.name = "agent_send",
			.title = "Write to another agent",
			.description = "Put a text into the queue of another agent, who is told "
				       "who wrote it and works on it with its own rights. To tell "
				       "the person something, use message_send.",
			.trust = TRUST_INNER,
			.hints = TOOL_OUTSIDE,
			.output =
				"{\"type\":\"object\",\"properties\":{"
				"\"to\":{\"type\":\"string\",\"description\":\"the agent\"},"
				"\"message\":{\"type\":\"string\",\"description\":\"its id in the "
				"agent's queue\"},"
				"\"delivery\":{\"type\":\"string\",\"enum\":[\"queued\","
				"\"offered\",\"delivered\",\"failed\"]}," TOOL_NOW_PROPERTIES "},"
				"\"required\":[\"to\",\"message\",\"delivery\"," TOOL_NOW_REQUIRED
				"],"
				"\"additionalProperties\":false}",
			.say = say_agent_sent},
};

/* --- to the person ------------------------------------------------------------------------ */

static int exec_send(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	const char *text = json_string_value(json_object_get(args, "text"));
	int rc = check_text(text, err);

	return rc < 0 ? rc : send_person(rq, args, text, ret, err);
}

static void say_sent(const json_t *result, struct buf *out)
{
	const char *how = json_string_value(json_object_get(result, "how"));

	buf_printf(out, "Sent to the person: message %lld of thread %s.%s%s",
		   (long long)json_integer_value(json_object_get(result, "seq")),
		   json_string_value(json_object_get(result, "thread")), how ? " " : "",
		   how ? how : "");
}

const struct request_row tool_message_send_row = {
	.name = "tool message_send",
	.summary = "write to the person",
	.args =
		(const struct request_arg[]){
			{"text", 0, ARG_BODY, "TEXT",
			 "the message, Markdown; it is read without this conversation at hand, so "
			 "it says all that is needed",
			 NULL, false, true},
			{"title", 0, ARG_TEXT, "TITLE", "a subject line, at most 200 bytes", NULL,
			 false, false},
			{"ask", 0, ARG_FLAG, NULL,
			 "true: it is a question, and an answer is awaited", NULL, false, false},
			{"ask-until", 0, ARG_TEXT, "TIME",
			 "with ask: how long to wait (\"2h\") or until when (\"tomorrow 9am\"); "
			 "then "
			 "the default is the answer, or you are told that nobody answered",
			 NULL, false, false},
			{"default", 0, ARG_TEXT, "ANSWER",
			 "with ask_until: the answer when nobody gives one", NULL, false, false},
			{0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_send,
	.tool =
		&(const struct request_tool){
			.name = "message_send",
			.title = "Write to the person",
			.description =
				"Write a message into the inbox of the person you work for: a "
				"result, a warning, a question. With ask=true it is a question; "
				"how "
				"the answer comes back is said in the result (inbox_replies gets "
				"it). Another agent is written to with agent_send. Do not use it "
				"for what you say "
				"in this conversation anyway.",
			.trust = TRUST_INNER,
			.hints = TOOL_OUTSIDE,
			.output =
				"{\"type\":\"object\",\"properties\":{"
				"\"to\":{\"type\":\"string\",\"description\":\"person\"},"
				"\"thread\":{\"type\":\"string\",\"description\":\"of the "
				"inbox\"},"
				"\"seq\":{\"type\":\"integer\",\"description\":\"its number in "
				"that "
				"thread\"},"
				"\"awaits_answer\":{\"type\":\"boolean\"},"
				"\"how\":{\"type\":[\"string\",\"null\"],\"description\":\"how the "
				"answer will come\"},"
				"\"ask_until\":{\"type\":[\"string\",\"null\"],\"description\":"
				"\"when "
				"the question expires\"}," TOOL_NOW_PROPERTIES "},"
				"\"required\":[\"to\",\"thread\",\"seq\","
				"\"awaits_answer\",\"how\",\"ask_until\"," TOOL_NOW_REQUIRED "],"
				"\"additionalProperties\":false}",
			.say = say_sent},
};
