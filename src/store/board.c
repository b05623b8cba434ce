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
	*ret = b;
	return 0;
}

DEFINE_ROW_LISTS(board)

int board_set(struct db *db, const struct board *b, struct error *err)
{
	struct db_value args[] = {DB_TEXT(b->agent), DB_TEXT(b->status), DB_TEXT(b->detail),
				  DB_INT(b->at)};

	if (b->status[0] == '\0')
		return db_exec(db, "DELETE FROM board WHERE agent = $1", args, 1, err);
	return db_exec(db,
		       "INSERT INTO board (agent, status, detail, at) VALUES ($1, $2, $3, $4)"
		       " ON CONFLICT (agent) DO UPDATE SET status = excluded.status,"
		       " detail = excluded.detail, at = excluded.at",
		       DB_ARGS(args), err);
}

int board_list(struct db *db, const char *agent, struct board_list *ret, struct error *err)
{
	struct db_value args[] = {DB_TEXT(agent)};

	return query_list(db,
			  "SELECT agent, status, detail, at FROM board"
			  " WHERE agent = $1 OR $1 IS NULL ORDER BY at DESC, agent",
			  DB_ARGS(args), ret, err);
}
