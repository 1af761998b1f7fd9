"""Whether a chunk is still in its file.

It is if the file is unchanged since it was read: by size and modification time in the tree that was ingested, else by content. In
a changed file the chunk is searched for by its text. No file outside the working tree is opened. Imported only
where chunks are stored.
"""

from __future__ import annotations

from memcli.records import Record, replace
from memcli.repo import worktree
from memcli.store import trees

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.project import Project
    from memcli.store.chunks import Chunk
    from memcli.store.search import Filter

MAX_PLACES = 1_000  # at which a chunk's lines may stand in a file, of which the nearest is taken

CURRENT = "current"  # the file is as it was when it was read
MOVED = "found"  # it changed, but the chunk's lines stand in it
CHANGED = "changed"  # they do not, or it cannot be read
GONE = "gone"  # there is no such file
ELSEWHERE = "elsewhere"  # another working tree has it; what this one has at its path is known, or nothing is there
VALID = (CURRENT, MOVED)


class ChunkInFile(Record):
    """A chunk as it is now, with corrected line numbers and the lines around it in its file."""

    chunk: Chunk
    state: str  # of its file; given: it was given without one
    language: str
    before: tuple[str, ...]
    after: tuple[str, ...]


class WorkingTree:
    """The files of the working tree that a project was opened in. `tree` is its row, None if it was never ingested.

    `only`: the tree that must hold a chunk; None if all chunks are of this one, or none is and each must be checked.
    """

    def __init__(self, project: Project) -> None:
        self._db = project.db
        self.root = project.root
        all_trees = trees.all_trees(project.db)
        is_known = bool(all_trees and self.root)
        self.tree = trees.find_among(all_trees, self.root, worktree.inode(self.root, project.checkout)) if is_known else None
        self.only: Filter | None = {"tree": self.tree} if self.tree is not None and len(all_trees) > 1 else None

    def check(self, chunks: Sequence[Chunk]) -> list[tuple[Chunk, str]]:
        """Returns chunks as they are now, with corrected line numbers, each with the state of its file."""
        contents = trees.contents(self._db, self.tree, {chunk.artifact for chunk in chunks if chunk.artifact})
        of_path: dict[str, list[Chunk]] = {}
        for chunk in chunks:
            of_path.setdefault(chunk.path if chunk.artifact else "", []).append(chunk)
        states = {chunk.n: (chunk, CURRENT) for chunk in of_path.pop("", ())}
        for path, in_file in of_path.items():
            stamp = worktree.stamp(self.root, path) if self.root else None
            unsure = []
            for chunk in in_file:
                content = contents.get(chunk.artifact)
                is_same = content and content.mtime_ns and stamp == (content.size, content.mtime_ns)
                states[chunk.n] = chunk, CURRENT if is_same else GONE
                unsure += [] if is_same else [(chunk, content)]
            if unsure and stamp:
                states |= self._by_content(path, unsure)
            for chunk, content in unsure:
                if states[chunk.n][1] == GONE and content and content.size is None:
                    states[chunk.n] = chunk, ELSEWHERE
        return [states[chunk.n] for chunk in chunks]

    def _by_content(self, path: str, in_file: Sequence[tuple[Chunk, trees.Content | None]]) -> dict[int, tuple[Chunk, str]]:
        """Returns the chunks of one file by their row numbers, checked against its content."""
        content = worktree.content(self.root, path)
        if content is None:
            return {chunk.n: (chunk, CHANGED) for chunk, _ in in_file}
        blob, text = worktree.blob_id(content), ""
        states = {}
        for chunk, stored in in_file:
            if stored and stored.hash == blob:
                states[chunk.n] = chunk, CURRENT
                continue
            text = text or lines_of(content)
            if line := line_of(text, chunk.text, chunk.first_line):
                states[chunk.n] = _moved(chunk, line), MOVED
            else:
                is_of_other = stored is not None and stored.size is None and trees.has_content(self._db, path, blob)
                states[chunk.n] = chunk, ELSEWHERE if is_of_other else CHANGED
        return states


def chunk_in_file(project: Project, chunk: Chunk, context: int) -> ChunkInFile:
    """Returns a chunk as it is now, with up to `context` lines before and after it."""
    if not chunk.artifact:
        return ChunkInFile(chunk, "given", "", (), ())
    tree = WorkingTree(project)
    now, state = tree.check([chunk])[0]
    stored = trees.contents(project.db, tree.tree, [chunk.artifact]).get(chunk.artifact)
    content = worktree.content(tree.root, chunk.path) if context and state in VALID else None
    lines = lines_of(content).removesuffix("\n").removesuffix("\n").split("\n") if content else []
    before = lines[max(1, now.first_line - context) : now.first_line]
    after = lines[now.last_line + 1 : now.last_line + 1 + context]
    return ChunkInFile(now, state, stored.language if stored else "", tuple(before), tuple(after))


def lines_of(content: bytes) -> str:
    """Returns a file's text as ingestion cuts it, framed by line ends; empty if the content is not text."""
    from memcli.screening import mask
    from memcli.text.files import decoded

    text = decoded(content)
    return "" if text is None else "\n" + mask(text).text + "\n"


def line_of(text: str, chunk_text: str, near: int) -> int | None:
    """Returns the line of a framed text at which the lines of a chunk begin; of several, the one nearest to line `near`."""
    lines = "\n" + chunk_text.replace("\r\n", "\n") + "\n"
    nearest = None
    line, counted = 1, 1
    start = text.find(lines)
    for _ in range(MAX_PLACES):
        if start < 0:
            break
        line += text.count("\n", counted, start + 1)
        counted = start + 1
        if nearest is not None and abs(line - near) >= abs(nearest - near):
            break
        nearest = line
        start = text.find(lines, start + 1)
    return nearest


def _moved(chunk: Chunk, line: int) -> Chunk:
    """Returns a chunk that begins at another line. cl100k splits numbers into groups of three digits, so no recount is needed."""
    last = line + chunk.text.count("\n")
    more = sum([_groups(n) for n in (line, last)]) - sum([_groups(n) for n in (chunk.first_line, chunk.last_line)])
    counted = {"prompt_tokens": chunk.prompt_tokens + more, "xml_tokens": chunk.xml_tokens + more} if chunk.prompt_tokens else {}
    return replace(chunk, first_line=line, last_line=last, **counted)


def _groups(number: int) -> int:
    return -(-len(str(number)) // 3)
