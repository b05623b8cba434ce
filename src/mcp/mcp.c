/* mcp.c: the protocol's messages. */
#include "mcp/mcp.h"

#include <stdlib.h>

#include "base/mem.h"

struct mcp {
	char revision[16];
};

struct mcp *mcp_new(void)
{
	return mem_zalloc(sizeof(struct mcp));
}

void mcp_free(struct mcp *m)
{
	free(m);
}

const char *mcp_revision(const struct mcp *m)
{
	return *m->revision ? m->revision : NULL;
}

void mcp_call_fini(struct mcp_call *c)
{
	json_decref(c->id);
	json_decref(c->args);
	json_decref(c->reply);
	*c = (struct mcp_call){0};
}
