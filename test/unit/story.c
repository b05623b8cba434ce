/* story.c: see story.h. The turn is in the order of the daemon's. */
#include "story-parts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/random.h"
#include "request/request.h"
#include "schedule/instant.h"
#include "schedule/zone.h"
#include "store/queue.h"
#include "store/reminder.h"
#include "store/slot.h"

#define DAY ((usec_t)1772409600 * USEC_PER_SEC) /* 2026-03-02T00:00:00Z, a Monday */

void story_check(int rc, const struct error *err)
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
	story_check(config_parse(buf_text(&text), text.len, "config.yml", &config, &err), &err);
	return config;
}

/* --- turns --- */

static void take_jobs(struct story *s)
{
	struct job *job;

	while ((job = engine_take_job(s->engine))) {
		if (story_take_live_job(s, job))
			continue;
		if (job->kind == JOB_START || job->kind == JOB_ADOPT || job->kind == JOB_STOP) {
			story_take_wrapper_job(s, job);
			continue;
		}
		if (s->job_count == JOBS_MAX)
			abort();
		s->jobs[s->job_count++] = job;
	}
}

static void take_input(struct story *s, struct story_input *input, struct error *err)
{
	int rc;

	if (input->end)
		story_check(engine_job_ended(s->engine, s->now, input->end, err), err);
	if (input->gone)
		story_check(engine_run_ended(s->engine, s->now, input->gone, err), err);
	if (input->start) {
		story_check(rc = engine_run_started(s->engine, s->now, input->start, err), err);
		input->go = rc == 1;
	}
}

static int begin_turn(struct story *s, struct story_input *input, struct error *err)
{
	int rc, more;

	story_check(db_begin(s->db, err), err);
	story_check(more = engine_fire_due(s->engine, s->now, err), err);
	if (input)
		take_input(s, input, err);
	story_check(engine_dispatch(s->engine, s->now, err), err);
	story_check(rc = engine_maintain(s->engine, s->now, err), err);
	return more || rc;
}

