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

static int exec_list(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO_MESSAGES struct message_list page = {0};
	AUTO(json_decref) json_t *rows = json_array();
	struct queue_filter filter = {.limit = PAGE_ROWS};
	struct db *db = engine_db(rq->engine);
	int rc;

	if ((rc = json_get_text(args, "agent", &filter.agent, err)) < 0 ||
	    (rc = json_get_bool(args, "all", &filter.done, err)) < 0 ||
	    (rc = json_get_int(args, "after", &filter.after, err)) < 0 ||
	    (rc = queue_list(db, &filter, &page, err)) < 0)
		return rc;
	for (size_t i = 0; i < page.count; i++) {
		json_t *row = NULL;

		rc = message_answer(db, page.items[i], &row, err);
		if (rc < 0)
			return rc;
		json_array_append_new(rows, row);
	}
	*ret = json_object();
	json_put(*ret, "messages", json_incref(rows));
	json_put(*ret, "more",
		 page.count == PAGE_ROWS ? json_integer(page.items[page.count - 1]->key)
					 : json_null());
	return 0;
}

const struct request_row queue_list_row = {
	.name = "queue list",
	.summary = "list messages that wait for an agent, oldest first",
	.args = (const struct request_arg[]){{"agent", 0, ARG_AGENT, "AGENT", "only this agent's",
					      NULL, true, false},
					     {"all", 'a', ARG_FLAG, NULL,
					      "delivered and failed ones too", NULL, false, false},
					     {"after", 0, ARG_INT, "KEY", NULL, NULL, false, false},
					     {0}},
	.flags = REQUEST_READS,
	.exec = exec_list,
};

/* A message by its id, or the one that an agent would take next. */
static int exec_show(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(message_free) struct message *m = NULL;
	const char *ref = json_string_value(json_object_get(args, "message"));
	struct db *db = engine_db(rq->engine);
	struct error no_agent = {0};
	int rc;

	if (config_agent(engine_config(rq->engine), ref, &no_agent)) {
		rc = queue_head(db, ref, &m, err);
		if (rc >= 0 && !m)
			rc = error_set(err, ERR_NOT_FOUND, "nothing is queued for '%s'", ref);
	} else {
		rc = queue_find(db, ref, &m, err);
	}
	return rc < 0 ? rc : message_answer(db, m, ret, err);
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
	AUTO(message_free) struct message *m = NULL;
	const char *agent = json_string_value(json_object_get(args, "agent"));
	int rc;

	if (!config_agent(engine_config(rq->engine), agent, err) ||
	    caller_check_voice(rq, agent, err) < 0)
		return err->code;
	rc = engine_take(rq->engine, agent, rq->now, &m, err);
	return rc < 0 ? rc : message_answer(engine_db(rq->engine), m, ret, err);
}

const struct request_row queue_take_row = {
	.name = "queue take",
	.summary = "take the next message for an agent: it is printed and marked delivered",
	.details = "By priority: interrupt, normal, idle-first (newest first), idle; else the "
		   "oldest first. When nothing is queued it says so and exits with status 3.",
	.examples = "belfry queue take me\n"
		    "while belfry queue take builder > next.md; do work next.md; done",
	.args =
		(const struct request_arg[]){
			{"agent", 0, ARG_AGENT, "AGENT", "whose queue", NULL, true, true}, {0}},
	.flags = REQUEST_WRITES,
	.exec = exec_take,
};
