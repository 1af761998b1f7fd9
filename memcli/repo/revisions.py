"""Commits and the files in them as a person names them: what a name means, what a commit says, which commits changed a file."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from memcli.records import Record
from memcli.repo import gitrun
from memcli.repo.head import is_bare, is_hash, seconds, storable_name
from memcli.screening import mask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.repo.head import Checkout

FILE, LINK, FOLDER, SUBMODULE = "file", "link", "folder", "submodule"
_SECONDS = 5.0
_LONGEST = 1_000  # characters of a name
_BODY = 4_000  # characters of a message
_SUBJECT, _NAME = 500, 200  # characters: a commit of a stranger may have megabytes of either, and an agent is shown all of it
_KINDS = {b"120000": LINK, b"040000": FOLDER, b"160000": SUBMODULE}
_HUNK = re.compile(rb"@@ -[0-9,]+ \+([0-9]+)")
_LITERAL = "--literal-pathspecs"
_FORMAT = "--format=%H%x00%P%x00%an%x00%at%x00%s%x00%b%x00"


class DescribedCommit(Record):
    """A commit: its parents, who wrote it and when (seconds since 1970), its subject and the rest of its message.

    Secrets in them are masked, as agents are shown all of it.
    """

    id: str
    parents: tuple[str, ...]
    author: str
    at: int
    subject: str
    body: str


class TreeEntry(Record):
    """What a commit has at a path: its kind, and the id of its content."""

    kind: str
    blob: str


def resolve(checkout: Checkout, name: str) -> str | None:
    """Returns the full hash of the commit that a name means: a hash or the beginning of one, a branch, a tag, `HEAD~2`."""
    if not name or len(name) > _LONGEST or not name.isprintable():
        return None
    words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    text = gitrun.run(words, checkout.root, limit=_SECONDS, bare=is_bare(checkout)).out.decode("ascii", "replace").strip()
    return text if is_hash(text) else None


def described(checkout: Checkout, commits: Sequence[str]) -> dict[str, DescribedCommit]:
    """Returns what commits say of themselves; those that this clone has not got are left out."""
    if not commits:
        return {}
    words = ("log", "--no-walk=unsorted", "--ignore-missing", "--stdin", "--no-show-signature", "--encoding=UTF-8", _FORMAT)
    names = "".join([f"{name}\n" for name in commits]).encode()
    output = gitrun.run(words, checkout.root, names, _SECONDS, is_bare(checkout)).out.decode("utf-8", "replace")
    fields = output.split("\0")[:-1]
    rows = [fields[start : start + 6] for start in range(0, len(fields) - 5, 6)]
    revisions = [_described(*row) for row in rows]
    return {revision.id: revision for revision in revisions}


def children_first(checkout: Checkout, commits: Sequence[str], since: int) -> list[str]:
    """Returns commits in the order of the history, none before what builds upon it. `since`: seconds; none is older."""
    words = ("rev-list", "--topo-order", "--ignore-missing", f"--since={since}", "--stdin")
    names = "".join([f"{name}\n" for name in commits]).encode()
    output = gitrun.run(words, checkout.root, names, _SECONDS, is_bare(checkout)).out.decode("ascii", "replace")
    wanted = set(commits)
    return [name for name in output.split() if name in wanted]


def subjects(checkout: Checkout, limit: int) -> dict[str, str]:
    """Returns the subjects of the last commits of HEAD's history, latest first. They are as git has them: not to be shown."""
    if checkout.commit is None:
        return {}
    words = ("log", f"-n{limit}", "--no-show-signature", "--encoding=UTF-8", "--format=%H%x00%s%x00", checkout.commit)
    fields = gitrun.run(words, checkout.root, limit=_SECONDS, bare=is_bare(checkout)).out.decode("utf-8", "replace").split("\0")
    return {name.strip(): subject for name, subject in zip(fields[::2], fields[1::2])}


def _described(name: str, parents: str, author: str, at: str, subject: str, body: str) -> DescribedCommit:
    who, what = storable_name(author[:_BODY])[:_NAME], storable_name(subject[:_BODY])[:_SUBJECT]
    fields = who, seconds(at), what, mask(body.strip()[:_BODY]).text
    return DescribedCommit(name.strip(), tuple(parents.split()), *fields)


def entry(checkout: Checkout, commit: str | None, path: str) -> TreeEntry | None:
    """Returns what a commit has at a path, None for nothing."""
    if commit is None:
        return None
    output = gitrun.run((_LITERAL, "ls-tree", "-z", commit, "--", path), checkout.root, limit=_SECONDS).out
    facts, _, name = output.partition(b"\0")[0].partition(b"\t")
    words = facts.split(b" ")
    if len(words) != 3 or os.fsdecode(name) != path:
        return None
    return TreeEntry(_KINDS.get(words[0], FILE), words[2].decode())


def latest(checkout: Checkout, path: str, limit: int) -> list[str]:
    """Returns the last commits of HEAD's history that changed a path, or took it away, newest first."""
    if checkout.commit is None:
        return []
    words = (_LITERAL, "log", f"-n{limit}", "--format=%H", "--no-show-signature", checkout.commit, "--", path)
    output = gitrun.run(words, checkout.root, limit=_SECONDS).out.decode("ascii", "replace")
    return [name for name in output.split() if is_hash(name)]


def changed_paths(checkout: Checkout, revision: DescribedCommit, limit: int) -> list[str]:
    """Returns the first paths that a commit changed; of a merge those that it changed for its first parent."""
    words = ("diff-tree", "-r", "-z", "--no-commit-id", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv")
    output = gitrun.run((*words, *_trees(revision)), checkout.root, limit=_SECONDS, bare=is_bare(checkout)).out
    return [os.fsdecode(path) for path in output.split(b"\0") if path][:limit]


def added(checkout: Checkout, revision: DescribedCommit, path: str) -> list[tuple[int, list[str]]]:
    """Returns the stretches of lines that a commit brought into a file: the number of the first, and the lines."""
    words = ("diff-tree", "-r", "-p", "-U0", "--no-commit-id", "--no-renames", "--no-color", "--no-ext-diff", "--no-textconv")
    result = gitrun.run((_LITERAL, *words, *_trees(revision), "--", path), checkout.root, limit=_SECONDS, bare=is_bare(checkout))
    stretches: list[tuple[int, list[str]]] = []
    for line in result.out.split(b"\n"):
        if hunk := _HUNK.match(line):
            stretches.append((int(hunk[1]), []))
        elif line.startswith(b"+") and stretches:
            stretches[-1][1].append(line[1:].rstrip(b"\r").decode("utf-8", "replace"))
    return [stretch for stretch in stretches if stretch[1]]


def _trees(revision: DescribedCommit) -> list[str]:
    """Returns the arguments by which git compares a commit with its first parent, or with nothing where it has none."""
    return [revision.parents[0], revision.id] if revision.parents else ["--root", revision.id]


def contents(checkout: Checkout, commits: Sequence[str], path: str) -> dict[str, str]:
    """Returns the id of what each commit has at a path, "" for nothing; commits that this clone has not got are left out."""
    if not commits or "\n" in path:
        return {}
    names = b"".join([b"%s\n%s:%s\n" % (name.encode(), name.encode(), os.fsencode(path)) for name in commits])
    words = ("cat-file", "--batch-check=%(objectname)")
    output = gitrun.run(words, checkout.root, names, _SECONDS).out.decode("utf-8", "replace").splitlines()
    pairs = list(zip(commits, output[0::2], output[1::2]))
    return {name: blob if is_hash(blob) else "" for name, itself, blob in pairs if is_hash(itself)}
