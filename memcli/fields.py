"""Requests and results: records whose fields also say what they take.

A request is declared once, and every door derives its side from that: the command line its options and help, HTTP its models,
MCP its schemas, the docs their tables. A field is declared by one of the functions below:

    class AddRequest(MemoryFields):
        files: tuple[str, ...] = paths("A file it mentions.", default=())

`CLASS.FIELDS` has them by name. Subclasses inherit fields; with `partial=True` all of them become optional.
Light as records are: no `typing` and no `dataclasses` at run time.
"""

from __future__ import annotations

from _collections import _tuplegetter

from memcli.errors import InvalidInput, Option
from memcli.records import Record, new, replace, representation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, dataclass_transform

REQUIRED: Any = ...  # the default of a field that has none
LIMIT_FLAG = "--limit,-n"


class Field(Record):
    """What one field takes. Lengths are characters, of a list those of each item."""

    kind: str  # text, name, number, flag, labels, paths, ids or json
    help: str = ""
    default: Any = REQUIRED
    max_length: int | None = None
    max_items: int | None = None
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[str, ...] = ()
    metavar: str = ""  # what stands for a value in help, such as NAME
    flag: str = ""  # its option on the command line, where that is not its name; several have a comma between them
    output: str = ""  # its name in results, where that is another
    lowercase: bool = False


def text(help: str, *, default: Any = REQUIRED, max_length: int | None = None, metavar: str = "TEXT", **more: Any) -> Any:
    """A text, kept as it is."""
    return Field("text", help, default, max_length, metavar=metavar, **more)


def name(help: str, *, default: Any = REQUIRED, max_length: int = 80, metavar: str = "NAME", **more: Any) -> Any:
    """A short name of printable characters, trimmed."""
    return Field("name", help, default, max_length, metavar=metavar, **more)


def number(help: str, *, default: Any = REQUIRED, minimum: int = 0, maximum: int | None = None, **more: Any) -> Any:
    """A whole number."""
    return Field("number", help, default, minimum=minimum, maximum=maximum, **{"metavar": "N", **more})


def flag(help: str, *, default: bool, **more: Any) -> Any:
    """Yes or no."""
    return Field("flag", help, default, **more)


def labels(help: str, *, default: Any, max_items: int = 100, max_length: int = 80, **more: Any) -> Any:
    """A list of short names, each once; comma-separated on the command line."""
    return Field("labels", help, default, max_length, max_items, **{"metavar": "A,B", **more})


def paths(help: str, *, default: Any, max_items: int = 100, **more: Any) -> Any:
    """A list of paths of files; an option that may be repeated on the command line."""
    return Field("paths", help, default, 4096, max_items, **{"metavar": "PATH", **more})


def identifier(help: str = "A memory's id, or a unique prefix.", *, default: Any = REQUIRED, metavar: str = "ID") -> Any:
    """The id of something stored, or a unique prefix of it."""
    return Field("text", help, default, 80, metavar=metavar)


def identifiers(help: str, *, default: Any = REQUIRED, max_items: int = 100) -> Any:
    """The ids of things stored."""
    return Field("ids", help, default, 80, max_items, metavar="ID...")


def json_value(help: str, *, default: Any = REQUIRED) -> Any:
    """Any JSON value."""
    return Field("json", help, default, metavar="JSON")


if TYPE_CHECKING:

    @dataclass_transform(
        frozen_default=True,
        kw_only_default=True,
        field_specifiers=(text, name, number, flag, labels, paths, identifier, identifiers, json_value),
    )
    class Request:
        """What an operation is asked for. Its fields are declared by the functions of this module."""

        FIELDS: dict[str, Field]
        _fields: tuple[str, ...]
        _defaults: dict[str, Any]

        def __init_subclass__(cls, partial: bool = False) -> None: ...

    @dataclass_transform(frozen_default=True, field_specifiers=(text, number, labels, json_value))
    class Result:
        """What an operation answers."""

        FIELDS: dict[str, Field]
        _fields: tuple[str, ...]
        _defaults: dict[str, Any]

        def to_json(self) -> dict[str, Any]: ...

