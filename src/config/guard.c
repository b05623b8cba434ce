/*
 * guard.c: whether a file that says which commands run is the person's alone.
 * Whoever may write it runs commands with our rights, so one of another login, or one that others may write,
 * is refused, as ssh, cron and sudo do; so is one in such a folder, where it could be replaced. Links are
 * followed, and the folder they lead to counts, too. A group that has nobody else in it is no other.
 */
#include "config/guard.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

/* The group that many systems make for each login, of the same name. */
static bool is_own_group(gid_t gid)
{
	const struct passwd *pw = getpwuid(geteuid());
	const struct group *gr = pw && pw->pw_gid == gid ? getgrgid(gid) : NULL;

	if (!gr || strcmp(gr->gr_name, pw->pw_name) != 0)
		return false;
	for (char **member = gr->gr_mem; *member; member++)
		if (strcmp(*member, pw->pw_name) != 0)
			return false;
	return true;
}

#define COMMANDS "make Belfry run commands as you"
#define AGENTS "tell your agents what to do"

static int refuse_mode(const char *path, const struct stat *st, const char *harm, struct error *err)
{
	error_set(err, ERR_DENIED, "'%s' may be written by others (mode %03o): they could %s", path,
		  (unsigned)st->st_mode & 0777, harm);
	return error_hint(err, "read it, then: chmod go-w '%s'", path);
}

static bool is_sticky(const struct stat *st)
{
	return S_ISDIR(st->st_mode) && (st->st_mode & S_ISVTX);
}

static int check_stat(const char *path, const struct stat *st, const char *harm, struct error *err)
{
	mode_t others = is_own_group(st->st_gid) ? S_IWOTH : S_IWGRP | S_IWOTH;

	if (st->st_uid != geteuid() && st->st_uid != 0) {
		error_set(err, ERR_DENIED, "'%s' belongs to user %u: it could %s", path,
			  (unsigned)st->st_uid, harm);
		return error_hint(err, "read it, then: chown %u '%s'", (unsigned)geteuid(), path);
	}
	return !(st->st_mode & others) || is_sticky(st) ? 0 : refuse_mode(path, st, harm, err);
}

static int check_one(const char *path, struct error *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno == ENOENT || errno == ENOTDIR
			       ? 0
			       : error_set_errno(err, errno, "cannot look at '%s'", path);
	return check_stat(path, &st, COMMANDS, err);
}

/* Where anybody may write, anybody may put another folder into the place of the one that was looked at. */
static int check_above(const char *folder, struct error *err)
{
	AUTO(free) char *path = mem_strdup(folder);
	struct stat st;
	char *slash;

	while ((slash = strrchr(path, '/')) && slash > path) {
		*slash = '\0';
		if (stat(path, &st) == 0 && (st.st_mode & S_IWOTH) && !is_sticky(&st))
			return refuse_mode(path, &st, COMMANDS, err);
	}
	return 0;
}

static int check_folder_of(const char *path, struct error *err)
{
	const char *slash = strrchr(path, '/');
	AUTO(free)
	char *folder = slash ? mem_strndup(path, slash == path ? 1 : (size_t)(slash - path))
			     : mem_strdup(".");

	int r = check_one(folder, err);

	return r < 0 ? r : check_above(folder, err);
}

int guard_check(const char *path, struct error *err)
{
	AUTO(free) char *real = realpath(path, NULL);
	int r;

	if (!real)
		return 0; /* there is nothing to obey */
	if ((r = check_one(real, err)) < 0 || (r = check_folder_of(path, err)) < 0)
		return r;
	return strcmp(real, path) == 0 ? 0 : check_folder_of(real, err);
}

int guard_check_store(const char *path, struct error *err)
{
	return access(path, F_OK) == 0 ? guard_check(path, err) : check_folder_of(path, err);
}

int guard_check_fd(int fd, const char *name, struct error *err)
{
	AUTO(free) char *link = mem_printf("/proc/self/fd/%d", fd);
	AUTO(free) char *path = realpath(link, NULL);
	struct stat st;

	if (fstat(fd, &st) < 0)
		return error_set_errno(err, errno, "cannot look at '%s'", name);
	return check_stat(path ? path : name, &st, AGENTS, err);
}
