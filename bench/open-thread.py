#!/usr/bin/env python3
"""How long it takes until a thread is on the screen: from the start of the program until its last
line, the one with the keys, has been drawn.  usage: open-thread.py TIMES BELFRY THREAD
Prints p50 and p99 in milliseconds."""
import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

LAST_WORDS = b"back"


def open_once(belfry, thread):
    begin = time.monotonic()
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execv(belfry, [belfry, "inbox", "--thread", thread])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    seen = b""
    while LAST_WORDS not in seen:
        if not select.select([terminal], [], [], 10)[0]:
            sys.exit("open-thread: nothing was drawn within 10 s")
        seen += os.read(terminal, 65536)
    took = time.monotonic() - begin
    os.write(terminal, b"\x03")
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:
        pass
    os.waitpid(pid, 0)
    os.close(terminal)
    return took * 1000


def main():
    times, belfry, thread = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    open_once(belfry, thread)
    took = sorted(open_once(belfry, thread) for _ in range(times))
    print("%.1f %.1f" % (took[len(took) // 2], took[min(len(took) - 1, len(took) * 99 // 100)]))


main()
