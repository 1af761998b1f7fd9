"""Histories and trees that grow without end for whoever walks them, and names and numbers that are more than one thing."""

from __future__ import annotations

import os
import socket
import unicodedata

from tests.hostile.corpus import Clone, kind

LEVELS, ENTRIES = 12, 24  # of trees in trees: as many files as the one to the power of the other


@kind
def trees_that_unfold_without_end(clone: Clone) -> None:
    """A commit of a dozen objects with more files than any machine can list, and one that takes them away."""
    blob = clone.git("rev-parse", "HEAD:app.py")
    rows = "".join(f"100644 blob {blob}\tf{number:02}\n" for number in range(ENTRIES))
    for _ in range(LEVELS):
        tree = _fed(clone, "mktree", rows)
        rows = "".join(f"040000 tree {tree}\td{number:02}\n" for number in range(ENTRIES))
    own = clone.git("rev-parse", "HEAD")
    commit = clone.git("commit-tree", _fed(clone, "mktree", rows), "-p", own, "-m", "many files")
    clone.write(".git/refs/heads/wide", commit + "\n")
    after = clone.git("commit-tree", f"{own}^{{tree}}", "-p", commit, "-m", "remove them")
    clone.write(".git/refs/heads/main", after + "\n")


@kind
def head_of_trees_that_unfold(clone: Clone) -> None:
    """The same commit, checked out."""
    trees_that_unfold_without_end(clone)
    clone.write(".git/refs/heads/main", clone.git("rev-parse", "wide") + "\n")


@kind
def merge_of_thousands(clone: Clone) -> None:
    """A merge of three thousand commits, and two lines of history that cross a hundred times."""
    own, tree = clone.git("rev-parse", "HEAD", "HEAD^{tree}").split()
    author = "author a <a@example.invalid> 1 +0000\ncommitter a <a@example.invalid> 1 +0000\n\n"
    parents = [_object(clone, f"tree {tree}\nparent {own}\n{author}{number}") for number in range(300)]
    lines = "".join(f"parent {parent}\n" for parent in parents) * 10
    left = right = _object(clone, f"tree {tree}\n{lines}{author}all")
    for number in range(100):
        both = f"tree {tree}\nparent {left}\nparent {right}\n{author}"
        left, right = _object(clone, f"{both}left {number}"), _object(clone, f"{both}right {number}")
    clone.write(".git/refs/heads/main", left + "\n")
    clone.write(".git/refs/heads/other", right + "\n")


@kind
def commits_of_other_ages(clone: Clone) -> None:
    """Commits of the year 292 billion, of before 1970, without a date and in zones that are none."""
    parent, tree = clone.git("rev-parse", "HEAD", "HEAD^{tree}").split()
    dates = (
        "9223372036854775807 +0000",
        "18446744073709551615 -9999",
        "-62135596801 +0000",
        "253402300800 +2400",
        "",
        "x y",
        "1e9 +1",
    )
    for number, date in enumerate(dates):
        who = f"author a <a@example.invalid> {date}\ncommitter a <a@example.invalid> {date}\n"
        parent = _object(clone, f"tree {tree}\nparent {parent}\n{who}\nfix: the login {number}")
    clone.write(".git/refs/heads/main", parent + "\n")
    clone.write(".git/logs/HEAD", f"{'0' * 40} {parent} a <a@example.invalid> {dates[0]}\tcommit: x\n")


@kind
def sockets(clone: Clone) -> None:
    """Sockets wherever mem looks for a file."""
    home = os.getcwd()
    for path in (
        "AGENTS.md",
        ".mempack/MEMORY.md",
        ".mempack/config.toml",
        ".gitignore",
        "MEMORY_CONTEXT.md",
        ".git/info/exclude",
    ):
        target = clone.write(path)
        target.unlink()
        with socket.socket(socket.AF_UNIX) as end:
            os.chdir(target.parent)  # the address of a socket is short
            try:
                end.bind(target.name)
            finally:
                os.chdir(home)


