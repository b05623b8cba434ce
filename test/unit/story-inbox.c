/* story-inbox.c: the steps of a story that are about threads, and how those are told. */
#include "story-parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/inbox.h"
#include "schedule/duration.h"
#include "store/reminder.h"

#define WORDS_MAX 8

struct words {
	char *list[WORDS_MAX];
	size_t count;
};

static struct words split(char *rest)
{
	struct words w = {0};

	while (w.count < WORDS_MAX && (w.list[w.count] = story_word(&rest)))
		w.count++;
	return w;
}

/* The value of KEY=VALUE, "" of KEY alone, or NULL. The first two words are not looked at. */
static const char *value_of(const struct words *w, const char *key)
{
	size_t len = strlen(key);

	for (size_t i = 2; i < w->count; i++) {
		if (strcmp(w->list[i], key) == 0)
			return "";
		if (strncmp(w->list[i], key, len) == 0 && w->list[i][len] == '=')
			return w->list[i] + len + 1;
	}
	return NULL;
}

/* --- which thread ------------------------------------------------------------------------- */

static bool is_mission(const char *name)
{
	return name[0] == 'm' && name[1] >= '1' && name[1] <= '9';
}

static char *place_of(struct story *s, const char *name)
{
	AUTO(mission_free) struct mission *m = NULL;
	AUTO(reminder_free) struct reminder *r = NULL;
	struct error err = {0};

	if (is_mission(name)) {
		story_check(mission_get(s->db, atoll(name + 1), &m, &err), &err);
		return mem_printf("mission:%s", m->id);
	}
	if (strcmp(name, "missed") == 0)
		return mem_strdup("belfry:missed");
	if (strcmp(name, "belfry") == 0 || strncmp(name, "agent:", 6) == 0)
		return mem_strdup(name);
	if (strncmp(name, "session:", 8) == 0)
		return mem_printf("session:me:%s", name + 8);
	story_check(reminder_find(s->db, name, &r, &err), &err);
	return mem_printf("reminder:%s", r->id);
}

static struct thread *find(struct story *s, const char *name)
{
	AUTO(free) char *place = place_of(s, name);
	struct thread *t = NULL;
	struct error err = {0};

	story_check(thread_at(s->db, place, &t, &err), &err);
	if (!t) {
		fprintf(stderr, "story: no thread %s\n", name);
		abort();
	}
	return t;
}

/* The thread an agent writes to: of its mission "m1", of its "session:s", or its own, "agent:ada". */
static int open_thread(struct story *s, const char *name, struct thread **ret, struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	int rc;

	if (strncmp(name, "session:", 8) == 0)
		return engine_thread_of_session(s->engine, "me", name + 8, NULL, "a session",
						s->now, ret, err);
	if (!is_mission(name))
		return engine_thread_of_agent(s->engine, name + strlen("agent:"), s->now, ret, err);
	rc = mission_get(s->db, atoll(name + 1), &m, err);
	return rc < 0 ? rc : engine_thread_of_mission(s->engine, m, s->now, ret, err);
}

/* --- what agents and people do ------------------------------------------------------------ */

static struct mail *new_mail(const struct words *w)
{
	struct mail *m = mem_zalloc(sizeof(*m));
	const char *file = value_of(w, "file"), *attached = value_of(w, "attach");
	const char *size = value_of(w, "size");

	m->text = mem_strdup(w->list[1]);
	m->size = (int64_t)strlen(m->text);
	m->title = mem_strdup(value_of(w, "title"));
	if (file) {
		m->file = mem_strdup(file);
		m->size = size ? atoll(size) : 100000;
	}
	if (attached) {
		json_t *one = json_object();

		m->attachments = json_array();
		json_put_text(one, "name", attached);
		json_put_int(one, "size", 3);
		json_put_text(one, "file", attached);
		json_array_append_new(m->attachments, one);
	}
	return m;
}

