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

typedef int maker(struct wrapper *w, const struct order_source *s, const char *to,
		  struct error *err);

/* In errors and files the name is a part of a path. */
static int check_name(const struct order_source *s, struct error *err)
{
	if (*s->name && !strchr(s->name, '/') && strcmp(s->name, ".") != 0 &&
	    strcmp(s->name, "..") != 0)
		return 0;
	return error_set(err, ERR_INVALID, "'%s' cannot be the name of a folder", s->name);
}

static bool is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static int make_whole(struct wrapper *w, const struct order_source *s, const char *path,
		      maker *make, struct error *err)
{
	AUTO(free) char *beside = mem_printf("%s/.copy", w->mission);
	int r;

	if (is_there(path))
		return 0;
	r = folder_remove(beside, err);
	if (r == 0)
		r = make(w, s, beside, err);
	if (r < 0)
		return r;
	if (rename(beside, path) < 0)
		return error_set_errno(err, errno, "cannot move a copy to '%s'", path);
	return 0;
}

static int make_template(struct wrapper *w, const struct order_source *s, const char *to,
			 struct error *err)
{
	return s->is_git ? repository_clone(w, s, to, err) : folder_copy(w, s->origin, to, err);
}

static int make_empty(struct wrapper *w, const struct order_source *s, const char *to,
		      struct error *err)
{
	(void)w;
	(void)s;
	return dir_make_private(to, err);
}

int workspace_prepare(struct wrapper *w, struct error *err)
{
	const struct order *o = w->order;
	AUTO(free) char *git = o->git ? mem_printf("%s/%s", w->workspace, o->git->name) : NULL;
	int r = make_whole(w, o->template, w->workspace, o->template ? make_template : make_empty,
			   err);

	if (r < 0 && o->template)
		return error_prefix(err, "cannot copy template '%s'", o->template->name);
	if (r < 0 || !o->git)
		return r;
	r = check_name(o->git, err);
	if (r == 0)
		r = make_whole(w, o->git, git, make_template, err);
	return r < 0 ? error_prefix(err, "cannot copy repository '%s'", o->git->name) : 0;
}
