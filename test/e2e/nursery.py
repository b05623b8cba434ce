"""Ask the program's nursery for a wrapper, as the daemon does: nursery.py BELFRY ORDER MISSIONS
Nothing may be there before the gate opens, and the nursery ends with its socket."""
import os
import select
import socket
import struct
import subprocess
import sys

belfry, order, missions = sys.argv[1:]
ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
nursery = subprocess.Popen([belfry, "wrapper", "nursery", "--fd", str(theirs.fileno())],
                           pass_fds=[theirs.fileno()])
theirs.close()
reader, gate = os.pipe()
with open(order, "rb") as file:
    socket.send_fds(ours, [struct.pack("q", 42)], [file.fileno(), reader])
os.close(reader)
reply, (wrapper,), _, _ = socket.recv_fds(ours, 4096, 4)
assert struct.unpack_from("q", reply)[0] == 42
assert not select.select([wrapper], [], [], 0.2)[0], "it did not wait at its gate"
assert not os.path.exists(missions), "something was written before the gate opened"
os.write(gate, b"x")
assert select.select([wrapper], [], [], 60)[0], "it did not end"
assert nursery.poll() is None
ours.close()
assert nursery.wait(60) == 0
