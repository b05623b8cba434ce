/*
 * test-store-thread.c: threads, their messages, and looking for words in them, on both databases.
 */
#include "store-fixture.h"

#include <sqlite3.h>

#include "base/buf.h"
#include "store/mission.h"
#include "store/thread.h"

static struct thread thread_sample(const char *place)
{
	return (struct thread){.place = (char *)place,
			       .title = (char *)"nightly",
			       .last_at = 10,
			       .preview = (char *)"all is well",
			       .archived_at = USEC_NONE};
}

static struct mail mail_sample(int64_t thread, int64_t seq, const char *text)
{
	return (struct mail){.thread = thread,
			     .seq = seq,
			     .text = (char *)text,
			     .size = (int64_t)strlen(text),
			     .ask_until = USEC_NONE,
			     .read_at = USEC_NONE,
			     .created_at = seq};
}

static int64_t add_thread(struct db *db, const char *place, int64_t mission)
{
	struct thread t = thread_sample(place);
	struct error err = {0};

	t.mission = mission;
	ok(thread_insert(db, &t, &err));
	return t.key;
}

static int64_t add_mail(struct db *db, int64_t thread, int64_t seq, const char *text)
{
	struct mail m = mail_sample(thread, seq, text);
	struct error err = {0};

	ok(mail_insert(db, &m, &err));
	return m.key;
}

static int64_t add_mission(struct db *db, usec_t ended_at)
{
	struct mission m = {.agent = (char *)"builder",
			    .prompt = (char *)"look",
			    .phase = PHASE_ENDED,
			    .max_attempts = 1,
			    .ready_at = USEC_NONE,
			    .wait_until = USEC_NONE,
			    .started_at = USEC_NONE,
			    .ended_at = ended_at,
			    .archived_at = USEC_NONE};
	struct error err = {0};

	ok(mission_insert(db, &m, &err));
	return m.key;
}

static void assert_mails(const struct mail_list *list, const char *want)
{
	AUTO_BUF struct buf got = {0};

	for (size_t i = 0; i < list->count; i++)
		buf_printf(&got, "%s%d", i ? " " : "", (int)list->items[i]->seq);
	assert_string_equal(buf_text(&got), want);
}

static void assert_threads(const struct thread_list *list, const char *want)
{
	AUTO_BUF struct buf got = {0};

	for (size_t i = 0; i < list->count; i++)
		buf_printf(&got, "%s%s", i ? " " : "", list->items[i]->place);
	assert_string_equal(buf_text(&got), want);
}

static void assert_sound(struct db *db, const char *want)
{
	AUTO_BUF struct buf found = {0};
	struct error err = {0};

	ok(store_check(db, &found, &err));
	assert_string_equal(buf_text(&found), want);
	/* The words too, one by one. */
	if (db_kind(db) == DB_SQLITE)
		ok(db_exec(db,
			   "INSERT INTO message_words (message_words, rank)"
			   " VALUES ('integrity-check', 1)",
			   DB_NO_ARGS, &err));
}

/* Threads */

static void assert_same_thread(const struct thread *a, const struct thread *b)
{
	SAME(key), SAME(mission), SAME(messages), SAME(unread), SAME(asks), SAME(waiting);
	SAME(wanted), SAME(last_at), SAME(last_sender), SAME(archived_at);
	assert_string_equal(a->id, b->id);
	SAME_TEXT(place);
	SAME_TEXT(agent);
	SAME_TEXT(title);
	SAME_TEXT(preview);
}

static void test_thread(struct db *db)
{
	struct thread t = thread_sample("mission:mis-1");
	AUTO(thread_free) struct thread *first = NULL, *second = NULL, *at = NULL, *none = NULL;
	struct error err = {0};

	snprintf(t.id, sizeof(t.id), "mis-1"), t.mission = add_mission(db, 1);
	ok(thread_insert(db, &t, &err));
	ok(thread_get(db, t.key, &first, &err));
	assert_same_thread(&t, first);
	t.agent = (char *)"writer", t.title = (char *)"weekly", t.preview = (char *)"hm";
	t.messages = 5, t.unread = 4, t.asks = 3, t.waiting = 2, t.wanted = true, t.last_at = 11;
	t.last_sender = SENDER_PERSON, t.archived_at = 12;
	ok(thread_update(db, &t, &err));
	ok(thread_get(db, t.key, &second, &err));
	assert_same_thread(&t, second);
	ok(thread_at(db, "mission:mis-1", &at, &err));
	assert_same_thread(&t, at);
	ok(thread_at(db, "mission:mis-2", &none, &err));
	assert_null(none);
	assert_int_equal(thread_get(db, t.key + 1000, &none, &err), ERR_NOT_FOUND);
}

/* Between reading its counts and writing them, nobody else does: in PostgreSQL its row says who. */
static void test_thread_claimed(struct db *db)
{
	static const char claimed[] = "SELECT count(*) FROM threads WHERE xmax <> 0";
	AUTO(thread_free) struct thread *got = NULL, *at = NULL;
	int64_t first = add_thread(db, "agent:a", 0);
	struct error err = {0};

	add_thread(db, "agent:b", 0);
	if (db_kind(db) != DB_POSTGRES)
		return;
	ok(db_begin(db, &err));
	assert_int_equal(number_of(db, claimed), 0);
	ok(thread_get(db, first, &got, &err));
	assert_int_equal(number_of(db, claimed), 1);
	ok(thread_at(db, "agent:b", &at, &err));
	assert_int_equal(number_of(db, claimed), 2);
	ok(db_commit(db, &err));
}

