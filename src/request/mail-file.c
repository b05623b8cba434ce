/*
 * mail-file.c: see mail-file.h.
 * The request's function runs inside the turn, so everything here is on disk before the commit. A
 * spooled file gets a second name rather than a new place: a turn may be tried again, and must find
 * it where it was. It is opened without following links, and has to be a plain file of ours with
 * no other name, so that nobody can have us show or keep a file they could not read.
 */
#include "request/mail-file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

#define SPOOL_NAME_MAX 64
#define FOUND_MAX ((size_t)4 * 1024 * 1024) /* bytes of a long body whose words are found */

struct place {
	const char *state_dir;
	int64_t seq;
	char *folder;	/* below the state folder: "missions/ID/messages" */
	char *absolute; /* all of it */
};

static void place_fini(struct place *p)
{
	free(p->folder);
	free(p->absolute);
}
#define AUTO_PLACE __attribute__((cleanup(place_fini)))

/* --- folders --- */

static int folder_is_gone(const struct mission *m, const char *path, struct error *err)
{
	error_set(err, ERR_CONFLICT, "the folder of mission '%s' is gone: '%s'", m->id, path);
	return error_hint(err, "bring it back, or remove the mission: belfry mission rm %s", m->id);
}

/* A mission that has run has a folder; one without was deleted, and is not to come back in part. */
static int check_mission(const char *state_dir, const struct mission *m, struct error *err)
{
	AUTO(free) char *path = mem_printf("%s/missions/%s", state_dir, m->id);
	struct stat st;

	if (m->runs == 0 || lstat(path, &st) == 0)
		return 0;
	if (errno == ENOENT)
		return folder_is_gone(m, path, err);
	return error_set_errno(err, errno, "cannot look at folder '%s'", path);
}

/* New folders are on disk with their names, up to the state folder. */
static int make_folder(const struct place *p, struct error *err)
{
	AUTO(free) char *path = mem_strdup(p->absolute);
	size_t top = strlen(p->state_dir);
	struct stat st;
	bool known = lstat(path, &st) == 0;
	int r = known ? 0 : dir_make_private(path, err);

	if (r < 0 || known)
		return r;
	while (strlen(path) > top) {
		if (file_sync_parent(path) < 0)
			return error_set_errno(err, errno, "cannot save folder '%s'", path);
		*strrchr(path, '/') = '\0';
	}
	return 0;
}

static int find_place(const char *state_dir, const struct thread *t, const struct mission *m,
		      struct place *ret, struct error *err)
{
	int r = m ? check_mission(state_dir, m, err) : 0;

	if (r < 0)
		return r;
	ret->state_dir = state_dir;
	ret->seq = t->messages + 1;
	ret->folder =
		m ? mem_printf("missions/%s/messages", m->id) : mem_printf("threads/%s", t->id);
	ret->absolute = mem_printf("%s/%s", state_dir, ret->folder);
	return make_folder(ret, err);
}

/* --- the spool --- */

/* One plain name: no folders, nothing hidden. */
static bool is_spool_name(const char *name)
{
	size_t len = strlen(name);

	return len > 0 && len <= SPOOL_NAME_MAX && text_is_name(name);
}

static int refuse_spool(const char *name, const char *why, struct error *err)
{
	error_set(err, ERR_INVALID, "the spooled file '%.80s' %s", name, why);
	return error_hint(err, "let the command line send it: belfry message send, inbox reply");
}

/* Take away the names that this file has among those of a folder, of messages after `seq` or, with -1, all. */
static void drop_names(int at, const char *folder, int64_t seq, const struct stat *file)
{
	int fd = openat(at, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;
	struct stat st;

	if (fd >= 0 && !dir)
		close(fd);
	while (dir && (e = readdir(dir))) {
		if (e->d_name[0] == '.' || (seq >= 0 && strtoll(e->d_name, NULL, 10) <= seq) ||
		    fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (S_ISDIR(st.st_mode) && seq >= 0)
			drop_names(fd, e->d_name, -1, file);
		else if (st.st_dev == file->st_dev && st.st_ino == file->st_ino)
			unlinkat(fd, e->d_name, 0);
	}
	if (dir)
		closedir(dir);
}

/*
 * A daemon that died in the middle of its turn may have given it a later number of this thread. There is no message
 * of that number yet, so the name is nobody's.
 */
static int open_spooled(const struct place *p, const char *path, const char *name,
			struct stat *ret_st, struct error *err)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT)
		return refuse_spool(name, "is not there", err);
	if (fd < 0 && (errno == ELOOP || errno == ENXIO))
		return refuse_spool(name, "is no plain file", err);
	if (fd < 0 || fstat(fd, ret_st) < 0)
		return error_set_errno(err, errno, "cannot open the spooled file '%s'", name);
	if (!S_ISREG(ret_st->st_mode))
		return refuse_spool(name, "is no plain file", err);
	if (ret_st->st_uid != geteuid())
		return refuse_spool(name, "belongs to somebody else", err);
	if (ret_st->st_nlink != 1) {
		drop_names(AT_FDCWD, p->absolute, p->seq, ret_st);
		fstat(fd, ret_st);
	}
	if (ret_st->st_nlink != 1)
		return refuse_spool(name, "has another name", err);
	if (fsync(fd) < 0)
		return error_set_errno(err, errno, "cannot save the spooled file '%s'", name);
	return steal_fd(&fd);
}

