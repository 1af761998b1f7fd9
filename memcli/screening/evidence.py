"""What speaks for an order to a model, weighed: who is addressed, what is to be done with what, and who is not to know.

Words and phrases of all languages are read as concepts (evidence.txt, of which concepts.py is made). A line of evidence is a few
concepts of one sentence, in order or anywhere, with a weight. A text is an order where enough speaks for it, whatever its words.
"""

from __future__ import annotations

from memcli.screening.concepts import BEGINNINGS, BY_WORD, LINES, NEEDING, PHRASES, SIGNS, UNSPACED, WORDS

_ENOUGH = 4  # the weight of a sentence that is an order
_ENOUGH_OF_TWO = 5  # the weight of two that follow each other and each say something
_NEXT = 5  # words within which the next concept of a chain stands
_LONGEST = 60  # words of a sentence; what goes on is another
_REMEMBERED = 20_000  # words whose concepts are kept
_FIRST_UNSPACED = "\u0e00"  # letters from here on are of scripts that part no words
_END, _CLAUSE, _PHRASE = "\x01", "\x02", "\x03"  # the end of a sentence, of a clause; what the concepts of a phrase begin with
_LEADS = frozenset(  # words behind which a verb is an order
    """please kindly and then also now must should shall will always never you just instead quietly silently secretly first
    next immediately dont not would could has have need needs do bitte und dann por favor y et puis ne no не и затем""".split()
)
_NO_MARKS = {ord(mark): " " for mark in (_END, _CLAUSE, _PHRASE)}
_remembered: dict[str, int] = {}
_lines: dict[int, _Line] = {}  # read when their rarest concept is there

Link = tuple[bool, int, int]  # begins a clause; the concepts that it may be; words within which it follows
Word = tuple[int, bool]  # its concepts; whether it begins a clause
_Line = tuple[int, list[int], list[list[Link]]]  # its weight; all concepts that it needs; its chains


def _bits(concepts: int) -> list[int]:
    bits = []
    while concepts:
        bits.append(concepts & -concepts)
        concepts &= concepts - 1
    return bits


def _longest_first(entries: dict[str, int]) -> list[tuple[str, int]]:
    """Returns entries so that one that contains another comes before it."""
    return sorted(entries.items(), key=lambda entry: (-len(entry[0]), entry[0]))


def _line(number: int) -> _Line:
    line = _lines.get(number)
    if line is None:
        weight, *texts = LINES[number].split("\t")
        chains = [_chain(text) for text in texts]
        line = _lines[number] = (int(weight), [link[1] for chain in chains for link in chain], chains)
    return line


def _chain(text: str) -> list[Link]:
    return [(link[0] == "^", int(link.lstrip("^+"), 16), 1 if link[0] == "+" else _NEXT) for link in text.split(" ")]


class _Parted(dict[int, str]):
    """What stands for a character when words are parted."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = char if char.isalnum() or char in "_-\x01\x02\x03" else " "
        return self[code]


_PARTED = _Parted(
    {ord(sign): f" {_END} " for sign in "!?;。！？；"} | {ord(sign): f" {_CLAUSE} " for sign in ",()[]{}<>'*#|—–，、（）"}
)


def is_order(text: str) -> bool:
    """True where a sentence of a text in small letters, or two that follow each other, say enough for an order."""
    last = 0
    for sentence in _sentences(text):
        weight = _weight(sentence)
        if weight >= _ENOUGH or (min(weight, last) > 0 and weight + last >= _ENOUGH_OF_TWO):
            return True
        last = weight
    return False


def _sentences(text: str) -> list[list[Word]]:
    sentences: list[list[Word]] = [[]]
    begins = True
    for word in _with_phrases(text).split():
        if word == _END or len(sentences[-1]) > _LONGEST:
            sentences.append([])
        if word in (_END, _CLAUSE):
            begins = True
        else:
            is_phrase = word[0] == _PHRASE
            concepts = int(word[1:]) if is_phrase else _concepts(word)
            sentences[-1].append((concepts, begins or is_phrase or word[0] >= _FIRST_UNSPACED))
            begins = is_phrase or word in _LEADS
    return [sentence for sentence in sentences if sentence]


def _with_phrases(text: str) -> str:
    """Returns a text in words and marks, its phrases replaced by their concepts."""
    text = text.replace("’", "'").replace(" n'", " ne ").replace(" l'", " le ").replace("'", "").translate(_NO_MARKS)
    for end in ("\n\n", "\n- ", "\n* ", "\n#", ". ", ".\n"):
        text = text.replace(end, f" {_END} ")
    for sign, concepts in SIGNS.items() if text.isascii() else (*SIGNS.items(), *UNSPACED.items()):
        if sign in text:
            text = text.replace(sign, f" {_PHRASE}{concepts} ")
    words = text.translate(_PARTED).split()
    text = f" {' '.join(words)} "
    present = {phrase: PHRASES[phrase] for word in BY_WORD.keys() & set(words) for phrase in BY_WORD[word]}
    for phrase, concepts in _longest_first(present):
        whole = f" {phrase[:-1]}" if phrase[-1] == "*" else f" {phrase} "
        text = text.replace(whole, f" {_PHRASE}{concepts} ")
    return text


def _concepts(word: str) -> int:
    concepts = _remembered.get(word)
    if concepts is None:
        concepts = WORDS.get(word, 0)
        for end in range(2, min(len(word), 14) + 1):
            concepts |= BEGINNINGS.get(word[:end], 0)
        if "_" in word:
            for piece in word.split("_"):
                concepts |= WORDS.get(piece, 0)
        if len(_remembered) >= _REMEMBERED:
            _remembered.clear()
        _remembered[word] = concepts
    return concepts


def _weight(sentence: list[Word]) -> int:
    """Returns what the evidence weighs that stands in a sentence."""
    present = 0
    for concepts, _ in sentence:
        present |= concepts
    weight = 0
    for number in {number for bit in _bits(present) for number in NEEDING.get(bit, ())}:
        line_weight, needs, chains = _line(number)
        if all(present & need for need in needs) and all(_stands(chain, sentence) for chain in chains):
            weight += line_weight
    return weight


def _stands(chain: list[Link], sentence: list[Word]) -> bool:
    """True where each link of a chain follows the one before within a few words."""
    places = [number for number, word in enumerate(sentence) if _is(chain[0], word)]
    for link in chain[1:]:
        places = [
            number
            for number, word in enumerate(sentence)
            if _is(link, word) and any(number - link[2] <= place < number for place in places)
        ]
    return bool(places)


def _is(link: Link, word: Word) -> bool:
    return link[1] & word[0] > 0 and (word[1] or not link[0])
