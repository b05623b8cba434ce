/*
 * cron-edit.c: the commands that write config.yml: cron add, edit, rm, enable, disable.
 * The file is the only place a cron is declared, so a command edits the text as its owner would and
 * leaves the rest to whoever reads it: the daemon takes the file up at its next turn. A change is
 * written only when the whole file reads well before and after, and this cron has no problem.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "config/edit.h"
#include "config/yaml.h"
#include "engine/change.h"
#include "engine/mission.h"
#include "engine/seed.h"
#include "request/cron-file.h"
#include "request/json-cron.h"
#include "request/rows.h"

#define NEXT_FIRES 3

/* clang-format off */
static const struct cron_key {
	const char *key;  /* in the file */
	const char *arg;  /* of the command */
	bool plain;       /* a number, a boolean or a list: not quoted */
} cron_keys[] = { /* in the order a new cron is written */
	{"description", "description", false}, {"schedule", "schedule", false},
	{"timezone", "tz", false}, {"agent", "agent", false}, {"prompt", "prompt", false},
	{"git", "git", false}, {"timeout", "timeout", false}, {"overlap", "overlap", false},
	{"retention", "retention", true}, {"catchup", "catchup", false},
	{"start_deadline", "start_deadline", false}, {"max_attempts", "max_attempts", true},
	{"retry_on", "retry_on", true}, {"on_lost", "on_lost", false}, {"backoff", "backoff", false},
	{"jitter", "jitter", false}, {"pause_after", "pause_after", true},
	{"enabled", "enabled", true},
};
#define KEY_COUNT (sizeof(cron_keys) / sizeof(cron_keys[0]))

#define CRON_ARGS \
	{"schedule",       0, ARG_TEXT,     "LINE",     "when: a cron line like '0 9 * * 1-5', @daily, '0 17 L * *'", NULL, false, false}, \
	{"agent",          0, ARG_AGENT,    "AGENT",    "who is run", NULL, false, false}, \
	{"prompt",         'p', ARG_BODY,   "TEXT",     "what it is told; - reads standard input", NULL, false, false}, \
	{"description",    0, ARG_TEXT,     "TEXT",     "what it is for, shown by cron ls -v", NULL, false, false}, \
	{"git",            0, ARG_TEXT,     "REPO",     "a repository of syncedRepos that each mission gets a copy of", NULL, false, false}, \
	{"timeout",        0, ARG_TEXT,     "DURATION", "the longest a run may take, or none (default 1h)", NULL, false, false}, \
	{"overlap",        0, ARG_TEXT,     "POLICY",   "while the run before still goes on: skip (default), queue, allow or replace", NULL, false, false}, \
	{"retention",      0, ARG_TEXT,     "N",        "missions kept in sight; older ones are archived", NULL, false, false}, \
	{"tz",             0, ARG_ZONE,     "ZONE",     "the time zone it lives in, like Europe/Berlin; else config.yml's timezone, else the daemon's", NULL, false, false}, \
	{"catchup",        0, ARG_TEXT,     "POLICY",   "what was missed: skip (default; what is less than a minute late still fires), once, all (the newest 10), or all:N (the newest N, at most 1000)", NULL, false, false}, \
	{"start-deadline", 0, ARG_TEXT,     "DURATION", "do not start when later than this", NULL, false, false}, \
	{"max-attempts",   0, ARG_TEXT,     "N",        "how often a failing run is tried", NULL, false, false}, \
	{"retry-on",       0, ARG_TEXT,     "WORDS",    "what is tried again: failure, timeout, lost, or none", NULL, false, false}, \
	{"on-lost",        0, ARG_TEXT,     "WORD",     "a run that was lost in a crash: retry or skip", NULL, false, false}, \
	{"backoff",        0, ARG_TEXT,     "DURATION", "the wait before the second attempt, doubled each time", NULL, false, false}, \
	{"jitter",         0, ARG_TEXT,     "DURATION", "move each fire by up to this, always the same way", NULL, false, false}, \
	{"pause-after",    0, ARG_TEXT,     "N",        "pause it after N failures in a row", NULL, false, false}
