"""What a person sees of a shared memory: its status, what came, what would leave, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcli import invitations
from memcli.cli import history
from memcli.operations.results import named_in, titles_of
from memcli.project import Project, now
from memcli.records import Record
from memcli.replication import Outgoing, Pulled, Status, as_it_leaves, remote
from memcli.replication.remote import Agreement
from memcli.store.oplog import begun_here
from memcli.store.replication import MISSING
from memcli.text import dates, json
from memcli.text.ids import writer_of
from memcli.text.terminal import oneline

Titles = dict[str, str]

_LISTS: dict[object, str] = {None: "", True: ", in sync.writers", False: ", not in sync.writers"}
_NAMED = 5  # own texts that others wrote over
LISTED, _ID = 20, 12  # operations of what would leave; characters of an id


class Listed(Record):
    """What would be sent, its titles, and the ids of what this store began and sent before, which the remote may lack."""

    outgoing: list[Outgoing]
    titles: Titles
    again: list[str]


def titled(project: Project, outgoing: list[Outgoing]) -> Listed:
    """Returns what would be sent, with the titles of the listed part."""
    listed = [it.operation for it in outgoing if it.line is not None and it.operation.vis != MISSING][:LISTED]
    again = [it.operation for it in outgoing if it.line is not None and it.operation.vis == MISSING]
    objects = list(dict.fromkeys([op.object for op in again if not writer_of(op.actor) and op.object[0] in "MSNK"]))
    begun = begun_here(project.db, objects)
    own = [name for name in objects if name in begun]
    titles = titles_of(project.db, [*named_in(listed), *own[:LISTED]])
    return Listed(outgoing, {name: as_it_leaves(project, title) for name, title in titles.items()}, own)


def worded_pull(pulled: Pulled) -> str:
    erased = f", erased {pulled.erased} purged object{'s' * (pulled.erased != 1)}" if pulled.erased else ""
    return f"pulled {counted(pulled.applied)}{erased}"


def counted(number: int) -> str:
    return "1 change" if number == 1 else f"{number:,} changes" if number else "nothing new"


def warnings_of(pulled: Pulled) -> list[str]:
    """Returns what the person should know about a pull, beside its count."""
    warnings = [_worded_loss(it) for it in pulled.overwritten[:_NAMED]]
    if more := pulled.overwritten[_NAMED:]:
        warnings.append(f"{len(more):,} more of your texts were changed or forgotten by others: mem log -p ID")
    if pulled.refused:
        reasons = ", ".join([f"{count:,} {reason}" for reason, count in sorted(pulled.refused.items())])
        total = sum(pulled.refused.values())
        warnings.append(f"refused {total:,} line{'s' * (total != 1)} from the remote: {reasons}")
    if pulled.waiting:
        warnings.append(f"{counted(pulled.waiting)} waiting: {'; '.join(map(_worded_held, pulled.held[:_NAMED]))}")
    warnings += _worded_strangers(pulled.strangers)
    if pulled.masked:
        warnings.append(f"masked secrets in what came: {', '.join(sorted(pulled.masked))}; tell who wrote them")
    if pulled.renamed:
        warnings.append("another store uses this one's name, as after a copy; this one has a new name now")
    return warnings


def _worded_loss(lost: dict[str, object]) -> str:
    """Returns the line that somebody forgot one's own words, or put others in their place, with the command for that."""
    name, who = lost["id"], oneline(str(lost["by"]))
    if lost["forgotten"]:
        return f"{who} forgot {name}; bring it back with mem restore {name}"
    return f"{who} wrote over your text of {name}; both texts: mem log -p {name}"


def _worded_held(held: dict[str, object]) -> str:
    return f"{held['count']} of {oneline(str(held['name'] or 'unnamed'))} ({held['id']}), {held['why']}"


def worded_namesakes(namesakes: Sequence[tuple[str, list[str]]]) -> list[str]:
    """Returns the warnings that several writers have one name, or names that look the same."""
    return [
        f"{len(ids)} writers call themselves {oneline(name)}: {', '.join(ids)}; ask whom you mean which one is theirs"
        for name, ids in namesakes
    ]


def _worded_strangers(names: Sequence[str]) -> list[str]:
    """Returns the warning about names in sync.writers that belong to nobody."""
    listed = ", ".join(map(oneline, names))[:200]
    return [f"sync.writers has {listed}, of whom nothing came: it takes the ids that mem sync status lists"] * bool(names)


def by_itself_of(project: Project) -> str:
    """Returns a sentence about when changes are exchanged automatically."""
    if not project.config["sync.auto"]:
        return "Nothing is exchanged by itself (sync.auto is off)."
    every = project.config["sync.minutes"]
    return (
        f"With hooks set up (mem setup HARNESS), changes are exchanged every {every} minutes while an agent works,"
        " and a minute after a change. Otherwise run mem sync."
    )


