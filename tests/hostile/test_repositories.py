"""Whatever a repository holds, mem runs nothing of it, reads and writes nothing around it, and comes to an end."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.conftest import CLOCK, STRANGERS
from tests.hostile import corpus
from tests.hostile.corpus import BITES, CLEAN, MEMORY, OUTSIDE, Clone
from tests.hostile.driver import Driver, Run

SECONDS = 20
GIT_SECONDS = 5.0  # for all runs of git of one command
BYTES = 1 << 30  # of memory, as `ulimit -v` counts it
OWN = "canary-own-3c55"  # stands in what is kept in the hostile repository
PAYLOAD = {"session_id": "s1", "source": "startup", "prompt": f"why does the login retry? {OWN}"}
EDIT = {"tool_name": "Edit", "tool_input": {"file_path": "app.py", "old_string": "a", "new_string": "b"}, "tool_response": "ok"}
COMMANDS = (
    ("hook", "user-prompt", "--harness", "claude"),
    ("init",),
    ("add", f"The login retries {OWN}", "--summary", "because of app.py", "--file", "app.py"),
    ("profile", "set", "deploy", f"by hand {OWN}"),
    ("hook", "session-start", "--harness", "claude"),
    ("hook", "user-prompt", "--harness", "claude"),
    ("hook", "post-tool-use", "--harness", "claude"),
    ("ingest", "."),
    ("worker", "run"),
    ("get", "password of production, login, deploy", "--include-orphans"),
    ("why", "app.py:1"),
    ("doctor",),
    ("setup", "claude", "--project", "--print"),
    ("hook", "session-end", "--harness", "claude"),
)
HARNESSES = ("codex", "gemini", "copilot", "cursor", "opencode", "openclaw", "generic")
SOURCES = tuple(
    """mempack claude-mem cmem mecho ltm mcp-memory cursor-rules agents-md picoclaw adr basic-memory
    claude codex gemini copilot opencode specstory all""".split()
)
# What reads a repository more rarely: each of them is pointed `SHARE` at a time at the kinds in turn, or all at all of them.
OTHERS = (
    *(
        ("hook", event, "--harness", harness)
        for harness in HARNESSES
        for event in ("session-start", "user-prompt", "post-tool-use")
    ),
    *(("hook", event, "--harness", "claude") for event in ("pre-tool-use", "stop", "pre-compact")),
    *(("import", ".", "--from", source) for source in SOURCES),
    *(("setup", harness, "--project", "--print") for harness in HARNESSES if harness not in ("openclaw", "generic")),
    *(
        ("setup", "git", "--print"),
        ("doctor", "--security"),
        ("doctor", "--secrets"),
        ("doctor", "--repair"),
        ("mcp",),
        ("status",),
    ),
    *(("recent",), ("log",), ("stats",), ("repos",), ("config",), ("threads",), ("sessions",), ("chunks", "app.py"), ("queue",)),
    *(("sync", "status"), ("explain", "login"), ("search", "login"), ("template", "agents"), ("rule",), ("state",), ("gc",)),
    *(("export", "-"), ("turn", "prepare"), ("import", "AGENTS.md"), ("import", ".")),
)
SHARE = len(OTHERS) if os.environ.get("HOSTILE_ALL") else 2
CALLS = (
    {
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
    },
    {"method": "tools/call", "params": {"name": "mempack_get_context", "arguments": {"query": "login, deploy"}}},
)
READ_BY_GIT = (  # itself, wherever they lie
    "config-linked-to-outside",
    "ref-linked-to-outside",
    "packed-refs-linked-to-outside",
    "files-outside-that-git-reads-by-name",
)
HANG_GIT = ("pipes-deep-in-the-tree",)  # less time is enough to see that mem does not wait


class Place(NamedTuple):
    """What lies around all hostile repositories, and a repository to begin from."""

    outside: Path
    data: Path
    first: Path


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Another repository with a memory, files with secrets, and a repository with a commit."""
    base = tmp_path_factory.mktemp("around")
    corpus.surroundings(base / "outside")
    first = Clone(base / "first", base / "outside")
    corpus.plain(first)
    place = Place(base / "outside", base / "data", first.root)
    env = environment(base, place.data)
    for words in (("add", f"The failover password is kept {MEMORY}", "--summary", MEMORY), ("profile", "set", "deploy", MEMORY)):
        subprocess.run(
            [sys.executable, "-m", "memcli", *words], cwd=place.outside / "victim", env=env, check=True, capture_output=True
        )
    return place


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    """A process that runs mem."""
    driver = Driver(tmp_path_factory.mktemp("driver"))
    yield driver
    driver.end()


@pytest.mark.parametrize("name", corpus.names())
def test_a_hostile_repository_is_only_read(place: Place, driver: Driver, tmp_path: Path, name: str) -> None:
    base = tmp_path / name
    base.mkdir()
    shutil.copytree(place.data, base / "data", symlinks=True)
    clone = corpus.make(name, base, place.outside, place.first)
    env = environment(base, base / "data")
    kept = [place.outside, base / "home", base / "bin"]
    before = [state(folder) for folder in kept]
    unread = [] if name in READ_BY_GIT else never_read(place.outside)
    printed = [run(driver, words, clone, env) for words in (*COMMANDS, *others(name))]

    assert not [path for path in unread if was_read(path)]
    assert not clone.ran.exists(), clone.ran.read_text()
    assert [state(folder) for folder in kept] == before
    assert {path.name for path in base.iterdir()} <= {"clone", "data", "config", "home", "bin", "cache"}
    for text in (OUTSIDE, MEMORY):
        assert text not in "".join(printed)
    assert not holding(OUTSIDE, base / "data", base / "config")
    assert not [path for path in holding(OWN, clone.root) if ".git/" not in path]
    assert OWN not in tells(driver, place.outside / "victim", env)


