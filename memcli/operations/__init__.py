"""What each verb is: its request, its result, what it would do and how it does it. Doors derive their side from it.

A verb's module declares its `OPERATIONS`. A reading one has a function `read(project, request)`. A writing one has
`plan(project, request)`, which writes nothing and raises every refusal, and `apply(project, plan, actor)`. A plan that has
nothing to do is already a result. `load` imports the module of a single verb, so that a command stays light.
"""

from __future__ import annotations

import os

from memcli import config
from memcli.errors import NotFound
from memcli.fields import Result, validate
from memcli.project import open_for_reading, open_for_writing
from memcli.records import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memcli.fields import Request
    from memcli.project import Project, Where

MODULES = {  # name of an operation -> the module that declares it
    "add": "add",
    "update": "update",
    "supersede": "supersede",
    "confirm": "confirm",
    "forget": "forget",
    "restore": "forget",
    "pin": "pin",
    "unpin": "pin",
    "link": "link",
    "share": "share",
    "unshare": "share",
    "gc": "gc",
    "undo": "undo",
    "checkpoint": "checkpoint",
    "write": "write",
    "profile": "profile",
    "profile_set": "profile",
    "profile_delete": "profile",
    "note": "note",
    "note_edit": "note",
    "notes": "note",
    "get": "recall",
    "explain": "recall",
    "search": "recall",
    "show": "show",
    "recent": "lists",
    "threads": "lists",
    "thread": "lists",
    "state": "state",
    "log": "state",
    "diff": "diff",
    "queue": "machine",
    "stats": "stats",
    "status": "status",
    "sessions": "sessions",
    "session": "sessions",
    "timeline": "sessions",
    "why": "why",
}


_FREES_SPACE = ("forget", "undo")  # operations that a person must be able to run on a full disk


class Operation(Record):
    """One verb, as every door offers it."""

    name: str
    summary: str  # one line of help: what the caller gets
    request: type[Any]
    result: type[Any]
    plan: Callable[[Project, Any], Any] | None = None
    apply: Callable[[Project, Any, str], Any] | None = None
    read: Callable[..., Any] | None = None
    creates: bool = False  # makes the store where there is none yet
    question: str = ""  # what a person is asked before an agent's write
    hides: bool = False  # it may take away what was there
    repeatable: bool = False  # a second call with the same request changes nothing more
    total: Callable[[Project, Any, Any], int] | None = None  # how many there are, of which a list shows the first
    hidden: Callable[[Any], dict[str, int]] | None = None  # how many more match that a list leaves out, by why


class Caller(Record):
    """The context of a write: the memory, the name of the door in the log, and what is stored with each operation."""

    where: Where
    actor: str
    via: dict[str, str] = {}


def load(name: str) -> Operation:
    """Returns the operation with this name. Only its own module is imported."""
    module = __import__(f"memcli.operations.{MODULES[name]}", fromlist=["OPERATIONS"])
    operation: Operation = module.OPERATIONS[name]
    return operation


def perform(
    operation: Operation, request: Request, caller: Caller, opener: Callable[..., Project] = open_for_writing
) -> tuple[Any, tuple[str, ...]]:
    """Runs a writing operation. Returns its result, and the rules that masked something.

    If there is no store yet, the request is first planned on an empty one, so that a refused request makes none. `opener`
    opens what has no `Where`, and takes what `open_for_writing` takes. Raises the operation's refusals and what opening raises.
    """
    try:
        return _perform(operation, request, caller, opener)
    except Exception as error:
        if operation.name not in _FREES_SPACE or not _gives_back_reserve(error, caller.where):
            raise
    return _perform(operation, request, caller, opener)


def _gives_back_reserve(error: Exception, where: Where) -> bool:
    """Makes room on a full disk by the file that is kept for events (store/reserve.py). Returns whether there is room now."""
    from memcli import store

    problem = store.explain_known(error)
    if problem is None or problem.code != "full":
        return False
    from memcli.project import folder_of, locate
    from memcli.store import reserve

    return reserve.give_back(folder_of(locate(where).repo_id, where.workspace))


def _perform(
    operation: Operation, request: Request, caller: Caller, opener: Callable[..., Project]
) -> tuple[Any, tuple[str, ...]]:
    plan = operation.plan
    assert plan is not None
    validate(request)

    def rehearse(empty: Project) -> None:
        try:
            plan(empty, request)
        except NotFound:
            if operation.creates:  # else nothing is stored, and that is said
                raise

    project = replace(opener(caller.where, operation.creates, rehearse), via=caller.via)
    try:
        result = perform_on(operation, request, project, caller.actor)
    finally:
        project.close()
    after_change(project)
    return result, tuple(project.masked)


def perform_on(operation: Operation, request: Request, project: Project, actor: str) -> Any:
    """Returns the result of a writing operation on a memory that is already open for writing. Raises its refusals."""
    assert operation.plan is not None
    assert operation.apply is not None
    planned = operation.plan(project, request)
    based = replace(project, based_on=getattr(request, "if_revision", None))
    return planned if isinstance(planned, Result) else operation.apply(based, planned, actor)


def check(operation: Operation, request: Request, project: Project) -> Result | None:
    """Checks a write on a memory that is open for reading. Returns its result if nothing would change.

    Raises the operation's refusals.
    """
    assert operation.plan is not None
    plan = operation.plan(replace(project, masked={}), request)
    return plan if isinstance(plan, Result) else None


def answer(operation: Operation, request: Request, where: Where) -> Any:
    """Returns the result of a reading operation on a memory that is opened for it."""
    project = open_for_reading(where)
    try:
        return read(operation, request, project)
    finally:
        project.close()
        after_reading(project)


def read(operation: Operation, request: Request, project: Project) -> Any:
    """Returns the result of a reading operation on a memory that is already open. Raises its refusals."""
    assert operation.read is not None
    validate(request)
    return operation.read(project, request)


def call(project: Project, name: str, actor: str = "", **fields: Any) -> Any:
    """Returns the result of an operation, given by name and the fields of its request, on an open memory. Raises its refusals."""
    operation = load(name)
    request = operation.request(**fields)
    return perform_on(operation, request, project, actor) if operation.read is None else read(operation, request, project)


def after_change(project: Project) -> None:
    """Updates what depends on a change: the file for agents that run no hooks (agents/turns/context_file.py)."""
    if os.path.lexists(os.path.join(config.data_dir(), "bridges")) or has_context_file(project):
        from memcli.agents.turns import context_file

        context_file.follow(project.folder, project.root)


def after_reading(project: Project) -> None:
    """Updates the same file if HEAD or a linked file changed since. Fast, and never waits."""
    if has_context_file(project):
        from memcli.agents.turns import context_file

        context_file.refresh(project.root, waits=False)


def has_context_file(project: Project) -> bool:
    """Tells whether there may be such a file, without loading the code that writes it."""
    return bool(project.root) and os.path.lexists(os.path.join(project.root, "MEMORY_CONTEXT.md"))
