/* test-store-reminder.c: the contract of reminder.h. Each row is one test on every database. */
#include "store-fixture.h"

#include "base/buf.h"

static void assert_same_reminder(const struct reminder *a, const struct reminder *b)
{
	SAME(key), SAME(priority), SAME(source), SAME(anchor), SAME(count_max), SAME(until);
	SAME(catchup), SAME(catchup_max), SAME(start_deadline), SAME(jitter), SAME(condition_kind);
	SAME(mode), SAME(condition_limit), SAME(status), SAME(generation), SAME(cursor);
	SAME(nominal_at), SAME(due_at), SAME(open_slot), SAME(fire_count), SAME(last_fired_at);
	SAME(created_at), SAME(updated_at), SAME(ended_at), SAME(batch);
	assert_string_equal(a->id, b->id);
	SAME_TEXT(name);
	SAME_TEXT(agent);
	SAME_TEXT(message);
	SAME_TEXT(schedule_kind);
	SAME_TEXT(schedule);
	SAME_TEXT(zone);
	SAME_TEXT(zone_source);
	SAME_TEXT(condition);
	SAME_TEXT(end_reason);
}

/* Another value in every field that may be written later. */
static void change_all(struct reminder *r)
{
	mem_replace(&r->name, "nightly");
	mem_replace(&r->agent, "reviewer");
	mem_replace(&r->message, "größe ✓\nsecond line");
	r->priority = PRIORITY_IDLE_FIRST;
	mem_replace(&r->schedule_kind, "every");
	mem_replace(&r->schedule, "15m");
	mem_replace(&r->zone, "UTC");
	mem_replace(&r->zone_source, "item");
	r->anchor = 21, r->count_max = 22, r->until = 23, r->catchup = CATCHUP_ALL;
	r->catchup_max = 24, r->start_deadline = 25, r->jitter = 26;
	r->condition_kind = CONDITION_COMMAND, r->mode = MODE_ONCE, r->condition_limit = 27;
	mem_replace(&r->condition, "test -e x");
}

static void change_state(struct reminder *r)
{
	r->status = STATUS_COMPLETED, r->generation = 2, r->cursor = 31;
	r->nominal_at = 32, r->due_at = USEC_NONE, r->open_slot = 33, r->fire_count = 34;
	r->last_fired_at = 35, r->updated_at = 36, r->ended_at = 37;
	mem_replace(&r->end_reason, "count reached");
}

static void test_reminder_write(struct db *db)
{
	AUTO(reminder_free) struct reminder *r = reminder_sample("", 10), *got = NULL;
	AUTO(reminder_free) struct reminder *again = NULL, *last = NULL;
	struct error err = {0};

	r->source = SOURCE_MCP;
	ok(reminder_insert(db, r, &err));
	assert_true(r->key > 0);
	assert_int_equal(strlen(r->id), 8);
	assert_memory_equal(r->id, "r-", 2);
	ok(reminder_get(db, r->key, &got, &err));
	assert_same_reminder(got, r);
	change_state(r);
	ok(reminder_update_state(db, r, &err));
	ok(reminder_get(db, r->key, &again, &err));
	assert_same_reminder(again, r);
	change_all(r);
	r->status = STATUS_ACTIVE, r->due_at = 44, r->nominal_at = 43, r->ended_at = USEC_NONE;
	ok(reminder_update(db, r, &err));
	ok(reminder_get(db, r->key, &last, &err));
	assert_same_reminder(last, r);
	assert_int_equal(reminder_get(db, r->key + 1, &last, &err), ERR_NOT_FOUND);
}

/* The state alone: what an edit changed in memory must not slip through the hot path. */
static void test_reminder_state_only(struct db *db)
{
	AUTO(reminder_free) struct reminder *r = reminder_sample("r-1", 10), *got = NULL;
	struct error err = {0};

	ok(reminder_insert(db, r, &err));
	change_all(r);
	ok(reminder_update_state(db, r, &err));
	ok(reminder_get(db, r->key, &got, &err));
	assert_string_equal(got->schedule, "0 9 * * *");
	assert_null(got->name);
}

