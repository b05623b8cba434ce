#!/usr/bin/python3
"""Every request of the table with every kind of value, against the real daemon.

The program tells its own table (`belfry generate requests`), so a new row is tried without a change here.
Three doors: the control socket, `belfry mcp` on standard input, HTTP /mcp with tokens of several trusts.
Whatever is sent gets an answer within a bound; the daemon lives, fires what is due, has no finding of a
sanitizer, and its store is sound at the end. All chance comes from the seed.

usage: requests.py PROGRAM [--seed N] [--seconds S | --count N] [--doors socket,stdio,http] [--trace FILE]
"""
import argparse
import random
import shutil
import signal
import sys
import tempfile
import time

from doors import DOORS, Daemon, Finding
from values import Values

# name: why it is not asked
LEFT_OUT = {
    "daemon halt": "ends the daemon, as it should",
    "daemon hang": "hangs, as it should; only the sanitized build has it",
}
LOOK_EVERY = 200  # requests between two looks at the daemon
LATE_MAX = 30  # seconds: a reminder that is later than this did not fire; how late is told


class Fuzz:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.daemon = Daemon(options.program, tempfile.mkdtemp(prefix="fz-"))
        self.rows = [row for row in self.daemon.table() if row["name"] not in LEFT_OUT]
        self.values = Values(self.random)
        self.sent = 0
        self.clocks, self.late = [], []
        self.slowest = (0, "")  # seconds, and the row
        self.trace = open(options.trace, "wb") if options.trace else None

    def run(self):
        doors = []
        try:
            self.daemon.start()
            doors = [DOORS[name](self.daemon, self.values) for name in self.options.doors]
            self.ask_all(doors)
            self.finish(doors)
        except BaseException:
            self.end(doors, kill=True)  # what was found is told, not what follows from it
            raise
        self.end(doors)
        self.daemon.look_at_log()

    def end(self, doors, kill=False):
        for door in doors:
            door.close()
        self.values.end()
        self.daemon.stop(kill)

    def is_over(self, began):
        if self.options.count:
            return self.sent >= self.options.count
        return time.monotonic() - began > self.options.seconds

    def ask_all(self, doors):
        began = time.monotonic()
        plans = {door.name: [] for door in doors}
        while not self.is_over(began):
            door = doors[self.sent % len(doors)]
            # Each row in turn, so that a short run has met all of them.
            if not plans[door.name]:
                rows = [row for row in self.rows if row["tool"] or not door.only_tools]
                plans[door.name] = self.random.sample(rows, len(rows))
            row = plans[door.name].pop()
            request = door.make(row, self.values)
            if self.trace:
                self.trace.write(b"%d %s %s\n" % (self.sent, door.name.encode(), request[:4000]))
                self.trace.flush()
            asked = time.monotonic()
            try:
                door.ask(request, row)
            except Finding as e:
                raise Finding(f"{e}\n  door {door.name}, request {self.sent}, row '{row['name']}':\n"
                              f"  {request[:500]!r}") from None
            self.slowest = max(self.slowest, (time.monotonic() - asked, row["name"]))
            self.sent += 1
            if self.sent % LOOK_EVERY == 0:
                self.look()

    def look(self):
        """It lives, answers, and its clock goes."""
        self.daemon.ask("status")
        self.look_at_clocks()
        reply = self.daemon.ask("reminder add", agent="clock", message="tick", **{"in": "1s"})
        if not reply["ok"]:  # a hostile request may have changed config.yml, or filled a limit
            return
        self.clocks.append((reply["result"], time.monotonic()))

    def look_at_clocks(self, wait=False):
        for clock, since in self.clocks[:]:
            while True:
                done = self.read_clock(clock)
                if done or not wait or time.monotonic() - since > LATE_MAX:
                    break
                time.sleep(0.05)
            if done:
                self.clocks.remove((clock, since))
            elif time.monotonic() - since > LATE_MAX:
                raise Finding(f"reminder {clock['id']}, due after 1 s, did not fire within {LATE_MAX} s")

    def read_clock(self, clock):
        """True: it fired, or the daemon was asked to take it away, or to make another of it."""
        shown = self.daemon.ask("reminder show", reminder=clock["id"])
        if not shown["ok"] or shown["result"].get("status") not in ("active", "completed"):
            return True
        if any(shown["result"].get(key) != clock[key] for key in ("schedule", "condition")):
            return True
        slots = self.daemon.ask("why", reminder=clock["id"])
        for slot in (slots.get("result") or {}).get("slots", []):
            self.late.append(slot["lateness_us"] / 1e6)
            return True
        return shown["result"]["status"] == "completed"

    def finish(self, doors):
        for door in doors:
            door.end()
        self.look()
        self.look_at_clocks(wait=True)
        reply = self.daemon.ask("store check")
        if not reply["ok"] or reply["result"].get("wrong"):
            raise Finding(f"the store is not sound: {reply}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--doors", type=lambda text: text.split(","), default=list(DOORS))
    parser.add_argument("--trace")
    options = parser.parse_args()
    fuzz = Fuzz(options)
    print(f"requests: seed {options.seed}", flush=True)
    try:
        fuzz.run()
    except Finding as e:
        print(f"not ok 1 - requests: {e}\n  replay: --seed {options.seed} --count {fuzz.sent + 1} "
              f"--doors {','.join(options.doors)}\n  home: {fuzz.daemon.home}")
        sys.exit(1)
    late = sorted(fuzz.late) or [0.0]
    worked = fuzz.values.worked
    for name, reasons in fuzz.values.refused.items():
        if name not in worked:
            often = sorted(reasons, key=reasons.get)[-3:]
            print(f"requests: '{name}' never worked: {'; '.join(often)}")
    print(f"requests: {fuzz.sent} sent, {sum(worked.values())} worked, {fuzz.values.harvested} ids met; {len(fuzz.late)} reminders "
          f"fired, {late[len(late) // 2] * 1000:.1f} ms late in the middle, {late[-1] * 1000:.1f} at most; slowest answer {fuzz.slowest[0]:.2f} s, '{fuzz.slowest[1]}'")
    print(f"ok 1 - every request was answered, seed {options.seed}\n1..1")
    shutil.rmtree(fuzz.daemon.home, ignore_errors=True)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    main()
