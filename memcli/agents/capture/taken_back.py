"""The consequences of reverted work: its facts no longer hold, and what it did is left to do again."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from memcli.agents.capture import commit_memories
from memcli.agents.capture.shell_commands import COMMITTED, WORK_TITLES
from memcli.agents.capture.undone import RESTORED, REVERTED, Overtaken, RevertedTurn, subject_of, turn_of
from memcli.memory import entries
from memcli.repo import changes
from memcli.store import graph, memories, passages
from memcli.store.oplog import Change
from memcli.text import dates, ids, statements
from memcli.text.terminal import oneline
from memcli.validity import QUOTATION_ACTOR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.agents.capture.weights import Stems
    from memcli.project import Project
    from memcli.repo.history import Commit
    from memcli.store import Connection
    from memcli.store.passages import Passage

_OBSERVED = 2_000  # observations of a session
_BRIEF = 6  # words of a passage that only says that it is done
_ABOUT = 2  # words that something which may hold by itself shares with the work that was taken back
_BY_ITSELF = (statements.OPEN, statements.LESSON, statements.COMMAND)  # roles of what may hold without the work, too
DECISION = "decision"  # kind of what an answer said was chosen
_FILE = re.compile(r"[\w./-]*\w\.[a-z]\w{0,4}\b")  # a path or a name of a file
_STAYS = ("replaced", "removed")  # ways to be overtaken in which it does not matter whether the later work stands
SAYS_SO = re.compile(r"\b(reverted|rolled back|took (it|them|this|that) (out|back))\b", re.I)


class Reverters:
    """What says that work was reverted: an answer, or the message or memory of a commit. `puts`: changes that store new ones."""

    def __init__(self, project: Project) -> None:
        self.puts: list[Change] = []
        self._project = project
        self._new: dict[str, str] = {}  # commit -> memory

    def of(self, turn: RevertedTurn, answers: Sequence[Passage]) -> tuple[str, str]:
        """Returns the id of what says that the work of a turn was reverted and, if that is no passage, the day.

        `answers`: of the turn at whose end it was reverted, which say so if nothing was committed.
        """
        if turn.by is None:
            return telling(answers).id, ""
        own = passages.of(self._project.db, turn_of(self._project.db, turn.by))
        messages = [it for it in own if it.thread == passages.COMMIT]
        replies = [it for it in own if it.thread == passages.ANSWER and it.origin != QUOTATION_ACTOR]
        of_subject = [it for it in messages if subject_of(it) == turn.by.subject]
        if those := [it for it in replies if _tells(it)] or of_subject or replies[-1:]:
            return those[0].id, ""
        memory_id = self._memory_of(turn.by)
        return (memory_id, dates.day(turn.by.at * 1000)) if memory_id else (telling(answers).id, "")

    def _memory_of(self, commit: Commit) -> str:
        """Returns the id of a commit's memory, which may be new; "" if git cannot tell."""
        if memory := commit_memories.of_commit(self._project.db, commit.id):
            return memory.id
        made = changes.read(self._project.checkout, commit.id) if self._project.checkout else None
        if made and commit.id not in self._new:
            thread = self._project.config["capture.thread"]
            self._new[commit.id] = ids.new("M")
            self.puts += [] if self.puts else entries.thread_change(self._project, thread)
            self.puts.append(commit_memories.put(made, self._new[commit.id], thread))
        return self._new.get(commit.id, "")


def telling(answers: Sequence[Passage]) -> Passage:
    """Returns the answer that says that something was reverted, or the last one."""
    return next((it for it in answers if _tells(it)), answers[-1])


def _tells(answer: Passage) -> bool:
    return answer.role == statements.DROPPED or bool(SAYS_SO.search(answer.text))


