"""doctor: what is wrong with the memory, which memories are stale or unused, and which objects contain a secret."""

from __future__ import annotations

from collections.abc import Sequence

from memcli import fields
from memcli.cli import output, views
from memcli.cli.invoke import Common, reading
from memcli.cli.output import ListItem, paint, paragraph, rows
from memcli.errors import InvalidInput
from memcli.fields import Request
from memcli.maintenance import exposure, repair
from memcli.maintenance.audit import stale_memories, stored_secrets, unused_as_json, unused_memories
from memcli.maintenance.doctor import CheckResult, HealthReport, examine
from memcli.project import Project
from memcli.records import as_dict
from memcli.store.usage import UnusedMemory
from memcli.text import dates
from memcli.text.terminal import oneline

_ALONE = {
    "stale": "lists memories",
    "unused": "lists memories",
    "secrets": "lists objects",
    "security": "checks who can reach the memory",
}


class DoctorOptions(Request):
    """The options of `mem doctor`."""

    repair: bool = fields.flag("Rebuild what is damaged; keep the original.", default=False)
    verbose: bool = fields.flag("Also show paths and counts.", default=False)
    stale: bool = fields.flag("List memories whose files have changed since, oldest first.", default=False)
    unused: bool = fields.flag("List memories that many sessions were told and none used, the most told first.", default=False)
    secrets: bool = fields.flag("List stored objects that contain a secret.", default=False)
    security: bool = fields.flag("Check who else can read, change or widen what is kept.", default=False)


def doctor(request: DoctorOptions, common: Common) -> int:
    """Checks the memory and reports what is wrong; with --repair, repairs it and keeps the original."""
    chosen = [name for name in _ALONE if getattr(request, name)]
    extra = [*["--repair"] * request.repair, *[f"--{name}" for name in chosen[:-1]]]
    if chosen and extra:
        raise InvalidInput(f"--{chosen[-1]} only {_ALONE[chosen[-1]]}", f"leave out {' and '.join(extra)}")
    if request.security:
        return _security(common)
    if request.secrets:
        return _secrets(common)
    if chosen:
        reading(common, lambda project: (_stale if request.stale else _unused)(project, common.json))
        return 0
    actions = repair.repair(common.where) if request.repair else None
    report = examine(common.where, request.verbose)
    if common.json:
        output.data(report.as_json() | ({"repaired": actions} if actions is not None else {}))
    else:
        _show_findings(report.findings)
        for action in actions or []:
            output.show("\n".join(paragraph(oneline(action), 7, "", f"{paint('repair', 'ok')} ")))
        output.show(report.verdict())
    return 0 if report.ok else 1


def _show_findings(findings: Sequence[CheckResult]) -> None:
    for finding in findings:
        step = f"; {finding.hint}" if finding.hint else ""
        head = f"{paint(f'{finding.level:<5}', finding.level)} {finding.subject:<12} "
        output.show("\n".join(paragraph(f"{oneline(finding.text)}{step}", 19, "", head)))


def _security(common: Common) -> int:
    """Checks who else can reach the memory. Returns 1 if somebody can."""
    report = HealthReport(reading(common, exposure.examine), {})
    if common.json:
        output.data(list(map(as_dict, report.findings)))
    else:
        _show_findings(report.findings)
        output.show(report.verdict())
    return 0 if all(finding.level == "ok" for finding in report.findings) else 1


def _stale(project: Project, as_json: bool) -> None:
    memories = stale_memories(project)
    output.data([memory.as_json() for memory in memories]) if as_json else output.show(views.stale(memories, project.now))


def _unused(project: Project, as_json: bool) -> None:
    memories = unused_memories(project)
    output.data(list(map(unused_as_json, memories))) if as_json else output.show(_worded(memories, project.now))


def _worded(memories: Sequence[UnusedMemory], now: int) -> str:
    """Memories that many sessions were told and none used, each with the command that retires it."""
    notes = [f"told to {it.told:,} sessions (last {dates.ago(it.last_told, now)})" for it in memories]
    lines = rows([ListItem(it.id, oneline(it.title), note, below=f"mem forget {it.id}") for it, note in zip(memories, notes)])
    return "\n".join(lines) or "no memory was told to many sessions without a sign of use"


def _secrets(common: Common) -> int:
    """Lists the stored objects that contain a secret, never the secret itself. Returns 1 if there are any."""
    matches = reading(common, stored_secrets)
    if common.json:
        output.data([{"id": secret.id, "rules": list(secret.rules), "erase": secret.erase} for secret in matches])
        return 1 if matches else 0
    for secret in matches:
        output.show(output.row(secret.id, f"{', '.join(secret.rules)}; {secret.erase}"))
    output.show(f"stored objects that contain a secret: {len(matches)}" if matches else "no stored secrets")
    return 1 if matches else 0
