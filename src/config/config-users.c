/* config-users.c: who agents act for, and how far they are trusted. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "config/read.h"

int read_users(struct reader *r, const struct yaml_node *value, void *target)
{
	(void)target;
	return read_fail(r, value, "users cannot be read yet");
}

void config_user_fini(struct config_user *user)
{
	free(user->name);
	free(user->trust);
	mem_free_list(user->match);
	free(user->timezone);
}

const struct config_user *config_user(const struct config *c, const char *name)
{
	for (size_t i = 0; i < c->user_count; i++)
		if (strcmp(c->users[i].name, name) == 0)
			return &c->users[i];
	return NULL;
}

const struct config_user *config_user_matching(const struct config *c, const char *address)
{
	for (size_t i = 0; i < c->user_count; i++)
		for (char **p = c->users[i].match; p && *p; p++)
			if (strcmp(*p, address) == 0)
				return &c->users[i];
	return NULL;
}
