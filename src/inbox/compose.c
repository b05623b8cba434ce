/*
 * compose.c: an answer, written in the person's editor.
 * The editor works on the draft itself, in the state folder: drafts/THREAD.SEQ.md for a question,
 * drafts/THREAD.all.md for all of them, drafts/THREAD.md for what answers none. It is deleted when the
 * answer was sent, or was left empty; everything else leaves it, and the next answer to the same
 * question begins with what it says. One answer to a thread is written at a time: a lock beside the
 * drafts is held until it was sent.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "inbox/inbox.h"
#include "terminal/editor.h"

#define ANSWER_MAX ((size_t)16 * 1024 * 1024)

/* Held from the beginning of an answer until it was sent, or the next one begins. */
static int held_lock = -1;

static char *lock_path(const struct cli *c, const char *thread)
{
	return mem_printf("%s/drafts/%s.lock", c->home->state_dir, thread);
}

static char *draft_path(const struct cli *c, const char *thread, int64_t question)
{
	char which[32] = "";

	if (question == QUESTION_ALL)
		snprintf(which, sizeof(which), ".all");
	else if (question > 0)
		snprintf(which, sizeof(which), ".%" PRId64, question);
	return mem_printf("%s/drafts/%s%s.md", c->home->state_dir, thread, which);
}

/* --- the lock --- */

/* Whoever had it before may have deleted the file while we waited for it. */
static bool is_still_there(const char *path, int fd)
{
	struct stat there, ours;

	return stat(path, &there) == 0 && fstat(fd, &ours) == 0 && there.st_ino == ours.st_ino &&
	       there.st_dev == ours.st_dev;
}

static void unlock(const char *path)
{
	if (held_lock < 0)
		return;
	if (path)
		unlink(path);
	close(held_lock);
	held_lock = -1;
}

static int lock(const char *path, const char *thread, struct error *err)
{
	pid_t owner = 0;
	int r;

	do {
		unlock(NULL);
		r = file_lock(path, &held_lock, &owner, err);
	} while (r == 0 && !is_still_there(path, held_lock));
	if (r != ERR_CONFLICT)
		return r;
	error_set(err, ERR_CONFLICT, "an answer to '%s' is being written already, by process %d",
		  thread, (int)owner);
	return error_hint(err, "finish it there, or end that editor");
}

/* --- the draft --- */

static int read_draft(const char *path, struct buf *ret, struct error *err)
{
	AUTO_BUF struct buf text = {0};
	int r = file_read(path, ANSWER_MAX, &text, err);

	if (r == ERR_NOT_FOUND)
		return 0;
	if (r < 0)
		return r;
	text_mend_utf8(text.data, text.len);
	return compose_extract(buf_text(&text), NULL, ret, err);
}

/* With a time that no change of the editor's can have: then it shows whether there was one. */
static int write_draft(const char *path, const struct buf *text, struct stat *ret,
		       struct error *err)
{
	static const struct timespec old[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = 1}};
	int r = file_write(path, buf_text(text), text->len, err);

	if (r < 0)
		return r;
	if (utimensat(AT_FDCWD, path, old, 0) < 0 || stat(path, ret) < 0)
		return error_set_errno(err, errno, "cannot look at '%s'", path);
	return 0;
}

static bool was_saved(const char *path, const struct stat *before)
{
	struct stat now;

	return stat(path, &now) < 0 || now.st_ino != before->st_ino ||
	       now.st_size != before->st_size || now.st_mtim.tv_sec != before->st_mtim.tv_sec;
}

/* What the editor left; the draft stays as it is when that cannot be sent. */
static int read_edited(const char *path, struct buf *ret, struct error *err)
{
	int r = file_read(path, ANSWER_MAX, ret, err);

	if (r == ERR_NOT_FOUND)
		return 0; /* deleted: that is empty too */
	if (r < 0)
		return r;
	if (strlen(buf_text(ret)) != ret->len || !text_is_utf8(buf_text(ret), ret->len)) {
		error_set(err, ERR_INVALID, "the answer is not valid UTF-8 text: '%s'", path);
		return error_hint(err, "save it as UTF-8, then answer again");
	}
	return 0;
}

