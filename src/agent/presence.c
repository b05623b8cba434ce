/*
 * presence.c: what a live agent is doing.
 * Four witnesses, in the order in which they are believed: hooks, the transcript, the screen, silence.
 * A witness is passed over when it says nothing, or when another one has contradicted it for long
 * enough:
 *	hook: idle      the transcript grew, or the screen showed work or a question, clearly later
 *	hook: busy      nothing moves and the screen has an input line: an interrupted turn ends without
 *	                a hook; or the screen asks something. Where no screen can tell, it is believed
 *	                for BLIND
 *	hook: asking    only a screen that could show the question and does not; else it may ask for days
 *	hook: started   it can be typed to when there is an input line, or silence
 * Silence means idle only where no input line is known. Who has one and does not show it has not
 * started yet, or asks something that we do not know: nothing may be typed into that.
 * Every comparison with `now` also names the instant at which it turns out otherwise, in until(), so
 * that again_at cannot miss one. Instants of the future are of a clock that was set back: they are as
 * good as long past.
 */
#include "agent/presence.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define QUIET (2 * USEC_PER_SEC)   /* when the adapter does not say */
#define CLEARLY (3 * USEC_PER_SEC) /* the transcript of a turn may grow a little after its end */
#define SETTLED USEC_PER_SEC	   /* the screen follows a hook */
#define ASKED (3 * USEC_PER_SEC)   /* the question follows its hook: never typed into */
#define STALLED (5 * USEC_PER_SEC) /* a hook said busy, and nothing moves */
#define BLIND (10 * USEC_PER_MINUTE)
#define START_MAX (10 * USEC_PER_SEC)	     /* then it has started, whatever it shows */
#define START_LINE USEC_PER_MINUTE	     /* so long its input line may take to be there */
#define HELD_MAX (30 * USEC_PER_SEC)	     /* what was typed counts as work for so long at most */
#define LOOK_AFTER (300 * USEC_PER_MSEC)     /* the newest output */
#define LOOK_EVERY USEC_PER_SEC		     /* while output does not end */
#define LOOK_EVERY_HOOKED (5 * USEC_PER_SEC) /* the same, where hooks tell more */
#define FUTURE (5 * USEC_PER_SEC)

struct scene {
	const struct adapter_live *rules;
	struct presence_facts f;
	usec_t quiet;
	usec_t active; /* something moved: output or transcript; USEC_NONE: never */
	usec_t shown;  /* the evidence of the verdict is of then */
	struct presence_verdict *ret;
};

static usec_t later(usec_t a, usec_t b)
{
	return a > b ? a : b;
}

static usec_t after(usec_t at, usec_t span)
{
	return at == USEC_NONE ? USEC_NONE : at + span;
}

/* Whether that instant is yet to come; then the verdict may change at it. */
static bool until(struct scene *s, usec_t at)
{
	usec_t *again = &s->ret->again_at;

	if (at == USEC_NONE || s->f.now >= at)
		return false;
	if (*again == USEC_NONE || at < *again)
		*again = at;
	return true;
}

static __attribute__((format(printf, 4, 5))) bool say(struct scene *s, enum presence_is is,
						      usec_t since, const char *fmt, ...)
{
	va_list args;

	s->ret->is = is;
	s->ret->since = since == USEC_NONE ? s->f.now : since;
	s->shown = since;
	va_start(args, fmt);
	vsnprintf(s->ret->evidence, sizeof(s->ret->evidence), fmt, args);
	va_end(args);
	return true;
}

static bool say_hook(struct scene *s, enum presence_is is)
{
	say(s, is, s->f.event_since, "hook %s", s->f.event_name);
	s->shown = s->f.event_at;
	return true;
}

/* --- the screen ---------------------------------------------------------------------------- */

static bool has_patterns(const struct adapter_live *rules)
{
	return rules->busy || rules->blocked || rules->input;
}

static bool has_input_line(const struct scene *s)
{
	return s->f.look == LOOK_IDLE || s->f.look == LOOK_TYPED;
}

/* It was looked at since anything new was shown. */
static bool is_fresh(const struct scene *s)
{
	return s->f.look != LOOK_UNKNOWN && s->f.look_at >= s->f.output_at;
}

/* It was looked at when a hook's word had had so long to show. */
static bool is_looked_at(const struct scene *s, usec_t margin)
{
	return s->f.look != LOOK_UNKNOWN && s->f.look_at >= s->f.event_at + margin;
}

/* It was looked at, has an input line, and does not show it. */
static bool lacks_line(const struct scene *s)
{
	return s->rules->input && s->f.look == LOOK_UNKNOWN && s->f.look_at != USEC_NONE &&
	       s->f.look_at >= s->f.started_at;
}

