"""edit: change a memory as a text, in the person's own editor."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import tempfile
from typing import Any

from memcli import fields
from memcli.cli import documents, output
from memcli.cli.invoke import Common, answer, explained, perform, show
from memcli.cli.verbs.add import line
from memcli.errors import Changed, InvalidInput, MemError, NotFound
from memcli.fields import Request
from memcli.memory import FIELDS, field_values
from memcli.operations.show import Shown, ShowRequest
from memcli.operations.update import UpdateRequest
from memcli.store.memories import Memory
from memcli.text.terminal import oneline


class EditOptions(Request):
    """The memory, and a text left by an earlier edit."""

    id: str = fields.identifier()
    file: str | None = fields.text(
        "Resume from the text in this file, as an earlier edit left it.", default=None, max_length=4096, metavar="PATH"
    )


def edit(request: EditOptions, common: Common) -> None:
    """Opens a memory in an editor and stores the changes. A text that cannot be stored stays in a file."""
    memory = _memory(common, request.id)
    editor = _editor()
    path = request.file or _write(memory)
    before = "" if request.file else _text(path)
    while True:
        try:
            _run(editor, path)
            changes, revision = _changes(memory, _text(path), request.file is None)
            if changes:
                result = perform(common, "update", UpdateRequest(id=memory.id, if_revision=revision, **changes))
            break
        except Exception as error:  # whatever it is, the text must not be lost
            problem = explained(error)
            if _is_unchanged(path, before):
                os.unlink(path)
                raise problem from None
            if not _is_mendable(problem) or not _goes_on(problem):
                raise _with_path(problem, memory.id, path) from None
    os.unlink(path)
    if changes:
        show(common, result, line)
    else:
        output.data({"id": memory.id, "changed": False}) if common.json else output.show(f"{memory.id} is as it was")


def _editor() -> list[str]:
    """Returns the command line of the person's editor. Raises InvalidInput if none is set."""
    words = os.environ.get("VISUAL", "").strip() or os.environ.get("EDITOR", "").strip()
    if not words:
        raise InvalidInput("no editor is set", "set EDITOR, such as: export EDITOR=nano; or use mem update", "no_editor")
    try:
        return shlex.split(words, posix=os.name == "posix")
    except ValueError as problem:
        raise InvalidInput(f"the editor is not a command line: {problem}", "correct VISUAL or EDITOR", "no_editor") from None


def _memory(common: Common, reference: str) -> Memory:
    (shown,) = answer(common, "show", ShowRequest(id=(reference,)))
    if not isinstance(shown, Shown) or not isinstance(shown.item, Memory):
        raise InvalidInput(f"{oneline(reference)[:80]} is not a memory", "mem edit changes memories; notes: mem note edit")
    return shown.item


def _write(memory: Memory) -> str:
    """Writes a memory's text into a new file that only the person can read. Returns its path."""
    handle, path = tempfile.mkstemp(prefix=f"{memory.id}-", suffix=".md")
    with open(handle, "w", encoding="utf-8", newline="") as file:
        file.write(documents.document(field_values(memory), memory.revision))
    return path


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} is not UTF-8", "save it as UTF-8") from None
    except OSError as problem:
        raise NotFound(f"{path} cannot be read: {_reason(problem)}", "give the path of a text that mem edit left") from None


def _reason(problem: OSError) -> str:
    return os.strerror(problem.errno or 0).lower()


def _run(editor: list[str], path: str) -> None:
    """Waits until the person leaves the editor. Raises MemError if it did not start or failed."""
    try:
        process = subprocess.Popen([*editor, path])
    except OSError as problem:
        raise MemError(f"{editor[0]} did not start: {_reason(problem)}", "correct VISUAL or EDITOR", "no_editor") from None
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for the editor
    try:
        code = process.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    if code:
        raise MemError(
            f"{editor[0]} ended with {code}; nothing was stored",
            "correct VISUAL or EDITOR, or leave it without an error",
            "editor_failed",
        )


def _changes(memory: Memory, text: str, is_own: bool) -> tuple[dict[str, Any], int]:
    """Returns the fields of a memory that a text changes, and the revision it is based on. `is_own`: mem just wrote it."""
    values, revision = documents.parsed(text)
    if revision is None and not is_own:
        raise InvalidInput("the text has no revision", f"add the line revision: {memory.revision}, if it is based on that one")
    stored, _ = documents.parsed(documents.document(field_values(memory), memory.revision))
    changes = {name: value for name, value in values.items() if value != stored.get(name)}
    return {name: _given(name, value) for name, value in changes.items()}, memory.revision if revision is None else revision


def _given(name: str, value: Any) -> Any:
    """Returns a value of a text as a request has it: an empty text removes an optional one. Raises InvalidInput."""
    if value is None and FIELDS[name].kind == "number":
        raise InvalidInput(f"the {name} is empty", "write a number: one that was given can be changed, not taken away")
    return "" if value is None else tuple(value) if isinstance(value, list) else value


def _is_unchanged(path: str, before: str) -> bool:
    """Tells whether a text is still as mem wrote it."""
    try:
        return _text(path) == before
    except MemError:
        return False


def _is_mendable(problem: MemError) -> bool:
    return isinstance(problem, InvalidInput) and not isinstance(problem, Changed)


def _goes_on(problem: MemError) -> bool:
    """Asks at a terminal whether to open the editor again. Returns the answer."""
    if not (output.is_terminal(0) and output.is_terminal(2)):
        return False
    output.fail(problem, False)
    output.tell("Edit again? [Y/n]")
    reply = os.read(0, 64).strip().lower()
    return reply in (b"", b"y", b"yes")


def _with_path(problem: MemError, memory_id: str, path: str) -> MemError:
    """Adds to a problem where the text is, and how to resume."""
    again = f"your text is in {path}; go on with: mem edit {memory_id} --file {shlex.quote(path)}"
    if isinstance(problem, Changed):
        again = (
            f"your text is in {path}; compare: mem log -p {memory_id}; then write revision: {problem.revision} there, "
            f"and: mem edit {memory_id} --file {shlex.quote(path)}"
        )
        return Changed(problem.message, again, problem.revision)
    hint = f"{problem.hint}; {again}" if problem.hint else again
    return type(problem)(problem.message, hint, problem.code)
