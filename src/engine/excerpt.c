/*
 * excerpt.c: how a text begins, in one line: what a list of threads shows of a message, and what a
 * thread without a name is called. Markdown's marks at the start of a line say nothing there, nor
 * do lines that are nothing but marks.
 */
#include "engine/internal.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"

#define ELLIPSIS "…"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0';
}

/* Past "## ", "> ", "- " and the like, which may stand one in another. */
static const char *skip_marks(const char *p)
{
	for (;;) {
		size_t hashes;

		p += strspn(p, " \t");
		hashes = strspn(p, "#");
		if (*p == '>')
			p++;
		else if (hashes && is_blank(p[hashes]))
			p += hashes;
		else if (*p && strchr("*-+", *p) && is_blank(p[1]))
			p++;
		else
			return p;
	}
}

/* A rule, a fence of code, the line below a heading or a table's head. */
static bool is_only_marks(const char *line, size_t len)
{
	return strncmp(line, "```", 3) == 0 || strncmp(line, "~~~", 3) == 0 ||
	       strspn(line, "-=*_|:+ \t\r") >= len;
}

static void add_line(const char *line, size_t len, struct buf *out)
{
	bool gap = out->len > 0;

	for (size_t i = 0; i < len; i++) {
		if (line[i] == '`')
			continue;
		if (line[i] == '*' && i + 1 < len && line[i + 1] == '*') {
			i++;
			continue;
		}
		if (is_blank(line[i])) {
			gap = out->len > 0;
			continue;
		}
		if (gap)
			buf_add_char(out, ' ');
		gap = false;
		buf_add_char(out, line[i]);
	}
}

static char *fit(struct buf *out, size_t max)
{
	if (out->len > max) {
		out->len = text_fit(buf_text(out), max - strlen(ELLIPSIS));
		while (out->len && out->data[out->len - 1] == ' ')
			out->len--;
		out->data[out->len] = '\0';
		buf_add_str(out, ELLIPSIS);
	}
	return buf_steal(out);
}

char *excerpt_text(const char *title, const char *text, size_t max)
{
	struct buf out = {0};

	if (title && *title) {
		add_line(title, strlen(title), &out);
		buf_add_char(&out, ':');
	}
	while (*text && out.len <= max) {
		const char *line = skip_marks(text);
		size_t len = strcspn(line, "\n");

		if (!is_only_marks(line, len))
			/* A line may be very long, and blanks in it count for nothing. */
			add_line(line, len < 8 * max ? len : text_fit(line, 8 * max), &out);
		text = line + len + (line[len] == '\n');
	}
	if (title && *title && out.len && out.data[out.len - 1] == ':')
		out.data[--out.len] = '\0';
	return fit(&out, max);
}
