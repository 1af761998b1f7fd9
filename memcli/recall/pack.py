"""Filling a budget: which lines a pack has, which matches do not fit and why, and what the whole costs."""

from __future__ import annotations

from memcli.recall import excerpts, render
from memcli.recall.render import FORMS, PROMPT, XML, name_and_branch, packed_memory
from memcli.recall.selection import in_order
from memcli.records import Record, replace
from memcli.store import search
from memcli.validity import current_states, names_orders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memcli.project import Project
    from memcli.recall.candidates import ParsedQuery
    from memcli.recall.get import Query
    from memcli.recall.relevance import LeftOut, Ranked
    from memcli.recall.render import Form, Line, PackedChunk, PackedMemory
    from memcli.recall.selection import Selection
    from memcli.store.chunks import Chunk
    from memcli.store.context import State
    from memcli.validity import Freshness

SECTIONS = ("heading", "state", "memories", "observed", "evidence", "notes", "rules", "end")  # of a pack, as they are printed
STATE_SHARE = 0.5  # of what the best memory and the frame leave, where other memories or chunks want some
EVIDENCE_AFTER = 400  # tokens of memories that come before the first evidence: about six
CORRECTIONS = 5  # that a pack names

_CONSIDERED = 3  # matches for each memory that a pack may hold: some say the same, or are further passages of a text


class PackedState(Record):
    """The state in a pack: None if none was saved, the items that fit, how many did not, and their lines."""

    state: State | None
    items: tuple[str, ...] = ()
    omitted: int = 0
    lines: tuple[Line, ...] = ()


class DroppedChunk(Record):
    """A chunk that matched and is not in a pack.

    `why`: as in validity/chunks.py, or relevance, duplicate, overlap, count or budget.
    """

    chunk: Chunk
    why: str
    lost_to: str | None  # id of the chunk that stands for it
    score: float

    @property
    def is_outdated(self) -> bool:
        """Whether an ingestion would help."""
        return self.why in ("changed", "gone")


class Pack(Record):
    """What is known about a question, and whose memory it is.

    `tokens` is an upper bound, exact but for names and numbers. `read_as`: corrections of the question that are printed.
    `is_suspicious`: its name or branch reads like an order to a model. `lacking`: what was short for the next memory,
    tokens or bytes; empty if everything that had a place is in.
    """

    repo_id: str
    name: str
    root: str
    commit: str
    branch: str
    is_suspicious: bool
    query: Query
    parsed: ParsedQuery
    read_as: str
    budget: int
    tokens: int
    state: PackedState
    items: tuple[PackedMemory, ...]
    evidence: tuple[PackedChunk, ...]
    dropped: tuple[DroppedChunk, ...]
    left_out: tuple[LeftOut, ...]
    sections: dict[str, tuple[Line, ...]]  # by the names of SECTIONS, in their order
    lacking: str = ""
    beside: tuple[PackedState, ...] = ()  # states that are told beside the one that leads

    @property
    def text(self) -> str:
        """The pack as it is printed: its lines, joined."""
        return "".join([line.text for section in self.sections.values() for line in section]).removeprefix("\n")

    @property
    def notes(self) -> str:
        """What a pack says about itself: what was corrected, what an ingestion would bring back, how much was left out."""
        return "".join([line.text for line in self.sections["notes"]])

    @property
    def orphans(self) -> int:
        """How many matches are hidden because their commit cannot be seen from HEAD."""
        return self.count("orphan")

    @property
    def outdated(self) -> int:
        """How many chunks are left out that an ingestion would bring up to date."""
        return len([chunk for chunk in self.dropped if chunk.is_outdated])

    @property
    def more(self) -> int:
        """How many matches did not fit."""
        return self.count("count") + self.count("budget")

    def count(self, reason: str) -> int:
        """Returns how many matches were left out for a reason."""
        return len([ranked for ranked, why in self.left_out if why == reason])


def shown_names(project: Project) -> tuple[str, str]:
    """Returns the repository's name and the branch as a heading prints them, marked if they read like an order to a model."""
    mark = PROMPT.marks["suspicious"][0]
    name, branch = name_and_branch(project)
    whole = (project.name or "", (project.checkout.branch if project.checkout else None) or "")  # not as they are cut
    marks = [mark if names_orders(it, project.cache) else "" for it in whole]
    return name + marks[0], branch + marks[1]


