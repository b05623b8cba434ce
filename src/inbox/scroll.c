/* scroll.c: keys that move. */
#include "inbox/scroll.h"

#include "terminal/screen.h"

enum move { MOVE_NONE, MOVE_UP, MOVE_DOWN, MOVE_PAGE_UP, MOVE_PAGE_DOWN, MOVE_FIRST, MOVE_LAST };

/* clang-format off */
static const struct {
	int key;
	enum move move;
} moves[] = {
	{KEY_UP, MOVE_UP},     {'k', MOVE_UP},     {KEY_PAGE_UP, MOVE_PAGE_UP},     {'b', MOVE_PAGE_UP},
	{KEY_DOWN, MOVE_DOWN}, {'j', MOVE_DOWN},   {KEY_PAGE_DOWN, MOVE_PAGE_DOWN}, {' ', MOVE_PAGE_DOWN},
	{KEY_HOME, MOVE_FIRST}, {'g', MOVE_FIRST}, {KEY_END, MOVE_LAST},            {'G', MOVE_LAST},
};
/* clang-format on */

static enum move move_of(int key)
{
	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++)
		if (moves[i].key == key)
			return moves[i].move;
	return MOVE_NONE;
}

/* From `at` in 0..last, by a step or by `page` at a time. */
static size_t moved(size_t at, size_t last, size_t page, enum move move)
{
	size_t by = move == MOVE_PAGE_UP || move == MOVE_PAGE_DOWN ? page : 1;

	switch (move) {
	case MOVE_UP:
	case MOVE_PAGE_UP:
		return at > by ? at - by : 0;
	case MOVE_DOWN:
	case MOVE_PAGE_DOWN:
		return last - at > by ? at + by : last;
	case MOVE_FIRST:
		return 0;
	case MOVE_LAST:
		return last;
	case MOVE_NONE:
		break;
	}
	return at;
}

/* A page leaves a line of what was seen, so that the eye finds its place. */
static size_t page_of(const struct scroll *s)
{
	return s->room > 2 ? s->room - 1 : 1;
}

static size_t last_top(const struct scroll *s)
{
	return s->count > s->room ? s->count - s->room : 0;
}

void scroll_fit(struct scroll *s, size_t count, size_t room)
{
	s->count = count;
	s->room = room ? room : 1;
	if (s->top > last_top(s))
		s->top = last_top(s);
}

bool scroll_at_end(const struct scroll *s)
{
	return s->top >= last_top(s);
}

bool scroll_key(struct scroll *s, int key)
{
	enum move move = move_of(key);

	s->top = moved(s->top, last_top(s), page_of(s), move);
	return move != MOVE_NONE;
}

void scroll_show(struct scroll *s, size_t line, size_t lines)
{
	size_t end = line + (lines < s->room ? lines : s->room);

	if (end > s->top + s->room)
		s->top = end - s->room;
	if (line < s->top)
		s->top = line;
	scroll_fit(s, s->count, s->room);
}

void choice_fit(struct choice *c, size_t count, size_t room)
{
	scroll_fit(&c->scroll, count, room);
	if (c->at >= count)
		c->at = count ? count - 1 : 0;
	scroll_show(&c->scroll, c->at, 1);
}

bool choice_key(struct choice *c, int key)
{
	enum move move = move_of(key);

	if (c->scroll.count)
		c->at = moved(c->at, c->scroll.count - 1, page_of(&c->scroll), move);
	scroll_show(&c->scroll, c->at, 1);
	return move != MOVE_NONE;
}
