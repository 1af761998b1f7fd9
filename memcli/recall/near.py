"""English words: which are near in meaning, and how common each is.

Near words are the alternatives that a text may use for a question's `login`. The table is made by scripts/distill_vectors.py.

`near.txt` is sorted text, a line a word: `login password:60 authentication:56 …`, each near word with its cosine in
hundredths; common words of English to which none is near stand there, too: they are known, and never doubted. Its first line
names the first word that begins in each block of BLOCK bytes after it, so a word costs one read.

`anything` says less of a subject than `pager`, though both may be as rare in a store of a few hundred texts. The pieces of BERT's
vocabulary (memcli/models) stand in the order of their frequency, most frequent first.
"""

from __future__ import annotations

import os

from memcli.text.analysis import has_inner_capital, parts, runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Read = Callable[[int], bytes]

PATH = os.path.join(os.path.dirname(__file__), "near.txt")
BLOCK = 8192  # bytes; the first line fits into one
LINE = 1024  # bytes, at most: how far a block's last line may reach into the next
MOST_BYTES = 4_000_000  # of the table

VOCABULARY = os.path.join(os.path.dirname(os.path.dirname(__file__)), "models", "wordpieces.txt")
START, LENGTH = 15_456, 20_289  # bytes of it: the pieces from `the` on that count, a line break before each
COMMON = 3_000  # pieces that are common
COMMON_POWER = 0.3  # 0: every word tells as much as its rarity in the store says
_ENDS = (".", "?", "!", ":")  # of sentences
_AROUND = "`'\"?!,;:()."

# (ending, what stands there in another form of the word, what must stand before the ending)
_ENDINGS = (
    ("ies", "y", ""),
    ("ied", "y", ""),
    ("es", "", "s x z ch sh o"),
    ("s", "", ""),
    ("ing", "", ""),
    ("ing", "e", ""),
    ("ed", "", ""),
    ("ed", "e", ""),
    ("", "s", ""),
    ("", "d", "e"),
    ("", "ed", ""),
    ("", "ing", ""),
    ("ly", "", ""),
)
_SHORTEST = 3  # letters that must be left


def near(words: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
    """Returns the near words of each known word, with their cosines (0 to 1), best first; some known words have none.

    Words are looked up as they are, in lower case, and if the table has none, in another form (`evictions`: `eviction`).
    None of the near words shares its stem with the word in the table. Without a sound table there are no near words.
    """
    near_words = {}
    try:
        with open(PATH, "rb", 0) as file:  # seek and read: pread is not everywhere
            first = file.read(BLOCK).partition(b"\n")[0]
            firsts = first.decode("ascii").split(" ")

            def read(number: int) -> bytes:
                file.seek(len(first) + number * BLOCK)
                return file.read(BLOCK + LINE)

            for word in words:
                if word.isalpha() and word.isascii() and (line := _line(word.lower(), firsts, read)) is not None:
                    near_words[word] = _pairs(line) if line else []
    except (OSError, ValueError):
        return {}
    return near_words


def beginning_with(letter: str) -> list[str]:
    """Returns the known words that begin with a letter, in lower case; none without a sound table."""
    try:
        with open(PATH, "rb", 0) as file:
            first = file.read(BLOCK).partition(b"\n")[0]
            firsts = first.decode("ascii").split(" ")
            start, end = _block(letter, firsts), _block(chr(ord(letter) + 1), firsts)
            file.seek(len(first) + start * BLOCK)
            lines = file.read((end - start + 1) * BLOCK + LINE).decode("ascii").split("\n")
    except (OSError, ValueError):
        return []
    return [line.partition(" ")[0] for line in lines[1:] if line.startswith(letter)]


def _line(word: str, firsts: list[str], read: Read) -> str | None:
    """Returns the table's line for a word or else for another form of it; None if it has neither."""
    current, block = -1, b""
    for form in _forms(word):
        number = _block(form, firsts)
        if number != current:
            current, block = number, read(number)
        start = block.find(b"\n" + form.encode() + b" ")
        if start >= 0:
            return block[start + len(form) + 2 : block.find(b"\n", start + 1)].decode("ascii")
    return None


def _block(word: str, firsts: list[str]) -> int:
    """Returns the last block that begins with the word or an earlier one. This is `bisect`, without importing it."""
    low, high = 1, len(firsts)  # the first entry is the sign of the first line
    while low < high:
        middle = (low + high) // 2
        if firsts[middle] <= word:
            low = middle + 1
        else:
            high = middle
    return max(low - 2, 0)


def _forms(word: str) -> Iterator[str]:
    yield word
    for ending, other, before in _ENDINGS:
        stem = word[: len(word) - len(ending)]
        if ending == "s" and word.endswith("ss"):
            continue  # no plural
        if word.endswith(ending) and len(stem) >= _SHORTEST and (not before or stem.endswith(tuple(before.split(" ")))):
            yield stem + other
            if len(ending) > 1 and not other and stem[-1] == stem[-2]:
                yield stem[:-1]  # planned: plan


def _pairs(line: str) -> list[tuple[str, float]]:
    """Returns the near words in a line of the table, with their cosines. Raises ValueError for anything else."""
    pairs = []
    for pair in line.split(" "):
        word, _, score = pair.partition(":")
        cosine = int(score) / 100
        if not (word.isalpha() and 0 < cosine <= 1):
            raise ValueError(pair)
        pairs.append((word, cosine))
    return pairs


def weights(words: Iterable[str], text: str) -> dict[str, float]:
    """Returns the share of its weight that each common word of a question keeps, 0 to 1; names keep all."""
    try:
        with open(VOCABULARY, "rb", 0) as file:
            file.seek(START)
            pieces = file.read(LENGTH)
    except OSError:
        return {}
    names = _names(text)
    offsets = {word: pieces.find(b"\n%s\n" % word.encode()) for word in words if word not in names}
    return {word: ((pieces.count(b"\n", 0, at) + 1) / COMMON) ** COMMON_POWER for word, at in offsets.items() if at >= 0}


def _names(text: str) -> set[str]:
    """Returns, in lower case, the words of names in code and those that are capitalized inside a sentence."""
    pieces = text.split()
    inside = [piece.strip(_AROUND) for before, piece in zip(pieces, pieces[1:]) if not before.endswith(_ENDS)]
    names = {word.removesuffix("'s").lower() for word in inside if word[:1].isupper()}
    in_code = [run for run in runs(text) if "_" in run or has_inner_capital(run)]
    return names.union([word.lower() for run in in_code for word in parts(run)])
