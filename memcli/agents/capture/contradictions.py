"""What a person says against an earlier wish, decision or proposal: it replaces exactly that."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memcli.agents.capture import superseded_choices
from memcli.memory.passages import CLAUSE
from memcli.store import passages
from memcli.text import alternatives, clauses, statements

if TYPE_CHECKING:
    from memcli.agents.capture.undone import Overtaken
    from memcli.agents.capture.weights import Stems, Weights
    from memcli.store.passages import Passage
    from memcli.store.sessions import Prompt

REPLACED = "replaced"
_WANTED = (statements.INSTRUCTION, statements.PREFERENCE)
_CHOOSES = (statements.DECISION, *_WANTED)
_SHARED = 2  # words, or more, that say it is about the same
_REPLACED = 0.5  # share of the weight of the words of one of two instructions, from which on they are about the same
_MOST = 0.7  # share of the words of a wish that one which lifts it has
_MODAL = (  # what says that something is wanted, forbidden or free, and since when
    "never always may can could must should shall will would avoid stop prefer like want need longer fine okay good allowed free "
    "welcome permitted please from now future instead rather again anymore actually without dont doesnt not only just also today "
    "ab jetzt nun immer nie niemals nicht mehr bitte künftig du wir darfst kannst brauchst musst sollst wieder nach auf mit "
    "zu vor der die das dem den und oder ohne toujours jamais désormais maintenant tu peux plus besoin sur dans avec le la "
    "les des ne pas sans siempre nunca ahora puedes partir ya en con el los las sin hace falta por favor"
)
_VERBS = (  # and what else is said of any value, which no rule is about
    "use take put keep write indent format run install go goes switch back mind change have has most least long wide let make "
    "nimm nutze nutzen verwende verwenden schreib schreibe setze mach höchstens mindestens doch lieber utilise usa statt instead"
)
_ENDING = re.compile(r"(?<=\w{4})(?:en|er|ez|es|ar|ir|e|n)$")  # of a verb in the languages that are read beside English
_PROPOSES = re.compile(
    r"\b(recommend\w*|suggest\w*|propos\w+|i'd|i would|would (go|prefer|pick|choose|take)|my (pick|preference|choice|vote)|"
    r"leaning)\b",
    re.I,
)
_REFUSES = re.compile(
    r"^\W*(no|nope|nah|rather not|not that|please don't|don't|i disagree|nein|nee|lieber nicht|non|mejor no)\b"
    r"(?! (problem|worries|need|problema)\b)",
    re.I,
)
_RETURNS = re.compile(r"\bagain\b|\bback to\b", re.I)  # a choice that takes up what was before stands, as a wish does
_TRIED = re.compile(r"\b(tried|attempted)\b", re.I)
_OPTION = re.compile(
    r"\b(?:option|variant|approach|plan|number|way|solution) (\d|[a-d]\b|one|two|three)|\b(first|second|third)\b", re.I
)
_NUMBERS = {"first": "1", "one": "1", "second": "2", "two": "2", "third": "3", "three": "3"}


def note(
    prompt: Prompt, own: list[Passage], earlier: list[Passage], overtaken: Overtaken, stems: Stems, weights: Weights
) -> None:
    """Notes what a prompt replaces of the `earlier` passages. `own`: the passages of its turn."""
    typed = [passage for passage in own if passage.thread == passages.PROMPT]
    valid = [it for it in earlier if not overtaken.get(it.id, (it.superseded_by, ""))[0]]
    superseded = superseded_choices.by_turn(own, valid, stems)
    standing = [it for it in valid if it.role in _CHOOSES]
    for new in [passage for passage in own if passage.role in _CHOOSES]:
        rejected = [stems(text) for text in clauses.rejected(new.statement)] if new in typed else []
        for old in [it for it in standing if it.created_at < new.created_at]:
            if old.role in _WANTED and (new.role in _WANTED or (new in typed and _RETURNS.search(new.statement))):
                _replace(new, old, overtaken, stems, weights)
            elif old.role == statements.DECISION and rejected and _overrules(rejected, old, stems, weights):
                overtaken.setdefault(old.id, (new.id, REPLACED))
    overtaken.update({old: (successor, REPLACED) for old, successor in superseded.items() if not overtaken.get(old, ("",))[0]})
    previous = [it for it in valid if it.session == prompt.session and it.prompt == prompt.number - 1]
    proposals = [it for it in previous if it.thread in passages.OF_AGENT and _PROPOSES.search(it.statement)]
    if refusal := _refusal(prompt, own, proposals, stems):
        overtaken.update({it.id: (refusal, REPLACED) for it in proposals})


def _replace(new: Passage, old: Passage, overtaken: Overtaken, stems: Stems, weights: Weights) -> None:
    """Notes what a newer instruction replaces of another: one clause if the others are about something else, or all of it."""
    wishes = clauses.split(old.statement)
    contrary = [wish for wish in wishes if any(_is_contrary(it, wish, stems, weights) for it in clauses.split(new.statement))]
    unrelated = [wish for wish in wishes if wish not in contrary and len(_subject(wish, stems)) >= _SHARED]
    if contrary and unrelated:
        overtaken.update({f"{old.id}{CLAUSE}{clauses.mark(wish)}": (new.id, REPLACED) for wish in contrary})
    elif contrary or _is_contrary(new.statement, old.statement, stems, weights):
        overtaken.setdefault(old.id, (new.id, REPLACED))


def _is_contrary(new: str, old: str, stems: Stems, weights: Weights) -> bool:
    """Tells whether two wishes about the same subject contradict each other, or one lifts the other."""
    if _has_other_value(new, old, stems):
        return True
    words, before = _subject(new, stems), _subject(old, stems)
    shared = stems(new) & stems(old) - _modal(stems)
    if not words & before or not alternatives.replaces(new, old):
        return False
    is_whole = words == before
    if alternatives.lifts(new):
        most = len(words & before) >= _MOST * min(len(words), len(before))
        is_whole = is_whole or words <= before or before <= words or (bool(shared) and most)
    least = _REPLACED * min(weights.of(stems(new) - _modal(stems)), weights.of(stems(old) - _modal(stems)))
    return is_whole or (len(shared) >= _SHARED and weights.of(shared) >= least)


def _has_other_value(new: str, old: str, stems: Stems) -> bool:
    """Tells whether a wish sets another value for the subject of an earlier one, and is not an exception to it."""
    values, rest = alternatives.read(clauses.chosen(new))
    old_values, before = alternatives.read(clauses.chosen(old))
    if alternatives.forbids(before) or not alternatives.exclude(values, old_values):
        return False
    verbs = _subject(_VERBS, stems)
    words, subject = _subject(rest, stems) - verbs, _subject(before, stems) - verbs
    return words <= subject and (len(words) >= len(subject) or not alternatives.are_counts(values, old_values))


def _subject(text: str, stems: Stems) -> frozenset[str]:
    """Returns the words of a wish's subject, including everyday ones: `push`, `run`, `commit`."""
    return frozenset([_ENDING.sub("", word) for word in stems.whole(text) - _modal(stems)])


