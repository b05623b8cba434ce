"""The world that is killed: a home, its daemon and its reminders.

What clients were told is kept here (`adds`, `removes`, `takes`, `imports`): an answer is a promise,
and the oracle holds the store to every one of them. What was asked but not answered may have
happened or not, once at the most.
"""
import csv
import datetime
import io
import json
import os
import socket
import sqlite3
import subprocess
import time

# How long anything may take before it counts as lost, in seconds. It costs only whoever fails: a limit
# that a working daemon comes near to judges the machine.
PATIENCE = 60

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def usec(text):
    """An RFC 3339 text as microseconds."""
    return (datetime.datetime.fromisoformat(text) - EPOCH) // datetime.timedelta(microseconds=1)


DELIVER = """#!/bin/sh
# Sometimes slow before, sometimes after, sometimes failing at first; always one write.
echo "$BELFRY_MESSAGE_ID" >> "{home}/offers"
IFS= read -r line
case $BELFRY_MESSAGE_ID in *[a-e]) sleep 0.03 ;; esac
printf '%s %s\\n' "$BELFRY_MESSAGE_ID" "$line" >> "{home}/delivered"
case $BELFRY_MESSAGE_ID in *[f-j]) sleep 0.03 ;; esac
case $BELFRY_ATTEMPT-$BELFRY_MESSAGE_ID in 1-*z) exit 1 ;; esac
"""

CONFIG = """timezone: UTC
agents:
  quiet: {{}}
  bulk: {{}}
  loud:
    deliver:
      command: ["{home}/deliver"]
      timeout: 60s
"""


END = "--- end of an answer ---"


class Lost(Exception):
    """The daemon is gone; what was asked last was not answered."""


class Connection:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        folder = os.open(os.path.dirname(path), os.O_PATH)
        try:
            # by its folder's descriptor: the path itself may be too long for an address
            self.socket.connect(f"/proc/self/fd/{folder}/{os.path.basename(path)}")
        except OSError as e:
            raise Lost from e
        finally:
            os.close(folder)
        self.replies = self.socket.makefile("rb")

    def send(self, request, **args):
        line = json.dumps({"request": request, "args": args}) + "\n"
        try:
            self.socket.sendall(line.encode())
        except OSError as e:
            raise Lost from e

    def receive(self):
        try:
            line = self.replies.readline()
        except OSError as e:
            raise Lost from e
        if not line.endswith(b"\n"):
            raise Lost
        return json.loads(line)

    def ask(self, request, **args):
        self.send(request, **args)
        return self.receive()

    def must(self, request, **args):
        reply = self.ask(request, **args)
        if not reply["ok"]:
            raise AssertionError(f"{request} {args}: {reply['error']}")
        return reply["result"]

    def close(self):
        self.replies.close()
        self.socket.close()


