"""`mem setup HARNESS`: what it writes, what it leaves, what it takes out again."""

from __future__ import annotations

import json
import os
import shlex
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memcli.agents.adapters import EVENTS, adapter, gemini
from memcli.agents.setup.program import words_of
from tests.agents.setup.conftest import HOOKS, SHAPED, Person

SCOPES = ("user", "project")
# A configuration that somebody has made their own, in each harness's shape.
THEIRS = {
    "claude": """\
{
  // agreed in the team
  "model": "opus",
  "hooks": {
    "Stop": [ { "matcher": "", "hooks": [{"type": "command", "command": "say done"}] } ], /* loud */
    "Notification": [{"hooks": [{"type": "command", "command": "ring"}]}]
  },
  "permissions": {"allow": ["Bash(ls:*)"]}
}
""",
    "codex": """\
{
\t"description": "mine",
\t"hooks": {
\t\t"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]
\t}
}
""",
    "gemini": """\
{
    "ui": {"theme": "Dracula"}, // nice
    "hooks": {
        "AfterAgent": [
            {"hooks": [{"type": "command", "command": "ring"}]}
        ]
    }
}""",
    "copilot": '{"version": 1, "hooks": {"agentStop": [{"type": "command", "bash": "say done"}]}}',
    "cursor": '{\r\n  "version": 1,\r\n  "hooks": {\r\n    "stop": [{"command": "./done.sh"}]\r\n  }\r\n}\r\n',
}


def plain(words: list[str]) -> list[str]:
    """A command line without what keeps its failure from being a veto."""
    return words[:-2] if words[-2:] == gemini.OR_TRUE else words


def handlers(settings: Any) -> list[tuple[str, list[str]]]:
    """The hooks in a configuration: the harness's event and the command line."""
    found = []
    for event, groups in settings.get("hooks", {}).items():
        for group in groups:
            found += [(event, plain(words_of(one))) for one in group.get("hooks", [group])]
    return found


def expected(person: Person, harness: str) -> list[tuple[str, list[str]]]:
    events = adapter(harness).events.items()
    return [(name, [str(person.mem), "hook", event, "--harness", harness]) for name, (event, _) in events]


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("harness", SHAPED)
def test_setup_writes_a_hook_for_each_event_with_the_whole_path_of_mem(person: Person, harness: str, scope: str) -> None:
    said = person.setup(harness, f"--{scope}").out
    assert said.startswith("created")
    assert HOOKS[harness][scope == "project"] in said
    assert handlers(person.settings(harness, scope)) == expected(person, harness)
    assert {event for event, _ in adapter(harness).events.values()} | {"pre-tool-use"} == set(EVENTS)


@pytest.mark.parametrize("harness", HOOKS)
def test_without_a_place_it_is_the_persons_own(person: Person, harness: str) -> None:
    person.setup(harness)
    assert person.file(harness).is_file()
    assert not person.file(harness, "project").exists()


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("harness", SHAPED)
def test_what_a_person_has_there_stays_to_the_byte_and_a_copy_is_kept(person: Person, harness: str, scope: str) -> None:
    path = person.file(harness, scope)
    path.parent.mkdir(parents=True)
    path.write_bytes(THEIRS[harness].encode())
    said = person.setup(harness, f"--{scope}").out
    copy = path.with_name(path.name + ".before-mem")
    assert copy.read_bytes() == THEIRS[harness].encode()
    assert said.startswith("changed")
    assert copy.name in said
    text = path.read_bytes().decode()
    for line in THEIRS[harness].splitlines():
        assert line.strip("}], ") in text or "Stop" in line
    assert text.count("\r\n") == (text.count("\n") if "\r\n" in THEIRS[harness] else 0)
    from memcli.agents.setup.jsonedit import parse

    before, after = parse(THEIRS[harness]).value, parse(text).value
    ours = expected(person, harness)
    assert [one for one in handlers(after) if one not in ours] == handlers(before)
    assert sorted(one for one in handlers(after) if one in ours) == sorted(ours)
    assert {key: value for key, value in after.items() if key != "hooks"} == {k: v for k, v in before.items() if k != "hooks"}


