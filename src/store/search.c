/*
 * search.c: messages by their words, the one place where the two databases differ in that.
 * What a person typed is cut into words here, at everything that is neither a letter, a digit nor
 * beyond ASCII. So nothing of it can be taken for the syntax of a query, and both databases cut
 * where their index did:
 *
 *	typed               SQLite               PostgreSQL
 *	rate-limit 42       "rate limit" "42"*   'rate'<->'limit'&'42':*
 *
 * Where a script has no blanks, all that stands together would be one word. So the index also has
 * the pairs of its characters, in their order, and looks for the pairs of what was typed:
 *
 *	typed               SQLite                        indexed, of "見出し語"
 *	見出し              ("見出し"* OR "見出 出し"*)   見出 出し し語 語
 *
 * PostgreSQL keeps its index by itself. SQLite's is a table of its own, which is kept here; what it
 * is to forget has to be told with the words it was told to know.
 */
#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/random.h"
#include "base/text.h"
#include "store/driver.h"
#include "store/mail-row.h"
#include "store/row.h"

#define WORD_MAX ((size_t)1000)	       /* bytes; nobody looks for a longer one */
#define TERMS_MAX ((size_t)160 * 1024) /* PostgreSQL indexes at most a megabyte of a row */

/* --- pairs of characters --- */

/* Ideographs, kana and hangul. */
static bool is_unspaced(uint32_t c)
{
	return (c >= 0x3005 && c <= 0x3007) || (c >= 0x3041 && c <= 0x30ff && c != 0x30fb) ||
	       (c >= 0x3400 && c <= 0x4dbf) || (c >= 0x4e00 && c <= 0x9fff) ||
	       (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) ||
	       (c >= 0xff66 && c <= 0xff9d) || (c >= 0x20000 && c <= 0x3134f);
}

/* The length of the character at p that is one of them, or 0. The text is UTF-8. */
static size_t unspaced_at(const char *p, const char *end)
{
	const unsigned char *u = (const unsigned char *)p;
	size_t len = u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 0;
	uint32_t c;

	if (!len || (size_t)(end - p) < len)
		return 0;
	c = u[0] & (len == 4 ? 0x07U : 0x0fU);
	for (size_t i = 1; i < len; i++)
		c = c << 6 | (u[i] & 0x3fU);
	return is_unspaced(c) ? len : 0;
}

/*
 * The pairs of the run of such characters at *at, each with `between` before it unless it is the
 * first; `whole`: the last character too, alone. *at is then behind the run. False: there is none.
 */
static bool add_pairs(const char **at, const char *end, const char *between, bool whole,
		      struct buf *ret)
{
	size_t len = unspaced_at(*at, end), next;
	bool any = false;

	for (; len; *at += len, len = next) {
		next = unspaced_at(*at + len, end);
		if (!next && !whole && any) {
			*at += len;
			break;
		}
		buf_add_str(ret, any ? between : "");
		buf_add(ret, *at, len + next);
		any = true;
	}
	return any;
}

/* All runs in a text, for the index. */
static void add_all_pairs(const char *text, struct buf *ret)
{
	const char *end = text ? text + strlen(text) : NULL;

	while (text && text < end && ret->len < TERMS_MAX) {
		if ((unsigned char)*text < 0xe0 || !unspaced_at(text, end)) {
			text++;
			continue;
		}
		buf_add_str(ret, ret->len ? " " : "");
		add_pairs(&text, end, " ", true, ret);
	}
}

char *search_terms(const struct mail *m)
{
	AUTO_BUF struct buf terms = {0};

	if (m->terms)
		buf_add(&terms, m->terms, text_fit(m->terms, TERMS_MAX));
	add_all_pairs(m->title, &terms);
	add_all_pairs(m->text, &terms);
	add_all_pairs(m->terms, &terms);
	return terms.len ? buf_steal(&terms) : NULL;
}

/* --- the index --- */

int search_add(struct db *db, const struct mail *m, const char *terms, struct error *err)
{
	struct db_value args[] = {DB_INT(m->key), DB_TEXT(m->title), DB_TEXT(m->text),
				  DB_TEXT(terms)};

	if (db_kind(db) != DB_SQLITE)
		return 0;
	return db_exec(db,
		       "INSERT INTO message_words (rowid, title, text, terms)"
		       " VALUES ($1, $2, $3, $4)",
		       DB_ARGS(args), err);
}

