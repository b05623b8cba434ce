"""Kill the daemon between every two steps of a message: its files, their names, its row.

A message is a file first and a row then. Whenever the daemon dies, the next one has to show whole
messages only: every answered one once, every other one once at the most, with the bytes that were
sent; and the number of one that did not make it goes to the next, file and all.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from oracle import Verdict
from world import PATIENCE, Lost, World

SENDS_MAX = 40  # more than the statements of one message on PostgreSQL


class Stage:
    def __init__(self, world):
        self.world, self.process = world, None
        self.arm = f"{world.home}/arm"
        self.sent = {}  # body to whether it was answered
        os.makedirs(f"{world.home}/spool", mode=0o700, exist_ok=True)

    def start(self, crash=None):
        self.process = self.world.start(crash and crash | {"CRASH_ARM": self.arm})
        return self.world.talk_when_up(self.process)

    def end(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def arguments(self, body, spooled):
        if not spooled:
            return {"body": body}
        for name, text in (("s-body", body), ("s-file", f"file of {body}")):
            with open(f"{self.world.home}/spool/{name}", "w", encoding="utf-8") as f:
                f.write(text)
        return {"spool": "s-body", "spooled_files": [{"spool": "s-file", "name": "a.txt"}]}

    def send(self, connection, spooled):
        """Whether it was answered."""
        body = f"message {len(self.sent)} {'x' * 1000}"
        self.sent[body] = False
        try:
            connection.must("message send", agent="quiet", **self.arguments(body, spooled))
            self.sent[body] = True
        except Lost:
            pass
        for name in os.listdir(f"{self.world.home}/spool"):
            os.unlink(f"{self.world.home}/spool/{name}")
        return self.sent[body]

    def play(self, crash, spooled):
        """Problems, or None when the step was never reached."""
        connection = self.start(crash)
        with open(self.arm, "w", encoding="ascii"):
            pass
        answered = self.send(connection, spooled)
        # Whether there was one more statement is not known before it came.
        limit = 1 if answered and crash["CRASH_CALL"] == "send" else PATIENCE
        try:
            reached = self.process.wait(limit) == -signal.SIGKILL
        except subprocess.TimeoutExpired:
            reached = False
        os.unlink(self.arm)
        connection.close()
        self.end()
        connection = self.start()
        problems = list(self.judge())
        # the next message takes the number of one that was lost
        if not self.send(connection, not spooled):
            problems.append("the next message was not answered")
        problems += self.judge()
        connection.close()
        self.end()
        return problems if reached else None

    def judge(self):
        rows = self.world.query("SELECT seq, size, file, attachments FROM messages ORDER BY seq")
        (thread,) = self.world.query("SELECT messages, unread FROM threads")
        if [r["seq"] for r in rows] != list(range(1, len(rows) + 1)) or \
           thread["messages"] != len(rows) or thread["unread"] != len(rows):
            yield f"numbers {[r['seq'] for r in rows]} in {thread}"
        seen = []
        for row in rows:
            path = f"{self.world.home}/{row['file']}"
            with open(path, encoding="utf-8") as f:
                seen.append(f.read())
            if seen[-1] not in self.sent or len(seen[-1]) != row["size"]:
                yield f"message {row['seq']} is {seen[-1][:40]!r}, {row['size']} bytes"
            files = f"{path[:-3]}.files"
            if row["attachments"]:
                with open(f"{files}/a.txt", encoding="utf-8") as f:
                    if f.read() != f"file of {seen[-1]}":
                        yield f"message {row['seq']} has a foreign file"
            elif os.path.exists(files):
                yield f"message {row['seq']} has files of another"
        for body, answered in self.sent.items():
            if not answered <= seen.count(body) <= 1:
                yield f"{body[:20]!r} is there {seen.count(body)} times, answered: {answered}"


def at(call, when, number=1, file=""):
    return {"CRASH_CALL": call, "CRASH_WHEN": when, "CRASH_AT": str(number), "CRASH_FILE": file}


def cases(store):
    for spooled, syncs in ((False, 2), (True, 4)):
        what = "a spooled message" if spooled else "a message"
        if not spooled:
            for when in ("before", "after"):
                yield f"{when} the name of {what}", at("rename", when, 1, ".md"), spooled
        for number in range(1, syncs + 1):
            for when in ("before", "after"):
                yield f"{when} sync {number} of {what}", at("fsync", when, number), spooled
        for when in () if store else ("before", "after", "lost", "torn"):
            yield f"{when}: the commit of {what}", at("fdatasync", when), spooled


def play_sends(stage, verdict):
    """A commit is one of many statements on a server: after each, until there are no more."""
    count, wrong = 0, []
    for number in range(1, SENDS_MAX):
        problems = stage.play(at("send", "after", number), number % 2 == 0)
        if problems is None:
            break
        count += 1
        wrong += [f"statement {number}: {p}" for p in problems]
    verdict.tell(f"killed after each of its {count} statements",
                 wrong or [f"only {count}"] * (count < 5))


def make_database(server):
    name = f"belfry_message_{os.getpid()}"
    subprocess.run(["psql", "-qX", server, "-c", f"CREATE DATABASE {name}"], check=True)
    return f"{server.rpartition('/')[0]}/{name}"


def main():
    server = os.environ.get("BELFRY_TEST_POSTGRES")
    folder = tempfile.mkdtemp(prefix="belfry-message.")
    started = time.monotonic()
    verdict = Verdict(f"A19: {'postgres' if server else 'sqlite'}")
    world = World(os.environ["BELFRY_BIN"], os.environ["CRASH_LIBRARY"], f"{folder}/home",
                  make_database(server) if server else None)
    stage = Stage(world)
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        stage.send(stage.start(), False)
        stage.end()
        for name, crash, spooled in cases(world.store):
            problems = stage.play(crash, spooled)
            verdict.tell(name, ["its step was never reached"] if problems is None else problems)
        if world.store:
            play_sends(stage, verdict)
    finally:
        stage.end()
    print(f"# {time.monotonic() - started:.0f} s")
    if verdict.failed:
        print(f"# its home is left in {folder}")
    else:
        shutil.rmtree(folder)
    print(f"{verdict.passed} passed, {verdict.failed} failed")
    return 1 if verdict.failed else 0


if __name__ == "__main__":
    sys.exit(main())
