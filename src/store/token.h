#pragma once
/* Tokens that clients of HTTP show. Only their hash is kept. */
#include "base/auto.h"
#include "base/clock.h"
#include "store/db.h"

#define TOKEN_ID_MAX 16

struct token_row {
	char id[TOKEN_ID_MAX]; /* "tok-" and six characters */
	char *hash;	       /* SHA-256, hex */
	char *owner;	       /* the user it stands for */
	char *session;	       /* NULL: none */
	char *label;	       /* NULL: none */
	usec_t created_at;
	usec_t used_at;	   /* USEC_NONE: never */
	usec_t expires_at; /* USEC_NONE: never */
};
void token_row_free(struct token_row *t);
DEFINE_AUTO(struct token_row, token_row_free)

struct token_row_list {
	struct token_row **items;
	size_t count;
};
void token_row_list_fini(struct token_row_list *list);
#define AUTO_TOKENS __attribute__((cleanup(token_row_list_fini)))

int token_insert(struct db *db, struct token_row *t, struct error *err); /* sets id */
/* *ret is NULL when there is none. */
int token_by_hash(struct db *db, const char *hash, struct token_row **ret, struct error *err);
int token_list(struct db *db, struct token_row_list *ret, struct error *err);
int token_used(struct db *db, const char *id, usec_t now, struct error *err);
/* 1, or 0 when there is none. */
int token_delete(struct db *db, const char *id, struct error *err);
