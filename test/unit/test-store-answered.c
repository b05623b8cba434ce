/*
 * test-store-answered.c: requests with an id of their caller, and messages that are taken in two steps, through the
 * request table, on every store there is.
 */
#include "store-fixture.h"

#include "config/config.h"
#include "engine/change.h"
#include "request/request.h"
#include "store/answered.h"

#define NOW (1770000000 * USEC_PER_SEC)
#define CONFIG "agents: {builder: {command: [x]}}\n"
#define ADD "{\"agent\":\"builder\",\"message\":\"tea\",\"in\":\"1h\"}"
#define ADD_OTHER "{\"agent\":\"builder\",\"message\":\"milk\",\"in\":\"1h\"}"

struct world {
	struct db *db;
	struct engine *engine;
	struct config *config;
	const char *user;
	usec_t now;
	bool earlier; /* of the last answer */
	struct error err;
};

static struct world world_new(struct db *db)
{
	struct world w = {.db = db, .user = "me", .now = NOW};
	struct error err = {0};

	ok(config_parse(CONFIG, strlen(CONFIG), "/c/config.yml", &w.config, &err));
	w.engine = engine_new(db, w.config);
	return w;
}

static void world_free(struct world *w)
{
	engine_drop_jobs(w->engine);
	engine_free(w->engine);
	config_free(w->config);
}
#define AUTO_WORLD __attribute__((cleanup(world_free)))

static json_t *ask(struct world *w, const char *id, const char *row, const char *args)
{
	struct request rq = {.engine = w->engine,
			     .now = w->now,
			     .home = "/nowhere",
			     .caller = {.user = w->user, .trust = TRUST_FULL}};
	AUTO(json_decref) json_t *given = NULL;
	json_t *result = NULL;
	struct error err = {0};

	w->err = (struct error){0};
	ok(json_parse(args, strlen(args), &given, &err));
	ok(db_begin(w->db, &err));
	if (request_run_once(request_find(row), &rq, id, given, &result, &w->earlier, &w->err) < 0)
		db_rollback(w->db);
	else
		ok(db_commit(w->db, &err));
	return result;
}

static int64_t reminders(const struct world *w)
{
	return number_of(w->db, "SELECT count(*) FROM reminders");
}

static void test_once(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	AUTO(json_decref) json_t *first = ask(&w, "one", "reminder add", ADD);
	AUTO(json_decref) json_t *again = ask(&w, "one", "reminder add", ADD), *other = NULL;

	assert_non_null(first);
	assert_true(w.earlier);
	assert_true(json_equal(first, again));
	assert_int_equal(reminders(&w), 1);
	other = ask(&w, "two", "reminder add", ADD);
	assert_non_null(other);
	assert_false(w.earlier);
	assert_int_equal(reminders(&w), 2);
	/* One that reads is answered anew, and leaves nothing. */
	json_decref(ask(&w, "three", "reminder list", "{}"));
	assert_int_equal(number_of(w.db, "SELECT count(*) FROM answered"), 2);
}

static void test_bounds(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	AUTO(json_decref) json_t *first = ask(&w, "one", "reminder add", ADD), *of_other = NULL;

	/* The same id for something else is refused, whatever it is. */
	assert_null(ask(&w, "one", "reminder add", ADD_OTHER));
	assert_int_equal(w.err.code, ERR_CONFLICT);
	assert_null(ask(&w, "one", "reminder remove", "{\"reminder\":\"x\"}"));
	assert_int_equal(w.err.code, ERR_CONFLICT);
	assert_null(ask(&w, "", "reminder add", ADD));
	assert_int_equal(w.err.code, ERR_INVALID);
	/* Nobody gets at the answers of another. */
	w.user = "alice";
	of_other = ask(&w, "one", "reminder add", ADD);
	assert_false(w.earlier);
	assert_false(json_equal(first, of_other));
	/* What was refused was not done, and may succeed later. */
	w.user = "me";
	assert_null(ask(&w, "bad", "reminder remove", "{\"reminder\":\"nothing\"}"));
	assert_null(ask(&w, "bad", "reminder remove", "{\"reminder\":\"nothing\"}"));
	assert_int_equal(w.err.code, ERR_NOT_FOUND);
}

static void test_secret(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	AUTO(json_decref) json_t *token = ask(&w, "one", "token add", "{\"user\":\"me\"}");

	if (!token)
		fail_msg("%s", w.err.message);
	assert_int_equal(number_of(w.db, "SELECT count(*) FROM answered WHERE result IS NULL"), 1);
	assert_null(ask(&w, "one", "token add", "{\"user\":\"me\"}"));
	assert_int_equal(w.err.code, ERR_CONFLICT);
	assert_non_null(strstr(w.err.message, "was carried out"));
}

static void test_prune(struct db *db)
{
	struct answered found = {0};
	struct error err = {0};
	char id[16];

	ok(db_begin(db, &err));
	for (int i = 0; i < 20; i++) {
		snprintf(id, sizeof(id), "id %02d", i);
		ok(answered_add(db, id, &(struct answered){.digest = i}, i, &err));
	}
	ok(answered_prune(db, 5, 100, &err));
	assert_int_equal(number_of(db, "SELECT min(at) FROM answered"), 5);
	ok(answered_prune(db, 0, 10, &err));
	assert_int_equal(number_of(db, "SELECT min(at) FROM answered"), 9);
	assert_int_equal(answered_find(db, "id 08", &found, &err), 0);
	assert_int_equal(answered_find(db, "id 19", &found, &err), 1);
	assert_int_equal(found.digest, 19);
	answered_fini(&found);
	ok(db_commit(db, &err));
}

/* --- two steps --- */

