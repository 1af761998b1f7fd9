"""Builds a turn: which blocks it has, as text, and a stamp of everything beside the store's log that it depends on.

As long as the log and the stamp are the same, a later turn need not examine everything again.
"""

from __future__ import annotations

import os
import sys

from memcli.agents.adapters import MAX_BYTES, adapter
from memcli.records import Record, as_dict, replace
from memcli.repo.head import storable_name
from memcli.store import turns
from memcli.text import dates, json
from memcli.text.ids import PLACE
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from memcli.agents.turns.contents import TurnContents
    from memcli.agents.turns.layout import Block, RemovedBlock, TurnHeader
    from memcli.agents.turns.turn import SessionRefs, TurnRequest
    from memcli.project import Project
    from memcli.recall.pack import Pack
    from memcli.recall.render import PackedMemory
    from memcli.store.turns import Delivery

NAME = "mem"  # of the program
FULL, DELTA, NONE = "full", "delta", "none"
BASE_SHARE = 0.6  # of a turn's budget, for what does not depend on a question: whatever is asked, it is the same
QUESTION = 600  # characters of a prompt that are asked about: its first words say what it is about, what is longer is pasted
_FRAMING = 20, 64  # tokens and bytes of what a door puts around a turn
_HEADING = 300  # bytes: more than the element or the headings around what changed, rules among them, have
MOST_OUT = 100  # things that a turn left out, of each sort, that are noted; of the rest only how many
# Why something is not told: the session knows it, from its start or news since, from an earlier prompt, or wrote it itself.
SHOWN, TOLD, OWN = "shown", "told", "own"
KNOWN = (SHOWN, TOLD, OWN)
_XML_SHARE = 0.8  # of what a question may cost: attributes that packs do not have take the rest


class TurnBudget(Record):
    """Tokens and bytes of what does not depend on a question, tokens of what is relevant to one, bytes of the whole turn."""

    tokens: int
    size: int
    hit_tokens: int
    whole: int


class ShownBlock(Record):
    """A block that a session was shown: the digest of its text, its kind, and its name for people."""

    digest: str
    kind: str
    name: str


def budget_of(project: Project, engine: str) -> TurnBudget:
    """Returns what a turn may cost: the setting, but no more than the harness accepts."""
    harness, budget = adapter(engine), project.config["budget.total"]
    total = max(0, min(budget, harness.max_tokens or budget) - _FRAMING[0])
    size = max(0, (harness.max_bytes or MAX_BYTES) - _FRAMING[1])
    tokens = int(total * BASE_SHARE)
    return TurnBudget(tokens, int(size * BASE_SHARE), total - tokens, size)


def stamp_of(project: Project, request: TurnRequest) -> dict[str, Any]:
    """Returns a stamp of what a full turn depends on beside the log. While it is the same, only the log can change the turn."""
    config = project.config
    checkout = project.checkout
    return {
        "form": request.form,
        "budget": as_dict(budget_of(project, request.engine)),
        "root": ascii(storable_name(project.root)),  # neither this nor the branch need be UTF-8
        "commit": project.commit,
        "branch": ascii(checkout.branch) if checkout else None,
        "day": dates.local_day(project.now),
        "user_revision": turns.revision(project.user_db) if project.user_db is not None else 0,
        "instructions": list(file_status(project.root, str(config["turn.instructions"]))),
        "settings": [value for key, (value, _) in sorted(config.values.items()) if key.startswith(("turn.", "budget."))],
    }


def _user_revision(delivery: Delivery) -> int:
    """Returns the revision of the person's own memory that a session was shown; 0 if an older mem recorded that."""
    stamp = json.loads(delivery.stamp)[0]
    return int(stamp["user_revision"]) if isinstance(stamp, dict) else 0


def file_status(root: str, path: str) -> tuple[int, int]:
    """Returns the size and the modification time of a file in ns, or zeros."""
    try:
        status = os.stat(os.path.join(root, path))
    except (OSError, ValueError):
        return 0, 0
    return status.st_size, status.st_mtime_ns


def command() -> str:
    """Returns the command line by which an agent runs this program: its name if that is on the path, else the full command."""
    folders = os.environ.get("PATH", "").split(os.pathsep)
    if any(os.access(os.path.join(folder, NAME), os.X_OK) for folder in folders if folder):
        return NAME
    called = sys.argv[0]
    is_program = os.path.basename(called) == NAME or called.endswith(".pyz")  # a release's executable under its own name
    return called if os.path.isabs(called) and is_program else f"{sys.executable} -m memcli"


