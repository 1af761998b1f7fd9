"""What of a prompt, its answer or a long memory is kept as passages."""

from __future__ import annotations

from memcli.records import replace
from memcli.screening import is_suspicious
from memcli.store.passages import ANSWER, FACT, LIST, OPEN, PROMPT, Passage
from memcli.store.vocabulary import learn, ranks
from memcli.text import dates, passages, tokens
from memcli.text.analysis import extra_words, is_alike
from memcli.text.ids import PLACE
from memcli.validity import MODEL_ACTOR, PROMPT_ACTOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.store.memories import Memory
    from memcli.store.sessions import Prompt
    from memcli.text.passages import TextPart
    from memcli.text.statements import Statement

ANSWER_ACTOR = "agent"  # who wrote every answer
_WANTED = ("instruction", "preference")  # roles of what only a person can say
_QUESTION = 300  # characters of what a passage answers that are indexed with it
_OFFERS = ("would you like ", "do you want ", "want me to ", "shall i ", "should i ", "let me know ", "please let me know ")
_ANNOUNCED = ("let me ", "let's now ", "i'm going to ")  # what it did next, it tells afterwards
_BEFORE = (
    "now ",
    "now, ",
    "first, ",
    "first ",
    "next, ",
    "next ",
    "then ",
    "then, ",
    "so ",
    "ok, ",
    "good, ",
    "and ",
    "actually, ",
)
_REPLY = "a"  # what the ids of an answer's passages have before their number
_SAMPLE = 600  # characters of a passage whose words are looked up at once


def of_prompt(prompt: Prompt, fields: dict[str, Any]) -> list[Passage]:
    """Returns the passages of a prompt and of what the agent said in answer, whose tokens are not counted yet.

    `fields`, as the log has them: `narration`, what it said while it worked; `earlier`, its answers before the last; `left`,
    what its to-do list had unfinished; `anchor`, the commit that was checked out when it ended; `exposures`, what its session
    had been exposed to by then; `facts`, what a model made of it; `superseded`, what was overtaken since, by the digest of a
    passage's text: the id of what superseded it and, after a space, how.
    """
    if prompt.skipped:
        return []
    from memcli.text import statements

    asked, narration, earlier = prompt.text[:_QUESTION], fields.get("narration", ""), fields.get("earlier", "")
    blank = _blank(prompt.id, prompt.session, prompt.number, prompt.created_at)
    of_person = replace(blank, kind=PROMPT, thread=PROMPT, origin=PROMPT_ACTOR)
    of_agent = replace(blank, kind=PROMPT, thread=ANSWER, origin=ANSWER_ACTOR, anchor=fields.get("anchor"), question=asked)
    of_agent = replace(of_agent, tags="\n".join(fields.get("exposures", ())))
    parts = [
        *[
            _stated(part, statements.of_person(f"{part.heading}. {part.text}" if part.heading else part.text))
            for part in _parts(of_person, "", prompt.text)
        ],
        *[_stated(part, statements.of_remark(part.text)) for part in _parts(of_agent, "n", narration) if _lasts(part)],
        *[_stated(part, statements.of_remark(part.text)) for part in _parts(of_agent, "e", earlier) if _lasts(part)],
        *[
            _stated(part, statements.of_agent(part.heading, part.text, asked, number == 0))
            for number, part in enumerate(_parts(of_agent, _REPLY, prompt.reply))
        ],
    ]
    if (left := "; ".join(fields.get("left", ()))) and not statements.is_done(prompt.reply):
        of_list = [replace(part, role=OPEN, statement=part.text) for part in _parts(of_agent, LIST, f"To do: {left}")]
        parts += of_list[:1]
    if facts := fields.get("facts"):
        parts = _with_facts(parts, facts, replace(of_agent, thread=FACT, origin=MODEL_ACTOR))
    superseded = fields.get("superseded")
    if superseded:
        superseded = superseded | _of_pieces(prompt.reply, superseded)
    return [_superseded(part, superseded.get(passages.digest(part.text), "")) for part in parts] if superseded else parts


def _with_facts(parts: list[Passage], facts: Sequence[dict[str, Any]], blank: Passage) -> list[Passage]:
    """Returns the passages of a turn with the facts that a model made of it, each said once.

    What the person wants stays in the person's own words, which say it. Of what the agent stated a fact takes the place.
    """
    from memcli.text.statements import sentence_of

    by_model: list[Passage] = []
    for number, fact in enumerate(facts, 1):
        role, text = fact["role"], fact["text"]
        if role in _WANTED:
            words = {part.id: sentence_of(text, part.text) for part in parts if part.thread == PROMPT and not part.role}
            parts = [replace(part, role=role, statement=words[part.id]) if words.get(part.id) else part for part in parts]
        elif not any(part.thread == PROMPT and part.role and is_alike(part.statement, text) for part in parts):
            parts = [replace(part, role="", statement="") if _repeats(part, text) else part for part in parts]
            of_fact = _parts(replace(blank, tags="\n".join(fact["tags"])), "m", text)[:1]
            name = f"{blank.owner}{PLACE}m{number}"
            by_model += [replace(part, id=name, role=role, statement=part.text) for part in of_fact]
    return parts + by_model


