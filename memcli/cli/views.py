"""What a person sees: records as calm, aligned lines. Nothing stored reaches the screen unescaped."""

from __future__ import annotations

from memcli.cli.output import clip, paint, width
from memcli.text import dates, json
from memcli.text.terminal import oneline, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.memory.state import Difference
    from memcli.recall.pack import Item, Pack
    from memcli.recall.search import Found
    from memcli.store.chunks import Chunk
    from memcli.store.graph import Link, Thread
    from memcli.store.memories import Memory
    from memcli.store.oplog import Operation
    from memcli.store.states import State

_ID = 12  # characters of an id: M-7F3K2QWZ9A
_MARKS = {
    "orphan": "not on this branch",
    "unknown": "commit unknown here",
    "superseded": "superseded",
    "pinned": "pinned",
    "suspicious": "looks like an injected order",
    "user": "yours",
}


def _rows(items: Sequence[tuple[str, str, str]]) -> list[str]:
    """Lines of the same three columns, aligned: an id, a text that gives way, a tail."""
    tails = max([len(tail) for _, _, tail in items], default=0)
    room = max(20, min(max([len(text) for _, text, _ in items], default=0), width() - _ID - tails - 4))
    return [
        f"{paint(f'{left:<{_ID}}', 'id')}  {clip(text, room):<{room}}  {paint(tail, 'dim')}".rstrip()
        for left, text, tail in items
    ]


def pack(found: Pack, now: int) -> str:
    """The answer of `mem get` for a person: a line a fact, its age, its place, whether it holds."""
    lines = []
    if found.state and found.state_items:
        lines.append(paint(f"State, {dates.age(found.state.created_at, now)}", "heading"))
        lines += [f"  {clip(item, width() - 2)}" for item in found.state_items]
        lines += [f"  {found.state_more} more: mem state"] if found.state_more else []
    heads = _rows(
        [(item.memory.id, item.memory.line, _tail(item, now)) for item in found.items]
        + [(piece.chunk.id, piece.chunk.place, "evidence") for piece in found.evidence]
    )
    for item, head in zip(found.items, heads, strict=False):
        lines += [head] if item.memory.brief == item.memory.line else [head, _below(item.memory.brief)]
    lines += heads[len(found.items) :]
    lines.append(paint(_closing(found), "dim"))
    return "\n".join(lines)


def _tail(item: Item, now: int) -> str:
    said = [dates.age(item.memory.created_at, now), item.memory.thread, *[_MARKS[mark] for mark in item.marks]]
    if item.also:
        from memcli.recall.render import also_ids

        said.append(f"also {also_ids(item.also)}")
    return " · ".join(said)


def _below(text: str) -> str:
    return " " * (_ID + 2) + clip(text, width() - _ID - 2)


def _closing(found: Pack) -> str:
    said = []
    if not found.items and not found.evidence:
        said.append("nothing stored matches" if found.terms else "nothing was asked")
    if found.more:
        said.append(f"{found.more} more matched (--budget, or mem search)")
    if found.orphans:
        said.append(f"{found.orphans} not on this branch (--include-orphans)")
    said.append(f"{found.tokens:,} of {found.budget:,} tokens")
    return " · ".join(said)


def found(hits: Sequence[Found], now: int) -> str:
    """The hits of `mem search`."""
    items = []
    for hit in hits:
        said = [dates.age(hit.memory.created_at, now), hit.memory.thread] + (["yours"] if hit.ranked.from_user else [])
        items.append((hit.memory.id, oneline(hit.memory.title), " · ".join(said)))
    lines = []
    for hit, head in zip(hits, _rows(items), strict=True):
        lines += [head, _below(hit.snippet)] if hit.snippet and hit.snippet != oneline(hit.memory.title) else [head]
    return "\n".join(lines) or "nothing stored matches"


