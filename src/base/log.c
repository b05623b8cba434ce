/* log.c: one write() a line, so that lines of several processes do not mix. */
#include "base/log.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

static enum log_level least_level = LOG_LEVEL_INFO;
static const char *followed; /* the file that stderr is; NULL: something else */
static bool is_stdout;	     /* and stdout */

void log_set_level(enum log_level least)
{
	least_level = least;
}

static bool is_at(int fd, const char *path)
{
	struct stat ours, there;

	return fstat(fd, &ours) == 0 && stat(path, &there) == 0 && ours.st_dev == there.st_dev &&
	       ours.st_ino == there.st_ino;
}

void log_follow(const char *path)
{
	followed = path && is_at(STDERR_FILENO, path) ? path : NULL;
	is_stdout = followed && is_at(STDOUT_FILENO, path);
}

/* What children write follows, since they get it from us. */
static void find_again(void)
{
	struct error none = {0};
	int fd;

	if (!followed || is_at(STDERR_FILENO, followed))
		return;
	fd = file_open(followed, O_WRONLY | O_APPEND | O_CREAT, &none);
	if (fd < 0)
		return; /* the folder is gone, too: then nobody looks for it there */
	if (is_stdout)
		dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	close(fd);
}

void log_at(enum log_level level, const char *fmt, ...)
{
	static const char *const words[] = {"debug", "info", "warning", "error"};
	char line[1024];
	usec_t now = clock_now();
	time_t seconds = (time_t)(now / USEC_PER_SEC);
	struct tm tm;
	va_list ap;
	size_t used;

	if (level < least_level)
		return;
	find_again();
	gmtime_r(&seconds, &tm);
	used = strftime(line, sizeof(line), "%Y-%m-%dT%H:%M:%S", &tm);
	used += (size_t)snprintf(line + used, sizeof(line) - used, ".%03dZ %-7s ",
				 (int)(now % USEC_PER_SEC / USEC_PER_MSEC), words[level]);
	va_start(ap, fmt);
	vsnprintf(line + used, sizeof(line) - used - 1, fmt, ap);
	va_end(ap);
	used = strlen(line);
	line[used++] = '\n';
	(void)!write(STDERR_FILENO, line, used);
}
