#pragma once
/*
 * A file of somebody else's that is about to be changed: looked at first, then written as a whole. Links
 * stay links, the mode and the owner stay what they are.
 */
#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"

#define TARGET_MAX ((size_t)32 * 1024 * 1024)

struct target {
	const char *path; /* as the client calls it; borrowed */
	char *real;	  /* behind links */
	bool there;
	mode_t mode; /* of a new one, too */
	uid_t uid;
	gid_t gid;
	struct buf text; /* what is in it */
};
/* Read it, and make sure that it could be written. One that is missing is fine. */
int target_open(struct target *t, const char *path, bool is_private, struct error *err);
void target_fini(struct target *t);
/*
 * Replace it. ERR_CONFLICT when it changed since it was read. Folders that are missing are made and
 * named in `made`, outermost first.
 */
int target_write(const struct target *t, const char *text, size_t len, json_t *made,
		 struct error *err);
/* Delete it, and those of the folders (json strings) that are empty then. */
int target_remove(const struct target *t, const json_t *folders, struct error *err);
