/*
 * http-check.c: what the headers of a request say.
 * A page in a browser can make any name mean 127.0.0.1 (DNS rebinding), but it cannot make the browser
 * send another Host or Origin than that name: both must be names that only this machine has.
 */
#include "daemon/http-check.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define BEARER_MAX 256

/* Nothing, or a colon and a number. */
static bool is_port(const char *text)
{
	size_t digits;

	if (!*text)
		return true;
	if (*text != ':')
		return false;
	digits = strspn(text + 1, "0123456789");
	return digits >= 1 && digits <= 5 && text[1 + digits] == '\0';
}

bool http_host_is_local(const char *host)
{
	static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};

	for (size_t i = 0; host && i < sizeof(names) / sizeof(names[0]); i++) {
		size_t len = strlen(names[i]);

		if (strncasecmp(host, names[i], len) == 0 && is_port(host + len))
			return true;
	}
	return false;
}

bool http_origin_is_local(const char *origin)
{
	static const char *const schemes[] = {"http://", "https://"};

	for (size_t i = 0; origin && i < sizeof(schemes) / sizeof(schemes[0]); i++)
		if (strncasecmp(origin, schemes[i], strlen(schemes[i])) == 0)
			return http_host_is_local(origin + strlen(schemes[i]));
	return false;
}

const char *http_bearer(const char *authorization)
{
	const char *token;
	size_t len;

	if (!authorization || strncasecmp(authorization, "Bearer ", 7) != 0)
		return NULL;
	token = authorization + 7 + strspn(authorization + 7, " ");
	len = strlen(token);
	return len > 0 && len <= BEARER_MAX && !strpbrk(token, " \t") ? token : NULL;
}

/* "text/html ;q=0.5": the length of the type alone, and whether its quality is zero. */
static size_t type_length(const char *item, size_t len)
{
	const char *end = memchr(item, ';', len);
	size_t n = end ? (size_t)(end - item) : len;

	while (n && isspace((unsigned char)item[n - 1]))
		n--;
	return n;
}

static bool is_refused(const char *item, size_t len)
{
	for (size_t i = 0; i + 3 <= len; i++) {
		size_t at = i + 3;

		if ((item[i] != ';' && item[i] != ' ') || strncasecmp(item + i + 1, "q=", 2) != 0)
			continue;
		while (at < len && (item[at] == '0' || item[at] == '.'))
			at++;
		return at > i + 3 && (at == len || item[at] == ';' || item[at] == ' ');
	}
	return false;
}

/* "*" and "/" and "*", the type itself, or its family and a star. */
static bool matches(const char *pattern, size_t len, const char *type)
{
	size_t family = strcspn(type, "/") + 1;

	if (len == strlen(type) && strncasecmp(pattern, type, len) == 0)
		return true;
	if (len == 3 && strncmp(pattern, "*/*", 3) == 0)
		return true;
	return len == family + 1 && pattern[family] == '*' &&
	       strncasecmp(pattern, type, family) == 0;
}

bool http_accepts(const char *accept, const char *type)
{
	if (!accept || !*accept)
		return true;
	while (*accept) {
		size_t len = strcspn(accept, ",");
		size_t blank = strspn(accept, " \t");

		if (blank < len &&
		    matches(accept + blank, type_length(accept + blank, len - blank), type) &&
		    !is_refused(accept + blank, len - blank))
			return true;
		accept += len + (accept[len] == ',');
	}
	return false;
}

bool http_is_type(const char *content_type, const char *type)
{
	size_t len = content_type ? type_length(content_type, strlen(content_type)) : 0;

	return len == strlen(type) && strncasecmp(content_type, type, len) == 0;
}
