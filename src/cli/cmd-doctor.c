/*
 * cmd-doctor.c: what could keep reminders from firing, looked at one by one.
 * Each check is a row: a name and a function that finds out and says what it saw. Nothing is
 * repaired here, and no daemon is started: a doctor who changes the patient learns nothing.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "agent/tmux-control.h"
#include "agent/wrapper.h"
#include "base/file.h"
#include "base/files.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/agent.h"
#include "cli/cli.h"
#include "cli/holder.h"
#include "config/config.h"
#include "config/guard.h"
#include "config/library.h"
#include "setup/setup.h"
#include "store/store.h"
#include "store/trouble.h"

#define NAMES_MAX 5
#define ANSWER_SECONDS 6 /* with the store asked beside it, ten in all */
#define FILES_SPARE 8	 /* so many a request may need at once */
#define LIMITS_MAX 8192
#define OPEN_FILES "Max open files"
#define DISK_LEAST ((uint64_t)100 * 1024 * 1024)
#define UNSEEN "not looked at" /* neither good nor bad */

struct finding {
	bool ok, warns; /* warns: nothing is broken, but may be meant otherwise */
	char detail[1200], hint[300];
};

__attribute__((format(printf, 3, 4))) static void found(struct finding *f, bool ok, const char *fmt,
							...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->detail, sizeof(f->detail), fmt, ap);
	va_end(ap);
	f->ok = ok;
}

/* Whoever does not answer is asked once, and not again by each of the checks. */
static struct error silent;
static bool store_is_silent; /* it is the store itself, which we wanted to open */
static bool silence_told;    /* and it is told once, too */
static struct error mistake; /* of config.yml, which is told as such and nowhere else */
static bool has_broken;	     /* something that the files declare is broken, likewise */

static void found_error(struct finding *f, const struct error *err)
{
	bool silence = silent.code && strcmp(err->message, silent.message) == 0;

	if (silence && silence_told) {
		found(f, true, UNSEEN ": nobody answers, as told above");
		return;
	}
	if (mistake.code && strstr(err->message, mistake.message)) {
		found(f, true, UNSEEN ": config.yml has a mistake, as told above");
		return;
	}
	silence_told |= silence;
	found(f, strncmp(err->message, UNSEEN, strlen(UNSEEN)) == 0, "%s", err->message);
	snprintf(f->hint, sizeof(f->hint), "%s", err->hint);
}

/* Whether a folder is ours alone, as far as it exists. */
static bool is_private(const char *path, mode_t forbidden, struct finding *f)
{
	struct stat st;

	if (stat(path, &st) < 0) {
		if (errno == ENOENT)
			return true;
		found(f, false, "cannot look at '%s': %s", path, strerror(errno));
		return false;
	}
	if (st.st_uid != geteuid()) {
		found(f, false, "'%s' belongs to user %u", path, (unsigned)st.st_uid);
		snprintf(f->hint, sizeof(f->hint), "choose another folder with BELFRY_HOME");
		return false;
	}
	if (st.st_mode & forbidden) {
		found(f, false, "'%s' is open to others (mode %03o)", path,
		      (unsigned)st.st_mode & 0777);
		snprintf(f->hint, sizeof(f->hint), "chmod %s '%s'",
			 S_ISDIR(st.st_mode) ? "700" : "600", path);
		return false;
	}
	return true;
}

static void check_folders(const struct cli *c, struct finding *f)
{
	AUTO(free) char *database = mem_printf("%s/belfry.db", c->home->state_dir);
	struct error err = {0};

	/* The configuration may be read by others, not written. */
	if (is_private(c->home->config_dir, 022, f) && is_private(c->home->state_dir, 077, f) &&
	    is_private(c->home->runtime_dir, 077, f)) {
		bool guarded = guard_check_store(database, &err) == 0;

		/* Nor may others put another folder into its place: the daemon looks at those above it, too. */
		if (guarded)
			found(f, true, "'%s' is yours alone", c->home->state_dir);
		else
			found(f, false, "%s", err.message);
		snprintf(f->hint, sizeof(f->hint), "%s", err.hint);
	}
}

