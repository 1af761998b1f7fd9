"""A pack as text for a prompt, as XML, as JSON, and for a person at a terminal. Same pack, same bytes."""

from __future__ import annotations

from memcli.recall import frame
from memcli.text import dates, forms, json
from memcli.text.terminal import oneline, xml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.recall.pack import Evidence, Item, LeftOut, Pack, Subject

VERSION = "1.0"
TOOL = "mem"
TOKENIZER = "cl100k_base"


def prompt(pack: Pack) -> str:
    """Returns the pack as Markdown to paste or inject into a prompt."""
    parts = [_heading(pack.subject)] if pack.with_heading else []
    if pack.state and pack.state_items:
        parts.append(frame.STATE.format(dates.day(pack.state.created_at)))
        parts += [forms.state_prompt(item) for item in pack.state_items]
        parts += [frame.MORE_STATE.format(pack.state_more)] if pack.state_more else []
    for place, item in enumerate(pack.items):
        head, rest = forms.memory_prompt(item.memory)
        parts.append(("" if place else frame.KNOWN) + head + _marks(frame.MARKS, item) + rest)
    for place, piece in enumerate(pack.evidence):
        head, rest = forms.chunk_prompt(piece.chunk, piece.lines)
        parts.append(("" if place else frame.EVIDENCE) + head + _marks(frame.MARKS, piece) + rest)
    if pack.with_footer:
        parts.append(_footer(pack))
    if pack.with_rules:
        parts.append(frame.GAP + frame.RULES)
    return "".join(parts).removeprefix("\n")


def _heading(subject: Subject) -> str:
    commit = subject.commit[:7]
    if commit and subject.branch:
        return frame.HEADING_BRANCH.format(subject.name, commit, subject.branch)
    return frame.HEADING.format(subject.name, commit) if commit else frame.HEADING_PLAIN.format(subject.name)


def _footer(pack: Pack) -> str:
    if pack.more and pack.orphans:
        return frame.MORE_AND_ORPHANS.format(pack.more, pack.orphans)
    if pack.more:
        return frame.MORE.format(pack.more)
    if pack.orphans:
        return frame.ORPHANS.format(pack.orphans)
    return "" if pack.items or pack.evidence else frame.NOTHING


def _marks(texts: dict[str, str], of: Item | Evidence) -> str:
    return "".join([texts[mark] for mark in of.marks])


def as_xml(pack: Pack) -> str:
    """Returns the pack as one XML element."""
    parts = []
    if pack.with_heading:
        parts.append(frame.XML_OPEN.format(xml(pack.subject.name), pack.subject.commit[:7], xml(pack.subject.branch)))
    if pack.state and pack.state_items:
        parts.append(frame.XML_STATE.format(dates.day(pack.state.created_at)))
        parts += [forms.state_xml(item) for item in pack.state_items]
        parts += [frame.XML_STATE_MORE.format(pack.state_more)] if pack.state_more else []
        parts.append(frame.XML_STATE_END)
    parts += _xml_block(frame.XML_KNOWN, [(*forms.memory_xml(item.memory), item) for item in pack.items], frame.XML_KNOWN_END)
    chunks = [(*forms.chunk_xml(piece.chunk, piece.lines), piece) for piece in pack.evidence]
    parts += _xml_block(frame.XML_EVIDENCE, chunks, frame.XML_EVIDENCE_END)
    if pack.with_footer:
        parts.append(frame.XML_LEFT_OUT.format(pack.more, pack.orphans))
    if pack.with_rules:
        parts.append(frame.XML_RULES.format(xml(frame.RULES.strip())))
    if pack.with_heading:
        parts.append(frame.XML_CLOSE)
    return "".join(parts)


def _xml_block(opening: str, blocks: list[tuple[str, str, Any]], closing: str) -> list[str]:
    if not blocks:
        return []
    return [opening, *[head + _marks(frame.XML_MARKS, of) + rest for head, rest, of in blocks], closing]


