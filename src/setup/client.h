#pragma once
/*
 * The clients we can be set up in: which files they read, and what Belfry needs to be in them.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/json.h"
#include "config/home.h"

enum item_kind {
	ITEM_SERVER, /* the MCP server, a member of an object */
	ITEM_RULE,   /* a text in a list */
	ITEM_OPTION, /* a member that is only of use where its object is */
	ITEM_ASK,    /* a tool that is to be asked for, unless the person has a word about it */
	ITEM_HOOK,   /* a command at an event */
	ITEM_TABLE,  /* the MCP server in TOML */
	ITEM_AGENT,  /* an agent in Belfry's own config.yml */
	ITEM_FILE,   /* a file that has nothing else in it */
};
#define PATH_KEYS 4
/* One thing that is to be in a file. */
struct item {
	enum item_kind kind;
	size_t file;			 /* of the plan's */
	const char *path[PATH_KEYS + 1]; /* keys to the member, or to the list */
	char *name;			 /* for people and for the record: "hooks.Stop" */
	json_t *value;
	const char *event; /* ITEM_HOOK */
	const char *text;  /* ITEM_FILE */
	bool retired;	   /* no more: taken out where an earlier setup put it in */
};
enum file_form { FILE_JSON, FILE_TOML, FILE_YAML, FILE_OWN };
/* The begin of a file of our own. */
#define OWN_MARK "# Written by 'belfry setup"
struct plan_file {
	char *path;
	enum file_form form;
	bool is_private;
};

struct client {
	const char *name, *title; /* "claude", "Claude Code" */
	const char *program;	  /* as it is called */
	const char *mcp_name;	  /* as it calls itself to `belfry mcp` */
	const char *note;	  /* what has to be known besides; NULL */
	const char *hook_flags;	  /* further words of `belfry hook EVENT`; "" */
	bool has_hooks;
};
extern const struct client setup_clients[]; /* ends with a NULL name */
const struct client *client_find(const char *name);

/*
 * Tools that a client may use without asking each time: they read, tell the person something, or touch what is
 * the caller's own. Those that start or steer an agent, have one started later with its own rights, or take away
 * what somebody else has set, are not among them: what a page talks a model into must not. X(name)
 */
#define SETUP_TOOLS(X)                                                                             \
	X(board_set)                                                                               \
	X(board_show)                                                                              \
	X(condition_report)                                                                        \
	X(get_lesson)                                                                              \
	X(get_workflow_step)                                                                       \
	X(inbox_replies)                                                                           \
	X(message_send)                                                                            \
	X(mission_list)                                                                            \
	X(mission_result)                                                                          \
	X(reminder_complete)                                                                       \
	X(schedule_list)                                                                           \
	X(schedule_preview)                                                                        \
	X(set_reminder_boundary)
extern const char *const setup_tools[]; /* ends with NULL */
/* Those others: they start, steer, schedule or cancel. What asks for nothing by itself is told to ask for these. */
#define SETUP_ASKED(X)                                                                             \
	X(agent_send)                                                                              \
	X(mission_run)                                                                             \
	X(reminder)                                                                                \
	X(schedule)                                                                                \
	X(schedule_cancel)                                                                         \
	X(schedule_edit)
extern const char *const setup_asked[]; /* ends with NULL */

/* What is to be where. */
struct plan {
	const struct client *client;
	bool project;
	bool runs;	     /* agents may be started and scheduled without asking */
	const char *program; /* borrowed */
	struct plan_file *files;
	struct item *items;
	size_t file_count, item_count;
};
/* config: config.yml; an agent in it is part of the plan of --user. */
int plan_make(const struct client *client, bool project, bool runs, const char *program,
	      const char *config_file, struct plan **ret, struct error *err);
void plan_free(struct plan *p);
DEFINE_AUTO(struct plan, plan_free)
