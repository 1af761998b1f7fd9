"""import --from a client: the sessions that it keeps. Separate from exchange.py, because it loads what reads sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli.agents import replay
from memcli.agents.transcripts import CLIENTS
from memcli.cli import output
from memcli.cli.invoke import Common, reading, writing
from memcli.cli.verbs import migrate
from memcli.errors import InvalidInput
from memcli.memory import filters
from memcli.project import Project
from memcli.records import as_dict
from memcli.sync import sources
from memcli.text import dates

if TYPE_CHECKING:
    from memcli.cli.verbs.exchange import ImportOptions


def take(request: ImportOptions, common: Common) -> None:
    """Imports the sessions that clients keep, or shows what would be imported."""
    if request.trust or request.project or request.file == "-":
        raise InvalidInput("--trust, --project and - are for memories", "leave them out, or leave --from out")
    if request.dry_run:
        clients = reading(common, lambda project: replay.preview(project, _past_request(project, request)))
    else:
        try:
            clients = writing(common, lambda project: _replay(project, request, common.json), create=True)
        except KeyboardInterrupt:
            if not common.json:
                output.tell("stopped; the sessions that were taken in so far are whole, and the same command goes on from there")
            raise
    if common.json:
        return output.data({"dry_run": request.dry_run, "clients": [_as_data(client) for client in clients]})
    for client in clients:
        output.show(_worded(client, request.dry_run))
        if text := _passed_over(client):
            output.show(f"  not taken: {text}")
    if request.source == "all":
        migrate.name_stores(common, [system for system in sources.SOURCES if system not in sources.IN_REPOSITORY])


def _past_request(project: Project, request: ImportOptions) -> replay.PastRequest:
    clients = CLIENTS if request.source == "all" else (request.source or "",)
    return replay.PastRequest(clients, request.file, filters.since(project, request.since))


def _replay(project: Project, request: ImportOptions, quiet: bool) -> list[replay.ClientImport]:
    past = _past_request(project, request)
    if quiet or not output.is_terminal(2):
        return replay.replay(project, past, lambda size: None)
    from memcli.cli.progress import progress

    with progress("import", replay.size(project, past), "bytes") as advance:
        return replay.replay(project, past, advance)


def _as_data(client: replay.ClientImport) -> dict[str, object]:
    return {**as_dict(client), "places": list(client.places), "first": client.first and dates.iso(client.first)}


def _worded(client: replay.ClientImport, dry_run: bool) -> str:
    """Reports what was imported from a client, or would be."""
    if client.restored and not client.sessions:
        names = "session is" if client.restored == 1 else "sessions are"
        return f"{client.client}: {client.restored:,} {names} back from an import that was undone"
    if not client.sessions:
        return f"{client.client}: nothing new in {', '.join(client.places)}"
    counts = ((client.sessions, "session"), (client.prompts, "prompt"), (client.events, "event"))
    text = ", ".join([f"{count:,} {name}{'' if count == 1 else 's'}" for count, name in counts])
    return f"{client.client}: {'would take ' if dry_run else ''}{text} since {dates.local_day(client.first or 0)}"


def _passed_over(client: replay.ClientImport) -> str:
    """Reports what was not imported from a client, and why."""
    return output.counts(
        [
            (client.stored, "stored already"),
            (client.elsewhere, "of other directories"),
            (client.earlier, "from before that time"),
            (client.unfinished, "still going on"),
            (client.malformed, "lines that cannot be read"),
        ]
    )
