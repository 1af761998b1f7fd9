"""why: from lines, a file or a commit to the sessions, prompts and decisions behind them."""

from __future__ import annotations

from typing import Literal

from memcli import fields
from memcli.fields import Request, Result
from memcli.operations import Operation
from memcli.project import Project
from memcli.provenance import ExplainedChange, Explanation, explain
from memcli.provenance.authors import Author
from memcli.provenance.reasons import Reason
from memcli.records import Record
from memcli.repo.revisions import DescribedCommit
from memcli.store import catalogue
from memcli.text import dates

_ASKED, _MESSAGE = 1_000, 2_000  # characters of a prompt or a reason, and of a commit's message


class WhyRequest(Request):
    """What to explain."""

    target: str = fields.text(
        "FILE, FILE:LINE, FILE:LINE-LINE, from the top of the repository, or a commit.", max_length=4_096, metavar="TARGET"
    )


class PlaceRecord(Result):
    """A line of a file."""

    path: str
    line: int


class WhyCommit(Result):
    """A commit."""

    id: str
    author: str
    at: str
    subject: str
    message: str


class WhyPrompt(Result):
    """A prompt: what a person asked."""

    id: str
    text: str
    created_at: str


class WhySession(Result):
    """A session that made a change. `how`: it committed it, or edited the file before somebody did."""

    id: str
    title: str
    harness: str
    how: Literal["committed", "edited"]
    prompts: list[WhyPrompt]


class EarlierReason(Result):
    """What a memory replaced."""

    id: str
    text: str
    created_at: str


class WhyReason(Result):
    """A decision, or another memory, that says why."""

    id: str
    kind: str
    text: str
    detail: str
    state: Literal["holds", "superseded", "dropped", "other branch"]
    superseded_by: str | None
    created_at: str
    earlier: list[EarlierReason]


class WhyChange(Result):
    """The change that brought lines, or a commit. Without a commit, it is not committed yet.

    `lines`: first and last line of each range; `moved_from`: where they were before this commit, which the next change
    explains; `took_back`: the commit that this one reverted; `taken_back_by`: for a commit in the question, the one that
    reverted it.
    """

    lines: list[list[int]]
    text: str
    commit: WhyCommit | None
    place: PlaceRecord | None
    moved_from: PlaceRecord | None
    took_back: WhyCommit | None
    taken_back_by: WhyCommit | None
    sessions: list[WhySession]
    decisions: list[WhyReason]
    dropped: list[WhyReason]


class Why(Result):
    """Why something is as it is. `more`: how many further commits there are; `notes`: what could not be examined."""

    kind: Literal["lines", "file", "commit"]
    path: str | None
    commit: str | None
    changes: list[WhyChange]
    more: int
    notes: list[str]


class WhyAnswer(Record):
    """An explanation, the names of its sessions by their rows, and the time of the question."""

    explanation: Explanation
    titles: dict[int, str]
    now: int

    def answer(self) -> Why:
        """Returns it as a result."""
        explanation = self.explanation
        return Why(
            kind=explanation.kind,
            path=explanation.target.path or None,
            commit=explanation.target.commit or None,
            changes=[_change(change, self.titles) for change in explanation.changes],
            more=explanation.more,
            notes=list(explanation.notes),
        )


def _change(change: ExplainedChange, titles: dict[int, str]) -> WhyChange:
    (path, line), before = change.place, change.came_from
    return WhyChange(
        lines=[list(span) for span in change.spans],
        text=change.text[:_ASKED],
        commit=_commit(change.commit) if change.commit else None,
        place=PlaceRecord(path, line) if path else None,
        moved_from=PlaceRecord(*before) if before else None,
        took_back=_commit(change.took_back) if change.took_back else None,
        taken_back_by=_commit(change.taken_back_by) if change.taken_back_by else None,
        sessions=[_session(author, titles) for author in change.authors],
        decisions=[_reason(reason) for reason in change.decided],
        dropped=[_reason(reason) for reason in change.dropped],
    )


def _commit(commit: DescribedCommit) -> WhyCommit:
    return WhyCommit(commit.id, commit.author, dates.iso(commit.at * 1000), commit.subject, commit.body[:_MESSAGE])


def _session(author: Author, titles: dict[int, str]) -> WhySession:
    prompts = [WhyPrompt(prompt.id, prompt.text[:_ASKED], dates.iso(prompt.created_at)) for prompt in author.prompts]
    return WhySession(author.session.id, titles[author.session.n], author.session.harness, author.how, prompts)


def _reason(reason: Reason) -> WhyReason:
    return WhyReason(
        id=reason.id,
        kind=reason.kind,
        text=reason.text,
        detail=reason.detail[:_ASKED],
        state=reason.state,
        superseded_by=reason.by or None,
        created_at=dates.iso(reason.created_at),
        earlier=[EarlierReason(name, text, dates.iso(at)) for name, text, at in reason.earlier],
    )


def read(project: Project, request: WhyRequest) -> WhyAnswer:
    """Returns why something is as it is. Raises InvalidInput, NotFound, or MemError if git fails."""
    explanation = explain(project, request.target)
    numbers = {author.session.n for change in explanation.changes for author in change.authors}
    names = catalogue.session_names(project.db, sorted(numbers))
    return WhyAnswer(explanation, {n: title for n, (_, title, _) in names.items()}, project.now)


OPERATIONS = {
    "why": Operation(
        "why",
        "Show why lines, a file or a commit are as they are: who asked for it, what was decided.",
        WhyRequest,
        WhyAnswer,
        read=read,
    )
}
