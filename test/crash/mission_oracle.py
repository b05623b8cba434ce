"""What must be true of missions whatever was killed: the marks of the agents against the rows.

Every check is one named test: a function of the Evidence that yields what is wrong.
"""
import collections
import re

import oracle
from mission_world import complaints, marks_of, processes_left

ROOM = 3  # maxConcurrent
# What a slot may say when its mission's last run ended so. Cancelled: replaced, or removed.
OUTCOMES = {"success": ("ran",), "error": ("failed", "cancelled"), "timeout": ("failed",),
            "orphaned": ("failed", "cancelled"), "daemon_shutdown": ("failed", "cancelled"),
            "killed": ("cancelled",),
            "none": ("missed", "cancelled")}


class Evidence(oracle.Evidence):
    def __init__(self, world, daemon):
        super().__init__(world)
        # Not the crons of mission_steps.py, which are not due before next year.
        self.reminders = {k: r for k, r in self.reminders.items()
                          if r["schedule_kind"] != "cron"}
        self.daemon = daemon
        self.notices = [m for m in self.messages if m["slot"] is None]
        self.messages = [m for m in self.messages if m["slot"] is not None]
        self.missions = {m["key"]: m for m in world.query("SELECT * FROM missions ORDER BY key")}
        self.runs = world.query("SELECT * FROM runs ORDER BY key")
        self.missions_of_slot = {m["slot"]: m for m in self.missions.values()}
        self.runs_of = collections.defaultdict(list)
        for run in self.runs:
            self.runs_of[run["mission"]].append(run)
        self.marks = {key: marks_of(world, m["id"]) for key, m in self.missions.items()}

    def marks_of_run(self, run):
        return [m for m in self.marks[run["mission"]] if m.attempt == run["attempt"]]


def attempts_ran_once(evidence):
    """A13 every attempt ran once at the most, by one process, and no other than those recorded"""
    for key, marks in evidence.marks.items():
        known = {run["attempt"] for run in evidence.runs_of[key]}
        attempts = collections.defaultdict(list)
        for mark in marks:
            attempts[mark.attempt].append(mark)
        for attempt, its in attempts.items():
            if [m.what for m in its] not in (["start"], ["start", "end"]) or \
               len({m.pid for m in its}) != 1 or attempt not in known:
                yield f"{evidence.missions[key]['id']}: attempt {attempt} marked {its}"


def marks_agree_with_rows(evidence):
    """A18 a run that succeeded has begun and ended, within the time that its row tells"""
    for run in evidence.runs:
        marks = evidence.marks_of_run(run)
        if run["ending"] == "success" and [m.what for m in marks] != ["start", "end"]:
            yield f"run {run} marked {marks}"
        for mark in marks:
            if not run["begun_at"] <= mark.time <= run["finished_at"]:
                yield f"run {run} marked {mark}"


def room_is_kept(evidence):
    """A11 never more than maxConcurrent at a time, in the rows and by the agents' own marks"""
    rows = [(r["begun_at"], r["finished_at"], r["key"]) for r in evidence.runs]
    # One that marked no end was killed, and may have been there until its row was closed.
    marks = []
    for run in evidence.runs:
        times = [m.time for m in evidence.marks_of_run(run)]
        if times:
            marks.append((times[0], times[1] if times[1:] else run["finished_at"], run["key"]))
    for spans, what in ((rows, "rows"), (marks, "marks")):
        at_once = set()
        steps = [(t, 1, key) for t, _, key in spans] + [(t, 0, key) for _, t, key in spans]
        for instant, begins, key in sorted(steps):
            at_once = at_once | {key} if begins else at_once - {key}
            if len(at_once) > ROOM:
                yield f"{what}: runs {sorted(at_once)} at {instant}"


def all_ended(evidence):
    """B8 every slot, mission and run has ended"""
    for s in evidence.slots:
        if s["outcome"] in ("checking", "running"):
            yield f"slot {s}"
    for m in evidence.missions.values():
        if m["phase"] != "ended":
            yield f"mission {m}"
    for run in evidence.runs:
        if run["finished_at"] is None or run["ending"] == "none":
            yield f"run {run}"


