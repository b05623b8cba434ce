#pragma once
/*
 * What agents set for themselves, and what their hooks bring into a session. All are called inside a turn.
 */
#include "engine/engine.h"
#include "store/agent-session.h"
#include "store/boundary.h"

#define BOUNDARY_PENDING_MAX 100 /* of a session */
#define BOUNDARY_CALLS_MAX 10000
#define BOUNDARY_MINUTES_MAX (366 * 24 * 60)
#define BOUNDARY_MESSAGE_MAX 4000 /* bytes */
#define BOUNDARY_NOTE_MAX 1000
#define BOUNDARY_NAME_MAX 100 /* of a lesson, of a step */
#define BOUNDARY_LESSONS_MAX 20

/*
 * Set one for a session: b has owner, session, message, lessons, step and note, and due_call as a number of
 * calls from now (-1: none), due_at as an instant (USEC_NONE: none); both are worked out against the session's
 * counter, which is begun when there is none; then it is of `mission`, whose run sets it (0: none). Never
 * immediate: less than one call, an instant that is not after now, or neither, is ERR_INVALID.
 */
int engine_boundary_set(struct engine *e, struct boundary_row *b, int64_t mission, usec_t now,
			struct error *err);
/* Take back all of this user's that wait in a session; *ret is how many. */
int engine_boundary_clear(struct engine *e, const char *session, const char *owner, usec_t now,
			  int64_t *ret, struct error *err);
/* The block that is put into the conversation: a marked title, the message, the calls. Caller frees. */
char *engine_boundary_text(const struct boundary_row *b);

/* What a client told by a hook. */
struct hook_event {
	const char *name;    /* "UserPromptSubmit", as Claude Code calls it */
	const char *session; /* never NULL */
	const char *id;	     /* what the client calls this prompt, turn or use of a tool; NULL */
	const char *owner;   /* whose session */
	const char *agent;   /* NULL: by its directory, or none */
	int64_t mission;     /* whose run tells it; 0: none */
	bool stray; /* of a run or a command, and nobody knows of which: it speaks of no session */
	const char *directory, *transcript, *prompt, *source; /* NULL: not told */
	bool stop_hook_active;
	int64_t pid, pid_start; /* of the client; 0: not known */
	const char *boot;
	/* By its transcript: when its model last said something, a hook last blocked a prompt; 0: not known. */
	usec_t replied_at, blocked_at;
};

/* What the session is told. */
#define HOOK_TEXT_MAX 9000 /* bytes, as JSON writes them */
struct hook_answer {
	char *context; /* NULL: nothing; the caller frees */
	bool block;    /* of Stop: it is the reason to go on */
	usec_t offer; /* what hook_printed() is told; USEC_NONE: nothing of it has to be confirmed */
};
/*
 * Count the event, settle what was offered before, and decide what the session is told now. An event that
 * another hook has told already is nothing: not counted, nothing settled, nothing told; and so is one of a run
 * about a session that is not its own (hand.c). What is told
 * counts as offered until engine_hook_printed(), and as delivered at the event after that; what was told with
 * a prompt, at one that shows that a turn began with that. What was not
 * printed is offered again, once its hook must have given up: HOOK_GRACE after it began.
 */
#define HOOK_GRACE (3 * USEC_PER_SEC)
int engine_hook(struct engine *e, const struct hook_event *event, usec_t now,
		struct hook_answer *ret, struct error *err);
/* The hook wrote all of that offer to its standard output. Of the event: session, and who tells it. */
int engine_hook_printed(struct engine *e, const struct hook_event *event, usec_t offer, usec_t now,
			struct error *err);

/*
 * Whether a run of that mission reaches the session: it began there, or it is the conversation that the mission's
 * agent has told. `s` is its row, NULL: there is none.
 */
int engine_session_is_of(struct engine *e, const char *id, const struct agent_session *s,
			 int64_t mission, bool *ret, struct error *err);
