#pragma once
/*
 * What a parsed cron line holds: one bit a value and field. For the files that make cron.h true
 * (cron.c searches, cron-parse.c fills in) and for describe.c, which puts a line into words.
 */
#include "schedule/cron.h"

#define CRON_NTH_MAX 5

struct cron {
	uint64_t minutes;		    /* bit m: minute m */
	uint32_t hours;			    /* bit h: hour h */
	uint32_t days;			    /* bit d: day d of the month, from 1 */
	uint32_t days_from_end;		    /* bit n: "L-n", the last day being bit 0 */
	uint32_t days_nearest;		    /* bit d: "dW", the working day nearest to day d */
	uint16_t months;		    /* bit m: month m, from 1 */
	uint8_t weekdays;		    /* bit w: weekday w, Monday = 0 as in calendar.h */
	uint8_t weekdays_last;		    /* "friL": the last such weekday of the month */
	uint8_t weekdays_nth[CRON_NTH_MAX]; /* "fri#2" in [1] */
	bool last_working_day;		    /* "LW" */
	bool days_star, weekdays_star;	    /* the field starts with '*' or '?' */
	bool hourly;			    /* so does the hour field */

	/* Derived once by cron_finish(). */
	bool never;	   /* no date of the calendar fits */
	bool weekly;	   /* weekdays alone decide about a day */
	bool plain_dates;  /* numbers of days alone do */
	int first_of_day;  /* the day's first firing, in minutes */
	int first_of_hour; /* the hour's first firing, in minutes */
};

#define CRON_ALL_DAYS 0xfffffffeu
#define CRON_ALL_MONTHS 0x1ffeu
#define CRON_ALL_WEEKDAYS 0x7fu

/* Fill in what is derived from the fields. */
void cron_finish(struct cron *cron);
