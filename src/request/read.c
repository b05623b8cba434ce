/*
 * read.c: arguments become a reminder. Texts are read once, here, into canonical form: a phrase
 * becomes an instant, a duration its shortest spelling, and a rule without DTSTART is anchored at
 * its first real occurrence, so that COUNT counts what will fire.
 */
#include "request/read.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "engine/engine.h"
#include "request/session.h"
#include "schedule/duration.h"
#include "schedule/instant.h"
#include "schedule/phrase.h"
#include "schedule/start.h"

#define MESSAGE_MAX (1024 * 1024)
#define NAME_BYTES_MAX 100
#define CONDITION_MAX (64 * 1024)
#define COUNT_MAX 1000000000
#define CATCHUP_ALL_DEFAULT 10
#define CATCHUP_ALL_LIMIT 1000
#define CONDITION_LIMIT_DEFAULT (30 * USEC_PER_SEC)
#define CONDITION_LIMIT_MAX (10 * USEC_PER_MINUTE)
/* An agent that is asked to close a reminder and never does must not be asked for ever (H10). */
#define PROMPT_COUNT_DEFAULT 100
#define SCHEDULE_FLAGS "--at, --in, --every, --cron, --rrule, --idle"

int read_zone(const struct request *rq, const char *item, const struct zone **ret,
	      const char **ret_source, struct error *err)
{
	const struct config *config = rq->engine ? engine_config(rq->engine) : NULL;
	struct error ignored = {0};

	*ret_source = "item";
	if (item)
		return zone_get(item, ret, err);
	*ret_source = "user";
	if (rq->caller.zone)
		return zone_get(rq->caller.zone, ret, err);
	*ret_source = "config";
	if (config && config->timezone)
		return zone_get(config->timezone, ret, err);
	*ret_source = "TZ";
	if (rq->zone && zone_get(rq->zone, ret, &ignored) == 0)
		return 0;
	/* The daemon's TZ is that of whoever needed it first. */
	*ret = rq->scheduler_running ? zone_of_system(ret_source) : zone_of_machine(ret_source);
	return 0;
}

const struct zone *read_own_zone(const struct request *rq)
{
	struct error none = {0};
	const struct zone *zone = NULL;
	const char *source;

	return read_zone(rq, NULL, &zone, &source, &none) < 0 ? zone_of_machine(&source) : zone;
}

int read_check_text(const char *what, const char *text, size_t limit, struct error *err)
{
	const char *control = text_find_control(text);

	if (strlen(text) > limit) {
		error_set(err, ERR_INVALID, "%s is too long: %zu bytes, at most %zu", what,
			  strlen(text), limit);
		return error_hint(err, "put the long text into a file, and say where it is");
	}
	if (!control)
		return 0;
	error_set(err, ERR_INVALID, "%s has the control character 0x%02x at byte %zu", what,
		  (unsigned char)*control, (size_t)(control - text) + 1);
	return error_hint(err, "only tabs and newlines are allowed");
}

int read_bound(const struct request *rq, const json_t *args, const struct read_bound *bound,
	       usec_t *ret, struct error *err)
{
	const char *text = NULL;
	int rc = json_get_text(args, bound->key, &text, err);

	if (rc < 0 || !text)
		return rc;
	rc = phrase_parse_bound(text, bound->use, rq->now, bound->zone, ret, err);
	return rc < 0 ? error_prefix(err, "--%s", bound->key) : rc;
}

/* `flag` is the key as people write it. */
static int read_duration(const json_t *args, const char *key, const char *flag, usec_t least,
			 usec_t most, usec_t *ret, struct error *err)
{
	const char *text = NULL;
	char low[DURATION_TEXT_MAX], high[DURATION_TEXT_MAX];
	usec_t span;
	int rc = json_get_text(args, key, &text, err);

	if (rc < 0 || !text)
		return rc;
	rc = duration_parse(text, &span, err);
	if (rc < 0)
		return error_prefix(err, "%s", flag);
	if (span < least || span > most) {
		duration_format(least, low);
		duration_format(most, high);
		error_set(err, ERR_INVALID, "%s '%s' is outside %s to %s", flag, text, low, high);
		return error_hint(err, "give a duration like %s", high);
	}
	*ret = span;
	return 1;
}

/* Schedules */

