"""Kill the daemon while messages are typed into two live agents, one with hooks and one without.

The sessions survive it. Each agent records what it got before it does anything about it, so at the
end every message that was answered is in the record of its agent exactly once, every other one as
often as the queue has it, whole, under its id, in the order of the queue; and all are delivered.
First at random instants, then after every write to tmux and to clients, and around every commit.
"""
import collections
import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from oracle import Verdict
from world import Lost, World

RANDOM_SECONDS, STEP_SECONDS = 6, 10  # at most: how far it got is told
RANDOM_KILLS, RANDOM_MOST = 3, 120  # at least, also where a start takes long; seconds
STEPS_MAX = 60
AGENTS = ("screen", "hooked")
REST_SECONDS = 300

CONFIG = """timezone: UTC
agents:
  screen: {{adapter: tui, directory: "{home}", environment: {{TUI_RECORD: "{home}/screen.record"}}}}
  hooked: {{adapter: hooks, directory: "{home}", environment: {{TUI_RECORD: "{home}/hooked.record"}}}}
adapters:
  tui:
    headless: ["@", -p, --session-id, "{{session}}"]
    interactive: ["@", --session-id, "{{session}}", --, "{{prompt}}"]
    resume_interactive: ["@", --resume, "{{session}}", --, "{{prompt}}"]
    session: chosen
    output: text
    live: {{busy: esc to interrupt, blocked: "Allow .*[?]", input: "^> (.*)$", paste: true, quiet: 1s}}
  hooks:
    headless: ["@", -p, --session-id, "{{session}}"]
    interactive: ["@", --session-id, "{{session}}", --settings, "{{hooks}}", --, "{{prompt}}"]
    resume_interactive: ["@", --resume, "{{session}}", --settings, "{{hooks}}", --, "{{prompt}}"]
    session: chosen
    output: text
    live: {{busy: esc to interrupt, blocked: "Allow .*[?]", input: "^> (.*)$", paste: true, quiet: 1s,
      hooks: claude}}
"""

TYPED = re.compile(r"\[belfry (m-[a-z0-9]+)\] (.*)", re.DOTALL)


class Stage:
    def __init__(self, world):
        self.world, self.process, self.connection = world, None, None
        self.arm = f"{world.home}/arm"
        self.random = random.Random(5)
        self.sent = {name: {} for name in AGENTS}  # agent, text: whether it was answered

    # --- the daemon, and its end ---

    def start(self, crash=None):
        self.process = self.world.start(crash and crash | {"CRASH_ARM": self.arm})
        self.connection = self.world.talk_when_up(self.process)

    def end(self):
        if self.connection:
            self.connection.close()
        if self.process:
            self.process.kill()
            self.process.wait()
        self.process = self.connection = None

    def tmux(self, *args):
        return subprocess.run(["tmux", "-S", "tmux.sock", *args], cwd=self.world.home, check=False,
                              capture_output=True, text=True)

    def close(self):
        """The sessions end with their server; their wrappers still write how."""
        self.end()
        self.tmux("kill-server")
        until = time.monotonic() + 60
        while self.processes() and time.monotonic() < until:
            time.sleep(0.05)

    def processes(self):
        mark, found = f"BELFRY_HOME={self.world.home}".encode(), []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as f:
                    if mark in f.read().split(b"\0"):
                        found.append(int(pid))
            except OSError:
                pass
        return found

    # --- the agents ---

    def row(self, agent):
        rows = self.connection.must("agent list")["agents"]
        return next(row for row in rows if row["name"] == agent)

    def begin_sessions(self):
        self.start()
        for agent in AGENTS:
            self.connection.must("live start", agent=agent)
        until = time.monotonic() + 60
        while any(self.row(agent)["state"] != "idle" for agent in AGENTS):
            if time.monotonic() > until:
                raise AssertionError(f"not idle: {[self.row(agent) for agent in AGENTS]}")
            time.sleep(0.05)

    def send(self, agent):
        """Whether it was answered. Some keep the agent busy, some have several lines."""
        number = len(self.sent[agent])
        text = f"number {number}" + ("", " WORK:150ms", "\nand a second line", " SILENT:50ms")[number % 4]
        self.sent[agent][text] = False
        try:
            self.connection.must("live send", agent=agent, text=text, priority="normal")
            self.sent[agent][text] = True
        except Lost:
            pass
        return self.sent[agent][text]

    def record(self, agent, event="prompt"):
        try:
            with open(f"{self.world.home}/{agent}.record", encoding="utf-8") as f:
                lines = [json.loads(line) for line in f if line.endswith("\n")]
        except FileNotFoundError:
            return []
        return [line for line in lines if line["event"] == event]

    # --- killing ---

    def play_random(self, seconds):
        """Returns how often it was killed."""
        began, kills = time.monotonic(), 0
        while time.monotonic() < began + seconds or (
                self.is_too_little(kills) and time.monotonic() < began + RANDOM_MOST):
            for agent in AGENTS:
                for _ in range(self.random.randint(0, 2)):
                    self.send(agent)
            time.sleep(self.random.choice((0.02, 0.2, 0.6, 1.2)) * self.random.random())
            self.end()
            kills += 1
            self.start()
        return kills

    def is_too_little(self, kills):
        return kills < RANDOM_KILLS or not all(any(sent.values()) for sent in self.sent.values())

    def play_step(self, crash):
        """Both agents get a message while it is armed. Returns whether the step was reached."""
        self.end()
        self.start(crash)
        with open(self.arm, "w", encoding="ascii"):
            pass
        answered = [self.send(agent) for agent in AGENTS]
        reached = self.wait_for_death_or_rest(0.5 if all(answered) else 30)
        os.unlink(self.arm)
        self.end()
        self.start()
        return reached

    def wait_for_death_or_rest(self, grace):
        """Whether it died. Nothing waits also when it died before anything was sent."""
        until = time.monotonic() + 30
        while time.monotonic() < until and self.process.poll() is None and self.waiting():
            time.sleep(0.02)
        try:
            return self.process.wait(grace) == -signal.SIGKILL
        except subprocess.TimeoutExpired:
            return False

    def play_steps(self, call, when, file, seconds):
        """One after the other, until there are no more. Returns how many there were."""
        until = time.monotonic() + seconds
        for number in range(1, STEPS_MAX):
            if time.monotonic() > until:
                return number - 1
            if not self.play_step({"CRASH_CALL": call, "CRASH_WHEN": when, "CRASH_AT": str(number),
                                   "CRASH_FILE": file}):
                return number - 1
        return STEPS_MAX

    # --- judging ---

    def waiting(self):
        return self.world.query("SELECT count(*) AS n FROM queue"
                                " WHERE state IN ('queued', 'offered')")[0]["n"]

    def come_to_rest(self):
        until = time.monotonic() + REST_SECONDS
        while time.monotonic() < until:
            got = sum(len(self.record(agent)) for agent in AGENTS)
            done = sum(len(self.record(agent, "done")) for agent in AGENTS)
            if not self.waiting() and got == done:
                return
            time.sleep(0.1)

    def judge(self, agent):
        rows = self.world.query("SELECT id, body, state, attempts FROM queue"
                                f" WHERE agent = '{agent}' ORDER BY key")
        for row in rows:
            if row["state"] != "delivered":
                yield f"{row['id']} {row['body']!r} is {row['state']} after {row['attempts']} offers"
        queued = collections.Counter(row["body"] for row in rows)
        for text, answered in self.sent[agent].items():
            if not answered <= queued[text] <= 1:
                yield f"{text!r} is {queued[text]} times in the queue, answered: {answered}"
        typed = [TYPED.fullmatch(line["text"]) for line in self.record(agent)]
        if None in typed:
            yield f"mangled: {[line['text'] for line in self.record(agent)][typed.index(None)]!r}"
        got = [match.groups() for match in typed if match]
        want = [(row["id"], row["body"]) for row in rows]
        counts = collections.Counter(got)
        for message in want:
            if counts[message] != 1:
                yield f"{message} was received {counts[message]} times"
        for message in set(got) - set(want):
            yield f"{message} was received, and never sent"
        if sorted(got) == sorted(want) and got != want:
            yield "they came in another order"
        for event in ("ctrl-c", "stray", "exit", "hook"):
            if self.record(agent, event):
                yield f"{event}: {self.record(agent, event)[0]}"
        if len(self.record(agent, "start")) != 1:
            yield f"it was started {len(self.record(agent, 'start'))} times"


