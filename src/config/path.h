#pragma once
/* Paths as people write them, made absolute, and stores as people name them. */
#include "base/error.h"

/* $HOME when it is an absolute path, else the user database. Caller frees. */
int path_home(char **ret, struct error *err);

/*
 * Absolute and plain: "~" and "~/x" are under the person's home, a relative path is under `base`
 * (NULL: the current folder); empty and "." parts and trailing slashes go, ".." stays, because a
 * link may stand before it. Caller frees.
 */
int path_absolute(const char *path, const char *base, char **ret, struct error *err);

/*
 * A store as db_open() wants it, from "sqlite:PATH", a path, or "postgres://…"; relative paths are
 * under `base`. Another scheme is ERR_INVALID. Caller frees.
 */
int path_store_url(const char *text, const char *base, char **ret, struct error *err);

/* The file of the program that is running, as it is called now; NULL when nobody knows. Caller frees. */
char *path_own_program(void);
