#pragma once
/*
 * Between a row and a struct: columns are read in the order in which they were selected.
 *	struct row row = {.rows = &rows};
 *	s->reason = row_text(&row);
 *	s->outcome = row_word(&row, outcome_of);
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "store/db.h"
#include "store/store.h"

struct row {
	const struct db_rows *rows;
	int column;
	bool damaged; /* some word was none of its list */
};

#define DB_TIME(t) db_value_unless((t), USEC_NONE) /* USEC_NONE is SQL NULL */
#define DB_KEY(k) db_value_unless((k), 0)	   /* 0 is SQL NULL */

static inline struct db_value db_value_unless(int64_t number, int64_t absent)
{
	return number == absent ? DB_NULL : DB_INT(number);
}

static inline int64_t row_int(struct row *row)
{
	return db_int(row->rows, row->column++);
}

static inline usec_t row_time(struct row *row)
{
	int column = row->column++;

	return db_is_null(row->rows, column) ? USEC_NONE : db_int(row->rows, column);
}

static inline char *row_text(struct row *row)
{
	return mem_strdup(db_text(row->rows, row->column++));
}

static inline int row_word(struct row *row, int (*of)(const char *word))
{
	const char *word = db_text(row->rows, row->column++);
	int value = word ? of(word) : -1;

	if (value < 0)
		row->damaged = true;
	return value < 0 ? 0 : value;
}

/* Ask for at most one number: 1 and *ret, or 0 when there is no row. */
int row_ask_int(struct db *db, const char *sql, const struct db_value *args, size_t count,
		int64_t *ret, struct error *err);

/*
 * Which row a person means by an id or the unique beginning of one. The statements answer with key
 * and id: `exact` for $1, `prefix` for the range $1 to $2, at most six rows. Returns 1 and
 * *ret_key, 0 when there is none, ERR_CONFLICT naming the candidates when several begin so.
 */
#define ROW_LAST_CHARACTER "\xf4\x8f\xbf\xbf" /* U+10FFFF: still UTF-8, and nothing sorts above */
int row_find(struct db *db, const char *exact, const char *prefix, const char *ref,
	     int64_t *ret_key, struct error *err);
/* The same among what belongs to `owner`, who is $2 of `exact` and $3 of `prefix`; NULL: as above. */
int row_find_of(struct db *db, const char *owner, const char *exact, const char *prefix,
		const char *ref, int64_t *ret_key, struct error *err);
/* One candidate or the conflict of several; `why` completes "'REF' is …". As row_find(). */
int row_choose(struct db *db, const char *sql, const struct db_value *args, size_t count,
	       const char *why, int64_t *ret_key, struct error *err);

/*
 * What every noun does with its rows. With `struct NAME`, `struct NAME_list`, NAME_free() and
 * read_row() above it, this defines
 *	NAME_list_fini(list)
 *	query_list(db, sql, args, count, &list, err)   all rows, or none on failure
 *	query_one(db, sql, args, count, &one, err)     the first row, NULL when there is none
 */
#define DEFINE_ROW_LISTS(noun)                                                                     \
	void noun##_list_fini(struct noun##_list *list)                                            \
	{                                                                                          \
		for (size_t i = 0; i < list->count; i++)                                           \
			noun##_free(list->items[i]);                                               \
		free(list->items);                                                                 \
		*list = (struct noun##_list){0};                                                   \
	}                                                                                          \
                                                                                                   \
	static int query_list(struct db *db, const char *sql, const struct db_value *args,         \
			      size_t count, struct noun##_list *ret, struct error *err)            \
	{                                                                                          \
		AUTO_ROWS struct db_rows rows = {0};                                               \
		struct noun##_list list = {0};                                                     \
		struct noun *one = NULL;                                                           \
		int r = db_query(db, sql, args, count, &rows, err);                                \
                                                                                                   \
		while (r >= 0 && (r = db_rows_next(&rows, err)) > 0) {                             \
			r = read_row(&rows, &one, err);                                            \
			if (r < 0)                                                                 \
				break;                                                             \
			list.items = mem_grow(list.items, list.count + 1, sizeof(*list.items));    \
			list.items[list.count++] = one;                                            \
		}                                                                                  \
		if (r < 0)                                                                         \
			noun##_list_fini(&list);                                                   \
		else                                                                               \
			*ret = list;                                                               \
		return r;                                                                          \
	}                                                                                          \
                                                                                                   \
	__attribute__((unused)) static int query_one(struct db *db, const char *sql,               \
						     const struct db_value *args, size_t count,    \
						     struct noun **ret, struct error *err)         \
	{                                                                                          \
		struct noun##_list list = {0};                                                     \
		int r = query_list(db, sql, args, count, &list, err);                              \
                                                                                                   \
		if (r == 0)                                                                        \
			*ret = list.count ? steal_ptr(&list.items[0]) : NULL;                      \
		noun##_list_fini(&list);                                                           \
		return r;                                                                          \
	}
