/*
 * boundary.c: what an agent sets for its own session: `belfry boundary`, and the tool
 * set_reminder_boundary. Which session is never an argument of the tool: an agent can remind itself, and
 * nobody else.
 */
#include "engine/boundary.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "request/caller.h"
#include "request/json.h"
#include "request/read.h"
#include "request/rows.h"
#include "request/session.h"
#include "request/tool.h"

#define SHOWN_MAX 1000

/* --- which session ------------------------------------------------------------------------ */

static int no_session(const struct request *rq, struct error *err)
{
	error_set(err, ERR_INVALID, "which session? None is known for this caller");
	if (rq->caller.surface == SURFACE_MCP)
		return error_hint(err,
				  "Belfry's hooks tell it ('belfry setup CLIENT', then start the "
				  "client anew); the tool 'reminder' works without them");
	return error_hint(err, "give --session ID; inside a client BELFRY_SESSION or its own "
			       "variable says it");
}

static int check_session_id(const char *id, struct error *err)
{
	int rc = read_check_text("the id of the session", id, SESSION_ID_MAX - 1, err);

	if (rc < 0)
		return rc;
	return *id && !strpbrk(id, " \t\n")
		       ? 0
		       : error_set(err, ERR_INVALID, "'%.64s' is not the id of a session", id);
}

static int refuse_others(const char *id, struct error *err)
{
	error_set(err, ERR_DENIED, "session '%s' is not known as one of yours", id);
	return error_hint(err, "leave the session out: it is the one you are in, once "
			       "Belfry's hooks have told it");
}

/*
 * A user has their own, and a run the one it is in. The person may set something in one before its hooks
 * have spoken; another user who names a session gets the same answer whether it is there or not.
 */
static bool is_others(const struct request *rq, const char *id, const struct agent_session *s)
{
	const struct caller *c = &rq->caller;
	bool told = s && agent_session_is_told(s);
	bool own = told && strcmp(s->owner, c->user) == 0;
	bool known = c->session_known && c->session && strcmp(c->session, id) == 0;

	return c->scoped && !own && !known && (told || !caller_is_person(c));
}

/* A run reaches what is its own run's, and one that nobody has spoken of only by where it runs. */
static int check_others(const struct request *rq, const char *id, const struct agent_session *s,
			bool *ret, struct error *err)
{
	const struct caller *c = &rq->caller;
	bool named = !c->session || strcmp(c->session, id) != 0, own = false;
	int rc = 0;

	if (caller_is_run(c) && (s || named)) {
		rc = engine_session_is_of(rq->engine, id, s, c->mission_key, &own, err);
		*ret = !own;
	} else {
		*ret = is_others(rq, id, s);
	}
	return rc;
}

/* Whose boundaries are meant: those of whom the session is, or of whoever names one that is nobody's. */
static const char *owner_of(const struct request *rq, const struct agent_session *s)
{
	return s && agent_session_is_told(s) ? s->owner : rq->caller.user;
}

/* Whose it is: a user sees and changes only sessions of their own. *ret is NULL when nothing is known of it. */
static int read_session(const struct request *rq, const json_t *args, const char **ret_id,
			struct agent_session **ret, struct error *err)
{
	const char *id = rq->caller.session;
	bool others = false;
	int rc = json_get_text(args, "session", &id, err);

	if (rc < 0)
		return rc;
	if (!id)
		return rq->caller.session_refused ? refuse_others(rq->caller.session_refused, err)
						  : no_session(rq, err);
	if ((rc = check_session_id(id, err)) < 0 ||
	    (rc = agent_session_find(engine_db(rq->engine), id, rq->caller.user, ret, err)) < 0)
		return rc;
	/* The person may look at everybody's. */
	if (!*ret && !rq->caller.scoped &&
	    (rc = agent_session_find(engine_db(rq->engine), id, NULL, ret, err)) < 0)
		return rc;
	if ((rc = check_others(rq, id, *ret, &others, err)) < 0)
		return rc;
	if (others) {
		agent_session_free(steal_ptr(ret));
		return refuse_others(id, err);
	}
	*ret_id = id;
	return 0;
}

