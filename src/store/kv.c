/* kv.c: names to texts. */
#include "store/kv.h"

#include "store/row.h"

int kv_get(struct db *db, const char *name, char **ret, struct error *err)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct db_value args[] = {DB_TEXT(name)};
	int r = db_query(db, "SELECT text FROM kv WHERE name = $1", DB_ARGS(args), &rows, err);

	if (r < 0 || (r = db_rows_next(&rows, err)) < 0)
		return r;
	*ret = r ? mem_strdup(db_text(&rows, 0)) : NULL;
	return 0;
}

int kv_set(struct db *db, const char *name, const char *text, struct error *err)
{
	struct db_value args[] = {DB_TEXT(name), DB_TEXT(text)};

	if (!text)
		return db_exec(db, "DELETE FROM kv WHERE name = $1", args, 1, err);
	return db_exec(db,
		       "INSERT INTO kv (name, text) VALUES ($1, $2)"
		       " ON CONFLICT (name) DO UPDATE SET text = excluded.text",
		       DB_ARGS(args), err);
}

int kv_each(struct db *db, const char *prefix,
	    void (*each)(const char *name, const char *text, void *data), void *data,
	    struct error *err)
{
	AUTO_ROWS struct db_rows rows = {0};
	AUTO(free) char *last = mem_printf("%s" ROW_LAST_CHARACTER, prefix);
	struct db_value args[] = {DB_TEXT(prefix), DB_TEXT(last)};
	int r = db_query(db,
			 "SELECT name, text FROM kv WHERE name >= $1 AND name <= $2 ORDER BY name",
			 DB_ARGS(args), &rows, err);

	while (r >= 0 && (r = db_rows_next(&rows, err)) > 0)
		each(db_text(&rows, 0), db_text(&rows, 1), data);
	return r < 0 ? r : 0;
}
