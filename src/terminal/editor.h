#pragma once
/* The person's editor, which has the terminal until it ends. */
#include "base/error.h"

/*
 * Let it work on a file: $VISUAL, $EDITOR, or the first of the usual ones that is installed.
 * Returns 0 when it ended well. ERR_SYSTEM when there is none, it failed, or a signal ended
 * it; the file is then as it left it, and the keyboard as it was before.
 */
int editor_run(const char *path, struct error *err);
