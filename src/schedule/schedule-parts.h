#pragma once
/* What a schedule holds, for schedule.c and for describe.c, which puts it into words. */
#include "schedule/cron.h"
#include "schedule/rrule.h"
#include "schedule/schedule.h"
#include "schedule/walk.h"

struct schedule {
	enum schedule_kind kind;
	char *text; /* as given */
	const struct zone *zone;
	usec_t at; /* at: the instant */
	usec_t anchor,
		interval;    /* every: fires at anchor + k * interval, k from 1; idle: its span */
	struct cron *cron;   /* cron, else NULL */
	struct rrule *rrule; /* rrule, else NULL */
	struct walk walk;    /* cron and rrule: the way from their local times to instants */
};
