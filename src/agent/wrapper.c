#include "agent/wrapper.h"

int wrapper_run(const struct order *o, const struct wrapper_place *place, int gate_fd)
{
	(void)o;
	(void)place;
	(void)gate_fd;
	return 0;
}
