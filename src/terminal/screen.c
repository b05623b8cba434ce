/* screen.c: the whole terminal. */
#include "terminal/screen.h"

bool screen_is_possible(void)
{
}

int screen_open(struct screen **ret, struct error *err)
{
	(void)ret;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "screen_open is not there yet");
}

void screen_close(struct screen *s)
{
	(void)s;
}

void screen_size(const struct screen *s, size_t *ret_lines, size_t *ret_columns)
{
	(void)s;
	(void)ret_lines;
	(void)ret_columns;
}

void screen_draw(struct screen *s, const struct buf *picture)
{
	(void)s;
	(void)picture;
}

int screen_key(struct screen *s, int timeout_ms)
{
	(void)s;
	(void)timeout_ms;
	return 0;
}

void screen_pause(struct screen *s)
{
	(void)s;
}

void screen_resume(struct screen *s)
{
	(void)s;
}
