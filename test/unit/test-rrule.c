/*
 * test-rrule.c: recurrence rules, by what they fire (H13).
 * Expected times are written "1997-09: 2 9T0830 1997-10: 7 .": a month and its days, at DTSTART's
 * time of day unless one follows; "." says that no more come, "+" that some do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "schedule/rrule-internal.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

/* clang-format off */
static const struct next_case {
	const char *name, *text, *after, *want; /* after: NULL is DTSTART less a second */
} next_cases[] = {
	/* The rows of the decisions. */
	{"H13 BYHOUR out of order", "DTSTART:20260101T080000 RRULE:FREQ=DAILY;BYHOUR=17,9", NULL, "2026-01: 1T0900 1T1700 2T0900 +"},
	{"H13 hourly BYHOUR", "DTSTART:20260101T080000 RRULE:FREQ=HOURLY;BYHOUR=9,17", NULL, "2026-01: 1T0900 1T1700 2T0900 +"},
	{"H13 BYHOUR twice the same", "DTSTART:20260101T090000 RRULE:FREQ=DAILY;BYHOUR=9,9", NULL, "2026-01: 1 2 3 +"},
	{"H13 minutely within an hour", "DTSTART:20260101T083000 RRULE:FREQ=MINUTELY;BYHOUR=9", NULL, "2026-01: 1T0900 1T0901 +"},
	{"H13 interval never meets hour", "DTSTART:20260101T040000 RRULE:FREQ=HOURLY;INTERVAL=24;BYHOUR=5", NULL, "."},
	{"H13 every 7 hours keeps phase", "DTSTART:20260101T000000 RRULE:FREQ=HOURLY;INTERVAL=7", "20260103T120000", "2026-01: 3T1500 3T2200 +"},
	{"H13 every 11 minutes on the hour", "DTSTART:20260101T000000 RRULE:FREQ=MINUTELY;INTERVAL=11;BYMINUTE=0", NULL, "2026-01: 1T0000 1T1100 1T2200 +"},
	{"H13 every 86400 seconds", "DTSTART:20260101T000000 RRULE:FREQ=SECONDLY;INTERVAL=86400", NULL, "2026-01: 1 2 3 +"},
	{"H13 every 43200 minutes", "DTSTART:20260101T000000 RRULE:FREQ=MINUTELY;INTERVAL=43200", NULL, "2026-01: 1 31 2026-03: 2 +"},
	{"H13 every other Sunday", "DTSTART:20260102T090000 RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=SU", NULL, "2026-01: 4 18 2026-02: 1 +"},
	{"H13 RFC WKST=MO", "DTSTART:19970805T090000 RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO", NULL, "1997-08: 5 10 19 24 ."},
	{"H13 RFC WKST=SU", "DTSTART:19970805T090000 RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU", NULL, "1997-08: 5 17 19 31 ."},
	{"H13 last of the week", "DTSTART:20260105T090000 RRULE:FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=-1", NULL, "2026-01: 9 16 +"},
	{"H13 second of the day", "DTSTART:20260101T000000 RRULE:FREQ=DAILY;BYHOUR=9,12,17;BYSETPOS=2", NULL, "2026-01: 1T1200 2T1200 +"},
	{"H13 last working hour of the month", "DTSTART:20260101T000000 RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9,17;BYSETPOS=-1", NULL, "2026-01: 30T1700 2026-02: 27T1700 +"},
	{"H13 daily on the last day", "DTSTART:20260101T090000 RRULE:FREQ=DAILY;BYMONTHDAY=-1", NULL, "2026-01: 31 2026-02: 28 2026-03: 31 +"},
	{"H13 hourly on the year's last day", "DTSTART:20260101T090000 RRULE:FREQ=HOURLY;BYYEARDAY=-1;BYHOUR=9", NULL, "2026-12: 31 2027-12: 31 +"},
	{"H13 monthly on the 31st", "DTSTART:20260131T090000 RRULE:FREQ=MONTHLY", NULL, "2026-01: 31 2026-03: 31 2026-05: 31 +"},
	{"H13 the 31st and the last", "DTSTART:20260101T090000 RRULE:FREQ=MONTHLY;BYMONTHDAY=31,-1", NULL, "2026-01: 31 2026-02: 28 2026-03: 31 +"},
	{"H13 leap day", "DTSTART:20240229T090000 RRULE:FREQ=YEARLY", NULL, "2024-02: 29 2028-02: 29 +"},
	{"H13 leap day every third year", "DTSTART:20240229T090000 RRULE:FREQ=YEARLY;INTERVAL=3", NULL, "2024-02: 29 2036-02: 29 +"},
	{"H13 leap day across 2100", "DTSTART:20960229T090000 RRULE:FREQ=YEARLY", NULL, "2096-02: 29 2104-02: 29 +"},
	{"H13 fifth Friday", "DTSTART:20260101T090000 RRULE:FREQ=MONTHLY;BYDAY=5FR", NULL, "2026-01: 30 2026-05: 29 2026-07: 31 +"},
	{"H13 53rd Thursday", "DTSTART:20260101T090000 RRULE:FREQ=YEARLY;BYDAY=53TH", NULL, "2026-12: 31 2032-12: 30 +"},
	{"H13 day 366", "DTSTART:20260101T090000 RRULE:FREQ=YEARLY;BYYEARDAY=366", NULL, "2028-12: 31 2032-12: 31 +"},
	{"H13 day 60", "DTSTART:20260101T090000 RRULE:FREQ=YEARLY;BYYEARDAY=60", NULL, "2026-03: 1 2027-03: 1 2028-02: 29 +"},
	{"H13 day -366", "DTSTART:20260101T090000 RRULE:FREQ=YEARLY;BYYEARDAY=-366", NULL, "2028-01: 1 2032-01: 1 +"},
	{"H13 week 53", "DTSTART:20260601T090000 RRULE:FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO,FR", NULL, "2026-12: 28 2027-01: 1 2032-12: 27 +"},
	{"H13 week 1 begins in December", "DTSTART:20240601T090000 RRULE:FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO", NULL, "2024-12: 30 2025-12: 29 2027-01: 4 +"},
	{"H13 year day within a month", "DTSTART:20260101T090000 RRULE:FREQ=YEARLY;BYMONTH=11;BYYEARDAY=331", NULL, "2026-11: 27 2027-11: 27 +"},
	{"H13 minutes of a leap Monday", "DTSTART:20260101T000000 RRULE:FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO", NULL, "2044-02: 29T0000 29T0001 +"},
	{"H13 February 30th", "DTSTART:20260101T090000 RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", NULL, "."},
	{"H13 sixth Monday", "DTSTART:20260101T090000 RRULE:FREQ=MONTHLY;BYDAY=MO;BYSETPOS=6", NULL, "."},
	{"H13 UNTIL is inclusive", "DTSTART:20260101T090000 RRULE:FREQ=DAILY;UNTIL=20260103T090000", NULL, "2026-01: 1 2 3 ."},
	{"H13 UNTIL a second before", "DTSTART:20260101T090000 RRULE:FREQ=DAILY;UNTIL=20260103T085959", NULL, "2026-01: 1 2 ."},
	{"H13 COUNT from the middle", "DTSTART:20260101T090000 RRULE:FREQ=DAILY;COUNT=3", "20260102T090000", "2026-01: 3 ."},
	{"H13 COUNT within a day", "DTSTART:20260101T093000 RRULE:FREQ=DAILY;BYHOUR=9;BYMINUTE=0,30;COUNT=2", NULL, "2026-01: 1T0930 2T0900 ."},

	/* Grey cases decided. */
	{"H13 DTSTART does not match", "DTSTART:20260101T090000 RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2", NULL, "2026-01: 5 12 ."},
	{"H13 BYWEEKNO without a day", "DTSTART:20260106T090000 RRULE:FREQ=YEARLY;BYWEEKNO=2,3", NULL, "2026-01: 6 13 2027-01: 12 19 +"},
	{"H13 plain and numbered days", "DTSTART:20260101T090000 RRULE:FREQ=MONTHLY;BYDAY=MO,1FR", NULL, "2026-01: 2 5 12 19 26 2026-02: 2 6 +"},
	{"H13 plain and numbered in the year", "DTSTART:20260101T090000 RRULE:FREQ=YEARLY;BYDAY=1MO,-1MO,SU;COUNT=3", NULL, "2026-01: 4 5 11 ."},
	{"H13 yearly month day in every month", "DTSTART:20260101T090000 RRULE:FREQ=YEARLY;BYMONTHDAY=15", NULL, "2026-01: 15 2026-02: 15 +"},
	{"H13 positions count before DTSTART", "DTSTART:20260107T090000 RRULE:FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=2", NULL, "2026-01: 7 14 +"},
	{"H13 first of the week is over", "DTSTART:20260107T090000 RRULE:FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=1", NULL, "2026-01: 12 19 +"},
	{"H13 second 60 is the last", "DTSTART:20260101T090000 RRULE:FREQ=MINUTELY;BYSECOND=60,59,0", NULL, "2026-01: 1T090000 1T090059 1T090100 +"},
	{"H13 UNTIL as a date", "DTSTART:20260101T090000 RRULE:FREQ=DAILY;UNTIL=20260103", NULL, "2026-01: 1 2 3 ."},
	{"H13 UNTIL before DTSTART", "DTSTART:20260101T090000 RRULE:FREQ=DAILY;UNTIL=20251231T000000", NULL, "."},
	{"H13 positions within an hour", "DTSTART:20260101T090000 RRULE:FREQ=HOURLY;INTERVAL=2;BYMINUTE=0,10,20;BYSETPOS=-1,1", NULL, "2026-01: 1T0900 1T0920 1T1100 1T1120 +"},
	{"H13 positions within a minute", "DTSTART:20260101T090000 RRULE:FREQ=MINUTELY;BYSECOND=5,10,15;BYSETPOS=2", NULL, "2026-01: 1T090010 1T090110 +"},
	{"H13 positions of a second", "DTSTART:20260101T090000 RRULE:FREQ=SECONDLY;BYMINUTE=5;BYSETPOS=-1", NULL, "2026-01: 1T090500 1T090501 +"},
	{"H13 no second position of a second", "DTSTART:20260101T090000 RRULE:FREQ=SECONDLY;BYMINUTE=5;BYSETPOS=2", NULL, "."},
	{"H13 last second of the year", "DTSTART:20260101T000000 RRULE:FREQ=YEARLY;BYMONTHDAY=-1;BYMONTH=12;BYHOUR=22,23;BYMINUTE=58,59;BYSECOND=58,59;BYSETPOS=-1", NULL, "2026-12: 31T235959 2027-12: 31T235959 +"},

	/* COUNT, however far. */
	{"H13 COUNT of a million days", "DTSTART:20260101T090000 RRULE:FREQ=DAILY;COUNT=1000000", "47631127T090000", "4763-11: 28 ."},
	{"H13 COUNT of 10^9 seconds", "DTSTART:20260101T000000 RRULE:FREQ=SECONDLY;COUNT=1000000000", "20570909T014638", "2057-09: 9T014639 ."},
	{"H13 COUNT of units", "DTSTART:20260101T000030 RRULE:FREQ=MINUTELY;INTERVAL=7;BYSECOND=0,30;COUNT=1000000", "20320827T131300", "2032-08: 27T131330 27T132000 ."},
	{"H13 COUNT past the calendar", "DTSTART:99991230T090000 RRULE:FREQ=DAILY;COUNT=9223372036854775807", NULL, "9999-12: 30 31 ."},
	{"H13 COUNT of filtered units", "DTSTART:20260101T000000 RRULE:FREQ=HOURLY;INTERVAL=5;BYHOUR=5,10;COUNT=3", NULL, "2026-01: 1T0500 1T1000 6T0500 ."},
	{"H13 COUNT with EXDATE", "DTSTART:20260101T090000 RRULE:FREQ=DAILY;COUNT=3 EXDATE:20260102T090000", NULL, "2026-01: 1 3 ."},

	/* Intervals. */
	{"H13 huge INTERVAL", "DTSTART:20260101T090000 RRULE:FREQ=HOURLY;INTERVAL=9223372036854775807", NULL, "2026-01: 1 ."},
	{"H13 huge INTERVAL by week", "DTSTART:20260101T090000 RRULE:FREQ=WEEKLY;INTERVAL=9223372036854775807;BYDAY=TH,FR", NULL, "2026-01: 1 2 ."},
	{"H13 huge INTERVAL by day", "DTSTART:20260101T090000 RRULE:FREQ=DAILY;INTERVAL=9223372036854775807", "20260101T090000", "."},
	{"H13 huge INTERVAL by month", "DTSTART:20260101T090000 RRULE:FREQ=MONTHLY;INTERVAL=9223372036854775807", "20260101T090000", "."},
	{"H13 huge INTERVAL by year", "DTSTART:20260101T090000 RRULE:FREQ=YEARLY;INTERVAL=9223372036854775807", "20260101T090000", "."},
	{"H13 every 45 days", "DTSTART:20260101T090000 RRULE:FREQ=DAILY;INTERVAL=45", NULL, "2026-01: 1 2026-02: 15 2026-04: 1 2026-05: 16 +"},
	{"H13 every 9 weeks far on", "DTSTART:20260101T090000 RRULE:FREQ=WEEKLY;INTERVAL=9", "21260101T000000", "2126-01: 17 +"},
	{"H13 every 5 months from the 31st", "DTSTART:20260131T090000 RRULE:FREQ=MONTHLY;INTERVAL=5", NULL, "2026-01: 31 2028-07: 31 2028-12: 31 +"},

	/* EXDATE and RDATE. */
	{"H13 EXDATE list", "DTSTART:20260101T090000 RRULE:FREQ=DAILY EXDATE:20260102T090000,20260103T090000", NULL, "2026-01: 1 4 5 +"},
	{"H13 EXDATE of another time", "DTSTART:20260101T090000 RRULE:FREQ=DAILY EXDATE:20260102T100000", NULL, "2026-01: 1 2 +"},
	{"H13 EXDATE of a day", "DTSTART:20260101T090000 RRULE:FREQ=HOURLY EXDATE;VALUE=DATE:20260102", "20260101T220000", "2026-01: 1T2300 3T0000 +"},
	{"H13 RDATE merges", "DTSTART:20260101T090000 RRULE:FREQ=WEEKLY;COUNT=2 RDATE:20260103T120000,20260108T090000,20260201T080000", NULL, "2026-01: 1 3T1200 8 2026-02: 1T0800 ."},
	{"H13 RDATE as a date", "DTSTART:20260101T090000 RRULE:FREQ=WEEKLY;COUNT=1 RDATE;VALUE=DATE:20260105", NULL, "2026-01: 1 5 ."},
	{"H13 RDATE before DTSTART", "DTSTART:20260101T090000 RRULE:FREQ=DAILY;COUNT=1 RDATE:20251225T090000", "20251201T000000", "2025-12: 25 2026-01: 1 ."},
	{"H13 RDATE alone", "DTSTART:20260101T090000 RDATE:20260103T090000,20260102T090000,20260103T090000", NULL, "2026-01: 1 2 3 ."},
	{"H13 EXDATE beats RDATE", "DTSTART:20260101T090000 RRULE:FREQ=DAILY;COUNT=1 RDATE:20260105T090000 EXDATE:20260105T090000", NULL, "2026-01: 1 ."},

	/* The text in its wrappings. */
	{"H13 case does not matter", "dtstart:20260101t090000 rrule:freq=weekly;byday=mo", NULL, "2026-01: 5 +"},
	{"H13 lines", "DTSTART:20260101T090000\r\nRRULE:FREQ=DAILY;COUNT=2\r\nEXDATE:20260101T090000\r\n", NULL, "2026-01: 2 ."},
	{"H13 spelled newline", "DTSTART:20260101T090000\\nRRULE:FREQ=DAILY;COUNT=1", NULL, "2026-01: 1 ."},
	{"H13 folded", "DTSTART:20260101T090000\n RRULE:FREQ=DAI\n LY;BYMONTH=\n\t2;COUNT=1", NULL, "2026-02: 1 ."},
	{"H13 blanks after punctuation", "DTSTART:20260101T090000 RRULE: FREQ=DAILY; BYHOUR=9, 10; COUNT=3", NULL, "2026-01: 1 1T1000 2 ."},
	{"H13 rule before DTSTART", "RRULE:FREQ=DAILY;COUNT=1\nDTSTART:20260101T090000", NULL, "2026-01: 1 ."},
	{"H13 signs and zeros", "DTSTART:20260101T090000 RRULE:FREQ=MONTHLY;BYDAY=+1FR;BYHOUR=08;COUNT=1", NULL, "2026-01: 2T0800 ."},
	{"H13 DTSTART as a date", "DTSTART;VALUE=DATE:20260101 RRULE:FREQ=DAILY;BYHOUR=9;COUNT=2", NULL, "2026-01: 1T0900 2T0900 ."},

	/* Zones. */
	{"H13 TZID wins", "DTSTART;TZID=\"Asia/Tokyo\":20260101T090000 RRULE:FREQ=DAILY;UNTIL=20260103T000000Z", NULL, "2026-01: 1 2 3 ."},
	{"H13 UNTIL of UTC in New York", "DTSTART;TZID=America/New_York:20260101T190000 RRULE:FREQ=DAILY;UNTIL=20260103T000000Z", NULL, "2026-01: 1 2 ."},
	{"H13 EXDATE of UTC", "DTSTART;TZID=America/New_York:20260701T090000 RRULE:FREQ=DAILY;COUNT=3 EXDATE:20260702T130000Z", NULL, "2026-07: 1 3 ."},
	{"H13 EXDATE of another zone", "DTSTART;TZID=America/New_York:20260701T090000 RRULE:FREQ=DAILY;COUNT=3 EXDATE;TZID=Europe/Berlin:20260702T150000", NULL, "2026-07: 1 3 ."},
	{"H13 RDATE of UTC", "DTSTART;TZID=America/New_York:20260701T090000 RRULE:FREQ=DAILY;COUNT=1 RDATE:20260705T140000Z", NULL, "2026-07: 1 5T1000 ."},

	/* The examples of RFC 5545 3.8.5.3, in order. */
#define NY "DTSTART;TZID=America/New_York:"
	{"H13 RFC daily for 10", NY "19970902T090000\nRRULE:FREQ=DAILY;COUNT=10", NULL, "1997-09: 2 3 4 5 6 7 8 9 10 11 ."},
	{"H13 RFC daily until December 24", NY "19970902T090000\nRRULE:FREQ=DAILY;UNTIL=19971224T000000Z", NULL,
		"1997-09: 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 "
		"1997-10: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 "
		"1997-11: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 "
		"1997-12: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 ."},
	{"H13 RFC every other day", NY "19970902T090000\nRRULE:FREQ=DAILY;INTERVAL=2", NULL,
		"1997-09: 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 1997-10: 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 1997-11: 1 3 5 +"},
	{"H13 RFC every 10 days", NY "19970902T090000\nRRULE:FREQ=DAILY;INTERVAL=10;COUNT=5", NULL, "1997-09: 2 12 22 1997-10: 2 12 ."},
#define JANUARY "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 "
	{"H13 RFC every day in January, yearly", NY "19980101T090000\nRRULE:FREQ=YEARLY;UNTIL=20000131T140000Z;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA", NULL,
		"1998-01: " JANUARY "1999-01: " JANUARY "2000-01: " JANUARY "."},
	{"H13 RFC every day in January, daily", NY "19980101T090000\nRRULE:FREQ=DAILY;UNTIL=20000131T140000Z;BYMONTH=1", NULL,
		"1998-01: " JANUARY "1999-01: " JANUARY "2000-01: " JANUARY "."},
	{"H13 RFC weekly for 10", NY "19970902T090000\nRRULE:FREQ=WEEKLY;COUNT=10", NULL, "1997-09: 2 9 16 23 30 1997-10: 7 14 21 28 1997-11: 4 ."},
	{"H13 RFC weekly until", NY "19970902T090000\nRRULE:FREQ=WEEKLY;UNTIL=19971224T000000Z", NULL,
		"1997-09: 2 9 16 23 30 1997-10: 7 14 21 28 1997-11: 4 11 18 25 1997-12: 2 9 16 23 ."},
	{"H13 RFC every other week", NY "19970902T090000\nRRULE:FREQ=WEEKLY;INTERVAL=2;WKST=SU", NULL,
		"1997-09: 2 16 30 1997-10: 14 28 1997-11: 11 25 1997-12: 9 23 1998-01: 6 20 1998-02: 3 17 +"},
	{"H13 RFC Tuesday and Thursday until", NY "19970902T090000\nRRULE:FREQ=WEEKLY;UNTIL=19971007T000000Z;WKST=SU;BYDAY=TU,TH", NULL, "1997-09: 2 4 9 11 16 18 23 25 30 1997-10: 2 ."},
	{"H13 RFC Tuesday and Thursday for 10", NY "19970902T090000\nRRULE:FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH", NULL, "1997-09: 2 4 9 11 16 18 23 25 30 1997-10: 2 ."},
	{"H13 RFC every other MO WE FR", NY "19970901T090000\nRRULE:FREQ=WEEKLY;INTERVAL=2;UNTIL=19971224T000000Z;WKST=SU;BYDAY=MO,WE,FR", NULL,
		"1997-09: 1 3 5 15 17 19 29 1997-10: 1 3 13 15 17 27 29 31 1997-11: 10 12 14 24 26 28 1997-12: 8 10 12 22 ."},
	{"H13 RFC every other TU TH for 8", NY "19970902T090000\nRRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH", NULL, "1997-09: 2 4 16 18 30 1997-10: 2 14 16 ."},
	{"H13 RFC first Friday for 10", NY "19970905T090000\nRRULE:FREQ=MONTHLY;COUNT=10;BYDAY=1FR", NULL,
		"1997-09: 5 1997-10: 3 1997-11: 7 1997-12: 5 1998-01: 2 1998-02: 6 1998-03: 6 1998-04: 3 1998-05: 1 1998-06: 5 ."},
	{"H13 RFC first Friday until", NY "19970905T090000\nRRULE:FREQ=MONTHLY;UNTIL=19971224T000000Z;BYDAY=1FR", NULL, "1997-09: 5 1997-10: 3 1997-11: 7 1997-12: 5 ."},
	{"H13 RFC first and last Sunday", NY "19970907T090000\nRRULE:FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU", NULL,
		"1997-09: 7 28 1997-11: 2 30 1998-01: 4 25 1998-03: 1 29 1998-05: 3 31 ."},
	{"H13 RFC second-to-last Monday", NY "19970922T090000\nRRULE:FREQ=MONTHLY;COUNT=6;BYDAY=-2MO", NULL, "1997-09: 22 1997-10: 20 1997-11: 17 1997-12: 22 1998-01: 19 1998-02: 16 ."},
	{"H13 RFC third-to-last day", NY "19970928T090000\nRRULE:FREQ=MONTHLY;BYMONTHDAY=-3", NULL, "1997-09: 28 1997-10: 29 1997-11: 28 1997-12: 29 1998-01: 29 1998-02: 26 +"},
	{"H13 RFC 2nd and 15th", NY "19970902T090000\nRRULE:FREQ=MONTHLY;COUNT=10;BYMONTHDAY=2,15", NULL, "1997-09: 2 15 1997-10: 2 15 1997-11: 2 15 1997-12: 2 15 1998-01: 2 15 ."},
	{"H13 RFC first and last day", NY "19970930T090000\nRRULE:FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1", NULL, "1997-09: 30 1997-10: 1 31 1997-11: 1 30 1997-12: 1 31 1998-01: 1 31 1998-02: 1 ."},
	{"H13 RFC every 18 months", NY "19970910T090000\nRRULE:FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15", NULL, "1997-09: 10 11 12 13 14 15 1999-03: 10 11 12 13 ."},
	{"H13 RFC Tuesdays every other month", NY "19970902T090000\nRRULE:FREQ=MONTHLY;INTERVAL=2;BYDAY=TU", NULL, "1997-09: 2 9 16 23 30 1997-11: 4 11 18 25 1998-01: 6 13 20 27 1998-03: 3 10 17 24 31 +"},
	{"H13 RFC June and July", NY "19970610T090000\nRRULE:FREQ=YEARLY;COUNT=10;BYMONTH=6,7", NULL,
		"1997-06: 10 1997-07: 10 1998-06: 10 1998-07: 10 1999-06: 10 1999-07: 10 2000-06: 10 2000-07: 10 2001-06: 10 2001-07: 10 ."},
	{"H13 RFC every other year, three months", NY "19970310T090000\nRRULE:FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3", NULL,
		"1997-03: 10 1999-01: 10 1999-02: 10 1999-03: 10 2001-01: 10 2001-02: 10 2001-03: 10 2003-01: 10 2003-02: 10 2003-03: 10 ."},
	{"H13 RFC days 1, 100 and 200", NY "19970101T090000\nRRULE:FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200", NULL,
		"1997-01: 1 1997-04: 10 1997-07: 19 2000-01: 1 2000-04: 9 2000-07: 18 2003-01: 1 2003-04: 10 2003-07: 19 2006-01: 1 ."},
	{"H13 RFC 20th Monday", NY "19970519T090000\nRRULE:FREQ=YEARLY;BYDAY=20MO", NULL, "1997-05: 19 1998-05: 18 1999-05: 17 +"},
	{"H13 RFC Monday of week 20", NY "19970512T090000\nRRULE:FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO", NULL, "1997-05: 12 1998-05: 11 1999-05: 17 +"},
	{"H13 RFC Thursdays in March", NY "19970313T090000\nRRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=TH", NULL, "1997-03: 13 20 27 1998-03: 5 12 19 26 1999-03: 4 11 18 25 +"},
	{"H13 RFC Thursdays in summer", NY "19970605T090000\nRRULE:FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8", NULL,
		"1997-06: 5 12 19 26 1997-07: 3 10 17 24 31 1997-08: 7 14 21 28 1998-06: 4 11 18 25 1998-07: 2 9 16 23 30 1998-08: 6 13 20 27 "
		"1999-06: 3 10 17 24 1999-07: 1 8 15 22 29 1999-08: 5 12 19 26 +"},
	{"H13 RFC Friday the 13th", NY "19970902T090000\nEXDATE;TZID=America/New_York:19970902T090000\nRRULE:FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", NULL,
		"1998-02: 13 1998-03: 13 1998-11: 13 1999-08: 13 2000-10: 13 +"},
	{"H13 RFC Saturday after the first Sunday", NY "19970913T090000\nRRULE:FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13", NULL,
		"1997-09: 13 1997-10: 11 1997-11: 8 1997-12: 13 1998-01: 10 1998-02: 7 1998-03: 7 1998-04: 11 1998-05: 9 1998-06: 13 +"},
	{"H13 RFC election day", NY "19961105T090000\nRRULE:FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8", NULL, "1996-11: 5 2000-11: 7 2004-11: 2 +"},
	{"H13 RFC third of TU WE TH", NY "19970904T090000\nRRULE:FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3", NULL, "1997-09: 4 1997-10: 7 1997-11: 6 ."},
	{"H13 RFC second-to-last weekday", NY "19970929T090000\nRRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2", NULL,
		"1997-09: 29 1997-10: 30 1997-11: 27 1997-12: 30 1998-01: 29 1998-02: 26 1998-03: 30 +"},
	/* As printed UNTIL is 13:00 in New York; erratum 3883 makes it 21:00Z. */
	{"H13 RFC every 3 hours as printed", NY "19970902T090000\nRRULE:FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T170000Z", NULL, "1997-09: 2T0900 2T1200 ."},
	{"H13 RFC every 3 hours as corrected", NY "19970902T090000\nRRULE:FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T210000Z", NULL, "1997-09: 2T0900 2T1200 2T1500 ."},
	{"H13 RFC every 15 minutes for 6", NY "19970902T090000\nRRULE:FREQ=MINUTELY;INTERVAL=15;COUNT=6", NULL, "1997-09: 2T0900 2T0915 2T0930 2T0945 2T1000 2T1015 ."},
	{"H13 RFC every hour and a half", NY "19970902T090000\nRRULE:FREQ=MINUTELY;INTERVAL=90;COUNT=4", NULL, "1997-09: 2T0900 2T1030 2T1200 2T1330 ."},
#define TWENTIES(day) day "T0900 " day "T0920 " day "T0940 " day "T1000 " day "T1020 " day "T1040 " day "T1100 " day "T1120 " \
	day "T1140 " day "T1200 " day "T1220 " day "T1240 " day "T1300 " day "T1320 " day "T1340 " day "T1400 " day "T1420 " \
	day "T1440 " day "T1500 " day "T1520 " day "T1540 " day "T1600 " day "T1620 " day "T1640 "
	{"H13 RFC every 20 minutes, daily", NY "19970902T090000\nRRULE:FREQ=DAILY;BYHOUR=9,10,11,12,13,14,15,16;BYMINUTE=0,20,40", NULL, "1997-09: " TWENTIES("2") TWENTIES("3") "+"},
	{"H13 RFC every 20 minutes, minutely", NY "19970902T090000\nRRULE:FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10,11,12,13,14,15,16", NULL, "1997-09: " TWENTIES("2") TWENTIES("3") "+"},
	{"H13 RFC invalid dates are skipped", NY "20070115T090000\nRRULE:FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5", NULL, "2007-01: 15 30 2007-02: 15 2007-03: 15 30 ."},
};