static void test_thread_ids(struct db *db)
{
	struct thread one = thread_sample("agent:a"), two = thread_sample("agent:b");
	struct thread given = thread_sample("agent:c"), same = thread_sample("agent:a");
	AUTO(thread_free) struct thread *found = NULL, *again = NULL, *none = NULL;
	struct error err = {0};
	char prefix[8];

	/* The same random numbers again: the first try is taken. */
	random_seed(3);
	ok(thread_insert(db, &one, &err));
	random_seed(3);
	ok(thread_insert(db, &two, &err));
	assert_int_equal(strlen(one.id), 10);
	assert_memory_equal(one.id, "thr-", 4);
	assert_string_not_equal(one.id, two.id);
	snprintf(given.id, sizeof(given.id), "%s", one.id);
	assert_int_equal(thread_insert(db, &given, &err), ERR_CONFLICT);
	/* One thread a place. */
	assert_int_equal(thread_insert(db, &same, &err), ERR_CONFLICT);
	assert_string_equal(same.id, "");
	ok(thread_find(db, two.id, &found, &err));
	assert_true(found->key == two.key);
	snprintf(prefix, sizeof(prefix), "%.7s", one.id);
	ok(thread_find(db, prefix, &again, &err));
	assert_true(again->key == one.key);
	assert_int_equal(thread_find(db, "thr-", &none, &err), ERR_CONFLICT);
	assert_non_null(strstr(err.message, two.id));
	assert_int_equal(thread_find(db, "thr-!", &none, &err), ERR_NOT_FOUND);
	assert_non_null(strstr(err.message, "'thr-!'"));
}

/* clang-format off */
static const struct { const char *place; usec_t last_at; const char *agent, *title;
		      int64_t unread, asks; bool archived, wanted; } listed[] = {
	{"a", 10, "builder", "nightly", 0, 0, false, false},
	{"b", 30, "builder", "nightly", 2, 1, false, true},
	{"c", 20, NULL,      "weekly",  0, 1, false, false},
	{"d", 20, "writer",  "nightly", 1, 0, false, true},
	{"e", 40, "writer",  "nightly", 4, 2, true,  false},
	{"f", 5,  "builder", "weekly",  0, 0, true,  false},
	{"g", 20, "builder", "nightly", 0, 0, false, false},
};
static const struct { struct thread_filter filter; const char *want; } lists[] = {
	{{0},                                         "b g d c a"},
	{{.archived = true},                          "e b g d c a f"},
	{{.archived = true, .limit = 2},              "e b"},
	{{.unread_only = true},                       "b d"},
	{{.unread_only = true, .archived = true},     "e b d"},
	{{.asks_only = true},                         "e b c"},      /* I3: also when it is archived */
	{{.asks_only = true, .limit = 1},             "e"},
	{{.asks_only = true, .agent = "builder"},     "b"},
	{{.archived_only = true},                     "e f"},
	{{.archived_only = true, .asks_only = true},  "e"},
	{{.agent = "builder"},                        "b g a"},
	{{.agent = "nobody"},                         ""},
	{{.title = "weekly"},                         "c"},
	{{.title = "weekly", .archived = true},       "c f"},
	{{.title = "nightly", .unread_only = true, .agent = "writer"}, "d"},
};
/* clang-format on */

static void add_listed(struct db *db)
{
	struct error err = {0};

	for (size_t i = 0; i < sizeof(listed) / sizeof(listed[0]); i++) {
		struct thread t = thread_sample(listed[i].place);

		t.last_at = listed[i].last_at, t.agent = (char *)listed[i].agent, t.messages = 9;
		t.title = (char *)listed[i].title, t.wanted = listed[i].wanted;
		t.unread = listed[i].unread, t.asks = listed[i].asks;
		t.archived_at = listed[i].archived ? 60 : USEC_NONE;
		ok(thread_insert(db, &t, &err));
	}
}

static void test_thread_list(struct db *db)
{
	struct error err = {0};

	add_listed(db);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		AUTO_THREADS struct thread_list list = {0};
		struct thread_filter f = lists[i].filter;

		f.before_at = USEC_NONE, f.limit = f.limit ? f.limit : 100;
		ok(thread_list(db, &f, &list, &err));
		assert_threads(&list, lists[i].want);
	}
}

/* Page after page, each thread once, also where several are of one instant. */
static void test_thread_pages(struct db *db)
{
	struct thread_filter f = {.before_at = USEC_NONE, .limit = 2, .archived = true};
	AUTO_BUF struct buf got = {0};
	struct error err = {0};

	add_listed(db);
	for (size_t count = 2; count == 2;) {
		AUTO_THREADS struct thread_list page = {0};

		ok(thread_list(db, &f, &page, &err));
		count = page.count;
		for (size_t i = 0; i < count; i++) {
			buf_add_str(&got, page.items[i]->place);
			f.before_at = page.items[i]->last_at, f.before_key = page.items[i]->key;
		}
		buf_add_char(&got, '|');
	}
	assert_string_equal(buf_text(&got), "eb|gd|ca|f|");
}

static void test_thread_totals(struct db *db)
{
	AUTO_THREADS struct thread_list wanted = {0}, one = {0};
	struct error err = {0};
	int64_t unread = -1, asks = -1;

	ok(thread_totals(db, &unread, &asks, &err));
	assert_true(unread == 0 && asks == 0);
	add_listed(db);
	ok(thread_totals(db, &unread, &asks, &err));
	assert_true(unread == 3 && asks == 4);
	ok(thread_wanted(db, 99, 9, &wanted, &err));
	assert_threads(&wanted, "d b");
	ok(thread_wanted(db, 99, 1, &one, &err));
	assert_threads(&one, "d");
}

/* clang-format off */
static const struct { const char *place; usec_t last_at; int64_t unread, asks, waiting;
		      bool mission, goes; } quiet[] = {
	{"reminder:1", 10, 0, 0, 0, false, true},
	{"reminder:2", 11, 0, 0, 0, false, true},
	{"reminder:3", 20, 0, 0, 0, false, false},
	{"reminder:4", 10, 1, 0, 0, false, false},
	{"reminder:5", 10, 0, 1, 0, false, false},
	{"reminder:6", 10, 0, 0, 1, false, false},
	{"mission:7",  10, 0, 0, 0, true,  false},
};
/* clang-format on */

