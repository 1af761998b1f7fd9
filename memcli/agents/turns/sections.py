"""What earlier sessions left, as parts of a full turn: the state, what is open, asked for, decided, dropped, passes, came.

Every line is a statement of a passage (memcli/text/statements.py), the title of a summary, or a command that passed.
"""

from __future__ import annotations

from memcli.agents.turns import layout
from memcli.recall import render
from memcli.recall.pack import pack_state
from memcli.records import Record, replace
from memcli.store import memories, passages, turns
from memcli.store.passages import OPEN, PROMPT
from memcli.text import dates
from memcli.text.analysis import is_alike, terms
from memcli.text.ids import writer_of
from memcli.text.terminal import oneline, xml
from memcli.validity import current_states

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memcli.agents.turns.layout import Block
    from memcli.project import Project
    from memcli.recall.pack import TokenBudget
    from memcli.store.memories import Memory
    from memcli.store.passages import Passage

    Page = Callable[[int, int], list[Memory]]
    First = Callable[[Project, int, Page], list[Memory]]  # so many memories of pages that may be shown

MOST = {
    "open": 6,
    "instruction": 30,
    "preference": 15,
    "decision": 6,
    "dropped": 4,
    "command": 2,
    "lesson": 4,
    "fact": 8,
}  # statements of each role
_OF_ONE = 4  # of one session, but for what a person wants
_WANTED = ("instruction", "preference")  # roles of what a person wants
_OPEN_DAYS = 60  # before the last session, from which on what was left open is of long ago: a question still finds it
_SHARE = 0.6  # of a turn's tokens for what hooks took from sessions, where there are memories written on purpose, too
_SESSION_SHARE = 0.6  # of what sessions may spend, for one of them
_COMMANDS = 3
_ALL = 1_000  # more than there is of anything
_TIMES = 2  # that a command passed, to be one that works here
_SHARED = 0.5  # share of the words of an open point that what takes it up repeats
_AT_HAND = ("this", "these", "those")
_EVERYTHING = ("repo", "repository", "project", "codebase", "code", "team", "company", "package", "library", "tool", "app")
_MARKS = ".,;:!?'\"`()*"
_PASSED = "` passed"
_ENDS = ("", ".", "!", ". ", "! ")  # of a sentence, behind an option
_MARK = 2  # characters of the mark of an option at most
_REVISION = 12  # tokens at most of the attribute that names a memory's revision


def state_blocks(project: Project, budget: TokenBudget, form: str) -> list[Block]:
    """Returns the state and the one that others shared, as much of each as fits.

    A shared one that reads like an order to a model is left out, and told only if somebody asks for the state.
    """
    blocks: list[Block] = []
    for state in current_states(project):
        if state.suspicious and writer_of(state.actor):
            continue
        packed = pack_state(state, budget, project.config["budget.state"], render.FORMS[form], alone=False)
        budget.release()
        if packed.items:
            block = layout.state_block(state, packed, form, state.id if blocks else "state")
            if form == "prompt" or budget.spend(0, len(block.text) - len(block.text.partition(">")[2])):
                blocks.append(block)
    return blocks


def more_notes(count: int, day: str, mem: str, form: str) -> str:
    """Returns the line that counts notes that did not fit. `day`: of the newest; `mem`: how the agent can run the program."""
    if form == "xml":
        return f'<more kind="daily" count="{count}" day="{day}"/>\n'
    return f"\n{count} more note{'s' * (count > 1)}{f': {mem} note show {day}' if mem else ''}\n"


def spend(budget: TokenBudget, *texts: str) -> bool:
    """Spends the tokens and bytes of some texts if all of them fit. Returns whether they did."""
    printed = [text for text in texts if text]
    return budget.spend(render.counted(printed), sum([len(text.encode()) for text in printed]))


class CommandUse(Record):
    """A command that tests or builds: how often it passed, and when it last did, in ms since 1970."""

    text: str
    times: int
    last: int


