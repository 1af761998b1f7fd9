"""Turns of a session: `prepare` says what it is to be told now, `ack` that it was told.

What is due is compared with what the session was shown, block by block, not revision by revision: a new commit, a changed file or
a new day changes what is due without any operation. Doors that print before they note use `plan` and `record`.
"""

from __future__ import annotations

import os

from memcli.agents.adapters import HARNESSES, MAX_BYTES, adapter
from memcli.errors import InvalidInput, NotFound, Option
from memcli.project import with_user_memory
from memcli.records import Record, as_dict, replace
from memcli.store import db as store
from memcli.store import turns
from memcli.store.turns import FAILED, PREPARED, SUCCESS, Delivery, TurnRow
from memcli.text import dates, ids, json
from memcli.text.terminal import is_storable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.agents.turns.contents import Due
    from memcli.agents.turns.layout import Block, Place, Removed
    from memcli.project import Project

FULL, DELTA, NONE = "full", "delta", "none"
BASE_SHARE = 0.6  # of a turn's budget, for what does not depend on a question: whatever is asked, it is the same
QUESTION = 600  # characters of a prompt that are asked about: its first words say what it is about, what is longer is pasted
SAME_MS = 5_000  # an event without an id of its own that comes again within this time was fired twice
_FRAMING = 20, 64  # tokens and bytes of what a door puts around a turn
_HEADING = 300  # bytes: more than the element or the headings around what changed, rules among them, have
_XML_SHARE = 0.8  # of what a question may cost: attributes that packs do not have take the rest
_MOST_KEY = 200  # characters of a session's name, as capture keeps it
_MOST_HITS = 500  # things that were told because somebody asked: of more, the last
_KEPT_DAYS = 7, 28  # turns; what a session was told
_OWN_PLACE = 9  # in the stamp: the revision of the person's own memory
_BEHIND = 200  # operations after which it is noted that none of them mattered


class Ask(Record):
    """What a turn is prepared for. `session`: what the caller calls it; `engine`: a harness, whose limits hold.

    `query`: what the person asks, empty for nothing; `form`: xml or prompt; `anew`: full, whatever the session was shown.
    `cause`: the event of a harness that this answers, which shows that the delivery before it arrived; empty: nobody knows.
    `lasts`: whether it can be noted; else a session that nothing is known of is told only what is relevant, not all each time.
    `aside`: a subagent of the session asks, whose context is its own: what the session was told does not count.
    """

    session: str
    engine: str = "generic"
    query: str = ""
    form: str = "xml"
    anew: bool = False
    cause: str = ""
    lasts: bool = True
    aside: bool = False


class Prepared(Record):
    """A prepared turn. `mode`: full, delta or none; `text`: in the form that was asked for, empty for none.

    The revisions are places in the store's log: of what the session was shown before (0: nothing), and of now.
    """

    id: str
    mode: str
    from_revision: int
    to_revision: int
    text: str


class Plan(Record):
    """A turn that is not noted yet. `told`: what the session has been told before it, where that is news to the store;
    `settled`: the turn that this acknowledges; `is_empty`: it tells nothing, whatever its mode."""

    turn: TurnRow
    text: str
    is_empty: bool
    told: Delivery | None
    settled: TurnRow | None

    @property
    def prepared(self) -> Prepared:
        """The turn as doors tell of it."""
        return Prepared(self.turn.id, self.turn.mode, self.turn.before, self.turn.revision, self.text)


class Budget(Record):
    """Tokens and bytes of what does not depend on a question, tokens of what is relevant to one, bytes of the whole turn."""

    tokens: int
    size: int
    hit_tokens: int
    whole: int


def prepare(project: Project, ask: Ask) -> Prepared:
    """Returns what a session is to be told now, and notes that; it counts as told once it is acknowledged.

    `project` is open for writing, outside any transaction. Raises InvalidInput.
    """
    both = with_user_memory(project)
    try:
        with store.snapshot(both.db):
            made = plan(both, ask)
        record(both, made)
        return made.prepared
    finally:
        if both.user_db is not None and both.user_db is not project.user_db:
            both.user_db.close()


