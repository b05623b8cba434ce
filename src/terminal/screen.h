#pragma once
/*
 * The whole terminal: an alternate screen, keys as they are pressed, a new size when it changes.
 * The terminal is as it was afterwards, however the program ends; a signal that ends it does so
 * after that. One screen at a time.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "terminal/keys.h"

struct screen;

/* Whether there is a terminal that can do it: standard input and output, and TERM not dumb. */
bool screen_is_possible(void);
int screen_open(struct screen **ret, struct error *err);
void screen_close(struct screen *s); /* NULL is fine; raises the signal that ended it, if one did */
DEFINE_AUTO(struct screen, screen_close)

void screen_size(const struct screen *s, size_t *ret_lines, size_t *ret_columns);

/*
 * Draw the picture's lines over what was there, without flicker; the rest becomes empty. A line is
 * not wider than the screen, and leaves no colour on behind it.
 */
void screen_draw(struct screen *s, const struct buf *picture);

/* The next key. What ended it, KEY_ENDED, stays the answer from then on. Ctrl-D is Ctrl-C, Ctrl-Z is done. */
int screen_key(struct screen *s, int timeout_ms);
/* What KEY_PASTE was about; until the next one. */
const char *screen_pasted(const struct screen *s);

/*
 * The terminal belongs to a child in between: an editor, a pager, an agent. Signals have their
 * own effect again, also in children that are started now.
 */
void screen_pause(struct screen *s);
void screen_resume(struct screen *s);
