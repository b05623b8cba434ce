/*
 * role-reminders.c: the reminders of a role, each of which stands or falls alone, as crons do: its
 * first mistake becomes its problem, and reading goes on. Only its name must be right, since that is
 * how it is found again: without one, or with that of another, the whole file is refused.
 *
 * Texts become what `reminder add` would keep, as far as that does not depend on the moment: a file
 * is read again and again, and must mean the same each time. So there is no "in", and "at" is an
 * instant or a local time, not "tomorrow".
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "config/read.h"
#include "schedule/duration.h"
#include "schedule/instant.h"
#include "schedule/schedule.h"

#define REMINDERS_MAX 1000
#define NAME_BYTES_MAX 100
#define CONDITION_BYTES_MAX ((size_t)64 * 1024)
#define COUNT_MAX 1000000000
#define SPAN_MAX (366 * USEC_PER_DAY)
#define CONDITION_TIMEOUT_MAX (10 * USEC_PER_MINUTE)
#define OWN_PREFIX "heartbeat-"

/* A reminder's mapping while it is read. */
struct reminder_reading {
	struct config_reminder *reminder;
	const struct yaml_node *schedule; /* the text */
	const char *kind;
	const struct zone *zone;
	bool bad_schedule; /* it was there, and its mistake is told already */
};

void config_reminder_fini(struct config_reminder *reminder)
{
	free(reminder->name);
	free(reminder->message);
	free(reminder->problem);
	free(reminder->kind);
	free(reminder->schedule);
	free(reminder->timezone);
	free(reminder->priority);
	free(reminder->fallback);
	free(reminder->condition);
	free(reminder->condition_prompt);
	free(reminder->mode);
	free(reminder->catchup);
}

static struct config_reminder *reminder_of(void *target)
{
	return ((struct reminder_reading *)target)->reminder;
}

static bool is_blank(const char *text)
{
	return !text[strspn(text, " \t\n")];
}

/* --- when --------------------------------------------------------------------------------- */

static int set_kind(struct reader *r, const struct yaml_node *value, void *target, const char *kind)
{
	struct reminder_reading *a = target;

	if (a->kind) {
		read_fail(r, value, "two schedules: '%s' and '%s'", a->kind, kind);
		return error_hint(r->err, "give exactly one of every, at, cron, rrule and idle");
	}
	a->kind = kind;
	a->schedule = value;
	return 0;
}

static int set_every(struct reader *r, const struct yaml_node *value, void *target)
{
	return set_kind(r, value, target, "every");
}

static int set_at(struct reader *r, const struct yaml_node *value, void *target)
{
	return set_kind(r, value, target, "at");
}

static int set_cron(struct reader *r, const struct yaml_node *value, void *target)
{
	return set_kind(r, value, target, "cron");
}

static int set_rrule(struct reader *r, const struct yaml_node *value, void *target)
{
	return set_kind(r, value, target, "rrule");
}

static int set_idle(struct reader *r, const struct yaml_node *value, void *target)
{
	return set_kind(r, value, target, "idle");
}

static int refuse_in(struct reader *r, const struct yaml_node *value, void *target)
{
	(void)target;
	read_fail(r, value, "'in' counts from the moment it is said, and a file has none");
	return error_hint(r->err, "use 'at' with a date, or: belfry reminder add AGENT --in %s",
			  value->text);
}

static int set_timezone(struct reader *r, const struct yaml_node *value, void *target)
{
	struct reminder_reading *a = target;

	mem_replace(&a->reminder->timezone, value->text);
	return zone_get(value->text, &a->zone, r->err) < 0 ? read_place(r, value) : 0;
}

/* clang-format off */
static const struct key schedule_keys[] = {
	{"every",    TAKES_TEXT, set_every},
	{"at",       TAKES_TEXT, set_at},
	{"in",       TAKES_TEXT, refuse_in},
	{"cron",     TAKES_TEXT, set_cron},
	{"rrule",    TAKES_TEXT, set_rrule},
	{"idle",     TAKES_TEXT, set_idle},
	{"timezone", TAKES_TEXT, set_timezone},
};
/* clang-format on */
PUBLISH_KEYS(schedule_keys);

static int read_span(struct reader *r, const struct yaml_node *value, struct config_reminder *to)
{
	char canonical[DURATION_TEXT_MAX];
	usec_t span;
	int result = read_duration(r, value, USEC_PER_SEC, SPAN_MAX, &span);

	if (result < 0)
		return result;
	duration_format(span, canonical);
	mem_replace(&to->schedule, canonical);
	return 0;
}

static int check_at(struct reader *r, const struct reminder_reading *a)
{
	usec_t at;

	if (instant_parse(a->schedule->text, a->zone, &at, r->err) >= 0)
		return 0;
	read_place(r, a->schedule);
	return error_hint(r->err, "a date and a time, like '2026-12-01 09:00', or RFC 3339");
}

