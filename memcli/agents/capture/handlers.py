"""Handling one job: a queued event becomes a session, a prompt, an observation or a summary.

All results of a job are stored in one transaction together with the job's own state. So whenever the worker is
killed, the job is done or it is not, and is done again.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from memcli.agents.capture import (
    answers,
    authorship,
    commits,
    discarded,
    distilled,
    observations,
    payloads,
    remedies,
    staleness,
    summaries,
    tool_rules,
    transcript,
    usage,
)
from memcli.agents.capture.normalize import MAX_TEXT
from memcli.agents.capture.observations import PromptTurn
from memcli.agents.capture.payloads import CapturedEvent
from memcli.agents.capture.summaries import ModelSummary
from memcli.agents.capture.usage import UseSigns
from memcli.memory.commit import commit
from memcli.memory.projection import fold
from memcli.project import Location, Project, renewed
from memcli.records import replace
from memcli.repo import head
from memcli.store import hints, memories, oplog, queue, sessions
from memcli.store.oplog import Change
from memcli.store.queue import Job
from memcli.store.sessions import ACTIVE, COMPLETED, Session
from memcli.text import cuts, ids, json, options
from memcli.text.terminal import oneline, storable
from memcli.validity import EXPOSURES, exposures_of_session

Decision = tuple[str, list[Change]]

_RECENT = 20  # observations that are searched for those of a turn
MOST_READ = 50  # files of one turn that are kept as read
_REASON = 80  # characters
_OVER_HTTP = "http"  # the harness of sessions whose clients read their prompts back
_BEGINS = ("session-start", "user-prompt")  # events that reopen a session which has ended


def handle(project: Project, job: Job, event: CapturedEvent) -> str:
    """Handles a claimed job. Returns the id of what holds its result. `project`: as seen from where the event happened.

    Raises InvalidInput for an unusable payload, LeaseLost if the job is no longer ours.
    """
    return _HANDLERS.get(job.event, _other)(project, job, event)


def at_event(project: Project, event: CapturedEvent, home: Location) -> Project:
    """Returns the project as of now, seen from an event's working tree and the commit that was checked out there.

    `home`: the directory to use if the event's says nothing.
    """
    root = event.root or event.cwd
    checkout = head.find(root) if os.path.isabs(root) and "\0" not in root else None
    if checkout is None or head.recorded_id(checkout) != project.repo_id:
        checkout = head.find(home.root) if home.checkout else None
    if checkout and event.commit and is_hash(event.commit):
        checkout = replace(checkout, commit=event.commit, anchor=event.anchor or event.commit)
    return renewed(project, checkout.root if checkout else home.root, checkout)


def is_hash(text: str) -> bool:
    """Tells whether a text can be the full hash of a commit."""
    return len(text) in (40, 64) and set(text) <= set("0123456789abcdef")


def store_result(project: Project, job: Job, event: CapturedEvent, decide: Callable[[], Decision]) -> str:
    """Stores the results of a job and that it is done, in one transaction. Returns the id from `decide`. Raises LeaseLost.

    What an import brings belongs to its command, so that one undo reverts it. A job that comes after that undo has no result.
    """
    results: list[str] = []

    def decide_and_finish() -> list[Change]:
        result, changes = ("", []) if _is_undone(project, event) else decide()
        queue.finish(project.db, job, result, event.tool, project.now)
        results.append(result)
        return changes

    commit(project, decide_and_finish, observations.actor_of(job.harness), event.past or oplog.NO_COMMAND)
    return results[0]


def _is_undone(project: Project, event: CapturedEvent) -> bool:
    return event.past > 0 and oplog.undone_by(project.db, event.past) is not None


def session_changes(project: Project, job: Job, at: int) -> tuple[Session | None, str, list[Change]]:
    """Returns (the current session of a job, its id, the changes that begin or reopen it). Runs inside the transaction."""
    session = sessions.by_key(project.db, job.harness, job.session)
    if session is None:
        session_id, change = new_session(job.harness, job.session, at)
        return None, session_id, [change]
    is_storable = oneline(project.root) == project.root and head.storable_name(project.root) == project.root
    sessions.touch(project.db, session.id, at, project.root if is_storable else "")
    if session.status == COMPLETED and job.event in _BEGINS:
        return session, session.id, [Change("session", session.id, {"status": ACTIVE, "reason": "", "ended": None})]
    return session, session.id, []


def new_session(harness: str, key: str, at: int) -> tuple[str, Change]:
    """Returns (the id of a new session, the change that begins it). `at` is in ms since 1970."""
    session_id = ids.new("A")
    body = {"harness": harness, "key": key, "status": ACTIVE, "reason": "", "started": at, "ended": None, "summary": None}
    return session_id, Change("session", session_id, body)


def begin(project: Project, harness: str, key: str) -> Session:
    """Returns the session with a harness's name for it; begins it if there is none."""

    def decide() -> list[Change]:
        return [] if sessions.by_key(project.db, harness, key) else [new_session(harness, key, project.now)[1]]

    commit(project, decide, observations.actor_of(harness), oplog.NO_COMMAND)
    session = sessions.by_key(project.db, harness, key)
    assert session is not None
    return session


