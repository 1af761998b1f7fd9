"""Whatever foreign bytes say: a value or a clear refusal, soon, and of a size that fits. `scripts/fuzz` tries for longer."""

from __future__ import annotations

import time
from pathlib import Path
from unittest import mock

import pytest

import scripts.fuzzing as fuzzing
from scripts.fuzzing import NoAnswer, Target, services
from scripts.fuzzing.process import environment
from scripts.fuzzing.targets import targets


def test_broken_input_is_read_or_refused(tmp_path: Path) -> None:
    with targets(tmp_path) as every:
        quick = [target for target in every if target.few]
        outcomes = {target.name: fuzzing.run(target, 1, count=target.few) for target in quick}
    assert [problem for _, problem in outcomes.values() if problem] == []
    assert [name for name, (tried, _) in outcomes.items() if not tried] == []
    assert len(quick) > 70


def fails_on_null(data: bytes) -> int:
    if b"\0" in data:
        raise ValueError("a null byte")
    return 0


def test_an_input_that_is_not_borne_is_found_and_made_small() -> None:
    target = Target("null", fails_on_null, [b"some text " * 20])
    tried, problem = fuzzing.run(target, 1, count=20_000)
    assert problem is not None
    assert problem.data == b"\0"
    assert problem.text.endswith("ValueError: a null byte\n")
    assert fuzzing.run(target, 1, count=20_000) == (tried, problem), "the same seed gives the same inputs"


def test_a_refusal_is_no_problem() -> None:
    assert fuzzing.run(Target("null", fails_on_null, [b"\0"], (ValueError,)), 1, count=50) == (50, None)


def test_what_takes_long_or_says_too_much_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzzing, "MOST_SECONDS", 0.05)

    def endless(data: bytes) -> int:
        while True:
            pass

    for read, word in ((endless, "TooSlow"), (lambda data: 1 << 30, "TooMuch")):
        _, problem = fuzzing.run(Target("target", read, [b"x"]), 1, count=2)
        assert problem is not None
        assert word in problem.text


def test_a_server_that_hangs_shows_where_and_the_next_input_meets_a_new_one(tmp_path: Path) -> None:
    with environment(tmp_path):
        process = services._Process(tmp_path, "mcp")
        first = process.started().pid
        while "mem mcp: repo=" not in process.errors():
            time.sleep(0.01)
        with mock.patch.object(services, "PATIENCE", 0.1), pytest.raises(NoAnswer, match=r'File ".*mcp'), process.checked():
            process.line()  # nobody asked it anything
        assert process.started().pid != first
        process.stop()
