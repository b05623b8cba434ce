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
	usec_t started_at; /* its process; what hooks said before is of another one */
	enum presence_event event;
	char event_name[32]; /* as the client calls it */
	usec_t event_at;
	usec_t event_since;   /* since when events have meant the same; presence_hear() keeps it */
	usec_t transcript_at; /* it grew */
	usec_t output_at;     /* its terminal showed something new */
	enum presence_look look;
	usec_t look_at;	     /* when the screen was looked at; before output_at: not since then */
	usec_t delivered_at; /* we typed something and it took it */
};

enum presence_is { IS_STARTING, IS_IDLE, IS_BUSY, IS_BLOCKED };
struct presence_verdict {
	enum presence_is is;
	usec_t since;	   /* as far as these facts tell; see presence_follow() */
	char evidence[80]; /* "hook Stop", "screen: an empty input line", "silent for 2s" */
	usec_t again_at;   /* when time alone may change it, always after `now`; USEC_NONE: never */
	bool wants_look;   /* to be sure, the screen has to be looked at first */
};
/*
 * The same facts give the same verdict until again_at. Looks are asked for sparingly: a while after
 * the newest output, and once in a while when that does not end. An adapter without patterns never
 * wants one.
 */
void presence_judge(const struct adapter_live *rules, const struct presence_facts *f,
		    struct presence_verdict *ret);

struct event;
/* Take what a hook said into the facts. For every event in turn, and judge after each. */
void presence_hear(struct presence_facts *f, const struct event *e);
/*
 * Take a newer verdict in the place of the one that was held. One judgement does not know the one
 * before: as long as it is the same, it has been since the first; when it changed, it did not before
 * the one that was held. Returns whether it changed.
 */
bool presence_follow(struct presence_verdict *held, const struct presence_verdict *newer,
		     usec_t now);

/* --- look.c: a captured screen ------------------------------------------------------------ */

/*
 * `screen` is what tmux shows of the pane with its attributes (capture-pane -e -p), and where the
 * cursor is: cursor_y counts lines of `screen` from 0, also where that begins with older ones.
 * What is typed but dim is a suggestion of the program's, not of the person. Bytes beyond LOOK_MAX
 * and lines before the last LOOK_LINES_MAX are not looked at. Characters are read by the locale,
 * which should be a UTF-8 one. Not for several threads at once.
 */
#define LOOK_MAX ((size_t)4 * 1024 * 1024)
#define LOOK_LINES_MAX 500
#define LOOK_PATTERN_MAX 500 /* bytes */
struct look {
	enum presence_look look;
	/*
	 * What is in the input line, "" when it is empty, NULL when there is none. The lines of a
	 * longer text are put together again, as well as a screen can tell where they were wrapped.
	 */
	char *typed;
	bool is_fatal; /* it asks something, and whoever turns that down ends it */
	bool by_title; /* LOOK_BUSY, and only its title says so; it has an input line */
};
void look_read(const struct adapter_live *rules, const char *title, const char *screen,
	       int cursor_x, int cursor_y, struct look *ret);
void look_fini(struct look *l);
/* The text without attributes and without blanks at the ends of its lines. The caller frees. */
char *look_plain(const char *screen);
/* Whether it can be a pattern. ERR_INVALID says why not. */
int look_check(const char *pattern, struct error *err);
/*
 * Whether "[belfry ID" is on the screen, also across the end of a line: not at all, in the input
 * line, or elsewhere. A program may show a long paste as a mark that does not have it. MIXED: it is in the
 * input line, but that does not begin with it, so what is in front of it is somebody else's.
 */
enum look_where { WHERE_NOT, WHERE_TYPED, WHERE_MIXED, WHERE_SENT };
enum look_where look_find(const struct adapter_live *rules, const char *screen, int cursor_x,
			  int cursor_y, const char *message_id);
/* What follows `text` in what is typed, blanks aside: a screen wraps. NULL: it does not begin with that. */
const char *look_behind(const char *typed, const char *text);

/* --- events.c: what hooks leave in missions/ID/events -------------------------------------- */

/*
 * One JSON object a line: {"event": "UserPromptSubmit", "means": "prompt", "at": …, "session": …,
 * "transcript": …, "message": …}. The hook appends, with one write, also while no daemon runs; the
 * daemon reads on from where it was. Beyond EVENTS_MAX bytes the next hook renames the file to
 * events.1 and begins a new one. So whoever follows it keeps it open, and when `events` is another
 * file than that (st_ino), reads the old one to its end and goes on with the new one from its
 * beginning. The journal is the mission's: it has the events of its earlier runs, too.
 */
#define EVENTS_FILE "events"
#define EVENTS_MAX ((int64_t)1024 * 1024)
#define EVENT_HOOK_MAX                                                                             \
	((size_t)16 * 1024 * 1024) /* bytes of a hook's JSON: a pasted log is a prompt, too */
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
 * What a client's hook says, by the client's name of the event and the JSON it gave us. JSON that
 * cannot be read says nothing more than the name does. EVENT_NONE: it means nothing to us, and is
 * not written down. ERR_INVALID when there is no such event.
 */
int event_read_hook(const char *name, const char *json, size_t len, usec_t now, struct event *ret,
		    struct error *err);
/* At the end of the file in `folder`, which has to be there: ERR_NOT_FOUND. */
int event_append(const char *folder, const struct event *e, struct error *err);
/* One line of the file. ERR_INVALID: it is damaged, and is passed over. */
int event_parse(const char *line, size_t len, struct event *ret, struct error *err);

/* --- hooks.c -------------------------------------------------------------------------------- */

/* The clients whose hooks we know, for config.yml; ends with NULL. */
extern const char *const hooks_words[];
/* The events of Claude Code that call us; ends with NULL. */
extern const char *const hooks_claude_events[];
#define HOOKS_TIMEOUT 5 /* seconds; it needs milliseconds, and the turn goes on without it */
/*
 * What a client's shell runs at an event. Claude Code runs a text that several of its settings have only
 * once, so it is the same wherever it is written.
 */
void hooks_command(struct buf *out, const char *program, const char *event);
/*
 * The settings by which the client `adapter->live.hooks` calls `program hook EVENT`, written into
 * `folder`; *ret is the path, NULL when that client has no hooks. The caller frees.
 */
int hooks_write(const struct adapter *a, const char *folder, const char *program, char **ret,
		struct error *err);