/* "2026-02-20T15:00:00": in its zone, unless that says another instant, or the clock shows it twice. */
static void drop_offset(usec_t at, const struct zone *zone, char *text)
{
	AUTO(free) char *local = mem_strndup(text, strlen("2026-02-20T15:00:00"));
	struct error ignored = {0};
	usec_t again;

	if (instant_parse(local, zone, &again, &ignored) == 0 && again == at)
		strcpy(text, local);
}

/*
 * "today 3am" at 10: nobody who says today wants it at once. It is words that would mean another
 * instant a day ago; a whole date that has passed means what it says, and fires at once.
 */
static int check_today(const struct request *rq, const char *text, const struct zone *zone,
		       usec_t at, struct error *err)
{
	char then[INSTANT_TEXT_MAX];
	struct error ignored = {0};
	usec_t day_ago = at;

	if (at >= rq->now ||
	    phrase_parse(text, rq->now - USEC_PER_DAY, zone, &day_ago, &ignored) < 0 ||
	    day_ago == at)
		return 0;
	instant_format(at, zone, then);
	error_set(err, ERR_INVALID, "'%s' has passed", text);
	return error_hint(err, "say a later time; a whole date, '%.10s %.5s', would fire at once",
			  then, then + strlen("2026-02-20T"));
}

static int read_at(const struct request *rq, const char *text, const struct zone *zone,
		   struct read_schedule *ret, struct error *err)
{
	char canonical[INSTANT_TEXT_MAX];
	struct error ignored = {0};
	usec_t at, elsewhere;
	int rc = phrase_parse(text, rq->now, zone, &at, err);

	if (rc < 0 || (rc = check_today(rq, text, zone, at, err)) < 0)
		return rc;
	instant_format(at, zone, canonical);
	/* What was said as a local time is kept as one: new zone files may make it another instant. */
	if (phrase_parse(text, rq->now, zone_utc(), &elsewhere, &ignored) < 0 || elsewhere != at)
		drop_offset(at, zone, canonical);
	ret->text = mem_strdup(canonical);
	return 0;
}

static int read_in(const struct request *rq, const char *text, const struct zone *zone,
		   struct read_schedule *ret, struct error *err)
{
	char canonical[INSTANT_TEXT_MAX];
	usec_t span;
	int rc = duration_parse(text, &span, err);

	if (rc < 0)
		return rc;
	instant_format(rq->now + span, zone, canonical);
	ret->text = mem_strdup(canonical);
	return 0;
}

/* `every` and `idle` */
static int read_stretch(const struct request *rq, const char *text, const struct zone *zone,
			struct read_schedule *ret, struct error *err)
{
	char canonical[DURATION_TEXT_MAX];
	usec_t span;
	int rc = duration_parse(text, &span, err);

	(void)rq, (void)zone;
	if (rc < 0)
		return rc;
	duration_format(span, canonical);
	ret->text = mem_strdup(canonical);
	return 0;
}

static int read_cron(const struct request *rq, const char *text, const struct zone *zone,
		     struct read_schedule *ret, struct error *err)
{
	(void)rq, (void)zone, (void)err;
	ret->text = mem_strdup(text);
	return 0;
}

static int read_rrule_from(const char *text, const char *dtstart, const struct zone *zone,
			   struct read_schedule *ret, struct error *err)
{
	usec_t wall;
	int rc = instant_parse(dtstart, zone, &ret->anchor, err);

	if (rc < 0)
		return error_prefix(err, "dtstart");
	if (strcasestr(text, "DTSTART"))
		return error_set(err, ERR_INVALID, "the rule has a DTSTART of its own");
	/* A local time is kept as it was said, also in a gap, where no instant shows it. */
	rc = instant_parse(dtstart, zone_utc(), &wall, err);
	if (rc < 0 || wall == ret->anchor)
		wall = zone_local(zone, ret->anchor) * USEC_PER_SEC;
	ret->text = start_rule_at(text, zone, floor_div(wall, USEC_PER_SEC));
	return 0;
}

static int read_rrule(const struct request *rq, const char *text, const struct zone *zone,
		      struct read_schedule *ret, struct error *err)
{
	const char *dtstart = NULL;
	int rc = json_get_text(ret->args, "dtstart", &dtstart, err);

	if (rc < 0)
		return rc;
	if (dtstart)
		return read_rrule_from(text, dtstart, zone, ret, err);
	/* An exported one brings the beginning it has. */
	if (!json_object_get(ret->args, "anchor")) {
		ret->text = start_rule(text, zone, rq->now, &ret->anchor);
		return 0;
	}
	ret->anchor = rq->now - floor_mod(rq->now, USEC_PER_SEC);
	ret->text = mem_strdup(text);
	return 0;
}

