"""HTTP by its bytes, as no client would send them.

usage: raw.py URL SCENARIO [TOKEN]     prints what the scenario's name promises, or fails
"""
import json
import socket
import sys
import time
import urllib.parse

url = urllib.parse.urlparse(sys.argv[1])
token = sys.argv[3] if len(sys.argv) > 3 else ""
PATIENCE = 90


def connect():
    return socket.create_connection((url.hostname, url.port), timeout=PATIENCE)


def request(method="POST", body=b"", host=None, headers=()):
    lines = [f"{method} /mcp HTTP/1.1", f"Host: {host or url.netloc}", f"Authorization: Bearer {token}",
             "Content-Type: application/json", "Accept: application/json, text/event-stream",
             f"Content-Length: {len(body)}", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


def rpc(method, params=None, number=1):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}}).encode()


def read_answer(sock):
    """Status, headers, body of one answer with a Content-Length."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = sock.recv(65536)
        if not more:
            return None, {}, data
        data += more
    head, body = data.split(b"\r\n\r\n", 1)
    first, *rest = head.decode().split("\r\n")
    headers = {k.lower(): v for k, v in (line.split(": ", 1) for line in rest)}
    while len(body) < int(headers.get("content-length", 0)):
        body += sock.recv(65536)
    return int(first.split()[1]), headers, body


def ask(sock, *args, **kwargs):
    sock.sendall(request(*args, **kwargs))
    return read_answer(sock)


def initialize(revision="2025-11-25"):
    params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
    with connect() as sock:
        status, headers, _ = ask(sock, body=rpc("initialize", params))
    assert status == 200, status
    return headers["mcp-session-id"]


def in_session(session):
    return [f"Mcp-Session-Id: {session}"]


def streams(count):
    """That many streams of one session at once; each begins, and all end with the session."""
    session = initialize()
    socks = [connect() for _ in range(count)]
    for sock in socks:
        sock.sendall(request("GET", headers=in_session(session)))
    for sock in socks:
        data = b""
        while b": belfry\n" not in data:
            more = sock.recv(4096)
            assert more, data
            data += more
        assert data.startswith(b"HTTP/1.1 200 "), data
    with connect() as sock:
        # there is room for requests meanwhile
        assert ask(sock, body=rpc("ping"), headers=in_session(session))[0] == 200
        assert ask(sock, "DELETE", headers=in_session(session))[0] == 204
    for sock in socks:
        data = b""
        while not data.endswith(b"0\r\n\r\n"):
            more = sock.recv(4096)
            assert more, data
            data += more
    print("ended", count)


def too_many_streams():
    session = initialize()
    socks, seen = [], []
    for _ in range(120):
        sock = connect()
        sock.sendall(request("GET", headers=in_session(session)))
        seen.append(sock.recv(4096).split(b" ")[1].decode())
        socks.append(sock)
    print(seen.count("200"), seen.count("503"))


def too_many_connections():
    """More than there is room for wait, and are served when there is."""
    idle = [connect() for _ in range(80)]
    for sock in idle[:40]:
        sock.close()
    status = [ask(sock, body=rpc("ping"))[0] for sock in idle[40:]]
    print(status.count(200))


def silent():
    """Those that say nothing, or nothing whole, give way to one with a token."""
    idle = [connect() for _ in range(90)]
    for sock in idle[::2]:
        sock.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\nContent-Length: 9\r\n\r\n")
    begun = time.monotonic()
    for _ in range(3):
        with connect() as sock:
            assert ask(sock, body=rpc("ping"))[0] == 200
    # less than the silent ones have in this test: BELFRY_HTTP_HEAD_MS
    assert time.monotonic() - begun < 40, "it had to wait"
    print("served")


def silent_end():
    """One that says nothing does not have a minute."""
    begun = time.monotonic()
    with connect() as sock:
        left = len(sock.recv(1))
    assert time.monotonic() - begun < 50, "it was let stay"
    print("ended", left)


def too_many_sessions():
    """The one that was used longest ago is gone, the one that was used meanwhile is not."""
    oldest, used = initialize(), initialize()
    with connect() as sock:
        for _ in range(255):
            params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
            assert ask(sock, body=rpc("initialize", params))[0] == 200
            assert ask(sock, body=rpc("ping"), headers=in_session(used))[0] == 200
        print(*(ask(sock, body=rpc("ping"), headers=in_session(s))[0] for s in (oldest, used)))


def vanish(times):
    """Clients that go in the middle of a call, at each place of it."""
    session = initialize()
    whole = request(body=rpc("tools/call", {"name": "board_set", "arguments": {"status": "here"}}),
                    headers=in_session(session))
    for i in range(times):
        with connect() as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            sock.sendall(whole if i % 3 else whole[: len(whole) * i // times])
            if i % 2:
                time.sleep(0.001)
    with connect() as sock:
        print(ask(sock, body=rpc("ping"), headers=in_session(session))[0])


def pipelined():
    """Several requests in one write are answered in order."""
    session = initialize()
    with connect() as sock:
        sock.sendall(b"".join(request(body=rpc("ping", number=i), headers=in_session(session)) for i in range(5)))
        data = b""
        while data.count(b'"result"') < 5:
            data += sock.recv(65536)
    print(*(part.split(b",")[0].decode() for part in data.split(b'"id":')[1:]))


def hosts():
    """Two headers of a name: one that is ours does not cover one that is not."""
    with connect() as sock:
        print(ask(sock, body=rpc("ping"), headers=["Host: evil.example"])[0], end=" ")
    with connect() as sock:
        origin = f"Origin: http://{url.netloc}"
        print(ask(sock, body=rpc("ping"), headers=[origin, "Origin: http://evil.example"])[0], end=" ")
    with connect() as sock:
        sock.sendall(b"POST /mcp HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
        print(read_answer(sock)[0])


def garbage():
    """No requests; and the end may come together with the last bytes."""
    begun = time.monotonic()
    for data in 3 * (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"\0" * 1000, b"GET\r\n\r\n", b"POST /mcp HTTP/9.9\r\n\r\n",
                 b"A" * 100000, b"GET /mcp HTTP/1.1\r\n" + b"X: " + b"y" * 100000 + b"\r\n\r\n",
                 b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
                 b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n"):
        with connect() as sock:
            try:
                sock.sendall(data)
                sock.shutdown(socket.SHUT_WR)
                while sock.recv(65536):
                    pass
            except OSError:
                pass
    # nobody was waited for until it was their time
    assert time.monotonic() - begun < 55, "an end was not noticed"
    with connect() as sock:
        print(ask(sock, body=rpc("ping"))[0])


def slow():
    """One that never gets on is shut, however steadily it trickles; so is one that says nothing."""
    trickle, silent = connect(), connect()
    silent.settimeout(PATIENCE)
    trickle.settimeout(0.1)
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            trickle.sendall(b"X")
            if not trickle.recv(1):
                break
        except TimeoutError:
            continue
        except OSError:
            break
    else:
        raise AssertionError("it was let go on")
    print("shut", len(silent.recv(1)))


SCENARIOS = {"streams": lambda: streams(8), "too-many-streams": too_many_streams, "vanish": lambda: vanish(60),
             "too-many-connections": too_many_connections, "silent": silent, "silent-end": silent_end, "too-many-sessions": too_many_sessions,
             "pipelined": pipelined, "hosts": hosts, "garbage": garbage, "slow": slow}
SCENARIOS[sys.argv[2]]()
