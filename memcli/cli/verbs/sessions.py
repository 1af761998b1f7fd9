"""sessions, session, timeline: what agents did here, and what happened around it."""

from __future__ import annotations

from memcli import fields
from memcli.cli import output
from memcli.cli.invoke import reading
from memcli.cli.verbs.reading import checked_limit
from memcli.fields import Request
from memcli.memory import lookup
from memcli.recall import chronology
from memcli.shapes import sessions as shapes
from memcli.store import sessions as store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.cli.invoke import Common
    from memcli.project import Project
    from memcli.recall.chronology import SessionHistory
    from memcli.store.sessions import Session


class Sessions(Request):
    """The options of `mem sessions`."""

    limit: int = fields.number("The maximum number of results.", default=20)
    index: bool = fields.flag("List the latest observations and summaries instead.", default=False)
    needs_summary: bool = fields.flag("Only sessions without a complete summary.", default=False)


class OneSession(Request):
    """The options of `mem session`."""

    id: str = fields.text("A session's id or name, or the id of an item in it.", metavar="ID")


class Timeline(Request):
    """The options of `mem timeline`."""

    id: str = fields.text("A memory's or a prompt's id, or a unique prefix.", metavar="ID")
    before: int = fields.number("How many items before it.", default=5)
    after: int = fields.number("How many items after it.", default=5)


def sessions(asked: Sessions, common: Common) -> None:
    """Prints the last sessions, or the index of what was observed in them."""
    reading(common, lambda project: _sessions(project, asked, common.json))


def _sessions(project: Project, asked: Sessions, as_json: bool) -> None:
    from memcli.cli import captured

    limit = checked_limit(asked.limit)
    if asked.index:
        lines = chronology.index(project)
        return output.data([shapes.line(one) for one in lines]) if as_json else output.show(captured.index(lines))
    found = store.needing_summary(project.db, 1 << 62, limit)[::-1] if asked.needs_summary else store.latest(project.db, limit)
    if as_json:
        return output.data([shapes.session(one) for one in found])
    none = "every session is summed up" if asked.needs_summary else "no agent was seen here yet"
    output.show(captured.sessions([(one, _title(project, one)) for one in found], project.now, none))


def _title(project: Project, one: Session) -> str:
    from memcli.store import memories

    summary = memories.find(project.db, one.summary) if one.summary else None
    if summary and not summary.forgotten:
        return summary.title
    first = next((prompt.text for prompt in store.prompts(project.db, one.n, 5) if prompt.text), "")
    return first or f"a session of {one.harness or 'an agent'}"


def session(asked: OneSession, common: Common) -> None:
    """Prints everything about one session: its summary, and turn by turn what was asked, done and answered."""
    reading(common, lambda project: _session(chronology.session(project, asked.id), project, common.json))


def _session(whole: SessionHistory, project: Project, as_json: bool) -> None:
    if as_json:
        return output.data(shapes.whole(whole))
    from memcli.cli import captured

    output.show(captured.session(whole, project.now))


def show(references: Sequence[str], common: Common) -> None:
    """Prints what `mem session` prints of each session, and of each prompt its turn."""
    reading(common, lambda project: _show(project, references, common.json))


def _show(project: Project, references: Sequence[str], as_json: bool) -> None:
    from memcli.cli import captured

    turns = [_turn(chronology.session(project, one), one, project) for one in references]
    if not as_json:
        return output.show("\n\n".join([captured.session(whole, project.now, number) for whole, number in turns]))
    said = []
    for whole, number in turns:
        if number is None:
            said.append({"kind": "session", "session": shapes.whole(whole)})
        else:
            (prompt,) = [one for one in whole.prompts if one.number == number]
            seen = [shapes.observation(one) for one in whole.observations if one.prompt == number]
            said.append(
                {"kind": "prompt", "prompt": {**shapes.prompt(prompt), "session": whole.session.id, "observations": seen}}
            )
    output.data(said[0] if len(said) == 1 else said)


def _turn(whole: SessionHistory, reference: str, project: Project) -> tuple[SessionHistory, int | None]:
    """Returns a session with the number of the prompt that is meant, None where the session itself is."""
    if not reference.strip().upper().startswith("P-"):
        return whole, None
    return whole, lookup.find_prompt(project, reference).number


def timeline(asked: Timeline, common: Common) -> None:
    """Prints what happened before and after a memory or a prompt."""
    reading(common, lambda project: _timeline(project, asked, common.json))


def _timeline(project: Project, asked: Timeline, as_json: bool) -> None:
    meant, items = chronology.timeline(project, asked.id, asked.before, asked.after)
    if as_json:
        return output.data([shapes.entry(one) for one in items])
    from memcli.cli import captured

    output.show(captured.timeline(meant, items))
