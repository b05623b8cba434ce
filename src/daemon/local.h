#pragma once
/*
 * Requests without a daemon: this process takes the home's seat, runs them, and leaves. What is
 * saved fires once a daemon runs; jobs are not started here, their rows wait for one.
 */
#include "base/auto.h"
#include "base/error.h"
#include "base/json.h"
#include "config/home.h"
#include "request/request.h"

struct local;

/* ERR_CONFLICT, naming the process, when the seat is not free within two seconds. */
int local_open(const struct home *h, struct local **ret, struct error *err);
/* As ask.h has them; NULL where there is none. */
struct local_question {
	const struct request_row *row;
	const json_t *args;
	const char *zone, *id;
	const json_t *claim;
};
/*
 * One request, one transaction. After "import commit" the import is also carried out. *ret_earlier is whether
 * the answer is that of an earlier time (request_run_once()).
 */
int local_ask(struct local *l, const struct local_question *q, json_t **ret, bool *ret_earlier,
	      struct error *err);
void local_close(struct local *l);
DEFINE_AUTO(struct local, local_close)
