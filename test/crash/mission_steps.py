"""Kill the daemon, the nursery or the wrapper between every two steps of a mission's start and end.

The steps, and whose they are:

    daemon    commit of the run's row, fork of the nursery, sendmsg of the order
    nursery   recvmsg of it, fork of the wrapper, sendmsg of its process
    daemon    recvmsg of it, commit of the process, write of the gate's byte
    wrapper   read of it, pid file, fork of the agent, end.json
    daemon    close of the pidfd it noticed, commit of the end

Each case is one mission. Whoever was killed, a daemon without the library goes on; then the marks
of the agent, the rows and the processes have to tell one story: every attempt ran once at the most,
and the mission ended well.
"""
import collections
import contextlib
import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from mission_world import (Processes, clean_up, complaints, end_on_signal, make_world, marks_of,
                           processes_left, wait_until)
from oracle import Verdict
from world import PATIENCE, Lost

SENDS_MAX = 90  # more than the statements of the three turns of one mission on PostgreSQL

# `lost`: how the first attempt ended and what it marked ("" nothing, "s" a start, "se" both);
# None: it is the only one, and ran. `absent`: the request may not have been heard at all. `again`:
# where the next daemon dies. `down`: the machine has gone down, too, and took the pid file with it.
Case = collections.namedtuple("Case", "name crash lost absent again down",
                              defaults=(None, False, None, False))


def at(call, when, where="daemon", whom=None, file="", number=1):
    crash = {"CRASH_CALL": call, "CRASH_WHEN": when, "CRASH_IN": where, "CRASH_FILE": file,
             "CRASH_AT": str(number)}
    return crash | ({"CRASH_WHOM": whom} if whom else {})


def daemon_cases():
    """The daemon dies at its own calls."""
    for call, file, what in (("fork", "", "the start of the nursery"),
                             ("sendmsg", "", "the order"), ("recvmsg", "", "the answer"),
                             ("write", "pipe:", "the gate's byte"),
                             ("close", "[pidfd]", "the notice of its end")):
        for when in ("before", "after"):
            yield Case(f"daemon dies {when} {what}", at(call, when, file=file))


def commit_cases(store):
    """The daemon dies at a commit; for `lost` and `torn` the power fails, too."""
    if store:
        return  # see play_sends()
    words = {"before": "before", "after": "after", "lost": "without", "torn": "with half of"}
    for number, what in ((1, "the run's row"), (2, "its process"), (3, "its end")):
        for when, word in words.items():
            yield Case(f"daemon dies {word} the commit of {what}",
                       at("fdatasync", when, file="belfry.db-wal", number=number),
                       absent=number == 1 and when != "after")


# What a wrapper does, and how its own death there leaves the attempt; None: it has ended.
WRAPPER_STEPS = (
    ("read", "pipe:", "before", "it is let go", ("error", "")),
    ("read", "pipe:", "after", "it is let go", ("error", "")),
    ("write", "/pid", "before", "its pid file is written", ("orphaned", "")),
    ("write", "/pid", "after", "its pid file is written", ("orphaned", "")),
    ("fork", "", "before", "the agent is forked", ("orphaned", "")),
    ("rename", "end.json", "before", "its end is there", ("orphaned", "se")),
    ("rename", "end.json", "after", "its end is there", None),
)


def wrapper_cases():
    for call, file, when, what, lost in WRAPPER_STEPS:
        for whom in ("daemon", "nursery", "wrapper", "daemon,wrapper", "daemon,nursery,wrapper"):
            # A new daemon sees that it had not begun.
            again = lost and lost[0] == "error" and "daemon" in whom
            yield Case(f"{whom} die{'s' * (',' not in whom)} {when} {what}",
                       at(call, when, "wrapper", whom, file),
                       None if "wrapper" not in whom or again else lost)


def nursery_cases():
    for call, what in (("recvmsg", "the order is read"), ("fork", "a wrapper is forked"),
                       ("sendmsg", "the wrapper is told")):
        for when in ("before", "after"):
            for whom in ("daemon", "nursery", "daemon,nursery"):
                yield Case(f"{whom} die{'s' * (',' not in whom)} {when} {what}",
                           at(call, when, "nursery", whom))
    yield Case("wrapper dies before its nursery tells of it",
               at("sendmsg", "before", "nursery", "wrapper"), ("error", ""))


