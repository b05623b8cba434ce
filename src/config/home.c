/*
 * home.c: from the environment to the paths of everything we keep.
 * Every process of one person must come to the same answer, or the command line would miss a daemon
 * that runs. So what the XDG rules call invalid (empty, relative) is ignored as they ask, and a
 * runtime folder that is not ours, as after `su`, is not used either.
 */
#include "config/home.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "config/config.h"
#include "config/path.h"

#define CONFIG_VARIABLE "BELFRY_CONFIG_DIR"
#define STATE_VARIABLE "BELFRY_STATE_DIR"
#define RUNTIME_VARIABLE "BELFRY_RUNTIME_DIR"

static const char *env_text(const char *name)
{
	const char *value = getenv(name);

	return value && value[0] ? value : NULL;
}

/* $variable/belfry, or ~/fallback/belfry when the variable is unset or relative. */
static int xdg_folder(const char *variable, const char *fallback, char **ret, struct error *err)
{
	const char *value = env_text(variable);
	AUTO(free) char *home = NULL, *base = NULL;
	int r;

	if (value && value[0] == '/')
		return path_absolute("belfry", value, ret, err);
	r = path_home(&home, err);
	if (r < 0)
		return r;
	base = mem_printf("%s/%s", home, fallback);
	return path_absolute("belfry", base, ret, err);
}

static bool is_own_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

static int xdg_runtime(const char *state_dir, char **ret, struct error *err)
{
	const char *value = env_text("XDG_RUNTIME_DIR");

	if (value && value[0] == '/' && is_own_folder(value))
		return path_absolute("belfry", value, ret, err);
	return path_absolute("run", state_dir, ret, err);
}

/* All three or none: halves of two homes would be no home. */
static bool told_folders(struct home *h)
{
	const char *config = env_text(CONFIG_VARIABLE), *state = env_text(STATE_VARIABLE),
		   *runtime = env_text(RUNTIME_VARIABLE);

	if (!config || !state || !runtime || config[0] != '/' || state[0] != '/' ||
	    runtime[0] != '/')
		return false;
	h->config_dir = mem_strdup(config);
	h->state_dir = mem_strdup(state);
	h->runtime_dir = mem_strdup(runtime);
	return true;
}

static int find_folders(struct home *h, struct error *err)
{
	const char *own = env_text("BELFRY_HOME");
	int r;

	if (own) {
		r = path_absolute(own, NULL, &h->config_dir, err);
		if (r < 0)
			return error_prefix(err, "BELFRY_HOME");
		h->state_dir = mem_strdup(h->config_dir);
		h->runtime_dir = mem_strdup(h->config_dir);
		h->whole = true;
		return 0;
	}
	if (told_folders(h))
		return 0;
	r = xdg_folder("XDG_CONFIG_HOME", ".config", &h->config_dir, err);
	if (r >= 0)
		r = xdg_folder("XDG_STATE_HOME", ".local/state", &h->state_dir, err);
	if (r >= 0)
		r = xdg_runtime(h->state_dir, &h->runtime_dir, err);
	return r;
}

static char *inside(const char *folder, const char *name)
{
	return mem_printf("%s/%s", strcmp(folder, "/") == 0 ? "" : folder, name);
}

int home_find(struct home **ret, struct error *err)
{
	AUTO(home_free) struct home *h = mem_zalloc(sizeof(*h));
	int r = find_folders(h, err);

	if (r < 0)
		return r;
	h->config_file = inside(h->config_dir, "config.yml");
	h->database = inside(h->state_dir, "belfry.db");
	h->lock_file = inside(h->state_dir, "belfry.lock");
	h->log_file = inside(h->state_dir, "daemon.log");
	h->socket = inside(h->runtime_dir, "belfry.sock");
	*ret = steal_ptr(&h);
	return 0;
}

char **home_environment(const struct home *h)
{
	char **list = mem_array(4, sizeof(*list));

	if (h->whole) {
		list[0] = mem_printf("BELFRY_HOME=%s", h->state_dir);
		return list;
	}
	list[0] = mem_printf(CONFIG_VARIABLE "=%s", h->config_dir);
	list[1] = mem_printf(STATE_VARIABLE "=%s", h->state_dir);
	list[2] = mem_printf(RUNTIME_VARIABLE "=%s", h->runtime_dir);
	return list;
}

int home_prepare(const struct home *h, struct error *err)
{
	int r = dir_make_private(h->state_dir, err);

	return r < 0 ? r : dir_make_private(h->runtime_dir, err);
}

void home_free(struct home *h)
{
	if (!h)
		return;
	free(h->config_dir);
	free(h->state_dir);
	free(h->runtime_dir);
	free(h->config_file);
	free(h->database);
	free(h->lock_file);
	free(h->socket);
	free(h->log_file);
	free(h);
}

char *home_tmux_socket(const struct home *h)
{
	return inside(h->runtime_dir, "tmux.sock");
}

char *home_store_url(const struct home *h, const struct config *c)
{
	const char *wanted = env_text("BELFRY_STORE");
	struct error err = {0};
	char *url = NULL;

	if (!wanted && c)
		wanted = c->store;
	if (!wanted)
		return mem_printf("sqlite:%s", h->database);
	/* What cannot be read goes on as it is: db_open() is the one to refuse it, with its name.
	 */
	return path_store_url(wanted, NULL, &url, &err) < 0 ? mem_strdup(wanted) : url;
}
