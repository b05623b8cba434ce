/*
 * absence.c: three clocks, compared; and what the next daemon is told of this one.
 * That is one record in a file of its own, store.away, which is there from the start: on a full disk it can still be
 * written over. On one that is read-only it cannot, so there is a spare place on another, in memory where need be.
 * A daemon that ended in order says so. After one that did not and left no word, it was not running, unless the
 * spare place may have been lost with the machine's memory: then nobody knows.
 * A long wait for a server is noted there while it lasts: whoever is ended in it can tell nothing any more.
 */
#include "daemon/absence.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/order.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "daemon/home-place.h"
#include "daemon/watchdog.h"
#include "schedule/duration.h"
#include "schedule/instant.h"
#include "schedule/zone.h"

#define WORTH_TELLING (2 * USEC_PER_SEC)
#define AWAY_FILE "store.away"
#define AWAY_MAX 640
#define BOOT_MAX 40
#define STOPPED "stopped"
#define RUNS "runs, since boot "
#define WAITED "the store did not answer since "
#define LONG_WAIT (4 * USEC_PER_SEC) /* the store says so after two seconds, and after five */

static struct absence_clocks clocks_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (struct absence_clocks){.wall = clock_now(),
				       .boot = clock_monotonic(),
				       .awake = (usec_t)ts.tv_sec * USEC_PER_SEC +
						ts.tv_nsec / 1000};
}

/* The last long one for a server. It is within a turn, and may be within no turn. */
static struct {
	usec_t since, until; /* by clock_monotonic(); until 0: it lasts */
	bool noted;
} long_wait;

/* For how long the store was waited for since then. */
static usec_t waited_since(usec_t boot)
{
	return long_wait.until > boot
		       ? long_wait.until - (long_wait.since > boot ? long_wait.since : boot)
		       : 0;
}

/* Awake, and nobody has set the clock: a request held the turn, or we do not know what did. */
static const char *say_busy(struct absence *a, usec_t awake)
{
	usec_t waited = waited_since(a->last.boot);
	char span[DURATION_TEXT_MAX];

	if (waited > awake / 2) {
		duration_format_short(waited, span);
		snprintf(a->why, sizeof(a->why), "the store did not answer for %s", span);
		return a->why;
	}
	if (!a->busy.request || a->busy.took < awake / 2)
		return awake > WORTH_TELLING ? "the daemon was busy or stopped"
					     : "the daemon was busy";
	duration_format_short(a->busy.took, span);
	snprintf(a->why, sizeof(a->why), "the daemon was busy for %s with the request '%.60s'",
		 span, a->busy.request);
	return a->why;
}

/* --- the record --- */

static char *away_path(const struct home *h)
{
	return mem_printf("%s/" AWAY_FILE, h->state_dir);
}

static bool is_elsewhere(const char *folder, const struct stat *state)
{
	struct stat st;

	return folder && folder[0] == '/' && stat(folder, &st) == 0 && S_ISDIR(st.st_mode) &&
	       st.st_dev != state->st_dev && access(folder, W_OK) == 0;
}

/* On another disk than the store, or NULL: there is none. */
static char *spare_path(const struct home *h)
{
	const char *const folders[] = {h->runtime_dir, getenv("XDG_RUNTIME_DIR"), "/dev/shm"};
	AUTO(free) char *id = home_place_id(h);
	struct stat state;

	if (!id || stat(h->state_dir, &state) < 0)
		return NULL;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (is_elsewhere(folders[i], &state))
			return mem_printf("%s/belfry-%s.away", folders[i], id);
	return NULL;
}

/* In place, and always the same length: what is written over needs no room. */
static bool write_record(const char *path, const char *text)
{
	struct error none = {0};
	AUTO_CLOSE int fd = path ? file_open(path, O_WRONLY | O_CREAT | O_NOFOLLOW, &none) : -1;
	char record[AWAY_MAX];
	struct stat st;

	memset(record, '\n', sizeof(record));
	for (size_t i = 0; text[i] && i < sizeof(record) - 1; i++)
		record[i] = (char)(text[i] == '\n' ? ' ' : text[i]);
	return fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	       pwrite(fd, record, sizeof(record), 0) == (ssize_t)sizeof(record) &&
	       fdatasync(fd) == 0;
}

/* The first line of it; false: there is none. In a folder of everybody's it has to be ours. */
static bool read_record(const char *path, struct buf *ret)
{
	struct error none = {0};
	AUTO_CLOSE int fd = path ? file_open(path, O_RDONLY | O_NOFOLLOW, &none) : -1;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != geteuid() ||
	    fd_read(fd, path, AWAY_MAX, ret, &none) < 0)
		return false;
	ret->len = strcspn(buf_text(ret), "\n");
	ret->data[ret->len] = '\0';
	return ret->len > 0;
}

static void boot_of(char ret[static BOOT_MAX])
{
	struct process_id self = {0};
	struct error none = {0};

	(void)process_identify(getpid(), &self, &none);
	snprintf(ret, BOOT_MAX, "%s", self.boot);
}

/* It would be there, if the daemon before us had had to write it. */
static bool spare_is_kept(const char *record, const char *spare)
{
	char boot[BOOT_MAX];

	boot_of(boot);
	return spare && strcmp(record + strlen(RUNS), boot) == 0;
}

