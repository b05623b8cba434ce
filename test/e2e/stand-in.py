"""Answer on a control socket as a daemon would: stand-in.py SOCKET ANSWERS ASKED
ANSWERS is a JSON object: request -> a list of answers, given one after the other; the last one
again and again. Whoever wants to look at an agent may. An answer {"error": {...}} is refused, {"hang up": true} is none: the connection is
closed; {"silent": true} is none either, and never comes.
Each line of ASKED is a request that came, with who asked where that was said; ASKED.ids has the ids.
It ends on SIGTERM."""
import json
import os
import socket
import sys
import threading

path, answers_file, asked_file = sys.argv[1:]
with open(answers_file, encoding="utf-8") as f:
    answers = {"live attach": [{}]} | json.load(f)
lock = threading.Lock()


def answer(line):
    asked = json.loads(line)
    with lock:
        with open(asked_file, "a", encoding="utf-8") as out:
            out.write(json.dumps({k: asked[k] for k in ("request", "args", "caller") if k in asked}) + "\n")
        with open(f"{asked_file}.ids", "a", encoding="utf-8") as out:
            out.write(f"{asked.get('id')}\n")
        left = answers.get(asked["request"])
        if not left:
            return {"ok": False, "error": {"code": "not_found", "message": "unknown request"}}
        given = left.pop(0) if len(left) > 1 else left[0]
    if isinstance(given, dict) and "hang up" in given:
        return None
    if isinstance(given, dict) and "silent" in given:
        threading.Event().wait()
    if isinstance(given, dict) and "error" in given:
        return {"ok": False, "error": given["error"]}
    return {"ok": True, "result": given}


def serve(peer):
    with peer, peer.makefile("rw", encoding="utf-8") as lines:
        for line in lines:
            reply = answer(line)
            if reply is None:
                return
            lines.write(json.dumps(reply) + "\n")
            lines.flush()


os.chdir(os.path.dirname(path))  # the path may be longer than an address
listener = socket.socket(socket.AF_UNIX)
listener.bind(os.path.basename(path))
listener.listen()
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
