"""From operations to what they say: pure, and the same whatever order the operations arrived in.

Every field of an object is a last-writer-wins register, ordered by the operations' clock; every edge is one, too. So the local
store, undo, a rebuild of the projections and, later, another machine's operations all go through this one function.
"""

from __future__ import annotations

from memcli.store.graph import Link
from memcli.text import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.store.oplog import Operation


class Folded:
    """What the operations on one object say together."""

    def __init__(self) -> None:
        self.fields: dict[str, Any] = {}
        self.forgotten = False
        self.superseded: dict[str, bool] = {}  # successor -> whether the edge stands
        self.links: dict[tuple[str, str], Link | None] = {}
        self.first: Operation | None = None
        self.last: Operation | None = None

    @property
    def superseded_by(self) -> str | None:
        """The successor that was named last."""
        standing = [successor for successor, stands in self.superseded.items() if stands]
        return standing[-1] if standing else None


def fold(operations: Sequence[Operation]) -> Folded:
    """Folds the operations on one object, given in the order of the clock. Kinds it does not know change nothing.

    Of an erased object there is neither a first operation nor a field.
    """
    folded = Folded()
    if any(op.kind == "erase" for op in operations):  # whatever came before or after: nothing is left, nothing comes back
        return folded
    for op in operations:
        if op.body == "{}" and op.kind in ("supersede", "link"):
            continue  # an edge that was erased
        body = json.loads(op.body)
        if op.kind in ("put", "state", "session", "prompt", "profile", "note"):
            folded.fields.update(body)
            folded.forgotten = folded.forgotten and not op.object.startswith(("T-", "K-"))  # these come back with their next use
            folded.first = folded.first or op
        elif op.kind in ("forget", "restore"):
            folded.forgotten = op.kind == "forget"
        elif op.kind == "supersede":
            folded.superseded.pop(body["by"], None)
            folded.superseded[body["by"]] = body["on"]
        elif op.kind == "link":
            edge = (body["rel"], body["to"])
            folded.links[edge] = Link(op.object, *edge, body.get("hash"), op.hlc_ms) if body["on"] else None
        else:
            continue
        folded.last = op
    return folded
