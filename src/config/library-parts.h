#pragma once
/* What the files of the library share. */
#include "base/buf.h"
#include "config/library.h"

#define SUFFIX ".md"
#define LIBRARY_HEAD_MAX ((size_t)4096) /* bytes of a file that a list looks at */

/* --- library-file.c ------------------------------------------------------------------------- */

struct names {
	char **items;
	size_t count;
};
void names_fini(struct names *n);
#define AUTO_NAMES __attribute__((cleanup(names_fini)))

/* The folder itself may be a link: it is the person's to say where it is. *ret is -1 when there is none. */
int shelf_open(const char *config_dir, const char *shelf, int *ret, struct error *err);
/* A folder (O_DIRECTORY) or a file below an open folder, by a path without links: its descriptor. */
int shelf_open_below(int top, const char *path, int flags, struct error *err);
/* At most `most` bytes of a page, never half a character. */
int shelf_read(int top, const char *path, size_t most, struct buf *out, struct error *err);
/* What is in a folder, in order, but for hidden things. Takes over fd. */
int shelf_list(int fd, const char *path, struct names *ret, struct error *err);
bool shelf_is_folder(int top, const char *path);

/* --- library.c ------------------------------------------------------------------------------ */

struct library_page *library_add(struct library *l, const char *id);
int library_check_id(const char *what, const char *id, struct error *err);
/* "plan.md" is "plan"; NULL: it is no page of ours. The caller frees. */
char *library_page_name(const char *file);
/* An error as the problem of a page. The caller frees. */
char *library_problem(const struct error *err);
/* The page's head, or its problem. */
void library_look_at(int top, const char *path, size_t most, struct library_page *page);
/* "a, b, c and 4 more" */
void library_tell_names(const struct library *all, struct buf *out);
/* Somebody named what is not there: the nearest name, or all of them, or where it would have to be. */
int library_not_found(const char *what, const char *id, const struct library *all,
		      const char *where, struct error *err);