def second_cases(store):
    """The next daemon dies, too, while it looks for what the first one left."""
    firsts = (("sendmsg", "after", ""), ("write", "before", "pipe:"), ("write", "after", "pipe:"))
    for call, when, file in firsts:
        for number in (1, 2):
            again = at("send", "after", number=number * 7) if store else \
                at("fdatasync", "before", file="belfry.db-wal", number=number)
            yield Case(f"daemon dies {when} {call}, the next at its step {number}",
                       at(call, when, file=file), again=again)


def down_cases():
    """The machine goes down; pid files are not synced, so that none may mean anything but lost."""
    for call, file, when, what, lost in (
            ("read", "pipe:", "after", "it is let go", ("orphaned", "")),
            ("write", "/pid", "after", "its pid file is written", ("orphaned", "")),
            ("rename", "end.json", "before", "its end is there", ("orphaned", "se")),
            ("rename", "end.json", "after", "its end is there", None)):
        yield Case(f"the machine goes down {when} {what}",
                   at(call, when, "wrapper", "daemon,nursery,wrapper", file), lost, down=True)
    yield Case("the machine goes down before the order", at("sendmsg", "before"), down=True)


def send_case(number):
    return Case(f"daemon dies after statement {number}", at("send", "after", number=number),
                absent=True)


