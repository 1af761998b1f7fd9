"""Whether an open point is done: words about its very subject say so, with what hooks saw of a turn that edited or committed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memcli.agents.capture.same_kind import is_another
from memcli.records import Record
from memcli.text import remainders, statements, tickets
from memcli.text.terminal import oneline

if TYPE_CHECKING:
    from memcli.agents.capture.weights import Stems, Weights
    from memcli.store.passages import Passage
    from memcli.store.sessions import Prompt

_SHARED = 2  # rare words, or more, that say it is about the same
_CLOSED = 0.3  # share of the weight of a point's words that what closes it has at least
_STILL_OPEN = 0.5  # the same of what says that it is open still
_ONE_SENTENCE = 0.55  # the same of one sentence of another session, which saw nothing of the point
_COUNTED = 0.66  # or that share of its words, whatever they weigh
_LITTLE_ELSE = 0.75  # or of the words of the sentence
_COMMITTING = re.compile(r"\b(un)?(commit|stag)(ted|ed)?\b", re.I)  # what is left may be to commit what was edited
_HANDED_OVER = re.compile(r"\b(?:please|not(?: yet)?(?: been)?) (push|merg|publish|deploy|releas)(?:e|ed)?\b", re.I)
# What a point names beside its subject: where it is, and how it goes wrong.
_ASKS_PERSON = re.compile(
    r"\b(?:need|waiting for|wait for) your (?:decision|answer|input|choice|go[- ]ahead|reply|word|ok)\b", re.I
)
_UNCOMMITTED = re.compile(r"^(?:still )?uncommitted\b|\b(?:is|are|stays?|remains?|left) uncommitted\b", re.I)
_SAYS_DONE = re.compile(  # of a person, who did something, or somebody else
    r"\b(?:(?:is|are|was|were|has been|have been|got|'s) (?:already |now |all |finally )*(?:done|\w{3,}ed|set|gone|live|in place|"
    r"through|sent|built|in)|(?:i|we)(?:'ve| have)? (?:already |now |just )*(?:did|\w{3,}ed|set|sent|put|made|built|got))\b",
    re.I,
)
_NOT_DONE = re.compile(
    r"\?\s*$|\b(?:not|no|never|n't|once|when|if|until|after|before|but only|should|must|need\w*)\b|n't\b", re.I
)
_BESIDE = re.compile(
    r"[\w.-]*[\w-]/[\w./-]+|\b[\w-]+\.[a-z]{1,4}\b|\bstill \w+|\b(?:not|no|never|yet|todo|missing|should|must)\b", re.I
)
_EXPLAINED = re.compile(r"\s[-–—]\s")  # behind which an item of a list says why
_ASIDE = re.compile(r"\([^()]*\)")  # which only explains
_REPORTED = re.compile(r"[,;.]\s+|\s+(?:and|but)\s+")  # between the clauses of a sentence that reports
_FILE = re.compile(r"[\w.-]*[\w-]/[\w./-]*\w|\b[\w-]+\.[a-z]{1,4}\b")
_ITEM = re.compile(r"(?:^|(?<=\s))(\d{1,2})[.)](?=\s)")  # the number of a point in a list
_NUMBER = re.compile(  # of a point, as words about a list name it: not a count or a value
    r"(?<![\w.,/=:-])(?<!\bto )(?<!\bby )(?<!\bat )(?<!\bfrom )(?<!\bthan )(?<!\bis )#?(\d{1,2})(?=[.!?)]*(?:$|\s*[,;:&+]|\s+"
    r"(?:and|or|but|then|please|first|now|und|oder|aber|dann|bitte|zuerst|et|ou|mais|y|o|pero)\b)|[.!?)]+\s)",
    re.I,
)
_ALL = re.compile(  # that was listed
    r"(?<!\bis )(?<!'s )(?<!\bat )(?<!\bafter )(?<!\bfor )(?<!\bin )\b(?:all|both|everything|alles?|beide[sn]?|tous|toutes|"
    r"tout|todos|todas|todo|ambos|ambas)(?=\s*(?:$|[.,;!]|of (?:them|these|those|it|that)\b|"
    r"(?:(?:the|these|die|les|los|las) )?(?:\d|two|three|four|points?|items?|tasks?|punkte|puntos)\b|"
    r"(?:except|but|bar|besides|außer|bis|sauf|excepto|menos|salvo|please|bitte|now|jetzt)\b))",
    re.I,
)
_CLAUSES = re.compile(r"(?<=[.;!?])\s+|,\s+(?=(?:\w+ ){0,2}#?\d+ (?!and\b|und\b|et\b|y\b)[^\W\d])")
_MANY_WORDS = 8  # of a sentence that takes up all that was listed, at most
_BUT = re.compile(
    r"\b(?:except|but|without|bar|besides|außer|bis auf|ohne|nur nicht|sauf|excepto|menos|salvo)\b(.*)", re.I | re.S
)
_START = 40  # characters by which a point is known in the answer that lists it
_LATER = re.compile(
    r"\b(?:later|next|wait|postpone|tomorrow|monday|not yet|später|morgen|warte\w*|plus tard|demain|después|luego)\b", re.I
)
_GOES_ON = (  # words of a prompt that says no more than to go on
    "please thanks thank okay yes yeah yep sure great good nice fine right perfect cool lgtm sounds just then also now first "
    "next step steps still already again back ahead continue proceed resume start begin finish complete going carry work "
    "keep point points item items task tasks rest one ones thing things all both everything that this these those them too well "
    "let lets make made doing done does write add create fix update change implement take care address handle get "
    "want need like would could can will should must you your today morning hello "
    "bitte danke gerne weiter mach machen los jetzt das dann auch und alles beide rest okay erledige setz setze fort oui merci "
    "vas continue continuez fais tout sigue adelante hazlo favor por claro vale"
)
_AHEAD = re.compile(r"\b(?:next|up next|(?:is|are) (?:now )?ready|ready (?:to|for)|continue with|start(?:ing)? with)\b", re.I)
_REFUSES = re.compile(r"\b(?:not|never|wait|dont)\b|n't\b", re.I)
_PIECE = re.compile(  # of a plan, by its number
    r"\b(task|step|phase|milestone|part|stage|sprint|chapter|iteration|subtask|aufgabe|schritt|teil|étape|partie|tarea|paso|fase)s?"
    r"\s+#?(\d{1,3}(?:\.\d{1,3})*)\b",
    re.I,
)
_LACKS = re.compile(r"\b(?:no|without|lacks?|lacking|needs?|missing) ((?:[^.,;:]|\.\S)+)", re.I)  # and what is lacking


class WorkedTurn(Record):
    """A prompt that was answered.

    `worked`: whether files were edited or committed; `edited`, `committed`: which of these. `acts`: what was pushed, merged and
    so on; `tickets`: those that were named. `words`: the stems of all that was said and done, except what the answers say is
    left; `left`: the stems of each part that says so. `sentences`: of all that was said, without what is left; `done`:
    those of the prompt and of the titles of the work, each with the `files` that were edited.
    """

    prompt: Prompt
    answers: list[Passage]
    worked: bool
    edited: bool
    committed: bool
    acts: frozenset[str]
    tickets: frozenset[str]
    words: frozenset[str]
    left: list[frozenset[str]]
    sentences: tuple[str, ...]
    done: tuple[str, ...]
    files: tuple[str, ...]
    subjects: tuple[str, ...] = ()  # of its commits
    before: str = ""  # the answer before the prompt, in the same session
    takes_back: bool = False  # what others did, and nothing else


def still_open(turn: WorkedTurn, passage: Passage, words: frozenset[str], weights: Weights, stems: Stems) -> str:
    """Returns the id of the answer that says that an open point is still open, or ""."""
    for answer in [answer for answer in turn.answers if answer.role == statements.OPEN and answer.n > passage.n]:
        shared = words & stems(" ".join(remainders.left(answer.statement)) or answer.statement)
        if len(weights.rare_of(shared)) >= _SHARED and weights.of(shared) >= _STILL_OPEN * weights.of(words):
            return answer.id
    return ""


def closing(turn: WorkedTurn, passage: Passage, words: frozenset[str], weights: Weights, stems: Stems, is_alone: bool) -> str:
    """Returns the id of the answer that closes an open point, or ""."""
    if passage.created_at > turn.prompt.created_at:
        return ""
    shared = words & turn.words
    if _is_left(turn, words, weights):
        return ""
    if is_filed_elsewhere(passage, turn.tickets):
        return ""
    if handed := _HANDED_OVER.search(passage.text):  # what a person is asked to push is not pushed by more work on it
        is_done = handed[1].lower() in turn.acts and len(shared) >= _SHARED
        return nearest(turn, words, stems) if is_done else ""
    # What an answer says was done meanwhile may be somebody else's work, so the turn need not have worked.
    for line in [line for answer in turn.answers for line in remainders.says_done(answer.text)]:
        overlap = words & stems(line)
        if len(weights.rare_of(overlap)) >= _SHARED and weights.of(overlap) >= _CLOSED * weights.of(words):
            return nearest(turn, words, stems)
    is_next = _is_next(turn.prompt, passage)
    if is_settled_by(turn.prompt, passage, words, stems) or _is_taken_up(turn, passage):
        return nearest(turn, words, stems)
    if not turn.worked or is_dropped(turn):
        return ""
    if turn.committed and passage.session == turn.prompt.session and _UNCOMMITTED.search(passage.text):
        return nearest(turn, words, stems)
    is_evident = is_about(passage, words, turn.words, weights, stems) and _is_the_same(turn, passage, weights, stems)
    if is_next and _names(turn, passage.text):
        return nearest(turn, words, stems)
    is_agreed = is_next and _is_requested(turn, passage, stems) and (turn.edited or bool(_COMMITTING.search(passage.text)))
    if is_agreed and (is_alone or _shares_subject(passage, words, turn.words, weights, stems)):
        return nearest(turn, words, stems)
    return nearest(turn, words, stems) if is_evident else ""


def _is_taken_up(turn: WorkedTurn, passage: Passage) -> bool:
    """Tells whether a turn begins a point that is the next piece of a plan, by its number, or says that another one is next."""
    ahead = _pieces(passage.statement) if _AHEAD.search(passage.statement) else set()
    if not ahead:
        return False
    begun = {it for line in statements.sentences(turn.prompt.text) if not _REFUSES.search(line) for it in _pieces(line)}
    pointers = [line for answer in turn.answers for line in statements.sentences(answer.text) if _AHEAD.search(line)]
    following = {piece for line in pointers for piece in _pieces(line)}
    kinds = {kind for kind, _ in ahead}
    is_behind = not ahead & following and any(kind in kinds for kind, _ in following)
    return turn.worked and (bool(ahead & begun) or is_behind)


def _pieces(text: str) -> set[tuple[str, str]]:
    """Returns the pieces of a plan that a text names, each as (what it is, its number)."""
    return {(kind.lower(), number) for kind, number in _PIECE.findall(text)}


def is_filed_elsewhere(passage: Passage, named: frozenset[str]) -> bool:
    """Tells whether an open point was filed under a number that is not among those that a turn names."""
    return tickets.is_filed(passage.statement) and not tickets.names(passage.statement) <= named


def is_settled_by(prompt: Prompt, passage: Passage, words: frozenset[str], stems: Stems) -> bool:
    """Tells whether the person's own words settle an open point: they are what it waits for, or say that it is done."""
    return _is_reported(prompt.text, words, stems) or bool(_is_next(prompt, passage) and _ASKS_PERSON.search(passage.text))


