/*
 * seat.c: who may write, and on what.
 * The lock comes first and goes last: everything between belongs to its holder. It is a lock on an
 * open file, so it ends with the process and what it has just forked, however that ends, and a
 * stale one cannot exist.
 */
#include "daemon/seat.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/pidfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "daemon/address.h"
#include "store/store.h"

#define LOCK_WAIT (2 * USEC_PER_SEC)
#define LOCK_PAUSE_NS (20 * 1000 * 1000)

/* Also a process whose parent has not asked for its end yet is not running any more. */
static bool is_running(pid_t pid)
{
	AUTO_CLOSE int fd = pidfd_open(pid, 0);
	struct pollfd end = {.fd = fd, .events = POLLIN};

	return fd < 0 ? errno != ESRCH : poll(&end, 1, 0) == 0;
}

/*
 * Whether a daemon sits there, for whose end nobody should wait. A killed one may leave a child
 * between fork and exec, which holds copies of its lock and of its socket for a moment, so a socket
 * that answers is not enough.
 */
static bool is_served(const struct home *h, pid_t owner)
{
	return address_answers(h->socket) && (!owner || is_running(owner));
}

static int take_lock(const struct home *h, int *ret_fd, pid_t *ret_owner, struct error *err)
{
	const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};
	usec_t until = clock_monotonic() + LOCK_WAIT;
	int r;

	for (;;) {
		r = file_lock(h->lock_file, ret_fd, ret_owner, err);
		if (r != ERR_CONFLICT || clock_monotonic() >= until || is_served(h, *ret_owner))
			return r;
		nanosleep(&pause, NULL);
	}
}

/* What tells one version of the file from another; all zero when there is none. */
static void look_at_config(const struct home *h, struct stat *ret)
{
	if (stat(h->config_file, ret) < 0)
		*ret = (struct stat){0};
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

void seat_close_store(struct seat *s)
{
	engine_free(s->engine);
	s->engine = NULL;
	if (s->db)
		db_close(s->db);
	s->db = NULL;
}

int seat_open_store(struct seat *s, struct error *err)
{
	int r;

	seat_close_store(s);
	r = store_open(s->url, &s->db, err);
	if (r < 0)
		return r;
	s->engine = engine_new(s->db, s->config);
	engine_set_state_dir(s->engine, s->home->state_dir);
	return 0;
}

int seat_take(const struct home *h, struct seat **ret, pid_t *ret_owner, struct error *err)
{
	AUTO(seat_leave) struct seat *s = mem_zalloc(sizeof(*s));
	int r;

	s->home = h;
	s->lock_fd = -1;
	if ((r = home_prepare(h, err)) < 0 || (r = take_lock(h, &s->lock_fd, ret_owner, err)) < 0)
		return r;
	/* Looked at before it is read: a change in between is then seen as a change. */
	look_at_config(h, &s->config_stat);
	if ((r = config_load(h->config_file, &s->config, err)) < 0)
		return r;
	s->url = home_store_url(h, s->config);
	if ((r = seat_open_store(s, err)) < 0)
		return r;
	*ret = steal_ptr(&s);
	return 0;
}

void seat_leave(struct seat *s)
{
	if (!s)
		return;
	seat_close_store(s);
	config_free(s->config);
	free(s->config_error);
	free(s->url);
	if (s->lock_fd >= 0)
		close(s->lock_fd);
	free(s);
}

static void use_config(struct seat *s, struct config *config)
{
	struct config *old = s->config;
	const char *was = old->store ? old->store : "", *is = config->store ? config->store : "";

	if (strcmp(was, is) != 0)
		log_warning("the store in the configuration changed: restart to use it");

	s->config = config;
	if (s->engine)
		engine_set_config(s->engine, config);
	config_free(old);
	mem_replace(&s->config_error, NULL);
	log_info("configuration '%s' read again", s->home->config_file);
}

void seat_follow_config(struct seat *s)
{
	struct config *config = NULL;
	struct error err = {0};
	struct stat now;

	look_at_config(s->home, &now);
	if (same_file(&now, &s->config_stat))
		return;
	s->config_stat = now;
	if (config_load(s->home->config_file, &config, &err) == 0) {
		use_config(s, config);
		return;
	}
	log_error("%s; the configuration before it stays in use", err.message);
	mem_replace(&s->config_error, err.message);
}