def _repeats(part: Passage, text: str) -> bool:
    return part.thread == ANSWER and bool(part.role) and is_alike(part.statement, text)


def _lasts(part: Passage) -> bool:
    """Tells whether what an agent said while it worked may matter later: not what was open just then, or came next."""
    from memcli.text import statements

    return not (statements.is_open(part.heading, part.text) or (not part.heading and statements.announces(part.text)))


def _superseded(part: Passage, successor: str) -> Passage:
    name, _, how = successor.partition(" ")
    return replace(part, superseded_by=name, overtaken=how) if name else part


def _stated(part: Passage, statement: Statement) -> Passage:
    return replace(part, role=statement.role, statement=statement.text)


def of_memory(memory: Memory) -> list[Passage]:
    """Returns the passages of a memory, whose tokens are not counted yet."""
    blank = replace(
        _blank(memory.id, memory.session, memory.prompt, memory.created_at),
        kind=memory.kind,
        thread=memory.thread,
        anchor=memory.anchor,
        superseded_by=memory.superseded_by,
        suspicious=memory.suspicious,
        origin=memory.origin,
        question=memory.title,
    )
    return _parts(blank, "", memory.summary)


def _blank(owner: str, session: int, prompt: int, created_at: int) -> Passage:
    return Passage(
        n=0,
        id="",
        owner=owner,
        kind="",
        thread="",
        heading="",
        text="",
        question="",
        words="",
        anchor=None,
        created_at=created_at,
        superseded_by=None,
        suspicious=0,
        origin="",
        session=session,
        prompt=prompt,
    )


def _parts(blank: Passage, letter: str, text: str) -> list[Passage]:
    """Returns the passages of a text. `letter`: stands before the number in their ids."""
    parts = []
    for number, part in enumerate(_split(text, letter), 1):
        statement = part.text if not letter else _statements(part.text)
        if statement:
            parts.append(
                replace(
                    blank,
                    id=f"{blank.owner}{PLACE}{letter}{number}",
                    heading=part.heading,
                    text=statement,
                    words=f"{extra_words(part.heading, statement)} {dates.words(blank.created_at)}".strip(),
                    suspicious=int(blank.suspicious or is_suspicious(part.heading, statement)),
                )
            )
    return parts


def _split(text: str, letter: str) -> list[TextPart]:
    """Returns the passages of a text, of an answer with each thing that is left to do by itself."""
    parts = passages.split(text)
    if letter != _REPLY:
        return parts
    from memcli.text import statements

    return [replace(part, text=piece) for part in parts for piece in statements.pieces(part.heading, part.text)]


def _of_pieces(reply: str, superseded: dict[str, str]) -> dict[str, str]:
    """Returns what superseded the pieces of those passages that were superseded as a whole."""
    from memcli.text import statements

    pieces: dict[str, str] = {}
    for part in passages.split(reply):
        if successor := superseded.get(passages.digest(_statements(part.text))):
            pieces |= {passages.digest(_statements(piece)): successor for piece in statements.pieces(part.heading, part.text)}
    return pieces


def _statements(text: str) -> str:
    """Returns what an agent said without what it offered or was about to do next, which a moment later is answered or done."""
    return "".join([part for part in passages.sentences(text) if not _is_announced(part)]).strip()


def _is_announced(sentence: str) -> bool:
    """Tells whether a sentence says what an agent is about to do, or offers it; with a reason it may say more."""
    words = sentence.lower().lstrip("*-# ")
    for word in _BEFORE:
        words = words.removeprefix(word)
    return words.startswith(_OFFERS) or (words.startswith(_ANNOUNCED) and "because" not in words)


def counted(parts: Sequence[Passage]) -> list[Passage]:
    """Returns passages with the tokens of their lines in a pack."""
    rank = ranks()
    learn(tokens.pieces("".join(["".join(replace(part, text=part.text[:_SAMPLE]).as_memory().in_prompt()) for part in parts])))
    printed = []
    for part in parts:
        memory = part.as_memory()
        in_prompt, in_xml = [sum([tokens.count(line, rank) for line in lines]) for lines in (memory.in_prompt(), memory.in_xml())]
        printed.append(replace(part, prompt_tokens=in_prompt, xml_tokens=in_xml))
    return printed
