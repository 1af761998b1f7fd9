"""The passages of a prompt, its answer, a long memory, a state, an entry of the profile or a note."""

from __future__ import annotations

from memcli.records import replace
from memcli.screening import is_suspicious
from memcli.store.context import ProfileEntry, State
from memcli.store.memories import OBSERVED
from memcli.store.passages import ANSWER, COMMIT, FACT, LIST, NOTE, OPEN, PROFILE, PROMPT, STATE, Passage
from memcli.store.vocabulary import learn, ranks
from memcli.text import dates, forms, json, passages, tokens
from memcli.text.analysis import extra_words, is_alike
from memcli.text.ids import PLACE
from memcli.text.terminal import oneline
from memcli.validity import AUTHOR_ACTOR, MODEL_ACTOR, PROMPT_ACTOR, QUOTATION_ACTOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from memcli.store.context import Note
    from memcli.store.memories import Memory
    from memcli.store.sessions import Prompt
    from memcli.text.passages import Fragment
    from memcli.text.statements import Statement

    Stated = Callable[
        [Fragment, bool], Statement | None
    ]  # what a part states; bool: it is the first to say more than a few words

    Pieces = Callable[[Fragment], list[str]]

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
CLAUSE = "~"  # stands before the mark of a clause of a statement among what was superseded
_TYPED = ""  # stands before the number in the ids of a prompt's own passages
_SPOKEN = "n"  # what the ids of what an agent said while it worked have before their number
_REPLY = "a"  # what the ids of an answer's passages have before their number
_FEW_WORDS = 5  # of a passage that only leads to what comes next: "I found the cause."
_SAMPLE = 600  # characters of a passage whose words are looked up at once


def _whole(fragment: Fragment) -> list[str]:
    return [fragment.text]


def _of_prompt_fragment(fragment: Fragment) -> list[str]:
    from memcli.memory import prompt_pieces

    return prompt_pieces.split(fragment.heading, fragment.text)


def _of_reply_fragment(fragment: Fragment) -> list[str]:
    from memcli.text import statements

    return statements.pieces(fragment.heading, fragment.text)


_PIECES = {_TYPED: _of_prompt_fragment, _REPLY: _of_reply_fragment}


def of_prompt(prompt: Prompt, fields: dict[str, Any]) -> list[Passage]:
    """Returns the passages of a prompt and of what the agent said in answer, whose tokens are not counted yet.

    `fields`, as the log has them: `commits`, those of the turn; `narration`, what it said while it worked; `earlier`, its
    answers before the last; `left`, what its to-do list had unfinished; `anchor`, the commit that was checked out when it
    ended; `chosen`, the option of the answer before it that it picks; `exposures`, what its session had been exposed to by then;
    `facts`, what a model made of it, those among them that are `forgotten`, so that the others keep their ids; `superseded`, what
    was overtaken since, by the digest of a passage's text: the id of what superseded it and, after a space, how.
    """
    if prompt.skipped:
        return []
    from memcli.memory import stated
    from memcli.text import options, quotations, standing, statements

    typed, question = quotations.marked(prompt.text), prompt.text[:_QUESTION]
    chosen = fields.get("chosen", "")
    typed = options.with_option(typed, chosen) if chosen and options.is_pick(prompt.text) else typed
    narration, earlier, reply = [
        quotations.marked(text, is_answer=True) for text in (fields.get("narration", ""), fields.get("earlier", ""), prompt.reply)
    ]
    blank = _blank(prompt.id, prompt.session, prompt.number, prompt.created_at)
    of_person = replace(blank, kind=PROMPT, thread=PROMPT, origin=PROMPT_ACTOR)
    of_agent = replace(blank, kind=PROMPT, thread=ANSWER, origin=ANSWER_ACTOR, anchor=fields.get("anchor"), question=question)
    of_agent = replace(of_agent, tags="\n".join(fields.get("exposures", ())))
    is_of_task = standing.tells_of_work(statements.sentences(typed))
    of_turn = [
        *_stating(of_person, _TYPED, typed, lambda it, _: stated.of_person(it, is_of_task)),
        *_stating(of_agent, _SPOKEN, narration, stated.of_remark),
        *_stating(of_agent, "e", earlier, stated.of_remark),
        *_stating(of_agent, _REPLY, reply, lambda it, first: stated.of_reply(it, typed[:_QUESTION], first)),
    ]
    of_turn = [stated.with_option(passage, prompt, chosen) for passage in of_turn]
    of_turn += _of_commits(replace(of_agent, thread=COMMIT), fields.get("commits", ()))
    if (unfinished := "; ".join(fields.get("left", ()))) and not statements.is_done(reply):
        of_turn += _of_to_do_list(of_agent, unfinished)
    if facts := fields.get("facts"):
        of_turn = _with_facts(of_turn, facts, replace(of_agent, thread=FACT, origin=MODEL_ACTOR))
    superseded = fields.get("superseded") or {}
    if superseded:
        superseded = superseded | _of_pieces(typed, reply, superseded)
    plain = [(passage, _plain(passage) if passage.thread == ANSWER else passage) for passage in of_turn]
    return [
        _superseded(_without_replaced(after, superseded), _successor(superseded, before, after))
        for before, after in plain
        if after.text
    ]


