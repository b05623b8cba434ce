"""What setting the clock does to the real daemon: it wakes, looks, and fires nothing twice.

The clock is only ever set to what it says, which costs it a microsecond: enough for the kernel to
call it a change. Without the right to do that, only the timer itself is looked at.
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

from mission_world import wait_until
from oracle import Evidence, Verdict
from world import World

SETS = 16
SECOND = 1_000_000_000
FLAGS = 0o3  # TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET


def set_clock():
    time.clock_settime_ns(time.CLOCK_REALTIME, time.clock_gettime_ns(time.CLOCK_REALTIME))


def may_set_clock():
    try:
        set_clock()
    except OSError as e:
        print(f"# skip: the clock cannot be set here ({e.strerror}); only the timer is looked at")
        return False
    return True


def timers(pid):
    """What /proc tells of the timers of a process."""
    found = []
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        with open(f"/proc/{pid}/fdinfo/{fd}", encoding="ascii") as f:
            facts = dict(line.split(":", 1) for line in f if ":" in line)
        if "clockid" in facts:
            found.append((int(facts["clockid"]), int(facts["settime flags"], 8)))
    return found


def wakes(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("voluntary"))


def is_traced(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return "TracerPid:\t0\n" not in f.read()


def contents(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def test_timer(process, verdict):
    wrong = [f"timers (clock, flags): {found}"
             for found in [timers(process.pid)] if found != [(time.CLOCK_REALTIME, FLAGS)]]
    verdict.tell("one timer, on the wall clock, that a change cancels", wrong)


def test_wake(process, verdict):
    for _ in range(20):  # whatever the last request left to do
        asleep = wakes(process.pid)
        time.sleep(0.5)
        quiet = wakes(process.pid)
        if quiet == asleep:
            break
    set_clock()
    wrong = []
    if quiet != asleep:
        wrong.append(f"it did not sleep: woke {quiet - asleep} times")
    if not wait_until(lambda: wakes(process.pid) != quiet):
        wrong.append("it slept on")
    verdict.tell("a clock that is set wakes the sleeping daemon, and nothing else does", wrong)


def test_reason(process, verdict):
    """The wake as the kernel tells it, where there is somebody to listen."""
    if not shutil.which("strace"):
        print("# skip: no strace")
        return
    with tempfile.NamedTemporaryFile("r", suffix=".strace") as trace:
        tracer = subprocess.Popen(["strace", "-e", "trace=read,timerfd_settime", "-o", trace.name,
                                   "-p", str(process.pid)], stderr=subprocess.DEVNULL)
        wait_until(lambda: is_traced(process.pid) or tracer.poll() is not None)
        if tracer.poll() is not None:
            print("# skip: strace may not look at a process here")
            return
        time.sleep(0.2)  # it says first what the process was in
        set_clock()
        wait_until(lambda: "TFD_TIMER_CANCEL_ON_SET" in contents(trace.name))
        tracer.terminate()
        tracer.wait()
        seen = contents(trace.name)
    cancelled = seen.find("ECANCELED")
    wrong = [] if 0 <= cancelled < seen.find("TFD_TIMER_CANCEL_ON_SET") else seen.splitlines()
    verdict.tell("its alarm was cancelled, and set again", wrong)


def near_due(chance, due):
    """Set the clock a moment before or after an occurrence is due, and again at any instant."""
    now = time.time_ns()
    following = due + -((due - now) // SECOND) * SECOND
    time.sleep(max(0, (following - now + chance.randint(-2_000_000, 2_000_000)) / SECOND))
    set_clock()
    time.sleep(chance.random() * 0.2)
    set_clock()


def test_fires(world, connection, verdict):
    chance = random.Random(1)
    for i in range(12):
        args = ({"every": "1s"}, {"every": "1s", "catchup": "all:100"},
                {"rrule": "FREQ=SECONDLY;INTERVAL=1", "catchup": "skip"})[i % 3]
        name = f"n-{i}"
        world.adds[name] = connection.must("reminder add", agent=("me", "loud")[i % 2], name=name,
                                           message=name + " {{fire_count}}", **args)["id"]
    anchor = world.query("SELECT max(anchor) AS a FROM reminders WHERE name = 'n-0'")[0]["a"]
    for _ in range(SETS // 2):
        near_due(chance, anchor * 1000)
    world.come_to_rest(connection)
    evidence = Evidence(world)
    verdict.check(evidence)
    verdict.tell(f"{len(evidence.messages)} fires while the clock was set {SETS} times",
                 ["none"] * (len(evidence.messages) < SETS))


def main():
    folder = tempfile.mkdtemp(prefix="belfry-clock.")
    verdict = Verdict("clock")
    world = World(os.environ["BELFRY_BIN"], None, f"{folder}/home", None)
    process = world.start()
    try:
        connection = world.connect_when_up(process)
        world.adds["far"] = connection.must("reminder add", agent="me", name="far",
                                            message="far {{fire_count}}", **{"in": "1h"})["id"]
        test_timer(process, verdict)
        if may_set_clock():
            test_wake(process, verdict)
            test_reason(process, verdict)
            test_fires(world, connection, verdict)
        connection.close()
    finally:
        process.terminate()
        process.wait(60)
    shutil.rmtree(folder)
    print(f"{verdict.passed} passed, {verdict.failed} failed")
    return 1 if verdict.failed else 0


sys.exit(main())
