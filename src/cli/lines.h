#pragma once
/* A file or standard input, line by line, with a limit on each. */
#include <stdio.h>

#include "base/auto.h"
#include "base/error.h"

#define LINE_MAX_LEN ((size_t)1024 * 1024)

struct lines;

/* "-" is standard input. */
int lines_open(const char *path, struct lines **ret, struct error *err);
void lines_free(struct lines *l);
DEFINE_AUTO(struct lines, lines_free)

/*
 * The next line that is not blank, without its newline; good until the next call. Returns 1, 0 at
 * the end, or negative: a line longer than LINE_MAX_LEN is an error that names its number.
 */
int lines_next(struct lines *l, const char **ret, size_t *ret_len, struct error *err);
size_t lines_number(const struct lines *l); /* of the line just returned, from 1 */