def slots_and_missions_agree(evidence):
    """A10 a slot that ran has one mission, and both tell the same end"""
    slots = {s["key"]: s for s in evidence.slots}
    counts = collections.Counter(m["slot"] for m in evidence.missions.values())
    for s in evidence.slots:
        runs = evidence.reminders[s["reminder"]]["name"].startswith(("run-", "task-"))
        want = runs and s["outcome"] in ("ran", "failed")
        if counts[s["key"]] > 1 or (want and not counts[s["key"]]) or (
                not runs and counts[s["key"]]):
            yield f"slot {s} has {counts[s['key']]} missions"
    for m in evidence.missions.values():
        s = slots[m["slot"]]
        if s["outcome"] not in OUTCOMES[m["outcome"]] or s["attempts"] != m["attempts"] or \
           s["reason"] != m["reason"]:
            yield f"mission {m}, slot {s}"


def runs_are_counted(evidence):
    """B3 runs are numbered attempts, no more than allowed, and only the last one may succeed"""
    for key, m in evidence.missions.items():
        runs = evidence.runs_of[key]
        if not [r["number"] for r in runs] == [r["attempt"] for r in runs] == \
           list(range(1, len(runs) + 1)) or m["runs"] != len(runs) or \
           m["attempts"] != len(runs) or len(runs) > m["max_attempts"]:
            yield f"mission {m} has runs {runs}"
        if any(r["ending"] == "success" for r in runs[:-1]) or \
           (runs and m["outcome"] not in (runs[-1]["ending"], "killed")):  # between two of them
            yield f"mission {m} has runs {runs}"
        for before, after in zip(runs, runs[1:]):
            if after["begun_at"] < before["finished_at"]:
                yield f"mission {m}: run {after} began before {before} ended"


def fires_are_missions(evidence):
    """H16 a reminder's fires are its missions, or its messages"""
    missions = collections.Counter(m["reminder"] for m in evidence.missions.values())
    messages = collections.Counter(m["reminder"] for m in evidence.messages)
    for key, r in evidence.reminders.items():
        if r["fire_count"] != missions[key] + messages[key]:
            yield f"{r['name']}: {r['fire_count']} fires, {missions[key]} missions, " \
                  f"{messages[key]} messages"


def failures_are_told(evidence):
    """A18 every mission that failed for good is told once"""
    failed = collections.Counter(evidence.missions_of_slot[s["key"]]["id"]
                                 for s in evidence.slots if s["outcome"] == "failed")
    told = collections.Counter(re.search(r"It was mission (\S+) ", n["body"])[1]
                               for n in evidence.notices)
    for mission in failed.keys() | told.keys():
        if failed[mission] != 1 or told[mission] != 1:
            yield f"mission {mission} failed {failed[mission]} times, told {told[mission]} times"


def nobody_is_left(evidence):
    """A17 no process of a mission is left"""
    yield from processes_left(evidence.world, evidence.daemon)


def overlap_is_kept(evidence):
    """A11 missions of one reminder run one after another, unless they may overlap"""
    for key, r in evidence.reminders.items():
        if not r["name"].startswith("run-") or "allow" in r["name"]:
            continue
        runs = sorted(((run["begun_at"], run["finished_at"], run["key"])
                       for m in evidence.missions.values() if m["reminder"] == key
                       for run in evidence.runs_of[m["key"]]))
        for before, after in zip(runs, runs[1:]):
            if after[0] < before[1]:
                yield f"{r['name']}: run {after} began before {before} ended"


def diary_is_clean(evidence):
    """the daemon complained about nothing but what was killed"""
    yield from complaints(evidence.world)


CHECKS = (
    oracle.every_occurrence_has_one_row, attempts_ran_once, marks_agree_with_rows, room_is_kept,
    all_ended, slots_and_missions_agree, runs_are_counted, fires_are_missions, overlap_is_kept,
    failures_are_told, oracle.one_message_a_fire, oracle.delivered_at_least_once,
    oracle.store_is_sound, diary_is_clean, nobody_is_left,
)
