"""Pages of lists: every route of our own that lists something answers with one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any

from fastapi import Depends, Query
from pydantic import BaseModel
from starlette.responses import Response

from memcli.fields import Request, to_json, validate
from memcli.http.calls import answer
from memcli.http.models import listed, shape
from memcli.operations import Operation
from memcli.project import Project
from memcli.records import replace

MOST = 1_000  # items of a page
FURTHEST = 1_000_000  # that can be skipped
LIMIT, OFFSET = "The maximum number of items.", "Skip this many items."
Limit = Annotated[int, Query(ge=1, le=MOST, description=LIMIT)]
Offset = Annotated[int, Query(ge=0, le=FURTHEST, description=OFFSET)]


@cache
def page_type(item: Any, name: str = "", hides: bool = False) -> type[BaseModel]:
    """Returns the model of a page of items. `hides`: the page says how many are left out."""
    more = {"not_on_this_branch": int, "superseded": int} if hides else {}
    return shape(f"{name or item.__name__}Page", items=listed(item), total=int, limit=int, offset=int, has_more=bool, **more)


class Window:
    """The part of a list that a call asks for."""

    def __init__(self, limit: int, offset: int) -> None:
        self.limit = limit
        self.offset = offset

    def page(self, items: Sequence[Any], total: int) -> dict[str, Any]:
        """Returns a page: its items and its position in the list."""
        more = self.offset + len(items) < total
        return {"items": items, "total": total, "limit": self.limit, "offset": self.offset, "has_more": more}

    def cut(self, items: Sequence[Any]) -> Response:
        """Returns the requested page of a whole list."""
        return answer(self.page(items[self.offset : self.offset + self.limit], len(items)))


def _window(limit: Limit = MOST, offset: Offset = 0) -> Window:
    return Window(limit, offset)


OneWindow = Annotated[Window, Depends(_window)]


def of_operation(operation: Operation, request: Request, is_fixed: bool, window: Window) -> Callable[[Project], dict[str, Any]]:
    """Returns the work that reads a page of what an operation lists. `is_fixed`: the route decides how many it lists."""
    takes = operation.request.FIELDS

    def work(project: Project) -> dict[str, Any]:
        assert operation.read is not None
        validate(request)
        widened = request
        if "limit" in takes and "offset" not in takes and not is_fixed:
            widened = replace(request, limit=window.offset + window.limit)
        result = operation.read(project, widened)
        records = to_json(result.answer() if hasattr(result, "answer") else result)
        items = records if "offset" in takes else records[window.offset : window.offset + window.limit]
        total = operation.total(project, request, result) if operation.total else len(records)
        hidden = operation.hidden(result) if operation.hidden else {}
        return window.page(items, total) | hidden

    return work
