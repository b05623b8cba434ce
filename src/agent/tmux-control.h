#pragma once
/*
 * What tmux says in control mode, and how words are said to it. Pure: bytes in, items out.
 *
 * Lines beginning with '%' are notifications, but for those between "%begin TIME NUMBER FLAGS" and
 * the "%end" or "%error" with the same three: these are an answer, and may have any bytes in them.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define TMUX_ANSWER_MAX ((size_t)8 * 1024 * 1024) /* what is beyond that is dropped */

enum tmux_item_kind {
	TMUX_ANSWER,  /* text: what was printed, or why it failed */
	TMUX_OUTPUT,  /* text: the pane that shows something new */
	TMUX_CHANGED, /* a pane may be there no more */
	TMUX_EXIT     /* text: why tmux leaves us; may be "" */
};
struct tmux_item {
	enum tmux_item_kind kind;
	const char *text; /* ends with NUL, which len does not count; gone after the call */
	size_t len;
	bool failed; /* of answers */
	bool ours;   /* of answers: to a line we wrote, not to what tmux was started with */
};
typedef void tmux_on_item(const struct tmux_item *item, void *data);

/* Zeroed is new. */
struct tmux_reader {
	struct buf line, answer;
	char guard[64]; /* of the answer that we are in, "" when in none */
};
/* However the bytes are cut, the items are the same. */
void tmux_reader_feed(struct tmux_reader *r, const char *bytes, size_t len, tmux_on_item *on_item,
		      void *data);
void tmux_reader_fini(struct tmux_reader *r);

/*
 * Add a word so that tmux reads back these very bytes, as one word of a line. Any bytes but NUL; a
 * newline does not end the line.
 */
void tmux_quote(struct buf *b, const char *word);

/* "tmux 3.3a", "tmux next-3.4", "tmux openbsd-7.2": whether it can do what we need (3.2). */
bool tmux_version_ok(const char *text);
