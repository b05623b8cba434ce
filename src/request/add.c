/* add.c: reminder add and reminder edit, which share their arguments. */
#include "engine/change.h"
#include "engine/mission.h"
#include "engine/preview.h"
#include "request/caller.h"
#include "request/declared.h"
#include "request/json-cron.h"
#include "request/read.h"
#include "request/rows.h"
#include "schedule/instant.h"

#include <string.h>

#include "base/mem.h"

/* clang-format off */
#define SPEC_ARGS \
	{"name",             0,   ARG_TEXT,     "NAME",     "a name to find it by", NULL, false, false}, \
	{"at",               0,   ARG_TIME,     "TIME",     "once, at TIME: '15:30', 'tomorrow 9am', 'feb 20 3pm', RFC 3339", NULL, false, false}, \
	{"in",               0,   ARG_DURATION, "DURATION", "once, after DURATION: 90s, 30m, 1h30m, 2d", NULL, false, false}, \
	{"every",            0,   ARG_DURATION, "DURATION", "again and again, first after one DURATION; a day is 24 hours here, also when clocks change: for a time of day use --cron", NULL, false, false}, \
	{"cron",             0,   ARG_TEXT,     "LINE",     "by a cron line: '0 9 * * 1-5', @daily, '0 17 L * *'", NULL, false, false}, \
	{"rrule",            0,   ARG_TEXT,     "RULE",     "by an RFC 5545 rule: 'FREQ=WEEKLY;BYDAY=MO;BYHOUR=9'", NULL, false, false}, \
	{"idle",             0,   ARG_DURATION, "DURATION", "when the agent's session has been idle for DURATION; again after it was at work, and what this tells it is work, too", NULL, false, false}, \
	{"tz",               0,   ARG_ZONE,     "ZONE",     "the time zone it lives in, like Europe/Berlin", NULL, false, false}, \
	{"priority",         0,   ARG_CHOICE,   "PRIORITY", "how urgently it is handed over (default idle)", "interrupt normal idle-first idle", false, false}, \
	{"condition",        0,   ARG_TEXT,     "COMMAND",  "ask this shell command first: exit 0 is true, 1-125 false", NULL, false, false}, \
	{"condition-prompt", 0,   ARG_TEXT,     "TEXT",     "let the agent look first whether TEXT holds", NULL, false, false}, \
	{"condition-timeout",0,   ARG_DURATION, "DURATION", "the command's time limit (default 30s)", NULL, false, false}, \
	{"mode",             0,   ARG_CHOICE,   "MODE",     "each: fire when true; until: fire until true; once: fire once when true", "each until once", false, false}, \
	{"count",            0,   ARG_INT,      "N",        "at most N fires", NULL, false, false}, \
	{"until",            0,   ARG_TIME,     "TIME",     "no fire after TIME; a day without a time: to its end", NULL, false, false}, \
	{"catchup",          0,   ARG_TEXT,     "POLICY",   "what was missed: once (fire one; the default), skip (the default of --cron; what is less than a minute late still fires), all (the newest 10), or all:N (the newest N, at most 1000)", NULL, false, false}, \
	{"start-deadline",   0,   ARG_DURATION, "DURATION", "do not fire when later than this", NULL, false, false}, \
	{"jitter",           0,   ARG_DURATION, "DURATION", "move each fire by up to this, always the same way", NULL, false, false}, \
	{"fallback",         0,   ARG_CHOICE,   "WHAT",     "when the agent has no session: wait for one (default), run a mission, or start one", "wait run start", false, false}
/* clang-format on */

/* Refused here, where its author still listens. */
int read_refuse_silent(const struct request *rq, const struct reminder *r, struct error *err)
{
	AUTO(schedule_free) struct schedule *s = NULL;
	usec_t next;
	int rc;

	/* One with --now may have fired as many times as asked by now. */
	if (r->nominal_at != USEC_NONE || (r->count_max && r->fire_count >= r->count_max))
		return 0;
	rc = engine_schedule(r, &s, err);
	if (rc < 0)
		return rc;
	if (reminder_is_idle(r) &&
	    (r->until == USEC_NONE || rq->now + schedule_span(s) <= r->until))
		return 0;
	if (reminder_is_idle(r) || schedule_next(s, r->cursor, &next)) {
		error_set(err, ERR_INVALID, "nothing would fire before its --until");
		return error_hint(err, "choose a later --until");
	}
	error_set(err, ERR_INVALID, "%s '%s' never fires after now", r->schedule_kind, r->schedule);
	return error_hint(err, "look at it with: belfry next --%s '...'", r->schedule_kind);
}

static int find_twin(const struct request *rq, const struct reminder *r, struct reminder **ret,
		     struct error *err)
{
	return r->name ? reminder_find_named(engine_db(rq->engine), r->owner ? r->owner : "me",
					     r->name, ret, err)
		       : 0;
}

