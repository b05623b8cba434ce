/*
 * put-back.c: a store that was put back from a backup. Its cursors are of the time of the backup, while the newer store
 * went on: what was due between the two may have fired, and nobody can tell which of it. An occurrence never fires
 * twice, so all of it is recorded as missed, and says why. What repeats goes on behind that time. What had no other
 * time is paused, so that the person can run it by hand, or leave it.
 *
 * Missions can be told: a run leaves a folder. One of which the backup knows only that it waits, or begins, has its
 * process and its end there.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/change.h"
#include "engine/inbox.h"
#include "engine/internal.h"

#define REASON "the store was put back from a backup; this may have fired"
#define BATCH 500
#define NAMES_TOLD 20
#define NAME_BYTES 60

struct report {
	int64_t repeating, once;
	struct buf names; /* of those that had one time, the first of them */
	struct buf begun; /* missions that have run since */
};

static void name_it(const struct engine *e, const struct reminder *r, usec_t at, struct report *rep)
{
	AUTO(free)
	char *name = r->name ? mem_strdup(r->name) : excerpt_text(NULL, r->message, NAME_BYTES);
	char when[INSTANT_TEXT_MAX];

	if (++rep->once > NAMES_TOLD)
		return;
	instant_format_long(at, context_zone(e, r), when);
	buf_printf(&rep->names, "- %s, due %s: belfry reminder run %s\n", name, when, r->id);
}

/* After an occurrence was passed over: whatever has no other one is kept, for the person to decide. */
static int settle(struct engine *e, struct reminder *r, usec_t at, usec_t now, struct report *rep,
		  struct error *err)
{
	if (r->status == STATUS_ACTIVE && r->nominal_at == USEC_NONE && !r->open_slot) {
		name_it(e, r, at, rep);
		return engine_hold(e, r, REASON, now, err);
	}
	rep->repeating++;
	return reminder_update_state(e->db, r, err);
}

static int pass_check(struct engine *e, struct slot *slot, usec_t now, struct report *rep,
		      struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	int rc;

	slot->outcome = OUTCOME_MISSED;
	slot->decided_at = now;
	mem_replace(&slot->reason, REASON);
	if ((rc = slot_update(e->db, slot, err)) < 0 ||
	    (rc = reminder_get(e->db, slot->reminder, &r, err)) < 0 || r->open_slot != slot->key)
		return rc;
	r->open_slot = 0;
	return settle(e, r, slot->nominal, now, rep, err);
}

/* Conditions that were being looked at have been answered since. */
static int pass_checks(struct engine *e, usec_t now, struct report *rep, struct error *err)
{
	AUTO_SLOTS struct slot_list open = {0};
	int rc = slot_list_checking(e->db, &open, err);

	for (size_t i = 0; rc >= 0 && i < open.count; i++)
		rc = pass_check(e, open.items[i], now, rep, err);
	return rc;
}

/* Each is due after `upto` then, or no more. */
static int pass_due(struct engine *e, usec_t upto, usec_t now, struct report *rep,
		    struct error *err)
{
	size_t found = BATCH;
	int rc = 0;

	while (rc >= 0 && found == BATCH) {
		AUTO_REMINDERS struct reminder_list due = {0};

		rc = reminder_due(e->db, upto, BATCH, &due, err);
		found = due.count;
		for (size_t i = 0; rc >= 0 && i < due.count; i++) {
			usec_t last;

			rc = due_pass_over(e, due.items[i], upto, REASON, now, &last, err);
			if (rc > 0)
				rc = settle(e, due.items[i], last, now, rep, err);
		}
	}
	return rc;
}

static void write_report(struct report *rep, const char *until, int64_t unknown,
			 const char *state_dir, struct buf *out)
{
	buf_printf(out,
		   "The store is older than this home: it was put back from a backup. The home "
		   "used a newer one until %s. What was set after the backup is not in it. What "
		   "was due between the backup and that time is not fired again, for it may have "
		   "fired",
		   until);
	if (rep->repeating)
		buf_printf(out,
			   ": %" PRId64 " reminder%s on after that time ('belfry why' shows "
			   "what was passed over as missed)",
			   rep->repeating, rep->repeating == 1 ? " goes" : "s go");
	buf_add_str(out, ". A message that waited for an agent at the time of the backup may come "
			 "a second time.");
	if (rep->once)
		buf_printf(out,
			   "\n\nThese had no other time, and are paused. If one has not fired, "
			   "run it:\n\n%s",
			   buf_text(&rep->names));
	if (rep->once > NAMES_TOLD)
		buf_printf(out, "- and %" PRId64 " more: belfry reminder list\n",
			   rep->once - NAMES_TOLD);
	if (rep->begun.len)
		buf_printf(out,
			   "\n\nThese missions wait in the backup and have run since, so they are "
			   "not run again: %s.",
			   buf_text(&rep->begun));
	if (unknown)
		buf_printf(out,
			   "\n\n%" PRId64 " mission%s a folder in '%s/missions' and %s not in "
			   "the store.",
			   unknown, unknown == 1 ? " has" : "s have", state_dir,
			   unknown == 1 ? "is" : "are");
}

int engine_put_back(struct engine *e, usec_t upto, int64_t unknown, usec_t now, struct error *err)
{
	struct report rep = {0};
	AUTO_BUF struct buf text = {0};
	char until[INSTANT_TEXT_MAX];
	int rc;

	/* A clock that was set back since: what is to come has not been decided by this one. */
	if (upto > now)
		upto = now;
	rc = pass_checks(e, now, &rep, err);
	if (rc >= 0)
		rc = pass_due(e, upto, now, &rep, err);
	if (rc >= 0)
		rc = run_find_since(e, "the store was put back from a backup; it has run since",
				    &rep.begun, now, err);
	if (rc >= 0) {
		instant_format_long(upto, context_zone(e, NULL), until);
		write_report(&rep, until, unknown, e->state_dir ? e->state_dir : "", &text);
		log_warning("The store is older than this home: it was put back from a backup; "
			    "what was due until %s is not fired again",
			    until);
		rc = engine_tell(e, buf_text(&text), now, err);
	}
	buf_fini(&rep.names);
	buf_fini(&rep.begun);
	return rc;
}
