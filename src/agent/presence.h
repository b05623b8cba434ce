#pragma once
/*
 * What a live agent is doing, worked out from what can be seen of it. Pure: facts in, a verdict out.
 *
 * The best evidence that is not stale wins: the agent's own hooks, then its transcript, then its
 * screen, then silence. A hook's word is stale when the others contradict it for long enough: an
 * interrupted turn ends without a hook.
 */
#include <stdbool.h>

#include "agent/adapter.h"
#include "base/buf.h"
#include "base/clock.h"

enum presence_look {		   /* what its screen looks like */
		     LOOK_UNKNOWN, /* nothing that we know */
		     LOOK_IDLE,	   /* an empty input line */
		     LOOK_TYPED,   /* an input line that somebody has typed in */
		     LOOK_BUSY,
		     LOOK_BLOCKED /* it asks for a permission */
};

/* Events of hooks, whatever a client calls them. */
enum presence_event {
	EVENT_NONE,
	EVENT_STARTED, /* a conversation began, or goes on */
	EVENT_PROMPT,  /* it got a prompt: busy */
	EVENT_WORKING, /* before or after a tool: busy */
	EVENT_ASKING,  /* it waits for a permission: blocked */
	EVENT_WAITING, /* it says itself that it waits for input: idle */
	EVENT_STOPPED, /* the end of a turn: idle */
	EVENT_ENDED    /* the conversation ended */
};

/* Instants are by the wall clock; USEC_NONE: never. */
struct presence_facts {
	usec_t now;
	usec_t started_at; /* its process */
	enum presence_event event;
	char event_name[32]; /* as the client calls it */
	usec_t event_at;
	usec_t transcript_at; /* it grew */
	usec_t output_at;     /* its terminal showed something new */
	enum presence_look look;
	usec_t look_at; /* when the screen was looked at; older than output_at: not since then */
	usec_t delivered_at; /* we typed something and it took it */
};

enum presence_is { IS_STARTING, IS_IDLE, IS_BUSY, IS_BLOCKED };
struct presence_verdict {
	enum presence_is is;
	usec_t since;
	char evidence[80]; /* "hook Stop", "screen: esc to interrupt", "silent for 2s" */
	usec_t again_at;   /* when time alone may change it; USEC_NONE: never */
	bool wants_look;   /* to be sure, the screen has to be looked at first */
};
void presence_judge(const struct adapter_live *rules, const struct presence_facts *f,
		    struct presence_verdict *ret);

/* --- look.c: a captured screen ------------------------------------------------------------ */

/*
 * `screen` is what tmux shows of the pane with its attributes (capture-pane -e -p), and where the
 * cursor is. What is typed but dim is a suggestion of the program's, not of the person.
 */
struct look {
	enum presence_look look;
	char *typed; /* what is in the input line; "" when it is empty; NULL: there is none */
};
void look_read(const struct adapter_live *rules, const char *title, const char *screen,
	       int cursor_x, int cursor_y, struct look *ret);
void look_fini(struct look *l);
/* The text without attributes, for people and for finding things in it. The caller frees. */
char *look_plain(const char *screen);
/* Whether that message is on the screen: not at all, in the input line, or above it. */
enum look_where { WHERE_NOT, WHERE_TYPED, WHERE_SENT };
enum look_where look_find(const struct adapter_live *rules, const char *screen, int cursor_y,
			  const char *message_id);

/* --- events.c: what hooks leave in missions/ID/events -------------------------------------- */

/*
 * One JSON object a line: {"event": …, "at": …, "session": …, "transcript": …, "message": …}. The
 * hook appends, with one write, also while no daemon runs; the daemon reads on from where it was.
 */
struct event {
	enum presence_event event;
	char name[32]; /* as the client calls it */
	usec_t at;
	char session[64]; /* "" when not told */
	char message[16]; /* of EVENT_PROMPT: the id of the message it got; "" when of none */
	char *transcript; /* its path; NULL when not told */
};
void event_fini(struct event *e);
/*
 * What a client's hook says, by the client's name of the event and the JSON it gave us (may be "").
 * ERR_INVALID when there is no such event.
 */
int event_read_hook(const char *name, const char *json, size_t len, usec_t now, struct event *ret,
		    struct error *err);
int event_append(const char *folder, const struct event *e, struct error *err);
/* One line of the file. ERR_INVALID: it is damaged, and is passed over. */
int event_parse(const char *line, size_t len, struct event *ret, struct error *err);
/*
 * The settings by which the client `adapter->live.hooks` calls `program hook EVENT`, written into
 * `folder`; *ret is the path, NULL when that client has no hooks. The caller frees.
 */
int hooks_write(const struct adapter *a, const char *folder, const char *program, char **ret,
		struct error *err);
