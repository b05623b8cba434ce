/* story.c: see story.h. The turn is in the order of the daemon's. */
#include "story.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/random.h"
#include "engine/engine.h"
#include "request/request.h"
#include "schedule/instant.h"
#include "store/queue.h"
#include "store/reminder.h"
#include "store/slot.h"
#include "store/store.h"

#define DAY ((usec_t)1772409600 * USEC_PER_SEC) /* 2026-03-02T00:00:00Z, a Monday */
#define JOBS_MAX 16

struct story {
	struct db *db;
	struct config *configs[2];
	int config;
	struct engine *engine;
	usec_t now;
	struct job *jobs[JOBS_MAX];
	size_t job_count;
	struct buf refused;
};

static void check(int rc, const struct error *err)
{
	if (rc >= 0)
		return;
	fprintf(stderr, "story: %s\n", err->message);
	abort();
}

static struct config *make_config(bool deliver)
{
	static const char plain[] = "timezone: UTC\nagents:\n  bot:\n    directory: /srv\n"
				    "    environment: {CI: \"1\"}\n";
	static const char command[] = "    deliver:\n      command: [hand, over]\n"
				      "      attempts: 3\n      timeout: 20s\n";
	AUTO_BUF struct buf text = {0};
	struct config *config = NULL;
	struct error err = {0};

	buf_add_str(&text, plain);
	buf_add_str(&text, deliver ? command : "");
	check(config_parse(buf_text(&text), text.len, "config.yml", &config, &err), &err);
	return config;
}

/* --- turns --- */

static void take_jobs(struct story *s)
{
	struct job *job;

	while ((job = engine_take_job(s->engine))) {
		if (s->job_count == JOBS_MAX)
			abort();
		s->jobs[s->job_count++] = job;
	}
}

static int begin_turn(struct story *s, const struct job_end *end, struct error *err)
{
	int rc, more;

	check(db_begin(s->db, err), err);
	check(more = engine_fire_due(s->engine, s->now, err), err);
	if (end)
		check(engine_job_ended(s->engine, s->now, end, err), err);
	check(engine_dispatch(s->engine, s->now, err), err);
	check(rc = engine_maintain(s->engine, s->now, err), err);
	return more || rc;
}

static void turn(struct story *s, const struct job_end *end)
{
	struct error err = {0};
	usec_t wake = USEC_NONE;

	for (int i = 0; i < 20; i++, end = NULL) {
		bool more = begin_turn(s, end, &err);

		check(engine_next_wake(s->engine, s->now, &wake, &err), &err);
		check(db_commit(s->db, &err), &err);
		take_jobs(s);
		if (!more && (wake == USEC_NONE || wake > s->now))
			return;
	}
	fprintf(stderr, "story: the engine asks for turns without end\n");
	abort();
}

static void drop_jobs(struct story *s)
{
	while (s->job_count)
		job_free(s->jobs[--s->job_count]);
}

static void start(struct story *s)
{
	struct error err = {0};

	drop_jobs(s);
	engine_free(s->engine);
	s->engine = engine_new(s->db, s->configs[s->config]);
	check(db_begin(s->db, &err), &err);
	check(engine_recover(s->engine, s->now, &err), &err);
	check(db_commit(s->db, &err), &err);
	take_jobs(s);
	turn(s, NULL);
}

/* --- steps --- */

/* Cut the next word off; 'quoted words' may have spaces. */
static char *next_word(char **rest)
{
	char *p = *rest + strspn(*rest, " "), *out, *word = p;
	bool quoted = false;

	if (!*p)
		return NULL;
	for (out = p; *p && (quoted || *p != ' '); p++)
		if (*p == '\'')
			quoted = !quoted;
		else
			*out++ = *p;
	*rest = *p ? p + 1 : p;
	*out = '\0';
	return word;
}

static json_t *read_args(char *rest, bool fresh)
{
	json_t *args = json_object();
	char *word;

	while ((word = next_word(&rest))) {
		char *value = strchr(word, '=');

		if (!value) {
			json_put_bool(args, word, true);
			continue;
		}
		*value++ = '\0';
		if (strcmp(word, "count") == 0)
			json_put_int(args, word, atoll(value));
		else
			json_put_text(args, word, value);
	}
	if (fresh && !json_object_get(args, "agent"))
		json_put_text(args, "agent", "me");
	if (fresh && !json_object_get(args, "name"))
		json_put_text(args, "name", "r");
	if (fresh && !json_object_get(args, "message"))
		json_put_text(args, "message", "hello");
	return args;
}

