"""mem ingest --watch, as a process: every change arrives, and Ctrl-C ends it."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memcli.errors import MemError
from memcli.ingest import watch
from memcli.project import Where, open_for_reading
from tests.conftest import Terminal, interruptible
from tests.ingest.trees import edit, ids, ingest, is_sound, write

PATIENCE = 60_000  # ms


class Watcher:
    """A running `mem ingest --watch --json`."""

    def __init__(self, terminal: Terminal, *words: str) -> None:
        command = [sys.executable, "-m", "memcli", "ingest", *words, "--watch", "--json"]
        self.terminal = terminal
        self.process = subprocess.Popen(
            command,
            cwd=terminal.folder,
            env=terminal.env,
            preexec_fn=interruptible,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stdout
        self._lines = self.process.stdout
        self._ready = select.poll()
        self._ready.register(self._lines, select.POLLIN)
        self.first = self.next()

    def next(self) -> Any:
        """Returns the next summary."""
        assert self._ready.poll(PATIENCE), "nothing was said"
        line = self._lines.readline()
        assert line, self.process.stderr and self.process.stderr.read()
        return json.loads(line)

    def until(self, is_so: Callable[[set[str]], bool]) -> None:
        """Waits until the paths that are kept are as they should be."""
        while not is_so(set(ids(self.terminal))):
            self.next()

    def end(self, by: int = signal.SIGINT) -> tuple[int, bytes]:
        """Ends it. Returns its exit code and what it said on standard error."""
        self.process.send_signal(by)
        _, err = self.process.communicate(timeout=60)
        return self.process.returncode, err


@pytest.fixture
def started(terminal: Terminal) -> Iterator[Callable[..., Watcher]]:
    """Starts watchers, which are gone after the test."""
    running: list[Watcher] = []

    def start(*words: str) -> Watcher:
        running.append(Watcher(terminal, *words))
        return running[-1]

    yield start
    for watcher in running:
        watcher.process.kill()
        watcher.process.communicate()


def test_it_follows_edits_renames_and_deletions_until_ctrl_c(terminal: Terminal, started: Callable[..., Watcher]) -> None:
    write(terminal.folder, {"a.txt": "a\n", "b.txt": "b\n"})
    watcher = started()
    assert watcher.first["new"] == 2
    (terminal.folder / "new").mkdir()
    write(terminal.folder, {"new/c.txt": "c\n"})
    watcher.until(lambda paths: paths == {"a.txt", "b.txt", "new/c.txt"})
    (terminal.folder / "a.txt").rename(terminal.folder / "new/a.txt")
    watcher.until(lambda paths: paths == {"b.txt", "new/a.txt", "new/c.txt"})
    (terminal.folder / "b.txt").unlink()
    watcher.until(lambda paths: paths == {"new/a.txt", "new/c.txt"})

    assert watcher.end() == (0, b"")
    assert is_sound(terminal)


def test_a_branch_switch_of_thousands_of_files_arrives_whole(terminal: Terminal, started: Callable[..., Watcher]) -> None:
    write(terminal.folder, {f"d{n % 40}/{n}.txt": f"main {n}\n" for n in range(2_000)})
    terminal.git("add", ".")
    terminal.git("commit", "-q", "-m", "many")
    terminal.git("switch", "-q", "-c", "side")
    terminal.git("rm", "-q", "-r", "d0", "d1")
    write(terminal.folder, {f"d{n % 40}/{n}.txt": f"side {n}\n" for n in range(2_000) if n % 40 > 1})
    write(terminal.folder, {"only-here.txt": "side\n"})
    terminal.git("add", ".")
    terminal.git("commit", "-q", "-m", "side")
    watcher = started()
    terminal.git("switch", "-q", "main")
    watcher.until(lambda paths: len(paths) == 2_000 and "only-here.txt" not in paths)
    terminal.git("switch", "-q", "side")
    terminal.git("switch", "-q", "main")
    terminal.git("switch", "-q", "side")
    watcher.until(lambda paths: len(paths) == 1_901)

    assert watcher.end(signal.SIGTERM)[0] == 0
    assert ingest(terminal)["unchanged"] == 1_901


def test_it_heeds_what_is_ignored_or_no_longer_is(terminal: Terminal, started: Callable[..., Watcher]) -> None:
    write(terminal.folder, {"a.txt": "a\n", "b.log": "b\n"})
    watcher = started()
    (terminal.folder / ".gitignore").write_text("*.log\n")
    watcher.until(lambda paths: paths == {"a.txt", ".gitignore"})
    terminal.git("add", "-f", "b.log")
    watcher.until(lambda paths: "b.log" in paths)

    assert watcher.end()[0] == 0


def test_only_what_lies_under_the_path_is_followed(terminal: Terminal, started: Callable[..., Watcher]) -> None:
    write(terminal.folder, {"in/a.txt": "a\n", "out/b.txt": "b\n"})
    watcher = started("in")
    edit(terminal.folder / "out/b.txt", "c\n")
    write(terminal.folder, {"in/c.txt": "c\n"})
    watcher.until(lambda paths: "in/c.txt" in paths)

    assert set(ids(terminal)) == {"in/a.txt", "in/c.txt"}
    assert watcher.end()[0] == 0


def test_a_linked_working_tree_is_followed(terminal: Terminal, started: Callable[..., Watcher]) -> None:
    terminal.commit(a_txt="a\n")
    side = terminal.folder.parent / "side"
    terminal.git("worktree", "add", "-q", str(side))
    watcher = Watcher(terminal.at(side))
    try:
        terminal.git("rm", "-q", "--cached", "a.txt", cwd=side)
        terminal.git("commit", "-q", "-m", "gone", cwd=side)
        write(side, {"b.txt": "b\n"})
        watcher.until(lambda paths: "b.txt" in paths)
        assert watcher.end()[0] == 0
    finally:
        watcher.process.kill()
        watcher.process.communicate()


def test_what_fails_is_told_and_tried_again(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[watch.Scopes] = []
    told: list[Exception] = []

    def look(scopes: watch.Scopes) -> None:
        looks.append(scopes)
        if len(looks) == 1:
            raise OSError(28, "No space left on device")
        raise KeyboardInterrupt

    project = open_for_reading(Where(str(terminal.folder)))
    try:
        with pytest.raises(KeyboardInterrupt):
            watch.watch(project, (), look, told.append)
    finally:
        project.close()

    assert looks == [None, None]
    assert isinstance(told[0], OSError)


def test_where_the_system_cannot_watch_it_says_so(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*folders: str, **more: object) -> object:
        raise OSError("OS file watch limit reached.")

    monkeypatch.setattr("watchfiles.watch", refused)
    project = open_for_reading(Where(str(terminal.folder)))
    try:
        with pytest.raises(MemError, match="cannot watch"):
            watch.watch(project, (), lambda scopes: None, lambda problem: None)
    finally:
        project.close()


@pytest.mark.parametrize(
    ("changed", "scopes", "looks"),
    [
        ({"a.txt"}, (), ("a.txt",)),
        ({"d/b.txt", "a.txt"}, (), ("a.txt", "d/b.txt")),
        ({"d/.gitignore"}, (), None),
        ({".mempackignore"}, ("d",), None),
        ({".git/index"}, (), None),
        ({"a.txt"}, ("d",), ()),
        ({"d/a.txt"}, ("d",), ("d/a.txt",)),
        ({"d"}, ("d/e",), None),
        ({f"{number}.txt" for number in range(watch.MAX_PATHS + 1)}, (), None),
    ],
)
def test_changes_say_where_to_look(terminal: Terminal, changed: set[str], scopes: tuple[str, ...], looks: watch.Scopes) -> None:
    project = open_for_reading(Where(str(terminal.folder)))
    path_filter = watch._PathFilter(project, scopes)
    project.close()

    assert path_filter.scopes_of({os.path.join(path_filter.root, path) for path in changed}) == looks


def test_gits_own_files_and_the_store_are_no_changes(terminal: Terminal) -> None:
    write(terminal.folder, {"a.txt": "a\n"})
    ingest(terminal)
    project = open_for_reading(Where(str(terminal.folder)))
    path_filter = watch._PathFilter(project, ())
    project.close()
    inside = Path(path_filter.root)

    assert [path_filter.matches(str(inside / path)) for path in ("a.txt", ".git/index", ".git/HEAD", ".git/info/exclude")] == [
        True
    ] * 4
    assert not any(
        path_filter.matches(str(path)) for path in (inside / ".git/objects/ab", inside / ".git/index.lock", terminal.store)
    )