static const struct refused_case {
	const char *name, *text, *message;
	bool hinted_by_zone; /* the rest of the message is the zone's own */
} refused_cases[] = {
	{"H13 empty", "", "rrule: neither RRULE nor RDATE in the text", false},
	{"H13 no FREQ", "RRULE:BYHOUR=9", "rrule: no FREQ in the rule at column 7", false},
	{"H13 unknown FREQ", "FREQ=FORTNIGHTLY", "rrule: bad FREQ 'FORTNIGHTLY' at column 6", false},
	{"H13 unknown part", "FREQ=DAILY;BYHUOR=9", "rrule: unknown part 'BYHUOR' at column 12", false},
	{"H13 RSCALE", "RSCALE=HEBREW;FREQ=YEARLY", "rrule: unknown part 'RSCALE' at column 1", false},
	{"H13 twice the same part", "FREQ=DAILY;BYHOUR=9;BYHOUR=10", "rrule: second BYHOUR at column 21", false},
	{"H13 part without value", "FREQ=DAILY;BYHOUR=", "rrule: BYHOUR at column 12 has no value", false},
	{"H13 part without '='", "FREQ=DAILY;BYHOUR", "rrule: BYHOUR at column 12 has no value", false},
	{"H13 trailing semicolon", "FREQ=DAILY;", "rrule: unknown part '' at column 12", false},
	{"H13 trailing junk", "FREQ=DAILY;BYHOUR=9x", "rrule: bad BYHOUR '9x' at column 19", false},
	{"H13 second word", "FREQ=DAILY BYHOUR=9", "rrule: second rule 'BYHOUR=9' at column 12", false},
	{"H13 empty item", "FREQ=DAILY;BYHOUR=9,,10", "rrule: bad BYHOUR '' at column 21", false},
	{"H13 trailing comma", "FREQ=DAILY;BYHOUR=9,", "rrule: bad BYHOUR '' at column 21", false},
	{"H13 hour 24", "FREQ=DAILY;BYHOUR=9,24", "rrule: bad BYHOUR '24' at column 21", false},
	{"H13 hour -1", "FREQ=DAILY;BYHOUR=-1", "rrule: bad BYHOUR '-1' at column 19", false},
	{"H13 minute 60", "FREQ=DAILY;BYMINUTE=60", "rrule: bad BYMINUTE '60' at column 21", false},
	{"H13 second 61", "FREQ=DAILY;BYSECOND=61", "rrule: bad BYSECOND '61' at column 21", false},
	{"H13 month 13", "FREQ=DAILY;BYMONTH=13", "rrule: bad BYMONTH '13' at column 20", false},
	{"H13 month 0", "FREQ=DAILY;BYMONTH=0", "rrule: bad BYMONTH '0' at column 20", false},
	{"H13 month day 0", "FREQ=MONTHLY;BYMONTHDAY=0", "rrule: bad BYMONTHDAY '0' at column 25", false},
	{"H13 month day -32", "FREQ=MONTHLY;BYMONTHDAY=-32", "rrule: bad BYMONTHDAY '-32' at column 25", false},
	{"H13 year day 367", "FREQ=YEARLY;BYYEARDAY=367", "rrule: bad BYYEARDAY '367' at column 23", false},
	{"H13 week 54", "FREQ=YEARLY;BYWEEKNO=54", "rrule: bad BYWEEKNO '54' at column 22", false},
	{"H13 position 367", "FREQ=YEARLY;BYDAY=MO;BYSETPOS=367", "rrule: bad BYSETPOS '367' at column 31", false},
	{"H13 number too long", "FREQ=DAILY;BYMONTH=99999999999999999999", "rrule: bad BYMONTH '99999999999999999999' at column 20", false},
	{"H13 day XX", "FREQ=WEEKLY;BYDAY=MO,XX", "rrule: bad BYDAY 'XX' at column 22", false},
	{"H13 day 0MO", "FREQ=MONTHLY;BYDAY=0MO", "rrule: bad BYDAY '0MO' at column 20", false},
	{"H13 day 54MO", "FREQ=YEARLY;BYDAY=54MO", "rrule: bad BYDAY '54MO' at column 19", false},
	{"H13 day -MO", "FREQ=YEARLY;BYDAY=-MO", "rrule: bad BYDAY '-MO' at column 19", false},
	{"H13 WKST", "FREQ=WEEKLY;WKST=1MO", "rrule: bad WKST '1MO' at column 18", false},
	{"H13 interval 0", "FREQ=DAILY;INTERVAL=0", "rrule: bad INTERVAL '0' at column 21", false},
	{"H13 interval -1", "FREQ=DAILY;INTERVAL=-1", "rrule: bad INTERVAL '-1' at column 21", false},
	{"H13 interval past 64 bits", "FREQ=DAILY;INTERVAL=9223372036854775808", "rrule: bad INTERVAL '9223372036854775808' at column 21", false},
	{"H13 count 0", "FREQ=DAILY;COUNT=0", "rrule: bad COUNT '0' at column 18", false},
	{"H13 count and until", "FREQ=DAILY;COUNT=3;UNTIL=20260101", "rrule: UNTIL at column 20 stands beside COUNT", false},
	{"H13 count too far to count", "DTSTART:20260101T000000 RRULE:FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1;COUNT=90000", "rrule: COUNT '90000' at column 64 is too far to count", false},
	{"H13 until February 30th", "FREQ=DAILY;UNTIL=20260230", "rrule: bad UNTIL '20260230' at column 18", false},
	{"H13 until 24:00", "FREQ=DAILY;UNTIL=20260201T240000", "rrule: bad UNTIL '20260201T240000' at column 18", false},
	{"H13 until in words", "FREQ=DAILY;UNTIL=tomorrow", "rrule: bad UNTIL 'tomorrow' at column 18", false},
	{"H13 until ISO", "FREQ=DAILY;UNTIL=2026-02-01", "rrule: bad UNTIL '2026-02-01' at column 18", false},
	{"H13 position alone", "FREQ=DAILY;BYSETPOS=1", "rrule: BYSETPOS at column 12 has no other BY part to choose from", false},
	{"H13 numbered day in a week", "FREQ=WEEKLY;BYDAY=1MO", "rrule: BYDAY at column 13 has a number, which works with FREQ=MONTHLY or YEARLY only", false},
	{"H13 numbered day with weeks", "FREQ=YEARLY;BYWEEKNO=1;BYDAY=1MO", "rrule: BYDAY at column 24 has a number, which BYWEEKNO does not allow", false},
	{"H13 week in a month", "FREQ=MONTHLY;BYWEEKNO=1", "rrule: BYWEEKNO at column 14 works with FREQ=YEARLY only", false},
	{"H13 year day in a month", "FREQ=MONTHLY;BYYEARDAY=1", "rrule: BYYEARDAY at column 14 does not work with FREQ=DAILY, WEEKLY or MONTHLY", false},
	{"H13 year day daily", "FREQ=DAILY;BYYEARDAY=1", "rrule: BYYEARDAY at column 12 does not work with FREQ=DAILY, WEEKLY or MONTHLY", false},
	{"H13 month day in a week", "FREQ=WEEKLY;BYMONTHDAY=1", "rrule: BYMONTHDAY at column 13 does not work with FREQ=WEEKLY", false},
	{"H13 two rules", "RRULE:FREQ=DAILY\nRRULE:FREQ=WEEKLY", "rrule: second rule 'FREQ=WEEKLY' at column 24", false},
	{"H13 two starts", "DTSTART:20260101 DTSTART:20260102 RRULE:FREQ=DAILY", "rrule: second DTSTART '20260102' at column 26", false},
	{"H13 EXRULE", "RRULE:FREQ=DAILY EXRULE:FREQ=WEEKLY", "rrule: unsupported EXRULE 'FREQ=WEEKLY' at column 25", false},
	{"H13 period", "RRULE:FREQ=DAILY RDATE;VALUE=PERIOD:20260101T000000Z/PT1H", "rrule: unsupported parameter 'VALUE=PERIOD' at column 24", false},
	{"H13 period unsaid", "RRULE:FREQ=DAILY RDATE:20260101T000000Z/PT1H", "rrule: bad RDATE '20260101T000000Z/PT1H' at column 24", false},
	{"H13 EXDATE February 29th", "RRULE:FREQ=DAILY EXDATE:20260228,20260229", "rrule: bad EXDATE '20260229' at column 34", false},
	{"H13 EXDATE empty", "RRULE:FREQ=DAILY EXDATE:", "rrule: bad EXDATE '' at column 25", false},
	{"H13 Z and TZID", "DTSTART;TZID=Europe/Berlin:20260101T000000Z RRULE:FREQ=DAILY", "rrule: bad DTSTART '20260101T000000Z' at column 28", false},
	{"H13 date and time for a date", "DTSTART;VALUE=DATE:20260101T000000 RRULE:FREQ=DAILY", "rrule: bad DTSTART '20260101T000000' at column 20", false},
	{"H13 unknown zone", "DTSTART;TZID=Europe/Berlim:20260101T000000 RRULE:FREQ=DAILY", "rrule: TZID at column 14: ", true},
	{"H13 unknown property", "DSTART:20260101 RRULE:FREQ=DAILY", "rrule: unknown property 'DSTART' at column 1", false},
	{"H13 unknown parameter", "DTSTART;X=1:20260101 RRULE:FREQ=DAILY", "rrule: unexpected parameter 'X=1' at column 9", false},
	{"H13 parameter of a rule", "RRULE;FREQ=DAILY", "rrule: unexpected parameter 'FREQ=DAILY' at column 7", false},
	{"H13 only a start", "DTSTART:20260101T090000", "rrule: neither RRULE nor RDATE in the text", false},
	{"H13 words", "every day", "rrule: no property in 'every' at column 1", false},
	{"H13 control character", "FREQ=DAILY\033", "rrule: unreadable character at column 11", false},
	{"H13 column behind a fold", "DTSTART:20260101T090000\n RRULE:FREQ=DAI\n LY;BYHOUR=99", "rrule: bad BYHOUR '99' at column 52", false},
	{"H13 column behind a spelled newline", "DTSTART:20260101T090000\\nRRULE:FREQ=DAILY;BYHOUR=99", "rrule: bad BYHOUR '99' at column 50", false},
};

