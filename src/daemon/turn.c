/*
 * turn.c: the one thing the daemon does.
 *
 *	gather    callbacks put requests and ended jobs into lists; a timer only wakes
 *	decide    in one transaction: what is due, the ends, the requests, what to offer
 *	commit    once, so that a hundred requests or a thousand fires share one fsync
 *	act       reply, start jobs, set the timer: only what is already durable
 *
 * A turn runs after the loop has polled, so whatever was readable together is decided together.
 * A crash before the commit changed nothing; one after it is repaired by engine_recover().
 *
 * When the store fails, the turn is rolled back: jobs are dropped, for they were only wishes; ended
 * jobs stay in their list; and the engine rests (rest.h). While it rests, requests are still tried,
 * since they are how a person finds out what is wrong; one that is served wakes the engine. A
 * connection that is cut is replaced, and the engine on it, which looks at everything anew. After a
 * failed commit, which may have been durable after all, the engine recovers, but only once no child
 * runs: recovering starts again what is half-way, and what has a child is not. Wrappers of missions are not waited for: recovering asks about each, and those that
 * run are known; those at a gate are dropped, for they have done nothing.
 *
 * While the daemon stops, turns only take in what ends and answer what was asked: nothing new fires
 * or starts.
 */
#include "daemon/turn.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "daemon/absence.h"
#include "daemon/config-watch.h"
#include "daemon/live.h"
#include "daemon/notices.h"
#include "daemon/rest.h"
#include "daemon/store-mark.h"
#include "daemon/timer.h"
#include "daemon/watchdog.h"
#include "engine/inbox.h"
#include "schedule/instant.h"
#include "store/kv.h"
#include "store/store.h"

#define QUIET (200 * USEC_PER_MSEC)
#define WAKE_AT_LEAST (60 * USEC_PER_SEC)
#define WAKE_STEP (5 * USEC_PER_SEC) /* so that the alarm is the same for many turns */
#define OWN_COMMAND_LIMIT (30 * USEC_PER_SEC)

struct turn {
	struct seat *seat;
	struct nursery *nursery;
	struct supervise *supervise;
	struct missions *missions;
	struct lives *lives;
	turn_on_fatal *on_fatal;
	void *data;
	usec_t started_at; /* by clock_monotonic() */
	usec_t acted_at;   /* the turn before this one; likewise */
	struct timer timer;
	struct config_watch *config_watch;
	struct notices *notices; /* of other writers */
	uv_check_t check;	 /* runs the turn, after the poll */
	uv_idle_t idle;		 /* active while a turn is wanted: keeps the poll from sleeping */
	struct ask *asks, **asks_end;
	struct child_end *ends, **ends_end;
	char *news; /* for the inbox, until it is committed */
	bool wanted, closed, stopping;
	bool must_recover;
	struct rest rest; /* while the store fails */
	struct absence absence;
	usec_t settles_in; /* a file of the configuration is away, perhaps for a moment only; 0: none */
};

/* What one turn knows and finds out. */
struct plan {
	usec_t now;
	bool rested;	    /* the engine takes part, not only requests */
	bool recovers;	    /* a turn of its own: the inputs wait for the next */
	bool more;	    /* another turn is to follow at once */
	bool no_store;	    /* it cannot be opened, or not even begun on */
	bool commit_failed; /* what was decided may or may not be durable */
	bool blamed;	    /* one request failed so badly that the others go again without it */
	usec_t wake;
};

static void on_idle(uv_idle_t *idle)
{
	(void)idle;
}

static void want(struct turn *t)
{
	if (t->closed)
		return;
	t->wanted = true;
	uv_idle_start(&t->idle, on_idle);
}

/* --- decide ------------------------------------------------------------------------------- */

static int open_store(struct turn *t, struct error *err)
{
	const char *account = t->seat->db ? db_account(t->seat->db) : NULL;

	if (account) {
		log_warning("%s", account);
		turn_add_news(t, account);
	}
	notices_leave(t->notices);
	return seat_open_store(t->seat, err);
}

