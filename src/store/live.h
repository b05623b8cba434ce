#pragma once
/*
 * Live agents as rows: one for each agent that was ever started in a session of its own, until it is
 * removed. The session itself is a window of the private tmux server; the process in it is the
 * wrapper of an interactive run of a mission, which has the conversation and the thread. The row
 * says what Belfry knows of it, so that a daemon that starts finds it again.
 */
#include "base/auto.h"
#include "base/clock.h"
#include "store/db.h"
#include "store/words.h"

struct live {
	char *agent;
	char *role;	 /* that it was started with; NULL: none was named */
	int64_t mission; /* whose conversation it is; 0: none yet, or that one is gone */
	char *pane;	 /* of tmux, "%3"; NULL while there is none */
	enum presence state;
	char *evidence;	  /* how we know: "hook Stop 2s ago"; for people; never NULL */
	usec_t since;	  /* of the state */
	usec_t idle_at;	  /* continuously idle since then; USEC_NONE unless idle */
	bool wanted;	  /* somebody started it, and nobody stopped it */
	bool again;	  /* once it is gone it is started anew: a restart, or a start cut short */
	char *end_reason; /* why it is gone; NULL while it is not, or never was there */
	int64_t starts;	  /* by itself (--fallback start) without having become idle since */
	usec_t told_at;	  /* the person was told that it waits for an answer; USEC_NONE: not */
	usec_t created_at, started_at, ended_at; /* the session's; USEC_NONE while not yet */
};
void live_free(struct live *l);
DEFINE_AUTO(struct live, live_free)

struct live_list {
	struct live **items;
	size_t count;
};
void live_list_fini(struct live_list *list);
#define AUTO_LIVES __attribute__((cleanup(live_list_fini)))

/* Insert, or replace the row of that agent. */
int live_put(struct db *db, const struct live *l, struct error *err);
/* *ret is NULL when there is none. */
int live_find(struct db *db, const char *agent, struct live **ret, struct error *err);
int live_of_mission(struct db *db, int64_t mission, struct live **ret, struct error *err);
/* All, by name; `present`: only those that are not gone. */
int live_list(struct db *db, bool present, struct live_list *ret, struct error *err);
/* Those that can be told something now: present, past their start, with a window that is known, and
 * with something queued for them. `offered`: while something else is being handed over, else only
 * those where nothing is. */
int live_list_waiting(struct db *db, bool offered, struct live_list *ret, struct error *err);
/* Those whose host has not come yet. */
int live_list_starting(struct db *db, struct live_list *ret, struct error *err);
/* Those that are gone, not wanted and not told of, with something queued for them. */
int live_list_left(struct db *db, struct live_list *ret, struct error *err);
int live_delete(struct db *db, const char *agent, struct error *err);