class SessionShares:
    """The share of a turn's tokens for what hooks took from sessions, and the share of that for each session.

    So what is written into one session, by whatever its agent read there, does not fill the start of the next ones.
    """

    def __init__(self, tokens: int, leaves_room: bool) -> None:
        self._most = tokens * (_SHARE if leaves_room else 1)
        self._spent: dict[int, int] = {}

    def allows(self, session: int, tokens: int) -> bool:
        """Tells whether a session may spend more tokens."""
        own = self._spent.get(session, 0) + tokens
        return own <= self._most * _SESSION_SHARE and sum(self._spent.values()) + tokens <= self._most

    def spend(self, session: int, tokens: int) -> None:
        """Spends tokens of a session."""
        self._spent[session] = self._spent.get(session, 0) + tokens


class Filling:
    """The blocks of a turn in one form while they are taken. `left_out`: those that did not fit, with the limit for each."""

    def __init__(self, form: str) -> None:
        self.form = form
        self.left_out: list[tuple[Block, str]] = []
        self._groups: set[str] = set()  # those whose heading is paid for

    def take(self, budget: TokenBudget, blocks: Sequence[Block]) -> list[Block]:
        """Returns the blocks up to the first that does not fit, each with its tokens."""
        taken: list[Block] = []
        for number, block in enumerate(blocks):
            heading = layout.HEADINGS[block.group] if self.form == "prompt" and block.group not in self._groups else ""
            tokens = block.tokens + (_REVISION if self.form == "xml" else 0) if block.tokens else render.counted([block.text])
            size = len(f"{heading}{block.text}".encode())
            if not budget.spend(tokens + (render.counted([heading]) if heading else 0), size):
                self.left_out += [(other, budget.lacking) for other in blocks[number:]]
                break
            self._groups.add(block.group)
            taken.append(replace(block, tokens=tokens))
        return taken

    def take_shares(self, budget: TokenBudget, shares: SessionShares, pairs: Sequence[tuple[Block, int]]) -> list[Block]:
        """Returns the blocks that fit and that their session's share allows. Each comes with its session's row."""
        taken: list[Block] = []
        for block, session in pairs:
            tokens = render.counted([block.text])
            if not shares.allows(session, tokens):
                self.left_out.append((block, "session"))
            elif fitting := self.take(budget, [block]):
                shares.spend(session, tokens)
                taken += fitting
        return taken

    def pass_over(self, blocks: Sequence[Block], limit: str) -> None:
        """Records blocks that another kind of limit leaves out."""
        self.left_out += [(block, limit) for block in blocks]

    def left_out_of(self, blocks: Sequence[Block]) -> tuple[tuple[Block, str], ...]:
        """Returns what was left out of a turn with these blocks. One that did not fit into its share may be in elsewhere."""
        taken = {block.id for block in blocks}
        return tuple([pair for pair in self.left_out if pair[0].id not in taken])


