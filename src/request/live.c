/*
 * live.c: who the agents are and what they do, and what the commands for live ones ask the daemon:
 * those open windows and look at screens themselves, so the public rows are theirs, and these are
 * hidden. A session needs somebody who watches it: without a daemon none is started.
 */
#include "engine/live.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "engine/change.h"
#include "request/caller.h"
#include "request/json.h"
#include "request/read.h"
#include "request/rows.h"
#include "schedule/zone.h"

#define TEXT_MAX ((size_t)1024 * 1024)
#define SENDER_MAX 128
#define UNNAMED "command" /* who writes when Belfry ran it, and its mission is gone */

/* --- rows --------------------------------------------------------------------------------- */

static json_t *json_command(char *const *argv)
{
	json_t *list;

	if (!argv)
		return json_null();
	list = json_array();
	for (; *argv; argv++)
		json_array_append_new(list, json_string(*argv));
	return list;
}

/* Whether what is urgent stops what it does. */
static const char *interrupt_word(const struct adapter_live *live)
{
	return live->interrupt ? "key" : live->forgets ? "forgets" : "none";
}

/* What the configuration says of it; NULL: it is known only by its session. */
static void put_config(json_t *o, const struct config_agent *agent, const char *name)
{
	const struct adapter *a = agent ? agent->adapter : NULL;

	json_put_text(o, "adapter", a ? a->name : NULL);
	json_put_text(o, "interrupt", a ? interrupt_word(&a->live) : NULL);
	json_put_bool(o, "can_run", a && a->templates[USE_HEADLESS]);
	json_put_text(o, "deliver",
		      agent && agent->deliver	? "command"
		      : strcmp(name, "me") == 0 ? "inbox"
						: "queue");
	json_put(o, "command", json_command(agent ? agent->deliver : NULL));
	json_put_text(o, "directory", agent ? agent->directory : NULL);
}

/* What its session is like; NULL: it never had one. */
static int put_live(struct db *db, json_t *o, const struct live *l, struct error *err)
{
	const struct zone *zone = zone_of_machine(&(const char *){NULL});
	AUTO(mission_free) struct mission *m = NULL;
	int rc = l && l->mission ? mission_get(db, l->mission, &m, err) : 0;

	if (rc < 0 && rc != ERR_NOT_FOUND)
		return rc;
	json_put_text(o, "state", l ? presence_word(l->state) : NULL);
	json_put_text(o, "evidence", l ? l->evidence : NULL);
	json_put(o, "since", json_instant(l ? l->since : USEC_NONE, zone));
	json_put(o, "idle_at", json_instant(l ? l->idle_at : USEC_NONE, zone));
	json_put(o, "started_at", json_instant(l ? l->started_at : USEC_NONE, zone));
	json_put_text(o, "mission", m ? m->id : NULL);
	json_put_text(o, "pane", l ? l->pane : NULL);
	json_put_bool(o, "wanted", l && l->wanted);
	json_put_text(o, "end_reason", l ? l->end_reason : NULL);
	if (l && l->state == PRESENCE_GONE && l->end_reason &&
	    strcmp(l->end_reason, LIVE_ENDED_ITSELF) == 0)
		json_put_bool(o, "ended_itself", true);
	return 0;
}

/* What was handed to its session, and goes back if that ends now. */
static int put_unconfirmed(struct engine *e, json_t *o, const char *name, const struct live *l,
			   struct error *err)
{
	AUTO_MESSAGES struct message_list line = {0};
	AUTO(message_free) struct message *offered = NULL;
	bool present = l && l->state != PRESENCE_GONE;
	int rc = present ? engine_live_line(e, name, &line, err) : 0;

	if (rc >= 0 && present)
		rc = queue_offered_to(engine_db(e), name, &offered, err);
	json_put_int(o, "unconfirmed", (int64_t)line.count + (offered != NULL));
	return rc;
}

