"""The operations that the browser calls: each opens the memory for itself, and so sees what other processes wrote."""

from __future__ import annotations

from typing import Any

from memcli import operations, replication
from memcli.errors import MemError
from memcli.fields import to_json
from memcli.memory import history
from memcli.operations import Caller
from memcli.operations.results import named_in, titles_of
from memcli.records import as_dict
from memcli.replication import run
from memcli.serving import projects
from memcli.store import oplog

_HINT = "this is a bug: please report what you did"


class Calls:
    """Operations on the memory of one caller. What they answer is plain data, in the names of every door."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def ask(self, name: str, **values: Any) -> Any:
        """Returns the answer of a reading operation. Raises MemError."""
        operation = operations.load(name)
        try:
            return to_json(operations.answer(operation, operation.request(**values), self._caller.where))
        except Exception as error:
            raise projects.explain(error, _HINT) from error

    def change(self, name: str, **values: Any) -> tuple[Any, tuple[str, ...]]:
        """Returns the answer of a writing operation, and the rules that masked something. Raises MemError."""
        operation = operations.load(name)
        try:
            result, masked = operations.perform(operation, operation.request(**values), self._caller)
        except Exception as error:
            raise projects.explain(error, _HINT) from error
        return to_json(result), masked

    def undoable(self) -> tuple[list[str], int]:
        """Returns what an undo would take back, a line a change, and at which revision. Raises MemError for nothing."""
        try:
            with projects.reading(self._caller.where) as project:
                changes = history.check_undo(project)
                titles = titles_of(project.db, named_in(changes))
                revision = oplog.revision(project.db)
        except Exception as error:
            raise projects.explain(error, _HINT) from error
        if not changes:  # chunks come back outside of the log
            return ["forget chunks"], revision
        return [f"{change.kind} {change.object} {titles.get(change.object, '')}".rstrip() for change in changes], revision

    def sharing(self) -> dict[str, Any] | None:
        """Returns the state of sharing, None where this memory is not shared. Raises MemError."""
        try:
            with projects.reading(self._caller.where) as project:
                status = replication.status(project)
        except Exception as error:
            raise projects.explain(error, _HINT) from error
        return None if status is None else as_dict(status)

    def synchronize(self) -> tuple[int, int]:
        """Exchanges changes with the remote. Returns how many came and how many left. Raises MemError."""
        try:
            with projects.writing(self._caller.where, self._caller.via) as project:
                synced = run.synchronize(project, True, True, None, False)
        except Exception as error:
            raise projects.explain(error, _HINT) from error
        return synced.pulled.applied if synced.pulled else 0, synced.pushed or 0


def problem(error: MemError) -> str:
    """Returns an error and its hint as one text."""
    return f"{error.message}\n{error.hint}" if error.hint else error.message
