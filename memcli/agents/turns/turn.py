"""Turns of a session: `prepare` says what it is to be told now, `ack` that it was told.

What is due is compared with what the session was shown, block by block, not revision by revision: a new commit, a changed file or
a new day changes what is due without any operation. Doors that print before they note use `plan` and `record`.
"""

from __future__ import annotations

from memcli.agents.adapters import HARNESSES, MAX_BYTES, adapter
from memcli.agents.turns import stamp as stamps
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

    from memcli.agents.turns.contents import TurnContents
    from memcli.agents.turns.layout import Block, RemovedBlock, TurnHeader
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
_BEHIND = 200  # operations after which it is noted that none of them mattered


class TurnRequest(Record):
    """What a turn is prepared for. `session`: what the caller calls it; `engine`: a harness, whose limits hold.

    `query`: what the person asks, empty for nothing; `form`: xml or prompt; `is_full`: whatever the session was shown.
    `cause`: the event of a harness that this answers, which shows that the delivery before it arrived; empty: nobody knows.
    `is_recordable`: else a session without a record gets only what is relevant, not everything each time.
    `is_subagent`: a subagent of the session asks, whose context is its own: what the session was shown does not count.
    """

    session: str
    engine: str = "generic"
    query: str = ""
    form: str = "xml"
    is_full: bool = False
    cause: str = ""
    is_recordable: bool = True
    is_subagent: bool = False


class PreparedTurn(Record):
    """A prepared turn. `mode`: full, delta or none; `text`: in the form that was asked for, empty for none.

    The revisions are places in the store's log: of what the session was shown before (0: nothing), and of now.
    """

    id: str
    mode: str
    from_revision: int
    to_revision: int
    text: str


class TurnPlan(Record):
    """A turn before it is recorded. `delivery`: what the session was shown before it, where the store does not have that yet;
    `acknowledged`: the turn that this acknowledges; `is_empty`: it tells nothing, whatever its mode."""

    turn: TurnRow
    text: str
    is_empty: bool
    delivery: Delivery | None
    acknowledged: TurnRow | None

    @property
    def prepared(self) -> PreparedTurn:
        """The turn as callers see it."""
        return PreparedTurn(self.turn.id, self.turn.mode, self.turn.before, self.turn.revision, self.text)


class TurnBudget(Record):
    """Tokens and bytes of what does not depend on a question, tokens of what is relevant to one, bytes of the whole turn."""

    tokens: int
    size: int
    hit_tokens: int
    whole: int


class SessionRefs(Record):
    """What of the store is the session itself, and is not told to it: its row, 0 for none, and the id of its note."""

    row: int
    note: str


class ShownBlock(Record):
    """A block that a session was shown: the digest of its text, its kind, what a person calls it."""

    digest: str
    kind: str
    name: str


def prepare(project: Project, request: TurnRequest) -> PreparedTurn:
    """Returns what a session is to be told now, and notes that; it counts as told once it is acknowledged.

    `project` is open for writing, outside any transaction. Raises InvalidInput.
    """
    opened = with_user_memory(project)
    try:
        with store.snapshot(opened.db):
            planned = plan(opened, request)
        record(opened, planned)
        return planned.prepared
    finally:
        if opened.user_db is not None and opened.user_db is not project.user_db:
            opened.user_db.close()


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
            raise NotFound("the turn has expired", "prepare another: it contains the same and what is new since", "expired")
        if status == SUCCESS and turn.shown:
            delivery = turns.delivered(project.db, turn.engine, turn.session)
            if delivery is None or delivery.turn < turn.n:
                turns.deliver(project.db, turn.engine, turn.session, _after(delivery, turn), project.now)
        turns.settle(project.db, turn, status)


def forget(db: store.Connection, engine: str, session: str) -> None:
    """Lets the next turn of a session be full: its context was compacted or cleared."""
    with store.transaction(db):
        turns.forget(db, engine, session)


def plan(project: Project, request: TurnRequest) -> TurnPlan:
    """Returns what a session is to be told now, and changes nothing. Raises InvalidInput."""
    _check(request)
    delivery, acknowledged = _last_delivery(project, request)
    refs = _session_refs(project, request)
    revision = turns.revision(project.db)
    budget = budget_of(project, request.engine)
    stamp = stamps.make(project, request.form, as_dict(budget))
    builder = TurnBuilder(project, request, budget, refs, delivery)
    if delivery is None and not request.is_recordable and request.query:
        mode = builder.relevant_only()
    elif delivery is None or request.is_full:
        mode = builder.full()
    elif stamps.is_unchanged(project, delivery, stamp, refs.row, refs.note):
        mode = builder.unchanged(delivery)
    else:
        mode = builder.delta(delivery)
    files = [[path, *stamps.file_status(project.root, path)] for path in builder.files]
    new_stamp = json.canonical([stamp, files])
    new_delivery = delivery if acknowledged is not None else None
    # Operations that changed nothing for this session are passed over once for all, lest each turn look at them again.
    if mode == NONE and delivery is not None and (builder.own_blocks or revision - delivery.revision > _BEHIND):
        new_delivery = replace(delivery, revision=revision, stamp=new_stamp, shown=builder.shown)
    turn = TurnRow(
        n=0,
        id=ids.new("D"),
        engine=request.engine,
        session=request.session,
        mode=mode,
        status=PREPARED,
        cause=request.cause,
        before=builder.before,
        revision=revision,
        stamp=new_stamp,
        shown=builder.shown,
        hits=json.canonical(builder.hits),
        prepared_at=project.now,
    )
    return TurnPlan(turn, builder.text, builder.is_empty, new_delivery, acknowledged)