class TokenBudget:
    """Tokens and, if capped, bytes that may still be spent. Both are spent together, or neither."""

    def __init__(self, tokens: int, size: int | None = None) -> None:
        self.tokens = tokens
        self.size = size  # bytes; None: any number
        self.spent = 0
        self.lacking = ""  # what did not suffice when it was last refused: tokens or bytes
        self._reserved = (0, 0)

    def take(self, *lines: Line) -> bool:
        """Spends the cost of lines and returns True, or spends nothing if the budget is too small for all of them."""
        return self.spend(
            sum([line.tokens for line in lines]), sum([line.size for line in lines]) if self.size is not None else 0
        )

    def spend(self, tokens: int, size: int) -> bool:
        """Spends tokens and bytes and returns True, or leaves the budget alone if there are not enough."""
        if tokens > self.tokens or (self.size is not None and size > self.size):
            self.lacking = "tokens" if tokens > self.tokens else "bytes"
            return False
        self.tokens -= tokens
        self.spent += tokens
        if self.size is not None:
            self.size -= size
        return True

    def reserve(self, tokens: int, size: int) -> None:
        """Makes tokens and bytes unavailable until `release`."""
        if self.spend(tokens, size):
            self.spent -= tokens
            self._reserved = (self._reserved[0] + tokens, self._reserved[1] + size)

    def release(self) -> None:
        """Makes available again what was reserved."""
        self.tokens += self._reserved[0]
        if self.size is not None:
            self.size += self._reserved[1]
        self._reserved = (0, 0)

    def share(self, share: float, most: int) -> TokenBudget:
        """Returns a budget that is a share of this one, of at most `most` tokens."""
        return TokenBudget(min(most, int(self.tokens * share)), None if self.size is None else int(self.size * share))


def pack_state(state: State | None, budget: TokenBudget, most: int, form: Form, alone: bool) -> PackedState:
    """Takes as many items of a state, of at most `most` tokens, as its share of the budget holds.

    Unless it is `alone`, half of what is left stays for what else there is. Of a state that gets less than it could use, the
    rest of its share is reserved: what memories get must not depend on which item happened to fit.
    """
    items = render.state_items(form, state) if state else []
    if state is None or not items:
        return PackedState(state)
    share = budget.share(1.0 if alone else STATE_SHARE, most)
    size = share.size or 0
    lines, count = _state_lines(form, state, items, share)
    budget.spend(share.spent, size - (share.size or 0))
    if count < _state_lines(form, state, items, TokenBudget(most))[1]:
        budget.reserve(share.tokens, share.size or 0)
    return PackedState(state, tuple(state.items.split("\n")[:count]), len(items) - count, lines)


def _state_lines(form: Form, state: State, items: Sequence[Line], budget: TokenBudget) -> tuple[tuple[Line, ...], int]:
    """Returns the lines of a state that fit a budget, with the heading, and the number of items; no lines without items."""
    heading, end = render.state_heading(form, state), form.fill(form.state_end)
    more = [] if TokenBudget(budget.tokens, budget.size).take(heading, end, *items) else [form.fill(form.state_more, len(items))]
    if not items or not TokenBudget(budget.tokens, budget.size).take(heading, end, *more, items[0]):
        return (), 0
    budget.take(heading, end, *more)
    count = 0
    while count < len(items) and budget.take(items[count]):
        count += 1
    omitted = [form.fill(form.state_more, len(items) - count)] if count < len(items) else []
    return (heading, *items[:count], *omitted, end), count


