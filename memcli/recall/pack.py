"""Filling a budget: what goes into a pack, what stays out and why, and what the whole will cost when it is printed."""

from __future__ import annotations

from memcli.recall import render, truth
from memcli.recall.choose import in_order
from memcli.recall.render import cost, counted, marks_cost, size
from memcli.records import Record
from memcli.store import states
from memcli.text import forms
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memcli.project import Project
    from memcli.recall.choose import Choice
    from memcli.recall.holds import Told
    from memcli.recall.rank import Ranked
    from memcli.store.chunks import Chunk
    from memcli.store.memories import Memory
    from memcli.store.states import State

    Line = tuple[str, *tuple[object, ...]]  # a template and its fields
    Marks = dict[str, tuple[str, ...]]  # keys of render.MARKS, with what fills their texts
    LeftOut = tuple[Ranked, str]  # and why: orphan, superseded, duplicate, count or budget

STATE_SHARE = 0.5  # of what the best memory and the frame leave, where other memories or chunks want some
EVIDENCE_AFTER = 400  # tokens of memories that come before the first evidence: about six

_NAME = 60  # characters of a repository's or a branch's name that a heading prints
_PATH = 60  # characters of a path that a mark prints, its end
_SPARE = 2  # fetched beyond what a pack may hold, for those that are left out
_DAY = "2026-01-01"  # as long as any


class PackedMemory(Record):
    """A memory in a pack. `marks` is what is said of it beyond its text, `tokens` what its lines cost; `also` says the same."""

    memory: Memory
    ranked: Ranked
    marks: Marks
    tokens: int
    also: tuple[str, ...]
    told: Told | None


class PackedChunk(Record):
    """A chunk in a pack, with the lines of it that are printed. `also`: paths of files that have a copy of it."""

    chunk: Chunk
    lines: tuple[str, ...]
    marks: Marks
    tokens: int
    also: tuple[str, ...] = ()


class DroppedChunk(Record):
    """A chunk that matched and is not in a pack. `why`: as in evidence.py, or duplicate, overlap, count or budget."""

    chunk: Chunk
    why: str
    lost_to: str | None  # id of the chunk that stands for it

    @property
    def is_outdated(self) -> bool:
        """True where an ingestion would help."""
        return self.why in ("changed", "gone")


class Pack(Record):
    """What goes into a prompt, and whose memory it is.

    `tokens` is an upper bound, exact but for names and numbers, of the form it was packed for.
    """

    repo_id: str
    name: str
    root: str
    commit: str
    branch: str
    query: str
    terms: tuple[str, ...]
    corrected: dict[str, tuple[str, ...]]
    near: tuple[str, ...]
    read_as: str  # what was corrected, as it is printed
    form: str
    budget: int
    max_bytes: int | None
    semantic: bool  # whether meanings were compared, too
    tokens: int
    state: State | None
    state_items: tuple[str, ...]
    state_more: int
    items: tuple[PackedMemory, ...]
    evidence: tuple[PackedChunk, ...]
    dropped: tuple[DroppedChunk, ...]
    left_out: tuple[LeftOut, ...]
    with_rules: bool
    with_heading: bool
    with_footer: bool
    with_outdated: bool

    @property
    def orphans(self) -> int:
        """How many matches are hidden because HEAD cannot see their commit."""
        return len([one for one, why in self.left_out if why == "orphan"])

    @property
    def outdated(self) -> int:
        """How many chunks are left out that an ingestion would bring up to date."""
        return len([one for one in self.dropped if one.is_outdated])

    @property
    def more(self) -> int:
        """How many matches had no room."""
        return len([one for one, why in self.left_out if why in ("count", "budget")])


