/*
 * cmd-hook.c: `belfry hook EVENT`, called by an agent in the middle of its work.
 * The agent waits for it, so it asks nobody and reads no configuration: one line is appended to the journal
 * of the mission it is in. It fails open: whatever is wrong, it prints nothing and its status is 0, for a
 * client would take anything else as an objection to what it was about to do.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/presence.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/cli.h"
#include "config/home.h"

#define INPUT_WAIT USEC_PER_SEC /* a standard input that does not end is no hook's */

static void complain(const char *event, const struct error *err)
{
	const char *debug = getenv("BELFRY_HOOK_DEBUG");

	if (debug && strcmp(debug, "1") == 0)
		fprintf(stderr, "belfry: hook %s: %s\n", event, err->message);
}

/* As much as there is, and is allowed; what is longer is told by its name alone. */
static void read_input(struct buf *ret)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	usec_t end = clock_monotonic() + INPUT_WAIT;

	if (isatty(STDIN_FILENO))
		return;
	while (ret->len <= EVENT_HOOK_MAX) {
		usec_t left = end - clock_monotonic();
		ssize_t n;

		if (left <= 0 || poll(&in, 1, (int)(left / USEC_PER_MSEC) + 1) <= 0)
			return;
		buf_reserve(ret, 64 * 1024);
		n = read(STDIN_FILENO, ret->data + ret->len, 64 * 1024);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		ret->len += (size_t)n;
	}
}

static int note(const char *name, struct error *err)
{
	AUTO(home_free) struct home *home = NULL;
	AUTO(free) char *folder = NULL;
	AUTO_BUF struct buf input = {0};
	const char *mission = getenv("BELFRY_MISSION_ID");
	struct event e = {0};
	int r;

	if (!mission || strncmp(mission, "mis-", 4) != 0 || !text_is_name(mission))
		return error_set(err, ERR_NOT_FOUND, "BELFRY_MISSION_ID names no mission");
	read_input(&input);
	r = event_read_hook(name, buf_text(&input), input.len, clock_now(), &e, err);
	if (r == 0)
		r = home_find(&home, err);
	if (r == 0 && e.event != EVENT_NONE) {
		folder = mem_printf("%s/missions/%s", home->state_dir, mission);
		r = event_append(folder, &e, err);
	}
	event_fini(&e);
	return r;
}

int hook_main(const char *event)
{
	struct error err = {0};

	if (note(event, &err) < 0)
		complain(event, &err);
	return 0;
}

int cmd_hook(const struct cli *c, struct error *err)
{
	const char *event = NULL;
	int r = json_get_text(c->args, "event", &event, err);

	return r < 0 ? r : hook_main(event);
}
