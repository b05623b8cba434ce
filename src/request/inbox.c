/*
 * inbox.c: a person reads and answers.
 * A thread is named by its id, which is that of its mission where it has one, or by the beginning
 * of it. Cursors are the caller's to hand back and nobody's to understand.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/inbox.h"
#include "engine/mission.h"
#include "request/caller.h"
#include "request/inbox-parts.h"
#include "request/json-inbox.h"
#include "request/mail-file.h"
#include "request/rows.h"
#include "store/live.h"

#define LIST_ROWS 100
#define LIST_MOST 1000
#define MANY_ROWS 200 /* threads that one request changes */
#define PAGE_ROWS 200
#define PAGE_BYTES ((size_t)1024 * 1024)

/* --- threads by name --- */

int inbox_mission(const struct request *rq, const struct thread *t, struct mission **ret,
		  struct error *err)
{
	return t->mission ? mission_get(engine_db(rq->engine), t->mission, ret, err) : 0;
}

/* What stands behind the kind of place that it is; NULL: it is of another kind. */
static const char *place_of(const struct thread *t, const char *kind)
{
	size_t len = strlen(kind);

	return strncmp(t->place, kind, len) == 0 ? t->place + len : NULL;
}

/* Of a reminder that is gone nobody knows whose it was. */
static int reminder_is_of(struct db *db, const char *id, const char *user, bool *ret,
			  struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	int rc = reminder_find_id(db, id, &r, err);

	*ret = r && strcmp(r->owner ? r->owner : "me", user) == 0;
	return rc;
}

int inbox_is_seen(const struct request *rq, const struct thread *t, const struct mission *m,
		  bool *ret, struct error *err)
{
	const char *user = caller_scope(&rq->caller), *id = place_of(t, "reminder:");
	const char *clients = place_of(t, "clients:");
	AUTO(free) char *session = engine_session_owner(t);
	const char *owner = m ? m->owner : session ? session : clients ? clients : "me";

	*ret = !user || strcmp(owner, user) == 0;
	return user && id && !m ? reminder_is_of(engine_db(rq->engine), id, user, ret, err) : 0;
}

static int no_messages(const struct mission *m, struct error *err)
{
	error_set(err, ERR_NOT_FOUND, "mission '%s' has no messages", m->id);
	return error_hint(err, "'belfry inbox list --all' shows what has");
}

/* A mission without messages has no thread: that is not the same as a wrong name. */
static int find(const struct request *rq, const json_t *args, struct thread **ret,
		struct mission **ret_m, struct error *err)
{
	const char *ref = json_string_value(json_object_get(args, "thread"));
	AUTO(mission_free) struct mission *m = NULL;
	const char *user = caller_scope(&rq->caller);
	struct error none = {0};
	bool seen = false;
	int r = thread_find(engine_db(rq->engine), ref, ret, err);

	if (r == ERR_NOT_FOUND &&
	    mission_find_of(engine_db(rq->engine), user, ref, &m, &none) == 0 &&
	    m->phase != PHASE_REMOVING)
		return no_messages(m, err);
	if (r < 0 || (r = inbox_mission(rq, *ret, ret_m, err)) < 0 ||
	    (r = inbox_is_seen(rq, *ret, *ret_m, &seen, err)) < 0 || seen)
		return r;
	error_set(err, ERR_NOT_FOUND, "no thread '%.64s'", ref);
	return error_hint(err, "'belfry inbox list --all' shows those there are");
}

/* Its row, if the caller may see it. */
static int add_thread(const struct request *rq, const struct thread *t, json_t *rows,
		      struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	bool seen = false;
	int r = inbox_mission(rq, t, &m, err);

	if (r >= 0 && (r = inbox_is_seen(rq, t, m, &seen, err)) >= 0 && seen)
		json_array_append_new(rows, json_thread(t, m));
	return r;
}

int inbox_read_limit(const json_t *args, const char *key, int usual, int most, int *ret,
		     struct error *err)
{
	int64_t limit = usual;
	int r = json_get_int(args, key, &limit, err);

	if (r < 0)
		return r;
	if (limit < 1) {
		error_set(err, ERR_INVALID, "--%s cannot be %" PRId64, key, limit);
		return error_hint(err, "at least 1");
	}
	*ret = limit > most ? most : (int)limit;
	return 0;
}

