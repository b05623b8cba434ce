#pragma once
/*
 * An adapter says how a kind of agent is run: argv templates, how its conversation is named, and
 * how its answer is read back. It is data: built-in rows for claude, codex, gemini, opencode and
 * command, each of which config.yml may override or add to.
 *
 * In a template "{session}" and "{prompt}" are replaced wherever they stand in a word; a word that
 * is "{args}" becomes the agent's own arguments, none, one or many. A template without "{prompt}"
 * gets the prompt on standard input, which has no limit and needs no quoting. A word that is
 * "{prompt}" and nothing else is left out when there is no prompt. "{hooks}" is the file that has the
 * agent's hooks; a word with it is left out when there is none. "{may}" is the file that lets the
 * agent write to the person: adapter_may(). A word "--option={prompt}" is left out like "{prompt}".
 * Words are arguments, never a shell line.
 *
 * A word that is "{role}" becomes the adapter's words for instructions, when there are any. Where a
 * template has no such word, or the adapter no such words, instructions come before the prompt of a
 * new conversation: adapter_prompt().
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"

enum adapter_use { /* which template */
		   USE_HEADLESS,
		   USE_RESUME, /* go on with a conversation, headless */
		   USE_INTERACTIVE,
		   USE_RESUME_INTERACTIVE,
		   USE_COUNT
};
enum adapter_session {
	SESSION_NONE,	/* it has no conversations that can be continued */
	SESSION_CHOSEN, /* we choose a UUID and tell it */
	SESSION_READ,	/* it chooses, and says so in its output */
};
enum adapter_output {
	OUTPUT_TEXT,  /* standard output is the answer */
	OUTPUT_JSON,  /* the last JSON object on standard output that has any of the paths */
	OUTPUT_LINES, /* one JSON object a line: each path takes the last line that has it */
};

/* How a live one is watched and typed to. Patterns are extended regular expressions on one line. */
struct adapter_live {
	char *busy; /* a line that is on its screen, or its title, only while it works; NULL: none */
	char *blocked; /* the same of a line, or a title, while it asks something; NULL: none */
	char *input;   /* the line that one types in, what is typed being its first group; NULL */
	char *hooks;   /* which hooks it has: "claude"; NULL: none */
	char *transcript; /* the file that grows while it works, with {session}; NULL: none */
	const char
		*holds; /* the path of such a file that it holds open, for fnmatch(); NULL: none */
	bool paste;	/* it takes a bracketed paste: several lines are one message */
	usec_t quiet;	/* silent for so long: idle, when nothing better is known */
	const char *interrupt; /* the key that ends a turn and leaves it alive; NULL: none does */
	bool forgets; /* such a key there is, but a turn that it ends was never said: `interrupt` is NULL */
	/* Only of built-in ones: */
	const char *decline;	 /* the key that turns a question down; NULL: `interrupt` does */
	const char *placeholder; /* what an empty input line says, as a pattern; NULL: nothing */
	const char *frame; /* the input line is in a box: the line below that; NULL: it is not */
	/* A line of every question that is known to survive `interrupt`; no key is pressed at others.
	 * NULL: all do, but what is `fatal`. */
	const char *survives;
	const char *fatal; /* a line of a question which `decline` would end it by; NULL: none */
	bool is_modal; /* a question stands where the input line was: one that is above it is old */
	bool twice;    /* `interrupt` is asked for a second time */
	bool whole;    /* a long text is pasted, behind its mark: it may not read files elsewhere */
	bool early; /* it shows a prompt before it has asked its model, and forgets it when it ends then */
};

/* The words of `interrupt`, for config.yml: "none", "esc", "ctrl-c"; ends with NULL. */
extern const char *const adapter_key_words[];
/* The key of such a word, by its number; NULL: none. */
const char *adapter_key(int word);

struct adapter {
	char *name;
	char **templates[USE_COUNT]; /* NULL-terminated argv each; NULL: it cannot */
	enum adapter_session session;
	enum adapter_output output;
	/*
	 * Where things are in a JSON object, as "a.b" paths, "a.0.b" for an array; NULL: nowhere.
	 * A path may begin with a filter: "type=result:total_cost_usd".
	 */
	char *session_path, *answer_path, *error_path, *cost_path; /* error: true, or a text */
	bool cost_total; /* the cost it tells is of the whole conversation, not of the run */
	/*
	 * Tool calls that were denied. A path to a list of them ("tool_name", "tool_input"), or the
	 * pattern of a line that tells of one, the tool being its first group: of standard output
	 * when that is lines, else of standard error. NULL: it does not tell.
	 */
	char *denials_path, *denial_line;
	/*
	 * The text of the file that "{may}" names, and a folder of the person's own files of that
	 * kind, below their home: ours would take their place, so both are named. NULL: none.
	 */
	char *may, *may_beside;
	/* Words that carry a role's instructions, with "{instructions}"; NULL: they are a prompt. */
	char **instructions;
	struct adapter_live live;
};

