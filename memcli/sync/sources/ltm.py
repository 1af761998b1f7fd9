"""Tool-driven long-term memory: memory.json with its entries."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from memcli.errors import InvalidInput
from memcli.memory.contents import source_of, title_of
from memcli.sync.sources.look import Look, child, read_json, refuse
from memcli.sync.sources.shape import Entry, Extract, ReadScope, digest, json_list, labels, memory, skip, text

_FILE = "memory.json"
TABLE = ""


def places(scope: ReadScope) -> list[str]:
    """Returns its file, where it is there."""
    folder = os.environ.get("LONG_TERM_MEMORY_DIR") or os.path.expanduser("~/yachiyo/data/long-term-memory")
    path = os.path.join(folder, _FILE)
    return [path] if os.path.isfile(path) else []


def recognize(look: Look) -> bool:
    """Tells whether this is its file, or the directory of one that is."""
    if look.is_folder:
        return _FILE in look.names and recognize(Look(os.path.join(look.path, _FILE)))
    return isinstance(look.whole_object.get("entries"), list)


def extracts(path: str, scope: ReadScope) -> list[Extract]:
    """Returns its entries. Raises InvalidInput."""
    file = path if not os.path.isdir(path) else child(path, _FILE) or refuse(path, _FILE)
    value = read_json(file)
    entries = value.get("entries") if isinstance(value, dict) else None
    if not isinstance(entries, list):
        raise InvalidInput(f"{file} has no list of entries", 'it looks like {"version": 1, "updated_at": "...", "entries": []}')
    place = digest(os.path.realpath(file))
    return [Extract([entry if "skip" in entry else entry | {"place": place} for entry in _entries(entries)])]


def _entries(entries: list[Any]) -> Iterator[Entry]:
    memories: dict[str, Entry] = {}  # there, too, the same text is one entry, whatever its case: the first, with all keywords
    for number, entry in enumerate(entries, 1):
        content = text(entry.get("content")).strip() if isinstance(entry, dict) else ""
        if not content:
            yield skip("entries without content", f"entry {number}")
            continue
        keywords = [word.strip().lower() for word in json_list(entry.get("keywords"))]
        lost = ["keywords that cannot be read"] if entry.get("keywords") and not keywords else []
        source = source_of(content)
        if source in memories:
            yield skip("entries that say what another one says: their keywords are joined", content)
            memories[source]["tags"] = labels([*memories[source]["tags"], *keywords])
            continue
        created_at = (entry.get("created_at"), entry.get("updated_at"))
        more = {"thread": "long-term memory", "created_at": created_at, "lost": lost}
        memories[source] = memory(source, title_of(content), content, tags=keywords, **more)
    yield from memories.values()
