"""A pack and its candidates as aligned lines for people. Nothing stored reaches the screen unescaped."""

from __future__ import annotations

from memcli.cli.output import ListItem, paint, paragraph, rows, table
from memcli.text import dates
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.recall.pack import Pack
    from memcli.recall.render import PackedMemory

_INDENT = 14  # columns up to the text behind an id


def pack(packed: Pack, now: int) -> str:
    """The answer of `mem get` for a person: one fact per line, with its age, location, and whether it holds."""
    from memcli.cli.views import GIVES_ORDERS, marked
    from memcli.recall.snippet import best_line

    lines = []
    if packed.state.state and packed.state.items:
        mark = f" · {GIVES_ORDERS}" if packed.state.state.suspicious else ""
        lines.append(paint(f"State, {dates.ago(packed.state.state.created_at, now)}{mark}", "heading"))
        lines += [line for item in packed.state.items for line in paragraph(item, 2)]
        lines += [f"  {packed.state.omitted} more: mem state"] if packed.state.omitted else []
    items = [_packed(excerpt, now) for excerpt in _excerpts(packed.items)]
    for piece in packed.evidence:
        chunk = piece.chunk
        number, line = best_line(packed.parsed, chunk.text)
        location = f"{oneline(chunk.path)}:{chunk.first_line + number} {oneline(chunk.symbol)}".rstrip()
        items.append(ListItem(chunk.id, location, "evidence", marked(piece.marks), line))
    lines += rows(items)
    lines += paragraph(_closing(packed), 0, "dim")
    return "\n".join(lines)


def _excerpts(items: Sequence[PackedMemory]) -> list[list[PackedMemory]]:
    """Groups the memories of a pack by name: the passages of one text together, or a single memory."""
    from memcli.recall.excerpts import follows

    groups: list[list[PackedMemory]] = []
    for item in items:
        if groups and follows(item, groups[-1][-1]):
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def _packed(items: Sequence[PackedMemory], now: int) -> ListItem:
    """Returns the list entry of an excerpt or a single memory."""
    from memcli.cli.views import marked
    from memcli.recall.excerpts import lines
    from memcli.recall.render import PROMPT, also_ids

    first, memory = items[0], items[0].memory
    remarks = marked(first.marks) + ((f"also {also_ids(first.also)}",) if first.also else ())
    tail = f"{dates.age(memory.created_at, now)} · {memory.thread}"
    below = [] if memory.brief == memory.line else [memory.brief]
    below += [line.text.strip() for line in lines(PROMPT, items)[1:]]
    return ListItem(memory.id, memory.line, tail, remarks, "\n".join(below))


def _closing(pack: Pack) -> str:
    if not pack.sections["heading"] and not pack.items and not pack.evidence and pack.text:
        return oneline(pack.text)  # an empty pack says so in one line, and what was looked through
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


def explained(report: dict[str, Any]) -> str:
    """The table of `mem explain`."""
    lines = [("id", f"{'score':>6}", "verdict", "commit", "title")]
    for row in report["memories"]:
        lines.append((row["id"], f"{row['final_score']:6.3f}", row["verdict"], row["anchor_state"], oneline(row["title"])))
    heading, *entries = table(lines, ("id",), heading=True)
    printed = (
        [heading] if report["memories"] else paragraph(f"no memory holds any of: {', '.join(report['terms']) or '(no words)'}")
    )
    for row, entry in zip(report["memories"], entries, strict=True):
        lost = f"lost to {row['lost_to']}" if row["lost_to"] else ""
        usage = f"told to {row['usage']['told']:,}, used by {row['usage']['used']:,}" if row["usage"]["told"] else ""
        printed += [entry, *[line for note in (lost, usage) if note for line in paragraph(note, _INDENT, "dim")]]
        features = " · ".join(_features(row["features"]))
        printed += [line.replace("\xa0", " ") for line in paragraph(features, _INDENT, "dim") if features]
    printed += _explained_chunks(report["chunks"])
    budget = report["budget"]
    return "\n".join([*printed, paint(f"{budget['used_total']:,} of {budget['target_total']:,} tokens", "dim")])


def _explained_chunks(chunks: Sequence[dict[str, Any]]) -> list[str]:
    verdicts = [row["verdict"] + (f", lost to {row['lost_to']}" if row["lost_to"] else "") for row in chunks]
    rows = [(row["id"], f"{row['score']:6.3f}", f"{verdict:<17}", row["locator"]) for row, verdict in zip(chunks, verdicts)]
    return table(rows, ("id",))


def _features(features: dict[str, float]) -> list[str]:
    """The parts of a score, each kept on one line, with its share of all that adds to it."""
    gains = sum([value for value in features.values() if value > 0])
    return [
        f"{name} {value:.3f} ({100 * value / gains:.0f}%)".replace(" ", "\xa0")
        for name, value in features.items()
        if gains and abs(value) >= 0.0005
    ]
