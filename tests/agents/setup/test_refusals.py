"""What `mem setup` refuses, with a hint and without touching a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.agents.setup.conftest import SERVERS, SHAPED, Person

BROKEN = ['{"hooks": ', '{"hooks": []}', "[]", '{"hooks": {"Stop": 3, "stop": 3, "AfterAgent": 3, "agentStop": 3}}', "\x00", "'"]


@pytest.mark.parametrize("text", BROKEN)
@pytest.mark.parametrize("harness", SHAPED)
def test_a_broken_configuration_is_refused_untouched(person: Person, harness: str, text: str) -> None:
    path = person.file(harness)
    path.parent.mkdir(parents=True)
    path.write_text(text)
    before = person.everything()
    for words in ((), ("--mcp",), ("--print",)):
        refused = person.setup(harness, *words, fails=2)
        assert str(path) in refused.err
        assert "Hint:" in refused.err
        assert len(refused.err.splitlines()) == 2
    assert person.everything() == before


@pytest.mark.parametrize("harness", SERVERS)
def test_a_broken_file_of_servers_is_refused_before_any_file_is_written(person: Person, harness: str) -> None:
    path = person.file(harness, server=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('{"mcpServers": ]')
    before = person.everything()
    assert "nothing was changed" in person.setup(harness, "--mcp", fails=2).err
    assert person.everything() == before


def test_bytes_that_are_no_text_are_refused(person: Person) -> None:
    person.file("claude").parent.mkdir()
    person.file("claude").write_bytes(b'{"a": "\xff"}')
    assert "not UTF-8" in person.setup("claude", fails=2).err


def test_a_read_only_file_is_left_with_a_clear_word(person: Person) -> None:
    path = person.file("claude")
    path.parent.mkdir()
    path.write_text("{}")
    path.chmod(0o444)
    refused = person.setup("claude", fails=1).err
    assert "is read-only" in refused
    assert "--print" in refused
    assert path.read_text() == "{}"


def test_a_directory_that_is_none_is_told_of(person: Person) -> None:
    person.file("claude").parent.write_text("")
    assert "not a directory" in person.setup("claude", fails=1).err
    person.file("codex").mkdir(parents=True)
    assert "not a settings file" in person.setup("codex", fails=2).err


def test_the_plugin_of_somebody_else_is_left_alone(person: Person) -> None:
    path = person.file("opencode")
    path.parent.mkdir(parents=True)
    path.write_text("export const Mine = 1\n")
    assert "not written by mem" in person.setup("opencode", fails=2).err
    assert "not written by mem" in person.setup("opencode", "--remove", fails=2).err
    assert path.read_text() == "export const Mine = 1\n"


def test_a_project_is_needed_for_its_scope(person: Person, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    outside = Person(person.terminal.at(tmp_path / "empty"), person.mem)
    assert "leave out --project" in outside.setup("claude", "--project", fails=3).err
    outside.setup("claude", "--project", "--repo", str(person.terminal.folder))
    assert person.file("claude", "project").is_file()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("emacs",), "no harness 'emacs'"),
        (("claude", "--project", "--user"), "exclude each other"),
        (("claude", "--write", "ask"), "requires --mcp"),
        (("claude", "--mcp", "--write", "always"), "no write mode 'always'"),
        (("claude", "--print", "--remove"), "give one of them"),
        ((), "missing argument"),
    ],
)
def test_what_makes_no_sense_is_refused(person: Person, words: tuple[str, ...], said: str) -> None:
    before = person.everything()
    assert said in person.setup(*words, fails=2).err.lower()
    assert person.everything() == before


def test_a_project_file_with_hooks_of_ours_by_the_hundred_is_refused_at_once(person: Person) -> None:
    entry = {"hooks": [{"type": "command", "command": "/elsewhere/mem hook stop --harness claude"}]}
    path = person.file("claude", "project")
    path.parent.mkdir()
    path.write_text(json.dumps({"hooks": {"Stop": [entry] * 500}}))
    refused = person.setup("claude", "--project", fails=2).err
    assert f"{path}: it runs mem 500 times" in refused
    assert "Hint: take out" in refused


def test_a_project_file_larger_than_settings_are_is_refused(person: Person) -> None:
    path = person.file("claude", "project")
    path.parent.mkdir()
    path.write_text("{}" + " " * (1 << 17))
    assert f"{path} has more than 128 KiB" in person.setup("claude", "--project", fails=2).err


def test_a_project_file_with_a_key_of_thousands_of_parts_is_refused(person: Person) -> None:
    path = person.file("codex", "project", server=True)
    path.parent.mkdir()
    path.write_text(".".join("a" * 20_000) + " = 1\n")
    refused = person.setup("codex", "--project", "--mcp", fails=2).err
    assert f"{path} cannot be read: more than 500 dots" in refused
