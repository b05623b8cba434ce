/*
 * address.c: unix socket paths, also long ones.
 * An address holds 107 bytes of path. A longer one is reached through an open descriptor of its
 * folder: /proc/self/fd/N/name is short, and is the same file.
 */
#include "daemon/address.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"

/* Fill the address; *ret_dir is a descriptor to keep open while it is used, or -1. */
static int fill(const char *path, struct sockaddr_un *ret, int *ret_dir, struct error *err)
{
	const char *slash = strrchr(path, '/');
	AUTO(free) char *folder = NULL;
	int len;

	ret->sun_family = AF_UNIX;
	if (strlen(path) < sizeof(ret->sun_path)) {
		strcpy(ret->sun_path, path);
		return 0;
	}
	if (!slash)
		return error_set(err, ERR_INVALID, "socket path '%s' is too long", path);
	folder = mem_strndup(path, (size_t)(slash - path));
	*ret_dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*ret_dir < 0)
		return error_set_errno(err, errno, "cannot open folder '%s'", folder);
	len = snprintf(ret->sun_path, sizeof(ret->sun_path), "/proc/self/fd/%d%s", *ret_dir, slash);
	if (len < 0 || (size_t)len >= sizeof(ret->sun_path))
		return error_set(err, ERR_INVALID, "socket name '%s' is too long", slash + 1);
	return 0;
}

static int remove_stale(const char *path, struct error *err)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return 0;
	if (!S_ISSOCK(st.st_mode)) {
		error_set(err, ERR_CONFLICT, "'%s' is in the way of the control socket", path);
		return error_hint(err, "move it elsewhere");
	}
	if (unlink(path) < 0)
		return error_set_errno(err, errno, "cannot remove the old socket '%s'", path);
	return 0;
}

int address_bind(const char *path, int *ret_fd, struct error *err)
{
	AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	AUTO_CLOSE int dir = -1;
	struct sockaddr_un address = {0};
	mode_t mask;
	int r;

	if (fd < 0)
		return error_set_errno(err, errno, "cannot create the control socket");
	if ((r = fill(path, &address, &dir, err)) < 0 || (r = remove_stale(path, err)) < 0)
		return r;
	/* Private from its first moment: a mode set after bind would leave a gap. */
	mask = umask(0177);
	r = bind(fd, (const struct sockaddr *)&address, sizeof(address));
	umask(mask);
	if (r < 0)
		return error_set_errno(err, errno, "cannot bind the control socket '%s'", path);
	*ret_fd = steal_fd(&fd);
	return 0;
}

bool address_answers(const char *path)
{
	AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	AUTO_CLOSE int dir = -1;
	struct sockaddr_un address = {0};
	struct error err = {0};

	if (fd < 0 || fill(path, &address, &dir, &err) < 0)
		return false;
	/* EAGAIN: somebody listens, but its line is full. */
	return connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 ||
	       errno == EAGAIN;
}
