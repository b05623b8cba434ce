/* message.c: an agent writes to the person. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/inbox.h"
#include "engine/mission.h"
#include "request/caller.h"
#include "request/json-inbox.h"
#include "request/mail-file.h"
#include "request/message.h"
#include "request/read.h"
#include "request/rows.h"
#include "schedule/duration.h"

#define TITLE_BYTES_MAX 200
#define DEFAULT_BYTES_MAX 4096
#define RUN_NUMBER_MAX 1000000000

/* --- what is sent --- */

int message_read_title(const json_t *args, struct mail *mail, struct error *err)
{
	const char *title = NULL;
	int r = json_get_text(args, "title", &title, err);

	if (r < 0 || !title)
		return r;
	r = read_check_text("the title", title, TITLE_BYTES_MAX, err);
	if (r < 0)
		return r;
	if (strpbrk(title, "\n\t")) {
		error_set(err, ERR_INVALID, "the title has a tab or a newline in it");
		return error_hint(err, "a title is one line; the rest belongs into the message");
	}
	mail->title = title[strspn(title, " ")] ? mem_strdup(title) : NULL;
	return 0;
}

static int without_ask(const struct message_words *words, const char *flag, struct error *err)
{
	error_set(err, ERR_INVALID, "%s is for a question", flag);
	return error_hint(err, "add %s, or leave out %s", words->ask, flag);
}

static int read_timeout(const char *text, usec_t now, struct mail *mail, struct error *err)
{
	usec_t span = 0;
	int r = duration_parse(text, &span, err);

	if (r < 0)
		return error_prefix(err, "--timeout");
	if (span < USEC_PER_SEC) {
		error_set(err, ERR_INVALID, "--timeout '%s' is too short", text);
		return error_hint(err, "at least 1s");
	}
	mail->ask_until = now + span;
	return 0;
}

static int read_default(const char *text, struct mail *mail, struct error *err)
{
	int r = read_check_text("the default", text, DEFAULT_BYTES_MAX, err);

	if (r < 0)
		return r;
	if (!text[strspn(text, " \t\n")]) {
		error_set(err, ERR_INVALID, "the default is empty");
		return error_hint(err, "say what the answer is when nobody gave one");
	}
	mail->ask_default = mem_strdup(text);
	return 0;
}

int message_read_ask(const json_t *args, const struct message_words *words, struct mail *mail,
		     struct error *err)
{
	const char *answer = NULL;
	bool ask = false, bounded = mail->ask_until != USEC_NONE;
	int r;

	if ((r = json_get_bool(args, "ask", &ask, err)) < 0 ||
	    (r = json_get_text(args, "default", &answer, err)) < 0)
		return r;
	if (!ask && (bounded || answer))
		return without_ask(words, bounded ? words->until : words->answer, err);
	if (answer && !bounded) {
		error_set(err, ERR_INVALID, "%s needs %s", words->answer, words->until);
		return error_hint(err, "say how long to wait for an answer: %s %s", words->until,
				  words->example);
	}
	mail->ask = ask ? ASKING_OPEN : ASKING_NONE;
	return answer ? read_default(answer, mail, err) : 0;
}

static const struct message_words flags = {"--ask", "--timeout", "--default", "2h"};

static int read_ask(const json_t *args, usec_t now, struct mail *mail, struct error *err)
{
	const char *timeout = NULL;
	int r = json_get_text(args, "timeout", &timeout, err);

	mail->ask_until = USEC_NONE;
	if (r < 0 || (r = timeout ? read_timeout(timeout, now, mail, err) : 0) < 0)
		return r;
	return message_read_ask(args, &flags, mail, err);
}

/* --- who sends it --- */

/* "mis-k3f9x2/2", as BELFRY_RUN says it. One of another mission is somebody else's. */
static int64_t run_number(const char *run, const struct mission *m)
{
	size_t len = strlen(m->id);
	char *end = NULL;
	long long number;

	if (!run || strncmp(run, m->id, len) != 0 || run[len] != '/')
		return 0;
	number = strtoll(run + len + 1, &end, 10);
	return *end || number < 1 || number > RUN_NUMBER_MAX ? 0 : number;
}

int message_mission(const struct request *rq, const char *id, struct mission **ret,
		    struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	int r = mission_find_of(engine_db(rq->engine), caller_scope(&rq->caller), id, &m, err);

	if (r < 0)
		return r;
	/* An agent knows which mission it is of: a prefix is a mistake. */
	if (strcmp(m->id, id) != 0) {
		error_set(err, ERR_NOT_FOUND, "no mission '%s'", id);
		return error_hint(err, "BELFRY_MISSION_ID says which one a message is from");
	}
	if (m->phase == PHASE_REMOVING) {
		error_set(err, ERR_NOT_FOUND, "mission '%s' has been removed", m->id);
		return error_hint(err, "its messages are gone with it");
	}
	*ret = steal_ptr(&m);
	return 0;
}

static int refuse_nobody(struct error *err)
{
	error_set(err, ERR_INVALID,
		  "messages are sent by agents, from inside a mission: this is in none, and "
		  "neither BELFRY_MISSION_ID nor BELFRY_AGENT is set");
	return error_hint(err, "a person answers with: belfry inbox "
			       "reply THREAD");
}

static int refuse_me(struct error *err)
{
	error_set(err, ERR_INVALID, "'me' is the person, who gets messages and sends none");
	return error_hint(err, "a person answers with: belfry inbox reply THREAD");
}

