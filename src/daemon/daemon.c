/*
 * daemon.c: a daemon's life.
 * Start: lock, configuration, store, recovery, socket, ready. Whoever sees the socket answer may
 * therefore rely on everything before it. Nothing is read before the lock: a start that hangs has it.
 * Stop: the first signal stops taking requests, kills conditions (they are checked again after the
 * next start), waits a little for deliveries and takes their ends in a last turn. What is still
 * running then is killed and offered again later, under the same id. Missions get a minute to end,
 * then their wrappers are killed and what those leave is swept up. SIGQUIT leaves missions running:
 * the next daemon adopts them. A second signal skips every wait, a third the sweeping too.
 * A signal belongs to the process, not to one life of it: one that comes between two is kept (halt.h).
 * A loop that hangs is ended from outside of it (watchdog.h).
 *
 * Whoever starts a daemon by hand hears at once what is wrong. One that nobody looks at (a later life of the
 * same process, a service at boot) waits for its store and its configuration instead, and never ends for them:
 * it answers on its socket meanwhile, and is ready when the store is open.
 */
#include "daemon/daemon.h"

#include <ctype.h>
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/brand.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "base/mem.h"
#include "daemon/absence.h"
#include "daemon/address.h"
#include "daemon/control.h"
#include "daemon/halt.h"
#include "daemon/http.h"
#include "daemon/notify.h"
#include "daemon/rest.h"
#include "daemon/seat.h"
#include "daemon/turn.h"
#include "daemon/watchdog.h"
#include "request/caller.h"
#include "schedule/zone.h"
#include "store/reminder.h"

#define DELIVERY_GRACE_MS 5000
#define MISSION_GRACE_MS 60000
#define SWEEP_GRACE_MS 15000 /* a sweep takes ten seconds at most */

struct daemon {
	uv_loop_t loop;
	struct seat *seat;
	struct turn *turn;
	struct control *control;
	struct http *http;
	uv_poll_t halt;		  /* signals that end it (halt.h) */
	uv_signal_t children;	  /* somebody below us ended */
	uv_timer_t grace;	  /* of deliveries */
	uv_timer_t mission_grace; /* of missions, then of their sweeps */
	uv_prepare_t wait;	  /* the loop is about to wait */
	uv_prepare_t finish;	  /* while stopping: looks whether all is done, before every poll */
	bool stopping, hurry, ready;
	int ready_fd;
	size_t missions;    /* that ran when it ended */
	struct error fatal; /* code 0 when all went well */
};

/* One life of the process, and what it has from the one before. */
struct life {
	int64_t brand; /* of whoever started it */
	mode_t mask;
	int ready_fd;
	bool service;	       /* systemd waits for it, nobody else does */
	bool again;	       /* it is not the first */
	bool take_over;	       /* the store of another home, on purpose */
	bool fresh;	       /* with nothing, where a store was, on purpose */
	bool switch_store;     /* another than the home used last, on purpose */
	struct config *config; /* what was in use; NULL: nothing yet */
	size_t missions;       /* that the life before left running */
	char *news;	       /* for the inbox, of what ended the life before; NULL */
};

/* For whoever finds the lock taken and nobody at the socket (cli/holder.c); and for ps. */
static void call_itself(const char *name)
{
	prctl(PR_SET_NAME, name);
}

static const struct home *served; /* for a hook that has no data */

/* Whoever asks meanwhile gets no answer, and is to know that it is not our fault. */
static void on_store_waits(usec_t since)
{
	char now[16] = "";

	prctl(PR_GET_NAME, now);
	if (strcmp(now, since ? "belfry" : DAEMON_WAITS) == 0)
		call_itself(since ? DAEMON_WAITS : "belfry");
	watchdog_on_store(since != 0);
	absence_note_wait(served, since);
}

static void on_grace_over(uv_timer_t *timer)
{
	struct daemon *d = timer->data;

	d->hurry = true;
	supervise_abandon(turn_supervise(d->turn));
}

/* What is left after that is the next daemon's: it finds the run and sweeps it. */
static void on_sweep_over(uv_timer_t *timer)
{
	struct daemon *d = timer->data;

	log_warning("some missions are not cleared away yet; the next start goes on with it");
	uv_stop(&d->loop);
}