/* Work, in steps of the search: what a person types must never take long. */
static const struct work_case {
	const char *name, *text, *after; /* after: NULL is DTSTART less a second */
	int64_t most;
} work_cases[] = {
	{"H13 work: near", "DTSTART:20260101T090000 RRULE:FREQ=WEEKLY;BYDAY=MO,FR", "20260107T120000", 6},
	{"H13 work: far", "DTSTART:20260101T090000 RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR", "29260107T120000", 6},
	{"H13 work: far unit", "DTSTART:20260101T090000 RRULE:FREQ=SECONDLY;INTERVAL=7919", "29260107T120000", 6},
	{"H13 work: leap Monday by minutes", "DTSTART:20260101T000000 RRULE:FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO", NULL, 100},
	{"H13 work: February 30th", "DTSTART:20260101T000000 RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", NULL, 2000},
	{"H13 work: sixth Monday", "DTSTART:20260101T000000 RRULE:FREQ=MONTHLY;BYDAY=MO;BYSETPOS=6", NULL, 30000},
	{"H13 work: second Monday of the week", "DTSTART:20260101T000000 RRULE:FREQ=WEEKLY;BYDAY=MO;BYSETPOS=2", NULL, 100000},
	{"H13 work: coprime seconds", "DTSTART:20260101T000000 RRULE:FREQ=SECONDLY;INTERVAL=86399;BYHOUR=23;BYMINUTE=59;BYSECOND=59", "20260101T235959", 200000},
	{"H13 work: coprime and rare days", "DTSTART:20260101T000000 RRULE:FREQ=SECONDLY;INTERVAL=86399;BYHOUR=5;BYMINUTE=6;BYSECOND=7;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO", NULL, 4000},
	{"H13 work: odd of even", "DTSTART:20260101T000000 RRULE:FREQ=SECONDLY;INTERVAL=2;BYSECOND=1,3,5,7;BYMONTH=2", NULL, 13000},
	{"H13 work: half a week", "DTSTART:20260105T000000 RRULE:FREQ=HOURLY;INTERVAL=84;BYDAY=MO;BYHOUR=12", NULL, 300000},
	{"H13 work: week that misses", "DTSTART:20260105T000000 RRULE:FREQ=WEEKLY;INTERVAL=5000;BYMONTH=2", NULL, 2000},
};
/* clang-format on */

