/*
 * What a live agent is doing: tables of facts and verdicts, each at one instant, then the promise that
 * nothing but new facts and the named instant changes a verdict.
 */
#include "rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/presence.h"

/* Milliseconds after its process began; NEVER: USEC_NONE. */
#define NEVER (-1)
#define BEGAN ((usec_t)1700000000 * USEC_PER_SEC)

static usec_t at(int64_t ms)
{
	return ms == NEVER ? USEC_NONE : BEGAN + ms * USEC_PER_MSEC;
}

static int64_t ms_of(usec_t at)
{
	return at == USEC_NONE ? NEVER : (at - BEGAN) / USEC_PER_MSEC;
}

/* clang-format off */
static char busy_pattern[] = "busy", blocked_pattern[] = "may I", input_pattern[] = "^> (.*)$";
static const struct adapter_live
	full = {.busy = busy_pattern, .blocked = blocked_pattern, .input = input_pattern, .quiet = 2 * USEC_PER_SEC},
	only_input = {.input = input_pattern, .quiet = 2 * USEC_PER_SEC},
	nothing = {.quiet = 2 * USEC_PER_SEC},
	unset = {0};

#define HOOK(event, name, ms) EVENT_##event, name, ms
#define NO_HOOK EVENT_NONE, "", NEVER
static const struct judge_case {
	const char *name;
	const struct adapter_live *rules;
	int64_t now;
	enum presence_event event;
	const char *event_name;
	int64_t event_at, transcript, output;
	enum presence_look look;
	int64_t look_at, delivered;
	enum presence_is is;
	int64_t since, again;
	bool wants_look;
	const char *evidence;
} judge_cases[] = {
	/* --- starting --- */
	{"H15: nothing shown yet", &nothing, 500, NO_HOOK, NEVER, NEVER, LOOK_UNKNOWN, NEVER, NEVER,
	 IS_STARTING, 0, 10000, false, "nothing shown yet"},
	{"H15: a program that never shows anything can be typed to", &nothing, 10000, NO_HOOK, NEVER, NEVER, LOOK_UNKNOWN, NEVER, NEVER,
	 IS_IDLE, 0, NEVER, false, "it shows nothing"},
	{"H15: its first output is no readiness", &nothing, 1500, NO_HOOK, NEVER, 1000, LOOK_UNKNOWN, NEVER, NEVER,
	 IS_STARTING, 0, 3000, false, "it has just started"},
	{"H15: silence after its first output is", &nothing, 3000, NO_HOOK, NEVER, 1000, LOOK_UNKNOWN, NEVER, NEVER,
	 IS_IDLE, 1000, NEVER, false, "silent for 2s"},
	{"H15: an input line is", &full, 1500, NO_HOOK, NEVER, 1000, LOOK_IDLE, 1400, NEVER,
	 IS_IDLE, 1000, NEVER, false, "screen: an empty input line"},
	{"H15: SessionStart comes before the input line", &full, 1100, HOOK(STARTED, "SessionStart", 1000), NEVER, 500, LOOK_UNKNOWN, 600, NEVER,
	 IS_STARTING, 1000, 2000, false, "hook SessionStart"},
	{"H15: SessionStart and an input line", &full, 1600, HOOK(STARTED, "SessionStart", 1000), NEVER, 1200, LOOK_IDLE, 1500, NEVER,
	 IS_IDLE, 1000, 2000, false, "hook SessionStart"},
	{"H15: SessionStart and silence, where no screen can tell", &nothing, 3000, HOOK(STARTED, "SessionStart", 1000), NEVER, 900, LOOK_UNKNOWN, NEVER, NEVER,
	 IS_IDLE, 1000, NEVER, false, "hook SessionStart"},
	{"H15: SessionStart, and a screen that never rests", &nothing, 11000, HOOK(STARTED, "SessionStart", 1000), NEVER, 10900, LOOK_UNKNOWN, NEVER, NEVER,
	 IS_IDLE, 1000, NEVER, false, "hook SessionStart"},
	{"H15: a question at the start", &full, 1500, NO_HOOK, NEVER, 1000, LOOK_BLOCKED, 1400, NEVER,
	 IS_BLOCKED, 1000, NEVER, false, "screen: it asks something"},
	{"H15: what a hook said of an earlier run", &nothing, 500, HOOK(STOPPED, "Stop", -5000), NEVER, NEVER, LOOK_UNKNOWN, NEVER, NEVER,
	 IS_STARTING, 0, 10000, false, "nothing shown yet"},

	/* --- hooks --- */
	{"H15: a prompt", &full, 20400, HOOK(PROMPT, "UserPromptSubmit", 20000), NEVER, 20300, LOOK_IDLE, 15000, NEVER,
	 IS_BUSY, 20000, 21000, false, "hook UserPromptSubmit"},
	{"H15: while it shows something it is looked at rarely", &full, 24000, HOOK(WORKING, "PreToolUse", 20000), NEVER, 23900, LOOK_BUSY, 21000, NEVER,
	 IS_BUSY, 20000, 24200, false, "hook PreToolUse"},
	{"H15: it works without end", &full, 20000000, HOOK(WORKING, "PreToolUse", 20000), NEVER, 19999900, LOOK_BUSY, 19999950, NEVER,
	 IS_BUSY, 20000, NEVER, false, "hook PreToolUse"},
	{"H15: the end of a turn", &full, 22000, HOOK(STOPPED, "Stop", 20000), 20600, 20500, LOOK_IDLE, 21000, NEVER,
	 IS_IDLE, 20000, NEVER, false, "hook Stop"},
	{"H15: the screen is looked at once after it", &full, 21000, HOOK(STOPPED, "Stop", 20000), 20600, 20500, LOOK_BUSY, 19000, NEVER,
	 IS_IDLE, 20000, NEVER, true, "hook Stop"},
	{"H15: an interrupted turn has no hook", &full, 26000, HOOK(PROMPT, "UserPromptSubmit", 20000), 20100, 21000, LOOK_IDLE, 21400, NEVER,
	 IS_IDLE, 21000, NEVER, false, "screen: an empty input line"},
	{"H15: it may just be slow", &full, 25999, HOOK(PROMPT, "UserPromptSubmit", 20000), 20100, 21000, LOOK_IDLE, 21400, NEVER,
	 IS_BUSY, 20000, 26000, false, "hook UserPromptSubmit"},
	{"H15: interrupted, and its prompt is back in its input line", &full, 26000, HOOK(PROMPT, "UserPromptSubmit", 20000), 20100, 21000, LOOK_TYPED, 21400, NEVER,
	 IS_IDLE, 21000, NEVER, false, "screen: text in its input line"},
	{"H15: an old look proves nothing", &full, 30000, HOOK(PROMPT, "UserPromptSubmit", 20000), NEVER, 21500, LOOK_IDLE, 21400, NEVER,
	 IS_BUSY, 20000, NEVER, true, "hook UserPromptSubmit"},
	{"H15: an input line that is always there proves nothing", &only_input, 60000, HOOK(PROMPT, "UserPromptSubmit", 20000), NEVER, 21000, LOOK_IDLE, 21400, NEVER,
	 IS_BUSY, 20000, 621000, false, "hook UserPromptSubmit"},
	{"H15: busy, and nothing else is ever heard", &nothing, 621000, HOOK(PROMPT, "UserPromptSubmit", 20000), NEVER, 21000, LOOK_UNKNOWN, NEVER, NEVER,
	 IS_IDLE, 21000, NEVER, false, "silent for 2s"},
	{"H15: the transcript grows a little after the end of a turn", &full, 22900, HOOK(STOPPED, "Stop", 20000), 22800, 20500, LOOK_IDLE, 21000, NEVER,
	 IS_IDLE, 20000, NEVER, false, "hook Stop"},
	{"H15: the transcript grows clearly later", &full, 31000, HOOK(STOPPED, "Stop", 20000), 30000, 20500, LOOK_IDLE, 21000, NEVER,
	 IS_BUSY, 30000, 32000, false, "its transcript grows"},
	{"H15: the transcript grew, and rests", &full, 32000, HOOK(STOPPED, "Stop", 20000), 30000, 20500, LOOK_IDLE, 21000, NEVER,
	 IS_IDLE, 20500, NEVER, false, "screen: an empty input line"},
	{"H15: the screen shows work after the end of a turn", &full, 40000, HOOK(STOPPED, "Stop", 20000), NEVER, 39500, LOOK_BUSY, 39900, NEVER,
	 IS_BUSY, 39500, NEVER, false, "screen: at work"},
	{"H15: the screen is late after the end of a turn", &full, 20700, HOOK(STOPPED, "Stop", 20000), NEVER, 20500, LOOK_BUSY, 20600, NEVER,
	 IS_IDLE, 20000, 21000, false, "hook Stop"},
	{"H15: a menu while it is idle", &full, 40000, HOOK(STOPPED, "Stop", 20000), NEVER, 39500, LOOK_BLOCKED, 39900, NEVER,
	 IS_BLOCKED, 39500, NEVER, false, "screen: it asks something"},
	{"H15: the conversation ended, and its process has not", &full, 20500, HOOK(ENDED, "SessionEnd", 20000), NEVER, 20200, LOOK_IDLE, 19000, NEVER,
	 IS_STARTING, 20000, 21000, false, "hook SessionEnd"},
	{"H15: it goes on after all", &full, 30000, HOOK(ENDED, "SessionEnd", 20000), NEVER, 20200, LOOK_IDLE, 21000, NEVER,
	 IS_IDLE, 20200, NEVER, false, "screen: an empty input line"},

	/* --- a permission prompt --- */
	{"H15: it asks", &full, 20500, HOOK(ASKING, "PermissionRequest", 20000), NEVER, 20400, LOOK_BUSY, 20100, NEVER,
	 IS_BLOCKED, 20000, 23000, false, "hook PermissionRequest"},
	{"H15: it asks for a day", &full, 86400000, HOOK(ASKING, "PermissionRequest", 20000), NEVER, 20400, LOOK_BLOCKED, 23000, NEVER,
	 IS_BLOCKED, 20000, NEVER, false, "hook PermissionRequest"},
	{"H15: it asks for a day, and no screen can tell", &only_input, 86400000, HOOK(ASKING, "PermissionRequest", 20000), NEVER, 20400, LOOK_IDLE, 23000, NEVER,
	 IS_BLOCKED, 20000, NEVER, false, "hook PermissionRequest"},
	{"H15: the question is not drawn yet", &full, 22900, HOOK(ASKING, "PermissionRequest", 20000), NEVER, 20400, LOOK_IDLE, 22900, NEVER,
	 IS_BLOCKED, 20000, 23000, false, "hook PermissionRequest"},
	{"H15: the question was turned down by a key", &full, 30500, HOOK(ASKING, "PermissionRequest", 20000), NEVER, 30000, LOOK_IDLE, 30400, NEVER,
	 IS_IDLE, 30000, NEVER, false, "screen: an empty input line"},
	{"H15: the question was granted, and the tool runs", &full, 30500, HOOK(ASKING, "PermissionRequest", 20000), NEVER, 30000, LOOK_BUSY, 30400, NEVER,
	 IS_BUSY, 30000, NEVER, false, "screen: at work"},
	{"H15: a client that asks without a hook", &full, 25000, HOOK(WORKING, "PreToolUse", 20000), NEVER, 20400, LOOK_BLOCKED, 21000, NEVER,
	 IS_BLOCKED, 20400, NEVER, false, "screen: it asks something"},

	/* --- without hooks --- */
	{"H15: the screen shows work", &full, 90000, NO_HOOK, NEVER, 30000, LOOK_BUSY, 30400, NEVER,
	 IS_BUSY, 30000, NEVER, false, "screen: at work"},
	{"H15: new output is looked at first", &full, 40000, NO_HOOK, NEVER, 39700, LOOK_IDLE, 30400, NEVER,
	 IS_IDLE, 30400, NEVER, true, "screen: an empty input line"},
	{"H15: not before it rests", &full, 40000, NO_HOOK, NEVER, 39900, LOOK_IDLE, 39500, NEVER,
	 IS_IDLE, 39500, 40200, false, "screen: an empty input line"},
	{"H15: but if it does not rest, after a second", &full, 40000, NO_HOOK, NEVER, 39990, LOOK_BUSY, 39000, NEVER,
	 IS_BUSY, 39000, NEVER, true, "screen: at work"},
	{"H15: it was never looked at", &full, 40000, NO_HOOK, NEVER, NEVER, LOOK_UNKNOWN, NEVER, NEVER,
	 IS_IDLE, 0, NEVER, true, "it shows nothing"},
	{"H15: an input line while something moves", &only_input, 40000, NO_HOOK, NEVER, 39000, LOOK_IDLE, 39500, NEVER,
	 IS_BUSY, 39000, 41000, false, "it shows something new"},
	{"H15: an input line while nothing moves", &only_input, 41000, NO_HOOK, NEVER, 39000, LOOK_IDLE, 39500, NEVER,
	 IS_IDLE, 39000, NEVER, false, "screen: an empty input line"},
	{"H15: the transcript alone", &nothing, 41000, NO_HOOK, 40000, 20000, LOOK_UNKNOWN, NEVER, NEVER,
	 IS_BUSY, 40000, 42000, false, "its transcript grows"},
	{"H15: output alone", &nothing, 41000, NO_HOOK, NEVER, 40000, LOOK_UNKNOWN, NEVER, NEVER,
	 IS_BUSY, 40000, 42000, false, "it shows something new"},
	{"H15: silence alone", &nothing, 42000, NO_HOOK, NEVER, 40000, LOOK_UNKNOWN, NEVER, NEVER,
	 IS_IDLE, 40000, NEVER, false, "silent for 2s"},
	{"H15: silence when the adapter says nothing", &unset, 42000, NO_HOOK, NEVER, 40000, LOOK_UNKNOWN, NEVER, NEVER,
	 IS_IDLE, 40000, NEVER, false, "silent for 2s"},

	/* --- what was typed --- */
	{"H15: it got a message, and nothing is heard yet", &full, 30500, HOOK(STOPPED, "Stop", 20000), NEVER, 30100, LOOK_IDLE, 25000, 30000,
	 IS_BUSY, 30000, 32100, true, "it got a message"},
	{"H15: it got a message, and does nothing", &full, 32500, HOOK(STOPPED, "Stop", 20000), NEVER, 30100, LOOK_IDLE, 30600, 30000,
	 IS_IDLE, 20000, NEVER, false, "hook Stop"},
	{"H15: it got a message and has ended its turn", &full, 31600, HOOK(STOPPED, "Stop", 30500), NEVER, 30600, LOOK_IDLE, 31550, 30000,
	 IS_IDLE, 30500, NEVER, false, "hook Stop"},
	{"H15: it got a message, by silence", &nothing, 31500, NO_HOOK, NEVER, 29000, LOOK_UNKNOWN, NEVER, 30000,
	 IS_BUSY, 30000, 32000, false, "it got a message"},
	{"H15: a screen that never rests does not hold it for ever", &nothing, 60000, HOOK(STOPPED, "Stop", 20000), NEVER, 59950, LOOK_UNKNOWN, NEVER, 30000,
	 IS_IDLE, 20000, NEVER, false, "hook Stop"},
	{"L14: it has an input line, and does not show it yet", &full, 9000, NO_HOOK, NEVER, 4000, LOOK_UNKNOWN, 4400, NEVER,
	 IS_STARTING, 0, 60000, false, "screen: no input line yet"},
	{"L14: nor while it draws", &full, 12000, NO_HOOK, NEVER, 11800, LOOK_UNKNOWN, 11900, NEVER,
	 IS_STARTING, 0, 60000, false, "screen: no input line yet"},
	{"L1: no input line is no idleness", &full, 90000, NO_HOOK, NEVER, 70000, LOOK_UNKNOWN, 70400, NEVER,
	 IS_BLOCKED, 70000, NEVER, false, "screen: no input line; it may be asking something"},
	{"L1: nor after the end of a turn", &full, 90000, HOOK(STOPPED, "Stop", 20000), NEVER, 70000, LOOK_UNKNOWN, 70400, NEVER,
	 IS_BLOCKED, 70000, NEVER, false, "screen: no input line; it may be asking something"},
	{"L1: nor when its hooks have been silent for long", &full, 800000, HOOK(WORKING, "PreToolUse", 20000), NEVER, 21000, LOOK_UNKNOWN, 21400, NEVER,
	 IS_BLOCKED, 21000, NEVER, false, "screen: no input line; it may be asking something"},
	{"H15: it got a message and asks", &full, 30500, HOOK(ASKING, "PermissionRequest", 30400), NEVER, 30100, LOOK_IDLE, 25000, 30000,
	 IS_BLOCKED, 30400, 33400, false, "hook PermissionRequest"},

	/* --- a clock that was set back --- */
	{"H15: output of the future", &nothing, 40000, NO_HOOK, NEVER, 3640000, LOOK_UNKNOWN, NEVER, NEVER,
	 IS_IDLE, 0, NEVER, false, "it shows nothing"},
};
/* clang-format on */