static void on_mission_grace_over(uv_timer_t *timer)
{
	struct daemon *d = timer->data;

	missions_kill(turn_missions(d->turn));
	uv_timer_start(timer, on_sweep_over, SWEEP_GRACE_MS, 0);
}

static bool all_done(const struct daemon *d)
{
	if (supervise_count(turn_supervise(d->turn)) || turn_is_wanted(d->turn) ||
	    missions_running(turn_missions(d->turn)))
		return false;
	return d->hurry || !(control_has_output(d->control) || http_has_output(d->http));
}

static void on_finish(uv_prepare_t *prepare)
{
	struct daemon *d = prepare->data;

	if (all_done(d))
		uv_stop(&d->loop);
}

/* BELFRY_STOP_GRACE_MS is for tests, which have no minute. */
static uint64_t mission_grace_ms(void)
{
	const char *text = getenv("BELFRY_STOP_GRACE_MS");
	char *end = NULL;
	unsigned long ms = text ? strtoul(text, &end, 10) : 0;

	return text && end != text && !*end && ms <= MISSION_GRACE_MS ? ms : MISSION_GRACE_MS;
}

static void stop(struct daemon *d, bool leave_missions)
{
	size_t missions;

	d->stopping = true;
	notify_stopping();
	watchdog_stopping();
	call_itself(DAEMON_STOPS);
	control_stop(d->control);
	http_stop(d->http);
	turn_stop(d->turn, leave_missions);
	missions = missions_running(turn_missions(d->turn));
	if (missions)
		log_info("waiting for %zu missions to end", missions);
	uv_update_time(&d->loop);
	uv_timer_start(&d->grace, on_grace_over, DELIVERY_GRACE_MS, 0);
	uv_timer_start(&d->mission_grace, on_mission_grace_over, mission_grace_ms(), 0);
	uv_prepare_start(&d->finish, on_finish);
}

/* Missions that were asked are killed; the loop ends when their sweeps have. */
static void stop_at_once(struct daemon *d)
{
	bool again = d->hurry;

	on_grace_over(&d->grace);
	if (again || !missions_running(turn_missions(d->turn)))
		uv_stop(&d->loop);
	else
		on_mission_grace_over(&d->mission_grace);
}

static void take_signal(struct daemon *d, int number)
{
	log_info("signal %d%s", number, d->stopping ? " again: stopping at once" : ": stopping");
	if (d->stopping)
		stop_at_once(d);
	else
		stop(d, number == SIGQUIT);
}

static void on_halt(uv_poll_t *handle, int status, int events)
{
	int number;

	(void)status;
	(void)events;
	while ((number = halt_take()))
		take_signal(handle->data, number);
}

struct handle_search {
	pid_t pid;
	bool found;
};

static void compare_handle(uv_handle_t *handle, void *data)
{
	struct handle_search *s = data;

	s->found |= handle->type == UV_PROCESS &&
		    uv_process_get_pid((const uv_process_t *)handle) == s->pid;
}

/*
 * What lost its parent below us is our child, and nobody else reaps it. Children of the loop are the loop's: it
 * does so in this same round, and one that stands in the way is gone when the next of ours ends.
 */
static void on_child_signal(uv_signal_t *handle, int number)
{
	struct daemon *d = handle->data;
	siginfo_t ended = {0};

	(void)number;
	while (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid) {
		struct handle_search s = {.pid = ended.si_pid};

		uv_walk(&d->loop, compare_handle, &s);
		if (s.found)
			return;
		waitpid(ended.si_pid, NULL, WNOHANG);
		ended.si_pid = 0;
	}
}

static void on_fatal(const struct error *err, void *data)
{
	struct daemon *d = data;

	log_error("%s: %s", err->message, err->hint);
	d->fatal = *err;
	uv_stop(&d->loop);
}

/* A relative path in the environment meant the folder we leave: children find us by it, too. */
static void leave_folder(const struct home *h)
{
	if (getenv("BELFRY_HOME") && *getenv("BELFRY_HOME"))
		setenv("BELFRY_HOME", h->state_dir, 1);
	if (chdir("/") < 0)
		log_warning("cannot leave the folder it was started in: %s", strerror(errno));
}