def ack(project: Project, prepare_id: str, status: str, session: str | None = None) -> None:
    """Notes whether a prepared turn reached the session: `success` or `failed`. Saying so twice changes nothing.

    `session`: whose turn it must be, where the caller knows. Raises NotFound for a turn that is not known or has expired,
    InvalidInput for another status.
    """
    if status not in (SUCCESS, FAILED):
        raise InvalidInput(f"no status {status[:40]!r}", "use success or failed")
    with store.transaction(project.db):
        turn = turns.find(project.db, ids.canonical(prepare_id)) if is_storable(prepare_id) else None
        if turn is None or session not in (None, turn.session):
            raise NotFound(f"no turn {prepare_id[:40]!r} was prepared here", "prepare one: mem turn prepare --session KEY")
        if turn.status == SUCCESS:
            return
        if project.now - turn.prepared_at > project.config["turn.expire_minutes"] * 60_000:
            raise NotFound("the turn has expired", "prepare another one: it says the same and what came since", "expired")
        if status == SUCCESS and turn.shown:
            told = turns.delivered(project.db, turn.engine, turn.session)
            if told is None or told.turn < turn.n:
                turns.deliver(project.db, turn.engine, turn.session, _after(told, turn), project.now)
        turns.settle(project.db, turn, status)


def forget(db: store.Connection, engine: str, session: str) -> None:
    """Lets the next turn of a session be full: its context was compacted or cleared."""
    with store.transaction(db):
        turns.forget(db, engine, session)


def plan(project: Project, ask: Ask) -> Plan:
    """Returns what a session is to be told now, and changes nothing. Raises InvalidInput."""
    _check(ask)
    told, settled = _told(project, ask)
    own = _own(project, ask)
    revision = turns.revision(project.db)
    budget = budget_of(project, ask.engine)
    stamp = _stamp(project, ask, budget)
    made = Making(project, ask, budget, own, told)
    if told is None and not ask.lasts and ask.query:
        mode = made.relevant_only()
    elif told is None or ask.anew:
        mode = made.full()
    elif _is_as_it_was(project, told, stamp, own):
        mode = made.unchanged(told)
    else:
        mode = made.delta(told)
    files = [[path, *_stat(project.root, path)] for path in made.files]
    news = told if settled is not None else None
    if mode == NONE and told is not None and (made.mine or revision - told.revision > _BEHIND):
        news = replace(told, revision=revision, stamp=json.canonical([stamp, files]), shown=made.shown)
    turn = TurnRow(
        n=0,
        id=ids.new("D"),
        engine=ask.engine,
        session=ask.session,
        mode=mode,
        status=PREPARED,
        cause=ask.cause,
        before=told.revision if told and not ask.anew else 0,
        revision=revision,
        stamp=json.canonical([stamp, files]),
        shown=made.shown,
        hits=json.canonical(made.hits),
        prepared_at=project.now,
    )
    return Plan(turn, made.text, made.is_empty, news, settled)


def record(project: Project, made: Plan) -> None:
    """Notes a turn and what it acknowledges. A turn that answers an event and tells nothing new needs no note of its own."""
    turn = made.turn
    is_noted = turn.mode != NONE or not turn.cause
    if not is_noted and made.told is None:
        return
    with store.transaction(project.db):
        if made.told is not None:
            turns.deliver(project.db, turn.engine, turn.session, made.told, project.now)
        if made.settled is not None:
            turns.settle(project.db, made.settled, SUCCESS)
        if is_noted:
            turns.put(project.db, turn)
        if turn.mode == FULL:
            turns.prune(project.db, *[project.now - days * dates.DAY for days in _KEPT_DAYS])


def _check(ask: Ask) -> None:
    if ask.engine not in HARNESSES:
        raise InvalidInput(f"no engine {ask.engine[:40]!r}", f"use {', '.join(HARNESSES)}")
    if ask.form not in ("xml", "prompt"):
        raise InvalidInput(f"no format {ask.form[:40]!r}", "use json, xml or prompt")
    if not ask.session.strip() or len(ask.session) > _MOST_KEY or not is_storable(ask.session):
        raise InvalidInput("a session's key has 1 to 200 characters", ("give ", Option("session"), " your name of the session"))


def budget_of(project: Project, engine: str) -> Budget:
    """Returns what a turn may cost: the setting, and no more than the harness takes."""
    harness, budget = adapter(engine), project.config["budget.total"]
    total = max(0, min(budget, harness.max_tokens or budget) - _FRAMING[0])
    size = max(0, (harness.max_bytes or MAX_BYTES) - _FRAMING[1])
    tokens = int(total * BASE_SHARE)
    return Budget(tokens, int(size * BASE_SHARE), total - tokens, size)


