/*
 * fuzz-markdown.c: whatever the text, every line is as wide as asked for at most, has no control
 * character but our own colours, and leaves none of them on. The first byte chooses width and style.
 */
#include <locale.h>
#include <string.h>

#include "base/text.h"
#include "fuzz.h"
#include "terminal/markdown.h"

/* The length of one of our colours, which begins here. */
static size_t colour_len(const char *line, bool *on)
{
	size_t n = strspn(line + 2, "0123456789;");

	FUZZ_CHECK(line[1] == '[' && line[2 + n] == 'm');
	*on = strncmp(line, "\033[0m", 4) != 0;
	return n + 3;
}

static void check_line(const char *line, size_t len, const struct style *style)
{
	AUTO_BUF struct buf bare = {0};
	bool on = false;

	for (size_t i = 0; i < len;) {
		if (line[i] == '\033') {
			FUZZ_CHECK(style->colour);
			i += colour_len(line + i, &on);
		} else {
			buf_add_char(&bare, line[i++]);
		}
	}
	FUZZ_CHECK(!on);
	FUZZ_CHECK(strlen(buf_text(&bare)) == bare.len);
	FUZZ_CHECK(text_is_utf8(buf_text(&bare), bare.len));
	FUZZ_CHECK(!text_find_control(buf_text(&bare)) && !strchr(buf_text(&bare), '\t'));
	FUZZ_CHECK(text_width(buf_text(&bare)) <= style->width);
}

static void check_render(const char *text, size_t len, unsigned choice)
{
	struct style style = {true, choice & 1, (choice >> 1) % 120 + 1};
	AUTO_BUF struct buf out = {0};
	const char *line, *eol;

	markdown_render(text, len, &style, choice % 5, &out);
	for (line = buf_text(&out); (eol = strchr(line, '\n')); line = eol + 1)
		check_line(line, (size_t)(eol - line), &style);
	FUZZ_CHECK((size_t)(line - buf_text(&out)) == out.len);
	FUZZ_CHECK(out.len <= (len + 16) * (8 * style.width + 64));
}

static void check_preview(const char *text, size_t len, unsigned choice)
{
	AUTO_BUF struct buf out = {0};

	markdown_preview(text, len, choice, &out);
	FUZZ_CHECK(out.len <= choice && strlen(buf_text(&out)) == out.len);
	FUZZ_CHECK(text_is_utf8(buf_text(&out), out.len));
	FUZZ_CHECK(!text_find_control(buf_text(&out)) && !strpbrk(buf_text(&out), "\t\n"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	setlocale(LC_CTYPE, "C.UTF-8");
	check_render((const char *)data + 1, size - 1, data[0]);
	check_preview((const char *)data + 1, size - 1, data[0]);
	return 0;
}
