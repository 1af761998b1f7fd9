"""/v2, maintenance: evidence, health, vectors, export."""

from __future__ import annotations

import posixpath
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, Field
from starlette.responses import PlainTextResponse, Response

from memcli import ingest as evidence
from memcli import models, sync
from memcli.errors import InvalidInput
from memcli.http.calls import OneCall, answer
from memcli.http.lists import Limit, Offset, OneWindow, Window, page_type
from memcli.http.models import shape
from memcli.http.routing import Router
from memcli.maintenance.audit import stale_memories, unused_as_json, unused_memories
from memcli.maintenance.doctor import examine
from memcli.project import Project
from memcli.recall import semantic
from memcli.records import as_dict
from memcli.store import vectors
from memcli.store.usage import OFTEN
from memcli.text.terminal import oneline

router = Router(prefix="/v2", tags=["maintenance"])
Path = Annotated[str, Field(max_length=4_096)]


class Files(BaseModel):
    """What to ingest. `paths`: relative to the root of the working tree; without any, all of it."""

    paths: list[Path] = Field([], max_length=1_000)
    thread: str | None = Field(None, max_length=80)
    max_file_mb: int | None = Field(None, ge=1, le=1_000)
    dry_run: bool = False


_COUNTS = ("new", "changed", "unchanged", "removed", "chunks_added", "chunks_removed", "read_bytes", "masked", "fell_back")
_OTHERS = {"skipped": dict[str, int], "masked_in": list[str], "dry_run": bool}
Ingested = shape("Ingested", "root", **dict.fromkeys((*_COUNTS, "skipped_files"), int), **_OTHERS)


def _under(path: str) -> str:
    """Returns a path relative to the root of a tree, "" for the root. Raises InvalidInput for one outside."""
    name = posixpath.normpath(path)
    if "\0" in name or name.startswith(("/", "../")) or name == "..":
        raise InvalidInput(f"{oneline(path)[:80]} is not in the working tree", "name it from the top of the tree", "outside")
    return "" if name == "." else name


UnusedMemory = shape("UnusedMemory", "id title thread_id created_at last_told forget", told=int)
_PLACE = {"path": str, "first_line": int, "last_line": int, "id": str, "symbol": str, "kind": str, "language": str}
ListedChunk = shape("ListedChunk", **_PLACE, tokens=int, forgotten=int)
_STALE = dict.fromkeys(("changed", "gone"), list[str])
StaleMemory = shape("StaleMemory", "id title thread_id created_at supersede confirm", anchor_commit=str | None, **_STALE)


@router.get("/chunks", response_model=page_type(ListedChunk))
def chunks(call: OneCall, path: Annotated[str, Query(max_length=4_096)] = ".", limit: Limit = 50, offset: Offset = 0) -> Response:
    """The chunks of a path, or of all: `mem chunks`."""
    scope = _under(path)

    def work(project: Project) -> dict[str, Any]:
        listed = [as_dict(chunk) for chunk in evidence.chunks(project, scope, offset + limit)]
        return Window(limit, offset).page(listed[offset:], evidence.count_chunks(project, scope))

    return call.reading(work)


@router.post("/ingest", response_model=Ingested)
def ingest(call: OneCall, body: Files) -> Response:
    """Updates the evidence from the files of the working tree: `mem ingest`."""
    scopes = tuple(dict.fromkeys([_under(path) for path in body.paths]))
    options = evidence.IngestOptions(() if "" in scopes else scopes, body.thread, body.max_file_mb, dry_run=body.dry_run)

    def work(project: Project) -> dict[str, Any]:
        result = evidence.ingest(project, options)
        return {**as_dict(result), "skipped_files": sum(result.skipped.values()), "dry_run": body.dry_run}

    return call.reading(work) if body.dry_run else call.writing(work)


@router.get("/doctor", response_model=dict[str, Any])
def doctor(call: OneCall, verbose: Annotated[bool, Query(description="Look at every row.")] = False) -> Response:
    """The health of the memory and its surroundings: `mem doctor`."""
    return answer(examine(call.where(), verbose).as_json())


@router.get("/stale", response_model=page_type(StaleMemory))
def stale(call: OneCall, window: OneWindow) -> Response:
    """Memories whose files have changed since: `mem doctor --stale`."""
    return window.cut(call.read(lambda project: [memory.as_json() for memory in stale_memories(project)]))


@router.get("/unused", response_model=page_type(UnusedMemory))
def unused(
    call: OneCall,
    window: OneWindow,
    least: Annotated[int, Query(ge=1, le=1_000, description="Told to at least this many sessions.")] = OFTEN,
    observed: Annotated[bool, Query(description="With what hooks saw.")] = False,
) -> Response:
    """Memories that many sessions were told and none used: `mem doctor --unused`."""
    return window.cut(call.read(lambda project: list(map(unused_as_json, unused_memories(project, least, observed)))))


@router.get("/embed", response_model=dict[str, Any])
def embedded(call: OneCall) -> Response:
    """How much has a vector of the configured model: `mem embed status`."""

    def work(project: Project) -> dict[str, Any]:
        kinds = [as_dict(kind) for kind in semantic.status(project, vectors.KINDS)]
        return {"model": models.model_of(project.config), "kinds": kinds}

    return call.reading(work)


@router.get("/export", response_class=PlainTextResponse, responses={200: {"content": {"application/x-ndjson": {}}}})
def export(call: OneCall) -> Response:
    """Every live memory as a line of JSON: `mem export`."""
    text = call.read(lambda project: "".join([f"{line}\n" for line in sync.lines(project)]))
    return PlainTextResponse(text, media_type="application/x-ndjson")