static void test_thread_prune(struct db *db)
{
	AUTO(thread_free) struct thread *t = NULL;
	AUTO_MAILS struct mail_list found = {0};
	struct error err = {0};
	AUTO_THREADS struct thread_list first = {0}, rest = {0};

	for (size_t i = 0; i < sizeof(quiet) / sizeof(quiet[0]); i++) {
		struct thread q = thread_sample(quiet[i].place);
		struct mail m;

		q.last_at = quiet[i].last_at, q.unread = quiet[i].unread, q.asks = quiet[i].asks;
		q.waiting = quiet[i].waiting, q.messages = 1;
		q.mission = quiet[i].mission ? add_mission(db, 1) : 0;
		ok(thread_insert(db, &q, &err));
		m = mail_sample(q.key, 1, "lantern");
		m.read_at = q.unread ? USEC_NONE : 5, m.ask = (enum asking)q.asks;
		m.reply = (enum handover)q.waiting;
		ok(mail_insert(db, &m, &err));
	}
	ok(thread_prune(db, 20, 1, &first, &err));
	assert_threads(&first, "reminder:1");
	ok(thread_prune(db, 20, 9, &rest, &err));
	assert_threads(&rest, "reminder:2");
	for (size_t i = 0; i < sizeof(quiet) / sizeof(quiet[0]); i++) {
		ok(thread_at(db, quiet[i].place, &t, &err));
		assert_int_equal(t == NULL, quiet[i].goes);
		thread_free(steal_ptr(&t));
	}
	ok(mail_search(db, &(struct mail_search){.words = "lantern", .limit = 9}, &found, &err));
	assert_int_equal(found.count, 5);
	assert_sound(db, "");
}

/* Messages */

static void assert_same_mail(const struct mail *a, const struct mail *b)
{
	SAME(key), SAME(thread), SAME(seq), SAME(sender), SAME(size), SAME(run), SAME(ask);
	SAME(ask_until), SAME(reply), SAME(carrier), SAME(queue), SAME(read_at), SAME(created_at);
	SAME(unprinted_at);
	SAME_TEXT(author);
	SAME_TEXT(title);
	SAME_TEXT(text);
	SAME_TEXT(file);
	SAME_TEXT(ask_default);
	assert_int_equal(a->attachments == NULL, b->attachments == NULL);
	assert_true(!a->attachments || json_equal(a->attachments, b->attachments));
}

static void test_mail(struct db *db)
{
	int64_t thread = add_thread(db, "belfry", 0), other = add_thread(db, "agent:a", 0);
	struct mail bare = mail_sample(thread, 1, ""), full = mail_sample(thread, 2, "## Done\n");
	AUTO(json_decref)
	json_t *files = json_pack("[{s:s,s:i}]", "name", "a \"b\".png", "size", 7);
	AUTO(mail_free) struct mail *first = NULL, *second = NULL, *third = NULL, *none = NULL;
	struct error err = {0};

	ok(mail_insert(db, &bare, &err));
	full.sender = SENDER_PERSON, full.author = (char *)"zoë", full.title = (char *)"Übung";
	full.size = 1 << 20, full.file = (char *)"threads/thr-1/2.md", full.attachments = files;
	full.run = 3, full.ask = ASKING_OPEN, full.ask_until = 50, full.reply = HANDOVER_WAITING;
	full.ask_default = (char *)"no", full.carrier = 8, full.queue = 9, full.read_at = 10;
	ok(mail_insert(db, &full, &err));
	ok(mail_get(db, thread, 1, &first, &err));
	assert_same_mail(&bare, first);
	ok(mail_get(db, thread, 2, &second, &err));
	assert_same_mail(&full, second);
	full.title = NULL, full.text = (char *)"changed", full.size = 7, full.ask = ASKING_EXPIRED;
	full.ask_until = USEC_NONE, full.reply = HANDOVER_OFFERED, full.carrier = 0;
	full.unprinted_at = 12;
	full.queue = 0, full.read_at = USEC_NONE;
	ok(mail_update(db, &full, &err));
	ok(mail_get(db, thread, 2, &third, &err));
	assert_same_mail(&full, third);
	assert_int_equal(mail_get(db, other, 1, &none, &err), ERR_NOT_FOUND);
	/* Two writers who counted alike: the second is refused. */
	bare.key = 0;
	assert_int_equal(mail_insert(db, &bare, &err), ERR_CONFLICT);
}

/* clang-format off */
static const struct pruned { const char *text; usec_t created_at; bool unread, mission; enum asking ask;
			     enum handover reply; const char *file, *attachments; int64_t queue;
			     bool last, goes; } over[] = {
	{"old and read",     10, .goes = true},
	{"answered",         10, .ask = ASKING_ANSWERED, .goes = true},
	{"told",             10, .reply = HANDOVER_DELIVERED, .goes = true},
	{"young",            20},
	{"unread",           10, .unread = true},
	{"asks",             10, .ask = ASKING_OPEN},
	{"waits",            10, .reply = HANDOVER_WAITING},
	{"on its way",       10, .reply = HANDOVER_OFFERED},
	{"a file",           10, .file = "threads/thr-1/9.md"},
	{"with a file",      10, .attachments = "[{\"name\": \"a\"}]"},
	{"in a queue",       10, .queue = 7},
	{"of a mission",     10, .mission = true},
	{"the newest",       10, .last = true},
};
/* clang-format on */

static void add_pruned(struct db *db, const struct pruned *row, int64_t thread, int64_t seq)
{
	AUTO(json_decref) json_t *attachments = NULL;
	struct mail m = mail_sample(thread, seq, "lantern");
	struct error err = {0};

	if (row->attachments)
		ok(json_parse(row->attachments, strlen(row->attachments), &attachments, &err));
	m.title = (char *)row->text, m.created_at = row->created_at;
	m.read_at = row->unread ? USEC_NONE : 15, m.ask = row->ask, m.reply = row->reply;
	m.file = (char *)row->file, m.attachments = attachments, m.queue = row->queue;
	ok(mail_insert(db, &m, &err));
}

static void prune_mails(struct db *db, usec_t before, int limit, int64_t want)
{
	struct error err = {0};
	int64_t done = -1;

	ok(mail_prune(db, before, limit, &done, &err));
	assert_int_equal(done, want);
}

