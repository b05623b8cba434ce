#pragma once
/* What the headers of a request say. Pure: texts in, answers out; NULL is a header that is not there. */
#include <stdbool.h>
#include <stddef.h>

/* Whether "127.0.0.1[:PORT]", "localhost[:PORT]" or "[::1][:PORT]": a name only this machine has. */
bool http_host_is_local(const char *host);
/* The same of an origin, "http://HOST[:PORT]" or https. */
bool http_origin_is_local(const char *origin);

/* The token of "Bearer TOKEN"; NULL when it is something else, or too long to be one. */
const char *http_bearer(const char *authorization);

/* Whether a list of Accept has this type, or a pattern that has it; no list has everything. */
bool http_accepts(const char *accept, const char *type);
/* Whether a Content-Type is this type, whatever its parameters. */
bool http_is_type(const char *content_type, const char *type);
