"""What a person sees: records as calm, aligned lines. Nothing stored reaches the screen unescaped."""

from __future__ import annotations

from memcli.cli.output import clip, paint, width
from memcli.text import dates, json
from memcli.text.terminal import oneline, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.evaluation import EvalReport
    from memcli.maintenance.audit import StaleMemory
    from memcli.memory.context import Difference
    from memcli.operations.lists import Memories, MemoriesOfThread, Threads
    from memcli.operations.state import Log, States
    from memcli.recall.pack import Pack
    from memcli.recall.render import Marks, PackedMemory
    from memcli.recall.search import SearchHit
    from memcli.store.context import State
    from memcli.store.graph import Link
    from memcli.store.memories import Memory
    from memcli.validity import MemoryStatus
    from memcli.validity.chunks import ChunkInFile

GIVES_ORDERS = "holds a phrase that gives orders to a model"
_ID = 12  # characters of an id: M-7F3K2QWZ9A


def _rows(items: Sequence[tuple[str, str, str]]) -> list[str]:
    """Lines of the same three columns, aligned: an id, a text that gives way, a tail."""
    tails = max([len(tail) for _, _, tail in items], default=0)
    room = max(20, min(max([len(text) for _, text, _ in items], default=0), width() - _ID - tails - 4))
    return [
        f"{paint(f'{name:<{_ID}}', 'id')}  {clip(text, room):<{room}}  {paint(tail, 'dim')}".rstrip()
        for name, text, tail in items
    ]


def pack(packed: Pack, now: int) -> str:
    """The answer of `mem get` for a person: a line a fact, its age, its place, whether it holds."""
    lines = []
    if packed.state.state and packed.state.items:
        lines.append(paint(f"State, {dates.age(packed.state.state.created_at, now)}", "heading"))
        lines += [f"  {clip(item, width() - 2)}" for item in packed.state.items]
        lines += [f"  {packed.state.omitted} more: mem state"] if packed.state.omitted else []
    heads = _rows(
        [(item.memory.id, item.memory.line, _tail(item, now)) for item in packed.items]
        + [(piece.chunk.id, piece.chunk.place, " · ".join(["evidence", *_marked(piece.marks)])) for piece in packed.evidence]
    )
    for item, head in zip(packed.items, heads, strict=False):
        lines += [head] if item.memory.brief == item.memory.line else [head, _below(item.memory.brief)]
    lines += heads[len(packed.items) :]
    lines.append(paint(_closing(packed), "dim"))
    return "\n".join(lines)


def _tail(item: PackedMemory, now: int) -> str:
    notes = [dates.age(item.memory.created_at, now), item.memory.thread, *_marked(item.marks)]
    if item.also:
        from memcli.recall.render import also_ids

        notes.append(f"also {also_ids(item.also)}")
    return " · ".join(notes)


def _marked(marks: Marks) -> list[str]:
    from memcli.recall import render

    return [render.mark_text(render.PROMPT, {mark: fields}).removeprefix(" · ") for mark, fields in marks.items()]


def _below(text: str) -> str:
    return " " * (_ID + 2) + clip(text, width() - _ID - 2)


def _closing(pack: Pack) -> str:
    notes = [f"read as: {pack.read_as}"] if pack.read_as else []
    if not pack.items and not pack.evidence:
        notes.append("nothing stored matches" if pack.parsed.terms else "nothing was asked")
    if pack.more:
        notes.append(f"{pack.more} more matched (--budget, or mem search)")
    if pack.orphans:
        notes.append(f"{pack.orphans} not on this branch (--include-orphans)")
    if pack.outdated:
        notes.append(f"{pack.outdated} left out because their file changed (mem ingest)")
    notes.append(f"{pack.tokens:,} of {pack.budget:,} tokens")
    return " · ".join(notes)


