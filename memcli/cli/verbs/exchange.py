"""export, import: memories as lines of JSON."""

from __future__ import annotations

import os
from collections.abc import Iterable

from memcli import fields, sync
from memcli.cli import output
from memcli.cli.invoke import Common, reading, writing
from memcli.cli.verbs.streams import read_lines, size_of
from memcli.errors import InvalidInput
from memcli.fields import Request
from memcli.project import Project
from memcli.provenance import trace
from memcli.records import as_dict


class ExportOptions(Request):
    """The options of `mem export`."""

    file: str | None = fields.text("The file to write; standard output by default.", default=None, metavar="FILE")
    agent_trace: bool = fields.flag("Write Agent Trace records instead: which session wrote which lines.", default=False)


class ImportOptions(Request):
    """The options of `mem import`."""

    file: str = fields.text("A file of JSON lines; - reads standard input.", metavar="FILE")
    trust: bool = fields.flag("Also take pins and the profile; for your own files.", default=False)


def export(request: ExportOptions, common: Common) -> None:
    """Writes every live memory, or every trace, as a line of JSON; a file appears whole or not at all."""
    lines, subject = (trace.lines, "traces") if request.agent_trace else (sync.lines, "memories")
    if request.file is None or request.file == "-":
        return reading(common, lambda project: _print(lines(project)))
    count = reading(common, lambda project: _save(lines(project), request.file or ""))
    if common.json:
        return output.data({"exported": count, "file": request.file})
    output.tell(f"{count} {subject} in {request.file}")


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        output.show(line)


def _save(lines: Iterable[str], path: str) -> int:
    aside = f"{path}.{os.getpid()}.new"
    count = 0
    try:
        with open(aside, "x", encoding="utf-8") as file:
            for line in lines:
                file.write(line + "\n")
                count += 1
        os.replace(aside, path)
    except OSError as problem:
        raise InvalidInput(
            f"{path} cannot be written: {(problem.strerror or '').lower()}", "check the path and its permissions"
        ) from None
    finally:
        if os.path.exists(aside):
            os.unlink(aside)
    return count


def import_(request: ImportOptions, common: Common) -> None:
    """Takes memories in from lines of JSON, with a progress bar on a terminal."""
    done = writing(common, lambda project: _load(project, request, common.json), create=True)
    if common.json:
        return output.data(as_dict(done))
    gone = f", {done.forgotten:,} forgotten here (mem restore ID brings one back)" if done.forgotten else ""
    output.show(f"{done.imported:,} new, {done.updated:,} changed, {done.unchanged:,} unchanged{gone}")
    if text := _left_out(done):
        output.show(f"not taken: {text}")


def _left_out(done: sync.Imported) -> str:
    """Says what was not taken, and why."""
    counts = (
        (done.written_here, "would have changed what was written here"),
        (done.pins, "would have been pinned (--trust)"),
        (done.profile, "of the profile (--trust)"),
        (done.dates, "dated later than now"),
    )
    return ", ".join([f"{count:,} {text}" for count, text in counts if count])


def _load(project: Project, request: ImportOptions, quiet: bool) -> sync.Imported:
    path = request.file
    size = size_of(path)
    if quiet or not size or not output.is_terminal(2):
        return sync.load(project, read_lines(path), trust=request.trust)
    from memcli.cli.progress import progress

    with progress("import", size) as advance:
        return sync.load(project, read_lines(path), advance, request.trust)
