/* test-home.c: where things are, for every kind of environment. */
#include "rows.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "config/config.h"
#include "config/home.h"
#include "config/path.h"

/* The tests stand in a scratch folder "T" of their own; T in a row means its path. */
static char scratch[] = "/tmp/test-home.XXXXXX";

/* clang-format off */
static const struct find_case {
	const char *name;
	const char *belfry, *home, *xdg_config, *xdg_state, *xdg_runtime; /* NULL: unset */
	const char *config_file, *database, *socket;
} find_cases[] = {
	{"BELFRY_HOME holds everything", "/b", "/h", "/c", "/s", "T",
	 "/b/config.yml", "/b/belfry.db", "/b/belfry.sock"},
	{"trailing slashes", "/b//", "/h", NULL, NULL, NULL,
	 "/b/config.yml", "/b/belfry.db", "/b/belfry.sock"},
	{"BELFRY_HOME is the root", "/", "/h", NULL, NULL, NULL,
	 "/config.yml", "/belfry.db", "/belfry.sock"},
	{"relative BELFRY_HOME is under the current folder", "./x/", "/h", NULL, NULL, NULL,
	 "T/x/config.yml", "T/x/belfry.db", "T/x/belfry.sock"},
	{"BELFRY_HOME under home", "~/b", "/h", NULL, NULL, NULL,
	 "/h/b/config.yml", "/h/b/belfry.db", "/h/b/belfry.sock"},
	{"an empty BELFRY_HOME is none", "", "/h", NULL, NULL, NULL,
	 "/h/.config/belfry/config.yml", "/h/.local/state/belfry/belfry.db",
	 "/h/.local/state/belfry/run/belfry.sock"},
	{"XDG folders", NULL, "/h", "/c/", "/s", "T",
	 "/c/belfry/config.yml", "/s/belfry/belfry.db", "T/belfry/belfry.sock"},
	{"relative XDG folders are ignored", NULL, "/h/", "c", "s", "r",
	 "/h/.config/belfry/config.yml", "/h/.local/state/belfry/belfry.db",
	 "/h/.local/state/belfry/run/belfry.sock"},
	{"empty XDG folders are none", NULL, "/h", "", "", "",
	 "/h/.config/belfry/config.yml", "/h/.local/state/belfry/belfry.db",
	 "/h/.local/state/belfry/run/belfry.sock"},
	{"a runtime folder that is not there", NULL, "/h", NULL, NULL, "T/gone",
	 "/h/.config/belfry/config.yml", "/h/.local/state/belfry/belfry.db",
	 "/h/.local/state/belfry/run/belfry.sock"},
	{"a runtime folder that is a file", NULL, "/h", NULL, NULL, "/etc/passwd",
	 "/h/.config/belfry/config.yml", "/h/.local/state/belfry/belfry.db",
	 "/h/.local/state/belfry/run/belfry.sock"},
};

static const struct store_case {
	const char *name, *env, *configured, *want;
} store_cases[] = {
	{"store by default", NULL, NULL, "sqlite:/b/belfry.db"},
	{"store of the configuration", NULL, "postgres://db/x", "postgres://db/x"},
	{"store of the environment wins", "/e/x.db", "postgres://db/x", "sqlite:/e/x.db"},
	{"an empty environment is none", "", NULL, "sqlite:/b/belfry.db"},
	{"store relative to the current folder", "sqlite:x.db", NULL, "sqlite:T/x.db"},
	{"what is not a store is left to db_open", "mysql://x", NULL, "mysql://x"},
};
/* clang-format on */

static void set_env(const char *name, const char *value)
{
	AUTO(free) char *path = NULL;

	unsetenv(name);
	if (value && value[0] == 'T')
		path = mem_printf("%s%s", scratch, value + 1);
	if (value)
		setenv(name, path ? path : value, 1);
}

static void assert_path(const char *got, const char *want)
{
	const char *mark = strchr(want, 'T');
	AUTO(free)
	char *path =
		mark ? mem_printf("%.*s%s%s", (int)(mark - want), want, scratch, mark + 1) : NULL;

	assert_string_equal(got, path ? path : want);
}

static void clear_variables(void)
{
	static const char *const names[] = {
		"BELFRY_HOME",	     "XDG_CONFIG_HOME",	 "XDG_STATE_HOME",    "XDG_RUNTIME_DIR",
		"BELFRY_CONFIG_DIR", "BELFRY_STATE_DIR", "BELFRY_RUNTIME_DIR"};

	for (size_t i = 0; i < COUNT_OF(names); i++)
		set_env(names[i], NULL);
}

static void test_find(void **state)
{
	const struct find_case *c = *state;
	AUTO(home_free) struct home *h = NULL;
	AUTO(free) char *tmux = NULL;
	struct error err = {0};

	clear_variables();
	set_env("BELFRY_HOME", c->belfry);
	set_env("HOME", c->home);
	set_env("XDG_CONFIG_HOME", c->xdg_config);
	set_env("XDG_STATE_HOME", c->xdg_state);
	set_env("XDG_RUNTIME_DIR", c->xdg_runtime);
	if (home_find(&h, &err) < 0)
		fail_msg("%s", err.message);
	assert_path(h->config_file, c->config_file);
	assert_path(h->database, c->database);
	assert_path(h->socket, c->socket);
	/* Both are in the runtime folder. */
	tmux = home_tmux_socket(h);
	assert_memory_equal(tmux, h->socket, strlen(h->socket) - strlen("belfry.sock"));
	assert_string_equal(tmux + strlen(h->socket) - strlen("belfry.sock"), "tmux.sock");
	/* Whoever has the lock has the database: they lie together. */
	assert_int_equal(strlen(h->lock_file) - strlen("belfry.lock"),
			 strlen(h->database) - strlen("belfry.db"));
	assert_memory_equal(h->lock_file, h->database, strlen(h->database) - strlen("db"));
	assert_non_null(strstr(h->log_file, "/daemon.log"));
}

