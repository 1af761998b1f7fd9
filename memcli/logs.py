"""Log files of the data directory, for what goes wrong where nobody sees it. Never what anybody wrote or read."""

from __future__ import annotations

import os
import time

from memcli import config
from memcli.text import dates
from memcli.text.terminal import oneline

LEVELS = ("error", "warn", "info", "debug")
MAX_BYTES = 256 * 1024  # then the file becomes NAME.log.1 and a new one begins


def write(name: str, line: str) -> None:
    """Appends a line with the present moment to logs/NAME.log. Whatever prevents it is ignored."""
    path = os.path.join(config.data_dir(), "logs", f"{name}.log")
    try:
        if append(path, line, 500) > MAX_BYTES:
            os.replace(path, f"{path}.1")
    except OSError:
        pass


def write_worker(settings: config.Config, level: str, line: str) -> None:
    """Appends a line to the worker's log, unless the setting `log.level` asks for less."""
    threshold = settings["log.level"]
    if threshold not in LEVELS or LEVELS.index(level) <= LEVELS.index(threshold):
        write("worker", f"{level} {line}")


def append(path: str, line: str, max_chars: int, max_bytes: int = 1 << 62) -> int:
    """Appends a line with the present moment to a file, unless that has `max_bytes`. Returns the size it had. Raises OSError."""
    from memcli import system

    text = f"{dates.iso(int(time.time() * 1000))} {os.getpid()} {oneline(line)[:max_chars]}\n"
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    handle = system.open_private(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    try:
        size = os.fstat(handle).st_size
        if size < max_bytes:
            os.write(handle, text.encode("utf-8", "backslashreplace"))
    finally:
        os.close(handle)
    return size