bool inbox_take_number(const char **at, int64_t *ret)
{
	char *end = NULL;

	errno = 0;
	*ret = strtoll(*at, &end, 10);
	if (end == *at || errno)
		return false;
	*at = end;
	return true;
}

int inbox_bad_cursor(const char *cursor, struct error *err)
{
	error_set(err, ERR_INVALID, "--after '%.40s' is no cursor", cursor);
	return error_hint(err, "it is the 'more' of the page before");
}

#define THREAD_ARG                                                                                 \
	{                                                                                          \
		"thread", 0, ARG_THREAD, "THREAD",                                                 \
			"id of the thread or its mission, or a unique prefix of one", NULL, true,  \
			true                                                                       \
	}

/* Where a flag can stand for all of them. */
#define THREAD_OR_ALL                                                                              \
	{                                                                                          \
		"thread", 0, ARG_THREAD, "THREAD",                                                 \
			"id of the thread or its mission, or a unique prefix of one", NULL, true,  \
			false, .many = true                                                        \
	}
#define THREADS_ARG                                                                                \
	{                                                                                          \
		"thread", 0, ARG_THREAD, "THREAD",                                                 \
			"id of the thread or its mission, or a unique prefix of one", NULL, true,  \
			true, .many = true                                                         \
	}

const struct request_row inbox_row = {
	.name = "inbox",
	.summary = "read what agents wrote, and answer, on the whole terminal",
	.details =
		"Threads that wait for an answer, then the others, newest first. Without a "
		"terminal, or with --json, `belfry inbox list`: all of them, newest first.\n\n"
		"In the list: Enter opens a thread. j and k, the arrows, PgUp, PgDn, g and G "
		"choose. Tab goes to the next question, n to the next unread thread. / filters, s "
		"searches all messages. u marks unread or read, e puts away, z brings back what "
		"was "
		"put away last, again and again, and v shows what was put away. ? is help, q quits."
		"\n\n"
		"In a thread: r answers in $VISUAL or $EDITOR; where several questions are open, "
		"the one that has the >, and R all of them. Tab goes to the next question, n and p "
		"to the next message and the one before. o shows the whole message in $PAGER, a "
		"goes on with the mission in this terminal, u marks unread, e puts away, q goes "
		"back.\n\n"
		"Where fzf is installed, it shows the list, unless --no-fzf is given. There the "
		"same "
		"keys are Alt-U, Alt-E, Alt-Z, Alt-S and Alt-V, since letters filter; Ctrl-R looks "
		"again, and ? hides the preview. Alt-E puts away a thread with open questions when "
		"it is "
		"pressed twice.\n\n"
		"With --plain: a number opens a thread; u says only unread ones, a those that wait "
		"for an answer, v what was put away, and z brings back what was put away last. In "
		"a thread r replies in lines, w in the editor, and e, u, a and q do as above.\n\n"
		"Without fzf, a paste is never taken for keys, nor its lines for answers to "
		"questions: what comes from the terminal all at once is text, and is taken only "
		"where text is typed.",
	.args =
		(const struct request_arg[]){
			{"thread", 0, ARG_THREAD, "THREAD", "open this one at once", NULL, false,
			 false},
			{"plain", 0, ARG_FLAG, NULL, "lines and questions only, for screen readers",
			 NULL, false, false},
			{"no-fzf", 0, ARG_FLAG, NULL,
			 "the list of belfry itself, also where fzf is installed", NULL, false,
			 false},
			{0}},
	.flags = REQUEST_LOCAL,
};

/* --- lists --- */

static int read_cursor(const json_t *args, struct thread_filter *f, struct error *err)
{
	const char *cursor = NULL, *at;
	int r = json_get_text(args, "after", &cursor, err);

	f->before_at = USEC_NONE;
	if (r < 0 || !cursor)
		return r;
	at = cursor;
	if (!inbox_take_number(&at, &f->before_at) || *at++ != '-' ||
	    !inbox_take_number(&at, &f->before_key) || *at)
		return inbox_bad_cursor(cursor, err);
	return 0;
}

