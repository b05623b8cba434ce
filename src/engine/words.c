/*
 * words.c: what a fire says. The text of the reminder with its variables filled in, what a prompt
 * condition asks the agent to do first, and a closing line when the fire is late or stands for
 * others that were missed, so that whoever reads it knows.
 */
#include "engine/internal.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"
#include "schedule/duration.h"

/* Later than this is worth a word to the reader. */
#define LATE_ENOUGH (60 * USEC_PER_SEC)

struct fire {
	const struct reminder *r;
	const struct slot *slot;
	usec_t now;
};

static const struct zone *zone_of(const struct reminder *r)
{
	const struct zone *zone;
	struct error unknown = {0};

	return zone_get(r->zone, &zone, &unknown) < 0 ? zone_utc() : zone;
}

static void put_fire_count(const struct fire *f, struct buf *out)
{
	buf_printf(out, "%lld", (long long)f->r->fire_count);
}

static void put_missed(const struct fire *f, struct buf *out)
{
	buf_printf(out, "%lld", (long long)f->slot->missed_before);
}

static void put_late_by(const struct fire *f, struct buf *out)
{
	char span[DURATION_TEXT_MAX];

	/* The time that a turn takes is nobody's business. */
	duration_format_short(f->slot->lateness < USEC_PER_SEC ? 0 : f->slot->lateness, span);
	buf_add_str(out, span);
}

static void put_now(const struct fire *f, struct buf *out)
{
	char text[INSTANT_TEXT_MAX];

	instant_format_long(f->now, zone_of(f->r), text);
	buf_add_str(out, text);
}

static const char *name_of(const struct reminder *r)
{
	return r->name ? r->name : r->id;
}

static void put_name(const struct fire *f, struct buf *out)
{
	buf_add_str(out, name_of(f->r));
}

static const struct variable {
	const char *text;
	void (*put)(const struct fire *f, struct buf *out);
} variables[] = {
	{"{{fire_count}}", put_fire_count},
	{"{{missed}}", put_missed},
	{"{{late_by}}", put_late_by},
	{"{{now}}", put_now},
	{"{{name}}", put_name},
};

/* The variable that starts here, or NULL: unknown ones stay as they were typed. */
static const struct variable *variable_at(const char *p)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		if (strncmp(p, variables[i].text, strlen(variables[i].text)) == 0)
			return &variables[i];
	return NULL;
}

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."

/* Also "{{ name }}" and "{{Name}}": whoever writes that means a variable, and gets none. */
char *engine_unknown_variable(const char *message)
{
	for (const char *p = strstr(message, "{{"); p; p = strstr(p + 2, "{{")) {
		const char *name = p + 2 + strspn(p + 2, " ");
		const char *end = name + strspn(name, NAME_CHARACTERS);

		end += strspn(end, " ");
		if (end > name && strncmp(end, "}}", 2) == 0 && !variable_at(p))
			return mem_strndup(p, (size_t)(end + 2 - p));
	}
	return NULL;
}

static void put_text(const struct fire *f, struct buf *out)
{
	for (const char *p = f->r->message; *p;) {
		const struct variable *v = *p == '{' ? variable_at(p) : NULL;

		if (v) {
			v->put(f, out);
			p += strlen(v->text);
		} else {
			buf_add_char(out, *p++);
		}
	}
}

/* What to do with the answer, by mode; %s is the reminder's id. */
static const char *const instructions[] = {
	[MODE_EACH] = "If the condition is NOT met, reply with \"[skip]\" and do nothing else.\n"
		      "If the condition IS met, proceed with the following task:\n",
	[MODE_UNTIL] = "If the condition IS met, reply with \"[skip]\", leave the task alone, and "
		       "close this reminder with: belfry reminder complete %s\n"
		       "or with the tool reminder_complete.\n"
		       "If the condition is NOT met, proceed with the following task:\n",
	[MODE_ONCE] =
		"If the condition is NOT met, reply with \"[skip]\" and do nothing else.\n"
		"If the condition IS met, close this reminder with: belfry reminder complete "
		"%s\nor with the tool reminder_complete, and proceed with the following task:\n",
};

static void put_prompt(const struct reminder *r, struct buf *out)
{
	AUTO(free) char *condition = text_one_line(r->condition);

	buf_printf(out, "[Reminder: %s]\n", name_of(r));
	buf_printf(out, "First look whether this condition holds: \"%s\"\n", condition);
	buf_printf(out, instructions[r->mode], r->id);
	buf_add_str(out, "---\n");
}

static void put_lateness(const struct fire *f, struct buf *out)
{
	int64_t missed = f->slot->missed_before;
	/* A grid is counted exactly however long; others up to the limit (due.c). */
	bool at_least = missed >= COUNT_LIMIT && strcmp(f->r->schedule_kind, "every") != 0;
	char late[DURATION_TEXT_MAX];

	if (missed == 0 && f->slot->lateness < LATE_ENOUGH)
		return;
	duration_format_short(f->slot->lateness, late);
	buf_add_str(out, "\n\n(");
	if (missed > 0)
		buf_printf(out, "%s%lld earlier %s missed; ", at_least ? "at least " : "",
			   (long long)missed, missed == 1 ? "one was" : "ones were");
	buf_printf(out, "this one is %s late)", late);
}

