#pragma once
/*
 * What is wrong and lasts, by a name of its own: "condition:17". The row says since when, and when a
 * person was told, so that they are told once and not at each fire.
 */
#include "base/auto.h"
#include "base/clock.h"
#include "store/db.h"

#define TROUBLE_PAUSED "paused after " /* how the reason begins of one that failed too often */
#define TROUBLE_HELD "cannot work: "   /* … of one whose file has a mistake */

struct trouble {
	char *name;
	int64_t reminder; /* which goes with it; 0: none */
	char *what;	  /* for people: "its condition cannot be checked: exit status 127" */
	usec_t since, told_at;
	bool over; /* it was well again since it was told */
};

void trouble_free(struct trouble *t);
DEFINE_AUTO(struct trouble, trouble_free)

struct trouble_list {
	struct trouble **items;
	size_t count;
};
void trouble_list_fini(struct trouble_list *list);
#define AUTO_TROUBLES __attribute__((cleanup(trouble_list_fini)))

/* *ret is NULL when there is none by that name. */
int trouble_find(struct db *db, const char *name, struct trouble **ret, struct error *err);
int trouble_put(struct db *db, const struct trouble *t, struct error *err); /* new, or changed */
/* Those of the reminders with these keys that are not over, longest first. */
int trouble_of(struct db *db, int64_t first, int64_t last, struct trouble_list *ret,
	       struct error *err);
/* Those with names that begin so, and that are not over. */
int trouble_named(struct db *db, const char *begin, struct trouble_list *ret, struct error *err);
/* Forget up to `limit` that were told before `before` and are over, or nobody's any more. */
int trouble_prune(struct db *db, usec_t before, int limit, int64_t *ret, struct error *err);

/*
 * Reminders that would fire and cannot, by name or id, and why: troubles, those set aside, those that
 * their file holds since it has a mistake, and those that failed so often that they were paused.
 * `cron`: it is one of config.yml.
 */
int trouble_each(struct db *db,
		 void (*each)(const char *name, const char *what, bool cron, void *data),
		 void *data, struct error *err);
/* The zone and the name or id of each reminder, of the `limit` that are due next; by zone. */
int trouble_each_soon(struct db *db, int limit,
		      void (*each)(const char *zone, const char *name, void *data), void *data,
		      struct error *err);
/* Everybody there are reminders for. */
int trouble_each_agent(struct db *db, void (*each)(const char *agent, void *data), void *data,
		       struct error *err);
/* How many would fire for that one. */
int trouble_count_active(struct db *db, const char *agent, int64_t *ret, struct error *err);
/* The zones of those that are to fire, with how many there are and the name or id of one. */
int trouble_each_zone(struct db *db,
		      void (*each)(const char *zone, int64_t count, const char *name, void *data),
		      void *data, struct error *err);
