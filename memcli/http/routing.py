"""Routes that match only paths below their prefix, and reject text that a store cannot hold and unknown query parameters."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import cached_property
from json import JSONDecodeError
from typing import Any

from fastapi import APIRouter, Request
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import Scope

from memcli.http.problem import Problem
from memcli.text import json
from memcli.text.terminal import oneline

OWN = "/v2"  # the prefix of our own routes, which refuse what they do not know
_MOST_NAMED = 12  # parameters that an error names


class _StrictRequest(Request):
    """A request whose JSON has no NaN, no infinity and no unpaired surrogates."""

    replaces_surrogates = False  # by question marks, instead of an error

    async def json(self) -> Any:
        try:
            text = (await self.body()).decode("utf-8-sig")
            value = json.loads(text)
            return self._encodable(value) if "\\ud" in text.lower() else value
        except UnicodeError:
            raise JSONDecodeError("the body is not valid Unicode", "", 0) from None
        except json.Malformed as problem:
            raise JSONDecodeError(str(problem), "", 0) from None

    def _encodable(self, value: Any) -> Any:
        text = json.canonical(value)
        return json.loads(text.encode("utf-8", "replace" if self.replaces_surrogates else "strict").decode("utf-8"))


class _LenientRequest(_StrictRequest):
    replaces_surrogates = True


class _Route(APIRoute):
    request_class: type[Request] = _StrictRequest

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The allowed query parameters."""
        names: list[str] = []
        waiting = [self.dependant]
        while waiting:
            dependant = waiting.pop()
            waiting += dependant.dependencies
            for parameter in dependant.query_params:
                model = parameter.field_info.annotation
                is_model = isinstance(model, type) and issubclass(model, BaseModel)
                names += list(model.model_fields) if is_model else [parameter.alias]  # type: ignore[union-attr]
        return tuple(dict.fromkeys(names))

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_strictly(request: Request) -> Response:
            if self.path_format.startswith(OWN):
                _check_query(request, self.parameters)
            return await handle(self.request_class(request.scope, request.receive))

        return handle_strictly


def _check_query(request: Request, allowed: tuple[str, ...]) -> None:
    """Raises Problem for a parameter that the route does not have. If it were ignored, it would seem to have worked."""
    for name in request.query_params:
        if name not in allowed:
            listed = ", ".join(allowed[:_MOST_NAMED]) + (", …" if len(allowed) > _MOST_NAMED else "")
            message = f"there is no parameter {oneline(name)[:80]} here"
            raise Problem(422, message, f"this route takes: {listed}" if allowed else "it takes none", "invalid_input")


class LenientRoute(_Route):
    """A route for events, which are not sent again: harnesses cut texts in the middle of a character."""

    request_class = _LenientRequest


class Router(APIRouter):
    """The routes below a prefix: trying eighty patterns for each call costs half a millisecond."""

    def __init__(self, prefix: str = "", tags: list[str] | None = None, route_class: type[APIRoute] = _Route) -> None:
        super().__init__(prefix=prefix, tags=list(tags or ()), route_class=route_class)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if not scope["path"].startswith(self.prefix):
            return Match.NONE, {}
        return super().matches(scope)
