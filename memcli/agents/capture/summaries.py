"""One summary a session: what was asked, done, learned, and is left. Revised as it goes on; older versions are in the log."""

from __future__ import annotations

from memcli.agents.capture import tool_rules
from memcli.agents.capture.findings import TITLE, clipped
from memcli.agents.capture.observations import EDITED, actor
from memcli.agents.capture.shell_commands import COMMITTED
from memcli.memory import entries, notes
from memcli.memory.commit import commit
from memcli.memory.fields import MAX_LABEL
from memcli.memory.projection import fold
from memcli.records import Record
from memcli.store import graph, memories, oplog, sessions
from memcli.store.oplog import Change
from memcli.store.sessions import COMPLETED
from memcli.text import dates, ids
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.project import Project
    from memcli.store.memories import Memory
    from memcli.store.sessions import Prompt, Session

KIND = "summary"
_OBSERVATIONS, _PROMPTS = 100, 50  # of one session that are looked at
_DONE, _LEARNED, _LEFT, _FILES = 8, 6, 4, 12  # items
_TELLS = 3  # words of a sentence that says something; `Done.` does not
_ASKED, _ITEM, _SAID = 400, 160, 500  # characters
_LEFT_WORDS = (
    "todo",
    "remaining",
    "remains",
    "next step",
    "next:",
    "still need",
    "left to do",
    "not yet",
    "follow-up",
    "to be done",
)
_LEARNED_WORDS = ("turns out", "root cause", "because", "the problem was", "the reason", "learned", "note that", "it appears")


class Told(Record):
    """What a summary says, section by section; an empty one is left out. Without a `title` the request is it."""

    request: str
    done: tuple[str, ...] = ()
    learned: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    notes: str = ""
    title: str = ""


def by_rules(prompts: Sequence[Prompt], seen: Sequence[Memory], reply: str) -> Told:
    """Returns what a session amounts to. `seen`: its observations; `reply`: the last thing the agent said."""
    asked = [oneline(prompt.text) for prompt in prompts if prompt.text.strip()]
    request = clipped(asked[0], _ASKED) if asked else ""
    if len(asked) > 1:
        request += f" (then, {prompts[-1].number} prompts in all: {clipped(asked[-1], _ITEM)})"
    made = [one for one in seen if one.kind not in ("discovery", "decision")]
    done = [clipped(one.title, _ITEM) for one in made][-_DONE:]
    said = tool_rules.sentences(reply)
    learned = [clipped(one.title, _ITEM) for one in seen if one.kind == "decision"]
    learned += [clipped(one, _ITEM) for one in said if any(word in one.lower() for word in _LEARNED_WORDS)]
    learned += [clipped(fact, _ITEM) for one in seen for fact in _failures(one)]
    learned += [clipped(one.title, _ITEM) for one in seen if one.kind == "discovery"]
    left = [clipped(one, _ITEM) for one in said if any(word in one.lower() for word in _LEFT_WORDS)][:_LEFT]
    learned = list(dict.fromkeys([one for one in learned if one not in done]))[:_LEARNED]
    notes = clipped(oneline(reply), _SAID)
    return Told(request, tuple(done), tuple(learned), tuple(left), notes, _came_of_it(made, said))


def _came_of_it(made: Sequence[Memory], said: Sequence[str]) -> str:
    """Returns what came of a session as a title: what was committed, else how the answer began, else what was done.

    What was asked stands in the text. In the title it would make every summary the best answer to its own question.
    """
    commits = [one.title.removeprefix(COMMITTED) for one in made if "/commit:" in (one.source_id or "")]
    answer = next((one for one in said if len(one.split()) >= _TELLS), "")
    return clipped("; ".join(commits[-3:]) or answer or "; ".join([one.title for one in made[-2:]]), TITLE)


def _failures(one: Memory) -> list[str]:
    return [line[2:] for line in one.summary.split("\n") if line.startswith("- ") and "` failed" in line][-1:]


