"""The data of pictures: memories along the history, a session in order, what was told and what was used, and what is related."""

from __future__ import annotations

import re
from collections import Counter, deque
from typing import TYPE_CHECKING, Literal, get_args

from memcli.errors import InvalidInput
from memcli.fields import Result
from memcli.memory import find_memory, find_session, turn_commits
from memcli.recall import catalogue
from memcli.recall.catalogue import CatalogueItem, CatalogueQuery
from memcli.records import replace
from memcli.repo import branches, revisions
from memcli.store import graph, listing, memories, sessions, turns, usage
from memcli.store.listing import MemoryFilter
from memcli.store.memories import Memory
from memcli.text import dates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memcli.project import Project
    from memcli.repo.head import Checkout
    from memcli.store.sessions import Session

MOST_MEMORIES = 1_000  # of which a history is drawn
MOST_NODES = 150
_BESIDE = 12  # memories of one thread or file that a graph goes on to
_MOST_ACTS = 2_000  # of a session
_FAILED = "gotcha"  # the tag of what hooks saw fail
_FAILURE = re.compile(r"\b(failed|was interrupted)\b", re.I)
_OTHERS_WORDS = re.compile("`[^`]*`|“.*|^Committed: .*")  # commands, what was printed, subjects: they may mention failures
_OF_COMMAND = re.compile("`.*?` (passed|failed|ran|was interrupted)|ran `|an edit of ")
_EDITED, _COMMITTED = "Edited ", "Committed: "  # how the titles of edits and of commits begin
_ALIKE = 60  # characters by which the title of a call that committed is known: a long one is cut
_FACT = "- "  # begins a line of an observation that says one thing that was done


class PlacedMemory(Result):
    """A memory at its commit."""

    id: str
    title: str
    kind: str
    state: str
    superseded_by: str | None
    at: str


class PlacedCommit(Result):
    """A commit with the memories that were written on it. `id` None: without a commit; `branch` None: in HEAD's history.

    `subject`, `at`: empty where this clone has no such commit.
    """

    id: str | None
    branch: str | None
    subject: str
    at: str
    memories: list[PlacedMemory]


class HistoryPicture(Result):
    """Memories along the commits that they were written on, latest commit first. `capped`: only the newest are included."""

    head: str | None
    commits: list[PlacedCommit]
    total: int
    capped: bool


def history(project: Project, facets: dict[str, str]) -> HistoryPicture:
    """Returns the memories that fit some facets, along the history of commits."""
    page = catalogue.page(project, CatalogueQuery("", {**facets, "type": "memory"}, limit=MOST_MEMORIES, counts=False))
    by_commit: dict[str | None, list[CatalogueItem]] = {}
    for item in page.items:
        by_commit.setdefault(item.anchor_commit, []).append(item)
    checkout = project.checkout
    names = [name for name in by_commit if name]
    described = revisions.described(checkout, names) if checkout is not None and names else {}
    beside = branches.beside_head(checkout) if checkout is not None and names else {}
    commits = []
    for name, items in by_commit.items():
        commit = described.get(name or "")
        is_apart = any(item.state in ("orphan", "unknown") for item in items)
        branch = beside.get(name or "") or next((item.branch for item in items if item.branch), "") if is_apart else None
        at = dates.iso(commit.at * 1000) if commit else max(item.at for item in items)
        placed = [PlacedMemory(it.id, it.title, it.kind, it.state, it.superseded_by, it.at) for it in items]
        commits.append(PlacedCommit(name, branch, commit.subject if commit else "", at, placed))
    return HistoryPicture(project.commit, _latest_first(checkout, commits), page.total, page.has_more)


def _latest_first(checkout: Checkout | None, commits: list[PlacedCommit]) -> list[PlacedCommit]:
    """Returns commits by time; those of the same second in the order of the history, children first."""
    moments = Counter([commit.at for commit in commits])
    tied = [commit for commit in commits if commit.id and moments[commit.at] > 1]
    ranks: dict[str | None, int] = {}
    if tied and checkout is not None:
        since = min(dates.parse(commit.at) for commit in tied) // 1000
        names = revisions.children_first(checkout, [commit.id for commit in tied if commit.id], since)
        ranks = {name: -at for at, name in enumerate(names)}
    return sorted(commits, key=lambda commit: (commit.at, ranks.get(commit.id, -len(ranks))), reverse=True)


_Lane = Literal["prompt", "told", "tool", "commit"]
_LANES = get_args(_Lane)


