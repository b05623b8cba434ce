/* test-store-boundary.c: the contracts of agent-session.h and boundary.h, and what hooks ask of the queue. Each
 * row is one test on every database. */
#include "store-fixture.h"

#include "store/agent-session.h"
#include "store/boundary.h"
#include "store/mission.h"
#include "store/upcoming.h"

static struct agent_session session_sample(const char *id, usec_t seen)
{
	return (struct agent_session){.id = (char *)(uintptr_t)id,
				      .owner = (char *)"me",
				      .pid = 7,
				      .pid_start = 70,
				      .boot = (char *)"boot",
				      .created_at = 3,
				      .seen_at = seen,
				      .ended_at = USEC_NONE};
}

static int64_t add_mission(struct db *db)
{
	struct mission m = {.agent = (char *)"ada",
			    .prompt = (char *)"work",
			    .phase = PHASE_ENDED,
			    .max_attempts = 1,
			    .wait_until = USEC_NONE,
			    .started_at = USEC_NONE,
			    .ended_at = 1,
			    .archived_at = USEC_NONE};
	struct error err = {0};

	ok(mission_insert(db, &m, &err));
	return m.key;
}

static void test_session(struct db *db)
{
	AUTO(agent_session_free) struct agent_session *b = NULL, *later = NULL, *none = NULL;
	struct agent_session s = session_sample("one", 5), *a = &s;
	struct error err = {0};

	s.agent = (char *)"ada", s.mission = add_mission(db), s.directory = (char *)"/src";
	s.transcript = (char *)"/t.jsonl", s.calls = 4, s.heard = (char *)"mark@1";
	ok(agent_session_put(db, &s, &err));
	ok(agent_session_find(db, "one", "me", &b, &err));
	SAME(mission), SAME(pid), SAME(pid_start), SAME(calls), SAME(created_at), SAME(seen_at);
	SAME(ended_at);
	SAME_TEXT(id);
	SAME_TEXT(owner);
	SAME_TEXT(agent);
	SAME_TEXT(directory);
	SAME_TEXT(transcript);
	SAME_TEXT(boot);
	SAME_TEXT(heard);
	s.heard = NULL;
	s.agent = s.directory = s.transcript = s.boot = NULL, s.calls = 5, s.ended_at = 9;
	s.created_at = 99; /* stays as it was */
	ok(agent_session_put(db, &s, &err));
	ok(mission_delete(db, s.mission, &err));
	ok(agent_session_find(db, "one", "me", &later, &err));
	assert_null(later->agent);
	assert_null(later->boot);
	assert_null(later->heard);
	assert_int_equal(later->calls, 5);
	assert_int_equal(later->ended_at, 9);
	assert_int_equal(later->created_at, 3);
	assert_int_equal(later->mission, 0);
	ok(agent_session_find(db, "on", "me", &none, &err));
	assert_null(none);
}

/* The same name said by another user is another session. */
static void test_session_of_two(struct db *db)
{
	AUTO(agent_session_free) struct agent_session *mine = NULL, *his = NULL, *last = NULL;
	struct agent_session a = session_sample("one", 5), b = session_sample("one", 6);
	struct error err = {0};

	a.calls = 4, b.calls = 1, b.owner = (char *)"ian";
	ok(agent_session_put(db, &a, &err));
	ok(agent_session_put(db, &b, &err));
	ok(agent_session_find(db, "one", "me", &mine, &err));
	ok(agent_session_find(db, "one", "ian", &his, &err));
	ok(agent_session_find(db, "one", NULL, &last, &err));
	assert_int_equal(mine->calls, 4);
	assert_int_equal(his->calls, 1);
	assert_string_equal(last->owner, "ian");
	agent_session_free(steal_ptr(&last));
	ok(agent_session_of_process(db, 7, 70, "boot", "me", &last, &err));
	assert_int_equal(last->calls, 4);
}

static void assert_process(struct db *db, int64_t pid, int64_t start, const char *boot,
			   const char *want)
{
	AUTO(agent_session_free) struct agent_session *s = NULL;
	struct error err = {0};

	ok(agent_session_of_process(db, pid, start, boot, "me", &s, &err));
	assert_int_equal(s != NULL, want != NULL);
	if (s)
		assert_string_equal(s->id, want);
}

