"""Is what was left to do done? Words on its very subject say so, and what hooks saw of a turn that edited or committed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memcli.records import Record
from memcli.text import statements

if TYPE_CHECKING:
    from memcli.agents.capture.weights import Stems, Weights
    from memcli.store.passages import Passage
    from memcli.store.sessions import Prompt

_SHARED = 2  # rare words, or more, that say it is about the same
_CLOSED = 0.3  # share of the weight of a point's words that what closes it has at least
_SAID_AGAIN = 0.5  # the same of what says that it is open still
_COMMITTING = re.compile(r"\b(un)?(commit|stag)(ted|ed)?\b", re.I)  # what is left may be to commit what was edited
_HANDED_OVER = re.compile(r"\b(?:please|not(?: yet)?(?: been)?) (push|merg|publish|deploy|releas)(?:e|ed)?\b", re.I)
# What a point names beside its subject: where it is, and how it goes wrong.
_BESIDE = re.compile(
    r"[\w.-]*[\w-]/[\w./-]+|\b[\w-]+\.[a-z]{1,4}\b|\bstill \w+|\b(?:not|no|never|yet|todo|missing|should|must)\b", re.I
)
_LACKS = re.compile(r"\b(?:no|without|lacks?|lacking|needs?|missing) ((?:[^.,;:]|\.\S)+)", re.I)  # and what is lacking


class WorkedTurn(Record):
    """A prompt that was answered. `worked`: whether files changed or were committed; `edited`, `committed`: which of these;
    `acts`: what was pushed, merged and so on; `tickets` that were named; `words`: the stems of all that was said and done,
    but for what the answers say is left to do.
    """

    prompt: Prompt
    answers: list[Passage]
    worked: bool
    edited: bool
    committed: bool
    is_brief: bool
    acts: frozenset[str]
    tickets: frozenset[str]
    words: frozenset[str]
    takes_back: bool = False  # what others did, and nothing else


def said_again(turn: WorkedTurn, passage: Passage, words: frozenset[str], weights: Weights, stems: Stems) -> str:
    """Returns the id of the answer that says of an open point that it is open still, "" for none."""
    for answer in [answer for answer in turn.answers if answer.role == statements.OPEN and answer.n > passage.n]:
        shared = words & stems(answer.statement)
        if len(weights.rare_of(shared)) >= _SHARED and weights.of(shared) >= _SAID_AGAIN * weights.of(words):
            return answer.id
    return ""


def closing(turn: WorkedTurn, passage: Passage, words: frozenset[str], weights: Weights, stems: Stems, is_alone: bool) -> str:
    """Returns the id of the answer after which an open point is done, "" for none."""
    if passage.created_at > turn.prompt.created_at:
        return ""
    shared = words & turn.words
    if statements.is_filed(passage.statement) and not statements.tickets(passage.statement) <= turn.tickets:
        return ""
    if handed := _HANDED_OVER.search(passage.text):  # what a person is asked to push is not pushed by more work on it
        is_done = handed[1].lower() in turn.acts and len(shared) >= _SHARED
        return nearest(turn, words, stems) if is_done else ""
    for line in [line for answer in turn.answers for line in statements.says_done(answer.text)]:
        overlap = words & stems(line)
        if len(weights.rare_of(overlap)) >= _SHARED and weights.of(overlap) >= _CLOSED * weights.of(words):
            return nearest(turn, words, stems)
    if not turn.worked or is_dropped(turn):
        return ""
    subject = _subject_of(passage, words, stems)
    shared = subject & turn.words
    lacking = stems(" ".join([_BESIDE.sub(" ", text) for text in _LACKS.findall(passage.text)]))
    is_meant = not lacking or bool(lacking & shared)
    evidence = len(weights.rare_of(shared)) if is_meant and weights.of(shared) >= _CLOSED * weights.of(subject) else 0
    is_next = passage.session == turn.prompt.session and passage.prompt == turn.prompt.number - 1
    if is_next and turn.is_brief and (turn.edited or _COMMITTING.search(passage.text)) and (is_alone or evidence):
        return nearest(turn, words, stems)
    return nearest(turn, words, stems) if evidence >= min(_SHARED, len(subject)) > 0 else ""


def _subject_of(passage: Passage, words: frozenset[str], stems: Stems) -> frozenset[str]:
    """Returns the words of an open point that say what is to be done, without its file: other work is done there, too."""
    subject = stems(_BESIDE.sub(" ", f"{passage.heading} {passage.text}"))
    return subject if len(subject) >= _SHARED else words


def is_dropped(turn: WorkedTurn) -> bool:
    """Tells whether a turn took back what it or an earlier one had done, and did nothing else."""
    return turn.takes_back or (any(answer.role == statements.DROPPED for answer in turn.answers) and not turn.committed)


def nearest(turn: WorkedTurn, words: frozenset[str], stems: Stems) -> str:
    return max(turn.answers, key=lambda answer: len(words & stems(answer.text))).id
