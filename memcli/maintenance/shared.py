"""What mem doctor says of a memory that is shared: the remote, what waits, whose changes came, how the last exchange ended."""

from __future__ import annotations

from typing import Literal

from memcli import replication, store
from memcli.errors import MemError
from memcli.project import Where, open_for_reading
from memcli.replication import Status, remote
from memcli.replication.held import AHEAD
from memcli.text import dates
from memcli.text.terminal import oneline

Finding = tuple[Literal["ok", "warn", "error"], str, str, str]  # level, subject, text, hint
_SUBJECT = "sync"
_MOST_NAMED = 5  # writers
_MOVES = "mem sync enable moves there, with all that is shared"


def findings(where: Where) -> list[Finding]:
    """Returns what there is to say; nothing of a memory that is not shared. Asks no remote."""
    try:
        project = open_for_reading(where)
    except (MemError, store.Error, OSError):  # said elsewhere
        return []
    try:
        status, moment, trial = replication.status(project), project.now, remote.forgotten_trial(project)
    finally:
        project.close()
    text = "an interrupted mem sync enable left what it fetched of a remote"
    left: list[Finding] = [("warn", _SUBJECT, text, f"delete {trial}")] if trial else []
    return [*left, *(_of_exchange(status, moment) if status else [])]


def _of_exchange(status: Status, moment: int) -> list[Finding]:
    """Returns what there is to say of a memory that is shared."""
    pending = f"{status.pending:,} to push" if status.pending else "nothing to push"
    text = f"shared through {status.remote}: {status.shared:,} shared, {pending}"
    jobs = len([it for it in status.writers if it["ci"]])
    writers = len(status.writers) - jobs
    other_writers = f"{writers} other writer{'' if writers == 1 else 's'}"
    other_writers += f" and {jobs} CI job{'' if jobs == 1 else 's'}" if jobs else ""
    lines: list[Finding] = [("ok", _SUBJECT, f"{text}, {other_writers}", "")]
    if status.new_place:
        lines.append(("warn", _SUBJECT, f"{status.place} is used, sync.namespace is {status.new_place}", _MOVES))
    if status.is_purge_due:
        text = f"a purge has not reached {status.remote}: what it takes out is still there"
        lines.append(("warn", _SUBJECT, text, "run mem sync"))
    if status.last is None:
        return [*lines, ("ok", _SUBJECT, "not synchronized yet", "run mem sync")]
    if error := status.last["error"]:
        when = dates.ago(dates.parse(str(status.last["at"])), moment)
        lines.append(("warn", _SUBJECT, f"the last synchronization failed, {when}: {error}", _remedy(str(error))))
    if refused := status.last["refused"]:
        lines.append(
            ("warn", _SUBJECT, f"the last synchronization refused lines from the remote: {refused:,}", "mem sync pull says why")
        )
    for writer in status.ahead[:_MOST_NAMED]:
        who = f"{oneline(str(writer['name'] or 'unnamed'))} ({writer['id']})"
        hint = "nothing is to be done; they wait because the clock there was ahead"
        lines.append(("warn", _SUBJECT, f"changes of {who} wait until {writer['until']}", hint))
    if status.own_ahead:
        text = f"the clock of this machine was ahead: others get what was written since after {status.own_ahead}"
        lines.append(("warn", _SUBJECT, text, "check the clock; what you write until then waits there, too"))
    if waiting := sum([int(str(it["count"])) for it in status.held if it["why"] != AHEAD]):
        hint = "sync.trust and sync.writers say whose changes are applied; what you did not share waits until mem share ID"
        lines.append(("warn", _SUBJECT, f"changes from elsewhere waiting: {waiting:,}", hint))
    return lines


def _remedy(error: str) -> str:
    """Returns what to do after a synchronization that failed."""
    if "changed since you shared" in error:
        return "run mem sync enable again if that is right"
    return "run mem sync, or mem sync pull if you may only read the remote" if error.startswith("git push") else "run mem sync"
