/*
 * toml.c: [mcp_servers.belfry] in a file that is somebody else's.
 * The reader knows where statements begin and end, and the keys before them; of values only what has to be
 * known to find their end, and the strings that say what our server starts. A table comes in at the end
 * of the file and goes as whole lines.
 */
#include "setup/toml.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "setup/client.h"

#define KEYS_MAX 8
#define DEPTH_MAX 64
#define SECTION "mcp_servers"
#define NAME "belfry"

/* "[a.b]" or "a.b = value". */
struct statement {
	bool header, array;   /* "[…]", "[[…]]" */
	char *keys[KEYS_MAX]; /* the first of them */
	size_t count;	      /* all of them */
	size_t begin, end;    /* its lines, the last line end included */
	size_t value, value_end;
};
struct toml {
	const char *text;
	size_t len, at;
	struct statement *list;
	size_t count;
	struct error *err;
};

static void toml_fini(struct toml *t)
{
	for (size_t i = 0; i < t->count; i++)
		for (size_t k = 0; k < KEYS_MAX; k++)
			free(t->list[i].keys[k]);
	free(t->list);
}
#define AUTO_TOML __attribute__((cleanup(toml_fini)))

static int wrong(struct toml *t, size_t at, const char *what)
{
	size_t line = 1, column = 1;

	for (size_t i = 0; i < at && i < t->len; i++) {
		if (t->text[i] == '\n') {
			line++;
			column = 1;
		} else if (((unsigned char)t->text[i] & 0xc0) != 0x80) {
			column++;
		}
	}
	return error_set(t->err, ERR_INVALID, "line %zu, column %zu: %s", line, column, what);
}

static char here(const struct toml *t)
{
	return t->at < t->len ? t->text[t->at] : '\0';
}

static bool starts(const struct toml *t, const char *word)
{
	size_t len = strlen(word);

	return t->len - t->at >= len && memcmp(t->text + t->at, word, len) == 0;
}

static void skip_blanks(struct toml *t)
{
	while (here(t) == ' ' || here(t) == '\t')
		t->at++;
}

static void skip_comment(struct toml *t)
{
	if (here(t) == '#')
		while (t->at < t->len && t->text[t->at] != '\n')
			t->at++;
}

static void skip_lines(struct toml *t)
{
	for (;;) {
		skip_blanks(t);
		skip_comment(t);
		if (here(t) != '\n' && !starts(t, "\r\n"))
			return;
		t->at += here(t) == '\n' ? 1 : 2;
	}
}

/* A string, its quotes known; *ret is decoded as far as paths need it. */
static int read_string(struct toml *t, char **ret)
{
	static const char *const quotes[] = {"\"\"\"", "'''", "\"", "'"};
	static const char from[] = "\"\\bfnrt", to[] = "\"\\\b\f\n\r\t";
	AUTO_BUF struct buf out = {0};
	size_t begin = t->at, kind = 0, width;

	while (!starts(t, quotes[kind]))
		kind++;
	width = strlen(quotes[kind]);
	for (t->at += width; t->at < t->len && !starts(t, quotes[kind]); t->at++) {
		char c = t->text[t->at];
		const char *p;

		if (width == 1 && c == '\n')
			break;
		if (c == '\\' && *quotes[kind] == '"' && t->at + 1 < t->len) {
			c = t->text[++t->at];
			p = c ? strchr(from, c) : NULL;
			c = p ? to[p - from] : c;
		}
		buf_add_char(&out, c);
	}
	if (!starts(t, quotes[kind]))
		return wrong(t, begin, "a string that does not end");
	t->at += width;
	/* Up to two quotes may stand before the three that end it. */
	for (int i = 0; width == 3 && i < 2 && here(t) == *quotes[kind]; i++, t->at++)
		buf_add_char(&out, here(t));
	if (ret)
		*ret = buf_steal(&out);
	return 0;
}

