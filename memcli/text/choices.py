"""What a sentence chooses, what it puts out of use, and what for: `NATS instead of RabbitMQ for the queue`."""

from __future__ import annotations

import re
from functools import lru_cache

from memcli.records import Record
from memcli.text import passages
from memcli.text.quotations import is_quoted, joined

_KEPT = 4_000  # sentences whose reading is kept: a worker meets the same turn after turn
_LONGEST = 4  # words of a name: more of them say what is done, not with what
_LOOKED_AT = 1_000  # characters of a sentence
_ASKING = 3  # words of a question that says what it is about, at least
_ROOM = 230  # characters of a decision and a question
_MOST_PURPOSE = 6  # words of a purpose that are looked at
_ARTICLES = frozenset(
    "the a an our my your any more all of using use this that der die das den dem des ein eine einen unser unsere le la les un "
    "une notre el los las una nuestro".split()
)
_END = re.compile(r"[,;:!?()\n]|\.(?=\s|$)|\s[–-]\s")
_FOR = re.compile(
    r"\s+(?:for|in|as|on|at|when|where|because|since|so|now|again|from|to|and|but|not|over|instead|rather|with|by|which|that|here|"
    r"any ?more|any longer|altogether|completely|entirely|everywhere|please|then|before|after|until|whenever|every time|"
    r"für|als|bei|wenn|weil|jetzt|statt|anstatt|mehr|bitte|pour|comme|quand|parce|para|como|cuando|porque|por)\b",
    re.I,
)
_OBJECT = re.compile(  # a decision about something that is not named
    r"(?:(?:i|we|i'd|my|our|the|so|therefore|recommendation|advice|decision|suggestion|is|was|would|to|decided|chose|recommend|"
    r"suggest|and|have|had|deliberately)\W+){0,7}"
    r"(leav(?:e|ing)|left|keep(?:ing)?|kept|reverted|dropped|removed|restored) (?:it|this|that|them)\b",
    re.I,
)
_PURPOSE = re.compile(r"\b(?:for|as|in|on|für|als|bei|pour|comme|para|como|por)\s+(.*)", re.I)
_THING = r"((?:[^,;:!?()\n.]|\.(?=\S))+)"
_NAME = r"((?:(?:the|our|die|der|das|le|la|el) )?[\w`][\w`.+#/-]*(?: [\w`.+#/-]+){0,2}?)"
_GONE = (
    r"(?:gone|out|removed|replaced|retired|dropped|dead|history|no more|no longer used|not used any more|a mistake|"
    r"the wrong choice|deprecated here|abandoned|raus|weg|gestrichen|ersetzt|entfernt|abgeschafft|supprimé|"
    r"remplacé|eliminado|reemplazado)"
)
_REPLACED = tuple(  # what takes the place of something, or takes it away; where something else has to follow, with that
    re.compile(pattern, re.I)
    for pattern in (
        rf"\b(?:instead of|in place of|rather than|(?:an)?statt|anstelle von|au lieu de|plutôt que|en lugar de|"
        rf"en vez de)\s+{_THING}",
        r"\b(?:replac\w*|swap\w*|exchang\w*|substitut\w*|trad(?:e|es|ed|ing)|ersetz\w*|tausch\w*|remplac\w*|"
        r"reemplaz\w*|sustitu\w*)\s+((?:[^,;:!?()\n.]|\.(?=\S)){1,60}?)\s+(?:with|by|for|durch|gegen|par|por)\s+\S",
        r"\b(?:mov|switch|chang|migrat|convert|port)\w*\s+(?:[\w'-]+ ){0,5}?(?:from|off|away from)\s+"
        r"((?:[^,;:!?()\n.]|\.(?=\S)){1,60}?)\s+(?:to|over to|in favou?r of)\s+\S",
        rf"\b(?:mov|switch|migrat|get|got|step|weg)\w*\s+(?:off|away from|rid of|von)\s+{_THING}",
        r"\bvon\s+(\S+(?: \S+){0,2}?)\s+(?:auf|zu|nach)\s+\S.*\b(?:um|umsteigen|umstellen|wechseln|umziehen)\b",
        rf"(?:^|[,;:.]\s+|\band\s+|\bbut\s+){_NAME}\s+(?:is|are|was|were|has been|have been|ist|sind|war|fliegt|est|était|"
        rf"es|fue)\s+(?:now\s+|also\s+|finally\s+|jetzt\s+|nun\s+)?{_GONE}\b",
    )
)
_TAKEN_AWAY = tuple(  # what a person wants to be without; in an account it may be a part of a thing that stays
    re.compile(pattern, re.I)
    for pattern in (
        rf"(?:^|[,;:.]\s+|\band\s+|\bwe\s+|\bi\s+|\blet'?s\s+|\bplease\s+|\bto\s+|\bwe'll\s+)(?:now\s+|completely\s+)?"
        rf"(?:drop|dropped|drops|remov\w*|retir\w*|ditch\w*|abandon\w*|forget(?: about)?|scrap\w*|rip(?:ped)? out|phase\w* out|"
        rf"kick\w* out|stop(?:ped)? (?:using|with)|throw out|no longer uses?|no longer need|do(?:n't| not) use|vergiss|"
        rf"entfern\w*)\s+{_THING}",
        rf"\b(?:no more|kein\w* \w+ mehr|plus de|no más)\s+{_THING}",
    )
)
_VERB = (
    r"\b(?:us(?:e|es|ed|ing)(?! (?:for|in|as|to|by)\b)|go(?:ing)? with|went with|stick with|stay (?:with|on)|keep|"
    r"take|pick(?:ed)?|choos\w*|chose|adopt\w*|"
    r"prefer|recommend(?:ed)?|decided (?:on|for)|settled (?:on|for)|"
    r"(?:(?:mov|switch|migrat|chang|convert|port)\w*|go|going|went|back|revert) (?P<moved>(?:[\w'-]+ ){0,6}?)"
    r"(?:back )?(?:to|over to|into|onto)|"
    r"put (?P<put>(?:[\w'-]+ ){1,5}?)(?:in|into|on|onto)|"
    r"(?:build|deploy|run|test|format|store|lint|queue|host|serve) (?P<done>(?:[\w'-]+ ){0,4}?)(?:with|on|to|in)|"
    r"replac\w* (?:\S+ ){1,6}?(?:with|by)|swap\w* (?:\S+ ){1,6}?for|"
    r"nehmen|nimm|nutze[nt]?|verwende[nt]?|bleiben bei|lass uns|utilis\w+|usa\w*|usemos)"
    r"(?: (?:wir|doch|jetzt|nun|lieber|now|just|only))*"
)
_CHOSEN = re.compile(rf"{_VERB}\s+{_THING}", re.I)
_USED = re.compile(
    rf"(?:^|[,;:.]\s+|\band\s+){_NAME} (?:is|are|wird|werden) (?:now )?(?:used|set up|in use|installed|verwendet|"
    r"genutzt|the [\w-]+(?= (?:for|of)\b))",
    re.I,
)
_FROM = re.compile(r"\s*\b(?:from|von)\b.*", re.I)
_CHANGES = re.compile(
    r"\binstead\b|\bnow\b|\bback to\b|\b(?:switch|mov|migrat|replac|swap)\w*\b|\bfrom now on\b|\bafter all\b|\brather\b|^\W*no\b|"
    r"\bno longer\b|\banymore\b|\bany more\b|\bstatt\w*\b|\bjetzt\b|\bdoch\b|\blieber\b|\bplutôt\b|"
    r"\bmaintenant\b|\bahora\b|\bmejor\b",
    re.I,
)
_INSTEAD = re.compile(r"\binstead\W*$|\bback to\b", re.I)
_NAMED = re.compile(r"[A-Z][A-Za-z]+[\d+#]*\.?|[A-Z]{2,}")  # a name that is none of code: `NATS`, `GitHub`, no `utils.py`
_ASKS = re.compile(r"\?\s*$")
_SUPPOSED = re.compile(  # a sentence that only considers something
    r"\?\s*$|\b(?:should|could|would|might|maybe|perhaps|if|whether|consider\w*|recommend\w*|suggest\w*|propos\w*|"
    r"thinking (?:of|about)|plan(?:ning)? to|wonder\w*|unless|either|could have|"
    r"soll(?:en|te|ten)?|könnte\w*|würde\w*|vielleicht|ob|falls|"
    r"devrait|pourrait|peut-être|debería\w*|podría\w*|quizás?)\b",
    re.I,
)


