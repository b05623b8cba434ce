/*
 * cron-parse.c: read a cron line into bits.
 * One reader walks the line once, left to right, and every refusal names the field, the piece and
 * its column. Nothing is guessed: what other crons quietly turn into something else (a step wider
 * than its field, a range that runs backwards, a sixth field) is refused with what to write
 * instead.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "schedule/cron-parts.h"

#define CRON_FIELDS 5
#define CRON_LINE_MAX 1024

enum field_id { FIELD_MINUTE, FIELD_HOUR, FIELD_DAY, FIELD_MONTH, FIELD_WEEKDAY };

static const char *const month_names[] = {"jan", "feb", "mar", "apr", "may", "jun", "jul",
					  "aug", "sep", "oct", "nov", "dec", NULL};
static const char *const weekday_names[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat", NULL};

/* clang-format off */
static const struct field {
	const char *name;
	int min, max;             /* as may be written; `last` is where '*' ends */
	int last;
	const char *const *names; /* the first one stands for `min` */
	const char *hint;
} fields[CRON_FIELDS] = {
	[FIELD_MINUTE]  = {"minute", 0, 59, 59, NULL, "minutes run from 0 to 59"},
	[FIELD_HOUR]    = {"hour", 0, 23, 23, NULL, "hours run from 0 to 23"},
	[FIELD_DAY]     = {"day of month", 1, 31, 31, NULL,
			   "days of the month run from 1 to 31; L, L-3, LW and 15W also work"},
	[FIELD_MONTH]   = {"month", 1, 12, 12, month_names, "months run from 1 to 12, or jan to dec"},
	[FIELD_WEEKDAY] = {"day of week", 0, 7, 6, weekday_names,
			   "days of the week run from 0 to 7 (0 and 7 are Sunday), or sun to sat;"
			   " friL and fri#2 also work"},
};

static const struct shorthand {
	const char *word, *line;
} shorthands[] = {
	{"@hourly",   "0 * * * *"},
	{"@daily",    "0 0 * * *"},
	{"@midnight", "0 0 * * *"},
	{"@weekly",   "0 0 * * 0"},
	{"@monthly",  "0 0 1 * *"},
	{"@yearly",   "0 0 1 1 *"},
	{"@annually", "0 0 1 1 *"},
};
/* clang-format on */
#define SHORTHANDS (sizeof(shorthands) / sizeof(shorthands[0]))

