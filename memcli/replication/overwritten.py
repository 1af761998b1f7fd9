"""What of this store's own words a pull took the place of: edits of others that count more, and what they forgot."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from memcli.memory.projection import Folded, fold
from memcli.records import Record
from memcli.store import oplog, replication
from memcli.text.ids import writer_of

if TYPE_CHECKING:
    from memcli.store import Connection

_NOT_WORDS = ("anchor", "created", "pinned", "source")


class Overwritten(Record):
    """Something of which own words stood that do not any more. `by`: the writer whose do; `forgotten`: it was forgotten."""

    id: str
    by: str
    forgotten: bool


def own(db: Connection, objects: Iterable[str]) -> dict[str, Folded]:
    """Returns what the log says of those of some objects of which this store wrote something that is not forgotten."""
    folded = {name: fold(oplog.of_object(db, name)) for name in replication.written_here(db, objects)}
    return {name: it for name, it in folded.items() if it.first is not None and not it.forgotten}


def since(db: Connection, before: dict[str, Folded]) -> list[Overwritten]:
    """Returns which own words stand no more since they were looked up."""
    return [it for name, folded in before.items() if (it := _compared(db, name, folded)) is not None]


def _compared(db: Connection, name: str, before: Folded) -> Overwritten | None:
    operations = oplog.of_object(db, name)
    after, words = fold(operations), before.fields.keys() - {*_NOT_WORDS}
    own_words = [word for word in words if not writer_of(before.actors[word])]
    if after.forgotten and own_words:
        return Overwritten(name, writer_of([op.actor for op in operations if op.kind == "forget"][-1]), True)
    lost = [word for word in own_words if writer_of(after.actors.get(word, "")) and after.fields[word] != before.fields[word]]
    return Overwritten(name, writer_of(after.actors[lost[0]]), False) if lost else None
