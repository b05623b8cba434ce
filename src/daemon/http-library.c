/* http-library.c: find libmicrohttpd and its functions, or say which package is missing. */
#include "daemon/http-library.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

static int missing(const char *what, struct error *err)
{
	error_set(err, ERR_UNAVAILABLE, "cannot load the HTTP library: %s", what);
	return error_hint(err, "install the package libmicrohttpd12");
}

int http_library_load(const struct http_library **ret, struct error *err)
{
	static struct http_library functions;
	static bool loaded;
	void *library;

	if (!loaded) {
		library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
		if (!library)
			return missing(dlerror(), err);
#define HTTP_FIND(name)                                                                            \
	if (!(*(void **)&functions.name = dlsym(library, #name)))                                  \
		return missing("it has no " #name, err);
		HTTP_FUNCTIONS(HTTP_FIND)
#undef HTTP_FIND
		loaded = true;
	}
	*ret = &functions;
	return 0;
}
