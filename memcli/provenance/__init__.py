"""Why is it like this? From lines through their commits to the sessions, prompts and decisions that made them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memcli.errors import MemError
from memcli.project import Project
from memcli.provenance import authors, reasons, reverts
from memcli.provenance.authors import Author
from memcli.provenance.reasons import Reason
from memcli.provenance.target import Kind, WhyTarget, parse
from memcli.records import Record, replace
from memcli.repo import blame, head, revisions, worktree
from memcli.repo.blame import BlamedLine
from memcli.repo.head import Checkout
from memcli.repo.revisions import DescribedCommit
from memcli.text import bounded

if TYPE_CHECKING:
    from collections.abc import Sequence

_GROUPS = 5  # commits that lines are explained by
_COMMITS = 5  # of a file that is explained as a whole
_STEPS = 4  # places that a line is followed through
_PATHS = 200  # of a commit
_BINARY = "it is binary and has no lines: the commits that changed it"
_CUT = "this clone is shallow: what is older than its first commit cannot be seen"
_FILTERED = "a filter of git's configuration reads this file: it is shown as HEAD has it"


class ExplainedChange(Record):
    """What brought lines, or a commit as a whole: the commit (None: it is in none yet) and what led to it.

    `spans`: the lines as they are asked about; `text`: their beginning; `place`: path and line in that commit; `came_from`: the
    path and line from which the commit moved or copied them, which the next change explains; `took_back`: the commit that it
    reverted; `taken_back_by`: where a commit is asked about, the one that reverted it.
    """

    spans: tuple[tuple[int, int], ...]
    text: str
    commit: DescribedCommit | None
    place: tuple[str, int]
    came_from: tuple[str, int] | None
    took_back: DescribedCommit | None
    paths: tuple[str, ...]
    authors: tuple[Author, ...]
    decided: tuple[Reason, ...]
    dropped: tuple[Reason, ...]
    taken_back_by: DescribedCommit | None = None


class Explanation(Record):
    """What a question was about, the changes that explain it, how many more there are, and what could not be looked at."""

    kind: Kind
    target: WhyTarget
    changes: tuple[ExplainedChange, ...]
    more: int
    notes: tuple[str, ...]


def explain(project: Project, text: str) -> Explanation:
    """Returns why something is as it is. Raises InvalidInput or NotFound for what cannot be explained, and MemError."""
    target = parse(project, text)
    assert project.checkout is not None
    notes = [_CUT] if head.is_shallow(project.checkout) else []
    if target.commit:
        return _of_commit(project, project.checkout, target, notes)
    if target.span is None:
        return _of_file(project, project.checkout, target, notes)
    return _of_lines(project, project.checkout, target, target.span, notes)


def _of_commit(project: Project, checkout: Checkout, target: WhyTarget, notes: list[str]) -> Explanation:
    revision = revisions.described(checkout, [target.commit])[target.commit]
    paths = revisions.changed_paths(checkout, revision, _PATHS)
    change = replace(_change(project, revision, paths), taken_back_by=reverts.reverting(checkout, revision))
    return Explanation("commit", target, (change,), 0, tuple(notes))


def _of_file(project: Project, checkout: Checkout, target: WhyTarget, notes: list[str]) -> Explanation:
    """Explains a file by its last commits, and by what is in none yet."""
    names = revisions.latest(checkout, target.path, _COMMITS + 1)
    described = revisions.described(checkout, names[:_COMMITS])
    pending = [_change(project, None, [target.path])] if _is_changed(checkout, target.path) else []
    until = project.now if pending else None  # when the change came that followed
    committed = []
    for name in [name for name in names[:_COMMITS] if name in described]:
        committed.append(_change(project, described[name], [target.path], until=until))
        until = described[name].at * 1000
    return Explanation("file", target, (*pending, *committed), max(0, len(names) - _COMMITS), tuple(notes))


def _is_changed(checkout: Checkout, path: str) -> bool:
    """Tells whether the working tree has something else than HEAD; line ends and what a filter converts are no matter."""
    full = os.path.join(checkout.root, path)
    entry = revisions.entry(checkout, checkout.commit, path)
    if entry is None or not os.path.lexists(full):
        return entry is not None or os.path.lexists(full)
    content = worktree.content(checkout.root, path)
    if content is None or entry.kind != revisions.FILE or len(entry.blob) != 40 or blame.has_filter(checkout, path):
        return False
    return not worktree.is_blob(content, entry.blob)


def _of_lines(project: Project, checkout: Checkout, target: WhyTarget, span: tuple[int, int], notes: list[str]) -> Explanation:
    entry = revisions.entry(checkout, checkout.commit, target.path)
    full = os.path.join(checkout.root, target.path)
    if (entry and entry.kind == revisions.LINK) or os.path.islink(full) or _is_binary(full):
        return _of_file(project, checkout, target, [*notes, _BINARY])
    is_there = os.path.isfile(full)
    if entry is None and not _is_staged(checkout, target.path):
        return _of_new_file(project, target, span, notes)
    is_filtered = is_there and blame.has_filter(checkout, target.path)
    if is_filtered:
        notes = [*notes, _FILTERED]
    start = None if is_there and not is_filtered else checkout.commit
    blamed, more = blame.lines(checkout, target.path, span, start, _GROUPS)
    groups: dict[tuple[str, str], list[BlamedLine]] = {}
    for line in blamed:
        groups.setdefault((line.commit, line.path), []).append(line)
    largest = sorted(groups.values(), key=len, reverse=True)[:_GROUPS]
    changes = [change for group in largest for change in _of_group(project, checkout, group)]
    return Explanation("lines", target, tuple(changes), max(0, len(groups) - _GROUPS) + more, tuple(notes))


def _is_binary(path: str) -> bool:
    try:
        file = bounded.open_regular(path)
    except OSError:
        return False
    try:
        return b"\0" in bounded.first(file, worktree.SAMPLE)
    except OSError:
        return False
    finally:
        os.close(file)


def _is_staged(checkout: Checkout, path: str) -> bool:
    """Tells whether a file that HEAD has not got is in the index, as after `git mv`, so that git knows where it comes from."""
    return checkout.commit is not None and worktree.is_tracked(checkout, path)


def _of_new_file(project: Project, target: WhyTarget, span: tuple[int, int], notes: list[str]) -> Explanation:
    """Explains lines of a file that no commit and no index has."""
    content = worktree.content(project.root, target.path)
    if content is None:
        raise MemError(f"{target.path} cannot be read", "check its permissions and its size", "unreadable")
    every = content.decode("utf-8", "replace").splitlines()
    if span[0] > len(every):
        raise blame.no_line(target.path, len(every))
    spans = ((span[0], min(span[1], len(every))),)
    text = "\n".join(every[span[0] - 1 : span[1]])
    change = replace(_change(project, None, [target.path], text), spans=spans, place=(target.path, span[0]))
    return Explanation("lines", target, (change,), 0, tuple(notes))


def _of_group(project: Project, checkout: Checkout, group: Sequence[BlamedLine]) -> list[ExplainedChange]:
    """Explains lines that one commit brought, and the commits from which they were moved or copied."""
    line = group[0]
    text = "\n".join([line.text for line in group])
    spans = _spans([line.number for line in group])
    changes: list[ExplainedChange] = []
    for _ in range(_STEPS):
        spot = blame.origin(checkout, line) if checkout.commit else None
        revision = revisions.described(checkout, [line.commit]).get(line.commit) if line.commit else None
        came_from = (spot.path, spot.place) if spot else None
        change = _change(project, revision, [line.path], text)
        changes.append(replace(change, spans=spans, place=(line.path, line.place), came_from=came_from))
        if spot is None:
            break
        ((line, *_), _) = blame.lines(checkout, spot.path, (spot.place, spot.place), spot.commit, 1)
    return changes


def _spans(numbers: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Returns the stretches that some ascending numbers make."""
    spans: list[tuple[int, int]] = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    return tuple(spans)


def _change(
    project: Project, revision: DescribedCommit | None, paths: Sequence[str], text: str = "", until: int | None = None
) -> ExplainedChange:
    """Returns a commit, or with None what is in none yet, with its sessions and reasons. `until`: when the next change came."""
    made_by = authors.of_commit(project, revision, paths, text) if revision else authors.of_work(project, paths[0], text)
    why = reasons.of_change(project, made_by, revision.id if revision else "", paths, text, until)
    took_back = reverts.reverted_by(project.checkout, revision) if revision and project.checkout else None
    return ExplainedChange(
        (), text, revision, ("", 0), None, took_back, tuple(paths), tuple(made_by), tuple(why.decided), tuple(why.dropped)
    )
