"""What a conversation states for later sessions: what is open, asked for good, decided, dropped, and which command works.

Read sentence by sentence, by the words that people and agents use for it in English; what none of them is in states nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from memcli.records import Record
from memcli.text import passages
from memcli.text.terminal import oneline

OPEN, INSTRUCTION, DECISION, DROPPED, COMMAND = ROLES = ("open", "instruction", "decision", "dropped", "command")
LONGEST = 240  # characters of a statement
_SHORTEST = 4  # words
_FEW = 4  # sentences that say more than what comes next
_LOOKED_AT = 1_000  # characters of a sentence
_WHOLE = 9  # words of a sentence that says what it is about

_LEADS = re.compile(r"^(so|that|this|it|they|these|those|therefore|instead|then|which|and|but)\b", re.I)
_INSTRUCTION = re.compile(
    r"\bfrom now on\b|\bin (the )?future\b|\b(remember|remind you|make sure) to always\b|\b(do not|don't|dont) ever\b|"
    r"\bevery time you\b|"
    r"(^|\b(and|or|to|please|but|you|we|so|also|must|should)\s+|[,:;–-]\s*)(always|never)\s+(?!mind\b)(?!\w*ed\b)(?!\w*[^s]s\b)\w+|"
    r"^(please )?(do not|don't|dont|never) \w+ .*\b(without|unless|until|before)\b",
    re.I,
)
_OPEN_HEADING = re.compile(
    r"\b(still to do|to ?dos?(?!\.)|next steps?|remaining (tasks?|steps?|work|issues?|items?|points?)|"
    r"(next|main|top|priority|current|known) (\w+ )?(tasks?|issues?|problems?|priorit(y|ies)|gaps?)|priorities|"
    r"open (points?|questions?|issues?)|left to do|what('s| is) left|follow[- ]?ups?|outstanding|blocked|blockers?|pending)\b",
    re.I,
)
_OPEN = re.compile(
    r"\b(the next task|still to do|to-?do:|left to do|left open|remaining (tasks?|steps?|work|issues?|items?)|"
    r"remains? (to be|open|uncommitted)|next steps?( is| are|:| would| appears)|not yet|"
    r"still (missing|open|to be|fails?|failing|broken|lacks?)|"
    r"open (points?|questions?):?|(is|are|stays?|remains?|left|leave it) uncommitted|"
    r"not (yet )?(been )?(committed|pushed|merged|tested)|(only|still) half\b|"
    r"blocked (on|by)|waiting for|unresolved|please (push|merge|decide)|unchecked|"
    r"(on|next) (monday|tuesday|wednesday|thursday|friday|week)\b|tomorrow:)",
    re.I,
)
_ANNOUNCES = re.compile(
    r"^\W*((good|great|perfect|excellent|ok(ay)?|now|first|next|then|all right)\b[,.! ]*)*"
    r"(let me|let'?s|let us|i'?ll|i will|i need to|i'?m going to|"
    r"(?<=now )(commit|run|wire|add|update|create|write|fix|check|verify|implement|test|push|stage|rename|remove|move))",
    re.I,
)
_AGREES = re.compile(
    r"^\W*((oh|ah|ok|okay|yes|no|well)\b[, ]*)?(you'?re (\w+ )?right( [\w ']{0,30})?|you have an? \w+ point|i see( \w+){0,3}|"
    r"(good|great|excellent|fair) (catch|points?|questions?|idea|news)|excellent|perfect|great|good|done|got it|understood|"
    r"exactly|absolutely|sure|of course|committed)\W*$",
    re.I,
)
_REASONED = re.compile(r"\b(because|since|so that|fails?|failed|error|issue|problem|but|instead|turns out)\b", re.I)
_REVIEW = re.compile(r"^.{0,60}\b(review|audit|critique)\b", re.I)
_OBJECTION = re.compile(r"\b(should|lacks?|missing|deserves?|must|needs?|still|only|hard-?cod(es|ed)|never|no|not)\b", re.I)
_CLOSED = re.compile(
    r"\b(nothing (is )?(left|remains|open|to do)|no (remaining|open|further|outstanding|unresolved)|(all|everything|both) .{0,40}"
    r"\b(done|complete|completed|finished|implemented|pass|passes|passed|resolved|closed|committed)|was missing|were missing)\b",
    re.I,
)
_DECISION = re.compile(
    r"\b(decid(e|ed|ing)|decision|chose|chosen|choose|went with|go(ing)? with|opt(ed)? for|prefer(red)?|"
    r"recommend(ation|ed)?|(leav|keep)(e|ing|s) (it|them|this|that)|stick(ing)? with)\b",
    re.I,
)
_REASON = re.compile(r"\b(because|since|so that|otherwise|to avoid|the reason|in order to)\b", re.I)
_DECIDED = re.compile(
    r"\b(decided (to|on|against)|decision:|(we|i) chose|chose to|opted (for|to)|settled on|agreed (to|on))\b", re.I
)
_CHOICE = re.compile(
    r"\blet'?s (go with|use|keep|not|drop|skip|stick with|leave)\b|"
    r"^(ok,? |yes,? |no,? )?(go with|stick with|keep|use|drop|skip) |"
    r"\bi('d| would)? prefer\b|\b(i|we) decided\b|^(so )?we('ll| will) (use|keep|go with)\b",
    re.I,
)
_DROPPED = re.compile(
    r"\b(reverted|rolled back|took (it|them|this|that) (out|back)|put (it|them) back|gave up|abandoned|backed (it )?out|"
    r"undid|dead end|(did|does|do)(n't| not) (work|help)|could(n't| not) reproduce|saves? nothing|"
    r"no (gain|improvement|effect))\b|"
    r"\btried\b.{0,200}\b(but|failed|however|instead)\b",
    re.I,
)
_COMMAND = re.compile(
    r"\b(that works|working command|the command|run (it|them|this|the \w+)|to run|start (it|them) with)\b.*:$", re.I
)


class Statement(Record):
    """What a passage states: its role, one of ROLES, and the sentences that say it, on one line of at most LONGEST characters."""

    role: str
    text: str


NOTHING = Statement("", "")


def of_person(text: str) -> Statement:
    """Returns what a person states: what is to be done from now on, or what was chosen."""
    for role, cue in ((INSTRUCTION, _INSTRUCTION), (DECISION, _CHOICE)):
        if sentence := _sentence(text, cue.search):
            return Statement(role, sentence)
    return NOTHING


def of_agent(heading: str, text: str, asked: str) -> Statement:
    """Returns what an agent's answer states. `heading`: what the passage stands under; `asked`: the beginning of the prompt."""
    if _is_under_open(heading, text):
        return Statement(OPEN, _clipped(oneline(text)))
    if _REVIEW.search(asked) and text[:1].isdecimal() and _OBJECTION.search(text):
        return Statement(OPEN, _clipped(oneline(text)))
    if command := _command(heading, text):
        return Statement(COMMAND, command)
    for role, is_stated in _BY_AGENTS:
        if sentence := _sentence(text, is_stated):
            return Statement(role, sentence)
    return NOTHING


