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
from memcli.agents.turns import layout, turn
from memcli.agents.turns.builder import DELTA, FULL, KNOWN, QUESTION, TurnBudget, budget_of
from memcli.agents.turns.contents import ContentLimits
from memcli.agents.turns.layout import RemovedBlock, TurnHeader
from memcli.agents.turns.retold import Retelling, RetoldBlock
from memcli.agents.turns.turn import TurnRequest
from memcli.errors import NotFound
from memcli.fields import Result
from memcli.project import Project
from memcli.recall import render, snippet
from memcli.recall.limits import Limit
from memcli.records import replace
from memcli.store import graph, turns
from memcli.store.memories import Memory
from memcli.store.turns import TurnRow
from memcli.text import dates, json
from memcli.text.ids import PLACE

RELEVANT = "relevant"
PREVIEW = "preview"  # the session of a turn that nobody is told
_STATES = Literal["as told", "changed", "forgotten", "gone"]


class ToldItem(Result):
    """A part of a turn. `why`: its section, or `relevant` to the prompt, then with its score.

    `matches`: words of the prompt that it has; `files`: those that it names and the prompt, too; `at`: when it was stated.
    `state`: whether `text` is what was told, what it is now, or empty, as it was forgotten or is gone. `session`: of a passage,
    in which it was said.
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


class InspectedTurn(Result):
    """A turn with its parts. `is_exact`: `text` is what was told, byte for byte, as far as its digests and its size tell.

    `max_tokens`, `max_bytes`: what the turn could have at most; `removed`: what it says is gone or displaced.
    `unlisted`: how many more stayed out than are noted by name, by why.
    """

    id: str
    mode: str
    harness: str
    commit: str
    branch: str
    tokens: int
    bytes: int
    max_tokens: int
    max_bytes: int
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


def _inspected(project: Project, row: TurnRow, text: str | None, question: str | None) -> InspectedTurn:
    """Returns a turn with its parts. `text`, `question`: of one that is planned."""
    record = json.loads(row.told) if row.told else _nothing(project, row.engine)
    budget = TurnBudget(*record["budget"])
    retelling = _retelling(project, row, record["form"], budget)
    named, relevant = retelling.blocks(record["blocks"]), retelling.blocks([row[:6] for row in record["relevant"]])
    connection = _Connection(retelling, turns.prompt_of(project.db, row) if question is None else question)
    items = [_item(connection, it, name, None) for it, name in zip(named, record["blocks"], strict=True)]
    items += [_item(connection, it, name, name[6]) for it, name in zip(relevant, record["relevant"], strict=True)]
    if text is None:
        text = turn.framed(_text(row, record, retelling.project, named, relevant))
        size, is_exact = row.size, all(item.state == "as told" for item in items)
        is_exact = is_exact and len(text.encode()) == len(turn.FRAME.format("").encode()) + row.size
    else:
        text, size, is_exact = turn.framed(text), row.size, True
    return InspectedTurn(
        id=row.id,
        mode=row.mode,
        harness=row.engine,
        commit=record["at"][0],
        branch=record["at"][1],
        tokens=row.tokens,
        bytes=size,
        max_tokens=budget.tokens + budget.hit_tokens,
        max_bytes=budget.whole,
        text=text,
        is_exact=is_exact,
        items=items,
        left_out=_left_out(retelling, record),
        unlisted=_unlisted(record),
        removed=[block.name or block.kind for block in _removed(record)],
        limits=_limits(project, row, record, budget),
    )


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
    is_capped = adapter(row.engine).max_tokens is not None
    return Retelling(project, ContentLimits(form, budget.tokens, budget.size, session, note, budget.whole, is_capped))


class _Connection:
    """How items are related to a prompt, in words for people, or ""."""

    def __init__(self, retelling: Retelling, prompt: str) -> None:
        project = retelling.project
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
        return self._retelling.find(object_id)[0] if object_id.startswith(("M-", "P-")) else None

    def session(self, object_id: str) -> str | None:
        return self._retelling.session_of(object_id)


def _item(connection: _Connection, retold: RetoldBlock, name: Sequence[Any], score: float | None) -> ToldItem:
    block_id, digest, kind, _, group, tokens = name[:6]
    gone: _STATES = "forgotten" if retold.is_forgotten else "gone"
    state: _STATES = gone if retold.block is None else "as told" if retold.block.digest == digest else "changed"
    text = retold.block.text if retold.block else ""
    memory = connection.memory(block_id)
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
    config, harness = project.config, adapter(engine)
    most = harness.max_tokens
    total = engine if most is not None and most < config["budget.total"] else "budget.total"
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
