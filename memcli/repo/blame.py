"""Which commit brought a line, through renames, moves and copies; lines that are in no commit yet, too.

Git is given the history of the one file, so that it looks at no commit that leaves the file alone. Of a long history it gets a
sample first, and then all of the stretches between which a line came in. It runs no filter, no text conversion and no external
diff: a file that a filter reads is taken as HEAD has it.
"""

from __future__ import annotations

import os
from collections import Counter
from math import isqrt
from typing import TYPE_CHECKING

from memcli.errors import InvalidInput, MemError
from memcli.records import Record, replace
from memcli.repo import gitrun
from memcli.repo.head import is_hash, seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.repo.head import Checkout

_SECONDS = 5.0  # for one answer of git
_COPY_SECONDS = 0.5  # for looking where else in a commit a line stood before: every file of a large tree is read
_SAMPLED = 300  # commits of a file's history; of a longer one a sample is looked at first
_MERGES = 5  # merges whose sides are searched for the commit of a line
_AROUND = 10  # lines around one by which a copy is recognised: git wants 40 letters and digits
_SETTINGS = ("-c", "core.quotePath=false", "--literal-pathspecs")
_BLAME = (*_SETTINGS, "blame", "--porcelain", "--root", "-w", "--no-textconv")
_COPIES = ("-M", "-C", "-C", "-C")


class BlamedLine(Record):
    """A line of a file, the commit that brought it ("": none yet), and its path and number there.

    `outside`: it is older than the commits that git was to look at.
    """

    number: int
    text: str
    commit: str
    path: str
    place: int
    outside: bool


class Spot(Record):
    """A line of a file as a commit has it."""

    commit: str
    path: str
    place: int


def has_filter(checkout: Checkout, path: str) -> bool:
    """Tells whether git would start a program of its configuration, a filter, to compare a file."""
    words = (*_SETTINGS, "check-attr", "-z", "filter", "--", path)
    value = (gitrun.run(words, checkout.root).out.split(b"\0") + [b""] * 3)[2]
    return value not in (b"unspecified", b"unset")


def lines(checkout: Checkout, path: str, span: tuple[int, int], commit: str | None, most: int) -> tuple[list[BlamedLine], int]:
    """Returns which commits brought the lines of a file, of the working tree or, where one is given, of a commit.

    `span` may go beyond the end of the file. Of a long history only the lines of the `most` commits with most lines are returned,
    with the least number of further commits. Raises InvalidInput where the file has none of the lines, MemError where git fails.
    """
    start = commit or checkout.commit
    assert start is not None
    history = _history(checkout, start, path)
    names = list(history)
    sample = names if len(names) <= _SAMPLED else [*names[:: isqrt(len(names))], names[-1]]
    blamed = _run(checkout, path, span, commit, sample)
    more = 0
    if len(sample) < len(names):
        # A commit of the sample stands for those before it that the sample left out: they are looked at now.
        hits = [name for name, _ in Counter([line.commit for line in blamed]).most_common()]
        looked_at = {line.number for line in blamed if line.commit in hits[:most]}
        refined = _run(checkout, path, span, commit, _refined(names, sample, set(hits[:most])))
        blamed, more = [line for line in refined if line.number in looked_at], len(hits[most:])
    return _unmerged(checkout, blamed, history), more


def _refined(names: Sequence[str], sample: Sequence[str], hits: set[str]) -> list[str]:
    """Returns the sample with all commits between each hit and the next one of the sample."""
    sampled = set(sample)
    chosen, is_hit = [], False
    for name in names:
        if name in sampled:
            is_hit = name in hits
        if name in sampled or is_hit:
            chosen.append(name)
    return chosen


def _history(checkout: Checkout, start: str, path: str) -> dict[str, list[str]]:
    """Returns the commits of the main line that changed a file, newest first, with their parents; `start` is always the first."""
    words = (*_SETTINGS, "log", "--first-parent", "--format=%H %P", "--no-show-signature", start, "--", path)
    result = gitrun.run(words, checkout.root, limit=_SECONDS)
    if result.code:
        raise _failed(result, path)
    pairs = [line.split() for line in result.out.decode("ascii", "replace").splitlines()]
    return {start: [], **{pair[0]: pair[1:] for pair in pairs if pair}}


