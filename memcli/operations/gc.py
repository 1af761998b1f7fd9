"""gc: removes for good what hooks left and nobody used, and shrinks the file."""

from __future__ import annotations

import os

from memcli import fields
from memcli.fields import Request, Result
from memcli.memory import compaction
from memcli.operations import Operation
from memcli.project import Project
from memcli.records import as_dict
from memcli.store.compaction import repack
from memcli.text import files


class GcRequest(Request):
    """Whether only to count."""

    dry_run: bool = fields.flag("Only count what would go.", default=False)


class Collected(Result):
    """What was removed for good, or would be: how many of each, and the copies of the store that were deleted."""

    memories: int
    prompts: int
    operations: int
    edits: int
    commits: int
    copies: tuple[str, ...]
    bytes_before: int
    bytes_after: int
    dry_run: bool


def plan(project: Project, request: GcRequest) -> GcRequest | Collected:
    """Counts what would be removed, if only that is wanted."""
    return _collected(project, True) if request.dry_run else request


def apply(project: Project, planned: GcRequest, actor: str) -> Collected:
    """Removes what may go."""
    return _collected(project, False)


def _collected(project: Project, dry_run: bool) -> Collected:
    before = _size(project)
    compacted = compaction.compact(project, dry_run)
    if not dry_run:
        repack(project.db)  # only at a person's wish: others wait meanwhile
    values = {**as_dict(compacted), "copies": tuple([os.path.basename(path) for path in compacted.copies])}
    return Collected(**values, bytes_before=before, bytes_after=_size(project), dry_run=dry_run)


def _size(project: Project) -> int:
    paths = [os.path.join(project.folder, name) for name in os.listdir(project.folder)] if project.folder else []
    return sum([files.size(path) for path in paths if os.path.isfile(path)])


SUMMARY = "Delete what hooks recorded long ago and nobody used, and shrink the file."
OPERATIONS = {"gc": Operation("gc", SUMMARY, GcRequest, Collected, plan, apply)}
