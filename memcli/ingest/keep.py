"""Bringing what was read into the store: which content replaces which, and which chunk gets which id.

A chunk's id follows from its text, so it outlives whatever leaves the text as it is: a rename, another branch and back, a change
elsewhere in the file. Copies of a text are told apart by a number; what is replaced gives its ids to what replaces it.
"""

from __future__ import annotations

from memcli.records import as_dict
from memcli.store import trees
from memcli.text import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.ingest.read import Content, Limits
    from memcli.project import Project
    from memcli.store.chunks import Chunk
    from memcli.store.trees import Held, Kept


class Keeper:
    """Writes the files of one tree. Every method that writes is called inside a transaction."""

    def __init__(self, project: Project, tree: int, limits: Limits, thread: str | None) -> None:
        self.project = project
        self.db = project.db
        self.tree = tree
        self.limits = limits
        self.thread = thread
        self.added = self.removed = 0  # chunks
        self._free: dict[int, list[tuple[str, str, int]]] = {}  # of a text: (id, path, forgotten) that nothing has any more
        self._next: dict[int, int] = {}  # of a text that is stored more than once: number of the next copy
        for held in trees.forgotten(self.db):
            self._set_free(held)

    def of_tree(self, tree: int) -> Keeper:
        """Returns one for another tree."""
        return Keeper(self.project, tree, self.limits, self.thread)

    def put(self, content: Content, was: Kept | None) -> bool:
        """Makes a content the tree's. Returns False where the store changed since `was` was looked up: look again."""
        path = content.path
        if trees.stamp(self.db, self.tree, path) != (was.stamp if was else None):
            return False
        found = trees.artifact(self.db, path, content.hash)
        is_cut = found is not None and found[1] == self.limits.cut_by
        if content.known and not is_cut:
            return False
        if found is None or not is_cut:
            number = trees.save_artifact(self.db, path, content.hash, content.language, self.limits.cut_by, content.skipped)
        else:
            number = found[0]
        trees.hold(self.db, self.tree, path, (number, content.size, content.mtime_ns))
        thread = self._thread(was.artifact if was else number)
        if was is not None and was.artifact != number and not trees.is_held(self.db, was.artifact):
            self._clear(was.artifact)
            trees.remove_artifact(self.db, was.artifact)
        if not is_cut:
            if found is not None:
                self._clear(number)
            self._fill(number, content, thread)
        elif self.thread is not None:
            trees.set_thread(self.db, number, self.thread)
        return True

    def drop(self, was: Kept) -> bool:
        """Takes a file out of the tree, unless the store changed since `was` was looked up."""
        if trees.stamp(self.db, self.tree, was.path) != was.stamp:
            return False
        trees.let_go(self.db, self.tree, was.path)
        if not trees.is_held(self.db, was.artifact):
            self._clear(was.artifact)
            trees.remove_artifact(self.db, was.artifact)
        return True

    def _thread(self, artifact: int) -> str:
        if self.thread is not None:
            return self.thread
        held = trees.chunks_of(self.db, artifact)
        return held[0].thread if held else str(self.project.config["memory.thread"])

    def _clear(self, artifact: int) -> None:
        for held in trees.chunks_of(self.db, artifact):
            self._set_free(held)
            self.removed += 1
        trees.remove_chunks(self.db, artifact)

    def _set_free(self, held: Held) -> None:
        self._free.setdefault(hash(held.text), []).append((held.id, held.path, held.hidden))

    def _fill(self, artifact: int, content: Content, thread: str) -> None:
        made = []
        taken: set[str] = set()
        for chunk in content.chunks:
            chunk_id, hidden = self._name(chunk, taken)
            taken.add(chunk_id)
            own = {"id": chunk_id, "thread": thread, "created_at": self.project.now, "artifact": artifact, "hidden": hidden}
            made.append(tuple((as_dict(chunk) | own).values())[1:])
        trees.add_chunks(self.db, made)
        self.added += len(made)

    def _name(self, chunk: Chunk, taken: set[str]) -> tuple[str, int]:
        """Returns the id of a new chunk, and whether it is forgotten: one that its text had before, else the first unused."""
        key = hash(chunk.text)
        free = self._free.get(key, [])
        for one in sorted(free, key=lambda one: (one[1] != chunk.path, one[2])):
            free.remove(one)
            if one[0] not in taken and self._is_unused(one[0]):
                return one[0], one[2]
        number = self._next.get(key, 0)
        while True:
            chunk_id = ids.of_text("C", chunk.text, number)
            number += 1
            if chunk_id not in taken and self._is_unused(chunk_id):
                if number > 1:
                    self._next[key] = number
                return chunk_id, 0

    def _is_unused(self, chunk_id: str) -> bool:
        """Tells whether an id can be taken. One of a forgotten chunk whose file went can: the chunk gives way to the new one."""
        owner = trees.owner(self.db, chunk_id)
        if owner == trees.FORGOTTEN:
            trees.remove_chunk(self.db, chunk_id)
            return True
        return owner is None
