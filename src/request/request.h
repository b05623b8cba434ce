#pragma once
/*
 * The request table. A command is one row: its name, arguments, help, and the function. The control
 * socket, the CLI parser, --help, the man page and the completions all come from the row, so none
 * of them can disagree.
 *
 * Arguments arrive as one JSON object whose keys are the argument names with '-' as '_'
 * ("start_deadline"); texts stay as typed, and are read here, in one place for every surface.
 * Results are JSON; faces turn them into words for people.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "store/words.h"

enum request_arg_type {
	ARG_TEXT,     /* any text */
	ARG_BODY,     /* any text; the CLI reads "-" from standard input */
	ARG_MAIL,     /* text of any size; whoever runs the command reads "-", as a stream */
	ARG_WORDS,    /* words, joined by blanks; the last operand, given as often as one likes */
	ARG_FLAG,     /* present or not: JSON true */
	ARG_INT,      /* a whole number: JSON integer */
	ARG_CHOICE,   /* one of `choices` */
	ARG_TIME,     /* a point in time (phrase.h) */
	ARG_DURATION, /* a span (duration.h) */
	ARG_ZONE,
	ARG_AGENT,
	ARG_ROLE,     /* a name of roles/ */
	ARG_REMINDER, /* id, unique prefix or unique name */
	ARG_MESSAGE,
	ARG_MISSION,  /* id or unique prefix */
	ARG_CRON,     /* a name of config.yml's crons */
	ARG_TASK,     /* like a reminder */
	ARG_THREAD,   /* id of a thread or its mission, or unique prefix */
	ARG_LESSON,   /* id of a lesson */
	ARG_WORKFLOW, /* name of a workflow, or of one and a step of it */
	ARG_TOKEN,    /* id of a token */
	ARG_FILE,     /* a path, or "-" */
	ARG_LIST,     /* words separated by commas; programs may give a JSON array of texts */
	ARG_FILES,    /* paths, as a JSON array; the flag may be given several times */
};

struct request_arg {
	const char *name; /* "start-deadline": the long flag, or the operand's name */
	char letter;	  /* 'm', or 0 */
	enum request_arg_type type;
	const char *value;   /* what --help calls the value: "DURATION"; NULL for a flag */
	const char *help;    /* one line, lower case, no full stop */
	const char *choices; /* ARG_CHOICE: words separated by spaces */
	bool operand;	     /* given by position, not as a flag */
	bool required;
	bool for_people;  /* not an argument of the tool: what an agent must not choose itself */
	const char *also; /* the name it has in a related request, taken as well; or NULL */
	/*
	 * The last operand, of which several may be given, as a JSON array: the request is done for
	 * each of them, or for none, and the answer is {"results": [...]}. No argument of a tool.
	 */
	bool many;
};

/* Whether "" is a value of it. Of all others (times, numbers, ids, choices) it means "not given". */
static inline bool request_arg_may_be_empty(const struct request_arg *arg)
{
	switch (arg->type) {
	case ARG_TEXT:
	case ARG_BODY:
	case ARG_MAIL:
	case ARG_WORDS:
	case ARG_FILE:
	case ARG_LIST:
	case ARG_FILES:
		return true;
	default:
		return false;
	}
}

enum request_flags {
	REQUEST_READS = 1,  /* changes nothing */
	REQUEST_WRITES = 2, /* runs inside a savepoint of the turn */
	REQUEST_PURE = 4,   /* needs neither store nor daemon: the CLI runs it in its own process */
	REQUEST_LOCAL =
		8, /* a face's own work (streams, processes): no exec, cli/ has the function */
	REQUEST_HIDDEN = 16,   /* not in --help: a part of another command */
	REQUEST_ADMIN = 32,    /* only for the person at this machine: no run and no tool may */
	REQUEST_OWN = 64,      /* knows whose things are: other users may, and meet only theirs */
	REQUEST_HOOK = 128,    /* what the hooks of any user's client ask, whatever the trust */
	REQUEST_SECRET = 256,  /* its answer is nowhere but with who asked */
	REQUEST_ANYBODY = 512, /* tells a caller of itself: open to all */
	REQUEST_WINDOW = 1024  /* only for the first process of a live agent's window */
};

/* By which door a request came. */
enum surface { SURFACE_CLI, SURFACE_MCP, SURFACE_HOOK };

/*
 * Who asks. Worked out by the daemon from how the asking process was started or from its token
 * (caller.h), never from the arguments of the request. Texts are borrowed.
 */
