/* reminder.c: look at reminders, and move them between their statuses. */
#include "base/mem.h"
#include "engine/change.h"
#include "engine/declared.h"
#include "request/caller.h"
#include "request/declared.h"
#include "request/json-cron.h"
#include "request/rows.h"
#include "store/trouble.h"

#define PAGE_ROWS 500

#define REMINDER_ARG                                                                               \
	{                                                                                          \
		"reminder", 0, ARG_REMINDER, "REMINDER", "id, unique prefix of one, or name",      \
			NULL, true, true                                                           \
	}
#define REMINDERS_ARG                                                                              \
	{                                                                                          \
		"reminder", 0, ARG_REMINDER, "REMINDER", "id, unique prefix of one, or name",      \
			NULL, true, true, .many = true                                             \
	}

/*
 * One reminder of a list. One that runs also says how, or in a short list only by which door it
 * came in. An export leaves out what files declare: there it comes back from.
 */
static int add_item(const struct request *rq, const struct reminder *r,
		    const struct trouble_list *troubles, bool brief, bool full, json_t *rows,
		    struct error *err)
{
	AUTO(policy_free) struct policy *p = NULL;
	struct declared d = {0};
	json_t *o;
	int rc = r->action == ACTION_RUN ? policy_get(engine_db(rq->engine), r->key, &p, err) : 0;

	if (rc < 0)
		return rc;
	if (full && p && (p->door == DOOR_CRON || p->door == DOOR_HEARTBEAT))
		return 0;
	if (full && (rc = engine_declared(rq->engine, r, &d, err)) < 0)
		return rc;
	if (full && d.as != DECLARED_NOT)
		return 0;
	o = brief ? json_reminder_brief(r) : full ? json_reminder_export(r) : json_reminder(r);
	if (!full)
		json_put_trouble(troubles, r, o);
	if (p && brief)
		json_put_text(o, "door", door_word(p->door));
	else if (p)
		json_put(o, "policy", json_policy(p));
	json_array_append_new(rows, o);
	return full ? json_put_maker(engine_db(rq->engine), r, o, err) : 0;
}

static int exec_list(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO_REMINDERS struct reminder_list page = {0};
	AUTO_TROUBLES struct trouble_list troubles = {0};
	struct reminder_filter filter = {.owner = caller_scope(&rq->caller), .limit = PAGE_ROWS};
	json_t *result, *rows;
	bool full = false, brief = false;
	int rc;

	if ((rc = json_get_text(args, "agent", &filter.agent, err)) < 0 ||
	    (rc = json_get_bool(args, "all", &filter.ended, err)) < 0 ||
	    (rc = json_get_bool(args, "full", &full, err)) < 0 ||
	    (rc = json_get_bool(args, "brief", &brief, err)) < 0 ||
	    (rc = json_get_int(args, "after", &filter.after, err)) < 0)
		return rc;
	rc = reminder_list(engine_db(rq->engine), &filter, &page, err);
	if (rc < 0)
		return rc;
	/* Reminders outlive their agent; a name that is nobody's and has none is mistyped. */
	if (!page.count && filter.agent && !filter.after &&
	    !config_agent(engine_config(rq->engine), filter.agent, err))
		return err->code;
	result = json_object();
	rows = json_array();
	/* Of this page alone: what looks at every reminder, for each page, takes minutes in the end. */
	if (page.count)
		rc = trouble_of(engine_db(rq->engine), page.items[0]->key,
				page.items[page.count - 1]->key, &troubles, err);
	for (size_t i = 0; i < page.count && rc >= 0; i++)
		rc = add_item(rq, page.items[i], &troubles, brief, full, rows, err);
	if (rc < 0) {
		json_decref(rows);
		json_decref(result);
		return rc;
	}
	json_put(result, "reminders", rows);
	json_put(result, "more",
		 page.count == PAGE_ROWS ? json_integer(page.items[page.count - 1]->key)
					 : json_null());
	*ret = result;
	return 0;
}

const struct request_row reminder_list_row = {
	.name = "reminder list",
	.summary = "list reminders: active and paused ones, with their next fire",
	.examples = "belfry reminder list\nbelfry reminder list me --all --json",
	.args =
		(const struct request_arg[]){
			{"agent", 0, ARG_AGENT, "AGENT", "only this agent's", NULL, true, false},
			{"all", 'a', ARG_FLAG, NULL, "completed and cancelled ones too", NULL,
			 false, false},
			{"full", 0, ARG_FLAG, NULL, NULL, NULL, false, false},
			{"brief", 0, ARG_FLAG, NULL, NULL, NULL, false, false},
			{"after", 0, ARG_INT, "KEY", NULL, NULL, false, false},
			{0}},
	.flags = REQUEST_READS | REQUEST_OWN,
	.exec = exec_list,
};

static int find(const struct request *rq, const json_t *args, struct reminder **ret,
		struct error *err)
{
	const char *ref = json_string_value(json_object_get(args, "reminder"));

	return reminder_find_of(engine_db(rq->engine), caller_scope(&rq->caller), ref, ret, err);
}

/* Its newest slot, with the mission that this ordered; null when nothing was due yet. */
static int put_last(struct db *db, const struct reminder *r, json_t *o, struct error *err)
{
	AUTO_SLOTS struct slot_list last = {0};
	int rc = slot_list(db, r->key, 0, 1, &last, err);

	if (rc < 0)
		return rc;
	json_put(o, "last", last.count ? json_slot(last.items[0], reminder_zone(r)) : json_null());
	if (!last.count)
		return 0;
	return json_put_slot_mission(db, last.items[0], json_object_get(o, "last"), err);
}

