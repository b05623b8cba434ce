/* tmux-fixture.c: a real tmux server of the test's own. */
#include "tmux-fixture.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"

#define PATIENCE (60 * USEC_PER_SEC)

struct scene scene;
void (*scene_explain)(void);
static char top[] = "/tmp/belfry-tmux-XXXXXX";

void scene_open(bool long_path)
{
	/* A client that has gone is an error of writing to it, as in the daemon. */
	signal(SIGPIPE, SIG_IGN);
	unsetenv("TMUX");
	memcpy(top + strlen(top) - 6, "XXXXXX", 6);
	assert_non_null(mkdtemp(top));
	snprintf(scene.folder, sizeof(scene.folder), "%s%s%.*s", top, long_path ? "/" : "",
		 long_path ? 150 : 0,
		 "a-name-that-is-so-long-that-no-address-of-a-socket-could-hold-it-and-yet-people-"
		 "have-such-folders-since-their-tools-make-them-from-the-names-of-other-things");
	if (long_path)
		assert_int_equal(mkdir(scene.folder, 0700), 0);
	snprintf(scene.socket, sizeof(scene.socket), "%s/tmux.sock", scene.folder);
	assert_int_equal(uv_loop_init(&scene.loop), 0);
	uv_timer_init(&scene.loop, &scene.timer);
}

static void remove_folder(void)
{
	AUTO(free) char *command = mem_printf("rm -rf '%s'", top);

	(void)!system(command);
}

void scene_close(void (*finish)(void))
{
	finish();
	uv_close((uv_handle_t *)&scene.timer, NULL);
	while (uv_run(&scene.loop, UV_RUN_NOWAIT))
		;
	assert_int_equal(uv_loop_close(&scene.loop), 0);
	free(scene_tmux("kill-server"));
	remove_folder();
}

static bool late;

static void on_late(uv_timer_t *timer)
{
	(void)timer;
	late = true;
}

void scene_run_for(int ms)
{
	late = false;
	uv_update_time(&scene.loop);
	uv_timer_start(&scene.timer, on_late, (uint64_t)ms, 0);
	while (!late)
		uv_run(&scene.loop, UV_RUN_ONCE);
}

void scene_drain(void)
{
	uv_timer_stop(&scene.timer);
	uv_run(&scene.loop, UV_RUN_DEFAULT);
}

void scene_wait(bool (*is_so)(void), const char *what)
{
	usec_t until = clock_monotonic() + PATIENCE;

	while (!is_so()) {
		if (clock_monotonic() > until) {
			if (scene_explain)
				scene_explain();
			fail_msg("never so: %s", what);
		}
		scene_run_for(10);
	}
}

char *scene_tmux(const char *fmt, ...)
{
	AUTO(free) char *command = NULL;
	AUTO_BUF struct buf output = {0};
	char words[2000], bytes[4096];
	va_list ap;
	size_t n;
	FILE *f;

	va_start(ap, fmt);
	vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	command = mem_printf("cd '%s' && tmux -u -S tmux.sock -f /dev/null %s 2>&1", scene.folder,
			     words);
	f = popen(command, "r"); // NOLINT(cert-env33-c)
	assert_non_null(f);
	while ((n = fread(bytes, 1, sizeof(bytes), f)) > 0)
		buf_add(&output, bytes, n);
	pclose(f);
	return buf_steal(&output);
}

char *scene_file(const char *name)
{
	AUTO(free) char *path = mem_printf("%s/%s", scene.folder, name);
	struct buf text = {0};
	struct error err = {0};

	if (file_read(path, 1 << 20, &text, &err) < 0)
		buf_clear(&text);
	return buf_steal(&text);
}
