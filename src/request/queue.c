/* queue.c: messages that wait for an agent, and who the agents are. */
#include "engine/change.h"
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

	if (!config_agent(engine_config(rq->engine), agent, err))
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

static void count_queued(const char *agent, int64_t queued, void *data)
{
	json_t *row, *rows = data;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		if (strcmp(json_string_value(json_object_get(row, "name")), agent) == 0)
			json_put_int(row, "queued", queued);
	}
}

static int exec_agents(const struct request *rq, const json_t *args, json_t **ret,
		       struct error *err)
{
	const struct config *config = engine_config(rq->engine);
	AUTO(json_decref) json_t *rows = json_array();
	int rc;

	(void)args;
	for (size_t i = 0; i < config->agent_count; i++) {
		const struct config_agent *agent = &config->agents[i];
		json_t *o = json_object();
		int64_t live = 0;

		json_put_text(o, "name", agent->name);
		json_put_text(o, "adapter", agent->adapter ? agent->adapter->name : NULL);
		json_put_bool(o, "can_run",
			      agent->adapter && agent->adapter->templates[USE_HEADLESS]);
		json_put_text(o, "deliver",
			      agent->deliver		       ? "command"
			      : strcmp(agent->name, "me") == 0 ? "inbox"
							       : "queue");
		json_put(o, "command", json_command(agent->deliver));
		json_put_text(o, "directory", agent->directory);
		json_put_int(o, "queued", 0);
		json_array_append_new(rows, o);
		rc = reminder_count_live(engine_db(rq->engine), agent->name, &live, err);
		if (rc < 0)
			return rc;
		json_put_int(o, "reminders", live);
	}
	rc = queue_counts(engine_db(rq->engine), count_queued, rows, err);
	if (rc < 0)
		return rc;
	*ret = json_object();
	json_put(*ret, "agents", json_incref(rows));
	return 0;
}

const struct request_row agent_list_row = {
	.name = "agent list",
	.summary = "list the agents of config.yml, how each is run and reached, and what waits",
	.args = (const struct request_arg[]){{0}},
	.flags = REQUEST_READS,
	.exec = exec_agents,
};