def search_hits(hits: Sequence[SearchHit], now: int) -> str:
    """The hits of `mem search`."""
    items = []
    for hit in hits:
        notes = [dates.age(hit.memory.created_at, now), hit.memory.thread] + (["yours"] if hit.ranked.from_user else [])
        items.append((hit.memory.id, oneline(hit.memory.title), " · ".join(notes)))
    lines = []
    for hit, head in zip(hits, _rows(items), strict=True):
        lines += [head, _below(hit.snippet)] if hit.snippet and hit.snippet != oneline(hit.memory.title) else [head]
    return "\n".join(lines) or "nothing stored matches"


def explained(report: dict[str, Any]) -> str:
    """The table of `mem explain`."""
    head = f"{'id':{_ID}}  {'score':>6}  {'verdict':<10}  {'commit':<9}  title"
    lines = [paint(head, "heading")]
    wide = width()
    for row in report["memories"]:
        title = clip(oneline(row["title"]), max(20, wide - len(head) + 5))
        lines.append(
            f"{paint(row['id'], 'id')}  {row['final_score']:6.3f}  {row['verdict']:<10}  {row['anchor_state']:<9}  {title}"
        )
        lost = f"lost to {row['lost_to']}" if row["lost_to"] else ""
        lines += [paint(line, "dim") for line in ([f"{'':{_ID}}  {lost}"] if lost else []) + _features(row["features"], wide)]
    if not report["memories"]:
        lines = ["no memory holds any of: " + (", ".join(report["terms"]) or "(no words)")]
    lines += [_explained_chunk(row) for row in report["chunks"]]
    budget = report["budget"]
    return "\n".join([*lines, paint(f"{budget['used_total']:,} of {budget['target_total']:,} tokens", "dim")])


def _explained_chunk(entry: dict[str, Any]) -> str:
    lost = f", lost to {entry['lost_to']}" if entry["lost_to"] else ""
    return f"{paint(entry['id'], 'id')}  {entry['verdict'] + lost:<17}  {entry['locator']}"


def _features(features: dict[str, float], wide: int) -> list[str]:
    """What a score is made of, each part with its share of all that adds to it, in lines of at most `wide` characters."""
    gains = sum([value for value in features.values() if value > 0])
    lines = [""]
    for name, value in features.items():
        if gains and abs(value) >= 0.0005:
            text = f"{name} {value:.3f} ({100 * value / gains:.0f} %)"
            if len(lines[-1]) + len(text) > wide - _ID - 5:
                lines.append("")
            lines[-1] += f" · {text}" if lines[-1] else text
    return [" " * (_ID + 2) + line for line in lines if line]


def memory(memory: Memory, links: Sequence[Link], status: MemoryStatus, now: int) -> str:
    """Everything about one memory."""
    freshness = status.freshness
    drifted = dict.fromkeys(freshness.gone, "gone") | dict.fromkeys(freshness.changed, "changed since")
    facts = [
        ("thread", memory.thread),
        ("kind", memory.kind),
        ("tags", ", ".join(memory.tags.split("\n"))),
        ("entities", ", ".join(memory.entities.split("\n"))),
        ("written", f"{dates.iso(memory.created_at)} ({dates.age(memory.created_at, now)}) by {memory.origin}"),
        ("changed", dates.iso(memory.updated_at) if memory.updated_at > memory.created_at else ""),
        ("commit", anchored(memory.anchor, status.anchor_state)),
        ("source", memory.source_id or ""),
        ("pinned", "yes" if memory.pinned else ""),
        ("superseded", f"by {memory.superseded_by}" if memory.superseded_by else ""),
        ("suspicious", GIVES_ORDERS if memory.suspicious else ""),
        *[(link.rel, link.to_id + (f" ({drifted.get(link.to_id, link.hash[:10])})" if link.hash else "")) for link in links],
        ("contested", f"replaces {freshness.replaces}, as does {', '.join(freshness.rivals)}" if freshness.rivals else ""),
    ]
    lines = [f"{paint(memory.id, 'id')}  {paint(visible(memory.title), 'bold')}", "", visible(memory.summary), ""]
    return "\n".join([*lines, *[fact(name, value) for name, value in facts if value]])


