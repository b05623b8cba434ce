#pragma once
/* The address of the control socket. */
#include <stdbool.h>

#include "base/error.h"

/*
 * Bind a listening socket at a path of any length, mode 0600, in place of one a dead daemon left.
 * Only the holder of the home's lock may call it.
 */
int address_bind(const char *path, int *ret_fd, struct error *err);

/* Whether somebody listens there. */
bool address_answers(const char *path);
