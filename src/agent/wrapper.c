/*
 * wrapper.c: one run, from its gate to its end.
 * The order of things is the promise: nothing is written before the gate opens, the pid file is there
 * before anything is started, and the end is written when nothing of the run is left. So a run of
 * this boot without a pid file never ran, and one with an end is over.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/presence.h"
#include "agent/wrapper-parts.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"

#define EXIT_REFUSED 1 /* no end was written */
#define HEARTBEAT (30 * USEC_PER_SEC)
#define ID_MAX 64

static bool id_is_safe(const char *id, const char prefix[4])
{
	size_t len = strlen(id);

	return strncmp(id, prefix, 4) == 0 && len > 4 && len <= ID_MAX &&
	       strspn(id + 4, "abcdefghijklmnopqrstuvwxyz0123456789") == len - 4;
}

bool mission_id_is_safe(const char *id)
{
	return id_is_safe(id, "mis-");
}

bool thread_id_is_safe(const char *id)
{
	return id_is_safe(id, "thr-");
}

/*
 * Blocked even before the gate: a signal that comes while it opens has to be answered by an end, not
 * by a death that looks like a run that never was.
 */
void wrapper_block_signals(sigset_t *ret_old)
{
	static const int answered[] = {SIGTERM, SIGINT, SIGHUP, SIGCHLD};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(answered) / sizeof(answered[0]); i++)
		sigaddset(&set, answered[i]);
	sigaddset(&set, SIGTTOU); /* we hand the terminal on from the background */
	sigprocmask(SIG_BLOCK, &set, ret_old);
	for (size_t i = 0; i < sizeof(answered) / sizeof(answered[0]); i++)
		signal(answered[i], SIG_DFL); /* an ignored SIGCHLD would take the exit status */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

int wrapper_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

