"""Working up one job: what a hook queued becomes a session, a prompt, an observation, a summary.

Everything that a job amounts to is stored in one transaction together with the job's own state. So whenever the worker is
killed, the job is done or it is not, and is done again.
"""

from __future__ import annotations

import os

from memcli.agents.capture import compressor, log, observations, payloads, summaries, tool_rules
from memcli.agents.capture.observations import Turn
from memcli.memory.commit import commit
from memcli.project import renewed
from memcli.records import replace
from memcli.repo import head
from memcli.store import memories, oplog, queue, sessions
from memcli.store.oplog import Change
from memcli.store.sessions import ACTIVE, COMPLETED
from memcli.text import ids
from memcli.text.terminal import is_storable, oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memcli.agents.capture.payloads import Event
    from memcli.agents.capture.summaries import Told
    from memcli.project import Location, Project
    from memcli.store.queue import Job
    from memcli.store.sessions import Session

    Decision = tuple[str, list[Change]]

MAX_TEXT = 8_000  # characters of a prompt or an answer: six bytes each at worst, and an operation holds 64 KiB
MOST_READ = 50  # files of one turn that are kept as read
_REASON = 80  # characters
_BEGINS = ("session-start", "user-prompt")  # events that reopen a session which has ended


def handle(project: Project, job: Job, event: Event) -> str:
    """Handles a claimed job. Returns the id of what holds it. `project`: as seen from where the event happened.

    Raises InvalidInput for a payload that nothing can be made of, Lost where the job is no longer ours.
    """
    return _HANDLERS.get(job.event, _other)(project, job, event)


def at_event(project: Project, event: Event, home: Location) -> Project:
    """Returns the project as of now, seen from an event's working tree and the commit that was checked out there.

    `home`: where to look where the event's directory says nothing.
    """
    root = event.root or event.cwd
    checkout = head.find(root) if os.path.isabs(root) and "\0" not in root else None
    if checkout is None or head.recorded_id(checkout) != project.repo_id:
        checkout = head.find(home.root) if home.checkout else None
    if checkout and event.commit and is_hash(event.commit):
        checkout = replace(checkout, commit=event.commit)
    return renewed(project, checkout.root if checkout else home.root, checkout)


def is_hash(text: str) -> bool:
    """Tells whether a text can be the full hash of a commit."""
    return len(text) in (40, 64) and set(text) <= set("0123456789abcdef")


def store(project: Project, job: Job, decide: Callable[[], Decision]) -> str:
    """Stores what a job amounts to and that it is done, in one transaction. Returns the id that `decide` named. Raises Lost."""
    held: list[str] = []

    def decided() -> list[Change]:
        result, changes = decide()
        queue.finish(project.db, job, result)
        held.append(result)
        return changes

    commit(project, decided, observations.actor(job.harness), oplog.NO_COMMAND)
    return held[0]


def session_of(project: Project, job: Job, at: int) -> tuple[Session | None, str, list[Change]]:
    """Returns (the session of a job as it is, its id, the changes that begin or reopen it); inside the transaction."""
    known = sessions.by_key(project.db, job.harness, job.session)
    if known is None:
        session_id, change = new_session(job.harness, job.session, at)
        return None, session_id, [change]
    sessions.touch(project.db, known.id, at, project.root if oneline(project.root) == project.root else "")
    if known.status == COMPLETED and job.event in _BEGINS:
        return known, known.id, [Change("session", known.id, {"status": ACTIVE, "reason": "", "ended": None})]
    return known, known.id, []


def new_session(harness: str, key: str, at: int) -> tuple[str, Change]:
    """Returns (the id of a new session, the change that begins it). `at` is in ms since 1970."""
    session_id = ids.new("A")
    body = {"harness": harness, "key": key, "status": ACTIVE, "reason": "", "started": at, "ended": None, "summary": None}
    return session_id, Change("session", session_id, body)


def new_prompt(session_id: str, number: int, text: str, skipped: str, at: int) -> tuple[str, Change]:
    """Returns (the id of a new prompt, the change that enters it). `skipped`: why there is no text, empty where there is."""
    prompt_id = ids.new("P")
    body = {"session": session_id, "number": number, "text": shortened(text), "skipped": skipped, "created": at}
    return prompt_id, Change("prompt", prompt_id, body)


def shortened(text: str, limit: int = MAX_TEXT) -> str:
    """Returns a text that can be stored: Unicode only, of a long one the beginning and the end."""
    text = text if is_storable(text) else text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")
    return text if len(text) <= limit else f"{text[: limit * 3 // 4].rstrip()}\n…\n{text[-limit // 4 + 3 :].lstrip()}"