static void queue(const struct world *w, const char *body)
{
	AUTO(message_free) struct message *m = mem_zalloc(sizeof(*m));
	struct error err = {0};

	m->agent = mem_strdup("builder");
	m->body = mem_strdup(body);
	m->priority = PRIORITY_NORMAL;
	m->state = DELIVERY_QUEUED;
	m->queued_at = w->now;
	m->attempt_at = m->offered_at = m->done_at = USEC_NONE;
	ok(db_begin(w->db, &err));
	ok(queue_insert(w->db, m, &err));
	ok(db_commit(w->db, &err));
}

static json_t *offer(struct world *w)
{
	return ask(w, NULL, "queue offer", "{\"agent\":\"builder\"}");
}

static void settle(struct world *w, const json_t *offer, bool printed)
{
	AUTO(json_decref) json_t *args = json_copy((json_t *)(uintptr_t)offer);
	AUTO(free) char *text = NULL;

	json_put_bool(args, "printed", printed);
	text = json_text(args);
	json_decref(ask(w, NULL, "queue settle", text));
	assert_int_equal(w->err.code, 0);
}

static const char *state_of(const struct world *w, const json_t *offer)
{
	AUTO(message_free) struct message *m = NULL;
	struct error err = {0};

	ok(queue_find(w->db, json_string_value(json_object_get(offer, "message")), &m, &err));
	return delivery_word(m->state);
}

static void test_take(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	AUTO(json_decref) json_t *one = NULL, *two = NULL, *again = NULL, *late = NULL;

	queue(&w, "one");
	queue(&w, "two");
	/* Two takers never have the same. */
	one = offer(&w);
	two = offer(&w);
	assert_false(json_equal(json_object_get(one, "message"), json_object_get(two, "message")));
	assert_null(offer(&w));
	assert_int_equal(w.err.code, ERR_NOT_FOUND);
	assert_string_equal(state_of(&w, one), "offered");
	settle(&w, one, true);
	assert_string_equal(state_of(&w, one), "delivered");
	/* What could not be printed is there for the next. */
	settle(&w, two, false);
	assert_string_equal(state_of(&w, two), "queued");
	again = offer(&w);
	assert_true(json_equal(json_object_get(two, "message"), json_object_get(again, "message")));
	/* Its taker died; after a while it is there again, and the old one has no say in it. */
	w.now += 29 * USEC_PER_SEC;
	assert_null(offer(&w));
	w.now += USEC_PER_SEC;
	late = offer(&w);
	assert_non_null(late);
	settle(&w, again, false);
	assert_string_equal(state_of(&w, late), "offered");
	settle(&w, late, true);
	assert_string_equal(state_of(&w, late), "delivered");
}

static int64_t told(struct world *w, const char *row, const char *args, const char *key)
{
	AUTO(json_decref) json_t *result = ask(w, NULL, row, args);
	const json_t *value = json_object_get(result, key);

	if (!result)
		fail_msg("%s: %s", row, w->err.message);
	return json_is_array(value) ? (int64_t)json_array_size(value) : json_integer_value(value);
}

static void test_lists(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	AUTO(json_decref) json_t *one = NULL;

	for (int i = 0; i < 5; i++)
		queue(&w, "text");
	one = offer(&w);
	settle(&w, one, true);
#define LIST(more) "{\"count\":true,\"limit\":2" more "}"
	assert_int_equal(told(&w, "queue list", LIST(""), "total"), 4);
	assert_int_equal(told(&w, "queue list", LIST(""), "messages"), 2);
	assert_int_equal(told(&w, "queue list", LIST(",\"all\":true"), "total"), 5);
	assert_int_equal(told(&w, "queue list", LIST(",\"state\":\"delivered\""), "total"), 1);
	assert_int_equal(told(&w, "queue list", LIST(",\"state\":\"delivered\""), "messages"), 1);
	assert_int_equal(told(&w, "queue list", LIST(",\"agent\":\"builder\",\"state\":\"queued\""),
			      "total"),
			 4);
	assert_int_equal(told(&w, "queue list", LIST(",\"agent\":\"me\""), "total"), 0);
	assert_int_equal(told(&w, "mission ls", LIST(",\"agent\":\"builder\""), "total"), 0);
	assert_int_equal(told(&w, "mission ls", LIST(",\"state\":\"error\""), "missions"), 0);
}

/* The daemon puts it back by itself, when it is due. */
static void test_sweep(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	AUTO(json_decref) json_t *one = NULL;
	struct error err = {0};
	usec_t wake = USEC_NONE;

	queue(&w, "one");
	one = offer(&w);
	ok(db_begin(w.db, &err));
	ok(engine_dispatch(w.engine, w.now, &err));
	ok(engine_next_wake(w.engine, w.now, &wake, &err));
	assert_true(wake <= w.now + 30 * USEC_PER_SEC);
	assert_string_equal(state_of(&w, one), "offered");
	ok(engine_dispatch(w.engine, w.now + 30 * USEC_PER_SEC, &err));
	assert_string_equal(state_of(&w, one), "queued");
	ok(db_commit(w.db, &err));
}

int main(void)
{
	static const struct store_row rows[] = {
		{"I8 the same id is done once, and answered again", test_once},
		{"I8 an id belongs to a user and to what was asked", test_bounds},
		{"I8 a secret is not kept with its id", test_secret},
		{"I8 old ids are forgotten, and all but so many", test_prune},
		{"I2 a message is delivered once it is printed, else back in the queue", test_take},
		{"I2 what nobody settles goes back by itself", test_sweep},
		{"I20 lists by state, and how many there are in all", test_lists},
	};

	return run_store_rows("answered", rows, sizeof(rows) / sizeof(rows[0]));
}
