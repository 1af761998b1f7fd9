"""What a person sees: records as calm, aligned lines. Nothing stored reaches the screen unescaped."""

from __future__ import annotations

from memcli.cli.output import clip, paint, width
from memcli.text import dates, json
from memcli.text.terminal import oneline, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.evaluation.run import EvalReport
    from memcli.maintenance.audit import StaleMemory
    from memcli.memory.state import Difference
    from memcli.recall.pack import Pack
    from memcli.recall.render import Marks, PackedMemory
    from memcli.recall.search import SearchHit
    from memcli.store.context import State
    from memcli.store.graph import Link, Thread
    from memcli.store.memories import Memory
    from memcli.store.oplog import Operation
    from memcli.validity.chunks import ChunkInFile
    from memcli.validity.status import MemoryStatus

_ID = 12  # characters of an id: M-7F3K2QWZ9A


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
    if found.state.state and found.state.items:
        lines.append(paint(f"State, {dates.age(found.state.state.created_at, now)}", "heading"))
        lines += [f"  {clip(item, width() - 2)}" for item in found.state.items]
        lines += [f"  {found.state.omitted} more: mem state"] if found.state.omitted else []
    heads = _rows(
        [(item.memory.id, item.memory.line, _tail(item, now)) for item in found.items]
        + [(piece.chunk.id, piece.chunk.place, " · ".join(["evidence", *_marked(piece.marks)])) for piece in found.evidence]
    )
    for item, head in zip(found.items, heads, strict=False):
        lines += [head] if item.memory.brief == item.memory.line else [head, _below(item.memory.brief)]
    lines += heads[len(found.items) :]
    lines.append(paint(_closing(found), "dim"))
    return "\n".join(lines)


def _tail(item: PackedMemory, now: int) -> str:
    said = [dates.age(item.memory.created_at, now), item.memory.thread, *_marked(item.marks)]
    if item.also:
        from memcli.recall.render import also_ids

        said.append(f"also {also_ids(item.also)}")
    return " · ".join(said)


def _marked(marks: Marks) -> list[str]:
    from memcli.recall import render

    return [render.mark_text(render.PROMPT, {mark: fields}).removeprefix(" · ") for mark, fields in marks.items()]


def _below(text: str) -> str:
    return " " * (_ID + 2) + clip(text, width() - _ID - 2)


def _closing(found: Pack) -> str:
    said = [f"read as: {found.read_as}"] if found.read_as else []
    if not found.items and not found.evidence:
        said.append("nothing stored matches" if found.parsed.terms else "nothing was asked")
    if found.more:
        said.append(f"{found.more} more matched (--budget, or mem search)")
    if found.orphans:
        said.append(f"{found.orphans} not on this branch (--include-orphans)")
    if found.outdated:
        said.append(f"{found.outdated} left out because their file changed (mem ingest)")
    said.append(f"{found.tokens:,} of {found.budget:,} tokens")
    return " · ".join(said)


def found(hits: Sequence[SearchHit], now: int) -> str:
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
    head = f"{'id':{_ID}}  {'score':>6}  {'verdict':<10}  {'commit':<9}  title"
    lines = [paint(head, "heading")]
    wide = width()
    for one in report["memories"]:
        title = clip(oneline(one["title"]), max(20, wide - len(head) + 5))
        lines.append(
            f"{paint(one['id'], 'id')}  {one['final_score']:6.3f}  {one['verdict']:<10}  {one['anchor_state']:<9}  {title}"
        )
        lost = f"lost to {one['lost_to']}" if one["lost_to"] else ""
        lines += [paint(line, "dim") for line in ([f"{'':{_ID}}  {lost}"] if lost else []) + _features(one["features"], wide)]
    if not report["memories"]:
        lines = ["no memory holds any of: " + (", ".join(report["terms"]) or "(no words)")]
    lines += [_explained_chunk(one) for one in report["chunks"]]
    budget = report["budget"]
    return "\n".join([*lines, paint(f"{budget['used_total']:,} of {budget['target_total']:,} tokens", "dim")])


def _explained_chunk(one: dict[str, Any]) -> str:
    lost = f", lost to {one['lost_to']}" if one["lost_to"] else ""
    return f"{paint(one['id'], 'id')}  {one['verdict'] + lost:<17}  {one['locator']}"


def _features(found: dict[str, float], wide: int) -> list[str]:
    """What a score is made of, each part with its share of all that adds to it, in lines of at most `wide` characters."""
    gains = sum([part for part in found.values() if part > 0])
    lines = [""]
    for name, part in found.items():
        if gains and abs(part) >= 0.0005:
            said = f"{name} {part:.3f} ({100 * part / gains:.0f} %)"
            if len(lines[-1]) + len(said) > wide - _ID - 5:
                lines.append("")
            lines[-1] += f" · {said}" if lines[-1] else said
    return [" " * (_ID + 2) + line for line in lines if line]


