/*
 * seat.c: who may write, and on what.
 * The lock comes first and goes last: everything between belongs to its holder. It is a lock on an
 * open file, so it ends with the process and what it has just forked, however that ends, and a
 * stale one cannot exist. The store has a lock of its own (store/claim.c), since two homes may name
 * the same one.
 */
#include "daemon/seat.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "agent/brand.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "config/guard.h"
#include "config/kept.h"
#include "daemon/address.h"
#include "daemon/halt.h"
#include "daemon/home-place.h"
#include "daemon/store-mark.h"
#include "daemon/watchdog.h"
#include "schedule/instant.h"
#include "schedule/zone.h"
#include "store/kv.h"
#include "store/store.h"

#define LOCK_WAIT (10 * USEC_PER_SEC)
#define QUIET_PAUSE_NS (100 * 1000 * 1000)
#define QUIET_ENOUGH 4
#define QUIET_TRIES 300
#define LOCK_PAUSE_NS (20 * 1000 * 1000)
#define BRAND "caller.brand"
#define SETTLE (2 * USEC_PER_SEC)
#define READ_AGAIN (10 * USEC_PER_SEC)

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

/* --- which version of the files is in use --------------------------------------------------- */

static void look(const char *path, struct stat *ret)
{
	if (stat(path, ret) < 0)
		*ret = (struct stat){0};
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
	       a->st_mode == b->st_mode && a->st_uid == b->st_uid &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void forget_files(struct config_stats *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->items[i].path);
	free(files->items);
	*files = (struct config_stats){0};
}

