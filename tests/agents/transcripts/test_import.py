"""`mem import --from`: what clients kept of their sessions becomes memory, once, with its own times and commits."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.agents.transcripts import kept
from tests.conftest import Terminal, interruptible

FORMS: dict[str, tuple[str, Callable[[Path, Path], Path]]] = {
    "claude": ("claude", kept.claude),
    "codex": ("codex", kept.codex),
    "gemini": ("gemini", kept.gemini),
    "old gemini": ("gemini", kept.old_gemini),
    "copilot": ("copilot", kept.copilot),
    "old copilot": ("copilot", kept.old_copilot),
    "opencode": ("opencode", kept.opencode),
    "old opencode": ("opencode", kept.old_opencode),
    "specstory": ("specstory", kept.specstory),
}
every_form = pytest.mark.parametrize("form", FORMS)


@pytest.fixture
def here(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A repository of a person whose clients keep their sessions at home."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
        terminal.env.pop(name, None)
    monkeypatch.setenv("MEMPACK_WORKER_IDLE_SECONDS", "0")
    terminal.env["MEMPACK_WORKER_IDLE_SECONDS"] = "0"
    (terminal.folder / "ledger.py").write_text("pass\n")
    return terminal


def home(terminal: Terminal) -> Path:
    """The person's home."""
    return Path(terminal.env["HOME"])


def taken(terminal: Terminal, client: str, *more: str) -> dict[str, Any]:
    """What an import says of one client."""
    (counts,) = terminal.mem("import", "--from", client, "--json", *more).json["clients"]
    return dict(counts)


def everything(terminal: Terminal) -> list[str]:
    """All that is stored, as lines."""
    return [*sorted(terminal.mem("export").out.splitlines()), terminal.mem("sessions").out]


def told_at_start(terminal: Terminal) -> str:
    """What a new session is told."""
    payload = json.dumps({"session_id": "new", "cwd": str(terminal.folder), "source": "startup"})
    return terminal.mem("hook", "session-start", "--harness", "claude", stdin=payload).out


def asked(terminal: Terminal, question: str) -> str:
    """What the memory answers."""
    return terminal.mem("get", question).out


@every_form
def test_a_session_is_known_afterwards(here: Terminal, form: str) -> None:
    client, write = FORMS[form]
    write(home(here), here.folder)

    counts = taken(here, client)

    assert (counts["sessions"], counts["prompts"], counts["events"], counts["malformed"]) == (1, 1, 4, 0)
    assert counts["first"].startswith("2026-02-10T09:00")
    titles = [memory["title"] for memory in here.mem("recent", "--origin", "hook", "--json").json]
    assert any(title.startswith("Edited ledger.py") for title in titles)
    assert any("pytest" in title and "fail" in title for title in titles)
    told = asked(here, "why does the ledger raise ValueError")
    assert "because callers must not go on with a wrong sum" in told
    assert "2026-02-10" in told
    assert not [word for word in ("Nobody needs to know", "helper", "plugin") if word in told]
    assert here.mem("queue").out.startswith("0 pending")


@every_form
def test_a_second_import_adds_nothing(here: Terminal, form: str) -> None:
    client, write = FORMS[form]
    write(home(here), here.folder)
    taken(here, client)
    before = everything(here)

    counts = taken(here, client)

    assert (counts["sessions"], counts["events"], counts["stored"]) == (0, 0, 1)
    assert everything(here) == before


@every_form
def test_a_dry_run_tells_the_same_and_stores_nothing(here: Terminal, form: str) -> None:
    client, write = FORMS[form]
    write(home(here), here.folder)

    told = taken(here, client, "--dry-run")

    assert not list(here.data.glob("repos/*"))
    assert told == taken(here, client)


