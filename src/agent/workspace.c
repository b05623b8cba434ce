/*
 * workspace.c: the mission's folder, missions/ID/agent, with what is copied into it.
 * Each copy is made beside its place and renamed into it when it is whole: a later run of the same
 * mission finds it, and one that was interrupted makes it again. What the agent did to its copy is
 * therefore never touched.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "agent/wrapper-parts.h"
#include "base/file.h"
#include "base/mem.h"

static bool is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

/* A repository's name may have folders in it ("me/lib"); an order's name never leads out. */
static int make_parents(const struct wrapper *w, const char *path, struct error *err)
{
	AUTO(free) char *copy = mem_strdup(path);

	for (char *p = copy + strlen(w->mission) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		if (mkdir(copy, 0700) < 0 && errno != EEXIST)
			return error_set_errno(err, errno, "cannot create folder '%s'", copy);
	}
	return 0;
}

static int make_copy(struct wrapper *w, const struct order_source *s, const char *to,
		     struct error *err)
{
	return s->is_git ? repository_clone(w, s, to, err) : folder_copy(w, s->origin, to, err);
}

static int make_whole(struct wrapper *w, const struct order_source *s, const char *path,
		      struct error *err)
{
	AUTO(free) char *beside = mem_printf("%s/.copy", w->mission);
	int r;

	if (is_there(path))
		return 0;
	r = folder_remove(beside, err);
	if (r == 0)
		r = make_copy(w, s, beside, err);
	if (r == 0)
		r = make_parents(w, path, err);
	if (r == 0 && rename(beside, path) < 0)
		r = error_set_errno(err, errno, "cannot move a copy to '%s'", path);
	if (r < 0) {
		struct error ignored = {0};

		folder_remove(beside, &ignored);
	}
	return r;
}

static int explain(const struct wrapper *w, const char *what, const struct order_source *s,
		   struct error *err)
{
	if (w->asked == CAUSE_TIMEOUT)
		return error_set(err, ERR_CONFLICT, "its time limit passed while copying %s '%s'",
				 what, s->name);
	return error_prefix(err, "cannot copy %s '%s'", what, s->name);
}

static int make_folder(struct wrapper *w, struct error *err)
{
	const struct order_source *template = w->order->template;
	int r;

	if (!template)
		return mkdir(w->workspace, 0700) == 0 || errno == EEXIST
			       ? 0
			       : error_set_errno(err, errno, "cannot create folder '%s'",
						 w->workspace);
	r = make_whole(w, template, w->workspace, err);
	return r < 0 ? explain(w, "template", template, err) : 0;
}

int workspace_prepare(struct wrapper *w, struct error *err)
{
	const struct order_source *git = w->order->git;
	AUTO(free) char *path = git ? mem_printf("%s/%s", w->workspace, git->name) : NULL;
	int r = make_folder(w, err);

	if (r < 0 || !git)
		return r;
	r = make_whole(w, git, path, err);
	return r < 0 ? explain(w, "repository", git, err) : 0;
}

int wrapper_remove(const char *missions, const char *threads, const char *id, struct error *err)
{
	bool of_thread = thread_id_is_safe(id);
	AUTO(free) char *path = mem_printf("%s/%s", of_thread ? threads : missions, id);

	if (!of_thread && !mission_id_is_safe(id)) {
		error_set(err, ERR_INVALID, "'%s' is no mission's id, and no thread's", id);
		return error_hint(err, "an id is as 'mis-k3f9x2' or 'thr-k3f9x2'");
	}
	return folder_remove(path, err);
}