static bool by_screen(struct scene *s)
{
	usec_t shown = s->f.output_at > s->f.look_at || s->f.output_at == USEC_NONE
			       ? s->f.look_at
			       : s->f.output_at;

	switch (s->f.look) {
	case LOOK_UNKNOWN:
		return false;
	case LOOK_BLOCKED:
		return say(s, IS_BLOCKED, shown, "screen: it asks something");
	case LOOK_BUSY:
		return say(s, IS_BUSY, shown, "screen: at work");
	case LOOK_IDLE:
	case LOOK_TYPED:
		/* An input line that is always there says nothing while something moves. */
		if (!s->rules->busy && until(s, after(s->active, s->quiet)))
			return false;
		say(s, IS_IDLE, shown, "screen: %s",
		    s->f.look == LOOK_IDLE ? "an empty input line" : "text in its input line");
		s->shown = s->f.look_at;
		return true;
	}
	return false;
}

/* --- hooks --------------------------------------------------------------------------------- */

static bool hook_idle(struct scene *s)
{
	if (s->f.transcript_at > s->f.event_at + CLEARLY)
		return false;
	if (is_looked_at(s, SETTLED) && !has_input_line(s))
		return false;
	if (lacks_line(s) && s->f.look_at >= s->f.event_at + SETTLED)
		return false;
	return say_hook(s, IS_IDLE);
}

static bool hook_started(struct scene *s)
{
	usec_t ready = later(s->f.event_at, s->active) + s->quiet;
	usec_t most = s->f.event_at + START_MAX;

	if (s->f.look_at >= s->f.event_at && has_input_line(s))
		return hook_idle(s);
	if (s->f.look_at >= s->f.event_at && s->f.look != LOOK_UNKNOWN)
		return false;
	if (until(s, ready < most ? ready : most))
		return say_hook(s, IS_STARTING);
	return hook_idle(s);
}

/* Its process should go, too; as long as it does not, the screen says what it is good for. */
static bool hook_ended(struct scene *s)
{
	if (is_looked_at(s, SETTLED) || !until(s, s->f.event_at + START_MAX))
		return false;
	return say_hook(s, IS_STARTING);
}

static bool hook_busy(struct scene *s)
{
	usec_t moved = later(s->f.event_at, s->active);
	/* An input line that is always there is no sign. */
	bool is_blind = s->f.look == LOOK_UNKNOWN || !s->rules->busy;
	bool looks_idle = is_fresh(s) && is_looked_at(s, 0) && has_input_line(s);

	if (is_looked_at(s, SETTLED) && s->f.look == LOOK_BLOCKED)
		return false;
	if (is_blind && !until(s, moved + BLIND))
		return false;
	if (!is_blind && looks_idle && !until(s, moved + later(STALLED, s->quiet)))
		return false;
	return say_hook(s, IS_BUSY);
}

static bool hook_asking(struct scene *s)
{
	if (s->rules->blocked && is_fresh(s) && is_looked_at(s, ASKED) && s->f.look != LOOK_BLOCKED)
		return false;
	return say_hook(s, IS_BLOCKED);
}

static bool by_hook(struct scene *s)
{
	switch (s->f.event) {
	case EVENT_NONE:
		return false;
	case EVENT_STARTED:
		return hook_started(s);
	case EVENT_PROMPT:
	case EVENT_WORKING:
		return hook_busy(s);
	case EVENT_ASKING:
		return hook_asking(s);
	case EVENT_WAITING:
	case EVENT_STOPPED:
		return hook_idle(s);
	case EVENT_ENDED:
		return hook_ended(s);
	}
	return false;
}

/* --- transcript and silence ------------------------------------------------------------------ */

static bool by_transcript(struct scene *s)
{
	if (s->f.look == LOOK_BLOCKED && is_fresh(s))
		return false;
	if (!until(s, after(s->f.transcript_at, s->quiet)))
		return false;
	return say(s, IS_BUSY, s->f.transcript_at, "its transcript grows");
}

static bool by_silence(struct scene *s)
{
	usec_t first_of_all = s->f.started_at + START_MAX;
	bool is_young = s->f.event == EVENT_NONE && s->f.delivered_at == USEC_NONE;

	if (s->active == USEC_NONE && until(s, first_of_all))
		return say(s, IS_STARTING, s->f.started_at, "nothing shown yet");
	if (lacks_line(s) && is_young && until(s, s->f.started_at + START_LINE))
		return say(s, IS_STARTING, s->f.started_at, "screen: no input line yet");
	if (lacks_line(s) && !until(s, after(s->active, s->quiet)))
		return say(s, IS_BLOCKED, later(s->active, s->f.started_at),
			   "screen: no input line; it may be asking something");
	if (s->active == USEC_NONE)
		return say(s, IS_IDLE, s->f.started_at, "it shows nothing");
	if (!until(s, s->active + s->quiet))
		return say(s, IS_IDLE, s->active, "silent for %gs",
			   (double)s->quiet / USEC_PER_SEC);
	if (is_young && s->active < first_of_all)
		return say(s, IS_STARTING, s->f.started_at, "it has just started");
	return say(s, IS_BUSY, s->active, "it shows something new");
}

