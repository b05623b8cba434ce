/* board.c: the status board as rows. A few dozen at most: they are sorted when somebody looks. */
#include "store/board.h"

#include "store/row.h"

void board_free(struct board *b)
{
	if (!b)
		return;
	free(b->agent);
	free(b->status);
	free(b->detail);
	free(b->owner);
	free(b);
}

static int read_row(const struct db_rows *rows, struct board **ret, struct error *err)
{
	struct board *b = mem_zalloc(sizeof(*b));
	struct row row = {.rows = rows};

	(void)err;
	b->agent = row_text(&row);
	b->status = row_text(&row);
	b->detail = row_text(&row);
	b->at = row_int(&row);
	b->owner = row_text(&row);
	*ret = b;
	return 0;
}

DEFINE_ROW_LISTS(board)

int board_set(struct db *db, const struct board *b, struct error *err)
{
	struct db_value args[] = {DB_TEXT(b->agent), DB_TEXT(b->owner ? b->owner : "me"),
				  DB_TEXT(b->status), DB_TEXT(b->detail), DB_INT(b->at)};

	if (b->status[0] == '\0')
		return db_exec(db, "DELETE FROM board WHERE agent = $1 AND owner = $2", args, 2,
			       err);
	return db_exec(db,
		       "INSERT INTO board (agent, owner, status, detail, at)"
		       " VALUES ($1, $2, $3, $4, $5)"
		       " ON CONFLICT (agent, owner) DO UPDATE SET status = excluded.status,"
		       " detail = excluded.detail, at = excluded.at",
		       DB_ARGS(args), err);
}

int board_list(struct db *db, const char *agent, const char *owner, struct board_list *ret,
	       struct error *err)
{
	struct db_value args[] = {DB_TEXT(agent), DB_TEXT(owner)};

	return query_list(db,
			  "SELECT agent, status, detail, at, owner FROM board"
			  " WHERE (agent = $1 OR $1 IS NULL) AND (owner = $2 OR $2 IS NULL)"
			  " ORDER BY at DESC, agent, owner",
			  DB_ARGS(args), ret, err);
}
