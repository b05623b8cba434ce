/*
 * config-crons.c: crons, each of which stands or falls alone.
 * A mistake inside one cron must not keep the others from firing, so it does not refuse the file: it
 * becomes the cron's problem, the first one in words and place, and reading goes on, so that lists
 * can still show what is known about it. Texts are kept even when they are the problem.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "config/read.h"
#include "schedule/duration.h"
#include "schedule/schedule.h"

#define NAME_MAX_LEN 64
#define CONCURRENT_MAX 1000
#define TIME_LIMIT_MAX (30 * USEC_PER_DAY)
#define ATTEMPTS_MAX 20
#define CATCHUP_ALL_LIMIT 1000
#define NUMBER_MAX 1000000

/* A cron's mapping while it is read. */
struct cron_reading {
	struct config_cron *cron;
	const struct yaml_node *on_lost;
	bool lost_again; /* on_lost: retry */
};

void config_cron_fini(struct config_cron *cron)
{
	free(cron->name);
	free(cron->problem);
	free(cron->schedule);
	free(cron->timezone);
	free(cron->agent);
	free(cron->prompt);
	free(cron->description);
	free(cron->git);
	free(cron->overlap);
	free(cron->catchup);
}

static struct config_cron *cron_of(void *target)
{
	return ((struct cron_reading *)target)->cron;
}

static int keep_text(struct reader *r, const struct yaml_node *value, const char *name, char **slot)
{
	mem_replace(slot, value->text);
	return value->text[0] ? 0 : read_fail(r, value, "'%s' is empty", name);
}

static int set_schedule(struct reader *r, const struct yaml_node *value, void *target)
{
	struct schedule_spec spec = {
		.kind = SCHEDULE_CRON, .text = value->text, .zone = zone_utc()};
	AUTO(schedule_free) struct schedule *schedule = NULL;
	usec_t first;

	mem_replace(&cron_of(target)->schedule, value->text);
	if (schedule_parse(&spec, &schedule, r->err) < 0)
		return read_place(r, value);
	/* Cron lines repeat for ever or never, so any instant answers it. */
	if (schedule_next(schedule, 0, &first) == 0)
		return read_fail(r, value, "schedule '%s' never fires", value->text);
	return 0;
}

static int set_timezone(struct reader *r, const struct yaml_node *value, void *target)
{
	const struct zone *zone;

	mem_replace(&cron_of(target)->timezone, value->text);
	return zone_get(value->text, &zone, r->err) < 0 ? read_place(r, value) : 0;
}

static int set_agent(struct reader *r, const struct yaml_node *value, void *target)
{
	mem_replace(&cron_of(target)->agent, value->text);
	return read_runner(r, value);
}

static int set_prompt(struct reader *r, const struct yaml_node *value, void *target)
{
	return keep_text(r, value, "prompt", &cron_of(target)->prompt);
}

static int set_description(struct reader *r, const struct yaml_node *value, void *target)
{
	(void)r;
	mem_replace(&cron_of(target)->description, value->text);
	return 0;
}

static int set_git(struct reader *r, const struct yaml_node *value, void *target)
{
	const struct config *c = r->config;
	const char **names;

	mem_replace(&cron_of(target)->git, value->text);
	if (config_repo(c, value->text))
		return 0;
	names = mem_array(c->repo_count, sizeof(char *));
	for (size_t i = 0; i < c->repo_count; i++)
		names[i] = c->repos[i].name;
	read_fail_unknown(r, value, "repository", names, c->repo_count);
	if (c->repo_count == 0)
		error_hint(r->err, "add it to 'syncedRepos'");
	free(names);
	return r->err->code;
}

static int set_enabled(struct reader *r, const struct yaml_node *value, void *target)
{
	return read_bool(r, value, "enabled", &cron_of(target)->enabled);
}

static int set_timeout(struct reader *r, const struct yaml_node *value, void *target)
{
	usec_t *limit = &cron_of(target)->timeout;

	if (strcmp(value->text, "none") != 0)
		return read_duration(r, value, USEC_PER_SEC, TIME_LIMIT_MAX, limit);
	*limit = 0;
	return 0;
}

static int set_overlap(struct reader *r, const struct yaml_node *value, void *target)
{
	static const char *const words[] = {"skip", "queue", "allow", "replace", NULL};
	int which = read_word(r, value, "overlap", words);

	if (which < 0)
		return which;
	mem_replace(&cron_of(target)->overlap, words[which]);
	return 0;
}

