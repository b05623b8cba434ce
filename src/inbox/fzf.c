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
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "inbox/inbox.h"
#include "terminal/ask.h"
#include "terminal/fzf.h"
#include "terminal/program.h"

#define VERSION_FOLLOWS 37 /* 0.37 has all the events: it keeps itself up to date */
#define TICK_MS 1000
#define FOLDER "fzf-"	/* and the process */
#define LOOK_THREADS 50 /* news show in the newest of them, or in the sums */
#define MOST_THREADS 1000
#define TITLE_LEAST 16
#define TITLE_MOST 32
#define TIME_COLUMNS 17				     /* "yesterday 9:00 AM" */
#define REST_COLUMNS (5 + 2 + TIME_COLUMNS + 2 + 14) /* all but the title: a bit of the preview */
#define BESIDE 100 /* so wide is a terminal that has the thread beside the list */
#define PREVIEW_COLUMNS 200

struct feed {
	const struct cli *c;
	char *folder;	  /* of the two pipes */
	int told;	  /* what fzf tells us; read and write, so that it never ends */
	int rows;	  /* the pipe the next reload waits at, held open */
	bool asked;	  /* Ctrl-R: a list is wanted, also one without news */
	char at[32];	  /* the thread under the cursor */
	json_t *look;	  /* the newest threads when we looked last */
	char **ids;	  /* of the lines fzf has, in their order */
	struct buf lines; /* the list that fzf has, or will have as soon as it asks for one */
	bool fresh;	  /* it does not have it yet */
	usec_t looked;
};

/* The thread that was opened last: whoever comes back finds the cursor there. */
static char last_opened[32];

/* --- the list --- */

static json_t *list_args(int64_t limit, const char *after)
{
	json_t *args = json_object();

	json_put_int(args, "limit", limit);
	if (after)
		json_put_text(args, "after", after);
	return args;
}

static int ask_list(const struct cli *c, int64_t limit, const char *after, json_t **ret,
		    struct error *err)
{
	AUTO(json_decref) json_t *args = list_args(limit, after);

	return cli_ask(c, "inbox list", args, ret, err);
}

/* The threads of the pages that follow, behind those of the first. */
static int ask_rest(const struct cli *c, json_t *list, struct error *err)
{
	json_t *threads = json_object_get(list, "threads");
	AUTO(free) char *more = mem_strdup(view_text(list, "more"));

	while (*more && json_array_size(threads) < MOST_THREADS) {
		AUTO(json_decref) json_t *page = NULL;
		int r = ask_list(c, MOST_THREADS, more, &page, err);

		if (r < 0)
			return r;
		json_array_extend(threads, json_object_get(page, "threads"));
		mem_replace(&more, view_text(page, "more"));
	}
	return 0;
}

/* --- a line --- */

static void add_padded(struct buf *out, const char *text, size_t columns)
{
	AUTO_BUF struct buf whole = {0}, cut = {0};

	visible_line(&whole, text);
	text_cut(&cut, buf_text(&whole), columns);
	buf_printf(out, "%s%*s", buf_text(&cut), (int)(columns - text_width(buf_text(&cut))), "");
}

static void add_mark(const struct view *v, const json_t *thread)
{
	int64_t unread = view_int(thread, "unread");
	AUTO(free)
	char *count = unread > 99 ? mem_strdup("99+") : mem_printf("%3lld", (long long)unread);

	style_add(v->out, v->style, TINT_WARN, view_int(thread, "asks") ? "?" : " ");
	style_printf(v->out, v->style, TINT_BOLD, "%s ", unread ? count : "   ");
}

static size_t title_columns(size_t width)
{
	size_t list = width < BESIDE ? width : width * 45 / 100;

	if (list < REST_COLUMNS + TITLE_LEAST)
		return TITLE_LEAST;
	return list > REST_COLUMNS + TITLE_MOST ? TITLE_MOST : list - REST_COLUMNS;
}