def rendered(told: Told, files: Sequence[str]) -> str:
    """Returns the text of a summary: what matters most to the next session first, because packs cut it."""
    lines = [f"Asked: {told.request}"] if told.request else []
    for name, items in (("Left", told.left), ("Done", told.done), ("Learned", told.learned)):
        lines += [f"{name}: {'; '.join(items)}"] if items else []
    lines += [f"Said last: {told.notes}"] if told.notes else []
    return "\n".join([*lines, *([f"Files: {', '.join(files)}"] if files else [])])


def changes(project: Project, session: Session, at: int, reply: str = "", told: Told | None = None) -> tuple[str, list[Change]]:
    """Returns (the id of a session's summary, the changes that bring it up to `at`, in ms since 1970); "" where nothing was
    observed or answered. `reply`: what the agent said last; `told`: what a model made of the session.
    """
    prompts = sessions.ends(project.db, session.n, _PROMPTS)
    seen = memories.of_session(project.db, session.n, _OBSERVATIONS)
    reply = reply or next((prompt.reply for prompt in reversed(prompts) if prompt.reply), "")
    old = memories.find(project.db, session.summary) if session.summary else None
    if old is None and not (seen or reply.strip()):
        return "", []  # a question that nobody answered: a memory of it would be the best answer to itself
    told = told or by_rules(prompts, seen, reply)
    files = _files(project, seen)
    wanted: dict[str, Any] = {
        "title": clipped(oneline(told.title or told.request), TITLE)
        or f"A session of {session.harness or 'an agent'} on {dates.day(at)}",
        "summary": rendered(told, files) or "Nothing was said or done that could be kept.",
        "created": at,
        "entities": files,
        "prompt": session.prompts,
        "anchor": None if project.is_user else project.commit,
    }
    line = notes.about_session(project, session.id, f"{session.harness or 'An agent'}: {wanted['title']}", at)
    if old is None:
        memory_id = ids.new("M")
        thread = project.config["capture.thread"]
        new = {"thread": thread, "kind": KIND, "tags": [], "source": f"{session.id}/{KIND}", "session": session.id, "tools": []}
        return memory_id, [
            *entries.thread_change(project, thread),
            Change("put", memory_id, wanted | new),
            Change("session", session.id, {"summary": memory_id}),
            *line,
        ]
    operations = oplog.of_object(project.db, old.id)
    if any(op.kind == "put" and op.actor not in memories.OBSERVED for op in operations):
        wanted = {"created": at}  # somebody has written into it: theirs stays
    said = fold(operations).fields
    changed = {name: value for name, value in wanted.items() if said.get(name) != value}
    return old.id, [*([Change("put", old.id, changed)] if changed else []), *line]


def _files(project: Project, seen: Sequence[Memory]) -> list[str]:
    """Returns the files that a session changed, the last ones first."""
    links = [link for one in reversed(seen) for link in graph.links_from(project.db, one.id)]
    found = [link.to_id for link in links if link.rel in ("file", EDITED)]
    return list(dict.fromkeys([path for path in found if len(path) <= MAX_LABEL]))[:_FILES]


def revise(project: Project, session: Session, told: Told | None = None) -> None:
    """Brings the summary of a session up to its last event, in a transaction of its own."""

    def decide() -> list[Change]:
        now_there = sessions.find(project.db, session.id) or session
        return changes(project, now_there, now_there.last_at, told=told)[1]

    commit(project, decide, actor(session.harness), oplog.NO_COMMAND)


def close(project: Project, session: Session, reason: str, told: Told | None = None) -> None:
    """Sums up and closes a session in which nothing happens any more."""

    def decide() -> list[Change]:
        now_there = sessions.find(project.db, session.id) or session
        if now_there.status == COMPLETED or now_there.last_at != session.last_at:
            return []
        made = changes(project, now_there, now_there.last_at, told=told)[1]
        return [*made, Change("session", session.id, {"status": COMPLETED, "reason": reason, "ended": session.last_at})]

    commit(project, decide, actor(session.harness), oplog.NO_COMMAND)
