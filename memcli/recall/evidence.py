"""The repository's own text in a pack: the relevant chunks that still stand in their files, each text once.

Imported only where chunks are stored.
"""

from __future__ import annotations

from memcli.recall import chunk_relevance, render
from memcli.recall.pack import DroppedChunk
from memcli.recall.render import PackedChunk
from memcli.store import chunks
from memcli.text import forms
from memcli.validity.chunks import CURRENT, MOVED, VALID, WorkingTree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.project import Project
    from memcli.recall.candidates import ParsedQuery
    from memcli.recall.get import Query
    from memcli.recall.render import Form, Marks
    from memcli.store.chunks import Chunk

SPARE = 2  # offered beyond what a pack may hold, for those that do not fit
ALIKE = 0.8  # share of common lines (Jaccard) from which a chunk is a copy of another with a few lines changed


def offered(
    project: Project, query: Query, parsed: ParsedQuery, is_answered: bool
) -> tuple[list[PackedChunk], list[DroppedChunk]]:
    """Returns the chunks that a pack may take, best first, and what was looked at and is not among them.

    `is_answered`: memories answer the question; then only evidence that holds most of its words is added, unless the
    question is about code.
    """
    tree = WorkingTree(project)
    matches = chunk_relevance.matching(project, parsed, query.meaning, tree.only)
    floor = chunk_relevance.FLOOR
    if is_answered and not chunk_relevance.is_about_code(query.text, parsed.terms):
        floor = chunk_relevance.FLOOR_BESIDE
    relevant = [match.n for match in matches if query.evidence or match.reaches(floor)]
    weak = [match.n for match in matches if match.n not in relevant]
    scores = {match.n: match.score for match in matches}
    dropped = chunks.by_numbers(project.db, weak).values()
    choice = _Choice([DroppedChunk(chunk, "relevance", None, scores[chunk.n]) for chunk in dropped], scores)
    page = project.config["budget.chunks"] + SPARE
    for start in range(0, len(relevant), page):
        if len(choice.offers) >= page:
            break
        numbers = relevant[start : start + page]
        chunk_of = chunks.by_numbers(project.db, numbers)
        for chunk, state in tree.check([chunk_of[n] for n in numbers]):
            if len(choice.offers) < page:
                choice.consider(chunk, state)
    form = render.FORMS[query.form]
    return [packed_chunk(form, chunk, copies, scores[chunk.n]) for chunk, _, copies in choice.offers], choice.dropped


class _Choice:
    """The chunks worth printing: each text once, none inside another, the best of several copies."""

    def __init__(self, dropped: list[DroppedChunk], scores: dict[int, float]) -> None:
        self.offers: list[tuple[Chunk, str, list[str]]] = []  # with its state and the paths of its copies
        self.dropped = dropped
        self._scores = scores
        self._lines: dict[int, set[str]] = {}

    def consider(self, chunk: Chunk, state: str) -> None:
        """Takes a chunk, or drops it with a reason."""
        if state not in VALID:
            self.dropped.append(DroppedChunk(chunk, state, None, self._scores[chunk.n]))
            return
        for index, (other, state_of_other, copies) in enumerate(self.offers):
            why = self._same(chunk, other)
            if not why:
                continue
            if state == CURRENT and state_of_other == MOVED and chunk.path == other.path:
                self.offers[index] = chunk, state, copies  # the one that was cut from this very content
                chunk, other = other, chunk
            elif chunk.path != other.path and chunk.path not in copies:
                copies.append(chunk.path)
            self.dropped.append(DroppedChunk(chunk, why, other.id, self._scores[chunk.n]))
            return
        self.offers.append((chunk, state, []))

    def _same(self, chunk: Chunk, other: Chunk) -> str:
        """Returns why one of two chunks is enough, or "" if both are worth printing."""
        if chunk.text == other.text:
            return "duplicate"
        if chunk.path == other.path:
            of_files = chunk.artifact and other.artifact
            inside = chunk.first_line >= other.first_line and chunk.last_line <= other.last_line
            around = chunk.first_line <= other.first_line and chunk.last_line >= other.last_line
            return "overlap" if of_files and (inside or around) else ""
        lines, lines_of_other = self._lines_of(chunk), self._lines_of(other)
        return "duplicate" if len(lines & lines_of_other) >= ALIKE * len(lines | lines_of_other) else ""

    def _lines_of(self, chunk: Chunk) -> set[str]:
        if chunk.n not in self._lines:
            self._lines[chunk.n] = set(map(str.strip, chunk.text.split("\n"))) - {""}
        return self._lines[chunk.n]


def packed_chunk(form: Form, chunk: Chunk, copies: Sequence[str], score: float) -> PackedChunk:
    """Returns a chunk as a pack holds it. `copies`: paths of other files that have it."""
    marks: Marks = {"suspicious": ()} if chunk.suspicious else {}
    marks |= render.paths_mark("copied", copies)
    rows = tuple(forms.chunk_lines(chunk.text)[: chunk.shown_lines])
    return PackedChunk(chunk, rows, marks, render.chunk_line(form, chunk, rows, marks), tuple(copies), score)