def _of_to_do_list(blank: Passage, unfinished: str) -> list[Passage]:
    listed = _passages(blank, LIST, f"To do: {unfinished}")[:1]
    return [replace(passage, role=OPEN, statement=passage.text) for passage in listed]


def _without_replaced(passage: Passage, superseded: dict[str, str]) -> Passage:
    """Returns a passage without the clauses of its statement that later words replaced."""
    if not passage.role or not any(key.startswith(CLAUSE) for key in superseded):
        return passage
    from memcli.text import clauses

    marks = [key.removeprefix(CLAUSE) for key in superseded if key.startswith(CLAUSE)]
    is_meant = any(clauses.mark(it) in marks for it in clauses.split(passage.statement))
    return replace(passage, statement=clauses.without(passage.statement, marks)) if is_meant else passage


def _plain(passage: Passage) -> Passage:
    """Returns what an agent said without pleasantries, agreement and headings; the passage is found by the result, too."""
    from memcli.text import transient

    text = "".join([it for it in passages.sentences(passage.text) if not transient.agrees(it)]).strip()
    text = _without_end(text)
    heading = "".join([it for it in passages.sentences(passage.heading) if not transient.is_passing(it)]).strip()
    heading = "" if text.startswith(heading) else heading
    words = passage.words if heading == passage.heading else f"{passage.words} {passage.heading}".strip()
    return replace(passage, text=text, heading=heading, words=words)


def _without_end(text: str) -> str:
    """Returns a text that does not end as if more were to come: what a colon at its end led to is a call, or another passage."""
    from memcli.text import transient

    if not text.endswith(":") or text.endswith("::") or forms.has_code(text):
        return text
    *before, last = passages.sentences(text)
    rest = "".join(before).strip()
    return rest if rest and (transient.is_passing(last) or transient.leads(last)) else f"{text[:-1]}."


def _successor(superseded: dict[str, str], before: Passage, after: Passage) -> str:
    """Returns what superseded a passage. Notes may refer to its text as it was `before` `_plain`, or to what it announces."""
    if not superseded:
        return ""
    announced = before.text.rpartition("\n")[2].strip()
    texts = (after.text, before.text, announced)
    return next((by for text in texts if (by := superseded.get(passages.digest(text)))), "")


def _of_commits(blank: Passage, turn_commits: Sequence[dict[str, str]]) -> list[Passage]:
    """Returns the passages of commit messages: the body, under its subject, or else the subject itself."""
    result: list[Passage] = []
    for commit in turn_commits:
        subject, author = commit["subject"], commit.get("author")
        if author is not None:  # a patch that was applied, a branch that was merged: whoever wrote it, it is not the agent
            subject = f"{oneline(author) or 'Somebody'} committed: {subject}"
        by = blank if author is None else replace(blank, origin=AUTHOR_ACTOR)
        of_commit = _passages(by, "c", f"# {subject}\n\n{commit['body']}") or _passages(by, "c", subject)
        first = len(result) + 1
        result += [replace(passage, id=f"{blank.owner}{PLACE}c{first + n}") for n, passage in enumerate(of_commit)]
    return result


