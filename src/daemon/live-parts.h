#pragma once
/*
 * What the files of live.c share: one agent as it is watched, and how they call each other.
 *
 *	live.c        jobs in, inputs of the turn out; which window is whose
 *	live-watch.c  what an agent does: what it shows, its screen, the verdict
 *	live-journal.c  what its hooks wrote down
 *	live-type.c   a message is typed
 *	live-line.c   … and when that is taken up
 *	live-unsent.c what stands in a line that no pattern knows
 */
#include <stdbool.h>
#include <sys/types.h>
#include <uv.h>

#include "agent/presence.h"
#include "base/buf.h"
#include "daemon/live.h"
#include "daemon/tmux.h"

enum watched_stage {
	TO_FIND, /* its window is looked for */
	TO_OPEN, /* the same; when there is none, it is opened */
	OPENING,
	THERE,
	CLOSED /* it was there; the end of its run is waited for a moment, for it says more */
};

/* A message that was typed, and is not known to be in the conversation. */
struct lined {
	char id[16];
	usec_t at;	  /* what was said before is not about this time */
	usec_t added;	  /* clock_now() */
	bool was_at_rest; /* its agent rested */
	bool at_rest;	  /* … and its next sign of work is about this one */
	bool interrupted; /* we have pressed the key since: its client may have dropped it */
	char tip[40];	  /* the last entry of the transcript that hangs on it; "": it has none */
};

struct typing;
struct watched {
	struct watched *next;
	struct lives *l;
	char *agent, *pane, *mission, *directory;
	struct adapter *adapter;
	enum watched_stage stage;
	bool listed;	 /* the list of panes that is asked for is for this one, too */
	unsigned opens;	 /* that failed */
	usec_t opens_at; /* the first of them (clock_monotonic) */
	usec_t wished_at; /* somebody wants a window for it since then, by the wall clock; 0: nobody does */
	pid_t stranger;	  /* of an older session of it, which has to end first; 0: there is none */
	uv_timer_t timer; /* judge again; when CLOSED, say so; when TO_OPEN, try again */
	int open;	  /* handles that are not closed yet */

	/* live-watch.c */
	struct presence_facts facts;
	struct presence_verdict verdict;
	usec_t asks_told; /* that it asks was told for the time since then; 0: it was not */
	bool told;	  /* the engine was told this much: */
	enum presence_is told_is;
	usec_t told_since;
	bool looking, look_again;
	uint64_t look_number;  /* of the look that was asked for last */
	usec_t looked_at;      /* by clock_monotonic() */
	size_t depth, deepest; /* lines above the screen: of the look under way, of the next */
	/* of the last look: */
	int cursor_x, cursor_y, height, width;
	bool is_watched; /* a person's terminal shows it */
	char *title;
	pid_t pid;	 /* of the process in its window; 0: not known */
	char *tty;	 /* of its window; NULL: not known */
	char *shown;	 /* of its screen, without attributes */
	usec_t shown_at; /* it changed (clock_monotonic) */
	char *screen;	 /* with `depth` lines above it */
	int screen_row;	 /* of the cursor in it */
	struct look look;
	char *draft; /* what a person had typed, and has not got back yet */
	usec_t given_back_at; /* it was pasted back then (clock_monotonic), and was not seen since; 0: it was */
	char *yielded;	    /* what a person had typed when it was yielded to; NULL: nothing */
	usec_t yielded_for; /* so long */

	/* live-journal.c */
	uv_fs_event_t follower;
	bool following;
	off_t journal_at;
	ino_t journal_file;
	struct buf journal_rest; /* a line that has no end yet */
	bool has_hooks;
	char session[64]; /* that its hooks told last */
	char *transcript;

	struct typing *typing;

	/* live-line.c */
	struct lined *lined;
	size_t lined_count;
	off_t lined_from; /* its transcript is read from there */
	bool tells; /* its transcript is one that we can read: what is not in it was not taken up */

	/* live-unsent.c, of the last look: */
	char *left;	  /* what we left at its pane of what we typed */
	char *views;	  /* grows with each terminal that comes to show it */
	unsigned viewers; /* terminals that show it */
	int64_t key_at; /* the last key in one of those, in seconds by the wall clock; 0: there is none */
	/* … and when its line was last known to be empty: */
	bool empty; /* it was, and then those were: */
	char *empty_views;
	unsigned empty_viewers;
	int64_t empty_key_at;
	bool rest_wanted; /* when it rests, this is to be found out: */
	char *rest;	  /* what its row shows without anything typed; NULL: not known */
};