class Packing:
    """A pack while it is filled. Each step adds lines for as long as the budget has room for them.

    Memories come in the order of selection.py. After the first one that does not fit, no more are taken: a larger
    budget shows whatever a smaller one showed. What exceeds the number of memories or excerpts is passed over.
    """

    def __init__(
        self,
        project: Project,
        ranked: Sequence[Ranked],
        freshness: Callable[[str], Freshness],
        budget: TokenBudget,
        query: Query,
    ) -> None:
        self.project = project
        self.ranked = ranked
        self.budget = budget
        self.form = FORMS[query.form]
        name, branch = shown_names(project)
        self.names = (name, (project.commit or "")[:7], branch)
        max_memories: int = project.config["budget.memories"]
        max_excerpts = project.config["budget.excerpts"] if query.excerpts is None else query.excerpts
        self.is_full = False  # no more memories are taken, whatever would fit
        self.state = PackedState(None)
        self.beside: tuple[PackedState, ...] = ()
        self.chunks: list[PackedChunk] = []
        self.read_as = ""
        self._lines: dict[str, list[Line]] = {name: [] for name in SECTIONS}
        self._counts_left_out = False
        self._names_writers = not query.is_prompt  # whoever asks may know them
        self._freshness = freshness  # what is known of a memory's files and rivals
        self._duplicates: list[Ranked] = []
        self._order = in_order(project, ranked[: max_memories * _CONSIDERED], query.form)
        self._next: Selection | None = None
        self._units = excerpts.Units(max_memories, max_excerpts)
        self._without_place: set[str] = set()  # ids of what was passed over
        self._taken: list[tuple[int, PackedMemory]] = []
        self._spent: list[Line] = []  # what each of them was charged

    def _add(self, section: str, *lines: Line, bound: Line | None = None) -> bool:
        """Adds lines to a section if the budget allows. `bound` is charged instead of lines that are not final."""
        fits = self.budget.take(*([bound] if bound else lines))
        if fits:
            self._lines[section] += lines
        return fits

    def take_root(self) -> None:
        """Takes the root element of a pack in XML; without room for it there is room for nothing."""
        if self.form is XML:
            start, end = render.heading(self.form, *self.names), self.form.fill(self.form.end)
            if self.budget.take(start, end):
                self._lines["heading"], self._lines["end"] = [start], [end]
            else:
                self.budget.tokens = 0

    def take_frame(self, matched: int) -> None:
        """Takes heading, rules and the count of what is left out, of at most `matched`; without one of them, no more memories."""
        if self.form is PROMPT:
            bound = self.form.fill(self.form.heading, *self.names)
            self._add("heading", render.heading(self.form, *self.names), bound=bound)
        is_open = self.form is PROMPT or bool(self._lines["heading"])
        has_rules = is_open and self._add("rules", render.rules(self.form))
        # the numbers are known when the pack is full
        self._counts_left_out = is_open and self.budget.take(self.form.fill(self.form.left_out, matched, matched))
        self.is_full = self.is_full or not (self._lines["heading"] and has_rules and self._counts_left_out)

    def take_corrections(self, corrected: dict[str, tuple[str, ...]]) -> None:
        """Takes the line that names what was corrected in the question."""
        text = ", ".join([f"{word} → {words[0]}" for word, words in corrected.items()][:CORRECTIONS])
        if text and self._add("notes", self.form.fill(self.form.read_as, text)):
            self.read_as = text

    def take_other_times(self) -> None:
        """Takes the line that says that nothing is from the time that the question mentions."""
        self._add("notes", self.form.fill(self.form.other_times))

    def take_outdated(self, count: int) -> None:
        """Takes the line that counts the chunks which need an ingestion; where it does not fit, no more memories are taken."""
        if count and not self.is_full:
            self.is_full = not self._add("notes", self.form.fill(self.form.outdated, count))

    def take_state(self, alone: bool) -> None:
        """Takes the state and those told beside it, as much of each as its share of the budget holds."""
        most = self.project.config["budget.state"]
        current = current_states(self.project)
        if self._names_writers and any("other" in render.state_marks(state) for state in current):
            from memcli.recall import writers

            current = [writers.of_state(self.project, state) for state in current]
        packed = [pack_state(state, self.budget, most, self.form, alone) for state in current]
        self.state, self.beside = (packed[0] if packed else PackedState(None)), tuple(packed[1:])
        self._lines["state"] += [line for state in packed for line in state.lines]

    def take_memories(self, most: int | None = None, tokens: int | None = None) -> None:
        """Takes memories and passages until there are `most`, they have cost `tokens`, or the next one does not fit."""
        while not self.is_full and (most is None or len(self._taken) < most):
            self._next = self._next or self._with_place()
            if self._next is None:
                return
            memory, duplicates = self._next.memory, self._next.duplicates
            item = packed_memory(self.form, memory, self._next.ranked, self._freshness(memory.id), duplicates)
            if "other" in item.marks and self._names_writers:
                from memcli.recall import writers

                item = writers.named(self.project, self.form, item)
            cost = self._cost(item)
            if tokens is not None and sum([line.tokens for line in self._spent]) + cost.tokens > tokens:
                return
            is_first = item.section not in [other.section for _, other in self._taken]
            if self.budget.take(*(self._around(item.section) if is_first else []), cost):
                self._taken.append((self._next.rank, item))
                self._spent.append(cost)
                self._units.add(memory.id)
                self._duplicates += duplicates
                self._next = None
            else:
                self.is_full = True

    def _with_place(self) -> Selection | None:
        """Returns the next memory or passage that the pack has a place for."""
        for selection in self._order:
            if self._units.has_room(selection.memory.id):
                return selection
            self._without_place.add(selection.memory.id)
        return None

    def _cost(self, item: PackedMemory) -> Line:
        """Returns the cost of a memory: a further passage of a text that is named already costs less."""
        is_further = self.form is PROMPT and self._units.is_further(item.memory.id)
        return replace(item.line, tokens=item.line.tokens - excerpts.SAVED) if is_further else item.line

    def take_chunks(self, offered: Sequence[PackedChunk], most: int) -> None:
        """Takes chunks, best first, until there are `most`; one that does not fit is passed over."""
        for chunk in offered:
            if len(self.chunks) >= most:
                return
            if chunk not in self.chunks and self.budget.take(*([] if self.chunks else self._around("evidence")), chunk.line):
                self.chunks.append(chunk)

    def take_all(self, offered: Sequence[PackedChunk], at_most_half: bool = False) -> None:
        """Takes memories, then the first chunk, then whatever else fits of both. `at_most_half`: no more chunks than memories.

        Where the best chunk does not fit yet, no memory takes its room: a larger budget would have to take it back.
        """
        if offered:
            self.take_memories(tokens=EVIDENCE_AFTER)
            self.take_chunks(offered, 1)
            self.is_full = self.is_full or self.chunks != offered[:1]
        self.take_memories()
        self.budget.release()
        most: int = self.project.config["budget.chunks"]
        self.take_chunks(offered, min(most, len(self._taken)) if at_most_half else most)

    def _around(self, section: str) -> tuple[Line, Line]:
        """Returns the lines before and after what a section holds."""
        form = self.form
        return form.fill(getattr(form, section)), form.fill(getattr(form, f"{section}_end"))

    @property
    def items(self) -> tuple[PackedMemory, ...]:
        """The memories that were taken, as they are printed: the best match first; what hooks saw comes last."""
        return excerpts.in_reading_order(self._taken)

    @property
    def left_out(self) -> list[LeftOut]:
        """The memories that were not taken, and why."""
        reasons = dict.fromkeys(self._without_place, "count") | {match.hit.id: "duplicate" for match in self._duplicates}
        packed = {item.ranked.hit.id for _, item in self._taken}
        why = "budget" if self.is_full else "count"
        return [(match, reasons.get(match.hit.id, why)) for match in self.ranked if match.hit.id not in packed]

    def _looked_through(self) -> list[int]:
        """Returns how many rows were searched of each table that render.COUNTED names."""
        stores = [db for db in (self.project.db, self.project.user_db) if db is not None]
        return [sum([search.indexed(db, table) for db in stores]) for table in render.COUNTED]

    def sections(self, left_out: Sequence[LeftOut]) -> dict[str, tuple[Line, ...]]:
        """Returns the lines of the full pack by their sections. `left_out`: all matches that are not in it."""
        lines = dict(self._lines)
        for section in ("memories", "observed", "evidence"):
            items = [item for item in self.items if item.section == section]
            inside = excerpts.lines(self.form, items) if items else [piece.line for piece in self.chunks if section == "evidence"]
            before, after = self._around(section)
            lines[section] = [before, *inside, after] if inside else []
        if self._counts_left_out:
            orphans = len([ranked for ranked, why in left_out if why == "orphan"])
            more = len([ranked for ranked, why in left_out if why in ("count", "budget")])
            is_empty = not (more or self._taken or lines["evidence"] or lines["state"])
            if is_empty and lines["heading"] and lines["rules"] and self.form is PROMPT:
                line = render.nothing(lines["heading"][0], self.names, self._looked_through(), orphans)
                lines["heading"], lines["rules"] = [], []
                self.budget.spent = min(self.budget.spent, line.tokens)
            else:
                line = render.left_out(self.form, more, orphans, not self._taken and not lines["evidence"])
            lines["notes"] = [*lines["notes"], line]
        return {name: tuple(lines[name]) for name in SECTIONS}
