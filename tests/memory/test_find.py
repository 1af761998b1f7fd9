"""Which memory somebody means by what they typed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memcli.errors import InvalidInput, NotFound
from memcli.memory import entries, find_chunk, find_memory, find_prompt
from memcli.memory.entries import NewMemory
from memcli.project import Project
from memcli.records import replace
from memcli.text import ids
from tests import writing

NAMES = ["M-7F3K2QWZ9A", "M-7F3KZZZZZZ", "M-10Z0000000"]


@pytest.fixture(autouse=True)
def _stored(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = list(NAMES)
    monkeypatch.setattr(ids, "new", lambda kind: waiting.pop(0))
    for name in NAMES:
        entries.add(project, NewMemory(f"Title of {name}", "because"), "cli")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        *((NAMES[0], 0), ("m-7f3k2qwz9a", 0), (" M-7F3K2 ", 0), ("M-7F3KZ", 1), ("7F3KZ", 1), ("7f3kz", 1), ("M-10", 2)),
        *(("m-lo", 2), ("M-IOZ", 2), ("loz", 2), ("10", 2)),
    ],
)
def test_an_id_or_a_unique_beginning_of_it_in_any_case_means_its_memory(project: Project, typed: str, meant: int) -> None:
    assert find_memory(project, typed).id == NAMES[meant]


def test_a_beginning_of_several_is_ambiguous_and_names_them(project: Project) -> None:
    with pytest.raises(InvalidInput, match="2 memories") as caught:
        find_memory(project, "M-7F3K")
    assert caught.value.code == "ambiguous"
    assert NAMES[0] in caught.value.hint
    assert NAMES[1] in caught.value.hint


def test_of_several_the_one_that_is_not_forgotten_is_meant(project: Project) -> None:
    writing.forget(project, NAMES[0], "cli")
    assert find_memory(project, "M-7F3K").id == NAMES[1]
    with pytest.raises(NotFound) as caught:
        find_memory(project, NAMES[0])
    assert (caught.value.code, "mem restore" in caught.value.hint) == ("forgotten", True)
    assert find_memory(project, NAMES[0], forgotten=True).forgotten


@pytest.mark.parametrize(
    "typed", ["M-ZZZZZZZZZZ", "", "M-", "M-7", "%", "M-%%", "~", "M-~~~", "T-general", "\x1b[31m", "7F3K' OR 1", "é" * 99]
)
def test_what_names_no_memory_is_not_found_with_a_hint(project: Project, typed: str) -> None:
    with pytest.raises(NotFound) as caught:
        find_memory(project, typed)
    assert caught.value.hint
    assert caught.value.message.isprintable()


def test_a_typing_error_brings_the_closest_memory_as_a_hint(project: Project) -> None:
    with pytest.raises(NotFound) as caught:
        find_memory(project, "M-7F3K2QWZ99")
    assert f"did you mean {NAMES[0]}" in caught.value.hint


@pytest.mark.parametrize("find", [find_memory, find_prompt, find_chunk])
def test_what_is_too_long_for_an_id_is_not_found_without_asking_the_store(
    project: Project, find: Callable[[Project, str], object]
) -> None:
    without_store = replace(project, db=None)
    for typed in ("C-" + "x" * 79, "C-" + "x" * 100_000):
        with pytest.raises(NotFound) as caught:
            find(without_store, typed)
        assert len(caught.value.message) < 100
        assert "12 characters" in caught.value.hint
