"""The modes of mecho that this machine has, by the routes of its own service."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from starlette.responses import Response

from memcli.http import modes, stores
from memcli.http.calls import answer
from memcli.http.models import shape
from memcli.http.modes import Mode
from memcli.http.routing import Router
from memcli.http.service import Service
from memcli.memory.modes import ARCHIVE, MODES
from memcli.project import Project

router = Router(prefix="/v1/mode", tags=["mecho"])


@router.get("/list", response_model=shape("Modes", ok=bool, modes=list[str]))
def modes_here(request: Request) -> Response:
    """The modes that have a memory, in the order of their names."""
    service: Service = request.app.state.service
    names = [where.workspace or "default" for where in stores.all_stores() if where.repo == service.stores.resolve(MODES)]
    return answer({"ok": True, "modes": sorted(name for name in names if not name.endswith(ARCHIVE))})


@router.post("/create", response_model=shape("ModeCreated", "modeId", ok=bool, created=bool))
def create_mode(request: Request, body: Mode) -> Response:
    """Begins the memory of a mode; does nothing where it is there."""
    is_there = bool(modes.read(request, body.store(), lambda project: True))

    def work(project: Project) -> dict[str, Any]:
        return {"ok": True, "modeId": body.modeId, "created": not is_there}

    return modes.write(request, body.store(), work)
