"""The service's log: a file a day in logs/, the last seven kept. Never what anybody wrote or asked."""

from __future__ import annotations

import os
import time

from memcli import config
from memcli.text import dates
from memcli.text.terminal import oneline

KEPT = 7  # days
LARGEST = 4 << 20  # bytes of one day
_NAME = "serve-"


def folder() -> str:
    """Returns the directory of logs."""
    return os.path.join(config.data_dir(), "logs")


def write(line: str) -> None:
    """Appends a line to today's file; the first one of a day takes old files away. Whatever prevents it is passed over."""
    now = int(time.time() * 1000)
    path = os.path.join(folder(), f"{_NAME}{dates.day(now)}.log")
    text = f"{dates.iso(now)} {os.getpid()} {oneline(line)[:1000]}\n"
    try:
        os.makedirs(folder(), mode=0o700, exist_ok=True)
        fresh = not os.path.exists(path)
        handle = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
        try:
            if os.fstat(handle).st_size < LARGEST:
                os.write(handle, text.encode("utf-8", "backslashreplace"))
        finally:
            os.close(handle)
        if fresh:
            _tidy()
    except OSError:
        pass


def _tidy() -> None:
    days = sorted(name for name in os.listdir(folder()) if name.startswith(_NAME) and name.endswith(".log"))
    for name in days[:-KEPT]:
        os.unlink(os.path.join(folder(), name))


def trouble(what: str, error: Exception) -> None:
    """Notes an error that is a bug or a broken store: what was asked for by path, the error's type, and where it was raised."""
    place, trace = "", error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        place = f"{os.path.basename(code.co_filename)}:{trace.tb_lineno} {code.co_name}"
        trace = trace.tb_next
    write(f"error {what}: {type(error).__name__} at {place}")
