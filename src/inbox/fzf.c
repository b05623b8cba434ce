/*
 * fzf.c: threads, chosen by fzf, with the thread in its preview window.
 *
 * A line is the thread's id, which is not shown, and what is. The preview asks `belfry inbox show`.
 * The list stays up to date by a reload that waits: whenever a list is complete fzf reads the next
 * one from a pipe with a name, `rows`, into which we write when there is news, and until then shows
 * what it has. Of the other ways --listen is out: whoever reaches its port, every user of the
 * machine, may have fzf run commands. The query stays as it is by itself. The cursor stays at its
 * line, whatever is there then, so fzf tells us by a second pipe, `told`, which thread it is at and
 * what is typed, and that thread keeps its line while all others are newest first. By the same pipe
 * Ctrl-R asks to look at once, and the keys that change a thread name it: we do it, say so above the
 * list, and hand over the next one, in which the cursor is at the line that was below.
 *
 * A list that is to begin elsewhere than at its first line is another matter. Only a load can set the
 * cursor (at the start there may be no list yet), and its actions are the same each time: so the first
 * one gives up its binding, no reload waits any more, and keys that change something begin their own.
 * For other news such an fzf is ended, when nobody types, and begun anew. What is typed before the
 * cursor is in its place is not obeyed.
 *
 * Nobody waits at a pipe for ever: they are opened in ways that need no other side.
 *
 * No text of a thread is ever part of a command: those have the id, and variables for all else.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <poll.h>
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
#define FOLDER "fzf-"		 /* and the process */
#define QUIET (2 * USEC_PER_SEC) /* so long nobody typed: it may be begun anew */
#define WAIT_MS 10		 /* for a reload that is about to begin, ... */
#define WAITS 100		 /* ... so often */

/* The thread that was opened last: whoever comes back finds the cursor there, ... */
static char last_opened[32];
static char last_query[200]; /* ... what was typed, */
static char **last_shown;    /* and the threads around it */

/* --- what keys do --- */

/* Nothing is written to the screen, which is fzf's. */
static bool change(struct feed *f, const char *request, const char *id, bool force)
{
	AUTO(session_free) struct session *s = NULL;
	AUTO(json_decref) json_t *args = json_object(), *result = NULL;
	struct error err = {0};
	int r;

	json_put_text(args, "thread", id);
	if (force)
		json_put_bool(args, "force", true);
	r = session_open(f->c->home, f->c->zone, true, &s, &err);
	if (r == 0)
		r = session_ask(s, request, args, &result, &err);
	if (r < 0)
		feed_note(f, err.message);
	return r == 0;
}

static void note(struct feed *f, const char *what, const json_t *thread)
{
	AUTO(free) char *text = mem_printf("%s: %s", what, view_text(thread, "title"));

	feed_note(f, text);
}

static void archive(struct feed *f, const char *id)
{
	AUTO(json_decref) json_t *t = json_incref((json_t *)(uintptr_t)feed_thread(f, id));
	long long asks = (long long)view_int(t, "asks");
	bool sure = strcmp(f->sure, id) == 0;

	f->sure[0] = '\0';
	if (!t) /* the list without it is on its way */
		return;
	if (asks && !sure) {
		AUTO(free)
		char *text = mem_printf("%lld question%s: Alt-E again puts it away all the same",
					asks, asks == 1 ? " waits" : "s wait");

		snprintf(f->sure, sizeof(f->sure), "%s", id);
		feed_note(f, text);
		return;
	}
	if (!change(f, "inbox archive", id, asks > 0))
		return;
	json_array_append(f->put_away, t);
	note(f, "put away", t);
}

static void toggle_unread(struct feed *f, const char *id)
{
	AUTO(json_decref) json_t *t = json_incref((json_t *)(uintptr_t)feed_thread(f, id));
	bool unread = view_int(t, "unread") > 0;

	if (t && change(f, unread ? "inbox read" : "inbox unread", id, false))
		note(f, unread ? "read" : "unread", t);
}

static void unarchive(struct feed *f, const char *unused)
{
	size_t last = json_array_size(f->put_away);
	const json_t *t = json_array_get(f->put_away, last ? last - 1 : 0);

	(void)unused;
	if (!last) {
		feed_note(f, "nothing was put away just now; Alt-V shows what is archived");
		return;
	}
	if (!change(f, "inbox unarchive", view_text(t, "id"), false))
		return;
	note(f, "brought back", t);
	json_array_remove(f->put_away, last - 1);
}

