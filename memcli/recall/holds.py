"""Whether what is shown still holds: are its files as they were, what took the place of the superseded, is it contested.

Imported only where links exist or something was superseded.
"""

from __future__ import annotations

from memcli.recall import truth
from memcli.records import Record, replace
from memcli.store import memories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memcli.project import Project
    from memcli.recall.rank import Ranked
    from memcli.store.db import Connection
    from memcli.store.memories import Memory

FRESH, DRIFTED, UNLINKED = "fresh", "drifted", "unlinked"
_LONGEST = 50  # links of a chain that are followed
_SUPERSEDED = 10  # memories whose successors are looked for


class Told(Record):
    """What is known of one memory. `changed` and `gone` are paths; `rivals` replace the memory `replaces` as it does."""

    freshness: str
    changed: tuple[str, ...]
    gone: tuple[str, ...]
    replaces: str
    rivals: tuple[str, ...]


class Links:
    """The links of memories that tell whether these hold. What they lead to is looked at when somebody asks, a file once."""

    def __init__(self, project: Project, links: Iterable[tuple[str, str, str, str | None]]) -> None:
        self._project = project
        self._files: dict[str, dict[str, str | None]] = {}
        self._now: dict[str, str | None] = {}
        self._replaced: dict[str, str] = {}
        for memory_id, rel, to, content in links:
            if rel == "supersedes":
                self._replaced[memory_id] = to
            else:
                self._files.setdefault(memory_id, {})[to] = content
        self._heirs = Heirs(project, project.db)

    def told(self, memory_id: str) -> Told | None:
        """Returns what is known of one of the memories, None for nothing."""
        files = self._files.get(memory_id, {})
        rivals = self._heirs.beside(memory_id, self._replaced[memory_id]) if memory_id in self._replaced else None
        if not files and not rivals:
            return None
        drifted = [(path, self._content(path)) for path, content in sorted(files.items()) if self._content(path) != content]
        changed = tuple([path for path, now in drifted if now is not None])
        gone = tuple([path for path, now in drifted if now is None])
        freshness = DRIFTED if drifted else FRESH if files else UNLINKED
        return Told(freshness, changed, gone, *(rivals or ("", ())))

    def _content(self, path: str) -> str | None:
        """Returns what is in a file of the working tree now: None where none is, "" where it cannot be read."""
        if path not in self._now:
            from memcli.repo import worktree

            try:
                full = worktree.place(self._project.root, path) if self._project.root else None
                self._now[path] = worktree.fingerprint(full) if full else None
            except OSError:
                self._now[path] = ""
        return self._now[path]


class Heirs:
    """What took the place of superseded memories: the ends of their chains, as far as HEAD can see them."""

    def __init__(self, project: Project, db: Connection) -> None:
        self._project = project
        self._db = db
        self._known: dict[str, list[Memory]] = {}

    def of(self, memory_id: str, depth: int = 0) -> list[Memory]:
        """Returns the live memories that replace one and are not replaced themselves, in the order of ids."""
        if memory_id not in self._known:
            self._known[memory_id] = []  # a circle ends here
            found: dict[str, Memory] = {}
            for successor in memories.successors(self._db, memory_id) if depth < _LONGEST else ():
                later = self.of(successor, depth + 1)
                found.update({memory.id: memory for memory in later or self._seen(successor)})
            self._known[memory_id] = [found[name] for name in sorted(found)]
        return self._known[memory_id]

    def beside(self, memory_id: str, old: str) -> tuple[str, tuple[str, ...]] | None:
        """Returns what a memory that replaces `old`, or what that replaced, and others replace; and those others."""
        for _ in range(_LONGEST):
            heads = [memory.id for memory in self.of(old)]
            if memory_id in heads and len(heads) > 1:
                return old, tuple([head for head in heads if head != memory_id])
            above = [to for _, rel, to, _ in memories.links_of(self._db, [old]) if rel == "supersedes"]
            if not above:
                break
            old = above[0]
        return None

    def _seen(self, memory_id: str) -> list[Memory]:
        memory = memories.find(self._db, memory_id)
        if memory is None or memory.forgotten:
            return []
        return [memory] if truth.anchor_states(self._project, [memory.anchor])[memory.anchor] != truth.ORPHAN else []


def give_way(project: Project, superseded: Sequence[Ranked], known: set[str]) -> list[Ranked]:
    """Returns what replaced superseded matches and is not itself among the `known` ones, each with the score of the old one."""
    made = []
    for from_user in (False, True):
        db = project.user_db if from_user and project.user_db is not None else project.db
        heirs = Heirs(project, db)
        for one in [one for one in superseded if one.from_user == from_user][:_SUPERSEDED]:
            for memory in heirs.of(one.hit.id):
                if memory.id not in known:
                    known.add(memory.id)
                    made.append(_in_place_of(project, one, memory))
    return made


def _in_place_of(project: Project, one: Ranked, memory: Memory) -> Ranked:
    hit = replace(
        one.hit,
        n=memory.n,
        id=memory.id,
        title=memory.title,
        thread=memory.thread,
        anchor=memory.anchor,
        created_at=memory.created_at,
        superseded_by=memory.superseded_by,
        pinned=memory.pinned,
        suspicious=memory.suspicious,
    )
    state = truth.anchor_states(project, [memory.anchor])[memory.anchor]
    return replace(one, hit=hit, anchor=state, superseded=False)
