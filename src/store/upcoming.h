#pragma once
/* What comes next for somebody, as a session is told when it begins. */
#include "store/reminder.h"

struct upcoming_filter {
	const char *agent;   /* who is reminded; NULL: nobody that we know */
	const char *session; /* or where it was made */
	const char *owner;   /* whose: `me` sees what is for the agent, others only their own */
	usec_t until;
	int limit;
};
/*
 * Active ones that are due until then, earliest first. Those for the agent are all found; of the others only
 * the first UPCOMING_LOOKED_AT of everybody's are looked at, since a session waits for the answer.
 */
#define UPCOMING_LOOKED_AT 1000
int upcoming_list(struct db *db, const struct upcoming_filter *f, struct reminder_list *ret,
		  struct error *err);
