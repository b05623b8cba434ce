/* test-store-queue.c: the contracts of slot.h and queue.h. Each row is one test on every database.
 */
#include "store-fixture.h"

#include "base/buf.h"

static void test_slot(struct db *db)
{
	int64_t reminder = add_reminder(db, "r-1", NULL, 10, STATUS_ACTIVE);
	AUTO(slot_free) struct slot *b = NULL, *later = NULL;
	struct error err = {0};
	struct slot s = slot_sample(reminder, 10), twin = slot_sample(reminder, 10), *a = &s;

	s.first_nominal = 4, s.occurrences = 7, s.more = true, s.outcome = OUTCOME_CHECKING;
	s.lateness = 3, s.missed_before = 2, s.attempts = 1, s.reason = (char *)"because";
	ok(slot_insert(db, &s, &err));
	ok(slot_get(db, s.key, &b, &err));
	SAME(key), SAME(reminder), SAME(generation), SAME(nominal), SAME(first_nominal);
	SAME(occurrences), SAME(more), SAME(outcome), SAME(decided_at), SAME(lateness);
	SAME(missed_before), SAME(attempts), SAME(verdict);
	SAME_TEXT(reason);
	SAME_TEXT(verdict_detail);
	assert_int_equal(slot_insert(db, &twin, &err), ERR_CONFLICT);
	twin.generation = 0;
	ok(slot_insert(db, &twin, &err));
	s.outcome = OUTCOME_FAILED, s.reason = (char *)"it was", s.decided_at = 50;
	s.attempts = 3, s.verdict = VERDICT_ERROR, s.verdict_detail = (char *)"exit 2";
	ok(slot_update(db, &s, &err));
	ok(slot_get(db, s.key, &later, &err));
	slot_free(b);
	b = steal_ptr(&later);
	SAME(outcome), SAME(decided_at), SAME(attempts), SAME(verdict);
	SAME_TEXT(reason);
	SAME_TEXT(verdict_detail);
	assert_int_equal(slot_get(db, s.key + 1000, &later, &err), ERR_NOT_FOUND);
}

static void assert_nominals(const struct slot_list *list, const char *want)
{
	AUTO_BUF struct buf got = {0};

	for (size_t i = 0; i < list->count; i++)
		buf_printf(&got, "%s%lld", i ? " " : "", (long long)list->items[i]->nominal);
	assert_string_equal(buf_text(&got), want);
}

static void test_slot_list(struct db *db)
{
	AUTO_SLOTS struct slot_list first = {0}, second = {0}, checking = {0}, left = {0};
	int64_t a = add_reminder(db, "r-1", NULL, 10, STATUS_ACTIVE), done = 0;
	int64_t b = add_reminder(db, "r-2", NULL, 10, STATUS_ACTIVE);
	struct error err = {0};

	ok(db_begin(db, &err));
	for (int i = 1; i <= 5; i++) {
		struct slot mine = slot_sample(a, i), other = slot_sample(b, i * 10);

		mine.outcome = i == 2 ? OUTCOME_CHECKING : OUTCOME_FIRED;
		ok(slot_insert(db, &mine, &err));
		ok(slot_insert(db, &other, &err));
	}
	ok(db_commit(db, &err));
	ok(slot_list(db, a, 0, 2, &first, &err));
	assert_nominals(&first, "5 4");
	ok(slot_list(db, a, first.items[1]->key, 9, &second, &err));
	assert_nominals(&second, "3 2 1");
	ok(slot_list_checking(db, &checking, &err));
	assert_nominals(&checking, "2");
	ok(slot_prune(db, 5, 2, &done, &err));
	assert_int_equal(done, 2);
	ok(slot_prune(db, 5, 9, &done, &err));
	assert_int_equal(done, 1);
	ok(slot_list(db, a, 0, 9, &left, &err));
	assert_nominals(&left, "5 2");
}

/* queue.h */

