"""What a conversation states for later sessions: what is open, asked for good, decided, dropped, learned, what works.

Read sentence by sentence, by the words that people and agents use for it in English; what none of them is in states nothing.
Texts come with their quotations marked (quotations.py), in which no such word is found: what others wrote states nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from re import Match, Pattern

from memcli.records import Record
from memcli.text import (
    _choice_cues,
    _cues,
    _heading_cues,
    _open_cues,
    choices,
    passages,
    quotations,
    rule_lists,
    standing,
    working_commands,
)
from memcli.text._terse_cues import terse
from memcli.text.quotations import joined
from memcli.text.terminal import oneline

OPEN, INSTRUCTION, PREFERENCE, DECISION = "open", "instruction", "preference", "decision"
DROPPED, COMMAND, LESSON, FACT = "dropped", "command", "lesson", "fact"
_WANTED = (INSTRUCTION, PREFERENCE)  # from now on
_REASONED = (DROPPED, DECISION)  # roles of what is worth little without its reason
ROLES = (OPEN, INSTRUCTION, PREFERENCE, DECISION, DROPPED, COMMAND, LESSON, FACT)
LONGEST = 240  # characters of a statement
_SHORTEST = 3  # words
_BRIEF = 5  # words of a heading that says what stands under it, at most
_PLAIN = 120  # characters of a sentence that stays whole
_RULE = 30  # words of a rule, at most
_ASKING = 2  # questions in a list that asks
_LOOKED_AT = 1_000  # characters of a sentence
_WHOLE = 9  # words of a sentence that says what it is about
_TELLING = 8  # words of a lesson, or of an account, at least
_ACCOUNT = 160  # characters of an account, at most
_KEPT = 256  # passages whose statements are kept: whoever works up a turn reads the same ones again and again


class Statement(Record):
    """What a passage states: its role, one of ROLES, and the sentences that say it, on one line of at most LONGEST characters."""

    role: str
    text: str


NOTHING = Statement("", "")


@lru_cache(_KEPT)
def of_person(text: str, heading: str = "", is_of_task: bool = False) -> Statement:
    """Returns what a person states: what is to be done from now on, what is liked or not, was chosen, or is for later.

    `heading`: what it stands under. `is_of_task`: it belongs to the description of some work.
    """
    if rule := rule_lists.rule(heading, text):
        return _statement(INSTRUCTION, _clipped(rule))
    text = f"{heading}. {text}" if heading else text
    if reminders := _cues.REMEMBER.findall(text):
        return _statement(_role_of_reminder(reminders), _clipped(" ".join([joined(line) for line in reminders])))
    lines = [_cues.LABEL.sub("", line) for line in sentences(text)]
    roles, wanted = (_IN_TASKS, standing.stands_out) if is_of_task else (_BY_PERSONS, standing.is_wanted)
    for role, is_stated in roles:
        if _sentence(lines, is_stated, leads_back=goes_on):
            both = wanted if role in _WANTED else is_stated  # a rule and a liking beside it are one wish
            shorten = _without_long_lead if role == OPEN else _without_lead
            stated = _sentence(lines, both, shorten, goes_on)
            return _statement(role, _choice_cues.with_reason(lines, stated, LONGEST) if role == DECISION else stated)
    return NOTHING


def _role_of_reminder(reminders: list[str]) -> str:
    """Returns what a person wants remembered: a rule, a task, else a fact."""
    if any(_cues.TASK.match(line) for line in reminders):
        return OPEN
    return INSTRUCTION if any(standing.ordering(line) or standing.is_wanted(line) for line in reminders) else FACT


@lru_cache(_KEPT)
def role_of(sentence: str) -> str:
    """Returns the role of what a person states in one sentence, or ""."""
    line = _cues.LABEL.sub("", sentence)
    if quotations.is_quoted(line):
        return ""
    return next((role for role, is_stated in _BY_PERSONS if _sentence([line], is_stated)), "")


def goes_on(sentence: str) -> bool:
    """Tells whether a sentence of a person goes on with what the one before it says."""
    return bool(_cues.LEADS.match(sentence)) or (len(sentence.split()) < _WHOLE and bool(_cues.BACK.search(sentence)))


def _statement(role: str, text: str) -> Statement:
    return Statement(role, oneline(quotations.plain(text)).rstrip(";"))


def _without_long_lead(line: str, stated: object) -> str:
    """Returns a sentence without its lead if the whole is too long: what is left to do is often said behind what was done."""
    return _without_lead(line, stated) if len(line) > LONGEST else line


def _without_lead(line: str, stated: object) -> str:
    """Returns a long sentence from the clause on in which something is stated first, where that can stand by itself."""
    if len(line) <= _PLAIN or not isinstance(stated, Match) or _cues.SUBORDINATE.match(stated[0]):
        return line
    start = max([clause.end() for clause in _cues.CLAUSE.finditer(line, 0, stated.start() + 1)], default=0)
    begins_own = not quotations.is_quoted(line[start:].partition(" ")[0])
    return f"…{line[start:]}" if 0 < start <= stated.start() and begins_own else line


@lru_cache(_KEPT)
def of_agent(heading: str, text: str, prompt: str, is_first: bool = False) -> Statement:
    """Returns what a passage of an agent's answer states. `heading`: what it stands under; `prompt`: the beginning of the prompt.

    `is_first`: nothing of the answer stands before it.
    """
    command = _clipped(working_commands.introduced(heading, text))
    heading, text = _run_in(heading, quotations.own(text).strip())
    if not text and not command:
        return NOTHING
    if text and is_listed_open(heading, text):
        return _statement(OPEN, _listed(heading, text))
    if _open_cues.REVIEW.search(prompt) and text[:1].isdecimal() and _open_cues.OBJECTION.search(text) and not _asks(text):
        return _statement(OPEN, _clipped(joined(text)))
    is_finding = bool(_open_cues.REVIEW.search(prompt)) and bool(_heading_cues.FINDINGS.match(rule_lists.last_of(heading)))
    if is_finding and len(text.split()) > _BRIEF and not _is_unfit(text) and not _asks(text):
        return _statement(OPEN, _clipped(joined(text)))
    if _cues.RULES_WANTED.search(prompt) and (rule := _rule(text)):
        return _statement(INSTRUCTION, rule)
    if command:
        return _statement(COMMAND, command)
    if _is_under(heading, _heading_cues.DROPPED) and len(text.split()) > _SHORTEST and not _is_unfit(text):
        return _statement(DROPPED, _clipped(joined(text)))
    if _is_under(heading, _heading_cues.DECISION) and len(text.split()) > _BRIEF and not _open_cues.CLOSED.search(text):
        return _statement(DECISION, _listed(heading, text) if _heading_cues.WHY.match(heading) else _clipped(joined(text)))
    if _is_under(heading, _heading_cues.LESSON) and len(text.split()) > _BRIEF and not _is_unfit(text):
        is_left = bool(_open_cues.OBJECTION.search(text)) and _heading_cues.FLAGGED.search(heading)
        return _statement(OPEN if is_left else LESSON, _listed(heading, text))
    if _open_cues.UNCHANGED.match(joined(text)):
        return NOTHING
    for role, is_stated in _BY_AGENTS:
        sentence = _sentence(sentences(text), is_stated)
        if sentence and not (role == OPEN and _open_cues.SUBJECTLESS.match(sentence)):
            return _statement(role, choices.about(_with_reason(text, sentence), prompt) if role in _REASONED else sentence)
    if not heading and _cues.WHY_ASKED.search(prompt) and (is_first or _cues.REASON.search(text)) and _explains(text):
        return _statement(LESSON, _clipped(joined(text)))
    return NOTHING


def _run_in(heading: str, text: str) -> tuple[str, str]:
    """Returns (what a text stands under, the text): a heading in its own first line counts where it says what follows."""
    run_in = _heading_cues.RUN_IN.match(text) or _heading_cues.WHY_RUN_IN.match(text)
    return (run_in[1], text[run_in.end() :]) if run_in and _is_stating(run_in[1]) else (heading, text)


def _is_stating(heading: str) -> bool:
    """Tells whether a heading says what sort of things stand under it."""
    return any(_is_under(heading, cue) for cue in _heading_cues.ALL)


def _explains(text: str) -> bool:
    """Tells whether a text says how something is, rather than what its writer does or wants to know."""
    lines = sentences(text)
    is_plain = bool(lines) and not any(_cues.TALK.search(line) or line.endswith(("?", ":")) for line in lines)
    return is_plain and len(text.split()) >= _TELLING and not (_cues.HEDGED.search(text) or _open_cues.CLOSED.search(text))


def of_remark(text: str) -> Statement:
    """Returns what an agent states while it works. What is open changes until the work is done, so only what it filed counts."""
    stated = ((role, _sentence(sentences(text), is_stated)) for role, is_stated in _IN_REMARKS)
    return next((_statement(role, sentence) for role, sentence in stated if sentence), NOTHING)


def pieces(heading: str, text: str) -> list[str]:
    """Returns a passage of an answer in pieces of which each is done with by itself: what is open, an item or a sentence."""
    lines = text.split("\n")
    is_list = any(cue.search(heading) for cue in _heading_cues.LEFT) or (_are_reasoned(lines) and _is_stating(heading))
    runs_in = any((run_in := _heading_cues.RUN_IN.match(line)) and _is_stating(run_in[1]) for line in lines)
    if len(lines) > 1 and (is_list or runs_in) and "```" not in text and not _asks(text):
        return lines
    stated = [sentence for sentence in passages.sentences(text) if sentence.strip()]
    marks = [_is_left(joined(sentence)) for sentence in stated]
    if "```" in text or len(lines) > 1 or all(marks) or not any(marks):
        return [text]
    first, last = marks.index(True), len(marks) - marks[::-1].index(True)
    first -= first > 0 and _refers_back(joined(stated[first]))
    return [piece for piece in ("".join(stated[:first]), "".join(stated[first:last]), "".join(stated[last:])) if piece]


def _are_reasoned(items: list[str]) -> bool:
    """Tells whether each item of a list says something, and why, without the others."""
    return all(len(item.split()) > _BRIEF and (_cues.REASON.search(item) or _cues.EXPLAINS.search(item)) for item in items)


def _rule(text: str) -> str:
    """Returns the rule for agents that a text words; "" for none, or a list of what is kept to.

    Of a list one item. A short one says only together with the others of what it is: "Never access without permission".
    """
    items = text.split(";\n")  # as text/passages.py ends them
    lines = [line for item in items for line in sentences(item)]
    rules = [line for line in lines if _cues.RULE.search(line) and not _open_cues.CLOSED.search(line)]
    fewest = _BRIEF + 1 if len(items) > 1 else _SHORTEST
    return next((_clipped(line) for line in rules if fewest <= len(line.split()) <= _RULE), "")


def _with_reason(text: str, stated: str) -> str:
    """Returns what is stated with what stands between its sentences and, where it gives no reason, with the one that does."""
    lines = sentences(text)
    numbers = [number for number, line in enumerate(lines) if line in stated]
    if not numbers or not stated.startswith(lines[numbers[0]]):
        return stated
    first, last = numbers[0], numbers[-1]
    whole = " ".join(lines[first : last + 1])
    stated = whole if len(stated) < len(whole) <= LONGEST else stated
    before, after = lines[first - 1 : first][-1:] if first else [], lines[last + 1 : last + 2]
    if _cues.REASON.search(stated) or _cues.EXPLAINS.search(stated.removeprefix("Decision: ")):
        return stated
    longer = [f"{before[0]} {stated}"] if before and _cues.EXPLAINS.search(before[0]) else []
    longer += [f"{stated} {after[0]}"] if after else []
    return next((_clipped(text) for text in longer if len(text) <= LONGEST), stated)


def _listed(heading: str, text: str) -> str:
    """Returns what stands under a heading, and the heading where it says more than what sort of things these are."""
    lead = joined(heading.rpartition(": ")[2]).rstrip(":")
    item = _clipped(joined(text))
    is_telling = _WHOLE > len(lead.split()) >= _SHORTEST or _heading_cues.WHY.match(lead)
    return _clipped(f"{lead}: {item}") if is_telling else item


def is_open(heading: str, text: str) -> bool:
    """Tells whether a passage says what is left to do."""
    return is_listed_open(heading, text) or any(map(_is_open, sentences(text)))


def is_listed_open(heading: str, text: str) -> bool:
    """Tells whether a passage stands under a heading for what is left."""
    return bool(_heading_cues.OPEN.search(heading)) and not (
        _open_cues.NO_ITEM.search(text) or _cues.CODE.search(text) or _asks(text) or text.endswith("?")
    )


def _is_unfit(text: str) -> bool:
    return bool(_open_cues.CLOSED.search(text) or _cues.CODE.search(text))


def _is_under(heading: str, cue: Pattern[str]) -> bool:
    last = heading.rpartition(": ")[2]
    return len(last.split()) <= _BRIEF and bool(cue.search(last))


def _asks(text: str) -> bool:
    return text.count("?") >= _ASKING


def _is_open(sentence: str) -> bool:
    return bool(_open_cues.OPEN.search(sentence)) and not _open_cues.NO_WORK.search(sentence)


def _is_left(sentence: str) -> bool:
    return _is_open(sentence) or bool(_open_cues.FILED.search(sentence))


def _is_lesson(sentence: str) -> bool:
    fewest = _BRIEF if _cues.LABELLED.match(sentence) else _TELLING
    is_whole = len(sentence.split()) >= fewest and len(sentence) <= LONGEST and not sentence.endswith(":")
    is_settled = not (_cues.HEDGED.search(sentence) or _open_cues.CLOSED.search(sentence))
    return is_whole and is_settled and bool(_cues.LESSON.search(sentence))


def _agent_decides(sentence: str) -> bool:
    return not (sentence.endswith(":") or _cues.STEP.search(sentence)) and bool(
        _cues.DECIDED.search(sentence)
        or (_cues.DECISION.search(sentence) and _cues.REASON.search(sentence))
        or (_cues.CHOSEN.search(sentence) and _cues.PURPOSE.search(sentence) and not _cues.FAULT.search(sentence))
    )


Cues = tuple[tuple[str, Callable[[str], object]], ...]  # roles, the first that is stated counts


def _person_decides(sentence: str) -> object:
    if any(cue.search(sentence) for cue in (_cues.MOMENT, _cues.MOOD, _cues.STEP)):
        return None
    return _choice_cues.CHOICE.search(sentence) or choices.decides(sentence)


_BY_PERSONS: Cues = (
    (INSTRUCTION, standing.instruction),
    (PREFERENCE, standing.preference),
    (FACT, _cues.REMINDER.search),
    (DECISION, _person_decides),
    (INSTRUCTION, standing.reads_like_rule),
    (OPEN, lambda sentence: None if _open_cues.REMARK.search(sentence) else _open_cues.LATER.search(sentence)),
)
_IN_TASKS = tuple([(role, standing.stands_out if cue == standing.reads_like_rule else cue) for role, cue in _BY_PERSONS])


def _is_dropped(sentence: str) -> bool:
    is_whole = len(sentence.split()) > _SHORTEST and not _cues.ANNOUNCED.search(sentence)
    return is_whole and bool(_cues.DROPPED.search(sentence))


_BY_AGENTS: Cues = (
    (DROPPED, _cues.LEFT_OUT.search),
    (OPEN, _is_left),
    (COMMAND, working_commands.names),
    (DROPPED, _is_dropped),
    (DECISION, _agent_decides),
    (OPEN, _open_cues.LIMIT.search),
    (LESSON, _is_lesson),
)
_IN_REMARKS: Cues = (
    (OPEN, _open_cues.FILED.search),
    (DROPPED, lambda sentence: len(sentence.split()) >= _TELLING and _is_dropped(sentence)),
    (DECISION, _agent_decides),
    (LESSON, _is_lesson),
)


def account(text: str) -> str:
    """Returns the sentence that says that all of some work is complete, on which others may build, or ""."""
    lines = [line for line in sentences(text) if len(line.split()) >= _TELLING and len(line) <= _ACCOUNT]
    whole = next((line for line in lines if _open_cues.WHOLE_DONE.search(line) and not _open_cues.OPEN.search(line)), "")
    return quotations.elided(_clipped(whole))


def is_done(text: str) -> bool:
    """Tells whether a text says that nothing is left of what was to be done."""
    return any(_open_cues.CLOSED.search(line) or _open_cues.WHOLE_DONE.search(line) for line in sentences(text))


def _sentence(
    lines: list[str],
    is_stated: Callable[[str], object],
    shorten: Callable[[str, object], str] = lambda line, _: line,
    leads_back: Callable[[str], bool] | None = None,
) -> str:
    """Returns the sentences that state something, with what the first one refers back to, or ""."""
    leads_back = leads_back or _refers_back
    before, stated = "", ""
    for line in lines:
        is_question = line.endswith("?") and not _cues.TAG.search(line)
        is_whole = len(line.split()) >= _SHORTEST or line[-2:-1].isdecimal() or bool(terse(line))
        is_sentence = is_whole and not is_question and not _cues.CODE.search(line)
        if is_sentence and (cue := is_stated(line)):
            refers_back = before and not stated and leads_back(line) and not quotations.quotes_more(before)
            refers_back = refers_back and not (_cues.FINISHED.match(before) and not _cues.LEADS.match(line))
            whole = shorten(line, cue)
            stated = f"{stated or (_clipped(before, LONGEST - len(whole) - 1) if refers_back else '')} {whole}".strip()
        before = line
    return _clipped(stated)


def _refers_back(sentence: str) -> bool:
    """Tells whether a sentence is not understood without the one before it."""
    is_short = len(sentence.split()) < _WHOLE and not _open_cues.REMAINS.search(sentence)
    return bool(_cues.LEADS.match(sentence)) or is_short


def sentences(text: str) -> list[str]:
    """Returns the sentences of a text that are no quotation, each on one line; an item of a list is one by itself."""
    return list(_sentences(text))


@lru_cache(_KEPT)
def _sentences(text: str) -> tuple[str, ...]:
    stated = [sentence for item in _cues.ITEM.split(quotations.own(text)) for sentence in passages.sentences(item)]
    return tuple(
        [joined(sentence)[:_LOOKED_AT] for sentence in stated if sentence.strip() and not quotations.is_quoted(sentence)]
    )


def sentence_of(text: str, other: str) -> str:
    """Returns the sentence of another text that equals this text word for word, as it is written there, or ""."""
    words = _folded(text)
    return next((_clipped(line) for line in sentences(other) if words and _folded(line) == words), "")


def _folded(text: str) -> str:
    return " ".join(_clipped(text).lower().split()).rstrip(".!")


def _clipped(text: str, longest: int = LONGEST) -> str:
    text = text.lstrip("-*• ").strip()
    text = text if _cues.NUMBERED.search(text, 3) else _cues.NUMBER.sub("", text)
    text = text.replace("**", "") if text.count("**") % 2 else text  # one of a pair is markup of nothing
    if len(text) <= longest:
        return text
    cut = text[: max(0, longest - 1)]
    return (cut.rpartition(" ")[0] or cut).rstrip(" ,;:") + "…"
