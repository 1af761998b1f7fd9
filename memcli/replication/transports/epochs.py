"""An epoch as a remote keeps it: `{"n": 2, "purged": ["M-…"]}`. Ids only, never what they said.

The id of a thread or a writer is its name; for these it holds the ids of the operations instead.
"""

from __future__ import annotations

import re

from memcli.errors import MemError
from memcli.replication.transports import Epoch
from memcli.text import ids, json

_LIMIT = 100_000  # ids
_ID = re.compile(rf"[MSKN]-[{ids.ALPHABET}]{{{ids.LENGTH}}}\Z|[{ids.ALPHABET}]{{26}}\Z")


def epoch_text(epoch: Epoch) -> str:
    """Returns an epoch as text."""
    return json.canonical({"n": epoch.number, "purged": sorted(epoch.purged)})


def epoch_of(data: bytes, path: str) -> Epoch:
    """Returns the epoch in a text. Raises MemError for what is none: a remote that lost it would bring back what was purged."""
    try:
        value = json.loads(data.decode())
        number, purged = value["n"], value["purged"]
        if type(number) is not int or not 0 <= number < 1 << 31 or not isinstance(purged, list):
            raise ValueError
    except (ValueError, KeyError, TypeError):
        raise MemError(
            f"the remote's epoch cannot be read: {path}", "whoever set it up can look at that file", "remote_malformed"
        ) from None
    if len(purged) > _LIMIT:  # reading some would bring back the others
        message = f"the remote's epoch names {len(purged):,} purged objects: {path}"
        raise MemError(message, f"mem reads {_LIMIT:,} at most; share into an empty remote instead", "remote_malformed")
    names = [name for name in purged if isinstance(name, str) and _ID.match(name)]
    return Epoch(number, tuple(names))


def newer(epochs: list[Epoch]) -> Epoch:
    """Returns the newest of several, with the objects that any of them purged."""
    purged = dict.fromkeys([name for epoch in epochs for name in epoch.purged])
    return Epoch(max([epoch.number for epoch in epochs], default=0), tuple(purged))
