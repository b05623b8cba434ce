/* board.c: the status board: what each agent says it is doing, of and for one user. */
#include <string.h>

#include "engine/engine.h"
#include "request/caller.h"
#include "request/json.h"
#include "request/read.h"
#include "request/rows.h"
#include "store/board.h"

#define STATUS_BYTES_MAX 200
#define DETAIL_BYTES_MAX 4096

/* Who it is about: named, or whoever asks (the command line passes BELFRY_AGENT on). */
static int read_agent(const struct request *rq, const json_t *args, const char **ret,
		      struct error *err)
{
	const char *name = NULL;
	int rc = json_get_text(args, "agent", &name, err);

	if (rc < 0)
		return rc;
	if (!name) {
		error_set(err, ERR_INVALID, "whose status? no agent is named");
		return error_hint(err, "give --agent AGENT; inside a mission BELFRY_AGENT says it");
	}
	if (!config_agent(engine_config(rq->engine), name, err))
		return err->code;
	*ret = name;
	return caller_check_voice(rq, name, err);
}

static int put_on(const struct request *rq, const char *agent, const char *status,
		  const char *detail, json_t **ret, struct error *err)
{
	const struct board b = {.agent = (char *)(uintptr_t)agent,
				.status = (char *)(uintptr_t)status,
				.detail = (char *)(uintptr_t)detail,
				.owner = (char *)(uintptr_t)rq->caller.user,
				.at = rq->now};
	const struct zone *zone = read_own_zone(rq);
	int rc = board_set(engine_db(rq->engine), &b, err);

	if (rc < 0)
		return rc;
	*ret = json_object();
	json_put_text(*ret, "agent", agent);
	json_put_text(*ret, "status", *status ? status : NULL);
	json_put_text(*ret, "detail", detail);
	json_put(*ret, "at", json_instant(rq->now, zone));
	return 0;
}

static int exec_set(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	const char *agent = NULL, *status = NULL, *detail = NULL;
	int rc;

	if ((rc = read_agent(rq, args, &agent, err)) < 0 ||
	    (rc = json_get_text(args, "status", &status, err)) < 0 ||
	    (rc = json_get_text(args, "detail", &detail, err)) < 0 ||
	    (rc = read_check_text("the status", status, STATUS_BYTES_MAX, err)) < 0 ||
	    (detail && (rc = read_check_text("the detail", detail, DETAIL_BYTES_MAX, err)) < 0))
		return rc;
	if (strpbrk(status, "\n\t")) {
		error_set(err, ERR_INVALID, "the status has a tab or a newline in it");
		return error_hint(err, "a status is a few words; the rest is its DETAIL");
	}
	return put_on(rq, agent, status, detail && *detail ? detail : NULL, ret, err);
}

const struct request_row board_set_row = {
	.name = "board set",
	.summary = "put an agent's status on the board, in place of the one before",
	.details = "Heartbeats and tasks are told what stands on the board. It is for "
		   "information: it keeps nothing from running.",
	.examples = "belfry board set 'reviewing PRs' 'three left' --agent builder\n"
		    "belfry board set idle",
	.args = (const struct request_arg[]){{"status", 0, ARG_TEXT, "STATUS",
					      "a few words; '' takes it off", NULL, true, true},
					     {"detail", 0, ARG_BODY, "DETAIL",
					      "more about it; - reads standard input", NULL, true,
					      false},
					     {"agent", 0, ARG_AGENT, "AGENT",
					      "whose (default: $BELFRY_AGENT)", NULL, false, false},
					     {0}},
	.flags = REQUEST_WRITES | REQUEST_OWN,
	.exec = exec_set,
};

static int exec_clear(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	const char *agent = NULL;
	int rc = read_agent(rq, args, &agent, err);

	return rc < 0 ? rc : put_on(rq, agent, "", NULL, ret, err);
}

const struct request_row board_clear_row = {
	.name = "board clear",
	.summary = "take an agent's status off the board",
	.args = (const struct request_arg[]){{"agent", 0, ARG_AGENT, "AGENT",
					      "whose (default: $BELFRY_AGENT)", NULL, false, false},
					     {0}},
	.flags = REQUEST_WRITES | REQUEST_OWN,
	.exec = exec_clear,
};

static int exec_show(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	const struct zone *zone = read_own_zone(rq);
	AUTO_BOARD struct board_list board = {0};
	const char *agent = NULL;
	json_t *rows;
	int rc = json_get_text(args, "agent", &agent, err);

	if (rc < 0 || (rc = board_list(engine_db(rq->engine), agent, caller_scope(&rq->caller),
				       &board, err)) < 0)
		return rc;
	rows = json_array();
	for (size_t i = 0; i < board.count; i++) {
		json_t *row = json_object();

		json_put_text(row, "agent", board.items[i]->agent);
		if (!rq->caller.scoped)
			json_put_text(row, "user", board.items[i]->owner);
		json_put_text(row, "status", board.items[i]->status);
		json_put_text(row, "detail", board.items[i]->detail);
		json_put(row, "at", json_instant(board.items[i]->at, zone));
		json_array_append_new(rows, row);
	}
	*ret = json_object();
	json_put(*ret, "board", rows);
	return 0;
}

const struct request_row board_show_row = {
	.name = "board show",
	.summary = "show the status board: what each agent says it is doing",
	.details =
		"The person sees the lines of all users, and whose they are; everybody else those "
		"of their own.",
	.args = (const struct request_arg[]){{"agent", 0, ARG_AGENT, "AGENT", "only this agent's",
					      NULL, true, false},
					     {0}},
	.flags = REQUEST_READS | REQUEST_OWN,
	.exec = exec_show,
};