def new_prompt(session_id: str, number: int, text: str, skipped: str, at: int, chosen: str = "") -> tuple[str, Change]:
    """Returns (the id of a new prompt, the change that stores it). `skipped`: why it has no text, "" if it has one.

    `chosen`: the option of the answer before it that it picks.
    """
    prompt_id = ids.new("P")
    body = {
        "session": session_id,
        "number": number,
        "text": cuts.keep_quotations(storable(text), MAX_TEXT, is_answer=False),
        "skipped": skipped,
        "created": at,
        **({"chosen": chosen} if chosen else {}),
    }
    return prompt_id, Change("prompt", prompt_id, body)


def current_turn(project: Project, session: Session | None, session_id: str) -> PromptTurn:
    """Returns the current turn of a session: its last prompt."""
    prompt = sessions.prompt(project.db, session.n, session.prompts) if session and session.prompts else None
    if session is None or prompt is None:
        return PromptTurn(session_id, session.n if session else 0, "", 0, "", ())
    files = tuple(prompt.files.split("\n")) if prompt.files else ()
    return PromptTurn(session_id, session.n, prompt.id, prompt.number, prompt.text, files)


def _prompt(project: Project, job: Job, event: CapturedEvent) -> str:
    def decide() -> Decision:
        session, session_id, changes = session_changes(project, job, event.at)
        is_request = event.skipped == payloads.CONTEXT and hints.asked_at(project.db, job.harness, job.session) > 0
        if (event.agent or is_request) and session and (turn := current_turn(project, session, session_id)).prompt:
            return turn.prompt, changes  # what an agent asks another, or a hook asks it, is part of what the person asked
        skipped = event.skipped or (payloads.CONTEXT if event.agent else "" if event.prompt.strip() else payloads.EMPTY)
        if skipped == payloads.PRIVATE and job.harness == _OVER_HTTP:
            return session_id, changes
        text = "" if skipped else event.prompt
        chosen = ""
        if session and (previous := sessions.prompt(project.db, session.n, session.prompts)):
            usage.note_question(project, session_id, text, previous)
            chosen = options.chosen(text, previous.reply)
        prompt_id, change = new_prompt(session_id, (session.prompts if session else 0) + 1, text, skipped, event.at, chosen)
        return prompt_id, [*changes, change]

    return store_result(project, job, event, decide)


def _tool(project: Project, job: Job, event: CapturedEvent) -> str:
    if event.cited:
        return _own_tool(project, job, event)
    session = sessions.by_key(project.db, job.harness, job.session)
    turn = current_turn(project, session, session.id if session else "")
    finding = tool_rules.of_tool(event, turn.goal, project.root)
    signs = UseSigns(called=json.canonical(event.input), files=(*finding.modified, *finding.read))

    def decide() -> Decision:
        session, session_id, changes = session_changes(project, job, event.at)
        turn = current_turn(project, session, session_id)
        usage.note(project, job, session_id, signs, turn.goal)
        authorship.note(project, event, finding, session_id, turn.number)
        exposed = (*exposures_of_session(project.db, turn.n), *[tag for tag in finding.tags if tag in EXPOSURES])
        for fix in remedies.note(project, event, session_id, turn.prompt):
            fix = replace(fix, tags=tuple(dict.fromkeys([*fix.tags, *exposed])))
            changes = [*changes, *observations.add_finding(_place_of(project, event), fix, turn, "", event.at)[1]]
        if finding.group:
            memory_id, observation_changes = observations.add_finding(
                _place_of(project, event), finding, turn, observations.tool_label(event.tool), event.at
            )
            return memory_id, [*changes, *observation_changes]
        files = list(dict.fromkeys([*turn.read, *finding.read]))[-MOST_READ:]
        if turn.prompt and tuple(files) != turn.read:
            changes = [*changes, Change("prompt", turn.prompt, {"files": files})]
        return turn.prompt or session_id, changes

    return store_result(project, job, event, decide)


