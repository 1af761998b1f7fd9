"""Token counts as cl100k_base makes them, and cutting text to a number of tokens.

The pattern, from tiktoken's `tiktoken_ext/openai_public.py`, splits text into pieces that are encoded independently:

    '(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}++|\\p{N}{1,3}+| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*+
    |\\s++$|\\s*[\\r\\n]|\\s+(?!\\S)|\\s

A piece that is in the vocabulary is one token; any other is merged byte by byte, lowest rank first. tiktoken reads \\p{L}
and \\p{N} by Unicode 16. Counts are exact under an interpreter whose Unicode is that or older; under a newer one the
code points assigned since are split by its own tables.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Rank = Callable[[bytes], int | None]
    """The merge rank of a byte string; None if it is no token."""

LONGEST = 128
"""Bytes in the longest token of cl100k_base: a run of spaces."""

ELLIPSIS = "…"
"""Stands for what was cut; one token by itself."""

_LETTER, _NUMBER, _SPACE, _OTHER, _END = range(5)

# Letters and numbers of Unicode 16 that the tables of CPython 3.11 (Unicode 14) lack; first and last of each range.
# fmt: off
_LATE_LETTERS = (
    (0x1C89, 0x1C8A), (0xA7CB, 0xA7CD), (0xA7DA, 0xA7DC), (0x105C0, 0x105F3), (0x10D4A, 0x10D65), (0x10D6F, 0x10D85),
    (0x10EC2, 0x10EC4), (0x1123F, 0x11240), (0x11380, 0x11389), (0x1138B, 0x1138B), (0x1138E, 0x1138E),
    (0x11390, 0x113B5), (0x113B7, 0x113B7), (0x113D1, 0x113D1), (0x113D3, 0x113D3), (0x11BC0, 0x11BE0),
    (0x11F02, 0x11F02), (0x11F04, 0x11F10), (0x11F12, 0x11F33), (0x1342F, 0x1342F), (0x13441, 0x13446),
    (0x13460, 0x143FA), (0x16100, 0x1611D), (0x16D40, 0x16D6C), (0x18CFF, 0x18CFF), (0x1B132, 0x1B132),
    (0x1B155, 0x1B155), (0x1DF25, 0x1DF2A), (0x1E030, 0x1E06D), (0x1E4D0, 0x1E4EB), (0x1E5D0, 0x1E5ED),
    (0x1E5F0, 0x1E5F0), (0x2B739, 0x2B739), (0x2EBF0, 0x2EE5D), (0x31350, 0x323AF),
)
_LATE_NUMBERS = (
    (0x10D40, 0x10D49), (0x116D0, 0x116E3), (0x11BF0, 0x11BF9), (0x11F50, 0x11F59), (0x16130, 0x16139),
    (0x16D70, 0x16D79), (0x1CCF0, 0x1CCF9), (0x1D2C0, 0x1D2D3), (0x1E4F0, 0x1E4F9), (0x1E5F1, 0x1E5FA),
)
# fmt: on
_EARLY = 0x1C88  # below this every table knows every letter and number


class _Kinds(dict[str, int]):
    """The class of each character as the pattern sees it, filled as characters are met; "" is the end of the text."""

    def __missing__(self, char: str) -> int:
        point = ord(char)
        if char.isalpha() or (point > _EARLY and any(first <= point <= last for first, last in _LATE_LETTERS)):
            kind = _LETTER
        elif char.isnumeric() or (point > _EARLY and any(first <= point <= last for first, last in _LATE_NUMBERS)):
            kind = _NUMBER
        elif char.isspace() and char not in "\x1c\x1d\x1e\x1f":  # str counts these separators, \s does not
            kind = _SPACE
        else:
            kind = _OTHER
        self[char] = kind
        return kind


_kinds = _Kinds({"": _END})


def kind(char: str) -> int:
    """Returns the class of a character as the pattern sees it: 0 a letter, 1 a number, 2 white space, 3 any other."""
    return _kinds[char]


def pieces(text: str) -> Iterator[str]:
    """Yields the pieces of a text, which joined are the text."""
    start, size = 0, len(text)
    while start < size:
        end = _piece_end(text, start, size)
        yield text[start:end]
        start = end


def _piece_end(text: str, start: int, size: int) -> int:
    """Returns where the piece that begins at `start` ends. The order of the tests is that of the pattern."""
    kinds = _kinds
    char, following = text[start], text[start + 1 : start + 2]
    kind, end = kinds[char], start + 1
    if char == "'" and (length := _contraction(text, start)):
        return start + length
    if kind == _LETTER or (kinds[following] == _LETTER and kind != _NUMBER and char not in "\r\n"):
        while end < size and kinds[text[end]] == _LETTER:
            end += 1
    elif kind == _NUMBER:
        while end < size and end < start + 3 and kinds[text[end]] == _NUMBER:
            end += 1
    elif kind == _OTHER or (char == " " and kinds[following] == _OTHER):
        while end < size and kinds[text[end]] == _OTHER:
            end += 1
        while end < size and text[end] in "\r\n":
            end += 1
    else:
        end = _space_end(text, start, size)
    return end


def _contraction(text: str, start: int) -> int:
    """Returns the length of 's, 'd, 'm, 't, 'll, 've or 're at `start` in any case, or 0. The long s is an s, too."""
    if text[start + 1 : start + 2] in tuple("sSſdDmMtT"):
        return 2
    return 3 if text[start + 1 : start + 3].lower() in ("ll", "ve", "re") else 0


