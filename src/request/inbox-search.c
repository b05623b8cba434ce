/* inbox-search.c: a person looks for words. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "engine/inbox.h"
#include "request/inbox-parts.h"
#include "request/json-inbox.h"
#include "request/rows.h"
#include "request/snippet.h"

#define SEARCH_ROWS 50
#define SEARCH_MOST 500
#define SEARCH_TEXT_MAX ((size_t)4096)
#define SEARCH_WORDS_MAX ((size_t)32) /* each costs the store a look of its own */

static int read_search(const json_t *args, struct mail_search *s, struct error *err)
{
	const char *cursor = NULL, *at;
	int r;

	*s = (struct mail_search){.words = json_string_value(json_object_get(args, "words"))};
	if ((r = json_get_bool(args, "all", &s->archived, err)) < 0 ||
	    (r = json_get_text(args, "after", &cursor, err)) < 0 ||
	    (r = inbox_read_limit(args, "limit", SEARCH_ROWS, SEARCH_MOST, &s->limit, err)) < 0)
		return r;
	at = cursor;
	if (cursor && (!inbox_take_number(&at, &s->before) || *at))
		return inbox_bad_cursor(cursor, err);
	return 0;
}

/* *ret stays NULL when it is not the caller's to see. */
static int found(const struct request *rq, const struct mail *mail, const json_t *words,
		 json_t **ret, struct error *err)
{
	AUTO(thread_free) struct thread *t = NULL;
	AUTO(mission_free) struct mission *m = NULL;
	int r = thread_get(engine_db(rq->engine), mail->thread, &t, err);
	AUTO_BUF struct buf snippet = {0};
	bool seen = false;
	json_t *o;

	if (r < 0 || (r = inbox_mission(rq, t, &m, err)) < 0 ||
	    (r = inbox_is_seen(rq, t, m, &seen, err)) < 0 || !seen)
		return r;
	o = json_mail(t, mail, rq->home);
	snippet_of(mail->title, mail->text, words, &snippet);
	if (strlen(mail->text) > SEARCH_TEXT_MAX) {
		json_put(o, "text",
			 json_stringn(mail->text, text_fit(mail->text, SEARCH_TEXT_MAX)));
		json_put_bool(o, "whole", false);
	}
	json_put_text(o, "thread_title", t->title);
	json_put_text(o, "snippet", buf_text(&snippet));
	*ret = o;
	return 0;
}

static int exec_search(const struct request *rq, const json_t *args, json_t **ret,
		       struct error *err)
{
	AUTO_MAILS struct mail_list list = {0};
	AUTO(json_decref) json_t *rows = json_array(), *words = NULL;
	struct mail_search s;
	size_t limit;
	int r;

	if ((r = read_search(args, &s, err)) < 0)
		return r;
	words = snippet_words(s.words);
	if (json_array_size(words) > SEARCH_WORDS_MAX) {
		error_set(err, ERR_INVALID, "too many words to look for: %zu, at most %zu",
			  json_array_size(words), SEARCH_WORDS_MAX);
		return error_hint(err, "the rarest of them are enough");
	}
	limit = (size_t)s.limit++; /* one more tells whether there are more */
	if ((r = mail_search(engine_db(rq->engine), &s, &list, err)) < 0)
		return r;
	for (size_t i = 0; i < list.count && i < limit; i++) {
		json_t *row = NULL;

		r = found(rq, list.items[i], words, &row, err);
		if (r < 0)
			return r;
		if (row)
			json_array_append_new(rows, row);
	}
	*ret = json_object();
	json_put(*ret, "messages", json_incref(rows));
	json_put(*ret, "words", json_incref(words));
	json_put(*ret, "more",
		 list.count > limit ? json_sprintf("%" PRId64, list.items[limit - 1]->key)
				    : json_null());
	return 0;
}

const struct request_row inbox_search_row = {
	.name = "inbox search",
	.summary = "find messages by their words, newest first",
	.details =
		"All words have to be there; the last one may be a beginning; \"in quotes\" is a "
		"phrase. Capitals do not matter, nor do accents where the store is SQLite. Looked "
		"at are texts (4 MiB of each), titles of messages and threads, so names of crons "
		"too, and what missions were told. A thread that waits for an answer is looked at "
		"also when it is archived.",
	.examples = "belfry inbox search deploy failed\n"
		    "belfry inbox search '\"rate limit\"' --all",
	.args =
		(const struct request_arg[]){
			{"words", 0, ARG_WORDS, "WORDS", "what to look for", NULL, true, true},
			{"all", 'a', ARG_FLAG, NULL, "archived threads too", NULL, false, false},
			{"limit", 'n', ARG_INT, "N", "at most so many; default 50", NULL, false,
			 false},
			{"after", 0, ARG_TEXT, "CURSOR",
			 "those behind a page: its 'more' in --json, or as it says itself", NULL,
			 false, false},
			{0}},
	.flags = REQUEST_READS,
	.exec = exec_search,
};
