/* presence.c: what a live agent is doing. */
#include "agent/presence.h"

#include <stdio.h>

void presence_judge(const struct adapter_live *rules, const struct presence_facts *f,
		    struct presence_verdict *ret)
{
	(void)rules;
	*ret = (struct presence_verdict){.is = IS_STARTING, .since = f->started_at};
	ret->again_at = USEC_NONE;
	snprintf(ret->evidence, sizeof(ret->evidence), "just started");
}