static struct presence_facts facts_of(const struct judge_case *c)
{
	struct presence_facts f = {.now = at(c->now),
				   .started_at = BEGAN,
				   .event = c->event,
				   .event_at = at(c->event_at),
				   .transcript_at = at(c->transcript),
				   .output_at = at(c->output),
				   .look = c->look,
				   .look_at = at(c->look_at),
				   .delivered_at = at(c->delivered)};

	snprintf(f.event_name, sizeof(f.event_name), "%s", c->event_name);
	return f;
}

static void test_judge(void **state)
{
	const struct judge_case *c = *state;
	struct presence_facts f = facts_of(c);
	struct presence_verdict got;

	presence_judge(c->rules, &f, &got);
	assert_string_equal(got.evidence, c->evidence);
	assert_int_equal(got.is, c->is);
	assert_int_equal(ms_of(got.since), c->since);
	assert_int_equal(ms_of(got.again_at), c->again);
	assert_int_equal(got.wants_look, c->wants_look);
}

/* --- by chance -------------------------------------------------------------------------------- */

static uint64_t chance_state = 20240607;

static int64_t chance(int64_t below)
{
	chance_state = chance_state * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)((chance_state >> 33) % (uint64_t)below);
}

/* Instants of different closeness: thresholds lie between 300 ms and ten minutes. */
static usec_t some_instant(int64_t now)
{
	static const int64_t spans[] = {400, 2500, 12000, 700000};
	int64_t ms = now - chance(spans[chance(4)]);

	return chance(5) == 0 ? USEC_NONE : at(ms);
}

