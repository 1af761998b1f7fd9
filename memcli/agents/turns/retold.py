"""The blocks of an earlier turn, rebuilt from what is stored now. Of the turn itself only names and digests are stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcli.agents.turns import contents, layout
from memcli.agents.turns.contents import ContentLimits
from memcli.agents.turns.layout import Block
from memcli.project import Project
from memcli.recall import relevance
from memcli.recall.evidence import packed_chunk
from memcli.recall.get import freshness_lookup
from memcli.recall.relevance import Ranked, match_of
from memcli.recall.render import FORMS, PackedMemory, packed_memory
from memcli.records import Record
from memcli.store import chunks, context, memories, passages, sessions
from memcli.store.context import Note
from memcli.store.memories import Memory
from memcli.store.passages import owner_of
from memcli.store.sessions import Prompt
from memcli.text.ids import PLACE
from memcli.text.terminal import oneline
from memcli.validity import REACHABLE

_TITLE = 120  # characters of a prompt that stand for its title


class RetoldBlock(Record):
    """A block as it would be told now, None where it is of something that is gone. `title`: for people; `item`: of a memory;
    `is_forgotten`: it is gone since somebody forgot it."""

    block: Block | None
    title: str
    item: PackedMemory | None = None
    is_forgotten: bool = False


class Names:
    """What people call what a turn told, as it is stored now."""

    def __init__(self, project: Project) -> None:
        self.project = project

    def is_forgotten(self, object_id: str) -> bool:
        """Tells whether something was forgotten, by itself or as part of something."""
        owner = self.owner(object_id)
        return isinstance(owner, (Memory, Prompt)) and bool(owner.forgotten)

    def title(self, object_id: str) -> str:
        """Returns what a person calls something that is stored, also where it was forgotten; its id where nothing is left."""
        return self.title_of(object_id, "chunk" if object_id.startswith("C-") else "memory")

    def title_of(self, object_id: str, kind: str) -> str:
        """The same for a block of a kind."""
        if kind == "chunk":
            return next((chunk.place for chunk in chunks.by_prefix(self.project.db, object_id, 1)), object_id)
        memory = self.find(object_id)[0] or self.owner(object_id)
        return (memory.line if isinstance(memory, Memory) else oneline(memory.text)[:_TITLE] if memory else "") or object_id

    def owner(self, object_id: str) -> Memory | Prompt | Note | None:
        """Returns the memory, prompt or note that something is or belongs to, even if it was forgotten."""
        name = owner_of(object_id)
        for db in (self.project.db, self.project.user_db):
            if db is not None and (
                owner := memories.find(db, name) or sessions.find_prompt(db, name) or context.find(db, Note, name)
            ):
                return owner
        return None

    def find(self, object_id: str) -> tuple[Memory | None, bool]:
        """Returns a memory, or a passage in its shape, and whether it is from the person's own memory."""
        for db, from_user in ((self.project.db, False), (self.project.user_db, True)):
            if db is None:
                continue
            if PLACE in object_id:
                passage = passages.find(db, object_id)
                memory = passage.as_memory() if passage else None
            else:
                memory = memories.find(db, object_id)
            if memory is not None and not memory.forgotten:
                return memory, from_user
        return None, False

    def stated_at(self, object_id: str) -> int:
        """Returns when something was stated, in ms since 1970; 0 where that is not kept, as of code."""
        memory = self.find(object_id)[0]
        return memory.created_at if memory else 0

    def session_of(self, object_id: str) -> str | None:
        """Returns the id of the session in which a passage was said, or None."""
        passage = passages.find(self.project.db, object_id) if PLACE in object_id else None
        return sessions.id_of(self.project.db, passage.session) if passage else None


class Retelling(Names):
    """Rebuilds blocks, as a full turn with these limits would have them now, or else one by one."""

    def __init__(self, project: Project, limits: ContentLimits) -> None:
        super().__init__(project)
        self.form = limits.form
        self._due = {block.id: block for block in contents.collect(project, limits).blocks}

    def blocks(self, rows: Sequence[Sequence[Any]]) -> list[RetoldBlock]:
        """Returns the blocks of rows (id, digest, kind, name, group, ...), in their order."""
        of_memories = self._memories([(row[0], row[4]) for row in rows if row[2] == "memory"])
        return [of_memories.get(row[0]) or self.block(*row[:4]) for row in rows]

    def block(self, block_id: str, digest: str, kind: str, name: str) -> RetoldBlock:
        """Returns one block that is not of a memory."""
        due = self._due.get(block_id)
        if due is not None and due.digest == digest:
            return RetoldBlock(due, due.name or name or self.title_of(block_id, kind))
        block = self._alone(block_id, kind) or due
        title = (block.name if block else "") or name or self.title_of(block_id, kind)
        return RetoldBlock(block, title, None, block is None and self.is_forgotten(block_id))

    def _memories(self, ids_and_groups: Sequence[tuple[str, str]]) -> dict[str, RetoldBlock]:
        """Returns the blocks of memories, given by id and group."""
        pairs = [
            (memory, from_user) for memory, from_user in [self.find(name) for name, _ in ids_and_groups] if memory is not None
        ]
        judged = self._judged([match_of(memory, from_user, REACHABLE) for memory, from_user in pairs])
        freshness = freshness_lookup(self.project, list(judged.values()))
        groups = dict(ids_and_groups)
        retold = {}
        for memory, _ in pairs:
            item = packed_memory(FORMS[self.form], memory, judged[memory.id], freshness(memory.id))
            group = groups[memory.id]
            if group == layout.ENTRIES:
                from memcli.agents.turns import mode  # which few turns need

                block = mode.entry_block(self.project, memory)
            else:
                block = layout.memory_block(item, self.form, layout.KNOWN if group == layout.SEEN else group)
            retold[memory.id] = RetoldBlock(block, memory.line, item)
        return retold

    def _judged(self, ranked: Sequence[Ranked]) -> dict[str, Ranked]:
        valid, left_out = relevance.valid_at_head(self.project, ranked, include_orphans=True)
        return {match.hit.id: match for match in [*valid, *[match for match, _ in left_out]]}

    def _alone(self, block_id: str, kind: str) -> Block | None:
        """Returns a block of something that a full turn no longer includes."""
        project, form = self.project, self.form
        stores = [db for db in (project.db, project.user_db) if db is not None]
        if kind == "chunk":
            chunk = next((it for it in chunks.by_prefix(project.db, block_id, 1) if it.id == block_id), None)
            return layout.evidence_block(packed_chunk(FORMS[form], chunk, (), 0.0), form) if chunk else None
        if kind == "statement":
            passage = passages.find(project.db, block_id)
            return layout.statement_block(passage, form) if passage and passage.statement else None
        if kind == layout.SESSIONS:
            summary = memories.find(project.db, block_id.partition(PLACE)[0])
            return layout.session_block(summary, form) if summary else None
        if kind == "daily":
            note = next((it for db in stores if (it := context.find(db, Note, block_id)) is not None), None)
            return layout.note_block(note, form) if note else None
        if kind == "profile":
            entries = context.merged_profile(project.db, project.user_db)
            return next((layout.profile_block(it, form, is_own) for it, is_own in entries if it.id == block_id), None)
        return None
