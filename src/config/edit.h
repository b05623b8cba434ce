#pragma once
/*
 * Changes of config.yml by commands: the text is changed only where it must be, so comments, order,
 * quoting and blank lines stay as the person wrote them. Pure: text in, text out. The caller parses
 * the result before it writes it (config_parse), and writes it as a whole (file_write).
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

/* One setting of a cron: the text is quoted as far as YAML needs it. value NULL takes it away. */
struct edit_setting {
	const char *key, *value;
	bool plain; /* a number or a boolean: written as it is */
};

/* Add crons.NAME with its settings, in order. ERR_CONFLICT when it is there already. */
int edit_cron_add(const char *text, size_t len, const char *name,
		  const struct edit_setting *settings, size_t count, struct buf *ret,
		  struct error *err);
/* Change settings of crons.NAME: replaced where they stand, else added at its end. ERR_NOT_FOUND. */
int edit_cron_set(const char *text, size_t len, const char *name,
		  const struct edit_setting *settings, size_t count, struct buf *ret,
		  struct error *err);
/* Take crons.NAME out, with the comment lines directly above it that belong to it. ERR_NOT_FOUND. */
int edit_cron_remove(const char *text, size_t len, const char *name, struct buf *ret,
		     struct error *err);

/* The same for agents.NAME. */
int edit_agent_add(const char *text, size_t len, const char *name,
		   const struct edit_setting *settings, size_t count, struct buf *ret,
		   struct error *err);
int edit_agent_remove(const char *text, size_t len, const char *name, struct buf *ret,
		      struct error *err);
