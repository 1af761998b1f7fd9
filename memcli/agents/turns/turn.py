"""Turns of a session: `prepare` returns what to tell it now, `ack` records that it was told.

What is due is compared with what the session was shown, block by block, not revision by revision: a new commit, a changed file or
a new day changes what is due without any operation. Doors that print before they record use `plan` and `record`.
"""

from __future__ import annotations

from memcli import store
from memcli.agents.adapters import HARNESSES
from memcli.agents.turns.builder import FULL, NONE, TurnBuilder, file_status, is_unchanged, stamp_of
from memcli.errors import Call, InvalidInput, NotFound, Option
from memcli.project import with_user_memory
from memcli.records import Record, replace
from memcli.repo import head
from memcli.store import inbox, turns
from memcli.store.turns import FAILED, PREPARED, SUCCESS, Delivery, TurnRow
from memcli.text import dates, ids, json
from memcli.text.terminal import is_storable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.agents.capture.normalize import HarnessEvent
    from memcli.agents.turns.builder import ToldParts
    from memcli.project import Project

NOTHING = "Nothing is known yet.\n"  # where a full turn is empty and somebody reads it
FRAME = "<mem-context>\n{}</mem-context>\n"
TAGS = ("mem-context", "hook_context")  # what encloses our text; memories must not end it
_LONGEST_QUERY = 8_000  # characters of a prompt that are looked through for what it asks
_MOST_KEY = 200  # characters of a session's name, as capture keeps it
_MOST_HITS = 500  # things that were told because somebody asked: of more, the last
KEPT_DAYS = 7, 28  # turns, which the page says; what a session was told
_BEHIND = 200  # operations after which it is noted that none of them mattered
RESUMED = "resume"  # the source of a start of a session that goes on with its conversation


class TurnRequest(Record):
    """What to prepare a turn for. `session`: the caller's name for it; `engine`: a harness, whose limits apply.

    `query`: what the person asks, or ""; `form`: xml or prompt; `is_full`: regardless of what the session was shown.
    `cause`: the event of a harness that this answers, which shows that the delivery before it arrived; "": not known.
    `is_recordable`: if not, a session without a record gets only what is relevant, not everything each time.
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
    """A prepared turn. `mode`: full, delta or none; `text`: in the requested form, "" for none.

    The revisions are positions in the store's log: of what the session was shown before (0: nothing), and now.
    """

    id: str
    mode: str
    from_revision: int
    to_revision: int
    text: str


class TurnPlan(Record):
    """A turn before it is recorded. `delivery`: what the session was shown before it, where the store does not have that yet;
    `acknowledged`: the turn that this acknowledges; `is_empty`: it tells nothing, whatever its mode; `considered`: its parts, and
    what is in none of them, also where it tells nothing."""

    turn: TurnRow
    text: str
    is_empty: bool
    delivery: Delivery | None
    acknowledged: TurnRow | None
    considered: ToldParts

    @property
    def prepared(self) -> PreparedTurn:
        """The turn as callers see it."""
        return PreparedTurn(self.turn.id, self.turn.mode, self.turn.before, self.turn.revision, self.text)


class SessionRefs(Record):
    """What belongs to the session itself, and is not told to it: its row, 0 for none, and the id of its note."""

    row: int
    note: str


def request_of(event: HarnessEvent) -> TurnRequest | None:
    """Returns the turn that the start of a session or a prompt asks for; None for a prompt without words.

    A resumed session still has what it was told in its conversation, so it is told what changed.
    """
    prompt = event.body.get("prompt", "")
    is_start = event.event == "session-start"
    if not is_start and not prompt.strip():
        return None
    if len(prompt) > _LONGEST_QUERY:
        from memcli.text import cuts

        prompt = cuts.with_gap(prompt, prompt, len(prompt), _LONGEST_QUERY)
    is_full = is_start and event.body.get("source") != RESUMED
    return TurnRequest(event.session, event.harness, "" if is_start else prompt, "prompt", is_full=is_full, cause=event.dedupe)


def framed(text: str) -> str:
    """Returns a text in a frame that marks it as ours and that nothing in it can end; "" for an empty text."""
    if not text:
        return ""
    first, *pieces = text.split("<")
    inert = first + "".join([("(" if piece.lstrip("/").lower().startswith(TAGS) else "<") + piece for piece in pieces])
    return FRAME.format(inert)


def prepare(project: Project, request: TurnRequest) -> PreparedTurn:
    """Returns what to tell a session now, and records it. It counts as told once it is acknowledged.

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
    """Records whether a prepared turn reached the session: `success` or `failed`. Repeating it changes nothing.

    `session`: whose turn it must be, if the caller knows. Raises NotFound for an unknown or expired turn,
    InvalidInput for another status.
    """
    if status not in (SUCCESS, FAILED):
        raise InvalidInput(f"no status {status[:40]!r}", "use success or failed")
    with store.transaction(project.db):
        turn = turns.find(project.db, ids.canonical(prepare_id)) if is_storable(prepare_id) else None
        if turn is None or (session is not None and head.storable_name(session) != turn.session):
            raise NotFound(
                f"no turn {prepare_id[:40]!r} was prepared here", ("prepare one: ", Call("turn prepare", session="KEY"))
            )
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
    """Makes the next turn of a session full, because its context was compacted or cleared."""
    with store.transaction(db):
        turns.forget(db, engine, session)