static int check_repeating(struct reader *r, const struct reminder_reading *a)
{
	bool is_cron = strcmp(a->kind, "cron") == 0;
	struct schedule_spec spec = {.kind = is_cron ? SCHEDULE_CRON : SCHEDULE_RRULE,
				     .text = a->schedule->text,
				     .zone = a->zone};
	AUTO(schedule_free) struct schedule *schedule = NULL;
	usec_t first;

	if (schedule_parse(&spec, &schedule, r->err) < 0)
		return read_place(r, a->schedule);
	/* Cron lines repeat for ever or never, so any instant answers it. */
	if (is_cron && schedule_next(schedule, 0, &first) == 0)
		return read_fail(r, a->schedule, "schedule '%s' never fires", a->schedule->text);
	return 0;
}

static int check_schedule(struct reader *r, const struct yaml_node *map, struct reminder_reading *a)
{
	struct config_reminder *to = a->reminder;

	if (!a->kind) {
		read_fail(r, map, "reminder '%s' has no schedule", to->name);
		return error_hint(r->err, "give exactly one of every, at, cron, rrule and idle");
	}
	mem_replace(&to->kind, a->kind);
	mem_replace(&to->schedule, a->schedule->text);
	if (strcmp(a->kind, "every") == 0 || strcmp(a->kind, "idle") == 0)
		return read_span(r, a->schedule, to);
	return strcmp(a->kind, "at") == 0 ? check_at(r, a) : check_repeating(r, a);
}

static int set_schedule(struct reader *r, const struct yaml_node *value, void *target)
{
	struct reminder_reading *a = target;
	int result = read_mapping(r, value, KEYS(schedule_keys), a);

	if (result >= 0)
		result = check_schedule(r, value, a);
	a->bad_schedule = result < 0;
	return result;
}

/* --- if ----------------------------------------------------------------------------------- */

static int keep_condition(struct reader *r, const struct yaml_node *value, char **slot)
{
	if (is_blank(value->text))
		return read_fail(r, value, "a condition with an empty text");
	if (strlen(value->text) > CONDITION_BYTES_MAX)
		return read_fail(r, value, "the condition has %zu bytes, at most %zu",
				 strlen(value->text), CONDITION_BYTES_MAX);
	mem_replace(slot, value->text);
	return 0;
}

static int set_command(struct reader *r, const struct yaml_node *value, void *target)
{
	return keep_condition(r, value, &reminder_of(target)->condition);
}

static int set_prompt(struct reader *r, const struct yaml_node *value, void *target)
{
	return keep_condition(r, value, &reminder_of(target)->condition_prompt);
}

static int keep_word(struct reader *r, const struct yaml_node *value, const char *name,
		     const char *const *words, char **slot)
{
	int which = read_word(r, value, name, words);

	if (which < 0)
		return which;
	mem_replace(slot, words[which]);
	return 0;
}

static int set_mode(struct reader *r, const struct yaml_node *value, void *target)
{
	static const char *const words[] = {"each", "until", "once", NULL};

	return keep_word(r, value, "mode", words, &reminder_of(target)->mode);
}

static int set_condition_timeout(struct reader *r, const struct yaml_node *value, void *target)
{
	return read_duration(r, value, USEC_PER_SEC, CONDITION_TIMEOUT_MAX,
			     &reminder_of(target)->condition_timeout);
}

/* clang-format off */
static const struct key condition_keys[] = {
	{"command", TAKES_TEXT, set_command},
	{"prompt",  TAKES_TEXT, set_prompt},
	{"mode",    TAKES_TEXT, set_mode},
	{"timeout", TAKES_TEXT, set_condition_timeout},
};
/* clang-format on */
PUBLISH_KEYS(condition_keys);

static int set_condition(struct reader *r, const struct yaml_node *value, void *target)
{
	const struct config_reminder *to = reminder_of(target);
	int result = read_mapping(r, value, KEYS(condition_keys), target);

	if (result < 0)
		return result;
	if (!to->condition == !to->condition_prompt) {
		read_fail(r, value,
			  to->condition ? "two conditions: 'command' and 'prompt'"
					: "a condition without 'command' or 'prompt'");
		return error_hint(r->err,
				  "give one: a command that answers, or a text for the agent");
	}
	if (to->condition_timeout && to->condition_prompt)
		return read_fail(r, value, "'timeout' is for a condition with a command");
	return 0;
}

/* --- what, and how ------------------------------------------------------------------------ */

static int set_name(struct reader *r, const struct yaml_node *value, void *target)
{
	/* Read before all else. */
	(void)r, (void)value, (void)target;
	return 0;
}

static int set_message(struct reader *r, const struct yaml_node *value, void *target)
{
	mem_replace(&reminder_of(target)->message, value->text);
	return is_blank(value->text) ? read_fail(r, value, "'message' is empty") : 0;
}

static int set_priority(struct reader *r, const struct yaml_node *value, void *target)
{
	static const char *const words[] = {"interrupt", "normal", "idle-first", "idle", NULL};

	return keep_word(r, value, "priority", words, &reminder_of(target)->priority);
}

static int set_fallback(struct reader *r, const struct yaml_node *value, void *target)
{
	static const char *const words[] = {"wait", "run", "start", NULL};

	return keep_word(r, value, "fallback", words, &reminder_of(target)->fallback);
}