static void ask(struct story *s, const char *verb, char *rest)
{
	AUTO(free)
	char *name = mem_printf("%s %s", strcmp(verb, "take") ? "reminder" : "queue", verb);
	AUTO(json_decref) json_t *args = read_args(rest, strcmp(verb, "add") == 0);
	AUTO(json_decref) json_t *answer = NULL;
	struct request rq = {.engine = s->engine, .now = s->now, .scheduler_running = true};
	struct error err = {0}, undo = {0};

	if (strcmp(verb, "add") && strcmp(verb, "take") && !json_object_get(args, "reminder"))
		json_put_text(args, "reminder", "r");
	check(db_begin(s->db, &err), &err);
	check(db_savepoint(s->db, &err), &err);
	if (request_run(request_find(name), &rq, args, &answer, &err) < 0) {
		buf_printf(&s->refused, "! %s%s%s%s\n", err.message, *err.hint ? " (" : "",
			   err.hint, *err.hint ? ")" : "");
		check(db_rollback_to(s->db, &undo), &undo);
	} else {
		check(db_release(s->db, &undo), &undo);
	}
	check(engine_dispatch(s->engine, s->now, &undo), &undo);
	check(db_commit(s->db, &undo), &undo);
	take_jobs(s);
	turn(s, NULL);
}

static void set_time(struct story *s, const char *text)
{
	int days = 0, hours, minutes, seconds;

	if (sscanf(text, "%d+%d:%d:%d", &days, &hours, &minutes, &seconds) != 4 &&
	    (days = 0, sscanf(text, "%d:%d:%d", &hours, &minutes, &seconds) != 3))
		abort();
	s->now = DAY + days * USEC_PER_DAY + (hours * 3600 + minutes * 60 + seconds) * USEC_PER_SEC;
}

static void end_job(struct story *s, const char *verb, const char *rest)
{
	struct job_end end = {.output_tail = "its last words"};
	struct job *job = s->jobs[0];

	if (!s->job_count)
		abort();
	end.kind = job->kind;
	end.key = job->key;
	if (strcmp(verb, "exit") == 0)
		end.exit_status = atoi(rest);
	else if (strcmp(verb, "signal") == 0)
		end.signal = atoi(rest);
	else if (strcmp(verb, "timeout") == 0)
		end.timed_out = true;
	else
		end.start_error = "no such folder";
	memmove(s->jobs, s->jobs + 1, --s->job_count * sizeof(*s->jobs));
	job_free(job);
	turn(s, &end);
}

static char *dump(struct story *s);

static void lose_turn(struct story *s)
{
	AUTO(free) char *before = dump(s);
	AUTO(free) char *after = NULL;
	struct error err = {0};

	begin_turn(s, NULL, &err);
	db_rollback(s->db);
	engine_drop_jobs(s->engine);
	after = dump(s);
	if (strcmp(before, after) != 0)
		buf_printf(&s->refused, "! H16: a turn that was rolled back left something\n");
}

/* Statement texts are kept by their address, so this one must not go away. */
static void damage(struct story *s, const char *sql)
{
	static char *kept[32];
	static size_t count;
	struct error err = {0};

	kept[count % 32] = mem_strdup(sql);
	check(db_begin(s->db, &err), &err);
	check(db_exec(s->db, kept[count++ % 32], DB_NO_ARGS, &err), &err);
	check(db_commit(s->db, &err), &err);
}

/* The oldest running job as its child would see it. */
static void show_job(struct story *s)
{
	struct job *job = s->jobs[0];

	for (char **p = job->argv; *p; p++)
		buf_printf(&s->refused, "%s ", *p);
	buf_printf(&s->refused, "in %s for %llds\n", job->directory ? job->directory : "home",
		   (long long)(job->time_limit / USEC_PER_SEC));
	for (char **p = job->environment; p && *p; p++)
		buf_printf(&s->refused, "%s\n", *p);
	if (job->input)
		buf_printf(&s->refused, "< %s\n", job->input);
}

static void step(struct story *s, char *line)
{
	char *rest = line + strspn(line, " \n\t"), *verb;

	if (*rest == '@') {
		set_time(s, rest + 1);
		turn(s, NULL);
		return;
	}
	verb = next_word(&rest);
	if (!verb)
		return;
	if (strcmp(verb, "crash") == 0) {
		start(s);
	} else if (strcmp(verb, "show") == 0) {
		show_job(s);
	} else if (strcmp(verb, "lost") == 0) {
		lose_turn(s);
	} else if (strcmp(verb, "damage") == 0) {
		damage(s, rest);
	} else if (strcmp(verb, "config") == 0) {
		s->config = strcmp(rest, "deliver") == 0;
		engine_set_config(s->engine, s->configs[s->config]);
		turn(s, NULL);
	} else if (strstr("exit signal timeout nostart", verb)) {
		end_job(s, verb, rest);
	} else {
		ask(s, verb, rest);
	}
}

