"""ingest, chunks: the repository's own text as evidence."""

from __future__ import annotations

import os

from memcli import fields
from memcli.cli import output
from memcli.cli.invoke import reading, writing
from memcli.errors import InvalidInput
from memcli.fields import Request
from memcli.project import open_for_reading
from memcli.records import as_dict, replace
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common
    from memcli.ingest.ingest import IngestOptions, IngestSummary
    from memcli.project import Project


class Ingest(Request):
    """The options of `mem ingest`."""

    paths: tuple[str, ...] = fields.paths("Directories or files; the whole repository by default.", default=(), metavar="PATH...")
    thread: str | None = fields.text("The thread.", default=None, metavar="NAME")
    watch: bool = fields.flag("Keep running and follow changes until Ctrl-C.", default=False)
    max_file_mb: int | None = fields.number("Skip larger files.", default=None)
    chunk_tokens: int | None = fields.number("The maximum size of a chunk.", default=None)
    overlap_tokens: int | None = fields.number("Tokens shared by neighbouring chunks of one definition.", default=None)
    dry_run: bool = fields.flag("Only show what would be done.", default=False)
    remove: str | None = fields.text("Remove everything ingested from a path.", default=None, metavar="PATH")


class Chunks(Request):
    """The options of `mem chunks`."""

    path: str | None = fields.text("A directory or a file; everything by default.", default=None, metavar="PATH")
    limit: int = fields.number("The maximum number of results.", default=50)


def ingest(asked: Ingest, common: Common) -> int:
    """Brings what is kept of files into step with them; --watch goes on doing so."""
    if asked.remove is not None:
        return _remove(asked, common)
    if asked.watch:
        return _watch(asked, common)
    if asked.dry_run:
        return _report(reading(common, lambda project: _ingest(project, asked, True)), asked, common)
    quiet = common.json or not output.is_terminal(2)
    try:
        done = writing(common, lambda project: _ingest(project, asked, quiet), create=True)
    except KeyboardInterrupt:
        if not common.json:
            output.tell("stopped; what was read so far is kept, and mem ingest goes on from there")
        raise
    return _report(done, asked, common)


def _ingest(project: Project, asked: Ingest, quiet: bool) -> IngestSummary:
    from memcli.ingest import ingest as use

    wanted = _wanted(project, asked)
    if quiet:
        return use.ingest(project, wanted)
    from memcli.cli.progress import progress

    with progress("ingest", None, "files") as bar:
        return use.ingest(project, wanted, bar.at)


def _wanted(project: Project, asked: Ingest) -> IngestOptions:
    from memcli.ingest import ingest as use

    root = use.root_of(project)
    scopes = tuple(dict.fromkeys([under(root, path) for path in asked.paths]))
    limits = (asked.max_file_mb, asked.chunk_tokens, asked.overlap_tokens)
    return use.IngestOptions(() if "" in scopes else scopes, asked.thread, *limits, asked.dry_run)


def under(root: str, path: str) -> str:
    """Returns a path as named from the top of a tree, with slashes; empty for the top. Raises InvalidInput for one outside."""
    folder, name = os.path.split(os.path.abspath(path))  # the last part may be gone, or a link that is named itself
    full = os.path.join(os.path.realpath(folder), name) if name else folder
    top = os.path.realpath(root)
    if os.path.realpath(full) == top:
        return ""
    if not full.startswith(top.rstrip(os.sep) + os.sep):
        raise InvalidInput(f"{path} is outside {top}", "go into its repository, or give --repo", "outside")
    return full[len(top.rstrip(os.sep)) + 1 :].replace(os.sep, "/")