/* --- as JSON ------------------------------------------------------------------------------ */

static const char *mode_text(const struct boundary_row *b)
{
	if (!b)
		return "none";
	if (b->due_at == USEC_NONE)
		return "counter";
	return b->due_call == -1 ? "timer" : "both";
}

static json_t *call_of(const struct boundary_row *b)
{
	return b && b->due_call != -1 ? json_integer(b->due_call) : json_null();
}

static json_t *lessons_of(const struct boundary_row *b)
{
	json_t *list = b && b->lessons ? json_loads(b->lessons, 0, NULL) : NULL;

	return list ? list : json_array();
}

/* The document's state object; b NULL: nothing is pending. */
static void put_state(json_t *o, const struct boundary_row *b, const struct zone *zone)
{
	json_put_text(o, "mode", mode_text(b));
	json_put(o, "suppress_until_call", call_of(b));
	json_put(o, "suppress_until", json_instant(b ? b->due_at : USEC_NONE, zone));
	json_put_text(o, "task_note", b ? b->note : NULL);
	json_put_text(o, "reminder_message", b ? b->message : NULL);
	json_put(o, "lesson_ids", lessons_of(b));
	json_put_text(o, "workflow_step", b ? b->step : NULL);
}

static json_t *json_boundary(const struct boundary_row *b, const struct zone *zone)
{
	json_t *o = json_object();

	json_put_text(o, "id", b->id);
	json_put_text(o, "state", boundary_word(b->state));
	put_state(o, b, zone);
	json_put_int(o, "set_at_call", b->set_call);
	json_put_text(o, "agent", b->host);
	json_put(o, "created_at", json_instant(b->created_at, zone));
	json_put(o, "last_updated", json_instant(b->updated_at, zone));
	return o;
}

/* Calls and minutes cannot be compared: then the older one. */
static bool comes_before(const struct boundary_row *a, const struct boundary_row *b)
{
	if (a->due_call != -1 && b->due_call != -1)
		return a->due_call < b->due_call;
	if (a->due_at != USEC_NONE && b->due_at != USEC_NONE)
		return a->due_at < b->due_at;
	return false;
}

static const struct boundary_row *first_of(const struct boundary_row_list *list)
{
	const struct boundary_row *first = NULL;

	for (size_t i = 0; i < list->count; i++)
		if (list->items[i]->state == BOUNDARY_WAITING &&
		    (!first || comes_before(list->items[i], first)))
			first = list->items[i];
	return first;
}

/* --- set ---------------------------------------------------------------------------------- */

/* The name stands in a call that the agent is told to make. */
static int check_name(const char *what, const char *name, struct error *err)
{
	if (!*name || strlen(name) > BOUNDARY_NAME_MAX || strpbrk(name, "\"\\\n\t")) {
		error_set(err, ERR_INVALID, "'%.64s' is not the name of a %s", name, what);
		return error_hint(err, "1 to %d characters, without quotes and line breaks",
				  BOUNDARY_NAME_MAX);
	}
	return read_check_text(what, name, BOUNDARY_NAME_MAX, err);
}

static int add_lesson(json_t *list, const char *from, size_t len, struct error *err)
{
	AUTO(free) char *name = NULL;
	int rc;

	while (len && strchr(" \t\n", *from))
		from++, len--;
	while (len && strchr(" \t\n", from[len - 1]))
		len--;
	if (!len)
		return 0;
	name = mem_strndup(from, len);
	if ((rc = check_name("lesson", name, err)) < 0)
		return rc;
	if (json_array_size(list) == BOUNDARY_LESSONS_MAX)
		return error_set(err, ERR_INVALID, "there are more than %d lessons",
				 BOUNDARY_LESSONS_MAX);
	json_array_append_new(list, json_string(name));
	return 0;
}

