"""The service's log: one file per day in logs/, the last seven kept. It never has the text of a memory or a query."""

from __future__ import annotations

import os
import time

from memcli import config, logs
from memcli.text import dates

MAX_DAYS = 7
MAX_BYTES = 4 << 20  # of one day
_NAME = "serve-"


def folder() -> str:
    """Returns the directory of logs."""
    return os.path.join(config.data_dir(), "logs")


def write(line: str) -> None:
    """Appends a line to today's file; the first of a day removes old files. Errors are ignored."""
    path = os.path.join(folder(), f"{_NAME}{dates.day(int(time.time() * 1000))}.log")
    try:
        if not logs.append(path, line, 1000, MAX_BYTES):
            _remove_old()
    except OSError:
        pass


def _remove_old() -> None:
    days = sorted(name for name in os.listdir(folder()) if name.startswith(_NAME) and name.endswith(".log"))
    for name in days[:-MAX_DAYS]:
        os.unlink(os.path.join(folder(), name))


def exception(action: str, error: Exception) -> None:
    """Logs a bug or a broken store: the path of the request, the type of the error, and where it was raised."""
    origin, trace = "", error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        origin = f"{os.path.basename(code.co_filename)}:{trace.tb_lineno} {code.co_name}"
        trace = trace.tb_next
    write(f"error {action}: {type(error).__name__} at {origin}")
