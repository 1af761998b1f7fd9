"""What a full turn shows, within its budget and whatever was told before.

What does not fit is cut in a fixed order: the profile and the state stay, then what is pinned, the last summaries, the notes of
the last days, recent memories; the repository's instructions are clipped to what is left.
"""

from __future__ import annotations

import os

from memcli.agents.turns import layout, start
from memcli.agents.turns.layout import Block, Removed
from memcli.recall import render
from memcli.recall.get import freshness_lookup
from memcli.recall.pack import TokenBudget, pack_state
from memcli.recall.render import name_and_branch, packed_memory
from memcli.records import Record, replace
from memcli.repo import worktree
from memcli.store import context, memories, turns
from memcli.store.context import Note
from memcli.text import dates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memcli.agents.turns.start import Pair
    from memcli.project import Project
    from memcli.validity.status import Freshness

_LEAST = 200  # bytes of instructions that are worth a heading
_REVISION = 12  # tokens at most of the attribute that names a memory's revision
_NOTES_SHARE = 1 / 3  # of what is left after the summaries, for the notes of days
_TITLE = 80  # characters of a title that name a memory which is no longer due
_LARGEST = 1 << 20  # bytes of a file of instructions that is read


class Room(Record):
    """What the blocks may cost together, in which form. `session`, `note`: the session's own row and note, not to be told."""

    form: str
    tokens: int
    size: int  # bytes
    session: int
    note: str


class Due(Record):
    """What a full turn shows now. `more`: entries of the profile without room; `files`: those whose change would show."""

    blocks: tuple[Block, ...]
    more: int
    files: tuple[str, ...]


def due(project: Project, room: Room) -> Due:
    """Returns what a full turn shows, in the order in which it is printed."""
    budget = TokenBudget(max(0, room.tokens - layout.FRAME_TOKENS), max(0, room.size - layout.FRAME_BYTES))
    name, branch = name_and_branch(project)
    budget.spend(*[len(f"{name}{branch}".encode())] * 2)
    settings = project.config
    state = _state(project, budget, room.form)
    profile, more = _profile(project, budget, room.form)
    known = start.known(project, settings["turn.entries"], room.session)
    freshness = freshness_lookup(project, [one for _, one in (*known.pinned, *known.summaries, *known.recent)])
    take = Taker(budget, room.form, freshness)
    kept = [*take.memories(known.pinned), *take.memories(known.summaries)]
    noted = _noted(project, budget, room)
    kept += take.memories(_short(known.recent, settings["turn.entries_chars"]))
    blocks = [*profile, *state, *kept, *noted, *_instructions(project, budget, room.form)]
    links = memories.links_of(project.db, [one.id for one in kept]) if kept else []
    return Due(tuple(blocks), more, tuple(sorted({path for _, rel, path, _ in links if rel != "supersedes"})))


class Taker:
    """Takes blocks out of a budget, of each group as many as fit, in their order."""

    def __init__(self, budget: TokenBudget, form: str, freshness: Callable[[str], Freshness]) -> None:
        self.budget = budget
        self.form = form
        self.freshness = freshness

    def memories(self, pairs: Sequence[Pair]) -> list[Block]:
        """Takes memories until one does not fit."""
        taken: list[Block] = []
        for memory, one in pairs:
            block = layout.memory_block(packed_memory(render.FORMS[self.form], memory, one, self.freshness(memory.id)), self.form)
            tokens = block.tokens + (_REVISION if self.form == "xml" else 0)
            if not self.budget.spend(tokens, len(block.text.encode())):
                break
            taken.append(block)
        return taken


def _take(budget: TokenBudget, *texts: str) -> bool:
    said = [one for one in texts if one]
    return budget.spend(render.counted(said), sum([len(one.encode()) for one in said]))


def _state(project: Project, budget: TokenBudget, form: str) -> list[Block]:
    packed = pack_state(project, budget, render.FORMS[form], alone=False)
    budget.release()
    if packed.state is None or not packed.items:
        return []
    block = layout.state_block(packed.state, packed, form)
    return [block] if form == "prompt" or budget.spend(0, len(block.text) - len(block.text.partition(">")[2])) else []


def _profile(project: Project, budget: TokenBudget, form: str) -> tuple[list[Block], int]:
    """Returns the entries of the profile that fit, and how many do not."""
    taken: list[Block] = []
    there = context.merged_profile(project.db, project.user_db)
    for entry, from_user in there:
        block = layout.profile_block(entry, form, from_user)
        if _take(budget, block.text):
            taken.append(block)
    return taken, len(there) - len(taken)