static size_t broken_reminders(const struct config_role *role, size_t count, struct buf *out)
{
	for (size_t i = 0; i < role->reminder_count; i++) {
		const struct config_reminder *r = &role->reminders[i];

		if (r->problem && r->enabled && count++ < NAMES_MAX)
			buf_printf(out, "%sreminder '%s' of role '%s' does not fire: %s",
				   out->len ? "\n" : "", r->name, role->name, r->problem);
	}
	return count;
}

/* Roles that cannot be used, and enabled crons and reminders that cannot work, a line each. */
static size_t broken_parts(const struct config *config, struct buf *out)
{
	size_t count = 0;

	for (size_t i = 0; i < config->role_count; i++)
		if (config->roles[i].problem && count++ < NAMES_MAX)
			buf_printf(out, "%srole '%s' cannot be used: %s", out->len ? "\n" : "",
				   config->roles[i].name, config->roles[i].problem);
	for (size_t i = 0; i < config->role_count; i++)
		count = broken_reminders(&config->roles[i], count, out);
	for (size_t i = 0; i < config->cron_count; i++) {
		const struct config_cron *cron = &config->crons[i];

		if (cron->problem && cron->enabled && count++ < NAMES_MAX)
			buf_printf(out, "%scron '%s' does not fire: %s", out->len ? "\n" : "",
				   cron->name, cron->problem);
	}
	return count;
}

static int ask(const struct cli *c, const char *request, json_t **ret, struct error *err)
{
	AUTO(session_free) struct session *s = NULL;
	AUTO(json_decref) json_t *none = json_object();
	int r = silent.code;

	if (r < 0) {
		*err = silent;
		return r;
	}
	r = session_open(c->home, c->zone, false, &s, err);
	if (r == 0) {
		session_limit(s, ANSWER_SECONDS);
		r = session_ask(s, request, none, ret, err);
	}
	store_is_silent = r == ERR_UNAVAILABLE && !s;
	if (r == ERR_UNAVAILABLE || r == ERR_CONFLICT)
		silent = *err;
	return r;
}

/* A daemon that runs has settings, if not these. */
static void found_mistake(const struct cli *c, const struct error *err, struct finding *f)
{
	AUTO(json_decref) json_t *status = NULL;
	struct error none = {0};
	size_t used;

	found_error(f, err);
	if (ask(c, "status", &status, &none) < 0 || !*view_text(status, "config_error"))
		return;
	used = strlen(f->detail);
	snprintf(f->detail + used, sizeof(f->detail) - used,
		 "; the daemon goes on with the settings from before it");
}

static void check_config(const struct cli *c, struct finding *f)
{
	AUTO_BUF struct buf broken = {0};
	AUTO(config_free) struct config *config = NULL;
	struct error err = {0};

	if (config_load(c->home->config_file, &config, &err) < 0) {
		found_mistake(c, &err, f);
		mistake = err;
	} else if ((has_broken = broken_parts(config, &broken) > 0)) {
		found(f, false, "%s", buf_text(&broken));
		snprintf(f->hint, sizeof(f->hint), "'belfry config check' names all mistakes");
	} else if (access(c->home->config_file, F_OK) < 0 && errno == ENOENT)
		found(f, true, "there is no '%s': everything is as by default",
		      c->home->config_file);
	else
		found(f, true, "%zu agent%s in '%s'", config->file_agent_count,
		      config->file_agent_count == 1 ? "" : "s", c->home->config_file);
}

/* The first that cannot be read; 'config check' names them all. */
static const struct library_page *bad_page(const struct library *all)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->pages[i].problem)
			return &all->pages[i];
	return NULL;
}

