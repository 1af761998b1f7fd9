"""The shortest way through: keep a fact, ask in other words, get it back."""

from __future__ import annotations

from importlib.metadata import entry_points

from tests.conftest import Terminal


def test_a_fact_that_was_added_answers_a_question_in_plain_words(terminal: Terminal) -> None:
    terminal.add("Session tokens live in Postgres", "Redis evicted them under load.")

    assert terminal.titles("why are the sessions in postgres?") == ["Session tokens live in Postgres"]


def test_mempack_is_another_name_of_mem() -> None:
    programs = {
        script.name: script.value for script in entry_points(group="console_scripts") if script.name in ("mem", "mempack")
    }
    assert programs == dict.fromkeys(("mem", "mempack"), "memcli.__main__:main")
