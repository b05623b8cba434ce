#pragma once
/* Who this process asks for, by how it was started (request/caller.h). */
#include "base/json.h"

/*
 * By the environment: BELFRY_USER, BELFRY_MISSION_ID, BELFRY_AGENT, BELFRY_SESSION or what the client that
 * runs us calls its conversation. `surface` is "cli", "mcp" or "hook". NULL when there is nothing to
 * say: the person at the command line.
 */
json_t *claim_make(const char *surface);