static void check_lessons(const struct cli *c, struct finding *f)
{
	AUTO_LIBRARY struct library lessons = {0}, workflows = {0};
	const struct library_page *bad;
	struct error err = {0};

	if (library_lessons(c->home->config_dir, true, &lessons, &err) < 0 ||
	    library_workflows(c->home->config_dir, true, &workflows, &err) < 0) {
		found_error(f, &err);
		return;
	}
	bad = bad_page(&lessons);
	if (!bad)
		bad = bad_page(&workflows);
	if (!bad) {
		found(f, true, "%zu lesson%s, %zu workflow%s", lessons.count,
		      lessons.count == 1 ? "" : "s", workflows.count,
		      workflows.count == 1 ? "" : "s");
		return;
	}
	found(f, false, "'%s' cannot be read: %s", bad->id, bad->problem);
	snprintf(f->hint, sizeof(f->hint), "'belfry config check' names all of them");
}

static size_t crons_without_zone(const struct cli *c)
{
	AUTO(config_free) struct config *config = NULL;
	struct error err = {0};
	size_t count = 0;

	if (config_load(c->home->config_file, &config, &err) < 0 || config->timezone)
		return 0;
	for (size_t i = 0; i < config->cron_count; i++)
		count += config->crons[i].enabled && !config->crons[i].timezone;
	return count;
}

/* The TZ of whoever needed a daemon first is that of all crons which name none. */
static void compare_zones(const struct cli *c, const char *machine, struct finding *f)
{
	AUTO(json_decref) json_t *status = NULL;
	struct error err = {0};
	size_t used = strlen(f->detail), crons = crons_without_zone(c);
	const char *daemons;

	if (ask(c, "status", &status, &err) < 0 ||
	    !json_is_true(json_object_get(status, "running")) ||
	    strcmp(view_text(status, "zone_source"), "TZ") != 0)
		return;
	daemons = view_text(status, "zone");
	if (strcmp(daemons, machine) == 0)
		return;
	snprintf(f->detail + used, sizeof(f->detail) - used, "; the daemon was started with TZ=%s",
		 daemons);
	if (!crons)
		return;
	used = strlen(f->detail);
	snprintf(f->detail + used, sizeof(f->detail) - used,
		 ", which %zu cron%s without a zone go%s by", crons, crons == 1 ? "" : "s",
		 crons == 1 ? "es" : "");
	f->warns = true;
	snprintf(f->hint, sizeof(f->hint), "set 'timezone:' in config.yml");
}

static void check_zones(const struct cli *c, struct finding *f)
{
	const char *source = "", *here = "", *name, *own;
	const struct zone *zone;
	struct error err = {0};

	name = zone_name(zone_of_system(&source));
	own = zone_name(zone_of_machine(&here));
	if (zone_get(name, &zone, &err) == 0 && zone_get("Europe/Berlin", &zone, &err) == 0) {
		found(f, !zone_unknown_tz(), "this machine is in %s (%s)%s%s%s%s%s", name, source,
		      strcmp(here, "TZ") == 0 ? ", and TZ says " : "",
		      strcmp(here, "TZ") == 0 ? own : "",
		      zone_unknown_tz() ? ", since there is no zone '" : "",
		      zone_unknown_tz() ? zone_unknown_tz() : "",
		      zone_unknown_tz() ? "', which TZ names" : "");
		if (f->ok)
			compare_zones(c, name, f);
		if (zone_unknown_tz())
			snprintf(f->hint, sizeof(f->hint),
				 "set TZ to a name like 'Europe/Berlin', or a rule like "
				 "'CET-1CEST,M3.5.0,M10.5.0/3'");
		return;
	}
	found_error(f, &err);
	if (!*f->hint)
		snprintf(f->hint, sizeof(f->hint), "install the package tzdata");
}

static int check_same(const char *daemons, const char *url, struct error *err)
{
	AUTO(free) char *ours = text_store_shown(url);

	if (strcmp(daemons, ours) == 0)
		return 0;
	error_set(err, ERR_NOT_FOUND,
		  UNSEEN ": the daemon uses the store '%s', and from here '%s' would be used",
		  daemons, ours);
	return error_hint(err,
			  "ask with the daemon's own BELFRY_STORE, or set 'store:' in config.yml");
}

