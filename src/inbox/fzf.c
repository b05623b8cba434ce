/*
 * fzf.c: threads, chosen by fzf, with the thread in its preview window.
 *
 * A line is the thread's id, which is not shown, and what is. The preview asks `belfry inbox show`.
 * The list stays up to date by a reload that waits: whenever a list is complete fzf reads the next
 * one from a pipe with a name, `rows`, into which we write when there is news, and until then shows
 * what it has. Of the other ways --listen is out: whoever reaches its port, every user of the
 * machine, may have fzf run commands. The query stays as it is by itself. The cursor stays at its
 * line, whatever is there then, so fzf tells us by a second pipe, `told`, which thread it is at, and
 * that one keeps its line while all others are newest first. By the same pipe Ctrl-R asks to look
 * at once. Nobody waits at a pipe for ever: they are opened in ways that need no other side.
 *
 * No text of a thread is ever part of a command: those have the id, and variables for all else.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "inbox/feed.h"
#include "terminal/ask.h"
#include "terminal/fzf.h"
#include "terminal/program.h"

#define VERSION_FOLLOWS 37 /* 0.37 has all the events: it keeps itself up to date */
#define TICK_MS 1000
#define FOLDER "fzf-" /* and the process */

/* The thread that was opened last: whoever comes back finds the cursor there. */
static char last_opened[32];
static char last_query[200]; /* and what was typed */

/* Lines of fzf's: "at ID" for each move, "now" for Ctrl-R. Only the last ones count. */
static void hear(struct feed *f)
{
	char bytes[4096];
	ssize_t n = read(f->told, bytes, sizeof(bytes) - 1);
	char *rest = bytes, *line;

	bytes[n > 0 ? n : 0] = '\0';
	while ((line = strsep(&rest, "\n"))) {
		if (strcmp(line, "now") == 0)
			f->asked = true;
		else if (strncmp(line, "at ", 3) == 0 && strlen(line + 3) < sizeof(f->at))
			strcpy(f->at, line + 3);
	}
}

/* --- the pipes --- */

/*
 * The pipe that the next reload waits at, in the place of the one before. We hold both its ends: so
 * a reload can open it at once, and comes to its end when we do, whatever ended us.
 */
static int renew_rows(struct feed *f)
{
	AUTO(free) char *path = mem_printf("%s/rows", f->folder);
	AUTO(free) char *next = mem_printf("%s/next", f->folder);
	int fd = mkfifo(next, 0600) < 0 ? -1 : open(next, O_RDWR | O_CLOEXEC);

	if (fd >= 0 && rename(next, path) < 0) {
		close(fd);
		fd = -1;
	}
	if (f->rows >= 0)
		close(f->rows);
	f->rows = fd;
	return fd < 0 ? -1 : 0;
}

/* To the reload that waits. When none does the writing fails, and the next tick tries again. */
static void hand_over(struct feed *f)
{
	AUTO(free) char *path = mem_printf("%s/rows", f->folder);
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);

	if (renew_rows(f) < 0 || fd < 0 || fcntl(fd, F_SETFL, 0) < 0)
		return;
	if (fd_write_all(fd, f->lines.data, f->lines.len) == 0)
		f->fresh = f->asked = false;
}

static void remove_pipes(const char *folder)
{
	static const char *const names[] = {"rows", "next", "told"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		AUTO(free) char *path = mem_printf("%s/%s", folder, names[i]);

		unlink(path);
	}
	rmdir(folder);
}

static void on_tick(void *data)
{
	struct feed *f = data;
	struct error unused = {0}; /* a daemon that is being restarted: the list stays */

	hear(f);
	/* Whoever moves through the list has the pipe wake us all the time. */
	if (f->asked || clock_monotonic() - f->looked >= TICK_MS * USEC_PER_MSEC) {
		feed_look(f, &unused);
		f->looked = clock_monotonic();
	}
	if (f->fresh || f->asked)
		hand_over(f);
}

/* Those of one that was killed. */
static void sweep(const char *runtime_dir)
{
	AUTO(free) char *pattern = mem_printf("%s/" FOLDER "*", runtime_dir);
	glob_t found = {0};

	if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		pid_t pid = (pid_t)strtol(strrchr(found.gl_pathv[i], '-') + 1, NULL, 10);

		if (pid > 0 && kill(pid, 0) < 0 && errno == ESRCH)
			remove_pipes(found.gl_pathv[i]);
	}
	globfree(&found);
}

/* A terminal that is closed ends us in the middle: the folder goes first. Only system calls here. */
static char ours[4][PATH_MAX];