def _place_of(project: Project, event: CapturedEvent) -> Project:
    """Returns the project without a working tree for a past event: the present files say nothing about a session long over."""
    return replace(project, root="") if event.past else project


def _own_tool(project: Project, job: Job, event: CapturedEvent) -> str:
    """Handles a call of one of our tools, of which only the ids in it are stored."""

    def decide() -> Decision:
        session, session_id, changes = session_changes(project, job, event.at)
        usage.note(project, job, session_id, UseSigns(called=event.cited), "")
        return current_turn(project, session, session_id).prompt or session_id, changes

    return store_result(project, job, event, decide)


def _stop(project: Project, job: Job, event: CapturedEvent) -> str:
    looked_at = discarded.clock()
    turn_text = transcript.read(event.transcript, event.at, event.reply)
    narration = event.narration or turn_text.narration
    if event.name == "stop" and not event.agent:
        event = replace(event, reply=payloads.words_of(turn_text.reply, is_answer=True))
    if _is_about_saving(project, job, event):
        event, narration = replace(event, reply=""), ""
    findings = tool_rules.decisions(event.reply)
    turn_commits = _commits_of_turn(project, job, event)  # runs git: before the lock is taken
    is_all_read = bool(turn_commits) and not event.past and not commits.unread(project)
    # What a harness makes of a session's context repeats what was told in it.
    signs = UseSigns(answer=f"{narration}\n{event.reply}") if event.name == "stop" else UseSigns()

    def decide() -> Decision:
        session, session_id, changes = session_changes(project, job, event.at)
        turn = current_turn(project, session, session_id)
        usage.note(project, job, session_id, signs, turn.goal)
        if event.past:  # of an imported session: later answers were weighed without it
            staleness.go_back(project.db, event.at)
        exposed = exposures_of_session(project.db, session.n) if session else ()
        if turn.prompt and event.reply.strip() and not event.agent:
            changes = [*changes, answers.reply(project, turn, event, exposed)]
        if turn.prompt and not event.agent and (whole := answers.narration_so_far(project, turn, event, narration)):
            changes = [*changes, Change("prompt", turn.prompt, {"narration": payloads.words_of(whole, is_answer=True)})]
        if turn_commits and turn.prompt:
            changes = [*changes, Change("prompt", turn.prompt, {"commits": turn_commits})]
        if is_all_read:
            commits.note_read(project)  # the next start waits for nothing
        if not event.past:
            discarded.note_look(project, looked_at)
        to_do = turn_text.left if event.left is None else event.left
        if turn.prompt and not event.agent and to_do is not None:
            changes = [*changes, *answers.to_do(project, turn, to_do)]
        for finding in findings:
            tagged = replace(finding, tags=(*finding.tags, *exposed))
            changes = [*changes, *observations.add_finding(_place_of(project, event), tagged, turn, "", event.at)[1]]
        if job.harness == observations.PROGRAM and not event.agent and not findings:
            changes = [*changes, *_discovery(project, job, turn, event)]
        if session is None or event.agent or _can_wait(project, job, session, event):
            return (session and session.summary) or turn.prompt or session_id, changes
        summary_id, summary_changes = summaries.summary_changes(project, session, event.at, event.reply)
        return summary_id or turn.prompt or session_id, [*changes, *summary_changes]

    return store_result(project, job, event, decide)


def _commits_of_turn(project: Project, job: Job, event: CapturedEvent) -> list[dict[str, str]]:
    """Returns the commits of the turn that ends, none if they are stored already; for an imported turn only if it committed."""
    session = None if event.agent else sessions.by_key(project.db, job.harness, job.session)
    prompt = sessions.prompt(project.db, session.n, session.prompts) if session else None
    if session is None or prompt is None or (event.past and not authorship.has_committed(project, session.id, prompt.number)):
        return []
    turn_commits = commits.of_turn(project, prompt.created_at, event.at)
    return [] if turn_commits == fold(oplog.of_object(project.db, prompt.id)).fields.get("commits") else turn_commits


