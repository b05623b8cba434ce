/*
 * tmux.c: the private tmux server, in control mode.
 *
 *	AWAY      no connection; one is made as soon as something is asked
 *	CHECKING  `tmux -V`, once: is it there, and new enough?
 *	JOINING   `tmux -C attach-session`, which never starts a server
 *	READY     what is asked is written, and answered in the same order
 *	CREATING  there was no server: `tmux new-session` with the first window that was asked for;
 *	          then JOINING again
 *	LATER     the connection was lost again right after it was made: a pause
 *
 * A lost connection is made again while there are panes that we know of. Whether one of them is
 * there no more is found by one list whenever tmux says that something of the kind happened, instead
 * of by its many notifications: those tell of windows, and a person may have divided one.
 *
 * tmux makes its server a session of its own below init, so it outlives us and our process group.
 */
#include "daemon/tmux.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "agent/tmux-control.h"
#include "base/log.h"
#include "base/mem.h"
#include "daemon/tmux-asks.h"
#include "daemon/tmux-link.h"
#include "daemon/tmux-panes.h"
#include "daemon/tmux-set.h"

#define PANES_FORMAT "#{pane_id} #{pane_pid} #{window_name} #{pane_start_command}"
#define PAUSE_MS 1000
#define LEAVE_MS 1000 /* a server that does not answer is left all the same */
#define LOSSES_MAX 3
#define WORDS_MAX 64

static const char target[] = "=" TMUX_SESSION, target_window[] = "=" TMUX_SESSION ":";

enum stage { AWAY, CHECKING, JOINING, READY, CREATING, LATER };

struct tmux {
	uv_loop_t *loop;
	char *folder, *name; /* of the socket */
	mode_t mask;
	struct tmux_calls calls;
	void *data;
	enum stage stage;
	bool checked, closed;
	bool listing, list_again; /* the list of ours, for what has closed */
	unsigned losses;	  /* without an answer in between */
	struct tmux_link *link;
	struct tmux_reader reader;
	struct buf printed; /* by a command that is no connection */
	char *refusal;	    /* why the connection was not made */
	struct tmux_asks waiting, sent;
	struct tmux_asks
		failing; /* about to be told so; whoever is told may cancel others of them */
	struct tmux_asked *creating;
	struct tmux_panes panes;
	uv_timer_t pause;
};

static void go_on(struct tmux *t);
static void join(struct tmux *t);

/* --- panes -------------------------------------------------------------------------------- */

static void on_pane_gone(const char *id, void *data)
{
	const struct tmux *t = data;

	if (!t->closed)
		t->calls.on_closed(id, t->data);
}

/* Everything that is there, as PANES_FORMAT. */
static void compare_panes(struct tmux *t, const char *list)
{
	tmux_panes_compare(&t->panes, list, on_pane_gone, t);
}

/* --- processes ---------------------------------------------------------------------------- */

static int start(struct tmux *t, char *const *argv, const struct tmux_link_calls *calls,
		 struct error *err)
{
	char **environment = tmux_environment();
	struct tmux_link_order order = {
		.argv = argv, .environment = environment, .folder = t->folder, .mask = t->mask};
	int r = tmux_link_start(t->loop, &order, calls, t, &t->link, err);

	free(environment);
	return r;
}

static void drop_link(struct tmux *t)
{
	tmux_link_close(t->link);
	t->link = NULL;
	buf_clear(&t->printed);
	tmux_reader_fini(&t->reader);
	t->reader = (struct tmux_reader){0};
}

/* Only those that are there now: an answer may make somebody ask again. */
static void fail_all(struct tmux *t, struct tmux_asks *a, const char *why)
{
	struct tmux_asked *ask;

	tmux_asks_move(a, &t->failing);
	while ((ask = tmux_asks_take(&t->failing)))
		tmux_asked_answer(ask, NULL, 0, why);
}

static void fail_waiting(struct tmux *t, const struct error *err)
{
	AUTO(free)
	char *why = err->hint[0] ? mem_printf("%s; %s", err->message, err->hint)
				 : mem_strdup(err->message);

	t->stage = AWAY;
	fail_all(t, &t->waiting, why);
}

static void on_printed(const char *bytes, size_t len, void *data)
{
	struct tmux *t = data;

	if (t->printed.len + len < TMUX_ANSWER_MAX)
		buf_add(&t->printed, bytes, len);
}