def as_json(pack: Pack) -> dict[str, Any]:
    """Returns the pack as data: the same items with their texts whole. Described by docs/schema/pack.json."""
    subject = pack.subject
    return {
        "version": VERSION,
        "tool": TOOL,
        "repo": {"repo_id": subject.repo_id, "name": subject.name, "git_root": subject.root, "head": subject.commit, "branch": subject.branch},
        "search_meta": {"query": pack.query, "terms": list(pack.terms), "mode_used": "bm25"},
        "state": json.loads(pack.state.body) if pack.state else {},
        "state_source": "db" if pack.state else "none",
        "matched_threads": [{"thread_id": thread, "why": "named in the query"} for thread in _named(pack)],
        "top_memories": [_memory(item) for item in pack.items],
        "top_chunks": [_chunk(piece) for piece in pack.evidence],
        "left_out": {"orphans": pack.orphans, "superseded": _count(pack, "superseded"), "duplicates": _count(pack, "duplicate"), "more": pack.more},
        "rules": [rule.strip() + "." for rule in frame.RULES.strip().rstrip(".").split(". ")],
        "budget": {"tokenizer": TOKENIZER, "form": pack.form, "target_total": pack.budget, "used_total": pack.tokens},
    }


def _count(pack: Pack, why: str) -> int:
    return len([one for one in pack.left_out if one.why == why])


def _named(pack: Pack) -> list[str]:
    ranked = [item.judged.ranked for item in pack.items] + [one.judged.ranked for one in pack.left_out]
    return sorted({one.hit.thread for one in ranked if one.thread})


def _memory(item: Item) -> dict[str, Any]:
    memory, judged = item.memory, item.judged
    return {
        "id": memory.id,
        "thread_id": memory.thread,
        "kind": memory.kind,
        "title": memory.title,
        "summary": memory.summary,
        "tags": memory.tags.split("\n") if memory.tags else [],
        "created_at": dates.iso(memory.created_at),
        "anchor_commit": memory.anchor,
        "anchor_state": judged.anchor,
        "superseded": judged.superseded,
        "pinned": bool(memory.pinned),
        "suspicious": bool(memory.suspicious),
        "from": "user" if judged.ranked.from_user else "repository",
        "score": round(judged.ranked.score, 4),
        "tokens": item.tokens,
    }


def _chunk(piece: Evidence) -> dict[str, Any]:
    chunk = piece.chunk
    return {
        "chunk_id": chunk.id,
        "thread_id": chunk.thread,
        "locator": f"{chunk.path}#L{chunk.first_line}-L{chunk.last_line}",
        "path": chunk.path,
        "lines": [chunk.first_line, chunk.last_line],
        "symbol": chunk.symbol,
        "text": chunk.text,
        "suspicious": bool(chunk.suspicious),
        "tokens": piece.tokens,
    }


def explained(pack: Pack) -> dict[str, Any]:
    """Returns every candidate with its features and what became of it, best first."""
    shown = [_verdict(item.judged, "included") for item in pack.items] + [_verdict(one.judged, one.why) for one in pack.left_out]
    shown.sort(key=lambda one: (-one["final_score"], one["id"]))
    return {
        "query": pack.query,
        "terms": list(pack.terms),
        "repo": pack.subject.repo_id,
        "state_source": "db" if pack.state else "none",
        "matched_threads": [{"thread_id": thread, "why": "named in the query"} for thread in _named(pack)],
        "memories": shown,
        "chunks": [{"id": p.chunk.id, "locator": forms.chunk_place(p.chunk), "tokens": p.tokens, "included": True} for p in pack.evidence],
        "budget": {"tokenizer": TOKENIZER, "form": pack.form, "target_total": pack.budget, "used_total": pack.tokens},
    }


def _verdict(judged: Any, verdict: str) -> dict[str, Any]:
    one = judged.ranked
    return {
        "id": one.hit.id,
        "thread_id": one.hit.thread,
        "title": one.hit.title,
        "anchor_commit": one.hit.anchor,
        "anchor_state": judged.anchor,
        "bm25": round(one.hit.score, 4),
        "text": round(one.text, 4),
        "recency_bonus": round(one.recency, 4),
        "thread_bonus": round(one.thread, 4),
        "safety_penalty": round(one.penalty, 4),
        "final_score": round(one.score, 4),
        "superseded": judged.superseded,
        "orphaned": judged.anchor == "orphan",
        "included": verdict == "included",
        "verdict": verdict,
    }
