/* tool-reminder-row.c: the tool `reminder` as a model reads it: its words, and what it answers. */
#include <string.h>

#include "request/rows.h"
#include "request/tool-reminder.h"
#include "request/tool.h"

static const char *text_of(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

static void say_time(const json_t *o, struct buf *out)
{
	tool_say_when(o, out);
	if (*text_of(o, "repeats"))
		buf_printf(out, ", then %s", text_of(o, "repeats"));
	if (*text_of(o, "until"))
		buf_printf(out, ", until %s", text_of(o, "until"));
}

static void say_set(const json_t *o, struct buf *out)
{
	buf_printf(out, "Reminder scheduled (id: %s) for ", text_of(o, "id"));
	say_time(o, out);
}

static void say_list(const json_t *o, struct buf *out)
{
	const json_t *rows = json_object_get(o, "reminders");

	if (!json_array_size(rows))
		buf_add_str(out, "No pending reminders.");
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);

		buf_printf(out, "%s- [%s] %s → \"", i ? "\n" : "", text_of(row, "id"),
			   text_of(row, "local_time"));
		tool_say_line(text_of(row, "message"), out);
		buf_add_char(out, '"');
		if (*text_of(row, "repeats"))
			buf_printf(out, " (%s)", text_of(row, "repeats"));
	}
	if (json_is_true(json_object_get(o, "more")))
		buf_add_str(out, "\nThere are more, further out.");
}

static void say_cancel(const json_t *o, struct buf *out)
{
	buf_printf(out, "Reminder %s cancelled.", text_of(o, "id"));
}

static void say_complete(const json_t *o, struct buf *out)
{
	buf_printf(out, "Reminder %s completed.", text_of(o, "id"));
}

static void say_edit(const json_t *o, struct buf *out)
{
	buf_printf(out, "Reminder %s changed; it fires at ", text_of(o, "id"));
	say_time(o, out);
}

static void say_snooze(const json_t *o, struct buf *out)
{
	const char *from = text_of(o, "snoozed_from");

	if (*from)
		buf_printf(out, "Reminder %s snoozed: set anew (id: %s) for ", from,
			   text_of(o, "id"));
	else
		buf_printf(out, "Reminder %s snoozed until ", text_of(o, "id"));
	say_time(o, out);
}

static void say_reminder(const json_t *o, struct buf *out)
{
	static const struct {
		const char *action;
		void (*say)(const json_t *o, struct buf *out);
	} sayings[] = {{"set", say_set},       {"list", say_list}, {"cancel", say_cancel},
		       {"snooze", say_snooze}, {"edit", say_edit}, {"complete", say_complete}};

	for (size_t i = 0; i < sizeof(sayings) / sizeof(sayings[0]); i++)
		if (strcmp(sayings[i].action, text_of(o, "action")) == 0)
			sayings[i].say(o, out);
	tool_say_note(o, out);
	tool_say_scheduler(o, out);
}

/* clang-format off */
#define REMINDER_PROPERTIES \
	"\"id\":{\"type\":\"string\"}," \
	"\"name\":{\"type\":[\"string\",\"null\"]}," \
	"\"message\":{\"type\":\"string\"}," \
	TOOL_WHEN_PROPERTIES "," \
	"\"repeats\":{\"type\":[\"string\",\"null\"],\"description\":\"how, in words; null: it fires once\"}," \
	"\"until\":{\"type\":\"string\",\"description\":\"no fire after this local time\"}," \
	"\"status\":{\"type\":\"string\",\"enum\":[\"active\",\"paused\",\"cancelled\",\"completed\"]}," \
	"\"user\":{\"type\":\"string\"}," \
	"\"delivery\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":\"where the answer goes, as channel:target\"}," \
	"\"agent\":{\"type\":\"string\",\"description\":\"who acts when it fires\"}," \
	"\"runs_agent\":{\"type\":\"boolean\",\"description\":\"false: the text itself is delivered\"}"
#define REMINDER_REQUIRED \
	"\"id\",\"name\",\"message\"," TOOL_WHEN_REQUIRED ",\"repeats\",\"status\",\"user\",\"delivery\",\"agent\",\"runs_agent\""

