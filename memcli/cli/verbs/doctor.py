"""doctor: what is wrong with the memory, which memories are stale or unused, and which objects contain a secret."""

from __future__ import annotations

from memcli import fields
from memcli.cli import output, views
from memcli.cli.invoke import Common, reading
from memcli.cli.output import paint, paragraph
from memcli.errors import InvalidInput
from memcli.fields import Request
from memcli.maintenance import repair
from memcli.maintenance.audit import stale_memories, stored_secrets, unused_as_json, unused_memories
from memcli.maintenance.doctor import examine
from memcli.project import Project
from memcli.text.terminal import oneline


class DoctorOptions(Request):
    """The options of `mem doctor`."""

    repair: bool = fields.flag("Rebuild what is damaged; keep the original.", default=False)
    verbose: bool = fields.flag("Also show paths and counts.", default=False)
    stale: bool = fields.flag("List memories whose files have changed since, oldest first.", default=False)
    unused: bool = fields.flag("List memories that many sessions were told and none used, the most told first.", default=False)
    secrets: bool = fields.flag("List stored objects that contain a secret.", default=False)


def doctor(request: DoctorOptions, common: Common) -> int:
    """Checks the memory and reports what is wrong; with --repair, repairs it and keeps the original."""
    lists = [f"--{name}" for name in ("stale", "unused", "secrets") if getattr(request, name)]
    others = [*["--repair"] * request.repair, *lists[:-1]]
    if lists and others:
        raise InvalidInput(
            f"{lists[-1]} only lists {'objects' if request.secrets else 'memories'}", f"leave out {' and '.join(others)}"
        )
    if request.secrets:
        return _secrets(common)
    if lists:
        reading(common, lambda project: (_stale if request.stale else _unused)(project, common.json))
        return 0
    actions = repair.repair(common.where) if request.repair else None
    report = examine(common.where, request.verbose)
    if common.json:
        output.data(report.as_json() | ({"repaired": actions} if actions is not None else {}))
    else:
        for finding in report.findings:
            step = f"; {finding.hint}" if finding.hint else ""
            head = f"{paint(f'{finding.level:<5}', finding.level)} {finding.subject:<12} "
            output.show("\n".join(paragraph(f"{oneline(finding.text)}{step}", 19, "", head)))
        for action in actions or []:
            output.show("\n".join(paragraph(oneline(action), 7, "", f"{paint('repair', 'ok')} ")))
        output.show(report.verdict())
    return 0 if report.ok else 1


def _stale(project: Project, as_json: bool) -> None:
    memories = stale_memories(project)
    output.data([memory.as_json() for memory in memories]) if as_json else output.show(views.stale(memories, project.now))


def _unused(project: Project, as_json: bool) -> None:
    memories = unused_memories(project)
    output.data(list(map(unused_as_json, memories))) if as_json else output.show(views.unused(memories, project.now))


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
