"""`Record`: a light, immutable data class for the everyday path.

`dataclasses` costs 17 ms to import and `typing` 10, more than a whole `mem get` may take beyond the interpreter,
so a record is a tuple whose fields have names. Type checkers see an ordinary frozen data class.
"""

from __future__ import annotations

from _collections import _tuplegetter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, TypeVar, dataclass_transform

    T = TypeVar("T")

    @dataclass_transform(frozen_default=True)
    class Record:
        """An immutable record of its annotated fields, built by position or by name."""

        _fields: tuple[str, ...]

    def new(cls: type[T], *values: object, **fields: object) -> T: ...
    def representation(self: object) -> str: ...

else:

    class _Fields(type):
        """Turns `class Point(Record)` into a tuple of the annotated fields, in one step and without a base of its own.

        At every start of `mem` some twenty record classes are made; a second step would cost each as much again, a base class a
        quarter.
        """

        def __new__(meta, name, bases, body):
            if not bases:
                return type.__new__(meta, name, bases, body)
            fields = tuple(body.get("__annotations__", ()))
            body["_defaults"] = {field: body.pop(field) for field in fields if field in body}
            for index, field in enumerate(fields):
                body[field] = _tuplegetter(index, "")
            body.update(_fields=fields, __slots__=(), __new__=new, __repr__=representation)
            return type(name, (tuple,), body)

    def new(cls, *values, **by_name):
        fields = cls._fields
        if len(values) != len(fields) or by_name:
            defaults = cls._defaults
            try:
                missing = [by_name.pop(name) if name in by_name else defaults[name] for name in fields[len(values) :]]
            except KeyError as name:
                raise TypeError(f"{cls.__name__} needs {name}") from None
            values += tuple(missing)
            if by_name or len(values) != len(fields):
                raise TypeError(f"{cls.__name__} takes {', '.join(fields)}")
        return tuple.__new__(cls, values)

    def representation(self):
        return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in zip(self._fields, self))})"

    class Record(metaclass=_Fields):
        """An immutable record of its annotated fields, built by position or by name."""


def many(kind: type[T], rows: Iterable[Sequence[object]]) -> list[T]:
    """Returns a record for each row of as many values, several times faster than calling the class."""
    make: Any = tuple.__new__
    return [make(kind, row) for row in rows]


def replace(old: T, **changes: object) -> T:
    """Returns a copy of a record with some fields changed, several times faster than calling the class."""
    values, make = as_dict(old) | changes, tuple.__new__
    if not len(values) == len(old) == len(old._fields):  # type: ignore[arg-type, attr-defined]
        return type(old)(**values)  # of a row with fewer values than fields, or with a field that there is not
    return make(type(old), values.values())  # type: ignore[type-var]


def values(of: object) -> tuple[Any, ...]:
    """Returns a record's values as a plain tuple."""
    return tuple(of)  # type: ignore[arg-type]


def as_dict(of: object) -> dict[str, Any]:
    """Returns a record's fields by name, in their declared order."""
    return dict(zip(of._fields, of))  # type: ignore[attr-defined, call-overload]
