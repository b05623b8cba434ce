#!/usr/bin/python3
"""Compare zone.c with Python's zoneinfo, in every zone of the system.

Asked are both sides of every clock change from 1900 to 2100, and random instants up to the year
9990; from instant to local time and back. A span must begin and end at the very second where Python
sees a change. A skipped local time must come out later by the gap and a repeated one at its first
pass, which is fold=0 in Python. usage: zones.py ZONE-TOOL
"""
import collections
import os
import random
import struct
import subprocess
import sys
from datetime import datetime, timedelta
from zoneinfo import TZPATH, ZoneInfo, available_timezones

EPOCH = datetime(1970, 1, 1)
SECOND = timedelta(seconds=1)
FIRST = int((datetime(1900, 1, 1) - EPOCH).total_seconds())
LAST = int((datetime(2100, 1, 1) - EPOCH).total_seconds())
FAR = int((datetime(9990, 1, 1) - EPOCH).total_seconds())
STEP = 7 * 86400
ALIAS_STEP = 11


def clock(zone, utc):
    """Offset and abbreviation."""
    local = datetime.fromtimestamp(utc, zone)
    offset = local.utcoffset()
    return offset.days * 86400 + offset.seconds, local.tzname()


def instant(zone, local):
    at = (EPOCH + local * SECOND).replace(tzinfo=zone, fold=0)
    offset = at.utcoffset()
    return local - (offset.days * 86400 + offset.seconds)


def refine(zone, low, high):
    """The first second in (low, high] that shows another clock than low does."""
    before = clock(zone, low)
    while high - low > 1:
        middle = (low + high) // 2
        if clock(zone, middle) == before:
            low = middle
        else:
            high = middle
    return high


def table_of(file):
    """The instants in a zone file's table of 64-bit times, whatever happens there."""
    def counts(at):
        return struct.unpack(">6I", file[at + 20:at + 44])

    isut, isstd, leap, times, types, chars = counts(0)
    second = 44 + times * 5 + types * 6 + chars + leap * 8 + isstd + isut
    times = counts(second)[3]
    return struct.unpack(f">{times}q", file[second + 44:second + 44 + times * 8])


def changes(zone, file):
    """Where another clock is shown than a second before: by the table, then by looking."""
    table = [at for at in table_of(file) if FIRST < at < LAST]
    found = [at for at in table if clock(zone, at) != clock(zone, at - 1)]
    start = table[-1] if table else FIRST
    before = clock(zone, start)
    for at in range(start + STEP, LAST, STEP):
        now = clock(zone, at)
        if now != before:
            found.append(refine(zone, at - STEP, at))
            before = now
    return found


def questions(zone, file, chance):
    """All questions about one zone, each (kind, moment, wanted answer)."""
    edges = changes(zone, file)
    begins, ends = set(edges), {e - 1 for e in edges}
    moments = [e + d for e in edges for d in (-1, 0, 1)]
    moments += [chance.randrange(FIRST, LAST) for _ in range(20)]
    moments += [chance.randrange(LAST, FAR) for _ in range(20)]
    for at in moments:
        offset, abbreviation = clock(zone, at)
        yield "span", at, (offset, abbreviation, at in begins, at in ends)
        yield "local", at, at + offset
        # Locals in the middle of a gap or overlap of an hour, half of one, or a day.
        for shift in (0, 900, 43200):
            local = at + offset + shift
            yield "instant", local, instant(zone, local)


def file_of(name):
    """The bytes of a zone's file: most names are other names of the same file."""
    for folder in TZPATH:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            with open(path, "rb") as file:
                return file.read()
    raise FileNotFoundError(name)


def is_right(kind, at, want, answer):
    if kind != "span" or answer.startswith("error"):
        return answer == str(want)
    start, end, offset, _, abbreviation = answer.split()
    start, end = int(start), int(end)
    return (start <= at < end and (int(offset), abbreviation) == want[:2]
            and (not want[2] or start == at) and (not want[3] or end == at + 1))


class Oracle:
    def __init__(self, tool):
        self.tool, self.asked, self.by_file = tool, [], {}

    def ask_zone(self, name, chance):
        """All questions, or some of them when another name of the same file had them all."""
        file = file_of(name)
        step = ALIAS_STEP if file in self.by_file else 1
        if step == 1:
            self.by_file[file] = list(questions(ZoneInfo(name), file, chance))
        self.asked += [(name, *question) for question in self.by_file[file][::step]]

    def run(self):
        lines = "".join(f"{kind} {name} {at}\n" for name, kind, at, _ in self.asked)
        done = subprocess.run([self.tool], input=lines, capture_output=True, text=True, check=False)
        answers = done.stdout.splitlines()
        wrong = collections.Counter()
        sys.stderr.write(done.stderr[-4000:])
        if len(answers) != len(self.asked) or done.returncode != 0:
            wrong["the tool itself"] += 1
        for (name, kind, at, want), answer in zip(self.asked, answers):
            if not is_right(kind, at, want, answer):
                wrong[name] += 1
                if wrong.total() <= 20:
                    print(f"{kind} {name} {at}: want {want}, got {answer}")
        # A zone passes when all its answers are right.
        zones = {name for name, *_ in self.asked}
        failed = len(wrong)
        print(f"{len(answers)} answers")
        print(f"{len(zones - wrong.keys())} passed, {failed} failed")
        return failed


def main():
    oracle = Oracle(sys.argv[1])
    chance = random.Random(1)
    # "localtime" is a link to whatever the machine has: refused on purpose.
    for name in sorted(available_timezones() - {"localtime"}):
        oracle.ask_zone(name, chance)
    sys.exit(1 if oracle.run() else 0)


main()
