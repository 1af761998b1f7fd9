"""Running a verb: from option values to a request, and from an error to an exit code. Both parsers end here.

The code that opens memories is imported where it is used: a command that opens none, such as `--version`, does not pay for it.
"""

from __future__ import annotations

import os
import sys

from memcli.cli import output
from memcli.errors import InvalidInput, MemError
from memcli.fields import to_json, validate
from memcli.records import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from memcli.operations import Caller
    from memcli.project import Project, Where

    T = TypeVar("T")


ACTOR = "cli"  # how the log calls who used a command
AGENT = "agent"  # in a session of a harness
_DIGITS = 16  # that no number has


class Common(Record):
    """The options every command has."""

    repo: str | None = None
    workspace: str | None = None
    user: bool = False
    json: bool = False
    no_color: bool = False

    @property
    def where(self) -> Where:
        """Which memory the command means."""
        from memcli.project import Where

        return Where(self.repo, self.workspace, self.user)


def invoke(
    verb: Callable[[Any, Common], int | None],
    record: Callable[..., Any],
    values: dict[str, Any],
    hinted: Callable[[MemError], MemError] | None = None,
) -> int:
    """Runs a verb with its options, including the common ones. Returns the exit code; never raises.

    `hinted`: adds to an error a hint at the intended command line.
    """
    common = Common(**{name: values.pop(name) for name in Common._fields if name in values})
    if common.no_color:
        output.use_color(False)
    code = guarded(lambda: verb(request_of(record, values), common) or 0, common.json, hinted)
    if (registry := sys.modules.get("memcli.registry")) and registry.apart and not common.json:
        for other in registry.apart:
            output.tell(
                f"Memory {other} has the origin or directory of this clone, but shares no commit with it; "
                f"to use it here: mem use --join {other}"
            )
        registry.apart.clear()
    if (opening := sys.modules.get("memcli.store.opening")) and opening.lost:
        _tell_lost(list(opening.lost))
        opening.lost.clear()
    return code


def _tell_lost(paths: list[str]) -> None:
    """Warns of stores that are gone while copies of them are left."""
    import shlex

    from memcli.store import copies

    for path in paths:
        if copy := copies.fullest(path):
            has = "1 memory" if copy.memories == 1 else f"{copy.memories:,} memories"
            verb = "was" if os.path.lexists(path) else "is"  # the command may have begun it anew
            output.tell(f"Warning: {path} {verb} gone; a copy of it has {has}: mem backup --restore {shlex.quote(copy.path)}")


def worded(name: str, text: Callable[[Any], str]) -> Callable[[Any, Common], None]:
    """Returns the verb that runs an operation and prints its result, rendered by `text`."""

    def verb(request: Any, common: Common) -> None:
        from memcli import operations

        run = perform if operations.load(name).read is None else answer
        show(common, run(common, name, request), text)

    return verb


def request_class(name: str) -> Any:
    """Returns the class of an operation's request."""
    from memcli import operations

    return operations.load(name).request


def request_of(record: Any, values: dict[str, Any]) -> Any:
    """Returns a command's request, made of its option values and defaults. Raises InvalidInput.

    Several words for one text, as in `mem get why is it slow`, are joined by spaces.
    """
    fields = record.FIELDS
    inputs = {
        name: _input(fields[name].kind if name in fields else "", checked(value))
        for name, value in values.items()
        if value is not None or name not in record._defaults
    }
    request = record(**inputs)
    validate(request)
    return request


def _input(kind: str, value: Any) -> Any:
    """Returns a typed value, converted for a field of this kind."""
    if kind == "text" and isinstance(value, tuple):
        return " ".join(value) if value else None
    if kind == "number" and isinstance(value, str):
        return _number(value)
    return labels(value) if kind == "labels" and isinstance(value, str) else value


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < _DIGITS):
        raise InvalidInput(f"not a whole number: {text[:40]!r}", "write digits only")
    return int(text)


def labels(text: str) -> tuple[str, ...]:
    """Splits a comma-separated option."""
    return tuple([label.strip() for label in text.split(",") if label.strip()])