static void test_message(struct db *db)
{
	int64_t reminder = add_reminder(db, "r-1", NULL, 10, STATUS_ACTIVE);
	struct slot slot = slot_sample(reminder, 10);
	struct message m = message_sample((char *)"builder", PRIORITY_IDLE), *a = &m, twin;
	AUTO(message_free) struct message *b = NULL, *found = NULL;
	struct error err = {0};

	ok(slot_insert(db, &slot, &err));
	m.slot = slot.key, m.reminder = reminder;
	ok(queue_insert(db, &m, &err));
	assert_int_equal(strlen(m.id), 10);
	assert_memory_equal(m.id, "m-", 2);
	m.state = DELIVERY_FAILED, m.attempts = 2, m.attempt_at = 11, m.offered_at = 12;
	m.done_at = 13, m.last_error = (char *)"exit 1";
	ok(queue_update(db, &m, &err));
	ok(queue_get(db, m.key, &b, &err));
	SAME(key), SAME(slot), SAME(reminder), SAME(priority), SAME(state), SAME(attempts);
	SAME(attempt_at), SAME(queued_at), SAME(offered_at), SAME(done_at);
	assert_string_equal(a->id, b->id);
	SAME_TEXT(agent);
	SAME_TEXT(body);
	SAME_TEXT(last_error);
	/* One message a slot, and one an id. */
	twin = message_sample((char *)"builder", PRIORITY_IDLE);
	twin.slot = slot.key;
	assert_int_equal(queue_insert(db, &twin, &err), ERR_CONFLICT);
	assert_string_equal(twin.id, "");
	twin.slot = 0;
	snprintf(twin.id, sizeof(twin.id), "%s", m.id);
	assert_int_equal(queue_insert(db, &twin, &err), ERR_CONFLICT);
	assert_int_equal(queue_get(db, m.key + 1000, &found, &err), ERR_NOT_FOUND);
}

static void test_message_ids(struct db *db)
{
	struct message one = message_sample((char *)"a", PRIORITY_IDLE), two = one, given = one;
	AUTO(message_free) struct message *found = NULL, *again = NULL;
	struct error err = {0};
	char prefix[8];

	random_seed(3);
	ok(queue_insert(db, &one, &err));
	random_seed(3);
	ok(queue_insert(db, &two, &err));
	assert_string_not_equal(one.id, two.id);
	snprintf(given.id, sizeof(given.id), "m-~given");
	ok(queue_insert(db, &given, &err));
	ok(queue_find(db, "m-~", &found, &err));
	assert_true(found->key == given.key);
	snprintf(prefix, sizeof(prefix), "%.7s", two.id);
	ok(queue_find(db, prefix, &again, &err));
	assert_true(again->key == two.key);
	assert_int_equal(queue_find(db, "m-", &found, &err), ERR_CONFLICT);
	assert_int_equal(queue_find(db, "nothing", &found, &err), ERR_NOT_FOUND);
}

/* interrupt, normal, idle-first (newest first), idle; each line oldest first but for that one. */
static void test_queue_head(struct db *db)
{
	static const struct {
		const char *id;
		enum priority priority;
	} in[] = {{"m-1", PRIORITY_IDLE},	{"m-2", PRIORITY_IDLE_FIRST},
		  {"m-3", PRIORITY_NORMAL},	{"m-4", PRIORITY_INTERRUPT},
		  {"m-5", PRIORITY_IDLE_FIRST}, {"m-6", PRIORITY_NORMAL},
		  {"m-7", PRIORITY_INTERRUPT},	{"m-8", PRIORITY_IDLE}};
	static const char *const want[] = {"m-4", "m-7", "m-3", "m-6", "m-5", "m-2", "m-1", "m-8"};
	AUTO(message_free) struct message *none = NULL;
	struct error err = {0};

	for (size_t i = 0; i < 8; i++) {
		struct message m = message_sample((char *)"builder", in[i].priority);

		snprintf(m.id, sizeof(m.id), "%s", in[i].id);
		ok(queue_insert(db, &m, &err));
	}
	for (size_t i = 0; i < 8; i++) {
		AUTO(message_free) struct message *head = NULL;

		ok(queue_head(db, "builder", &head, &err));
		assert_string_equal(head->id, want[i]);
		head->state = DELIVERY_DELIVERED, head->done_at = 9;
		ok(queue_update(db, head, &err));
	}
	ok(queue_head(db, "builder", &none, &err));
	assert_null(none);
	ok(queue_head(db, "nobody", &none, &err));
	assert_null(none);
}

static void test_queue_has_head(struct db *db)
{
	struct message m = message_sample((char *)"builder", PRIORITY_NORMAL);
	struct error err = {0};
	bool has = true;

	ok(queue_insert(db, &m, &err));
	ok(queue_has_head(db, "builder", &has, &err));
	assert_false(has);
	m.attempt_at = 5;
	ok(queue_update(db, &m, &err));
	ok(queue_has_head(db, "builder", &has, &err));
	assert_true(has);
	m.attempt_at = USEC_NONE, m.state = DELIVERY_OFFERED;
	ok(queue_update(db, &m, &err));
	ok(queue_has_head(db, "builder", &has, &err));
	assert_true(has);
	ok(queue_has_head(db, "other", &has, &err));
	assert_false(has);
}

