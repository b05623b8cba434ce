#pragma once
/* The status board: what each agent says it is doing. One row an agent and user; for information only. */
#include "base/auto.h"
#include "base/clock.h"
#include "store/db.h"

struct board {
	char *agent, *status, *detail; /* detail NULL when there is none */
	char *owner;		       /* the user it works for; NULL when set: `me` */
	usec_t at;
};
void board_free(struct board *b);
DEFINE_AUTO(struct board, board_free)

struct board_list {
	struct board **items;
	size_t count;
};
void board_list_fini(struct board_list *list);
#define AUTO_BOARD __attribute__((cleanup(board_list_fini)))

int board_set(struct db *db, const struct board *b, struct error *err); /* status "": take it off */
/* Newest first; agent NULL: all; owner NULL: of all users. */
int board_list(struct db *db, const char *agent, const char *owner, struct board_list *ret,
	       struct error *err);
