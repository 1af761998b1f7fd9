"""The `mem` command, with the strict parser of the everyday path.

The parser takes a command line it understands completely, or none of it. What it declines (help, an unknown option, a missing
value, an unusual spelling) goes to Typer, which declares the options and words the errors. `cli/table.py` is generated from
that declaration, so the two cannot disagree; a test compares them.

Annotations are quoted: `from __future__ import annotations` loads a module, and takes longer than parsing the command line.
"""

import _signal
import sys

if __name__ == "__main__" and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)  # until main() answers it, an interrupt just ends the process

import gc
import os
from _frozen_importlib import ModuleSpec

# Importing makes thousands of objects and no garbage; looking for some costs a tenth of the whole command.
gc.set_threshold(100_000)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence
    from typing import Any

    from memcli.cli.table import Command, Option, Positional
    from memcli.errors import MemError


def main() -> None:
    """Runs the command line of this process and ends it with the exit code."""
    is_hook = sys.argv[1:2] == ["hook"]  # a harness takes a failing hook for a veto
    try:
        if _signal.getsignal(_signal.SIGINT) == _signal.SIG_DFL:
            _signal.signal(_signal.SIGINT, _signal.default_int_handler)
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


# The module that was built for a command (hatch_build.py): it holds what each of the group's commands loads. A checkout has none.
GROUPS = {name: name for name in "get search explain show state log status add update pin checkpoint".split()}
GROUPS |= dict.fromkeys(("recent", "threads", "thread"), "list")
GROUPS |= dict.fromkeys(("supersede", "forget", "link", "undo"), "write")
GROUPS |= {"unpin": "pin", "--version": "version"}
GROUPS |= {"hook session-start": "start", "hook user-prompt": "prompt", "hook pre-tool-use": "call"}


def use_everyday(words: "Sequence[str]") -> None:
    """Loads the modules of an everyday command out of one; with MEMPACK_DEBUG from their files, which a traceback names."""
    group = GROUPS.get(" ".join(words if words[:1] == ["hook"] else words[:1])) or ("event" if words[:1] == ["hook"] else "")
    if not group or "MEMPACK_DEBUG" in os.environ:
        return
    try:
        built = __import__(f"memcli._everyday_{group}", fromlist=["*"])
    except ImportError:
        return
    for name, (body, path) in built.MODULES.items():  # in an order in which each finds what it imports
        if name not in sys.modules:
            load(name, body, f"{os.path.dirname(__file__)}/{path}")
    for name in built.MODULES:  # only now: a package is loaded after those of its modules that it imports
        parent, _, own_name = name.rpartition(".")
        setattr(sys.modules[parent], own_name, sys.modules[name])


def load(name: str, body: "Callable[[], None]", path: str) -> None:
    """Makes a module by running its body in the module's namespace; many times faster than letting Python look for it.

    `path`: where the module's source is.
    """
    is_package = path.endswith("__init__.py")
    module: Any = type(sys)(name)
    sys.modules[name] = module
    module.__spec__ = ModuleSpec(name, None, origin=path, is_package=is_package)
    module.__file__ = path
    module.__package__ = name if is_package else name.rpartition(".")[0]
    if is_package:
        module.__path__ = [os.path.dirname(path)]
    try:
        exec(body.__code__, module.__dict__)
    except BaseException:
        del sys.modules[name]
        raise


FILES = {"--agents": [], "--all": ["--claude", "--gemini"]}  # options of `init` in the Go mempack -> ours
FORMATS = {"json": ["--json"], "table": []}


def run(words: "list[str]") -> int:
    """Runs one command line. Returns the exit code."""
    from memcli.cli import table

    if words[:1] == ["help"]:
        words = ["--man"] if words[1:] == ["--man"] else [*[word for word in words[1:2] if word != "help"], "--help"]
    if "_MEM_COMPLETE" not in os.environ and asks_for_help(words, table.COMMANDS):
        from memcli.cli import help
        from memcli.cli.invoke import guarded

        return guarded(lambda: help.show(words[0] if len(words) == 2 else ""), False)
    if words[:1] == ["hook"]:
        from memcli import hook

        return hook.run(words[1:])
    if words[:1] == ["complete"]:
        from memcli.cli import complete

        return complete.run(words[1:])
    if words[:1] == ["ingest-artifact"]:  # its name in mempack
        words = ["ingest", *words[1:]]
    if words[:1] == ["mcp"]:
        words = without_defaults(words)
    if words and words[0] in ("show", "recent", "threads", "thread", "sessions", "repos"):
        words = with_json(words)
    if words[:1] == ["init"]:
        words = [new for word in words for new in FILES.get(word, [word])]
    if words in (["--version"], ["-v"]):
        words = ["version"]
    command = table.COMMANDS.get(words[0]) if words else None
    values = parse(words[1:], command, table.COMMON) if command else None

    if command is None or values is None:
        from memcli.cli.app import run_typer

        return run_typer(words, hinting(words))
    from memcli.cli.invoke import invoke, request_class, worded

    module = __import__(f"memcli.cli.{command[0]}", fromlist=["*"])
    verb = getattr(module, command[1])
    request = getattr(module, command[2]) if command[2] else request_class(words[0])
    return invoke(worded(words[0], verb) if command[2] is None else verb, request, values, hinting(words))


def asks_for_help(words: "Sequence[str]", commands: "Container[str]") -> bool:
    """Tells whether a command line asks for the first screen or a command's page, and for nothing else."""
    if len(words) == 2:
        return words[0] in commands and words[1] in ("--help", "-h")
    return not words or words in (["--help"], ["-h"])


def hinting(words: "Sequence[str]") -> "Callable[[MemError], MemError]":
    """Returns what gives an error of a command line a hint at the line that was meant."""

    def hinted(error: "MemError") -> "MemError":
        from memcli.cli import mistakes

        return mistakes.hinted(words, error, parse)

    return hinted


def without_defaults(words: "list[str]") -> "list[str]":
    """Returns a command line of `mcp` without what is so anyway in configurations for the Go mempack, flags without values."""
    result: list[str] = []
    waiting = list(reversed(words))
    while waiting:
        word = waiting.pop()
        name, equals, value = word.partition("=")
        if name in ("--name", "--version") and (equals or (waiting and not waiting[-1].startswith("-"))):
            waiting = waiting if equals else waiting[:-1]
        elif value in ("true", "false") and name in ("--allow-write", "--debug", "--repair", "--require-repo"):
            result += [name] if value == "true" else []
        elif name != "--stdio" or value not in ("", "true", "false"):
            result.append(word)
    return result


def with_json(words: "list[str]") -> "list[str]":
    """Returns a command line with `--json` for `--format json`, as the Go mempack has it, and without `--format table`."""
    result: list[str] = []
    for word in words:
        if word in FORMATS and result[-1:] == ["--format"]:
            result[-1:] = FORMATS[word]
        else:
            name, _, value = word.partition("=")
            result += FORMATS[value] if name == "--format" and value in FORMATS else [word]
    return result


def parse(words: "Sequence[str]", command: "Command", common: "dict[str, Option]") -> "dict[str, Any] | None":
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


def _store(values: "dict[str, Any]", option: "Option", value: "str | None", waiting: "list[str]") -> bool:
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


def _place(values: "dict[str, Any]", plain: "list[str]", positionals: "Sequence[Positional]") -> bool:
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