static int split_lessons(json_t *list, const char *text, struct error *err)
{
	int rc = 0;

	while (rc >= 0 && *text) {
		size_t len = strcspn(text, ",");

		rc = add_lesson(list, text, len, err);
		text += len + (text[len] == ',');
	}
	return rc;
}

/* "a, b", or a list of such texts. */
static int read_lessons(const json_t *args, char **ret, struct error *err)
{
	const json_t *value = json_object_get(args, "lesson_ids"), *item;
	AUTO(json_decref) json_t *list = json_array();
	size_t i;
	int rc = json_is_string(value) ? split_lessons(list, json_string_value(value), err) : 0;

	json_array_foreach(value, i, item)
	{
		if (rc >= 0)
			rc = split_lessons(list, json_string_value(item), err);
	}
	if (rc >= 0 && json_array_size(list))
		*ret = json_text(list);
	return rc;
}

/* A copy; NULL when it is missing or has nothing in it. */
static int read_text(const json_t *args, const char *key, size_t limit, char **ret,
		     struct error *err)
{
	const char *text = NULL;
	int rc = json_get_text(args, key, &text, err);

	if (rc < 0 || !text || !text[strspn(text, " \t\r\n")])
		return rc;
	if ((rc = read_check_text(key, text, limit, err)) < 0)
		return rc;
	*ret = mem_strdup(text);
	return 0;
}

static int read_words(const json_t *args, struct boundary_row *b, struct error *err)
{
	int rc;

	if ((rc = read_text(args, "message", BOUNDARY_MESSAGE_MAX, &b->message, err)) < 0 ||
	    (rc = read_text(args, "note", BOUNDARY_NOTE_MAX, &b->note, err)) < 0 ||
	    (rc = read_text(args, "workflow_step", BOUNDARY_NAME_MAX, &b->step, err)) < 0 ||
	    (b->step && (rc = check_name("workflow step", b->step, err)) < 0))
		return rc;
	return read_lessons(args, &b->lessons, err);
}

static int read_when(const struct request *rq, const json_t *args, struct boundary_row *b,
		     struct error *err)
{
	bool timed = json_is_integer(json_object_get(args, "suppress_for_minutes"));
	int64_t minutes = 0;
	int rc;

	b->due_call = -1;
	b->due_at = USEC_NONE;
	if ((rc = json_get_int(args, "suppress_for_calls", &b->due_call, err)) < 0 ||
	    (rc = json_get_int(args, "suppress_for_minutes", &minutes, err)) < 0)
		return rc;
	if (b->due_call == -1 && json_is_integer(json_object_get(args, "suppress_for_calls")))
		b->due_call = 0; /* given, and refused as one that is too few */
	if (minutes > BOUNDARY_MINUTES_MAX)
		return error_set(err, ERR_INVALID, "--suppress-for-minutes is at most %d, not %lld",
				 BOUNDARY_MINUTES_MAX, (long long)minutes);
	if (timed)
		b->due_at = minutes > 0 ? rq->now + minutes * USEC_PER_MINUTE : rq->now;
	return 0;
}

static int answer_set(const struct request *rq, const struct boundary_row *b, json_t **ret,
		      struct error *err)
{
	AUTO(free) char *warning = lesson_missing(rq, b->lessons);
	AUTO(json_decref) json_t *o = NULL;
	const struct zone *zone;
	const char *source;
	int rc = read_zone(rq, NULL, &zone, &source, err);

	if (rc < 0)
		return rc;
	o = json_boundary(b, zone);
	json_put_text(o, "session", b->session);
	json_put_int(o, "current_call_count", b->set_call);
	json_put_text(o, "warning", warning);
	if ((rc = tool_put_now(rq, NULL, o, err)) < 0)
		return rc;
	*ret = steal_ptr(&o);
	return 0;
}

