"""What a conversation states for later sessions: what is open, asked for good, decided, dropped, learned, what works.

Read sentence by sentence, by the words that people and agents use for it in English; what none of them is in states nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from re import Match

from memcli.records import Record
from memcli.text import _cues, passages
from memcli.text.terminal import oneline

OPEN, INSTRUCTION, PREFERENCE, DECISION = "open", "instruction", "preference", "decision"
DROPPED, COMMAND, LESSON = "dropped", "command", "lesson"
ROLES = (OPEN, INSTRUCTION, PREFERENCE, DECISION, DROPPED, COMMAND, LESSON)
LONGEST = 240  # characters of a statement
_SHORTEST = 4  # words
_BRIEF = 5  # words of a heading that says what stands under it, at most
_PLAIN = 120  # characters of a sentence that stays whole
_RULE = 30  # words of a rule, at most
_ASKING = 2  # questions in a list that asks
_FEW = 4  # sentences that say more than what comes next
_LOOKED_AT = 1_000  # characters of a sentence
_WHOLE = 9  # words of a sentence that says what it is about
_TELLING = 8  # words of a lesson, or of an account, at least
_ACCOUNT = 160  # characters of an account, at most


class Statement(Record):
    """What a passage states: its role, one of ROLES, and the sentences that say it, on one line of at most LONGEST characters."""

    role: str
    text: str


NOTHING = Statement("", "")


def of_person(text: str) -> Statement:
    """Returns what a person states: what is to be done from now on, what is liked or not, was chosen, or is for later."""
    for role, is_stated in _BY_PERSONS:
        if sentence := _sentence(text, is_stated, _without_lead):
            return Statement(role, sentence)
    return NOTHING


def _without_lead(line: str, stated: object) -> str:
    """Returns a long sentence from the clause on in which something is stated first, where that can stand by itself."""
    if len(line) <= _PLAIN or not isinstance(stated, Match) or _cues.SUBORDINATE.match(stated[0]):
        return line
    start = max([clause.end() for clause in _cues.CLAUSE.finditer(line, 0, stated.start() + 1)], default=0)
    return f"…{line[start:]}" if 0 < start <= stated.start() else line


def of_agent(heading: str, text: str, asked: str) -> Statement:
    """Returns what an agent's answer states. `heading`: what the passage stands under; `asked`: the beginning of the prompt."""
    if _is_under_open(heading, text):
        return Statement(OPEN, _listed(heading, text))
    if _cues.REVIEW.search(asked) and text[:1].isdecimal() and _cues.OBJECTION.search(text) and not _asks(text):
        return Statement(OPEN, _clipped(oneline(text)))
    if _cues.RULES_WANTED.search(asked) and (rule := _rule(text)):
        return Statement(INSTRUCTION, rule)
    if command := _command(heading, text):
        return Statement(COMMAND, command)
    if _is_under_lesson(heading) and len(text.split()) >= _TELLING and not _cues.CLOSED.search(text):
        return Statement(LESSON, _listed(heading, text))
    for role, is_stated in _BY_AGENTS:
        if sentence := _sentence(text, is_stated):
            return Statement(role, sentence)
    return NOTHING


def of_remark(text: str) -> Statement:
    """Returns what an agent states while it works: of what is open, which changes until it is done, only what it filed."""
    for role, is_stated in _IN_REMARKS:
        if sentence := _sentence(text, is_stated):
            return Statement(role, sentence)
    return NOTHING


def _rule(text: str) -> str:
    """Returns the rule for agents that a text words; "" for none, or a list of what is kept to."""
    lines = [line for line in sentences(text) if _cues.RULE.search(line) and not _cues.CLOSED.search(line)]
    return next((_clipped(line) for line in lines if _SHORTEST <= len(line.split()) <= _RULE), "")


def _listed(heading: str, text: str) -> str:
    """Returns what stands under a heading, and the heading where it says more than what sort of things these are."""
    lead = oneline(heading.rpartition(": ")[2]).rstrip(":")
    return _clipped(f"{lead}: {oneline(text)}" if _WHOLE > len(lead.split()) >= _SHORTEST else oneline(text))


def is_open(heading: str, text: str) -> bool:
    """Tells whether a passage says what is left to do."""
    return _is_under_open(heading, text) or any(_is_open(sentence) for sentence in sentences(text))


def _is_under_open(heading: str, text: str) -> bool:
    return bool(_cues.OPEN_HEADING.search(heading)) and not (_cues.CLOSED.search(text) or _asks(text))


def _is_under_lesson(heading: str) -> bool:
    last = heading.rpartition(": ")[2]
    return len(last.split()) <= _BRIEF and bool(_cues.LESSON_HEADING.search(last))


def _asks(text: str) -> bool:
    return text.count("?") >= _ASKING


def _command(heading: str, text: str) -> str:
    """Returns the sentence that introduces a command in a block of code, and the command; "" where there is none."""
    before, _, code = text.partition("```")
    stated = [oneline(sentence) for sentence in passages.sentences(before) if sentence.strip()]
    sentence = stated[-1] if stated else f"{heading.rpartition(': ')[2]}:"
    lines = [line.strip() for line in code.partition("```")[0].split("\n")[1:] if line.strip()]
    return _clipped(f"{sentence} `{lines[0]}`") if len(lines) == 1 and _cues.COMMAND.search(sentence) else ""


