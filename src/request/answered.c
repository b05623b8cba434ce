/*
 * answered.c: a request that changes something is carried out once, however often it is asked.
 * Whoever asks gives it an id. The answer is stored with the id in the same transaction, so that one who lost it,
 * because the daemon died or could not tell whether its commit was durable, asks again and gets it.
 *
 * An id belongs to the user who asks, and to what was asked: the same id with other arguments is a mistake of
 * the caller. Refusals are not stored, for they changed nothing.
 */
#include "store/answered.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "base/text.h"
#include "engine/engine.h"
#include "request/caller.h"

#define ID_MAX 200
#define KEPT_SPAN USEC_PER_HOUR
#define KEPT_COUNT 2048
#define PRUNE_ONE_IN 256
#define RESULT_MAX ((size_t)16 * 1024)
#define TEXT_KEPT ((size_t)1024)

static int64_t digest_of(const struct request_row *row, const json_t *args)
{
	AUTO(free) char *text = json_dumps(args, JSON_COMPACT | JSON_SORT_KEYS);
	uint64_t seed = hash_bytes(row->name, strlen(row->name), 0);

	return (int64_t)hash_bytes(text ? text : "", text ? strlen(text) : 0, seed);
}

/* What was done before; its answer, where that was kept. */
static int tell_earlier(const struct request_row *row, const struct answered *a, int64_t digest,
			json_t **ret, struct error *err)
{
	if (a->digest != digest) {
		error_set(err, ERR_CONFLICT, "the id of this '%s' was used for another request",
			  row->name);
		return error_hint(err, "give every request an id of its own");
	}
	if (!a->result) {
		error_set(err, ERR_CONFLICT, "'%s' was carried out, but its answer is not kept",
			  row->name);
		return error_hint(err, "look at what is there now before you repeat it");
	}
	return json_parse(a->result, strlen(a->result), ret, err);
}

/* Texts lose all but their beginnings: who gets this answer has the text, for they asked with it. */
static json_t *abridge(const json_t *value)
{
	const char *text = json_string_value(value), *key;
	json_t *copy, *item;
	size_t i;

	if (json_is_object(value)) {
		copy = json_object();
		json_object_foreach((json_t *)(uintptr_t)value, key, item)
		{
			json_put(copy, key, abridge(item));
		}
		return copy;
	}
	if (json_is_array(value)) {
		copy = json_array();
		json_array_foreach(value, i, item)
		{
			json_array_append_new(copy, abridge(item));
		}
		return copy;
	}
	if (!text || strlen(text) <= TEXT_KEPT)
		return json_incref((json_t *)(uintptr_t)value);
	return json_sprintf("%.*s…", (int)text_fit(text, TEXT_KEPT), text);
}

/* A secret is nowhere in the store, and what is very long is not kept twice. */
static char *text_to_keep(const struct request_row *row, const json_t *result)
{
	AUTO(json_decref) json_t *brief = NULL;
	AUTO(free) char *text = NULL;

	if (!result || row->flags & REQUEST_SECRET)
		return NULL;
	text = json_text(result);
	if (strlen(text) <= RESULT_MAX)
		return steal_ptr(&text);
	brief = abridge(result);
	free(text);
	text = json_text(brief);
	return strlen(text) <= RESULT_MAX ? steal_ptr(&text) : NULL;
}

static int keep(const struct request *rq, const struct request_row *row, const char *key,
		int64_t digest, const json_t *result, struct error *err)
{
	AUTO_ANSWERED struct answered a = {.digest = digest, .result = text_to_keep(row, result)};
	struct db *db = engine_db(rq->engine);
	int r = answered_add(db, key, &a, rq->now, err);

	/* By chance rather than by a counter, which would have to be remembered. */
	if (r == 0 && hash_bytes(key, strlen(key), 0) % PRUNE_ONE_IN == 0)
		r = answered_prune(db, rq->now - KEPT_SPAN, KEPT_COUNT, err);
	return r;
}

int request_run_once(const struct request_row *row, const struct request *rq, const char *id,
		     const json_t *args, json_t **ret, bool *ret_earlier, struct error *err)
{
	AUTO_ANSWERED struct answered earlier = {0};
	AUTO(free) char *key = NULL;
	int64_t digest;
	int r;

	*ret_earlier = false;
	if (!id || !(row->flags & REQUEST_WRITES) || !rq->engine)
		return request_run(row, rq, args, ret, err);
	if (!*id || strlen(id) > ID_MAX) {
		error_set(err, ERR_INVALID, "the id of a request must have 1 to %d bytes", ID_MAX);
		return error_hint(err, "a UUID is fine");
	}
	/* Who may not ask is not told whether it was asked before. */
	if ((r = caller_may(&rq->caller, row, err)) < 0)
		return r;
	key = mem_printf("%s %s", id, rq->caller.user);
	digest = digest_of(row, args);
	r = answered_find(engine_db(rq->engine), key, &earlier, err);
	if (r < 0)
		return r;
	if (r > 0) {
		*ret_earlier = true;
		return tell_earlier(row, &earlier, digest, ret, err);
	}
	r = request_run(row, rq, args, ret, err);
	if (r == 0 && keep(rq, row, key, digest, *ret, err) < 0) {
		json_decref(*ret);
		*ret = NULL;
		r = err->code;
	}
	return r;
}
