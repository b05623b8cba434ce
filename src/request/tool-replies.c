/*
 * tool-replies.c: for agents: what people answered them.
 * The answer to a call may be lost. So what a call returns is only offered by it, and delivered when the
 * same agent is heard of again; and whoever knows that it lost something asks again, with `since`.
 */
#include <inttypes.h>

#include "base/mem.h"
#include "engine/inbox.h"
#include "request/json-inbox.h"
#include "request/rows.h"
#include "request/tool-mail.h"
#include "request/tool.h"

#define REPLIES_MAX 20
#define REPLIES_BYTES ((size_t)256 * 1024)

/* The question that it answers, if it is for one alone. */
static int put_question(const struct request *rq, const struct mail *m, json_t *o,
			struct error *err)
{
	AUTO_MAILS struct mail_list asked = {0};
	int rc = mail_answered_by(engine_db(rq->engine), m->thread, m->seq, &asked, err);

	if (rc == 0)
		json_put(o, "question",
			 asked.count == 1 ? json_integer(asked.items[0]->seq) : json_null());
	return rc;
}

static json_t *json_reply(const struct request *rq, const struct thread *t, const struct mail *m)
{
	static const char *const keys[] = {"seq", "author", "text", "whole", "file", "attachments"};
	AUTO(json_decref) json_t *all = json_mail(t, m, rq->home);
	json_t *o = json_object();

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		json_put(o, keys[i], json_incref(json_object_get(all, keys[i])));
	json_put(o, "at", json_instant(m->created_at, read_own_zone(rq)));
	/* Short ones are all there: no need to read a file. */
	if (json_is_true(json_object_get(o, "whole")))
		json_put(o, "file", json_null());
	return o;
}

static int add_replies(const struct request *rq, const struct thread *t,
		       const struct mail_list *list, json_t *rows, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < list->count; i++) {
		json_t *o;

		if (list->items[i]->reply == HANDOVER_NONE)
			continue;
		o = json_reply(rq, t, list->items[i]);
		json_array_append_new(rows, o);
		rc = put_question(rq, list->items[i], o, err);
	}
	return rc;
}

/* All after that number, whether they were told before or not. */
static int replies_since(const struct request *rq, const struct thread *t, int64_t since,
			 json_t *rows, bool *ret_more, struct error *err)
{
	const struct mail_page page = {
		.after = since, .limit = REPLIES_MAX, .bytes = REPLIES_BYTES};
	AUTO_MAILS struct mail_list list = {0};
	int rc = mail_list(engine_db(rq->engine), t->key, &page, &list, err);

	if (rc < 0)
		return rc;
	*ret_more = list.count && list.items[list.count - 1]->seq < t->messages;
	return add_replies(rq, t, &list, rows, err);
}

static int read_since(const json_t *args, int64_t *ret, struct error *err)
{
	int rc = json_get_int(args, "since", ret, err);

	if (rc < 0 || *ret >= 0 || json_is_null(json_object_get(args, "since")) ||
	    !json_object_get(args, "since"))
		return rc;
	error_set(err, ERR_INVALID, "'since' cannot be %" PRId64, *ret);
	return error_hint(err, "it is the seq of a message of your thread; 0 for all of it");
}

static int collect(const struct request *rq, struct thread *t, int64_t since, json_t *rows,
		   bool *ret_more, struct error *err)
{
	AUTO_MAILS struct mail_list fresh = {0};
	int rc;

	if ((rc = engine_replies_got(rq->engine, t, err)) < 0 ||
	    (rc = engine_replies_pull(rq->engine, t, REPLIES_MAX, REPLIES_BYTES, rq->now, &fresh,
				      ret_more, err)) < 0)
		return rc;
	if (since >= 0)
		return replies_since(rq, t, since, rows, ret_more, err);
	return add_replies(rq, t, &fresh, rows, err);
}

static int exec_replies(const struct request *rq, const json_t *args, json_t **ret,
			struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	AUTO(thread_free) struct thread *t = NULL;
	AUTO(json_decref) json_t *o = json_object();
	json_t *rows = json_array();
	bool more = false;
	int64_t since = -1;
	int rc;

	json_put(o, "replies", rows);
	if ((rc = read_since(args, &since, err)) < 0 ||
	    (rc = tool_thread(rq, false, &m, &t, err)) < 0 ||
	    (rc = t ? collect(rq, t, since, rows, &more, err) : 0) < 0)
		return rc;
	json_put_text(o, "thread", t ? t->id : NULL);
	json_put_int(o, "open_questions", t ? t->asks : 0);
	json_put_bool(o, "more", more);
	if ((rc = tool_put_now(rq, NULL, o, err)) < 0)
		return rc;
	*ret = json_incref(o);
	return 0;
}

