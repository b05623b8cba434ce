#pragma once
/* Writing messages from the command line: `message send` for agents, `inbox reply` for people. */
#include "cli/cli.h"
#include "cli/spool.h"

/* What was typed, or what comes down a pipe, as the body in the arguments. */
int mail_read_body(struct spool *s, json_t *args, struct error *err);
int mail_body_is_missing(const char *hint, struct error *err); /* always an error */
/* Body and attachments on their way, and the answer printed. What was spooled goes when `s` does. */
int mail_post(const struct cli *c, struct spool *s, json_t *args, json_t **ret, struct error *err);