/* The person's words become the draft when what to send cannot be told from it. */
static int keep_words(const char *path, const struct buf *words, struct error *err)
{
	struct error failed = {0};

	if (file_write(path, buf_text(words), words->len, &failed) < 0)
		*err = failed;
	return err->code;
}

/* --- the answer --- */

static int edit(const char *path, const struct buf *given, bool has_draft, struct buf *ret,
		struct error *err)
{
	AUTO_BUF struct buf text = {0};
	struct stat before;
	int r = write_draft(path, given, &before, err);

	if (r < 0)
		return r;
	r = editor_run(path, err);
	if (r < 0) {
		error_prefix(err, "nothing was sent, the draft is '%s'", path);
		return error_hint(err,
				  "the next answer to the same question begins with the draft");
	}
	if (has_draft && !was_saved(path, &before)) {
		error_set(err, ERR_CONFLICT, "nothing was sent: the draft '%s' was not saved",
			  path);
		return error_hint(err, "save it to send it; empty it to discard it");
	}
	if ((r = read_edited(path, &text, err)) < 0)
		return r;
	r = compose_extract(buf_text(&text), buf_text(given), ret, err);
	return r < 0 ? keep_words(path, ret, err) : 0;
}

/*
 * A draft that belongs to no question, as all did before there was one for each: whoever answers a
 * question learns of it, since it may be about that one, and it may not.
 */
static void name_other_draft(const struct cli *c, const char *thread, json_t *shown)
{
	AUTO(free) char *path = draft_path(c, thread, 0);

	if (view_int(shown, "answers") && compose_has_draft(c, thread, 0))
		json_put_text(shown, "other_draft", path);
}

static int write_answer(const struct cli *c, const json_t *shown, const char *path, struct buf *ret,
			struct error *err)
{
	const char *thread = view_text(json_object_get(shown, "thread"), "id");
	AUTO(json_decref) json_t *page = json_copy((json_t *)(uintptr_t)shown);
	AUTO_BUF struct buf draft = {0}, given = {0};
	struct view v = cli_view(c, &given);
	int r = read_draft(path, &draft, err);

	if (r < 0)
		return r;
	if (!draft.len)
		name_other_draft(c, thread, page);
	compose_template(page, v.zone, buf_text(&draft), &given);
	return edit(path, &given, draft.len > 0, ret, err);
}

int compose_reply(const struct cli *c, const json_t *shown, struct buf *ret, struct error *err)
{
	const char *thread = view_text(json_object_get(shown, "thread"), "id");
	int64_t question = view_int(shown, "answers");
	AUTO(free) char *folder = mem_printf("%s/drafts", c->home->state_dir);
	AUTO(free) char *path = draft_path(c, thread, question);
	AUTO(free) char *lock_file = lock_path(c, thread);
	int r;

	if (!text_is_name(thread))
		return error_set(err, ERR_SYSTEM, "the answer has no thread");
	if ((r = dir_make_private(folder, err)) < 0 || (r = lock(lock_file, thread, err)) < 0)
		return r;
	r = write_answer(c, shown, path, ret, err);
	if (r < 0) {
		unlock(lock_file);
		return r;
	}
	if (ret->len)
		return 1;
	compose_sent(c, thread, question);
	return 0;
}

void compose_sent(const struct cli *c, const char *thread, int64_t question)
{
	AUTO(free) char *path = draft_path(c, thread, question);
	AUTO(free) char *lock_file = lock_path(c, thread);

	unlink(path);
	unlock(lock_file);
}

bool compose_has_draft(const struct cli *c, const char *thread, int64_t question)
{
	AUTO(free) char *path = draft_path(c, thread, question);
	AUTO_BUF struct buf draft = {0};
	struct error unused = {0};

	return text_is_name(thread) && read_draft(path, &draft, &unused) == 0 && draft.len > 0;
}
