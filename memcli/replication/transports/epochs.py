"""An epoch as a remote keeps it: `{"n": 2, "purged": ["M-…"], "roots": ["1f0c…"]}`. Ids only, never what they said.

The id of a thread or a writer is its name; for these it holds the ids of the operations instead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from memcli.errors import MemError
from memcli.records import replace
from memcli.replication.transports import Epoch
from memcli.text import ids, json

MOST_PURGED = 100_000  # ids
EPOCH_BYTES = 1 << 22
_LAST = (1 << 31) - 1  # number of an epoch: who purges behind it keeps it, as what is purged tells epochs apart, too
MOST_ROOTS = 100  # first commits of a history: most have one
_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")
_ID = re.compile(rf"[MSKN]-[{ids.ALPHABET}]{{{ids.LENGTH}}}\Z|[{ids.ALPHABET}]{{26}}\Z")


def epoch_text(epoch: Epoch) -> str:
    """Returns an epoch as text. Raises MemError for one that nobody could read."""
    epoch = purgeable(epoch)
    roots = {"roots": sorted(epoch.roots)} if epoch.roots else {}
    return json.canonical({"n": epoch.number, "purged": sorted(epoch.purged), **roots})


def purgeable(epoch: Epoch) -> Epoch:
    """Returns an epoch as others can read it. Raises MemError where it names too many objects."""
    if len(epoch.purged) > MOST_PURGED:
        raise MemError(
            f"the epoch of this memory would name {len(epoch.purged):,} purged objects",
            f"mem reads {MOST_PURGED:,} at most; mem forget --erase takes it out of this store alone",
            "remote_malformed",
        )
    return replace(epoch, number=min(epoch.number, _LAST))


def epoch_of(data: bytes, path: str) -> Epoch:
    """Returns the epoch in a text. Raises MemError for what is none: a remote that lost it would bring back what was purged."""
    try:
        value = json.loads(data.decode())
        number, purged = value["n"], value["purged"]
        if type(number) is not int or not 0 <= number <= _LAST or not isinstance(purged, list):
            raise ValueError
    except (ValueError, KeyError, TypeError):
        raise MemError(
            f"the remote's epoch cannot be read: {path}", "whoever set it up can look at that file", "remote_malformed"
        ) from None
    epoch = checked(number, purged, len(purged), path)
    return replace(epoch, roots=roots_of(value.get("roots")))


def checked(number: int, purged: Sequence[object], count: int, path: str) -> Epoch:
    """Returns an epoch with the ids of a list that are ids. `count`: how many the remote names. Raises MemError for too many."""
    if count > MOST_PURGED:  # reading some would bring back the others
        raise _too_many(count, path)
    names = [name for name in purged if isinstance(name, str) and _ID.match(name)]
    return Epoch(max(0, min(number, _LAST)), tuple(names))


def _too_many(count: int, path: str) -> MemError:
    message = f"the remote's epoch names {count:,} purged objects: {path}"
    return MemError(message, f"mem reads {MOST_PURGED:,} at most; share into an empty remote instead", "remote_malformed")


def roots_of(value: object) -> tuple[str, ...]:
    """Returns the commits that a value lists, none of what is no such list."""
    names = value[:MOST_ROOTS] if isinstance(value, list) else []
    return tuple([name for name in names if isinstance(name, str) and _HASH.match(name)])


def roots_to_note(own: Sequence[str], histories: Mapping[str, Sequence[str]]) -> list[str]:
    """Returns the first commits to note at a remote: a store's own with those that are there; none where they are there."""
    noted = [name for roots in histories.values() for name in roots]
    return [] if set(own) <= set(noted) else list(dict.fromkeys([*own, *noted]))[:MOST_ROOTS]


def newer(epochs: list[Epoch]) -> Epoch:
    """Returns the newest of several, with the objects that any of them purged, and the first commits that any names."""
    purged = dict.fromkeys([name for epoch in epochs for name in epoch.purged])
    roots = dict.fromkeys([name for epoch in epochs for name in epoch.roots])
    return Epoch(max([epoch.number for epoch in epochs], default=0), tuple(purged), tuple(roots))
