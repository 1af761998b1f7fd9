"""A secret in a name is in no file afterwards and told nowhere: branches, tags, remotes, directories, files, sessions."""

from __future__ import annotations

import json
from pathlib import Path

import apsw
import pytest

from tests.conftest import Terminal

KINDS = "branch later tag remote directory worktree folder file thread session other model subject author".split()
TOKENS = {kind: "ghp_" + f"{number:02d}Zq8W" * 6 for number, kind in enumerate(KINDS)}
FACT = "Session tokens live in Postgres"


@pytest.fixture
def named(terminal: Terminal) -> Terminal:
    """A repository of which every name holds a token."""
    top = terminal.folder / TOKENS["directory"]
    (top / TOKENS["folder"]).mkdir(parents=True)
    (terminal.folder / ".git").rename(top / ".git")
    (top / TOKENS["folder"] / "a.py").write_text("def first() -> int:\n    return 1\n")
    (top / f"{TOKENS['file']}.py").write_text("def second() -> int:\n    return 2\n")
    there = terminal.at(top)
    there.git("add", "-A")
    there.git("commit", "-qm", f"Use {TOKENS['subject']}", f"--author={TOKENS['author']} <a@example.invalid>")
    there.git("tag", f"v-{TOKENS['tag']}")
    there.git("remote", "add", "origin", f"https://git.example/acme/{TOKENS['remote']}.git")
    there.git("checkout", "-qb", f"fix/{TOKENS['branch']}")
    return there


def hook(terminal: Terminal, event: str, session: str = "session", **payload: object) -> str:
    """Fires a hook and returns what it answered."""
    sent = {"session_id": TOKENS[session], "cwd": str(terminal.folder), "model": TOKENS["model"], **payload}
    done = terminal.mem("hook", event, "--harness", "claude", stdin=json.dumps(sent))
    return done.out + done.err


def a_session(terminal: Terminal, number: int) -> list[str]:
    """Runs a session that edits, reads and fails, and commits what it did. Returns what it was told."""
    edited = str(terminal.folder / f"{TOKENS['file']}.py")
    edit = {"file_path": edited, "old_string": "return 2", "new_string": f"return {number + 3}\n    # and so on"}
    told = [hook(terminal, "session-start", source="startup"), hook(terminal, "user-prompt", prompt="Where do sessions live?")]
    hook(terminal, "post-tool-use", tool_name="Edit", tool_use_id=f"e{number}", tool_input=edit, tool_response={"ok": 1})
    read = {"file_path": str(terminal.folder / TOKENS["folder"] / "a.py")}
    hook(terminal, "post-tool-use", tool_name="Read", tool_use_id=f"r{number}", tool_input=read, tool_response={"ok": 1})
    failed = {"stderr": f"error: unexpected indent at {edited}:3", "exit_code": 2}
    call = {"tool_input": {"command": "make test"}, "tool_response": failed}
    hook(terminal, "post-tool-use", tool_name="Bash", tool_use_id=f"b{number}", **call)
    hook(terminal, "stop", last_assistant_message="I decided that first returns one, because it must.")
    terminal.work()
    terminal.git("commit", "-qam", f"Use {TOKENS['subject']}", "--allow-empty")
    told.append(hook(terminal, "session-end", reason="exit"))
    terminal.work()
    return told


def test_it_is_neither_stored_nor_told(named: Terminal) -> None:
    told: list[str] = []

    def mem(*words: str, at: Terminal = named) -> None:
        done = at.mem(*words)
        told.append(done.out + done.err)

    mem("init", "--no-agents")
    mem("add", FACT, "--summary", "Redis evicted them", "--thread", f"T-{TOKENS['thread']}")
    mem("ingest")
    told += [*a_session(named, 0), *a_session(named, 1)]
    for form in ("prompt", "json", "xml"):
        mem("get", "where do sessions live", "--format", form)
    mem("get", f"what is on branch fix/{TOKENS['branch']}")
    mem("get", f"what was decided before the tag v-{TOKENS['tag']}")
    named.git("checkout", "-qb", f"feat/{TOKENS['later']}")
    mem("add", "Sessions end at noon", "--summary", "as agreed", "--file", f"{TOKENS['file']}.py")
    told.append(hook(named, "user-prompt", "other", prompt="When do sessions end?"))
    mem("checkpoint", "--reason", "later", "--state-json", "{}")
    tree = named.at(named.folder.parent / TOKENS["worktree"])
    named.git("worktree", "add", "-q", str(tree.folder), "-b", "plain")
    mem("add", "Sessions begin at six", "--summary", "as agreed", at=tree)
    mem("ingest", at=tree)
    told.append(hook(tree, "user-prompt", "other", prompt="When do sessions begin?"))
    tree.work()
    for verb in ("doctor", "recent", "threads", "sessions", "status", "log", "export", "use ."):
        mem(*verb.split())
    mem("why", "HEAD~1", "--json")

    folders = [named.data, Path(named.env["MEMPACK_CONFIG_DIR"])]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert [
        f"{kind} in {path.name}"
        for path in files
        for kind, token in TOKENS.items()
        if token[4:28].encode() in path.read_bytes() + str(path.relative_to(named.data.parent)).encode()
    ] == []
    assert [(kind, text) for kind, token in TOKENS.items() for text in told if token[4:28] in text] == []