@pytest.mark.parametrize("words", [(), ("--mcp",)])
@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("harness", HOOKS)
def test_the_second_time_changes_no_byte_and_says_so(person: Person, harness: str, scope: str, words: tuple[str, ...]) -> None:
    person.setup(harness, f"--{scope}", *words)
    before = person.everything()
    said = person.setup(harness, f"--{scope}", *words).out
    assert person.everything() == before
    assert "already set up" in said
    assert "changed" not in said.replace("unchanged", "")


@pytest.mark.parametrize("words", [(), ("--mcp",)])
@pytest.mark.parametrize("theirs", [False, True])
@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("harness", HOOKS)
def test_remove_leaves_every_file_as_it_was_before(
    person: Person, harness: str, scope: str, theirs: bool, words: tuple[str, ...]
) -> None:
    if theirs and harness in THEIRS:
        person.file(harness, scope).parent.mkdir(parents=True)
        person.file(harness, scope).write_bytes(THEIRS[harness].encode())
    before = person.everything()
    person.setup(harness, f"--{scope}")
    person.setup(harness, f"--{scope}", *words)
    assert person.everything() != before
    person.setup(harness, f"--{scope}", "--remove")
    assert person.everything() == before
    assert "nothing to remove" in person.setup(harness, f"--{scope}", "--remove").out
    assert person.everything() == before


@pytest.mark.parametrize("harness", SHAPED)
def test_remove_takes_out_ours_and_nothing_that_was_changed_since(person: Person, harness: str) -> None:
    path = person.file(harness)
    path.parent.mkdir(parents=True)
    path.write_text(THEIRS[harness])
    person.setup(harness)
    path.write_bytes(path.read_bytes().replace(b"done", b"finished").replace(b"ring", b"finished"))
    person.setup(harness, "--remove")
    text = path.read_bytes().decode()
    assert "finished" in text
    assert "mem" not in text.replace(".before-mem", "")
    assert text.split() == THEIRS[harness].replace("done", "finished").replace("ring", "finished").split()


def test_a_mem_that_is_gone_is_no_veto_to_gemini(person: Person) -> None:
    person.setup("gemini")
    path = person.file("gemini")
    whole = path.read_text()
    assert whole.count(' || true"') == 6
    command = person.settings("gemini")["hooks"]["BeforeAgent"][0]["hooks"][0]["command"]
    person.mem.unlink()
    assert subprocess.run(command, shell=True, stdin=subprocess.DEVNULL, capture_output=True).returncode == 0
    person.mem.touch(0o755)
    path.write_text(whole.replace(" || true", ""))  # as an older one wrote it
    person.setup("gemini")
    assert path.read_text() == whole
    own = {"hooks": [{"type": "command", "command": "/old/mem hook stop --mine || true"}]}
    path.write_text(json.dumps({"hooks": {"Notification": [own]}}))
    person.setup("gemini")
    assert person.settings("gemini")["hooks"]["Notification"][0]["hooks"][0]["command"] == (
        f"{shlex.quote(str(person.mem))} hook stop --mine || true"
    )


def test_a_timeout_and_a_matcher_that_a_person_gave_our_hook_stay(person: Person) -> None:
    person.setup("claude")
    path = person.file("claude")
    settings = person.settings("claude")
    settings["hooks"]["PostToolUse"][0]["matcher"] = "Bash|Edit"
    settings["hooks"]["PostToolUse"][0]["hooks"][0]["timeout"] = 60
    path.write_text(json.dumps(settings))
    before = path.read_bytes()
    person.setup("claude")
    assert path.read_bytes() == before


@pytest.mark.parametrize("harness", HOOKS)
def test_an_old_path_becomes_the_one_in_use(person: Person, harness: str, tmp_path: Path) -> None:
    person.setup(harness, "--mcp")
    wanted = person.everything()
    for path in (person.file(harness), person.file(harness, server=True)):
        path.write_text(path.read_text().replace(str(person.mem), str(tmp_path / "old" / "mem")))
    assert "changed" in person.setup(harness, "--mcp").out
    assert person.everything() == wanted  # no copy either: nothing of the person's changed


