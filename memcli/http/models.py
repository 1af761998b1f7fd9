"""Models of bodies, queries and answers: derived from the declarations of operations, or made of names and types."""

from __future__ import annotations

import sys
import typing
from functools import cache, reduce
from operator import or_
from types import UnionType
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from memcli import operations
from memcli.fields import Field as RequestField
from memcli.fields import Request, Result, accepted
from memcli.operations import Operation
from memcli.records import replace

_RESERVED = ("from", "schema")  # by Python and by pydantic
_TYPES = {"text": str, "name": str, "number": int, "flag": bool, "json": Any}  # every other kind is a list of texts


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Query(BaseModel):
    model_config = ConfigDict(extra="ignore")  # the query also names the memory


def _parameter(name: str, field: RequestField, in_query: bool) -> tuple[str, Any, Any]:
    """Returns (name over HTTP, type, pydantic field) of a field of a request."""
    limits: dict[str, Any] = {"description": field.help or None}
    if field.kind == "number":
        limits |= {"ge": field.minimum, "le": field.maximum}
    elif field.kind in ("text", "name"):
        limits |= {"max_length": field.max_length, "min_length": 1 if field.default is ... and not in_query else None}
    elif field.kind not in _TYPES:
        limits |= {"max_length": field.max_items}
    item = Annotated[str, Field(max_length=field.max_length)]
    annotation: Any = typing.Literal[accepted(field)] if field.choices else _TYPES.get(field.kind, list[item])
    default = list(field.default) if isinstance(field.default, tuple) else field.default
    if default is None:
        annotation = annotation | None
    return name.removesuffix("_json") if field.kind == "json" else name, annotation, Field(default, **limits)


def request_model(request: type[Request], in_query: bool, exclude: set[str], defaults: dict[str, Any]) -> type[BaseModel] | None:
    """Returns the model of the fields of a request, without the excluded ones; None if none is left."""
    fields = {name: replace(field, default=defaults.get(name, field.default)) for name, field in request.FIELDS.items()}
    parameters = [_parameter(name, field, in_query) for name, field in fields.items() if name not in exclude]
    definitions: dict[str, Any] = {name: (annotation, default) for name, annotation, default in parameters}
    if not definitions:
        return None
    base: type[BaseModel] = _Query if in_query else _Body
    return create_model(request.__name__, __base__=base, __doc__=request.__doc__, **definitions)


def answer_type(operation: Operation) -> Any:
    """Returns the type of an operation's answer, with models for results."""
    if operation.read is None:
        return typed(operation.result)
    if hasattr(operation.result, "answer"):
        names = {**vars(typing), **vars(sys.modules[operation.result.__module__])}
        return typed(typing.get_type_hints(operation.result.answer, names)["return"])
    return typed(list[operation.result])  # type: ignore[name-defined]


def typed(annotation: Any) -> Any:
    """Returns an annotation with models in place of results."""
    if isinstance(annotation, type) and issubclass(annotation, Result):
        result: Any = annotation
        return _result_model(result)
    arguments = tuple(map(typed, typing.get_args(annotation)))
    if isinstance(annotation, UnionType):
        return reduce(or_, arguments)
    origin = typing.get_origin(annotation)
    return annotation if origin in (None, typing.Literal) else origin[arguments]


@cache
def _result_model(result: type[Result]) -> type[BaseModel]:
    """Returns the model of a result. That of a write may name the rules that masked something."""
    definitions: dict[str, Any] = {}
    for name, declared in _annotations(result).items():
        annotation = typed(declared)
        field = result.FIELDS.get(name)
        is_optional = field is None and name in result._defaults  # left out where it has its default
        definitions[field.output if field and field.output else name] = (
            (annotation | None, None) if is_optional else (annotation, Field(description=field.help if field else None))
        )
    if result in _written():
        definitions["masked"] = (list[str] | None, Field(None, description="Rules by which something was left out."))
    aliases = {name: f"{name}_" for name in definitions if name in _RESERVED}
    fields = {aliases.get(name, name): definition for name, definition in definitions.items()}
    config = ConfigDict(alias_generator=lambda name: name.removesuffix("_") if name in aliases.values() else name)
    return create_model(result.__name__, __config__=config, __doc__=result.__doc__, **fields)


@cache
def _written() -> set[type[Result]]:
    return {operation.result for operation in map(operations.load, operations.MODULES) if operation.plan is not None}


def _annotations(result: type[Result]) -> dict[str, Any]:
    """Returns the types of a result's fields. Names that its module imports only for type checking are from `typing`."""
    names = {**vars(typing)}
    for base in reversed(result.__mro__):
        names |= vars(sys.modules[base.__module__])
    annotated = type(result.__name__, (), {"__annotations__": result._annotations})  # type: ignore[attr-defined]
    return typing.get_type_hints(annotated, names)


def shape(name: str, texts: str = "", /, **fields: Any) -> type[BaseModel]:
    """Returns the model of an answer. `texts` names its texts; the others have types, or pairs of a type and a default."""
    types = {**dict.fromkeys(texts.split(), str), **fields}
    pairs: dict[str, Any] = {field: kind if isinstance(kind, tuple) else (kind, ...) for field, kind in types.items()}
    return create_model(name, **pairs)


def listed(item: Any) -> Any:
    """Returns the type of a list of items."""
    return list[item]


def paged(name: str, items: str, item: Any, /, **fields: Any) -> type[BaseModel]:
    """Returns the model of a page: items, the total number, and whether more follow."""
    return shape(name, **fields, **{items: listed(item)}, total=int, hasMore=bool)
