/* view-inbox.c: the inbox as a list, what was found in it, and what was done to a thread. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fold.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/view.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define WHO_MOST 16
#define SNIPPET_LEAST 20
#define QUESTION_COLUMNS 60

/* --- the list --- */

/* clang-format off */
static const struct table_column columns[] = {
	{"", 40, false, 6}, {"THREAD", 0, false}, {"ABOUT", 40, false, 12}, {"LAST", 0, false, 0, 2},
	{"PREVIEW", 160, false, 16, 1},
};
/* clang-format on */

/* "[3 unread]", "[asks, 1 unread, archived]", or nothing. */
static void format_state(const json_t *t, struct buf *out)
{
	int64_t unread = view_int(t, "unread");

	if (view_int(t, "asks"))
		buf_add_str(out, "asks");
	if (unread)
		buf_printf(out, "%s%" PRId64 " unread", out->len ? ", " : "", unread);
	if (json_is_true(json_object_get(t, "archived")))
		buf_printf(out, "%sarchived", out->len ? ", " : "");
}

static void add_thread(const struct view *v, const json_t *t, struct table *table)
{
	AUTO(free) char *preview = mem_printf("\"%s\"", view_text(t, "preview"));
	bool unread = view_int(t, "unread") > 0;
	AUTO_BUF struct buf words = {0}, state = {0};
	char when[INSTANT_TEXT_MAX];

	format_state(t, &words);
	if (words.len)
		buf_printf(&state, "[%s]", buf_text(&words));
	view_minute(v, view_instant(t, "last_at"), when);
	table_add(table,
		  view_int(t, "asks") ? TINT_WARN
		  : unread	      ? TINT_BOLD
				      : TINT_DIM,
		  buf_text(&state));
	table_add(table, TINT_NONE, view_text(t, "id"));
	table_add(table, unread ? TINT_BOLD : TINT_NONE, view_text(t, "title"));
	table_add(table, TINT_NONE, when);
	table_add(table, TINT_DIM, preview);
}

static void add_more(const struct view *v, size_t count, const json_t *result)
{
	const char *more = view_text(result, "more");

	if (*more)
		style_printf(v->out, v->style, TINT_DIM,
			     "the newest %zu; there are more: a larger --limit, or --after %s\n",
			     count, more);
}

/* What is not there, by what was asked for. */
static void add_nothing(const struct view *v, const json_t *result)
{
	static const struct {
		const char *only, *words;
	} nothing[] = {
		{"asks", "no question waits for an answer\n"},
		{"archived", "nothing is archived\n"},
		{"unread", "nothing is unread\n"},
		{"some", "nothing here\n"},
	};

	for (size_t i = 0; i < COUNT(nothing); i++) {
		if (strcmp(view_text(result, "only"), nothing[i].only) == 0) {
			buf_add_str(v->out, nothing[i].words);
			return;
		}
	}
	buf_add_str(v->out, view_int(result, "asks")
				    ? "nothing here; questions wait for an answer: belfry "
				      "inbox list --asks\n"
				    : "nothing in the inbox; agents write into it: belfry "
				      "message send\n");
}

/* The oldest questions are behind everything newer. */
static void add_hidden_asks(const struct view *v, const json_t *threads, const json_t *result)
{
	int64_t hidden = view_int(result, "asks");

	for (size_t i = 0; i < json_array_size(threads); i++)
		hidden -= view_int(json_array_get(threads, i), "asks");
	if (hidden > 0 && !*view_text(result, "only"))
		style_printf(v->out, v->style, TINT_WARN,
			     "%" PRId64 " question%s not shown here: belfry inbox list "
			     "--asks\n",
			     hidden, hidden == 1 ? " is" : "s are");
}

void view_threads(const struct view *v, const json_t *result)
{
	const json_t *threads = json_object_get(result, "threads");
	AUTO(table_free) struct table *table = table_new(columns, COUNT(columns));

	for (size_t i = 0; i < json_array_size(threads); i++)
		add_thread(v, json_array_get(threads, i), table);
	if (!json_array_size(threads)) {
		add_nothing(v, result);
		return;
	}
	table_print(table, v->style, v->out);
	add_more(v, json_array_size(threads), result);
	add_hidden_asks(v, threads, result);
}

/* --- what was found --- */

/* The first of the words in the text, whichever it is. */
static const char *next_word(const char *text, const json_t *words, size_t *ret_len)
{
	const char *first = NULL;
	const json_t *word;
	size_t i, len;

	json_array_foreach(words, i, word)
	{
		const char *at = json_is_string(word)
					 ? fold_find(text, json_string_value(word), &len)
					 : NULL;

		if (at && (!first || at < first)) {
			first = at;
			*ret_len = len;
		}
	}
	return first;
}

