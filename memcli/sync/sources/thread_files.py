"""The files of threads that `mem export --format markdown` writes: a memory a heading, with a mark that has its other fields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from memcli.memory import FIELDS
from memcli.sync.sources.look import read_text
from memcli.sync.sources.shape import Entry, skip
from memcli.text import json
from memcli.text.terminal import oneline

FOLDER = "threads"
MARK = "<!-- written by mem export -->"  # begins the MEMORY.md of such an export
_SECTION = re.compile(r"\n## (.*)\n\n(?!\\).* <!-- (\{.*\}) -->\n\n")
_MARKED = re.compile(r"\\*.* <!-- \{.*\} -->")
_NAMES = frozenset([*FIELDS, "created_at", "anchor_commit", "pinned", "superseded_by", "source_id"])
_UNMARKED = "texts of threads without the mark of mem export"


def section(record: dict[str, Any], facts: str) -> str:
    """Returns the part of a memory, as JSON lines have it, in the file of its thread. `facts`: what people read of it."""
    title, summary = record["title"], record["summary"]
    others = {name: value for name, value in record.items() if name != "summary" and (name != "title" or oneline(title) != title)}
    mark = json.dumps(others).replace("--", "-\\u002d")  # no mark ends early
    text = "\n".join([f"\\{line}" if _MARKED.fullmatch(line) else line for line in summary.split("\n")])
    return f"\n## {oneline(title)}\n\n{facts} <!-- {mark} -->\n\n{text}\n"


def entries(path: str, name: str) -> Iterator[Entry]:
    """Yields the memories of a file. Raises InvalidInput for one that cannot be read."""
    text = read_text(path)
    sections = list(_SECTION.finditer(text))
    starts = [match.start() for match in sections] + [len(text)]
    if "\n" in text[: starts[0]].strip():
        yield skip(_UNMARKED, name)
    for match, end in zip(sections, starts[1:]):
        lines = text[match.end() : end].removesuffix("\n").split("\n")
        summary = "\n".join([line[1:] if line.startswith("\\") and _MARKED.fullmatch(line) else line for line in lines])
        fields = _fields(match[2])
        yield {"title": match[1], **fields, "summary": summary} if "source_id" in fields else skip(_UNMARKED, match[1])


def _fields(mark: str) -> Entry:
    """Returns what a mark says of a memory, and nothing that another entry of a source would be."""
    try:
        return {name: value for name, value in json.loads(mark).items() if name in _NAMES}
    except json.Malformed:
        return {}
