"""`mem setup --remove` where a file was there before setup, and empty."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agents.setup.conftest import HOOKS, SHAPED, Person


@pytest.mark.parametrize("is_link", [False, True])
@pytest.mark.parametrize("content", ["", "\n", " \n\n"])
@pytest.mark.parametrize("harness", HOOKS)
def test_remove_brings_back_a_file_that_was_empty(
    person: Person, harness: str, content: str, is_link: bool, tmp_path: Path
) -> None:
    path = person.file(harness)
    path.parent.mkdir(parents=True)
    real = tmp_path / "settings" if is_link else path
    real.write_text(content)
    if is_link:
        path.symlink_to(real)
    before = person.everything()
    person.setup(harness)
    person.setup(harness, "--mcp")
    person.setup(harness, "--remove")
    assert path.is_symlink() == is_link
    assert person.everything() == before
    assert real.read_text() == content
    assert not list(tmp_path.glob("settings.*"))


@pytest.mark.parametrize("harness", SHAPED)
def test_remove_leaves_an_empty_file_empty_whatever_a_person_changed_about_ours(person: Person, harness: str) -> None:
    path = person.file(harness)
    path.parent.mkdir(parents=True)
    path.touch()
    person.setup(harness)
    path.write_text(path.read_text().replace("10", "12"))
    person.setup(harness, "--remove")
    assert path.read_text() == ""


@pytest.mark.parametrize("content", [None, "", '{"theme": "x"}\n'])
@pytest.mark.parametrize("harness", HOOKS)
def test_remove_of_the_server_leaves_the_hooks(person: Person, harness: str, content: str | None) -> None:
    path = person.file(harness)
    if content is not None and harness in ("claude", "gemini", "cursor"):
        path.parent.mkdir(parents=True)
        path.write_text(content)
    before = person.everything()
    person.setup(harness)
    hooked = person.everything()
    person.setup(harness, "--mcp")
    person.setup(harness, "--mcp", "--remove")
    assert path.read_bytes() == hooked[str(path)]
    person.setup(harness, "--remove")
    assert {name: one for name, one in person.everything().items() if ".before-mem" not in name} == before


@pytest.mark.parametrize("harness", HOOKS)
def test_remove_leaves_a_directory_that_was_empty(person: Person, harness: str) -> None:
    folder = person.file(harness).parent
    folder.mkdir(parents=True)
    person.setup(harness)
    person.setup(harness, "--remove")
    assert not list(folder.iterdir())


@pytest.mark.parametrize("harness", SHAPED)
def test_no_copy_is_kept_that_has_ours(person: Person, harness: str) -> None:
    path = person.file(harness)
    path.parent.mkdir(parents=True)
    path.write_text('{\n  "version": 1,\n  "theme": "x"\n}\n')
    person.setup(harness, "--mcp")
    path.write_text(path.read_text().replace('"x"', '"y"'))
    person.setup(harness, "--mcp", "--remove")
    person.setup(harness, "--remove")
    edited = path.read_text()
    person.setup(harness)
    kept = {one.name: one.read_text() for one in path.parent.glob(f"{path.name}.before-mem*")}
    assert sorted(kept) == [f"{path.name}.before-mem", f"{path.name}.before-mem.2"]
    assert not [name for name, text in kept.items() if "hook " in text]
    person.setup(harness, "--remove")
    assert path.read_text() == edited