/* Where hard links are not to be had the file moves; then a turn that goes again fails. */
static int give_name(const char *from, const char *to, struct error *err)
{
	if (link(from, to) == 0)
		return 0;
	if ((errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS) && rename(from, to) == 0)
		return 0;
	return error_set_errno(err, errno, "cannot put '%s' in place", to);
}

/*
 * Give a spooled file its place, in the stead of what a crash left there. Returns its descriptor.
 * That file goes first: it may be the very same one, from a turn that did not come to its end.
 */
static int take_spooled(const struct place *p, const char *name, const char *to,
			struct stat *ret_st, struct error *err)
{
	AUTO(free) char *from = NULL;
	AUTO_CLOSE int fd = -1;
	int r;

	if (!name || !is_spool_name(name))
		return refuse_spool(name ? name : "", "has no plain name", err);
	from = mem_printf("%s/spool/%s", p->state_dir, name);
	if (unlink(to) < 0 && errno != ENOENT)
		return error_set_errno(err, errno, "cannot replace '%s'", to);
	fd = open_spooled(p, from, name, ret_st, err);
	if (fd < 0)
		return fd;
	if (fchmod(fd, 0600) < 0)
		return error_set_errno(err, errno, "cannot make '%s' private", name);
	r = give_name(from, to, err);
	if (r < 0)
		return r;
	if (file_sync_parent(to) < 0)
		return error_set_errno(err, errno, "cannot save '%s'", to);
	return steal_fd(&fd);
}

/* --- the body --- */

static bool is_blank(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!strchr(" \t\r\n", text[i]) || !text[i])
			return false;
	return true;
}

static int refuse_blank(struct error *err)
{
	error_set(err, ERR_INVALID, "the message is empty");
	return error_hint(err, "give its text as BODY, or on standard input");
}

/* What the row keeps: whole characters of the beginning, clean. */
static void keep_text(struct mail *mail, const char *bytes, size_t len)
{
	if (len > MAIL_TEXT_MAX) {
		size_t cut = MAIL_TEXT_MAX;

		for (int i = 0; i < 3 && ((unsigned char)bytes[cut] & 0xc0) == 0x80; i++)
			cut--;
		len = cut;
	}
	mail->text = text_clean_block(bytes, len);
}

static int place_text(const char *path, const char *text, struct mail *mail, struct error *err)
{
	size_t len = strlen(text);

	if (is_blank(text, len))
		return refuse_blank(err);
	mail->size = (int64_t)len;
	keep_text(mail, text, len);
	return file_write(path, text, len, err);
}

/* Words that the row does not have: it keeps the beginning, and people look for the end, too. */
static int read_rest(int fd, const char *path, struct mail *mail, struct error *err)
{
	AUTO_BUF struct buf rest = {0};

	if (mail->size <= (int64_t)MAIL_TEXT_MAX)
		return 0;
	buf_reserve(&rest, FOUND_MAX);
	while (rest.len < FOUND_MAX) {
		ssize_t n = pread(fd, rest.data + rest.len, FOUND_MAX - rest.len,
				  (off_t)(MAIL_TEXT_MAX + rest.len));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_set_errno(err, errno, "cannot read '%s'", path);
		if (n == 0)
			break;
		rest.len += (size_t)n;
	}
	text_mend_utf8(rest.data, rest.len);
	mail->terms = mail_distinct_words(rest.data, rest.len);
	return 0;
}

static int place_spooled(const struct place *p, const char *name, const char *path,
			 struct mail *mail, struct error *err)
{
	AUTO_BUF struct buf head = {0};
	struct stat st = {0};
	AUTO_CLOSE int fd = take_spooled(p, name, path, &st, err);

	if (fd < 0)
		return fd;
	buf_reserve(&head, MAIL_TEXT_MAX + 1);
	while (head.len <= MAIL_TEXT_MAX) {
		ssize_t n = pread(fd, head.data + head.len, MAIL_TEXT_MAX + 1 - head.len,
				  (off_t)head.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_set_errno(err, errno, "cannot read '%s'", path);
		if (n == 0)
			break;
		head.len += (size_t)n;
	}
	if (st.st_size <= (off_t)MAIL_TEXT_MAX && is_blank(buf_text(&head), head.len))
		return refuse_blank(err);
	mail->size = st.st_size;
	keep_text(mail, buf_text(&head), head.len);
	return read_rest(fd, path, mail, err);
}

static int place_body(const struct place *p, const json_t *args, struct mail *mail,
		      struct error *err)
{
	AUTO(free) char *path = mem_printf("%s/%" PRId64 ".md", p->absolute, p->seq);
	const char *body = NULL, *spool = NULL;
	int r;

