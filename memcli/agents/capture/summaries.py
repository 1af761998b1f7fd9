"""One summary per session: what was asked, done, learned, and is left. It is revised as the session goes on."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from memcli.agents.capture import tool_rules
from memcli.agents.capture.findings import TITLE, clipped
from memcli.agents.capture.observations import EDITED, actor_of
from memcli.agents.capture.shell_commands import COMMITTED, WORK_TITLES
from memcli.memory import MAX_LABEL, context, entries
from memcli.memory.commit import commit
from memcli.memory.projection import fold
from memcli.project import Project
from memcli.records import Record, replace
from memcli.store import graph, memories, oplog, passages, sessions
from memcli.store.memories import Memory
from memcli.store.oplog import Change
from memcli.store.sessions import COMPLETED, Prompt, Session
from memcli.text import dates, ids, quotations
from memcli.text.forms import without_output
from memcli.text.statements import OPEN, account, of_agent
from memcli.text.terminal import oneline
from memcli.text.transient import announces, is_momentary
from memcli.validity import EXPOSURES, exposures_of_session

KIND = "summary"
QUOTED = "Tools said (quoted)"
PASTED = "a text that was pasted"  # in the place of a prompt without a word of the person's own
_OBSERVATIONS, _PROMPTS = 100, 50  # of one session that are looked at
_DONE, _LEARNED, _LEFT, _FILES, _QUOTES = 8, 6, 4, 12, 3  # items
_TAKEN_BACK = "Work taken back since: "  # before the title of a session all of whose commits were; the title may say more
_LAST_ANSWERS = 3  # in which an agent says that the whole is complete
_TELLS = 4  # words of a sentence that says something; `Done.` does not
_SAYS = 8  # words of a sentence that says what it is about, even without a name
_ENDS = ".,;:!?()\"'"  # signs that a word may stand beside
_REQUEST, _ITEM, _NOTES = 400, 160, 500  # characters
_LEFT_WORDS = "todo|remaining|remains|next step|next:|still need|left to do|not yet|follow-up|to be done".split("|")
_LEARNED_WORDS = ("turns out", "root cause", "because", "the problem was", "the reason", "learned", "note that", "it appears")

_LEAD = re.compile(r"^(?:[#>+*-]+\s+|\d+[.)]\s+|[^\w\s`'\"(\[<@/.~$*-]+\s*)+")  # what a heading or an item begins with
_OUTCOME = re.compile(r"(`.+?`) (failed|passed)\b")  # of a command, as an observation says it
_MARKS = re.compile(r"\*\*")
_RUN_IN = re.compile(r"^\*\*[\w ]{2,30}[.:]\*\*:?\s+(?=\S)")  # a heading of a paragraph, which says nothing of what it is about
_NO_OUTCOME = re.compile(  # a sentence that acknowledges, tells of the conversation itself, or says only what was done with it
    r"^\W*(understood|got it|noted|will do|acknowledged|agreed|sure|of course)\b\W|\bin this (session|conversation)\b|"
    r"^\W*(i'm|i am|we're|we are) (currently|now|still) (in|on|at)\b|^\W*you (used|ran|called|typed) (the )?`?/\w|"
    r"^\W*(i('ve| have)? )?(left|kept|reverted|removed|restored|undid|undone|put)( (it|this|that|them))?( (back|again|out|as|it|"
    r"is|was|they|are|were|for|now))*\W*$",
    re.I,
)


class SessionSummary(Record):
    """A summary, section by section. An empty section is left out.

    `output`: quotations of what tools printed. None of it is in another section, since nobody said it.
    """

    request: str
    done: tuple[str, ...] = ()
    learned: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    notes: str = ""
    output: tuple[str, ...] = ()
    title: str = ""


class ModelSummary(Record):
    """A model's version of a summary, which replaces that of the rules where it is not empty."""

    title: str
    done: tuple[str, ...]
    learned: tuple[str, ...]
    left: tuple[str, ...]


