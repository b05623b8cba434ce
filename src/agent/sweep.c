/*
 * sweep.c: what a killed wrapper, or the killed keeper of a command, left behind.
 * The agent died with its wrapper; what the agent started did not, and is nobody's child now. It is
 * known by BELFRY_RUN in the environment it began with, and with it all that is below it; by
 * BELFRY_WORKSPACE, too, since another home on this machine may have a run of that name. What is below a
 * command has its keeper in BELFRY_COMMAND, and is left when that very process is gone. Only our own
 * processes can be looked at that way, and only those are ours to end.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/brand.h"
#include "agent/wrapper-parts.h"
#include "base/mem.h"

#define SWEEP_LIMIT (10 * USEC_PER_SEC)
#define ENVIRONMENT_MAX ((size_t)8 * 1024 * 1024) /* the kernel allows less for all arguments */

struct sweep {
	char *variable; /* "BELFRY_RUN=mis-k3f9x2/1"; NULL: what keepers have left */
	char *place; /* "BELFRY_WORKSPACE=/…/missions/mis-k3f9x2/agent"; of keepers: "/…/missions" */
	char *cgroup; /* NULL: none */
	struct buf environment;
};

static bool read_environment(int proc, const char *pid, struct buf *ret)
{
	char path[32];

	snprintf(path, sizeof(path), "%.16s/environ", pid);
	AUTO_CLOSE int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	buf_clear(ret);
	while (fd >= 0 && ret->len < ENVIRONMENT_MAX) {
		ssize_t n;

		buf_reserve(ret, 65536);
		n = read(fd, ret->data + ret->len, 65536);
		if (n <= 0)
			break;
		ret->len += (size_t)n;
	}
	buf_add_char(ret, '\0'); /* also of one that was cut */
	return ret->len > 1;
}

static bool has_variable(const struct buf *environment, const char *variable)
{
	const char *p = environment->data, *end = p + environment->len;
	size_t len = strlen(variable);

	while (p < end) {
		const char *stop = memchr(p, '\0', (size_t)(end - p));
		size_t n = (size_t)((stop ? stop : end) - p);

		if (n == len && memcmp(p, variable, len) == 0)
			return true;
		p += n + 1;
	}
	return false;
}

static bool is_dead(int proc, const char *pid)
{
	char path[32], text[512] = "";
	const char *state;

	snprintf(path, sizeof(path), "%.16s/stat", pid);
	AUTO_CLOSE int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return true;
	state = strrchr(text, ')');
	return !state || !state[1] || state[2] == 'Z' || state[2] == 'X';
}

static bool is_ours(int proc, const char *pid)
{
	struct stat st;

	return fstatat(proc, pid, &st, 0) == 0 && st.st_uid == geteuid() &&
	       (pid_t)strtol(pid, NULL, 10) != getpid();
}

/* Marked by a keeper that is gone; whoever only has a copy of that environment (a job of at(1)) has no brand. */
static bool has_lost_keeper(const struct sweep *s, pid_t pid)
{
	static const char name[] = "BELFRY_COMMAND=";
	const char *p = s->environment.data, *end = p + s->environment.len;
	int64_t start, began;
	int keeper, at = 0;
	pid_t parent;

	while (p < end && strncmp(p, name, sizeof(name) - 1) != 0)
		p += strlen(p) + 1;
	if (p >= end)
		return false;
	p += sizeof(name) - 1;
	/* NOLINTNEXTLINE(cert-err34-c): the keeper wrote it */
	if (sscanf(p, "%d.%" SCNd64 ":%n", &keeper, &start, &at) != 2 || !at ||
	    strcmp(p + at, s->place) != 0)
		return false;
	return (process_parent(keeper, &parent, &began) < 0 || began != start) &&
	       brand_of(pid) != BRAND_NONE;
}

static bool is_marked(const struct sweep *s, pid_t pid)
{
	if (!s->variable)
		return has_lost_keeper(s, pid);
	return has_variable(&s->environment, s->variable) &&
	       has_variable(&s->environment, s->place);
}

static void find_marked(struct sweep *s, struct pid_list *ret)
{
	DIR *dir = opendir("/proc");
	const struct dirent *d;

	while (dir && (d = readdir(dir)))
		if (isdigit((unsigned char)d->d_name[0]) && is_ours(dirfd(dir), d->d_name) &&
		    read_environment(dirfd(dir), d->d_name, &s->environment) &&
		    is_marked(s, (pid_t)strtol(d->d_name, NULL, 10)) &&
		    !is_dead(dirfd(dir), d->d_name))
			pid_list_add(ret, (pid_t)strtol(d->d_name, NULL, 10));
	if (dir)
		closedir(dir);
}

static void find_rest(void *data, struct pid_list *ret)
{
	AUTO_PIDS struct pid_list below = {0};
	struct sweep *s = data;

	find_marked(s, ret);
	if (ret->count == 0)
		return;
	tree_below(ret, &below);
	for (size_t i = 0; i < below.count; i++)
		if (below.pids[i] != getpid())
			pid_list_add(ret, below.pids[i]);
}

int wrapper_sweep(const char *missions, const char *run)
{
	size_t id = strcspn(run, "/"); /* CHORE_SWEEP has no number */
	struct sweep s = {0};
	struct hunt h = {find_rest, NULL, &s};
	size_t left;

	if (run[id]) {
		s.variable = mem_printf("BELFRY_RUN=%s", run);
		s.place = mem_printf("BELFRY_WORKSPACE=%s/%.*s/agent", missions, (int)id, run);
		s.cgroup = cgroup_find(run);
	} else {
		s.place = mem_strdup(missions);
	}
	if (s.cgroup)
		cgroup_kill(s.cgroup);
	left = tree_hunt(&h, SWEEP_LIMIT);
	if (s.cgroup)
		cgroup_remove(s.cgroup);
	buf_fini(&s.environment);
	free(s.cgroup);
	free(s.place);
	free(s.variable);
	return (int)left;
}