int read_refuse_twin(const struct request *rq, const struct reminder *r, struct error *err)
{
	AUTO(reminder_free) struct reminder *twin = NULL;
	int rc = find_twin(rq, r, &twin, err);

	if (rc < 0 || !twin || twin->key == r->key)
		return rc;
	error_set(err, ERR_CONFLICT, "there is a reminder '%s' already: %s", r->name, twin->id);
	return rq->caller.surface == SURFACE_MCP
		       ? error_hint(err, "edit that one, or choose another name")
		       : error_hint(err,
				    "change it with 'belfry reminder edit %s', or choose "
				    "another name",
				    twin->id);
}

/* Each fire runs the agent: the message is its prompt. */
static int add_run(const struct request *rq, const json_t *args, struct reminder *r, bool fire_now,
		   struct policy *p, struct error *err)
{
	const struct config *config = engine_config(rq->engine);
	const struct config_agent *agent = config_agent(config, r->agent, err);
	int rc;

	if (!agent)
		return err->code;
	if (!agent->adapter)
		return read_refuse_agent(config, agent, err);
	engine_policy_defaults(rq->engine, DOOR_REMINDER, r->agent, p);
	rc = read_policy(args, p, err);
	return rc < 0 ? rc : engine_add_run(rq->engine, r, p, rq->now, fire_now, err);
}

static int add_message(const struct request *rq, const json_t *args, struct reminder *r,
		       bool fire_now, struct error *err)
{
	if (read_policy_given(args)) {
		error_set(err, ERR_INVALID,
			  "--timeout, --overlap and --max-attempts are for reminders that run");
		return error_hint(err, "add --run, and each fire runs the agent");
	}
	return engine_add(rq->engine, r, rq->now, fire_now, err);
}

/* With --if-absent: answers the one that has the name, if there is one. Else it is refused. */
static int answer_twin(const struct request *rq, const json_t *args, const struct reminder *r,
		       json_t **ret, struct error *err)
{
	AUTO(reminder_free) struct reminder *twin = NULL;
	bool if_absent = false;
	int rc = json_get_bool(args, "if_absent", &if_absent, err);

	if (rc < 0)
		return rc;
	if (!if_absent)
		return read_refuse_twin(rq, r, err);
	if (!r->name) {
		error_set(err, ERR_INVALID, "--if-absent without --name");
		return error_hint(err, "say by which --name it is found again");
	}
	if ((rc = find_twin(rq, r, &twin, err)) < 0 || !twin)
		return rc;
	*ret = json_reminder_answer(rq, twin);
	json_put_bool(*ret, "existed", true);
	return 0;
}

static int exec_add(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = mem_zalloc(sizeof(*r));
	struct policy p = {0};
	bool fire_now = false, run = false;
	int rc = read_new_reminder(rq, args, r, err);

	if (rc < 0 || (rc = json_get_bool(args, "now", &fire_now, err)) < 0 ||
	    (rc = json_get_bool(args, "run", &run, err)) < 0)
		return rc;
	if (fire_now && strcmp(r->schedule_kind, "at") == 0) {
		error_set(err, ERR_INVALID, "--now is for schedules that repeat");
		return error_hint(err, "use --in 1s, or --at now");
	}
	if ((rc = caller_stamp(rq, r, err)) < 0 || (rc = answer_twin(rq, args, r, ret, err)) < 0 ||
	    *ret)
		return rc;
	rc = run ? add_run(rq, args, r, fire_now, &p, err)
		 : add_message(rq, args, r, fire_now, err);
	if (rc < 0 || (rc = read_refuse_silent(rq, r, err)) < 0)
		return rc;
	*ret = json_reminder_answer(rq, r);
	read_warn_gap(rq, args, reminder_zone(r), *ret);
	read_warn_clock(rq, *ret);
	if (run)
		json_put(*ret, "policy", json_policy(&p));
	return 0;
}

