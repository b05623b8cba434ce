"""Kill daemon, nursery, wrappers and agents at random, with missions due all along, then judge.

usage: mission_kills.py KILLS   (BELFRY_BIN, CRASH_LIBRARY, CRASH_AGENT; BELFRY_TEST_POSTGRES: on
that server, not SQLite)

CRASH_SEED repeats the plan of a run; the instants still depend on the machine.
"""
import collections
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from mission_oracle import CHECKS, Evidence
from mission_world import (Processes, clean_up, end_on_signal, make_world, processes_left,
                           wait_until)
from oracle import Verdict
from world import Lost

PROMPTS = {
    "quick": "mark marks",
    "short": "mark marks\nsleep 0.15",
    "long": "mark marks\ndaemon 60\nsleep 1.2",
    "fails": "mark marks\nsleep 0.05\nfail no luck",
    "leaves": "mark marks\ndaemon 60\nfork 60\nsleep 0.1",
}
# name, prompt, every, overlap, catch-up, attempts
RUNS = (
    ("quick-skip", "quick", "1s", "skip", "skip", 1),
    ("short-queue", "short", "1s", "queue", "once", 3),
    ("long-skip", "long", "1s", "skip", "once", 2),
    ("long-queue", "long", "2s", "queue", "once", 3),
    ("long-replace", "long", "1s", "replace", "once", 2),
    ("short-allow", "short", "2s", "allow", "all:20", 3),
    ("fails-allow", "fails", "3s", "allow", "once", 2),
    ("leaves-queue", "leaves", "2s", "queue", "once", 3),
)
TASKS = 12
VICTIMS = {"daemon": 45, "nursery": 15, "wrapper": 25, "agent": 15}  # of a hundred
CALLS = (("sendmsg", ""), ("recvmsg", ""), ("write", "pipe:"), ("close", "[pidfd]"), ("fork", ""),
         ("commit", ""))
WHENS = ("before", "after")


def reminders():
    """(request, arguments) of everything that is due while we kill."""
    for name, prompt, every, overlap, catchup, attempts in RUNS:
        yield "reminder add", {"agent": "worker", "name": f"run-{name}", "run": True,
                               "message": PROMPTS[prompt], "every": every, "overlap": overlap,
                               "catchup": catchup, "max_attempts": attempts}
    for agent in ("me", "loud"):
        yield "reminder add", {"agent": agent, "name": f"tell-{agent}", "every": "1s",
                               "message": f"tell-{agent} {{{{fire_count}}}}", "catchup": "all:100"}
    for i in range(TASKS):
        yield "task add", {"prompt": PROMPTS[("quick", "short", "leaves")[i % 3]],
                           "name": f"task-{i}", "agent": "worker", "in": f"{1 + 2 * i}s"}


def populate(world):
    process = world.start()
    connection = world.talk_when_up(process)
    for request, args in reminders():
        connection.must(request, **args)
    connection.close()
    process.kill()
    process.wait()
    # Back-off is for people's patience, not ours; and what fails is to fail on.
    world.change("UPDATE policies SET backoff = 300000, pause_after = 0")


