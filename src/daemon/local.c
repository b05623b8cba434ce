/*
 * local.c: the turn of a command that runs alone.
 * No loop, no inputs, no fires: begin, the request, commit. Leaving fires and half-way work to a
 * daemon keeps one promise simple: only a process that stays may start something.
 */
#include "daemon/local.h"

#include <pwd.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "daemon/seat.h"
#include "engine/seed.h"
#include "request/caller.h"
#include "request/session.h"

struct local {
	struct seat *seat;
	char *user;
	bool commit_failed;	    /* of the last transaction: it may be durable, or not */
	struct caller_process self; /* a command may be a run's */
};

static char *own_user(void)
{
	const struct passwd *pw = getpwuid(geteuid());

	return pw ? mem_strdup(pw->pw_name) : mem_printf("%u", geteuid());
}

int local_open(const struct home *h, struct local **ret, struct error *err)
{
	struct seat *seat = NULL;
	pid_t owner = 0;
	int r = seat_take(h, &(struct seat_wish){0}, &seat, &owner, err);

	if (r == ERR_CONFLICT && owner) {
		error_set(err, ERR_CONFLICT, "process %d is using '%s'", (int)owner, h->state_dir);
		return error_hint(err, "try again when it is done");
	}
	if (r < 0)
		return r;
	*ret = mem_zalloc(sizeof(**ret));
	(*ret)->seat = seat;
	(*ret)->user = own_user();
	(*ret)->self = (struct caller_process){
		.pid = getpid(), .pidfd = -1, .home = h, .brand = seat->brand};
	return 0;
}

void local_close(struct local *l)
{
	if (!l)
		return;
	seat_leave(l->seat);
	free(l->user);
	free(l);
}

/* Runs between begin and commit; 1 when it wants to be run again. */
typedef int local_step(struct local *l, void *data, struct error *err);

static int transact(struct local *l, local_step *step, void *data, struct error *err)
{
	struct db *db = l->seat->db;
	int more = 0, r = db_begin(db, err);

	l->commit_failed = false;
	if (r < 0)
		return r;
	store_mark_begin(l->seat->mark);
	more = step(l, data, err);
	if (more >= 0 && (r = store_mark_count(l->seat->mark, false, err)) < 0)
		more = r;
	if (more < 0)
		db_rollback(db);
	else if ((r = db_commit(db, err)) == 0)
		store_mark_commit(l->seat->mark, clock_now());
	l->commit_failed = more >= 0 && r < 0 && !db_commit_is_undone(db);
	engine_drop_jobs(l->seat->engine);
	return r < 0 ? r : more;
}

struct question {
	struct local_question asked;
	json_t *answer;
	bool earlier;
};

static int ask_step(struct local *l, void *data, struct error *err)
{
	struct question *q = data;
	AUTO(json_decref) json_t *keep = NULL;
	struct request rq = {
		.engine = l->seat->engine,
		.now = clock_now(),
		.home = l->seat->home->state_dir,
		.store = l->seat->url,
		.caller = {.login = l->user, .process = &l->self},
		.zone = q->asked.zone,
	};
	int r = engine_bind(l->seat->engine, err);

	if (r == 0)
		r = caller_resolve(rq.engine, q->asked.claim, rq.now, &keep, &rq.caller, err);
	if (r >= 0)
		r = session_restrict(rq.engine, &rq.caller, err);
	return r < 0 ? r
		     : request_run_once(q->asked.row, &rq, q->asked.id, q->asked.args, &q->answer,
					&q->earlier, err);
}

static int maintain_step(struct local *l, void *data, struct error *err)
{
	(void)data;
	return engine_maintain(l->seat->engine, clock_now(), err);
}

/* What became of a commit that failed is seen by who looks again, for one that is to be done once. */
static int look_again(struct local *l, struct question *q, int r, struct error *err)
{
	struct error later = {0};

	if (!l->commit_failed || !q->asked.id || seat_open_store(l->seat, &later) < 0)
		return r;
	json_decref(q->answer);
	q->answer = NULL;
	return transact(l, ask_step, q, err);
}

int local_ask(struct local *l, const struct local_question *asked, json_t **ret, bool *ret_earlier,
	      struct error *err)
{
	AUTO(json_decref) json_t *none = asked->args ? NULL : json_object();
	struct question q = {.asked = *asked};
	int r;

	if (none)
		q.asked.args = none;
	r = look_again(l, &q, transact(l, ask_step, &q, err), err);
	if (r < 0 && l->commit_failed)
		error_prefix(err, "whether this was done is not known");
	if (r == 0 && strcmp(asked->row->name, "import commit") == 0)
		while ((r = transact(l, maintain_step, NULL, err)) > 0)
			;
	if (r < 0) {
		json_decref(q.answer);
		return r;
	}
	*ret = q.answer;
	*ret_earlier = q.earlier;
	return 0;
}
