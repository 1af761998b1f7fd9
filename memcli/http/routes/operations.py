"""The routes of all operations, with models of their bodies and answers that are derived from what they declare."""

from __future__ import annotations

import re
import sys
import typing
from collections.abc import Callable
from functools import cache
from inspect import Parameter, Signature
from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field, create_model
from starlette.responses import Response

from memcli import operations
from memcli.fields import Field as RequestField
from memcli.fields import Request, Result, to_json
from memcli.http.calls import ACTOR, MemoryCall, OneCall, answer
from memcli.http.operations import ROUTES, OperationRoute
from memcli.http.routing import Router
from memcli.operations import Operation
from memcli.text import json

router = Router(prefix="/v2")
_TYPES = {"text": str, "name": str, "number": int, "flag": bool, "json": Any}  # every other kind is a list of texts


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Query(BaseModel):
    model_config = ConfigDict(extra="ignore")  # the query also names the memory


def _parameter(name: str, field: RequestField) -> tuple[str, Any, Any]:
    """Returns (name over HTTP, type, pydantic field) of a field of a request."""
    limits: dict[str, Any] = {"description": field.help or None}
    if field.kind == "number":
        limits |= {"ge": field.minimum, "le": field.maximum}
    elif field.kind in ("text", "name"):
        limits |= {"max_length": field.max_length, "min_length": 1 if field.default is ... else None}
    elif field.kind not in _TYPES:
        limits |= {"max_length": field.max_items}
    item = Annotated[str, Field(max_length=field.max_length)]
    annotation: Any = _TYPES.get(field.kind, list[item])
    default = list(field.default) if isinstance(field.default, tuple) else field.default
    if default is None:
        annotation = annotation | None
    return name.removesuffix("_json") if field.kind == "json" else name, annotation, Field(default, **limits)


def _request_model(request: type[Request], base: type[BaseModel], exclude: set[str]) -> type[BaseModel] | None:
    """Returns the model of the fields of a request that are not in the path; None where there are none."""
    parameters = [_parameter(name, field) for name, field in request.FIELDS.items() if name not in exclude]
    definitions: dict[str, Any] = {name: (annotation, default) for name, annotation, default in parameters}
    return create_model(request.__name__, __base__=base, __doc__=request.__doc__, **definitions) if definitions else None


@cache
def _answer_model(result: type[Result]) -> type[BaseModel]:
    """Returns the model of a result; that of a write may name the rules that masked something."""
    definitions: dict[str, Any] = {}
    for name, annotation in _annotations(result).items():
        field = result.FIELDS.get(name)
        is_optional = field is None and name in result._defaults  # left out where it has its default
        definitions[field.output if field and field.output else name] = (
            (annotation | None, None) if is_optional else (annotation, Field(description=field.help if field else None))
        )
    if any(route.method != "GET" and operations.load(route.operation).result is result for route in ROUTES):
        definitions["masked"] = (list[str] | None, Field(None, description="Rules by which something was left out."))
    aliases = {name: f"{name}_" for name in definitions if name == "from"}
    fields = {aliases.get(name, name): definition for name, definition in definitions.items()}
    config = ConfigDict(alias_generator=lambda name: name.removesuffix("_") if name in aliases.values() else name)
    return create_model(result.__name__, __config__=config, __doc__=result.__doc__, **fields)


def _annotations(result: type[Result]) -> dict[str, Any]:
    """Returns the types of a result's fields; names that its modules import for type checking only are of `typing`."""
    names = {**vars(typing)}
    for base in reversed(result.__mro__):
        names |= vars(sys.modules[base.__module__])
    annotated = type(result.__name__, (), {"__annotations__": result._annotations})  # type: ignore[attr-defined]
    return typing.get_type_hints(annotated, names)


def _values(operation: Operation, body: BaseModel | None, path: dict[str, str]) -> dict[str, Any]:
    """Returns the fields of a request from a body (or a query) and a path. A JSON value that was not sent is left out."""
    values: dict[str, Any] = {}
    for name, field in operation.request.FIELDS.items():
        if name in path:
            values[name] = (path[name],) if field.kind == "ids" else path[name]
        elif field.kind == "json":
            key = name.removesuffix("_json")
            if body is not None and key in body.model_fields_set:
                values[name] = json.dumps(getattr(body, key))
        else:
            value = getattr(body, name)
            values[name] = tuple(value) if isinstance(value, list) else value
    return values


def _perform(call: MemoryCall, operation: Operation, request: Request, status: int) -> Response:
    """Answers with the result of an operation. Of several results over one path, the path names the first."""
    if operation.read is not None:
        return answer(to_json(operations.answer(operation, request, call.where())), status)
    caller = operations.Caller(call.where(), ACTOR, {"request": call.request_id})
    result, masked = operations.perform(operation, request, caller)
    record = to_json(result[0] if isinstance(result, list) else result)
    return answer(record | ({"masked": list(masked)} if masked else {}), status)


def _endpoint(route: OperationRoute, operation: Operation) -> Callable[..., Response]:
    """Returns the function that FastAPI calls: its signature has the path's fields, and a body or a query of the others."""
    path = re.findall(r"{(\w+)}", route.path)

    def endpoint(call: MemoryCall, body: BaseModel | None = None, **path_values: str) -> Response:
        request = operation.request(**_values(operation, body, path_values))
        return _perform(call, operation, request, route.status)

    parameters = [Parameter("call", Parameter.KEYWORD_ONLY, annotation=OneCall)]
    for name in path:
        limit = operation.request.FIELDS[name].max_length or 200
        parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, annotation=Annotated[str, Path(max_length=limit)]))
    in_query = route.method in ("GET", "DELETE")
    model: Any = _request_model(operation.request, _Query if in_query else _Body, set(path))
    if model is not None:
        annotation = Annotated[model, Query()] if in_query else model
        parameters.append(Parameter("body", Parameter.KEYWORD_ONLY, annotation=annotation))
    endpoint.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    endpoint.__name__ = route.operation
    endpoint.__doc__ = route.help or f"{operation.summary.rstrip('.')}: `mem {route.operation.replace('_', ' ')}`."
    return endpoint


def _add(route: OperationRoute) -> None:
    operation = operations.load(route.operation)
    result: Any = operation.result
    model: Any = _answer_model(result)
    router.add_api_route(
        route.path.removeprefix(router.prefix),
        _endpoint(route, operation),
        methods=[route.method],
        status_code=route.status,
        response_model=model if operation.read is None else list[model],
        tags=[route.tag],
    )


for route in ROUTES:
    _add(route)