static bool is_bare(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

static int read_keys(struct toml *t, struct statement *s)
{
	for (;;) {
		char *key = NULL;
		size_t begin;
		int r = 0;

		skip_blanks(t);
		begin = t->at;
		if (here(t) == '"' || here(t) == '\'') {
			r = read_string(t, &key);
		} else {
			while (is_bare(here(t)))
				t->at++;
			if (t->at == begin)
				return wrong(t, begin, "a key is expected");
			key = mem_strndup(t->text + begin, t->at - begin);
		}
		if (r < 0)
			return r;
		if (s->count < KEYS_MAX)
			s->keys[s->count] = key;
		else
			free(key);
		s->count++;
		skip_blanks(t);
		if (here(t) != '.')
			return 0;
		t->at++;
	}
}

static int read_value(struct toml *t, int depth);

static int read_list(struct toml *t, int depth)
{
	size_t begin = t->at++;
	int r;

	for (;;) {
		skip_lines(t);
		if (here(t) == ']')
			break;
		if (t->at == t->len)
			return wrong(t, begin, "a list that does not end");
		if ((r = read_value(t, depth + 1)) < 0)
			return r;
		skip_lines(t);
		if (here(t) == ',')
			t->at++;
		else if (here(t) != ']')
			return wrong(t, t->at < t->len ? t->at : begin, "a list that does not end");
	}
	t->at++;
	return 0;
}

static int read_inline(struct toml *t, int depth)
{
	size_t begin = t->at++;
	int r;

	for (;;) {
		struct statement s = {0};

		skip_lines(t);
		if (here(t) == '}')
			break;
		if (t->at == t->len)
			return wrong(t, begin, "a table that does not end");
		r = read_keys(t, &s);
		for (size_t i = 0; i < KEYS_MAX; i++)
			free(s.keys[i]);
		if (r < 0)
			return r;
		if (here(t) != '=')
			return wrong(t, t->at, "'=' is expected");
		t->at++;
		if ((r = read_value(t, depth + 1)) < 0)
			return r;
		skip_lines(t);
		if (here(t) == ',')
			t->at++;
		else if (here(t) != '}')
			return wrong(t, t->at < t->len ? t->at : begin,
				     "a table that does not end");
	}
	t->at++;
	return 0;
}

static int read_value(struct toml *t, int depth)
{
	size_t begin;

	skip_blanks(t);
	begin = t->at;
	if (depth > DEPTH_MAX)
		return wrong(t, begin, "brackets inside brackets, too deep");
	if (here(t) == '"' || here(t) == '\'')
		return read_string(t, NULL);
	if (here(t) == '[')
		return read_list(t, depth);
	if (here(t) == '{')
		return read_inline(t, depth);
	while (is_bare(here(t)) || (here(t) && strchr("+.:", here(t))))
		t->at++;
	/* "1979-05-27 07:32:00" */
	if (t->at - begin == 10 && t->text[begin + 4] == '-' && here(t) == ' ' &&
	    t->at + 1 < t->len && t->text[t->at + 1] >= '0' && t->text[t->at + 1] <= '9')
		for (t->at++; is_bare(here(t)) || (here(t) && strchr("+.:", here(t)));)
			t->at++;
	return t->at > begin ? 0 : wrong(t, begin, "a value is expected");
}

static int read_header(struct toml *t, struct statement *s)
{
	int r;

	s->header = true;
	s->array = starts(t, "[[");
	t->at += s->array ? 2 : 1;
	if ((r = read_keys(t, s)) < 0)
		return r;
	if (!starts(t, s->array ? "]]" : "]"))
		return wrong(t, t->at, "']' is expected");
	t->at += s->array ? 2 : 1;
	return 0;
}

static int read_pair(struct toml *t, struct statement *s)
{
	int r = read_keys(t, s);

	if (r < 0)
		return r;
	if (here(t) != '=')
		return wrong(t, t->at, "'=' is expected");
	t->at++;
	skip_blanks(t);
	s->value = t->at;
	r = read_value(t, 0);
	s->value_end = t->at;
	return r;
}

static int read_statement(struct toml *t)
{
	struct statement *s;
	size_t line = t->at;
	int r;

	while (line > 0 && t->text[line - 1] != '\n')
		line--;
	t->list = mem_grow(t->list, t->count + 1, sizeof(*t->list));
	s = &t->list[t->count++];
	*s = (struct statement){.begin = line};
	r = here(t) == '[' ? read_header(t, s) : read_pair(t, s);
	if (r < 0)
		return r;
	skip_blanks(t);
	skip_comment(t);
	if (starts(t, "\r\n"))
		t->at++;
	if (t->at < t->len && here(t) != '\n')
		return wrong(t, t->at, "the line should end here");
	t->at += t->at < t->len;
	s->end = t->at;
	return 0;
}

static int toml_read(struct toml *t)
{
	int r = 0;

	if (!text_is_utf8(t->text, t->len))
		return error_set(t->err, ERR_INVALID, "it is not UTF-8");
	if (memchr(t->text, '\0', t->len))
		return error_set(t->err, ERR_INVALID, "it has a NUL byte, so it is no text");
	if (starts(t, "\xef\xbb\xbf"))
		t->at = 3;
	for (skip_lines(t); t->at < t->len && r == 0; skip_lines(t))
		r = read_statement(t);
	return r;
}

/* Finding ours */

static bool is_key(const struct statement *s, size_t i, const char *key)
{
	return i < s->count && i < KEYS_MAX && strcmp(s->keys[i], key) == 0;
}

/* "[mcp_servers.belfry]" or below it. */
static bool is_ours(const struct statement *s)
{
	return s->header && is_key(s, 0, SECTION) && is_key(s, 1, NAME);
}

static int by_hand(struct error *err, const char *what)
{
	error_set(err, ERR_CONFLICT, "%s", what);
	return error_hint(err, "write it as a table, [" SECTION "." NAME "], or edit it by hand");
}

/* Where ours could be, but not as a table of its own. */
static int check_others(const struct toml *t)
{
	const struct statement *under = NULL;
	size_t own = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct statement *s = &t->list[i];
		bool section = under && under->count == 1 && is_key(under, 0, SECTION);

		if (s->header) {
			under = s;
			own += is_ours(s) && s->count == 2;
			if (is_key(s, 0, SECTION) && s->array && s->count <= 2)
				return by_hand(t->err, "'" SECTION "' is a list of tables");
			continue;
		}
		if (!under && is_key(s, 0, SECTION) && s->count == 1)
			return by_hand(t->err, "'" SECTION "' is written as one value");
		if ((!under && is_key(s, 0, SECTION) && is_key(s, 1, NAME)) ||
		    (section && is_key(s, 0, NAME)))
			return by_hand(t->err, "'" SECTION "." NAME "' is not a table of its own");
	}
	return own > 1 ? by_hand(t->err, "'" SECTION "." NAME "' is there twice") : 0;
}

