#pragma once
/* How much of somebody's word an error quotes. Internal to this folder. */
#include <stddef.h>

#define QUOTE_MAX 40

/* At most QUOTE_MAX of the `len` bytes at `word`, and no half character: errors travel as JSON. */
static inline int quote_len(const char *word, size_t len)
{
	if (len <= QUOTE_MAX)
		return (int)len;
	len = QUOTE_MAX;
	while (len > 0 && ((unsigned char)word[len] & 0xc0) == 0x80)
		len--;
	return (int)len;
}