struct reader {
	const char *line, *at;
	const struct field *field;
	struct cron *cron;
	struct error *err;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool ends_item(char c)
{
	return c == ',' || c == '\0' || is_blank(c);
}

/* The piece from `from` to the end of its item is wrong; `hint` says what would be right. */
static int refuse(struct reader *r, const char *from, const char *hint)
{
	int column = (int)(from - r->line) + 1;

	if (ends_item(*from))
		error_set(r->err, ERR_INVALID, "cron line '%s': empty %s at column %d", r->line,
			  r->field->name, column);
	else
		error_set(r->err, ERR_INVALID, "cron line '%s': bad %s '%.*s' at column %d",
			  r->line, r->field->name, (int)strcspn(from, ", \t"), from, column);
	return error_hint(r->err, "%s", hint);
}

/* Digits only; a number too long to be anything comes back as one that no field allows. */
static bool read_number(struct reader *r, int *ret)
{
	int value = 0;

	if (!isdigit((unsigned char)*r->at))
		return false;
	for (; isdigit((unsigned char)*r->at); r->at++)
		value = value < 1000 ? value * 10 + (*r->at - '0') : value;
	*ret = value;
	return true;
}

static bool read_name(struct reader *r, int *ret)
{
	for (int i = 0; r->field->names && r->field->names[i]; i++) {
		if (strncasecmp(r->at, r->field->names[i], 3) == 0) {
			r->at += 3;
			*ret = r->field->min + i;
			return true;
		}
	}
	return false;
}

static int read_value(struct reader *r, int *ret)
{
	const char *from = r->at;

	if (!read_number(r, ret) && !read_name(r, ret))
		return refuse(r, from, r->field->hint);
	if (*ret < r->field->min || *ret > r->field->max)
		return refuse(r, from, r->field->hint);
	return 0;
}

/* After the '/'. A step past the whole field would match once and look like more. */
static int read_step(struct reader *r, int *ret)
{
	int widest = r->field->last - r->field->min + 1;
	const char *from = r->at;
	char hint[128];

	if (!read_number(r, ret) || *ret < 1)
		return refuse(r, from, "a step is a number from 1");
	if (*ret <= widest)
		return 0;
	snprintf(hint, sizeof(hint), "a %s step is at most %d; for longer spans use an interval",
		 r->field->name, widest);
	return refuse(r, from, hint);
}

static int refuse_backwards(struct reader *r, const char *from, int low, int high)
{
	char hint[128];

	snprintf(hint, sizeof(hint), "a range runs upwards; write it as two: '%d-%d,%d-%d'", low,
		 r->field->last, r->field->min, high);
	return refuse(r, from, hint);
}

static int end_item(struct reader *r, const char *from)
{
	return ends_item(*r->at) ? 0 : refuse(r, from, r->field->hint);
}

/* Sunday is written 0 or 7 and kept as 6. */
static int weekday_bit(int value)
{
	return (value + 6) % 7;
}

static void add_value(struct reader *r, int value)
{
	switch ((enum field_id)(r->field - fields)) {
	case FIELD_MINUTE:
		r->cron->minutes |= UINT64_C(1) << value;
		break;
	case FIELD_HOUR:
		r->cron->hours |= 1u << value;
		break;
	case FIELD_DAY:
		r->cron->days |= 1u << value;
		break;
	case FIELD_MONTH:
		r->cron->months |= (uint16_t)(1u << value);
		break;
	case FIELD_WEEKDAY:
		r->cron->weekdays |= (uint8_t)(1u << weekday_bit(value));
		break;
	}
}

static int add_range(struct reader *r, const char *from, int low, int high)
{
	int step = 1;

	if (*r->at == '/') {
		r->at++;
		if (read_step(r, &step) < 0)
			return r->err->code;
	}
	if (end_item(r, from) < 0)
		return r->err->code;
	for (int value = low; value <= high; value += step)
		add_value(r, value);
	return 0;
}

/* "L", "L-3" and "LW" of the day of month. */
static int read_last_day(struct reader *r)
{
	const char *from = r->at++;
	int back = 0;

	if (toupper((unsigned char)*r->at) == 'W') {
		r->at++;
		r->cron->last_working_day = true;
		return end_item(r, from);
	}
	if (*r->at == '-') {
		r->at++;
		if (!read_number(r, &back) || back > 30)
			return refuse(r, from, "L-1 to L-30 count back from the month's last day");
	}
	r->cron->days_from_end |= 1u << back;
	return end_item(r, from);
}

/* "fri#2", after the weekday. */
static int read_nth(struct reader *r, const char *from, int weekday)
{
	int nth = 0;

	r->at++;
	if (!read_number(r, &nth) || nth < 1 || nth > CRON_NTH_MAX)
		return refuse(r, from,
			      "a weekday is the 1st to the 5th of its month: fri#1 to fri#5");
	r->cron->weekdays_nth[nth - 1] |= (uint8_t)(1u << weekday_bit(weekday));
	return end_item(r, from);
}

/* What may follow a single day: "15W", "friL", "fri#2". Returns 1 when there is nothing of these.
 */
static int read_day_suffix(struct reader *r, const char *from, int value)
{
	enum field_id id = (enum field_id)(r->field - fields);
	int letter = toupper((unsigned char)*r->at);

	if (id == FIELD_DAY && letter == 'W') {
		r->at++;
		r->cron->days_nearest |= 1u << value;
		return end_item(r, from);
	}
	if (id == FIELD_WEEKDAY && letter == 'L') {
		r->at++;
		r->cron->weekdays_last |= (uint8_t)(1u << weekday_bit(value));
		return end_item(r, from);
	}
	if (id == FIELD_WEEKDAY && letter == '#')
		return read_nth(r, from, value);
	return 1;
}

/* After the '-'. "fri-sun" means through Sunday at the week's end, as "5-7" does. */
static int read_range_end(struct reader *r, const char *from, int low, int *ret)
{
	bool by_name;

	r->at++;
	by_name = isalpha((unsigned char)*r->at);
	if (read_value(r, ret) < 0)
		return r->err->code;
	if (r->field == &fields[FIELD_WEEKDAY] && by_name && *ret == 0 && low > 0)
		*ret = 7;
	return low <= *ret ? 0 : refuse_backwards(r, from, low, *ret);
}

static int read_item(struct reader *r)
{
	bool day = r->field == &fields[FIELD_DAY], weekday = r->field == &fields[FIELD_WEEKDAY];
	const char *from = r->at;
	int low, high, rc;

	if (*r->at == '*' || (*r->at == '?' && (day || weekday))) {
		r->at++;
		return add_range(r, from, r->field->min, r->field->last);
	}
	if (day && toupper((unsigned char)*r->at) == 'L')
		return read_last_day(r);
	if (weekday && toupper((unsigned char)*r->at) == 'L')
		return refuse(r, from, "name the weekday: friL is the month's last Friday");
	if (read_value(r, &low) < 0)
		return r->err->code;
	rc = read_day_suffix(r, from, low);
	if (rc <= 0)
		return rc;
	high = low;
	if (*r->at == '-') {
		if (read_range_end(r, from, low, &high) < 0)
			return r->err->code;
	} else if (*r->at == '/') {
		low = weekday ? low % 7 : low;
		high = r->field->last;
	}
	return add_range(r, from, low, high);
}

static int read_field(struct reader *r)
{
	bool star = *r->at == '*' || *r->at == '?';

	for (;;) {
		if (read_item(r) < 0)
			return r->err->code;
		if (*r->at != ',')
			break;
		r->at++;
	}
	if (r->field == &fields[FIELD_HOUR])
		r->cron->hourly = star;
	else if (r->field == &fields[FIELD_DAY])
		r->cron->days_star = star;
	else if (r->field == &fields[FIELD_WEEKDAY])
		r->cron->weekdays_star = star;
	return 0;
}

static void skip_blanks(struct reader *r)
{
	while (is_blank(*r->at))
		r->at++;
}

static int count_fields(const char *line)
{
	int count = 0;

	for (const char *p = line; *p; p++)
		count += !is_blank(*p) && (p == line || is_blank(p[-1]));
	return count;
}

static int check_field_count(struct reader *r)
{
	int count = count_fields(r->line);

	if (count == CRON_FIELDS)
		return 0;
	if (strncmp(r->line, "TZ=", 3) == 0 || strncmp(r->line, "CRON_TZ=", 8) == 0) {
		error_set(r->err, ERR_INVALID, "cron line '%s': a zone at column 1", r->line);
		return error_hint(r->err, "give the zone beside the line, not in it");
	}
	error_set(r->err, ERR_INVALID, "cron line '%s': %d field%s instead of five", r->line, count,
		  count == 1 ? "" : "s");
	if (count == CRON_FIELDS + 1)
		return error_hint(r->err, "seconds are not supported; drop the first field");
	return error_hint(r->err, "minute, hour, day of month, month, day of week: '30 9 * * 1-5'");
}

/* "@daily" and friends become the line they stand for. */
static int expand_shorthand(struct reader *r)
{
	const char *words[SHORTHANDS], *near;
	size_t len;

	skip_blanks(r);
	if (*r->at != '@')
		return 0;
	len = strcspn(r->at, " \t");
	for (size_t i = 0; i < SHORTHANDS; i++) {
		words[i] = shorthands[i].word;
		if (strncasecmp(r->at, words[i], len) == 0 && words[i][len] == '\0' &&
		    r->at[len + strspn(r->at + len, " \t")] == '\0') {
			r->line = r->at = shorthands[i].line;
			return 0;
		}
	}
	error_set(r->err, ERR_INVALID, "cron line '%s': unknown word '%s' at column %d", r->line,
		  r->at, (int)(r->at - r->line) + 1);
	near = text_nearest(r->at, words, SHORTHANDS);
	if (strncasecmp(r->at, "@reboot", 7) == 0)
		return error_hint(r->err, "a start of the machine is not a time; use a service");
	if (strncasecmp(r->at, "@every", 6) == 0)
		return error_hint(r->err, "an interval is a schedule of its own: 'every 30m'");
	if (near)
		return error_hint(r->err, "did you mean '%s'?", near);
	return error_hint(r->err, "@hourly @daily @midnight @weekly @monthly @yearly @annually");
}

static int read_line(struct reader *r)
{
	if (expand_shorthand(r) < 0 || check_field_count(r) < 0)
		return r->err->code;
	for (int i = 0; i < CRON_FIELDS; i++) {
		skip_blanks(r);
		r->field = &fields[i];
		if (read_field(r) < 0)
			return r->err->code;
	}
	return 0;
}

int cron_parse(const char *text, struct cron **ret, struct error *err)
{
	struct cron *cron = mem_zalloc(sizeof(*cron));
	struct reader reader = {.line = text, .at = text, .cron = cron, .err = err};

	if (strlen(text) > CRON_LINE_MAX)
		error_set(err, ERR_INVALID, "cron line longer than %d characters", CRON_LINE_MAX);
	else if (read_line(&reader) == 0) {
		cron_finish(cron);
		*ret = cron;
		return 0;
	}
	free(cron);
	return err->code;
}
