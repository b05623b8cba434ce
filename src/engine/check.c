/*
 * check.c: command conditions. The slot waits as `checking` while a child runs; its verdict is the
 * input of a later turn. Exit 0 is true, 1 to 125 false, anything else an error, which is never
 * true: it fires nothing in any mode and is told with the tail of what the command said.
 *
 *	mode    true                      false
 *	each    fires                     skips
 *	until   completes, no fire        fires
 *	once    fires and completes       skips
 *
 * An error skips the occurrence, which has failed, and is told (trouble.c). The last occurrence of a
 * reminder has no next one to hope for: its condition is looked at again, after a back-off, and when
 * that does not help it fires and says so. Better a reminder too many than one that nobody hears.
 *
 * A crash while a check runs loses nothing: the slot is still `checking` and is checked again.
 *
 * A prompt condition is looked at by the agent, after the fire. When it reports what it found
 * (engine_report_condition()) the fire gets its verdict by the same table.
 */
#include "engine/change.h"
#include "engine/internal.h"

#include <stdlib.h>

#include "base/mem.h"
#include "schedule/duration.h"

static const struct mode_row {
	bool fires_on_true, fires_on_false, ends_on_true;
	const char *quiet_reason; /* of the slot when it does not fire */
} mode_rows[] = {
	[MODE_EACH] = {true, false, false, "the condition was false"},
	[MODE_UNTIL] = {false, true, true, "the condition was met: completed"},
	[MODE_ONCE] = {true, false, true, "the condition was not met yet"},
};

static void add_check_job(struct engine *e, const struct reminder *r, const struct slot *slot)
{
	struct job *job = mem_zalloc(sizeof(*job));
	struct error unknown = {0};
	const struct config_agent *agent = config_agent(e->config, r->agent, &unknown);

	job->kind = JOB_CHECK;
	job->key = slot->key;
	job->argv = mem_array(4, sizeof(*job->argv));
	job->argv[0] = mem_strdup("/bin/sh");
	job->argv[1] = mem_strdup("-c");
	job->argv[2] = mem_strdup(r->condition);
	job->environment = words_environment(agent, r, slot, NULL);
	job->directory = agent ? mem_strdup(agent->directory) : NULL;
	job->time_limit = r->condition_limit;
	job_is_for(job, r);
	engine_add_job(e, job);
}

int check_begin(struct engine *e, struct reminder *r, struct slot *slot, struct error *err)
{
	int rc;

	slot->outcome = OUTCOME_CHECKING;
	slot->reason = mem_strdup("its condition is being checked");
	slot->attempts = 1;
	rc = slot_insert(e->db, slot, err);
	if (rc < 0)
		return rc;
	r->open_slot = slot->key;
	add_check_job(e, r, slot);
	return 0;
}

static enum verdict judge(const struct job_end *end)
{
	if (end->start_error || end->timed_out || end->signal)
		return VERDICT_ERROR;
	if (end->exit_status == 0)
		return VERDICT_TRUE;
	return end->exit_status >= 1 && end->exit_status <= 125 ? VERDICT_FALSE : VERDICT_ERROR;
}

static int finish(struct engine *e, struct slot *slot, enum outcome outcome, usec_t now,
		  char *stolen_reason, struct error *err)
{
	slot->outcome = outcome;
	slot->decided_at = now;
	free(slot->reason);
	slot->reason = stolen_reason;
	return slot_update(e->db, slot, err);
}

/* --- when it cannot be checked ------------------------------------------------------------- */

#define TRIES 4 /* of the last occurrence, over some three minutes */
#define AGAIN_FIRST (10 * USEC_PER_SEC)
#define AGAIN_FACTOR 4
#define AGAIN_LONGEST (160 * USEC_PER_SEC)

static char *trouble_name(const struct reminder *r)
{
	return mem_printf("condition:%lld", (long long)r->key);
}

static int tell_error(struct engine *e, const struct reminder *r, const struct slot *slot,
		      usec_t now, struct error *err)
{
	bool last = r->nominal_at == USEC_NONE;
	AUTO(free) char *name = trouble_name(r);
	AUTO(free)
	char *what = mem_printf("its condition cannot be checked: %s", slot->verdict_detail);
	AUTO(free)
	char *text = mem_printf(
		"The condition of reminder '%s' cannot be checked: %s\n\n    %s\n\n%s\nThis is "
		"told "
		"once a day while it lasts. What became of each time: belfry why %s",
		r->name ? r->name : r->id, slot->verdict_detail, r->condition,
		last ? "It is looked at again. When that does not help, the reminder fires all the "
		       "same, for it has no later time."
		     : "It does not fire as long as that is so.",
		r->id);

	return trouble_tell(e, name, r, what, text, now, err);
}