def _is_reported(text: str, words: frozenset[str], stems: Stems) -> bool:
    """Tells whether the person says that a point is done, and hardly anything else: `the key is rotated`."""
    clauses = [it for line in statements.sentences(text) for it in _REPORTED.split(line)]
    said = [stems(it) for it in clauses if _SAYS_DONE.search(it) and not _NOT_DONE.search(it)]
    return any(len(line & words) >= _SHARED and len(line & words) >= _LITTLE_ELSE * len(line) for line in said)


def _is_next(prompt: Prompt, passage: Passage) -> bool:
    """Tells whether a prompt answers the turn of a passage."""
    return passage.session == prompt.session and passage.prompt == prompt.number - 1


def _is_the_same(turn: WorkedTurn, passage: Passage, weights: Weights, stems: Stems) -> bool:
    """Tells whether a turn is about this very point; one of another session in a single sentence, and about no similar point."""
    files = _FILE.findall(passage.text)
    if len(files) > 1 and all(any(path.endswith(name) for path in turn.files) for name in files):
        return True  # each file that it names was edited
    if passage.session != turn.prompt.session:
        whole = f"{passage.heading} {passage.text}"
        subject, name = [stems(_BESIDE.sub(" ", _ASIDE.sub(" ", text))) for text in (whole, _name(passage.text))]
        lines = [stems(line) for line in (*turn.sentences, *turn.done)]
        if not any(_says(line, subject, weights) or (len(name) > _SHARED and name <= line) for line in lines):
            return False
    stated = next(iter(statements.sentences(passage.text)), "")  # what follows explains it
    return not is_another(_BESIDE.sub(" ", stated), turn.sentences, stems.whole(" ".join(turn.sentences)), stems)


