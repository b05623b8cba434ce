#pragma once
#include "base/json.h"
#include "config/home.h"

/*
 * What `reminder add` answered: when it waits until a command is true, ask the command once, as the
 * agent would (folder and environment of config.yml, a time limit of 5 s, output discarded), and
 * add a warning when it is true already.
 */
void probe_condition(const struct home *home, json_t *reminder);
