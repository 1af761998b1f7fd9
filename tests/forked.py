"""Run as a program: becomes `mem` in effect, by handing its streams to the process that tests/servers.py made ready to fork."""

import os
import socket
import sys

with socket.socket(socket.AF_UNIX) as template:
    template.connect(sys.argv[1])
    words, variables = sys.argv[2:], [f"{name}={value}" for name, value in os.environ.items()]
    parts = [os.getcwd(), str(os.umask(0)), str(len(words)), *words, *variables]
    request = "\0".join(parts).encode("utf-8", "surrogateescape")
    socket.send_fds(template, [len(request).to_bytes(4, "big")], [0, 1, 2])
    template.sendall(request)
    code = template.recv(4)
sys.exit(int.from_bytes(code, "big", signed=True))
