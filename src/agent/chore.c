/*
 * chore.c: the process above a command of the daemon's own, its keeper.
 * Whoever loses its parent below us becomes our child, so nothing that the command starts gets away from it,
 * however it forks: that is gone before its end is told. The daemon's end of the gate is the leash. The kernel
 * lets go of it when the daemon dies, by whatever death, so the next daemon never runs a second one beside it.
 * The time limit is ours to keep, too: nobody else may be there when it is over.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "agent/wrapper-parts.h"
#include "base/mem.h"
#include "base/text.h"

static void set_text(struct chore_end *e, const char *text)
{
	snprintf(e->text, sizeof(e->text), "%s", text);
	e->text[text_fit(e->text, CHORE_TEXT_MAX)] = '\0';
}

/* Its last words, safe to store and to show. */
static void keep_words(const struct child *c, struct chore_end *e)
{
	AUTO_BUF struct buf said = {0};
	AUTO(free) char *clean = NULL;
	const char *p;
	size_t left;

	ring_newest(&c->said[1], CHORE_TEXT_MAX, &said);
	p = buf_text(&said);
	left = said.len;
	/* Cut in the middle of a character: its rest is not worth a '?'. */
	for (; c->said[1].total > left && left && (*p & 0xc0) == 0x80; left--)
		p++;
	clean = text_clean(p, left);
	set_text(e, clean);
}

static void describe(const struct child *c, struct chore_end *e)
{
	e->started = true;
	e->timed_out = c->cause == CAUSE_TIMEOUT;
	if (!c->gone) /* nothing could end it */
		e->signal = SIGKILL;
	else if (WIFSIGNALED(c->status))
		e->signal = WTERMSIG(c->status);
	else
		e->exit_status = WEXITSTATUS(c->status);
	keep_words(c, e);
}

/* By this a sweep finds what is left when we are killed. */
static char *own_variable(const char *missions)
{
	struct process_id self = {.pid = getpid()};
	struct error err = {0};

	(void)process_identify(getpid(), &self, &err);
	return mem_printf("BELFRY_COMMAND=%d.%" PRId64 ":%s", (int)self.pid, self.start, missions);
}

static int carry_out(const struct chore *c, struct wrapper *w, struct child *ret, struct error *err)
{
	AUTO(free) char *mark = own_variable(w->place->missions);
	char **given = environment_with(environ, c->environment);
	char **all = environment_with(given, (char *[]){mark, NULL});
	AUTO_CLOSE int input = -1;
	struct launch l = {.argv = (const char *const *)c->argv,
			   .environment = all,
			   .directory = c->directory,
			   .no_output = true,
			   .time_limit = c->time_limit,
			   .grace = c->grace};
	int r = c->input ? input_file(c->input, &input, err) : 0;

	l.input = input;
	if (r == 0)
		r = wrapper_carry_out(w, &l, ret, err);
	free(all);
	free(given);
	return r;
}

void chore_run(const struct chore *c, const struct wrapper_place *place, int gate_fd)
{
	static const struct order none;
	struct wrapper w = {.order = &none,
			    .place = place,
			    .heartbeat = -1,
			    .gate = gate_fd,
			    .leashed = c->leashed};
	AUTO_CHILD struct child child = {.streams = {-1, -1}};
	struct chore_end end = {0};
	struct error err = {0};
	sigset_t old;

	wrapper_block_signals(&old);
	w.signals = wrapper_signals();
	if (w.signals < 0 || !gate_opens(gate_fd))
		return;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (carry_out(c, &w, &child, &err) < 0)
		set_text(&end, err.message);
	else
		describe(&child, &end);
	(void)!send(gate_fd, &end, offsetof(struct chore_end, text) + strlen(end.text) + 1,
		    MSG_NOSIGNAL);
}
