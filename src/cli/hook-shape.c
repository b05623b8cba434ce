/*
 * hook-shape.c: the names and shapes of each client.
 *
 *	claude    measured (2.1.325)
 *	gemini    by its reference of hooks: other names, the same fields and the same answer, but a stop is
 *	          denied where Claude Code blocks it; not measured
 *	codex     by its reference of hooks: the names, fields and answers of Claude Code; not measured
 *	opencode  has no hooks that run commands; a plugin that does is to speak as Claude Code does
 */
#include "cli/hook-shape.h"

#include <string.h>

struct hook_name {
	const char *theirs, *ours;
};

struct hook_shape {
	const char *client;
	const char *block; /* the decision that makes it go on */
	const struct hook_name *names;
};

static const struct hook_name same_names[] = {{NULL, NULL}};
static const struct hook_name gemini_names[] = {
	{"BeforeAgent", "UserPromptSubmit"}, {"AfterAgent", "Stop"},
	{"BeforeTool", "PreToolUse"},	     {"AfterTool", "PostToolUse"},
	{"PreCompress", "PreCompact"},	     {NULL, NULL},
};

static const struct hook_shape shapes[] = {
	{"claude", "block", same_names},
	{"codex", "block", same_names},
	{"gemini", "deny", gemini_names},
	{"opencode", "block", same_names},
};

const struct hook_shape *hook_shape_of(const char *client)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (strcmp(shapes[i].client, client) == 0)
			return &shapes[i];
	return NULL;
}

const char *hook_shape_event(const struct hook_shape *shape, const char *event)
{
	for (const struct hook_name *name = shape->names; name->theirs; name++)
		if (strcmp(name->theirs, event) == 0)
			return name->ours;
	return event;
}

json_t *hook_shape_answer(const struct hook_shape *shape, const char *event, const char *text,
			  bool block)
{
	if (block)
		return json_pack("{s:s, s:s}", "decision", shape->block, "reason", text);
	return json_pack("{s:{s:s, s:s}}", "hookSpecificOutput", "hookEventName", event,
			 "additionalContext", text);
}
