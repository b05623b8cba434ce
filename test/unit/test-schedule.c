/* test-schedule.c: schedules through their zones, forwards and back, and in words. */
#include "rows.h"

#include <string.h>

#include "base/mem.h"
#include "schedule/instant.h"
#include "schedule/schedule.h"

#define NOW "2026-01-01T08:37:00+00:00" /* when schedules are made, where a row does not say */

/* clang-format off */
static const struct next_case {
	const char *name;
	enum schedule_kind kind;
	const char *text, *zone, *anchor, *after;
	const char *want; /* those that follow; "-" at the end: and then none */
} next_cases[] = {
	{"cron in UTC", SCHEDULE_CRON, "30 2 * * 1-5", "UTC", NOW, "2025-01-03T12:00:00+00:00", "2025-01-06T02:30:00Z 2025-01-07T02:30:00+00:00"},
	{"strictly after, a microsecond before", SCHEDULE_CRON, "0 0 * * *", "UTC", NOW, "2024-12-31T23:59:59.999999+00:00", "2025-01-01T00:00:00+00:00"},
	{"strictly after, at it", SCHEDULE_CRON, "0 0 * * *", "UTC", NOW, "2025-01-01T00:00:00+00:00", "2025-01-02T00:00:00+00:00"},
	{"strictly after, a microsecond past it", SCHEDULE_CRON, "0 0 * * *", "UTC", NOW, "2025-01-01T00:00:00.000001+00:00", "2025-01-02T00:00:00+00:00"},
	{"before 1970", SCHEDULE_CRON, "0 0 * * *", "UTC", NOW, "1969-12-30T23:59:59.5+00:00", "1969-12-31T00:00:00Z 1970-01-01T00:00:00+00:00"},

	{"Berlin gap: shifted by it", SCHEDULE_CRON, "30 2 * * *", "Europe/Berlin", NOW, "2025-03-29T12:00:00+00:00", "2025-03-30T01:30:00Z 2025-03-31T00:30:00+00:00"},
	{"Berlin gap: from inside the shift", SCHEDULE_CRON, "30 2 * * *", "Europe/Berlin", NOW, "2025-03-30T01:29:59.999999+00:00", "2025-03-30T01:30:00Z 2025-03-31T00:30:00+00:00"},
	{"Berlin gap: equal instants are one", SCHEDULE_CRON, "15,30 2,3 * * *", "Europe/Berlin", NOW, "2025-03-30T00:00:00+00:00", "2025-03-30T01:15:00Z 2025-03-30T01:30:00Z 2025-03-31T00:15:00+00:00"},
	{"Berlin gap: hourly skips it", SCHEDULE_CRON, "30 * * * *", "Europe/Berlin", NOW, "2025-03-30T00:00:00+00:00", "2025-03-30T00:30:00Z 2025-03-30T01:30:00Z 2025-03-30T02:30:00+00:00"},
	{"Berlin gap: every other hour keeps to the clock", SCHEDULE_CRON, "0 */2 * * *", "Europe/Berlin", NOW, "2025-03-29T22:30:00+00:00", "2025-03-29T23:00:00Z 2025-03-30T02:00:00Z 2025-03-30T04:00:00+00:00"},
	{"Berlin overlap: first pass only", SCHEDULE_CRON, "30 2 * * *", "Europe/Berlin", NOW, "2025-10-25T12:00:00+00:00", "2025-10-26T00:30:00Z 2025-10-27T01:30:00+00:00"},
	{"Berlin overlap: from inside the second pass", SCHEDULE_CRON, "30 2 * * *", "Europe/Berlin", NOW, "2025-10-26T01:10:00+00:00", "2025-10-27T01:30:00+00:00"},
	{"Berlin overlap: hourly fires in both passes", SCHEDULE_CRON, "30 * * * *", "Europe/Berlin", NOW, "2025-10-26T00:00:00+00:00", "2025-10-26T00:30:00Z 2025-10-26T01:30:00Z 2025-10-26T02:30:00+00:00"},
	{"New York gap: hourly", SCHEDULE_CRON, "0 * * * *", "America/New_York", NOW, "2026-03-08T05:30:00+00:00", "2026-03-08T06:00:00Z 2026-03-08T07:00:00Z 2026-03-08T08:00:00+00:00"},
	{"New York overlap: half-hourly is never silent", SCHEDULE_CRON, "*/30 * * * *", "America/New_York", NOW, "2026-11-01T04:45:00+00:00", "2026-11-01T05:00:00Z 2026-11-01T05:30:00Z 2026-11-01T06:00:00Z 2026-11-01T06:30:00Z 2026-11-01T07:00:00+00:00"},
	{"Lord Howe gap: the shifted one comes second", SCHEDULE_CRON, "15,40 2 * * *", "Australia/Lord_Howe", NOW, "2026-10-03T12:00:00+00:00", "2026-10-03T15:40:00Z 2026-10-03T15:45:00Z 2026-10-04T15:15:00+00:00"},
	{"Lord Howe overlap: first pass only", SCHEDULE_CRON, "45 1 * * *", "Australia/Lord_Howe", NOW, "2026-04-04T12:00:00+00:00", "2026-04-04T14:45:00Z 2026-04-05T15:15:00+00:00"},
	{"Lord Howe overlap: hourly", SCHEDULE_CRON, "45 * * * *", "Australia/Lord_Howe", NOW, "2026-04-04T14:00:00+00:00", "2026-04-04T14:45:00Z 2026-04-04T15:15:00Z 2026-04-04T16:15:00+00:00"},
	{"Apia: the skipped day", SCHEDULE_CRON, "0 12 30 12 *", "Pacific/Apia", NOW, "2011-12-29T12:00:00+00:00", "2011-12-30T22:00:00Z 2012-12-29T22:00:00+00:00"},
	{"Apia: daily meets itself", SCHEDULE_CRON, "0 12 * * *", "Pacific/Apia", NOW, "2011-12-29T12:00:00+00:00", "2011-12-29T22:00:00Z 2011-12-30T22:00:00Z 2011-12-31T22:00:00+00:00"},
	{"Apia: real local times", SCHEDULE_CRON, "0 */12 * * *", "Pacific/Apia", NOW, "2011-12-29T21:00:00+00:00", "2011-12-29T22:00:00Z 2011-12-30T10:00:00Z 2011-12-30T22:00:00+00:00"},
	{"Kwajalein: the skipped day of 1993", SCHEDULE_CRON, "0 6 21 8 *", "Pacific/Kwajalein", NOW, "1993-08-01T00:00:00+00:00", "1993-08-21T18:00:00Z 1994-08-20T18:00:00+00:00"},
	{"Casablanca: Ramadan begins", SCHEDULE_CRON, "30 2 * * *", "Africa/Casablanca", NOW, "2026-02-14T12:00:00+00:00", "2026-02-15T01:30:00Z 2026-02-16T02:30:00+00:00"},
	{"Casablanca: Ramadan ends", SCHEDULE_CRON, "30 2 * * *", "Africa/Casablanca", NOW, "2026-03-21T12:00:00+00:00", "2026-03-22T02:30:00Z 2026-03-23T01:30:00+00:00"},
	{"Dublin gap", SCHEDULE_CRON, "30 1 * * *", "Europe/Dublin", NOW, "2026-03-28T12:00:00+00:00", "2026-03-29T01:30:00Z 2026-03-30T00:30:00+00:00"},
	{"Dublin overlap", SCHEDULE_CRON, "30 1 * * *", "Europe/Dublin", NOW, "2026-10-24T12:00:00+00:00", "2026-10-25T00:30:00Z 2026-10-26T01:30:00+00:00"},
	{"Berlin gap of 2060", SCHEDULE_CRON, "30 2 * * *", "Europe/Berlin", NOW, "2060-03-27T12:00:00+00:00", "2060-03-28T01:30:00Z 2060-03-29T00:30:00+00:00"},
	{"Berlin overlap of 2060", SCHEDULE_CRON, "30 2 * * *", "Europe/Berlin", NOW, "2060-10-30T12:00:00+00:00", "2060-10-31T00:30:00Z 2060-11-01T01:30:00+00:00"},
	{"far ahead, past a century", SCHEDULE_CRON, "0 0 29 2 *", "Europe/Berlin", NOW, "2096-03-01T00:00:00+00:00", "2104-02-28T23:00:00+00:00"},
	{"only ever in a gap, fixed", SCHEDULE_CRON, "30 0 25-31 3 */7", "Asia/Beirut", NOW, "2026-01-01T00:00:00+00:00", "2026-03-28T22:30:00Z 2027-03-27T22:30:00+00:00"},
	{"only ever in a gap, real: none", SCHEDULE_CRON, "30 */24 25-31 3 */7", "Asia/Beirut", NOW, "2026-01-01T00:00:00+00:00", "-"},
	{"never", SCHEDULE_CRON, "0 0 31 2 *", "Europe/Berlin", NOW, "2025-01-01T00:00:00+00:00", "-"},
	{"the last instant there is", SCHEDULE_CRON, "0 0 1 1 *", "UTC", NOW, "9998-06-01T00:00:00+00:00", "9999-01-01T00:00:00Z -"},
	{"the last instant there is, zone behind", SCHEDULE_CRON, "0 0 1 1 *", "America/New_York", NOW, "9998-06-01T00:00:00+00:00", "-"},

	{"H13 every: one interval after creation", SCHEDULE_EVERY, "30m", "UTC", NOW, NOW, "2026-01-01T09:07:00Z 2026-01-01T09:37:00+00:00"},
	{"every: seen from before creation", SCHEDULE_EVERY, "30m", "UTC", NOW, "2020-01-01T00:00:00+00:00", "2026-01-01T09:07:00+00:00"},
	{"every: a microsecond before the grid", SCHEDULE_EVERY, "1s", "UTC", NOW, "2026-01-01T08:37:09.999999+00:00", "2026-01-01T08:37:10+00:00"},
	{"every: from odd microseconds", SCHEDULE_EVERY, "1h", "UTC", "2026-01-01T00:00:00.25+00:00", "2026-01-01T00:30:00+00:00", "2026-01-01T01:00:00.25Z 2026-01-01T02:00:00.25+00:00"},
	{"every: knows no clock change", SCHEDULE_EVERY, "1d", "Europe/Berlin", "2026-03-28T01:30:00+00:00", "2026-03-28T02:00:00+00:00", "2026-03-29T01:30:00Z 2026-03-30T01:30:00+00:00"},
	{"every: anchor before 1970", SCHEDULE_EVERY, "7h", "UTC", "1950-01-01T00:00:00+00:00", "1950-01-01T06:59:59+00:00", "1950-01-01T07:00:00Z 1950-01-01T14:00:00+00:00"},
	{"every: ends with time", SCHEDULE_EVERY, "5200w", "UTC", "9850-01-01T00:00:00+00:00", "9850-01-01T00:00:00+00:00", "9949-08-30T00:00:00Z -"},

	{"H26 idle: no times of its own", SCHEDULE_IDLE, "5m", "UTC", NOW, NOW, "-"},

	{"H12 at: once", SCHEDULE_AT, "2026-02-04T15:15:00-08:00", "America/Los_Angeles", NOW, NOW, "2026-02-04T23:15:00Z -"},
	{"H12 at: in the past of its creation", SCHEDULE_AT, "2020-01-01T00:00:00+00:00", "UTC", NOW, "2019-01-01T00:00:00+00:00", "2020-01-01T00:00:00Z -"},
	{"at: past is past", SCHEDULE_AT, "2020-01-01T00:00:00+00:00", "UTC", NOW, "2020-01-01T00:00:00+00:00", "-"},
	{"at: local time in a gap", SCHEDULE_AT, "2025-03-30T02:30:00", "Europe/Berlin", NOW, "2025-01-01T00:00:00+00:00", "2025-03-30T01:30:00Z -"},

	{"H13 rrule: daily in a gap", SCHEDULE_RRULE, "FREQ=DAILY;BYHOUR=2;BYMINUTE=30;BYSECOND=0", "Europe/Berlin", "2025-01-01T00:00:00+00:00", "2025-03-29T12:00:00+00:00", "2025-03-30T01:30:00Z 2025-03-31T00:30:00+00:00"},
	{"H13 rrule: daily in an overlap", SCHEDULE_RRULE, "FREQ=DAILY;BYHOUR=2;BYMINUTE=30;BYSECOND=0", "Europe/Berlin", "2025-01-01T00:00:00+00:00", "2025-10-25T12:00:00+00:00", "2025-10-26T00:30:00Z 2025-10-27T01:30:00+00:00"},
	{"H13 rrule: half-hourly in a gap", SCHEDULE_RRULE, "FREQ=MINUTELY;INTERVAL=30", "Europe/Berlin", "2025-01-01T00:00:00+00:00", "2025-03-30T00:00:00+00:00", "2025-03-30T00:30:00Z 2025-03-30T01:00:00+00:00"},
	{"H13 rrule: half-hourly in an overlap", SCHEDULE_RRULE, "FREQ=MINUTELY;INTERVAL=30", "Europe/Berlin", "2025-01-01T00:00:00+00:00", "2025-10-26T00:15:00+00:00", "2025-10-26T00:30:00Z 2025-10-26T01:00:00Z 2025-10-26T01:30:00Z 2025-10-26T02:00:00+00:00"},
	{"H13 rrule: a named time has no seconds of creation", SCHEDULE_RRULE, "FREQ=DAILY;BYHOUR=9;BYMINUTE=0", "UTC", "2026-01-01T08:37:11+00:00", "2026-01-01T08:37:11+00:00", "2026-01-01T09:00:00Z 2026-01-02T09:00:00+00:00"},
	{"H13 rrule: its own zone wins", SCHEDULE_RRULE, "DTSTART;TZID=America/New_York:20260105T090000\nRRULE:FREQ=WEEKLY;COUNT=2", "Europe/Berlin", NOW, "2026-01-01T00:00:00+00:00", "2026-01-05T14:00:00Z 2026-01-12T14:00:00Z -"},
	{"H13 rrule: impossible", SCHEDULE_RRULE, "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "Europe/Berlin", NOW, NOW, "-"},
};

static const struct words_case {
	enum schedule_kind kind;
	const char *text, *zone, *want;
} describe_cases[] = {
	{SCHEDULE_AT, "2026-02-04T15:15:00-08:00", "America/Los_Angeles", "once at Feb 4, 2026 3:15 PM PST"},
	{SCHEDULE_EVERY, "30m", "UTC", "every 30 minutes"},
	{SCHEDULE_EVERY, "1h", "UTC", "every hour"},
	{SCHEDULE_EVERY, "90m", "UTC", "every 90 minutes"},
	{SCHEDULE_EVERY, "1d", "UTC", "every 24 hours"}, /* N56 */
	{SCHEDULE_EVERY, "4d", "UTC", "every 96 hours"},
	{SCHEDULE_EVERY, "1w", "UTC", "every 7 days of 24 hours"},
	{SCHEDULE_EVERY, "10d", "UTC", "every 10 days of 24 hours"},
	{SCHEDULE_EVERY, "2h5m", "UTC", "every 2h5m"},
	{SCHEDULE_EVERY, "1500ms", "UTC", "every 1s500ms"},
	{SCHEDULE_IDLE, "5 minutes", "UTC", "when idle for 5m"},
	{SCHEDULE_CRON, "* * * * *", "UTC", "every minute"},
	{SCHEDULE_CRON, "*/15 * * * *", "UTC", "every 15 minutes"},
	{SCHEDULE_CRON, "*/7 * * * *", "UTC", "by the cron line '*/7 * * * *'"},
	{SCHEDULE_CRON, "@hourly", "UTC", "every hour"},
	{SCHEDULE_CRON, "5 * * * *", "UTC", "hourly at :05"},
	{SCHEDULE_CRON, "0 */2 * * *", "UTC", "every 2 hours"},
	{SCHEDULE_CRON, "15 */6 * * 1-5", "UTC", "every 6 hours at :15 on weekdays"},
	{SCHEDULE_CRON, "0 */5 * * *", "UTC", "by the cron line '0 */5 * * *'"},
	{SCHEDULE_CRON, "*/30 9-17 * * 1-5", "UTC", "every 30 minutes from 9:00 AM to 5:30 PM on weekdays"},
	{SCHEDULE_CRON, "0 9 * * *", "UTC", "at 9:00 AM every day"},
	{SCHEDULE_CRON, "@daily", "UTC", "at 12:00 AM every day"},
	{SCHEDULE_CRON, "30 12,18 * * *", "UTC", "at 12:30 PM and 6:30 PM every day"},
	{SCHEDULE_CRON, "0 9 * * 1-5", "UTC", "at 9:00 AM on weekdays"},
	{SCHEDULE_CRON, "0 9 * * sat,sun", "UTC", "at 9:00 AM on weekends"},
	{SCHEDULE_CRON, "0 9 * * mon,wed,fri", "UTC", "at 9:00 AM on Monday, Wednesday and Friday"},
	{SCHEDULE_CRON, "0 9 * 7 1", "UTC", "at 9:00 AM on Monday in July"},
	{SCHEDULE_CRON, "0 9 * 7,8 *", "UTC", "at 9:00 AM every day in July and August"},
	{SCHEDULE_CRON, "0 9 1 * *", "UTC", "at 9:00 AM on the 1st of the month"},
	{SCHEDULE_CRON, "0 9 2,13,22,23 * *", "UTC", "at 9:00 AM on the 2nd, 13th, 22nd and 23rd of the month"},
	{SCHEDULE_CRON, "0 9 1 1,7 *", "UTC", "at 9:00 AM on the 1st of January and July"},
	{SCHEDULE_CRON, "@yearly", "UTC", "at 12:00 AM every year on January 1st"},
	{SCHEDULE_CRON, "0 9 L * *", "UTC", "at 9:00 AM on the last day of the month"},
	{SCHEDULE_CRON, "0 9 LW * *", "UTC", "at 9:00 AM on the last weekday of the month"},
	{SCHEDULE_CRON, "0 9 15W * *", "UTC", "at 9:00 AM on the weekday nearest the 15th of the month"},
	{SCHEDULE_CRON, "0 17 * * friL", "UTC", "at 5:00 PM on the last Friday of the month"},
	{SCHEDULE_CRON, "0 17 * 11 thu#4", "UTC", "at 5:00 PM on the fourth Thursday of November"},
	{SCHEDULE_CRON, "0 0 13 * 5", "UTC", "by the cron line '0 0 13 * 5'"},
	{SCHEDULE_CRON, "0 0 */2 * 5", "UTC", "by the cron line '0 0 */2 * 5'"},
	{SCHEDULE_CRON, "0 0 1,L * *", "UTC", "by the cron line '0 0 1,L * *'"},
	{SCHEDULE_CRON, "0 0 31 2 *", "UTC", "by the cron line '0 0 31 2 *'"},
	{SCHEDULE_RRULE, "FREQ=DAILY;BYHOUR=9;BYMINUTE=0;BYSECOND=0", "UTC", "at 9:00 AM every day"},
	{SCHEDULE_RRULE, "FREQ=DAILY", "UTC", "at 8:37 AM every day"},
	{SCHEDULE_RRULE, "FREQ=DAILY;BYHOUR=9", "UTC", "at 9:00 AM every day"},
	{SCHEDULE_RRULE, "DTSTART:20260101T083711\nRRULE:FREQ=DAILY;BYHOUR=9", "UTC", "at 9:37:11 AM every day"},
	{SCHEDULE_RRULE, "FREQ=DAILY", "Asia/Tokyo", "at 5:37 PM every day"},
	{SCHEDULE_RRULE, "FREQ=DAILY;INTERVAL=3;BYHOUR=17,9,9;BYMINUTE=0", "UTC", "every 3 days at 9:00 AM and 5:00 PM"},
	{SCHEDULE_RRULE, "RRULE:freq=weekly;byday=MO,TU,WE,TH,FR;byhour=9;byminute=0", "UTC", "at 9:00 AM on weekdays"},
	{SCHEDULE_RRULE, "FREQ=WEEKLY", "UTC", "at 8:37 AM on Thursday"},
	{SCHEDULE_RRULE, "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;COUNT=4", "UTC", "every 2 weeks on Monday and Friday at 8:37 AM, 4 times"},
	{SCHEDULE_RRULE, "FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=17;BYMINUTE=0", "UTC", "every month on the last Friday at 5:00 PM"},
	{SCHEDULE_RRULE, "FREQ=MONTHLY;BYMONTHDAY=15,1", "UTC", "every month on the 1st and 15th at 8:37 AM"},
	{SCHEDULE_RRULE, "FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=-1", "UTC", "every 3 months on the last day at 8:37 AM"},
	{SCHEDULE_RRULE, "FREQ=YEARLY", "UTC", "every year on the 1st of January at 8:37 AM"},
	{SCHEDULE_RRULE, "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH", "UTC", "every year on the fourth Thursday of November at 8:37 AM"},
	{SCHEDULE_RRULE, "FREQ=HOURLY;INTERVAL=6", "UTC", "every 6 hours at :37"},
	{SCHEDULE_RRULE, "FREQ=MINUTELY;INTERVAL=30;BYDAY=SA,SU", "UTC", "every 30 minutes on weekends"},
	{SCHEDULE_RRULE, "FREQ=DAILY;UNTIL=20260301T000000Z", "UTC", "at 8:37 AM every day, until 2026-03-01 00:00:00 UTC"},
	{SCHEDULE_RRULE, "FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=-1", "UTC", "by the rule 'FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=-1'"},
	{SCHEDULE_RRULE, "RRULE:FREQ=DAILY\nEXDATE:20260102T083700", "UTC", "by the rule 'RRULE:FREQ=DAILY EXDATE:20260102T083700'"},
};

static const struct words_case label_cases[] = {
	{SCHEDULE_EVERY, "30 minutes", "UTC", "every 30m"},
	{SCHEDULE_IDLE, "90m", "UTC", "idle 1h30m"},
	{SCHEDULE_RRULE, "FREQ=DAILY", "UTC", "RRULE(daily)"},
	{SCHEDULE_CRON, "0 9 * * *", "UTC", "cron 0 9 * * *"},
	{SCHEDULE_AT, "2026-02-04T15:15:00+00:00", "UTC", "once"},
};

static const struct words_case warning_cases[] = {
	{SCHEDULE_CRON, "0 9 * * *", "UTC", ""},
	{SCHEDULE_CRON, "0 9 1 * *", "UTC", ""},
	{SCHEDULE_CRON, "0 0 30 2 *", "UTC", "this schedule never fires: no date fits it"},
	{SCHEDULE_CRON, "0 0 13 * 5", "UTC", "fires when either the day of month or the day of week fits, not only when both do"},
	{SCHEDULE_RRULE, "FREQ=DAILY", "UTC", "the rule names no time of day, so 8:37 AM was taken from now; BYHOUR and BYMINUTE would fix it"},
	{SCHEDULE_RRULE, "FREQ=DAILY;BYHOUR=9;BYMINUTE=0", "UTC", ""},
	{SCHEDULE_RRULE, "FREQ=HOURLY", "UTC", ""},
	{SCHEDULE_RRULE, "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;BYHOUR=9", "UTC", "this schedule never fires: no date fits it"},
	{SCHEDULE_EVERY, "30m", "UTC", ""},
	{SCHEDULE_IDLE, "5m", "UTC", ""},
	{SCHEDULE_AT, "2026-02-04T15:15:00+00:00", "UTC", ""},
};

static const struct words_case refused_cases[] = {
	{SCHEDULE_EVERY, "500ms", "UTC", "interval '500ms' is too short"},
	{SCHEDULE_EVERY, "soon", "UTC", "'soon'"},
	{SCHEDULE_IDLE, "999ms", "UTC", "'999ms' of idleness is too short"},
	{SCHEDULE_IDLE, "53w", "UTC", "'53w' of idleness is too long"},
	{SCHEDULE_IDLE, "soon", "UTC", "'soon'"},
	{SCHEDULE_AT, "yesterday-ish", "UTC", "'yesterday-ish'"},
	{SCHEDULE_CRON, "0 25 * * *", "UTC", "bad hour '25' at column 3"},
	{SCHEDULE_RRULE, "FREQ=SOMETIMES", "UTC", "SOMETIMES"},
};
/* clang-format on */

static usec_t instant(const char *text)
{
	struct error err = {0};
	usec_t t = 0;

	if (instant_parse(text, zone_utc(), &t, &err) < 0)
		fail_msg("'%s': %s", text, err.message);
	return t;
}

static const struct zone *zone_named(const char *name)
{
	const struct zone *zone = NULL;
	struct error err = {0};

	if (zone_get(name, &zone, &err) < 0)
		fail_msg("%s", err.message);
	return zone;
}

static struct schedule *parsed(enum schedule_kind kind, const char *text, const char *zone,
			       usec_t anchor)
{
	struct schedule_spec spec = {kind, text, zone_named(zone), anchor};
	struct schedule *s = NULL;
	struct error err = {0};

	if (schedule_parse(&spec, &s, &err) < 0)
		fail_msg("'%s': %s", text, err.message);
	return s;
}

static struct schedule *parsed_case(const struct next_case *c)
{
	return parsed(c->kind, c->text, c->zone, instant(c->anchor));
}

static void assert_instant(usec_t got, const char *want)
{
	char text[INSTANT_TEXT_MAX];

	instant_format(got, zone_utc(), text);
	if (got != instant(want))
		fail_msg("got %s, want %s", text, want);
}

static void test_next(void **state)
{
	const struct next_case *c = *state;
	AUTO(schedule_free) struct schedule *s = parsed_case(c);
	AUTO(free) char *wants = mem_strdup(c->want);
	usec_t at = instant(c->after), got;
	char *save = NULL;

	for (char *want = strtok_r(wants, " ", &save); want; want = strtok_r(NULL, " ", &save)) {
		if (strcmp(want, "-") == 0) {
			assert_int_equal(schedule_next(s, at, &got), 0);
			return;
		}
		assert_int_equal(schedule_next(s, at, &got), 1);
		assert_instant(got, want);
		assert_int_equal(schedule_next(s, got - 1, &at), 1);
		assert_int_equal(at, got);
	}
}

/* Looking back and counting agree with fifty steps forward. */
static void test_prev_and_count(void **state)
{
	const struct next_case *c = *state;
	AUTO(schedule_free) struct schedule *s = parsed_case(c);
	usec_t start = instant(c->after), at = start, before = start, got;
	int64_t n = 0;

	for (; n < 50 && schedule_next(s, at, &at); n++) {
		assert_int_equal(schedule_count(s, start, at, INT64_MAX), n + 1);
		assert_int_equal(schedule_count(s, start, at - 1, INT64_MAX), n);
		assert_int_equal(schedule_prev(s, start, at, &got), 1);
		assert_int_equal(got, at);
		assert_int_equal(schedule_prev(s, start, at - 1, &got), n > 0);
		if (n > 0)
			assert_int_equal(got, before);
		assert_int_equal(schedule_prev(s, at, at, &got), 0);
		before = at;
	}
	if (n == 0)
		assert_int_equal(schedule_prev(s, start, INT64_MAX, &got), 0);
}

static void test_extremes(void **state)
{
	const struct next_case *c = *state;
	AUTO(schedule_free) struct schedule *s = parsed_case(c);
	usec_t got;

	if (schedule_next(s, INT64_MIN, &got))
		assert_in_range(got - INSTANT_MIN, 0, INSTANT_MAX - INSTANT_MIN);
	assert_int_equal(schedule_next(s, INT64_MAX, &got), 0);
	assert_int_equal(schedule_next(s, INSTANT_MAX, &got), 0);
	assert_int_equal(schedule_prev(s, INT64_MIN, INT64_MIN, &got), 0);
	assert_int_equal(schedule_prev(s, INT64_MAX, INT64_MIN, &got), 0);
	if (schedule_prev(s, INT64_MIN, INT64_MAX, &got)) {
		assert_in_range(got - INSTANT_MIN, 0, INSTANT_MAX - INSTANT_MIN);
		assert_int_equal(schedule_next(s, got, &got), 0);
	}
	assert_in_range(schedule_count(s, INT64_MIN, INT64_MAX, 3), 0, INT64_MAX);
	assert_int_equal(schedule_count(s, INT64_MAX, INT64_MIN, 3), 0);
}

static void test_limit(void **state)
{
	AUTO(schedule_free) struct schedule *s = parsed(SCHEDULE_CRON, "* * * * *", "UTC", 0);

	(void)state;
	assert_int_equal(schedule_count(s, 0, 365 * USEC_PER_DAY, 1000), 1000);
	assert_int_equal(schedule_count(s, 0, 1000 * USEC_PER_MINUTE, 1000), 1000);
	assert_int_equal(schedule_count(s, 0, 999 * USEC_PER_MINUTE, 1000), 999);
	assert_int_equal(schedule_count(s, 0, 999 * USEC_PER_MINUTE, 0), 0);
}

static void check_words(const struct words_case *c, char *(*words)(const struct schedule *))
{
	AUTO(schedule_free)
	struct schedule *s = parsed(c->kind, c->text, c->zone, instant(NOW));
	AUTO(free) char *got = words(s);

	assert_string_equal(got, c->want);
}

static void test_describe(void **state)
{
	check_words(*state, schedule_describe);
}

static void test_label(void **state)
{
	check_words(*state, schedule_label);
}

static void test_warning(void **state)
{
	check_words(*state, schedule_warning);
}

static void test_refused(void **state)
{
	const struct words_case *c = *state;
	struct schedule_spec spec = {c->kind, c->text, zone_named(c->zone), instant(NOW)};
	struct schedule *s = NULL;
	struct error err = {0};

	assert_int_equal(schedule_parse(&spec, &s, &err), ERR_INVALID);
	assert_null(s);
	if (!strstr(err.message, c->want))
		fail_msg("message is \"%s\"", err.message);
}

static void test_anchor(void **state)
{
	static const usec_t bad[] = {INT64_MIN, INSTANT_MIN - 1, INSTANT_MAX + 1, INT64_MAX};
	struct error err = {0};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct schedule_spec every = {SCHEDULE_EVERY, "1h", zone_utc(), bad[i]};
		struct schedule_spec rule = {SCHEDULE_RRULE, "FREQ=DAILY", zone_utc(), bad[i]};
		struct schedule *s = NULL;

		assert_int_equal(schedule_parse(&every, &s, &err), ERR_INVALID);
		assert_int_equal(schedule_parse(&rule, &s, &err), ERR_INVALID);
	}
}