static void assert_messages(const struct message_list *list, const char *want)
{
	AUTO_BUF struct buf got = {0};

	for (size_t i = 0; i < list->count; i++)
		buf_printf(&got, "%s%s", i ? " " : "", list->items[i]->id);
	assert_string_equal(buf_text(&got), want);
}

static void add_count(const char *agent, int64_t queued, bool more, void *data)
{
	buf_printf(data, "%s:%d%s ", agent, (int)queued, more ? "+" : "");
}

/* a: queued, offered, delivered; b: queued with an attempt, failed. */
static void add_line(struct db *db, int64_t keys[5])
{
	static const struct {
		const char *id, *agent;
		enum delivery state;
		usec_t attempt_at, done_at;
	} rows[] = {{"m-1", "a", DELIVERY_QUEUED, USEC_NONE, USEC_NONE},
		    {"m-2", "a", DELIVERY_OFFERED, USEC_NONE, USEC_NONE},
		    {"m-3", "a", DELIVERY_DELIVERED, USEC_NONE, 30},
		    {"m-4", "b", DELIVERY_QUEUED, 40, USEC_NONE},
		    {"m-5", "b", DELIVERY_FAILED, USEC_NONE, 50}};
	struct error err = {0};

	for (size_t i = 0; i < 5; i++) {
		struct message m = message_sample((char *)rows[i].agent, PRIORITY_NORMAL);

		snprintf(m.id, sizeof(m.id), "%s", rows[i].id);
		m.state = rows[i].state, m.attempt_at = rows[i].attempt_at;
		m.done_at = rows[i].done_at;
		ok(queue_insert(db, &m, &err));
		keys[i] = m.key;
	}
}

static void test_queue_list(struct db *db)
{
	int64_t keys[5];
	struct error err = {0};

	add_line(db, keys);
	/* clang-format off */
	const struct { struct queue_filter filter; const char *want; } cases[] = {
		{{.limit = 9},                              "m-1 m-2 m-4"},
		{{.limit = 9, .done = true},                "m-1 m-2 m-3 m-4 m-5"},
		{{.limit = 2},                              "m-1 m-2"},
		{{.limit = 9, .after = keys[1]},            "m-4"},
		{{.limit = 9, .agent = "b"},                "m-4"},
		{{.limit = 9, .agent = "b", .done = true},  "m-4 m-5"},
		{{.limit = 9, .agent = "c", .done = true},  ""},
	};
	/* clang-format on */
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		AUTO_MESSAGES struct message_list list = {0};

		ok(queue_list(db, &cases[i].filter, &list, &err));
		assert_messages(&list, cases[i].want);
	}
}

static void test_queue_timer(struct db *db)
{
	AUTO_MESSAGES struct message_list none = {0}, due = {0}, offered = {0}, left = {0};
	AUTO_BUF struct buf counts = {0};
	struct error err = {0};
	int64_t keys[5], done = 0;
	usec_t next = 0;

	ok(queue_next_attempt(db, &next, &err));
	assert_true(next == USEC_NONE);
	add_line(db, keys);
	ok(queue_next_attempt(db, &next, &err));
	assert_true(next == 40);
	ok(queue_due(db, 39, 9, &none, &err));
	assert_messages(&none, "");
	ok(queue_due(db, 40, 9, &due, &err));
	assert_messages(&due, "m-4");
	ok(queue_list_offered(db, &offered, &err));
	assert_messages(&offered, "m-2");
	ok(queue_counts(db, add_count, &counts, &err));
	assert_string_equal(buf_text(&counts), "a:1 b:1 ");
	ok(queue_prune(db, 50, 9, &done, &err));
	assert_int_equal(done, 1);
	ok(queue_prune(db, 51, 9, &done, &err));
	assert_int_equal(done, 1);
	ok(queue_list(db, &(struct queue_filter){.limit = 9, .done = true}, &left, &err));
	assert_messages(&left, "m-1 m-2 m-4");
}

/* clang-format off */
static const struct store_row rows[] = {
	{"A10 slot written, unique",    test_slot},
	{"A10 slots listed, pruned",    test_slot_list},
	{"A10 message written, unique", test_message},
	{"A10 message ids",             test_message_ids},
	{"A10 head of the line",        test_queue_head},
	{"A10 a line has a head",       test_queue_has_head},
	{"A10 messages listed",         test_queue_list},
	{"A10 the queue's timer",       test_queue_timer},
};
/* clang-format on */

int main(void)
{
	return run_store_rows("store-queue", rows, sizeof(rows) / sizeof(rows[0]));
}
