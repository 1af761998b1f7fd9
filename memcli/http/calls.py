"""One call: the memory that it means, and the work on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, Query, Request
from starlette.responses import Response

from memcli.errors import NotFound
from memcli.http.problem import Problem
from memcli.http.service import ACTOR, Service
from memcli.project import Project, Where
from memcli.serving.projects import reading, writing
from memcli.text import json

Repo = Annotated[
    str | None, Query(max_length=4096, description="A repository: its id, its name, or the absolute path of a directory in it.")
]
Workspace = Annotated[str | None, Query(max_length=64, description="A workspace of it.")]
User = Annotated[bool, Query(description="The person's own memory instead.")]


class MemoryCall:
    """The memory that one request is about, and what the request may do with it."""

    def __init__(self, request: Request, repo: str | None, workspace: str | None, user: bool) -> None:
        self.service: Service = request.app.state.service
        self.request_id: str = request.state.request_id
        self.repo = check_name(repo)
        self.workspace = check_name(workspace)
        self.user = user

    @property
    def has_target(self) -> bool:
        """Whether the request names a memory."""
        return self.repo is not None or self.user

    def where(self) -> Where:
        """Returns the memory that the request names. Raises NotFound."""
        if self.user:
            return Where(None, self.workspace, True)
        if self.repo is not None:
            return self.of(self.repo)
        default = self.service.where or Where()
        return Where(default.repo, self.workspace or default.workspace)

    def of(self, name: str) -> Where:
        """Returns the memory with a repository's id, name or path. Raises NotFound."""
        repo = self.service.stores.resolve(name)
        if repo is None:
            raise NotFound(f"no repository {name[:80]}", "give an id, a name or a path; see /v2/repos", "no_repository")
        return Where(repo, self.workspace)

    def reading(self, work: Callable[[Project], Any]) -> Response:
        """Answers with the result of reading the memory."""
        return answer(self.read(work))

    def read(self, work: Callable[[Project], Any]) -> Any:
        """Returns the result of reading the memory."""
        with reading(self.where()) as project:
            return work(project)

    def writing(self, work: Callable[[Project], Any]) -> Response:
        """Answers with the result of a change to the memory."""
        with writing(self.where(), {"request": self.request_id}) as project:
            return answer(work(project))


def check_name(name: str | None) -> str | None:
    """Returns the name of a repository or a workspace. Raises Problem for an empty or unprintable one."""
    if name is not None and ("\0" in name or not name.strip() or not name.isprintable()):
        raise Problem(422, "a name of a repository or a workspace is empty or not printable", "see /v2/repos", "invalid_input")
    return name


async def _call(request: Request, repo: Repo = None, workspace: Workspace = None, user: User = False) -> MemoryCall:
    return MemoryCall(request, repo, workspace, user)  # asynchronous, so that it costs no thread


OneCall = Annotated[MemoryCall, Depends(_call)]
__all__ = ["ACTOR", "MemoryCall", "OneCall", "answer", "check_name"]


def answer(value: Any, status: int = 200) -> Response:
    """Returns a JSON response."""
    return Response(json.dumps(value), status, media_type="application/json")
