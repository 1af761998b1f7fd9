"""/v2, where a memory stands among the commits: for those who look at its anchor on the graph."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from memcli.http.calls import OneCall
from memcli.http.models.ours import Carried
from memcli.http.routing import Router
from memcli.memory import lookup
from memcli.project import Project
from memcli.recall.render import name_and_branch
from memcli.repo import head, history
from memcli.validity.status import anchor_states, carried_as_json, state_name

router = Router(prefix="/v2", tags=["reading"])
_AROUND = 6  # commits from the anchor on back, of those that are asked for


class GraphCommit(BaseModel):
    """A commit. `at`: ms since 1970."""

    id: str
    parents: list[str]
    at: int
    subject: str


class Graph(BaseModel):
    """The newest commits of what is checked out, and those around a memory's anchor, children before their parents."""

    head: str | None
    branch: str
    anchor: str | None
    anchor_state: str
    carried_over: Carried | None
    commits: list[GraphCommit] = Field(description="Empty without git; the anchor is missing where this clone has not got it.")


@router.get("/memories/{id}/commits", response_model=Graph)
def commits(call: OneCall, id: Annotated[str, Field(max_length=80)], limit: Annotated[int, Query(ge=2, le=200)] = 24) -> Response:
    """Where a memory's anchor stands on the graph of commits, as seen from what is checked out."""

    def work(project: Project) -> dict[str, Any]:
        anchor = lookup.find(project, id).anchor
        state = anchor_states(project, [anchor])[anchor]
        return {
            "head": project.commit,
            "branch": name_and_branch(project)[1],
            "anchor": anchor,
            "anchor_state": state_name(state),
            "carried_over": carried_as_json(state),
            "commits": _around(project, anchor, limit),
        }

    return call.reading(work)


def _around(project: Project, anchor: str | None, limit: int) -> list[dict[str, Any]]:
    """Returns up to `limit` commits from HEAD on back and, where the anchor is not among them, some from the anchor on back."""
    if project.checkout is None or project.commit is None:
        return []
    found = history.listed(project.checkout, ("--topo-order", "-n", str(limit), project.commit)) or {}
    if anchor is not None and anchor not in found and head.is_hash(anchor):
        before = history.listed(project.checkout, ("--topo-order", "-n", str(_AROUND), anchor)) or {}
        ahead = {name for one in before.values() for name in (one.id, *one.parents)}
        joins = any(name in ahead for name in found)
        # A side line that joins what is listed stands before it, an old anchor behind.
        found = {**before, **found} if joins else {**found, **before}
    return [
        {"id": one.id, "parents": list(one.parents), "at": one.at * 1000, "subject": one.subject[:200]} for one in found.values()
    ]
