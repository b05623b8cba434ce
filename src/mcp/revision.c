/* revision.c: the revisions of the protocol that are spoken here, and what they differ in. */
#include <string.h>

#include "mcp/parts.h"

/* clang-format off */
const struct revision revisions[] = {
	{"2026-07-28", REVISION_STRUCTURED | REVISION_STATELESS},
	{"2025-11-25", REVISION_STRUCTURED},
	{"2025-06-18", REVISION_STRUCTURED},
	{"2025-03-26", REVISION_BATCHES},
	{"2024-11-05", 0},
	{NULL, 0},
};
/* clang-format on */

const struct revision *revision_find(const char *name)
{
	for (const struct revision *r = revisions; r->name; r++)
		if (strcmp(r->name, name) == 0)
			return r;
	return NULL;
}

const struct revision *revision_of(const struct mcp_call *c)
{
	return revision_find(c->revision);
}

bool mcp_knows_revision(const char *revision)
{
	return revision_find(revision) != NULL;
}

bool mcp_is_stateless(const char *revision)
{
	const struct revision *r = revision_find(revision);

	return r && (r->flags & REVISION_STATELESS);
}

const struct revision *revision_newest_agreed(void)
{
	const struct revision *r = revisions;

	while (r->flags & REVISION_STATELESS)
		r++;
	return r;
}

json_t *revision_names(void)
{
	json_t *names = json_array();

	for (const struct revision *r = revisions; r->name; r++)
		json_array_append_new(names, json_string(r->name));
	return names;
}
