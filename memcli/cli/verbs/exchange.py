"""export, import: memories as lines of JSON. Import also reads the sessions that clients keep."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from memcli import fields, sync
from memcli.agents.transcripts import CLIENTS
from memcli.cli import output
from memcli.cli.invoke import Common, reading, writing
from memcli.cli.verbs import migrate, tree
from memcli.cli.verbs.streams import read_lines, size_of
from memcli.errors import InvalidInput
from memcli.fields import Request
from memcli.project import Project
from memcli.provenance import trace
from memcli.records import as_dict
from memcli.replication.tree import is_ours as is_tree
from memcli.repo import head
from memcli.sync import markdown_files, sources
from memcli.text import bounded
from memcli.text.terminal import oneline


class ExportOptions(Request):
    """The options of `mem export`."""

    file: str | None = fields.text(
        "The file to write; standard output by default. With --format markdown, a directory.", default=None, metavar="FILE"
    )
    format: str = fields.text(
        "jsonl: everything, a line each, for mem import. markdown: the profile, a file a day of notes, a file a thread.",
        default="jsonl",
        choices=("jsonl", "markdown"),
    )
    shared: bool = fields.flag("Write shared memories to .mempack/memories/, a file each, for review.", default=False)
    agent_trace: bool = fields.flag("Write Agent Trace records instead: which session wrote which lines.", default=False)


class ImportOptions(Request):
    """The options of `mem import`."""

    file: str | None = fields.text(
        "A file or a directory: lines of JSON, or what another program keeps; - reads standard input. "
        "A line is the memory of its source_id, or else the one that says the same, so a file can be imported again.",
        default=None,
        metavar="PATH",
    )
    trust: bool = fields.flag("Also import pins, the profile, states, prompts and settings; for your own files.", default=False)
    source: str | None = fields.text(
        "The program or agent to import from; recognised by content by default.",
        default=None,
        flag="--from",
        choices=(*sources.SOURCES, *CLIENTS, "all"),
    )
    project: str | None = fields.text(
        "The project to import if the program has several; or all.", default=None, max_length=4_096, metavar="NAME"
    )
    since: str | None = fields.text(
        "With an agent: only sessions active after this time: a date, 3d, 2w, last week, a tag or a branch.",
        default=None,
        max_length=200,
        metavar="WHEN",
    )
    dry_run: bool = fields.flag("Show what would be imported; change nothing.", default=False)


def export(request: ExportOptions, common: Common) -> None:
    """Writes every live memory, or every trace, as a line of JSON. A file is written as a whole or not at all."""
    if request.shared:
        if request.file is not None or request.agent_trace:
            raise InvalidInput("--shared writes to .mempack/memories/", "leave out the file and --agent-trace")
        return tree.export_tree(common)
    if request.format == "markdown":
        return _export_markdown(request, common)
    lines, subject = (trace.lines, "traces") if request.agent_trace else (sync.lines, "memories")
    if request.file is None or request.file == "-":
        return reading(common, lambda project: _print(lines(project)))
    count = reading(common, lambda project: _save(lines(project), request.file or ""))
    if common.json:
        return output.data({"exported": count, "file": request.file})
    output.tell(f"{count} {subject} in {request.file}")


def _export_markdown(request: ExportOptions, common: Common) -> None:
    folder = request.file
    if request.agent_trace or folder is None or folder == "-":
        raise InvalidInput("Markdown is written into a directory", "name it: mem export --format markdown DIR")
    count = reading(common, lambda project: markdown_files.write(project, folder))
    if common.json:
        return output.data({"files": count, "directory": folder})
    output.tell(f"{count} files in {folder}")


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        output.show(line)


def _save(lines: Iterable[str], path: str) -> int:
    aside = f"{path}.{os.getpid()}.new"
    count = 0
    try:
        mode = os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o600
        with open(os.open(aside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode), "w", encoding="utf-8") as file:
            for line in lines:
                file.write(line + "\n")
                count += 1
        os.chmod(aside, mode)
        os.replace(aside, path)
    except OSError as problem:
        raise InvalidInput(
            f"{path} cannot be written: {(problem.strerror or '').lower()}", "check the path and its permissions"
        ) from None
    finally:
        if os.path.exists(aside):
            os.unlink(aside)
    return count


def _tree_in(path: str) -> str:
    """Returns the directory of shared memories at a path: itself, or the one in `.mempack`; "" if there is none."""
    return next((folder for folder in (path, os.path.join(path, "memories")) if is_tree(folder)), "")


def import_(request: ImportOptions, common: Common) -> None:
    """Imports memories from lines of JSON or another program, or sessions from a client, with a progress bar on a terminal."""
    if request.file is not None and not _is_stream(request.file):
        _refuse_a_link_out(request.file)
    folder = _tree_in(request.file) if request.source is None and request.file is not None else ""
    if folder:
        if request.dry_run or request.trust:
            raise InvalidInput("shared memories are taken as they are", "leave --dry-run and --trust out; git shows what changed")
        return tree.import_tree(folder, common)
    if request.source in (*CLIENTS, "all"):
        from memcli.cli.verbs import past_sessions  # reads sessions, with thousands of patterns: not for help and errors

        return past_sessions.take(request, common)
    if request.since is not None:
        raise InvalidInput("--since is for sessions", "give --from and a client, too")
    if request.source is None and request.file is None:
        at_hand = migrate.at_hand(common)
        present = f"; there is something of {', '.join(at_hand)}" if at_hand else ""
        raise InvalidInput("nothing to import", f"give a file, or --from and the program or the client to import from{present}")
    if request.source is not None and request.file == "-":
        raise InvalidInput("- is for lines of JSON", "name the file")
    names = (request.source, request.file, request.project, request.trust, request.dry_run)
    if request.source is not None:
        return migrate.run(migrate.Migration(*names), common)
    source = None if _is_stream(request.file or "") else sources.recognized(request.file or "", CLIENTS)
    if source is not None:
        return migrate.run(migrate.Migration(source.system, *names[1:]), common, source)
    return _import_lines(request, common)


def _refuse_a_link_out(path: str) -> None:
    """Raises InvalidInput for a link of a repository that leads out of it: its author chose which file of the person's it is."""
    full = os.path.abspath(path)
    if os.path.realpath(full) == full:
        return
    folder = os.path.dirname(full)
    for start, place in ((".", full), (folder, os.path.join(os.path.realpath(folder), os.path.basename(full)))):
        checkout = head.find(start)
        if checkout and place.startswith(os.path.join(checkout.root, "")) and bounded.leads_out(checkout.root, place):
            raise InvalidInput(f"{path} is a link that leads out of the repository", "name the file that it leads to")