/* What a process owes the machine before it stays; answers the umask it had. */
static mode_t settle(void)
{
	mode_t mask = umask(077);

	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	/* A file that may not grow is a full disk: an error of the store, not our end. */
	signal(SIGXFSZ, SIG_IGN);
	/* What a run or a command leaves behind falls to us, and is known by that (caller-process.c). */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	brand_wear(brand_below(brand_of_self()));
	/* One thread: a second arena would only hold memory. */
	mallopt(M_ARENA_MAX, 1);
	if (files_raise() < 0)
		log_warning("cannot raise the limit of open files: %s", strerror(errno));
	return mask;
}

static int watch_signals(struct daemon *d, struct error *err)
{
	int r;

	halt_keep();
	r = uv_poll_init(&d->loop, &d->halt, halt_fd());
	if (r < 0)
		return error_set_errno(err, -r, "cannot listen to signals");
	uv_signal_init(&d->loop, &d->children);
	uv_timer_init(&d->loop, &d->grace);
	uv_timer_init(&d->loop, &d->mission_grace);
	uv_prepare_init(&d->loop, &d->finish);
	uv_prepare_init(&d->loop, &d->wait);
	d->halt.data = d->children.data = d;
	d->grace.data = d->mission_grace.data = d->finish.data = d->wait.data = d;
	uv_signal_start(&d->children, on_child_signal, SIGCHLD);
	uv_poll_start(&d->halt, UV_READABLE, on_halt);
	halt_attend(true);
	return 0;
}

static void log_start(const struct daemon *d)
{
	const struct config *config = d->seat->config;
	int64_t counts[4] = {0};
	struct error err = {0};
	const char *source;

	/* Only for the diary: if it cannot be counted, the first turn will say why. */
	if (reminder_count(d->seat->db, counts, &err) < 0)
		counts[STATUS_ACTIVE] = -1;
	log_info("started: process %d, home '%s', store %s, zone %s, %lld active reminders",
		 (int)getpid(), d->seat->home->state_dir,
		 db_kind(d->seat->db) == DB_SQLITE ? "sqlite" : "postgres",
		 config->timezone ? config->timezone : zone_name(zone_of_machine(&source)),
		 (long long)counts[STATUS_ACTIVE]);
	if (zone_unknown_tz() && !config->timezone)
		log_warning("there is no zone '%s', which TZ names: times are read in %s",
			    zone_unknown_tz(), zone_name(zone_of_machine(&source)));
}

static void say_ready(int fd)
{
	if (fd < 0)
		return;
	/* Whoever waited may have gone; then nobody has to be told. */
	(void)!write(fd, "\n", 1);
	close(fd);
}

static void get_ready(struct daemon *d)
{
	d->ready = true;
	log_start(d);
	say_ready(d->ready_fd);
	notify_ready();
	mem_settle();
}

/* The loop is about to wait. */
static void on_wait(uv_prepare_t *prepare)
{
	struct daemon *d = prepare->data;

	if (!d->ready && turn_has_recovered(d->turn))
		get_ready(d);
	control_look(d->control);
	watchdog_rest();
}

/* Of a daemon before us, in this process or not; a store that did not answer is no fault of its own. */
static void tell_hang(struct daemon *d)
{
	AUTO_BUF struct buf text = {0};
	bool fault = watchdog_report() && !watchdog_store_since();
	AUTO(free) char *waited = fault ? NULL : absence_untold(d->seat->home);
	const char *what = waited ? waited : watchdog_report();

	if (!what)
		return;
	buf_printf(&text, "%s. What was due meanwhile fires now, late; missions that ran go on.",
		   what);
	if (fault)
		buf_printf(&text,
			   " A request that was not answered may be asked again; one that hangs "
			   "each time is a fault of Belfry: please report it, with the log '%s'.",
			   d->seat->home->log_file);
	text.data[0] = (char)toupper((unsigned char)text.data[0]);
	turn_add_news(d->turn, buf_text(&text));
}

static int listen_on(struct daemon *d, struct error *err)
{
	int r = control_listen(&d->loop, d->seat, d->turn, &d->control, err);

	if (r < 0)
		return r;
	call_itself("belfry");
	d->http = http_new(&d->loop, d->seat, d->turn);
	return 0;
}

