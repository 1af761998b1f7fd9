"""From text to search terms, the same way for what is stored and for what is asked.

SQLite's tokenizer (`porter unicode61`) splits at everything that is not a letter or a digit, folds case and stems. These
functions add what it misses: the parts of `camelCase`, the whole of `snake_case` and `kebab-case`, pairs of CJK characters.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_TERMS = 64  # of a question; what is longer is a pasted text, whose first words say what it is about
MAX_TERM = 64  # characters of one term
MAX_SWITCHES = 3  # between letters and digits in an identifier: sha256sum has two, x86_64 one a piece
MAX_QUERY = 100_000  # characters of a question that are looked at

# Function words of English, the words of a question, and the polite rest. Dropped from questions only, never from the index.
STOP_WORDS = frozenset(
    """a about after again all also am an and any are aren as at be been before being between both but by can cannot could
    couldn did didn do does doesn doing don down during each else ever few for from further get give had hadn has hasn have
    haven having he hence her here hers him his how i if in into is isn it its itself just let like ll me more most my myself
    no nor not now of off on once only or other our ours out over own per please re s same shall she should shouldn so some
    such t tell than that the their theirs them then there these they this those through to too under until up us ve very was
    wasn we were weren what when where whether which while who whom whose why will with won would wouldn you your yours""".split()
)

_NEGATIONS = frozenset("no not never without don't doesn't didn't cannot can't won't isn't aren't mustn't shouldn't".split())
_ALIKE = 0.8  # of the words that say something of the shorter of two sentences, from which on they say the same
_MARKS = ".,;:!?()[]{}'\"`*"

_ASCII_GAPS = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) in "_-")}
_WITHOUT_GAPS = dict.fromkeys(_ASCII_GAPS)

MAY = "may"  # dropped from questions, too: a verb more often than a month; recall/calendar.py knows the month


def runs(text: str) -> Iterable[str]:
    """Returns the runs of letters, digits, `_` and `-` in `text`, in order, without leading or trailing `_` and `-`."""
    if text.isascii():
        return [run.strip("_-") for run in text.translate(_ASCII_GAPS).split()]
    return _runs(text)


def _runs(text: str) -> Iterator[str]:
    start = -1
    for index, char in enumerate(text):
        if char.isalnum() or char in "_-" or (ord(char) >= 0x300 and not char.isspace() and _is_mark(char)):
            if start < 0:
                start = index
        elif start >= 0:
            yield text[start:index].strip("_-")
            start = -1
    if start >= 0:
        yield text[start:].strip("_-")


def _is_mark(char: str) -> bool:
    """Combining marks belong to the letter before them (unicode61 folds them away)."""
    return "\u0300" <= char <= "\u036f" or "\u3099" <= char <= "\u309a"


def is_cjk(char: str) -> bool:
    """True for a character of a script that is written without spaces between words."""
    return (
        "\u3040" <= char <= "\u30ff"
        or "\u3400" <= char <= "\u4dbf"
        or "\u4e00" <= char <= "\u9fff"
        or "\uac00" <= char <= "\ud7af"
        or "\uf900" <= char <= "\ufaff"
        or "\U00020000" <= char <= "\U0003134f"
    )


def has_inner_capital(word: str) -> bool:
    """Tells whether a capital follows a small letter in a word, as in names of code: retryQueue."""
    return any(before.islower() and after.isupper() for before, after in zip(word, word[1:]))


def parts(run: str) -> list[str]:
    """Splits an identifier at `_`, `-`, camelCase and between letters and digits: `HTTPServer2` -> HTTP, Server, 2.

    A piece in which letters and digits change more often than MAX_SWITCHES is a hash or a key, whose parts mean nothing.
    """
    words = []
    for piece in run.replace("-", "_").split("_"):
        if piece.isalpha() and piece.islower():
            words.append(piece)
            continue
        switches = [index for index in range(1, len(piece)) if piece[index - 1].isdigit() != piece[index].isdigit()]
        if len(switches) > MAX_SWITCHES:
            words.append(piece)
            continue
        start = 0
        for index in range(1, len(piece)):
            before, char, after = piece[index - 1], piece[index], piece[index + 1 : index + 2]
            hump = char.isupper() and (before.islower() or (before.isupper() and after.islower()))
            if hump or index in switches:
                words.append(piece[start:index])
                start = index
        if piece:
            words.append(piece[start:])
    return words


def bigrams(run: str) -> list[str]:
    """Returns the pairs of neighbouring CJK characters in `run`, or the character itself where it stands alone."""
    pairs = []
    start = -1
    for index in range(len(run) + 1):
        if index < len(run) and is_cjk(run[index]):
            start = index if start < 0 else start
        elif start >= 0:
            block = run[start:index]
            pairs += [block[i : i + 2] for i in range(len(block) - 1)] or [block]
            start = -1
    return pairs


def extra_words(*texts: str) -> str:
    """Returns the terms that the index must hold beside the raw texts, joined by spaces, each once."""
    words: dict[str, None] = {}
    for text in texts:
        if text.islower() and text.isascii() and text.translate(_WITHOUT_GAPS).isalpha():
            continue  # nothing but plain words
        for run in runs(text):
            if run.isascii() and run.islower() and run.isalpha():
                continue  # a plain word: the tokenizer sees all there is
            words.update(dict.fromkeys(extra(run)))
    return " ".join(words)


def extra(run: str) -> list[str]:
    """Returns the terms that the index must hold beside one run: what was joined, its parts, pairs of CJK characters."""
    pieces = [piece.lower() for piece in parts(run)]
    words = []
    if len(pieces) > 1:
        whole = "".join(pieces)
        words = [whole, *pieces] if len(whole) <= MAX_TERM else pieces
    if not run.isascii():
        words += bigrams(run)
    return [word for word in words if len(word) <= MAX_TERM]


def terms(question: str) -> list[str]:
    """Returns the terms to look for, lower case, each once, in order; stop words only when there is nothing else."""
    candidates: dict[str, None] = {}
    for run in runs(question[:MAX_QUERY]):
        if run and not run.isascii() and any(map(is_cjk, run)):
            candidates.update(dict.fromkeys(bigrams(run)))
            run = "".join([" " if is_cjk(char) else char for char in run])
        for word in run.split():
            if len(word) == 10 and word[4] == word[7] == "-" and word.replace("-", "").isdigit():
                candidates[word.replace("-", "")] = None  # a date: its day alone would match any 14
                continue
            plain = word.lower().replace("-", " ").replace("_", " ").split()
            candidates.update(dict.fromkeys([*plain, *extra(word)]))
        if len(candidates) > 4 * MAX_TERMS:
            break
    short = [term for term in candidates if len(term) <= MAX_TERM]
    return ([term for term in short if term not in STOP_WORDS and term != MAY] or short)[:MAX_TERMS]


def is_alike(text: str, other: str) -> bool:
    """Tells whether two sentences say the same in nearly the same words, and neither denies what the other says."""
    words, other_words = [{word.strip(_MARKS) for word in sentence.lower().split()} for sentence in (text, other)]
    if bool(words & _NEGATIONS) != bool(other_words & _NEGATIONS):
        return False
    words, other_words = [group - STOP_WORDS - _NEGATIONS for group in (words, other_words)]
    return len(words & other_words) >= _ALIKE * min(len(words), len(other_words))