def _name(text: str) -> str:
    """Returns the name of a list item, without its number and its explanation; "" if it has no explanation."""
    name, *explained = _EXPLAINED.split(_ITEM.sub("", text), maxsplit=1)
    return name if explained else ""


def _says(line: frozenset[str], point: frozenset[str], weights: Weights) -> bool:
    """Tells whether a sentence says most of what a point says, or hardly anything else."""
    shared = line & point
    if len(shared) < _SHARED <= len(point):
        return False
    is_most = weights.of(shared) >= _ONE_SENTENCE * weights.of(point) or len(shared) >= _COUNTED * len(point)
    return (len(point) >= _SHARED and is_most) or len(shared) >= _LITTLE_ELSE * len(line)


def is_about(passage: Passage, words: frozenset[str], done: frozenset[str], weights: Weights, stems: Stems) -> bool:
    """Tells whether words about what was done are about the very subject of an open point, not only about its file.

    `words`: the stems of the point; `done`: those of what was done.
    """
    subject = _subject_of(passage, stems)
    shared = len(weights.rare_of((subject or words) & done))
    beside = len(weights.rare_of(words & done))
    is_enough = shared >= _SHARED or (0 < len(subject) < _SHARED <= beside and shared > 0)
    return is_enough and _shares_subject(passage, words, done, weights, stems)