static int open_all(struct daemon *d, const struct life *l, struct error *err)
{
	bool waits = l->service || l->again;
	int r = turn_new(&d->loop, d->seat, l->mask, on_fatal, d, &d->turn, err);

	if (r < 0)
		return r;
	tell_hang(d);
	if (l->news)
		turn_add_news(d->turn, l->news);
	/* While it waits for its store it answers, so that people hear what is wrong. */
	if ((waits && (r = listen_on(d, err)) < 0) || (r = turn_recover(d->turn, waits, err)) < 0)
		return r;
	return waits ? 0 : listen_on(d, err);
}

/* It ends because its database was replaced under it. */
static bool has_lost_store(const struct daemon *d)
{
	return d->fatal.code && d->fatal.code != ERR_CONFLICT && d->seat->db &&
	       db_has_moved(d->seat->db);
}

static void close_all(struct daemon *d)
{
	/* By its name others know whether it still has to be asked to stop (cli/holder.c). */
	call_itself(has_lost_store(d) && !halt_is_asked() ? DAEMON_STARTS : DAEMON_STOPS);
	halt_attend(false);
	if (d->turn) {
		d->missions = missions_running(turn_missions(d->turn));
		turn_close(d->turn);
	}
	if (d->control)
		control_close(d->control);
	if (d->http)
		http_close(d->http);
	uv_close((uv_handle_t *)&d->halt, NULL);
	uv_close((uv_handle_t *)&d->children, NULL);
	uv_close((uv_handle_t *)&d->grace, NULL);
	uv_close((uv_handle_t *)&d->mission_grace, NULL);
	uv_close((uv_handle_t *)&d->finish, NULL);
	uv_close((uv_handle_t *)&d->wait, NULL);
	notify_close();
	watchdog_close();
	uv_run(&d->loop, UV_RUN_DEFAULT);
	uv_loop_close(&d->loop);
	control_free(d->control);
	http_free(d->http);
	turn_free(d->turn);
}

/* What a run starts ends with it; a daemon has to stay, and to belong to nobody's work. */
static int check_place(const struct seat *seat, const struct life *l, struct error *err)
{
	struct caller_process self = {.pid = getpid(), .pidfd = -1, .home = seat->home};
	int r = seat->db ? caller_process_look(seat->db, &self, err) : 0;

	if (r < 0 || !(self.mission || self.stray || (!l->again && l->brand <= seat->brand)))
		return r;
	error_set(err, ERR_DENIED,
		  "a daemon cannot be started by a run: it would end with that run");
	return error_hint(err,
			  "start it outside of any mission; a run can use the store without one, "
			  "with BELFRY_NO_AUTOSTART=1");
}

static int serve(struct daemon *d, const struct life *l, struct error *err)
{
	int r = uv_loop_init(&d->loop);

	if (r < 0)
		return error_set_errno(err, -r, "cannot make an event loop");
	d->ready_fd = l->ready_fd;
	r = watch_signals(d, err);
	if (r < 0) {
		uv_loop_close(&d->loop);
		return r;
	}
	watchdog_adopt(&d->loop);
	notify_start(&d->loop);
	notify_wait();
	watchdog_at("starting", NULL);
	r = open_all(d, l, err);
	if (r == 0) {
		uv_prepare_start(&d->wait, on_wait);
		uv_run(&d->loop, UV_RUN_DEFAULT);
	}
	close_all(d);
	if (r == 0 && d->fatal.code) {
		*err = d->fatal;
		r = err->code;
	}
	return r;
}

static int refuse_second(const struct home *h, pid_t owner, struct error *err)
{
	error_set(err, ERR_CONFLICT, "another daemon (pid %d) already serves '%s'", (int)owner,
		  h->state_dir);
	return error_hint(err, "belfry daemon stop");
}

enum next { NEXT_NONE, NEXT_WAIT, NEXT_LIFE };

/* What became of the database is said in the log, and in the inbox of the one that is there now. False: none is. */
static bool account_for(const struct daemon *d, struct life *l)
{
	const char *account = db_account(d->seat->db);
	AUTO(free) char *before = l->news;
	bool untold = before && !d->ready;

	if (account)
		log_warning("%s", account);
	l->news = mem_printf(
		"%s%sThe %s. %s%sThe daemon goes on with the file that is there now: what "
		"was set after that one was made is not in it.",
		untold ? before : "", untold ? "\n\n" : "", d->fatal.message,
		account ? account : "", account ? " " : "");
	return seat_has_file(d->seat);
}