/* live.c */
struct lives {
	uv_loop_t *loop;
	char *missions, *program, *socket;
	struct tmux *tmux;
	lives_on_input *on_input;
	void *data;
	struct watched *all;
	struct live_input *inputs, **inputs_end;
	bool listing, list_again;
	uv_timer_t retry; /* of a list that failed */
	uv_timer_t first; /* when windows are looked for that nobody knows */
	bool strangers;	  /* the next list is for that, too */
};
/* Inputs of the turn. */
void live_say_seen(struct watched *w);
void live_say_typed(struct watched *w, int64_t message, const char *error);
void live_say_taken(struct watched *w, const char *message);
void live_say_returned(struct watched *w, const char *message);
void live_say_untaken(struct watched *w, const char *message, const char *why);
void live_say_asks(struct watched *w);
void live_say_session(struct watched *w, const char *session);

/* live-watch.c */
void watch_begin(struct watched *w, usec_t started_at);
void watch_output(struct watched *w);
void watch_judge(struct watched *w);
void watch_heard(struct watched *w); /* a hook said something; others may follow */
void watch_soon(struct watched *w);  /* judge in a moment */
/*
 * Look at the screen, and `depth` lines above it. The number is that of the look which begins after
 * this call: what was done before it is on that screen, as far as tmux knows.
 */
uint64_t watch_look(struct watched *w, size_t depth);
void watch_end(struct watched *w);

/* live-journal.c */
void journal_follow(struct watched *w); /* and read what there is */
void journal_end(struct watched *w);
/* What its agent said, after `since`, of this message: that it got it as a prompt, and next another, or that it worked. */
enum journal_of { JOURNAL_NOTHING, JOURNAL_PROMPT, JOURNAL_PASSED, JOURNAL_TURN };
enum journal_of journal_says(const struct watched *w, const char *message, usec_t since);

/* live-type.c; takes the job */
void typing_begin(struct watched *w, struct job *job);
void typing_looked(struct watched *w, uint64_t number); /* 0: it failed */
void typing_heard(struct watched *w, const char *message);
/* A more urgent one waits: as long as nothing was typed, this one waits instead. */
void typing_give_way(struct watched *w);
/* It is let go of; with `why` it is told as failed. */
void typing_drop(struct watched *w, const char *why);

/* live-line.c */
void line_expect(struct watched *w, bool again); /* something is about to be typed, or was */
void line_add(struct watched *w, const char *message, usec_t at, bool at_rest);
void line_heard(struct watched *w, const struct event *e); /* before anything else is made of it */
void line_interrupted(struct watched *w);
/* Its session is over: a prompt that hangs at the end of its conversation stays there. */
void line_closed(struct watched *w);
void line_set(struct watched *w, const struct job_live *from); /* those and no others */
void line_remove(struct watched *w, const char *message);
/* Of a program without an input line or hooks that are known, what it got is shown by the terminal alone. */
bool line_is_blind(const struct watched *w);
#define READ_LEAST (200 * USEC_PER_MSEC) /* Enter itself has to get to the terminal */
/* Whether something that was typed waits in its terminal: the program has not read it. */
bool line_is_unread(const struct watched *w);
/* After a verdict: what was taken up is told. Returns when time alone may change that; USEC_NONE: never. */
usec_t line_judge(struct watched *w);
void line_end(struct watched *w);

/* live-unsent.c */
#define UNSENT_MARK "@belfry_typed"  /* options of its pane: what we typed */
#define UNSENT_VIEWS "@belfry_views" /* and who came to see it */
/* Whether no pattern says where one types: all below is for those. */
bool unsent_is_unknown(const struct watched *w);
/* Something of ours, a message or a draft, is about to be typed without Enter; Enter has just come. */
void unsent_mark_typed(struct watched *w, const char *what);
void unsent_mark_sent(struct watched *w, const char *message);
bool unsent_was_sent(const struct watched *w, const char *message);
/* As of the last look nothing is in its line. */
void unsent_is_empty(struct watched *w);
/* Whether somebody can have pressed a key since then, and whether they did so just now. */
bool unsent_has_keys(const struct watched *w);
bool unsent_is_moving(const struct watched *w);
/* Whether anything may be in its line. */
bool unsent_is_doubtful(const struct watched *w);
/* After a verdict: what its row shows while it rests is kept. */
void unsent_rests(struct watched *w);
/* What its screen shows where the cursor is, up to that. The caller frees. */
char *unsent_row(const struct watched *w);
/* Whether the terminal edits the line, and its keys, to throw it away and to show it again; 0: there is none. */
bool unsent_terminal_edits(const struct watched *w);
char unsent_kill_key(const struct watched *w);
char unsent_show_key(const struct watched *w);
/* What it has shown by that key: all that is not sent. NULL: nothing yet. The caller frees. */
char *unsent_shown(const struct watched *w, char key);
void unsent_fini(struct watched *w);
