"""What a person wants from now on: a rule for all later work, rather than a request for the work at hand.

The sentence as a whole has to read so, whatever its words: complaints, tasks and facts have the words of rules, too. This is
judged by a logistic regression over its words, pairs of neighbours and a few signs, one of which is a cue: words that rules
have. `standing.txt` has the weights, in hundredths of the natural logarithm of the odds, sorted by feature;
scripts/train_standing.py makes it from scripts/standing/train.tsv and says how it does on sentences that it has not seen.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path
from re import Match
from typing import TYPE_CHECKING

from memcli.text import _cues
from memcli.text import _cues_other_languages as _languages
from memcli.text._terse_cues import terse

if TYPE_CHECKING:
    from collections.abc import Sequence

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+|[?!;:,.()]")
_NAME = re.compile(r"`[^`]*`|\"[^\"\n]*\"|\S*[\w)][./_(=\\][\w(*]\S*|\b\w+[a-z][A-Z]\w*|\S*@\S+|--?[a-z][\w-]*|#\d+")
_RULE_ODDS = 1.0  # logarithm of the odds from which on a sentence without a cue reads like a rule
_STRAY_ODDS = 3.0  # ... where most of what it stands among does not: of what is asked for, little is wanted from now on
_CUED_ODDS = 0.0  # ... and from which on a sentence with a cue does
_EXPLICIT_ODDS = -3.0  # ... and one that says outright that it holds from now on
_BRIEF = 2  # sentences of a text that need not tell of the work at hand
_LOOKED_AT = 40  # sentences of a text
_KEPT = 256  # sentences whose cues and odds are kept: each is looked at for several roles
_RULE_WORDS = 25  # at most: the weights of a long sentence add up to anything
_RULE_LENGTH = 240  # characters, at most
_TELLS = re.compile(  # what rules do not: they tell of what happened, agree, show code or ask for a plan
    r"\b(i|we|you) (\w+ed|was|were|did|had|saw|got|ran|went|wrote|made)\b|^\W*(yes|yep|no|ok|okay|if so|let'?s (start|go|see|"
    r"look)|why|explain|review|careful)\b|\bi('d| would) like you to\b|\byou need to\b|=|\w\(",
    re.I,
)
_AT_HAND = frozenset("this that these those it its them they there here now again yet today still just him her he she".split())
_LENGTHS = (3, 6, 10, 15, 22)  # words up to which a sentence is one of so many lengths
_FIRST = 3  # words of the beginning of a sentence, by which its place counts


def instruction(sentence: str) -> Match[str] | None:
    """Returns the words that make a sentence an order for all later work, if there are any and all of it reads so."""
    return terse(sentence) or _if_lasting(sentence, ordering(sentence), _languages.INSTRUCTION)


def preference(sentence: str) -> Match[str] | None:
    """Returns the words that say what a person likes or not, if there are any and all of it reads like a rule."""
    return _if_lasting(sentence, liking(sentence), _languages.PREFERENCE)


def is_wanted(sentence: str) -> Match[str] | bool | None:
    """Tells by which words, or that, a sentence says what is wanted from now on."""
    return instruction(sentence) or preference(sentence) or reads_like_rule(sentence)


def reads_like_rule(sentence: str, least: float = _RULE_ODDS) -> bool:
    """Tells whether a sentence as a whole reads like a rule, whatever its words."""
    if len(sentence) > _RULE_LENGTH or len(sentence.split()) > _RULE_WORDS or sentence.count(";") > 1:
        return False  # the last is a list
    if any(cue.search(sentence) for cue in (_TELLS, _cues.ONCE, _cues.AT_WORK, _cues.JUST_NOW, _cues.MOOD)):
        return False
    return log_odds(sentence) >= least


def stands_out(sentence: str) -> Match[str] | bool | None:
    """Tells by which words, or that, a sentence says what is wanted from now on among others about the work at hand."""
    return instruction(sentence) or preference(sentence) or reads_like_rule(sentence, _STRAY_ODDS)


def tells_of_work(sentences: Sequence[str]) -> bool:
    """Tells whether most sentences of a text are about the work at hand. A text of one or two need not be."""
    looked_at = sentences[:_LOOKED_AT]
    return len(looked_at) > _BRIEF and 2 * sum([bool(is_wanted(sentence)) for sentence in looked_at]) < len(looked_at)


@lru_cache(_KEPT)
def ordering(sentence: str) -> Match[str] | None:
    """Returns the words of a sentence that orders for all later work have, if there are any."""
    is_once = _cues.ONCE.search(sentence) and not _cues.LASTING.search(sentence)
    return None if is_once else _cues.INSTRUCTION.search(sentence)


@lru_cache(_KEPT)
def liking(sentence: str) -> Match[str] | None:
    """Returns the words of a sentence that say what a person likes or not, rather than how the moment feels."""
    return None if _cues.JUST_NOW.search(sentence) or _cues.MOOD.search(sentence) else _cues.PREFERENCE.search(sentence)


def _if_lasting(sentence: str, cue: Match[str] | None, foreign: tuple[str, ...]) -> Match[str] | None:
    """Returns a cue unless its clause reads like an order for the work at hand. `foreign`: cues of other languages."""
    if cue is None or _cues.AT_WORK.search(sentence):
        return None
    if any(re.search(pattern, sentence, re.I) for pattern in foreign):
        return cue  # the weights are those of English words
    clause = _clause(sentence, cue)
    return cue if log_odds(clause) >= (_EXPLICIT_ODDS if _cues.EXPLICIT.search(clause) else _CUED_ODDS) else None


def _clause(sentence: str, cue: Match[str]) -> str:
    """Returns a sentence, of a long one so many words from the clause on in which a cue stands."""
    if len(sentence.split()) <= _RULE_WORDS:
        return sentence
    start = max([clause.end() for clause in _cues.CLAUSE.finditer(sentence, 0, cue.start() + 1)], default=0)
    return " ".join(sentence[start:].split()[:_RULE_WORDS])


def features(sentence: str) -> set[str]:
    """Returns what counts of a sentence: words, pairs of neighbours, and signs, which begin with `<`."""
    text = _NAME.sub(" name ", sentence.strip().replace("’", "'")).lower()
    words = ["0" if word.isdecimal() else word for word in _WORD.findall(text)]
    while words and words[-1] in ".!":
        words.pop()
    plain = [word for word in words if word[0].isalpha() or word == "0"]
    pairs = {f"{first} {second}" for first, second in zip(words, words[1:])}
    begins = {f"<{number} {word}" for number, word in enumerate(plain[:_FIRST], 1)}
    begins |= {f"<1 {' '.join(plain[:2])}"} if len(plain) > 1 else set()
    signs = {f"<length {sum(len(plain) > most for most in _LENGTHS)}"}
    signs |= {"<definite"} if "the" in plain else {"<no definite"}
    signs |= {"<at hand"} if not _AT_HAND.isdisjoint(plain) else {"<not at hand"}
    signs |= {"<plural first"} if plain and plain[0].endswith("s") and not plain[0].endswith(("ss", "us", "is")) else set()
    signs |= {f"<end {plain[-1]}"} if plain else set()
    signs |= {"<order"} if ordering(sentence) else set()
    signs |= {"<liking"} if liking(sentence) else set()
    return {*words, *pairs, *begins, *signs}


@lru_cache(_KEPT)
def log_odds(sentence: str) -> float:
    """Returns the natural logarithm of the odds that a sentence is a rule."""
    weights = _weights()
    return sum([weights.get(feature, 0) for feature in ("<all", *features(sentence))]) / 100


@cache
def _weights() -> dict[str, int]:
    # By the place of this file: the package has no resources where an installed command takes its modules from one.
    lines = Path(__file__).with_name("standing.txt").read_text("utf-8").splitlines()
    return {feature: int(weight) for feature, _, weight in [line.rpartition("\t") for line in lines]}