static void test_store_url(void **state)
{
	const struct store_case *s = *state;
	struct config c = {.store = (char *)s->configured};
	AUTO(home_free) struct home *h = NULL;
	AUTO(free) char *url = NULL, *without = NULL;
	struct error err = {0};

	set_env("BELFRY_HOME", "/b");
	set_env("BELFRY_STORE", s->env);
	assert_int_equal(home_find(&h, &err), 0);
	url = home_store_url(h, &c);
	assert_path(url, s->want);
	set_env("BELFRY_STORE", NULL);
	without = home_store_url(h, NULL);
	assert_string_equal(without, "sqlite:/b/belfry.db");
}

static void test_no_home_variable(void **state)
{
	const struct passwd *user = getpwuid(geteuid());
	AUTO(free) char *got = NULL, *again = NULL;
	struct error err = {0};

	(void)state;
	assert_non_null(user);
	set_env("HOME", NULL);
	assert_int_equal(path_home(&got, &err), 0);
	assert_string_equal(got, user->pw_dir);
	set_env("HOME", "relative");
	assert_int_equal(path_home(&again, &err), 0);
	assert_string_equal(again, user->pw_dir);
}

/* clang-format off */
static const struct told_case {
	const char *name, *variable, *value;
} told_cases[] = {
	{"A21: a child with another HOME finds an XDG home",      "XDG_STATE_HOME", "T/s"},
	{"A21: a child with another HOME finds a home of HOME",   "HOME",           "T/h"},
	{"A21: a child in another folder finds a relative home",  "BELFRY_HOME",    "here"},
};
/* clang-format on */

/* What one process tells its child leads to the same files, wherever that stands. */
static void test_told(void **state)
{
	const struct told_case *c = *state;
	AUTO(home_free) struct home *own = NULL, *child = NULL;
	AUTO(mem_free_list) char **told = NULL;
	struct error err = {0};

	clear_variables();
	set_env("HOME", "/h");
	set_env(c->variable, c->value);
	assert_int_equal(home_find(&own, &err), 0);
	told = home_environment(own);
	clear_variables();
	set_env("HOME", "/elsewhere");
	set_env("XDG_CONFIG_HOME", "/elsewhere/c");
	for (char **p = told; *p; p++)
		assert_int_equal(putenv(*p), 0);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(home_find(&child, &err), 0);
	assert_string_equal(child->config_file, own->config_file);
	assert_string_equal(child->database, own->database);
	assert_string_equal(child->socket, own->socket);
	assert_int_equal(chdir(scratch), 0);
	clear_variables();
}

/* A person who names another home means it. */
static void test_told_otherwise(void **state)
{
	AUTO(home_free) struct home *h = NULL;
	struct error err = {0};

	(void)state;
	clear_variables();
	set_env("BELFRY_CONFIG_DIR", "/a/c");
	set_env("BELFRY_STATE_DIR", "/a/s");
	set_env("BELFRY_RUNTIME_DIR", "/a/r");
	set_env("BELFRY_HOME", "/b");
	assert_int_equal(home_find(&h, &err), 0);
	assert_string_equal(h->database, "/b/belfry.db");
	clear_variables();
}

static void assert_private_folder(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
}

static void test_prepare(void **state)
{
	AUTO(home_free) struct home *h = NULL;
	struct error err = {0};

	(void)state;
	set_env("BELFRY_HOME", NULL);
	set_env("XDG_CONFIG_HOME", "T/c");
	set_env("XDG_STATE_HOME", "T/deep/s");
	set_env("XDG_RUNTIME_DIR", NULL);
	assert_int_equal(home_find(&h, &err), 0);
	assert_int_not_equal(access(h->state_dir, F_OK), 0);
	assert_int_equal(home_prepare(h, &err), 0);
	assert_int_equal(home_prepare(h, &err), 0);
	assert_private_folder(h->state_dir);
	assert_private_folder(h->runtime_dir);
	assert_int_not_equal(access(h->config_dir, F_OK), 0);
}

static void remove_scratch(void)
{
	static const char *const made[] = {"deep/s/belfry/run", "deep/s/belfry", "deep/s", "deep",
					   "."};

	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
		AUTO(free) char *path = mem_printf("%s/%s", scratch, made[i]);

		rmdir(made[i][0] == '.' ? scratch : path);
	}
}

int main(void)
{
	int failed;

	if (!mkdtemp(scratch) || chdir(scratch) < 0)
		return 1;
	add_table(test_find, find_cases);
	add_table(test_store_url, store_cases);
	add_row("home without HOME", test_no_home_variable, NULL);
	add_table(test_told, told_cases);
	add_row("A21: BELFRY_HOME comes before what a parent told", test_told_otherwise, NULL);
	add_row("folders are made, and private", test_prepare, NULL);
	failed = run_rows("home");
	remove_scratch();
	return failed;
}
