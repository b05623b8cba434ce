/*
 * workspace-git.c: a clone of a repository, by way of a cache.
 * repos/NAME.git is a bare mirror, locked while it is made, refreshed and cloned from. Refreshing has
 * a time limit, and its failure is only a line in the log: an agent on a train works with what was
 * there yesterday. The clone's origin is the true source. Nothing may ask for a password, and no hook
 * of anybody's runs.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "agent/wrapper-parts.h"
#include "base/file.h"
#include "base/mem.h"

#define REFRESH_LIMIT (60 * USEC_PER_SEC)
#define CLONE_LIMIT (30 * USEC_PER_MINUTE)
#define GIT_GRACE (2 * USEC_PER_SEC)
#define LOCK_LOOK_MS 50
#define WORDS_MAX 300

/* clang-format off */
/* Of whoever started us: they would lead git to another repository. */
static const char *const not_ours[] = {
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_PREFIX", "GIT_NAMESPACE", "GIT_CONFIG",
};
/* Nobody is there to be asked. */
static char no_prompt[] = "GIT_TERMINAL_PROMPT=0", no_askpass[] = "GIT_ASKPASS=",
	    no_ssh_askpass[] = "SSH_ASKPASS_REQUIRE=never";
static char *const quiet[] = {no_prompt, no_askpass, no_ssh_askpass, NULL};
/* clang-format on */

struct repository {
	struct wrapper *w;
	const struct order_source *source;
	char *cache; /* repos/NAME.git */
	char **environment;
};

static void drop_variables(char **all)
{
	size_t n = 0;

	for (char **p = all; *p; p++) {
		bool drop = false;

		for (size_t i = 0; i < sizeof(not_ours) / sizeof(not_ours[0]); i++)
			drop |= strncmp(*p, not_ours[i], strlen(not_ours[i])) == 0 &&
				(*p)[strlen(not_ours[i])] == '=';
		if (!drop)
			all[n++] = *p;
	}
	all[n] = NULL;
}

/* What it said last, as one line. */
static char *last_words(const struct child *c)
{
	AUTO_BUF struct buf said = {0};
	char *p;

	ring_newest(&c->said[1], WORDS_MAX, &said);
	while (said.len && isspace((unsigned char)said.data[said.len - 1]))
		said.data[--said.len] = '\0';
	for (p = said.data; p && *p; p++)
		if (iscntrl((unsigned char)*p))
			*p = ' ';
	return buf_steal(&said);
}

/* Run git in the cache's folder of repositories. *ret_out, when wanted, is what it printed. */
static int git(const struct repository *r, const char *const *words, usec_t limit,
	       struct buf *ret_out, struct error *err)
{
	const char *argv[16] = {"git", "-c", "core.hooksPath=/dev/null"};
	struct launch l = {.argv = argv,
			   .environment = r->environment,
			   .directory = r->w->place->repos,
			   .input = -1,
			   .is_helper = true,
			   .time_limit = limit,
			   .grace = GIT_GRACE};
	AUTO_CHILD struct child c = {.streams = {-1, -1}};
	int rc;

	for (size_t i = 0; words[i]; i++)
		argv[3 + i] = words[i];
	rc = wrapper_carry_out(r->w, &l, &c, err);
	if (rc < 0)
		return rc;
	rc = wrapper_check(r->w, err);
	if (rc < 0)
		return rc;
	if (c.cause == CAUSE_TIMEOUT)
		return error_set(err, ERR_UNAVAILABLE, "git took longer than %d s",
				 (int)(limit / USEC_PER_SEC));
	if (!WIFEXITED(c.status) || WEXITSTATUS(c.status) != 0) {
		AUTO(free) char *said = last_words(&c);

		return error_set(err, ERR_UNAVAILABLE, "git says: %s", *said ? said : "nothing");
	}
	if (ret_out)
		ring_newest(&c.said[0], SIZE_MAX, ret_out);
	return 0;
}
#define GIT(r, limit, out, err, ...) git(r, (const char *[]){__VA_ARGS__, NULL}, limit, out, err)

/* "my/repo" is "my%2Frepo.git": one folder a name, whatever the name. */
static char *cache_path(const struct wrapper *w, const char *name)
{
	AUTO_BUF struct buf path = {0};

	buf_printf(&path, "%s/", w->place->repos);
	for (const char *p = name; *p; p++) {
		if (isalnum((unsigned char)*p) || strchr("_-", *p) || (*p == '.' && p > name))
			buf_add_char(&path, *p);
		else
			buf_printf(&path, "%%%02X", (unsigned char)*p);
	}
	buf_add_str(&path, ".git");
	return buf_steal(&path);
}

