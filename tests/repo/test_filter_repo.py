"""`git filter-repo` gives every commit a new name, and notes which: memories go with them."""

from __future__ import annotations

from tests.conftest import Terminal


def filter_repo(terminal: Terminal, name: str) -> None:
    """Takes a file out of the whole history, drops the old commits and writes the map, as git filter-repo does."""
    old = terminal.git("rev-list", "HEAD").split()
    terminal.git(
        *(
            "-c",
            "advice.detachedHead=false",
            "filter-branch",
            "-f",
            "--index-filter",
            f"git rm -q --cached --ignore-unmatch {name}",
        )
    )
    new = terminal.git("rev-list", "HEAD").split()
    folder = terminal.folder / ".git" / "filter-repo"
    folder.mkdir()
    lines = [f"{before} {after}\n" for before, after in zip(old, new, strict=True)]
    (folder / "commit-map").write_text("old                                      new\n" + "".join(lines))
    terminal.git("update-ref", "-d", "refs/original/refs/heads/main")
    terminal.git("reflog", "expire", "--expire=now", "--all")
    terminal.git("gc", "-q", "--prune=now")


def test_a_rewritten_history_hides_no_memory(terminal: Terminal) -> None:
    terminal.env["FILTER_BRANCH_SQUELCH_WARNING"] = "1"
    terminal.commit("a big file", big_bin="x")
    for number in range(12):
        terminal.commit("work")  # all alike, so that only the map tells them apart
        terminal.add(f"Zebra {number}")
    filter_repo(terminal, "big.bin")
    assert len(terminal.titles("zebra")) == 12
