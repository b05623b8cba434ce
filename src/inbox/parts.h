#pragma once
/*
 * What the screens of the inbox share: the terminal, the way to ask, and the line at the bottom that
 * says what happened. Each screen draws itself whole, and the screen driver writes only what is new.
 */
#include "cli/observe.h"
#include "inbox/inbox.h"
#include "inbox/scroll.h"

#define FACE_NOTE_MAX 400
#define FACE_LOOK_MS 1000 /* how often it is asked whether there is something new */

/* What ends a screen. */
enum face_end { FACE_BACK, FACE_LEAVE };

struct face {
	const struct cli *c;
	struct screen *screen;
	struct observer observer;
	bool gone; /* no daemon answered the last time */
	char note[FACE_NOTE_MAX];
	enum tint note_tint;
	usec_t look_at; /* monotonic: when to look again */
	/* what was put away while it is open, the last at the end: z brings them back one by one */
	json_t *put_away;
	char *read; /* the thread that was read last */
};
int face_open(const struct cli *c, struct face *f, struct error *err);
void face_close(struct face *f);

/* As observer_ask(), but where no daemon may be started the store itself is asked. */
int face_ask(struct face *f, const char *request, const json_t *args, json_t **ret,
	     struct error *err);
/* The same for what a person wanted: a failure is noted, and false. `args` is released. */
bool face_do(struct face *f, const char *request, json_t *args, json_t **ret);

/* The line at the bottom, until the next key. Text from outside is made visible later. */
void face_note(struct face *f, enum tint tint, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void face_note_error(struct face *f, const struct error *err);

/* Put a thread away, if need be after a question about its questions; whether it was. */
bool face_archive(struct face *f, const json_t *thread, void (*draw)(void *), void *data);
/* The last one of these comes back: true, and its id, which the caller frees. */
bool face_unarchive(struct face *f, char **ret);

/* One key of `keys`, after the note was drawn; Esc, Ctrl-C and the end are KEY_ESCAPE. */
int face_choice(struct face *f, const char *keys, void (*draw)(void *), void *data);

/* The next key; KEY_NONE when it is time to look again. Any key takes the note away. */
int face_key(struct face *f);

/* --- pictures --- */

/* Colours and the real width, also of a terminal too small for tables. */
struct style face_style(const struct face *f, size_t *ret_lines);
/* Draws that it is too small, and is true, when no screen fits. */
bool face_is_too_small(struct face *f);

/* Exactly `width` columns of a text: made visible, cut, filled with blanks. */
void add_cell(struct buf *out, const struct style *style, enum tint tint, const char *text,
	      size_t width);
void add_blanks(struct buf *out, size_t count);
void add_rule(struct buf *out, const struct style *style, size_t width);
void add_chosen(struct buf *out, const struct style *style, bool on); /* reverse, on and off */
/* "2026-01-15 09:02" */
void add_minute(struct buf *out, const struct face *f, const json_t *o, const char *key);

struct face_hint {
	const char *key;
	const char *words; /* at the bottom; NULL: only the help has it */
	const char *more;  /* in the help */
};
/* How many lines the bottom needs: a note may be long, and all of it counts. */
size_t footer_lines(const struct face *f, const struct style *style);
/* The last lines: the note, else as many of the hints as fit; `right` is at their end. */
void add_footer(struct buf *out, const struct face *f, const struct style *style,
		const struct face_hint *hints, const char *right);
/* All keys of a screen, until one is pressed. */
void face_help(struct face *f, const char *title, const struct face_hint *hints);

/* --- a line that is typed at the bottom --- */

struct entry {
	const char *label; /* NULL: nothing is typed now */
	struct buf text;
};
enum entry_state { ENTRY_OPEN, ENTRY_DONE, ENTRY_CANCELLED };
void entry_begin(struct entry *l, const char *label);
void entry_fini(struct entry *l);
enum entry_state entry_key(struct entry *l,
			   int key);		     /* ENTRY_OPEN: also keys that are none of it */
void entry_paste(struct entry *l, const char *text); /* its first line */
void add_entry(struct buf *out, const struct entry *l, const struct style *style);

bool face_words(struct face *f, struct entry *entry, const char *label, void (*draw)(void *),
		void *data);

/* --- a message as lines --- */

/* Markdown has two blanks before it; the first of them on the head's line may become a mark. */
#define MESSAGE_INDENT 2
#define MESSAGE_WIDTH_MAX 120 /* columns that are still read easily */

/* Ends with an empty line. `fresh` puts a line above it that says: new from here. */
void message_render(const struct face *f, const struct style *style, const json_t *message,
		    bool fresh, struct buf *out);
size_t count_lines(const struct buf *text);

/* --- the screens --- */

/* Each until the person goes back, or leaves altogether. What goes wrong is noted on the screen. */
enum face_end list_screen(struct face *f, bool archived);
enum face_end search_screen(struct face *f, const char *words);
/* seq: begin at this message; 0: at the first that is unread. */
enum face_end thread_screen(struct face *f, const char *thread, int64_t seq);