static const struct schedule_reader {
	const char *key;
	enum schedule_kind kind;
	int (*read)(const struct request *rq, const char *text, const struct zone *zone,
		    struct read_schedule *ret, struct error *err);
} schedule_readers[] = {
	{"at", SCHEDULE_AT, read_at},
	{"in", SCHEDULE_AT, read_in},
	{"every", SCHEDULE_EVERY, read_stretch},
	{"cron", SCHEDULE_CRON, read_cron},
	{"rrule", SCHEDULE_RRULE, read_rrule},
	{"idle", SCHEDULE_IDLE, read_stretch},
};
#define READER_COUNT (sizeof(schedule_readers) / sizeof(schedule_readers[0]))

/* The one schedule key among the arguments, NULL when there is none. */
static int find_schedule(const json_t *args, const struct schedule_reader **ret,
			 const char **ret_text, struct error *err)
{
	*ret = NULL;
	for (size_t i = 0; i < READER_COUNT; i++) {
		const char *text = NULL;
		int rc = json_get_text(args, schedule_readers[i].key, &text, err);

		if (rc < 0)
			return rc;
		if (!text)
			continue;
		if (*ret) {
			error_set(err, ERR_INVALID, "two schedules: --%s and --%s", (*ret)->key,
				  schedule_readers[i].key);
			return error_hint(err, "give exactly one of " SCHEDULE_FLAGS);
		}
		*ret = &schedule_readers[i];
		*ret_text = text;
	}
	return 0;
}

int read_schedule(const struct request *rq, const json_t *args, const struct zone *zone,
		  bool optional, struct read_schedule *ret, struct error *err)
{
	const struct schedule_reader *reader;
	const char *text = NULL;
	int rc = find_schedule(args, &reader, &text, err);

	if (rc < 0)
		return rc;
	if (!reader && optional)
		return 0;
	if (!reader) {
		error_set(err, ERR_INVALID, "no schedule");
		return error_hint(err, "give exactly one of " SCHEDULE_FLAGS);
	}
	*ret = (struct read_schedule){.kind = reader->kind, .anchor = rq->now, .args = args};
	rc = reader->read(rq, text, zone, ret, err);
	return rc < 0 ? error_prefix(err, "--%s", reader->key) : 1;
}

/* One field after another */

static int read_agent(const struct request *rq, const json_t *args, struct reminder *r,
		      struct error *err)
{
	const struct config_agent *agent;
	const char *name = NULL;
	int rc = json_get_text(args, "agent", &name, err);

	if (rc < 0 || !name)
		return rc;
	agent = config_agent(engine_config(rq->engine), name, err);
	if (!agent)
		return err->code;
	mem_replace(&r->agent, agent->name);
	return 0;
}

static int read_message(const struct request *rq, const json_t *args, struct reminder *r,
			struct error *err)
{
	const char *text = NULL;
	int rc = json_get_text(args, "message", &text, err);

	if (rc < 0 || !text)
		return rc;
	if (text[strspn(text, " \t\n")] == '\0' && rq->caller.surface == SURFACE_MCP) {
		error_set(err, ERR_INVALID, "'message' is empty");
		return error_hint(err, "say in it what to remind of");
	}
	if (text[strspn(text, " \t\n")] == '\0') {
		error_set(err, ERR_INVALID, "the message is empty");
		return error_hint(err, "say what to remind of: -m 'TEXT', or -m - to read it from "
				       "standard input");
	}
	rc = read_check_text("the message", text, MESSAGE_MAX, err);
	if (rc >= 0)
		mem_replace(&r->message, text);
	return rc;
}

static int read_name(const struct request *rq, const json_t *args, struct reminder *r,
		     struct error *err)
{
	const char *text = NULL;
	int rc = json_get_text(args, "name", &text, err);

	(void)rq;
	if (rc < 0 || !text)
		return rc;
	rc = read_check_text("the name", text, NAME_BYTES_MAX, err);
	if (rc >= 0 && strpbrk(text, "\n\t")) {
		error_set(err, ERR_INVALID, "the name has a tab or a newline in it");
		rc = error_hint(err, "a name is one line; the text goes into --message");
	}
	if (rc >= 0)
		mem_replace(&r->name, *text ? text : NULL);
	return rc;
}

