"""What becomes of tool calls: which are worth an observation, what it says, and what absorbs the rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memcli.agents.capture import tool_rules
from memcli.agents.capture.findings import Finding
from memcli.agents.capture.payloads import CapturedEvent, relative
from memcli.text import shell
from tests.agents.worker.events import EDIT, EDITED, Events, short_session

PATCH = """*** Begin Patch
*** Update File: auth.py
@@
-    pass
+    return token.valid
*** Add File: new.py
+def made(): ...
*** End Patch"""


def event(
    tool: str, given: dict[str, Any], result: str = "ok", failed: bool = False, code: int | None = None, **more: Any
) -> CapturedEvent:
    return CapturedEvent("post-tool-use", tool, given, result, failed, code, "", "", "", "", "/app", "/app", "", 0, **more)


def found(tool: str, given: dict[str, Any], result: str = "ok", goal: str = "Fix the login", **more: Any) -> Finding:
    return tool_rules.of_tool(event(tool, given, result, **more), goal, "/app")


def test_a_session_becomes_observations_that_say_what_was_done(events: Events) -> None:
    short_session(events)
    assert events.work() == 11
    fix, commit = events.seen()
    assert (fix["kind"], fix["title"], fix["tools"]) == ("bugfix", EDITED, ["Edit", "Bash"])
    assert fix["summary"].splitlines() == [
        "Asked: Fix the login timeout bug",
        "- `pass` became `return token.valid`",
        "- `pytest -q tests` failed: “3 failed, 2 passed in 1.2s”",
        "- `x = 1` became `x = 2`",
        "- `pytest -q tests` passed: “5 passed in 1.1s”",
    ]
    assert set(fix["tags"]) == {"what-changed", "problem-solution", "gotcha"}
    assert (commit["kind"], commit["title"]) == ("bugfix", "Committed: Fix the login timeout")


def test_every_event_names_what_holds_it_and_lets_its_payload_go(events: Events) -> None:
    short_session(events)
    events.work()
    jobs = events.sql("SELECT event, status, payload, result FROM job ORDER BY n")
    known = {name for (name,) in events.sql("SELECT id FROM memory UNION SELECT id FROM prompt UNION SELECT id FROM session")}
    assert {status for _, status, _, _ in jobs} == {"processed"}
    assert {payload for _, _, payload, _ in jobs} == {""}
    assert all(result in known for _, _, _, result in jobs)
    read, listed = jobs[2][3], jobs[5][3]
    assert read.startswith("P-")
    assert listed == read


def test_files_are_linked_as_they_are_and_readings_only_noted(events: Events) -> None:
    short_session(events)
    events.work()
    first = events.seen()[0]["id"]
    links = events.terminal.mem("show", first, "--json").json["memory"]["links"]
    assert [(link["rel"], link["to_id"], bool(link["hash"])) for link in links] == [("file", "auth.py", True)]
    assert events.whole()["prompt_list"][0]["files"] == ["auth.py"]
    (events.terminal.folder / "auth.py").write_text("other")
    assert events.terminal.mem("show", first, "--json").json["memory"]["drifted"] == ["auth.py"]


def test_an_observation_knows_which_files_were_read_before_it(events: Events) -> None:
    (events.terminal.folder / "other.py").write_text("x")
    events.prompt("Add a thing")
    events.tool("Read", {"file_path": str(events.terminal.folder / "other.py")})
    events.shell("cat other.py auth.py | head")
    events.tool("Edit", EDIT)
    events.work()
    links = events.terminal.mem("show", events.seen()[0]["id"], "--json").json["memory"]["links"]
    assert [(link["rel"], link["to_id"]) for link in links] == [("file", "auth.py"), ("read", "other.py")]


def test_the_same_file_in_the_next_turn_is_an_observation_of_its_own(events: Events) -> None:
    for text in ("Fix it", "Add logging"):
        events.prompt(text)
        events.tool("Edit", EDIT)
    events.work()
    assert [(one["kind"], one["prompt"]) for one in events.seen()] == [("bugfix", 1), ("feature", 2)]


def test_tests_without_an_edit_are_an_observation_that_says_how_they_ended_last(events: Events) -> None:
    events.prompt("Do the tests pass?")
    events.shell("pytest", "1 failed in 2s")
    events.shell("pytest", "2 passed in 2s")
    events.work()
    (seen,) = events.seen()
    assert seen["title"] == "`pytest` passed: “2 passed in 2s”"
    assert seen["summary"].count("\n- ") == 2


def test_what_a_person_wrote_into_an_observation_stays(events: Events) -> None:
    events.prompt("Fix it")
    events.tool("Edit", EDIT)
    events.work()
    name = events.seen()[0]["id"]
    events.terminal.mem("update", name, "--summary", "I know better")
    events.tool("Edit", {"file_path": "auth.py", "old_string": "a", "new_string": "b"})
    events.work()
    (seen,) = events.seen()
    assert (seen["id"], seen["summary"]) == (name, "I know better")


def test_what_a_person_wrote_into_the_note_about_a_session_stays(events: Events) -> None:
    events.prompt("Fix the login timeout")
    events.tool("Edit", EDIT)
    events.stop("The clock was wrong.")
    events.work()
    (note,) = events.terminal.mem("note", "list", "--json").json
    events.terminal.mem("note", "edit", note["id"], "I know better")
    events.prompt("Now write the docs of the parser")
    events.tool("Edit", {"file_path": "docs.md", "old_string": "a", "new_string": "b"})
    events.stop("They are written.")
    events.end()
    events.work()
    assert [row["text"] for row in events.terminal.mem("note", "list", "--json").json] == ["I know better"]


def test_a_forgotten_observation_stays_forgotten_when_more_joins_it(events: Events) -> None:
    events.prompt("Fix it")
    events.tool("Edit", EDIT)
    events.work()
    name = events.seen()[0]["id"]
    events.terminal.mem("forget", name)
    events.tool("Edit", EDIT | {"new_string": "other"})
    events.work()
    assert events.seen() == []
    assert events.sql("SELECT result FROM job ORDER BY n DESC LIMIT 1") == [(name,)]


def test_an_edit_outside_the_tree_is_kept_without_a_link(events: Events) -> None:
    events.prompt("Fix it")
    events.tool("Write", {"file_path": "/etc/hosts", "content": "127.0.0.1 x"})
    events.tool("Write", {"file_path": "../../x", "content": "1"})
    events.work()
    assert len(events.seen()) == 2
    assert events.sql("SELECT * FROM memory_link") == []


def test_a_decision_that_the_agent_states_is_kept(events: Events) -> None:
    events.prompt("Which cache?")
    events.stop("I looked at both. We decided to use Redis, because it is there.\n```\nwe decided to x\n```")
    events.work()
    (seen,) = events.seen()
    assert (seen["kind"], seen["title"]) == ("decision", "We decided to use Redis, because it is there.")


def test_a_patch_of_codex_is_an_edit_of_its_files() -> None:
    one = found("shell", {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}\nEOF"]})
    assert (one.group, one.modified) == ("file:auth.py", ("auth.py", "new.py"))
    assert one.facts == ("`pass` became `return token.valid`", "added `def made(): ...`")
    for name in ("input", "command"):
        assert found("apply_patch", {name: PATCH}).modified == ("auth.py", "new.py")
    moved = "*** Begin Patch\n*** Update File: old.py\n*** Move to: lib/new.py\n@@\n-a\n+b\n*** End Patch"
    assert found("apply_patch", {"command": moved}).modified == ("lib/new.py",)


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Edit", {"file_path": "/app/a.py", "old_string": "a", "new_string": "b"}),
        ("MultiEdit", {"file_path": "a.py", "edits": [{"old_string": "a", "new_string": "b"}]}),
        ("Write", {"file_path": "a.py", "content": "x"}),
        ("write_file", {"file_path": "/app/a.py", "content": "x"}),
        ("replace", {"file_path": "/app/a.py", "old_string": "a", "new_string": "b"}),
        ("str_replace_based_edit_tool", {"path": "/app/a.py", "old_str": "a", "new_str": "b"}),
        ("create", {"path": "/app/a.py", "file_text": "x"}),
        ("edit", {"filePath": "/app/a.py", "oldString": "a", "newString": "b"}),
        ("NotebookEdit", {"notebook_path": "/app/a.py", "new_source": "x"}),
    ],
)
def test_every_harness_edits_in_its_own_words(tool: str, given: dict[str, Any]) -> None:
    one = found(tool, given)
    assert (one.group, one.kind, one.modified) == ("file:a.py", "bugfix", ("a.py",))
    assert one.facts


@pytest.mark.parametrize("tool", ["Read", "Grep", "Glob", "LS", "read_file", "list_directory", "view", "update_plan"])
def test_looking_is_not_worth_an_observation(tool: str) -> None:
    assert found(tool, {"path": "/app/a.py"}).group == ""


@pytest.mark.parametrize(
    "command",
    [
        "ls",
        "git status && git log -1",
        "cat a | grep b",
        "cd x; rg foo",
        "sed -n 1,3p a",
        "FOO=1 env ls",
        "node --version",
        "/bin/ls",
    ],
)
def test_commands_that_only_look_are_not_either(command: str) -> None:
    assert found("Bash", {"command": command}).group == ""


@pytest.mark.parametrize(
    ("command", "result", "ended"),
    [
        ("pytest -q", "5 passed in 1s", "passed"),
        ("pytest -q", "1 failed, 5 passed in 1s", "failed"),
        ("cd a && npm test -- --ci", "Tests: 1 failed, 3 passed", "failed"),
        ("go test ./...", "ok  \tx\t0.1s", "passed"),
        ("go vet ./...", "", "passed"),
        ("dotnet test", "Passed!  - Failed: 0, Passed: 12", "passed"),
        ("mix test", "12 tests, 0 failures", "passed"),
        ("mix test", "12 tests, 2 failures", "failed"),
        ("npx mocha", "12 passing (1s)", "passed"),
        ("cargo build", "Finished `dev` profile in 0.5s", "passed"),
        ("make docs", "building the docs", "ran"),
        ("go test ./...", "--- FAIL: TestX", "failed"),
        ("cargo test", "test result: ok. 5 passed; 0 failed", "passed"),
        ("timeout 60 make check", "", "ran"),
        ("python -m unittest", "FAILED (failures=1)", "failed"),
        ("./scripts/check.sh", "All checks passed", "passed"),
    ],
)
def test_tests_and_builds_say_how_they_ended(command: str, result: str, ended: str) -> None:
    one = found("Bash", {"command": command}, result)
    assert one.joins_edit
    assert f"` {ended}" in one.facts[0]


def test_an_exit_code_decides_over_words() -> None:
    assert "failed" in found("Bash", {"command": "pytest"}, "5 passed", failed=True).facts[0]
    assert "passed" in found("Bash", {"command": "pytest"}, "test_failed: ok", code=0).facts[0]


@pytest.mark.parametrize(
    ("command", "title", "kind"),
    [
        ("git commit -m 'Fix the leak'", "Fix the leak", "bugfix"),
        ('git add . && git commit -am "Add search"', "Add search", "feature"),
        ('git commit -qam "Fix x"', "Fix x", "bugfix"),
        ("git commit -sm'Add y=z'", "Add y=z", "feature"),
        ("git -c a=b commit --message=Rename", "Rename", "refactor"),
        ("git commit -m \"$(cat <<'EOF'\nRefactor the store\n\nbody\nEOF\n)\"", "Refactor the store", "refactor"),
    ],
)
def test_a_commit_is_titled_by_its_message(command: str, title: str, kind: str) -> None:
    one = found("Bash", {"command": command})
    assert (one.title, one.kind) == (f"Committed: {title}", kind)


@pytest.mark.parametrize(
    "command",
    ["git commit", "git commit -qF /tmp/message", "git -C sub commit --amend --no-edit", 'git commit -m "$(cat message)"'],
)
def test_a_commit_without_a_message_in_its_command_is_titled_as_git_printed_it(command: str) -> None:
    one = found("Bash", {"command": command}, "[main abc1234] Fix the login\n 1 file changed, 2 insertions(+)")
    assert (one.title, one.kind) == ("Committed: Fix the login", "bugfix")
    assert "Committed" not in found("Bash", {"command": command}).title


def test_a_failed_command_is_a_discovery() -> None:
    one = found("Bash", {"command": "terraform apply"}, "Error: no such region\nmore", failed=True)
    assert (one.kind, one.tags) == ("discovery", ("gotcha", "unknown-program"))
    assert one.facts == ("`terraform apply` failed: “Error: no such region”",)


def test_what_somebody_interrupted_did_not_fail() -> None:
    stopped = found("Bash", {"command": "pytest -q"}, "Command was interrupted", failed=1, interrupted=1)
    assert stopped.facts == ("`pytest -q` was interrupted",)
    assert not stopped.joins_edit
    edit = found("Edit", {"file_path": "a.py", "old_string": "a", "new_string": "b"}, "", failed=1, interrupted=1)
    assert (edit.facts, edit.modified) == (("an edit of a.py was interrupted",), ())


def test_an_unknown_tool_says_how_it_was_called_and_what_it_said() -> None:
    one = found("mcp__jira__get_issue", {"key": "ABC-1", "n": 3}, "Login is slow\nmore")
    assert (one.group, one.kind) == ("look", "discovery")
    assert one.facts == ("mcp__jira__get_issue key ABC-1 said: “Login is slow”",)


def test_an_edit_of_which_neither_file_nor_text_is_known_is_no_observation() -> None:
    assert found("Edit", {}).group == found("Edit", {"file_path": 5}).group == ""
    assert found("Edit", {"old_string": "a", "new_string": "b"}).facts == ("`a` became `b`",)


@pytest.mark.parametrize(
    "given", [{}, {"command": 3}, {"file_path": None}, {"edits": "x"}, {"edits": [1, None]}, {"file_path": "a\0b"}]
)
@pytest.mark.parametrize("tool", ["", "Edit", "Bash", "Read", "apply_patch", "mcp__x"])
def test_nothing_in_a_tool_call_can_stop_the_rules(tool: str, given: dict[str, Any]) -> None:
    one = found(tool, given, "")
    assert one.group == "" or one.title


def test_a_hostile_tool_call_is_bounded() -> None:
    one = found("Edit", {"file_path": "a.py", "old_string": "x\n" * 50_000, "new_string": "\x1b[31m" * 50_000})
    assert len(json.dumps(one.facts)) < 1_000
    assert "\x1b" not in one.facts[0]


def test_paths_are_named_from_the_top_of_the_tree(tmp_path: Path) -> None:
    root = str(tmp_path)
    assert relative("a/b.py", root, root) == "a/b.py"
    assert relative("b.py", f"{root}/a", root) == "a/b.py"
    assert relative(f"{root}/a.py", "/", root) == "a.py"
    for outside in ("../x", "/etc/passwd", ".git/config", "", ".", "x\0", "\ud800", "~/x"):
        assert relative(outside, root, root) is None


def test_shell_is_read_roughly() -> None:
    assert shell.simple_commands("FOO=1 sudo a 'b c' | d > e 2>&1; timeout 5 f && \"g\"") == [
        ["a", "b c"],
        ["d", "e"],
        ["f"],
        ["g"],
    ]