/* clang-format on */

/* --- from arguments to settings --- */

struct settings {
	struct edit_setting items[KEY_COUNT];
	char *owned[KEY_COUNT]; /* values that were put together here */
	size_t count;
};

static void settings_fini(struct settings *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->owned[i]);
}
#define AUTO_SETTINGS __attribute__((cleanup(settings_fini)))

/* "failure,timeout" or "failure timeout" as the list it is in the file; "none" stays a word. */
static char *as_list(const char *text)
{
	struct buf list = {0};

	if (strcmp(text, "none") == 0)
		return mem_strdup(text);
	buf_add_char(&list, '[');
	for (const char *p = text; *p;) {
		size_t len = strcspn(p, ", \t[]");

		if (len)
			buf_printf(&list, "%s%.*s", list.len > 1 ? ", " : "", (int)len, p);
		p += len;
		p += strspn(p, ", \t[]");
	}
	buf_add_char(&list, ']');
	return buf_steal(&list);
}

/* A value that is written as it is must not be able to become something else. */
static bool is_plain(const char *text)
{
	for (const char *p = text; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("_-.", *p))
			return false;
	return true;
}

static void add_setting(struct settings *s, const struct cron_key *key, const char *text)
{
	struct edit_setting *item = &s->items[s->count];
	char *value = strcmp(key->key, "retry_on") == 0 && *text ? as_list(text) : mem_strdup(text);

	s->owned[s->count++] = value;
	*item = (struct edit_setting){
		.key = key->key,
		.value = *value ? value : NULL,
		.plain = key->plain && (is_plain(value) || value[0] == '['),
	};
}

static int read_settings(const json_t *args, struct settings *ret, struct error *err)
{
	bool disabled = false;
	int rc = json_get_bool(args, "disabled", &disabled, err);

	for (size_t i = 0; rc >= 0 && i < KEY_COUNT; i++) {
		const struct cron_key *key = &cron_keys[i];
		const char *text = NULL;

		if (strcmp(key->key, "enabled") == 0)
			text = disabled ? "false" : NULL;
		else
			rc = json_get_text(args, key->arg, &text, err);
		if (rc >= 0 && text)
			add_setting(ret, key, text);
	}
	return rc < 0 ? rc : 0;
}

/* "start_deadline" is the flag "--start-deadline". */
static char *flag_of(const struct cron_key *key)
{
	char *flag = mem_printf("--%s", key->arg);

	for (char *p = flag; *p; p++)
		*p = *p == '_' ? '-' : *p;
	return flag;
}

/* --- what is wrong with a cron, in the words of whoever typed flags --- */

/* The key of crons.NAME whose value a place is in: the last one that begins at or before it. */
static const struct cron_key *key_at(const char *text, size_t len, const char *name, long line,
				     long column)
{
	AUTO(yaml_free) struct yaml *yaml = NULL;
	const struct yaml_node *cron = NULL, *found = NULL;

	if (yaml_parse(text, len, "config.yml", &yaml, &(struct error){0}) == 0)
		cron = cron_node(yaml, name);
	for (size_t i = 0; cron && i + 1 < cron->count; i += 2) {
		const struct yaml_node *value = cron->items[i + 1];

		if (value->line < line || (value->line == line && value->column <= column))
			found = cron->items[i];
	}
	for (size_t k = 0; found && k < KEY_COUNT; k++)
		if (strcmp(cron_keys[k].key, found->text) == 0)
			return &cron_keys[k];
	return NULL;
}

