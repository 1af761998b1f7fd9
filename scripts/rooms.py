#!/usr/bin/env python3
"""Holds that a room is entered by its public modules only, and that no modules import each other in a circle.

Usage: rooms.py [--list]

A room is a package directly below `memcli`. What others may import of it stands in pyproject.toml, `[tool.memcli.public]`;
imports for type checkers count, too. A public module that nobody outside imports is an offence as well: the list stays true.
"""

import ast
import sys
import tomllib
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "memcli"


def main():
    trees = modules(ROOT)
    imports = {name: set(imported(tree, name, trees)) for name, tree in trees.items()}
    entered = entrances(imports)
    if sys.argv[1:] == ["--list"]:
        for room, names in sorted(entered.items()):
            print(f"{room} = {sorted(names)}".replace("'", '"'))
        return 0
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][PACKAGE]["public"]
    offences = [*undeclared(imports, declared), *unused(entered, declared), *circles(trees)]
    for offence in offences:
        print(offence)
    return 1 if offences else 0


def modules(root):
    """Returns every module of the package by its dotted name, parsed."""
    paths = sorted((root / PACKAGE).rglob("*.py"))
    names = [".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__") for path in paths]
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in zip(names, paths, strict=True)}


def imported(tree, importer, trees):
    """Yields the modules of the package that a module imports, wherever the statement stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            targets = [f"{node.module}.{alias.name}" for alias in node.names]
            targets = [target if target in trees else node.module for target in targets]
        elif isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        else:
            continue
        yield from (target for target in targets if target in trees and target != importer)


def room_of(name):
    return name.split(".")[1] if "." in name else ""


def entrances(imports):
    """Returns room -> its modules, without the room's own name, that modules outside import."""
    entered = {}
    for importer, targets in imports.items():
        for target in targets:
            if target.count(".") > 1 and room_of(target) != room_of(importer):
                entered.setdefault(room_of(target), set()).add(target.split(".", 2)[2])
    return entered


def undeclared(imports, declared):
    for importer, targets in sorted(imports.items()):
        for target in sorted(targets):
            is_inside = target.count(".") < 2 or room_of(target) == room_of(importer)
            if not is_inside and target.split(".", 2)[2] not in declared.get(room_of(target), ()):
                yield f"{importer} imports {target}, which is not a public module of its room"


def unused(entered, declared):
    for room, names in sorted(declared.items()):
        for name in sorted(set(names) - entered.get(room, set())):
            yield f"{PACKAGE}.{room}.{name} is declared public, and nothing outside the room imports it"


def circles(trees):
    """Yields one line where modules import each other in a circle; blocks for type checkers do not run and do not count."""
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
                node.body = [ast.Pass()]
    try:
        TopologicalSorter({name: set(imported(tree, name, trees)) for name, tree in trees.items()}).prepare()
    except CycleError as error:
        yield f"a circle of imports: {' <- '.join(error.args[1])}"


if __name__ == "__main__":
    sys.exit(main())
