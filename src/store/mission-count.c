/* mission-count.c: how many missions are in line, for people who look. */
#include "store/mission.h"
#include "store/row.h"

int mission_count_waiting(struct db *db, int64_t *ret, struct error *err)
{
	/* Two counts, so that each is a range of the index of those in line. */
	static const char sql[] =
		"SELECT (SELECT count(*) FROM missions WHERE phase = 'waiting') + "
		"(SELECT count(*) FROM missions WHERE phase = 'behind')";
	int rc = row_ask_int(db, sql, DB_NO_ARGS, ret, err);

	return rc < 0 ? rc : 0;
}