/* One of a list of words, by its `_of` function. */
static int read_word(const json_t *args, const char *key, int (*of)(const char *), int *ret,
		     struct error *err)
{
	const char *text = NULL;
	int rc = json_get_text(args, key, &text, err);

	if (rc < 0 || !text)
		return rc;
	*ret = of(text);
	if (*ret < 0)
		return error_set(err, ERR_INVALID, "--%s '%s' is not a word it takes", key, text);
	return 1;
}

static int read_priority(const struct request *rq, const json_t *args, struct reminder *r,
			 struct error *err)
{
	int word = (int)r->priority;
	int rc = read_word(args, "priority", priority_of, &word, err);

	(void)rq;
	if (rc < 0)
		return error_hint(err, "interrupt, normal, idle-first or idle");
	r->priority = (enum priority)word;
	return 0;
}

static int read_fallback(const struct request *rq, const json_t *args, struct reminder *r,
			 struct error *err)
{
	int word = (int)r->fallback;
	int rc = read_word(args, "fallback", fallback_of, &word, err);

	(void)rq;
	if (rc < 0)
		return error_hint(err, "wait, run or start");
	r->fallback = (enum fallback)word;
	return 0;
}

static int set_condition(struct reminder *r, enum condition kind, const char *text,
			 struct error *err)
{
	int rc = read_check_text("the condition", text, CONDITION_MAX, err);

	if (rc < 0)
		return rc;
	r->condition_kind = *text ? kind : CONDITION_NONE;
	mem_replace(&r->condition, *text ? text : NULL);
	return 0;
}

static int read_condition(const struct request *rq, const json_t *args, struct reminder *r,
			  struct error *err)
{
	const char *command = NULL, *prompt = NULL;
	int mode = (int)r->mode, rc;

	if ((rc = json_get_text(args, "condition", &command, err)) < 0 ||
	    (rc = json_get_text(args, "condition_prompt", &prompt, err)) < 0)
		return rc;
	/* It runs with the person's login, whoever it asks as. */
	if (command && *command && rq->caller.user && rq->caller.trust < TRUST_FULL) {
		error_set(
			err, ERR_DENIED,
			"--condition runs a command, which needs full trust, and user '%s' has %s",
			rq->caller.user, trust_word(rq->caller.trust));
		return error_hint(err, "--condition-prompt TEXT lets the agent look itself");
	}
	if (command && prompt) {
		error_set(err, ERR_INVALID, "two conditions: --condition and --condition-prompt");
		return error_hint(err, "give one: a command that answers, or a text for the agent");
	}
	if (command || prompt)
		rc = set_condition(r, command ? CONDITION_COMMAND : CONDITION_PROMPT,
				   command ? command : prompt, err);
	if (rc >= 0)
		rc = read_word(args, "mode", mode_of, &mode, err);
	if (rc < 0)
		return rc;
	if (rc == 1 && r->condition_kind == CONDITION_NONE) {
		error_set(err, ERR_INVALID, "--mode without a condition");
		return error_hint(err, "add --condition COMMAND or --condition-prompt TEXT");
	}
	r->mode = (enum mode)mode;
	rc = read_duration(args, "condition_timeout", "--condition-timeout", USEC_PER_SEC,
			   CONDITION_LIMIT_MAX, &r->condition_limit, err);
	return rc < 0 ? rc : 0;
}

static int read_count(const struct request *rq, const json_t *args, struct reminder *r,
		      struct error *err)
{
	int64_t count = r->count_max;
	int rc = json_get_int(args, "count", &count, err);

	(void)rq;
	if (rc < 0)
		return rc;
	/* An edit takes the bound away by 0. */
	if ((count < 1 && json_is_integer(json_object_get(args, "count")) && !r->key) ||
	    count < 0 || count > COUNT_MAX) {
		error_set(err, ERR_INVALID, "--count %lld is outside 1 to %d: at least 1",
			  (long long)count, COUNT_MAX);
		return error_hint(err, "leave it out for no limit");
	}
	r->count_max = count;
	return 0;
}

static int read_until(const struct request *rq, const json_t *args, struct reminder *r,
		      struct error *err)
{
	const struct zone *zone;
	const char *text = NULL;
	int rc = json_get_text(args, "until", &text, err);

