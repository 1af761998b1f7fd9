"""Why a change was made: what was decided, what was tried and dropped, and what a reason replaced since."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, Literal

from memcli.project import Project
from memcli.provenance.authors import Author
from memcli.records import Record
from memcli.repo import changes
from memcli.store import graph, memories, passages
from memcli.store.memories import OBSERVED, Memory
from memcli.store.passages import DROPPED, Passage
from memcli.text.terminal import oneline
from memcli.validity import anchor_states, carried_over, statuses, succession

if TYPE_CHECKING:
    from collections.abc import Sequence

HOLDS: Final = "holds"
SUPERSEDED: Final = "superseded"
TRIED: Final = "dropped"
ELSEWHERE: Final = "other branch"
State = Literal["holds", "superseded", "dropped", "other branch"]
_DECISION = "decision"
_ROLES = (_DECISION, DROPPED)  # roles of passages that give a reason
_LINKS = ("file", "mention")
_MOST = 5  # reasons of a sort
_LOOKED_AT = 500
_ALWAYS = 1 << 62  # ms
_EARLIER = 5  # memories that one replaced, one after the other
_ORDER = " · looks like an injected order"  # as packs mark it
_SHORTEST_NAME = 3  # characters of a name of a file that is looked for in prose


class Reason(Record):
    """A memory or a passage that says why. `state`: holds, superseded, dropped, or valid on another branch only.

    `by`: what replaced it; `earlier`: (id, text, moment) of what it replaced itself, latest first.
    """

    id: str
    kind: str
    text: str
    detail: str
    state: State
    created_at: int
    prompt: str = ""
    by: str = ""
    earlier: tuple[tuple[str, str, int], ...] = ()


class Reasons(Record):
    """What was decided, and what was tried in vain or taken back."""

    decided: list[Reason]
    dropped: list[Reason]


def of_change(
    project: Project, authors: Sequence[Author], commit: str, paths: Sequence[str], text: str, until: int | None = None
) -> Reasons:
    """Returns the reasons of a commit ("": of work that is in none yet) for these files and, where it says so, these lines.

    `until`: when the next change came, in ms since 1970: what only names the files and was written later is a reason of that.
    """
    reasons = _of_memories(project, authors, commit, paths, text, until or _ALWAYS)
    reasons += _of_passages(project, authors, paths, text)
    reasons += _undone(project, authors, paths)
    unique = list({oneline(reason.text): reason for reason in reversed(reasons)}.values())[::-1]
    return Reasons(
        [reason for reason in unique if reason.state != TRIED][:_MOST],
        [reason for reason in unique if reason.state == TRIED][:_MOST],
    )


def _of_passages(project: Project, authors: Sequence[Author], paths: Sequence[str], text: str) -> list[Reason]:
    """Returns what the sessions stated in the turns of the change, then what else they stated that names the file or the line."""
    ranked: list[tuple[int, int, Reason]] = []
    for author in authors:
        turns = {prompt.id for prompt in author.prompts}
        for passage in passages.stated_in(project.db, author.session.n, _ROLES, _LOOKED_AT):
            is_near = passage.owner in turns
            if is_near or _mentions(passage.text, paths, text):
                ranked.append((int(not is_near), -passage.created_at, _of_passage(passage)))
    ranked.sort(key=lambda item: item[:2])
    return [reason for _, _, reason in ranked]


def _of_passage(passage: Passage) -> Reason:
    taken_back = passage.role == DROPPED or passage.overtaken.startswith("reverted")
    state: State = TRIED if taken_back else SUPERSEDED if passage.superseded_by else HOLDS
    statement = oneline(passage.statement or passage.text)
    detail = "" if oneline(passage.text) == statement else passage.text
    statement += _ORDER * bool(passage.suspicious)
    by = passage.superseded_by or ""
    return Reason(passage.id, passage.role, statement, detail, state, passage.created_at, passage.owner, by)


def _of_memories(
    project: Project, authors: Sequence[Author], commit: str, paths: Sequence[str], text: str, until: int
) -> list[Reason]:
    """Returns the memories of the change: written on its commit or in its turns, or linked to its files before the next one."""
    turns = {(author.session.n, prompt.number) for author in authors for prompt in author.prompts}
    linked = _linked(project, paths)
    names = {memory.id for memory in linked}
    candidates = {memory.id: memory for memory in [*linked, *_of_sessions(project, authors)] if _says_why(memory)}
    states = anchor_states(project, [memory.anchor for memory in candidates.values()]) if commit else {}
    ranked = []
    for memory in candidates.values():
        landed = carried_over(states.get(memory.anchor, ""))
        is_own = bool(commit) and commit in (memory.anchor, landed[1] if landed else "")
        is_near = (memory.session, memory.prompt) in turns
        is_about = _mentions(f"{memory.title}\n{memory.summary}", (), text)
        if is_own or is_near or is_about or (memory.id in names and memory.created_at < until):
            rank = 3 - int(memory.kind == _DECISION) - int(is_about) - int(is_own or is_near)
            ranked.append((rank, -memory.created_at, memory))
    ranked.sort(key=lambda item: item[:2])
    return _reasons_of(project, [memory for _, _, memory in ranked[: _MOST * 3]], until)


def _undone(project: Project, authors: Sequence[Author], paths: Sequence[str]) -> list[Reason]:
    """Returns the edits of these files that the sessions took back."""
    rows = {author.session.n for author in authors}
    names = [link.from_id for path in paths for link in graph.links_to(project.db, path)[-_LOOKED_AT:] if link.rel == "file"]
    edits = [memory for name in dict.fromkeys(names) if (memory := memories.find(project.db, name))]
    return [
        Reason(memory.id, memory.kind, _line_of(memory), "", TRIED, memory.created_at, "", memory.superseded_by or "")
        for memory in edits
        if memory.session in rows and memory.origin in OBSERVED and memory.superseded_by and not memory.forgotten
    ]


def _linked(project: Project, paths: Sequence[str]) -> list[Memory]:
    links = [link for path in paths for link in graph.links_to(project.db, path)[-_LOOKED_AT:] if link.rel in _LINKS]
    return [memory for link in links if (memory := memories.find(project.db, link.from_id))]


def _of_sessions(project: Project, authors: Sequence[Author]) -> list[Memory]:
    return [
        memory
        for author in authors
        for memory in memories.of_session(project.db, author.session.n, _LOOKED_AT)
        if memory.prompt in {prompt.number for prompt in author.prompts}
    ]


def _says_why(memory: Memory) -> bool:
    """Tells whether a memory may give a reason: somebody wrote it, or it is a decision; what hooks saw of edits says what."""
    if memory.forgotten or memory.kind == "summary":
        return False
    return memory.origin not in OBSERVED or memory.kind == _DECISION


def _reasons_of(project: Project, group: Sequence[Memory], until: int) -> list[Reason]:
    """Returns memories as reasons. What is replaced comes as the history of its successor, once, if that came before `until`."""
    successors = succession(project, project.db)
    current: dict[str, Memory] = {}
    for memory in group:
        for latest in [it for it in successors.of(memory.id) if it.created_at < until] or [memory]:
            current.setdefault(latest.id, latest)
    reasons = []
    for memory, status in zip(current.values(), statuses(project, list(current.values()))):
        state: State = SUPERSEDED if status.superseded else HOLDS if status.is_valid else ELSEWHERE
        by = (memory.superseded_by or "") if status.superseded else ""
        detail = "" if oneline(memory.summary) == memory.line else memory.summary
        earlier = _earlier(project, memory.id)
        reasons.append(Reason(memory.id, memory.kind, _line_of(memory), detail, state, memory.created_at, "", by, earlier))
    return reasons


def _line_of(memory: Memory) -> str:
    return memory.line + _ORDER * bool(memory.suspicious)


def _earlier(project: Project, memory_id: str) -> tuple[tuple[str, str, int], ...]:
    """Returns what a memory replaced, and what that replaced, latest first."""
    chain: list[tuple[str, str, int]] = []
    visited = {memory_id}
    while len(chain) < _EARLIER:
        links = [
            link for link in graph.links_from(project.db, memory_id) if link.rel == "supersedes" and link.to_id not in visited
        ]
        older = memories.find(project.db, links[0].to_id) if links else None
        if older is None or older.forgotten:
            break
        chain.append((older.id, _line_of(older), older.created_at))
        memory_id = older.id
        visited.add(memory_id)
    return tuple(chain)


def _mentions(prose: str, paths: Sequence[str], code: str) -> bool:
    """Tells whether a text names one of these files, or a name of code that these lines have."""
    names = [os.path.basename(path) for path in paths]
    in_prose = set(changes.names(prose))
    is_file = any(len(name) >= _SHORTEST_NAME and name in prose for name in names)
    return is_file or any(name in in_prose for name in changes.names(code))
