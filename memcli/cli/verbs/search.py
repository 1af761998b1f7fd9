"""search: matching memories, one by one."""

from __future__ import annotations

from memcli import fields
from memcli.cli import output
from memcli.cli.invoke import reading
from memcli.cli.verbs.recall import encoder, text_of
from memcli.errors import InvalidInput
from memcli.fields import Request
from memcli.recall import search as recall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common
    from memcli.project import Project


class SearchOptions(Request):
    """The options of `mem search`."""

    query: str | None = fields.text(
        'Words; also "a phrase", prefix*, AND, OR, NOT, ( ); - reads standard input.', default=None, metavar="QUERY"
    )
    limit: int = fields.number("The maximum number of results.", default=10)
    offset: int = fields.number("Skip this many results.", default=0)
    kind: str | None = fields.text("decision, bugfix, feature, discovery, note, ...", default=None, metavar="KIND")
    thread: str | None = fields.text("The thread.", default=None, metavar="NAME")
    since: str | None = fields.text("A date, or an age such as 3d or 2w.", default=None, metavar="WHEN")
    until: str | None = fields.text("A date, or an age such as 3d or 2w.", default=None, metavar="WHEN")
    session: str | None = fields.text("Only memories of this agent session.", default=None, metavar="ID")
    batch: str | None = fields.text('A file with one {"id","text"} per line.', default=None, metavar="FILE")
    semantic: bool = fields.flag("Also compare meanings; see mem embed.", default=False)


def search(request: SearchOptions, common: Common) -> None:
    """Prints matching memories with a snippet each; with --batch, one JSON line a query."""
    if (request.query is None) == (request.batch is None):
        raise InvalidInput("nothing to search for", 'give a query, or --batch FILE: mem search "retry queue"')
    reading(common, lambda project: _search(project, request, common.json))


def _search(project: Project, request: SearchOptions, as_json: bool) -> None:
    only = recall.filter_of(project, request.kind, request.thread, request.since, request.until, request.session)
    encode = encoder(project, request.semantic)
    if request.batch is not None:
        from memcli.cli.verbs.streams import read_lines

        for line in read_lines(request.batch):
            if line.strip():
                output.data(recall.answer_line(project, line, only, request.limit, encode))
        return
    query = text_of(request.query or "")
    hits = recall.search(project, query, only, request.limit, request.offset, encode(query))
    if as_json:
        return output.data(recall.as_json(hits))
    from memcli.cli import views

    output.show(views.search_hits(hits, project.now))
