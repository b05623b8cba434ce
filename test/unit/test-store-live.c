/* test-store-live.c: the contract of live.h, and what live agents ask of the queue. Each row is one
 * test on every database. */
#include "store-fixture.h"

#include "base/buf.h"
#include "store/live.h"
#include "store/mission.h"

static struct live sample(const char *agent, enum presence state)
{
	return (struct live){.agent = (char *)(uintptr_t)agent,
			     .state = state,
			     .evidence = (char *)"hook",
			     .pane = (char *)"%1",
			     .since = 5,
			     .created_at = 4,
			     .started_at = 6,
			     .idle_at = USEC_NONE,
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

static void test_written(struct db *db)
{
	AUTO(live_free) struct live *b = NULL, *later = NULL, *none = NULL;
	struct live l = sample("ada", PRESENCE_IDLE), *a = &l;
	struct error err = {0};

	l.role = (char *)"monitor", l.mission = add_mission(db), l.idle_at = 5, l.wanted = true;
	l.again = true, l.starts = 2, l.end_reason = (char *)"exit status 3", l.ended_at = 9;
	ok(live_put(db, &l, &err));
	ok(live_find(db, "ada", &b, &err));
	SAME(mission), SAME(state), SAME(since), SAME(idle_at), SAME(wanted), SAME(again);
	SAME(starts), SAME(created_at), SAME(started_at), SAME(ended_at);
	SAME_TEXT(agent);
	SAME_TEXT(role);
	SAME_TEXT(pane);
	SAME_TEXT(evidence);
	SAME_TEXT(end_reason);
	l.pane = l.role = l.end_reason = NULL, l.state = PRESENCE_GONE, l.again = false;
	l.created_at = 99; /* stays as it was */
	ok(live_put(db, &l, &err));
	ok(live_of_mission(db, l.mission, &later, &err));
	assert_null(later->pane);
	assert_null(later->role);
	assert_null(later->end_reason);
	assert_int_equal(later->state, PRESENCE_GONE);
	assert_false(later->again);
	assert_int_equal(later->created_at, 4);
	ok(mission_delete(db, l.mission, &err));
	live_free(steal_ptr(&later));
	ok(live_find(db, "ada", &later, &err));
	assert_int_equal(later->mission, 0);
	ok(live_delete(db, "ada", &err));
	ok(live_find(db, "ada", &none, &err));
	assert_null(none);
}

static void put(struct db *db, const char *agent, enum presence state, bool pane, bool host)
{
	struct live l = sample(agent, state);
	struct error err = {0};

	l.pane = pane ? l.pane : NULL;
	l.started_at = host ? 6 : USEC_NONE;
	ok(live_put(db, &l, &err));
}

static void add_message(struct db *db, const char *agent, enum delivery state)
{
	struct message m = message_sample((char *)(uintptr_t)agent, PRIORITY_IDLE);
	struct error err = {0};

	m.state = state;
	ok(queue_insert(db, &m, &err));
}

static void assert_agents(const struct live_list *list, const char *want)
{
	AUTO_BUF struct buf got = {0};

	for (size_t i = 0; i < list->count; i++)
		buf_printf(&got, "%s%s", i ? " " : "", list->items[i]->agent);
	assert_string_equal(buf_text(&got), want);
}

static void test_lists(struct db *db)
{
	AUTO_LIVES struct live_list all = {0}, present = {0}, waiting = {0}, starting = {0};
	static const char *const names[] = {"busy", "full", "gone", "idle", "lost", "soon", "up"};
	AUTO(message_free) struct message *offered = NULL, *none = NULL;
	struct error err = {0};

	put(db, "up", PRESENCE_STARTING, true, true);
	put(db, "soon", PRESENCE_STARTING, true, false);
	put(db, "idle", PRESENCE_IDLE, true, true);
	put(db, "busy", PRESENCE_BUSY, true, true);
	put(db, "lost", PRESENCE_IDLE, false, true);
	put(db, "full", PRESENCE_IDLE, true, true);
	put(db, "none", PRESENCE_IDLE, true, true); /* nothing is queued for it */
	put(db, "gone", PRESENCE_GONE, false, true);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		add_message(db, names[i], DELIVERY_QUEUED);
	add_message(db, "full", DELIVERY_OFFERED);
	add_message(db, "none", DELIVERY_DELIVERED);
	ok(live_list(db, false, &all, &err));
	assert_agents(&all, "busy full gone idle lost none soon up");
	ok(live_list(db, true, &present, &err));
	assert_agents(&present, "busy full idle lost none soon up");
	ok(live_list_waiting(db, false, &waiting, &err));
	assert_agents(&waiting, "busy idle");
	ok(live_list_starting(db, &starting, &err));
	assert_agents(&starting, "soon");
	ok(queue_offered_to(db, "full", &offered, &err));
	assert_int_equal(offered->state, DELIVERY_OFFERED);
	ok(queue_offered_to(db, "idle", &none, &err));
	assert_null(none);
}

static void assert_nth(struct db *db, const char *agent, usec_t since, int nth, usec_t want)
{
	struct error err = {0};
	usec_t got = 0;

	ok(queue_nth_sent(db, "bob", agent, since, nth, &got, &err));
	assert_true(got == want);
}

static void test_sent(struct db *db)
{
	struct error err = {0};

	for (int i = 1; i <= 5; i++) {
		struct message m =
			message_sample((char *)(i == 4 ? "cyd" : "ada"), PRIORITY_NORMAL);

		m.sender = (char *)(i == 5 ? NULL : "bob");
		m.queued_at = i * 10;
		ok(queue_insert(db, &m, &err));
	}
	assert_nth(db, "ada", 0, 0, 30);
	assert_nth(db, "ada", 0, 2, 10);
	assert_nth(db, "ada", 0, 3, USEC_NONE);
	assert_nth(db, "ada", 10, 1, 20);
	assert_nth(db, "ada", 10, 2, USEC_NONE);
	assert_nth(db, NULL, 0, 0, 40);
	assert_nth(db, NULL, 0, 3, 10);
	assert_nth(db, "dan", 0, 0, USEC_NONE);
}

/* The head among those that are urgent enough: every row of the rule is one of these. */
static void test_urgent(struct db *db)
{
	static const enum priority order[] = {PRIORITY_IDLE, PRIORITY_IDLE_FIRST, PRIORITY_NORMAL,
					      PRIORITY_INTERRUPT};
	struct error err = {0};

	for (size_t i = 0; i < 4; i++) {
		struct message m = message_sample((char *)"ada", order[i]);

		ok(queue_insert(db, &m, &err));
		for (size_t j = 0; j < 4; j++) {
			AUTO(message_free) struct message *head = NULL;

			ok(queue_head_of(db, "ada", order[j], &head, &err));
			assert_int_equal(head != NULL, i >= j);
			if (head)
				assert_int_equal(head->priority, order[i]);
		}
	}
}

/* clang-format off */
static const struct store_row rows[] = {
	{"H11 a live agent written, replaced, deleted", test_written},
	{"H15 who can be told something",               test_lists},
	{"H5 the head of what is urgent enough",        test_urgent},
	{"what an agent has sent",                      test_sent},
};
/* clang-format on */

int main(void)
{
	return run_store_rows("store-live", rows, sizeof(rows) / sizeof(rows[0]));
}
