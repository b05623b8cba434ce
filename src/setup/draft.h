#pragma once
/*
 * A text on its way to another one, by replacing bytes. It remembers every step, so that all of them
 * can be taken back later: exactly, as long as nobody else changed the text.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"

struct draft_step {
	size_t at;
	char *cut; /* what stood there */
	size_t cut_len, put_len;
};
struct draft {
	struct buf text;
	struct draft_step *steps;
	size_t count;
};
void draft_init(struct draft *d, const char *text, size_t len);
void draft_fini(struct draft *d);
#define AUTO_DRAFT __attribute__((cleanup(draft_fini)))

/* The bytes at `at` become others; they are there. */
void draft_replace(struct draft *d, size_t at, size_t cut, const char *put, size_t put_len);
/* Take back the steps after the first `count`. */
void draft_rewind(struct draft *d, size_t count);

/* The steps as JSON: [[at, "what stood there", bytes that stand there now], …]. NULL: what was cut is
 * no UTF-8. */
json_t *draft_steps(const struct draft *d);
/* Take back the steps of another draft, which ended with this text. False, and nothing is changed, when
 * they cannot be of it. Not a step of this draft: it begins anew. */
bool draft_revert(struct draft *d, const json_t *steps);
