#pragma once
/* Prepared statements by the address of their text: constants, so the address is the name. */
#include <stddef.h>

struct statements {
	struct statements_entry {
		const char *sql;
		void *prepared;
	} * entries;
	size_t count, capacity;
};

/* The place of sql's statement, NULL inside when it is new; valid until the next call. */
void **statements_at(struct statements *s, const char *sql);
/* Release every statement and the table. */
void statements_fini(struct statements *s, void (*release)(void *prepared));
