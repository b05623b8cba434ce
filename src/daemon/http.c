/*
 * http.c: whether there is HTTP, as config.yml has it.
 * Nothing of it exists while the file does not ask for it, not even the library (http-library.h). A port
 * that is taken is told by `status` and in the diary, and tried again once a minute: a daemon without HTTP
 * still fires. The address is in the file `http` of the runtime folder while there is one.
 */
#include "daemon/http.h"

#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "daemon/http-parts.h"

#define RETRY_MS ((uint64_t)60 * 1000)

struct http {
	uv_loop_t *loop;
	struct seat *seat;
	struct turn *turn;
	struct http_server *server; /* NULL: off */
	int port;		    /* that was asked for; -1: none */
	char *file;		    /* has the address, while there is one */
	uv_timer_t retry;
	bool stopped;
};

static void on_retry(uv_timer_t *timer);

static void tell_address(struct http *h)
{
	AUTO(free) char *line = NULL;
	struct error err = {0};

	free(h->seat->http);
	h->seat->http = mem_printf("http://127.0.0.1:%d" HTTP_PATH, h->server->port);
	mem_replace(&h->seat->http_error, NULL);
	line = mem_printf("%s\n", h->seat->http);
	if (file_write(h->file, line, strlen(line), &err) < 0)
		log_warning("%s", err.message);
	log_info("http: listening at %s", h->seat->http);
}

static void tell_failure(struct http *h, const struct error *err)
{
	/* Once, however often it is tried. */
	if (!h->seat->http_error || strcmp(h->seat->http_error, err->message) != 0)
		log_warning("%s (%s)", err->message, err->hint);
	mem_replace(&h->seat->http_error, err->message);
}

static void turn_off(struct http *h)
{
	uv_timer_stop(&h->retry);
	if (!h->server)
		return;
	http_server_stop(h->server);
	h->server = NULL;
	unlink(h->file);
	mem_replace(&h->seat->http, NULL);
	log_info("http: off");
}

static void turn_on(struct http *h)
{
	struct error err = {0};

	if (http_server_start(h->loop, h->turn, h->port, &h->server, &err) == 0) {
		tell_address(h);
		return;
	}
	tell_failure(h, &err);
	uv_update_time(h->loop);
	uv_timer_start(&h->retry, on_retry, RETRY_MS, 0);
}

static void on_retry(uv_timer_t *timer)
{
	turn_on(timer->data);
}

static void on_config(void *data)
{
	struct http *h = data;
	int port = h->seat->config->http_port;

	if (h->stopped || port == h->port)
		return;
	turn_off(h);
	h->port = port;
	mem_replace(&h->seat->http_error, NULL);
	if (port >= 0)
		turn_on(h);
}

static void on_token_gone(void *data, const char *id)
{
	struct http *h = data;

	if (h->server)
		http_sessions_end(h->server, id);
}

struct http *http_new(uv_loop_t *loop, struct seat *seat, struct turn *turn)
{
	struct http *h = mem_zalloc(sizeof(*h));

	h->loop = loop;
	h->seat = seat;
	h->turn = turn;
	h->port = -1;
	h->file = mem_printf("%s/http", seat->home->runtime_dir);
	uv_timer_init(loop, &h->retry);
	h->retry.data = h;
	/* One that was killed leaves its address behind. */
	unlink(h->file);
	seat->on_config = on_config;
	seat->on_config_data = h;
	seat->on_token_gone = on_token_gone;
	on_config(h);
	return h;
}

void http_stop(struct http *h)
{
	h->stopped = true;
	uv_timer_stop(&h->retry);
	if (h->server)
		http_server_drain(h->server);
}

bool http_has_output(const struct http *h)
{
	return h->server && http_server_is_busy(h->server);
}

void http_close(struct http *h)
{
	h->stopped = true;
	h->seat->on_config = NULL;
	h->seat->on_token_gone = NULL;
	turn_off(h);
	uv_close((uv_handle_t *)&h->retry, NULL);
}

void http_free(struct http *h)
{
	if (!h)
		return;
	free(h->file);
	free(h);
}