def record(project: Project, planned: TurnPlan) -> None:
    """Records a turn and what it acknowledges. One that answers an event and tells nothing new needs no record of its own."""
    turn = planned.turn
    is_recorded = turn.mode != NONE or not turn.cause
    if not is_recorded and planned.delivery is None:
        return
    with store.transaction(project.db):
        if planned.delivery is not None:
            turns.deliver(project.db, turn.engine, turn.session, planned.delivery, project.now)
        if planned.acknowledged is not None:
            turns.settle(project.db, planned.acknowledged, SUCCESS)
        if is_recorded:
            turns.put(project.db, turn)
        if turn.mode == FULL:
            turns.prune(project.db, *[project.now - days * dates.DAY for days in _KEPT_DAYS])


def _check(request: TurnRequest) -> None:
    if request.engine not in HARNESSES:
        raise InvalidInput(f"no engine {request.engine[:40]!r}", f"use {', '.join(HARNESSES)}")
    if request.form not in ("xml", "prompt"):
        raise InvalidInput(f"no format {request.form[:40]!r}", "use json, xml or prompt")
    if not request.session.strip() or len(request.session) > _MOST_KEY or not is_storable(request.session):
        raise InvalidInput("a session's key has 1 to 200 characters", ("give ", Option("session"), " your name of the session"))


def budget_of(project: Project, engine: str) -> TurnBudget:
    """Returns what a turn may cost: the setting, and no more than the harness takes."""
    harness, budget = adapter(engine), project.config["budget.total"]
    total = max(0, min(budget, harness.max_tokens or budget) - _FRAMING[0])
    size = max(0, (harness.max_bytes or MAX_BYTES) - _FRAMING[1])
    tokens = int(total * BASE_SHARE)
    return TurnBudget(tokens, int(size * BASE_SHARE), total - tokens, size)


def _last_delivery(project: Project, request: TurnRequest) -> tuple[Delivery | None, TurnRow | None]:
    """Returns what the session was shown so far, and the turn that the event of `request` acknowledges by coming."""
    if request.is_subagent:
        return None, None
    delivery = turns.delivered(project.db, request.engine, request.session)
    waiting = turns.waiting(project.db, request.engine, request.session) if request.cause else None
    if waiting is None or not waiting.shown or (delivery is not None and delivery.turn >= waiting.n):
        return delivery, None
    is_recent = abs(project.now - waiting.prepared_at) <= SAME_MS
    is_same_event = waiting.cause == request.cause and (not request.cause.endswith("@") or is_recent)
    return (delivery, None) if is_same_event else (_after(delivery, waiting), waiting)


def _after(delivery: Delivery | None, turn: TurnRow) -> Delivery:
    """Returns what a session was told once a turn has reached it."""
    hits: dict[str, Any] = json.loads(delivery.hits) if delivery is not None and turn.mode != FULL else {}
    for name, digest in json.loads(turn.hits).items():
        hits.pop(name, None)
        if digest is not None:
            hits[name] = digest
    hits = dict(list(hits.items())[-_MOST_HITS:])
    return Delivery(turn.n, turn.revision, turn.stamp, turn.shown, json.dumps(hits))


def is_current(project: Project, request: TurnRequest, revision: int, stamp: str) -> bool:
    """Tells whether a full turn for `request` shows what one of that revision and stamp showed."""
    refs = _session_refs(project, request)
    current = stamps.make(project, request.form, as_dict(budget_of(project, request.engine)))
    return stamps.is_unchanged(project, Delivery(0, revision, stamp, "", ""), current, refs.row, refs.note)


def _session_refs(project: Project, request: TurnRequest) -> SessionRefs:
    row, session_id = turns.session_of(project.db, request.engine, request.session)
    return SessionRefs(row, ids.of_text("N", session_id) if session_id else "")


def _shown(delivery: Delivery) -> dict[str, ShownBlock]:
    """Returns the blocks that a session was shown, by id."""
    return {block_id: ShownBlock(*fields) for block_id, fields in json.loads(delivery.shown).items()}