class Stage:
    """One case at a time, in one home."""

    def __init__(self, world, folder):
        self.world, self.folder = world, folder
        self.arm, self.once = f"{folder}/arm", f"{folder}/once"
        self.process = None
        self.boots = 0
        self.before = self.ends_before = 0  # missions, and runs that left an end

    def start(self, crash=None):
        files = {"CRASH_ARM": self.arm, "CRASH_ONCE": self.once}
        self.process = self.world.start(crash and crash | files)
        return self.world.talk_when_up(self.process)

    def clear(self):
        for path in (self.arm, self.once):
            if os.path.exists(path):
                os.unlink(path)

    def happened(self):
        return os.path.exists(self.once)

    def reap(self, whom):
        """The daemon, if it was to die; whether it did."""
        if "daemon" not in whom:
            return self.process.poll() is None
        try:
            return self.process.wait(PATIENCE) == -signal.SIGKILL
        except subprocess.TimeoutExpired:
            return False

    def first(self, case):
        """Up to the kill. Whether it happened."""
        self.clear()
        connection = self.start(case.crash)
        open(self.arm, "w").close()
        try:
            connection.ask("reminder run", reminder="work")
        except Lost:
            pass
        connection.close()
        wait_until(lambda: self.happened() or self.is_over())
        # The daemon closes what it watched an end with only after that end was committed. Whether
        # there is one more statement is not known before it came: of those, the end is a while.
        if not wait_until(self.happened, 2 if case.crash["CRASH_CALL"] == "send" else PATIENCE):
            return False
        return self.reap(case.crash.get("CRASH_WHOM", "daemon"))

    def second(self, case):
        """A daemon that is killed before it has found out much."""
        os.unlink(self.once)
        try:
            self.start(case.again).close()
        except Lost:
            pass
        wait_until(lambda: self.happened() or self.is_over())
        if self.process.poll() is None and not self.happened():
            self.process.kill()  # there was less to do than that
        self.process.wait(PATIENCE)

    def boot(self, case):
        """The machine starts again. An end is synced, a pid file is not."""
        self.boots += 1
        self.world.env["BELFRY_BOOT_ID"] = f"boot-{self.boots}"
        for path in glob.glob(f"{self.world.home}/missions/*/runs/*/pid"):
            if case.lost and not os.path.exists(path.replace("/pid", "/end.json")):
                os.unlink(path)

    def ends(self):
        return len(glob.glob(f"{self.world.home}/missions/*/runs/*/end.json"))

    def is_over(self):
        if self.process.poll() is not None:
            return True
        if self.ends() == self.ends_before:  # to ask the store costs a process on PostgreSQL
            return False
        row = self.world.query("SELECT count(*) AS n, (SELECT phase FROM missions ORDER BY key DESC"
                               " LIMIT 1) AS phase FROM missions")[0]
        return row["n"] > self.before and row["phase"] == "ended"

    def play(self, case):
        """Problems of one case; None when its step was never reached."""
        self.before = len(self.world.query("SELECT key FROM missions"))
        self.ends_before = self.ends()
        reached = self.first(case)
        if reached and case.again:
            self.second(case)
        if reached and case.down:
            self.boot(case)
        if self.process.poll() is not None:
            self.start().close()
        problems = list(self.judge(case)) if reached else None
        self.end()
        return problems

    def end(self):
        """Nobody is there when the next case begins: a nursery that still reads its last word
        would take the next case's step for its own."""
        self.process.kill()
        self.process.wait()
        wait_until(lambda: not Processes(self.world, 0).left(), 30)

    # --- the verdict ---

    def judge(self, case):
        rows = self.world.query("SELECT * FROM missions ORDER BY key")[self.before:]
        if not rows and case.absent:
            return
        if len(rows) != 1:
            yield f"{len(rows)} missions"
            return
        if not wait_until(self.is_over):
            yield "its mission does not end"
        mission = self.world.query(f"SELECT * FROM missions WHERE key = {rows[0]['key']}")[0]
        yield from self.judge_rows(mission, case)
        yield from self.judge_marks(mission, case)
        yield from processes_left(self.world, self.process.pid)

    def judge_rows(self, mission, case):
        slot = self.world.query(f"SELECT * FROM slots WHERE key = {mission['slot']}")[0]
        runs = self.world.query(f"SELECT * FROM runs WHERE mission = {mission['key']}"
                                " ORDER BY number")
        wanted = 2 if case.lost else 1
        if (mission["phase"], mission["outcome"], slot["outcome"]) != ("ended", "success", "ran"):
            yield f"mission {mission}, slot {slot}"
        if not mission["attempts"] == slot["attempts"] == mission["runs"] == len(runs) == wanted:
            yield f"attempts: mission {mission['attempts']}, slot {slot['attempts']}, " \
                  f"runs {[(r['number'], r['ending'], r['error']) for r in runs]}, not {wanted}"
        for number, run in enumerate(runs, 1):
            ending = "success" if number == wanted else case.lost and case.lost[0]
            if run["ending"] != ending or run["finished_at"] is None or \
               not run["number"] == run["attempt"] == number:
                yield f"run {run}"
        yield from self.judge_files(mission, runs)

    def judge_files(self, mission, runs):
        folder = f"{self.world.home}/missions/{mission['id']}/runs"
        last = runs[-1]
        with open(f"{folder}/{last['number']}/pid", encoding="ascii") as f:
            line = f.read().split()
        if line != [str(last["pid"]), str(last["pid_start"]), last["boot"]]:
            yield f"the pid file says {line}, the row {last}"
        if not os.path.exists(f"{folder}/{last['number']}/end.json"):
            yield "there is no end.json"

    def judge_marks(self, mission, case):
        told = collections.defaultdict(str)
        pids = collections.defaultdict(set)
        for mark in marks_of(self.world, mission["id"]):
            told[mark.attempt] += mark.what[0]
            pids[mark.attempt].add(mark.pid)
        wanted = [case.lost[1], "se"] if case.lost else ["se"]
        if [told[n + 1] for n in range(len(wanted))] != wanted or len(told) > len(wanted) or \
           any(len(p) > 1 for p in pids.values()):
            yield f"the agent marked {dict(told)}, not {wanted}"