static void say_reply(const json_t *r, struct buf *out)
{
	const char *author = json_string_value(json_object_get(r, "author"));
	const char *file = json_string_value(json_object_get(r, "file"));
	const json_t *attached;
	size_t i;

	buf_printf(out, "[%lld] %s, %s", (long long)json_integer_value(json_object_get(r, "seq")),
		   author ? author : "Belfry", json_string_value(json_object_get(r, "at")));
	if (json_is_integer(json_object_get(r, "question")))
		buf_printf(out, ", to your message %lld",
			   (long long)json_integer_value(json_object_get(r, "question")));
	buf_printf(out, ":\n%s", json_string_value(json_object_get(r, "text")));
	if (file)
		buf_printf(out, "\n(only its beginning; all of it is in the file %s)", file);
	json_array_foreach(json_object_get(r, "attachments"), i, attached)
	{
		buf_printf(out, "\n- attached: %s",
			   json_string_value(json_object_get(attached, "file")));
	}
}

static void say_replies(const json_t *result, struct buf *out)
{
	const json_t *replies = json_object_get(result, "replies"), *one;
	json_int_t open = json_integer_value(json_object_get(result, "open_questions"));
	size_t i;

	json_array_foreach(replies, i, one)
	{
		buf_add_str(out, i ? "\n\n" : "");
		say_reply(one, out);
	}
	if (!json_array_size(replies))
		buf_add_str(out, "No replies.");
	if (!json_array_size(replies) && open)
		buf_printf(out, " %lld question%s of yours still %s for an answer.",
			   (long long)open, open == 1 ? "" : "s", open == 1 ? "waits" : "wait");
	if (json_is_true(json_object_get(result, "more")))
		buf_add_str(out, "\n\nThere are more: call inbox_replies again.");
}

const struct request_row tool_inbox_replies_row = {
	.name = "tool inbox_replies",
	.summary = "get what people answered",
	.args =
		(const struct request_arg[]){
			{"since", 0, ARG_INT, "SEQ",
			 "tell all replies after this number again, also those "
			 "that you were told before; for when the result of an "
			 "earlier call was lost",
			 NULL, false, false},
			{0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_replies,
	.tool =
		&(const struct request_tool){
			.name = "inbox_replies",
			.title = "Get replies from the person",
			.description =
				"Get what the person answered to the messages you sent with "
				"message_send, as far as you do not have it yet; oldest first. "
				"Each "
				"reply is told once; give `since` to be told again. \"No "
				"replies.\" "
				"means nobody has answered yet: go on with other work rather than "
				"asking again and again.",
			.trust = TRUST_INNER,
			.hints = TOOL_HEARD,
			.output =
				"{\"type\":\"object\",\"properties\":{"
				"\"thread\":{\"type\":[\"string\",\"null\"],\"description\":\"your "
				"thread in the inbox; null: you have not written yet\"},"
				"\"replies\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
				"\"properties\":{"
				"\"seq\":{\"type\":\"integer\"},"
				"\"question\":{\"type\":[\"integer\",\"null\"],\"description\":"
				"\"seq of the question of yours that it answers; null: of none, or "
				"of several\"},"
				"\"at\":{\"type\":\"string\"},"
				"\"author\":{\"type\":[\"string\",\"null\"],\"description\":\"null:"
				" "
				"Belfry, by the default of your question\"},"
				"\"text\":{\"type\":\"string\"},"
				"\"whole\":{\"type\":\"boolean\"},"
				"\"file\":{\"type\":[\"string\",\"null\"],\"description\":\"where "
				"all "
				"of a long one is\"},"
				"\"attachments\":{\"type\":\"array\",\"items\":{\"type\":"
				"\"object\","
				"\"properties\":{\"name\":{\"type\":\"string\"},\"size\":{\"type\":"
				"\"integer\"},\"file\":{\"type\":\"string\"}},\"required\":["
				"\"name\","
				"\"size\",\"file\"],\"additionalProperties\":false}}},"
				"\"required\":[\"seq\",\"question\",\"at\",\"author\",\"text\","
				"\"whole\","
				"\"file\","
				"\"attachments\"],\"additionalProperties\":false}},"
				"\"open_questions\":{\"type\":\"integer\",\"description\":\"of "
				"yours "
				"that nobody has answered\"},"
				"\"more\":{\"type\":\"boolean\"}," TOOL_NOW_PROPERTIES "},"
				"\"required\":[\"thread\",\"replies\",\"open_questions\","
				"\"more\"," TOOL_NOW_REQUIRED "],"
				"\"additionalProperties\":false}",
			.say = say_replies},
};