def summarize(prompts: Sequence[Prompt], observations: Sequence[Memory], reply: str) -> SessionSummary:
    """Returns the summary of a session. `reply`: the last thing that the agent said."""
    questions = [quotations.own_words(prompt.text) or PASTED for prompt in prompts if prompt.text.strip()]
    request = clipped(questions[0], _REQUEST) if questions else ""
    if len(questions) > 1:
        request += f" (then, {prompts[-1].number} prompts in all: {clipped(questions[-1], _ITEM)})"
    work = [memory for memory in observations if memory.kind != "discovery" and not _is_decision(memory)]
    done = [clipped(without_output(memory.title), _ITEM) for memory in work][-_DONE:]
    sentences = tool_rules.sentences(reply)
    learned = [clipped(memory.title, _ITEM) for memory in observations if _is_decision(memory)]
    learned += [_item(sentence) for sentence in sentences if any(word in sentence.lower() for word in _LEARNED_WORDS)]
    output = [clipped(fact, _ITEM) for fact in _failures(observations)]
    looked = [memory for memory in observations if memory.kind == "discovery" and not is_answer(memory)]
    output += [clipped(memory.title, _ITEM) for memory in looked]
    open_items = [_item(sentence) for sentence in sentences if any(word in sentence.lower() for word in _LEFT_WORDS)][:_LEFT]
    learned = list(dict.fromkeys([item for item in learned if item not in done]))[:_LEARNED]
    output = list(dict.fromkeys([item for item in output if item not in done]))[:_QUOTES]
    notes = clipped(quotations.own_words(reply, is_answer=True), _NOTES)
    answers = _answers(prompts, reply)
    whole = next((it for answer in answers if (it := account(quotations.marked(answer, is_answer=True)))), "")
    told = [_bare(_telling(tool_rules.sentences(answer))) for answer in answers]
    statement = next((it for it in told if it and "…" not in it[:2]), "")  # whose beginning is no quotation
    title = _result_title(work, statement, whole) or (_wish(prompts) if questions else "") or _done_title(work)
    return SessionSummary(request, tuple(done), tuple(learned), tuple(open_items), notes, tuple(output), title)


def _wish(prompts: Sequence[Prompt]) -> str:
    """Returns the first request of a session, without what the person quoted."""
    first = next(prompt.text for prompt in prompts if prompt.text.strip())
    return clipped(oneline(quotations.elided(quotations.own(quotations.marked(first)))), _REQUEST) or PASTED


def _item(sentence: str) -> str:
    return clipped(oneline(quotations.plain(sentence)), _ITEM)


def _answers(prompts: Sequence[Prompt], reply: str) -> list[str]:
    """Returns the last answers of a session, latest first."""
    return [reply, *[prompt.reply for prompt in prompts[::-1][:_LAST_ANSWERS] if prompt.reply != reply]]


def _telling(sentences: Sequence[str]) -> str:
    """Returns the first sentence of an answer that says what it is about, or ""."""
    telling = [sentence for sentence in sentences if len(sentence.split()) >= _TELLS and not announces(sentence)]
    telling = [sentence for sentence in telling if not quotations.quotes_more(sentence)]  # whoever wrote that
    telling = [sentence for sentence in telling if of_agent("", sentence, "").role != OPEN]  # it may be done soon
    telling = [sentence for sentence in telling if not is_momentary(sentence) and not _NO_OUTCOME.search(sentence)]
    return quotations.elided(
        next((sentence for sentence in telling if _names_something(sentence)), telling[0] if telling else "")
    )


def _bare(sentence: str) -> str:
    """Returns a sentence without Markdown markup, numbers and emoji in front of it."""
    return _MARKS.sub("", _RUN_IN.sub("", _LEAD.sub("", sentence))).strip()


def _result_title(work: Sequence[Memory], answer: str, whole: str) -> str:
    """Returns the outcome of a session as a title: what was committed, else the beginning of the last meaningful answer.

    Several commits are better described by the agent's sentence that all of it is complete, if there is one: `whole`.

    The request is in the text only. In the title it would make every summary the best match for its own question.
    """
    commits = [memory.title.removeprefix(COMMITTED) for memory in work if "/commit:" in (memory.source_id or "")]
    if whole and len(commits) > 1:
        return clipped(whole, TITLE - len(f" ({len(commits)} commits)")) + f" ({len(commits)} commits)"
    return _joined_subjects(commits) or clipped(answer, TITLE)