def _noted(project: Project, budget: TokenBudget, room: Room) -> list[Block]:
    """Returns notes of the last days, the newest first; where their share has no room for all, people's own go first."""
    first, last = dates.day(max(0, project.now - (project.config["turn.note_days"] - 1) * dates.DAY)), dates.day(project.now)
    stores = [db for db in (project.db, project.user_db) if db is not None]
    found = [note for db in stores for note in context.notes_between(db, first, last) if note.id != room.note]
    found.sort(key=lambda note: (note.day, note.created_at, note.id), reverse=True)
    ours = context.generated_notes(project.db, first, last) if found else set()
    share = budget.share(_NOTES_SHARE, budget.tokens)
    size_before = share.size or 0
    taken: dict[str, Block] = {}
    for note in sorted(found, key=lambda note: note.id in ours):
        block = layout.note_block(note, room.form)
        if not _take(share, layout.NOTE_DAY.format(block.day), block.text):
            break
        taken[note.id] = block
    budget.spend(share.spent, size_before - (share.size or 0))
    return [taken[note.id] for note in found if note.id in taken]


def _short(pairs: Sequence[Pair], most: int) -> list[Pair]:
    """Returns the first memories whose titles and summaries have so many characters together."""
    taken = []
    for pair in pairs:
        most -= len(pair[0].line) + len(pair[0].brief)
        if most < 0:
            break
        taken.append(pair)
    return taken


def instructions_path(project: Project) -> str | None:
    """Returns the instructions' path, None where none are: an absolute one leads anywhere, another only into the repository."""
    named = str(project.config["turn.instructions"])
    if os.path.isabs(named):
        return named if os.path.isfile(named) else None
    return worktree.place(project.root, named) if project.root else None


def _instructions(project: Project, budget: TokenBudget, form: str) -> list[Block]:
    """Returns the repository's instructions for agents, as many lines as there is room for."""
    whole, changed_at = _read(instructions_path(project), project.config["turn.instructions_chars"])
    name = str(project.config["turn.instructions"])
    lines: list[str] = []
    if budget.size is None or budget.size < _LEAST or not _take(budget, layout.INSTRUCTIONS_HEADING.format(name)):
        return []
    for line in whole.splitlines():
        said = layout.instructions_line(line, form)
        if not _take(budget, f"{said}\n"):
            lines.append("…")  # within what the frame may cost
            break
        lines.append(line)
    if not "".join(lines).strip(" …\n"):
        return []
    return [layout.instructions_block(name, lines, whole, changed_at, form)]


def _read(path: str | None, most: int) -> tuple[str, int]:
    """Returns (the first characters of a text file, when it was changed in ms); empty where there is none."""
    try:
        handle = os.open(path or "", os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return "", 0
    try:
        found = os.fstat(handle)
        if found.st_mode & 0o170000 != 0o100000:
            return "", 0
        content = os.read(handle, min(_LARGEST, most * 4 + 4))
    except OSError:
        return "", 0
    finally:
        os.close(handle)
    said = content.decode("utf-8", "replace").removeprefix("\ufeff").replace("\0", "\ufffd")[:most]
    return said.strip("\n"), found.st_mtime_ns // 1_000_000


def removed(project: Project, lost: Sequence[tuple[str, str, str]]) -> list[Removed]:
    """Tells of blocks that are no longer due, given as (id, kind, name), whether they hold still; of memories by their titles."""
    ids = [name for name, kind, _ in lost if kind == "memory"]
    there = [found for name in ids if (found := memories.find(project.db, name)) is not None]
    if project.user_db is not None:
        there += [replace(found, anchor=None) for name in ids if (found := memories.find(project.user_db, name)) is not None]
    held = start.holding(project, there)
    held |= {entry.id for entry, _ in context.merged_profile(project.db, project.user_db)}
    held |= {name for name, kind, _ in lost if kind == "daily" and _note(project, name)}
    titles = {one.id: one.line for one in there if not one.suspicious}
    return [Removed(name, kind, label or _clipped(titles.get(name, "")), name not in held) for name, kind, label in lost]


def _clipped(title: str) -> str:
    return title if len(title) <= _TITLE else title[: _TITLE - 1].rstrip() + "…"


def own_words(project: Project, session: str, since: int, own_since: int) -> frozenset[str]:
    """Returns what a session wrote itself after a revision here and one of the person's own, and nobody else did."""
    here = turns.written_by(project.db, since, session)
    own = turns.written_by(project.user_db, own_since, session) if project.user_db is not None else {}
    own.pop("state", None)  # of which turns tell nothing
    # a key has the same id in both
    return frozenset([name for name in (*here, *own) if here.get(name, True) and own.get(name, True)])


def _note(project: Project, note_id: str) -> bool:
    own = project.user_db is not None and context.find(project.user_db, Note, note_id) is not None
    return own or context.find(project.db, Note, note_id) is not None


def count(said: str) -> int:
    """Returns the tokens of a text, exactly."""
    return render.counted([said])
