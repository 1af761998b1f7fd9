"""Short typed names: a letter, a dash, and random Crockford base32."""

from __future__ import annotations

import os

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's: no I, L, O, U
PLACE = "#"  # in the name of a passage, between that of its prompt or memory and its place there
MASK = "[secret: "  # begins what stands for a secret (screening/); git allows none of its signs in a name
LENGTH = 10  # 50 random bits: one chance in a million of one repeated name among 47,000


def encode(number: int, length: int) -> str:
    """Writes `number` in base 32 with exactly `length` characters."""
    return "".join([ALPHABET[(number >> 5 * digit) & 31] for digit in range(length - 1, -1, -1)])


def number(name: str) -> int:
    """Returns an id as a whole number below 2**50: the same everywhere, and exact in a double. The kind is not in it."""
    value = 0
    for char in name.partition("-")[2]:
        value = value << 5 | ALPHABET.index(char)
    return value


def numbered(kind: str, value: int) -> str | None:
    """Returns the id of a kind that has a number, None where no id can have it."""
    return f"{kind}-{encode(value, LENGTH)}" if 0 <= value < 1 << 5 * LENGTH else None


def new(kind: str) -> str:
    """Returns a fresh id of a kind: `M` a memory, `S` a state, `C` a chunk."""
    return f"{kind}-{encode(int.from_bytes(os.urandom(8), 'big'), LENGTH)}"


def stamp(ms: int) -> str:
    """Returns a ULID: 48 bits of time and 80 random ones, so that operations sort by age."""
    return encode(ms, 10) + encode(int.from_bytes(os.urandom(10), "big"), 16)


def stamp_of(ms: int, text: str) -> str:
    """Returns a ULID that follows from its time and a text."""
    from hashlib import sha256  # seldom needed

    return encode(ms, 10) + encode(int.from_bytes(sha256(text.encode()).digest()[:10], "big"), 16)


def anchor_commit(anchor: str | None) -> str | None:
    """Returns the commit that an anchor names; of one that waits for the next commit of a branch, the one before."""
    return anchor.partition(" ")[0] if anchor else anchor


def anchor_branch(anchor: str | None) -> str:
    """Returns the branch whose next commit an anchor waits for, "" for an anchor that is a commit (repo/next_commit.py)."""
    return (anchor or "").partition(" ")[2].partition(" ")[2]


def writer_of(actor: str) -> str:
    """Returns the id of the other store whose actor it is (replication/wire.py), "" for one of this store."""
    return actor.partition("@")[2]


def canonical(typed: str) -> str:
    """Returns an id as a person typed it in its stored spelling: upper case, O as 0, I and L as 1; of a passage, its owner's."""
    kind, dash, tail = typed.strip().upper().partition(PLACE)[0].partition("-")
    spelled = (tail if dash else kind).replace("O", "0").replace("I", "1").replace("L", "1")
    return f"{kind}-{spelled}" if dash else spelled


def of_text(kind: str, text: str, number: int = 0) -> str:
    """Returns the id that follows from a text: the same text has the same one everywhere. `number` tells copies of it apart."""
    from _sha1 import sha1  # type: ignore[import-not-found]  # hashlib costs 3 ms to import

    digest = sha1(f"{number} {text}".encode("utf-8", "surrogatepass")).digest()
    return f"{kind}-{encode(int.from_bytes(digest[:8], 'big'), LENGTH)}"
