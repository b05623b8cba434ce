#pragma once
/*
 * From argv to one row of the request table and its arguments as JSON. Everything is read from the
 * rows, so a new command needs nothing here.
 */
#include <stdbool.h>

#include "base/buf.h"
#include "request/request.h"

#define ARGS_BODY_MAX ((size_t)1024 * 1024) /* what "-" reads from standard input */

struct command {
	const struct request_row
		*row; /* NULL: nothing or a group was named, and help is asked for */
	char *group;  /* the words so far ("reminder"), "" for none; never NULL */
	json_t *args; /* an object; NULL when help or version is asked for */
	bool json, help, version;
};
void command_fini(struct command *c);
#define AUTO_COMMAND __attribute__((cleanup(command_fini)))

/*
 * Understand argv[1..]; "-" of an ARG_BODY is read from `input_fd`. Failure: ERR_INVALID naming
 * what was typed, with the nearest name or the usage line as hint; ret->json is right even then,
 * and *ret is to be released in any case.
 */
int args_parse(const struct request_row *const *rows, int argc, char *const *argv, int input_fd,
	       struct command *ret, struct error *err);

/*
 * A text from a pipe, with the limits and the errors of "-"; `spoken` is what messages call it.
 */
int args_read_text(int fd, const char *spoken, struct buf *ret, struct error *err);

/* "belfry reminder add AGENT --message TEXT [FLAGS]" onto the end of ret. */
void args_usage(const struct request_row *row, struct buf *ret);

/* Whether a row's name is `words`, or begins with it and a space. */
bool args_is_group(const struct request_row *const *rows, const char *words);
const struct request_row *args_find_row(const struct request_row *const *rows, const char *name);

/* The row's flag of that long name or letter, or NULL. */
const struct request_arg *args_find_flag(const struct request_row *row, const char *name,
					 size_t len);
const struct request_arg *args_find_letter(const struct request_row *row, char letter);
/* The row's operand at that position, or NULL. */
const struct request_arg *args_operand(const struct request_row *row, size_t position);
bool args_repeats(const struct request_arg *arg); /* an operand that takes all that follow */

/*
 * Whether people are told of an argument. One without help has no place on a command line: it
 * serves faces (a page's cursor), is never suggested, but is understood when typed.
 */
bool args_is_shown(const struct request_arg *arg);

/* What --help calls an argument's value: its `value`, else its name in capitals. Caller frees. */
char *args_value_name(const struct request_arg *arg);
