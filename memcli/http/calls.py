"""One call: which memory it means, and the work on it, in a thread of its own and with handles of its own."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query, Request
from starlette.responses import Response

from memcli import operations
from memcli.errors import NotFound
from memcli.http.problem import Problem
from memcli.http.service import ACTOR, Service
from memcli.http.stores import rehearse
from memcli.project import Project, Where
from memcli.serving.projects import reading, writing
from memcli.text import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

NAME = Query(max_length=4096, description="A repository: its id, its name, or the absolute path of a directory in it.")
WORKSPACE = Query(max_length=64, description="A workspace of it.")
USER = Query(description="The person's own memory instead.")


class Call:
    """What one request is about, and what it may do with it."""

    def __init__(self, request: Request, repo: str | None, workspace: str | None, user: bool) -> None:
        self.service: Service = request.app.state.service
        self.request_id: str = request.state.request_id
        self._asked = (repo, workspace, user)

    @property
    def names_none(self) -> bool:
        """Whether the request leaves open which memory it means."""
        return self._asked[0] is None and not self._asked[2]

    @property
    def workspace(self) -> str | None:
        """The workspace that the request names."""
        return self._asked[1]

    def where(self) -> Where:
        """Returns the memory that is meant. Raises NotFound."""
        repo, workspace, user = self._asked
        if user:
            return Where(None, workspace, True)
        if repo is None:
            known = self.service.where
            return Where(known.repo if known else None, workspace or (known.workspace if known else None))
        return self.of(repo)

    def of(self, name: str) -> Where:
        """Returns the memory of a name. Raises NotFound."""
        found = self.service.named(name)
        if found is None:
            raise NotFound(f"no repository {name[:80]}", "give an id, a name or a path; see /v2/repos", "no_repository")
        return Where(found, self._asked[1])

    def reading(self, work: Callable[[Project], Any]) -> Response:
        """Answers with what a piece of work finds in the memory."""
        return answer(self.read(work))

    def read(self, work: Callable[[Project], Any]) -> Any:
        """Returns what a piece of work finds in the memory."""
        with reading(self.where()) as project:
            return work(project)

    def writing(self, work: Callable[[Project], Any], create: bool = False, status: int = 200) -> Response:
        """Answers with what a piece of work changed in the memory, which is made where `create` says so."""
        return answer(self.write(work, create), status)

    def write(self, work: Callable[[Project], Any], create: bool = False) -> Any:
        """Returns what a piece of work changed in the memory; an object names what was masked in it."""
        if create:
            rehearse(self.where(), work)
        with writing(self.where(), {"request": self.request_id}, create) as project:
            done = work(project)
        if project.masked and isinstance(done, dict):
            return {**done, "masked": list(project.masked)}
        return done

    def perform(self, name: str, values: dict[str, Any], status: int = 200) -> Response:
        """Answers with the result of a writing operation. `values`: its request's fields."""
        operation = operations.load(name)
        request = operation.request(**{key: tuple(value) if isinstance(value, list) else value for key, value in values.items()})
        caller = operations.Caller(self.where(), ACTOR, {"request": self.request_id})
        result, masked = operations.perform(operation, request, caller)
        first = result[0] if isinstance(result, list) else result
        return answer({**first.to_json(), **({"masked": list(masked)} if masked else {})}, status)


async def call(
    request: Request,
    repo: Annotated[str | None, NAME] = None,
    workspace: Annotated[str | None, WORKSPACE] = None,
    user: Annotated[bool, USER] = False,
) -> Call:
    """The call of one of our own routes."""
    return Call(request, plain(repo), plain(workspace), user)


def plain(name: str | None) -> str | None:
    """Returns a name of a repository or a workspace as it is. Raises Problem for what can be none."""
    if name is not None and ("\0" in name or not name.strip() or not name.isprintable()):
        raise Problem(422, "a name of a repository or a workspace is empty or not printable", "see /v2/repos", "invalid_input")
    return name


OneCall = Annotated[Call, Depends(call)]
__all__ = ["ACTOR", "Call", "OneCall", "answer", "plain"]


def answer(value: Any, status: int = 200) -> Response:
    """Returns a response of JSON."""
    return Response(json.dumps(value), status, media_type="application/json")
