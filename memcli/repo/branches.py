"""Which branch has a commit that is not in the history of HEAD."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING

from memcli.repo import gitrun
from memcli.repo.head import is_bare, storable_name
from memcli.text import bounded

if TYPE_CHECKING:
    from memcli.repo.head import Checkout

_Refs = tuple[tuple[str, bytes], ...]

_MOST = 20_000  # commits beside HEAD's that are looked at
_LIMIT = 5.0  # seconds
_LONGEST = 256  # bytes of a file that says where a branch is
_HEADS = "refs/heads/"


def beside_head(checkout: Checkout) -> dict[str, str]:
    """Returns the branch of each commit that a branch has and HEAD has not, the newest; nothing where git cannot tell."""
    refs = _refs(checkout)
    listed = _beside(checkout, refs) if refs else _from_git(checkout)
    if listed is None:
        _beside.cache_clear()  # it may tell the next time
    return listed or {}


@lru_cache(maxsize=8)
def _beside(checkout: Checkout, refs: _Refs) -> dict[str, str] | None:
    """Keeps the answer for as long as no branch moves: the page asks with every view and every word that is typed."""
    return _from_git(checkout)


def _refs(checkout: Checkout) -> _Refs:
    """Returns what files say of where branches are: it changes when one of them does. Nothing where no file tells."""
    result = []
    for above, _, names in os.walk(os.path.join(checkout.common_dir, "refs", "heads")):
        result += [(os.path.join(above, name), _content(os.path.join(above, name))) for name in sorted(names)]
    for name in ("packed-refs", os.path.join("reftable", "tables.list")):
        path = os.path.join(checkout.common_dir, name)
        try:
            status = os.stat(path)
        except OSError:
            continue
        result.append((path, f"{status.st_ino} {status.st_mtime_ns} {status.st_size}".encode()))
    return tuple(sorted(result))


def _content(path: str) -> bytes:
    try:
        handle = bounded.open_regular(path)
    except OSError:
        return b""
    try:
        return bounded.first(handle, _LONGEST)
    finally:
        os.close(handle)


def _from_git(checkout: Checkout) -> dict[str, str] | None:
    """Returns what git says, None where it failed."""
    if checkout.commit is None:
        return {}
    words = ("log", "--source", "--format=%H%x00%S", f"--max-count={_MOST}", "--branches", "--not", checkout.commit, "--")
    done = gitrun.run(words, checkout.root, limit=_LIMIT, bare=is_bare(checkout))
    pairs = [line.partition("\0")[::2] for line in done.out.decode("utf-8", "replace").splitlines()]
    names = {name: storable_name(name.removeprefix(_HEADS)) for _, name in pairs}
    return {commit: names[name] for commit, name in pairs} if done.code == 0 else None