static struct statement *find_table(const struct toml *t)
{
	for (size_t i = 0; i < t->count; i++)
		if (is_ours(&t->list[i]) && t->list[i].count == 2)
			return &t->list[i];
	return NULL;
}

static struct statement *find_pair(const struct toml *t, const struct statement *table,
				   const char *key)
{
	size_t i = (size_t)(table - t->list) + 1;

	for (; i < t->count && !t->list[i].header; i++)
		if (t->list[i].count == 1 && is_key(&t->list[i], 0, key))
			return &t->list[i];
	return NULL;
}

/* The first string of a value, which may be a list; NULL: there is none. The caller frees. */
static char *first_string(const struct toml *t, const struct statement *s)
{
	struct error ignored = {0};
	struct toml at = {.text = t->text, .len = t->len, .err = &ignored};
	char *text = NULL;

	if (!s)
		return NULL;
	at.at = s->value;
	if (here(&at) == '[') {
		at.at++;
		skip_lines(&at);
	}
	if (here(&at) == '"' || here(&at) == '\'')
		read_string(&at, &text);
	return text;
}

#define APPROVAL "default_tools_approval_mode"

static const char *approval_word(bool runs)
{
	return runs ? "approve" : "prompt";
}

static enum toml_server look(const struct toml *t, const char *program, bool runs)
{
	const struct statement *table = find_table(t);
	AUTO(free) char *command = NULL, *arg = NULL, *approval = NULL;
	const char *slash;

