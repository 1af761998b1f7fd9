"""Broken input for everything that reads foreign bytes: what it may say of it, how long it may take, and how to break it.

A target takes bytes and looks at them as `mem` does. It may refuse them, as `targets.py` says how; anything else that it raises
is a problem, and so are more processor seconds than `MOST_SECONDS`, and more output than `MOST_OUTPUT` for an input of its size.
"""

from __future__ import annotations

import random
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from scripts.fuzzing.mutations import mutated

MOST_SECONDS = 5.0  # of processor time, for one input
MOST_INPUT = 60_000  # bytes
MOST_OUTPUT = (64, 1 << 20)  # times the input, and bytes more


class TooSlow(BaseException):
    """An input took too long. No `except Exception` keeps it."""


class NoAnswer(Exception):
    """A server hangs; the message says what each of its threads was doing."""


class TooMuch(Exception):
    """An input made too much output."""


@dataclass(frozen=True)
class Target:
    """Something that reads bytes; `read` returns how many bytes or characters came out. `refusals`: what it may raise."""

    name: str
    read: Callable[[bytes], int]
    seeds: Sequence[bytes]
    refusals: tuple[type[BaseException], ...] = ()
    few: int = 30
    """How many inputs a quick look takes; 0 for what takes seconds to start."""


@dataclass(frozen=True)
class Problem:
    """An input that a target does not bear, and what it did."""

    target: str
    data: bytes
    text: str
    takes_long: bool = False
    """Whether each further try would take as long as it takes to see that nothing comes."""


def run(target: Target, seed: int, seconds: float = 0.0, count: int = 0) -> tuple[int, Problem | None]:
    """Tries inputs until the time is over, or so many. Returns how many were tried, and the first problem, made small."""
    chance = random.Random(f"{target.name} {seed}")
    end = time.monotonic() + seconds
    tried = 0
    for data in _inputs(target, chance):
        if (count and tried >= count) or (not count and time.monotonic() >= end):
            break
        tried += 1
        if problem := attempt(target, data):
            return tried, smaller(target, problem)
    return tried, None


def _inputs(target: Target, chance: random.Random) -> Iterator[bytes]:
    yield b""
    yield from target.seeds
    while True:
        yield mutated(chance, target.seeds)[:MOST_INPUT]


def attempt(target: Target, data: bytes) -> Problem | None:
    """Gives an input to a target. Returns what went wrong."""
    try:
        with time_limit():
            size = target.read(data)
        factor, more = MOST_OUTPUT
        if size > factor * len(data) + more:
            raise TooMuch(f"{size} of output for {len(data)} bytes")
    except target.refusals:
        return None
    except (Exception, TooSlow, RecursionError) as error:
        return Problem(target.name, data, "".join(traceback.format_exception(error)), isinstance(error, TooSlow | NoAnswer))
    return None


def smaller(target: Target, problem: Problem, rounds: int = 200) -> Problem:
    """Returns a problem with as much of its input left out as shows the same error."""
    if problem.takes_long:
        return problem
    last_line = problem.text.strip().splitlines()[-1].partition(":")[0]
    size = max(1, len(problem.data) // 2)
    at = 0
    while size and rounds:
        rounds -= 1
        data = problem.data[:at] + problem.data[at + size :]
        other = attempt(target, data) if len(data) < len(problem.data) else None
        if other and other.text.strip().splitlines()[-1].partition(":")[0] == last_line:
            problem = other
        else:
            at += size
        if at >= len(problem.data):
            at, size = 0, size // 2
    return problem


@contextmanager
def time_limit() -> Iterator[None]:
    """Raises TooSlow in what runs longer, of processor time: a busy machine makes nothing slow."""

    def stop(*_: object) -> None:
        raise TooSlow(f"more than {MOST_SECONDS:.0f} s of processor time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
