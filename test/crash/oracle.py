"""What must be true whatever happened, worked out from the schedules alone.

Every check is one named test: a function of the Evidence that yields what is wrong.
"""
import collections
import json
import re

from client import IMPORT_ROWS
from world import usec

SECOND = 1_000_000
UNITS = {"ms": 1000, "s": SECOND, "m": 60 * SECOND}


class Evidence:
    """All rows of a store that came to rest, and all that its clients and agents noted."""

    def __init__(self, world):
        self.world = world
        self.reminders = {r["key"]: r for r in world.query(
            "SELECT key, id, name, agent, schedule_kind, schedule, anchor, count_max, until,"
            " catchup, start_deadline, jitter, condition_kind, mode, status, end_reason,"
            " generation, open_slot, fire_count, last_fired_at, created_at, ended_at"
            " FROM reminders WHERE agent <> 'bulk' ORDER BY key")}
        self.slots = world.query("SELECT * FROM slots ORDER BY key")
        self.messages = world.query("SELECT * FROM queue ORDER BY key")
        self.slots_of = collections.defaultdict(list)
        for slot in self.slots:
            self.slots_of[slot["reminder"]].append(slot)
        self.by_name = {r["name"]: r for r in self.reminders.values()}

    def fired(self, key):
        return [s for s in self.slots_of[key] if s["outcome"] == "fired"]

    def lines(self, name):
        with open(f"{self.world.home}/{name}", encoding="utf-8") as f:
            return f.read().splitlines()


def life_end(evidence, r):
    """The last instant at which an occurrence of this reminder could still count."""
    if r["end_reason"] == "fired as many times as asked":
        # The last fire, or what was due with it and came too late.
        return max(s["nominal"] for s in evidence.slots_of[r["key"]])
    if r["until"] is not None:
        return min(r["until"], r["ended_at"])
    return r["ended_at"]


def interval_of(r):
    if r["schedule_kind"] == "rrule":
        return int(re.fullmatch(r"FREQ=SECONDLY;INTERVAL=(\d+)", r["schedule"])[1]) * SECOND
    number, unit = re.fullmatch(r"(\d+)(ms|s|m)", r["schedule"]).groups()
    return int(number) * UNITS[unit]


def occurrences(evidence, r):
    """Every instant that the schedule names within the reminder's life."""
    end = life_end(evidence, r)
    if r["schedule_kind"] == "at":
        at = usec(r["schedule"])
        return [at] if at <= end else []
    step = interval_of(r)
    # `every` counts from its creation and first fires one interval later; a rule is anchored at
    # its first occurrence.
    first = r["anchor"] + (step if r["schedule_kind"] == "every" else 0)
    return [t for t in range(first, end + 1, step) if t > r["created_at"]]


def every_occurrence_has_one_row(evidence):
    """every occurrence is in exactly one row, and every row is about occurrences"""
    for r in evidence.reminders.values():
        grid = occurrences(evidence, r)
        seen = collections.Counter()
        for s in evidence.slots_of[r["key"]]:
            inside = [t for t in grid if s["first_nominal"] <= t <= s["nominal"]]
            seen.update(inside)
            if s["generation"] != 1 or s["more"] or len(inside) != s["occurrences"] or \
               not inside or inside[0] != s["first_nominal"] or inside[-1] != s["nominal"]:
                yield f"{r['name']}: row {s} is not about {len(inside)} occurrences"
        for t in grid:
            if seen[t] != 1:
                yield f"{r['name']}: the occurrence at {t} is in {seen[t]} rows"


def rows_are_closed(evidence):
    """nothing is open: no check, no offer, no import"""
    for s in evidence.slots:
        if s["outcome"] == "checking":
            yield f"slot {s} is still being checked"
    for m in evidence.messages:
        if m["state"] == "offered" or (m["state"] == "queued" and m["agent"] == "loud"):
            yield f"message {m} is on its way"
    for r in evidence.reminders.values():
        if r["open_slot"] or r["status"] not in ("completed", "cancelled"):
            yield f"reminder {r} has not ended"
    for row in evidence.world.query("SELECT name, text FROM kv WHERE name LIKE 'import.%'"):
        yield f"import {row} is not done"


def is_notice(m):
    """what Belfry says of a reminder itself, beside its fires"""
    return m["agent"] == "me" and m["slot"] is None and \
        m["body"].startswith("The condition of reminder")


def gave_way(slot):
    """a fire that nobody had got when the next one took its place in the queue (K6)"""
    return slot["outcome"] == "fired" and str(slot["reason"]).endswith("took its place")