def is_unchanged(project: Project, delivery: Delivery, stamp: dict[str, Any], refs: SessionRefs) -> bool:
    """Tells, without examining everything, whether a full turn shows what the session's last one showed.

    `refs`: the session itself, whose changes do not count.
    """
    before, files = json.loads(delivery.stamp)
    if before != stamp or any(list(file_status(project.root, path)) != status for path, *status in files):
        return False
    return not turns.has_changed(project.db, delivery.revision, refs.row, refs.note)


def shown_blocks(delivery: Delivery) -> dict[str, ShownBlock]:
    """Returns the blocks that a session was shown, by id."""
    return {block_id: ShownBlock(*fields) for block_id, fields in json.loads(delivery.shown).items()}


class ToldParts(Record):
    """The parts of a turn, for later inspection.

    `blocks`; those relevant to the prompt with their scores; what is named as gone; how many entries of the profile had no room;
    what the pack said of itself.
    `left_out`: (id, kind, name, why) of what is not in it; `pack_left_out`: (id, why) of what matched the prompt and is not;
    `lacking`, `is_own_cap`, `free`: as of the pack and of the contents.
    """

    blocks: Sequence[Block] = ()
    relevant: Sequence[tuple[Block, float]] = ()
    removed: Sequence[RemovedBlock] = ()
    more: int = 0
    notes: str = ""
    left_out: Sequence[tuple[str, str, str, str]] = ()
    pack_left_out: Sequence[tuple[str, str]] = ()
    lacking: str = ""
    is_own_cap: bool = True
    free: int = 0

    def as_json(self, header: TurnHeader, budget: TurnBudget, form: str) -> str:
        """Returns the parts with the heading, the budget and the form of the turn; names and digests instead of texts."""
        relevant = [[*_named(block), round(score, 4)] for block, score in self.relevant]
        return json.canonical(
            {
                "form": form,
                "at": [header.commit, header.branch, header.mem, header.left, header.notes],
                "budget": list(budget),  # type: ignore[call-overload]
                "blocks": [_named(block) for block in self.blocks],
                "relevant": relevant,
                "removed": [list(block) for block in self.removed],  # type: ignore[call-overload]
                "more": self.more,
                "notes": self.notes,
                "out": [list(row) for row in self.left_out[:MOST_OUT]],
                "pack_out": [list(row) for row in self.pack_left_out[:MOST_OUT]],
                "more_out": _counted([("", row[-1]) for row in self.left_out[MOST_OUT:]]),
                "more_pack_out": _counted([(PLACE * (PLACE in name), why) for name, why in self.pack_left_out[MOST_OUT:]]),
                "lacking": self.lacking,
                "own_cap": self.is_own_cap,
                "free": self.free,
            }
        )


def _counted(pairs: Sequence[tuple[str, str]]) -> list[list[str | int]]:
    """Returns [mark, why, how many] of what is not noted by name. The mark: of a passage what its id has, else empty."""
    return [[*pair, pairs.count(pair)] for pair in dict.fromkeys(pairs)]


def _named(block: Block) -> list[str | int]:
    return [block.id, block.digest, block.kind, block.name, block.group, block.tokens]


def _memories_in(blocks: Sequence[Block]) -> list[str]:
    """Returns the ids of the memories of some blocks, including those of passages; parts of answers by their own ids."""
    own = [block.id.partition(PLACE)[0] for block in blocks if block.id.startswith("M-")]
    return own + [block.id for block in blocks if f"{PLACE}a" in block.id]


def _costs(items: Sequence[PackedMemory], blocks: Sequence[Block], form: str) -> dict[str, int]:
    """Returns the tokens of what is relevant as it is printed: a further passage of a text costs less than by itself."""
    from memcli.agents.turns import layout
    from memcli.recall import render

    texts = {block.id: block.text for block in blocks}
    for group in (layout.KNOWN, layout.SEEN):
        texts |= layout.memory_texts(items, blocks, group, form)
    return {name: render.counted([text]) for name, text in texts.items()}


