"""A turn of a mode of mecho: every entry with its name and description, and later those that changed.

What else an entry says is asked for by its id. Entries that are longer together than `turn.mode_chars` come with the turns after
this one, which says how many they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from memcli.agents.turns import contents, layout
from memcli.agents.turns.builder import FULL, ShownBlock, TurnBuilder, shown_blocks
from memcli.agents.turns.layout import Block, RemovedBlock
from memcli.memory import modes
from memcli.project import Project
from memcli.recall import render
from memcli.records import replace
from memcli.store import listing, memories
from memcli.store.memories import Memory
from memcli.store.turns import Delivery
from memcli.text import json
from memcli.validity import AGENT, IMPORT, PERSON

_MOST = 10_000  # entries that are looked at
_OWN = (PERSON, AGENT, IMPORT)  # who writes what a mode's client keeps there


def entry_block(project: Project, memory: Memory) -> Block:
    """Returns an entry of a mode with the id that its client gave it."""
    return layout.entry_block(memory, modes.client_id(memory), modes.described(project, memory)[0])


class ModeTurnBuilder(TurnBuilder):
    """Builds a turn of a mode."""

    _current: frozenset[str] = frozenset()  # ids of all that the mode has

    def full(self) -> str:
        """Everything that a session should know."""
        self.old_hits, self.hits = {}, {}
        blocks = self._due({})
        relevant = self._relevant({})
        self.is_empty = not blocks and not relevant
        self.memories += [block.id for block in blocks if block.kind == "memory"]
        self.parts = replace(self.parts, blocks=blocks, removed=())
        self.text = layout.full(self._header(0), blocks, 0, relevant, self.request.form)
        return FULL

    def delta(self, delivery: Delivery) -> str:
        """What changed, what is gone, what is relevant, and what did not fit before."""
        old = shown_blocks(delivery)
        blocks = self._due(old)
        missing = {name: block for name, block in old.items() if name not in self._current}
        removed = [_named(self.project, block) for block in contents.removed_blocks(self.project, missing)]
        self.hits = {block.id: None for block in removed if block.kind == "memory" and block.is_gone}
        self.parts = replace(self.parts, blocks=blocks, removed=removed)
        return self._delta(blocks, removed, {})

    def _due(self, old: dict[str, ShownBlock]) -> list[Block]:
        """Returns what to tell a session that was shown `old`, and records what it has been shown by then and what is left."""
        usual = self._contents()
        entries = [entry_block(self.project, memory) for memory in _entries(self.project)]
        profile = contents.profile_entries(self.project)
        core = [layout.profile_block(entry, self.request.form, is_own) for entry, is_own in profile]
        details = modes.details_of_cores(self.project)  # which the client asks for
        own = {block.id for block in (*core, *entries)} | set(details)
        blocks = [*core, *entries, *[block for block in usual.blocks if block.id not in own]]
        new = [block for block in blocks if block.id not in old or old[block.id].digest != block.digest]
        due = _first(new, self.project.config["turn.mode_chars"])
        self.left = len(new) - len(due)
        self._current = frozenset([block.id for block in blocks])
        shown = {name: list(block) for name, block in old.items() if name in self._current}  # type: ignore[call-overload]
        self.shown = json.canonical(shown | {block.id: [block.digest, block.kind, block.name] for block in due})
        left_out = [row for row in self.parts.left_out if row[0] not in own]
        left_out += [(block.id, block.kind, block.name, "turn.mode_chars") for block in new[len(due) :]]
        self.parts = replace(self.parts, left_out=left_out)
        return due

    def _relevant(self, old_digests: dict[str, str]) -> str:
        """Returns what is relevant to the question; for an entry that was told by its description, the rest of it."""
        return super()._relevant({name: digest for name, digest in old_digests.items() if not name.startswith("M-")})


def _entries(project: Project) -> list[Memory]:
    """Returns the valid entries, ordered by id, with those that read like orders, which are marked, at the end.

    A mode has what its own client put there, including rules of conduct.
    """
    scope = listing.MemoryFilter(observed=False, superseded=False, limit=_MOST)
    written = [memory for memory in listing.page(project.db, scope) if not modes.is_detail_of_core(memory)]
    pairs = contents.valid_pairs(project, written, False, _OWN)
    return sorted([memory for memory, _ in pairs], key=lambda memory: (memory.suspicious, modes.client_id(memory)))


def _first(blocks: Sequence[Block], chars: int) -> list[Block]:
    """Returns the first blocks with at most `chars` characters together, but at least one: it would never be told otherwise."""
    result: list[Block] = []
    for block in blocks:
        chars -= len(block.text)
        if chars < 0 and result:
            break
        result.append(replace(block, tokens=block.tokens or render.counted([block.text])))
    return result


def _named(project: Project, block: RemovedBlock) -> RemovedBlock:
    memory = memories.find(project.db, block.id) if block.kind == "memory" else None
    return replace(block, client_id=modes.client_id(memory)) if memory else block
