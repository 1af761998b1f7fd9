"""ingest, chunks: the repository's own text as evidence."""

from __future__ import annotations

import os
import signal

from memcli import extras, fields
from memcli import ingest as ingestion
from memcli.cli import output
from memcli.cli.invoke import Common, explained, reading, writing
from memcli.errors import InvalidInput
from memcli.fields import Request
from memcli.ingest import IngestOptions, IngestSummary, watch
from memcli.project import Project, open_for_reading
from memcli.records import as_dict, replace
from memcli.text.terminal import oneline

_PLACES = 8  # lines with secrets that are printed


class IngestCommand(Request):
    """The options of `mem ingest`."""

    paths: tuple[str, ...] = fields.paths("Directories or files; the whole repository by default.", default=(), metavar="PATH...")
    thread: str | None = fields.text("The thread.", default=None, metavar="NAME")
    watch: bool = fields.flag("Keep running and follow changes until Ctrl-C.", default=False)
    max_file_mb: int | None = fields.number("Skip larger files.", default=None)
    chunk_tokens: int | None = fields.number("The maximum size of a chunk.", default=None)
    overlap_tokens: int | None = fields.number("Tokens shared by neighbouring chunks of one definition.", default=None)
    dry_run: bool = fields.flag("Only show what would be done.", default=False)
    remove: str | None = fields.text("Remove everything ingested from a path.", default=None, metavar="PATH")


class ChunksOptions(Request):
    """The options of `mem chunks`."""

    path: str | None = fields.text("A directory or a file; everything by default.", default=None, metavar="PATH")
    limit: int = fields.number("The maximum number of results.", default=50, flag=fields.LIMIT_FLAG)


def ingest(request: IngestCommand, common: Common) -> int:
    """Brings the stored chunks up to date with the files. --watch continues to do so."""
    if request.remove is not None:
        return _remove(request, common)
    if request.watch:
        return _watch(request, common)
    if request.dry_run:
        return _report(reading(common, lambda project: _ingest(project, request, True)), request, common)
    quiet = common.json or not output.is_terminal(2)
    try:
        done = writing(common, lambda project: _ingest(project, request, quiet), create=True)
    except KeyboardInterrupt:
        if not common.json:
            output.tell("stopped; what was read so far is kept, and mem ingest goes on from there")
        raise
    return _report(done, request, common)


def _ingest(project: Project, request: IngestCommand, quiet: bool) -> IngestSummary:
    options = _options(project, request)
    if quiet:
        return ingestion.ingest(project, options)
    from memcli.cli.progress import progress

    with progress("ingest", None, "files") as bar:
        return ingestion.ingest(project, options, bar.at)


def _options(project: Project, request: IngestCommand) -> IngestOptions:
    root = ingestion.root_of(project)
    scopes = tuple(dict.fromkeys([under(root, path) for path in request.paths]))
    limits = (request.max_file_mb, request.chunk_tokens, request.overlap_tokens)
    return IngestOptions(() if "" in scopes else scopes, request.thread, *limits, request.dry_run)


def under(root: str, path: str) -> str:
    """Returns a path relative to the root of a tree, with slashes; "" for the root. Raises InvalidInput for one outside."""
    folder, name = os.path.split(os.path.abspath(path))  # the last part may be gone, or a link that is named itself
    full = os.path.join(os.path.realpath(folder), name) if name else folder
    top = os.path.realpath(root)
    if os.path.realpath(full) == top:
        return ""
    if not full.startswith(top.rstrip(os.sep) + os.sep):
        raise InvalidInput(f"{path} is outside {top}", "go into its repository, or give --repo", "outside")
    return full[len(top.rstrip(os.sep)) + 1 :].replace(os.sep, "/")


