#include "store/board.h"

void board_free(struct board *b)
{
	(void)b;
}

int board_set(struct db *db, const struct board *b, struct error *err)
{
	(void)db;
	(void)b;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int board_list(struct db *db, const char *agent, struct board_list *ret, struct error *err)
{
	(void)db;
	(void)agent;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}
void board_list_fini(struct board_list *list)
{
	(void)list;
}
