#pragma once
/*
 * One request on its way through a turn: read from a line, run inside the turn's transaction,
 * answered by a line once that is committed.
 *
 *	{"request":"reminder add","args":{…},"zone":"Europe/Berlin","caller":{…},"id":"…"}
 *	{"ok":true,"result":…}
 *	{"ok":false,"error":{"code":"invalid","message":"…","hint":"…"}}
 *
 * The id makes one that changes something happen once, however often it is asked (request_run_once()). An
 * answer to what was done before has "earlier":true; one that does not say what became of the request has
 * "again":true, and asking again with the same id tells. While the store is away, an error has "since", the
 * instant from which it is.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "request/request.h"

struct ask {
	struct ask *next;
	const struct request_row *row; /* NULL when the line could not be read */
	json_t *args;		       /* NULL: none */
	json_t *claim;		       /* who asks, as it says itself (caller.h); NULL: nothing */
	char *zone;		       /* NULL: the caller named none */
	char *store;	  /* the caller wants this one, as text_store_shown() says it; NULL */
	char *id;	  /* the caller's, for one that is to be done once; NULL */
	size_t size;	  /* of its line */
	const char *user; /* the login that connected; borrowed; outlives the ask */
	struct caller_process
		*process;  /* which connected; borrowed likewise; NULL: none of the socket's */
	bool bound;	   /* the session of its claim is a token's word */
	bool decided;	   /* `err` is its answer, whatever becomes of the turn */
	bool earlier;	   /* `result` is of an earlier time it was asked */
	bool again;	   /* `err` is not the last word: whether it was done is not known */
	usec_t away_since; /* of `err`: the store is away from then on; 0: it is not */
	json_t *result;	   /* NULL when it failed: then `err` says why */
	struct error err;
	/* Called once, after the commit; the turn frees the ask. NULL: nobody waits for the answer.
	 */
	void (*on_done)(struct ask *ask);
	void *data;
};

/* Always answers an ask; one that is not a request is decided at once, with its error. */
struct ask *ask_read(const char *line, size_t len);
/* A request of our own, whose answer nobody waits for. Takes `args`. */
struct ask *ask_new(const char *name, json_t *args);
void ask_free(struct ask *ask);
DEFINE_AUTO(struct ask, ask_free)

/* Run it inside the turn's transaction; the answer is in the ask, and the same is returned. */
int ask_run(struct ask *ask, const struct request *rq);
/* Its answer is this error. */
void ask_fail(struct ask *ask, const struct error *err);

/* Add the answer as one line. */
void ask_reply(const struct ask *ask, struct buf *out);
void ask_reply_error(const struct error *err, struct buf *out);