def _modal(stems: Stems) -> frozenset[str]:
    return stems.whole(_MODAL)


def _overrules(rejected: list[frozenset[str]], old: Passage, stems: Stems, weights: Weights) -> bool:
    """Tells whether what a person's word rejects, each as its stems, was decided."""
    decided = stems(clauses.chosen(old.statement)) - stems(" ".join(clauses.rejected(old.statement)))
    return any(words and words <= decided and (len(words) >= _SHARED or weights.rare_of(words)) for words in rejected)


def _refusal(prompt: Prompt, own: list[Passage], proposals: list[Passage], stems: Stems) -> str:
    """Returns the id of the passage by which a person refuses what was just proposed, or ""."""
    if not proposals:
        return ""
    choices = [it for it in own if it.role in _CHOOSES and it.thread == passages.PROMPT]
    proposal = " ".join([it.statement for it in proposals])
    text = " ".join([it.text for it in choices])  # a statement may name the option in words of its own
    picked, offered = _options(text), _options(proposal)
    if picked and offered:
        return choices[0].id if not picked & offered else ""
    if _REFUSES.match(prompt.text):
        return (choices or own)[0].id
    is_other = bool(choices) and not stems(text) & stems(proposal)
    return choices[0].id if is_other and choices[0].role == statements.DECISION else ""


def _options(text: str) -> set[str]:
    """Returns the numbers of the options that a text names."""
    names = [(name or order).lower() for name, order in _OPTION.findall(text)]
    return {_NUMBERS.get(name, name) for name in names}


def dropped_choices(own: list[Passage], answers: list[Passage], overtaken: Overtaken, stems: Stems) -> None:
    """Notes the choices of a prompt that were tried and dropped according to its answer.

    If the prompt goes back to something, something else was dropped for it.
    """
    for choice in [passage for passage in own if passage.role == statements.DECISION and passage.thread == passages.PROMPT]:
        for answer in [answer for answer in answers if answer.role == statements.DROPPED]:
            is_for_it = bool(_RETURNS.search(choice.statement)) and not _TRIED.search(answer.text)
            if not is_for_it and stems(clauses.chosen(choice.statement)) & stems(answer.statement):
                overtaken.setdefault(choice.id, (answer.id, "reverted"))
