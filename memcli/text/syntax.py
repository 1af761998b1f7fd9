"""Search syntax: "quoted phrases", prefix*, AND, OR, NOT in capitals, parentheses. What is not well formed is no syntax.

NOT binds tightest, then AND, then OR; what stands side by side is joined by AND, but for stop words. Without operators every
phrase and prefix is required, and the other words only rank.
"""

from __future__ import annotations

from memcli.records import Record
from memcli.text.analysis import MAY, STOP_WORDS, runs, terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Token = tuple[str, str]  # kind, text

OPERATORS = ("AND", "OR", "NOT")
MAX_OPERANDS = 32  # words, phrases and prefixes of one expression; a pasted text has more
MAX_DEPTH = 8  # parentheses in parentheses; the parser of FTS5 gives up at about 30


class Node(Record):
    """A `word`, `phrase` or `prefix` with its text, or `all` of some nodes but none of the unwanted, or `any` of some."""

    kind: str
    text: str = ""
    wanted: tuple[Node, ...] = ()
    unwanted: tuple[Node, ...] = ()


class Syntax(Record):
    """A query: what must hold, and the words outside of quotes, which rank."""

    required: Node
    plain: str


class _Malformed(Exception):
    pass


def parse(query: str) -> Syntax | None:
    """Returns what a query demands, None for one that is plain words."""
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
    for place, piece in enumerate(pieces):
        if place % 2 == 0:
            for word in piece.split():
                yield from _of_word(word)
        elif pieces[place - 1][-1:].isalnum() or pieces[place + 1][:1].isalnum() or not any(runs(piece)):
            raise _Malformed  # inches, or nothing between the quotes
        else:
            yield "phrase", piece


def _of_word(word: str) -> Iterator[Token]:
    """Yields a word and the parentheses around it; those of a call, `main()`, belong to the word."""
    core = word.lstrip("(")
    yield from [("(", "")] * (len(word) - len(core))
    own = core
    while own.endswith(")") and own.count(")") > own.count("("):
        own = own[:-1]
    if own in OPERATORS:
        yield own, ""
    elif is_prefix(own):
        yield "prefix", own[:-1]
    elif any(runs(own)):
        yield "word", own
    yield from [(")", "")] * (len(core) - len(own))


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
    rest = list(reversed(tokens))
    node = _any(rest, 0)
    if rest:
        raise _Malformed
    return Syntax(node, _plain(list(_wanted_words(node))))


def _any(rest: list[Token], depth: int) -> Node:
    options = [_all(rest, depth)]
    while _next(rest) == "OR":
        rest.pop()
        options.append(_all(rest, depth))
    return _joined("any", options)


def _all(rest: list[Token], depth: int) -> Node:
    side_by_side: list[list[Node]] = [[]]
    unwanted = []
    while True:
        if _next(rest) == "NOT":
            rest.pop()
            unwanted.append(_one(rest, depth))
        else:
            side_by_side[-1].append(_one(rest, depth))
        if _next(rest) in ("", "OR", ")"):
            break
        if _next(rest) == "AND":
            rest.pop()
            side_by_side.append([])
    wanted = [node for nodes in side_by_side for node in _weighty(nodes)]
    if not wanted:
        raise _Malformed  # all but something: every memory there is
    return Node("all", "", tuple(wanted), tuple(unwanted)) if unwanted else _joined("all", wanted)


def _one(rest: list[Token], depth: int) -> Node:
    kind, text = rest.pop() if rest else ("", "")
    if kind == "(" and depth < MAX_DEPTH:
        node = _any(rest, depth + 1)
        if _next(rest) != ")":
            raise _Malformed
        rest.pop()
        return node
    if kind not in ("word", "phrase", "prefix"):
        raise _Malformed
    return Node(kind, text)


def _next(rest: list[Token]) -> str:
    return rest[-1][0] if rest else ""


def _joined(kind: str, nodes: Sequence[Node]) -> Node:
    return nodes[0] if len(nodes) == 1 else Node(kind, "", tuple(nodes))


def _weighty(nodes: list[Node]) -> list[Node]:
    """Returns the nodes but for stop words, unless there is nothing else."""
    return [node for node in nodes if node.kind != "word" or not _is_stop(node.text)] or nodes


def _is_stop(text: str) -> bool:
    return all(term in STOP_WORDS or term == MAY for term in terms(text))


def _wanted_words(node: Node) -> Iterator[str]:
    if node.kind == "word":
        yield node.text
    for one in node.wanted:
        yield from _wanted_words(one)


def _plain(words: list[str]) -> str:
    text = " ".join(words)
    return "" if _is_stop(text) else text
