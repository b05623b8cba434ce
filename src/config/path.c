/*
 * path.c: make paths absolute without asking the disk.
 * The daemon and the command line run in different folders and must mean the same file, so every
 * path that comes from outside is made absolute once, where it is read.
 */
#include "config/path.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

int path_home(char **ret, struct error *err)
{
	const char *home = getenv("HOME");
	const struct passwd *user;

	if (!home || home[0] != '/') {
		user = getpwuid(geteuid());
		home = user ? user->pw_dir : NULL;
	}
	if (!home || home[0] != '/') {
		error_set(err, ERR_NOT_FOUND, "cannot find the home folder of user %u", geteuid());
		return error_hint(err, "set HOME, or BELFRY_HOME to a folder for belfry alone");
	}
	*ret = mem_strdup(home);
	return 0;
}

/* The folder a path starts from, and in *rest what follows it. */
static int starting_folder(const char *path, const char *base, char **ret, const char **rest,
			   struct error *err)
{
	*rest = path;
	if (path[0] == '/') {
		*ret = mem_strdup("");
		return 0;
	}
	if (path[0] == '~' && (path[1] == '/' || path[1] == '\0')) {
		*rest = path + 1;
		return path_home(ret, err);
	}
	if (path[0] == '~') {
		error_set(err, ERR_INVALID, "cannot expand '%s'", path);
		return error_hint(err, "only '~/' is known; write the folder out, or './~...'");
	}
	if (base) {
		*ret = mem_strdup(base);
		return 0;
	}
	*ret = getcwd(NULL, 0);
	return *ret ? 0 : error_set_errno(err, errno, "cannot find the current folder");
}

/* Add the parts of a path, each with one slash before it. */
static void add_parts(struct buf *b, const char *path)
{
	while (*path) {
		size_t len = strcspn(path, "/");

		if (len > 0 && !(len == 1 && path[0] == '.')) {
			buf_add_char(b, '/');
			buf_add(b, path, len);
		}
		path += len + strspn(path + len, "/");
	}
}

int path_absolute(const char *path, const char *base, char **ret, struct error *err)
{
	AUTO(free) char *start = NULL;
	AUTO_BUF struct buf b = {0};
	const char *rest;
	int r;

	if (!path[0])
		return error_set(err, ERR_INVALID, "an empty path");
	r = starting_folder(path, base, &start, &rest, err);
	if (r < 0)
		return r;
	add_parts(&b, start);
	add_parts(&b, rest);
	if (b.len == 0)
		buf_add_char(&b, '/');
	*ret = buf_steal(&b);
	return 0;
}

int path_store_url(const char *text, const char *base, char **ret, struct error *err)
{
	AUTO(free) char *path = NULL;
	const char *scheme_end = strstr(text, "://");
	int r;

	if (strncmp(text, "postgres://", 11) == 0 || strncmp(text, "postgresql://", 13) == 0) {
		*ret = mem_strdup(text);
		return 0;
	}
	if (scheme_end && !memchr(text, '/', (size_t)(scheme_end - text))) {
		/* Only the scheme: what follows may hold a password. */
		error_set(err, ERR_INVALID, "cannot keep a store in '%.*s://'",
			  (int)(scheme_end - text), text);
		return error_hint(err, "a store is 'sqlite:PATH', a path, or 'postgres://...'");
	}
	if (strncmp(text, "sqlite:", 7) == 0)
		text += 7;
	if (strcmp(text, ":memory:") == 0) {
		*ret = mem_strdup("sqlite::memory:");
		return 0;
	}
	r = path_absolute(text, base, &path, err);
	if (r < 0)
		return r;
	*ret = mem_printf("sqlite:%s", path);
	return 0;
}

/* After an upgrade the file we run is gone; what has its name now is the one to call. */
char *path_own_program(void)
{
	static const char gone[] = " (deleted)";
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *end;

	if (n <= 0)
		return NULL;
	path[n] = '\0';
	end = path + n - (sizeof(gone) - 1);
	if (end > path && strcmp(end, gone) == 0)
		*end = '\0';
	return mem_strdup(path);
}
