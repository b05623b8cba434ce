/*
 * postgres-bench.c: rows a second into PostgreSQL, GROUP to a transaction, sent as one pipeline:
 *the fewest waits that libpq allows. The table has 15 columns and 4 indexes, one of them unique.
 *
 *	postgres-bench URL GROUP SECONDS
 */
#include <libpq-fe.h>

#include "measure.h"

#define COLUMNS 15
#define TEXT_MAX 32

static void must(PGconn *conn, int ok)
{
	if (!ok)
		die("postgres-bench: %s", PQerrorMessage(conn));
}

static void sql(PGconn *conn, const char *text)
{
	PGresult *result = PQexec(conn, text);

	must(conn, PQresultStatus(result) == PGRES_COMMAND_OK);
	PQclear(result);
}

static void prepare(PGconn *conn)
{
	sql(conn, "DROP TABLE IF EXISTS raw");
	sql(conn, "CREATE TABLE raw (key BIGINT PRIMARY KEY, a TEXT UNIQUE, b BIGINT, c BIGINT,"
		  " d TEXT, e BIGINT, f TEXT, g BIGINT, h TEXT, i BIGINT, j TEXT, k BIGINT,"
		  " l TEXT, m BIGINT, n TEXT)");
	sql(conn, "CREATE INDEX raw_b ON raw (b)");
	sql(conn, "CREATE INDEX raw_c ON raw (c)");
	PQclear(PQprepare(conn, "insert",
			  "INSERT INTO raw VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,"
			  " $12, $13, $14, $15)",
			  COLUMNS, NULL));
	PQclear(PQprepare(conn, "begin", "BEGIN", 0, NULL));
	PQclear(PQprepare(conn, "commit", "COMMIT", 0, NULL));
}

static void send_row(PGconn *conn, unsigned number)
{
	char key[TEXT_MAX], id[TEXT_MAX];
	const char *values[COLUMNS];

	snprintf(key, sizeof(key), "%u", number);
	snprintf(id, sizeof(id), "m-%08x", number * 2654435761u);
	for (int i = 0; i < COLUMNS; i++)
		values[i] = key;
	values[1] = id;
	must(conn, PQsendQueryPrepared(conn, "insert", COLUMNS, values, NULL, NULL, 0));
}

/* All answers up to that of the synchronisation. */
static void take_answers(PGconn *conn)
{
	PGresult *result;

	for (;;) {
		ExecStatusType status;

		while (!(result = PQgetResult(conn)))
			;
		status = PQresultStatus(result);
		PQclear(result);
		if (status == PGRES_PIPELINE_SYNC)
			return;
		must(conn, status == PGRES_COMMAND_OK);
	}
}

int main(int argc, char **argv)
{
	unsigned done = 0, group;
	double begin, limit;
	PGconn *conn;

	if (argc != 4)
		die("usage: postgres-bench URL GROUP SECONDS");
	conn = PQconnectdb(argv[1]);
	must(conn, PQstatus(conn) == CONNECTION_OK);
	group = (unsigned)atoi(argv[2]);
	limit = atof(argv[3]);
	prepare(conn);
	must(conn, PQenterPipelineMode(conn));
	begin = seconds_of(CLOCK_MONOTONIC);
	while (seconds_of(CLOCK_MONOTONIC) - begin < limit) {
		must(conn, PQsendQueryPrepared(conn, "begin", 0, NULL, NULL, NULL, 0));
		for (unsigned i = 0; i < group; i++)
			send_row(conn, ++done);
		must(conn, PQsendQueryPrepared(conn, "commit", 0, NULL, NULL, NULL, 0));
		must(conn, PQpipelineSync(conn));
		take_answers(conn);
	}
	printf("%.0f\n", (double)done / (seconds_of(CLOCK_MONOTONIC) - begin));
	PQfinish(conn);
	return 0;
}
