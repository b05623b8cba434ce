#pragma once
/*
 * The seat of one home: its lock, configuration, store and engine. Whoever holds it is the only
 * one that writes: the daemon for its whole life, or a command that runs without one.
 */
#include <stdbool.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "config/config.h"
#include "config/home.h"
#include "daemon/store-mark.h"
#include "engine/engine.h"
#include "store/db.h"

/* What tells one version of a file from another; all zero when there is none. */
struct config_stat {
	char *path;
	struct stat stat;
	struct stat gone;  /* as it is now, absent or empty, while that may be for a moment only */
	usec_t gone_since; /* by clock_monotonic(); 0: it is there */
};
struct config_stats {
	struct config_stat *items;
	size_t count;
};

struct seat {
	const struct home *home;
	int lock_fd;
	dev_t lock_dev; /* which file that is, for its life */
	ino_t lock_ino;
	char *url;	       /* the store's; may hold a password */
	char *other_url;       /* what the configuration names now, where that is another; NULL */
	struct config *config; /* the last one that was fine */
	char *config_error;    /* why the file as it is now is not in use; NULL when it is */
	usec_t read_at;	       /* when that was found, by clock_monotonic() */
	struct config_stats files;     /* config.yml, the folder of roles, and each of them */
	char *http;		       /* the address HTTP listens at, for status; NULL: none */
	char *http_error;	       /* why it does not although it should; NULL */
	void (*on_config)(void *data); /* another configuration is in use; NULL: nobody asks */
	void *on_config_data;
	bool take_over; /* the store of another home, until it is ours */
	bool fresh;	/* a store that is gone begins with nothing, until it has */
	char *origin;	/* the home that this one is a copy of, and takes the place of; NULL */
	char *self;	/* what others on the same store are told of us; NULL: we do not stay */
	void (*on_token_gone)(void *data, const char *id); /* it was taken back; same data */
	int64_t brand; /* all that daemons of this home have started has it, or a deeper one; 0: not known */
	struct db *db; /* NULL while the store is away, and so are the next two */
	struct store_mark *mark;
	struct engine *engine;
};

/* How a seat is taken; all zero: by a command, which is soon over. */
struct seat_wish {
	bool stays; /* a daemon */
	/* A store that cannot be used now is waited for: the seat has none yet, and the turn opens it.
	 * `later`: it is not even tried, since nobody watches over it here. */
	bool waits, later;
	bool take_over;	   /* of another home, on purpose */
	bool fresh;	   /* with nothing, where a store was, on purpose */
	bool switch_store; /* another than the home used last, on purpose */
	struct config *
		*config; /* what was in use before; taken where the file is broken. May be NULL */
};

/*
 * Lock the home, read its configuration, open its store, which is ours alone as well. Waits some
 * seconds for a short-lived holder, but not for a daemon that answers. ERR_CONFLICT when somebody else
 * sits there: then *ret_owner is its process, or 0 when unknown. ERR_UNAVAILABLE, among others, when
 * a process of another home has the store. ERR_DENIED, among others, when it is not the store that the home used last.
 */
int seat_take(const struct home *h, const struct seat_wish *wish, struct seat **ret,
	      pid_t *ret_owner, struct error *err);
void seat_leave(struct seat *s);
DEFINE_AUTO(struct seat, seat_leave)

/* ERR_CONFLICT when the lock of the home is ours no longer: its file is gone, or another. */
int seat_check_lock(const struct seat *s, struct error *err);

/* A home as it has described itself (`self`), for people. Caller frees. */
char *seat_name_home(const char *self);

/* Whether there is a file where the store is one. */
bool seat_has_file(const struct seat *s);

/* Until nobody writes the file of a store any more: a backup that is copied there is whole only then. */
void seat_await_file(const struct seat *s);

/* Close the store (and the engine on it), and open it again. */
void seat_close_store(struct seat *s);
int seat_open_store(struct seat *s, struct error *err);

/*
 * Take up config.yml and roles when they changed; a broken config.yml is logged, told, and not used.
 * One that is absent or empty is believed only when it has stayed so for two seconds, unless somebody
 * wants it `at_once`. Answers how long to wait before this is to be called again; 0: nothing to wait for.
 */
usec_t seat_follow_config(struct seat *s, bool at_once);