/* --- what came of it --- */

static void put_time(struct buf *out, usec_t t)
{
	usec_t rest = t - DAY;
	usec_t days = rest / USEC_PER_DAY - (rest % USEC_PER_DAY < 0);
	long long second = (rest - days * USEC_PER_DAY) / USEC_PER_SEC;

	if (days)
		buf_printf(out, "%lld+", (long long)days);
	buf_printf(out, "%02lld:%02lld:%02lld", second / 3600, second / 60 % 60, second % 60);
}

static void put_reminder(struct buf *out, const struct reminder *r)
{
	buf_printf(out, "%s %s, %lld fired", r->name ? r->name : "?", status_word(r->status),
		   (long long)r->fire_count);
	if (r->due_at != USEC_NONE) {
		buf_add_str(out, ", due ");
		put_time(out, r->due_at);
	}
	buf_printf(out, "%s%s\n", r->end_reason ? ": " : "", r->end_reason ? r->end_reason : "");
}

static void put_slot(struct buf *out, const struct slot *slot)
{
	buf_add_str(out, "  ");
	if (slot->first_nominal != slot->nominal) {
		put_time(out, slot->first_nominal);
		buf_add_str(out, "-");
	}
	put_time(out, slot->nominal);
	if (slot->occurrences > 1)
		buf_printf(out, " x%lld%s", (long long)slot->occurrences, slot->more ? "+" : "");
	buf_printf(out, " %s: %s", outcome_word(slot->outcome), slot->reason);
	if (slot->verdict != VERDICT_NONE)
		buf_printf(out, " [%s: %s]", verdict_word(slot->verdict), slot->verdict_detail);
	buf_add_str(out, "\n");
}

static void put_slots(struct story *s, struct buf *out, int64_t reminder)
{
	AUTO_SLOTS struct slot_list slots = {0};
	struct error err = {0};

	check(slot_list(s->db, reminder, 0, 1000, &slots, &err), &err);
	for (size_t i = slots.count; i-- > 0;)
		put_slot(out, slots.items[i]);
}

static void put_message(struct buf *out, const struct message *m)
{
	buf_printf(out, "> %s %s %s", m->agent, priority_word(m->priority),
		   delivery_word(m->state));
	if (m->attempts)
		buf_printf(out, " x%lld", (long long)m->attempts);
	if (m->last_error)
		buf_printf(out, " (%s)", m->last_error);
	buf_printf(out, ": %s\n", m->body);
}

static char *dump(struct story *s)
{
	AUTO_REMINDERS struct reminder_list reminders = {0};
	AUTO_MESSAGES struct message_list messages = {0};
	struct reminder_filter all = {.ended = true, .limit = 100};
	struct queue_filter done = {.done = true, .limit = 100};
	struct error err = {0};
	struct buf out = {0};

	check(reminder_list(s->db, &all, &reminders, &err), &err);
	check(queue_list(s->db, &done, &messages, &err), &err);
	for (size_t i = 0; i < reminders.count; i++) {
		put_reminder(&out, reminders.items[i]);
		put_slots(s, &out, reminders.items[i]->key);
	}
	for (size_t i = 0; i < messages.count; i++)
		put_message(&out, messages.items[i]);
	for (size_t i = 0; i < s->job_count; i++)
		buf_printf(&out, "$ %s\n", s->jobs[i]->argv[s->jobs[i]->kind == JOB_CHECK ? 2 : 0]);
	buf_add_str(&out, buf_text(&s->refused));
	return buf_steal(&out);
}

char *story_tell(const char *script)
{
	AUTO(free) char *text = mem_strdup(script);
	struct story s = {.now = DAY + 10 * USEC_PER_HOUR};
	struct error err = {0};
	char *line, *next, *result;

	log_set_level(LOG_LEVEL_ERROR + 1);
	random_seed(1);
	s.configs[0] = make_config(false);
	s.configs[1] = make_config(true);
	check(store_open("sqlite::memory:", &s.db, &err), &err);
	start(&s);
	for (line = text; line; line = next) {
		next = strstr(line, "; ");
		if (next) {
			*next = '\0';
			next += 2;
		}
		step(&s, line);
	}
	result = dump(&s);
	drop_jobs(&s);
	engine_free(s.engine);
	db_close(s.db);
	config_free(s.configs[0]);
	config_free(s.configs[1]);
	buf_fini(&s.refused);
	return result;
}
