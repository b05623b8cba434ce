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
