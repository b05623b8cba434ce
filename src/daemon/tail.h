#pragma once
/* The last words of a child, made safe to store and to show. */
#include <stddef.h>

#include "base/buf.h"

#define TAIL_MAX 2048

/* Keep the newest bytes of a stream; memory stays bounded. */
void tail_add(struct buf *tail, const char *bytes, size_t len);

/* At most TAIL_MAX bytes of it, cleaned by text_clean(). Never NULL; the caller frees. */
char *tail_text(const struct buf *tail);