static int exec_set(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(agent_session_free) struct agent_session *s = NULL;
	AUTO(boundary_row_free) struct boundary_row *b = mem_zalloc(sizeof(*b));
	const char *session = NULL;
	int rc;

	if ((rc = read_when(rq, args, b, err)) < 0 || (rc = read_words(args, b, err)) < 0 ||
	    (rc = read_session(rq, args, &session, &s, err)) < 0)
		return rc;
	b->session = mem_strdup(session);
	b->owner = mem_strdup(owner_of(rq, s));
	rc = engine_boundary_set(rq->engine, b, rq->caller.mission_key, rq->now, err);
	return rc < 0 ? rc : answer_set(rq, b, ret, err);
}

static void say_when(const json_t *result, struct buf *out)
{
	const char *at = json_string_value(json_object_get(result, "suppress_until"));
	json_int_t calls = json_integer_value(json_object_get(result, "suppress_until_call")) -
			   json_integer_value(json_object_get(result, "current_call_count"));

	if (json_is_integer(json_object_get(result, "suppress_until_call")))
		buf_printf(out, "with prompt number %lld from now", (long long)calls);
	if (at)
		buf_printf(out, "%sat the first prompt after %s",
			   json_is_integer(json_object_get(result, "suppress_until_call")) ? ", or "
											   : "",
			   at);
}

static void say_set(const json_t *result, struct buf *out)
{
	const char *message = json_string_value(json_object_get(result, "reminder_message"));
	const char *warning = json_string_value(json_object_get(result, "warning"));
	bool silent = !message && json_is_null(json_object_get(result, "workflow_step")) &&
		      !json_array_size(json_object_get(result, "lesson_ids"));

	buf_printf(out,
		   "%s is set. Pattern reminders are suppressed in this session until it is due, ",
		   json_string_value(json_object_get(result, "id")));
	say_when(result, out);
	buf_add_str(out, silent ? ". It has nothing to say then." : "; then you are told, once");
	if (!silent)
		buf_printf(out, "%s%s", message ? ": " : ".", message ? message : "");
	if (warning)
		buf_printf(out, "\nWarning: %s.", warning);
}

