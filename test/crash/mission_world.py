"""What the tests of killed missions stand on: a home with an agent that marks when it runs, and the
processes of that home by their kind.

An agent appends "start PID ATTEMPT TIME" and "end PID ATTEMPT TIME" to the file `marks` in its
mission's own folder: the one witness that no daemon can talk out of what happened.
"""
import collections
import os
import re
import signal
import sys
import time

from world import PATIENCE, World

Mark = collections.namedtuple("Mark", "what pid attempt time")

CONFIG = """timezone: UTC
agents:
  worker:
    command: ["{agent}"]
  loud:
    deliver:
      command: ["{{home}}/deliver"]
      timeout: 60s
crons:
  maxConcurrent: 3
  work:
    schedule: "0 0 1 1 *"
    agent: worker
    prompt: "mark marks\\nsleep 0.05"
    max_attempts: 2
    backoff: 50ms
  long-work:
    schedule: "0 0 1 1 *"
    agent: worker
    prompt: "mark marks\\nfork 60\\ndaemon 60\\nshell until [ -e {{home}}/go ]; do sleep 0.02; done"
    max_attempts: 2
    backoff: 50ms
"""


def make_world(folder, store):
    agent = os.environ["CRASH_AGENT"]
    return World(os.environ["BELFRY_BIN"], os.environ["CRASH_LIBRARY"], f"{folder}/home", store,
                 CONFIG.format(agent=agent))


def wait_until(true, seconds=PATIENCE):
    until = time.monotonic() + seconds
    while not true():
        if time.monotonic() > until:
            return False
        time.sleep(0.005)
    return True


def marks_of(world, mission):
    try:
        with open(f"{world.home}/missions/{mission}/agent/marks", encoding="ascii") as f:
            lines = f.read().splitlines()
    except FileNotFoundError:
        return []
    return [Mark(what, *map(int, rest)) for what, *rest in map(str.split, lines)]


def complaints(world):
    """Lines of the diary that are more than news, but for nurseries and keepers that were killed."""
    expected = re.compile(r"\S+Z (info |warning the nursery ended |warning process \d+, which kept '.*', was killed)")
    with open(f"{world.home}/daemon.log", encoding="utf-8") as f:
        return [line.rstrip() for line in f if not expected.match(line)]


# --- processes ---

class Processes:
    """Those of one home, at one instant."""

    def __init__(self, world, daemon):
        self.nurseries, self.wrappers, self.agents, self.others = [], [], [], []
        self.daemon = daemon
        self.runs = {}  # of agents, and what they started: pid to "ID/NUMBER"
        mark = f"BELFRY_HOME={world.home}".encode()
        for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
            try:
                self.look_at(pid, mark)
            except OSError:
                pass  # it is gone

    def look_at(self, pid, mark):
        with open(f"/proc/{pid}/environ", "rb") as f:
            environment = f.read().split(b"\0")
        if mark not in environment or pid == self.daemon:
            return
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
            state, parent = f.read().rpartition(")")[2].split()[:2]
        if state in "ZX":
            return
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            words = f.read().split(b"\0")
        run = [v for v in environment if v.startswith(b"BELFRY_RUN=")]
        if run:
            self.agents.append(pid)
            self.runs[pid] = run[0].partition(b"=")[2].decode()
        elif words[1:3] != [b"wrapper", b"nursery"]:
            self.others.append(pid)
        elif int(parent) == self.daemon:
            self.nurseries.append(pid)
        else:
            self.wrappers.append(pid)

    def left(self):
        """Whoever should not be there when nothing runs."""
        return self.nurseries[1:] + self.wrappers + self.agents + self.others


def clean_up(world):
    """However we end, nobody outlives us: nurseries and wrappers lead sessions of their own."""
    for _ in range(20):
        found = Processes(world, 0)
        pids = found.nurseries[:1] + found.left()
        if not pids:
            return
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def end_on_signal():
    """A signal unwinds like any other error."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))


def describe(pids):
    found = []
    for pid in pids:
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
                state, parent = f.read().rpartition(")")[2].split()[:2]
            with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as f:
                words = f.read().replace(chr(0), " ")
            found.append(f"process {pid} ({state}, below {parent}) is left: {words}")
        except OSError:
            pass
    return found


def processes_left(world, daemon=0, seconds=30):
    """Who is left although nothing runs; time is given to those that are just ending."""
    if wait_until(lambda: not Processes(world, daemon).left(), seconds):
        return []
    return describe(Processes(world, daemon).left())