/* Reads ":12:5: "; returns what follows it, or NULL when it is something else. */
static const char *skip_place(const char *text, long *ret_line, long *ret_column)
{
	char *end;

	if (*text != ':')
		return NULL;
	*ret_line = strtol(text + 1, &end, 10);
	if (end == text + 1 || *end != ':')
		return NULL;
	text = end + 1;
	*ret_column = strtol(text, &end, 10);
	return end > text && strncmp(end, ": ", 2) == 0 ? end + 2 : NULL;
}

/*
 * "PATH:12:5: no agent 'x'; did you mean 'y'?" without its place, which is one of a text that was
 * never written: the flag is named instead, and what follows ';' is the next step.
 */
static int refuse_problem(const struct cron_file *f, const char *name, const struct config_cron *c,
			  struct error *err)
{
	const char *rest = NULL;
	size_t path = strlen(f->name);
	const struct cron_key *key = NULL;
	AUTO(free) char *flag = NULL, *what = NULL;
	char *hint;
	long line = 0, column = 0;

	if (strncmp(c->problem, f->name, path) == 0)
		rest = skip_place(c->problem + path, &line, &column);
	if (rest)
		key = key_at(buf_text(&f->edited), f->edited.len, name, line, column);
	if (key)
		flag = f->by_text ? mem_strdup(key->key) : flag_of(key);
	what = mem_strdup(rest ? rest : c->problem);
	hint = strstr(what, "; ");
	if (hint)
		*hint = '\0';
	error_set(err, ERR_INVALID, "%s%scron '%s': %s", flag ? flag : "", flag ? ": " : "", name,
		  what);
	return error_hint(err, "%s",
			  hint ? hint + 2 : "nothing was changed; see: belfry help cron add");
}

/* The edited text must read well as a whole, and so must this cron. */
static int check_edited(struct cron_file *f, const char *name, struct error *err)
{
	const struct config_cron *c;
	int rc = config_parse(buf_text(&f->edited), f->edited.len, f->name, &f->after, err);

	if (rc < 0)
		return error_prefix(err, "the change would break the file");
	c = config_cron(f->after, name);
	return c && c->problem && !f->may_be_bad ? refuse_problem(f, name, c, err) : 0;
}

/* What the file says now is armed before it is told: then what is told is what happens. */
static int answer(const struct request *rq, const struct config *config, const char *name,
		  json_t **ret, struct error *err)
{
	const struct config_cron *c = config_cron(config, name);
	int rc = engine_seed_cron(rq->engine, c, rq->now, err);

	if (rc >= 0)
		rc = json_cron(rq, config, c, NEXT_FIRES, ret, err);
	if (rc >= 0)
		json_put_bool(*ret, "scheduler_running", rq->scheduler_running);
	return rc;
}

/* --- add --- */

static int check_name(const char *name, struct error *err)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("_-", name[i]))
			len = 0;
	if (len == 0 || len > 64) {
		error_set(err, ERR_INVALID, "'%s' is not a name for a cron", name);
		return error_hint(err, "1 to 64 letters, digits, '_' and '-', like 'nightly-sync'");
	}
	if (strcmp(name, "maxConcurrent") == 0) {
		error_set(err, ERR_INVALID, "'maxConcurrent' is a setting, not a name for a cron");
		return error_hint(err, "choose another name");
	}
	return 0;
}

static int check_missing(const struct config *config, const json_t *args, struct error *err)
{
	static const char *const needed[][2] = {{"name", "NAME"},
						{"schedule", "--schedule"},
						{"agent", "--agent"},
						{"prompt", "--prompt"}};
	AUTO_BUF struct buf missing = {0};

	for (size_t i = 0; i < 4; i++) {
		const char *text = json_string_value(json_object_get(args, needed[i][0]));

		/* Who runs it may be said once for all. */
		if (!text && config->default_agent && strcmp(needed[i][0], "agent") == 0)
			continue;
		if (!text || !text[strspn(text, " \t\n")])
			buf_printf(&missing, "%s%s", missing.len ? ", " : "", needed[i][1]);
	}
	if (!missing.len)
		return 0;
	error_set(err, ERR_INVALID, "%s %s missing", buf_text(&missing),
		  strchr(buf_text(&missing), ',') ? "are" : "is");
	return error_hint(err, "usage: belfry cron add NAME --schedule '0 9 * * *' --agent AGENT "
			       "--prompt TEXT; alone on a terminal it asks");
}

