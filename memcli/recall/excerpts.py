"""Excerpts: passages of one text that a pack tells together, in their order there, the text named once."""

from __future__ import annotations

from memcli.recall.render import PROMPT, XML, Line, mark_text
from memcli.text.ids import PLACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.recall.render import Form, PackedMemory

MOST_PASSAGES = 4  # of one excerpt
SAVED = 15  # cl100k tokens, at least, that a passage costs less below its text: no id of its own, no thread, no day
_DIGITS = "0123456789"


class Units:
    """How much of a pack is taken, in what a reader takes in at once: whole memories, and excerpts of a few passages each."""

    def __init__(self, most: int, most_excerpts: int) -> None:
        self.most = most
        self.most_excerpts = most_excerpts
        self._whole = 0
        self._passages: dict[str, int] = {}  # of each excerpt, by its text

    def has_room(self, item_id: str) -> bool:
        """Tells whether a memory or passage may be taken, by itself or as a further passage of its text."""
        if self.is_further(item_id):
            return self._passages[text_of(item_id)] < MOST_PASSAGES
        if self._whole + len(self._passages) >= self.most:
            return False
        return PLACE not in item_id or len(self._passages) < self.most_excerpts

    def is_further(self, item_id: str) -> bool:
        """Tells whether another passage of the same text is taken."""
        return text_of(item_id) in self._passages

    def add(self, item_id: str) -> None:
        """Counts a memory or passage that was taken."""
        if PLACE in item_id:
            self._passages[text_of(item_id)] = self._passages.get(text_of(item_id), 0) + 1
        else:
            self._whole += 1


def text_of(item_id: str) -> str:
    """Returns what the passages of one text have in common in their ids; of a whole memory its id."""
    return item_id.rstrip(_DIGITS) if PLACE in item_id else item_id


def in_reading_order(ranked: Sequence[tuple[int, PackedMemory]]) -> tuple[PackedMemory, ...]:
    """Returns memories of a pack, each with its rank, as they are printed.

    What hooks saw comes last. The passages of a text stand together, in its order, where the best of them would stand.
    """
    best: dict[str, int] = {}
    for rank, item in ranked:
        text = text_of(item.memory.id)
        best[text] = min(rank, best.get(text, rank))
    key = sorted(ranked, key=lambda pair: (pair[1].section == "observed", best[text_of(pair[1].memory.id)], _place(pair[1])))
    return tuple([item for _, item in key])


def lines(form: Form, items: Sequence[PackedMemory]) -> list[Line]:
    """Returns the lines of memories that stand below one another: of a passage of the text above only what is new."""
    if form is XML:
        return [item.line for item in items]
    return [
        _further(item, before) if before and follows(item, before) else item.line
        for before, item in zip([None, *items], items, strict=False)
    ]


def follows(item: PackedMemory, before: PackedMemory) -> bool:
    """Tells whether two memories of a pack are passages of one text."""
    return PLACE in item.memory.id and text_of(item.memory.id) == text_of(before.memory.id)


def further_text(item: PackedMemory, before: PackedMemory) -> str:
    """Returns what a passage says beyond the one before it in its text: "… " where something lies between them."""
    memory = item.memory
    heading = "" if memory.line in (before.memory.line, memory.brief) else f"{memory.line}: "
    return f"{'' if _place(item) == _place(before) + 1 else '… '}{heading}{memory.brief}"


def _further(item: PackedMemory, before: PackedMemory) -> Line:
    marks = {mark: fields for mark, fields in item.marks.items() if before.marks.get(mark) != fields}
    remark = f" [{mark_text(PROMPT, marks).removeprefix(' · ')}]" if marks else ""
    return Line(f"  {further_text(item, before)}{remark}\n", item.line.tokens - SAVED)


def _place(item: PackedMemory) -> int:
    """Returns the place of a passage in its text; of a whole memory 0."""
    text = text_of(item.memory.id)
    return int(item.memory.id[len(text) :] or 0)