class SessionAct(Result):
    """Something that happened in a session. `tokens`: of what the session was told; `failed`: a call that did not succeed."""

    at: str
    lane: _Lane
    title: str
    id: str
    number: int
    tokens: int | None
    failed: bool


def acts(project: Project, reference: str) -> list[SessionAct]:
    """Returns what happened in a session in the order of time. Raises NotFound or InvalidInput."""
    session = find_session(project, reference)
    timed: list[tuple[int, SessionAct]] = []
    for prompt in sessions.prompts(project.db, session.n, _MOST_ACTS):
        act = _act(prompt.created_at, "prompt", prompt.text or f"not kept: {prompt.skipped}", prompt.id, prompt.number)
        timed.append((prompt.created_at, act))
    for memory in listing.page(project.db, MemoryFilter(session=session.n, plain=True, limit=_MOST_ACTS)):
        for title, is_failure in _done(memory):
            act = _act(memory.created_at, "tool", title, memory.id, memory.prompt)
            timed.append((memory.created_at, replace(act, failed=is_failure)))
    for turn in turns.page(project.db, session.id, _MOST_ACTS, 0)[0]:
        title = f"for prompt {turn.number}" if turn.number else "at the start"
        act = _act(turn.prepared_at, "told", title, turn.id, turn.number)
        timed.append((turn.prepared_at, replace(act, tokens=turn.tokens)))
    tools = [pair for pair in timed if pair[1].lane == "tool"]
    timed += [_behind_its_call(at, act, tools) for at, act in _commits(project, session)]
    return [act for _, act in sorted(timed, key=lambda pair: (pair[0], pair[1].number, _LANES.index(pair[1].lane)))]


def _commits(project: Project, session: Session) -> list[tuple[int, SessionAct]]:
    """Returns the commits of a session, each with its moment: that of the commit itself where no hook saw it being made."""
    made = turn_commits.of_session(project.db, session, _MOST_ACTS)
    described = revisions.described(project.checkout, [name for name, _, _ in made]) if project.checkout else {}
    timed = []
    for name, number, seen_at in made:
        commit = described.get(name)
        at = max(seen_at, commit.at * 1000) if commit else seen_at
        timed.append((at, _act(at, "commit", f"{name[:10]} {commit.subject if commit else ''}", name, number)))
    return timed


