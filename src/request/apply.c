/*
 * apply.c: the difference between what the files declare and what is there, shown and made.
 * A daemon makes it by itself as soon as a file changes, so there is often nothing left to do: then
 * what it did last is told instead. Without a daemon this is the way to make it.
 */
#include "base/mem.h"
#include "engine/seed.h"
#include "request/json.h"
#include "request/rows.h"
#include "schedule/instant.h"

static const char *const kinds[] = {
	[SEED_CREATED] = "created",
	[SEED_CHANGED] = "changed",
	[SEED_ENDED] = "completed",
	[SEED_BROKEN] = "broken",
};

static json_t *json_changes(const struct seed_report *report)
{
	json_t *list = json_array();

	for (size_t i = 0; i < report->count; i++) {
		const struct seed_change *c = &report->items[i];
		json_t *o = json_object();

		json_put_text(o, "change", kinds[c->kind]);
		json_put_text(o, "what", c->what);
		json_put_text(o, "name", c->name);
		json_put_text(o, "agent", c->agent);
		json_put_text(o, "id", c->id);
		json_put_text(o, "detail", c->detail);
		json_array_append_new(list, o);
	}
	return list;
}

/* Half of what the files say would be worse than nothing: somebody still listens. */
static int refuse_broken(const struct request *rq, struct error *err)
{
	const struct config *c = engine_config(rq->engine);
	const char *problem = rq->config_error;

	for (size_t i = 0; i < c->role_count && !problem; i++)
		problem = c->roles[i].problem ? c->roles[i].problem : c->roles[i].mistake;
	if (!problem)
		return 0;
	error_set(err, ERR_INVALID, "%s", problem);
	return error_hint(err, "nothing was changed; mend it, then look: belfry config check");
}

/* What the daemon has done by itself: in the turn of this request, or the last time it did. */
static void put_last(const struct request *rq, json_t *o)
{
	const struct seed_report *last = engine_seeded(rq->engine);
	char at[INSTANT_TEXT_MAX];
	json_t *done;

	if (!last) {
		json_put(o, "last", json_null());
		return;
	}
	instant_format(last->at, zone_utc(), at);
	done = json_object();
	json_put_text(done, "at", at);
	json_put(done, "changes", json_changes(last));
	json_put(o, "last", done);
}

static int exec_apply(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	const struct config *c = engine_config(rq->engine);
	const struct seed_report *last = engine_seeded(rq->engine);
	AUTO_REPORT struct seed_report report = {0};
	AUTO(json_decref) json_t *o = json_object();
	json_t *changes, *mine;
	bool dry = false;
	int rc;

	if ((rc = json_get_bool(args, "dry_run", &dry, err)) < 0 ||
	    (rc = refuse_broken(rq, err)) < 0 ||
	    (rc = engine_apply(rq->engine, dry, rq->now, &report, err)) < 0)
		return rc;
	changes = last && last->at == rq->now && !dry ? json_changes(last) : json_array();
	json_put(o, "changes", changes);
	mine = json_changes(&report);
	if (json_array_size(changes) == 0)
		json_array_extend(changes, mine);
	json_decref(mine);
	json_put_bool(o, "dry_run", dry);
	json_put_int(o, "crons", (int64_t)c->cron_count);
	json_put_int(o, "roles", (int64_t)c->role_count);
	put_last(rq, o);
	json_put_bool(o, "scheduler_running", rq->scheduler_running);
	*ret = steal_ptr(&o);
	return 0;
}

const struct request_row apply_row = {
	.name = "apply",
	.summary = "make reminders what config.yml and the roles say, and show the difference",
	.details =
		"Crons, heartbeats and the reminders of roles are found by name: absent ones are "
		"created (+), changed ones get the new text and schedule (~), those that are "
		"declared no longer are completed (-), and what cannot work is told with its "
		"place (!). Counters and history stay. Doing it twice changes nothing.\n\n"
		"The daemon does this by itself when it starts and when a file changes. A file "
		"that cannot be read is exit status 2, and nothing is changed.\n\n"
		"A reminder of a role that has fired as often as it should, or that its condition "
		"has closed, comes back when its declaration changes, not before.",
	.examples = "belfry apply --dry-run\nbelfry apply",
	.args =
		(const struct request_arg[]){
			{"dry-run", 'n', ARG_FLAG, NULL, "only show it", NULL, false, false}, {0}},
	.flags = REQUEST_WRITES | REQUEST_ADMIN,
	.exec = exec_apply,
};
