/*
 * watchdog.c: a daemon that hangs is ended and started again.
 * The loop says when it works, and on what. While it does, a timer of the kernel is armed; its signal finds
 * work that is older than the limit and executes this program again, as the same daemon and process: locks
 * and sockets close on exec, the transaction is lost as in a crash, wrappers of missions live on and are
 * adopted. Whoever starts so finds in its environment what hung, logs it and tells the inbox.
 *
 * To arm and to disarm costs two system calls. So while turns follow each other closely the timer stays
 * armed, and its signal looks whether it came too early; after a rest it is disarmed, and wakes nobody.
 *
 * While the store is opened nothing is ended: to bring an old one up to date may take long, and would begin
 * again. That it takes long is told.
 *
 * What hangs again soon after would hang for ever: each time the limit doubles, up to about an hour. So
 * nothing spins, and work that is only slow gets its time at last.
 */
#include "daemon/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"

#define VARIABLE "BELFRY_HUNG="
#define ON_STORE "waiting for the store"
#define LIMIT_MS 60000
#define DOUBLED_MAX 6
#define CLOSE_BY (100 * USEC_PER_MSEC) /* turns nearer than this are one piece of work */
#define WELL_AFTER USEC_PER_HOUR       /* a hang after so long is the first one again */
#define CHILDREN_MAX 64

static struct {
	bool on;
	timer_t timer;
	usec_t limit, started;
	int hangs; /* one soon after the other, before this one */
	mode_t mask;
	atomic_llong since; /* by CLOCK_MONOTONIC; 0 while the loop waits */
	usec_t rested;	    /* when it last began to wait */
	bool close_by;
	volatile sig_atomic_t stopping;
	volatile sig_atomic_t armed;
	volatile sig_atomic_t patient;
	volatile sig_atomic_t on_store;
	usec_t store_since;
	const char *volatile step, *volatile name;
	char **environment; /* of the successor; its first is `note` */
	char note[512];
	char report[768];
	uv_signal_t ends;
	pid_t children[CHILDREN_MAX];
	size_t child_count;
} w;

/* Not clock_monotonic(): what a suspended machine does not do is no hang. */
static usec_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * USEC_PER_SEC + t.tv_nsec / 1000;
}

static void arm(usec_t span)
{
	const struct itimerspec at = {
		.it_value = {.tv_sec = span / USEC_PER_SEC, .tv_nsec = span % USEC_PER_SEC * 1000}};

	w.armed = span > 0;
	timer_settime(w.timer, 0, &at, NULL);
}

/* --- in the handler: async-signal-safe calls only ------------------------------------------- */

static char *add_text(char *at, const char *text)
{
	const char *end = w.note + sizeof(w.note) - 1;

	while (*text && at < end)
		*at++ = *text++;
	*at = '\0';
	return at;
}

static char *add_number(char *at, long long number)
{
	char digits[24], *p = digits + sizeof(digits) - 1;

	*p = '\0';
	do
		*--p = (char)('0' + number % 10);
	while ((number /= 10) > 0);
	return add_text(at, p);
}

/* "BELFRY_HUNG=2 60 request\tstatus": how often, for how many seconds, in what. A file it reads says more. */
static void write_note(usec_t span)
{
	const char *file = file_busy_with();
	const char *name = *file ? file : w.on_store ? NULL : w.name;
	char *at = add_text(w.note, VARIABLE);

	at = add_number(at, now() - w.started > WELL_AFTER ? 1 : w.hangs + 1);
	at = add_text(at, " ");
	at = add_number(at, span / USEC_PER_SEC);
	at = add_text(at, " ");
	at = add_text(at, *file ? "reading" : w.on_store ? ON_STORE : w.step);
	if (name) {
		at = add_text(at, "\t");
		add_text(at, name);
	}
}

static _Noreturn void become_again(usec_t span)
{
	static const char lost[] = "belfry: the daemon hangs, and is not started again\n";
	static char words[][8] = {"belfry", "daemon", "run"};
	char *const argv[] = {words[0], words[1], words[2], NULL};
	sigset_t none;

	write_note(span);
	umask(w.mask);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* A copy that somebody made without close-on-exec would keep a lock. */
	syscall(SYS_close_range, 3, ~0U, 4 /* CLOSE_RANGE_CLOEXEC */);
	if (!w.stopping)
		execve("/proc/self/exe", argv, w.environment);
	(void)!write(STDERR_FILENO, lost, sizeof(lost) - 1);
	_exit(EXIT_FAILURE);
}

static void tell_slow(void)
{
	static const char slow[] = "belfry: it takes long to open the store; the daemon waits\n";

	(void)!write(STDERR_FILENO, slow, sizeof(slow) - 1);
}

static void on_alarm(int number)
{
	usec_t since = atomic_load(&w.since), span = now() - since;
	int saved = errno;

	(void)number;
	w.armed = false;
	if (since && span >= w.limit && !w.patient)
		become_again(span);
	if (since && span >= w.limit)
		tell_slow();
	if (since)
		arm(span < w.limit ? w.limit - span : w.limit);
	errno = saved;
}

/* --- the loop ------------------------------------------------------------------------------- */

void watchdog_at(const char *step, const char *name)
{
	usec_t at;

	w.name = NULL; /* never one's name with another's step */
	w.step = step;
	w.name = name;
	if (!w.on || atomic_load_explicit(&w.since, memory_order_relaxed))
		return;
	at = now();
	w.close_by = at - w.rested < CLOSE_BY;
	atomic_store(&w.since, at);
	if (!w.armed)
		arm(w.limit);
}

