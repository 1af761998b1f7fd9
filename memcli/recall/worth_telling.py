"""Which turns are worth telling beside the best one: those that say something, and something near the question."""

from __future__ import annotations

from memcli.recall.excerpts import MOST_PASSAGES
from memcli.recall.relevance import BEHIND as BEHIND_SCORE
from memcli.recall.relevance import TURN_MEANING, is_of_turn
from memcli.recall.selection import BEHIND, by_owner, fetched
from memcli.records import replace
from memcli.store import passages, word_vectors
from memcli.store.passages import owner_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.config import Config
    from memcli.project import Project
    from memcli.recall.relevance import LeftOut, Ranked

SLIGHT = 40  # words of a turn behind the best three, below which it is told only if a person, a commit or a statement says them
NEAR = 0.42  # cosine of the nearest passage or sentence of a turn beside the best, without which it is told only for a statement
LIST = 600  # characters of a list that is told with any of its items
_WORDS = 3  # of a sentence that can be near something
_ENDS = (".", "!", "?", ":", ";")


def split(project: Project, relevant: Sequence[Ranked], question: str, places: int) -> tuple[list[Ranked], list[LeftOut]]:
    """Splits relevant matches into those told, and those of turns beside the best that say too little to be worth it.

    Of so many places for turns, one that is left out keeps its own: what ranks behind the last is hardly ever worth it either.
    If meanings are not compared, all stay.
    """
    if not project.config["rank.meaning"] or not any(match.shares.get("meaning") for match in relevant):
        return [*relevant], []
    turns = [matches for matches in by_owner(relevant).values() if is_of_turn(matches[0].hit)]
    # The passages of each that a pack has room for.
    lower = [matches[: MOST_PASSAGES[min(rank, len(MOST_PASSAGES) - 1)]] for rank, matches in enumerate(turns[:places])][1:]
    memory_of = fetched(project, [match for matches in lower for match in matches])
    reasons = {owner_of(matches[0].hit.id): "count" for matches in turns[places:]}
    for rank, matches in enumerate(lower, 1):
        read = [memory_of[match.from_user, match.hit.id] for match in matches]
        texts = [it.summary if it.title == it.summary else f"{it.title}\n{it.summary}" for it in read]
        says_enough = rank < BEHIND or _is_terse(matches) or sum([len(text.split()) for text in texts]) >= SLIGHT
        if not matches[0].hit.role and not (says_enough and _is_about(question, matches, texts, project.config)):
            reasons[owner_of(matches[0].hit.id)] = "relevance"
    left_out = [(match, reasons[owner]) for match in relevant if (owner := owner_of(match.hit.id)) in reasons]
    return [match for match in relevant if owner_of(match.hit.id) not in reasons], left_out


def with_lists(project: Project, relevant: Sequence[Ranked]) -> list[Ranked]:
    """Adds to the items of a list that each state something the other ones: whoever reads the first looks for the second."""
    result = [*relevant]
    present = {match.hit.id for match in relevant}
    for match in relevant:
        if not (match.hit.role and is_of_turn(match.hit)) or match.overtaken[0]:
            continue
        db = project.user_db if match.from_user and project.user_db is not None else project.db
        of_turn = passages.of(db, owner_of(match.hit.id))
        item = next((it for it in of_turn if it.id == match.hit.id), None)
        alike = [
            it
            for it in of_turn
            if item and item.heading and (it.heading, it.thread, it.role) == (item.heading, item.thread, item.role)
        ]
        if 1 < len(alike) <= MOST_PASSAGES[0] and sum([len(it.text) for it in alike]) <= LIST:
            for other in alike:
                if other.id not in present and not other.superseded_by and not other.suspicious:
                    hit = replace(match.hit, n=other.n, id=other.id, title=other.heading)
                    result.append(replace(match, hit=hit, score=match.score - BEHIND_SCORE))
                    present.add(other.id)
    return sorted(result, key=lambda match: match.order)


def _is_terse(matches: Sequence[Ranked]) -> bool:
    """Tells whether some of the passages of a turn say much in few words: those of a person, and messages of commits."""
    return any(match.hit.thread in (passages.PROMPT, passages.COMMIT) for match in matches)


def _is_about(question: str, matches: Sequence[Ranked], texts: Sequence[str], config: Config) -> bool:
    """Tells whether a passage of a turn, or a single sentence of one, is near a question in meaning."""
    cosine = max([match.shares["meaning"] for match in matches]) / (config["rank.meaning"] * TURN_MEANING)
    return cosine >= NEAR or _has_sentence_near(question, texts)


def _has_sentence_near(question: str, texts: Sequence[str]) -> bool:
    """Tells whether a sentence of some texts is near a question."""
    vector = word_vectors.encode(question)
    for text in texts:
        word_vectors.encode(text)  # reads the words of all its sentences at once
        for sentence in _sentences(text):
            if word_vectors.similarities(vector, [word_vectors.encode(sentence)])[0] >= NEAR:
                return True
    return False


def _sentences(text: str) -> list[str]:
    """Returns the sentences of a text, cut also at colons, that have the words to be near something."""
    pieces: list[list[str]] = [[]]
    for line in text.splitlines():
        for word in line.split():
            pieces[-1].append(word)
            if word.endswith(_ENDS):
                pieces.append([])
        pieces.append([])
    return [" ".join(words) for words in pieces if len(words) >= _WORDS]
