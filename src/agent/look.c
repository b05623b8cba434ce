/*
 * look.c: what a captured screen shows.
 * The screen is read once into plain lines, with the attributes that mean something beside each byte.
 * Then three questions, by the adapter's patterns: does a line (or the title) say that it works, does a
 * line ask for a permission, and what is in the line that one types in. A question wins over work, and
 * both over the input line, which may be there all the time.
 *
 * The input line is looked for at the cursor, and above it over the indented lines of a longer text. What
 * is dim or invisible in it is a suggestion; so is the character that the program's own cursor
 * stands on, in reverse, when what follows it is dim.
 *
 * A screen may be hostile: its size, its lines and their number are bounded, and patterns have no
 * back references, so that matching takes time by its length.
 */
#include <regex.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/presence.h"
#include "base/mem.h"
#include "base/text.h"

#define LINE_MAX_BYTES 4096 /* of a line that is matched */
#define INPUT_LINES_MAX 40  /* of what is typed, above and below the cursor */
#define PATTERNS 16	    /* compiled ones that are kept */
#define NBSP "\xc2\xa0"
#define BAR "\xe2\x94\x82" /* of a box around the input */

enum { DIM = 1, HIDDEN = 2, REVERSE = 4 };

struct screen {
	struct buf text;       /* lines, each ended by NUL */
	struct buf attributes; /* one byte for each of the text */
	size_t *lines;	       /* where each begins */
	size_t count;
};

static void screen_fini(struct screen *s)
{
	buf_fini(&s->text);
	buf_fini(&s->attributes);
	free(s->lines);
}
#define AUTO_SCREEN __attribute__((cleanup(screen_fini)))

static const char *line_at(const struct screen *s, size_t i)
{
	return s->text.data + s->lines[i];
}

/* --- reading -------------------------------------------------------------------------------- */

/* One "38;5;246m": *p stands behind the bracket, and then behind the m. */
static void read_style(const char *p, const char *end, unsigned *style)
{
	while (p <= end) {
		char *next = NULL;
		long code = strtol(p, &next, 10); /* nothing is 0, as on a terminal */

		if (*next == ':') {
			next += strspn(next, ":0123456789");
			code = code == 0 ? 0 : -1;
		}
		if (code == 0)
			*style = 0;
		else if (code == 2)
			*style |= DIM;
		else if (code == 7)
			*style |= REVERSE;
		else if (code == 8)
			*style |= HIDDEN;
		else if (code == 22)
			*style &= ~(unsigned)DIM;
		else if (code == 27)
			*style &= ~(unsigned)REVERSE;
		else if (code == 28)
			*style &= ~(unsigned)HIDDEN;
		p = next + 1;
		/* A colour has its own numbers: 5;N or 2;R;G;B. */
		if (code == 38 || code == 48 || code == 58) {
			int skip = p[0] == '5' ? 2 : p[0] == '2' ? 4 : 0;

			while (skip-- > 0 && p <= end) {
				p += strcspn(p, ";m") + 1;
			}
		}
		if (p > end || next >= end)
			return;
	}
}

/* Behind an escape sequence. `p` is at the escape. */
static const char *read_escape(const char *p, const char *end, unsigned *style)
{
	const char *from = p + 2;

	if (p + 1 >= end)
		return end;
	if (p[1] == '[') {
		for (p = from; p < end && (unsigned char)*p >= 0x20 && (unsigned char)*p < 0x40;
		     p++)
			;
		if (p < end && *p == 'm' && strspn(from, "0123456789;:") == (size_t)(p - from))
			read_style(from, p, style);
		return p < end ? p + 1 : end;
	}
	if (strchr("]PX^_", p[1])) { /* a string: a title, a link */
		for (p = from; p < end && *p != '\a' && *p != '\x1b' && *p != '\n'; p++)
			;
		if (p < end && *p == '\x1b')
			return p + 1 < end && p[1] == '\\' ? p + 2 : p;
		return p < end && *p == '\a' ? p + 1 : p;
	}
	for (p = p + 1; p < end && *p >= 0x20 && *p < 0x30; p++)
		; /* a character set */
	return p < end && *p != '\n' && *p != '\x1b' ? p + 1 : p;
}

