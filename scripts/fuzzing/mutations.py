"""How an input is broken: bytes, characters, lines, and the values of a JSON document."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

_TEXTS = (
    "\0 \r \r\n \n\n \x1b[31m \ufeff \u200b \u202e \U000e0041 \ud800 é 界 \U0001f600 ' \" ` \\ \\n \\u0000 \\ud800 %00 %s {} [] ]]> "
    "--- +++ ``` ~~~ <!-- --> </ <private> </private> <system-reminder> [[ ]] ../ ../../etc/passwd /dev/zero ~ $HOME $(id) ; | & * ? "
    "-1 0 1 1e999 -0.0 NaN Infinity null true 9223372036854775808 99999999999999999999999 0x10 1_000 2026-13-45T99:99:99Z "
    "0001-01-01 9999-12-31T23:59:59.999999999+99:99 OR AND NOT NEAR ( ) ^ file: kind: since:yesterday before: ref: refs/heads/ gitdir: "
    "AKIAIOSFODNN7 password= Authorization: -----BEGIN"
).split(" ")
_WORDS = ["", " ", "\t", "\n", "x", *_TEXTS]
_VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2**31,
        2**53,
        2**63,
        -(2**63),
        10**30,
        1.5,
        -0.0,
        1e300,
        "",
        " ",
        "x",
        [],
        {},
        [None],
        {"": ""},
    ),
    *({"a": [1, {"b": None}]}, "\0", "\ud800", "\u202e", "a" * 5_000, "/" * 3_000, "line\n" * 800, ["x"] * 800),
)


def mutated(chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    """Returns a seed that was changed a few times."""
    data = chance.choice(seeds)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 5, 8))):
        data = chance.choice(_CHANGES)(chance, data, seeds)
    return data


def _place(chance: random.Random, data: bytes) -> int:
    return chance.randrange(len(data) + 1)


def _flipped(chance: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    at = _place(chance, data)
    return data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]


def _without(chance: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    at = _place(chance, data)
    return data[:at] + data[at + chance.choice((1, 2, 8, 100, 10_000)) :]


def _cut(chance: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    return data[: _place(chance, data)]


def _with_word(chance: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    at = _place(chance, data)
    return data[:at] + chance.choice(_WORDS).encode("utf-8", "surrogatepass") + data[at:]


def _repeated(chance: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    start = _place(chance, data)
    piece = data[start : start + chance.choice((1, 2, 7, 40))]
    return data[:start] + piece * chance.choice((2, 30, 1_000)) + data[start:]


def _spliced(chance: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    other = chance.choice(seeds)
    return data[: _place(chance, data)] + other[_place(chance, other) :]


def _lines(chance: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    lines = data.split(b"\n")
    chance.shuffle(lines)
    return b"\n".join(lines)


def _nested(chance: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    opening, closing = chance.choice(((b"[", b"]"), (b'{"a":', b"}"), (b"(", b")"), (b"<private>", b"</private>"), (b"> ", b"")))
    depth = chance.choice((3, 60, 3_000))
    return opening * depth + data + closing * chance.choice((depth, 0))


def _json(chance: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """Returns a JSON document, or one in a line, with another value somewhere; anything else as it is."""
    lines = data.split(b"\n")
    at = chance.randrange(len(lines))
    for start, end in ((0, len(lines)), (at, at + 1)):
        try:
            value = json.loads(b"\n".join(lines[start:end]))
        except (ValueError, RecursionError):
            continue
        changed = json.dumps(_other(chance, value), ensure_ascii=chance.random() < 0.5)
        return b"\n".join([*lines[:start], changed.encode("utf-8", "surrogatepass"), *lines[end:]])
    return data


def _other(chance: random.Random, value: Any) -> Any:
    """Returns a value in which one is another, is gone, or has another name."""
    if not isinstance(value, dict | list) or not value or chance.random() < 0.15:
        return chance.choice(_VALUES)
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = chance.choice(keys)
    copy = value.copy()
    way = chance.random()
    if way < 0.1:
        del copy[key]
    elif way < 0.2 and isinstance(copy, dict):
        copy[chance.choice(_WORDS)] = copy.pop(key)
    else:
        copy[key] = _other(chance, value[key])
    return copy


_CHANGES: tuple[Callable[[random.Random, bytes, Sequence[bytes]], bytes], ...] = (
    *(_flipped, _without, _cut, _with_word, _with_word, _repeated, _spliced, _lines, _nested),
    *(_json, _json, _json, _json),
)
