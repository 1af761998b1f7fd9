"""status: the memory at a glance, or in a few characters for a shell's prompt."""

from __future__ import annotations

import os

from memcli import fields
from memcli.cli import output
from memcli.errors import MemError, NotFound
from memcli.fields import Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common
    from memcli.operations.status import Overview
    from memcli.project import Where


class StatusOptions(Request):
    """Whether to print only a few characters."""

    short: bool = fields.flag("Print a few characters for a shell's prompt, or nothing without a memory.", default=False)


def status(request: StatusOptions, common: Common) -> None:
    """Prints the status of a memory."""
    if request.short and not common.json:
        if text := segment(common.where):
            output.show(text)
        return
    from memcli.cli.invoke import answer, invite, reading, show
    from memcli.cli.verbs import migrate
    from memcli.operations.status import StatusRequest

    show(common, answer(common, "status", StatusRequest()), _worded)
    if not common.json:
        reading(common, invite)
        migrate.name_stores(common, ["mempack"])


def segment(where: Where) -> str:
    """Returns the numbers of memories, changes to push (+) and failed events (!); "" if nothing is stored.

    A prompt is no place for an error, so a sign stands for whatever cannot be read: mem doctor says more.
    """
    from memcli import store
    from memcli.project import folder_of, locate
    from memcli.store import opening, summary

    try:
        path = os.path.join(folder_of(locate(where).repo_id, where.workspace), "memory.db")
        if not os.path.lexists(path) or not os.path.isabs(path):
            return "mem !" if opening.is_lost(path) else ""
        db = opening.open_reader(path)
        try:
            counts = summary.read(db)
        finally:
            db.close()
    except NotFound:
        return ""
    except (MemError, store.Error, OSError):
        return "mem !"
    signs = [f"{sign}{count}" for sign, count in (("+", counts.unpushed), ("!", counts.failed)) if count]
    return " ".join(["mem", str(counts.memories), *signs])


def _worded(result: Overview) -> str:
    from memcli.cli.verbs.repositories import counted
    from memcli.operations.status import reason_of
    from memcli.text import dates
    from memcli.text.terminal import oneline

    status, now = result.status, result.now
    place = f" at {status.commit[:7]}" if status.commit else ""
    rows = [
        ("memory", f"{oneline(status.name)} ({status.repo_id or 'nothing stored yet'}), workspace {status.workspace}"),
        ("branch", f"{oneline(status.branch) or 'none'}{place}"),
        ("stored", counted(status.memories)),
    ]
    if result.checkpoint:
        rows.append(("state", f"{oneline(reason_of(result.checkpoint))}, {dates.ago(result.checkpoint.created_at, now)}"))
    given_up = f", {status.failed:,} given up: see mem queue" if status.failed else ""
    rows.append(("queue", f"{status.waiting or 'nothing'} waiting{given_up}"))
    if shared := status.shared:
        parts = [f"{shared.pending:,} to push"] * bool(shared.pending) + [f"{shared.quarantined:,} held back"] * bool(
            shared.quarantined
        )
        last = f"synchronized {dates.ago(dates.parse(shared.last), now)}" if shared.last else "never synchronized"
        rows.append(("shared", ", ".join([f"through {oneline(shared.remote)}", *parts, last])))
        rows += [("", f"the last attempt failed: {oneline(shared.error)}")] * bool(shared.error)
    return "\n".join(output.table(rows, ("heading", "")))