/* Nobody was here, and whoever was here last had no store, which is the reason as well. */
static const char *say_before(struct absence *a, const struct home *h)
{
	AUTO(free) char *path = away_path(h), *spare = spare_path(h);
	AUTO_BUF struct buf text = {0}, other = {0};
	bool said = read_record(path, &text);

	if (read_record(spare, &other)) {
		text.len = 0;
		buf_add_str(&text, buf_text(&other));
	} else if (!said || strcmp(buf_text(&text), STOPPED) == 0) {
		return "the daemon was not running";
	} else if (strncmp(buf_text(&text), RUNS, strlen(RUNS)) == 0) {
		return spare_is_kept(buf_text(&text), spare)
			       ? "the daemon was not running"
			       : "the daemon was not running, or could not write its store";
	}
	snprintf(a->why, sizeof(a->why), "%s; then the daemon was not running", buf_text(&text));
	return a->why;
}

void absence_note_away(struct absence *a, const struct rest *rest, const struct home *h)
{
	AUTO(free) char *path = NULL, *spare = NULL, *text = NULL;
	char since[INSTANT_TEXT_MAX];
	const char *source;

	/* Once: the first failure is tried again at once, and may have been a cut connection. */
	if (!a->started || rest->failures != 2)
		return;
	instant_format_long(rest->since, zone_of_machine(&source), since);
	path = away_path(h);
	spare = spare_path(h);
	text = mem_printf("the store could not be used since %s: %s", since, rest->error.message);
	a->noted = write_record(path, text) || write_record(spare, text);
}

/* For whoever comes after us; what was said of a store that was away is over. */
static void note_state(const struct home *h, const char *state)
{
	AUTO(free) char *path = away_path(h), *spare = spare_path(h);

	(void)write_record(path, state);
	if (spare)
		(void)unlink(spare);
}

char *absence_untold(const struct home *h)
{
	AUTO(free) char *path = away_path(h), *spare = spare_path(h);
	AUTO_BUF struct buf text = {0};

	if (!read_record(spare, &text) && !read_record(path, &text))
		return NULL;
	return strncmp(buf_text(&text), WAITED, strlen(WAITED)) == 0 ? mem_strdup(buf_text(&text))
								     : NULL;
}

static void note_wait(const struct home *h)
{
	AUTO(free) char *path = away_path(h), *spare = spare_path(h), *text = NULL;
	char since[INSTANT_TEXT_MAX];
	const char *source;

	instant_format_long(clock_now() - (clock_monotonic() - long_wait.since),
			    zone_of_machine(&source), since);
	text = mem_printf(WAITED "%s", since);
	log_warning("%s; the daemon waits for it", text);
	long_wait.noted = write_record(path, text) || write_record(spare, text);
}

void absence_note_wait(const struct home *h, usec_t since)
{
	usec_t now = clock_monotonic();
	char span[DURATION_TEXT_MAX];

	if (since && now - since >= LONG_WAIT) {
		long_wait.since = since;
		long_wait.until = 0;
		note_wait(h);
	} else if (!since && long_wait.since && !long_wait.until) {
		long_wait.until = now;
		duration_format_short(now - long_wait.since, span);
		log_info("the wait for the store is over, after %s", span);
	}
}

void absence_stop(const struct absence *a, const struct rest *rest, const struct home *h)
{
	if (a->started && !rest->failures)
		note_state(h, STOPPED);
}

/* --- the clocks --- */

const char *absence_look(struct absence *a, const struct rest *rest, const struct home *h)
{
	struct absence_clocks now = a->look = clocks_now();
	usec_t boot = now.boot - a->last.boot, awake = now.awake - a->last.awake;
	usec_t set = now.wall - a->last.wall - boot, slept = boot - awake;
	char span[DURATION_TEXT_MAX];

	/* A life after one that hung, as on a store that did not answer: the process was there all the time. */
	if (!a->started && watchdog_report())
		return watchdog_report();
	if (!a->started)
		return say_before(a, h);
	if (rest->failures) {
		snprintf(a->why, sizeof(a->why), "the store could not be used: %s",
			 rest->error.message);
		return a->why;
	}
	if (llabs(set) > WORTH_TELLING && llabs(set) >= slept) {
		duration_format_short(llabs(set), span);
		snprintf(a->why, sizeof(a->why), "the clock was set %s by %s",
			 set > 0 ? "forward" : "back", span);
		return a->why;
	}
	return slept > WORTH_TELLING ? "the machine was asleep" : say_busy(a, awake);
}

void absence_note_request(struct absence *a, const char *name, usec_t took)
{
	struct absence_busy *b = &a->busy_now;

	b->took += took;
	if (b->request && b->longest >= took)
		return;
	b->longest = took;
	b->request = name;
}

/* What became due while this turn served requests was not looked at by it: its own look counts, not its end. */
void absence_end(struct absence *a, const struct home *h)
{
	char runs[sizeof(RUNS) + BOOT_MAX] = RUNS;

	if (a->noted || long_wait.noted || !a->started) {
		boot_of(runs + strlen(RUNS));
		note_state(h, runs);
		long_wait.noted = false;
	}
	*a = (struct absence){.last = a->look, .started = true, .busy = a->busy_now};
}
