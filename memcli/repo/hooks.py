"""Hooks of git that note what becomes of commits: their scripts, and where git looks for them.

They append a line to a file in the git directory: they start no program of ours, take no notice of what fails, and end with 0.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memcli.repo import gitrun
from memcli.repo.head import Checkout, is_bare
from memcli.repo.history import COMMITS, REWRITTEN

if TYPE_CHECKING:
    from collections.abc import Sequence

_HEAD = """#!/bin/sh
# Written by `mem setup git`; `mem setup git --remove` takes it away.
folder=$(git rev-parse --git-common-dir 2>/dev/null)/{}
"""
_REWRITE = """# What an amend or a rebase made of commits: `mem why` and memories follow them.
[ -d "$folder" ] && cat 2>/dev/null >>"$folder/{}"
exit 0
"""
_COMMIT = """# Which session of an agent makes a commit, where the environment names it.
keys="{}"
[ -d "$folder" ] && [ -n "${{keys## }}" ] && echo "$(git rev-parse HEAD) $keys" 2>/dev/null >>"$folder/{}"
exit 0
"""


def scripts(variables: Sequence[str]) -> dict[str, str]:
    """Returns the hooks: name -> script. `variables`: of the environment, in which harnesses name their session."""
    keys = "".join([f"${{{name}:+ ${name}}}" for name in variables])
    return {
        "post-commit": _HEAD.format(COMMITS[0]) + _COMMIT.format(keys, COMMITS[1]),
        "post-rewrite": _HEAD.format(REWRITTEN[0]) + _REWRITE.format(REWRITTEN[1]),
    }


def folder(checkout: Checkout) -> str:
    """Returns the directory in which git looks for the hooks of a repository: `core.hooksPath`, else its own."""
    return _folder(checkout)[0]


def leads_out(checkout: Checkout) -> bool:
    """Tells whether a link or the clone's own configuration has it outside of the tree and the git directory."""
    path, is_clones = _folder(checkout)
    inside = [os.path.join(os.path.realpath(directory), "") for directory in (checkout.root, checkout.common_dir)]
    return is_clones and not os.path.realpath(path).startswith(tuple(inside))


def _folder(checkout: Checkout) -> tuple[str, bool]:
    """Returns the directory, and whether it is the clone that says so and not the person's configuration."""
    words = ("config", "-z", "--show-scope", "--type=path", "--get-all", "core.hooksPath")
    fields = gitrun.run(words, checkout.root, bare=is_bare(checkout)).out.split(b"\0")
    # What we say on the command line is no setting.
    pairs = [(scope, os.fsdecode(path)) for scope, path in zip(fields[0::2], fields[1::2]) if scope != b"command"]
    if pairs and pairs[-1][1]:
        return os.path.join(checkout.root, pairs[-1][1]), pairs[-1][0] in (b"local", b"worktree")
    return os.path.join(checkout.common_dir, "hooks"), True