def _with_facts(of_turn: list[Passage], facts: Sequence[dict[str, Any]], blank: Passage) -> list[Passage]:
    """Returns the passages of a turn with the facts that a model distilled from it, without repetitions.

    What the person wants stays in the person's own words. A fact replaces what the agent stated.
    """
    from memcli.text.quotations import marked
    from memcli.text.statements import sentence_of

    by_model: list[Passage] = []
    for number, fact in [pair for pair in enumerate(facts, 1) if not pair[1].get("forgotten")]:
        role, text = fact["role"], fact["text"]
        if role in _WANTED:
            words = {
                passage.id: sentence_of(text, marked(passage.text))
                for passage in of_turn
                if passage.thread == PROMPT and not passage.role and passage.origin != QUOTATION_ACTOR
            }
            of_turn = [
                replace(passage, role=role, statement=words[passage.id]) if words.get(passage.id) else passage
                for passage in of_turn
            ]
        elif not any(passage.thread == PROMPT and passage.role and is_alike(passage.statement, text) for passage in of_turn):
            of_turn = [replace(passage, role="", statement="") if _repeats(passage, text) else passage for passage in of_turn]
            of_fact = _passages(replace(blank, tags="\n".join(fact["tags"])), "m", text)[:1]
            name = f"{blank.owner}{PLACE}m{number}"
            by_model += [replace(passage, id=name, role=role, statement=passage.text) for passage in of_fact]
    return of_turn + by_model


def _repeats(passage: Passage, text: str) -> bool:
    return passage.thread == ANSWER and bool(passage.role) and is_alike(passage.statement, text)


def _superseded(passage: Passage, successor: str) -> Passage:
    name, _, how = successor.partition(" ")
    return replace(passage, superseded_by=name, overtaken=how) if name else passage


def of_memory(memory: Memory) -> list[Passage]:
    """Returns the passages of a memory, without token counts."""
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
    return _passages(blank, "", memory.summary)


def of_context(row: State | ProfileEntry | Note, actor: str) -> list[Passage]:
    """Returns the passages of a state, an entry of the profile or a note, without token counts.

    None for a note that a hook wrote: it repeats the title of a summary. `actor`: who wrote the current text.
    """
    if isinstance(row, State):
        kind, text, heading, at = STATE, row.items, row.reason, row.created_at
    elif isinstance(row, ProfileEntry):
        kind, text, heading, at = PROFILE, row.value, row.key, row.updated_at
    else:
        kind, text, heading, at = NOTE, row.text, "", row.created_at
    if kind == NOTE and actor in OBSERVED:
        return []
    own = _of_context(replace(_blank(row.id, 0, 0, at), kind=kind, thread=kind, origin=actor), heading, text)
    if isinstance(row, State) and not any(it.suspicious for it in own) and is_suspicious(*_texts(row.body)):
        # What packs print of a state is not all that it says: signs without width are written out, a long line is cut.
        own = [replace(it, suspicious=1) for it in own]
    return own


def _of_context(blank: Passage, heading: str, text: str) -> list[Passage]:
    is_order = is_suspicious(heading)
    blank = replace(blank, suspicious=int(is_order))
    if own := _passages(blank, "", text):
        return [replace(passage, heading=heading) for passage in own]
    if not text.strip() and not is_order:
        return []
    # A short one, such as `vim`, is no passage of a text.
    text = text if text.strip() else heading
    brief = replace(blank, id=f"{blank.owner}{PLACE}1", heading=heading, text=text, words=extra_words(heading, text))
    return [replace(brief, suspicious=int(is_suspicious(heading, text)))]


def _texts(body: str) -> Iterator[str]:
    """Yields every text in a JSON value, including the names of its fields."""
    values = [json.loads(body)]
    while values:
        value = values.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            values += [*value, *value.values()]
        elif isinstance(value, list):
            values += value


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


