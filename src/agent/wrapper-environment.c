/*
 * wrapper-environment.c: what an agent finds around it.
 * Three layers, the later ones win: what is let through of what we inherited and how to find this home, what
 * config.yml says of the agent, and what a run must have. What is let through is declared: a daemon has the
 * whole environment of whichever shell happened to start it, and none of it when systemd did. An agent that calls `belfry` must reach the daemon that runs
 * it, by the very program that runs it, whatever its PATH and HOME are.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/wrapper-parts.h"
#include "base/file.h"
#include "base/mem.h"

#define PROGRAM_NAME "belfry"
#define DEFAULT_PATH "/bin:/usr/bin" /* execvp()'s own, when there is no PATH */

static bool is_set_in(const char *own, char *const *list)
{
	size_t len = strcspn(own, "=") + 1;

	for (; list && *list; list++)
		if (strncmp(own, *list, len) == 0)
			return true;
	return false;
}

char **environment_with(char *const *base, char *const *added)
{
	size_t count = 0, n = 0;
	char **all;

	for (char *const *p = base; p && *p; p++)
		count++;
	for (char *const *p = added; p && *p; p++)
		count++;
	all = mem_array(count + 1, sizeof(*all));
	for (char *const *p = base; p && *p; p++)
		if (!is_set_in(*p, added))
			all[n++] = *p;
	for (char *const *p = added; p && *p; p++)
		all[n++] = *p;
	return all;
}

static const char *value_in(char *const *list, const char *name)
{
	size_t len = strlen(name);

	for (; list && *list; list++)
		if (strncmp(*list, name, len) == 0 && (*list)[len] == '=')
			return *list + len + 1;
	return NULL;
}

/* 1: it is there and can be run; 0: nothing there. */
static bool find_in(const char *folder, size_t len, const char *name, struct stat *ret)
{
	AUTO(free) char *file = mem_printf("%.*s/%s", (int)len, folder, name);

	return stat(file, ret) == 0 && S_ISREG(ret->st_mode) && access(file, X_OK) == 0;
}

bool path_leads_to(const char *path, const char *name, const char *program)
{
	struct stat wanted, found;

	if (stat(program, &wanted) < 0)
		return false;
	for (const char *p = path;; p++) {
		size_t len = strcspn(p, ":");

		/* A folder that depends on where one stands could have anything. */
		if (*p != '/')
			return false;
		if (find_in(p, len, name, &found))
			return found.st_dev == wanted.st_dev && found.st_ino == wanted.st_ino;
		p += len;
		if (!*p)
			return false;
	}
}

static bool needs_bin(const struct wrapper *w, const char *path)
{
	const char *program = w->place->program;

	return program && access(program, X_OK) == 0 && !path_leads_to(path, PROGRAM_NAME, program);
}

/* Its client gets ours with its settings (hooks.c), so those of a plugin need not tell the same. */
static bool has_hooks(const struct order *o)
{
	return o->interactive && o->adapter && o->adapter->live.hooks;
}

/* --- what is let through --- */

/* clang-format off */
/* What any program needs to run as the person does. */
static const char *const basic[] = {
	"HOME", "PATH", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TZDIR", "TMPDIR", "PWD",
	"TERM", "COLORTERM", "BELFRY_*", "LD_LIBRARY_PATH", NULL,
};
/* Where its things are, how it gets out, and with which key its client signs in. */
static const char *const usual[] = {
	"XDG_*", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy",
	"all_proxy", "SSL_CERT_*", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "GIT_SSL_*",
	"EDITOR", "VISUAL", "NVM_*", "VOLTA_HOME", "NPM_CONFIG_PREFIX", "CARGO_HOME", "RUSTUP_HOME", "GOPATH",
	"JAVA_HOME", "NIX_*", "LOCALE_ARCHIVE",
	"ANTHROPIC_*", "CLAUDE_*", "OPENAI_*", "CODEX_*", "GEMINI_*", "GOOGLE_*", "OPENCODE_*", "OPENROUTER_*",
	"MISTRAL_*", "AZURE_*", "AWS_*", NULL,
};
/* clang-format on */

static bool fits(const char *pattern, size_t len, const char *variable)
{
	size_t name = strcspn(variable, "=");

	if (len && pattern[len - 1] == '*')
		return name >= len - 1 && strncmp(pattern, variable, len - 1) == 0;
	return name == len && strncmp(pattern, variable, len) == 0;
}

static bool is_among(const char *const *patterns, const char *variable)
{
	for (; *patterns; patterns++)
		if (fits(*patterns, strlen(*patterns), variable))
			return true;
	return false;
}

/* `more`: "NAME,PREFIX_*" */
static bool is_named(const char *more, const char *variable)
{
	while (*more) {
		size_t len = strcspn(more, ",");

		if (fits(more, len, variable))
			return true;
		more += len + (more[len] == ',');
	}
	return false;
}

/* The texts are borrowed, the array is not. */
static char **let_through(char *const *all, const char *spec)
{
	bool everything = strcmp(spec, "all") == 0, little = strcmp(spec, "none") == 0;
	size_t count = 0, n = 0;
	char **list;

	while (all[count])
		count++;
	list = mem_array(count + 1, sizeof(*list));
	for (; *all; all++)
		if (everything || is_among(basic, *all) ||
		    (!little && (is_among(usual, *all) || is_named(spec, *all))))
			list[n++] = *all;
	return list;
}

/* What config.yml says, else what whoever started us says. */
static const char *inherit_of(const struct order *o)
{
	const char *said = value_in(o->environment, "BELFRY_INHERIT");

	if (!said)
		said = getenv("BELFRY_INHERIT");
	return said ? said : "";
}

void wrapper_make_environment(struct wrapper *w)
{
	char **own = let_through(environ, inherit_of(w->order));
	char **base = environment_with(own, w->place->environment);
	char **inherited = environment_with(base, w->order->environment);
	const char *path = value_in(inherited, "PATH");
	size_t n = 0;

	if (!path || !*path)
		path = DEFAULT_PATH;
	w->own[n++] = mem_printf("BELFRY_MISSION_ID=%s", w->order->mission);
	w->own[n++] = mem_printf("BELFRY_RUN=%s", w->run);
	w->own[n++] = mem_printf("BELFRY_WORKSPACE=%s", w->workspace);
	/* Whoever asks it where they are must not be told where the daemon is. */
	w->own[n++] =
		mem_printf("PWD=%s", w->order->directory ? w->order->directory : w->workspace);
	/* Always said: the daemon may have been started by an agent that has them. */
	w->own[n++] = mem_printf("BELFRY_HOOKS=%s", has_hooks(w->order) ? "settings" : "");
	if (needs_bin(w, path)) {
		w->bin = mem_printf("%s/bin", w->mission);
		w->own[n++] = mem_printf("PATH=%s:%s", w->bin, path);
	}
	w->environment = environment_with(inherited, w->own);
	free(inherited);
	free(base);
	free(own);
}

int wrapper_make_bin(const struct wrapper *w, struct error *err)
{
	AUTO(free) char *link = mem_printf("%s/" PROGRAM_NAME, w->bin ? w->bin : "");
	int r;

	if (!w->bin)
		return 0;
	r = dir_make_private(w->bin, err);
	if (r < 0)
		return r;
	/* Runs of one mission come one after another, so nobody else is at it. */
	unlink(link);
	if (symlink(w->place->program, link) < 0)
		return error_set_errno(err, errno, "cannot make '%s'", link);
	return 0;
}
