#!/usr/bin/env python3
"""Holds the size limits in memcli/, tests/ and scripts/: `limits.py [ROOT]`."""

import ast
import sys
from pathlib import Path

ROOMS = ("memcli", "tests", "scripts")
PAGE = "memcli/http/viewer/"  # whose JavaScript has the limits of a file, too; ruff holds the width of Python
WIDTH = 130
FILE_LINES = 400
FUNCTION_LINES = 50
PARAMETERS = 6
ANY_PARAMETERS = "memcli/cli/app/"  # a command's declaration has one for each of its options


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent)
    problems = [offence for path in sources(root) for offence in offences(path, path.relative_to(root).as_posix())]
    for offence in problems:
        print(offence)
    return 1 if problems else 0


def sources(root):
    """Python files, and the scripts of any language that have no suffix."""
    for room in ROOMS:
        for path in sorted((root / room).rglob("*")):
            is_page = path.suffix == ".js" and path.relative_to(root).as_posix().startswith(PAGE)
            if path.is_file() and (path.suffix in ("", ".py") or is_page):
                yield path


def offences(path, name):
    text = path.read_text(encoding="utf-8")
    lines = len(text.splitlines())
    if lines > FILE_LINES:
        yield f"{name}:1 the file: {lines} lines (limit {FILE_LINES})"
    if path.suffix == ".js":
        for number, line in enumerate(text.splitlines(), 1):
            if len(line) > WIDTH:
                yield f"{name}:{number} the line: {len(line)} characters (limit {WIDTH})"
    if path.suffix == ".py" or "python" in text.partition("\n")[0]:
        for node in ast.walk(ast.parse(text, name)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from function_offences(node, name)


def function_offences(node, name):
    where = f"{name}:{node.lineno} {node.name}"
    lines = node.end_lineno - node.lineno + 1
    if lines > FUNCTION_LINES:
        yield f"{where}: {lines} lines (limit {FUNCTION_LINES})"
    count = parameters(node.args)
    if count > PARAMETERS and not name.startswith(ANY_PARAMETERS):
        yield f"{where}: {count} parameters (limit {PARAMETERS})"


def parameters(args):
    names = [arg.arg for arg in (*args.posonlyargs, *args.args)]
    bound = names[:1] in (["self"], ["cls"])
    return len(names) - bound + len(args.kwonlyargs) + bool(args.vararg) + bool(args.kwarg)


if __name__ == "__main__":
    sys.exit(main())
