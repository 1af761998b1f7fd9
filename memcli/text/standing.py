"""What a person wants from now on: a rule for all later work, rather than a request for the work at hand.

Words say so, or the sentence as a whole reads so: a logistic regression over its words, pairs of neighbours and a few signs of
its shape. `standing.txt` has the weights, in hundredths of the natural logarithm of the odds, sorted by feature;
scripts/train_standing.py makes it from scripts/standing/train.tsv and says how it does on sentences that it has not seen.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from re import Match

from memcli.text import _cues
from memcli.text._terse_cues import terse

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+|[?!;:,.()]")
_NAME = re.compile(r"`[^`]*`|\S*[\w)][./_(=\\][\w(*]\S*|\b\w+[a-z][A-Z]\w*|\S*@\S+|--?[a-z][\w-]*|#\d+")
_RULE_ODDS = 2.0  # logarithm of the odds from which on a sentence reads like a rule: 1 in 150 of others does
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
    """Returns the words that make a sentence an order for all later work, if there are any."""
    is_once = _cues.ONCE.search(sentence) and not _cues.LASTING.search(sentence)
    return None if is_once else _cues.INSTRUCTION.search(sentence) or terse(sentence)


def preference(sentence: str) -> Match[str] | None:
    """Returns the words that say what a person likes or not, rather than how the moment feels."""
    return None if _cues.JUST_NOW.search(sentence) or _cues.MOOD.search(sentence) else _cues.PREFERENCE.search(sentence)


def is_wanted(sentence: str) -> Match[str] | bool | None:
    """Tells by which words, or that, a sentence says what is wanted from now on."""
    return instruction(sentence) or preference(sentence) or reads_like_rule(sentence)


def reads_like_rule(sentence: str) -> bool:
    """Tells whether a sentence as a whole reads like a rule, whatever its words."""
    if len(sentence) > _RULE_LENGTH or len(sentence.split()) > _RULE_WORDS:
        return False
    if any(cue.search(sentence) for cue in (_TELLS, _cues.ONCE, _cues.JUST_NOW, _cues.MOOD)):
        return False
    return log_odds(sentence) >= _RULE_ODDS


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
    return {*words, *pairs, *begins, *signs}


def log_odds(sentence: str) -> float:
    """Returns the natural logarithm of the odds that a sentence is a rule."""
    weights = _weights()
    return sum([weights.get(feature, 0) for feature in ("<all", *features(sentence))]) / 100


@cache
def _weights() -> dict[str, int]:
    # By the place of this file: the package has no resources where an installed command takes its modules from one.
    lines = Path(__file__).with_name("standing.txt").read_text("utf-8").splitlines()
    return {feature: int(weight) for feature, _, weight in [line.rpartition("\t") for line in lines]}