static int have_store(struct turn *t, const struct plan *p, struct error *err)
{
	bool first = t->must_recover && !t->rest.failures;
	usec_t since = clock_monotonic();
	int r;

	if (t->seat->db)
		return 0;
	/* Whoever asks is told how it is now, not how it was when the pause began. */
	if (!p->rested && !(t->asks && rest_may_try(&t->rest))) {
		*err = t->rest.error;
		return err->code;
	}
	watchdog_at("opening the store", NULL);
	r = open_store(t, err);
	if (r < 0)
		rest_tried(&t->rest, since);
	if (r < 0 && !p->rested)
		rest_note(&t->rest, err);
	if (r == 0 && !first)
		log_info("the store is open again");
	return r;
}

static int take_ends(struct turn *t, const struct plan *p, struct error *err)
{
	for (const struct child_end *e = t->ends; e; e = e->next) {
		int r = engine_job_ended(t->seat->engine, p->now, &e->end, err);

		if (r < 0)
			return r;
	}
	return 0;
}

static bool store_failed(int code)
{
	return code == ERR_UNAVAILABLE || code == ERR_SYSTEM;
}

/*
 * A request that failed is undone alone. When that is not possible, or the store failed while it
 * read, the transaction is lost with it: its answer stands, and the others go again without it.
 */
static int serve_one(struct turn *t, const struct request *rq, struct ask *ask, struct error *err)
{
	struct db *db = t->seat->db;
	bool writes = ask->row->flags & REQUEST_WRITES;
	size_t jobs = engine_job_count(t->seat->engine);
	usec_t began = clock_monotonic();
	int r;

	watchdog_at("request", ask->row->name);
	if (writes && (r = db_savepoint(db, err)) < 0)
		return r;
	r = ask_run(ask, rq);
	absence_note_request(&t->absence, ask->row->name, clock_monotonic() - began);
	/* PostgreSQL may say only now that one of its statements failed. */
	if (r == 0 && writes && (r = db_release(db, err)) < 0) {
		ask_fail(ask, err);
		engine_undo_jobs(t->seat->engine, jobs);
	}
	if (r == 0)
		return 0;
	if (writes ? db_rollback_to(db, err) == 0 : !store_failed(r))
		return 0;
	ask->decided = true;
	return r;
}

static int serve(struct turn *t, struct plan *p, struct error *err)
{
	const struct request rq = {
		.engine = t->seat->engine,
		.now = p->now,
		.scheduler_running = true,
		.home = t->seat->home->state_dir,
		.config_error = t->seat->config_error,
		.store = t->seat->url,
		.other_store = t->seat->other_url,
		.http = t->seat->http,
		.http_error = t->seat->http_error,
		.uptime = clock_monotonic() - t->started_at,
		.missions = missions_running(t->missions),
		/* The first failure is tried again at once: it may have been a cut connection. */
		.trouble = t->rest.failures > 1 ? t->rest.error.message : NULL,
		.trouble_hint = t->rest.error.hint,
		.trouble_since = t->rest.since,
	};

	for (struct ask *ask = t->asks; ask; ask = ask->next) {
		int r = ask->decided ? 0 : serve_one(t, &rq, ask, err);

		p->blamed = r < 0 && ask->decided;
		if (r < 0)
			return r;
	}
	return 0;
}

static int begin_engine(struct turn *t, struct plan *p, struct error *err)
{
	struct engine *e = t->seat->engine;
	int r;

	/* First who ended: whether the next may run depends on it. */
	watchdog_at("taking what ended", NULL);
	r = missions_decide(t->missions, e, p->now, err);
	if (r == 0)
		r = lives_decide(t->lives, e, p->now, err);
	engine_set_counter(e, clock_monotonic());
	engine_set_absence(e, absence_look(&t->absence, &t->rest, t->seat->home));
	watchdog_at("firing", NULL);
	if (r == 0 && t->news)
		r = engine_tell(e, t->news, p->now, err);
	if (r == 0 && !t->stopping)
		r = engine_fire_due(e, p->now, err);
	if (r < 0)
		return r;
	p->more = r > 0;
	return take_ends(t, p, err);
}

static int end_engine(struct turn *t, struct plan *p, struct error *err)
{
	struct engine *e = t->seat->engine;
	int r;

	if (t->stopping)
		return 0;
	watchdog_at("dispatching", NULL);
	r = engine_dispatch(e, p->now, err);
	if (r < 0)
		return r;
	r = engine_maintain(e, p->now, err);
	if (r < 0)
		return r;
	p->more |= r > 0;
	return engine_next_wake(e, p->now, &p->wake, err);
}

