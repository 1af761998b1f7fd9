"""Which branch has a commit that is not in the history of HEAD."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli.repo import gitrun
from memcli.repo.head import is_bare

if TYPE_CHECKING:
    from memcli.repo.head import Checkout

_MOST = 20_000  # commits beside HEAD's that are looked at
_LIMIT = 5.0  # seconds
_HEADS = "refs/heads/"


def beside_head(checkout: Checkout) -> dict[str, str]:
    """Returns the branch of each commit that a branch has and HEAD has not, the newest; nothing where git cannot tell."""
    if checkout.commit is None:
        return {}
    words = ("log", "--source", "--format=%H%x00%S", f"--max-count={_MOST}", "--branches", "--not", checkout.commit, "--")
    listed = gitrun.run(words, checkout.root, limit=_LIMIT, bare=is_bare(checkout)).out.decode("utf-8", "replace")
    pairs = [line.partition("\0")[::2] for line in listed.splitlines()]
    return {commit: name.removeprefix(_HEADS) for commit, name in pairs}
