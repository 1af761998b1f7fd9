"""What a question names: memories by their id, their thread, a file that they link to, or who shared them.

None of this is in their text. They match as if the naming word occurred in it once.
"""

from __future__ import annotations

from memcli.store import named
from memcli.text import ids
from memcli.text.ids import PLACE
from memcli.text.terminal import is_storable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memcli.store import Connection
    from memcli.store.search import Filter

_PATH_SIGNS = ("/", ".", "_")
_NAMES = 3  # words of a person's name
_LEAST = 4  # characters of an id behind its kind, of a file's name
_CHUNK = "C-"
_KINDS = ("M-", "P-", "A-", "S-", "K-", "N-", _CHUNK)
_OF_MANY = frozenset("init main index mod lib readme config conftest test tests setup package types utils".split())
_AROUND = "`'\"?!,;:()[]"


def rows(db: Connection, table: str, text: str, threads: Mapping[str, str], only: Filter | None) -> dict[str, list[int]]:
    """Returns the rows of `memory` or `passage` that a question names, newest first, by the word that names them.

    Afterwards it does not matter what matched: each row counts as if its text had the word once. `threads`: the
    threads that the question names, by their word of it.
    """
    words = [word for piece in text.split() if (word := piece.strip(_AROUND).rstrip(".")) and is_storable(word)]
    by_word: dict[str, list[int]] = {}
    for word in words:
        if _is_id(word) and (word[:2].upper() == _CHUNK) is (table == "chunk"):
            by_word[word.lower()] = named.by_id(db, table, _spelled(word), only)
    if table == "memory":
        for word, thread in threads.items():
            by_word[word] = named.in_thread(db, thread, only)
        paths = [word for word in words if len(word) >= _LEAST and any(sign in word for sign in _PATH_SIGNS)]
        for name in paths or (words if len(words) == 1 and len(words[0]) >= _LEAST else ()):  # or nothing but a file's name
            by_word[name.lower()] = by_word.get(name.lower()) or named.linked_to(db, name, only)
        if words and len(words) <= _NAMES:  # a colleague's name, and nothing else
            by_word[words[0].lower()] = by_word.get(words[0].lower()) or named.by_author(db, " ".join(words), only)
    return {word: numbers for word, numbers in by_word.items() if numbers}


def is_stored_id(dbs: Sequence[Connection], word: str) -> bool:
    """Tells whether a word is the id, or the beginning of the id, of anything stored that a question can find."""
    tables = ("chunk",) if word[:2].upper() == _CHUNK else ("memory", "passage")
    return _is_id(word) and any(named.by_id(db, table, _spelled(word), None) for db in dbs for table in tables)


def file_of(path: str) -> str:
    """Returns the words of a path that identify its file: the name without its ending, after the folder if the name is common.

    "" if it is no path but a version or the end of a sentence.
    """
    *folders, name = path.split("/")
    stem, dot, ending = name.rpartition(".")
    if not (stem and dot and ending.isalnum() and not ending.isdecimal()):
        return ""
    return " ".join([*folders[-1:], stem]) if stem.strip("_").lower() in _OF_MANY else stem


def _is_id(word: str) -> bool:
    return word[:2].upper() in _KINDS and word[2:].partition(PLACE)[0].isalnum() and len(word) >= 2 + _LEAST


def _spelled(word: str) -> str:
    """Returns an id, or the beginning of one, as it is stored; for a passage with its position."""
    return ids.canonical(word) + (PLACE + word.partition(PLACE)[2].lower() if PLACE in word else "")