static int decide(struct turn *t, struct plan *p, struct error *err)
{
	int r = 0;

	if (p->rested)
		r = begin_engine(t, p, err);
	if (r == 0)
		r = serve(t, p, err);
	if (r == 0 && p->rested)
		r = end_engine(t, p, err);
	return r;
}

/* In the same transaction: there is no moment in which what another home runs would count as ours. */
static int settle_home(struct turn *t, const struct plan *p, struct error *err)
{
	AUTO(free) char *before = NULL;
	AUTO(free) char *name = NULL;
	int r = store_settle(t->seat->db, t->seat->self, &before, err);

	if (r < 0 || !(before || t->seat->origin))
		return r;
	name = before ? seat_name_home(before) : mem_printf("home '%s'", t->seat->origin);
	log_warning("takes the store over from %s", name);
	return engine_take_over(t->seat->engine, name, p->now, err);
}

/* Before anything else: what was due by then may have fired. */
static int settle_older(struct turn *t, const struct plan *p, struct error *err)
{
	struct seat *s = t->seat;
	usec_t upto;
	int r;

	if (!store_mark_is_older(s->mark, &upto))
		return 0;
	r = engine_put_back(s->engine, upto, store_mark_unknown_missions(s->mark), p->now, err);
	return r < 0 ? r : store_mark_settle(s->mark, err);
}

static int recover(struct turn *t, struct plan *p, struct error *err)
{
	int r;

	watchdog_at("recovering", NULL);
	p->more = true;
	missions_drop_gated(t->missions);
	lives_forget(t->lives);
	r = settle_home(t, p, err);
	if (r == 0)
		r = settle_older(t, p, err);
	return r < 0 ? r : engine_recover(t->seat->engine, p->now, err);
}

/* --- commit ------------------------------------------------------------------------------- */

/* Only on a store that has no child of ours: recovering starts again whatever is half-way. */
static bool may_recover(const struct turn *t, const struct plan *p)
{
	return t->must_recover && p->rested && !t->stopping && !t->ends &&
	       supervise_count(t->supervise) == 0;
}

/*
 * After a failure a turn that has nothing to write would commit whatever the store is like, so it
 * writes something.
 */
static int prove_writable(struct turn *t, const struct plan *p, struct error *err)
{
	char at[32];

	if (!t->rest.failures || !p->rested)
		return 0;
	snprintf(at, sizeof(at), "%" PRId64, p->now);
	return kv_set(t->seat->db, "store.proved", at, err);
}

static void forget_ends(struct turn *t)
{
	struct child_end *e;

	while ((e = t->ends)) {
		t->ends = e->next;
		child_end_free(e);
	}
	t->ends_end = &t->ends;
}

/* A store that went back in time under us: what ends here is of another past, and nothing fires before that is put
 * right, which waits for the last of our children. */
static void wait_if_older(struct turn *t, struct plan *p)
{
	usec_t upto;

	if (!store_mark_is_older(t->seat->mark, &upto))
		return;
	t->must_recover = true;
	forget_ends(t);
	p->rested &= supervise_count(t->supervise) == 0 && !t->stopping;
}

static bool asks_to_write(const struct turn *t)
{
	for (const struct ask *ask = t->asks; ask; ask = ask->next)
		if (ask->row &&
		    ask->row->flags & REQUEST_WRITES) /* a line that is no request has none */
			return true;
	return false;
}

static int transact(struct turn *t, struct plan *p, struct error *err)
{
	int r = have_store(t, p, err);

	wait_if_older(t, p);
	p->recovers = may_recover(t, p);
	if (r == 0)
		r = db_begin(t->seat->db, err);
	p->no_store = r < 0;
	if (r < 0)
		return r;
	store_mark_begin(t->seat->mark);
	r = p->recovers ? recover(t, p, err) : decide(t, p, err);
	if (r == 0)
		r = prove_writable(t, p, err);
	if (r == 0)
		r = store_mark_count(t->seat->mark, !asks_to_write(t), err);
	if (r < 0) {
		db_rollback(t->seat->db);
		return r;
	}
	watchdog_at("committing", NULL);
	r = db_commit(t->seat->db, err);
	p->commit_failed = r < 0 && !db_commit_is_undone(t->seat->db);
	if (r == 0)
		store_mark_commit(t->seat->mark, p->now);
	if (r == 0 && p->recovers) {
		t->must_recover = t->seat->take_over = false;
		mem_replace(&t->seat->origin, NULL);
	}
	return r;
}

