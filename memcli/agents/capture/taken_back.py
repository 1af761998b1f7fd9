"""What is told of work that was taken back: its facts hold no more, and what it did is left to do again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli.agents.capture.shell_commands import COMMITTED
from memcli.agents.capture.undone import RESTORED, REVERTED, RevertedTurn, subject_of
from memcli.store import graph, memories, passages
from memcli.store.oplog import Change
from memcli.text import statements

if TYPE_CHECKING:
    from memcli.agents.capture.weights import Stems
    from memcli.store import Connection
    from memcli.store.passages import Passage

    Overtaken = dict[str, tuple[str, str]]

_OBSERVED = 2_000  # observations of a session
_BRIEF = 6  # words of a passage that only says that it is done
_ABOUT = 2  # words that something which may hold by itself shares with the work that was taken back
_BY_ITSELF = (statements.OPEN, statements.LESSON, statements.COMMAND)  # roles of what may hold without the work, too
_WORK = ("Edited ", COMMITTED)  # how observations of changes begin
_DECISION = "decision"  # kind of what an answer said was chosen
_STAYS = ("replaced", "removed")  # ways to be overtaken in which it does not matter whether the later work stands


def reverse(db: Connection, turn: RevertedTurn, successor: str, overtaken: Overtaken, stems: Stems) -> list[Change]:
    """Notes in `overtaken` what of a turn holds no more, and that what it had overtaken holds again.

    Returns the changes by which what hooks saw of it is superseded. `successor`: what tells that it was taken back.
    """
    work = _words_of(db, turn, stems)
    kept = stems(" ".join(turn.kept))
    for passage in passages.of(db, turn.prompt.id):
        if passage.superseded_by is None and _is_of_work(passage, turn, work, kept, stems):
            overtaken[passage.id] = (successor, REVERTED)
    for passage in passages.overtaken_by(db, turn.prompt.id):
        words = stems(f"{passage.heading} {passage.text}")
        is_of_work = len(words & work) > len(words & kept) if turn.kept or not turn.is_sure else True
        if is_of_work and not passage.overtaken.startswith(_STAYS):
            overtaken[passage.id] = ("", "")
    for name, (by, how) in list(overtaken.items()):  # noted in this run, of an earlier turn
        if passages.owner_of(by) == turn.prompt.id and not how.startswith(_STAYS):
            overtaken[name] = ("", "")
    gone = [*_observed(db, turn), *_decided(db, turn, work, kept, stems)]
    return [Change("supersede", memory, {"by": successor, "on": True, "how": REVERTED}) for memory in gone]


def restore(db: Connection, turn: RevertedTurn, overtaken: Overtaken) -> list[Change]:
    """Notes that what a turn did holds again. Returns the changes by which what hooks saw of it holds again, too."""
    for passage in passages.of(db, turn.prompt.id):
        if (overtaken.get(passage.id) or (passage.superseded_by, passage.overtaken))[1].startswith(REVERTED):
            overtaken[passage.id] = ("", "")
    observed = [it for it in memories.of_session(db, turn.prompt.session, _OBSERVED) if it.prompt == turn.prompt.number]
    return [
        Change("supersede", memory.id, {"by": memory.superseded_by, "on": False, "how": RESTORED})
        for memory in observed
        if memory.superseded_by and (memory.title.startswith(_WORK) or memory.kind == _DECISION)
    ]


def _words_of(db: Connection, turn: RevertedTurn, stems: Stems) -> frozenset[str]:
    """Returns the words of the work that was taken back, by its commits or, where nothing is left of it, what was asked."""
    if turn.kept or not turn.is_sure:
        return stems(" ".join(turn.subjects))
    edited = [
        link.to_id
        for memory in memories.of_session(db, turn.prompt.session, _OBSERVED)
        if memory.prompt == turn.prompt.number and memory.title.startswith(_WORK)
        for link in graph.links_from(db, memory.id)
    ]
    return stems(" ".join([*turn.subjects, turn.prompt.text, *edited]))


def _is_of_work(passage: Passage, turn: RevertedTurn, work: frozenset[str], kept: frozenset[str], stems: Stems) -> bool:
    """Tells whether a passage of a turn holds no more without the work that was taken back."""
    if passage.thread not in passages.OF_AGENT or passage.role == statements.DROPPED:
        return False
    if passage.thread == passages.COMMIT:
        return subject_of(passage) in turn.subjects
    words = stems(f"{passage.heading} {passage.text}")
    shared = len(words & work)
    if turn.kept:
        return shared > len(words & kept)
    if passage.role in _BY_ITSELF or not turn.is_sure:
        return shared >= _ABOUT
    return shared > 0 or len(passage.text.split()) < _BRIEF


def _observed(db: Connection, turn: RevertedTurn) -> list[str]:
    """Returns the ids of what hooks saw of the work of a turn and still holds."""
    is_part = turn.kept or not turn.is_sure
    titles = tuple([f"{COMMITTED}{subject}" for subject in turn.subjects]) if is_part else _WORK
    return [
        memory.id
        for memory in memories.of_session(db, turn.prompt.session, _OBSERVED)
        if memory.prompt == turn.prompt.number and memory.title.startswith(titles) and memory.superseded_by is None
    ]


def _decided(db: Connection, turn: RevertedTurn, work: frozenset[str], kept: frozenset[str], stems: Stems) -> list[str]:
    """Returns the ids of what was decided on the work of a turn and still holds."""
    ids = []
    for memory in memories.of_session(db, turn.prompt.session, _OBSERVED):
        is_of_turn = memory.prompt == turn.prompt.number and memory.kind == _DECISION and memory.superseded_by is None
        words = stems(f"{memory.title} {memory.summary}") if is_of_turn else frozenset()
        if len(words & work) > (len(words & kept) if turn.kept else 0 if turn.is_sure else 1):
            ids.append(memory.id)
    return ids
