"""sessions, session, timeline: what agents did here, and what happened around it."""

from __future__ import annotations

from memcli.cli import output
from memcli.cli.invoke import reading
from memcli.cli.verbs.reading import checked_limit
from memcli.recall import story
from memcli.records import Record
from memcli.shapes import sessions as shapes
from memcli.store import sessions as store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common
    from memcli.project import Project
    from memcli.recall.story import Whole
    from memcli.store.sessions import Session


class Sessions(Record):
    """What `mem sessions` was asked."""

    limit: int = 20
    index: bool = False
    needs_summary: bool = False


class OneSession(Record):
    """What `mem session` was asked."""

    id: str


class Timeline(Record):
    """What `mem timeline` was asked."""

    id: str
    before: int = 5
    after: int = 5


def sessions(asked: Sessions, common: Common) -> None:
    """Prints the last sessions, or the index of what was observed in them."""
    reading(common, lambda project: _sessions(project, asked, common.json))


def _sessions(project: Project, asked: Sessions, as_json: bool) -> None:
    from memcli.cli import captured

    limit = checked_limit(asked.limit)
    if asked.index:
        lines = story.index(project)
        return output.data([shapes.line(one) for one in lines]) if as_json else output.show(captured.index(lines))
    found = store.needing_summary(project.db, 1 << 62, limit)[::-1] if asked.needs_summary else store.latest(project.db, limit)
    if as_json:
        return output.data([shapes.session(one) for one in found])
    output.show(captured.sessions([(one, _title(project, one)) for one in found], project.now))


def _title(project: Project, one: Session) -> str:
    from memcli.store import memories

    summary = memories.find(project.db, one.summary) if one.summary else None
    if summary and not summary.forgotten:
        return summary.title
    first = next((prompt.text for prompt in store.prompts(project.db, one.n, 5) if prompt.text), "")
    return first or f"a session of {one.harness or 'an agent'}"


def session(asked: OneSession, common: Common) -> None:
    """Prints everything about one session: its summary, and turn by turn what was asked, done and answered."""
    reading(common, lambda project: _session(story.session(project, asked.id), project, common.json))


def _session(whole: Whole, project: Project, as_json: bool) -> None:
    if as_json:
        return output.data(shapes.whole(whole))
    from memcli.cli import captured

    output.show(captured.session(whole, project.now))


def timeline(asked: Timeline, common: Common) -> None:
    """Prints what happened before and after a memory or a prompt."""
    reading(common, lambda project: _timeline(project, asked, common.json))


def _timeline(project: Project, asked: Timeline, as_json: bool) -> None:
    meant, items = story.timeline(project, asked.id, asked.before, asked.after)
    if as_json:
        return output.data([shapes.entry(one) for one in items])
    from memcli.cli import captured

    output.show(captured.timeline(meant, items))
