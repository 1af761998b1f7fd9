"""`mem doctor`: what of the harnesses' hooks does not work, in plain words."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from memcli.agents.adapters import adapter
from memcli.agents.setup.program import expand
from tests.agents.setup.conftest import HOOKS, SHAPED, Person


def told(person: Person) -> list[str]:
    """What the doctor says of harnesses: level, harness, text and next step."""
    person.terminal.mem("init", "--no-agents")
    found = person.terminal.mem("doctor", "--json").json["findings"]
    about = [one for one in found if one["subject"] in (*HOOKS, "harnesses")]
    return [f"{one['level']} {one['subject']} {one['text']}; {one['hint']}" for one in about]


def test_where_no_harness_was_told_it_says_how(person: Person) -> None:
    assert told(person) == ["ok harnesses none is set up; mem setup claude, or another harness"]


@pytest.mark.parametrize("harness", HOOKS)
def test_what_is_well_is_a_line(person: Person, harness: str) -> None:
    person.setup(harness, "--mcp")
    said = [line for line in told(person) if "not reviewed" not in line]
    assert f"ok {harness} server in" in said[-1]
    assert harness == "codex" or f"ok {harness} hooks in ~/{HOOKS[harness][0]}; " in said
    assert not [line for line in said if line.startswith("warn")]


@pytest.mark.parametrize("harness", SHAPED)
def test_a_program_that_is_gone_is_named(person: Person, harness: str) -> None:
    person.setup(harness)
    path = person.file(harness)
    path.write_text(path.read_text().replace(str(person.mem), "/gone/bin/mem").replace("'/gone/bin/mem'", "/gone/bin/mem"))
    (line,) = [line for line in told(person) if "gone" in line]
    assert line == f"warn {harness} hooks in ~/{HOOKS[harness][0]}: /gone/bin/mem is gone; mem setup {harness}"


def test_another_mem_than_this_one_is_named(person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    person.setup("claude", "--project")
    other = tmp_path / "mem"
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(other)])
    assert any(f"they run {person.mem}, but this is {other}; mem setup claude --project" in line for line in told(person))


def test_missing_and_doubled_events_are_named(person: Person) -> None:
    person.setup("gemini")
    settings = person.settings("gemini")
    del settings["hooks"]["AfterAgent"]
    settings["hooks"]["AfterTool"] *= 2
    person.file("gemini").write_text(json.dumps(settings))
    said = "\n".join(told(person))
    assert "no hook for AfterAgent; mem setup gemini" in said
    assert "two hooks for AfterTool; mem setup gemini" in said
    person.setup("gemini")
    assert "warn" not in "\n".join(told(person))


@pytest.mark.parametrize("harness", HOOKS)
def test_hooks_in_both_places_are_named(person: Person, harness: str) -> None:
    person.setup(harness)
    person.setup(harness, "--project")
    (line,) = [line for line in told(person) if "its hooks are in" in line]
    assert f"~/{HOOKS[harness][0]} and " in line
    assert f"mem setup {harness} --project --remove" in line


def test_hooks_beside_the_plugin_that_has_them_are_named(person: Person) -> None:
    path = person.file("claude")
    path.parent.mkdir()
    path.write_text('{"enabledPlugins": {"mem@memcli": true}}')
    assert told(person) == ["ok claude plugin mem@memcli; "]
    person.setup("claude", "--project")
    assert any("hooks run twice" in line and "mem setup claude --project --remove" in line for line in told(person))
    person.setup("claude", "--project", "--remove")
    path.write_text('{"enabledPlugins": {"mem@memcli": false}}')
    person.setup("claude")
    assert not [line for line in told(person) if "plugin" in line]


def test_hooks_that_are_switched_off_are_named(person: Person) -> None:
    person.file("claude").parent.mkdir()
    person.file("claude").write_text('{"disableAllHooks": true}')
    person.setup("claude")
    assert any("disableAllHooks is on" in line for line in told(person))


def local(person: Person) -> Path:
    path = person.terminal.folder / ".claude/settings.local.json"
    path.parent.mkdir(exist_ok=True)
    return path


def test_hooks_in_a_person_s_own_settings_of_a_project_are_looked_at(person: Person) -> None:
    person.setup("claude", "--project")
    settings = person.file("claude", "project").read_text()
    person.file("claude", "project").unlink()
    local(person).write_text(settings)
    assert told(person) == [f"ok claude hooks in {local(person)}; "]
    local(person).write_text(settings.replace(str(person.mem), "/gone/bin/mem"))
    (line,) = [line for line in told(person) if "gone" in line]
    assert line.endswith("settings.local.json: /gone/bin/mem is gone; correct it by hand")
    local(person).write_text(settings)
    person.setup("claude")
    (line,) = [line for line in told(person) if "its hooks are in" in line]
    assert "~/.claude/settings.json and " in line
    assert "take them out of " in line
    local(person).write_text('{"hooks": {')
    assert any("settings.local.json cannot be read" in line for line in told(person))
    assert not any("its hooks are in" in line for line in told(person))


@pytest.mark.parametrize("switch", ["disableAllHooks", "allowManagedHooksOnly"])
def test_a_switch_in_another_file_of_the_project_is_named(person: Person, switch: str) -> None:
    local(person).write_text(f'{{"{switch}": true}}')
    assert told(person) == ["ok harnesses none is set up; mem setup claude, or another harness"]
    person.setup("claude")
    (line,) = [line for line in told(person) if switch in line]
    assert f"{switch} is on in " in line
    assert "settings.local.json, so its hooks do not run" in line
    local(person).write_text("")
    person.file("claude", "project").write_text(f'{{"{switch}": true}}')
    assert any(f"{switch} is on in " in line and "settings.json, so its" in line for line in told(person))


def test_the_plugin_may_be_switched_on_or_off_in_a_person_s_own_settings(person: Person) -> None:
    local(person).write_text('{"enabledPlugins": {"mem@memcli": true}}')
    person.setup("claude")
    assert any("hooks run twice" in line for line in told(person))
    local(person).write_text('{"enabledPlugins": {"mem@memcli": false}}')
    assert not any("hooks run twice" in line for line in told(person))


def test_a_broken_file_is_named(person: Person) -> None:
    person.setup("claude")
    person.file("claude").write_text('{"hooks": {')
    assert any("settings.json cannot be read" in line for line in told(person))
    person.terminal.mem("doctor")


def test_an_older_plugin_is_named(person: Person) -> None:
    person.setup("opencode")
    path = person.file("opencode")
    path.write_text(path.read_text().replace("8000", "9000"))
    assert any("written by another or an older mem; mem setup opencode" in line for line in told(person))


FAKE = """#!{python}
import json, sys
for line in sys.stdin:
    if json.loads(line).get("id") == 2:
        hooks = [{{"key": key, "trustStatus": status}} for key, status in {states!r}]
        print(json.dumps({{"id": 2, "result": {{"data": [{{"hooks": hooks}}]}}}}), flush=True)
