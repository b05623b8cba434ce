"""Values of every kind, good and hostile, and JSON that may be wrong in ways json.dumps() does not do."""
import hashlib
import json
import re
import subprocess

ID = re.compile(r"^(r|m|q|mis|thr|tok|ses|rem|b)-[0-9a-z]{4,}$")
POOL_MAX = 200

GOOD = {
    "flag": [True, False],
    "int": [0, 1, 2, 3, 5, 10, 50, 100],
    "time": ["tomorrow 9am", "in 2h", "2031-02-04T15:15:00Z", "next friday noon", "23:59"],
    "duration": ["5m", "2h", "1d", "1h30m", "90s", "1s"],
    "zone": ["Europe/Berlin", "UTC", "America/Los_Angeles", "Asia/Kathmandu"],
    "agent": ["me", "quiet", "work", "work", "talk", "talk", "slow"],
    "role": ["scout"],
    "cron": ["nightly", "alpha", "beta", "fuzzed"],
    "lesson": ["errors"],
    "workflow": ["ship", "ship/one"],
    "list": ["a,b", ["a", "b"], "errors"],
    "files": [[], ["/dev/null"]],
    "file": ["/dev/null", "-"],
}
# texts whose meaning is known by their key
TEXTS = {
    "cron": ["0 9 * * 1-5", "*/5 * * * *", "@daily"],
    "schedule": ["0 9 * * 1-5", "*/5 * * * *", "every 2h"],
    "rrule": ["FREQ=WEEKLY;BYDAY=TU;INTERVAL=2", "FREQ=DAILY;COUNT=3"],
    "name": ["alpha", "beta", "fuzzed"],
    "condition": ["true", "false", "exit 3"],
    "event": ["UserPromptSubmit", "SessionStart", "Stop", "PostToolUse"],
    "session": ["s-1", "s-2", "main:dm:signal:1"],
    "user": ["me", "alice", "fay", "nobody"],
    "ask_until": ["2h", "tomorrow 9am"],
    "until": ["2031-01-01", "in 5d"],
    "client": ["claude", "gemini"],
    "condition_prompt": ["is the door open?"],
    "query": ["hello", "tick"],
    "rows": [[{"agent": "me", "message": "x", "in": "9d"}], [{"agent": "quiet", "message": "y", "every": "1d"}] * 3],
}
WORDS = ["hello", "sum up the day", "größe ✓", "line one\nline two", "{{fire_count}}", "x"]
PREFIXES = {"reminder": "r-", "task": "r-", "id": "r-", "mission": "mis-", "thread": ("mis-", "thr-"), "token": "tok-", "message": "m-"}
# arguments that only work together: by row, those that are good at once
TOGETHER = {
    "cron add": ["name", "schedule", "agent", "prompt"],
    "task add": ["at", "prompt", "agent"],
    "hook event": ["event", "session", "prompt", "id"],
    "mission new": ["agent", "prompt"],
    "message send": ["text", "body", "title"],
    "reminder edit": ["reminder", "message"],
    "mission resume": ["prompt", "pid", "pid_start", "boot"],
    "live host": ["pid", "pid_start", "boot"],
}
IDS = ("reminder", "message", "mission", "task", "thread", "token")


class Raw(bytes):
    """Bytes that stand in JSON as they are."""


HOSTILE_TEXTS = [
    "", " ", "\n", "\t\t", "-", "--", "--json", ".", "..", "../../etc/passwd", "/", "%", "%s%s%n", "*", "'", "\"",
    "\\", "$(true)", "a\x01b", "\x1b[2J\x07", "\x7f", "\u009b2J", "\u202e", "\ud7ff", "\uffff", "é" * 300, "x" * 65,
    "x" * 5000, "0", "-1", "3", "3.0", "1e9", "null", "true", "9223372036854775807", "-9223372036854775808",
    "99999999999999999999", "1ms", "0s", "-5m", "9223372036854775807s", "999999999d", "100000000000y",
    "0000-00-00", "9999-12-31T23:59:59Z", "10000-01-01", "2026-02-30", "25:61", "in", "in in 5m", "every",
    "* * * * * *", "60 24 32 13 8", "*/0 * * * *", "0 0 30 2 *", "FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30",
    "FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO;BYSETPOS=-366", "FREQ=SECONDLY;INTERVAL=1;COUNT=99999999999",
    "Europe/../UTC", "r-", "mis-", "thr-", "q-", "r-000000", "me", "all", "all:99999999999", "all(1)",
    "{{{{{{{{", "{{" * 1000, ": {[", "- a: &a [*a]", "# x", "\N{ZERO WIDTH JOINER}" * 50,
]
HOSTILE_INTS = [-1, 0, 2**31 - 1, 2**31, -2**31, 2**32, 2**53, 2**63 - 1, -2**63, 10**6, 10**9, 86400 * 10**6]
RAW = [
    Raw(b"18446744073709551616"), Raw(b"-9223372036854775809"), Raw(b"1e400"), Raw(b"1e308"), Raw(b"-0.0"),
    Raw(b"0.5"), Raw(b"3.0"), Raw(b"01"), Raw(b"+1"), Raw(b"NaN"), Raw(b"tru"), Raw(b'"\xff\xfe"'),
    Raw(b'"\xed\xa0\x80"'), Raw(b'"\\ud800"'), Raw(b'"\\u0000"'), Raw(b'"a\\u0000b"'), Raw(b'"\x01"'),
    Raw(b'"\\x"'), Raw(b"{"), Raw(b"[" * 100 + b"]" * 100), Raw(b"[" * 3000 + b"]" * 3000),
    Raw(b'{"a":' * 70 + b"1" + b"}" * 70), Raw(b"[" * 200000), Raw(b'{"a":1,"a":2}'), Raw(b"'x'"), Raw(b""),
]