/* Without white space around it, for people. */
static char *trimmed(const char *text)
{
	size_t len;

	text += strspn(text, " \r\n\t");
	for (len = strlen(text); len && strchr(" \r\n\t", text[len - 1]); len--)
		;
	return mem_strndup(text, len);
}

/* --- CREATING ----------------------------------------------------------------------------- */

static void on_created(int status, const char *complaint, void *data)
{
	struct tmux *t = data;
	AUTO(free) char *pane = trimmed(buf_text(&t->printed)), *why = trimmed(complaint);
	AUTO(free) char *error = mem_printf("tmux: %s", *why ? why : "it opened no window");
	struct tmux_asked *ask = steal_ptr(&t->creating);
	bool opened = status == 0 && pane[0] == '%';

	drop_link(t);
	t->stage = AWAY;
	if (opened) {
		tmux_panes_add(&t->panes, pane, strlen(pane));
		join(t);
		tmux_asked_answer(ask, pane, strlen(pane), NULL);
	} else {
		tmux_asked_answer(ask, NULL, 0, error);
	}
	go_on(t);
}

static void create(struct tmux *t, struct tmux_asked *ask)
{
	static const struct tmux_link_calls calls = {on_printed, on_created};
	char **argv = tmux_create_command(t->name, ask->words);
	struct error err = {0};

	t->stage = CREATING;
	t->creating = ask;
	if (start(t, argv, &calls, &err) < 0) {
		t->creating = NULL;
		tmux_asks_add(&t->waiting, ask);
		fail_waiting(t, &err);
	}
	mem_free_list(argv);
}

/* --- READY -------------------------------------------------------------------------------- */

static void add_line(struct buf *line, const char *const *words)
{
	for (; *words; words++) {
		if (line->len && line->data[line->len - 1] != '\n')
			buf_add_char(line, ' ');
		tmux_quote(line, *words);
	}
}

/* Adds its line to *lines, which is to be written next. */
static void put_ask(struct tmux *t, struct tmux_asked *ask, struct buf *lines)
{
	static const char *const open[] = {"new-window", "-d", "-t", target_window, NULL};
	static const char *const panes[] = {"list-panes", "-s",		"-t", target,
					    "-F",	  PANES_FORMAT, NULL};

	if (ask->kind == ASK_OPEN)
		add_line(lines, open);
	if (ask->kind == ASK_PANES)
		add_line(lines, panes);
	else
		add_line(lines, (const char *const *)ask->words);
	buf_add_char(lines, '\n');
	tmux_asks_add(&t->sent, ask);
}

static void send_ask(struct tmux *t, struct tmux_asked *ask)
{
	AUTO_BUF struct buf line = {0};

	put_ask(t, ask, &line);
	tmux_link_write(t->link, line.data, line.len);
}

static void send_words(struct tmux *t, const char *const *words)
{
	struct tmux_asked *ask = tmux_asked_new(ASK_WORDS, NULL, NULL);

	ask->words = mem_strdup_list(words);
	send_ask(t, ask);
}

/* A server that was started by an older daemon gets our settings, and our environment. */
static void set_up(struct tmux *t)
{
	char **environment = tmux_environment();

	for (size_t i = 0; tmux_settings[i][0]; i++)
		send_words(t, tmux_settings[i]);
	for (char **p = environment; *p; p++) {
		size_t len = strcspn(*p, "=");
		AUTO(free) char *name = mem_strndup(*p, len);
		const char *words[] = {
			"set-environment", "-g", "--", name, (*p)[len] ? *p + len + 1 : "", NULL};

		if (len)
			send_words(t, words);
	}
	free(environment);
}

static void list_own(struct tmux *t)
{
	t->list_again = t->listing;
	if (t->listing)
		return;
	t->listing = true;
	send_ask(t, tmux_asked_new(ASK_PANES, NULL, NULL));
}

static void take_answer(struct tmux *t, const struct tmux_item *item)
{
	struct tmux_asked *ask = tmux_asks_take(&t->sent);

	if (!ask)
		return;
	t->losses = 0;
	if (ask->kind == ASK_PANES && !ask->on_answer)
		t->listing = false;
	if (ask->kind == ASK_OPEN && !item->failed)
		tmux_panes_add(&t->panes, item->text, item->len);
	if (ask->kind == ASK_PANES && !item->failed)
		compare_panes(t, item->text);
	tmux_asked_answer(ask, item->failed ? NULL : item->text, item->failed ? 0 : item->len,
			  item->failed ? item->text : NULL);
	if (t->list_again && !t->listing && t->stage == READY)
		list_own(t);
}

