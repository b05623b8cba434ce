/* trust.c: how far a user is trusted now. */
#include "engine/trust.h"

#include <string.h>

enum trust trust_in(const struct config *c, const char *user)
{
	const struct config_user *found = config_user(c, user);
	int trust = found ? trust_of(found->trust) : -1;

	if (strcmp(user, "me") == 0)
		return TRUST_FULL;
	return trust < 0 ? TRUST_PUBLIC : (enum trust)trust;
}

enum trust trust_least(enum trust a, enum trust b)
{
	return a < b ? a : b;
}