void story_turn(struct story *s, struct story_input *input)
{
	struct error err = {0};
	usec_t wake = USEC_NONE;

	for (int i = 0; i < 20; i++, input = NULL) {
		bool more = begin_turn(s, input, &err);

		story_check(engine_next_wake(s->engine, s->now, &wake, &err), &err);
		story_check(db_commit(s->db, &err), &err);
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
	story_drop_starts(s);
	story_drop_types(s);
}

static void renew_engine(struct story *s)
{
	engine_free(s->engine);
	s->engine = engine_new(s->db, s->configs[s->config]);
}

static void start(struct story *s)
{
	struct error err = {0};

	drop_jobs(s);
	renew_engine(s);
	story_check(db_begin(s->db, &err), &err);
	story_check(engine_recover(s->engine, s->now, &err), &err);
	story_check(db_commit(s->db, &err), &err);
	take_jobs(s);
	story_turn(s, NULL);
}

/* --- steps --- */

/* Cut the next word off; 'quoted words' may have spaces. */
char *story_word(char **rest)
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

	while ((word = story_word(&rest))) {
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

void story_ask(struct story *s, int (*change)(struct story *s, char *rest, struct error *err),
	       char *rest)
{
	struct error err = {0}, undo = {0};
	size_t jobs = engine_job_count(s->engine);

	story_check(db_begin(s->db, &err), &err);
	story_check(db_savepoint(s->db, &err), &err);
	if (change(s, rest, &err) < 0) {
		buf_printf(&s->told, "! %s%s%s%s\n", err.message, *err.hint ? " (" : "", err.hint,
			   *err.hint ? ")" : "");
		story_check(db_rollback_to(s->db, &undo), &undo);
		engine_undo_jobs(s->engine, jobs);
	} else {
		story_check(db_release(s->db, &undo), &undo);
	}
	story_check(engine_dispatch(s->engine, s->now, &undo), &undo);
	story_check(db_commit(s->db, &undo), &undo);
	take_jobs(s);
	story_turn(s, NULL);
}

/* A request through the table: "add every=1h". */
static int request(struct story *s, char *rest, struct error *err)
{
	const char *verb = s->verb ? s->verb : "";
	AUTO(free)
	char *name = mem_printf("%s %s", strcmp(verb, "take") ? "reminder" : "queue", verb);
	AUTO(json_decref) json_t *args = read_args(rest, strcmp(verb, "add") == 0);
	AUTO(json_decref) json_t *answer = NULL;
	struct request rq = {.engine = s->engine,
			     .now = s->now,
			     .scheduler_running = true,
			     .caller = {.user = "me", .trust = TRUST_FULL}};

	if (strcmp(verb, "add") && strcmp(verb, "take") && !json_object_get(args, "reminder"))
		json_put_text(args, "reminder", "r");
	return request_run(request_find(name), &rq, args, &answer, err);
}

usec_t story_time(const char *text)
{
	int days = 0, hours, minutes, seconds;

	if (sscanf(text, "%d+%d:%d:%d", &days, &hours, &minutes, &seconds) != 4 &&
	    (days = 0, sscanf(text, "%d:%d:%d", &hours, &minutes, &seconds) != 3))
		abort();
	return DAY + days * USEC_PER_DAY + (hours * 3600 + minutes * 60 + seconds) * USEC_PER_SEC;
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
	story_turn(s, &(struct story_input){.end = &end});
}

static char *dump(struct story *s);

static void lose_turn(struct story *s, const char *time)
{
	AUTO(free) char *before = dump(s);
	AUTO(free) char *after = NULL;
	struct error err = {0};

	if (*time)
		s->now = story_time(time);
	begin_turn(s, NULL, &err);
	db_rollback(s->db);
	engine_drop_jobs(s->engine);
	after = dump(s);
	if (strcmp(before, after) != 0)
		buf_printf(&s->told, "! H16: a turn that was rolled back left something\n");
}

/* Statement texts are kept by their address, so this one must not go away. */
static void damage(struct story *s, const char *sql)
{
	static char *kept[32];
	static size_t count;
	struct error err = {0};

	kept[count % 32] = mem_strdup(sql);
	story_check(db_begin(s->db, &err), &err);
	story_check(db_exec(s->db, kept[count++ % 32], DB_NO_ARGS, &err), &err);
	story_check(db_commit(s->db, &err), &err);
}

/* The oldest running job as its child would see it. */
static void show_job(struct story *s)
{
	struct job *job = s->jobs[0];

	for (char **p = job->argv; *p; p++)
		buf_printf(&s->told, "%s ", *p);
	buf_printf(&s->told, "in %s for %llds\n", job->directory ? job->directory : "home",
		   (long long)(job->time_limit / USEC_PER_SEC));
	for (char **p = job->environment; p && *p; p++)
		buf_printf(&s->told, "%s\n", *p);
	if (job->input)
		buf_printf(&s->told, "< %s\n", job->input);
}

void story_set_config(struct story *s, int config)
{
	s->config = config;
	engine_set_config(s->engine, s->configs[config]);
	story_turn(s, NULL);
}

/* Other zones are not in this folder: those that are known stay. */
static void install_zone(struct story *s, const char *name)
{
	char command[PATH_MAX];

	if (!*s->zones) {
		snprintf(s->zones, sizeof(s->zones), "/tmp/belfry-story.XXXXXX");
		if (!mkdtemp(s->zones) || setenv("TZDIR", s->zones, 1) < 0)
			abort();
	}
	snprintf(command, sizeof(command), "cp /usr/share/zoneinfo/%s %s/new && mv %s/new %s/Moved",
		 name, s->zones, s->zones, s->zones);
	if (system(command) != 0)
		abort();
}

static void remove_zones(const struct story *s)
{
	char command[PATH_MAX];

	if (!*s->zones)
		return;
	snprintf(command, sizeof(command), "rm -r %s", s->zones);
	if (system(command) != 0 || unsetenv("TZDIR") < 0)
		abort();
	(void)zone_refresh();
}

static void step(struct story *s, char *line)
{
	char *rest = line + strspn(line, " \n\t"), *verb;

	if (*rest == '@') {
		s->now = story_time(rest + 1);
		story_turn(s, NULL);
		return;
	}
	verb = story_word(&rest);
	if (!verb || story_mission_step(s, verb, rest) || story_inbox_step(s, verb, rest) ||
	    story_idle_step(s, verb, rest) || story_live_step(s, verb, rest) ||
	    story_boundary_step(s, verb, rest))
		return;
	if (strcmp(verb, "crash") == 0) {
		start(s);
	} else if (strcmp(verb, "reopen") == 0) {
		renew_engine(s);
		story_turn(s, NULL);
	} else if (strcmp(verb, "show") == 0) {
		show_job(s);
	} else if (strcmp(verb, "lost") == 0) {
		lose_turn(s, rest);
	} else if (strcmp(verb, "damage") == 0) {
		damage(s, rest);
	} else if (strcmp(verb, "zone") == 0) {
		install_zone(s, rest);
	} else if (strcmp(verb, "config") == 0) {
		story_set_config(s, strcmp(rest, "deliver") == 0);
	} else if (strstr("exit signal timeout nostart", verb)) {
		end_job(s, verb, rest);
	} else {
		s->verb = verb;
		story_ask(s, request, rest);
	}
}

/* --- what came of it --- */

void story_put_time(struct buf *out, usec_t t)
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
		story_put_time(out, r->due_at);
	}
	buf_printf(out, "%s%s\n", r->end_reason ? ": " : "", r->end_reason ? r->end_reason : "");
}

