/*
 * store.c: the store of a world. To make the schema takes longer than many worlds live, so a world
 * that ends gives its store back, and the next one gets it emptied, with its statements prepared.
 */
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "store/driver.h"

static struct db *spare;
static char *empty; /* the script that makes one as good as new */

/* The youngest tables first: they refer to the older ones. */
static int write_script(struct db *db, struct error *err)
{
	AUTO_ROWS struct db_rows rows = {0};
	AUTO_BUF struct buf text = {0};
	int rc = db_query(db,
			  "SELECT name FROM sqlite_schema WHERE type = 'table'"
			  " AND name NOT LIKE 'message_words%' ORDER BY rowid DESC",
			  DB_NO_ARGS, &rows, err);

	buf_add_str(&text, "BEGIN;"
			   "INSERT INTO message_words(message_words) VALUES ('delete-all');");
	while (rc >= 0 && (rc = db_rows_next(&rows, err)) > 0)
		buf_printf(&text, "DELETE FROM %s;", db_text(&rows, 0));
	buf_add_str(&text, "COMMIT");
	mem_replace(&empty, buf_text(&text));
	return rc;
}

int world_store_open(struct db **ret, struct error *err)
{
	int rc = 0;

	if (!spare && (rc = store_open("sqlite::memory:", &spare, err)) >= 0)
		rc = write_script(spare, err);
	if (rc >= 0)
		rc = db_script(spare, empty, err);
	if (rc >= 0)
		*ret = steal_ptr(&spare);
	return rc;
}

void world_store_close(struct db *stolen, bool sound)
{
	if (sound && !spare)
		spare = stolen;
	else
		db_close(stolen);
}

void world_store_keep(struct db *db, const char *path)
{
	struct db_value args[] = {DB_TEXT(path)};
	struct error err = {0};

	db_rollback(db);
	if (db_exec(db, "VACUUM INTO $1", DB_ARGS(args), &err) < 0)
		fprintf(stderr, "sim: cannot write '%s': %s\n", path, err.message);
}

void world_stores_free(void)
{
	db_close(steal_ptr(&spare));
	free(steal_ptr(&empty));
}