static int json_agent(const struct request *rq, const char *name, const struct live *l,
		      json_t **ret, struct error *err)
{
	struct error unknown = {0};
	const struct config_agent *agent = config_agent(engine_config(rq->engine), name, &unknown);
	AUTO(json_decref) json_t *o = json_object();
	struct db *db = engine_db(rq->engine);
	int64_t reminders = 0;
	int rc;

	json_put_text(o, "name", name);
	put_config(o, agent, name);
	json_put_text(o, "role", l && l->role ? l->role : agent ? agent->role : NULL);
	if ((rc = put_live(db, o, l, err)) < 0 ||
	    (rc = put_unconfirmed(rq->engine, o, name, l, err)) < 0 ||
	    (rc = reminder_count_live(db, name, &reminders, err)) < 0)
		return rc;
	json_put_int(o, "queued", 0);
	json_put_int(o, "reminders", reminders);
	*ret = json_incref(o);
	return 0;
}

static void count_queued(const char *agent, int64_t queued, bool more, void *data)
{
	json_t *row, *rows = data;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		if (strcmp(json_string_value(json_object_get(row, "name")), agent) != 0)
			continue;
		json_put_int(row, "queued", queued);
		if (more)
			json_put_bool(row, "queued_or_more", true);
	}
}

static int add_row(const struct request *rq, const char *name, const struct live *l, json_t *rows,
		   struct error *err)
{
	json_t *row = NULL;
	int rc = json_agent(rq, name, l, &row, err);

	if (rc >= 0)
		json_array_append_new(rows, row);
	return rc;
}

static const struct live *find_live(const struct live_list *lives, const char *name)
{
	for (size_t i = 0; i < lives->count; i++)
		if (strcmp(lives->items[i]->agent, name) == 0)
			return lives->items[i];
	return NULL;
}

static int exec_list(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	const struct config *config = engine_config(rq->engine);
	AUTO(json_decref) json_t *rows = json_array();
	AUTO_LIVES struct live_list lives = {0};
	struct error unknown = {0};
	int rc = live_list(engine_db(rq->engine), false, &lives, err);

	(void)args;
	for (size_t i = 0; rc >= 0 && i < config->agent_count; i++) {
		const char *name = config->agents[i].name;

		rc = add_row(rq, name, find_live(&lives, name), rows, err);
	}
	for (size_t i = 0; rc >= 0 && i < lives.count; i++)
		if (!config_agent(config, lives.items[i]->agent, &unknown))
			rc = add_row(rq, lives.items[i]->agent, lives.items[i], rows, err);
	if (rc < 0 || (rc = queue_counts(engine_db(rq->engine), count_queued, rows, err)) < 0)
		return rc;
	*ret = json_object();
	json_put(*ret, "agents", json_incref(rows));
	return 0;
}

const struct request_row agent_list_row = {
	.name = "agent list",
	.summary = "list the agents, how each is run and reached, what it does, and what waits",
	.args = (const struct request_arg[]){{0}},
	.flags = REQUEST_READS | REQUEST_HIDDEN,
	.exec = exec_list,
};

/*
 * Whoever sits down at a live agent types as the person. The command asks before it does: a run tells another
 * agent something by `agent send`, in its own name.
 */
static int exec_attach(const struct request *rq, const json_t *args, json_t **ret,
		       struct error *err)
{
	(void)rq, (void)args, (void)err;
	*ret = json_object();
	return 0;
}

const struct request_row live_attach_row = {
	.name = "live attach",
	.summary = "sit down at the terminal of a live agent",
	.args = (const struct request_arg[]){{0}},
	.flags = REQUEST_READS | REQUEST_HIDDEN | REQUEST_ADMIN,
	.exec = exec_attach,
};

/* --- sessions ----------------------------------------------------------------------------- */

#define AGENT_ARG                                                                                  \
	{                                                                                          \
		"agent", 0, ARG_AGENT, "AGENT", "whose session", NULL, true, true                  \
	}

static const char *agent_of(const json_t *args)
{
	return json_string_value(json_object_get(args, "agent"));
}