/* clang-format off */
#define SESSION_ARG {"session", 0, ARG_TEXT, "ID", "of the client's conversation (default: the one this runs in)", NULL, false, false, true}
const struct request_row boundary_set_row = {
	.name = "boundary set",
	.summary = "set a reminder for a session, after so many prompts or minutes",
	.details =
		"For agents, which set it for the conversation they are in; Belfry's hooks bring it back. "
		"Calls are prompts of the user, whatever they say: with 2 it comes with the second prompt "
		"from now. Minutes have passed at the first prompt after them; in a session that Belfry "
		"hosts it does not wait for one. With both, whichever comes first. Several may be pending; "
		"each is told once.\n\n"
		"Until then the promptReminders of config.yml are suppressed in that session. Without a "
		"message, lessons or a workflow step that is all that happens.",
	.examples = "belfry boundary set --suppress-for-calls 2 --message 'Now plan it' \\\n"
		    "    --workflow-step feature/plan\n"
		    "belfry boundary set --suppress-for-minutes 30 \\\n"
		    "    --lesson-ids error-handling,verification",
	.args = (const struct request_arg[]){
		{"suppress-for-calls", 'c', ARG_INT, "N", "remind with the Nth prompt of the user from now; 1 or more", NULL, false, false},
		{"suppress-for-minutes", 't', ARG_INT, "N", "remind once N minutes have passed; 1 or more", NULL, false, false},
		{"message", 'm', ARG_BODY, "TEXT", "what to be told then, in words that make sense without the present context", NULL, false, false},
		{"lesson-ids", 'l', ARG_LIST, "IDS", "lessons to read then, separated by commas", NULL, false, false},
		{"workflow-step", 'w', ARG_WORKFLOW, "STEP", "the step to load then, as workflow/step", NULL, false, false},
		{"note", 'n', ARG_BODY, "TEXT", "what this is about, for reference", NULL, false, false},
		SESSION_ARG, {0}},
	.flags = REQUEST_WRITES,
	.exec = exec_set,
	.tool = &(const struct request_tool){
		.name = "set_reminder_boundary",
		.title = "Remind yourself later in this conversation",
		.description =
			"Set a reminder for yourself in this conversation. It is put into your context exactly once, "
			"whatever the user writes: with the Nth user prompt from now (suppress_for_calls), or once "
			"so many minutes have passed (suppress_for_minutes); with both, whichever comes first. Until "
			"then automatic pattern reminders are held back, so that you can finish what you are doing.\n"
			"Use it at the end of a step to be brought to the next one, to come back to work that is not "
			"finished, or to have the right lessons at hand when they matter. It never fires at once, and "
			"several may be pending: none replaces another. Write the message so that it makes sense "
			"without the present context. Without message, lesson_ids and workflow_step it only holds "
			"pattern reminders back.\n"
			"It reminds you in this conversation only. To be woken at a time of day, or to reach the user, "
			"use the tool 'reminder'.",
		.trust = TRUST_INNER,
		.hints = TOOL_IN_SESSION,
		.output = "{\"type\":\"object\",\"properties\":{"
			  "\"id\":{\"type\":\"string\"},\"session\":{\"type\":\"string\"},"
			  "\"state\":{\"type\":\"string\"},"
			  "\"mode\":{\"type\":\"string\",\"enum\":[\"counter\",\"timer\",\"both\",\"none\"]},"
			  "\"current_call_count\":{\"type\":\"integer\"},"
			  "\"suppress_until_call\":{\"type\":[\"integer\",\"null\"]},"
			  "\"suppress_until\":{\"type\":[\"string\",\"null\"]},"
			  "\"reminder_message\":{\"type\":[\"string\",\"null\"]},"
			  "\"lesson_ids\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
			  "\"workflow_step\":{\"type\":[\"string\",\"null\"]},"
			  "\"task_note\":{\"type\":[\"string\",\"null\"]},"
			  "\"warning\":{\"type\":[\"string\",\"null\"]},"
			  "\"now\":{\"type\":\"string\"},\"timezone\":{\"type\":\"string\"},"
			  "\"timezone_source\":{\"type\":\"string\"},"
			  "\"scheduler_running\":{\"type\":\"boolean\"}},"
			  "\"required\":[\"id\",\"mode\",\"current_call_count\",\"scheduler_running\"]}",
		.say = say_set,
	},
};
/* clang-format on */

/* --- show, clear -------------------------------------------------------------------------- */

static usec_t updated_at(const struct agent_session *s, const struct boundary_row_list *list)
{
	usec_t latest = s ? s->seen_at : USEC_NONE;

	for (size_t i = 0; i < list->count; i++)
		if (latest == USEC_NONE || list->items[i]->updated_at > latest)
			latest = list->items[i]->updated_at;
	return latest;
}

static json_t *json_session(const char *id, const struct agent_session *s,
			    const struct boundary_row_list *list, const struct zone *zone)
{
	json_t *o = json_object(), *all = json_array();

	json_put_text(o, "session", id);
	put_state(o, first_of(list), zone);
	json_put_int(o, "current_call_count", s ? s->calls : 0);
	json_put(o, "last_updated", json_instant(updated_at(s, list), zone));
	json_put_text(o, "agent", s ? s->agent : NULL);
	json_put_text(o, "directory", s ? s->directory : NULL);
	json_put_bool(o, "known", s != NULL);
	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(all, json_boundary(list->items[i], zone));
	json_put(o, "boundaries", all);
	return o;
}

