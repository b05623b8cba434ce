/*
 * cgroup.c: a control group around a run, where we may make one.
 * It adds one thing to the tree of parents: when the wrapper itself is killed, what it leaves is
 * still together, also a process that gave up its environment. A group is ours to divide only when it
 * was delegated: systemd says so in an attribute, and another user's we could not write to. Root may
 * write everywhere, which is no permission.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "agent/wrapper-parts.h"
#include "base/file.h"
#include "base/mem.h"

#define PROC_FILE_MAX ((size_t)1024 * 1024)

/* The path of a process's group in the unified hierarchy: the line "0::PATH". */
static char *path_of_process(const char *process)
{
	AUTO(free) char *file = mem_printf("/proc/%s/cgroup", process);
	AUTO_BUF struct buf text = {0};
	struct error err = {0};
	const char *line;

	if (file_read(file, PROC_FILE_MAX, &text, &err) < 0)
		return NULL;
	line = strncmp(buf_text(&text), "0::/", 4) == 0 ? buf_text(&text)
							: strstr(buf_text(&text), "\n0::/");
	if (!line)
		return NULL;
	line = strchr(line, '/');
	return mem_strndup(line, strcspn(line, "\n"));
}

/* Where it is mounted: of "36 35 0:31 / /sys/fs/cgroup rw … - cgroup2 …" the fifth word. */
static char *mount_point(void)
{
	AUTO_BUF struct buf text = {0};
	struct error err = {0};
	char *saved = NULL;

	if (file_read("/proc/self/mountinfo", PROC_FILE_MAX, &text, &err) < 0)
		return NULL;
	for (char *line = strtok_r(text.data, "\n", &saved); line;
	     line = strtok_r(NULL, "\n", &saved)) {
		char root[8], where[512];

		if (strstr(line, " - cgroup2 ") &&
		    sscanf(line, "%*s %*s %*s %7s %511s", root, where) == 2 &&
		    strcmp(root, "/") == 0)
			return mem_strdup(where);
	}
	return NULL;
}

static bool is_delegated(const char *path)
{
	AUTO(free) char *procs = mem_printf("%s/cgroup.procs", path);
	char value = '0';

	if (access(path, W_OK) < 0 || access(procs, W_OK) < 0)
		return false;
	return geteuid() != 0 ||
	       (getxattr(path, "trusted.delegate", &value, 1) == 1 && value == '1') ||
	       (getxattr(path, "user.delegate", &value, 1) == 1 && value == '1');
}

static char *find_base(const char *process)
{
	const char *set = getenv("BELFRY_CGROUP");
	AUTO(free) char *own = NULL;
	AUTO(free) char *mount = NULL;
	AUTO(free) char *path = NULL;

	if (set)
		return *set ? mem_strdup(set) : NULL;
	own = path_of_process(process);
	mount = own ? mount_point() : NULL;
	if (!mount)
		return NULL;
	path = mem_printf("%s%s", mount, own);
	return is_delegated(path) ? steal_ptr(&path) : NULL;
}

/* Looked for once: a nursery does it for all its wrappers. */
static const char *base_folder(void)
{
	static bool is_known;
	static char *base;

	if (!is_known)
		base = find_base("self");
	is_known = true;
	return base;
}

void cgroup_look(void)
{
	base_folder();
}

static char *path_of(const char *run)
{
	const char *base = base_folder();
	AUTO(free) char *name = mem_strdup(run);

	for (char *p = name; *p; p++)
		if (*p == '/')
			*p = '.';
	return base ? mem_printf("%s/belfry-%s", base, name) : NULL;
}

static bool has_kill(const char *path)
{
	AUTO(free) char *file = mem_printf("%s/cgroup.kill", path);

	return access(file, W_OK) == 0;
}

bool wrapper_has_groups(pid_t daemon)
{
	AUTO(free) char *process = mem_printf("%d", (int)daemon);
	AUTO(free) char *base = find_base(process);

	return base && has_kill(base);
}

char *cgroup_make(const char *run)
{
	AUTO(free) char *path = path_of(run);

	if (!path || (mkdir(path, 0755) < 0 && errno != EEXIST))
		return NULL;
	if (has_kill(path))
		return steal_ptr(&path);
	rmdir(path);
	return NULL;
}

char *cgroup_find(const char *run)
{
	AUTO(free) char *path = path_of(run);

	return path && has_kill(path) ? steal_ptr(&path) : NULL;
}

void cgroup_kill(const char *path)
{
	AUTO(free) char *file = mem_printf("%s/cgroup.kill", path);
	AUTO_CLOSE int fd = open(file, O_WRONLY | O_CLOEXEC);

	if (fd >= 0)
		(void)!write(fd, "1", 1);
}

void cgroup_remove(const char *path)
{
	/* The killed are gone from /proc a moment before they are gone from their group. */
	for (int i = 0; i < 100 && rmdir(path) < 0 && errno == EBUSY; i++)
		usleep(1000);
}