/*
 * Where the store is: a daemon knows, which may have another environment than we. Without one,
 * *ret_wrong is what is wrong with it; else NULL. Where nobody answers, what the configuration says. A server is only named by
 * the daemon, without its password: it must be the one we would use.
 */
static int find_store(const struct cli *c, char **ret_url, char **ret_wrong, struct error *err)
{
	AUTO(config_free) struct config *config = NULL;
	AUTO(json_decref) json_t *result = NULL;
	const char *store;
	int r = ask(c, "store check", &result, err);

	if (r < 0 && (!silent.code || store_is_silent))
		return r;
	store = view_text(result, "store");
	if (strncmp(store, "sqlite:", strlen("sqlite:")) == 0) {
		*ret_url = mem_strdup(store);
		return 0;
	}
	if ((r = config_load(c->home->config_file, &config, err)) < 0)
		return r;
	*ret_url = home_store_url(c->home, config);
	if (*store)
		return check_same(store, *ret_url, err);
	if (!silent.code)
		*ret_wrong = mem_strdup(view_text(result, "wrong"));
	return 0;
}

/* A large store takes its time: whoever waits is told what for. */
static void say_checking(bool begins)
{
	if (isatty(STDERR_FILENO))
		fputs(begins ? "  store    is being checked …" : "\r\033[2K", stderr);
}

/* By a connection of our own, so that the daemon goes on firing. */
static int check_beside(const char *url, char **ret_wrong, struct error *err)
{
	AUTO(db_close) struct db *db = NULL;
	AUTO_BUF struct buf wrong = {0};
	int r;

	say_checking(true);
	r = db_open_reader(url, &db, err);
	if (r == 0)
		r = store_check(db, &wrong, err);
	say_checking(false);
	if (r == 0)
		*ret_wrong = mem_strdup(buf_text(&wrong));
	return r;
}

/* Whether the daemon reads and cannot write: then nothing fires, and the file itself looks well. */
static bool cannot_write(const struct cli *c, struct finding *f)
{
	AUTO(json_decref) json_t *result = NULL;
	struct error err = {0};
	char since[INSTANT_TEXT_MAX];
	const char *source;

	if (ask(c, "status", &result, &err) < 0 || !*view_text(result, "trouble"))
		return false;
	instant_format_long(view_instant(result, "trouble_since"), zone_of_machine(&source), since);
	found(f, false, "nothing fires since %s: %s", since, view_text(result, "trouble"));
	snprintf(f->hint, sizeof(f->hint), "%s", view_text(result, "trouble_hint"));
	return true;
}

/* Whether config.yml names another one by now: a restart would be refused. */
static bool is_other(const struct cli *c, struct finding *f)
{
	AUTO(json_decref) json_t *status = NULL;
	struct error err = {0};

	if (ask(c, "status", &status, &err) < 0 || !*view_text(status, "store_configured"))
		return false;
	found(f, false, "the daemon uses the store '%s', and '%s' is set now",
	      view_text(status, "store_at"), view_text(status, "store_configured"));
	snprintf(f->hint, sizeof(f->hint),
		 "put 'store:' back; or, to use the other: belfry daemon stop, then belfry daemon "
		 "start --switch-store");
	return true;
}

static void check_store(const struct cli *c, struct finding *f)
{
	AUTO(json_decref) json_t *status = NULL;
	AUTO(free) char *url = NULL;
	AUTO(free) char *wrong = NULL;
	struct error err = {0};

	if (is_other(c, f))
		return;
	if (find_store(c, &url, &wrong, &err) < 0 ||
	    (!wrong && check_beside(url, &wrong, &err) < 0)) {
		/* Whoever works on it knows what became of it, where there is more to say than that it has no tables. */
		if (err.code == ERR_SYSTEM)
			(void)ask(c, "status", &status, &err);
		found_error(f, &err);
		return;
	}
	/* It can be read, and whoever works on it has trouble all the same. */
	if (!*wrong && cannot_write(c, f))
		return;
	if (silent.code && !*wrong) {
		found_error(f, &silent);
		return;
	}
	found(f, !*wrong, "%s", *wrong ? wrong : "opens and is sound");
	if (*wrong)
		snprintf(f->hint, sizeof(f->hint), "restore a backup, or 'belfry reminder export'");
}

