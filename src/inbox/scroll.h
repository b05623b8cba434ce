#pragma once
/* Where one is in something longer than the screen. Knows no terminal: keys in, positions out. */
#include <stdbool.h>
#include <stddef.h>

/* Lines of a text, of which `room` are seen, from `top` on. */
struct scroll {
	size_t count, room, top;
};
void scroll_fit(struct scroll *s, size_t count, size_t room); /* and top within them */
bool scroll_at_end(const struct scroll *s);
/* Arrows, pages, home and end, and the letters of a pager. Whether it was one of them. */
bool scroll_key(struct scroll *s, int key);
/* Move no more than needed, so that `lines` lines from `line` on are seen, or their beginning. */
void scroll_show(struct scroll *s, size_t line, size_t lines);

/* Items, one a line, and the chosen one of them, which is always seen. */
struct choice {
	struct scroll scroll;
	size_t at;
};
void choice_fit(struct choice *c, size_t count, size_t room);
bool choice_key(struct choice *c, int key);
