#pragma once
/* What the printers share: reading results, and times as a person in a zone says them. */
#include "base/clock.h"
#include "base/json.h"
#include "schedule/instant.h"
#include "terminal/style.h"
#include "terminal/table.h"

struct view {
	const struct style *style;
	usec_t now;
	const struct zone *zone; /* the reader's own */
	bool one_agent;		 /* an agent was named: no need to repeat it on every line */
	bool verbose;		 /* more columns */
	struct buf *out;
};

/* A text or number of an object; "", 0 or USEC_NONE when it is missing, null or something else. */
const char *view_text(const json_t *object, const char *key);
/* The mission whose run wrote a reminder, in words. */
const char *view_maker(const json_t *reminder);
int64_t view_int(const json_t *object, const char *key);
usec_t view_instant(const json_t *object, const char *key);
usec_t view_instant_of(const json_t *text);
/* The zone named by the object's "tz"; UTC when this machine does not know it. */
const struct zone *view_zone(const json_t *reminder);

/* "in 13h 5m", "20m ago", "now". `ret` has VIEW_SPAN_MAX. */
#define VIEW_SPAN_MAX 64
void view_span(const struct view *v, usec_t instant, char *ret);

/* "Nov 16, 2026 9:00 AM CET, in 13h 5m" */
void view_when(const struct view *v, usec_t instant, const struct zone *zone);

/* The same with seconds where there are any, as a line of its own: schedules may be that fine. */
#define VIEW_EXACT_MAX (INSTANT_TEXT_MAX + 4)
void view_exact(usec_t instant, const struct zone *zone, char *ret);
void view_fire(const struct view *v, usec_t instant, const struct zone *zone);

/* "2026-01-15 09:00" in the reader's zone, "-" for none. `ret` has INSTANT_TEXT_MAX. */
void view_minute(const struct view *v, usec_t instant, char *ret);

/* "  schedule   " and then whatever the caller adds, up to a newline. */
void view_label(const struct view *v, const char *label);
void view_field(const struct view *v, const char *label, const char *text);
/* The "mission" of a task or a cron, and where its answer is; nothing when there is none. */
void view_mission_of(const struct view *v, const json_t *o);
/* A text in Markdown: rendered on a terminal, as it is elsewhere. */
void view_markdown(const struct view *v, const char *text);

enum tint view_status_tint(const char *status);
enum tint view_mission_tint(const char *state); /* of a mission or a run: "success", "running" */
bool view_mission_is_over(const char *state);
/* The state of a thread's mission in the words of `mission ls`: "asks" where it ended well and asks. */
const char *view_thread_state(const json_t *t);
/* "12 bytes", "3.4 kB" */
void view_size(int64_t size, char *ret, size_t max);
/* The name for lists: its own, else the beginning of the text in quotes. Caller frees. */
char *view_name(const json_t *reminder);

/* The printers. Each prints one result; list rows fill a table. */
typedef void view_print(const struct view *v, const json_t *result);
view_print view_change, view_run, view_reminder, view_why, view_message, view_taken, view_status,
	view_store_away, view_next, view_simulation, view_mission, view_mission_new,
	view_mission_change, view_mission_removed, view_cron, view_cron_change, view_cron_run,
	view_task, view_task_change, view_board_change, view_threads, view_found,
	view_thread_change, view_replied, view_sent, view_agent_started, view_agent_stopped,
	view_agent_removed, view_agent_sent, view_apply, view_lesson, view_workflow, view_setup,
	view_boundary_set, view_boundaries, view_boundary_cleared, view_token_made,
	view_token_removed, view_store_check, view_generic;

/* What becomes of a message for an agent without a session, by its row; `running`: a daemon does. */
void view_agent_absent(const struct view *v, const json_t *a, const char *name, bool running);
/* The line above a thread: its title, what it is about, and whether an answer is awaited. */
void view_thread_head(const struct view *v, const json_t *thread);
/* Who wrote a message: the agent's name, "You", "Belfry". */
const char *view_author(const json_t *message);
/* What a question waits for, or came of it, in one line; nothing when it is none. Whether it is open. */
bool view_question(const struct view *v, const json_t *message);
/* What became of a reply; NULL when it is none. */
const char *view_reply(const json_t *message, enum tint *ret_tint);
/*
 * A message: who and when, its title and question, its text, what is attached, what became of a
 * reply. The text is Markdown, rendered for a terminal; elsewhere it stays what it is, harmless.
 */
void view_mail(const struct view *v, const json_t *message);
/* The same without the text and what is below it; and only what is below it. */
void view_mail_head(const struct view *v, const json_t *message);
void view_mail_foot(const struct view *v, const json_t *message);

/* A list: the array's key, its columns, and one row of it. */
struct view_list {
	const char *key;
	const struct table_column *columns;
	size_t column_count;
	void (*add)(const struct view *v, const json_t *item, struct table *t);
	const char *empty; /* what is said when there is nothing, with the next step */
};
extern const struct view_list view_reminders, view_reminders_of_one, view_messages, view_agents,
	view_missions, view_crons, view_history, view_tasks, view_board, view_lessons,
	view_workflows, view_tokens;
const struct view_list *view_crons_of(const struct view *v); /* by width and verbosity */
const struct view_list *view_agents_of(const struct view *v);

/* How a request's result is shown: as a list, NULL when it is none, or by a printer. */
const struct view_list *view_list_of(const struct view *v, const char *request);
view_print *view_of(const char *request);
