/* libpq.c: find libpq and its functions, or say which package is missing. */
#include "store/libpq.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

static int missing(const char *what, struct error *err)
{
	error_set(err, ERR_UNAVAILABLE, "cannot load PostgreSQL's client library: %s", what);
	return error_hint(err, "install the package libpq5 (version 14 or newer)");
}

int libpq_load(const struct libpq **ret, struct error *err)
{
	static struct libpq functions;
	static bool loaded;
	void *library;

	if (!loaded) {
		library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
		if (!library)
			return missing(dlerror(), err);
#define LIBPQ_FIND(name)                                                                           \
	if (!(*(void **)&functions.name = dlsym(library, #name)))                                  \
		return missing("it has no " #name, err);
		LIBPQ_FUNCTIONS(LIBPQ_FIND)
#undef LIBPQ_FIND
		loaded = true;
	}
	*ret = &functions;
	return 0;
}