/* "1 PID SESSION" is a connection in control mode: to our session there is only ours. */
static void kill_stale(const struct tmux *t, const char *line)
{
	AUTO(free) char *text = mem_strndup(line, strcspn(line, "\n"));
	char *end;
	long pid = strncmp(text, "1 ", 2) == 0 ? strtol(text + 2, &end, 10) : 0;

	if (pid > 1 && pid != tmux_link_pid(t->link) && strcmp(end, " " TMUX_SESSION) == 0)
		kill((pid_t)pid, SIGKILL);
}

static void on_clients(const char *output, size_t len, const char *error, void *data)
{
	const struct tmux *t = data;

	(void)len;
	if (error || !t->link)
		return;
	for (const char *line = output; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		kill_stale(t, line);
	}
}

/* A daemon that was killed may have left one behind, for which the server keeps what is shown. */
static void end_stale_connections(struct tmux *t)
{
	static const char *const words[] = {
		"list-clients", "-F", "#{client_control_mode} #{client_pid} #{session_name}", NULL};
	struct tmux_asked *ask = tmux_asked_new(ASK_WORDS, on_clients, t);

	ask->words = mem_strdup_list(words);
	send_ask(t, ask);
}

static void become_ready(struct tmux *t)
{
	t->stage = READY;
	t->listing = t->list_again = false;
	end_stale_connections(t);
	set_up(t);
	list_own(t);
	go_on(t);
}

/* --- leaving ------------------------------------------------------------------------------ */

static void leave(struct tmux *t)
{
	tmux_link_close(steal_ptr(&t->link));
	if (!uv_is_closing((uv_handle_t *)&t->pause))
		uv_close((uv_handle_t *)&t->pause, NULL);
}

static void on_leave_late(uv_timer_t *timer)
{
	leave(timer->data);
}

static void on_item(const struct tmux_item *item, void *data)
{
	struct tmux *t = data;

	if (t->closed || !t->link)
		return;
	switch (item->kind) {
	case TMUX_ANSWER:
		if (item->ours)
			take_answer(t, item);
		else if (t->stage == JOINING && item->failed)
			mem_replace(&t->refusal, item->text);
		else if (t->stage == JOINING)
			become_ready(t);
		break;
	case TMUX_OUTPUT:
		t->calls.on_output(item->text, t->data);
		break;
	case TMUX_CHANGED:
		if (t->stage == READY)
			list_own(t);
		break;
	case TMUX_EXIT:
		if (item->len)
			mem_replace(&t->refusal, item->text);
		break;
	}
}

/* --- JOINING ------------------------------------------------------------------------------ */

/* What tmux says when there is no server, or it has no session of ours. */
static bool says_nothing_there(const char *why)
{
	static const char *const words[] = {"no server running",  "No such file or directory",
					    "Connection refused", "can't find session",
					    "no sessions",	  "server exited"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(why, words[i]))
			return true;
	return false;
}

bool tmux_was_ending(const char *error)
{
	static const char *const words[] = {"no current target", "can't find session",
					    "no sessions",	 "no server running",
					    "server exited",	 "lost server",
					    "no live session",	 "connection to tmux was lost"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(error, words[i]))
			return true;
	return false;
}

/* What waits and is no window to open. */
static void answer_without_server(struct tmux *t, bool nothing_there, const char *why)
{
	struct tmux_asked *ask;

	tmux_asks_move(&t->waiting, &t->failing);
	while ((ask = tmux_asks_take(&t->failing))) {
		if (ask->kind == ASK_PANES && nothing_there)
			tmux_asked_answer(ask, "", 0, NULL);
		else
			tmux_asked_answer(ask, NULL, 0, why);
	}
}

static void not_joined(struct tmux *t, const char *said)
{
	bool nothing_there = says_nothing_there(said);
	AUTO(free)
	char *why = nothing_there ? mem_strdup("no live session is open")
				  : mem_printf("tmux: %s", said);
	struct tmux_asked *open = tmux_asks_take_open(&t->waiting);

	t->stage = AWAY;
	if (open) {
		create(t, open);
	} else {
		/* A server that is there and refuses us: it may let us in later. */
		if (!nothing_there && t->panes.first) {
			t->stage = LATER;
			uv_timer_again(&t->pause);
		}
		answer_without_server(t, nothing_there, why);
	}
	if (nothing_there)
		compare_panes(t, "");
}