def _told(project: Project, ask: Ask) -> tuple[Delivery | None, TurnRow | None]:
    """Returns what the session was told so far, and the turn that the event of `ask` acknowledges by coming."""
    if ask.aside:
        return None, None
    told = turns.delivered(project.db, ask.engine, ask.session)
    waiting = turns.waiting(project.db, ask.engine, ask.session) if ask.cause else None
    if waiting is None or not waiting.shown or (told is not None and told.turn >= waiting.n):
        return told, None
    is_same = waiting.cause == ask.cause and (not ask.cause.endswith("@") or abs(project.now - waiting.prepared_at) <= SAME_MS)
    return (told, None) if is_same else (_after(told, waiting), waiting)


def _after(told: Delivery | None, turn: TurnRow) -> Delivery:
    """Returns what a session was told once a turn has reached it."""
    hits: dict[str, Any] = json.loads(told.hits) if told is not None and turn.mode != FULL else {}
    for name, said in json.loads(turn.hits).items():
        hits.pop(name, None)
        if said is not None:
            hits[name] = said
    hits = dict(list(hits.items())[-_MOST_HITS:])
    return Delivery(turn.n, turn.revision, turn.stamp, turn.shown, json.dumps(hits))


def _stamp(project: Project, ask: Ask, budget: Budget) -> list[Any]:
    """Returns what a full turn depends on beside the log: where the same is found again, only the log can have changed it."""
    config = project.config
    own = turns.revision(project.user_db) if project.user_db is not None else 0
    checkout = project.checkout
    settings = [value for key, (value, _) in sorted(config.values.items()) if key.startswith(("turn.", "budget."))]
    instructions = _stat(project.root, str(config["turn.instructions"]))
    here = [ascii(project.root), project.commit, ascii(checkout.branch) if checkout else None]  # neither need be UTF-8
    return [ask.form, *as_dict(budget).values(), *here, dates.day(project.now), own, *instructions, *settings]


def _stat(root: str, path: str) -> tuple[int, int]:
    try:
        found = os.stat(os.path.join(root, path))
    except (OSError, ValueError):
        return 0, 0
    return found.st_size, found.st_mtime_ns


def is_current(project: Project, ask: Ask, revision: int, stamp: str) -> bool:
    """Tells whether a full turn for `ask` shows what one of that revision and stamp showed."""
    now = _stamp(project, ask, budget_of(project, ask.engine))
    return _is_as_it_was(project, Delivery(0, revision, stamp, "", ""), now, _own(project, ask))


def _own(project: Project, ask: Ask) -> tuple[int, str]:
    """Returns the row of the session and its note, which are not to be told to it."""
    row, session_id = turns.session_of(project.db, ask.engine, ask.session)
    return row, ids.of_text("N", session_id) if session_id else ""


def _is_as_it_was(project: Project, told: Delivery, stamp: list[Any], own: tuple[int, str]) -> bool:
    """Tells whether a full turn shows what it showed when the session was told last, without looking at all of it."""
    before, files = json.loads(told.stamp)
    if before != stamp or any([path, *_stat(project.root, path)] != [path, *was] for path, *was in files):
        return False
    return not turns.moved(project.db, told.revision, *own)