/* Wait for it without being deaf: the signals that would interrupt flock() are blocked. */
static int lock(const struct repository *r, int *ret, struct error *err)
{
	AUTO(free) char *path = mem_printf("%s.lock", r->cache);
	AUTO_CLOSE int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	int rc;

	if (fd < 0)
		return error_set_errno(err, errno, "cannot open '%s'", path);
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		struct pollfd p = {.fd = r->w->signals, .events = POLLIN};

		if (errno != EWOULDBLOCK && errno != EINTR)
			return error_set_errno(err, errno, "cannot lock '%s'", path);
		poll(&p, 1, LOCK_LOOK_MS);
		rc = wrapper_check(r->w, err);
		if (rc < 0)
			return rc;
	}
	*ret = steal_fd(&fd);
	return 0;
}

/* Whether there is a whole cache, of this origin: a name may have been given to another one. */
static bool has_cache(const struct repository *r)
{
	AUTO_BUF struct buf url = {0};
	struct error err = {0};

	if (access(r->cache, F_OK) < 0)
		return false;
	if (GIT(r, REFRESH_LIMIT, &url, &err, "-C", r->cache, "config", "remote.origin.url") < 0)
		return false;
	return url.len && strncmp(url.data, r->source->origin, url.len - 1) == 0 &&
	       strlen(r->source->origin) == url.len - 1;
}

static int make_cache(const struct repository *r, struct error *err)
{
	AUTO(free) char *beside = mem_printf("%s.new", r->cache);
	int rc = folder_remove(beside, err);

	if (rc == 0)
		rc = GIT(r, CLONE_LIMIT, NULL, err, "clone", "-q", "--mirror", "--",
			 r->source->origin, beside);
	if (rc == 0)
		rc = folder_remove(r->cache, err);
	if (rc < 0)
		return rc;
	if (rename(beside, r->cache) < 0)
		return error_set_errno(err, errno, "cannot make '%s'", r->cache);
	return 0;
}

/* The source's default branch may have another name by now: "ref: refs/heads/main\tHEAD\n…". */
static void follow_head(const struct repository *r)
{
	AUTO_BUF struct buf refs = {0};
	struct error err = {0};
	char *branch, *end;

	if (GIT(r, REFRESH_LIMIT, &refs, &err, "ls-remote", "--symref", "--", r->source->origin,
		"HEAD") < 0 ||
	    strncmp(buf_text(&refs), "ref: refs/heads/", 16) != 0)
		return;
	branch = refs.data + strlen("ref: ");
	end = strpbrk(branch, "\t\n");
	if (!end)
		return;
	*end = '\0';
	(void)GIT(r, REFRESH_LIMIT, NULL, &err, "-C", r->cache, "symbolic-ref", "HEAD", branch);
}

static int refresh(const struct repository *r, int lock_fd, usec_t asked_at, struct error *err)
{
	struct error why = {0};
	struct stat st;

	/* Somebody did it while we waited for the lock: ten crons of one minute fetch once. */
	if (fstat(lock_fd, &st) == 0 &&
	    st.st_mtim.tv_sec * USEC_PER_SEC + st.st_mtim.tv_nsec / 1000 >= asked_at)
		return 0;
	if (GIT(r, REFRESH_LIMIT, NULL, &why, "-C", r->cache, "fetch", "-q", "--prune", "origin") ==
	    0) {
		follow_head(r);
		futimens(lock_fd, NULL);
		return 0;
	}
	if (why.code == ERR_CONFLICT) {
		*err = why;
		return err->code;
	}
	run_log_note(r->w->log,
		     "repository '%s' could not be refreshed, the copy at hand is used: %s",
		     r->source->name, why.message);
	return 0;
}

/* Checked out last, with the true origin in place: filters (LFS) ask it for their files. */
static int clone(const struct repository *r, const char *to, struct error *err)
{
	int rc = GIT(r, CLONE_LIMIT, NULL, err, "clone", "-q", "--no-checkout", "--", r->cache, to);

	if (rc == 0)
		rc = GIT(r, REFRESH_LIMIT, NULL, err, "-C", to, "config", "remote.origin.url",
			 r->source->origin);
	if (rc == 0)
		rc = GIT(r, CLONE_LIMIT, NULL, err, "-C", to, "reset", "-q", "--hard");
	return rc;
}

static int clone_by_cache(const struct repository *r, const char *to, struct error *err)
{
	usec_t asked_at = clock_now();
	AUTO_CLOSE int fd = -1;
	int rc = lock(r, &fd, err);

	if (rc < 0)
		return rc;
	rc = has_cache(r) ? refresh(r, fd, asked_at, err) : make_cache(r, err);
	return rc < 0 ? rc : clone(r, to, err);
}

int repository_clone(struct wrapper *w, const struct order_source *s, const char *to,
		     struct error *err)
{
	struct repository r = {.w = w, .source = s};
	int rc = dir_make_private(w->place->repos, err);

	if (rc < 0)
		return rc;
	r.cache = cache_path(w, s->name);
	r.environment = environment_with(w->environment, quiet);
	drop_variables(r.environment);
	rc = clone_by_cache(&r, to, err);
	free(r.environment);
	free(r.cache);
	return rc;
}
