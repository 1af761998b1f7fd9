"""Export and import: memories, the profile and the notes as JSON lines. An import is idempotent.

A line with `profile` is an entry of the profile, one with `note` a note, any other a memory. What other programs stored is read
by `sources`, and taken in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from memcli.errors import InvalidInput
from memcli.memory import field_values
from memcli.project import Project
from memcli.store import context, memories
from memcli.store.memories import Memory
from memcli.sync import rows
from memcli.sync.intake import Imported, RunningImport
from memcli.text import dates, json

__all__ = ["Imported", "exported", "lines", "load"]

_PAGE = 500


def lines(project: Project) -> Iterator[str]:
    """Yields every live memory as a line of JSON, in the order of storage, then the profile and the notes."""
    after = 0
    while page := memories.everything(project.db, after, _PAGE):
        for memory in page:
            yield json.dumps(exported(project, memory))
        after = page[-1].n
    for entry in context.leading_entries(project.db):
        yield json.dumps({"profile": entry.key, "value": entry.value, "updated_at": dates.iso(entry.updated_at)})
    for note in context.notes_between(project.db, "", "~"):
        yield json.dumps({"note": note.text, "created_at": dates.iso(note.created_at), "id": note.id})


def exported(project: Project, memory: Memory) -> dict[str, Any]:
    """Returns a memory in the form of its JSON line."""
    successor = memories.find(project.db, memory.superseded_by) if memory.superseded_by else None
    return {
        **field_values(memory),
        "created_at": dates.iso(memory.created_at),
        "anchor_commit": memory.anchor,
        "pinned": bool(memory.pinned),
        "superseded_by": successor and (successor.source_id or successor.id),
        "source_id": memory.source_id or memory.id,
    }


def _numbered(error: InvalidInput, number: int) -> InvalidInput:
    return InvalidInput(f"line {number}: {error}", error.parts or rows.HINT)


def load(
    project: Project,
    json_lines: Iterable[str],
    progress: Callable[[int], None] = lambda size: None,
    trust: bool = False,
    stores: bool = True,
) -> Imported:
    """Imports JSON lines, each once by its `source_id`, else by what it says. `progress` gets the length of each line;
    `trust` takes pins and profile. `stores` False: only counts what would be done.

    What was written here is never changed or replaced, and nothing is dated later than now.

    A row keeps its anchor if the clone knows the commit or if it waits for one; otherwise it is valid everywhere. Raises
    InvalidInput for the first bad line; what was stored before it stays, so whoever wants all or nothing only counts first.
    """
    running = RunningImport(project, trust, stores)
    with running.accounted():
        for number, line in enumerate(json_lines, 1):
            progress(len(line) + 1)
            if line.strip():
                try:
                    running.add(rows.line(line))
                except InvalidInput as error:
                    raise _numbered(error, number) from None
        return running.finish()
