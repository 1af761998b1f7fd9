"""What a full turn shows within its budget, regardless of what was told before.

What does not fit is cut in a fixed order: the repository's instructions stay, up to their own limit, then the state and the
profile, what the person asked for good, the last session, what is open, the last dropped attempt and a command, what is pinned,
decisions, more sessions, more that was dropped, more commands, recent memories, notes of the last days, and last what the person
keeps for every repository.
"""

from __future__ import annotations

from memcli.agents.turns import instruction_file, layout, sections
from memcli.agents.turns.layout import Block, RemovedBlock
from memcli.agents.turns.sections import Filling
from memcli.recall import render
from memcli.recall.get import freshness_lookup
from memcli.recall.pack import TokenBudget
from memcli.recall.relevance import match_of
from memcli.recall.render import packed_memory
from memcli.records import Record, replace
from memcli.store import context, memories, passages, turns
from memcli.store.context import Note
from memcli.text import dates
from memcli.text.ids import PLACE
from memcli.validity import PERSON, MemoryStatus, is_withheld, origin_of, standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from memcli.agents.turns.builder import ShownBlock
    from memcli.config import Config
    from memcli.project import Project
    from memcli.recall.relevance import Ranked
    from memcli.store.context import ProfileEntry
    from memcli.store.memories import Memory
    from memcli.validity import Freshness

    Pair = tuple[Memory, Ranked]

_SPARED = 400, 1_700  # tokens and bytes of a turn that instructions leave to everything else
_UNLIMITED = 1 << 30  # tokens
_NOTES_SHARE = 1 / 3  # of what is left for the notes of days
_XML = 1.5  # times as much may be spent in XML, whose attributes say the same in more words
_STATE_SHARE = 1 / 3  # of it all for the state
_STANDING_SHARE = 0.6  # of what is left for what the person always wants, before what is open
_MORE_SHARE = 0.4  # of what is left before the decisions, for those of them that had no room yet
_OF_PERSON = (layout.STANDING, layout.PREFERENCES, layout.FACTS)  # roles that only sentences of the person have
_OPEN_SHARE = 0.8  # of what is left for what is open
_EARLY_SHARE = 0.5  # of what is left then for one attempt that was dropped and one command
_PINNED_SHARE = 1 / 2  # of what is left then for what is pinned
_TITLE = 80  # characters of a title that name a memory which is no longer due
PINNED = 8
SUMMARIES = 5
_DECISION = "decision"  # the kind of memories that stand among the decisions
_SPARE = 2  # times what is taken is looked at at once: some of it does not hold on this branch ...
_PAGES = 10  # ... and so often, where too little of it does
_NO_SESSION = -1  # row of a session that no store has: a session of the repository's store is none of the person's own


class ContentLimits(Record):
    """What the blocks may cost together, in which form. `session`, `note`: the session's own row and note, not to be told.

    `size`, `whole`: bytes without the instructions, and with them. `has_token_cap`: the harness takes no more tokens, whatever
    they are; else the instructions have no part in `tokens`. `frame`: tokens and bytes of what stands around the blocks.
    """

    form: str
    tokens: int
    size: int
    session: int
    note: str
    whole: int
    has_token_cap: bool
    frame: tuple[int, int] = (0, 0)


class TurnContents(Record):
    """What a full turn shows now. `more`: entries of the profile that did not fit; `files`: those whose change would show.

    `left_out`: what had no room, with what bounded it: tokens, bytes, session (a share of what sessions get), or a setting.
    `is_own_cap`: the tokens of a list are what `turn.tokens` allows, and not less; `free`: those of them that were left.
    """

    blocks: tuple[Block, ...]
    more: int
    files: tuple[str, ...]
    left_out: tuple[tuple[Block, str], ...]
    is_own_cap: bool
    free: int


def most_tokens(settings: Config, form: str) -> int:
    """Returns how many tokens `turn.tokens` allows in a form."""
    return int(settings["turn.tokens"] * (_XML if form == "xml" else 1))