def _done_title(work: Sequence[Memory]) -> str:
    return clipped("; ".join([without_output(memory.title) for memory in work[-2:]]), TITLE)


def _names_something(sentence: str) -> bool:
    """Tells whether a sentence says what it is about, by its length or a name. `I found the cause.` does not."""
    words = [word.strip(_ENDS).replace("'", "") for word in sentence.split()]
    names = [word for word in words[1:] if not (word.isalpha() and word.islower())]
    names += [word for word in words[:1] if not word.isalpha()]  # a sentence begins with a capital anyway
    return len(words) >= _SAYS or any(len(word) > 1 for word in names)


def _joined_subjects(commits: Sequence[str]) -> str:
    """Returns the last subjects of commits that fit into a title, and how many others there were."""
    subjects = list(commits[-1:])
    for subject in reversed(commits[:-1]):
        if len("; ".join([subject, *subjects])) > TITLE - len(" (and 99 more commits)"):
            break
        subjects.insert(0, subject)
    more = len(commits) - len(subjects)
    further = f" (and {more} more commit{'s' if more > 1 else ''})" if more else ""
    return clipped("; ".join(subjects), TITLE - len(further)) + further


def _is_committed(memory: Memory) -> bool:
    return memory.title.startswith(COMMITTED)


def _is_work(memory: Memory) -> bool:
    return memory.title.startswith(WORK_TITLES)


def _was_work(memory: Memory, prompts: Collection[str]) -> bool:
    """Tells whether an observation is of work that was committed, or that anything but these prompts reverted."""
    return _is_committed(memory) or (_is_work(memory) and passages.owner_of(memory.superseded_by or "") not in prompts)


def _is_decision(memory: Memory) -> bool:
    """Tells whether the agent itself stated a decision. A model may call anything one, even the output of a tool."""
    return "/decision:" in (memory.source_id or "")


def is_answer(memory: Memory) -> bool:
    """Tells whether an observation comes from the agent's own answer."""
    return (memory.source_id or "").endswith(f"/{tool_rules.ANSWER}")


def _failures(observations: Sequence[Memory]) -> list[str]:
    """Returns the last failure of each observation, without those of commands that passed later in the session."""
    found: list[str] = []
    passed: list[tuple[int, str]] = []  # (number of the prompt, command), from the end
    for memory in reversed(observations):
        left: list[str] = []
        own: set[str] = set()
        for line in [line[2:] for line in memory.summary.split("\n") if line.startswith("- ")][::-1]:
            match = _OUTCOME.match(line)
            if match and match[2] == "passed":
                own.add(match[1])
            elif "` failed" in line and not (match and _is_mended(match[1], own, passed, memory.prompt)):
                left.append(line)
        found += left[:1]
        passed += [(memory.prompt, command) for command in own]
    return found[::-1]


def _is_mended(command: str, own: set[str], passed: list[tuple[int, str]], prompt: int) -> bool:
    """Tells whether a command passed later in its observation, or in a later turn: those of one turn are in no order."""
    return command in own or any(name == command and number > prompt for number, name in passed)


def text_of(summary: SessionSummary, files: Sequence[str]) -> str:
    """Returns the text of a summary, with what matters most to the next session first, because packs cut it."""
    lines = [f"Asked: {summary.request}"] if summary.request else []
    for name, items in (("Left", summary.left), ("Done", summary.done), ("Learned", summary.learned)):
        lines += [f"{name}: {'; '.join(items)}"] if items else []
    lines += [f"Said last: {summary.notes}"] if summary.notes else []
    lines += [f"{QUOTED}: {'; '.join(summary.output)}"] if summary.output else []
    return "\n".join([*lines, *([f"Files: {', '.join(files)}"] if files else [])])