@every_form
def test_what_cannot_be_read_is_passed_over(here: Terminal, form: str) -> None:
    client, write = FORMS[form]
    path = write(home(here), here.folder)
    content = path.read_bytes()
    for broken in (
        b"",
        b"\xff\xfe\x00",
        content[: len(content) // 2],
        b'{"a":' * 5000,
        b"[1, 2]\n",
        b'{"type": 7, "message": []}\n',
    ):
        path.write_bytes(broken)
        here.mem("import", "--from", client)
        here.mem("import", "--from", client, str(path))


def test_lines_that_are_half_written_are_counted(here: Terminal) -> None:
    path = kept.claude(home(here), here.folder)
    with path.open("a") as file:
        file.write('\nno json\n{"type": "user", "mess')
    assert taken(here, "claude")["malformed"] == 2
    assert "2 lines that cannot be read" in here.mem("import", "--from", "claude", str(path)).out


def test_a_session_that_hooks_captured_is_not_taken_again(here: Terminal, later: Callable[[str], None]) -> None:
    here.add("The ledger is a file")
    kept.claude(home(here), here.folder)
    base = {"session_id": "c-1", "cwd": str(here.folder)}
    edit = {"file_path": f"{here.folder}/ledger.py", "old_string": "pass", "new_string": "raise ValueError(amount)"}
    for moment, event, fields in (
        ("2026-02-10T09:00:41Z", "user-prompt", {"prompt": kept.PROMPT}),
        ("2026-02-10T09:01:21Z", "post-tool-use", {"tool_name": "Edit", "tool_input": edit, "tool_use_id": "c-1-t2"}),
        ("2026-02-10T09:01:31Z", "stop", {"last_assistant_message": kept.ANSWER}),
    ):
        later(moment)
        here.mem("hook", event, "--harness", "claude", stdin=json.dumps({**base, **fields}))
    later("2026-03-01T12:00:00Z")
    assert taken(here, "claude")["stored"] == 1  # while its events wait
    here.mem("worker", "run")
    before = everything(here)

    counts = taken(here, "claude")

    assert (counts["sessions"], counts["stored"]) == (0, 1)
    assert everything(here) == before


def test_a_session_that_went_on_brings_its_new_turns(here: Terminal) -> None:
    kept.claude(home(here), here.folder)
    taken(here, "claude")
    later_lines = kept.claude(
        home(here), here.folder, "c-2", "2026-02-11T09:00:00Z", "Now the importer, please", "It rejects them too."
    )
    lines = later_lines.read_text().replace("c-2", "c-1").splitlines()
    later_lines.unlink()
    with (home(here) / ".claude/projects/-work/c-1.jsonl").open("a") as file:
        file.write("\n".join(lines) + "\n")

    counts = taken(here, "claude")

    assert (counts["sessions"], counts["prompts"]) == (1, 1)
    assert "2 prompts" in here.mem("sessions").out
    assert taken(here, "claude")["stored"] == 1


def test_a_session_that_repeats_another_brings_only_what_is_new(here: Terminal) -> None:
    first = kept.claude(home(here), here.folder)
    resumed = kept.claude(
        home(here), here.folder, "c-2", "2026-02-11T09:00:00Z", "Now the importer, please", "It rejects them too."
    )
    resumed.write_text(first.read_text().replace('"sessionId": "c-1"', '"sessionId": "c-2"') + resumed.read_text())
    os.utime(first, (1, 1))

    counts = taken(here, "claude")

    assert (counts["sessions"], counts["prompts"]) == (2, 2)


def test_since_leaves_out_what_ended_before(here: Terminal) -> None:
    kept.claude(home(here), here.folder, "old", "2026-01-10T09:00:00Z")
    kept.claude(home(here), here.folder, "new", "2026-02-20T09:00:00Z")

    assert taken(here, "claude", "--since", "2026-02-01", "--dry-run")["earlier"] == 1
    counts = taken(here, "claude", "--since", "2w")

    assert (counts["sessions"], counts["earlier"]) == (1, 1)
    assert taken(here, "claude")["sessions"] == 1


def test_sessions_of_another_repository_stay_out(here: Terminal, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(here.folder, other)
    for name, folder in (("ours", here.folder), ("theirs", other), ("nowhere", tmp_path), ("gone", tmp_path / "gone/deep")):
        kept.claude(home(here), folder, name)
    (here.folder / "sub").mkdir()
    kept.claude(home(here), here.folder / "sub", "below")
    kept.claude(home(here), here.folder / "removed/since", "removed")

    counts = taken(here, "claude")

    assert (counts["sessions"], counts["elsewhere"]) == (3, 3)


def test_a_file_that_is_named_is_taken_wherever_it_was(here: Terminal, tmp_path: Path) -> None:
    path = kept.claude(tmp_path / "elsewhere", tmp_path / "gone")
    assert taken(here, "claude", str(path.parent))["sessions"] == 0
    assert taken(here, "claude", str(path))["sessions"] == 1


def test_sessions_of_another_worktree_belong_here(here: Terminal, tmp_path: Path) -> None:
    here.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    kept.claude(home(here), tmp_path / "side", "in-the-tree", branch="side")
    assert taken(here, "claude")["sessions"] == 1


def test_memories_are_anchored_where_the_branch_was_then(here: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    def commit(moment: str, message: str) -> str:
        here.env |= {"GIT_COMMITTER_DATE": moment, "GIT_AUTHOR_DATE": moment}
        return here.commit(message, ledger_py=message)

    commit("2026-02-01T00:00:00Z", "before")
    here.git("switch", "-q", "-c", "feature")
    then = commit("2026-02-09T00:00:00Z", "on the branch")
    commit("2026-02-20T00:00:00Z", "later on the branch")
    here.git("switch", "-q", "main")
    commit("2026-02-21T00:00:00Z", "main goes on")
    kept.claude(home(here), here.folder, branch="feature")

    taken(here, "claude")

    anchors = {json.loads(line)["anchor_commit"] for line in here.mem("export").out.splitlines() if "title" in line}
    assert anchors == {then}
    assert "wrong sum" not in asked(here, "why does the ledger raise ValueError")
    here.git("switch", "-q", "feature")
    assert "wrong sum" in asked(here, "why does the ledger raise ValueError")


@pytest.mark.parametrize("form", ["codex", "copilot"])
def test_the_commit_that_a_client_noted_counts(here: Terminal, form: str) -> None:
    noted = here.commit("noted", ledger_py="noted")
    here.commit("beside", ledger_py="beside")
    {"codex": kept.codex, "copilot": kept.copilot}[form](home(here), here.folder, noted)

    taken(here, form)

    anchors = {json.loads(line)["anchor_commit"] for line in here.mem("export").out.splitlines() if "title" in line}
    assert anchors == {noted}


def test_what_is_private_secret_or_our_own_stays_out(here: Terminal) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    prompt = f"Use {token[:40]} <private>and my diary</private> for the ledger"
    answer = "The ledger is ready.\n<mem-context>What mem told before</mem-context>"
    path = kept.claude(home(here), here.folder, said=(prompt, answer))
    path.write_text(path.read_text().replace(kept.COMMAND, "mem get ledger"))

    taken(here, "claude")

    stored = here.store.read_bytes() + b"".join(path.read_bytes() for path in here.store.parent.glob("memory.db-wal"))
    for word in (token[:40], "diary", "What mem told before", "mem get ledger"):
        assert word.encode() not in stored
    assert "for the ledger" in asked(here, "what was the ledger used for")


def test_open_work_that_was_done_since_stays_closed(here: Terminal, later: Callable[[str], None]) -> None:
    here.add("The ledger is a file")
    base = {"session_id": "live", "cwd": str(here.folder)}
    edit = {"file_path": f"{here.folder}/importer.py", "old_string": "a", "new_string": "reject(negative, amounts)"}
    done = "The importer of statements rejects negative amounts now, as the ledger does."
    for moment, event, fields in (
        ("2026-02-20T09:00:00Z", "user-prompt", {"prompt": "Let the importer of statements reject negative amounts"}),
        ("2026-02-20T09:01:00Z", "post-tool-use", {"tool_name": "Edit", "tool_input": edit, "tool_use_id": "e"}),
        ("2026-02-20T09:02:00Z", "stop", {"last_assistant_message": done}),
    ):
        later(moment)
        here.mem("hook", event, "--harness", "claude", stdin=json.dumps({**base, **fields}))
    (here.folder / "importer.py").write_text("reject(negative, amounts)\n")
    here.mem("worker", "run")
    later("2026-03-01T12:00:00Z")
    kept.claude(home(here), here.folder)

    taken(here, "claude")

    assert "still accepts negative amounts" not in told_at_start(here)


def test_open_work_that_nobody_did_is_told(here: Terminal) -> None:
    kept.claude(home(here), here.folder)
    taken(here, "claude")
    assert "still accepts negative amounts" in told_at_start(here)


def test_a_turn_without_its_answer_waits_while_the_session_goes_on(here: Terminal, later: Callable[[str], None]) -> None:
    path = kept.claude(home(here), here.folder)
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:-1]) + "\n")
    later("2026-02-10T09:05:00Z")

    assert taken(here, "claude")["unfinished"] == 1
    path.write_text("\n".join(lines) + "\n")
    assert taken(here, "claude")["prompts"] == 1
    assert [session["status"] for session in here.mem("sessions", "--json").json] == ["completed"]


