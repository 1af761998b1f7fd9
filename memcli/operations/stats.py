"""stats: how much is stored, how much of it sessions were told, and how much they used."""

from __future__ import annotations

import os

from memcli import fields, store
from memcli.agents.capture import worker_process
from memcli.fields import Request, Result
from memcli.operations import Operation
from memcli.operations.results import MemoryUsage, memory_usage
from memcli.project import Project
from memcli.recall.render import name_and_branch
from memcli.records import Record
from memcli.store import integrity, memories, oplog, queue, turns, usage
from memcli.store.usage import UnusedMemory, Usage
from memcli.text import dates, files

DAYS = 7  # for which turns are kept, and events that are done
_LISTED = 5
_STATES = ("pending", "processing", "stuck", "failed", "processed")


class StatsRequest(Request):
    """A request for all statistics, without options."""


class NeverUsed(Result):
    """A memory that sessions were told and none used."""

    id: str
    title: str
    thread_id: str
    created_at: str
    usage: MemoryUsage


class ToldOnDay(Result):
    """How many tokens sessions were told on one day."""

    day: str
    tokens: int


class UsageStats(Result):
    """What sessions were told, and used."""

    told: int = fields.number("How often a memory was told to a session, each once for a session, in the last year.")
    used: int = fields.number("Of these, how often the session used it.")
    memories: int = fields.number("How many memories were told.")
    sessions: int = fields.number("How many sessions were told one.")
    days: int = fields.number("For how many days the next four are counted.")
    tokens_a_day: int = fields.number("Tokens that sessions were told a day, on average.")
    by_day: list[ToldOnDay]
    prompts: int = fields.number("Prompts of persons that hooks answered.")
    empty: int = fields.number("Of these, those to which nothing was told: nothing was relevant, or all was told before.")
    never_used: list[NeverUsed]


class StoreStats(Result):
    """How much is stored, and how much of it sessions were told and used."""

    repo_id: str | None
    name: str
    root: str
    workspace: str
    commit: str | None
    branch: str
    revision: int
    schema_version: int = fields.number("Of the store's tables.", output="schema")
    bytes: int
    totals: dict[str, int]
    kinds: dict[str, int]
    queue: dict[str, int]
    usage: UsageStats


class Stats(Record):
    """The numbers, and their time in ms since 1970."""

    stored: StoreStats
    now: int

    def answer(self) -> StoreStats:
        """Returns the numbers as a result."""
        return self.stored


def read(project: Project, request: StatsRequest) -> Stats:
    """Returns how much is stored, told and used."""
    counts = queue.counts(project.db, project.now, worker_process.lease(project))
    stored = StoreStats(
        repo_id=project.repo_id,
        name=project.name,
        root=project.root,
        workspace=project.workspace,
        commit=project.commit,
        branch=name_and_branch(project)[1],
        revision=oplog.revision(project.db),
        schema_version=store.version(project.db),
        bytes=size(project),
        totals=integrity.totals(project.db),
        kinds=memories.kinds(project.db),
        queue={state: getattr(counts, state) for state in _STATES},
        usage=_usage(project),
    )
    return Stats(stored, project.now)


def size(project: Project) -> int:
    """Returns the bytes of a store's file."""
    return files.size(os.path.join(project.folder, "memory.db"))


def _usage(project: Project) -> UsageStats:
    totals = usage.totals(project.db)
    since = project.now - DAYS * dates.DAY
    prompts, empty = turns.count_answered(project.db, since)
    return UsageStats(
        told=totals.tellings,
        used=totals.used,
        memories=totals.memories,
        sessions=totals.sessions,
        days=DAYS,
        tokens_a_day=round(usage.told_tokens(project.db, since) / DAYS),
        by_day=_by_day(project, since),
        prompts=prompts,
        empty=empty,
        never_used=[_never_used(memory) for memory in usage.never_used(project.db, _LISTED)],
    )


def _by_day(project: Project, since: int) -> list[ToldOnDay]:
    """Returns the last days, including those on which nothing was told."""
    sums = dict.fromkeys([dates.local_day(project.now - days * dates.DAY) for days in range(DAYS - 1, -1, -1)], 0)
    for at, tokens in usage.tokens_by_moment(project.db, since):
        if (day := dates.local_day(at)) in sums:
            sums[day] += tokens
    return [ToldOnDay(day, tokens) for day, tokens in sums.items()]


def _never_used(memory: UnusedMemory) -> NeverUsed:
    counts = memory_usage(Usage(memory.told, 0, memory.last_told))
    return NeverUsed(memory.id, memory.title, memory.thread, dates.iso(memory.created_at), counts)


OPERATIONS = {"stats": Operation("stats", "Show how much is stored, told to sessions and used.", StatsRequest, Stats, read=read)}