_AMOUNT = r"(\d[\d_.,]*)\s?(%|[A-Za-z]{1,12}\b)?"
_VALUES = (  # (what has a value, its number, its unit), of which somebody says that it is so now
    re.compile(
        r"\b(?:set|rais\w*|lower\w*|increas\w*|decreas\w*|reduc\w*|bump\w*|chang\w*|limit\w*|cut|extend\w*|shorten\w*|doubl\w*|"
        rf"halv\w*)\s+((?:[\w'-]+ ){{1,6}}?)(?:from \S+(?: \w+)? )?(?:back )?to {_AMOUNT}",
        re.I,
    ),
    re.compile(rf"(?:^|[,;:.]\s+|\band\s+)((?:[\w'-]+ ){{1,6}}?)(?:is|are) (?:now |set to |limited to )+{_AMOUNT}", re.I),
    re.compile(rf"(?:^|[,;:.]\s+|\band\s+)((?:[\w'-]+ ){{1,6}}?)(?:is|are) {_AMOUNT}(?: \w+)?(?: a \w+)? now\b", re.I),
)


class Choice(Record):
    """A thing that a sentence chooses or puts out of use. `thing`: words of its name; `purpose`: what for, if it says so."""

    thing: frozenset[str]
    purpose: str


class Value(Record):
    """What a sentence says that something is set to. `unit`: its first three letters, or ""."""

    subject: str
    number: str
    unit: str