static void add_file(struct seat *s, const char *path)
{
	struct config_stats *files = &s->files;
	struct config_stat *file;

	files->items = mem_grow(files->items, files->count + 1, sizeof(*files->items));
	file = &files->items[files->count++];
	*file = (struct config_stat){.path = mem_strdup(path)};
	look(path, &file->stat);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* The folder tells of files that come and go, each file of its own changes. */
static void add_roles(struct seat *s)
{
	AUTO(free) char *folder = mem_printf("%s/roles", s->home->config_dir);
	struct dirent **entries = NULL;
	int count;

	add_file(s, folder);
	count = scandir(folder, &entries, is_visible, NULL);
	for (int i = 0; i < count; i++) {
		AUTO(free) char *path = mem_printf("%s/%s", folder, entries[i]->d_name);

		add_file(s, path);
		free(entries[i]);
	}
	free(entries);
}

/* Looked at before they are read: a change in between is then seen as a change. */
static void note_files(struct seat *s)
{
	forget_files(&s->files);
	add_file(s, s->home->config_file);
	add_roles(s);
}

static bool are_changed(const struct seat *s)
{
	for (size_t i = 0; i < s->files.count; i++) {
		struct stat now;

		look(s->files.items[i].path, &now);
		if (!same_file(&now, &s->files.items[i].stat))
			return true;
	}
	return false;
}

static bool is_gone(const struct stat *before, const struct stat *now)
{
	return before->st_ino && (!now->st_ino || (S_ISREG(now->st_mode) && now->st_size == 0));
}

/* For how long it has yet to stay away before that is believed; 0: it is there, or has stayed away. */
static usec_t file_left(struct config_stat *file, usec_t now)
{
	struct stat is;

	look(file->path, &is);
	if (same_file(&is, &file->stat) || !is_gone(&file->stat, &is)) {
		file->gone_since = 0;
		return 0;
	}
	if (!file->gone_since || !same_file(&is, &file->gone)) {
		file->gone_since = now;
		file->gone = is;
	}
	return now - file->gone_since < SETTLE ? file->gone_since + SETTLE - now : 0;
}

static usec_t settle_left(struct config_stats *files)
{
	usec_t now = clock_monotonic(), most = 0;

	for (size_t i = 0; i < files->count; i++) {
		usec_t left = file_left(&files->items[i], now);

		most = left > most ? left : most;
	}
	return most;
}

/* --- who has the store ---------------------------------------------------------------------- */

/* Host, process, home, since when: enough to go and look. */
static char *describe_self(const struct home *h)
{
	AUTO(free) char *id = home_place_id(h);
	struct utsname machine = {0};
	AUTO(json_decref) json_t *self = json_object();

	(void)uname(&machine);
	json_put_text(self, "host", machine.nodename);
	json_put_int(self, "pid", getpid());
	json_put_text(self, "home", h->state_dir);
	json_put_text(self, "id", id);
	json_put_int(self, "since", clock_now());
	return json_dumps(self, JSON_COMPACT | JSON_SORT_KEYS);
}

/* As far as can be seen from here: it may be on another machine. */
static bool holder_runs(const json_t *holder)
{
	const char *host = json_string_value(json_object_get(holder, "host"));
	pid_t pid = (pid_t)json_integer_value(json_object_get(holder, "pid"));
	struct utsname machine = {0};

	(void)uname(&machine);
	return host && pid > 0 && (strcmp(host, machine.nodename) != 0 || is_running(pid));
}

static int refuse_held(const struct seat *s, const json_t *holder, struct error *err)
{
	usec_t since = json_integer_value(json_object_get(holder, "since"));
	const char *home = json_string_value(json_object_get(holder, "home"));
	const char *host = json_string_value(json_object_get(holder, "host"));
	char at[INSTANT_TEXT_MAX];
	const char *source;

	if (!home || !host) {
		error_set(err, ERR_UNAVAILABLE,
			  "the store of '%s' is in use by a process of another home",
			  s->home->state_dir);
		return error_hint(err, "try again when it is done; one store has one daemon");
	}
	instant_format_long(since, zone_of_machine(&source), at);
	error_set(err, ERR_UNAVAILABLE,
		  "the store is in use by the daemon of home '%s' on '%s' (process %d, since %s)",
		  home, host, (int)json_integer_value(json_object_get(holder, "pid")), at);
	return error_hint(err,
			  "one store has one daemon: use that home, or give '%s' a store of "
			  "its own (store: in config.yml)",
			  s->home->state_dir);
}

char *seat_name_home(const char *self)
{
	AUTO(json_decref) json_t *home = json_loads(self, 0, NULL);
	const char *path = json_string_value(json_object_get(home, "home"));
	const char *host = json_string_value(json_object_get(home, "host"));

	return mem_printf("home '%s' on '%s'", path ? path : "?", host ? host : "?");
}

static int refuse_other_home(const struct seat *s, const char *last, struct error *err)
{
	AUTO(free) char *name = seat_name_home(last);

	error_set(err, ERR_DENIED,
		  "the store belongs to %s, whose daemon had it last: what that one runs would be "
		  "run "
		  "again by '%s'",
		  name, s->home->state_dir);
	return error_hint(
		err, "start the daemon of that home; or, if this home is to take its place: belfry "
		     "daemon start --take-over");
}

/* Nobody waits for a daemon; a command, and what a killed process leaves behind, is soon over. */
static int open_alone(struct seat *s, usec_t until, bool used, struct error *err)
{
	const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};

	for (;;) {
		AUTO(free) char *text = NULL;
		AUTO(json_decref) json_t *holder = NULL;
		int r = store_open_alone(s->url, s->self, s->take_over, used, &s->db, &text, err);

		if (r == ERR_DENIED && text)
			return refuse_other_home(s, text, err);
		if (r != ERR_CONFLICT)
			return r;
		holder = text ? json_loads(text, 0, NULL) : NULL;
		if (holder_runs(holder) || clock_monotonic() >= until)
			return refuse_held(s, holder, err);
		nanosleep(&pause, NULL);
	}
}

/* --- the seat ------------------------------------------------------------------------------- */

void seat_close_store(struct seat *s)
{
	engine_free(s->engine);
	s->engine = NULL;
	store_mark_close(s->mark);
	s->mark = NULL;
	if (s->db)
		db_close(s->db);
	s->db = NULL;
}

/* NULL: it is no file. */
static const char *path_of(const char *url)
{
	return strncmp(url, "sqlite:/", 8) == 0 ? url + 7 : NULL;
}

