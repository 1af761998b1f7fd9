"""Entries without ids in their source: which ones were imported before and edited since, and which ones are gone.

Such an entry is named by its text, or by its file, and has a `place`: empty for a file that the repository has under its name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

from memcli.memory.projection import fold
from memcli.project import Project
from memcli.records import Record
from memcli.store import memories, oplog
from memcli.store.memories import Memory
from memcli.sync.batch import ACTOR, is_local
from memcli.sync.sources.shape import Entry

_BY_TEXT = re.compile(r"(.*[#:])[0-9a-f]{16,40}")  # a source id that is made of a text, in a file or a section
_WORD = re.compile(r"\w+")
_SAME_HEADING, _ELSEWHERE, _OTHER_FILE = 0.4, 0.6, 0.9  # how alike (Dice) two texts are at least to be one that was edited
_MOST_WITH_WORD = 50  # memories that a word leads to: a commoner one tells nothing


class Edits(Record):
    """Edits in the source: source id -> the earlier memory; and the titles of memories that are gone there."""

    memories: dict[str, str]
    gone: Sequence[str]


class _Candidate(Record):
    """A memory whose entry is gone. `is_settled`: forgotten or changed here, so that only a very similar entry counts."""

    memory: Memory
    section: str
    text: str
    words: frozenset[str]
    is_settled: bool


def edited(project: Project, entries: Iterable[Entry]) -> Edits:
    """Returns the entries that are edited versions of earlier ones, or whose file was renamed."""
    by_source = {str(entry["source_id"]): entry for entry in entries if "place" in entry}
    systems = sorted({source.partition(":")[0] for source in by_source})
    stored = [memory for system in systems for memory in memories.imported_from(project.db, system)]
    new = [source for source in by_source if source not in {memory.source_id for memory in stored}]
    candidates = list(_candidates(project, by_source, [memory for memory in stored if memory.source_id not in by_source]))
    matches = _matches(by_source, new, candidates)
    matched = set(matches.values())
    gone = [
        candidate.memory.title
        for candidate in candidates
        if candidate.memory.id not in matched and not (candidate.memory.forgotten or candidate.memory.superseded_by)
    ]
    return Edits(matches, gone)


def _candidates(project: Project, by_source: dict[str, Entry], unmatched: Iterable[Memory]) -> Iterable[_Candidate]:
    """Yields the memories whose entries should be among these but are not."""
    sections = {(entry["place"], _section(source)) for source, entry in by_source.items()}
    places = {place for place, _ in sections}
    for memory in unmatched:
        if memory.origin != ACTOR:
            continue
        source = memory.source_id or ""
        operations = oplog.of_object(project.db, memory.id)
        imported = fold([op for op in operations if op.actor == ACTOR]).fields
        place = imported.get("place", "")
        is_there = (place, _section(source)) in sections if _section(source) else False
        if place in places and (place or is_there or _is_gone(project, source)):
            words = _words(f"{imported.get('title', '')} {imported.get('summary', '')}")
            settled = bool(memory.forgotten) or is_local(operations)
            yield _Candidate(memory, _section(source), _text(memory.title, memory.summary), words, settled)


def _section(source: str) -> str:
    """Returns the file or the section whose texts have source ids that begin so; empty for an entry that is a file."""
    match = _BY_TEXT.fullmatch(source)
    return match[1] if match else ""


def _is_gone(project: Project, source: str) -> bool:
    """Tells whether the repository's file that a source id names is gone."""
    path = source.partition(":")[2].partition("#")[0]
    return bool(project.root) and not os.path.lexists(os.path.join(project.root, path))


def _matches(by_source: dict[str, Entry], new: Sequence[str], candidates: Sequence[_Candidate]) -> dict[str, str]:
    """Returns source id -> memory, most similar first, without duplicates."""
    by_word: dict[str, list[int]] = {}
    for number, candidate in enumerate(candidates):
        for word in candidate.words:
            by_word.setdefault(word, []).append(number)
    scored = []
    for source in new:
        words = _words(f"{by_source[source]['title']} {by_source[source]['summary']}")
        near = {number for word in words if len(by_word.get(word, ())) <= _MOST_WITH_WORD for number in by_word.get(word, ())}
        for number in near:
            likeness = _likeness(by_source[source], words, candidates[number])
            if likeness >= _threshold(source, by_source[source], candidates[number]):
                scored.append((-likeness, source, number))
    matches: dict[str, str] = {}
    used = set[int]()
    for _, source, number in sorted(scored):
        if source not in matches and number not in used:
            matches[source] = candidates[number].memory.id
            used.add(number)
    return matches


def _likeness(entry: Entry, words: frozenset[str], candidate: _Candidate) -> float:
    """Returns how alike an entry and a candidate are, from 0 to 1."""
    if _text(entry["title"], entry["summary"]) == candidate.text:
        return 1.0
    return 2 * len(words & candidate.words) / (len(words) + len(candidate.words))


def _threshold(source: str, entry: Entry, candidate: _Candidate) -> float:
    """Returns how alike an entry and a candidate have to be at least."""
    if not candidate.section or candidate.section != _section(source):
        return _OTHER_FILE
    is_near = entry.get("thread") == candidate.memory.thread and not candidate.is_settled
    return _SAME_HEADING if is_near else _ELSEWHERE


def _text(title: str, summary: str) -> str:
    return " ".join(f"{title} {summary}".split())


def _words(text: str) -> frozenset[str]:
    """Returns the words of a text, of those in other letters than ASCII pairs of letters: Chinese has no spaces."""
    words = set[str]()
    for word in _WORD.findall(text.casefold()):
        words.update([word] if word.isascii() or len(word) < 3 else [word[at : at + 2] for at in range(len(word) - 1)])
    return frozenset(words)