static void add_byte(struct screen *s, char c, unsigned style)
{
	buf_add_char(&s->text, c);
	buf_add_char(&s->attributes, (char)style);
}

static void trim_line(struct screen *s, size_t from)
{
	while (s->text.len > from && s->text.data[s->text.len - 1] == ' ')
		s->text.len--;
	s->attributes.len = s->text.len;
}

static void end_line(struct screen *s, size_t from)
{
	trim_line(s, from);
	add_byte(s, '\0', 0);
	s->count++;
}

static void read_bytes(struct screen *s, const char *p, size_t len)
{
	const char *end = p + len;
	unsigned style = 0;
	size_t from = 0;

	while (p < end) {
		if (*p == '\x1b') {
			p = read_escape(p, end, &style);
		} else if (*p == '\n') {
			end_line(s, from);
			from = s->text.len;
			p++;
		} else {
			if ((unsigned char)*p >= 0x20 && *p != '\x7f')
				add_byte(s, *p, style);
			else if (*p == '\t')
				add_byte(s, ' ', style);
			p++;
		}
	}
	if (s->text.len > from || s->count == 0)
		end_line(s, from);
}

/* In place: what an escape was cut out of may have become anything, also a control character. */
static void mend(char *line, size_t len)
{
	text_mend_utf8(line, len);
	for (size_t i = 0; i + 1 < len; i++)
		if (line[i] == '\xc2' && (unsigned char)line[i + 1] < 0xa0)
			line[i] = line[i + 1] = '?';
}

static void screen_read(struct screen *s, const char *text)
{
	size_t at = 0;

	read_bytes(s, text, strnlen(text, LOOK_MAX));
	s->lines = mem_array(s->count, sizeof(*s->lines));
	for (size_t i = 0; i < s->count; i++) {
		char *line = s->text.data + at;
		size_t len = strlen(line);

		mend(line, len);
		s->lines[i] = at;
		at += len + 1;
	}
}

/* --- patterns ------------------------------------------------------------------------------- */

/*
 * The same few patterns are asked for again and again, and compiling one takes longer than matching a
 * screen. The oldest gives way.
 */
static struct {
	char *pattern;
	regex_t regex;
	bool works;
} kept[PATTERNS];
static size_t kept_next;

static const regex_t *pattern_get(const char *pattern)
{
	struct error unused = {0};
	size_t i = 0;

	while (i < PATTERNS && !(kept[i].pattern && strcmp(kept[i].pattern, pattern) == 0))
		i++;
	if (i == PATTERNS) {
		i = kept_next++ % PATTERNS;
		if (kept[i].works)
			regfree(&kept[i].regex);
		free(kept[i].pattern);
		kept[i].pattern = mem_strdup(pattern);
		kept[i].works = look_check(pattern, &unused) == 0 &&
				regcomp(&kept[i].regex, pattern, REG_EXTENDED) == 0;
	}
	return kept[i].works ? &kept[i].regex : NULL;
}

static bool has_back_reference(const char *pattern)
{
	for (; *pattern; pattern++) {
		if (*pattern != '\\')
			continue;
		pattern++;
		if (*pattern >= '1' && *pattern <= '9')
			return true;
		if (!*pattern)
			break;
	}
	return false;
}

int look_check(const char *pattern, struct error *err)
{
	char why[100];
	regex_t regex;
	int r;

	if (strlen(pattern) > LOOK_PATTERN_MAX)
		return error_set(err, ERR_INVALID, "a pattern of more than %d bytes",
				 LOOK_PATTERN_MAX);
	if (has_back_reference(pattern)) {
		error_set(err, ERR_INVALID, "'%.100s' has a back reference", pattern);
		return error_hint(err, "matching one can take for ever; write it out");
	}
	r = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);
	if (r == 0) {
		regfree(&regex);
		return 0;
	}
	regerror(r, &regex, why, sizeof(why));
	return error_set(err, ERR_INVALID, "'%.100s' is no extended regular expression: %s",
			 pattern, why);
}

