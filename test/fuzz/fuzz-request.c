/*
 * fuzz-request.c: any lines are requests or errors in words, and leave a store an engine can go on
 * with. Each input is lines as the control socket takes them; between two lines the clock moves and
 * the engine takes its part. All of it is one transaction that is rolled back in the end, so every
 * input starts from the same few reminders and the same ids.
 */
#include <ftw.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/random.h"
#include "daemon/ask.h"
#include "engine/engine.h"
#include "fuzz.h"
#include "schedule/instant.h"
#include "store/store.h"

#define START ((usec_t)1773000000 * USEC_PER_SEC) /* 2026-03-08, a day of a clock change */
#define LINES_MAX 16
#define BATCHES_MAX 4

static const char config_text[] = "timezone: America/New_York\n"
				  "agents:\n"
				  "  builder: {directory: /tmp, deliver: {command: [cat]}}\n"
				  "  quiet: {}\n";

static const char *const first_lines[] = {
	"{\"request\":\"reminder add\",\"args\":{\"agent\":\"me\",\"message\":\"a\",\"name\":\"a\","
	"\"cron\":\"30 2 * * *\"}}",
	"{\"request\":\"reminder "
	"add\",\"args\":{\"agent\":\"builder\",\"message\":\"b\",\"name\":\"b\","
	"\"every\":\"10m\",\"condition\":\"true\",\"mode\":\"until\"}}",
	"{\"request\":\"reminder "
	"add\",\"args\":{\"agent\":\"quiet\",\"message\":\"c\",\"name\":\"c\","
	"\"rrule\":\"FREQ=HOURLY;COUNT=5\",\"priority\":\"normal\"}}",
};

/* Messages are files: they get a folder, which every message with the same number replaces. */
static char home[] = "/tmp/belfry-fuzz-XXXXXX";
static struct db *db;
static struct engine *engine;

static void check_reply(const struct ask *ask)
{
	AUTO_BUF struct buf line = {0};
	AUTO(json_decref) json_t *reply = NULL;
	struct error err = {0};

	ask_reply(ask, &line);
	FUZZ_CHECK(line.len > 0 && line.data[line.len - 1] == '\n');
	FUZZ_CHECK(!memchr(line.data, '\n', line.len - 1));
	FUZZ_CHECK(json_parse(line.data, line.len - 1, &reply, &err) == 0);
	FUZZ_CHECK(json_is_true(json_object_get(reply, "ok")) == (ask->result != NULL));
}

static bool run_line(const char *line, size_t len, usec_t now)
{
	AUTO(ask_free) struct ask *ask = ask_read(line, len);
	const struct request rq = {.engine = engine, .now = now, .home = home};
	struct error err = {0};

	ask->user = "me";
	if (!ask->decided) {
		FUZZ_CHECK(db_savepoint(db, &err) == 0);
		if (ask_run(ask, &rq) == 0)
			FUZZ_CHECK(db_release(db, &err) == 0);
		else
			FUZZ_CHECK(db_rollback_to(db, &err) == 0);
	}
	check_reply(ask);
	if (ask->result)
		return true;
	FUZZ_CHECK(ask->err.message[0]);
	/* No words of a caller are a failure of the machine. */
	if (ask->err.code == ERR_SYSTEM || ask->err.code == ERR_UNAVAILABLE)
		fprintf(stderr, "%s\n", ask->err.message);
	FUZZ_CHECK(ask->err.code != ERR_SYSTEM && ask->err.code != ERR_UNAVAILABLE);
	return false;
}

static void check_step(int r, const struct error *err)
{
	if (r < 0)
		fprintf(stderr, "%s\n", err->message);
	FUZZ_CHECK(r >= 0);
}

static void run_engine(usec_t now)
{
	struct error err = {0};
	usec_t wake = USEC_NONE;
	int more = 1;

	for (int i = 0; i < BATCHES_MAX && more > 0; i++)
		check_step(more = engine_fire_due(engine, now, &err), &err);
	check_step(engine_dispatch(engine, now, &err), &err);
	check_step(engine_maintain(engine, now, &err), &err);
	check_step(engine_next_wake(engine, now, &wake, &err), &err);
	engine_drop_jobs(engine);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void remove_home(void)
{
	nftw(home, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void open_store(void)
{
	struct config *config = NULL;
	struct error err = {0};

	FUZZ_CHECK(mkdtemp(home));
	atexit(remove_home);
	check_step(config_parse(config_text, strlen(config_text), "/c", &config, &err), &err);
	check_step(store_open("sqlite::memory:", &db, &err), &err);
	engine = engine_new(db, config);
	random_seed(1);
	check_step(db_begin(db, &err), &err);
	for (size_t i = 0; i < sizeof(first_lines) / sizeof(first_lines[0]); i++)
		FUZZ_CHECK(run_line(first_lines[i], strlen(first_lines[i]), START));
	check_step(db_commit(db, &err), &err);
	engine_drop_jobs(engine);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *line = (const char *)data, *last = line + size;
	usec_t now = START + USEC_PER_HOUR;
	struct error err = {0};

	if (!db)
		open_store();
	random_seed(2);
	check_step(db_begin(db, &err), &err);
	for (int i = 0; i < LINES_MAX && line < last; i++) {
		const char *end = memchr(line, '\n', (size_t)(last - line));

		if (!end)
			end = last;
		run_line(line, (size_t)(end - line), now);
		run_engine(now);
		now += 7 * USEC_PER_MINUTE;
		line = end + 1;
	}
	db_rollback(db);
	engine_drop_jobs(engine);
	return 0;
}
