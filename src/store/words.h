#pragma once
/*
 * The words of the store: each is an enum here and its text in the database and in JSON, so that
 * anybody who reads the tables with SQL can read them.
 */
/* clang-format off */
#define STATUS_WORDS(X) \
	X(STATUS_ACTIVE, "active") X(STATUS_PAUSED, "paused") \
	X(STATUS_CANCELLED, "cancelled") X(STATUS_COMPLETED, "completed")
#define PRIORITY_WORDS(X) /* most urgent first */ \
	X(PRIORITY_INTERRUPT, "interrupt") X(PRIORITY_NORMAL, "normal") \
	X(PRIORITY_IDLE_FIRST, "idle-first") X(PRIORITY_IDLE, "idle")
#define SOURCE_WORDS(X) \
	X(SOURCE_CLI, "cli") X(SOURCE_ROLE, "role") X(SOURCE_CONFIG, "config") \
	X(SOURCE_MCP, "mcp") X(SOURCE_IMPORT, "import")
#define CONDITION_WORDS(X) \
	X(CONDITION_NONE, "none") X(CONDITION_COMMAND, "command") X(CONDITION_PROMPT, "prompt")
#define MODE_WORDS(X) \
	X(MODE_EACH, "each") X(MODE_UNTIL, "until") X(MODE_ONCE, "once")
#define CATCHUP_WORDS(X) \
	X(CATCHUP_ONCE, "once") X(CATCHUP_SKIP, "skip") X(CATCHUP_ALL, "all")
#define OUTCOME_WORDS(X) /* of a slot; checking is the only one that is not an end */ \
	X(OUTCOME_CHECKING, "checking") X(OUTCOME_FIRED, "fired") X(OUTCOME_SKIPPED, "skipped") \
	X(OUTCOME_MISSED, "missed") X(OUTCOME_FAILED, "failed") X(OUTCOME_CANCELLED, "cancelled")
#define VERDICT_WORDS(X) /* of a condition */ \
	X(VERDICT_NONE, "none") X(VERDICT_TRUE, "true") X(VERDICT_FALSE, "false") \
	X(VERDICT_ERROR, "error")
#define DELIVERY_WORDS(X) /* state of a queued message */ \
	X(DELIVERY_QUEUED, "queued") X(DELIVERY_OFFERED, "offered") \
	X(DELIVERY_DELIVERED, "delivered") X(DELIVERY_FAILED, "failed")

#define WORD_LISTS(L) \
	L(status, STATUS_WORDS) L(priority, PRIORITY_WORDS) L(source, SOURCE_WORDS) \
	L(condition, CONDITION_WORDS) L(mode, MODE_WORDS) L(catchup, CATCHUP_WORDS) \
	L(outcome, OUTCOME_WORDS) L(verdict, VERDICT_WORDS) L(delivery, DELIVERY_WORDS)
/* clang-format on */

#define WORD_ENUM(name, text) name,
#define WORD_LIST_ENUM(list, WORDS)                                                                \
	enum list { WORDS(WORD_ENUM) };                                                            \
	const char *list##_word(enum list value);                                                  \
	int list##_of(const char *word); /* -1 when there is no such word */
WORD_LISTS(WORD_LIST_ENUM)
#undef WORD_LIST_ENUM
#undef WORD_ENUM