/* *ret are its groups: all of it, and the first. */
static bool match(const char *pattern, const char *line, regmatch_t ret[2])
{
	const regex_t *regex = pattern ? pattern_get(pattern) : NULL;

	return regex && strlen(line) <= LINE_MAX_BYTES && regexec(regex, line, 2, ret, 0) == 0;
}

static bool has_line(const struct screen *s, const char *pattern)
{
	size_t i = s->count > LOOK_LINES_MAX ? s->count - LOOK_LINES_MAX : 0;
	regmatch_t unused[2];

	for (; pattern && i < s->count; i++)
		if (*line_at(s, i) && match(pattern, line_at(s, i), unused))
			return true;
	return false;
}

/* --- the input line --------------------------------------------------------------------------- */

/* Where it is: from the line that the pattern matches to the last one of what is typed. */
struct input {
	size_t first, last;
	size_t from; /* where the typed text begins in the first one */
	size_t to;
	size_t width; /* of the box that it is in; 0: of none */
};

static bool is_indented(const char *line)
{
	return *line == ' ' || strncmp(line, NBSP, 2) == 0;
}

static bool match_input(const char *pattern, const struct screen *s, size_t i, struct input *ret)
{
	const char *line = line_at(s, i);
	size_t len = strlen(line);
	/* Blanks at the end are lost in a capture; the one behind a prompt belongs to it. */
	AUTO(free) char *prompt = mem_printf("%s ", line);
	regmatch_t groups[2] = {{-1, -1}, {-1, -1}};

	if (!match(pattern, line, groups) && !match(pattern, prompt, groups))
		return false;
	*ret = (struct input){.first = i, .last = i, .from = len, .to = len};
	if (groups[1].rm_so >= 0 && (size_t)groups[1].rm_so < len) {
		ret->from = (size_t)groups[1].rm_so;
		ret->to = (size_t)groups[1].rm_eo < len ? (size_t)groups[1].rm_eo : len;
	}
	return true;
}

/* The cursor is in a box, and below that is the line by which it is told from what was said. */
static bool find_box(const struct adapter_live *rules, const struct screen *s, size_t y,
		     struct input *ret)
{
	struct input unused;
	regmatch_t groups[2];
	size_t first = y, last = y;

	if (!match_input(rules->input, s, y, &unused))
		return false;
	while (first > 0 && match_input(rules->input, s, first - 1, &unused))
		first--;
	while (last + 1 < s->count && match_input(rules->input, s, last + 1, &unused))
		last++;
	/* Its last line names the model. One that names none is of a command for a shell. */
	if (last == y || last + 1 >= s->count ||
	    !match(rules->frame, line_at(s, last + 1), groups) || !strstr(line_at(s, last), " · "))
		return false;
	match_input(rules->input, s, first, ret);
	ret->last = last - 1;
	ret->width = text_width(line_at(s, last + 1)) - 2;
	return true;
}

/*
 * The cursor's line, else the first one above that is not a further line of what is typed. Those are
 * indented; an empty one is when the cursor in it is.
 */
static bool find_input(const struct adapter_live *rules, const struct screen *s, int cursor_x,
		       int cursor_y, struct input *ret)
{
	const char *pattern = rules->input;
	size_t y = cursor_y < 0 ? 0 : (size_t)cursor_y;

	if (!pattern || y >= s->count)
		return false;
	if (rules->frame)
		return find_box(rules, s, y, ret);
	for (size_t i = y; !match_input(pattern, s, i, ret); i--) {
		const char *line = line_at(s, i);
		bool goes_on = is_indented(line) || (!*line && (i < y || cursor_x > 0));

		if (i == 0 || y - i >= INPUT_LINES_MAX || !goes_on)
			return false;
	}
	ret->last = y;
	/* Of a longer text that does not end at the cursor. Below a single line there may be a hint. */
	while (ret->last > ret->first && ret->last + 1 < s->count &&
	       ret->last - y < INPUT_LINES_MAX && is_indented(line_at(s, ret->last + 1)))
		ret->last++;
	return true;
}

