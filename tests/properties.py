"""How often a property is tried: a little in every run of the suite, as often as you like with MEMPACK_TEST_EXAMPLES."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import HealthCheck, Phase, settings

EXAMPLES = int(os.environ.get("MEMPACK_TEST_EXAMPLES", "0"))  # read before tests take such variables away


def examples(count: int) -> int:
    """Returns how many random examples to try: `count`, or what the environment says."""
    return EXAMPLES or count


def over_stores(count: int, **more: Any) -> settings:
    """Settings of a property over stores that are built for each example: always the same ones, which are not shrunk.

    Shrinking would build thousands of stores; add Phase.shrink to hunt.
    """
    return settings(
        max_examples=examples(count),
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.generate],
        **more,
    )
