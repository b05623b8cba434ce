#pragma once
/* How each client calls the events of its hooks, and what it wants to read as an answer. */
#include "base/clock.h"
#include "base/json.h"

struct hook_shape;

/* NULL when there is no such client. */
const struct hook_shape *hook_shape_of(const char *client);
/* What Claude Code calls an event of that client; an event that is not known keeps its name. */
const char *hook_shape_event(const struct hook_shape *shape, const char *event);
/*
 * What the end of a transcript tells of its last turns: when its model last said something, and when a hook last blocked
 * a prompt; 0: nothing is known of that. Only Claude Code's can be read.
 */
void hook_turn_read(const char *transcript, usec_t *ret_replied, usec_t *ret_blocked);
/* What brings a text into the conversation, or (block) keeps the agent from stopping. */
json_t *hook_shape_answer(const struct hook_shape *shape, const char *event, const char *text,
			  bool block);