static void test_reminder_ids(struct db *db)
{
	AUTO(reminder_free)
	struct reminder *a = reminder_sample("", 1), *b = reminder_sample("", 1);
	AUTO(reminder_free) struct reminder *c = reminder_sample("", 1);
	struct error err = {0};

	/* The same seed makes the same id: the second insert must find another. */
	random_seed(7);
	ok(reminder_insert(db, a, &err));
	random_seed(7);
	ok(reminder_insert(db, b, &err));
	assert_string_not_equal(a->id, b->id);
	snprintf(c->id, sizeof(c->id), "%s", a->id);
	assert_int_equal(reminder_insert(db, c, &err), ERR_CONFLICT);
	assert_non_null(strstr(err.message, a->id));
	assert_int_equal(number_of(db, "SELECT count(*) FROM reminders"), 2);
}

/* clang-format off */
static const struct find_case {
	const char *ref;
	int want;            /* 0 or the error */
	const char *id;      /* found, or in the message */
	const char *hint;
} find_cases[] = {
	{"r-abc123", 0,             "r-abc123", NULL},
	{"r-abc",    0,             "r-abc",    NULL}, /* an id wins over a prefix */
	{"r-b",      0,             "r-b00000", NULL}, /* unique prefix */
	{"r-a",      ERR_CONFLICT,  "'r-abc', 'r-abc123'", NULL},
	{"r-c",      0,             "r-b00000", NULL}, /* a name that looks like an id */
	{"nightly",  0,             "r-n2",     NULL}, /* the one that still lives */
	{"twice",    ERR_CONFLICT,  "'r-t1' of 'builder', 'r-t2' of 'builder'", NULL},
	{"over",     ERR_CONFLICT,  "ended",    NULL},
	{"once",     0,             "r-o1",     NULL}, /* ended, but the only one */
	{"r-",       ERR_CONFLICT,  "and more", NULL},
	{"nigtly",   ERR_NOT_FOUND, "nigtly",   "nightly"},
	{"zzzzzzzz", ERR_NOT_FOUND, "zzzzzzzz", "list --all"},
	{"hidden",   ERR_NOT_FOUND, "hidden",   "list --all"}, /* of an import that is not complete */
	{"r-hid",    ERR_NOT_FOUND, "r-hid",    "list --all"},
	{"r-hidden", ERR_NOT_FOUND, "r-hidden", "list --all"},
	{"%",        ERR_NOT_FOUND, "%",        "list --all"},
	{"r_abc",    ERR_NOT_FOUND, "r_abc",    "list --all"},
	{"R-B00000", ERR_NOT_FOUND, "R-B00000", "list --all"},
	{"",         ERR_NOT_FOUND, "''",       "list --all"},
	{"\xc3\xa4", ERR_NOT_FOUND, "\xc3\xa4", "list --all"},
};
/* clang-format on */

static void add_findable(struct db *db)
{
	AUTO(reminder_free) struct reminder *hidden = reminder_sample("r-hidden", 1);
	struct error err = {0};

	add_reminder(db, "r-abc123", NULL, 1, STATUS_ACTIVE);
	add_reminder(db, "r-abc", NULL, 1, STATUS_ACTIVE);
	add_reminder(db, "r-b00000", "r-c", 1, STATUS_PAUSED);
	add_reminder(db, "r-n1", "nightly", 1, STATUS_COMPLETED);
	add_reminder(db, "r-n2", "nightly", 1, STATUS_PAUSED);
	add_reminder(db, "r-n3", "nightly", 1, STATUS_CANCELLED);
	add_reminder(db, "r-t1", "twice", 1, STATUS_ACTIVE);
	add_reminder(db, "r-t2", "twice", 1, STATUS_ACTIVE);
	add_reminder(db, "r-e1", "over", 1, STATUS_COMPLETED);
	add_reminder(db, "r-e2", "over", 1, STATUS_COMPLETED);
	add_reminder(db, "r-o1", "once", 1, STATUS_COMPLETED);
	hidden->name = mem_strdup("hidden");
	hidden->batch = 1;
	ok(reminder_insert(db, hidden, &err));
}