/* Whoever enables a cron that failures paused means it to go on, with a clean count. */
static int resume(const struct request *rq, const char *name, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(policy_free) struct policy *p = NULL;
	struct db *db = engine_db(rq->engine);
	int rc = policy_find(db, DOOR_CRON, name, &r, err);

	if (rc < 0 || !r)
		return rc;
	if ((rc = policy_get(db, r->key, &p, err)) < 0)
		return rc;
	if (p->failures) {
		p->failures = 0;
		rc = policy_update(db, p, err);
	}
	if (rc < 0 || r->status != STATUS_PAUSED)
		return rc;
	return engine_resume(rq->engine, r, rq->now, err);
}

/* One that was taken out while it was paused, and is added anew, is meant to fire. */
static int let_go(const struct request *rq, const struct config_cron *c, struct error *err)
{
	int rc = engine_seed_cron(rq->engine, c, rq->now, err);

	return rc < 0 || !c->enabled || c->problem ? rc : resume(rq, c->name, err);
}

static int exec_add(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	const char *name = json_string_value(json_object_get(args, "name"));
	AUTO_CRON_FILE struct cron_file f = {0};
	AUTO_SETTINGS struct settings s = {0};
	int rc;

	if ((rc = check_missing(engine_config(rq->engine), args, err)) < 0 ||
	    (rc = check_name(name, err)) < 0 || (rc = read_settings(args, &s, err)) < 0 ||
	    (rc = cron_file_read(&f, engine_config(rq->engine)->path, err)) < 0)
		return rc;
	if (config_cron(f.before, name)) {
		error_set(err, ERR_CONFLICT, "there is a cron '%s' already, in '%s' line %d", name,
			  f.name, config_cron(f.before, name)->line);
		return error_hint(err, "change it: belfry cron edit %s", name);
	}
	if ((rc = edit_cron_add(buf_text(&f.text), f.text.len, name, s.items, s.count, &f.edited,
				err)) < 0 ||
	    (rc = check_edited(&f, name, err)) < 0 || (rc = cron_file_write(&f, err)) < 0 ||
	    (rc = let_go(rq, config_cron(f.after, name), err)) < 0)
		return rc;
	return answer(rq, f.after, name, ret, err);
}

const struct request_row cron_add_row = {
	.name = "cron add",
	.summary = "add a cron: an agent that is run by the clock",
	.details =
		"It is written into config.yml, whose comments and order stay as they are, and is "
		"in force at once. Alone, on a terminal, it asks for everything.\n\n"
		"The times of a cron are those of --tz, else of config.yml's timezone, else of the "
		"daemon: its TZ when it was started, else the machine's.",
	.examples = "belfry cron add\n"
		    "belfry cron add nightly --schedule '0 9 * * *' --agent builder \\\n"
		    "    --prompt 'Check all repositories'\n"
		    "belfry cron add digest --schedule '0 17 * * 5' --agent builder \\\n"
		    "    --prompt - --timeout 30m < digest.md",
	.args = (const struct request_arg[]){{"name", 0, ARG_TEXT, "NAME",
					      "what it is called: letters, digits, _ and -", NULL,
					      true, false},
					     CRON_ARGS,
					     {"disabled", 0, ARG_FLAG, NULL,
					      "do not let it fire yet", NULL, false, false},
					     {0}},
	.flags = REQUEST_WRITES | REQUEST_ADMIN,
	.exec = exec_add,
};

/* --- edit, enable, disable, rm --- */

#define CRON_ARG                                                                                   \
	{                                                                                          \
		"name", 0, ARG_CRON, "NAME", "which cron", NULL, true, true                        \
	}

