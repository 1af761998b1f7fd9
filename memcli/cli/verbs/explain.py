"""explain: how each memory scored for a question and what became of it."""

from __future__ import annotations

from memcli import fields
from memcli.cli import output
from memcli.cli.invoke import reading
from memcli.cli.verbs.recall import encoder, text_of
from memcli.fields import Request
from memcli.recall import get as recall
from memcli.recall import report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common
    from memcli.project import Project
    from memcli.recall.pack import Pack


class ExplainOptions(Request):
    """The options of `mem explain`."""

    query: str = fields.text("The task or question; - reads standard input.", metavar="QUERY")
    include_orphans: bool = fields.flag("Include memories of commits that HEAD cannot reach.", default=False)
    semantic: bool = fields.flag("Also compare meanings; see mem embed.", default=False)


def explain(request: ExplainOptions, common: Common) -> None:
    """Prints every candidate with the features its score is made of and what became of it."""
    text = text_of(request.query)

    def work(project: Project) -> Pack:
        meaning = encoder(project, request.semantic)(text)
        return recall.get(project, recall.Query(text, include_orphans=request.include_orphans, meaning=meaning))

    pack = reading(common, work)
    if common.json:
        return output.data(report.explained(pack))
    from memcli.cli import views

    output.show(views.explained(report.explained(pack)))