static void test_reminder_find(struct db *db)
{
	add_findable(db);
	for (size_t i = 0; i < sizeof(find_cases) / sizeof(find_cases[0]); i++) {
		const struct find_case *c = &find_cases[i];
		AUTO(reminder_free) struct reminder *got = NULL;
		struct error err = {0};
		int r = reminder_find(db, c->ref, &got, &err);

		if (r != c->want)
			fail_msg("'%s': %d %s", c->ref, r, err.message);
		if (!strstr(r == 0 ? got->id : err.message, c->id))
			fail_msg("'%s': %s", c->ref, r == 0 ? got->id : err.message);
		if (r == 0)
			assert_string_equal(got->id, c->id);
		if (c->hint && !strstr(err.hint, c->hint))
			fail_msg("'%s': hint '%s'", c->ref, err.hint);
	}
}

static void assert_ids(const struct reminder_list *list, const char *want)
{
	AUTO_BUF struct buf got = {0};

	for (size_t i = 0; i < list->count; i++)
		buf_printf(&got, "%s%s", i ? " " : "", list->items[i]->id);
	assert_string_equal(buf_text(&got), want);
}

static void test_reminder_due(struct db *db)
{
	AUTO_REMINDERS struct reminder_list none = {0}, two = {0}, all = {0};
	AUTO(reminder_free) struct reminder *hidden = reminder_sample("r-hidden", 1);
	struct error err = {0};
	usec_t next = 0;

	ok(reminder_next_due(db, &next, &err));
	assert_true(next == USEC_NONE);
	hidden->batch = 4;
	ok(reminder_insert(db, hidden, &err));
	ok(reminder_next_due(db, &next, &err));
	assert_true(next == USEC_NONE);
	add_reminder(db, "r-30", NULL, 30, STATUS_ACTIVE);
	add_reminder(db, "r-10", NULL, 10, STATUS_ACTIVE);
	add_reminder(db, "r-20", NULL, 20, STATUS_ACTIVE);
	add_reminder(db, "r-20b", NULL, 20, STATUS_ACTIVE);
	add_reminder(db, "r-p", NULL, 5, STATUS_PAUSED);
	add_reminder(db, "r-before-1970", NULL, -40, STATUS_ACTIVE);
	ok(reminder_next_due(db, &next, &err));
	assert_true(next == -40);
	ok(reminder_due(db, -41, 9, &none, &err));
	assert_ids(&none, "");
	ok(reminder_due(db, 20, 2, &two, &err));
	assert_ids(&two, "r-before-1970 r-10");
	ok(reminder_due(db, 20, 9, &all, &err));
	assert_ids(&all, "r-before-1970 r-10 r-20 r-20b");
}

static void test_reminder_list(struct db *db)
{
	/* clang-format off */
	const struct { struct reminder_filter filter; const char *want; } cases[] = {
		{{.limit = 9},                                             "r-1 r-2 r-5"},
		{{.limit = 9, .ended = true},                              "r-1 r-2 r-3 r-4 r-5"},
		{{.limit = 9, .ended = true, .active_only = true},         "r-1 r-5"},
		{{.limit = 2, .ended = true},                              "r-1 r-2"},
		{{.limit = 9, .agent = "builder"},                         "r-1 r-2 r-5"},
		{{.limit = 9, .agent = "builder", .ended = true},          "r-1 r-2 r-3 r-4 r-5"},
		{{.limit = 9, .agent = "builder", .active_only = true},    "r-1 r-5"},
		{{.limit = 9, .agent = "nobody"},                          ""},
	};
	/* clang-format on */
	AUTO_REMINDERS struct reminder_list page = {0};
	AUTO(reminder_free) struct reminder *hidden = reminder_sample("r-hidden", 1);
	struct error err = {0};
	int64_t second, counts[4];

	hidden->batch = 9;
	ok(reminder_insert(db, hidden, &err));
	add_reminder(db, "r-1", NULL, 1, STATUS_ACTIVE);
	second = add_reminder(db, "r-2", NULL, 1, STATUS_PAUSED);
	add_reminder(db, "r-3", NULL, 1, STATUS_CANCELLED);
	add_reminder(db, "r-4", NULL, 1, STATUS_COMPLETED);
	add_reminder(db, "r-5", NULL, 1, STATUS_ACTIVE);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		AUTO_REMINDERS struct reminder_list list = {0};

		ok(reminder_list(db, &cases[i].filter, &list, &err));
		assert_ids(&list, cases[i].want);
	}
	ok(reminder_list(db, &(struct reminder_filter){.after = second, .limit = 9}, &page, &err));
	assert_ids(&page, "r-5");
	ok(reminder_count(db, counts, &err));
	assert_int_equal(counts[STATUS_ACTIVE], 2);
	assert_int_equal(counts[STATUS_PAUSED], 1);
	assert_int_equal(counts[STATUS_CANCELLED], 1);
	assert_int_equal(counts[STATUS_COMPLETED], 1);
}

