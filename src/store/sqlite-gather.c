/*
 * sqlite-gather.c: a thin layer (a VFS) over SQLite's own, for the WAL alone; every other file is opened as ever.
 * What is written one behind the other is put together, and handed on before anything else is done with the file:
 * a read, a sync, a look at its size. The frame that commits is handed on at once, so that nobody who finds a
 * commit in the shared memory finds less in the file, however the database syncs. Writes keep their order: where
 * there is no room for one, none behind it was written.
 */
#include "store/sqlite-gather.h"

#include <sqlite3.h>
#include <string.h>

#define FRAME_HEAD 24
#define COMMIT_AT                                                                                  \
	4 /* in a frame's head: the size of the database, when this frame commits; else 0 */
#define FRAMES_MOST 16
#define GATHERED_MAX (FRAMES_MOST * (FRAME_HEAD + 4096))

struct gathered {
	sqlite3_file base;
	sqlite3_file *real; /* behind us, in the same memory */
	sqlite3_int64 at;
	int len;
	int commits; /* the next write ends a frame that does */
	char *bytes; /* apart: SQLite has room of our size for each of its files, and writes zeros there */
};

static int hand_on(struct gathered *g)
{
	int len = g->len;

	g->len = 0;
	return len ? g->real->pMethods->xWrite(g->real, g->bytes, len, g->at) : SQLITE_OK;
}

static int on_write(sqlite3_file *file, const void *data, int len, sqlite3_int64 at)
{
	struct gathered *g = (struct gathered *)file;
	static const char none[4];
	int commits = g->commits, rc = SQLITE_OK;

	g->commits = len == FRAME_HEAD &&
		     memcmp((const char *)data + COMMIT_AT, none, sizeof(none)) != 0;
	if (g->len && (at != g->at + g->len || len > GATHERED_MAX - g->len))
		rc = hand_on(g);
	if (rc == SQLITE_OK && len > GATHERED_MAX)
		return g->real->pMethods->xWrite(g->real, data, len, at);
	if (rc != SQLITE_OK)
		return rc;
	if (!g->len)
		g->at = at;
	memcpy(g->bytes + g->len, data, (size_t)len);
	g->len += len;
	return commits ? hand_on(g) : SQLITE_OK;
}

static int on_read(sqlite3_file *file, void *data, int len, sqlite3_int64 at)
{
	struct gathered *g = (struct gathered *)file;
	int rc = hand_on(g);

	return rc == SQLITE_OK ? g->real->pMethods->xRead(g->real, data, len, at) : rc;
}

static int on_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	struct gathered *g = (struct gathered *)file;
	int rc = hand_on(g);

	return rc == SQLITE_OK ? g->real->pMethods->xTruncate(g->real, size) : rc;
}

static int on_sync(sqlite3_file *file, int flags)
{
	struct gathered *g = (struct gathered *)file;
	int rc = hand_on(g);

	return rc == SQLITE_OK ? g->real->pMethods->xSync(g->real, flags) : rc;
}

static int on_size(sqlite3_file *file, sqlite3_int64 *ret)
{
	struct gathered *g = (struct gathered *)file;
	int rc = hand_on(g);

	return rc == SQLITE_OK ? g->real->pMethods->xFileSize(g->real, ret) : rc;
}

static int on_control(sqlite3_file *file, int what, void *arg)
{
	struct gathered *g = (struct gathered *)file;
	int rc = hand_on(g);

	return rc == SQLITE_OK ? g->real->pMethods->xFileControl(g->real, what, arg) : rc;
}

/* What is left by now belongs to no commit. */
static int on_close(sqlite3_file *file)
{
	struct gathered *g = (struct gathered *)file;

	(void)hand_on(g);
	sqlite3_free(g->bytes);
	return g->real->pMethods->xClose(g->real);
}

static int on_lock(sqlite3_file *file, int level)
{
	struct gathered *g = (struct gathered *)file;

	return g->real->pMethods->xLock(g->real, level);
}

static int on_unlock(sqlite3_file *file, int level)
{
	struct gathered *g = (struct gathered *)file;

	return g->real->pMethods->xUnlock(g->real, level);
}

static int on_check_lock(sqlite3_file *file, int *ret)
{
	struct gathered *g = (struct gathered *)file;

	return g->real->pMethods->xCheckReservedLock(g->real, ret);
}

static int on_sector_size(sqlite3_file *file)
{
	struct gathered *g = (struct gathered *)file;

	return g->real->pMethods->xSectorSize(g->real);
}

static int on_characteristics(sqlite3_file *file)
{
	struct gathered *g = (struct gathered *)file;

	return g->real->pMethods->xDeviceCharacteristics(g->real);
}

static int on_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
		   int *ret_flags)
{
	static const sqlite3_io_methods methods = {
		.iVersion = 1,
		.xClose = on_close,
		.xRead = on_read,
		.xWrite = on_write,
		.xTruncate = on_truncate,
		.xSync = on_sync,
		.xFileSize = on_size,
		.xLock = on_lock,
		.xUnlock = on_unlock,
		.xCheckReservedLock = on_check_lock,
		.xFileControl = on_control,
		.xSectorSize = on_sector_size,
		.xDeviceCharacteristics = on_characteristics,
	};
	sqlite3_vfs *own = sqlite3_vfs_find(NULL);
	struct gathered *g = (struct gathered *)file;
	int rc;

	(void)vfs;
	if (!(flags & SQLITE_OPEN_WAL))
		return own->xOpen(own, name, file, flags, ret_flags);
	*g = (struct gathered){.real = (sqlite3_file *)(g + 1)};
	if (!(g->bytes = sqlite3_malloc(GATHERED_MAX)))
		return SQLITE_NOMEM;
	rc = own->xOpen(own, name, g->real, flags, ret_flags);
	/* Only what has methods is closed. */
	if (g->real->pMethods)
		g->base.pMethods = &methods;
	else
		sqlite3_free(g->bytes);
	return rc;
}

const char *sqlite_gather(void)
{
	static sqlite3_vfs vfs;
	const sqlite3_vfs *own = vfs.zName ? NULL : sqlite3_vfs_find(NULL);

	if (vfs.zName || !own)
		return vfs.zName;
	vfs = *own;
	vfs.pNext = NULL;
	vfs.zName = "belfry";
	vfs.szOsFile = own->szOsFile + (int)sizeof(struct gathered);
	vfs.xOpen = on_open;
	if (sqlite3_vfs_register(&vfs, 0) != SQLITE_OK)
		vfs.zName = NULL;
	return vfs.zName;
}
