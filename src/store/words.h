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
#define OUTCOME_WORDS(X) /* of a slot; checking and running (also: waiting to run) are not ends */ \
	X(OUTCOME_CHECKING, "checking") X(OUTCOME_FIRED, "fired") X(OUTCOME_SKIPPED, "skipped") \
	X(OUTCOME_MISSED, "missed") X(OUTCOME_FAILED, "failed") X(OUTCOME_CANCELLED, "cancelled") \
	X(OUTCOME_RUNNING, "running") X(OUTCOME_RAN, "ran")
#define VERDICT_WORDS(X) /* of a condition */ \
	X(VERDICT_NONE, "none") X(VERDICT_TRUE, "true") X(VERDICT_FALSE, "false") \
	X(VERDICT_ERROR, "error")
#define DELIVERY_WORDS(X) /* state of a queued message */ \
	X(DELIVERY_QUEUED, "queued") X(DELIVERY_OFFERED, "offered") \
	X(DELIVERY_DELIVERED, "delivered") X(DELIVERY_FAILED, "failed")
#define ACTION_WORDS(X) /* what a fire does */ \
	X(ACTION_DELIVER, "deliver") X(ACTION_RUN, "run")
#define DOOR_WORDS(X) /* by which door a run came in */ \
	X(DOOR_REMINDER, "reminder") X(DOOR_CRON, "cron") X(DOOR_TASK, "task") \
	X(DOOR_HEARTBEAT, "heartbeat") X(DOOR_HAND, "hand")
#define OVERLAP_WORDS(X) /* what a fire does while the one before it still runs */ \
	X(OVERLAP_SKIP, "skip") X(OVERLAP_QUEUE, "queue") X(OVERLAP_ALLOW, "allow") \
	X(OVERLAP_REPLACE, "replace")
#define PHASE_WORDS(X) /* of a mission: behind its predecessor, in line, … */ \
	X(PHASE_BEHIND, "behind") X(PHASE_WAITING, "waiting") X(PHASE_STARTING, "starting") \
	X(PHASE_RUNNING, "running") X(PHASE_ENDED, "ended") X(PHASE_REMOVING, "removing")
#define ENDING_WORDS(X) /* how a run ended; none while it has not */ \
	X(ENDING_NONE, "none") X(ENDING_SUCCESS, "success") X(ENDING_ERROR, "error") \
	X(ENDING_TIMEOUT, "timeout") X(ENDING_KILLED, "killed") X(ENDING_ORPHANED, "orphaned") \
	X(ENDING_DAEMON_SHUTDOWN, "daemon_shutdown")
#define RUN_KIND_WORDS(X) \
	X(RUN_ATTEMPT, "attempt") X(RUN_RESUME, "resume") X(RUN_INTERACTIVE, "interactive")
#define SENDER_WORDS(X) /* of a message in a thread */ \
	X(SENDER_AGENT, "agent") X(SENDER_PERSON, "person") X(SENDER_BELFRY, "belfry")
#define ASKING_WORDS(X) /* whether a message waits for an answer */ \
	X(ASKING_NONE, "none") X(ASKING_OPEN, "open") X(ASKING_ANSWERED, "answered") \
	X(ASKING_EXPIRED, "expired")
#define HANDOVER_WORDS(X) /* whether the agent has a reply; none: it is no reply */ \
	X(HANDOVER_NONE, "none") X(HANDOVER_WAITING, "waiting") X(HANDOVER_OFFERED, "offered") \
	X(HANDOVER_DELIVERED, "delivered")
#define PRESENCE_WORDS(X) /* of a live agent */ \
	X(PRESENCE_STARTING, "starting") X(PRESENCE_IDLE, "idle") X(PRESENCE_BUSY, "busy") \
	X(PRESENCE_BLOCKED, "blocked") X(PRESENCE_GONE, "gone")
#define FALLBACK_WORDS(X) /* what is due for an agent whose session is gone */ \
	X(FALLBACK_WAIT, "wait") X(FALLBACK_RUN, "run") X(FALLBACK_START, "start")
#define TRUST_WORDS(X) /* in a user; least first */ \
	X(TRUST_PUBLIC, "public") X(TRUST_FAMILIAR, "familiar") X(TRUST_INNER, "inner") \
	X(TRUST_FULL, "full")
#define BOUNDARY_WORDS(X) /* of a reminder that an agent set for its own session */ \
	X(BOUNDARY_WAITING, "waiting") X(BOUNDARY_OFFERED, "offered") X(BOUNDARY_QUEUED, "queued") \
	X(BOUNDARY_DELIVERED, "delivered") X(BOUNDARY_PASSED, "passed") \
	X(BOUNDARY_CLEARED, "cleared")

/* The number is the step of the schema that brought the list. */
#define WORD_LISTS(L) \
	L(status, STATUS_WORDS, 1) L(priority, PRIORITY_WORDS, 1) L(source, SOURCE_WORDS, 1) \
	L(condition, CONDITION_WORDS, 1) L(mode, MODE_WORDS, 1) L(catchup, CATCHUP_WORDS, 1) \
	L(outcome, OUTCOME_WORDS, 1) L(verdict, VERDICT_WORDS, 1) L(delivery, DELIVERY_WORDS, 1) \
	L(action, ACTION_WORDS, 2) L(door, DOOR_WORDS, 2) L(overlap, OVERLAP_WORDS, 2) \
	L(phase, PHASE_WORDS, 2) L(ending, ENDING_WORDS, 2) L(run_kind, RUN_KIND_WORDS, 2) \
	L(sender, SENDER_WORDS, 3) L(asking, ASKING_WORDS, 3) L(handover, HANDOVER_WORDS, 3) \
	L(presence, PRESENCE_WORDS, 4) L(fallback, FALLBACK_WORDS, 4) \
	L(trust, TRUST_WORDS, 5) L(boundary, BOUNDARY_WORDS, 5)
/* clang-format on */

#define WORD_ENUM(name, text) name,
#define WORD_LIST_ENUM(list, WORDS, step)                                                          \
	enum list { WORDS(WORD_ENUM) };                                                            \
	const char *list##_word(enum list value);                                                  \
	int list##_of(const char *word); /* -1 when there is no such word */
WORD_LISTS(WORD_LIST_ENUM)
#undef WORD_LIST_ENUM
#undef WORD_ENUM
