"""Kill the daemon again and again while eight senders send: each message is there exactly once.

No sender may fail, and none may send twice: what was asked of a daemon that died is asked of the next one, by
the same id. The senders are the real command, and start the daemon themselves.
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from oracle import Verdict
from world import World

SENDERS, EACH = 8, 6


class Senders:
    def __init__(self, world):
        self.world, self.failures, self.running = world, [], SENDERS
        self.env = {k: v for k, v in world.env.items() if k != "BELFRY_NO_AUTOSTART"}
        self.env["BELFRY_AGENT"] = "quiet"

    def run(self, *words):
        return subprocess.run([self.world.binary, *words], env=self.env, cwd=self.world.home,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)

    def send(self, number):
        for n in range(EACH):
            # Long ones go through the spool.
            body = f"message {number}-{n} " + "x" * (100_000 if n % 3 == 2 else 10)
            done = self.run("message", "send", "--title", f"{number}-{n}", body)
            if done.returncode:
                self.failures.append(f"{number}-{n}: {done.stderr.strip()}")
        self.running -= 1

    def kill(self, how):
        """Whoever holds the store, while there is one."""
        try:
            with open(f"{self.world.home}/belfry.lock", encoding="ascii") as f:
                os.kill(int(f.read().strip()), how)
            return 1
        except (OSError, ValueError):
            return 0

    def play(self, chance):
        threads = [threading.Thread(target=self.send, args=(n,)) for n in range(SENDERS)]
        kills = 0
        for thread in threads:
            thread.start()
        while self.running:
            time.sleep(chance.uniform(0.02, 0.25))
            kills += self.kill(chance.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM)))
        for thread in threads:
            thread.join()
        return kills

    def titles(self):
        self.run("status")
        rows = self.world.query("SELECT title FROM messages WHERE title IS NOT NULL")
        return sorted(row["title"] for row in rows)


def play_failed_sync(world, verdict):
    """A commit whose sync failed may be there or not: whoever asked for it finds out, and it is done once."""
    arm = f"{world.home}/fail"
    process = world.start({"CRASH_FAIL": arm})
    connection = world.talk_when_up(process)
    connection.close()
    with open(arm, "w", encoding="ascii"):
        pass
    problems = []
    try:
        world.belfry("reminder", "add", "quiet", "-m", "once", "--in", "1h")
    except AssertionError as e:
        problems.append(str(e))
    if os.path.exists(arm):
        problems.append("no sync has failed")
    rows = world.query("SELECT id FROM reminders WHERE message = 'once'")
    if len(rows) != 1:
        problems.append(f"{len(rows)} reminders instead of one")
    process.terminate()
    process.wait()
    verdict.tell("K17 a sync that fails leaves nobody in doubt", problems)


def main():
    verdict = Verdict("I8: sqlite")
    seed = int(os.environ.get("CRASH_SEED", "1"))
    folder = tempfile.mkdtemp(prefix="belfry-send.")
    world = World(os.environ["BELFRY_BIN"], os.environ["CRASH_LIBRARY"], f"{folder}/home", None)
    senders = Senders(world)
    try:
        kills = senders.play(random.Random(seed))
        got = senders.titles()
        senders.run("daemon", "stop")
        play_failed_sync(world, verdict)
    finally:
        senders.run("daemon", "stop")
    want = sorted(f"{s}-{n}" for s in range(SENDERS) for n in range(EACH))
    print(f"# {kills} kills, seed {seed}")
    verdict.tell("no sender fails while the daemon is killed", senders.failures)
    verdict.tell("each message is there exactly once",
                 [] if got == want else [f"{len(got)} messages instead of {len(want)}: {got}"])
    if verdict.failed:
        print(f"# its home is left in {folder}")
    else:
        shutil.rmtree(folder)
    print(f"{verdict.passed} passed, {verdict.failed} failed")
    return 1 if verdict.failed else 0


if __name__ == "__main__":
    sys.exit(main())