static void on_hangup(int sig)
{
	for (size_t i = 0; i < 3; i++)
		unlink(ours[i]);
	rmdir(ours[3]);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void guard_folder(const char *folder)
{
	static const char *const names[] = {"/rows", "/next", "/told", ""};
	static const int ends[] = {SIGHUP, SIGTERM, SIGQUIT};
	struct sigaction act = {.sa_handler = folder ? on_hangup : SIG_DFL};

	for (size_t i = 0; folder && i < sizeof(names) / sizeof(names[0]); i++)
		snprintf(ours[i], sizeof(ours[i]), "%s%s", folder, names[i]);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		sigaction(ends[i], &act, NULL);
}

/* Without them the list is as it was in the beginning, and that is all. */
static void make_pipes(struct feed *f)
{
	const char *parent = f->c->home->runtime_dir;
	AUTO(free) char *told = NULL;

	sweep(parent);
	f->folder = mem_printf("%s/" FOLDER "%d", parent, (int)getpid());
	told = mem_printf("%s/told", f->folder);
	guard_folder(f->folder);
	if (mkdir(f->folder, 0700) == 0 && mkfifo(told, 0600) == 0 && renew_rows(f) == 0)
		f->told = open(told, O_RDWR | O_NONBLOCK | O_CLOEXEC);
}

static void close_pipes(struct feed *f)
{
	guard_folder(NULL);
	if (f->told >= 0)
		close(f->told);
	if (f->rows >= 0)
		close(f->rows);
	if (f->folder)
		remove_pipes(f->folder);
	free(f->folder);
}

/* --- fzf --- */

/* clang-format off */
#define PREVIEW "--preview=\"$BELFRY_SELF\" inbox show {1} --peek --last 20 2>&1"
/* What old ones know as well. */
#define ARGS_ALL \
	"--ansi", "--delimiter=\t", "--with-nth=2..", "--nth=1,3", "--tabstop=1", "--exact", "--header-lines=1", "--layout=reverse", "--no-hscroll", \
	"--no-multi", "--no-sort", "--no-height", "--no-select-1", "--no-exit-0", "--prompt=Inbox> ", \
	"--print-query", "--expect=alt-u,alt-e,alt-z,alt-s,alt-v", "--bind=?:toggle-preview", PREVIEW
#define KEYS "--header=Enter opens, ? hides the preview, Esc leaves\nAlt: U unread, E archive, Z undo, V archived, S search"
#define RELOAD_ON_LOAD "--bind=load:refresh-preview+reload-sync(cat \"$BELFRY_FZF/rows\")"
/* clang-format on */

static int run(struct feed *f, struct buf *chosen)
{
	AUTO(free) char *self = program_self();
	size_t at = feed_index(f->ids, last_opened);
	AUTO(free) char *query = mem_printf("--query=%s", last_query);
	AUTO(free) char *start = mem_printf("--bind=start:pos(%zu)", f->ids[at] ? at + 1 : 1);
	const char *const environment[] = {"BELFRY_SELF",
					   self,
					   "BELFRY_FZF",
					   f->folder,
					   "SHELL",
					   "/bin/sh", /* the commands are its */
					   "CLICOLOR_FORCE",
					   f->c->style.colour ? "1" : "0",
					   NULL};
	const char *const plain[] = {ARGS_ALL, "--preview-window=right:60%:wrap", KEYS, query,
				     NULL};
	const char *const following[] = {
		ARGS_ALL,
		"--sync",
		"--info=hidden", /* it would show a wheel that never stops turning */
		f->c->style.colour ? "--ansi" : "--no-color",
		"--preview-window=right,55%,wrap,follow,<55(down,60%,wrap,follow)",
		KEYS,
		query,
		"--bind=enter:accept-non-empty",
		"--bind=focus:execute-silent(echo at {1} 1<> \"$BELFRY_FZF/told\")",
		RELOAD_ON_LOAD,
		"--bind=ctrl-r:execute-silent(echo now 1<> \"$BELFRY_FZF/told\")",
		start,
		NULL};
	bool follows = f->told >= 0 && fzf_version() >= VERSION_FOLLOWS;
	struct fzf fzf = {.args = follows ? following : plain,
			  .environment = environment,
			  .lines = &f->lines,
			  .on_tick = follows ? on_tick : NULL,
			  .data = f,
			  .wake_fd = f->told,
			  .tick_ms = TICK_MS};

	return fzf_run(&fzf, chosen);
}

static const struct {
	const char *key;
	enum list_wish wish;
} wishes[] = {
	{"alt-u", LIST_UNREAD}, {"alt-e", LIST_ARCHIVE},  {"alt-z", LIST_UNARCHIVE},
	{"alt-s", LIST_SEARCH}, {"alt-v", LIST_ARCHIVED},
};

/* Three lines: what was typed, the key ("" is Enter), and the id before the tab. */
static int take_choice(const struct buf *chosen, char **ret, enum list_wish *ret_wish)
{
	AUTO(free) char *text = mem_strdup(buf_text(chosen));
	char *rest = text, *query = strsep(&rest, "\n");
	char *key = strsep(&rest, "\n"), *line = rest ? rest : (char *)"";

	if (!key)
		return INBOX_UNUSABLE;
	snprintf(last_query, sizeof(last_query), "%s", query);
	*ret_wish = LIST_OPEN;
	for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++)
		if (strcmp(key, wishes[i].key) == 0)
			*ret_wish = wishes[i].wish;
	if (rest)
		line[strcspn(line, "\t\n")] = '\0';
	if (*ret_wish >= LIST_UNARCHIVE && !text_is_name(line))
		line = (char *)"none"; /* it is about no thread */
	if (!text_is_name(line) || strlen(line) >= sizeof(last_opened))
		return INBOX_UNUSABLE;
	strcpy(last_opened, line);
	*ret = mem_strdup(line);
	return 1;
}

int list_by_fzf(const struct cli *c, char **ret, enum list_wish *ret_wish, struct error *err)
{
	struct feed f = {.c = c, .told = -1, .rows = -1};
	AUTO_BUF struct buf chosen = {0};
	int r = feed_look(&f, err);

	f.fresh = false; /* it begins with this one */
	f.looked = clock_monotonic();
	if (r == 0) {
		make_pipes(&f);
		r = run(&f, &chosen);
		r = r == 0		 ? take_choice(&chosen, ret, ret_wish)
		    : r == ASK_CANCELLED ? 0
					 : INBOX_UNUSABLE;
	}
	close_pipes(&f);
	feed_fini(&f);
	return r;
}
