"""What replaced a memory, and what contests it: if several memories replace one, each is marked until somebody decides."""

from __future__ import annotations

from memcli.store import memories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memcli.store import Connection
    from memcli.store.memories import Memory

_MOST = 50  # memories that are followed behind one
_EACH_OTHER = "each other"  # what is contested where two replace one another, and nothing else


class Successors:
    """The memories that replaced others: the ends of the chains, as far as HEAD can see them."""

    def __init__(self, db: Connection, is_visible: Callable[[str | None], bool]) -> None:
        self._db = db
        self._is_visible = is_visible  # whether HEAD can see an anchor
        self._by_id: dict[str, list[Memory]] = {}
        self._behind: dict[str, dict[str, Memory]] = {}
        self._by_name: dict[str, Memory | None] = {}

    def of(self, memory_id: str) -> list[Memory]:
        """Returns the live memories that replace one and are not replaced themselves, ordered by id.

        Memories that replace each other are all returned.
        """
        if memory_id not in self._by_id:
            later = self._later(memory_id)
            self._by_id[memory_id] = [
                later[name]
                for name in sorted(later)
                if all(name in self._later(other) for other in self._later(name) if other in later)
            ]
        return self._by_id[memory_id]

    def rivals(self, memory_id: str, replaced: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
        """Returns (what is contested, its other successors) if a memory is not the only one that replaces it.

        `replaced`: what the memory replaces. What those replaced in turn counts, too. Where rivals replace each other, what is
        contested is what all of them replace.
        """
        pending, seen, circle = list(replaced), set(replaced), tuple[str, ...]()
        while pending and len(seen) <= _MOST:
            old = pending.pop(0)
            ids = [memory.id for memory in self.of(old)]
            if memory_id in ids and len(ids) > 1:
                rivals = tuple([rival for rival in ids if rival != memory_id])
                if old not in ids:
                    return old, rivals
                circle = circle or rivals
            links = memories.links_of(self._db, [old])
            pending += [target for _, rel, target, _ in links if rel == "supersedes" and target not in seen]
            seen.update(pending)
        return (_EACH_OTHER, circle) if circle else None

    def _later(self, memory_id: str) -> dict[str, Memory]:
        """Returns the live memories that replace one, directly or through others, as far as HEAD can see them."""
        if memory_id not in self._behind:
            pending, seen = [memory_id], set[str]()
            while pending and len(seen) <= _MOST:
                new = [name for name in memories.successors(self._db, pending.pop(0)) if name not in seen]
                pending += new
                seen.update(new)
            self._behind[memory_id] = {name: memory for name in seen if (memory := self._visible(name)) is not None}
        return self._behind[memory_id]

    def _visible(self, memory_id: str) -> Memory | None:
        if memory_id not in self._by_name:
            memory = memories.find(self._db, memory_id)
            holds = memory is not None and not memory.forgotten and self._is_visible(memory.anchor)
            self._by_name[memory_id] = memory if holds else None
        return self._by_name[memory_id]