def anchored(anchor: str | None, state: str) -> str:
    """Returns the anchor of a memory, and its state where that is worth a word."""
    if anchor is None:
        return "none: holds everywhere"
    from memcli.validity import carried_over  # loaded already where there is a status

    if carried := carried_over(state):
        return f"{anchor} ({carried[0]}: now {carried[1][:7]})"
    return f"{anchor} ({_ANCHOR_STATES[state]})" if state in _ANCHOR_STATES else anchor


def fact(name: str, value: str) -> str:
    """One line of what is known of a thing."""
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


def chunk(located: ChunkInFile, links: Sequence[Link]) -> str:
    """Everything about one chunk, and what cites it."""
    chunk = located.chunk
    facts = [
        ("file", _STATES[located.state]),
        ("language", located.language),
        ("kind", chunk.kind),
        ("symbol", chunk.symbol),
        ("thread", chunk.thread),
        ("tags", ", ".join(chunk.tags.split("\n"))),
        *[("cited by", f"{link.from_id} ({link.rel})") for link in links],
    ]
    text = visible(chunk.text)
    if located.before or located.after:
        first = chunk.first_line - len(located.before)
        lines = [*located.before, *chunk.text.split("\n"), *located.after]
        inside = range(len(located.before), len(lines) - len(located.after))
        numbered = [f"{first + index:>6}  {visible(line)}".rstrip() for index, line in enumerate(lines)]
        text = "\n".join([line if index in inside else paint(line, "dim") for index, line in enumerate(numbered)])
    lines = [f"{paint(chunk.id, 'id')}  {paint(chunk.place, 'bold')}", "", text, ""]
    return "\n".join([*lines, *[fact(name, value) for name, value in facts if value]])


def stale(memories: Sequence[StaleMemory], now: int) -> str:
    """Memories whose files changed since, each with what can be done about it."""
    lines = []
    heads = _rows(
        [
            (memory.memory.id, memory.memory.line, f"{dates.age(memory.memory.created_at, now)} · {memory.memory.thread}")
            for memory in memories
        ]
    )
    for stale, head in zip(memories, heads, strict=True):
        changes = [f"{oneline(path)} changed since" for path in stale.changed] + [
            f"{oneline(path)} is gone" for path in stale.gone
        ]
        step = f'mem supersede {stale.memory.id} --summary "..."   or   mem confirm {stale.memory.id}'
        lines += [head, *[_below(line) for line in changes], " " * (_ID + 2) + step]
    return "\n".join(lines) or "no memory that is valid here refers to a file that has changed"


def recent(result: Memories | MemoriesOfThread) -> str:
    """Memories, newest first."""
    items = []
    for memory, (anchor_state, superseded) in zip(result.memories, result.standings):
        marks = (["not on this branch"] if anchor_state == "orphan" else []) + (["superseded"] if superseded else [])
        items.append(
            (memory.id, oneline(memory.title), " · ".join([dates.age(memory.created_at, result.now), memory.thread, *marks]))
        )
    invalid = sum([anchor_state == "orphan" or superseded for anchor_state, superseded in result.standings])
    lines = _rows(items) + _invalid(invalid)
    if not lines and not getattr(result, "are_all", True):
        return "nothing stored matches"
    return "\n".join(lines) or 'nothing stored yet; start with: mem add "..." --summary "..."'


def _invalid(count: int) -> list[str]:
    return [paint(f"{count:,} of these {'does' if count == 1 else 'do'} not hold here", "dim")] if count else []


def thread(result: MemoriesOfThread) -> str:
    """Memories of a thread, newest first."""
    return recent(result)