/* --- act ---------------------------------------------------------------------------------- */

/* Whoever is connected by a token that was taken back is so no longer. */
static void follow_tokens(const struct seat *s, const struct ask *ask)
{
	if (s->on_token_gone && ask->result && strcmp(ask->row->name, "token rm") == 0)
		s->on_token_gone(s->on_config_data,
				 json_string_value(json_object_get(ask->result, "id")));
}

static void finish_asks(struct turn *t)
{
	struct ask *ask = t->asks;

	/* Callbacks may add asks; those are for the next turn. */
	t->asks = NULL;
	t->asks_end = &t->asks;
	while (ask) {
		struct ask *next = ask->next;

		follow_tokens(t->seat, ask);
		if (ask->on_done)
			ask->on_done(ask);
		else if (!ask->result)
			log_error("%s", ask->err.message);
		ask_free(ask);
		ask = next;
	}
}

/* The program's own commands: the engine knows what is to be done, not who we are. */
static void name_command(struct job *job)
{
	const char *verb = job->kind == JOB_SWEEP ? "sweep" : "remove";

	job->argv = mem_array(5, sizeof(*job->argv));
	job->argv[0] = mem_strdup("/proc/self/exe");
	job->argv[1] = mem_strdup("wrapper");
	job->argv[2] = mem_strdup(verb);
	job->argv[3] = mem_strdup(job->run);
	job->directory = mem_strdup("/");
	job->time_limit = OWN_COMMAND_LIMIT;
}

static void start_job(struct turn *t, struct job *job)
{
	switch (job->kind) {
	case JOB_START:
	case JOB_ADOPT:
	case JOB_STOP:
		missions_carry_out(t->missions, job);
		return;
	case JOB_OPEN:
	case JOB_WATCH:
	case JOB_TYPE:
	case JOB_YIELD:
	case JOB_CLOSE:
		lives_carry_out(t->lives, job);
		return;
	case JOB_SWEEP:
	case JOB_REMOVE:
	case JOB_REMOVE_THREAD:
		name_command(job);
		break;
	case JOB_CHECK:
	case JOB_DELIVER:
		break;
	}
	supervise_start(t->supervise, job);
}

static void start_jobs(struct turn *t)
{
	struct job *job;

	while ((job = engine_take_job(t->seat->engine)))
		start_job(t, job);
}

static void set_timer(struct turn *t, usec_t now, usec_t wake)
{
	usec_t at = now + WAKE_AT_LEAST - floor_mod(now, WAKE_STEP);

	if (t->rest.failures)
		at = now + rest_left(&t->rest);
	else if (wake != USEC_NONE && wake < at)
		at = wake;
	if (t->settles_in && now + t->settles_in < at)
		at = now + t->settles_in;
	timer_arm(&t->timer, at);
}

/* Nobody asks just now, and nothing is due before a tidy store is. */
static bool is_quiet(const struct turn *t, const struct plan *p)
{
	return !p->more && !t->asks && clock_monotonic() - t->acted_at > QUIET &&
	       (p->wake == USEC_NONE || p->wake - clock_now() > QUIET);
}

/* What can wait until nobody waits: the store's upkeep, and memory that this turn needed and the next may not. */
static void tidy(struct turn *t, const struct plan *p)
{
	bool quiet = is_quiet(t, p);

	db_tidy(t->seat->db, quiet);
	if (quiet)
		mem_settle();
	t->acted_at = clock_monotonic();
}

static void act(struct turn *t, const struct plan *p)
{
	bool asked = t->asks != NULL;

	watchdog_at("acting", NULL);
	if (!p->rested && asked) {
		rest_hurry(&t->rest);
		want(t);
	}
	if (p->rested && !p->recovers && !p->more)
		absence_end(&t->absence, t->seat->home);
	if (p->rested && !p->recovers) {
		rest_end(&t->rest);
		forget_ends(t);
		free(t->news);
		t->news = NULL;
		missions_committed(t->missions);
		lives_committed(t->lives);
	}
	if (!p->recovers)
		finish_asks(t);
	start_jobs(t);
	notices_follow(t->notices, t->seat->db);
	set_timer(t, p->now, p->wake);
	if (p->more)
		want(t);
	tidy(t, p);
}