static int set_catchup(struct reader *r, const struct yaml_node *value, void *target)
{
	return read_catchup(r, value, &reminder_of(target)->catchup);
}

static int set_count(struct reader *r, const struct yaml_node *value, void *target)
{
	return read_number(r, value, "count", 0, COUNT_MAX, &reminder_of(target)->count);
}

static int set_enabled(struct reader *r, const struct yaml_node *value, void *target)
{
	return read_bool(r, value, "enabled", &reminder_of(target)->enabled);
}

/* clang-format off */
static const struct key reminder_keys[] = {
	{"name",      TAKES_TEXT, set_name},
	{"message",   TAKES_TEXT, set_message},
	{"schedule",  TAKES_MAP,  set_schedule},
	{"priority",  TAKES_TEXT, set_priority},
	{"condition", TAKES_MAP,  set_condition},
	{"catchup",   TAKES_TEXT, set_catchup},
	{"count",     TAKES_TEXT, set_count},
	{"fallback",  TAKES_TEXT, set_fallback},
	{"enabled",   TAKES_TEXT, set_enabled},
};
/* clang-format on */
PUBLISH_KEYS(reminder_keys);

/* --- one of them -------------------------------------------------------------------------- */

static const struct yaml_node *find_name(const struct yaml_node *map)
{
	for (size_t i = 0; i < map->count; i += 2)
		if (strcmp(map->items[i]->text, "name") == 0)
			return map->items[i + 1];
	return NULL;
}

static int check_name(struct reader *r, const struct yaml_node *item, const struct yaml_node *name,
		      const struct config_role *role)
{
	if (!name || name->kind != YAML_TEXT || is_blank(name->text)) {
		read_fail(r, item, "a reminder without a name");
		return error_hint(r->err, "add 'name:', by which it is found again");
	}
	if (strlen(name->text) > NAME_BYTES_MAX || strpbrk(name->text, "\n\t"))
		return read_fail(r, name, "a name is one line of at most %d bytes", NAME_BYTES_MAX);
	if (strncmp(name->text, OWN_PREFIX, strlen(OWN_PREFIX)) == 0) {
		read_fail(r, name, "names that begin with '" OWN_PREFIX "' are belfry's own");
		return error_hint(r->err, "choose another; a heartbeat is 'heartbeat:'");
	}
	for (size_t i = 0; i < role->reminder_count; i++)
		if (strcmp(role->reminders[i].name, name->text) == 0)
			return read_fail(r, name, "a second reminder '%s', the first is in line %d",
					 name->text, role->reminders[i].line);
	return 0;
}

/* Keep the first problem; the file itself stays good. */
static void note_problem(struct reader *r, struct config_reminder *reminder)
{
	if (!reminder->problem)
		reminder->problem = mem_printf("%s%s%s", r->err->message,
					       r->err->hint[0] ? "; " : "", r->err->hint);
	*r->err = (struct error){0};
}

static int check_required(struct reader *r, const struct yaml_node *item,
			  const struct reminder_reading *a)
{
	if (!a->reminder->message)
		return read_fail(r, item, "reminder '%s' has no message", a->reminder->name);
	if (!a->reminder->kind && !a->bad_schedule)
		return read_fail(r, item, "reminder '%s' has no schedule", a->reminder->name);
	return 0;
}

/* The zone of local times where none is named. */
static const struct zone *zone_of(const struct config *c)
{
	const struct zone *zone = NULL;
	const char *source;
	struct error checked = {0};

	if (c->timezone && zone_get(c->timezone, &zone, &checked) == 0)
		return zone;
	return zone_of_machine(&source);
}

static int read_one(struct reader *r, const struct yaml_node *item, struct config_role *role)
{
	struct reminder_reading a = {.reminder = &role->reminders[role->reminder_count],
				     .zone = zone_of(r->config)};
	const struct yaml_node *name;

	if (item->kind != YAML_MAP)
		return read_fail(r, item, "'reminders' is a list of mappings");
	name = find_name(item);
	if (check_name(r, item, name, role) < 0)
		return r->err->code;
	*a.reminder = (struct config_reminder){
		.name = mem_strdup(name->text),
		.line = item->line,
		.column = item->column,
		.enabled = true,
	};
	role->reminder_count++;
	for (size_t i = 0; i < item->count; i += 2)
		if (read_pair(r, item->items[i], item->items[i + 1], KEYS(reminder_keys), &a) < 0)
			note_problem(r, a.reminder);
	if (check_required(r, item, &a) < 0)
		note_problem(r, a.reminder);
	return 0;
}

int read_role_reminders(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config_role *role = ((struct role_reading *)target)->role;
	int result = 0;

	if (value->count > REMINDERS_MAX)
		return read_fail(r, value, "%zu reminders, at most %d", value->count,
				 REMINDERS_MAX);
	role->reminders = mem_array(value->count, sizeof(*role->reminders));
	for (size_t i = 0; i < value->count && result >= 0; i++)
		result = read_one(r, value->items[i], role);
	return result;
}
