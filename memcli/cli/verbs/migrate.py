"""import from other programs: what they remember, each part into the memory that it belongs to."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from typing import Any

from memcli import registry
from memcli.cli import output
from memcli.cli.invoke import Common, reading, writing
from memcli.errors import MemError, NotFound, Option
from memcli.project import Location, Project, open_named, rehearse_on_empty
from memcli.records import Record, as_dict, replace
from memcli.sync import migration, sources
from memcli.sync.migration import Migrated, NotTaken
from memcli.sync.sources import Extract, ForeignSource, ReadScope
from memcli.text import ids
from memcli.text.terminal import oneline


class Migration(Record):
    """What to import: from which program, where (None: where it keeps its data), which of its projects, and how far to trust it.

    `name`: of an import into several memories, in the log of each; "" for one into a single memory.
    """

    system: str | None
    path: str | None
    project: str | None
    trust: bool
    dry_run: bool
    name: str = ""


class ExtractDone(Record):
    """The result for an extract: the memory that it went to, and what was imported."""

    where: str
    done: Migrated


def run(request: Migration, common: Common, source: ForeignSource | None = None) -> None:
    """Imports what a program remembers, and reports what was imported and what was not."""
    scope = _scope(request, common)
    source = source or sources.choose(request.system or "", request.path, scope)
    extracts = source.extracts(scope)
    if common.user or common.workspace:
        migration.check_one_place(extracts)
    memories = migration.by_memory(extracts, common.workspace)
    if len(memories) > 1:
        request = replace(request, name=ids.new("I"))
    elsewhere = "" if common.user or not scope.names else reading(common, other_place)
    results = [ExtractDone(_name(extract, common, elsewhere), _import_extract(extract, request, common)) for extract in memories]
    settings = {key: value for result in results for key, value in result.done.settings.items()}
    changed, unset = migration.set_settings(settings, request.trust, not request.dry_run)
    undos = [_undo(extract, result.done.revision, common) for extract, result in zip(memories, results)]
    if common.json:
        return output.data(_as_data(source, results, undos, request.dry_run, changed, unset))
    origins = [] if request.path else [_shown(path, scope.root) for path in source.paths]
    _show(source.system, origins, results, request.dry_run)
    commands = [undo for undo in undos if undo]
    if commands and (len(results) > 1 or results[0].where):
        output.show(f"  {'each has its own undo' if len(results) > 1 else 'undo'}: {'; '.join(commands)}")
    for key, value in changed.items():
        output.show(f"{'would be ' if request.dry_run else ''}{key} = {value}")
    _show_not_taken(unset)
    if source.moved:
        output.tell(sources.moved_hint(source.moved))
    if source.others:
        commands = [f"mem import --from {other} {shlex.quote(request.path or '')}" for other in source.others]
        output.tell(f"also there, not taken: {oneline('; '.join(commands))}")


def name_stores(common: Common, systems: Sequence[str]) -> None:
    """Names the import commands for those of these programs that have data here of which nothing was imported."""
    present = reading(common, lambda project: migration.not_imported(project, systems))
    own = [system for system in present if system in sources.OF_PERSON]
    if own and not common.user:
        of_person = replace(common, repo=None, workspace=None, user=True)
        not_imported = reading(of_person, lambda project: migration.not_imported(project, own))
        present = [system for system in present if system not in own or system in not_imported]
    commands = [f"mem import --from {system}{' --user' if system in own else ''}" for system in present]
    if commands:
        output.tell(f"{', '.join(present)} {'has' if len(present) == 1 else 'have'} memories to import: {'; '.join(commands)}")


def at_hand(common: Common) -> list[str]:
    """Returns the programs whose data is in its usual place; none outside a repository."""
    try:
        scope = reading(common, lambda project: migration.scope_of(project, None))
    except MemError:
        return []
    return sources.at_hand(scope)


def _scope(request: Migration, common: Common) -> ReadScope:
    try:
        return reading(common, lambda project: migration.scope_of(project, request.project))
    except NotFound as error:
        if request.system in sources.OF_PERSON and error.code == "no_repository":
            raise NotFound(str(error), ("go into one, or give ", Option("user"), ": it is about you"), error.code) from None
        if request.system in sources.OF_NOBODY and error.code == "no_repository" and not (common.repo or common.workspace):
            return migration.scope_of_nobody(request.project)
        raise


def other_place(project: Project) -> str:
    """Returns the name of a repository, "" for the one of the working directory."""
    try:
        directory = os.path.realpath(os.getcwd())
    except OSError:  # it was deleted
        directory = ""
    top = os.path.realpath(project.root) if project.root else ""
    return "" if top and os.path.join(directory, "").startswith(os.path.join(top, "")) else project.name


def _name(extract: Extract, common: Common, elsewhere: str) -> str:
    """Returns the name of an extract's memory, "" for the one of the working directory."""
    if extract.project is None:
        return "/".join([name for name in (oneline(elsewhere), extract.workspace) if name])
    return f"{common.repo or extract.project}/{common.workspace or extract.workspace}"


