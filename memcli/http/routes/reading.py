"""/v2, reading: the pack for a task in its formats, and pages of memories."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel
from starlette.responses import PlainTextResponse, Response

from memcli import operations
from memcli.fields import to_json
from memcli.http import memory_page
from memcli.http.calls import MemoryCall, OneCall, answer
from memcli.http.models import status as status_models
from memcli.http.models.derived import request_model, typed
from memcli.http.routing import Router

router = Router(prefix="/v2", tags=["reading"])
_GET, _EXPLAIN = operations.load("get"), operations.load("explain")
_GetQuery: Any = request_model(_GET.request, True, set(), {"format": "json"})
_PackQuery: Any = request_model(_EXPLAIN.request, True, set(), {})


def _packed(call: MemoryCall, query: BaseModel) -> Any:
    return call.read(lambda project: operations.read(_GET, _GET.request(**vars(query)), project))


@router.get("/get", response_model=dict[str, Any], responses={200: {"content": {"text/markdown": {}, "application/xml": {}}}})
def get(call: OneCall, query: Annotated[_GetQuery, Query()]) -> Response:
    """The pack for a task: `mem get`. As JSON (docs/schema/pack.json), as the prompt, or as XML."""
    result = _packed(call, query)
    if query.format == "json":
        return answer(result.answer())
    return PlainTextResponse(result.pack.text, media_type="application/xml" if query.format == "xml" else "text/markdown")


@router.get("/pack", response_model=status_models.Inspected)
def pack(call: OneCall, query: Annotated[_PackQuery, Query()]) -> Response:
    """The pack, why each thing is in it or is not, and the pack as printed, all of one moment."""
    result = _packed(call, query)
    explained = _EXPLAIN.result(result.pack, result.problem)
    return answer({"pack": result.answer(), "explain": explained.answer(), "prompt": result.pack.text})


@router.get("/memories", response_model=typed(memory_page.MemoryPage))
def page(call: OneCall, query: Annotated[memory_page.PageQuery, Query()]) -> Response:
    """A page of memories, newest first, each with whether it holds."""
    return call.reading(lambda project: to_json(memory_page.page(project, query)))
