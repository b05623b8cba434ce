/*
 * row.c: the questions several nouns ask in the same way.
 * A prefix is a range of the index, from itself to itself and the last character there is: no
 * pattern is ever made of what a person typed.
 */
#include "store/row.h"

#include <string.h>

#include "base/buf.h"

#define NAMED_MAX 5

int row_ask_int(struct db *db, const char *sql, const struct db_value *args, size_t count,
		int64_t *ret, struct error *err)
{
	AUTO_ROWS struct db_rows rows = {0};
	int r = db_query(db, sql, args, count, &rows, err);

	if (r < 0 || (r = db_rows_next(&rows, err)) <= 0)
		return r;
	*ret = db_int(&rows, 0);
	return 1;
}

static int conflict(const char *ref, const char *why, const struct buf *named, bool more,
		    struct error *err)
{
	error_set(err, ERR_CONFLICT, "'%s' is %s: %s%s", ref, why, buf_text(named),
		  more ? " and more" : "");
	return error_hint(err, strstr(why, "the name of") ? "give the id of the one you mean"
							  : "give more characters of the id");
}

int row_choose(struct db *db, const char *sql, const struct db_value *args, size_t count,
	       const char *why, int64_t *ret_key, struct error *err)
{
	AUTO_ROWS struct db_rows rows = {0};
	AUTO_BUF struct buf named = {0};
	int64_t key = 0;
	int found = 0, r = db_query(db, sql, args, count, &rows, err);

	while (r >= 0 && (r = db_rows_next(&rows, err)) > 0) {
		if (found++ == 0)
			key = db_int(&rows, 0);
		if (found <= NAMED_MAX)
			buf_printf(&named, "%s'%s'", found == 1 ? "" : ", ", db_text(&rows, 1));
	}
	if (r < 0)
		return r;
	if (found > 1)
		return conflict(args[0].text, why, &named, found > NAMED_MAX, err);
	if (found == 1)
		*ret_key = key;
	return found;
}

int row_find_of(struct db *db, const char *owner, const char *exact, const char *prefix,
		const char *ref, int64_t *ret_key, struct error *err)
{
	AUTO(free) char *last = mem_printf("%s" ROW_LAST_CHARACTER, ref);
	struct db_value one[] = {DB_TEXT(ref), DB_TEXT(owner)};
	struct db_value range[] = {DB_TEXT(ref), DB_TEXT(last), DB_TEXT(owner)};
	int r = row_choose(db, exact, one, owner ? 2 : 1, "the id of several", ret_key, err);

	if (r != 0 || ref[0] == '\0')
		return r;
	return row_choose(db, prefix, range, owner ? 3 : 2, "the beginning of several ids", ret_key,
			  err);
}

int row_find(struct db *db, const char *exact, const char *prefix, const char *ref,
	     int64_t *ret_key, struct error *err)
{
	return row_find_of(db, NULL, exact, prefix, ref, ret_key, err);
}
