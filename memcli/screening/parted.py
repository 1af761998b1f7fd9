"""Secrets in two pieces: by the end of a line, colours, characters without a width, or as strings that a program joins.

Where the pieces meet, what is between them is left out and the text around is looked at once more. Only what reaches over such a
place counts: the rest was seen before.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate

Span = tuple[int, int, str]  # first byte, byte behind the last one, rule

_AROUND = 256  # bytes on either side of a place that are looked at
_QUOTES = (b'"', b"'", b"`")
_JOINING = frozenset(
    (b"", b"+", b".", b"&", b"..", b"||", b"~", b"<>", b"\\", b"+\\", b"++")
)  # between two strings, without spaces
_LONGEST_JOINT = 40
_IN_TOKENS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.:/+="


def colours(raw: bytes, beginning: bytes) -> list[tuple[int, int]]:
    """Returns where sequences that colour a terminal stand."""
    gaps = []
    at = raw.find(beginning)
    while at >= 0:
        end = at + len(beginning)
        tail = raw[end : end + 24]
        behind = tail.lstrip(b"0123456789;")
        gaps.append((at, end + len(tail) - len(behind) + behind[:1].isalpha()))
        at = raw.find(beginning, end)
    return gaps


def hidden(raw: bytes, signs: Sequence[bytes]) -> list[tuple[int, int]]:
    """Returns where characters without a width stand."""
    gaps = []
    for sign in signs:
        at = raw.find(sign)
        while at >= 0:
            gaps.append((at, at + len(sign)))
            at = raw.find(sign, at + len(sign))
    return gaps


def joints(raw: bytes) -> list[tuple[int, int]]:
    """Returns the places between two strings that a program joins, their quotes included: `"ab" + "cd"`."""
    gaps = []
    for quote in _QUOTES:
        at = raw.find(quote)
        while at >= 0:
            end = raw.find(quote, at + 1)
            if 1 < end - at <= _LONGEST_JOINT and b"".join(raw[at + 1 : end].split()) in _JOINING:
                gaps.append((at, end + 1))
            at = end
    return gaps


def find_parted(raw: bytes, gaps: list[tuple[int, int]], find: Callable[[bytes], list[Span]]) -> list[Span]:
    """Returns the secrets that reach over one of these places, by what `find` makes of the text without what stands there."""
    spans: list[Span] = []
    for group in _groups(_within_words(raw, _merged(gaps))):
        pieces = _pieces(raw, group)
        text = b"".join([raw[start:end] for start, end in pieces])
        begins = list(accumulate([end - start for start, end in pieces], initial=0))
        for start, end, rule in find(text):
            first, last = _position(pieces, begins, start), _position(pieces, begins, end - 1) + 1
            if last - first > end - start:
                spans.append((first, last, rule))
    return spans


def _merged(gaps: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(gaps):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _within_words(raw: bytes, gaps: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Returns the places on both sides of which a word goes on."""
    return [
        (start, end)
        for start, end in gaps
        if start and raw[start - 1] in _IN_TOKENS and raw[end : end + 1] in _IN_TOKENS and end < len(raw)
    ]


def _groups(gaps: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Returns places that are near each other together."""
    groups: list[list[tuple[int, int]]] = []
    for gap in gaps:
        if groups and gap[0] - groups[-1][-1][1] < _AROUND:
            groups[-1].append(gap)
        else:
            groups.append([gap])
    return groups


def _pieces(raw: bytes, group: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Returns the text around a group of places without them, as (first byte, byte behind the last)."""
    start, end = max(0, group[0][0] - _AROUND), min(len(raw), group[-1][1] + _AROUND)
    if start:  # not in the middle of a word, which would look like the beginning of one
        start += len(raw[start : group[0][0]].split(None, 1)[0]) if raw[start : group[0][0]].split() else 0
    edges = [start, *[edge for gap in group for edge in gap], end]
    return list(zip(edges[::2], edges[1::2]))


def _position(pieces: list[tuple[int, int]], begins: list[int], at: int) -> int:
    """Returns where the byte `at` of joined pieces stands in the text. `begins`: where each piece begins when they are joined."""
    number = min(bisect_right(begins, at), len(pieces)) - 1
    return pieces[number][0] + at - begins[number]