static void note_at(struct feed *f, const char *id)
{
	if (strlen(id) < sizeof(f->at))
		strcpy(f->at, id);
	if (strcmp(f->sure, id) != 0)
		f->sure[0] = '\0';
}

static void note_query(struct feed *f, const char *query)
{
	snprintf(f->query, sizeof(f->query), "%s", query);
}

static void note_placed(struct feed *f, const char *unused)
{
	(void)unused;
	f->placed = true;
}

static void look_now(struct feed *f, const char *unused)
{
	(void)unused;
	f->asked = true;
}

/* Lines of fzf's: a word, and what it is about. */
static const struct {
	const char *word;
	void (*obey)(struct feed *f, const char *about);
	bool changes;
} told_words[] = {
	{"at", note_at, false},		{"query", note_query, false},
	{"placed", note_placed, false}, {"now", look_now, false},
	{"archive", archive, true},	{"unread", toggle_unread, true},
	{"unarchive", unarchive, true},
};

static void obey(struct feed *f, char *line)
{
	char *about = line, *word = strsep(&about, " ");

	for (size_t i = 0; i < sizeof(told_words) / sizeof(told_words[0]); i++) {
		if (strcmp(word, told_words[i].word) != 0)
			continue;
		if (told_words[i].changes)
			f->asked = true; /* a list is wanted in any case */
		if (told_words[i].changes && !f->placed)
			feed_note(f, "not done: the list was not ready; press it again");
		else
			told_words[i].obey(f, about ? about : "");
	}
}

static void hear(struct feed *f)
{
	AUTO_BUF struct buf text = {0};
	char bytes[4096], *rest, *line;
	ssize_t n;

	while ((n = read(f->told, bytes, sizeof(bytes))) > 0)
		buf_add(&text, bytes, (size_t)n);
	if (!text.len)
		return;
	f->heard = clock_monotonic();
	buf_text(&text);
	rest = text.data;
	while ((line = strsep(&rest, "\n")))
		obey(f, line);
	/* Where the cursor is now, the list has to be seen by what is typed now. */
	feed_see(f);
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
static bool hand_over(struct feed *f)
{
	AUTO(free) char *path = mem_printf("%s/rows", f->folder);
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);

	if (renew_rows(f) < 0 || fd < 0 || fcntl(fd, F_SETFL, 0) < 0 ||
	    fd_write_all(fd, f->lines.data, f->lines.len) < 0)
		return false;
	f->fresh = f->asked = false;
	return true;
}