	if (!table)
		return TOML_ABSENT;
	command = first_string(t, find_pair(t, table, "command"));
	arg = first_string(t, find_pair(t, table, "args"));
	if (!command || !arg || strcmp(arg, "mcp") != 0)
		return TOML_FOREIGN;
	slash = strrchr(command, '/');
	if (strcmp(slash ? slash + 1 : command, NAME) != 0)
		return TOML_FOREIGN;
	approval = first_string(t, find_pair(t, table, APPROVAL));
	/* Any other word is the person's own decision. */
	if (approval && strcmp(approval, approval_word(!runs)) == 0)
		return TOML_OURS;
	return strcmp(command, program) == 0 ? TOML_SAME : TOML_OURS;
}

static int toml_open(struct toml *t)
{
	int r = toml_read(t);

	return r < 0 ? r : check_others(t);
}

int toml_look(const char *text, size_t len, const char *program, bool runs, enum toml_server *ret,
	      struct error *err)
{
	AUTO_TOML struct toml t = {.text = text ? text : "", .len = len, .err = err};
	int r = toml_open(&t);

	if (r == 0)
		*ret = look(&t, program, runs);
	return r;
}

/* Writing */

static void write_text(struct buf *out, const char *text)
{
	buf_add_char(out, '"');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			buf_printf(out, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			buf_printf(out, "\\u%04x", c);
		else
			buf_add_char(out, (char)c);
	}
	buf_add_char(out, '"');
}

/*
 * It starts servers with few variables of its own environment. These say where Belfry's home is and for
 * whom it is asked.
 */
static const char *const variables[] = {
	"BELFRY_HOME",	  "BELFRY_CONFIG_DIR", "BELFRY_STATE_DIR",  "BELFRY_RUNTIME_DIR",
	"BELFRY_STORE",	  "BELFRY_USER",       "BELFRY_MISSION_ID", "BELFRY_AGENT",
	"BELFRY_SESSION", "XDG_CONFIG_HOME",   "XDG_STATE_HOME",    "XDG_RUNTIME_DIR",
};

#define APPROVED(name) #name " = { approval_mode = \"approve\" }, "
/* On one line: a table of its own would be one more to take out again. */
static void write_approval(struct buf *out, bool runs, const char *eol)
{
	static const char tools[] = SETUP_TOOLS(APPROVED);

	buf_printf(out, "\"%s\"", approval_word(runs));
	if (!runs)
		buf_printf(out, "%stools = { %.*s }", eol, (int)sizeof(tools) - 3, tools);
}

static void write_table(struct buf *out, const char *program, bool runs, const char *eol)
{
	buf_printf(out, "[" SECTION "." NAME "]%scommand = ", eol);
	write_text(out, program);
	buf_printf(out, "%sargs = [\"mcp\"]%senv_vars = [", eol, eol);
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		buf_printf(out, "%s\"%s\"", i ? ", " : "", variables[i]);
	buf_printf(out, "]%s" APPROVAL " = ", eol);
	write_approval(out, runs, eol);
	buf_add_str(out, eol);
}

static const char *eol_of(const struct draft *d)
{
	const char *text = buf_text(&d->text), *newline = memchr(text, '\n', d->text.len);

	return newline && newline > text && newline[-1] == '\r' ? "\r\n" : "\n";
}

/* What an earlier setup allowed is what this one does. */
static void set_approval(struct draft *d, const struct toml *t, bool runs)
{
	const struct statement *table = find_table(t), *s = find_pair(t, table, APPROVAL);
	const struct statement *tools = find_pair(t, table, "tools");
	AUTO(free) char *now = first_string(t, s);
	AUTO_BUF struct buf out = {0};

	if (!now || strcmp(now, approval_word(!runs)) != 0)
		return;
	/* The person's own exceptions stay. */
	if (tools && !runs)
		buf_printf(&out, "\"%s\"", approval_word(runs));
	else
		write_approval(&out, runs, eol_of(d));
	draft_replace(d, s->value, s->value_end - s->value, buf_text(&out), out.len);
}