static int write_settings(const struct request *rq, const char *name, const struct settings *s,
			  struct cron_file *f, struct error *err)
{
	int rc;

	if ((rc = cron_file_read(f, engine_config(rq->engine)->path, err)) < 0 ||
	    (rc = cron_file_find(f, name, err)) < 0 ||
	    (rc = edit_cron_set(buf_text(&f->text), f->text.len, name, s->items, s->count,
				&f->edited, err)) < 0 ||
	    (rc = check_edited(f, name, err)) < 0)
		return rc;
	return cron_file_write(f, err);
}

/* A whole block from an editor: what differs from the file's is changed, what is gone taken away. */
static int exec_edit_text(const struct request *rq, const char *name, const char *text,
			  json_t **ret, struct error *err)
{
	AUTO_CRON_FILE struct cron_file f = {0};
	AUTO_CRON_CHANGES struct cron_changes changes = {0};
	int rc;

	if ((rc = cron_file_read(&f, engine_config(rq->engine)->path, err)) < 0 ||
	    (rc = cron_file_find(&f, name, err)) < 0 ||
	    (f.by_text = true, rc = cron_changes_read(&f, name, text, &changes, err)) < 0)
		return rc;
	if (changes.count == 0)
		return answer(rq, f.before, name, ret, err);
	if ((rc = edit_cron_set(buf_text(&f.text), f.text.len, name, changes.items, changes.count,
				&f.edited, err)) < 0 ||
	    (rc = check_edited(&f, name, err)) < 0 || (rc = cron_file_write(&f, err)) < 0)
		return rc;
	return answer(rq, f.after, name, ret, err);
}

static int exec_edit(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	const char *name = json_string_value(json_object_get(args, "name")), *text = NULL;
	AUTO_CRON_FILE struct cron_file f = {0};
	AUTO_SETTINGS struct settings s = {0};
	int rc;

	if ((rc = json_get_text(args, "text", &text, err)) < 0)
		return rc;
	if (text)
		return exec_edit_text(rq, name, text, ret, err);
	if ((rc = read_settings(args, &s, err)) < 0)
		return rc;
	if (s.count == 0) {
		error_set(err, ERR_INVALID, "nothing to change");
		return error_hint(err,
				  "give at least one flag, see: belfry cron edit --help; "
				  "on a terminal, 'belfry cron edit %s' opens an editor",
				  name);
	}
	rc = write_settings(rq, name, &s, &f, err);
	return rc < 0 ? rc : answer(rq, f.after, name, ret, err);
}

const struct request_row cron_edit_row = {
	.name = "cron edit",
	.summary = "change a cron: by flags, or in $EDITOR when there are none",
	.details = "Whatever is not named stays as it is in config.yml, comments included. An "
		   "empty value takes a setting away. A new schedule counts from now.",
	.examples = "belfry cron edit nightly --schedule '30 8 * * *'\n"
		    "belfry cron edit nightly --description ''\n"
		    "belfry cron edit nightly",
	.args = (const struct request_arg[]){CRON_ARG,
					     CRON_ARGS,
					     {"text", 0, ARG_TEXT, "YAML", NULL, NULL, false,
					      false},
					     {0}},
	.flags = REQUEST_WRITES | REQUEST_ADMIN,
	.exec = exec_edit,
};

static int set_enabled(const struct request *rq, const char *name, bool enabled,
		       struct cron_file *f, struct error *err)
{
	const struct settings s = {.items = {{"enabled", enabled ? "true" : "false", true}},
				   .count = 1};
	const struct config_cron *c;
	int rc = cron_file_read(f, engine_config(rq->engine)->path, err);

