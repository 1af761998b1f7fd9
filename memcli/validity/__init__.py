"""Whether a memory is valid at HEAD: is its anchor reachable, are its files unchanged, was it superseded, is it contested?
Also who wrote a record, and how far that writer is trusted.

Every door and every listing asks here, so that all give the same answer in the same words.
"""

from __future__ import annotations

from memcli.records import Record
from memcli.repo import head
from memcli.store import memories, passages
from memcli.store.cache import CARRIED, FETCHED
from memcli.text.ids import PLACE, anchor_branch, writer_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from memcli.project import Project
    from memcli.repo.head import Checkout
    from memcli.store import Connection
    from memcli.store.cache import Cache
    from memcli.store.context import State
    from memcli.store.memories import AnchorGroup, Memory
    from memcli.store.search import Hit
    from memcli.validity.names import WriterNames
    from memcli.validity.successors import Successors

REACHABLE, ORPHAN, UNKNOWN = "reachable", "orphan", "unknown"
FRESH, DRIFTED, UNLINKED = "fresh", "drifted", "unlinked"
_CARRIED_HOW = ("amended", "rebased", "cherry-picked", "squash-merged")
_LOST = "lost"  # note in the cache: as seen from which HEAD, and how many memories
_MANY = 3  # hidden memories from which on an answer looks for a reason
_MAX_CHAIN = 50  # supersessions that are followed
_MOST_HARMLESS = 15  # characters of a name that is too short for an order


class Freshness(Record):
    """Whether the linked files of a memory are unchanged, and which memories contest it.

    `changed` and `gone` are paths; `rivals` are the other memories that replace `replaces`, too.
    """

    state: str = UNLINKED
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    replaces: str = ""
    rivals: tuple[str, ...] = ()

    @property
    def drifted(self) -> list[str]:
        """The paths that changed or are gone, sorted."""
        return sorted(self.changed + self.gone)


NO_LINKS = Freshness()


class MemoryStatus(Record):
    """Whether one memory is valid at HEAD. `anchor_state` may include how and where a change was found: see `carried_over`."""

    anchor_state: str
    superseded: bool = False  # by a memory that HEAD can see
    forgotten: bool = False
    freshness: Freshness = NO_LINKS

    @property
    def is_valid(self) -> bool:
        """Whether the memory may be presented as a fact. Changed files do not alter that."""
        return self.anchor_state != ORPHAN and not self.superseded and not self.forgotten

    def as_json(self) -> dict[str, Any]:
        """Returns the status under the names that every door uses."""
        return {
            "anchor_state": state_name(self.anchor_state),
            "carried_over": carried_as_json(self.anchor_state),
            "freshness": self.freshness.state,
            "drifted": self.freshness.drifted,
            "contested_by": list(self.freshness.rivals),
            "superseded": self.superseded,
        }


def statuses(project: Project, group: Sequence[Memory]) -> list[MemoryStatus]:
    """Returns the full status of each of these memories of the project's store, in the same order."""
    links = LinkStatus(project, memories.links_of(project.db, [memory.id for memory in group]) if group else [])
    standings = standing(project, project.db, group)
    return [
        MemoryStatus(state, superseded, bool(memory.forgotten), links.freshness(memory.id))
        for memory, (state, superseded) in zip(group, standings)
    ]


def standing(project: Project, db: Connection, group: Sequence[Memory | Hit | AnchorGroup]) -> list[tuple[str, bool]]:
    """Returns for each memory of the store `db` the state of its anchor and whether HEAD can see a memory that replaced it."""
    states = anchor_states(project, [memory.anchor for memory in group])
    return [
        (states[memory.anchor], memory.superseded_by is not None and is_replaced(project, db, memory.id, memory.superseded_by))
        for memory in group
    ]