def threads(result: Threads) -> str:
    """Threads with the number of their memories."""
    longest = max([len(row.id) for row in result.threads], default=0)
    ages = [paint(dates.age(row.created_at, result.now), "dim") for row in result.threads]
    notes = [f"  {row.invalid_count:,} do not hold here" if row.invalid_count else "" for row in result.threads]
    lines = [
        f"{row.id:<{longest}}  {row.memory_count:>6}  {age}{paint(note, 'dim')}"
        for row, age, note in zip(result.threads, ages, notes, strict=True)
    ]
    return "\n".join(lines) or "no threads yet"


def state(result: States) -> str:
    """The state item by item, the history of states, or what the last checkpoint changed."""
    if result.view == "diff":
        return _differences(result.changes)
    if result.view == "history":
        return _states(result.states, result.now)
    return checkpoint(result.states[0], result.now) if result.states else "no checkpoint yet"


def checkpoint(state: State, now: int) -> str:
    """One state, item by item."""
    head = f"{paint(state.id, 'id')}  {oneline(state.reason)}  {paint(dates.age(state.created_at, now), 'dim')}"
    return "\n".join([head, *[f"  {item}" for item in state.items.split("\n")]])


def _states(states: Sequence[State], now: int) -> str:
    return (
        "\n".join(_rows([(row.id, oneline(row.reason), dates.age(row.created_at, now)) for row in states])) or "no checkpoint yet"
    )


def _differences(differences: Sequence[Difference]) -> str:
    lines = []
    for change in differences:
        lines += [paint(f"- {oneline(change.key)}: {oneline(change.before)}", "error")] if change.before is not None else []
        lines += [paint(f"+ {oneline(change.key)}: {oneline(change.after)}", "ok")] if change.after is not None else []
    return "\n".join(lines) or "no difference"


def log(result: Log) -> str:
    """The operation log, newest first."""
    lines = []
    for op in result.operations:
        body = json.loads(op.body)
        label = body.get("title") or body.get("reason") or body.get("by") or body.get("to") or ", ".join(sorted(body))
        head = f"{op.revision:>6}  {dates.age(op.hlc_ms, result.now):>10}  {op.actor:<7} {op.kind:<9}"
        mark = paint(" · does not hold here", "dim") if op.object in result.invalid else ""
        lines.append(f"{head} {paint(f'{op.object:<{_ID}}', 'id')}  {clip(oneline(str(label)), 60)}{mark}")
    invalid = len([op for op in result.operations if op.object in result.invalid])
    return "\n".join(lines + _invalid(invalid)) or ("the log is empty" if result.are_all else "nothing was logged then")


def evaluation(report: EvalReport) -> str:
    """The tables of `mem eval`."""
    names = [row.name for row in report.queries] + [row.name for row in report.packs]
    wide = max(map(len, names))
    summary = f"{report.set}: {report.memories:,} memories in {report.stores} stores, loaded in {report.load_seconds:.1f} s"
    summary += f", encoded in {report.encode_seconds:.1f} s" if report.encode_seconds else ""
    head = f"{'':{wide}}  {'queries':>7}  {'R@5':>5}  {'R@10':>5}  {'MRR@10':>6}  {'nDCG@10':>7}  {'p50 ms':>7}  {'p95 ms':>7}"
    lines = [oneline(summary), "", paint(head, "heading")]
    for row in report.queries:
        measures = f"{row.recall_5:5.3f}  {row.recall_10:5.3f}  {row.mrr_10:6.3f}  {row.ndcg_10:7.3f}"
        lines.append(f"{oneline(row.name):{wide}}  {row.queries:7,}  {measures}  {row.p50_ms:7.2f}  {row.p95_ms:7.2f}")
    if report.packs:
        lines += ["", paint(f"{'packs':{wide}}  {'budget':>7}  {'tokens':>7}  {'relevant that arrive':>20}", "heading")]
    lines += [f"{oneline(row.name):{wide}}  {row.budget:7,}  {row.tokens:7,.0f}  {row.relevant:20.3f}" for row in report.packs]
    return "\n".join(lines)