static usec_t again_after(const struct slot *slot)
{
	usec_t wait = AGAIN_FIRST;

	for (int64_t i = 1; i < slot->attempts && wait < AGAIN_LONGEST; i++)
		wait *= AGAIN_FACTOR;
	return wait < AGAIN_LONGEST ? wait : AGAIN_LONGEST;
}

/* The slot stays open, and with it the reminder. */
static int look_later(struct engine *e, struct reminder *r, struct slot *slot, usec_t now,
		      struct error *err)
{
	char span[DURATION_TEXT_MAX];

	slot->again_at = now + again_after(slot);
	duration_format_short(again_after(slot), span);
	free(slot->reason);
	slot->reason =
		mem_printf("the condition could not be checked: %s; looked at again after %s",
			   slot->verdict_detail, span);
	r->open_slot = slot->key;
	e->checks_stale = true;
	return slot_update(e->db, slot, err);
}

static int cannot_check(struct engine *e, struct reminder *r, struct slot *slot, usec_t now,
			struct error *err)
{
	bool last = r->nominal_at == USEC_NONE && !reminder_is_idle(r);
	int rc = tell_error(e, r, slot, now, err);

	if (rc < 0)
		return rc;
	if (last && slot->attempts < TRIES)
		return look_later(e, r, slot, now, err);
	if (last)
		return gate_fire(e, r, slot, now, err);
	return finish(e, slot, OUTCOME_FAILED, now,
		      mem_printf("the condition could not be checked: %s", slot->verdict_detail),
		      err);
}

static int is_checked(struct engine *e, const struct reminder *r, struct error *err)
{
	AUTO(free) char *name = trouble_name(r);

	return trouble_over(e, name, err);
}

static int apply_verdict(struct engine *e, struct reminder *r, struct slot *slot, usec_t now,
			 struct error *err)
{
	const struct mode_row *mode = &mode_rows[r->mode];
	bool met = slot->verdict == VERDICT_TRUE;
	int rc;

	if (slot->verdict == VERDICT_ERROR)
		return cannot_check(e, r, slot, now, err);
	if ((rc = is_checked(e, r, err)) < 0)
		return rc;
	if (met ? mode->fires_on_true : mode->fires_on_false)
		rc = gate_fire(e, r, slot, now, err);
	else
		rc = finish(e, slot, OUTCOME_SKIPPED, now, mem_strdup(mode->quiet_reason), err);
	if (rc >= 0 && met && mode->ends_on_true)
		plan_end(r, STATUS_COMPLETED, now, "condition met");
	return rc;
}

/* Whether anybody still wants to know: the reminder may have moved on since the check began. */
static bool is_wanted(const struct reminder *r, const struct slot *slot)
{
	return r->open_slot == slot->key && r->status == STATUS_ACTIVE &&
	       r->generation == slot->generation && r->condition_kind == CONDITION_COMMAND;
}

/* The reminder has moved on: the slot says so. */
static int overtaken(struct engine *e, const struct reminder *r, struct slot *slot, usec_t now,
		     struct error *err)
{
	if (r->generation != slot->generation || r->condition_kind != CONDITION_COMMAND)
		return finish(e, slot, OUTCOME_CANCELLED, now,
			      mem_strdup("edited while its condition was being checked"), err);
	if (r->status == STATUS_PAUSED)
		return finish(e, slot, OUTCOME_SKIPPED, now,
			      mem_strdup("paused while its condition was being checked"), err);
	return finish(
		e, slot, OUTCOME_CANCELLED, now,
		mem_printf("%s while its condition was being checked", status_word(r->status)),
		err);
}

static int conclude(struct engine *e, struct reminder *r, struct slot *slot, usec_t now,
		    struct error *err)
{
	bool wanted = is_wanted(r, slot);
	int rc;

	if (r->open_slot == slot->key)
		r->open_slot = 0;
	rc = wanted ? apply_verdict(e, r, slot, now, err) : overtaken(e, r, slot, now, err);
	if (rc < 0)
		return rc;
	plan_end_if_spent(r, now);
	return reminder_update_state(e->db, r, err);
}

int check_ended(struct engine *e, usec_t now, const struct job_end *end, struct error *err)
{
	AUTO(slot_free) struct slot *slot = NULL;
	AUTO(reminder_free) struct reminder *r = NULL;
	int rc;

	if (slot_get(e->db, end->key, &slot, err) < 0)
		return err->code == ERR_NOT_FOUND ? 0 : err->code; /* pruned with its reminder */
	if (slot->outcome != OUTCOME_CHECKING)
		return 0;
	rc = reminder_get(e->db, slot->reminder, &r, err);
	if (rc < 0)
		return rc;
	slot->verdict = judge(end);
	/* Looked at more than once: the first time was the punctual one. */
	if (slot->attempts > 1 && now - slot->nominal > slot->lateness)
		slot->lateness = now - slot->nominal;
	free(slot->verdict_detail);
	slot->verdict_detail = job_end_words(end, r->condition_limit);
	return conclude(e, r, slot, now, err);
}