def anchor_states(project: Project, anchors: Iterable[str | None]) -> dict[str | None, str]:
    """Returns the state of each anchor as seen from HEAD. Answers are cached by HEAD; git runs only for new questions."""
    states: dict[str | None, str] = {None: REACHABLE, project.commit: REACHABLE}
    pending = [anchor for anchor in dict.fromkeys(anchors) if anchor is not None and anchor not in states]
    if not pending:
        return states
    if project.checkout is None:
        return states | dict.fromkeys(pending, UNKNOWN)
    if waiting := [anchor for anchor in pending if anchor_branch(anchor)]:
        others = [anchor for anchor in pending if not anchor_branch(anchor)]
        return states | _states_of_awaited(project, project.checkout, waiting, others)
    kept = project.cache.anchor_states(head.view(project.checkout), pending)
    if UNKNOWN in kept.values() and project.cache.note(FETCHED) != head.fetched(project.checkout):
        kept = {anchor: state for anchor, state in kept.items() if state != UNKNOWN}  # the clone may have the commit by now
    states.update(kept)
    if any(anchor not in states for anchor in pending):
        from memcli.validity import commits

        states.update(commits.anchor_states(project, pending))
    return states


def count_lost(project: Project, hidden: int, matched: int) -> int:
    """Returns how many memories are lost if an answer hid most of what matched, else 0. Git is asked once per HEAD."""
    if project.checkout is None or hidden < _MANY or hidden * 2 < matched:
        return 0
    view = head.view(project.checkout)
    before, _, count = (project.cache.note(_LOST) or "").rpartition(" ")
    if before == view and count.isdecimal():
        return int(count)
    from memcli.validity import commits

    number = len(commits.lost(project))
    project.cache.keep_note(_LOST, f"{view} {number}")
    return number


def _states_of_awaited(
    project: Project, checkout: Checkout, waiting: list[str], other_anchors: list[str]
) -> dict[str | None, str]:
    """Returns the states of anchors, including those that wait for a branch's next commit and are visible only on that branch."""
    from memcli.repo import next_commit

    successors = {anchor: next_commit.settled(checkout, anchor) for anchor in waiting}
    states = anchor_states(
        project, [*other_anchors, *[successor.commit for successor in successors.values() if successor.commit]]
    )
    for anchor, successor in successors.items():
        is_here = bool(successor.branch) and successor.branch == checkout.branch
        states[anchor] = states[successor.commit] if successor.commit else REACHABLE if is_here else ORPHAN
    return states


def current_states(project: Project) -> list[State]:
    """Returns the current states, this store's own first, a CI job's last. A shared one of an unknown commit never leads."""
    from memcli.store import context  # whoever saves a memory needs it for nothing

    states = context.current_states(project.db)
    if any(writer_of(state.actor) for state in states):
        from memcli.validity import shared_states as shared

        return shared.leading(project.db, states, lambda anchor: anchor_states(project, [anchor])[anchor] == UNKNOWN)
    return states


def is_visible(project: Project, anchor: str | None) -> bool:
    """Tells whether the anchor is not an orphan at HEAD."""
    return anchor_states(project, [anchor])[anchor] != ORPHAN


def state_name(state: str) -> str:
    """Returns the name of an anchor's state: reachable, carried, orphan or unknown."""
    return state.partition(" ")[0]


def carried_over(state: str) -> tuple[str, str] | None:
    """Returns how the change of a carried anchor reached HEAD and the commit that brought it; None for other states."""
    name, _, origin = state.partition(" ")
    how, _, commit = origin.partition(" ")
    return (how, commit) if name == CARRIED and how in _CARRIED_HOW and head.is_hash(commit) else None


def carried_as_json(state: str) -> dict[str, str] | None:
    """Returns how an anchor's change reached HEAD and its commit there; None if the anchor's own commit decides."""
    carried = carried_over(state)
    return {"how": carried[0], "commit": carried[1]} if carried else None


def is_replaced(project: Project, db: Connection, name: str, successor: str | None) -> bool:
    """Tells whether HEAD can see the successor of a memory or passage in `db`, or a later one in the chain.

    On a branch that lacks the replacement, the old memory is still valid, as it is in a store that never got it. A forgotten
    one still replaces, as forgetting must not bring older knowledge back, but does not close any more. Of two that replace each
    other because different stores made them so, neither does.
    """
    if successor and PLACE not in successor and (name in memories.replacements(db, name) or passages.is_reopened(db, name)):
        return False
    for _ in range(_MAX_CHAIN):
        if successor is None:
            return False
        is_passage = PLACE in successor
        record = passages.find(db, successor) if is_passage else memories.find(db, successor)
        if record is None:
            return is_passage
        if is_visible(project, record.anchor):
            return True
        successor = record.superseded_by
    return True