static local_t stamp(const char *text)
{
	struct civil c = {0};

	assert_int_equal(sscanf(text, "%4d%2d%2dT%2d%2d%2d", &c.year, &c.month, &c.day, &c.hour,
				&c.minute, &c.second),
			 6);
	assert_true(civil_is_valid(&c));
	return local_from_civil(&c);
}

static const char *stamp_text(local_t local)
{
	static char text[2][40];
	static int turn;
	struct civil c = civil_from_local(local);

	turn = !turn;
	snprintf(text[turn], sizeof(text[turn]), "%04d-%02d-%02dT%02d:%02d:%02d", c.year, c.month,
		 c.day, c.hour, c.minute, c.second);
	return text[turn];
}

static struct rrule *parse(const char *text)
{
	struct rrule *rule = NULL;
	struct error err = {0};

	if (rrule_parse(text, zone_utc(), stamp("20200101T000000"), &rule, &err) < 0)
		fail_msg("'%s': %s", text, err.message);
	return rule;
}

/* Read "1997-09:", "2", "2T0930" or "2T093015"; true when it is a time. */
static bool read_want(const char *word, struct civil *month, local_t dtstart, local_t *ret)
{
	struct civil c = civil_from_local(dtstart);
	int hour = 0, minute = 0, second = 0, n = 0;

	if (strchr(word, ':')) {
		assert_int_equal(sscanf(word, "%4d-%2d:", &month->year, &month->month), 2);
		return false;
	}
	c.year = month->year;
	c.month = month->month;
	n = sscanf(word, "%2dT%2d%2d%2d", &c.day, &hour, &minute, &second);
	assert_true(n == 1 || n >= 3);
	if (n >= 3) {
		c.hour = hour;
		c.minute = minute;
		c.second = second;
	}
	assert_true(civil_is_valid(&c));
	*ret = local_from_civil(&c);
	return true;
}