static int read_filter(const json_t *args, struct thread_filter *f, struct error *err)
{
	int r;

	*f = (struct thread_filter){0};
	if ((r = json_get_bool(args, "unread", &f->unread_only, err)) < 0 ||
	    (r = json_get_bool(args, "asks", &f->asks_only, err)) < 0 ||
	    (r = json_get_bool(args, "all", &f->archived, err)) < 0 ||
	    (r = json_get_bool(args, "archived", &f->archived_only, err)) < 0 ||
	    (r = json_get_text(args, "agent", &f->agent, err)) < 0 ||
	    (r = json_get_text(args, "cron", &f->title, err)) < 0 ||
	    (r = inbox_read_limit(args, "limit", LIST_ROWS, LIST_MOST, &f->limit, err)) < 0)
		return r;
	return read_cursor(args, f, err);
}

/* Nothing was found: perhaps because it was misspelled. Those that are gone keep their threads. */
static int check_names(const struct request *rq, const struct thread_filter *f, struct error *err)
{
	AUTO(reminder_free) struct reminder *cron = NULL;

	if (f->agent && !config_agent(engine_config(rq->engine), f->agent, err))
		return err->code;
	return f->title ? engine_find_cron(rq->engine, f->title, &cron, err) : 0;
}

static json_t *list_cursor(const struct thread_list *page, size_t limit)
{
	const struct thread *last;

	if (page->count <= limit)
		return json_null();
	last = page->items[limit - 1];
	return json_sprintf("%" PRId64 "-%" PRId64, last->last_at, last->key);
}

/* What the rows were chosen by: an empty list says what there is none of. */
static void put_only(const struct thread_filter *f, json_t *o)
{
	const char *only = f->asks_only				   ? "asks"
			   : f->archived_only			   ? "archived"
			   : f->unread_only			   ? "unread"
			   : f->agent || f->title || f->before_key ? "some"
								   : NULL;

	if (only)
		json_put_text(o, "only", only);
}

static int exec_list(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO_THREADS struct thread_list page = {0};
	AUTO(json_decref) json_t *rows = json_array();
	struct thread_filter filter;
	int64_t unread = 0, asks = 0;
	size_t limit;
	int r = read_filter(args, &filter, err);

	if (r < 0)
		return r;
	limit = (size_t)filter.limit++; /* one more tells whether there are more */
	if ((r = thread_list(engine_db(rq->engine), &filter, &page, err)) < 0 ||
	    (r = thread_totals(engine_db(rq->engine), &unread, &asks, err)) < 0)
		return r;
	if (!page.count && !filter.before_key && (r = check_names(rq, &filter, err)) < 0)
		return r;
	/* Others' are left out of its page, so that the next one goes on behind it as ever. */
	for (size_t i = 0; i < page.count && i < limit; i++)
		if ((r = add_thread(rq, page.items[i], rows, err)) < 0)
			return r;
	*ret = json_object();
	json_put(*ret, "threads", json_incref(rows));
	json_put_int(*ret, "unread", unread);
	json_put_int(*ret, "asks", asks);
	put_only(&filter, *ret);
	json_put(*ret, "more", list_cursor(&page, limit));
	return 0;
}

const struct request_row inbox_list_row = {
	.name = "inbox list",
	.summary = "list threads, newest first",
	.details = "A thread that waits for an answer is always among --asks, also when it is "
		   "archived.",
	.examples = "belfry inbox list --unread\n"
		    "belfry inbox list --asks --json | jq -r '.threads[].id'",
	.args =
		(const struct request_arg[]){
			{"unread", 'u', ARG_FLAG, NULL, "only those with something unread", NULL,
			 false, false},
			{"asks", 0, ARG_FLAG, NULL, "only those that wait for an answer", NULL,
			 false, false},
			{"agent", 0, ARG_AGENT, "AGENT", "only this agent's", NULL, false, false},
			{"cron", 0, ARG_CRON, "CRON", "only of this cron", NULL, false, false},
			{"all", 'a', ARG_FLAG, NULL, "archived ones too", NULL, false, false},
			{"archived", 0, ARG_FLAG, NULL, "only archived ones", NULL, false, false},
			{"limit", 'n', ARG_INT, "N", "at most so many; default 100; 0: all", NULL,
			 false, false},
			{"after", 0, ARG_TEXT, "CURSOR",
			 "those behind a page: its 'more' in --json, or as it says itself", NULL,
			 false, false},
			{0}},
	.flags = REQUEST_READS,
	.exec = exec_list,
};

