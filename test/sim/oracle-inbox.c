/* oracle-inbox.c: the promises about threads, as statements that must find nothing. */
#include "sim.h"

#include <string.h>

#include "base/mem.h"

#define OF_THREAD "(SELECT count(*) FROM messages WHERE thread = threads.key"

static const struct never {
	const char *sql, *means;
	bool kept; /* retention would make it untrue */
} nevers[] = {
	{"SELECT count(*) FROM threads WHERE messages <> " OF_THREAD ")",
	 "a thread that lacks messages", true},
	{"SELECT count(*) FROM threads WHERE (mission IS NOT NULL AND messages <> " OF_THREAD
	 ")) OR messages <> (SELECT coalesce(max(seq), 0) FROM messages WHERE thread = threads.key)"
	 " OR unread <> " OF_THREAD " AND read_at IS NULL) OR asks <> " OF_THREAD
	 " AND ask = 'open') OR waiting <> " OF_THREAD " AND reply IN ('waiting', 'offered'))",
	 "a thread whose counts do not fit its messages", false},
	{"SELECT count(*) FROM messages LEFT JOIN queue ON queue.key = messages.queue"
	 " WHERE messages.queue IS NOT NULL"
	 " AND (queue.key IS NULL OR queue.state NOT IN ('queued', 'offered'))",
	 "a message that is said to wait in a queue, and does not", false},
	{"SELECT count(*) FROM messages JOIN queue ON queue.key = messages.queue"
	 " WHERE messages.read_at IS NOT NULL AND queue.agent = 'me'",
	 "a message that was read, and still waits in the queue", false},
	{"SELECT count(*) FROM queue LEFT JOIN messages ON messages.queue = queue.key"
	 " WHERE queue.agent = 'me' AND queue.state = 'queued' AND messages.key IS NULL"
	 " AND queue.slot IS NOT NULL", /* a notice goes with its mission */
	 "a fire for me that is not in the inbox", false},
	{"SELECT count(*) FROM (SELECT reminder, count(*) AS fires FROM queue WHERE agent = 'me'"
	 " AND slot IS NOT NULL GROUP BY reminder) AS fired"
	 " JOIN reminders ON reminders.key = fired.reminder WHERE fires <>"
	 " (SELECT count(*) FROM messages JOIN threads ON threads.key = messages.thread"
	 " WHERE threads.place = 'reminder:' || reminders.id AND messages.title IS NULL)",
	 "a fire for me that is not exactly one message", true},
	{"SELECT count(*) FROM messages LEFT JOIN runs ON runs.key = messages.carrier"
	 " WHERE messages.reply = 'offered' AND runs.finished_at IS NOT NULL",
	 "an answer whose carrier has ended", false},
};

static const struct never quiet_nevers[] = {
	{"SELECT count(*) FROM threads WHERE wanted = 1", "an answer that nobody goes on with",
	 false},
	{"SELECT count(*) FROM messages WHERE reply = 'offered'", "an answer that stays offered",
	 false},
};

static void check(struct world *w, const struct never *never)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct error err = {0};
	int rc = db_query(w->db, never->sql, DB_NO_ARGS, &rows, &err);

	if (rc < 0 || (rc = db_rows_next(&rows, &err)) < 1)
		broke(w, "cannot ask the store: %s", err.message);
	else if (db_int(&rows, 0))
		broke(w, "%s (%lld)", never->means, (long long)db_int(&rows, 0));
}

/* By a run that ended in success; on a terminal, where its hook has said so. */
static bool was_told(struct world *w, const struct db_rows *row)
{
	if (db_is_null(row, 2))
		return false;
	if (strcmp(db_text(row, 3), "interactive") == 0)
		return run_memory(w, db_int(row, 2))->told;
	return !db_is_null(row, 4) && strcmp(db_text(row, 4), "success") == 0;
}

/* An answer that is delivered was told exactly once, by its carrier; any other was not told yet. */
static void check_told(struct world *w)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct error err = {0};
	int64_t answer = 0, told = 0, wanted = 0;
	int rc =
		db_query(w->db,
			 "SELECT messages.key, messages.reply = 'delivered', runs.key, runs.kind,"
			 " runs.ending, messages.carrier FROM messages"
			 " JOIN threads ON threads.key = messages.thread LEFT JOIN runs ON"
			 " runs.mission = threads.mission AND instr(runs.prompt, messages.text) > 0"
			 " WHERE messages.sender = 'person' AND threads.mission IS NOT NULL"
			 " ORDER BY messages.key",
			 DB_NO_ARGS, &rows, &err);

	while (rc >= 0 && (rc = db_rows_next(&rows, &err)) > 0) {
		bool by_this = was_told(w, &rows);

		if (db_int(&rows, 0) != answer && told != wanted)
			break;
		told = db_int(&rows, 0) == answer ? told + by_this : by_this;
		answer = db_int(&rows, 0);
		wanted = db_int(&rows, 1);
		if (by_this && wanted && db_int(&rows, 2) != db_int(&rows, 5))
			broke(w, "answer %lld was told by another run than its carrier",
			      (long long)answer);
	}
	if (rc < 0)
		broke(w, "cannot read answers: %s", err.message);
	if (told != wanted)
		broke(w, "answer %lld was told %lld times, and not %lld", (long long)answer,
		      (long long)told, (long long)wanted);
}

/* Questions whose time has come were not forgotten. */
static void check_asks(struct world *w)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct error err = {0};
	struct db_value args[] = {DB_INT(w->now)};
	int rc = db_query(w->db,
			  "SELECT count(*) FROM messages WHERE ask = 'open' AND ask_until <= $1",
			  DB_ARGS(args), &rows, &err);

	if (rc < 0 || (rc = db_rows_next(&rows, &err)) < 1)
		broke(w, "cannot ask the store: %s", err.message);
	else if (db_int(&rows, 0))
		broke(w, "a question that should have expired");
}

void oracle_inbox_check(struct world *w, bool quiet)
{
	for (size_t i = 0; i < sizeof(nevers) / sizeof(nevers[0]); i++)
		if (!nevers[i].kept || !w->prunes)
			check(w, &nevers[i]);
	check_told(w);
	for (size_t i = 0; quiet && i < sizeof(quiet_nevers) / sizeof(quiet_nevers[0]); i++)
		check(w, &quiet_nevers[i]);
	if (quiet)
		check_asks(w);
}