/* What keeps reminders from firing, a line each; the others are a number. */
struct troubled {
	struct buf lines;
	size_t count;
};

static void add_trouble(const char *name, const char *what, bool cron, void *data)
{
	struct troubled *t = data;

	if (t->count++ >= NAMES_MAX)
		return;
	buf_printf(&t->lines, "%s'%s' does not fire: %s", t->lines.len ? "\n" : "", name, what);
	if (strncmp(what, TROUBLE_PAUSED, strlen(TROUBLE_PAUSED)) == 0)
		buf_printf(&t->lines, "; once it is mended: belfry %s %s",
			   cron ? "cron enable" : "reminder resume", name);
}

/* Whom nobody declares: what fires for them reaches nobody. */
static void add_strangers(const struct cli *c, struct troubled *t)
{
	AUTO(json_decref) json_t *status = NULL;
	struct error err = {0};
	const json_t *row;
	size_t i;

	if (ask(c, "status", &status, &err) < 0)
		return;
	json_array_foreach(json_object_get(status, "undeclared_agents"), i, row)
	{
		int64_t count = view_int(row, "reminders");

		if (t->count++ < NAMES_MAX)
			buf_printf(&t->lines,
				   "%s%" PRId64 " reminder%s for '%s', whom nobody declares",
				   t->lines.len ? "\n" : "", count, count == 1 ? " is" : "s are",
				   view_text(row, "agent"));
	}
}

static void add_zone(const char *zone, int64_t count, const char *name, void *data)
{
	const struct zone *known;
	struct error err = {0};
	AUTO(free) char *what = NULL;

	if (zone_get(zone, &known, &err) == 0)
		return;
	what = mem_printf("%s%s", err.message, count > 1 ? ", and others for the same reason" : "");
	add_trouble(name, what, false, data);
}

static void check_reminders(const struct cli *c, struct finding *f)
{
	AUTO(client_free) struct client *client = NULL;
	AUTO(db_close) struct db *db = NULL;
	AUTO(free) char *url = NULL;
	AUTO(free) char *wrong = NULL;
	struct troubled t = {0};
	struct error err = {0};

	int r = client_connect(c->home, &client, &err);

	/* Without a daemon nothing fires anyway, which is told below. */
	if (r <= 0) {
		found(f, r == 0, UNSEEN ": %s", r < 0 ? err.message : "no daemon is running");
		return;
	}
	if (silent.code) {
		found(f, false, "nothing fires: %s", silent.message);
		return;
	}
	if (cannot_write(c, f)) {
		*f->hint = '\0'; /* told with the store */
		return;
	}
	add_strangers(c, &t);
	if (find_store(c, &url, &wrong, &err) < 0 || db_open_reader(url, &db, &err) < 0 ||
	    trouble_each(db, add_trouble, &t, &err) < 0 ||
	    trouble_each_zone(db, add_zone, &t, &err) < 0)
		found_error(f, &err);
	else if (t.count)
		found(f, false, "%s", buf_text(&t.lines));
	else
		found(f, !has_broken, "%s",
		      has_broken ? "all but what the config above cannot use"
				 : "every reminder can fire");
	if (t.count > NAMES_MAX)
		snprintf(f->hint, sizeof(f->hint),
			 "and %zu more: 'belfry reminder list' marks them", t.count - NAMES_MAX);
	else if (t.count)
		snprintf(f->hint, sizeof(f->hint), "'belfry reminder show NAME' says more");
	buf_fini(&t.lines);
}

