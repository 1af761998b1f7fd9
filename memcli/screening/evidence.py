"""What speaks for an order to a model, weighed: who is addressed, what is to be done with what, and who is not to know.

Words and phrases of all languages are read as concepts (evidence.txt, of which concepts.py is made). A line of evidence is a few
concepts of one sentence, in order or anywhere, with a weight. A text is an order where enough speaks for it, whatever its words.
"""

from __future__ import annotations

from memcli.screening.concepts import LINES, NEEDING, PHRASES, SIGNS, WORDS

_ENOUGH = 4  # the weight of a sentence that is an order
_ENOUGH_OF_TWO = 5  # the weight of two that follow each other and each say something
_NEXT = 5  # words within which the next concept of a chain stands
_LONGEST = 60  # words of a sentence; what goes on is another
_KEPT = 20_000  # words whose concepts are kept
_FIRST_UNSPACED = "\u0e00"  # letters from here on are of scripts that part no words
_END, _CLAUSE, _PHRASE = "\x01", "\x02", "\x03"  # the end of a sentence, of a clause; what the concepts of a phrase begin with
_LEADS = frozenset(  # words behind which a verb is an order
    """please kindly and then also now must should shall will always never you just instead quietly silently secretly first
    next immediately dont not would could has have need needs do bitte und dann por favor y et puis ne no не и затем""".split()
)
_MARKS = (_END, _CLAUSE, _PHRASE)
_NO_MARKS = {ord(mark): " " for mark in _MARKS}
_RAREST = sum(NEEDING)  # the concepts by which lines are looked up
_lines: dict[int, _Line] = {}  # read when their rarest concept is there
_tables: dict[str, dict[str, int]] = {}  # lines of tables that were read -> entry -> its concepts
_whole: dict[str, list[Phrase]] = {}  # a word -> the phrases that have it
_silent: set[str] = set()  # words without a concept, which are passed by at once

Phrase = tuple[str, str, int]  # another word that it has, what it is in a text, its concepts
Link = tuple[bool, int, int]  # begins a clause; the concepts that it may be; words within which it follows
Word = tuple[int, bool]  # its concepts; whether it begins a clause
# Its weight; concepts that it needs, and sets of which it needs one each; its chains.
_Line = tuple[int, int, list[int], list[list[Link]]]


def _entries(line: str) -> dict[str, int]:
    """Returns the entries of a line of a table, with their concepts."""
    entries = _tables.get(line)
    if entries is None:
        pairs = [entry.rpartition(" ") for entry in line.split("\t")] if line else []
        entries = _tables[line] = {entry: int(concepts, 16) for entry, _, concepts in pairs}
    return entries


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
    """Reads a line of evidence."""
    weight, *texts = LINES[number].split("\t")
    chains = [_chain(text) for text in texts]
    needs = [link[1] for chain in chains for link in chain]
    single = sum({need for need in needs if need & (need - 1) == 0})
    _lines[number] = line = (int(weight), single, [need for need in needs if need & (need - 1)], chains)
    return line


def _chain(text: str) -> list[Link]:
    return [(link[0] == "^", int(link.lstrip("^+"), 16), 1 if link[0] == "+" else _NEXT) for link in text.split(" ")]


