/* why.c: every occurrence of a reminder and what became of it, and what comes next. */
#include "engine/engine.h"
#include "engine/preview.h"
#include "request/caller.h"
#include "request/json.h"
#include "request/rows.h"

#define PAGE_ROWS 500
#define NEXT_FIRES 5

static json_t *next_fires(const struct reminder *r)
{
	AUTO_PREVIEW struct preview ahead = {0};
	json_t *fires = json_array();
	usec_t at;

	/* A paused one is going nowhere until it is resumed. */
	if (r->status != STATUS_ACTIVE)
		return fires;
	preview_begin(&ahead, r, r->cursor);
	for (int i = 0; i < NEXT_FIRES && preview_next(&ahead, &at); i++)
		json_array_append_new(fires, json_instant(at, reminder_zone(r)));
	return fires;
}

/* A mission of a reminder that delivers: there was no session to deliver to. */
static void put_note(json_t *o, const struct reminder *r)
{
	const char *mission =
		json_string_value(json_object_get(json_object_get(o, "mission"), "id"));

	if (mission && r->action == ACTION_DELIVER)
		json_put(o, "note",
			 json_sprintf("its agent had no session: run as mission %s", mission));
	else
		json_put(o, "note", json_null());
}

/* A slot with what became of its message or mission: fired is not yet delivered. */
static int slot_story(struct db *db, const struct reminder *r, const struct slot *slot,
		      json_t **ret, struct error *err)
{
	AUTO(message_free) struct message *m = NULL;
	json_t *delivery = json_null();
	int rc = 0;

	if (slot->outcome == OUTCOME_FIRED)
		rc = queue_of_slot(db, slot->key, &m, err);
	if (rc < 0)
		return rc;
	if (m) {
		delivery = json_object();
		json_put_text(delivery, "id", m->id);
		json_put_text(delivery, "state", delivery_word(m->state));
		json_put_int(delivery, "attempts", m->attempts);
		json_put_text(delivery, "last_error", m->last_error);
	}
	*ret = json_slot(slot, reminder_zone(r));
	json_put(*ret, "message", delivery);
	rc = json_put_slot_mission(db, slot, *ret, err);
	if (rc < 0) {
		json_decref(*ret);
		*ret = NULL;
		return rc;
	}
	put_note(*ret, r);
	return 0;
}

static int exec_why(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(json_decref) json_t *slots = json_array(), *told = NULL;
	AUTO_SLOTS struct slot_list page = {0};
	const char *ref = json_string_value(json_object_get(args, "reminder"));
	struct db *db = engine_db(rq->engine);
	int64_t before = 0;
	int rc;

	if ((rc = json_get_int(args, "after", &before, err)) < 0 ||
	    (rc = reminder_find_of(db, caller_scope(&rq->caller), ref, &r, err)) < 0 ||
	    (rc = slot_list(db, r->key, before, PAGE_ROWS, &page, err)) < 0)
		return rc;
	for (size_t i = 0; i < page.count; i++) {
		json_t *story = NULL;

		rc = slot_story(db, r, page.items[i], &story, err);
		if (rc < 0)
			return rc;
		json_array_append_new(slots, story);
	}
	told = json_reminder(r);
	if ((rc = json_put_maker(db, r, told, err)) < 0)
		return rc;
	*ret = json_object();
	json_put(*ret, "reminder", json_incref(told));
	json_put(*ret, "slots", json_incref(slots));
	json_put(*ret, "next", next_fires(r));
	json_put(*ret, "more",
		 page.count == PAGE_ROWS ? json_integer(page.items[page.count - 1]->key)
					 : json_null());
	return 0;
}

const struct request_row why_row = {
	.name = "why",
	.summary = "tell what became of every occurrence of a reminder, and what comes next",
	.details = "Newest first: the instant it was due, what happened, the reason, how late it "
		   "was, and what its condition said. Missed ones share a line with their count.",
	.args = (const struct request_arg[]){{"reminder", 0, ARG_REMINDER, "REMINDER",
					      "id, unique prefix of one, or name", NULL, true,
					      true},
					     {"after", 0, ARG_INT, "KEY", NULL, NULL, false, false},
					     {0}},
	.flags = REQUEST_READS | REQUEST_OWN,
	.exec = exec_why,
};
