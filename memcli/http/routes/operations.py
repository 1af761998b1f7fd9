"""The routes of all operations."""

from __future__ import annotations

import re
import typing
from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Annotated, Any

from fastapi import Header, Path, Query
from pydantic import BaseModel, Field, create_model
from starlette.responses import Response

from memcli import operations
from memcli.errors import Changed
from memcli.fields import Request, to_json
from memcli.http import lists
from memcli.http.calls import ACTOR, MemoryCall, OneCall, answer
from memcli.http.lists import Window
from memcli.http.models import answer_type, request_model, typed
from memcli.http.operations import ROUTES, OperationRoute
from memcli.http.routing import Router
from memcli.operations import Operation
from memcli.serving.projects import open_to_write
from memcli.store import oplog
from memcli.text import json

router = Router(prefix="/v2")
_BASIS = "if_revision"  # a field of requests that HTTP has a header for
_IfMatch = Annotated[
    str | None, Header(max_length=400, description="The ETag that the change is based on; 412 where it was changed meanwhile.")
]


def _values(route: OperationRoute, operation: Operation, body: BaseModel | None, path: dict[str, str]) -> dict[str, Any]:
    """Returns the fields of a request from a route, a body or query, and a path. A JSON value that was not sent is left out."""
    values: dict[str, Any] = {}
    for name, field in operation.request.FIELDS.items():
        if name in route.values or name == _BASIS:
            continue
        if name in path:
            values[name] = (path[name],) if field.kind == "ids" else path[name]
        elif field.kind == "json":
            key = name.removesuffix("_json")
            if body is not None and key in body.model_fields_set:
                values[name] = json.dumps(getattr(body, key))
        else:
            value = getattr(body, name)
            values[name] = tuple(value) if isinstance(value, list) else value
    return values | route.values


def _revision(call: MemoryCall, if_match: str | None) -> int | None:
    """Returns the newest revision that an If-Match names; None: any.

    Raises Changed if it names no existing revision.
    """
    if if_match is None or if_match.strip() == "*":
        return None
    tags = [re.fullmatch(r'"(\d{1,15})"', tag.strip()) for tag in if_match.split(",")]
    newest = call.read(lambda project: oplog.revision(project.db))
    revisions = [int(tag[1]) for tag in tags if tag and int(tag[1]) <= newest]
    if not revisions:
        raise Changed("If-Match names no revision of this memory", "nothing was stored; send the ETag of an answer", newest)
    return max(revisions)


def _tagged(response: Response, record: dict[str, Any]) -> Response:
    """Returns a response with the revision of the memory in it as its ETag."""
    if revision := (record.get("memory") or record).get("revision"):
        response.headers["etag"] = f'"{revision}"'
    return response


def _list(call: MemoryCall, route: OperationRoute, operation: Operation, request: Request, body: Any) -> Response:
    """Answers with a page of what an operation lists."""
    work = lists.of_operation(operation, request, "limit" in route.values, Window(body.limit, body.offset))
    return call.reading(work)


def _perform(call: MemoryCall, operation: Operation, request: Request, status: int) -> Response:
    """Answers with the result of an operation; with the first one, if the path names a single id."""
    if operation.read is not None:
        result = call.read(lambda project: operations.read(operation, request, project))
        if operation.name != "show":
            return answer(to_json(result), status)
        record = to_json(result[0])
        return _tagged(answer(record, status), record)
    caller = operations.Caller(call.where(), ACTOR, {"request": call.request_id})
    result, masked = operations.perform(operation, request, caller, open_to_write)
    if isinstance(result, list) and not getattr(request, "id", True):
        return answer(to_json(result), status)
    record = to_json(result[0] if isinstance(result, list) else result)
    return _tagged(answer(record | ({"masked": list(masked)} if masked else {}), status), record)


def _endpoint(route: OperationRoute, operation: Operation) -> Callable[..., Response]:
    """Returns the function that FastAPI calls: its signature has the path's fields, and a body or a query of the others."""
    path = re.findall(r"{(\w+)}", route.path)

    def endpoint(call: MemoryCall, body: BaseModel | None = None, if_match: str | None = None, **path_values: str) -> Response:
        basis = {_BASIS: _revision(call, if_match)} if _BASIS in operation.request.FIELDS else {}
        request = operation.request(**_values(route, operation, body, path_values), **basis)
        if _is_list(route, operation):
            return _list(call, route, operation, request, body)
        return _perform(call, operation, request, route.status)

    parameters = [Parameter("call", Parameter.KEYWORD_ONLY, annotation=OneCall)]
    for name in path:
        limit = operation.request.FIELDS[name].max_length or 200
        parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, annotation=Annotated[str, Path(max_length=limit)]))
    if _BASIS in operation.request.FIELDS:
        parameters.append(Parameter("if_match", Parameter.KEYWORD_ONLY, default=None, annotation=_IfMatch))
    in_query = route.method in ("GET", "DELETE")
    model: Any = request_model(operation.request, in_query, {*path, *route.values, _BASIS}, route.defaults)
    if _is_list(route, operation):
        model = _with_window(model, operation)
    if model is not None:
        annotation = Annotated[model, Query()] if in_query else model
        parameters.append(Parameter("body", Parameter.KEYWORD_ONLY, annotation=annotation))
    endpoint.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    has_name = route.values or route.defaults  # of several routes of an operation, each has that of its path
    endpoint.__name__ = re.findall(r"/(\w+)", route.path)[-1] if has_name else route.operation
    endpoint.__doc__ = route.help or f"{operation.summary.rstrip('.')}: `mem {route.operation.replace('_', ' ')}`."
    return endpoint


def _answers(route: OperationRoute, operation: Operation) -> Any:
    """Returns the type of a route's answer; if it lists something, of the list."""
    return answer_type(operation) if route.answers is None else typed(route.answers)


def _is_list(route: OperationRoute, operation: Operation) -> bool:
    return route.method == "GET" and typing.get_origin(_answers(route, operation)) is list


def _with_window(model: type[BaseModel] | None, operation: Operation) -> type[BaseModel]:
    """Returns the model of a query with the fields of a page, as far as the operation has none of its own."""
    fields: dict[str, Any] = {
        "limit": (int, Field(lists.MOST, ge=1, le=lists.MOST, description=lists.LIMIT)),
        "offset": (int, Field(0, ge=0, le=lists.FURTHEST, description=lists.OFFSET)),
    }
    present = model.model_fields if model else {}
    added = {name: field for name, field in fields.items() if name not in present}
    if model is None:
        return create_model(operation.request.__name__, **added)
    return create_model(model.__name__, __base__=model, __doc__=model.__doc__, **added)


def _response_model(route: OperationRoute, operation: Operation) -> Any:
    answers = _answers(route, operation)
    if not _is_list(route, operation):
        return answers
    (item,) = typing.get_args(answers)
    return lists.page_type(item, "" if isinstance(item, type) else route.operation.capitalize(), operation.hidden is not None)


def _add(route: OperationRoute) -> None:
    operation = operations.load(route.operation)
    router.add_api_route(
        route.path.removeprefix(router.prefix),
        _endpoint(route, operation),
        methods=[route.method],
        status_code=route.status,
        response_model=_response_model(route, operation),
        tags=[route.tag],
    )


for route in ROUTES:
    _add(route)
