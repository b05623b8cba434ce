#pragma once
/* What the files of seeding share: a wish, compared with what is there, becomes a change or none. */
#include "base/json.h"
#include "engine/internal.h"
#include "engine/seed.h"

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
	json_t *told; /* names of the mistakes that were; NULL: not all files are looked at */
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
/* It cannot work: what is there of it is held (NULL: nothing is), for that if it may fire at all. */
int seed_broken(struct seeding *s, const struct seed_change *what, const char *disabled,
		struct reminder *found);
/* The same for the report alone. */
struct seed_change *seed_note_broken(struct seeding *s, const struct seed_change *what);
/* It is not declared any more. */
int seed_drop(struct seeding *s, const char *what, struct reminder *r, const char *why);
/* Whether one that ended (NULL: none did) was so dropped: from config.yml, or from that role (may be NULL). */
bool seed_was_dropped(const struct reminder *ended, const char *role);

/* seed-tell.c: the person is told of a mistake in the files; at the end, the others are over. */
int seed_tell_cron(struct seeding *s, const struct config_cron *c);
/* `whose`: "role 'x'", whose words it has, else "agent 'x'" (then role is NULL). */
int seed_tell_reminder(struct seeding *s, const char *name, const char *whose,
		       const struct config_role *role, const char *problem);
int seed_tell_role(struct seeding *s, const struct config_role *role,
		   const struct seed_change *broken);
int seed_tell_config(struct seeding *s);
int seed_tell_strangers(struct seeding *s);
int seed_tell_end(struct seeding *s);

/* seed-roles.c: the reminders of roles, and heartbeats of idle agents. */
int seed_roles(struct seeding *s);
