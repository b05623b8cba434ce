/* program.c: see program.h. */
#include "terminal/program.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

bool program_is_installed(const char *name)
{
	const char *path = getenv("PATH");

	for (const char *p = path; p && *p;) {
		size_t len = strcspn(p, ":");
		AUTO(free) char *file = mem_printf("%.*s/%s", (int)len, p, name);

		if (len && access(file, X_OK) == 0)
			return true;
		p += len + (p[len] == ':');
	}
	return false;
}