/* One thread a row, so that each has to be told from the newest of its own. */
static void test_mail_prune(struct db *db)
{
	struct error err = {0};
	AUTO_MAILS struct mail_list found = {0};
	size_t stay = 0, count = sizeof(over) / sizeof(over[0]);
	struct mail_search all = {.words = "lantern", .limit = 99};
	char place[32];

	for (size_t i = 0; i < count; i++) {
		const struct pruned *row = &over[i];
		struct thread t;
		bool first;

		snprintf(place, sizeof(place), "agent:%zu", i);
		t = thread_sample(place);
		t.mission = row->mission ? add_mission(db, 1) : 0, t.messages = row->last ? 1 : 2;
		t.unread = (int64_t)row->unread + !row->last, t.asks = row->ask == ASKING_OPEN;
		t.waiting = row->reply && row->reply != HANDOVER_DELIVERED;
		ok(thread_insert(db, &t, &err));
		add_pruned(db, row, t.key, 1);
		if (!row->last)
			add_mail(db, t.key, 2, "wick");
		ok(mail_is_first(db, t.key, 2, &first, &err));
		assert_false(first);
		stay += !row->goes;
	}
	prune_mails(db, 10, 99, 0);
	prune_mails(db, 20, 2, 2);
	prune_mails(db, 20, 99, 1);
	prune_mails(db, 20, 99, 0);
	ok(mail_search(db, &all, &found, &err));
	assert_int_equal(found.count, stay);
	for (size_t i = 0; i < found.count; i++)
		for (size_t k = 0; k < count; k++)
			assert_false(over[k].goes &&
				     strcmp(over[k].text, found.items[i]->title) == 0);
	assert_sound(db, "");
}

/* What is left of a thread is read as before, with gaps. */
static void test_mail_gaps(struct db *db)
{
	struct thread t = thread_sample("belfry");
	struct error err = {0};
	AUTO_MAILS struct mail_list newest = {0}, after = {0};
	AUTO(mail_free) struct mail *m = NULL;
	bool first = false;

	t.messages = 6, t.unread = 2;
	ok(thread_insert(db, &t, &err));
	for (int64_t seq = 1; seq <= t.messages; seq++) {
		struct mail one = mail_sample(t.key, seq, "lantern");

		one.read_at = seq == 3 || seq == 6 ? USEC_NONE : 7;
		ok(mail_insert(db, &one, &err));
	}
	prune_mails(db, 5, 99, 3);
	ok(mail_list(db, t.key, &(struct mail_page){0, -1, 2, 1000}, &newest, &err));
	assert_mails(&newest, "5 6");
	ok(mail_list(db, t.key, &(struct mail_page){0, 0, 2, 1000}, &after, &err));
	assert_mails(&after, "3 5");
	ok(mail_is_first(db, t.key, 3, &first, &err));
	assert_true(first);
	ok(mail_is_first(db, t.key, 5, &first, &err));
	assert_false(first);
	assert_int_equal(mail_get(db, t.key, 4, &m, &err), ERR_NOT_FOUND);
	assert_sound(db, "");
}

static void test_mail_largest(struct db *db)
{
	AUTO(free) char *text = mem_alloc(MAIL_TEXT_MAX + 1);
	int64_t thread = add_thread(db, "belfry", 0);
	AUTO(mail_free) struct mail *m = NULL;
	AUTO_MAILS struct mail_list found = {0};
	struct error err = {0};

	/* Many different words, and one that is longer than any index likes. */
	for (size_t i = 0; i < MAIL_TEXT_MAX; i++)
		text[i] = i < 4000 ? 'x' : i % 7 == 0 ? ' ' : (char)('a' + (i * i / 11) % 26);
	text[MAIL_TEXT_MAX] = '\0';
	memcpy(text + MAIL_TEXT_MAX - 8, " lantern", 8);
	add_mail(db, thread, 1, text);
	ok(mail_get(db, thread, 1, &m, &err));
	assert_string_equal(m->text, text);
	ok(mail_search(db, &(struct mail_search){.words = "lantern", .limit = 9}, &found, &err));
	assert_int_equal(found.count, 1);
}

/* clang-format off */
/* Ten messages of 100 bytes each, but for the fourth, which is longer than its row keeps. */
static const struct { struct mail_page page; const char *want; } pages[] = {
	{{0,  -1, 3,   1 << 20}, "8 9 10"},
	{{8,  -1, 3,   1 << 20}, "5 6 7"},
	{{3,  -1, 9,   1 << 20}, "1 2"},
	{{1,  -1, 9,   1 << 20}, ""},
	{{99, -1, 2,   1 << 20}, "9 10"},
	{{0,  -1, 100, 250},     "9 10"},
	{{0,  -1, 100, 300},     "8 9 10"},
	{{0,  -1, 100, 0},       "10"},
	{{0,  -1, 100, 10000},   "5 6 7 8 9 10"},
	{{0,  -1, 100, 70000},   "1 2 3 4 5 6 7 8 9 10"},
	{{0,  0,  3,   1 << 20}, "1 2 3"},
	{{2,  3,  3,   1 << 20}, "4 5 6"},
	{{0,  9,  9,   1 << 20}, "10"},
	{{0,  10, 9,   1 << 20}, ""},
	{{0,  0,  9,   200},     "1 2"},
	{{0,  3,  9,   200},     "4"},
};
/* clang-format on */

static void test_mail_pages(struct db *db)
{
	int64_t thread = add_thread(db, "belfry", 0), other = add_thread(db, "agent:a", 0);
	struct error err = {0};

	for (int i = 1; i <= 10; i++) {
		struct mail m = mail_sample(thread, i, "text");

		m.size = i == 4 ? 1 << 30 : 100;
		ok(mail_insert(db, &m, &err));
		add_mail(db, other, i, "not this one");
	}
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		AUTO_MAILS struct mail_list list = {0};

		ok(mail_list(db, thread, &pages[i].page, &list, &err));
		assert_mails(&list, pages[i].want);
	}
}

