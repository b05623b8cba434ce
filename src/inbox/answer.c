/*
 * answer.c: the text in which a person writes an answer, and the answer taken out of it.
 * An empty line for the answer, a line that says where it ends, and below it the messages: the
 * question that is answered, then the others, newest first. What is below that line is never sent. Editors wrap and indent, and people delete things:
 * the line is known by its words, wherever they stand. Where it is gone, the messages are known by
 * what they were; when some of them may still be among the answer, nothing is sent at all.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/view.h"
#include "inbox/inbox.h"

#define HISTORY_MESSAGES 20
#define HISTORY_BYTES ((size_t)8 * 1024) /* of each */
#define RULE_LEAST 20			 /* dashes that make a rule */
#define LINE_TELLING 30			 /* bytes of a line that nobody writes twice by chance */
#define TAIL_TELLING 3			 /* lines in a row that nobody does */

#define MARK_WORDS "Write your reply above this line"
#define ANSWER_TO "Your answer to "
#define MARK "<!-- " MARK_WORDS ". What is below is not sent; an empty reply sends nothing. -->\n"
#define RULE "<!-- ---------------------------------------------------------------------- -->\n"

/* --- the text --- */

static void add_body(const json_t *message, struct buf *out)
{
	const char *text = view_text(message, "text");
	size_t len = text_fit(text, HISTORY_BYTES);
	AUTO(free) char *part = mem_strndup(text, len);
	const char *file = view_text(message, "file");

	visible_block(out, part, "");
	if (len && part[len - 1] != '\n')
		buf_add_char(out, '\n');
	if (text[len] || json_is_false(json_object_get(message, "whole"))) {
		buf_add_str(out, "(the rest is in ");
		visible_line(out, *file ? file : "the inbox");
		buf_add_str(out, ")\n");
	}
}

static void add_message(const json_t *message, const struct zone *zone, struct buf *out)
{
	const struct view v = {.zone = zone};
	const json_t *files = json_object_get(message, "attachments");
	char at[INSTANT_TEXT_MAX];

	view_minute(&v, view_instant(message, "at"), at);
	buf_printf(out, "\n[%s] ", at);
	visible_line(out, view_author(message));
	buf_add_str(out, ":\n");
	if (*view_text(message, "title")) {
		buf_add_str(out, "**");
		visible_line(out, view_text(message, "title"));
		buf_add_str(out, "**\n");
	}
	add_body(message, out);
	for (size_t i = 0; i < json_array_size(files); i++) {
		buf_add_str(out, "(attached: ");
		visible_line(out, view_text(json_array_get(files, i), "name"));
		buf_add_str(out, ")\n");
	}
}

/*
 * "Your answer to #5: And tag 15?". vim reads settings also from the first five lines of a file, and
 * the question is an agent's: it comes behind them.
 */
static void add_question(const json_t *shown, struct buf *out)
{
	const json_t *question = json_object_get(shown, "question");
	int64_t answers = view_int(shown, "answers");
	const char *other = view_text(shown, "other_draft");

	if (answers == QUESTION_ALL)
		buf_add_str(out, "\n\n" ANSWER_TO "all open questions\n");
	else if (answers > 0)
		buf_printf(out, "\n\n" ANSWER_TO "#%" PRId64 "%s", answers, question ? ": " : "\n");
	if (answers > 0 && question) {
		question_line(question, out);
		buf_add_char(out, '\n');
	}
	if (*other)
		buf_printf(out, "(an earlier draft, which names no question, is in %s)\n", other);
}

void compose_template(const json_t *shown, const struct zone *zone, const char *draft,
		      struct buf *out)
{
	const json_t *messages = json_object_get(shown, "messages");
	const json_t *question = json_object_get(shown, "question");
	size_t count = json_array_size(messages), most = HISTORY_MESSAGES - (question ? 1 : 0);

	buf_printf(out, "%s\n", draft ? draft : "");
	buf_add_str(out, MARK RULE);
	add_question(shown, out);
	if (question)
		add_message(question, zone, out);
	for (size_t i = count; i-- > 0 && most;) {
		const json_t *m = json_array_get(messages, i);

		if (question && view_int(m, "seq") == view_int(question, "seq"))
			continue;
		add_message(m, zone, out);
		most--;
	}
	/*
	 * vim reads its settings also from the first and last five lines of a file. The first ones
	 * are ours; these keep the last ones from being an agent's.
	 */
	buf_add_str(out, "\n\n\n\n\n");
}