/* What a daemon gives to what it starts. The store keeps it: what is left of one is known to the next, and without one. */
static int settle_brand(struct seat *s, struct error *err)
{
	AUTO(free) char *text = NULL;
	int64_t ours = s->self ? brand_of_self() : 0;
	char number[24];
	int r = kv_get(s->db, BRAND, &text, err);

	s->brand = text ? strtoll(text, NULL, 10) : 0;
	if (r < 0 || ours <= s->brand || ours == BRAND_NONE)
		return r;
	s->brand = ours;
	snprintf(number, sizeof(number), "%lld", (long long)ours);
	return kv_set(s->db, BRAND, number, err);
}

/* "createdb" alone would begin with nothing, where there was something. */
static int refuse_store(const char *path, bool used, struct error *err)
{
	if (!path && used && strstr(err->message, "database \"") &&
	    strstr(err->message, "does not exist"))
		error_hint(err, "this home was in use: make the database and restore a backup into "
				"it; with --fresh the daemon begins with nothing");
	return err->code;
}

static int open_store(struct seat *s, usec_t wait, struct error *err)
{
	const char *path = path_of(s->url);
	int r = path ? guard_check_store(path, err) : 0;
	bool used = store_mark_was_used(s->home, s->url), is_gone;

	if (r < 0)
		return error_prefix(err, "the store");
	r = store_mark_check(s->home, s->url, err);
	is_gone = r < 0;
	if (!is_gone) {
		r = open_alone(s, clock_monotonic() + wait, used, err);
		is_gone = r == ERR_NOT_FOUND; /* empty: a server's has no file to look at */
	}
	if (is_gone)
		r = s->fresh ? open_alone(s, clock_monotonic() + wait, false, err)
			     : (err->code = ERR_UNAVAILABLE);
	if (r < 0)
		return refuse_store(path, used, err);
	r = store_mark_open(s->home, s->url, s->db, is_gone, &s->mark, err);
	if (r == 0)
		r = settle_brand(s, err);
	if (r < 0) {
		seat_close_store(s);
		return r;
	}
	if (s->fresh && !is_gone)
		log_warning("--fresh changed nothing: the store is there, and is used as it is");
	s->fresh = false;
	s->engine = engine_new(s->db, s->config);
	engine_set_state_dir(s->engine, s->home->state_dir);
	return 0;
}

int seat_open_store(struct seat *s, struct error *err)
{
	seat_close_store(s);
	return open_store(s, 0, err); /* the turn tries again, and is not to wait here */
}

bool seat_has_file(const struct seat *s)
{
	const char *path = path_of(s->url);

	return path && access(path, F_OK) == 0;
}

void seat_await_file(const struct seat *s)
{
	const struct timespec pause = {.tv_nsec = QUIET_PAUSE_NS};
	struct stat before = {0}, now = {0};
	const char *path = path_of(s->url);

	for (int i = 0, quiet = 0; path && i < QUIET_TRIES && quiet < QUIET_ENOUGH; i++) {
		if (halt_is_asked()) /* then nobody opens it */
			return;
		look(path, &now);
		quiet = same_file(&before, &now) ? quiet + 1 : 0;
		before = now;
		nanosleep(&pause, NULL);
	}
}

int seat_check_lock(const struct seat *s, struct error *err)
{
	struct stat there = {0};

	look(s->home->lock_file, &there);
	if (s->lock_ino == there.st_ino && s->lock_dev == there.st_dev)
		return 0;
	error_set(err, ERR_CONFLICT, "lock '%s' was removed: this daemon is not alone any more",
		  s->home->lock_file);
	return error_hint(err, "ask again, or 'belfry daemon start'; the file is to be left alone");
}

/* For the next start; one that cannot be noted is in use all the same. */
static void keep_config(const struct seat *s)
{
	struct error err = {0};

	if (config_keep(s->config, s->home, &err) < 0)
		log_warning("the configuration is not kept for a start beside a mistake: %s",
			    err.message);
}

