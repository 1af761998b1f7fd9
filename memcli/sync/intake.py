"""A running import: entries in the shape of an export's lines, stored in batches that are one command of the log.

Beside a memory, an entry of the profile and a note, a source of another program may have entries of further kinds, each named by
its first key: `session`, `prompt`, `state`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from memcli import store
from memcli.errors import MemError
from memcli.memory import links
from memcli.memory.commit import commit
from memcli.memory.context import profile_removal
from memcli.memory.projection import fold
from memcli.project import Project
from memcli.records import Record
from memcli.store import context, graph, memories, oplog, sessions
from memcli.store.oplog import Change
from memcli.sync import conversations, rows
from memcli.sync.batch import ACTOR, RowBatch, is_local
from memcli.sync.conversations import CHANGED, NEW, UNCHANGED
from memcli.sync.rows import Row
from memcli.text import dates, ids, json

_BATCH = 500  # rows in a transaction: others can write in between, and an interrupted import continues where it stopped
_NO_COMMIT = "commits that are not in this clone: their memories hold everywhere"
_NO_SUCCESSOR = "successors that are not there: what they replace holds"
_CIRCLE = "successors in a circle: each of them holds"
_NO_TARGET = "links to what is not there"


class Imported(Record):
    """How many lines were new, changed something, were already stored, or were forgotten here; and what was not taken.

    `written_here`: lines that would have changed or replaced what was written here. `pins`, `profile`: what only a trusted file
    brings. `dates`: moments to come, taken as now. `repeated`: lines without a source id, among the unchanged, that say what an
    earlier line of the same import does.
    """

    imported: int
    updated: int
    unchanged: int
    forgotten: int = 0
    written_here: int = 0
    pins: int = 0
    profile: int = 0
    dates: int = 0
    repeated: int = 0


class Interrupted(MemError):
    """The person stopped an import."""

    code = "interrupted"
    exit_code = 130


class RunningImport:
    """A running import. All its batches are one command, so that one undo reverts the whole import.

    `trust`: takes pins, the profile, a state and prompts, too. `stores` False: only counts what would be done. `foreign`: entries
    may be of the kinds that sources of other programs have. `edited`: as in edits.py.
    """

    def __init__(
        self, project: Project, trust: bool, stores: bool = True, foreign: bool = False, edited: dict[str, str] | None = None
    ) -> None:
        self.project = project
        self.memory = rows.foreign_memory if foreign else rows.memory
        self.foreign = foreign
        self.edited = edited or {}
        self.trust = trust
        self.stores = stores
        self.left_out: dict[str, list[str]] = {
            name: [] for name in ("written_here", "pins", "profile", "dates")
        }  # as in Imported
        self.states = self.prompts = 0  # that only a trusted source brings
        self.missing_files = 0
        self.lost: list[tuple[str, str]] = []  # (what of a memory is not taken, the memory's title)
        self.titles: dict[str, str] = {}  # of what came, by source id
        self.repeated = 0  # as in Imported
        self.taken = self.stored = 0  # entries that came, and those of them that are on disk
        self.command: int | None = None
        self.revision: int | None = None  # of the last operation that it wrote
        self.counts = [0, 0, 0, 0]  # as Imported lists them
        self.batch: list[Row] = []
        self.pending: list[Change] = []  # of sessions and prompts
        self.planned: dict[str, set[str]] | None = None if stores else {}  # what would be stored by now, where nothing is
        self.successors: dict[str, str] = {}  # source id of a superseded memory -> of its successor
        self.links: list[tuple[str, str, str]] = []  # (source id, relation, source id or address)
        self.summaries: list[tuple[str, str]] = []  # (session, source id of the memory that sums it up)

    @property
    def result(self) -> Imported:
        """What was done so far."""
        left_out = {name: len(names) for name, names in self.left_out.items()}
        return Imported(*self.counts, **{**left_out, "repeated": self.repeated})

    def add(self, body: dict[str, Any]) -> None:
        """Adds an entry to the batch, or stores it if it is not a memory. Raises InvalidInput."""
        if "profile" in body or "note" in body:
            self._add_to_context(body)
        elif self.foreign and "state" in body:
            self.store_batch()
            self._store_state(body)
        elif self.foreign and "session" in body and "title" not in body:
            self._add_to_session(body)
        else:
            self._add_memory(body)
        self.taken += 1
        self._store_full_batch()

    def _store_full_batch(self) -> None:
        if len(self.batch) + len(self.pending) >= _BATCH:
            self.store_batch()

    def hide(self, source_id: str) -> bool:
        """Hides what was deleted in the source. Returns whether there was anything to hide."""
        memory = memories.by_source(self.project.db, source_id)
        if memory is None or memory.forgotten:
            return False
        if is_local(oplog.standing(self.project.db, memory.id)):
            self.left_out["written_here"].append(memory.title)
            return True
        self.counts[CHANGED] += 1
        self.pending.append(Change("forget", memory.id, {"how": "gone"}))
        self._store_full_batch()
        return True

    def take_out(self, key: str) -> None:
        """Removes a key from the profile that the source has renamed, unless it was written here."""
        change = profile_removal(self.project, key)
        if change and not self.is_written_here(key):
            self.pending.append(change)

    def is_written_here(self, key: str) -> bool:
        """Tells whether the profile's value under a key was written here."""
        change = profile_removal(self.project, key)
        return change is not None and is_local(oplog.standing(self.project.db, change.object))

    def _add_to_session(self, body: dict[str, Any]) -> None:
        """Adds a session or a prompt of one. A session is not counted by itself."""
        if "prompt" not in body:
            self.pending += conversations.session(self.project, body)
            return
        if not self.trust:
            self.prompts += 1  # they are told as the person's own words
            return
        kind, changes = conversations.prompt(self.project, body)
        self.counts[kind] += 1
        self.pending += changes

    def _add_memory(self, body: dict[str, Any]) -> None:
        row = self._checked(self.memory(self.project, body))
        self.batch.append(row)
        if not row.source_id:
            return
        self.repeated += row.is_unnamed and row.source_id in self.titles
        self.titles[row.source_id] = row.fields["title"]
        if row.superseded_by:
            self.successors[row.source_id] = row.superseded_by
        self.links += [(row.source_id, relation, target) for relation, target in row.links]
        if row.fields.get("session") and row.fields["kind"] == "summary":
            self.summaries.append((row.fields["session"], row.source_id))

    def _checked(self, row: Row) -> Row:
        """Removes from a row what would give it priority over what was written here."""
        if row.fields["created"] > self.project.now:
            row.fields["created"] = self.project.now
            self.left_out["dates"].append(row.fields["title"])
        if not self.trust and row.fields.pop("pinned", False):
            self.left_out["pins"].append(row.fields["title"])
        return row

    def _commit(self, changes: Sequence[Change]) -> None:
        if self.stores and changes:
            self._write(lambda: changes)

    def _write(self, decide: Callable[[], Sequence[Change]]) -> None:
        if operations := commit(self.project, decide, ACTOR, self.command):
            self.command, self.revision = operations[0].command, operations[-1].revision

    def _add_to_context(self, body: dict[str, Any]) -> None:
        """Adds a profile entry or a note. An earlier value that was changed here since is ignored."""
        change = rows.profile(self.project, body) if "profile" in body else rows.note(self.project, body)
        if change.kind == "note" and change.body["day"] < dates.day(dates.parse(body.get("created_at") or dates.iso(0))):
            self.left_out["dates"].append(change.body["text"])  # it is kept as of today
        if any(pending.object == change.object for pending in self.pending):
            self.store_batch()  # what is stored already is compared with
        operations = oplog.standing(self.project.db, change.object)
        earlier = [json.loads(operation.body) for operation in operations]
        values = [(name, change.body[name]) for name in ("value", "text") if name in change.body]
        if any(body.get(name) == value for body in earlier for name, value in values):
            self.counts[UNCHANGED] += 1
            return
        if change.kind == "profile" and not self.trust:
            self.left_out["profile"].append(change.body["key"])
            return
        if is_local(operations):
            self.left_out["written_here"].append(change.body.get("key") or change.body["text"])
            return
        is_gone = fold(oplog.of_object(self.project.db, change.object)).forgotten
        self.pending += [Change("restore", change.object, {}), change] if is_gone and change.kind == "note" else [change]
        self.counts[CHANGED if earlier else NEW] += 1

    def _store_state(self, body: dict[str, Any]) -> None:
        """Stores a state if nobody wrote one here. Only from a trusted source, as it is told to every session."""
        state_id = ids.of_text("S", str(body["source_id"]))
        if oplog.standing(self.project.db, state_id):
            self.counts[UNCHANGED] += 1
        elif not self.trust:
            self.states += 1
        elif any(oplog.of_object(self.project.db, state.id)[0].actor != ACTOR for state in self._states()):
            self.left_out["written_here"].append("the state")
        else:
            change = Change("state", state_id, rows.state(self.project, body))
            is_gone = fold(oplog.of_object(self.project.db, state_id)).forgotten
            self._commit([*([Change("restore", state_id, {})] if is_gone else []), change])
            self.counts[NEW] += 1

    def _states(self) -> list[context.State]:
        return context.latest_states(self.project.db, 1)

    def store_batch(self) -> None:
        """Stores the batch in one transaction and adds to the counts."""
        if not self.batch and not self.pending:
            self.stored = self.taken
            return
        self.lost += [(_NO_COMMIT, row.fields["title"]) for row in rows.drop_unknown_anchors(self.project, self.batch)]
        batch = RowBatch(self.project, self.planned, self.edited)

        def decide() -> list[Change]:
            batch.add_all(self.batch)
            return [*self.pending, *batch.all_changes(), *self._file_links(batch)]

        if self.stores:
            self._write(decide)
        else:
            decide()
        self.counts = [total + count for total, count in zip(self.counts, batch.counts)]
        self.left_out["written_here"] += batch.written_here
        self.batch, self.pending = [], []
        self.stored = self.taken

    def _file_links(self, batch: RowBatch) -> list[Change]:
        """Returns the links from new memories to existing files, and earlier links of memories that still exist."""
        changes = []
        new = {change.object for change in batch.changes.values() if "source" in change.body}
        new.update(change.object for change in batch.restored)
        for row in self.batch:
            memory_id = batch.ids.get(row.source_id or "", "")
            if row.hashed and row.files and memory_id in batch.confirmed:
                of_files = [link for link in graph.links_from(self.project.db, memory_id) if link.rel == links.FILE]
                own = [link for link in of_files if (link.to_id in row.files) != (memory_id in new)]
                changes += links.renewed(self.project, memory_id, own)
            for path in row.files if memory_id in new else ():
                if (change := _file_link(self.project, memory_id, path, row.hashed)) is None:
                    self.missing_files += 1
                else:
                    changes.append(change)
        return changes

    @contextmanager
    def accounted(self) -> Iterator[None]:
        """Adds to any failure how much is stored, and that importing again goes on from there."""
        try:
            yield
        except KeyboardInterrupt:
            if not self.stores:
                raise
            raise self._with_account(Interrupted("interrupted")) from None
        except Exception as error:
            problem = store.explain_known(error) if self.stores else None
            if problem is None:
                raise
            raise self._with_account(problem) from None

    def _with_account(self, problem: MemError) -> MemError:
        done = f"{self.stored:,} of the entries are stored" if self.stored else "nothing was stored"
        problem.message = f"{problem.message}; {done}"
        problem.args = (problem.message,)
        if self.stored:
            again = "import again: it goes on from there"
            problem.parts = (*((problem.hint, "; then ") if problem.hint else ()), again)
        return problem

    def finish(self) -> Imported:
        """Stores what is left, and what connects memories."""
        self.store_batch()
        self._supersede()
        self._link()
        if self.stores:
            self._sum_up()
        return self.result

    def _supersede(self) -> None:
        """Adds the missing edges from superseded memories to their successors, both named by their source ids."""
        changes = []
        circular = self._circular()
        for old_source, new_source in self.successors.items():
            old, new = (memories.by_source(self.project.db, source) for source in (old_source, new_source))
            if old_source in circular and old and old.superseded_by:
                continue  # by an import before the one that closed the circle
            if old_source in circular or not (new or new_source in self.titles):
                self.lost.append((_CIRCLE if old_source in circular else _NO_SUCCESSOR, self.titles[old_source]))
                continue
            if not (old and new and old.id != new.id and not old.superseded_by):
                continue
            if is_local(oplog.standing(self.project.db, old.id)):
                self.left_out["written_here"].append(old.title)
            else:
                changes.append(Change("link", new.id, {"rel": "supersedes", "to": old.id, "on": True}))
                changes.append(Change("supersede", old.id, {"by": new.id, "on": True}))
        self._commit(changes)

    def _circular(self) -> set[str]:
        """Returns the source ids of memories that would indirectly supersede themselves."""
        circular: set[str] = set()
        visited: set[str] = set()
        for source in self.successors:
            chain: dict[str, int] = {}
            next_source: str | None = source
            while next_source and next_source not in chain and next_source not in visited:
                chain[next_source] = len(chain)
                next_source = self._successor(next_source)
            if next_source in chain:
                circular.update(list(chain)[chain[next_source] :])
            visited |= chain.keys()
        return circular

    def _successor(self, source: str) -> str | None:
        """Returns the source id of a memory's successor: the one here, else the one in the source."""
        memory = memories.by_source(self.project.db, source)
        successor = memory and memory.superseded_by and memories.find(self.project.db, memory.superseded_by)
        return successor.source_id if successor else self.successors.get(source)

    def _link(self) -> None:
        """Adds the missing links between memories. Links that somebody removed stay removed."""
        changes = []
        for source, relation, target in dict.fromkeys(self.links):
            memory = memories.by_source(self.project.db, source)
            other = memories.by_source(self.project.db, target)
            to = other.id if other else target if "://" in target else None
            if to is None and target not in self.titles:
                self.lost.append((_NO_TARGET, f"{self.titles[source]}: {relation}"))
            if memory is None or to is None or to == memory.id or memory.forgotten:
                continue
            if any(link.rel == relation and link.to_id == to for link in graph.links_from(self.project.db, memory.id)):
                continue
            if (relation, to) not in fold(oplog.standing(self.project.db, memory.id)).links:
                changes.append(Change("link", memory.id, {"rel": relation, "to": to, "on": True}))
        for start in range(0, len(changes), _BATCH):
            self._commit(changes[start : start + _BATCH])

    def _sum_up(self) -> None:
        """Records the summary of each session that has none."""
        changes = []
        for session_id, source in self.summaries:
            session, memory = sessions.find(self.project.db, session_id), memories.by_source(self.project.db, source)
            if session and memory and session.summary is None:
                changes.append(Change("session", session_id, {"summary": memory.id}))
        self._commit(changes)


def _file_link(project: Project, memory_id: str, path: str, hashed: bool) -> Change | None:
    """Returns the link to a file of the repository, or None if there is no such file."""
    full = os.path.join(project.root, path)
    try:
        if not project.root or project.is_user or not os.path.isfile(full):
            return None
        if hashed:
            return links.file_links(project, memory_id, [path])[0]
        return Change("link", memory_id, {"rel": links.FILE, "to": links.inside(project, full), "on": True})
    except (MemError, ValueError):
        return None