	if ((r = json_get_text(args, "body", &body, err)) < 0 ||
	    (r = json_get_text(args, "spool", &spool, err)) < 0)
		return r;
	if (body && spool)
		return error_set(err, ERR_INVALID, "a message has one body, not two");
	if (!body && !spool)
		return refuse_blank(err);
	r = spool ? place_spooled(p, spool, path, mail, err) : place_text(path, body, mail, err);
	if (r < 0)
		return r;
	mail->file = mem_printf("%s/%" PRId64 ".md", p->folder, p->seq);
	return 0;
}

/* --- attachments --- */

/* What a crash left of an earlier message with this number. */
static int clear_folder(const char *path, struct error *err)
{
	DIR *dir = opendir(path);
	const struct dirent *e;
	int r = 0;

	if (!dir)
		return errno == ENOENT ? 0
				       : error_set_errno(err, errno, "cannot look into '%s'", path);
	while (r == 0 && (e = readdir(dir)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
		    unlinkat(dirfd(dir), e->d_name, 0) < 0)
			r = error_set_errno(err, errno, "cannot replace '%s/%s'", path, e->d_name);
	closedir(dir);
	if (r == 0 && rmdir(path) < 0)
		r = error_set_errno(err, errno, "cannot replace '%s'", path);
	return r;
}

static bool is_taken(const json_t *list, const char *name)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		if (strcasecmp(json_string_value(json_object_get(item, "name")), name) == 0)
			return true;
	}
	return false;
}

static int refuse_size(const char *name, int64_t size, struct error *err)
{
	error_set(err, ERR_INVALID,
		  "'%s' is too large to attach: %" PRId64 " bytes, at most %" PRId64, name, size,
		  MAIL_FILE_MAX);
	return error_hint(err, "leave it where it is, and say where in the message");
}

static int place_file(const struct place *p, const char *folder, const json_t *file, json_t *list,
		      struct error *err)
{
	const char *raw = NULL, *spool = NULL;
	char clean[MAIL_NAME_MAX + 1], name[MAIL_NAME_MAX + 1];
	AUTO(free) char *path = NULL;
	AUTO_CLOSE int fd = -1;
	struct stat st = {0};
	int r;

	if (!json_is_object(file))
		return error_set(err, ERR_INVALID, "an attachment must be an object");
	if ((r = json_get_text(file, "name", &raw, err)) < 0 ||
	    (r = json_get_text(file, "spool", &spool, err)) < 0)
		return r;
	mail_file_name(raw ? raw : "", clean);
	strcpy(name, clean);
	for (int nth = 2; is_taken(list, name); nth++)
		mail_file_name_again(clean, nth, name);
	path = mem_printf("%s/%s", folder, name);
	fd = take_spooled(p, spool, path, &st, err);
	if (fd < 0)
		return fd;
	if (st.st_size > MAIL_FILE_MAX)
		return refuse_size(name, st.st_size, err);
	json_array_append_new(
		list,
		json_pack("{s:s, s:I, s:o}", "name", name, "size", (json_int_t)st.st_size, "file",
			  json_sprintf("%s/%" PRId64 ".files/%s", p->folder, p->seq, name)));
	return 0;
}

static int place_files(const struct place *p, const json_t *args, struct mail *mail,
		       struct error *err)
{
	const json_t *files = json_object_get(args, "spooled_files"), *file;
	AUTO(free) char *folder = mem_printf("%s/%" PRId64 ".files", p->absolute, p->seq);
	int r = clear_folder(folder, err);
	size_t i;

	if (r < 0 || !files || json_is_null(files))
		return r;
	if (!json_is_array(files))
		return error_set(err, ERR_INVALID, "'spooled-files' must be a list");
	if (json_array_size(files) == 0)
		return 0;
	if (json_array_size(files) > MAIL_FILES_MAX) {
		error_set(err, ERR_INVALID, "%zu files are attached, at most %d can be",
			  json_array_size(files), MAIL_FILES_MAX);
		return error_hint(err, "send several messages, or one archive");
	}
	r = dir_make_private(folder, err);
	if (r < 0)
		return r;
	if (file_sync_parent(folder) < 0)
		return error_set_errno(err, errno, "cannot save folder '%s'", folder);
	mail->attachments = json_array();
	json_array_foreach(files, i, file)
	{
		r = place_file(p, folder, file, mail->attachments, err);
		if (r < 0)
			return r;
	}
	return 0;
}

int mail_file_place(const char *state_dir, const struct thread *t, const struct mission *m,
		    const json_t *args, struct mail *mail, struct error *err)
{
	AUTO_PLACE struct place p = {0};
	int r;

	if (json_object_get(args, "attach")) {
		error_set(err, ERR_INVALID, "'attach' is for the command line, which copies files");
		return error_hint(err, "belfry message send BODY --attach FILE");
	}
	if ((r = find_place(state_dir, t, m, &p, err)) < 0 ||
	    (r = place_body(&p, args, mail, err)) < 0)
		return r;
	return place_files(&p, args, mail, err);
}