static size_t character_len(const char *text)
{
	uint32_t unused;
	size_t len = text_decode(text, strlen(text), &unused);

	return len ? len : 1;
}

/* The cursor of a program that shows a suggestion stands on its first character. */
static bool is_suggested(const char *attributes, size_t len, size_t step)
{
	if (*attributes & (DIM | HIDDEN))
		return true;
	return (*attributes & REVERSE) && step < len && (attributes[step] & DIM);
}

static void add_typed(const struct screen *s, size_t from, size_t to, struct buf *out)
{
	for (size_t step; from < to; from += step) {
		const char *at = s->text.data + from;

		step = character_len(at);
		if (!is_suggested(s->attributes.data + from, to - from, step))
			buf_add(out, at, step < to - from ? step : to - from);
	}
}

static void trim(struct buf *b, size_t from)
{
	for (;;) {
		if (b->len > from && b->data[b->len - 1] == ' ')
			b->len--;
		else if (b->len >= from + 2 && memcmp(b->data + b->len - 2, NBSP, 2) == 0)
			b->len -= 2;
		else
			break;
	}
	if (b->data)
		b->data[b->len] = '\0';
}

/* The screen is as wide as its widest line: a rule, or a wrapped text. */
static size_t screen_width(const struct screen *s)
{
	size_t i = s->count > LOOK_LINES_MAX ? s->count - LOOK_LINES_MAX : 0, widest = 0;

	for (; i < s->count; i++) {
		size_t len = strlen(line_at(s, i));

		/* Counting columns is dear: only of what may have more. */
		if (len > widest && len <= LINE_MAX_BYTES) {
			size_t width = text_width(line_at(s, i));

			widest = width > widest ? width : widest;
		}
	}
	return widest;
}

/* Whether the next line goes on because there was no room: its first word did not fit. */
static bool is_wrapped(const char *line, const char *next, size_t width)
{
	AUTO(free) char *word = NULL;

	next += strspn(next, " ");
	word = mem_strndup(next, strcspn(next, " "));
	return text_width(line) + 1 + text_width(word) > width;
}

/* Lines of a box all have its border in front. */
static size_t text_begins(const char *pattern, const struct screen *s, const struct input *in,
			  size_t i)
{
	size_t indent = strspn(line_at(s, i), " ");
	struct input one;

	if (in->width && match_input(pattern, s, i, &one))
		return one.from;
	return indent > 2 ? 2 : indent;
}

static char *read_typed(const char *pattern, const struct screen *s, const struct input *in)
{
	size_t at = s->lines[in->first], width = in->width;
	struct buf out = {0};

	if (!width && in->last > in->first)
		width = screen_width(s);
	add_typed(s, at + in->from, at + in->to, &out);
	trim(&out, 0);
	for (size_t i = in->first + 1; i <= in->last; i++) {
		const char *line = line_at(s, i), *before = line_at(s, i - 1);
		size_t begin = out.len, from = text_begins(pattern, s, in, i);

		/* A box has room above what is typed. */
		if (out.len || !in->width)
			buf_add_char(&out, is_wrapped(before, line + from, width) ? ' ' : '\n');
		at = s->lines[i];
		add_typed(s, at + from, at + strlen(line), &out);
		trim(&out, begin ? begin + 1 : 0);
	}
	while (out.len && (out.data[out.len - 1] == '\n' || out.data[out.len - 1] == ' '))
		out.data[--out.len] = '\0';
	return buf_steal(&out);
}

/* --- questions -------------------------------------------------------------------------------- */

