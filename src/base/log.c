/* log.c: one write() a line, so that lines of several processes do not mix. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

static enum log_level least_level = LOG_LEVEL_INFO;

void log_set_level(enum log_level least)
{
	least_level = least;
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