@kind
def submodules_in_a_circle(clone: Clone) -> None:
    """A folder whose `.git` is the repository around it, one inside that is the first one's, modules that are each other's."""
    clone.write("sub/.git", "gitdir: ../.git\n")
    clone.write("sub/app.py", "x = 1\n")
    clone.write("sub/sub/.git", "gitdir: ../.git\n")
    clone.write("other/.git", "gitdir: ../.git/modules/a\n")
    clone.write(".git/modules/a/HEAD", "ref: refs/heads/main\n")
    clone.write(".git/modules/a/commondir", "../b\n")
    clone.write(".git/modules/b/commondir", "../a\n")
    clone.write(".git/modules/a/config", f"[core]\n\tworktree = {clone.outside}\n\tfsmonitor = {clone.evil}\n")


@kind
def names_in_other_forms(clone: Clone) -> None:
    """Files, folders and branches that are one name in other forms, letters that show nothing in the names that mem knows."""
    for form in ("NFC", "NFD"):
        clone.write(unicodedata.normalize(form, "café/größe.md"), f"# {form}\n\nThe login of {form}.\n")
        clone.write(f".git/refs/heads/{unicodedata.normalize(form, 'löschen')}", clone.git("rev-parse", "HEAD") + "\n")
    for name in (".g\u200cit", ".ｇit", ".\u2060git", ".git ", ".git\u200d", "git~1", ".mem\u200dpack", "ＡGENTS.md"):
        clone.write(f"{name}/config", f"[core]\n\tfsmonitor = {clone.evil}\n")
        clone.write(f"{name}/HEAD", "ref: refs/heads/main\n")
    clone.write(".git/HEAD", "ref: refs/heads/" + unicodedata.normalize("NFD", "löschen") + "\n")


@kind
def lines_without_an_end(clone: Clone) -> None:
    """Sources, instructions, rules and settings that are one line of megabytes, and values nested a million deep."""
    line = "password is login deploy " * 200_000
    for path in ("app.py", "notes.md", "AGENTS.md", ".mempack/MEMORY.md", "package.json", "docs/deploy.md"):
        clone.write(path, line)
    clone.write(".gitattributes", "*.py " + "-text " * 100_000)
    clone.write(".mempackignore", "a" * 1_000_000 + "\n" + "?" * 10_000)
    clone.write("deep.json", "[" * 1_000_000)
    clone.write("deep.yaml", "- " * 300_000 + "x")
    clone.write("deep.toml", "a = " + "[" * 300_000)
    clone.write("deep.md", "> " * 100_000 + "x\n" + "  " * 50_000 + "- x\n" + "`" * 100_000)
    clone.write("rows.jsonl", '{"type": "memory", "title": ' + "[" * 1_000_000 + "\n" + '{"n": ' + "9" * 200_000 + "}\n")


@kind
def remotes_and_worktrees_by_the_thousand(clone: Clone) -> None:
    """Twenty thousand remotes, branches that follow them, worktrees and refs."""
    own = clone.git("rev-parse", "HEAD")
    clone.config(
        "".join(
            f'[remote "r{n}"]\n\turl = https://example.invalid/{n}\n[branch "b{n}"]\n\tremote = r{n}\n' for n in range(20_000)
        )
    )
    for number in range(3_000):
        clone.write(f".git/refs/heads/b{number}", own + "\n")
        clone.write(f".git/worktrees/w{number}/gitdir", f"{clone.outside}/w{number}/.git\n")
        clone.write(f".git/worktrees/w{number}/HEAD", own + "\n")


def _fed(clone: Clone, word: str, text: str) -> str:
    """Returns what a command of git answers to a text."""
    (clone.base / "fed").write_text(text)
    answer = clone.git("-c", f"alias.fed=!git {word} <'{clone.base / 'fed'}'", "fed")
    (clone.base / "fed").unlink()
    return answer


def _object(clone: Clone, text: str) -> str:
    """Writes a commit, whatever git says of it; returns its name."""
    (clone.base / "object").write_text(text)
    name = clone.git("hash-object", "-t", "commit", "-w", "--literally", str(clone.base / "object"))
    (clone.base / "object").unlink()
    return name
