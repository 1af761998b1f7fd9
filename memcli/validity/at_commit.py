"""A memory as seen from another commit."""

from __future__ import annotations

from memcli.errors import InvalidInput, NotFound
from memcli.project import Project
from memcli.records import replace
from memcli.repo import revisions
from memcli.store.cache import Cache


def at_commit(project: Project, name: str) -> Project:
    """Returns a memory as if another commit were checked out; files are those of the working tree.

    `name`: a hash, a branch, a tag, `HEAD~2`. Nothing that is computed for it is cached. Raises InvalidInput outside git,
    NotFound for a name of no commit.
    """
    if project.checkout is None:
        raise InvalidInput("there are no commits here", "leave the commit out")
    commit = revisions.resolve(project.checkout, name)
    if commit is None:
        raise NotFound(f"no commit {name[:80]!r} here", "give a hash, a branch or a tag; see git log")
    return replace(project, checkout=replace(project.checkout, commit=commit, branch=None, anchor=None), cache=Cache(""))