def collect(project: Project, limits: ContentLimits) -> TurnContents:
    """Returns what a full turn shows."""
    form, but, settings = limits.form, limits.session, project.config
    most = most_tokens(settings, form)
    instructions, remaining = _instructions(project, limits)
    tokens = max(0, min(limits.tokens, most, remaining.tokens) - limits.frame[0])
    budget = TokenBudget(tokens, max(0, min(limits.size, remaining.size or 0) - limits.frame[1]))
    filling = Filling(form)
    candidates = _candidates(project, settings["turn.entries"], but)
    shares = sections.SessionShares(tokens, bool(candidates.pinned or candidates.written))
    lines = sections.Lines(project, but, filling, shares, _statements)

    standing_blocks = [pair[0] for role in _OF_PERSON for pair in sections.statements(project, role, but, form, _statements)]

    def standing_lines(budget: TokenBudget, before: Collection[str] = ()) -> list[Block]:
        return [fitting for block in standing_blocks if block.id not in before for fitting in filling.take(budget, [block])]

    freshness = freshness_lookup(project, [match for _, match in (*candidates.pinned, *candidates.written, *candidates.own)])

    def memory_lines(pairs: Sequence[Pair]) -> list[Block]:
        return _memory_blocks(pairs, form, freshness)

    # What is spent first stays longest where the budget is small; the order of printing is that of layout.HEADINGS.
    blocks = _of_share(budget, _STATE_SHARE, lambda share: sections.state_blocks(project, share, form))
    profile, more = _profile_blocks(project, budget, filling)
    blocks += profile
    standing = _of_share(budget, _STANDING_SHARE, standing_lines)  # all of them, unless they leave too little to what is open
    blocks += lines.sessions(budget, candidates.summaries, standing_blocks, 1)
    blocks += _of_share(budget, _OPEN_SHARE, lambda share: lines.of(layout.OPEN, share))
    blocks += _of_share(budget, _EARLY_SHARE, lines.first_of_each)
    memory_blocks = _pinned(budget, filling, memory_lines(candidates.pinned))
    memory_blocks += filling.take(budget, memory_lines([pair for pair in candidates.written if pair[0].kind == _DECISION]))
    blocks += lines.one(layout.DECISIONS, budget)
    standing += _of_share(budget, _MORE_SHARE, lambda share: standing_lines(share, {block.id for block in standing}))
    blocks += lines.of(layout.DECISIONS, budget)
    standing += standing_lines(budget, {block.id for block in standing})
    blocks += lines.sessions(budget, candidates.summaries, standing)
    blocks += lines.of(layout.DROPPED, budget)
    blocks += lines.commands(budget)
    blocks += lines.of(layout.LESSONS, budget)
    others = [pair for pair in candidates.written if pair[0].kind != _DECISION]
    memory_blocks += _take_short(budget, filling, memory_lines(others), _within(others, settings["turn.entries_chars"]))
    blocks += _of_share(budget, _NOTES_SHARE, lambda share: _note_blocks(project, share, limits, filling))
    own = candidates.own
    memory_blocks += _take_short(budget, filling, memory_lines(own), _within(own, settings["turn.entries_chars"]))
    blocks += [*memory_blocks, *_in_order_of(standing_blocks, standing)]
    blocks = sorted(blocks, key=lambda block: _ORDER.index(block.group)) + instructions
    is_own_cap = most <= min(limits.tokens, remaining.tokens)
    left_out = filling.left_out_of(blocks)
    return TurnContents(tuple(blocks), more, _files_of(project, memory_blocks), left_out, is_own_cap, budget.tokens)


def _in_order_of(every: Sequence[Block], taken: Sequence[Block]) -> list[Block]:
    """Returns the blocks that were taken, in the order of all blocks."""
    by_id = {block.id: block for block in taken}
    return [by_id[block.id] for block in every if block.id in by_id]


def _files_of(project: Project, blocks: Sequence[Block]) -> tuple[str, ...]:
    """Returns the files that memories name."""
    links = memories.links_of(project.db, [block.id for block in blocks]) if blocks else []
    return tuple(sorted({path for _, rel, path, _ in links if rel != "supersedes"}))


_ORDER = [layout.STATE, *layout.HEADINGS, layout.NOTES]


def _memory_blocks(pairs: Sequence[Pair], form: str, freshness: Callable[[str], Freshness]) -> list[Block]:
    return [
        layout.memory_block(
            packed_memory(render.FORMS[form], memory, match, freshness(memory.id)),
            form,
            layout.DECISIONS if memory.kind == _DECISION else layout.KNOWN,
        )
        for memory, match in pairs
    ]


def _of_share(budget: TokenBudget, fraction: float, fill: Callable[[TokenBudget], list[Block]]) -> list[Block]:
    """Returns the blocks that `fill` fits into a share of a budget, and spends their cost."""
    share = budget.share(fraction, budget.tokens)
    size = share.size or 0
    blocks = fill(share)
    budget.spend(share.spent, size - (share.size or 0))
    return blocks


class Candidates(Record):
    """Memories that may be shown, the most important of each kind first, without duplicates.

    `written`: on purpose, of late; `own`: such memories of the person's own.
    """

    pinned: list[Pair]
    summaries: list[Memory]
    written: list[Pair]
    own: list[Pair]