/* --- one thread --- */

static int read_page(const json_t *args, struct mail_page *page, struct error *err)
{
	int r;

	*page = (struct mail_page){.after = -1, .bytes = PAGE_BYTES};
	if ((r = json_get_int(args, "before", &page->before, err)) < 0 ||
	    (r = json_get_int(args, "after", &page->after, err)) < 0 ||
	    (r = inbox_read_limit(args, "last", PAGE_ROWS, PAGE_ROWS, &page->limit, err)) < 0)
		return r;
	if (page->before < 0 || page->after < -1) {
		error_set(err, ERR_INVALID, "messages are numbered from 1");
		return error_hint(err, "before or after one of these numbers");
	}
	return 0;
}

/* The cursor of the next page, if there is one. The newest message is always there, old ones may be
 * gone. */
static int page_more(const struct request *rq, const struct thread *t, const struct mail_list *list,
		     bool forward, json_t **ret, struct error *err)
{
	int64_t first = list->count ? list->items[0]->seq : 1;
	int64_t last = list->count ? list->items[list->count - 1]->seq : t->messages;
	bool end = forward ? last >= t->messages : first <= 1;
	int r = 0;

	if (!forward && !end)
		r = mail_is_first(engine_db(rq->engine), t->key, first, &end, err);
	if (r == 0)
		*ret = end ? json_null() : json_integer(forward ? last : first);
	return r;
}

static int show_page(const struct request *rq, const json_t *args, const struct thread *t,
		     json_t *o, struct error *err)
{
	AUTO_MAILS struct mail_list list = {0};
	struct mail_page page;
	json_t *rows, *more = NULL;
	int r;

	if ((r = read_page(args, &page, err)) < 0 ||
	    (r = mail_list(engine_db(rq->engine), t->key, &page, &list, err)) < 0 ||
	    (r = page_more(rq, t, &list, page.after >= 0, &more, err)) < 0)
		return r;
	rows = json_array();
	for (size_t i = 0; i < list.count; i++)
		json_array_append_new(rows, json_mail(t, list.items[i], rq->home));
	json_put(o, "messages", rows);
	json_put(o, "more", more);
	return 0;
}

static int no_message(const struct thread *t, int64_t seq, struct error *err)
{
	error_set(err, ERR_NOT_FOUND, "thread '%s' has no message %" PRId64, t->id, seq);
	if (seq >= 1 && seq <= t->messages)
		return error_hint(err, "it was read, and is older than 'retention' in config.yml");
	return error_hint(err, "its last is %" PRId64 ": belfry inbox show %s", t->messages, t->id);
}

static int show_one(const struct request *rq, const struct thread *t, int64_t seq, json_t *o,
		    struct error *err)
{
	AUTO(mail_free) struct mail *m = NULL;
	int r = mail_get(engine_db(rq->engine), t->key, seq, &m, err);

	if (r < 0)
		return r == ERR_NOT_FOUND ? no_message(t, seq, err) : r;
	json_put(o, "messages", json_pack("[o]", json_mail(t, m, rq->home)));
	json_put(o, "more", json_null());
	return 0;
}

static int exec_show(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(thread_free) struct thread *t = NULL;
	AUTO(mission_free) struct mission *m = NULL;
	AUTO(json_decref) json_t *o = json_object();
	int64_t seq = INT64_MIN;
	int r;

	if ((r = find(rq, args, &t, &m, err)) < 0 ||
	    (r = json_get_int(args, "message", &seq, err)) < 0)
		return r;
	json_put(o, "thread", json_thread(t, m));
	r = seq == INT64_MIN ? show_page(rq, args, t, o, err) : show_one(rq, t, seq, o, err);
	if (r < 0)
		return r;
	*ret = json_incref(o);
	return 0;
}

