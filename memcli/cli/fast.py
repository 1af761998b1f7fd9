"""The strict parser of the everyday path: it takes a command line it understands completely, or none of it.

What it declines (help, an unknown option, a missing value, an unusual spelling) goes to Typer, which declares the options and
words the errors. `table.py` is generated from that declaration, so the two cannot disagree; a test compares them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.cli.table import Command


def parse(words: Sequence[str], command: Command) -> dict[str, Any] | None:
    """Returns the option values of a command line (without the command itself), or None where Typer must look at it."""
    _, _, _, positionals, options, defaults = command
    values: dict[str, Any] = dict(defaults)
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
        option = options.get(name)
        if option is None or not word.startswith("--"):
            return None
        if not _store(values, option, value if equals else None, waiting):
            return None
    return values if _place(values, plain, positionals) else None


def _store(values: dict[str, Any], option: tuple[str, str], value: str | None, waiting: list[str]) -> bool:
    """Puts one option's value in its place; False where it is not certain what was meant."""
    field, kind = option
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


def _place(values: dict[str, Any], plain: list[str], positionals: Sequence[tuple[str, bool, bool]]) -> bool:
    """Gives the plain words to the positionals in order; False where a word or a place is left over."""
    for field, required, many in positionals:
        if many:
            values[field], plain = tuple(plain), []
            if required and not values[field]:
                return False
        elif plain:
            values[field] = plain.pop(0)
        elif required:
            return False
    return not plain
