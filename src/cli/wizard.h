#pragma once
/* `cron add` as questions: one after another, a summary, and only then a change. */
#include "cli/cli.h"

/* Whether something that a cron needs was not given. */
bool wizard_is_needed(const json_t *args);
/* Ask for what is missing; what was given as flags is not asked. */
int wizard_cron_add(const struct cli *c, struct error *err);
