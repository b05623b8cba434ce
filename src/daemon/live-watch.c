/*
 * live-watch.c: what a live agent is doing, as far as it can be seen.
 *
 * Facts arrive by themselves (output, hooks) or are fetched when the verdict needs them (the screen,
 * how old the transcript is). Each new fact leads to a verdict, but not at once: an agent that works
 * shows something many times a second. So output only sets the timer, once, and what it finds is
 * judged then. Without new facts the timer is set only when the verdict says that time alone may
 * change it: who sleeps lets us sleep.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/mem.h"
#include "daemon/live-parts.h"
#include "schedule/instant.h"

#define SOON (200 * USEC_PER_MSEC) /* between two looks, while what it does may have changed */
#define LATER USEC_PER_SEC	   /* while it is busy, and was when we last looked */
#define TIMER_MAX USEC_PER_HOUR
#define ASKS_AFTER USEC_PER_MINUTE
#define ROWS_MAX 100000
#define PLACE                                                                                      \
	"#{cursor_x} #{cursor_y} #{pane_height} #{pane_width} #{pane_pid} #{pane_tty} "            \
	"|#{window_active_clients_list}|#{" UNSENT_VIEWS "}|#{" UNSENT_MARK "}| #{pane_title}"
#define CLIENTS "#{pane_id} #{client_control_mode} #{client_activity}"
#define TITLE_ALONE (10 * USEC_PER_SEC)
#define PIDS_MAX 4194304 /* PID_MAX_LIMIT of the kernel */

static void on_timer(uv_timer_t *timer)
{
	struct watched *w = timer->data;

	if (w->stage == THERE)
		watch_judge(w);
}

static void wake_in(struct watched *w, usec_t span)
{
	if (span < USEC_PER_MSEC)
		span = USEC_PER_MSEC;
	if (span > TIMER_MAX)
		span = TIMER_MAX;
	uv_update_time(w->l->loop);
	uv_timer_start(&w->timer, on_timer, (uint64_t)((span + 999) / USEC_PER_MSEC), 0);
}

static bool wakes_within(const struct watched *w, usec_t span)
{
	return uv_is_active((const uv_handle_t *)&w->timer) &&
	       uv_timer_get_due_in(&w->timer) <= (uint64_t)(span / USEC_PER_MSEC);
}

/* How long until we may look again. */
static usec_t look_in(const struct watched *w)
{
	usec_t gap = w->told && w->verdict.is == IS_BUSY ? LATER : SOON;
	usec_t left = w->looked_at + gap - clock_monotonic();

	return w->look_number && left > 0 ? left : 0;
}

/* --- the verdict -------------------------------------------------------------------------- */

static void see_transcript(struct watched *w)
{
	struct stat st;

	/* A file may be of any time at all: what is no instant is passed over. */
	if (w->transcript && stat(w->transcript, &st) == 0 && st.st_mtim.tv_sec > 0 &&
	    st.st_mtim.tv_sec < INSTANT_MAX / USEC_PER_SEC)
		w->facts.transcript_at =
			st.st_mtim.tv_sec * USEC_PER_SEC + st.st_mtim.tv_nsec / 1000;
}

/* A look that was not enough is not repeated at once. */
static bool must_look(const struct watched *w, const struct presence_verdict *v)
{
	const struct presence_facts *f = &w->facts;

	return v->wants_look && (f->look_at == USEC_NONE || f->look_at < f->output_at ||
				 f->now - f->look_at > SOON || f->now < f->look_at);
}

static void judge(struct watched *w, struct presence_verdict *ret)
{
	w->facts.now = clock_now();
	presence_judge(&w->adapter->live, &w->facts, ret);
}

void watch_heard(struct watched *w)
{
	struct presence_verdict v = {0};

	judge(w, &v);
	presence_follow(&w->verdict, &v, w->facts.now);
}

/* Since when it is busy is not worth a transaction each time; since when it is idle, is. */
static bool is_news(const struct watched *w)
{
	return !w->told || w->verdict.is != w->told_is ||
	       (w->verdict.is == IS_IDLE && w->verdict.since != w->told_since);
}

static void look_when_allowed(struct watched *w)
{
	usec_t gap = look_in(w);

	if (gap == 0)
		watch_look(w, 0);
	else if (!wakes_within(w, gap))
		wake_in(w, gap);
}

static void tell(struct watched *w)
{
	w->told = true;
	w->told_is = w->verdict.is;
	w->told_since = w->verdict.since;
	live_say_seen(w);
}

/* BELFRY_ASKS_MS is for tests, which do not have so long. */
static usec_t asks_after(void)
{
	const char *text = getenv("BELFRY_ASKS_MS");

	return text ? (usec_t)strtoul(text, NULL, 10) * USEC_PER_MSEC : ASKS_AFTER;
}

