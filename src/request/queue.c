/* queue.c: messages that wait for an agent. */
#include "engine/change.h"
#include "request/caller.h"
#include "request/json.h"
#include "request/rows.h"
#include "schedule/instant.h"

#include <string.h>

#define PAGE_ROWS 200

/* The id of the reminder a message came from, "" when it is gone. */
static int message_answer(struct db *db, const struct message *m, json_t **ret, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	int rc = m->reminder ? reminder_get(db, m->reminder, &r, err) : 0;

	if (rc < 0 && rc != ERR_NOT_FOUND)
		return rc;
	*ret = json_message(m, r ? r->id : NULL);
	return 0;
}

static bool is_seen(const struct request *rq, const struct message *m)
{
	const char *owner = caller_scope(&rq->caller);

	return !owner || strcmp(owner, m->owner ? m->owner : "me") == 0;
}

static int exec_list(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO_MESSAGES struct message_list page = {0};
	AUTO(json_decref) json_t *rows = json_array();
	struct queue_filter filter = {.limit = PAGE_ROWS};
	struct db *db = engine_db(rq->engine);
	int64_t limit = PAGE_ROWS, total = 0, newest = 0;
	bool count = false;
	int rc;

	if ((rc = json_get_text(args, "agent", &filter.agent, err)) < 0 ||
	    (rc = json_get_bool(args, "all", &filter.done, err)) < 0 ||
	    (rc = json_get_text(args, "state", &filter.state, err)) < 0 ||
	    (rc = json_get_bool(args, "count", &count, err)) < 0 ||
	    (rc = json_get_int(args, "limit", &limit, err)) < 0 ||
	    (rc = json_get_int(args, "newest", &newest, err)) < 0 ||
	    (rc = json_get_int(args, "after", &filter.after, err)) < 0)
		return rc;
	filter.limit = limit < 1 ? 1 : limit > PAGE_ROWS ? PAGE_ROWS : (int)limit;
	if ((count && (rc = queue_count(db, &filter, &total, err)) < 0) ||
	    /* The first page begins where those are; the others go on from there. */
	    (newest > 0 && !filter.after &&
	     (rc = queue_before_newest(db, &filter, newest, &filter.after, err)) < 0) ||
	    (rc = queue_list(db, &filter, &page, err)) < 0)
		return rc;
	for (size_t i = 0; i < page.count; i++) {
		json_t *row = NULL;

		if (!is_seen(rq, page.items[i]))
			continue;
		rc = message_answer(db, page.items[i], &row, err);
		if (rc < 0)
			return rc;
		json_array_append_new(rows, row);
	}
	*ret = json_object();
	json_put(*ret, "messages", json_incref(rows));
	json_put(*ret, "more",
		 page.count == (size_t)filter.limit ? json_integer(page.items[page.count - 1]->key)
						    : json_null());
	if (count)
		json_put_int(*ret, "total", total);
	return 0;
}

const struct request_row queue_list_row = {
	.name = "queue list",
	.summary = "list messages that wait for an agent, oldest first",
	.args =
		(const struct request_arg[]){
			{"agent", 0, ARG_AGENT, "AGENT", "only this agent's", NULL, true, false},
			{"all", 'a', ARG_FLAG, NULL, "delivered and failed ones too", NULL, false,
			 false},
			{"state", 0, ARG_CHOICE, "STATE", "only those in it",
			 "queued offered delivered failed", false, false},
			{"limit", 'n', ARG_INT, "N", "the newest so many; 50, and with --json all",
			 NULL, false, false},
			{"count", 0, ARG_FLAG, NULL, NULL, NULL, false, false},
			{"newest", 0, ARG_INT, "N", NULL, NULL, false, false},
			{"after", 0, ARG_INT, "KEY", NULL, NULL, false, false},
			{0}},
	.flags = REQUEST_READS,
	.exec = exec_list,
};

/* The next of an agent that is the caller's to see. */
static int head_of(const struct request *rq, const char *agent, struct message **ret,
		   struct error *err)
{
	const char *owner = caller_scope(&rq->caller);
	struct db *db = engine_db(rq->engine);
	int rc = owner ? queue_head_for(db, agent, owner, PRIORITY_IDLE, ret, err)
		       : queue_head(db, agent, ret, err);

	if (rc >= 0 && !*ret)
		rc = error_set(err, ERR_NOT_FOUND, "nothing is queued for '%s'", agent);
	return rc;
}

/* By its id; one that is not the caller's to see is not there. */
static int find(const struct request *rq, const json_t *args, struct message **ret,
		struct error *err)
{
	const char *ref = json_string_value(json_object_get(args, "message"));
	AUTO(message_free) struct message *m = NULL;
	int rc = queue_find(engine_db(rq->engine), ref, &m, err);

	if (rc < 0)
		return rc;
	if (!is_seen(rq, m)) {
		error_set(err, ERR_NOT_FOUND, "no message '%.64s'", ref);
		return error_hint(err, "belfry queue list --all");
	}
	*ret = steal_ptr(&m);
	return 0;
}

