"""The repository's own text in a pack: which chunks match, and whether each still stands in its file.

A chunk is shown where its file is as it was when it was read. Size and time of change tell that in the tree that was ingested,
else the file's bytes; in a changed file the chunk is looked for by its text. No file is opened but those of the few chunks that
may be printed, and none outside the working tree. Imported only where chunks are stored.
"""

from __future__ import annotations

from memcli.recall import relevance, render
from memcli.recall.pack import DroppedChunk
from memcli.recall.render import PackedChunk
from memcli.records import Record, replace
from memcli.repo import worktree
from memcli.store import chunks, trees
from memcli.text import forms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.project import Project
    from memcli.recall.candidates import ParsedQuery
    from memcli.recall.render import Form, Marks
    from memcli.recall.semantic import QueryVector
    from memcli.store.chunks import Chunk
    from memcli.store.search import Filter

SPARE = 2  # offered beyond what a pack may hold, for those that do not fit
ALIKE = 0.8  # share of common lines (Jaccard) from which a chunk is a copy of another with a few lines changed
PLACES = 1_000  # places of a file where a chunk's lines stand, of which the nearest is taken

CURRENT = "current"  # the file is as it was when it was read
FOUND = "found"  # it changed, but the chunk's lines stand in it
CHANGED = "changed"  # they do not, or it cannot be read
GONE = "gone"  # there is no such file
ELSEWHERE = "elsewhere"  # another working tree has it; what this one has at its place is known, or nothing is there
SHOWN = (CURRENT, FOUND)


class ChunkInFile(Record):
    """A chunk as it stands now, its lines corrected, and the lines around it in its file."""

    chunk: Chunk
    state: str  # of its file; given: it was given without one
    language: str
    before: tuple[str, ...]
    after: tuple[str, ...]


class Here:
    """The files of the working tree around us. `tree` is its number, None where it was never ingested.

    `only`: what chunks must be held by, None where all are ours, or where none is and each has to be looked at.
    """

    def __init__(self, project: Project) -> None:
        self._db = project.db
        self.root = project.root
        known = trees.every(project.db)
        self.tree = trees.ours(known, self.root, worktree.inode(self.root, project.checkout)) if known and self.root else None
        self.only: Filter | None = {"tree": self.tree} if self.tree is not None and len(known) > 1 else None

    def judged(self, found: Sequence[Chunk]) -> list[tuple[Chunk, str]]:
        """Returns chunks as they stand now, lines corrected, each with how its file is."""
        contents = trees.contents(self._db, self.tree, {one.artifact for one in found if one.artifact})
        of_path: dict[str, list[Chunk]] = {}
        for one in found:
            of_path.setdefault(one.path if one.artifact else "", []).append(one)
        verdicts = {one.n: (one, CURRENT) for one in of_path.pop("", ())}
        for path, pieces in of_path.items():
            stamp = worktree.stamp(self.root, path) if self.root else None
            unsure = []
            for one in pieces:
                content = contents.get(one.artifact)
                same = content and content.mtime_ns and stamp == (content.size, content.mtime_ns)
                verdicts[one.n] = one, CURRENT if same else GONE
                unsure += [] if same else [(one, content)]
            if unsure and stamp:
                verdicts |= self._by_content(path, unsure)
            for one, content in unsure:
                if verdicts[one.n][1] == GONE and content and content.size is None:
                    verdicts[one.n] = one, ELSEWHERE
        return [verdicts[one.n] for one in found]

    def _by_content(self, path: str, pieces: Sequence[tuple[Chunk, trees.Content | None]]) -> dict[int, tuple[Chunk, str]]:
        """Returns chunks of one file by their row numbers, judged by what is in it."""
        content = worktree.content(self.root, path)
        if content is None:
            return {one.n: (one, CHANGED) for one, _ in pieces}
        blob, text = worktree.blob_id(content), ""
        verdicts = {}
        for one, known in pieces:
            if known and known.hash == blob:
                verdicts[one.n] = one, CURRENT
                continue
            text = text or lines_of(content)
            if line := line_of(text, one.text, one.first_line):
                verdicts[one.n] = moved(one, line), FOUND
            else:
                is_known = known is not None and known.size is None and trees.holds(self._db, path, blob)
                verdicts[one.n] = one, ELSEWHERE if is_known else CHANGED
        return verdicts


def chunk_in_file(project: Project, chunk: Chunk, context: int) -> ChunkInFile:
    """Returns how a chunk stands now, with up to `context` lines before and after it."""
    if not chunk.artifact:
        return ChunkInFile(chunk, "given", "", (), ())
    here = Here(project)
    now, state = here.judged([chunk])[0]
    known = trees.contents(project.db, here.tree, [chunk.artifact]).get(chunk.artifact)
    content = worktree.content(here.root, chunk.path) if context and state in SHOWN else None
    lines = lines_of(content).removesuffix("\n").removesuffix("\n").split("\n") if content else []
    before = lines[max(1, now.first_line - context) : now.first_line]
    after = lines[now.last_line + 1 : now.last_line + 1 + context]
    return ChunkInFile(now, state, known.language if known else "", tuple(before), tuple(after))