	if (rc < 0 || !text)
		return rc;
	if (strcasecmp(text, "never") == 0) {
		r->until = USEC_NONE;
		return 0;
	}
	rc = zone_get(r->zone, &zone, err);
	rc = rc < 0 ? rc
		    : read_bound(rq, args, &(struct read_bound){"until", PHRASE_END, zone},
				 &r->until, err);
	return rc < 0 ? rc : 0;
}

/* "once", "skip", "all", "all:5" or "all(5)" */
static int read_catchup(const struct request *rq, const json_t *args, struct reminder *r,
			struct error *err)
{
	const char *text = NULL;
	char *end;
	int rc = json_get_text(args, "catchup", &text, err);

	(void)rq;
	if (rc < 0 || !text)
		return rc;
	if (strcmp(text, "once") == 0 || strcmp(text, "skip") == 0) {
		r->catchup = (enum catchup)catchup_of(text);
		return 0;
	}
	if (strncmp(text, "all", 3) == 0) {
		r->catchup = CATCHUP_ALL;
		r->catchup_max = CATCHUP_ALL_DEFAULT;
		if (text[3] == '\0')
			return 0;
		r->catchup_max = strtol(text + 4, &end, 10);
		if (strchr(":(", text[3]) && end > text + 4 &&
		    strcmp(end, text[3] == '(' ? ")" : "") == 0 && r->catchup_max >= 1 &&
		    r->catchup_max <= CATCHUP_ALL_LIMIT)
			return 0;
	}
	error_set(err, ERR_INVALID, "--catchup '%s' is not a catch-up", text);
	return error_hint(err, "once, skip, all or all:N with N from 1 to %d", CATCHUP_ALL_LIMIT);
}

static int read_spans(const struct request *rq, const json_t *args, struct reminder *r,
		      struct error *err)
{
	int rc = read_duration(args, "start_deadline", "--start-deadline", 0, DURATION_MAX,
			       &r->start_deadline, err);

	(void)rq;
	if (rc >= 0)
		rc = read_duration(args, "jitter", "--jitter", 0, USEC_PER_WEEK, &r->jitter, err);
	return rc < 0 ? rc : 0;
}

static int (*const field_readers[])(const struct request *, const json_t *, struct reminder *,
				    struct error *) = {
	read_agent, read_message, read_name,	read_priority, read_condition,
	read_count, read_until,	  read_catchup, read_spans,    read_fallback,
};

