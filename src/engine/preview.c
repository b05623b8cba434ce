/*
 * preview.c: what lies ahead of a reminder, by the same rules that fire it: bounds and jitter
 * count, conditions cannot be known.
 */
#include "engine/preview.h"

#include "engine/internal.h"

static int64_t fires_left(const struct reminder *r, const struct schedule *s, usec_t after)
{
	int64_t left = r->count_max - r->fire_count;

	if (!r->count_max)
		return -1;
	if (left > 0 && after > r->cursor)
		left -= schedule_count(s, r->cursor, after, left);
	return left > 0 ? left : 0;
}

void preview_begin(struct preview *p, const struct reminder *r, usec_t after)
{
	struct error unreadable = {0};

	*p = (struct preview){.reminder = r, .nominal = after};
	if (r->status == STATUS_CANCELLED || r->status == STATUS_COMPLETED ||
	    engine_schedule(r, &p->schedule, &unreadable) < 0)
		return;
	p->left = fires_left(r, p->schedule, after);
}

bool preview_next(struct preview *p, usec_t *ret)
{
	const struct reminder *r = p->reminder;
	usec_t nominal;

	/* Nobody knows when an agent will be idle; one that is has been so for long enough then. */
	if (p->schedule && schedule_kind(p->schedule) == SCHEDULE_IDLE) {
		if (r->due_at == USEC_NONE || r->nominal_at <= p->nominal)
			return false;
		p->nominal = r->nominal_at;
		*ret = r->due_at;
		return true;
	}
	if (!p->schedule || p->left == 0 || !schedule_next(p->schedule, p->nominal, &nominal))
		return false;
	if (r->until != USEC_NONE && nominal > r->until)
		return false;
	p->nominal = nominal;
	if (p->left > 0)
		p->left--;
	*ret = plan_due(r, p->schedule, nominal);
	return true;
}

void preview_end(struct preview *p)
{
	schedule_free(p->schedule);
	p->schedule = NULL;
}
