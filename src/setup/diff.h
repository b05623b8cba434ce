#pragma once
/* Two texts compared by lines. */
#include <stddef.h>

#include "base/buf.h"

/* A unified diff, with three lines around every change; nothing when they are the same. */
void diff_print(struct buf *out, const char *path, const char *old, size_t old_len, const char *new,
		size_t new_len);