#define CHANGED " FROM messages WHERE key = $1 AND (title IS NOT $2 OR text IS NOT $3)"

int search_change(struct db *db, const struct mail *m, struct error *err)
{
	struct db_value args[] = {DB_INT(m->key), DB_TEXT(m->title), DB_TEXT(m->text)};
	int r;

	if (db_kind(db) != DB_SQLITE)
		return 0;
	r = db_exec(db,
		    "INSERT INTO message_words (message_words, rowid, title, text, terms)"
		    " SELECT 'delete', key, title, text, terms" CHANGED,
		    DB_ARGS(args), err);
	if (r < 0)
		return r;
	return db_exec(db,
		       "INSERT INTO message_words (rowid, title, text, terms)"
		       " SELECT key, $2, $3, terms" CHANGED,
		       DB_ARGS(args), err);
}

int search_forget(struct db *db, const char *sql, const struct db_value *args, size_t count,
		  struct error *err)
{
	return db_kind(db) == DB_SQLITE ? db_exec(db, sql, args, count, err) : 0;
}

static bool is_part(char c)
{
	return (unsigned char)c >= 0x80 || isalnum((unsigned char)c);
}

/* By their hashes: two words with one hash are rare, and then the second is not found, that is all. */
char *mail_distinct_words(const char *text, size_t len)
{
	size_t slots = (size_t)1 << 17, used = 0;
	uint64_t *seen = mem_array(slots, sizeof(*seen));
	struct buf out = {0};

	for (size_t at = 0; at < len && out.len < TERMS_MAX / 2 && used < slots / 2;) {
		size_t start = at, slot;
		uint64_t hash;

		while (at < len && is_part(text[at]))
			at++;
		if (at == start) {
			at++;
			continue;
		}
		hash = hash_bytes(text + start, at - start, 1) | 1;
		for (slot = hash % slots; seen[slot] && seen[slot] != hash;)
			slot = (slot + 1) % slots;
		if (seen[slot] || at - start > WORD_MAX)
			continue;
		seen[slot] = hash;
		used++;
		buf_add_str(&out, out.len ? " " : "");
		buf_add(&out, text + start, at - start);
	}
	free(seen);
	return buf_steal(&out);
}

/* --- what is looked for --- */

#define BLANKS " \t\r\n"

static const struct syntax {
	const char *first;	    /* what is before a phrase */
	const char *between;	    /* the words of one */
	const char *end, *end_open; /* open: its last word may be a beginning */
	const char *both, *either;  /* between the parts of a phrase */
} syntaxes[] = {
	[DB_SQLITE] = {"\"", " ", "\"", "\"*", " AND ", " OR "},
	[DB_POSTGRES] = {"'", "'<->'", "'", "':*", "&", "|"},
};

/* The words between `at` and `end`; false when there are none. */
static bool add_words(const char *at, const char *end, const char *between, struct buf *ret)
{
	bool any = false;

	while (at < end) {
		const char *word = at;

		while (at < end && is_part(*at))
			at++;
		if (at > word && any)
			buf_add_str(ret, between);
		buf_add(ret, word, (size_t)(at - word));
		any |= at > word;
		at += at < end;
	}
	return any;
}

/* One phrase of what was typed: up to a blank, or all that is in quotes. Returns what follows it. */
static const char *next_phrase(const char *typed, const char **ret, const char **ret_end,
			       bool *ret_quoted)
{
	typed += strspn(typed, BLANKS);
	*ret_quoted = *typed == '"';
	*ret = typed + *ret_quoted;
	*ret_end = *ret + strcspn(*ret, *ret_quoted ? "\"" : BLANKS "\"");
	return *ret_quoted && **ret_end ? *ret_end + 1 : *ret_end;
}

/* A phrase whose characters stand together without blanks: by their pairs, and what is between. */
static void add_by_pairs(const char *at, const char *end, const struct syntax *syntax,
			 struct buf *ret)
{
	bool any = false;

	while (at < end) {
		const char *word = at;

		if (!is_part(*at)) {
			at++;
			continue;
		}
		buf_add_str(ret, any ? syntax->both : "");
		buf_add_str(ret, syntax->first);
		if (!add_pairs(&at, end, syntax->between, false, ret)) {
			while (at < end && is_part(*at) && !unspaced_at(at, end))
				at++;
			buf_add(ret, word, (size_t)(at - word));
		}
		/* What is before or behind such a run belongs to one word with it. */
		buf_add_str(ret, syntax->end_open);
		any = true;
	}
}

