"""Kill the real daemon again and again, with reminders due all along, then ask the oracle.

usage: kill.py KILLS   (BELFRY_BIN, CRASH_LIBRARY; BELFRY_TEST_POSTGRES: on that server, not SQLite)

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

from client import Client, Importer
from oracle import Evidence, Verdict
from world import PATIENCE, Lost, World, schedules

CALL_LIMIT = 30  # seconds a daemon gets to arrive at the call it dies at
WHENS = ("before", "after", "lost", "torn")


def size(path):
    return os.stat(path).st_size


class Killer:
    def __init__(self, world, chance):
        self.world, self.random = world, chance
        self.done = collections.Counter()  # kills that happened, by their kind
        self.wrong = []

    # --- how one daemon ends; each answers whether it was killed ---

    def by_call(self, process, limit=CALL_LIMIT):
        """The library ends it."""
        try:
            return process.wait(limit) == -signal.SIGKILL
        except subprocess.TimeoutExpired:
            return False

    def after(self, process, seconds):
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            return True
        return False

    def when_grown(self, process, name):
        """While a command runs that has just written to this file."""
        path = f"{self.world.home}/{name}"
        start, until = size(path), time.monotonic() + CALL_LIMIT
        while process.poll() is None and time.monotonic() < until:
            if size(path) > start:
                return self.after(process, self.random.random() * 0.05)
            time.sleep(0.001)
        return False

    def while_stopping(self, process):
        try:
            self.world.talk_when_up(process).close()
        except Lost:
            return self.by_call(process)
        time.sleep(0.05 + self.random.random() * 0.2)
        process.terminate()
        return self.by_call(process)

    # --- one daemon from its start to its end ---

    def crash(self, calls, most, file="", whens=WHENS):
        return {"CRASH_CALL": self.random.choice(calls), "CRASH_FILE": file,
                "CRASH_AT": str(self.random.randint(1, most)),
                "CRASH_WHEN": self.random.choice(whens)}

    def run(self, kind, end, crash=None, client=Client):
        process = self.world.start(crash)
        busy = client and client(self.world, process, self.random.random())
        if busy:
            busy.start()
        killed = end(process)
        if process.poll() is None:
            process.kill()
        status = process.wait()
        if busy:
            busy.ended.set()
            busy.join()
        if busy and busy.failure:
            self.wrong.append(f"{kind}: client: {busy.failure!r}")
        if status not in (0, -signal.SIGKILL) or (status == 0 and kind != "stop"):
            self.wrong.append(f"{kind}: the daemon ended with status {status}")
        self.done[kind] += killed
        if not killed:
            self.done["not reached"] += 1

    def birth(self):
        """While it makes its tables, and for a while after the first that succeeds."""
        calls = ("send",) if self.world.store else ("fdatasync", "pwrite64")
        self.run("birth", lambda p: self.by_call(p, 5), self.crash(calls, 3), client=None)

    def call(self):
        if self.world.store:
            self.run("call", self.by_call, self.crash(("send",), 60, whens=WHENS[:2]))
        elif self.random.random() < 0.65:
            self.run("call", self.by_call, self.crash(("fdatasync",), 12))
        else:
            # Between two syncs: what the last one did not cover must not have been told to anybody.
            self.run("call", self.by_call, self.crash(("pwrite64",), 80, whens=("lost", "torn")))

    def spawn(self):
        """At the first commit after a child was started: what it was told must stay so."""
        crash = self.crash(("send",) if self.world.store else ("fdatasync",), 1,
                           whens=("before", "lost", "torn"))
        self.run("spawn", self.by_call, crash | {"CRASH_FORKS": str(self.random.randint(1, 4))})

    def import_call(self):
        calls = ("send",) if self.world.store else ("fdatasync",)
        most = 200 if self.world.store else 22
        self.run("import", self.by_call, self.crash(calls, most), client=Importer)

    def stop(self):
        self.run("stop", self.while_stopping, self.crash(("pwrite64",), 4, file="belfry.db"))

    def recovery(self):
        delay = 0.002 + self.random.random() * 0.02
        self.run("recovery", lambda p: self.after(p, delay))

    def instant(self):
        delay = 0.02 + self.random.random() ** 2 * 1.4
        self.run("instant", lambda p: self.after(p, delay))

    def import_instant(self):
        delay = 0.02 + self.random.random() * 0.4
        self.run("import", lambda p: self.after(p, delay), client=Importer)

    def deliver(self):
        self.run("deliver", lambda p: self.when_grown(p, "offers"))

    def check(self):
        self.run("condition", lambda p: self.when_grown(p, "checks"))


# Of a hundred: half at a call, half at an instant.
SHARES = {"call": 28, "spawn": 10, "import_call": 6, "stop": 6,
          "recovery": 10, "instant": 18, "import_instant": 6, "deliver": 8, "check": 8}


def plan(kills, chance, store):
    """The kinds of the kills, in an order of chance."""
    names = [name for name, share in SHARES.items()
             if not (store and name == "stop")  # a server checkpoints by itself
             for _ in range(max(1, share * kills // 100))]
    names += ["call"] * (kills - len(names))
    chance.shuffle(names)
    return names[:kills]


def populate(world):
    """The reminders of the world, added in peace."""
    process = world.start()
    connection = world.talk_when_up(process)
    for name, args in schedules(world.home):
        world.adds[name] = connection.must("reminder add", **args)["id"]
    connection.close()
    process.kill()
    process.wait()


def kill_all(world, killer, kills):
    for _ in range(kills // 10):
        killer.birth()
    populate(world)
    names = plan(kills - killer.done["birth"], killer.random, world.store)
    for i, name in enumerate(names):
        if i == len(names) // 2:
            open(f"{world.home}/flag", "w").close()  # the conditions that wait for it are met
        getattr(killer, name)()
        if killer.random.random() < 0.1:
            time.sleep(1 + killer.random.random() * 3)  # long enough to miss something
    while sum(killer.done.values()) - killer.done["not reached"] < kills:
        killer.instant()


def judge(world, killer, kills, verdict):
    total = sum(killer.done.values()) - killer.done["not reached"]
    hollow = killer.done["not reached"] > kills // 5
    verdict.tell(f"{kills} kills, each at the instant it was meant for",
                 killer.wrong + [f"{total}: {dict(killer.done)}"] * (total < kills or hollow))
    evidence = Evidence(world)
    verdict.check(evidence)
    outcomes = collections.Counter(s["outcome"] for s in evidence.slots)
    print(f"# kills {dict(killer.done)}; slots {dict(outcomes)}; "
          f"{len(evidence.messages)} messages, {len(evidence.reminders)} reminders, "
          f"{len(world.imports)} imports")


def rest_and_judge(world, killer, kills, verdict):
    """One more daemon, which lives."""
    process = world.start()
    connection = world.talk_when_up(process)
    world.come_to_rest(connection)
    connection.close()
    judge(world, killer, kills, verdict)
    process.terminate()
    status = process.wait(PATIENCE)
    verdict.tell("the last daemon stops when it is asked to", [f"status {status}"] * (status != 0))


def make_database(server):
    name = f"belfry_crash_{os.getpid()}"
    subprocess.run(["psql", "-qX", server, "-c", f"CREATE DATABASE {name}"], check=True)
    return f"{server.rpartition('/')[0]}/{name}"


def main():
    kills = int(sys.argv[1])
    seed = os.environ.get("CRASH_SEED") or str(random.randrange(10 ** 9))
    server = os.environ.get("BELFRY_TEST_POSTGRES")
    folder = tempfile.mkdtemp(prefix="belfry-crash.")
    started = time.monotonic()
    verdict = Verdict("postgres" if server else "sqlite")
    world = World(os.environ["BELFRY_BIN"], os.environ["CRASH_LIBRARY"], f"{folder}/home",
                  make_database(server) if server else None)
    killer = Killer(world, random.Random(seed))
    try:
        kill_all(world, killer, kills)
        rest_and_judge(world, killer, kills, verdict)
    finally:
        print(f"# CRASH_SEED={seed}, {time.monotonic() - started:.0f} s")
        if verdict.passed and not verdict.failed:
            shutil.rmtree(folder)
        else:
            print(f"# its home is left in {folder}")
    print(f"{verdict.passed} passed, {verdict.failed} failed")
    return 1 if verdict.failed else 0


sys.exit(main())