/* To the reload of a key, which fzf begins as soon as it has told us of the key. */
static void hand_over_soon(struct feed *f)
{
	for (int i = 0; i < WAITS && !hand_over(f); i++)
		poll(NULL, 0, WAIT_MS);
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

static bool on_tick(void *data)
{
	struct feed *f = data;
	struct error unused = {0}; /* a daemon that is being restarted: the list stays */

	hear(f);
	/* Whoever moves through the list has the pipe wake us all the time. */
	if (f->asked || clock_monotonic() - f->looked >= TICK_MS * USEC_PER_MSEC) {
		feed_look(f, &unused);
		f->looked = clock_monotonic();
	}
	if (f->chained && (f->fresh || f->asked))
		hand_over(f);
	else if (f->asked)
		hand_over_soon(f);
	f->again = !f->chained && f->fresh && clock_monotonic() - f->heard >= QUIET;
	return f->again;
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
	FEED_ARGS, "--layout=reverse", "--no-hscroll", \
	"--no-multi", "--no-height", "--no-select-1", "--no-exit-0", "--prompt=Inbox> ", \
	"--print-query", "--bind=?:toggle-preview", PREVIEW, \
	"--header=Enter opens, ? hides the preview, Esc leaves"
#define TELL(words) "execute-silent(echo " words " 1<> \"$BELFRY_FZF/told\")"
#define RELOAD "reload-sync(cat \"$BELFRY_FZF/rows\")"
/* clang-format on */

/* With the line the cursor begins at, from 1 on, and where it is one of many. */
static int run(struct feed *f, size_t line, struct buf *chosen)
{
	AUTO(free) char *self = program_self();
	AUTO(free) char *query = mem_printf("--query=%s", f->query);
	AUTO(free)
	char *load =
		f->chained ? mem_strdup("--bind=load:refresh-preview+" RELOAD)
			   : mem_printf("--bind=load:pos(%zu)+unbind(load)+" TELL("placed"), line);
	const char *const environment[] = {"BELFRY_SELF",
					   self,
					   "BELFRY_FZF",
					   f->folder,
					   "SHELL",
					   "/bin/sh", /* the commands are its */
					   "CLICOLOR_FORCE",
					   f->c->style.colour ? "1" : "0",
					   NULL};
	const char *const plain[] = {ARGS_ALL, "--preview-window=right:60%:wrap",
				     "--expect=alt-u,alt-e,alt-z,alt-s,alt-v", query, NULL};
#define KEY(key, words)                                                                            \
	f->chained ? "--bind=" key ":" TELL(words) : "--bind=" key ":" TELL(words) "+" RELOAD
	const char *const following[] = {
		ARGS_ALL, "--sync",
		"--info=hidden", /* it would show a wheel that never stops turning */
		f->c->style.colour ? "--ansi" : "--no-color",
		"--preview-window=right,55%,wrap,follow,<55(down,60%,wrap,follow)",
		"--expect=alt-s,alt-v", query, "--bind=enter:accept-non-empty",
		/* NOLINTNEXTLINE(bugprone-suspicious-missing-comma): one word, of two parts */
		"--bind=focus:" TELL("at {1}"),
		"--bind=change:execute-silent(printf 'query %s\\n' {q} 1<> \"$BELFRY_FZF/told\")",
		KEY("alt-u", "unread {1}"), KEY("alt-e", "archive {1}"), KEY("alt-z", "unarchive"),
		KEY("ctrl-r", "now"), load, NULL};
#undef KEY
	struct fzf fzf = {.args = f->follows ? following : plain,
			  .environment = environment,
			  .lines = &f->lines,
			  .on_tick = f->follows ? on_tick : NULL,
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

/* With the cursor at thread `id`, or what is nearest to where it was among `before`. */
static int run_at(struct feed *f, char *const *before, const char *id, struct buf *chosen)
{
	const char *place = feed_place(before, id, f->shown);
	size_t line = place ? feed_index(f->shown, place) + 1 : 1;

	f->fresh = f->asked = f->again = false; /* it begins with these lines */
	f->chained = f->placed = line == 1;
	f->heard = clock_monotonic();
	snprintf(f->at, sizeof(f->at), "%s", place ? place : "");
	if (!f->follows && place)
		feed_lead(f, place);
	return run(f, line, chosen);
}

static int choose(struct feed *f, struct buf *chosen)
{
	int r = run_at(f, last_shown, last_opened, chosen);

	while (r == ASK_CANCELLED && f->again) {
		AUTO(mem_free_list)
		char **before = mem_strdup_list((const char *const *)f->shown);
		AUTO(free) char *at = mem_strdup(f->at);

		/* The cursor finds it wherever it is: nothing has to keep its line. */
		f->at[0] = '\0';
		feed_note(f, NULL);
		buf_clear(chosen);
		r = run_at(f, before, at, chosen);
	}
	return r;
}

int list_by_fzf(const struct cli *c, struct list_memory *memory, char **ret,
		enum list_wish *ret_wish, struct error *err)
{
	struct feed f = {.c = c, .told = -1, .rows = -1, .put_away = memory->put_away};
	AUTO_BUF struct buf chosen = {0};
	int r;

	f.note = *memory->note ? mem_strdup(memory->note) : NULL;
	memory->note[0] = '\0';
	strcpy(f.query, last_query);
	r = feed_look(&f, err);
	f.looked = clock_monotonic();
	if (r == 0) {
		make_pipes(&f);
		f.follows = f.told >= 0 && fzf_version() >= VERSION_FOLLOWS;
		r = choose(&f, &chosen);
		r = r == 0		 ? take_choice(&chosen, ret, ret_wish)
		    : r == ASK_CANCELLED ? 0
					 : INBOX_UNUSABLE;
		mem_free_list(last_shown);
		last_shown = steal_ptr(&f.shown);
	}
	close_pipes(&f);
	feed_fini(&f);
	return r;
}
