/* test-store-token.c: the contract of token.h. Each row is one test on every database. */
#include "store-fixture.h"

#include "store/token.h"

static void add(struct db *db, const char *hash, const char *owner, const char *session, usec_t at,
		char *ret_id)
{
	struct token_row t = {.hash = (char *)(uintptr_t)hash,
			      .owner = (char *)(uintptr_t)owner,
			      .session = (char *)(uintptr_t)session,
			      .label = (char *)"my editor",
			      .created_at = at,
			      .used_at = USEC_NONE};
	struct error err = {0};

	ok(token_insert(db, &t, &err));
	assert_int_equal(strncmp(t.id, "tok-", 4), 0);
	assert_int_equal(strlen(t.id), 10);
	memcpy(ret_id, t.id, TOKEN_ID_MAX);
}

static void test_written(struct db *db)
{
	AUTO(token_row_free) struct token_row *t = NULL, *none = NULL, *later = NULL;
	char id[TOKEN_ID_MAX];
	struct error err = {0};

	add(db, "aa", "alice", "main:dm:signal:1", 5, id);
	ok(token_by_hash(db, "ab", &none, &err));
	assert_null(none);
	ok(token_by_hash(db, "aa", &t, &err));
	assert_string_equal(t->id, id);
	assert_string_equal(t->hash, "aa");
	assert_string_equal(t->owner, "alice");
	assert_string_equal(t->session, "main:dm:signal:1");
	assert_string_equal(t->label, "my editor");
	assert_int_equal(t->created_at, 5);
	assert_true(t->used_at == USEC_NONE);
	ok(token_used(db, id, 9, &err));
	ok(token_by_hash(db, "aa", &later, &err));
	assert_int_equal(later->used_at, 9);
}

static void test_removed(struct db *db)
{
	AUTO_TOKENS struct token_row_list list = {0};
	AUTO(token_row_free) struct token_row *gone = NULL;
	char first[TOKEN_ID_MAX], second[TOKEN_ID_MAX];
	struct error err = {0};

	add(db, "bb", "me", NULL, 7, second);
	add(db, "aa", "alice", NULL, 5, first);
	ok(token_list(db, &list, &err));
	assert_int_equal(list.count, 2);
	assert_string_equal(list.items[0]->id, first);
	assert_string_equal(list.items[1]->id, second);
	assert_null(list.items[1]->session);
	assert_int_equal(token_delete(db, first, &err), 1);
	assert_int_equal(token_delete(db, first, &err), 0);
	ok(token_by_hash(db, "aa", &gone, &err));
	assert_null(gone);
	assert_int_equal(number_of(db, "SELECT count(*) FROM tokens"), 1);
}

static void test_twice(struct db *db)
{
	struct token_row again = {
		.hash = (char *)"aa", .owner = (char *)"me", .used_at = USEC_NONE};
	char id[TOKEN_ID_MAX];
	struct error err = {0};

	add(db, "aa", "me", NULL, 5, id);
	assert_int_equal(token_insert(db, &again, &err), ERR_CONFLICT);
	assert_int_equal(number_of(db, "SELECT count(*) FROM tokens"), 1);
}

/* clang-format off */
static const struct store_row rows[] = {
	{"a token is found by its hash, and its use noted", test_written},
	{"tokens in the order they were made; one removed", test_removed},
	{"the same hash twice",                             test_twice},
};
/* clang-format on */

int main(void)
{
	return run_store_rows("store-token", rows, sizeof(rows) / sizeof(rows[0]));
}
