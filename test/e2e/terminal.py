"""Run a program on a terminal of its own: terminal.py [AWAIT TYPE]... -- PROGRAM...
Types each TYPE once its AWAIT was seen after the one before; prints what the screen got."""
import os
import pty
import select
import sys
import time

dashes = sys.argv.index("--")
words, program = [a.encode() for a in sys.argv[1:dashes]], sys.argv[dashes + 1:]
steps = list(zip(words[0::2], words[1::2]))
pid, fd = pty.fork()
if pid == 0:
    os.execv(program[0], program)
seen, mark, until = b"", 0, time.monotonic() + 120
while time.monotonic() < until:
    if not select.select([fd], [], [], 0.1)[0]:
        continue
    try:
        chunk = os.read(fd, 65536)
    except OSError:  # nobody has the other side any more
        break
    if not chunk:
        break
    seen += chunk
    if steps and steps[0][0] in seen[mark:]:
        mark = len(seen)
        os.write(fd, steps.pop(0)[1])
sys.stdout.buffer.write(seen)
sys.stdout.flush()
if steps or time.monotonic() >= until:
    os.kill(pid, 9)
    sys.exit(1)
os.waitpid(pid, 0)
