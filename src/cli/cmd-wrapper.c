/*
 * cmd-wrapper.c: the processes around a run, as commands.
 * The daemon starts these; a person needs them only to look at one run by itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/place.h"

int cmd_wrapper_run(const struct cli *c, struct error *err)
{
	AUTO(order_free) struct order *order = NULL;
	AUTO_PLACE struct place p = {0};
	AUTO_BUF struct buf text = {0};
	const char *file = NULL;
	int r = json_get_text(c->args, "order", &file, err);

	if (r == 0)
		r = strcmp(file, "-") == 0
			    ? fd_read(STDIN_FILENO, "standard input", ORDER_MAX, &text, err)
			    : file_read(file, ORDER_MAX, &text, err);
	if (r == 0)
		r = order_parse(buf_text(&text), text.len, &order, err);
	if (r == 0)
		r = place_find(c, &p, err);
	if (r < 0)
		return r;
	return wrapper_run(order, &p.for_wrapper, -1);
}

int cmd_wrapper_nursery(const struct cli *c, struct error *err)
{
	AUTO_PLACE struct place p = {0};
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
	r = place_find(c, &p, err);
	return r < 0 ? r : nursery_main((int)fd, &p.for_wrapper);
}

int cmd_wrapper_host(const struct cli *c, struct error *err)
{
	return mission_host(c, view_text(c->args, "agent"), err);
}

int cmd_wrapper_sweep(const struct cli *c, struct error *err)
{
	AUTO_PLACE struct place p = {0};
	const char *run = NULL;
	int left, r = json_get_text(c->args, "run", &run, err);

	if (r == 0)
		r = place_find(c, &p, err);
	if (r < 0)
		return r;
	left = wrapper_sweep(p.missions, run);
	if (left)
		return error_set(err, ERR_UNAVAILABLE,
				 "%d processes of run '%s' could not be ended", left, run);
	return 0;
}

int cmd_wrapper_remove(const struct cli *c, struct error *err)
{
	AUTO_PLACE struct place p = {0};
	const char *id = NULL;
	int r = json_get_text(c->args, "id", &id, err);

	if (r == 0)
		r = place_find(c, &p, err);
	return r < 0 ? r : wrapper_remove(p.missions, p.threads, id, err);
}
