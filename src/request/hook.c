/*
 * hook.c: what an agent's own hooks call. The command line does it (cli/cmd-hook.c), and asks by the two
 * hidden rows: an event, and that its answer was printed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "engine/boundary.h"
#include "request/json.h"
#include "request/read.h"
#include "request/rows.h"
#include "request/session.h"

#define EVENT_BYTES_MAX 64
#define PATH_BYTES_MAX 4096

/* clang-format off */
const struct request_row hook_row = {
	.name = "hook",
	.summary = "what an agent's hooks call: Belfry hears what it does, and tells it what is due",
	.details =
		"For hooks of agents; 'belfry setup' installs them, and a live agent gets them by itself. "
		"EVENT is the client's own name of it, as UserPromptSubmit or Stop, and standard input the "
		"JSON that the client gives to its hooks. What is printed is for the client:\n\n"
		"UserPromptSubmit brings what the agent has set for itself (belfry boundary), then, where Belfry "
		"does not host its session, what people answered it and what is queued for it, then the "
		"promptReminders of config.yml that match. PostToolUse brings answers and what is queued as an "
		"interrupt; Stop holds the agent back once for the same. An event that several hooks tell counts "
		"once. SessionStart tells what is pending and what comes within a day.\n\n"
		"Its exit status is always 0 and it is done within two seconds, whatever is wrong: an agent must "
		"not fail because of it. It starts no daemon, and where Belfry was never used it does nothing. "
		"With BELFRY_HOOK_DEBUG=1 it says on standard error why nothing was told.",
	.examples = "belfry hook Stop < event.json\n"
		    "belfry hook --client gemini BeforeAgent < event.json",
	.args = (const struct request_arg[]){
		{"event", 0, ARG_TEXT, "EVENT", "what happened, as the client calls it", NULL, true, true},
		{"client", 0, ARG_CHOICE, "CLIENT", "whose names and shapes these are (default claude)",
		 "claude codex gemini opencode", false, false},
		{0}},
	.flags = REQUEST_LOCAL,
};
/* clang-format on */

static int check_id(const char *id, struct error *err)
{
	if (id && *id && strlen(id) < SESSION_ID_MAX && !text_find_control(id) &&
	    !strpbrk(id, " \t\n"))
		return 0;
	return error_set(err, ERR_INVALID, "the event names no session");
}

/* Of what is only for information, too much is as good as nothing. */
static const char *bounded(const char *text, size_t most)
{
	return text && strlen(text) <= most && !text_find_control(text) ? text : NULL;
}

static int read_event(const struct request *rq, const json_t *args, struct hook_event *ev,
		      struct error *err)
{
	const struct {
		const char *key;
		const char **text;
	} texts[] = {{"event", &ev->name},
		     {"session", &ev->session},
		     {"id", &ev->id},
		     {"directory", &ev->directory},
		     {"transcript", &ev->transcript},
		     {"prompt", &ev->prompt},
		     {"source", &ev->source},
		     {"boot", &ev->boot}};
	int rc = 0;

	for (size_t i = 0; rc >= 0 && i < sizeof(texts) / sizeof(texts[0]); i++)
		rc = json_get_text(args, texts[i].key, texts[i].text, err);
	if (rc < 0 ||
	    (rc = json_get_bool(args, "stop_hook_active", &ev->stop_hook_active, err)) < 0 ||
	    (rc = json_get_int(args, "pid", &ev->pid, err)) < 0 ||
	    (rc = json_get_int(args, "pid_start", &ev->pid_start, err)) < 0 ||
	    (rc = json_get_int(args, "replied_at", &ev->replied_at, err)) < 0 ||
	    (rc = json_get_int(args, "blocked_at", &ev->blocked_at, err)) < 0)
		return rc;
	if (!ev->name || strlen(ev->name) > EVENT_BYTES_MAX)
		return error_set(err, ERR_INVALID, "the event has no name");
	ev->directory = bounded(ev->directory, PATH_BYTES_MAX);
	ev->transcript = bounded(ev->transcript, PATH_BYTES_MAX);
	ev->boot = bounded(ev->boot, EVENT_BYTES_MAX);
	ev->owner = rq->caller.user;
	ev->agent = rq->caller.agent;
	ev->mission = rq->caller.mission_key;
	ev->stray = session_is_stray(&rq->caller);
	return check_id(ev->session, err);
}

/*
 * What nobody knows and what Belfry runs for somebody is no client: it tells nothing of any session, and is told
 * nothing.
 */
static bool is_client(const struct caller *c)
{
	return !c->unknown && !c->lent;
}

static int exec_event(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	struct hook_event ev = {0};
	struct hook_answer answer = {.offer = USEC_NONE};
	int rc = read_event(rq, args, &ev, err);

	if (rc >= 0 && is_client(&rq->caller))
		rc = engine_hook(rq->engine, &ev, rq->now, &answer, err);
	if (rc < 0)
		return rc;
	*ret = json_object();
	json_put_text(*ret, "context", answer.context);
	json_put_bool(*ret, "block", answer.block);
	json_put(*ret, "offer",
		 answer.offer == USEC_NONE ? json_null() : json_integer(answer.offer));
	free(answer.context);
	return 0;
}

/* clang-format off */
#define PART(name, type) {name, 0, type, NULL, NULL, NULL, false, false}
const struct request_row hook_event_row = {
	.name = "hook event",
	.summary = "an event of a session, and what that is told",
	.args = (const struct request_arg[]){
		PART("event", ARG_TEXT), PART("session", ARG_TEXT), PART("id", ARG_TEXT), PART("directory", ARG_TEXT),
		PART("transcript", ARG_TEXT), PART("prompt", ARG_TEXT), PART("source", ARG_TEXT),
		PART("stop-hook-active", ARG_FLAG), PART("pid", ARG_INT), PART("pid-start", ARG_INT),
		PART("boot", ARG_TEXT), PART("replied-at", ARG_INT), PART("blocked-at", ARG_INT), {0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN | REQUEST_HOOK,
	.exec = exec_event,
};
/* clang-format on */

static int exec_printed(const struct request *rq, const json_t *args, json_t **ret,
			struct error *err)
{
	struct hook_event ev = {.owner = rq->caller.user,
				.mission = rq->caller.mission_key,
				.stray = session_is_stray(&rq->caller)};
	int64_t offer = USEC_NONE;
	int rc;

	if ((rc = json_get_text(args, "session", &ev.session, err)) < 0 ||
	    (rc = json_get_int(args, "offer", &offer, err)) < 0 ||
	    (rc = check_id(ev.session, err)) < 0)
		return rc;
	if (is_client(&rq->caller) &&
	    (rc = engine_hook_printed(rq->engine, &ev, offer, rq->now, err)) < 0)
		return rc;
	*ret = json_object();
	return 0;
}

const struct request_row hook_printed_row = {
	.name = "hook printed",
	.summary = "what the session was told has been printed",
	.args = (const struct request_arg[]){PART("session", ARG_TEXT),
					     PART("offer", ARG_INT),
					     {0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN | REQUEST_HOOK,
	.exec = exec_printed,
};