def lines_of(content: bytes) -> str:
    """Returns a file's text as ingestion cuts it, framed by line ends; empty where the bytes are no text now."""
    from memcli.text.decoding import decoded  # only where a file changed
    from memcli.text.secrets import mask

    text = decoded(content)
    return "" if text is None else "\n" + mask(text).text + "\n"


def line_of(text: str, piece: str, near: int) -> int | None:
    """Returns the line of a framed text from which on it has the lines of a piece, of several the one nearest to line `near`."""
    wanted = "\n" + piece.replace("\r\n", "\n") + "\n"
    found = None
    line, counted = 1, 1
    at = text.find(wanted)
    for _ in range(PLACES):
        if at < 0:
            break
        line += text.count("\n", counted, at + 1)
        counted = at + 1
        if found is not None and abs(line - near) >= abs(found - near):
            break
        found = line
        at = text.find(wanted, at + 1)
    return found


def moved(chunk: Chunk, line: int) -> Chunk:
    """Returns a chunk that begins at another line. cl100k takes numbers in groups of three digits, so its tokens are known."""
    last = line + chunk.text.count("\n")
    more = sum([_groups(n) for n in (line, last)]) - sum([_groups(n) for n in (chunk.first_line, chunk.last_line)])
    tokens = {"prompt_tokens": chunk.prompt_tokens + more, "xml_tokens": chunk.xml_tokens + more}
    return replace(chunk, first_line=line, last_line=last, **tokens)


def _groups(number: int) -> int:
    return -(-len(str(number)) // 3)


def offered(
    project: Project, query: ParsedQuery, meaning: QueryVector | None, form: str
) -> tuple[list[PackedChunk], list[DroppedChunk]]:
    """Returns the chunks that a pack may take, best first, and what was looked at and is not among them."""
    here = Here(project)
    hits = relevance.chunks(project, query, meaning, here.only)
    choice = _Choice()
    page = project.config["budget.chunks"] + SPARE
    for start in range(0, len(hits), page):
        if len(choice.taken) >= page:
            break
        numbers = hits[start : start + page]
        texts = chunks.by_numbers(project.db, numbers)
        for chunk, state in here.judged([texts[n] for n in numbers]):
            if len(choice.taken) < page:
                choice.consider(chunk, state)
    return [_packed(render.FORMS[form], chunk, also) for chunk, _, also in choice.taken], choice.dropped


class _Choice:
    """The chunks that are worth printing: each text once, none inside another, of copies the best."""

    def __init__(self) -> None:
        self.taken: list[tuple[Chunk, str, list[str]]] = []  # with its state and the paths of its copies
        self.dropped: list[DroppedChunk] = []
        self._lines: dict[int, set[str]] = {}

    def consider(self, chunk: Chunk, state: str) -> None:
        """Takes a chunk, or drops it and says why."""
        if state not in SHOWN:
            self.dropped.append(DroppedChunk(chunk, state, None))
            return
        for place, (other, as_it_was, also) in enumerate(self.taken):
            why = self._same(chunk, other)
            if not why:
                continue
            if state == CURRENT and as_it_was == FOUND and chunk.path == other.path:
                self.taken[place] = chunk, state, also  # the one that was cut from this very content
                chunk, other = other, chunk
            elif chunk.path != other.path and chunk.path not in also:
                also.append(chunk.path)
            self.dropped.append(DroppedChunk(chunk, why, other.id))
            return
        self.taken.append((chunk, state, []))

    def _same(self, one: Chunk, other: Chunk) -> str:
        """Returns why one of two chunks is enough, "" where both say something."""
        if one.text == other.text:
            return "duplicate"
        if one.path == other.path:
            of_files = one.artifact and other.artifact
            inside = one.first_line >= other.first_line and one.last_line <= other.last_line
            around = one.first_line <= other.first_line and one.last_line >= other.last_line
            return "overlap" if of_files and (inside or around) else ""
        lines, others = self._lines_of(one), self._lines_of(other)
        return "duplicate" if len(lines & others) >= ALIKE * len(lines | others) else ""

    def _lines_of(self, chunk: Chunk) -> set[str]:
        if chunk.n not in self._lines:
            self._lines[chunk.n] = set(map(str.strip, chunk.text.split("\n"))) - {""}
        return self._lines[chunk.n]


def _packed(form: Form, chunk: Chunk, copies: Sequence[str]) -> PackedChunk:
    """Returns a chunk as a pack has it. `copies`: paths of files that have it, too."""
    marks: Marks = {"suspicious": ()} if chunk.suspicious else {}
    marks |= render.paths_mark("copied", copies)
    rows = tuple(forms.chunk_lines(chunk.text)[: chunk.shown_lines])
    return PackedChunk(chunk, rows, marks, render.chunk_line(form, chunk, rows, marks), tuple(copies))