/* A question that nobody has answered for a while is told to the person. */
static void tell_question(struct watched *w)
{
	usec_t left = w->verdict.since + asks_after() - w->facts.now;

	if (w->verdict.is != IS_BLOCKED) {
		w->asks_told = 0;
		return;
	}
	if (w->asks_told == w->verdict.since)
		return;
	if (left > 0) {
		if (!wakes_within(w, left))
			wake_in(w, left);
		return;
	}
	w->asks_told = w->verdict.since;
	live_say_asks(w);
}

/* What it has taken up of what stood in its line. */
static void settle_line(struct watched *w)
{
	usec_t at = w->lined_count ? line_judge(w) : USEC_NONE;

	if (at != USEC_NONE && !wakes_within(w, at - w->facts.now))
		wake_in(w, at - w->facts.now);
}

void watch_judge(struct watched *w)
{
	struct presence_verdict v = {0};

	journal_follow(w);
	see_transcript(w);
	judge(w, &v);
	uv_timer_stop(&w->timer);
	if (v.again_at != USEC_NONE)
		wake_in(w, v.again_at - w->facts.now);
	if (must_look(w, &v)) {
		look_when_allowed(w);
		return;
	}
	presence_follow(&w->verdict, &v, w->facts.now);
	if (is_news(w))
		tell(w);
	tell_question(w);
	settle_line(w);
	unsent_rests(w);
}

void watch_soon(struct watched *w)
{
	usec_t gap = look_in(w);

	if (gap < SOON)
		gap = SOON;
	if (!wakes_within(w, gap))
		wake_in(w, gap);
}

void watch_output(struct watched *w)
{
	w->facts.output_at = clock_now();
	watch_soon(w);
}

/* --- the screen --------------------------------------------------------------------------- */

static size_t count_lines(const char *text)
{
	size_t count = 1;

	while ((text = strchr(text, '\n'))) {
		count++;
		text++;
	}
	return count;
}

static const char *skip_lines(const char *text, size_t count)
{
	for (; count && (text = strchr(text, '\n')); count--)
		text++;
	return text ? text : "";
}

/* The next number of a line; false when there is none. */
static bool take_number(const char **at, long most, int *ret)
{
	char *end;
	long n = strtol(*at, &end, 10);

	if (end == *at || n < 0 || n > most)
		return false;
	*at = end;
	*ret = (int)n;
	return true;
}

/* What is between the bar that `at` is at and the next one, which is returned; NULL: there is none. */
static const char *take_word(const char *at, char **ret)
{
	const char *end = strchr(at + 1, '|');

	if (end) {
		free(*ret);
		*ret = mem_strndup(at + 1, (size_t)(end - at) - 1);
	}
	return end;
}

static void on_place(const char *output, size_t len, const char *error, void *data)
{
	struct watched *w = data;
	const char *at = output, *end;

	(void)len;
	if (error || !take_number(&at, ROWS_MAX, &w->cursor_x) ||
	    !take_number(&at, ROWS_MAX, &w->cursor_y) || !take_number(&at, ROWS_MAX, &w->height) ||
	    !take_number(&at, ROWS_MAX, &w->width) || !take_number(&at, PIDS_MAX, &w->pid) ||
	    !(end = strchr(at, '|')) || end < at + 2)
		return;
	free(w->tty);
	w->tty = mem_strndup(at + 1, (size_t)(end - at) - 2);
	at = end;
	if (!(end = strchr(at + 1, '|')))
		return;
	/* Our own connection is a client, too, but has no terminal. */
	w->is_watched = memmem(at, (size_t)(end - at), "/dev/", 5) != NULL;
	if (!(end = take_word(end, &w->views)) || !(end = take_word(end, &w->left)))
		return;
	mem_replace(&w->title, end[1] ? end + 2 : "");
}

/* "%3 0 1767225600" a line: who shows it, and when they last pressed a key. */
static void on_clients(const char *output, size_t len, const char *error, void *data)
{
	struct watched *w = data;
	size_t name = strlen(w->pane);

	(void)len;
	if (error)
		return;
	w->viewers = 0;
	w->key_at = 0;
	for (const char *line = output; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		int64_t at;

		if (strncmp(line, w->pane, name) != 0 || strncmp(line + name, " 0 ", 3) != 0)
			continue;
		w->viewers++;
		at = strtoll(line + name + 3, NULL, 10);
		w->key_at = at > w->key_at ? at : w->key_at;
	}
}

/* BELFRY_TITLE_MS is for tests, which do not have so long. */
static usec_t title_alone(void)
{
	const char *text = getenv("BELFRY_TITLE_MS");

	return text ? (usec_t)strtoul(text, NULL, 10) * USEC_PER_MSEC : TITLE_ALONE;
}