static void test_next(void **state)
{
	const struct next_case *c = *state;
	AUTO(rrule_free) struct rrule *rule = parse(c->text);
	AUTO(free) char *want = mem_strdup(c->want);
	local_t at = c->after ? stamp(c->after) : rrule_dtstart(rule) - 1, expected = 0;
	struct civil month = {0};
	const char *word = NULL;

	for (char *rest = want; (word = strsep(&rest, " ")) && *word != '.' && *word != '+';) {
		if (!read_want(word, &month, rrule_dtstart(rule), &expected))
			continue;
		if (!rrule_next_local(rule, at, &at))
			fail_msg("none after %s, want %s", stamp_text(at), stamp_text(expected));
		if (at != expected)
			fail_msg("got %s, want %s", stamp_text(at), stamp_text(expected));
	}
	assert_non_null(word);
	assert_int_equal(rrule_next_local(rule, at, &at), *word == '+');
}

static void test_refused(void **state)
{
	const struct refused_case *c = *state;
	struct rrule *rule = NULL;
	struct error err = {0};

	assert_int_equal(rrule_parse(c->text, zone_utc(), 0, &rule, &err), ERR_INVALID);
	assert_null(rule);
	if (c->hinted_by_zone)
		err.message[strlen(c->message)] = '\0';
	assert_string_equal(err.message, c->message);
	assert_true(err.hint[0] != '\0');
}

