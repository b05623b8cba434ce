#pragma once
/* --help from the rows: the program, a group of commands, one command. */
#include "base/buf.h"
#include "request/request.h"
#include "terminal/style.h"

#define HELP_TAGLINE "the clock and post office of AI agents"

/* What `command` asked help for: its row, else its group, else everything. */
struct command;
void help_print(const struct request_row *const *rows, const struct command *command,
		const struct style *style, struct buf *out);

/* The help of an argument with its choices: "how urgent it is; one of interrupt, normal". */
void help_arg(const struct request_arg *arg, struct buf *out);
