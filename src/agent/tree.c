/*
 * tree.c: everything below a process, found in /proc and ended.
 * Whoever is a subreaper keeps all it started below it: a daemon that leaves its parent becomes our
 * child, not init's. So the tree of parents is the whole truth, whatever groups and sessions there
 * are in it. /proc is no snapshot: looks are repeated until one finds nothing.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/wrapper-parts.h"
#include "base/mem.h"

#define HUNT_PAUSE_NS (1000L * 1000)
#define STOP_ROUNDS 64 /* a program that forks faster than this is stopped once it is killed */

enum mark { MARK_UNKNOWN, MARK_ON_PATH, MARK_BELOW, MARK_ELSEWHERE };
struct entry {
	pid_t pid, parent;
	bool dead;
	enum mark mark;
};
struct table {
	struct entry *entries;
	size_t count, cap;
};

void pid_list_add(struct pid_list *list, pid_t pid)
{
	if (list->count == list->cap) {
		list->cap = list->cap ? 2 * list->cap : 16;
		list->pids = mem_grow(list->pids, list->cap, sizeof(*list->pids));
	}
	list->pids[list->count++] = pid;
}

void pid_list_fini(struct pid_list *list)
{
	free(list->pids);
	*list = (struct pid_list){0};
}

static bool pid_list_has(const struct pid_list *list, pid_t pid)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->pids[i] == pid)
			return true;
	return false;
}

/* "PID (NAME) STATE PPID …"; the name may hold anything, also parentheses. */
static bool read_entry(int proc, const char *name, struct entry *ret)
{
	char path[32], text[512];
	const char *rest;
	ssize_t n;
	char state;
	int parent;

	snprintf(path, sizeof(path), "%.16s/stat", name);
	AUTO_CLOSE int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || (n = read(fd, text, sizeof(text) - 1)) <= 0)
		return false;
	text[n] = '\0';
	rest = strrchr(text, ')');
	/* NOLINTNEXTLINE(cert-err34-c): the kernel writes it */
	if (!rest || sscanf(rest, ") %c %d", &state, &parent) != 2)
		return false;
	*ret = (struct entry){.pid = (pid_t)strtol(name, NULL, 10),
			      .parent = parent,
			      .dead = state == 'Z' || state == 'X'};
	return true;
}

static int by_pid(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static void read_table(struct table *t)
{
	DIR *dir = opendir("/proc");
	const struct dirent *d;

	while (dir && (d = readdir(dir))) {
		struct entry e;

		if (!isdigit((unsigned char)d->d_name[0]) || !read_entry(dirfd(dir), d->d_name, &e))
			continue;
		if (t->count == t->cap) {
			t->cap = t->cap ? 2 * t->cap : 256;
			t->entries = mem_grow(t->entries, t->cap, sizeof(*t->entries));
		}
		t->entries[t->count++] = e;
	}
	if (dir)
		closedir(dir);
	if (t->count)
		qsort(t->entries, t->count, sizeof(*t->entries), by_pid);
}

static struct entry *find_entry(const struct table *t, pid_t pid)
{
	struct entry key = {.pid = pid};

	return t->count ? bsearch(&key, t->entries, t->count, sizeof(key), by_pid) : NULL;
}

/* Up the parents until something is known, then all on the way are the same. */
static enum mark classify(const struct table *t, const struct pid_list *roots, struct entry *e)
{
	enum mark mark = MARK_ELSEWHERE;
	struct entry *p = e;

	while (p && p->mark == MARK_UNKNOWN) {
		/* A look that is no snapshot could show a circle. */
		p->mark = MARK_ON_PATH;
		if (pid_list_has(roots, p->parent)) {
			mark = MARK_BELOW;
			break;
		}
		p = find_entry(t, p->parent);
	}
	if (p && p->mark != MARK_ON_PATH)
		mark = p->mark;
	for (p = e; p && p->mark == MARK_ON_PATH; p = find_entry(t, p->parent))
		p->mark = mark;
	return mark;
}

void tree_below(const struct pid_list *roots, struct pid_list *ret)
{
	struct table t = {0};

	read_table(&t);
	for (size_t i = 0; i < t.count; i++)
		if (classify(&t, roots, &t.entries[i]) == MARK_BELOW && !t.entries[i].dead &&
		    !pid_list_has(roots, t.entries[i].pid))
			pid_list_add(ret, t.entries[i].pid);
	free(t.entries);
}

static char *open_file_of(pid_t pid, const char *pattern)
{
	AUTO(free) char *folder = mem_printf("/proc/%d/fd", (int)pid);
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	char path[4096], *found = NULL;

	while (dir && !found && (entry = readdir(dir))) {
		ssize_t n = readlinkat(dirfd(dir), entry->d_name, path, sizeof(path) - 1);

		path[n > 0 ? n : 0] = '\0';
		if (path[0] == '/' && fnmatch(pattern, path, 0) == 0)
			found = mem_strdup(path);
	}
	if (dir)
		closedir(dir);
	return found;
}

char *tree_open_file(pid_t root, const char *pattern)
{
	AUTO_PIDS struct pid_list roots = {0}, below = {0};
	char *found = open_file_of(root, pattern);

	pid_list_add(&roots, root);
	if (!found)
		tree_below(&roots, &below);
	for (size_t i = 0; !found && i < below.count; i++)
		found = open_file_of(below.pids[i], pattern);
	return found;
}

static void pause_shortly(void)
{
	nanosleep(&(struct timespec){.tv_nsec = HUNT_PAUSE_NS}, NULL);
}

/* Stop what is found until a look finds nothing new. All of the last look is in *ret. */
static void stop_all(const struct hunt *h, struct pid_list *ret)
{
	AUTO_PIDS struct pid_list stopped = {0};

	for (int round = 0; round < STOP_ROUNDS; round++) {
		bool is_new = false;

		ret->count = 0;
		h->find(h->data, ret);
		for (size_t i = 0; i < ret->count; i++) {
			if (pid_list_has(&stopped, ret->pids[i]))
				continue;
			kill(ret->pids[i], SIGSTOP);
			pid_list_add(&stopped, ret->pids[i]);
			is_new = true;
		}
		if (!is_new)
			return;
	}
}

size_t tree_hunt(const struct hunt *h, usec_t limit)
{
	usec_t until = clock_monotonic() + limit;

	for (;;) {
		AUTO_PIDS struct pid_list found = {0};

		if (h->tend)
			h->tend(h->data);
		stop_all(h, &found);
		if (found.count == 0 || clock_monotonic() >= until)
			return found.count;
		for (size_t i = 0; i < found.count; i++)
			kill(found.pids[i], SIGKILL);
		pause_shortly();
	}
}

static void find_below(void *data, struct pid_list *ret)
{
	AUTO_PIDS struct pid_list roots = {0};

	(void)data;
	pid_list_add(&roots, getpid());
	tree_below(&roots, ret);
}

static void reap(void *data)
{
	(void)data;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

size_t wrapper_end_below(void)
{
	static const struct hunt all = {.find = find_below, .tend = reap};

	return tree_hunt(&all, 10 * USEC_PER_SEC);
}