class Killer:
    def __init__(self, world, chance):
        self.world, self.random = world, chance
        self.done = collections.Counter()
        self.wrong = []
        self.process = None

    def start(self):
        """A daemon, now and then one that dies at a call of its own."""
        crash = None
        if self.random.random() < 0.4:
            call, file = self.random.choice(CALLS)
            whens, most = WHENS, 1 if call == "fork" else 5
            if call == "commit" and self.world.store:
                call, most = "send", 150
            elif call == "commit":  # and the power fails: what was told must have been synced
                call, whens, most = "fdatasync", ("lost", "torn"), 12
            crash = {"CRASH_CALL": call, "CRASH_FILE": file,
                     "CRASH_WHEN": self.random.choice(whens),
                     "CRASH_AT": str(self.random.randint(1, most))}
        self.process = self.world.start(crash)
        try:
            self.world.talk_when_up(self.process).close()
        except Lost:
            pass

    def keep_alive(self):
        status = self.process.poll()
        if status is None:
            return
        if status != -signal.SIGKILL:
            self.wrong.append(f"the daemon ended with status {status}")
        self.done["daemon at a call"] += 1
        self.start()

    def victims(self, kind):
        found = Processes(self.world, self.process.pid)
        return {"nursery": found.nurseries, "wrapper": found.wrappers,
                "agent": found.agents}[kind]

    def kill_daemon(self):
        stopping = self.random.random() < 0.2
        if stopping:
            self.process.terminate()
            time.sleep(self.random.random() * 0.1)
        self.process.kill()
        status = self.process.wait()
        if status not in (-signal.SIGKILL, 0 if stopping else -signal.SIGKILL):
            self.wrong.append(f"the daemon ended with status {status}")
        self.done["daemon while it stops" if stopping else "daemon"] += 1
        if self.random.random() < 0.15:
            time.sleep(self.random.random() * 2)  # long enough to miss something
        self.start()

    def kill_other(self, kind):
        until = time.monotonic() + 1
        while time.monotonic() < until:
            pids = self.victims(kind)
            if pids:
                os.kill(self.random.choice(pids), signal.SIGKILL)
                self.done[kind] += 1
                return
            time.sleep(0.01)

    def kill_one(self):
        time.sleep(self.random.random() ** 2 * 0.7)
        self.keep_alive()
        kind = self.random.choices(*zip(*VICTIMS.items()))[0]
        try:
            if kind == "daemon":
                self.kill_daemon()
            else:
                self.kill_other(kind)
        except ProcessLookupError:
            pass  # it was gone by itself

    def kill_all(self, kills):
        self.start()
        while sum(self.done.values()) < kills:
            self.kill_one()
        self.process.kill()
        self.process.wait()


def is_at_rest(world):
    return not world.query("SELECT (SELECT count(*) FROM missions WHERE phase <> 'ended')"
                           " + (SELECT count(*) FROM slots WHERE outcome IN"
                           " ('running', 'checking')) AS n")[0]["n"]


def judge(world, killer, daemon, verdict):
    verdict.tell(f"{sum(killer.done.values())} kills: {dict(killer.done)}", killer.wrong)
    evidence = Evidence(world, daemon)
    verdict.check(evidence, CHECKS)
    print(f"# slots {dict(collections.Counter(s['outcome'] for s in evidence.slots))}; "
          f"runs {dict(collections.Counter(r['ending'] for r in evidence.runs))}; "
          f"{len(evidence.missions)} missions, {sum(map(len, evidence.marks.values()))} marks")


def rest_and_judge(world, killer, verdict):
    """One more daemon, which lives; everything is removed, and what is open ends by itself."""
    process = world.start()
    try:
        connection = world.talk_when_up(process)
        for row in world.query("SELECT id FROM reminders WHERE status IN ('active', 'paused')"
                               " AND schedule_kind <> 'cron'"):
            connection.ask("reminder remove", reminder=row["id"])
        connection.close()
        wait_until(lambda: is_at_rest(world) and not world.still_open(), 180)
        judge(world, killer, process.pid, verdict)
    except Lost:
        killer.wrong.append("the last daemon was lost")
        verdict.tell(f"{sum(killer.done.values())} kills: {dict(killer.done)}", killer.wrong)
    finally:
        process.terminate()
        status = process.wait(70)
    verdict.tell("the last daemon stops when it is asked to", [f"status {status}"] * (status != 0))
    verdict.tell("and leaves nobody behind", processes_left(world))


def make_database(server):
    name = f"belfry_mission_kills_{os.getpid()}"
    subprocess.run(["psql", "-qX", server, "-c", f"CREATE DATABASE {name}"], check=True)
    return f"{server.rpartition('/')[0]}/{name}"


def main():
    kills = int(sys.argv[1])
    seed = os.environ.get("CRASH_SEED") or str(random.randrange(10 ** 9))
    server = os.environ.get("BELFRY_TEST_POSTGRES")
    folder = tempfile.mkdtemp(prefix="belfry-missions.")
    started = time.monotonic()
    verdict = Verdict(f"random {'postgres' if server else 'sqlite'}")
    world = make_world(folder, make_database(server) if server else None)
    killer = Killer(world, random.Random(seed))
    end_on_signal()
    try:
        populate(world)
        killer.kill_all(kills)
        rest_and_judge(world, killer, verdict)
    finally:
        clean_up(world)
        print(f"# CRASH_SEED={seed}, {time.monotonic() - started:.0f} s")
        if verdict.passed and not verdict.failed:
            shutil.rmtree(folder)
        else:
            print(f"# its home is left in {folder}")
    print(f"{verdict.passed} passed, {verdict.failed} failed")
    return 1 if verdict.failed else 0


if __name__ == "__main__":
    sys.exit(main())
