"""forget --erase, doctor --secrets: finding what should not be stored, and taking it out."""

from __future__ import annotations

from memcli.cli import output
from memcli.cli.invoke import reading, writing
from memcli.cli.output import paint
from memcli.errors import InvalidInput
from memcli.maintenance import erase as erasing
from memcli.maintenance.audit import stored_secrets
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common

ACTOR = "cli"
_UNFINISHED = "another process is reading the old file, or the disk is full: the next command that writes cleans it"
_ELSEWHERE = "Not reached: exports, backups, other machines. Treat a stored secret as leaked, and change it."


def erase(reference: str, common: Common) -> None:
    """Takes the text of something out for good and says what is left to do."""
    done = writing(common, lambda project: erasing.erase(project, reference, ACTOR))
    if common.json:
        facts = {"id": done.id, "kind": done.kind, "status": "erased", "erased": list(done.objects)}
        return output.data({**facts, "removed_files": list(done.removed), "finished": done.finished})
    more = len(done.objects) - 1
    output.show(f"Erased {done.id}" + (f" and {more} more that went with it" if more else ""))
    for path in done.removed:
        output.show(f"removed {oneline(path)}")
    if not done.finished:
        output.tell(f"{paint('Warning:', 'warn', 2)} {_UNFINISHED}")
    output.tell(_ELSEWHERE)


def secrets(mixed: bool, common: Common) -> int:
    """Lists the stored objects that contain a secret, never the secret itself. Returns 1 if there are any."""
    if mixed:
        raise InvalidInput("--secrets only lists objects", "leave out --repair and --stale")
    matches = reading(common, stored_secrets)
    if common.json:
        output.data([{"id": secret.id, "rules": list(secret.rules), "erase": secret.erase} for secret in matches])
        return 1 if matches else 0
    for secret in matches:
        output.show(f"{paint(secret.id, 'id')}  {', '.join(secret.rules)}; {secret.erase}")
    output.show(f"stored objects that contain a secret: {len(matches)}" if matches else "no stored secrets")
    return 1 if matches else 0
