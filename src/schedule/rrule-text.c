/*
 * rrule-text.c: the text of a rule in one form, and the dates in it.
 * Properties may be separated by newlines, white space, or a "\n" spelled out, and long lines may
 * be folded. All of it becomes one property a line, and each byte remembers the column it came
 * from, so that an error can point at what was typed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "schedule/quote.h"
#include "schedule/rrule-internal.h"

const char *const rrule_property_names[RRULE_PROPERTIES] = {
	"DTSTART", "RRULE", "RDATE", "EXDATE", "EXRULE",
};

int rrule_column(const struct rrule_text *t, const char *at)
{
	return t->column[at - t->text];
}

int rrule_bad(const struct rrule_text *t, const char *what, struct rrule_slice s, const char *hint)
{
	error_set(t->err, ERR_INVALID, "rrule: %s '%.*s' at column %d", what,
		  quote_len(s.at, s.len), s.at, rrule_column(t, s.at));
	return error_hint(t->err, "%s", hint);
}

/* How long a line end at `s` is: a newline, or the two characters "\n". */
static size_t newline_len(const char *s)
{
	if (s[0] == '\n' || s[0] == '\r')
		return 1;
	return s[0] == '\\' && (s[1] == 'n' || s[1] == 'N') ? 2 : 0;
}

/* How much white space stands at `s`; *ret_folded: it ends in a newline and blanks. */
static size_t space_len(const char *s, bool *ret_folded)
{
	bool after_newline = false;
	size_t len = 0, step = 0;

	*ret_folded = false;
	for (;; len += step) {
		step = newline_len(s + len);
		if (step)
			after_newline = true;
		else if (s[len] == ' ' || s[len] == '\t')
			step = 1;
		else
			return len;
		*ret_folded = after_newline && newline_len(s + len) == 0;
	}
}

static bool property_starts(const char *s)
{
	for (int i = 0; i < RRULE_PROPERTIES; i++) {
		size_t len = strlen(rrule_property_names[i]);

		if (strncasecmp(s, rrule_property_names[i], len) == 0 &&
		    (s[len] == ':' || s[len] == ';'))
			return true;
	}
	return false;
}

/*
 * One property a line. White space separates properties; it is dropped where it can only be a fold:
 * after punctuation, and where a line begins with blanks but with no property.
 */
int rrule_text_init(struct rrule_text *t, const char *source, struct error *err)
{
	size_t len = strlen(source), n = 0;
	bool folded = false;

	t->err = err;
	if (len > RRULE_TEXT_MAX) {
		error_set(err, ERR_INVALID, "rrule: the text has %zu bytes", len);
		return error_hint(err, "at most %d bytes are read", RRULE_TEXT_MAX);
	}
	t->text = mem_alloc(len + 1);
	t->column = mem_array(len + 1, sizeof(*t->column));
	for (size_t i = 0; i < len;) {
		size_t space = space_len(source + i, &folded);
		bool joins = n > 0 && strchr(":;,=", t->text[n - 1]);

		t->column[n] = (uint16_t)(i + 1);
		i += space;
		if (space && n > 0 && source[i] &&
		    (property_starts(source + i) || !(folded || joins)))
			t->text[n++] = '\n';
		if (space)
			continue;
		if (source[i] < ' ' || source[i] > '~') {
			error_set(err, ERR_INVALID, "rrule: unreadable character at column %zu",
				  i + 1);
			return error_hint(err, "rules are plain ASCII");
		}
		t->text[n++] = source[i++];
	}
	t->column[n] = (uint16_t)(len + 1);
	t->text[n] = '\0';
	return 0;
}

void rrule_text_fini(struct rrule_text *t)
{
	free(t->text);
	free(t->column);
}

/* Two or four digits at `s`, or -1. */
static int read_digits(const char *s, int count)
{
	int value = 0;

	for (int i = 0; i < count; i++) {
		if (s[i] < '0' || s[i] > '9')
			return -1;
		value = value * 10 + s[i] - '0';
	}
	return value;
}

int rrule_stamp_parse(const struct rrule_text *t, const char *part, struct rrule_slice value,
		      struct rrule_stamp *ret)
{
	const char *s = value.at;
	bool is_utc = value.len == 16 && (s[15] == 'Z' || s[15] == 'z');
	bool is_date = value.len == 8;
	bool timed = value.len == 15 || is_utc;
	struct civil c = {0};
	char what[32];

	snprintf(what, sizeof(what), "bad %s", part);
	if (memchr(s, '/', value.len))
		return rrule_bad(t, what, value,
				 "periods are not supported: write the start alone");
	if ((!is_date && !timed) || (timed && s[8] != 'T' && s[8] != 't'))
		return rrule_bad(t, what, value,
				 "write 20260131, 20260131T090000 or 20260131T090000Z");
	c.year = read_digits(s, 4);
	c.month = read_digits(s + 4, 2);
	c.day = read_digits(s + 6, 2);
	if (timed) {
		c.hour = read_digits(s + 9, 2);
		c.minute = read_digits(s + 11, 2);
		c.second = read_digits(s + 13, 2);
	}
	if (c.year < 0 || !civil_is_valid(&c))
		return rrule_bad(t, what, value, "there is no such date or time");
	*ret = (struct rrule_stamp){local_from_civil(&c), is_date, is_utc};
	return 0;
}