/*
 * What was in use before the file was broken: in the same process it is still there, else a daemon has noted it.
 * A file that somebody else may write is not mistaken but unsafe, and has to be looked at: then nothing starts.
 */
static int earlier_config(const struct seat *s, const struct seat_wish *wish,
			  const struct error *mistake, struct config **ret)
{
	struct error err = {0};

	if (wish->config && *wish->config) {
		*ret = steal_ptr(wish->config);
		return 0;
	}
	if (!wish->stays || guard_check(s->home->config_file, &err) < 0)
		return mistake->code;
	return config_load_kept(s->home, mistake->message, ret, &err);
}

static int first_config(struct seat *s, const struct seat_wish *wish, struct error *err)
{
	AUTO(json_decref)
	json_t *before = wish->config && *wish->config ? config_roles(*wish->config)
			 : wish->stays		       ? config_kept_roles(s->home)
						       : NULL;
	int r = config_load_after(s->home->config_file, before, &s->config, err);

	if (r == 0 && wish->stays)
		keep_config(s);
	if (r == 0 || earlier_config(s, wish, err, &s->config) < 0)
		return r;
	log_error("%s; the configuration before it stays in use", err->message);
	mem_replace(&s->config_error, err->message);
	s->read_at = clock_monotonic();
	return 0;
}

/* What was copied is kept: the file of the database, and what belongs to it. */
static int set_copy_aside(const struct seat *s, struct error *err)
{
	static const char *const sides[] = {"", "-wal", "-shm"};
	const char *path = path_of(s->url);
	size_t len = strlen(s->home->state_dir);
	long long at = time(NULL);

	/* Elsewhere it is no copy. */
	if (!path || strncmp(path, s->home->state_dir, len) != 0 || path[len] != '/')
		return 0;
	for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
		AUTO(free) char *from = mem_printf("%s%s", path, sides[i]);
		AUTO(free) char *to = mem_printf("%s.saved-%lld%s", path, at, sides[i]);

		if (rename(from, to) < 0 && errno != ENOENT)
			return error_set_errno(err, errno, "cannot rename '%s'", from);
	}
	return 0;
}

/* Whoever takes over from a daemon that still runs would fire beside it. */
static int refuse_running(const struct seat *s, struct error *err)
{
	AUTO(free) char *lock = mem_printf("%s/belfry.lock", s->origin);
	pid_t pid = 0;

	if (!file_lock_is_held(lock, &pid))
		return 0;
	error_set(err, ERR_DENIED,
		  "the daemon of home '%s' runs (pid %d): both would fire everything", s->origin,
		  (int)pid);
	return error_hint(err,
			  s->home->whole ? "stop it first: BELFRY_HOME='%s' belfry daemon stop"
					 : "stop the daemon of '%s' first",
			  s->origin);
}

static int check_copy(struct seat *s, const struct seat_wish *wish, struct error *err)
{
	int r = home_place_check(s->home, &s->origin, err);

	if (r != ERR_DENIED || !(wish->take_over || wish->fresh))
		return r;
	*err = (struct error){0};
	if (!wish->fresh && (r = refuse_running(s, err)) < 0)
		return r;
	if (wish->fresh && (r = set_copy_aside(s, err)) < 0)
		return r;
	return home_place_settle(s->home, err);
}

static int first_store(struct seat *s, const struct seat_wish *wish, struct error *err)
{
	int r = wish->later ? 0 : open_store(s, LOCK_WAIT, err);

	return r == ERR_UNAVAILABLE && wish->waits ? 0 : r;
}

