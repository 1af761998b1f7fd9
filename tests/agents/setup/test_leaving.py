"""`mem setup --remove --all`: everything that setup wrote on this machine goes, and nothing else."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.agents.setup.conftest import Person


def clone(person: Person, folder: Path) -> Path:
    """Another repository of the person's."""
    subprocess.run(["git", "init", "-q", "-b", "main", folder], env=person.terminal.env, check=True)
    return folder


def test_everything_goes_that_setup_wrote_wherever_that_was(person: Person, tmp_path: Path) -> None:
    other = person.terminal.at(clone(person, tmp_path / "other"))
    before = person.everything()
    person.setup("claude", "--mcp")
    person.setup("codex")
    person.setup("git")
    other.mem("setup", "claude", "--project")
    other.mem("setup", "git")

    said = person.setup("--remove", "--all").out
    assert person.everything() == before
    assert f"removed   {other.folder}/.claude/settings.json\n" in said
    for folder in (person.terminal.folder, other.folder):
        assert f"removed   {folder}/.git/hooks/post-commit\n" in said
        assert f"changed   {folder}/.git/config\n" in said
        assert "merge=mem" not in "".join(path.read_text() for path in folder.glob(".git/info/attributes"))
    assert not (other.folder / ".claude").exists()
    assert person.setup("--remove", "--all").out == "nothing to remove\n"


def test_what_a_person_has_beside_it_and_what_came_with_a_clone_stays(person: Person, tmp_path: Path) -> None:
    own = person.file("claude")
    own.parent.mkdir()
    own.write_text('{"model": "opus"}\n')
    team = clone(person, tmp_path / "team") / ".claude/settings.json"
    person.setup("claude", "--project")
    team.parent.mkdir()
    person.file("claude", "project").rename(team)
    person.setup("claude")

    person.setup("--remove", "--all")
    assert own.read_text() == '{"model": "opus"}\n'
    assert "mem" in team.read_text()


def test_what_cannot_be_read_is_named_and_the_rest_goes(person: Person) -> None:
    person.setup("claude")
    person.setup("codex")
    person.file("claude").write_text("{")
    ended = person.setup("--remove", "--all", fails=1)
    assert "settings.json cannot be read" in ended.err
    assert not person.file("codex").exists()


def test_directories_that_setup_made_go_with_their_last_file(person: Person) -> None:
    made, own = person.file("codex").parent, person.file("cursor").parent
    own.mkdir()
    person.setup("codex", "--mcp")
    person.setup("cursor")
    person.setup("codex", "--remove")
    person.setup("cursor", "--remove")
    assert not made.exists()
    assert own.is_dir(), "it was there before"


def test_all_is_for_removing_and_takes_no_harness(person: Person) -> None:
    for words in (["--all"], ["claude", "--remove", "--all"], ["--remove", "--all", "--project"]):
        refused = "Error: --all goes with --remove alone\nHint: use mem setup --remove --all\n"
        assert person.setup(*words, fails=2).err == refused
    unnamed = person.setup("--remove", fails=2).err
    assert unnamed.startswith("Error: missing argument 'HARNESS'\nHint: name what to remove: mem setup claude|codex|")
    assert unnamed.endswith(" --remove; or remove everything: mem setup --remove --all\n")


def test_project_settings_of_an_older_mem_go_where_git_does_not_track_them(person: Person, tmp_path: Path) -> None:
    """It noted nothing of where it wrote."""
    team, own = person.terminal, person.terminal.at(clone(person, tmp_path / "own"))
    for place in (team, own):
        place.mem("add", "A fact", "--summary", "by which this machine knows the clone")
        place.mem("setup", "claude", "--project")
    team.git("add", "-f", ".claude/settings.json")
    (tmp_path / "data" / "setup").unlink()

    assert person.setup("--remove", "--all").out == f"removed   {own.folder}/.claude/settings.json\n"
    assert (team.folder / ".claude/settings.json").exists()


def test_a_wrong_name_is_answered_with_all_that_can_be_set_up(person: Person) -> None:
    assert "openclaw, or git" in person.setup("emacs", fails=2).err
