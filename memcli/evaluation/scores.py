"""Scores of a ranked list against the memories that answer a question, and percentiles of times."""

from __future__ import annotations

import math
from collections.abc import Sequence

from memcli.records import Record

DEPTH = 10  # positions of a list that count


class Score(Record):
    """How well a list of at most ten memories answers a question, each 0 to 1."""

    recall_5: float
    recall_10: float
    mrr_10: float
    ndcg_10: float


NOTHING = Score(0.0, 0.0, 0.0, 0.0)


def score(relevant: frozenset[str], ranked: Sequence[str]) -> Score:
    """Scores one list, best first.

    Recall is the share of the relevant memories in the list; MRR is one over the rank of the first; nDCG is the gain of each,
    discounted by the logarithm of its rank, over that of the best possible list (Järvelin and Kekäläinen 2002, gains 0 and 1).
    """
    top = ranked[:DEPTH]
    ranks = [rank for rank, memory_id in enumerate(top, 1) if memory_id in relevant]
    ideal = sum([1 / math.log2(rank + 1) for rank in range(1, min(DEPTH, len(relevant)) + 1)])
    return Score(
        len(relevant.intersection(top[:5])) / len(relevant),
        len(ranks) / len(relevant),
        1 / ranks[0] if ranks else 0.0,
        sum([1 / math.log2(rank + 1) for rank in ranks]) / ideal,
    )


def mean(scores: Sequence[Score]) -> Score:
    """Returns the mean of each measure."""
    return Score(*[math.fsum(column) / len(scores) for column in zip(*scores)]) if scores else NOTHING


def percentile(values: Sequence[float], share: float) -> float:
    """Returns the smallest value that at least `share` of the values do not exceed (nearest rank); 0 for no values."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)] if values else 0.0
