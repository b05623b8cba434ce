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
#include "daemon/tmux-link.h"
#include "daemon/tmux-set.h"

#define PROGRAM "tmux"
#define PANES_FORMAT "#{pane_id} #{pane_pid} #{window_name} #{pane_start_command}"
#define PAUSE_MS 1000
#define WORDS_MAX 64

static const char target[] = "=" TMUX_SESSION, target_window[] = "=" TMUX_SESSION ":";

enum stage { AWAY, CHECKING, JOINING, READY, CREATING, LATER };
enum ask_kind { ASK_WORDS, ASK_OPEN, ASK_PANES };

struct ask {
	struct ask *next;
	enum ask_kind kind;
	char **words; /* of the command; of ASK_OPEN, without the command's name */
	tmux_on_answer *on_answer;
	void *data;
};
struct asks {
	struct ask *first, **end;
};

struct pane {
	struct pane *next;
	char id[16];
};

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
	struct asks waiting, sent;
	struct ask *creating;
	struct pane *panes;
	uv_timer_t pause;
};

static void go_on(struct tmux *t);
static void join(struct tmux *t);

/* --- asks --------------------------------------------------------------------------------- */

static void asks_init(struct asks *a)
{
	a->first = NULL;
	a->end = &a->first;
}

static void asks_add(struct asks *a, struct ask *ask)
{
	ask->next = NULL;
	*a->end = ask;
	a->end = &ask->next;
}

static struct ask *asks_take(struct asks *a)
{
	struct ask *ask = a->first;

	if (!ask)
		return NULL;
	a->first = ask->next;
	if (!a->first)
		a->end = &a->first;
	return ask;
}

static struct ask *asks_take_open(struct asks *a)
{
	struct ask **slot = &a->first, *ask;

	while (*slot && (*slot)->kind != ASK_OPEN)
		slot = &(*slot)->next;
	ask = *slot;
	if (!ask)
		return NULL;
	*slot = ask->next;
	if (!*slot)
		a->end = slot;
	return ask;
}

static void ask_free(struct ask *ask)
{
	mem_free_list(ask->words);
	free(ask);
}

/* Takes the ask. */
static void answer(struct ask *ask, const char *output, size_t len, const char *error)
{
	if (ask->on_answer)
		ask->on_answer(output, len, error, ask->data);
	ask_free(ask);
}

/* Only those that are there now: an answer may make somebody ask again. */
static void fail_all(struct asks *a, const char *why)
{
	struct asks failed = *a;
	struct ask *ask;

	if (!a->first)
		return;
	asks_init(a);
	while ((ask = failed.first)) {
		failed.first = ask->next;
		answer(ask, NULL, 0, why);
	}
}

static struct ask *ask_new(enum ask_kind kind, tmux_on_answer *on_answer, void *data)
{
	struct ask *ask = mem_zalloc(sizeof(*ask));

	ask->kind = kind;
	ask->on_answer = on_answer;
	ask->data = data;
	return ask;
}

/* --- panes -------------------------------------------------------------------------------- */

static void remember_pane(struct tmux *t, const char *id, size_t len)
{
	struct pane *p = t->panes;

	if (len == 0 || len >= sizeof(p->id) || id[0] != '%')
		return;
	while (p && (strncmp(p->id, id, len) != 0 || p->id[len]))
		p = p->next;
	if (p)
		return;
	p = mem_zalloc(sizeof(*p));
	memcpy(p->id, id, len);
	p->next = t->panes;
	t->panes = p;
}

static bool is_listed(const char *id, const char *list)
{
	size_t len = strlen(id);

	for (const char *line = list; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, id, len) == 0 && line[len] == ' ')
			return true;
	}
	return false;
}

