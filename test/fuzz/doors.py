"""The daemon under test, and the three doors through which it is asked. A door makes the bytes of a request
from a row and values, sends them, and finds an answer that is missing, late, or of another."""
import http.client
import json
import os
import re
import select
import signal
import socket
import subprocess
import time

from values import dump

ANSWER_MAX = float(os.environ.get("BELFRY_FUZZ_ANSWER_SECONDS", "20"))
CONFIG = """\
http: {port: 0}
agents:
  quiet: {}
  clock: {}
  work: {command: ["/bin/true"], maxConcurrent: 1}
  slow: {command: ["sleep", "20"]}
  talk: {adapter: talk}
adapters:
  talk:
    headless: [/bin/true, "{session}"]
    resume: [/bin/true, "{session}"]
    interactive: [sh, -c, "exec cat", "{session}"]
    resume_interactive: [sh, -c, "exec cat", "{session}"]
    session: chosen
    output: text
    live: {quiet: 100ms}
crons:
  nightly: {schedule: "0 9 1 1 *", agent: work, prompt: look}
users:
  alice: {trust: inner, timezone: Europe/Berlin}
  bob: {trust: full}
  fay: {trust: familiar}
"""
USERS = ["me", "alice", "bob", "fay", "mallory"]
BROKEN = re.compile(rb".*(Sanitizer|runtime error|Assertion).*")


class Finding(Exception):
    pass


