"""Routes that match only paths below their prefix, and bodies without text that a store cannot keep."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from json import JSONDecodeError
from typing import Any

from fastapi import APIRouter, Request
from fastapi.routing import APIRoute
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import Scope

from memcli.text import json


class _StrictRequest(Request):
    """A request whose JSON has no NaN or infinity, and no half of a surrogate pair."""

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

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_strictly(request: Request) -> Response:
            return await handle(self.request_class(request.scope, request.receive))

        return handle_strictly


class LenientRoute(_Route):
    """For events, which are not sent again: harnesses cut texts in the middle of a character."""

    request_class = _LenientRequest


class Router(APIRouter):
    """The routes below a prefix: trying eighty patterns for each call costs half a millisecond."""

    def __init__(self, prefix: str = "", tags: list[str] | None = None, route_class: type[APIRoute] = _Route) -> None:
        super().__init__(prefix=prefix, tags=list(tags or ()), route_class=route_class)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if not scope["path"].startswith(self.prefix):
            return Match.NONE, {}
        return super().matches(scope)