def _run(
    checkout: Checkout, path: str, span: tuple[int, int], commit: str | None, chain: Sequence[str], *more: str
) -> list[BlamedLine]:
    """Runs git blame. `chain`: commits that it is to take for a line of history, each the parent of the one before it."""
    grafts = "".join([f"{child} {parent}\n" for child, parent in zip(chain, chain[1:])]).encode()
    as_history = ("-S", "/dev/stdin") if grafts and os.path.exists("/dev/stdin") else ()
    revision = (commit,) if commit else ()
    words = (*_BLAME, *more, *as_history, "-L", f"{span[0]},{span[1]}", *revision, "--", path)
    result = gitrun.run(words, checkout.root, grafts, _SECONDS)
    if result.code:
        raise _failed(result, path)
    return _parsed(result.out)


def no_line(path: str, count: int) -> InvalidInput:
    """Returns the refusal of a line that a file of `count` lines has not."""
    return InvalidInput(f"{path} ends at line {count}", f"give a line up to {count}", "no_line")


def _failed(result: gitrun.Finished, path: str) -> MemError:
    reason = result.reason
    if " has only " in reason:
        return no_line(path, int(reason.rpartition(" has only ")[2].split(" ")[0]))
    if reason.startswith(("invalid object name", "could not open object name list")):
        hint = "correct it, or see git config --show-origin blame.ignoreRevsFile"
        return MemError("the file that blame.ignoreRevsFile names is not a list of commits", hint, "git")
    hint = gitrun.HINTS.get(result.code, "see what git blame says")
    return MemError(f"git cannot tell where the lines of {path} come from: {reason}", hint, "git")


def _parsed(output: bytes) -> list[BlamedLine]:
    """Reads what `git blame --porcelain` prints: facts of a commit stand before its first line, a path before those of it."""
    blamed: list[BlamedLine] = []
    paths: dict[str, str] = {}
    outside: set[str] = set()
    commit, origin, number = "", 0, 0
    for line in output.split(b"\n"):
        if line.startswith(b"\t"):
            text = line[1:].rstrip(b"\r").decode("utf-8", "replace")
            name = "" if not commit.strip("0") else commit
            blamed.append(BlamedLine(number, text, name, paths.get(commit, ""), origin, commit in outside))
        elif line.startswith(b"filename "):
            paths[commit] = _unquoted(line[9:])
        elif line == b"boundary":
            outside.add(commit)
        else:
            words = line.split(b" ")
            if len(words) in (3, 4) and is_hash(words[0].decode("ascii", "replace")):
                commit, origin, number = (
                    words[0].decode(),
                    seconds(words[1].decode("ascii", "replace")),
                    seconds(words[2].decode("ascii", "replace")),
                )
    return blamed


def _unquoted(name: bytes) -> str:
    """Returns a path that git may have put in quotation marks, with escapes as C has them."""
    if name.startswith(b'"'):
        try:
            name = name[1:-1].decode("unicode_escape").encode("latin-1", "replace")
        except UnicodeDecodeError:  # no escape that git writes: the name as it stands
            pass
    return os.fsdecode(name)


def _unmerged(checkout: Checkout, blamed: list[BlamedLine], history: dict[str, list[str]]) -> list[BlamedLine]:
    """Follows lines that a merge brought into its side: the main line knows only the merge."""
    merges = [name for name in dict.fromkeys([line.commit for line in blamed]) if len(history.get(name, ())) > 1]
    for merge in merges[:_MERGES]:
        brought = [line for line in blamed if line.commit == merge]
        span = min(line.place for line in brought), max(line.place for line in brought)
        before = f"^{history[merge][0]}"
        on_side = {line.number: line for line in _run(checkout, brought[0].path, span, merge, (), before) if not line.outside}
        blamed = [
            replace(on_side[line.place], number=line.number) if line.commit == merge and line.place in on_side else line
            for line in blamed
        ]
    return blamed


def origin(checkout: Checkout, line: BlamedLine) -> Spot | None:
    """Returns where a line stood before its commit moved or copied it there; None where it is new, or that takes too long.

    For a line that is in no commit yet, where HEAD has it.
    """
    span = max(1, line.place - _AROUND), line.place + _AROUND
    revisions = f"{line.commit}^!" if line.commit else f"^{checkout.commit}"
    words = (*_BLAME, *_COPIES, "-L", f"{span[0]},{span[1]}", revisions, "--", line.path)
    result = gitrun.run(words, checkout.root, limit=_COPY_SECONDS)
    if result.code:
        return None
    before = next((it for it in _parsed(result.out) if it.number == line.place), None)
    is_elsewhere = before is not None and before.outside and before.commit != line.commit
    return Spot(before.commit, before.path, before.place) if before and is_elsewhere else None
