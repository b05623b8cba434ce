#pragma once
/* The state of reading a text, for markdown-span*.c and markdown-emphasis.c. */
#include "terminal/markdown-parse.h"

enum token_type {
	TOKEN_TEXT,
	TOKEN_ENTITY,
	TOKEN_CODE,
	TOKEN_BREAK,
	TOKEN_RUN,     /* of stars, underscores or tildes */
	TOKEN_BRACKET, /* text, until its end is found */
	TOKEN_LINK,    /* what the bracket became */
	TOKEN_END,     /* of the link */
	TOKEN_ADDRESS, /* an address that is a link by itself */
};

/* A span that begins or ends at a run; `next` is a place in pairs, or 0. */
struct pair {
	enum span span;
	size_t next;
};

struct token {
	enum token_type type;
	size_t start, stop; /* in the text */
	/* A run: what is left of it, and what the rest of it became. */
	char mark;
	bool can_open, can_close;
	size_t left, total, opens, closes, last_close;
	/* A bracket or the end of its link. */
	bool image;
	const char *address; /* its own, or a reference's */
	char *own_address;
};

struct bracket {
	size_t token, run; /* of tokens and runs so far */
	bool has_bracket;  /* inside: then it is no label */
};

struct spans {
	const struct blocks *blocks;
	const char *text;
	size_t len, at;
	struct token *tokens;
	size_t count, cap;
	size_t *runs; /* tokens that may begin or end emphasis */
	size_t run_count, run_cap;
	struct bracket *brackets;
	size_t bracket_count, bracket_cap;
	size_t dead;	    /* the first so many brackets are around a link: they begin none */
	struct pair *pairs; /* the first is none */
	size_t pair_count, pair_cap;
	size_t *open; /* for emphasis_resolve() */
	size_t open_cap;
};

/* Find what the runs from the first'th on mean; they are done then. */
void emphasis_resolve(struct spans *s, size_t first);
/* The run of marks at the place. */
void emphasis_read(struct spans *s);
struct token *token_add(struct spans *s, enum token_type type, size_t start, size_t stop);