/* A message by its id, or the one that an agent would take next. */
static int exec_show(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(message_free) struct message *m = NULL;
	const char *ref = json_string_value(json_object_get(args, "message"));
	struct error no_agent = {0};
	int rc = config_agent(engine_config(rq->engine), ref, &no_agent) ? head_of(rq, ref, &m, err)
									 : find(rq, args, &m, err);

	return rc < 0 ? rc : message_answer(engine_db(rq->engine), m, ret, err);
}

const struct request_row queue_show_row = {
	.name = "queue show",
	.summary = "show one message and what became of it, or an agent's next one",
	.args = (const struct request_arg[]){{"message", 0, ARG_MESSAGE, "MESSAGE|AGENT",
					      "id, unique prefix of one, or whose next message",
					      NULL, true, true},
					     {0}},
	.flags = REQUEST_READS,
	.exec = exec_show,
};

static int exec_take(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(message_free) struct message *m = NULL, *taken = NULL;
	const char *agent = json_string_value(json_object_get(args, "agent"));
	const char *owner = caller_scope(&rq->caller);
	char name[TAKE_NAME_MAX];
	int rc;

	if (!config_agent(engine_config(rq->engine), agent, err) ||
	    caller_check_voice(rq, agent, err) < 0)
		return err->code;
	if (json_is_true(json_object_get(args, "peek")))
		rc = head_of(rq, agent, &m, err);
	else if (!owner)
		rc = engine_take(rq->engine, agent, rq->now, &m, err);
	else if ((rc = engine_take_offer(rq->engine, agent, owner, rq->now, &taken, name, err)) <
			 0 ||
		 (rc = engine_take_settle(rq->engine, taken->id, name, true, rq->now, err)) < 0)
		return rc;
	else
		rc = queue_get(engine_db(rq->engine), taken->key, &m, err);
	return rc < 0 ? rc : message_answer(engine_db(rq->engine), m, ret, err);
}

const struct request_row queue_take_row = {
	.name = "queue take",
	.summary = "take the next message for an agent: it is printed and marked delivered",
	.details = "By priority: interrupt, normal, idle-first (newest first), idle; else the "
		   "oldest first. When nothing is queued it says so and exits with status 3. A "
		   "message that could not be printed whole stays in the queue.",
	.examples = "belfry queue take me\n"
		    "belfry queue take me --peek  # read it, and leave it there\n"
		    "while belfry queue take builder > next.md; do work next.md; done",
	.args =
		(const struct request_arg[]){
			{"agent", 0, ARG_AGENT, "AGENT", "whose queue", NULL, true, true},
			{"peek", 0, ARG_FLAG, NULL, "print it only: it stays in the queue", NULL,
			 false, false},
			{0}},
	.flags = REQUEST_WRITES,
	.exec = exec_take,
};

/* --- the two steps of the command line, which prints in between --- */

static int exec_offer(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(message_free) struct message *m = NULL;
	const char *agent = json_string_value(json_object_get(args, "agent"));
	char name[TAKE_NAME_MAX];
	int rc;

	if (!config_agent(engine_config(rq->engine), agent, err) ||
	    caller_check_voice(rq, agent, err) < 0)
		return err->code;
	rc = engine_take_offer(rq->engine, agent, caller_scope(&rq->caller), rq->now, &m, name,
			       err);
	if (rc < 0)
		return rc;
	*ret = json_pack("{s:s, s:s}", "message", m->id, "offer", name);
	return 0;
}

const struct request_row queue_offer_row = {
	.name = "queue offer",
	.summary = "the next message for an agent, which is about to be printed",
	.args =
		(const struct request_arg[]){
			{"agent", 0, ARG_AGENT, "AGENT", "whose queue", NULL, true, true}, {0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_offer,
};

static int exec_settle(const struct request *rq, const json_t *args, json_t **ret,
		       struct error *err)
{
	AUTO(message_free) struct message *m = NULL;
	const char *offer = json_string_value(json_object_get(args, "offer"));
	bool printed = json_is_true(json_object_get(args, "printed"));
	int rc = find(rq, args, &m, err);

	(void)ret;
	if (rc < 0 || (rc = caller_check_voice(rq, m->agent, err)) < 0)
		return rc;
	return engine_take_settle(rq->engine, m->id, offer, printed, rq->now, err);
}

const struct request_row queue_settle_row = {
	.name = "queue settle",
	.summary = "say whether such a message was printed",
	.args =
		(const struct request_arg[]){
			{"message", 0, ARG_MESSAGE, "MESSAGE", "its id", NULL, true, true},
			{"offer", 0, ARG_TEXT, "NAME", "by what it was offered", NULL, false, true},
			{"printed", 0, ARG_FLAG, NULL, "it was; else it goes back", NULL, false,
			 false},
			{0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_settle,
};