def is_message_about(passage: Passage, words: frozenset[str], line: frozenset[str], weights: Weights, stems: Stems) -> bool:
    """Tells the same for a sentence of somebody else's commit, whose author did not see the point: it has to share more words."""
    shared = words & line
    is_near = len(weights.rare_of(shared)) > _SHARED or weights.of(shared) >= _STILL_OPEN * weights.of(words)
    return is_near and is_about(passage, words, line, weights, stems)


def _shares_subject(passage: Passage, words: frozenset[str], done: frozenset[str], weights: Weights, stems: Stems) -> bool:
    """Tells whether the words of what was done hold enough of a point's subject and of what it says is missing."""
    subject = _subject_of(passage, stems) or words
    lacking = stems(" ".join([_BESIDE.sub(" ", text) for text in _LACKS.findall(passage.text)]))
    shared = subject & done
    is_much = bool(weights.rare_of(shared)) and weights.of(shared) >= _CLOSED * weights.of(subject)
    return is_much and (not lacking or bool(lacking & shared))


def _is_requested(turn: WorkedTurn, passage: Passage, stems: Stems) -> bool:
    """Tells whether a prompt only says to go on, or names the point."""
    return not stems.whole(turn.prompt.text) - stems.whole(f"{_GOES_ON} {passage.heading} {passage.text}")


def _is_left(turn: WorkedTurn, words: frozenset[str], weights: Weights) -> bool:
    """Tells whether a turn says that a point is left, rather than that it is done."""
    done = weights.of(words & turn.words)
    shared = [weights.of(words & remainder) for remainder in turn.left if weights.rare_of(words & remainder)]
    return any(weight >= max(done, _CLOSED * weights.of(words)) for weight in shared)


def _names(turn: WorkedTurn, text: str) -> bool:
    """Tells whether a prompt refers to a point of the previous answer by its number in a list, or to the whole list."""
    clauses = [it for it in _CLAUSES.split(turn.prompt.text) if not _LATER.search(it) and not it.strip().endswith("?")]
    listed = {number for it in clauses for number in _NUMBER.findall(it)}
    is_all = any(_ALL.search(it) and len(it.split()) <= _MANY_WORDS for it in clauses)
    if not listed and not is_all:
        return False
    numbers = set(_ITEM.findall(text) or _NUMBER.findall(text)) or _numbers_in(turn.before, text)
    if is_all:
        return not numbers & {number for it in _BUT.findall(turn.prompt.text) for number in _NUMBER.findall(it)}
    return bool(numbers) and numbers <= listed


def _numbers_in(answer: str, text: str) -> set[str]:
    """Returns the numbers of a point in the list of an answer."""
    pieces = _ITEM.split(answer)
    start = oneline(text)[:_START]
    return {number for number, item in zip(pieces[1::2], pieces[2::2]) if oneline(item).startswith(start)}


def _subject_of(passage: Passage, stems: Stems) -> frozenset[str]:
    """Returns the words of an open point that say what to do, without its file, which other work may change, too."""
    return stems(_BESIDE.sub(" ", f"{passage.heading} {passage.text}"))


def is_dropped(turn: WorkedTurn) -> bool:
    """Tells whether a turn only reverted what it or an earlier one had done."""
    return turn.takes_back or (any(answer.role == statements.DROPPED for answer in turn.answers) and not turn.committed)


def nearest(turn: WorkedTurn, words: frozenset[str], stems: Stems) -> str:
    """Returns the id of the answer that shares most words with an open point."""
    return max(turn.answers, key=lambda answer: len(words & stems(answer.text))).id