const struct request_row inbox_show_row = {
	.name = "inbox show",
	.summary = "print a thread, oldest message first, and mark it read",
	.details =
		"On a terminal the Markdown is rendered; elsewhere it stays as it is, but for "
		"characters that a terminal would obey, which are made visible. Of a long message "
		"the first 64 KiB are shown; --message prints all of one, and marks nothing read. "
		"With --json the last 1000 messages are printed, unless --last says otherwise.",
	.examples = "belfry inbox show mis-k3f9x2\n"
		    "belfry inbox show mis-k3f9x2 --message 3 --raw > report.md",
	.args =
		(const struct request_arg[]){
			THREAD_ARG,
			{"peek", 0, ARG_FLAG, NULL, "leave it unread", NULL, false, false},
			{"last", 'n', ARG_INT, "N", "only the last N messages", NULL, false, false},
			{"message", 'm', ARG_INT, "SEQ", "only this message, all of it", NULL,
			 false, false},
			{"raw", 0, ARG_FLAG, NULL, "bodies as they were written, byte for byte",
			 NULL, false, false},
			{"before", 0, ARG_INT, "SEQ", NULL, NULL, false, false},
			{"after", 0, ARG_INT, "SEQ", NULL, NULL, false, false},
			{0}},
	.flags = REQUEST_READS,
	.exec = exec_show,
};

/* --- answering --- */

/* "mis-k3f9x2#3": the thread, and the question in it. */
static int read_question(const json_t *args, char **ret_thread, int64_t *ret, struct error *err)
{
	const char *ref = json_string_value(json_object_get(args, "thread"));
	const char *mark = strchr(ref, '#'), *at = mark ? mark + 1 : NULL;
	bool all = false;
	int r = json_get_bool(args, "all", &all, err);

	if (r < 0)
		return r;
	*ret_thread = mem_strndup(ref, mark ? (size_t)(mark - ref) : strlen(ref));
	*ret = all ? ANSWER_ALL : ANSWER_ONE;
	if (!mark)
		return 0;
	if (all) {
		error_set(err, ERR_INVALID, "'%.60s' names a question, and --all means each", ref);
		return error_hint(err, "give one of the two");
	}
	if (inbox_take_number(&at, ret) && *at == '\0' && *ret >= 0) {
		*ret = *ret ? *ret : ANSWER_NONE;
		return 0;
	}
	error_set(err, ERR_INVALID, "'%.60s' names no question", ref);
	return error_hint(err, "the number of its message stands behind the #: %.20s#3",
			  *ret_thread);
}

/* Whoever answers a mission that said nothing yet begins its thread. */
static int find_or_begin(const struct request *rq, const char *ref, struct thread **ret,
			 struct mission **ret_m, struct error *err)
{
	struct db *db = engine_db(rq->engine);
	AUTO(mission_free) struct mission *m = NULL;
	struct error none = {0};
	int r = thread_find(db, ref, ret, err);

	if (r != ERR_NOT_FOUND)
		return r < 0 ? r : inbox_mission(rq, *ret, ret_m, err);
	if (mission_find(db, ref, &m, &none) < 0 || m->phase == PHASE_REMOVING)
		return r;
	r = engine_thread_of_mission(rq->engine, m, rq->now, ret, err);
	if (r == 0)
		*ret_m = steal_ptr(&m);
	return r;
}

static int read_priority(const json_t *args, enum priority *ret, struct error *err)
{
	const char *word = NULL;
	int r = json_get_text(args, "priority", &word, err);

	*ret = PRIORITY_NORMAL;
	if (r == 0 && word)
		*ret = (enum priority)priority_of(word);
	return r;
}

/* Before any file is placed: nobody would hear it. */
static int check_heard(const struct thread *t, const json_t *args, struct error *err)
{
	if (t->mission && json_object_get(args, "priority")) {
		error_set(err, ERR_INVALID, "--priority is for an agent without a mission");
		return error_hint(err, "a mission gets it when it goes on: at once with --run");
	}
	if (t->mission || t->agent)
		return 0;
	error_set(err, ERR_CONFLICT, "nobody would hear an answer in thread '%s'", t->id);
	return error_hint(err, "it has messages from Belfry only");
}

/* Who has it in its queue: when that will be told. */
static int put_agent(const struct request *rq, const char *name, json_t *o, struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	struct error unknown = {0};
	const struct config_agent *agent = config_agent(engine_config(rq->engine), name, &unknown);
	json_t *row = json_object();
	int rc = live_find(engine_db(rq->engine), name, &l, err);

	json_put_text(row, "state", l ? presence_word(l->state) : NULL);
	json_put_text(row, "deliver", agent && agent->deliver ? "command" : NULL);
	json_put_text(row, "adapter", agent && agent->adapter ? agent->adapter->name : NULL);
	json_put(o, "agent", row);
	return rc;
}