/* Three unread ones, the second from a queue, and one of the person's own. */
static void test_mail_mark(struct db *db)
{
	static const char unread[] = "SELECT count(*) FROM messages WHERE read_at IS NULL";
	int64_t thread = add_thread(db, "belfry", 0), other = add_thread(db, "agent:a", 0);
	struct mail queued = mail_sample(thread, 2, "x"), own = mail_sample(thread, 3, "y");
	AUTO_MAILS struct mail_list first = {0}, all = {0}, none = {0};
	AUTO(mail_free) struct mail *found = NULL, *missing = NULL, *read = NULL;
	struct error err = {0};
	int64_t n = -1;

	add_mail(db, thread, 1, "w");
	queued.queue = 77;
	ok(mail_insert(db, &queued, &err));
	own.sender = SENDER_PERSON, own.read_at = 4;
	ok(mail_insert(db, &own, &err));
	add_mail(db, thread, 4, "z");
	add_mail(db, other, 1, "elsewhere");
	ok(mail_unread_queued(db, thread, 1, &first, &err));
	assert_mails(&first, "");
	ok(mail_unread_queued(db, thread, 0, &all, &err));
	assert_mails(&all, "2");
	ok(mail_of_queue(db, 77, &found, &err));
	assert_int_equal(found->key, queued.key);
	ok(mail_of_queue(db, 78, &missing, &err));
	assert_null(missing);
	ok(mail_mark(db, thread, true, 2, 50, &n, &err));
	assert_int_equal(n, 2);
	ok(mail_get(db, thread, 2, &read, &err));
	assert_true(read->read_at == 50);
	ok(mail_unread_queued(db, thread, 0, &none, &err));
	assert_mails(&none, "");
	ok(mail_mark(db, thread, true, 0, 60, &n, &err));
	assert_int_equal(n, 1);
	assert_int_equal(number_of(db, unread), 1);
	ok(mail_mark(db, thread, true, 0, 70, &n, &err));
	assert_int_equal(n, 0);
	/* Unread again, but for what the person wrote. */
	ok(mail_mark(db, thread, false, 0, 80, &n, &err));
	assert_int_equal(n, 3);
	assert_int_equal(number_of(db, unread), 4);
}

static void test_mail_replies(struct db *db)
{
	int64_t thread = add_thread(db, "mission:1", add_mission(db, 1));
	int64_t other = add_thread(db, "agent:a", 0);
	AUTO_MAILS struct mail_list waiting = {0}, none = {0};
	struct error err = {0};

	for (int i = HANDOVER_NONE; i <= HANDOVER_DELIVERED; i++) {
		struct mail m = mail_sample(thread, HANDOVER_DELIVERED - i + 1, "answer");

		m.reply = (enum handover)i, m.sender = SENDER_PERSON;
		ok(mail_insert(db, &m, &err));
	}
	ok(mail_undelivered(db, thread, &waiting, &err));
	assert_mails(&waiting, "2 3");
	assert_int_equal(waiting.items[0]->reply, HANDOVER_OFFERED);
	assert_int_equal(waiting.items[1]->reply, HANDOVER_WAITING);
	ok(mail_undelivered(db, other, &none, &err));
	assert_mails(&none, "");
}

static void test_mail_asks(struct db *db)
{
	/* clang-format off */
	static const struct { enum asking ask; usec_t until; } given[] = {
		{ASKING_OPEN, 300}, {ASKING_ANSWERED, 10}, {ASKING_OPEN, USEC_NONE},
		{ASKING_OPEN, 100}, {ASKING_EXPIRED, 20},  {ASKING_OPEN, 200}, {ASKING_NONE, USEC_NONE},
	};
	/* clang-format on */
	int64_t thread = add_thread(db, "belfry", 0), other = add_thread(db, "agent:a", 0);
	AUTO_MAILS struct mail_list open = {0}, none = {0}, early = {0}, due = {0}, one = {0};
	struct error err = {0};
	usec_t at = 0;

	ok(mail_next_expiry(db, &at, &err));
	assert_true(at == USEC_NONE);
	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
		struct mail m = mail_sample(thread, (int64_t)i + 1, "may I?");

		m.ask = given[i].ask, m.ask_until = given[i].until;
		ok(mail_insert(db, &m, &err));
	}
	ok(mail_open_asks(db, thread, &open, &err));
	assert_mails(&open, "1 3 4 6");
	ok(mail_open_asks(db, other, &none, &err));
	assert_mails(&none, "");
	ok(mail_next_expiry(db, &at, &err));
	assert_true(at == 100);
	ok(mail_expired_asks(db, 99, 9, &early, &err));
	assert_mails(&early, "");
	ok(mail_expired_asks(db, 250, 9, &due, &err));
	assert_mails(&due, "4 6");
	ok(mail_expired_asks(db, 250, 1, &one, &err));
	assert_mails(&one, "4");
}

static void test_mail_run(struct db *db)
{
	int64_t thread = add_thread(db, "belfry", 0), other = add_thread(db, "agent:a", 0);
	struct mail m = mail_sample(thread, 1, "done"), notice = mail_sample(thread, 2, "failed");
	struct error err = {0};
	bool wrote = false;

	m.sender = SENDER_AGENT, m.run = 2;
	ok(mail_insert(db, &m, &err));
	notice.sender = SENDER_BELFRY, notice.run = 3;
	ok(mail_insert(db, &notice, &err));
	ok(mail_run_wrote(db, thread, 2, &wrote, &err));
	assert_true(wrote);
	ok(mail_run_wrote(db, thread, 3, &wrote, &err));
	assert_false(wrote);
	ok(mail_run_wrote(db, thread, 1, &wrote, &err));
	assert_false(wrote);
	wrote = true;
	ok(mail_run_wrote(db, other, 2, &wrote, &err));
	assert_false(wrote);
}

/* Looking for words */

