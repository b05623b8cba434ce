#include "agent/wrapper.h"

int wrapper_sweep(const char *run)
{
	(void)run;
	return 0;
}