/*
 * The server ends with its last window, and that may be while somebody wants to open the next one.
 * Lists can be asked for again, by the next connection or when it is clear that there is none.
 */
static void take_back_lists(struct tmux *t)
{
	struct tmux_asks kept;
	struct tmux_asked *ask;

	tmux_asks_init(&kept);
	while ((ask = tmux_asks_take(&t->sent))) {
		bool again = ask->kind == ASK_PANES && ask->on_answer && ask->losses++ < LOSSES_MAX;

		tmux_asks_add(again ? &t->waiting : &kept, ask);
	}
	tmux_asks_move(&kept, &t->sent);
}

static void lose(struct tmux *t, const char *said)
{
	AUTO(free)
	char *why = mem_printf("the connection to tmux was lost%s%s", *said ? ": " : "", said);

	t->stage = LATER;
	t->listing = t->list_again = false;
	take_back_lists(t);
	fail_all(t, &t->sent, why);
	t->calls.on_lost(why, t->data);
	if (t->stage != LATER) /* an answer made somebody ask: it is being made already */
		return;
	if (t->losses++)
		uv_timer_again(&t->pause);
	else
		join(t);
}

static void on_link_end(int status, const char *complaint, void *data)
{
	struct tmux *t = data;
	AUTO(free) char *said = trimmed(*complaint || !t->refusal ? complaint : t->refusal);
	bool was_ready = t->stage == READY;

	(void)status;
	if (t->closed) {
		leave(t);
		return;
	}
	drop_link(t);
	free(steal_ptr(&t->refusal));
	if (was_ready)
		lose(t, said);
	else
		not_joined(t, said);
}

static void on_bytes(const char *bytes, size_t len, void *data)
{
	struct tmux *t = data;

	tmux_reader_feed(&t->reader, bytes, len, on_item, t);
}

static void join(struct tmux *t)
{
	static const struct tmux_link_calls calls = {on_bytes, on_link_end};
	const char *const words[] = {
		TMUX_PROGRAM,	  "-u", "-N",	"-S", t->name,	     "-f", "/dev/null", "-C",
		"attach-session", "-t", target, "-f", "ignore-size", NULL};
	char **argv = mem_strdup_list(words);
	struct error err = {0};

	t->stage = JOINING;
	if (start(t, argv, &calls, &err) < 0)
		fail_waiting(t, &err);
	mem_free_list(argv);
}

static void on_pause_over(uv_timer_t *timer)
{
	struct tmux *t = timer->data;

	uv_timer_stop(timer);
	if (t->stage == LATER)
		join(t);
}

/* --- CHECKING ----------------------------------------------------------------------------- */

static void on_checked(int status, const char *complaint, void *data)
{
	struct tmux *t = data;
	AUTO(free) char *version = trimmed(buf_text(&t->printed)), *said = trimmed(complaint);
	struct error err = {0};

	drop_link(t);
	t->checked = status == 0 && tmux_version_ok(version);
	if (t->checked) {
		join(t);
		return;
	}
	if (status == 0)
		error_set(&err, ERR_UNAVAILABLE, "'%s' is too old for live agents", version);
	else
		error_set(&err, ERR_UNAVAILABLE, "'tmux -V' failed: %s", said);
	error_hint(&err, "install tmux 3.2 or newer");
	fail_waiting(t, &err);
}

static void check(struct tmux *t)
{
	static const struct tmux_link_calls calls = {on_printed, on_checked};
	const char *const words[] = {TMUX_PROGRAM, "-V", NULL};
	char **argv = mem_strdup_list(words);
	struct error err = {0};

	t->stage = CHECKING;
	if (start(t, argv, &calls, &err) < 0)
		fail_waiting(t, &err);
	mem_free_list(argv);
}

/* --- what is asked ------------------------------------------------------------------------ */

static void go_on(struct tmux *t)
{
	AUTO_BUF struct buf lines = {0};
	struct tmux_asked *ask;

	if (t->closed)
		return;
	/* By one write: what tmux finds there together it does before it reads on what panes show. */
	while (t->stage == READY && (ask = tmux_asks_take(&t->waiting)))
		put_ask(t, ask, &lines);
	if (lines.len)
		tmux_link_write(t->link, lines.data, lines.len);
	if (t->stage == LATER && t->waiting.first) {
		uv_timer_stop(&t->pause);
		join(t);
	}
	if (t->stage != AWAY || !t->waiting.first)
		return;
	if (t->checked)
		join(t);
	else
		check(t);
}