class Daemon:
    def __init__(self, program, home):
        self.program, self.home, self.process, self.line = os.path.abspath(program), home, None, None
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("BELFRY_", "CLAUDE", "XDG_"))}
        self.env |= {"BELFRY_HOME": home, "TZ": "UTC", "LC_ALL": "C.UTF-8", "BELFRY_STOP_GRACE_MS": "1000"}
        for folder, text in (("lessons/errors.md", "# Errors\n\nName them.\n"),
                             ("workflows/ship/01-one.md", "# One\n\nShip.\n"),
                             ("roles/scout.md", "Look around.\n"), ("config.yml", CONFIG)):
            path = os.path.join(home, folder)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)

    def call(self, *words):
        return subprocess.run([self.program, *words], env=self.env, check=True, capture_output=True, timeout=60).stdout

    def table(self):
        return json.loads(self.call("generate", "requests"))

    def start(self):
        with open(os.path.join(self.home, "out"), "ab") as log:
            self.process = subprocess.Popen([self.program, "daemon", "run"], env=self.env, cwd=self.home,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait = time.monotonic() + 30
        while not (os.path.exists(self.path()) and os.path.exists(os.path.join(self.home, "http"))):
            if self.process.poll() is not None or time.monotonic() > wait:
                raise Finding(f"the daemon does not start: {self.log()[-2000:]}")
            time.sleep(0.05)

    def path(self):
        return os.path.join(self.home, "belfry.sock")

    def log(self):
        text = b""
        for name in ("out", "daemon.log"):
            if os.path.exists(os.path.join(self.home, name)):
                with open(os.path.join(self.home, name), "rb") as f:
                    text += f.read()
        return text

    def look_at_log(self):
        found = BROKEN.search(self.log())
        if found:
            raise Finding(f"the daemon's log: {found.group().decode(errors='replace')}")

    def where(self, process):
        """What a process does that does not answer."""
        said = []
        for name in ("wchan", "stack", "stat"):
            try:
                with open(f"/proc/{process.pid}/{name}", encoding="utf-8") as f:
                    said.append(f"{name}: {f.read()[:600]}")
            except OSError:
                pass
        return "; ".join(said)

    def alive(self):
        if self.process.poll() is not None:
            raise Finding(f"the daemon ended with {self.process.returncode}: {self.log()[-3000:].decode(errors='replace')}")

    def ask(self, request, **args):
        """As ourselves: this one has to work."""
        if not self.line:
            self.line = Line(self)
        try:
            reply = self.line.ask(json.dumps({"request": request, "args": args}).encode())
        except (OSError, Finding) as e:
            self.alive()
            raise Finding(f"'{request}' of the fuzzer itself: {e}") from None
        return reply

    def stop(self, kill=False):
        if self.line:
            self.line.close()
        if not self.process or self.process.poll() is not None:
            return
        # The agents that stay are in a server of tmux, which outlives the daemon.
        if os.path.exists(os.path.join(self.home, "tmux.sock")):
            subprocess.run(["tmux", "-S", "tmux.sock", "kill-server"], cwd=self.home, check=False, capture_output=True)
        if kill:
            self.process.kill()
            self.process.wait()
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Finding("the daemon does not stop") from None
        if status != 0:
            raise Finding(f"the daemon ended with {status}: {self.log()[-3000:].decode(errors='replace')}")


class Line:
    """A connection to the control socket."""

    def __init__(self, daemon):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(ANSWER_MAX)
        self.socket.connect(daemon.path())
        self.rest = b""

    def ask(self, line):
        self.socket.sendall(line + b"\n")
        return self.read()

    def read(self):
        while b"\n" not in self.rest:
            try:
                chunk = self.socket.recv(1 << 20)
            except TimeoutError:
                raise Finding(f"no answer within {ANSWER_MAX:.0f} s") from None
            if not chunk:
                raise Finding("the connection was closed without an answer")
            self.rest += chunk
        line, _, self.rest = self.rest.partition(b"\n")
        reply = json.loads(line)
        if not isinstance(reply.get("ok"), bool):
            raise Finding(f"no answer: {line[:300]!r}")
        return reply

    def close(self):
        self.socket.close()


class SocketDoor:
    name, only_tools = "socket", False

    def __init__(self, daemon, values):
        self.daemon, self.values = daemon, values
        self.line = Line(daemon)

    def make(self, row, values):
        r = values.random
        whole = {"request": row["name"], "args": values.object(row, row["args"])}
        if r.random() < 0.25:
            whole["caller"] = self.claim(r) if r.random() < 0.9 else values.hostile()
        if r.random() < 0.1:
            whole["zone"] = values.hostile()
        if r.random() < 0.03:
            whole[r.choice(["request", "args", "caller", "zone", "more"])] = values.hostile()
        return dump(whole).replace(b"\n", b" ")

    def claim(self, r):
        claim = {"surface": r.choice(["cli", "mcp", "hook"])}
        for key, words in (("user", USERS), ("session", ["s-1", "s-2", "telegram:direct:7"]),
                           ("agent", ["work", "quiet", "nobody"]), ("mission", [self.values.an_id("mission")])):
            if r.random() < 0.5:
                claim[key] = r.choice(words)
        if r.random() < 0.2:
            claim[r.choice(["surface", "user", "session", "agent", "mission", "process", "transcript"])] = \
                self.values.hostile()
        return claim

    def ask(self, request, row):
        try:
            reply = self.line.ask(request)
        except OSError as e:
            self.daemon.alive()
            raise Finding(f"the connection broke: {e}") from None
        except Finding as e:
            self.daemon.alive()
            raise Finding(f"{e}\n  the daemon: {self.daemon.where(self.daemon.process)}") from None
        if reply["ok"]:
            self.values.met(row, reply["result"])
        else:
            self.values.was_refused(row, reply["error"]["message"])

    def end(self):
        pass

    def close(self):
        self.line.close()


REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26"]
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
METHODS = ["initialize", "ping", "tools/list", "resources/list", "resources/read", "resources/templates/list",
           "prompts/list", "prompts/get", "logging/setLevel", "resources/subscribe", "server/discover", "x", ""]


def is_json(text):
    try:
        json.loads(text)
        return True
    except (ValueError, RecursionError):
        return False


class Mcp:
    """Messages of MCP, whatever carries them."""
    only_tools = True

    def __init__(self, values):
        self.values, self.count = values, 100
        self.wanted = None

    def make(self, row, values):
        r = values.random
        self.count += 1
        args = row["args"] if r.random() < 0.1 else [a for a in row["args"] if not a["for_people"]]
        if r.random() < 0.95:
            whole = {"jsonrpc": "2.0", "id": self.count, "method": "tools/call",
                     "params": {"name": row["tool"], "arguments": values.object(row, args)}}
        else:
            whole = {"jsonrpc": "2.0", "id": self.count, "method": r.choice(METHODS),
                     "params": r.choice([{}, {"cursor": values.hostile()}, {"uri": values.hostile()}, None,
                                         {"name": values.hostile(), "level": values.hostile()}])}
        if r.random() < 0.1 and isinstance(whole["params"], dict):
            whole["params"]["_meta"] = META if r.random() < 0.7 else values.hostile()
        if r.random() < 0.04:
            whole[r.choice(["jsonrpc", "method", "params", "more"])] = values.hostile()
        return dump(whole).replace(b"\n", b" ")

    def check(self, request, text, row):
        try:
            reply = json.loads(text)
        except ValueError:
            raise Finding(f"an answer that is no JSON: {text[:300]!r}") from None
        if reply.get("id") is None and not is_json(request):
            return  # whose it is cannot always be told
        if reply.get("id") != self.count:
            raise Finding(f"an answer to id {self.count} with id {reply.get('id')!r}: {text[:300]!r}")
        result = reply.get("result") or {}
        if result.get("isError") is False:
            self.values.met(row, result.get("structuredContent"))
        elif result.get("isError"):
            self.values.was_refused(row, result["content"][0]["text"])


def initialize(revision):
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "fuzz", "version": "1"}}}).encode()