def _behind_its_call(at: int, commit: SessionAct, tools: list[tuple[int, SessionAct]]) -> tuple[int, SessionAct]:
    """Returns a commit with a moment at which it stands behind the call that made it, which hooks saw only when it had ended."""
    mine = [pair for pair in tools if pair[1].number == commit.number and not pair[1].title.startswith(_EDITED)]
    own = sorted(mine, key=lambda pair: pair[0])
    subject = commit.title.partition(" ")[2]
    saying = [
        seen_at for seen_at, tool in own if subject and tool.title.rstrip("…").startswith(f"{_COMMITTED}{subject}"[:_ALIKE])
    ]
    later = [seen_at for seen_at, _ in own if seen_at >= at // 1000 * 1000]  # git counts whole seconds
    return max(at, (saying or later or [at])[0]), commit


def _done(memory: Memory) -> list[tuple[str, bool]]:
    """Returns what an observation saw and whether each of it failed. Edits and the checks after them are stored as one."""
    facts = [line.removeprefix(_FACT) for line in memory.summary.splitlines() if line.startswith(_FACT)]
    head, _, first = memory.title.partition(": ")
    if len(facts) > 1 and first and facts[0].startswith(first.rstrip("…")):  # what follows does not repeat the file
        facts = [fact if _OF_COMMAND.match(fact) else f"{head}: {fact}" for fact in facts]
    titles = facts if len(facts) > 1 else [memory.title]
    failed = [_FAILURE.search(_OTHERS_WORDS.sub("", title)) is not None for title in titles]
    if _FAILED in memory.tags.split("\n") and not any(failed):
        failed[-1] = True
    return list(zip(titles, failed))


def _act(at: int, lane: _Lane, title: str, object_id: str, number: int) -> SessionAct:
    return SessionAct(dates.iso(at), lane, " ".join(title.split())[:200], object_id, number, None, False)


class UsageDay(Result):
    """A day: how many memories sessions were first told on it, and how many of these they used, then or later."""

    day: str
    told: int
    used: int


def used_by_day(project: Project, days: int) -> list[UsageDay]:
    """Returns the last days, including those on which nothing was told."""
    names = [dates.local_day(project.now - back * dates.DAY) for back in range(days - 1, -1, -1)]
    told, used = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for told_at, is_used in usage.tellings(project.db, project.now - days * dates.DAY):
        if (day := dates.local_day(told_at)) in told:
            told[day] += 1
            used[day] += is_used
    return [UsageDay(day, told[day], used[day]) for day in names]


class GraphNode(Result):
    """A memory, a file or a thread. `depth`: how many steps from where the graph begins; `state`: of a memory."""

    id: str
    type: Literal["memory", "file", "thread"]
    label: str
    kind: str
    state: str
    depth: int


class GraphEdge(Result):
    """A relation between two nodes."""

    from_id: str
    rel: str
    to_id: str


class GraphPicture(Result):
    """What is related to something. `capped`: there is more."""

    nodes: list[GraphNode]
    edges: list[GraphEdge]
    capped: bool


def relations(project: Project, start: str, depth: int, types: frozenset[str]) -> GraphPicture:
    """Returns what is within some steps of a memory, `file:PATH` or `thread:NAME`. Raises NotFound or InvalidInput."""
    kind, _, name = start.partition(":")
    first = start if kind in ("file", "thread") and name else find_memory(project, start).id
    if not types:
        raise InvalidInput("a graph has at least one sort of things", "give memory, file or thread")
    walk = _Walk(project, types)
    walk.run(first, depth)
    return GraphPicture(list(walk.nodes.values()), list(walk.edges.values()), walk.is_capped)


class _Walk:
    """A walk from one thing to what it is related to, breadth first."""

    def __init__(self, project: Project, types: frozenset[str]) -> None:
        self.db = project.db
        self.nodes: dict[str, GraphNode] = {}
        self.edges: dict[tuple[str, str, str], GraphEdge] = {}
        self.is_capped = False
        self._types = types

    def run(self, first: str, depth: int) -> None:
        waiting = deque([first] if self._add(first, 0) else [])
        while waiting:
            name = waiting.popleft()
            at = self.nodes[name].depth
            for from_id, rel, to_id in self._edges_of(name) if at < depth else ():
                other = to_id if from_id == name else from_id
                is_new = other not in self.nodes
                if is_new and not self._add(other, at + 1):
                    continue
                self.edges[from_id, rel, to_id] = GraphEdge(from_id, rel, to_id)
                if is_new:
                    waiting.append(other)

    def _add(self, name: str, depth: int) -> bool:
        """Adds a node, unless its type is excluded or there are too many. The first is always added."""
        kind, _, label = name.partition(":")
        memory = None if kind in ("file", "thread") else memories.find(self.db, name)
        sort: Literal["memory", "file", "thread"] = "memory" if memory else "file" if kind == "file" else "thread"
        if (memory is None and not label) or (memory and memory.forgotten) or (depth and sort not in self._types):
            return False
        if len(self.nodes) >= MOST_NODES:
            self.is_capped = True
            return False
        state = ("superseded" if memory.superseded_by else "holds") if memory else ""
        self.nodes[name] = GraphNode(name, sort, memory.line if memory else label, memory.kind if memory else "", state, depth)
        return True

    def _edges_of(self, name: str) -> Iterator[tuple[str, str, str]]:
        """Yields the edges from or to a node, as (from, relation, to)."""
        kind, _, label = name.partition(":")
        if kind == "thread":
            beside = listing.page(self.db, MemoryFilter(thread=label, limit=_BESIDE + 1))
            self.is_capped = self.is_capped or len(beside) > _BESIDE
            yield from ((memory.id, "in", name) for memory in beside[:_BESIDE])
            return
        if kind == "file":
            links = graph.links_to(self.db, label)
            self.is_capped = self.is_capped or len(links) > _BESIDE
            yield from ((link.from_id, link.rel, name) for link in links[:_BESIDE])
            return
        for link in graph.links_from(self.db, name):
            if link.rel == memories.CLOSES:  # what it leads to was said in a session, and is no node
                continue
            yield name, link.rel, link.to_id if link.to_id.startswith(("M-", "C-")) else f"file:{link.to_id}"
        yield from ((link.from_id, link.rel, name) for link in graph.links_to(self.db, name))
        memory: Memory | None = memories.find(self.db, name)
        if memory and memory.thread:
            yield name, "in", f"thread:{memory.thread}"
