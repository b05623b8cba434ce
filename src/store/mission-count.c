/* mission-count.c: how many missions are in line, for people who look. */
#include "store/mission.h"
#include "store/row.h"

int mission_count_waiting(struct db *db, int64_t *ret, struct error *err)
{
	/* The first condition is that of the index of open ones: history is not read. */
	static const char sql[] = "SELECT count(*) FROM missions WHERE phase <> 'ended'"
				  " AND (phase = 'waiting' OR phase = 'behind')";
	int rc = row_ask_int(db, sql, DB_NO_ARGS, ret, err);

	return rc < 0 ? rc : 0;
}

int mission_count(struct db *db, const struct mission_filter *f, int64_t *ret, struct error *err)
{
	static const char sql[] = "SELECT count(*) FROM missions WHERE phase <> 'removing'"
				  " AND (agent = $1 OR $1 IS NULL) AND (door = $2 OR $2 IS NULL)"
				  " AND (archived_at IS NULL OR $3 = 1)"
				  " AND (owner = $4 OR $4 IS NULL) AND (origin = $5 OR $5 IS NULL)";
	struct db_value args[] = {DB_TEXT(f->agent),
				  DB_TEXT(f->door < 0 ? NULL : door_word((enum door)f->door)),
				  DB_INT(f->archived), DB_TEXT(f->owner), DB_TEXT(f->origin)};
	int rc = row_ask_int(db, sql, DB_ARGS(args), ret, err);

	return rc < 0 ? rc : 0;
}
