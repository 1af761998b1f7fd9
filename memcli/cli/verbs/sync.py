"""sync: exchange a shared memory with a remote; share, unshare: what is shared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcli import fields, invitations, replication
from memcli.cli import history, output
from memcli.cli.invoke import Common, reading, writing
from memcli.errors import InvalidInput
from memcli.fields import Request
from memcli.operations.results import named_in, titles_of
from memcli.operations.share import SharedItem
from memcli.project import Project, now
from memcli.records import Record, as_dict
from memcli.replication import Outgoing, Pulled, Status, purge, remote, run
from memcli.replication.remote import Agreement
from memcli.store.oplog import begun_here
from memcli.store.replication import MISSING
from memcli.text import dates, json
from memcli.text.ids import writer_of
from memcli.text.terminal import oneline

Titles = dict[str, str]

_ACTIONS = ("pull", "push", "status", "enable", "disable", "purge", "compact", "ask")
_PATIENCE = 20.0  # seconds for the question whether a remote has a shared memory
_LISTS: dict[object, str] = {None: "", True: ", in sync.writers", False: ", not in sync.writers"}
_NAMED = 5  # own texts that others wrote over
_LISTED, _ID = 20, 12  # operations of what would leave; characters of an id
_LEFT = "No later purge reaches it from here: delete it when all have (docs/sync.md)."
_ELSEWHERE = "A host may keep what was purged, and so does a store that never synchronizes again: change a leaked secret."


class SyncOptions(Request):
    """The action, and its options."""

    action: str | None = fields.text("The action; pull and push by default.", default=None, choices=_ACTIONS, metavar="ACTION")
    id: str | None = fields.text("With purge: the id of what to purge.", default=None, metavar="ID")
    remote: str | None = fields.text(
        "With enable: a remote's name or address, dir:PATH, or postgresql://HOST/DATABASE; origin by default.",
        default=None,
        metavar="NAME|ADDRESS",
    )
    name: str | None = fields.text(
        "With enable and a database: the repository's name there; its origin by default.", default=None, metavar="NAME"
    )
    text: str | None = fields.text("With purge: everything that contains this text.", default=None, metavar="TEXT")
    trust_clone: bool = fields.flag(
        "With enable: use the proxies, headers and programs in this clone's git configuration.", default=False
    )
    allow_unrelated_histories: bool = fields.flag(
        "With enable: share even if the remote has the memory of an unrelated history, as before a rewrite.", default=False
    )
    shallow: bool = fields.flag("Fetch no history of the remote's refs; for CI jobs.", default=False)
    dry_run: bool = fields.flag("Show what would leave, or be purged, and change nothing.", default=False)
    timeout: int | None = fields.number("Seconds to wait for the remote.", default=None, minimum=1, maximum=86_400)
    quiet: bool = fields.flag("Print only errors.", default=False)


def sync(request: SyncOptions, common: Common) -> None:
    """Exchanges a shared memory with its remote, or changes how it is shared."""
    _check(request)
    if request.dry_run and request.action != "purge":
        listed, is_on = writing(common, lambda project: _outgoing(project, request), create=False)
        _show_outgoing(listed, common)
        if not is_on and request.action != "enable":
            output.tell(f"{output.paint('Hint:', 'warn', 2)} sharing is off: nothing leaves before mem sync enable")
        return None
    if request.action == "status":
        return _show_status(*reading(common, lambda project: (replication.status(project), _by_itself(project))), common)
    if request.action == "ask":
        return _ask(request, common)
    verbs = {"enable": _enable, "disable": _disable, "purge": _purge, "compact": _compact}
    verbs.get(request.action or "", _exchange)(request, common)


def _check(request: SyncOptions) -> None:
    """Raises InvalidInput for options that do not belong to the action."""
    if request.action == "purge" and not (request.id or request.text):
        raise InvalidInput("nothing to purge: give an ID or --text", "use mem sync purge ID, or mem sync purge --text TEXT")
    if request.action == "purge" and request.id and request.text:
        raise InvalidInput("an ID and --text are two purges", "give one of them; --dry-run lists what it would take out")
    if request.action != "purge" and (request.id is not None or request.text is not None):
        raise InvalidInput("ID and --text belong to mem sync purge", "see mem sync --help")
    if request.action != "enable" and request.remote is not None:
        raise InvalidInput(
            "--remote belongs to mem sync enable", "a memory is shared through one remote; enable another to change it"
        )
    if request.action != "enable" and request.name is not None:
        raise InvalidInput("--name belongs to mem sync enable", "mem sync status says the name of this repository")
    if request.action != "enable" and request.trust_clone:
        raise InvalidInput("--trust-clone belongs to mem sync enable", "see mem sync --help")
    if request.action != "enable" and request.allow_unrelated_histories:
        raise InvalidInput("--allow-unrelated-histories belongs to mem sync enable", "see mem sync --help")
    if request.dry_run and request.action not in (None, "push", "enable", "purge"):
        raise InvalidInput(f"--dry-run does not belong to {request.action}", "use it with push, enable or purge")


class Listed(Record):
    """What would be sent, its titles, and the ids of what this store began and sent before, which the remote may lack."""

    outgoing: list[Outgoing]
    titles: Titles
    again: list[str]


def _outgoing(project: Project, request: SyncOptions) -> tuple[Listed, bool]:
    """Returns what would be sent, and whether sharing is on."""
    if request.action == "enable":
        remote.resolve(project, request.remote, request.name)
    return _titled(project, replication.outgoing(project)), remote.agreed(project) is not None


def _titled(project: Project, outgoing: list[Outgoing]) -> Listed:
    """Returns what would be sent, with the titles of the listed part."""
    listed = [it.operation for it in outgoing if it.line is not None and it.operation.vis != MISSING][:_LISTED]
    again = [it.operation for it in outgoing if it.line is not None and it.operation.vis == MISSING]
    objects = list(dict.fromkeys([op.object for op in again if not writer_of(op.actor) and op.object[0] in "MSNK"]))
    begun = begun_here(project.db, objects)
    own = [name for name in objects if name in begun]
    return Listed(outgoing, titles_of(project.db, [*named_in(listed), *own[:_LISTED]]), own)


def _exchange(request: SyncOptions, common: Common) -> None:
    pulls, pushes = request.action in (None, "pull"), request.action in (None, "push")
    seconds = float(request.timeout) if request.timeout else None

    def work(project: Project) -> tuple[run.Synced, bool, list[tuple[str, list[str]]]]:
        synced = run.synchronize(project, pulls, pushes, seconds, request.shallow)
        is_told = not (request.quiet or common.json)
        return synced, replication.is_any_shared(project), replication.new_namesakes(project) if is_told else []

    synced, is_any_shared, namesakes = writing(
        common,
        work,
        create=True,
        rehearse=remote.required,  # what is not shared leaves no empty store behind
    )
    if request.quiet:
        return
    if common.json:
        return output.data({"pulled": synced.pulled and as_dict(synced.pulled), "pushed": synced.pushed})
    lines = [_worded_pull(synced.pulled)] if synced.pulled else []
    lines += [f"pushed {_counted(synced.pushed)}"] if synced.pushed is not None else []
    output.show("\n".join(lines))
    if not is_any_shared:
        output.tell(f"{output.paint('Hint:', 'warn', 2)} nothing is shared yet: mem share ID, or see sync.kinds in mem config")
    for warning in [*(_warnings(synced.pulled) if synced.pulled else ()), *_worded_namesakes(namesakes)]:
        output.tell(f"{output.paint('Warning:', 'warn', 2)} {warning}")


def _worded_pull(pulled: Pulled) -> str:
    plural = "memory" if pulled.erased == 1 else "memories"
    erased = f", erased {pulled.erased} purged {plural}" if pulled.erased else ""
    return f"pulled {_counted(pulled.applied)}{erased}"


def _counted(number: int) -> str:
    return "1 change" if number == 1 else f"{number:,} changes" if number else "nothing new"


def _warnings(pulled: Pulled) -> list[str]:
    """Returns what the person should know about a pull, beside its count."""
    warnings = [_worded_loss(it) for it in pulled.overwritten[:_NAMED]]
    if more := pulled.overwritten[_NAMED:]:
        warnings.append(f"{len(more):,} more of your texts were changed or forgotten by others: mem log -p ID")
    if pulled.refused:
        reasons = ", ".join([f"{count:,} {reason}" for reason, count in sorted(pulled.refused.items())])
        total = sum(pulled.refused.values())
        warnings.append(f"refused {total:,} line{'s' * (total != 1)} from the remote: {reasons}")
    if pulled.waiting:
        warnings.append(f"{_counted(pulled.waiting)} waiting: {'; '.join(map(_worded_held, pulled.held[:_NAMED]))}")
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


def _worded_namesakes(namesakes: Sequence[tuple[str, list[str]]]) -> list[str]:
    """Returns the warnings that several writers have one name, or names that look the same."""
    return [
        f"{len(ids)} writers call themselves {oneline(name)}: {', '.join(ids)}; ask whom you mean which one is theirs"
        for name, ids in namesakes
    ]


def _worded_strangers(names: Sequence[str]) -> list[str]:
    """Returns the warning about names in sync.writers that belong to nobody."""
    listed = ", ".join(map(oneline, names))[:200]
    return [f"sync.writers has {listed}, of whom nothing came: it takes the ids that mem sync status lists"] * bool(names)


def _enable(request: SyncOptions, common: Common) -> None:
    seconds = float(request.timeout) if request.timeout else None

    def work(project: Project) -> tuple[Agreement, str, str, Listed]:
        joins = request.allow_unrelated_histories
        agreement, outgoing, left = run.enable(project, request.remote, request.name, seconds, request.trust_clone, joins)
        return agreement, left, _by_itself(project), _titled(project, outgoing)

    agreement, left, by_itself, listed = writing(common, work, create=True)
    if request.quiet:
        return
    if common.json:
        of_remote = {"remote": agreement.remote, "address": agreement.address, "place": agreement.place}
        return output.data({**of_remote, "left": left or None, "outgoing": _as_data(listed.outgoing)})
    output.show(f"Shared through {_worded_remote(agreement)}.")
    if left:
        output.show(f"What {oneline(left)} has stays there for those who have not moved yet. {_LEFT}")
    for key, value in agreement.programs:
        output.show(f"It is reached by a program of this clone's configuration: {oneline(key)} = {oneline(value)[:200]}")
    output.show(_worded_outgoing(listed))
    output.show(f"{'Send it and get' if listed.outgoing else 'Get'} what others share with: mem sync")
    output.show(by_itself)


def _by_itself(project: Project) -> str:
    """Returns a sentence about when changes are exchanged automatically."""
    if not project.config["sync.auto"]:
        return "Nothing is exchanged by itself (sync.auto is off)."
    every = project.config["sync.minutes"]
    return (
        f"With hooks set up (mem setup HARNESS), changes are exchanged every {every} minutes while an agent works,"
        " and a minute after a change. Otherwise run mem sync."
    )


def _worded_remote(remote: Agreement | Status) -> str:
    names = oneline(remote.remote) if remote.remote == remote.address else f"{oneline(remote.remote)} ({oneline(remote.address)})"
    return f"{names}, {oneline(remote.place)}" if remote.place else names


def _disable(request: SyncOptions, common: Common) -> None:
    agreement = writing(common, run.disable, create=False)
    if common.json:
        return output.data({"remote": agreement.remote, "address": agreement.address})
    output.show(f"No longer shared through {oneline(agreement.remote)}. What others have stays with them.")


def _purge(request: SyncOptions, common: Common) -> None:
    def work(project: Project) -> tuple[run.Purged, list[purge.Copy]]:
        select = purge.by_text(project, request.text) if request.text else purge.by_id(project, request.id or "")
        seconds = float(request.timeout) if request.timeout else None
        purged = (run.rehearse_purge if request.dry_run else run.purge)(project, select, seconds)
        return purged, purge.copies(project, request.text or "", list(purged.ids), remote.required(project).address)

    purged, copies = writing(common, work, create=False)
    if common.json:
        listed = {"items": [as_dict(it) for it in purged.items], "copies": [as_dict(copy) for copy in copies]}
        return output.data({**as_dict(purged), **listed, "dry_run": request.dry_run})
    verb = "Would purge" if request.dry_run else "Purged"
    items = [output.ListItem(f"{verb} {it.id}", f"{it.title}{_by(it)}", it.reason * request.dry_run) for it in purged.items]
    output.show("\n".join(output.rows(items)) or f"{verb} what only the remote had")
    output.tell("\n".join(["Not reached by a purge:", *[f"  {oneline(it.place)}: {it.remedy}" for it in copies[:_LISTED]]]))
    if len(copies) > _LISTED:
        output.tell(f"  and {len(copies) - _LISTED:,} more (--json shows all)")
    output.tell(_ELSEWHERE)


def _by(match: purge.Match) -> str:
    return f" · by {oneline(match.by)}" if match.by else ""


def _compact(request: SyncOptions, common: Common) -> None:
    count = writing(
        common, lambda project: run.compact(project, float(request.timeout) if request.timeout else None), create=False
    )
    if common.json:
        return output.data({"segments_removed": count})
    output.show(f"{count} segments fewer" if count else "nothing to compact")


def _ask(request: SyncOptions, common: Common) -> None:
    """Asks the remotes of this clone whether one has a shared memory; the next command reports it."""

    def work(project: Project) -> tuple[remote.Answer, Agreement | None]:
        answer = remote.invitation(project, float(request.timeout or _PATIENCE))
        if project.checkout is not None:
            invitations.keep(project.checkout, answer.name)
        return answer, remote.agreed(project)

    answer, agreement = reading(common, work)
    if common.json:
        through = agreement.remote if agreement else None
        return output.data({"shared_by": answer.name or None, "shared_through": through, "unanswered": list(answer.silent)})
    output.show(_worded_answer(answer, agreement))


def _worded_answer(answer: remote.Answer, agreement: Agreement | None) -> str:
    if agreement is not None:
        return f"This memory is shared already, through {_worded_remote(agreement)}."
    if answer.name:
        return invitations.worded(answer.name)
    if answer.silent:
        names = ", ".join(map(oneline, answer.silent))[:200]
        return f"Could not ask {names}: no answer, or only with a login. To ask with yours: mem sync enable"
    return "No remote of this clone is known to have a shared memory."


def _show_status(status: Status | None, by_itself: str, common: Common) -> None:
    if common.json:
        return output.data({"enabled": status is not None, **(as_dict(status) if status else {})})
    if status is None:
        return output.show("Not shared. Turn it on with: mem sync enable")
    lines = [f"Shared through {_worded_remote(status)}"]
    if status.new_place:
        lines.append(f"sync.namespace is {oneline(status.new_place)} now: mem sync enable moves there")
    lines.append(f"{status.shared:,} shared, {_counted(status.pending)} to push")
    if status.quarantined:
        lines.append(f"{_counted(status.quarantined)} from elsewhere waiting")
        lines += [f"  {_worded_held(it)}" for it in status.held[:_LISTED]]
    lines += _worded_strangers(status.strangers)
    for writer in status.ahead:
        lines.append(
            f"  of {oneline(str(writer['name'] or 'unnamed'))} ({writer['id']}), whose clock was ahead: until {writer['until']}"
        )
    if status.own_ahead:
        lines.append(f"this clock was ahead: others get what was written since after {status.own_ahead}")
    for writer in status.writers:
        who = f"{oneline(str(writer['name'] or 'unnamed'))} ({writer['id']})"
        lines.append(f"  {who}: {writer['operations']:,} changes{_LISTS[writer['listed']]}")
    if status.last:
        when = dates.ago(dates.parse(str(status.last["at"])), now())
        lines.append(f"last attempt, {when}, failed: {status.last['error']}" if status.last["error"] else f"synchronized {when}")
    else:
        lines.append("not synchronized yet")
    lines.append(by_itself)
    output.show("\n".join(lines))


def _show_outgoing(listed: Listed, common: Common) -> None:
    if common.json:
        return output.data({"outgoing": _as_data(listed.outgoing)})
    output.show(_worded_outgoing(listed))


def _as_data(outgoing: Sequence[Outgoing]) -> list[Any]:
    return [json.loads(item.line) for item in outgoing if item.line is not None]


def _worded_outgoing(listed: Listed) -> str:
    leaving = [item for item in listed.outgoing if item.line is not None]
    if not leaving:
        return "Nothing would leave. Share memories with: mem share ID"
    again = [item for item in leaving if item.operation.vis == MISSING]
    leaving = [item for item in leaving if item.operation.vis != MISSING]
    lines = [f"Would leave: {_counted(len(leaving))}"] if leaving else []
    for item in leaving[:_LISTED]:
        name = item.operation.object if item.operation.object[0] in "MSNK" else ""
        worded = history.phrase(item.operation.kind, item.operation.object, json.loads(item.line or "{}")["b"], listed.titles)
        lines.append(f"  {name:<{_ID}}  {worded}")
    more = len(leaving) - _LISTED
    lines += [f"  and {more:,} more (--json shows all)"] if more > 0 else []
    return "\n".join([*lines, *(_worded_again(again, listed) if again else [])])


def _worded_again(again: Sequence[Outgoing], listed: Listed) -> list[str]:
    """Returns the lines about what is sent again: this store's own objects by title, the others as a number."""
    own, others = listed.again, len([it for it in again if writer_of(it.operation.actor)])
    more = len(own) - _LISTED
    lines = ["What was shared before goes there, too, as far as the remote does not have it:"]
    lines += [f"  {name:<{_ID}}  {listed.titles.get(name, '')}".rstrip() for name in own[:_LISTED]]
    lines += [f"  and {more:,} more of yours (--json shows all)"] if more > 0 else []
    return lines + ([f"  {'and ' * bool(own)}{_counted(others)} by others that you have"] if others else [])


def share(results: list[SharedItem]) -> str:
    """Objects that are shared from now on."""
    hint = "" if results[0].enabled else "\nNothing leaves before: mem sync enable"
    return "\n".join([f"Shared {result.id} {result.title}" for result in results]) + hint


def unshare(results: list[SharedItem]) -> str:
    """Objects whose changes stay here from now on."""
    lines = [f"No longer sharing changes to {result.id} {result.title}" for result in results]
    left = any(result.left for result in results)
    return "\n".join(lines + ["Others keep what they have; mem sync purge ID takes it out for good."] * left)
