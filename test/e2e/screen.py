"""A person at a terminal: screen.py COLUMNSxLINES PROGRAM... < SCRIPT

Each line of the script is done when its turn comes:
    see TEXT       wait until the screen got TEXT, after what was seen before
    type KEYS      \\r, \\x03 and the like are understood
    size CxL       another size
    kill SIGNAL    to the program
Prints what the screen gets as it comes, exits as the program did (128 and the signal that ended it). Fails
with 99 when something was never seen, or the keyboard is not as it was in the end.
"""
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

LIMIT = int(os.environ.get("SCREEN_SECONDS", "120"))


def resize(fd, size):
    columns, lines = map(int, size.split("x"))
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))


def look():
    chunk = os.read(master, 65536)
    sys.stdout.buffer.write(chunk)
    sys.stdout.flush()
    return chunk


script = [line.split(" ", 1) for line in sys.stdin.read().splitlines()]
master, slave = pty.openpty()
resize(master, sys.argv[1])
keys = termios.tcgetattr(slave)
pid = os.fork()
if pid == 0:
    os.close(master)
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for fd in 0, 1, 2:
        os.dup2(slave, fd)
    os.execv(sys.argv[2], sys.argv[2:])

screen, seen, until, status = b"", 0, time.monotonic() + LIMIT, None


def advance():
    """Do what can be done of the script."""
    global seen
    while script:
        verb, text = script[0]
        if verb == "see":
            at = screen.find(text.encode(), seen)
            if at < 0:
                return
            seen = at + len(text.encode())
        elif status is not None:
            return
        elif verb == "type":
            os.write(master, text.encode().decode("unicode_escape").encode())
        elif verb == "size":
            resize(master, text)
        elif verb == "kill":
            os.kill(pid, signal.Signals[text])
        script.pop(0)


while status is None and time.monotonic() < until:
    advance()
    if select.select([master], [], [], 0.05)[0]:
        screen += look()
    done, code = os.waitpid(pid, os.WNOHANG)
    if done:
        status = os.waitstatus_to_exitcode(code)
# Its last words may have come after the last look.
while select.select([master], [], [], 0.05)[0]:
    screen += look()
advance()
if status is None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    sys.exit(f"screen: {script[:1]} not reached in {LIMIT} s" if script else "screen: it never ended")
if script:
    print(f"screen: it ended before {script[0]}", file=sys.stderr)
    sys.exit(99)
if termios.tcgetattr(slave)[:4] != keys[:4]:
    print("screen: the keyboard is not as it was", file=sys.stderr)
    sys.exit(99)
sys.exit(128 - status if status < 0 else status)