static void test_process(struct db *db)
{
	struct agent_session older = session_sample("older", 5), newer = session_sample("newer", 6),
			     other = session_sample("other", 7), nobody = session_sample("no", 8);
	struct error err = {0};

	other.pid_start = 71, nobody.pid = 0, nobody.pid_start = 0;
	ok(agent_session_put(db, &older, &err));
	ok(agent_session_put(db, &newer, &err));
	ok(agent_session_put(db, &other, &err));
	ok(agent_session_put(db, &nobody, &err));
	assert_process(db, 7, 70, "boot", "newer");
	assert_process(db, 7, 71, "boot", "other");
	assert_process(db, 7, 70, "another", NULL);
	assert_process(db, 7, 72, "boot", NULL);
	assert_process(db, 0, 0, "boot", NULL);
	older.seen_at = 9;
	ok(agent_session_put(db, &older, &err));
	assert_process(db, 7, 70, "boot", "older");
}

static struct boundary_row boundary_sample(const char *session, usec_t due)
{
	return (struct boundary_row){.session = (char *)(uintptr_t)session,
				     .owner = (char *)"me",
				     .due_call = due == USEC_NONE ? 3 : -1,
				     .due_at = due,
				     .created_at = 4,
				     .updated_at = 4,
				     .offered_at = USEC_NONE,
				     .ended_at = USEC_NONE};
}

static void test_boundary(struct db *db)
{
	AUTO_BOUNDARIES struct boundary_row_list list = {0}, later = {0}, none = {0};
	struct boundary_row one = boundary_sample("s", USEC_NONE), two = boundary_sample("s", 50),
			    *a = &one, *b;
	struct error err = {0};

	one.message = (char *)"plan", one.lessons = (char *)"[\"a\"]", one.step = (char *)"w/s";
	one.note = (char *)"n", one.host = (char *)"ada", one.set_call = 1;
	ok(boundary_insert(db, &one, &err));
	ok(boundary_insert(db, &two, &err));
	assert_int_equal(strncmp(one.id, "b-", 2), 0);
	assert_int_equal(strlen(one.id), 10);
	ok(boundary_pending(db, "s", &list, &err));
	assert_int_equal(list.count, 2);
	b = list.items[0];
	SAME(key), SAME(set_call), SAME(due_call), SAME(due_at), SAME(state), SAME(printed);
	SAME(queue), SAME(created_at), SAME(updated_at), SAME(offered_at), SAME(ended_at);
	assert_string_equal(a->id, b->id);
	SAME_TEXT(session);
	SAME_TEXT(owner);
	SAME_TEXT(host);
	SAME_TEXT(message);
	SAME_TEXT(lessons);
	SAME_TEXT(step);
	SAME_TEXT(note);
	assert_int_equal(list.items[1]->due_call, -1);
	assert_int_equal(list.items[1]->due_at, 50);
	one.state = BOUNDARY_OFFERED, one.printed = true, one.offered_at = 8, one.host = NULL;
	two.state = BOUNDARY_CLEARED, two.ended_at = 9, two.queue = 12;
	ok(boundary_update(db, &one, &err));
	ok(boundary_update(db, &two, &err));
	ok(boundary_pending(db, "s", &later, &err));
	assert_int_equal(later.count, 1);
	b = later.items[0];
	SAME(state), SAME(printed), SAME(offered_at);
	assert_null(b->host);
	ok(boundary_pending(db, "t", &none, &err));
	assert_int_equal(none.count, 0);
}

static void test_pending_of(struct db *db)
{
	AUTO_BOUNDARIES struct boundary_row_list all = {0}, hers = {0}, first = {0};
	struct boundary_row one = boundary_sample("b", 5), two = boundary_sample("a", 5);
	struct boundary_row three = boundary_sample("b", 5), ended = boundary_sample("a", 5);
	struct error err = {0};

	two.owner = (char *)"alice";
	ended.state = BOUNDARY_PASSED, ended.ended_at = 9;
	ok(boundary_insert(db, &one, &err));
	ok(boundary_insert(db, &two, &err));
	ok(boundary_insert(db, &three, &err));
	ok(boundary_insert(db, &ended, &err));
	ok(boundary_pending_of(db, NULL, 10, &all, &err));
	assert_int_equal(all.count, 3);
	assert_string_equal(all.items[0]->id, two.id);
	assert_string_equal(all.items[1]->id, one.id);
	assert_string_equal(all.items[2]->id, three.id);
	ok(boundary_pending_of(db, "alice", 10, &hers, &err));
	assert_int_equal(hers.count, 1);
	ok(boundary_pending_of(db, NULL, 2, &first, &err));
	assert_int_equal(first.count, 2);
}

