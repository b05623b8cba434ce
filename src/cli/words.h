#pragma once
/*
 * The words of the command line beyond the rows: what the groups are, which words mean the same, and what was
 * probably meant by one that means nothing.
 */
#include "request/request.h"

/* The first word of commands. */
struct word_group {
	const char *name;
	const char *theme; /* under which `belfry` alone lists it */
	const char *about; /* one line; NULL: it is a command, whose summary says it */
};
extern const struct word_group
	word_groups[]; /* ends with a NULL name; those of one theme together */
const struct word_group *words_group(const char *name);

/*
 * The row or group that `typed` after `group` names: "mission ls" for "mission" and "list". 'ls' and 'list', 'rm' and
 * 'remove' are the same for every noun. Caller frees; NULL: there is none.
 */
char *words_step(const struct request_row *const *rows, const char *group, const char *typed);

/*
 * Which of the candidates was meant, or NULL: another word for the same, the only one that begins like it, one with a
 * slip of the keys. What costs something is not guessed from more than one slip, and what
 * takes something away from none.
 */
const char *words_guess(const char *typed, const char *const *candidates, size_t count);
/*
 * A hint for a word that is no command: what does it instead, or, for "send" alone, the groups that have it. Caller
 * frees; NULL: there is none.
 */
char *words_other_way(const struct request_row *const *rows, const char *group, const char *typed);

/*
 * The words that may follow `group`, each once. A row's name is "reminder add": what follows
 * "reminder" is "add", and what follows "" is "reminder".
 */
#define WORDS_AFTER_MAX 128
size_t words_after(const struct request_row *const *rows, const char *group,
		   char *ret[WORDS_AFTER_MAX]);
void words_free(char **words, size_t count);