static void add_line(const struct view *v, const json_t *thread)
{
	AUTO_BUF struct buf title = {0}, preview = {0}, cut = {0};
	char when[INSTANT_TEXT_MAX] = "";
	usec_t at = view_instant(thread, "last_at");

	buf_printf(v->out, "%s\t", view_text(thread, "id"));
	add_mark(v, thread);
	add_padded(&title, view_text(thread, "title"), title_columns(v->style->width));
	style_add(v->out, v->style, view_int(thread, "unread") ? TINT_BOLD : TINT_NONE,
		  buf_text(&title));
	if (at != USEC_NONE) /* seconds are of no use here */
		instant_format_near(at - at % (60 * USEC_PER_SEC), v->now, v->zone, when);
	style_printf(v->out, v->style, TINT_DIM, "  %-*s", TIME_COLUMNS, when);
	visible_line(&preview, view_text(thread, "preview"));
	text_cut(&cut, buf_text(&preview), PREVIEW_COLUMNS);
	buf_printf(v->out, "  %s\n", buf_text(&cut));
}

/* The first line is above the list and not in it: fzf's --header-lines. */
static void add_head(const struct view *v, const json_t *list)
{
	long long unread = (long long)view_int(list, "unread");
	long long asks = (long long)view_int(list, "asks");
	size_t count = json_array_size(json_object_get(list, "threads"));

	buf_printf(v->out, "-\t%zu thread%s, %lld unread", count, count == 1 ? "" : "s", unread);
	if (asks)
		buf_printf(v->out, ", %lld %s for an answer", asks, asks == 1 ? "waits" : "wait");
	buf_add_char(v->out, '\n');
}

/* The count of them where there is none. */
static size_t index_of(char *const *ids, const char *id)
{
	size_t i = 0;

	while (ids && ids[i] && strcmp(ids[i], id) != 0)
		i++;
	return i;
}

static char **ids_of(const json_t *threads)
{
	size_t count = json_array_size(threads);
	char **ids = mem_array(count + 1, sizeof(*ids));

	for (size_t i = 0; i < count; i++)
		ids[i] = mem_strdup(view_text(json_array_get(threads, i), "id"));
	return ids;
}

/* The thread under the cursor keeps its line. */
static void hold_place(json_t *threads, char *const *before, const char *at)
{
	AUTO(mem_free_list) char **ids = ids_of(threads);
	size_t from = index_of(ids, at), to = index_of(before, at);
	size_t count = json_array_size(threads);
	json_t *thread;

	if (from == count || !before || !before[to])
		return;
	thread = json_incref(json_array_get(threads, from));
	json_array_remove(threads, from);
	json_array_insert_new(threads, to < count ? to : count - 1, thread);
}

static void set_lines(struct feed *f, json_t *list)
{
	json_t *threads = json_object_get(list, "threads");
	struct view v = cli_view(f->c, &f->lines);

	hold_place(threads, f->ids, f->at);
	buf_clear(&f->lines);
	add_head(&v, list);
	for (size_t i = 0; i < json_array_size(threads); i++)
		if (text_is_name(view_text(json_array_get(threads, i), "id")))
			add_line(&v, json_array_get(threads, i));
	mem_free_list(f->ids);
	f->ids = ids_of(threads);
}

/* --- keeping it up to date --- */

/* A list of its own with the same threads: holding a place changes their order. */
static json_t *copy_list(const json_t *list)
{
	json_t *copy = json_copy((json_t *)(uintptr_t)list);

	json_put(copy, "threads", json_copy(json_object_get(list, "threads")));
	return copy;
}

/* A look at the newest is cheap; only when it shows something new is everything asked for. */
static int look(struct feed *f, struct error *err)
{
	AUTO(json_decref) json_t *seen = NULL, *all = NULL;
	int r = ask_list(f->c, LOOK_THREADS, NULL, &seen, err);

	if (r < 0 || json_equal(seen, f->look))
		return r;
	all = copy_list(seen);
	if ((r = ask_rest(f->c, all, err)) < 0)
		return r;
	json_decref(f->look);
	f->look = steal_ptr(&seen);
	set_lines(f, all);
	f->fresh = true;
	return 0;
}

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
		look(f, &unused);
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
		pid_t pid = atoi(strrchr(found.gl_pathv[i], '-') + 1);

		if (pid > 0 && kill(pid, 0) < 0 && errno == ESRCH)
			remove_pipes(found.gl_pathv[i]);
	}
	globfree(&found);
}

