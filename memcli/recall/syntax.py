"""Search syntax: "quoted phrases", prefix*, AND, OR, NOT in capitals, parentheses. What is malformed counts as plain words.

In the resulting FTS5 expression every word is quoted: nothing that was typed is read as FTS5's own syntax.

NOT binds tightest, then AND, then OR. Adjacent terms are joined by AND, except for stop words. Without operators every
phrase and prefix is required, and the other words only rank.
"""

from __future__ import annotations

from memcli.records import Record
from memcli.store.index_words import stems
from memcli.store.search import any_of, quoted
from memcli.text.analysis import MAY, STOP_WORDS, bigrams, is_cjk, parts, runs, terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memcli.store import Connection

    Token = tuple[str, str]  # kind, text
    Corrected = Mapping[str, Sequence[str]]

OPERATORS = ("AND", "OR", "NOT")
MAX_OPERANDS = 32  # words, phrases and prefixes of one expression; a pasted text has more
MAX_DEPTH = 8  # parentheses in parentheses; the parser of FTS5 gives up at about 30


class Node(Record):
    """A `word`, `phrase` or `prefix` with its text, or `all` of some nodes but none of the `excluded`, or `any` of some."""

    kind: str
    text: str = ""
    children: tuple[Node, ...] = ()
    excluded: tuple[Node, ...] = ()


class Syntax(Record):
    """A query: what must match, and the words outside quotes, which rank."""

    required: Node
    plain: str


class _Malformed(Exception):
    pass


def parse(query: str) -> Syntax | None:
    """Returns the conditions of a query, or None for plain words."""
    try:
        tokens = list(_tokens(query))
        if any(kind in OPERATORS for kind, _ in tokens):
            return _expression(tokens)
        required = [Node(kind, text) for kind, text in tokens if kind in ("phrase", "prefix")]
        _check_balance(tokens)
    except _Malformed:
        return None
    if not 0 < len(required) <= MAX_OPERANDS:
        return None
    return Syntax(_joined("all", required), _plain([text for kind, text in tokens if kind == "word"]))


def _tokens(query: str) -> Iterator[Token]:
    pieces = query.split('"')
    if len(pieces) % 2 == 0:
        raise _Malformed
    for index, piece in enumerate(pieces):
        if index % 2 == 0:
            for word in piece.split():
                yield from _of_word(word)
        elif pieces[index - 1][-1:].isalnum() or pieces[index + 1][:1].isalnum() or not any(runs(piece)):
            raise _Malformed  # inches, or nothing between the quotes
        else:
            yield "phrase", piece


def _of_word(word: str) -> Iterator[Token]:
    """Yields a word and the parentheses around it. Those of a call, `main()`, belong to the word."""
    core = word.lstrip("(")
    yield from [("(", "")] * (len(word) - len(core))
    bare = core
    while bare.endswith(")") and bare.count(")") > bare.count("("):
        bare = bare[:-1]
    if bare in OPERATORS:
        yield bare, ""
    elif is_prefix(bare):
        yield "prefix", bare[:-1]
    elif any(runs(bare)):
        yield "word", bare
    yield from [(")", "")] * (len(core) - len(bare))


def is_prefix(word: str) -> bool:
    """True for `prefix*`, not for `src/**`, `*.py` or `*emphasis*`."""
    return (
        word.endswith("*") and word.count("*") == 1 and (word[-2:-1].isalnum() or word[-2:-1] in ("_", "-")) and any(runs(word))
    )


def _check_balance(tokens: Sequence[Token]) -> None:
    depth = 0
    for kind, _ in tokens:
        depth += (kind == "(") - (kind == ")")
        if depth < 0:
            raise _Malformed
    if depth:
        raise _Malformed


def _expression(tokens: Sequence[Token]) -> Syntax:
    if len([kind for kind, _ in tokens if kind in ("word", "phrase", "prefix")]) > MAX_OPERANDS:
        raise _Malformed
    stack = list(reversed(tokens))
    node = _any(stack, 0)
    if stack:
        raise _Malformed
    return Syntax(node, _plain(list(_required_words(node))))