/* Its row as it is now. */
static int answer(const struct request *rq, const char *agent, json_t **ret, struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	AUTO(json_decref) json_t *rows = json_array();
	int rc = live_find(engine_db(rq->engine), agent, &l, err);

	if (rc < 0 || (rc = add_row(rq, agent, l, rows, err)) < 0 ||
	    (rc = queue_counts(engine_db(rq->engine), count_queued, rows, err)) < 0)
		return rc;
	*ret = json_incref(json_array_get(rows, 0));
	return 0;
}

static int need_daemon(const struct request *rq, const char *agent, struct error *err)
{
	if (rq->scheduler_running)
		return 0;
	error_set(err, ERR_UNAVAILABLE, "no daemon is running: nobody would start agent '%s'",
		  agent);
	return error_hint(err, "belfry daemon start");
}

static int exec_start(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	const char *role = NULL;
	bool fresh = false;
	int rc;

	if ((rc = need_daemon(rq, agent_of(args), err)) < 0 ||
	    (rc = caller_check_agent(rq, agent_of(args), err)) < 0 ||
	    (rc = json_get_text(args, "role", &role, err)) < 0 ||
	    (rc = json_get_bool(args, "fresh", &fresh, err)) < 0 ||
	    (rc = engine_live_start(rq->engine, agent_of(args), role, fresh, rq->now, &l, err)) < 0)
		return rc;
	return answer(rq, l->agent, ret, err);
}

