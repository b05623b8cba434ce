/*
 * live.c: live agents as the daemon sees them: which window is whose, and what the turn is told.
 *
 * A window is found by its name, which is the agent's, and by the pane that the row has. So what is to
 * be opened is looked for first: a daemon that died after opening it, and before the commit that says
 * so, must not open a second one. All that look at the same time share one list.
 *
 * A window that is older than the wish for it is not ours to go on in: its session is of a store that was since put
 * back. It is closed, and its process waited for, before another is opened. Such windows are looked for once, when
 * a daemon begins, and told.
 *
 * That a window has closed is told a moment later, for it mostly closed since its process ended, and
 * the end of that run says why.
 */
#include "daemon/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "config/path.h"
#include "daemon/live-parts.h"
#include "engine/live.h"

#define CLOSED_WAIT_MS 500
#define RETRY_MS 5000
#define OPEN_AGAIN_MS 100
#define OPENS_MAX 3
#define ENDING_MAX (10 * USEC_PER_SEC) /* so long a server may take to end, on a busy machine */
#define STRANGERS_MS 1000	       /* after the beginning: by then what is known is watched */
#define OLDER USEC_PER_SEC	       /* than the wish for it: not opened for that */
#define ASKS_LINES 16		       /* of a question, for the person */

enum input_kind {
	SAID_OPENED,
	SAID_LOST,
	SAID_SEEN,
	SAID_TYPED,
	SAID_ASKS,
	SAID_TAKEN,
	SAID_RETURNED,
	SAID_UNTAKEN,
	SAID_SESSION,
	SAID_STRANGER
};
struct live_input {
	struct live_input *next;
	enum input_kind kind;
	char *agent;
	/* the pane, why it is lost, the evidence, why it was not typed, the screen, the message or the
	 * conversation; may be NULL */
	char *text;
	char *why; /* of SAID_UNTAKEN */
	enum presence_is is;
	usec_t since;
	int64_t message;
};

/* --- inputs of the turn ------------------------------------------------------------------- */

static void input_free(struct live_input *in)
{
	free(in->agent);
	free(in->text);
	free(in->why);
	free(in);
}

/* Those of a kind, of one agent or (NULL) of all, are not said after all. */
static void unsay(struct lives *l, enum input_kind kind, const char *agent)
{
	struct live_input **slot = &l->inputs, *in;

	while ((in = *slot)) {
		if (in->kind == kind && (!agent || strcmp(in->agent, agent) == 0)) {
			*slot = in->next;
			input_free(in);
		} else {
			slot = &in->next;
		}
	}
	l->inputs_end = slot;
}

static struct live_input *say(struct watched *w, enum input_kind kind, const char *text)
{
	struct lives *l = w->l;
	struct live_input *in = mem_zalloc(sizeof(*in));

	in->kind = kind;
	in->agent = mem_strdup(w->agent);
	in->text = mem_strdup(text);
	*l->inputs_end = in;
	l->inputs_end = &in->next;
	l->on_input(l->data);
	return in;
}

/* Only the last counts: while the store rests they would pile up. */
void live_say_seen(struct watched *w)
{
	struct live_input *in;

	unsay(w->l, SAID_SEEN, w->agent);
	in = say(w, SAID_SEEN, w->verdict.evidence);
	in->is = w->verdict.is;
	in->since = w->verdict.since;
}

void live_say_typed(struct watched *w, int64_t message, const char *error)
{
	say(w, SAID_TYPED, error)->message = message;
}

void live_say_taken(struct watched *w, const char *message)
{
	say(w, SAID_TAKEN, message);
}

void live_say_returned(struct watched *w, const char *message)
{
	say(w, SAID_RETURNED, message);
}

void live_say_untaken(struct watched *w, const char *message, const char *why)
{
	say(w, SAID_UNTAKEN, message)->why = mem_strdup(why);
}

void live_say_session(struct watched *w, const char *session)
{
	say(w, SAID_SESSION, session);
}