def _candidates(project: Project, most: int, but: int) -> Candidates:
    """Returns what may be shown: nothing that gives orders, does not hold at HEAD, or is from the session in row `but`.

    `most`: recent memories.
    """
    db, user_db = project.db, project.user_db
    pinned = _first(project, PINNED, lambda most, skip: memories.pinned(db, most, but, skip))
    own: list[Pair] = []
    if user_db is not None:
        pinned += valid_pairs(project, memories.pinned(user_db, PINNED, _NO_SESSION), True)
        own = _first(project, most, lambda most, skip: memories.newest(user_db, most, _NO_SESSION, skip), True)
    summaries = [memory for memory, _ in _first(project, SUMMARIES, lambda most, skip: memories.summaries(db, most, but, skip))]
    written = _first(project, most, lambda most, skip: memories.newest(db, most, but, skip))
    return Candidates(pinned, summaries, [pair for pair in written if pair[0].origin != memories.WELCOME], own)


def _statements(project: Project, most: int, page: Callable[[int, int], list[Memory]]) -> list[Memory]:
    """Returns the first passages that may be shown, in the shape of memories."""
    return [memory for memory, _ in _first(project, most, page)]


def _first(project: Project, most: int, page: Callable[[int, int], list[Memory]], from_user: bool = False) -> list[Pair]:
    """Returns the first memories of the repository, or of the person's own, that may be shown.

    `page`: so many of them, after so many.
    """
    pairs: list[Pair] = []
    size = _SPARE * most
    for number in range(_PAGES if most > 0 else 0):
        group = page(size, number * size)
        pairs += valid_pairs(project, group, from_user)
        if len(pairs) >= most or len(group) < size:
            break
    return pairs[:most]


def valid_pairs(project: Project, group: Sequence[Memory], from_user: bool, orders_of: Collection[str] = (PERSON,)) -> list[Pair]:
    """Returns the memories that are valid at HEAD and give no orders, except of the writers `orders_of`. `from_user`: the own."""
    db = project.user_db if from_user and project.user_db is not None else project.db
    candidates = [memory for memory in group if not memory.suspicious or origin_of(memory.origin).writer in orders_of]
    return [
        (memory, match_of(memory, from_user, anchor))
        for memory, (anchor, superseded) in zip(candidates, standing(project, db, candidates))
        if MemoryStatus(anchor, superseded).is_valid
    ]


def _pinned(budget: TokenBudget, filling: Filling, blocks: Sequence[Block]) -> list[Block]:
    """Returns the pinned memories that fit into their share, or only the first one."""
    return _of_share(budget, _PINNED_SHARE, lambda share: filling.take(share, blocks)) or filling.take(budget, blocks[:1])


def _profile_blocks(project: Project, budget: TokenBudget, filling: Filling) -> tuple[list[Block], int]:
    """Returns the entries of the profile that fit, and how many do not. A long one does not displace short ones."""
    entries = profile_entries(project)
    form = filling.form
    if entries and form == "xml":
        sections.spend(budget, layout.XML_MORE_PROFILE)
    elif entries:
        sections.spend(budget, layout.MORE_PROFILE)
    blocks = []
    for entry, from_user in entries:
        blocks += filling.take(budget, [layout.profile_block(entry, form, from_user)])
    return blocks, len(entries) - len(blocks)


def profile_entries(project: Project) -> list[tuple[ProfileEntry, bool]]:
    """Returns the entries of both profiles that may be shown, each with whether it is the person's own."""
    entries = context.merged_profile(project.db, project.user_db)
    return [(entry, is_own) for entry, is_own in entries if not is_withheld(entry.actor, entry.key, entry.value)]


def _note_blocks(project: Project, budget: TokenBudget, limits: ContentLimits, filling: Filling) -> list[Block]:
    """Returns the notes of the last days, newest first, as far as they fit beside the line that counts the rest."""
    earliest = max(0, project.now - (project.config["turn.note_days"] - 1) * dates.DAY)
    first, last = dates.local_day(earliest), dates.local_day(project.now)
    stores = [db for db in (project.db, project.user_db) if db is not None]
    day_notes = [note for db in stores for note in context.notes_between(db, first, last) if note.id != limits.note]
    day_notes.sort(key=lambda note: (note.day, note.created_at, note.id), reverse=True)
    generated = context.generated_notes(project.db, first, last) if day_notes else set()
    # Those repeat the lines of sessions.
    day_notes = [note for note in day_notes if note.id not in generated and not is_withheld(note.actor, note.text)]
    if not day_notes:
        return []
    line = sections.more_notes(len(day_notes), day_notes[0].day, "mem", limits.form)
    has_room = sections.spend(budget, layout.NOTES_HEADING, line)
    blocks: list[Block] = []
    for note in day_notes if has_room else ():
        block = layout.note_block(note, limits.form)
        if not sections.spend(budget, layout.NOTE_DAY.format(block.day), block.text):
            break
        blocks.append(replace(block, tokens=render.counted([block.text])))
    rest = [Block(note.id, "daily", layout.NOTES, "", "", 0, "", note.day) for note in day_notes[len(blocks) :]]
    filling.pass_over(rest, budget.lacking)
    return blocks