@pytest.mark.parametrize("name", sorted(BITES))
def test_a_program_of_the_corpus_is_run_by_plain_git(place: Place, tmp_path: Path, name: str) -> None:
    clone = corpus.make(name, tmp_path, place.outside, place.first)
    env = environment(tmp_path, tmp_path)
    words, stdin = ["git", *BITES[name].split()], b"protocol=http\nhost=x\n\n"
    subprocess.run(words, cwd=clone.root, env=env, capture_output=True, check=False, timeout=SECONDS, input=stdin)
    assert clone.ran.exists()


def test_the_corpus_is_large() -> None:
    assert len(corpus.names()) >= 40


def test_every_command_is_pointed_at_some_kind() -> None:
    assert {words for name in corpus.names() for words in others(name)} == set(OTHERS)


def others(name: str) -> list[tuple[str, ...]]:
    """Returns the commands of `OTHERS` that are pointed at a kind."""
    first = corpus.names().index(name) * SHARE
    return [OTHERS[(first + number) % len(OTHERS)] for number in range(SHARE)]


def environment(base: Path, data: Path) -> dict[str, str]:
    """Returns the environment of a person who has nothing but git and mem."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(STRANGERS)}
    (base / "home").mkdir(parents=True, exist_ok=True)
    return {
        **own,
        **CLEAN,
        "HOME": str(base / "home"),
        "XDG_CACHE_HOME": str(base / "cache"),
        "MEMPACK_DATA_DIR": str(data),
        "MEMPACK_CONFIG_DIR": str(base / "config"),
        "MEMPACK_CLOCK": CLOCK,
        "MEMPACK_CAPTURE_WORKER": "off",
        "MEMPACK_WORKER_IDLE_SECONDS": "0",
        "PYTHONPATH": os.getcwd(),
        "PYTHONSAFEPATH": "1",  # as where mem is installed: its folder of modules is not the working directory
    }


def run(driver: Driver, words: tuple[str, ...], clone: Clone, env: dict[str, str]) -> str:
    """Runs mem in the clone with little memory and time; returns what it printed. It may refuse, but not break."""
    payload = {**PAYLOAD, "cwd": str(clone.root), **(EDIT if "post-tool-use" in words else {})}
    start = time.monotonic()
    stdin = json.dumps(payload).encode() if words[0] in ("hook", "turn") else b""
    if words[0] == "mcp":
        calls = [json.dumps({"jsonrpc": "2.0", "id": number, **call}) for number, call in enumerate(CALLS)]
        stdin = "\n".join([*calls, ""]).encode()
    git_seconds = 0.1 if clone.base.name in HANG_GIT else GIT_SECONDS
    code, printed = driver.run(Run(words, str(clone.root), env, stdin, BYTES, SECONDS, git_seconds))
    seconds = time.monotonic() - start
    assert 0 <= code < 10, f"{words}: {code} after {seconds:.1f} s\n{printed}"
    assert "Traceback" not in printed, f"{words}: {printed}"
    assert "MemoryError" not in printed, f"{words}: {printed}"
    assert "\x1b" not in printed, f"{words}: {printed!r}"
    if os.environ.get("HOSTILE_SHOWN"):
        print(f"--- {' '.join(words)}: {code} in {seconds:.2f} s\n{printed}")
    return printed


def state(folder: Path) -> dict[str, str]:
    """Returns what lies in a directory: path -> kind, mode, target or content, without following links."""
    found: dict[str, str] = {}
    for top, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(top, name)
            status = os.lstat(path)
            what = os.readlink(path) if os.path.islink(path) else ""
            if os.path.isfile(path) and not what:
                what = hashlib.sha256(Path(path).read_bytes()).hexdigest()
            found[path] = f"{status.st_mode:o} {what}"
    return found


def never_read(folder: Path) -> list[Path]:
    """Returns files whose next reading will show: on most file systems one that looks older than its content is stamped anew."""
    probe = folder.parent / "probe"
    probe.write_text("x")
    paths = [folder / "secret.txt", *(folder / "folder").iterdir()]
    for path in (probe, *paths):
        os.utime(path, (0, path.stat().st_mtime))
    probe.read_text()
    return paths if was_read(probe) else []


def was_read(path: Path) -> bool:
    """Tells whether a file was read since `never_read`."""
    return path.stat().st_atime != 0


def holding(text: str, *folders: Path) -> list[str]:
    """Returns the regular files that contain a text."""
    paths = [Path(top) / name for folder in folders for top, _, names in os.walk(folder) for name in names]
    plain = [path for path in paths if path.is_file() and not path.is_symlink() and path.stat().st_size < 1 << 24]
    return [str(path) for path in plain if text.encode() in path.read_bytes()]


def tells(driver: Driver, folder: Path, env: dict[str, str]) -> str:
    """Returns what the memory of a repository tells."""
    words = ("get", "login retries deploy", "--include-orphans")
    code, printed = driver.run(Run(words, str(folder), env, b"", BYTES, SECONDS, GIT_SECONDS))
    assert not code, printed
    return printed