class TokenBudget:
    """What is left: tokens and, where there is a cap on them, bytes. Both are spent together, or neither."""

    def __init__(self, tokens: int, room: int | None = None) -> None:
        self.left = tokens
        self.spent = 0
        self.room = room  # bytes; None: any number
        self.kept = (0, 0)  # tokens and bytes that are put aside

    def take(self, tokens: int, size: int) -> bool:
        """Spends tokens and bytes and returns True, or leaves the purse as it is where they do not suffice."""
        if tokens > self.left or (self.room is not None and size > self.room):
            return False
        self.left -= tokens
        self.spent += tokens
        if self.room is not None:
            self.room -= size
        return True

    def take_fixed(self, *lines: Line) -> bool:
        """Spends what templates cost, each given with its fields."""
        return self.take(sum([cost(*line) for line in lines]), sum([size(*line) for line in lines]))

    def put_aside(self, tokens: int, size: int) -> None:
        """Makes tokens and bytes unavailable until `bring_back`."""
        if self.take(tokens, size):
            self.spent -= tokens
            self.kept = (tokens, size)

    def bring_back(self) -> None:
        """Makes available again what was put aside."""
        self.left += self.kept[0]
        if self.room is not None:
            self.room += self.kept[1]
        self.kept = (0, 0)

    def part(self, share: float, most: int) -> TokenBudget:
        """Returns a purse with a share of what is left, at most so many tokens."""
        return TokenBudget(min(most, int(self.left * share)), None if self.room is None else int(self.room * share))


def name_and_branch(project: Project) -> tuple[str, str]:
    """Returns the repository's name and the branch as a heading prints them; empty where there is no branch."""
    branch = project.checkout.branch if project.checkout else None
    return oneline(project.name)[:_NAME] or "this directory", oneline(branch or "")[:_NAME]


def pack_state(project: Project, purse: TokenBudget, form: str, alone: bool) -> tuple[State | None, tuple[str, ...], int]:
    """Takes as many items of the current state as its share of the budget holds. Returns (state, items, how many did not fit).

    Where it is not `alone`, half of what is left stays for what else there is. Of a state that gets less than it could use, the
    rest of its share is put aside: what memories get must not depend on which item happened to fit.
    """
    found = states.history(project.db, 1)
    items = found[0].items.split("\n") if found and found[0].items else []
    if not items:
        return (found[0] if found else None), (), 0
    most = project.config["budget.state"]
    counts = [int(count) for count in (found[0].prompt_tokens if form == "prompt" else found[0].xml_tokens).split(",")]
    lines = list(zip(items, counts, _sizes(items, form) if purse.room is not None else [0] * len(items), strict=True))
    share = purse.part(1.0 if alone else STATE_SHARE, most)
    room = share.room or 0
    taken = _state_items(lines, share, form)
    purse.take(share.spent, room - (share.room or 0))
    if len(taken) < len(_state_items(lines, TokenBudget(most), form)):
        purse.put_aside(share.left, share.room or 0)
    return found[0], tuple(taken), len(items) - len(taken)


def _sizes(items: list[str], form: str) -> list[int]:
    line = forms.state_prompt if form == "prompt" else forms.state_xml
    return [len(line(item).encode()) for item in items]


def _state_items(lines: list[tuple[str, int, int]], purse: TokenBudget, form: str) -> list[str]:
    """Takes the heading of a state and the first of its items, given with tokens and bytes, that the purse holds."""
    prompt = form == "prompt"
    frame: list[Line] = [(render.STATE, _DAY)] if prompt else [(render.XML_STATE, _DAY), (render.XML_STATE_END,)]
    more: Line = (render.MORE_STATE if prompt else render.XML_STATE_MORE, len(lines))
    whole = TokenBudget(purse.left, purse.room)
    if not (whole.take_fixed(*frame) and whole.take(sum([line[1] for line in lines]), sum([line[2] for line in lines]))):
        frame.append(more)
    before = purse.left, purse.spent, purse.room
    taken = []
    if purse.take_fixed(*frame):
        for item, tokens, size in lines:
            if not purse.take(tokens, size):
                break
            taken.append(item)
    if not taken:
        purse.left, purse.spent, purse.room = before
    return taken


def marks_of(one: Ranked, told: Told | None = None) -> Marks:
    """Returns what a reader must be told about a memory beyond its text."""
    hit = one.hit
    carried = truth.carried(one.anchor)
    said = (
        (one.anchor, one.anchor in render.MARKS),
        (carried[0] if carried else "", carried is not None),
        ("superseded", one.superseded),
        ("pinned", hit.pinned),
        ("suspicious", hit.suspicious),
        ("user", one.from_user),
    )
    fields: Marks = {carried[0]: ((hit.anchor or "")[:7],)} if carried else {}
    marks: Marks = {mark: fields.get(mark, ()) for mark, is_said in said if is_said}
    return marks if told is None else {**marks, **_marks_told(told)}