class World:
    def __init__(self, binary, library, home, store, config=CONFIG):
        self.binary, self.library, self.home, self.store = binary, library, home, store
        self.config = config
        self.psql = None
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("BELFRY_", "CRASH_"))}
        self.env |= {"BELFRY_HOME": home, "TZ": "UTC", "BELFRY_NO_AUTOSTART": "1"}
        # Only for a build with sanitizers: a library that comes before theirs is no mistake here.
        self.env["ASAN_OPTIONS"] = "verify_asan_link_order=0:detect_leaks=0"
        if store:
            self.env["BELFRY_STORE"] = store
        self.adds = {}  # name to id, or to None while it is not answered
        self.live = []  # ids of those that clients added and may remove
        self.removes = set()  # ids whose removal was answered
        self.takes = []  # ids of messages that were handed to us
        self.imports = {}  # number to whether its commit was answered
        self.refused = []  # answers that should have been others
        self.make_home()

    def make_home(self):
        os.makedirs(self.home, mode=0o700)
        for name, text in (("deliver", DELIVER), ("config.yml", self.config)):
            with open(f"{self.home}/{name}", "w") as f:
                f.write(text.format(home=self.home))
        os.chmod(f"{self.home}/deliver", 0o700)
        for name in ("offers", "delivered", "checks"):
            open(f"{self.home}/{name}", "w").close()

    # --- the daemon ---

    def start(self, crash=None):
        env = dict(self.env)
        if crash:
            env |= crash
            env["LD_PRELOAD"] = self.library
        with open(f"{self.home}/daemon.log", "ab") as log:
            return subprocess.Popen([self.binary, "daemon", "run"], env=env, cwd=self.home,
                                    stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def connect(self):
        return Connection(f"{self.home}/belfry.sock")

    def connect_when_up(self, process, seconds=PATIENCE):
        until = time.monotonic() + seconds
        while time.monotonic() < until and process.poll() is None:
            try:
                return self.connect()
            except Lost:
                time.sleep(0.002)
        raise Lost

    def talk_when_up(self, process, seconds=PATIENCE):
        """The same, but surely with this one. A child that the one before it had just forked holds
        its socket until it is another program: whoever connects in that moment is hung up on."""
        while True:
            connection = self.connect_when_up(process, seconds)
            try:
                connection.must("status")
                return connection
            except Lost:
                connection.close()

    def belfry(self, *args):
        """The command as a person runs it; its standard output."""
        done = subprocess.run([self.binary, *args], env=self.env, capture_output=True, text=True,
                              timeout=2 * PATIENCE, check=False)
        if done.returncode != 0:
            raise AssertionError(f"belfry {' '.join(args)}: {done.returncode}: {done.stderr}")
        return done.stdout

    # --- the store, seen from outside ---

    def ask_psql(self, sql):
        """One psql for all questions: to start one costs more than most answers."""
        if not self.psql:
            self.psql = subprocess.Popen(
                ["psql", "-qX", "--csv", "-P", "null=\\N", "-v", "ON_ERROR_STOP=1", self.store],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.psql.stdin.write(f"{sql};\n\\echo {END}\n")
        self.psql.stdin.flush()
        text = ""
        while line := self.psql.stdout.readline():
            if line == f"{END}\n":
                return text
            text += line
        raise AssertionError(f"psql ended at: {sql}")

    def query(self, sql):
        """Rows of the database as dictionaries; numbers are numbers, NULL is None."""
        if self.store:
            text = self.ask_psql(sql)
            return [{k: None if v == "\\N" else int(v) if v.lstrip("-").isdigit() else v
                     for k, v in row.items()} for row in csv.DictReader(io.StringIO(text))]
        db = sqlite3.connect(f"file:{self.home}/belfry.db?mode=ro", uri=True, timeout=PATIENCE)
        db.row_factory = sqlite3.Row
        try:
            return [dict(row) for row in db.execute(sql)]
        finally:
            db.close()

    def change(self, sql):
        """What no command changes; only while no daemon is there."""
        if self.store:
            subprocess.run(["psql", "-qX", self.store, "-c", sql], check=True)
            return
        db = sqlite3.connect(f"{self.home}/belfry.db", timeout=PATIENCE)
        with db:
            db.execute(sql)
        db.close()

    def still_open(self):
        return self.query(
            "SELECT (SELECT count(*) FROM slots WHERE outcome = 'checking')"
            " + (SELECT count(*) FROM queue WHERE state = 'offered')"
            " + (SELECT count(*) FROM queue WHERE state = 'queued' AND agent = 'loud')"
            " + (SELECT count(*) FROM kv WHERE name LIKE 'import.%')"
            " + (SELECT count(*) FROM reminders WHERE open_slot IS NOT NULL AND open_slot <> 0)"
            " AS n")[0]["n"]

    def come_to_rest(self, connection):
        """Everything is removed, then what is open ends by itself."""
        for row in self.query("SELECT id FROM reminders WHERE agent <> 'bulk'"
                              " AND status IN ('active', 'paused')"):
            # It may have fired its last meanwhile.
            connection.ask("reminder remove", reminder=row["id"])
        until = time.monotonic() + 2 * PATIENCE
        while self.still_open() and time.monotonic() < until:
            time.sleep(0.1)


def schedules(home):
    """The reminders of the world: (name, arguments of `reminder add`)."""
    catchups = {
        "once": {"catchup": "once"},
        "skip": {"catchup": "skip", "start_deadline": "1500ms"},
        "all": {"catchup": "all:100"},
    }
    conditions = {
        "true": "true", "false": "false", "slow": "sleep 0.2", "slow-false": "sleep 0.2; false",
        "broken": "exit 126",
    }
    check = f'echo "$BELFRY_REMINDER_ID $BELFRY_SCHEDULED_AT" >> "{home}/checks"; '
    agents = ("me", "quiet", "loud")
    rows = []

    def add(name, **args):
        rows.append((name, {"agent": agents[len(rows) % 3], "name": name,
                            "message": f"{name} {{{{fire_count}}}}"} | args))

    for word, catchup in catchups.items():
        for interval in ("1s", "2s", "3s"):
            add(f"every-{interval}-{word}", every=interval, **catchup)
        for interval in (2, 5):
            add(f"rrule-{interval}-{word}", rrule=f"FREQ=SECONDLY;INTERVAL={interval}", **catchup)
        add(f"jitter-{word}", every="2s", jitter="1s", **catchup)
    for word, command in conditions.items():
        add(f"if-{word}", every="2s", condition=check + command)
    add("if-all", every="1s", condition=check + "true", catchup="all:100")
    add("until-met", every="1s", mode="until", condition=check + f'test -e "{home}/flag"')
    add("once-met", every="1s", mode="once", condition=check + f'test -e "{home}/flag"')
    add("counted", every="1s", count=20)
    add("counted-all", every="1s", count=20, catchup="all:100")
    until = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=15)
    add("bounded", every="1s", until=until.isoformat())
    for i in range(10):
        add(f"at-{i}", **{"in": f"{500 + 2500 * i}ms"})
    return rows
