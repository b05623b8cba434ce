#pragma once
/* What the engine's own files share. */
#include "engine/engine.h"
#include "engine/preview.h"
#include "schedule/instant.h"
#include "schedule/schedule.h"
#include "store/queue.h"
#include "store/reminder.h"
#include "store/slot.h"

#define FIRE_BATCH 256	  /* reminders claimed by one turn */
#define FIRE_SLOTS 2000	  /* occurrences decided by one turn, and what the last one brings */
#define COUNT_LIMIT 10000 /* missed occurrences are counted up to here, then "or more" */
#define SKIP_GRACE (60 * USEC_PER_SEC) /* catch-up `skip` still fires what is no later than this */

struct engine {
	struct db *db;
	const struct config *config;
	bool imports_open; /* some import has still to be shown or dropped */
	usec_t prune_at;   /* when retention is looked at next; USEC_NONE before the first look */
	bool replanning;   /* new zone files: some reminders have still to be planned anew */
	size_t decided;	   /* occurrences that went on in this fire_due */
	bool heads_stale;  /* some queue may lack its head: after a start or a new configuration */
	usec_t dispatched_at; /* the last dispatch: a clock set back shows itself */
	struct job **jobs;
	size_t job_count, job_cap, job_taken;
};

/* job.c */
bool job_succeeded(const struct job_end *end);
char *job_end_words(const struct job_end *end, usec_t limit);

/* engine.c */
void engine_add_job(struct engine *e, struct job *stolen);

/* plan.c: when a reminder is due next */
usec_t plan_due(const struct reminder *r, const struct schedule *s, usec_t nominal);
void plan_next(struct reminder *r, const struct schedule *s);
void plan_nothing(struct reminder *r);
void plan_end(struct reminder *r, enum status status, usec_t now, const char *reason);
void plan_end_if_spent(struct reminder *r, usec_t now);

/* gate.c: what becomes of one occurrence */
struct occurrence {
	usec_t nominal, due; /* due is nominal plus jitter */
	int64_t missed;	     /* earlier ones that collapsed into it */
};
int gate_slot(struct engine *e, struct reminder *r, const struct occurrence *o, usec_t now,
	      struct error *err);
int gate_fire(struct engine *e, struct reminder *r, struct slot *slot, usec_t now,
	      struct error *err);

/* check.c: command conditions */
int check_begin(struct engine *e, struct reminder *r, struct slot *slot, struct error *err);
int check_ended(struct engine *e, usec_t now, const struct job_end *end, struct error *err);
int check_recover(struct engine *e, usec_t now, struct error *err);

/* deliver.c: the queue's hand-over */
int deliver_enqueue(struct engine *e, const struct reminder *r, const struct slot *slot, usec_t now,
		    struct error *err);
int deliver_ended(struct engine *e, usec_t now, const struct job_end *end, struct error *err);
int deliver_recover(struct engine *e, usec_t now, struct error *err);

/* import.c */
int import_recover(struct engine *e, struct error *err);
int import_step(struct engine *e, struct error *err);

/* replan.c */
int replan_recover(struct engine *e, struct error *err);
int replan_step(struct engine *e, usec_t now, struct error *err);

/* maintain.c */
int maintain_next(struct engine *e, usec_t now, usec_t *ret, struct error *err);

/* words.c: what people and agents read */
char *words_message(const struct reminder *r, const struct slot *slot, usec_t now);
char **words_environment(const struct config_agent *agent, const struct reminder *r,
			 const struct slot *slot, const struct message *m);
