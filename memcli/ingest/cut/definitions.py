"""Cutting source code: at its definitions, then at what is inside them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from memcli.ingest.cut import grammars
from memcli.ingest.cut.document import Piece, SourceDocument, Unit, fill, in_order, join, labels, qualified
from memcli.ingest.cut.grammars import Unusable
from memcli.ingest.cut.rules import BODIES, CONTAINERS, GRAMMARS, LEADING, Rule
from memcli.records import Record, replace

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_NODES = 1_000_000  # visited in one file: two seconds
_SEARCH_DEPTH = 4  # levels of plain code that are searched for definitions, however small: `if`, `try`, `#ifdef`
_WORST_LEVEL = 200  # of a row as a place for a cut, which is the depth of what begins there
_NAME = 60  # characters
_NAME_BYTES = 240  # of a node that a name is read from
_CHILDREN = 40  # of a node that are searched for a name or a wrapped definition
_WORD = re.compile(r"[^\s(<{=;]+")
_ARGUMENTS = re.compile(r"<[^<>]*>")  # of a generic type
_ID = re.compile(r"""\sid\s*=\s*["']?([^"'\s>]+)""")


class LanguageSyntax(Record):
    """The text of a file in UTF-8, the rules of its language, and how many nodes may still be visited."""

    data: bytes
    rules: Mapping[str, Rule]
    budget: list[int]


class Definition(Record):
    """A definition in the tree: its rows, name and kind, the node that spans it and the one that names it."""

    first: int
    last: int
    name: str
    kind: str
    node: Node
    inner: Node


class RowLevels(dict[int, int]):
    """How deep in the tree that is which begins on a row: the less, the better a place for a cut."""

    def __missing__(self, row: int) -> int:
        return _WORST_LEVEL


class ScopeContents(Record):
    """What is in a definition: the definitions, the depth of each row where something begins, the rows of comments."""

    definitions: list[Definition]
    levels: RowLevels
    leading: set[int]


def cut(document: SourceDocument, language: str) -> list[Piece]:
    """Returns the pieces of source code in order of rows. Raises Unusable if it does not parse and defines nothing."""
    data = "\n".join(document.lines).encode("utf-8", "replace")
    root = grammars.parse(language, data).root_node
    syntax = LanguageSyntax(data, GRAMMARS[language].rules, [_MAX_NODES])
    pieces: list[Piece] = []
    has_definitions = False
    pending = [(Unit(0, len(document.lines) - 1, "", "module", False), root, root)]
    while pending:
        scope, node, inner = pending.pop()
        contents = _contents(document, syntax, scope, node, inner)
        has_definitions = has_definitions or bool(contents.definitions)
        units = _units(document, scope, contents)
        for group in join(document, units):
            first, last = group[0].first, group[-1].last
            name, kind = labels(group)
            if document.cost(first, last) <= document.limit:
                pieces.append(document.piece(first, last, name, kind))
            elif isinstance(group[0].source, Definition):  # a single unit: joined units fit
                pending.append((group[0], group[0].source.node, group[0].source.inner))
            else:
                overlaps = scope.is_definition and len(units) == 1
                stretches = fill(document, first, last, contents.levels.__getitem__, overlaps)
                pieces += [document.piece(start, end, name, kind) for start, end in stretches]
    if root.has_error and not has_definitions:
        raise Unusable("does not parse")
    return in_order(pieces)


def _units(document: SourceDocument, scope: Unit, contents: ScopeContents) -> list[Unit]:
    """Returns the rows of a scope in units without a gap: definitions with the comments above them, and what is between.

    Blank rows go with what is above them, and so does a definition that begins on the row where another ends.
    """
    units: list[Unit] = []
    row = scope.first
    for definition in sorted(contents.definitions, key=lambda definition: (definition.first, -definition.last)):
        if definition.first < row and units:
            if definition.last >= row:
                units[-1] = replace(units[-1], last=definition.last)
                row = definition.last + 1
            continue
        first = definition.first
        while first > row and first - 1 in contents.leading:
            first -= 1
        if not units and document.is_blank(row, first - 1):
            first = row
        _add_plain(document, scope, units, row, first - 1)
        kind = "method" if definition.kind == "function" and scope.kind in CONTAINERS else definition.kind
        separator = " > " if kind == "section" else "."
        name = qualified(scope.name, definition.name, separator)
        units.append(Unit(first, definition.last, name, kind, True, definition))
        row = definition.last + 1
    if units and scope.is_definition and row <= scope.last and document.cost(row, scope.last) < document.limit // 8:
        units[-1] = replace(units[-1], last=scope.last)  # a closing bracket
    else:
        _add_plain(document, scope, units, row, scope.last)
    return units


def _add_plain(document: SourceDocument, scope: Unit, units: list[Unit], first: int, last: int) -> None:
    """Adds rows outside definitions as a unit; blank ones at their beginning to the last unit."""
    while units and first <= last and document.blank[first]:
        units[-1] = replace(units[-1], last=first)
        first += 1
    if first <= last:
        units.append(Unit(first, last, scope.name, scope.kind, scope.is_definition and first == scope.first))


def _contents(document: SourceDocument, syntax: LanguageSyntax, scope: Unit, node: Node, inner: Node) -> ScopeContents:
    """Returns what is in a node. Descends into large plain code, but not into definitions, and never recurses: a text may nest
    as deep as it is long."""
    contents = ScopeContents([], RowLevels(), set())
    code_rows = {node.start_point[0]}  # rows on which code begins or ends: a comment there is about that code
    in_body = scope.kind in BODIES
    cursor, depth = node.walk(), 0
    more = cursor.goto_first_child()
    while more:
        child = cursor.node
        assert child
        syntax.budget[0] -= 1
        if syntax.budget[0] < 0:
            raise Unusable("too many nodes")
        first, last = _rows(child)
        descend = child.id == inner.id or child.is_error
        if not descend and child.is_named:  # a bracket or keyword by itself is no place for a cut
            definition = _definition(syntax, child, first, last)
            if definition and definition.inner.id == inner.id:  # a wrapper in a wrapper of the scope itself
                definition, descend = None, True
            is_comment = child.type in LEADING
            if is_comment:
                contents.leading.update(range(first, last + 1))
            else:
                code_rows.update((first, last))
            if definition and not (in_body and definition.kind == "constant"):
                contents.definitions.append(definition)
            else:
                contents.levels.setdefault(first, depth)
                only_large = in_body or depth >= _SEARCH_DEPTH
                is_large = document.cost(first, last) > document.limit // 2
                descend = last > first and not is_comment and (is_large or not only_large)
        if descend and cursor.goto_first_child():
            depth += 1
            continue
        while more and not cursor.goto_next_sibling():
            more = depth > 0 and cursor.goto_parent()
            depth -= 1
    contents.leading.difference_update(code_rows)
    for row in contents.leading:
        if row + 1 in contents.levels:  # better to cut above the comment
            contents.levels[row + 1] += 1
    return contents


def _rows(node: Node) -> tuple[int, int]:
    """Returns the first and last row of a node; a line break at its end does not begin another row."""
    first, (last, column) = node.start_point[0], node.end_point
    return first, last - 1 if last > first and not column else last


def _definition(syntax: LanguageSyntax, node: Node, first: int, last: int) -> Definition | None:
    """Returns what a node defines, or None."""
    rule, inner = syntax.rules.get(node.type), node
    while rule and rule.via:
        wrapped = _child(inner, rule.via.split())
        if not wrapped:
            return None
        inner, rule = wrapped, syntax.rules.get(wrapped.type)
    if not rule:
        return None
    kind = rule.kind
    for condition, kind_there in rule.kinds.items():
        field, _, child_type = condition.partition(":")
        child = _child(inner, [field])
        if child and child.type == child_type:
            kind = kind_there
            break
    name = _name(syntax, inner, rule.name, kind) if kind else ""
    if not name:
        return None
    if rule.owner:
        name = qualified(_name(syntax, inner, rule.owner, "owner"), name, ".")
    return Definition(first, last, name, kind, node, inner)


def _name(syntax: LanguageSyntax, node: Node, path: str, kind: str) -> str:
    """Returns the name at a path below a node (`Rule.name`), or ""."""
    for step in path.split("/"):
        if step == "#id":
            match = _ID.search(_text(syntax, node))
            return match[1][:_NAME] if match else ""
        below = _child(node, step.rstrip("*").split())
        if step.endswith("*"):
            while below:
                node, below = below, _child(below, [step[:-1]], f"_{step[:-1]}")
        elif not below:
            return ""
        else:
            node = below
    return _plain(_text(syntax, node), kind)


def _text(syntax: LanguageSyntax, node: Node) -> str:
    return syntax.data[node.start_byte : min(node.end_byte, node.start_byte + _NAME_BYTES)].decode("utf-8", "replace")


def _plain(text: str, kind: str) -> str:
    """Returns a name in code as one word, with dots between its parts; of a section or key what fits."""
    if kind == "section":
        return " ".join(text.split())[:_NAME]
    if kind == "key":
        return text.replace('"', "").replace("'", "").strip()[:_NAME]
    if kind == "owner":
        text = text.lstrip("*& ").partition("[")[0]
    word = _WORD.search(_ARGUMENTS.sub("", text))
    return word[0].replace("::", ".").replace("\\", ".").strip(".\"'`")[:_NAME] if word else ""


def _child(node: Node, names: Sequence[str], ending: str = "-") -> Node | None:
    """Returns the first child that has one of the names as its field, else as its type, else whose type ends so."""
    for name in names:
        if child := node.child_by_field_name(name):
            return child
    cursor = node.walk()
    more = cursor.goto_first_child()
    for _ in range(_CHILDREN):
        child = cursor.node
        if not more or not child:
            break
        if child.type in names or child.type.endswith(ending):
            return child
        more = cursor.goto_next_sibling()
    return None