/*
 * A title may turn for something that is no work on what it was told: Codex's does until every server of its
 * tools has started. Work shows on the screen, too.
 */
static void doubt_title(struct watched *w, const char *screen)
{
	AUTO(free) char *plain = look_plain(screen);

	if (!w->shown || strcmp(w->shown, plain) != 0) {
		free(w->shown);
		w->shown = steal_ptr(&plain);
		w->shown_at = clock_monotonic();
	}
	if (w->look.by_title && clock_monotonic() - w->shown_at > title_alone())
		w->look.look = *w->look.typed ? LOOK_TYPED : LOOK_IDLE;
}

static void read_screen(struct watched *w, const char *output)
{
	size_t lines = count_lines(output);
	size_t above = w->height > 0 && lines > (size_t)w->height ? lines - (size_t)w->height : 0;

	mem_replace(&w->screen, output);
	w->screen_row = w->cursor_y + (int)above;
	look_fini(&w->look);
	w->look = (struct look){0};
	look_read(&w->adapter->live, w->title ? w->title : "", skip_lines(output, above),
		  w->cursor_x, w->cursor_y, &w->look);
	doubt_title(w, skip_lines(output, above));
	w->facts.look = w->look.look;
	w->facts.look_at = clock_now();
	/* What the first window of a server shows before we are connected is told by nobody. */
	if (w->facts.output_at == USEC_NONE && output[strspn(output, " \n")])
		w->facts.output_at = w->facts.look_at;
}

static void on_screen(const char *output, size_t len, const char *error, void *data)
{
	struct watched *w = data;
	uint64_t number = w->look_number;

	(void)len;
	w->looking = false;
	if (!error) {
		read_screen(w, output);
		/* First: typing goes by what it does. */
		watch_judge(w);
	} else {
		watch_soon(w);
	}
	if (w->look_again) {
		w->look_again = false;
		watch_look(w, w->deepest);
	}
	if (w->typing)
		typing_looked(w, error ? 0 : number);
}

static void ask_look(struct watched *w)
{
	char above[32];
	char *place[] = {(char[]){"display-message"},
			 (char[]){"-p"},
			 (char[]){"-t"},
			 w->pane,
			 (char[]){PLACE},
			 NULL};
	char *screen[] = {(char[]){"capture-pane"},
			  (char[]){"-e"},
			  (char[]){"-p"},
			  (char[]){"-t"},
			  w->pane,
			  (char[]){"-S"},
			  above,
			  NULL};

	char *clients[] = {(char[]){"list-clients"}, (char[]){"-F"}, (char[]){CLIENTS}, NULL};

	snprintf(above, sizeof(above), "%s%zu", w->depth ? "-" : "", w->depth);
	w->looking = true;
	w->looked_at = clock_monotonic();
	if (unsent_is_unknown(w))
		tmux_ask(w->l->tmux, clients, on_clients, w);
	/* Were something drawn in between, the cursor would be looked for where it was before. */
	tmux_ask_both(w->l->tmux, (char *const *const[]){place, screen},
		      (tmux_on_answer *const[]){on_place, on_screen}, w);
}

uint64_t watch_look(struct watched *w, size_t depth)
{
	if (w->looking) {
		w->deepest = w->look_again && w->deepest > depth ? w->deepest : depth;
		w->look_again = true;
		return w->look_number + 1;
	}
	w->depth = depth;
	w->look_number++;
	ask_look(w);
	return w->look_number;
}

/* --- life --------------------------------------------------------------------------------- */

void watch_begin(struct watched *w, usec_t started_at)
{
	w->facts = (struct presence_facts){.started_at = started_at,
					   .event_at = USEC_NONE,
					   .transcript_at = USEC_NONE,
					   .output_at = USEC_NONE,
					   .look_at = USEC_NONE,
					   .delivered_at = USEC_NONE};
	w->verdict = (struct presence_verdict){.is = IS_STARTING, .since = started_at};
	w->told = false;
	w->rest_wanted = true;
	/* Judged when it was looked at: who is found again and idle is not said to be starting. */
	watch_look(w, 0);
}

void watch_end(struct watched *w)
{
	uv_timer_stop(&w->timer);
	tmux_cancel(w->l->tmux, w);
	w->looking = w->look_again = false;
	look_fini(&w->look);
	w->look = (struct look){0};
	free(steal_ptr(&w->screen));
	free(steal_ptr(&w->shown));
	free(steal_ptr(&w->tty));
	w->pid = 0;
	free(steal_ptr(&w->title));
	free(steal_ptr(&w->transcript));
	unsent_fini(w);
}