/* --- finding the line --- */

/* Behind a gap of white space and of what editors put in front of lines they wrap. */
static const char *skip_gap(const char *p)
{
	return p + strspn(p, " \t\r\n>#*/|;");
}

/* Behind the words that begin at p, whatever is between them; NULL when it is others. */
static const char *skip_words(const char *p, const char *words)
{
	while (*words) {
		size_t len = strcspn(words, " ");
		const char *behind;

		if (strncasecmp(p, words, len) != 0)
			return NULL;
		p += len;
		words += len;
		if (!*words)
			break;
		words++;
		behind = skip_gap(p);
		if (behind == p)
			return NULL;
		p = behind;
	}
	return p;
}

static const char *line_start(const char *text, const char *p)
{
	while (p > text && p[-1] != '\n')
		p--;
	return p;
}

/* Words of ours that lost their comment: they count where nothing but signs stands before them. */
static bool is_first_in_line(const char *start, const char *p)
{
	for (const char *c = start; c < p; c++)
		if (isalnum((unsigned char)*c) || (unsigned char)*c >= 0x80)
			return false;
	return true;
}

/* Before what an editor put in front of it. */
static const char *without_prefix(const char *text, const char *p)
{
	const char *start = line_start(text, p);

	return skip_gap(start) >= p ? start : p;
}

/* Where the answer ends: at our comment, our rule, or our words alone. NULL: none is left. */
static const char *find_mark(const char *text)
{
	for (const char *p = text; *p; p++) {
		if (strncmp(p, "<!--", 4) == 0) {
			const char *inside = skip_gap(p + 4);

			if (skip_words(inside, MARK_WORDS) || strspn(inside, "-") >= RULE_LEAST)
				return without_prefix(text, p);
		} else if (tolower((unsigned char)*p) == 'w' && skip_words(p, MARK_WORDS) &&
			   is_first_in_line(line_start(text, p), p)) {
			return line_start(text, p);
		}
	}
	return NULL;
}

/* --- lines --- */

struct line {
	const char *text; /* without blanks around it */
	size_t len;
	const char *start; /* with them */
};

static struct line line_at(const char *start, const char *end)
{
	struct line l = {.text = start, .start = start};

	while (l.text < end && isspace((unsigned char)*l.text))
		l.text++;
	while (end > l.text && isspace((unsigned char)end[-1]))
		end--;
	l.len = (size_t)(end - l.text);
	return l;
}

/* The line that *at begins; *at is then behind it. False at the end. */
static bool next_line(const char **at, const char *end, struct line *ret)
{
	const char *start = *at, *newline;

	if (start >= end)
		return false;
	newline = memchr(start, '\n', (size_t)(end - start));
	*ret = line_at(start, newline ? newline : end);
	*at = newline ? newline + 1 : end;
	return true;
}

/* The last line before *end that is not blank; *end is then its start. */
static bool previous_line(const char *text, const char **end, struct line *ret)
{
	while (*end > text) {
		const char *start = line_start(text, *end - 1);

		*ret = line_at(start, *end);
		*end = start;
		if (ret->len)
			return true;
	}
	return false;
}