static void assert_counts(struct db *db, int64_t active, int64_t paused, int64_t ended)
{
	struct error err = {0};
	int64_t counts[4], live;

	ok(reminder_count(db, counts, &err));
	assert_int_equal(counts[STATUS_ACTIVE], active);
	assert_int_equal(counts[STATUS_PAUSED], paused);
	assert_int_equal(counts[STATUS_CANCELLED] + counts[STATUS_COMPLETED], ended);
	ok(reminder_count_live(db, "builder", &live, &err));
	assert_int_equal(live, active + paused);
}

/* The counts follow every way a reminder can change, and go back with what is undone. */
/* Those of that agent that are not over, and none of an open import. */
static void test_reminder_idle(struct db *db)
{
	/* clang-format off */
	const struct { const char *id, *agent, *kind; enum status status; int64_t batch; } rows[] = {
		{"r-1", "builder", "idle", STATUS_ACTIVE, 0},    {"r-2", "builder", "every", STATUS_ACTIVE, 0},
		{"r-3", "builder", "idle", STATUS_PAUSED, 0},    {"r-4", "other", "idle", STATUS_ACTIVE, 0},
		{"r-5", "builder", "idle", STATUS_COMPLETED, 0}, {"r-6", "builder", "idle", STATUS_ACTIVE, 9},
		{"r-7", "builder", "idle", STATUS_ACTIVE, 0},
	};
	/* clang-format on */
	AUTO_REMINDERS struct reminder_list idle = {0}, none = {0};
	struct error err = {0};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		AUTO(reminder_free) struct reminder *r = reminder_sample(rows[i].id, 1);

		mem_replace(&r->agent, rows[i].agent);
		mem_replace(&r->schedule_kind, rows[i].kind);
		r->status = rows[i].status;
		r->due_at = USEC_NONE;
		r->batch = rows[i].batch;
		ok(reminder_insert(db, r, &err));
	}
	ok(reminder_list_idle(db, "builder", &idle, &err));
	assert_int_equal(idle.count, 3);
	assert_string_equal(idle.items[0]->id, "r-1");
	assert_string_equal(idle.items[1]->id, "r-3");
	assert_string_equal(idle.items[2]->id, "r-7");
	ok(reminder_list_idle(db, "nobody", &none, &err));
	assert_int_equal(none.count, 0);
}

static void test_reminder_tally(struct db *db)
{
	AUTO(reminder_free) struct reminder *r = reminder_sample("r-1", 100);
	struct error err = {0};
	int64_t live;

	assert_counts(db, 0, 0, 0);
	ok(reminder_insert(db, r, &err));
	assert_counts(db, 1, 0, 0);
	ok(reminder_update_state(db, r, &err));
	assert_counts(db, 1, 0, 0);
	r->status = STATUS_PAUSED, r->due_at = USEC_NONE;
	ok(reminder_update_state(db, r, &err));
	assert_counts(db, 0, 1, 0);
	ok(db_begin(db, &err));
	r->status = STATUS_CANCELLED;
	ok(reminder_update_state(db, r, &err));
	assert_counts(db, 0, 0, 1);
	db_rollback(db);
	assert_counts(db, 0, 1, 0);
	mem_replace(&r->agent, "other");
	r->status = STATUS_ACTIVE;
	ok(reminder_update(db, r, &err));
	ok(reminder_count_live(db, "other", &live, &err));
	assert_int_equal(live, 1);
	ok(reminder_count_live(db, "builder", &live, &err));
	assert_int_equal(live, 0);
}