const struct request_row reminder_add_row = {
	.name = "reminder add",
	.summary = "add a reminder for an agent, or for yourself ('me')",
	.details =
		"Give exactly one schedule: --at, --in, --every, --cron, --rrule or --idle.\n\n"
		"With --idle it fires once the agent has been idle without a break for so long, "
		"and "
		"then not before it has been at work and idle again. Its own message makes the "
		"agent work: while nothing "
		"else happens it comes again and again, about every DURATION; --count bounds "
		"that.\n\n"
		"The message may use {{fire_count}}, {{missed}}, {{late_by}}, {{now}} and "
		"{{name}}.\n\n"
		"Times are read in the zone of --tz, else of config.yml, of TZ, or of the "
		"machine. What was understood is printed with the zone and the offset. A day "
		"without "
		"a time is 9 AM; --until takes all of it.\n\n"
		"A condition that cannot be checked (it is not found, it takes too long) fires "
		"nothing, and you are told. The last time of a reminder, and so a single one, is "
		"tried again after a while, and then fires all the same and says why.\n\n"
		"A name is one reminder's: a second one is refused, until the first has ended. "
		"With --if-absent the first one is answered instead.\n\n"
		"With --mode until the command is also asked once at the end, for 5 seconds at "
		"most, to warn when it is true already.",
	.examples = "belfry reminder add me -m 'Stand up' --in 30m\n"
		    "belfry reminder add me -m 'Review open PRs' --cron '0 9 * * 1-5'\n"
		    "belfry reminder add me -m 'Pay rent' --at 'feb 1 9am' --tz Europe/Berlin\n"
		    "belfry reminder add builder -m 'What is next on the list?' --idle 5m\n"
		    "belfry reminder add me -m 'Fix the build' --every 15m \\\n"
		    "    --mode until --condition 'make -q'",
	.args =
		(const struct request_arg[]){
			{"agent", 0, ARG_AGENT, "AGENT", "who is reminded", NULL, true, true},
			{"message", 'm', ARG_BODY, "TEXT", "what to say; - reads standard input",
			 NULL, false, true},
			SPEC_ARGS,
			{"now", 0, ARG_FLAG, NULL, "also fire at once", NULL, false, false},
			{"if-absent", 0, ARG_FLAG, NULL,
			 "with --name: if there is one of that name, say which, and change nothing",
			 NULL, false, false},
			{"run", 0, ARG_FLAG, NULL,
			 "run the agent with the message as its prompt, instead of telling it",
			 NULL, false, false},
			{"timeout", 0, ARG_TEXT, "DURATION",
			 "with --run: the longest a run may take, or none (default 1h)", NULL,
			 false, false},
			{"overlap", 0, ARG_CHOICE, "POLICY",
			 "with --run: while the run before still goes on: skip, queue, allow or "
			 "replace",
			 "skip queue allow replace", false, false},
			{"max-attempts", 0, ARG_INT, "N",
			 "with --run: how often a failing run is tried", NULL, false, false},
			{0}},
	.flags = REQUEST_WRITES | REQUEST_OWN,
	.exec = exec_add,
};

static int exec_edit(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	const char *ref = json_string_value(json_object_get(args, "reminder"));
	bool reschedule = false;
	int rc;

	if (json_object_size(args) == 1) {
		error_set(err, ERR_INVALID, "nothing to change");
		return error_hint(err, "give at least one flag, see: belfry reminder edit --help");
	}
	rc = reminder_find_of(engine_db(rq->engine), caller_scope(&rq->caller), ref, &r, err);
	if (rc < 0 || (rc = caller_check_reminder(rq, r, "edit", err)) < 0)
		return rc;
	if (r->status != STATUS_ACTIVE && r->status != STATUS_PAUSED) {
		error_set(err, ERR_CONFLICT, "cannot edit reminder '%s': it is %s", r->id,
			  status_word(r->status));
		return error_hint(err, "add a new one");
	}
	if ((rc = declared_refuse(rq, r, "edit", err)) < 0 ||
	    (rc = read_edit(rq, args, r, &reschedule, err)) < 0 ||
	    (rc = caller_check_agent(rq, r->agent, err)) < 0 ||
	    (json_object_get(args, "name") && (rc = read_refuse_twin(rq, r, err)) < 0))
		return rc;
	if ((rc = engine_edit(rq->engine, r, reschedule, rq->now, err)) < 0)
		return rc;
	if (reschedule && (rc = read_refuse_silent(rq, r, err)) < 0)
		return rc;
	*ret = json_reminder_answer(rq, r);
	read_warn_gap(rq, args, reminder_zone(r), *ret);
	read_warn_clock(rq, *ret);
	return 0;
}

const struct request_row reminder_edit_row = {
	.name = "reminder edit",
	.summary = "change a reminder; a new schedule counts from now",
	.details = "Whatever is not named stays as it is, and so do its counters and its history. "
		   "An empty --name or --condition takes it away, and so do --count 0 and --until "
		   "never. What config.yml or a role declares is changed in the file: `belfry cron "
		   "edit NAME`, or edit the role.",
	.examples = "belfry reminder edit r-k3f9x2 --every 1h\n"
		    "belfry reminder edit standup --tz America/New_York",
	.args =
		(const struct request_arg[]){
			{"reminder", 0, ARG_REMINDER, "REMINDER",
			 "id, unique prefix of one, or name", NULL, true, true},
			{"agent", 0, ARG_AGENT, "AGENT", "who is reminded", NULL, false, false},
			{"message", 'm', ARG_BODY, "TEXT", "what to say; - reads standard input",
			 NULL, false, false},
			SPEC_ARGS,
			{0}},
	.flags = REQUEST_WRITES | REQUEST_OWN,
	.exec = exec_edit,
};