else:

    class _Schema(type):
        """Turns annotated fields, inherited ones first, into a tuple with names, and keeps what each takes in FIELDS."""

        def __new__(meta, name, bases, body, partial=False):
            annotations, fields, defaults = {}, {}, {}
            for base in bases:
                annotations.update(base._annotations)
                fields.update(base.FIELDS)
                defaults.update(base._defaults)
            if partial:
                fields = {name: replace(field, default=None) for name, field in fields.items()}
                defaults = dict.fromkeys(annotations)
            for field, annotation in body.get("__annotations__", {}).items():
                annotations[field] = annotation
                declared = body.pop(field, REQUIRED)
                if type(declared) is Field:
                    fields[field] = declared
                    declared = declared.default
                if declared is not REQUIRED:
                    defaults[field] = declared
                else:
                    defaults.pop(field, None)
            for index, field in enumerate(annotations):
                body[field] = _tuplegetter(index, "")
            body.update(_fields=tuple(annotations), _annotations=annotations, _defaults=defaults, FIELDS=fields, __slots__=())
            body.update(__new__=new, __repr__=representation)
            return type.__new__(meta, name, bases or (tuple,), body)

        def __init__(cls, name, bases, body, partial=False):
            type.__init__(cls, name, bases, body)

    class Request(metaclass=_Schema):
        """What an operation is asked for. Its fields are declared by the functions of this module."""

    class Result(metaclass=_Schema):
        """What an operation answers."""

        def to_json(self):
            """Returns the result as data. A plain field that has its default is left out."""
            names = {name: field.output or name for name, field in self.FIELDS.items()}
            return {
                names.get(name, name): to_json(value)
                for name, value in zip(self._fields, self)
                if name in names or name not in self._defaults or value != self._defaults[name]
            }


def to_json(value: Any) -> Any:
    """Returns a result, or a list of them, as data. What has a method `answer` is answered by its result."""
    if hasattr(value, "answer"):
        value = value.answer()
    if hasattr(value, "to_json"):
        return value.to_json()
    return [to_json(item) for item in value] if isinstance(value, (list, tuple)) else value


def options(request: Request) -> dict[str, Any]:
    """Returns the fields of a request that were given: those that are not None."""
    values: Any = request
    return {name: value for name, value in zip(request._fields, values) if value is not None}


class Based(Request):
    """A change that may state the revision it is based on."""

    if_revision: int | None = number(
        "Refuse if what this would change has changed since this log revision.", default=None, maximum=(1 << 53) - 1
    )


class Timed(Request):
    """From when to when."""

    since: str | None = text(
        "From this time on: a date, 3d, 2w, yesterday, last week, monday, march, a tag or a branch.",
        default=None,
        max_length=200,
        metavar="WHEN",
    )
    until: str | None = text("Up to and including this time.", default=None, max_length=200, metavar="WHEN")


class Filtered(Timed):
    """The conditions for memories; None: any."""

    kind: str | None = text(
        "decision, bugfix, note, summary, ...; statements: open, instruction, preference, fact, dropped, lesson, command.",
        default=None,
        max_length=80,
        metavar="KIND",
    )
    thread: str | None = text("The thread.", default=None, max_length=80, metavar="NAME")
    origin: str | None = text("How it came in: cli, agent, mcp, hook, import, ...", default=None, max_length=80, metavar="NAME")


MAX_LIMIT = 100_000  # results of one call


def limit(default: int) -> Any:
    """The maximum number of results."""
    return number("The maximum number of results.", default=default, minimum=1, maximum=MAX_LIMIT, flag=LIMIT_FLAG)


def accepted(field: Field) -> tuple[str, ...]:
    """Returns the values that a field with choices accepts; for an optional name also the empty one, which removes it."""
    return (*field.choices, "") if field.choices and field.kind == "name" and field.default is None else field.choices


def check_choice(name: str, value: str, field: Field) -> str:
    """Returns a value that is one of a field's choices. Raises InvalidInput."""
    if value not in accepted(field):
        raise InvalidInput(f"no {name} {value[:40]!r}", f"use {', '.join(field.choices)}")
    return value


def validate(request: Request) -> None:
    """Raises InvalidInput for a number of a request that is out of range, or a text that is not one of its choices."""
    for name, field in request.FIELDS.items():
        if not (field.kind == "number" or field.choices) or (value := getattr(request, name)) is None:
            continue
        if field.choices:
            check_choice(name, value, field)
        if field.kind == "number" and (value < field.minimum or (field.maximum is not None and value > field.maximum)):
            limits = f"at least {field.minimum}" if field.maximum is None else f"{field.minimum} to {field.maximum:,}"
            raise InvalidInput(f"{name} must be {limits}, not {value}", ("give ", Option(name), f" {limits}"))
