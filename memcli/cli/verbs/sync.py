"""sync: exchange a shared memory with a remote; share, unshare: what is shared."""

from __future__ import annotations

from memcli import fields, invitations, replication
from memcli.cli import output
from memcli.cli import shared_views as views
from memcli.cli.invoke import Common, reading, writing
from memcli.cli.shared_views import Listed
from memcli.errors import InvalidInput
from memcli.fields import Request
from memcli.operations.share import SharedItem
from memcli.project import Project
from memcli.records import as_dict
from memcli.replication import Status, purge, remote, run
from memcli.replication.remote import Agreement
from memcli.text.terminal import oneline

_ACTIONS = ("pull", "push", "status", "enable", "disable", "purge", "compact", "ask")
_PATIENCE = 20.0  # seconds for the question whether a remote has a shared memory
_LEFT = "No later purge reaches it from here: delete it when all have (docs/sync.md)."
_ELSEWHERE = "A host may keep what was purged, and so does a store that never synchronizes again: change a leaked secret."


class SyncOptions(Request):
    """The action, and its options."""

    action: str | None = fields.text("The action; pull and push by default.", default=None, choices=_ACTIONS, metavar="ACTION")
    id: str | None = fields.text("With purge: the id of what to purge.", default=None, metavar="ID")
    remote: str | None = fields.text(
        "With enable: a remote's name or address, dir:PATH, or postgresql://HOST/DATABASE; the one before by default, or origin.",
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
        return _show_status(common)
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


def _outgoing(project: Project, request: SyncOptions) -> tuple[Listed, bool]:
    """Returns what would be sent, and whether sharing is on."""
    if request.action == "enable":
        remote.resolve(project, request.remote, request.name)
    return views.titled(project, replication.outgoing(project)), remote.agreed(project) is not None


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
        pulled = synced.pulled and as_dict(synced.pulled)
        return output.data({"pulled": pulled, "pushed": synced.pushed, "purged": synced.purged})
    lines = [views.worded_pull(synced.pulled)] if synced.pulled else []
    lines += [f"pushed {views.counted(synced.pushed)}"] if synced.pushed is not None else []
    lines += ["took what was purged out of the remote"] * synced.purged
    output.show("\n".join(lines))
    if not is_any_shared:
        output.tell(f"{output.paint('Hint:', 'warn', 2)} nothing is shared yet: mem share ID, or see sync.kinds in mem config")
    for warning in [
        *(views.warnings_of(synced.pulled) if synced.pulled else ()),
        *views.worded_namesakes(namesakes),
    ]:
        output.tell(f"{output.paint('Warning:', 'warn', 2)} {warning}")


def _enable(request: SyncOptions, common: Common) -> None:
    seconds = float(request.timeout) if request.timeout else None

    def work(project: Project) -> tuple[run.Enabled, str, Listed]:
        joins = request.allow_unrelated_histories
        enabled = run.enable(project, request.remote, request.name, seconds, request.trust_clone, joins)
        return enabled, views.by_itself_of(project), views.titled(project, enabled.outgoing)

    enabled, by_itself, listed = writing(common, work, create=True)
    agreement, left = enabled.agreement, enabled.left
    if request.quiet:
        return
    if common.json:
        of_remote = {"remote": agreement.remote, "address": agreement.address, "place": agreement.place}
        return output.data({**of_remote, "left": left or None, "outgoing": views.as_data(listed.outgoing)})
    output.show(f"Shared through {views.worded_remote(agreement)}.")
    if left:
        output.show(f"What {oneline(left)} has stays there for those who have not moved yet. {_LEFT}")
    for key, value in agreement.programs:
        output.show(f"It is reached by a program of this clone's configuration: {oneline(key)} = {oneline(value)[:200]}")
    output.show(views.worded_outgoing(listed))
    output.show(f"{'Send it and get' if listed.outgoing else 'Get'} what others share with: mem sync")
    output.show(by_itself)
    if enabled.unpurged:
        _warn_of_purge(enabled.unpurged)


def _warn_of_purge(place: str) -> None:
    hint = f"take it out with: mem sync enable --remote {oneline(place)}, then mem sync"
    output.tell(f"{output.paint('Warning:', 'warn', 2)} what was purged is still in {oneline(place)}; {hint}")


def _disable(request: SyncOptions, common: Common) -> None:
    agreement, is_purge_due = writing(common, run.disable, create=False)
    if common.json:
        return output.data({"remote": agreement.remote, "address": agreement.address, "is_purge_due": is_purge_due})
    output.show(f"No longer shared through {oneline(agreement.remote)}. What others have stays with them.")
    output.show("mem sync enable brings you back.")
    if is_purge_due:
        _warn_of_purge(agreement.remote)


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
    output.tell("\n".join(["Not reached by a purge:", *[f"  {oneline(it.place)}: {it.remedy}" for it in copies[: views.LISTED]]]))
    if len(copies) > views.LISTED:
        output.tell(f"  and {len(copies) - views.LISTED:,} more (--json shows all)")
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
    output.show(views.worded_answer(answer, agreement))


def _show_status(common: Common) -> None:
    def work(project: Project) -> tuple[Status | None, Agreement | None, str]:
        return replication.status(project), remote.latest(project), views.by_itself_of(project)

    status, before, by_itself = reading(common, work)
    if common.json:
        return output.data({"enabled": status is not None, **(as_dict(status) if status else {})})
    if status is not None:
        return output.show(views.worded_status(status, by_itself))
    again = f" again, through {views.worded_remote(before)}," if before else ""
    output.show(f"Not shared. Turn it on{again} with: mem sync enable")


def _show_outgoing(listed: Listed, common: Common) -> None:
    if common.json:
        return output.data({"outgoing": views.as_data(listed.outgoing)})
    output.show(views.worded_outgoing(listed))


def share(results: list[SharedItem]) -> str:
    """Objects that are shared from now on."""
    hint = "" if results[0].enabled else "\nNothing leaves before: mem sync enable"
    return "\n".join([f"Shared {result.id} {result.title}" for result in results]) + hint


def unshare(results: list[SharedItem]) -> str:
    """Objects whose changes stay here from now on."""
    lines = [f"No longer sharing changes to {result.id} {result.title}" for result in results]
    left = any(result.left for result in results)
    return "\n".join(lines + ["Others keep what they have; mem sync purge ID takes it out for good."] * left)