def play(stage, verdict):
    stage.begin_sessions()
    kills = stage.play_random(RANDOM_SECONDS)
    stage.come_to_rest()
    told = {agent: sum(stage.sent[agent].values()) for agent in AGENTS}
    verdict.tell(f"killed {kills} times at random, {told} messages",
                 [] if not stage.is_too_little(kills) else ["too few to show anything"])
    steps = {"at every write to a socket, tmux among them": ("write", "after", "socket:")}
    if not stage.world.store:
        steps["before every commit"] = ("fdatasync", "before", "")
        steps["after every commit"] = ("fdatasync", "after", "")
    for name, step in steps.items():
        share = 2 if step[0] == "write" else 1  # there are most of those
        count = stage.play_steps(*step, STEP_SECONDS * share / (len(steps) + 1))
        stage.come_to_rest()
        verdict.tell(f"killed {name}, {count} of them", [] if count else ["none was reached"])
    for agent in AGENTS:
        verdict.tell(f"{agent}: every message arrived once, whole, in order, and is delivered",
                     list(stage.judge(agent)))


def make_database(server):
    name = f"belfry_live_{os.getpid()}"
    subprocess.run(["psql", "-qX", server, "-c", f"CREATE DATABASE {name}"], check=True)
    return f"{server.rpartition('/')[0]}/{name}"


def main():
    server = os.environ.get("BELFRY_TEST_POSTGRES")
    folder = tempfile.mkdtemp(prefix="belfry-live.")
    started = time.monotonic()
    verdict = Verdict(f"H16: live, {'postgres' if server else 'sqlite'}")
    world = World(os.environ["BELFRY_BIN"], os.environ["CRASH_LIBRARY"], f"{folder}/home",
                  make_database(server) if server else None,
                  CONFIG.replace("@", os.environ["TUI_AGENT"]))
    stage = Stage(world)
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        play(stage, verdict)
    except (AssertionError, Lost, subprocess.SubprocessError) as e:
        verdict.tell("it goes on to the end", [f"{type(e).__name__}: {e}"])
    finally:
        stage.close()
    left = stage.processes()
    verdict.tell("nothing is left running", [f"process {pid}" for pid in left])
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    print(f"# {time.monotonic() - started:.0f} s")
    if verdict.failed:
        print(f"# its home is left in {folder}")
    else:
        shutil.rmtree(folder)
    print(f"{verdict.passed} passed, {verdict.failed} failed")
    return 1 if verdict.failed else 0


if __name__ == "__main__":
    sys.exit(main())