/* Of the session that `all` goes on with at *at, which is moved behind it. */
static int put_next(const struct request *rq, const struct boundary_row_list *all, size_t *at,
		    const struct zone *zone, json_t *ret, struct error *err)
{
	AUTO(agent_session_free) struct agent_session *s = NULL;
	struct boundary_row_list own = {.items = all->items + *at};
	const char *id = all->items[*at]->session, *owner = all->items[*at]->owner;
	int rc = agent_session_find(engine_db(rq->engine), id, owner, &s, err);

	if (rc < 0)
		return rc;
	for (; *at < all->count && strcmp(all->items[*at]->session, id) == 0 &&
	       strcmp(all->items[*at]->owner, owner) == 0;
	     ++*at)
		own.count++;
	json_array_append_new(ret, json_session(id, s, &own, zone));
	return 0;
}

/* A person's shell is in no session: all that have something pending. */
static int show_all(const struct request *rq, const struct zone *zone, json_t **ret,
		    struct error *err)
{
	const char *owner = rq->caller.scoped ? rq->caller.user : NULL;
	AUTO_BOUNDARIES struct boundary_row_list list = {0};
	AUTO(json_decref) json_t *sessions = json_array();
	int rc = boundary_pending_of(engine_db(rq->engine), owner, SHOWN_MAX, &list, err);

	for (size_t i = 0; rc >= 0 && i < list.count;)
		rc = put_next(rq, &list, &i, zone, sessions, err);
	if (rc < 0)
		return rc;
	*ret = json_object();
	json_put(*ret, "sessions", steal_ptr(&sessions));
	return 0;
}

static int exec_show(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(agent_session_free) struct agent_session *s = NULL;
	AUTO_BOUNDARIES struct boundary_row_list list = {0};
	const struct zone *zone;
	const char *session = NULL, *source;
	int rc = read_zone(rq, NULL, &zone, &source, err);

	if (rc < 0)
		return rc;
	if (!rq->caller.session && !caller_is_run(&rq->caller) && !json_object_get(args, "session"))
		return show_all(rq, zone, ret, err);
	if ((rc = read_session(rq, args, &session, &s, err)) < 0 ||
	    (rc = boundary_pending_by(engine_db(rq->engine), session, owner_of(rq, s), &list,
				      err)) < 0)
		return rc;
	*ret = json_session(session, s, &list, zone);
	return 0;
}

/* clang-format off */
const struct request_row boundary_show_row = {
	.name = "boundary show",
	.summary = "show what a session has set for itself, and how far it is",
	.details = "With --json, the state of the session: mode (counter, timer, both, none), "
		   "suppress_until_call, suppress_until, current_call_count, task_note, reminder_message, "
		   "lesson_ids, workflow_step and last_updated, of the boundary that comes first, and all "
		   "pending ones as boundaries. Outside of any session: what is pending in all of yours, as sessions.",
	.examples = "belfry boundary show                       # in your shell: all pending ones\n"
		    "belfry boundary show --session 6f0d2a1e-…  # of that conversation",
	.args = (const struct request_arg[]){SESSION_ARG, {0}},
	.flags = REQUEST_READS | REQUEST_OWN,
	.exec = exec_show,
};
/* clang-format on */

static int exec_clear(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(agent_session_free) struct agent_session *s = NULL;
	const char *session = NULL;
	int64_t cleared = 0;
	int rc;

	if ((rc = read_session(rq, args, &session, &s, err)) < 0 ||
	    (rc = engine_boundary_clear(rq->engine, session, owner_of(rq, s), rq->now, &cleared,
					err)) < 0)
		return rc;
	*ret = json_object();
	json_put_text(*ret, "session", session);
	json_put_int(*ret, "cleared", cleared);
	return 0;
}

/* clang-format off */
const struct request_row boundary_clear_row = {
	.name = "boundary clear",
	.summary = "take back what a session has set for itself",
	.details = "All that still waits. Pattern reminders are told again from then on.",
	.args = (const struct request_arg[]){SESSION_ARG, {0}},
	.flags = REQUEST_WRITES | REQUEST_OWN,
	.exec = exec_clear,
};
/* clang-format on */