def summary_changes(
    project: Project, session: Session, at: int, reply: str = "", model: ModelSummary | None = None
) -> tuple[str, list[Change]]:
    """Returns (the id of a session's summary, the changes that bring it up to `at`, in ms since 1970); "" where nothing
    was observed or answered. `reply`: what the agent said last; `model`: what a model made of the session.
    """
    prompts = sessions.first_and_last(project.db, session.n, _PROMPTS)
    observed = memories.of_session(project.db, session.n, _OBSERVATIONS)
    observations = [memory for memory in observed if memory.superseded_by is None]
    own = {prompt.id for prompt in prompts}
    was_undone = not any(map(_is_work, observations)) and any(_was_work(memory, own) for memory in observed)
    reply = reply or next((prompt.reply for prompt in reversed(prompts) if prompt.reply), "")
    old = memories.find(project.db, session.summary) if session.summary else None
    if old is None and not (observations or reply.strip()):
        return "", []  # a question that nobody answered: a memory of it would be the best answer to itself
    summary = _with_model(summarize(prompts, observed if was_undone else observations, reply), model)
    files = _files(project, observations)
    fields: dict[str, Any] = {
        "title": clipped(f"{_TAKEN_BACK if was_undone else ''}{oneline(summary.title)}", TITLE)
        or f"A session of {session.harness or 'an agent'} on {dates.local_day(at)}",
        "summary": text_of(summary, files) or "Nothing was said or done that could be kept.",
        "created": at,
        "entities": files,
        "tags": list(exposures_of_session(project.db, session.n)),
        "prompt": session.prompts,
        "anchor": entries.anchor(project),
    }
    words = ", ".join([f"{session.harness or 'An agent'}: {fields['title']}", *[EXPOSURES[name] for name in fields["tags"]]])
    line = context.note_about_session(project, session.id, words, at)
    if old is None:
        memory_id = ids.new("M")
        thread = project.config["capture.thread"]
        new = {"thread": thread, "kind": KIND, "source": f"{session.id}/{KIND}", "session": session.id, "tools": []}
        return memory_id, [
            *entries.thread_change(project, thread),
            Change("put", memory_id, fields | new),
            Change("session", session.id, {"summary": memory_id}),
            *line,
        ]
    operations = oplog.of_object(project.db, old.id)
    if any(op.kind == "put" and op.actor not in memories.OBSERVED for op in operations):
        fields = {"created": at}  # somebody has written into it: theirs stays
    stored = fold(operations).fields
    changed = {name: value for name, value in fields.items() if stored.get(name) != value}
    return old.id, [*([Change("put", old.id, changed)] if changed else []), *line]


def _with_model(summary: SessionSummary, model: ModelSummary | None) -> SessionSummary:
    """Returns a summary in a model's words, except what the person asked, the agent said last and tools printed."""
    words = {name: text for name in ModelSummary._fields if model and (text := getattr(model, name))}
    return replace(summary, **words)


def _files(project: Project, observations: Sequence[Memory]) -> list[str]:
    """Returns the files that a session changed, latest first."""
    links = [link for memory in reversed(observations) for link in graph.links_from(project.db, memory.id)]
    paths = [link.to_id for link in links if link.rel in ("file", EDITED)]
    return list(dict.fromkeys([path for path in paths if len(path) <= MAX_LABEL]))[:_FILES]


def revise(project: Project, session: Session) -> None:
    """Updates the summary of a session to its last event, in a transaction of its own."""

    def decide() -> list[Change]:
        current = sessions.find(project.db, session.id) or session
        return summary_changes(project, current, current.last_at)[1]

    commit(project, decide, actor_of(session.harness), oplog.NO_COMMAND)


def close(project: Project, session: Session, reason: str, model: ModelSummary | None = None) -> None:
    """Sums up and closes an inactive session."""

    def decide() -> list[Change]:
        current = sessions.find(project.db, session.id) or session
        if current.status == COMPLETED or current.last_at != session.last_at:
            return []
        changes = summary_changes(project, current, current.last_at, model=model)[1]
        return [
            *changes,
            Change("session", session.id, {"status": COMPLETED, "reason": reason, "ended": session.last_at}),
        ]

    commit(project, decide, actor_of(session.harness), oplog.NO_COMMAND)
