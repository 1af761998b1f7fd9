"""Excerpts: passages of one turn or memory that a pack prints together, in their original order, under one name.

A turn is a prompt, what the agent said while it worked, and its answer.
"""

from __future__ import annotations

from memcli.recall.render import PROMPT, XML, Line, mark_text
from memcli.store.passages import COMMIT, owner_of
from memcli.store.passages import PROMPT as PROMPT_THREAD
from memcli.text import forms
from memcli.text.forms import BELOW
from memcli.text.ids import PLACE
from memcli.validity import EXPOSURES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.recall.render import Form, PackedMemory

MOST_PASSAGES = (5, 4, 3, 2, 1)  # of the first excerpt that is taken, of the second ..., of each after the last of these
SAVED = 15  # cl100k tokens, at least, that a passage costs less below its text: no id of its own, no thread, no day
ANSWERED = "Answer: "  # before what an agent said, below the prompt that it answers
COMMITTED = "Committed: "  # before what the commits of a turn say, below what else is told of it
# Letters in the ids of a turn's passages (memcli/memory/passages.py), as they are read.
_ORDER = ("", "n", "e", "a", "c", "m", "t")
_DIGITS = "0123456789"
_ENDS = ".!?:"  # of a sentence
_AFTER = "after "
_WRITER_END = ")\n"  # of a heading that names the writer of its lines, each of which is one statement


class Units:
    """How much of a pack is used, in units a reader takes in at once: whole memories, and excerpts of a few passages each."""

    def __init__(self, most: int, most_excerpts: int) -> None:
        self.most = most
        self.most_excerpts = most_excerpts
        self._whole = 0
        self._passages: dict[str, int] = {}  # of each excerpt, by its turn or memory

    def has_room(self, item_id: str) -> bool:
        """Tells whether a memory or passage may be taken, alone or as a further passage of its text."""
        if self.is_further(item_id):
            rank = list(self._passages).index(owner_of(item_id))
            return self._passages[owner_of(item_id)] < MOST_PASSAGES[min(rank, len(MOST_PASSAGES) - 1)]
        if self._whole + len(self._passages) >= self.most:
            return False
        return PLACE not in item_id or len(self._passages) < self.most_excerpts

    def is_further(self, item_id: str) -> bool:
        """Tells whether another passage of the same turn or memory is taken."""
        return owner_of(item_id) in self._passages

    def add(self, item_id: str) -> None:
        """Counts a memory or passage that was taken."""
        if PLACE in item_id:
            self._passages[owner_of(item_id)] = self._passages.get(owner_of(item_id), 0) + 1
        else:
            self._whole += 1


def with_common_exposure(heading: str, lines: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Returns the heading and lines of a part. What all of several lines were written after is said once, in the heading."""
    bare = [_without_exposures(line) for line in lines]
    is_common = len(lines) > 1 and not any(before == after for before, after in zip(lines, bare))
    if not is_common or not heading.endswith(_WRITER_END):
        return heading, lines
    exposed = [words for words in EXPOSURES.values() if any(f" · {words}" in line.rpartition(" [")[2] for line in lines)]
    exposure = " or ".join([exposed[0], *[words.removeprefix(_AFTER) for words in exposed[1:]]])
    return f"{heading.removesuffix(_WRITER_END)}, {exposure}{_WRITER_END}", bare


def _without_exposures(line: str) -> str:
    text, bracket, marks = line.rpartition(" [")
    for words in EXPOSURES.values():
        marks = marks.replace(f" · {words}", "")
    return f"{text}{bracket}{marks}"


def in_reading_order(ranked: Sequence[tuple[int, PackedMemory]]) -> tuple[PackedMemory, ...]:
    """Returns memories of a pack, each with its rank, as they are printed.

    What hooks saw comes last. The passages of a turn stay together, in its order, in the place of the best of them.
    """
    best: dict[str, int] = {}
    for rank, item in ranked:
        owner = owner_of(item.memory.id)
        best[owner] = min(rank, best.get(owner, rank))
    key = sorted(ranked, key=lambda pair: (pair[1].section == "observed", best[owner_of(pair[1].memory.id)], _place(pair[1])))
    return tuple([item for _, item in key])


def lines(form: Form, items: Sequence[PackedMemory]) -> list[Line]:
    """Returns the lines of consecutive memories: for a passage of the text above, only what is new."""
    if form is XML:
        return [item.line for item in items]
    return [
        _further(item, before) if before and follows(item, before) else item.line
        for before, item in zip([None, *items], items, strict=False)
    ]


def follows(item: PackedMemory, before: PackedMemory) -> bool:
    """Tells whether two memories of a pack are passages of the same turn or memory."""
    return PLACE in item.memory.id and owner_of(item.memory.id) == owner_of(before.memory.id)


def further_text(item: PackedMemory, before: PackedMemory) -> str:
    """Returns what a passage says beyond the one before it, with "… " in front if text between the two is left out."""
    memory = item.memory
    has_heading = memory.title != memory.summary
    is_repeated = memory.line in (before.memory.line, memory.brief) or before.memory.brief.rstrip(":").endswith(memory.line)
    heading = _without_repeated(memory.line, before.memory.whole) if has_heading and not is_repeated else ""
    text = forms.behind_lead(f"{heading}: ", memory.brief) if heading else memory.whole
    if memory.thread == COMMIT != before.memory.thread:
        return forms.behind_lead(COMMITTED, text)
    if before.memory.thread == PROMPT_THREAD != memory.thread:
        return forms.behind_lead(ANSWERED, text)
    letter, number = _place(item)
    return text if (letter, number - 1) == _place(before) else forms.behind_lead("… ", text)


def _without_repeated(heading: str, before: str) -> str:
    """Returns a heading without the sentences that the text before it ends in."""
    ends = [at + 1 for at, char in enumerate(heading) if char in _ENDS and heading[at + 1 : at + 2] == " "]
    repeated = next((end for end in reversed(ends) if before.endswith(heading[:end])), 0)
    return heading[repeated:].lstrip()


def _further(item: PackedMemory, before: PackedMemory) -> Line:
    marks = {mark: fields for mark, fields in item.marks.items() if before.marks.get(mark) != fields}
    text = further_text(item, before)
    if marks:
        text += f"{forms.gap_behind(text)}[{mark_text(PROMPT, marks).removeprefix(' · ')}]"
    return Line(f"{BELOW}{forms.indented(text, BELOW)}\n", item.line.tokens - SAVED)


def _place(item: PackedMemory) -> tuple[int, int]:
    """Returns the position of a passage: which text of a turn it is from, and where in it; zeros for a whole memory."""
    suffix = item.memory.id.partition(PLACE)[2]
    letter = suffix.rstrip(_DIGITS)
    return _ORDER.index(letter) if letter in _ORDER else len(_ORDER), int(suffix[len(letter) :] or 0)
