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