static void check_daemon(const struct cli *c, struct finding *f)
{
	AUTO(client_free) struct client *client = NULL;
	struct error err = {0};
	int r = client_connect(c->home, &client, &err);

	if (r < 0) {
		found_error(f, &err);
	} else if (r == 0) {
		found(f, false, "not running: nothing fires");
		snprintf(f->hint, sizeof(f->hint), "belfry daemon start");
	} else if (is_private(c->home->socket, 077, f)) {
		bool groups = wrapper_has_groups(client_pid(client));

		/* A remark: it takes an agent that hides a process, and a wrapper that is killed. */
		found(f, true, "running (pid %d)%s", (int)client_pid(client),
		      groups ? ""
			     : "; no cgroups v2: a process that an agent detached may outlive its "
			       "killed run");
		if (!groups)
			snprintf(f->hint, sizeof(f->hint),
				 "run the daemon as a systemd service with Delegate=yes");
	}
}

/* Its own word on that could not be had when there are too many. */
static bool open_files(pid_t pid, size_t *ret_open, unsigned long *ret_most)
{
	AUTO_BUF struct buf limits = {0};
	struct error none = {0};
	char path[64];
	const char *line;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/limits", (int)pid);
	if (file_read(path, LIMITS_MAX, &limits, &none) < 0 ||
	    !(line = strstr(buf_text(&limits), OPEN_FILES)))
		return false;
	*ret_most = strtoul(line + strlen(OPEN_FILES), NULL, 10);
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	folder = opendir(path);
	if (!folder)
		return false;
	*ret_open = 0;
	for (const struct dirent *entry; (entry = readdir(folder));)
		*ret_open += entry->d_name[0] != '.';
	closedir(folder);
	return *ret_most > 0;
}

static void check_files(const struct cli *c, struct finding *f)
{
	size_t open = 0;
	unsigned long most = 0;
	pid_t pid = 0;

	if (holder_look(c->home, &pid) == HOLDER_NONE || !open_files(pid, &open, &most)) {
		found(f, true, UNSEEN ": no daemon is running");
		return;
	}
	found(f, most >= FILES_LEAST && open + FILES_SPARE <= most,
	      "the daemon has %zu files open, of %lu that it may", open, most);
	if (!f->ok)
		snprintf(f->hint, sizeof(f->hint),
			 "raise its limit (ulimit -n, LimitNOFILE= of a systemd unit), then start "
			 "it again; 'ls -l /proc/%d/fd' shows them",
			 (int)pid);
}

/* Only a running daemon can say; without one there is nothing to be wrong. */
static void check_http(const struct cli *c, struct finding *f)
{
	AUTO(json_decref) json_t *result = NULL;
	struct error err = {0};

	if (ask(c, "status", &result, &err) < 0) {
		found_error(f, &err);
		return;
	}
	if (*view_text(result, "http_error")) {
		found(f, false, "%s", view_text(result, "http_error"));
		snprintf(f->hint, sizeof(f->hint),
			 "choose another http port in config.yml, or 0 for any");
		return;
	}
	found(f, true, "%s", *view_text(result, "http") ? view_text(result, "http") : "off");
}

static void check_clock(const struct cli *c, struct finding *f)
{
	AUTO(json_decref) json_t *result = NULL;
	char text[INSTANT_TEXT_MAX];
	const char *source, *trouble = "";
	usec_t now = clock_now();
	struct error err = {0};

	/* What a store cannot tell now, its own line tells. */
	if (ask(c, "status", &result, &err) == 0)
		trouble = view_text(result, "clock");
	instant_format_long(now, zone_of_machine(&source), text);
	found(f, now >= CLOCK_FLOOR && !*trouble, "%s%s%s", text, *trouble ? "; " : "", trouble);
	if (!f->ok)
		snprintf(f->hint, sizeof(f->hint), "set the clock, or let NTP do it");
}