static void test_reminder_batch(struct db *db)
{
	struct error err = {0};
	int64_t done = 0;
	usec_t next = 0;

	for (int i = 0; i < 10; i++) {
		AUTO(reminder_free) struct reminder *r = reminder_sample("", 100 + i);

		r->batch = 1 + i % 2;
		ok(reminder_insert(db, r, &err));
	}
	assert_counts(db, 0, 0, 0);
	ok(reminder_batch_show(db, 1, 3, &done, &err));
	assert_int_equal(done, 3);
	assert_counts(db, 3, 0, 0);
	ok(reminder_next_due(db, &next, &err));
	assert_true(next == 100);
	ok(reminder_batch_show(db, 1, 9, &done, &err));
	assert_int_equal(done, 2);
	ok(reminder_batch_show(db, 1, 9, &done, &err));
	assert_int_equal(done, 0);
	ok(reminder_batch_drop(db, 2, 4, &done, &err));
	assert_int_equal(done, 4);
	ok(reminder_batch_drop(db, 2, 4, &done, &err));
	assert_int_equal(done, 1);
	assert_int_equal(number_of(db, "SELECT count(*) FROM reminders"), 5);
	assert_counts(db, 5, 0, 0);
}

/* Its slots go with it; its message stays, and no later reminder is taken for its own. */
static void test_reminder_prune(struct db *db)
{
	int64_t old = add_reminder(db, "r-old", NULL, 10, STATUS_COMPLETED), done = 0;
	struct slot slot = slot_sample(old, 9);
	struct message m = message_sample((char *)"builder", PRIORITY_NORMAL);
	AUTO(message_free) struct message *kept = NULL;
	struct error err = {0};

	ok(slot_insert(db, &slot, &err));
	m.slot = slot.key, m.reminder = old;
	ok(queue_insert(db, &m, &err));
	add_reminder(db, "r-live", NULL, 5, STATUS_ACTIVE);
	add_reminder(db, "r-old2", NULL, 11, STATUS_CANCELLED);
	add_reminder(db, "r-new", NULL, 20, STATUS_CANCELLED);
	ok(reminder_prune(db, 20, 1, &done, &err));
	assert_int_equal(done, 1);
	assert_int_equal(number_of(db, "SELECT count(*) FROM slots"), 0);
	ok(queue_get(db, m.key, &kept, &err));
	assert_true(kept->slot == 0);
	ok(reminder_prune(db, 20, 9, &done, &err));
	assert_int_equal(done, 1);
	assert_counts(db, 1, 0, 1);
	ok(reminder_prune(db, 21, 9, &done, &err));
	assert_int_equal(done, 1);
	assert_counts(db, 1, 0, 0);
	assert_true(add_reminder(db, "r-next", NULL, 1, STATUS_ACTIVE) > old + 3);
}

/* clang-format off */
static const struct store_row rows[] = {
	{"H1 reminder written",          test_reminder_write},
	{"H1 reminder state alone",      test_reminder_state_only},
	{"H1 reminder ids",              test_reminder_ids},
	{"H1 reminder found",            test_reminder_find},
	{"H1 reminders due",             test_reminder_due},
	{"H26 reminders of an idle agent", test_reminder_idle},
	{"H1 reminders listed, counted", test_reminder_list},
	{"H1 reminders tallied",         test_reminder_tally},
	{"H1 import batches",            test_reminder_batch},
	{"A10 reminders pruned",         test_reminder_prune},
};
/* clang-format on */

int main(void)
{
	return run_store_rows("store-reminder", rows, sizeof(rows) / sizeof(rows[0]));
}