static struct presence_facts some_facts(void)
{
	int64_t now = chance(2) ? 900000 : chance(20000);
	struct presence_facts f = {.now = at(now),
				   .started_at = BEGAN,
				   .event = (enum presence_event)chance(EVENT_ENDED + 1),
				   .event_name = "Some",
				   .event_at = some_instant(now),
				   .transcript_at = some_instant(now),
				   .output_at = some_instant(now),
				   .look = (enum presence_look)chance(LOOK_BLOCKED + 1),
				   .look_at = some_instant(now),
				   .delivered_at = some_instant(now)};

	return f;
}

static bool is_same(const struct presence_verdict *a, const struct presence_verdict *b)
{
	return a->is == b->is && a->since == b->since && a->wants_look == b->wants_look &&
	       strcmp(a->evidence, b->evidence) == 0;
}

/* From one named instant to the next, until time changes nothing any more. */
static void walk(const struct adapter_live *rules, struct presence_facts f)
{
	struct presence_verdict before, got;

	presence_judge(rules, &f, &before);
	for (int steps = 0; steps < 20; steps++) {
		usec_t now = f.now, again = before.again_at;
		usec_t end = again == USEC_NONE ? now + 30 * USEC_PER_DAY : again;

		assert_true(before.since <= now);
		assert_true(again == USEC_NONE || again > now);
		for (int i = 0; i < 3; i++) {
			f.now = i == 0 ? end - 1 : now + (end - now) / (1 + chance(50));
			f.now = f.now < end ? f.now : end - 1;
			presence_judge(rules, &f, &got);
			if (!is_same(&before, &got) || got.again_at != again)
				fail_msg("event %d look %d: '%s' became '%s' by itself", f.event,
					 f.look, before.evidence, got.evidence);
		}
		if (again == USEC_NONE)
			return;
		f.now = again;
		presence_judge(rules, &f, &before);
	}
	fail_msg("event %d look %d: it never rests", f.event, f.look);
}