static bool has_unspaced(const char *at, const char *end)
{
	while (at < end && !unspaced_at(at, end))
		at++;
	return at < end;
}

static bool has_word(const char *typed)
{
	while (*typed && !is_part(*typed))
		typed++;
	return *typed != '\0';
}

/* False when there is no word to look for. */
static bool make_query(const char *typed, const struct syntax *syntax, struct buf *ret)
{
	const char *start, *end;
	bool quoted;

	while (*typed) {
		AUTO_BUF struct buf words = {0};
		bool unspaced, open;

		typed = next_phrase(typed, &start, &end, &quoted);
		if (!add_words(start, end, syntax->between, &words))
			continue;
		/* Only the last one may be a beginning: that is what is still being typed. */
		open = !quoted && !has_word(typed);
		unspaced = has_unspaced(start, end);
		buf_add_str(ret, ret->len ? syntax->both : "");
		buf_printf(ret, "%s%s%s%s", unspaced ? "(" : "", syntax->first, buf_text(&words),
			   open || unspaced ? syntax->end_open : syntax->end);
		if (unspaced) {
			buf_add_str(ret, syntax->either);
			buf_add_str(ret, "(");
			add_by_pairs(start, end, syntax, ret);
			buf_add_str(ret, "))");
		}
	}
	return ret->len > 0;
}

/*
 * By the order of the index itself: the newest hits are found first, and the rest is not looked at.
 */
static const char in_sqlite[] =
	"SELECT " MAIL_COLUMNS " FROM messages WHERE key IN (SELECT message_words.rowid"
	" FROM message_words CROSS JOIN messages AS m ON m.key = message_words.rowid"
	" CROSS JOIN threads AS t ON t.key = m.thread"
	" WHERE message_words MATCH $1 AND message_words.rowid < $2"
	" AND (t.archived_at IS NULL OR t.asks > 0 OR $3 = 1)"
	" ORDER BY message_words.rowid DESC LIMIT $4) ORDER BY key DESC";

/*
 * GIN knows no order: it would fetch every message that has a frequent word, and a scan from the
 * newest on would read them all for a rare one. So the newest are looked through, and only when the
 * page is not full then, the index is asked for the rest. MATERIALIZED, and the query in a SELECT of
 * its own, keep the planner from guessing how frequent the words are.
 */
#define LOOKED_FOR "words @@ (SELECT to_tsquery('simple', $1))"
#define SHOWN                                                                                      \
	"($3 = 1 OR thread IN (SELECT key FROM threads WHERE archived_at IS NULL OR asks > 0))"
static const char in_postgres[] =
	"WITH newest AS MATERIALIZED (SELECT key, thread, words FROM messages WHERE key < $2"
	" ORDER BY key DESC LIMIT 500),"
	" found AS MATERIALIZED (SELECT key FROM newest WHERE " LOOKED_FOR " AND " SHOWN
	" ORDER BY key DESC LIMIT $4),"
	" older AS MATERIALIZED (SELECT key, thread FROM messages WHERE " LOOKED_FOR
	" AND key < (SELECT min(key) FROM newest) AND (SELECT count(*) FROM newest) = 500"
	" AND (SELECT count(*) FROM found) < $4),"
	" hits AS (SELECT key FROM found UNION ALL SELECT key FROM older WHERE " SHOWN ")"
	" SELECT " MAIL_COLUMNS " FROM messages WHERE key IN"
	" (SELECT key FROM hits ORDER BY key DESC LIMIT $4) ORDER BY key DESC";

int mail_search(struct db *db, const struct mail_search *s, struct mail_list *ret,
		struct error *err)
{
	AUTO_BUF struct buf query = {0};

	if (!make_query(s->words, &syntaxes[db_kind(db)], &query)) {
		error_set(err, ERR_INVALID, "no word to look for in '%.60s'", s->words);
		return error_hint(err, "give a word, the beginning of one, or \"a phrase\"");
	}
	struct db_value args[] = {DB_TEXT(buf_text(&query)),
				  DB_INT(s->before ? s->before : INT64_MAX), DB_INT(s->archived),
				  DB_INT(s->limit)};

	return mail_query_list(db, db_kind(db) == DB_SQLITE ? in_sqlite : in_postgres,
			       DB_ARGS(args), ret, err);
}
