/* claim.c: who this process asks for. The daemon believes no more of it than it can check. */
#include "cli/claim.h"

#include <stdlib.h>
#include <string.h>

static void put(json_t **claim, const char *key, const char *value)
{
	json_t *text = value && *value ? json_string(value) : NULL;

	if (!text)
		return;
	if (!*claim)
		*claim = json_object();
	json_put(*claim, key, text);
}

json_t *claim_make(const char *surface)
{
	const char *session = getenv("BELFRY_SESSION");
	json_t *claim = NULL;

	put(&claim, "user", getenv("BELFRY_USER"));
	put(&claim, "mission", getenv("BELFRY_MISSION_ID"));
	put(&claim, "agent", getenv("BELFRY_AGENT"));
	put(&claim, "session", session && *session ? session : getenv("CLAUDE_CODE_SESSION_ID"));
	if (claim || strcmp(surface, "cli") != 0)
		put(&claim, "surface", surface);
	return claim;
}