/* The questions a reply has closed, or came too late for: the person sees which. */
static json_t *json_questions(const struct mail_list *list)
{
	json_t *a = json_array();

	for (size_t i = 0; i < list->count; i++) {
		json_t *o = json_object();

		json_put_int(o, "seq", list->items[i]->seq);
		json_put_text(o, "title", list->items[i]->title);
		json_put_text(o, "text", list->items[i]->text);
		json_put_text(o, "ask", asking_word(list->items[i]->ask));
		json_put_text(o, "ask_default", list->items[i]->ask_default);
		json_array_append_new(a, o);
	}
	return a;
}

static int put_questions(const struct request *rq, const struct mail *m, json_t *o,
			 struct error *err)
{
	AUTO_MAILS struct mail_list answered = {0}, late = {0};
	int r = mail_answered_by(engine_db(rq->engine), m->thread, m->seq, &answered, err);

	if (r == 0 && !answered.count)
		r = mail_overtaken(engine_db(rq->engine), m->thread, m->seq, &late, err);
	if (r < 0)
		return r;
	json_put(o, "answered", json_questions(&answered));
	json_put(o, "late_for", json_questions(&late));
	return 0;
}

static int exec_reply(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(mail_free) struct mail *mail = mem_zalloc(sizeof(*mail));
	AUTO(thread_free) struct thread *t = NULL;
	AUTO(mission_free) struct mission *m = NULL;
	AUTO(live_free) struct live *l = NULL;
	AUTO(free) char *ref = NULL;
	enum priority priority;
	int64_t question = ANSWER_ONE;
	bool run = false;
	int r;

	mail->sender = SENDER_PERSON;
	mail->author = mem_strdup(rq->caller.login ? rq->caller.login : "me");
	mail->ask_until = USEC_NONE;
	if ((r = json_get_bool(args, "run", &run, err)) < 0 ||
	    (r = read_priority(args, &priority, err)) < 0 ||
	    (r = read_question(args, &ref, &question, err)) < 0 ||
	    (r = find_or_begin(rq, ref, &t, &m, err)) < 0 || (r = check_heard(t, args, err)) < 0 ||
	    (r = mail_file_place(rq->home, t, m, args, mail, err)) < 0 ||
	    (r = engine_reply(rq->engine, t, mail, question, priority, run, rq->now, err)) < 0)
		return r;
	*ret = json_object();
	json_put(*ret, "thread", json_thread(t, m));
	json_put(*ret, "message", json_mail(t, mail, rq->home));
	json_put_bool(*ret, "scheduler_running", rq->scheduler_running);
	/* Into a session it is typed, as all that is queued for that. */
	if (m && (r = live_of_mission(engine_db(rq->engine), m->key, &l, err)) < 0)
		return r;
	json_put_text(*ret, "session", l ? presence_word(l->state) : NULL);
	if ((r = put_questions(rq, mail, *ret, err)) < 0)
		return r;
	return m || !t->agent ? 0 : put_agent(rq, t->agent, *ret, err);
}