def one_message_a_fire(evidence):
    """H16 fired slots and messages are one to one"""
    fired = {s["key"]: s for s in evidence.slots if s["outcome"] == "fired"}
    messages = [m for m in evidence.messages if not is_notice(m)]
    slots = collections.Counter(m["slot"] for m in messages)
    for key in fired.keys() | slots.keys():
        if key not in fired or slots[key] != (0 if gave_way(fired[key]) else 1):
            yield f"slot {fired.get(key)} has {slots[key]} messages"
    told = collections.Counter()
    for m in messages:
        told[m["reminder"]] += m["earlier"]
        s = fired.get(m["slot"])
        if s and (s["reminder"] != m["reminder"] or
                  (s["decided_at"] != m["queued_at"] and not m["earlier"])):
            yield f"message {m} does not belong to slot {s}"
    for key, r in evidence.reminders.items():
        gone = sum(1 for s in evidence.slots_of[key] if gave_way(s))
        if told[key] != gone:
            yield f"{r['name']}: {gone} fires gave way, its messages tell of {told[key]}"


def counters_agree(evidence):
    """H16 fire_count, last_fired_at and the numbers in the messages agree with the ledger"""
    texts = collections.defaultdict(list)
    for m in evidence.messages:
        if not is_notice(m):
            texts[m["reminder"]].append(m["body"].splitlines()[0])
    for r in evidence.reminders.values():
        fired = evidence.fired(r["key"])
        last = max((s["decided_at"] for s in fired), default=None)
        if r["fire_count"] != len(fired) or r["last_fired_at"] != last:
            yield f"{r['name']}: {r['fire_count']} fires, last {r['last_fired_at']}; " \
                  f"the ledger has {len(fired)}, last {last}"
        want = [f"{r['name']} {n + 1}" for n, s in enumerate(fired) if not gave_way(s)]
        if texts[r["key"]] != want:
            yield f"{r['name']}: its messages say {texts[r['key']]}"


def catch_up_all_fires_all(evidence):
    """catch-up all fires every single occurrence"""
    for r in evidence.reminders.values():
        if r["catchup"] != "all" or r["condition_kind"] != "none":
            continue
        last = max((s["nominal"] for s in evidence.fired(r["key"])), default=0)
        for s in evidence.slots_of[r["key"]]:
            over = s["outcome"] == "cancelled" and s["first_nominal"] > last and \
                r["end_reason"] == "fired as many times as asked"
            if s["outcome"] != "fired" and not over and \
               not str(s["reason"]).startswith("removed before"):
                yield f"{r['name']}: {s}"


def never_early_never_past_the_deadline(evidence):
    """nothing fires early, nor later than its start deadline"""
    for s in evidence.slots:
        r = evidence.reminders[s["reminder"]]
        late = s["decided_at"] - s["nominal"]
        if late < 0:
            yield f"{r['name']}: {s} is early"
        if s["outcome"] == "fired" and r["start_deadline"] and \
           late > r["start_deadline"] + r["jitter"]:
            yield f"{r['name']}: {s} is later than its deadline"


def missed_are_told(evidence):
    """H14 one fire for all that were missed, and it says how many"""
    for key, slots in evidence.slots_of.items():
        r = evidence.reminders[key]
        if r["condition_kind"] != "none":
            continue  # decided later than it was due, so the rows of one turn are not together
        turns = collections.defaultdict(list)
        for s in sorted(slots, key=lambda s: s["nominal"]):
            turns[s["decided_at"]].append(s)
        for turn in turns.values():
            missed = [s["occurrences"] for s in turn if s["outcome"] == "missed"]
            told = [s["missed_before"] for s in turn if s["outcome"] == "fired"]
            if len(missed) > 1 or told != (missed or [0] * bool(told)) + [0] * (len(told) - 1):
                if told or not r["start_deadline"]:
                    yield f"{r['name']}: {missed} were missed, its fires tell {told}"


def delivered_at_least_once(evidence):
    """every message for the agent with a command was handed over, under one id and one text"""
    texts = collections.defaultdict(set)
    for line in evidence.lines("delivered"):
        number, _, text = line.partition(" ")
        texts[number].add(text)
    messages = {m["id"]: m for m in evidence.messages}
    for m in evidence.messages:
        if m["agent"] != "loud":
            continue
        if m["state"] != "delivered":
            yield f"message {m} was not delivered"
        if texts[m["id"]] != {m["body"].splitlines()[0]}:
            yield f"message {m} was handed over as {texts[m['id']]}"
    for number in texts:
        if number not in messages:
            yield f"{number} was handed over, and the store does not know it"


