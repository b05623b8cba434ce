#pragma once
/*
 * What agents set for themselves, and what their hooks bring into a session. All are called inside a turn.
 */
#include "engine/engine.h"
#include "store/agent-session.h"
#include "store/boundary.h"

/*
 * Set one for a session: b has owner, session, message, lessons, step and note, and due_call as a number of
 * calls from now, due_at as an instant; both are worked out against the session's counter, which is
 * begun when there is none. Never immediate: less than one call, or an instant that is not after now, is
 * ERR_INVALID.
 */
int engine_boundary_set(struct engine *e, struct boundary_row *b, usec_t now, struct error *err);
/* Take back all that wait in a session; *ret is how many. */
int engine_boundary_clear(struct engine *e, const char *session, usec_t now, int64_t *ret,
			  struct error *err);
/* The block that is put into the conversation: a marked title, the message, the calls. Caller frees. */
char *engine_boundary_text(const struct boundary_row *b);

/* What a client told by a hook. */
struct hook_event {
	const char *name;    /* "UserPromptSubmit", as Claude Code calls it */
	const char *session; /* never NULL */
	const char *owner;   /* whose session */
	const char *agent;   /* NULL: by its directory, or none */
	int64_t mission;     /* 0: not hosted */
	const char *directory, *transcript, *prompt, *source; /* NULL: not told */
	bool stop_hook_active;
	int64_t pid, pid_start; /* of the client; 0: not known */
	const char *boot;
};
/*
 * Count it, settle what was offered before, and decide what the session is told now: *ret_context is the
 * text (NULL: nothing), less than HOOK_TEXT_MAX bytes; *ret_block: for Stop, it is the reason to go on. What
 * is told counts as offered until hook_printed() and the next event.
 */
#define HOOK_TEXT_MAX 9000
int engine_hook(struct engine *e, const struct hook_event *event, usec_t now, char **ret_context,
		bool *ret_block, struct error *err);
/* The hook wrote all of it to its standard output. */
int engine_hook_printed(struct engine *e, const char *session, usec_t now, struct error *err);