class Lines:
    """What sessions left, and commands that passed, while they are taken into a turn, without duplicates.

    `but`: row of a session to leave out.
    """

    def __init__(self, project: Project, but: int, filling: Filling, shares: SessionShares, first: First) -> None:
        self.project, self.but, self.filling, self.shares, self.first = project, but, filling, shares, first
        self._taken: set[str] = set()
        self._pairs: dict[str, list[tuple[Block, int]]] = {}  # by role
        self._passed: list[Block] | None = None

    def of(self, role: str, budget: TokenBudget, most: int = _ALL) -> list[Block]:
        """Takes statements of one role."""
        return self._take(budget, self._stated(role), most)

    def one(self, role: str, budget: TokenBudget) -> list[Block]:
        """Takes the newest statement of a role that fits."""
        return next((taken for pair in self._stated(role) if (taken := self._take(budget, [pair], 1))), [])

    def sessions(
        self, budget: TokenBudget, summaries: Sequence[Memory], wanted: Sequence[Block], most: int = _ALL
    ) -> list[Block]:
        """Takes the lines of sessions that repeat neither what the person wants nor what is open."""
        stated = [*wanted, *[block for block, _ in self._stated(OPEN)]]
        pairs: list[tuple[Block, int]] = []
        for summary in summaries:
            block = layout.session_block(summary, self.filling.form)
            if len(pairs) < most and block.id not in self._taken and not any(is_alike(block.name, it.name) for it in stated):
                pairs.append((block, summary.session))
        return self._take(budget, pairs, most)

    def commands(self, budget: TokenBudget, most: int = _ALL) -> list[Block]:
        """Takes commands that agents said work, then those that passed."""
        stated = self.of(layout.COMMANDS, budget, most)
        if self._passed is None:
            self._passed = commands(self.project, self.but, self.filling.form)
        passed = [block for block in self._passed if block.id not in self._taken]
        return [*stated, *self._noted(self.filling.take(budget, passed[: most - len(stated)]))]

    def first_of_each(self, budget: TokenBudget) -> list[Block]:
        """Takes what would not fit beside many decisions: an attempt that was dropped, a command that works."""
        return [*self.of(layout.DROPPED, budget, 1), *self.commands(budget, 1)]

    def _stated(self, role: str) -> list[tuple[Block, int]]:
        if role not in self._pairs:
            self._pairs[role] = statements(self.project, role, self.but, self.filling.form, self.first)
        return self._pairs[role]

    def _take(self, budget: TokenBudget, pairs: Sequence[tuple[Block, int]], most: int) -> list[Block]:
        new = [pair for pair in pairs if pair[0].id not in self._taken]
        return self._noted(self.filling.take_shares(budget, self.shares, new[:most]))

    def _noted(self, blocks: list[Block]) -> list[Block]:
        self._taken |= {block.id for block in blocks}
        return blocks


def statements(project: Project, role: str, but: int, form: str, first: First) -> list[tuple[Block, int]]:
    """Returns the newest statements of a role that hold at HEAD, one per subject, with the rows of their sessions.

    `but`: row of a session to leave out.
    """
    by_id: dict[str, Passage] = {}
    earliest = _earliest(project, but) if role == OPEN else 0

    def page(most: int, skip: int) -> list[Memory]:
        group = passages.stating(project.db, role, most, but, skip)
        by_id.update({passage.id: passage for passage in group})
        return [passage.as_memory() for passage in group if passage.created_at >= earliest]

    chosen: list[Passage] = []
    newest = [by_id[memory.id] for memory in first(project, 2 * MOST[role], page)]
    if role != OPEN:
        newest.sort(key=lambda passage: _is_of_the_moment(passage.statement))
    for passage in _with_advice(newest) if role == layout.DECISIONS else newest:
        of_session = sum([other.session == passage.session for other in chosen])
        is_many = of_session >= _OF_ONE and role not in _WANTED
        if not is_many and not any(_says_the_same(passage, other) for other in chosen):
            chosen.append(passage)
    return [(layout.statement_block(passage, form), passage.session) for passage in _together(chosen)[: MOST[role]]]


def _with_advice(newest: list[Passage]) -> list[Passage]:
    """Returns decisions; an option that an agent advised and a person then chose as one, with reason and word."""
    merged: dict[str, Passage | None] = {}  # by id; None for a choice that is told with the advice
    for choice in [passage for passage in newest if passage.thread == PROMPT]:
        option = _option(choice.statement)
        earlier = [it for it in newest if it.thread != PROMPT and it.session == choice.session and it.prompt < choice.prompt]
        advice = next((it for it in earlier if option and _option(it.statement) == option), None)
        if advice is not None:
            word = choice.statement.replace(option, "", 1)
            merged |= {choice.id: None, advice.id: replace(advice, statement=f"{advice.statement}. The person: {word}")}
    return [it for passage in newest if (it := merged.get(passage.id, passage)) is not None]