def _within(pairs: Sequence[Pair], max_chars: int) -> int:
    """Returns how many of the first memories have titles and summaries of at most `max_chars` characters together."""
    for count, (memory, _) in enumerate(pairs):
        max_chars -= len(memory.line) + len(memory.brief)
        if max_chars < 0:
            return count
    return len(pairs)


def _take_short(budget: TokenBudget, filling: Filling, blocks: Sequence[Block], most: int) -> list[Block]:
    """Returns those of the first blocks that fit. `most`: how many are short enough together."""
    filling.pass_over(blocks[most:], "turn.entries_chars")
    return filling.take(budget, blocks[:most])


def _instructions(project: Project, limits: ContentLimits) -> tuple[list[Block], TokenBudget]:
    """Returns (the repository's instructions, what the turn has left for everything else)."""
    tokens = limits.tokens if limits.has_token_cap else _UNLIMITED
    budget = TokenBudget(max(0, tokens - _SPARED[0]), max(0, limits.whole - _SPARED[1]))
    blocks = instruction_file.blocks(project, budget, limits.form)
    tokens = limits.tokens - (budget.spent if limits.has_token_cap else 0)
    return blocks, TokenBudget(tokens, limits.whole - sum([len(block.text.encode()) for block in blocks]))


def removed_blocks(project: Project, missing: Mapping[str, ShownBlock]) -> list[RemovedBlock]:
    """Returns shown blocks that a full turn no longer has, given by id, with whether they are still valid; memories by title."""
    ids = [block_id.partition(PLACE)[0] for block_id, block in missing.items() if block.kind in ("memory", "session")]
    own = [memory for name in ids if (memory := memories.find(project.db, name)) is not None]
    theirs = [memory for name in ids if project.user_db and (memory := memories.find(project.user_db, name)) is not None]
    stored = [*own, *[replace(memory, anchor=None) for memory in theirs]]
    valid = {memory.id for memory, _ in valid_pairs(project, [memory for memory in stored if not memory.forgotten], False)}
    valid |= {entry.id for entry, _ in context.merged_profile(project.db, project.user_db)}
    valid |= {block_id for block_id, block in missing.items() if block.kind == "daily" and _is_note(project, block_id)}
    valid |= {block_id for block_id, block in missing.items() if block.kind == "command" or block_id.partition(PLACE)[0] in valid}
    parts = [passages.find(project.db, block_id) for block_id, block in missing.items() if block.kind == "statement"]
    valid |= {memory.id for memory, _ in valid_pairs(project, [part.as_memory() for part in parts if part is not None], False)}
    titles = {memory.id: memory.line for memory in stored if not memory.suspicious}
    return [
        RemovedBlock(block_id, block.kind, _name_of(block, titles.get(block_id, "")), block_id not in valid)
        for block_id, block in missing.items()
    ]


def _name_of(block: ShownBlock, title: str) -> str:
    return block.name if block.kind == "instructions" else _clipped(block.name or title)


def _clipped(title: str) -> str:
    return title if len(title) <= _TITLE else title[: _TITLE - 1].rstrip() + "…"


def written_by(project: Project, session: str, since: int, own_since: int) -> frozenset[str]:
    """Returns what only this session wrote after a revision here and one of the person's own memory."""
    in_store = turns.written_by(project.db, since, session)
    in_user_store = turns.written_by(project.user_db, own_since, session) if project.user_db is not None else {}
    in_user_store.pop("state", None)  # of which turns tell nothing
    # a key has the same id in both
    return frozenset([name for name in (*in_store, *in_user_store) if in_store.get(name, True) and in_user_store.get(name, True)])


def _is_note(project: Project, note_id: str) -> bool:
    is_in_user_store = project.user_db is not None and context.find(project.user_db, Note, note_id) is not None
    return is_in_user_store or context.find(project.db, Note, note_id) is not None


def token_count(text: str) -> int:
    """Returns the exact number of tokens of a text."""
    return render.counted([text])
