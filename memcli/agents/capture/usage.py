"""Which of the memories that a session was told it used, as far as its later actions show.

A sign is one of these: the memory's id in an answer or in what a tool was called with, such as `mem show ID`; a read or an edit
of a file that the memory names, or of one that a session changed whose summary it is; in an answer, four words of the memory in a
row, stop words aside, or a name of code that no other memory has. What the person's own prompt says is no sign. A question that
is asked again at once takes back what counted since it was asked first: the answer did not help.

Everything happens in the transaction that notes an event as done, so that each event counts once.
"""

from __future__ import annotations

from memcli.agents.capture import summaries
from memcli.agents.capture.phrases import Wording, wording
from memcli.memory.links import FILE, MENTION
from memcli.project import Project
from memcli.records import Record
from memcli.store import memories, search, usage
from memcli.store.queue import Job
from memcli.store.sessions import Prompt
from memcli.store.usage import Telling
from memcli.text import analysis

_MOST = 500  # tellings of a session that are compared with an event, the last
_QUESTION = 3  # terms of a prompt from which on it is a question: "go on" is asked again without one


class UseSigns(Record):
    """The signs in an event: a text in which ids count, one in which phrases count, too, and files that were read or edited."""

    called: str = ""
    answer: str = ""
    files: tuple[str, ...] = ()


def note(project: Project, job: Job, session_id: str, signs: UseSigns, question: str) -> None:
    """Records what a session was told by the time of an event, and what of it the event uses. `question`: the last prompt."""
    usage.count_tellings(project.db, job.harness, job.session, session_id, job.created_at)
    tellings = usage.unused(project.db, session_id, job.created_at, _MOST)
    if tellings and (signs.called or signs.answer or signs.files):
        usage.note_use(project.db, session_id, _used(project, tellings, signs, question), job.created_at)


def note_question(project: Project, session_id: str, question: str, previous: Prompt) -> None:
    """Retracts what counts as used since the previous prompt, if that asks the same."""
    terms = analysis.terms(question)
    if len(terms) >= _QUESTION and terms == analysis.terms(previous.text):
        usage.withdraw_use(project.db, session_id, previous.created_at)


def _used(project: Project, tellings: list[Telling], signs: UseSigns, question: str) -> set[str]:
    """Returns the ids of the memories that an event uses."""
    text = f"{signs.called}\n{signs.answer}".upper()
    used = {telling.id for telling in tellings if telling.id in text}
    if signs.files:
        links = memories.links_of(project.db, [telling.id for telling in tellings])
        used |= {name for name, relation, path, _ in links if relation in (FILE, MENTION) and path in signs.files}
        of_sessions = [
            telling for telling in tellings if telling.kind == summaries.KIND
        ]  # whose entities are the files of a session
        used |= {telling.id for telling in of_sessions if not set(signs.files).isdisjoint(telling.entities.split("\n"))}
    if signs.answer:
        answer, prompt = wording(signs.answer), wording(question)
        used |= {telling.id for telling in tellings if telling.id not in used and _is_cited(project, telling, answer, prompt)}
    return used


def _is_cited(project: Project, telling: Telling, answer: Wording, prompt: Wording) -> bool:
    """Tells whether an answer has a phrase of a memory, or a name in code that only this memory has."""
    shared = wording(telling.title, telling.summary).shared(answer, prompt)
    return bool(shared.phrases) or any(
        not usage.is_in_another(project.db, telling.id, search.quoted(*analysis.parts(name))) for name in sorted(shared.names)
    )