@pytest.mark.parametrize("harness", THEIRS)
def test_after_an_old_path_was_mended_remove_still_leaves_the_file_as_it_was(
    person: Person, harness: str, tmp_path: Path
) -> None:
    path = person.file(harness)
    path.parent.mkdir(parents=True)
    path.write_bytes(THEIRS[harness].encode())
    before = person.everything()
    person.setup(harness)
    path.write_bytes(path.read_bytes().replace(str(person.mem).encode(), str(tmp_path / "old" / "mem").encode()))
    person.setup(harness)
    assert [name for name in person.everything() if ".before-mem" in name] == [f"{path}.before-mem"]
    person.setup(harness, "--remove")
    assert person.everything() == before


@pytest.mark.parametrize("harness", SHAPED)
def test_a_hook_that_stands_twice_is_left_once(person: Person, harness: str) -> None:
    person.setup(harness)
    settings = person.settings(harness)
    for groups in settings["hooks"].values():
        groups += groups
    person.file(harness).write_text(json.dumps(settings))
    person.setup(harness)
    assert sorted(handlers(person.settings(harness))) == sorted(expected(person, harness))


def test_half_of_the_events_are_made_whole(person: Person) -> None:
    person.setup("claude")
    settings = person.settings("claude")
    del settings["hooks"]["Stop"], settings["hooks"]["SessionEnd"]
    person.file("claude").write_text(json.dumps(settings, indent=4))
    person.setup("claude")
    assert sorted(handlers(person.settings("claude"))) == sorted(expected(person, "claude"))


def test_a_hook_written_by_hand_is_taken_for_ours(person: Person) -> None:
    path = person.file("claude")
    path.parent.mkdir()
    path.write_text('{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mem hook stop", "timeout": 9}]}]}}')
    person.setup("claude")
    stop = person.settings("claude")["hooks"]["Stop"]
    assert [one["hooks"] for one in stop] == [
        [{"type": "command", "command": str(person.mem), "timeout": 9, "args": ["hook", "stop", "--harness", "claude"]}]
    ]


@pytest.mark.parametrize("harness", HOOKS)
def test_print_writes_nothing_and_shows_what_would_be_written(person: Person, harness: str) -> None:
    before = person.everything()
    shown = person.setup(harness, "--print")
    assert person.everything() == before
    assert str(person.file(harness)) in shown.err
    person.setup(harness)
    assert shown.out == person.file(harness).read_text()
    assert person.setup(harness, "--print").out == shown.out
    (only,) = person.setup(harness, "--print", "--json").json
    assert only == {"path": str(person.file(harness)), "fragment": shown.out}


