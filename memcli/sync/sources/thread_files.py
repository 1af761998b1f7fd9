"""The files of threads that `mem export --format markdown` writes: a memory a heading, with a mark that has its other fields.

Earlier versions wrote no mark: of their files comes back what people read of a memory, its id, kind, day, tags and successor.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from memcli.memory import FIELDS
from memcli.sync.sources.look import read_text
from memcli.sync.sources.shape import UNDATED, Entry, noon, skip
from memcli.text import dates, json
from memcli.text.terminal import oneline

FOLDER = "threads"
MARK = "<!-- written by mem export -->"  # begins the MEMORY.md of such an export
_FACTS = r"(M-[0-9A-Z]{10}) · (.{1,80}?) · (\d{4}-\d\d-\d\d)((?: · .*)?)(?<! -->)"
_SECTION = re.compile(rf"\n## (.*)\n\n(?:(?!\\).* <!-- (\{{.*\}}) -->|{_FACTS})\n\n")
_MARKED = re.compile(r"\\*.* <!-- \{.*\} -->")
_NAMES = frozenset([*FIELDS, "created_at", "anchor_commit", "pinned", "superseded_by", "source_id"])
_CUT_COMMIT = "commits of which the file has only the beginning"
_COMMIT, _SUCCESSOR = "commit ", "superseded by "
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
        body = text[match.end() : end].removesuffix("\n")
        if match[3]:
            yield from _unmarked(match, body, text.partition("\n")[0].removeprefix("# "))
            continue
        lines = body.split("\n")
        summary = "\n".join([line[1:] if line.startswith("\\") and _MARKED.fullmatch(line) else line for line in lines])
        fields = _fields(match[2])
        yield {"title": match[1], **fields, "summary": summary} if "source_id" in fields else skip(_UNMARKED, match[1])


def _unmarked(match: re.Match[str], summary: str, thread: str) -> Iterator[Entry]:
    """Yields the memory of a section that an earlier version wrote, by what people read of it."""
    title, _, name, kind, day, more = match.groups()
    facts = [fact for fact in more.split(" · ") if fact]
    successor = next((fact.removeprefix(_SUCCESSOR) for fact in facts if fact.startswith(_SUCCESSOR)), None)
    tags = [fact for fact in facts if not fact.startswith((_COMMIT, _SUCCESSOR))]
    if any(fact.startswith(_COMMIT) for fact in facts):
        yield skip(_CUT_COMMIT, title)
    try:
        dates.parse(noon(day))
        when: Entry = {"created_at": noon(day)}
    except ValueError:
        when = {"lost": [UNDATED]}
    texts = {"title": title, "summary": summary, "thread": thread, "kind": kind}
    yield {**texts, "tags": tags, "source_id": name, "superseded_by": successor, **when}


def _fields(mark: str) -> Entry:
    """Returns what a mark says of a memory, and nothing that another entry of a source would be."""
    try:
        return {name: value for name, value in json.loads(mark).items() if name in _NAMES}
    except json.Malformed:
        return {}
