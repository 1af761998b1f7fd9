"""What changed in a checkout: names that left the code, commits that were reverted, files that are as HEAD has them.

Everything here runs git, and belongs into the worker.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from memcli.records import Record
from memcli.repo import gitrun, history, worktree
from memcli.repo.head import seconds
from memcli.text.analysis import has_inner_capital

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from memcli.repo.head import Checkout

    Pairs = list[tuple[history.Commit, history.Commit]]

_SECONDS = 20.0  # a large diff, a search through a large tree
_PARTS = 7  # of a commit before the names of its files
_MOST = 4 << 20  # bytes of a diff that are read
_LATEST = 1_000  # commits that are searched for a reverted one
# Prose names what is gone for good reasons: change logs, guides, reports.
_CODE = (":(top)", *[f":(exclude,top,icase)*.{suffix}" for suffix in ("md", "rst", "txt", "adoc", "org", "log")])

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*")
_SHORTEST = 5  # characters of a name; what is shorter may be any word
_REVERT = re.compile(r'Revert "(.+)"$')
_REAPPLY = re.compile(r'(?:Reapply|Revert "Revert) "(.+?)"+$')
_REVERTED_ID = re.compile(r"This reverts commit ([0-9a-f]{40,64})")
# What defines a name on a line, or gives it a value: where only a use is gone, what it used may still be there.
_DEFINES = re.compile(
    r"^\s*(?:(?:export|public|private|protected|static|async|final|pub(?:\(\w+\))?|default|abstract|declare|open|override)\s+)*"
    r"(?:(?:def|defp|defmodule|defmacro|class|func|fun|fn|function|sub|struct|enum|interface|trait|type|module|let|const|var|val|"
    r"macro_rules!|#define|impl|record|object)\s+(?:\([^)]*\)\s*)?([\w.]+)|([\w.\"']+)\s*(?::=|=(?!=)|:(?!:)))"
)


def names(text: str) -> list[str]:
    """Returns the words of a text that only code has: with _, an inner capital, or a hyphen between two parts, in their order."""
    words = [word for word in _NAME.findall(text) if len(word) >= _SHORTEST]
    return list(dict.fromkeys([word for word in words if "_" in word.strip("_") or "-" in word or has_inner_capital(word)]))


def changed_names(checkout: Checkout, before: str, after: str) -> tuple[set[str], set[str]]:
    """Returns the names on the lines that the commits of `after` took out of the code since `before`, and on those that came in.

    Commits that both sides have count on neither, so that a switch of branches is no change. Nothing where git cannot tell.
    """
    words = ("diff", "-U0", *history.PLAIN, f"{before}...{after}", "--", *_CODE)
    removed: set[str] = set()
    added: set[str] = set()
    for line in _lines(checkout, words):
        if line.startswith("-") and not line.startswith("---"):
            removed.update(_on_line(line[1:]))
        elif line.startswith("+") and not line.startswith("+++"):
            added.update(_on_line(line[1:]))
    return removed, added


def _on_line(line: str) -> Iterator[str]:
    """Yields the names that a line of code defines. One with hyphens is a name where it stands alone, as a value or quoted."""
    defined = _DEFINES.match(line)
    own = names((defined[1] or defined[2]).strip("\"'")) if defined else []
    alone = line.strip().lstrip("- ").partition(": ")[2] or line.strip().lstrip("- ")
    quoted = re.findall(r"[\"'`]([^\"'`]+)[\"'`]", line)
    for name in names(line):
        if name in own or ("-" in name and name in (alone.strip(), *quoted)):
            yield name


def present(checkout: Checkout, commit: str, some_names: Iterable[str]) -> set[str]:
    """Returns those of some names that the code of a commit still has; all where git cannot tell."""
    names = sorted(some_names)
    if not names:
        return set()
    patterns = [word for name in names for word in ("-e", name)]
    words = ("grep", "-h", "-o", "-w", "-F", "-I", "--no-color", *patterns, commit, "--", *_CODE)
    hits: set[str] = set()
    tail = b""

    def take(data: bytes) -> None:
        nonlocal tail
        *lines, tail = (tail + data).split(b"\n")
        hits.update([line.decode("utf-8", "replace") for line in set(lines)])
        if hits.issuperset(names):
            raise _Enough

    try:
        result = gitrun.run(words, checkout.root, limit=_SECONDS, sink=take)
    except _Enough:
        return hits & set(names)
    return hits & set(names) if result.code in (0, 1) else set(names)


def reverted(checkout: Checkout, before: str, after: str) -> tuple[Pairs, Pairs]:
    """Returns the commits that those from `before` to `after` reverted, and those that they brought back.

    Each comes with the commit that did so. They are recognised by git's wording: by the id that a message names, else by the
    subject, where only one commit has it: `Revert "SUBJECT"`, `Reapply "SUBJECT"`.
    """
    new = history.listed(checkout, ("-n", str(_LATEST), f"{before}..{after}")) or {}
    reverted_ids = _reverted_ids(checkout, before, after) if new else {}
    if not any(
        commit.id in reverted_ids or _REVERT.match(commit.subject) or _REAPPLY.match(commit.subject) for commit in new.values()
    ):
        return [], []
    latest = history.listed(checkout, ("-n", str(_LATEST), after)) or {}
    undone: Pairs = []
    returned: Pairs = []
    for commit in new.values():
        again, subject = _REAPPLY.match(commit.subject), _REVERT.match(commit.subject)
        target = latest.get(reverted_ids.get(commit.id, ""))
        if target and (revert := _REVERT.match(target.subject)):  # a revert that is reverted brings its commit back
            returned += _of_subject(latest, revert[1], commit)
        elif again:
            returned += _of_subject(latest, again[1], commit)
        elif target:
            undone.append((target, commit))
        elif subject:
            undone += _of_subject(latest, subject[1], commit)
    return undone, returned


def _reverted_ids(checkout: Checkout, before: str, after: str) -> dict[str, str]:
    """Returns which commit each new commit says it reverts: id -> id."""
    words = ("log", "-n", str(_LATEST), "-F", "--grep=This reverts commit ", "--format=%x01%H%n%B", f"{before}..{after}")
    messages = "\n".join(_lines(checkout, words)).split("\1")[1:]
    return {message.partition("\n")[0]: match[1] for message in messages if (match := _REVERTED_ID.search(message))}


def takes_back(subject: str, body: str = "") -> bool:
    """Tells whether a commit takes another back, as git words it; one that brings it back does not."""
    return bool(_REVERT.match(subject) or _REVERTED_ID.search(body)) and not _REAPPLY.match(subject)


def reverted_subject(subject: str) -> str:
    """Returns the subject of the commit that a commit with this subject reverted, as git words it, or ""."""
    if match := _REVERT.match(subject):
        return match[1]
    match = _REAPPLY.match(subject)
    return f'Revert "{match[1]}"' if match else ""


def reverted_id(body: str) -> str:
    """Returns the id of the commit that a message says it reverts, or ""."""
    match = _REVERTED_ID.search(body)
    return match[1] if match else ""


def _of_subject(commits: dict[str, history.Commit], subject: str, by: history.Commit) -> Pairs:
    same = [(commit, by) for commit in commits.values() if commit.subject == subject]
    return same if len(same) == 1 else []


def as_committed(checkout: Checkout, paths: Collection[str]) -> set[str]:
    """Returns those of some paths that stand in the working tree as HEAD of `checkout` has them, or are in neither; none
    where git cannot tell.

    Their bytes are compared here: git would start the filters of the repository's own configuration to compare them. A file that
    a filter has changed is taken for changed.
    """
    inside = [path for path in paths if worktree.place(checkout.root, path)]  # git refuses all where one is outside
    if not inside or checkout.commit is None:
        return set()
    words = ("--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", checkout.commit, "--", *inside)
    tree = gitrun.run(words, checkout.root, limit=_SECONDS)
    blobs = dict([_blob(entry) for entry in tree.out.split(b"\0") if entry]) if not tree.code else {}
    there = {path for path in inside if os.path.lexists(os.path.join(checkout.root, path))}
    absent = set() if tree.code else {path for path in inside if path not in blobs and path not in there}
    return absent | {path for path in there if path in blobs and _has(checkout, path, blobs[path])}


def gone(checkout: Checkout, paths: Collection[str]) -> set[str]:
    """Returns those of some paths that neither the working tree nor HEAD has; none where a new file may be one of them, moved."""
    absent = [path for path in paths if not os.path.isabs(path) and ".." not in path.split("/")]
    absent = [path for path in absent if not os.path.lexists(os.path.join(checkout.root, path))]
    if not absent or checkout.commit is None:
        return set()
    new = gitrun.run(("ls-files", "-z", "--others", "--exclude-standard"), checkout.root, limit=_SECONDS)
    staged = gitrun.run(("diff-index", "--cached", "--quiet", checkout.commit), checkout.root, limit=_SECONDS)
    words = ("--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", "--name-only", checkout.commit, "--", *absent)
    tree = gitrun.run(words, checkout.root, limit=_SECONDS)
    if new.code or new.out or staged.code or tree.code:
        return set()
    return set(absent) - {os.fsdecode(path) for path in tree.out.split(b"\0")}


def differing(checkout: Checkout, before: str, after: str) -> set[str] | None:
    """Returns the files that are not the same in two commits; None where git cannot tell."""
    words = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", before, after)
    result = gitrun.run(words, checkout.root, limit=_SECONDS)
    return None if result.code else {os.fsdecode(path) for path in result.out.split(b"\0") if path}


def is_elsewhere(checkout: Checkout, paths: Collection[str], since: int) -> bool:
    """Tells whether a commit outside of HEAD's history, of any branch or a stash, changed some files since a moment in seconds.

    True where git cannot tell.
    """
    words = ("--literal-pathspecs", "rev-list", "-n1", f"--since=@{since}", "--all", "^HEAD", "--", *sorted(paths))
    result = gitrun.run(words, checkout.root, limit=_SECONDS)
    return bool(result.code or result.out.strip())


def _blob(entry: bytes) -> tuple[str, str]:
    """Returns (path, id) of a line of `git ls-tree -z`: mode, type and id, a tab, the path."""
    fields, _, path = entry.partition(b"\t")
    return os.fsdecode(path), fields.split(b" ")[2].decode("ascii")


def _has(checkout: Checkout, path: str, blob: str) -> bool:
    """Tells whether a file of the working tree has the bytes of a blob, whatever its line ends are."""
    content = worktree.content(checkout.root, path)
    return content is not None and worktree.is_blob(content, blob)


class _Enough(Exception):
    """More than is read."""


def _lines(checkout: Checkout, words: tuple[str, ...]) -> list[str]:
    """Returns the first lines that git prints; none if it failed."""
    pieces: list[bytes] = []

    def take(data: bytes) -> None:
        pieces.append(data)
        if sum(map(len, pieces)) > _MOST:
            raise _Enough

    try:
        result = gitrun.run(words, checkout.root, limit=_SECONDS, sink=take)
    except _Enough:
        return b"".join(pieces)[:_MOST].decode("utf-8", "replace").split("\n")
    return [] if result.code else b"".join(pieces).decode("utf-8", "replace").split("\n")


class MadeCommit(Record):
    """A commit as its maker worded it, with the files that it changed. `at`: seconds since 1970; `written`: at first."""

    id: str
    at: int
    written: int
    author: str
    email: str
    subject: str
    body: str
    files: tuple[str, ...]


def read(checkout: Checkout, commit: str) -> MadeCommit | None:
    """Returns a commit with its message, None where git cannot tell."""
    return next(iter(_read_log(checkout, ("--name-only", "-1", commit))), None)


def made(checkout: Checkout, before: str, after: str, most: int) -> list[MadeCommit]:
    """Returns the last commits of `after` that `before` has not, without merges, oldest first; none where git cannot tell."""
    return _read_log(checkout, ("--name-only", f"-{most}", f"{before}..{after}"))


def written_between(checkout: Checkout, first: int, last: int, most: int) -> list[MadeCommit]:
    """Returns the last commits of HEAD that were written between two moments, in seconds since 1970; without merges and files."""
    recent = _read_log(checkout, (f"-{_LATEST}", f"--since=@{first}", checkout.commit)) if checkout.commit else []
    return [commit for commit in recent if first <= commit.written <= last][-most:]


def identity(checkout: Checkout) -> tuple[str, str]:
    """Returns the name and the address under which commits are written here; empty where nobody can tell."""
    own = tuple([os.environ.get(f"GIT_AUTHOR_{part}", "") for part in ("NAME", "EMAIL")])  # git is run without these
    if all(own):
        return own[0], own[1]
    result = gitrun.run(("var", "GIT_AUTHOR_IDENT"), checkout.root)
    name, _, rest = ("" if result.code else result.out.decode("utf-8", "replace")).partition(" <")
    return name, rest.partition(">")[0]


def _read_log(checkout: Checkout, arguments: tuple[str, ...]) -> list[MadeCommit]:
    format_words = (
        "--no-merges",
        "--encoding=UTF-8",
        "--format=%x01%H%x00%ct%x00%at%x00%an%x00%ae%x00%s%x00%b%x00",
        *history.PLAIN,
    )
    records = "\n".join(_lines(checkout, ("log", *format_words, *arguments))).split("\1")[1:]
    return [_made(record) for record in reversed(records) if record.count("\0") >= _PARTS]


def _made(record: str) -> MadeCommit:
    name, at, written, author, email, subject, body, files = record.split("\0", _PARTS)
    paths = [path for path in files.split("\n") if path]
    return MadeCommit(name, seconds(at), seconds(written), author, email, subject, body.strip(), tuple(paths))
