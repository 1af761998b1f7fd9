"""What a query demands (text/syntax.py) as an FTS5 expression. Every word is quoted: nothing that was typed is FTS5's syntax."""

from __future__ import annotations

from memcli.store.search import any_of, quoted, stems
from memcli.text.analysis import bigrams, is_cjk, parts, runs, terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memcli.store.db import Connection
    from memcli.text.syntax import Node

    Corrected = Mapping[str, Sequence[str]]

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def fts5(db: Connection, node: Node, corrected: Corrected) -> str:
    """Returns the FTS5 expression of a node. `corrected`: for words that the store does not know, what they may stand for."""
    if node.kind == "word":
        return _word(node.text, corrected)
    if node.kind == "phrase":
        return _phrase(node.text)
    if node.kind == "prefix":
        return _prefix(db, node.text)
    joint = " AND " if node.kind == "all" else " OR "
    wanted = joint.join([_grouped(fts5(db, one, corrected)) for one in node.wanted])
    if not node.unwanted:
        return wanted
    return f"({wanted}) NOT ({' OR '.join([_grouped(fts5(db, one, {})) for one in node.unwanted])})"


def _grouped(expression: str) -> str:
    return expression if expression.count('"') == 2 else f"({expression})"


def _word(text: str, corrected: Corrected) -> str:
    """A word as it stands or as it is meant; an identifier in every spelling that the index knows: getUserId, get_user_id."""
    asked = terms(text)
    if len(asked) == 1 and asked[0] in corrected:
        return any_of(corrected[asked[0]])
    found = [run for run in runs(text) if run]
    pieces = parts(found[0])
    if len(found) > 1 or len(pieces) < 2 or any(map(is_cjk, text)):
        return _phrase(text)
    return " OR ".join(dict.fromkeys([quoted(found[0]), quoted("".join(pieces)), quoted(*pieces)]))


def _phrase(text: str) -> str:
    """Words one after another; of scripts without spaces, all pairs of characters, which the index holds instead of words."""
    words: list[list[str]] = [[]]
    pairs = []
    for run in runs(text):
        if any(map(is_cjk, run)):
            pairs += bigrams(run)
            words += [["".join([" " if is_cjk(char) else char for char in run])], []]
        else:
            words[-1].append(run)
    return " AND ".join([quoted(*some) for some in [*words, *[[pair] for pair in pairs]] if " ".join(some).strip(" _-")])


def _prefix(db: Connection, text: str) -> str:
    """Words that begin so.

    The stemmer changes a prefix as if it were a word (key: kei, use: us): `"key"*` would miss keyboard and `"use"*` find usual.
    So a prefix that it changes stands for that word and for each longer prefix, by a letter or two, that it leaves alone.
    """
    if any(map(is_cjk, text)):
        return _phrase(text)
    *before, last = " ".join(runs(text)).replace("_", " ").replace("-", " ").split()
    if _is_kept(db, [last])[0]:
        return quoted(*before, last) + "*"
    longer = [last + letter for letter in LETTERS]
    changed = [word for word, kept in zip(longer, _is_kept(db, longer)) if not kept]
    longer = [word for word in longer if word not in changed] + [word + letter for word in changed for letter in LETTERS]
    begin = [quoted(*before, word) + "*" for word, kept in zip(longer, _is_kept(db, longer)) if kept]
    return " OR ".join([quoted(*before, last), *begin])


def _is_kept(db: Connection, words: Sequence[str]) -> list[bool]:
    return [stem == plain for stem, plain in zip(stems(db, words), stems(db, words, "unicode61"))]
