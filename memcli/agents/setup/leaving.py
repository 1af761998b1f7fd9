"""Taking out everything that setup wrote on this machine: for the person, in projects, and in clones of git."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from functools import partial

from memcli import registry
from memcli.agents.adapters import PROJECT, USER
from memcli.agents.setup import configure, git_hooks, places
from memcli.agents.setup.configure import FileResult, SetupRequest
from memcli.errors import MemError, NotFound
from memcli.records import Record
from memcli.repo import head, worktree
from memcli.repo.head import Checkout


class Leaving(Record):
    """What was taken out, and what could not be: a problem is (message, hint)."""

    files: list[FileResult]
    problems: list[tuple[str, str]]


def remove_all() -> Leaving:
    """Takes out our part of every harness's files and every clone's git directory. What fails is reported; the rest goes on.

    In projects only where setup wrote on this machine, which an older mem did not note: a file that git tracks may be its team's.
    """
    leaving = Leaving([], [])
    projects = [root for root in places.of(places.PROJECT) if os.path.isdir(root)]
    for scope, root in [(USER, ""), *[(PROJECT, root) for root in projects]]:
        for harness in configure.configurable():
            if scope == USER or not harness.project_refusal:
                request = SetupRequest(harness.name, scope, root, remove=True)
                _collect(leaving, partial(_removed, request))
    for root in _clones(projects):
        if checkout := head.find(root):
            if root not in projects:
                _collect(leaving, partial(_removed_untracked, checkout), is_ours=False)
            _collect(leaving, partial(git_hooks.remove, checkout), is_ours=root in projects)
    if not leaving.problems:
        places.drop(places.PROJECT, projects)
    return leaving


def _removed(request: SetupRequest) -> list[FileResult]:
    return configure.apply(configure.plan(request))


def _removed_untracked(checkout: Checkout) -> list[FileResult]:
    """Takes our part out of the files of a project that git does not track."""
    plans = []
    for harness in configure.configurable():
        if not harness.project_refusal:
            with contextlib.suppress(MemError):
                plans += configure.plan(SetupRequest(harness.name, PROJECT, checkout.root, remove=True))
    changes = [plan for plan in plans if plan.after != plan.before]
    return configure.apply(
        [plan for plan in changes if not worktree.is_tracked(checkout, os.path.relpath(plan.path, checkout.root))]
    )


def _collect(leaving: Leaving, work: Callable[[], list[FileResult]], is_ours: bool = True) -> None:
    """Adds what some work changed, or why it failed, which counts where setup has written."""
    try:
        leaving.files.extend([file for file in work() if file.action != "unchanged"])
    except NotFound:
        pass  # a harness without a workspace
    except MemError as problem:
        if is_ours:
            leaving.problems.append((problem.message, str(problem.hint)))


def _clones(projects: list[str]) -> list[str]:
    """Returns the roots of the working trees that this machine knows."""
    roots = [root for known in registry.places(registry.repositories()).values() for root in known]
    return [root for root in dict.fromkeys([*projects, *roots]) if os.path.isdir(root)]
