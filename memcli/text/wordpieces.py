"""From text to word pieces: words, and of a word that no table knows the longest known beginning, again and again.

The pieces are those of BERT's uncased vocabulary (Wu et al., Google's Neural Machine Translation System, 2016, section 4.1);
identifiers are split first, as the text index splits them.
"""

from __future__ import annotations

from memcli.text.analysis import parts, runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

INNER = "##"  # before a piece that does not begin a word
_LONGEST = 32  # characters of a word that are looked at


def words(text: str, most: int) -> list[str]:
    """Returns the first words of a text, in lower case, the parts of identifiers one by one."""
    found: list[str] = []
    for run in runs(text):
        found += [part.lower()[:_LONGEST] for part in parts(run)]
        if len(found) >= most:
            break
    return found[:most]


def candidates(word: str) -> list[str]:
    """Returns every piece that a word could be made of."""
    size = len(word)
    beginnings = [word[:end] for end in range(1, size + 1)]
    return beginnings + [INNER + word[start:end] for start in range(1, size) for end in range(start + 1, size + 1)]


def split(word: str, known: Container[str]) -> list[str]:
    """Returns the pieces of a word; a letter that begins none of the known ones is passed over."""
    pieces, start = [], 0
    while start < len(word):
        prefix = INNER if start else ""
        end = len(word)
        while end > start and prefix + word[start:end] not in known:
            end -= 1
        if end > start:
            pieces.append(prefix + word[start:end])
        start = max(end, start + 1)
    return pieces