int seat_take(const struct home *h, const struct seat_wish *wish, struct seat **ret,
	      pid_t *ret_owner, struct error *err)
{
	AUTO(seat_leave) struct seat *s = mem_zalloc(sizeof(*s));
	struct stat lock;
	int r;

	s->home = h;
	s->lock_fd = -1;
	if ((r = home_prepare(h, err)) < 0 || (r = take_lock(h, &s->lock_fd, ret_owner, err)) < 0)
		return r;
	if (fstat(s->lock_fd, &lock) < 0)
		return error_set_errno(err, errno, "cannot look at lock '%s'", h->lock_file);
	s->lock_dev = lock.st_dev;
	s->lock_ino = lock.st_ino;
	note_files(s);
	if ((r = first_config(s, wish, err)) < 0)
		return r;
	s->url = home_store_url(h, s->config);
	if ((r = check_copy(s, wish, err)) < 0 ||
	    (!wish->switch_store && (r = store_mark_check_last(h, s->url, err)) < 0))
		return r;
	s->self = wish->stays ? describe_self(h) : NULL;
	s->take_over = wish->take_over;
	s->fresh = wish->fresh;
	watchdog_wait(true);
	r = first_store(s, wish, err);
	watchdog_wait(false);
	if (r < 0)
		return r;
	*ret = steal_ptr(&s);
	return 0;
}

void seat_leave(struct seat *s)
{
	if (!s)
		return;
	if (s->db && s->self)
		store_leave(s->db);
	seat_close_store(s);
	free(s->self);
	free(s->origin);
	config_free(s->config);
	free(s->config_error);
	free(s->http);
	free(s->http_error);
	forget_files(&s->files);
	free(s->url);
	free(s->other_url);
	if (s->lock_fd >= 0)
		close(s->lock_fd);
	free(s);
}

/* The store stays, for the life of the daemon. */
static void follow_store(struct seat *s, const struct config *config)
{
	AUTO(free) char *url = home_store_url(s->home, config);
	const char *other = strcmp(url, s->url) != 0 ? url : NULL;

	if (other && (!s->other_url || strcmp(other, s->other_url) != 0))
		log_warning(
			"the store in the configuration changed, and stays as it is: to use the "
			"other, belfry daemon stop, then belfry daemon start --switch-store");
	mem_replace(&s->other_url, other);
}

static void use_config(struct seat *s, struct config *config)
{
	struct config *old = s->config;

	follow_store(s, config);
	s->config = config;
	keep_config(s);
	if (s->engine)
		engine_set_config(s->engine, config);
	config_free(old);
	mem_replace(&s->config_error, NULL);
	log_info("configuration '%s' read again", s->home->config_file);
	if (s->on_config)
		s->on_config(s->on_config_data);
}

static void take_config(struct seat *s, struct config *config, const struct error *err)
{
	if (config) {
		use_config(s, config);
		return;
	}
	if (!s->config_error || strcmp(s->config_error, err->message) != 0)
		log_error("%s; the configuration before it stays in use", err->message);
	mem_replace(&s->config_error, err->message);
}

/* A mistake may go without a change of the files, as when a zone is installed again. */
static bool may_be_mended(const struct seat *s, bool at_once)
{
	return s->config_error && (at_once || clock_monotonic() - s->read_at >= READ_AGAIN);
}

/*
 * Whoever replaces a file in steps (git, mv and cp, an editor) leaves none, or an empty one, for a
 * moment. What was declared there must not end by that: so until it has stayed away for a while, all
 * is as it was. It may also go while it is read: so that is asked again afterwards.
 */
usec_t seat_follow_config(struct seat *s, bool at_once)
{
	AUTO(json_decref) json_t *roles = NULL;
	struct config_stats before;
	struct config *config = NULL;
	struct error err = {0};
	usec_t left;

	if (!are_changed(s) && !may_be_mended(s, at_once))
		return 0;
	s->read_at = clock_monotonic();
	if (!at_once && (left = settle_left(&s->files)) > 0)
		return left;
	before = s->files;
	s->files = (struct config_stats){0};
	note_files(s);
	roles = config_roles(s->config);
	if (config_load_after(s->home->config_file, roles, &config, &err) < 0)
		config = NULL;
	left = at_once ? 0 : settle_left(&before);
	if (left == 0) {
		take_config(s, config, &err);
	} else {
		config_free(config);
		forget_files(&s->files);
		s->files = before;
		return left;
	}
	forget_files(&before);
	return 0;
}
