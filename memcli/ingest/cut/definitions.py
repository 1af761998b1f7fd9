"""Cutting source code: at what it defines, then at what stands inside."""

from __future__ import annotations

import re

from memcli.ingest.cut import grammars
from memcli.ingest.cut.grammars import Unusable
from memcli.ingest.cut.rules import BODIES, CONTAINERS, GRAMMARS, LEADING, Rule
from memcli.ingest.cut.sheet import Unit, fill, in_order, join, labels, qualified
from memcli.records import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tree_sitter import Node

    from memcli.ingest.cut.sheet import Piece, Sheet

_MOST_NODES = 1_000_000  # visited in one file: two seconds
_LOOKED_INTO = 4  # levels of plain code in which definitions are looked for, however small: `if`, `try`, `#ifdef`
_DEEPEST = 200  # how good a place for a cut is, told by its depth in the tree
_NAME = 60  # characters
_READ = 240  # bytes of a node that a name is read from
_CHILDREN = 40  # of a node, among which a name or a wrapped definition is looked for
_WORD = re.compile(r"[^\s(<{=;]+")
_ARGUMENTS = re.compile(r"<[^<>]*>")  # of a generic type
_ID = re.compile(r"""\sid\s*=\s*["']?([^"'\s>]+)""")


class Source(Record):
    """The text of a file in UTF-8, its rules, and how many nodes may still be visited."""

    data: bytes
    rules: Mapping[str, Rule]
    left: list[int]


class Found(Record):
    """A definition in the tree: its rows, name and kind, the node that spans it and the one that names it."""

    first: int
    last: int
    name: str
    kind: str
    node: Node
    inner: Node


class Levels(dict[int, int]):
    """How deep in the tree that is which begins on a row: the less, the better a place for a cut."""

    def __missing__(self, row: int) -> int:
        return _DEEPEST


class Inside(Record):
    """What stands in a definition: the definitions, the depth of each row where something begins, the rows of comments."""

    found: list[Found]
    levels: Levels
    leading: set[int]


def cut(sheet: Sheet, language: str) -> list[Piece]:
    """Returns the pieces of source code in order of rows. Unusable if it cannot be parsed, or nothing in it is sound."""
    data = "\n".join(sheet.lines).encode("utf-8", "replace")
    root = grammars.parse(language, data).root_node
    source = Source(data, GRAMMARS[language].rules, [_MOST_NODES])
    pieces: list[Piece] = []
    named = False
    waiting = [(Unit(0, len(sheet.lines) - 1, "", "module", False), root, root)]
    while waiting:
        scope, node, inner = waiting.pop()
        inside = _look_inside(sheet, source, scope, node, inner)
        named = named or bool(inside.found)
        units = _units(sheet, scope, inside)
        for group in join(sheet, units):
            first, last = group[0].first, group[-1].last
            name, kind = labels(group)
            if sheet.cost(first, last) <= sheet.limit:
                pieces.append(sheet.piece(first, last, name, kind))
            elif isinstance(group[0].source, Found):  # one alone: what is joined fits
                waiting.append((group[0], group[0].source.node, group[0].source.inner))
            else:
                whole = scope.is_definition and len(units) == 1
                stretches = fill(sheet, first, last, inside.levels.__getitem__, whole)
                pieces += [sheet.piece(start, end, name, kind) for start, end in stretches]
    if root.has_error and not named:
        raise Unusable("does not parse")
    return in_order(pieces)


def _units(sheet: Sheet, scope: Unit, inside: Inside) -> list[Unit]:
    """Returns the rows of a scope in units without a gap: definitions with the comments above them, and what is between.

    Empty rows go with what is above them; a definition that begins where another ends, on one row, goes with that.
    """
    units: list[Unit] = []
    row = scope.first
    for one in sorted(inside.found, key=lambda found: (found.first, -found.last)):
        if one.first < row and units:
            if one.last >= row:
                units[-1] = replace(units[-1], last=one.last)
                row = one.last + 1
            continue
        first = one.first
        while first > row and first - 1 in inside.leading:
            first -= 1
        if not units and sheet.is_blank(row, first - 1):
            first = row
        _add_plain(sheet, scope, units, row, first - 1)
        kind = "method" if one.kind == "function" and scope.kind in CONTAINERS else one.kind
        sign = " > " if kind == "section" else "."
        units.append(Unit(first, one.last, qualified(scope.name, one.name, sign), kind, True, one))
        row = one.last + 1
    if units and scope.is_definition and row <= scope.last and sheet.cost(row, scope.last) < sheet.limit // 8:
        units[-1] = replace(units[-1], last=scope.last)  # a closing bracket
    else:
        _add_plain(sheet, scope, units, row, scope.last)
    return units


