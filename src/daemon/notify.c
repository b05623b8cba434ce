/*
 * notify.c: what systemd wants to be told: that we are ready, that we live, that we stop.
 * A datagram each. With WatchdogSec it hears of us twice as often as it asks for, from the loop: one that
 * hangs is silent.
 */
#include "daemon/notify.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/log.h"

#define WAIT_MS 20000

static struct {
	struct sockaddr_un address;
	socklen_t len; /* 0: nobody listens */
	uint64_t alive_ms;
	uv_timer_t timer;
} n;

static void tell(const char *state)
{
	AUTO_CLOSE int fd = n.len ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;

	if (fd >= 0 && sendto(fd, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT,
			      (const struct sockaddr *)&n.address, n.len) < 0)
		log_warning("cannot tell systemd '%s': %s", state, strerror(errno));
}

static void on_alive(uv_timer_t *timer)
{
	(void)timer;
	tell("WATCHDOG=1");
}

/* It is not ready, and not stuck: whoever started it is to go on waiting. */
static void on_not_ready(uv_timer_t *timer)
{
	(void)timer;
	tell("WATCHDOG=1\nEXTEND_TIMEOUT_USEC=120000000");
}

/* "/run/…", or "@…" for a name without a file */
static void read_address(const char *path)
{
	size_t len = path ? strlen(path) : 0;

	if (len < 2 || len >= sizeof(n.address.sun_path) || !strchr("/@", *path))
		return;
	n.address.sun_family = AF_UNIX;
	memcpy(n.address.sun_path, path, len);
	if (*path == '@')
		n.address.sun_path[0] = '\0';
	n.len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
}

static uint64_t read_number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : 0;
}

void notify_start(uv_loop_t *loop)
{
	uint64_t pid = read_number("WATCHDOG_PID");

	/* A later life of the same process finds nothing there, and goes on with what it knows. */
	read_address(getenv("NOTIFY_SOCKET"));
	if (getenv("WATCHDOG_USEC") && n.len && (!pid || pid == (uint64_t)getpid()))
		n.alive_ms = read_number("WATCHDOG_USEC") / USEC_PER_MSEC / 2;
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
	uv_timer_init(loop, &n.timer);
}

void notify_wait(void)
{
	if (n.len)
		uv_timer_start(&n.timer, on_not_ready, WAIT_MS, WAIT_MS);
}

void notify_alive(void)
{
	read_address(getenv("NOTIFY_SOCKET"));
	on_not_ready(NULL);
}

void notify_ready(void)
{
	uv_timer_stop(&n.timer);
	tell("READY=1");
	if (n.alive_ms)
		uv_timer_start(&n.timer, on_alive, n.alive_ms, n.alive_ms);
}

void notify_stopping(void)
{
	tell("STOPPING=1");
}

void notify_close(void)
{
	uv_close((uv_handle_t *)&n.timer, NULL);
}
