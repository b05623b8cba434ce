#!/usr/bin/env python3
"""What live sessions are measured with.

live.py start SOCKET AGENT...           start them, wait until all are idle; prints the seconds
live.py late SOCKET RECORD COUNT AGENT  reminders of an idle agent, one by one: from due until it has
                                        got the text; p50 and p99 in ms, and how many came
live.py raw FOLDER COUNT PROGRAM        the same without Belfry: a sleep until then, a paste by tmux,
                                        the pause that programs need before Enter, Enter
"""
import datetime
import json
import os
import socket
import subprocess
import sys
import time

STEP = 0.7  # between two: the one before it is over
PAUSE = 0.15  # what Belfry waits between a paste and Enter, too
LIMIT = 120


class Daemon:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.replies = self.socket.makefile("rb")

    def must(self, request, **args):
        self.socket.sendall((json.dumps({"request": request, "args": args}) + "\n").encode())
        reply = json.loads(self.replies.readline())
        if not reply["ok"]:
            sys.exit(f"live: {request}: {reply['error']}")
        return reply["result"]


def start(path, *names):
    daemon, begin = Daemon(path), time.monotonic()
    for name in names:
        daemon.must("live start", agent=name)
    while True:
        states = {row["name"]: row["state"] for row in daemon.must("agent list")["agents"]}
        if all(states[name] == "idle" for name in names):
            break
        if time.monotonic() > begin + LIMIT:
            sys.exit(f"live: not all are idle: {states}")
        time.sleep(0.2)
    print("%.1f" % (time.monotonic() - begin))


def instants(count):
    first = time.time() + 2
    return [int((first + i * STEP) * 1e6) for i in range(count)]


def tell(record, wanted):
    """The last word of a prompt is the instant it was due."""
    late = []
    with open(record, encoding="utf-8") as f:
        for line in map(json.loads, f):
            if line["event"] == "prompt" and int(line["text"].split()[-1]) in wanted:
                late.append((line["at"] - int(line["text"].split()[-1])) / 1000)
    late.sort()
    if not late:
        sys.exit("live: nothing was typed")
    print("%.1f %.1f %d" % (late[len(late) // 2], late[min(len(late) - 1, len(late) * 99 // 100)], len(late)))


def late_of(path, record, count, name):
    daemon, due = Daemon(path), instants(int(count))
    for at in due:
        text = datetime.datetime.fromtimestamp(at / 1e6, datetime.timezone.utc).isoformat(timespec="microseconds")
        daemon.must("reminder add", agent=name, message=str(at), at=text, tz="UTC", priority="normal")
    time.sleep(max(0, due[-1] / 1e6 - time.time()) + 3)
    tell(record, set(due))


def raw(folder, count, program):
    record, due = f"{folder}/raw.record", instants(int(count))

    def tmux(*words):
        subprocess.run(["tmux", "-S", f"{folder}/raw.sock", "-f", "/dev/null", *words], check=True)

    tmux("new-session", "-d", "-x", "100", "-y", "30", "-e", f"TUI_RECORD={record}", program)
    try:
        for at in due:
            with open(f"{folder}/raw.text", "w", encoding="ascii") as f:
                f.write(str(at))
            time.sleep(max(0, at / 1e6 - time.time()))
            tmux("load-buffer", f"{folder}/raw.text", ";", "paste-buffer", "-p", "-d")
            time.sleep(PAUSE)
            tmux("send-keys", "Enter")
        time.sleep(0.5)
    finally:
        tmux("kill-server")
    tell(record, set(due))
    os.unlink(record)


COMMANDS = {"start": start, "late": late_of, "raw": raw}
if len(sys.argv) < 3 or sys.argv[1] not in COMMANDS:
    sys.exit(__doc__)
COMMANDS[sys.argv[1]](*sys.argv[2:])