static int exec_show(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(policy_free) struct policy *p = NULL;
	AUTO(json_decref) json_t *o = NULL;
	AUTO_TROUBLES struct trouble_list troubles = {0};
	int rc = find(rq, args, &r, err);

	if (rc >= 0 && r->action == ACTION_RUN)
		rc = policy_get(engine_db(rq->engine), r->key, &p, err);
	if (rc >= 0)
		rc = trouble_of(engine_db(rq->engine), r->key, r->key, &troubles, err);
	if (rc < 0)
		return rc;
	o = json_reminder(r);
	json_put_trouble(&troubles, r, o);
	if (p)
		json_put(o, "policy", json_policy(p));
	rc = json_put_maker(engine_db(rq->engine), r, o, err);
	if (rc == 0)
		rc = put_last(engine_db(rq->engine), r, o, err);
	if (rc == 0)
		*ret = json_incref(o);
	return rc;
}

const struct request_row reminder_show_row = {
	.name = "reminder show",
	.summary = "show everything about one reminder",
	.args = (const struct request_arg[]){REMINDER_ARG, {0}},
	.flags = REQUEST_READS | REQUEST_OWN,
	.exec = exec_show,
};

/* What the moves have in common: what is found first, and what is answered. */
static int find_own(const struct request *rq, const json_t *args, const char *verb,
		    struct reminder **ret, struct error *err)
{
	int rc = find(rq, args, ret, err);

	return rc < 0 ? rc : caller_check_reminder(rq, *ret, verb, err);
}

static int answer(const struct request *rq, const struct reminder *r, int rc, json_t **ret)
{
	if (rc >= 0)
		*ret = json_reminder_answer(rq, r);
	/* Those are for whoever wrote it, and were told then. */
	if (rc >= 0)
		json_put(*ret, "warnings", json_array());
	return rc < 0 ? rc : 0;
}

static int exec_pause(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(free) char *why = caller_did(&rq->caller, "paused");
	int rc = find_own(rq, args, "pause", &r, err);

	if (rc >= 0)
		rc = engine_pause(rq->engine, r, why, rq->now, err);
	return answer(rq, r, rc, ret);
}

const struct request_row reminder_pause_row = {
	.name = "reminder pause",
	.summary = "stop a reminder from firing until it is resumed",
	.args = (const struct request_arg[]){REMINDERS_ARG, {0}},
	.flags = REQUEST_WRITES | REQUEST_OWN,
	.exec = exec_pause,
};

static int exec_resume(const struct request *rq, const json_t *args, json_t **ret,
		       struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	int rc = find_own(rq, args, "resume", &r, err);

	if (rc >= 0)
		rc = declared_refuse_resume(rq, r, err);
	if (rc >= 0)
		rc = engine_resume(rq->engine, r, rq->now, err);
	return answer(rq, r, rc, ret);
}

const struct request_row reminder_resume_row = {
	.name = "reminder resume",
	.summary = "let a paused reminder fire again",
	.details = "Occurrences during the pause are not made up for; `belfry why` tells how many "
		   "there were. A single time that passed meanwhile fires at once. What a file "
		   "disables is enabled there: `belfry cron enable NAME`, or edit the role.",
	.args = (const struct request_arg[]){REMINDERS_ARG, {0}},
	.flags = REQUEST_WRITES | REQUEST_OWN,
	.exec = exec_resume,
};

static int exec_complete(const struct request *rq, const json_t *args, json_t **ret,
			 struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(free) char *why = caller_did(&rq->caller, "completed");
	int rc = find_own(rq, args, "complete", &r, err);

	if (rc >= 0)
		rc = declared_refuse(rq, r, "complete", err);
	if (rc >= 0)
		rc = engine_complete(rq->engine, r, rq->now, why, err);
	return answer(rq, r, rc, ret);
}

const struct request_row reminder_complete_row = {
	.name = "reminder complete",
	.summary = "close an active reminder: it has served its purpose",
	.args = (const struct request_arg[]){REMINDERS_ARG, {0}},
	.flags = REQUEST_WRITES | REQUEST_OWN,
	.exec = exec_complete,
};

static int exec_remove(const struct request *rq, const json_t *args, json_t **ret,
		       struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(free) char *why = caller_did(&rq->caller, "removed");
	int rc = find_own(rq, args, "remove", &r, err);

	if (rc >= 0)
		rc = declared_refuse(rq, r, "remove", err);
	if (rc >= 0)
		rc = engine_cancel(rq->engine, r, rq->now, why, err);
	return answer(rq, r, rc, ret);
}

const struct request_row reminder_remove_row = {
	.name = "reminder remove",
	.summary = "cancel a reminder; its history stays",
	.details = "What config.yml or a role declares is taken out of the file: `belfry cron rm "
		   "NAME`, or edit the role.",
	.args = (const struct request_arg[]){REMINDERS_ARG, {0}},
	.flags = REQUEST_WRITES | REQUEST_OWN,
	.exec = exec_remove,
};

static int exec_run(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(free) char *why = caller_did(&rq->caller, "run");
	int rc = find_own(rq, args, "run", &r, err);

	if (rc >= 0)
		rc = engine_run(rq->engine, r, rq->now, why, err);
	return answer(rq, r, rc, ret);
}

const struct request_row reminder_run_row = {
	.name = "reminder run",
	.summary = "fire a reminder once, now; its schedule and counters stay",
	.details = "A command condition is not asked: whoever runs it by hand means it.",
	.args = (const struct request_arg[]){REMINDER_ARG, {0}},
	.flags = REQUEST_WRITES | REQUEST_OWN,
	.exec = exec_run,
};