def _space_end(text: str, start: int, size: int) -> int:
    """Returns where a piece of white space ends: all at the end of the text, else after the last line break,
    else before the last space, which goes with what follows."""
    end = start + 1
    while end < size and _kinds[text[end]] == _SPACE:
        end += 1
    if end == size:
        return end
    line_end = max(text.rfind("\n", start, end), text.rfind("\r", start, end)) + 1
    return line_end or max(end - 1, start + 1)


_SHORT = 32  # characters of a stretch whose count is remembered
_REMEMBERED = 20_000
_USUAL = 8  # characters of a token, at least, in a text that is cut


class _Counts(dict[str, int]):
    """The tokens of stretches, counted when they are met first; a process has one vocabulary."""

    rank: Rank

    def __missing__(self, stretch: str) -> int:
        tokens = sum([_pieces.get(piece) or self._of_piece(piece) for piece in pieces(stretch)])
        if len(stretch) <= _SHORT:
            if len(self) >= _REMEMBERED:
                self.clear()
            self[stretch] = tokens
        return tokens

    def _of_piece(self, piece: str) -> int:
        """Counts the tokens of a piece; the letters of an id stand in several stretches."""
        if len(_pieces) >= _REMEMBERED:
            _pieces.clear()
        tokens = count_piece(piece, self.rank)
        if len(piece) <= _SHORT:
            _pieces[piece] = tokens
        return tokens


_counts = _Counts()
_pieces: dict[str, int] = {}


def count(text: str, rank: Rank) -> int:
    """Returns the number of tokens of a text, read as ordinary text: tiktoken's `encode_ordinary`."""
    _counts.rank = rank
    return sum(map(_counts.__getitem__, _stretches(text)))


def count_between(text: str, frames: Sequence[tuple[str, str]], rank: Rank) -> list[int]:
    """Returns the tokens of a text between each of some pairs of texts. The inner words of a line are counted once for all."""
    first, _, behind_first = text.partition(" ")
    inner, _, last = behind_first.rpartition(" ")
    if not (first and inner and last) or "  " in text or not text.isprintable():
        return [count(f"{before}{text}{behind}", rank) for before, behind in frames]
    within = count(f" {inner}", rank)  # no piece goes on after a single space
    ends = [f" {last}{behind}" for _, behind in frames]
    return [
        _counts[before + first] + within + (count(end, rank) if " " in behind else _counts[end])
        for (before, behind), end in zip(frames, ends)
    ]


def count_all(texts: Iterable[str], rank: Rank, learn: Callable[[list[str]], None]) -> int:
    """Returns the number of tokens of texts that add up. `learn`: what looks the ranks of many stretches up at once."""
    _counts.rank = rank
    stretches = [stretch for text in texts for stretch in _stretches(text)]
    learn([stretch for stretch in stretches if stretch not in _counts])
    return sum(map(_counts.__getitem__, stretches))


def _stretches(text: str) -> list[str]:
    """Returns a text in stretches that no piece crosses, most of them words: a piece may begin with a single space, none
    goes on after one."""
    stretches: list[str] = []
    incomplete = ""  # what goes on in the next line: none breaks at a line's end, nor at the spaces around it
    for line in text.split("\n"):
        core = line.strip(" ")
        if "  " in core or not core.isprintable():
            return _slow_stretches(text)
        if core:
            before, _, behind = line.partition(core)
            first, *others = core.replace(" ", "\n ").split("\n")
            *whole, last = incomplete + before + first, *others
            stretches += whole
            incomplete = f"{last}{behind}\n"
        else:
            incomplete += f"{line}\n"
    return [*stretches, incomplete[:-1]]


def _slow_stretches(text: str) -> list[str]:
    """Returns the same of any text, word by word."""
    words = text.split(" ")
    stretches, stretch = [], words[:1]
    for before, word in zip(words, words[1:]):
        if before and word and not (before[-1].isspace() or word[0].isspace()):
            stretches.append(" ".join(stretch))
            stretch = ["", word]
        else:
            stretch.append(word)
    return [*stretches, " ".join(stretch)]


def count_piece(piece: str, rank: Rank) -> int:
    """Returns the number of tokens of one piece."""
    try:
        data = piece.encode()
    except UnicodeEncodeError:  # a lone surrogate counts as U+FFFD, as in tiktoken
        data = piece.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
    if len(data) <= LONGEST and rank(data) is not None:
        return 1
    return _merge(data, rank) if len(data) < 400 else _merge_long(data, rank)