/* --- when it fails ------------------------------------------------------------------------ */

/* `again`: this is not the last word on what was asked, and whoever asked may ask again (ask.h). */
static void answer_with(struct turn *t, const struct error *err, bool again)
{
	for (struct ask *ask = t->asks; ask; ask = ask->next)
		if (!ask->decided) {
			ask_fail(ask, err);
			ask->again = again;
			ask->away_since = t->rest.failures ? t->rest.since : 0;
		}
	finish_asks(t);
}

/* Not our database any more, or a file that is damaged: waiting would not mend it. */
static bool is_ruined(const struct turn *t, const struct error *err)
{
	bool is_file = strncmp(t->seat->url, "sqlite:", strlen("sqlite:")) == 0;

	return err->code == ERR_INVALID || (is_file && err->code == ERR_SYSTEM);
}

/*
 * Whether the connection is of no more use. PostgreSQL's may be noticed only when it is used; a
 * file on which something began is kept: on a full disk it can still be read, and closing it would
 * need room. One that another program has locked is as good as ever, and would only be opened again after the lock.
 */
static bool is_cut(const struct turn *t, const struct plan *p, const struct error *err)
{
	return t->seat->db && !db_is_exposed(t->seat->db) && err->os_errno != EBUSY &&
	       (p->no_store ||
		(db_kind(t->seat->db) == DB_POSTGRES && err->code == ERR_UNAVAILABLE));
}

static void give_up(struct turn *t, const struct error *err)
{
	t->on_fatal(err, t->data);
	answer_with(t, err, false);
}

static void fail(struct turn *t, const struct plan *p, const struct error *err)
{
	struct error again = *err;

	if (t->seat->engine)
		engine_drop_jobs(t->seat->engine);
	if (p->blamed) {
		want(t);
		return;
	}
	if (p->rested) {
		/* It may have waited long before it failed. */
		if (!t->rest.since)
			t->rest.since = p->now;
		rest_begin(&t->rest, err);
		absence_note_away(&t->absence, &t->rest, t->seat->home);
	}
	/* What that commit wished for may be durable and has no child: recovering finds it. */
	t->must_recover |= p->commit_failed;
	if (t->seat->db && db_has_moved(t->seat->db)) {
		give_up(t, err);
		return;
	}
	if (is_cut(t, p, err) && open_store(t, &again) < 0)
		rest_note(&t->rest, &again);
	if ((p->no_store || !t->seat->db) && is_ruined(t, &again)) {
		give_up(t, &again);
		return;
	}
	/* Nothing was decided, and there is a store: the requests may still be served. */
	if (p->rested && !p->commit_failed && t->seat->db)
		want(t);
	else
		answer_with(t, err, p->commit_failed);
	set_timer(t, p->now, USEC_NONE);
}

/* --- the turn ----------------------------------------------------------------------------- */

static struct plan new_plan(const struct turn *t)
{
	return (struct plan){
		.now = clock_now(),
		.rested = rest_is_over(&t->rest),
		.wake = USEC_NONE,
	};
}

/* Somebody who says "apply" means the files as they are. */
static bool is_apply(const struct ask *ask)
{
	return ask->row && strcmp(ask->row->name, "apply") == 0 &&
	       !json_is_true(json_object_get(ask->args, "dry_run"));
}

static bool wants_files(const struct turn *t)
{
	for (const struct ask *ask = t->asks; ask; ask = ask->next)
		if (is_apply(ask))
			return true;
	return false;
}

static void on_polled(uv_check_t *check)
{
	struct turn *t = check->data;
	struct error err = {0};
	struct plan p;

	if (!t->wanted)
		return;
	t->wanted = false;
	uv_idle_stop(&t->idle);
	if (seat_check_lock(t->seat, &err) < 0) {
		give_up(t, &err);
		return;
	}
	watchdog_at("beginning a turn", NULL);
	t->settles_in = seat_follow_config(t->seat, wants_files(t));
	p = new_plan(t);
	if (transact(t, &p, &err) == 0)
		act(t, &p);
	else
		fail(t, &p, &err);
}