static bool is_catchup(const char *text)
{
	static const char *const words[] = {"once", "skip", "all"};
	size_t digits;
	long many;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(text, words[i]) == 0)
			return true;
	if (strncmp(text, "all:", 4) != 0)
		return false;
	digits = strspn(text + 4, "0123456789");
	many = strtol(text + 4, NULL, 10); /* LONG_MAX when there were too many digits */
	return digits >= 1 && !text[4 + digits] && many >= 1 && many <= CATCHUP_ALL_LIMIT;
}

int read_catchup(struct reader *r, const struct yaml_node *value, char **ret)
{
	if (!is_catchup(value->text)) {
		read_fail(r, value, "'catchup' is once, skip, all or all:N, not '%s'", value->text);
		return error_hint(r->err, "N runs from 1 to %d", CATCHUP_ALL_LIMIT);
	}
	mem_replace(ret, value->text);
	return 0;
}

static int set_catchup(struct reader *r, const struct yaml_node *value, void *target)
{
	return read_catchup(r, value, &cron_of(target)->catchup);
}

static int set_retention(struct reader *r, const struct yaml_node *value, void *target)
{
	return read_number(r, value, "retention", 1, NUMBER_MAX, &cron_of(target)->retention);
}

static int set_start_deadline(struct reader *r, const struct yaml_node *value, void *target)
{
	return read_duration(r, value, 0, DURATION_MAX, &cron_of(target)->start_deadline);
}

static int set_jitter(struct reader *r, const struct yaml_node *value, void *target)
{
	return read_duration(r, value, 0, USEC_PER_WEEK, &cron_of(target)->jitter);
}

static int set_max_attempts(struct reader *r, const struct yaml_node *value, void *target)
{
	return read_number(r, value, "max_attempts", 1, ATTEMPTS_MAX,
			   &cron_of(target)->max_attempts);
}

static int set_pause_after(struct reader *r, const struct yaml_node *value, void *target)
{
	return read_number(r, value, "pause_after", 0, NUMBER_MAX, &cron_of(target)->pause_after);
}

static int set_backoff(struct reader *r, const struct yaml_node *value, void *target)
{
	return read_duration(r, value, 0, TIME_LIMIT_MAX, &cron_of(target)->backoff);
}

/* clang-format off */
static const char *const retry_words[] = {"failure", "timeout", "lost", NULL};
static const int retry_bits[] = {CONFIG_RETRY_FAILURE, CONFIG_RETRY_TIMEOUT, CONFIG_RETRY_LOST};
/* clang-format on */

static int set_retry_on(struct reader *r, const struct yaml_node *value, void *target)
{
	static const char *const none[] = {"none", NULL};
	int bits = 0;

	if (value->kind == YAML_TEXT && read_word(r, value, "retry_on", none) < 0)
		return error_hint(r->err, "or a list of failure, timeout and lost");
	for (size_t i = 0; value->kind == YAML_LIST && i < value->count; i++) {
		const struct yaml_node *item = value->items[i];
		int which;

		if (item->kind != YAML_TEXT)
			return read_fail(r, item, "'retry_on' is a list of texts");
		which = read_word(r, item, "retry_on", retry_words);
		if (which < 0)
			return which;
		bits |= retry_bits[which];
	}
	cron_of(target)->retry_on = bits;
	return 0;
}

static int set_on_lost(struct reader *r, const struct yaml_node *value, void *target)
{
	static const char *const words[] = {"skip", "retry", NULL};
	struct cron_reading *reading = target;
	int which = read_word(r, value, "on_lost", words);

	if (which < 0)
		return which;
	reading->on_lost = value;
	reading->lost_again = which == 1;
	return 0;
}

/* clang-format off */
static const struct key cron_keys[] = {
	{"schedule",       TAKES_TEXT,              set_schedule},
	{"timezone",       TAKES_TEXT,              set_timezone},
	{"agent",          TAKES_TEXT,              set_agent},
	{"prompt",         TAKES_TEXT,              set_prompt},
	{"description",    TAKES_TEXT,              set_description},
	{"git",            TAKES_TEXT,              set_git},
	{"timeout",        TAKES_TEXT,              set_timeout},
	{"overlap",        TAKES_TEXT,              set_overlap},
	{"retention",      TAKES_TEXT,              set_retention},
	{"enabled",        TAKES_TEXT,              set_enabled},
	{"catchup",        TAKES_TEXT,              set_catchup},
	{"start_deadline", TAKES_TEXT,              set_start_deadline},
	{"jitter",         TAKES_TEXT,              set_jitter},
	{"max_attempts",   TAKES_TEXT,              set_max_attempts},
	{"retry_on",       TAKES_TEXT | TAKES_LIST, set_retry_on},
	{"on_lost",        TAKES_TEXT,              set_on_lost},
	{"backoff",        TAKES_TEXT,              set_backoff},
	{"pause_after",    TAKES_TEXT,              set_pause_after},
};
/* clang-format on */
PUBLISH_KEYS(cron_keys);

