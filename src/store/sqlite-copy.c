/*
 * sqlite-copy.c: see sqlite-copy.h.
 * A copy is made page by page through the connection: its descriptors still have what was deleted.
 */
#include "store/sqlite-copy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/file.h"
#include "base/mem.h"

int sqlite_make_private(const char *path, struct error *err)
{
	AUTO_CLOSE int fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || errno == EEXIST)
		return 0;
	error_set_errno(err, errno, "cannot create store '%s'", path);
	err->code = ERR_UNAVAILABLE;
	return error_hint(err, "the folder must exist and be writable");
}

int sqlite_settle(const char *from, const char *to, struct error *err)
{
	AUTO(free) char *folder = mem_strdup(to);
	AUTO_CLOSE int fd = open(from, O_RDWR | O_CLOEXEC);
	AUTO_CLOSE int dir = open(dirname(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || dir < 0 || fsync(fd) < 0 || rename(from, to) < 0 || fsync(dir) < 0) {
		error_set_errno(err, errno, "cannot keep backup '%s'", to);
		err->code = ERR_UNAVAILABLE;
		return err->code;
	}
	return 0;
}

static int fail(sqlite3 *to, int rc, const char *path, struct error *err)
{
	return error_set(err, ERR_UNAVAILABLE, "cannot copy the database to '%s': %s", path,
			 to ? sqlite3_errmsg(to) : sqlite3_errstr(rc));
}

static int copy_pages(sqlite3 *from, sqlite3 *to, const char *path, struct error *err)
{
	sqlite3_backup *copy;
	int rc;

	/* Nobody reads it before it is whole, and it is synced then. */
	sqlite3_exec(to, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", NULL, NULL, NULL);
	copy = sqlite3_backup_init(to, "main", from, "main");
	if (!copy)
		return fail(to, SQLITE_ERROR, path, err);
	rc = sqlite3_backup_step(copy, -1);
	(void)sqlite3_backup_finish(copy);
	return rc == SQLITE_DONE ? 0 : fail(NULL, rc, path, err);
}

static int check_pages(sqlite3 *to, const char *path, struct error *err)
{
	sqlite3_stmt *check = NULL;
	bool sound =
		sqlite3_prepare_v2(to, "PRAGMA quick_check(1)", -1, &check, NULL) == SQLITE_OK &&
		sqlite3_step(check) == SQLITE_ROW &&
		strcmp((const char *)sqlite3_column_text(check, 0), "ok") == 0;

	sqlite3_finalize(check);
	return sound ? 0
		     : error_set(err, ERR_SYSTEM,
				 "cannot copy the database to '%s': it is not whole", path);
}

static int write_copy(sqlite3 *from, const char *path, bool check, struct error *err)
{
	sqlite3 *to = NULL;
	int rc = sqlite3_open_v2(path, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
	int r = rc == SQLITE_OK ? copy_pages(from, to, path, err) : fail(to, rc, path, err);

	if (r == 0 && check)
		r = check_pages(to, path, err);
	sqlite3_close(to);
	return r;
}

int sqlite_copy(struct sqlite3 *from, const char *to, bool check, struct error *err)
{
	AUTO(free) char *partial = mem_printf("%s.partial", to);
	AUTO(free) char *wal = mem_printf("%s-wal", partial);
	AUTO(free) char *shm = mem_printf("%s-shm", partial);
	int r;

	(void)unlink(partial);
	r = sqlite_make_private(partial, err);
	if (r == 0)
		r = write_copy(from, partial, check, err);
	(void)unlink(wal);
	(void)unlink(shm);
	if (r == 0)
		r = sqlite_settle(partial, to, err);
	if (r < 0)
		(void)unlink(partial);
	return r;
}

#define COPIES_KEPT 3
#define COPY_MARK ".saved-"

static int is_saved(const struct dirent *e)
{
	const char *at = strstr(e->d_name, COPY_MARK);

	return at && at[strlen(COPY_MARK)] &&
	       !at[strlen(COPY_MARK) + strspn(at + strlen(COPY_MARK), "0123456789")];
}

/* Their names end with seconds, which have as many digits for the next two centuries. */
void sqlite_prune_copies(const char *path)
{
	const char *slash = strrchr(path, '/');
	AUTO(free)
	char *folder = slash ? mem_strndup(path, (size_t)(slash - path) + 1) : mem_strdup("./");
	AUTO(free) char *prefix = mem_printf("%s" COPY_MARK, slash ? slash + 1 : path);
	struct dirent **entries = NULL;
	int count = scandir(folder, &entries, is_saved, alphasort), kept = 0;

	for (int i = count - 1; i >= 0; i--) {
		AUTO(free) char *copy = mem_printf("%s%s", folder, entries[i]->d_name);

		if (strncmp(entries[i]->d_name, prefix, strlen(prefix)) == 0 &&
		    ++kept > COPIES_KEPT)
			(void)unlink(copy);
		free(entries[i]);
	}
	free(entries);
}