/* The last lines of what it shows, without those that are empty. */
void live_say_asks(struct watched *w)
{
	AUTO(free) char *plain = look_plain(w->screen ? w->screen : "");
	const char *from = plain + strlen(plain);
	AUTO_BUF struct buf words = {0};

	for (int lines = 0; from > plain && lines < ASKS_LINES; from--)
		lines += from[-1] == '\n' && from - 2 >= plain && from[-2] != '\n';
	for (const char *line = from; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (*line != '\n')
			buf_printf(&words, "%s%.*s", words.len ? "\n" : "",
				   (int)strcspn(line, "\n"), line);
	say(w, SAID_ASKS, buf_text(&words));
}

static int decide_one(const struct live_input *in, struct engine *e, usec_t now, struct error *err)
{
	static const enum presence states[] = {[IS_STARTING] = PRESENCE_STARTING,
					       [IS_IDLE] = PRESENCE_IDLE,
					       [IS_BUSY] = PRESENCE_BUSY,
					       [IS_BLOCKED] = PRESENCE_BLOCKED};
	const struct job_end typed = {
		.kind = JOB_TYPE, .key = in->message, .start_error = in->text, .output_tail = ""};

	switch (in->kind) {
	case SAID_OPENED:
		return engine_live_opened(e, in->agent, in->text, now, err);
	case SAID_LOST:
		return engine_live_lost(e, in->agent, in->text, now, err);
	case SAID_SEEN:
		return engine_live_seen(e, in->agent, states[in->is], in->text, in->since, now,
					err);
	case SAID_TYPED:
		return engine_job_ended(e, now, &typed, err);
	case SAID_ASKS:
		return engine_live_asks(e, in->agent, in->text, now, err);
	case SAID_TAKEN:
		return engine_live_taken(e, in->agent, in->text, now, err);
	case SAID_RETURNED:
		return engine_live_returned(e, in->agent, in->text, now, err);
	case SAID_UNTAKEN:
		return engine_live_untaken(e, in->agent, in->text, in->why, now, err);
	case SAID_SESSION:
		return engine_live_session(e, in->agent, in->text, now, err);
	case SAID_STRANGER:
		return engine_live_stranger(e, in->agent, now, err);
	}
	return 0;
}

int lives_decide(struct lives *l, struct engine *e, usec_t now, struct error *err)
{
	for (const struct live_input *in = l->inputs; in; in = in->next) {
		int r = decide_one(in, e, now, err);

		if (r == ERR_UNAVAILABLE || r == ERR_SYSTEM)
			return r;
		/* It is not known any more, or not in that state: that is no failure of the store. */
		if (r < 0)
			log_warning("agent %s: %s", in->agent, err->message);
	}
	return 0;
}

void lives_committed(struct lives *l)
{
	struct live_input *in;

	while ((in = l->inputs)) {
		l->inputs = in->next;
		input_free(in);
	}
	l->inputs_end = &l->inputs;
}

/* --- agents ------------------------------------------------------------------------------- */

static struct watched *find(const struct lives *l, const char *agent)
{
	struct watched *w = l->all;

	while (w && strcmp(w->agent, agent) != 0)
		w = w->next;
	return w;
}

static struct watched *find_pane(const struct lives *l, const char *pane)
{
	struct watched *w = l->all;

	while (w && !(w->pane && strcmp(w->pane, pane) == 0 && w->stage == THERE))
		w = w->next;
	return w;
}

static struct watched *watched_new(struct lives *l, const struct job *job)
{
	struct watched *w = mem_zalloc(sizeof(*w));

	w->l = l;
	w->agent = mem_strdup(job->live->agent);
	w->directory = mem_strdup(job->directory ? job->directory : "/");
	uv_timer_init(l->loop, &w->timer);
	uv_fs_event_init(l->loop, &w->follower);
	w->timer.data = w->follower.data = w;
	w->open = 2;
	w->next = l->all;
	l->all = w;
	return w;
}

static void on_handle_closed(uv_handle_t *handle)
{
	struct watched *w = handle->data;

	if (--w->open)
		return;
	free(w->agent);
	free(w->pane);
	free(w->mission);
	free(w->directory);
	if (w->adapter)
		adapter_free(w->adapter);
	buf_fini(&w->journal_rest);
	free(w->draft);
	free(w->yielded);
	free(w);
}

static void forget(struct watched *w)
{
	struct watched **slot = &w->l->all;

	while (*slot != w)
		slot = &(*slot)->next;
	*slot = w->next;
	typing_drop(w, NULL);
	journal_end(w);
	watch_end(w);
	line_end(w);
	unsay(w->l, SAID_SEEN, w->agent);
	uv_close((uv_handle_t *)&w->timer, on_handle_closed);
	uv_close((uv_handle_t *)&w->follower, on_handle_closed);
}

static void lose(struct watched *w, const char *why)
{
	say(w, SAID_LOST, why);
	typing_drop(w, "the session ended");
	forget(w);
}

/* When a process began, by the wall clock; now, when it cannot be found out. */
static usec_t began_at(pid_t pid)
{
	usec_t per_tick = USEC_PER_SEC / sysconf(_SC_CLK_TCK), age;
	struct process_id id;
	struct error err = {0};

	if (pid <= 0 || process_identify(pid, &id, &err) < 0)
		return clock_now();
	/* Of this kind, too, since the boot, suspend included. */
	age = clock_monotonic() - id.start * per_tick;
	return clock_now() - (age > 0 ? age : 0);
}

static void be_there(struct watched *w, const char *pane, pid_t pid)
{
	mem_replace(&w->pane, pane);
	w->stage = THERE;
	w->opens = 0;
	say(w, SAID_OPENED, pane);
	watch_begin(w, began_at(pid));
}

/* --- finding windows ---------------------------------------------------------------------- */

static void list_panes(struct lives *l);

static bool lives(pid_t pid)
{
	struct process_id id;
	struct error err = {0};

	return process_identify(pid, &id, &err) == 0 && process_lives(&id);
}

static void await_stranger(struct watched *w);

static void on_open_again(uv_timer_t *timer)
{
	struct watched *w = timer->data;

	if (w->stage != TO_OPEN)
		return;
	if (w->stranger && lives(w->stranger))
		await_stranger(w);
	else
		list_panes(w->l);
}

static void await_stranger(struct watched *w)
{
	if (!w->opens++)
		w->opens_at = clock_monotonic();
	if (clock_monotonic() - w->opens_at > ENDING_MAX) {
		lose(w, "an older session of it does not end");
		return;
	}
	uv_update_time(w->l->loop);
	uv_timer_start(&w->timer, on_open_again, OPEN_AGAIN_MS, 0);
}

/*
 * A server ends with its last window. Who asks for a list or a new one in that moment, as a restart does, is
 * not answered, or told that there is nothing to ask: whether it is there is looked for again, and then it is
 * asked for again.
 */
static void open_again(struct watched *w, const char *error)
{
	usec_t now = clock_monotonic();

	if (!w->opens++)
		w->opens_at = now;
	if (tmux_was_ending(error) ? now - w->opens_at > ENDING_MAX : w->opens >= OPENS_MAX) {
		lose(w, error);
		return;
	}
	log_debug("agent %s: its window is asked for again: %s", w->agent, error);
	w->stage = TO_OPEN;
	uv_update_time(w->l->loop);
	uv_timer_start(&w->timer, on_open_again, OPEN_AGAIN_MS, 0);
}

static void on_opened(const char *output, size_t len, const char *error, void *data)
{
	struct watched *w = data;

	(void)len;
	if (error)
		open_again(w, error);
	else
		be_there(w, output, 0);
}

static void open_window(struct watched *w)
{
	char *argv[] = {w->l->program, (char[]){"wrapper"}, (char[]){"host"}, w->agent, NULL};

	w->stage = OPENING;
	tmux_open(w->l->tmux, w->agent, w->directory, argv, on_opened, w);
}

struct listed {
	char pane[16];
	pid_t pid;
};

/* "PANE PID NAME COMMAND": whether it is its host, and not another pane that a person opened. */
static bool is_host(const struct watched *w, const char *line, struct listed *ret)
{
	AUTO(free) char *text = mem_strndup(line, strcspn(line, "\n"));
	AUTO(free) char *host = mem_printf("wrapper host %s", w->agent);
	AUTO(free) char *name = mem_printf(" %s ", w->agent);
	size_t len = strcspn(text, " ");
	char *end;

	if (len >= sizeof(ret->pane))
		return false;
	snprintf(ret->pane, sizeof(ret->pane), "%.*s", (int)len, text);
	ret->pid = (pid_t)strtol(text + len, &end, 10);
	return strncmp(end, name, strlen(name)) == 0 && strstr(end, host);
}

/*
 * Its line in the list: the very pane, or one of that name. Its process has to live: one that has
 * just ended may be listed still, and is no window to go on in.
 */
static bool find_listed(const struct watched *w, const char *list, struct listed *ret)
{
	bool found = false;

	for (const char *line = list; line && *line; line = strchr(line, '\n')) {
		struct listed one;

		line += *line == '\n';
		if (!is_host(w, line, &one) || !lives(one.pid))
			continue;
		if (!found || (w->pane && strcmp(one.pane, w->pane) == 0))
			*ret = one;
		found = true;
	}
	return found;
}

/* Of a session that the store knows nothing of: its host got its order long ago, and asks for none. */
static bool is_stranger(const struct watched *w, const struct listed *found)
{
	return w->stage == TO_OPEN && began_at(found->pid) < w->wished_at - OLDER;
}

static void close_stranger(struct watched *w, struct listed *found)
{
	char *words[] = {(char[]){"kill-window"}, (char[]){"-t"}, found->pane, NULL};

	log_warning("agent %s: a session of it that is not known is ended: process %d", w->agent,
		    (int)found->pid);
	w->stranger = found->pid;
	tmux_ask(w->l->tmux, words, NULL, NULL);
	await_stranger(w);
}

static void settle_one(struct watched *w, const char *list, const char *error)
{
	struct listed found;

	if (error && w->stage == TO_OPEN && tmux_was_ending(error)) {
		open_again(w, error);
	} else if (error && w->stage == TO_OPEN) {
		lose(w, error);
	} else if (error) {
		/* It may well be there. Whoever mends tmux finds it again. */
		log_warning("agent %s: its window cannot be looked for: %s", w->agent, error);
		uv_timer_again(&w->l->retry);
	} else if (find_listed(w, list, &found) && is_stranger(w, &found)) {
		close_stranger(w, &found);
	} else if (find_listed(w, list, &found)) {
		be_there(w, found.pane, found.pid);
	} else if (w->stage == TO_OPEN) {
		open_window(w);
	} else {
		lose(w, "its window is there no more");
	}
}

/* The window of a host says whose it is; NULL: it is none. The caller frees. */
static char *host_of(const char *line)
{
	AUTO(free) char *text = mem_strndup(line, strcspn(line, "\n"));
	const char *name = strchr(text, ' ');
	char *end = NULL;
	pid_t pid = name ? (pid_t)strtol(name, &end, 10) : 0;
	AUTO(free) char *agent = NULL, *host = NULL;

	if (!end || *end != ' ')
		return NULL;
	agent = mem_strndup(end + 1, strcspn(end + 1, " "));
	host = mem_printf("wrapper host %s", agent);
	return strstr(end, host) && lives(pid) ? steal_ptr(&agent) : NULL;
}

/* Whether a row knows it, the engine finds out. */
static void tell_strangers(struct lives *l, const char *list)
{
	for (const char *line = list; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		AUTO(free) char *agent = host_of(line);
		struct watched nobody = {.l = l, .agent = agent};

		if (agent && !find(l, agent))
			say(&nobody, SAID_STRANGER, NULL);
	}
}

static void on_list(const char *output, size_t len, const char *error, void *data)
{
	struct lives *l = data;
	struct watched *w, *next;
	AUTO(free) char *list = mem_strdup(output);

	(void)len;
	l->listing = false;
	if (l->strangers && !error)
		tell_strangers(l, list);
	l->strangers &= error != NULL;
	for (w = l->all; w; w = next) {
		bool asked = w->listed;

		next = w->next;
		w->listed = false;
		if (asked && (w->stage == TO_FIND || w->stage == TO_OPEN))
			settle_one(w, list, error);
	}
	if (l->list_again)
		list_panes(l);
}

static void list_panes(struct lives *l)
{
	l->list_again = l->listing;
	if (l->listing)
		return;
	l->listing = true;
	for (struct watched *w = l->all; w; w = w->next)
		w->listed = w->stage == TO_FIND || w->stage == TO_OPEN;
	tmux_panes(l->tmux, on_list, l);
}

static void on_retry(uv_timer_t *timer)
{
	uv_timer_stop(timer);
	list_panes(timer->data);
}

/* Without a socket there is no server, and tmux is not asked for one. */
static void on_strangers(uv_timer_t *timer)
{
	struct lives *l = timer->data;

	if (access(l->socket, F_OK) < 0)
		return;
	l->strangers = true;
	list_panes(l);
}

/* --- what tmux tells ---------------------------------------------------------------------- */

static void on_output(const char *pane, void *data)
{
	struct watched *w = find_pane(data, pane);

	if (w)
		watch_output(w);
}

static void on_closed_wait_over(uv_timer_t *timer)
{
	lose(timer->data, "its window was closed");
}

static void on_pane_closed(const char *pane, void *data)
{
	struct watched *w = find_pane(data, pane);

	if (!w)
		return;
	typing_drop(w, "the session ended");
	line_closed(w);
	journal_end(w);
	watch_end(w);
	w->stage = CLOSED;
	uv_update_time(w->l->loop);
	uv_timer_start(&w->timer, on_closed_wait_over, CLOSED_WAIT_MS, 0);
}

static void on_lost(const char *why, void *data)
{
	(void)data;
	log_debug("%s", why);
}

/* --- jobs --------------------------------------------------------------------------------- */

static void take_rules(struct watched *w, struct job *job)
{
	if (job->live->adapter) {
		if (w->adapter)
			adapter_free(w->adapter);
		w->adapter = steal_ptr(&job->live->adapter);
	} else if (!w->adapter) {
		w->adapter = adapter_built_in("command");
	}
	if (job->live->mission && (!w->mission || strcmp(w->mission, job->live->mission) != 0)) {
		journal_end(w);
		mem_replace(&w->mission, job->live->mission);
	}
}

static void open_job(struct lives *l, struct job *job)
{
	struct watched *w = find(l, job->live->agent);

	/* What is known under that name is a session that has ended. */
	if (w && w->stage != OPENING && w->stage != TO_OPEN) {
		typing_drop(w, "the session ended");
		forget(w);
		w = NULL;
	}
	if (!w)
		w = watched_new(l, job);
	take_rules(w, job);
	if (w->stage == OPENING)
		return;
	if (!w->wished_at)
		w->wished_at = clock_now();
	w->stage = TO_OPEN;
	list_panes(l);
}

static void watch_job(struct lives *l, struct job *job)
{
	struct watched *w = find(l, job->live->agent);

	if (!w)
		w = watched_new(l, job);
	take_rules(w, job);
	line_set(w, job->live);
	if (w->stage == THERE) {
		say(w, SAID_OPENED, w->pane);
		w->told = false;
		watch_judge(w);
	} else if (w->stage == TO_FIND) {
		mem_replace(&w->pane, job->live->pane);
		list_panes(l);
	}
}

static void type_job(struct lives *l, struct job *job)
{
	struct watched *w = find(l, job->live->agent);
	struct watched nobody = {.l = l, .agent = job->live->agent};

	if (!w || w->stage != THERE || w->typing) {
		live_say_typed(w ? w : &nobody, job->key,
			       w && w->typing ? "another message is being typed"
					      : "the session ended");
		job_free(job);
		return;
	}
	take_rules(w, job);
	typing_begin(w, job);
}

static void close_job(struct lives *l, struct job *job)
{
	struct watched *w = find(l, job->live->agent);
	const char *pane = w && w->stage == THERE ? w->pane : job->live->pane;
	char *words[] = {(char[]){"kill-window"}, (char[]){"-t"}, (char *)(uintptr_t)pane, NULL};

	if (pane && !(w && w->stage == CLOSED))
		tmux_ask(l->tmux, words, NULL, NULL);
	if (w) {
		typing_drop(w, "the session ended");
		line_closed(w);
		forget(w);
	}
}

void lives_carry_out(struct lives *l, struct job *job)
{
	struct watched *w;

	switch (job->kind) {
	case JOB_OPEN:
		open_job(l, job);
		break;
	case JOB_WATCH:
		watch_job(l, job);
		break;
	case JOB_TYPE:
		type_job(l, job);
		return;
	case JOB_YIELD:
		if ((w = find(l, job->live->agent)))
			typing_give_way(w);
		break;
	case JOB_CLOSE:
		close_job(l, job);
		break;
	default:
		break;
	}
	job_free(job);
}

void lives_forget(struct lives *l)
{
	for (struct watched *w = l->all; w; w = w->next)
		typing_drop(w, NULL);
	/* What was told and not taken in is found out again, too. */
	unsay(l, SAID_TYPED, NULL);
}

/* --- life --------------------------------------------------------------------------------- */

struct lives *lives_new(uv_loop_t *loop, const struct home *h, mode_t mask,
			lives_on_input *on_input, void *data)
{
	static const struct tmux_calls calls = {on_output, on_pane_closed, on_lost};
	struct lives *l = mem_zalloc(sizeof(*l));

	l->loop = loop;
	l->socket = home_tmux_socket(h);
	l->missions = mem_printf("%s/missions", h->state_dir);
	l->program = path_own_program();
	if (!l->program)
		l->program = mem_strdup("belfry");
	l->tmux = tmux_new(loop, l->socket, mask, &calls, l);
	l->on_input = on_input;
	l->data = data;
	l->inputs_end = &l->inputs;
	uv_timer_init(loop, &l->retry);
	uv_timer_start(&l->retry, on_retry, RETRY_MS, RETRY_MS);
	uv_timer_stop(&l->retry);
	uv_timer_init(loop, &l->first);
	l->first.data = l->retry.data = l;
	uv_timer_start(&l->first, on_strangers, STRANGERS_MS, 0);
	return l;
}

void lives_close(struct lives *l)
{
	while (l->all)
		forget(l->all);
	uv_close((uv_handle_t *)&l->retry, NULL);
	uv_close((uv_handle_t *)&l->first, NULL);
	tmux_close(l->tmux);
}

void lives_free(struct lives *l)
{
	lives_committed(l);
	tmux_free(l->tmux);
	free(l->missions);
	free(l->socket);
	free(l->program);
	free(l);
}
