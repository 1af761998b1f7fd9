"""Choices and values that a later turn ends: by name, by another thing for the same purpose, by another value."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from memcli.agents.capture.undone import subject_of
from memcli.memory.passages import CLAUSE
from memcli.records import Record
from memcli.repo.changes import takes_back
from memcli.store import passages
from memcli.text import choices, clauses, quotations, statements

if TYPE_CHECKING:
    from memcli.agents.capture.weights import Stems
    from memcli.store.passages import Passage
    from memcli.text.choices import Choice, Value

_CHOOSES = (statements.DECISION, statements.INSTRUCTION, statements.PREFERENCE)
_SHARED = 2  # words, or more, that say what is not to be done
_BRIEF = 200  # characters of a text that says little else
_KEPT = 2_000  # texts whose sentences are kept: the same are looked at turn after turn
_BACK = re.compile(r"\bback to\b", re.I)
_FORBIDS = re.compile(
    r"^(?:(?:no|ok|okay|please|and|then|actually)\b[,. ]*)*(?:don't|do not|never|stop|quit|let's not|"
    r"we (?:don't|do not|won't)|no more)\s+"
    r"((?:[^,;:!?(.]|\.(?=\S)){1,60}?)(?:\s+(?:any ?more|at all|any longer|again|because|since|for now))?(?=[,;:!?(.]|$)",
    re.I,
)


class _Change(Record):
    """What a sentence of the passage `by` changes. `back`: what is used again; `forbidden`: stems of what must not be done."""

    by: Passage
    gone: list[Choice]
    instead: list[Choice]
    back: list[Choice]
    values: list[Value]
    forbidden: frozenset[str]


def by_turn(own: list[Passage], earlier: list[Passage], stems: Stems) -> dict[str, str]:
    """Returns, by `earlier` passage, the passage of a turn that ends what it chooses. `own`: the passages of the turn.

    A person's statement does so, and an agent's in a turn that led to a commit.
    """
    is_done = any(it.thread == passages.COMMIT for it in own)
    deciding = [it for it in own if it.thread == passages.PROMPT or (is_done and it.thread in passages.OF_AGENT)]
    changes = [change for it in deciding for line in _lines(it) if (change := _change(it, line, stems))]
    near = [it for it in earlier if changes and _is_brief(it) and any(_may_end(change, it, stems) for change in changes)]
    pairs = [(it, line) for it in near for line in _lines(it)]
    rivals = [choice for it, line in pairs for choice in _chosen(it, line)]
    subjects = {stems(value.subject) for _, line in pairs for value in choices.values(line)}
    superseded: dict[str, str] = {}
    for change in changes:
        for old, line in pairs:
            if old.created_at < change.by.created_at and _ends(change, old, line, rivals, subjects, stems):
                superseded.setdefault(_part(old, line), change.by.id)
    return superseded


def _part(old: Passage, line: str) -> str:
    """Returns the id of a passage, or of a sentence's clause in it if the wish has further clauses."""
    if old.role not in (statements.INSTRUCTION, statements.PREFERENCE):
        return old.id
    wishes = clauses.split(old.statement)
    choosing = [wish for wish in wishes if choices.chosen(wish, is_proposal=True) and wish in line]
    return f"{old.id}{CLAUSE}{clauses.mark(choosing[0])}" if len(choosing) == 1 and len(wishes) > 1 else old.id


def _is_brief(passage: Passage) -> bool:
    """Tells whether a passage says little beside its choice. In a longer one, another sentence may still hold."""
    return (
        passage.role in _CHOOSES or passage.thread == passages.COMMIT or (len(passage.text) <= _BRIEF and ";" not in passage.text)
    )


def _may_end(change: _Change, old: Passage, stems: Stems) -> bool:
    """Tells whether an earlier passage has the words of what a change ends. Cheap, as most do not."""
    text, words = old.text.lower(), stems(old.text)
    return (
        any(all(word in text for word in it.thing) for it in (*change.gone, *change.back))
        or any(stems(it.purpose) <= words for it in change.instead)
        or any(stems(it.subject) & words and any(char.isdigit() for char in text) for it in change.values)
        or (bool(change.forbidden) and change.forbidden <= words)
    )


def _chosen(passage: Passage, line: str) -> list[Choice]:
    """Returns what a sentence of a passage chooses. An agent's report chooses only what it says is used."""
    is_account = passage.thread in passages.OF_AGENT and passage.thread != passages.COMMIT and passage.role not in _CHOOSES
    return choices.in_use(line) if is_account else choices.chosen(line, is_proposal=True)


def _lines(passage: Passage) -> list[str]:
    """Returns the sentences of a passage that are its writer's own; none for a commit that reverts another."""
    if passage.thread != passages.COMMIT:
        return _own_lines(passage.text, passage.thread != passages.PROMPT)
    subject = subject_of(passage)
    return [] if takes_back(subject, passage.text) else list(dict.fromkeys([subject, *statements.sentences(passage.text)]))


@lru_cache(_KEPT)
def _own_lines(text: str, is_answer: bool) -> list[str]:
    own = quotations.own(quotations.marked(text, is_answer=is_answer))
    return [quotations.plain(line) for line in statements.sentences(own)]


def _change(passage: Passage, line: str, stems: Stems) -> _Change | None:
    """Returns what a sentence changes, None for one that changes nothing."""
    is_wish = passage.thread == passages.PROMPT
    gone = choices.replaced(line, is_wish)
    instead = [it for it in choices.chosen(line) if stems(it.purpose)] if is_wish and choices.changes(line) else []
    back = choices.chosen(line) if is_wish and _BACK.search(line) else []
    match = _FORBIDS.match(line) if is_wish else None
    forbidden = stems(match[1]) if match else frozenset()
    forbidden = forbidden if len(forbidden) >= _SHARED else frozenset()
    values = choices.values(line)
    is_any = gone or instead or back or values or forbidden
    return _Change(passage, gone, instead, back, values, forbidden) if is_any else None


def _ends(change: _Change, old: Passage, line: str, rivals: list[Choice], subjects: set[frozenset[str]], stems: Stems) -> bool:
    """Tells whether a change ends what a sentence of an earlier passage chooses."""
    if change.forbidden and old.role == statements.DECISION and change.forbidden <= stems(clauses.chosen(old.statement)):
        return True
    if any(again.thing <= left.thing for left in choices.replaced(line) for again in change.back):
        return True
    if ";" not in line and any(_is_other(new, value, subjects, stems) for new in change.values for value in choices.values(line)):
        return True
    return any(_is_gone(change, choice, rivals, stems) for choice in _chosen(old, line))


def _is_gone(change: _Change, choice: Choice, rivals: list[Choice], stems: Stems) -> bool:
    purpose = stems(choice.purpose)
    for gone in [it for it in change.gone if it.thing == choice.thing]:
        gone_for = stems(gone.purpose)
        purposes = {stems(it.purpose) for it in rivals if it.thing == choice.thing and it.purpose}
        if not gone_for or not purpose or gone_for & purpose or len(purposes) == 1:
            return True
    return any(it.thing.isdisjoint(choice.thing) and purpose and stems(it.purpose) == purpose for it in change.instead)


def _is_other(new: Value, old: Value, subjects: set[frozenset[str]], stems: Stems) -> bool:
    """Tells whether two values are of the same thing and differ. `the timeout` is that of requests if nothing else has one."""
    subject, before = stems(new.subject), stems(old.subject)
    is_same = subject == before or before < subject or [it for it in subjects if subject < it] == [before]
    return bool(subject and before) and is_same and new.unit == old.unit and new.number != old.number