def dump(value):
    if isinstance(value, Raw):
        return bytes(value)
    if isinstance(value, dict):
        return b"{" + b",".join(dump(k) + b":" + dump(v) for k, v in value.items()) + b"}"
    if isinstance(value, Pairs):
        return b"{" + b",".join(dump(k) + b":" + dump(v) for k, v in value) + b"}"
    if isinstance(value, (list, tuple)):
        return b"[" + b",".join(dump(v) for v in value) + b"]"
    return json.dumps(value, ensure_ascii=isinstance(value, str) and "\ud7ff" in value).encode()


class Pairs(list):
    """An object that may have a key twice."""


class Values:
    def __init__(self, random):
        self.random = random
        self.pool = []
        self.harvested = 0
        self.worked = {}  # by row
        self.refused = {}  # by row: how often each reason was given
        self.batches = [1]  # of imports
        self.hashes = ["0" * 64]  # of tokens
        self.process = None  # one that a request may name, and end

    def met(self, row, result):
        self.worked[row["name"]] = self.worked.get(row["name"], 0) + 1
        if isinstance(result, dict) and isinstance(result.get("batch"), int):
            self.batches.append(result["batch"])
        if row["name"] == "token add" and isinstance(result.get("token"), str):
            self.hashes.append(hashlib.sha256(result["token"].encode()).hexdigest())
        self.harvest(result)

    def was_refused(self, row, reason):
        reasons = self.refused.setdefault(row["name"], {})
        reasons[reason] = reasons.get(reason, 0) + 1

    def harvest(self, value):
        """Whatever looks like an id in an answer is used later, by whoever asks."""
        if isinstance(value, dict):
            for each in value.values():
                self.harvest(each)
        elif isinstance(value, list):
            for each in value[:20]:
                self.harvest(each)
        elif isinstance(value, str) and ID.match(value) and value not in self.pool:
            self.harvested += 1
            if len(self.pool) < POOL_MAX:
                self.pool.append(value)
            else:
                self.pool[self.random.randrange(POOL_MAX)] = value

    def an_id(self, kind=""):
        """Mostly one of that kind; now and then only the beginning of it."""
        fit = [each for each in self.pool if each.startswith(PREFIXES.get(kind, ""))]
        if not fit or self.random.random() < 0.1:
            fit = self.pool or ["r-000000"]
        id_ = self.random.choice(fit)
        return id_ if self.random.random() < 0.95 else id_[: self.random.randint(1, len(id_))]

    def host(self, key):
        """A process that lives, as a wrapper names itself."""
        if not self.process or self.process.poll() is not None:
            self.process = subprocess.Popen(["sleep", "3600"], stdout=subprocess.DEVNULL)
        if key == "pid":
            return self.process.pid
        if key == "boot":
            with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as f:
                return f.read().strip()
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as f:
            return int(f.read().rsplit(")", 1)[1].split()[19])

    def end(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def good(self, arg):
        kind = arg["type"]
        if arg["key"] in ("pid", "pid_start", "boot"):
            return self.host(arg["key"])
        if arg["key"] == "hash":
            return self.random.choice(self.hashes[-5:])
        if kind == "choice":
            return self.random.choice(arg["choices"].split())
        if kind in IDS or (kind in ("text", "int") and arg["key"] in ("id", "mission", "thread", "reminder", "batch")):
            return self.random.choice(self.batches[-3:]) if kind == "int" else self.an_id(kind if kind in IDS else arg["key"])
        if kind in GOOD:
            return self.random.choice(GOOD[kind])
        return self.random.choice(TEXTS.get(arg["key"], WORDS))

    def hostile(self):
        r = self.random
        return r.choice([
            lambda: r.choice(HOSTILE_TEXTS), lambda: r.choice(HOSTILE_TEXTS), lambda: "",
            lambda: r.choice(HOSTILE_INTS), lambda: r.choice(RAW), lambda: None,
            lambda: r.choice([[], {}, [[]], {"a": {}}, [None], [1, "a"], ["", ""], True, False, 1.5]),
            lambda: "".join(chr(r.choice([r.randrange(0x80), r.randrange(0x80, 0xd800), r.randrange(0xe000, 0x10000)]))
                            for _ in range(r.randrange(1, 40))),
            lambda: ("x" if r.random() < 0.5 else "é ") * (1 << 19) if r.random() < 0.1 else self.an_id(),
        ])()

    def object(self, row, args):
        """Good values, and mostly one that is not."""
        r = self.random
        rest = [a for a in args if not a["required"]]
        # Few go together: mostly none or one of them, so that what is asked can work.
        some = r.sample(rest, min(len(rest), r.choice((0, 1, 1, 1, 2, 3, 8))))
        some += [a for a in rest if a["key"] in TOGETHER.get(row["name"], [])]
        given = {a["key"]: self.good(a) for a in args if a["required"] or a in some}
        fate = r.random()
        if fate < 0.4:
            return given
        if fate < 0.44:
            given[r.choice(["", "zzz", "-", "a-b", "x" * 300, "\x01"])] = self.hostile()
        elif fate < 0.48 and given:
            del given[r.choice(sorted(given))]
        elif fate < 0.52 and given:
            key = r.choice(sorted(given))
            return Pairs([*given.items(), (key, given[key])])
        elif fate < 0.55:
            return self.hostile()
        elif args:
            for _ in range(1 if fate < 0.9 else 3):
                given[r.choice(args)["key"]] = self.hostile()
        return given