/* The nearest folder above that exists. */
static int free_space(const char *path, uint64_t *ret)
{
	AUTO(free) char *folder = mem_strdup(path);
	struct statvfs fs;

	while (statvfs(folder, &fs) < 0) {
		char *slash = strrchr(folder, '/');

		if (errno != ENOENT || !slash || slash == folder)
			return -1;
		*slash = '\0';
	}
	*ret = (uint64_t)fs.f_bavail * fs.f_frsize;
	return 0;
}

static void check_disk(const struct cli *c, struct finding *f)
{
	uint64_t space = 0;

	if (free_space(c->home->state_dir, &space) < 0) {
		found(f, false, "cannot ask for the free space of '%s'", c->home->state_dir);
		return;
	}
	found(f, space >= DISK_LEAST, "%" PRIu64 " MiB free for '%s'%s", space / 1024 / 1024,
	      c->home->state_dir,
	      space >= DISK_LEAST ? "" : ", and 100 MiB are little for logs of runs");
	if (!f->ok)
		snprintf(f->hint, sizeof(f->hint),
			 "free some disk space, or have the home on a larger filesystem");
}

/* Whether somebody has a session, or is meant to have one. */
static bool has_live_agents(const struct cli *c)
{
	AUTO(json_decref) json_t *result = NULL;
	struct error err = {0};
	const json_t *rows;

	if (ask(c, "agent list", &result, &err) < 0)
		return false;
	rows = json_object_get(result, "agents");
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);

		if (agent_is_present(row) || json_is_true(json_object_get(row, "wanted")))
			return true;
	}
	return false;
}

/* Nobody needs it who has no live agents: then it is a remark. */
static void check_tmux(const struct cli *c, struct finding *f)
{
	AUTO(free) char *version = NULL;
	struct error err = {0};

	if (agent_tmux_version(c->home, &version, &err) == 0 && tmux_version_ok(version)) {
		found(f, true, "%s", version);
		return;
	}
	if (version)
		found(f, !has_live_agents(c), "'%s' is too old for live agents", version);
	else
		found(f, !has_live_agents(c), "%s", err.message);
	snprintf(f->hint, sizeof(f->hint), "%s",
		 version ? "live agents need tmux 3.2 or later" : err.hint);
}

/* A remark: a question is no fault, and whoever asked waits. */
static void check_inbox(const struct cli *c, struct finding *f)
{
	AUTO(json_decref) json_t *result = NULL;
	struct error err = {0};
	int64_t asks;

	if (ask(c, "status", &result, &err) < 0) {
		found_error(f, &err);
		return;
	}
	asks = view_int(json_object_get(result, "inbox"), "asks");
	if (!asks) {
		found(f, true, "no question is open");
		return;
	}
	found(f, true, "%" PRId64 " question%s for you", asks, asks == 1 ? " waits" : "s wait");
	snprintf(f->hint, sizeof(f->hint), "belfry inbox list --asks");
}

/* It was lost, or somebody left it at its window and something has come for it since. */
static bool is_missed(const json_t *row)
{
	return strcmp(view_text(row, "state"), "gone") == 0 &&
	       (json_is_true(json_object_get(row, "wanted")) ||
		(json_is_true(json_object_get(row, "ended_itself")) && view_int(row, "queued")));
}

static void add_lost(struct buf *out, const json_t *row)
{
	int64_t queued = view_int(row, "queued");

	buf_printf(out, "%s%s", out->len ? ", " : "", view_text(row, "name"));
	if (queued)
		buf_printf(out, " (%" PRId64 "%s message%s)", queued,
			   json_is_true(json_object_get(row, "queued_or_more")) ? " or more" : "",
			   queued == 1 ? " waits" : "s wait");
}

