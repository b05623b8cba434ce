/* fake-store.c: a store that counts, and fails when told to. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "fake/fake-state.h"
#include "store/kv.h"
#include "store/mission.h"
#include "store/reminder.h"
#include "store/slot.h"
#include "store/store.h"

struct fake fake;

struct db {
	int notices; /* 0: not open */
	bool in_transaction, in_savepoint;
	int64_t saved, at_savepoint;
	bool wrote; /* something that is not counted */
};

int fake_step(const char *step, struct error *err)
{
	for (size_t i = 0; i < fake.break_count; i++) {
		struct fake_break *b = &fake.breaks[i];

		if (!b->armed || b->count <= 0 || strcmp(b->step, step) != 0)
			continue;
		b->count--;
		return error_set(err, b->code, "the %s broke", step);
	}
	return 0;
}

/* A break is asked for in a turn, and meant for the turns after it. */
static void arm_breaks(void)
{
	for (size_t i = 0; i < fake.break_count; i++)
		fake.breaks[i].armed = true;
}

void fake_save(struct db *db)
{
	db->saved++;
}

int store_settle(struct db *db, const char *self, char **ret_before, struct error *err)
{
	(void)db;
	(void)self;
	(void)ret_before;
	(void)err;
	return 0;
}

int store_open_alone(const char *url, const char *self, bool take_over, bool used, struct db **ret,
		     char **ret_holder, struct error *err)
{
	int r = fake_step("open", err);

	(void)self;
	(void)used;
	(void)take_over;
	(void)ret_holder;
	if (r < 0)
		return r;
	/* A home whose database is gone would be refused the next time. */
	if (strncmp(url, "sqlite:", 7) == 0) {
		FILE *file = fopen(url + 7, "a");

		if (file) {
			fputs("x", file);
			fclose(file);
		}
	}
	fake.opens++;
	*ret = mem_zalloc(sizeof(**ret));
	return 0;
}

void store_leave(struct db *db)
{
	(void)db;
}

bool db_is_exposed(struct db *db)
{
	(void)db;
	return false;
}

const char *db_account(struct db *db)
{
	(void)db;
	return NULL;
}

bool db_has_moved(struct db *db)
{
	(void)db;
	return false;
}

void db_close(struct db *db)
{
	if (db->notices > 0)
		close(db->notices);
	free(db);
}

/* Any program that writes into this pipe has written to the store. */
int db_notice_fd(struct db *db)
{
	char path[256];

	if (!db->notices) {
		snprintf(path, sizeof(path), "%s/notices", getenv("BELFRY_HOME"));
		db->notices = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	}
	return db->notices;
}

/* "o": we wrote; "e": it cannot be asked; anything else: somebody wrote. */
int db_notices(struct db *db, bool *ret_changed, struct error *err)
{
	char byte = 'o';

	fake.looks++;
	if (read(db->notices, &byte, 1) == 1 && byte == 'e')
		return error_set(err, ERR_UNAVAILABLE, "the notices broke");
	*ret_changed = byte != 'o';
	return 0;
}

void db_rest_notices(struct db *db)
{
	(void)db;
}

enum db_kind db_kind(const struct db *db)
{
	(void)db;
	return DB_SQLITE;
}

int db_begin(struct db *db, struct error *err)
{
	int r = fake_step("begin", err);

	if (r < 0)
		return r;
	if (db->in_transaction)
		return error_set(err, ERR_SYSTEM, "begin inside a transaction");
	db->in_transaction = true;
	db->saved = 0;
	db->wrote = false;
	fake.begins++;
	return 0;
}

bool db_commit_is_undone(const struct db *db)
{
	(void)db;
	return false;
}

int db_commit(struct db *db, struct error *err)
{
	int r = fake_step("commit", err);

	/* What has nothing to write needs no room. */
	if (r == 0 && (db->saved || db->wrote))
		r = fake_step("sync", err);
	arm_breaks();
	db->in_transaction = false;
	if (r < 0)
		return r;
	if (db->saved) {
		fake.saved += db->saved;
		fake.syncs++;
	}
	return 0;
}

void db_rollback(struct db *db)
{
	db->in_transaction = db->in_savepoint = false;
	fake.rollbacks++;
}

int db_savepoint(struct db *db, struct error *err)
{
	if (db->in_savepoint)
		return error_set(err, ERR_SYSTEM, "savepoint inside a savepoint");
	db->in_savepoint = true;
	db->at_savepoint = db->saved;
	return fake_step("savepoint", err);
}

int db_release(struct db *db, struct error *err)
{
	int r = fake_step("release", err);

	if (r == 0)
		db->in_savepoint = false;
	return r;
}

int db_rollback_to(struct db *db, struct error *err)
{
	int r = fake_step("rollback_to", err);

	db->in_savepoint = false;
	db->saved = db->at_savepoint;
	return r;
}

int kv_set(struct db *db, const char *name, const char *text, struct error *err)
{
	(void)name;
	(void)text;
	(void)err;
	db->wrote = true;
	return 0;
}

int reminder_count(struct db *db, int64_t ret[4], struct error *err)
{
	(void)db;
	(void)err;
	memset(ret, 0, 4 * sizeof(*ret));
	return 0;
}

void db_tidy(struct db *db, bool quiet)
{
	(void)db;
	(void)quiet;
}

void db_on_wait(void (*hook)(usec_t since))
{
	(void)hook;
}

/* Nothing of it is older than its home. */
int64_t db_changes(struct db *db)
{
	(void)db;
	return 0;
}

int64_t slot_last_inserted(const struct db *db)
{
	(void)db;
	return 0;
}

int slot_newest(struct db *db, int64_t *ret, struct error *err)
{
	(void)db;
	(void)err;
	*ret = 0;
	return 0;
}

/* Nothing was counted before, and nothing is looked up. */
int kv_get(struct db *db, const char *name, char **ret, struct error *err)
{
	(void)db;
	(void)name;
	(void)err;
	*ret = NULL;
	return 0;
}

int mission_find(struct db *db, const char *ref, struct mission **ret, struct error *err)
{
	(void)db;
	(void)ret;
	return error_set(err, ERR_NOT_FOUND, "no mission '%s'", ref);
}

void mission_free(struct mission *m)
{
	(void)m;
}