def _is_open(sentence: str) -> bool:
    return bool(_cues.OPEN.search(sentence)) and not _cues.CLOSED.search(sentence)


def _is_left(sentence: str) -> bool:
    return _is_open(sentence) or bool(_cues.FILED.search(sentence))


def _preference(sentence: str) -> Match[str] | None:
    return None if _cues.JUST_NOW.search(sentence) else _cues.PREFERENCE.search(sentence)


def _is_lesson(sentence: str) -> bool:
    is_whole = len(sentence.split()) >= _TELLING and len(sentence) <= LONGEST and not sentence.endswith(":")
    return (
        is_whole and bool(_cues.LESSON.search(sentence)) and not (_cues.HEDGED.search(sentence) or _cues.CLOSED.search(sentence))
    )


def _is_decision(sentence: str) -> bool:
    return bool(_cues.DECIDED.search(sentence) or (_cues.DECISION.search(sentence) and _cues.REASON.search(sentence)))


Cues = tuple[tuple[str, Callable[[str], object]], ...]  # roles, the first that is stated counts

_BY_PERSONS: Cues = (
    (INSTRUCTION, _cues.INSTRUCTION.search),
    (PREFERENCE, _preference),
    (DECISION, _cues.CHOICE.search),
    (OPEN, _cues.LATER.search),
)


def _is_dropped(sentence: str) -> bool:
    return len(sentence.split()) > _SHORTEST and bool(_cues.DROPPED.search(sentence))


_BY_AGENTS: Cues = (
    (OPEN, _is_left),
    (DROPPED, _is_dropped),
    (DECISION, _is_decision),
    (LESSON, _is_lesson),
)
_IN_REMARKS: Cues = ((OPEN, _cues.FILED.search), *_BY_AGENTS[1:])


def replaces(text: str, other: str) -> bool:
    """Tells whether an instruction can take the place of an earlier one on its subject: lifts it, or says the contrary."""
    return bool(_cues.LIFTED.search(text)) or bool(_cues.FORBIDS.search(text)) != bool(_cues.FORBIDS.search(other))


def account(text: str) -> str:
    """Returns the sentence that says that a whole is complete, on which others may build; "" for none."""
    lines = [line for line in sentences(text) if len(line.split()) >= _TELLING and len(line) <= _ACCOUNT]
    return next((_clipped(line) for line in lines if _cues.WHOLE_DONE.search(line) and not _cues.OPEN.search(line)), "")


def is_done(text: str) -> bool:
    """Tells whether a text says that nothing is left of what was to be done."""
    return any(_cues.CLOSED.search(line) or _cues.WHOLE_DONE.search(line) for line in sentences(text))


def announces(text: str) -> bool:
    """Tells whether a text only says what its writer does next, or agrees: nothing that a later session needs to know."""
    lines = sentences(text)[:_FEW]
    if not lines or len(lines) == _FEW or _cues.REASONED.search(text):
        return False
    return all(_cues.ANNOUNCES.match(line) or _cues.AGREES.match(line) for line in lines)


def _sentence(text: str, is_stated: Callable[[str], object], shorten: Callable[[str, object], str] = lambda line, _: line) -> str:
    """Returns the sentences that state something, with what the first refers back to; "" for none."""
    before, stated = "", ""
    for line in sentences(text):
        is_question = line.endswith("?") and not _cues.TAG.search(line)
        if len(line.split()) >= _SHORTEST and not is_question and (cue := is_stated(line)):
            refers_back = before and not stated and (_cues.LEADS.match(line) or len(line.split()) < _WHOLE)
            whole = shorten(line, cue)
            stated = f"{stated or (_clipped(before, LONGEST - len(whole) - 1) if refers_back else '')} {whole}".strip()
        before = line
    return _clipped(stated)


def sentences(text: str) -> list[str]:
    """Returns the sentences of a text, each on one line, without its code."""
    return [oneline(sentence)[:_LOOKED_AT] for sentence in passages.sentences(_without_code(text))]


def sentence_of(text: str, other: str) -> str:
    """Returns the sentence of another text that a text is, word for word, as it stands there; "" for none."""
    words = _folded(text)
    return next((_clipped(sentence) for sentence in sentences(other) if words and _folded(sentence) == words), "")


def _folded(text: str) -> str:
    return " ".join(_clipped(text).lower().split()).rstrip(".!")


def _without_code(text: str) -> str:
    head, *rest = text.split("```")
    return "".join([head, *rest[1::2]])


def _clipped(text: str, longest: int = LONGEST) -> str:
    text = text.lstrip("-*• ").strip()
    text = text.replace("**", "") if text.count("**") % 2 else text  # one of a pair is markup of nothing
    if len(text) <= longest:
        return text
    cut = text[: max(0, longest - 1)]
    return (cut.rpartition(" ")[0] or cut).rstrip(" ,;:") + "…"
