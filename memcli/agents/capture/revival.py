"""Whether something tried and dropped works after all: a later turn says so about that very thing, or its commit uses it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memcli.recall.near import near
from memcli.text import statements
from memcli.text.analysis import has_inner_capital
from memcli.text.clauses import rejected

if TYPE_CHECKING:
    from memcli.agents.capture.closing import WorkedTurn
    from memcli.agents.capture.weights import Stems, Weights
    from memcli.store.passages import Passage

_SHARED = 2  # rare words, or more, that say it is about the same
_ABOUT = 0.2  # share of the weight of its words that the later turn has at least
_NEAR_VERB = 4  # words before a verb among which its subject stands
_NOW = (
    r"(?:now|again|this time|at last|finally|by now|these days|since|after all|meanwhile|jetzt|nun|inzwischen|"
    r"mittlerweile|endlich|"
    r"wieder|doch|maintenant|désormais|enfin|finalement|ahora|ya|por fin|finalmente)"
)
_WORKING = (
    r"(?:works?|worked|working|runs?|pass(?:es)?|succeeds?|succeeded|holds?|behaves?|starts?|loads?|builds?|compiles?|"
    r"funktionier(?:t|en)|klapp(?:t|en)|läuft|laufen|geht|gehen|hält|march(?:e|ent)|fonctionn(?:e|ent)|pass(?:e|ent)|"
    r"funcionan?|sirven?|pasan?)"
)
_WELL = (
    r"(?:(?:fine|well|just fine|reliably|too|properly|correctly|great|perfectly|gut|stabil|bien|sans problème|sin problemas) )?"
)
_WORKS = re.compile(
    rf"\b{_WORKING} {_WELL}{_NOW}\b|\b{_NOW},? (?:[\w`.-]+ ){{0,2}}?{_WORKING}\b|"
    rf"\b(?:does|do|did) work\b|, (?:which|and (?:it|that)|was|was auch|ce qui|lo que|que) {_WORKING}\b|"
    r"\b(?:no longer|not|never|nicht|kein\w*|plus|ya no) (?:\w+ )?(?:fails?|hangs?|crash(?:es)?|breaks?|leaks?|"
    r"times? out|blocks?|"
    r"slow|worse|a problem|scheitert|hängt|abst\w+|falla)\b(?: any ?more| mehr)?|"
    r"\b(?:second attempt|brought back|back in|re-?(?:introduced|applied|enabled|added))\b|"
    rf"\bit works: |\b(?:is|are|ist|sind|est|es|está) {_NOW} (?:fast|small|stable|cheap|good|schnell|stabil|rapide|rápido) ?"
    r"(?:enough|genug)?\b",
    re.I,
)
_FAILING = re.compile(
    rf"\b(?:not|n't|never|still fails?|nicht|kein\w*|pas|no|nie|jamais|nunca|neither|hardly|whether|if|"
    rf"ob)\b[^,;:]{{0,20}}\b{_WORKING}\b|"
    r"\bstill (?:fails?|hangs?|crash\w*|breaks?|not)\b|\b(?:should|would|could|might|may|must|sollte|würde|"
    r"könnte) (?:\w+ )?work\b",
    re.I,
)
_IN_USE = re.compile(  # what stands before the thing that is used
    r"\b(?:uses?|using|used|with|via|through|by means of|over to|switch(?:ed|es)? to|moved? to|went (?:back )?to|"
    r"with the help of|"
    r"mit|per|über|durch|nutz(?:t|en)|verwende(?:t|n)|avec|utilis(?:e|ent|ons)|con|mediante|usa|usan)\s+"
    r"((?:[^\s,;:]+\s+){0,3}?[^\s,;:]+)",
    re.I,
)
_ADOPTS = re.compile(
    r"^\W*(?:\w+(?:\([^)]*\))?!?: )?(?:use|adopt|enable|bring back|re-?introduce|switch to|move to|go back to)\b", re.I
)
_AT_NOW = re.compile(rf"\b{_NOW}\b", re.I)
_NEGATED = re.compile(
    r"\b(?:not|n't|never|no|without|instead of|rather than|nicht|kein\w*|ohne|statt|pas|sans|sin|neither|mentions?|"
    r"document\w*|explain\w*|"
    r"describ\w*|lists?)\b",
    re.I,
)
_CLAUSE = re.compile(
    r"[;:]\s+|,\s+(?:but|and|since|because|as|so|aber|weil|da|denn|mais|car|pero|porque)\s+|\s+(?:because|since|weil|parce)\s+",
    re.I,
)
_TRIED = re.compile(
    r"\b(?:tried|tested|used|attempt(?:ed)?(?: with| at| used)?|experimented with|prototyped|started (?:out )?with|"
    r"with|implemented|"
    r"built|wrote|made|had|versucht|probiert|ausprobiert|mit|essayé|tenté|avec|utilisé|probé|intenté|probado|intentado|con)\s+",
    re.I,
)
_WORD = re.compile(r"`[^`]+`|[\w.-]*\w")


def working(turn: WorkedTurn, dropped: Passage, words: frozenset[str], weights: Weights, stems: Stems) -> str:
    """Returns the id of the passage of a turn that says that something dropped works again, or "".

    `words`: the stems of what was dropped.
    """
    attempt = _attempt(dropped.statement or dropped.text, weights, stems)
    shared = stems(turn.prompt.text).union(*[stems(it.text) for it in turn.answers], *[stems(it) for it in turn.subjects]) & words
    is_same = len(weights.rare_of(shared)) >= _SHARED and weights.of(shared) >= _ABOUT * weights.of(words)
    if not is_same and not (attempt and is_name(attempt) and stems(attempt) <= shared):
        return ""
    for answer in [it for it in turn.answers if it.role != statements.DROPPED]:
        for line in statements.sentences(answer.text):
            if _is_working(line, attempt, words, weights, stems) or _is_in_use(line, attempt, stems):
                return answer.id
    is_adopted = any(
        _ADOPTS.search(it) and attempt and stems(attempt) & stems(it) and not _NEGATED.search(it) for it in turn.subjects
    )
    return turn.answers[0].id if is_adopted else ""


def _is_working(line: str, attempt: str, words: frozenset[str], weights: Weights, stems: Stems) -> bool:
    """Tells whether a sentence says that something dropped works, and names it by several of its words or as its subject."""
    for clause in _CLAUSE.split(line):
        cue = _WORKS.search(clause)
        if not cue or _FAILING.search(clause):
            continue
        is_subject = attempt and stems(attempt) & stems(" ".join(clause[: cue.start()].split()[-_NEAR_VERB:]))
        if is_subject or len(weights.rare_of(stems(line) & words)) >= _SHARED or (attempt and stems(attempt) & stems(line)):
            return not any(stems(attempt) & stems(it) for it in rejected(line))
    return False


def _is_in_use(line: str, attempt: str, stems: Stems) -> bool:
    """Tells whether a sentence says that something dropped is used now."""
    if not attempt or not _AT_NOW.search(line) or _FAILING.search(line):
        return False
    clauses = [clause for clause in re.split(r"[,;:]\s", line) if not _NEGATED.search(clause)]
    return any(stems(attempt) & stems(used) for clause in clauses for used in _IN_USE.findall(clause))


def _attempt(statement: str, weights: Weights, stems: Stems) -> str:
    """Returns the word that names what was tried: the first rare one after a verb of trying, else of the sentence."""
    ends = [cue.end() for cue in _TRIED.finditer(statement)]
    for start in [*ends[:1], 0]:
        for word in _WORD.findall(statement[start:]):
            if weights.rare_of(stems(word)):
                return str(word)
    return ""


def is_name(word: str) -> bool:
    """Tells whether a word is a name rather than common English, so that it identifies a subject by itself."""
    plain = word.strip("`")
    return word != plain or "_" in plain or has_inner_capital(plain) or not near([plain])