/* clang-format off */
static const struct { const char *title, *text; } searched[] = {
	{NULL,           "The nightly build failed: disk full"},                          /* 1 */
	{"Build report", "All tests green; see src/main.c and https://example.org/a_b"},  /* 2 */
	{NULL,           "rate-limit reached at 10:30, retry in 5m"},                     /* 3 */
	{NULL,           "The limit of the rate is a NEAR miss AND it's OR-dered"},       /* 4 */
	{"Größe",        "Caf\xc3\xa9 na\xc3\xafve \xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e"},  /* 5 */
	{NULL,           "<b>bold</b> &amp; C:\\temp\\x"},                                /* 6 */
	{NULL,           ""},                                                             /* 7 */
	{"週報",         "新しい見出し語を日本語で書く。キーワード検索と漢字"},              /* 8 */
};
static const struct { const char *words, *want; } searches[] = {
	{"build",              "2 1"},
	{"BUILD",              "2 1"},
	{"full disk",          "1"},
	{"build green",        "2"},
	{"fai",                "1"},
	{"fai build",          ""},          /* only the last may be a beginning */
	{"build fai",          "1"},
	{"\"fai\"",            ""},
	{"\"disk full\"",      "1"},
	{"\"full disk\"",      ""},
	{"\"disk full",        "1"},         /* a quote that is never closed */
	{"\"the rate\" near",  "4"},
	{"rate limit",         "4 3"},
	{"rate-limit",         "3"},
	{"rate-lim",           "3"},
	{"\"rate limit\"",     "3"},
	{"main.c",             "2"},
	{"src/main.c",         "2"},
	{"main",               "2"},
	{"example.org",        "2"},
	{"a_b",                "2"},
	{"10:30",              "3"},
	{"5m",                 "3"},
	{"it's",               "4"},
	{"<b>bold",            "6"},
	{"amp",                "6"},
	{"C:\\temp",           "6"},
	{"caf\xc3\xa9",        "5"},
	{"CAF",                "5"},
	{"\xe6\x97\xa5",       "8 5"},
	/* I14: no blanks between words, so they are found anywhere */
	{"日本",               "8 5"},
	{"本語",               "8 5"},
	{"日本語",             "8 5"},
	{"見出し",             "8"},
	{"し語",               "8"},
	{"\"見出し\"",         "8"},
	{"字",                 "8"},
	{"ワード検索 漢字",    "8"},
	{"漢字 見出",          "8"},
	{"週報 日本",          "8"},
	{"語本",               ""},
	{"見語",               ""},
	{"nothing-like-it",    ""},
	{"build *",            "2 1"},
	{"build \"\" !",       "2 1"},
	/* Nothing of it is syntax. */
	{"NEAR",               "4"},
	{"AND",                "4 2"},
	{"OR",                 "4 2"},       /* and the beginning of org */
	{"NOT",                ""},
	{"build AND",          "2"},
	{"build NOT green",    ""},
	{"NEAR(disk full)",    ""},
	{"\"near miss\" and",  "4"},
	{"title:build",        ""},
	{"title : build",      ""},
	{"-title",             ""},
	{"{title text}:disk",  ""},
	{"^build",             "2 1"},
	{"build + report",     "2"},
	{"dis*",               "1"},
	{"d*sk",               ""},
	{"disk & full",        "1"},
	{"disk | green",       ""},
	{"!disk",              "1"},
	{"disk <-> full",      "1"},
	{"full <-> disk",      "1"},         /* two words, in any order */
	{"(disk",              "1"},
	{"disk:*",             "1"},
	{"disk:A",             ""},
	{"disk' OR '1'='1",    ""},
	{"disk\\",             "1"},
	{"di\\sk",             ""},
	{"disk\n\tfull",       "1"},
	{"%",                  NULL},
	{"",                   NULL},
	{" \"\" ' \\ * ",      NULL},
};
/* clang-format on */

static void test_search(struct db *db)
{
	int64_t thread = add_thread(db, "belfry", 0);
	struct error err = {0};

	for (size_t i = 0; i < sizeof(searched) / sizeof(searched[0]); i++) {
		struct mail m = mail_sample(thread, (int64_t)i + 1, searched[i].text);

		m.title = (char *)searched[i].title;
		ok(mail_insert(db, &m, &err));
	}
	for (size_t i = 0; i < sizeof(searches) / sizeof(searches[0]); i++) {
		AUTO_MAILS struct mail_list found = {0};
		AUTO_BUF struct buf got = {0};
		struct mail_search s = {.words = searches[i].words, .limit = 9};
		int r = mail_search(db, &s, &found, &err);

		if (!searches[i].want) {
			assert_int_equal(r, ERR_INVALID);
			continue;
		}
		if (r < 0)
			fail_msg("'%s': %s", s.words, err.message);
		for (size_t k = 0; k < found.count; k++)
			buf_printf(&got, "%s%d", k ? " " : "", (int)found.items[k]->seq);
		if (strcmp(buf_text(&got), searches[i].want) != 0)
			fail_msg("'%s' finds '%s', not '%s'", s.words, buf_text(&got),
				 searches[i].want);
	}
}

/* What PostgreSQL's `simple` cannot do. */
static void test_search_accents(struct db *db)
{
	AUTO_MAILS struct mail_list found = {0};
	struct error err = {0};

	if (db_kind(db) != DB_SQLITE)
		return;
	add_mail(db, add_thread(db, "belfry", 0), 1,
		 "Caf\xc3\xa9 in \xc3\x96"
		 "denburg");
	ok(mail_search(db, &(struct mail_search){.words = "oden cafe", .limit = 9}, &found, &err));
	assert_mails(&found, "");
	ok(mail_search(db, &(struct mail_search){.words = "cafe oden", .limit = 9}, &found, &err));
	assert_mails(&found, "1");
}

static void search_is(struct db *db, struct mail_search s, const char *want)
{
	AUTO_MAILS struct mail_list found = {0};
	struct error err = {0};

	ok(mail_search(db, &s, &found, &err));
	assert_mails(&found, want);
}

/* More than the newest that are looked through without an index, where there is such a thing. */
static void test_search_pages(struct db *db)
{
	int64_t thread = add_thread(db, "belfry", 0), key[700];
	struct error err = {0};

	ok(db_begin(db, &err));
	for (int i = 1; i < 700; i++)
		key[i] = add_mail(db, thread, i, i % 100 ? "wick oil" : "wick lantern");
	ok(db_commit(db, &err));
	search_is(db, (struct mail_search){.words = "wick", .limit = 3}, "699 698 697");
	search_is(db, (struct mail_search){.words = "wick", .limit = 2, .before = key[698]},
		  "697 696");
	search_is(db, (struct mail_search){.words = "wick", .limit = 2, .before = key[3]}, "2 1");
	search_is(db, (struct mail_search){.words = "lantern", .limit = 99},
		  "600 500 400 300 200 100");
	search_is(db, (struct mail_search){.words = "lantern", .limit = 2}, "600 500");
	search_is(db, (struct mail_search){.words = "lantern", .limit = 2, .before = key[500]},
		  "400 300");
	search_is(db, (struct mail_search){.words = "lantern", .limit = 9, .before = key[200]},
		  "100");
	search_is(db, (struct mail_search){.words = "lantern", .limit = 9, .before = key[100]}, "");
}