class TurnBuilder:
    """Builds a turn. Each public method builds one kind, and returns its mode."""

    def __init__(self, project: Project, request: TurnRequest, refs: SessionRefs, delivery: Delivery | None) -> None:
        is_first = delivery is None or request.is_full
        self.project = project
        self.request = request
        self.budget = budget_of(project, request.engine)
        self.refs = refs
        self.before = 0 if delivery is None or is_first else delivery.revision
        self.old_hits: dict[str, str] = {} if delivery is None or is_first else json.loads(delivery.hits)
        self.text = ""
        self.is_empty = True
        self.shown = "{}"
        self.hits: dict[str, str | None] = {}
        self.memories: list[str] = []  # those that the text tells, also by a passage
        self.parts = ToldParts()
        self.files: Sequence[str] = ()
        self.own_blocks: frozenset[str] = frozenset()  # what the session wrote itself since: it knows
        self.used = _HEADING  # bytes of all but what is relevant
        self.notes_left = 0, ""  # how many notes had no room, and the day of the newest
        self.left = 0  # entries of a mode without room, which the next turn tells
        self._program: str | None = None  # the command line of mem, once it is known: looking for it walks through the path

    def full(self) -> str:
        """Everything that a session should know."""
        from memcli.agents.turns import layout

        contents = self._contents()
        self.old_hits = {}
        self.hits = {}
        self.memories = _memories_in(contents.blocks)
        self.parts = replace(self.parts, blocks=contents.blocks, removed=(), more=contents.more)
        header = self._header(0)
        form = self.request.form
        self.text = layout.full(header, contents.blocks, contents.more, "", form)
        self.used = len(self.text.encode()) + (0 if contents.blocks or form == "prompt" else _HEADING)
        relevant = self._relevant({block.id: block.digest for block in contents.blocks})
        self.is_empty = not contents.blocks and not relevant
        if relevant:
            self.text = layout.full(header, contents.blocks, contents.more, relevant, form)
        return FULL

    def unchanged(self, delivery: Delivery) -> str:
        """What is relevant to the question, when nothing else changed."""
        self.shown = delivery.shown
        self.files = [path for path, *_ in json.loads(delivery.stamp)[1]]
        return self._delta((), (), {block_id: block.digest for block_id, block in shown_blocks(delivery).items()})

    def relevant_only(self) -> str:
        """The same for a session without a record."""
        return self._delta((), (), {})

    def delta(self, delivery: Delivery) -> str:
        """What changed, what is gone and what is relevant; everything, if that is shorter."""
        from memcli.agents.turns import contents, instruction_file, layout

        blocks = self._contents().blocks
        self.own_blocks = contents.written_by(self.project, self.request.session, delivery.revision, _user_revision(delivery))
        old_blocks = shown_blocks(delivery)
        digests = {**self.old_hits, **{block_id: block.digest for block_id, block in old_blocks.items()}}
        changed = [block for block in blocks if digests.get(block.id) != block.digest and block.id not in self.own_blocks]
        current = {block.id for block in blocks}
        missing = {block_id: block for block_id, block in old_blocks.items() if block_id not in current}
        if "instructions" in missing and instruction_file.path_of(self.project):
            del missing["instructions"]  # they are still there, and only found no room
        removed = contents.removed_blocks(self.project, missing) if missing else []
        self.hits = {
            block.id: None if block.is_gone else old_blocks[block.id].digest for block in removed if block.kind == "memory"
        }
        removed = [block for block in removed if block.id not in self.own_blocks]
        text = layout.delta(self._header(self.before), changed, removed, "", self.request.form)
        self.used = len(text.encode())
        may_be_long = self.used > self.budget.tokens  # no token is shorter than a byte
        if self.used > self.budget.size or (may_be_long and contents.token_count(text) > self.budget.tokens):
            return self.full()
        left_out = [(name, *named, self._known(name, old_blocks) or why) for name, *named, why in self.parts.left_out]
        self.parts = replace(self.parts, blocks=changed, removed=removed, left_out=left_out)
        return self._delta(changed, removed, {block.id: block.digest for block in blocks})

    def _header(self, before: int) -> TurnHeader:
        from memcli.agents.turns.layout import TurnHeader
        from memcli.agents.turns.sections import more_notes
        from memcli.recall.pack import shown_names

        name, branch = shown_names(self.project)
        if self._program is None:
            self._program = "" if self.project.is_apart else command()  # who asks for a mode has its API only
        program = self._program
        commit, revision = (self.project.commit or "")[:7], turns.revision(self.project.db)
        notes = more_notes(*self.notes_left, program, self.request.form) if self.notes_left[0] else ""
        return TurnHeader(name, commit, branch, before, revision, program, self.left, notes)

    def _contents(self) -> TurnContents:
        from memcli.agents.turns import contents, layout

        refs, budget = self.refs, self.budget
        is_capped = adapter(self.request.engine).max_tokens is not None
        limits = contents.ContentLimits(
            self.request.form,
            budget.tokens,
            budget.size,
            refs.row,
            refs.note,
            budget.whole,
            is_capped,
            layout.frame_cost(self._header(0), self.request.form),
        )
        result = contents.collect(self.project, limits)
        self.files = result.files
        left_out = [(block.id, block.kind, block.name, why) for block, why in result.left_out]
        notes = [block for block, _ in result.left_out if block.group == layout.NOTES]
        self.notes_left = len(notes), notes[0].day if notes else ""
        self.parts = replace(self.parts, left_out=left_out, is_own_cap=result.is_own_cap, free=result.free)
        self.shown = json.canonical({block.id: [block.digest, block.kind, block.name] for block in result.blocks})
        return result

    def _delta(self, changed: Sequence[Block], removed: Sequence[RemovedBlock], old_digests: dict[str, str]) -> str:
        relevant = self._relevant(old_digests)
        self.is_empty = not (changed or removed or relevant)
        if self.is_empty:
            return NONE
        from memcli.agents.turns import layout

        self.text = layout.delta(self._header(self.before), changed, removed, relevant, self.request.form)
        self.memories += _memories_in(changed)
        return DELTA

    def _relevant(self, old_digests: dict[str, str]) -> str:
        """Returns what is known about the question and not shown yet, as text, and records it in `hits`."""
        request, budget = self.request, self.budget
        tokens = int(budget.hit_tokens * (_XML_SHARE if request.form == "xml" else 1))
        size = budget.whole - self.used
        if not request.query.strip() or tokens < 1 or size < 1:
            return ""
        from memcli.agents.turns import layout
        from memcli.recall import get

        own = turns.observed_in(self.project.db, self.refs.row) if self.refs.row > 0 else frozenset()
        question = request.query[:QUESTION]
        query = get.Query(
            question,
            request.form,
            tokens,
            max_bytes=size,
            is_prompt=True,
            with_state=False,
            excerpts=self.project.config["turn.excerpts"],
            exclude=own,
        )
        pack = get.get(self.project, query)
        digests = {**self.old_hits, **self.hits, **old_digests}
        blocks = [layout.memory_block(item, request.form) for item in pack.items]
        blocks += [layout.evidence_block(chunk, request.form) for chunk in pack.evidence]
        whole = {name for name in digests if name.startswith(("K-", "N-"))}  # entries and notes that are told whole
        new = [block for block in blocks if digests.get(block.id) != block.digest and block.id.partition(PLACE)[0] not in whole]
        stated = self._stated(pack)
        new = [block for block in new if block.id not in self.own_blocks and block.id not in stated]
        text = layout.relevant(pack.items, pack.notes, new, request.form)
        # The headings are not in the pack's count: what is too long with them loses its last blocks.
        while len(text.encode()) > size:
            text = layout.relevant(pack.items, pack.notes, new := new[:-1], request.form)
        self._note_relevant(pack, blocks, new, old_digests)
        self.hits |= {block.id: block.digest for block in new}
        self.memories += _memories_in(new)
        return text

    def _stated(self, pack: Pack) -> set[str]:
        """Returns the passages of a pack that add nothing to their statement, which the session was shown."""
        statements = {name: said for name, (_, kind, said) in json.loads(self.shown).items() if kind == "statement"}
        passages = [item.memory for item in pack.items if item.memory.id in statements]
        return {it.id for it in passages if it.title == it.summary and oneline(it.summary) == statements[it.id]}

    def _known(self, block_id: str, shown: Collection[str]) -> str:
        """Returns how the session knows something already, or "". `shown`: ids of what its start told."""
        if block_id in self.old_hits or self.hits.get(block_id):
            return TOLD
        return SHOWN if block_id in shown else OWN if block_id in self.own_blocks else ""

    def _note_relevant(self, pack: Pack, blocks: Sequence[Block], new: Sequence[Block], shown: Collection[str]) -> None:
        """Records what is told of a pack, and why the other matches are not. `shown`: ids of what the start told."""
        costs = _costs(pack.items, new, self.request.form)
        scores = {item.memory.id: item.ranked.score for item in pack.items} | {it.chunk.id: it.score for it in pack.evidence}
        others = sorted(pack.left_out, key=lambda pair: -pair[0].score)
        matching = [(block.id, "budget") for block in blocks if block not in new] + [(match.hit.id, why) for match, why in others]
        now = {block.id for block in (*self.parts.blocks, *new)}
        left_out = [(name, self._known(name, shown) or why) for name, why in matching if name not in now]
        self.parts = replace(
            self.parts,
            relevant=[(replace(block, tokens=costs[block.id]), scores.get(block.id, 0.0)) for block in new],
            notes=pack.notes,
            pack_left_out=left_out,
            lacking=pack.lacking,
        )

    def told(self) -> str:
        """Returns what the turn tells, as it is stored, or ""."""
        return "" if self.is_empty else self.parts.as_json(self._header(self.before), self.budget, self.request.form)
