#pragma once
/*
 * Crons and tasks as JSON: what was asked for, what the store knows of it, and what comes next.
 * A cron is what config.yml says; its reminder follows a turn later, so everything here also works
 * for one that the store has not heard of yet.
 */
#include "config/config.h"
#include "request/json.h"
#include "store/mission.h"
#include "store/policy.h"

/* How its fires are run. */
json_t *json_policy(const struct policy *p);

/* "success", "failed", "timeout", …, "running", "waiting": what people call a mission's state. */
int mission_status(struct db *db, const struct mission *m, const char **ret, struct error *err);

/* The newest mission of a cron, by its name: also of one that was removed and is back. Or NULL. */
int cron_mission(struct db *db, const char *name, struct mission **ret, struct error *err);

/*
 * The zone of its times: its own (NULL: of one that has none), the file's, that of the daemon's machine
 * or TZ. Never the caller's: a cron belongs to the file, whoever asks.
 */
const struct zone *cron_zone(const struct config *config, const struct config_cron *c,
			     const char **ret_source);

/* One cron of `config`, with up to `fires` of its next fires. */
int json_cron(const struct request *rq, const struct config *config, const struct config_cron *c,
	      int fires, json_t **ret, struct error *err);

/* The mission a task became; NULL while its time has not come. */
int task_mission(struct db *db, const struct reminder *r, struct mission **ret, struct error *err);
/* One task: its reminder, and the mission that became of it. */
int json_task(const struct request *rq, const struct reminder *r, json_t **ret, struct error *err);