/* Everything that is there, as PANES_FORMAT. */
static void compare_panes(struct tmux *t, const char *list)
{
	struct pane *gone = NULL, *p;

	for (struct pane **slot = &t->panes; (p = *slot);) {
		if (is_listed(p->id, list)) {
			slot = &p->next;
			continue;
		}
		*slot = p->next;
		p->next = gone;
		gone = p;
	}
	for (const char *line = list; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		remember_pane(t, line, strcspn(line, " \n"));
	}
	while ((p = gone)) {
		gone = p->next;
		if (!t->closed)
			t->calls.on_closed(p->id, t->data);
		free(p);
	}
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

static void fail_waiting(struct tmux *t, const struct error *err)
{
	AUTO(free)
	char *why = err->hint[0] ? mem_printf("%s; %s", err->message, err->hint)
				 : mem_strdup(err->message);

	t->stage = AWAY;
	fail_all(&t->waiting, why);
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
	struct ask *ask = steal_ptr(&t->creating);
	bool opened = status == 0 && pane[0] == '%';

	drop_link(t);
	t->stage = AWAY;
	if (opened) {
		remember_pane(t, pane, strlen(pane));
		join(t);
		answer(ask, pane, strlen(pane), NULL);
	} else {
		answer(ask, NULL, 0, error);
	}
	go_on(t);
}

/* In arguments of the program itself, a semicolon at the end of one would end the command. */
static char *guarded(const char *word)
{
	size_t len = strlen(word);

	if (!len || word[len - 1] != ';' || strcmp(word, ";") == 0)
		return mem_strdup(word);
	return mem_printf("%.*s\\;", (int)(len - 1), word);
}

struct words {
	char *list[WORDS_MAX * 8];
	size_t count;
};

static void add_word(struct words *w, const char *word)
{
	if (w->count + 1 < sizeof(w->list) / sizeof(w->list[0]))
		w->list[w->count++] = mem_strdup(word);
}

static void add_words(struct words *w, const char *const *words)
{
	for (; *words; words++)
		add_word(w, *words);
}

static void free_words(struct words *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->list[i]);
}