def _option(statement: str) -> str:
    """Returns the option that stands in a statement as memcli/text/options.py puts it there; "" for none."""
    for start in [at for at in range(len(statement)) if statement.startswith(" (", at)]:
        mark, colon, _ = statement[start + 2 :].partition(": ")
        ends = [at + 1 for at in range(start, len(statement)) if statement[at] == ")" and statement[at + 1 : at + 3] in _ENDS]
        if colon and ends and len(mark) <= _MARK and mark.isalnum():
            return statement[start : ends[0]]
    return ""


def _says_the_same(passage: Passage, other: Passage) -> bool:
    """Tells whether two statements say the same; a prompt, its answer and its to-do list say what is open in different words."""
    is_taken_up = passage.role == OPEN and passage.owner == other.owner and passage.thread != other.thread
    if not is_taken_up:
        return is_alike(passage.statement, other.statement)
    first, second = [set(terms(it.statement)) for it in (passage, other)]
    return len(first & second) >= _SHARED * min(len(first), len(second))


def _is_of_the_moment(text: str) -> bool:
    """Tells whether a wish is about something at hand, such as "this error", which means less to a later session."""
    words = [word.strip(_MARKS) for word in text.lower().split()]
    return any(word in _AT_HAND and after and after not in _EVERYTHING for word, after in zip(words, [*words[1:], ""]))


def _earliest(project: Project, but: int) -> int:
    """Returns the moment from which on what was left open is told, in ms since 1970, by the last session but the one in a row."""
    return turns.last_moment(project.db, but) - _OPEN_DAYS * dates.DAY


def _together(group: list[Passage]) -> list[Passage]:
    """Returns statements; those of one list or prompt in their order, and open points among them as one, under the first's id."""
    lists: list[list[Passage]] = []
    for passage in group:
        last = lists[-1][-1] if lists and passage.role in (OPEN, *_WANTED) else None
        is_same = last is not None and (last.owner, last.heading) == (passage.owner, passage.heading)
        lists[-1:] = [[*lists[-1], passage]] if is_same else [*lists[-1:], [passage]]
    ordered = [sorted(items, key=lambda item: item.n) for items in lists]
    return [it for items in ordered for it in ([_as_one(items)] if items[0].role == OPEN else items)]


def _as_one(items: list[Passage]) -> Passage:
    lead = f"{items[0].statement.partition(': ')[0]}: "
    others = [item.statement.removeprefix(lead) for item in items[1:]]
    ends = ".;" if others else ";"
    return replace(items[0], statement="; ".join([text.rstrip(ends) for text in (items[0].statement, *others)]))


def commands(project: Project, but: int, form: str) -> list[Block]:
    """Returns the commands that agents said work, and the checks that passed most often, as hooks saw them."""
    uses: dict[str, CommandUse] = {}
    for text, at in memories.passed_checks(project.db, but):
        for command in {piece.rpartition("`")[2] for piece in text.split(_PASSED)[:-1]}:
            if command and "…" not in command and "\n" not in command:
                before = uses.get(command, CommandUse(command, 0, at))
                times = max(1, text.count(f"- `{command}{_PASSED}"))  # in one turn, whose title repeats the last
                uses[command] = CommandUse(command, before.times + times, max(before.last, at))
    often = sorted([use for use in uses.values() if use.times >= _TIMES], key=lambda use: (-use.times, -use.last, use.text))
    return [_command_block(use.text, use.times, use.last, form) for use in often[:_COMMANDS]]


def _command_block(command: str, times: int, last: int, form: str) -> Block:
    """Returns a command with how often it passed, and when last, in ms since 1970."""
    text = oneline(command)
    block_id = f"command-{layout.digest(text)}"
    if form == "prompt":
        line = f"- `{text}` (passed {times} times, last {dates.local_day(last)})\n"
    else:
        head = f'<command id="{block_id}" kind="{layout.COMMANDS}" revision="0" date="{dates.local_day(last)}" passed="{times}"'
        line = f"{head}>{xml(text)}</command>\n"
    return layout.Block(block_id, layout.COMMANDS, layout.COMMANDS, layout.digest(text, times, last), line, 0, text)
