#pragma once
/* What the fake store, engine and requests share. */
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/error.h"
#include "engine/engine.h"

#define FAKE_BREAKS 8

struct fake {
	int64_t opens, begins, rollbacks, syncs, saved, recovers, engines, maintains;
	int64_t fired, due, aborted, batches, looks;
	usec_t wake_at, lateness;
	json_t *ends, *starts, *run_ends;
	bool unwanted; /* what waits at a gate is not let go */
	int64_t again; /* this run is started again by a recovery, by this order */
	char *again_order;
	struct fake_break {
		char step[32];
		bool armed;
		int64_t count;
		enum error_code code;
	} breaks[FAKE_BREAKS];
	size_t break_count;
};
extern struct fake fake;

/* Fails when this step was told to. */
int fake_step(const char *step, struct error *err);
/* One row in the open transaction. */
void fake_save(struct db *db);
void fake_wish(struct engine *e, struct job *job);
/* A job about run `key`, which is the first of mission "mis-" and the key in six digits. */
struct job *fake_run_job(enum job_kind kind, int64_t key);
