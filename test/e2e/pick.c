/*
 * pick.c: `jq -r FILTER` for the filters that tests ask most, without jq's start.
 *
 * jq compiles its own library whenever it starts, which takes ten times as long as the command whose
 * answer it reads; and most of what is read is one value at a path: `.state`, `.[0].id`,
 * `.slots[0].outcome`, `length`. Those are answered here. Whatever else is asked, and whatever is
 * not one plain value, goes to jq itself, with the same arguments and the same input.
 */
#include <ctype.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXACT_MAX (1LL << 53) /* jq's numbers are doubles */

struct input {
	char *data;
	size_t len;
};

static bool read_all(struct input *in)
{
	size_t room = 0;
	ssize_t n;

	do {
		if (in->len == room) {
			char *more = realloc(in->data, room = room ? 2 * room : 65536);

			if (!more)
				return false;
			in->data = more;
		}
		n = read(STDIN_FILENO, in->data + in->len, room - in->len);
		in->len += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	return n == 0;
}

/* One more step along the path; null has everything, and all of it is null. NULL: jq knows. */
static json_t *step(json_t *value, const char **filter)
{
	const char *p = *filter;
	char name[64];
	size_t len = 0;
	json_t *next = NULL;

	if (*p == '.')
		p++;
	if (*p == '[' && isdigit((unsigned char)p[1])) {
		char *end;
		size_t index = strtoul(p + 1, &end, 10);

		if (*end != ']' || !json_is_array(value))
			return NULL;
		*filter = end + 1;
		next = json_array_get(value, index);
	} else if (p > *filter && (isalpha((unsigned char)*p) || *p == '_')) {
		while ((isalnum((unsigned char)*p) || *p == '_') && len < sizeof(name) - 1)
			name[len++] = *p++;
		name[len] = '\0';
		if (!json_is_object(value) && !json_is_null(value))
			return NULL;
		*filter = p;
		next = json_object_get(value, name);
	} else {
		return NULL;
	}
	return next ? next : json_null();
}

static json_t *follow(json_t *value, const char *filter)
{
	while (value && *filter)
		value = step(value, &filter);
	return value;
}

static bool print(const json_t *value)
{
	if (json_is_string(value))
		return fwrite(json_string_value(value), 1, json_string_length(value), stdout) ==
			       json_string_length(value) &&
		       putchar('\n') != EOF;
	if (json_is_integer(value) && llabs(json_integer_value(value)) < EXACT_MAX)
		return printf("%lld\n", (long long)json_integer_value(value)) > 0;
	if (json_is_boolean(value) || json_is_null(value))
		return puts(json_is_null(value)	  ? "null"
			    : json_is_true(value) ? "true"
						  : "false") >= 0;
	return false;
}

static bool answer(const char *filter, const struct input *in)
{
	json_t *whole = json_loadb(in->data, in->len, JSON_ALLOW_NUL, NULL), *found;

	if (!whole)
		return false;
	if (strcmp(filter, "length") == 0 && json_is_array(whole))
		return printf("%zu\n", json_array_size(whole)) > 0;
	found = *filter == '.' && filter[1] ? follow(whole, filter) : NULL;
	return found && print(found);
}

/* What we read, to be read again. */
static bool put_back(const struct input *in)
{
	int fd = memfd_create("input", 0);

	return fd >= 0 && write(fd, in->data, in->len) == (ssize_t)in->len &&
	       lseek(fd, 0, SEEK_SET) == 0 && dup2(fd, STDIN_FILENO) == STDIN_FILENO;
}

int main(int argc, char **argv)
{
	struct input in = {0};

	if (argc == 3 && strcmp(argv[1], "-r") == 0 &&
	    strspn(argv[2],
		   ".[]_0123456789"
		   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == strlen(argv[2])) {
		if (!read_all(&in))
			return 2;
		if (answer(argv[2], &in))
			return fflush(stdout) == 0 ? 0 : 2;
		if (!put_back(&in))
			return 2;
	}
	execvp("jq", argv);
	perror("jq");
	return 127;
}
