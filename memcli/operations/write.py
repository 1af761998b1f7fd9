"""write: store a text word for word."""

from __future__ import annotations

from memcli import fields
from memcli.fields import Request, Result
from memcli.memory import contents, labels
from memcli.memory.entries import Draft
from memcli.operations import Operation
from memcli.project import Project


class WriteRequest(Request):
    """A text to store, and the tags to find it by."""

    content: str = fields.text("The text, kept byte for byte.", max_length=65_536)
    keywords: tuple[str, ...] = fields.labels("Tags to find it by.", default=())


class Written(Result):
    """The stored text, with all its tags."""

    id: str
    content: str
    keywords: tuple[str, ...]


def plan(project: Project, request: WriteRequest) -> Draft:
    """Drafts the memory of the text; its first sentence is the title. Raises InvalidInput."""
    return contents.draft(project, request.content, request.keywords)


def apply(project: Project, planned: Draft, actor: str) -> Written:
    """Stores the text, or adds the tags to a memory that holds and says the same."""
    memory = contents.store(project, planned, actor)
    return Written(memory.id, memory.summary, labels(memory.tags))


OPERATIONS = {
    "write": Operation(
        "write",
        "Remember a text word for word.",
        WriteRequest,
        Written,
        plan,
        apply,
        creates=True,
        question="Remember this?",
        repeatable=True,
    )
}
