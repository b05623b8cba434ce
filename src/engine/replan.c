/*
 * replan.c: governments change clocks, and with the next release of the zone files "nine o'clock in
 * Berlin" may be another instant. due_at was worked out from the old ones. When the installed release
 * is not the one the store remembers, every reminder that can still fire is planned anew from its
 * cursor, a page a turn, so that the clock does not stop meanwhile.
 *
 * Facts in kv: "zones.release" is what the plans were made with, "zones.replan" the key of the last
 * reminder that was planned anew, while that goes on.
 */
#include "engine/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "store/kv.h"

#define PAGE_ROWS 500
#define RELEASE "zones.release"
#define REPLAN "zones.replan"

int replan_recover(struct engine *e, struct error *err)
{
	AUTO(free) char *known = NULL;
	char installed[ZONE_RELEASE_MAX];
	int rc = kv_get(e->db, RELEASE, &known, err);

	zone_release(installed);
	e->replanning = true; /* one that a crash cut short goes on */
	if (rc < 0 || (known && strcmp(known, installed) == 0))
		return rc;
	if (known) {
		log_info("zone files changed from '%s' to '%s'", known, installed);
		rc = kv_set(e->db, REPLAN, "0", err);
	}
	return rc < 0 ? rc : kv_set(e->db, RELEASE, installed, err);
}

static int replan(struct engine *e, struct reminder *r, usec_t now, struct error *err)
{
	AUTO(schedule_free) struct schedule *s = NULL;
	struct error unreadable = {0};
	usec_t due = r->due_at, nominal = r->nominal_at;

	if (reminder_is_idle(r) || engine_schedule(r, &s, &unreadable) < 0)
		return 0; /* the one knows no zone, the other is set aside when it comes due */
	plan_next(r, s);
	plan_end_if_spent(r, now);
	if (r->due_at == due && r->nominal_at == nominal)
		return 0;
	return reminder_update_state(e->db, r, err);
}

static int replan_page(struct engine *e, int64_t after, usec_t now, struct error *err)
{
	AUTO_REMINDERS struct reminder_list page = {0};
	struct reminder_filter filter = {.after = after, .limit = PAGE_ROWS};
	char last[24];
	int rc = reminder_list(e->db, &filter, &page, err);

	for (size_t i = 0; rc >= 0 && i < page.count; i++)
		rc = replan(e, page.items[i], now, err);
	if (rc < 0)
		return rc;
	e->replanning = page.count == PAGE_ROWS;
	if (e->replanning)
		snprintf(last, sizeof(last), "%lld", (long long)page.items[PAGE_ROWS - 1]->key);
	rc = kv_set(e->db, REPLAN, e->replanning ? last : NULL, err);
	return rc < 0 ? rc : 1;
}

/* Returns 1 when it did something. */
int replan_step(struct engine *e, usec_t now, struct error *err)
{
	AUTO(free) char *after = NULL;
	int rc;

	if (!e->replanning)
		return 0;
	rc = kv_get(e->db, REPLAN, &after, err);
	if (rc >= 0 && !after)
		e->replanning = false;
	return rc < 0 || !after ? rc : replan_page(e, strtoll(after, NULL, 10), now, err);
}