def _any(stack: list[Token], depth: int) -> Node:
    options = [_all(stack, depth)]
    while _next(stack) == "OR":
        stack.pop()
        options.append(_all(stack, depth))
    return _joined("any", options)


def _all(stack: list[Token], depth: int) -> Node:
    side_by_side: list[list[Node]] = [[]]
    excluded = []
    while True:
        if _next(stack) == "NOT":
            stack.pop()
            excluded.append(_operand(stack, depth))
        else:
            side_by_side[-1].append(_operand(stack, depth))
        if _next(stack) in ("", "OR", ")"):
            break
        if _next(stack) == "AND":
            stack.pop()
            side_by_side.append([])
    children = [node for nodes in side_by_side for node in _weighty(nodes)]
    if not children:
        raise _Malformed  # all but something: every memory there is
    return Node("all", "", tuple(children), tuple(excluded)) if excluded else _joined("all", children)


def _operand(stack: list[Token], depth: int) -> Node:
    kind, text = stack.pop() if stack else ("", "")
    if kind == "(" and depth < MAX_DEPTH:
        node = _any(stack, depth + 1)
        if _next(stack) != ")":
            raise _Malformed
        stack.pop()
        return node
    if kind not in ("word", "phrase", "prefix"):
        raise _Malformed
    return Node(kind, text)


def _next(stack: list[Token]) -> str:
    return stack[-1][0] if stack else ""


def _joined(kind: str, nodes: Sequence[Node]) -> Node:
    return nodes[0] if len(nodes) == 1 else Node(kind, "", tuple(nodes))


def _weighty(nodes: list[Node]) -> list[Node]:
    """Returns the nodes without stop words, unless there is nothing else."""
    return [node for node in nodes if node.kind != "word" or not _is_stop(node.text)] or nodes


def _is_stop(text: str) -> bool:
    return all(term in STOP_WORDS or term == MAY for term in terms(text))


def _required_words(node: Node) -> Iterator[str]:
    if node.kind == "word":
        yield node.text
    for child in node.children:
        yield from _required_words(child)


def _plain(words: list[str]) -> str:
    text = " ".join(words)
    return "" if _is_stop(text) else text


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
    expression = joint.join([_grouped(fts5(db, child, corrected)) for child in node.children])
    if not node.excluded:
        return expression
    return f"({expression}) NOT ({' OR '.join([_grouped(fts5(db, child, {})) for child in node.excluded])})"


def _grouped(expression: str) -> str:
    return expression if expression.count('"') == 2 else f"({expression})"


def _word(text: str, corrected: Corrected) -> str:
    """A word as it stands or as it is meant; an identifier in every spelling that the index knows: getUserId, get_user_id."""
    words = terms(text)
    if len(words) == 1 and words[0] in corrected:
        return any_of(corrected[words[0]])
    names = [run for run in runs(text) if run]
    pieces = parts(names[0])
    if len(names) > 1 or len(pieces) < 2 or any(map(is_cjk, text)):
        return _phrase(text)
    return " OR ".join(dict.fromkeys([quoted(names[0]), quoted("".join(pieces)), quoted(*pieces)]))


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
    """Words with this prefix.

    The stemmer treats a prefix as a word (key: kei, use: us): `"key"*` would miss keyboard, and `"use"*` would find usual.
    So a prefix that it changes stands for that word and for each prefix longer by a letter or two that it leaves alone.
    """
    if any(map(is_cjk, text)):
        return _phrase(text)
    *before, last = " ".join(runs(text)).replace("_", " ").replace("-", " ").split()
    if _is_own_stem(db, [last])[0]:
        return quoted(*before, last) + "*"
    longer = [last + letter for letter in LETTERS]
    changed = [word for word, is_stem in zip(longer, _is_own_stem(db, longer)) if not is_stem]
    longer = [word for word in longer if word not in changed] + [word + letter for word in changed for letter in LETTERS]
    begin = [quoted(*before, word) + "*" for word, is_stem in zip(longer, _is_own_stem(db, longer)) if is_stem]
    return " OR ".join([quoted(*before, last), *begin])


def _is_own_stem(db: Connection, words: Sequence[str]) -> list[bool]:
    return [stem == plain for stem, plain in zip(stems(db, words), stems(db, words, "unicode61"))]
