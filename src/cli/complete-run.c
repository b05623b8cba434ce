/*
 * complete-run.c: completion in the real world: names that only this machine knows.
 * Pressing Tab must be fast and change nothing: agents come from config.yml, reminders and messages
 * from a daemon if one runs (and agents that only a start with a role declared), and nothing is
 * started or created for them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/client.h"
#include "cli/complete.h"
#include "cli/view.h"
#include "config/config.h"
#include "config/library.h"

#define ANSWER_MS 500
#define ZONE_TABLE "/usr/share/zoneinfo/zone1970.tab"
#define ZONE_TABLE_MAX ((size_t)1024 * 1024)

static void add_described(struct completion *c, const char *word, const char *about)
{
	AUTO_BUF struct buf help = {0}, line = {0};

	visible_line(&line, about ? about : "");
	text_cut(&help, buf_text(&line), 50);
	completion_add(c, word, buf_text(&help));
}

/* What a running daemon answers; NULL: none does. */
static json_t *ask(const struct home *h, const char *request, const json_t *args)
{
	AUTO(client_free) struct client *client = NULL;
	json_t *result = NULL;
	struct error err = {0};

	if (client_connect(h, &client, &err) <= 0)
		return NULL;
	/* Whoever presses Tab does not wait for a daemon that hangs. */
	client_patience(client, ANSWER_MS);
	if (client_send(client, request, args, NULL, &err) < 0 ||
	    client_receive(client, &result, &err) < 0)
		return NULL;
	return result;
}

static void add_started(struct completion *c, const struct home *h, const struct config *config)
{
	AUTO(json_decref) json_t *result = ask(h, "agent list", NULL);
	const json_t *rows = json_object_get(result, "agents");

	for (size_t i = 0; i < json_array_size(rows); i++) {
		const char *name = view_text(json_array_get(rows, i), "name");
		struct error unknown = {0};

		if (!config_agent(config, name, &unknown))
			completion_add(c, name, NULL);
	}
}

static void add_agents(struct completion *c, const struct home *h)
{
	AUTO(config_free) struct config *config = NULL;
	struct error err = {0};

	if (config_load(h->config_file, &config, &err) < 0)
		return;
	for (size_t i = 0; i < config->agent_count; i++)
		completion_add(c, config->agents[i].name, NULL);
	add_started(c, h, config);
}

static void add_roles(struct completion *c, const struct home *h)
{
	AUTO(config_free) struct config *config = NULL;
	struct error err = {0};

	if (config_load(h->config_file, &config, &err) < 0)
		return;
	for (size_t i = 0; i < config->role_count; i++)
		add_described(c, config->roles[i].name, config->roles[i].description);
}

static void add_crons(struct completion *c, const struct home *h)
{
	AUTO(config_free) struct config *config = NULL;
	struct error err = {0};

	if (config_load(h->config_file, &config, &err) < 0)
		return;
	for (size_t i = 0; i < config->cron_count; i++)
		add_described(c, config->crons[i].name, config->crons[i].description);
}

static void add_pages(struct completion *c, const struct library *l)
{
	for (size_t i = 0; i < l->count; i++)
		add_described(c, l->pages[i].id, l->pages[i].title);
}

static void add_lessons(struct completion *c, const struct home *h)
{
	AUTO_LIBRARY struct library all = {0};
	struct error err = {0};

	library_lessons(h->config_dir, false, &all, &err);
	add_pages(c, &all);
}

/* The workflows, each with its steps. */
static void add_workflows(struct completion *c, const struct home *h)
{
	AUTO_LIBRARY struct library all = {0};
	struct error err = {0};

	library_workflows(h->config_dir, false, &all, &err);
	add_pages(c, &all);
	for (size_t i = 0; i < all.count; i++) {
		AUTO_PAGE struct library_page page = {0};
		AUTO_LIBRARY struct library steps = {0};

		if (library_workflow(h->config_dir, all.pages[i].id, &page, &steps, &err) == 0)
			add_pages(c, &steps);
	}
}

/* One page is enough for whoever presses Tab; brief, where the request can be. A name is as good. */
static void add_listed(struct completion *c, const struct home *h, const char *request, bool brief,
		       const char *key, const char *help_key)
{
	AUTO(json_decref) json_t *args = brief ? json_pack("{s:b}", "brief", 1) : NULL;
	AUTO(json_decref) json_t *result = ask(h, request, args);
	const json_t *items = json_object_get(result, key);

	for (size_t i = 0; i < json_array_size(items); i++) {
		const json_t *item = json_array_get(items, i);
		const char *name = view_text(item, "name");
		const char *id = view_text(item, "id"), *help = view_text(item, help_key);

		if (text_is_name(name))
			add_described(c, name, *help ? help : id);
		add_described(c, id, *name ? name : help);
	}
}