void look_read(const struct adapter_live *rules, const char *title, const char *screen,
	       int cursor_x, int cursor_y, struct look *ret)
{
	AUTO_SCREEN struct screen s = {0};
	regmatch_t unused[2];
	struct input in;
	bool by_line;

	*ret = (struct look){.look = LOOK_UNKNOWN};
	screen_read(&s, screen);
	if (find_input(rules, &s, cursor_x, cursor_y, &in)) {
		ret->typed = read_typed(rules->input, &s, &in);
		if (match(rules->placeholder, ret->typed, unused))
			*ret->typed = '\0';
		ret->look = *ret->typed ? LOOK_TYPED : LOOK_IDLE;
	}
	by_line = has_line(&s, rules->busy);
	if (by_line || (title && match(rules->busy, title, unused)))
		ret->look = LOOK_BUSY;
	if ((title && match(rules->blocked, title, unused)) ||
	    (!(rules->is_modal && ret->typed) && has_line(&s, rules->blocked)))
		ret->look = LOOK_BLOCKED;
	ret->by_title = ret->look == LOOK_BUSY && !by_line && ret->typed;
	ret->is_fatal =
		ret->look == LOOK_BLOCKED &&
		(has_line(&s, rules->fatal) || (rules->survives && !has_line(&s, rules->survives)));
}

void look_fini(struct look *l)
{
	free(l->typed);
	l->typed = NULL;
}

char *look_plain(const char *screen)
{
	AUTO_SCREEN struct screen s = {0};
	struct buf out = {0};

	screen_read(&s, screen);
	for (size_t i = 0; i < s.count; i++) {
		buf_add_str(&out, line_at(&s, i));
		buf_add_char(&out, '\n');
	}
	return buf_steal(&out);
}

/* Over the end of a line, and what stands in front of the next one: NULL when there is no such. */
static const char *over_line_end(const char *p)
{
	p += strspn(p, " ");
	if (strncmp(p, BAR, 3) == 0)
		p += 3;
	if (*p++ != '\n')
		return NULL;
	for (;;) {
		if (*p == ' ' || *p == '|')
			p++;
		else if (strncmp(p, BAR, 3) == 0)
			p += 3;
		else if (strncmp(p, NBSP, 2) == 0)
			p += 2;
		else
			return p;
	}
}

static bool is_here(const char *p, const char *wanted)
{
	for (; *wanted; wanted++) {
		const char *next = *p == *wanted ? NULL : over_line_end(p);

		if (*p == *wanted) {
			p++;
		} else if (next && *wanted == ' ') {
			p = next;
		} else if (next && *next == *wanted) {
			p = next + 1;
		} else {
			return false;
		}
	}
	return !((*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9'));
}

static const char *skip_blanks(const char *p)
{
	for (;;) {
		if (*p == ' ' || *p == '\n' || *p == '\t')
			p++;
		else if (strncmp(p, NBSP, 2) == 0)
			p += 2;
		else
			return p;
	}
}

const char *look_behind(const char *typed, const char *text)
{
	for (;;) {
		text = skip_blanks(text);
		if (!*text)
			return typed;
		typed = skip_blanks(typed);
		if (*typed++ != *text++)
			return NULL;
	}
}

enum look_where look_find(const struct adapter_live *rules, const char *screen, int cursor_x,
			  int cursor_y, const char *message_id)
{
	AUTO_SCREEN struct screen s = {0};
	AUTO(free) char *wanted = mem_printf("[belfry %s", message_id), *typed = NULL;
	enum look_where where = WHERE_NOT;
	struct input in = {.first = SIZE_MAX};

	screen_read(&s, screen);
	if (find_input(rules, &s, cursor_x, cursor_y, &in))
		typed = read_typed(rules->input, &s, &in);
	/* Lines as one text, so that what is cut by an end is found. */
	for (size_t i = 1; i < s.count; i++)
		s.text.data[s.lines[i] - 1] = '\n';
	for (size_t i = 0; i < s.count; i++) {
		const char *line = line_at(&s, i);

		for (size_t at = 0; line[at] && line[at] != '\n'; at++) {
			if (line[at] != '[' || !is_here(line + at, wanted))
				continue;
			if (typed && i >= in.first && i <= in.last)
				return look_behind(typed, wanted) ? WHERE_TYPED : WHERE_MIXED;
			where = WHERE_SENT;
		}
	}
	return where;
}
