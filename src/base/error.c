/*
 * error.c: the one way to say what went wrong.
 * Text that does not fit is cut, never allocated: an error must be sayable when memory is gone.
 */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct error *err, enum error_code code, const char *fmt, ...)
{
	va_list ap;

	err->code = code;
	err->os_errno = 0;
	err->hint[0] = '\0';
	va_start(ap, fmt);
	vsnprintf(err->message, sizeof(err->message), fmt, ap);
	va_end(ap);
	return err->code;
}

int error_set_errno(struct error *err, int os_errno, const char *fmt, ...)
{
	va_list ap;
	size_t used;

	err->code = os_errno == EACCES || os_errno == EPERM ? ERR_DENIED : ERR_SYSTEM;
	err->os_errno = os_errno;
	err->hint[0] = '\0';
	va_start(ap, fmt);
	vsnprintf(err->message, sizeof(err->message), fmt, ap);
	va_end(ap);
	used = strlen(err->message);
	snprintf(err->message + used, sizeof(err->message) - used, ": %s", strerror(os_errno));
	if (os_errno == ENOSPC)
		error_hint(err, "free some disk space and try again");
	return err->code;
}

int error_prefix(struct error *err, const char *fmt, ...)
{
	char inner[sizeof(err->message)];
	va_list ap;
	size_t used;

	memcpy(inner, err->message, sizeof(inner));
	va_start(ap, fmt);
	vsnprintf(err->message, sizeof(err->message), fmt, ap);
	va_end(ap);
	used = strlen(err->message);
	snprintf(err->message + used, sizeof(err->message) - used, ": %s", inner);
	return err->code;
}

int error_hint(struct error *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err->hint, sizeof(err->hint), fmt, ap);
	va_end(ap);
	return err->code;
}

static const struct error_row {
	enum error_code code;
	const char *word;
	int exit_status;
} rows[] = {
#define ERROR_ROW(name, value, word, exit_status, http, rpc) {name, word, exit_status},
	ERROR_CODES(ERROR_ROW)
#undef ERROR_ROW
};
#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

static const struct error_row *row_of(enum error_code code)
{
	for (size_t i = 0; i < ROW_COUNT; i++)
		if (rows[i].code == code)
			return &rows[i];
	return &rows[ROW_COUNT - 1];
}

const char *error_word(enum error_code code)
{
	return row_of(code)->word;
}

int error_exit_status(enum error_code code)
{
	return row_of(code)->exit_status;
}

enum error_code error_code_of(const char *word)
{
	for (size_t i = 0; i < ROW_COUNT; i++)
		if (strcmp(rows[i].word, word) == 0)
			return rows[i].code;
	return ERR_SYSTEM;
}
