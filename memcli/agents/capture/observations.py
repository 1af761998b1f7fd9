"""From a finding to an observation: a memory of origin "hook" or "api", one per group and turn, which later findings join."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcli.agents.capture.findings import Finding
from memcli.memory import entries, links
from memcli.memory.projection import fold
from memcli.project import Project
from memcli.records import Record
from memcli.repo import worktree
from memcli.store import graph, memories, oplog
from memcli.store.memories import Memory
from memcli.store.oplog import Change
from memcli.text import ids
from memcli.text.terminal import oneline

ACTOR = "hook"
API = "api"  # what another program told over HTTP
PROGRAM = "http"  # the harness of such a program
READ = "read"  # relation: a file that was only looked at
EDITED = "edited"  # relation: a file that was changed where no working tree tells what is in it
MOST_FACTS = 12
MOST_LINKS = 8  # files that were read before, of one observation


class PromptTurn(Record):
    """The prompt that events belong to, and its session. `n`: the session's row, 0 if it is new; `read`: files read so far."""

    session: str
    n: int
    prompt: str
    number: int
    goal: str
    read: tuple[str, ...]


def actor_of(harness: str) -> str:
    """Returns the actor of a change caused by an event of a harness: our hook, or another program over HTTP."""
    return API if harness == PROGRAM else ACTOR


def file_links(project: Project, observation: str, modified: Sequence[str], read: Sequence[str]) -> list[Change]:
    """Returns the links from an observation to the files that were changed, with their present content, or read.

    Without a working tree only the path of a changed file is known.
    """
    changes = []
    for path in modified:
        full = worktree.place(project.root, path) if project.root else None
        try:
            fingerprint = worktree.fingerprint(full) if full else None
        except OSError:
            fingerprint = None
        if fingerprint:
            changes.append(links.file_link(observation, links.FILE, path, fingerprint))
        elif not project.root:
            changes.append(Change("link", observation, {"rel": EDITED, "to": path, "on": True}))
    only_read = [path for path in read if path not in modified]
    return changes + [Change("link", observation, {"rel": READ, "to": path, "on": True}) for path in only_read[-MOST_LINKS:]]


def find_existing(project: Project, finding: Finding, turn: PromptTurn) -> Memory | None:
    """Returns the observation that a finding joins, None if it becomes a new one."""
    if finding.joins_edit and turn.n and (edit := memories.last_of_turn(project.db, turn.n, turn.number)):
        return edit
    return memories.by_source(project.db, source(finding, turn))


def source(finding: Finding, turn: PromptTurn) -> str:
    """Returns the source id of the observation of a group in a turn."""
    return f"{turn.session}/{turn.number}/{finding.group}"


def add_finding(project: Project, finding: Finding, turn: PromptTurn, tool: str, at: int) -> tuple[str, list[Change]]:
    """Returns (the observation of a finding, the changes that store it). `at`: when it happened, in ms since 1970."""
    old = find_existing(project, finding, turn)
    if old is not None:
        return old.id, _merged(project, old, finding, tool) + _missing_links(project, old.id, finding)
    memory_id = ids.new("M")
    thread = project.config["capture.thread"]
    fields: dict[str, Any] = {
        "title": finding.title,
        "summary": summary_text(finding.narrative, finding.facts),
        "thread": thread,
        "kind": finding.kind,
        "tags": list(finding.tags),
        "entities": [],
        "anchor": entries.anchor(project),
        "created": at,
        "source": source(finding, turn),
        "session": turn.session,
        "prompt": turn.number,
        "tools": [tool] if tool else [],
        "narrative": finding.narrative,
        "facts": list(finding.facts),
    }
    link_changes = file_links(project, memory_id, finding.modified, (*turn.read, *finding.read))
    return memory_id, [*entries.thread_change(project, thread), Change("put", memory_id, fields), *link_changes]


def summary_text(narrative: str, facts: Sequence[str]) -> str:
    """Returns the summary of an observation: what it was for, then its facts."""
    return "\n".join([*([narrative] if narrative else []), *[f"- {fact}" for fact in facts]])


def _merged(project: Project, old: Memory, finding: Finding, tool: str) -> list[Change]:
    """Returns the change that adds a finding to an observation. What somebody has written into it since stays."""
    operations = oplog.of_object(project.db, old.id)
    fields = fold(operations).fields
    old_facts = list(fields.get("facts") or ())
    facts = list(dict.fromkeys([*old_facts, *finding.facts]))
    if len(facts) > MOST_FACTS:
        facts = [*facts[: MOST_FACTS // 2], *facts[-MOST_FACTS // 2 :]]
    new_fields: dict[str, Any] = {
        "facts": facts,
        "tools": list(dict.fromkeys([*(fields.get("tools") or ()), *([tool] if tool else [])])),
    }
    new_fields["tags"] = list(dict.fromkeys([*(fields.get("tags") or ()), *finding.tags]))
    if all(op.actor in memories.OBSERVED for op in operations if op.kind == "put"):
        new_fields["summary"] = summary_text(fields.get("narrative", finding.narrative), facts)
        if finding.group == "run" and (old.source_id or "").endswith("/run"):
            new_fields["title"] = finding.title  # how it ended last
    changes = {name: value for name, value in new_fields.items() if fields.get(name) != value}
    return [Change("put", old.id, changes)] if changes else []


def _missing_links(project: Project, memory_id: str, finding: Finding) -> list[Change]:
    existing = {(link.rel, link.to_id, link.hash) for link in graph.links_from(project.db, memory_id)}
    changes = file_links(project, memory_id, finding.modified, finding.read)
    return [change for change in changes if (change.body["rel"], change.body["to"], change.body.get("hash")) not in existing]


def tool_label(tool: str) -> str:
    """Returns a tool's name as it is stored."""
    return oneline(tool)[:80]
