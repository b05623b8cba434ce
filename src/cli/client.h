#pragma once
/*
 * One connection to the daemon's control socket, with plain blocking calls: JSON lines out, JSON
 * lines in, replies in the order of the requests.
 */
#include <sys/types.h>

#include "base/auto.h"
#include "base/json.h"
#include "config/home.h"

struct client;

/* Returns 1 and sets *ret, 0 when no daemon serves, or negative: one does, and cannot be reached. */
int client_connect(const struct home *h, struct client **ret, struct error *err);
void client_free(struct client *c);
DEFINE_AUTO(struct client, client_free)

/* The daemon's process, as this process sees it; 0 when it cannot be seen from here. */
pid_t client_pid(const struct client *c);

/* Who asks from now on (claim.h); at first, whoever the environment says. Takes `claim`. */
void client_claim(struct client *c, json_t *claim);

/* zone is the caller's own, or NULL. */
int client_send(struct client *c, const char *request, const json_t *args, const char *zone,
		struct error *err);
/* The same with an id: one that changes something is done once, however often it is asked (ask.h). */
int client_send_once(struct client *c, const char *id, const char *request, const json_t *args,
		     const char *zone, struct error *err);
/* The next reply: its result, or its error as ours. ERR_UNAVAILABLE when there is none. */
int client_receive(struct client *c, json_t **ret, struct error *err);

/* Whether a reply was lost because the daemon went away, rather than refused by it. */
bool client_was_lost(const struct client *c);

/* Whether the last request was sent and not answered: what it asked for may have been done, or not. */
bool client_is_unsure(const struct client *c);
/* Whether the last answer, or its loss, leaves open what became of the request: asking again tells. */
bool client_may_ask_again(const struct client *c);
/* The instant from which the daemon's store is away, when the last answer was an error for that; else NULL. */
const char *client_store_away_since(const struct client *c);
/* Whether the last answer is that of an earlier time the same was asked. */
bool client_is_earlier(const struct client *c);
/* Whether another one may be sent, with nothing in flight: false once the daemon has gone or an answer is owed. */
bool client_is_usable(const struct client *c);

/* Wait so long for an answer, rather than two minutes. */
void client_limit(struct client *c, int seconds);
/* What the daemon says of itself; NULL: none runs, or it does not answer soon. */
json_t *client_status(const struct home *h, const char *zone);
/* And so long for one of a daemon that sleeps instead. */
void client_patience(struct client *c, int ms);