"""


def fake_codex(person: Person, folder: Path, monkeypatch: pytest.MonkeyPatch, states: list[tuple[str, str]]) -> None:
    program = folder / "codex"
    program.write_text(FAKE.format(python=sys.executable, states=states))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_hooks_that_codex_has_not_been_told_to_trust_are_named(
    person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person.setup("codex")
    names = ["session_start", "user_prompt_submit", "pre_tool_use", "post_tool_use", "stop", "pre_compact", "session_end"]
    keys = [f"{person.file('codex')}:{name}:0:0" for name in names]
    fake_codex(person, tmp_path, monkeypatch, [(key, "trusted") for key in keys[:6]] + [(keys[6], "modified")])
    (line,) = [line for line in told(person) if "reviewed" in line]
    assert "not reviewed, so Codex skips SessionEnd; open codex, type /hooks and trust them" in line
    fake_codex(person, tmp_path, monkeypatch, [(key, "trusted") for key in keys])
    assert not [line for line in told(person) if "reviewed" in line]


def test_without_codex_its_own_notes_are_read(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    person.setup("codex")
    (line,) = [line for line in told(person) if "reviewed" in line]
    assert "SessionStart, UserPromptSubmit" in line
    state = [
        f'[hooks.state."{person.file("codex")}:{name}:0:0"]\ntrusted_hash = "sha256:x"\n' for name in ("session_start", "stop")
    ]
    (person.home / ".codex/config.toml").write_text("".join(state))
    (line,) = [line for line in told(person) if "reviewed" in line]
    assert "skips UserPromptSubmit, PreToolUse, PostToolUse, PreCompact, SessionEnd;" in line


SWITCHED = [
    ("claude", '{"disableAllHooks": true}', "disableAllHooks is on"),
    ("codex", "[features]\nhooks = false\n", "[features] hooks is false"),
    ("gemini", '{"hooksConfig": {"enabled": false}}', "hooksConfig.enabled is false"),
    ("gemini", '{"hooksConfig": {"disabled": ["theirs", "mem-stop"]}}', "hooksConfig.disabled names mem-stop"),
]


@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize(("harness", "text", "said"), SWITCHED)
def test_setup_and_doctor_name_what_a_person_switched_off(person: Person, harness: str, text: str, said: str, scope: str) -> None:
    path = person.file(harness, scope, server=harness == "codex")
    path.parent.mkdir()
    path.write_text(text)
    assert said in person.setup(harness, *(["--project"] if scope == "project" else [])).out
    (line,) = [line for line in told(person) if said in line]
    assert line.startswith(f"warn {harness}")
    assert "so its hooks do not run; take " in line


@pytest.mark.parametrize(
    ("harness", "text"),
    [
        ("codex", "[features]\nhooks = true\n"),
        ("codex", "features = 3\n"),
        ("gemini", '{"hooksConfig": {"enabled": true, "disabled": ["theirs", 3]}}'),
        ("gemini", '{"hooksConfig": []}'),
    ],
)
def test_what_is_no_switch_is_not_named(person: Person, harness: str, text: str) -> None:
    path = person.file(harness, server=harness == "codex")
    path.parent.mkdir()
    path.write_text(text)
    assert "hooks do not run" not in person.setup(harness).out
    assert not [line for line in told(person) if "hooks do not run" in line]


@pytest.mark.parametrize("harness", HOOKS)
def test_a_harness_that_is_used_here_without_hooks_is_named(person: Person, harness: str) -> None:
    places = adapter(harness).own_places
    assert places
    mine = Path(expand(places[1]))
    for place in (person.terminal.folder / places[0], mine):
        place.mkdir(parents=True)
    wanted = f"warn {harness} {places[0]} shows that {adapter(harness).title} is used here, but it has no hooks of mem"
    assert f"{wanted}; mem setup {harness}" in told(person)

    person.setup(harness, *(() if harness == "opencode" else ("--project",)))
    assert not [line for line in told(person) if "is used here" in line]


def test_gemini_with_our_extension_is_not_named(person: Person) -> None:
    for place in (person.terminal.folder / ".gemini", Path(expand("~/.gemini/extensions/mem"))):
        place.mkdir(parents=True)
    assert not [line for line in told(person) if "is used here" in line]


def test_a_harness_that_only_others_use_is_not_named(person: Person) -> None:
    (person.terminal.folder / ".cursor").mkdir()
    assert told(person) == ["ok harnesses none is set up; mem setup claude, or another harness"]
