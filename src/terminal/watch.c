/* watch.c: a screen that is drawn again when there is news, and every second: durations grow. */
#include "terminal/watch.h"

#include "base/clock.h"
#include "terminal/screen.h"

#define LOOK_EVERY_MS 250
#define DRAW_EVERY USEC_PER_SEC

static void draw(const struct watch *w, struct screen *s)
{
	AUTO_BUF struct buf picture = {0};
	struct style style = style_of(1);
	size_t lines, columns;

	screen_size(s, &lines, &columns);
	w->draw(w->data, &style, lines, &picture);
	screen_draw(s, &picture);
}

static bool leaves(int key)
{
	return key == 'q' || key == 'Q' || key == KEY_CTRL_C || key == KEY_ENDED;
}

static int loop(const struct watch *w, struct screen *s, struct error *err)
{
	usec_t drawn = 0;
	int key = KEY_NONE;

	while (!leaves(key)) {
		size_t lines, columns;
		int news;

		screen_size(s, &lines, &columns);
		news = w->look(w->data, lines, err);
		if (news < 0)
			return news;
		if (news || key == KEY_RESIZED || clock_monotonic() - drawn >= DRAW_EVERY) {
			draw(w, s);
			drawn = clock_monotonic();
		}
		key = screen_key(s, LOOK_EVERY_MS);
	}
	return 0;
}

int watch_run(const struct watch *w, struct error *err)
{
	struct screen *s = NULL;
	int r;

	if (!screen_is_possible()) {
		error_set(err, ERR_INVALID, "--watch needs a terminal");
		return error_hint(err, "leave out --watch; --json is for programs");
	}
	r = screen_open(&s, err);
	if (r < 0)
		return r;
	r = loop(w, s, err);
	screen_close(s);
	return r;
}
