"""/v2, the commits around a memory's anchor, for a graph."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from memcli.http.calls import OneCall
from memcli.http.models.memories import CarriedChange
from memcli.http.routing import Router
from memcli.memory import find_memory
from memcli.project import Project
from memcli.recall.render import name_and_branch
from memcli.repo import head, history
from memcli.validity import anchor_states, carried_as_json, state_name

router = Router(prefix="/v2", tags=["reading"])
_NEAR_ANCHOR = 6  # commits listed from the anchor back, within the limit


class GraphCommit(BaseModel):
    """A commit. `at`: ms since 1970."""

    id: str
    parents: list[str]
    at: int
    subject: str


class Graph(BaseModel):
    """The newest commits of HEAD's history, and those around a memory's anchor, children before their parents."""

    head: str | None
    branch: str
    anchor: str | None
    anchor_state: str
    carried_over: CarriedChange | None
    commits: list[GraphCommit] = Field(description="Empty without git; without the anchor where this clone does not have it.")


@router.get("/memories/{id}/commits", response_model=Graph)
def commits(call: OneCall, id: Annotated[str, Field(max_length=80)], limit: Annotated[int, Query(ge=2, le=200)] = 24) -> Response:
    """Where a memory's anchor is on the graph of commits, as seen from HEAD."""

    def work(project: Project) -> dict[str, Any]:
        anchor = find_memory(project, id).anchor
        state = anchor_states(project, [anchor])[anchor]
        return {
            "head": project.commit,
            "branch": name_and_branch(project)[1],
            "anchor": anchor,
            "anchor_state": state_name(state),
            "carried_over": carried_as_json(state),
            "commits": _listed(project, anchor, limit),
        }

    return call.reading(work)


def _listed(project: Project, anchor: str | None, limit: int) -> list[dict[str, Any]]:
    """Returns up to `limit` commits from HEAD back and, where the anchor is not among them, some from the anchor back."""
    if project.checkout is None or project.commit is None:
        return []
    commits = history.listed(project.checkout, ("--topo-order", "-n", str(limit), project.commit)) or {}
    if anchor is not None and anchor not in commits and head.is_hash(anchor):
        near = history.listed(project.checkout, ("--topo-order", "-n", str(_NEAR_ANCHOR), anchor)) or {}
        ancestors = {name for commit in near.values() for name in (commit.id, *commit.parents)}
        # A side line that joins the listed commits comes before them, an old anchor after.
        joins = any(name in ancestors for name in commits)
        commits = {**near, **commits} if joins else {**commits, **near}
    return [
        {"id": commit.id, "parents": list(commit.parents), "at": commit.at * 1000, "subject": commit.subject[:200]}
        for commit in commits.values()
    ]
