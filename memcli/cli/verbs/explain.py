"""explain: how each memory scored for a question and what became of it."""

from __future__ import annotations

from memcli.cli import output
from memcli.cli.invoke import reading
from memcli.cli.verbs.recall import encoder, text_of
from memcli.recall import get as recall
from memcli.recall import report
from memcli.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common
    from memcli.project import Project
    from memcli.recall.pack import Pack


class Explain(Record):
    """What `mem explain` was asked."""

    query: str
    include_orphans: bool = False
    semantic: bool = False


def explain(asked: Explain, common: Common) -> None:
    """Prints every candidate with the features its score is made of and what became of it."""
    text = text_of(asked.query)

    def work(project: Project) -> Pack:
        meaning = encoder(project, asked.semantic)(text)
        return recall.get(project, recall.Query(text, include_orphans=asked.include_orphans, meaning=meaning))

    pack = reading(common, work)
    if common.json:
        return output.data(report.explained(pack))
    from memcli.cli import views

    output.show(views.explained(report.explained(pack)))
