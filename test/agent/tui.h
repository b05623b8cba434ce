#pragma once
/* What the parts of tui-agent share; see tui-agent.c. */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct text {
	char *data; /* NULL while it is empty, else with a NUL behind it */
	size_t len;
};
void text_add(struct text *t, const char *bytes, size_t len);
void text_clear(struct text *t);

__attribute__((noreturn, format(printf, 1, 2))) void die(const char *fmt, ...);
void write_all(int fd, const char *bytes, size_t len);
int64_t now_ms(void); /* of a clock that is never set */

/* --- tui-record.c: what it got, and whom it tells --- */

struct told {
	const char *record;   /* a file of JSON lines; NULL: none */
	const char *folder;   /* of conversations; NULL: they are not kept */
	const char *session;  /* NULL: it has no name */
	const char *settings; /* a file as claude's, with hooks; NULL: none */
	const char *hook;     /* a command that gets the event as its argument; NULL: none */
	char transcript[4096];
};
extern struct told told;
/* One line {"at": µs, "event": …} and what json_pack() makes of the rest. */
void record(const char *event, const char *fmt, ...);
/* A text that may be no UTF-8: then it is {"hex": …}. */
json_t *record_text(const char *bytes, size_t len);
/* The conversation: begun, or gone on with. Wrong names end the program as they end claude. */
void conversation_open(bool resume);
void conversation_add(const char *role, const char *bytes, size_t len);
/* Tell the hooks of that event, and wait for them. `more` is stolen. */
void hook_tell(const char *event, json_t *more);
void prompt_tell(const char *bytes, size_t len); /* that it was submitted */

/* --- tui-screen.c --- */

struct screen_look {
	const char *status; /* the line above the prompt; NULL: none */
	size_t queued;	    /* messages that wait */
	const struct text *input;
	bool echo;
};
void screen_open(bool paste, bool title);
void screen_close(void);
/* Lines that stay, above the prompt. `prefix` is a literal. */
void screen_print(const char *prefix, const char *bytes, size_t len);
void screen_draw(const struct screen_look *look);
void screen_resized(void);
void screen_title(bool busy);
bool screen_size(unsigned *ret_columns, unsigned *ret_lines); /* its size */

/* --- tui-turn.c: one prompt at a time --- */

enum turn_state { TURN_IDLE, TURN_BUSY, TURN_ASKING };
struct turn {
	enum turn_state state;
	struct text prompt;
	char status[256];     /* to be shown; "" for none */
	int64_t until;	      /* of the step, by now_ms(); 0: it ends otherwise */
	int64_t spin_at;      /* the spinner turns next; 0: it does not */
	int output;	      /* of a command that runs; -1 */
	bool silent, no_echo; /* from now on, respectively */
	char die_at;	      /* 'p': when the next paste begins, 'e': at the next Enter; 0 */
};
extern struct turn turn;
void turn_begin(const char *bytes, size_t len);
void turn_on_time(void);	/* `until` or `spin_at` has come */
void turn_on_output(void);	/* `output` can be read */
void turn_answer(bool allowed); /* of what it asked */
void turn_interrupt(void);	/* no Stop is told: nothing of claude's is, either */
__attribute__((noreturn)) void agent_exit(int status, const char *why);
