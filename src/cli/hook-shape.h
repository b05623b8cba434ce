#pragma once
/* How each client calls the events of its hooks, and what it wants to read as an answer. */
#include "base/json.h"

struct hook_shape;

/* NULL when there is no such client. */
const struct hook_shape *hook_shape_of(const char *client);
/* What Claude Code calls an event of that client; an event that is not known keeps its name. */
const char *hook_shape_event(const struct hook_shape *shape, const char *event);
/* What brings a text into the conversation, or (block) keeps the agent from stopping. */
json_t *hook_shape_answer(const struct hook_shape *shape, const char *event, const char *text,
			  bool block);
