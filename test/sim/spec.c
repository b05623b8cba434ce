/* spec.c: random schedules. Simple shapes on purpose: naive.c has to find their occurrences. */
#include "sim.h"

#include <stdio.h>
#include <string.h>

static const char *const zones[] = {
	"UTC",		"America/New_York", "Europe/Berlin", "Australia/Lord_Howe",
	"Pacific/Apia", "Europe/Dublin",    "Asia/Kolkata",
};
#define ZONES (sizeof(zones) / sizeof(zones[0]))

static void put(struct spec *s, const char *text)
{
	size_t used = strlen(s->text);

	snprintf(s->text + used, sizeof(s->text) - used, "%s", text);
}

static void put_number(struct spec *s, const char *before, int64_t n)
{
	char text[40];

	snprintf(text, sizeof(text), "%s%lld", before, (long long)n);
	put(s, text);
}

/* Some bits below `limit`, one to `most` of them; written as a list into the text. */
static uint64_t some_of(struct chance *c, struct spec *s, int low, int limit, int most)
{
	uint64_t bits = 0;
	const char *comma = "";

	for (int64_t i = chance_between(c, 1, most); i > 0; i--)
		bits |= (uint64_t)1 << chance_between(c, low, limit - 1);
	for (int i = 0; i < limit; i++)
		if (bits >> i & 1) {
			put_number(s, comma, i);
			comma = ",";
		}
	return bits;
}

static void random_at(struct chance *c, usec_t now, struct spec *s)
{
	char text[INSTANT_TEXT_MAX];

	if (chance_percent(c, 30)) {
		usec_t in = chance_between(c, 1, 3 * 86400) * USEC_PER_SEC;

		s->at = now + in;
		strcpy(s->key, "in");
		snprintf(s->text, sizeof(s->text), "%llds", (long long)(in / USEC_PER_SEC));
		return;
	}
	s->at = now + chance_between(c, -86400, 9 * 86400) * USEC_PER_SEC;
	s->at -= s->at % USEC_PER_SEC;
	instant_format(s->at, zone_utc(), text);
	strcpy(s->key, "at");
	put(s, text);
}

static void random_every(struct chance *c, usec_t now, struct spec *s)
{
	static const int spans[] = {1, 20, 60, 7 * 60, 3600, 5400, 36 * 3600};

	s->every = spans[chance_below(c, 7)] * USEC_PER_SEC;
	s->anchor = now;
	strcpy(s->key, "every");
	snprintf(s->text, sizeof(s->text), "%llds", (long long)(s->every / USEC_PER_SEC));
}

/* The hour field: '*' or a step of it follow real time, lists are fixed. */
static void cron_hours(struct chance *c, struct spec *s)
{
	static const int steps[] = {2, 3, 5, 6};
	int step = steps[chance_below(c, 4)];

	s->real = chance_percent(c, 40);
	if (!s->real) {
		/* hours around clock changes more often than others */
		s->hours = (uint32_t)some_of(c, s, 0, chance_percent(c, 60) ? 4 : 24, 3);
	} else if (chance_percent(c, 50)) {
		put(s, "*");
	} else {
		for (int hour = 0; hour < 24; hour += step)
			s->hours |= 1u << hour;
		put_number(s, "*/", step);
	}
}

static void cron_days(struct chance *c, struct spec *s)
{
	static const char *const weeks[] = {"*", "1-5", "0,6", "7"};
	/* Monday is bit 0 here, 1 in cron */
	static const uint32_t bits[] = {0, 0x1f, 0x60, 0x40};
	int64_t week = chance_percent(c, 30) ? chance_below(c, 4) : 0;

	put(s, " ");
	if (chance_percent(c, 15))
		s->monthdays = (uint32_t)some_of(c, s, 1, 32, 4);
	else
		put(s, "*");
	put(s, " * ");
	put(s, weeks[week]);
	s->weekdays = bits[week];
}

static void random_cron(struct chance *c, bool dense_ok, struct spec *s)
{
	strcpy(s->key, "cron");
	if (dense_ok && chance_percent(c, 10)) {
		s->minutes = ((uint64_t)1 << 60) - 1;
		put(s, "*");
	} else {
		s->minutes = some_of(c, s, 0, 60, 3);
	}
	put(s, " ");
	cron_hours(c, s);
	cron_days(c, s);
}

static void rule_days(struct chance *c, struct spec *s)
{
	static const char *const names[] = {"MO", "TU", "WE", "TH", "FR", "SA", "SU"};
	const char *comma = ";BYDAY=";

	if (!chance_percent(c, 40))
		return;
	s->weekdays = (uint32_t)chance_between(c, 1, 127);
	for (int day = 0; day < 7; day++)
		if (s->weekdays >> day & 1) {
			put(s, comma);
			put(s, names[day]);
			comma = ",";
		}
}

static void rule_times(struct chance *c, struct spec *s)
{
	if (!s->real && chance_percent(c, 60)) {
		put(s, ";BYHOUR=");
		s->hours = (uint32_t)some_of(c, s, 0, chance_percent(c, 60) ? 4 : 24, 3);
	}
	if (chance_percent(c, 60)) {
		put(s, ";BYMINUTE=");
		s->minutes = some_of(c, s, 0, 60, 3);
	}
}

static void rule_start(struct chance *c, usec_t now, struct spec *s)
{
	char text[80];
	local_t local = floor_div(now, USEC_PER_SEC) - chance_between(c, -5, 60) * DAY_SECONDS;
	struct civil at = civil_from_local(local - local % 60);

	s->dtstart = local_from_civil(&at);
	snprintf(text, sizeof(text), "DTSTART;TZID=%s:%04d%02d%02dT%02d%02d%02d RRULE:", s->zone,
		 at.year, at.month, at.day, at.hour, at.minute, at.second);
	put(s, text);
}

static void random_rule(struct chance *c, usec_t now, struct spec *s)
{
	static const char *const words[] = {"FREQ=HOURLY", "FREQ=DAILY", "FREQ=WEEKLY"};

	s->starts = chance_percent(c, 50);
	strcpy(s->key, "rrule");
	if (s->starts)
		rule_start(c, now, s);
	s->freq = (enum freq)chance_below(c, 3);
	s->real = s->freq == FREQ_HOURLY;
	s->interval = 1;
	put(s, words[s->freq]);
	if (chance_percent(c, 40))
		put_number(s, ";INTERVAL=", s->interval = chance_between(c, 2, s->real ? 7 : 3));
	rule_days(c, s);
	rule_times(c, s);
	if (!s->real && chance_percent(c, 20))
		put_number(s, ";COUNT=", s->count = chance_between(c, 1, 8));
	if (!s->starts)
		naive_anchor(s, now);
}

void spec_random(struct chance *c, usec_t now, bool dense_ok, struct spec *ret)
{
	*ret = (struct spec){.zone = zones[chance_below(c, ZONES)]};
	ret->kind = (enum schedule_kind)chance_below(c, SCHEDULE_IDLE);
	switch (ret->kind) {
	case SCHEDULE_AT:
		random_at(c, now, ret);
		break;
	case SCHEDULE_EVERY:
		random_every(c, now, ret);
		break;
	case SCHEDULE_CRON:
		random_cron(c, dense_ok, ret);
		break;
	case SCHEDULE_RRULE:
		random_rule(c, now, ret);
		break;
	case SCHEDULE_IDLE: /* has no times; see idle.c */
		break;
	}
}