class LinkStatus:
    """The freshness of memories, from their links. A file is hashed when it is first needed, and only once."""

    def __init__(self, project: Project, links: Iterable[tuple[str, str, str, str | None]]) -> None:
        self._project = project
        self._files: dict[str, dict[str, str | None]] = {}
        self._hashes: dict[str, str | None] = {}
        self._replaced: dict[str, list[str]] = {}
        self._successors: Successors | None = None
        for memory_id, rel, target, content_hash in links:
            if rel == "supersedes":
                self._replaced.setdefault(memory_id, []).append(target)
            else:
                self._files.setdefault(memory_id, {})[target] = content_hash

    def freshness(self, memory_id: str) -> Freshness:
        """Returns whether the files of a memory are unchanged, and what contests it."""
        files = self._files.get(memory_id, {})
        contest = self._contest(memory_id) if memory_id in self._replaced else None
        if not files and not contest:
            return NO_LINKS
        drifted = [path for path, content_hash in sorted(files.items()) if self._hash(path) != content_hash]
        changed = tuple([path for path in drifted if self._hash(path) is not None])
        gone = tuple([path for path in drifted if self._hash(path) is None])
        return Freshness(DRIFTED if drifted else FRESH if files else UNLINKED, changed, gone, *(contest or ("", ())))

    def _contest(self, memory_id: str) -> tuple[str, tuple[str, ...]] | None:
        self._successors = self._successors or succession(self._project, self._project.db)
        return self._successors.rivals(memory_id, self._replaced[memory_id])

    def _hash(self, path: str) -> str | None:
        """Returns the hash of a file in the working tree: None if it does not exist, "" if it cannot be read."""
        if path not in self._hashes:
            from memcli.repo import worktree

            try:
                full = worktree.place(self._project.root, path) if self._project.root else None
                self._hashes[path] = worktree.fingerprint(full) if full else None
            except OSError:
                self._hashes[path] = ""
        return self._hashes[path]


def succession(project: Project, db: Connection) -> Successors:
    """Returns a lookup of the memories of `db` that replaced others, as far as HEAD can see them."""
    from memcli.validity import successors  # most memories replace nothing

    return successors.Successors(db, lambda anchor: is_visible(project, anchor))