def plan(project: Project, request: TurnRequest) -> TurnPlan:
    """Returns what to tell a session now, and changes nothing. Raises InvalidInput."""
    request = _checked(request)
    delivery, acknowledged = _last_delivery(project, request)
    refs = _session_refs(project, request)
    revision = turns.revision(project.db)
    stamp = stamp_of(project, request)
    builder = _builder_of(project, request)(project, request, refs, delivery)
    if delivery is None and not request.is_recordable and request.query:
        mode = builder.relevant_only()
    elif delivery is None or request.is_full:
        mode = builder.full()
    elif is_unchanged(project, delivery, stamp, refs):
        mode = builder.unchanged(delivery)
    else:
        mode = builder.delta(delivery)
    is_needless = mode == FULL and builder.is_empty and delivery is None and request.form == "xml"
    if is_needless and not turns.was_told(project.db, request.engine, request.session):  # else what was told is erased
        mode, builder.text, builder.shown = NONE, "", ""  # what is stored first is then told in full, not as a change
    files = [[path, *file_status(project.root, path)] for path in builder.files]
    new_stamp = json.canonical([{**stamp, "left": builder.left} if builder.left else stamp, files])  # what is left is a change
    new_delivery = delivery if acknowledged is not None else None
    # What changed nothing for this session, operations or a new commit, is passed over once for all, lest each turn look at it
    # again.
    if mode == NONE and delivery is not None:
        if builder.own_blocks or revision - delivery.revision > _BEHIND:
            new_delivery = replace(delivery, revision=revision, stamp=new_stamp, shown=builder.shown)
        elif new_stamp != delivery.stamp:
            new_delivery = replace(delivery, stamp=new_stamp, shown=builder.shown)
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
        size=0 if builder.is_empty else len(builder.text.encode()),
        memories=json.canonical(builder.memories) if builder.memories else "",
        told=builder.told(),
        tokens=0 if builder.is_empty else _token_count(builder.text),
    )
    return TurnPlan(turn, builder.text, builder.is_empty, new_delivery, acknowledged, builder.parts)


def _builder_of(project: Project, request: TurnRequest) -> type[TurnBuilder]:
    """Returns the builder of a memory's turns: those of a mode tell all of its entries."""
    if project.is_apart and request.form == "xml":
        from memcli.memory import modes

        if modes.of_store(project):
            from memcli.agents.turns.mode import ModeTurnBuilder

            return ModeTurnBuilder
    return TurnBuilder


def _token_count(text: str) -> int:
    from memcli.recall import render

    return render.counted([text])


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
            turns.prune(project.db, *[project.now - days * dates.DAY for days in KEPT_DAYS])


def _checked(request: TurnRequest) -> TurnRequest:
    """Returns a request with the name of its session as hooks store it, with secrets masked. Raises InvalidInput."""
    if request.engine not in HARNESSES:
        raise InvalidInput(f"no engine {request.engine[:40]!r}", f"use {', '.join(HARNESSES)}")
    if request.form not in ("xml", "prompt"):
        raise InvalidInput(f"no format {request.form[:40]!r}", "use json, xml or prompt")
    if not request.session.strip() or len(request.session) > _MOST_KEY or not is_storable(request.session):
        raise InvalidInput("a session's key has 1 to 200 characters", ("give ", Option("session"), " your name of the session"))
    return replace(request, session=head.storable_name(request.session))


def _last_delivery(project: Project, request: TurnRequest) -> tuple[Delivery | None, TurnRow | None]:
    """Returns what the session was shown so far, and the turn that the event of `request` acknowledges by its arrival."""
    if request.is_subagent:
        return None, None
    delivery = turns.delivered(project.db, request.engine, request.session)
    waiting = turns.waiting(project.db, request.engine, request.session) if request.cause else None
    if waiting is None or not waiting.shown or (delivery is not None and delivery.turn >= waiting.n):
        return delivery, None
    is_recent = abs(project.now - waiting.prepared_at) <= inbox.SAME_MS
    is_same_event = waiting.cause == request.cause and (not request.cause.endswith("@") or is_recent)
    return (delivery, None) if is_same_event else (_after(delivery, waiting), waiting)


def _after(delivery: Delivery | None, turn: TurnRow) -> Delivery:
    """Returns what a session has been told once a turn has reached it."""
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
    return is_unchanged(project, Delivery(0, revision, stamp, "", ""), stamp_of(project, request), refs)


def _session_refs(project: Project, request: TurnRequest) -> SessionRefs:
    row, session_id = turns.session_of(project.db, request.engine, request.session)
    return SessionRefs(row, note_of(session_id))


def note_of(session_id: str) -> str:
    """Returns the id of the note about a session, or ""."""
    return ids.of_text("N", session_id) if session_id else ""