def _passages(blank: Passage, letter: str, text: str) -> list[Passage]:
    """Returns the passages of a text. `letter`: what precedes the number in their ids."""
    return [_passage(blank, letter, number, fragment) for number, fragment in _fragments(letter, text)]


def _stating(blank: Passage, letter: str, text: str, stated: Stated) -> list[Passage]:
    """Returns the passages of a marked text with what they state. Those for which `stated` returns None are left out.

    Until the first one of more than a few words, `stated` is told that a fragment is the first.
    """
    from memcli.text import quotations

    fragments = _fragments(letter, text, _PIECES.get(letter, _whole))
    first = next((number for number, fragment in fragments if len(fragment.text.split()) > _FEW_WORDS), 0)
    result = []
    for number, fragment in fragments:
        if (statement := stated(fragment, number <= first)) is not None:
            plain = replace(fragment, heading=quotations.plain(fragment.heading), text=quotations.plain(fragment.text))
            passage = _passage(blank, letter, number, plain)
            origin = QUOTATION_ACTOR if quotations.is_quoted(fragment.text) and not statement.role else blank.origin
            result.append(replace(passage, origin=origin, role=statement.role, statement=statement.text))
    return result


def _fragments(letter: str, text: str, pieces: Pieces = _whole) -> list[tuple[int, Fragment]]:
    """Returns the non-empty fragments of a text, by their number. `pieces`: cuts one so that each piece states one thing."""
    fragments = passages.split(text, is_spoken=letter == _SPOKEN)
    cut = [replace(fragment, text=piece) for fragment in fragments for piece in pieces(fragment)]
    numbered = enumerate(cut, 1)
    pairs = [(number, replace(it, text=_statements(it.text) if letter else it.text)) for number, it in numbered]
    return [(number, fragment) for number, fragment in pairs if fragment.text]


def _passage(blank: Passage, letter: str, number: int, fragment: Fragment) -> Passage:
    return replace(
        blank,
        id=f"{blank.owner}{PLACE}{letter}{number}",
        heading=fragment.heading,
        text=fragment.text,
        words=f"{extra_words(fragment.heading, fragment.text)} {dates.words(blank.created_at)}".strip(),
        suspicious=int(blank.suspicious or is_suspicious(fragment.heading, fragment.text)),
    )


def _of_pieces(prompt: str, reply: str, superseded: dict[str, str]) -> dict[str, str]:
    """Returns what superseded the pieces of passages that were superseded as a whole."""
    from memcli.text import quotations

    noted: dict[str, str] = {}
    for text, pieces, shown in ((prompt, _of_prompt_fragment, str), (reply, _of_reply_fragment, _statements)):
        for fragment in passages.split(text):
            if successor := superseded.get(passages.digest(quotations.plain(shown(fragment.text)))):
                noted |= {passages.digest(quotations.plain(shown(piece))): successor for piece in pieces(fragment)}
    return noted


def _statements(text: str) -> str:
    """Returns what an agent said without offers and announcements, which are answered or carried out a moment later."""
    return "".join([sentence for sentence in passages.sentences(text) if not _is_announced(sentence)]).strip()


def _is_announced(sentence: str) -> bool:
    """Tells whether a sentence only announces or offers what an agent will do. With a reason, it says more."""
    words = sentence.lower().lstrip("*-# ")
    for word in _BEFORE:
        words = words.removeprefix(word)
    return words.startswith(_OFFERS) or (words.startswith(_ANNOUNCED) and "because" not in words)


def counted(uncounted: Sequence[Passage]) -> list[Passage]:
    """Returns passages with the tokens of their lines in a pack."""
    rank = ranks()
    learn(
        tokens.pieces(
            "".join(["".join(replace(passage, text=passage.text[:_SAMPLE]).as_memory().in_prompt()) for passage in uncounted])
        )
    )
    printed = []
    for passage in uncounted:
        memory = passage.as_memory()
        in_prompt, in_xml = [sum([tokens.count(line, rank) for line in lines]) for lines in (memory.in_prompt(), memory.in_xml())]
        printed.append(replace(passage, prompt_tokens=in_prompt, xml_tokens=in_xml))
    return printed
