"""Errors worth showing. Each carries a hint: the next thing to try.

MemError        exit 1   something failed: disk, lock, git, a damaged or newer store
  InvalidInput  exit 2   the call or its input cannot be accepted; nothing was stored
    Changed     exit 2   it was based on a revision that is not the last one
  NotFound      exit 3   what was named does not exist

A hint is a text, or a tuple of texts and references to operations and options. Each door words the references in its own
terms: `("replace it with ", Call("supersede", "M-1"))` reads `mem supersede M-1` in a terminal, `mempack_supersede` over MCP and
`POST /v2/memories/M-1/supersede` over HTTP.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Hint = str | tuple["str | Call | Option", ...]


class Call:
    """A reference to an operation: its name, its arguments in order, and further fields by name."""

    __slots__ = ("arguments", "fields", "operation")

    def __init__(self, operation: str, *arguments: str, **fields: str) -> None:
        self.operation = operation
        self.arguments = arguments
        self.fields = fields


class Option:
    """A reference to a field of the operation that failed."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


def command_line(call: Call) -> str:
    """Words a reference to an operation for a terminal: `mem add TITLE --summary TEXT`."""
    options = [f"--{name.replace('_', '-')} {value}".rstrip() for name, value in call.fields.items()]
    return " ".join(["mem", call.operation, *call.arguments, *options])


def command_option(option: Option) -> str:
    """Words a reference to a field for a terminal: `--summary`."""
    return f"--{option.name.replace('_', '-')}"


class MemError(Exception):
    """A failure that a person can act on. `hint` says how, in the words of the command line; `code` is stable for programs."""

    code = "failed"
    exit_code = 1

    def __init__(self, message: str, hint: Hint = "", code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.parts: Hint = hint
        if code:
            self.code = code

    @property
    def hint(self) -> str:
        """The hint for a terminal."""
        return self.worded(command_line, command_option)

    def worded(self, call: Callable[[Call], str], option: Callable[[Option], str]) -> str:
        """Returns the hint in the terms of a door, which words the references in it."""
        if isinstance(self.parts, str):
            return self.parts
        texts = [
            call(item) if isinstance(item, Call) else option(item) if isinstance(item, Option) else item for item in self.parts
        ]
        return "".join(texts)


class InvalidInput(MemError):
    """The input cannot be accepted as it is; nothing was stored."""

    code = "invalid_input"
    exit_code = 2


class Changed(InvalidInput):
    """What the change was based on is not what is stored now. `revision`: where that is."""

    code = "changed"

    def __init__(self, message: str, hint: Hint, revision: int) -> None:
        super().__init__(message, hint)
        self.revision = revision


class NotFound(MemError):
    """What was named does not exist here."""

    code = "not_found"
    exit_code = 3
