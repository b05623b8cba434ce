/* json-inbox.c: threads and messages as JSON. */
#include "request/json-inbox.h"

#include <inttypes.h>

#include "base/mem.h"
#include "engine/inbox.h"
#include "schedule/zone.h"

static const struct zone *own_zone(void)
{
	return zone_of_machine(&(const char *){NULL});
}

static json_t *json_of_mission(const struct mission *m)
{
	json_t *o;

	if (!m)
		return json_null();
	o = json_object();
	json_put_text(o, "id", m->id);
	json_put_text(o, "state", mission_state(m));
	json_put_text(o, "cron", m->door == DOOR_CRON ? m->origin : NULL);
	json_put_bool(o, "resumable", m->session != NULL && m->phase != PHASE_REMOVING);
	return o;
}

/* Whoever is not the person is named: a session may be called anything. */
static json_t *named(const char *text, const char *user)
{
	if (!text)
		return json_null();
	return strcmp(user, "me") == 0 ? json_string(text) : json_sprintf("%s of %s", text, user);
}

json_t *json_thread(const struct thread *t, const struct mission *m)
{
	AUTO(free) char *owner = engine_session_owner(t);
	const char *user = m ? m->owner : owner ? owner : "me";
	json_t *o = json_object();

	json_put_text(o, "id", t->id);
	json_put(o, "title", named(t->title, user));
	json_put_text(o, "user", user);
	json_put_text(o, "agent", t->agent);
	json_put(o, "mission", json_of_mission(m));
	json_put_int(o, "messages", t->messages);
	json_put_int(o, "unread", t->unread);
	json_put_int(o, "asks", t->asks);
	json_put_int(o, "waiting", t->waiting);
	json_put_bool(o, "wanted", t->wanted);
	json_put(o, "last_at", json_instant(t->last_at, own_zone()));
	json_put_text(o, "last_sender", t->messages ? sender_word(t->last_sender) : NULL);
	json_put_text(o, "preview", t->preview);
	json_put_bool(o, "archived", t->archived_at != USEC_NONE);
	return o;
}

static json_t *json_path(const char *state_dir, const char *file)
{
	return file ? json_sprintf("%s/%s", state_dir, file) : json_null();
}

static json_t *json_attachments(const json_t *list, const char *state_dir)
{
	json_t *all = json_array(), *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		json_t *o = json_copy(item);

		json_put(o, "file",
			 json_path(state_dir, json_string_value(json_object_get(item, "file"))));
		json_array_append_new(all, o);
	}
	return all;
}

static void put_states(json_t *o, const struct thread *t, const struct mail *m)
{
	json_put_bool(o, "read", m->read_at != USEC_NONE);
	json_put_text(o, "ask", m->ask == ASKING_NONE ? NULL : asking_word(m->ask));
	json_put(o, "ask_until", json_instant(m->ask_until, own_zone()));
	json_put_text(o, "ask_default", m->ask_default);
	json_put(o, "answered_by", m->answered_by ? json_integer(m->answered_by) : json_null());
	json_put_text(o, "reply", m->reply == HANDOVER_NONE ? NULL : handover_word(m->reply));
	json_put_bool(o, "on_request", engine_is_of_session(t));
	json_put(o, "run", m->run ? json_sprintf("%s/%" PRId64, t->id, m->run) : json_null());
}

json_t *json_mail(const struct thread *t, const struct mail *m, const char *state_dir)
{
	AUTO(free) char *owner = engine_session_owner(t);
	json_t *o = json_object();

	json_put_text(o, "thread", t->id);
	json_put_int(o, "seq", m->seq);
	json_put_text(o, "sender", sender_word(m->sender));
	json_put(o, "author", named(m->author, owner && m->sender == SENDER_AGENT ? owner : "me"));
	json_put(o, "at", json_instant(m->created_at, own_zone()));
	json_put_text(o, "title", m->title);
	json_put_text(o, "text", m->text);
	json_put_bool(o, "whole", m->size <= (int64_t)MAIL_TEXT_MAX);
	json_put_int(o, "size", m->size);
	json_put(o, "file", json_path(state_dir, m->file));
	json_put(o, "attachments", json_attachments(m->attachments, state_dir));
	put_states(o, t, m);
	return o;
}
