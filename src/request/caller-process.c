/*
 * caller-process.c: whether the process that asks belongs to a run, or to a command of Belfry's.
 * A run cannot leave its wrapper: that is a subreaper, so whoever loses its parent below it becomes its
 * child. The walk goes up from the process that connected, whose number the kernel gave, to the first
 * wrapper of an open run. A number may change hands while we walk: a parent that began after its child
 * is none, and the descriptor of the process says at the end whether all this was about it.
 *
 * A command of the daemon's (a condition, a deliver command) has a keeper above it, which is a subreaper, too.
 * A wrapper can be killed. What was below it then falls to the nursery, which is a subreaper too, or to the
 * daemon, which is the last of them. A process that is found there, and below no wrapper and no command that
 * the daemon knows, is a stray: of some run, and nobody knows of which. So is what Belfry's tmux was talked
 * into starting, or has a client start who looks at an agent (`agent attach`), and what is left by a run in the
 * person's own terminal, which its keeper gets (cmd-mission-attend.c). Nursery, tmux and that command are known
 * by the folder they stay in and the words they were started with, a keeper by the folder and the name it gave
 * itself: no run can change these, and they outlive a daemon.
 *
 * All of those can be killed, too, or left by a restart. What was started by Belfry is branded (agent/brand.h): so who is
 * found nowhere and has the brand is a stray as well.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/brand.h"
#include "agent/order.h"
#include "agent/wrapper.h"
#include "config/home.h"
#include "request/caller.h"
#include "store/mission.h"

#define STEPS_MAX 256 /* parents above one another */
#define TRIES_MAX 5   /* each is spoiled only by a parent that ends in that very moment */

/* That of the wrapper; 0: it is none. */
static int64_t mission_of(const struct run_list *runs, pid_t pid, int64_t start)
{
	for (size_t i = 0; i < runs->count; i++) {
		const struct run *r = runs->items[i];
		struct process_id id = {.pid = (pid_t)r->pid, .start = r->pid_start};

		snprintf(id.boot, sizeof(id.boot), "%s", r->boot ? r->boot : "");
		if (id.pid == pid && id.start == start && process_is_of_this_boot(&id))
			return r->mission;
	}
	return 0;
}

/* --- what is ours without being a run --- */

static bool stays_in(pid_t pid, const char *folder)
{
	struct stat its, ours;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/cwd", (int)pid);
	return stat(path, &its) == 0 && stat(folder, &ours) == 0 && its.st_ino == ours.st_ino &&
	       its.st_dev == ours.st_dev;
}

/*
 * One of the kernel's files about a process. That we may not open any is not its fault, and what it would say
 * must not be guessed: then nobody knows who asks.
 */
static int open_of(struct caller_process *p, pid_t pid, const char *what)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		caller_process_blind(p, errno);
	return fd;
}

/* Whether it was started with these words first; each of them with its end. */
static bool was_called(struct caller_process *p, pid_t pid, const char *words, size_t len)
{
	AUTO_CLOSE int fd = open_of(p, pid, "cmdline");
	char text[64] = "";

	return fd >= 0 && read(fd, text, sizeof(text)) >= (ssize_t)len &&
	       memcmp(text, words, len) == 0;
}

/* Its name alone: after an upgrade the file is another one. */
static void program_of(const char *exe, char ret[static NAME_MAX + 1])
{
	char path[PATH_MAX];
	ssize_t n = readlink(exe, path, sizeof(path) - 1);
	const char *slash;

	path[n > 0 ? n : 0] = '\0';
	slash = strrchr(path, '/');
	snprintf(ret, NAME_MAX + 1, "%.*s", slash ? (int)strcspn(slash + 1, " ") : 0,
		 slash ? slash + 1 : "");
}

/* `belfry wrapper host X`, by the very file that this program was started from, or that is in its place now. */
static bool is_host(struct caller_process *p, pid_t pid)
{
	static const char deleted[] = " (deleted)", words[] = "wrapper\0host";
	char path[32], program[PATH_MAX], text[PATH_MAX + sizeof(words)] = "";
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1), got;
	struct stat its, ours;
	size_t first, end = strlen(deleted);

	program[n > 0 ? n : 0] = '\0';
	if (n > (ssize_t)end && strcmp(program + n - end, deleted) == 0)
		program[n - (ssize_t)end] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (stat(path, &its) < 0 || stat(program, &ours) < 0 || its.st_ino != ours.st_ino ||
	    its.st_dev != ours.st_dev)
		return false;
	AUTO_CLOSE int fd = open_of(p, pid, "cmdline");
	got = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
	first = strlen(text) + 1;
	return got > 0 && (size_t)got >= first + sizeof(words) &&
	       memcmp(text + first, words, sizeof(words)) == 0;
}

/*
 * `belfry agent attach X`, `belfry run X`: a program of ours that has one of these words. `daemon start` looks at
 * nobody, and a person may well type it in the home's own folder.
 */