def reverse(db: Connection, turn: RevertedTurn, successor: str, day: str, overtaken: Overtaken, stems: Stems) -> list[Change]:
    """Adds to `overtaken` what no longer holds of a turn, and that what it had overtaken holds again.

    Returns the changes by which what hooks saw of it is superseded. `successor`: what tells that it was taken back; `day`: on
    which day it was, "" where that is the day of the successor.
    """
    work = _words_of(db, turn, stems)
    kept = stems(" ".join(turn.kept))
    own = [it for it in passages.of(db, turn.prompt.id) if it.superseded_by is None and _is_of_work(it, turn, work, kept, stems)]
    overtaken.update({passage.id: (successor, f"{REVERTED} {day}".rstrip()) for passage in own})
    for passage in passages.overtaken_by(db, turn.prompt.id):
        words = stems(f"{passage.heading} {passage.text}")
        is_of_work = len(words & work) > len(words & kept) if turn.kept or not turn.is_sure else True
        if is_of_work and not passage.overtaken.startswith(_STAYS):
            overtaken[passage.id] = ("", "")
    for name, (by, how) in list(overtaken.items()):  # noted in this run, of an earlier turn
        if passages.owner_of(by) == turn.prompt.id and not how.startswith(_STAYS):
            overtaken[name] = ("", "")
    gone = [*_observed(db, turn), *_decided(db, turn, work, kept, stems, " ".join([oneline(it.text) for it in own]))]
    return [Change("supersede", memory, {"by": successor, "on": True, "how": REVERTED}) for memory in gone]


def restore(db: Connection, turn: RevertedTurn, overtaken: Overtaken) -> list[Change]:
    """Adds to `overtaken` that what a turn did holds again. Returns the changes that restore what hooks saw of it."""
    for passage in passages.of(db, turn.prompt.id):
        if (overtaken.get(passage.id) or (passage.superseded_by, passage.overtaken))[1].startswith(REVERTED):
            overtaken[passage.id] = ("", "")
    observed = [it for it in memories.of_session(db, turn.prompt.session, _OBSERVED) if it.prompt == turn.prompt.number]
    return [
        Change("supersede", memory.id, {"by": memory.superseded_by, "on": False, "how": RESTORED})
        for memory in observed
        if memory.superseded_by and (memory.title.startswith(WORK_TITLES) or memory.kind == DECISION)
    ]


def _words_of(db: Connection, turn: RevertedTurn, stems: Stems) -> frozenset[str]:
    """Returns the words of reverted work: from its commits, or from the request if nothing else is left of it."""
    if turn.kept or not turn.is_sure:
        return stems(" ".join(turn.subjects))
    edited = [
        link.to_id
        for memory in memories.of_session(db, turn.prompt.session, _OBSERVED)
        if memory.prompt == turn.prompt.number and memory.title.startswith(WORK_TITLES)
        for link in graph.links_from(db, memory.id)
    ]
    return stems(" ".join([*turn.subjects, turn.prompt.text, *edited]))


def _is_of_work(passage: Passage, turn: RevertedTurn, work: frozenset[str], kept: frozenset[str], stems: Stems) -> bool:
    """Tells whether a passage of a turn no longer holds without the reverted work."""
    if passage.thread not in passages.OF_AGENT or passage.role == statements.DROPPED:
        return False
    if passage.thread == passages.COMMIT:
        return subject_of(passage) in turn.subjects
    words = stems(f"{passage.heading} {passage.text}")
    shared = len(words & work)
    if turn.kept:
        return shared > len(words & kept)
    if passage.role == statements.OPEN and turn.paths:
        return shared > 0 and {os.path.basename(it) for it in _FILE.findall(passage.text)} <= set(
            map(os.path.basename, turn.paths)
        )
    if passage.role in _BY_ITSELF or not turn.is_sure:
        return shared >= _ABOUT
    return shared > 0 or len(passage.text.split()) < _BRIEF


def _observed(db: Connection, turn: RevertedTurn) -> list[str]:
    """Returns the ids of the valid observations of a turn's work."""
    is_part = turn.kept or not turn.is_sure
    titles = tuple([f"{COMMITTED}{subject}" for subject in turn.subjects]) if is_part else WORK_TITLES
    return [
        memory.id
        for memory in memories.of_session(db, turn.prompt.session, _OBSERVED)
        if memory.prompt == turn.prompt.number and memory.title.startswith(titles) and memory.superseded_by is None
    ]


def _decided(
    db: Connection, turn: RevertedTurn, work: frozenset[str], kept: frozenset[str], stems: Stems, gone: str
) -> list[str]:
    """Returns the ids of the valid decisions about a turn's work. `gone`: the texts of what no longer holds."""
    ids = []
    for memory in memories.of_session(db, turn.prompt.session, _OBSERVED):
        is_of_turn = memory.prompt == turn.prompt.number and memory.kind == DECISION and memory.superseded_by is None
        words = stems(f"{memory.title} {memory.summary}") if is_of_turn else frozenset()
        is_stated = is_of_turn and memory.title.rstrip(".… ") in gone
        if is_stated or len(words & work) > (len(words & kept) if turn.kept else 0 if turn.is_sure else 1):
            ids.append(memory.id)
    return ids