static int read_fields(const struct request *rq, const json_t *args, struct reminder *r,
		       struct error *err)
{
	for (size_t i = 0; i < sizeof(field_readers) / sizeof(field_readers[0]); i++) {
		int rc = field_readers[i](rq, args, r, err);

		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Take over a schedule that was read, and check that it parses. */
static int set_schedule(struct reminder *r, struct read_schedule *read, const struct zone *zone,
			struct error *err)
{
	AUTO(schedule_free) struct schedule *s = NULL;
	struct schedule_spec spec = {read->kind, read->text, zone, read->anchor};
	int rc = schedule_parse(&spec, &s, err);

	mem_replace(&r->schedule_kind, schedule_kind_word(read->kind));
	free(r->schedule);
	r->schedule = read->text;
	r->anchor = read->anchor;
	if (rc < 0)
		return error_prefix(err, "--%s", r->schedule_kind);
	/* a rule may name its own zone */
	mem_replace(&r->zone, zone_name(schedule_zone(s)));
	if (schedule_zone(s) != zone)
		mem_replace(&r->zone_source, "item");
	return 0;
}

static int read_zone_key(const struct request *rq, const json_t *args, struct reminder *r,
			 const struct zone **ret, struct error *err)
{
	const char *item = NULL, *source = NULL;
	int rc = json_get_text(args, "tz", &item, err);

	if (rc >= 0)
		rc = read_zone(rq, item, ret, &source, err);
	if (rc < 0)
		return item ? error_prefix(err, "--tz") : rc;
	mem_replace(&r->zone, zone_name(*ret));
	mem_replace(&r->zone_source, source);
	return 0;
}

static void set_defaults(struct reminder *r)
{
	r->priority = PRIORITY_IDLE;
	r->until = USEC_NONE;
	r->catchup = CATCHUP_ONCE;
	r->catchup_max = CATCHUP_ALL_DEFAULT;
	r->condition_limit = CONDITION_LIMIT_DEFAULT;
}

static int require(const struct reminder *r, struct error *err)
{
	if (!r->agent) {
		error_set(err, ERR_INVALID, "no agent");
		return error_hint(err, "name who is reminded, for example 'me'");
	}
	if (!r->message) {
		error_set(err, ERR_INVALID, "no message");
		return error_hint(err, "give it with -m 'TEXT', or -m - to read standard input");
	}
	return 0;
}

/* A cron line names moments that matter: one that was missed is not made up for later. */
static enum catchup catchup_of_kind(int kind)
{
	return kind == SCHEDULE_CRON ? CATCHUP_SKIP : CATCHUP_ONCE;
}

int read_new_reminder(const struct request *rq, const json_t *args, struct reminder *r,
		      struct error *err)
{
	struct read_schedule read = {0};
	const struct zone *zone = NULL;
	int rc;

	set_defaults(r);
	if ((rc = read_zone_key(rq, args, r, &zone, err)) < 0 ||
	    (rc = read_schedule(rq, args, zone, false, &read, err)) < 0 ||
	    (rc = set_schedule(r, &read, zone, err)) < 0)
		return rc;
	r->catchup = catchup_of_kind(read.kind);
	if ((rc = read_fields(rq, args, r, err)) < 0 || (rc = require(r, err)) < 0)
		return rc;
	if (r->condition_kind == CONDITION_PROMPT && r->mode != MODE_EACH && !r->count_max)
		r->count_max = PROMPT_COUNT_DEFAULT;
	return 0;
}

/*
 * The text of a schedule that an edit does not touch. A single time is the same in another zone, and
 * the start of a rule that nobody said is the same on its clock.
 */
static char *kept_text(const struct reminder *r, const char *zone_before, const struct zone *zone,
		       usec_t *anchor)
{
	const struct zone *old = NULL;
	struct error ignored = {0};
	char text[INSTANT_TEXT_MAX];
	bool moves = strcmp(zone_before, zone_name(zone)) != 0;
	usec_t at;

	if (moves && strcmp(r->schedule_kind, "rrule") == 0)
		return start_move(r->schedule, zone, anchor);
	if (strcmp(r->schedule_kind, "at") != 0 || !moves ||
	    zone_get(zone_before, &old, &ignored) < 0 ||
	    instant_parse(r->schedule, old, &at, &ignored) < 0)
		return mem_strdup(r->schedule);
	instant_format(at, zone, text);
	return mem_strdup(text);
}

/* What a run has written, or moved to another agent's folder, is carried out as that run's, whoever set it. */
static void note_writer(const struct request *rq, const json_t *args, struct reminder *r)
{
	static const char *const written[] = {"message", "name", "condition", "condition_prompt",
					      "agent"};

	for (size_t i = 0; i < sizeof(written) / sizeof(written[0]); i++) {
		if (!json_object_get(args, written[i]))
			continue;
		/* Whose it is stays: what the person has made, or has written into. */
		r->persons |= !r->made_by || !caller_is_run(&rq->caller);
		if (caller_is_run(&rq->caller))
			r->made_by = caller_maker(&rq->caller);
	}
}

int read_edit(const struct request *rq, const json_t *args, struct reminder *r,
	      bool *ret_reschedule, struct error *err)
{
	struct read_schedule read = {0};
	const struct zone *zone = NULL;
	bool rezoned = json_object_get(args, "tz") != NULL;
	AUTO(free) char *zone_before = mem_strdup(r->zone);
	int rc = rezoned ? read_zone_key(rq, args, r, &zone, err) : zone_get(r->zone, &zone, err);
	bool by_kind = r->catchup == catchup_of_kind(schedule_kind_of(r->schedule_kind));

	if (rc < 0)
		return rc;
	rc = read_schedule(rq, args, zone, true, &read, err);
	if (rc < 0)
		return rc;
	*ret_reschedule = rc == 1 || rezoned;
	if (rc == 0) {
		read.kind = (enum schedule_kind)schedule_kind_of(r->schedule_kind);
		read.anchor = r->anchor;
		read.text = kept_text(r, zone_before, zone, &read.anchor);
	} else if (by_kind) { /* a catch-up that is the default of the old kind was not chosen */
		r->catchup = catchup_of_kind(read.kind);
	}
	note_writer(rq, args, r);
	rc = set_schedule(r, &read, zone, err);
	return rc < 0 ? rc : read_fields(rq, args, r, err);
}
