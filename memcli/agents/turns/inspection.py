"""A turn for inspection: what it tells, what each part costs and why it is in, what was left out, and the limits.

A turn that would be told now is planned and not recorded. One that was told is put together again: of the text only digests are
kept, so what changed since is shown as it is now, and marked.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

from memcli.agents.adapters import adapter
from memcli.agents.turns import contents, layout, turn
from memcli.agents.turns.builder import DELTA, FULL, KNOWN, NONE, QUESTION, SHOWN, TOLD, TurnBudget, budget_of
from memcli.agents.turns.contents import ContentLimits
from memcli.agents.turns.layout import RemovedBlock, TurnHeader
from memcli.agents.turns.retold import Names, Retelling, RetoldBlock
from memcli.agents.turns.turn import TurnRequest
from memcli.errors import NotFound
from memcli.fields import Result
from memcli.memory import versions
from memcli.project import Project
from memcli.recall import render, snippet
from memcli.recall.limits import Limit
from memcli.records import replace
from memcli.store import graph, sessions, turns
from memcli.store.memories import Memory
from memcli.store.passages import owner_of
from memcli.store.sessions import Session
from memcli.store.turns import TurnRow
from memcli.text import dates, json
from memcli.text.ids import PLACE
from memcli.text.terminal import oneline

RELEVANT = "relevant"
RELEVANCE = "relevance"  # why something stayed out: it is not near enough
SINCE = "since"
PREVIEW = "preview"  # the session of a turn that nobody is told
_STATES = Literal["as told", "changed", "forgotten", "gone"]


class ToldItem(Result):
    """A part of a turn. `why`: its section, or `relevant` to the prompt, then with its score.

    `matches`: words of the prompt that it has; `files`: those that it names and the prompt, too; `at`: when it was stated.
    `state`: whether `title` and `text` are what was told, what they are now, or the text is empty: it was forgotten or is gone.
    `told_as`: another title that it was told by; empty where that is not kept. `session`: of a passage, in which it was said.
    """

    id: str
    kind: str
    title: str
    why: str
    tokens: int
    score: float | None
    matches: list[str]
    files: list[str]
    pinned: bool
    at: str | None
    state: _STATES
    text: str
    told_as: str
    session: str | None = None


class UntoldItem(Result):
    """What is not in a turn. `forgotten`: somebody forgot it since; `session`: of a passage, the session it was said in.

    `why`: tokens, bytes, session, a setting; of what matched the prompt also superseded, duplicate, orphan, relevance, count,
    budget. What the session knew: `shown` at its start or as news since, `told` with an earlier prompt, or its `own`.
    """

    id: str
    kind: str
    title: str
    why: str
    forgotten: bool
    session: str | None = None


class Room(Result):
    """Tokens that a turn had for something. `name`: the setting or the harness that allows them, `instructions` or `prompt`."""

    name: str
    tokens: int


class InspectedTurn(Result):
    """A turn with its parts. `is_exact`: `text` is what was told, byte for byte, as far as its digests and its size tell.

    `at`: the moment for which it was made; `bytes`: of `text`, while `tokens` are of what its frame encloses.
    `max_tokens`, `max_bytes`: what any turn of the harness has at most; `room`: what this one had. `free`: what was left of it;
    what is neither used nor free was set aside, as titles and marks are counted at their most. None: not noted.
    `removed`: what it says is gone or displaced. `unlisted`: how many more stayed out than are noted by name, by why.
    """

    id: str
    mode: str
    harness: str
    at: str
    commit: str
    branch: str
    tokens: int
    bytes: int
    max_tokens: int
    max_bytes: int
    room: list[Room]
    free: int | None
    text: str
    is_exact: bool
    items: list[ToldItem]
    left_out: list[UntoldItem]
    unlisted: dict[str, int]
    removed: list[str]
    limits: list[Limit]


def preview(project: Project, engine: str, question: str) -> InspectedTurn:
    """Returns what a new session would be told now: at its start, for a question at its first prompt. Raises InvalidInput."""
    request = TurnRequest(PREVIEW, engine, question, "prompt", is_full=True, cause=PREVIEW)
    planned = turn.plan(project, request)
    return _inspected(project, planned.turn, "" if planned.is_empty else planned.text, question)


def delivered(project: Project, turn_id: str) -> InspectedTurn:
    """Returns a turn as it was told. Raises NotFound for one that is not stored, or not with its parts."""
    row = turns.find(project.db, turn_id)
    if row is None or not row.told:
        raise NotFound(
            f"no turn {turn_id[:40]} is kept with its parts", "they are kept for a week, and until something is erased"
        )
    return _inspected(project, row, None, None)


def unanswered(project: Project, prompt_id: str) -> InspectedTurn:
    """Returns what was considered for a prompt that was told nothing: as it is judged now, but for what was not there yet.

    Of what is near enough `why` says how the session knew it then, or `since`: it is near enough only since. Raises NotFound.
    """
    prompt = sessions.find_prompt(project.db, prompt_id)
    session = sessions.find(project.db, sessions.id_of(project.db, prompt.session) or "") if prompt else None
    if prompt is None or session is None:
        raise NotFound(f"no prompt {prompt_id[:40]}")
    request = TurnRequest(session.key, session.harness, prompt.text, "prompt", is_recordable=False, is_subagent=True)
    planned = turn.plan(project, request)
    told, names = _told_until(project, session, prompt.created_at), Names(project)
    near = [(block.id, told.get(block.id) or told.get(owner_of(block.id)) or SINCE) for block, _ in planned.considered.relevant]
    others = [(name, why if why == RELEVANCE else told.get(name, why)) for name, why in planned.considered.pack_left_out]
    considered = [(name, why) for name, why in [*near, *others] if names.stated_at(name) <= prompt.created_at]
    record = {**_nothing(project, session.harness), "at": ["", ""], "pack_out": considered}
    row = replace(planned.turn, id=prompt.id, mode=NONE, told=json.canonical(record), size=0, tokens=0)
    return _inspected(project, replace(row, prepared_at=prompt.created_at), "", prompt.text)


def _told_until(project: Project, session: Session, at: int) -> dict[str, str]:
    """Returns how a session had been told what it knew at a moment, by the id of each part."""
    told: dict[str, str] = {}
    for text in turns.told_until(project.db, session.harness, session.key, at):
        record = json.loads(text)
        told |= {block[0]: SHOWN for block in record["blocks"]} | {block[0]: TOLD for block in record["relevant"]}
    return told


class ToldPassage(Result):
    """A part of a prompt, an answer, a note or the profile that was told to a prompt."""

    id: str
    title: str
    session: str | None


def passages_in(project: Project, told: str) -> tuple[int, list[ToldPassage]]:
    """Returns how many parts a turn told, and those relevant to its prompt that are no memory. `told`: as the turn keeps them."""
    if not told:
        return 0, []
    record, names = json.loads(told), Names(project)
    said = [block[0] for block in record["relevant"] if not block[0].startswith("M-")]
    return len(record["blocks"]) + len(record["relevant"]), [
        ToldPassage(name, names.title(name), names.session_of(name)) for name in said
    ]


def _inspected(project: Project, row: TurnRow, text: str | None, question: str | None) -> InspectedTurn:
    """Returns a turn with its parts. `text`, `question`: of one that is planned."""
    record = json.loads(row.told) if row.told else _nothing(project, row.engine)
    budget = TurnBudget(*record["budget"])
    retelling = _retelling(project, row, record["form"], budget)
    named, relevant = retelling.blocks(record["blocks"]), retelling.blocks([row[:6] for row in record["relevant"]])
    question = turns.prompt_of(project.db, row) if question is None else question
    connection = _Connection(retelling, question, row.revision)
    items = [_item(connection, it, name, None) for it, name in zip(named, record["blocks"], strict=True)]
    items += [_item(connection, it, name, name[6]) for it, name in zip(relevant, record["relevant"], strict=True)]
    size = row.size and len(turn.FRAME.format("").encode()) + row.size
    if text is None:
        text = turn.framed(_text(row, record, retelling.project, named, relevant))
        is_exact = all(item.state == "as told" for item in items) and len(text.encode()) == size
    else:
        text, is_exact = turn.framed(text), True
    room = _room(project, row, record, budget, bool(question))
    return InspectedTurn(
        id=row.id,
        mode=row.mode,
        harness=row.engine,
        at=dates.iso(row.prepared_at),
        commit=record["at"][0],
        branch=record["at"][1],
        tokens=row.tokens,
        bytes=size,
        max_tokens=budget.tokens + budget.hit_tokens,
        max_bytes=budget.whole,
        room=room,
        free=_free(row, record, room),
        text=text,
        is_exact=is_exact,
        items=items,
        left_out=_left_out(retelling, record),
        unlisted=_unlisted(record),
        removed=[block.name or block.kind for block in _removed(record)],
        limits=_limits(project, row, record, budget),
    )


def _room(project: Project, row: TurnRow, record: dict[str, Any], budget: TurnBudget, is_asked: bool) -> list[Room]:
    """Returns how many tokens a turn had: a start those for what is told whatever is asked, with a prompt also those for it."""
    total, is_capped = _total(project, row.engine)
    if row.mode != FULL:
        return [Room(total, budget.tokens + budget.hit_tokens)]
    most = contents.most_tokens(project.config, record["form"]) if record["own_cap"] else budget.tokens
    room = [Room("turn.tokens" if most < budget.tokens else total, min(most, budget.tokens))]
    instructions = sum([block[5] for block in record["blocks"] if block[2] == "instructions"])
    if instructions and not is_capped:
        room.append(Room("instructions", instructions))
    return [*room, Room("prompt", budget.hit_tokens)] if is_asked else room


def _free(row: TurnRow, record: dict[str, Any], room: Sequence[Room]) -> int | None:
    """Returns how many tokens a start had left, None where that is not known."""
    if row.mode != FULL or "free" not in record or any(it.name == "prompt" for it in room):
        return None
    return int(max(0, min(record["free"], sum([it.tokens for it in room]) - row.tokens)))


def _total(project: Project, engine: str) -> tuple[str, bool]:
    """Returns what bounds a whole turn, the harness or a setting, and whether the harness takes only so many tokens."""
    most = adapter(engine).max_tokens
    return (engine if most is not None and most < project.config["budget.total"] else "budget.total"), most is not None


def _removed(record: dict[str, Any]) -> list[RemovedBlock]:
    return [RemovedBlock(*block) for block in record["removed"]]


def _nothing(project: Project, engine: str) -> dict[str, Any]:
    """Returns the parts of a turn that tells nothing."""
    budget = list(budget_of(project, engine))  # type: ignore[call-overload]
    empty: dict[str, Any] = {key: [] for key in ("blocks", "relevant", "removed", "out", "pack_out")}
    return {**empty, "form": "prompt", "at": [(project.commit or "")[:7], ""], "budget": budget, "lacking": "", "own_cap": True}


def _retelling(project: Project, row: TurnRow, form: str, budget: TurnBudget) -> Retelling:
    session, session_id = turns.session_of(project.db, row.engine, row.session)
    note = turn.note_of(session_id)
    is_capped = _total(project, row.engine)[1]
    return Retelling(project, ContentLimits(form, budget.tokens, budget.size, session, note, budget.whole, is_capped))


class _Connection:
    """How items are related to a prompt, and to what they were at a revision of the log."""

    def __init__(self, retelling: Retelling, prompt: str, revision: int) -> None:
        project = retelling.project
        self._revision = revision
        self._retelling = retelling
        self._db = project.db
        self._prompt = prompt.lower()
        self._words = snippet.matching(project, prompt[:QUESTION])

    def words(self, text: str) -> list[str]:
        return self._words(text) if self._prompt else []

    def files(self, object_id: str) -> list[str]:
        """Returns the linked files of a memory that the prompt names."""
        links = graph.links_from(self._db, object_id) if self._prompt and object_id.startswith("M-") else []
        paths = [link.to_id for link in links if link.rel in ("file", "mention", "edited", "read")]
        return [path for path in dict.fromkeys(paths) if os.path.basename(path).lower() in self._prompt]

    def memory(self, object_id: str) -> Memory | None:
        name = object_id.removesuffix(layout.OF_SESSION)
        return self._retelling.find(name)[0] if name.startswith(("M-", "P-")) else None

    def earlier_title(self, memory: Memory | None) -> str:
        """Returns the title that a memory had then, "" if it has it still."""
        is_newer = memory is not None and memory.revision > self._revision
        title = oneline(versions.title_at(self._retelling.project, memory.id, self._revision)) if memory and is_newer else ""
        return title if memory and title != memory.line else ""

    def session(self, object_id: str) -> str | None:
        return self._retelling.session_of(object_id)


def _item(connection: _Connection, retold: RetoldBlock, name: Sequence[Any], score: float | None) -> ToldItem:
    block_id, digest, kind, _, group, tokens = name[:6]
    gone: _STATES = "forgotten" if retold.is_forgotten else "gone"
    state: _STATES = gone if retold.block is None else "as told" if retold.block.digest == digest else "changed"
    text = retold.block.text if retold.block else ""
    memory = connection.memory(block_id)
    told_as = name[3] or connection.earlier_title(memory) if state == "changed" else ""
    return ToldItem(
        id=block_id,
        kind=kind,
        title=retold.title or block_id,
        why=group if score is None else RELEVANT,
        tokens=tokens,
        score=score,
        matches=connection.words(text) if score is not None else [],
        files=connection.files(block_id) if score is not None else [],
        pinned=bool(memory and memory.pinned),
        at=dates.iso(memory.created_at) if memory else None,
        state=state,
        text=text,
        told_as=told_as if told_as != retold.title else "",
        session=connection.session(block_id),
    )


def _text(row: TurnRow, record: dict[str, Any], project: Project, named: list[RetoldBlock], relevant: list[RetoldBlock]) -> str:
    """Returns the text of a turn, put together again from what is left of its parts."""
    blocks = [replace(it.block, group=name[4]) for it, name in zip(named, record["blocks"], strict=True) if it.block]
    new = [replace(it.block, group=name[4]) for it, name in zip(relevant, record["relevant"], strict=True) if it.block]
    items = [it.item for it in relevant if it.item]
    hits = layout.relevant(items, record["notes"], new, record["form"])
    commit, branch, *program = record["at"]
    header = TurnHeader(render.name_and_branch(project)[0], commit, branch, row.before, row.revision, *program)
    if row.mode == FULL:
        return layout.full(header, blocks, record["more"], hits, record["form"])
    removed = _removed(record)
    return layout.delta(header, blocks, removed, hits, record["form"]) if row.mode == DELTA else ""


def _left_out(retelling: Retelling, record: dict[str, Any]) -> list[UntoldItem]:
    rows = [
        *record["out"],
        *[(name, "chunk" if name.startswith("C-") else "memory", "", why) for name, why in record["pack_out"]],
    ]
    return [
        UntoldItem(name, kind, title or retelling.title(name), why, retelling.is_forgotten(name), retelling.session_of(name))
        for name, kind, title, why in rows
    ]


def _unlisted(record: dict[str, Any]) -> dict[str, int]:
    """Returns how much stayed out that a turn does not list, by the reason."""
    counts: Counter[str] = Counter()
    for _, why, number in [*record.get("more_out", []), *record.get("more_pack_out", [])]:  # older turns did not count them
        counts[why] += number
    return dict(counts)


def _counted(record: dict[str, Any], key: str) -> list[tuple[str, str, int]]:
    """Returns (name or mark, why, number) of what stayed out: what a turn lists by itself, and what it only counts.

    Older turns did not count that.
    """
    return [*[(row[0], row[-1], 1) for row in record[key]], *record.get(f"more_{key}", [])]


def _limits(project: Project, row: TurnRow, record: dict[str, Any], budget: TurnBudget) -> list[Limit]:
    """Returns the limits that left something out, starting with the one that left out most.

    What did not fit at the start was left out there, not by the answer to a later prompt.
    """
    engine = row.engine
    config, total = project.config, _total(project, engine)[0]
    sizes = {
        "tokens": ("turn.tokens", config["turn.tokens"], "tokens") if record["own_cap"] else (total, budget.tokens, "tokens"),
        "bytes": (engine, budget.size, "bytes"),
        "session": ("session", 0, "tokens"),
    }
    counts: Counter[tuple[str, int, str]] = Counter()
    for _, why, number in _counted(record, "out"):
        if why not in KNOWN and not (row.mode == DELTA and why in sizes):
            counts[sizes.get(why) or (why, config[why], "characters")] += number
    for name, why, number in _counted(record, "pack_out"):
        if why == "budget":
            limit = (engine, budget.whole, "bytes") if record["lacking"] == "bytes" else (total, budget.hit_tokens, "tokens")
            counts[limit] += number
        elif why == "count" and PLACE in name:
            counts["turn.excerpts", config["turn.excerpts"], "excerpts"] += number
        elif why == "count":
            counts["budget.memories", config["budget.memories"], "memories"] += number
    return [Limit(name, value, unit, count) for (name, value, unit), count in counts.most_common()]
