"""embed: compute vectors, so that questions can be compared by meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcli import fields, models
from memcli.cli import output
from memcli.cli.invoke import Common, reading, writing
from memcli.fields import Request
from memcli.project import Project
from memcli.recall import semantic
from memcli.store.vectors import KINDS


class EmbedOptions(Request):
    """The options of `mem embed`."""

    action: str | None = fields.text("status: only show how much is encoded.", default=None, choices=("status",))
    kind: str = fields.text("What to encode.", default="all", choices=(*KINDS, "all"))


def embed(request: EmbedOptions, common: Common) -> None:
    """Encodes what has no current vector, with a progress bar on a terminal. `status` only counts."""
    kinds = KINDS if request.kind == "all" else (request.kind,)
    if request.action == "status":
        status, done = reading(common, lambda project: _status(project, kinds)), None
    else:
        status, done = writing(common, lambda project: _embed(project, kinds, common.json))
    if common.json:
        return output.data(status | ({} if done is None else {"encoded": done.encoded, "removed": done.removed}))
    if done is not None:
        output.show(f"{done.encoded:,} encoded" + (f", {done.removed:,} taken out" if done.removed else ""))
    for row in status["kinds"]:
        stale = f", {row['stale']:,} of an older text" if row["stale"] else ""
        output.show(f"{row['kind']:<7} {row['current']:,} of {row['total']:,} current{stale}")
    output.show(output.paint(f"by {status['model']}", "dim"))


def _status(project: Project, kinds: Sequence[str]) -> dict[str, Any]:
    counts = semantic.status(project, kinds)
    listed = [{"kind": count.kind, "total": count.total, "current": count.current, "stale": count.stale} for count in counts]
    return {"model": models.model_of(project.config), "kinds": listed}


def _embed(project: Project, kinds: Sequence[str], quiet: bool) -> tuple[dict[str, Any], semantic.EmbedResult]:
    if quiet or not output.is_terminal(2):
        done = semantic.embed(project, kinds)
    else:
        from memcli.cli.progress import progress

        with progress("embed", sum([count.total - count.current for count in semantic.status(project, kinds)])) as advance:
            done = semantic.embed(project, kinds, advance)
    return _status(project, kinds), done