def reading(common: Common, work: Callable[[Project], T]) -> T:
    """Runs `work` on a memory opened for reading, and closes it."""
    from memcli import operations
    from memcli.project import open_for_reading

    project = open_for_reading(common.where)
    try:
        done = work(project)
    finally:
        project.close()
    operations.after_reading(project)
    return done


def invite(project: Project) -> None:
    """Says, once, that a remote of the clone has a shared memory."""
    from memcli import invitations

    if project.checkout is None or project.is_user:
        return
    if name := invitations.take(project.checkout, project.config, _is_of_person):
        output.tell(invitations.worded(name))


def _is_of_person() -> bool:
    """Tells whether a person runs this command, as far as the environment shows."""
    from memcli.agents.adapters import runs_for_agent

    return not runs_for_agent()


def _session_origin() -> dict[str, str]:
    """Returns what the environment says about the agent's session that runs this command, to be stored with what it writes."""
    if not any(name.endswith("_SESSION_ID") for name in os.environ):
        return {}  # no harness, so that none need be loaded
    from memcli.agents.adapters import session_origin

    return session_origin()


def writing(
    common: Common, work: Callable[[Project], T], create: bool = False, rehearse: Callable[[Project], object] | None = None
) -> T:
    """Runs `work` on a memory opened for writing, and closes it before anything is printed.

    `create`: whether to make the memory if there is none yet, unless `rehearse` refuses an empty one.
    """
    from memcli import operations
    from memcli.project import open_for_writing

    project = replace(open_for_writing(common.where, create, rehearse), via=_session_origin())
    try:
        done = work(project)
    finally:
        project.close()
    if project.masked:
        output.masked(tuple(project.masked), common.json)
    operations.after_change(project)
    return done


def caller(common: Common) -> Caller:
    """Returns the context of a write: by the person, or by the agent in whose session the command runs."""
    from memcli.operations import Caller

    via = _session_origin()
    return Caller(common.where, AGENT if via else ACTOR, via)


def perform(common: Common, name: str, request: Any) -> Any:
    """Runs a writing operation, and says what was masked. Returns its result."""
    from memcli import operations

    result, masked = operations.perform(operations.load(name), request, caller(common))
    if masked:
        output.masked(masked, common.json)
    return result


def answer(common: Common, name: str, request: Any) -> Any:
    """Returns the result of a reading operation."""
    from memcli import operations

    return operations.answer(operations.load(name), request, common.where)


def show(common: Common, result: Any, text: Callable[[Any], str]) -> None:
    """Prints a result as JSON, or as text rendered by `text`."""
    output.data(to_json(result)) if common.json else output.show(text(result))


def guarded(run: Callable[[], int], as_json: bool, hinted: Callable[[MemError], MemError] | None = None) -> int:
    """Runs a function and turns whatever it raises into a message and an exit code."""
    try:
        return run()
    except MemError as error:
        error = hinted(error) if hinted is not None and error.exit_code in (2, 3) else error
        output.fail(error, as_json)
        return error.exit_code
    except BrokenPipeError:
        return 1
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        problem = explained(error)
        output.fail(problem, as_json)
        return problem.exit_code


def explained(error: Exception) -> MemError:
    """Returns any error as one that is worded for a person."""
    from memcli import store

    if problem := store.explain_known(error):
        return problem
    if os.environ.get("MEMPACK_DEBUG"):
        import traceback

        output.tell("".join(traceback.format_exception(error)))
    return MemError(
        f"internal error: {type(error).__name__}: {error}",
        "this is a bug: run again with MEMPACK_DEBUG=1 and report what it prints",
        "internal",
    )


def checked(value: Any) -> Any:
    """Returns an option's value as Unicode text. Raises InvalidInput for bytes that are not UTF-8."""
    if isinstance(value, str):
        return value if value.isascii() else _text(value)
    if isinstance(value, (list, tuple)):
        return tuple([checked(item) for item in value])
    return value


def _text(value: str) -> str:
    """Argument bytes reach Python through the locale's encoding; they are UTF-8 whatever the locale says."""
    try:
        return os.fsencode(value).decode("utf-8")
    except (UnicodeDecodeError, UnicodeEncodeError):
        raise InvalidInput("an argument is not valid UTF-8", "encode it as UTF-8", "encoding") from None