static void add_boundary(struct db *db, usec_t due, const char *host, enum boundary state)
{
	struct boundary_row b = boundary_sample("s", due);
	struct error err = {0};

	b.host = (char *)(uintptr_t)host;
	b.state = state;
	ok(boundary_insert(db, &b, &err));
}

static void test_due(struct db *db)
{
	AUTO_BOUNDARIES struct boundary_row_list due = {0};
	struct error err = {0};
	usec_t next = 1;

	ok(boundary_next_due(db, &next, &err));
	assert_true(next == USEC_NONE);
	add_boundary(db, 30, "ada", BOUNDARY_WAITING);
	add_boundary(db, 20, "ada", BOUNDARY_WAITING);
	add_boundary(db, 5, NULL, BOUNDARY_WAITING);
	add_boundary(db, 6, "ada", BOUNDARY_OFFERED);
	add_boundary(db, USEC_NONE, "ada", BOUNDARY_WAITING);
	add_boundary(db, 40, "ada", BOUNDARY_WAITING);
	ok(boundary_next_due(db, &next, &err));
	assert_int_equal(next, 20);
	ok(boundary_due(db, 30, 10, &due, &err));
	assert_int_equal(due.count, 2);
	assert_int_equal(due.items[0]->due_at, 20);
	assert_int_equal(due.items[1]->due_at, 30);
}

static void test_host(struct db *db)
{
	AUTO_BOUNDARIES struct boundary_row_list queued = {0}, pending = {0};
	struct agent_session s = session_sample("s", 5);
	struct error err = {0};

	add_boundary(db, 1, NULL, BOUNDARY_WAITING);
	add_boundary(db, 2, "ada", BOUNDARY_QUEUED);
	add_boundary(db, 3, "bob", BOUNDARY_QUEUED);
	add_boundary(db, 4, "bob", BOUNDARY_WAITING);
	ok(boundary_queued(db, "ada", &queued, &err));
	assert_int_equal(queued.count, 1);
	assert_int_equal(queued.items[0]->due_at, 2);
	s.mission = add_mission(db);
	ok(agent_session_put(db, &s, &err));
	ok(boundary_set_host(db, s.mission + 1, "cyd", 8, &err)); /* nobody's */
	ok(boundary_set_host(db, s.mission, "ada", 9, &err));
	ok(boundary_pending(db, "s", &pending, &err));
	assert_int_equal(pending.count, 4);
	assert_string_equal(pending.items[0]->host, "ada");
	assert_int_equal(pending.items[0]->updated_at, 9);
	assert_string_equal(pending.items[2]->host, "bob"); /* on its way */
	assert_string_equal(pending.items[3]->host, "ada");
}

static void test_prune(struct db *db)
{
	struct agent_session idle = session_sample("idle", 5), held = session_sample("s", 5),
			     told = session_sample("told", 5), seen = session_sample("seen", 50);
	struct message m = message_sample((char *)"ada", PRIORITY_IDLE);
	struct boundary_row old = boundary_sample("x", 3), open = boundary_sample("s", 3);
	struct error err = {0};
	int64_t gone = 0;

	ok(agent_session_put(db, &idle, &err));
	ok(agent_session_put(db, &held, &err));
	ok(agent_session_put(db, &told, &err));
	ok(agent_session_put(db, &seen, &err));
	old.state = BOUNDARY_PASSED, old.ended_at = 4;
	ok(boundary_insert(db, &old, &err));
	ok(boundary_insert(db, &open, &err));
	m.state = DELIVERY_OFFERED, m.session = (char *)"told";
	ok(queue_insert(db, &m, &err));
	ok(agent_session_prune(db, 10, 10, &gone, &err));
	assert_int_equal(gone, 1);
	assert_int_equal(number_of(db, "SELECT count(*) FROM sessions WHERE id = 'idle'"), 0);
	ok(boundary_prune(db, 10, 10, &gone, &err));
	assert_int_equal(gone, 1);
	assert_int_equal(number_of(db, "SELECT count(*) FROM boundaries"), 1);
}