static const char reminder_output[] =
	"{\"type\":\"object\",\"additionalProperties\":false,"
	"\"required\":[\"action\"," TOOL_NOW_REQUIRED "],"
	"\"properties\":{"
	"\"action\":{\"type\":\"string\",\"enum\":[\"set\",\"list\",\"cancel\",\"snooze\",\"edit\",\"complete\"]},"
	REMINDER_PROPERTIES ","
	TOOL_NOTE_PROPERTY ","
	"\"snoozed_from\":{\"type\":[\"string\",\"null\"],\"description\":\"the one this stands for, when that has another id\"},"
	"\"reminders\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"additionalProperties\":false,"
	"\"required\":[" REMINDER_REQUIRED "],\"properties\":{" REMINDER_PROPERTIES "}}},"
	"\"more\":{\"type\":\"boolean\",\"description\":\"there are more than these\"},"
	TOOL_NOW_PROPERTIES "}}";
/* clang-format on */

const struct request_row tool_reminder_row = {
	.name = "tool reminder",
	.summary = "set, list, cancel, snooze, edit and complete a user's reminders",
	.args =
		(const struct request_arg[]){
			{"action", 0, ARG_CHOICE, "ACTION", "what to do",
			 "set list cancel snooze edit complete", false, true},
			{"time", 0, ARG_TIME, "TIME",
			 "when, as the user said it: '3pm', 'tomorrow 9am', 'next friday noon', "
			 "'2026-02-04 15:15' (their local time) or RFC 3339 with an offset; must "
			 "be "
			 "in the future; for set, snooze and edit",
			 NULL, false, false, .also = "at"},
			{"in", 0, ARG_DURATION, "DURATION",
			 "instead of time, a span from now: '30m', '2h', '1h30m', '3d'; use this "
			 "for "
			 "every relative time",
			 NULL, false, false},
			{"message", 0, ARG_TEXT, "TEXT",
			 "what to do or tell when it fires, complete in itself: names, numbers, "
			 "paths and commands instead of 'this' and 'that'; for set and edit",
			 NULL, false, false},
			{"id", 0, ARG_TEXT, "ID",
			 "which one, as set and list tell it; for cancel, snooze, edit and "
			 "complete",
			 NULL, false, false},
			{"timezone", 0, ARG_ZONE, "ZONE",
			 "IANA zone of local times, like Europe/Berlin; leave it out unless the "
			 "user named a place",
			 NULL, false, false},
			{"every", 0, ARG_DURATION, "DURATION",
			 "instead of time, to repeat: '15m', '1d'; the first after one span", NULL,
			 false, false},
			{"cron", 0, ARG_TEXT, "LINE",
			 "instead of time, to repeat by a cron line in local time: '0 9 * * 1-5'",
			 NULL, false, false},
			{"rrule", 0, ARG_TEXT, "RULE",
			 "instead of time, to repeat by an RFC 5545 rule: "
			 "'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;BYHOUR=9'; lines EXDATE name exceptions",
			 NULL, false, false},
			{"count", 0, ARG_INT, "N", "what repeats: at most so many times", NULL,
			 false, false},
			{"until", 0, ARG_TIME, "TIME",
			 "what repeats: not after this time; a day without a time counts to its "
			 "end",
			 NULL, false, false},
			{"agent", 0, ARG_AGENT, "AGENT",
			 "who acts when it fires (default: you, or the default agent)", NULL, false,
			 false},
			{"name", 0, ARG_TEXT, "NAME", "a short name to find it by", NULL, false,
			 false},
			{0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = tool_reminder_exec,
	.tool =
		&(const struct request_tool){
			.name = "reminder",
			.title = "Reminders",
			.description =
				"Set, list, cancel, snooze, edit or complete the user's reminders. "
				"When a reminder fires, an agent gets its message in a fresh "
				"session "
				"with all its tools, and the answer is sent to the user. So a "
				"reminder "
				"can be a nudge (\"Tell the user to call Dr. Smith, 555-0123\") or "
				"an "
				"action (\"Run make release in /srv/app and report the "
				"result\").\n\n"
				"Before you set one that is to act, confirm a concrete plan: which "
				"command, file, address or tool will do it, and that it is there. "
				"Look "
				"it up first; if you still lack it, ask the user instead of "
				"setting a "
				"reminder that nobody can carry out.\n\n"
				"Write the message so that a reader who knows nothing of this "
				"conversation can act on it: say who and what is meant, and put in "
				"the "
				"whole plan.\n\n"
				"Never work out times yourself. Give relative times as 'in' "
				"(\"30m\") "
				"and others in the user's own words as 'time'; both are resolved "
				"here, "
				"in the user's time zone. Then read the local time of the answer "
				"back "
				"to the user, so that they can correct it.",
			.trust = TRUST_INNER,
			.hints = TOOL_DESTROYS | TOOL_OUTSIDE,
			.output = reminder_output,
			.say = say_reminder},
};
