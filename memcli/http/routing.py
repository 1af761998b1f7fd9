"""Routes that are asked only about paths that can be theirs, and bodies that hold nothing which a store cannot keep."""

from __future__ import annotations

from json import JSONDecodeError

from fastapi import APIRouter, Request
from fastapi.routing import APIRoute
from starlette.routing import Match

from memcli.text import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from starlette.responses import Response
    from starlette.types import Scope


class _Strict(Request):
    """A request whose JSON has no number that is none, and no half of a surrogate pair."""

    mends = False  # whether a half becomes a question mark instead

    async def json(self) -> Any:
        try:
            text = (await self.body()).decode("utf-8-sig")
            value = json.loads(text)
            return self._whole(value) if "\\ud" in text.lower() else value
        except UnicodeError:
            raise JSONDecodeError("the body holds what is no Unicode text", "", 0) from None
        except json.Malformed as problem:
            raise JSONDecodeError(str(problem), "", 0) from None

    def _whole(self, value: Any) -> Any:
        text = json.canonical(value)
        return json.loads(text.encode("utf-8", "replace" if self.mends else "strict").decode("utf-8"))


class _Mending(_Strict):
    mends = True


class _Route(APIRoute):
    reads: type[Request] = _Strict

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            return await handle(self.reads(request.scope, request.receive))

        return handled


class Mending(_Route):
    """For events, which do not come again: harnesses cut texts in the middle of a character."""

    reads = _Mending


class Router(APIRouter):
    """The routes below a prefix: to try eighty patterns for each call costs half a millisecond."""

    def __init__(self, prefix: str = "", tags: list[str] | None = None, route_class: type[APIRoute] = _Route) -> None:
        super().__init__(prefix=prefix, tags=list(tags or ()), route_class=route_class)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if not scope["path"].startswith(self.prefix):
            return Match.NONE, {}
        return super().matches(scope)