/* Words of the enums, for config.yml and orders: "none chosen read", "text json lines". */
const char *adapter_session_word(enum adapter_session s);
int adapter_session_of(const char *word); /* -1: no such word */
const char *adapter_output_word(enum adapter_output o);
int adapter_output_of(const char *word);
/* The same as lists that end with NULL: headless resume interactive resume_interactive. */
extern const char *const adapter_use_words[USE_COUNT + 1];
extern const char *const adapter_session_words[], *const adapter_output_words[];

/* The built-in adapters, as fresh copies: NULL when there is none of that name. */
struct adapter *adapter_built_in(const char *name);
extern const char *const adapter_names[]; /* ends with NULL */
/*
 * The adapter of an agent with a command of its own. Its answer is its output. When "{session}" is
 * among its words it has conversations: the same command goes on with one.
 */
struct adapter *adapter_of_command(char *const *command);
struct adapter *adapter_copy(const struct adapter *a);
void adapter_free(struct adapter *a);
DEFINE_AUTO(struct adapter, adapter_free)

/*
 * Fill a template. Success: *ret is a new NULL-terminated argv. *ret_prompt_in_argv says whether
 * the prompt is in it (else it belongs on standard input). ERR_INVALID when the adapter has no such
 * template, when it wants a session and there is none, or when the prompt is too long for an
 * argument (128 KiB, the kernel's bound).
 */
struct adapter_values {
	const char *prompt, *session;
	char *const *args;	  /* NULL: none */
	const char *instructions; /* of its role; NULL: none */
	const char *hooks;	  /* the file of its hooks; NULL: none */
	const char *may;	  /* the files of what it may do; NULL: none */
};
int adapter_argv(const struct adapter *a, enum adapter_use use, const struct adapter_values *v,
		 char ***ret, bool *ret_prompt_in_argv, struct error *err);
/* The prompt as this agent is told it: behind its instructions, where it has no other way to learn
 * them. "" when there is nothing to say. The caller frees. */
char *adapter_prompt(const struct adapter *a, enum adapter_use use, const struct adapter_values *v);

/* On a terminal standard input is the person's: whether the template has another way for them. */
bool adapter_takes_prompt(const struct adapter *a, enum adapter_use use);
bool adapter_takes_instructions(const struct adapter *a, enum adapter_use use);

/* A random UUID (version 4), for SESSION_CHOSEN. */
#define ADAPTER_SESSION_MAX 37
void adapter_new_session(char ret[ADAPTER_SESSION_MAX]);
/* Whether it can name a session: printable ASCII, no space, no dash that would begin an option. */
bool adapter_session_ok(const char *session);

/* Whether a template of that use names the file of what it may do. */
bool adapter_wants_may(const struct adapter *a, enum adapter_use use);

/* Tool calls that were denied: how many, and the first of them: "Bash(make test), Edit(a.c)". */
struct adapter_denials {
	int64_t count;
	struct buf calls;
};

/*
 * What a run tells while it runs, heard as it passes by: what is kept of its output may be only the
 * end of it. Bytes come in any pieces. A line beyond HEAR_LINE_MAX tells nothing.
 */
#define HEAR_LINE_MAX ((size_t)64 * 1024)
enum { HEAR_OUTPUT, HEAR_ERRORS };
struct adapter_hearing {
	struct buf lines[2]; /* the unfinished one of each stream */
	bool too_long[2];
	char *session; /* the first that was told; NULL */
	struct adapter_denials denials;
	void *pattern; /* of denials; NULL: none */
};
void adapter_hearing_init(struct adapter_hearing *h, const struct adapter *a);
/* Returns true when the session has just become known. */
bool adapter_hear(struct adapter_hearing *h, const struct adapter *a, int stream, const char *bytes,
		  size_t len);
void adapter_hearing_fini(struct adapter_hearing *h);
/* Parts of both: one more denied call, and the session that one line tells, NULL: none. */
void adapter_deny(struct adapter_denials *d, const char *call);
char *adapter_line_session(const struct adapter *a, const char *line, size_t len);

/*
 * What a run said, read from its standard output (bounded by the caller). Texts are clean: see
 * text_clean(). An agent that should speak JSON, and said other things only, has an error: what it
 * says in JSON on standard error, else those.
 */
struct adapter_reading {
	char *answer;  /* NULL when there is none, or an empty one */
	char *raw;     /* the same with its control characters, for a file; NUL is '?' */
	char *session; /* NULL when it was not told */
	char *error;   /* why the agent itself says that it failed; NULL when it does not */
	int64_t cost;  /* millionths of a dollar; -1 when unknown */
	struct adapter_denials denials;
};
void adapter_read(const struct adapter *a, const char *output, size_t len,
		  struct adapter_reading *ret);
/* The same for an agent that may have said something on standard error, too. */
struct adapter_said {
	const char *output, *errors;
	size_t output_len, errors_len;
};
void adapter_read_both(const struct adapter *a, const struct adapter_said *said,
		       struct adapter_reading *ret);
void adapter_reading_fini(struct adapter_reading *r);
