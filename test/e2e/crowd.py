"""crowd.py SOCKET PROCESSES EACH [LINE]: connect so often, say LINE in each, print "ready", and stay until the input ends."""
import os
import socket
import sys

path, processes, each = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
line = (sys.argv[4] + "\n").encode() if len(sys.argv) > 4 else b""
os.chdir(os.path.dirname(path))
held = []
told, tell = os.pipe()
for _ in range(processes):
    if os.fork():
        continue
    for _ in range(each):
        s = socket.socket(socket.AF_UNIX)
        s.connect(os.path.basename(path))
        if line:
            s.sendall(line)
            s.recv(65536)
        held.append(s)
    os.write(tell, b".")
    os.read(0, 1)
    os._exit(0)
for _ in range(processes):
    os.read(told, 1)
print("ready", flush=True)
os.read(0, 1)