bool gate_opens(int fd)
{
	char byte;
	ssize_t n;

	do
		n = read(fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

bool wrapper_is_watched(const struct wrapper *w)
{
	struct pollfd gate = {.fd = w->gate, .events = POLLIN};

	return w->gate >= 0 && poll(&gate, 1, 0) == 0;
}

/*
 * Not synced, for every start would wait for it. Only a power failure can take it away again, and
 * whoever misses it knows of that: the run's row, which was committed before the gate opened, has
 * the boot it belongs to.
 */
static int write_pid(const struct wrapper *w, struct error *err)
{
	AUTO(free) char *path = mem_printf("%s/pid", w->folder);
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	char line[128];

	if (fd < 0 && errno == EEXIST)
		return error_set(err, ERR_CONFLICT, "'%s' is there: this run has been begun", path);
	snprintf(line, sizeof(line), "%d %" PRId64 " %s\n", (int)w->self.pid, w->self.start,
		 w->self.boot);
	if (fd < 0 || fd_write_all(fd, line, strlen(line)) < 0) {
		error_set_errno(err, errno, "cannot write '%s'", path);
		if (fd >= 0)
			unlink(path); /* nothing has run */
		return err->code;
	}
	return 0;
}

static usec_t beat_interval(void)
{
	const char *set = getenv("BELFRY_HEARTBEAT_MS");
	long ms = set ? strtol(set, NULL, 10) : 0;

	return ms > 0 ? ms * USEC_PER_MSEC : HEARTBEAT;
}

static int open_heartbeat(struct wrapper *w, struct error *err)
{
	AUTO(free) char *path = mem_printf("%s/heartbeat", w->folder);

	w->heartbeat = file_open(path, O_WRONLY | O_CREAT | O_NOFOLLOW, err);
	if (w->heartbeat < 0)
		return err->code;
	w->beat_every = beat_interval();
	w->beat_at = clock_monotonic() + w->beat_every;
	return 0;
}

int input_file(const char *text, int *ret, struct error *err)
{
	AUTO_CLOSE int fd = memfd_create("belfry-input", MFD_CLOEXEC);

	if (fd < 0 || fd_write_all(fd, text, strlen(text)) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return error_set_errno(err, errno, "cannot keep what it is to read");
	*ret = steal_fd(&fd);
	return 0;
}

/* The secrets command in front; new array, borrowed words. */
static char **whole_command(char *const *secrets, char *const *argv)
{
	size_t n = 0, count = 1;
	char **all;

	for (char *const *p = secrets; p && *p; p++)
		count++;
	for (char *const *p = argv; *p; p++)
		count++;
	all = mem_array(count, sizeof(*all));
	for (char *const *p = secrets; p && *p; p++)
		all[n++] = *p;
	for (char *const *p = argv; *p; p++)
		all[n++] = *p;
	return all;
}

/* The launch's argv is the caller's to free; it borrows from `words`. */
static int plan_launch(const struct wrapper *w, char *const *words, const char *input,
		       struct launch *ret, struct error *err)
{
	const struct order *o = w->order;
	int r = 0;

	*ret = (struct launch){.environment = w->environment,
			       .directory = o->directory ? o->directory : w->workspace,
			       .input = -1,
			       .interactive = o->interactive,
			       .adapter = o->interactive ? NULL : o->adapter,
			       .grace = o->grace};
	if (*input && !o->interactive)
		r = input_file(input, &ret->input, err);
	if (r == 0)
		ret->argv = (const char *const *)whole_command(o->secrets, words);
	return r;
}

/* The value of HOME that the agent will have; NULL: none. */
static const char *home_of(const struct wrapper *w)
{
	for (char *const *p = w->environment; *p; p++)
		if (strncmp(*p, "HOME=", 5) == 0 && (*p)[5] == '/')
			return *p + 5;
	return NULL;
}

/* The file of what it may do, and the person's folder of such files, unless there is none. */
static int write_may(const struct wrapper *w, char **ret, struct error *err)
{
	const struct adapter *a = w->order->adapter;
	AUTO(free) char *path = mem_printf("%s/may.toml", w->mission), *beside = NULL;
	int r = file_write(path, a->may, strlen(a->may), err);

	if (r < 0)
		return r;
	if (a->may_beside && home_of(w))
		beside = mem_printf("%s/%s", home_of(w), a->may_beside);
	/* A comma would be the end of a path. */
	if (beside && access(beside, R_OK) == 0 && !strchr(beside, ','))
		*ret = mem_printf("%s,%s", path, beside);
	else
		*ret = steal_ptr(&path);
	return 0;
}

/* Everything before the agent can fail and says why; from its start on there is an end of its own. */
static int carry_out(struct wrapper *w, struct child *c, usec_t *ret_started, struct error *err)
{
	const struct order *o = w->order;
	struct adapter_values v = {
		.prompt = o->prompt,
		.session = o->session,
		.args = o->args,
		.instructions = o->instructions,
	};
	AUTO(free) char *prompt = adapter_prompt(o->adapter, o->use, &v);
	AUTO(mem_free_list) char **words = NULL;
	AUTO(free) char *cgroup = NULL, *hooks = NULL, *may = NULL;
	struct launch l = {.input = -1};
	bool prompt_in_argv = false;
	int r = workspace_prepare(w, err);

	v.prompt = prompt;
	if (r == 0)
		r = wrapper_make_bin(w, err);
	if (r == 0)
		r = wrapper_check(w, err);
	/* Whoever sits at a terminal may be a live agent, whose work is to be seen. */
	if (r == 0 && o->interactive)
		r = hooks_write(o->adapter, w->mission, w->place->program, &hooks, err);
	if (r == 0 && adapter_wants_may(o->adapter, o->use))
		r = write_may(w, &may, err);
	v.hooks = hooks;
	v.may = may;
	if (r == 0)
		r = adapter_argv(o->adapter, o->use, &v, &words, &prompt_in_argv, err);
	if (r == 0)
		r = plan_launch(w, words, prompt_in_argv ? "" : prompt, &l, err);
	if (r < 0)
		return r;
	l.cgroup = cgroup = cgroup_make(w->run);
	*ret_started = clock_now();
	r = wrapper_carry_out(w, &l, c, err);
	if (cgroup)
		cgroup_remove(cgroup);
	if (l.input >= 0)
		close(l.input);
	free((void *)l.argv);
	return r;
}

/* The pid file is ours: from here on there will be an end. */
static int run_begun(struct wrapper *w, struct error *err)
{
	AUTO_CHILD struct child c = {.streams = {-1, -1}};
	usec_t started_at = USEC_NONE;
	struct error why = {0};
	int r = open_heartbeat(w, &why);

	if (w->order->time_limit && !w->order->interactive)
		w->limit_at = clock_monotonic() + w->order->time_limit;
	end_reserve(w->folder);
	if (r == 0 && !w->order->interactive)
		r = run_log_open(w->folder, &w->log, &why);
	if (r == 0)
		r = carry_out(w, &c, &started_at, &why);
	return r < 0 ? wrapper_write_failure(w, &why, err)
		     : wrapper_write_end(w, &c, started_at, err);
}

static int run_order(struct wrapper *w, struct error *err)
{
	int r = dir_make_private(w->folder, err);

	if (r == 0)
		r = write_pid(w, err);
	if (r < 0)
		return r;
	/* Whoever loses its parent below us becomes our child: nothing gets away. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	return run_begun(w, err);
}

static void wrapper_fini(struct wrapper *w)
{
	run_log_close(w->log);
	if (w->signals >= 0)
		close(w->signals);
	if (w->heartbeat >= 0)
		close(w->heartbeat);
	free(w->run);
	free(w->mission);
	free(w->folder);
	free(w->workspace);
	free(w->environment);
	free(w->bin);
	for (size_t i = 0; w->own[i]; i++)
		free(w->own[i]);
}

/* What can be made ready while our process is being committed; it leaves no trace. */
static int wrapper_init(struct wrapper *w, struct error *err)
{
	const struct order *o = w->order;

	if (!mission_id_is_safe(o->mission) || o->number < 1)
		return error_set(err, ERR_INVALID, "'%s' is no mission", o->mission);
	w->run = mem_printf("%s/%" PRId64, o->mission, o->number);
	w->mission = mem_printf("%s/%s", w->place->missions, o->mission);
	w->folder = mem_printf("%s/runs/%" PRId64, w->mission, o->number);
	w->workspace = mem_printf("%s/agent", w->mission);
	w->signals = wrapper_signals();
	if (w->signals < 0)
		return error_set_errno(err, errno, "cannot listen for signals");
	wrapper_make_environment(w);
	return process_identify(getpid(), &w->self, err);
}

int wrapper_run(const struct order *o, const struct wrapper_place *place, int gate_fd)
{
	struct wrapper w = {
		.order = o, .place = place, .heartbeat = -1, .signals = -1, .gate = gate_fd};
	struct error err = {0};
	sigset_t old;
	bool let_in;
	int r;

	wrapper_block_signals(&old);
	r = wrapper_init(&w, &err);
	let_in = gate_fd < 0 || gate_opens(gate_fd);
	if (let_in && r == 0)
		r = run_order(&w, &err);
	wrapper_fini(&w);
	if (gate_fd >= 0)
		close(gate_fd);
	if (let_in && r < 0)
		log_error("run '%s/%" PRId64 "': %s", o->mission, o->number, err.message);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return let_in && r == 0 ? 0 : EXIT_REFUSED;
}