void watchdog_rest(void)
{
	if (!w.on || !atomic_load_explicit(&w.since, memory_order_relaxed))
		return;
	atomic_store(&w.since, 0);
	w.rested = now();
	if (!w.close_by)
		arm(0);
}

void watchdog_wait(bool patient)
{
	/* The time that passed in it counts for nothing that follows. */
	if (w.patient && !patient && atomic_load(&w.since))
		atomic_store(&w.since, now());
	w.patient = patient;
}

void watchdog_stopping(void)
{
	w.stopping = true;
}

/* --- the start ------------------------------------------------------------------------------ */

static usec_t limit_of(int hangs)
{
	const char *text = getenv("BELFRY_HANG_LIMIT_MS");
	char *end = NULL;
	unsigned long ms = text ? strtoul(text, &end, 10) : LIMIT_MS;

	if (text && (end == text || *end || ms > LIMIT_MS))
		ms = LIMIT_MS;
	return (usec_t)ms * USEC_PER_MSEC << (hangs < DOUBLED_MAX ? hangs : DOUBLED_MAX);
}

/* Those of a daemon that was in this process before us. */
static void find_children(void)
{
	AUTO(free) char *path = mem_printf("/proc/self/task/%d/children", (int)getpid());
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[CHILDREN_MAX * 12], *at = text, *end;
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	text[len > 0 ? len : 0] = '\0';
	for (long pid; w.child_count < CHILDREN_MAX && (pid = strtol(at, &end, 10)) > 0; at = end)
		w.children[w.child_count++] = (pid_t)pid;
}

/* Whose copy of the environment ours is, with a place for the note. Texts are borrowed. */
static void keep_environment(void)
{
	size_t count = 0;

	/* That of the first life of the process is whole; later something was taken out of it. */
	if (w.environment)
		return;
	while (environ[count])
		count++;
	w.environment = mem_array(count + 2, sizeof(*w.environment));
	w.environment[0] = w.note;
	for (size_t i = 0; i < count; i++)
		w.environment[i + 1] = mem_strdup(environ[i]);
}

/* It is no fault of ours, and began when the store fell silent. */
static void read_wait(int seconds)
{
	w.store_since = clock_now() - seconds * USEC_PER_SEC;
	snprintf(
		w.report, sizeof(w.report),
		"the daemon waited %d s for the store, which did not answer, and was started again",
		seconds);
}

static void read_note(void)
{
	const char *note = getenv("BELFRY_HUNG");
	int hangs = 0, seconds = 0, at = 0;

	if (!note)
		return;
	/* NOLINTNEXTLINE(cert-err34-c): we wrote it */
	if (sscanf(note, "%d %d %n", &hangs, &seconds, &at) == 2 && at && hangs > 0) {
		const char *tab = strchr(note + at, '\t');

		w.hangs = hangs;
		snprintf(w.report, sizeof(w.report),
			 "the daemon hung for %d s in %.*s%s%s%s and was started again", seconds,
			 tab ? (int)(tab - note - at) : (int)strlen(note + at), note + at,
			 tab ? " '" : "", tab ? tab + 1 : "", tab ? "'" : "");
		if (strcmp(note + at, ON_STORE) == 0)
			read_wait(seconds);
		find_children();
	}
	unsetenv("BELFRY_HUNG");
}

void watchdog_start(mode_t mask)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART | SA_NODEFER};

	if (w.on) { /* the life before this one could not begin */
		watchdog_at("starting", NULL);
		return;
	}
	read_note();
	w.limit = limit_of(w.hangs);
	w.mask = mask;
	w.step = "starting";
	if (*w.report)
		log_error("%s", w.report);
	if (!w.limit)
		return;
	keep_environment();
	sigaction(SIGALRM, &action, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &w.timer) < 0) {
		log_warning("no watchdog: %s", strerror(errno));
		return;
	}
	w.started = now();
	w.rested = w.started - CLOSE_BY;
	w.on = true;
	watchdog_at("starting", NULL);
}

const char *watchdog_report(void)
{
	return *w.report ? w.report : NULL;
}

void watchdog_on_store(bool waits)
{
	w.on_store = waits;
}

usec_t watchdog_store_since(void)
{
	return w.store_since;
}

/* --- children of the one before ------------------------------------------------------------- */

static void on_child(uv_signal_t *handle, int number)
{
	(void)number;
	for (size_t i = 0; i < w.child_count;) {
		if (waitpid(w.children[i], NULL, WNOHANG) != 0)
			w.children[i] = w.children[--w.child_count];
		else
			i++;
	}
	if (!w.child_count)
		uv_signal_stop(handle);
}

void watchdog_adopt(uv_loop_t *loop)
{
	uv_signal_init(loop, &w.ends);
	if (!w.child_count)
		return;
	uv_signal_start(&w.ends, on_child, SIGCHLD);
	on_child(&w.ends, SIGCHLD);
}

void watchdog_close(void)
{
	uv_close((uv_handle_t *)&w.ends, NULL);
	if (w.on)
		timer_delete(w.timer);
	w.on = false;
	w.store_since = 0;
	*w.report = '\0'; /* told once, not again by a later life */
}