static void test_only_by_facts(void **state)
{
	const struct adapter_live *rules[] = {&full, &only_input, &nothing, &unset};

	(void)state;
	for (int i = 0; i < 40000; i++)
		walk(rules[chance(4)], some_facts());
}

/* A look that was asked for answers the question: with nothing new, none is asked for again. */
static void test_looks_end(void **state)
{
	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct presence_facts f = some_facts();
		struct presence_verdict got;
		int looks = 0;

		for (int steps = 0; steps < 30; steps++) {
			presence_judge(&full, &f, &got);
			if (got.wants_look) {
				looks++;
				f.look_at = f.now;
			} else if (got.again_at != USEC_NONE) {
				f.now = got.again_at;
			}
		}
		assert_true(looks <= 3);
		assert_int_equal(got.again_at, USEC_NONE);
	}
}

/* A question on the screen, or one that a hook tells of, is never taken for an input line. */
static void test_never_typed_into(void **state)
{
	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct presence_facts f = some_facts();
		struct presence_verdict got;

		f.look = LOOK_BLOCKED;
		f.look_at = f.now;
		if (f.event_at != USEC_NONE && f.event_at > f.now - 3 * USEC_PER_SEC)
			f.event = EVENT_ASKING;
		presence_judge(&full, &f, &got);
		assert_int_equal(got.is, IS_BLOCKED);
	}
}

