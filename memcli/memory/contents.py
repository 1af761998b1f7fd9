"""A memory that is one text: its first sentence is the title, and texts that differ only in case are the same memory."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from memcli.memory import FIELDS, check, check_text, entries, labels
from memcli.memory.commit import commit
from memcli.memory.entries import Draft
from memcli.memory.links import mentions
from memcli.project import Project
from memcli.store import memories, oplog
from memcli.store.memories import Memory
from memcli.store.oplog import Change
from memcli.text import ids
from memcli.text.terminal import oneline
from memcli.validity import is_visible

TITLE = 120  # characters of a title that is made of a text
_ENDS = (". ", "! ", "? ", "\n", "。", "！", "？")
_MOST_TWINS = 100
MAX_CONTENT = FIELDS["summary"].max_length or 0


def draft(project: Project, content: str, keywords: Sequence[str]) -> Draft:
    """Drafts the memory of a text; its first sentence is the title. Raises InvalidInput."""
    check_text("content", content, MAX_CONTENT)
    memory = entries.NewMemory(title=title_of(content) or content, summary=content, tags=_folded(keywords))
    values = entries.checked(project, memory)
    values["title"] = title_of(values["summary"]) or values["title"]  # of what is left when secrets are out
    oplog.body_of(Change("put", "", values))
    return Draft(values, mentions(project, "", (values["summary"],), []))


def store(project: Project, new: Draft, actor: str) -> Memory:
    """Stores a drafted text, or only its tags if a memory that holds at HEAD says the same. Returns the memory."""
    memory_id = ids.new("M")
    written = [memory_id]

    def decide() -> list[Change]:
        equal, source = _twin(project, new.fields["summary"])
        if equal is None:
            return entries.put(project, memory_id, Draft({**new.fields, "source": source}, new.links))
        written[0] = equal.id
        tags = _folded([*labels(equal.tags), *new.fields["tags"]])
        return [Change("put", equal.id, {"tags": check("tags", tags)})] if tags != labels(equal.tags) else []

    commit(project, decide, actor)
    return entries.stored(project, written[0])


def _folded(keywords: Sequence[str]) -> tuple[str, ...]:
    """Returns keywords, the first of those that differ only in case or surrounding spaces."""
    folded: dict[str, str] = {}
    for keyword in keywords:
        folded.setdefault(keyword.strip().casefold(), keyword)
    return tuple(folded.values())


def text_of(memory: Memory) -> str:
    """Returns a memory as one text."""
    return memory.summary if memory.is_one_text else f"{memory.title}\n{memory.summary}"


def title_of(content: str) -> str:
    """Returns the first sentence of a text, on one line and cut to length."""
    text = content.strip()
    end = min([index for mark in _ENDS if (index := text.find(mark)) >= 0], default=len(text) - 1)
    first = oneline(text[: end + 1])
    return first if len(first) <= TITLE else first[: TITLE - 1].rstrip() + "…"


def source_of(content: str) -> str:
    """Returns the source id of the memory of a text, regardless of case."""
    return memories.ONE_TEXT + hashlib.sha1(content.lower().encode(), usedforsecurity=False).hexdigest()


def _twin(project: Project, content: str) -> tuple[Memory | None, str]:
    """Returns the memory with a text, or None, and the source id for a new one."""
    first = source = source_of(content)
    for times in range(1, _MOST_TWINS):
        memory = memories.by_source(project.db, source)
        if memory is None:
            return None, source
        if (
            not memory.forgotten
            and not memory.superseded_by
            and memory.summary.lower() == content.lower()
            and is_visible(project, memory.anchor)
        ):
            return memory, source
        source = f"{first}.{times}"
    return None, f"{memories.ONE_TEXT}{ids.new('X')}"
