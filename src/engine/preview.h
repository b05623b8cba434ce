#pragma once
/* Looking ahead without touching anything: the instants a reminder would fire at. */
#include "schedule/schedule.h"
#include "store/reminder.h"

/* The schedule of a reminder, parsed; the caller frees. ERR_INVALID when the row is damaged. */
int engine_schedule(const struct reminder *r, struct schedule **ret, struct error *err);

struct preview {
	struct schedule *schedule;
	const struct reminder *reminder;
	usec_t nominal; /* the last one answered */
	int64_t left;	/* fires that its count still allows, -1 for any number */
};
/* Start strictly after `after`. An ended or unreadable reminder has nothing ahead. */
void preview_begin(struct preview *p, const struct reminder *r, usec_t after);
bool preview_next(struct preview *p, usec_t *ret);
void preview_end(struct preview *p);
#define AUTO_PREVIEW __attribute__((cleanup(preview_end)))
