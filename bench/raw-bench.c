/*
 * raw-bench.c: the limits of this machine, without Belfry: what nobody who keeps the same promises
 * on the same disk can beat.
 *
 *	raw-bench timer FOLDER COUNT        wake by timerfd, append a page, fdatasync: lateness
 *	raw-bench insert FOLDER COLUMNS INDEXES GROUP SECONDS
 *	                                    SQLite (WAL, synchronous=FULL) rows a second, GROUP to a
 *	                                    transaction: half the columns integers, half short
 *	                                    texts, INDEXES of them indexed, one of those unique and
 *	                                    random
 *	raw-bench spawn COUNT COMMAND…      start a program and wait for its end
 *	raw-bench feed TEXT COUNT COMMAND…  the same with TEXT on its standard input, in which every #
 *	                                    becomes the number of the start
 */
#include <fcntl.h>
#include <spawn.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"

#define PAGE 4096
#define TIMER_STEP 0.02
#define SAMPLES_MAX 10000
#define SQL_MAX 4096

static void print_percentiles(double *sample, size_t count)
{
	printf("%.1f %.1f\n", percentile(sample, count, 50) * 1e6,
	       percentile(sample, count, 99) * 1e6);
}

/* --- timer -------------------------------------------------------------------------------- */

static double timer_once(int timer, int file)
{
	double due = seconds_of(CLOCK_REALTIME) + TIMER_STEP;
	struct itimerspec at = {.it_value.tv_sec = (time_t)due};
	char page[PAGE] = {1};
	uint64_t expirations;

	at.it_value.tv_nsec = (long)((due - (double)at.it_value.tv_sec) * 1e9);
	if (timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL) < 0 ||
	    read(timer, &expirations, sizeof(expirations)) < 0 ||
	    write(file, page, sizeof(page)) != sizeof(page) || fdatasync(file) < 0)
		die("timer: it cannot be measured in this folder");
	return seconds_of(CLOCK_REALTIME) - due;
}

static void bench_timer(const char *folder, size_t count)
{
	static double late[SAMPLES_MAX];
	char path[PAGE];
	int timer = timerfd_create(CLOCK_REALTIME, 0), file;

	snprintf(path, sizeof(path), "%s/raw-timer", folder);
	file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (timer < 0 || file < 0 || count > SAMPLES_MAX)
		die("timer: '%s' cannot be written", path);
	for (size_t i = 0; i < count; i++)
		late[i] = timer_once(timer, file);
	print_percentiles(late, count);
	unlink(path);
}

/* --- insert ------------------------------------------------------------------------------- */

static void sql(sqlite3 *db, const char *text)
{
	char *message = NULL;

	if (sqlite3_exec(db, text, NULL, NULL, &message) != SQLITE_OK)
		die("insert: %s in '%s'", message, text);
}

/* c0 is the unique one; the other indexes are on integers and grow at their end. */
static void make_table(sqlite3 *db, int columns, int indexes)
{
	char text[SQL_MAX];
	int len = snprintf(text, sizeof(text), "CREATE TABLE raw (key INTEGER PRIMARY KEY");

	for (int i = 0; i < columns - 1; i++)
		len += snprintf(text + len, sizeof(text) - (size_t)len, ", c%d %s", i,
				i % 2 ? "INTEGER" : "TEXT");
	snprintf(text + len, sizeof(text) - (size_t)len, ") STRICT");
	sql(db, text);
	for (int i = 0; i < indexes; i++) {
		snprintf(text, sizeof(text), "CREATE %s INDEX i%d ON raw (c%d)", i ? "" : "UNIQUE",
			 i, i ? 2 * i - 1 : 0);
		sql(db, text);
	}
}

static sqlite3_stmt *prepare_insert(sqlite3 *db, int columns)
{
	char text[SQL_MAX];
	int len = snprintf(text, sizeof(text), "INSERT INTO raw VALUES (NULL");
	sqlite3_stmt *insert = NULL;

	for (int i = 1; i < columns; i++)
		len += snprintf(text + len, sizeof(text) - (size_t)len, ", ?");
	snprintf(text + len, sizeof(text) - (size_t)len, ")");
	if (sqlite3_prepare_v2(db, text, -1, &insert, NULL) != SQLITE_OK)
		die("insert: %s", sqlite3_errmsg(db));
	return insert;
}