char *words_message(const struct reminder *r, const struct slot *slot, usec_t now)
{
	struct fire f = {.r = r, .slot = slot, .now = now};
	struct buf out = {0};

	if (r->condition_kind == CONDITION_PROMPT)
		put_prompt(r, &out);
	put_text(&f, &out);
	put_lateness(&f, &out);
	if (slot->verdict == VERDICT_ERROR)
		buf_printf(
			&out,
			"\n\n(whether its condition holds is not known, so it fires all the same: "
			"%s)",
			slot->verdict_detail);
	return buf_steal(&out);
}

struct environment {
	char **list;
	size_t count;
};

static void put_variable(struct environment *env, char *stolen)
{
	env->list = mem_grow(env->list, env->count + 2, sizeof(*env->list));
	env->list[env->count++] = stolen;
	env->list[env->count] = NULL;
}

static void put_slot_variables(struct environment *env, const struct reminder *r,
			       const struct slot *slot)
{
	char text[INSTANT_TEXT_MAX], late[DURATION_TEXT_MAX];

	instant_format(slot->nominal, zone_of(r), text);
	duration_format(slot->lateness, late);
	put_variable(env, mem_printf("BELFRY_SCHEDULED_AT=%s", text));
	put_variable(env, mem_printf("BELFRY_LATE_BY=%s", late));
	put_variable(env, mem_printf("BELFRY_MISSED_COUNT=%lld", (long long)slot->missed_before));
}

/* What every child of ours knows. */
static void put_common(struct environment *env, const struct config_agent *agent, const char *name,
		       int64_t attempt)
{
	for (char **p = agent ? agent->environment : NULL; p && *p; p++)
		put_variable(env, mem_strdup(*p));
	put_variable(env, mem_printf("BELFRY_AGENT=%s", name));
	put_variable(env, mem_printf("BELFRY_ATTEMPT=%lld", (long long)attempt));
}

static void put_origin(struct environment *env, const struct reminder *r, const struct slot *slot)
{
	if (r) {
		put_variable(env, mem_printf("BELFRY_REMINDER_ID=%s", r->id));
		put_variable(env, mem_printf("BELFRY_REMINDER_NAME=%s", r->name ? r->name : ""));
	}
	if (r && slot)
		put_slot_variables(env, r, slot);
}

char **words_environment(const struct config_agent *agent, const struct reminder *r,
			 const struct slot *slot, const struct message *m)
{
	struct environment env = {0};

	put_common(&env, agent,
		   m   ? m->agent
		   : r ? r->agent
		       : "",
		   m	  ? m->attempts
		   : slot ? slot->attempts
			  : 1);
	if (m) {
		put_variable(&env, mem_printf("BELFRY_MESSAGE_ID=%s", m->id));
		put_variable(&env, mem_printf("BELFRY_PRIORITY=%s", priority_word(m->priority)));
	}
	put_origin(&env, r, slot);
	return env.list;
}

/* What is new in the inbox: a question needs an answer, the others only eyes. */
static const char *kind_of(const struct message *m, const struct mail *mail)
{
	if (mail && mail->ask != ASKING_NONE)
		return "question";
	if (mail && mail->sender == SENDER_AGENT)
		return "message";
	return m->slot ? "reminder" : "notice";
}

void words_add_mail(char ***env, const struct message *m, const struct mail *mail,
		    const struct thread *t)
{
	struct environment all = {.list = *env};

	while (all.list && all.list[all.count])
		all.count++;
	put_variable(&all, mem_printf("BELFRY_KIND=%s", kind_of(m, mail)));
	if (mail) {
		put_variable(&all, mem_printf("BELFRY_THREAD=%s", t->id));
		put_variable(&all, mem_printf("BELFRY_SEQ=%lld", (long long)mail->seq));
		put_variable(&all, mem_printf("BELFRY_FROM=%s",
					      mail->sender == SENDER_AGENT ? mail->author : ""));
		put_variable(&all,
			     mem_printf("BELFRY_TITLE=%s", mail->title ? mail->title : t->title));
	}
	*env = all.list;
}

char **words_run_environment(const struct config_agent *agent, const struct reminder *r,
			     const struct slot *slot, const struct mission *m, const char *inherit)
{
	struct environment env = {0};

	put_common(&env, agent, agent->name, m->attempts ? m->attempts : 1);
	/* The wrapper goes by it; what it lets through is in wrapper-environment.c. */
	if (agent->inherit || inherit)
		put_variable(&env, mem_printf("BELFRY_INHERIT=%s",
					      agent->inherit ? agent->inherit : inherit));
	put_variable(&env, mem_printf("BELFRY_MISSION_ID=%s", m->id));
	put_variable(&env, mem_printf("BELFRY_USER=%s", m->owner ? m->owner : "me"));
	put_variable(&env,
		     mem_printf("BELFRY_TRUST=%s", trust_word(m->owner ? m->trust : TRUST_FULL)));
	/* Empty rather than left out: a daemon that was started from within a run has that one's. */
	put_variable(&env, mem_printf("BELFRY_SESSION=%s", m->session ? m->session : ""));
	put_origin(&env, r, slot);
	return env.list;
}