def _report(done: IngestSummary, asked: Ingest, common: Common) -> int:
    skipped = sum(done.skipped.values())
    if common.json:
        output.data({**as_dict(done), "skipped_files": skipped, "dry_run": asked.dry_run})
        return 0
    output.show(said(done, asked.dry_run))
    if done.skipped:
        reasons = ", ".join([f"{count:,} {reason}" for reason, count in sorted(done.skipped.items(), key=lambda one: -one[1])])
        output.show(output.paint(f"{skipped:,} skipped: {reasons}", "dim"))
    if not (done.new or done.changed or done.unchanged or done.removed or skipped):
        where = f"under {', '.join(map(oneline, asked.paths))} " if asked.paths else ""
        output.tell(f"no file {where}to read: what git ignores, and what another repository has, is not")
    if done.masked:
        output.show(f"secrets masked in {_files(done.masked)}")
    return 0


def said(done: IngestSummary, dry_run: bool = False) -> str:
    """Returns a summary as a line."""
    counts = f"{done.new:,} new, {done.changed:,} changed, {done.unchanged:,} unchanged, {done.removed:,} removed"
    if dry_run:
        return f"would be: {counts}; nothing was stored"
    written = "1 chunk" if done.chunks_added == 1 else f"{done.chunks_added:,} chunks"
    return f"{counts}; {written} written, {done.chunks_removed:,} taken out"


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count:,} files"


def _remove(asked: Ingest, common: Common) -> int:
    from memcli.ingest import ingest as use

    if asked.paths or asked.watch or asked.dry_run:
        raise InvalidInput("--remove takes out what is kept of one path", "give nothing beside it")
    path = asked.remove or ""
    done = writing(common, lambda project: use.remove(project, under(use.root_of(project), path)))
    if common.json:
        output.data({"removed": done.removed, "chunks_removed": done.chunks_removed})
        return 0
    output.show(f"{_files(done.removed)} with {done.chunks_removed:,} chunks taken out")
    output.tell(f"Name {oneline(path)} in .mempackignore, or it comes back.")
    return 0


def _watch(asked: Ingest, common: Common) -> int:
    """Ingests, and goes on with every change until Ctrl-C. Each time that something changed is a line, or an object of JSON."""
    import signal

    from memcli.cli.invoke import explained
    from memcli.ingest import watch

    if asked.dry_run:
        raise InvalidInput("--watch stores what changes", "leave out --dry-run")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        ingest(replace(asked, watch=False), common)
        project = open_for_reading(common.where)
        project.close()
        look = _Look(asked, common)
        if not common.json:
            output.tell(output.paint("watching; Ctrl-C ends it", "dim", 2))
        watch.watch(project, look.wanted.paths, look, lambda problem: output.fail(explained(problem), common.json))
    except KeyboardInterrupt:
        pass
    return 0


class _Look:
    """Ingests what changed, and says so."""

    def __init__(self, asked: Ingest, common: Common) -> None:
        self.asked = asked
        self.common = common
        self.wanted = reading(common, lambda project: _wanted(project, asked))

    def __call__(self, scopes: tuple[str, ...] | None) -> None:
        from memcli.ingest import ingest as use

        wanted = replace(self.wanted, paths=self.wanted.paths if scopes is None else scopes, must_exist=False)
        done = writing(self.common, lambda project: use.ingest(project, wanted))
        if done.new or done.changed or done.removed or done.chunks_added or done.chunks_removed:
            _report(done, self.asked, self.common)


def chunks(asked: Chunks, common: Common) -> None:
    """Lists the chunks of a path, or of all."""
    from memcli.ingest import ingest as use

    found = reading(common, lambda project: use.chunks(project, _scope(project, asked.path), asked.limit))
    if common.json:
        return output.data([as_dict(one) for one in found])
    for one in found:
        named = f" {oneline(one.symbol)}" if one.symbol else ""
        what = "forgotten" if one.forgotten else one.kind or one.language
        output.show(output.row(one.id, f"{oneline(one.path)}:{one.first_line}-{one.last_line}{named}", what))
    if len(found) == asked.limit:
        output.tell(f"the first {asked.limit:,}; more with --limit")
    if not found:
        output.show("no chunks; mem ingest . makes some")


def _scope(project: Project, path: str | None) -> str:
    from memcli.ingest import ingest as use

    return under(use.root_of(project), path) if path else ""