static void test_kinds(void **state)
{
	(void)state;
	for (int i = 0; i < SCHEDULE_KINDS; i++)
		assert_int_equal(schedule_kind_of(schedule_kind_word((enum schedule_kind)i)), i);
	assert_int_equal(schedule_kind_of("sometimes"), -1);
}

static void add_words(const struct words_case *cases, size_t count, CMUnitTestFunction test)
{
	for (size_t i = 0; i < count; i++)
		add_row(cases[i].text, test, &cases[i]);
}

int main(void)
{
	for (size_t i = 0; i < COUNT_OF(next_cases); i++) {
		add_row(next_cases[i].name, test_next, &next_cases[i]);
		add_row(next_cases[i].name, test_prev_and_count, &next_cases[i]);
		add_row(next_cases[i].name, test_extremes, &next_cases[i]);
	}
	add_words(describe_cases, COUNT_OF(describe_cases), test_describe);
	add_words(label_cases, COUNT_OF(label_cases), test_label);
	add_words(warning_cases, COUNT_OF(warning_cases), test_warning);
	add_words(refused_cases, COUNT_OF(refused_cases), test_refused);
	add_row("count stops at its limit", test_limit, NULL);
	add_row("an anchor outside of time", test_anchor, NULL);
	add_row("kind words", test_kinds, NULL);
	return run_rows("schedule");
}