def test_names_that_differ_stay_apart_and_the_repository_is_found_again(named: Terminal) -> None:
    named.add(FACT)
    assert named.titles("where do sessions live") == [FACT]
    named.git("checkout", "-q", "main")
    named.git("checkout", "-qb", f"fix/{TOKENS['later']}")
    assert named.titles("where do sessions live") == []
    named.git("checkout", "-q", f"fix/{TOKENS['branch']}")
    assert named.titles("where do sessions live") == [FACT]
    first = named.commit("first")
    named.git("checkout", "-q", "main")
    assert named.titles("where do sessions live") == []
    named.git("merge", "-q", f"fix/{TOKENS['branch']}")
    assert named.titles("where do sessions live") == [FACT]
    named.mem("add", "Something else", "--summary", "zebra")
    assert first in [row["anchor_commit"] for row in named.mem("recent", "--json").json]

    clone = named.at(named.folder.parent / "clone")
    named.git("clone", "-q", str(named.folder), str(clone.folder))
    clone.git("remote", "set-url", "origin", f"https://git.example/acme/{TOKENS['remote']}.git")
    assert clone.titles("where do sessions live") == [FACT]


def test_two_sessions_whose_names_are_tokens_stay_two(named: Terminal) -> None:
    named.add(FACT)
    for session in ("session", "other"):
        hook(named, "user-prompt", session, prompt="Where do sessions live?")
    named.work()
    db = apsw.Connection(str(named.store))
    assert db.execute("SELECT count(DISTINCT key) FROM session").fetchone() == (2,)
    db.close()


def test_ingest_skips_a_file_whose_name_is_a_secret_and_counts_it(named: Terminal) -> None:
    named.commit("plain", plain_md="# Notes\n\nSessions end at noon.\n")
    done = named.mem("ingest", "--json").json
    assert (done["new"], done["skipped"]) == (1, {"secret in its name": 2})


def planted(terminal: Terminal, token: str) -> list[str]:
    """Returns what below the directories of data and settings holds a token, in a text or a name."""
    folders = [terminal.data, Path(terminal.env["MEMPACK_CONFIG_DIR"])]
    paths = [path for folder in folders for path in folder.rglob("*")]
    part = token[4:28].lower().encode()
    return [
        str(path)
        for path in paths
        if part in path.name.lower().encode() or (path.is_file() and part in path.read_bytes().lower())
    ]


TOKEN = "ghp_" + "7kQz4W" * 6


def test_the_session_of_a_turn_is_called_as_hooks_call_it(terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    terminal.add(FACT)
    turns = [terminal.mem("turn", "prepare", "--session", name).json for name in (TOKEN, TOKEN, f"{TOKEN[:-1]}x")]
    assert planted(terminal, TOKEN) == []
    terminal.mem("turn", "ack", "--session", TOKEN, "--prepare-id", turns[1]["prepareId"], "--status", "success")
    assert [terminal.mem("turn", "prepare", "--session", name).json["mode"] for name in (TOKEN, f"{TOKEN[:-1]}x")] == [
        "none",
        "full",
    ]


@pytest.mark.parametrize("key", ["sync.author", "mcp.repos", "mcp.workspaces", "capture.thread", "sync.writers"])
def test_a_setting_takes_no_secret(terminal: Terminal, key: str) -> None:
    terminal.mem("init", "--no-agents")
    assert "would hold a secret" in terminal.mem("config", "set", key, TOKEN, fails=2).err
    terminal.mem("config", "set", "embed.url", "https://models.example/v1")  # its key is in the environment
    terminal.mem("get", FACT)
    assert planted(terminal, TOKEN) == []


def test_a_workspace_is_called_by_no_secret(terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    refused = terminal.mem("add", FACT, "--summary", "x", "--workspace", TOKEN, fails=2)
    assert "not a name for a workspace" in refused.err
    assert TOKEN not in refused.err
    assert planted(terminal, TOKEN) == []


def test_doctor_looks_in_every_cache_and_in_the_files_of_settings(terminal: Terminal, tmp_path: Path) -> None:
    terminal.mem("init", "--no-agents")
    other = tmp_path / "other"
    other.mkdir()
    terminal.mem("init", "--no-agents", "--no-git", str(other))
    settings = Path(terminal.env["MEMPACK_CONFIG_DIR"]) / "config.toml"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(f'[sync]\nauthor = "{TOKEN}"\n')
    terminal.at(other).mem("get", FACT)
    (terminal.data / "repos" / "R-0000000000" / "workspaces" / TOKEN).mkdir(parents=True)
    listed = [it["id"] for it in terminal.mem("doctor", "--secrets", "--json", fails=1).json]
    assert [name for name in listed if name.startswith("config ") and name.endswith("config.toml")]
    assert [name for name in listed if name.startswith("cache ")]
    assert [name for name in listed if name.startswith("name ")]
    assert TOKEN not in "".join(listed)