const struct request_row live_start_row = {
	.name = "live start",
	.summary = "start an agent in a session of its own",
	.args =
		(const struct request_arg[]){
			AGENT_ARG,
			{"role", 0, ARG_TEXT, "ROLE", "what it is to be", NULL, false, false},
			{"fresh", 0, ARG_FLAG, NULL, "a new conversation", NULL, false, false},
			{0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_start,
};

static int exec_stop(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(free) char *why = caller_did(&rq->caller, "stopped");
	int rc = caller_check_live(rq, agent_of(args), "stop", err);

	if (rc < 0 || (rc = engine_live_stop(rq->engine, agent_of(args), why, rq->now, err)) < 0)
		return rc;
	return answer(rq, agent_of(args), ret, err);
}

const struct request_row live_stop_row = {
	.name = "live stop",
	.summary = "end the session of an agent",
	.args = (const struct request_arg[]){AGENT_ARG, {0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_stop,
};

static int exec_restart(const struct request *rq, const json_t *args, json_t **ret,
			struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	int rc = need_daemon(rq, agent_of(args), err);

	if (rc < 0 || (rc = caller_check_live(rq, agent_of(args), "restart", err)) < 0 ||
	    (rc = engine_live_restart(rq->engine, agent_of(args), rq->now, &l, err)) < 0)
		return rc;
	return answer(rq, l->agent, ret, err);
}

const struct request_row live_restart_row = {
	.name = "live restart",
	.summary = "end the session of an agent, and start it again in the same conversation",
	.args = (const struct request_arg[]){AGENT_ARG, {0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_restart,
};

static int exec_remove(const struct request *rq, const json_t *args, json_t **ret,
		       struct error *err)
{
	int64_t cancelled = 0, kept = 0;
	bool with_reminders = false, ending;
	int rc = json_get_bool(args, "with_reminders", &with_reminders, err);

	if (rc < 0 || (rc = engine_live_remove(rq->engine, agent_of(args), with_reminders, rq->now,
					       &cancelled, err)) < 0)
		return rc;
	ending = rc > 0;
	if ((rc = reminder_count_live(engine_db(rq->engine), agent_of(args), &kept, err)) < 0)
		return rc;
	*ret = json_object();
	json_put_text(*ret, "name", agent_of(args));
	json_put_bool(*ret, "ending", ending); /* it was told to end; ask again */
	json_put_int(*ret, "cancelled", cancelled);
	json_put_int(*ret, "kept", kept);
	return 0;
}

const struct request_row live_remove_row = {
	.name = "live remove",
	.summary = "end the session of an agent, and forget it",
	.args = (const struct request_arg[]){AGENT_ARG,
					     {"with-reminders", 0, ARG_FLAG, NULL,
					      "cancel the reminders that are for it", NULL, false,
					      false},
					     {0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN | REQUEST_ADMIN,
	.exec = exec_remove,
};

static int exec_host(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	AUTO(mission_free) struct mission *m = NULL;
	AUTO(free) char *order = NULL;
	struct process_id host = {0};
	struct db *db = engine_db(rq->engine);
	int rc = caller_attends(rq, args, &host, err);

	if (rc == 0)
		rc = error_set(err, ERR_INVALID, "'live host' is for the process in the window");
	if (rc < 0 || (rc = need_daemon(rq, agent_of(args), err)) < 0 ||
	    (rc = engine_live_host(rq->engine, agent_of(args), &host, rq->now, &order, err)) < 0 ||
	    (rc = live_find(db, agent_of(args), &l, err)) < 0 ||
	    (rc = mission_get(db, l->mission, &m, err)) < 0)
		return rc;
	*ret = json_object();
	json_put_text(*ret, "id", m->id);
	json_put_text(*ret, "order", order);
	return 0;
}

const struct request_row live_host_row = {
	.name = "live host",
	.summary = "be the process of a session",
	.args = (const struct request_arg[]){AGENT_ARG,
					     {"pid", 0, ARG_INT, "PID", NULL, NULL, false, false},
					     {"pid-start", 0, ARG_INT, "TICKS", NULL, NULL, false,
					      false},
					     {"boot", 0, ARG_TEXT, "ID", NULL, NULL, false, false},
					     {0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN | REQUEST_WINDOW,
	.exec = exec_host,
};

/* --- messages ----------------------------------------------------------------------------- */

/* It is typed into a terminal, in front of the text. */
static int check_sender(const char *from, struct error *err)
{
	int rc = from ? read_check_text("the sender's name", from, SENDER_MAX, err) : 0;

	if (rc < 0 || !from || (*from && !strpbrk(from, "\t\n []")))
		return rc;
	return error_set(err, ERR_INVALID, "'%s' is no name of an agent", from);
}

static int exec_send(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	const char *text = json_string_value(json_object_get(args, "text"));
	const char *from = NULL, *word = NULL;
	AUTO(message_free) struct message *m = NULL;
	AUTO(live_free) struct live *l = NULL;
	enum priority priority;
	int rc;

	if ((rc = json_get_text(args, "from", &from, err)) < 0 ||
	    (rc = json_get_text(args, "priority", &word, err)) < 0 ||
	    (rc = check_sender(from, err)) < 0)
		return rc;
	/* A run writes as its agent, and as nobody else. */
	if (caller_is_run(&rq->caller))
		from = rq->caller.agent ? rq->caller.agent : UNNAMED;
	if (strlen(text) > TEXT_MAX) {
		error_set(err, ERR_INVALID, "the message is too long: %zu bytes, at most %zu",
			  strlen(text), TEXT_MAX);
		return error_hint(err, "put the long text into a file, and say where it is");
	}
	priority = word ? (enum priority)priority_of(word) : PRIORITY_NORMAL;
	if ((rc = engine_live_send(rq->engine, agent_of(args), from, text, priority, rq->now, &m,
				   err)) < 0 ||
	    (rc = live_find(engine_db(rq->engine), agent_of(args), &l, err)) < 0)
		return rc;
	*ret = json_message(m, NULL);
	/* The message's own state is the queue's word; this one says when it will be told. */
	json_put_text(*ret, "delivery", delivery_word(m->state));
	json_put_text(*ret, "state", l ? presence_word(l->state) : NULL);
	json_put_bool(*ret, "scheduler_running", rq->scheduler_running);
	return 0;
}

const struct request_row live_send_row = {
	.name = "live send",
	.summary = "tell an agent something",
	.args =
		(const struct request_arg[]){
			AGENT_ARG,
			{"text", 0, ARG_BODY, "TEXT", "what it is told", NULL, true, true},
			{"priority", 0, ARG_CHOICE, "PRIORITY", "when",
			 "interrupt normal idle-first idle", false, false},
			{"from", 0, ARG_TEXT, "AGENT", "who writes", NULL, false, false},
			{0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_send,
};
