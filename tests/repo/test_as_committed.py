"""Which files stand as HEAD has them is found out by their bytes: nothing that the repository configures is run."""

from __future__ import annotations

import subprocess
from pathlib import Path

from memcli.repo import changes, head
from tests.conftest import Terminal


def intact(terminal: Terminal, *paths: str) -> set[str]:
    """Those of some paths that stand as HEAD has them."""
    checkout = head.find(str(terminal.folder))
    assert checkout
    return changes.as_committed(checkout, paths)


def committed(terminal: Terminal, **texts: str) -> None:
    """Writes files `NAME.txt` and commits them."""
    for name, text in texts.items():
        (terminal.folder / f"{name}.txt").write_bytes(text.encode())
    terminal.git("add", "-A")
    terminal.git("commit", "-qm", "files")


def test_a_file_that_was_changed_or_removed_does_not_stand_as_committed(terminal: Terminal) -> None:
    committed(terminal, same="a\n", other="b\n", gone="c\n")
    (terminal.folder / "other.txt").write_text("changed\n")
    (terminal.folder / "gone.txt").unlink()
    (terminal.folder / "new.txt").write_text("never committed\n")
    paths = ("same.txt", "other.txt", "gone.txt", "new.txt", "no/such.txt", "../outside.txt")
    assert intact(terminal, *paths) == {"same.txt"}


def test_line_ends_of_another_system_are_no_change(terminal: Terminal) -> None:
    committed(terminal, ends="a\nb\n")
    (terminal.folder / "ends.txt").write_bytes(b"a\r\nb\r\n")
    assert intact(terminal, "ends.txt") == {"ends.txt"}


def test_a_link_that_took_the_place_of_a_file_is_not_followed_out_of_the_tree(terminal: Terminal, tmp_path: Path) -> None:
    committed(terminal, secret="word\n")
    (tmp_path / "elsewhere").write_text("word\n")
    (terminal.folder / "secret.txt").unlink()
    (terminal.folder / "secret.txt").symlink_to(tmp_path / "elsewhere")
    assert intact(terminal, "secret.txt") == set()


def test_a_filter_of_the_repository_is_not_run(terminal: Terminal, tmp_path: Path) -> None:
    committed(terminal, a="a\n")
    mark, program = tmp_path / "ran", tmp_path / "evil"
    program.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    program.chmod(0o755)
    terminal.git("config", "filter.evil.clean", str(program))
    (terminal.folder / ".gitattributes").write_text("* filter=evil\n")
    (terminal.folder / "a.txt").write_text("b\n")

    assert intact(terminal, "a.txt") == set()
    assert not mark.exists()
    subprocess.run(["git", "diff"], cwd=terminal.folder, env=terminal.env, capture_output=True, check=False)
    assert mark.exists()  # git itself would have run it