/* Keep the first problem; the file itself stays good. */
static void note_problem(struct reader *r, struct config_cron *cron)
{
	if (!cron->problem)
		cron->problem = mem_printf("%s%s%s", r->err->message, r->err->hint[0] ? "; " : "",
					   r->err->hint);
	*r->err = (struct error){0};
}

/* on_lost is another way to say whether `lost` is in retry_on. */
static int decide_lost(struct reader *r, const struct cron_reading *reading)
{
	struct config_cron *cron = reading->cron;

	if (!reading->on_lost)
		return 0;
	if (cron->retry_on < 0)
		cron->retry_on = CONFIG_RETRY_FAILURE | CONFIG_RETRY_TIMEOUT;
	else if (!reading->lost_again && (cron->retry_on & CONFIG_RETRY_LOST))
		return read_fail(r, reading->on_lost, "'on_lost: skip', but retry_on has 'lost'");
	if (reading->lost_again)
		cron->retry_on |= CONFIG_RETRY_LOST;
	return 0;
}

/* The three it cannot be without; who runs it may be said once for all. */
static int check_required(struct reader *r, const struct yaml_node *name, struct config_cron *cron)
{
	if (!cron->agent)
		cron->agent = mem_strdup(r->config->default_agent);
	if (!cron->schedule)
		return read_fail(r, name, "cron '%s' has no schedule", cron->name);
	if (!cron->agent)
		return read_fail(r, name, "cron '%s' has no agent", cron->name);
	if (!cron->prompt)
		return read_fail(r, name, "cron '%s' has no prompt", cron->name);
	return 0;
}

static int check_name(struct reader *r, const struct yaml_node *name)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789_-";
	size_t len = strlen(name->text);

	if (len >= 1 && len <= NAME_MAX_LEN && strspn(name->text, allowed) == len)
		return 0;
	read_fail(r, name, "'%s' is not a name for a cron", name->text);
	return error_hint(r->err, "1 to %d letters, digits, '_' and '-'", NAME_MAX_LEN);
}

static struct config_cron *new_cron(struct config *c, const struct yaml_node *name)
{
	struct config_cron *cron = &c->crons[c->cron_count++];

	*cron = (struct config_cron){
		.name = mem_strdup(name->text),
		.line = name->line,
		.column = name->column,
		.enabled = true,
		.timeout = -1,
		.retention = -1,
		.max_attempts = -1,
		.pause_after = -1,
		.retry_on = -1,
		.backoff = -1,
	};
	return cron;
}

static int read_cron(struct reader *r, const struct yaml_node *name, const struct yaml_node *value)
{
	struct cron_reading reading = {0};

	if (read_kind(r, name->text, name, value, TAKES_MAP) < 0)
		return r->err->code;
	reading.cron = new_cron(r->config, name);
	if (check_name(r, name) < 0)
		note_problem(r, reading.cron);
	for (size_t i = 0; i < value->count; i += 2)
		if (read_pair(r, value->items[i], value->items[i + 1], KEYS(cron_keys), &reading) <
		    0)
			note_problem(r, reading.cron);
	if (decide_lost(r, &reading) < 0)
		note_problem(r, reading.cron);
	if (check_required(r, name, reading.cron) < 0)
		note_problem(r, reading.cron);
	return 0;
}

static int read_max_concurrent(struct reader *r, const struct yaml_node *name,
			       const struct yaml_node *value)
{
	if (read_kind(r, name->text, name, value, TAKES_TEXT) < 0)
		return r->err->code;
	return read_number(r, value, name->text, 1, CONCURRENT_MAX, &r->config->max_concurrent);
}

int read_crons(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config *c = target;
	int result = 0;

	c->crons = mem_array(value->count / 2, sizeof(*c->crons));
	for (size_t i = 0; i < value->count && result >= 0; i += 2) {
		const struct yaml_node *name = value->items[i], *what = value->items[i + 1];

		if (strcmp(name->text, "maxConcurrent") == 0)
			result = read_max_concurrent(r, name, what);
		else
			result = read_cron(r, name, what);
	}
	return result;
}