def _report(done: IngestSummary, request: IngestCommand, common: Common) -> int:
    skipped = sum(done.skipped.values())
    if common.json:
        output.data({**as_dict(done), "skipped_files": skipped, "dry_run": request.dry_run})
        return 0
    _wrapped(said(done, request.dry_run))
    if done.skipped:
        reasons = ", ".join([f"{count:,} {reason}" for reason, count in sorted(done.skipped.items(), key=lambda item: -item[1])])
        _wrapped(f"{skipped:,} skipped: {reasons}", "dim")
    if not (done.new or done.changed or done.unchanged or done.removed or skipped):
        where = f"under {', '.join(map(oneline, request.paths))} " if request.paths else ""
        output.tell(f"no file {where}to read: what git ignores, and what another repository has, is not")
    if done.fell_back and not extras.is_installed("ingest"):
        output.tell(f"{_files(done.fell_back)} cut by lines, not by definitions: the grammars come with memcli's extra [ingest]")
    if done.masked:
        paths = [oneline(place) for place in done.masked_in[:_PLACES]]
        more = f" and {len(done.masked_in) - _PLACES} more" if len(done.masked_in) > _PLACES else ""
        _wrapped(f"secrets masked in {_files(done.masked)}: {', '.join(paths)}{more}")
    return 0


def _wrapped(text: str, style: str = "") -> None:
    output.show("\n".join(output.paragraph(text, 0, style)))


def said(done: IngestSummary, dry_run: bool = False) -> str:
    """Returns a summary as a line."""
    counts = f"{done.new:,} new, {done.changed:,} changed, {done.unchanged:,} unchanged, {done.removed:,} removed"
    if dry_run:
        return f"would be: {counts}; nothing was stored"
    written = "1 chunk" if done.chunks_added == 1 else f"{done.chunks_added:,} chunks"
    return f"{counts}; {written} written, {done.chunks_removed:,} taken out"


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count:,} files"


def _remove(request: IngestCommand, common: Common) -> int:
    if request.paths or request.watch or request.dry_run:
        raise InvalidInput("--remove excludes other paths and options", "give --remove PATH alone")
    path = request.remove or ""
    done = writing(common, lambda project: ingestion.remove(project, under(ingestion.root_of(project), path)))
    if common.json:
        output.data({"removed": done.removed, "chunks_removed": done.chunks_removed})
        return 0
    output.show(f"{_files(done.removed)} with {done.chunks_removed:,} chunks taken out")
    output.tell(f"Name {oneline(path)} in .mempackignore, or it comes back.")
    return 0


def _watch(request: IngestCommand, common: Common) -> int:
    """Ingests, then again on every change until Ctrl-C. Prints a line, or a JSON object, each time that something changed."""
    if request.dry_run:
        raise InvalidInput("--watch and --dry-run exclude each other", "leave out one of them")
    extras.require("ingest", "mem ingest --watch")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        ingest(replace(request, watch=False), common)
        project = open_for_reading(common.where)
        project.close()
        watcher = _Watcher(request, common)
        if not common.json:
            output.tell(output.paint("watching; Ctrl-C ends it", "dim", 2))
        watch.watch(project, watcher.options.paths, watcher, lambda problem: output.fail(explained(problem), common.json))
    except KeyboardInterrupt:
        pass
    return 0


class _Watcher:
    """Ingests what changed, and reports it."""

    def __init__(self, request: IngestCommand, common: Common) -> None:
        self.request = request
        self.common = common
        self.options = reading(common, lambda project: _options(project, request))

    def __call__(self, scopes: tuple[str, ...] | None) -> None:
        options = replace(self.options, paths=self.options.paths if scopes is None else scopes, must_exist=False)
        done = writing(self.common, lambda project: ingestion.ingest(project, options))
        if done.new or done.changed or done.removed or done.chunks_added or done.chunks_removed:
            _report(done, self.request, self.common)


def chunks(request: ChunksOptions, common: Common) -> None:
    """Lists the chunks of a path, or all chunks."""
    chunks = reading(common, lambda project: ingestion.chunks(project, _scope(project, request.path), request.limit))
    if common.json:
        return output.data([as_dict(chunk) for chunk in chunks])
    items = []
    for chunk in chunks:
        symbol = f" {oneline(chunk.symbol)}" if chunk.symbol else ""
        label = "forgotten" if chunk.forgotten else chunk.kind or chunk.language
        items.append(output.ListItem(chunk.id, f"{oneline(chunk.path)}:{chunk.first_line}-{chunk.last_line}{symbol}", label))
    if items:
        output.show("\n".join(output.rows(items)))
    if len(chunks) == request.limit:
        output.tell(f"the first {request.limit:,}; more with --limit")
    if not chunks:
        place = oneline(request.path or "")
        output.show(f"no chunks of {place}; see mem chunks" if place else "no chunks; mem ingest . makes some")


def _scope(project: Project, path: str | None) -> str:
    return under(ingestion.root_of(project), path) if path else ""