static void insert_one(sqlite3_stmt *insert, int columns, int64_t number)
{
	char id[32];

	snprintf(id, sizeof(id), "r-%08x", (unsigned)number * 2654435761u);
	sqlite3_bind_text(insert, 1, id, -1, SQLITE_STATIC);
	for (int i = 2; i < columns; i++) {
		if (i % 2)
			sqlite3_bind_text(insert, i, "some text", -1, SQLITE_STATIC);
		else
			sqlite3_bind_int64(insert, i, INT64_C(1767225600000000) + number);
	}
	if (sqlite3_step(insert) != SQLITE_DONE)
		die("insert: it failed");
	sqlite3_reset(insert);
}

static void bench_insert(const char *folder, int columns, int indexes, int group, double limit)
{
	char path[PAGE], wal[PAGE + 8], shm[PAGE + 8];
	sqlite3 *db = NULL;
	sqlite3_stmt *insert;
	int64_t done = 0;
	double begin;

	snprintf(path, sizeof(path), "%s/raw.db", folder);
	snprintf(wal, sizeof(wal), "%s-wal", path);
	snprintf(shm, sizeof(shm), "%s-shm", path);
	if (sqlite3_open(path, &db) != SQLITE_OK)
		die("insert: '%s' cannot be opened", path);
	sql(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -2048;"
		"PRAGMA wal_autocheckpoint = 4000");
	make_table(db, columns, indexes);
	insert = prepare_insert(db, columns);
	begin = seconds_of(CLOCK_MONOTONIC);
	while (seconds_of(CLOCK_MONOTONIC) - begin < limit) {
		sql(db, "BEGIN IMMEDIATE");
		for (int i = 0; i < group; i++)
			insert_one(insert, columns, ++done);
		sql(db, "COMMIT");
	}
	printf("%.0f\n", (double)done / (seconds_of(CLOCK_MONOTONIC) - begin));
	sqlite3_finalize(insert);
	sqlite3_close(db);
	unlink(path);
	unlink(wal);
	unlink(shm);
}

/* --- spawn -------------------------------------------------------------------------------- */

/* A pipe with the text in it, which has to fit. */
static int open_text(const char *text, size_t number)
{
	char all[PAGE];
	size_t len = 0;
	int ends[2];

	for (; *text && len + 32 < sizeof(all); text++) {
		if (*text == '#')
			len += (size_t)snprintf(all + len, 32, "%zu", number);
		else
			all[len++] = *text;
	}
	if (pipe2(ends, O_CLOEXEC) < 0 || write(ends[1], all, len) != (ssize_t)len)
		die("feed: no pipe");
	close(ends[1]);
	return ends[0];
}

/* `input`: its standard input, or -1: ours. */
static double spawn_once(char *const *command, int input)
{
	double begin = seconds_of(CLOCK_MONOTONIC);
	posix_spawn_file_actions_t quiet;
	int status = 0;
	pid_t pid;

	posix_spawn_file_actions_init(&quiet);
	if (input >= 0)
		posix_spawn_file_actions_adddup2(&quiet, input, 0);
	posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
	if (posix_spawnp(&pid, command[0], &quiet, NULL, command, environ) != 0 ||
	    waitpid(pid, &status, 0) < 0 || status != 0)
		die("spawn: '%s' failed", command[0]);
	posix_spawn_file_actions_destroy(&quiet);
	return seconds_of(CLOCK_MONOTONIC) - begin;
}

/* `text` NULL: nothing is fed to it. */
static void bench_spawn(const char *text, size_t count, char *const *command)
{
	static double took[SAMPLES_MAX];

	if (count > SAMPLES_MAX)
		die("spawn: at most %d", SAMPLES_MAX);
	for (size_t i = 0; i < count; i++) {
		int input = text ? open_text(text, i) : -1;

		took[i] = spawn_once(command, input);
		if (input >= 0)
			close(input);
	}
	print_percentiles(took, count);
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "timer") == 0)
		bench_timer(argv[2], strtoul(argv[3], NULL, 10));
	else if (argc == 7 && strcmp(argv[1], "insert") == 0)
		bench_insert(argv[2], atoi(argv[3]), atoi(argv[4]), atoi(argv[5]), atof(argv[6]));
	else if (argc > 3 && strcmp(argv[1], "spawn") == 0)
		bench_spawn(NULL, strtoul(argv[2], NULL, 10), argv + 3);
	else if (argc > 4 && strcmp(argv[1], "feed") == 0)
		bench_spawn(argv[2], strtoul(argv[3], NULL, 10), argv + 4);
	else
		die("usage: raw-bench timer|insert|spawn|feed …");
	return 0;
}