const struct request_row inbox_reply_row = {
	.name = "inbox reply",
	.summary = "answer in a thread",
	.details =
		"The agent gets it when its mission goes on: at once when it had asked, or with "
		"--run; else `belfry mission resume` takes it along. An agent without a mission "
		"finds it in its queue. Without BODY, on a terminal, it is written in $VISUAL or "
		"$EDITOR.\n\n"
		"It answers the one question that is open in the thread. When several are, "
		"THREAD#SEQ says which, and the others stay open; --all answers each of them, "
		"THREAD#0 none. When the time for another one ran out since your last reply, "
		"THREAD#SEQ is needed, too: that one may have been meant. An "
		"answer whose run fails goes again by itself, three times at most; then the "
		"question is open again.",
	.examples = "belfry inbox reply mis-k3f9x2 'yes, go ahead'\n"
		    "belfry inbox reply mis-k3f9x2#3 'only this one'\n"
		    "belfry inbox reply mis-k3f9x2 --run < answer.md",
	.args =
		(const struct request_arg[]){
			THREAD_ARG,
			{"body", 0, ARG_MAIL, "BODY", "the answer; - reads standard input", NULL,
			 true, false},
			{"run", 0, ARG_FLAG, NULL, "go on with the mission at once, headless", NULL,
			 false, false},
			{"all", 0, ARG_FLAG, NULL, "answer each question that is open", NULL, false,
			 false},
			{"priority", 0, ARG_CHOICE, "PRIORITY", "of an agent without a mission",
			 "interrupt normal idle-first idle", false, false},
			{"attach", 0, ARG_FILES, "FILE",
			 "copy a file into the message; may be given several "
			 "times",
			 NULL, false, false},
			{"spool", 0, ARG_TEXT, NULL, NULL, NULL, false, false},
			{"spooled-files", 0, ARG_TEXT, NULL, NULL, NULL, false, false},
			{0}},
	.flags = REQUEST_WRITES | REQUEST_ADMIN,
	.exec = exec_reply,
};

/* --- read, unread, put away --- */

static int answer_change(const struct thread *t, const struct mission *m, int64_t changed,
			 json_t **ret)
{
	*ret = json_object();
	json_put(*ret, "thread", json_thread(t, m));
	json_put_int(*ret, "changed", changed);
	return 0;
}

static int mark(const struct request *rq, const json_t *args, bool read, json_t **ret,
		struct error *err)
{
	AUTO(thread_free) struct thread *t = NULL;
	AUTO(mission_free) struct mission *m = NULL;
	int64_t up_to = 0, changed = 0;
	int r;

	if ((r = find(rq, args, &t, &m, err)) < 0 ||
	    (r = json_get_int(args, "up_to", &up_to, err)) < 0)
		return r;
	if (up_to < 0 || (up_to == 0 && json_object_get(args, "up_to")))
		return no_message(t, up_to, err);
	r = engine_thread_mark(rq->engine, t, read, up_to, rq->now, &changed, err);
	return r < 0 ? r : answer_change(t, m, changed, ret);
}

/* A thread, or all of them by `flag`: one of the two. Returns whether it is all. */
static int wants_all(const json_t *args, const char *flag, struct error *err)
{
	bool all = false, one = json_is_string(json_object_get(args, "thread"));
	int r = json_get_bool(args, flag, &all, err);

	if (r < 0 || all != one)
		return r < 0 ? r : all;
	error_set(err, ERR_INVALID,
		  all ? "a thread and --%s together" : "a THREAD is missing, or --%s", flag);
	return error_hint(err, "name one thread, or all of them by --%s", flag);
}

/*
 * One bounded step of a change of many: whoever asks goes on while there are more. What waits for an answer is
 * left where it is.
 */
static int change_many(const struct request *rq, const struct thread_filter *f, json_t **ret,
		       struct error *err)
{
	struct db *db = engine_db(rq->engine);
	AUTO_THREADS struct thread_list list = {0};
	int64_t messages = 0, unread = 0, asks = 0;
	int r = thread_list(db, f, &list, err);

	for (size_t i = 0; r >= 0 && i < list.count; i++) {
		AUTO(thread_free) struct thread *t = NULL;
		int64_t changed = 0;

		r = thread_get(db, list.items[i]->key, &t, err);
		if (r >= 0 && f->unread_only)
			r = engine_thread_mark(rq->engine, t, true, 0, rq->now, &changed, err);
		else if (r >= 0)
			r = engine_thread_archive(rq->engine, t, true, rq->now, err);
		messages += changed;
	}
	if (r < 0 || (r = thread_totals(db, &unread, &asks, err)) < 0)
		return r;
	*ret = json_pack("{s:s, s:I, s:I, s:I, s:b}", "done", f->unread_only ? "read" : "archived",
			 "threads", (json_int_t)list.count, "messages", (json_int_t)messages,
			 "asks", (json_int_t)asks, "more",
			 list.count == (size_t)f->limit && (messages || !f->unread_only));
	return 0;
}

