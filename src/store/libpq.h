#pragma once
/*
 * libpq, loaded when a PostgreSQL store is opened and not before: it and what it pulls in cost
 * 5 MiB that most users never need. pq->PQexec(…) is PQexec(…).
 */
#include <libpq-fe.h>

#include "base/error.h"

/* clang-format off */
#define LIBPQ_FUNCTIONS(X) \
	X(PQconnectdbParams) X(PQfinish) X(PQstatus) X(PQerrorMessage) \
	X(PQconninfoFree) X(PQsetNoticeReceiver) X(PQexec) X(PQclear) X(PQgetResult) \
	X(PQresultStatus) X(PQresultErrorField) X(PQresultErrorMessage) X(PQcmdStatus) \
	X(PQcmdTuples) X(PQntuples) X(PQgetisnull) X(PQgetvalue) X(PQenterPipelineMode) \
	X(PQexitPipelineMode) X(PQpipelineSync) X(PQsendPrepare) X(PQsendQueryPrepared) \
	X(PQconninfoParse) X(PQfreemem) X(PQsocket) X(PQconsumeInput) X(PQnotifies) \
	X(PQbackendPID) X(PQisBusy) X(PQflush)
/* clang-format on */

struct libpq {
#define LIBPQ_MEMBER(name) __typeof__(name) *name;
	LIBPQ_FUNCTIONS(LIBPQ_MEMBER)
#undef LIBPQ_MEMBER
};

/* Loaded once, kept for the life of the process. */
int libpq_load(const struct libpq **ret, struct error *err);
