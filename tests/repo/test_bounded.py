"""Files that a repository may contain are read by one reader: regular ones, up to a size, without waiting."""

from __future__ import annotations

import ast
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from memcli.repo.head import find, is_partial
from memcli.text import bounded
from tests.conftest import Terminal

PACKAGE = Path(bounded.__file__).parent.parent
# Modules that open files themselves, and what these are. What a repository can contain is in none of them.
OWN_OPENS = {
    "agents/setup/files.py": "a descriptor of the bounded reader",
    "agents/setup/instructions.py": "templates of the package, and new files with O_EXCL",
    "agents/transcripts/_session.py": "a descriptor of the bounded reader",
    "cli/verbs/edit.py": "a new file, and one that the person named",
    "cli/verbs/exchange.py": "a new file",
    "cli/verbs/streams.py": "a file that the person named, which may be a pipe",
    "cli/verbs/version.py": "a file of the package",
    "client.py": "a token in the data directory",
    "config.py": "the person's own settings, and a descriptor of the bounded reader",
    "evaluation/benchmark.py": "a file that the person named",
    "http/__init__.py": "files of the service in the data directory",
    "http/login_file.py": "a new file in the data directory",
    "http/pages.py": "files of the package",
    "mcp/pipes.py": "the null device",
    "recall/near.py": "a table of the package",
    "screening/classifier.py": "a table of the package",
    "registry.py": "a file in the data directory",
    "repo/gitrun.py": "the null device",
    "repo/history.py": "a descriptor of the bounded reader",
    "repo/identity.py": "ids that mem writes, with O_NOFOLLOW",
    "repo/worktree.py": "Top: opens step by step, without links",
    "serving/__init__.py": "files of the service in the data directory",
    "store/copies.py": "copies of stores",
    "store/opening.py": "stores, and files of the package",
    "store/pages.py": "a store",
    "store/foreign.py": "a descriptor of the bounded reader, and a copy of our own",
    "system.py": "locks, logs and other files in the data directory",
    "text/bounded.py": "the bounded reader",
    "text/files.py": "new files with O_EXCL",
}


def test_only_modules_with_a_reason_open_files_themselves() -> None:
    opening = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if not path.name.startswith("_everyday") and any(map(_opens, ast.walk(ast.parse(path.read_text()))))
    }
    assert opening == set(OWN_OPENS)


def _opens(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Name):
        return node.func.id == "open"
    is_of_os = (
        isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) and node.func.value.id in ("os", "io")
    )
    return isinstance(node.func, ast.Attribute) and (node.func.attr == "read_bytes" or (is_of_os and node.func.attr == "open"))


@pytest.mark.parametrize("kind", ["device", "pipe", "directory", "missing", "large", "link to a device", "NUL"])
def test_what_is_no_regular_file_of_a_fair_size_is_not_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "file"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    elif kind == "large":
        with path.open("wb") as file:
            file.truncate(1 << 40)
    elif kind == "link to a device":
        path.symlink_to("/dev/zero")
    name = {"device": "/dev/zero", "NUL": f"{path}\0"}.get(kind, str(path))
    assert bounded.read(name, 100) is None


def test_what_is_no_regular_file_is_not_even_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    program = """if True:
        import sys
        from memcli.text import bounded
        sys.addaudithook(lambda event, values: event == "open" and print(values[0]))
        bounded.read(sys.argv[1], 10)
        bounded.read(__import__("memcli").__file__, 10)
        """
    words = [sys.executable, "-c", program, str(tmp_path / "pipe")]
    opened = subprocess.run(words, capture_output=True, text=True, check=True, timeout=20).stdout
    assert "pipe" not in opened
    assert "__init__.py" in opened


def test_a_pipe_that_takes_the_place_of_a_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, file = tmp_path / "path", tmp_path / "file"
    file.write_text("a")
    os.mkfifo(path)
    writer = os.open(path, os.O_RDWR)
    os.write(writer, b"of a pipe")
    before = os.stat(file)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(bounded.os, "stat", lambda *_, **__: before)  # as it was a moment ago
            with pytest.raises(OSError, match="not a regular file"):
                bounded.open_regular(str(path))
    finally:
        os.close(writer)


def test_a_file_of_exactly_the_size_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 100)
    assert bounded.read(str(tmp_path / "file"), 100) == b"x" * 100
    assert bounded.read(str(tmp_path / "file"), 99) is None


