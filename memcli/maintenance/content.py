"""What mem doctor says of what is in a memory: files that were ingested, memories on commits that are gone, its model."""

from __future__ import annotations

from typing import Any

from memcli import ingest, store
from memcli.agents.capture import worker_process
from memcli.errors import MemError
from memcli.maintenance.diagnosis import counted
from memcli.maintenance.shared import Finding
from memcli.project import Project, Where, open_for_reading
from memcli.store import memories
from memcli.text import dates
from memcli.validity import commits

_MANY, _SHARE = 3, 0.1  # memories, and their share of all, from which on it is said that they are lost


def findings(where: Where, facts: dict[str, Any]) -> list[Finding]:
    """Returns what there is to say, and adds to the facts; nothing if the store cannot be read."""
    try:
        project = open_for_reading(where)
    except (MemError, store.Error, OSError):
        return []
    try:
        return [_of_evidence(project, facts), *_of_slow_git(project), *_of_lost(project), *_of_model(project)]
    except store.Error:
        return []
    finally:
        project.close()


def _of_evidence(project: Project, facts: dict[str, Any]) -> Finding:
    """Returns, and adds to the facts, how many files of the working tree are ingested."""
    counts = ingest.counts(project)
    ingested_at = dates.iso(counts.ingested_at) if counts.ingested_at else None
    facts["evidence"] = {"files": counts.files, "chunks": counts.chunks, "ingested_at": ingested_at}
    if not counts.files and not ingested_at:
        return "ok", "evidence", "no file of this working tree is ingested", "run mem ingest ."
    time = f", last full ingest {dates.ago(counts.ingested_at, project.now)}" if counts.ingested_at else ""
    return "ok", "evidence", f"{counts.files:,} files in {counts.chunks:,} chunks{time}", ""


def _of_lost(project: Project) -> list[Finding]:
    """Returns that a rewritten history left memories behind, where they are many."""
    lost = len(commits.lost(project))
    if lost < max(_MANY, memories.count(project.db) * _SHARE):
        return []
    text = f"{counted(lost, 'memory is', 'memories are')} on commits that no branch has any more"
    return [("warn", "commits", text, "mem confirm --lost keeps them on this commit; mem forget --lost hides them everywhere")]


def _of_slow_git(project: Project) -> list[Finding]:
    """Returns that git did not answer a hook in time on this commit."""
    text = "git took too long in a hook on this commit, so hooks told memories of other commits as on unknown ones"
    hint = "the next mem get, or the worker, waits for git; git commit-graph write --reachable makes it faster"
    return [("warn", "git", text, hint)] * commits.is_slow(project)


def _of_model(project: Project) -> list[Finding]:
    """Returns that a model cannot be asked, or did not answer when it was asked last."""
    try:
        problem = worker_process.status(project).compressor.problem
    except OSError:  # a file system that refuses locks: the doctor says so elsewhere
        return []
    text = f"the model does not answer, so the rules alone keep what sessions leave: {problem}"
    hint = "see mem queue; mem config set compressor.provider none wants no model"
    return [("warn", "model", text, hint)] * bool(problem)
