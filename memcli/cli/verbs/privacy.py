"""doctor --secrets: what is stored and should not be."""

from __future__ import annotations

from memcli.cli import output
from memcli.cli.invoke import reading
from memcli.cli.output import paint
from memcli.errors import InvalidInput
from memcli.maintenance.audit import stored_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common


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