def _add_plain(sheet: Sheet, scope: Unit, units: list[Unit], first: int, last: int) -> None:
    """Adds rows outside definitions as a unit; empty ones at their beginning to the last unit."""
    while units and first <= last and sheet.blank[first]:
        units[-1] = replace(units[-1], last=first)
        first += 1
    if first <= last:
        units.append(Unit(first, last, scope.name, scope.kind, scope.is_definition and first == scope.first))


def _look_inside(sheet: Sheet, source: Source, scope: Unit, node: Node, inner: Node) -> Inside:
    """Returns what stands in a node. Goes down into plain code that is large, but not into definitions, and never recurses:
    a text may nest as deep as it is long."""
    inside = Inside([], Levels(), set())
    shared = {node.start_point[0]}  # rows on which code begins or ends, where a comment is about that code
    in_body = scope.kind in BODIES
    cursor, depth = node.walk(), 0
    going = cursor.goto_first_child()
    while going:
        child = cursor.node
        assert child
        source.left[0] -= 1
        if source.left[0] < 0:
            raise Unusable("too many parts")
        first, last = _rows(child)
        into = child.id == inner.id or child.is_error
        if not into and child.is_named:  # a bracket or keyword by itself is no place for a cut
            found = _definition(source, child, first, last)
            if found and found.inner.id == inner.id:  # a wrapper in a wrapper of the scope itself
                found, into = None, True
            is_comment = child.type in LEADING
            if is_comment:
                inside.leading.update(range(first, last + 1))
            else:
                shared.update((first, last))
            if found and not (in_body and found.kind == "constant"):
                inside.found.append(found)
            else:
                inside.levels.setdefault(first, depth)
                small = in_body or depth >= _LOOKED_INTO
                into = last > first and not is_comment and (not small or sheet.cost(first, last) > sheet.limit // 2)
        if into and cursor.goto_first_child():
            depth += 1
            continue
        while going and not cursor.goto_next_sibling():
            going = depth > 0 and cursor.goto_parent()
            depth -= 1
    inside.leading.difference_update(shared)
    for row in inside.leading:
        if row + 1 in inside.levels:  # better to cut above the comment
            inside.levels[row + 1] += 1
    return inside


def _rows(node: Node) -> tuple[int, int]:
    """Returns the first and last row of a node; the line break that ends it is not a row of its own."""
    first, (last, column) = node.start_point[0], node.end_point
    return first, last - 1 if last > first and not column else last


def _definition(source: Source, node: Node, first: int, last: int) -> Found | None:
    """Returns what a node defines, or None."""
    rule, inner = source.rules.get(node.type), node
    while rule and rule.via:
        wrapped = _child(inner, rule.via.split())
        if not wrapped:
            return None
        inner, rule = wrapped, source.rules.get(wrapped.type)
    if not rule:
        return None
    kind = rule.kind
    for sign, other in rule.kinds.items():
        where, _, kind_of_child = sign.partition(":")
        child = _child(inner, [where])
        if child and child.type == kind_of_child:
            kind = other
            break
    name = _name(source, inner, rule.name, kind) if kind else ""
    if not name:
        return None
    if rule.owner:
        name = qualified(_name(source, inner, rule.owner, "owner"), name, ".")
    return Found(first, last, name, kind, node, inner)


def _name(source: Source, node: Node, path: str, kind: str) -> str:
    """Returns the name at a path below a node (`Rule.name`), or ""."""
    for step in path.split("/"):
        if step == "#id":
            found = _ID.search(_text(source, node))
            return found[1][:_NAME] if found else ""
        below = _child(node, step.rstrip("*").split())
        if step.endswith("*"):
            while below:
                node, below = below, _child(below, [step[:-1]], f"_{step[:-1]}")
        elif not below:
            return ""
        else:
            node = below
    return _plain(_text(source, node), kind)


def _text(source: Source, node: Node) -> str:
    return source.data[node.start_byte : min(node.end_byte, node.start_byte + _READ)].decode("utf-8", "replace")


def _plain(text: str, kind: str) -> str:
    """Returns a name as written in code as one word, with dots between its parts; of a section what fits."""
    if kind == "section":
        return " ".join(text.split())[:_NAME]
    if kind == "owner":
        text = text.lstrip("*& ").partition("[")[0]
    found = _WORD.search(_ARGUMENTS.sub("", text))
    return found[0].replace("::", ".").replace("\\", ".").strip(".\"'`")[:_NAME] if found else ""


def _child(node: Node, names: Sequence[str], ending: str = "-") -> Node | None:
    """Returns the first child that has one of the names as its field, else as its type, else whose type ends so."""
    for name in names:
        if found := node.child_by_field_name(name):
            return found
    cursor = node.walk()
    going = cursor.goto_first_child()
    for _ in range(_CHILDREN):
        child = cursor.node
        if not going or not child:
            break
        if child.type in names or child.type.endswith(ending):
            return child
        going = cursor.goto_next_sibling()
    return None