class _Parted(dict[int, str]):
    """What stands for a character when words are parted."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = char if char.isalnum() or char in "_-\x01\x02\x03" else " "
        return self[code]


_PARTED = _Parted()
_PARTING = dict.fromkeys("!?;。！？；•▪◦‣●○■□▸►★✓✔✅⁃", f" {_END} ")
_PARTING |= dict.fromkeys(",()[]{}<>'*#|—–，、（）", f" {_CLAUSE} ")
_NO_SIGNS = bytes([code for code in range(128) if chr(code) not in _PARTING and chr(code) not in SIGNS])
_QUOTES = ("'", "’")
_ENDS = ("\n\n", "\n- ", "\n* ", "\n+ ", "\n~ ", "\n#", ". ", ".\n")


class _Concepts(dict[str, int]):
    """The concepts of words, and of what stands in the place of a phrase."""

    def __missing__(self, word: str) -> int:
        if len(self) >= _KEPT:
            self.clear()
        self[word] = int(word[1:]) if word[0] == _PHRASE else self._read(word)
        return self[word]

    @staticmethod
    def _read(word: str) -> int:
        entries = _entries(WORDS.get(word[:2], ""))
        concepts = entries.get(word, 0)
        for end in range(2, min(len(word), 14) + 1) if entries else ():
            concepts |= entries.get(f"{word[:end]}*", 0)
        if "_" in word:
            for piece in word.split("_"):
                concepts |= _entries(WORDS.get(piece[:2], "")).get(piece, 0)
        return concepts


_concepts = _Concepts()


def is_order(text: str) -> bool:
    """Tells whether a sentence of a text in small letters, or two that follow each other, say enough for an order."""
    text = _parted(text)
    words = set(text.split())
    phrases = _phrases(text, words)
    # No sentence can be enough, nor can two that follow each other: most texts end here.
    if 2 * _upper_bound(words, phrases) < _ENOUGH_OF_TWO:
        return False
    last = 0
    for sentence in _sentences(_with_concepts(text, phrases)):
        weight = _weight(sentence)
        if weight >= _ENOUGH or (min(weight, last) > 0 and weight + last >= _ENOUGH_OF_TWO):
            return True
        last = weight
    return False


def _parted(text: str) -> str:
    """Returns a text in words and marks, each between spaces, with the concepts of signs."""
    text = f" {text}"
    if any(map(text.__contains__, _QUOTES)):
        text = text.replace("’", "'").replace(" n'", " ne ").replace(" l'", " le ").replace("'", "")
    if any(map(text.__contains__, _MARKS)):
        text = text.translate(_NO_MARKS)
    if "\n" in text or ". " in text:
        for end in _ENDS:
            text = text.replace(end, f" {_END} ")
    chars = set(text.encode().translate(None, _NO_SIGNS).decode() if text.isascii() else text)
    entries = [entry for char in SIGNS.keys() & chars for entry in _entries(SIGNS[char]).items()]
    signs = {sign: concepts for sign, concepts in entries if sign in text}
    for sign, concepts in _longest_first(signs) if signs else ():
        text = text.replace(sign, f" {_PHRASE}{concepts} ")
    for sign in _PARTING.keys() & chars:  # one at a time: `translate` takes several times as long where a character becomes more
        text = text.replace(sign, _PARTING[sign])
    return f" {' '.join(text.translate(_PARTED).split())} "


def _phrases(text: str, words: set[str]) -> dict[str, int]:
    """Returns the phrases that stand in a text of these words, as they stand there, with their concepts."""
    return {
        whole: concepts
        for word in PHRASES.keys() & words
        for other, whole, concepts in _whole.get(word) or _phrases_with(word)
        if other in words and whole in text
    }


def _phrases_with(word: str) -> list[Phrase]:
    """Returns the phrases that have a word."""
    phrases = []
    for entry, concepts in _entries(PHRASES[word]).items():
        others = [other for other in entry.split(" ") if other != word and other[-1:] != "*"]
        phrases.append((max(others or [word], key=len), f" {entry[:-1]}" if entry[-1] == "*" else f" {entry} ", concepts))
    _whole[word] = phrases
    return phrases


def _with_concepts(text: str, phrases: dict[str, int]) -> str:
    for phrase, concepts in _longest_first(phrases):
        text = text.replace(phrase, f" {_PHRASE}{concepts} ")
    return text


def _upper_bound(words: set[str], phrases: dict[str, int]) -> int:
    """Returns a weight that no sentence of a text exceeds: for most texts it is next to nothing."""
    present = 0
    for concepts in phrases.values():
        present |= concepts
    for word in words - _silent:
        if concepts := _concepts[word]:
            present |= concepts
        elif len(_silent) < _KEPT:
            _silent.add(word)
    return sum([weight for weight, _ in _evidence(present) if weight > 0])


def _sentences(text: str) -> list[list[Word]]:
    sentences: list[list[Word]] = [[]]
    begins = True
    for word in text.split():
        if word == _END or len(sentences[-1]) > _LONGEST:
            sentences.append([])
        if word in (_END, _CLAUSE):
            begins = True
        else:
            is_phrase = word[0] == _PHRASE
            sentences[-1].append((_concepts[word], begins or is_phrase or word[0] >= _FIRST_UNSPACED))
            begins = is_phrase or word in _LEADS
    return [sentence for sentence in sentences if sentence]


def _weight(sentence: list[Word]) -> int:
    """Returns what the evidence weighs that stands in a sentence."""
    present = 0
    for concepts, _ in sentence:
        present |= concepts
    return sum([weight for weight, chains in _evidence(present) if all(_stands(chain, sentence) for chain in chains)])


def _evidence(present: int) -> list[tuple[int, list[list[Link]]]]:
    """Returns weight and chains of the lines of which each concept is present."""
    found = []
    for number in {number for bit in _bits(present & _RAREST) for number in NEEDING[bit]}:
        weight, single, others, chains = _lines.get(number) or _line(number)
        if present & single == single and (not others or all(present & need for need in others)):
            found.append((weight, chains))
    return found


def _stands(chain: list[Link], sentence: list[Word]) -> bool:
    """Tells whether each link of a chain follows the one before within a few words."""
    positions = _places(chain[0], sentence)
    for link in chain[1:]:
        if not positions:
            return False
        reach = link[2]
        positions = [at for at in _places(link, sentence) if any(at - reach <= before < at for before in positions)]
    return bool(positions)


def _places(link: Link, sentence: list[Word]) -> list[int]:
    """Returns the words that a link of a chain may be."""
    is_first, concepts, _ = link
    return [at for at, (present, begins) in enumerate(sentence) if present & concepts and (begins or not is_first)]
