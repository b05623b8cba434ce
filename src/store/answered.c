/*
 * answered.c: what was carried out lately, by the caller's id.
 * Ids of our own commands begin with their time, so that a new row goes to the end of the tree and an old one
 * is at its beginning: one page a request, and no second index.
 */
#include "store/answered.h"

#include "store/row.h"

void answered_fini(struct answered *a)
{
	free(a->result);
	a->result = NULL;
}

int answered_find(struct db *db, const char *id, struct answered *ret, struct error *err)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct db_value args[] = {DB_TEXT(id)};
	int r = db_query(db, "SELECT digest, result FROM answered WHERE id = $1", DB_ARGS(args),
			 &rows, err);

	if (r < 0 || (r = db_rows_next(&rows, err)) <= 0)
		return r;
	ret->digest = db_int(&rows, 0);
	ret->result = mem_strdup(db_text(&rows, 1));
	return 1;
}

int answered_add(struct db *db, const char *id, const struct answered *a, usec_t now,
		 struct error *err)
{
	struct db_value args[] = {DB_TEXT(id), DB_INT(now), DB_INT(a->digest), DB_TEXT(a->result)};

	return db_exec(db, "INSERT INTO answered (id, at, digest, result) VALUES ($1, $2, $3, $4)",
		       DB_ARGS(args), err);
}

int answered_prune(struct db *db, usec_t before, int keep, struct error *err)
{
	struct db_value args[] = {DB_INT(before), DB_INT(keep)};

	return db_exec(
		db,
		"DELETE FROM answered WHERE at < $1 OR at < coalesce((SELECT at FROM answered"
		" ORDER BY at DESC LIMIT 1 OFFSET $2), 0)",
		DB_ARGS(args), err);
}