/* send m1 TEXT [title=] [ask] [timeout=2h] [default=no] [run=2] */
static int ask_send(struct story *s, char *rest, struct error *err)
{
	struct words w = split(rest);
	AUTO(mail_free) struct mail *m = new_mail(&w);
	AUTO(thread_free) struct thread *t = NULL;
	const char *timeout = value_of(&w, "timeout"), *run = value_of(&w, "run");
	usec_t span = 0;
	int rc = open_thread(s, w.list[0], &t, err);

	if (rc < 0)
		return rc;
	m->sender = SENDER_AGENT;
	m->author = mem_strdup(t->agent);
	m->ask = value_of(&w, "ask") ? ASKING_OPEN : ASKING_NONE;
	m->ask_until = USEC_NONE;
	m->ask_default = mem_strdup(value_of(&w, "default"));
	m->run = run ? atoll(run) : 0;
	if (timeout && (rc = duration_parse(timeout, &span, err)) < 0)
		return rc;
	if (timeout)
		m->ask_until = s->now + span;
	return engine_post(s->engine, t, m, s->now, err);
}

/* reply m1 TEXT [run] [priority=idle] [to=SEQ] [all] [file=] [attach=] */
static int ask_reply(struct story *s, char *rest, struct error *err)
{
	struct words w = split(rest);
	AUTO(mail_free) struct mail *m = new_mail(&w);
	AUTO(thread_free) struct thread *t = find(s, w.list[0]);
	const char *priority = value_of(&w, "priority"), *to = value_of(&w, "to");

	m->author = mem_strdup("tim");
	return engine_reply(s->engine, t, m,
			    to			  ? atoll(to)
			    : value_of(&w, "all") ? ANSWER_ALL
						  : ANSWER_ONE,
			    priority ? (enum priority)priority_of(priority) : PRIORITY_NORMAL,
			    value_of(&w, "run") != NULL, s->now, err);
}

static int mark(struct story *s, char *rest, bool read, struct error *err)
{
	struct words w = split(rest);
	AUTO(thread_free) struct thread *t = find(s, w.list[0]);
	int64_t changed = 0;
	int rc = engine_thread_mark(s->engine, t, read, w.list[1] ? atoll(w.list[1]) : 0, s->now,
				    &changed, err);

	buf_printf(&s->told, "* %s %lld\n", read ? "read" : "unread", (long long)changed);
	return rc;
}

static int ask_read(struct story *s, char *rest, struct error *err)
{
	return mark(s, rest, true, err);
}

static int ask_unread(struct story *s, char *rest, struct error *err)
{
	return mark(s, rest, false, err);
}

static int ask_shelve(struct story *s, char *rest, struct error *err)
{
	AUTO(thread_free) struct thread *t = find(s, story_word(&rest));

	return engine_thread_archive(s->engine, t, true, s->now, err);
}

static int ask_unshelve(struct story *s, char *rest, struct error *err)
{
	AUTO(thread_free) struct thread *t = find(s, story_word(&rest));

	return engine_thread_archive(s->engine, t, false, s->now, err);
}

/* --- what came of it ---------------------------------------------------------------------- */

static void put_mail(struct buf *out, const struct mail *m)
{
	buf_printf(out, "  %lld %s%s", (long long)m->seq, m->author ? m->author : "belfry",
		   m->read_at == USEC_NONE ? ", unread" : "");
	if (m->ask != ASKING_NONE)
		buf_printf(out, ", %s", asking_word(m->ask));
	if (m->ask_until != USEC_NONE) {
		buf_add_str(out, " until ");
		story_put_time(out, m->ask_until);
	}
	if (m->reply != HANDOVER_NONE)
		buf_printf(out, ", %s", handover_word(m->reply));
	buf_printf(out, "%s%s: ", m->queue ? ", in a queue" : "", m->carrier ? ", carried" : "");
	if (m->title)
		buf_printf(out, "[%s] ", m->title);
	buf_printf(out, "%s%s%s\n", m->text, m->file ? " < " : "", m->file ? m->file : "");
}

static void put_count(struct buf *out, int64_t count, const char *what)
{
	if (count)
		buf_printf(out, ", %lld %s", (long long)count, what);
}