static void put_slot(struct buf *out, const struct slot *slot)
{
	buf_add_str(out, "  ");
	if (slot->first_nominal != slot->nominal) {
		story_put_time(out, slot->first_nominal);
		buf_add_str(out, "-");
	}
	story_put_time(out, slot->nominal);
	if (slot->occurrences > 1)
		buf_printf(out, " x%lld%s", (long long)slot->occurrences, slot->more ? "+" : "");
	buf_printf(out, " %s: %s", outcome_word(slot->outcome), slot->reason);
	if (slot->early)
		buf_add_str(out, slot->generation < 0 ? " (counts no more)" : " (early)");
	if (slot->verdict != VERDICT_NONE)
		buf_printf(out, " [%s: %s]", verdict_word(slot->verdict), slot->verdict_detail);
	buf_add_str(out, "\n");
}

static void put_slots(struct story *s, struct buf *out, int64_t reminder)
{
	AUTO_SLOTS struct slot_list slots = {0};
	struct error err = {0};

	story_check(slot_list(s->db, reminder, 0, 1000, &slots, &err), &err);
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

static const char *job_words(const struct job *job)
{
	switch (job->kind) {
	case JOB_CHECK:
		return job->argv[2];
	case JOB_DELIVER:
		return job->argv[0];
	case JOB_REMOVE_THREAD:
		return "remove a thread";
	default:
		return job->kind == JOB_SWEEP ? "sweep" : "remove";
	}
}

static char *dump(struct story *s)
{
	AUTO_REMINDERS struct reminder_list reminders = {0};
	AUTO_MESSAGES struct message_list messages = {0};
	struct reminder_filter all = {.ended = true, .limit = 100};
	struct queue_filter done = {.done = true, .limit = 100};
	struct error err = {0};
	struct buf out = {0};

	story_check(reminder_list(s->db, &all, &reminders, &err), &err);
	story_check(queue_list(s->db, &done, &messages, &err), &err);
	for (size_t i = 0; i < reminders.count; i++) {
		put_reminder(&out, reminders.items[i]);
		put_slots(s, &out, reminders.items[i]->key);
	}
	story_put_missions(s, &out);
	story_put_lives(s, &out);
	for (size_t i = 0; i < messages.count; i++)
		put_message(&out, messages.items[i]);
	for (size_t i = 0; i < s->job_count; i++)
		buf_printf(&out, "$ %s\n", job_words(s->jobs[i]));
	for (size_t i = 0; i < s->start_count; i++)
		buf_printf(&out, "$ start %s\n", s->starts[i]->run);
	buf_add_str(&out, buf_text(&s->told));
	return story_name_missions(s, buf_steal(&out));
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
	s.config_count = 2;
	story_check(store_open("sqlite::memory:", &s.db, &err), &err);
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
	remove_zones(&s);
	drop_jobs(&s);
	engine_free(s.engine);
	db_close(s.db);
	while (s.config_count)
		config_free(s.configs[--s.config_count]);
	buf_fini(&s.told);
	free(s.answer);
	return result;
}
