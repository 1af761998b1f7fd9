"""`mem setup --project` writes into the repository, wherever its links lead."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.agents.setup.conftest import HOOKS, SHAPED, Person


@pytest.mark.parametrize("name", SHAPED)
@pytest.mark.parametrize("way", ["directory", "file", "absent file"])
def test_a_link_that_leads_out_is_refused(person: Person, tmp_path: Path, name: str, way: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    path = person.terminal.folder / HOOKS[name][1]
    if way == "directory":
        (outside / path.name).write_text("{}\n")
        path.parent.parent.mkdir(exist_ok=True)
        path.parent.symlink_to(outside)
    else:
        if way == "file":
            (outside / "settings").write_text("{}\n")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(outside / "settings")
    before = {entry.name: entry.read_bytes() for entry in outside.iterdir()}
    assert "leads out of the repository" in person.setup(name, "--project", fails=2).err
    assert {entry.name: entry.read_bytes() for entry in outside.iterdir()} == before


def test_a_link_within_the_repository_is_followed(person: Person) -> None:
    path = person.terminal.folder / HOOKS["claude"][1]
    path.parent.mkdir()
    (person.terminal.folder / "shared.json").write_text("{}\n")
    os.symlink("../shared.json", path)
    person.setup("claude", "--project")
    assert "hook" in (person.terminal.folder / "shared.json").read_text()
    assert path.is_symlink()