/* Ask again, unless the answer would change nothing. */
static int check_again(struct engine *e, struct slot *slot, usec_t now, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	int rc = reminder_get(e->db, slot->reminder, &r, err);

	if (rc < 0)
		return rc;
	if (!is_wanted(r, slot))
		return conclude(e, r, slot, now, err);
	slot->attempts++;
	slot->again_at = USEC_NONE;
	rc = slot_update(e->db, slot, err);
	if (rc >= 0)
		add_check_job(e, r, slot);
	return rc;
}

int check_recover(struct engine *e, usec_t now, struct error *err)
{
	AUTO_SLOTS struct slot_list open = {0};
	int rc = slot_list_checking(e->db, &open, err);

	for (size_t i = 0; rc >= 0 && i < open.count; i++)
		rc = check_again(e, open.items[i], now, err);
	return rc;
}

/* A clock that was set back makes nobody wait longer than the longest back-off. */
static bool is_time(const struct slot *slot, usec_t now)
{
	return slot->again_at <= now || slot->again_at > now + AGAIN_LONGEST;
}

int check_dispatch(struct engine *e, usec_t now, struct error *err)
{
	AUTO_SLOTS struct slot_list open = {0};
	int rc;

	if (!e->checks_stale && (e->checks_at == USEC_NONE || now < e->checks_at))
		return 0;
	rc = slot_list_checking(e->db, &open, err);
	e->checks_at = USEC_NONE;
	for (size_t i = 0; rc >= 0 && i < open.count; i++) {
		struct slot *slot = open.items[i];

		if (slot->again_at == USEC_NONE)
			continue;
		if (is_time(slot, now))
			rc = check_again(e, slot, now, err);
		else
			e->checks_at = usec_earlier(e->checks_at, slot->again_at);
	}
	if (rc >= 0)
		e->checks_stale = false;
	return rc;
}

int check_next(struct engine *e, usec_t now, usec_t *ret, struct error *err)
{
	(void)err;
	*ret = e->checks_stale ? now : e->checks_at;
	return 0;
}

/* --- prompt conditions --------------------------------------------------------------------- */

#define REPORT_LOOK_BACK 50 /* slots behind which no fire is looked for */

static bool has_fired(const struct slot *slot)
{
	return slot->outcome == OUTCOME_FIRED || slot->outcome == OUTCOME_RUNNING ||
	       slot->outcome == OUTCOME_RAN;
}

static int refuse_report(const struct reminder *r, const char *why, const char *hint,
			 struct error *err)
{
	error_set(err, ERR_CONFLICT, "cannot report on reminder '%s': %s", r->id, why);
	return error_hint(err, "%s", hint);
}

/* The newest fire, which the report is about. Occurrences that did not fire may have come after. */
static int find_fire(struct engine *e, const struct reminder *r, struct slot **ret,
		     struct error *err)
{
	AUTO_SLOTS struct slot_list page = {0};
	int rc = slot_list(e->db, r->key, 0, REPORT_LOOK_BACK, &page, err);

	for (size_t i = 0; rc >= 0 && i < page.count; i++) {
		if (!has_fired(page.items[i]))
			continue;
		*ret = steal_ptr(&page.items[i]);
		return 0;
	}
	return rc < 0 ? rc
		      : refuse_report(r, "it has not fired yet",
				      "report once it has been delivered to you", err);
}

/* "the agent skipped it: the tests are green" */
static char *report_words(const struct reminder *r, bool met, const char *detail)
{
	const struct mode_row *mode = &mode_rows[r->mode];
	bool went_on = met ? mode->fires_on_true : mode->fires_on_false;

	return mem_printf("the agent %s%s%s", went_on ? "went on" : "skipped it",
			  detail ? ": " : "", detail ? detail : "");
}

int engine_report_condition(struct engine *e, struct reminder *r, bool met, const char *detail,
			    usec_t now, struct error *err)
{
	AUTO(slot_free) struct slot *slot = NULL;
	int rc;

	if (r->condition_kind != CONDITION_PROMPT)
		return refuse_report(r, "it has no condition that an agent looks at",
				     "only reminders with a prompt condition take reports", err);
	rc = find_fire(e, r, &slot, err);
	if (rc < 0)
		return rc;
	if (slot->verdict != VERDICT_NONE)
		return refuse_report(r, "its last fire has been reported on already",
				     "the first report counts; wait for the next fire", err);
	slot->verdict = met ? VERDICT_TRUE : VERDICT_FALSE;
	slot->verdict_detail = report_words(r, met, detail);
	rc = slot_update(e->db, slot, err);
	if (rc < 0 || !met || !mode_rows[r->mode].ends_on_true || r->status != STATUS_ACTIVE)
		return rc;
	return engine_complete(e, r, now, "condition met", err);
}