_NEVER = 1 << 24
"""The rank of a pair that is no token: above every rank."""


def _merge(data: bytes, rank: Rank) -> int:
    """Returns how many parts are left when the lowest ranking neighbours are merged until none can be.

    Looks at every pair before every merge: the fastest way for short data, too slow for long.
    """
    bounds = [*range(len(data) + 1)]
    ranks = [_NEVER if (pair_rank := rank(data[at : at + 2])) is None else pair_rank for at in range(len(data) - 1)]
    while ranks and (lowest := min(ranks)) != _NEVER:
        at = ranks.index(lowest)
        del ranks[at], bounds[at + 1]
        if at:
            ranks[at - 1] = _NEVER if (pair_rank := rank(data[bounds[at - 1] : bounds[at + 1]])) is None else pair_rank
        if at < len(ranks):
            ranks[at] = _NEVER if (pair_rank := rank(data[bounds[at] : bounds[at + 2]])) is None else pair_rank
    return len(bounds) - 1


def _merge_long(data: bytes, rank: Rank) -> int:
    """Returns the same as `_merge`, in O(n log n): a heap of pairs over a linked list of parts.

    A part is known by its first byte. An entry of the heap is rank * size + part, and stale if the rank has changed.
    """
    from _heapq import heapify, heappop, heappush  # costs 0.2 ms, and few texts have a piece this long

    size = count = len(data)
    after = [*range(1, size + 1), size]  # what begins at `size` is the end, which follows itself
    before = [*range(-1, size)]
    ranks = [_pair(data[at : at + 2], rank) for at in range(size - 1)] + [_NEVER]
    heap = [pair_rank * size + at for at, pair_rank in enumerate(ranks) if pair_rank != _NEVER]
    heapify(heap)
    while heap:
        lowest, at = divmod(heappop(heap), size)
        if ranks[at] != lowest:
            continue
        count -= 1
        gone = after[at]
        after[at] = after[gone]
        before[after[gone]] = at
        ranks[gone] = _NEVER
        for previous in (before[at], at):
            if previous < 0:
                continue
            right = after[previous]
            ranks[previous] = _pair(data[previous : after[right]], rank) if right < size else _NEVER
            if ranks[previous] != _NEVER:
                heappush(heap, ranks[previous] * size + previous)
    return count


def _pair(data: bytes, rank: Rank) -> int:
    """Returns the rank of two neighbours, or _NEVER if they cannot be merged."""
    pair_rank = rank(data) if len(data) <= LONGEST else None
    return _NEVER if pair_rank is None else pair_rank


def fit(text: str, cap: int, rank: Rank) -> tuple[str, int]:
    """Returns a text as it is shown within `cap` tokens, and its number of tokens.

    A text that fits is returned unchanged. Of any other the beginning is kept, with "…" for the rest, which counts.
    The cut is the last end of a sentence or line, else the last end of a word, if that keeps at least half of what
    fits, else any place. A cap below 1 leaves nothing.
    """
    if cap < 1:
        return "", 0
    if len(text) <= cap * _USUAL and (tokens := count(text, rank)) <= cap:
        return text, tokens
    head = text[: cap * LONGEST + 1]  # at least cap + 1 tokens, if that long
    bounds, tokens = [0], 0
    for piece in pieces(head):
        too_long = len(piece) > (cap - tokens) * LONGEST  # whatever it is; spares counting it
        tokens = cap + 1 if too_long else tokens + count(piece, rank)
        bounds.append(bounds[-1] + len(piece))
        if tokens > cap:
            cut = _cut(head, bounds, lambda at: count(head[:at] + ELLIPSIS, rank) <= cap)
            prefix = head[:cut] + ELLIPSIS
            return prefix, count(prefix, rank)
    return text, tokens


def _cut(text: str, bounds: list[int], fits: Callable[[int], bool]) -> int:
    """Returns where to cut a text that is too long, given the bounds of its pieces up to the first that is too much."""
    above = bounds.pop()
    while not fits(bounds[-1]) and bounds[-1]:
        above = bounds.pop()
    most, step = bounds[-1], 1
    while most + step < above and fits(most + step):
        most, step = most + step, step * 2
    while step := step // 2:
        if most + step < above and fits(most + step):
            most += step
    for is_end in (_ends_sentence, _ends_word):
        for at in range(most, max(most - 1, 0) // 2, -1):
            if is_end(text, at) and fits(at):
                return at
    return most


def _ends_sentence(text: str, at: int) -> bool:
    """Tells whether a sentence or a line ends before `at`."""
    last, following = text[at - 1], text[at]
    return last in "。！？；" or (last in ".!?;" and following.isspace()) or (following in "\r\n" and not last.isspace())


def _ends_word(text: str, at: int) -> bool:
    """Tells whether a word ends before `at`."""
    return text[at].isspace() and not text[at - 1].isspace()
