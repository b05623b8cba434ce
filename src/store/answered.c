/*
 * answered.c: what was carried out lately, by the caller's id.
 * Ids of our own commands begin with their time, and so do the keys that are made of them: a new row goes to the end of
 * the table, an old one is at its beginning, and no index is needed. Any other id has a key before all of those.
 */
#include "store/answered.h"

#include <string.h>

#include "base/random.h"
#include "store/row.h"

#define TIME_DIGITS 12 /* of milliseconds, in hexadecimal */
#define CHANCE_BITS 20
#define OTHER_BITS 59

static int64_t key_of(const char *id)
{
	uint64_t chance = hash_bytes(id, strlen(id), 0);
	char *end = NULL, digits[TIME_DIGITS + 1] = "";
	unsigned long long time;

	memccpy(digits, id, '\0', TIME_DIGITS);
	time = strtoull(digits, &end, 16);
	if (end == digits + TIME_DIGITS && id[TIME_DIGITS] == '-' &&
	    time >> (62 - CHANCE_BITS) == 0)
		return (int64_t)(time << CHANCE_BITS | (chance & ((1u << CHANCE_BITS) - 1)));
	return (int64_t)(chance & (((uint64_t)1 << OTHER_BITS) - 1));
}

void answered_fini(struct answered *a)
{
	free(a->result);
	a->result = NULL;
}

int answered_find(struct db *db, const char *id, struct answered *ret, struct error *err)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct db_value args[] = {DB_INT(key_of(id)), DB_TEXT(id)};
	int r = db_query(db, "SELECT digest, result FROM answered WHERE key = $1 AND id = $2",
			 DB_ARGS(args), &rows, err);

	if (r < 0 || (r = db_rows_next(&rows, err)) <= 0)
		return r;
	ret->digest = db_int(&rows, 0);
	ret->result = mem_strdup(db_text(&rows, 1));
	return 1;
}

int answered_add(struct db *db, const char *id, const struct answered *a, usec_t now,
		 struct error *err)
{
	struct db_value args[] = {DB_INT(key_of(id)), DB_TEXT(id), DB_INT(now), DB_INT(a->digest),
				  DB_TEXT(a->result)};

	return db_exec(db,
		       "INSERT INTO answered (key, id, at, digest, result)"
		       " VALUES ($1, $2, $3, $4, $5)",
		       DB_ARGS(args), err);
}

int answered_prune(struct db *db, usec_t before, int keep, struct error *err)
{
	struct db_value args[] = {DB_INT(before), DB_INT(keep)};

	return db_exec(
		db,
		"DELETE FROM answered WHERE at < $1 OR at < coalesce((SELECT at FROM answered"
		" ORDER BY at DESC LIMIT 1 OFFSET $2), 0)",
		DB_ARGS(args), err);
}