static void append(struct draft *d, const char *program, bool runs)
{
	const char *text = buf_text(&d->text), *eol = eol_of(d);
	bool bare = d->text.len == 0 || (d->text.len == 3 && *text == '\xef');
	AUTO_BUF struct buf out = {0};

	if (!bare && text[d->text.len - 1] != '\n')
		buf_add_str(&out, eol);
	if (!bare)
		buf_add_str(&out, eol);
	write_table(&out, program, runs, eol);
	draft_replace(d, d->text.len, 0, buf_text(&out), out.len);
}

/* The lines of a table, up to its last statement, and a blank line before it. */
static void cut_table(struct draft *d, const struct toml *t, size_t i)
{
	size_t from = t->list[i].begin, to;

	while (i + 1 < t->count && !t->list[i + 1].header)
		i++;
	to = t->list[i].end;
	if (from >= 2 && t->text[from - 1] == '\n' &&
	    (t->text[from - 2] == '\n' ||
	     (from >= 3 && memcmp(t->text + from - 3, "\n\r", 2) == 0)))
		from -= t->text[from - 2] == '\n' ? 1 : 2;
	draft_replace(d, from, to - from, "", 0);
}

int toml_remove(struct draft *d, struct error *err)
{
	bool more = true;

	while (more) {
		AUTO_BUF struct buf text = {0};
		AUTO_TOML struct toml t = {.err = err};
		int r;

		buf_add(&text, buf_text(&d->text), d->text.len);
		t.text = buf_text(&text);
		t.len = text.len;
		more = false;
		if ((r = toml_open(&t)) < 0)
			return r;
		for (size_t i = t.count; i-- > 0 && !more;)
			if (is_ours(&t.list[i])) {
				cut_table(d, &t, i);
				more = true;
			}
	}
	return 0;
}

static int set_program(struct draft *d, const char *program, struct error *err)
{
	AUTO_BUF struct buf text = {0}, out = {0};
	AUTO_TOML struct toml t = {.err = err};
	const struct statement *s;
	int r;

	buf_add(&text, buf_text(&d->text), d->text.len);
	t.text = buf_text(&text);
	t.len = text.len;
	if ((r = toml_open(&t)) < 0)
		return r;
	s = find_pair(&t, find_table(&t), "command");
	write_text(&out, program);
	draft_replace(d, s->value, s->value_end - s->value, buf_text(&out), out.len);
	return 0;
}

int toml_set(struct draft *d, const char *program, bool runs, struct error *err)
{
	AUTO_TOML struct toml t = {.text = buf_text(&d->text), .len = d->text.len, .err = err};
	enum toml_server now = TOML_ABSENT;
	size_t count = d->count;
	int r = toml_open(&t);

	if (r < 0)
		return r;
	now = look(&t, program, runs);
	if (now == TOML_OURS && (r = set_program(d, program, err)) == 0) {
		AUTO_BUF struct buf text = {0};
		AUTO_TOML struct toml again = {.err = err};

		buf_add(&text, buf_text(&d->text), d->text.len);
		again.text = buf_text(&text);
		again.len = text.len;
		r = toml_open(&again);
		if (r == 0)
			set_approval(d, &again, runs);
	} else if (now == TOML_FOREIGN) {
		r = toml_remove(d, err);
	}
	if (r == 0 && (now == TOML_ABSENT || now == TOML_FOREIGN))
		append(d, program, runs);
	if (r == 0)
		r = toml_look(buf_text(&d->text), d->text.len, program, runs, &now, err);
	if (r == 0 && now == TOML_SAME)
		return 0;
	draft_rewind(d, count);
	return r < 0 ? r : by_hand(err, "it is written in a way that is not understood here");
}
