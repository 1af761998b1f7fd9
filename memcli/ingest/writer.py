"""Writing what was read into the store: which content replaces which, and which chunk gets which id.

A chunk's id follows from its text, so it survives whatever does not change the text: a rename, switching branches and back, an
edit elsewhere in the file. Copies of a text are numbered; what is replaced passes its ids on to what replaces it.
"""

from __future__ import annotations

from memcli.ingest.read import FileContent, Limits
from memcli.project import Project
from memcli.records import as_dict
from memcli.store import trees
from memcli.store.chunks import Chunk
from memcli.store.trees import StoredChunk, TreeFile
from memcli.text import ids


class TreeWriter:
    """Writes the files of one tree. Every method that writes is called inside a transaction."""

    def __init__(self, project: Project, tree: int, limits: Limits, thread: str | None) -> None:
        self.project = project
        self.db = project.db
        self.tree = tree
        self.limits = limits
        self.thread = thread
        self.added = self.removed = 0  # chunks
        self._free: dict[int, list[tuple[str, str, int]]] = {}  # hash of a text -> (id, path, forgotten) that no chunk uses now
        self._next: dict[int, int] = {}  # hash of a text that is stored more than once -> number of the next copy
        for chunk in trees.forgotten_chunks(self.db):
            self._release(chunk)

    def of_tree(self, tree: int) -> TreeWriter:
        """Returns a writer for another tree."""
        return TreeWriter(self.project, tree, self.limits, self.thread)

    def put(self, content: FileContent, before: TreeFile | None) -> bool:
        """Stores a content as the tree's. Returns False where the store changed since `before` was read: read it again."""
        path = content.path
        if trees.stamp(self.db, self.tree, path) != (before.stamp if before else None):
            return False
        stored = trees.artifact(self.db, path, content.hash)
        is_cut = stored is not None and stored[1] == self.limits.cut_by
        if content.is_stored and not is_cut:
            return False
        if stored is None or not is_cut:
            number = trees.save_artifact(self.db, path, content.hash, content.language, self.limits.cut_by, content.skipped)
        else:
            number = stored[0]
        trees.save_file(self.db, self.tree, path, (number, content.size, content.mtime_ns))
        thread = self._thread(before.artifact if before else number)
        if before is not None and before.artifact != number:
            self._remove_unused(before.artifact)
        if not is_cut:
            if stored is not None:
                self._clear(number)
            self._fill(number, content, thread)
        elif self.thread is not None:
            trees.set_thread(self.db, number, self.thread)
        return True

    def drop(self, before: TreeFile) -> bool:
        """Removes a file from the tree, unless the store changed since `before` was read."""
        if trees.stamp(self.db, self.tree, before.path) != before.stamp:
            return False
        trees.remove_file(self.db, self.tree, before.path)
        self._remove_unused(before.artifact)
        return True

    def _remove_unused(self, artifact: int) -> None:
        """Removes a content that no tree has any more."""
        if not trees.is_used(self.db, artifact):
            self._clear(artifact)
            trees.remove_artifact(self.db, artifact)

    def _thread(self, artifact: int) -> str:
        if self.thread is not None:
            return self.thread
        chunks = trees.chunks_of(self.db, artifact)
        return chunks[0].thread if chunks else str(self.project.config["memory.thread"])

    def _clear(self, artifact: int) -> None:
        for chunk in trees.chunks_of(self.db, artifact):
            self._release(chunk)
            self.removed += 1
        trees.remove_chunks(self.db, artifact)

    def _release(self, chunk: StoredChunk) -> None:
        self._free.setdefault(hash(chunk.text), []).append((chunk.id, chunk.path, chunk.hidden))

    def _fill(self, artifact: int, content: FileContent, thread: str) -> None:
        rows = []
        used: set[str] = set()
        for chunk in content.chunks:
            chunk_id, hidden = self._assign_id(chunk, used)
            used.add(chunk_id)
            own = {"id": chunk_id, "thread": thread, "created_at": self.project.now, "artifact": artifact, "hidden": hidden}
            rows.append(tuple((as_dict(chunk) | own).values())[1:])
        trees.add_chunks(self.db, rows)
        self.added += len(rows)

    def _assign_id(self, chunk: Chunk, used: set[str]) -> tuple[str, int]:
        """Returns the id of a new chunk, and whether it is forgotten: an id that its text had before, else the first unused."""
        key = hash(chunk.text)
        free = self._free.get(key, [])
        # First the ids from the same path, and of these first the ones that are not forgotten.
        for entry in sorted(free, key=lambda entry: (entry[1] != chunk.path, entry[2])):
            free.remove(entry)
            if entry[0] not in used and self._is_unused(entry[0]):
                return entry[0], entry[2]
        number = self._next.get(key, 0)
        while True:
            chunk_id = ids.of_text("C", chunk.text, number)
            number += 1
            if chunk_id not in used and self._is_unused(chunk_id):
                if number > 1:
                    self._next[key] = number
                return chunk_id, 0

    def _is_unused(self, chunk_id: str) -> bool:
        """Tells whether an id can be assigned. That of a forgotten chunk without a file can: the new chunk replaces it."""
        owner = trees.artifact_of(self.db, chunk_id)
        if owner == trees.FORGOTTEN:
            trees.remove_chunk(self.db, chunk_id)
            return True
        return owner is None