	if (rc >= 0)
		rc = cron_file_find(f, name, err);
	if (rc < 0)
		return rc;
	c = config_cron(f->before, name);
	if (c->enabled == enabled && (!c->problem || !enabled)) {
		f->after = steal_ptr(&f->before);
		return 0;
	}
	cron_file_fini(f);
	/* One that cannot work is best disabled until it is mended. */
	*f = (struct cron_file){.may_be_bad = !enabled};
	return write_settings(rq, name, &s, f, err);
}

static int exec_enable(const struct request *rq, const json_t *args, json_t **ret,
		       struct error *err)
{
	const char *name = json_string_value(json_object_get(args, "name"));
	AUTO_CRON_FILE struct cron_file f = {0};
	int rc;

	/* Armed as the file says, also one that had ended; and then let go on. */
	if ((rc = set_enabled(rq, name, true, &f, err)) < 0 ||
	    (rc = engine_seed_cron(rq->engine, config_cron(f.after, name), rq->now, err)) < 0 ||
	    (rc = resume(rq, name, err)) < 0)
		return rc;
	return answer(rq, f.after, name, ret, err);
}

const struct request_row cron_enable_row = {
	.name = "cron enable",
	.summary = "let a cron fire: one that is disabled, or that failures paused",
	.args = (const struct request_arg[]){CRON_ARG, {0}},
	.flags = REQUEST_WRITES | REQUEST_ADMIN,
	.exec = exec_enable,
};

/*
 * The file is written in a way that no command can change: what must not fire is held in the store, and
 * the answer, and `cron ls`, say so.
 */
static int hold(const struct request *rq, const char *name, const struct error *why,
		struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	int rc = policy_find(engine_db(rq->engine), DOOR_CRON, name, &r, err);

	if (rc < 0)
		return rc;
	if (!r) {
		*err = *why;
		return err->code;
	}
	return r->status == STATUS_PAUSED ? 0
					  : engine_hold(rq->engine, r,
							"disabled by command, but not in "
							"config.yml, which it cannot change",
							rq->now, err);
}

static int exec_disable(const struct request *rq, const json_t *args, json_t **ret,
			struct error *err)
{
	const char *name = json_string_value(json_object_get(args, "name"));
	AUTO_CRON_FILE struct cron_file f = {0}, as_is = {0};
	struct error why = {0};
	int rc = set_enabled(rq, name, false, &f, &why);

	if (rc >= 0)
		return answer(rq, f.after, name, ret, err);
	if ((rc = cron_file_read(&as_is, engine_config(rq->engine)->path, err)) < 0 ||
	    (rc = cron_file_find(&as_is, name, err)) < 0 || (rc = hold(rq, name, &why, err)) < 0)
		return rc;
	return answer(rq, as_is.before, name, ret, err);
}

const struct request_row cron_disable_row = {
	.name = "cron disable",
	.summary = "keep a cron from firing; what runs goes on",
	.args = (const struct request_arg[]){CRON_ARG, {0}},
	.flags = REQUEST_WRITES | REQUEST_ADMIN,
	.exec = exec_disable,
};

static int exec_rm(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	const char *name = json_string_value(json_object_get(args, "name"));
	AUTO_CRON_FILE struct cron_file f = {0};
	int rc;

	if ((rc = cron_file_read(&f, engine_config(rq->engine)->path, err)) < 0 ||
	    (rc = cron_file_find(&f, name, err)) < 0 ||
	    (rc = edit_cron_remove(buf_text(&f.text), f.text.len, name, &f.edited, err)) < 0 ||
	    (rc = check_edited(&f, name, err)) < 0 || (rc = cron_file_write(&f, err)) < 0)
		return rc;
	*ret = json_object();
	json_put_text(*ret, "name", name);
	json_put_bool(*ret, "removed", true);
	return 0;
}

const struct request_row cron_rm_row = {
	.name = "cron rm",
	.summary = "take a cron out of config.yml; its missions and history stay",
	.args = (const struct request_arg[]){CRON_ARG, {0}},
	.flags = REQUEST_WRITES | REQUEST_ADMIN,
	.exec = exec_rm,
};
