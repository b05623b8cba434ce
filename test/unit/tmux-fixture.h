#pragma once
/*
 * A loop, and a folder of its own in which a real tmux server listens; it is killed afterwards. What
 * a test waits for is a condition, looked at whenever something happened.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <uv.h>

#include "base/buf.h"

struct scene {
	uv_loop_t loop;
	uv_timer_t timer;
	char folder[300]; /* also the socket's: FOLDER/tmux.sock */
	char socket[320];
};
extern struct scene scene;

void scene_open(bool long_path);
/* `finish` closes what the test has on the loop. */
void scene_close(void (*finish)(void));
/* Run the loop until it is so. Fails after a patient while, and scene_explain says how it is instead. */
void scene_wait(bool (*is_so)(void), const char *what);
extern void (*scene_explain)(void); /* NULL: nothing more is known */
#define WAIT(f) scene_wait(f, #f)
void scene_run_for(int ms);
void scene_drain(void); /* until all that was closed has gone */

/* A command of tmux, by another client; what it printed. The caller frees. */
char *scene_tmux(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A file in the folder; "" when there is none. The caller frees. */
char *scene_file(const char *name);