/* Without them the list is as it was in the beginning, and that is all. */
static void make_pipes(struct feed *f)
{
	const char *parent = f->c->home->runtime_dir;
	AUTO(free) char *told = NULL;

	sweep(parent);
	f->folder = mem_printf("%s/" FOLDER "%d", parent, (int)getpid());
	told = mem_printf("%s/told", f->folder);
	if (mkdir(f->folder, 0700) == 0 && mkfifo(told, 0600) == 0 && renew_rows(f) == 0)
		f->told = open(told, O_RDWR | O_NONBLOCK | O_CLOEXEC);
}

static void feed_fini(struct feed *f)
{
	if (f->told >= 0)
		close(f->told);
	if (f->rows >= 0)
		close(f->rows);
	if (f->folder)
		remove_pipes(f->folder);
	free(f->folder);
	json_decref(f->look);
	mem_free_list(f->ids);
	buf_fini(&f->lines);
}

/* --- fzf --- */

/* clang-format off */
#define PREVIEW "--preview=\"$BELFRY_SELF\" inbox show {1} --peek --last 20 2>&1"
/* What old ones know as well. */
#define ARGS_ALL \
	"--ansi", "--delimiter=\t", "--with-nth=2..", "--header-lines=1", "--layout=reverse", "--no-hscroll", \
	"--no-multi", "--no-sort", "--no-height", "--no-select-1", "--no-exit-0", "--prompt=Inbox> ", \
	"--bind=?:toggle-preview", PREVIEW
#define RELOAD "reload-sync(cat \"$BELFRY_FZF/rows\")"
/* clang-format on */

static int run(struct feed *f, struct buf *chosen)
{
	AUTO(free) char *self = program_self();
	size_t at = index_of(f->ids, last_opened);
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
	const char *const plain[] = {ARGS_ALL, "--preview-window=right:60%:wrap",
				     "--header=Enter opens, ? hides the preview, Esc leaves", NULL};
	const char *const following[] = {
		ARGS_ALL,
		"--sync",
		"--info=hidden", /* it would show a wheel that never stops turning */
		f->c->style.colour ? "--ansi" : "--no-color",
		"--preview-window=right,55%,wrap,follow,<55(down,60%,wrap,follow)",
		"--header=Enter opens, ? hides the preview, Ctrl-R looks again, Esc leaves",
		"--bind=enter:accept-non-empty",
		"--bind=focus:execute-silent(echo at {1} 1<> \"$BELFRY_FZF/told\")",
		"--bind=load:refresh-preview+" RELOAD,
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

/* The id before the tab, in the last line: options of the person's own may print others. */
static int take_id(const struct buf *chosen, char **ret)
{
	AUTO(free) char *text = mem_strdup(buf_text(chosen));
	size_t len = strlen(text);
	char *line;

	while (len && text[len - 1] == '\n')
		text[--len] = '\0';
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	line[strcspn(line, "\t")] = '\0';
	if (!text_is_name(line) || strlen(line) >= sizeof(last_opened))
		return INBOX_UNUSABLE;
	strcpy(last_opened, line);
	*ret = mem_strdup(line);
	return 1;
}

int list_by_fzf(const struct cli *c, char **ret, struct error *err)
{
	struct feed f = {.c = c, .told = -1, .rows = -1};
	AUTO_BUF struct buf chosen = {0};
	int r = look(&f, err);

	f.fresh = false; /* it begins with this one */
	f.looked = clock_monotonic();
	if (r == 0) {
		make_pipes(&f);
		r = run(&f, &chosen);
		r = r == 0 ? take_id(&chosen, ret) : r == ASK_CANCELLED ? 0 : INBOX_UNUSABLE;
	}
	feed_fini(&f);
	return r;
}