struct caller_process;
struct caller {
	enum surface surface;
	const char *login; /* the machine's name for the user whose process asks; NULL: not known */
	struct caller_process *process; /* which one asks, by the kernel; NULL: not known */
	bool lent; /* below a command that Belfry runs for somebody: never the person themselves */
	/* It has ended, or something of Belfry's left it over: it may be anybody's, so it is nobody's. */
	bool unknown;
	const char *user; /* "me": the person at this machine; never NULL */
	enum trust trust; /* in that user, now */
	/* It sees and changes only what belongs to its user. False: all of it, as the person at the command
	 * line does. */
	bool scoped;
	const char *session; /* the conversation it asks from, as its client calls it; NULL: none */
	const char *session_refused; /* one that it named, and that is not its run's; NULL: none */
	bool bound;		     /* a token says that session, not its holder */
	bool session_known;	/* it is its user's: by a hook, a token, or an address of theirs */
	bool may_learn;		/* hooks of its client may still tell who it is */
	const char *transcript; /* the file of that; NULL: not known */
	const char *agent;	/* the agent that asks; NULL: a person, or none that we know */
	const char *mission;	/* the id of the mission whose run asks; NULL: none */
	int64_t mission_key;	/* of that; 0 */
	const char *zone;	/* of its user in config.yml; NULL: not given */
};

struct engine;
struct request {
	struct engine *engine; /* NULL for REQUEST_PURE */
	usec_t now;
	bool scheduler_running;	  /* a daemon will fire what is saved */
	struct caller caller;	  /* who asks */
	const char *zone;	  /* the asking process's own zone (its $TZ), or NULL */
	const char *home;	  /* where its files are, for status */
	const char *config_error; /* what is wrong with a config.yml that changed, or NULL */
	const char *store;	  /* "sqlite:PATH", or "postgres://…" with its password */
	const char *other_store;  /* that is set by now, and not used; likewise; NULL */
	const char *http;	  /* the address of /mcp, or NULL: it is off */
	const char *http_error;	  /* why it is off although config.yml wants it, or NULL */
	usec_t uptime;		  /* since the daemon started, 0 without one */
	size_t missions;	  /* that run and would be stopped with the daemon */
	const char *trouble;	  /* why nothing fires just now: what the store cannot do; NULL */
	const char *trouble_hint;
	usec_t trouble_since;
};

typedef int request_exec(const struct request *rq, const json_t *args, json_t **ret,
			 struct error *err);

/* A row that agents may use as a tool of MCP. */
enum tool_hints {
	TOOL_READS = 1,	     /* changes nothing */
	TOOL_DESTROYS = 2,   /* may take something away */
	TOOL_IDEMPOTENT = 4, /* the same call again changes nothing more */
	TOOL_OUTSIDE = 8,    /* reaches beyond Belfry: people, other agents */
	/* Not for the model: without these the tool could only fail, so it is not offered. */
	TOOL_IN_SESSION = 16, /* of a session */
	TOOL_AS_AGENT = 32,   /* by an agent of config.yml */
	TOOL_HEARD = 64,      /* by whoever an answer could reach */
};
struct request_tool {
	const char *name;	 /* "schedule_list" */
	const char *title;	 /* "List scheduled tasks" */
	const char *description; /* for a model: what it does, when to use it, what to mind */
	enum trust trust;	 /* the least that is needed */
	unsigned hints;
	const char *output; /* JSON Schema of the result, as text; its type is object */
	/* The result in words, for a model that reads only text; its beginning is also the `summary` of what
	 * is structured, which `output` need not name. */
	void (*say)(const json_t *result, struct buf *out);
};

struct request_row {
	const char *name;		/* "reminder add" */
	const char *summary;		/* one line, lower case, no full stop */
	const char *details;		/* paragraphs for --help and the man page, or NULL */
	const char *examples;		/* lines "belfry …  # why", or NULL */
	const struct request_arg *args; /* ends with a NULL name */
	unsigned flags;
	request_exec *exec; /* NULL for REQUEST_LOCAL */
	/* As a tool: its input is `args`, whose help a model reads; NULL: it is none. */
	const struct request_tool *tool;
};

extern const struct request_row *const request_rows[]; /* ends with NULL; in order for --help */
const struct request_row *request_find(const char *name);
/* By the name of its tool; NULL when there is none. */
const struct request_row *request_find_tool(const char *name);
/* {"tools": names} of those that can work for this caller. `client`: what its program calls itself, or NULL. */
json_t *request_tools_for(const struct caller *c, const char *client);

/*
 * Check arguments against the row (unknown, missing, wrong type: ERR_INVALID) and run it. "" where it cannot
 * be a value, and for whatever a tool can do without, is not given; 3.0 and "3" are whole numbers.
 */
int request_run(const struct request_row *row, const struct request *rq, const json_t *args,
		json_t **ret, struct error *err);

/*
 * The same, once for each `id` of a caller (NULL: every time): who asks again, having lost the answer, gets
 * that, and nothing is done a second time. *ret_earlier is whether it was done before. Ids are remembered for an hour,
 * of very many the newest.
 */
int request_run_once(const struct request_row *row, const struct request *rq, const char *id,
		     const json_t *args, json_t **ret, bool *ret_earlier, struct error *err);