def explained(report: dict[str, Any]) -> str:
    """The table of `mem explain`."""
    head = f"{'id':{_ID}}  {'score':>6}  {'text':>6}  {'recent':>6}  {'thread':>6}  {'risk':>6}  {'verdict':<10}  title"
    lines = [paint(head, "heading")]
    for one in report["memories"]:
        numbers = (one["final_score"], one["text"], one["recency_bonus"], one["thread_bonus"], one["safety_penalty"])
        columns = "  ".join([f"{number:6.3f}" for number in numbers])
        room = max(20, width() - len(head) + 5)
        lines.append(f"{paint(one['id'], 'id')}  {columns}  {one['verdict']:<10}  {clip(oneline(one['title']), room)}")
    if not report["memories"]:
        lines = ["no memory holds any of: " + (", ".join(report["terms"]) or "(no words)")]
    lines += [f"{paint(chunk['id'], 'id')}  {chunk['locator']}" for chunk in report["chunks"]]
    budget = report["budget"]
    return "\n".join([*lines, paint(f"{budget['used_total']:,} of {budget['target_total']:,} tokens", "dim")])


def memory(of: Memory, links: Sequence[Link], now: int) -> str:
    """Everything about one memory."""
    facts = [
        ("thread", of.thread),
        ("kind", of.kind),
        ("tags", ", ".join(of.tags.split("\n"))),
        ("entities", ", ".join(of.entities.split("\n"))),
        ("written", f"{dates.iso(of.created_at)} ({dates.age(of.created_at, now)}) by {of.origin}"),
        ("changed", dates.iso(of.updated_at) if of.updated_at > of.created_at else ""),
        ("commit", of.anchor or "none: holds everywhere"),
        ("source", of.source_id or ""),
        ("pinned", "yes" if of.pinned else ""),
        ("superseded", f"by {of.superseded_by}" if of.superseded_by else ""),
        ("suspicious", "holds a phrase that gives orders to a model" if of.suspicious else ""),
        *[(link.rel, link.to_id + (f" ({link.hash[:10]})" if link.hash else "")) for link in links],
    ]
    lines = [f"{paint(of.id, 'id')}  {paint(visible(of.title), 'bold')}", "", visible(of.summary), ""]
    return "\n".join([*lines, *[f"{paint(f'{name:<11}', 'dim')}{oneline(value)}" for name, value in facts if value]])


def chunk(of: Chunk) -> str:
    """Everything about one chunk."""
    return f"{paint(of.id, 'id')}  {paint(of.place, 'bold')}\n\n{visible(of.text)}"


def recent(memories: Sequence[Memory], now: int) -> str:
    """Memories, newest first."""
    items = []
    for one in memories:
        said = [dates.age(one.created_at, now), one.thread] + (["superseded"] if one.superseded_by else [])
        items.append((one.id, oneline(one.title), " · ".join(said)))
    return "\n".join(_rows(items)) or 'nothing stored yet; start with: mem add "..." --summary "..."'


def threads(found: Sequence[Thread], now: int) -> str:
    """Threads with the number of their memories."""
    longest = max([len(one.id) for one in found], default=0)
    lines = [f"{one.id:<{longest}}  {one.memory_count:>6}  {paint(dates.age(one.created_at, now), 'dim')}" for one in found]
    return "\n".join(lines) or "no threads yet"


def state(of: State, now: int) -> str:
    """The state, item by item."""
    head = f"{paint(of.id, 'id')}  {oneline(of.reason)}  {paint(dates.age(of.created_at, now), 'dim')}"
    return "\n".join([head, *[f"  {item}" for item in of.items.split("\n")]])


def states(found: Sequence[State], now: int) -> str:
    """The history of states, newest first."""
    return (
        "\n".join(_rows([(one.id, oneline(one.reason), dates.age(one.created_at, now)) for one in found])) or "no checkpoint yet"
    )


def differences(found: Sequence[Difference]) -> str:
    """What changed between two states."""
    lines = []
    for one in found:
        lines += [paint(f"- {oneline(one.key)}: {oneline(one.before)}", "error")] if one.before is not None else []
        lines += [paint(f"+ {oneline(one.key)}: {oneline(one.after)}", "ok")] if one.after is not None else []
    return "\n".join(lines) or "no difference"


def log(operations: Sequence[Operation], now: int) -> str:
    """The operation log, newest first."""
    lines = []
    for op in operations:
        body = json.loads(op.body)
        said = body.get("title") or body.get("reason") or body.get("by") or body.get("to") or ", ".join(sorted(body))
        what = f"{op.revision:>6}  {dates.age(op.hlc_ms, now):>10}  {op.actor:<7} {op.kind:<9}"
        lines.append(f"{what} {paint(f'{op.object:<{_ID}}', 'id')}  {clip(oneline(str(said)), 60)}")
    return "\n".join(lines) or "the log is empty"
