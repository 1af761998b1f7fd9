"""A terminal of a size of its own, in which `mem` runs as at a person's."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import sys
import termios

from tests.conftest import Terminal

COLUMNS = 100
PROGRAM = [sys.executable, "-m", "memcli"]


def begin(terminal: Terminal, *words: str, columns: int = COLUMNS, program: list[str] = PROGRAM, **env: str) -> tuple[int, int]:
    """Runs mem with a terminal of so many columns. Returns (its process, our end of the terminal)."""
    pid, screen = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        os.chdir(terminal.folder)
        own = {name: value for name, value in terminal.env.items() if name != "COLUMNS"}
        os.execve(program[0], [*program, *words], {**own, **env})
    return pid, screen


def end(pid: int, screen: int) -> tuple[str, int]:
    """Waits until a process ends. Returns what it wrote since, with the line ends of a file, and its exit code."""
    written = read_to_end(screen)
    return written.decode().replace("\r\n", "\n"), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def read_to_end(screen: int) -> bytes:
    """Reads our end of a terminal until the other is closed, and closes it."""
    written = b""
    try:
        while block := os.read(screen, 65_536):
            written += block
    except OSError:
        pass  # how Linux tells that nobody holds the other end any more
    os.close(screen)
    return written
