#pragma once
/*
 * The proleptic Gregorian calendar as arithmetic. A local_t is a date and time of day on some
 * clock on a wall, counted in seconds since 1970-01-01T00:00:00 on that same wall, as if there
 * were no zones. Only zone.h turns one into an instant. Everything here is pure and total for
 * years -9999 to 9999; 1970-01-01 was a Thursday, and weekdays count from Monday = 0.
 */
#include <stdbool.h>
#include <stdint.h>

typedef int64_t local_t;

#define DAY_SECONDS 86400
#define LOCAL_MIN ((local_t)-377705116800) /* -9999-01-01T00:00:00 */
#define LOCAL_MAX ((local_t)253402300799)  /*  9999-12-31T23:59:59 */

struct civil {
	int year, month, day; /* month and day from 1 */
	int hour, minute, second;
};

/* Floor division: days and weeks before 1970 must round down, not toward zero. */
static inline int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

static inline int64_t floor_mod(int64_t a, int64_t b)
{
	int64_t m = a % b;

	return m < 0 ? m + b : m;
}

static inline bool year_is_leap(int year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static inline int month_days(int year, int month)
{
	static const signed char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	return days[month - 1] + (month == 2 && year_is_leap(year));
}

/* Days since 1970-01-01; counts years from March, so that the leap day is a year's last. */
static inline int64_t days_from_civil(int year, int month, int day)
{
	int64_t y = year - (month <= 2);
	int64_t era = floor_div(y, 400);
	int64_t year_of_era = y - era * 400;
	int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;

	return era * 146097 + day_of_era - 719468;
}

static inline void civil_from_days(int64_t days, int *year, int *month, int *day)
{
	int64_t z = days + 719468;
	int64_t era = floor_div(z, 146097);
	int64_t doe = z - era * 146097;
	int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	int64_t mp = (5 * doy + 2) / 153;

	*day = (int)(doy - (153 * mp + 2) / 5 + 1);
	*month = (int)(mp < 10 ? mp + 3 : mp - 9);
	*year = (int)(yoe + era * 400 + (*month <= 2));
}

static inline int weekday_of_days(int64_t days) /* Monday = 0 … Sunday = 6 */
{
	return (int)floor_mod(days + 3, 7);
}

static inline local_t local_from_civil(const struct civil *c)
{
	return days_from_civil(c->year, c->month, c->day) * DAY_SECONDS + c->hour * 3600 +
	       c->minute * 60 + c->second;
}

static inline struct civil civil_from_local(local_t local)
{
	int64_t days = floor_div(local, DAY_SECONDS);
	int rest = (int)(local - days * DAY_SECONDS);
	struct civil c = {.hour = rest / 3600, .minute = rest / 60 % 60, .second = rest % 60};

	civil_from_days(days, &c.year, &c.month, &c.day);
	return c;
}

/* A real date and time of day: no February 30th, no 24:00, no leap second. */
static inline bool civil_is_valid(const struct civil *c)
{
	return c->year >= -9999 && c->year <= 9999 && c->month >= 1 && c->month <= 12 &&
	       c->day >= 1 && c->day <= month_days(c->year, c->month) && c->hour >= 0 &&
	       c->hour <= 23 && c->minute >= 0 && c->minute <= 59 && c->second >= 0 &&
	       c->second <= 59;
}