class Watched(Stage):
    """Killed from here, while the agent is at work: it is so until there is a file `go`, however
    long we take."""

    def __init__(self, world, folder):
        super().__init__(world, folder)
        self.go = f"{world.home}/go"

    def clear(self):
        super().clear()
        if os.path.exists(self.go):
            os.unlink(self.go)

    def folders(self):
        return set(os.listdir(f"{self.world.home}/missions"))

    def agent(self, before):
        """The agent itself, not what it left behind; None before its mark is written."""
        marks = [m for mission in self.folders() - before for m in marks_of(self.world, mission)]
        return marks[0].pid if marks else None

    def first(self, case):
        self.clear()
        before = self.folders()
        connection = self.start()
        connection.must("reminder run", reminder="long-work")
        connection.close()
        if not wait_until(lambda: self.agent(before)):
            return False
        found = Processes(self.world, self.process.pid)
        victims = {"daemon": [self.process.pid], "nursery": found.nurseries,
                   "wrapper": found.wrappers, "agent": [self.agent(before)]}
        for whom in case.crash["CRASH_WHOM"].split(","):
            for pid in victims[whom]:
                # One that was killed before may have taken this one along already.
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            if not victims[whom]:
                return False
        # A killed wrapper takes its agent along when it comes to it: `go` is not for that one.
        if "wrapper" in case.crash["CRASH_WHOM"] and not wait_until(
                lambda: victims["agent"][0] not in Processes(self.world, 0).agents):
            return False
        open(self.go, "w").close()
        return self.reap(case.crash["CRASH_WHOM"])


def watched_cases():
    for whom in ("daemon", "nursery", "daemon,nursery"):
        yield Case(f"{whom} killed while the agent works", {"CRASH_WHOM": whom})
    for whom in ("agent", "daemon,agent", "wrapper", "daemon,wrapper",
                 "daemon,nursery,wrapper,agent"):
        yield Case(f"{whom} killed while the agent works", {"CRASH_WHOM": whom},
                   ("orphaned" if "wrapper" in whom else "error", "s"))


def play_all(world, folder, verdict):
    stage, watched = Stage(world, folder), Watched(world, folder)
    cases = [*daemon_cases(), *commit_cases(world.store), *nursery_cases(), *wrapper_cases(),
             *down_cases(), *second_cases(world.store)]
    for play, case in [(stage, c) for c in cases] + [(watched, c) for c in watched_cases()]:
        wanted = os.environ.get("CRASH_CASE")
        if wanted and wanted not in case.name:
            continue
        problems = play.play(case)
        verdict.tell(case.name, ["its step was never reached"] if problems is None else problems)
    if world.store:
        play_sends(stage, verdict)


def play_sends(stage, verdict):
    """A commit is one of many statements on a server: after each, until there are no more."""
    count, wrong = 0, []
    for number in range(1, SENDS_MAX):
        problems = stage.play(send_case(number))
        if problems is None:
            break
        count += 1
        wrong += [f"statement {number}: {p}" for p in problems]
    verdict.tell(f"daemon dies after each of its {count} statements", wrong or
                 [f"only {count}"] * (count < 20))


def make_database(server):
    name = f"belfry_mission_steps_{os.getpid()}"
    subprocess.run(["psql", "-qX", server, "-c", f"CREATE DATABASE {name}"], check=True)
    return f"{server.rpartition('/')[0]}/{name}"


def make_tables(world):
    process = world.start()
    world.talk_when_up(process).close()
    process.kill()
    process.wait()


def main():
    server = os.environ.get("BELFRY_TEST_POSTGRES")
    folder = tempfile.mkdtemp(prefix="belfry-steps.")
    started = time.monotonic()
    verdict = Verdict(f"A13 {'postgres' if server else 'sqlite'}")
    world = make_world(folder, make_database(server) if server else None)
    end_on_signal()
    try:
        make_tables(world)
        play_all(world, folder, verdict)
        verdict.tell("nothing is left running", processes_left(world))
        verdict.tell("the daemons complained about nothing but what was killed", complaints(world))
    finally:
        clean_up(world)
    print(f"# {time.monotonic() - started:.0f} s")
    if verdict.failed:
        print(f"# its home is left in {folder}")
    else:
        shutil.rmtree(folder)
    print(f"{verdict.passed} passed, {verdict.failed} failed")
    return 1 if verdict.failed else 0


if __name__ == "__main__":
    sys.exit(main())
