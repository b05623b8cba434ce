#pragma once
/* What the parts of the story teller share: story.c (reminders), story-mission.c,
 * story-inbox.c, story-idle.c, story-live.c, story-boundary.c. */
#include "story.h"

#include <stdbool.h>

#include "base/buf.h"
#include "engine/engine.h"
#include "store/store.h"

#define JOBS_MAX 160
#define CONFIGS_MAX 16

/* A wrapper past its gate, alive or dead without anybody knowing yet. */
struct story_wrapper {
	int64_t run;
	char name[32]; /* "mis-k3f9x2/1" */
	usec_t started_at;
};

struct story {
	struct db *db;
	struct config *configs[CONFIGS_MAX]; /* 0 plain, 1 deliver, then those of the script */
	int config, config_count;
	struct engine *engine;
	usec_t now;
	struct job *jobs[JOBS_MAX]; /* children: checks, deliveries, sweeps, removals */
	size_t job_count;
	struct job *starts[JOBS_MAX]; /* wrappers that are wished for */
	size_t start_count;
	struct job *types[JOBS_MAX]; /* messages that are being typed */
	size_t type_count;
	struct story_wrapper wrappers[JOBS_MAX];
	size_t wrapper_count;
	int64_t last_start;
	char zones[32];	  /* the folder of zone files, once it has one of its own */
	char *answer;	  /* of the next run that ends */
	char *denied;	  /* tool calls that it was denied, two of them; NULL: none */
	bool prompted;	  /* it was seen to get its prompt */
	int processes;	  /* given out so far */
	const char *verb; /* of the request being made */
	struct buf told;
};

/* What arrives with a turn. */
struct story_input {
	const struct job_end *end;
	const struct run_start *start;
	const struct run_end *gone;
	bool go; /* out: the gate may open */
};

void story_check(int rc, const struct error *err);
void story_turn(struct story *s, struct story_input *input);
void story_set_config(struct story *s, int config);
char *story_word(char **rest);
void story_put_time(struct buf *out, usec_t t);
/* A change that somebody asks for, in a turn of its own; what is refused is told and undone. */
void story_ask(struct story *s, int (*change)(struct story *s, char *rest, struct error *err),
	       char *rest);

usec_t story_time(const char *text); /* "10:00:00", "3+09:00:00" */

/* story-idle.c: true when the verb is one of its own. */
#define STORY_PRESENCE "a story" /* the evidence of what a story only says: no session is told of */
bool story_idle_step(struct story *s, const char *verb, char *rest);

/* story-boundary.c: true when the verb is one of its own. */
bool story_boundary_step(struct story *s, const char *verb, char *rest);

/* story-inbox.c: true when the verb is one of its own. */
bool story_inbox_step(struct story *s, const char *verb, char *rest);

/* story-live.c: true when the verb is one of its own, and when the job was. */
bool story_live_step(struct story *s, const char *verb, char *rest);
bool story_take_live_job(struct story *s, struct job *job);
void story_drop_types(struct story *s);
void story_put_lives(struct story *s, struct buf *out);

/* story-mission.c: true when the verb is one of its own. */
bool story_mission_step(struct story *s, const char *verb, char *rest);
void story_take_wrapper_job(struct story *s, struct job *stolen);
void story_put_missions(struct story *s, struct buf *out);
/* Ids are random: "mis-k3f9x2" becomes "m1", and that of a thread "thr-?". The caller frees. */
char *story_name_missions(struct story *s, char *stolen);
void story_drop_starts(struct story *s);
