"""The bridge to OpenClaw: what is known, in a file of its workspace, and a reference to it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.agents.setup.conftest import Person, at, context, workspace

THEIRS = "# Agents\n\nBe kind.\n"


def test_a_workspace_gets_what_is_known_and_a_reference_to_it(person: Person) -> None:
    folder = workspace(person)
    (folder / "AGENTS.md").write_text(THEIRS)
    at(person, folder).mem("add", "Tokens live in Postgres", "--summary", "Redis evicted them.")
    said = person.setup("openclaw").out
    assert "created   ~/.openclaw/workspace/MEMORY_CONTEXT.md" in said
    assert "Tokens live in Postgres" in context(folder)
    agents = (folder / "AGENTS.md").read_text()
    assert agents.startswith(THEIRS)
    assert "MEMORY_CONTEXT.md" in agents.split("<!-- mem:start -->")[1].split("<!-- mem:end -->")[0]
    before = person.everything()
    assert "already set up" in person.setup("openclaw").out
    assert person.everything() == before


def test_the_file_is_kept_current_by_every_change(person: Person) -> None:
    folder = workspace(person)
    inside = at(person, folder)
    inside.mem("init", "--no-agents")
    person.setup("openclaw")
    name = inside.add("Tokens live in Postgres")
    assert "Tokens live in Postgres" in context(folder)
    inside.mem("forget", name)
    assert "Postgres" not in context(folder)
    inside.mem("checkpoint", "--reason", "r", "--state-json", '{"open": ["flaky login"]}')
    assert "flaky login" in context(folder)


def test_what_hooks_saw_reaches_the_file_with_the_worker(person: Person) -> None:
    folder = workspace(person)
    inside = at(person, folder)
    inside.mem("init", "--no-agents")
    person.setup("openclaw")
    payload = f'{{"sessionKey": "s1", "cwd": "{folder}", "prompt": "Mend the zebra"}}'
    inside.mem("hook", "user-prompt", "--harness", "openclaw", stdin=payload)
    answer = f'{{"sessionKey": "s1", "cwd": "{folder}", "last_assistant_message": "The zebra stands on its legs again."}}'
    inside.mem("hook", "stop", "--harness", "openclaw", stdin=answer)
    inside.mem("hook", "session-end", "--harness", "openclaw", stdin=f'{{"sessionKey": "s1", "cwd": "{folder}"}}')
    inside.process("worker", "run", env={"MEMPACK_WORKER_IDLE_SECONDS": "0.01"})
    assert "The zebra stands on its legs again." in context(folder)


def test_without_a_memory_it_says_how_to_get_one(person: Person) -> None:
    workspace(person)
    (person.home / ".openclaw/workspace-two").mkdir()
    said = person.setup("openclaw").out
    assert "mem init ~/.openclaw/workspace " in said
    assert "mem init ~/.openclaw/workspace-two --no-git" in said
    assert "do not commit MEMORY_CONTEXT.md in ~/.openclaw/workspace:" in said
    assert "Nothing is known yet." in context(person.home / ".openclaw/workspace-two")


def test_workspaces_are_those_that_the_variable_names(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = [workspace(person, name) for name in ("claws/one", "claws/two")]
    other = workspace(person)
    monkeypatch.setenv("OPENCLAW_WORKSPACE", "~/claws/*")
    person.setup("openclaw")
    assert all((folder / "MEMORY_CONTEXT.md").is_file() for folder in chosen)
    assert not (other / "MEMORY_CONTEXT.md").exists()
    monkeypatch.setenv("OPENCLAW_WORKSPACE", "")
    monkeypatch.setenv("OPENCLAW_WORKSPACE_DIR", str(workspace(person, "its [own]:one")))
    assert "its [own]:one/MEMORY_CONTEXT.md" in person.setup("openclaw").out
    monkeypatch.setenv("OPENCLAW_WORKSPACE", str(person.home / "nowhere"))
    assert "set OPENCLAW_WORKSPACE" in person.setup("openclaw", fails=3).err


def test_remove_leaves_the_workspace_as_it_was(person: Person) -> None:
    folder = workspace(person)
    (folder / "AGENTS.md").write_text(THEIRS)
    (person.home / ".openclaw/openclaw.json").write_text("{\n  // mine\n  agent: { model: 'x' },\n}\n")
    before = person.everything()
    person.setup("openclaw", "--mcp")
    assert re.search(r'"servers": \{\s*"mem"', (person.home / ".openclaw/openclaw.json").read_text())
    person.setup("openclaw", "--remove")
    assert person.everything() == before


def test_remove_brings_back_files_that_were_empty(person: Person) -> None:
    folder = workspace(person)
    (folder / "AGENTS.md").touch()
    (folder / "MEMORY_CONTEXT.md").touch()
    before = person.everything()
    person.setup("openclaw")
    at(person, folder).mem("add", "Tokens live in Postgres", "--summary", "s")
    assert "Postgres" in context(folder)
    person.setup("openclaw", "--remove")
    assert person.everything() == before


def test_lines_outside_the_marks_are_the_persons_own(person: Person) -> None:
    folder = workspace(person)
    person.setup("openclaw")
    agents = folder / "AGENTS.md"
    agents.write_text("Before.\n\n" + agents.read_text().replace("never edit it", "old words") + "\nAfter.\n")
    person.setup("openclaw")
    text = agents.read_text()
    assert text.startswith("Before.\n\n<!-- mem:start -->")
    assert text.endswith("<!-- mem:end -->\n\nAfter.\n")
    assert "never edit it" in text
    person.setup("openclaw", "--remove")
    assert agents.read_text() == "Before.\n\nAfter.\n"


def test_half_a_mark_and_a_file_of_somebody_else_are_refused(person: Person) -> None:
    folder = workspace(person)
    (folder / "AGENTS.md").write_text("<!-- mem:start -->\nno end")
    assert "are not one pair" in person.setup("openclaw", fails=2).err
    (folder / "AGENTS.md").unlink()
    (folder / "MEMORY_CONTEXT.md").write_text("my own notes\n")
    assert "not written by mem" in person.setup("openclaw", fails=2).err
    at(person, folder).mem("add", "A fact", "--summary", "why")
    assert context(folder) == "my own notes\n"


def test_it_knows_no_projects(person: Person) -> None:
    workspace(person)
    assert "workspaces, not projects" in person.setup("openclaw", "--project", fails=2).err


def test_the_doctor_names_a_workspace_that_was_set_up(person: Person) -> None:
    workspace(person)
    person.setup("openclaw")
    person.terminal.mem("init", "--no-agents")
    said = person.terminal.mem("doctor").out
    assert "bridge in ~/.openclaw/workspace" in said
    assert "none is set up" not in said


def test_the_doctor_sees_half_a_bridge(person: Person) -> None:
    folder = workspace(person)
    person.setup("openclaw")
    person.terminal.mem("init", "--no-agents")
    assert "MEMORY_CONTEXT.md is gone" not in person.terminal.mem("doctor").out
    (folder / "MEMORY_CONTEXT.md").unlink()
    assert "MEMORY_CONTEXT.md is gone; mem setup openclaw" in person.terminal.mem("doctor").out


def test_the_doctor_sees_that_the_file_is_somebody_else_s(person: Person) -> None:
    folder = workspace(person)
    person.setup("openclaw")
    (folder / "MEMORY_CONTEXT.md").write_text("my own notes\n")
    person.terminal.mem("init", "--no-agents")
    said = person.terminal.mem("doctor").out
    assert "MEMORY_CONTEXT.md was not written by mem; move it away; mem setup openclaw" in said
    assert "bridge in" not in said


@pytest.mark.parametrize("text", [None, "", "my own notes\n"])
def test_nothing_is_written_through_a_link(person: Person, tmp_path: Path, text: str | None) -> None:
    folder = workspace(person)
    outside = tmp_path / "outside.md"
    if text is not None:
        outside.write_text(text)
    (folder / "MEMORY_CONTEXT.md").symlink_to(outside)
    assert "MEMORY_CONTEXT.md: it is a link" in person.setup("openclaw", fails=2).err
    assert (outside.read_text() if outside.exists() else None) == text
    assert not (folder / "AGENTS.md").exists()


def test_a_file_that_became_a_link_is_not_followed(person: Person, tmp_path: Path) -> None:
    folder = workspace(person)
    person.setup("openclaw")
    text = context(folder)
    (folder / "MEMORY_CONTEXT.md").rename(tmp_path / "outside.md")
    (folder / "MEMORY_CONTEXT.md").symlink_to(tmp_path / "outside.md")
    at(person, folder).mem("add", "Tokens live in Postgres", "--summary", "s")
    assert (tmp_path / "outside.md").read_text() == text