def contests(project: Project, db: Connection, ids: Sequence[str]) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Returns, for the contested ones of some memories, what is contested and by which others."""
    replaced: dict[str, list[str]] = {}
    for memory_id, target in [(it[0], it[2]) for it in memories.links_of(db, ids) if it[1] == "supersedes"] if ids else ():
        replaced.setdefault(memory_id, []).append(target)
    rivals = succession(project, db).rivals if replaced else None
    return {name: contest for name, old in replaced.items() if rivals and (contest := rivals(name, old))}


PERSON, AGENT, HOOK, MODEL, IMPORT, OTHER, QUOTATION = "person", "agent", "hook", "model", "import", "other", "quotation"
HIGH, MEDIUM, LOW = "high", "medium", "low"

# The actor of a record's first operation -> what kind of writer that is.
_WRITERS = {
    "cli": PERSON,
    "agent": AGENT,  # a command in a session of a harness
    "ci": AGENT,  # a checkpoint of a CI job
    "init": PERSON,
    "prompt": PERSON,  # what was asked in a session
    "mcp": AGENT,
    "http": AGENT,
    "hook": HOOK,
    "api": HOOK,  # events over HTTP
    "model": MODEL,  # what a compressor made of a session
    "import": IMPORT,
    "ingest": IMPORT,  # files of the working tree
    "quotation": QUOTATION,  # in a prompt or an answer: whoever wrote it, it is not whoever sent it
}
PROMPT_ACTOR, CHUNK_ACTOR = "prompt", "ingest"  # who writes every prompt, and every chunk
MODEL_ACTOR = "model"
QUOTATION_ACTOR = "quotation"
AUTHOR_ACTOR = "author"  # of a commit that came in from somebody else
_TRUST = {PERSON: HIGH, AGENT: MEDIUM, HOOK: LOW, MODEL: LOW, IMPORT: LOW, QUOTATION: LOW, OTHER: LOW}


class Origin(Record):
    """Who wrote a record. `actor`: as the log names it; `writer`: person, agent, hook, model, import, quotation or other;
    `trust`: how far it is trusted.
    """

    actor: str
    writer: str
    trust: str

    def as_json(self) -> dict[str, Any]:
        """Returns the origin under the names that every door uses."""
        return {"origin": self.actor, "trust": self.trust}


# Tags of what hooks saw, and of the summary of its session: where text of strangers may have come in.
EXPOSURES = {"foreign-page": "after a foreign page", "unknown-program": "after an unknown program"}


def exposures(actor: str, tags: str) -> tuple[str, ...]:
    """Returns the tags of a memory or answer that say what its session was exposed to. `tags`: one per line, set by hooks."""
    if not tags or origin_of(actor).writer not in (HOOK, AGENT, MODEL, QUOTATION):
        return ()
    return tuple([tag for tag in EXPOSURES if tag in tags.split("\n")])


def exposures_of_session(db: Connection, session: int) -> tuple[str, ...]:
    """Returns the tags that say what a session, given by its row, has been exposed to so far."""
    tags = {tag for actor, tags in memories.tags_of_session(db, session) for tag in exposures(actor, tags)}
    return tuple([tag for tag in EXPOSURES if tag in tags])


def exposure_words(actor: str, tags: str) -> tuple[str, ...]:
    """Returns the same in words."""
    return tuple([EXPOSURES[name] for name in exposures(actor, tags)])


def origin_values(actor: str, tags: str) -> dict[str, Any]:
    """Returns who wrote something, and what its session was exposed to, under the names that every door uses."""
    return {**origin_of(actor).as_json(), "exposed_to": list(exposures(actor, tags))}


def said_marks(actor: str, tags: str, usual: str = "") -> tuple[str, ...]:
    """Returns the marks of something said or done in a session, for a listing by session whose headings name the writer.

    `usual`: the writer that the heading names; any other is marked. A foreign page is the more serious exposure: beside it, an
    unknown program is not mentioned.
    """
    writer, exposed = origin_of(actor).writer, exposures(actor, tags)[:1]
    is_marked = writer != usual if usual else writer in (MODEL, QUOTATION, OTHER)
    return (writer, *exposed) if is_marked else exposed


def origin_marks(actor: str, tags: str = "") -> tuple[str, ...]:
    """Returns the names of the marks that say who wrote a memory with these `tags`: none for a person."""
    writer = origin_of(actor).writer
    return () if writer == PERSON else (writer, *exposures(actor, tags))


def origin_of(actor: str) -> Origin:
    """Returns the origin of what an actor wrote. An unknown actor counts as another writer, and is trusted least."""
    writer = _WRITERS.get(actor, OTHER)
    return Origin(actor, writer, _TRUST[writer])


def is_withheld(actor: str, *texts: str) -> bool:
    """Tells whether another writer's texts read like orders to a model. They are told only where asked for, and marked."""
    if not writer_of(actor):
        return False
    from memcli.screening import is_suspicious  # a store that shares nothing needs it here for nothing

    return is_suspicious(*texts)


def writer_names(project: Project) -> WriterNames:
    """Returns the names of stores as doors show them. One that reads like an order to a model is none: the id stands for it."""
    from memcli.validity import names  # a store that shares nothing has no use for it

    return names.WriterNames(project, names_orders)


def writer_name(project: Project, actor: str) -> str:
    """Returns the name of the other store that an actor belongs to, shortened; "" without a name, or for this store."""
    return writer_names(project).clipped(writer) if (writer := writer_of(actor)) else ""


def names_orders(name: str, cache: Cache | None = None) -> bool:
    """Tells whether the name of a thread, branch or repository, which whoever made it chose, reads like an order to a model.

    `cache`: where the answer is kept.
    """
    if len(name) <= _MOST_HARMLESS:
        return False
    key = f"orders in {name}"
    kept = cache.note(key) if cache else None
    if kept is not None:
        return kept == "1"
    from memcli.screening import is_suspicious  # it takes longer to import than all else here

    gives_orders = is_suspicious(name)
    if cache:
        cache.keep_note(key, str(int(gives_orders)))
    return gives_orders