@pytest.mark.parametrize("name", ["HEAD", "commondir", "packed-refs", "config", "refs/heads/master", "logs/HEAD"])
def test_a_device_in_a_git_directory_costs_nothing(tmp_path: Path, name: str) -> None:
    subprocess.run(["git", "init", "-q", "-b", "master", str(tmp_path)], check=True)
    path = tmp_path / ".git" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to("/dev/zero")
    in_little_memory(
        "from memcli.repo import head, history; c = head.find('.'); c and (head.is_partial(c), history.past(c))", tmp_path
    )


def test_a_device_called_head_below_a_clone_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "HEAD").symlink_to("/dev/zero")
    in_little_memory("from memcli.repo import head; print(head.find('.'))", tmp_path)


def test_more_packed_refs_than_are_read_are_a_question_for_git(tmp_path: Path) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.invalid", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "m"], check=True)
    subprocess.run([*git, "pack-refs", "--all"], check=True)
    with (tmp_path / ".git" / "packed-refs").open("a") as file:
        for number in range(1_100_000):
            file.write(f"{number:040x} refs/tags/{number:020}\n")
    checkout = find(str(tmp_path))
    assert checkout
    assert checkout.commit
    assert not is_partial(checkout)


@pytest.mark.parametrize("name", ["AGENTS.md", "CLAUDE.md", "MEMORY_CONTEXT.md", ".mempack/MEMORY.md", ".mempack/config.toml"])
@pytest.mark.parametrize("target", ["/dev/zero", "pipe"])
def test_no_command_waits_for_a_device_or_pipe_of_the_tree(terminal: Terminal, name: str, target: str) -> None:
    path = terminal.folder / name
    path.parent.mkdir(exist_ok=True)
    if target == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(target)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, hard))
    try:
        terminal.mem("init")
        terminal.mem("add", "a fact", "--summary", "of it")
        terminal.mem("get", "fact")
        terminal.mem("hook", "session-start", "--harness", "claude", stdin="{}")
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def test_settings_that_are_a_pipe_or_device_are_refused(terminal: Terminal) -> None:
    path = terminal.folder / ".claude/settings.json"
    path.parent.mkdir(exist_ok=True)
    os.mkfifo(path)
    assert "is not a settings file" in terminal.mem("setup", "claude", "--project", "--print", fails=2).err
    terminal.mem("doctor")
    path.unlink()
    path.symlink_to("/dev/zero")
    assert "leads out of the repository" in terminal.mem("setup", "claude", "--project", "--print", fails=2).err
    terminal.mem("doctor")


def test_instructions_that_are_a_link_are_not_told(terminal: Terminal) -> None:
    (terminal.folder / ".env").write_text("API_KEY=qwe8f7s6d5f4g3h2j1k0\n")
    (terminal.folder / ".mempack").mkdir()
    (terminal.folder / ".mempack/MEMORY.md").symlink_to("../.env")
    terminal.mem("init", "--no-agents")
    terminal.mem("add", "a fact", "--summary", "of it")
    start = f'{{"session_id": "s", "cwd": "{terminal.folder}", "source": "startup"}}'
    told = terminal.mem("hook", "session-start", "--harness", "claude", stdin=start).out
    assert "a fact" in told
    assert "API_KEY" not in told


def test_an_id_is_not_written_through_a_link(terminal: Terminal, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (terminal.folder / ".git" / "mempack").symlink_to(outside)
    terminal.mem("init")
    terminal.mem("add", "a fact", "--summary", "of it")
    assert "a fact" in terminal.mem("get", "fact").out
    assert not list(outside.iterdir())


def test_of_a_repositorys_file_with_thousands_of_problems_some_are_listed(terminal: Terminal) -> None:
    path = terminal.folder / ".mempack/config.toml"
    path.parent.mkdir()
    path.write_text("memory.thread.a.a = 1\n" + "x" * 500 + " = 1\n" + "".join(f"k{number} = 1\n" for number in range(3000)))
    terminal.mem("init")
    lines = [line for line in terminal.mem("doctor").out.splitlines() if " config " in line]
    assert "memory.thread = a dict: not a name" in lines[0]
    assert "2982 more" in lines[-1]
    assert len(lines) == 21
    assert max(map(len, lines)) < 250


def in_little_memory(source: str, folder: Path) -> None:
    """Runs Python where a file of any size, or without an end, would be noticed."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))

    subprocess.run([sys.executable, "-c", source], cwd=folder, preexec_fn=limit, timeout=20, check=True)