def test_one_undo_takes_an_import_back_and_another_import_brings_it_again(here: Terminal) -> None:
    kept.claude(home(here), here.folder)
    kept.claude(home(here), here.folder, "c-2", "2026-02-12T09:00:00Z", ("Cache the totals", "The totals are cached."))
    taken(here, "claude")
    before = asked(here, "ledger totals")

    here.mem("undo")
    assert [session["prompts"] for session in here.mem("sessions", "--json").json] == [0, 0]
    assert here.mem("sessions").out.count("0 prompts") == 2
    assert "ledger" not in asked(here, "what of the sums").replace("no ledger", "")
    assert here.mem("recent", "--json").json == []

    counts = taken(here, "claude")
    assert (counts["sessions"], counts["restored"]) == (0, 2)
    assert asked(here, "ledger totals") == before
    here.mem("undo")
    assert here.mem("recent", "--json").json == []


def test_all_clients_at_once(here: Terminal) -> None:
    for client in ("claude", "codex", "gemini", "copilot", "opencode", "specstory"):
        FORMS[client][1](home(here), here.folder)
    out = here.mem("import", "--from", "all", "--dry-run").out
    assert [line.split(":")[0] for line in out.splitlines()] == ["claude", "codex", "gemini", "copilot", "opencode", "specstory"]
    assert "codex: would take 1 session, 1 prompt, 4 events since 2026-02-10" in out
    here.mem("import", "--from", "all")
    assert len(here.mem("sessions", "--json").json) == 6