/* --- what the verdict still needs ------------------------------------------------------------ */

/* It was given something to do, and nothing says that it has done it. */
static void hold_delivered(struct scene *s)
{
	usec_t at = s->f.delivered_at, end = later(at, s->active) + s->quiet;
	bool screen = s->f.look != LOOK_UNKNOWN && s->f.look_at > at;
	bool hook = s->f.event != EVENT_NONE && s->f.event_at > at;

	if (s->ret->is != IS_IDLE || at == USEC_NONE || (hook && s->shown > at))
		return;
	if (screen)
		end = at + s->quiet; /* so long it may take to show that it has read it */
	if (end > at + HELD_MAX)
		end = at + HELD_MAX;
	if (until(s, end))
		say(s, IS_BUSY, at, "it got a message");
}

static usec_t hook_margin(const struct scene *s)
{
	return s->f.event == EVENT_ASKING ? ASKED : SETTLED;
}

static void ask_for_look(struct scene *s)
{
	bool hooked = s->f.event != EVENT_NONE;
	usec_t settled = hooked ? s->f.event_at + hook_margin(s) : USEC_NONE;
	usec_t asked = later(settled, s->f.delivered_at);
	usec_t looked = later(s->f.look_at, s->f.started_at);
	usec_t next = looked + (hooked ? LOOK_EVERY_HOOKED : LOOK_EVERY);
	usec_t shown = later(s->f.output_at, s->f.started_at);
	usec_t due = shown + LOOK_AFTER;

	if (!has_patterns(s->rules) || (s->f.look_at >= shown && s->f.look_at >= asked))
		return;
	if (due > next)
		due = next;
	s->ret->wants_look = !until(s, later(due, asked));
}

/* --- together ------------------------------------------------------------------------------- */

static usec_t past(usec_t at, usec_t now)
{
	if (at <= now)
		return at;
	return at <= now + FUTURE ? now : 0;
}

static void set_scene(struct scene *s)
{
	struct presence_facts *f = &s->f;
	usec_t now = f->now;

	f->started_at = f->started_at == USEC_NONE ? 0 : past(f->started_at, now);
	f->event_at = past(f->event_at, now);
	f->transcript_at = past(f->transcript_at, now);
	f->output_at = past(f->output_at, now);
	f->look_at = past(f->look_at, now);
	f->delivered_at = past(f->delivered_at, now);
	if (f->event_at == USEC_NONE || f->event_at < f->started_at)
		f->event = EVENT_NONE;
	if (f->event_since <= 0 || f->event_since > f->event_at)
		f->event_since = f->event_at;
	if (f->look_at == USEC_NONE || f->look_at < f->started_at)
		f->look = LOOK_UNKNOWN;
	if (f->output_at < f->started_at)
		f->output_at = USEC_NONE;
	if (f->transcript_at < f->started_at)
		f->transcript_at = USEC_NONE;
	if (f->delivered_at < f->started_at)
		f->delivered_at = USEC_NONE;
	s->active = later(f->output_at, f->transcript_at);
	s->quiet = s->rules->quiet > 0 ? s->rules->quiet : QUIET;
}

void presence_judge(const struct adapter_live *rules, const struct presence_facts *f,
		    struct presence_verdict *ret)
{
	struct scene s = {.rules = rules, .f = *f, .ret = ret};

	*ret = (struct presence_verdict){.again_at = USEC_NONE};
	set_scene(&s);
	if (!by_hook(&s) && !by_transcript(&s) && !by_screen(&s))
		by_silence(&s);
	hold_delivered(&s);
	ask_for_look(&s);
}

static enum presence_is meaning(enum presence_event event)
{
	switch (event) {
	case EVENT_PROMPT:
	case EVENT_WORKING:
		return IS_BUSY;
	case EVENT_ASKING:
		return IS_BLOCKED;
	case EVENT_STARTED:
	case EVENT_WAITING:
	case EVENT_STOPPED:
		return IS_IDLE;
	case EVENT_NONE:
	case EVENT_ENDED:
		break;
	}
	return IS_STARTING;
}

void presence_hear(struct presence_facts *f, const struct event *e)
{
	if (e->event == EVENT_NONE)
		return;
	if (f->event == EVENT_NONE || meaning(f->event) != meaning(e->event))
		f->event_since = e->at;
	f->event = e->event;
	f->event_at = e->at;
	memcpy(f->event_name, e->name, sizeof(f->event_name));
}

bool presence_follow(struct presence_verdict *held, const struct presence_verdict *newer,
		     usec_t now)
{
	usec_t since = held->since;
	bool changed = held->is != newer->is;

	if (changed)
		since = newer->since > held->since ? newer->since : now;
	*held = *newer;
	held->since = since;
	return changed;
}
