/*
 * library-page.c: what a page of Markdown says about itself: its title, its summary, its steps. Lines are
 * all that is looked at; what stands in a fenced block, or before the text as front matter, is no heading.
 */
#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"
#include "config/library.h"

#define TITLE_MAX 120
#define SUMMARY_MAX 240
#define STEP_MAX 64

struct lines {
	const char *text;
	size_t len, at; /* at: where the next line begins */
	char fence;	/* '`' or '~' inside of a block; 0 */
	const char *line;
	size_t line_len;
};

static bool starts(const struct lines *l, const char *with)
{
	size_t len = strlen(with);

	return l->line_len >= len && memcmp(l->line, with, len) == 0;
}

static void note_fence(struct lines *l)
{
	if (starts(l, "```") || starts(l, "~~~")) {
		if (!l->fence)
			l->fence = *l->line;
		else if (l->fence == *l->line)
			l->fence = 0;
	}
}

static bool next_line(struct lines *l)
{
	const char *end;

	if (l->at >= l->len)
		return false;
	l->line = l->text + l->at;
	end = memchr(l->line, '\n', l->len - l->at);
	l->line_len = end ? (size_t)(end - l->line) : l->len - l->at;
	l->at += l->line_len + (end != NULL);
	if (l->line_len && l->line[l->line_len - 1] == '\r')
		l->line_len--;
	return true;
}

/* "---" as the very first line begins a block that is about the page, up to the next "---". */
static void skip_front_matter(struct lines *l)
{
	struct lines ahead = *l;

	if (!next_line(&ahead) || ahead.line_len != 3 || !starts(&ahead, "---"))
		return;
	while (next_line(&ahead))
		if (ahead.line_len == 3 && starts(&ahead, "---")) {
			l->at = ahead.at;
			return;
		}
}

/* The level of a heading, 0 for any other line; *ret is its text. */
static int heading(const struct lines *l, const char **ret, size_t *ret_len)
{
	size_t level = 0, end = l->line_len;

	while (level < end && l->line[level] == '#')
		level++;
	if (level == 0 || level > 6 || level == end || !isblank((unsigned char)l->line[level]))
		return 0;
	*ret = l->line + level;
	while (end > level && (isblank((unsigned char)l->line[end - 1]) || l->line[end - 1] == '#'))
		end--;
	*ret_len = end - level;
	while (*ret_len && isblank((unsigned char)**ret))
		++*ret, --*ret_len;
	return (int)level;
}

static char *clean(const char *text, size_t len, size_t max)
{
	char *all = text_clean(text, len);

	all[text_fit(all, max)] = '\0';
	return all;
}

static bool is_blank(const struct lines *l)
{
	for (size_t i = 0; i < l->line_len; i++)
		if (!isblank((unsigned char)l->line[i]))
			return false;
	return true;
}

void library_head(const char *text, size_t len, const char *fallback, struct library_page *ret)
{
	struct lines l = {.text = text, .len = len};
	AUTO_BUF struct buf summary = {0};
	const char *words;
	size_t words_len;

	skip_front_matter(&l);
	while (next_line(&l)) {
		note_fence(&l);
		if (!l.fence && heading(&l, &words, &words_len)) {
			if (summary.len || ret->title)
				break;
			ret->title = clean(words, words_len, TITLE_MAX);
		} else if (!is_blank(&l) && summary.len < SUMMARY_MAX) {
			buf_add_str(&summary, summary.len ? " " : "");
			buf_add(&summary, l.line, l.line_len);
		} else if (summary.len) {
			break;
		}
	}
	if (!ret->title || !*ret->title)
		mem_replace(&ret->title, fallback);
	ret->summary = clean(buf_text(&summary), summary.len, SUMMARY_MAX);
}

/* "2. Write tests!" is "write-tests". */
static char *step_name(const char *words, size_t len)
{
	struct buf out = {0};
	size_t i = 0;

	while (i < len && isdigit((unsigned char)words[i]))
		i++;
	if (i == 0 || i == len || !strchr(".):", words[i]))
		i = 0;
	for (; i < len && out.len < STEP_MAX; i++) {
		unsigned char c = (unsigned char)words[i];

		if ((c < 0x80 && isalnum(c)) || c == '_')
			buf_add_char(&out, (char)tolower(c));
		else if (out.len && out.data[out.len - 1] != '-')
			buf_add_char(&out, '-');
	}
	while (out.len && out.data[out.len - 1] == '-')
		out.data[--out.len] = '\0';
	return buf_steal(&out);
}

bool library_next_step(const char *text, size_t len, size_t *at, char **ret_name)
{
	struct lines l = {.text = text, .len = len, .at = *at};
	const char *words;
	size_t words_len;

	if (*at == 0)
		skip_front_matter(&l);
	while (next_line(&l)) {
		note_fence(&l);
		if (l.fence || heading(&l, &words, &words_len) != 2)
			continue;
		*at = (size_t)(l.line - text);
		*ret_name = step_name(words, words_len);
		return true;
	}
	*at = len;
	return false;
}
