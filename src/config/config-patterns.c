/* config-patterns.c: what agents are told when a prompt matches. */
#include <stdlib.h>

#include "config/read.h"

int read_patterns(struct reader *r, const struct yaml_node *value, void *target)
{
	(void)target;
	return read_fail(r, value, "promptReminders cannot be read yet");
}

void config_pattern_fini(struct config_pattern *pattern)
{
	free(pattern->match);
	free(pattern->say);
	free(pattern->agent);
}