def _marks_told(told: Told) -> Marks:
    """Returns the marks for files that are not as they were, the first of each sort by name, and for a contested memory."""
    marks: Marks = {}
    for mark, paths in (("changed", told.changed), ("gone", told.gone)):
        if paths:
            marks[mark if len(paths) == 1 else f"{mark}_more"] = (shortened(paths[0]), str(len(paths) - 1))[: len(paths)]
    if told.rivals:
        marks["contested"] = (str(len(told.rivals) + 1), told.replaces)
    return marks


def shortened(path: str) -> str:
    """Returns a path as a mark prints it: on one line, of a long one the end."""
    name = oneline(path)
    return name if len(name) <= _PATH else "…" + name[1 - _PATH :]


class Filling:
    """The memories of a pack while it is filled: in the order of choose.py, until one does not fit."""

    def __init__(
        self, project: Project, ranked: Sequence[Ranked], told: Callable[[str], Told | None], purse: TokenBudget, form: str
    ) -> None:
        self.ranked = ranked
        self.told = told  # asked what is known of a memory's files and rivals
        self.purse = purse
        self.form = form
        self.most = project.config["budget.memories"]
        self.is_over = False  # nothing more is taken, whatever would fit
        self._same: list[Ranked] = []
        self._order = in_order(project, ranked, form, self.most + _SPARE, self._same)
        self._next: Choice | None = None
        self._taken: list[tuple[int, PackedMemory]] = []

    def take(self, count: int, tokens: int | None = None) -> None:
        """Takes memories until there are `count`, or until they have cost `tokens`, or one does not fit."""
        opening = render.KNOWN if self.form == "prompt" else render.XML_KNOWN + render.XML_KNOWN_END
        while not self.is_over and len(self._taken) < min(count, self.most):
            self._next = self._next or next(self._order, None)
            if self._next is None:
                return
            rank, one, memory, same = self._next
            item = item_of(memory, one, same, self.told(memory.id), self.form)
            if tokens is not None and sum([had.tokens for _, had in self._taken]) + item.tokens > tokens:
                return
            size = len(render.memory_text(item, self.form).encode()) if self.purse.room is not None else 0
            first = not self._taken
            if self.purse.take(item.tokens + opening_cost(self.form, first), size + (len(opening) if first else 0)):
                self._taken.append((rank, item))
                self._same += same
                self._next = None
            else:
                self.is_over = True

    @property
    def items(self) -> tuple[PackedMemory, ...]:
        """Those taken, the best match first."""
        return tuple([item for _, item in sorted(self._taken, key=lambda had: had[0])])

    @property
    def left_out(self) -> list[LeftOut]:
        """Those not taken, and why."""
        here = {item.ranked.hit.id for _, item in self._taken}
        same = {one.hit.id for one in self._same}
        why = "count" if len(self._taken) >= self.most else "budget"
        return [(one, "duplicate" if one.hit.id in same else why) for one in self.ranked if one.hit.id not in here]


def item_of(memory: Memory, one: Ranked, same: list[Ranked], told: Told | None, form: str) -> PackedMemory:
    """Returns a memory as a pack has it, with what its lines cost."""
    prompt = form == "prompt"
    marks = marks_of(one, told)
    also = tuple([double.hit.id for double in same])
    tokens = (memory.prompt_tokens if prompt else memory.xml_tokens) + marks_cost(marks, form)
    if also:
        tokens += counted([render.also_text(also, form)])
    return PackedMemory(memory, one, marks, tokens, also, told)


def opening_cost(form: str, first: bool) -> int:
    if not first:
        return 0
    return cost(render.KNOWN) if form == "prompt" else cost(render.XML_KNOWN) + cost(render.XML_KNOWN_END)


def pack_evidence(offered: Sequence[PackedChunk], purse: TokenBudget, form: str, most: int, taken: list[PackedChunk]) -> None:
    """Adds chunks to `taken`, best first, until there are `most`; one that does not fit is passed over."""
    opening = render.EVIDENCE if form == "prompt" else render.XML_EVIDENCE + render.XML_EVIDENCE_END
    tokens = cost(render.EVIDENCE) if form == "prompt" else cost(render.XML_EVIDENCE) + cost(render.XML_EVIDENCE_END)
    for piece in offered:
        if len(taken) >= most:
            return
        if piece in taken:
            continue
        size = len(render.chunk_text(piece, form).encode()) if purse.room is not None else 0
        if purse.take(piece.tokens + (0 if taken else tokens), size + (0 if taken else len(opening))):
            taken.append(piece)