def is_open(heading: str, text: str) -> bool:
    """Tells whether a passage says what is left to do."""
    return _is_under_open(heading, text) or any(_is_open(sentence) for sentence in sentences(text))


def _is_under_open(heading: str, text: str) -> bool:
    return bool(_OPEN_HEADING.search(heading)) and not _CLOSED.search(text)


def _command(heading: str, text: str) -> str:
    """Returns the sentence that introduces a command in a block of code, and the command; "" where there is none."""
    before, _, code = text.partition("```")
    stated = [oneline(sentence) for sentence in passages.sentences(before) if sentence.strip()]
    sentence = stated[-1] if stated else f"{heading.rpartition(': ')[2]}:"
    lines = [line.strip() for line in code.partition("```")[0].split("\n")[1:] if line.strip()]
    return _clipped(f"{sentence} `{lines[0]}`") if len(lines) == 1 and _COMMAND.search(sentence) else ""


def _is_open(sentence: str) -> bool:
    return bool(_OPEN.search(sentence)) and not _CLOSED.search(sentence)


def _is_decision(sentence: str) -> bool:
    return bool(_DECIDED.search(sentence) or (_DECISION.search(sentence) and _REASON.search(sentence)))


_BY_AGENTS = ((OPEN, _is_open), (DROPPED, _DROPPED.search), (DECISION, _is_decision))


def announces(text: str) -> bool:
    """Tells whether a text only says what its writer does next, or agrees: nothing that a later session needs to know."""
    lines = sentences(text)[:_FEW]
    if not lines or len(lines) == _FEW or _REASONED.search(text):
        return False
    return all(_ANNOUNCES.match(line) or _AGREES.match(line) for line in lines)


def _sentence(text: str, is_stated: Callable[[str], object]) -> str:
    """Returns the sentences that state something, with what the first refers back to; "" for none."""
    before, stated = "", ""
    for line in sentences(text):
        if len(line.split()) >= _SHORTEST and not line.endswith("?") and is_stated(line):
            refers_back = before and not stated and (_LEADS.match(line) or len(line.split()) < _WHOLE)
            stated = f"{stated or (_clipped(before, LONGEST - len(line) - 1) if refers_back else '')} {line}".strip()
        before = line
    return _clipped(stated)


def sentences(text: str) -> list[str]:
    """Returns the sentences of a text, each on one line, without its code."""
    return [oneline(sentence)[:_LOOKED_AT] for sentence in passages.sentences(_without_code(text))]


def _without_code(text: str) -> str:
    head, *rest = text.split("```")
    return "".join([head, *rest[1::2]])


def _clipped(text: str, longest: int = LONGEST) -> str:
    text = text.lstrip("-*• ").strip()
    if len(text) <= longest:
        return text
    cut = text[: max(0, longest - 1)]
    return (cut.rpartition(" ")[0] or cut).rstrip(" ,;:") + "…"
