#pragma once
/* How far a user is trusted, by config.yml as it is now. */
#include "config/config.h"
#include "store/words.h"

/* `me`, the person at this machine, fully; whom the file does not know, as anybody (public). */
enum trust trust_in(const struct config *c, const char *user);
/* No more than that was, and no more than it is now. */
enum trust trust_least(enum trust a, enum trust b);
