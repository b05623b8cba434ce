#pragma once
/*
 * Every key of config.yml and of the files in roles/, in words. The keys come from the very tables that read the files
 * (read.h), so that none can be missing; what they mean is said here.
 */
#include <stddef.h>

struct config_chapter {
	const char *place; /* "crons: NAME:", or "" for the file itself */
	const char *about; /* sentences */
};
struct config_key {
	const char *name, *takes; /* "text", "list, mapping" */
	const char *help;	  /* NULL: nobody has described it */
};

/* In the order of the reference: the chapter at a place, and its nth key. Returns 0 behind the last. */
int config_reference_chapter(size_t chapter, struct config_chapter *ret);
int config_reference_key(size_t chapter, size_t nth, struct config_key *ret);
/* What is described and is no key (any more); NULL behind the last. For tests. */
const char *config_reference_stray(size_t nth);
