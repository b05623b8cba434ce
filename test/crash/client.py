"""Clients that never rest, each for the life of one daemon."""
import random
import threading
import time

from world import Lost

LIVE_MAX = 25  # reminders of clients at a time
IMPORT_ROWS = 4500  # two steps of showing


class Client(threading.Thread):
    """Adds, removes and takes, several at a time, until the daemon is gone or it is told to end."""

    def __init__(self, world, process, seed):
        super().__init__(daemon=True)
        self.world, self.process, self.random = world, process, random.Random(seed)
        self.ended = threading.Event()
        self.failure = None

    def run(self):
        try:
            connection = self.world.connect_when_up(self.process)
            self.work(connection)
            connection.close()
        except Lost:
            pass
        except Exception as e:  # told by whoever joins us
            self.failure = e

    def work(self, connection):
        while not self.ended.is_set():
            group = [self.choose() for _ in range(self.random.randint(1, 4))]
            for request, args, _ in group:
                connection.send(request, **args)
            for request, args, done in group:
                reply = connection.receive()
                if reply["ok"]:
                    done(reply["result"])
                elif reply["error"]["code"] not in ("not_found", "conflict"):
                    self.world.refused.append((request, args, reply["error"]))
            time.sleep(self.random.random() * 0.06)

    def choose(self):
        if len(self.world.live) > LIVE_MAX:
            return self.remove()
        return self.random.choice((self.add, self.add, self.remove, self.take))()

    def add(self):
        name = f"c-{len(self.world.adds)}"
        self.world.adds[name] = None
        when = self.random.choice(({"in": f"{self.random.randint(1, 3000)}ms"},
                                   {"every": "1s", "count": 3, "catchup": "all:100"},
                                   {"every": f"{self.random.randint(1, 4)}s"}))
        args = {"agent": self.random.choice(("me", "quiet", "quiet", "loud")), "name": name,
                "message": f"{name} {{{{fire_count}}}}"} | when

        def done(result):
            self.world.adds[name] = result["id"]
            self.world.live.append(result["id"])
        return "reminder add", args, done

    def remove(self):
        if not self.world.live:
            return self.take()
        victim = self.world.live.pop(self.random.randrange(len(self.world.live)))
        return ("reminder remove", {"reminder": victim},
                lambda _: self.world.removes.add(victim))

    def take(self):
        return "queue take", {"agent": "me"}, lambda result: self.world.takes.append(result["id"])


class Importer(Client):
    """One import, as large as it takes to be shown in two steps; then it waits for its end."""

    def work(self, connection):
        number = len(self.world.imports)
        self.world.imports[number] = False
        batch = connection.must("import begin")["batch"]
        for first in range(0, IMPORT_ROWS, 500):
            rows = [{"agent": "bulk", "message": f"import {number}", "name": f"i-{number}-{n}",
                     "in": "30d"} for n in range(first, min(first + 500, IMPORT_ROWS))]
            connection.must("import rows", batch=batch, first_line=first + 1, rows=rows)
        connection.must("import commit", batch=batch)
        self.world.imports[number] = True
        while not self.ended.is_set():
            connection.must("import status", batch=batch)
            time.sleep(0.005)
