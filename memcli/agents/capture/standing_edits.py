"""Observations of edits that a later edit of the same turn, or git, partly reverted: they keep only what the file still has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memcli.agents.capture.findings import TITLE, clipped
from memcli.agents.capture.observations import summary_text
from memcli.memory.projection import fold
from memcli.repo import worktree
from memcli.store import memories, oplog
from memcli.store.oplog import Change
from memcli.text.terminal import oneline

if TYPE_CHECKING:
    from memcli.repo.head import Checkout
    from memcli.store import Connection
    from memcli.store.memories import Memory

_BROUGHT = re.compile(
    r"^(?:`.*` became|added(?: \d+ lines?)?(?:, removed \d+ lines?)?:?) `(.+)`$", re.S
)  # as tool_rules words it
_LARGEST = 1 << 20  # bytes of a file that is looked at


def without_gone(db: Connection, checkout: Checkout, memory: Memory, path: str) -> list[Change]:
    """Returns the changes that reduce an observation of edits to one file to those that the file still has, if any."""
    operations = oplog.of_object(db, memory.id)
    fields = fold(operations).fields
    facts = list(fields.get("facts") or ())
    if len(facts) < 2 or any(op.actor not in memories.OBSERVED for op in operations if op.kind == "put"):
        return []
    content = worktree.content(checkout.root, path) or b""
    text = oneline(content[:_LARGEST].decode("utf-8", "replace"))
    brought = {fact: edit[1].partition("…")[0].strip() for fact in facts if (edit := _BROUGHT.match(fact))}
    last = next((fact for fact in reversed(facts) if brought.get(fact) and brought[fact] in text), "")
    standing = [fact for fact in facts if brought.get(fact, "") in text]  # results of tests stand there, too
    if not last or len(standing) == len(facts):
        return []
    title = memory.title
    for fact in [it for it in facts if it not in standing]:
        if (begin := title.partition(f": {fact[:20]}")[0]) != title:
            title = clipped(f"{begin}: {last}", TITLE)
    return [Change("put", memory.id, {"facts": standing, "title": title, "summary": summary_text(fields["narrative"], standing)})]
