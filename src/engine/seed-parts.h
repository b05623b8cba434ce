#pragma once
/* What the files of seeding share: a wish, compared with what is there, becomes a change or none. */
#include "engine/internal.h"
#include "engine/seed.h"

#define HELD_PROBLEM "cannot work: "
#define DROPPED_CONFIG "taken out of config.yml"
#define DROPPED_ROLE "taken out of role %s"

/* One seeding. */
struct seeding {
	struct engine *e;
	usec_t now;
	bool dry; /* only say what would be done */
	bool log; /* nobody reads the report: what cannot work, and what changes, is told in the log */
	int logged; /* how many changes were */
	struct seed_report *report;
	struct error *err;
};

/* What a file asks for, before it is compared with what is there. */
struct wish {
	const char *what; /* as in struct seed_change */
	struct reminder *r;
	struct policy p;      /* where it runs, always or as a fallback */
	const char *held;     /* why it must not fire; NULL: it may */
	const char *declared; /* the schedule as the file says it; NULL: as in `r` */
	struct reminder
		*back;	   /* its row from before it was taken out of its file; borrowed; NULL */
	const char *ended; /* how it had ended although it was declared; NULL: it had not */
};
void wish_fini(struct wish *w);
#define AUTO_WISH __attribute__((cleanup(wish_fini)))

/* A reminder with the defaults of all wishes; its zone is the item's, else that of config.yml, … */
struct reminder *wish_reminder(const struct engine *e, const char *name, const char *agent,
			       const char *message, const char *zone);
/* "once", "skip", "all" or "all:N", checked when the file was read. */
void wish_catchup(struct reminder *r, const char *text);

/*
 * Make it so. `found` is what is there of it, NULL when nothing is: then the row of before is taken up
 * where the wish has one, else one is made.
 */
int seed_wish(struct seeding *s, struct wish *w, struct reminder *found);
/* It cannot work: what is there of it is held (NULL: nothing is). */
int seed_broken(struct seeding *s, const struct seed_change *what, struct reminder *found);
/* It is not declared any more. */
int seed_drop(struct seeding *s, const char *what, struct reminder *r, const char *why);
/* Whether one that ended (NULL: none did) was so dropped: from config.yml, or from that role (may be NULL). */
bool seed_was_dropped(const struct reminder *ended, const char *role);

/* seed-roles.c: the reminders of roles, and heartbeats of idle agents. */
int seed_roles(struct seeding *s);