static void on_wake(void *data)
{
	want(data);
}

static void on_child_end(struct child_end *end, void *data)
{
	turn_add_end(data, end);
}

int turn_new(uv_loop_t *loop, struct seat *seat, mode_t mask, turn_on_fatal *on_fatal, void *data,
	     struct turn **ret, struct error *err)
{
	struct turn *t = mem_zalloc(sizeof(*t));

	if (timer_init(&t->timer, loop, on_wake, t, err) < 0) {
		free(t);
		return err->code;
	}
	t->seat = seat;
	t->on_fatal = on_fatal;
	t->data = data;
	t->started_at = clock_monotonic();
	t->asks_end = &t->asks;
	t->ends_end = &t->ends;
	t->must_recover = true;
	t->rest.since = watchdog_store_since();
	t->nursery = nursery_new(loop, seat->home->state_dir, mask);
	t->supervise = supervise_new(loop, seat->home->state_dir, t->nursery, on_child_end, t);
	t->config_watch = config_watch_new(loop, seat->home, on_wake, t);
	t->notices = notices_new(loop, on_wake, t);
	t->missions = missions_new(loop, seat->home->state_dir, t->nursery, on_wake, t);
	t->lives = lives_new(loop, seat->home, mask, on_wake, t);
	uv_idle_init(loop, &t->idle);
	uv_check_init(loop, &t->check);
	t->check.data = t;
	uv_check_start(&t->check, on_polled);
	*ret = t;
	return 0;
}

void turn_close(struct turn *t)
{
	struct error err = {0};

	t->closed = true;
	absence_stop(&t->absence, &t->rest, t->seat->home);
	error_set(&err, ERR_UNAVAILABLE, "the daemon is stopping");
	answer_with(t, &err, true);
	timer_close(&t->timer);
	config_watch_close(t->config_watch);
	notices_close(t->notices);
	supervise_close(t->supervise);
	missions_close(t->missions);
	nursery_close(t->nursery);
	lives_close(t->lives);
	uv_close((uv_handle_t *)&t->idle, NULL);
	uv_close((uv_handle_t *)&t->check, NULL);
}

void turn_free(struct turn *t)
{
	forget_ends(t);
	while (t->asks) {
		struct ask *next = t->asks->next;

		ask_free(t->asks);
		t->asks = next;
	}
	supervise_free(t->supervise);
	missions_free(t->missions);
	nursery_free(t->nursery);
	lives_free(t->lives);
	notices_free(t->notices);
	free(t->news);
	free(t);
}

int turn_recover(struct turn *t, bool waits, struct error *err)
{
	struct plan p = new_plan(t);
	int r = transact(t, &p, err);

	if (r == 0)
		act(t, &p);
	else if (waits)
		fail(t, &p, err);
	return waits ? 0 : r;
}

bool turn_has_recovered(const struct turn *t)
{
	return !t->must_recover && t->seat->db;
}

void turn_add_ask(struct turn *t, struct ask *ask)
{
	ask->next = NULL;
	*t->asks_end = ask;
	t->asks_end = &ask->next;
	want(t);
}

void turn_add_end(struct turn *t, struct child_end *end)
{
	end->next = NULL;
	*t->ends_end = end;
	t->ends_end = &end->next;
	want(t);
}

void turn_add_news(struct turn *t, const char *text)
{
	char *all = t->news ? mem_printf("%s\n\n%s", t->news, text) : mem_strdup(text);

	free(t->news);
	t->news = all;
	want(t);
}

void turn_stop(struct turn *t, bool leave_missions)
{
	t->stopping = true;
	supervise_drain(t->supervise);
	missions_stop(t->missions, leave_missions);
}

bool turn_is_wanted(const struct turn *t)
{
	return t->wanted;
}

int64_t turn_brand(const struct turn *t)
{
	return t->seat->brand;
}

const struct home *turn_home(const struct turn *t)
{
	return t->seat->home;
}

struct supervise *turn_supervise(struct turn *t)
{
	return t->supervise;
}

struct missions *turn_missions(struct turn *t)
{
	return t->missions;
}
