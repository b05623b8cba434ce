#pragma once
/*
 * Memory that is always there: these never return NULL. Small allocations only; a size that comes
 * from outside is checked against a named limit before it gets here.
 */
#include <stddef.h>
#include <stdlib.h>

#include "base/auto.h"

void *mem_alloc(size_t size);		    /* uninitialised */
void *mem_zalloc(size_t size);		    /* zeroed */
void *mem_array(size_t count, size_t size); /* zeroed, overflow checked */
void *mem_grow(void *old, size_t count, size_t size);
char *mem_strdup(const char *text); /* NULL gives NULL */
char *mem_strndup(const char *text, size_t len);
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char **mem_strdup_list(const char *const *list); /* ends with NULL; NULL gives NULL */
void mem_free_list(char **list);
void mem_replace(char **slot, const char *text); /* free the old, keep a copy of the new */

/* Give back what was freed, and the code that only the past needed: if it is needed again after all it is
 * still in the machine's cache. For a process that stays and rests. */
void mem_settle(void);

DEFINE_AUTO(char, free)
DEFINE_AUTO(char *, mem_free_list)
