/*
 * thread-act.c: what a person does with a thread: answer, go on with its mission, read all of a
 * message. The terminal belongs to somebody else meanwhile, an editor, an agent, a pager, and is
 * ours again however that one ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/spool.h"
#include "inbox/thread.h"

#define BODY_MAX ((size_t)64 * 1024 * 1024) /* bytes of a message that a pager is given */
#define QUOTED_MESSAGES 20		    /* below an answer, in the editor */
#define FAILED 125			    /* a child of ours that left an error for us */

/* --- a child that has the terminal --- */

/* Keys that signal are for the child; when it is stopped (Ctrl-Z) so are we, by the same shell. */
static int wait_for(pid_t pid)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old_int, old_quit;
	int status = 0;
	pid_t got;

	sigaction(SIGINT, &ignore, &old_int);
	sigaction(SIGQUIT, &ignore, &old_quit);
	while ((got = waitpid(pid, &status, WUNTRACED)) != pid || WIFSTOPPED(status)) {
		if (got < 0 && errno != EINTR)
			break;
		if (got == pid) {
			raise(SIGTSTP);
			kill(pid, SIGCONT);
		}
	}
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGQUIT, &old_quit, NULL);
	return status;
}

/* --- answering --- */

static void draw(void *data)
{
	reading_draw(data);
}

/* Where the agent goes on is the person's choice, unless the agent waits for it. */
static bool ask_when(struct reading *r, const char *first, bool *ret_run)
{
	int key;

	*ret_run = false;
	face_note(
		r->f, TINT_BOLD,
		"%s%ssend: [l]ater with the next resume, [n]ow (run headless), Esc keeps the draft",
		first, *first ? ". " : "");
	key = face_choice(r->f, "ln", draw, r);
	*ret_run = key == 'n';
	return key == 'l' || key == 'n';
}

/*
 * Whether the question is open now: a default does not wait for an editor. Where nothing is asked
 * any more, the person says when it goes, and knows why.
 */
static bool check_question(struct reading *r, int64_t *question, bool *ret_run)
{
	AUTO(json_decref) json_t *now = NULL;
	AUTO_BUF struct buf fate = {0};
	json_t *args = observer_args("thread", r->id);
	const json_t *m;

	*ret_run = false;
	reading_refresh(r);
	json_put_int(args, "message", *question > 0 ? *question : 1);
	if (*question > 0 && face_do(r->f, "inbox show", args, &now)) {
		m = json_array_get(json_object_get(now, "messages"), 0);
		if (question_is_open(m))
			return true;
		question_fate(m, &fate);
		*question = QUESTION_NONE;
	} else if (*question <= 0) {
		json_decref(args);
	}
	if (!json_is_object(json_object_get(r->thread, "mission")) ||
	    (!fate.len && view_int(r->thread, "asks")))
		return true;
	return ask_when(r, buf_text(&fate), ret_run);
}

static void say_sent(struct reading *r, const json_t *answer)
{
	const json_t *thread = json_object_get(answer, "thread");
	const json_t *mission = json_object_get(thread, "mission");
	const char *agent = view_text(thread, "agent");

	agent = *agent ? agent : "the agent";
	if (json_array_size(json_object_get(answer, "late_for")))
		face_note(r->f, TINT_WARN,
			  "sent, but too late: the time for the question was over");
	else if (!json_is_object(mission))
		face_note(r->f, TINT_GOOD, "sent: it is in the queue of %s", agent);
	else if (view_mission_is_over(view_text(mission, "state")) &&
		 !json_is_true(json_object_get(mission, "resumable")))
		face_note(r->f, TINT_WARN,
			  "saved, but %s has no conversation to go on with: it cannot be told",
			  view_text(mission, "id"));
	else if (json_is_true(json_object_get(thread, "wanted")))
		face_note(r->f, TINT_GOOD, "sent: %s goes on with it%s", agent,
			  json_is_false(json_object_get(answer, "scheduler_running"))
				  ? " once a daemon runs"
				  : "");
	else
		face_note(r->f, TINT_GOOD, "saved: %s gets it with the next resume (a)", agent);
}