static int exec_read(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	const struct thread_filter unread = {
		.unread_only = true, .before_at = USEC_NONE, .limit = MANY_ROWS};
	int r = wants_all(args, "all", err);

	if (r == 1 && json_is_integer(json_object_get(args, "up_to")))
		return error_set(err, ERR_INVALID, "--up-to is for one thread");
	return r < 0 ? r : r ? change_many(rq, &unread, ret, err) : mark(rq, args, true, ret, err);
}

static int exec_unread(const struct request *rq, const json_t *args, json_t **ret,
		       struct error *err)
{
	return mark(rq, args, false, ret, err);
}

static int refuse_unanswered(const struct thread *t, struct error *err)
{
	error_set(err, ERR_CONFLICT, "%" PRId64 " question%s for an answer in thread '%s' (%s)",
		  t->asks, t->asks == 1 ? " waits" : "s wait", t->id, t->title);
	return error_hint(err, "belfry inbox reply %s; or --force puts it away all the same",
			  t->id);
}

static int put_away(const struct request *rq, const json_t *args, bool archived, json_t **ret,
		    struct error *err)
{
	AUTO(thread_free) struct thread *t = NULL;
	AUTO(mission_free) struct mission *m = NULL;
	int r = find(rq, args, &t, &m, err);
	bool changes;

	if (r < 0)
		return r;
	changes = (t->archived_at != USEC_NONE) != archived;
	if (changes && archived && t->asks && !json_is_true(json_object_get(args, "force")))
		return refuse_unanswered(t, err);
	if (changes && (r = engine_thread_archive(rq->engine, t, archived, rq->now, err)) < 0)
		return r;
	return answer_change(t, m, changes, ret);
}

static int exec_archive(const struct request *rq, const json_t *args, json_t **ret,
			struct error *err)
{
	const struct thread_filter settled = {
		.settled_only = true, .before_at = USEC_NONE, .limit = MANY_ROWS};
	int r = wants_all(args, "read", err);

	if (r < 0)
		return r;
	return r ? change_many(rq, &settled, ret, err) : put_away(rq, args, true, ret, err);
}

static int exec_unarchive(const struct request *rq, const json_t *args, json_t **ret,
			  struct error *err)
{
	return put_away(rq, args, false, ret, err);
}

const struct request_row inbox_read_row = {
	.name = "inbox read",
	.summary = "mark threads read, or all of them",
	.details = "A question stays open until it is answered, read or not.",
	.examples = "belfry inbox read mis-k3f9x2\nbelfry inbox read --all",
	.args = (const struct request_arg[]){THREAD_OR_ALL,
					     {"all", 'a', ARG_FLAG, NULL,
					      "every thread of the inbox", NULL, false, false},
					     {"up-to", 0, ARG_INT, "SEQ", "only up to this message",
					      NULL, false, false},
					     {0}},
	.flags = REQUEST_WRITES | REQUEST_ADMIN,
	.exec = exec_read,
};

const struct request_row inbox_unread_row = {
	.name = "inbox unread",
	.summary = "mark threads unread",
	.args = (const struct request_arg[]){THREADS_ARG, {0}},
	.flags = REQUEST_WRITES | REQUEST_ADMIN,
	.exec = exec_unread,
};

const struct request_row inbox_archive_row = {
	.name = "inbox archive",
	.summary = "put threads away, or all that are read; a new message brings one back",
	.details = "One that waits for an answer is put away only with --force, and never by "
		   "--read. It is "
		   "still counted, found, and among --asks.",
	.examples = "belfry inbox archive mis-k3f9x2 thr-m2p8q1\nbelfry inbox archive --read",
	.args =
		(const struct request_arg[]){
			THREAD_OR_ALL,
			{"read", 0, ARG_FLAG, NULL,
			 "every thread that is read and waits for no answer", NULL, false, false},
			{"force", 'f', ARG_FLAG, NULL, "also when it waits for an answer", NULL,
			 false, false},
			{0}},
	.flags = REQUEST_WRITES | REQUEST_ADMIN,
	.exec = exec_archive,
};

const struct request_row inbox_unarchive_row = {
	.name = "inbox unarchive",
	.summary = "bring a thread back into the inbox",
	.args = (const struct request_arg[]){THREADS_ARG, {0}},
	.flags = REQUEST_WRITES | REQUEST_ADMIN,
	.exec = exec_unarchive,
};
