"""Which limit left something out of a pack, by the name under which a person can change it."""

from __future__ import annotations

from memcli.config import Config
from memcli.fields import Result
from memcli.recall.pack import Pack
from memcli.records import Record
from memcli.store.passages import owner_of
from memcli.text.ids import PLACE

BALANCE = "balance"  # chunks are no more than memories, where nobody asked for chunks


class Limit(Result):
    """A limit that left something out. `name`: a setting, a harness, the question's `budget` or `max_bytes`, or `balance`.

    `value` is in `unit`: tokens, bytes, memories, excerpts or chunks. `left_out`: how many things it left out.
    """

    name: str
    value: int
    unit: str
    left_out: int


class PackCaps(Record):
    """The limits that the caller set."""

    budget: int | None
    max_bytes: int | None
    harness: str | None


def of_pack(config: Config, pack: Pack, caps: PackCaps) -> list[Limit]:
    """Returns the limits that left something out of a pack, starting with the one that left out most."""
    limits: dict[tuple[str, int, str], int] = {}
    for key in [*_of_memories(config, pack, caps), *_of_chunks(config, pack, caps)]:
        limits[key] = limits.get(key, 0) + 1
    return [Limit(*key, count) for key, count in sorted(limits.items(), key=lambda pair: (-pair[1], pair[0]))]


def _of_memories(config: Config, pack: Pack, caps: PackCaps) -> list[tuple[str, int, str]]:
    most, most_excerpts = config["budget.memories"], config["budget.excerpts"]
    most_excerpts = most_excerpts if pack.query.excerpts is None else pack.query.excerpts
    excerpts = {owner_of(item.memory.id) for item in pack.items if PLACE in item.memory.id}
    whole = len([item for item in pack.items if PLACE not in item.memory.id])
    has_place = whole + len(excerpts) < most
    names = []
    for match, why in pack.left_out:
        if why == "budget":
            names.append(_spent(config, pack, caps))
        elif why == "count" and PLACE in match.hit.id and (has_place or owner_of(match.hit.id) in excerpts):
            names.append(("budget.excerpts", most_excerpts, "excerpts"))
        elif why == "count":
            names.append(("budget.memories", most, "memories"))
    return names


def _of_chunks(config: Config, pack: Pack, caps: PackCaps) -> list[tuple[str, int, str]]:
    names = []
    is_balanced = pack.items and not pack.query.evidence and len(pack.evidence) >= len(pack.items)
    for chunk in pack.dropped:
        if chunk.why == "count":
            names.append(("budget.chunks", config["budget.chunks"], "chunks"))
        elif chunk.why == "budget":
            names.append((BALANCE, len(pack.items), "chunks") if is_balanced else _spent(config, pack, caps))
    return names


def _spent(config: Config, pack: Pack, caps: PackCaps) -> tuple[str, int, str]:
    """Returns the limit on tokens or bytes that was reached."""
    if pack.lacking == "bytes":
        size = pack.query.max_bytes or 0
        return (caps.harness if caps.harness and size != caps.max_bytes else "max_bytes"), size, "bytes"
    if caps.budget == pack.budget:
        return "budget", pack.budget, "tokens"
    is_setting = caps.harness is None or pack.budget == config["budget.total"]
    return ("budget.total" if is_setting else caps.harness or ""), pack.budget, "tokens"