def commands_follow_the_store(evidence):
    """no command ran that the store had not decided on before, nor more often than it knows"""
    ids = {r["id"]: r["key"] for r in evidence.reminders.values()}
    attempts = {(s["reminder"], s["nominal"]): s["attempts"] for s in evidence.slots}
    for line, runs in collections.Counter(evidence.lines("checks")).items():
        reminder, _, nominal = line.partition(" ")
        known = attempts.get((ids.get(reminder), usec(nominal)), 0)
        if runs > known:
            yield f"a condition ran {runs} times for {line}, the store knows of {known}"
    attempts = {m["id"]: m["attempts"] for m in evidence.messages}
    for number, runs in collections.Counter(evidence.lines("offers")).items():
        if runs > attempts.get(number, 0):
            yield f"message {number} was offered {runs} times, the store knows of " \
                  f"{attempts.get(number, 0)}"


def answers_hold(evidence):
    """C8 what was answered is so: adds, removals, takes"""
    world = evidence.world
    by_id = {r["id"]: r for r in evidence.reminders.values()}
    names = collections.Counter(r["name"] for r in evidence.reminders.values())
    for name, number in world.adds.items():
        if number and (number not in by_id or by_id[number]["name"] != name):
            yield f"'{name}' was added as '{number}' and is not there"
    for name, count in names.items():
        if count != 1 or name not in world.adds:
            yield f"'{name}' is there {count} times"
    for number in world.removes:
        if by_id[number]["status"] != "cancelled":
            yield f"'{number}' was removed and is {by_id[number]['status']}"
    for number, count in collections.Counter(world.takes).items():
        states = [m["state"] for m in evidence.messages if m["id"] == number]
        if count != 1 or states != ["delivered"]:
            yield f"message '{number}' was taken {count} times and is {states}"
    yield from (f"refused: {r}" for r in world.refused)


def imports_are_whole(evidence):
    """H2 an import is there as a whole or not at all"""
    rows = evidence.world.query(
        "SELECT message, count(*) AS count, count(batch) AS hidden FROM reminders"
        " WHERE agent = 'bulk' GROUP BY message")
    counts = collections.Counter({int(row["message"].split()[1]): row["count"] for row in rows})
    for row in rows:
        if row["hidden"]:
            yield f"{row['message']} has {row['hidden']} hidden rows"
    for number, answered in evidence.world.imports.items():
        if counts[number] not in ((IMPORT_ROWS,) if answered else (0, IMPORT_ROWS)):
            yield f"import {number} (answered: {answered}) has {counts[number]} rows"


def why_and_queue_agree(evidence):
    """belfry why and belfry queue list tell what the database holds"""
    listed = json.loads(evidence.world.belfry("queue", "list", "--all", "--json"))
    if [m["id"] for m in listed] != [m["id"] for m in evidence.messages]:
        yield f"queue list has {len(listed)} messages, the database {len(evidence.messages)}"
    for r in evidence.reminders.values():
        if r["name"].startswith("c-"):
            continue  # hundreds, and alike
        story = json.loads(evidence.world.belfry("why", r["id"], "--json"))
        told = sorted((usec(s["first_nominal"]), usec(s["nominal"]), s["occurrences"],
                       s["outcome"]) for s in story["slots"])
        held = sorted((s["first_nominal"], s["nominal"], s["occurrences"], s["outcome"])
                      for s in evidence.slots_of[r["key"]])
        if told != held:
            yield f"{r['name']}: why tells {told}, the database holds {held}"


def store_is_sound(evidence):
    """the database is sound, and so says belfry doctor"""
    if not evidence.world.store:
        for sql in ("PRAGMA integrity_check", "PRAGMA foreign_key_check"):
            for row in evidence.world.query(sql):
                if list(row.values()) != ["ok"]:
                    yield f"{sql}: {row}"
    evidence.world.belfry("doctor")


def diary_is_clean(evidence):
    """the daemon had nothing to complain about"""
    for line in evidence.lines("daemon.log"):
        if not re.match(r"\S+Z info ", line):
            yield line


CHECKS = (
    every_occurrence_has_one_row, rows_are_closed, one_message_a_fire, counters_agree,
    catch_up_all_fires_all, never_early_never_past_the_deadline, missed_are_told,
    delivered_at_least_once, commands_follow_the_store, answers_hold, imports_are_whole,
    why_and_queue_agree, store_is_sound, diary_is_clean,
)


class Verdict:
    """Results as they are told, and their sum."""

    def __init__(self, prefix):
        self.prefix, self.passed, self.failed = prefix, 0, 0

    def tell(self, name, problems):
        for problem in problems[:8]:
            print(f"    {problem}")
        if len(problems) > 8:
            print(f"    and {len(problems) - 8} more")
        print(f"{'not ok' if problems else 'ok'} - {self.prefix}: {name}")
        self.passed += not problems
        self.failed += bool(problems)

    def check(self, evidence, checks=CHECKS):
        for check in checks:
            try:
                problems = list(check(evidence))
            except (AssertionError, KeyError, TypeError, ValueError) as e:
                problems = [f"{type(e).__name__}: {e}"]
            self.tell(check.__doc__, problems)