/* Ends with a signal, or for good reason. *ret_next: what is to follow. */
static int live(const struct home *h, struct life *l, enum next *ret_next, struct error *err)
{
	const struct seat_wish wish = {.stays = true,
				       .waits = l->service || l->again,
				       .later = l->again,
				       .take_over = l->take_over,
				       .fresh = l->fresh,
				       .switch_store = l->switch_store,
				       .config = &l->config};
	struct daemon d = {0};
	pid_t owner = 0;
	int r;

	call_itself(DAEMON_STARTS);
	watchdog_start(l->mask);
	r = seat_take(h, &wish, &d.seat, &owner, err);
	/* What is wrong with the home or its configuration, somebody has to mend; a command that has the
	 * lock is over some time. Only another daemon is a reason to end. */
	*ret_next = r < 0 && l->again && !(r == ERR_CONFLICT && address_answers(h->socket))
			    ? NEXT_WAIT
			    : NEXT_NONE;
	if (r == ERR_CONFLICT && owner)
		return refuse_second(h, owner, err);
	if (r < 0)
		return r;
	leave_folder(h);
	r = check_place(d.seat, l, err);
	if (r == 0) {
		r = serve(&d, l, err);
		l->missions = d.missions;
		if (r < 0 && has_lost_store(&d) && account_for(&d, l)) {
			*ret_next = NEXT_LIFE;
			seat_await_file(
				d.seat); /* with the lock: nobody else begins on half of it */
		}
		log_info("stopped");
	}
	config_free(l->config);
	l->config = steal_ptr(&d.seat->config);
	seat_leave(d.seat);
	return r;
}

/* Before a life that could not begin is tried again: as long as a store is waited for (rest.h), or until a signal. */
static void wait_before(struct rest *rest, const struct error *err)
{
	usec_t left;

	halt_keep();
	rest_begin(rest, err);
	watchdog_rest();
	while (!halt_is_asked() && (left = rest_left(rest)) > 0) {
		struct pollfd signals = {halt_fd(), POLLIN, 0};

		notify_alive();
		poll(&signals, 1, (int)(left / USEC_PER_MSEC) + 1);
	}
}

/*
 * A stop that came while no loop listened, or to a life that left for the next one. There is no store to end
 * missions by: they are the next start's, as after a crash.
 */
static int end_between_lives(const struct life *l, struct error *err)
{
	int number = halt_take();

	call_itself(DAEMON_STOPS);
	if (number)
		log_info("signal %d: stopping", number);
	if (l->missions)
		log_info("%zu missions go on; the next start takes them over", l->missions);
	if (number)
		log_info("stopped"); /* else the life that took it has said so */
	*err = (struct error){0};
	return 0;
}

/*
 * A database that was replaced under us, as by a backup that is put back, is another past: everything
 * we know is of the one before. So the daemon begins anew, in the same process.
 */
int daemon_run(const struct home *h, const struct daemon_wish *wish, struct error *err)
{
	int64_t brand = brand_of_self(); /* before it wears its own */
	struct life l = {.brand = brand,
			 .mask = settle(),
			 .ready_fd = wish->ready_fd,
			 .service = getenv("NOTIFY_SOCKET") != NULL,
			 .again = getenv("BELFRY_HUNG") != NULL,
			 .take_over = wish->take_over,
			 .fresh = wish->fresh,
			 .switch_store = wish->switch_store};
	struct rest rest = {0};
	enum next next;
	int r = files_check(err);

	if (r < 0)
		return r;
	log_follow(h->log_file);
	served = h;
	db_on_wait(on_store_waits);
	while ((r = live(h, &l, &next, err)) < 0 && next != NEXT_NONE) {
		if (next == NEXT_WAIT)
			wait_before(&rest, err);
		if (halt_is_asked()) {
			r = end_between_lives(&l, err);
			break;
		}
		if (next == NEXT_LIFE) {
			log_warning("begins again, on the database that is there now");
			rest = (struct rest){0};
		}
		l.again = true;
		l.take_over = l.fresh = l.switch_store = false;
		l.ready_fd = -1;
	}
	config_free(l.config);
	log_follow(NULL);
	db_on_wait(NULL);
	free(l.news);
	return r;
}