def _discovery(project: Project, job: Job, turn: PromptTurn, event: CapturedEvent) -> list[Change]:
    """Returns the changes that store what a turn without other observations learned, for programs that list that."""
    observed = memories.of_session(project.db, turn.n, _RECENT) if turn.n else []
    if not turn.prompt or any(memory.prompt == turn.number and not summaries.is_answer(memory) for memory in observed):
        return []
    tools, finding = queue.tools_since_prompt(project.db, job), tool_rules.discovery(event.reply, turn.goal)
    if not tools or finding is None:
        return []
    label = observations.tool_label(", ".join(tools))
    finding = replace(finding, tags=(*finding.tags, *exposures_of_session(project.db, turn.n)))
    return observations.add_finding(_place_of(project, event), finding, turn, label, event.at)[1]


def _is_about_saving(project: Project, job: Job, event: CapturedEvent) -> bool:
    """Tells whether a turn ended again because its agent was asked to save what it learned."""
    asked_at = hints.asked_at(project.db, job.harness, job.session)
    session = sessions.by_key(project.db, job.harness, job.session) if asked_at and asked_at < event.at else None
    prompt = sessions.prompt(project.db, session.n, session.prompts) if session else None
    return prompt is not None and prompt.created_at <= asked_at


def _can_wait(project: Project, job: Job, session: Session, event: CapturedEvent) -> bool:
    """Tells whether a summary can wait: the session continues, or was summed up a moment ago."""
    if queue.follows(project.db, job, ("stop", "session-end")):
        return True
    summary = memories.find(project.db, session.summary) if session.summary else None
    return summary is not None and 0 <= event.at - summary.created_at < project.config["session.summary_seconds"] * 1000


def _end(project: Project, job: Job, event: CapturedEvent) -> str:
    model_summary = _distilled(project, job, event)

    def decide() -> Decision:
        session, session_id, changes = session_changes(project, job, event.at)
        reason = oneline(event.reason)[:_REASON] or "other"
        summary_id, summary_changes = (
            summaries.summary_changes(project, session, event.at, model=model_summary) if session else ("", [])
        )
        body = {"status": COMPLETED, "reason": reason, "ended": event.at}
        return summary_id or session_id, [*changes, *summary_changes, Change("session", session_id, body)]

    return store_result(project, job, event, decide)


def _distilled(project: Project, job: Job, event: CapturedEvent) -> ModelSummary | None:
    """Returns a model's summary of a session that ends. Runs outside the transaction, as it takes seconds.

    Imported sessions come by the hundred and are summed up by the rules alone.
    """
    session = None if event.past else sessions.by_key(project.db, job.harness, job.session)
    return distilled.distil(project, session) if session else None


def _start(project: Project, job: Job, event: CapturedEvent) -> str:
    if not event.past:
        _catch_up(project, job, event)  # first: the hook waits for the job
    return _other(project, job, event)


def _catch_up(project: Project, job: Job, event: CapturedEvent) -> None:
    """Stores what happened to the repository since the last session: commits made outside sessions, work that is gone."""
    looked_at = discarded.clock()
    foreign = commits.unread(project)  # runs git: before the lock is taken
    gone = discarded.turns_since_last(project, event.at)
    closed, reverted = staleness.closed_by(project.db, foreign), commits.reverting(project, foreign)

    def decide() -> list[Change]:
        discarded.note_look(project, looked_at)
        return commits.as_memories(project, foreign, closed, reverted, gone, event.at)

    commit(project, decide, observations.actor_of(job.harness), oplog.NO_COMMAND)
    for n in dict.fromkeys([turn.prompt.session for turn in (*[turn for turn, _ in reverted], *gone)]):
        if taken_back := sessions.find(project.db, sessions.id_of(project.db, n) or ""):
            summaries.revise(project, taken_back)


def _other(project: Project, job: Job, event: CapturedEvent) -> str:
    def decide() -> Decision:
        _, session_id, changes = session_changes(project, job, event.at)
        return session_id, changes

    return store_result(project, job, event, decide)


_HANDLERS = {
    "session-start": _start,
    "user-prompt": _prompt,
    "post-tool-use": _tool,
    "stop": _stop,
    "pre-compact": _stop,
    "session-end": _end,
}
