"""Measures of a ranked list against the memories that answer a question, and of times."""

from __future__ import annotations

import math

from memcli.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

DEEPEST = 10  # places of a list that count


class Score(Record):
    """How well a list of at most ten answers, each 0 to 1."""

    recall_5: float
    recall_10: float
    mrr_10: float
    ndcg_10: float


NOTHING = Score(0.0, 0.0, 0.0, 0.0)


def score(relevant: frozenset[str], ranked: Sequence[str]) -> Score:
    """Scores one list, best first.

    Recall is the share of the relevant ones that are there; MRR one over the place of the first; nDCG the gain of each,
    discounted by the logarithm of its place, over that of the best possible list (Järvelin and Kekäläinen 2002, gains 0 and 1).
    """
    top = ranked[:DEEPEST]
    places = [place for place, one in enumerate(top, 1) if one in relevant]
    ideal = sum([1 / math.log2(place + 1) for place in range(1, min(DEEPEST, len(relevant)) + 1)])
    return Score(
        len(relevant.intersection(top[:5])) / len(relevant),
        len(places) / len(relevant),
        1 / places[0] if places else 0.0,
        sum([1 / math.log2(place + 1) for place in places]) / ideal,
    )


def mean(found: Sequence[Score]) -> Score:
    """Returns the mean of each measure."""
    return Score(*[math.fsum(column) / len(found) for column in zip(*found)]) if found else NOTHING


def percentile(values: Sequence[float], share: float) -> float:
    """Returns the smallest value that at least `share` of the values do not exceed (nearest rank); 0 for no values."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)] if values else 0.0
