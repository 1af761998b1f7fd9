"""The account of a session for a model: what the person said, what the agent said, what tools did and printed.

Each stands in an element of its own, escaped, so that nobody's text can pass for somebody else's. It is bounded: texts are cut in
their middle, all of them to the same length, and of very many turns those in the middle are left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from memcli.memory.projection import fold
from memcli.project import Project
from memcli.records import Record
from memcli.store import memories, oplog, sessions
from memcli.store.memories import Memory
from memcli.store.sessions import Session
from memcli.text import dates
from memcli.text.terminal import xml

MOST = 24_000  # characters of an account: about 8,000 tokens
_ROOM = (4_000, 2_000, 1_000, 500, 250, 120, 60)  # characters of one text, the largest with which all fits
_TURNS, _OBSERVATIONS = 200, 400  # that are looked at, the last
_EDGE = 20  # turns at each end that are told where all of them have no room
_LEAST = 80  # characters that an agent said, without which a session that did nothing is not worth a call


class AccountTurn(Record):
    """A prompt, what the agent answered, and what hooks saw of its tools, one line each."""

    prompt: str
    number: int
    person: str
    agent: str
    tools: tuple[str, ...]


def turns_of(project: Project, session: Session) -> list[AccountTurn]:
    """Returns the turns of a session in order; none if nothing was said or done that a model could condense."""
    observed: dict[int, list[str]] = {}
    for memory in memories.of_session(project.db, session.n, _OBSERVATIONS):
        observed.setdefault(memory.prompt, []).extend(_observed_lines(memory))
    turns = [
        AccountTurn(prompt.id, prompt.number, prompt.text, _agent_text(project, prompt.id, prompt.reply), tuple(lines))
        for prompt in sessions.first_and_last(project.db, session.n, _TURNS)
        if not prompt.skipped
        for lines in [observed.get(prompt.number, [])]
    ]
    is_worth_it = observed or sum([len(turn.agent) for turn in turns]) >= _LEAST
    return turns if is_worth_it else []


def _agent_text(project: Project, prompt: str, reply: str) -> str:
    """Returns all that an agent said in answer to a prompt, in order."""
    fields = fold(oplog.of_object(project.db, prompt)).fields
    texts = [fields.get(name) or "" for name in ("narration", "earlier")]
    return "\n\n".join([text.strip() for text in [*texts, reply] if text.strip()])


def _observed_lines(memory: Memory) -> list[str]:
    """Returns what hooks saw: what was done, and how commands ended."""
    facts = [line for line in memory.summary.split("\n") if line.startswith("- ") and line[2:] not in memory.title]
    return [memory.title, *facts]


def text_of(project: Project, session: Session, turns: Sequence[AccountTurn]) -> str:
    """Returns an account as XML, of at most MOST characters."""
    head = f'<session project="{xml(project.name)}" started="{dates.local_day(session.started_at)}" turns="{len(turns)}">\n'
    selected = list(turns) if len(turns) <= 2 * _EDGE else [*turns[:_EDGE], *turns[-_EDGE:]]
    texts = [[_turn_text(turn, room) for turn in selected] for room in _ROOM]
    body = next((text for text in texts if sum(map(len, text)) <= MOST), texts[-1])
    while sum(map(len, body)) > MOST:
        body.pop(len(body) // 2)
    return f"{head}{''.join(body)}</session>\n"


def _turn_text(turn: AccountTurn, room: int) -> str:
    """Returns a turn as XML. `room`: characters of each of its texts."""
    tools = _cut("\n".join(turn.tools), room)
    texts = (("person", _cut(turn.person, room)), ("agent", _cut(turn.agent, room)), ("tools", tools))
    return f'<turn number="{turn.number}">\n{"".join([_element(name, text) for name, text in texts if text])}</turn>\n'


def _element(name: str, text: str) -> str:
    return f"<{name}>{xml(text)}</{name}>\n"


def _cut(text: str, room: int) -> str:
    """Returns the beginning and the end of a text, of about `room` characters at most."""
    text = text.strip()
    return text if len(text) <= room else f"{text[: room * 2 // 3].rstrip()} … {text[-room // 3 :].lstrip()}"
