/* token.c: tokens as rows. A handful: they are found by their hash, which is unique. */
#include "store/token.h"

#include "base/random.h"
#include "store/row.h"

#define ID_TRIES 8
#define ID_LETTERS 6
#define COLUMNS "id, hash, owner, session, label, created_at, used_at, expires_at"

void token_row_free(struct token_row *t)
{
	if (!t)
		return;
	free(t->hash);
	free(t->owner);
	free(t->session);
	free(t->label);
	free(t);
}

static int read_row(const struct db_rows *rows, struct token_row **ret, struct error *err)
{
	struct token_row *t = mem_zalloc(sizeof(*t));
	struct row row = {.rows = rows};
	AUTO(free) char *id = row_text(&row);

	(void)err;
	for (size_t i = 0; i + 1 < sizeof(t->id) && id[i]; i++)
		t->id[i] = id[i];
	t->hash = row_text(&row);
	t->owner = row_text(&row);
	t->session = row_text(&row);
	t->label = row_text(&row);
	t->created_at = row_int(&row);
	t->used_at = row_time(&row);
	t->expires_at = row_time(&row);
	*ret = t;
	return 0;
}

DEFINE_ROW_LISTS(token_row)

int token_insert(struct db *db, struct token_row *t, struct error *err)
{
	int64_t inserted = 0;
	int r = 0;

	for (int tries = ID_TRIES; r == 0 && !inserted && tries > 0; tries--) {
		struct db_value args[] = {DB_TEXT(t->id),      DB_TEXT(t->hash),
					  DB_TEXT(t->owner),   DB_TEXT(t->session),
					  DB_TEXT(t->label),   DB_INT(t->created_at),
					  DB_TIME(t->used_at), DB_TIME(t->expires_at)};

		random_id("tok-", ID_LETTERS, t->id);
		r = db_exec_count(db,
				  "INSERT INTO tokens (" COLUMNS ")"
				  " VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING",
				  DB_ARGS(args), &inserted, err);
	}
	if (r == 0 && !inserted)
		return error_set(err, ERR_CONFLICT, "this token is kept already");
	return r;
}

int token_by_hash(struct db *db, const char *hash, struct token_row **ret, struct error *err)
{
	struct db_value args[] = {DB_TEXT(hash)};

	return query_one(db, "SELECT " COLUMNS " FROM tokens WHERE hash = $1", DB_ARGS(args), ret,
			 err);
}

int token_list(struct db *db, struct token_row_list *ret, struct error *err)
{
	return query_list(db, "SELECT " COLUMNS " FROM tokens ORDER BY created_at, id", DB_NO_ARGS,
			  ret, err);
}

int token_used(struct db *db, const char *id, usec_t now, struct error *err)
{
	struct db_value args[] = {DB_TEXT(id), DB_INT(now)};

	return db_exec(db, "UPDATE tokens SET used_at = $2 WHERE id = $1", DB_ARGS(args), err);
}

int token_delete(struct db *db, const char *id, struct error *err)
{
	struct db_value args[] = {DB_TEXT(id)};
	int64_t deleted = 0;
	int r = db_exec_count(db, "DELETE FROM tokens WHERE id = $1", DB_ARGS(args), &deleted, err);

	return r < 0 ? r : deleted > 0;
}