static void test_work(void **state)
{
	const struct work_case *c = *state;
	AUTO(rrule_free) struct rrule *rule = parse(c->text);
	local_t from = c->after ? stamp(c->after) + 1 : rrule_dtstart(rule), at = 0;
	int64_t steps = 0;

	rrule_expand(rule, from, from + RRULE_HORIZON, &steps, &at);
	if (steps < 1 || steps > c->most)
		fail_msg("%" PRId64 " steps, at most %" PRId64, steps, c->most);
}

/* A rule that never matches knows it, and is not searched again. */
static void test_never(void **state)
{
	AUTO(rrule_free) struct rrule *rule = parse("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30");
	local_t at = 0;

	(void)state;
	assert_true(rule->last == INT64_MIN);
	assert_false(rrule_next_local(rule, INT64_MIN, &at));
	assert_false(rrule_next_local(rule, INT64_MAX, &at));
}

/* H13: without a DTSTART of its own the rule begins at creation, but a named hour is a full one. */
static void test_inherited(void **state)
{
	/* clang-format off */
	static const struct {
		const char *text, *want;
		bool fixes;
	} rows[] = {
		{"FREQ=DAILY", "2026-01-01T14:37:22", false},
		{"FREQ=DAILY;BYHOUR=15", "2026-01-01T15:00:00", true},
		{"FREQ=DAILY;BYMINUTE=40", "2026-01-01T14:40:00", false},
		{"FREQ=HOURLY", "2026-01-01T14:37:22", false},
		{"FREQ=HOURLY;BYMINUTE=40", "2026-01-01T14:40:00", true},
		{"FREQ=MINUTELY", "2026-01-01T14:37:22", false},
		{"FREQ=MINUTELY;BYSECOND=30", "2026-01-01T14:37:30", true},
		{"FREQ=MINUTELY;BYHOUR=9", "2026-01-02T09:00:00", true},
		{"FREQ=SECONDLY", "2026-01-01T14:37:22", true},
		{"FREQ=DAILY DTSTART:20260101T150000", "2026-01-01T15:00:00", true},
		{"FREQ=DAILY;BYHOUR=16 DTSTART:20260101T151617", "2026-01-01T16:16:17", true},
		{"RDATE:20260103T090000", "2026-01-03T09:00:00", true},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		AUTO(rrule_free) struct rrule *rule = NULL;
		struct error err = {0};
		local_t created = stamp("20260101T143722"), at = 0;

		assert_int_equal(rrule_parse(rows[i].text, zone_utc(), created, &rule, &err), 0);
		assert_true(rrule_next_local(rule, created - 1, &at));
		assert_string_equal(stamp_text(at), rows[i].want);
		assert_int_equal(rrule_fixes_time(rule), rows[i].fixes);
	}
}