def worded_remote(remote: Agreement | Status) -> str:
    names = oneline(remote.remote) if remote.remote == remote.address else f"{oneline(remote.remote)} ({oneline(remote.address)})"
    return f"{names}, {oneline(remote.place)}" if remote.place else names


def worded_answer(answer: remote.Answer, agreement: Agreement | None) -> str:
    if agreement is not None:
        return f"This memory is shared already, through {worded_remote(agreement)}."
    if answer.name:
        return invitations.worded(answer.name)
    if answer.silent:
        names = ", ".join(map(oneline, answer.silent))[:200]
        return f"Could not ask {names}: no answer, or only with a login. To ask with yours: mem sync enable"
    return "No remote of this clone is known to have a shared memory."


def worded_status(status: Status, by_itself: str) -> str:
    """Returns the state of sharing, a line each thing."""
    lines = [f"Shared through {worded_remote(status)}"]
    if status.new_place:
        lines.append(f"sync.namespace is {oneline(status.new_place)} now: mem sync enable moves there")
    lines.append(f"{status.shared:,} shared, {counted(status.pending)} to push")
    if status.is_purge_due:
        lines.append("a purge has not reached the remote: what it takes out is still there; mem sync ends it")
    if status.quarantined:
        lines.append(f"{counted(status.quarantined)} from elsewhere waiting")
        lines += [f"  {_worded_held(it)}" for it in status.held[:LISTED]]
    lines += _worded_strangers(status.strangers)
    for writer in status.ahead:
        lines.append(
            f"  of {oneline(str(writer['name'] or 'unnamed'))} ({writer['id']}), whose clock was ahead: until {writer['until']}"
        )
    if status.own_ahead:
        lines.append(f"this clock was ahead: others get what was written since after {status.own_ahead}")
    lines.append(f"  {oneline(status.own_name or 'unnamed')} ({status.own}): this store")
    jobs = [writer for writer in status.writers if writer["ci"] and not writer["listed"]]
    for writer in [it for it in status.writers if it not in jobs]:
        who = f"{oneline(str(writer['name'] or 'unnamed'))} ({writer['id']})"
        lines.append(f"  {who}: {counted(int(str(writer['operations'])))}{_LISTS[writer['listed']]}")
    if jobs:
        count = counted(sum([int(str(it["operations"])) for it in jobs]))
        lines.append(f"  {len(jobs):,} CI job{'s' * (len(jobs) != 1)}: {count}{_LISTS[jobs[0]['listed']]}")
    if status.last:
        when = dates.ago(dates.parse(str(status.last["at"])), now())
        lines.append(f"last attempt, {when}, failed: {status.last['error']}" if status.last["error"] else f"synchronized {when}")
    else:
        lines.append("not synchronized yet")
    return "\n".join([*lines, by_itself])


def as_data(outgoing: Sequence[Outgoing]) -> list[Any]:
    return [json.loads(item.line) for item in outgoing if item.line is not None]


def worded_outgoing(listed: Listed) -> str:
    leaving = [item for item in listed.outgoing if item.line is not None]
    if not leaving:
        return "Nothing would leave. Share memories with: mem share ID"
    again = [item for item in leaving if item.operation.vis == MISSING]
    leaving = [item for item in leaving if item.operation.vis != MISSING]
    lines = [f"Would leave: {counted(len(leaving))}"] if leaving else []
    for item in leaving[:LISTED]:
        name = item.operation.object if item.operation.object[0] in "MSNK" else ""
        worded = history.phrase(item.operation.kind, item.operation.object, json.loads(item.line or "{}")["b"], listed.titles)
        lines.append(f"  {name:<{_ID}}  {worded}")
    more = len(leaving) - LISTED
    lines += [f"  and {more:,} more (--json shows all)"] if more > 0 else []
    return "\n".join([*lines, *(_worded_again(again, listed) if again else [])])


def _worded_again(again: Sequence[Outgoing], listed: Listed) -> list[str]:
    """Returns the lines about what is sent again: this store's own objects by title, the others as a number."""
    own, others = listed.again, len([it for it in again if writer_of(it.operation.actor)])
    more = len(own) - LISTED
    lines = ["What was shared before goes there, too, as far as the remote does not have it:"]
    lines += [f"  {name:<{_ID}}  {listed.titles.get(name, '')}".rstrip() for name in own[:LISTED]]
    lines += [f"  and {more:,} more of yours (--json shows all)"] if more > 0 else []
    return lines + ([f"  {'and ' * bool(own)}{counted(others)} by others that you have"] if others else [])