static bool looks_at_agent(struct caller_process *p, pid_t pid)
{
	static const char *const verbs[] = {"attach", "run", "start"};
	char path[32], text[512] = "", its[NAME_MAX + 1], ours[NAME_MAX + 1];
	const char *before = "";
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	program_of(path, its);
	program_of("/proc/self/exe", ours);
	if (strcmp(its, ours) != 0)
		return false;
	AUTO_CLOSE int fd = open_of(p, pid, "cmdline");
	n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
	for (const char *word = text; word < text + n; word += strlen(word) + 1) {
		for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
			if (strcmp(word, verbs[i]) == 0 && strcmp(before, "daemon") != 0)
				return true;
		before = word;
	}
	return false;
}

/* Words would not do: `belfry inbox` has one below it, and what a person has it start is the person's. */
static bool has_keeper_name(struct caller_process *p, pid_t pid)
{
	static const char name[] = KEEPER_NAME "\n";
	AUTO_CLOSE int fd = open_of(p, pid, "comm");
	char text[32] = "";

	return fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 && strcmp(text, name) == 0;
}

static bool is_tmux(struct caller_process *p, pid_t pid)
{
	static const char tmux[] = "tmux\0-u\0-S\0tmux.sock";

	return p->home && stays_in(pid, p->home->runtime_dir) &&
	       was_called(p, pid, tmux, sizeof(tmux));
}

static bool is_keeper(struct caller_process *p, pid_t pid)
{
	static const char nursery[] = "belfry\0wrapper\0nursery";
	const struct home *h = p->home;

	return is_tmux(p, pid) ||
	       (h && stays_in(pid, h->state_dir) && was_called(p, pid, nursery, sizeof(nursery))) ||
	       (h && stays_in(pid, h->runtime_dir) &&
		(looks_at_agent(p, pid) || has_keeper_name(p, pid)));
}

/* --- the walk --- */

/* What this ancestor says of the process; `child` is the one on the way to it. */
static bool settles(const struct run_list *runs, pid_t pid, int64_t start, pid_t child,
		    struct caller_process *p)
{
	p->mission = mission_of(runs, pid, start);
	/* Both before what is said of the nursery: wrappers and keepers are forks of it. */
	p->command = !p->mission && p->find_command && p->find_command(p->find_data, pid, start, p);
	if (p->mission || p->command)
		return true;
	p->stray = (p->find_command && pid == getpid()) || is_keeper(p, pid);
	p->window = p->stray && child == p->pid && is_tmux(p, pid) && is_host(p, child);
	return p->stray;
}

/* Returns 0, or -1 when somebody on the way was gone. */
static int walk(const struct run_list *runs, struct caller_process *p)
{
	int64_t start = INT64_MAX, own;
	pid_t pid = p->pid, child = 0, parent;

	for (int i = 0; i < STEPS_MAX && pid > 0; i++) {
		if (process_parent(pid, &parent, &own) < 0) {
			caller_process_blind(p, errno);
			return -1;
		}
		if (own > start)
			return -1;
		/* The first is the one that asks: a wrapper is no part of its own run. */
		if (i > 0 && settles(runs, pid, own, child, p))
			break;
		child = pid;
		pid = parent;
		start = own;
		/* Nobody works so deep down: whoever does hides something above. */
		p->stray = i + 1 == STEPS_MAX && pid > 0;
	}
	return 0;
}

static bool has_ended(const struct caller_process *p)
{
	struct pollfd end = {.fd = p->pidfd, .events = POLLIN};

	return p->pidfd >= 0 && poll(&end, 1, 0) != 0;
}

static bool is_branded(struct caller_process *p)
{
	int64_t brand;

	errno = 0;
	brand = brand_of(p->pid);
	if (!brand)
		caller_process_blind(p, errno);
	return brand <= p->brand;
}

int caller_process_look(struct db *db, struct caller_process *p, struct error *err)
{
	AUTO_RUNS struct run_list runs = {0};
	int found = -1, r = p->known || p->pid <= 0 ? 0 : run_living(db, &runs, err);

	if (r < 0 || p->known)
		return r;
	p->blind = 0;
	for (int i = 0; p->pid > 0 && found < 0 && !p->blind && i < TRIES_MAX; i++)
		found = walk(&runs, p);
	if (found == 0 && !p->mission && !p->command && p->brand)
		p->stray = p->stray || is_branded(p);
	p->gone = p->pid > 0 && (found < 0 || has_ended(p));
	p->known = !p->blind; /* the next look may see */
	return 0;
}

bool caller_process_name(const struct caller_process *p, struct process_id *ret)
{
	struct error err = {0};

	/* Asked of the number first, and then whether it still was of that very process. */
	return p && p->pid > 0 && !p->gone && process_identify(p->pid, ret, &err) >= 0 &&
	       !has_ended(p);
}
