"""A pack as data: for programs, and with every candidate's features for those who ask why."""

from __future__ import annotations

from memcli.recall.render import RULES
from memcli.repo.head import storable_name
from memcli.text import dates, json
from memcli.text.ids import anchor_commit
from memcli.validity import CHUNK_ACTOR, MemoryStatus, carried_as_json, origin_of, origin_values, state_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.recall.pack import Pack
    from memcli.recall.relevance import Ranked
    from memcli.recall.render import PackedChunk, PackedMemory
    from memcli.store.context import State

VERSION = "1.0"
TOOL = "mem"
TOKENIZER = "cl100k_base"


def as_json(pack: Pack) -> dict[str, Any]:
    """Returns the pack as data: the same items with their texts whole. Described by docs/schema/pack.json."""
    state = pack.state.state
    return {
        "version": VERSION,
        "tool": TOOL,
        "repo": {
            "repo_id": pack.repo_id,
            "name": pack.name,
            "git_root": storable_name(pack.root),
            "head": pack.commit,
            "branch": pack.branch,
            "suspicious": pack.is_suspicious,
        },
        "search_meta": {
            "corrected": [{"word": word, "read_as": list(words)} for word, words in pack.parsed.corrected.items()],
            "mode_used": "hybrid" if pack.query.meaning is not None else "bm25",
        },
        "state": json.loads(state.body) if state else {},
        "state_source": "db" if pack.state.state else "none",
        "state_suspicious": bool(state and state.suspicious),
        "state_writer": origin_of(state.actor).writer if state else "none",
        "state_ci": bool(state and state.ci),
        "states_beside": [_state(packed.state) for packed in pack.beside if packed.state],
        "matched_threads": [{"thread_id": thread, "why": "named in the query"} for thread in _named_threads(pack)],
        "top_memories": [_memory(item) for item in pack.items],
        "top_chunks": [_chunk(piece) for piece in pack.evidence],
        "left_out": {
            "orphans": pack.orphans,
            "superseded": pack.count("superseded"),
            "duplicates": pack.count("duplicate"),
            "more": pack.more,
            "irrelevant": pack.count("relevance"),
            "outdated_chunks": pack.outdated,
        },
        "rules": list(RULES),
        "budget": _budget(pack),
    }


def _budget(pack: Pack) -> dict[str, Any]:
    return {
        "tokenizer": TOKENIZER,
        "form": pack.query.form,
        "target_total": pack.budget,
        "used_total": pack.tokens,
        "max_bytes": pack.query.max_bytes,
        "used_bytes": len(pack.text.encode()),
    }


def _named_threads(pack: Pack) -> list[str]:
    matches = [item.ranked for item in pack.items] + [match for match, _ in pack.left_out]
    return sorted({match.hit.thread for match in matches if match.shares.get("thread")})


def _state(state: State) -> dict[str, Any]:
    return {
        "state_id": state.id,
        "state": json.loads(state.body),
        "reason": state.reason,
        "created_at": dates.iso(state.created_at),
        "suspicious": bool(state.suspicious),
        "unknown": bool(state.unknown),
        "writer": origin_of(state.actor).writer,
        "ci": bool(state.ci),
    }


def _memory(item: PackedMemory) -> dict[str, Any]:
    memory, ranked = item.memory, item.ranked
    return {
        "id": memory.id,
        "thread_id": memory.thread,
        "kind": memory.kind,
        "title": memory.title,
        "summary": memory.summary,
        "tags": memory.tags.split("\n") if memory.tags else [],
        "created_at": dates.iso(memory.created_at),
        "anchor_commit": anchor_commit(memory.anchor),
        **MemoryStatus(ranked.anchor, ranked.superseded, freshness=item.freshness).as_json(),
        "pinned": bool(memory.pinned),
        "suspicious": bool(memory.suspicious),
        **origin_values(memory.origin, memory.tags),
        "writer": origin_of(memory.origin).writer,
        **({"author": item.marks["other_named"][0]} if "other_named" in item.marks else {}),
        "from": "user" if ranked.from_user else "repository",
        "score": round(ranked.score, 4),
        "tokens": item.line.tokens,
        "also": list(item.also),
    }


