/* mail-name.c: what attachments are called. Their names come from outside, and people click. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "request/mail-file.h"

/* Characters that turn the reading direction: "exe.fdp" must not look like a PDF. */
static bool is_direction(const char *p)
{
	const unsigned char *u = (const unsigned char *)p;

	return u[0] == 0xe2 && ((u[1] == 0x80 && (u[2] == 0x8e || u[2] == 0x8f ||
						  (u[2] >= 0xa8 && u[2] <= 0xae))) ||
				(u[1] == 0x81 && u[2] >= 0xa6 && u[2] <= 0xa9));
}

static char *harmless(const char *raw)
{
	const char *slash = strrchr(raw, '/');
	AUTO(free) char *clean = NULL;
	AUTO_BUF struct buf name = {0};

	raw = slash ? slash + 1 : raw;
	clean = text_clean(raw, strlen(raw));
	for (const char *p = clean; *p; p++) {
		if (is_direction(p)) {
			buf_add_char(&name, '_');
			p += 2;
		} else {
			buf_add_char(&name, strchr("\n\t\\?", *p) ? '_' : *p);
		}
	}
	return buf_steal(&name);
}

/* Where ".tar.gz" or ".pdf" begins; the end when there is nothing like it. */
static const char *extension(const char *name)
{
	const char *dot = strrchr(name, '.');

	if (!dot || dot == name || strlen(dot) > 10)
		return name + strlen(name);
	return dot;
}

/* The middle gives way: what kind of file it is stays to be seen. */
static void join(const char *stem, size_t stem_len, const char *tail, char *ret)
{
	size_t room = MAIL_NAME_MAX - strlen(tail);
	AUTO(free) char *copy = mem_strndup(stem, stem_len);

	snprintf(ret, MAIL_NAME_MAX + 1, "%.*s%s", (int)text_fit(copy, room), copy, tail);
}

void mail_file_name(const char *raw, char ret[MAIL_NAME_MAX + 1])
{
	AUTO(free) char *clean = harmless(raw);
	const char *name = clean + strspn(clean, ".- "), *tail = extension(name);

	if (!*name)
		name = tail = "file";
	join(name, tail == name ? strlen(name) : (size_t)(tail - name), tail == name ? "" : tail,
	     ret);
}

void mail_file_name_again(const char *name, int nth, char ret[MAIL_NAME_MAX + 1])
{
	const char *tail = extension(name);
	AUTO(free) char *numbered = mem_printf(" (%d)%s", nth, tail);

	join(name, (size_t)(tail - name), numbered, ret);
}