class StdioDoor(Mcp):
    name = "stdio"

    def __init__(self, daemon, values):
        super().__init__(values)
        self.daemon, self.rest = daemon, b""
        # A client that is an agent's, one that has a session, one of which nothing is known.
        env = daemon.env | {"BELFRY_NO_AUTOSTART": "1"} | values.random.choice([{"BELFRY_AGENT": "quiet"}, {}])
        words = values.random.choice([["--session", "s-1"], []])
        self.process = subprocess.Popen([daemon.program, "mcp", *words], env=env, cwd=daemon.home, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=open(os.path.join(daemon.home, "out"), "ab"))
        self.talk(initialize(values.random.choice(REVISIONS)))

    def talk(self, line):
        out, until = self.process.stdout.fileno(), time.monotonic() + ANSWER_MAX
        try:
            self.process.stdin.write(line + b"\n")
            self.process.stdin.flush()
        except OSError as e:
            raise Finding(f"belfry mcp has gone: {e}") from None
        while b"\n" not in self.rest:
            if not select.select([out], [], [], max(0, until - time.monotonic()))[0]:
                raise Finding(f"no answer within {ANSWER_MAX:.0f} s")
            chunk = os.read(out, 1 << 20)
            if not chunk:
                raise Finding(f"belfry mcp ended with {self.process.wait()}: {self.daemon.log()[-2000:]!r}")
            self.rest += chunk
        line, _, self.rest = self.rest.partition(b"\n")
        return line

    def ask(self, request, row):
        try:
            self.check(request, self.talk(request), row)
        except Finding as e:
            self.daemon.alive()
            raise Finding(f"{e}\n  the daemon: {self.daemon.where(self.daemon.process)}\n"
                          f"  belfry mcp: {self.daemon.where(self.process)}") from None

    def end(self):
        self.process.stdin.close()
        if self.process.wait(30) != 0:
            raise Finding(f"belfry mcp ended with {self.process.returncode}")

    def close(self):
        self.process.kill()
        self.process.wait()


class HttpDoor(Mcp):
    name = "http"

    def __init__(self, daemon, values):
        super().__init__(values)
        self.daemon = daemon
        with open(os.path.join(daemon.home, "http"), encoding="utf-8") as f:
            self.address = re.match(r"http://([^/]*)", f.read()).group(1)
        self.connection = None
        self.users = {}
        for user in USERS:
            token = daemon.ask("token add", user=user)["result"]["token"]
            self.users[user] = {"Authorization": f"Bearer {token}", "Content-Type": "application/json",
                                "Accept": "application/json, text/event-stream"}
            reply = self.post(user, initialize(REVISIONS[0]))
            self.users[user]["Mcp-Session-Id"] = reply.getheader("Mcp-Session-Id")
            reply.read()

    def post(self, user, body):
        for again in (True, False):
            try:
                if not self.connection:
                    self.connection = http.client.HTTPConnection(self.address, timeout=ANSWER_MAX)
                self.connection.request("POST", "/mcp", body, self.users[user])
                return self.connection.getresponse()
            except TimeoutError:
                raise Finding(f"no answer within {ANSWER_MAX:.0f} s") from None
            except (OSError, http.client.HTTPException) as e:
                # A connection that was idle may be closed; a new one may not.
                self.connection.close()
                self.connection = None
                if not again:
                    raise Finding(f"HTTP broke: {e!r}") from None

    def ask(self, request, row):
        user = self.values.random.choice(USERS)
        try:
            reply = self.post(user, request)
            body = reply.read()
        except Finding:
            self.daemon.alive()
            raise
        if reply.status in (401, 404):  # its token was taken back, its session ended
            return
        if reply.status not in (200, 400):
            raise Finding(f"status {reply.status}: {body[:300]!r}")
        if reply.getheader("Content-Type", "").startswith("text/event-stream"):
            body = b"".join(line[5:] for line in body.split(b"\n") if line.startswith(b"data:"))
        self.check(request, body, row)

    def end(self):
        pass

    def close(self):
        if self.connection:
            self.connection.close()


DOORS = {"socket": SocketDoor, "stdio": StdioDoor, "http": HttpDoor}
