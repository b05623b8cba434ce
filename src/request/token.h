#pragma once
/* What a token looks like, for those who make and those who read one. */
#include <stdbool.h>
#include <stddef.h>

#define TOKEN_PREFIX "bel_"
#define TOKEN_TEXT_MAX 48 /* the prefix, 43 characters of A-Z a-z 0-9 - _, and the NUL */
#define TOKEN_SESSION_MAX 128

/* Whether this can be the id of a session: 1 to TOKEN_SESSION_MAX visible characters, no quotes. */
static inline bool token_is_session(const char *text)
{
	size_t len = 0;

	for (; text[len]; len++)
		if (text[len] <= ' ' || text[len] > '~' || text[len] == '"' || text[len] == '\\')
			return false;
	return len > 0 && len <= TOKEN_SESSION_MAX;
}
