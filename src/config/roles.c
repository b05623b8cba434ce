/* roles.c: roles/NAME.yml. */
#include "config/config.h"

int config_load_roles(struct config *c, const char *folder, struct error *err)
{
	(void)c, (void)folder, (void)err;
	return 0;
}

const struct config_role *config_role(const struct config *c, const char *name, struct error *err)
{
	(void)c;
	error_set(err, ERR_NOT_FOUND, "no role '%s'", name);
	return NULL;
}

int config_bind(struct config *c, const char *agent, const char *role, struct error *err)
{
	(void)c, (void)agent;
	return error_set(err, ERR_NOT_FOUND, "no role '%s'", role);
}