/* What a hook was given is nobody else's, and does not keep other ways of the same agent waiting. */
static void test_queue(struct db *db)
{
	struct message one = message_sample((char *)"ada", PRIORITY_IDLE), two = one;
	AUTO_MESSAGES struct message_list of_session = {0}, unprinted = {0}, none = {0};
	AUTO(message_free) struct message *other = NULL, *again = NULL;
	struct error err = {0};
	int64_t waiting = 9;
	bool head = true;

	one.state = two.state = DELIVERY_OFFERED;
	one.session = (char *)"s", two.session = (char *)"t", two.printed = true;
	ok(queue_insert(db, &one, &err));
	ok(queue_insert(db, &two, &err));
	ok(queue_waiting(db, "ada", "me", 10, &waiting, &err));
	assert_int_equal(waiting, 0);
	ok(queue_offered_to(db, "ada", &other, &err));
	assert_null(other);
	ok(queue_has_head(db, "ada", &head, &err));
	assert_false(head);
	ok(queue_offered_to_session(db, "t", "me", &of_session, &err));
	assert_int_equal(of_session.count, 1);
	assert_true(of_session.items[0]->printed);
	ok(queue_unprinted(db, 10, &unprinted, &err));
	assert_int_equal(unprinted.count, 1);
	assert_string_equal(unprinted.items[0]->session, "s");
	one.printed = true;
	ok(queue_update(db, &one, &err));
	ok(queue_get(db, one.key, &again, &err));
	assert_true(again->printed);
	ok(queue_unprinted(db, 10, &none, &err));
	assert_int_equal(none.count, 0);
}

static void add_upcoming(struct db *db, const char *id, usec_t due, const char *owner,
			 const char *session)
{
	AUTO(reminder_free) struct reminder *r = reminder_sample(id, due);
	struct error err = {0};

	r->owner = mem_strdup(owner);
	r->session = mem_strdup(session);
	if (session)
		mem_replace(&r->agent, "else");
	ok(reminder_insert(db, r, &err));
}

static void assert_upcoming(struct db *db, const char *agent, const char *session,
			    const char *owner, const char *want)
{
	const struct upcoming_filter f = {
		.agent = agent, .session = session, .owner = owner, .until = 50, .limit = 3};
	AUTO_REMINDERS struct reminder_list list = {0};
	char got[128] = "";
	struct error err = {0};

	ok(upcoming_list(db, &f, &list, &err));
	for (size_t i = 0; i < list.count; i++)
		strcat(strcat(got, got[0] ? " " : ""), list.items[i]->id);
	assert_string_equal(got, want);
}

/* Nobody is told of what belongs to somebody else. */
static void test_upcoming(struct db *db)
{
	add_upcoming(db, "r-late", 60, "me", NULL);
	add_upcoming(db, "r-two", 20, "me", NULL);
	add_upcoming(db, "r-one", 10, "me", NULL);
	add_upcoming(db, "r-hers", 15, "alice", "hers");
	add_upcoming(db, "r-mine", 12, "me", "s");
	assert_upcoming(db, "builder", "s", "me", "r-one r-mine r-two");
	assert_upcoming(db, "builder", "t", "me", "r-one r-two");
	assert_upcoming(db, NULL, "s", "me", "r-mine");
	assert_upcoming(db, "builder", "t", "alice", "r-hers");
	assert_upcoming(db, "builder", "hers", "bob", "");
	assert_upcoming(db, "else", "s", "me", "r-mine r-hers");
}

/* clang-format off */
static const struct store_row rows[] = {
	{"M10 a session written, replaced, without its mission", test_session},
	{"what is pending in all sessions, or those of a user",  test_pending_of},
	{"which session a process has",                          test_process},
	{"A13 one name said by two users is two sessions",       test_session_of_two},
	{"M7 M10 boundaries written, changed, listed",           test_boundary},
	{"M4 which are due without a prompt",                    test_due},
	{"retention",                                            test_prune},
	{"the host of a session comes, and goes",                test_host},
	{"what hooks have offered",                              test_queue},
	{"what comes next for a session",                        test_upcoming},
};
/* clang-format on */

int main(void)
{
	return run_store_rows("store-boundary", rows, sizeof(rows) / sizeof(rows[0]));
}
