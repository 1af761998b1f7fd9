"""Asking a model, if one is configured: within caps, with a limited number of calls at once on the machine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memcli import logs, system
from memcli.config import Config, data_dir
from memcli.errors import MemError
from memcli.models import compressors
from memcli.project import Project
from memcli.records import Record
from memcli.store import queue

if TYPE_CHECKING:
    from memcli.store import Connection

_ANSWER_TOKENS = 1_600  # tokens of an answer
_CHARS_A_TOKEN = 3  # for the estimate before a call; code has about this many
_ERROR = 200  # characters of what went wrong
SLOTS = "compressor"  # files in the data directory: as many workers may ask at once as there are


class CompressorUsage(Record):
    """The compressor, and how much of its caps is used. `problem`: why its last call failed, or the next one would."""

    provider: str
    calls: int
    calls_an_hour: int
    tokens: int
    tokens_a_day: int
    concurrency: int
    problem: str = ""


def usage(project: Project) -> CompressorUsage:
    """Returns the usage so far."""
    calls, tokens = queue.spent_calls(project.db, project.now)
    config = project.config
    caps = (config["compressor.calls_an_hour"], config["compressor.tokens_a_day"], config["compressor.concurrency"])
    provider = config["compressor.provider"]
    return CompressorUsage(provider, calls, caps[0], tokens, caps[1], caps[2], problem(project.db, config))


def problem(db: Connection, config: Config) -> str:
    """Returns why the next call would fail, else why the last one did; "" if all is well or no model is configured."""
    if config["compressor.provider"] == "none":
        return ""
    try:
        compressors.check(config)
    except compressors.CompressorError as error:
        return _worded(error)
    return queue.last_failure(db)


def _worded(error: Exception) -> str:
    text = f"{error}; {error.hint}" if isinstance(error, MemError) and error.hint else str(error)
    return (text if isinstance(error, MemError) else type(error).__name__)[:_ERROR]


def ask(project: Project, prompt: str, purpose: str) -> str:
    """Returns a model's answer; "" if the caps allow no call, or it failed, which is logged."""
    slot = _slot(project.config["compressor.concurrency"])
    if slot is None:
        return _log_failure(project, purpose, "another worker is asking it")
    try:
        caps = (project.config["compressor.calls_an_hour"], project.config["compressor.tokens_a_day"])
        estimate = len(prompt) // _CHARS_A_TOKEN + _ANSWER_TOKENS
        call = queue.reserve_call(project.db, project.now, purpose, estimate, caps)
        if call is None:
            return _log_failure(project, purpose, "a cap is reached, or it failed three times")
        seconds = min(float(project.config["compressor.timeout"]), project.config["queue.lease_minutes"] * 30.0)
        try:
            complete = compressors.compressor(project.config)
            answer = complete(prompt, _ANSWER_TOKENS, seconds) if complete else compressors.Completion("", 0)
            if not answer.text.strip():
                raise compressors.CompressorError("the answer is empty")
        except Exception as error:  # a library that fails in a way of its own must not cost the event
            queue.settle_call(project.db, call, 0, _worded(error))
            return _log_failure(project, purpose, _worded(error))
        queue.settle_call(project.db, call, answer.tokens, "")
        return answer.text
    finally:
        os.close(slot)


def _log_failure(project: Project, purpose: str, reason: str) -> str:
    logs.write_worker(project.config, "info", f"no {purpose} from the model: {reason}")
    return ""


def _slot(count: int) -> int | None:
    """Returns an open file that holds one of the machine's slots for asking a model, None if all are taken."""
    for number in range(min(count, 100)):
        path = os.path.join(data_dir(), f"{SLOTS}-{number}.lock")
        file = system.open_private(path, os.O_RDWR | os.O_CREAT)
        if system.try_lock(file):
            return file
        os.close(file)
    return None
