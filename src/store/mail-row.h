#pragma once
/* Between mail.c, which writes messages, and search.c, which keeps and finds their words. */
#include "store/thread.h"

#define MAIL_COLUMNS                                                                               \
	"key, thread, seq, sender, author, title, size, file, attachments, run, ask, ask_until,"   \
	" ask_default, answered_by, reply, carrier, queue, unprinted_at, read_at, created_at,"     \
	" text"

/* All rows of a statement that selects MAIL_COLUMNS, or none on failure. */
int mail_query_list(struct db *db, const char *sql, const struct db_value *args, size_t count,
		    struct mail_list *ret, struct error *err);

/*
 * The index of words, where the database does not keep it by itself. Added after its message,
 * changed and forgotten before that changes or goes. To forget is a
 * SEARCH_FORGET() with a statement that selects the keys of the messages that go.
 */
/* What a message is found by beside its title and text; NULL: nothing. The caller frees. */
char *search_terms(const struct mail *m);
int search_add(struct db *db, const struct mail *m, const char *terms, struct error *err);
int search_change(struct db *db, const struct mail *m, struct error *err);
#define SEARCH_FORGET(keys)                                                                        \
	"INSERT INTO message_words (message_words, rowid, title, text, terms)"                     \
	" SELECT 'delete', key, title, text, terms FROM messages WHERE key IN (" keys ")"
int search_forget(struct db *db, const char *sql, const struct db_value *args, size_t count,
		  struct error *err);