/* What is for a live agent that asks something waits until somebody has answered at its window. */
static void check_agents(const struct cli *c, struct finding *f)
{
	AUTO(json_decref) json_t *result = NULL;
	AUTO_BUF struct buf asking = {0}, lost = {0};
	struct error err = {0};
	const json_t *rows;

	if (ask(c, "agent list", &result, &err) < 0) {
		found_error(f, &err);
		return;
	}
	rows = json_object_get(result, "agents");
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);
		const char *state = view_text(row, "state"), *name = view_text(row, "name");

		if (strcmp(state, "blocked") == 0)
			buf_printf(&asking, "%s%s", asking.len ? ", " : "", name);
		else if (is_missed(row))
			add_lost(&lost, row);
	}
	found(f, !asking.len && !lost.len, "%s%s%s%s%s",
	      asking.len || lost.len ? "" : "no live agent is blocked",
	      asking.len ? "blocked, waiting for an answer: " : "", buf_text(&asking),
	      lost.len ? (asking.len ? "; ended, and not started again: "
				     : "ended, and not started again: ")
		       : "",
	      buf_text(&lost));
	if (!f->ok)
		snprintf(f->hint, sizeof(f->hint), "belfry agent %s NAME",
			 asking.len ? "attach" : "start");
}

/* A remark: nobody has to use one. */
static void check_clients(const struct cli *c, struct finding *f)
{
	AUTO_BUF struct buf names = {0};

	for (const struct client *client = setup_clients; client->name; client++)
		if (setup_is_done(client, c->home))
			buf_printf(&names, "%s%s", names.len ? ", " : "", client->title);
	if (names.len) {
		found(f, true, "set up in %s", buf_text(&names));
		return;
	}
	found(f, true, "none is set up");
	snprintf(f->hint, sizeof(f->hint), "belfry setup claude (or codex, gemini, opencode)");
}

/* clang-format off */
static const struct {
	const char *name;
	void (*look)(const struct cli *c, struct finding *f);
} checks[] = {
	{"folders", check_folders}, {"config", check_config}, {"lessons", check_lessons}, {"zones", check_zones},
	{"clock", check_clock}, {"disk", check_disk}, {"store", check_store},
	{"firing", check_reminders},
	{"daemon", check_daemon}, {"files", check_files}, {"http", check_http}, {"tmux", check_tmux}, {"inbox", check_inbox}, {"agents", check_agents},
	{"clients", check_clients},
};
/* clang-format on */

static void print_finding(const struct cli *c, const char *name, const struct finding *f)
{
	AUTO_BUF struct buf out = {0};

	if (f->ok && strncmp(f->detail, UNSEEN, strlen(UNSEEN)) == 0)
		buf_add_str(&out, "–");
	else
		style_add(&out, &c->style,
			  !f->ok     ? TINT_BAD
			  : f->warns ? TINT_WARN
				     : TINT_GOOD,
			  !f->ok     ? "✗"
			  : f->warns ? "!"
				     : "✓");
	buf_printf(&out, " %-8s ", name);
	visible_block(&out, f->detail, "           ");
	buf_add_char(&out, '\n');
	if (*f->hint) {
		buf_add_str(&out, "           hint: ");
		visible_line(&out, f->hint);
		buf_add_char(&out, '\n');
	}
	cli_write(&out);
	fflush(stdout); /* the next check may have to wait for somebody */
}

static json_t *finding_json(const char *name, const struct finding *f)
{
	json_t *o = json_object();

	json_put_text(o, "name", name);
	json_put_bool(o, "ok", f->ok);
	json_put_bool(o, "warning", f->warns);
	json_put_text(o, "detail", f->detail);
	json_put_text(o, "hint", *f->hint ? f->hint : NULL);
	return o;
}

int cmd_doctor(const struct cli *c, struct error *err)
{
	AUTO(json_decref) json_t *result = json_object();
	json_t *list = json_array();
	bool ok = true;

	(void)err;
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		struct finding f = {0};

		checks[i].look(c, &f);
		ok = ok && f.ok;
		if (!c->json)
			print_finding(c, checks[i].name, &f);
		json_array_append_new(list, finding_json(checks[i].name, &f));
	}
	json_put(result, "checks", list);
	if (c->json)
		cli_write_json(result);
	return ok ? 0 : error_exit_status(ERR_CONFLICT);
}
