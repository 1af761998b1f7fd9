"""Does a clone hold a commit of a known history? Anybody can name an origin or a commit; its content proves it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence

from memcli.repo import gitrun
from memcli.repo.ancestry import REACHABLE, reachability
from memcli.repo.head import Checkout, is_bare, is_hash

_READ = 3  # commits whose content is read: one that is whole is enough


def holds_commit(checkout: Checkout, commits: Sequence[str]) -> bool:
    """Tells whether HEAD's history holds one of these commits, in objects of its own and with the content that has this hash."""
    hashes = [commit for commit in commits if is_hash(commit)]
    if checkout.commit is None or not hashes or _borrows_objects(checkout):
        return False
    states = reachability(checkout, hashes) or {}
    reachable = [commit for commit in hashes if states.get(commit) == REACHABLE]
    return any(_is_whole(checkout, commit) for commit in reachable[:_READ])


def _is_whole(checkout: Checkout, commit: str) -> bool:
    """Tells whether a commit's content has its hash: git does not look when it reads a loose object."""
    done = gitrun.run(("cat-file", "commit", commit), checkout.root, bare=is_bare(checkout))
    digest = hashlib.sha1 if len(commit) == 40 else hashlib.sha256
    return done.code == 0 and digest(b"commit %d\0" % len(done.out) + done.out).hexdigest() == commit


def _borrows_objects(checkout: Checkout) -> bool:
    """Tells whether objects may be those of another repository on this machine: through a link, or as git's alternates."""
    objects = os.path.join(checkout.common_dir, "objects")
    if os.path.islink(objects) or os.path.lexists(os.path.join(objects, "info", "alternates")):
        return True
    try:
        return any(entry.is_symlink() for folder in (objects, *_folders(objects)) for entry in os.scandir(folder))
    except OSError:
        return True


def _folders(path: str) -> list[str]:
    return [entry.path for entry in os.scandir(path) if entry.is_dir(follow_symlinks=False)]
