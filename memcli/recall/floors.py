"""What of the matches is relevant enough to be told beside the best one."""

from __future__ import annotations

from memcli.recall.prompts import spoken_of_times
from memcli.recall.relevance import PASSAGE_MEANING
from memcli.store.memories import OBSERVED, WELCOME
from memcli.store.passages import owner_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.config import Config
    from memcli.recall.candidates import ParsedQuery
    from memcli.recall.relevance import LeftOut, Ranked

FLOOR_OBSERVED = 0.5  # of the best score that what hooks saw must have at least: it repeats what was asked
MOST_WORDS = 0.6  # of a question's words that are enough whatever they weigh
NEAR = 0.33  # cosine of word vectors, of the nearest match, without which a prompt is told only the best one
BY_PLACE = (0.75, 0.75, 1, 1.5)  # of `rank.floor`, for passages of the best turn, the second ..., each after the last of these


def enough(ranked: Sequence[Ranked], query: ParsedQuery, config: Config) -> tuple[list[Ranked], list[LeftOut]]:
    """Parts matches, best first, into those that are relevant enough to be told beside the best one, and the others.

    By their score, or because they hold most of the question's words: in a small store a word that all have weighs nothing. What
    matches far worse than the best three is told of them only, or where it is about as good.
    """
    best = max([_merit(match) for match in ranked], default=0.0)
    floor, many_words = config["rank.floor"], max(2, MOST_WORDS * len(query.terms))
    relevant: list[Ranked] = []
    others: list[LeftOut] = []
    spoken_of = spoken_of_times(query.terms)
    places: dict[str, int] = {}  # of each memory or turn among all, by its best match
    for match in ranked:
        place = places.setdefault(owner_of(match.hit.id), len(places))
        least = _share(match, place, floor) * best if best > 0 else best
        is_enough = _merit(match) >= least or (_may_hold_words(match, place) and _words_of(match) >= many_words)
        if is_enough and not (spoken_of and not match.hit.pinned and _is_only_of(match, spoken_of)):
            relevant.append(match)
        else:
            others.append((match, "relevance"))
    told = relevant[:1] if query.is_prompt and not _is_near(ranked, config) else _without_welcome(relevant)
    return told, others + [(match, "relevance") for match in relevant if match not in told]


def _share(match: Ranked, place: int, floor: float) -> float:
    """Returns the share of the best score that a match must have. `place`: of its memory or turn among all."""
    if _is_observed(match):
        return max(floor, FLOOR_OBSERVED)
    return floor * BY_PLACE[min(place, len(BY_PLACE) - 1)] if match.hit.is_passage else floor


def _may_hold_words(match: Ranked, place: int) -> bool:
    """Tells whether a match may be told for how many words it holds: of long texts, many hold the words of a short question."""
    return not _is_observed(match) and not (match.hit.is_passage and place >= len(BY_PLACE) - 1)


def _is_observed(match: Ranked) -> bool:
    return match.hit.origin in OBSERVED and not match.hit.pinned


def _without_welcome(relevant: list[Ranked]) -> list[Ranked]:
    """Returns the matches without the greeting of a new store, where there is anything else."""
    return [match for match in relevant if match.hit.origin != WELCOME] or relevant


def _is_near(ranked: Sequence[Ranked], config: Config) -> bool:
    """Tells whether some match is near in meaning to what was asked. Where meanings are not compared, nobody knows better."""
    weight = config["rank.meaning"]
    shares = [match.shares["meaning"] / (PASSAGE_MEANING if match.hit.is_passage else 1.0) for match in ranked]
    return not weight or max(shares, default=0.0) >= NEAR * weight


def are_of_other_times(ranked: Sequence[Ranked], query: ParsedQuery) -> bool:
    """Tells whether a question speaks of a time and no match is of it."""
    if query.moment and not any(query.moment.holds(match) for match in ranked):
        return True
    times = spoken_of_times(query.terms)
    return bool(times) and all(times.isdisjoint(_matching_words(match)) for match in ranked)


def _is_only_of(match: Ranked, times: frozenset[str]) -> bool:
    """Tells whether a match shares nothing with a question but the time that it speaks of."""
    return bool(words := _matching_words(match)) and words <= times


def _matching_words(match: Ranked) -> set[str]:
    return {term.word for term in (match.matches.terms if match.matches else []) if match.hit.n in term.bm25}


def _words_of(match: Ranked) -> int:
    """Returns how many words of the question a match holds."""
    return len({term.word for term in (match.matches.terms if match.matches else []) if term.idf and match.hit.n in term.bm25})


def _merit(match: Ranked) -> float:
    """Returns the score of a match, whether it gives orders or not: what does is shown as such."""
    return match.score - match.shares.get("penalty", 0.0)
