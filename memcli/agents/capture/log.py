"""Files of a few lines about what went wrong where nobody sees it. Never what anybody wrote or read."""

from __future__ import annotations

import os
import time

from memcli import config
from memcli.text import dates
from memcli.text.terminal import oneline

LARGEST = 256 * 1024  # bytes; then the file becomes NAME.log.1 and a new one begins


def write(name: str, line: str) -> None:
    """Appends a line with the present moment to logs/NAME.log in the data directory. Whatever prevents it is passed over."""
    path = os.path.join(config.data_dir(), "logs", f"{name}.log")
    text = f"{dates.iso(int(time.time() * 1000))} {os.getpid()} {oneline(line)[:500]}\n"
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        handle = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
        try:
            if os.fstat(handle).st_size > LARGEST:
                os.replace(path, f"{path}.1")
            os.write(handle, text.encode("utf-8", "backslashreplace"))
        finally:
            os.close(handle)
    except OSError:
        pass
