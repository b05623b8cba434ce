#pragma once
/* Files and folders that are private, whole or absent, and locked by one owner. */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"

/* Make a folder and its missing parents, mode 0700. Fails when it belongs to another user. */
int dir_make_private(const char *path, struct error *err);

/*
 * Open a plain file (O_RDONLY, O_CREAT, O_NOFOLLOW, …), never anything else that may bear its name: a FIFO would
 * hold us up for ever, a device may do something. A descriptor, or an error that says what it is instead; ENOENT is
 * ERR_NOT_FOUND. What it makes is mode 0600.
 */
int file_open(const char *path, int flags, struct error *err);

/* The path that is opened or read right now, or "": for handlers of signals, when that never ends. */
const char *file_busy_with(void);

/* Read a whole plain file of at most `limit` bytes onto the end of `ret`. ENOENT is ERR_NOT_FOUND. */
int file_read(const char *path, size_t limit, struct buf *ret, struct error *err);

/* The same of a descriptor, which may be anything; `name` is for the error. */
int fd_read(int fd, const char *name, size_t limit, struct buf *ret, struct error *err);

/* Write all of it, however many calls that takes. -1 and errno on failure. */
int fd_write_all(int fd, const void *bytes, size_t len);

/* Replace a file as a whole: written beside it, synced, renamed, folder synced. Mode 0600. */
int file_write(const char *path, const void *bytes, size_t len, struct error *err);

/* A name that is new in its folder is there after a crash too. -1 and errno on failure. */
int file_sync_parent(const char *path);

/*
 * Take the lock of a file and write our pid into it. The lock lives as long as the descriptor.
 * ERR_CONFLICT when another process has it; *ret_owner is then its pid, or 0 if it cannot be read.
 */
int file_lock(const char *path, int *ret_fd, pid_t *ret_owner, struct error *err);
/* Whether somebody has that lock now, and who; nothing is made or changed. */
bool file_lock_is_held(const char *path, pid_t *ret_owner);