static void create(struct tmux *t, struct ask *ask)
{
	static const struct tmux_link_calls calls = {on_printed, on_created};
	const char *const begin[] = {PROGRAM, "-u", "-S", t->name, "-f", "/dev/null", NULL};
	const char *const terminal[] = {"set-option", "-s", "default-terminal", tmux_terminal(),
					NULL};
	static const char *const session[] = {";", "new-session", "-d", "-s", TMUX_SESSION, NULL};
	struct words w = {0};
	struct error err = {0};

	add_words(&w, begin);
	add_words(&w, terminal);
	for (size_t i = 0; tmux_settings[i][0]; i++) {
		add_word(&w, ";");
		add_words(&w, tmux_settings[i]);
	}
	add_words(&w, session);
	for (char **p = ask->words; *p; p++) {
		AUTO(free) char *word = guarded(*p);

		add_word(&w, word);
	}
	t->stage = CREATING;
	t->creating = ask;
	if (start(t, w.list, &calls, &err) < 0) {
		t->creating = NULL;
		asks_add(&t->waiting, ask);
		fail_waiting(t, &err);
	}
	free_words(&w);
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

static void send_ask(struct tmux *t, struct ask *ask)
{
	static const char *const open[] = {"new-window", "-d", "-t", target_window, NULL};
	static const char *const panes[] = {"list-panes", "-s",		"-t", target,
					    "-F",	  PANES_FORMAT, NULL};
	AUTO_BUF struct buf line = {0};

	if (ask->kind == ASK_OPEN)
		add_line(&line, open);
	if (ask->kind == ASK_PANES)
		add_line(&line, panes);
	else
		add_line(&line, (const char *const *)ask->words);
	buf_add_char(&line, '\n');
	asks_add(&t->sent, ask);
	tmux_link_write(t->link, line.data, line.len);
}

static void send_words(struct tmux *t, const char *const *words)
{
	struct ask *ask = ask_new(ASK_WORDS, NULL, NULL);

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
	send_ask(t, ask_new(ASK_PANES, NULL, NULL));
}

static void take_answer(struct tmux *t, const struct tmux_item *item)
{
	struct ask *ask = asks_take(&t->sent);

	if (!ask)
		return;
	t->losses = 0;
	if (ask->kind == ASK_PANES && !ask->on_answer)
		t->listing = false;
	if (ask->kind == ASK_OPEN && !item->failed)
		remember_pane(t, item->text, item->len);
	if (ask->kind == ASK_PANES && !item->failed)
		compare_panes(t, item->text);
	answer(ask, item->failed ? NULL : item->text, item->failed ? 0 : item->len,
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
	struct ask *ask = ask_new(ASK_WORDS, on_clients, t);

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

/* What waits and is no window to open. */
static void answer_without_server(struct tmux *t, bool nothing_there, const char *why)
{
	struct asks waiting = t->waiting;
	struct ask *ask;

	if (!waiting.first)
		return;
	asks_init(&t->waiting);
	while ((ask = waiting.first)) {
		waiting.first = ask->next;
		if (ask->kind == ASK_PANES && nothing_there)
			answer(ask, "", 0, NULL);
		else
			answer(ask, NULL, 0, why);
	}
}

static void not_joined(struct tmux *t, const char *said)
{
	bool nothing_there = says_nothing_there(said);
	AUTO(free)
	char *why = nothing_there ? mem_strdup("no live session is open")
				  : mem_printf("tmux: %s", said);
	struct ask *open = asks_take_open(&t->waiting);

	t->stage = AWAY;
	if (open) {
		create(t, open);
	} else {
		/* A server that is there and refuses us: it may let us in later. */
		if (!nothing_there && t->panes) {
			t->stage = LATER;
			uv_timer_again(&t->pause);
		}
		answer_without_server(t, nothing_there, why);
	}
	if (nothing_there)
		compare_panes(t, "");
}

static void lose(struct tmux *t, const char *said)
{
	AUTO(free)
	char *why = mem_printf("the connection to tmux was lost%s%s", *said ? ": " : "", said);

	t->stage = LATER;
	t->listing = t->list_again = false;
	fail_all(&t->sent, why);
	t->calls.on_lost(why, t->data);
	t->losses++;
	if (t->stage != LATER)
		return; /* who was told so has asked again, which joined */
	if (t->losses > 1)
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
		PROGRAM,	  "-u", "-N",	"-S", t->name,	     "-f", "/dev/null", "-C",
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
	const char *const words[] = {PROGRAM, "-V", NULL};
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
	struct ask *ask;

	if (t->closed)
		return;
	while (t->stage == READY && (ask = asks_take(&t->waiting)))
		send_ask(t, ask);
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

static void add(struct tmux *t, struct ask *ask)
{
	asks_add(&t->waiting, ask);
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
	struct ask *ask = ask_new(ASK_OPEN, on_answer, data);
	size_t n = 8;

	for (; *argv && n + 1 < WORDS_MAX; argv++)
		words[n++] = *argv;
	ask->words = mem_strdup_list(words);
	add(t, ask);
}

void tmux_ask(struct tmux *t, char *const *words, tmux_on_answer *on_answer, void *data)
{
	struct ask *ask = ask_new(ASK_WORDS, on_answer, data);

	ask->words = mem_strdup_list((const char *const *)words);
	add(t, ask);
}

static void on_nobody(const char *output, size_t len, const char *error, void *data)
{
	(void)output, (void)len, (void)error, (void)data;
}

void tmux_panes(struct tmux *t, tmux_on_answer *on_answer, void *data)
{
	add(t, ask_new(ASK_PANES, on_answer ? on_answer : on_nobody, data));
}

static void cancel(struct ask *ask, const void *data)
{
	for (; ask; ask = ask->next)
		if (ask->on_answer && ask->data == data)
			ask->on_answer = on_nobody;
}

void tmux_cancel(struct tmux *t, const void *data)
{
	cancel(t->waiting.first, data);
	cancel(t->sent.first, data);
	if (t->creating && t->creating->data == data)
		t->creating->on_answer = on_nobody;
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
	asks_init(&t->waiting);
	asks_init(&t->sent);
	uv_timer_init(loop, &t->pause);
	uv_timer_start(&t->pause, on_pause_over, PAUSE_MS, PAUSE_MS);
	uv_timer_stop(&t->pause);
	t->pause.data = t;
	return t;
}

void tmux_close(struct tmux *t)
{
	t->closed = true;
	tmux_link_close(t->link);
	t->link = NULL;
	uv_close((uv_handle_t *)&t->pause, NULL);
}

static void free_asks(struct asks *a)
{
	struct ask *ask;

	while ((ask = asks_take(a)))
		ask_free(ask);
}

void tmux_free(struct tmux *t)
{
	struct pane *p;

	free_asks(&t->waiting);
	free_asks(&t->sent);
	if (t->creating)
		ask_free(t->creating);
	while ((p = t->panes)) {
		t->panes = p->next;
		free(p);
	}
	tmux_reader_fini(&t->reader);
	buf_fini(&t->printed);
	free(t->refusal);
	free(t->folder);
	free(t->name);
	free(t);
}
