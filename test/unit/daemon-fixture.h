#pragma once
/*
 * A real daemon (lock, loop, socket, children) in a process of its own, around the engine and store
 * of fake/, which can be told to fail at any step; and a client that talks to it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/json.h"
#include "config/home.h"

#define PATIENCE_MS 60000

struct fixture {
	char folder[64];
	struct home *home;
	pid_t pid;
};
extern struct fixture fx;

/* --- the daemon --------------------------------------------------------------------------- */

bool start_daemon(void); /* whether it became ready */
int wait_daemon(void);	 /* its wait status */
void stop_daemon(int number);
void show_log(void);
bool log_has(const char *text);
size_t log_count(const char *text);
void write_config(const char *text);
void break_step(const char *step, int count, const char *code);

/* A home of its own, the tests' folder; and a daemon in it. */
int setup_home(void **state);
int setup(void **state);
int teardown(void **state);

#define WITH(name, f)                                                                              \
	{                                                                                          \
		name, f, setup, teardown, NULL                                                     \
	}
#define WITHOUT(name, f)                                                                           \
	{                                                                                          \
		name, f, setup_home, teardown, NULL                                                \
	}
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- the client --------------------------------------------------------------------------- */

int dial(void);
void say(int fd, const char *text);
char *hear(int fd); /* one line without its newline, or NULL at the end */
json_t *hear_json(int fd);

/* The reply to one line on a connection of its own. */
json_t *ask(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
bool is_ok(json_t *stolen);
const char *code_of(const json_t *reply); /* of an error reply; "" when it is none */
const char *message_of(const json_t *reply);

json_t *state_now(void);
int64_t state_int(const char *name);
void wait_state(const char *name, int64_t least);
void nap(int ms);
void wait_asleep(void);

/* The item with that key in a list of the state, once it is there. */
json_t *wait_item(const char *list, int64_t key);
json_t *wait_end(int64_t key); /* of a job */
void start_job(int64_t key, const char *rest);
int64_t end_int(const json_t *end, const char *name);
const char *end_text(const json_t *end, const char *name); /* "(none)" when there is none */
bool runs(const char *marker);				   /* a process "sleep MARKER" */

/* What `belfry wrapper` does: the daemon under test starts its nursery from this very program. For main(). */
int run_wrapper(char **argv);