/* Lines of "codes<TAB>coordinates<TAB>Europe/Berlin<TAB>remarks". */
static void add_zones(struct completion *c)
{
	AUTO_BUF struct buf text = {0};
	struct error err = {0};
	char *save = NULL;

	if (file_read(ZONE_TABLE, ZONE_TABLE_MAX, &text, &err) < 0)
		return;
	for (char *l = strtok_r(text.data, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		char *fields = NULL, *name = NULL;

		if (*l != '#' && strtok_r(l, "\t", &fields) && strtok_r(NULL, "\t", &fields))
			name = strtok_r(NULL, "\t", &fields);
		if (name)
			completion_add(c, name, NULL);
	}
	completion_add(c, "UTC", NULL);
}

static void add_wanted(struct completion *c, const struct home *h)
{
	switch (c->wants->type) {
	case ARG_AGENT:
		add_agents(c, h);
		break;
	case ARG_ROLE:
		add_roles(c, h);
		break;
	case ARG_REMINDER:
		add_listed(c, h, "reminder list", true, "reminders", "message");
		break;
	case ARG_MESSAGE:
		add_listed(c, h, "queue list", false, "messages", "body");
		break;
	case ARG_CRON:
		add_crons(c, h);
		break;
	case ARG_TASK:
		add_listed(c, h, "task list", false, "tasks", "prompt");
		break;
	case ARG_MISSION:
		add_listed(c, h, "mission ls", true, "missions", "prompt");
		break;
	case ARG_THREAD:
		add_listed(c, h, "inbox list", false, "threads", "title");
		break;
	case ARG_ZONE:
		add_zones(c);
		break;
	case ARG_LESSON:
		add_lessons(c, h);
		break;
	case ARG_WORKFLOW:
		add_workflows(c, h);
		break;
	case ARG_TOKEN:
		add_listed(c, h, "token ls", false, "tokens", "label");
		break;
	case ARG_FILE:
	case ARG_FILES:
		buf_add_str(&c->out, ":files\n");
		break;
	default:
		break;
	}
}

void complete_run(const struct request_row *const *rows, const char *const *words, size_t count)
{
	AUTO_COMPLETION struct completion c = {0};
	AUTO(home_free) struct home *h = NULL;
	struct error err = {0};

	complete_words(rows, words, count, &c);
	if (c.wants && home_find(&h, &err) == 0)
		add_wanted(&c, h);
	fputs(buf_text(&c.out), stdout);
}

/* clang-format off */
static const char bash_script[] =
	"# bash completion for belfry\n"
	"_belfry() {\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} line\n"
	"\tif [[ $cur == = ]]; then cur=; fi\n"
	"\tCOMPREPLY=()\n"
	"\twhile IFS= read -r line; do\n"
	"\t\tif [[ $line == :files ]]; then\n"
	"\t\t\tcompopt -o filenames\n"
	"\t\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
	"\t\telse\n"
	"\t\t\tCOMPREPLY+=(\"${line%%$'\\t'*}\")\n"
	"\t\tfi\n"
	"\tdone < <(\"${COMP_WORDS[0]}\" complete-words \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
	"}\n"
	"complete -F _belfry belfry\n";

static const char zsh_script[] =
	"#compdef belfry\n"
	"_belfry() {\n"
	"\tlocal line\n"
	"\tlocal -a described\n"
	"\tfor line in \"${(@f)$(\"${words[1]}\" complete-words \"${(@)words[2,CURRENT]}\" 2>/dev/null)}\"; do\n"
	"\t\tif [[ $line == :files ]]; then\n"
	"\t\t\t_files\n"
	"\t\t\treturn\n"
	"\t\tfi\n"
	"\t\t[[ -n $line ]] && described+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\")\n"
	"\tdone\n"
	"\t_describe belfry described\n"
	"}\n"
	"if [[ $funcstack[1] == _belfry ]]; then\n"
	"\t_belfry \"$@\"\n"
	"else\n"
	"\tcompdef _belfry belfry\n"
	"fi\n";

static const char fish_script[] =
	"# fish completion for belfry\n"
	"function __belfry_complete\n"
	"\tset -l words (commandline -opc)\n"
	"\tfor line in (belfry complete-words $words[2..-1] (commandline -ct) 2>/dev/null)\n"
	"\t\tif test \"$line\" = ':files'\n"
	"\t\t\t__fish_complete_path (commandline -ct)\n"
	"\t\telse\n"
	"\t\t\techo $line\n"
	"\t\tend\n"
	"\tend\n"
	"end\n"
	"complete -c belfry -f -a '(__belfry_complete)'\n";
/* clang-format on */

const char *complete_script(const char *shell)
{
	if (strcmp(shell, "bash") == 0)
		return bash_script;
	if (strcmp(shell, "zsh") == 0)
		return zsh_script;
	return strcmp(shell, "fish") == 0 ? fish_script : NULL;
}
