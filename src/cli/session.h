#pragma once
/*
 * A way to ask: the daemon where one runs or may be started, else the store itself in this
 * process. Callers do not see which it is.
 */
#include "cli/client.h"

#define SESSION_IN_FLIGHT 4 /* requests that may be sent before the first is received */

struct session;

/*
 * zone is the caller's own or NULL, and outlives the session; so does h. When no daemon runs, one
 * is started if `may_start` and the person did not forbid it.
 */
int session_open(const struct home *h, const char *zone, bool may_start, struct session **ret,
		 struct error *err);
void session_free(struct session *s);
DEFINE_AUTO(struct session, session_free)

/* Who asks from now on; at first, whoever the environment says (claim.h). Takes `claim`. */
void session_claim(struct session *s, json_t *claim);

/* Wait so long for each answer of a daemon, rather than two minutes. */
void session_limit(struct session *s, int seconds);

/*
 * For whoever keeps a session while other things happen. Usable: there is a daemon at the other end, and nothing
 * is owed; one without a daemon is not to be kept, since nobody else gets at the store meanwhile. Unsure:
 * the last request was sent and not answered, so what it asked for may have been done, or not.
 */
bool session_is_usable(const struct session *s);
bool session_is_unsure(const struct session *s);

/* The same of its client, with the daemon's process; NULL without a daemon, or when its store is there. */
const char *session_store_away_since(const struct session *s, pid_t *ret_pid);

/* After something was saved: without a daemon, say on stderr that nothing will fire. */
void session_warn(const struct session *s);

/* Send and receive apart, to keep several requests in flight; answers come in order. */
int session_send(struct session *s, const char *request, const json_t *args, struct error *err);
int session_receive(struct session *s, json_t **ret, struct error *err);

int session_ask(struct session *s, const char *request, const json_t *args, json_t **ret,
		struct error *err);

/*
 * Ask for page after page: `each` gets every result, until one has no "more" or `each` is
 * not 0, which is then returned. After a positive one, the session is of no more use: a page may still be
 * on its way. The key the pages are asked by is args.after.
 */
typedef int session_page(const json_t *result, void *data, struct error *err);
int session_ask_pages(struct session *s, const char *request, const json_t *args,
		      session_page *each, void *data, struct error *err);