static void test_search_archived(struct db *db)
{
	int64_t here = add_thread(db, "belfry", 0);
	struct thread away = thread_sample("agent:a");
	struct error err = {0};

	away.archived_at = 5;
	ok(thread_insert(db, &away, &err));
	add_mail(db, here, 1, "lantern");
	add_mail(db, away.key, 2, "lantern");
	search_is(db, (struct mail_search){.words = "lantern", .limit = 9}, "1");
	search_is(db, (struct mail_search){.words = "lantern", .limit = 9, .archived = true},
		  "2 1");
}

/* A message that grows is found by what it says now; one whose state changes stays as it is. */
static void test_search_update(struct db *db)
{
	struct mail m = mail_sample(add_thread(db, "belfry", 0), 1, "lantern");
	struct error err = {0};
	int64_t n;

	m.title = (char *)"wick";
	ok(mail_insert(db, &m, &err));
	m.read_at = 5;
	ok(mail_update(db, &m, &err));
	search_is(db, (struct mail_search){.words = "wick lantern", .limit = 9}, "1");
	m.text = (char *)"candle", m.title = NULL;
	ok(mail_update(db, &m, &err));
	search_is(db, (struct mail_search){.words = "lantern", .limit = 9}, "");
	search_is(db, (struct mail_search){.words = "wick", .limit = 9}, "");
	search_is(db, (struct mail_search){.words = "candle", .limit = 9}, "1");
	ok(mail_mark(db, m.thread, false, 0, 1, &n, &err));
	ok(db_exec(db, "UPDATE threads SET messages = 1, unread = 1", DB_NO_ARGS, &err));
	assert_sound(db, "");
}

/* As many words as a person may paste. */
static void test_search_long(struct db *db)
{
	AUTO_BUF struct buf words = {0};
	AUTO_MAILS struct mail_list found = {0};
	struct error err = {0};

	add_mail(db, add_thread(db, "belfry", 0), 1, "lantern");
	for (int i = 0; i < 3000; i++)
		buf_add_str(&words, i % 2 ? "lantern " : "\"lantern\" ");
	ok(mail_search(db, &(struct mail_search){.words = buf_text(&words), .limit = 9}, &found,
		       &err));
	assert_mails(&found, "1");
}

/* Missions */

static void test_mission_delete(struct db *db)
{
	int64_t mission = add_mission(db, 1), other = add_mission(db, 1);
	int64_t thread = add_thread(db, "mission:1", mission);
	int64_t kept = add_thread(db, "mission:2", other);
	AUTO(thread_free) struct thread *t = NULL;
	struct error err = {0};

	add_mail(db, thread, 2, "lantern and wick");
	add_mail(db, thread, 3, "lantern");
	add_mail(db, kept, 1, "lantern");
	ok(mission_delete(db, mission, &err));
	assert_int_equal(thread_get(db, thread, &t, &err), ERR_NOT_FOUND);
	assert_int_equal(number_of(db, "SELECT count(*) FROM messages"), 1);
	search_is(db, (struct mail_search){.words = "lantern", .limit = 9, .archived = true}, "1");
	search_is(db, (struct mail_search){.words = "wick", .limit = 9, .archived = true}, "");
	ok(db_exec(db, "UPDATE threads SET messages = 1, unread = 1", DB_NO_ARGS, &err));
	assert_sound(db, "");
}

/* Retention leaves a mission alone while its thread waits for somebody. */
static void test_mission_old(struct db *db)
{
	/* clang-format off */
	static const struct { int64_t unread, asks, waiting; bool archived, goes; } given[] = {
		{0, 0, 0, false, true},  {1, 0, 0, false, false}, {0, 1, 0, false, false},
		{0, 0, 1, false, false}, {1, 0, 0, true, true},   {1, 1, 0, true, false},
		{1, 0, 1, true, false},
	};
	/* clang-format on */
	int64_t bare = add_mission(db, 1), goes[8];
	size_t count = 0;
	AUTO_MISSIONS struct mission_list old = {0};
	struct error err = {0};
	char place[32];

	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
		struct thread t;

		snprintf(place, sizeof(place), "mission:%zu", i);
		t = thread_sample(place);
		t.mission = add_mission(db, 2), t.messages = 1, t.unread = given[i].unread;
		t.asks = given[i].asks, t.waiting = given[i].waiting;
		t.archived_at = given[i].archived ? 3 : USEC_NONE;
		if (given[i].goes)
			goes[count++] = t.mission;
		ok(thread_insert(db, &t, &err));
	}
	ok(mission_old(db, 10, 9, &old, &err));
	assert_int_equal(old.count, 1 + count);
	assert_true(old.items[0]->key == bare);
	for (size_t i = 0; i < count; i++)
		assert_true(old.items[i + 1]->key == goes[i]);
}

/* What 'belfry doctor' is told */

static void assert_found(struct db *db, const char *change, const char *want)
{
	AUTO_BUF struct buf found = {0};
	struct error err = {0};

	ok(db_exec(db, change, DB_NO_ARGS, &err));
	ok(store_check(db, &found, &err));
	if (!want)
		assert_string_equal(buf_text(&found), "");
	else
		assert_non_null(strstr(buf_text(&found), want));
}