def _undo(extract: Extract, revision: int | None, common: Common) -> str | None:
    """Returns the command that reverts an import into an extract's memory, and nothing that was done there since.

    None if nothing was imported.
    """
    if revision is None:
        return None
    repo = common.repo or (None if common.user else extract.project)
    named = (("--repo", repo), ("--workspace", common.workspace or extract.workspace))
    words = [word for name, value in named if value for word in (name, shlex.quote(value))]
    return " ".join([f"mem undo --if-revision {revision}", *["--user"] * bool(common.user), *words])


def _import_extract(extract: Extract, request: Migration, common: Common) -> Migrated:
    """Imports one extract into its memory. The command line takes precedence over the extract."""
    if extract.project is None or common.user:
        target = replace(common, workspace=common.workspace or extract.workspace)
    else:
        project = registry.adopted(extract.project)
        if common.repo is None and project is None and request.dry_run:
            return _on_empty(extract, request)
        workspace = common.workspace or extract.workspace
        if common.repo is None and not request.dry_run:
            open_named(extract.project, workspace).close()
            project = registry.adopted(extract.project)
        target = replace(common, repo=common.repo or project, workspace=workspace)
    if request.dry_run:
        return reading(target, lambda project: migration.take(project, extract, request.trust, stores=False))
    return writing(target, lambda project: _take(project, extract, request, common.json), create=True)


def _on_empty(extract: Extract, request: Migration) -> Migrated:
    done: list[Migrated] = []
    rehearse_on_empty(
        Location(None, None, "", ""),
        lambda project: done.append(migration.take(project, extract, request.trust, stores=False)),
    )
    return done[0]


def _take(project: Project, extract: Extract, request: Migration, quiet: bool) -> Migrated:
    if request.name:
        project = replace(project, via={**project.via, "import": request.name})
    if quiet or not output.is_terminal(2):
        return migration.take(project, extract, request.trust)
    from memcli.cli.progress import progress

    with progress("import", len(extract.entries), "entries") as advance:
        return migration.take(project, extract, request.trust, progress=advance)


def _shown(path: str, root: str) -> str:
    """Returns a path for display: relative to the repository's root if it is inside."""
    return oneline(os.path.relpath(path, root) if root and path.startswith(os.path.join(root, "")) else path)


def _show(system: str, origins: list[str], results: list[ExtractDone], dry_run: bool) -> None:
    """Reports what was imported. `origins`: where it came from, if that was not given."""
    source = f"{system} ({', '.join(origins)})" if origins else system
    for result in results:
        counts = result.done.counts
        gone = f", {counts.forgotten:,} forgotten here (mem restore ID brings one back)" if counts.forgotten else ""
        where = f" in {result.where}" if result.where else ""
        head = f"{source}{where}: {'would be ' if dry_run else ''}"
        output.show(f"{head}{counts.imported:,} new, {counts.updated:,} changed, {counts.unchanged:,} unchanged{gone}")
        _show_not_taken(result.done.not_taken)


def _show_not_taken(reasons: Any) -> None:
    for reason in reasons:
        examples = (
            f": {'; '.join(reason.examples)}{' …' if reason.count > len(reason.examples) else ''}" if reason.examples else ""
        )
        head = "kept" if reason.reason == migration.GONE else "taken, but changed" if reason.is_taken else "not taken"
        output.show(f"  {head}: {reason.count:,} × {reason.reason}{examples}")


def _as_data(
    source: ForeignSource,
    results: list[ExtractDone],
    undos: list[str | None],
    dry_run: bool,
    changed: dict[str, object],
    unset: list[NotTaken],
) -> dict[str, object]:
    by_memory = [
        {
            "memory": result.where or None,
            **{name: getattr(result.done.counts, name) for name in ("imported", "updated", "unchanged", "forgotten")},
            "not_taken": [_reason(reason) for reason in result.done.not_taken],
            "undo": undo,
        }
        for result, undo in zip(results, undos)
    ]
    totals = {name: sum(result[name] for result in by_memory) for name in ("imported", "updated", "unchanged", "forgotten")}
    return {
        "from": source.system,
        "places": list(source.paths),
        "others": list(source.others),
        "moved": list(source.moved),
        "dry_run": dry_run,
        **totals,
        "parts": by_memory,
        "settings": changed,
        "settings_not_taken": [_reason(reason) for reason in unset],
    }


def _reason(reason: NotTaken) -> dict[str, object]:
    return {**as_dict(reason), "examples": list(reason.examples), "is_taken": reason.is_taken}
