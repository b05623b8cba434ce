#pragma once
/* That a WAL which was left belongs to the file beside it, and not to one that was there before. */
#include "base/error.h"

/* The file is as we left it: noted beside it, as PATH-known. `fd` is of the file. */
void sqlite_known_note(const char *path, int fd);
/* We are about to write it. Whoever is killed meanwhile leaves nothing to compare with. */
void sqlite_known_forget(const char *path);
/* Refused where there is a WAL, and the file has been replaced or overwritten since it was noted. */
int sqlite_known_check(const char *path, int fd, struct error *err);