def test_specstory_and_its_client_know_the_same_session(here: Terminal) -> None:
    kept.claude(home(here), here.folder, "s-1")
    kept.specstory(home(here), here.folder, "s-1")
    assert taken(here, "claude")["sessions"] == 1
    assert taken(here, "specstory")["stored"] == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["import"], "nothing to import"),
        (["import", "--since", "3d", "x.jsonl"], "--since"),
        (["import", "--dry-run", "x.jsonl"], "no file x.jsonl"),
        (["import", "--from", "claude", "--project", "shop"], "--project"),
        (["import", "--from", "nobody"], "nobody"),
        (["import", "--from", "claude", "--trust"], "--trust"),
        (["import", "--from", "claude", "-"], "-"),
        (["import", "--from", "claude", "--user"], "--user"),
        (["import", "--from", "claude", "--since", "whenever"], "whenever"),
        (["import", "--from", "claude", "not/there"], "not/there"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_line(here: Terminal, words: list[str], says: str) -> None:
    done = here.process(*words, fails=None)
    assert done.code in (2, 3)
    assert says in done.err
    assert "Traceback" not in done.err


def test_an_interrupted_import_goes_on_later(here: Terminal) -> None:
    for number in range(30):
        kept.claude(home(here), here.folder, f"c-{number}", f"2026-01-{number % 28 + 1:02d}T09:00:00Z")
    words = [sys.executable, "-m", "memcli", "import", "--from", "claude"]
    running = subprocess.Popen(words, cwd=here.folder, env=here.env, preexec_fn=interruptible, stderr=subprocess.PIPE, text=True)
    while not list(here.data.glob("repos/*/memory.db")):
        pass
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert "Traceback" not in err

    taken(here, "claude")

    sessions = here.mem("sessions", "--limit", "100", "--json").json
    assert len(sessions) == 30
    assert {session["prompts"] for session in sessions} == {1}
    assert here.mem("queue").out.startswith("0 pending")
