/*
 * cmd-wrapper.c: the processes around a run, as commands.
 * The daemon starts these; a person needs them only to look at one run by itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/wrapper.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "config/path.h"

struct folders {
	char *missions, *repos;
};

static void folders_fini(struct folders *f)
{
	free(f->missions);
	free(f->repos);
}
#define AUTO_FOLDERS __attribute__((cleanup(folders_fini)))

/* The one that was named, absolute, else the one in the state folder. */
static int one_folder(const struct cli *c, const char *key, char **ret, struct error *err)
{
	const char *named = NULL;
	int r = json_get_text(c->args, key, &named, err);

	if (r < 0)
		return r;
	if (named)
		return path_absolute(named, NULL, ret, err);
	*ret = mem_printf("%s/%s", c->home->state_dir, key);
	return 0;
}

static int find_folders(const struct cli *c, struct folders *ret, struct error *err)
{
	int r = one_folder(c, "missions", &ret->missions, err);

	return r < 0 ? r : one_folder(c, "repos", &ret->repos, err);
}

int cmd_wrapper_run(const struct cli *c, struct error *err)
{
	AUTO(order_free) struct order *order = NULL;
	AUTO_FOLDERS struct folders f = {0};
	AUTO_BUF struct buf text = {0};
	const char *file = NULL;
	int r = json_get_text(c->args, "order", &file, err);

	if (r == 0)
		r = file_read(strcmp(file, "-") == 0 ? "/dev/stdin" : file, ORDER_MAX, &text, err);
	if (r == 0)
		r = order_parse(buf_text(&text), text.len, &order, err);
	if (r == 0)
		r = find_folders(c, &f, err);
	if (r < 0)
		return r;
	return wrapper_run(order, &(struct wrapper_place){f.missions, f.repos}, -1);
}

int cmd_wrapper_nursery(const struct cli *c, struct error *err)
{
	AUTO_FOLDERS struct folders f = {0};
	socklen_t len = sizeof(int);
	int64_t fd = -1;
	int type = 0;
	int r = json_get_int(c->args, "fd", &fd, err);

	if (r < 0)
		return r;
	if (fd < 0 || fd > 1 << 20 || getsockopt((int)fd, SOL_SOCKET, SO_TYPE, &type, &len) < 0 ||
	    type != SOCK_SEQPACKET)
		return error_set(err, ERR_INVALID, "--fd is no socket of packets");
	/* Agents are no guests here: they do not get it. */
	fcntl((int)fd, F_SETFD, FD_CLOEXEC);
	r = find_folders(c, &f, err);
	return r < 0 ? r : nursery_main((int)fd, &(struct wrapper_place){f.missions, f.repos});
}

int cmd_wrapper_sweep(const struct cli *c, struct error *err)
{
	AUTO_FOLDERS struct folders f = {0};
	const char *run = NULL;
	int left, r = json_get_text(c->args, "run", &run, err);

	if (r == 0)
		r = find_folders(c, &f, err);
	if (r < 0)
		return r;
	left = wrapper_sweep(f.missions, run);
	if (left)
		return error_set(err, ERR_UNAVAILABLE,
				 "%d processes of run '%s' could not be ended", left, run);
	return 0;
}

int cmd_wrapper_remove(const struct cli *c, struct error *err)
{
	AUTO_FOLDERS struct folders f = {0};
	const char *id = NULL;
	int r = json_get_text(c->args, "mission", &id, err);

	if (r == 0)
		r = find_folders(c, &f, err);
	return r < 0 ? r : wrapper_remove(f.missions, id, err);
}