def _is_stream(path: str) -> bool:
    """Tells whether lines come through a pipe: standard input, or a shell's `<(command)`."""
    return path in ("-", "/dev/stdin") or path.startswith(("/dev/fd/", "/proc/self/fd/"))


def _import_lines(request: ImportOptions, common: Common) -> None:
    if request.project is not None:
        raise InvalidInput("--project is for programs that keep several", "leave it out: a line of JSON belongs to no project")
    path = request.file or "-"
    is_file = os.path.isfile(path)
    lines_kept: list[str] = []
    lines = read_lines(path) if is_file else _keeping(read_lines(path), lines_kept)
    done = reading(common, lambda project: sync.load(project, lines, trust=request.trust, stores=False))  # or nothing is stored
    elsewhere = "" if common.user else reading(common, migrate.other_place)
    if not request.dry_run:
        again = read_lines(path) if is_file else lines_kept
        done = writing(common, lambda project: _load(project, again, request, common.json), create=True)
    if common.json:
        return output.data(as_dict(done))
    gone = f", {done.forgotten:,} forgotten here (mem restore ID brings one back)" if done.forgotten else ""
    repeated = f" ({done.repeated:,} said by an earlier line)" if done.repeated else ""
    would = "would be " if request.dry_run else ""
    place = f"in {oneline(elsewhere)}: " if elsewhere else ""
    output.show(f"{place}{would}{done.imported:,} new, {done.updated:,} changed, {done.unchanged:,} unchanged{repeated}{gone}")
    if text := _left_out(done):
        output.show(f"not taken: {text}")
    if not any(as_dict(done).values()):
        output.tell("standard input was empty" if path == "-" else f"{path} is empty")


def _keeping(lines: Iterable[str], lines_kept: list[str]) -> Iterator[str]:
    """Yields the lines of a pipe and records them, as they can be read only once."""
    for line in lines:
        lines_kept.append(line)
        yield line


def _left_out(done: sync.Imported) -> str:
    """Reports what was not imported, and why."""
    return output.counts(
        [
            (done.written_here, "would have changed what was written here"),
            (done.pins, "would have been pinned (--trust)"),
            (done.profile, "of the profile (--trust)"),
            (done.dates, "dated later than now"),
        ]
    )


def _load(project: Project, lines: Iterable[str], request: ImportOptions, quiet: bool) -> sync.Imported:
    path = request.file or "-"
    size = size_of(path)
    if quiet or not size or not output.is_terminal(2):
        return sync.load(project, lines, trust=request.trust)
    from memcli.cli.progress import progress

    with progress("import", size) as advance:
        return sync.load(project, lines, advance, request.trust)
