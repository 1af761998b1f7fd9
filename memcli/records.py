"""`record`: a light, immutable data class for the everyday path.

`dataclasses` costs 17 ms to import and `typing` 10, more than a whole `mem get` may take beyond the interpreter,
so a record is a tuple whose fields have names. Type checkers see an ordinary frozen data class.
"""

from __future__ import annotations

from _collections import _tuplegetter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar, dataclass_transform

    T = TypeVar("T")

    @dataclass_transform(frozen_default=True)
    def record(cls: type[T]) -> type[T]:
        """Makes a class of annotated fields an immutable record, built by position or by name."""
        raise NotImplementedError

else:

    def record(cls):
        """Makes a class of annotated fields an immutable record, built by position or by name."""
        fields = tuple(cls.__annotations__)
        body = {k: v for k, v in vars(cls).items() if k not in ("__dict__", "__weakref__")}
        defaults = {name: body.pop(name) for name in fields if name in body}
        body.update(
            __slots__=(),
            __new__=_new,
            __repr__=_repr,
            _fields=fields,
            _defaults=defaults,
            **{name: _tuplegetter(place, "") for place, name in enumerate(fields)},
        )
        return type(cls.__name__, (tuple,), body)

    def _new(cls, *values, **named):
        fields = cls._fields
        if len(values) != len(fields) or named:
            defaults = cls._defaults
            rest = fields[len(values) :]
            try:
                values += tuple([named.pop(name) if name in named else defaults[name] for name in rest])
            except KeyError as missing:
                raise TypeError(f"{cls.__name__} needs {missing}") from None
            if named or len(values) != len(fields):
                raise TypeError(f"{cls.__name__} takes {', '.join(fields)}")
        return tuple.__new__(cls, values)

    def _repr(self):
        return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in zip(self._fields, self))})"


def replace(old: T, **changes: object) -> T:
    """Returns a copy of a record with some fields changed."""
    return type(old)(**{**as_dict(old), **changes})


def as_dict(of: object) -> dict[str, object]:
    """Returns a record's fields by name, in their declared order."""
    return dict(zip(of._fields, of))  # type: ignore[attr-defined, call-overload]


@record
class Memory:
    """One thing worth knowing about a repository, true from `anchor` onwards (None: everywhere). Times in ms since 1970 UTC."""

    n: int
    id: str
    thread: str
    kind: str
    title: str
    summary: str
    tags: str
    entities: str
    words: str
    anchor: str | None
    created_at: int
    updated_at: int
    revision: int
    superseded_by: str | None
    forgotten: int
    pinned: int
    suspicious: int
    source_id: str | None
    origin: str
    shown_title: str | None
    shown_summary: str | None
    prompt_tokens: int
    xml_tokens: int


@record
class Link:
    """An edge from a memory to a memory or, where `rel` is "file", to a path; `hash` is the SHA-1 of the file's bytes then."""

    from_id: str
    rel: str
    to_id: str
    hash: str | None
    created_at: int


@record
class Thread:
    """A line of work or a subject that memories belong to."""

    id: str
    title: str
    created_at: int
    memory_count: int


@record
class State:
    """Where the work stood: one JSON value (`body`, canonical text) and, per printed line, what it costs in tokens."""

    id: str
    reason: str
    body: str
    thread: str
    memory_id: str | None
    created_at: int
    hlc_ms: int
    hlc_n: int
    revision: int
    prompt_tokens: str
    xml_tokens: str


@record
class Chunk:
    """A piece of the repository's own text with its place: lines `first_line` to `last_line` of `path`."""

    n: int
    id: str
    path: str
    first_line: int
    last_line: int
    symbol: str
    thread: str
    tags: str
    text: str
    words: str
    created_at: int
    suspicious: int
    shown_lines: int
    prompt_tokens: int
    xml_tokens: int


@record
class Operation:
    """One entry of the operation log. `body` is canonical JSON of the changed fields; `command` groups what undo takes back."""

    revision: int
    id: str
    hlc_ms: int
    hlc_n: int
    writer: str
    kind: str
    object: str
    body: str
    actor: str
    vis: str
    command: int