static void add(struct tmux *t, struct tmux_asked *ask)
{
	tmux_asks_add(&t->waiting, ask);
	go_on(t);
}

/* A folder may have '#' in its name, which begins a format. */
static char *plain_format(const char *text)
{
	struct buf b = {0};

	for (; *text; text++) {
		if (*text == '#')
			buf_add_char(&b, '#');
		buf_add_char(&b, *text);
	}
	return buf_steal(&b);
}

void tmux_open(struct tmux *t, const char *name, const char *directory, char *const *argv,
	       tmux_on_answer *on_answer, void *data)
{
	AUTO(free) char *folder = plain_format(directory);
	const char *words[WORDS_MAX] = {"-n", name, "-c", folder, "-P", "-F", "#{pane_id}", "--"};
	struct tmux_asked *ask = tmux_asked_new(ASK_OPEN, on_answer, data);
	size_t n = 8;

	for (; *argv && n + 1 < WORDS_MAX; argv++)
		words[n++] = *argv;
	ask->words = mem_strdup_list(words);
	add(t, ask);
}

void tmux_ask(struct tmux *t, char *const *words, tmux_on_answer *on_answer, void *data)
{
	struct tmux_asked *ask = tmux_asked_new(ASK_WORDS, on_answer, data);

	ask->words = mem_strdup_list((const char *const *)words);
	add(t, ask);
}

void tmux_ask_both(struct tmux *t, char *const *const words[2], tmux_on_answer *const on_answer[2],
		   void *data)
{
	for (int i = 0; i < 2; i++) {
		struct tmux_asked *ask = tmux_asked_new(ASK_WORDS, on_answer[i], data);

		ask->words = mem_strdup_list((const char *const *)words[i]);
		tmux_asks_add(&t->waiting, ask);
	}
	go_on(t);
}

void tmux_panes(struct tmux *t, tmux_on_answer *on_answer, void *data)
{
	add(t, tmux_asked_new(ASK_PANES, on_answer ? on_answer : tmux_asked_nobody, data));
}

void tmux_cancel(struct tmux *t, const void *data)
{
	tmux_asks_cancel(&t->waiting, data);
	tmux_asks_cancel(&t->sent, data);
	tmux_asks_cancel(&t->failing, data);
	tmux_asked_cancel(t->creating, data);
}

/* --- life --------------------------------------------------------------------------------- */

struct tmux *tmux_new(uv_loop_t *loop, const char *socket, mode_t mask,
		      const struct tmux_calls *calls, void *data)
{
	struct tmux *t = mem_zalloc(sizeof(*t));
	const char *slash = strrchr(socket, '/');

	t->loop = loop;
	t->folder = slash > socket ? mem_strndup(socket, (size_t)(slash - socket))
				   : mem_strdup(slash ? "/" : ".");
	t->name = mem_strdup(slash ? slash + 1 : socket);
	t->mask = mask;
	t->calls = *calls;
	t->data = data;
	tmux_asks_init(&t->waiting);
	tmux_asks_init(&t->sent);
	tmux_asks_init(&t->failing);
	uv_timer_init(loop, &t->pause);
	uv_timer_start(&t->pause, on_pause_over, PAUSE_MS, PAUSE_MS);
	uv_timer_stop(&t->pause);
	t->pause.data = t;
	return t;
}

/*
 * tmux 3.3a may crash, and every session with it, when a connection is killed while something it asked
 * for is not done, or much is shown; an end of file is no better. So it is asked to let us go, which
 * comes after all that was asked.
 */
void tmux_close(struct tmux *t)
{
	static const char bye[] = "detach-client\n";

	t->closed = true;
	uv_timer_stop(&t->pause);
	if (!t->link || (t->stage != READY && t->stage != JOINING)) {
		leave(t);
		return;
	}
	tmux_link_write(t->link, bye, sizeof(bye) - 1);
	uv_update_time(t->loop);
	uv_timer_start(&t->pause, on_leave_late, LEAVE_MS, 0);
}

void tmux_free(struct tmux *t)
{
	tmux_asks_fini(&t->waiting);
	tmux_asks_fini(&t->sent);
	tmux_asks_fini(&t->failing);
	if (t->creating)
		tmux_asked_free(t->creating);
	tmux_panes_fini(&t->panes);
	tmux_reader_fini(&t->reader);
	buf_fini(&t->printed);
	free(t->refusal);
	free(t->folder);
	free(t->name);
	free(t);
}