def _chunk(piece: PackedChunk) -> dict[str, Any]:
    chunk = piece.chunk
    return {
        "chunk_id": chunk.id,
        "thread_id": chunk.thread,
        "locator": f"{chunk.path}#L{chunk.first_line}-L{chunk.last_line}",
        "path": chunk.path,
        "lines": [chunk.first_line, chunk.last_line],
        "symbol": chunk.symbol,
        "kind": chunk.kind,
        "text": chunk.text,
        "also_in": list(piece.also),
        **origin_of(CHUNK_ACTOR).as_json(),
        "writer": origin_of(CHUNK_ACTOR).writer,
        "suspicious": bool(chunk.suspicious),
        "tokens": piece.line.tokens,
    }


def explained(pack: Pack) -> dict[str, Any]:
    """Returns every candidate with its features and its verdict, best first."""
    candidates = [_verdict(item.ranked, "included") | _freshness(item) for item in pack.items]
    candidates += [_verdict(match, why) | {"lost_to": _winner(pack, match, why)} for match, why in pack.left_out]
    candidates.sort(key=lambda candidate: (-candidate["final_score"], candidate["id"]))
    return {
        "query": pack.query.text,
        "terms": list(pack.parsed.terms),
        "corrected": {word: list(words) for word, words in pack.parsed.corrected.items()},
        "near": list(pack.parsed.near),
        "repo": pack.repo_id,
        "state_source": "db" if pack.state.state else "none",
        "matched_threads": [{"thread_id": thread, "why": "named in the query"} for thread in _named_threads(pack)],
        "memories": candidates,
        "chunks": _explained_chunks(pack),
        "budget": _budget(pack),
    }


def _freshness(item: PackedMemory) -> dict[str, Any]:
    return {"freshness": item.freshness.state, "drifted": item.freshness.drifted}


def _explained_chunks(pack: Pack) -> list[dict[str, Any]]:
    """Returns every chunk that was considered and its verdict: those in the pack first, best first."""
    included = [(piece.chunk, "included", None, piece.score) for piece in pack.evidence]
    dropped = [(piece.chunk, piece.why, piece.lost_to, piece.score) for piece in pack.dropped]
    return [
        {
            "id": chunk.id,
            "locator": chunk.place,
            "score": round(score, 4),
            "included": why == "included",
            "verdict": why,
            "lost_to": lost_to,
        }
        for chunk, why, lost_to, score in [*included, *dropped]
    ]


def _winner(pack: Pack, match: Ranked, why: str) -> str | None:
    """Returns the id of what replaced a memory that was left out, or of the last one that fitted; None if there is neither."""
    if why == "superseded":
        return match.hit.superseded_by
    if why == "duplicate":
        return next((item.memory.id for item in pack.items if match.hit.id in item.also), None)
    if why in ("count", "budget") and pack.items:
        return min(pack.items, key=lambda item: item.ranked.score).memory.id
    return None


def _verdict(match: Ranked, verdict: str) -> dict[str, Any]:
    return {
        "id": match.hit.id,
        "thread_id": match.hit.thread,
        "title": match.hit.title,
        "anchor_commit": anchor_commit(match.hit.anchor),
        "words": match.words(),
        "features": {name: round(share, 4) for name, share in match.features().items()},
        "anchor_state": state_name(match.anchor),
        "carried_over": carried_as_json(match.anchor),
        "final_score": round(match.score, 4),
        "superseded": match.superseded,
        "orphaned": match.anchor == "orphan",
        "included": verdict == "included",
        "lost_to": None,
        "verdict": verdict,
    }
