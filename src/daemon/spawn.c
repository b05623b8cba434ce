/*
 * spawn.c: from a job to a process.
 * Standard input is a memory file: however large the text, nobody waits for a slow reader and none
 * that never reads can block or break us. Standard error is a real pipe, not the socket pair that
 * libuv would make, because opening /dev/stderr fails on a socket and scripts do that.
 */
#include "daemon/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

static bool same_name(const char *a, const char *b)
{
	size_t len = strcspn(a, "=");

	return strncmp(a, b, len) == 0 && b[len] == '=';
}

static bool is_replaced(const char *own, char *const *added)
{
	for (; added && *added; added++)
		if (same_name(own, *added))
			return true;
	return false;
}

/* Ours, with what the job adds in place of ours. The texts are borrowed, the array is not. */
static char **environment(char *const *added)
{
	size_t count = 0, n = 0;
	char **all;

	for (char **p = environ; *p; p++)
		count++;
	for (char *const *p = added; p && *p; p++)
		count++;
	all = mem_array(count + 1, sizeof(*all));
	for (char **p = environ; *p; p++)
		if (!is_replaced(*p, added))
			all[n++] = *p;
	for (char *const *p = added; p && *p; p++)
		all[n++] = *p;
	return all;
}

static const char *home_folder(void)
{
	const char *home = getenv("HOME");
	const struct passwd *pw;

	if (home && *home == '/')
		return home;
	pw = getpwuid(geteuid());
	return pw ? pw->pw_dir : "/";
}

/* uv_spawn() answers ENOENT for a missing folder and a missing command alike: look first. */
static int check_folder(const char *path, struct error *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return error_set_errno(err, errno, "cannot enter folder '%s'", path);
	if (!S_ISDIR(st.st_mode))
		return error_set_errno(err, ENOTDIR, "cannot enter folder '%s'", path);
	if (access(path, X_OK) < 0)
		return error_set_errno(err, errno, "cannot enter folder '%s'", path);
	return 0;
}

static int input_file(const char *text, int *ret, struct error *err)
{
	AUTO_CLOSE int fd = memfd_create("belfry-input", MFD_CLOEXEC);

	if (fd < 0 || fd_write_all(fd, text, strlen(text)) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return error_set_errno(err, errno, "cannot keep the input of a command");
	*ret = steal_fd(&fd);
	return 0;
}

static uv_stdio_container_t inherit(int fd)
{
	if (fd < 0)
		return (uv_stdio_container_t){.flags = UV_IGNORE};
	return (uv_stdio_container_t){.flags = UV_INHERIT_FD, .data.fd = fd};
}

static int start(uv_loop_t *loop, const struct job *job, mode_t mask, uv_exit_cb on_exit,
		 uv_process_t *process, const int fds[3])
{
	char **env = environment(job->environment);
	uv_stdio_container_t stdio[] = {inherit(fds[0]), inherit(fds[1]), inherit(fds[2])};
	uv_process_options_t options = {
		.exit_cb = on_exit,
		.file = job->argv[0],
		.args = job->argv,
		.env = env,
		.cwd = job->directory ? job->directory : home_folder(),
		.flags = UV_PROCESS_DETACHED,
		.stdio_count = 3,
		.stdio = stdio,
	};
	mode_t own = umask(mask);
	int rc = uv_spawn(loop, process, &options);

	umask(own);
	free(env);
	return rc;
}

int spawn_job(uv_loop_t *loop, const struct job *job, mode_t mask, uv_exit_cb on_exit,
	      uv_process_t *process, int *ret_stderr, struct error *err)
{
	AUTO_CLOSE int input = -1;
	AUTO_CLOSE int reader = -1;
	AUTO_CLOSE int writer = -1;
	int ends[2], rc;

	rc = check_folder(job->directory ? job->directory : home_folder(), err);
	if (rc < 0)
		return rc;
	if (job->input && (rc = input_file(job->input, &input, err)) < 0)
		return rc;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_set_errno(err, errno, "cannot make a pipe");
	reader = ends[0];
	writer = ends[1];
	rc = start(loop, job, mask, on_exit, process, (const int[]){input, -1, writer});
	if (rc < 0)
		return error_set_errno(err, -rc, "cannot start '%s'", job->argv[0]);
	*ret_stderr = steal_fd(&reader);
	return 0;
}
