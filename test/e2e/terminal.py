"""Run a program on a terminal of its own: terminal.py AWAIT TYPE PROGRAM...
Types TYPE once AWAIT was seen, prints what the screen got, exits as the program did."""
import os
import pty
import select
import sys
import time

await_text, typed, program = sys.argv[1].encode(), sys.argv[2].encode(), sys.argv[3:]
pid, fd = pty.fork()
if pid == 0:
    os.execv(program[0], program)
seen, sent, until = b"", False, time.monotonic() + 30
while time.monotonic() < until:
    if not select.select([fd], [], [], 0.1)[0]:
        continue
    try:
        chunk = os.read(fd, 65536)
    except OSError:
        break
    if not chunk:
        break
    seen += chunk
    if not sent and await_text in seen:
        os.write(fd, typed)
        sent = True
sys.stdout.buffer.write(seen)
sys.stdout.flush()
if time.monotonic() >= until:
    os.kill(pid, 9)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