/* Before anything is saved: nobody would ever tell it the answer. */
int message_may_ask(const struct request *rq, const struct mission *m, const struct mail *mail,
		    const struct message_words *words, struct error *err)
{
	if (mail->ask == ASKING_NONE || engine_may_ask(rq->engine, m->agent))
		return 0;
	error_set(err, ERR_CONFLICT,
		  "agent '%s' keeps no conversation, so no answer can reach mission '%s'", m->agent,
		  m->id);
	return error_hint(err,
			  "leave out %s, and say what to do about it, as: belfry mission new "
			  "%.40s PROMPT",
			  words->ask, m->agent);
}

/* The thread it goes to; *ret_m is its mission, or NULL. */
static int find_thread(const struct request *rq, const json_t *args, struct mail *mail,
		       struct mission **ret_m, struct thread **ret, struct error *err)
{
	const struct caller *c = &rq->caller;
	const char *mission = NULL, *agent = NULL, *run = NULL;
	int r;

	if ((r = json_get_text(args, "mission", &mission, err)) < 0 ||
	    (r = json_get_text(args, "agent", &agent, err)) < 0 ||
	    (r = json_get_text(args, "run", &run, err)) < 0)
		return r;
	/* The daemon knows the run, whatever its environment says. */
	if (!mission)
		mission = c->mission;
	if (mission && caller_is_run(c) && (!c->mission || strcmp(mission, c->mission) != 0)) {
		error_set(err, ERR_NOT_FOUND, "no mission '%.80s' that this run could write for",
			  mission);
		return error_hint(err, "its own is %s", c->mission ? c->mission : "gone");
	}
	if (mission) {
		if ((r = message_mission(rq, mission, ret_m, err)) < 0 ||
		    (r = message_may_ask(rq, *ret_m, mail, &flags, err)) < 0)
			return r;
		mail->run = run_number(run, *ret_m);
		mail->author = mem_strdup((*ret_m)->agent);
		return engine_thread_of_mission(rq->engine, *ret_m, rq->now, ret, err);
	}
	/* Whoever works for another user has no thread with the person but its mission's. */
	if (!agent || !caller_is_person(c))
		return refuse_nobody(err);
	if (strcmp(agent, "me") == 0)
		return refuse_me(err);
	if (!config_agent(engine_config(rq->engine), agent, err))
		return err->code;
	if ((r = caller_check_voice(rq, agent, err)) < 0)
		return r;
	mail->author = mem_strdup(agent);
	return engine_thread_of_agent(rq->engine, agent, rq->now, ret, err);
}

static int exec_send(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(mail_free) struct mail *mail = mem_zalloc(sizeof(*mail));
	AUTO(mission_free) struct mission *m = NULL;
	AUTO(thread_free) struct thread *t = NULL;
	int r;

	mail->sender = SENDER_AGENT;
	if ((r = message_read_title(args, mail, err)) < 0 ||
	    (r = read_ask(args, rq->now, mail, err)) < 0 ||
	    (r = find_thread(rq, args, mail, &m, &t, err)) < 0 ||
	    (r = mail_file_place(rq->home, t, m, args, mail, err)) < 0 ||
	    (r = engine_post(rq->engine, t, mail, rq->now, err)) < 0)
		return r;
	*ret = json_object();
	json_put(*ret, "thread", json_thread(t, m));
	json_put(*ret, "message", json_mail(t, mail, rq->home));
	return 0;
}

const struct request_row message_send_row = {
	.name = "message send",
	.summary = "write to the person: a message in the inbox, in the thread of this mission",
	.details =
		"For agents. The message is Markdown of any size, the argument or standard input. "
		"It belongs to the mission it is sent from (BELFRY_MISSION_ID), or to the agent "
		"(BELFRY_AGENT) outside of one, and is on disk when this returns.\n\n"
		"With --ask the message is a question. End your run: the answer resumes the same "
		"conversation. With --timeout and --default the question is answered by the "
		"default when nobody did; without --default you are told that nobody answered. A "
		"mission whose agent keeps no conversations cannot "
		"ask.",
	.examples = "belfry message send 'All repositories are clean.'\n"
		    "belfry message send --title 'Weekly report' < report.md\n"
		    "belfry message send --ask 'Deploy now?' --timeout 2h --default 'no'",
	.args =
		(const struct request_arg[]){
			{"body", 0, ARG_MAIL, "BODY", "the message; - reads standard input", NULL,
			 true, false},
			{"title", 't', ARG_TEXT, "TITLE", "a subject line", NULL, false, false},
			{"ask", 'a', ARG_FLAG, NULL, "an answer is awaited", NULL, false, false},
			{"timeout", 0, ARG_DURATION, "DURATION",
			 "with --ask: how long to wait for an answer", NULL, false, false},
			{"default", 0, ARG_TEXT, "TEXT",
			 "with --timeout: the answer when there is none", NULL, false, false},
			{"attach", 0, ARG_FILES, "FILE",
			 "copy a file into the message; may be given several times", NULL, false,
			 false},
			/* The command line fills these in: who writes, and what it put into spool/. */
			{"mission", 0, ARG_MISSION, NULL, NULL, NULL, false, false},
			{"agent", 0, ARG_AGENT, NULL, NULL, NULL, false, false},
			{"run", 0, ARG_TEXT, NULL, NULL, NULL, false, false},
			{"spool", 0, ARG_TEXT, NULL, NULL, NULL, false, false},
			{"spooled-files", 0, ARG_TEXT, NULL, NULL, NULL, false, false},
			{0}},
	.flags = REQUEST_WRITES | REQUEST_OWN,
	.exec = exec_send,
};