static void put_thread(struct story *s, struct buf *out, const struct thread *t)
{
	struct mail_page all = {.after = -1, .limit = 1000, .bytes = 1 << 20};
	AUTO_MAILS struct mail_list mails = {0};
	struct error err = {0};

	buf_printf(out, "@ %.*s '%s' of %s", (int)strcspn(t->place, ":"), t->place, t->title,
		   t->agent ? t->agent : "nobody");
	put_count(out, t->unread, "unread");
	put_count(out, t->asks, "asked");
	put_count(out, t->waiting, "waiting");
	buf_printf(out, "%s%s: %s\n", t->wanted ? ", wanted" : "",
		   t->archived_at != USEC_NONE ? ", archived" : "", t->preview);
	story_check(mail_list(s->db, t->key, &all, &mails, &err), &err);
	for (size_t i = 0; i < mails.count; i++)
		put_mail(out, mails.items[i]);
}

/* The agent of the thread asks what was answered: "* got: TEXT, TEXT". */
static int ask_pull(struct story *s, char *rest, struct error *err)
{
	struct words w = split(rest);
	AUTO(thread_free) struct thread *t = find(s, w.list[0]);
	AUTO_MAILS struct mail_list list = {0};
	bool more = false;
	int rc = engine_replies_pull(s->engine, t, 2, 1000, s->now, &list, &more, err);

	buf_add_str(&s->told, "* got");
	for (size_t i = 0; i < list.count; i++)
		buf_printf(&s->told, "%s %s", i ? "," : ":", list.items[i]->text);
	buf_add_str(&s->told, more ? ", and more\n" : "\n");
	return rc;
}

static int ask_got(struct story *s, char *rest, struct error *err)
{
	struct words w = split(rest);
	AUTO(thread_free) struct thread *t = find(s, w.list[0]);

	return engine_replies_got(s->engine, t, err);
}

static void step_inbox(struct story *s, char *rest)
{
	struct thread_filter all = {.archived = true, .before_at = USEC_NONE, .limit = 100};
	AUTO_THREADS struct thread_list threads = {0};
	struct error err = {0};

	(void)rest;
	story_check(thread_list(s->db, &all, &threads, &err), &err);
	for (size_t i = 0; i < threads.count; i++)
		put_thread(s, &s->told, threads.items[i]);
}

static void step_answer(struct story *s, char *rest)
{
	mem_replace(&s->answer, story_word(&rest));
}

/* The next run that ends was denied two tool calls: "denied 'Bash(a), Bash(b)'". */
static void step_denied(struct story *s, char *rest)
{
	mem_replace(&s->denied, story_word(&rest));
}

/* The next run that ends was seen to get its prompt. */
static void step_told(struct story *s, char *rest)
{
	(void)rest;
	s->prompted = true;
}

/* A long one: "answer-long 20000" bytes. */
static void step_answer_long(struct story *s, char *rest)
{
	size_t len = (size_t)atoll(rest);

	free(s->answer);
	s->answer = mem_zalloc(len + 1);
	memset(s->answer, 'x', len);
}

static const struct step {
	const char *verb;
	void (*act)(struct story *s, char *rest);
	int (*ask)(struct story *s, char *rest, struct error *err);
} steps[] = {
	{"inbox", step_inbox, NULL},
	{"answer", step_answer, NULL},
	{"answer-long", step_answer_long, NULL},
	{"denied", step_denied, NULL},
	{"told", step_told, NULL},
	{"send", NULL, ask_send},
	{"reply", NULL, ask_reply},
	{"pull", NULL, ask_pull},
	{"got", NULL, ask_got},
	{"read", NULL, ask_read},
	{"unread", NULL, ask_unread},
	{"shelve", NULL, ask_shelve},
	{"unshelve", NULL, ask_unshelve},
};

bool story_inbox_step(struct story *s, const char *verb, char *rest)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (strcmp(verb, steps[i].verb) != 0)
			continue;
		if (steps[i].act)
			steps[i].act(s, rest);
		else
			story_ask(s, steps[i].ask, rest);
		return true;
	}
	return false;
}