class Making:
    """A turn while it is made. Each way of making it returns its mode."""

    def __init__(self, project: Project, ask: Ask, budget: Budget, own: tuple[int, str], told: Delivery | None) -> None:
        self.project = project
        self.ask = ask
        self.budget = budget
        self.own = own
        self.before = told.revision if told and not ask.anew else 0
        self.told_hits: dict[str, str] = json.loads(told.hits) if told and not ask.anew else {}
        self.text = ""
        self.is_empty = True
        self.shown = "{}"
        self.hits: dict[str, str | None] = {}
        self.files: Sequence[str] = ()
        self.mine: frozenset[str] = frozenset()  # what the session wrote itself since: it knows
        self.used = _HEADING  # bytes of all but what is relevant

    def full(self) -> str:
        """Everything that a session should know."""
        from memcli.agents.turns import layout

        found = self._due()
        self.told_hits = {}
        self.hits = {}
        where = self._place(0)
        self.text = layout.full(where, found.blocks, found.more, "", self.ask.form)
        self.used = len(self.text.encode()) + (0 if found.blocks or self.ask.form == "prompt" else _HEADING)
        relevant = self._relevant({block.id: block.digest for block in found.blocks})
        self.is_empty = not found.blocks and not relevant
        if relevant:
            self.text = layout.full(where, found.blocks, found.more, relevant, self.ask.form)
        return FULL

    def unchanged(self, told: Delivery) -> str:
        """What is relevant to the question, where nothing else changed."""
        self.shown = told.shown
        self.files = [path for path, *_ in json.loads(told.stamp)[1]]
        shown: dict[str, Any] = json.loads(told.shown)
        return self._delta((), (), {name: said[0] for name, said in shown.items()})

    def relevant_only(self) -> str:
        """The same for a session that nothing is known of."""
        return self._delta((), (), {})

    def delta(self, told: Delivery) -> str:
        """What changed, what is gone, what is relevant; everything where that is no longer."""
        from memcli.agents.turns import contents, layout

        found = self._due()
        self.mine = contents.own_words(self.project, self.ask.session, told.revision, json.loads(told.stamp)[0][_OWN_PLACE])
        shown: dict[str, Any] = json.loads(told.shown)
        here = {block.id for block in found.blocks}
        known = {**self.told_hits, **{name: said[0] for name, said in shown.items()}}
        changed = [block for block in found.blocks if known.get(block.id) != block.digest and block.id not in self.mine]
        lost = [(name, said[1], said[2]) for name, said in shown.items() if name not in here]
        if lost and contents.instructions_path(self.project):
            lost = [one for one in lost if one[0] != "instructions"]  # they had no room, and were told
        removed = contents.removed(self.project, lost) if lost else []
        self.hits = {one.id: None if one.is_gone else shown[one.id][0] for one in removed if one.kind == "memory"}
        where = self._place(self.before)
        removed = [one for one in removed if one.id not in self.mine]
        plain = layout.delta(where, changed, removed, "", self.ask.form)
        self.used = len(plain.encode())
        if self.used > self.budget.size or contents.count(plain) > self.budget.tokens:
            return self.full()
        return self._delta(changed, removed, {block.id: block.digest for block in found.blocks})

    def _place(self, before: int) -> Place:
        from memcli.agents.turns.layout import Place
        from memcli.recall.render import name_and_branch

        name, branch = name_and_branch(self.project)
        return Place(name, (self.project.commit or "")[:7], branch, before, turns.revision(self.project.db))

    def _due(self) -> Due:
        from memcli.agents.turns import contents

        room = contents.Room(self.ask.form, self.budget.tokens, self.budget.size, *self.own)
        found = contents.due(self.project, room)
        self.files = found.files
        self.shown = json.canonical({block.id: [block.digest, block.kind, block.name] for block in found.blocks})
        return found

    def _delta(self, changed: Sequence[Block], removed: Sequence[Removed], shown: dict[str, str]) -> str:
        relevant = self._relevant(shown)
        self.is_empty = not (changed or removed or relevant)
        if self.is_empty:
            return NONE
        from memcli.agents.turns import layout

        self.text = layout.delta(self._place(self.before), changed, removed, relevant, self.ask.form)
        return DELTA

    def _relevant(self, shown: dict[str, str]) -> str:
        """Returns what is known about the question and not shown yet, as text; notes in `hits` what that is."""
        ask, budget = self.ask, self.budget
        tokens = int(budget.hit_tokens * (_XML_SHARE if ask.form == "xml" else 1))
        size = budget.whole - self.used
        if not ask.query.strip() or tokens < 1 or size < 1:
            return ""
        from memcli.agents.turns import layout
        from memcli.recall import get

        own = turns.observed_in(self.project.db, self.own[0]) if self.own[0] > 0 else frozenset()
        question = ask.query[:QUESTION]
        asked = get.Query(question, ask.form, tokens, max_bytes=size, is_prompt=True, with_state=False, exclude=own)
        pack = get.get(self.project, asked)
        known = {**self.told_hits, **self.hits, **shown}
        blocks = [layout.memory_block(item, ask.form) for item in pack.items]
        blocks += [layout.evidence_block(piece, ask.form) for piece in pack.evidence]
        new = [block for block in blocks if known.get(block.id) != block.digest and block.id not in self.mine]
        said = layout.relevant(pack, new, ask.form)
        while len(said.encode()) > size:
            said = layout.relevant(pack, new := new[:-1], ask.form)
        self.hits |= {block.id: block.digest for block in new}
        return said