def turn_of(project: Project, known: Session | None, session_id: str) -> Turn:
    """Returns the turn that a session is in: its last prompt."""
    prompt = sessions.prompt(project.db, known.n, known.prompts) if known and known.prompts else None
    if known is None or prompt is None:
        return Turn(session_id, known.n if known else 0, "", 0, "", ())
    read = tuple(prompt.files.split("\n")) if prompt.files else ()
    return Turn(session_id, known.n, prompt.id, prompt.number, prompt.text, read)


def _prompt(project: Project, job: Job, event: Event) -> str:
    def decide() -> Decision:
        known, session_id, changes = session_of(project, job, event.at)
        if event.agent and known and (turn := turn_of(project, known, session_id)).prompt:
            return turn.prompt, changes  # what one agent asks another is part of what the person asked
        skipped = event.skipped or ("" if event.prompt.strip() else payloads.EMPTY)
        text = "" if skipped else event.prompt
        prompt_id, change = new_prompt(session_id, (known.prompts if known else 0) + 1, text, skipped, event.at)
        return prompt_id, [*changes, change]

    return store(project, job, decide)


def _tool(project: Project, job: Job, event: Event) -> str:
    known = sessions.by_key(project.db, job.harness, job.session)
    turn = turn_of(project, known, known.id if known else "")
    finding = tool_rules.of_tool(event, turn.goal, project.root)
    if finding.group and observations.known(project, finding, turn) is None:
        finding = compressor.refined(project, event, finding, turn, note(project))

    def decide() -> Decision:
        known, session_id, changes = session_of(project, job, event.at)
        turn = turn_of(project, known, session_id)
        if finding.group:
            memory_id, made = observations.absorb(project, finding, turn, observations.named(event.tool), event.at)
            return memory_id, [*changes, *made]
        read = list(dict.fromkeys([*turn.read, *finding.read]))[-MOST_READ:]
        if turn.prompt and tuple(read) != turn.read:
            changes = [*changes, Change("prompt", turn.prompt, {"files": read})]
        return turn.prompt or session_id, changes

    return store(project, job, decide)


def _stop(project: Project, job: Job, event: Event) -> str:
    findings = tool_rules.decisions(event.reply)
    told = None if event.agent else _told(project, job, event)

    def decide() -> Decision:
        known, session_id, changes = session_of(project, job, event.at)
        turn = turn_of(project, known, session_id)
        if turn.prompt and event.reply.strip() and not event.agent:
            changes = [*changes, Change("prompt", turn.prompt, {"reply": shortened(event.reply), "replied": event.at})]
        for finding in findings:
            changes = [*changes, *observations.absorb(project, finding, turn, "", event.at)[1]]
        if known is None or event.agent or _comes_again(project, job, known, event):
            return (known and known.summary) or turn.prompt or session_id, changes
        held, made = summaries.changes(project, known, event.at, event.reply, told)
        return held or turn.prompt or session_id, [*changes, *made]

    return store(project, job, decide)


def _comes_again(project: Project, job: Job, known: Session, event: Event) -> bool:
    """Tells whether a summary can wait: the session goes on at once, or was summed up a moment ago."""
    if queue.follows(project.db, job, ("stop", "session-end")):
        return True
    last = memories.find(project.db, known.summary) if known.summary else None
    return last is not None and 0 <= event.at - last.created_at < project.config["session.summary_seconds"] * 1000


def _end(project: Project, job: Job, event: Event) -> str:
    told = _told(project, job, event)

    def decide() -> Decision:
        known, session_id, changes = session_of(project, job, event.at)
        reason = oneline(event.reason)[:_REASON] or "other"
        held, made = summaries.changes(project, known, event.at, told=told) if known else ("", [])
        body = {"status": COMPLETED, "reason": reason, "ended": event.at}
        return held or session_id, [*changes, *made, Change("session", session_id, body)]

    return store(project, job, decide)


def _told(project: Project, job: Job, event: Event) -> Told | None:
    """Returns what a model makes of the session so far, where one is configured and it is time. Outside the transaction."""
    if project.config["compressor.provider"] == "none":
        return None
    known = sessions.by_key(project.db, job.harness, job.session)
    if known is None or (job.event != "session-end" and _comes_again(project, job, known, event)):
        return None
    return compressor.summed_up(project, known, event.reply, note(project))


def note(project: Project) -> Callable[[str], None]:
    """Returns a function that writes into the worker's log why a model did not help."""
    return lambda text: log.write("worker", f"info {text}")


def _other(project: Project, job: Job, event: Event) -> str:
    def decide() -> Decision:
        _, session_id, changes = session_of(project, job, event.at)
        return session_id, changes

    return store(project, job, decide)


_HANDLERS = {"user-prompt": _prompt, "post-tool-use": _tool, "stop": _stop, "pre-compact": _stop, "session-end": _end}
