"""why: prints what led to lines, a file or a commit."""

from __future__ import annotations

import os

from memcli.cli import output
from memcli.cli.invoke import Common, answer
from memcli.cli.output import paint, paragraph
from memcli.fields import to_json
from memcli.operations.why import WhyAnswer, WhyRequest
from memcli.provenance import ExplainedChange, Explanation
from memcli.provenance.authors import Author
from memcli.provenance.reasons import Reason
from memcli.provenance.target import split
from memcli.repo.revisions import DescribedCommit
from memcli.text import dates
from memcli.text.terminal import oneline

_QUOTED = 300  # characters of a prompt or a reason
_LINES = 3  # of the text that is asked about
_MESSAGE = 8  # lines of a commit's message


def why(request: WhyRequest, common: Common) -> None:
    """Prints what led to lines, a file or a commit. Paths are relative to the working directory."""
    result = answer(common, "why", WhyRequest(target=_from_here(request.target)))
    if common.json:
        return output.data(to_json(result))
    output.show(_text(result))


def _from_here(target: str) -> str:
    """Returns the target with the absolute path of its file, if there is or was one; else the target itself."""
    name = target if os.path.lexists(target) else split(target)[0]
    return os.path.abspath(name) + target[len(name) :] if os.path.lexists(name) else target


def _text(result: WhyAnswer) -> str:
    explanation, now = result.explanation, result.now
    before = [None, *explanation.changes]
    blocks = [
        "\n".join(_change(it, explanation, bool(last and last.came_from), now)) for last, it in zip(before, explanation.changes)
    ]
    closing = [f"{explanation.more} or more further commits: git log"] if explanation.more else []
    notes = [line for note in (*closing, *explanation.notes) for line in paragraph(note, 0, "dim")]
    return "\n\n".join([*blocks, *(["\n".join(notes)] if notes else [])])


def _change(change: ExplainedChange, explanation: Explanation, follows: bool, now: int) -> list[str]:
    """Renders a change. `follows`: whether it explains where the lines of the previous one were."""
    lines = []
    if change.spans:
        spans = change.spans if not follows else ((change.place[1], change.place[1]),)
        ranges = ",".join([f"{first}" if first == last else f"{first}-{last}" for first, last in spans])
        lines += paragraph(f"{oneline(change.place[0] if follows else explanation.target.path)}:{ranges}", 0, "heading")
        lines += [paint(f"    {oneline(text)}", "dim") for text in change.text.split("\n")[:_LINES]]
    lines += _commit(change, explanation.kind, now)
    if change.took_back:
        lines += _fact("took back", _head(change.took_back, now))
    if change.taken_back_by:
        lines += _fact("reverted", f"by {_head(change.taken_back_by, now)}")
    if change.came_from:
        lines += _fact("moved", f"here from {oneline(change.came_from[0])}:{change.came_from[1]}, which is explained next")
    for author in change.authors:
        lines += _author(author, now)
    if not change.authors and (change.commit or change.spans):
        lines += _fact("session", "none is known")
    for reason in change.decided:
        lines += _reason(reason, "reason" if reason.kind != "decision" else "decision", now)
    for reason in change.dropped:
        lines += _reason(reason, "dropped", now)
    return lines


def _commit(change: ExplainedChange, kind: str, now: int) -> list[str]:
    commit = change.commit
    if commit is None:
        return _fact("commit", "none yet: not committed")
    lines = _fact("commit", _head(commit, now))
    body = [oneline(line) for line in commit.body.splitlines() if line.strip()]
    lines += [line for text in body[:_MESSAGE] for line in _fact("", text)]
    if kind == "commit" and change.paths:
        more = f" and {len(change.paths) - 8} more" if len(change.paths) > 8 else ""
        lines += _fact("files", ", ".join(map(oneline, change.paths[:8])) + more)
    return lines


def _head(commit: DescribedCommit, now: int) -> str:
    return f"{commit.id[:10]} {oneline(commit.subject)} · {oneline(commit.author)}, {dates.ago(commit.at * 1000, now)}"


def _author(author: Author, now: int) -> list[str]:
    session = author.session
    how = "" if author.how == "committed" else ", which edited the file before it was committed"
    lines = _fact("session", f"{session.id} {oneline(session.harness)}, {dates.ago(session.last_at, now)}{how}")
    for prompt in author.prompts:
        lines += _fact("prompt", f"{prompt.id} {oneline(prompt.text)[:_QUOTED] or prompt.skipped}")
    return lines


def _reason(reason: Reason, label: str, now: int) -> list[str]:
    state = "" if reason.state in ("holds", "dropped") else f", {reason.state}" + (f" by {reason.by}" if reason.by else "")
    lines = _fact(label, f"{reason.id} {reason.text[:_QUOTED]} ({dates.age(reason.created_at, now)}{state})")
    if reason.detail:
        lines += _fact("", oneline(reason.detail)[:_QUOTED])
    for name, text, at in reason.earlier:
        lines += _fact("", f"before: {name} {text[:_QUOTED]} ({dates.age(at, now)})")
    return lines


def _fact(label: str, text: str) -> list[str]:
    return paragraph(text, 10, "", f"{paint(f'{label:<9}', 'dim')} ")