/* The text, with what was looked for in bold. */
static void add_marked(const struct view *v, const char *text, const json_t *words)
{
	const char *at;
	size_t len = 0;

	while (v->style->colour && (at = next_word(text, words, &len))) {
		AUTO(free) char *word = mem_strndup(at, len);

		buf_add(v->out, text, (size_t)(at - text));
		style_add(v->out, v->style, TINT_BOLD, word);
		text = at + len;
	}
	buf_add_str(v->out, text);
}

static size_t add_cell(struct buf *out, const char *text, size_t most)
{
	AUTO_BUF struct buf clean = {0}, cut = {0};
	size_t width;

	visible_line(&clean, text);
	text_cut(&cut, buf_text(&clean), most);
	width = text_width(buf_text(&cut));
	buf_printf(out, "%s%*s  ", buf_text(&cut), (int)(most - width), "");
	return most + 2;
}

static void print_hit(const struct view *v, const json_t *m, size_t name, size_t who,
		      const json_t *words)
{
	AUTO(free)
	char *id = mem_printf("%s #%" PRId64, view_text(m, "thread"), view_int(m, "seq"));
	AUTO_BUF struct buf line = {0}, cut = {0};
	char when[INSTANT_TEXT_MAX];
	size_t used, room;

	view_minute(v, view_instant(m, "at"), when);
	used = add_cell(v->out, id, name);
	used += add_cell(v->out, when, strlen(when));
	used += add_cell(v->out, view_author(m), who);
	visible_line(&line, view_text(m, "snippet"));
	room = v->style->width > used + SNIPPET_LEAST ? v->style->width - used : SNIPPET_LEAST;
	text_cut(&cut, buf_text(&line), room);
	add_marked(v, buf_text(&cut), words);
	buf_add_char(v->out, '\n');
}

void view_found(const struct view *v, const json_t *result)
{
	const json_t *hits = json_object_get(result, "messages"), *hit;
	size_t i, name = 0, who = 0;

	json_array_foreach(hits, i, hit)
	{
		AUTO(free)
		char *id =
			mem_printf("%s #%" PRId64, view_text(hit, "thread"), view_int(hit, "seq"));
		size_t width = text_width(view_author(hit));

		name = strlen(id) > name ? strlen(id) : name;
		who = width > who ? width : who;
	}
	who = who > WHO_MOST ? WHO_MOST : who;
	json_array_foreach(hits, i, hit)
	{
		print_hit(v, hit, name, who, json_object_get(result, "words"));
	}
	if (!json_array_size(hits))
		buf_add_str(v->out, "nothing found; archived threads are looked at with --all\n");
	else
		add_more(v, json_array_size(hits), result);
}

/* --- what was done --- */

/* "12 threads read, 30 messages", "12 threads archived"; and what stays as it is. */
static void add_many(const struct view *v, const json_t *result)
{
	int64_t threads = view_int(result, "threads"), messages = view_int(result, "messages");
	int64_t asks = view_int(result, "asks");

	buf_printf(v->out, "%" PRId64 " thread%s %s", threads, threads == 1 ? "" : "s",
		   view_text(result, "done"));
	if (messages)
		buf_printf(v->out, ", %" PRId64 " message%s", messages, messages == 1 ? "" : "s");
	if (asks)
		buf_printf(v->out, "; %" PRId64 " question%s open (belfry inbox list --asks)", asks,
			   asks == 1 ? " stays" : "s stay");
	buf_add_char(v->out, '\n');
}

void view_thread_change(const struct view *v, const json_t *result)
{
	const json_t *t = json_object_get(result, "thread");

	if (json_object_get(result, "threads")) {
		add_many(v, result);
		return;
	}
	style_add(v->out, v->style, TINT_BOLD, view_text(t, "id"));
	if (json_is_true(json_object_get(t, "archived")))
		buf_add_str(v->out, "  archived\n");
	else if (view_int(t, "unread"))
		buf_printf(v->out, "  %" PRId64 " unread\n", view_int(t, "unread"));
	else
		buf_add_str(v->out, "  read\n");
}

/* A reply in the thread of a mission that is over and has no conversation: nobody will ever hear it. */
static bool is_in_vain(const json_t *result)
{
	const json_t *mission = json_object_get(json_object_get(result, "thread"), "mission");
	const char *session = view_text(result, "session");

	return *view_text(json_object_get(result, "message"), "reply") && json_is_object(mission) &&
	       (!*session || strcmp(session, "gone") == 0) &&
	       view_mission_is_over(view_text(mission, "state")) &&
	       !json_is_true(json_object_get(mission, "resumable"));
}

/* "message 3 in mis-k3f9x2", with what it carries. */
static void add_sent(const struct view *v, const json_t *result)
{
	const json_t *m = json_object_get(result, "message");
	size_t files = json_array_size(json_object_get(m, "attachments"));

	buf_printf(v->out, "%s: message %" PRId64 " in ",
		   is_in_vain(result) ? "kept, not sent" : "sent", view_int(m, "seq"));
	style_add(v->out, v->style, TINT_BOLD, view_text(m, "thread"));
	if (files)
		buf_printf(v->out, ", with %zu file%s", files, files == 1 ? "" : "s");
}

