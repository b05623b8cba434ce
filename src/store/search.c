/*
 * search.c: messages by their words, the one place where the two databases differ in that.
 * What a person typed is cut into words here, at everything that is neither a letter, a digit nor
 * beyond ASCII. So nothing of it can be taken for the syntax of a query, and both databases cut
 * where their index did:
 *
 *	typed               SQLite               PostgreSQL
 *	rate-limit 42       "rate limit" "42"*   'rate'<->'limit'&'42':*
 *
 * PostgreSQL keeps its index by itself. SQLite's is a table of its own, which is kept here; what it
 * is to forget has to be told with the words it was told to know.
 */
#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "store/driver.h"
#include "store/mail-row.h"
#include "store/row.h"

int search_add(struct db *db, const struct mail *m, struct error *err)
{
	struct db_value args[] = {DB_INT(m->key), DB_TEXT(m->title), DB_TEXT(m->text)};

	if (db_kind(db) != DB_SQLITE)
		return 0;
	return db_exec(db, "INSERT INTO message_words (rowid, title, text) VALUES ($1, $2, $3)",
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
		    "INSERT INTO message_words (message_words, rowid, title, text)"
		    " SELECT 'delete', key, title, text" CHANGED,
		    DB_ARGS(args), err);
	if (r < 0)
		return r;
	return db_exec(db,
		       "INSERT INTO message_words (rowid, title, text)"
		       " SELECT key, $2, $3" CHANGED,
		       DB_ARGS(args), err);
}

int search_forget(struct db *db, const char *sql, const struct db_value *args, size_t count,
		  struct error *err)
{
	return db_kind(db) == DB_SQLITE ? db_exec(db, sql, args, count, err) : 0;
}

#define BLANKS " \t\r\n"

static const struct syntax {
	const char *first, *further; /* what is before the first phrase, and the others */
	const char *between;	     /* the words of one */
	const char *end, *end_open;  /* open: its last word may be a beginning */
} syntaxes[] = {
	[DB_SQLITE] = {"\"", " \"", " ", "\"", "\"*"},
	[DB_POSTGRES] = {"'", "&'", "'<->'", "'", "':*"},
};

static bool is_part(char c)
{
	return (unsigned char)c >= 0x80 || isalnum((unsigned char)c);
}

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

/* False when there is no word to look for. */
static bool make_query(const char *typed, const struct syntax *syntax, struct buf *ret)
{
	AUTO_BUF struct buf words = {0};
	const char *start, *end;
	bool any = false, open = false, quoted;

	while (*typed) {
		typed = next_phrase(typed, &start, &end, &quoted);
		buf_clear(&words);
		if (!add_words(start, end, syntax->between, &words))
			continue;
		if (any)
			buf_add_str(ret, syntax->end);
		buf_add_str(ret, any ? syntax->further : syntax->first);
		buf_add_str(ret, buf_text(&words));
		any = true;
		open = !quoted;
	}
	buf_add_str(ret, open ? syntax->end_open : syntax->end);
	return any;
}

/*
 * By the order of the index itself: the newest hits are found first, and the rest is not looked at.
 */
static const char in_sqlite[] =
	"SELECT " MAIL_COLUMNS " FROM messages WHERE key IN (SELECT message_words.rowid"
	" FROM message_words CROSS JOIN messages AS m ON m.key = message_words.rowid"
	" CROSS JOIN threads AS t ON t.key = m.thread"
	" WHERE message_words MATCH $1 AND message_words.rowid < $2"
	" AND (t.archived_at IS NULL OR $3 = 1)"
	" ORDER BY message_words.rowid DESC LIMIT $4) ORDER BY key DESC";

/*
 * GIN knows no order: it would fetch every message that has a frequent word, and a scan from the
 * newest on would read them all for a rare one. So the newest are looked through, and only when the
 * page is not full then, the index is asked for the rest. MATERIALIZED, and the query in a SELECT of
 * its own, keep the planner from guessing how frequent the words are.
 */
#define LOOKED_FOR "words @@ (SELECT to_tsquery('simple', $1))"
#define SHOWN "($3 = 1 OR thread IN (SELECT key FROM threads WHERE archived_at IS NULL))"
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