/* The answer is at the thread's end, and is seen there by whoever was there. The mark stays. */
static void take_in_answer(struct reading *r)
{
	int64_t seq = r->count ? r->pieces[r->at].seq : 0;
	bool at_end = scroll_at_end(&r->scroll);

	reading_refresh(r);
	reading_layout(r);
	for (size_t i = 0; i < r->count; i++)
		if (r->pieces[i].seq == seq)
			r->at = i;
	if (at_end)
		scroll_key(&r->scroll, KEY_END);
	reading_keep_place(r);
}

/* A long one goes by the spool, which is there until the answer has come. */
static bool request_reply(struct reading *r, const struct buf *text, int64_t question, bool run,
			  json_t **ret)
{
	AUTO(spool_free) struct spool *spool = spool_new(r->f->c->home);
	AUTO(free) char *name = question_name(r->id, question);
	json_t *args = observer_args("thread", name);
	struct error err = {0};

	if (question == QUESTION_ALL)
		json_put_bool(args, "all", true);

	if (run)
		json_put_bool(args, "run", true);
	if (spool_text(spool, buf_text(text), text->len, args, &err) < 0) {
		json_decref(args);
		face_note_error(r->f, &err);
		return false;
	}
	return face_do(r->f, "inbox reply", args, ret);
}

static void send_reply(struct reading *r, const struct buf *text, int64_t question)
{
	AUTO(json_decref) json_t *answer = NULL;
	int64_t meant = question;
	bool run;

	if (!check_question(r, &question, &run)) {
		face_note(r->f, TINT_NONE, "not sent; r goes on with what you wrote");
	} else if (request_reply(r, text, question, run, &answer)) {
		compose_sent(r->f->c, r->id, meant);
		say_sent(r, answer);
		take_in_answer(r);
	}
}

/* The newest messages, and what is answered; what the person looks at is left as it is. */
static json_t *shown(struct reading *r, int64_t question)
{
	AUTO(json_decref) json_t *args = observer_args("thread", r->id), *o = NULL;
	const struct piece *piece = question > 0 ? reading_piece(r, question) : NULL;
	struct error err = {0};

	json_put_bool(args, "peek", true);
	json_put_int(args, "last", QUOTED_MESSAGES);
	if (face_ask(r->f, "inbox show", args, &o, &err) <= 0) {
		o = json_object();
		json_put(o, "thread", json_incref(r->thread));
	}
	question_put(o, question);
	if (piece)
		json_put(o, "question", json_incref(piece->message));
	return steal_ptr(&o);
}

static bool is_heard(const struct reading *r)
{
	return json_is_object(json_object_get(r->thread, "mission")) ||
	       *view_text(r->thread, "agent");
}

/* The current message, or the only one that is open. False: it is not clear which. */
static bool find_question(struct reading *r, bool all, int64_t *ret)
{
	int64_t asks = view_int(r->thread, "asks");

	*ret = all && asks ? QUESTION_ALL : 0;
	if (all || !asks || !r->count)
		return true;
	if (question_is_open(r->pieces[r->at].message)) {
		*ret = r->pieces[r->at].seq;
		return true;
	}
	if (asks == 1) {
		for (size_t i = 0; i < r->count; i++)
			if (question_is_open(r->pieces[i].message))
				*ret = r->pieces[i].seq;
		return true;
	}
	reading_next_question(r);
	face_note(r->f, TINT_BOLD,
		  "%lld questions are open: r answers the one that has the >, Tab goes to the "
		  "next, R "
		  "answers all",
		  (long long)asks);
	return false;
}

void reading_reply(struct reading *r, bool all)
{
	AUTO(json_decref) json_t *of = NULL;
	AUTO_BUF struct buf text = {0};
	struct error err = {0};
	int64_t question;
	int got;

	if (!is_heard(r)) {
		face_note(r->f, TINT_WARN,
			  "nobody would hear an answer here: these are messages from Belfry");
		return;
	}
	if (!find_question(r, all, &question))
		return;
	of = shown(r, question);
	screen_pause(r->f->screen);
	got = compose_reply(r->f->c, of, &text, &err);
	screen_resume(r->f->screen);
	if (got < 0)
		face_note_error(r->f, &err);
	else if (got == 0)
		face_note(r->f, TINT_NONE, "nothing was written, nothing is sent");
	else
		send_reply(r, &text, question);
}