/* An agent that asked has to know what to do now. */
void view_sent(const struct view *v, const json_t *result)
{
	bool asks = *view_text(json_object_get(result, "message"), "ask");
	bool mission =
		json_is_object(json_object_get(json_object_get(result, "thread"), "mission"));

	add_sent(v, result);
	buf_add_char(v->out, '\n');
	if (asks && mission)
		buf_add_str(v->out, "end your run: the answer resumes this conversation\n");
	else if (asks)
		buf_add_str(v->out, "the answer comes into your queue\n");
}

const char *view_thread_state(const json_t *t)
{
	const char *state = view_text(json_object_get(t, "mission"), "state");

	return view_int(t, "asks") && strcmp(state, "success") == 0 ? "asks" : state;
}

bool view_mission_is_over(const char *state)
{
	return !text_has_word("running starting waiting behind stopping removing", state);
}

/* Of one without a mission: as `agent send` says it. */
static void add_queued(const struct view *v, const json_t *t, const json_t *agent, bool running)
{
	const char *state = view_text(agent, "state");
	AUTO_BUF struct buf name = {0};

	visible_line(&name, view_text(t, "agent"));
	buf_printf(v->out, "queued for %s", buf_text(&name));
	if (json_is_object(agent) && (!*state || strcmp(state, "gone") == 0)) {
		buf_add_str(v->out, "; ");
		view_agent_absent(v, agent, buf_text(&name), running);
	} else if (!running) {
		buf_add_str(v->out, ", which is told once a daemon runs");
	}
}

/* When the agent will have it. */
static void add_prospect(const struct view *v, const json_t *t, const char *session, bool running)
{
	const json_t *mission = json_object_get(t, "mission");
	bool over = view_mission_is_over(view_text(mission, "state"));

	if (*session && strcmp(session, "gone") != 0 && !over) {
		buf_add_str(v->out, "it is typed into the session of ");
		visible_line(v->out, view_text(t, "agent"));
		buf_add_str(v->out, strcmp(session, "blocked") == 0
					    ? " once somebody has answered what it asks there"
				    : strcmp(session, "starting") == 0 ? " when that is ready"
								       : "");
	} else if (over && !json_is_true(json_object_get(mission, "resumable"))) {
		style_add(
			v->out, v->style, TINT_WARN,
			"the agent cannot be told: its mission has no conversation to go on with");
	} else if (json_is_true(json_object_get(t, "wanted"))) {
		buf_add_str(v->out,
			    !running ? "the mission goes on with it once a daemon runs"
			    : over   ? "the mission goes on now"
				     : "the mission goes on with it as soon as its run has ended");
	} else {
		buf_printf(v->out,
			   "the agent gets it with the next resume: belfry mission resume %s",
			   view_text(mission, "id"));
	}
}

static void add_questions(const struct view *v, const json_t *list)
{
	const json_t *q;
	size_t i;

	json_array_foreach(list, i, q)
	{
		const char *words = view_text(q, "title");
		bool late = strcmp(view_text(q, "ask"), "expired") == 0;
		AUTO_BUF struct buf line = {0}, cut = {0};

		words = *words ? words : view_text(q, "text");
		visible_bytes(&line, words, strcspn(words, "\n"));
		text_cut(&cut, buf_text(&line), QUESTION_COLUMNS);
		buf_printf(v->out, "\n  %s #%" PRId64 " \"%s\"", late ? "too late for" : "answers",
			   view_int(q, "seq"), buf_text(&cut));
		if (late && *view_text(q, "ask_default")) {
			buf_add_str(v->out, ", whose default was given: ");
			visible_line(v->out, view_text(q, "ask_default"));
		}
	}
}

void view_replied(const struct view *v, const json_t *result)
{
	const json_t *thread = json_object_get(result, "thread");
	bool running = !json_is_false(json_object_get(result, "scheduler_running"));

	add_sent(v, result);
	add_questions(v, json_object_get(result, "answered"));
	add_questions(v, json_object_get(result, "late_for"));
	buf_add_str(v->out, "\n  ");
	if (json_is_object(json_object_get(thread, "mission")))
		add_prospect(v, thread, view_text(result, "session"), running);
	else
		add_queued(v, thread, json_object_get(result, "agent"), running);
	if (view_int(json_object_get(result, "thread"), "asks"))
		buf_printf(v->out, "\n  still open in this thread: %" PRId64 " question%s",
			   view_int(json_object_get(result, "thread"), "asks"),
			   view_int(json_object_get(result, "thread"), "asks") == 1 ? "" : "s");
	buf_add_char(v->out, '\n');
}
