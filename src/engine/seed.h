#pragma once
/*
 * Seeding: what config.yml and the roles declare becomes reminders, by name. Absent ones are
 * created, changed ones get the new text and schedule, unchanged ones are not touched, dropped ones
 * are completed. Counters and history always stay. Doing it twice changes nothing.
 */
#include "engine/engine.h"

enum seed_kind {
	SEED_CREATED,
	SEED_CHANGED,
	SEED_ENDED,  /* it is not declared any more */
	SEED_BROKEN, /* declared, and cannot work: nothing fires of it */
};

struct seed_change {
	enum seed_kind kind;
	const char *what; /* "cron", "heartbeat", "reminder", "role"; "agent": nobody declares it */
	char *name;
	char *agent;  /* NULL: of a role as a whole, or a cron that names none */
	char *id;     /* of the reminder; NULL: there is none (yet) */
	char *detail; /* created: when it fires; changed: what of it; ended, broken: why */
};

struct seed_report {
	struct seed_change *items;
	size_t count;
	usec_t at;
};
void seed_report_fini(struct seed_report *report);
#define AUTO_REPORT __attribute__((cleanup(seed_report_fini)))

/*
 * Called by the engine itself after a start and after engine_set_config(). Returns how many changed.
 * Agents that were started with a role have it from here on.
 */
int engine_seed(struct engine *e, usec_t now, struct error *err);
/* The same, and what it did; `dry`: would do, and nothing is written. Goes behind what is in *ret. */
int engine_apply(struct engine *e, bool dry, usec_t now, struct seed_report *ret,
		 struct error *err);
/*
 * One cron alone, as a file that was just written says it: what is answered is what is armed. All of
 * the file follows at the next turn.
 */
int engine_seed_cron(struct engine *e, const struct config_cron *c, usec_t now, struct error *err);
/* The last seeding that changed something since the engine began; NULL: none did. */
const struct seed_report *engine_seeded(const struct engine *e);

/* Agents that nothing declares, and how many reminders fire for them all the same, or none. */
struct stranger {
	char *agent;
	int64_t reminders;
};
struct stranger_list {
	struct stranger *items;
	size_t count;
};
int engine_strangers(struct engine *e, struct stranger_list *ret, struct error *err);
void stranger_list_fini(struct stranger_list *list);
#define AUTO_STRANGERS __attribute__((cleanup(stranger_list_fini)))

/* Agents that were started with a role have it again, after the configuration was read. */
int engine_bind(struct engine *e, struct error *err);