/* --- from one to the next ---------------------------------------------------------------------- */

static void hear(struct presence_facts *f, enum presence_event event, const char *name, int64_t ms)
{
	struct event e = {.event = event, .at = at(ms)};

	snprintf(e.name, sizeof(e.name), "%s", name);
	presence_hear(f, &e);
}

static void test_hear(void **state)
{
	struct presence_facts f = {.started_at = BEGAN, .event_at = USEC_NONE};

	(void)state;
	hear(&f, EVENT_NONE, "Other", 10);
	assert_int_equal(f.event, EVENT_NONE);
	hear(&f, EVENT_PROMPT, "UserPromptSubmit", 1000);
	hear(&f, EVENT_WORKING, "PreToolUse", 2000);
	assert_int_equal(ms_of(f.event_since), 1000);
	assert_int_equal(ms_of(f.event_at), 2000);
	assert_string_equal(f.event_name, "PreToolUse");
	hear(&f, EVENT_STOPPED, "Stop", 3000);
	/* H26: it says a minute later that it waits, and has been idle all the time. */
	hear(&f, EVENT_WAITING, "Notification", 63000);
	assert_int_equal(ms_of(f.event_since), 3000);
	assert_int_equal(ms_of(f.event_at), 63000);
}

static void test_follow(void **state)
{
	struct presence_verdict held = {.is = IS_BUSY, .since = at(1000), .evidence = "a"};
	struct presence_verdict same = {.is = IS_BUSY, .since = at(2000), .evidence = "b"};
	struct presence_verdict after = {.is = IS_IDLE, .since = at(3000)};
	struct presence_verdict before = {.is = IS_BUSY, .since = at(500)};

	(void)state;
	assert_false(presence_follow(&held, &same, at(2500)));
	assert_int_equal(ms_of(held.since), 1000);
	assert_string_equal(held.evidence, "b");
	assert_true(presence_follow(&held, &after, at(5000)));
	assert_int_equal(ms_of(held.since), 3000);
	/* Its evidence is older than the verdict it contradicts: it began somewhen up to now. */
	assert_true(presence_follow(&held, &before, at(9000)));
	assert_int_equal(ms_of(held.since), 9000);
}

int main(void)
{
	add_table(test_judge, judge_cases);
	add_row("H15: only facts and the named instant change a verdict", test_only_by_facts, NULL);
	add_row("H15: a look that was asked for is enough", test_looks_end, NULL);
	add_row("H15: nothing is typed into a question", test_never_typed_into, NULL);
	add_row("H26: events that mean the same go on", test_hear, NULL);
	add_row("H26: verdicts that are the same go on", test_follow, NULL);
	return run_rows("presence");
}