static bool same_line(const struct line *a, const struct line *b)
{
	return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

/* "[2026-01-15 09:02] builder:", or what says which question is answered. */
static bool is_heading(const struct line *l)
{
	static const char *const answers[] = {ANSWER_TO "#", ANSWER_TO "all open questions"};
	static const char shape[] = "[dddd-dd-dd dd:dd] ";
	size_t len = sizeof(shape) - 1;

	for (size_t i = 0; i < 2; i++)
		if (l->len >= strlen(answers[i]) &&
		    memcmp(l->text, answers[i], strlen(answers[i])) == 0)
			return true;
	if (l->len < len + 2 || l->text[l->len - 1] != ':')
		return false;
	for (size_t i = 0; i < len; i++)
		if (shape[i] == 'd' ? !isdigit((unsigned char)l->text[i]) : l->text[i] != shape[i])
			return false;
	return true;
}

/* --- what is left of the messages where the line is gone --- */

/* Where the last lines of the text begin that are the last ones of the messages too. */
static const char *without_tail(const char *text, const char *history)
{
	const char *end = text + strlen(text), *history_end = history + strlen(history);
	const char *cut = end;
	struct line a, b;

	while (previous_line(text, &end, &a) && previous_line(history, &history_end, &b) &&
	       same_line(&a, &b)) {
		/* Up to a heading it may be chance: two people end with "ok". */
		if (is_heading(&a))
			cut = a.start;
	}
	return cut;
}

static bool is_in(const char *history, const struct line *wanted)
{
	const char *end = history + strlen(history);
	struct line l;

	while (next_line(&history, end, &l))
		if (same_line(&l, wanted))
			return true;
	return false;
}

/* Whether lines of the messages stand among these, as they were and not quoted by the person. */
static bool has_quoted(const char *text, const char *end, const char *history)
{
	size_t in_a_row = 0;
	struct line l;

	while (next_line(&text, end, &l)) {
		if (!l.len)
			continue;
		in_a_row = is_in(history, &l) ? in_a_row + 1 : 0;
		if (in_a_row && (is_heading(&l) || l.len >= LINE_TELLING))
			return true;
		if (in_a_row >= TAIL_TELLING)
			return true;
	}
	return false;
}

static const char *first_heading(const char *text)
{
	const char *end = text + strlen(text), *at = text;
	struct line l;

	while (next_line(&at, end, &l))
		if (is_heading(&l))
			return l.start;
	return end;
}

static int end_without_mark(const char *text, const char *given, const char **ret,
			    struct error *err)
{
	const char *history = given ? find_mark(given) : NULL;

	if (!history) {
		*ret = first_heading(text);
		return 0;
	}
	*ret = without_tail(text, history);
	if (!has_quoted(text, *ret, history))
		return 0;
	error_set(err, ERR_INVALID,
		  "the line below which nothing is sent is gone, and messages are among the text");
	return error_hint(err, "answer again: what you wrote is above a new line then");
}

/* --- the answer --- */

static char *squeezed(const char *text, size_t len)
{
	char *all = mem_alloc(len + 1);
	size_t used = 0;

	for (size_t i = 0; i < len; i++)
		if (!isspace((unsigned char)text[i]))
			all[used++] = text[i];
	all[used] = '\0';
	return all;
}

/* A line that was not there: somebody wrote below the line. Wrapped anew it is still the same. */
static bool has_new_words(const char *text, const char *given)
{
	AUTO(free) char *old = squeezed(given, strlen(given));
	const char *end = text + strlen(text);
	struct line l;

	while (next_line(&text, end, &l)) {
		AUTO(free) char *line = squeezed(l.text, l.len);

		if (!strstr(old, line))
			return true;
	}
	return false;
}

/* Without blank lines around it, and with newlines as they are here. */
static void add_trimmed(const char *text, const char *end, struct buf *out)
{
	const char *at = text;
	struct line l;

	while (next_line(&at, end, &l) && !l.len)
		text = at;
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	for (; text < end; text++)
		if (*text != '\r' || text[1] != '\n')
			buf_add_char(out, *text);
}

/* The lines that are the person's own, for the draft. */
static void add_own_lines(const char *text, const char *given, struct buf *out)
{
	const char *end = text + strlen(text);
	struct line l;

	while (next_line(&text, end, &l))
		if (!l.len || !is_in(given, &l)) {
			buf_add(out, l.text, l.len);
			buf_add_char(out, '\n');
		}
}

/* Nothing but comments says nothing. */
static bool is_only_comments(const char *text)
{
	for (;;) {
		const char *end;

		text += strspn(text, " \t\r\n");
		if (strncmp(text, "<!--", 4) != 0)
			return !*text;
		end = strstr(text + 4, "-->");
		if (!end)
			return false;
		text = end + 3;
	}
}

static int take_answer(const char *text, const char *given, struct buf *out, struct error *err)
{
	const char *end = find_mark(text);
	int r = end ? 0 : end_without_mark(text, given, &end, err);

	if (r < 0)
		return r;
	add_trimmed(text, end, out);
	if (is_only_comments(buf_text(out)))
		buf_clear(out);
	if (out->len || !given || !has_new_words(end, given))
		return 0;
	error_set(err, ERR_INVALID, "there is nothing above the line, but new text below it");
	return error_hint(err, "answer again: what you wrote is above the line then");
}

int compose_extract(const char *text, const char *given, struct buf *out, struct error *err)
{
	AUTO_BUF struct buf own = {0};
	int r;

	if (strncmp(text, "\xef\xbb\xbf", 3) == 0)
		text += 3; /* some editors begin every file with it */
	r = take_answer(text, given, out, err);
	if (r < 0) {
		add_own_lines(text, given, &own);
		add_trimmed(buf_text(&own), buf_text(&own) + own.len, out);
	}
	return r;
}
