"""The words that the table of near words is made for: see scripts/distill_vectors.py. None comes from a benchmark."""

from __future__ import annotations

import collections
import re
import sysconfig
from pathlib import Path

import apsw
import numpy as np

from memcli.text.analysis import STOP_WORDS

OWN_LIST = Path(__file__).resolve().parent / "programming_words.txt"
KNOWN = OWN_LIST.with_name("known_words.txt")
WORD = re.compile(r"(?!.*(.)\1\1)[a-z]{2,}")  # and no letter three times running, such as ffff
NAMED_PART = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # of an identifier or a text: HTTPServer -> HTTP, Server

# Of the standard library: how often a word must stand in it, in how many files, and in how many if it is two words in one.
OCCURRENCES = 8
FILES = 3
FILES_GLUED = 20
SHORT = 2  # letters: so short, a word of the model's is mostly a syllable
FILES_SHORT = 40
NOT_PROSE = {"site-packages", "test", "tests", "ensurepip", "idlelib", "lib2to3", "turtledemo", "encodings", "__pycache__"}
NOT_TEXT = ("_sysconfigdata", "this.py")  # written by the machine that built the interpreter; a joke in cipher

# A word is taken for a person's name if the words around it are, by their likeness to these.
NAMES = """james john robert michael david mary linda susan karen nancy peter paul thomas richard charles elizabeth margaret
    sarah laura helen smith johnson williams jones miller davis wilson anderson taylor moore martin jackson thompson garcia
    martinez robinson henry anthony kevin brian george edward""".split()
NAME_LIKENESS = 0.22
NAME_NEIGHBOURS = 10


def vocabulary(model: list[str]) -> list[str]:
    """Returns the words to embed, sorted: the model's whole words, and those of programming."""
    own = listed(OWN_LIST)
    count, files = standard_library()
    whole = {word for word in model if WORD.fullmatch(word)}
    words = {word for word in whole if len(word) > SHORT or files[word] >= FILES_SHORT} | own
    for word in count:
        if word in words or count[word] < OCCURRENCES or files[word] < FILES or len(word) <= SHORT or not WORD.fullmatch(word):
            continue
        if files[word] >= FILES_GLUED or not is_glued(word, whole | own):
            words.add(word)
    return sorted(words - STOP_WORDS)


def listed(path: Path) -> set[str]:
    """Returns the words of a list beside this file."""
    lines = path.read_text(encoding="ascii").splitlines()
    return {word for line in lines if not line.startswith("#") for word in line.split()}


def standard_library() -> tuple[collections.Counter[str], collections.Counter[str]]:
    """Counts the words in the Python files of this interpreter's own library: occurrences, and files that hold them."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    count: collections.Counter[str] = collections.Counter()
    files: collections.Counter[str] = collections.Counter()
    for path in sorted(folder.rglob("*.py")):
        inside = path.relative_to(folder).parts
        if NOT_PROSE.intersection(inside) or inside[0].startswith("config-") or path.name.startswith(NOT_TEXT):
            continue
        words = [word.lower() for word in NAMED_PART.findall(path.read_text(encoding="utf-8", errors="replace"))]
        count.update(words)
        files.update(set(words))
    return count, files


def is_glued(word: str, vocabulary_words: set[str]) -> bool:
    """Tells whether a word is two known ones in one, such as `removesuffix`."""
    return any(word[:cut] in vocabulary_words and word[cut:] in vocabulary_words for cut in range(3, len(word) - 2))


def names(words: list[str], vectors: np.ndarray) -> np.ndarray:
    """Tells of each word whether it is a person's name. A name is near other names, and says nothing by being so."""
    position = {word: at for at, word in enumerate(words)}
    middle = vectors[[position[name] for name in NAMES if name in position]].mean(axis=0)
    likeness = vectors @ (middle / np.linalg.norm(middle))
    around = np.empty(len(words))
    for start in range(0, len(words), 512):
        cosines = vectors[start : start + 512] @ vectors.T
        nearest = np.argpartition(-cosines, NAME_NEIGHBOURS, axis=1)[:, :NAME_NEIGHBOURS]
        around[start : start + 512] = likeness[nearest].mean(axis=1)
    return around >= NAME_LIKENESS


def stems(words: list[str]) -> list[str]:
    """Returns the term that the text index keeps for each word."""
    tokenizer = apsw.Connection(":memory:").fts5_tokenizer("porter", ["unicode61"])
    return [tokenizer(word.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None)[0][2] for word in words]