static void test_check(struct db *db)
{
	struct thread t = thread_sample("belfry");
	struct mail m;
	struct error err = {0};

	snprintf(t.id, sizeof(t.id), "thr-1"), t.messages = 2, t.unread = t.asks = t.waiting = 1;
	ok(thread_insert(db, &t, &err));
	add_thread(db, "agent:a", 0);
	m = mail_sample(t.key, 1, "lantern"), m.ask = ASKING_OPEN;
	ok(mail_insert(db, &m, &err));
	m = mail_sample(t.key, 2, "wick"), m.reply = HANDOVER_OFFERED, m.read_at = 1;
	ok(mail_insert(db, &m, &err));
	assert_sound(db, "");
	assert_found(db, "UPDATE threads SET unread = 2 WHERE messages = 2",
		     "inbox: thread thr-1 says 2 messages, 2 unread, 1 asks, 1 waiting;"
		     " it has 2, 1, 1, 1\n");
	assert_found(db, "UPDATE threads SET unread = 1, asks = 0 WHERE messages = 2", "0 asks");
	assert_found(db, "UPDATE threads SET asks = 1, waiting = 2 WHERE messages = 2",
		     "2 waiting");
	assert_found(db, "UPDATE threads SET waiting = 1, messages = 3 WHERE messages = 2",
		     "3 messages");
	assert_found(db, "UPDATE threads SET messages = 2 WHERE messages = 3", NULL);
	assert_found(db, "UPDATE messages SET seq = 5 WHERE seq = 2", "says 2 messages");
	assert_found(db, "UPDATE messages SET seq = 2 WHERE seq = 5", NULL);
	if (db_kind(db) == DB_SQLITE)
		assert_found(db, "DELETE FROM threads WHERE messages = 2",
			     "search: message 1 is in the index, and gone\n");
}

/* The inbox is read from its indexes: nothing is read from end to end, or sorted. */
static void ask_all(struct db *db, int64_t thread)
{
	struct thread_filter f = {.before_at = USEC_NONE, .limit = 5};
	AUTO_THREADS struct thread_list first = {0}, next = {0}, wanted = {0}, gone = {0};
	AUTO_MAILS struct mail_list newest = {0}, after = {0}, queued = {0}, waiting = {0};
	AUTO_MAILS struct mail_list asks = {0}, expired = {0}, found = {0};
	AUTO(mail_free) struct mail *m = NULL;
	AUTO(thread_free) struct thread *t = NULL;
	struct error err = {0};
	int64_t n;
	bool wrote;

	ok(thread_list(db, &f, &first, &err));
	f.before_at = first.items[4]->last_at, f.before_key = first.items[4]->key;
	ok(thread_list(db, &f, &next, &err));
	ok(thread_wanted(db, 99, 5, &wanted, &err));
	ok(thread_totals(db, &n, &n, &err));
	ok(thread_at(db, "agent:7", &t, &err));
	ok(thread_prune(db, 0, 5, &gone, &err));
	ok(mail_prune(db, 50, 5, &n, &err));
	ok(mail_is_first(db, thread, 50, &wrote, &err));
	ok(mail_list(db, thread, &(struct mail_page){0, -1, 5, 1000}, &newest, &err));
	ok(mail_list(db, thread, &(struct mail_page){0, 3, 5, 1000}, &after, &err));
	ok(mail_mark(db, thread, true, 1, 1, &n, &err));
	ok(mail_unread_queued(db, thread, 1, &queued, &err));
	ok(mail_of_queue(db, 1, &m, &err));
	ok(mail_undelivered(db, thread, &waiting, &err));
	ok(mail_open_asks(db, thread, &asks, &err));
	ok(mail_expired_asks(db, 0, 5, &expired, &err));
	ok(mail_next_expiry(db, &n, &err));
	ok(mail_run_wrote(db, thread, 99, &wrote, &err));
	ok(mail_search(db, &(struct mail_search){.words = "lantern", .limit = 5}, &found, &err));
	ok(mission_delete(db, 99, &err));
}

static void assert_no_scans(struct db *db)
{
	sqlite3_stmt *st = NULL;

	while ((st = sqlite3_next_stmt(sqlite_handle(db), st))) {
		int scanned = sqlite3_stmt_status(st, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0);
		int sorted = sqlite3_stmt_status(st, SQLITE_STMTSTATUS_SORT, 0);

		/* A page is 5 rows, of a hundred. */
		if (scanned > 10 || sorted)
			fail_msg("%d steps of a scan, %d sorts: %s", scanned, sorted,
				 sqlite3_sql(st));
	}
}

static void test_plans(struct db *db)
{
	struct error err = {0};
	int64_t big = 0;
	char place[32];

	ok(db_begin(db, &err));
	for (int i = 0; i < 100; i++) {
		struct thread t;

		snprintf(place, sizeof(place), "agent:%d", i);
		t = thread_sample(place);
		t.last_at = i / 3, t.messages = 1, t.unread = i % 50 == 0, t.wanted = i % 50 == 0;
		ok(thread_insert(db, &t, &err));
		big = big ? big : t.key;
		add_mail(db, t.key, i ? 1 : 101, "lantern");
		add_mail(db, big, i + 1, "lantern and wick");
	}
	ok(db_commit(db, &err));
	ask_all(db, big);
	if (db_kind(db) == DB_SQLITE)
		assert_no_scans(db);
}

/* clang-format off */
static const struct store_row rows[] = {
	{"A22 a thread",                                test_thread},
	{"A22 ids and places of threads",               test_thread_ids},
	{"A19 a thread is one writer's at a time",      test_thread_claimed},
	{"A22 threads listed",                          test_thread_list},
	{"A22 threads, page after page",                test_thread_pages},
	{"A22 how much is unread, what is wanted",      test_thread_totals},
	{"A22 retention of threads",                    test_thread_prune},
	{"A20 a message",                               test_mail},
	{"A22 retention of messages",                   test_mail_prune},
	{"A23 a thread some messages of which are gone", test_mail_gaps},
	{"A20 the largest text",                        test_mail_largest},
	{"A23 pages of a thread",                       test_mail_pages},
	{"A23 read and unread",                         test_mail_mark},
	{"A25 replies that wait",                       test_mail_replies},
	{"A20 questions and their time",                test_mail_asks},
	{"A25 whether a run wrote",                     test_mail_run},
	{"A22 words that are looked for",               test_search},
	{"A22 accents do not matter",                   test_search_accents},
	{"A22 what is found, page after page",          test_search_pages},
	{"A22 what is found in archived threads",       test_search_archived},
	{"A22 a message that changes is found anew",    test_search_update},
	{"A22 very many words",                         test_search_long},
	{"A26 a mission goes with its thread and words", test_mission_delete},
	{"A26 a mission whose thread waits is kept",    test_mission_old},
	{"A22 counts that do not fit are found",        test_check},
	{"A22 plans use the indexes",                   test_plans},
};
/* clang-format on */

int main(void)
{
	return run_store_rows("store-thread", rows, sizeof(rows) / sizeof(rows[0]));
}
