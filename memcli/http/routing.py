"""Routes that are asked only about the paths that can be theirs: eighty patterns for each call cost half a millisecond."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.routing import Match

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.types import Scope


class Router(APIRouter):
    """The routes below a prefix."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if not scope["path"].startswith(self.prefix):
            return Match.NONE, {}
        return super().matches(scope)
