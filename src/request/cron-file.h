#pragma once
/*
 * config.yml while a command changes it: read whole, checked before and after, replaced whole.
 * Nothing is written unless everything went well.
 */
#include "config/config.h"
#include "config/edit.h"
#include "config/yaml.h"

struct cron_file {
	char *name;   /* as it is known, for messages */
	char *target; /* where the bytes are: a link's other end */
	unsigned mode;
	bool may_be_bad; /* the change is right for a cron with a problem, too */
	bool by_text;	 /* somebody typed keys, not flags: errors name those */
	struct buf text, edited;
	struct config *before, *after; /* after: set by whoever checked `edited` */
};
void cron_file_fini(struct cron_file *f);
#define AUTO_CRON_FILE __attribute__((cleanup(cron_file_fini)))

/* A missing file is an empty one. A file that cannot be used as it is is refused. */
int cron_file_read(struct cron_file *f, const char *path, struct error *err);
/* Whether it has that cron; ERR_NOT_FOUND with the nearest name. */
int cron_file_find(const struct cron_file *f, const char *name, struct error *err);
/* Replace it by `edited`; a link stays a link, and the mode what it was. */
int cron_file_write(const struct cron_file *f, struct error *err);

/* The mapping crons.NAME of a parsed file, or NULL. */
const struct yaml_node *cron_node(const struct yaml *yaml, const char *name);

/* That cron alone, as a configuration of its own, for an editor. */
int cron_file_block(const struct cron_file *f, const char *name, struct buf *ret,
		    struct error *err);

/* What differs between the file's cron and such a block that somebody edited. */
#define CRON_CHANGES_MAX 64
struct cron_changes {
	struct edit_setting items[CRON_CHANGES_MAX];
	size_t count;
	char *owned[2 * CRON_CHANGES_MAX];
	size_t owned_count;
};
void cron_changes_fini(struct cron_changes *c);
#define AUTO_CRON_CHANGES __attribute__((cleanup(cron_changes_fini)))
int cron_changes_read(const struct cron_file *f, const char *name, const char *block,
		      struct cron_changes *ret, struct error *err);
