"""The `mem` command, with the strict parser of the everyday path.

The parser takes a command line it understands completely, or none of it. What it declines (help, an unknown option, a missing
value, an unusual spelling) goes to Typer, which declares the options and words the errors. `cli/table.py` is generated from
that declaration, so the two cannot disagree; a test compares them.
"""

from __future__ import annotations

import gc
import os
import sys
from _frozen_importlib import ModuleSpec

# Importing makes thousands of objects and no garbage; looking for some costs a tenth of the whole command.
gc.set_threshold(100_000)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType
    from typing import Any

    from memcli.cli.table import Command, Option, Positional


def main() -> None:
    """Runs the command line of this process and ends it with the exit code."""
    is_hook = sys.argv[1:2] == ["hook"]  # a harness takes a failing hook for a veto
    try:
        use_everyday(sys.argv[1:3])
        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = 0 if is_hook else 130
    except Exception as error:  # not even our own modules could be read: no file handles, no memory, a half-removed installation
        os.write(
            2, f"Error: mem could not start: {error}\nHint: run it again; if that does not help, reinstall memcli\n".encode()
        )
        code = 0 if is_hook else 1
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            try:
                stream.flush()
            except (OSError, ValueError):
                pass
    os._exit(code)  # everything is closed: tearing the interpreter down would only cost time


# The module that was built for a command (hatch_build.py): it holds what the command loads. A checkout has none.
# A group is as small as it can be: what it holds is read for each of its commands, whether that needs it or not.
GROUPS = {"get": "get", "search": "search", "explain": "explain", "show": "show", "--version": "version"}
GROUPS |= dict.fromkeys(("recent", "threads", "thread", "log", "state"), "list")
GROUPS |= dict.fromkeys(("add", "update", "pin"), "add")
GROUPS |= dict.fromkeys(("supersede", "forget", "link", "checkpoint", "undo"), "write")
GROUPS |= {"hook session-start": "start", "hook user-prompt": "prompt"}


class Everyday:
    """Imports modules of ours out of the one that was built for a group of commands, without looking for files.

    `modules`: name -> (a function that fills the module's namespace, the source's path within the package).
    """

    def __init__(self, modules: dict[str, tuple[Callable[[], None], str]]) -> None:
        self.modules = modules

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Returns where a module comes from, None for one that is not here."""
        if name not in self.modules:
            return None
        source = os.path.join(os.path.dirname(__file__), self.modules[name][1])
        is_package = source.endswith("__init__.py")
        spec = ModuleSpec(name, self, origin=source, is_package=is_package)  # type: ignore[arg-type]
        spec.has_location = True
        if is_package:
            spec.submodule_search_locations = [os.path.dirname(source)]
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        """Leaves making the module to Python."""

    def exec_module(self, module: ModuleType) -> None:
        """Runs a module's body in its namespace."""
        exec(self.modules[module.__name__][0].__code__, module.__dict__)


def use_everyday(words: Sequence[str]) -> None:
    """Makes an everyday command import its modules out of one; with MEMPACK_DEBUG from their files, which a traceback names."""
    group = GROUPS.get(" ".join(words if words[:1] == ["hook"] else words[:1])) or ("event" if words[:1] == ["hook"] else "")
    if not group or "MEMPACK_DEBUG" in os.environ:
        return
    try:
        built = __import__(f"memcli._everyday_{group}", fromlist=["*"])
    except ImportError:
        return
    sys.meta_path.insert(0, Everyday(built.MODULES))


def run(words: list[str]) -> int:
    """Runs one command line. Returns the exit code."""
    from memcli.cli import table

    if words[:1] == ["hook"]:
        from memcli import hook

        return hook.run(words[1:])
    if words[:1] == ["ingest-artifact"]:  # its name in mempack
        words = ["ingest", *words[1:]]
    if words == ["--version"]:
        words = ["version"]
    command = table.COMMANDS.get(words[0]) if words else None
    values = parse(words[1:], command, table.COMMON) if command else None
    if command is None or values is None:
        from memcli.cli.app import run_typer

        return run_typer(words)
    from memcli.cli.invoke import invoke, request_class

    module = __import__(f"memcli.cli.verbs.{command[0]}", fromlist=["*"])
    return invoke(getattr(module, command[1]), getattr(module, command[2]) if command[2] else request_class(words[0]), values)


def parse(words: Sequence[str], command: Command, common: dict[str, Option]) -> dict[str, Any] | None:
    """Returns the option values of a command line (without the command itself), or None where Typer must look at it."""
    _, _, _, positionals, options, shared = command
    values: dict[str, Any] = {field: default for field, _, default in options.values()}
    plain: list[str] = []
    waiting = list(reversed(words))
    while waiting:
        word = waiting.pop()
        if word == "--":
            plain += reversed(waiting)
            break
        if not word.startswith("-") or word == "-":
            plain.append(word)
            continue
        name, equals, value = word.partition("=")
        option = options.get(name) or (common[name] if name in shared else None)
        if option is None or not _store(values, option, value if equals else None, waiting):
            return None
    return values if _place(values, plain, positionals) and ... not in values.values() else None


def _store(values: dict[str, Any], option: Option, value: str | None, waiting: list[str]) -> bool:
    """Puts one option's value in its place; False where it is not certain what was meant."""
    field, kind, _ = option
    if kind == "flag":
        values[field] = True
        return value is None
    if value is None:
        if not waiting:
            return False
        value = waiting.pop()
    if kind == "int":
        if not (value.isascii() and value.isdigit() and len(value) < 10):
            return False
        values[field] = int(value)
    elif kind == "many":
        values[field] = (*values[field], value)
    else:
        values[field] = value
    return True


def _place(values: dict[str, Any], plain: list[str], positionals: Sequence[Positional]) -> bool:
    """Gives the plain words to the positionals in order; False where a word or a place is left over."""
    for field, required, many, default in positionals:
        if required and not plain:
            return False
        if many:
            values[field], plain = tuple(plain), []
        else:
            values[field] = plain.pop(0) if plain else default
    return not plain


if __name__ == "__main__":
    main()