static void test_properties(void **state)
{
	AUTO(rrule_free)
	struct rrule *tokyo = parse("DTSTART;TZID=Asia/Tokyo:20260101T090000 "
				    "RRULE:FREQ=MONTHLY");
	AUTO(rrule_free) struct rrule *utc = parse("DTSTART:20260101T090000Z\nRRULE:FREQ=HOURLY");

	(void)state;
	assert_string_equal(zone_name(rrule_zone(tokyo)), "Asia/Tokyo");
	assert_true(rrule_dtstart(tokyo) == stamp("20260101T090000"));
	assert_string_equal(rrule_freq_word(tokyo), "monthly");
	assert_false(rrule_is_subdaily(tokyo));
	assert_ptr_equal(rrule_zone(utc), zone_utc());
	assert_string_equal(rrule_freq_word(utc), "hourly");
	assert_true(rrule_is_subdaily(utc));
}

/* H13: text and lists have limits, and an error for them. */
static void test_limits(void **state)
{
	AUTO_BUF struct buf list = {0}, text = {0};
	struct rrule *rule = NULL;
	struct error err = {0};

	(void)state;
	buf_add_str(&list, "FREQ=DAILY;BYHOUR=9");
	for (int i = 1; i < RRULE_LIST_MAX; i++)
		buf_add_str(&list, ",9");
	rrule_free(parse(buf_text(&list)));
	buf_add_str(&list, ",9");
	assert_int_equal(rrule_parse(buf_text(&list), zone_utc(), 0, &rule, &err), ERR_INVALID);
	assert_string_equal(err.message, "rrule: bad BYHOUR '9' at column 2019");
	buf_add_str(&text, "FREQ=DAILY");
	while (text.len <= RRULE_TEXT_MAX)
		buf_add_char(&text, ' ');
	assert_int_equal(rrule_parse(buf_text(&text), zone_utc(), 0, &rule, &err), ERR_INVALID);
	assert_string_equal(err.message, "rrule: the text has 8193 bytes");
}

#define ROWS(rows, test)                                                                           \
	for (size_t i = 0; i < COUNT_OF(rows); i++)                                                \
		tests[n++] = (struct CMUnitTest)                                                   \
		{                                                                                  \
			.name = (rows)[i].name, .test_func = (test),                               \
			.initial_state = (void *)(uintptr_t) & (rows)[i]                           \
		}

int main(void)
{
	const struct CMUnitTest others[] = {
		cmocka_unit_test(test_never),
		cmocka_unit_test(test_inherited),
		cmocka_unit_test(test_properties),
		cmocka_unit_test(test_limits),
	};
	static struct CMUnitTest tests[COUNT_OF(next_cases) + COUNT_OF(refused_cases) +
				       COUNT_OF(work_cases) + COUNT_OF(others)];
	size_t n = 0;

	ROWS(next_cases, test_next);
	ROWS(refused_cases, test_refused);
	ROWS(work_cases, test_work);
	for (size_t i = 0; i < COUNT_OF(others); i++)
		tests[n++] = others[i];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