class TurnBuilder:
    """Builds a turn: each public method builds another kind, and returns its mode."""

    def __init__(
        self, project: Project, request: TurnRequest, budget: TurnBudget, refs: SessionRefs, delivery: Delivery | None
    ) -> None:
        is_first = delivery is None or request.is_full
        self.project = project
        self.request = request
        self.budget = budget
        self.refs = refs
        self.before = 0 if delivery is None or is_first else delivery.revision
        self.old_hits: dict[str, str] = {} if delivery is None or is_first else json.loads(delivery.hits)
        self.text = ""
        self.is_empty = True
        self.shown = "{}"
        self.hits: dict[str, str | None] = {}
        self.files: Sequence[str] = ()
        self.own_blocks: frozenset[str] = frozenset()  # what the session wrote itself since: it knows
        self.used = _HEADING  # bytes of all but what is relevant

    def full(self) -> str:
        """Everything that a session should know."""
        from memcli.agents.turns import layout

        contents = self._contents()
        self.old_hits = {}
        self.hits = {}
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
        """What is relevant to the question, where nothing else changed."""
        self.shown = delivery.shown
        self.files = [path for path, *_ in json.loads(delivery.stamp)[1]]
        return self._delta((), (), {block_id: block.digest for block_id, block in _shown(delivery).items()})

    def relevant_only(self) -> str:
        """The same for a session without a record."""
        return self._delta((), (), {})

    def delta(self, delivery: Delivery) -> str:
        """What changed, what is gone, what is relevant; everything where that is shorter."""
        from memcli.agents.turns import contents, layout

        blocks = self._contents().blocks
        self.own_blocks = contents.written_by(
            self.project, self.request.session, delivery.revision, stamps.user_revision(delivery)
        )
        old_blocks = _shown(delivery)
        digests = {**self.old_hits, **{block_id: block.digest for block_id, block in old_blocks.items()}}
        changed = [block for block in blocks if digests.get(block.id) != block.digest and block.id not in self.own_blocks]
        current = {block.id for block in blocks}
        missing = {block_id: block for block_id, block in old_blocks.items() if block_id not in current}
        if "instructions" in missing and contents.instructions_path(self.project):
            del missing["instructions"]  # they are still there, and only found no room
        removed = contents.removed_blocks(self.project, missing) if missing else []
        self.hits = {
            block.id: None if block.is_gone else old_blocks[block.id].digest for block in removed if block.kind == "memory"
        }
        removed = [block for block in removed if block.id not in self.own_blocks]
        text = layout.delta(self._header(self.before), changed, removed, "", self.request.form)
        self.used = len(text.encode())
        if self.used > self.budget.size or contents.token_count(text) > self.budget.tokens:
            return self.full()
        return self._delta(changed, removed, {block.id: block.digest for block in blocks})

    def _header(self, before: int) -> TurnHeader:
        from memcli.agents.turns.layout import TurnHeader
        from memcli.recall.render import name_and_branch

        name, branch = name_and_branch(self.project)
        return TurnHeader(name, (self.project.commit or "")[:7], branch, before, turns.revision(self.project.db))

    def _contents(self) -> TurnContents:
        from memcli.agents.turns import contents

        refs, budget = self.refs, self.budget
        limits = contents.ContentLimits(self.request.form, budget.tokens, budget.size, refs.row, refs.note)
        result = contents.collect(self.project, limits)
        self.files = result.files
        self.shown = json.canonical({block.id: [block.digest, block.kind, block.name] for block in result.blocks})
        return result

    def _delta(self, changed: Sequence[Block], removed: Sequence[RemovedBlock], old_digests: dict[str, str]) -> str:
        relevant = self._relevant(old_digests)
        self.is_empty = not (changed or removed or relevant)
        if self.is_empty:
            return NONE
        from memcli.agents.turns import layout

        self.text = layout.delta(self._header(self.before), changed, removed, relevant, self.request.form)
        return DELTA

    def _relevant(self, old_digests: dict[str, str]) -> str:
        """Returns what is known about the question and not shown yet, as text; notes in `hits` what that is."""
        request, budget = self.request, self.budget
        tokens = int(budget.hit_tokens * (_XML_SHARE if request.form == "xml" else 1))
        size = budget.whole - self.used
        if not request.query.strip() or tokens < 1 or size < 1:
            return ""
        from memcli.agents.turns import layout
        from memcli.recall import get

        own = turns.observed_in(self.project.db, self.refs.row) if self.refs.row > 0 else frozenset()
        question = request.query[:QUESTION]
        query = get.Query(question, request.form, tokens, max_bytes=size, is_prompt=True, with_state=False, exclude=own)
        pack = get.get(self.project, query)
        digests = {**self.old_hits, **self.hits, **old_digests}
        blocks = [layout.memory_block(item, request.form) for item in pack.items]
        blocks += [layout.evidence_block(chunk, request.form) for chunk in pack.evidence]
        new = [block for block in blocks if digests.get(block.id) != block.digest and block.id not in self.own_blocks]
        text = layout.relevant(pack, new, request.form)
        # The headings are not in the pack's count: what is too long with them loses its last blocks.
        while len(text.encode()) > size:
            text = layout.relevant(pack, new := new[:-1], request.form)
        self.hits |= {block.id: block.digest for block in new}
        return text