@lru_cache(_KEPT)
def values(sentence: str) -> list[Value]:
    """Returns the values that a sentence sets; none for one that only considers it."""
    if _SUPPOSED.search(sentence):
        return []
    matches = [match for cue in _VALUES for match in cue.finditer(sentence[:_LOOKED_AT])]
    return [
        Value(match[1], match[2].rstrip(".,").replace(",", "").replace("_", ""), (match[3] or "")[:3].lower())
        for match in matches
    ]


@lru_cache(_KEPT)
def replaced(sentence: str, is_wish: bool = True) -> list[Choice]:
    """Returns what a sentence says is used no longer; nothing for one that only considers it. `is_wish`: a person says it."""
    if _SUPPOSED.search(sentence):
        return []
    cues = _REPLACED + _TAKEN_AWAY if is_wish else _REPLACED
    return _choices([(match[1], "") for cue in cues for match in cue.finditer(sentence[:_LOOKED_AT])], sentence)


@lru_cache(_KEPT)
def chosen(sentence: str, is_proposal: bool = False) -> list[Choice]:
    """Returns what a sentence says is used; nothing for one that only considers it.

    `is_proposal`: somebody may have agreed to it, so that what it considers counts, too; what it asks does not.
    """
    if _ASKS.search(sentence) if is_proposal else _SUPPOSED.search(sentence):
        return []
    own = [
        (match[match.lastindex or 0], _FROM.sub("", match["moved"] or match["put"] or match["done"] or ""))
        for match in _CHOSEN.finditer(sentence[:_LOOKED_AT])
    ]
    gone = [choice.thing for choice in replaced(sentence)]
    return [choice for choice in [*_choices(own, sentence), *in_use(sentence)] if choice.thing not in gone]


@lru_cache(_KEPT)
def in_use(sentence: str) -> list[Choice]:
    """Returns what a sentence says is in use: `Redis is set up for the sessions`."""
    return _choices([(match[1], "") for match in _USED.finditer(sentence[:_LOOKED_AT])], sentence)


def decides(sentence: str) -> bool:
    """Tells whether a sentence chooses something with a name in the place of something else: more than an edit is meant."""
    own = chosen(sentence) if changes(sentence) else []
    is_other = bool(_INSTEAD.search(sentence) or replaced(sentence))
    return is_other and any(_NAMED.fullmatch(word) for word in _words_of(own, sentence))


def _words_of(own: list[Choice], sentence: str) -> list[str]:
    """Returns the words of a sentence, as it writes them, that name what it chooses, but for its first."""
    names = frozenset().union(*[choice.thing for choice in own])
    return [word for word in re.findall(r"[\w+#][\w.+#/()-]*", sentence)[1:] if word.lower().rstrip(".-") in names]


def changes(sentence: str) -> bool:
    """Tells whether a sentence says that something is to be other than before."""
    return bool(_CHANGES.search(sentence))


def _choices(stretches: list[tuple[str, str]], sentence: str) -> list[Choice]:
    """Returns what stretches of a sentence name, each with the words between its verb and itself, which say what for."""
    choices = []
    for stretch, subject in stretches:
        name = _FOR.split(_END.split(stretch)[0])[0]
        words = [word for word in re.findall(r"[\w+#][\w.+#/-]*", name.lower()) if word not in _ARTICLES]
        if 0 < len(words) <= _LONGEST:
            behind = _PURPOSE.search(stretch[len(name) :]) or _PURPOSE.search(sentence.partition(stretch)[2])
            purpose = subject.strip() or (" ".join(_END.split(behind[1])[0].split()[:_MOST_PURPOSE]) if behind else "")
            choices.append(Choice(frozenset([word.rstrip(".-") for word in words]), purpose))
    return choices


def about(decision: str, prompt: str) -> str:
    """Returns a decision about "it" with what was asked, the first sentence of the prompt that it answers, if there is room."""
    asked = next(iter(passages.sentences(prompt.partition("\n")[0])), "")
    question = "" if is_quoted(asked) else joined(asked).strip()
    if len(question.split()) < _ASKING or len(decision) + len(question) > _ROOM or not _OBJECT.match(decision):
        return decision
    return f"{decision} (asked: {question})"
