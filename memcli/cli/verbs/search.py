"""search: matching memories, one by one."""

from __future__ import annotations

from memcli.cli import output
from memcli.cli.invoke import reading
from memcli.cli.verbs.recall import encoder, text_of
from memcli.errors import InvalidInput
from memcli.recall import search as recall
from memcli.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common
    from memcli.project import Project


class Search(Record):
    """What `mem search` was asked."""

    query: str | None = None
    limit: int = 10
    offset: int = 0
    kind: str | None = None
    thread: str | None = None
    since: str | None = None
    until: str | None = None
    batch: str | None = None
    semantic: bool = False
    session: str | None = None


def search(asked: Search, common: Common) -> None:
    """Prints matching memories with a snippet each; with --batch, one JSON line a query."""
    if (asked.query is None) == (asked.batch is None):
        raise InvalidInput("nothing to search for", 'give a query, or --batch FILE: mem search "retry queue"')
    reading(common, lambda project: _search(project, asked, common.json))


def _search(project: Project, asked: Search, as_json: bool) -> None:
    only = recall.filter_of(project, asked.kind, asked.thread, asked.since, asked.until, asked.session)
    encode = encoder(project, asked.semantic)
    if asked.batch is not None:
        from memcli.cli.verbs.streams import read_lines

        for line in read_lines(asked.batch):
            if line.strip():
                output.data(recall.answer_line(project, line, only, asked.limit, encode))
        return
    query = text_of(asked.query or "")
    found = recall.search(project, query, only, asked.limit, asked.offset, encode(query))
    if as_json:
        return output.data(recall.as_json(found))
    from memcli.cli import views

    output.show(views.found(found, project.now))
