#!/usr/bin/python3
"""What croniter and dateutil need for the questions schedule-bench.c asks.

Prints "NAME nanoseconds", the fastest of several runs; a peer that is not installed is named.
"""
import datetime
import sys
import time
import zoneinfo

RUNS = 3
START = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)


def measure(name, questions, begin):
    best = None
    for _ in range(RUNS):
        ask = begin()
        started = time.perf_counter()
        for _ in range(questions):
            ask()
        took = (time.perf_counter() - started) / questions
        best = took if best is None or took < best else best
    print(f"{name} {best * 1e9:.0f}")


def bench_cron():
    import croniter

    for name, line, zone in (
        ("cron-daily", "30 2 * * *", "Europe/Berlin"),
        ("cron-weekdays", "0 9 * * 1-5", "America/New_York"),
        ("cron-quarters", "*/15 * * * *", "Europe/Berlin"),
    ):
        start = START.astimezone(zoneinfo.ZoneInfo(zone))

        def begin(line=line, start=start):
            schedule = croniter.croniter(line, start)
            return lambda: schedule.get_next(datetime.datetime)

        measure(name, 500, begin)


def bench_rule():
    from dateutil import rrule

    start = START.astimezone(zoneinfo.ZoneInfo("Europe/Berlin"))
    other = START.astimezone(zoneinfo.ZoneInfo("America/New_York"))
    rules = (
        ("rrule-daily", rrule.rrule(rrule.DAILY, dtstart=start, byhour=9, byminute=0, bysecond=0)),
        ("rrule-weekly", rrule.rrule(rrule.WEEKLY, interval=2, dtstart=other,
                                     byweekday=(rrule.MO, rrule.WE, rrule.FR))),
    )
    for name, rule in rules:
        for where, years in (("near", 0), ("far", 10)):
            after = START + datetime.timedelta(days=365 * years)

            def begin(rule=rule, after=after):
                at = [after]

                def ask():
                    at[0] = rule.after(at[0])

                return ask

            measure(f"{name}-{where}", 10, begin)


for bench in (bench_cron, bench_rule):
    try:
        bench()
    except ImportError as missing:
        print(f"bench: skipped, {missing}", file=sys.stderr)
