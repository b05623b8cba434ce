#pragma once
/*
 * Completion of a command line that is being typed. The shells' scripts are a few lines that call
 * `belfry complete-words WORD...` and show what it prints: "word<TAB>help" a line, or ":files".
 */
#include "base/buf.h"
#include "request/request.h"

struct completion {
	struct buf out; /* the lines */
	const struct request_arg
		*wants;	   /* whose values are asked for and not known here, or NULL */
	const char *typed; /* the beginning of that value */
	char *prefix;	   /* what stands before it in the same word: "--agent=" */
};
void completion_fini(struct completion *c);
#define AUTO_COMPLETION __attribute__((cleanup(completion_fini)))

/* words[count - 1] is being typed and may be ""; "belfry" itself is not among them. */
void complete_words(const struct request_row *const *rows, const char *const *words, size_t count,
		    struct completion *ret);

/* Add a word when it continues what is typed. */
void completion_add(struct completion *c, const char *word, const char *help);

/* The whole command: words, and names from configuration, daemon and zone files. Never fails. */
void complete_run(const struct request_row *const *rows, const char *const *words, size_t count);

/* The script of "bash", "zsh" or "fish"; NULL for another. */
const char *complete_script(const char *shell);