def test_a_link_is_followed_and_stays_a_link(person: Person, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_text('{"model": "opus"}\n')
    real.chmod(0o640)
    path = person.file("claude")
    path.parent.mkdir()
    path.symlink_to(real)
    person.setup("claude")
    assert path.is_symlink()
    assert "SessionStart" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    copy = real.with_name("claude.json.before-mem")
    assert copy.read_text() == '{"model": "opus"}\n'
    assert stat.S_IMODE(copy.stat().st_mode) == 0o640
    person.setup("claude", "--remove")
    assert path.is_symlink()
    assert real.read_text() == '{"model": "opus"}\n'
    assert not copy.exists()


@pytest.mark.parametrize("harness", HOOKS)
def test_remove_leaves_a_link_to_a_file_that_setup_made_and_nothing_behind_it(
    person: Person, harness: str, tmp_path: Path
) -> None:
    real = tmp_path / "dotfiles" / "settings"
    real.parent.mkdir()
    (real.parent / "other").touch()
    path = person.file(harness)
    path.parent.mkdir(parents=True)
    path.symlink_to(real)
    person.setup(harness)
    assert real.exists()
    person.setup(harness, "--remove")
    assert path.is_symlink()
    assert not real.exists()


@pytest.mark.parametrize(
    ("harness", "variable", "file"),
    [
        ("claude", "CLAUDE_CONFIG_DIR", "settings.json"),
        ("codex", "CODEX_HOME", "hooks.json"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/settings.json"),
        ("copilot", "COPILOT_HOME", "hooks/mem.json"),
        ("opencode", "XDG_CONFIG_HOME", "opencode/plugins/mem.js"),
    ],
)
def test_a_harness_whose_directory_was_moved_is_found_there(
    person: Person, harness: str, variable: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, str(tmp_path / "moved"))
    person.setup(harness)
    assert (tmp_path / "moved" / file).is_file()
    assert not person.file(harness).exists()


def test_settings_with_comments_by_their_name_are_found(person: Person) -> None:
    path = person.file("opencode", server=True).with_suffix(".jsonc")
    path.parent.mkdir(parents=True)
    path.write_text('{\n  // mine\n  "theme": "nord",\n}\n')
    person.setup("opencode", "--mcp")
    assert "// mine" in path.read_text()
    assert '"mcp"' in path.read_text()
    assert not path.with_suffix(".json").exists()


def test_the_top_of_the_repository_counts_from_anywhere_in_it(person: Person) -> None:
    below = person.terminal.folder / "src"
    below.mkdir()
    Person(person.terminal.at(below), person.mem).setup("codex", "--project")
    assert person.file("codex", "project").is_file()


def test_it_says_what_the_person_has_to_approve(person: Person) -> None:
    assert "/hooks" in person.setup("codex").out
    assert "trust the folder" in person.setup("claude", "--project").out
    told = person.setup("codex", "--project", "--json").json
    assert told["scope"] == "project"
    assert told["files"][0]["action"] == "created"
    assert any("trust the project" in one for one in told["approve"])
    assert any(str(person.mem) in one for one in told["approve"])


def test_the_mem_in_use_is_found_however_it_was_started(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    from memcli.agents.setup.program import program

    monkeypatch.setattr(sys, "argv", ["mem"])
    monkeypatch.setenv("PATH", str(person.mem.parent) + os.pathsep + os.environ["PATH"])
    assert program() == [str(person.mem)]
    monkeypatch.setattr(sys, "argv", ["/somewhere/pytest"])
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert program() == [str(person.mem)]
    monkeypatch.setenv("PATH", "/nowhere")
    assert program() == ["/nowhere/python", "-P", "-m", "memcli"]


@pytest.mark.parametrize("harness", SHAPED)
def test_a_command_of_a_shell_is_quoted(person: Person, harness: str) -> None:
    person.setup(harness)
    text = person.file(harness).read_text()
    assert harness == "claude" or shlex.quote(str(person.mem)) in text


@pytest.mark.parametrize("harness", SHAPED)
def test_mem_hook_knows_the_events_by_the_harnesses_own_names(person: Person, harness: str) -> None:
    for event in adapter(harness).events:
        assert person.terminal.mem("hook", event, "--harness", harness, stdin="{}").err == ""


@pytest.mark.parametrize("name", ["memcli-1.0-linux-x64.pyz", "mem.pyz", "memory of mine"])
def test_hooks_run_the_single_file_that_mem_runs_from_and_not_what_it_unpacked(
    person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    unpacked, file = tmp_path / "cache", tmp_path / name
    (unpacked / "bin").mkdir(parents=True)
    (unpacked / "start.py").touch()
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    monkeypatch.setattr(sys, "prefix", str(unpacked))
    monkeypatch.setattr(sys, "executable", str(unpacked / "bin/python"))
    monkeypatch.setattr(sys, "argv", [str(file)])

    person.setup("claude", "--mcp")
    text = person.file("claude").read_text() + person.file("claude", server=True).read_text()
    assert str(file) in text
    assert str(unpacked) not in text
    person.setup("claude", "--remove")
    assert not person.file("claude").exists()