def memory(of: Memory, links: Sequence[Link], status: MemoryStatus, now: int) -> str:
    """Everything about one memory."""
    freshness = status.freshness
    drifted = dict.fromkeys(freshness.gone, "gone") | dict.fromkeys(freshness.changed, "changed since")
    facts = [
        ("thread", of.thread),
        ("kind", of.kind),
        ("tags", ", ".join(of.tags.split("\n"))),
        ("entities", ", ".join(of.entities.split("\n"))),
        ("written", f"{dates.iso(of.created_at)} ({dates.age(of.created_at, now)}) by {of.origin}"),
        ("changed", dates.iso(of.updated_at) if of.updated_at > of.created_at else ""),
        ("commit", _anchor(of.anchor, status.anchor_state)),
        ("source", of.source_id or ""),
        ("pinned", "yes" if of.pinned else ""),
        ("superseded", f"by {of.superseded_by}" if of.superseded_by else ""),
        ("suspicious", "holds a phrase that gives orders to a model" if of.suspicious else ""),
        *[(link.rel, link.to_id + (f" ({drifted.get(link.to_id, link.hash[:10])})" if link.hash else "")) for link in links],
        ("contested", f"replaces {freshness.replaces}, as does {', '.join(freshness.rivals)}" if freshness.rivals else ""),
    ]
    lines = [f"{paint(of.id, 'id')}  {paint(visible(of.title), 'bold')}", "", visible(of.summary), ""]
    return "\n".join([*lines, *[_fact(name, value) for name, value in facts if value]])


def _anchor(anchor: str | None, state: str) -> str:
    """Returns the anchor of a memory, and its state where that is worth a word."""
    if anchor is None:
        return "none: holds everywhere"
    from memcli.validity.status import carried_over  # loaded already where there is a status

    if carried := carried_over(state):
        return f"{anchor} ({carried[0]}: now {carried[1][:7]})"
    return f"{anchor} ({_ANCHOR_STATES[state]})" if state in _ANCHOR_STATES else anchor


def _fact(name: str, value: str) -> str:
    return f"{paint(f'{name:<11}', 'dim')}{oneline(value)}"


_ANCHOR_STATES = {"orphan": "not on this branch", "unknown": "commit unknown here"}
_STATES = {
    "given": "none: given as a text",
    "current": "as it was when it was read",
    "found": "changed since; these lines are still in it",
    "changed": "changed since, and these lines are not in it: mem ingest",
    "gone": "gone: mem ingest",
    "elsewhere": "other here: another working tree has these lines",
}


def chunk(seen: ChunkInFile, links: Sequence[Link]) -> str:
    """Everything about one chunk, and what cites it."""
    of = seen.chunk
    facts = [
        ("file", _STATES[seen.state]),
        ("language", seen.language),
        ("kind", of.kind),
        ("symbol", of.symbol),
        ("thread", of.thread),
        ("tags", ", ".join(of.tags.split("\n"))),
        *[("cited by", f"{link.from_id} ({link.rel})") for link in links],
    ]
    text = visible(of.text)
    if seen.before or seen.after:
        first = of.first_line - len(seen.before)
        lines = [*seen.before, *of.text.split("\n"), *seen.after]
        inside = range(len(seen.before), len(lines) - len(seen.after))
        numbered = [f"{first + place:>6}  {visible(line)}".rstrip() for place, line in enumerate(lines)]
        text = "\n".join([line if place in inside else paint(line, "dim") for place, line in enumerate(numbered)])
    lines = [f"{paint(of.id, 'id')}  {paint(of.place, 'bold')}", "", text, ""]
    return "\n".join([*lines, *[_fact(name, value) for name, value in facts if value]])


def stale(found: Sequence[StaleMemory], now: int) -> str:
    """Memories whose files changed since, each with what can be done about it."""
    lines = []
    heads = _rows(
        [(one.memory.id, one.memory.line, f"{dates.age(one.memory.created_at, now)} · {one.memory.thread}") for one in found]
    )
    for one, head in zip(found, heads, strict=True):
        what = [f"{oneline(path)} changed since" for path in one.changed] + [f"{oneline(path)} is gone" for path in one.gone]
        step = f'mem supersede {one.memory.id} --summary "..."   or   mem confirm {one.memory.id}'
        lines += [head, *[_below(line) for line in what], " " * (_ID + 2) + step]
    return "\n".join(lines) or "no memory that is valid here refers to a file that has changed"


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


def evaluation(report: EvalReport) -> str:
    """The tables of `mem eval`."""
    names = [row.name for row in report.rows] + [row.name for row in report.packs]
    left = max(map(len, names))
    said = f"{report.name}: {report.memories:,} memories in {report.stores} stores, loaded in {report.load_seconds:.1f} s"
    said += f", encoded in {report.encode_seconds:.1f} s" if report.encode_seconds else ""
    head = f"{'':{left}}  {'queries':>7}  {'R@5':>5}  {'R@10':>5}  {'MRR@10':>6}  {'nDCG@10':>7}  {'p50 ms':>7}  {'p95 ms':>7}"
    lines = [oneline(said), "", paint(head, "heading")]
    for row in report.rows:
        of = row.score
        measures = f"{of.recall_5:5.3f}  {of.recall_10:5.3f}  {of.mrr_10:6.3f}  {of.ndcg_10:7.3f}"
        lines.append(f"{oneline(row.name):{left}}  {row.questions:7,}  {measures}  {row.p50:7.2f}  {row.p95:7.2f}")
    if report.packs:
        lines += ["", paint(f"{'packs':{left}}  {'budget':>7}  {'tokens':>7}  {'relevant that arrive':>20}", "heading")]
    lines += [f"{oneline(row.name):{left}}  {row.budget:7,}  {row.tokens:7,.0f}  {row.relevant:20.3f}" for row in report.packs]
    return "\n".join(lines)