/* --- going on with the mission --- */

/*
 * A process of its own: it becomes the wrapper of the run, the daemon waits for its end, and it
 * takes everything below it along. An error is plain memory, so it comes through a pipe as it is.
 */
static _Noreturn void become_wrapper(const struct reading *r, const char *mission, int fd)
{
	json_t *args = observer_args("mission", mission);
	struct error err = {0};
	int status = mission_attend(r->f->c, "mission resume", args, &err);

	if (status >= 0)
		_exit(status);
	_exit(fd_write_all(fd, &err, sizeof(err)) < 0 ? 1 : FAILED);
}

static void attend(struct reading *r, const char *mission)
{
	struct error err = {0};
	int fds[2], status;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0 || (pid = fork()) < 0) {
		error_set_errno(&err, errno, "cannot start a process");
		face_note_error(r->f, &err);
		return;
	}
	if (pid == 0)
		become_wrapper(r, mission, fds[1]);
	close(fds[1]);
	status = wait_for(pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == FAILED &&
	    read(fds[0], &err, sizeof(err)) == (ssize_t)sizeof(err))
		face_note_error(r->f, &err);
	else
		face_note(r->f, TINT_NONE, "you are back from %s", mission);
	close(fds[0]);
}

void reading_attach(struct reading *r)
{
	const json_t *mission = json_object_get(r->thread, "mission");

	if (!json_is_object(mission)) {
		face_note(r->f, TINT_WARN, "this thread is of no mission: nothing to go on with");
		return;
	}
	screen_pause(r->f->screen);
	attend(r, view_text(mission, "id"));
	screen_resume(r->f->screen);
	reading_refresh(r);
}

/* --- all of a message --- */

static const char *pager(void)
{
	const char *value = getenv("PAGER");

	return value && *value ? value : "less";
}

/* less is told not to run or write anything, however the person has set it up. */
static _Noreturn void become_pager(int in)
{
	setenv("LESSSECURE", "1", 1);
	unsetenv("LESSOPEN");
	signal(SIGPIPE, SIG_DFL);
	if (dup2(in, 0) >= 0)
		execl("/bin/sh", "sh", "-c", pager(), (char *)NULL);
	_exit(127);
}

static void page_text(struct reading *r, const struct buf *text)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
	int fds[2], status;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return;
	sigaction(SIGPIPE, &ignore, &old);
	pid = fork();
	if (pid == 0)
		become_pager(fds[0]);
	close(fds[0]);
	/* One that is left before it read all of it closes the pipe: that is no failure. */
	if (pid > 0 && fd_write_all(fds[1], buf_text(text), text->len) < 0)
		status = 0;
	close(fds[1]);
	status = pid > 0 ? wait_for(pid) : -1;
	sigaction(SIGPIPE, &old, NULL);
	if (status < 0 || (WIFEXITED(status) && WEXITSTATUS(status) >= 126))
		face_note(r->f, TINT_BAD, "the pager '%s' cannot be started (set PAGER)", pager());
}

/* As it is on disk, made harmless; a NUL ends no text here. */
static void add_visible(struct buf *out, const struct buf *raw)
{
	for (size_t at = 0; at < raw->len;) {
		const char *text = raw->data + at;

		visible_block(out, text, "");
		at += strlen(text);
		if (at < raw->len)
			buf_add_str(out, "^@");
		at++;
	}
}

void reading_page(struct reading *r)
{
	AUTO_BUF struct buf raw = {0}, text = {0};
	const json_t *m = r->count ? r->pieces[r->at].message : NULL;
	const char *file = view_text(m, "file");
	struct error err = {0};

	if (!m)
		return;
	if (*file && file_read(file, BODY_MAX, &raw, &err) < 0) {
		face_note_error(r->f, &err);
		return;
	}
	if (!*file)
		buf_add_str(&raw, view_text(m, "text"));
	add_visible(&text, &raw);
	screen_pause(r->f->screen);
	page_text(r, &text);
	screen_resume(r->f->screen);
}
